//! One JVM of a measurement: its agent, and what was agreed with it. Of every JVM these things are its own: numbers of labels, the
//! clock, the gates that are open, which classes are there, what measuring costs it.

use crate::agents::Agent;
use crate::clock::JvmClock;
use crate::cost::Cost;
use crate::status::Metaspace;
use spl_model::{Handle, Outcome, Sample, one_line};
use spl_scheduler::JvmIx;
use spl_wire::{ByeReason, Label, Labels, SampleFault, ToAgent, WireSample, WireSize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a detached agent may take to restore its classes before we end without it.
pub const DETACH_TIMEOUT: Duration = Duration::from_secs(10);

/// A JVM of a measurement, by the number of its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PeerId(pub u64);

/// What one opening of a gate asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// One call in `every` is taken.
    pub every: u32,
    /// Samples after which the gate closes by itself; 0 for as many as come.
    pub quota: u64,
}

/// One JVM with an agent that said hello.
#[derive(Debug)]
pub struct Peer {
    /// `None` once its connection has ended.
    agent: Option<Agent>,
    /// Its number for the scheduler.
    pub jvm: JvmIx,
    pid: u32,
    /// What its samples carry in files, to tell its clock from others.
    pub origin: Arc<str>,
    /// When its measurement starts, as long as it has not: `initial-sleep` after its first message.
    pub start_at: Option<Instant>,
    labels: Labels,
    /// Gates that are open.
    open: BTreeMap<Handle, Opening>,
    /// Samples of each method that this agent has sent.
    received: BTreeMap<Handle, u64>,
    /// Those of them that were not discarded.
    kept: BTreeMap<Handle, u64>,
    /// Those of them that count for nothing, as far as the agent knows.
    given_back: BTreeMap<Handle, u64>,
    /// What its clock shows.
    pub clock: JvmClock,
    /// Whether samples came since this was asked last.
    heard: bool,
    /// Methods whose probes are to go in or out with the next change of classes.
    to_instrument: BTreeSet<Handle>,
    to_restore: BTreeSet<Handle>,
    /// Whether the agent is to send at once what it has.
    to_drain: bool,
    /// Methods of which some class could be instrumented.
    pub ready: BTreeSet<usize>,
    /// Methods whose class was not there.
    pub absent: BTreeSet<usize>,
    /// What changes of classes keep of the program's metaspace.
    pub metaspace: Option<Metaspace>,
    /// What the probes cost the program, under a budget.
    pub cost: Option<Cost>,
}

impl Peer {
    /// A JVM whose agent has just said hello.
    pub fn new(agent: Agent, jvm: JvmIx, pid: u32, cost: Option<Cost>) -> Self {
        Self {
            agent: Some(agent),
            jvm,
            pid,
            origin: Arc::from(pid.to_string()),
            start_at: None,
            labels: Labels::default(),
            open: BTreeMap::new(),
            received: BTreeMap::new(),
            kept: BTreeMap::new(),
            given_back: BTreeMap::new(),
            clock: JvmClock::default(),
            heard: false,
            to_instrument: BTreeSet::new(),
            to_restore: BTreeSet::new(),
            to_drain: false,
            ready: BTreeSet::new(),
            absent: BTreeSet::new(),
            metaspace: None,
            cost,
        }
    }

    /// The process, as it calls itself.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether its agent is connected.
    pub fn is_here(&self) -> bool {
        self.agent.is_some()
    }

    /// Whether its agent is connected, and by this connection.
    pub fn is(&self, connection: u64) -> bool {
        self.agent.as_ref().is_some_and(|agent| agent.id == connection)
    }

    /// Its connection has ended.
    pub fn gone(&mut self) {
        self.agent = None;
    }

    /// Sends a message, as long as the agent is connected.
    pub fn send(&self, message: ToAgent) {
        if let Some(agent) = &self.agent {
            agent.send(message);
        }
    }

    /// Opens a gate, or opens it again.
    pub fn open_gate(&mut self, handle: Handle, opening: Opening) {
        self.open.insert(handle, opening);
        let Opening { every, quota } = opening;
        self.send(ToAgent::Arm { handle, every, quota });
    }

    /// Closes a gate; with `drain` the agent is asked to send what it has.
    pub fn close_gate(&mut self, handle: Handle, drain: bool) {
        self.open.remove(&handle);
        self.send(ToAgent::Disarm { handle });
        self.to_drain |= drain;
    }

    /// Asks for what the agent has, where that was wanted.
    pub fn drain(&mut self) {
        if std::mem::take(&mut self.to_drain) {
            self.send(ToAgent::Drain);
        }
    }

    /// Plans a change of classes. What an earlier plan says of the same methods is forgotten.
    pub fn plan_change(&mut self, instrument: &[Handle], restore: &[Handle]) {
        for handle in instrument {
            self.to_restore.remove(handle);
            self.to_instrument.insert(*handle);
        }
        for handle in restore {
            self.to_instrument.remove(handle);
            self.to_restore.insert(*handle);
        }
    }

    /// One request for each direction: the agent changes all classes of a request at once.
    pub fn change_classes(&mut self) {
        let (out, into) = (std::mem::take(&mut self.to_restore), std::mem::take(&mut self.to_instrument));
        if !out.is_empty() {
            self.send(ToAgent::Restore { handles: out.into_iter().collect() });
        }
        if !into.is_empty() {
            self.send(ToAgent::Instrument { handles: into.into_iter().collect() });
        }
    }

    /// Asks the agent for its clock, if it is time for it.
    pub fn ask_clock(&mut self, now: Instant) {
        if self.is_here() && self.clock.is_to_be_asked(now) {
            self.send(ToAgent::Ping { id: 0 });
        }
    }

    /// Takes names of size labels in.
    pub fn learn(&mut self, labels: impl IntoIterator<Item = Label>) {
        self.labels.learn(labels);
    }

    /// A sample of this JVM, with its label as a text.
    ///
    /// # Errors
    /// When it is damaged: it counts as lost.
    pub fn sample(&self, sample: &WireSample) -> Result<Sample, SampleFault> {
        sample.to_sample(&self.labels)
    }

    /// Counts what taking a call cost the program.
    pub fn took(&mut self, sample: &WireSample) {
        let Some(cost) = &mut self.cost else { return };
        let every = self.open.get(&sample.handle).map_or(1, |opening| opening.every);
        let size = if let WireSize::Value(size) = sample.size { size } else { 0 };
        cost.took(1, every, size);
    }

    /// Notes a sample that could be used.
    pub fn received(&mut self, handle: Handle) {
        self.heard = true;
        *self.received.entry(handle).or_insert(0) += 1;
    }

    /// Notes that a sample was not discarded.
    pub fn kept(&mut self, handle: Handle) {
        *self.kept.entry(handle).or_insert(0) += 1;
    }

    /// Samples of a method that were not discarded.
    pub fn kept_of(&self, handle: Handle) -> u64 {
        self.kept.get(&handle).copied().unwrap_or(0)
    }

    /// Whether samples came since this was asked last.
    pub fn was_heard(&mut self) -> bool {
        std::mem::take(&mut self.heard)
    }

    /// The agent counts every sample that it takes, and stopped at its own limit. Those that count for nothing, which are all but
    /// `counted`, are given back to it, and its gate is opened again. `false` where there is nothing to give back.
    pub fn give_back(&mut self, handle: Handle, counted: u64) -> bool {
        let uncounted = self.received.get(&handle).map_or(0, |all| all.saturating_sub(counted));
        let known = self.given_back.insert(handle, uncounted).unwrap_or(0);
        let count = uncounted.saturating_sub(known);
        if count == 0 {
            return false;
        }
        self.send(ToAgent::Discarded { handle, count });
        if let Some(&opening) = self.open.get(&handle) {
            self.open_gate(handle, opening);
        }
        true
    }
}

/// How an agent took its leave, for the operator.
#[derive(Debug)]
pub enum Farewell {
    /// Every class is as it was.
    Detached,
    /// The program ends.
    ProgramEnds,
    /// It failed, for this reason.
    Failed(String),
}

/// What is said when every class is as it was.
pub const DETACHED: &str = "every class is as it was; the agent is dormant";
/// What is said when an agent did not say in time that it restored every class.
pub const NOT_RESTORED: &str = "the agent did not confirm that every class is restored";

impl From<ByeReason> for Farewell {
    fn from(reason: ByeReason) -> Self {
        match reason {
            ByeReason::Detached => Self::Detached,
            ByeReason::VmDeath => Self::ProgramEnds,
            ByeReason::Failed(why) => Self::Failed(one_line(&format!("the agent failed: {why}"))),
        }
    }
}

/// How a JVM that is measured from now on is announced.
pub fn introduction(java_version: &str, pid: u32, command: &str) -> String {
    one_line(&format!("measuring Java {java_version}, pid {pid}: {command}"))
}

/// What is said when a connection ends without a farewell.
pub fn lost(why: &str) -> String {
    format!("the agent is gone ({why}); it restores the program by itself")
}

/// Why a method cannot be measured, in words; `None` when it can, or when its class is not there yet.
pub fn unavailable(outcome: &Outcome) -> Option<String> {
    Some(match outcome {
        Outcome::Abstract => "it has no body; name a class that implements it".to_owned(),
        Outcome::Native => "it is native, there is no bytecode to measure".to_owned(),
        Outcome::NoSuchMethod { nearest } if nearest.is_empty() => "its class has no such method".to_owned(),
        Outcome::NoSuchMethod { nearest } => {
            format!("its class has no such method; did you mean {}?", nearest.join(" or "))
        }
        Outcome::Refused(refusal) => refusal.to_string(),
        Outcome::Instrumented(_) | Outcome::NotLoaded => return None,
    })
}
