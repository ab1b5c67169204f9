//! Handles the agent's messages.

use super::{Next, Session, new_cost};
use crate::agents::{Agent, CLOSED};
use crate::context::About;
use crate::instances;
use crate::peer::{self, DETACHED, Farewell, Peer, PeerId, introduction, unavailable};
use crate::probe_time::{self, ProbeTime};
use crate::resume::Resumed;
use crate::status::Metaspace;
use spl_model::{Facts, Handle, Outcome, Refusal, SampleFlags, one_line};
use spl_records::context::Measured;
use spl_scheduler::{Event, JvmIx, MethodIx, Status};
use spl_wire::{MAX_INSTANCE_BYTES, Readings, ToAgent, ToController, WireSample, clip};
use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Instant;

/// Bytes of code above which HotSpot only interprets a method (`HugeMethodLimit`).
const HUGE_METHOD_BYTES: u32 = 8000;

/// Most messages about agents that are not measured, in one measurement.
const MOST_NOTED: u32 = 50;

/// Methods of classes that are not loaded that are named; of more, only that there are some.
const SAID_ABSENT: usize = 10;

impl Session<'_> {
    pub(super) fn said(&mut self, agent: &Agent, message: ToController) -> Next {
        if let ToController::Hello { .. } = message {
            self.hello(agent, message);
            return Next::Go;
        }
        let id = PeerId(agent.id);
        let Some(peer) = self.peers.get_mut(&id).filter(|peer| peer.is_here()) else { return Next::Go };
        let jvm = peer.jvm;
        match message {
            ToController::Outcome { handle, class_loader, outcome } => {
                self.outcome(id, handle.index(), &class_loader, outcome);
            }
            ToController::Readings { readings: Readings::Times(samples), dropped, anomalies } => {
                self.samples(id, &samples, dropped.saturating_add(anomalies))
            }
            ToController::Labels { labels } => peer.learn(labels),
            ToController::Limit { handle } => self.limit(id, handle),
            ToController::Warning { text } => {
                let place = (self.config.programs > 1).then(|| format!(" in {}", peer.origin));
                let place = place.unwrap_or_default();
                self.observer.note(&format!("the agent{place} warns: {}", one_line(&text)))
            }
            ToController::Ping { id } => {
                // The results of all earlier messages are written before the agent gets its answer.
                self.say_results();
                agent.send(ToAgent::Pong { id });
            }
            ToController::Bye { reason } => return self.bye(id, reason.into()),
            ToController::Retransformed { handles, change, took_ns, .. } => {
                self.context.changed(took_ns);
                tracing::info!(?handles, ?change, took_ns, "classes were changed");
                self.event_in(jvm, Event::Changed { took_ns });
            }
            ToController::Dear { handles, bytes } => {
                tracing::info!(?handles, bytes, "changes of these methods' classes keep metaspace");
                for handle in handles {
                    self.event_in(jvm, Event::DearChange(MethodIx(handle.index())));
                }
            }
            ToController::Metaspace { kept, reserved, limit } => {
                peer.metaspace = Some(Metaspace { kept, reserved, limit });
                self.context.metaspace(kept, limit);
                tracing::info!(kept, reserved, limit, "bytes of metaspace");
            }
            ToController::Removed { handles, times, gap_ns } => self.removed(&handles, times, gap_ns),
            ToController::Restored { handles } => tracing::info!(?handles, "methods were restored"),
            ToController::Pong { now_ns, clock_reads_ps, .. } => {
                self.shows(id, now_ns);
                self.clock_reads(id, clock_reads_ps);
            }
            // Only windows wait for this event; thousands of methods that end at once would send thousands of
            // them.
            ToController::Idle { handle, number } if self.config.scheduler.paired.is_some() => {
                let method = MethodIx(handle.index());
                self.event_in(jvm, Event::Drained { method, closing: Some(number) });
            }
            // Methods are looked up before a session, and drills are not made here.
            ToController::Surveyed { .. }
            | ToController::Idle { .. }
            | ToController::Hello { .. }
            | ToController::Drilled(_)
            | ToController::Events(_) => {}
        }
        Next::Go
    }

    fn hello(&mut self, agent: &Agent, hello: ToController) {
        let ToController::Hello {
            pid,
            java_version,
            instance,
            command,
            now_ns,
            kinds,
            max_measurements,
            probe_cost_ps,
            probe_empty_ps,
            clock_reads_ps,
        } = hello
        else {
            return;
        };
        let pid = self.running.map_or(pid, |(pid, _)| pid);
        if let Some(why) = self.which.refusal(&command) {
            return self.turn_away(agent, pid, &why, &why);
        }
        if self.are_enough() || self.detach_by.is_some() || self.scheduler.is_done() {
            let reason = "another JVM is being measured";
            if self.which.each {
                agent.send(ToAgent::Reject { reason: reason.to_owned() });
                self.turned_away.0.insert(agent.id);
                return self.say_waits(pid, reason);
            }
            let why = self.why_not_now();
            return self.turn_away(agent, pid, why, reason);
        }
        if let Some(why) = self.setup.unknown_kind(&kinds) {
            return self.turn_away(agent, pid, &why, &why);
        }
        // A tab would end its column in a table.
        let instance = one_line(clip(&instance, MAX_INSTANCE_BYTES)).replace('\t', " ");
        let origin = self.introduces(&java_version, (pid, &instance), &command);
        self.say_smaller_limit(max_measurements);
        if let Some(ps) = probe_cost_ps {
            tracing::info!("a measured call costs {}.{:03} ns", ps / 1000, ps % 1000);
        }
        let mut cost = self.cost.take().or_else(|| new_cost(self.setup));
        if let Some(cost) = &mut cost {
            cost.calibrated(pid, probe_cost_ps);
        }
        let jvm = JvmIx(self.peers.len());
        let mut peer = Peer::new(agent.clone(), jvm, pid, Arc::from(origin), cost);
        peer.has_limit = max_measurements.is_some();
        peer.probe = probe_empty_ps.map(|ps| ProbeTime::new(ps, clock_reads_ps.unwrap_or(0)));
        self.joins(PeerId(agent.id), peer, now_ns);
        if let Some(limit) = max_measurements {
            self.event_in(jvm, Event::AgentLimit(limit));
        }
        self.setup.definitions().into_iter().for_each(|message| agent.send(message));
        // Before calls of an earlier run are judged.
        self.probe_takes();
        if let Some(resumed) = self.resumed.take() {
            self.resume(resumed);
        }
        self.warms_up(PeerId(agent.id));
        self.ever_connected = true;
        self.context.met(Measured {
            pid,
            instance,
            java: one_line(&java_version),
            command: one_line(&command),
            probe_cost_ps,
            probe_empty_ps,
        });
        let written = self.context.write();
        self.check(written);
    }

    /// Why a JVM is not measured while another one is. Agents at a port come again by themselves.
    fn why_not_now(&self) -> &'static str {
        if self.at_port { "another JVM is now, and this one waits" } else { "another JVM is already" }
    }

    /// Says that a JVM is measured. Gives the origin of its samples.
    fn introduces(&self, java_version: &str, (pid, instance): (u32, &str), command: &str) -> String {
        let several = self.config.programs > 1;
        let named = several.then_some(instance);
        self.observer.note(&introduction(java_version, pid, named, command));
        instances::origin(pid, instance, several)
    }

    fn say_smaller_limit(&mut self, of_agent: Option<u64>) {
        let most = self.config.scheduler.max_samples;
        if let Some(limit) = of_agent.filter(|limit| *limit < most) {
            self.observer.note(&format!(
                "spl.client.measurements ({limit}) is below max-method-measurements ({most}): methods finish at \
                 the smaller number"
            ));
        }
    }

    fn turn_away(&mut self, agent: &Agent, pid: u32, why: &str, reason: &str) {
        agent.send(ToAgent::Reject { reason: reason.to_owned() });
        self.turned_away.0.insert(agent.id);
        self.say_turned_away(pid, why);
    }

    /// Reports a rejected process, once for each process id: it may connect again and again.
    pub(super) fn say_turned_away(&mut self, pid: u32, why: &str) {
        if !self.turned_away.1.contains(&pid)
            && self.note_stranger(&format!("pid {pid} is not measured: {why}"))
        {
            self.turned_away.1.insert(pid);
        }
    }

    /// Reports an agent that is not measured, up to a limit: any user of this machine can connect to a port,
    /// and must not flood the operator with messages.
    fn note_stranger(&mut self, text: &str) -> bool {
        self.strangers += 1;
        match self.strangers.cmp(&MOST_NOTED) {
            Ordering::Less => self.observer.note(text),
            Ordering::Equal => {
                self.observer.note(&format!("{text}; further refused connections are not reported"))
            }
            Ordering::Greater => return false,
        }
        true
    }

    pub(super) fn resume(&mut self, resumed: Resumed) {
        let (samples, decided) = (resumed.samples.len(), resumed.decided.len());
        let what = if self.takes_over { "the calls so far" } else { "an interrupted run" };
        self.observer
            .note(&format!("going on with {what}: {samples} samples, {decided} comparisons decided"));
        self.results = resumed.results;
        self.resumed_windows = resumed.instances;
        self.event(Event::Resume { decided: resumed.decided, samples: resumed.samples });
    }

    /// Reports a connection that never became an agent of the measurement.
    pub(super) fn stranger(&mut self, why: &str) {
        let text = format!("an agent could not be used: {why}");
        if self.at_port {
            self.note_stranger(&text);
        } else if !self.is_anybody_here() && why != CLOSED {
            // A JVM such as that of `java -version` may end before its agent has introduced itself. That no
            // other JVM came is reported at the end, whether this message or the command's end came first.
            self.problem(text);
        }
    }

    /// Asks agents for their clocks where a query is due.
    pub(super) fn ask_clocks(&mut self) {
        let now = Instant::now();
        self.peers.values_mut().for_each(|peer| peer.ask_clock(now));
    }

    /// Takes what two readings of the clock take in an agent's JVM now.
    fn clock_reads(&mut self, id: PeerId, reads_ps: u64) {
        let Some(peer) = self.peers.get_mut(&id) else { return };
        // An answer to no question would only say something more often.
        if let Some(probe) = peer.probe.as_mut().filter(|_| std::mem::take(&mut peer.is_asked)) {
            probe.reads(reads_ps);
            let times = probe.slower();
            peer.cost.iter_mut().for_each(|cost| cost.is_slower(times));
        }
        self.probe_takes();
    }

    /// Passes the probe's own time on: of each instance that of the slowest of its JVMs that are here or gave samples.
    fn probe_takes(&mut self) {
        let Some(sequential) = &mut self.sequential else { return };
        let counts = |peer: &&Peer| peer.is_here() || peer.has_samples();
        let tells = self.config.tells_instances();
        let probe = |peer: &Peer| Some((Arc::clone(&peer.origin), peer.probe.as_ref()?.ps()));
        let probes = self.peers.values().filter(counts).filter_map(probe);
        for (instance, ns) in probe_time::of_instances(probes, tells) {
            sequential.probe_takes(&instance, ns);
        }
    }

    /// Gives the time of the agent's clock to the estimate, when a message has arrived.
    fn shows(&mut self, id: PeerId, jvm_ns: u64) {
        let now_ns = self.now_ns();
        let Some(peer) = self.peers.get_mut(&id) else { return };
        let (jvm, jvm_ns) = (peer.jvm, peer.clock.shows(jvm_ns, now_ns));
        self.event_in(jvm, Event::Clock { jvm_ns });
    }

    pub(super) fn outcome(&mut self, id: PeerId, method: usize, class_loader: &str, outcome: Outcome) {
        let Some(task) = self.tasks.methods.get(method) else { return };
        let Some(peer) = self.peers.get_mut(&id) else { return };
        let jvm = peer.jvm;
        tracing::info!(method = %task.method, class_loader, ?outcome, "outcome");
        if peer.start_at.is_some() && !matches!(outcome, Outcome::Instrumented(_) | Outcome::NotLoaded) {
            return peer.early.push((method, class_loader.to_owned(), outcome));
        }
        match outcome {
            Outcome::Instrumented(facts) => {
                peer.ready.insert(method);
                peer.absent.remove(&method);
                if peer.is_measured() {
                    self.has_classes(id);
                }
                self.context.no_remark(method, About::Availability);
                if let Some(text) = code_remark(facts)
                    && self.context.remark(method, About::Code, text.clone())
                {
                    self.observer.note(&format!("{}: {text}", task.method));
                }
            }
            Outcome::NotLoaded => {
                peer.absent.insert(method);
                let (count, has_started) = (peer.absent.len(), peer.start_at.is_none());
                self.context.remark(method, About::Availability, "its class was not loaded".to_owned());
                // Most classes are loaded while the program warms up.
                if has_started {
                    self.say_absent(method, count);
                }
            }
            // Earlier samples of the method still count.
            why @ Outcome::Refused(
                Refusal::Metaspace { .. }
                | Refusal::MetaspaceFull { .. }
                | Refusal::NoMemory(_)
                | Refusal::Removed(_),
            ) => {
                peer.ready.remove(&method);
                peer.absent.remove(&method);
                if let Some(why) = unavailable(&why) {
                    self.observer.note(&format!("{} cannot be measured: {why}", task.method));
                    self.context.remark(
                        method,
                        About::Availability,
                        format!("cannot be measured any more: {why}"),
                    );
                }
                self.event_in(jvm, Event::GivenUp { method: MethodIx(method), why });
            }
            // The method is measured in another class of this name.
            Outcome::Abstract | Outcome::Native | Outcome::NoSuchMethod { .. } | Outcome::Refused(_)
                if peer.ready.contains(&method) => {}
            why @ (Outcome::Abstract
            | Outcome::Native
            | Outcome::NoSuchMethod { .. }
            | Outcome::Refused(_)) => {
                peer.absent.remove(&method);
                if let Some(why) = unavailable(&why) {
                    self.observer.note(&format!("{} cannot be measured: {why}", task.method));
                    self.context.remark(method, About::Availability, format!("cannot be measured: {why}"));
                }
                self.event_in(jvm, Event::Unavailable { method: MethodIx(method), why });
            }
        }
    }

    /// Takes up a JVM, whose clock shows this time. The scheduler forgets one that is gone only when the next one is there.
    fn joins(&mut self, id: PeerId, peer: Peer, now_ns: u64) {
        self.peers.insert(id, peer);
        self.spend();
        self.shows(id, now_ns);
        if let Some(gone) = self.gone_before.take() {
            self.event_in(gone, Event::Left);
        }
    }

    /// Says that a method's class is not loaded, the `count`-th one. A pattern may mean hundreds of methods, and few of
    /// their classes be there.
    pub(super) fn say_absent(&self, method: usize, count: usize) {
        let Some(task) = self.tasks.methods.get(method) else { return };
        if count <= SAID_ABSENT {
            self.observer.note(&format!(
                "{}: its class is not loaded yet; measuring begins when the program loads it",
                task.method
            ));
        } else if count == SAID_ABSENT + 1 {
            self.observer
                .note("more classes are not loaded yet; measuring begins when the program loads them");
        }
    }

    /// Reports that another agent took probes out and that they are in again.
    fn removed(&mut self, handles: &[Handle], times: u32, gap_ns: u64) {
        let seconds = gap_ns as f64 / 1e9;
        let text = format!(
            "another agent changed its class, which took its probes out for {seconds:.1} s at most, in which calls were not \
             seen; they were put in again, for the {times}. time"
        );
        for &handle in handles {
            let Some(task) = self.tasks.methods.get(handle.index()) else { continue };
            self.observer.note(&format!("{}: {text}", task.method));
            self.context.remark(handle.index(), About::Neighbour, text.clone());
        }
    }

    /// Handles an agent's own limit: its samples that count for nothing are given back. Samples that wait for
    /// the end of their window are given back too; the controller's own maximum ends any surplus.
    fn limit(&mut self, id: PeerId, handle: Handle) {
        let method = MethodIx(handle.index());
        let Some(progress) = self.scheduler.progress().nth(method.0) else { return };
        let is_alone = self.peers.len() == 1;
        let Some(peer) = self.peers.get_mut(&id).filter(|_| progress.status != Status::Finished) else {
            return;
        };
        // The number of samples that count is known for all JVMs together; for one of several JVMs the number
        // not discarded stands in.
        let counted = if is_alone { progress.samples } else { peer.kept_of(handle) };
        let jvm = peer.jvm;
        if !peer.give_back(handle, counted) {
            self.event_in(jvm, Event::LimitReached(method));
        }
    }

    fn samples(&mut self, id: PeerId, samples: &[WireSample], mut lost: u64) {
        let Some(peer) = self.peers.get_mut(&id) else { return };
        let (jvm, origin) = (peer.jvm, Arc::clone(&peer.origin));
        let mut batch = Vec::with_capacity(samples.len());
        for wire in samples {
            peer.took(wire);
            match peer.sample(wire) {
                Ok(sample) => batch.push((MethodIx(wire.handle.index()), sample)),
                Err(_) => lost = lost.saturating_add(1),
            }
        }
        batch.iter().for_each(|(method, _)| peer.received(Handle(method.0 as u32)));
        if lost > 0 {
            self.lost = self.lost.saturating_add(lost);
            if let Some(cost) = &mut peer.cost {
                cost.took(lost, 1, 0);
            }
            self.event_in(jvm, Event::Dropped { method: None, count: lost });
        }
        if !batch.is_empty() {
            let decisions = self.scheduler.handle_samples_in(jvm, &mut batch, self.now_ns());
            // Samples are written with their discard flags, and before the results that follow from them.
            for (method, sample) in &batch {
                if let Some(peer) = self.peers.get_mut(&id)
                    && !sample.flags.contains(SampleFlags::DISCARDED)
                {
                    peer.kept(Handle(method.0 as u32));
                }
                let written = self.output.sample(method.0, sample, &origin);
                self.check(written);
            }
            self.carry_out_all(decisions);
        }
        if self.config.cycle_sleep.is_zero() {
            self.change_classes();
        }
    }

    fn bye(&mut self, id: PeerId, farewell: Farewell) -> Next {
        match farewell {
            Farewell::Detached if self.was_sent_away(id) => {}
            Farewell::Detached => self.observer.note(DETACHED),
            Farewell::ProgramEnds => {
                tracing::info!("the JVM ends");
                self.peers.get_mut(&id).into_iter().for_each(Peer::ends);
            }
            Farewell::Failed(why) => self.problem(why),
        }
        self.without(id)
    }

    /// Handles a connection of a measured JVM that ended without a farewell.
    pub(super) fn lost_peer(&mut self, id: PeerId, why: &str) -> Next {
        self.ended_abruptly = true;
        if self.detach_by.is_some() || self.scheduler.is_done() {
            let text = "the connection ended before the agent said that every class is as it was";
            self.observer.note(&format!("{text} ({why}); the agent restores all classes by itself"));
        } else {
            self.observer.note(&peer::lost(why));
        }
        self.without(id)
    }

    /// Goes on without a JVM if another one is connected; otherwise the measurement ends.
    pub(super) fn without(&mut self, id: PeerId) -> Next {
        let gone = self.peers.get_mut(&id).map(|peer| {
            peer.gone();
            peer.start_at = peer.start_at.filter(|_| self.measuring_since.is_none());
            peer.jvm
        });
        if !self.is_anybody_here() && self.awaits_another() {
            self.gone_before = gone;
            // The end of a killed command is reported after the end of its connection.
            self.observer
                .note("nothing was measured in this JVM; while the command runs, spl waits for its next JVM");
            return Next::Go;
        }
        if !self.is_anybody_here() {
            self.finish();
            return Next::Over;
        }
        gone.into_iter().for_each(|jvm| self.event_in(jvm, Event::Left));
        Next::Go
    }
}

/// Remark on a method's code with probes; `None` if the operator need not know anything.
fn code_remark(facts: Facts) -> Option<String> {
    let mut remarks = Vec::new();
    if facts.intrinsic {
        remarks.push("the JVM may replace its calls by an intrinsic that no probe sees".to_owned());
    }
    if facts.large && facts.bytes_before <= HUGE_METHOD_BYTES {
        remarks.push(format!(
            "with probes its code has {} bytes, and the JVM does not compile methods of more than {HUGE_METHOD_BYTES}: while it \
             is measured it is interpreted, and its times are far too long",
            facts.bytes_after
        ));
    }
    (!remarks.is_empty()).then(|| remarks.join("; "))
}
