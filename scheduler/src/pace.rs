//! The share of a program's time that changes of its classes may take.
//!
//! Each change stops the program for a moment. The length of the pause is known only afterwards: it depends on the JVM
//! and on its classes, and on JDK 11 the pauses grow with the number of earlier changes. So the next change waits
//! until the pauses so far are within the share. New classes are bounded in the same way, by the agent.

/// Changes take at most 1/`SHARE` of the time.
const SHARE: u64 = 20;
/// Nanoseconds of that share that may be saved up. The first changes of a run are the most urgent and the largest.
const SAVED_NS: i64 = 1_000_000_000;
/// Most nanoseconds of debt: the next change waits at most [`SHARE`] times this, 10 minutes. The process may have been
/// stopped during a change.
const DEBT_NS: i64 = 30_000_000_000;

/// The pauses of changes in one JVM.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pace {
    /// Nanoseconds that changes may take; negative after a long pause.
    left_ns: i64,
    counted_ns: u64,
    /// Number of reports that the last change still owes: one for classes that get probes, one for others.
    owed: u32,
}

impl Pace {
    pub(crate) fn new() -> Self {
        Self { left_ns: SAVED_NS, counted_ns: 0, owed: 0 }
    }

    /// Notes a change that was requested in this number of parts.
    pub(crate) fn asked(&mut self, parts: u32) {
        self.owed = parts;
    }

    /// Charges the pause of a change that was [`asked`](Self::asked) for. Pauses of other changes, as of new classes,
    /// do not count: the agent bounds them.
    pub(crate) fn took(&mut self, took_ns: u64) {
        if let Some(owed) = self.owed.checked_sub(1) {
            self.owed = owed;
            let took_ns = i64::try_from(took_ns).unwrap_or(i64::MAX);
            self.left_ns = self.left_ns.saturating_sub(took_ns).max(-DEBT_NS);
        }
    }

    /// Whether the pauses so far leave room for another one.
    pub(crate) fn allows(&mut self, now_ns: u64) -> bool {
        let gained = now_ns.saturating_sub(self.counted_ns) / SHARE;
        // The rest of the division is counted the next time.
        self.counted_ns = self.counted_ns.saturating_add(gained * SHARE);
        let gained = i64::try_from(gained).unwrap_or(i64::MAX);
        self.left_ns = self.left_ns.saturating_add(gained).min(SAVED_NS);
        self.left_ns >= 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Asks for a change every 10 ms of this time, and gives the pauses of the changes that came.
    fn changes(lasts_ms: u64, pause_ms: impl Fn(u64) -> u64) -> Vec<u64> {
        let (mut pace, mut pauses) = (Pace::new(), Vec::new());
        let mut now_ms = 0;
        while now_ms < lasts_ms {
            if pace.allows(now_ms * MS) {
                let took = pause_ms(pauses.len() as u64);
                pace.asked(1);
                pace.took(took * MS);
                pauses.push(took);
                now_ms += took;
            }
            now_ms += 10;
        }
        pauses
    }

    #[test]
    fn short_pauses_are_not_noticed_and_long_ones_take_a_share() {
        assert_eq!(changes(60_000, |_| 0).len(), 6000, "one every 10 ms");
        assert_eq!(changes(60_000, |_| 5).len(), 3000 / 5 + 1000 / 5, "a share of 60 s, and the savings");
        let long = changes(600_000, |_| 400);
        assert_eq!(long.len(), 3 + 600_000 / 20 / 400);
        // As seen on JDK 11: each pause is 45 ms longer than the one before.
        let growing = changes(600_000, |n| 90 + 45 * n);
        let (sum, last) = (growing.iter().sum::<u64>(), growing.last().unwrap());
        assert!(sum <= 1000 + 600_000 / 20 + last, "{sum} ms of pauses");
        assert!(growing.len() < 40, "{} changes", growing.len());
    }

    #[test]
    fn only_what_was_asked_for_is_charged_and_the_wait_is_bounded() {
        let mut pace = Pace::new();
        pace.took(u64::MAX);
        assert!(pace.allows(0), "a new class");
        pace.asked(2);
        (0..3).for_each(|_| pace.took(600 * MS));
        assert_eq!(pace.left_ns, SAVED_NS - 1_200_000_000);
        assert!(!pace.allows(3_999 * MS));
        assert!(pace.allows(4_000 * MS));
        pace.asked(1);
        pace.took(u64::MAX);
        assert!(!pace.allows((4_000 + 599_999) * MS));
        assert!(pace.allows((4_000 + 600_000) * MS));
        assert!(pace.allows(0), "a clock that goes back");
    }
}
