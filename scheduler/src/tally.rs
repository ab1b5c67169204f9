//! Samples and counts of each method, in all JVMs together.

use crate::MethodIx;
use crate::standing::Arrival;
use spl_model::{Bucket, Lack};
use std::collections::{BTreeMap, BTreeSet};

/// Samples and counts of one method.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    /// True once its measurement is complete.
    finished: bool,
    /// Samples that count.
    pub(crate) counted: u64,
    /// Samples that came after the method had finished.
    pub(crate) late: u64,
    /// Samples that were discarded, as warm-up or as disturbed.
    pub(crate) discarded: u64,
    /// Discarded samples that were disturbed and nothing else.
    pub(crate) disturbed: u64,
    /// Samples that found no partner in their window.
    pub(crate) surplus: u64,
    /// Samples of this method known to be lost.
    pub(crate) dropped: u64,
    /// Samples of unknown methods that were lost before this one was measured first.
    dropped_before: Option<u64>,
    /// Durations in nanoseconds by bucket; `counted` of them, so at most `max-method-measurements`.
    pub(crate) buckets: BTreeMap<Bucket, Vec<u64>>,
    /// Number of openings of its gate, and its open time up to the last closing, nanoseconds of the owner's
    /// clock.
    pub(crate) openings: u64,
    pub(crate) open_ns: u64,
    /// Time in which its gate could take calls, nanoseconds, and the calls in it, with those passed over.
    pub(crate) looked_ns: u64,
    pub(crate) calls: u64,
    /// True if its gate once stayed closed because the budget was used up.
    pub(crate) unpaid: bool,
    /// Reason why it could not be measured.
    pub(crate) missing: Option<Lack>,
}

impl Tally {
    /// The durations in a bucket.
    pub(crate) fn bucket(&self, bucket: &Bucket) -> &[u64] {
        self.buckets.get(bucket).map_or(&[], Vec::as_slice)
    }

    /// Counts an arriving sample, unless it is one that counts: [`take`](Self::take) counts those.
    pub(crate) fn note(&mut self, arrival: Arrival) {
        match arrival {
            Arrival::Counts => {}
            Arrival::Late => self.late += 1,
            Arrival::Discarded { disturbed } => {
                self.discarded = self.discarded.saturating_add(1);
                self.disturbed = self.disturbed.saturating_add(u64::from(disturbed));
            }
        }
    }

    /// Takes a sample that counts and gives the number of samples that its bucket has now.
    fn take(&mut self, bucket: &Bucket, duration_ns: u64) -> u64 {
        self.counted += 1;
        if let Some(durations) = self.buckets.get_mut(bucket) {
            durations.push(duration_ns);
            durations.len() as u64
        } else {
            self.buckets.insert(bucket.clone(), vec![duration_ns]);
            1
        }
    }
}

/// The tallies of all methods, in the order of the task file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tallies {
    methods: Vec<Tally>,
    unfinished: usize,
    /// Lost samples whose method is unknown.
    dropped_of_unknown: u64,
}

impl Tallies {
    /// Tallies of this number of methods.
    pub(crate) fn new(methods: usize) -> Self {
        Self { methods: vec![Tally::default(); methods], unfinished: methods, dropped_of_unknown: 0 }
    }

    pub(crate) fn get(&self, method: MethodIx) -> Option<&Tally> {
        self.methods.get(method.0)
    }

    pub(crate) fn get_mut(&mut self, method: MethodIx) -> Option<&mut Tally> {
        self.methods.get_mut(method.0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (MethodIx, &Tally)> {
        self.methods.iter().enumerate().map(|(index, tally)| (MethodIx(index), tally))
    }

    pub(crate) fn len(&self) -> usize {
        self.methods.len()
    }

    /// Samples of a method that count.
    pub(crate) fn counted(&self, method: MethodIx) -> u64 {
        self.get(method).map_or(0, |tally| tally.counted)
    }

    /// Takes a sample that counts and gives the number of samples that its bucket has now.
    pub(crate) fn take(&mut self, method: MethodIx, bucket: &Bucket, duration_ns: u64) -> u64 {
        self.get_mut(method).map_or(0, |tally| tally.take(bucket, duration_ns))
    }

    /// Whether the method is finished. A method that does not exist counts as finished: it never delivers.
    pub(crate) fn is_finished(&self, method: MethodIx) -> bool {
        self.get(method).is_none_or(|tally| tally.finished)
    }

    /// Whether every method is finished.
    pub(crate) fn are_finished(&self) -> bool {
        self.unfinished == 0
    }

    pub(crate) fn finish(&mut self, method: MethodIx) {
        if let Some(tally) = self.methods.get_mut(method.0) {
            self.unfinished -= usize::from(!std::mem::replace(&mut tally.finished, true));
        }
    }

    /// Notes that a method is measured for the first time, or again.
    pub(crate) fn begin(&mut self, method: MethodIx) {
        let lost = self.dropped_of_unknown;
        if let Some(tally) = self.methods.get_mut(method.0) {
            tally.dropped_before.get_or_insert(lost);
        }
    }

    /// Sets the reason why a method can't be measured.
    pub(crate) fn set_missing(&mut self, method: MethodIx, why: Lack) {
        if let Some(tally) = self.methods.get_mut(method.0) {
            tally.missing = Some(why);
        }
    }

    /// Counts lost samples.
    pub(crate) fn drop_samples(&mut self, method: Option<MethodIx>, count: u64) {
        match method {
            None => self.dropped_of_unknown = self.dropped_of_unknown.saturating_add(count),
            Some(method) => {
                if let Some(tally) = self.methods.get_mut(method.0) {
                    tally.dropped = tally.dropped.saturating_add(count);
                }
            }
        }
    }

    /// Number of lost samples of these methods, with those of unknown methods since the first of these was
    /// measured.
    pub(crate) fn dropped_of(&self, methods: &[MethodIx]) -> u64 {
        let distinct = methods.iter().collect::<BTreeSet<_>>();
        let tallies = || distinct.iter().filter_map(|&&method| self.get(method));
        let own = tallies().fold(0_u64, |sum, tally| sum.saturating_add(tally.dropped));
        let before = tallies().filter_map(|tally| tally.dropped_before).min();
        own.saturating_add(before.map_or(0, |before| self.dropped_of_unknown - before))
    }
}
