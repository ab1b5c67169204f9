//! Cost of probes and of the agent's thread, limited to a share of the program's CPU time
//! (`overhead-budget`).

use crate::cpu::{self, AGENT_THREAD, TICK_NS};
use crate::status::Overhead;
use spl_scheduler::Budget;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Interval between two readings of the program's CPU time.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Interval between two readings of the agent thread's CPU time: short, so that used time is paid for before
/// more is bought.
const LOOK_AT_AGENT_EVERY: Duration = Duration::from_millis(100);
/// Most readings over which CPU time is averaged when a single interval shows few ticks.
const LOOKS: usize = 10;
/// CPU time that is enough to know a program's rate to a tenth.
const ENOUGH_NS: u64 = 10 * TICK_NS;
/// CPU time a second assumed before the first reading: one processor, kept busy.
const ASSUMED_NS_PER_S: u64 = 1_000_000_000;
/// CPU time a second of one processor. Polling for samples costs the agent's thread about the same for few
/// samples as for many. The thread may therefore use the same share of an otherwise unused processor as of
/// the program's CPU time.
const PROCESSOR_NS_PER_S: u64 = 1_000_000_000;
/// CPU time of the agent's thread for one sample, in picoseconds, assumed until it is known.
const ASSUMED_AGENT_PS: u64 = 150_000;
/// Below this number of samples between two readings, the agent thread's CPU time says nothing about the cost
/// of one sample.
const FEW_SAMPLES: u64 = 1000;
/// Below this number of samples polling dominates the agent thread's time. Charging it to samples would raise
/// their price, so fewer would be bought: a feedback loop.
const MANY_SAMPLES: u64 = 20_000;
/// Cost of a sample in picoseconds if the agent could not calibrate: about two clock reads and a store on
/// slow machines.
const ASSUMED_SAMPLE_PS: u64 = 100_000;
/// Cost of a call that an open gate passes over, in picoseconds: a load, a decrement and a branch.
const SKIP_PS: u64 = 2_000;
/// Cost of a call at a closed gate, in picoseconds: a load, a test and a branch. It is 0 to 1.4 ns where the
/// processor has other work to wait for (docs/evaluation/peers.md), and several nanoseconds in the loops of a
/// sort (docs/evaluation/sorting.md).
const CLOSED_PS: u64 = 1_400;
/// Cost of finding all objects that an argument reaches, in picoseconds for each byte of them: an Integer of
/// 16 bytes in a list takes some 20 ns.
const DEEP_PS_PER_BYTE: u64 = 1000;
/// Averaging time of rates: samples reach the controller in batches, and rates are steady over a few batches.
const WINDOW: Duration = Duration::from_millis(500);

/// Watches the program's CPU time.
#[derive(Debug)]
pub struct Cost {
    /// Part of the CPU time, from 0 to 1.
    share: f64,
    /// Whether workload sizes count all reachable objects.
    deep: bool,
    pid: Option<u32>,
    /// Cost of a sample in the program's threads by now, and as the agent measured it, picoseconds.
    sample_ps: u64,
    measured_ps: u64,
    /// Recent cost of a sample in the agent's thread, picoseconds.
    agent_ps: u64,
    /// Times of the last readings, newest last, and the CPU time that they showed.
    looks: VecDeque<(Instant, u64)>,
    /// CPU time at the first reading.
    first_ns: Option<u64>,
    used_ns_per_s: u64,
    /// Cost of calls taken since the last reading, picoseconds.
    taken_ps: u128,
    /// Cost of all calls so far, and the part of it that went into workload sizes, picoseconds.
    total_ps: (u128, u128),
    /// The agent's thread in the program.
    agent: Option<AgentThread>,
    /// Samples that came since the last reading, and the CPU time that the agent's thread used for them,
    /// nanoseconds.
    sent: (u64, u64),
    /// CPU time that the agent's thread used before the last reading.
    agent_ns: u64,
    /// Shares that probes and the agent took between the last two readings. The share of the probes is that
    /// of the program's CPU time; the share of the agent is that of the same or of one processor, the larger
    /// of the two.
    estimated: Option<(f64, f64)>,
}

impl Cost {
    /// Costs of a program that is not there yet. `share` is the part of its CPU time that probes may take;
    /// `deep` says whether workload sizes count all objects that the arguments reach.
    pub fn new(share: f64, deep: bool) -> Self {
        Self {
            share,
            deep,
            pid: None,
            sample_ps: ASSUMED_SAMPLE_PS,
            measured_ps: ASSUMED_SAMPLE_PS,
            agent_ps: ASSUMED_AGENT_PS,
            looks: VecDeque::new(),
            first_ns: None,
            used_ns_per_s: ASSUMED_NS_PER_S,
            taken_ps: 0,
            total_ps: (0, 0),
            agent: None,
            sent: (0, 0),
            agent_ns: 0,
            estimated: None,
        }
    }

    /// A program has connected; its agent measured the cost of a sample.
    pub fn calibrated(&mut self, pid: u32, sample_ps: Option<u64>) {
        *self = Self {
            pid: Some(pid),
            sample_ps: sample_ps.unwrap_or(ASSUMED_SAMPLE_PS),
            measured_ps: sample_ps.unwrap_or(ASSUMED_SAMPLE_PS),
            agent: AgentThread::of(pid),
            total_ps: self.total_ps,
            ..Self::new(self.share, self.deep)
        };
    }

    /// A sample costs this many times as much as when its cost was measured.
    pub fn is_slower(&mut self, times: f64) {
        self.sample_ps = (self.measured_ps as f64 * times) as u64;
    }

    /// Counts `calls` taken calls, one in `every` of those made, each with a workload of `size`.
    pub fn took(&mut self, calls: u64, every: u32, size: u64) {
        let skipped_ps = SKIP_PS.saturating_mul(u64::from(every.saturating_sub(1)));
        let size_ps = if self.deep { DEEP_PS_PER_BYTE.saturating_mul(size) } else { 0 };
        let each_ps = self.sample_ps.saturating_add(skipped_ps).saturating_add(size_ps);
        let [all_ps, sizes_ps] = [each_ps, size_ps].map(|each| u128::from(calls) * u128::from(each));
        self.taken_ps = self.taken_ps.saturating_add(all_ps);
        self.total_ps = (self.total_ps.0.saturating_add(all_ps), self.total_ps.1.saturating_add(sizes_ps));
        self.count_agent(0, calls);
    }

    /// CPU time that the agent's thread used since the last reading, nanoseconds; `None` if the next reading
    /// is not due.
    pub fn agent_used(&mut self, now: Instant) -> Option<u64> {
        let agent = self.agent.as_mut()?;
        if agent.looked.is_some_and(|at| now.saturating_duration_since(at) < LOOK_AT_AGENT_EVERY) {
            return None;
        }
        agent.looked = Some(now);
        let used_ns = cpu::of_thread(&agent.folder)?;
        let cpu_ns = used_ns.saturating_sub(agent.used_ns.replace(used_ns)?);
        self.count_agent(cpu_ns, 0);
        Some(cpu_ns)
    }

    fn count_agent(&mut self, cpu_ns: u64, samples: u64) {
        let (sent, used_ns) = &mut self.sent;
        *sent = sent.saturating_add(samples);
        *used_ns = used_ns.saturating_add(cpu_ns);
    }

    /// Shares that probes and the agent took and may take; `None` before the second reading.
    pub fn overhead(&self) -> Option<Overhead> {
        let (probes, agent) = self.estimated?;
        Some(Overhead { estimated: probes + agent, agent, budget: self.share })
    }

    /// Cost of measured and passed-over calls so far, including their workload sizes, nanoseconds of CPU
    /// time; estimated.
    pub fn probes_ns(&self) -> u64 {
        u64::try_from(self.total_ps.0 / 1000).unwrap_or(u64::MAX)
    }

    /// Part of the probes' cost that went into workload sizes, nanoseconds.
    pub fn sizes_ns(&self) -> u64 {
        u64::try_from(self.total_ps.1 / 1000).unwrap_or(u64::MAX)
    }

    /// CPU time that the agent's thread used, nanoseconds.
    pub fn agent_ns(&self) -> u64 {
        self.agent_ns.saturating_add(self.sent.1)
    }

    /// Share of the program's CPU time that this number of nanoseconds a second makes up.
    #[expect(clippy::cast_precision_loss, reason = "nanoseconds a second of a few hundred processors")]
    pub fn part(&self, ns_per_s: u64) -> f64 {
        ns_per_s as f64 / self.used_ns_per_s as f64
    }

    /// The budget from now on; `None` if the next reading is not due.
    pub fn budget(&mut self, now: Instant) -> Option<Budget> {
        let pid = self.pid?;
        let newest = self.looks.back().copied();
        let passed = newest.map(|(at, _)| now.saturating_duration_since(at));
        if passed.is_some_and(|passed| passed < LOOK_EVERY) {
            return None;
        }
        let used = cpu::of_process(pid)?;
        if let Some(passed) = passed {
            self.used_ns_per_s = self.rate(now, used);
            let [used_ns, processor_ns] = [self.used_ns_per_s, self.used_ns_per_s.max(PROCESSOR_NS_PER_S)]
                .map(|ns_per_s| ns_per_s as f64 * passed.as_secs_f64());
            let probes_ns = self.taken_ps as f64 / 1000.0;
            self.estimated =
                (used_ns > 0.0).then(|| (probes_ns / used_ns, self.sent.1 as f64 / processor_ns));
        }
        self.agent_ns = self.agent_ns();
        let (samples, agent_ns) = std::mem::take(&mut self.sent);
        let newest_ps = agent_ns.saturating_mul(1000) / samples.max(1);
        if samples >= MANY_SAMPLES || (samples >= FEW_SAMPLES && newest_ps < self.agent_ps) {
            // Samples cost a slightly different time in each second, so the price is smoothed.
            self.agent_ps = self.agent_ps.saturating_mul(3).saturating_add(newest_ps) / 4;
        }
        self.taken_ps = 0;
        self.looks.push_back((now, used));
        if self.looks.len() > LOOKS {
            self.looks.pop_front();
        }
        self.first_ns.get_or_insert(used);
        Some(self.of_used())
    }

    /// CPU time that the program used from the first look to the last, nanoseconds.
    pub fn cpu_ns(&self) -> Option<u64> {
        Some(self.looks.back()?.1.saturating_sub(self.first_ns?))
    }

    /// CPU time a second up to `now`, since the newest reading that shows enough ticks less. A program that
    /// waits most of its time uses no tick in most seconds; its budget would otherwise be zero in them.
    fn rate(&self, now: Instant, used_ns: u64) -> u64 {
        let is_enough = |(_, before): &&(Instant, u64)| used_ns.saturating_sub(*before) >= ENOUGH_NS;
        let Some(&(at, before)) = self.looks.iter().rev().find(is_enough).or(self.looks.front()) else {
            return self.used_ns_per_s;
        };
        let passed_ns = now.saturating_duration_since(at).as_nanos().max(1);
        u64::try_from(u128::from(used_ns.saturating_sub(before)) * 1_000_000_000 / passed_ns)
            .unwrap_or(u64::MAX)
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
            agent_cost_ps: self.agent_ps,
            agent_spare_ns_per_s: (PROCESSOR_NS_PER_S.saturating_sub(self.used_ns_per_s) as f64 * self.share)
                as u64,
            skip_cost_ps: SKIP_PS,
            closed_cost_ps: CLOSED_PS,
            size_cost_ps: if self.deep { DEEP_PS_PER_BYTE } else { 0 },
            window_ns: u64::try_from(WINDOW.as_nanos()).unwrap_or(u64::MAX),
            // With a larger interval the calls passed over would cost more than the taken ones: closing the
            // gate costs less.
            max_every: u32::try_from(self.sample_ps.saturating_add(self.agent_ps) / SKIP_PS)
                .unwrap_or(u32::MAX)
                .max(1),
        }
    }
}

/// The agent's thread that takes samples out of the program and sends them, as the kernel shows it.
#[derive(Debug)]
struct AgentThread {
    /// The thread's folder in `/proc`.
    folder: PathBuf,
    looked: Option<Instant>,
    used_ns: Option<u64>,
}

impl AgentThread {
    /// Thread of the process with this id; `None` when it does not exist or is not visible to us.
    fn of(pid: u32) -> Option<Self> {
        let folder = cpu::threads(pid, |name| name == AGENT_THREAD)?.pop()?;
        Some(Self { folder, looked: None, used_ns: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_budget_is_a_share_of_what_the_program_uses() {
        let mut cost = Cost::new(0.01, false);
        assert_eq!(cost.budget(Instant::now()), None, "there is no program");
        cost.calibrated(std::process::id(), Some(40_000));
        let start = Instant::now();
        let first = cost.budget(start).unwrap();
        assert_eq!((first.ceiling_ns_per_s, first.sample_cost_ps), (10_000_000, 40_000));
        assert_eq!(first.agent_spare_ns_per_s, 0, "it keeps one processor busy as far as is known");
        assert_eq!(cost.budget(start + LOOK_EVERY / 2), None);
        cost.took(1000, 3, 5);
        cost.count_agent(6000, 100);
        let later = cost.budget(start + LOOK_EVERY).unwrap();
        assert!(later.ceiling_ns_per_s <= 10_000_000_000, "{later:?}");
        let spare_ns = 10_000_000_u64.saturating_sub(later.ceiling_ns_per_s);
        assert!(later.agent_spare_ns_per_s.abs_diff(spare_ns) <= 1, "{later:?}");
        // This test may use no CPU time at all.
        let used_ns = later.ceiling_ns_per_s as f64 * 100.0;
        if let Some(found) = cost.overhead() {
            let near = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-3, "{found}");
            near(found.agent, 6000.0 / used_ns.max(1e9));
            near(found.estimated - found.agent, 44_000.0 / used_ns);
        }
        cost.count_agent(100, 0);
        assert_eq!(cost.agent_ns(), 6100);
    }

    #[test]
    fn few_ticks_are_counted_over_several_seconds() {
        let (mut cost, start) = (Cost::new(0.01, false), Instant::now());
        let at = |seconds: u64| start + LOOK_EVERY * seconds as u32;
        // One tick in five seconds: most single seconds show none.
        cost.looks = (0..10).map(|second| (at(second), second / 5 * TICK_NS)).collect();
        assert_eq!(cost.rate(at(10), 2 * TICK_NS), 2 * TICK_NS / 10);
        // One second of a program that keeps a processor busy is enough; older readings do not matter.
        assert_eq!(cost.rate(at(10), TICK_NS + 1_000_000_000), 1_000_000_000);
    }

    #[test]
    fn what_a_sample_costs_the_agent_is_learnt_where_there_are_many() {
        let mut cost = Cost::new(0.01, false);
        cost.calibrated(std::process::id(), Some(50_000));
        let start = Instant::now();
        let mut next = [0, 1, 2, 3, 4].map(|n| start + LOOK_EVERY * n).into_iter();
        let mut costs = |cpu_ns, samples| {
            cost.count_agent(cpu_ns, samples);
            let budget = cost.budget(next.next().unwrap()).unwrap();
            (budget.agent_cost_ps, budget.max_every)
        };
        assert_eq!(costs(0, 0), (150_000, 100));
        assert_eq!(costs(0, FEW_SAMPLES - 1), (150_000, 100), "too few to tell");
        assert_eq!(costs(4_000_000, MANY_SAMPLES - 1), (150_000, 100), "much of it was for looking");
        assert_eq!(costs(7_000_000, MANY_SAMPLES), (200_000, 125));
        assert_eq!(costs(0, FEW_SAMPLES), (150_000, 100), "they cost no more than that");
    }

    #[test]
    fn the_agents_thread_is_found_by_its_name() {
        let (ready, started) = std::sync::mpsc::channel();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let work = move || {
            let began = thread_cpu_ns();
            ready.send(()).unwrap();
            // Until the test has looked once; then it works for 30 ms of its own time.
            ended.recv().unwrap();
            while thread_cpu_ns() < began + 30_000_000 {}
            ready.send(()).unwrap();
            let _ = ended.recv();
        };
        let thread = std::thread::Builder::new().name(AGENT_THREAD.to_owned()).spawn(work).unwrap();
        started.recv().unwrap();
        let mut cost = Cost::new(0.01, false);
        cost.calibrated(std::process::id(), None);
        let now = Instant::now();
        assert_eq!(cost.agent_used(now), None, "what came before is not known to have been for us");
        end.send(()).unwrap();
        started.recv().unwrap();
        assert_eq!(cost.agent_used(now + LOOK_AT_AGENT_EVERY / 2), None);
        let used_ns = cost.agent_used(now + LOOK_AT_AGENT_EVERY).unwrap();
        assert!((10_000_000..10_000_000_000).contains(&used_ns), "{used_ns}");
        assert_eq!(cost.agent_ns(), used_ns);
        drop(end);
        thread.join().unwrap();
    }

    /// CPU time of the calling thread.
    fn thread_cpu_ns() -> u64 {
        cpu::of_thread(Path::new("/proc/thread-self")).unwrap()
    }
}
