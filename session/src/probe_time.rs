//! The probe's own time in the calls of a JVM, which changes as the clock's reading does.

use std::collections::VecDeque;

/// Most looks at the clock that are kept: there is one a second.
const MOST: usize = 512;
/// Most by which the clock may have become slower or faster since the calibration; an agent that says more is wrong.
const FACTOR: f64 = 8.0;

/// Time that a measured call of an empty method reports. It is calibrated once, in a moment in which the clock may be twice as fast or
/// as slow as in the next seconds: in virtual machines two readings of it took 53 to 118 ns within seconds, and the same on each processor. So
/// the agent says again and again what two readings take, and the median counts.
#[derive(Debug)]
pub struct ProbeTime {
    calibrated_ps: u64,
    /// What two readings took in the calibration.
    reads_ps: u64,
    later_ps: VecDeque<u64>,
}

impl ProbeTime {
    /// Calibrated to this time, when two clock reads took `reads_ps`; 0 if that is not known.
    pub fn new(calibrated_ps: u64, reads_ps: u64) -> Self {
        Self { calibrated_ps, reads_ps, later_ps: VecDeque::from_iter((reads_ps > 0).then_some(reads_ps)) }
    }

    /// Takes what two clock reads take now.
    pub fn reads(&mut self, reads_ps: u64) {
        if reads_ps == 0 {
            return;
        }
        if self.later_ps.len() == MOST {
            self.later_ps.pop_front();
        }
        self.later_ps.push_back(reads_ps);
    }

    /// The time by now, picoseconds.
    pub fn ps(&self) -> u64 {
        (self.calibrated_ps as f64 * self.slower()) as u64
    }

    /// Factor by which the clock, and a measured call with it, has become slower since the calibration.
    pub fn slower(&self) -> f64 {
        let mut all: Vec<u64> = self.later_ps.iter().copied().collect();
        all.sort_unstable();
        let middle = all.get(all.len() / 2).filter(|_| self.reads_ps > 0);
        middle.map_or(1.0, |middle| (*middle as f64 / self.reads_ps as f64).clamp(FACTOR.recip(), FACTOR))
    }
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
        (0..2 * MOST).for_each(|_| probe.reads(55_000));
        assert_eq!(probe.ps(), 29_000);
        assert_eq!(probe.later_ps.len(), MOST);
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
