//! Gates of methods: they follow the decisions of each step, as probes do, but opening and closing them is
//! cheap.
//!
//! Under a budget a gate takes the calls that the account can pay for and then closes by itself. A method
//! that is called millions of times a second therefore costs no more until the next step.

use crate::gates::Opening;
use crate::listening::HEARD_CALLS;
use crate::windows::Rotation;
use crate::{Action, Budget, Cause, MethodIx, Paired, Scheduler};
use spl_model::Sample;

impl Scheduler {
    /// Closes gates of methods that are not measured now, and learns the rates of gates that closed by
    /// themselves.
    pub(crate) fn close_gates(&mut self) {
        let mut unsettled = self.jvm.roster.take_unsettled();
        unsettled.append(&mut self.jvm.gates.unsettled);
        for method in unsettled {
            let wanted = self.is_wanted(method);
            let Some(opening) = self.jvm.gates.open.get(&method) else { continue };
            // With windows, a gate that has taken its quota waits for its next turn.
            let spent = opening.is_spent();
            if wanted && !opening.stale && !(spent && self.jvm.rotations.is_empty()) {
                continue;
            }
            if spent {
                self.jvm.meters.spent(method, opening.every, opening.taken, opening.ends_ns);
            }
            self.forget_gate(method);
            if !wanted {
                self.shut_gate(method);
            }
        }
    }

    /// Opens the gates that are wanted and can be paid for, and renews those whose sampling changes.
    pub(crate) fn open_gates(&mut self) {
        if self.jvm.budget.is_some() {
            let is_other = |(method, opening): (&MethodIx, &Opening)| {
                (opening.quota.is_none() || opening.every != self.jvm.meters.every(*method))
                    .then_some(*method)
            };
            let others: Vec<MethodIx> = self.jvm.gates.open.iter().filter_map(is_other).collect();
            others.into_iter().for_each(|method| self.forget_gate(method));
        }
        // Only gates of measured and of listening methods are open here.
        let roster = &self.jvm.roster;
        let wanted = roster.measured_methods().len() + roster.listening_methods().len();
        if self.jvm.gates.open.len() == wanted {
            return;
        }
        let measured = roster.measured_methods().iter().copied();
        let mut closed: Vec<MethodIx> = measured.filter(|&method| self.should_open(method)).collect();
        let later = closed.partition_point(|method| method.0 < self.jvm.gates.first);
        closed.rotate_left(later);
        // Listening methods come last: each costs nothing until it is called.
        let listening = roster.listening_methods().iter().copied();
        closed.extend(listening.filter(|&method| self.should_open(method)));
        for (served, &method) in closed.iter().enumerate() {
            if !self.open_gate(method, closed.len() - served) {
                if self.jvm.roster.measured_methods().contains(&method) {
                    self.jvm.gates.first = method.0;
                }
                for &unpaid in &closed[served..] {
                    self.tallies.get_mut(unpaid).into_iter().for_each(|tally| tally.unpaid = true);
                }
                break;
            }
        }
    }

    /// Restarts the time of silence where no gate was open for want of CPU time or probes: such a silence
    /// says nothing about the program.
    pub(crate) fn excuse_silence(&mut self) {
        let measured = self.jvm.roster.measured_methods();
        let is_closed = |method: &MethodIx| !self.jvm.gates.is_open(*method);
        if !measured.is_empty() && measured.iter().all(is_closed) && self.jvm.last_receipt_ns.is_some() {
            self.jvm.last_receipt_ns = Some(self.now_ns);
        }
    }

    fn forget_gate(&mut self, method: MethodIx) {
        if let Some(opening) = self.jvm.gates.open.remove(&method) {
            self.jvm.meters.closed(method);
            self.jvm.meters.pay_back(opening.reserved_ps);
            let open_ns = self.now_ns.saturating_sub(opening.since_ns);
            // A gate with a quota closes with the end of its last call.
            let closed_ns = opening.ends_ns.filter(|_| opening.is_spent()).map(|(_, last)| {
                let since = i128::from(opening.since_ns) + self.jvm.clock_offset_ns;
                u64::try_from(i128::from(last) - since).unwrap_or(0)
            });
            if let Some(method) = self.tallies.get_mut(method) {
                method.open_ns = method.open_ns.saturating_add(open_ns);
                // A gate whose last samples may be lost may have closed at any time.
                if closed_ns.is_some() || !opening.doubted {
                    let looked_ns = closed_ns.map_or(open_ns, |closed_ns| closed_ns.min(open_ns));
                    method.looked_ns = method.looked_ns.saturating_add(looked_ns);
                    let calls = opening.taken.saturating_mul(u64::from(opening.every));
                    method.calls = method.calls.saturating_add(calls);
                }
            }
        }
    }

    fn shut_gate(&mut self, method: MethodIx) {
        let Some(one) = self.jvm.roster.get_mut(method) else { return };
        one.closings = one.closings.saturating_add(1);
        let (unit, closings) = (one.unit, one.closings);
        if let Some(rotation) = self.jvm.rotations.get_mut(unit) {
            rotation.gate_closed(method, closings);
        }
        self.decide(Action::Close(method), Cause::Applied);
    }

    fn is_wanted(&self, method: MethodIx) -> bool {
        let roster = &self.jvm.roster;
        (roster.measured_methods().contains(&method) || roster.listening_methods().contains(&method))
            && self.jvm.probes.is_inside(method)
            && self.jvm.roster.get(method).is_some_and(|one| one.opens_at_ns <= self.now_ns)
    }

    fn should_open(&self, method: MethodIx) -> bool {
        self.is_wanted(method) && !self.jvm.gates.is_open(method)
    }

    /// Number of calls that a gate takes in one turn of a window.
    fn quota(&self, method: MethodIx) -> Option<u64> {
        let rotation = self.jvm.rotations.get(self.unit_of(method));
        let quota = self.settings.turn_quota(rotation.is_some_and(Rotation::is_first));
        quota.map(|quota| if self.jvm.is_cold() { quota.min(Paired::COLD_CALLS) } else { quota })
    }

    /// Opens a gate if the account can pay for a share with this number of gates `waiting`; `false` if not.
    fn open_gate(&mut self, method: MethodIx, waiting: usize) -> bool {
        let every = self.jvm.meters.every(method);
        let listens = self.jvm.roster.listening_methods().contains(&method);
        let (mut quota, mut reserved_ps) = (if listens { Some(HEARD_CALLS) } else { self.quota(method) }, 0);
        if let Some(budget) = self.jvm.budget {
            let counted = self.tallies.counted(method);
            let needed =
                quota.unwrap_or_else(|| self.settings.effective_max().saturating_sub(counted).max(1));
            let Some((samples, cost_ps)) = self.jvm.meters.buy(method, needed, waiting, &budget) else {
                return false;
            };
            (quota, reserved_ps) = (Some(samples), cost_ps);
        }
        let since_ns = self.now_ns;
        let opening = Opening {
            every,
            quota,
            taken: 0,
            reserved_ps,
            ends_ns: None,
            since_ns,
            stale: false,
            doubted: false,
        };
        self.jvm.gates.open.insert(method, opening);
        if let Some(method) = self.tallies.get_mut(method) {
            method.openings = method.openings.saturating_add(1);
        }
        self.jvm.meters.opened(method);
        let Some(one) = self.jvm.roster.get_mut(method) else { return true };
        one.served_from_ns.get_or_insert(since_ns);
        let unit = one.unit;
        if let (Some(rotation), Some(quota)) = (self.jvm.rotations.get_mut(unit), quota) {
            rotation.gate_opened(method, quota);
        }
        self.decide(Action::Open { method, every, quota }, Cause::Applied);
        true
    }

    /// Counts a sample: its calls for the rate, its cost for the account.
    pub(crate) fn meter(&mut self, method: MethodIx, sample: &Sample) {
        let every = self.jvm.meters.every(method);
        let size_ps = self.jvm.budget.map_or(0, |budget| budget.size_ps(&sample.size));
        let cost_ps =
            self.jvm.budget.map_or(0, |budget: Budget| budget.cost_ps(every).saturating_add(size_ps));
        let paid = self.jvm.gates.take(method, sample.end_ns(), cost_ps);
        self.jvm.meters.weigh(method, size_ps);
        self.jvm.meters.bill(method, cost_ps.saturating_sub(size_ps), size_ps);
        self.jvm.meters.count(method, 1);
        self.jvm.meters.charge(cost_ps - paid);
        self.jvm.meters.assume_agent(self.jvm.budget.map_or(0, |budget| u128::from(budget.agent_cost_ps)));
    }
}
