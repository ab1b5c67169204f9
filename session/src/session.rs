//! One measurement: a single loop owns all state and handles inputs in order; everything else sends it
//! messages.
//!
//! This module has the state and the order of events; [`messages`] handles the agent's messages, [`actions`]
//! the scheduler's decisions, [`jvms`] the connected JVMs, [`showing`] the display.

mod actions;
mod choosing;
mod jvms;
mod messages;
mod reloading;
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
use crate::resume::{Resumed, WindowsOf};
use crate::sequential::Sequential;
use crate::setup::Setup;
use crate::until::Until;
use crate::which::Which;
pub use reloading::Handed;
use spl_lang::Tasks;
use spl_model::{EndedBy, Outcome, Sizing};
use spl_scheduler::{Event, JvmIx, MethodIx, Scheduler};
use spl_verdict::ExitStatus;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// Length of a cycle without samples when `cycle-sleep = 0`.
const SHORTEST_CYCLE: Duration = Duration::from_millis(10);
/// Shortest interval between two writes of the filled buckets.
const BUCKETS_INTERVAL: Duration = Duration::from_secs(5);
/// Problem of a program that was killed before a call of it was measured, whenever that was: while it started, while
/// its agent connected, or after that.
pub const KILLED_EARLY: &str =
    "nothing was measured: the program was killed, or ended without notice, before a call was measured";

/// Time that an agent has to connect whose JVM runs already.
const FOR_AN_AGENT: Duration = Duration::from_secs(30);
/// Whether the loop goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The loop takes more inputs.
    Go,
    /// The measurement is over and its agent is gone.
    Over,
    /// Tasks and settings are to be read again.
    Reload,
}

/// The state of a measurement.
#[derive(Debug)]
pub struct Session<'a> {
    config: &'a Config,
    setup: &'a Setup,
    tasks: &'a Tasks,
    scheduler: Scheduler,
    /// Events for the scheduler, each with its JVM; without a JVM an event concerns the whole run.
    events: VecDeque<(Option<JvmIx>, Event)>,
    /// True while decisions are being carried out.
    carrying_out: bool,
    /// Decides comparisons in the sequential mode.
    sequential: Option<Sequential>,
    /// The present and former JVMs of the measurement, by their connections.
    peers: BTreeMap<PeerId, Peer>,
    /// Cost of the probes under a budget, for the first JVM; `None` once that JVM has come.
    cost: Option<Cost>,
    output: Output,
    observer: Box<dyn Observer + 'a>,
    context: ContextFile,
    resumed: Option<Resumed>,
    /// The instances of windows that were recorded before.
    resumed_windows: WindowsOf,
    /// Differences of instances that were shown: the claim, the instance, and whether its ratio differs.
    said_odd: BTreeSet<(usize, String, bool)>,
    /// True if agents connect at a port.
    at_port: bool,
    began: Instant,
    /// Time of the input that is being handled.
    now: Instant,
    /// Rejected connections that are not yet closed, and the process ids of rejected programs: an agent tries
    /// again and again, and the operator gets one message.
    turned_away: (BTreeSet<u64>, BTreeSet<u32>),
    /// Process ids of the JVMs that wait for their turn.
    waiting: BTreeSet<u32>,
    /// Number of times that an agent was not measured.
    strangers: u32,
    next_cycle: Instant,
    next_buckets: Instant,
    results: Results,
    /// Results that are not yet written and shown.
    unsaid: Results,
    lost: u64,
    problems: Vec<String>,
    until: Until,
    which: Which,
    /// JVMs that were accepted and then had no class of the tasks while another JVM had some.
    sent_away: BTreeSet<PeerId>,
    /// True once the started command has ended; always false at a port, which has no command.
    command_ended: bool,
    /// True once a JVM has gone without a farewell, or a signal has ended the command.
    ended_abruptly: bool,
    /// The JVM that runs already, and the time by which its agent has to be connected.
    running: Option<(u32, Instant)>,
    /// JVM that is gone without a measurement, while the next one is awaited. The scheduler keeps its last JVM.
    gone_before: Option<JvmIx>,
    /// Start of the measurement, and the number of samples at that time.
    measuring_since: Option<(Instant, u64)>,
    detach_by: Option<Instant>,
    /// True once the operator has asked for the end.
    interrupted: bool,
    /// True when the measurement ends because another one with other tasks or settings takes its place.
    is_replaced: bool,
    /// Time for which earlier sessions measured whose place this one has taken; `None` without one. The program is running
    /// then, and there is no wait before the measurement.
    measured_before: Option<Duration>,
    /// True when this session has taken the place of an earlier one, measured or not.
    takes_over: bool,
    ever_connected: bool,
}

/// Cost of the probes in a program that is not there yet; `None` without a budget.
fn new_cost(setup: &Setup) -> Option<Cost> {
    let share = setup.config.overhead_budget?;
    Some(Cost::new(share, setup.config.argument_size == Sizing::Deep))
}

impl<'a> Session<'a> {
    /// A session that waits for its agent at a socket of its own. `resumed` has the data of an interrupted
    /// run.
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
            resumed_windows: WindowsOf::new(),
            said_odd: BTreeSet::new(),
            at_port: false,
            began: now,
            now,
            turned_away: Default::default(),
            waiting: BTreeSet::new(),
            strangers: 0,
            next_cycle: now,
            next_buckets: now + BUCKETS_INTERVAL,
            results: Results::default(),
            unsaid: Results::default(),
            lost: 0,
            problems: Vec::new(),
            until: Until::default(),
            which: Which::default(),
            sent_away: BTreeSet::new(),
            command_ended: false,
            ended_abruptly: false,
            running: None,
            gone_before: None,
            measuring_since: None,
            detach_by: None,
            interrupted: false,
            is_replaced: false,
            measured_before: None,
            takes_over: false,
            ever_connected: false,
        }
    }

    /// Sets that agents connect at a port, which any user of this machine can reach.
    #[must_use]
    pub fn at_port(mut self) -> Self {
        self.at_port = true;
        self
    }

    /// Sets that the one JVM of the session is this process, which runs already: no other one is waited for. Its
    /// agent may know another number of it, that of a container.
    #[must_use]
    pub fn of_running(mut self, pid: u32) -> Self {
        self.running = Some((pid, self.began + FOR_AN_AGENT));
        // There is no command whose end would be reported.
        self.command_ended = true;
        self
    }

    /// Sets the end that the operator asked for.
    #[must_use]
    pub fn until(mut self, until: Until) -> Self {
        self.until = until;
        self
    }

    /// Sets the JVMs of the command that are measured.
    #[must_use]
    pub fn which(mut self, which: Which) -> Self {
        self.which = which;
        self
    }

    /// Sets the connections of an earlier session of the same command that are not yet closed.
    #[must_use]
    pub fn after(mut self, turned_away: BTreeSet<u64>) -> Self {
        self.turned_away.0 = turned_away;
        self
    }

    /// Rejected connections that are not yet closed.
    pub fn turned_away(&self) -> &BTreeSet<u64> {
        &self.turned_away.0
    }

    /// Whether the started command has ended.
    pub fn has_command_ended(&self) -> bool {
        self.command_ended
    }

    /// The current exit status. In measurement mode it is success unless something went wrong.
    pub fn standing(&self) -> ExitStatus {
        if self.problems.is_empty() { self.results.standing(&self.setup.program) } else { ExitStatus::Error }
    }

    /// Process ids of the measured programs that have not said that they end, as their agents gave them.
    pub fn programs(&self) -> Vec<u32> {
        self.peers.values().filter_map(Peer::process).collect()
    }

    /// Time at which the measurement ends by itself; `None` without such a time. A port may wait for its
    /// first program without limit.
    fn ends_at(&self) -> Option<Instant> {
        let waiting = (!self.at_port && !self.is_anybody_here()).then_some(self.began);
        self.until
            .ends_at(self.measuring_since.map(|(at, _)| at), waiting)
            .filter(|_| self.detach_by.is_none())
    }

    /// Start of the controller's work, from which decisions have their times.
    pub fn began(&self) -> Instant {
        self.began
    }

    /// Whether the operator has asked for the end of the measurement.
    pub fn was_interrupted(&self) -> bool {
        self.interrupted
    }

    /// Whether an agent has ever connected.
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

    /// Called when every waiting input was handled.
    pub fn caught_up(&mut self) {
        self.say_results();
    }

    /// Called when time has passed and every waiting input was handled: does the work that is due.
    pub fn idle(&mut self) -> Next {
        self.now = Instant::now();
        if self.scheduler.wake_ns().is_some_and(|at_ns| self.now_ns() >= at_ns) {
            self.event(Event::Pulse);
        }
        self.cycle()
    }

    /// Handles one input.
    pub fn input(&mut self, input: Input) -> Next {
        self.command_ended |= matches!(input, Input::Ended { .. });
        self.ended_abruptly |= matches!(input, Input::Ended { by_signal: true });
        match input {
            Input::Said { agent, at, message } => {
                self.now = at;
                self.said(&agent, *message)
            }
            Input::Lost { agent, why } if self.is_peer(agent) => self.lost_peer(PeerId(agent), &why),
            Input::Lost { agent, why } => {
                if !self.turned_away.0.remove(&agent) {
                    self.stranger(&why);
                    if self.running.is_some() && !self.ever_connected {
                        // The only agent that can come was this one, perhaps of another version.
                        return Next::Over;
                    }
                }
                Next::Go
            }
            Input::Unproved { pid } => {
                self.say_turned_away(pid, "it does not know the token");
                Next::Go
            }
            // Nothing was measured, so nothing is judged, and an interrupted run can still be resumed.
            Input::Ended { .. } | Input::Interrupted if !self.ever_connected => {
                self.interrupted |= matches!(input, Input::Interrupted);
                self.end_alone();
                Next::Over
            }
            // A measurement that ends has no use for other tasks.
            Input::Reload if self.detach_by.is_some() || self.interrupted => Next::Go,
            Input::Reload => Next::Reload,
            Input::Interrupted if self.interrupted && self.detach_by.is_some() => {
                self.problem(format!("interrupted again: {NOT_RESTORED}"));
                Next::Over
            }
            Input::Ended { .. } | Input::Interrupted => {
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
        if !self.ever_connected && self.running.is_some_and(|(_, by)| now >= by) {
            return Next::Over;
        }
        let is_reached = || self.until.is_reached(&self.setup.program, &self.results);
        if self.ends_at().is_some_and(|at| now >= at) || self.detach_by.is_none() && is_reached() {
            // Without a JVM nothing was measured, so nothing is judged.
            if self.ever_connected {
                self.finish();
            } else {
                self.end_alone();
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
            self.observer.cycle(&self.scheduler, &self.results);
            self.show(now);
        }
        if now >= self.next_buckets && !self.is_starting() && self.detach_by.is_none() {
            self.write_buckets();
            // Writing the buckets takes at most 1/50 of the controller's time, however many there are.
            self.next_buckets = now + BUCKETS_INTERVAL.max(now.elapsed() * 50);
        }
        Next::Go
    }

    /// Nanoseconds from the session's start to the input that is being handled: the scheduler's clock. It
    /// stands still while inputs wait, so that samples in them do not come too late for their window.
    fn now_ns(&self) -> u64 {
        u64::try_from(self.now.saturating_duration_since(self.began).as_nanos()).unwrap_or(u64::MAX)
    }

    /// Ends the measurement of every method with its present samples.
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
            let starts = self.peers.values().filter_map(|peer| Some((peer.start_at?, peer.wait)));
            if let Some((start_at, wait)) = starts.max().filter(|_| self.measuring_since.is_none()) {
                self.event(self.not_begun(start_at, wait));
            }
            self.event(Event::Finish);
        }
        self.say_results();
    }

    /// Event for a run that ends before the start of its measurement, which was set for this time.
    fn not_begun(&self, start_at: Instant, wait: Duration) -> Event {
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

    /// Reports a failure; the measurement goes on.
    pub fn check(&mut self, result: Result<(), String>) {
        if let Err(problem) = result {
            self.problem(problem);
        }
    }

    /// Reports a problem, once for each text.
    pub fn problem(&mut self, problem: String) {
        if !self.problems.contains(&problem) {
            self.observer.problem(&problem);
            self.problems.push(problem);
        }
    }
}
