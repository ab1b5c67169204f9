//! Times at which a measurement ends by itself (`--for`, `--until-decided`), apart from the end of its
//! program and of its methods.

use crate::results::Results;
use spl_lang::Program;
use spl_verdict::{Asserted, Basis, Evaluation, Standing};
use std::time::{Duration, Instant};

/// Time that a JVM may need to start on a busy machine.
const FOR_A_JVM: Duration = Duration::from_secs(30);

/// End conditions of the operator.
#[derive(Clone, Debug, Default)]
pub struct Until {
    /// Longest time from the start of the measurement.
    pub longest: Option<Duration>,
    /// End as soon as every claim is proved or refuted.
    pub until_decided: bool,
}

impl Until {
    /// Time at which the measurement ends, counted from where it `began`. If no JVM has come since `waiting`,
    /// it ends 30 s later: a command may start no JVM.
    pub fn ends_at(&self, began: Option<Instant>, waiting: Option<Instant>) -> Option<Instant> {
        let waiting = || waiting.and_then(|since| since.checked_add(FOR_A_JVM));
        began.or_else(waiting)?.checked_add(self.longest?)
    }

    /// Whether the measurement ends with these results.
    pub fn is_reached(&self, program: &Program, results: &Results) -> bool {
        self.until_decided && is_decided(program, results)
    }
}

/// Whether every claim is proved or refuted in each bucket in which it was judged.
fn is_decided(program: &Program, results: &Results) -> bool {
    let is_sure = |basis: Basis| matches!(basis, Basis::Proved | Basis::Refuted);
    let sure = |one: &Evaluation| one.verdict.as_ref().is_ok_and(|verdict| is_sure(verdict.basis));
    let decided = |one: &Asserted| match one.basis {
        Some(basis) => is_sure(basis),
        None => matches!(one.standing(), Standing::Holds | Standing::Fails),
    };
    // The check of the results can wait until all of them are there.
    if results.evaluations.len() < program.tasks.comparisons.len()
        || results.assertions.len() < program.assertions.len()
    {
        return false;
    }
    let comparisons = (0..program.tasks.comparisons.len()).all(|index| {
        let mut of_this = results.evaluations.iter().filter(|one| one.comparison == index).peekable();
        of_this.peek().is_some() && of_this.all(sure)
    });
    comparisons
        && (0..program.assertions.len())
            .all(|index| results.assertions.iter().any(|one| one.assertion == index && decided(one)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_counts_from_the_measurement_on() {
        let (start, minute) = (Instant::now(), Duration::from_secs(60));
        let until = Until { longest: Some(minute), until_decided: false };
        assert_eq!(until.ends_at(None, None), None);
        assert_eq!(until.ends_at(None, Some(start)), Some(start + minute + FOR_A_JVM));
        assert_eq!(until.ends_at(Some(start + minute), Some(start)), Some(start + 2 * minute));
        assert_eq!(Until::default().ends_at(Some(start), Some(start)), None);
    }
}
