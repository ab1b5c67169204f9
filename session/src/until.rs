//! When a measurement ends by itself, beside the end of its program and of its methods (`--for`, `--until-decided`).

use crate::results::Results;
use spl_lang::Program;
use spl_verdict::{Asserted, Basis, Evaluation, Standing};
use std::time::{Duration, Instant};

/// A JVM that starts may take so long on a machine that does much else.
const FOR_A_JVM: Duration = Duration::from_secs(30);

/// What the operator asks for.
#[derive(Clone, Debug, Default)]
pub struct Until {
    /// Longest time from the beginning of the measurement on.
    pub longest: Option<Duration>,
    /// As soon as every claim is proved or refuted.
    pub until_decided: bool,
}

impl Until {
    /// When the measurement is to end: the time counts from where it `began`. Where no JVM comes, which is `waiting` for since then, it
    /// ends too, some time later: a command need not start one.
    pub fn ends_at(&self, began: Option<Instant>, waiting: Option<Instant>) -> Option<Instant> {
        let waiting = || waiting.and_then(|since| since.checked_add(FOR_A_JVM));
        began.or_else(waiting)?.checked_add(self.longest?)
    }

    /// Whether the measurement is to end with these results.
    pub fn is_reached(&self, program: &Program, results: &Results) -> bool {
        self.until_decided && is_decided(program, results)
    }
}

/// Whether every claim is proved or refuted, in each bucket in which it was judged.
fn is_decided(program: &Program, results: &Results) -> bool {
    let is_sure = |basis: Basis| matches!(basis, Basis::Proved | Basis::Refuted);
    let sure = |one: &Evaluation| one.verdict.as_ref().is_ok_and(|verdict| is_sure(verdict.basis));
    let decided = |one: &Asserted| match one.basis {
        Some(basis) => is_sure(basis),
        None => matches!(one.standing(), Standing::Holds | Standing::Fails),
    };
    // While results are missing nobody need look at those that are there.
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
