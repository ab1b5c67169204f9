//! The times at which the code of flags that are set is taken out of the program. A change of a class throws its compiled code
//! away, so these waves are few. In the end the code that runs often is the original.

use std::time::{Duration, Instant};

/// Time from the beginning of a drill to the first wave. Each other one comes four times as late as the one before.
const FIRST: Duration = Duration::from_secs(5);
/// Time between copies of the flags to where the controller reads them: a JVM that is killed loses as much.
const COPY_EVERY: Duration = Duration::from_millis(250);
/// Classes that are changed at once: the program stands still meanwhile.
const AT_ONCE: usize = 100;
/// The program runs this many times as long as it stood still before more classes are changed.
const PAUSE: u32 = 19;

/// The waves of a drill.
#[derive(Debug)]
pub struct Waves {
    began: Instant,
    /// Time of the next step.
    at: Instant,
    /// Time of the next copy.
    copy_at: Instant,
    /// Time from the beginning to the next wave.
    after: Duration,
    /// Classes of the wave under way.
    rest: Vec<String>,
}

impl Waves {
    /// The waves of a drill that begins.
    pub fn new(now: Instant) -> Self {
        Self { began: now, at: now + FIRST, copy_at: now + COPY_EVERY, after: FIRST, rest: Vec::new() }
    }

    /// The time until the next copy.
    pub fn due(&self, now: Instant) -> Duration {
        self.copy_at.saturating_duration_since(now)
    }

    /// Notes a copy; whether a step is due.
    pub fn copied(&mut self, now: Instant) -> bool {
        self.copy_at = now + COPY_EVERY;
        self.at <= now
    }

    /// Classes to change now. `stale` finds those of a new wave.
    pub fn step(&mut self, stale: impl FnOnce() -> Vec<String>) -> Vec<String> {
        if self.rest.is_empty() {
            self.rest = stale();
            self.after *= 4;
        }
        self.rest.split_off(self.rest.len().saturating_sub(AT_ONCE))
    }

    /// Sets the time of the next step. `took` is the time in which the program stood still.
    pub fn stepped(&mut self, now: Instant, took: Duration) {
        self.at = if self.rest.is_empty() { self.began + self.after } else { now + took * PAUSE };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_become_rarer_and_the_program_runs_between_their_steps() {
        let began = Instant::now();
        let mut waves = Waves::new(began);
        assert_eq!(waves.due(began), COPY_EVERY);
        assert!(!waves.copied(began + COPY_EVERY) && waves.copied(began + FIRST));
        let mut seen = 0;
        let names = || (0..250).map(|number| number.to_string()).collect();
        let mut now = began + FIRST;
        for expected in [AT_ONCE, AT_ONCE, 50] {
            let step = waves.step(names);
            assert_eq!(step.len(), expected);
            seen += step.len();
            waves.stepped(now, Duration::from_millis(10));
            if seen < 250 {
                assert_eq!(waves.at, now + Duration::from_millis(190));
                now = waves.at;
            }
        }
        for after in [20, 80, 320] {
            now = waves.at;
            assert_eq!(now, began + Duration::from_secs(after));
            assert!(waves.step(Vec::new).is_empty());
            waves.stepped(now, Duration::ZERO);
        }
    }
}
