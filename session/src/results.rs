//! Results of a run so far, their correction and their exit status.

use crate::config::{Config, Judge};
use spl_lang::Program;
use spl_model::{ClaimIx, ClaimNumbers};
use spl_verdict::{Asserted, Correction, Evaluation, ExitStatus, Standing, correct, exit_status};
use std::collections::BTreeSet;

/// The results of a run, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// Results of plain comparisons; a comparison that was left over may have several.
    pub evaluations: Vec<Evaluation>,
    /// Results of assertions, one each.
    pub assertions: Vec<Asserted>,
}

impl Results {
    /// Takes the results that later ones cannot change: all in the sequential mode, which looks at all claims
    /// itself, and all without a correction. The other results stay.
    pub fn take_final(&mut self, config: &Config) -> Self {
        match (config.correction, config.judge) {
            (Correction::None, _) | (_, Judge::Sequential) => std::mem::take(self),
            (_, Judge::Welch) => Self::default(),
        }
    }

    /// Corrects results for their number, once no more will come. The sequential mode has corrected them
    /// already.
    pub fn correct(&mut self, program: &Program, config: &Config) {
        if config.judge == Judge::Sequential {
            return;
        }
        correct(
            config.correction,
            config.scheduler.limit_p,
            (&program.tasks.comparisons, &mut self.evaluations),
            (&program.assertions, &mut self.assertions),
        );
    }

    /// The claims of these results.
    pub fn claims(&self, numbers: ClaimNumbers) -> Vec<ClaimIx> {
        let comparisons = self.evaluations.iter().map(|one| numbers.comparison(one.comparison));
        comparisons.chain(self.assertions.iter().map(|one| numbers.assertion(one.assertion))).collect()
    }

    /// Number of the claims that hold or fail.
    pub fn decided(&self) -> usize {
        let is_decided = |standing: Standing| matches!(standing, Standing::Holds | Standing::Fails);
        let evaluations = self.evaluations.iter().filter(|one| is_decided(one.standing()));
        let comparisons: BTreeSet<usize> = evaluations.map(|one| one.comparison).collect();
        comparisons.len() + self.assertions.iter().filter(|one| is_decided(one.standing())).count()
    }

    /// The current exit status: a claim without a result is undecided. In measurement mode the status is
    /// always success.
    pub fn standing(&self, program: &Program) -> ExitStatus {
        let evaluated = |index: &usize| self.evaluations.iter().any(|one| one.comparison == *index);
        let asserted = |index: &usize| self.assertions.iter().any(|one| one.assertion == *index);
        let missing = (0..program.tasks.comparisons.len()).filter(|index| !evaluated(index)).count()
            + (0..program.assertions.len()).filter(|index| !asserted(index)).count();
        let evaluations = self.evaluations.iter().map(Evaluation::standing);
        let assertions = self.assertions.iter().map(Asserted::standing);
        exit_status(evaluations.chain(assertions).chain(std::iter::repeat_n(Standing::Undecided, missing)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spl_lang::{RunMode, parse_file};
    use spl_model::Bucket;
    use spl_verdict::{Evidence, NotEvaluated, Truth};

    #[test]
    fn what_has_no_result_is_undecided() {
        let text = "a/B.f()V < a/B.g()V\nassert \"t\": a/B.f()V < 5 ms\n";
        let program =
            parse_file(text, RunMode::Comparison).unwrap().check(text, &mut |_| Vec::new()).unwrap();
        let mut results = Results::default();
        assert_eq!(results.standing(&Program::default()), ExitStatus::AllHold);
        assert_eq!(results.standing(&program), ExitStatus::SomeUndecided);
        results.assertions.push(Asserted {
            assertion: 0,
            truth: Truth::False,
            basis: None,
            evidence: Evidence { p_true: 1.0, p_false: 0.0 },
            level: 0.05,
            parts: Vec::new(),
            instance: None,
            gaps: Vec::new(),
            leftover: false,
            drops: 0,
        });
        assert_eq!(results.standing(&program), ExitStatus::SomeFail);
        results.assertions[0].truth = Truth::True;
        assert_eq!(results.standing(&program), ExitStatus::SomeUndecided);
        results.evaluations.push(Evaluation {
            comparison: 0,
            bucket: Bucket::All,
            verdict: Err(NotEvaluated::NoCommonBucket),
            leftover: true,
            n_left: 0,
            n_right: 0,
            drops: 0,
            so_far: None,
        });
        assert_eq!(results.standing(&program), ExitStatus::SomeUndecided);
    }
}
