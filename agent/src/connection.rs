//! The socket thread: talks with the controller, flips gates, empties the rings.
//!
//! It is no Java thread, so nothing here can touch the JVM: what concerns classes goes to the agent thread. Here is one
//! connection with its messages. [`serving`] goes from one controller to the next, [`ready`] has what comes before a session's
//! first order, [`news`] what is said unasked. What is defined and armed is the [`Station`]'s, what probes have read the kinds'
//! ([`Times`]).

mod cost;
mod news;
mod ready;
mod serving;

use crate::ids::Ids;
use crate::kinds::times::Times;
use crate::kinds::times::pace::DRAIN_EVERY;
use crate::kinds::times::rings::GRACE_NS;
use crate::life::Life;
use crate::options::Options;
use crate::shared::{Command, Reply, Shared};
use crate::station::Station;
use crate::stream::Stream;
use crate::sys;
use crate::waker::Sleeper;
use cost::ProbeCost;
use spl_model::{Handle, InstrumentId, Outcome, ProbeKind, Refusal};
use spl_wire::{ByeReason, ToAgent, ToController, Token};
use std::io;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

/// Bytes of a warning.
const LONGEST_WARNING: usize = 2000;

/// How long the agent thread may take to restore every class after an error of the agent's own; the controller is told then.
const LAST_RESTORE: Duration = Duration::from_secs(10);

/// Starts the agent thread.
pub type Begin = Box<dyn FnOnce() -> Result<(), String> + Send>;

/// What the thread is given.
pub struct Given {
    /// Shared with the callbacks.
    pub shared: &'static Shared,
    /// Where and how to connect.
    pub options: Options,
    /// What was wrong with the options, for the operator.
    pub mistakes: Vec<String>,
    /// Who this is.
    pub hello: Hello,
    /// Starts the agent thread; `None` once that was tried.
    pub begin: Option<Begin>,
    /// From the agent thread.
    pub done: Receiver<Reply>,
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
    say_bye(&mut stream, ByeReason::Failed(why));
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
pub struct Connection {
    given: Given,
    /// Of the controller that was served last, at a port.
    token: Option<Token>,
    /// What a measured call costs, once it is known.
    cost: Option<ProbeCost>,
    station: Station,
    times: Times,
    /// Size labels that this session's controller knows.
    labels_sent: usize,
    /// Whether a method that lost its compiled code is to be compiled anew.
    awaits_compiled: bool,
    /// Whether the controller was told that some classes are not measured.
    overtaken: bool,
    /// When methods were looked at last whose calls the JVM may replace.
    looked: Instant,
    /// When probes were looked for last.
    looked_for: Instant,
}

impl Connection {
    /// One that has not connected yet.
    pub fn new(given: Given) -> Self {
        let shared = given.shared;
        Self {
            given,
            token: None,
            cost: None,
            station: Station::new(&shared.gates),
            times: Times::new(shared),
            labels_sent: 0,
            awaits_compiled: false,
            overtaken: false,
            looked: Instant::now(),
            looked_for: Instant::now(),
        }
    }

    /// Serves a controller until one of both goes.
    fn session(&mut self, mut stream: Stream) -> Ended {
        if let Err(ended) = self.begin(&mut stream) {
            return ended;
        }
        let mut next_send = Instant::now();
        loop {
            if stream.flush().is_err() {
                return Ended::Lost;
            }
            let (readable, busy) = self.wait(&stream, next_send);
            if let Some(why) = self.given.shared.failure() {
                return self.give_up(&mut stream, why);
            }
            let dying = self.given.life.is_over();
            let detached = self.forward(&mut stream);
            self.await_compiled();
            self.times.drain(&mut self.station);
            if dying {
                // What was claimed and not written yet is waited for no more, but counted.
                self.times.drain_at(&mut self.station, sys::now_ns() + GRACE_NS);
            }
            if !busy && self.listen(&mut stream, readable).is_err() {
                return Ended::Lost;
            }
            if dying || detached.is_some() || Instant::now() >= next_send || self.times.is_full() {
                self.send(&mut stream);
                next_send = Instant::now() + Duration::from_millis(self.given.options.sleep_ms);
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
            say_bye(&mut stream, reason);
            return if dying { Ended::Dying } else { Ended::Detached };
        }
    }

    /// Forgets what an earlier session left behind, makes the probe ready and says hello.
    ///
    /// # Errors
    /// When nothing can be measured, which the controller has been told; how the session ended.
    fn begin(&mut self, stream: &mut Stream) -> Result<(), Ended> {
        if let Some(why) = self.given.shared.failure() {
            // It came before anything was measured, or in an earlier session.
            return Err(self.decline(stream, why.to_owned()));
        }
        self.times.begin();
        self.labels_sent = 0;
        self.station.forget_closings();
        self.given.shared.processor_jar.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.given.shared.overtaken.store(false, Ordering::Relaxed);
        self.overtaken = false;
        while self.given.done.try_recv().is_ok() {}
        match self.prepare() {
            Some(Ok(cost)) => {
                stream.put(&self.hello(cost));
                for text in &self.given.mistakes {
                    stream.put(&ToController::Warning { text: spl_wire::clip(text, 500).to_owned() });
                }
                Ok(())
            }
            Some(Err(why)) => Err(self.decline(stream, why)),
            None => Err(self.unprepared(stream)),
        }
    }

    /// The JVM's end, or an error of the agent's own, came before the probe was ready.
    fn unprepared(&mut self, stream: &mut Stream) -> Ended {
        if !self.given.life.is_over() && self.given.shared.failure().is_none() {
            return self.decline(stream, "the agent's thread could not be started".to_owned());
        }
        stream.put(&self.hello(None));
        if let Some(why) = self.given.shared.failure() {
            return self.give_up(stream, why);
        }
        // A program that ended at once; no fault of anybody's.
        say_bye(stream, ByeReason::VmDeath);
        Ended::Dying
    }

    /// Waits until there is something to do. Gives whether the controller has said something, and whether the agent thread is behind:
    /// the controller has to wait then.
    fn wait(&mut self, stream: &Stream, next_send: Instant) -> (bool, bool) {
        let pause = self.pause(next_send.saturating_duration_since(Instant::now()));
        let busy = self.given.shared.is_busy();
        let [readable, woken] = if busy {
            let [woken] = sys::wait_readable([self.given.sleeper.fd()], pause.min(DRAIN_EVERY));
            [false, woken]
        } else {
            sys::wait_readable([stream.fd(), self.given.sleeper.fd()], pause)
        };
        if woken {
            self.given.sleeper.rest();
        }
        (readable, busy)
    }

    /// Tells a controller why nothing can be measured.
    fn decline(&mut self, stream: &mut Stream, why: String) -> Ended {
        stream.put(&self.hello(None));
        say_bye(stream, ByeReason::Failed(why));
        Ended::Detached
    }

    /// After an error of the agent's own: tells the controller when every class is as it was.
    fn give_up(&mut self, stream: &mut Stream, why: &str) -> Ended {
        self.given.shared.gates.close_all();
        let until = Instant::now() + LAST_RESTORE;
        let mut restored = Err("and it cannot be said whether every class was restored".to_owned());
        while let Ok(done) = self.given.done.recv_timeout(until.saturating_duration_since(Instant::now())) {
            if let Reply::Detached(result) = done {
                restored = result;
                break;
            }
        }
        let why = restored.map_or_else(|left| format!("{why}; {left}"), |()| why.to_owned());
        say_bye(stream, ByeReason::Failed(why));
        Ended::Detached
    }

    /// How long nothing needs to be looked at, when the next samples are due in `until_send`.
    fn pause(&mut self, until_send: Duration) -> Duration {
        let rest = until_send.max(DRAIN_EVERY);
        if self.station.is_open() {
            return rest.min(self.times.pause());
        }
        self.station.look_pause().map_or(rest, |pause| rest.min(pause))
    }

    fn hello(&self, cost: Option<ProbeCost>) -> ToController {
        self.given.hello.message(&self.given.options, cost)
    }

    /// Serves the messages that have arrived, more of them where the stream is `readable`; not all when too much comes of them.
    fn listen(&mut self, stream: &mut Stream, readable: bool) -> io::Result<()> {
        if readable {
            stream.receive()?;
        }
        while !self.given.shared.is_busy()
            && let Some(message) = stream.next()?
        {
            match message {
                ToAgent::Reject { reason } => return Err(io::Error::other(reason)),
                ToAgent::ProcessorJar { path } => {
                    let jar = &self.given.shared.processor_jar;
                    *jar.lock().unwrap_or_else(PoisonError::into_inner) = path;
                }
                ToAgent::Define { handle, instrument } => {
                    if let Err(text) = self.station.define(handle, instrument) {
                        stream.put(&ToController::Warning { text });
                    }
                }
                ToAgent::Instrument { handles } => self.instrument(stream, &handles),
                ToAgent::Arm { handle, every, quota } => self.arm(handle, every, quota),
                ToAgent::Disarm { handle } => self.station.disarm(handle),
                ToAgent::Restore { handles } => {
                    handles.iter().for_each(|handle| self.station.shut(*handle));
                    let ids = handles.iter().filter_map(|handle| self.station.id(*handle)).collect();
                    self.given.shared.command(Command::Restore(ids));
                }
                ToAgent::Drain => {
                    self.times.drain(&mut self.station);
                    self.send(stream);
                }
                ToAgent::Detach => {
                    self.station.shut_all();
                    self.given.shared.command(Command::Detach);
                }
                ToAgent::Ping { id } => stream.put(&ToController::Pong { id, now_ns: sys::now_ns() }),
                ToAgent::Pong { .. } => {}
                ToAgent::Discarded { handle, count } => self.station.discarded(handle, count),
                ToAgent::VisitLimit { objects } => {
                    self.given.shared.command(Command::VisitLimit(objects.max(1)));
                }
                ToAgent::MetaspaceLimit { bytes } => {
                    self.given.shared.command(Command::MetaspaceLimit(bytes));
                }
            }
        }
        Ok(())
    }

    fn instrument(&mut self, stream: &mut Stream, handles: &[Handle]) {
        let (targets, without) = self.station.targets(handles);
        for handle in without {
            let outcome = Outcome::Refused(Refusal::NoGate(Ids::LIMIT));
            stream.put(&ToController::Outcome { handle, class_loader: String::new(), outcome });
        }
        self.given.shared.command(Command::Instrument(targets));
    }

    fn arm(&mut self, handle: Handle, every: u32, quota: u64) {
        if self.station.arm(handle, every, quota, self.given.options.measurements) {
            self.times.opens(self.station.may_come());
        }
    }

    /// Passes on what the agent thread has to say; gives how a detachment went.
    fn forward(&mut self, stream: &mut Stream) -> Option<Result<(), String>> {
        let mut detached = None;
        while let Ok(done) = self.given.done.try_recv() {
            let handles_of = |ids: &[InstrumentId]| {
                ids.iter().filter_map(|id| self.station.handle(*id)).collect::<Vec<_>>()
            };
            match done {
                Reply::Outcome { id, class_loader, outcome } => {
                    if let Some(handle) = self.station.handle(id) {
                        self.station.expect_bypass(handle, &outcome);
                        stream.put(&ToController::Outcome { handle, class_loader, outcome });
                    }
                }
                Reply::Retransformed { ids, change, took_ns, at_ns } => {
                    let handles = handles_of(&ids);
                    stream.put(&ToController::Retransformed { handles, change, took_ns, at_ns });
                }
                Reply::Dear { ids, bytes } => {
                    stream.put(&ToController::Dear { handles: handles_of(&ids), bytes });
                }
                Reply::Metaspace { kept, reserved, limit } => {
                    stream.put(&ToController::Metaspace { kept, reserved, limit });
                }
                Reply::Removed { ids, times, gap_ns } => {
                    stream.put(&ToController::Removed { handles: handles_of(&ids), times, gap_ns });
                }
                Reply::Restored { ids } => stream.put(&ToController::Restored { handles: handles_of(&ids) }),
                Reply::Detached(result) => detached = Some(result),
                Reply::Ready(_) | Reply::Cost(_) => {}
                Reply::Warning(text) => {
                    // It may hold what the program's own code said, at any length.
                    let text = spl_wire::clip(&text, LONGEST_WARNING).to_owned();
                    stream.put(&ToController::Warning { text });
                }
            }
        }
        detached
    }
}

/// The last message, after which nobody listens any more.
fn say_bye(stream: &mut Stream, reason: ByeReason) {
    stream.put(&ToController::Bye { reason });
    // Nothing else can be done.
    let _ = stream.flush();
}

#[cfg(test)]
mod tests;
