//! All methods, their counts by status, and the classes they belong to.

use crate::MethodIx;
use crate::method::{Method, Status};
use spl_lang::Tasks;
use spl_verdict::NotEvaluated;
use std::collections::{BTreeSet, HashMap};

/// All methods of the task file, and the units in which they are measured and counted: with windows the groups of
/// methods that are compared with each other, else each method by itself. Statuses change here only, so that the
/// counts are always right.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Roster {
    methods: Vec<Method>,
    units: Vec<Unit>,
    classes: usize,
    measured: usize,
    unfinished: usize,
    turns: u64,
    /// Methods whose gates should be open.
    measured_methods: BTreeSet<MethodIx>,
    /// Rises whenever it changes which methods should have probes.
    revision: u64,
    /// Lost samples of which nobody knows whose they were.
    dropped_of_unknown: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Unit {
    members: Vec<MethodIx>,
    active: usize,
    unfinished: usize,
}

impl Roster {
    /// The methods of the task list; `unit_of` has a number for each, counted from 0 without gaps.
    pub(crate) fn new(tasks: &Tasks, unit_of: &[usize]) -> Self {
        let mut classes: HashMap<&str, usize> = HashMap::new();
        let mut methods = Vec::with_capacity(tasks.methods.len());
        let mut units: Vec<Unit> = Vec::new();
        for (index, (task, &unit)) in tasks.methods.iter().zip(unit_of).enumerate() {
            let next = classes.len();
            methods.push(Method::new(*classes.entry(task.method.class()).or_insert(next), unit));
            units.resize_with(units.len().max(unit + 1), Unit::default);
            units[unit].members.push(MethodIx(index));
            units[unit].unfinished += 1;
        }
        Self {
            classes: classes.len(),
            measured: 0,
            unfinished: units.len(),
            methods,
            units,
            turns: 0,
            measured_methods: BTreeSet::new(),
            revision: 0,
            dropped_of_unknown: 0,
        }
    }

    pub(crate) fn get(&self, method: MethodIx) -> Option<&Method> {
        self.methods.get(method.0)
    }

    pub(crate) fn get_mut(&mut self, method: MethodIx) -> Option<&mut Method> {
        self.methods.get_mut(method.0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (MethodIx, &Method)> {
        self.methods.iter().enumerate().map(|(index, method)| (MethodIx(index), method))
    }

    /// The methods whose gates should be open.
    pub(crate) fn measured_methods(&self) -> &BTreeSet<MethodIx> {
        &self.measured_methods
    }

    /// Rises whenever it changes which methods should have probes.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    pub(crate) fn len(&self) -> usize {
        self.methods.len()
    }

    /// Number of distinct classes.
    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    /// Units that are measured.
    pub(crate) fn measured(&self) -> usize {
        self.measured
    }

    /// Units with a method that is not finished.
    pub(crate) fn unfinished(&self) -> usize {
        self.unfinished
    }

    /// The methods of each unit.
    pub(crate) fn units(&self) -> impl Iterator<Item = &[MethodIx]> {
        self.units.iter().map(|unit| unit.members.as_slice())
    }

    /// The methods of a unit that are not finished.
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

    /// Whether the method is finished; one that does not exist never delivers, as a finished one.
    pub(crate) fn is_finished(&self, method: MethodIx) -> bool {
        self.get(method).is_none_or(|method| method.status == Status::Finished)
    }

    /// Moves a method to another status. A finished method stays finished.
    pub(crate) fn set_status(&mut self, method: MethodIx, status: Status) {
        let lost = self.dropped_of_unknown;
        let index = method;
        let Some(method) = self.methods.get_mut(method.0) else { return };
        let old = method.status;
        if old == Status::Finished || old == status {
            return;
        }
        method.status = status;
        if status == Status::Measured {
            self.measured_methods.insert(index);
        } else {
            self.measured_methods.remove(&index);
        }
        self.revision += u64::from(old.is_active() != status.is_active() || status == Status::Finished);
        let unit = &mut self.units[method.unit];
        let was_active = unit.active > 0;
        unit.active -= usize::from(old.is_active());
        unit.active += usize::from(status.is_active());
        unit.unfinished -= usize::from(status == Status::Finished);
        self.measured = self.measured - usize::from(was_active) + usize::from(unit.active > 0);
        self.unfinished -= usize::from(status == Status::Finished && unit.unfinished == 0);
        if status.is_active() && !old.is_active() {
            self.turns += 1;
            method.turn = self.turns;
            method.dropped_before.get_or_insert(lost);
        }
    }

    /// Every method of these methods' classes starts its warm-up anew, and its gate opens no sooner than at this time: a changed
    /// class loses its compiled code.
    pub(crate) fn cool_down_classes_of<'a>(
        &mut self,
        changed: impl Iterator<Item = &'a MethodIx>,
        opens_at_ns: u64,
    ) {
        let mut touched = vec![false; self.classes];
        for method in changed.filter_map(|&method| self.get(method)) {
            touched[method.class] = true;
        }
        self.methods
            .iter_mut()
            .filter(|method| touched[method.class])
            .for_each(|method| method.cool_down(opens_at_ns));
    }

    /// Notes why a method can't be measured.
    pub(crate) fn set_missing(&mut self, method: MethodIx, why: NotEvaluated) {
        if let Some(method) = self.methods.get_mut(method.0) {
            method.missing = Some(why);
        }
    }

    /// Counts a sample that was discarded.
    pub(crate) fn discard_sample(&mut self, method: MethodIx) {
        if let Some(method) = self.methods.get_mut(method.0) {
            method.discarded = method.discarded.saturating_add(1);
        }
    }

    /// Counts lost samples.
    pub(crate) fn drop_samples(&mut self, method: Option<MethodIx>, count: u64) {
        match method {
            None => self.dropped_of_unknown = self.dropped_of_unknown.saturating_add(count),
            Some(method) => {
                if let Some(method) = self.methods.get_mut(method.0) {
                    method.dropped = method.dropped.saturating_add(count);
                }
            }
        }
    }

    /// Samples of these methods that were lost, those of unknown methods since the first of them was measured included.
    pub(crate) fn dropped_of(&self, methods: &[MethodIx]) -> u64 {
        let distinct = methods.iter().collect::<BTreeSet<_>>();
        let methods = || distinct.iter().filter_map(|&&method| self.get(method));
        let own = methods().fold(0_u64, |sum, method| sum.saturating_add(method.dropped));
        let before = methods().filter_map(|method| method.dropped_before).min();
        own.saturating_add(before.map_or(0, |before| self.dropped_of_unknown - before))
    }
}
