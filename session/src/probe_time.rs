//! The probe's own time in the calls of a JVM, which changes as the clock's reading does.

use std::collections::BTreeMap;

/// Most looks at the clock that are kept. When there are more, every second one goes, and of later ones as many are kept.
const MOST: usize = 512;
/// Most by which the clock may have become slower or faster since the calibration; an agent that says more is wrong.
const FACTOR: f64 = 8.0;

/// Time that a measured call of an empty method reports. It is calibrated once, in a moment in which the clock may be twice as fast or
/// as slow as in the next seconds: in a virtual machine two readings of it took 53 to 118 ns within seconds. So the agent says again and
/// again what two readings take, and the median counts.
#[derive(Debug)]
pub struct ProbeTime {
    calibrated_ps: u64,
    /// Time of two readings in the calibration; 0 if that is not known.
    reads_ps: u64,
    later_ps: Vec<u64>,
    /// One look in this number is kept, and looks since the last kept one.
    every: (u64, u64),
    slower: f64,
}

impl ProbeTime {
    /// Calibrated to this time, when two clock reads took `reads_ps`; 0 if that is not known.
    pub fn new(calibrated_ps: u64, reads_ps: u64) -> Self {
        let later_ps = Vec::from_iter((reads_ps > 0).then_some(reads_ps));
        Self { calibrated_ps, reads_ps, later_ps, every: (1, 0), slower: 1.0 }
    }

    /// Takes what two clock reads take now.
    pub fn reads(&mut self, reads_ps: u64) {
        if reads_ps == 0 || self.reads_ps == 0 {
            return;
        }
        let (every, since) = &mut self.every;
        *since += 1;
        if *since < *every {
            return;
        }
        *since = 0;
        if self.later_ps.len() == MOST {
            *every *= 2;
            let mut keeps = false;
            self.later_ps.retain(|_| {
                keeps = !keeps;
                keeps
            });
        }
        self.later_ps.push(reads_ps);
        let mut all = self.later_ps.clone();
        let middle = (all.len() - 1) / 2;
        let (_, middle, _) = all.select_nth_unstable(middle);
        self.slower = (*middle as f64 / self.reads_ps as f64).clamp(FACTOR.recip(), FACTOR);
    }

    /// The time over the whole measurement so far, picoseconds.
    pub fn ps(&self) -> u64 {
        (self.calibrated_ps as f64 * self.slower) as u64
    }

    /// Factor by which the clock, and a measured call with it, has become slower since the calibration.
    pub fn slower(&self) -> f64 {
        self.slower
    }
}

/// The probe's time by instance, nanoseconds, of the probe's times in JVMs by their origins, picoseconds: the longest. There is one
/// instance, without a name, where they are not told apart.
pub fn of_instances(
    probes: impl Iterator<Item = (impl AsRef<str>, u64)>,
    are_told_apart: bool,
) -> BTreeMap<String, f64> {
    let mut longest = BTreeMap::new();
    for (origin, ps) in probes {
        let instance = if are_told_apart { origin.as_ref().to_owned() } else { String::new() };
        let of_instance = longest.entry(instance).or_insert(0.0);
        *of_instance = f64::max(*of_instance, ps as f64 / 1000.0);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_follows_the_clock() {
        let mut probe = ProbeTime::new(29_000, 55_000);
        assert_eq!(probe.ps(), 29_000);
        // One look at a machine that stands still tells nothing.
        for reads_ps in [77_000, 830_000, 75_000, 79_000, 0] {
            probe.reads(reads_ps);
        }
        assert_eq!(probe.ps(), 29_000 * 77 / 55);
        (0..20 * MOST).for_each(|_| probe.reads(55_000));
        assert_eq!(probe.ps(), 29_000);
        assert!(probe.later_ps.len() <= MOST && probe.every.0 == 32, "{probe:?}");
        // Early looks weigh as much as late ones: a third of the time does not move the median.
        (0..10 * MOST).for_each(|_| probe.reads(110_000));
        assert_eq!(probe.ps(), 29_000);
    }

    #[test]
    fn each_instance_has_its_own() {
        let probes = [("a:1", 40_000), ("b:2", 90_000), ("a:1", 30_000)];
        let of = |told| of_instances(probes.into_iter(), told).into_iter().collect::<Vec<_>>();
        assert_eq!(of(true), [("a:1".to_owned(), 40.0), ("b:2".to_owned(), 90.0)]);
        assert_eq!(of(false), [(String::new(), 90.0)]);
    }

    #[test]
    fn what_an_agent_says_wrongly_changes_little() {
        let mut unknown = ProbeTime::new(29_000, 0);
        unknown.reads(77_000);
        assert_eq!(unknown.ps(), 29_000);
        let mut hostile = ProbeTime::new(u64::MAX, 1);
        (0..9).for_each(|_| hostile.reads(u64::MAX));
        assert_eq!(hostile.ps(), u64::MAX);
        let mut slow = ProbeTime::new(40_000, 80_000);
        (0..9).for_each(|_| slow.reads(u64::MAX));
        assert_eq!(slow.ps(), 8 * 40_000);
    }
}
