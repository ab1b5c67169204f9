//! Samples on their way from the rings to the controller, and what is known of them.

use super::{Link, Method, Parts};
use crate::bypass::Bypass;
use crate::fault;
use crate::layout::SIZE_LABEL;
use crate::pauses::Known;
use crate::rings::Raw;
use crate::state::{Command, State};
use crate::stream::Stream;
use crate::sys;
use crate::warmth::Warmth;
use spl_model::{Outcome, SampleFlags};
use spl_wire::{MAX_SAMPLES, Notice, ToController, WireSample, WireSize};
use std::time::Instant;

/// Samples that wait for the controller at most; about 10 MB.
const MAX_WAITING: usize = 200_000;
/// Size labels in one message, of some hundred bytes each.
const MAX_LABELS: usize = 256;

impl Link {
    /// Says of which methods no more samples come until their gate is opened again.
    pub(super) fn say_idle(&mut self, stream: &mut Stream) {
        let Parts { rings, state, .. } = &self.parts;
        let (methods, is_over) = (&self.methods, |id| !rings.is_running(id, state.gates.epoch(id)));
        let id_of = |handle: &u32| methods.get(handle).and_then(|method| method.id);
        let idle: Vec<u32> =
            self.closing.iter().copied().filter(|handle| id_of(handle).is_none_or(is_over)).collect();
        if idle.is_empty() {
            return;
        }
        // What the calls left in the rings goes first.
        self.drain();
        self.send(stream);
        for handle in idle {
            self.closing.remove(&handle);
            stream.put(&ToController::Idle { handle });
        }
    }

    /// Empties the rings and closes the gates of methods that have had enough.
    pub(super) fn drain(&mut self) {
        let Self { methods, handles, waiting, dropped, anomalies, parts, .. } = self;
        let Parts { rings, state, .. } = parts;
        if !handles.is_empty() {
            fault::at("socket thread");
        }
        let from = waiting.len();
        rings.drain(sys::now_ns(), &mut |raw| {
            let Some(&handle) = handles.get(&raw.id) else { return };
            let Some(method) = methods.get_mut(&handle) else { return };
            method.taken += 1;
            if method.left > 0 {
                method.left -= 1;
                if method.left == 0 {
                    state.gates.close(raw.id);
                }
            }
            if raw.end_ns < raw.start_ns {
                *anomalies += 1;
            } else if waiting.len() >= MAX_WAITING {
                *dropped += 1;
            } else {
                waiting.push(sample(handle, &raw));
            }
        });
        *dropped += rings.lost();
        // Now all is known that disturbed the calls which have just been taken.
        let tags = Tags::new(state);
        for sample in &mut waiting[from..] {
            let id = methods.get(&sample.handle).and_then(|method| method.id);
            sample.flags |= tags.of(id.unwrap_or(0), sample.start_ns, sample.end_ns).0;
        }
    }

    /// Tells of measured methods that were compiled, and lets the agent thread rest when none is awaited any more.
    pub(super) fn report_compiled(&mut self, stream: &mut Stream) {
        let warmth = &self.parts.state.warmth;
        for (id, at_ns) in warmth.news() {
            if let Some(&handle) = self.handles.get(&id) {
                stream.put(&ToController::Notice { at_ns, notice: Notice::Compiled { handle } });
            }
        }
        let awaits = warmth.awaits_any(sys::now_ns());
        if std::mem::replace(&mut self.awaits_compiled, awaits) && !awaits {
            self.parts.state.command(Command::Settled);
        }
    }

    /// Counts the calls of a method from now on whose probes the JVM may bypass.
    pub(super) fn expect_bypass(&mut self, handle: u32, outcome: &Outcome) {
        let Some(method) = self.methods.get_mut(&handle) else { return };
        if *outcome == Outcome::Intrinsic && method.bypass.is_none() {
            method.bypass = Some((Bypass::default(), method.taken));
        }
    }

    /// Warns of methods whose probes are bypassed, as it seems.
    pub(super) fn say_bypassed(&mut self, stream: &mut Stream) {
        let now = Instant::now();
        let passed = now - std::mem::replace(&mut self.looked, now);
        for Method { method, left, taken, every, bypass, .. } in self.methods.values_mut() {
            let Some((bypass, before)) = bypass else { continue };
            let calls = taken.saturating_sub(std::mem::replace(before, *taken)) * u64::from(*every);
            if *left > 0 && bypass.look(calls, passed) {
                let text = format!(
                    "{method}: calls were seen and now are not: either the program makes no more, or the JVM has compiled \
                     the callers and replaces the calls by an intrinsic that no probe sees"
                );
                stream.put(&ToController::Warning { text });
            }
        }
    }

    pub(super) fn send(&mut self, stream: &mut Stream) {
        // A label is there before the first sample that has it.
        let labels = self.parts.state.labels_from(self.labels_sent);
        for some in labels.chunks(MAX_LABELS) {
            stream.put(&ToController::Labels { labels: some.to_vec() });
        }
        self.labels_sent += labels.len();
        self.waiting.sort_by_key(|sample| sample.start_ns);
        let mut rest = std::mem::take(&mut self.waiting);
        while !rest.is_empty() || self.dropped > 0 || self.anomalies > 0 {
            let more = rest.split_off(rest.len().min(MAX_SAMPLES));
            let (dropped, anomalies) =
                (std::mem::take(&mut self.dropped), std::mem::take(&mut self.anomalies));
            stream.put(&ToController::Samples { samples: rest, dropped, anomalies });
            rest = more;
        }
        let limit = self.parts.options.measurements;
        for (handle, method) in &mut self.methods {
            if method.taken >= limit && !method.limited {
                method.limited = true;
                stream.put(&ToController::Limit { handle: *handle });
            }
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

    fn of(&self, id: u32, start_ns: u64, end_ns: u64) -> SampleFlags {
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

fn sample(handle: u32, raw: &Raw) -> WireSample {
    let truncated = raw.size.is_some_and(|(_, truncated)| truncated);
    let flags = flags([(raw.threw, SampleFlags::THREW), (truncated, SampleFlags::SIZE_TRUNCATED)]);
    WireSample {
        handle,
        start_ns: raw.start_ns,
        end_ns: raw.end_ns,
        thread: raw.thread,
        depth: raw.depth,
        size: match raw.size {
            None => WireSize::Unchecked,
            Some((size, _)) if size & SIZE_LABEL != 0 => WireSize::Label(size as u32),
            Some((size, _)) => WireSize::Value(size),
        },
        flags: flags.0,
    }
}
