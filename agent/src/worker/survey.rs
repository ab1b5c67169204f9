//! The JVM's paths and loaded classes, for a controller that does not know the program's classes. Nothing is
//! loaded or changed.

use super::Worker;
use crate::jvm::{Jvm, Loaded};
use crate::shared::{Reply, Survey};
use spl_wire::{LoadedClass, LoadedMethod, MAX_CLASSES_BYTES, MAX_PATH_BYTES, Wanted, clip, dotted};
use std::cell::Cell;
use std::collections::BTreeMap;

/// Properties with the JVM's paths.
const PATHS: [&str; 3] = ["java.class.path", "jdk.module.path", "java.home"];

impl Worker {
    /// The loaded classes that are asked for, with their methods of the asked names.
    pub(super) fn survey(&self, env: &jni::Env<'_>, wanted: &[Wanted]) -> Survey {
        let loaded = Cell::new(0_u32);
        let is_wanted = |name: &str| {
            loaded.set(loaded.get().saturating_add(1));
            let name = dotted(name);
            wanted.iter().any(|one| one.is_class(&name))
        };
        let found = self.jvm.classes(env, is_wanted).unwrap_or_else(|error| {
            self.tell(Reply::Warning(format!("cannot list the loaded classes: {error}")));
            Vec::new()
        });
        // Several loaders may have a class of the same name.
        let mut classes: BTreeMap<String, LoadedClass> = BTreeMap::new();
        for class in &found {
            let Some(described) = described(&self.jvm, class, wanted) else { continue };
            let known = classes
                .entry(class.name.clone())
                .or_insert_with(|| LoadedClass { name: class.name.clone(), methods: Vec::new() });
            for method in described {
                if !known.methods.contains(&method) {
                    known.methods.push(method);
                }
            }
        }
        let (classes, is_whole) = within(classes.into_values(), MAX_CLASSES_BYTES);
        let paths = PATHS.map(|name| clip(&self.jvm.property(name), MAX_PATH_BYTES).to_owned());
        Survey { paths, loaded: loaded.get(), classes, is_whole }
    }
}

/// The methods of a class that are asked for; `None` if the class itself is not. With a class that is named
/// in full all its methods are, so that the controller can propose one.
fn described(jvm: &Jvm, class: &Loaded<'_>, wanted: &[Wanted]) -> Option<Vec<LoadedMethod>> {
    let is_of_jvm = class.loader.raw().is_null();
    let name = dotted(&class.name);
    let asks = |one: &&Wanted| one.is_class(&name) && !(is_of_jvm && one.is_of_any_package());
    let asking: Vec<&Wanted> = wanted.iter().filter(asks).collect();
    let is_named = asking.iter().any(|one| !one.class.contains('*'));
    let is_meant = |name: &str| is_named || asking.iter().any(|one| one.is_method(name));
    let mut methods = jvm.declared(class.class);
    methods.retain(|(name, ..)| is_meant(name));
    let method = |(name, descriptor, access)| LoadedMethod { name, descriptor, access };
    (is_named || !methods.is_empty()).then(|| methods.into_iter().map(method).collect())
}

/// The first classes that have room, and whether these are all.
fn within(classes: impl Iterator<Item = LoadedClass>, most_bytes: usize) -> (Vec<LoadedClass>, bool) {
    let (mut kept, mut bytes) = (Vec::new(), 0);
    for class in classes {
        bytes += class.bytes();
        if bytes > most_bytes {
            return (kept, false);
        }
        kept.push(class);
    }
    (kept, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_the_classes_that_have_room() {
        let class = |name: &str| LoadedClass { name: name.to_owned(), methods: Vec::new() };
        let all = || [class("a/A"), class("a/B"), class("a/C")].into_iter();
        let bytes = class("a/A").bytes();
        assert_eq!(within(all(), 3 * bytes), (all().collect(), true));
        assert_eq!(within(all(), 3 * bytes - 1), (all().take(2).collect(), false));
        assert_eq!(within(all(), 0), (Vec::new(), false));
    }
}
