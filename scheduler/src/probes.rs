//! Which methods have their probes in: class changes are slow and disturbing, gates are not.
//!
//! Changing a class throws its compiled code away and stops the program for a moment, so changes are gathered: within
//! one event always, and if asked for over a time, by a cap per minute, and by leaving suspended methods' probes in
//! for a while. Adding and suspending may then alternate as they like; only gates turn.

use crate::method::Status;
use crate::roster::Roster;
use crate::{MethodIx, Settings};
use std::collections::VecDeque;

/// The span over which `changes_per_minute` counts.
const MINUTE_NS: u64 = 60_000_000_000;

/// The methods whose probes are in, or were asked to go in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Probes {
    inside: Vec<bool>,
    /// Since when a method is suspended, as far as the end of an event shows it.
    suspended_since_ns: Vec<Option<u64>>,
    last_change_ns: Option<u64>,
    /// Times of the changes of the last minute, kept only under a cap, at most so many.
    recent_ns: VecDeque<u64>,
}

/// One request to the JVM.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    pub(crate) instrument: Vec<MethodIx>,
    pub(crate) restore: Vec<MethodIx>,
}

impl Probes {
    pub(crate) fn new(methods: usize) -> Self {
        Self {
            inside: vec![false; methods],
            suspended_since_ns: vec![None; methods],
            last_change_ns: None,
            recent_ns: VecDeque::new(),
        }
    }

    pub(crate) fn is_inside(&self, method: MethodIx) -> bool {
        self.inside.get(method.0).copied().unwrap_or(false)
    }

    /// What separates the probes from the decisions, if it is time for a change. Decisions that cancel each other
    /// meanwhile leave nothing, so no class is changed twice for one cycle (thesis 3.2.3).
    pub(crate) fn apply(&mut self, roster: &mut Roster, settings: &Settings, now_ns: u64) -> Option<Change> {
        let mut change = Change { instrument: Vec::new(), restore: Vec::new() };
        for (method, state) in roster.iter() {
            let wanted = self.wanted(method, state.status, settings, now_ns);
            match (self.inside[method.0], wanted) {
                (false, true) => change.instrument.push(method),
                (true, false) => change.restore.push(method),
                _ => {}
            }
        }
        let nothing = change.instrument.is_empty() && change.restore.is_empty();
        // The last change leaves the JVM as it was found: it waits for nothing.
        if nothing || (roster.unfinished() > 0 && !self.is_due(settings, now_ns)) {
            return None;
        }
        change.instrument.iter().for_each(|method| self.inside[method.0] = true);
        change.restore.iter().for_each(|method| self.inside[method.0] = false);
        self.last_change_ns = Some(now_ns);
        if settings.changes_per_minute.is_some() {
            self.recent_ns.push_back(now_ns);
        }
        roster.cool_down_classes_of(change.instrument.iter().chain(&change.restore));
        Some(change)
    }

    fn wanted(&mut self, method: MethodIx, status: Status, settings: &Settings, now_ns: u64) -> bool {
        if status != Status::Suspended {
            self.suspended_since_ns[method.0] = None;
            return status.is_active();
        }
        let since = *self.suspended_since_ns[method.0].get_or_insert(now_ns);
        self.inside[method.0] && now_ns.saturating_sub(since) < settings.restore_after_ns
    }

    fn is_due(&mut self, settings: &Settings, now_ns: u64) -> bool {
        let rested =
            self.last_change_ns.is_none_or(|last| now_ns.saturating_sub(last) >= settings.change_interval_ns);
        while self.recent_ns.front().is_some_and(|&first| now_ns.saturating_sub(first) >= MINUTE_NS) {
            self.recent_ns.pop_front();
        }
        let under_cap = settings.changes_per_minute.is_none_or(|cap| self.recent_ns.len() < cap as usize);
        rested && under_cap
    }
}
