//! One measurement: a single loop owns all state and handles inputs in order; everything else sends it messages.

use crate::agents::Agent;
use crate::config::Config;
use crate::output::Output;
use crate::progress::{Progress, one_line};
use crate::resume::Resumed;
use crate::setup::Setup;
use spl_lang::Tasks;
use spl_model::Outcome;
use spl_scheduler::{Action, Decision, Event, MethodIx, Scheduler};
use spl_verdict::{Evaluation, ExitStatus, Standing, exit_status};
use spl_wire::{ByeReason, Labels, ToAgent, ToController, Token};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// With `cycle-sleep = 0` a cycle without samples is this long.
const SHORTEST_CYCLE: Duration = Duration::from_millis(10);
/// How long a detached agent may take to restore its classes before we end without it.
const DETACH_TIMEOUT: Duration = Duration::from_secs(10);

/// What the loop is told.
#[derive(Debug)]
pub enum Input {
    /// A message of an agent.
    Said { agent: Agent, message: Box<ToController> },
    /// The connection of an agent ended.
    Lost { agent: u64, why: String },
    /// The program ended.
    Ended,
    /// The operator wants the measurement to end.
    Interrupted,
}

/// How the loop goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// With more inputs.
    Go,
    /// The measurement is over, its agent is gone.
    Over,
}

/// The state of a measurement.
#[derive(Debug)]
pub struct Session<'a> {
    config: &'a Config,
    tasks: &'a Tasks,
    scheduler: Scheduler,
    output: Output,
    progress: Progress,
    resumed: Option<Resumed>,
    token: Option<Token>,
    began: Instant,
    agent: Option<Agent>,
    /// Connections that were turned away and not yet closed, and the process ids of their programs: an agent tries again
    /// and again, the operator is told once.
    turned_away: (BTreeSet<u64>, BTreeSet<u32>),
    /// When the measurement starts: `initial-sleep` after the agent's first message.
    start_at: Option<Instant>,
    next_cycle: Instant,
    /// Whether samples came since the last cycle.
    heard: bool,
    /// Methods whose probes are to go in or out with the next cycle.
    to_instrument: BTreeSet<usize>,
    to_restore: BTreeSet<usize>,
    /// Methods of which some class could be instrumented, and those whose class was not there.
    ready: BTreeSet<usize>,
    absent: BTreeSet<usize>,
    labels: Labels,
    evaluations: Vec<Evaluation>,
    lost: u64,
    problems: Vec<String>,
    detach_by: Option<Instant>,
    ever_connected: bool,
}

impl<'a> Session<'a> {
    /// A session that waits for its agent, which has to know `token` if there is one. `resumed` is what an interrupted
    /// run left behind.
    pub fn new(
        setup: &'a Setup,
        scheduler: Scheduler,
        output: Output,
        resumed: Option<Resumed>,
        token: Option<Token>,
    ) -> Self {
        let now = Instant::now();
        Self {
            config: &setup.config,
            tasks: &setup.tasks,
            scheduler,
            output,
            progress: setup.progress(),
            resumed,
            token,
            began: now,
            agent: None,
            turned_away: Default::default(),
            start_at: None,
            next_cycle: now,
            heard: false,
            to_instrument: BTreeSet::new(),
            to_restore: BTreeSet::new(),
            ready: BTreeSet::new(),
            absent: BTreeSet::new(),
            labels: Labels::default(),
            evaluations: Vec::new(),
            lost: 0,
            problems: Vec::new(),
            detach_by: None,
            ever_connected: false,
        }
    }

    /// What was evaluated so far.
    pub fn evaluations(&self) -> &[Evaluation] {
        &self.evaluations
    }

    /// The exit status as things stand. In measurement mode all is well when nothing went wrong.
    pub fn standing(&self) -> ExitStatus {
        if !self.problems.is_empty() {
            return ExitStatus::Error;
        }
        let evaluated = |index: &usize| self.evaluations.iter().any(|one| one.comparison == *index);
        let missing = (0..self.tasks.comparisons.len()).filter(|index| !evaluated(index)).count();
        let missing = std::iter::repeat_n(Standing::Undecided, missing);
        exit_status(self.evaluations.iter().map(Evaluation::standing).chain(missing))
    }

    /// Samples that never arrived, or arrived damaged.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Whether an agent was ever here.
    pub fn ever_connected(&self) -> bool {
        self.ever_connected
    }

    /// When [`cycle`](Self::cycle) is to be called next.
    pub fn next_cycle(&self) -> Instant {
        let start = self.start_at.filter(|_| self.detach_by.is_none());
        start.map_or(self.next_cycle, |start| start.min(self.next_cycle))
    }

    /// Handles one input.
    pub fn input(&mut self, input: Input) -> Next {
        match input {
            Input::Said { agent, message } => self.said(&agent, *message),
            Input::Lost { agent, why } if self.agent.as_ref().is_some_and(|ours| ours.id == agent) => {
                self.agent = None;
                if self.detach_by.is_some() || self.scheduler.is_done() {
                    return Next::Over;
                }
                self.progress.note(&format!("the agent is gone ({why}); it restores the program by itself"));
                self.finish();
                Next::Over
            }
            Input::Lost { agent, why } => {
                if !self.turned_away.0.remove(&agent) {
                    self.stranger(&why);
                }
                Next::Go
            }
            // Nothing was measured: there is nothing to judge, and an interrupted run can still be gone on with.
            Input::Ended | Input::Interrupted if !self.ever_connected => Next::Over,
            Input::Ended | Input::Interrupted => {
                self.finish();
                if self.agent.is_none() { Next::Over } else { Next::Go }
            }
        }
    }

    /// The work of one communication cycle.
    pub fn cycle(&mut self) -> Next {
        let now = Instant::now();
        if self.detach_by.is_some_and(|by| now >= by) {
            self.problem("the agent did not confirm that every class is restored".to_owned());
            return Next::Over;
        }
        if self.start_at.is_some_and(|at| now >= at) {
            self.start_at = None;
            self.progress.note("the measurement starts");
            self.save(false);
            self.event(Event::Start);
        }
        if now >= self.next_cycle {
            self.next_cycle = now + self.config.cycle_sleep.max(SHORTEST_CYCLE);
            if !std::mem::take(&mut self.heard) && self.agent.is_some() {
                self.event(Event::Tick);
            }
            self.change_classes();
            self.progress.cycle(&self.scheduler);
        }
        Next::Go
    }

    fn said(&mut self, agent: &Agent, message: ToController) -> Next {
        if let ToController::Hello { .. } = message {
            self.hello(agent, message);
            return Next::Go;
        }
        if self.agent.as_ref().is_none_or(|ours| ours.id != agent.id) {
            return Next::Go;
        }
        match message {
            ToController::Outcome { handle, class_loader, outcome } => {
                self.outcome(handle as usize, &class_loader, outcome);
            }
            ToController::Samples { samples, dropped, anomalies } => {
                self.samples(&samples, dropped.saturating_add(anomalies))
            }
            ToController::Labels { labels } => self.labels.learn(labels),
            ToController::Limit { handle } => self.event(Event::LimitReached(MethodIx(handle as usize))),
            ToController::Warning { text } => {
                self.progress.note(&format!("the agent warns: {}", one_line(&text)))
            }
            ToController::Ping { id } => agent.send(ToAgent::Pong { id }),
            ToController::Bye { reason } => return self.bye(reason),
            ToController::Retransformed { handles, change, took_ns, .. } => {
                tracing::info!(?handles, ?change, took_ns, "classes were changed");
            }
            ToController::Restored { handles } => tracing::info!(?handles, "methods were restored"),
            ToController::Hello { .. } | ToController::Notice { .. } | ToController::Pong { .. } => {}
        }
        Next::Go
    }

    fn hello(&mut self, agent: &Agent, hello: ToController) {
        let ToController::Hello {
            pid, java_version, command, max_measurements, token, probe_cost_ps, ..
        } = hello
        else {
            return;
        };
        if self.token.is_some() && self.token != token {
            return self.turn_away(agent, pid, "it does not know the token", "the token is wrong or missing");
        }
        if self.agent.is_some() || self.detach_by.is_some() || self.scheduler.is_done() {
            return self.turn_away(agent, pid, "another JVM is already", "another JVM is being measured");
        }
        let who = format!("measuring Java {java_version}, pid {pid}: {command}");
        self.progress.note(&one_line(&who));
        if let Some(limit) = max_measurements.filter(|limit| *limit < self.config.scheduler.max_samples) {
            self.progress.note(&format!(
                "spl.client.measurements ({limit}) is below max-method-measurements ({}): methods finish there",
                self.config.scheduler.max_samples
            ));
        }
        if let Some(ps) = probe_cost_ps {
            tracing::info!("a measured call costs {}.{:03} ns", ps / 1000, ps % 1000);
        }
        if let Some(limit) = max_measurements {
            self.event(Event::AgentLimit(limit));
        }
        self.output.set_origin(&pid.to_string());
        for (handle, task) in (0..).zip(&self.tasks.methods) {
            agent.send(ToAgent::Define {
                handle,
                method: task.method.clone(),
                sizes: self.config.argument_size,
                processor: task.processor.clone(),
            });
        }
        if let Some(resumed) = self.resumed.take() {
            self.resume(resumed);
        }
        if !self.ever_connected {
            self.start_at = Some(Instant::now() + self.config.initial_sleep);
        }
        self.ever_connected = true;
        self.agent = Some(agent.clone());
    }

    fn turn_away(&mut self, agent: &Agent, pid: u32, why: &str, reason: &str) {
        agent.send(ToAgent::Reject { reason: reason.to_owned() });
        self.turned_away.0.insert(agent.id);
        if self.turned_away.1.insert(pid) {
            self.progress.note(&format!("pid {pid} is not measured: {why}"));
        }
    }

    fn resume(&mut self, resumed: Resumed) {
        let (samples, decided) = (resumed.samples.len(), resumed.decided.len());
        self.progress.note(&format!(
            "going on with an interrupted run: {samples} samples, {decided} comparisons decided"
        ));
        self.evaluations = resumed.evaluations;
        self.event(Event::Resume { decided: resumed.decided, samples: resumed.samples });
    }

    /// A connection that never became our agent.
    fn stranger(&mut self, why: &str) {
        let text = format!("an agent could not be used: {why}");
        match self.token {
            // Anybody on this machine can knock at a port.
            Some(_) => self.progress.note(&text),
            None if self.agent.is_none() => self.problem(text),
            None => {}
        }
    }

    fn outcome(&mut self, method: usize, class_loader: &str, outcome: Outcome) {
        let Some(task) = self.tasks.methods.get(method) else { return };
        tracing::info!(method = %task.method, class_loader, ?outcome, "outcome");
        match outcome {
            Outcome::Instrumented => {
                self.ready.insert(method);
                self.absent.remove(&method);
            }
            Outcome::Intrinsic => {
                self.ready.insert(method);
                self.absent.remove(&method);
                self.progress.note(&format!(
                    "{}: the JVM may replace its calls by an intrinsic that no probe sees",
                    task.method
                ));
            }
            Outcome::NotLoaded => {
                self.absent.insert(method);
                self.progress.note(&format!(
                    "{}: its class is not loaded yet; it is measured when it is",
                    task.method
                ));
            }
            why if !self.ready.contains(&method) => {
                self.absent.remove(&method);
                self.progress.unavailable(&task.method, &why);
                self.event(Event::Unavailable { method: MethodIx(method), why });
            }
            _ => {}
        }
    }

    fn samples(&mut self, samples: &[spl_wire::WireSample], mut lost: u64) {
        let mut batch = Vec::with_capacity(samples.len());
        for wire in samples {
            match wire.to_sample(&self.labels) {
                Ok(sample) => batch.push((MethodIx(wire.handle as usize), sample)),
                Err(_) => lost = lost.saturating_add(1),
            }
        }
        for (method, sample) in &batch {
            let written = self.output.sample(method.0, sample);
            self.check(written);
        }
        if lost > 0 {
            self.lost = self.lost.saturating_add(lost);
            self.event(Event::Dropped { method: None, count: lost });
        }
        if !batch.is_empty() {
            self.heard = true;
            self.event(Event::Samples(batch));
        }
        if self.config.cycle_sleep.is_zero() {
            self.change_classes();
        }
    }

    fn bye(&mut self, reason: ByeReason) -> Next {
        match reason {
            ByeReason::Detached => self.progress.note("every class is as it was; the agent is dormant"),
            ByeReason::VmDeath => tracing::info!("the JVM ends"),
            ByeReason::Failed(why) => self.problem(one_line(&format!("the agent failed: {why}"))),
        }
        self.agent = None;
        self.finish();
        Next::Over
    }

    fn event(&mut self, event: Event) {
        let now_ns = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        for decision in self.scheduler.handle(event, now_ns) {
            tracing::info!("{}", self.scheduler.explain(&decision));
            self.carry_out(decision);
        }
    }

    fn carry_out(&mut self, decision: Decision) {
        match decision.action {
            Action::Measure(MethodIx(method)) => {
                self.send(ToAgent::Arm { handle: method as u32, every: 1, quota: 0 })
            }
            Action::Suspend(MethodIx(method)) => self.send(ToAgent::Disarm { handle: method as u32 }),
            Action::Finished(MethodIx(method)) => {
                self.send(ToAgent::Disarm { handle: method as u32 });
                let flushed = self.output.flush(method);
                self.check(flushed);
            }
            Action::Retransform { instrument, restore } => {
                for MethodIx(method) in instrument {
                    self.to_restore.remove(&method);
                    self.to_instrument.insert(method);
                }
                for MethodIx(method) in restore {
                    self.to_instrument.remove(&method);
                    self.to_restore.insert(method);
                }
                if self.config.cycle_sleep.is_zero() {
                    self.change_classes();
                }
            }
            Action::Evaluated(evaluation) => {
                self.output.decided(evaluation.comparison);
                self.save(false);
                let written = self.output.result(self.tasks, &evaluation);
                self.check(written);
                self.progress.evaluated(self.tasks, &evaluation);
                self.evaluations.push(*evaluation);
            }
            Action::Done => self.detach(),
            _ => {}
        }
    }

    /// One request for each direction: the agent changes all classes of a request at once.
    fn change_classes(&mut self) {
        let handles =
            |methods: BTreeSet<usize>| methods.into_iter().map(|method| method as u32).collect::<Vec<_>>();
        let (out, into) = (std::mem::take(&mut self.to_restore), std::mem::take(&mut self.to_instrument));
        if !out.is_empty() {
            self.send(ToAgent::Restore { handles: handles(out) });
        }
        if !into.is_empty() {
            self.send(ToAgent::Instrument { handles: handles(into) });
        }
    }

    fn detach(&mut self) {
        let flushed = self.output.flush_all();
        self.check(flushed);
        self.save(true);
        if self.detach_by.is_none() {
            self.detach_by = Some(Instant::now() + DETACH_TIMEOUT);
            self.send(ToAgent::Detach);
        }
    }

    /// Ends every method with what it has.
    fn finish(&mut self) {
        if !self.scheduler.is_done() {
            for method in std::mem::take(&mut self.absent) {
                self.event(Event::Unavailable { method: MethodIx(method), why: Outcome::NotLoaded });
            }
            self.event(Event::Finish);
        }
    }

    fn save(&mut self, finished: bool) {
        let saved = self.output.state(self.tasks, &self.scheduler, finished);
        self.check(saved);
    }

    fn send(&self, message: ToAgent) {
        if let Some(agent) = &self.agent {
            agent.send(message);
        }
    }

    fn check(&mut self, result: Result<(), String>) {
        if let Err(problem) = result {
            self.problem(problem);
        }
    }

    fn problem(&mut self, problem: String) {
        if !self.problems.contains(&problem) {
            self.progress.problem(&problem);
            self.problems.push(problem);
        }
    }
}
