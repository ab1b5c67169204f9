//! The kinds of probes, as the engine asks them.

use super::blocks::Blocks;
use super::calls::Calls;
use super::counted_paths::CountedPaths;
use super::cover::Cover;
use super::durations::Durations;
use super::paths::Paths;
use super::receivers;
use super::roots::Root;
use super::slots::Slots;
use super::subject::{CountedArray, CountedCall, Site, Subject, Wanted};
use super::times::Times;
use super::trace::Trace;
use crate::emit::{Emitter, Kind};
use crate::names;
use crate::plan::{Planned, Probe};
#[cfg(test)]
use crate::tests::visits::Visits;
use spl_graph::{Counters, Flags, Graph, NumberedCall, Place};
use spl_model::{OfCalls, ProbeKind, Refusal};
use std::collections::BTreeMap;

/// The code of one probe in a method.
pub(crate) enum Weave<'a> {
    Times(Times<'a>),
    Blocks(Blocks),
    Calls(Calls),
    Cover(Cover<'a>),
    Root(Root),
    Durations(Durations),
    Paths(Paths),
    Trace(Trace),
    #[cfg(test)]
    Visits(Visits),
}

impl<'a> Weave<'a> {
    pub(crate) fn of(probe: &'a Probe) -> Self {
        let id = probe.id;
        match &probe.kind {
            Planned::Known(ProbeKind::Times(sizing)) => Self::Times(Times { id, sizing }),
            Planned::Blocks { in_root } => Self::Blocks(Blocks { id, in_root: *in_root }),
            Planned::Calls { of, in_root } => Self::Calls(Calls { id, of: *of, in_root: *in_root }),
            Planned::Cover { open } => Self::Cover(Cover { id, open }),
            Planned::Root { number } => Self::Root(Root { number: *number, id }),
            Planned::Trace { shape, within, total, receivers, timed } => {
                let (total, receivers, timed) = (*total, *receivers, *timed);
                Self::Trace(Trace { id, shape: *shape, within: *within, total, receivers, timed })
            }
            Planned::Durations(clock) => Self::Durations(Durations { id, clock: *clock }),
            Planned::Paths { blocks } => Self::Paths(Paths { id, blocks: *blocks }),
            #[cfg(test)]
            Planned::Visits { exits } => Self::Visits(Visits { id, exits: *exits }),
        }
    }

    /// Whether the kind's locals are set at the very start, and keep their values to the end of the call.
    pub(crate) fn starts(&self) -> bool {
        self.wanted().counters
    }

    /// Whether the kind enters last and leaves first, so that no code of other kinds runs between a clock and
    /// the body.
    pub(crate) fn is_innermost(&self) -> bool {
        matches!(self, Self::Times(_) | Self::Durations(_))
    }

    /// Where its counters or flags go in a method, in the order of their numbers.
    pub(crate) fn places(&self, graph: &Graph<'_>) -> Option<Vec<Place>> {
        match self {
            Self::Blocks(_) => Some(Counters::of(graph).places().collect()),
            Self::Cover(_) => Some(Flags::of(graph).places().collect()),
            Self::Calls(_)
            | Self::Times(_)
            | Self::Root(_)
            | Self::Durations(_)
            | Self::Paths(_)
            | Self::Trace(_) => None,
            #[cfg(test)]
            Self::Visits(_) => None,
        }
    }

    /// The paths that it counts, and where the counters in front of theirs go.
    pub(crate) fn paths(&self, graph: &Graph<'_>) -> Option<(CountedPaths, Vec<Place>)> {
        let Self::Paths(Paths { blocks, .. }) = self else { return None };
        Some(CountedPaths::of(graph, *blocks))
    }

    /// The calls that it counts, by their offsets; their numbers follow those of `places` others.
    pub(crate) fn calls(&self, graph: &Graph<'_>, places: usize) -> Option<BTreeMap<u32, CountedCall>> {
        let Self::Calls(Calls { id, of, .. }) = self else { return None };
        let first = id.0.saturating_add(u32::try_from(places).unwrap_or(u32::MAX));
        let (calls, _) = graph.numbered_calls(*of, first);
        let wanted = |one: &&NumberedCall<'_, '_>| *of == OfCalls::Entered || one.call.is_dispatched();
        let counted = calls.iter().filter(wanted).map(|NumberedCall { call, number, .. }| {
            let (number, is_dispatched) = (*number, call.is_dispatched());
            let member = names::member_digest(call.target.name, call.target.descriptor);
            let arguments = match of {
                OfCalls::Entered => Vec::new(),
                OfCalls::Receivers => receivers::arguments(call.target.descriptor),
            };
            let is_exact = call.is_exact;
            (call.at, CountedCall { number, is_dispatched, is_exact, member, arguments })
        });
        Some(counted.collect())
    }

    /// The places that make arrays, if it counts them, by their offsets; their numbers follow those of the calls.
    pub(crate) fn arrays(&self, graph: &Graph<'_>, places: usize) -> Option<BTreeMap<u32, CountedArray>> {
        let Self::Calls(calls) = self else { return None };
        Some(calls.arrays(graph, places))
    }

    /// Whether it counts what entered the method.
    pub(crate) fn has_arcs(&self) -> bool {
        matches!(self, Self::Calls(Calls { of: OfCalls::Entered, .. }))
    }

    /// Whether it tells the method's segments.
    pub(crate) fn has_segments(&self) -> bool {
        matches!(self, Self::Trace(_))
    }

    /// Refuses a method that the kind cannot measure.
    pub(crate) fn check(&self, subject: &Subject<'_, '_>) -> Result<(), Refusal> {
        match self {
            Self::Times(times) => times.check(subject),
            Self::Blocks(_)
            | Self::Calls(_)
            | Self::Cover(_)
            | Self::Root(_)
            | Self::Durations(_)
            | Self::Paths(_)
            | Self::Trace(_) => Ok(()),
            #[cfg(test)]
            Self::Visits(_) => Ok(()),
        }
    }

    /// The local variables kept from site to site. They are zero until the entry code sets them.
    pub(crate) fn locals(&self, subject: &Subject<'_, '_>) -> Vec<Kind> {
        match self {
            Self::Times(times) => times.locals(),
            Self::Blocks(_) => Blocks::locals(subject),
            Self::Paths(_) => Paths::locals(subject),
            Self::Calls(calls) => calls.locals(subject),
            Self::Cover(_) => Vec::new(),
            Self::Root(_) => Root::locals(),
            Self::Durations(_) => vec![Kind::Long],
            Self::Trace(trace) => trace.locals(),
            #[cfg(test)]
            Self::Visits(visits) => visits.locals(),
        }
    }

    pub(crate) fn wanted(&self) -> Wanted {
        match self {
            Self::Times(_) => Times::WANTED,
            Self::Blocks(_) => Blocks::WANTED,
            Self::Paths(_) => Paths::WANTED,
            Self::Calls(_) => Calls::WANTED,
            Self::Cover(_) => Cover::WANTED,
            Self::Root(_) => Root::WANTED,
            Self::Durations(_) => Durations::WANTED,
            Self::Trace(trace) => trace.wanted(),
            #[cfg(test)]
            Self::Visits(visits) => visits.wanted(),
        }
    }

    /// Whether the kind has code there.
    pub(crate) fn is_on(&self, site: Site, subject: &Subject<'_, '_>) -> bool {
        match self {
            Self::Blocks(_) => Blocks::is_on(site, subject),
            Self::Paths(_) => Paths::is_on(site, subject),
            Self::Cover(cover) => cover.is_on(site, subject),
            Self::Trace(_) => Trace::is_on(site, subject),
            Self::Calls(_) | Self::Times(_) | Self::Root(_) | Self::Durations(_) => false,
            #[cfg(test)]
            Self::Visits(_) => false,
        }
    }

    /// Writes the code of a site; returns the stack words it needs at most.
    pub(crate) fn at(
        &self,
        site: Site,
        subject: &Subject<'_, '_>,
        slots: Slots<'_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        match self {
            Self::Times(times) => times.at(site, subject, slots, code),
            Self::Blocks(blocks) => blocks.at(site, subject, slots, code),
            Self::Paths(paths) => paths.at(site, subject, slots, code),
            Self::Calls(calls) => calls.at(site, subject, slots, code),
            Self::Cover(cover) => cover.at(site, subject, code),
            Self::Root(root) => root.at(site, subject, slots, code),
            Self::Durations(durations) => durations.at(site, slots, code),
            Self::Trace(trace) => trace.at(site, subject, slots, code),
            #[cfg(test)]
            Self::Visits(visits) => visits.at(site, slots, code),
        }
    }

    /// Writes the code behind the entry code of all kinds; returns the stack words it needs at most.
    pub(crate) fn entered(
        &self,
        subject: &Subject<'_, '_>,
        slots: Slots<'_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        match self {
            Self::Blocks(blocks) => blocks.entered(subject, slots, code),
            Self::Calls(calls) => calls.entered(slots, code),
            Self::Cover(_)
            | Self::Times(_)
            | Self::Root(_)
            | Self::Durations(_)
            | Self::Paths(_)
            | Self::Trace(_) => Ok(0),
            #[cfg(test)]
            Self::Visits(_) => Ok(0),
        }
    }

    /// Writes the code that counts a call which could not be recorded; returns its stack words. The code must
    /// contain no call: after a call has overflowed the stack, another call would too.
    pub(crate) fn lost(&self, code: &mut Emitter<'_, '_>) -> Result<usize, Refusal> {
        match self {
            Self::Times(_) => Times::lost(code),
            Self::Blocks(_) | Self::Paths(_) => code.uncounted(names::COUNTERS_CLASS).map(|_| 2),
            Self::Trace(_) => code.uncounted(names::TRACE_CLASS).map(|_| 2),
            Self::Calls(_) | Self::Cover(_) | Self::Root(_) | Self::Durations(_) => Ok(0),
            #[cfg(test)]
            Self::Visits(_) => Ok(0),
        }
    }
}
