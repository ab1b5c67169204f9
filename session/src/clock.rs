//! Time of the JVM's clock, estimated from the times in the agent's messages.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Interval between two clock queries to the agent.
const INTERVAL: Duration = Duration::from_secs(1);
/// Number of answers that are kept. Old ones are dropped because the clocks of two machines drift apart.
const REMEMBERED: usize = 8;

/// Difference between the JVM's clock and the controller's.
/// A message arrives later than it was sent, on a busy machine by milliseconds. Each message therefore gives
/// a lower bound of the difference, and the greatest bound is the closest. An estimate that is too great
/// would date the opening of a gate too late. The first calls of a turn would then count to the turn before,
/// and long ones would find its window closed.
#[derive(Debug, Default)]
pub struct JvmClock {
    asked: Option<Instant>,
    ahead_ns: VecDeque<i128>,
}

impl JvmClock {
    /// True when the next clock query is due; the query then counts as sent.
    pub fn is_to_be_asked(&mut self, now: Instant) -> bool {
        let due = self.asked.is_none_or(|asked| now.saturating_duration_since(asked) >= INTERVAL);
        if due {
            self.asked = Some(now);
        }
        due
    }

    /// Takes the JVM's time in a message, in nanoseconds, and the controller's time when it arrived. Gives
    /// the estimate of the JVM's time at that moment.
    pub fn shows(&mut self, jvm_ns: u64, now_ns: u64) -> u64 {
        if self.ahead_ns.len() == REMEMBERED {
            self.ahead_ns.pop_front();
        }
        self.ahead_ns.push_back(i128::from(jvm_ns) - i128::from(now_ns));
        let ahead = self.ahead_ns.iter().copied().max().unwrap_or(0);
        u64::try_from((i128::from(now_ns) + ahead).max(0)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_that_took_the_shortest_way_tells() {
        let mut clock = JvmClock::default();
        assert_eq!(clock.shows(1_000_900, 3_000), 1_000_900);
        // 400 ns on the way, then 2,000.
        assert_eq!(clock.shows(1_010_000, 11_500), 1_010_000);
        assert_eq!(clock.shows(1_020_000, 23_100), 1_021_600);
        // An answer is kept until 8 newer ones have replaced it.
        for _ in 0..6 {
            assert_eq!(clock.shows(1_020_000, 24_000), 1_022_500);
        }
        assert_eq!(clock.shows(1_020_000, 24_000), 1_020_900);
    }

    #[test]
    fn the_agent_is_asked_once_a_second() {
        let (mut clock, now) = (JvmClock::default(), Instant::now());
        let after = |clock: &mut JvmClock, ms| clock.is_to_be_asked(now + Duration::from_millis(ms));
        assert_eq!(
            [0, 10, 999, 1000, 1900, 2000].map(|ms| after(&mut clock, ms)),
            [true, false, false, true, false, true]
        );
    }
}
