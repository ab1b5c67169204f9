//! Times of calls: taken out of the rings, tagged with their disturbances, and kept until they are sent.

pub mod pace;
pub mod rings;

use crate::fault;
use crate::layout::{NOBODYS_GATE, SIZE_LABEL};
use crate::pauses::Known;
use crate::shared::Shared;
use crate::station::{Named, Station};
use crate::sys;
use crate::warmth::Warmth;
use pace::Pace;
use rings::{Raw, Rings};
use spl_model::{InstrumentId, SampleFlags};
use spl_wire::{MAX_SAMPLES, Readings, ToController, WireSample, WireSize};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Most samples that wait for the controller; about 10 MB.
const MAX_WAITING: usize = 200_000;

/// The reading side of the rings, and the samples taken from them.
#[derive(Debug)]
pub struct Times {
    shared: &'static Shared,
    /// `None` until the rings are mapped.
    rings: Option<Rings>,
    pace: Pace,
    waiting: Vec<WireSample>,
    dropped: u64,
    anomalies: u64,
}

impl Times {
    /// A reader without samples.
    pub fn new(shared: &'static Shared) -> Self {
        Self { shared, rings: None, pace: Pace::new(), waiting: Vec::new(), dropped: 0, anomalies: 0 }
    }

    /// Discards the readings of an earlier session.
    pub fn begin(&mut self) {
        self.take_raw(&mut |_| {});
        self.waiting.clear();
        (self.dropped, self.anomalies) = (0, 0);
    }

    /// A gate was opened, and this number of samples may come before all gates have closed.
    pub fn opens(&mut self, may_come: u64) {
        self.pace.opens(may_come);
    }

    /// Time between the last look at the rings and the next, while a gate is open.
    pub fn pause(&self) -> Duration {
        self.pace.pause()
    }

    /// Whether a message is full.
    pub fn is_full(&self) -> bool {
        self.waiting.len() >= MAX_SAMPLES
    }

    /// The openings of a method's gate with calls that still run.
    pub fn running(&self, id: InstrumentId) -> BTreeSet<u32> {
        self.rings.as_ref().map(|rings| rings.running(id)).unwrap_or_default()
    }

    /// Empties the rings and closes the gates of methods that have reached their quota.
    pub fn drain(&mut self, station: &mut Station) {
        self.drain_at(station, sys::now_ns());
    }

    /// Like [`drain`](Self::drain), at this time: samples that were claimed long before it and are not
    /// written are given up.
    pub fn drain_at(&mut self, station: &mut Station, now_ns: u64) {
        let Self { shared, rings, pace, waiting, dropped, anomalies } = self;
        let Some(rings) = rings else { return };
        if station.has_numbers() {
            fault::at("socket thread");
        }
        let (from, mut first_ns) = (waiting.len(), u64::MAX);
        let own_thread = shared.agent_thread.load(Ordering::Acquire);
        let fullest = rings.drain(now_ns, &mut |raw| {
            // Calls in the agent thread, made while classes are changed, are not the program's.
            if own_thread != 0 && raw.thread == own_thread {
                return;
            }
            let Some(named) = station.count(raw.id) else { return };
            if raw.end_ns < raw.start_ns {
                *anomalies += 1;
            } else if waiting.len() >= MAX_WAITING {
                *dropped += 1;
            } else {
                first_ns = first_ns.min(raw.start_ns);
                waiting.push(sample(named, &raw));
            }
        });
        *dropped += rings.lost();
        station.book();
        pace.looked(Instant::now(), fullest, station.is_unbounded());
        if waiting.len() == from {
            return;
        }
        // All disturbances of the calls just taken are known now.
        let tags = Tags::new(shared);
        if !tags.any_since(first_ns) {
            return;
        }
        for sample in &mut waiting[from..] {
            let id = station.id(sample.handle).unwrap_or(NOBODYS_GATE);
            sample.flags |= tags.of(id, sample.start_ns, sample.end_ns).0;
        }
    }

    /// Passes the waiting samples to `put` as messages, ordered by the starts of the calls.
    pub fn send(&mut self, mut put: impl FnMut(&ToController)) {
        self.waiting.sort_by_key(|sample| sample.start_ns);
        let mut rest = std::mem::take(&mut self.waiting);
        while !rest.is_empty() || self.dropped > 0 || self.anomalies > 0 {
            let more = rest.split_off(rest.len().min(MAX_SAMPLES));
            let (dropped, anomalies) = (self.dropped, self.anomalies);
            (self.dropped, self.anomalies) = (0, 0);
            let message = ToController::Readings { readings: Readings::Times(rest), dropped, anomalies };
            put(&message);
            rest = more;
            // The first message's memory serves the next samples.
            if let ToController::Readings { readings: Readings::Times(mut samples), .. } = message
                && self.waiting.capacity() == 0
            {
                samples.clear();
                self.waiting = samples;
            }
        }
    }

    /// Empties the rings of samples that belong to no controller. Losses do not count here.
    pub fn take_raw(&mut self, take: &mut impl FnMut(Raw)) {
        if let Some(rings) = self.rings() {
            rings.drain(sys::now_ns(), take);
            rings.lost();
        }
    }

    /// The rings, once the agent thread has made room for them.
    fn rings(&mut self) -> Option<&mut Rings> {
        if self.rings.is_none() {
            self.rings = self.shared.blocks().map(Rings::new);
        }
        self.rings.as_mut()
    }
}

/// Disturbances of the calls of one drain.
struct Tags {
    warmth: &'static Warmth,
    collections: Known,
    changes: Known,
}

impl Tags {
    /// Must be called after the samples were published: their disturbances are known then.
    fn new(shared: &'static Shared) -> Self {
        let (collections, changes) = (shared.collections.read(), shared.changes.read());
        Self { warmth: &shared.warmth, collections, changes }
    }

    /// Whether anything may have disturbed calls that began at this time or later. Usually nothing has.
    fn any_since(&self, start_ns: u64) -> bool {
        let disturbed = |known: &Known| known.overlaps(start_ns, u64::MAX);
        disturbed(&self.collections) || disturbed(&self.changes) || self.warmth.awaits_any(start_ns)
    }

    fn of(&self, id: InstrumentId, start_ns: u64, end_ns: u64) -> SampleFlags {
        flags([
            (self.warmth.is_cold(id, start_ns), SampleFlags::WARM_UP),
            (self.collections.overlaps(start_ns, end_ns), SampleFlags::GC),
            (self.changes.overlaps(start_ns, end_ns), SampleFlags::RETRANSFORM),
        ])
    }
}

/// The flags that are set.
fn flags<const N: usize>(all: [(bool, SampleFlags); N]) -> SampleFlags {
    let set = all.into_iter().filter(|(is, _)| *is);
    set.fold(SampleFlags::default(), |flags, (_, flag)| flags.with(flag))
}

fn sample(Named { handle, size }: Named, raw: &Raw) -> WireSample {
    let truncated = raw.size.is_some_and(|(_, truncated)| truncated);
    let flags = flags([(raw.threw, SampleFlags::THREW), (truncated, SampleFlags::SIZE_TRUNCATED)]);
    WireSample {
        handle,
        start_ns: raw.start_ns,
        end_ns: raw.end_ns,
        thread: raw.thread,
        depth: raw.depth,
        size: match raw.size {
            None => size.map_or(WireSize::Unchecked, WireSize::Value),
            Some((size, _)) if size & SIZE_LABEL != 0 => WireSize::Label(size as u32),
            Some((size, _)) => WireSize::Value(size),
        },
        flags: flags.0,
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::record;
