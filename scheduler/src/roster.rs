//! Statuses of all methods in one JVM, the methods' numbers by status, and their classes.

use crate::MethodIx;
use crate::standing::{Standing, Status};
use spl_lang::Tasks;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

/// All methods of the task file, and the units in which they are measured and counted: with windows the
/// groups of methods that are compared with each other, else each method by itself. Statuses change here
/// only, so that the counts are always right.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Roster {
    methods: Vec<Standing>,
    units: Vec<Unit>,
    classes: Vec<Class>,
    /// Classes with a method that waits, by priority and then by the task file: the last one is the next.
    waiting_classes: BTreeSet<(i64, Reverse<usize>)>,
    /// Methods that are measured, alone or in turn with others.
    active_methods: BTreeSet<MethodIx>,
    measured: usize,
    unfinished: usize,
    turns: u64,
    /// Methods whose gates should be open.
    measured_methods: BTreeSet<MethodIx>,
    /// Methods whose gates should be open for a few calls.
    listening_methods: BTreeSet<MethodIx>,
    /// Methods whose gates may have to close, because their status changed since the last call of
    /// [`take_unsettled`](Self::take_unsettled).
    unsettled: BTreeSet<MethodIx>,
    /// Number that rises whenever the set of methods that should have probes changes.
    revision: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Class {
    members: Vec<MethodIx>,
    /// Number of the members that wait.
    waiting: usize,
}

impl Class {
    /// Rank among the classes with a waiting method; `None` without one. The priority of a class is the
    /// number of its waiting methods minus the number of its other methods (thesis 3.2.5).
    fn rank(&self, index: usize) -> Option<(i64, Reverse<usize>)> {
        let others = self.members.len() - self.waiting;
        (self.waiting > 0).then(|| (self.waiting as i64 - others as i64, Reverse(index)))
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Unit {
    members: Vec<MethodIx>,
    active: usize,
    unfinished: usize,
}

impl Roster {
    /// The methods of the task list; `unit_of` has each method's unit, numbered from 0 without gaps.
    pub(crate) fn new(tasks: &Tasks, unit_of: &[usize]) -> Self {
        let mut class_of: HashMap<&str, usize> = HashMap::new();
        let mut classes: Vec<Class> = Vec::new();
        let mut methods = Vec::with_capacity(tasks.methods.len());
        let mut units: Vec<Unit> = Vec::new();
        for (index, (task, &unit)) in tasks.methods.iter().zip(unit_of).enumerate() {
            let class = *class_of.entry(task.method.class()).or_insert(classes.len());
            classes.resize_with(classes.len().max(class + 1), Class::default);
            classes[class].members.push(MethodIx(index));
            classes[class].waiting += 1;
            methods.push(Standing::new(class, unit));
            units.resize_with(units.len().max(unit + 1), Unit::default);
            units[unit].members.push(MethodIx(index));
            units[unit].unfinished += 1;
        }
        Self {
            waiting_classes: classes
                .iter()
                .enumerate()
                .filter_map(|(index, class)| class.rank(index))
                .collect(),
            classes,
            active_methods: BTreeSet::new(),
            measured: 0,
            unfinished: units.len(),
            methods,
            units,
            turns: 0,
            measured_methods: BTreeSet::new(),
            listening_methods: BTreeSet::new(),
            unsettled: BTreeSet::new(),
            revision: 0,
        }
    }

    pub(crate) fn get(&self, method: MethodIx) -> Option<&Standing> {
        self.methods.get(method.0)
    }

    pub(crate) fn get_mut(&mut self, method: MethodIx) -> Option<&mut Standing> {
        self.methods.get_mut(method.0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (MethodIx, &Standing)> {
        self.methods.iter().enumerate().map(|(index, method)| (MethodIx(index), method))
    }

    /// The methods whose gates should be open.
    pub(crate) fn measured_methods(&self) -> &BTreeSet<MethodIx> {
        &self.measured_methods
    }

    /// The methods whose gates should be open for a few calls.
    pub(crate) fn listening_methods(&self) -> &BTreeSet<MethodIx> {
        &self.listening_methods
    }

    /// Number that rises whenever the set of methods that should have probes changes.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    pub(crate) fn len(&self) -> usize {
        self.methods.len()
    }

    /// The methods of the class that is measured next: of the classes with a waiting method the one with the
    /// highest priority, the first in the task file among equals.
    pub(crate) fn next_class(&self) -> &[MethodIx] {
        self.waiting_classes.last().map_or(&[], |&(_, Reverse(class))| &self.classes[class].members)
    }

    /// The waiting methods of all classes.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = MethodIx> {
        let waits = |member: &MethodIx| self.get(*member).is_some_and(|one| one.status.waits());
        let members =
            self.waiting_classes.iter().flat_map(|&(_, Reverse(class))| &self.classes[class].members);
        members.copied().filter(waits)
    }

    /// Methods that are measured, alone or in turn with others.
    pub(crate) fn active_methods(&self) -> &BTreeSet<MethodIx> {
        &self.active_methods
    }

    /// Takes the methods whose gates may have to close, because their status changed since the last call.
    pub(crate) fn take_unsettled(&mut self) -> BTreeSet<MethodIx> {
        std::mem::take(&mut self.unsettled)
    }

    /// Number of units that are measured.
    pub(crate) fn measured(&self) -> usize {
        self.measured
    }

    /// Number of units with an unfinished method.
    pub(crate) fn unfinished(&self) -> usize {
        self.unfinished
    }

    /// The methods of each unit.
    pub(crate) fn units(&self) -> impl Iterator<Item = &[MethodIx]> {
        self.units.iter().map(|unit| unit.members.as_slice())
    }

    /// The unfinished methods of a unit.
    pub(crate) fn unfinished_of(&self, unit: usize) -> Vec<MethodIx> {
        let members = self.units.get(unit).map_or(&[][..], |unit| &unit.members);
        members.iter().copied().filter(|&member| !self.is_finished(member)).collect()
    }

    /// The methods that are measured together with this one, itself included.
    pub(crate) fn active_with(&self, method: MethodIx) -> Vec<MethodIx> {
        let unit = self.get(method).map_or(0, |method| method.unit);
        let is_active = |member: &MethodIx| self.get(*member).is_some_and(|one| one.status.is_active());
        self.unfinished_of(unit).into_iter().filter(is_active).collect()
    }

    /// Whether a unit is measured.
    pub(crate) fn is_active(&self, unit: usize) -> bool {
        self.units.get(unit).is_some_and(|unit| unit.active > 0)
    }

    /// Whether the method is finished. A method that does not exist counts as finished: it never delivers.
    pub(crate) fn is_finished(&self, method: MethodIx) -> bool {
        self.get(method).is_none_or(|method| method.status == Status::Finished)
    }

    /// Moves a method to another status; gives whether that begins its measurement. A finished method stays
    /// finished.
    pub(crate) fn set_status(&mut self, method: MethodIx, status: Status) -> bool {
        let index = method;
        let Some(method) = self.methods.get_mut(method.0) else { return false };
        let old = method.status;
        if old == Status::Finished || old == status {
            return false;
        }
        method.status = status;
        if status == Status::Measured {
            self.measured_methods.insert(index);
        } else if self.measured_methods.remove(&index) {
            self.unsettled.insert(index);
        }
        if status == Status::Listening {
            self.listening_methods.insert(index);
        } else if self.listening_methods.remove(&index) {
            self.unsettled.insert(index);
        }
        if status.is_active() {
            self.active_methods.insert(index);
        } else {
            self.active_methods.remove(&index);
        }
        if old.waits() != status.waits() {
            let class = &mut self.classes[method.class];
            if let Some(rank) = class.rank(method.class) {
                self.waiting_classes.remove(&rank);
            }
            class.waiting = class.waiting - usize::from(old.waits()) + usize::from(status.waits());
            self.waiting_classes.extend(class.rank(method.class));
        }
        self.revision += u64::from(old.has_probes() != status.has_probes() || status == Status::Finished);
        let unit = &mut self.units[method.unit];
        let was_active = unit.active > 0;
        unit.active -= usize::from(old.is_active());
        unit.active += usize::from(status.is_active());
        unit.unfinished -= usize::from(status == Status::Finished);
        self.measured = self.measured - usize::from(was_active) + usize::from(unit.active > 0);
        self.unfinished -= usize::from(status == Status::Finished && unit.unfinished == 0);
        let begins = status.is_active() && !old.is_active();
        if begins {
            self.turns += 1;
            method.turn = self.turns;
            method.served_from_ns = None;
        }
        begins
    }

    /// Restarts the warm-up of every method of the changed methods' classes, and keeps their gates closed
    /// until this time: a changed class loses its compiled code.
    pub(crate) fn cool_down_classes_of<'a>(
        &mut self,
        changed: impl Iterator<Item = &'a MethodIx>,
        opens_at_ns: u64,
    ) {
        let touched: BTreeSet<usize> =
            changed.filter_map(|&method| self.get(method)).map(|method| method.class).collect();
        for &member in touched.iter().flat_map(|&class| &self.classes[class].members) {
            self.methods[member.0].cool_down(opens_at_ns);
            self.unsettled.insert(member);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;
    use spl_lang::MeasuredMethod;

    /// A roster with one method for each entry, in the class of this number.
    fn roster(classes: &[usize]) -> Roster {
        let method = |(index, class): (usize, &usize)| MeasuredMethod {
            method: format!("p/C{class}.m{index}()V").parse().unwrap(),
            processor: None,
            line: index + 1,
        };
        let methods = classes.iter().enumerate().map(method).collect();
        let tasks = Tasks { methods, comparisons: Vec::new(), warnings: Vec::new() };
        Roster::new(&tasks, &(0..classes.len()).collect::<Vec<_>>())
    }

    /// The next class, found by a scan without an index.
    fn scanned_class(roster: &Roster) -> Option<usize> {
        let priority = |class: usize| {
            let of_class = roster.methods.iter().filter(|method| method.class == class);
            of_class.map(|method| if method.status.waits() { 1 } else { -1_i64 }).sum::<i64>()
        };
        let waiting = roster.methods.iter().filter(|method| method.status.waits()).map(|method| method.class);
        waiting.max_by_key(|&class| (priority(class), Reverse(class)))
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: RngSeed::Fixed(1_591), failure_persistence: None, ..ProptestConfig::default()
        })]

        #[test]
        fn indices_find_what_a_scan_finds(
            classes in prop::collection::vec(0_usize..6, 1..20),
            moves in prop::collection::vec((0_usize..20, 0_usize..6), 0..60),
        ) {
            const STATUSES: [Status; 6] = [
                Status::Waiting,
                Status::Measured,
                Status::Resting,
                Status::Listening,
                Status::Suspended,
                Status::Finished,
            ];
            let mut roster = roster(&classes);
            for (method, status) in moves {
                let sets = |roster: &Roster| {
                    [&roster.measured_methods, &roster.listening_methods]
                        .map(|set| set.contains(&MethodIx(method)))
                };
                let were = sets(&roster);
                roster.set_status(MethodIx(method), STATUSES[status]);
                let are = sets(&roster);
                let left = (0..2).any(|set| were[set] && !are[set]);
                prop_assert_eq!(roster.take_unsettled().contains(&MethodIx(method)), left);
                let next = roster.next_class().first().map(|first| roster.methods[first.0].class);
                prop_assert_eq!(next, scanned_class(&roster));
                let active = roster.iter().filter(|(_, one)| one.status.is_active()).map(|(index, _)| index);
                prop_assert_eq!(active.collect::<BTreeSet<_>>(), roster.active_methods.clone());
            }
        }
    }
}
