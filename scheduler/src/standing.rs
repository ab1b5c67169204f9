//! State of a method in one JVM.

use crate::{Settings, WarmUp};
use spl_model::{Sample, SampleFlags};

/// Status of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// The method was never measured.
    Waiting,
    /// The method is measured: its gate is open.
    Measured,
    /// The method's group takes turns; its gate is closed until its next turn. With windows only.
    Resting,
    /// The method waits for a call: its gate is open for a few calls, and it holds no place. A call gives it
    /// one. Without windows only.
    Listening,
    /// The method was measured or heard, and waits again.
    Suspended,
    /// The measurement of the method is complete.
    Finished,
}

impl Status {
    /// Whether the method waits for measurement, for the first time or again.
    pub(crate) fn waits(self) -> bool {
        matches!(self, Self::Waiting | Self::Suspended)
    }

    /// Whether the method is measured, alone or in turn with others.
    pub(crate) fn is_active(self) -> bool {
        matches!(self, Self::Measured | Self::Resting)
    }

    /// Whether the method's probes should be in.
    pub(crate) fn has_probes(self) -> bool {
        self.is_active() || self == Self::Listening
    }
}

/// Use of an arriving sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// The sample counts.
    Counts,
    /// The sample came after its method had finished.
    Late,
    /// The sample is discarded: only because it was disturbed, or else as warm-up.
    Discarded { disturbed: bool },
}

/// One method in one JVM, with its status and its warm-up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Standing {
    /// Index of its class, in the order in which the task file names classes first.
    pub(crate) class: usize,
    /// Number of the unit that is measured and suspended together: with windows the method's group, otherwise
    /// the method alone.
    pub(crate) unit: usize,
    pub(crate) status: Status,
    /// Earliest time at which its gate may open, nanoseconds of the owner's clock.
    pub(crate) opens_at_ns: u64,
    /// Number that rises with each start of a measurement: the method with the smallest is measured for
    /// longest.
    pub(crate) turn: u64,
    /// First opening of its gate since the last start, nanoseconds of the owner's clock.
    pub(crate) served_from_ns: Option<u64>,
    /// Time from the first opening of its gate to the end of its place, of all its earlier places, nanoseconds.
    pub(crate) served_ns: u64,
    /// The latest end and the one before it, nanoseconds of the JVM's clock.
    ends_ns: (Option<u64>, Option<u64>),
    warming: Warming,
    /// Whether a sample counted since its probes went in.
    pub(crate) warm: bool,
    /// Number of times that its gate was closed.
    pub(crate) closings: u64,
}

/// Progress of the current warm-up.
#[derive(Clone, Debug, Default, PartialEq)]
struct Warming {
    seen: u64,
    first_start_ns: Option<u64>,
}

impl Standing {
    pub(crate) fn new(class: usize, unit: usize) -> Self {
        Self {
            class,
            unit,
            status: Status::Waiting,
            opens_at_ns: 0,
            turn: 0,
            served_from_ns: None,
            served_ns: 0,
            ends_ns: (None, None),
            warming: Warming::default(),
            warm: false,
            closings: 0,
        }
    }

    /// Time between the last two measurement ends; `None` before there were two. A suspension does not reset
    /// it.
    pub(crate) fn last_gap_ns(&self) -> Option<u64> {
        match self.ends_ns {
            (Some(last), Some(before)) => Some(last - before),
            _ => None,
        }
    }

    /// Restarts the warm-up: the compiled code of the method's class is gone.
    pub(crate) fn cool_down(&mut self, opens_at_ns: u64) {
        self.opens_at_ns = opens_at_ns;
        self.warming = Warming::default();
        self.warm = false;
    }

    /// Notes an arriving sample and gives its use. A discarded sample is flagged, as one is that began before
    /// `warm_from_ns`.
    pub(crate) fn arrive(&mut self, sample: &mut Sample, settings: &Settings, warm_from_ns: u64) -> Arrival {
        self.ended(sample.end_ns());
        let warms_up = settings.warm_up.is_some_and(|warm_up| self.warming.takes(sample, warm_up))
            || sample.start_ns() < warm_from_ns;
        let has = |flag| sample.flags.contains(flag);
        let disturbed = has(SampleFlags::GC) || has(SampleFlags::RETRANSFORM);
        if warms_up || (disturbed && settings.discard_disturbed) {
            sample.flags = sample.flags.with(SampleFlags::DISCARDED);
        }
        if self.status == Status::Finished {
            Arrival::Late
        } else if sample.flags.contains(SampleFlags::DISCARDED) {
            Arrival::Discarded { disturbed: !warms_up && disturbed }
        } else {
            Arrival::Counts
        }
    }

    fn ended(&mut self, end_ns: u64) {
        let (last, before) = self.ends_ns;
        // Batches of different threads may arrive out of order: the two latest ends count, not the last
        // arrivals.
        self.ends_ns =
            if Some(end_ns) >= last { (Some(end_ns), last) } else { (last, before.max(Some(end_ns))) };
    }
}

impl Warming {
    /// Whether the sample belongs to the warm-up.
    fn takes(&mut self, sample: &Sample, warm_up: WarmUp) -> bool {
        let first = *self.first_start_ns.get_or_insert(sample.start_ns());
        let few = self.seen < warm_up.samples;
        let early = sample.start_ns().saturating_sub(first) < warm_up.time_ns;
        self.seen = self.seen.saturating_add(1);
        few || early || sample.flags.contains(SampleFlags::WARM_UP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(start_ns: u64) -> Sample {
        Sample::new(start_ns, start_ns + 1).unwrap()
    }

    #[test]
    fn the_gap_is_that_of_the_two_latest_ends() {
        let check = |ends: &[u64], expected: Option<u64>| {
            let mut method = Standing::new(0, 0);
            for &end in ends {
                method.ended(end);
            }
            assert_eq!(method.last_gap_ns(), expected, "{ends:?}");
        };
        check(&[], None);
        check(&[5], None);
        check(&[5, 9], Some(4));
        check(&[9, 5], Some(4));
        check(&[5, 9, 10], Some(1));
        check(&[5, 10, 9], Some(1));
        check(&[5, 10, 3], Some(5));
        check(&[7, 7], Some(0));
    }

    #[test]
    fn warm_up_ends_by_count_and_by_time() {
        let check = |samples: u64, time_ns: u64, starts: &[u64], expected: usize| {
            let settings = Settings { warm_up: Some(WarmUp { samples, time_ns }), ..Settings::thesis() };
            let mut method = Standing::new(0, 0);
            let counts = starts
                .iter()
                .filter(|&&start| method.arrive(&mut sample(start), &settings, 0) == Arrival::Counts)
                .count();
            assert_eq!(counts, expected, "{samples} samples, {time_ns} ns, {starts:?}");
        };
        check(2, 0, &[10, 20, 30, 40], 2);
        check(0, 15, &[10, 20, 30, 40], 2);
        check(0, 20, &[10, 20, 30, 40], 2);
        check(0, 21, &[10, 20, 30, 40], 1);
        check(3, 15, &[10, 20, 30, 40], 1);
        check(0, 0, &[10, 20], 2);
    }

    #[test]
    fn samples_that_the_agent_calls_warm_up_count_only_in_the_thesis_profile() {
        let mut flagged = sample(10);
        flagged.flags = SampleFlags::WARM_UP.with(SampleFlags::GC);
        let mut method = Standing::new(0, 0);
        assert_eq!(method.arrive(&mut flagged, &Settings::thesis(), 0), Arrival::Counts);
        let settings = Settings { warm_up: Some(WarmUp { samples: 0, time_ns: 0 }), ..Settings::thesis() };
        assert_eq!(method.arrive(&mut flagged, &settings, 0), Arrival::Discarded { disturbed: false });
    }

    #[test]
    fn a_new_warm_up_starts_when_code_is_thrown_away() {
        let settings = Settings { warm_up: Some(WarmUp { samples: 1, time_ns: 0 }), ..Settings::thesis() };
        let mut method = Standing::new(0, 0);
        let record = |method: &mut Standing| method.arrive(&mut sample(10), &settings, 0) == Arrival::Counts;
        assert_eq!([record(&mut method), record(&mut method)], [false, true]);
        method.cool_down(0);
        assert!(!record(&mut method));
    }

    #[test]
    fn disturbed_calls_are_discarded_where_asked_for() {
        let check = |flags: SampleFlags, discard_disturbed, counts| {
            let settings = Settings { discard_disturbed, ..Settings::thesis() };
            let mut sample = sample(10);
            sample.flags = flags;
            let arrival = if counts { Arrival::Counts } else { Arrival::Discarded { disturbed: true } };
            assert_eq!(Standing::new(0, 0).arrive(&mut sample, &settings, 0), arrival, "{flags:?}");
            assert_eq!(sample.flags.contains(SampleFlags::DISCARDED), !counts);
        };
        for flag in [SampleFlags::GC, SampleFlags::RETRANSFORM] {
            check(flag, false, true);
            check(flag, true, false);
        }
        check(SampleFlags::THREW, true, true);
    }
}
