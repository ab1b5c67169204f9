//! Sums over some methods, from which every metric follows. A tally of two sets of methods is the sum of their tallies.

use crate::amount::Bounds;
use crate::chosen::Chosen;
use crate::group::{GROUPS, Group};
use crate::heard::OfSpace;
use crate::hot::Weights;
use spl_model::arena::SIZE_BINS;
use std::collections::BTreeMap;

/// The counts of a space.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Classes that were loaded, as far as the drill has them.
    pub classes: u64,
    /// Methods of these, with and without code.
    pub methods: u64,
    /// Instructions of these methods.
    pub load: u64,
    /// Entries of counted methods.
    pub entries: u64,
    /// Entries of these that did not return: exceptions ended them, or they did not end.
    pub unreturned: u64,
    /// Calls by instructions, as they start.
    pub calls: Bounds,
    /// Calls of native methods.
    pub natives: Bounds,
    /// Calls of methods that do not count; some may be native.
    pub unseen: u64,
    /// Executed instructions.
    pub executed: Bounds,
    /// Executed instructions of each group, by its number.
    pub executed_of: [Bounds; GROUPS],
    /// Executed blocks.
    pub blocks: u64,
    /// Instructions that were executed at least once.
    pub run: Bounds,
    /// Instructions of each group that were executed at least once, by its number.
    pub run_of: [Bounds; GROUPS],
    /// Instructions of [`Group::Control`] that went two ways at least.
    pub changing: Bounds,
    /// Executions of each instruction, method and class.
    pub instructions: Weights,
    /// Executed instructions of each method.
    pub of_methods: Weights,
    /// Executed instructions of each class.
    pub of_classes: Weights,
    /// Objects and arrays that instructions made, with the arrays within arrays where sizes are known.
    pub objects: Bounds,
    /// Executions of `multianewarray` that may have made more.
    pub nested_arrays: Bounds,
    /// Arrays within arrays that are among the objects.
    pub inner_arrays: u64,
    /// Bytes of the objects whose sizes are known.
    pub bytes: Bounds,
    /// These objects by their sizes, in the bins of [`spl_model::arena::SIZE_LIMITS`].
    pub sized: [Bounds; SIZE_BINS],
    /// Objects whose sizes are not known.
    pub unsized_objects: Bounds,
    /// Bytes that each place made.
    pub allocated: Weights,
    /// Entries of synchronized methods.
    pub synchronized: u64,
    /// Entries of each place that locks: a `monitorenter` or a synchronized method.
    pub locks: Weights,
    /// Calls whose receivers choose.
    pub chosen: Chosen,
    /// Methods of LockSupport that park, and their entries.
    pub parks: [u64; 2],
    /// Counts of the JVM's events; of a whole space only.
    pub heard: Option<OfSpace>,
    /// Why counts may not be exact.
    pub doubts: Doubts,
}

/// Why the counts of a space may not be exact.
#[derive(Clone, Debug, Default)]
pub struct Doubts {
    /// Reasons, with the number of methods that have them.
    pub of_methods: BTreeMap<String, u64>,
    /// Classes and methods that did not count: the first of them with its reason, and their number.
    pub left: Option<(String, u64)>,
    /// Methods with code that did not count.
    pub missing: u64,
    /// Methods that a filter skipped.
    pub skipped: u64,
    /// Places that made objects of hidden classes for lambdas.
    pub lambdas: u64,
    /// Places whose calls entered methods, and whose receivers may be of classes that do not count.
    pub open: u64,
}

impl Tally {
    /// Executed instructions of a group.
    #[must_use]
    pub fn of(&self, group: Group) -> Bounds {
        self.executed_of[group.number()]
    }

    /// Instructions of a group that were executed at least once.
    #[must_use]
    pub fn run(&self, group: Group) -> Bounds {
        self.run_of[group.number()]
    }

    /// The part of it that needs no counts: the code that was loaded, and the doubts.
    #[must_use]
    pub fn without_counts(&self) -> Self {
        let Self { classes, methods, load, doubts, .. } = self;
        Self { classes: *classes, methods: *methods, load: *load, doubts: doubts.clone(), ..Self::default() }
    }

    /// The rest: the counts, with the doubts about them.
    #[must_use]
    pub fn without_code(&self) -> Self {
        // Places of lambdas are among the doubts of the whole.
        let doubts = Doubts { of_methods: self.doubts.of_methods.clone(), ..Doubts::default() };
        Self { classes: 0, methods: 0, load: 0, doubts, ..self.clone() }
    }

    /// Adds the counts of other methods. Sums over 2^64 stay there.
    pub fn merge(&mut self, other: &Self) {
        for (to, from) in [
            (&mut self.classes, other.classes),
            (&mut self.methods, other.methods),
            (&mut self.load, other.load),
            (&mut self.entries, other.entries),
            (&mut self.unreturned, other.unreturned),
            (&mut self.unseen, other.unseen),
            (&mut self.blocks, other.blocks),
            (&mut self.synchronized, other.synchronized),
            (&mut self.inner_arrays, other.inner_arrays),
        ] {
            *to = to.saturating_add(from);
        }
        for (to, from) in [
            (&mut self.natives, other.natives),
            (&mut self.calls, other.calls),
            (&mut self.executed, other.executed),
            (&mut self.run, other.run),
            (&mut self.changing, other.changing),
            (&mut self.objects, other.objects),
            (&mut self.nested_arrays, other.nested_arrays),
            (&mut self.bytes, other.bytes),
            (&mut self.unsized_objects, other.unsized_objects),
        ] {
            to.add(from);
        }
        self.executed_of.iter_mut().zip(other.executed_of).for_each(|(to, from)| to.add(from));
        self.sized.iter_mut().zip(other.sized).for_each(|(to, from)| to.add(from));
        self.run_of.iter_mut().zip(other.run_of).for_each(|(to, from)| to.add(from));
        for (to, from) in [
            (&mut self.instructions, &other.instructions),
            (&mut self.of_methods, &other.of_methods),
            (&mut self.of_classes, &other.of_classes),
            (&mut self.locks, &other.locks),
            (&mut self.allocated, &other.allocated),
        ] {
            to.merge(from);
        }
        self.parks = [0, 1].map(|at| self.parks[at].saturating_add(other.parks[at]));
        self.chosen.merge(&other.chosen);
        self.doubts.merge(&other.doubts);
    }
}

impl Doubts {
    fn merge(&mut self, other: &Self) {
        for (doubt, methods) in &other.of_methods {
            *self.of_methods.entry(doubt.clone()).or_default() += methods;
        }
        if let Some((first, number)) = &other.left {
            let left = self.left.get_or_insert_with(|| (first.clone(), 0));
            left.1 = left.1.saturating_add(*number);
        }
        self.missing = self.missing.saturating_add(other.missing);
        self.skipped = self.skipped.saturating_add(other.skipped);
        self.lambdas = self.lambdas.saturating_add(other.lambdas);
        self.open = self.open.saturating_add(other.open);
    }

    /// Notes something that did not count.
    pub fn leave(&mut self, name: &str, why: &str) {
        self.left.get_or_insert_with(|| (format!("{name}: {why}"), 0)).1 += 1;
    }
}
