//! The end of a session whose place another one takes, with other tasks or settings and the same JVMs.

use super::Session;
use crate::results::Results;
use spl_records::context::LiveChange;
use spl_wire::ToAgent;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Reason that agents get; it is shown nowhere.
const REPLACED: &str = "the measurement goes on with other tasks or settings";

/// Parts of a session that its successor takes over.
#[derive(Debug, Default)]
pub struct Handed {
    /// Connections that are not yet closed.
    turned_away: BTreeSet<u64>,
    /// Process ids of rejected programs.
    said: BTreeSet<u32>,
    /// Time for which was measured, by sessions before it too; `None` if no measurement had begun.
    measured: Option<Duration>,
    problems: Vec<String>,
    lost: u64,
    /// All changes so far, for the report.
    changes: Vec<LiveChange>,
}

impl<'a> Session<'a> {
    /// Ends this session so that another one takes its place: its files are completed with the present results, and
    /// the agents restore all classes and connect again at once.
    pub fn end_for_another(&mut self) -> Handed {
        self.now = Instant::now();
        let own = self.measuring_since.map(|(since, _)| since.elapsed());
        let measured = own.map(|own| own + self.measured_before.unwrap_or_default()).or(self.measured_before);
        self.is_replaced = true;
        if self.ever_connected {
            self.finish();
        }
        // Without methods the scheduler has no end of its own.
        self.hand_over();
        let flushed = self.output.flush_all();
        self.check(flushed);
        if self.has_calls() {
            // Nobody resumes it: its calls go on elsewhere.
            self.save(true);
        }
        self.close();
        Handed {
            turned_away: std::mem::take(&mut self.turned_away.0),
            said: std::mem::take(&mut self.turned_away.1),
            measured,
            problems: self.problems.clone(),
            lost: self.lost,
            changes: self.context.changes().to_vec(),
        }
    }

    /// Lets the agents go. They look for a controller at once, and find the next session.
    pub(super) fn hand_over(&mut self) {
        for (id, peer) in self.peers.iter_mut().filter(|(_, peer)| peer.is_here()) {
            peer.send(ToAgent::Reject { reason: REPLACED.to_owned() });
            self.turned_away.0.insert(id.0);
            peer.gone();
        }
    }

    /// Takes the place of an earlier session. The end that the operator asked for counts from the start of the first
    /// one, and the measurement starts without the configured wait: the program is running.
    #[must_use]
    pub fn in_place_of(mut self, handed: Handed) -> Self {
        self.turned_away.0.extend(handed.turned_away);
        self.turned_away.1.extend(handed.said);
        self.problems = handed.problems;
        self.lost = handed.lost;
        self.context.set_changes(handed.changes);
        self.until.longest =
            self.until.longest.map(|longest| longest.saturating_sub(handed.measured.unwrap_or_default()));
        self.measured_before = handed.measured;
        self.takes_over = true;
        self
    }

    /// Judges the calls of the earlier session where its JVMs have ended before they found this one.
    pub(super) fn end_alone(&mut self) {
        if let Some(resumed) = self.resumed.take().filter(|_| self.measured_before.is_some()) {
            self.ever_connected = true;
            self.resume(resumed);
            self.finish();
        }
    }

    /// Whether a JVM was measured, in this session or in an earlier one whose place it has taken.
    pub fn has_calls(&self) -> bool {
        self.ever_connected || self.resumed.is_some()
    }

    /// The results so far, also those of an earlier session whose place this one has taken.
    pub fn results_so_far(&self) -> &Results {
        self.resumed.as_ref().map_or(&self.results, |resumed| &resumed.results)
    }

    /// Writes the samples so far to their files.
    ///
    /// # Errors
    /// When writing fails; one line of text.
    pub fn flush(&mut self) -> Result<(), String> {
        self.output.flush_all()
    }

    /// Notes a change of tasks or settings, for the operator and for the report.
    pub fn changed(&mut self, text: &str) {
        self.observer.note(text);
        self.context.changed_live(text.to_owned());
    }

    /// Tells the operator something, and the report nothing.
    pub fn note(&self, text: &str) {
        self.observer.note(text);
    }
}
