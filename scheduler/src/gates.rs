//! Which gates are open: they follow the decisions of each step, as probes do, but cost nothing to turn.
//!
//! Under a budget a gate takes what the account can pay for and then closes by itself, so that a method that is called
//! millions of times a second costs no more until anybody looks.

use crate::{Action, Budget, Cause, MethodIx, Scheduler};
use spl_model::Sample;
use std::collections::{BTreeMap, BTreeSet};

/// The gates of all methods.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Gates {
    open: BTreeMap<MethodIx, Opening>,
    /// Those of them that may have to close, by what became of them since this was looked at last.
    unsettled: BTreeSet<MethodIx>,
    /// With which method the account's next round begins, lest one is served last for ever.
    first: usize,
}

/// One opening of a gate.
#[derive(Clone, Debug, PartialEq)]
struct Opening {
    every: u32,
    /// Samples after which the gate closes by itself.
    quota: Option<u64>,
    taken: u64,
    /// What the account has set aside for the rest of the quota, picoseconds of CPU time.
    reserved_ps: u128,
    /// First and last end of a sample, nanoseconds of the JVM's clock.
    ends_ns: Option<(u64, u64)>,
    /// When it was opened, nanoseconds of the owner's clock.
    since_ns: u64,
    /// Whether the JVM has to be told again: a new turn begins, or the gate may be closed for all we know.
    stale: bool,
}

impl Opening {
    fn is_spent(&self) -> bool {
        self.quota.is_some_and(|quota| self.taken >= quota)
    }
}

impl Gates {
    /// Whether the gate was opened and not closed since; it may have closed by itself.
    pub(crate) fn is_open(&self, method: MethodIx) -> bool {
        self.open.contains_key(&method)
    }

    /// Since when the gate is open, nanoseconds of the owner's clock; `None` when it is not.
    pub(crate) fn open_since_ns(&self, method: MethodIx) -> Option<u64> {
        self.open.get(&method).map(|opening| opening.since_ns)
    }

    /// A new turn of the method begins.
    pub(crate) fn begin_turn(&mut self, method: MethodIx) {
        if let Some(opening) = self.open.get_mut(&method) {
            opening.stale = true;
            self.unsettled.insert(method);
        }
    }

    /// Samples were lost, and nobody knows whose: a gate may have closed although its samples did not arrive.
    pub(crate) fn distrust(&mut self) {
        for (&method, opening) in self.open.iter_mut().filter(|(_, opening)| opening.quota.is_some()) {
            opening.stale = true;
            self.unsettled.insert(method);
        }
    }

    /// A sample arrived that ended at this time and costs so much. Gives what was set aside for it.
    pub(crate) fn take(&mut self, method: MethodIx, end_ns: u64, cost_ps: u128) -> u128 {
        let Some(opening) = self.open.get_mut(&method) else { return 0 };
        opening.taken = opening.taken.saturating_add(1);
        if opening.is_spent() {
            self.unsettled.insert(method);
        }
        let (first, last) = opening.ends_ns.unwrap_or((end_ns, end_ns));
        opening.ends_ns = Some((first.min(end_ns), last.max(end_ns)));
        let paid = opening.reserved_ps.min(cost_ps);
        opening.reserved_ps -= paid;
        paid
    }
}

impl Scheduler {
    /// Closes what should not be open any more, and learns from what has closed by itself.
    pub(crate) fn close_gates(&mut self) {
        let mut unsettled = self.roster.take_unsettled();
        unsettled.append(&mut self.gates.unsettled);
        for method in unsettled {
            let wanted = self.is_wanted(method);
            let Some(opening) = self.gates.open.get(&method) else { continue };
            // With windows, one that has taken enough waits for its next turn.
            let spent = opening.is_spent();
            if wanted && !opening.stale && !(spent && self.rotations.is_empty()) {
                continue;
            }
            if spent {
                self.meters.spent(method, opening.every, opening.taken, opening.ends_ns);
            }
            self.forget_gate(method);
            if !wanted {
                self.shut_gate(method);
            }
        }
    }

    /// Opens what should be open and can be paid for; also what is to be sampled otherwise than before.
    pub(crate) fn open_gates(&mut self) {
        if self.settings.budget.is_some() {
            let is_other = |(method, opening): (&MethodIx, &Opening)| {
                (opening.quota.is_none() || opening.every != self.meters.every(*method)).then_some(*method)
            };
            let others: Vec<MethodIx> = self.gates.open.iter().filter_map(is_other).collect();
            others.into_iter().for_each(|method| self.forget_gate(method));
        }
        // No gate is open but those of measured methods.
        if self.gates.open.len() == self.roster.measured_methods().len() {
            return;
        }
        let measured = self.roster.measured_methods().iter().copied();
        let mut closed: Vec<MethodIx> = measured.filter(|&method| self.should_open(method)).collect();
        let later = closed.partition_point(|method| method.0 < self.gates.first);
        closed.rotate_left(later);
        for (served, &method) in closed.iter().enumerate() {
            if !self.open_gate(method, closed.len() - served) {
                self.gates.first = method.0;
                for &unpaid in &closed[served..] {
                    self.roster.get_mut(unpaid).into_iter().for_each(|method| method.unpaid = true);
                }
                break;
            }
        }
    }

    /// Where no gate was open up to now, for want of money or of probes, silence says nothing about the program.
    pub(crate) fn excuse_silence(&mut self) {
        let measures = !self.roster.measured_methods().is_empty();
        if measures && self.gates.open.is_empty() && self.last_receipt_ns.is_some() {
            self.last_receipt_ns = Some(self.now_ns);
        }
    }

    fn forget_gate(&mut self, method: MethodIx) {
        if let Some(opening) = self.gates.open.remove(&method) {
            self.meters.closed(method);
            self.meters.pay_back(opening.reserved_ps);
            if let Some(method) = self.roster.get_mut(method) {
                method.open_ns = method.open_ns.saturating_add(self.now_ns.saturating_sub(opening.since_ns));
            }
        }
    }

    fn shut_gate(&mut self, method: MethodIx) {
        let Some(one) = self.roster.get_mut(method) else { return };
        one.closings = one.closings.saturating_add(1);
        let (unit, closings) = (one.unit, one.closings);
        if let Some(rotation) = self.rotations.get_mut(unit) {
            rotation.gate_closed(method, closings);
        }
        self.decide(Action::Close(method), Cause::Applied);
    }

    fn is_wanted(&self, method: MethodIx) -> bool {
        self.roster.measured_methods().contains(&method)
            && self.probes.is_inside(method)
            && self.roster.get(method).is_some_and(|one| one.opens_at_ns <= self.now_ns)
    }

    fn should_open(&self, method: MethodIx) -> bool {
        self.is_wanted(method) && !self.gates.is_open(method)
    }

    /// Opens a gate if there is something to pay for it, when as many wait for a share; `false` if not.
    fn open_gate(&mut self, method: MethodIx, waiting: usize) -> bool {
        let every = self.meters.every(method);
        let (mut quota, mut reserved_ps) = (self.settings.turn_quota(), 0);
        if let Some(budget) = self.settings.budget {
            let counted = self.roster.get(method).map_or(0, |method| method.counted);
            let needed =
                quota.unwrap_or_else(|| self.settings.effective_max().saturating_sub(counted).max(1));
            let Some((samples, cost_ps)) = self.meters.buy(method, needed, waiting, &budget) else {
                return false;
            };
            (quota, reserved_ps) = (Some(samples), cost_ps);
        }
        let since_ns = self.now_ns;
        let opening = Opening { every, quota, taken: 0, reserved_ps, ends_ns: None, since_ns, stale: false };
        self.gates.open.insert(method, opening);
        if let Some(method) = self.roster.get_mut(method) {
            method.openings = method.openings.saturating_add(1);
        }
        self.meters.opened(method);
        let unit = self.roster.get(method).map_or(0, |method| method.unit);
        if let (Some(rotation), Some(quota)) = (self.rotations.get_mut(unit), quota) {
            rotation.gate_opened(method, quota);
        }
        self.decide(Action::Open { method, every, quota }, Cause::Applied);
        true
    }

    /// Counts a sample: its calls for the rate, its cost for the account.
    pub(crate) fn meter(&mut self, method: MethodIx, sample: &Sample) {
        let every = self.meters.every(method);
        let size_ps = self.settings.budget.map_or(0, |budget| budget.size_ps(&sample.size));
        let cost_ps =
            self.settings.budget.map_or(0, |budget: Budget| budget.cost_ps(every).saturating_add(size_ps));
        let paid = self.gates.take(method, sample.end_ns(), cost_ps);
        self.meters.weigh(method, size_ps);
        self.meters.bill(method, cost_ps.saturating_sub(size_ps), size_ps);
        self.meters.count(method, 1);
        self.meters.charge(cost_ps - paid);
        self.meters.assume_agent(self.settings.budget.map_or(0, |budget| u128::from(budget.agent_cost_ps)));
    }
}
