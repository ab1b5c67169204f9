//! What probes may cost the program: a share of the CPU time that it uses (`overhead-budget`).

use crate::status::Overhead;
use spl_scheduler::Budget;
use std::fs;
use std::time::{Duration, Instant};

/// Between two looks at the program's CPU time.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The kernel's tick in `/proc/PID/stat`: fixed by Linux's ABI on every machine that HotSpot runs on.
const TICK_NS: u64 = 10_000_000;
/// Before the first look: a program that keeps one processor busy.
const ASSUMED_NS_PER_S: u64 = 1_000_000_000;
/// When the agent could not calibrate: about what two clock reads and a store cost on slow machines.
const ASSUMED_SAMPLE_PS: u64 = 100_000;
/// What an open gate costs a call that it passes over: a load, a decrement and a branch.
const SKIP_PS: u64 = 2_000;
/// What it costs to find all objects that an argument reaches, for each byte of them: an Integer of 16 bytes in a list takes
/// some 20 ns.
const DEEP_PS_PER_BYTE: u64 = 1000;
/// Samples reach the controller in batches; over a few of them rates are steady.
const WINDOW: Duration = Duration::from_millis(500);

/// Watches the program's CPU time.
#[derive(Debug)]
pub struct Cost {
    /// Part of the CPU time, from 0 to 1.
    share: f64,
    /// Whether workload sizes are those of all objects that can be reached.
    deep: bool,
    pid: Option<u32>,
    sample_ps: u64,
    looked: Option<(Instant, u64)>,
    /// CPU time at the first look.
    first_ns: Option<u64>,
    used_ns_per_s: u64,
    /// What calls cost that were taken since the last look, picoseconds.
    taken_ps: u128,
    /// Part of the CPU time that those before the last look took.
    estimated: Option<f64>,
}

impl Cost {
    /// Nothing is known of the program yet; `share` of its CPU time may go to probes; `deep` says whether
    /// workload sizes are those of all objects that the arguments reach.
    pub fn new(share: f64, deep: bool) -> Self {
        Self {
            share,
            deep,
            pid: None,
            sample_ps: ASSUMED_SAMPLE_PS,
            looked: None,
            first_ns: None,
            used_ns_per_s: ASSUMED_NS_PER_S,
            taken_ps: 0,
            estimated: None,
        }
    }

    /// A program is there, whose agent found what a measured call costs.
    pub fn calibrated(&mut self, pid: u32, sample_ps: Option<u64>) {
        *self = Self {
            pid: Some(pid),
            sample_ps: sample_ps.unwrap_or(ASSUMED_SAMPLE_PS),
            ..Self::new(self.share, self.deep)
        };
    }

    /// Calls were taken, one of `every` that were made, each with a workload of `size`.
    pub fn took(&mut self, calls: u64, every: u32, size: u64) {
        let skipped_ps = SKIP_PS.saturating_mul(u64::from(every.saturating_sub(1)));
        let size_ps = if self.deep { DEEP_PS_PER_BYTE.saturating_mul(size) } else { 0 };
        let each_ps = self.sample_ps.saturating_add(skipped_ps).saturating_add(size_ps);
        self.taken_ps = self.taken_ps.saturating_add(u128::from(calls) * u128::from(each_ps));
    }

    /// What probes took and may take; `None` before there was a second look.
    pub fn overhead(&self) -> Option<Overhead> {
        Some(Overhead { estimated: self.estimated?, budget: self.share })
    }

    /// The budget as it is from now on, now and then.
    pub fn budget(&mut self, now: Instant) -> Option<Budget> {
        let pid = self.pid?;
        let passed = self.looked.map(|(at, _)| now.saturating_duration_since(at));
        if passed.is_some_and(|passed| passed < LOOK_EVERY) {
            return None;
        }
        let used = cpu_time_ns(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?;
        if let (Some(passed), Some((_, before))) = (passed, self.looked) {
            let used = u128::from(used.saturating_sub(before)) * 1_000_000_000 / passed.as_nanos().max(1);
            self.used_ns_per_s = u64::try_from(used).unwrap_or(u64::MAX);
            let used_ps = self.used_ns_per_s as f64 * passed.as_secs_f64() * 1000.0;
            self.estimated = (used_ps > 0.0).then(|| self.taken_ps as f64 / used_ps);
        }
        self.taken_ps = 0;
        self.looked = Some((now, used));
        self.first_ns.get_or_insert(used);
        Some(self.of_used())
    }

    /// CPU time that the program used from the first look to the last, nanoseconds.
    pub fn cpu_ns(&self) -> Option<u64> {
        Some(self.looked?.1.saturating_sub(self.first_ns?))
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "nanoseconds a second of a few hundred processors, times a share from 0 to 1"
    )]
    fn of_used(&self) -> Budget {
        Budget {
            ceiling_ns_per_s: (self.used_ns_per_s as f64 * self.share) as u64,
            sample_cost_ps: self.sample_ps,
            skip_cost_ps: SKIP_PS,
            size_cost_ps: if self.deep { DEEP_PS_PER_BYTE } else { 0 },
            window_ns: u64::try_from(WINDOW.as_nanos()).unwrap_or(u64::MAX),
            // Thinner, and calls that are passed over cost more than those that are taken: closing the gate costs less.
            max_every: u32::try_from(self.sample_ps / SKIP_PS).unwrap_or(u32::MAX).max(1),
        }
    }
}

/// User and system time in a process's `stat` (proc(5), fields 14 and 15). Its name, in parentheses, may hold anything.
fn cpu_time_ns(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(ticks()?.saturating_add(ticks()?).saturating_mul(TICK_NS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_time_stands_behind_the_name() {
        let stat = "12 (a ) b) S 1 12 12 0 -1 4194304 1 2 3 4 150 50 7 8 20 0 30 0 100";
        assert_eq!(cpu_time_ns(stat), Some(2_000_000_000));
        assert_eq!(cpu_time_ns("12 (java) S 1"), None);
        assert_eq!(cpu_time_ns(""), None);
    }

    #[test]
    fn a_budget_is_a_share_of_what_the_program_uses() {
        let mut cost = Cost::new(0.01, false);
        assert_eq!(cost.budget(Instant::now()), None, "there is no program");
        cost.calibrated(std::process::id(), Some(40_000));
        let start = Instant::now();
        let first = cost.budget(start).unwrap();
        assert_eq!((first.ceiling_ns_per_s, first.sample_cost_ps), (10_000_000, 40_000));
        assert_eq!(cost.budget(start + LOOK_EVERY / 2), None);
        cost.took(1000, 3, 5);
        let later = cost.budget(start + LOOK_EVERY).unwrap();
        assert!(later.ceiling_ns_per_s <= 10_000_000_000, "{later:?}");
        let used_ns = later.ceiling_ns_per_s * 100;
        let expected = (used_ns > 0).then(|| 1000.0 * 44.0 / used_ns as f64);
        let found = cost.overhead().map(|overhead| overhead.estimated);
        assert!(found == expected || (found.unwrap() / expected.unwrap() - 1.0).abs() < 1e-3, "{found:?}");
    }
}
