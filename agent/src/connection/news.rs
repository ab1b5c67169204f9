//! Messages that the agent sends unasked: samples on their way to the controller, and findings about methods.

use super::Connection;
use crate::shared::Command;
use crate::stream::Stream;
use crate::sys;
use spl_wire::ToController;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Most size labels in one message, of some hundred bytes each.
const MAX_LABELS: usize = 256;
/// Interval between two looks for probes that another agent has taken out.
pub(super) const LOOK_FOR_PROBES_EVERY: Duration = Duration::from_secs(1);

impl Connection {
    /// Reports the closings of gates that are complete: no call that passed the gate before still runs.
    pub(super) fn say_idle(&mut self, stream: &mut Stream) {
        let times = &self.times;
        let idle = self.station.take_idle(|id| times.running(id));
        if idle.is_empty() {
            return;
        }
        // Samples that these calls left in the rings are sent first.
        self.times.drain(&mut self.station);
        self.send(stream);
        for (handle, number) in idle {
            stream.put(&ToController::Idle { handle, number });
        }
    }

    /// Lets the agent thread rest once no measured method waits for the JIT any more.
    pub(super) fn await_compiled(&mut self) {
        let awaits = self.given.shared.warmth.awaits_any(sys::now_ns());
        if self.awaits_compiled && !awaits {
            self.given.shared.command(Command::Settled);
        }
        self.awaits_compiled = awaits;
    }

    /// Warns of methods whose calls seem to bypass the probes.
    pub(super) fn say_bypassed(&mut self, stream: &mut Stream) {
        let now = Instant::now();
        let passed = now - self.looked;
        self.looked = now;
        for method in self.station.newly_bypassed(passed) {
            let text = format!(
                "{method}: calls were seen and now are not: either the program makes no more, or the JVM has compiled \
                 the callers and replaces the calls by an intrinsic that no probe sees"
            );
            stream.put(&ToController::Warning { text });
        }
    }

    /// Now and then lets the agent thread check the probes of methods that had an open gate and no recorded
    /// call.
    pub(super) fn look_for_probes(&mut self) {
        if self.looked_for.elapsed() < LOOK_FOR_PROBES_EVERY {
            return;
        }
        self.looked_for = Instant::now();
        let unseen = self.station.take_unseen();
        if !unseen.is_empty() {
            self.given.shared.command(Command::Look(unseen));
        }
    }

    /// Warns once if classes came too fast to be measured.
    pub(super) fn say_overtaken(&mut self, stream: &mut Stream) {
        if self.overtaken || !self.given.shared.overtaken.load(Ordering::Relaxed) {
            return;
        }
        self.overtaken = true;
        let text = "the program makes classes of measured names faster than they can be changed: calls in some are not seen";
        stream.put(&ToController::Warning { text: text.to_owned() });
    }

    pub(super) fn send(&mut self, stream: &mut Stream) {
        // A label is sent before the first sample that refers to it.
        let labels = self.given.shared.labels_from(self.labels_sent);
        for some in labels.chunks(MAX_LABELS) {
            stream.put(&ToController::Labels { labels: some.to_vec() });
        }
        self.labels_sent += labels.len();
        self.times.send(|message| stream.put(message));
        for handle in self.station.newly_limited(self.given.options.most_samples()) {
            stream.put(&ToController::Limit { handle });
        }
    }
}
