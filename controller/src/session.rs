//! One measurement: a single loop owns all state and handles inputs in order; everything else sends it messages.
//!
//! Here is the state and what happens when; [`messages`] has what the agent says, [`actions`] what the scheduler wants.

mod actions;
mod messages;
mod showing;

use crate::agents::{Agent, Input};
use crate::buckets;
use crate::cli::Reports;
use crate::config::{Config, Judge};
use crate::context::ContextFile;
use crate::cost::Cost;
use crate::live::Live;
use crate::metrics::MetricsFile;
use crate::output::Output;
use crate::progress::Progress;
use crate::results::Results;
use crate::resume::Resumed;
use crate::sequential::Sequential;
use crate::setup::Setup;
use crate::status::Metaspace;
use spl_lang::Tasks;
use spl_model::{EndedBy, Outcome, Sizing};
use spl_scheduler::{Event, MethodIx, Scheduler};
use spl_verdict::ExitStatus;
use spl_wire::{Labels, ToAgent};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// With `cycle-sleep = 0` a cycle without samples is this long.
const SHORTEST_CYCLE: Duration = Duration::from_millis(10);
/// Between two times that it is written which buckets are filled.
const BUCKETS_INTERVAL: Duration = Duration::from_secs(5);
/// How long a detached agent may take to restore its classes before we end without it.
pub const DETACH_TIMEOUT: Duration = Duration::from_secs(10);

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
    setup: &'a Setup,
    tasks: &'a Tasks,
    scheduler: Scheduler,
    /// What the scheduler is yet to be told.
    events: VecDeque<Event>,
    /// Whether decisions are being carried out.
    carrying_out: bool,
    /// Decides comparisons in the sequential mode.
    sequential: Option<Sequential>,
    /// What the probes cost the program, under a budget.
    cost: Option<Cost>,
    /// Methods whose gates are open: one call of so many is taken, until there are so many samples (0: however many).
    open: BTreeMap<usize, (u32, u64)>,
    /// Samples of each method that this agent has sent.
    received: Vec<u64>,
    /// Those of them that count for nothing, as far as the agent knows.
    given_back: BTreeMap<usize, u64>,
    /// When the agent was asked for its clock.
    asked_at: Option<Instant>,
    output: Output,
    progress: Progress,
    context: ContextFile,
    resumed: Option<Resumed>,
    /// Whether agents come in at a port.
    at_port: bool,
    began: Instant,
    /// When what is being handled happened.
    now: Instant,
    agent: Option<Agent>,
    /// Connections that were turned away and not yet closed, and the process ids of their programs: an agent tries again
    /// and again, the operator is told once.
    turned_away: (BTreeSet<u64>, BTreeSet<u32>),
    /// How often somebody was not measured.
    strangers: u32,
    /// When the measurement starts: `initial-sleep` after the agent's first message.
    start_at: Option<Instant>,
    next_cycle: Instant,
    next_buckets: Instant,
    /// Whether samples came since the last cycle.
    heard: bool,
    /// Methods whose probes are to go in or out with the next cycle.
    to_instrument: BTreeSet<usize>,
    to_restore: BTreeSet<usize>,
    /// Whether the agent is to send at once what it has.
    to_drain: bool,
    /// Methods of which some class could be instrumented, and those whose class was not there.
    ready: BTreeSet<usize>,
    absent: BTreeSet<usize>,
    labels: Labels,
    /// What changes of classes keep of the program's metaspace.
    metaspace: Option<Metaspace>,
    results: Results,
    /// Those of them that are not yet written and said.
    unsaid: Results,
    lost: u64,
    problems: Vec<String>,
    /// The file of metrics, if one is asked for.
    metrics: Option<MetricsFile>,
    reports: &'a Reports,
    /// Until the measurement is over.
    live: Option<Live>,
    /// When the measurement started, and how many samples there were then.
    measuring_since: Option<(Instant, u64)>,
    detach_by: Option<Instant>,
    /// Whether the operator has asked for the end.
    interrupted: bool,
    ever_connected: bool,
    pid: Option<u32>,
}

impl<'a> Session<'a> {
    /// A session that waits for its agent at a socket of its own. `resumed` is what an interrupted run left behind, `reports`
    /// what it is to leave beside its files.
    pub fn new(
        setup: &'a Setup,
        scheduler: Scheduler,
        output: Output,
        resumed: Option<Resumed>,
        reports: &'a Reports,
    ) -> Self {
        let now = Instant::now();
        Self {
            config: &setup.config,
            setup,
            tasks: &setup.program.tasks,
            scheduler,
            events: VecDeque::new(),
            carrying_out: false,
            sequential: (setup.config.judge == Judge::Sequential).then(|| Sequential::of(setup)),
            cost: setup
                .config
                .overhead_budget
                .map(|share| Cost::new(share, setup.config.argument_size == Sizing::Deep)),
            open: BTreeMap::new(),
            received: vec![0; setup.program.tasks.methods.len()],
            given_back: BTreeMap::new(),
            asked_at: None,
            context: ContextFile::new(setup, output.older()),
            output,
            progress: Progress::new(setup.quiet),
            resumed,
            at_port: false,
            began: now,
            now,
            agent: None,
            turned_away: Default::default(),
            strangers: 0,
            start_at: None,
            next_cycle: now,
            next_buckets: now + BUCKETS_INTERVAL,
            heard: false,
            to_instrument: BTreeSet::new(),
            to_restore: BTreeSet::new(),
            to_drain: false,
            ready: BTreeSet::new(),
            absent: BTreeSet::new(),
            labels: Labels::default(),
            metaspace: None,
            results: Results::default(),
            unsaid: Results::default(),
            lost: 0,
            problems: Vec::new(),
            metrics: reports.metrics.as_deref().map(MetricsFile::new),
            reports,
            live: setup.wants_view().then(Live::open).flatten(),
            measuring_since: None,
            detach_by: None,
            interrupted: false,
            ever_connected: false,
            pid: None,
        }
    }

    /// With agents that come in at a port, where anybody on this machine can knock.
    #[must_use]
    pub fn at_port(mut self) -> Self {
        self.at_port = true;
        self
    }

    /// Says what was found, as a table.
    pub fn table(&self) {
        self.progress.table(self.setup, &self.results, &self.scheduler, self.sequential.as_ref());
    }

    /// The exit status as things stand. In measurement mode all is well when nothing went wrong.
    pub fn standing(&self) -> ExitStatus {
        if self.problems.is_empty() { self.results.standing(&self.setup.program) } else { ExitStatus::Error }
    }

    /// Samples that never arrived, or arrived damaged.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// The process that was measured last, as it calls itself.
    pub fn program(&self) -> Option<u32> {
        self.pid
    }

    /// Whether the operator asked for the end of the measurement.
    pub fn was_interrupted(&self) -> bool {
        self.interrupted
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

    /// When [`idle`](Self::idle) is to be called next, if no input comes before.
    pub fn next_idle(&self) -> Instant {
        let turn = self.scheduler.wake_ns().map(|at_ns| self.began + Duration::from_nanos(at_ns));
        turn.map_or(self.next_cycle(), |turn| turn.min(self.next_cycle()))
    }

    /// Every input that came was handled.
    pub fn caught_up(&mut self) {
        self.say_results();
    }

    /// Time passed, and every input that came was handled: what is due happens.
    pub fn idle(&mut self) -> Next {
        self.now = Instant::now();
        if self.scheduler.wake_ns().is_some_and(|at_ns| self.now_ns() >= at_ns) {
            self.event(Event::Pulse);
        }
        self.cycle()
    }

    /// Handles one input.
    pub fn input(&mut self, input: Input) -> Next {
        match input {
            Input::Said { agent, at, message } => {
                self.now = at;
                self.said(&agent, *message)
            }
            Input::Lost { agent, why } if self.agent.as_ref().is_some_and(|ours| ours.id == agent) => {
                self.agent = None;
                if self.detach_by.is_some() || self.scheduler.is_done() {
                    let text = "the connection ended before the agent said that every class is as it was";
                    self.progress.note(&format!("{text} ({why}); it restores the program by itself"));
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
            Input::Unproved { pid } => {
                self.say_turned_away(pid, "it does not know the token");
                Next::Go
            }
            // Nothing was measured: there is nothing to judge, and an interrupted run can still be gone on with.
            Input::Ended | Input::Interrupted if !self.ever_connected => {
                self.interrupted |= matches!(input, Input::Interrupted);
                Next::Over
            }
            Input::Interrupted if self.interrupted && self.detach_by.is_some() => {
                self.problem(
                    "interrupted again: the agent did not confirm that every class is restored".to_owned(),
                );
                Next::Over
            }
            Input::Ended | Input::Interrupted => {
                self.interrupted |= matches!(input, Input::Interrupted);
                self.finish();
                if self.agent.is_none() { Next::Over } else { Next::Go }
            }
        }
    }

    /// The work of one communication cycle, if it is time for it.
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
            self.measuring_since = Some((now, self.samples_so_far()));
            self.event(Event::Start);
        }
        if now >= self.next_cycle {
            self.next_cycle = now + self.config.cycle_sleep.max(SHORTEST_CYCLE);
            if !std::mem::take(&mut self.heard) && self.agent.is_some() {
                self.event(Event::Tick);
            }
            self.spend();
            self.say_results();
            self.change_classes();
            self.progress.cycle(self.tasks, &self.scheduler, self.live.is_some());
            self.show(now);
        }
        if now >= self.next_buckets && self.start_at.is_none() && self.detach_by.is_none() {
            self.write_buckets();
            // However many there are, writing them takes a fiftieth of our time at most.
            self.next_buckets = now + BUCKETS_INTERVAL.max(now.elapsed() * 50);
        }
        Next::Go
    }

    /// Tells what the agent's thread has used, and what measuring may cost from now on.
    fn spend(&mut self) {
        if let Some(cpu_ns) = self.cost.as_mut().and_then(|cost| cost.agent_used(Instant::now())) {
            self.event(Event::AgentUsed { cpu_ns });
        }
        if let Some(budget) = self.cost.as_mut().and_then(|cost| cost.budget(Instant::now())) {
            self.event(Event::Budget(budget));
        }
    }

    /// Nanoseconds from the session's beginning to when what is being handled happened: the scheduler's clock. While
    /// inputs wait it doesn't go on, lest samples in them come too late for the window that they belong to.
    fn now_ns(&self) -> u64 {
        u64::try_from(self.now.saturating_duration_since(self.began).as_nanos()).unwrap_or(u64::MAX)
    }

    /// Ends every method with what it has.
    fn finish(&mut self) {
        if !self.scheduler.is_done() {
            for method in std::mem::take(&mut self.absent) {
                self.event(Event::Unavailable { method: MethodIx(method), why: Outcome::NotLoaded });
            }
            if let Some(start_at) = self.start_at.take() {
                self.event(self.not_begun(start_at));
            }
            self.event(Event::Finish);
        }
        self.say_results();
    }

    /// That the run ends before the measurement, which was to begin at this time.
    fn not_begun(&self, start_at: Instant) -> Event {
        let wait = self.config.initial_sleep;
        let lasted = wait.saturating_sub(start_at.saturating_duration_since(Instant::now()));
        let ns = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        Event::NotBegun {
            ended_by: if self.interrupted { EndedBy::Operator } else { EndedBy::Program },
            lasted_ns: ns(lasted),
            wait_ns: ns(wait),
        }
    }

    fn save(&mut self, finished: bool) {
        let saved = self.output.state(self.tasks, &self.scheduler, finished);
        self.check(saved);
    }

    fn write_buckets(&mut self) {
        let written = buckets::write(&self.config.result_file, self.setup, &self.scheduler);
        self.check(written);
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
