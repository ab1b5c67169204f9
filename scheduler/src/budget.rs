//! An overhead ceiling. The number of calls to take of each method follows from the cost of a sample and the
//! rate of calls. An account keeps to the ceiling at every rate of calls: it earns the CPU time that
//! measuring may cost and pays for each sample before a gate opens; while it is empty all gates stay closed.
//! The price of a sample includes a guess of the agent thread's CPU time; the difference is settled when that
//! thread has reported its use.

use crate::roster::Roster;
use crate::{Budget, MethodIx};
use spl_model::Size;

const SECOND_NS: u128 = 1_000_000_000;
const PS_PER_NS: u128 = 1000;
/// Unused CPU allowance of the agent's thread is kept for this long; the thread reports about ten times a
/// second.
const SAVED_SPARE_NS: u64 = 1_000_000_000;
/// At most 1/LOOKING of the earned CPU time pays for polling, saved up for at most `SAVED_LOOKING_NS`.
/// Without this cap a slow agent would spend all of it on polling.
const LOOKING: u128 = 2;
const SAVED_LOOKING_NS: u64 = 2_000_000_000;
/// Number of measured rates after which the smoothed rate is that of the program, and not of a moment.
const SURE: u32 = 8;
/// A closed gate that costs more than 1/BUSY of the ceiling is not kept for a method's next turn.
const BUSY: u128 = 20;
/// Attoseconds in a picosecond. The account counts in attoseconds, which keeps rounding out of it: with one
/// nanosecond earned a second, a nanosecond earns one attosecond.
const AS_PER_PS: u128 = 1_000_000;
/// The account holds at most the earnings of this time, or one sample: savings are spent at once, and the
/// program must hardly notice. A turn of some ten microseconds is not noticed either. It may be saved up for
/// where claims are decided by windows, because a gate that closes before its turn is over takes an unfair
/// choice of calls.
const SAVED_NS: u64 = 100_000_000;

/// Costs of the probes, by method, and CPU time that may be spent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Meters {
    meters: Vec<Meter>,
    /// Time at which open time was counted last.
    counted_ns: Option<u64>,
    /// Cost under the newest plan.
    cost_ps_per_s: u128,
    /// Attoseconds of CPU time that may be spent; negative after overspending. `None` before anything was
    /// earned.
    account_as: Option<i128>,
    /// Picoseconds of CPU time that were paid for the agent's thread since its last report.
    agent_paid_ps: u128,
    /// Picoseconds of CPU time that the thread was charged for in addition to these payments, in total.
    agent_extra_ps: u128,
    /// Attoseconds of CPU time that the thread may still take in addition to the account.
    spare_as: u128,
    /// Attoseconds of the account that polling may take; `None` before anything was earned.
    looking_as: Option<u128>,
    /// Largest sampling interval of a measured method, and the highest cost of its sizes.
    dearest_every: u32,
    dearest_size_ps: u128,
    /// Number of samples that may be saved up for, however small the earnings are.
    saved_samples: u64,
}

/// Calls of one method through its open gate.
#[derive(Clone, Debug, PartialEq)]
struct Meter {
    /// Sampling: one call in this number is taken.
    every: u32,
    /// Calls since the last measurement of the rate, including the ones that were passed over.
    calls: u128,
    /// Nanoseconds that the gate was open since then, as far as is known, up to its last opening.
    open_ns: u64,
    /// Time since which the gate is open.
    open_from_ns: Option<u64>,
    calls_per_s: Option<u128>,
    /// Smoothed rate, and the number of measurements in it.
    usual_per_s: u128,
    found: u32,
    /// Whether the warning was sent that the method's closed gate alone costs more than the ceiling.
    told: bool,
    /// Average cost of the sizes of the newest samples, picoseconds; `None` before the first.
    size_ps: Option<u128>,
    /// Total cost of the samples, picoseconds: without their sizes and with the agent's part, and for their
    /// sizes.
    billed_ps: (u128, u128),
}

/// A change of a method's sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thinning {
    pub(crate) method: MethodIx,
    pub(crate) every: u32,
    pub(crate) calls_per_s: u64,
}

/// A method whose closed gate costs more than the ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DearGate {
    pub(crate) method: MethodIx,
    pub(crate) calls_per_s: u64,
    pub(crate) cost_ns_per_s: u64,
}

impl Meter {
    /// Time in which the gate was open, up to now.
    fn open_ns(&self, now_ns: Option<u64>) -> u64 {
        let newest =
            now_ns.zip(self.open_from_ns).map_or(0, |(now_ns, from_ns)| now_ns.saturating_sub(from_ns));
        self.open_ns.saturating_add(newest)
    }

    /// Picoseconds of CPU time that its calls cost in a second while its gate is closed.
    fn closed_ps_per_s(&self, budget: &Budget) -> u128 {
        self.usual_per_s.saturating_mul(u128::from(budget.closed_cost_ps))
    }

    /// Sets the rate of the time up to now; counting for the next rate starts now.
    fn found(&mut self, calls_per_s: u128, now_ns: Option<u64>) {
        self.calls_per_s = Some(calls_per_s);
        // The rate of one moment differs from that of the next: a program has phases.
        let usual = if self.found == 0 { calls_per_s } else { self.usual_per_s };
        self.usual_per_s = (usual.saturating_mul(7).saturating_add(calls_per_s)) / 8;
        self.found = self.found.saturating_add(1);
        (self.calls, self.open_ns) = (0, 0);
        self.open_from_ns = self.open_from_ns.and(now_ns);
    }
}

impl Meters {
    /// Meters for this number of methods; `saved_samples` may be saved up for, however small the earnings
    /// are.
    pub(crate) fn new(methods: usize, saved_samples: u64) -> Self {
        let meter = Meter {
            every: 1,
            calls: 0,
            open_ns: 0,
            open_from_ns: None,
            calls_per_s: None,
            usual_per_s: 0,
            found: 0,
            told: false,
            size_ps: None,
            billed_ps: (0, 0),
        };
        Self {
            meters: vec![meter; methods],
            counted_ns: None,
            cost_ps_per_s: 0,
            account_as: None,
            agent_paid_ps: 0,
            agent_extra_ps: 0,
            spare_as: 0,
            looking_as: None,
            dearest_every: 1,
            dearest_size_ps: 0,
            saved_samples,
        }
    }

    /// Cost of the probes with the newest plan, nanoseconds of CPU time per second.
    pub(crate) fn cost_ns_per_s(&self) -> u64 {
        clamp(self.cost_ps_per_s / PS_PER_NS)
    }

    /// One call in this many is taken.
    pub(crate) fn every(&self, method: MethodIx) -> u32 {
        self.meters.get(method.0).map_or(1, |meter| meter.every)
    }

    /// Takes one call in this many from now on.
    pub(crate) fn set_every(&mut self, method: MethodIx, every: u32) {
        if let Some(meter) = self.meters.get_mut(method.0) {
            meter.every = every;
        }
        self.dearest_every = self.meters.iter().map(|meter| meter.every).max().unwrap_or(1);
    }

    /// Counts samples that arrived or were lost: each stands for the calls passed over since the one before
    /// it.
    pub(crate) fn count(&mut self, method: MethodIx, samples: u64) {
        if let Some(meter) = self.meters.get_mut(method.0) {
            meter.calls = meter.calls.saturating_add(u128::from(samples) * u128::from(meter.every));
        }
    }

    /// Counts lost samples of unknown methods: the busiest lose most, so they are shared out by what arrived.
    pub(crate) fn count_unknown(&mut self, samples: u64, roster: &Roster) {
        let open: Vec<usize> = measured(roster).map(|method| method.0).collect();
        let taken = |meter: &Meter| meter.calls / u128::from(meter.every);
        let total: u128 = open.iter().map(|&index| taken(&self.meters[index])).sum();
        for &index in &open {
            let meter = &mut self.meters[index];
            let share = match total {
                0 => u128::from(samples) / open.len() as u128,
                total => u128::from(samples).saturating_mul(taken(meter)) / total,
            };
            meter.calls = meter.calls.saturating_add(share.saturating_mul(u128::from(meter.every)));
        }
    }

    /// Counts the time up to now and its earnings.
    pub(crate) fn pass_time(&mut self, budget: Option<&Budget>, now_ns: u64) {
        let passed = now_ns.saturating_sub(self.counted_ns.unwrap_or(now_ns));
        self.counted_ns = Some(now_ns);
        if let Some(budget) = budget {
            self.earn(passed, budget);
        }
    }

    /// The gate opens now.
    pub(crate) fn opened(&mut self, method: MethodIx) {
        if let Some(meter) = self.meters.get_mut(method.0) {
            meter.open_from_ns = self.counted_ns;
        }
    }

    /// The gate closes now.
    pub(crate) fn closed(&mut self, method: MethodIx) {
        if let Some(meter) = self.meters.get_mut(method.0) {
            meter.open_ns = meter.open_ns(self.counted_ns);
            meter.open_from_ns = None;
        }
    }

    /// Adds the earnings of a time. The first call fills the account to its maximum.
    pub(crate) fn earn(&mut self, passed_ns: u64, budget: &Budget) {
        let dearest = budget.cost_ps(self.dearest_every).saturating_add(self.dearest_size_ps);
        let saved_ps = dearest.saturating_mul(u128::from(self.saved_samples));
        let most = signed(budget.earned_as(SAVED_NS).max(saved_ps.saturating_mul(AS_PER_PS)));
        let spare = |passed_ns: u64| u128::from(budget.agent_spare_ns_per_s) * u128::from(passed_ns);
        self.spare_as = self.spare_as.saturating_add(spare(passed_ns)).min(spare(SAVED_SPARE_NS));
        let most_looking = budget.earned_as(SAVED_LOOKING_NS) / LOOKING;
        let looking = self.looking_as.unwrap_or(most_looking);
        self.looking_as =
            Some(looking.saturating_add(budget.earned_as(passed_ns) / LOOKING).min(most_looking));
        let earned = signed(budget.earned_as(passed_ns));
        self.account_as = Some(self.account_as.map_or(most, |now| now.saturating_add(earned).min(most)));
    }

    /// Pays for a sample without a reservation.
    pub(crate) fn charge(&mut self, cost_ps: u128) {
        self.account_as = self.account_as.map(|now| now.saturating_sub(attoseconds(cost_ps)));
    }

    /// Takes back an unused reservation.
    pub(crate) fn pay_back(&mut self, reserved_ps: u128) {
        self.account_as = self.account_as.map(|now| now.saturating_add(attoseconds(reserved_ps)));
    }

    /// Notes that a sample was paid for, including this amount for the agent's thread.
    pub(crate) fn assume_agent(&mut self, paid_ps: u128) {
        self.agent_paid_ps = self.agent_paid_ps.saturating_add(paid_ps);
    }

    /// Settles the CPU time that the agent's thread used since its last report. Pays the debt as far as it is
    /// not spare and leaves enough for samples, or takes back an overpayment.
    pub(crate) fn settle_agent(&mut self, used_ns: u128) {
        let used_ps = used_ns.saturating_mul(PS_PER_NS);
        let paid_ps = std::mem::take(&mut self.agent_paid_ps);
        let owed_ps = used_ps.saturating_sub(paid_ps);
        let spared_ps = owed_ps.min(self.spare_as / AS_PER_PS);
        self.spare_as -= spared_ps * AS_PER_PS;
        let looking = self.looking_as.get_or_insert(0);
        let charged_ps = (owed_ps - spared_ps).min(*looking / AS_PER_PS);
        *looking -= charged_ps * AS_PER_PS;
        self.charge(charged_ps);
        self.agent_extra_ps = self.agent_extra_ps.saturating_add(charged_ps);
        self.pay_back(paid_ps.saturating_sub(used_ps));
    }

    /// Reserves CPU time for at most `needed` samples: an equal share of the account while this number of
    /// gates is `waiting`. Gives the number of samples and their cost; `None` when the account cannot pay for
    /// one.
    pub(crate) fn buy(
        &mut self,
        method: MethodIx,
        needed: u64,
        waiting: usize,
        budget: &Budget,
    ) -> Option<(u64, u128)> {
        let Meter { every, size_ps, .. } = *self.meters.get(method.0)?;
        // The cost of a method's sizes is known after its first sample.
        let needed = if budget.size_cost_ps > 0 && size_ps.is_none() { 1 } else { needed };
        let account = u128::try_from(self.account_as?).ok()? / AS_PER_PS;
        let cost_ps = budget.cost_ps(every).saturating_add(size_ps.unwrap_or(0)).max(1);
        let share = (account / waiting.max(1) as u128 / cost_ps).max(1).min(u128::from(needed));
        let bought_ps = share.saturating_mul(cost_ps);
        (bought_ps <= account).then(|| {
            self.charge(bought_ps);
            (clamp(share), bought_ps)
        })
    }

    /// Takes the cost of a sample's size into the average.
    pub(crate) fn weigh(&mut self, method: MethodIx, size_ps: u128) {
        if let Some(meter) = self.meters.get_mut(method.0) {
            meter.size_ps = Some(
                meter.size_ps.map_or(size_ps, |old| (old.saturating_mul(7).saturating_add(size_ps)) / 8),
            );
        }
    }

    /// Adds the cost of a sample to the bill of its method: the call without its size, and the size.
    pub(crate) fn bill(&mut self, method: MethodIx, call_ps: u128, size_ps: u128) {
        if let Some(Meter { billed_ps: (calls, sizes), .. }) = self.meters.get_mut(method.0) {
            *calls = calls.saturating_add(call_ps);
            *sizes = sizes.saturating_add(size_ps);
        }
    }

    /// Cost of each method's samples so far, nanoseconds of CPU time: without their sizes, and for the sizes.
    pub(crate) fn bills_ns(&self) -> impl Iterator<Item = (MethodIx, u64, u64)> {
        let bill = |(index, meter): (usize, &Meter)| {
            let (calls, sizes) = meter.billed_ps;
            (MethodIx(index), clamp(calls / PS_PER_NS), clamp(sizes / PS_PER_NS))
        };
        self.meters.iter().enumerate().map(bill)
    }

    /// CPU time of the agent's thread that the samples did not pay for, nanoseconds.
    pub(crate) fn agent_extra_ns(&self) -> u64 {
        clamp(self.agent_extra_ps / PS_PER_NS)
    }

    /// Finds the rate of a gate that closed by itself. The time of its closing is unknown, but the time
    /// between the ends of its first and its last sample gives the rate at once, however short it was.
    pub(crate) fn spent(&mut self, method: MethodIx, every: u32, taken: u64, ends_ns: Option<(u64, u64)>) {
        let now_ns = self.counted_ns;
        let Some(meter) = self.meters.get_mut(method.0) else { return };
        let Some((first, last)) = ends_ns.filter(|(first, last)| first < last) else { return };
        let calls = u128::from(taken - 1) * u128::from(every);
        meter.found(calls.saturating_mul(SECOND_NS) / u128::from(last - first), now_ns);
    }

    /// Finds the rates of methods that were open for a whole window.
    pub(crate) fn find_rates(&mut self, roster: &Roster, budget: &Budget) {
        for method in measured(roster) {
            let meter = &mut self.meters[method.0];
            let open_ns = meter.open_ns(self.counted_ns);
            if open_ns < budget.window_ns.max(1) {
                continue;
            }
            meter.found(meter.calls.saturating_mul(SECOND_NS) / u128::from(open_ns), self.counted_ns);
        }
    }

    /// Measured methods whose calls cost more than the ceiling even while their gates are closed; each once.
    pub(crate) fn dear_gates(&mut self, roster: &Roster, budget: &Budget) -> Vec<DearGate> {
        let ceiling = u128::from(budget.ceiling_ns_per_s) * PS_PER_NS;
        let mut dear = Vec::new();
        for method in measured(roster) {
            let meter = &mut self.meters[method.0];
            let cost = meter.closed_ps_per_s(budget);
            if cost > ceiling && meter.found >= SURE && !std::mem::replace(&mut meter.told, true) {
                let (calls_per_s, cost_ns_per_s) = (clamp(meter.usual_per_s), clamp(cost / PS_PER_NS));
                dear.push(DearGate { method, calls_per_s, cost_ns_per_s });
            }
        }
        dear
    }

    /// Picoseconds of CPU time: what calls at the closed gates of measured methods cost in a second, and what the samples that
    /// these methods still need will cost. Only methods whose rate is known are in it.
    pub(crate) fn outlook(
        &self,
        roster: &Roster,
        budget: &Budget,
        needed: impl Fn(MethodIx) -> u64,
    ) -> (u128, u128) {
        let (mut closed, mut ahead) = (0_u128, 0_u128);
        for method in measured(roster) {
            let meter = &self.meters[method.0];
            if meter.found >= SURE {
                closed = closed.saturating_add(meter.closed_ps_per_s(budget));
                let each = budget.cost_ps(meter.every).saturating_add(meter.size_ps.unwrap_or(0));
                ahead = ahead.saturating_add(each.saturating_mul(u128::from(needed(method))));
            }
        }
        (closed, ahead)
    }

    /// Whether calls of the method cost more than a part of the ceiling even while its gate is closed.
    pub(crate) fn is_busy(&self, method: MethodIx, budget: &Budget) -> bool {
        let part = u128::from(budget.ceiling_ns_per_s) * PS_PER_NS / BUSY;
        self.meters.get(method.0).is_some_and(|meter| meter.closed_ps_per_s(budget) > part)
    }

    /// Shares the ceiling among the measured methods; the unused part of a rare method's share goes to the
    /// others. A method whose rate is not known yet keeps its whole share. Where even the largest sampling
    /// interval costs too much, the account closes gates for a time.
    pub(crate) fn plan(&mut self, roster: &Roster, budget: &Budget) -> Vec<Thinning> {
        let ceiling = u128::from(budget.ceiling_ns_per_s) * PS_PER_NS;
        let mut methods: Vec<MethodIx> = measured(roster).collect();
        methods.sort_by_key(|method| (self.meters[method.0].calls_per_s, *method));
        let (mut free, mut cost, mut thinned) = (ceiling, 0_u128, Vec::new());
        for (done, &method) in methods.iter().enumerate() {
            let share = free / (methods.len() - done) as u128;
            let meter = &mut self.meters[method.0];
            let Some(rate) = meter.calls_per_s else {
                free -= share;
                continue;
            };
            let every = every_for(rate, share, budget);
            let spent = cost_of(rate, every, budget);
            free = free.saturating_sub(spent);
            cost = cost.saturating_add(spent);
            if every != meter.every {
                meter.every = every;
                thinned.push(Thinning { method, every, calls_per_s: clamp(rate) });
            }
        }
        self.cost_ps_per_s = cost;
        self.dearest_every = methods.iter().map(|method| self.meters[method.0].every).max().unwrap_or(1);
        self.dearest_size_ps =
            methods.iter().filter_map(|method| self.meters[method.0].size_ps).max().unwrap_or(0);
        thinned
    }
}

fn measured(roster: &Roster) -> impl Iterator<Item = MethodIx> {
    roster.measured_methods().iter().copied()
}

/// The smallest power of two N at which taking one call in N stays within the share, at most `max_every`.
/// Powers of two keep small changes of the rate from changing it.
fn every_for(rate: u128, share: u128, budget: &Budget) -> u32 {
    let mut every = 1_u32;
    while cost_of(rate, every, budget) > share && every <= budget.max_every / 2 {
        every *= 2;
    }
    every
}

/// Picoseconds of CPU time per second.
fn cost_of(rate: u128, every: u32, budget: &Budget) -> u128 {
    rate.saturating_mul(budget.cost_ps(every)) / u128::from(every)
}

impl Budget {
    /// A sample with the calls that are passed over for it and the agent's work, picoseconds of CPU time.
    pub(crate) fn cost_ps(&self, every: u32) -> u128 {
        u128::from(self.sample_cost_ps)
            + u128::from(self.agent_cost_ps)
            + u128::from(self.skip_cost_ps) * u128::from(every.saturating_sub(1))
    }

    /// Cost of finding this size, picoseconds of CPU time.
    pub(crate) fn size_ps(&self, size: &Size) -> u128 {
        match size {
            Size::Value(value) => u128::from(*value) * u128::from(self.size_cost_ps),
            Size::Unchecked | Size::Label(_) => 0,
        }
    }

    /// Earnings of a time, attoseconds of CPU time.
    fn earned_as(&self, passed_ns: u64) -> u128 {
        u128::from(self.ceiling_ns_per_s) * u128::from(passed_ns)
    }
}

fn attoseconds(picoseconds: u128) -> i128 {
    signed(picoseconds.saturating_mul(AS_PER_PS))
}

fn signed(value: u128) -> i128 {
    i128::try_from(value).unwrap_or(i128::MAX)
}

fn clamp(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(ceiling_ns_per_s: u64, max_every: u32) -> Budget {
        Budget {
            ceiling_ns_per_s,
            sample_cost_ps: 30_000,
            agent_cost_ps: 10_000,
            agent_spare_ns_per_s: 0,
            skip_cost_ps: 1000,
            closed_cost_ps: 1000,
            size_cost_ps: 0,
            window_ns: 1,
            max_every,
        }
    }

    #[test]
    fn sampling_is_thinned_until_it_fits() {
        // Calls per second, share in ns per second, N; a sample costs 40 ns, a call passed over 1 ns.
        let check = |rate: u128, share_ns: u128, max_every: u32, expected: u32| {
            let every = every_for(rate, share_ns * PS_PER_NS, &budget(0, max_every));
            assert_eq!(every, expected, "{rate} calls/s, {share_ns} ns/s");
        };
        check(0, 0, 1024, 1);
        check(100, 4000, 1024, 1);
        check(100, 3999, 1024, 2);
        // N=2: 20.5 ns a call; N=4: 10.75; N=8: 5.875.
        check(1000, 20_500, 1024, 2);
        check(1000, 20_499, 1024, 4);
        check(1000, 5875, 1024, 8);
        check(1000, 5874, 1024, 16);
        // Passing over alone costs more than the share.
        check(1000, 900, 1024, 1024);
        check(1000, 900, 1000, 512);
        check(1000, 900, 0, 1);
        check(u128::MAX, 1, u32::MAX, 1 << 31);
    }
}
