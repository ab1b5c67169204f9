//! Which methods have their probes in: class changes are slow and disturbing, gates are not.

use crate::MethodIx;
use crate::method::Status;
use crate::roster::Roster;

/// The methods whose probes are in, or were asked to go in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Probes {
    inside: Vec<bool>,
}

/// One request to the JVM.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    pub(crate) instrument: Vec<MethodIx>,
    pub(crate) restore: Vec<MethodIx>,
}

impl Probes {
    pub(crate) fn new(methods: usize) -> Self {
        Self { inside: vec![false; methods] }
    }

    /// What separates the probes from the decisions. Decisions that cancel each other within a step leave nothing,
    /// so a class is never changed twice in one step (thesis 3.2.3).
    pub(crate) fn apply(&mut self, roster: &mut Roster) -> Option<Change> {
        let mut change = Change { instrument: Vec::new(), restore: Vec::new() };
        for (method, state) in roster.iter() {
            let wanted = state.status == Status::Measured;
            match (self.inside[method.0], wanted) {
                (false, true) => change.instrument.push(method),
                (true, false) => change.restore.push(method),
                _ => {}
            }
            self.inside[method.0] = wanted;
        }
        if change.instrument.is_empty() && change.restore.is_empty() {
            return None;
        }
        roster.cool_down_classes_of(change.instrument.iter().chain(&change.restore));
        Some(change)
    }
}
