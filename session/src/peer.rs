//! One JVM of a measurement with its agent. Each JVM has its own label numbers, clock, open gates, loaded
//! classes and measuring costs.

use crate::agents::Agent;
use crate::clock::JvmClock;
use crate::config::InitialSleep;
use crate::cost::Cost;
use crate::probe_time::ProbeTime;
use crate::status::Metaspace;
use crate::warming::Warming;
use spl_model::{Handle, Outcome, Sample, one_line};
use spl_scheduler::JvmIx;
use spl_wire::{ByeReason, Label, Labels, SampleFault, ToAgent, WireSample, WireSize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest wait for a detached agent to restore its classes before the controller ends without it.
pub const DETACH_TIMEOUT: Duration = Duration::from_secs(10);

/// A JVM of a measurement, by the number of its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PeerId(pub u64);

/// Settings of one opening of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// One call in `every` is taken.
    pub every: u32,
    /// Number of samples after which the gate closes by itself; 0 for no limit.
    pub quota: u64,
}

/// One JVM with an agent that said hello.
#[derive(Debug)]
pub struct Peer {
    /// `None` after its connection has ended.
    agent: Option<Agent>,
    /// The JVM's number for the scheduler.
    pub jvm: JvmIx,
    pid: u32,
    /// Whether its JVM has said that it ends.
    has_ended: bool,
    /// Name in the files' samples that tells this JVM from others and their clocks: the process id, or the name
    /// of the instance with it.
    pub origin: Arc<str>,
    /// Latest start of its measurement, `initial-sleep` after its first message; `None` once it has started.
    pub start_at: Option<Instant>,
    /// Its compilers, where they say when its measurement starts.
    warming: Option<Warming>,
    labels: Labels,
    /// Gates that are open.
    open: BTreeMap<Handle, Opening>,
    /// Samples of each method that this agent has sent.
    received: BTreeMap<Handle, u64>,
    /// Samples of each method that were not discarded.
    kept: BTreeMap<Handle, u64>,
    /// Samples of each method that count for nothing, as far as the agent knows.
    given_back: BTreeMap<Handle, u64>,
    /// Estimate of the JVM's clock.
    pub clock: JvmClock,
    /// Whether it was asked for its clock and has not answered.
    pub is_asked: bool,
    /// Whether samples came since the last [`was_heard`](Self::was_heard).
    heard: bool,
    /// Methods that get probes with the next change of classes.
    to_instrument: BTreeSet<Handle>,
    to_restore: BTreeSet<Handle>,
    /// Whether the agent must send its samples at once.
    to_drain: bool,
    /// Methods with at least one class that could be instrumented.
    pub ready: BTreeSet<usize>,
    /// Methods whose class was not loaded.
    pub absent: BTreeSet<usize>,
    /// Bytes of the program's metaspace that changes of classes keep.
    pub metaspace: Option<Metaspace>,
    /// Cost of the probes, under a budget.
    pub cost: Option<Cost>,
    /// The probe's own time in its calls, where the agent could calibrate it.
    pub probe: Option<ProbeTime>,
    /// Outcomes of methods that cannot be measured in it, which wait for the start of its measurement: it may end before, as a
    /// launcher does. Method, class loader and outcome.
    pub early: Vec<(usize, String, Outcome)>,
    /// The longest time of its own warm-up.
    pub wait: Duration,
    /// Whether its agent takes a limited number of samples of each method.
    pub has_limit: bool,
}

impl Peer {
    /// A JVM whose agent has just said hello.
    pub fn new(agent: Agent, jvm: JvmIx, pid: u32, origin: Arc<str>, cost: Option<Cost>) -> Self {
        Self {
            agent: Some(agent),
            jvm,
            pid,
            has_ended: false,
            origin,
            start_at: None,
            warming: None,
            labels: Labels::default(),
            open: BTreeMap::new(),
            received: BTreeMap::new(),
            kept: BTreeMap::new(),
            given_back: BTreeMap::new(),
            clock: JvmClock::default(),
            is_asked: false,
            heard: false,
            to_instrument: BTreeSet::new(),
            to_restore: BTreeSet::new(),
            to_drain: false,
            ready: BTreeSet::new(),
            absent: BTreeSet::new(),
            metaspace: None,
            cost,
            probe: None,
            early: Vec::new(),
            wait: Duration::ZERO,
            has_limit: false,
        }
    }

    /// Begins its own warm-up, in which it may be prepared.
    pub fn warms_up(&mut self, sleep: InitialSleep, is_prepared: bool, now: Instant) {
        self.warming = (sleep == InitialSleep::Auto).then(|| Warming::of(self.pid, now)).flatten();
        let is_seen = self.warming.is_some();
        self.wait = if is_prepared && is_seen { InitialSleep::LONGEST_PREPARED } else { sleep.longest() };
        self.start_at = Some(now + self.wait);
    }

    /// Whether it is measured: its own warm-up is over, and it has some of the classes.
    pub fn is_measured(&self) -> bool {
        self.start_at.is_none() && !self.ready.is_empty()
    }

    /// Whether its measurement is due.
    pub fn is_due(&mut self, now: Instant) -> bool {
        let is_warm = |warming: &mut Warming| warming.is_over(now);
        self.start_at.is_some_and(|at| now >= at || self.warming.as_mut().is_some_and(is_warm))
    }

    /// The time at which its measurement may be due; `None` once it has started.
    pub fn next_due(&self) -> Option<Instant> {
        let look = self.warming.as_ref().map(Warming::next);
        self.start_at.map(|at| look.map_or(at, |look| at.min(look)))
    }

    /// Process id that the agent gave.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Process id of a JVM that may still run; `None` after it has said that it ends, because
    /// another process may have the number then.
    pub fn process(&self) -> Option<u32> {
        (!self.has_ended).then_some(self.pid)
    }

    /// Notes that its JVM has said that it ends.
    pub fn ends(&mut self) {
        self.has_ended = true;
    }

    /// Whether its agent is connected.
    pub fn is_here(&self) -> bool {
        self.agent.is_some()
    }

    /// Whether its agent is connected by this connection.
    pub fn is(&self, connection: u64) -> bool {
        self.agent.as_ref().is_some_and(|agent| agent.id == connection)
    }

    /// Notes that its connection has ended.
    pub fn gone(&mut self) {
        self.agent = None;
    }

    /// Sends a message if the agent is connected.
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

    /// Closes a gate; with `drain` the agent must send its samples.
    pub fn close_gate(&mut self, handle: Handle, drain: bool) {
        self.open.remove(&handle);
        self.send(ToAgent::Disarm { handle });
        self.to_drain |= drain;
    }

    /// Asks the agent for its samples if [`close_gate`](Self::close_gate) was called with `drain`.
    pub fn drain(&mut self) {
        if std::mem::take(&mut self.to_drain) {
            self.send(ToAgent::Drain);
        }
    }

    /// Plans a change of classes, in place of an earlier plan for the same methods.
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

    /// Sends one request for each direction: the agent changes all classes of a request at once.
    pub fn change_classes(&mut self) {
        let (out, into) = (std::mem::take(&mut self.to_restore), std::mem::take(&mut self.to_instrument));
        if !out.is_empty() {
            self.send(ToAgent::Restore { handles: out.into_iter().collect() });
        }
        if !into.is_empty() {
            self.send(ToAgent::Instrument { handles: into.into_iter().collect() });
        }
    }

    /// Asks the agent for its clock if the next query is due.
    pub fn ask_clock(&mut self, now: Instant) {
        if self.is_here() && self.clock.is_to_be_asked(now) {
            self.send(ToAgent::Ping { id: 0 });
            self.is_asked = true;
        }
    }

    /// Whether samples of it count.
    pub fn has_samples(&self) -> bool {
        self.kept.values().any(|kept| *kept > 0)
    }

    /// Adds names of size labels.
    pub fn learn(&mut self, labels: impl IntoIterator<Item = Label>) {
        self.labels.learn(labels);
    }

    /// A sample of this JVM, with its label as a text.
    /// # Errors
    /// When the sample is damaged: it counts as lost.
    pub fn sample(&self, sample: &WireSample) -> Result<Sample, SampleFault> {
        sample.to_sample(&self.labels)
    }

    /// Adds the program's cost of a taken call.
    pub fn took(&mut self, sample: &WireSample) {
        let Some(cost) = &mut self.cost else { return };
        let every = self.open.get(&sample.handle).map_or(1, |opening| opening.every);
        let size = if let WireSize::Value(size) = sample.size { size } else { 0 };
        cost.took(1, every, size);
    }

    /// Notes a usable sample.
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

    /// Whether samples came since the last call of this method.
    pub fn was_heard(&mut self) -> bool {
        std::mem::take(&mut self.heard)
    }

    /// Opens the gate of an agent that stopped at its own limit. The agent counts every sample that it takes;
    /// all but `counted` of them count for nothing, and are given back to it. `false` where nothing can be
    /// given back.
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

/// How an agent's connection ended, for the operator.
#[derive(Debug)]
pub enum Farewell {
    /// Every class is as it was.
    Detached,
    /// The program ends.
    ProgramEnds,
    /// The agent failed, for this reason.
    Failed(String),
}

/// Message for an agent that has restored every class.
pub const DETACHED: &str = "every class is as it was; the agent is dormant";
/// Message for an agent that did not confirm in time that it restored every class.
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

/// Message at the start of a JVM's measurement, with the instance's name where there may be several.
pub fn introduction(java_version: &str, pid: u32, instance: Option<&str>, command: &str) -> String {
    let instance = instance.map(|name| format!(", instance {name}")).unwrap_or_default();
    one_line(&format!("measuring Java {java_version}, pid {pid}{instance}: {command}"))
}

/// Message for a connection that ended without a farewell.
pub fn lost(why: &str) -> String {
    format!("the connection to the agent was lost ({why}); the agent restores all classes by itself")
}

/// Reason why a method cannot be measured, in words; `None` when it can, or when its class is not loaded yet.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jvm_that_said_that_it_ends_is_no_process_any_more() {
        let mut peer = Peer::new(Agent::unreachable(0), JvmIx(0), 4711, Arc::from("4711"), None);
        assert_eq!(peer.process(), Some(4711));
        // Detached, it goes on.
        peer.gone();
        assert_eq!(peer.process(), Some(4711));
        peer.ends();
        assert_eq!((peer.process(), peer.pid()), (None, 4711));
    }
}
