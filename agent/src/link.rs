//! The socket thread: talks with the controller, flips gates, empties the rings.
//!
//! It is no Java thread, so nothing here can touch the JVM: what concerns classes goes to the agent thread. Here is one
//! connection with its messages. [`serving`] goes from one controller to the next, [`ready`] has what comes before a session's
//! first order, [`orders`] what is ordered of methods; [`drain`] takes what comes of it out of the rings, [`samples`] sends it.

mod drain;
mod orders;
mod ready;
mod samples;
mod serving;

use crate::bypass::Bypass;
use crate::ids::Ids;
use crate::life::Life;
use crate::options::Options;
use crate::rings::{GRACE_NS, Rings};
use crate::state::{Command, Done, State};
use crate::stream::Stream;
use crate::sys;
use crate::waker::Sleeper;
use drain::{Handles, Pace};
use ready::ProbeCost;
use spl_model::{Handle, Instrument, InstrumentId, MethodRef, ProbeKind};
use spl_wire::{ByeReason, MAX_SAMPLES, ToAgent, ToController, Token, WireSample};
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::io;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

/// The shortest time between two looks at the rings while a gate is open: short against the time in which a busy thread fills
/// its ring.
const DRAIN_EVERY: Duration = Duration::from_millis(1);
/// Between two looks for calls that still run behind closed gates, at most: one that blocks may run as long as the program.
const LOOK_LAST: Duration = Duration::from_millis(100);

/// Closings of one method that are looked at for calls which still run. Of earlier ones the controller is not told.
const MOST_CLOSINGS: usize = 256;

/// Between two looks for probes that another agent has taken out.
const LOOK_FOR_PROBES_EVERY: Duration = Duration::from_secs(1);

/// Bytes of a warning.
const LONGEST_WARNING: usize = 2000;

/// How long the agent thread may take to restore every class after an error of the agent's own; the controller is told then.
const LAST_RESTORE: Duration = Duration::from_secs(10);

/// Starts the agent thread.
pub type Begin = Box<dyn FnOnce() -> Result<(), String> + Send>;

/// What the thread is given.
pub struct Parts {
    /// Shared with the callbacks.
    pub state: &'static State,
    /// Where and how to connect.
    pub options: Options,
    /// What was wrong with the options, for the operator.
    pub mistakes: Vec<String>,
    /// Who this is.
    pub hello: Hello,
    /// Starts the agent thread; `None` once that was tried.
    pub begin: Option<Begin>,
    /// From the agent thread.
    pub done: Receiver<Done>,
    /// Woken by the agent thread and by the JVM's end.
    pub sleeper: Sleeper,
    /// What the agent is doing.
    pub life: &'static Life,
    /// Told when the JVM ends and the last sample has gone out.
    pub has_ended: Sender<()>,
}

/// What never changes in the first message.
#[derive(Clone, Debug)]
pub struct Hello {
    /// `java.vm.version`
    pub java_version: String,
    /// `sun.java.command`
    pub command: String,
}

impl Hello {
    fn message(&self, options: &Options, cost: Option<ProbeCost>) -> ToController {
        ToController::Hello {
            pid: std::process::id(),
            java_version: spl_wire::clip(&self.java_version, 200).to_owned(),
            command: spl_wire::clip(&self.command, 2000).to_owned(),
            now_ns: sys::now_ns(),
            kinds: ProbeKind::NAMES.map(str::to_owned).to_vec(),
            max_measurements: Some(options.measurements),
            probe_cost_ps: cost.map(|cost| cost.call_ps),
            probe_empty_ps: cost.and_then(|cost| cost.empty_ps),
        }
    }
}

/// Tells a controller, if there is one, why nothing can be measured in this JVM.
pub fn excuse(options: &Options, hello: &Hello, why: String) {
    let Ok(mut stream) = Stream::connect(options) else { return };
    stream.put(&hello.message(options, None));
    stream.put(&ToController::Bye { reason: ByeReason::Failed(why) });
    // Nothing else can be done.
    let _ = stream.flush();
}

/// Why a session ended.
enum Ended {
    /// Connection lost, or the controller is not ours.
    Lost,
    /// Asked to go dormant, and every class is as it was found.
    Detached,
    /// The JVM ends.
    Dying,
}

/// Serves one controller after the other.
pub struct Link {
    parts: Parts,
    ids: Ids,
    /// Of the controller that was served last, at a port.
    token: Option<Token>,
    /// The reading side of the rings, once there are any.
    rings: Option<Rings>,
    /// What a measured call costs, once it is known.
    cost: Option<ProbeCost>,
    /// By handle, in this session.
    methods: BTreeMap<Handle, Method>,
    /// What the instruments of `methods` are known by.
    defined: HashSet<(MethodRef, &'static str)>,
    /// Bytes of their names.
    names: usize,
    handles: Handles,
    /// Handles of methods whose gate is open.
    open: BTreeSet<Handle>,
    /// Samples that may be taken until all of them have closed.
    may_come: u64,
    pace: Pace,
    /// Closings of each method of whose calls some may still be running, at most [`MOST_CLOSINGS`], the newest last.
    closing: BTreeMap<Handle, VecDeque<Closing>>,
    /// How long to wait before the next look for these calls.
    look_pause: Duration,
    waiting: Vec<WireSample>,
    /// Size labels that this session's controller knows.
    labels_sent: usize,
    dropped: u64,
    anomalies: u64,
    /// Whether a method that lost its compiled code is to be compiled anew.
    awaits_compiled: bool,
    /// Whether the controller was told that some classes are not measured.
    overtaken: bool,
    /// When methods were looked at last whose calls the JVM may replace.
    looked: Instant,
    /// When probes were looked for last.
    looked_for: Instant,
}

/// One closing of a method's gate.
#[derive(Clone, Copy, Debug)]
struct Closing {
    /// Which of the method's, from 1.
    number: u64,
    /// The openings, from after this one to that one, that it closed.
    openings: (u32, u32),
}

struct Method {
    instrument: Instrument,
    id: Option<InstrumentId>,
    /// Samples that may still be taken until the gate closes; 0 when it is closed.
    left: u64,
    /// Whether the controller wants as many as come.
    unbounded: bool,
    /// Samples taken in this session.
    taken: u64,
    /// Whether the controller was told that the agent's own limit is reached.
    limited: bool,
    /// One call in so many is taken.
    every: u32,
    /// How often the controller has closed its gate, and the newest opening that it closed.
    closed: (u64, u32),
    /// Whether its gate was opened since probes were looked for last, and what was taken then.
    opened: (bool, u64),
    /// Of a method whose calls the JVM may replace by an intrinsic; and what was taken when that was looked at last.
    bypass: Option<(Bypass, u64)>,
}

impl Link {
    /// A link that has not connected yet.
    pub fn new(parts: Parts) -> Self {
        Self {
            parts,
            ids: Ids::default(),
            token: None,
            rings: None,
            cost: None,
            methods: BTreeMap::new(),
            defined: HashSet::new(),
            names: 0,
            handles: Handles::default(),
            open: BTreeSet::new(),
            may_come: 0,
            pace: Pace::new(),
            closing: BTreeMap::new(),
            look_pause: DRAIN_EVERY,
            waiting: Vec::new(),
            labels_sent: 0,
            dropped: 0,
            anomalies: 0,
            awaits_compiled: false,
            overtaken: false,
            looked: Instant::now(),
            looked_for: Instant::now(),
        }
    }

    fn session(&mut self, mut stream: Stream) -> Ended {
        if let Some(why) = self.parts.state.failure() {
            // It came before anything was measured, or in an earlier session.
            let why = why.to_owned();
            return self.decline(stream, why);
        }
        // What an earlier session left behind belongs to nobody.
        self.take_raw(&mut |_| {});
        self.waiting.clear();
        self.labels_sent = 0;
        (self.dropped, self.anomalies) = (0, 0);
        self.closing.clear();
        self.parts.state.processor_jar.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.parts.state.overtaken.store(false, Ordering::Relaxed);
        self.overtaken = false;
        while self.parts.done.try_recv().is_ok() {}
        match self.prepare() {
            Some(Ok(cost)) => {
                stream.put(&self.hello(cost));
                for text in &self.parts.mistakes {
                    stream.put(&ToController::Warning { text: spl_wire::clip(text, 500).to_owned() });
                }
            }
            Some(Err(why)) => return self.decline(stream, why),
            None => {
                if !self.parts.life.is_over() && self.parts.state.failure().is_none() {
                    return self.decline(stream, "the agent's thread could not be started".to_owned());
                }
                stream.put(&self.hello(None));
                if let Some(why) = self.parts.state.failure() {
                    return self.give_up(stream, why);
                }
                // A program that ended at once; no fault of anybody's.
                stream.put(&ToController::Bye { reason: ByeReason::VmDeath });
                let _ = stream.flush();
                return Ended::Dying;
            }
        }
        let mut next_send = Instant::now();
        loop {
            if stream.flush().is_err() {
                return Ended::Lost;
            }
            let pause = self.pause(next_send.saturating_duration_since(Instant::now()));
            // Where the agent thread is behind, the controller has to wait.
            let busy = self.parts.state.is_busy();
            let [readable, woken] = if busy {
                let [woken] = sys::wait_readable([self.parts.sleeper.fd()], pause.min(DRAIN_EVERY));
                [false, woken]
            } else {
                sys::wait_readable([stream.fd(), self.parts.sleeper.fd()], pause)
            };
            if woken {
                self.parts.sleeper.rest();
            }
            if let Some(why) = self.parts.state.failure() {
                return self.give_up(stream, why);
            }
            let dying = self.parts.life.is_over();
            let detached = self.forward(&mut stream);
            self.report_compiled(&mut stream);
            self.drain();
            if dying {
                // What was claimed and not written yet is waited for no more, but counted.
                self.drain_at(sys::now_ns() + GRACE_NS);
            }
            if !busy && self.listen(&mut stream, readable).is_err() {
                return Ended::Lost;
            }
            if dying || detached.is_some() || Instant::now() >= next_send || self.waiting.len() >= MAX_SAMPLES
            {
                self.send(&mut stream);
                next_send = Instant::now() + Duration::from_millis(self.parts.options.sleep_ms);
            }
            self.say_bypassed(&mut stream);
            self.look_for_probes();
            self.say_overtaken(&mut stream);
            self.say_idle(&mut stream);
            let reason = match (dying, detached) {
                (true, _) => ByeReason::VmDeath,
                (false, Some(Ok(()))) => ByeReason::Detached,
                (false, Some(Err(why))) => ByeReason::Failed(why),
                (false, None) => continue,
            };
            stream.put(&ToController::Bye { reason });
            let _ = stream.flush();
            return if dying { Ended::Dying } else { Ended::Detached };
        }
    }

    /// Tells a controller why nothing can be measured.
    fn decline(&mut self, mut stream: Stream, why: String) -> Ended {
        stream.put(&self.hello(None));
        stream.put(&ToController::Bye { reason: ByeReason::Failed(why) });
        let _ = stream.flush();
        Ended::Detached
    }

    /// After an error of the agent's own: tells the controller when every class is as it was.
    fn give_up(&mut self, mut stream: Stream, why: &str) -> Ended {
        self.parts.state.gates.close_all();
        let until = Instant::now() + LAST_RESTORE;
        let mut restored = Err("and it cannot be said whether every class was restored".to_owned());
        while let Ok(done) = self.parts.done.recv_timeout(until.saturating_duration_since(Instant::now())) {
            if let Done::Detached(result) = done {
                restored = result;
                break;
            }
        }
        let why = restored.map_or_else(|left| format!("{why}; {left}"), |()| why.to_owned());
        stream.put(&ToController::Bye { reason: ByeReason::Failed(why) });
        let _ = stream.flush();
        Ended::Detached
    }

    /// How long nothing needs to be looked at, when the next samples are due in `until_send`.
    fn pause(&mut self, until_send: Duration) -> Duration {
        let rest = until_send.max(DRAIN_EVERY);
        if !self.open.is_empty() {
            rest.min(self.pace.pause())
        } else if self.closing.is_empty() {
            rest
        } else {
            // Most calls end soon, and one that doesn't must not keep this thread busy.
            let pause = self.look_pause;
            self.look_pause = (pause * 2).min(LOOK_LAST);
            rest.min(pause)
        }
    }

    fn hello(&self, cost: Option<ProbeCost>) -> ToController {
        self.parts.hello.message(&self.parts.options, cost)
    }

    /// Serves the messages that have arrived, more of them where the stream is `readable`; not all when too much comes of them.
    fn listen(&mut self, stream: &mut Stream, readable: bool) -> io::Result<()> {
        if readable {
            stream.receive()?;
        }
        while !self.parts.state.is_busy()
            && let Some(message) = stream.next()?
        {
            match message {
                ToAgent::Reject { reason } => return Err(io::Error::other(reason)),
                ToAgent::ProcessorJar { path } => {
                    let jar = &self.parts.state.processor_jar;
                    *jar.lock().unwrap_or_else(PoisonError::into_inner) = path;
                }
                ToAgent::Define { handle, instrument } => self.define(stream, handle, instrument),
                ToAgent::Instrument { handles } => self.instrument(stream, &handles),
                ToAgent::Arm { handle, every, quota } => self.arm(handle, every, quota),
                ToAgent::Disarm { handle } => self.disarm(handle),
                ToAgent::Restore { handles } => {
                    handles.iter().for_each(|handle| self.shut(*handle));
                    let ids = handles.iter().filter_map(|handle| self.methods.get(handle)?.id).collect();
                    self.parts.state.command(Command::Restore(ids));
                }
                ToAgent::Drain => {
                    self.drain();
                    self.send(stream);
                }
                ToAgent::Detach => {
                    self.parts.state.gates.close_all();
                    self.methods.values_mut().for_each(|method| method.left = 0);
                    (self.open, self.may_come) = (BTreeSet::new(), 0);
                    self.parts.state.command(Command::Detach);
                }
                ToAgent::Ping { id } => stream.put(&ToController::Pong { id, now_ns: sys::now_ns() }),
                ToAgent::Pong { .. } => {}
                ToAgent::Discarded { handle, count } => self.discarded(handle, count),
                ToAgent::VisitLimit { objects } => {
                    self.parts.state.command(Command::VisitLimit(objects.max(1)));
                }
                ToAgent::MetaspaceLimit { bytes } => {
                    self.parts.state.command(Command::MetaspaceLimit(bytes));
                }
            }
        }
        Ok(())
    }

    /// Passes on what the agent thread has to say; gives how a detachment went.
    fn forward(&mut self, stream: &mut Stream) -> Option<Result<(), String>> {
        let mut detached = None;
        while let Ok(done) = self.parts.done.try_recv() {
            let handles_of =
                |ids: &[InstrumentId]| ids.iter().filter_map(|id| self.handles.get(*id)).collect::<Vec<_>>();
            match done {
                Done::Outcome { id, class_loader, outcome } => {
                    if let Some(handle) = self.handles.get(id) {
                        self.expect_bypass(handle, &outcome);
                        stream.put(&ToController::Outcome { handle, class_loader, outcome });
                    }
                }
                Done::Retransformed { ids, change, took_ns, at_ns } => {
                    let handles = handles_of(&ids);
                    stream.put(&ToController::Retransformed { handles, change, took_ns, at_ns });
                }
                Done::Dear { ids, bytes } => {
                    stream.put(&ToController::Dear { handles: handles_of(&ids), bytes });
                }
                Done::Metaspace { kept, reserved, limit } => {
                    stream.put(&ToController::Metaspace { kept, reserved, limit });
                }
                Done::Removed { ids, times, gap_ns } => {
                    stream.put(&ToController::Removed { handles: handles_of(&ids), times, gap_ns });
                }
                Done::Restored { ids } => stream.put(&ToController::Restored { handles: handles_of(&ids) }),
                Done::Detached(result) => detached = Some(result),
                Done::Ready(_) | Done::Cost(_) => {}
                Done::Warning(text) => {
                    // It may hold what the program's own code said, at any length.
                    let text = spl_wire::clip(&text, LONGEST_WARNING).to_owned();
                    stream.put(&ToController::Warning { text });
                }
            }
        }
        detached
    }
}

#[cfg(test)]
mod tests;
