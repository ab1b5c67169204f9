//! The interval between two looks at the rings.
//!
//! A look costs some microseconds, which a server with one processor takes from the program. So looks are
//! rare while few samples come, and only read blocks that are in use.

use crate::layout::{OWN_SLOTS, SLOTS};
use std::time::{Duration, Instant};

/// The shortest time between two looks at the rings while a gate is open: short compared with the time in
/// which a busy thread fills its ring.
pub const DRAIN_EVERY: Duration = Duration::from_millis(1);
/// The longest time between two looks at the rings while a gate is open.
const LONGEST_PAUSE: Duration = Duration::from_millis(8);
/// Capacity of the smallest ring: a stripe's, of which the probes keep a quarter free.
const ROOM: u64 = if OWN_SLOTS < SLOTS / 4 * 3 { OWN_SLOTS } else { SLOTS / 4 * 3 };
/// Samples in the fullest ring above which the next look comes soon. The pause doubles at most. So a stripe's
/// ring overflows only if the rate of calls rises more than 6 times from one look to the next, and a thread's
/// own at 16 times.
const MUCH: u64 = ROOM / 12;

/// When to look at the rings next.
#[derive(Debug)]
pub struct Pace {
    pause: Duration,
    looked: Instant,
}

impl Pace {
    /// The first look comes soon, because the rate of calls is not known yet.
    pub fn new() -> Self {
        Self { pause: DRAIN_EVERY, looked: Instant::now() }
    }

    /// A gate opens. At most `may_come` samples arrive before all gates have closed; fewer than a ring holds
    /// need no polling.
    pub fn opens(&mut self, may_come: u64) {
        if may_come > ROOM {
            *self = Self::new();
        }
    }

    /// Time between the last look and the next.
    pub fn pause(&self) -> Duration {
        self.pause
    }

    /// Records a look at `now` that found `fullest` samples in the fullest ring. `unbounded` says that a gate
    /// is open without a quota: its samples must not be lost even in a sudden burst.
    pub fn looked(&mut self, now: Instant, fullest: u64, unbounded: bool) {
        if unbounded || fullest > MUCH {
            self.pause = DRAIN_EVERY;
        } else if now.saturating_duration_since(self.looked) < self.pause {
            // A message triggered this look; the time was too short to judge.
            return;
        } else {
            self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        }
        self.looked = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_rare_as_long_as_little_comes() {
        let mut pace = Pace::new();
        let mut now = pace.looked;
        let mut pauses = |looks: &[(u64, bool)]| {
            let after = |&(fullest, unbounded): &(u64, bool)| {
                now += pace.pause();
                pace.looked(now, fullest, unbounded);
                pace.pause().as_millis()
            };
            looks.iter().map(after).collect::<Vec<_>>()
        };
        assert_eq!(pauses(&[(0, false), (MUCH, false), (1, false), (0, false)]), [2, 4, 8, 8]);
        assert_eq!(pauses(&[(MUCH + 1, false), (0, false), (0, true), (0, true)]), [1, 2, 1, 1]);
    }

    #[test]
    fn it_looks_soon_when_more_may_come_than_a_ring_can_hold() {
        let mut pace = Pace::new();
        pace.looked(pace.looked + DRAIN_EVERY, 0, false);
        pace.opens(ROOM);
        assert_eq!(pace.pause(), DRAIN_EVERY * 2);
        pace.opens(ROOM + 1);
        assert_eq!(pace.pause(), DRAIN_EVERY);
    }

    #[test]
    fn a_look_that_a_message_brought_about_says_little() {
        let mut pace = Pace::new();
        let now = pace.looked;
        pace.looked(now + DRAIN_EVERY / 2, 0, false);
        assert_eq!(pace.pause(), DRAIN_EVERY);
        pace.looked(now + DRAIN_EVERY, 0, false);
        assert_eq!(pace.pause(), DRAIN_EVERY * 2);
        pace.looked(now + DRAIN_EVERY, MUCH + 1, false);
        assert_eq!(pace.pause(), DRAIN_EVERY, "but that much came says enough");
    }
}
