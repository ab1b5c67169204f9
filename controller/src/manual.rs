//! `spl serve --manual`: the operator's Enter puts the probes in and takes them out (the thesis's
//! retransformation example, 3.4.3). There is no scheduler; nothing is judged or written.

use crate::progress::Progress;
use spl_lang::MeasuredMethod;
use spl_model::{Handle, Outcome, Sample, one_line};
use spl_scheduler::JvmIx;
use spl_session::agents::{Agent, Input};
use spl_session::measure::Inputs;
use spl_session::peer::{
    self, DETACH_TIMEOUT, DETACHED, Farewell, NOT_RESTORED, Opening, Peer, introduction,
};
use spl_session::session::Next;
use spl_session::setup::Setup;
use spl_verdict::ExitStatus;
use spl_wire::{Change, Readings, ToAgent, ToController, WireSample};
use std::io::BufRead;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc::{self, Receiver};

/// Most calls of one message that are printed; a busy method has thousands.
const SAID: usize = 10;
/// Opening of a gate that lets every call through.
const EVERY_CALL: Opening = Opening { every: 1, quota: 0 };

/// The operator's lines, until the input ends.
pub fn lines() -> Receiver<()> {
    let (sender, lines) = mpsc::channel(1);
    // The thread ends with the process: reading a line cannot be interrupted.
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            if line.is_err() || sender.blocking_send(()).is_err() {
                return;
            }
        }
    });
    lines
}

/// One program, measured by hand.
#[derive(Debug)]
pub struct Manual<'a> {
    setup: &'a Setup,
    progress: Progress,
    peer: Option<Peer>,
    /// Whether the operator wants the probes.
    wanted: bool,
    detach_by: Option<Instant>,
    failed: bool,
}

impl<'a> Manual<'a> {
    /// Waits for a program; with `quiet` it prints problems only.
    pub fn new(setup: &'a Setup, quiet: bool) -> Self {
        Self {
            setup,
            progress: Progress::new(quiet),
            peer: None,
            wanted: false,
            detach_by: None,
            failed: false,
        }
    }

    /// Goes on until the program ends, the operator's input ends, or an interrupt comes. Gives whether
    /// another program can follow.
    pub async fn drive(&mut self, inputs: &mut Inputs, lines: &mut Receiver<()>) -> Next {
        loop {
            let detach_by = self.detach_by;
            let late = async {
                match detach_by {
                    Some(by) => tokio::time::sleep_until(by.into()).await,
                    None => std::future::pending().await,
                }
            };
            let detaching = detach_by.is_some();
            let over = tokio::select! {
                biased;
                input = inputs.next() => match input {
                    Input::Interrupted if detaching => true,
                    Input::Interrupted => self.detach(),
                    Input::Said { agent, message, .. } => self.said(&agent, *message),
                    Input::Lost { agent, why } => self.lost(agent, &why),
                    Input::Unproved { pid } => {
                        self.progress.note(&format!("pid {pid} is not measured: it does not know the token"));
                        false
                    }
                    Input::Reload => {
                        self.progress.note("with --manual, tasks and settings are not read again");
                        false
                    }
                    Input::Ended { .. } => false,
                },
                line = lines.recv(), if !detaching => match line {
                    Some(()) => self.toggle(),
                    None => self.detach(),
                },
                () = late => {
                    self.fail(NOT_RESTORED);
                    true
                }
            };
            if over {
                return if self.detach_by.is_some() { Next::Over } else { Next::Go };
            }
        }
    }

    /// The exit status.
    pub fn standing(&self) -> ExitStatus {
        if self.failed { ExitStatus::Error } else { ExitStatus::AllHold }
    }

    fn methods(&self) -> &'a [MeasuredMethod] {
        &self.setup.program.tasks.methods
    }

    fn handles(&self) -> Vec<Handle> {
        (0..).zip(self.methods()).map(|(handle, _)| Handle(handle)).collect()
    }

    /// Requests the probes, or the original classes.
    fn toggle(&mut self) -> bool {
        let (handles, methods) = (self.handles(), self.methods());
        let Some(peer) = &mut self.peer else {
            self.progress.note("there is no program yet");
            return false;
        };
        self.wanted = !self.wanted;
        let names = methods.iter().map(|task| task.method.to_string()).collect::<Vec<_>>().join(", ");
        if self.wanted {
            self.progress.note(&format!("asking for probes in {names}"));
            peer.plan_change(&handles, &[]);
            peer.change_classes();
            handles.into_iter().for_each(|handle| peer.open_gate(handle, EVERY_CALL));
        } else {
            self.progress.note(&format!("asking for the original bytecode of {names}"));
            handles.iter().for_each(|&handle| peer.close_gate(handle, false));
            peer.plan_change(&[], &handles);
            peer.change_classes();
        }
        false
    }

    fn detach(&mut self) -> bool {
        self.detach_by = Some(Instant::now() + DETACH_TIMEOUT);
        match &self.peer {
            Some(peer) => peer.send(ToAgent::Detach),
            None => return true,
        }
        false
    }

    /// Handles a message; says whether the program is done with.
    fn said(&mut self, agent: &Agent, message: ToController) -> bool {
        if let ToController::Hello { pid, java_version, command, kinds, .. } = message {
            self.hello(agent, pid, &introduction(&java_version, pid, None, &command), &kinds);
            return false;
        }
        let Some(peer) = self.peer.as_mut().filter(|peer| peer.is(agent.id)) else { return false };
        match message {
            ToController::Outcome { handle, outcome, .. } => self.outcome(handle, &outcome),
            ToController::Retransformed { handles, change, took_ns, .. } => {
                self.retransformed(&handles, change, took_ns);
            }
            ToController::Labels { labels } => peer.learn(labels),
            ToController::Readings { readings: Readings::Times(samples), .. } => self.samples(&samples),
            ToController::Limit { handle } => self.limit(handle),
            ToController::Warning { text } => {
                self.progress.note(&format!("the agent warns: {}", one_line(&text)));
            }
            ToController::Ping { id } => agent.send(ToAgent::Pong { id }),
            ToController::Bye { reason } => {
                match reason.into() {
                    Farewell::Detached => self.progress.note(DETACHED),
                    Farewell::ProgramEnds => self.progress.note("the program ends"),
                    Farewell::Failed(why) => self.fail(&why),
                }
                return true;
            }
            ToController::Removed { handles, .. } => self.removed(&handles),
            ToController::Metaspace { kept, reserved, limit } => {
                let kb = |bytes: u64| bytes >> 10;
                self.progress.note(&format!(
                    "changes of classes keep {} KB of metaspace, {} KB more are reserved to restore \
                     classes; the limit is {} KB",
                    kb(kept),
                    kb(reserved),
                    kb(limit)
                ));
            }
            ToController::Drilled(_)
            | ToController::Events(_)
            | ToController::Hello { .. }
            | ToController::Restored { .. }
            | ToController::Dear { .. }
            | ToController::Pong { .. }
            | ToController::Surveyed { .. }
            | ToController::Idle { .. } => {}
        }
        false
    }

    fn hello(&mut self, agent: &Agent, pid: u32, who: &str, kinds: &[String]) {
        let busy = self.peer.is_some() || self.detach_by.is_some();
        let reason = busy.then(|| "another JVM is being measured".to_owned());
        if let Some(reason) = reason.or_else(|| self.setup.unknown_kind(kinds)) {
            agent.send(ToAgent::Reject { reason: reason.clone() });
            self.progress.note(&format!("pid {pid} is not measured: {reason}"));
            return;
        }
        self.progress.note(who);
        self.progress.note("Enter puts the probes in, and takes them out again");
        self.setup.definitions().into_iter().for_each(|message| agent.send(message));
        self.peer = Some(Peer::new(agent.clone(), JvmIx::default(), pid, Arc::from(pid.to_string()), None));
    }

    fn lost(&mut self, agent: u64, why: &str) -> bool {
        let ours = self.peer.as_ref().is_some_and(|peer| peer.is(agent));
        if ours {
            self.progress.note(&peer::lost(why));
        }
        ours
    }

    fn outcome(&self, handle: Handle, outcome: &Outcome) {
        let Some(task) = self.methods().get(handle.index()) else { return };
        match outcome {
            Outcome::NotLoaded => {
                self.progress.note(&format!("{}: its class is not loaded yet", task.method));
            }
            Outcome::Instrumented(_)
            | Outcome::Abstract
            | Outcome::Native
            | Outcome::NoSuchMethod { .. }
            | Outcome::Refused(_) => self.progress.unavailable(&task.method, outcome),
        }
    }

    fn retransformed(&self, handles: &[Handle], change: Change, took_ns: u64) {
        let methods = handles.iter().filter_map(|&handle| self.methods().get(handle.index()));
        let mut classes = methods.map(|task| task.method.class()).collect::<Vec<_>>();
        classes.dedup();
        let what = match change {
            Change::Added => "has probes",
            Change::Removed => "runs its original bytecode",
        };
        let took_ms = took_ns as f64 / 1e6;
        self.progress.note(&format!("{} {what}, after a change of {took_ms:.1} ms", classes.join(", ")));
    }

    fn removed(&self, handles: &[Handle]) {
        for task in handles.iter().filter_map(|&handle| self.methods().get(handle.index())) {
            let text = "another agent changed its class, which took its probes out; they were put in again";
            self.progress.note(&format!("{}: {text}", task.method));
        }
    }

    fn samples(&mut self, samples: &[WireSample]) {
        let methods = self.methods();
        let Some(peer) = &mut self.peer else { return };
        samples.iter().for_each(|one| peer.received(one.handle));
        let known =
            samples.iter().filter_map(|one| Some((methods.get(one.handle.index())?, peer.sample(one).ok()?)));
        for (MeasuredMethod { method, .. }, sample) in known.take(SAID) {
            let Sample { thread, size, .. } = &sample;
            let took = sample.duration_ns();
            self.progress.note(&one_line(&format!("{method} took {took} ns, thread {thread}, size {size}")));
        }
        if let Some(more @ 1..) = samples.len().checked_sub(SAID) {
            self.progress.note(&format!("and {more} more calls"));
        }
    }

    /// Lifts the agent's own limit of samples, because no samples are kept.
    fn limit(&mut self, handle: Handle) {
        if let Some(peer) = self.peer.as_mut().filter(|_| self.wanted) {
            peer.give_back(handle, 0);
        }
    }

    fn fail(&mut self, why: &str) {
        self.failed = true;
        self.progress.problem(why);
    }
}
