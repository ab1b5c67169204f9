//! Methods that are not called hold no place: they listen, and a call gives them one.
//!
//! A method that listens has its probes in and its gate open for a few calls. A method that is never called
//! costs the program nothing there, so any number of methods may listen at once. The law's places are for
//! methods that are called. Three rules move the methods, where [`Settings::listening`](crate::Settings) is
//! set and no windows are used:
//!
//! - Methods without a place begin to listen, some classes at a time, because each change of classes disturbs
//!   the program. All methods of a class begin together, so that the class changes once.
//! - A measured method without a call for [`SILENT_NS`] listens, if another method waits for its place.
//! - A measured method that has had a place for [`SHARE_NS`] is suspended, if another method waits for it.
//!   The method that had a place for the shortest time comes next; of equal ones a method that was heard comes
//!   before one that was never measured.

use crate::roster::Roster;
use crate::standing::{Standing, Status};
use crate::{Action, Cause, MethodIx, Paired, Scheduler};

/// Time that a measured method may be silent while another one waits, nanoseconds. A method that is called
/// once a second or more often keeps its place for its whole share.
const SILENT_NS: u64 = 1_000_000_000;
/// Time that a method has a place while another one waits, nanoseconds; the same as that of a group.
const SHARE_NS: u64 = Paired::SHARE_NS;
/// Shortest time between two such changes, nanoseconds.
const PACE_NS: u64 = 1_000_000_000;
/// Calls after which the gate of a listening method closes. All methods may be called at once, and these
/// calls of a thousand methods then cost less than a millisecond.
pub(crate) const HEARD_CALLS: u64 = 10;

impl Scheduler {
    /// Whether methods listen here.
    pub(crate) fn listens(&self) -> bool {
        self.settings.listening > 0 && self.jvm.rotations.is_empty() && self.jvm.last_receipt_ns.is_some()
    }

    /// Gives the places of silent methods, and of methods that have had their share, to waiting ones.
    pub(crate) fn yield_places(&mut self) {
        if !self.listens() {
            return;
        }
        // A method that yields waits in its turn; another one need not yield for it.
        let mut wanted = self.jvm.roster.waiting().count();
        let measured: Vec<MethodIx> = self.jvm.roster.measured_methods().iter().copied().collect();
        for method in measured {
            if wanted == 0 {
                break;
            }
            if self.is_silent(method) {
                self.listen(method, Cause::NotCalled);
            } else if self.has_had_share(method) {
                let busy = self.jvm.budget.is_some_and(|budget| self.jvm.meters.is_busy(method, &budget));
                self.jvm.probes.set_busy(method, busy);
                self.set_status(method, Status::Suspended);
                self.decide(Action::Suspend(method), Cause::PlaceOver);
            } else {
                continue;
            }
            wanted -= 1;
        }
        self.balance(None);
        self.begin_listening();
    }

    /// Notes that the method was called: it gets a place, or waits for one.
    pub(crate) fn heard(&mut self, method: MethodIx) {
        if self.jvm.roster.get(method).is_none_or(|one| one.status != Status::Listening) {
            return;
        }
        if self.jvm.roster.measured() < self.jvm.law.optimal() {
            self.set_status(method, Status::Measured);
            self.decide(Action::Measure(method), Cause::Called);
        } else {
            self.set_status(method, Status::Suspended);
            self.decide(Action::Suspend(method), Cause::Called);
        }
    }

    /// The waiting method that had a place for the shortest time; of equal ones a method that was heard, then
    /// `chosen`.
    pub(crate) fn next_in_turn(&self, chosen: Option<MethodIx>) -> Option<MethodIx> {
        let order = |&method: &MethodIx| {
            let one = self.jvm.roster.get(method);
            let is_new = one.is_some_and(|one| one.status == Status::Waiting);
            (one.map(|one| one.served_ns), is_new, Some(method) != chosen, method)
        };
        self.jvm.roster.waiting().min_by_key(order)
    }

    fn is_silent(&self, method: MethodIx) -> bool {
        let opening = self.jvm.gates.open.get(&method);
        opening.is_some_and(|one| one.taken == 0 && self.now_ns.saturating_sub(one.since_ns) >= SILENT_NS)
    }

    fn has_had_share(&self, method: MethodIx) -> bool {
        let served = self.jvm.roster.get(method).and_then(|one| one.served_from_ns);
        served.is_some_and(|from_ns| self.now_ns.saturating_sub(from_ns) >= SHARE_NS)
    }

    fn listen(&mut self, method: MethodIx, cause: Cause) {
        self.set_status(method, Status::Listening);
        // The gate opens again, for fewer calls.
        self.jvm.gates.begin_turn(method);
        self.decide(Action::Listen(method), cause);
    }

    /// Lets the next methods that were never measured listen, unless those before them still wait for their
    /// probes.
    fn begin_listening(&mut self) {
        let paced =
            self.jvm.listening_since_ns.is_some_and(|since| self.now_ns.saturating_sub(since) < PACE_NS);
        let unsettled = |method: &MethodIx| !self.jvm.probes.is_inside(*method);
        let nobody_waits = self.jvm.roster.waiting().next().is_none();
        if nobody_waits || paced || self.jvm.roster.listening_methods().iter().any(unsettled) {
            return;
        }
        let batch = next_batch(&self.jvm.roster, self.settings.listening);
        if !batch.is_empty() {
            self.jvm.listening_since_ns = Some(self.now_ns);
        }
        for method in batch {
            self.listen(method, Cause::NoPlace);
        }
    }
}

/// At least `count` methods that were never measured, in the order of their classes; the last class is whole.
fn next_batch(roster: &Roster, count: usize) -> Vec<MethodIx> {
    let is_new = |(_, one): &(MethodIx, &Standing)| one.status == Status::Waiting;
    let mut new: Vec<(usize, MethodIx)> =
        roster.iter().filter(is_new).map(|(method, one)| (one.class, method)).collect();
    new.sort_unstable();
    let last_class = new.get(count.saturating_sub(1)).map_or(usize::MAX, |&(class, _)| class);
    new.into_iter().take_while(|&(class, _)| class <= last_class).map(|(_, method)| method).collect()
}
