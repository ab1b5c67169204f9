//! The program's own warm-up (`initial-sleep = auto`): it is over when the JVM's compilers have little to do.
//!
//! Code that runs often is compiled first by C1, then by C2. While the compilers are busy, the times of methods still
//! change, and the compilers take processor time from the program. A compiler that waits for a processor has work too.
//! Their threads are seen from outside, in `/proc`: the JVM is not asked, and nothing in it is switched on.

use crate::cpu::{self, AGENT_THREAD};
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Interval between two readings.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Readings that have to show little work, one after the other.
const QUIET_LOOKS: usize = 4;
/// Part of one processor's time below which the compilers' work is little, over these readings: that in which they run or wait for a
/// processor.
const QUIET: f64 = 0.1;
/// Beginnings of the names of HotSpot's compiler threads, as the kernel has them.
const COMPILERS: [&str; 3] = ["C1 Compiler", "C2 Compiler", "JVMCI"];

/// Watches the compilers of a JVM.
#[derive(Debug)]
pub struct Warming {
    pid: u32,
    next: Instant,
    /// Busy time of each compiler thread at the last reading, nanoseconds. The JVM starts and ends such threads
    /// as it needs them.
    used_ns: BTreeMap<PathBuf, u64>,
    /// Times of the last readings, and the time for which the compilers had been busy since the one before,
    /// nanoseconds.
    looks: VecDeque<(Instant, u64)>,
}

impl Warming {
    /// Begins to watch the JVM with this process id; `None` if it cannot be seen from here.
    pub fn of(pid: u32, now: Instant) -> Option<Self> {
        let agents = cpu::threads(pid, |name| name == AGENT_THREAD)?;
        let mut this = Self { pid, next: now, used_ns: BTreeMap::new(), looks: VecDeque::new() };
        (!agents.is_empty() && this.look(now).is_some()).then_some(this)
    }

    /// Time of the next reading.
    pub fn next(&self) -> Instant {
        self.next
    }

    /// Reads if it is due, and says whether the compilers have had little to do for a while. A process that has
    /// gone has no more warm-up.
    pub fn is_over(&mut self, now: Instant) -> bool {
        if now < self.next {
            return false;
        }
        let Some(used_ns) = self.look(now) else { return true };
        self.saw(now, used_ns)
    }

    /// Time for which the compilers were busy since the last reading, nanoseconds.
    fn look(&mut self, now: Instant) -> Option<u64> {
        self.next = now + LOOK_EVERY;
        let is_compiler = |name: &str| COMPILERS.iter().any(|compiler| name.starts_with(compiler));
        let threads = cpu::threads(self.pid, is_compiler)?;
        let used = threads.into_iter().filter_map(|folder| cpu::busy_time(&folder).map(|ns| (folder, ns)));
        let used = used.collect::<BTreeMap<_, _>>();
        let before = |folder| self.used_ns.get(folder).copied().unwrap_or(0);
        let since = used.iter().map(|(folder, ns)| ns.saturating_sub(before(folder))).sum();
        self.used_ns = used;
        if self.looks.is_empty() {
            self.looks.push_back((now, 0));
        }
        Some(since)
    }

    /// Takes a reading. The first one known is where the time begins.
    #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a second on a few hundred processors")]
    fn saw(&mut self, now: Instant, used_ns: u64) -> bool {
        self.looks.push_back((now, used_ns));
        while self.looks.len() > QUIET_LOOKS + 1 {
            self.looks.pop_front();
        }
        let Some(&(since, _)) = self.looks.front().filter(|_| self.looks.len() > QUIET_LOOKS) else {
            return false;
        };
        let used_ns = self.looks.iter().skip(1).map(|(_, ns)| *ns).sum::<u64>();
        used_ns as f64 <= QUIET * now.saturating_duration_since(since).as_nanos() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Milliseconds after which the warm-up is over, if the compilers use these milliseconds between readings.
    fn over(used_ms: &[u64]) -> Option<u64> {
        let began = Instant::now();
        let looks = VecDeque::from([(began, 0)]);
        let mut warming = Warming { pid: u32::MAX, next: began, used_ns: BTreeMap::new(), looks };
        (1..).zip(used_ms).find_map(|(look, used)| {
            let passed = LOOK_EVERY * look;
            warming.saw(began + passed, used * 1_000_000).then(|| u64::try_from(passed.as_millis()).unwrap())
        })
    }

    #[test]
    fn it_is_over_when_the_compilers_are_quiet() {
        assert_eq!(over(&[0; 9]), Some(400), "a program that does not compile");
        assert_eq!(over(&[80, 90, 100, 70, 10, 9, 0, 1, 0]), Some(800));
        assert_eq!(over(&[20; 100]), None, "a fifth of a processor, all the time");
        assert_eq!(over(&[0, 0, 0, 90, 0, 0, 0, 0]), Some(800), "three quiet readings are not enough");
        assert_eq!(over(&[90, 0, 0, 0]), None);
        assert_eq!(over(&[]), None);
    }

    #[test]
    fn a_process_without_an_agent_is_not_watched() {
        // Not this process: another test gives a thread of it the name of the agent's.
        let without_agent = std::os::unix::process::parent_id();
        assert!(Warming::of(without_agent, Instant::now()).is_none());
        assert!(Warming::of(u32::MAX, Instant::now()).is_none());
    }

    #[test]
    fn one_that_has_gone_has_no_warm_up() {
        let now = Instant::now();
        let mut gone = Warming { pid: u32::MAX, next: now, used_ns: BTreeMap::new(), looks: VecDeque::new() };
        assert!(gone.is_over(now));
    }
}
