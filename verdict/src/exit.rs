//! The exit status of a run from its results.

use crate::Evaluation;

/// Result of one assertion at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// The claim holds: proved or not refuted.
    Holds,
    /// The claim is refuted or not proved.
    Fails,
    /// The claim is undecided, or was never evaluated.
    Undecided,
    /// The run itself went wrong.
    Error,
}

impl Evaluation {
    /// A leftover evaluation counts by its basis, like any other.
    #[must_use]
    pub fn standing(&self) -> Standing {
        match &self.verdict {
            Ok(verdict) if verdict.basis.holds() => Standing::Holds,
            Ok(_) => Standing::Fails,
            Err(_) => Standing::Undecided,
        }
    }
}

/// The exit status of a run; the discriminant is the process's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExitStatus {
    /// Every assertion holds.
    AllHold = 0,
    /// Some assertion is refuted or not proved.
    SomeFail = 1,
    /// The run went wrong.
    Error = 2,
    /// Nothing failed, but some assertion is undecided or was not evaluated.
    SomeUndecided = 3,
}

impl ExitStatus {
    /// The process's code.
    #[must_use]
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// The exit status of a run: the first that applies of error, failed, undecided, all hold. A run without
/// assertions (measurement mode) cannot fail.
#[must_use]
pub fn exit_status(standings: impl IntoIterator<Item = Standing>) -> ExitStatus {
    let rank = |status: ExitStatus| match status {
        ExitStatus::Error => 3,
        ExitStatus::SomeFail => 2,
        ExitStatus::SomeUndecided => 1,
        ExitStatus::AllHold => 0,
    };
    let status = |standing| match standing {
        Standing::Holds => ExitStatus::AllHold,
        Standing::Fails => ExitStatus::SomeFail,
        Standing::Undecided => ExitStatus::SomeUndecided,
        Standing::Error => ExitStatus::Error,
    };
    standings.into_iter().map(status).max_by_key(|&one| rank(one)).unwrap_or(ExitStatus::AllHold)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_standing_decides() {
        let check = |standings: &[Standing], code: u8| {
            assert_eq!(exit_status(standings.iter().copied()).code(), code, "{standings:?}");
        };
        use Standing::{Error, Fails, Holds, Undecided};
        check(&[], 0);
        check(&[Holds, Holds], 0);
        check(&[Holds, Undecided, Holds], 3);
        check(&[Undecided, Fails, Holds], 1);
        check(&[Fails, Undecided], 1);
        check(&[Holds, Fails, Error, Undecided], 2);
    }
}
