//! The events of a JVM during a drill, as their file has them.

use crate::amount::{Amount, Bounds, wilson};
use crate::heap::{self, Heap, InHeap};
use crate::hot::Weights;
use crate::lifetimes::Lifetimes;
use crate::space::Space;
use serde::{Deserialize, Serialize};
use spl_model::JVM_ITSELF;
use std::collections::BTreeMap;

/// Name and version of the form of the file.
const SCHEMA: &str = "spl.events/1";
/// Numbers of threads that are told apart: 0, 1, 2, and more.
pub const RUNNABLE: usize = 4;
/// Most places that are believed.
const MOST_PLACES: usize = 1 << 16;

/// The events of a JVM, as counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heard {
    /// Name and version of the form.
    pub schema: String,
    /// Why waits for monitors are not all known, one line each; `None` where none was heard.
    pub monitors: Option<Vec<String>>,
    /// Why threads are not all known, one line each.
    pub threads: Vec<String>,
    /// Times that threads had to wait for a monitor, by place.
    pub places: Vec<Waits>,
    /// All these times, also those without a place.
    pub waits: u64,
    /// Nanoseconds of them.
    pub waited_ns: u64,
    /// Most threads that waited for one monitor at once.
    pub most_waiting: u64,
    /// Waits that were not followed, so that the time and the most of them at once may be more.
    pub unfollowed: u64,
    /// Threads of the program that were started.
    pub started: u64,
    /// Most threads of the program that lived at once.
    pub most_live: u64,
    /// Collections, and looks at the used memory after them.
    pub collections: u64,
    /// Looks at the used memory, each after one collection or some.
    pub memory_looks: u64,
    /// Used bytes at these looks, on average and at most.
    pub used_bytes: [u64; 2],
    /// Looks at the states of threads, by the number that could run: 0, 1, 2, more.
    pub runnable: [u64; RUNNABLE],
    /// Times that this number changed, and one.
    pub runs: u64,
    /// Most threads that could run at a look.
    pub most_runnable: u64,
    /// Lifetimes of sampled objects; `None` where none were followed.
    #[serde(default)]
    pub lifetimes: Option<Lifetimes>,
    /// Why no sampled objects were followed, one line each.
    #[serde(default)]
    pub without_lifetimes: Vec<String>,
    /// The classes of the heap at the end; `None` where it was not looked at.
    #[serde(default)]
    pub heap: Option<Vec<InHeap>>,
    /// Why it could not be looked at.
    #[serde(default)]
    pub without_heap: Option<String>,
}

/// Waits at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waits {
    /// The class, with slashes.
    pub class: String,
    /// The method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Number of the `monitorenter` in the method's code, from 1; 0 at the entry of a synchronized method, and in `Object.wait`.
    pub lock: u32,
    /// Times that a thread had to wait.
    pub waits: u64,
    /// Nanoseconds of them.
    pub waited_ns: u64,
}

/// The part of a space.
#[derive(Clone, Debug, Default)]
pub struct OfSpace {
    /// Times that threads had to wait in methods of the space.
    pub waits: Bounds,
    /// These, by place.
    pub places: Weights,
    /// Why waits of places are not all known, if they are not.
    pub placeless: Option<String>,
    /// Its objects in the heap.
    pub heap: Option<Heap>,
    /// The counts of the JVM, the same in each space; without places and heap.
    pub jvm: Heard,
}

impl Heard {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self { schema: SCHEMA.to_owned(), ..Self::default() }
    }

    /// Reads the file.
    ///
    /// # Errors
    /// When it is not one, or contradicts itself; the reason.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let heard: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if heard.schema != SCHEMA {
            return Err(format!("its form is {:?}, and this program reads {SCHEMA}", heard.schema));
        }
        if heard.places.len() > MOST_PLACES {
            return Err(format!("it has more than {MOST_PLACES} places"));
        }
        let sum = heard.places.iter().try_fold(0_u64, |sum, place| sum.checked_add(place.waits));
        if sum.is_none_or(|sum| sum > heard.waits) {
            return Err("its places have more waits than there are in all".to_owned());
        }
        let looks = heard.runnable.iter().try_fold(0_u64, |sum, looks| sum.checked_add(*looks));
        if looks.is_none_or(|looks| looks < heard.runs) {
            return Err("the number of threads changed more often than it was looked at".to_owned());
        }
        if heard.used_bytes[0] > heard.used_bytes[1] || heard.memory_looks > heard.collections {
            return Err(
                "its looks at the memory cannot be: an average over the most, or more than collections"
                    .to_owned(),
            );
        }
        if heard.lifetimes.as_ref().is_some_and(|lifetimes| !lifetimes.is_possible()) {
            return Err("its lifetimes of objects are not as many as there are, or too large".to_owned());
        }
        if heard.heap.as_ref().is_some_and(|classes| !heap::is_possible(classes)) {
            return Err("its heap has too many classes or objects".to_owned());
        }
        Ok(heard)
    }

    /// The part of a space.
    pub(crate) fn of(&self, space: &Space) -> OfSpace {
        let in_space = |place: &&Waits| {
            space.has_class(&place.class) && space.has_method(&place.class, &place.method, &place.descriptor)
        };
        // Classes of several loaders may have one name.
        let mut merged: BTreeMap<(&str, &str, &str, u32), u64> = BTreeMap::new();
        let has_method = |place: &&Waits| !["", JVM_ITSELF].contains(&&*place.class);
        for place in self.places.iter().filter(has_method).filter(in_space) {
            let key = (&*place.class, &*place.method, &*place.descriptor, place.lock);
            *merged.entry(key).or_default() += place.waits;
        }
        let heap = self.heap.as_ref().map(|classes| heap::of(classes, space));
        let mut of = OfSpace { placeless: self.placeless(), heap, jvm: self.of_jvm(), ..OfSpace::default() };
        for waits in merged.values() {
            of.waits.add(Bounds::exact(*waits));
            of.places.add(Bounds::exact(*waits));
        }
        of.waits.add(Bounds::new(0, self.nowhere()));
        of
    }

    /// The counts without places and heap.
    fn of_jvm(&self) -> Self {
        Self {
            schema: self.schema.clone(),
            monitors: self.monitors.clone(),
            threads: self.threads.clone(),
            lifetimes: self.lifetimes.clone(),
            without_lifetimes: self.without_lifetimes.clone(),
            without_heap: self.without_heap.clone(),
            places: Vec::new(),
            heap: None,
            ..*self
        }
    }

    /// Waits whose place is not known.
    fn nowhere(&self) -> u64 {
        let named = self.places.iter().filter(|place| !place.class.is_empty());
        self.waits.saturating_sub(named.map(|place| place.waits).sum())
    }

    /// The reason why waits of places are not all known, if they are not.
    fn placeless(&self) -> Option<String> {
        match self.nowhere() {
            0 => None,
            waits => Some(format!(
                "{waits} of {} waits have no place, or one in a class that was unloaded",
                self.waits
            )),
        }
    }

    /// The share of time with `threads` that could run, of which the last number means more, too.
    pub(crate) fn share_of_looks(&self, threads: usize) -> Amount {
        let looks: u64 = self.runnable.iter().sum();
        let share = Amount::sampled_share(self.runnable.get(threads).copied().unwrap_or(0), looks, self.runs);
        share.with_reason(LOOKS)
    }
}

/// Of shares of looks.
const LOOKS: &str = "sampled: looks every 10 ms or less often at threads of the program that are not in native code, with a 95% interval: looks with the same number in a row count as one";

impl Amount {
    /// The share of `part` among `all` looks with its 95% interval (Wilson, 1927), as from only `independent` looks.
    fn sampled_share(part: u64, all: u64, independent: u64) -> Self {
        if all == 0 {
            return Self::none("there was no look");
        }
        Self::sampled(wilson(part as f64 / all as f64, independent.clamp(1, all) as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Library;

    fn place(class: &str, waits: u64) -> Waits {
        Waits {
            class: class.to_owned(),
            method: "f".to_owned(),
            descriptor: "()V".to_owned(),
            waits,
            ..Waits::default()
        }
    }

    #[test]
    fn a_wait_belongs_to_the_space_of_its_method() {
        let mut heard = Heard { waits: 13, ..Heard::new() };
        heard.places = vec![place("p/A", 5), place("java/util/B", 3), place("", 2), place("p/A", 1)];
        let spaces = Space::usual(&Library::default());
        let app = spaces.iter().find(|space| space.name == "app").unwrap();
        let of = heard.of(app);
        // 2 are in an unloaded class, 2 have no place.
        assert_eq!(of.waits, Bounds::new(6, 10));
        assert_eq!(of.places.hot("0.9".parse().unwrap()), Bounds::exact(1), "one place");
        assert!(heard.placeless().unwrap().starts_with("4 of 13"));
        // A wait of the JVM itself is in no space, and no doubt.
        let own = Heard { waits: 7, places: vec![place("p/A", 6), place(JVM_ITSELF, 1)], ..Heard::new() };
        for space in &spaces {
            assert!(own.of(space).waits.is_exact() && own.of(space).waits.most <= 6, "{}", space.name);
        }
    }

    #[test]
    fn a_file_that_contradicts_itself_is_refused() {
        let good = Heard {
            waits: 5,
            places: vec![place("p/A", 5)],
            runnable: [1, 2, 0, 0],
            runs: 3,
            ..Heard::new()
        };
        let read = |heard: &Heard| Heard::read(&serde_json::to_vec(heard).unwrap());
        assert_eq!(read(&good), Ok(good.clone()));
        for wrong in [
            Heard { waits: 4, ..good.clone() },
            Heard { places: vec![place("p/A", u64::MAX), place("p/A", 2)], waits: u64::MAX, ..good.clone() },
            Heard { runs: 4, ..good.clone() },
            Heard { runnable: [u64::MAX, 1, 0, 0], ..good.clone() },
            Heard { used_bytes: [2, 1], ..good.clone() },
            Heard { lifetimes: Some(Lifetimes::default()), ..good.clone() },
            Heard {
                heap: Some(vec![InHeap { objects: [u64::MAX; 5], ..InHeap::default() }]),
                ..good.clone()
            },
            Heard { memory_looks: 1, ..good.clone() },
            Heard { schema: "spl.events/2".to_owned(), ..good },
        ] {
            assert!(read(&wrong).is_err(), "{wrong:?}");
        }
        assert!(Heard::read(b"{").is_err() && Heard::read(b"[1]").is_err());
    }

    #[test]
    fn a_share_is_no_surer_than_its_looks() {
        let wide = Amount::sampled_share(50, 100, 2).found.unwrap();
        let narrow = Amount::sampled_share(50, 100, 100).found.unwrap();
        let width = |[least, most]: [crate::Figure; 2]| most.value() - least.value();
        assert!(width(wide) > 0.5 && width(narrow) < 0.25, "{wide:?} {narrow:?}");
        let all = Amount::sampled_share(100, 100, 1).found.unwrap();
        assert!(all[0].value() < 0.3 && all[1].value() >= 1.0 - 1e-12, "{all:?}");
        assert_eq!(Amount::sampled_share(0, 0, 0).found, None);
    }
}
