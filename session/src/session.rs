//! One measurement: a single loop owns all state and handles inputs in order; everything else sends it messages.
//!
//! Here is the state and what happens when; [`messages`] has what the agent says, [`actions`] what the scheduler wants, [`jvms`] who
//! is there, [`showing`] what is shown of it.

mod actions;
mod choosing;
mod jvms;
mod messages;
mod showing;

use crate::agents::Input;
use crate::buckets;
use crate::config::{Config, Judge};
use crate::context::ContextFile;
use crate::cost::Cost;
use crate::observer::Observer;
use crate::output::Output;
use crate::peer::{NOT_RESTORED, Peer, PeerId};
use crate::results::Results;
use crate::resume::Resumed;
use crate::sequential::Sequential;
use crate::setup::Setup;
use crate::until::Until;
use crate::which::Which;
use spl_lang::Tasks;
use spl_model::{EndedBy, Outcome, Sizing};
use spl_scheduler::{Event, JvmIx, MethodIx, Scheduler};
use spl_verdict::ExitStatus;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// With `cycle-sleep = 0` a cycle without samples is this long.
const SHORTEST_CYCLE: Duration = Duration::from_millis(10);
/// Between two times that it is written which buckets are filled.
const BUCKETS_INTERVAL: Duration = Duration::from_secs(5);
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
    /// What the scheduler is yet to be told, and of which JVM; of the run as a whole without one.
    events: VecDeque<(Option<JvmIx>, Event)>,
    /// Whether decisions are being carried out.
    carrying_out: bool,
    /// Decides comparisons in the sequential mode.
    sequential: Option<Sequential>,
    /// The JVMs that are measured or were, by their connections.
    peers: BTreeMap<PeerId, Peer>,
    /// What the probes cost the program, under a budget; of the first JVM until it is there.
    cost: Option<Cost>,
    output: Output,
    observer: Box<dyn Observer + 'a>,
    context: ContextFile,
    resumed: Option<Resumed>,
    /// Whether agents come in at a port.
    at_port: bool,
    began: Instant,
    /// When what is being handled happened.
    now: Instant,
    /// Connections that were turned away and not yet closed, and the process ids of their programs: an agent tries again
    /// and again, the operator is told once.
    turned_away: (BTreeSet<u64>, BTreeSet<u32>),
    /// How often somebody was not measured.
    strangers: u32,
    next_cycle: Instant,
    next_buckets: Instant,
    /// What a call of an empty method reports in the JVM where that is longest, picoseconds.
    probe_empty_ps: u64,
    results: Results,
    /// Those of them that are not yet written and said.
    unsaid: Results,
    lost: u64,
    problems: Vec<String>,
    until: Until,
    which: Which,
    /// JVMs that were let in and then had none of the classes that another one has.
    sent_away: BTreeSet<PeerId>,
    /// Whether the command that was started has ended; at a port nobody knows of one.
    command_ended: bool,
    /// When the measurement started, and how many samples there were then.
    measuring_since: Option<(Instant, u64)>,
    detach_by: Option<Instant>,
    /// Whether the operator has asked for the end.
    interrupted: bool,
    ever_connected: bool,
}

/// Under a budget, what the probes cost a program that is not there yet.
fn new_cost(setup: &Setup) -> Option<Cost> {
    let share = setup.config.overhead_budget?;
    Some(Cost::new(share, setup.config.argument_size == Sizing::Deep))
}

impl<'a> Session<'a> {
    /// A session that waits for its agent at a socket of its own. `resumed` is what an interrupted run left behind.
    pub fn new(
        setup: &'a Setup,
        scheduler: Scheduler,
        output: Output,
        resumed: Option<Resumed>,
        observer: impl Observer + 'a,
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
            peers: BTreeMap::new(),
            cost: new_cost(setup),
            context: ContextFile::new(setup, output.older()),
            output,
            observer: Box::new(observer),
            resumed,
            at_port: false,
            began: now,
            now,
            turned_away: Default::default(),
            strangers: 0,
            next_cycle: now,
            next_buckets: now + BUCKETS_INTERVAL,
            probe_empty_ps: 0,
            results: Results::default(),
            unsaid: Results::default(),
            lost: 0,
            problems: Vec::new(),
            until: Until::default(),
            which: Which::default(),
            sent_away: BTreeSet::new(),
            command_ended: false,
            measuring_since: None,
            detach_by: None,
            interrupted: false,
            ever_connected: false,
        }
    }

    /// With agents that come in at a port, where anybody on this machine can knock.
    #[must_use]
    pub fn at_port(mut self) -> Self {
        self.at_port = true;
        self
    }

    /// That ends as the operator asks for.
    #[must_use]
    pub fn until(mut self, until: Until) -> Self {
        self.until = until;
        self
    }

    /// That measures these JVMs of its command.
    #[must_use]
    pub fn which(mut self, which: Which) -> Self {
        self.which = which;
        self
    }

    /// That comes after another one of the same command, with connections that are yet to be closed.
    #[must_use]
    pub fn after(mut self, turned_away: BTreeSet<u64>) -> Self {
        self.turned_away.0 = turned_away;
        self
    }

    /// Connections that were turned away and not yet closed.
    pub fn turned_away(&self) -> &BTreeSet<u64> {
        &self.turned_away.0
    }

    /// Whether the command that was started has ended.
    pub fn has_command_ended(&self) -> bool {
        self.command_ended
    }

    /// The exit status as things stand. In measurement mode all is well when nothing went wrong.
    pub fn standing(&self) -> ExitStatus {
        if self.problems.is_empty() { self.results.standing(&self.setup.program) } else { ExitStatus::Error }
    }

    /// All processes that were measured, as they call themselves.
    pub fn programs(&self) -> Vec<u32> {
        self.peers.values().map(Peer::pid).collect()
    }

    /// When the measurement ends by itself; nothing where it ends already. A port may wait for its first program as long as it likes.
    fn ends_at(&self) -> Option<Instant> {
        let waiting = (!self.at_port && !self.is_anybody_here()).then_some(self.began);
        self.until
            .ends_at(self.measuring_since.map(|(at, _)| at), waiting)
            .filter(|_| self.detach_by.is_none())
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
        let start = self.start_at().filter(|_| self.detach_by.is_none());
        [start, self.ends_at()].into_iter().flatten().fold(self.next_cycle, Instant::min)
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
        self.command_ended |= matches!(input, Input::Ended);
        match input {
            Input::Said { agent, at, message } => {
                self.now = at;
                self.said(&agent, *message)
            }
            Input::Lost { agent, why } if self.is_peer(agent) => self.lost_peer(PeerId(agent), &why),
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
                self.problem(format!("interrupted again: {NOT_RESTORED}"));
                Next::Over
            }
            Input::Ended | Input::Interrupted => {
                self.interrupted |= matches!(input, Input::Interrupted);
                self.finish();
                if self.is_anybody_here() { Next::Go } else { Next::Over }
            }
        }
    }

    /// The work of one communication cycle, if it is time for it.
    pub fn cycle(&mut self) -> Next {
        let now = Instant::now();
        if self.detach_by.is_some_and(|by| now >= by) {
            self.problem(NOT_RESTORED.to_owned());
            return Next::Over;
        }
        let is_reached = || self.until.is_reached(&self.setup.program, &self.results);
        if self.ends_at().is_some_and(|at| now >= at) || self.detach_by.is_none() && is_reached() {
            // As above: without a JVM there is nothing to judge.
            if self.ever_connected {
                self.finish();
            }
            if !self.is_anybody_here() {
                return Next::Over;
            }
        }
        for id in self.ids_here() {
            self.start(id, now);
        }
        if now >= self.next_cycle {
            self.next_cycle = now + self.config.cycle_sleep.max(SHORTEST_CYCLE);
            for id in self.ids_here() {
                let Some(peer) = self.peers.get_mut(&id) else { continue };
                let (jvm, was_heard) = (peer.jvm, peer.was_heard());
                if !was_heard {
                    self.event_in(jvm, Event::Tick);
                }
            }
            self.ask_clocks();
            self.spend();
            self.say_results();
            self.change_classes();
            self.observer.cycle(self.tasks, &self.scheduler);
            self.show(now);
        }
        if now >= self.next_buckets && !self.is_starting() && self.detach_by.is_none() {
            self.write_buckets();
            // However many there are, writing them takes a fiftieth of our time at most.
            self.next_buckets = now + BUCKETS_INTERVAL.max(now.elapsed() * 50);
        }
        Next::Go
    }

    /// Nanoseconds from the session's beginning to when what is being handled happened: the scheduler's clock. While
    /// inputs wait it doesn't go on, lest samples in them come too late for the window that they belong to.
    fn now_ns(&self) -> u64 {
        u64::try_from(self.now.saturating_duration_since(self.began).as_nanos()).unwrap_or(u64::MAX)
    }

    /// Ends every method with what it has.
    fn finish(&mut self) {
        self.observer.ends();
        if !self.scheduler.is_done() {
            for method in self.absent() {
                let event = || Event::Unavailable { method: MethodIx(method), why: Outcome::NotLoaded };
                let here = self.peers.values().filter(|peer| peer.is_here()).map(|peer| peer.jvm);
                let here = here.collect::<Vec<_>>();
                if here.is_empty() {
                    self.event(event());
                }
                here.into_iter().for_each(|jvm| self.event_in(jvm, event()));
            }
            let last_start = self.peers.values().filter_map(|peer| peer.start_at).max();
            if let Some(start_at) = last_start.filter(|_| self.measuring_since.is_none()) {
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

    /// Notes a failure, if it is one; the measurement goes on.
    pub fn check(&mut self, result: Result<(), String>) {
        if let Err(problem) = result {
            self.problem(problem);
        }
    }

    /// Notes what went wrong, and says it once.
    pub fn problem(&mut self, problem: String) {
        if !self.problems.contains(&problem) {
            self.observer.problem(&problem);
            self.problems.push(problem);
        }
    }
}
