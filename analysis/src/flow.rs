//! Counts of the instructions of a block that exceptions left in its middle.
//!
//! Counters tell how often a block began and how often an activation left it by no edge. Only instructions
//! that can throw come into question for that, and calls tell more: a call that entered a counted method was reached, and a method of which no activation
//! ended by an exception threw none.

use crate::amount::Bounds;

/// An instruction, as far as it tells where activations left its block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Whether it can throw.
    pub throws: bool,
    /// Calls of counted methods that it is known to have made.
    pub entered: u64,
    /// The number of these that an exception ended, at most.
    pub thrown: u64,
    /// Whether something is known of its calls.
    pub is_known: bool,
    /// Whether it is an `athrow` that counts how often it was reached, in `entered`.
    pub is_counted: bool,
}

/// For each instruction of a block how often it was started, and last how often the block ran to its end. `gone` of the `runs`
/// left the block at some of its instructions; up to `under_way` of these were still anywhere in it when the JVM ended.
#[must_use]
pub fn started(runs: u64, gone: u64, steps: &[Step], under_way: u64) -> Vec<Bounds> {
    let gone = gone.min(runs);
    if gone == 0 {
        return vec![Bounds::exact(runs); steps.len() + 1];
    }
    let lost: Vec<u64> = steps.iter().map(|step| step.most_lost(runs).saturating_add(under_way)).collect();
    // Lost before each instruction: at most, by the calls behind it, and by what the instructions before it can lose.
    let mut most = vec![gone; steps.len() + 1];
    for (place, step) in steps.iter().enumerate().rev() {
        let reached = if step.is_known || step.is_counted { runs - step.entered.min(runs) } else { gone };
        most[place] = most[place + 1].min(reached);
    }
    most[0] = 0;
    for (place, lost) in lost.iter().enumerate() {
        most[place + 1] = most[place + 1].min(most[place].saturating_add(*lost));
    }
    // And at least, by what it and those behind it can lose.
    let mut least = vec![gone; steps.len() + 1];
    for (place, lost) in lost.iter().enumerate().rev() {
        least[place] = least[place + 1].saturating_sub(*lost);
    }
    if least.iter().zip(&most).any(|(least, most)| least > most) {
        // Counts that contradict each other tell only that some were lost.
        return contradiction(runs, gone, steps.len());
    }
    let count = |(least, most): (&u64, &u64)| Bounds { least: runs - most, most: runs - least };
    least.iter().zip(&most).map(count).collect()
}

impl Step {
    /// Activations that it can have lost of this number of runs.
    fn most_lost(&self, runs: u64) -> u64 {
        match (self.throws, self.is_known) {
            _ if self.is_counted => self.entered,
            (false, _) => 0,
            (true, false) => runs,
            (true, true) => (runs - self.entered.min(runs)).saturating_add(self.thrown),
        }
    }
}

fn contradiction(runs: u64, gone: u64, length: usize) -> Vec<Bounds> {
    let mut all = vec![Bounds { least: runs - gone, most: runs }; length + 1];
    all[0] = Bounds::exact(runs);
    all[length] = Bounds::exact(runs - gone);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PLAIN: Step = Step { throws: false, entered: 0, thrown: 0, is_known: false, is_counted: false };
    const THROWS: Step = Step { throws: true, ..PLAIN };

    fn call(entered: u64, thrown: u64) -> Step {
        Step { throws: true, entered, thrown, is_known: true, ..PLAIN }
    }

    fn check(runs: u64, gone: u64, steps: &[Step], expected: &[(u64, u64)]) {
        let found: Vec<_> = started(runs, gone, steps, 0).iter().map(|one| (one.least, one.most)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn one_instruction_that_throws_tells_all() {
        check(4, 1, &[PLAIN, THROWS, PLAIN], &[(4, 4), (4, 4), (3, 3), (3, 3)]);
        check(4, 0, &[THROWS, THROWS], &[(4, 4), (4, 4), (4, 4)]);
    }

    #[test]
    fn two_leave_open_which_of_them_threw() {
        check(4, 1, &[THROWS, PLAIN, THROWS, PLAIN], &[(4, 4), (3, 4), (3, 4), (3, 3), (3, 3)]);
    }

    #[test]
    fn a_call_that_entered_was_reached() {
        // All four reached the call, and one of its activations threw.
        check(4, 1, &[THROWS, call(4, 1), PLAIN], &[(4, 4), (4, 4), (3, 3), (3, 3)]);
        // Nothing threw in the called constructor, so it was the `athrow` behind it.
        check(9, 9, &[THROWS, call(9, 0), THROWS], &[(9, 9), (9, 9), (9, 9), (0, 0)]);
        // The call entered three times only: the fourth was lost at the call or before it.
        check(4, 1, &[THROWS, PLAIN, call(3, 0)], &[(4, 4), (3, 4), (3, 4), (3, 3)]);
    }

    #[test]
    fn an_athrow_that_counts_was_reached() {
        let athrow = |entered| Step { throws: true, entered, is_counted: true, ..PLAIN };
        let all = [(9, 9), (9, 9), (9, 9), (0, 0)];
        check(9, 9, &[THROWS, THROWS, athrow(9)], &all);
        check(9, 9, &[THROWS, THROWS, athrow(7)], &[(9, 9), (7, 9), (7, 7), (0, 0)]);
        check(9, 9, &[THROWS, THROWS, athrow(0)], &[(9, 9), (0, 9), (0, 0), (0, 0)]);
    }

    #[test]
    fn what_was_under_way_at_the_end_may_be_anywhere() {
        let steps = [PLAIN, THROWS, PLAIN];
        let found = started(4, 2, &steps, 1);
        let found: Vec<_> = found.iter().map(|one| (one.least, one.most)).collect();
        assert_eq!(found, [(4, 4), (3, 4), (2, 3), (2, 2)]);
    }

    #[test]
    fn counts_that_contradict_each_other_bound_nothing() {
        check(4, 2, &[PLAIN, call(4, 0), PLAIN], &[(4, 4), (2, 4), (2, 4), (2, 2)]);
    }

    proptest! {
        #[test]
        fn bounds_hold_for_each_loss_of_activations(
            // For each instruction: whether it throws, whether it is a known call, activations that it loses, those before its callee.
            made in proptest::collection::vec((any::<bool>(), any::<bool>(), 0_u64..4, any::<bool>()), 1..8),
            // Whether an `athrow` follows.
            ends: bool,
        ) {
            let runs = 30;
            let (mut now, mut real, mut steps) = (runs, Vec::new(), Vec::new());
            for (throws, is_call, lost, inside) in made {
                real.push(now);
                let lost = if throws { lost } else { 0 };
                let thrown = if inside { lost } else { 0 };
                let step = if throws && is_call { call(now - (lost - thrown), thrown) } else { Step { throws, ..PLAIN } };
                steps.push(step);
                now -= lost;
            }
            real.push(now);
            if ends {
                steps.push(Step { throws: true, entered: now, is_counted: true, ..PLAIN });
                now = 0;
                real.push(now);
            }
            for (one, real) in started(runs, runs - now, &steps, 0).into_iter().zip(real) {
                prop_assert!(one.least <= real && real <= one.most, "{:?} {}", one, real);
            }
        }
    }
}
