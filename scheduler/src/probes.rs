//! Methods whose probes are in: changes of classes are slow and disturbing, gates are not.
//!
//! Changing a class discards its compiled code and stops the program for a moment, so changes are gathered.
//! Changes of one event are always merged. Settings add a cap per minute, probes that go in ahead for waiting
//! methods, and probes that stay in suspended and finished methods for a while. Gates alone then follow the
//! alternation of adding and suspending. Where each change of a class costs the program memory that is never
//! freed, because the class has many lambdas, its methods get their probes together and keep them to the end.

use crate::pace::Pace;
use crate::roster::Roster;
use crate::standing::{Standing, Status};
use crate::{MethodIx, Settings};
use std::collections::{BTreeSet, VecDeque};

/// The span over which `changes_per_minute` counts.
const MINUTE_NS: u64 = 60_000_000_000;

/// The methods whose probes are in, or were requested.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Probes {
    inside: Vec<bool>,
    /// Methods whose classes should change as seldom as possible.
    dear: Vec<bool>,
    /// Methods that are called so often that a closed gate costs too much.
    busy: Vec<bool>,
    /// Time since which a method is suspended or finished, as seen at the end of an event.
    idle_since_ns: Vec<Option<u64>>,
    /// Revision of the roster and the time of the next due change, if nothing was due; `None` where something
    /// was.
    settled: Option<(u64, u64)>,
    /// Times of the changes in the last minute, kept only under a cap; at most the cap's number.
    recent_ns: VecDeque<u64>,
    pace: Pace,
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
            dear: vec![false; methods],
            busy: vec![false; methods],
            idle_since_ns: vec![None; methods],
            settled: None,
            recent_ns: VecDeque::new(),
            pace: Pace::new(),
        }
    }

    pub(crate) fn is_inside(&self, method: MethodIx) -> bool {
        self.inside.get(method.0).copied().unwrap_or(false)
    }

    /// Notes that each change of the method's class costs the program memory that is never freed.
    pub(crate) fn set_dear(&mut self, method: MethodIx) {
        if let Some(dear) = self.dear.get_mut(method.0) {
            *dear = true;
        }
    }

    /// Notes whether the method is called so often that its probes should not stay in behind a closed gate.
    pub(crate) fn set_busy(&mut self, method: MethodIx, busy: bool) {
        if let Some(one) = self.busy.get_mut(method.0) {
            *one = busy;
        }
    }

    /// Notes that a change of classes stopped the program for this time.
    pub(crate) fn took(&mut self, took_ns: u64) {
        self.pace.took(took_ns);
    }

    /// The change that brings the probes in line with the decisions, if one is due. Decisions that cancel
    /// each other out leave nothing to change, so no class is changed twice for one cycle (thesis 3.2.3).
    pub(crate) fn apply(&mut self, roster: &mut Roster, settings: &Settings, now_ns: u64) -> Option<Change> {
        if self.settled.is_some_and(|(revision, until)| revision == roster.revision() && now_ns < until) {
            return None;
        }
        let mut change = Change { instrument: Vec::new(), restore: Vec::new() };
        let is_over = roster.unfinished() == 0;
        for (method, state) in roster.iter() {
            let wanted = self.wanted(method, state.status, is_over, settings, now_ns);
            match (self.inside[method.0], wanted) {
                (false, true) => change.instrument.push(method),
                (true, false) => change.restore.push(method),
                _ => {}
            }
        }
        if !change.instrument.is_empty() {
            self.join(&mut change, roster, settings);
        }
        let nothing = change.instrument.is_empty() && change.restore.is_empty();
        // The last change restores the JVM and is never delayed.
        self.settled = nothing.then(|| (roster.revision(), self.next_due_ns(settings)));
        if nothing || (!is_over && !self.is_due(settings, now_ns)) {
            return None;
        }
        change.instrument.iter().for_each(|method| self.inside[method.0] = true);
        change.restore.iter().for_each(|method| self.inside[method.0] = false);
        if settings.changes_per_minute.is_some() {
            self.recent_ns.push_back(now_ns);
        }
        self.pace.asked(u32::from(!change.instrument.is_empty()) + u32::from(!change.restore.is_empty()));
        let opens_at_ns = now_ns.saturating_add(settings.settle_ns);
        roster.cool_down_classes_of(change.instrument.iter().chain(&change.restore), opens_at_ns);
        Some(change)
    }

    /// Time at which the first of the idle methods' probes come out.
    fn next_due_ns(&self, settings: &Settings) -> u64 {
        let all = self.idle_since_ns.iter().zip(self.inside.iter().zip(&self.dear));
        let first = all.filter_map(|(since, (inside, dear))| since.filter(|_| *inside && !*dear)).min();
        first.map_or(u64::MAX, |since| since.saturating_add(settings.restore_after_ns))
    }

    /// Whether the method's probes should be in at this time.
    fn wanted(
        &mut self,
        method: MethodIx,
        status: Status,
        is_over: bool,
        settings: &Settings,
        now_ns: u64,
    ) -> bool {
        let inside = self.inside[method.0];
        match status {
            Status::Measured | Status::Resting | Status::Listening => {
                self.idle_since_ns[method.0] = None;
                true
            }
            Status::Waiting => inside,
            // The method is measured again soon, and a change of its class would stop the measurement of all
            // its methods for a time.
            Status::Suspended if settings.owner_decides() => inside,
            Status::Suspended
                if settings.listening > 0 && settings.restore_after_ns > 0 && !self.busy[method.0] =>
            {
                inside
            }
            Status::Suspended | Status::Finished => {
                let since = *self.idle_since_ns[method.0].get_or_insert(now_ns);
                let stays = self.dear[method.0] || now_ns.saturating_sub(since) < settings.restore_after_ns;
                inside && !is_over && stays
            }
        }
    }

    /// Joins a change of classes that happens anyway: the probes of the next methods go in, those of finished
    /// ones come out. In a class that should seldom change, the probes of all waiting methods go in with the
    /// first, and those of finished methods come out only then.
    fn join(&self, change: &mut Change, roster: &Roster, settings: &Settings) {
        let class_of = |method: &MethodIx| roster.get(*method).map(|method| method.class);
        let dear: BTreeSet<usize> =
            change.instrument.iter().filter(|method| self.dear[method.0]).filter_map(class_of).collect();
        let joins = |(_, method): &(MethodIx, &Standing)| dear.contains(&method.class);
        let has = |wanted: Status, inside: bool| {
            let of_these = move |(index, method): &(MethodIx, &Standing)| {
                method.status == wanted && self.inside[index.0] == inside
            };
            roster.iter().filter(of_these).map(|(index, _)| index)
        };
        let ahead = settings.instrument_ahead.saturating_sub(has(Status::Waiting, true).count());
        change.instrument.extend(has(Status::Waiting, false).take(ahead));
        let waits = |(index, method): &(MethodIx, &Standing)| {
            method.status == Status::Waiting && !self.inside[index.0]
        };
        change.instrument.extend(roster.iter().filter(joins).filter(waits).map(|(index, _)| index));
        change.instrument.sort_unstable();
        change.instrument.dedup();
        let comes_out = |index: &MethodIx| {
            !self.dear[index.0] || class_of(index).is_some_and(|class| dear.contains(&class))
        };
        change.restore.extend(has(Status::Finished, true).filter(comes_out));
        change.restore.sort_unstable();
        change.restore.dedup();
    }

    fn is_due(&mut self, settings: &Settings, now_ns: u64) -> bool {
        while self.recent_ns.front().is_some_and(|&first| now_ns.saturating_sub(first) >= MINUTE_NS) {
            self.recent_ns.pop_front();
        }
        self.pace.allows(now_ns)
            && settings.changes_per_minute.is_none_or(|cap| self.recent_ns.len() < cap as usize)
    }
}
