//! The kinds of probes, as the engine asks them.

use super::slots::Slots;
use super::subject::{Site, Subject, Wanted};
use super::times::Times;
use crate::emit::{Emitter, Kind};
use crate::plan::{Planned, Probe};
#[cfg(test)]
use crate::tests::visits::Visits;
use spl_model::{ProbeKind, Refusal};

/// What one probe puts into a method.
pub(crate) enum Weave<'a> {
    Times(Times<'a>),
    #[cfg(test)]
    Visits(Visits),
}

impl<'a> Weave<'a> {
    pub(crate) fn of(probe: &'a Probe) -> Self {
        let id = probe.id;
        match &probe.kind {
            Planned::Known(ProbeKind::Times(sizing)) => Self::Times(Times { id, sizing }),
            #[cfg(test)]
            Planned::Visits { exits } => Self::Visits(Visits { id, exits: *exits }),
        }
    }

    /// Whether it enters last and leaves first: nothing of other kinds stands between a clock and the body.
    pub(crate) fn is_innermost(&self) -> bool {
        matches!(self, Self::Times(_))
    }

    /// Refuses a method that the kind cannot measure.
    pub(crate) fn check(&self, subject: &Subject<'_, '_>) -> Result<(), Refusal> {
        match self {
            Self::Times(times) => times.check(subject),
            #[cfg(test)]
            Self::Visits(_) => Ok(()),
        }
    }

    /// The local variables that it keeps from site to site. They are zero until its entry code sets them.
    pub(crate) fn locals(&self) -> Vec<Kind> {
        match self {
            Self::Times(times) => times.locals(),
            #[cfg(test)]
            Self::Visits(visits) => visits.locals(),
        }
    }

    pub(crate) fn wanted(&self) -> Wanted {
        match self {
            Self::Times(_) => Times::WANTED,
            #[cfg(test)]
            Self::Visits(visits) => visits.wanted(),
        }
    }

    /// Writes the code of a site; gives the stack words that it takes at most.
    pub(crate) fn at(
        &self,
        site: Site,
        subject: &Subject<'_, '_>,
        slots: Slots<'_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        match self {
            Self::Times(times) => times.at(site, subject, slots, code),
            #[cfg(test)]
            Self::Visits(visits) => visits.at(site, slots, code),
        }
    }

    /// Writes what counts a call that could not be recorded; gives the stack words that it takes. Nothing may be called: where
    /// a call has just overflowed the stack another one would too.
    pub(crate) fn lost(&self, code: &mut Emitter<'_, '_>) -> Result<usize, Refusal> {
        match self {
            Self::Times(_) => Times::lost(code),
            #[cfg(test)]
            Self::Visits(_) => Ok(0),
        }
    }
}
