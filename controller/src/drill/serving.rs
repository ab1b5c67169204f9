//! The JVMs of a drill: each that connects counts, until its end or that of the drill.

use super::collected::{Collected, Ordered, Profile, Step};
use super::rings::Tracing;
use crate::every::Every;
use crate::progress::Progress;
use spl_model::{DrillKind, Scope, one_line};
use spl_session::agents::{Agent, Input};
use spl_session::measure::Inputs;
use spl_wire::{Listening, ToAgent, ToController};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::time::{MissedTickBehavior, interval, sleep_until};

/// Time for the last messages of a JVM after its program has ended.
pub const LAST_MESSAGES: Duration = Duration::from_secs(5);
/// Time for the restoring of all classes.
const RESTORING: Duration = Duration::from_secs(60);
/// Why there is nothing of a JVM that goes on.
const LEFT_EARLY: &str =
    "nothing was counted: the agent left before, perhaps by `spl detach` or at the end of another controller";
/// Most JVMs of a drill.
const MOST_JVMS: usize = 64;
/// Methods in one message: a name has at most 64 KiB, and most have 60 bytes.
const STOPPED_AT_ONCE: usize = 8;
/// Time between looks at the number of calls.
const GLANCE_EVERY: Duration = Duration::from_millis(100);
/// Milliseconds between looks of an agent at the states of threads.
const LOOK_MS: u32 = 10;
/// Mean number of allocated bytes between two samples: the JVM's own.
const SAMPLED_BYTES: u32 = 512 << 10;
/// Time between looks at the budget.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The orders of the operator.
#[derive(Debug)]
pub struct Orders {
    /// Counts or flags.
    pub what: DrillKind,
    /// The methods.
    pub scope: Scope,
    /// Longest time from the first change on.
    pub longest: Option<Duration>,
    /// Calls of each root that are enough to end sooner.
    pub enough: Option<u64>,
    /// Share of the program's time that counting may take.
    pub budget: Option<f64>,
    /// How to trace.
    pub tracing: Option<Tracing>,
    /// When intervals of a series end.
    pub every: Option<Every>,
    /// Whether the JVM's events are heard along with it.
    pub listens: bool,
    /// Whether the heap is looked at in the end, besides.
    pub heap: bool,
    /// Time by which an agent must have connected.
    pub first_by: Option<Instant>,
}

/// The result of all JVMs.
#[derive(Debug, Default)]
pub struct Counted {
    /// Of each JVM in which a class counted, in the order in which they connected.
    pub profiles: Vec<Profile>,
    /// Number of JVMs that connected.
    pub connected: usize,
    /// Whether a JVM goes on after the drill.
    pub goes_on: bool,
}

/// A JVM that counts.
struct Serving {
    agent: Agent,
    collected: Collected,
    /// Its place in the order of connections.
    place: usize,
}

struct Jvms<'a> {
    orders: &'a Orders,
    progress: &'a Progress,
    serving: BTreeMap<u64, Serving>,
    connected: usize,
    done: BTreeMap<usize, Profile>,
    goes_on: bool,
    /// Why JVMs could not be counted.
    failures: Vec<String>,
    /// The end of the drill has been asked for, or must come by itself.
    is_ending: bool,
    has_ended: bool,
    /// When the next thing is due.
    until: Option<Instant>,
}

/// Serves JVMs until all have counted, the time is over or the program has ended.
///
/// # Errors
/// When no class counted and a JVM said why; one line of text.
pub async fn collect(orders: &Orders, inputs: &mut Inputs, progress: &Progress) -> Result<Counted, String> {
    let mut jvms = Jvms {
        orders,
        progress,
        serving: BTreeMap::new(),
        connected: 0,
        done: BTreeMap::new(),
        goes_on: false,
        failures: Vec::new(),
        is_ending: false,
        has_ended: false,
        until: orders.first_by,
    };
    let mut looks = interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut glances = interval(GLANCE_EVERY);
    glances.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let (until, mark) = (jvms.until, jvms.next_mark());
        let input = tokio::select! {
            input = inputs.next() => Some(input),
            () = sleep_until(until.unwrap_or_else(far).into()), if until.is_some() => None,
            () = sleep_until(mark.unwrap_or_else(far).into()), if mark.is_some() => {
                jvms.mark();
                continue;
            }
            _ = looks.tick(), if orders.budget.is_some() => {
                jvms.look();
                continue;
            }
            _ = glances.tick(), if orders.enough.is_some() => {
                if !jvms.has_enough() {
                    continue;
                }
                None
            }
        };
        if jvms.take(input) {
            return jvms.end();
        }
    }
}

impl Jvms<'_> {
    /// Lets methods stop that count too often for the budget.
    fn look(&mut self) {
        let Some(share) = self.orders.budget.filter(|_| !self.is_ending) else { return };
        for serving in self.serving.values_mut() {
            let methods = serving.collected.over(share);
            let Some(first) = methods.first() else { continue };
            let more =
                if methods.len() > 1 { format!(" and {} more", methods.len() - 1) } else { String::new() };
            self.progress.note(&format!("{}{more} counts no more: too dear for the budget", one_line(first)));
            for methods in methods.chunks(STOPPED_AT_ONCE) {
                serving.agent.send(ToAgent::StopCounting { methods: methods.to_vec() });
            }
        }
    }

    /// When the next instant of a series is due; the end of a drill belongs to the last interval.
    fn next_mark(&self) -> Option<Instant> {
        let going_on = self.serving.values().filter(|_| !self.is_ending);
        going_on.filter_map(|serving| serving.collected.next_mark()).min()
    }

    /// Ends the intervals that are due.
    fn mark(&mut self) {
        for serving in self.serving.values_mut() {
            if let Err(why) = serving.collected.mark() {
                self.progress.note(&format!("an interval is longer than asked for: {why}"));
            }
        }
    }

    /// Whether each root had enough calls in a JVM.
    fn has_enough(&self) -> bool {
        let has_begun = self.until.is_some() && !self.is_ending;
        let enough = self.orders.enough.filter(|_| has_begun);
        enough.is_some_and(|enough| self.serving.values().any(|serving| serving.collected.has_calls(enough)))
    }

    /// Takes an input in, or the time that was due; whether the drill is over.
    fn take(&mut self, input: Option<Input>) -> bool {
        match input {
            None if self.is_ending || self.serving.is_empty() => return true,
            None | Some(Input::Interrupted) => {
                if self.serving.is_empty() {
                    return true;
                }
                for serving in self.serving.values() {
                    serving.agent.send(ToAgent::Detach);
                }
                (self.is_ending, self.until) = (true, Some(Instant::now() + RESTORING));
            }
            Some(Input::Ended { .. }) => {
                self.has_ended = true;
                if self.serving.is_empty() {
                    return true;
                }
                // A JVM may outlive the command.
                self.serving.values().for_each(|serving| serving.agent.send(ToAgent::Detach));
                (self.is_ending, self.until) = (true, Some(Instant::now() + LAST_MESSAGES));
            }
            Some(Input::Said { agent, message, .. }) => return self.said(agent, *message),
            Some(Input::Lost { agent, .. }) => {
                if let Some(mut serving) = self.serving.remove(&agent) {
                    // No other JVM comes where one was attached to; it ends, or goes on without its agent.
                    self.goes_on |= self.orders.first_by.is_some();
                    if !serving.collected.is_empty() {
                        serving.collected.was_cut_short();
                    }
                    return self.over(serving);
                }
            }
            Some(Input::Reload) => self.progress.note("a drill reads no tasks that could have changed"),
            Some(Input::Unproved { .. }) => {}
        }
        false
    }

    fn said(&mut self, agent: Agent, message: ToController) -> bool {
        if let ToController::Hello { kinds, command, pid, .. } = message {
            self.connects(agent, &kinds, command, pid);
            return false;
        }
        let id = agent.id;
        let Some(serving) = self.serving.get_mut(&id) else { return false };
        match serving.collected.take(message) {
            Ok(Step::Go) => {}
            Ok(Step::Answer(answer)) => agent.send(answer),
            Ok(Step::Note(text)) => self.progress.note(&text),
            Ok(Step::Begun) if !self.is_ending => {
                // Counted from the first JVM on.
                let end = || self.orders.longest.map(|longest| Instant::now() + longest);
                self.until = self.until.or_else(end);
            }
            Ok(Step::Begun) => {}
            Ok(Step::Over) => {
                if let Some(serving) = self.serving.remove(&id) {
                    return self.over(serving);
                }
            }
            Err(why) => {
                agent.send(ToAgent::Detach);
                self.serving.remove(&id);
                self.failures.push(why);
                return self.are_all_over();
            }
        }
        false
    }

    fn connects(&mut self, agent: Agent, kinds: &[String], command: String, pid: u32) {
        let knows = kinds.iter().any(|kind| kind == self.orders.what.name());
        let why = match self.serving.len() {
            _ if !knows => "its agent is of another version",
            _ if self.is_ending => "the drill ends",
            MOST_JVMS.. => "as many JVMs as can be counted at once are counted",
            _ => {
                let (what, scope) = (self.orders.what, self.orders.scope.clone());
                if self.orders.listens {
                    agent.send(ToAgent::Listen(Listening {
                        alone: false,
                        interval_bytes: SAMPLED_BYTES,
                        look_ms: LOOK_MS,
                        heap: self.orders.heap,
                    }));
                }
                agent.send(ToAgent::Drill { what, scope: scope.clone() });
                if self.serving.is_empty() && self.connected == 0 {
                    self.until = None;
                }
                let (tracing, every) = (self.orders.tracing.clone(), self.orders.every.clone());
                let collected = Collected::new(Ordered { what, scope, tracing, every }, pid, command);
                self.serving.insert(agent.id, Serving { agent, collected, place: self.connected });
                self.connected += 1;
                return;
            }
        };
        self.progress.note(&format!("pid {pid} is not counted: {why}"));
        agent.send(ToAgent::Detach);
    }

    /// A JVM says nothing more; whether the drill is over.
    fn over(&mut self, serving: Serving) -> bool {
        self.goes_on |= serving.collected.goes_on;
        if serving.collected.is_empty() {
            if serving.collected.goes_on && !self.is_ending {
                self.failures.push(LEFT_EARLY.to_owned());
            }
        } else {
            match serving.collected.finish() {
                Ok(profile) => drop(self.done.insert(serving.place, profile)),
                Err(why) => self.failures.push(why),
            }
        }
        self.are_all_over()
    }

    /// Whether nothing more comes: the program has ended, or goes on uncounted.
    fn are_all_over(&self) -> bool {
        let is_failed = !self.failures.is_empty() && self.done.is_empty();
        self.serving.is_empty() && (self.has_ended || self.is_ending || self.goes_on || is_failed)
    }

    fn end(mut self) -> Result<Counted, String> {
        for mut serving in std::mem::take(&mut self.serving).into_values() {
            serving.agent.send(ToAgent::Detach);
            serving.collected.was_left_alone();
            self.over(serving);
        }
        let (mut failures, profiles) =
            (self.failures.into_iter(), self.done.into_values().collect::<Vec<_>>());
        match failures.next() {
            Some(why) if profiles.is_empty() => return Err(why),
            first => {
                first.into_iter().chain(failures).for_each(|why| self.progress.problem(&why));
            }
        }
        Ok(Counted { profiles, connected: self.connected, goes_on: self.goes_on })
    }
}

/// A time that does not come.
fn far() -> Instant {
    Instant::now() + Duration::from_secs(3600)
}
