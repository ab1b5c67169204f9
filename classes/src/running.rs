//! The classes of a running JVM: those in the files of its class path, and loaded ones that no file has.

use crate::{Catalogue, Jdk, Mention, Places, State, launch, path};
use spl_bytecode::{ClassInfo, MethodInfo};
use spl_lang::ast::{MethodPattern, MethodTerm};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Access flags of methods without a body: native and abstract ones (JVMS 4.6).
const WITHOUT_BODY: u16 = 0x0100 | 0x0400;

/// The paths of a running JVM, as its system properties name them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JvmPaths {
    /// `java.class.path`
    pub class_path: String,
    /// `jdk.module.path`
    pub module_path: String,
    /// `java.home`
    pub home: String,
    /// Its current folder; `None` if it is unknown. Then entries that are relative to it are left out.
    pub folder: Option<PathBuf>,
}

/// A loaded class, as the JVM describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Binary name with slashes.
    pub name: String,
    /// Name, descriptor and access flags of its methods.
    pub methods: Vec<(String, String, u16)>,
}

impl Places {
    /// The places of a running JVM's classes.
    #[must_use]
    pub fn of_jvm(paths: &JvmPaths) -> Self {
        let JvmPaths { class_path, module_path, home, folder } = paths;
        // An empty class path is the current folder, except for a program that is a module.
        let entries = if class_path.is_empty() && !module_path.is_empty() {
            Vec::new()
        } else {
            path::entries(OsStr::new(class_path))
        };
        let modules =
            if module_path.is_empty() { Vec::new() } else { launch::module_entries(OsStr::new(module_path)) };
        let entries = entries.into_iter().chain(modules);
        let placed = |entry: PathBuf| match folder {
            Some(folder) => Some(folder.join(entry)),
            None => entry.is_absolute().then_some(entry),
        };
        // As in Java, entries need not exist.
        let class_path = entries.filter_map(placed).filter(|entry| entry.exists()).collect();
        Self::of(class_path, (!home.is_empty()).then(|| Jdk::at(Path::new(home))))
    }
}

impl Catalogue {
    /// Adds loaded classes that are in none of the files. Their sizes, annotations and superclasses are unknown.
    /// Gives the number of new ones.
    pub fn add_all_loaded(&mut self, classes: impl IntoIterator<Item = Loaded>) -> usize {
        self.was_asked();
        classes.into_iter().filter(|class| self.add_loaded(info(class))).count()
    }
}

fn info(class: &Loaded) -> ClassInfo {
    let method = |(name, descriptor, access): &(String, String, u16)| MethodInfo {
        name: name.clone(),
        descriptor: descriptor.clone(),
        access: *access,
        code_bytes: (access & WITHOUT_BODY == 0).then_some(0),
        intrinsic: false,
        special_annotation: None,
        annotations: Vec::new(),
    };
    ClassInfo {
        name: class.name.clone(),
        super_name: None,
        interfaces: Vec::new(),
        major_version: 0,
        minor_version: 0,
        access: 0,
        methods: class.methods.iter().map(method).collect(),
    }
}

/// Whether the classes of a mention may come from a place that is not known yet: a class loader of the program's own,
/// or the class path of a JVM that is not there yet. A class of the JDK, and a name that is nearly that of a
/// known class, count as mistakes.
pub fn is_open(mention: &Mention, catalogue: &Catalogue) -> bool {
    let MethodTerm::Pattern(pattern) = &mention.place.method else { return false };
    let is_missing = match mention.state {
        State::NoClass | State::NotChecked => true,
        State::NoMethod => pattern.is_glob() && catalogue.classes_meant(pattern).is_empty(),
        State::Found | State::Unmeasurable => false,
    };
    is_missing && mention.meant.is_empty() && !is_mistake(pattern, catalogue)
}

fn is_mistake(pattern: &MethodPattern, catalogue: &Catalogue) -> bool {
    let class = pattern.class.replace('.', "/");
    if class.starts_with("java/") {
        return true;
    }
    if !class.contains('*') {
        return catalogue.is_misspelt(&class);
    }
    let parts: Vec<&str> = class.split('/').take_while(|part| !part.contains('*')).collect();
    let package = parts.join("/");
    !package.is_empty()
        && !catalogue.has_package(&package)
        && !catalogue.nearest_packages(&package).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve;
    use spl_lang::{RunMode, parse_file};

    fn loaded(name: &str, methods: &[(&str, &str, u16)]) -> Loaded {
        let methods = methods
            .iter()
            .map(|(name, descriptor, access)| ((*name).to_owned(), (*descriptor).to_owned(), *access));
        Loaded { name: name.to_owned(), methods: methods.collect() }
    }

    fn catalogue() -> Catalogue {
        let mut catalogue = Catalogue::default();
        let cart = loaded("com/shop/Cart", &[("add", "(I)V", 1), ("add", "(J)V", 1), ("total", "()J", 1)]);
        let item = loaded("com/shop/Cart$Item", &[("price", "()J", 1), ("tax", "()J", 0x400)]);
        assert_eq!(catalogue.add_all_loaded([cart.clone(), item, cart]), 2);
        catalogue
    }

    #[test]
    fn loaded_classes_have_the_methods_that_are_meant() {
        let check = |line: &str, expected: &[&str]| {
            let file = parse_file(line, RunMode::Measurement).unwrap();
            let found = resolve(&file, line, &mut catalogue(), true);
            let mut methods: Vec<String> = found
                .mentions
                .iter()
                .flat_map(|mention| &mention.meant)
                .map(|one| one.method.to_string())
                .collect();
            methods.sort();
            assert_eq!(methods, expected, "{line}");
        };
        check("com.shop.Cart#add(int)", &["com/shop/Cart.add(I)V"]);
        check("com.shop.Cart#add", &["com/shop/Cart.add(I)V", "com/shop/Cart.add(J)V"]);
        check("com.shop.Cart.Item#price", &["com/shop/Cart$Item.price()J"]);
        check("com.shop.**#t*", &["com/shop/Cart.total()J"]);
        check("com.shop.Basket#add", &[]);
    }

    #[test]
    fn a_class_of_an_unknown_place_is_open_and_a_misspelt_one_is_not() {
        let check = |pattern: &str, expected: bool| {
            let file = parse_file(pattern, RunMode::Measurement).unwrap();
            let mut catalogue = catalogue();
            let found = resolve(&file, pattern, &mut catalogue, true);
            assert_eq!(is_open(&found.mentions[0], &catalogue), expected, "{pattern}");
        };
        check("org.plugin.Codec#encode", true);
        check("org.plugin.**#encode", true);
        check("@org.plugin.Timed", false);
        // Another class of a loader of its own may be about to be loaded.
        check("com.shop.Carts#add", true);
        check("com.shpo.**#add", false);
        check("com.shop.Cart#addd", false);
        check("com.shop.Cart#add", false);
        check("com.shop.sub.**#add", true);
        check("java.util.Lost#add", false);
        check("org/plugin/Codec.encode()V", false);
    }

    #[test]
    fn entries_are_those_of_the_jvms_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("classes")).unwrap();
        let paths = |folder: Option<&Path>| JvmPaths {
            class_path: "classes:missing.jar".to_owned(),
            folder: folder.map(Path::to_owned),
            ..JvmPaths::default()
        };
        assert_eq!(Places::of_jvm(&paths(Some(folder.path()))).catalogue().program_places(), 1);
        assert_eq!(Places::of_jvm(&paths(None)).catalogue().program_places(), 0);
    }
}
