//! Samples on their way from the rings to the controller, and what is known of them.

use super::{Closing, LOOK_FOR_PROBES_EVERY, Link, Method};
use crate::bypass::Bypass;
use crate::state::Command;
use crate::stream::Stream;
use crate::sys;
use spl_model::{Handle, Outcome};
use spl_wire::{MAX_SAMPLES, Readings, ToController};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Size labels in one message, of some hundred bytes each.
const MAX_LABELS: usize = 256;

impl Link {
    /// Says which closings of gates are over: no call runs any more that was let through before them.
    pub(super) fn say_idle(&mut self, stream: &mut Stream) {
        let mut idle = Vec::new();
        for (&handle, closings) in &mut self.closing {
            let id = self.methods.get(&handle).and_then(|method| method.id);
            let running =
                id.zip(self.rings.as_ref()).map(|(id, rings)| rings.running(id)).unwrap_or_default();
            closings.retain(|&Closing { number, openings: (before, newest) }| {
                let runs = running.iter().any(|&opening| opening > before && opening <= newest);
                idle.extend((!runs).then_some((handle, number)));
                runs
            });
        }
        if idle.is_empty() {
            return;
        }
        self.closing.retain(|_, closings| !closings.is_empty());
        // What the calls left in the rings goes first.
        self.drain();
        self.send(stream);
        for (handle, number) in idle {
            stream.put(&ToController::Idle { handle, number });
        }
    }

    /// Tells of measured methods that were compiled, and lets the agent thread rest when none is awaited any more.
    pub(super) fn report_compiled(&mut self, stream: &mut Stream) {
        let warmth = &self.parts.state.warmth;
        for (id, at_ns) in warmth.news() {
            if let Some(handle) = self.handles.get(id) {
                stream.put(&ToController::Compiled { handle, at_ns });
            }
        }
        let awaits = warmth.awaits_any(sys::now_ns());
        if std::mem::replace(&mut self.awaits_compiled, awaits) && !awaits {
            self.parts.state.command(Command::Settled);
        }
    }

    /// Counts the calls of a method from now on whose probes the JVM may bypass.
    pub(super) fn expect_bypass(&mut self, handle: Handle, outcome: &Outcome) {
        let Some(method) = self.methods.get_mut(&handle) else { return };
        if matches!(outcome, Outcome::Instrumented(facts) if facts.intrinsic) && method.bypass.is_none() {
            method.bypass = Some((Bypass::default(), method.taken));
        }
    }

    /// Warns of methods whose probes are bypassed, as it seems.
    pub(super) fn say_bypassed(&mut self, stream: &mut Stream) {
        let now = Instant::now();
        let passed = now - std::mem::replace(&mut self.looked, now);
        for Method { instrument, left, taken, every, bypass, .. } in self.methods.values_mut() {
            let Some((bypass, before)) = bypass else { continue };
            let calls = taken.saturating_sub(std::mem::replace(before, *taken)) * u64::from(*every);
            if *left > 0 && bypass.look(calls, passed) {
                let text = format!(
                    "{}: calls were seen and now are not: either the program makes no more, or the JVM has compiled \
                     the callers and replaces the calls by an intrinsic that no probe sees",
                    instrument.method
                );
                stream.put(&ToController::Warning { text });
            }
        }
    }

    /// Lets the agent thread look, now and then, whether methods still have their probes whose gates were open and of which no
    /// call was seen.
    pub(super) fn look_for_probes(&mut self) {
        if self.looked_for.elapsed() < LOOK_FOR_PROBES_EVERY {
            return;
        }
        self.looked_for = Instant::now();
        let mut unseen = Vec::new();
        for (handle, method) in &mut self.methods {
            let (opened, before) =
                std::mem::replace(&mut method.opened, (self.open.contains(handle), method.taken));
            if opened && before == method.taken {
                unseen.extend(method.id);
            }
        }
        if !unseen.is_empty() {
            self.parts.state.command(Command::Look(unseen));
        }
    }

    /// Warns once that classes are not measured because they came too fast.
    pub(super) fn say_overtaken(&mut self, stream: &mut Stream) {
        let some = self.parts.state.overtaken.load(Ordering::Relaxed);
        if some && !std::mem::replace(&mut self.overtaken, true) {
            let text = "the program makes classes of measured names faster than they can be changed: calls in some are not seen";
            stream.put(&ToController::Warning { text: text.to_owned() });
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
            let message = ToController::Readings { readings: Readings::Times(rest), dropped, anomalies };
            stream.put(&message);
            rest = more;
            // The first message's memory serves the next samples.
            if let ToController::Readings { readings: Readings::Times(mut samples), .. } = message
                && self.waiting.capacity() == 0
            {
                samples.clear();
                self.waiting = samples;
            }
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
