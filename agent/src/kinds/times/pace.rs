//! How often the rings are looked at.
//!
//! A look costs some microseconds, which on a server with one processor are the program's. So it looks rarely as long as little
//! comes, and in blocks that are in use only.

use crate::layout::{OWN_SLOTS, SLOTS};
use std::time::{Duration, Instant};

/// The shortest time between two looks at the rings while a gate is open: short against the time in which a busy thread fills
/// its ring.
pub const DRAIN_EVERY: Duration = Duration::from_millis(1);
/// The longest time between two looks at the rings while a gate is open.
const LONGEST_PAUSE: Duration = Duration::from_millis(8);
/// What the smallest ring holds: a stripe's, of which the probes keep a quarter free.
const ROOM: u64 = if OWN_SLOTS < SLOTS / 4 * 3 { OWN_SLOTS } else { SLOTS / 4 * 3 };
/// No ring may hold more when it is looked at, or the next look comes soon. The pause doubles at most, so a stripe's ring overflows
/// only when calls come more than 6 times as fast from one look to the next, and a thread's own at 16 times.
const MUCH: u64 = ROOM / 12;

/// When to look at the rings next.
#[derive(Debug)]
pub struct Pace {
    pause: Duration,
    looked: Instant,
}

impl Pace {
    /// Soon at first: nobody knows yet how fast calls come.
    pub fn new() -> Self {
        Self { pause: DRAIN_EVERY, looked: Instant::now() }
    }

    /// A gate opens. `may_come` samples at most arrive before all gates have closed; fewer than a ring holds need no polling.
    pub fn opens(&mut self, may_come: u64) {
        if may_come > ROOM {
            *self = Self::new();
        }
    }

    /// Between the last look and the next.
    pub fn pause(&self) -> Duration {
        self.pause
    }

    /// Looked at `now`, and found so many samples in the fullest ring. `unbounded` says that a gate is open for as many calls
    /// as come, so that they must not be lost however suddenly they come.
    pub fn looked(&mut self, now: Instant, fullest: u64, unbounded: bool) {
        if unbounded || fullest > MUCH {
            self.pause = DRAIN_EVERY;
        } else if now.saturating_duration_since(self.looked) < self.pause {
            // A message came in between; the time was too short to tell.
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
    fn it_looks_soon_when_so_many_may_come_that_a_ring_cannot_hold_them() {
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
