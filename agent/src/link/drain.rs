//! Empties the rings: how often, and what becomes of each sample until it is sent.
//!
//! A look costs some microseconds, which on a server with one processor are the program's. So it looks rarely as long as little
//! comes, and in blocks that are in use only.

use super::{DRAIN_EVERY, Link, Parts};
use crate::fault;
use crate::layout::{NOBODYS_GATE, OWN_SLOTS, SIZE_LABEL, SLOTS};
use crate::pauses::Known;
use crate::rings::Raw;
use crate::state::State;
use crate::sys;
use crate::warmth::Warmth;
use spl_model::{Handle, InstrumentId, SampleFlags};
use spl_wire::{WireSample, WireSize};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Samples that wait for the controller at most; about 10 MB.
const MAX_WAITING: usize = 200_000;
/// The longest time between two looks at the rings while a gate is open.
const LOOK_LAST: Duration = Duration::from_millis(8);
/// What the smallest ring holds: a stripe's, of which the probes keep a quarter free.
const ROOM: u64 = if OWN_SLOTS < SLOTS / 4 * 3 { OWN_SLOTS } else { SLOTS / 4 * 3 };
/// No ring may hold more when it is looked at, or the next look comes soon. The pause doubles at most, so a stripe's ring overflows
/// only when calls come more than 6 times as fast from one look to the next, and a thread's own at 16 times.
const MUCH: u64 = ROOM / 12;

/// When to look at the rings next.
#[derive(Debug)]
pub(super) struct Pace {
    pause: Duration,
    looked: Instant,
}

impl Pace {
    /// Soon at first: nobody knows yet how fast calls come.
    pub(super) fn new() -> Self {
        Self { pause: DRAIN_EVERY, looked: Instant::now() }
    }

    /// A gate opens, and so many samples may come before all gates have closed. What cannot fill a ring need not be awaited.
    pub(super) fn opens(&mut self, may_come: u64) {
        if may_come > ROOM {
            *self = Self::new();
        }
    }

    /// Between the last look and the next.
    pub(super) fn pause(&self) -> Duration {
        self.pause
    }

    /// Looked at `now`, and found so many samples in the fullest ring. `unbounded` says that a gate is open for as many calls
    /// as come, so that they must not be lost however suddenly they come.
    fn looked(&mut self, now: Instant, fullest: u64, unbounded: bool) {
        if unbounded || fullest > MUCH {
            self.pause = DRAIN_EVERY;
        } else if now.saturating_duration_since(self.looked) < self.pause {
            // A message came in between; the time was too short to tell.
            return;
        } else {
            self.pause = (self.pause * 2).min(LOOK_LAST);
        }
        self.looked = now;
    }
}

/// What this session calls a method.
#[derive(Clone, Copy, Debug)]
struct Named {
    handle: Handle,
    /// The workload size of all its calls, if they have the same.
    size: Option<u64>,
}

/// What is known of each permanent method id.
#[derive(Debug, Default)]
pub(super) struct Handles {
    /// Of each id that this session has instrumented.
    handles: Vec<Option<Named>>,
    /// Samples of each in the drain that goes on, and which of them have any.
    taken: Vec<u64>,
    touched: Vec<InstrumentId>,
}

impl Handles {
    pub(super) fn get(&self, id: InstrumentId) -> Option<Handle> {
        Some(self.named(id)?.handle)
    }

    fn named(&self, id: InstrumentId) -> Option<Named> {
        *self.handles.get(id.index())?
    }

    /// `size` is the workload size of all calls, if they have the same.
    pub(super) fn insert(&mut self, id: InstrumentId, handle: Handle, size: Option<u64>) {
        let needed = self.handles.len().max(id.index() + 1);
        self.handles.resize(needed, None);
        self.taken.resize(needed, 0);
        self.handles[id.index()] = Some(Named { handle, size });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.handles.is_empty()
    }

    /// Counts a sample of a method.
    fn take(&mut self, id: InstrumentId) -> Option<Named> {
        let named = self.named(id)?;
        let taken = &mut self.taken[id.index()];
        if *taken == 0 {
            self.touched.push(id);
        }
        *taken += 1;
        Some(named)
    }

    /// An id and its handle with what was counted since the last time, until there is no more.
    fn next_taken(&mut self) -> Option<(InstrumentId, Handle, u64)> {
        let id = self.touched.pop()?;
        let taken = std::mem::take(&mut self.taken[id.index()]);
        Some((id, self.get(id)?, taken))
    }
}

impl Link {
    /// Empties the rings and closes the gates of methods that have had enough.
    pub(super) fn drain(&mut self) {
        self.drain_at(sys::now_ns());
    }

    /// As [`drain`](Self::drain), at this time: samples that were claimed long before it and are not written are given up.
    pub(super) fn drain_at(&mut self, now_ns: u64) {
        let Self {
            methods, handles, open, may_come, waiting, dropped, anomalies, parts, pace, rings, ..
        } = self;
        let (Parts { state, .. }, Some(rings)) = (parts, rings) else { return };
        if !handles.is_empty() {
            fault::at("socket thread");
        }
        let (from, mut first_ns) = (waiting.len(), u64::MAX);
        let own_thread = state.agent_thread.load(Ordering::Acquire);
        let fullest = rings.drain(now_ns, &mut |raw| {
            // What a change of classes calls in the agent thread is nothing of the program's.
            if own_thread != 0 && raw.thread == own_thread {
                return;
            }
            let Some(named) = handles.take(raw.id) else { return };
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
        while let Some((id, handle, taken)) = handles.next_taken() {
            let Some(method) = methods.get_mut(&handle) else { continue };
            method.taken += taken;
            if method.left > 0 {
                *may_come = may_come.saturating_sub(method.left.min(taken));
                method.left = method.left.saturating_sub(taken);
                if method.left == 0 {
                    open.remove(&handle);
                    state.gates.close(id);
                }
            }
        }
        let unbounded = open.iter().any(|handle| methods.get(handle).is_some_and(|method| method.unbounded));
        pace.looked(Instant::now(), fullest, unbounded);
        if waiting.len() == from {
            return;
        }
        // Now all is known that disturbed the calls which have just been taken.
        let tags = Tags::new(state);
        if !tags.any_since(first_ns) {
            return;
        }
        for sample in &mut waiting[from..] {
            let id = methods.get(&sample.handle).and_then(|method| method.id);
            sample.flags |= tags.of(id.unwrap_or(NOBODYS_GATE), sample.start_ns, sample.end_ns).0;
        }
    }
}

/// What disturbed the calls of one drain.
struct Tags {
    warmth: &'static Warmth,
    collections: Known,
    changes: Known,
}

impl Tags {
    /// To be made after the samples were published: what disturbed them is known then.
    fn new(state: &'static State) -> Self {
        let (collections, changes) = (state.collections.read(), state.changes.read());
        Self { warmth: &state.warmth, collections, changes }
    }

    /// Whether anything may have disturbed calls that began at this time or later. Mostly nothing has.
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
mod tests {
    use super::*;

    #[test]
    fn looks_are_rare_as_long_as_little_comes() {
        let mut pace = Pace::new();
        let mut now = pace.looked;
        let mut pauses = |looks: &[(u64, bool)]| {
            let after = |&(fullest, unbounded): &(u64, bool)| {
                now += pace.pause();
                pace.looked(now, fullest, unbounded);
                pace.pause().as_millis()
            };
            looks.iter().map(after).collect::<Vec<_>>()
        };
        assert_eq!(pauses(&[(0, false), (MUCH, false), (1, false), (0, false)]), [2, 4, 8, 8]);
        assert_eq!(pauses(&[(MUCH + 1, false), (0, false), (0, true), (0, true)]), [1, 2, 1, 1]);
    }

    #[test]
    fn it_looks_soon_when_so_many_may_come_that_a_ring_cannot_hold_them() {
        let mut pace = Pace::new();
        pace.looked(pace.looked + DRAIN_EVERY, 0, false);
        pace.opens(ROOM);
        assert_eq!(pace.pause(), DRAIN_EVERY * 2);
        pace.opens(ROOM + 1);
        assert_eq!(pace.pause(), DRAIN_EVERY);
    }

    #[test]
    fn a_look_that_a_message_brought_about_says_little() {
        let mut pace = Pace::new();
        let now = pace.looked;
        pace.looked(now + DRAIN_EVERY / 2, 0, false);
        assert_eq!(pace.pause(), DRAIN_EVERY);
        pace.looked(now + DRAIN_EVERY, 0, false);
        assert_eq!(pace.pause(), DRAIN_EVERY * 2);
        pace.looked(now + DRAIN_EVERY, MUCH + 1, false);
        assert_eq!(pace.pause(), DRAIN_EVERY, "but that much came says enough");
    }
}
