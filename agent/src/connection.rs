//! The socket thread: talks with the controller, flips gates, empties the rings.
//!
//! This thread is not a Java thread, so nothing here can touch the JVM: the agent thread does all work on
//! classes. This file holds one connection with its messages. [`serving`] leads from one controller to the
//! next, [`ready`] holds the steps before a session's first order, [`news`] the messages sent unasked. The
//! [`Station`] holds the defined and armed methods, the kinds ([`Times`]) the readings of the probes.

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
use crate::shared::{Command, Reply, Shared, Survey};
use crate::station::Station;
use crate::stream::Stream;
use crate::sys;
use crate::waker::Sleeper;
use cost::{ProbeCost, two_clock_reads_ps};
use spl_model::{DrillKind, Handle, InstrumentId, Outcome, ProbeKind, Refusal};
use spl_wire::{ByeReason, Drilled, Events, ToAgent, ToController, Token};
use std::io;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

/// Most bytes of a warning.
const LONGEST_WARNING: usize = 2000;

/// Time limit for restoring every class after an error of the agent's own; the controller is informed after
/// it.
const LAST_RESTORE: Duration = Duration::from_secs(10);

/// Longest time that the agent thread has for a step before the first message. The longest one, the warm-up of the probe, takes less than a
/// second, and some seconds where the JVM only interprets.
const LONGEST_ANSWER: Duration = Duration::from_secs(120);

/// Starts the agent thread.
pub type Begin = Box<dyn FnOnce() -> Result<(), String> + Send>;

/// Parts of the thread, set at its start.
pub struct Given {
    /// Shared with the callbacks.
    pub shared: &'static Shared,
    /// Where and how to connect.
    pub options: Options,
    /// Mistakes in the options, for the operator.
    pub mistakes: Vec<String>,
    /// Identity of this JVM.
    pub hello: Hello,
    /// Starts the agent thread; `None` once that was tried.
    pub begin: Option<Begin>,
    /// From the agent thread.
    pub done: Receiver<Reply>,
    /// The stage of the agent's life.
    pub life: &'static Life,
    /// Signalled when the JVM ends and the last sample was sent.
    pub has_ended: Sender<()>,
    /// Whether the agent ends its threads after a controller instead of waiting for the next one.
    pub leaves: bool,
}

/// The constant part of the first message.
#[derive(Clone, Debug)]
pub struct Hello {
    /// `java.vm.version`
    pub java_version: String,
    /// `sun.java.command`
    pub command: String,
    /// Whether the JVM compiles methods (`java.vm.info`).
    pub compiles: bool,
}

impl Hello {
    fn message(&self, options: &Options, cost: Option<ProbeCost>) -> ToController {
        ToController::Hello {
            pid: std::process::id(),
            java_version: spl_wire::clip(&self.java_version, 200).to_owned(),
            instance: spl_wire::clip(&options.instance, spl_wire::MAX_INSTANCE_BYTES).to_owned(),
            command: spl_wire::clip(&self.command, 2000).to_owned(),
            now_ns: sys::now_ns(),
            kinds: ProbeKind::NAMES
                .into_iter()
                .chain(DrillKind::ALL.map(DrillKind::name))
                .map(str::to_owned)
                .collect(),
            max_measurements: options.measurements,
            probe_cost_ps: cost.map(|cost| cost.call_ps),
            probe_empty_ps: cost.and_then(|cost| cost.empty_ps),
            clock_reads_ps: cost.map(|cost| cost.reads_ps),
        }
    }
}

/// The answer to this query of the clock.
fn pong(id: u64) -> ToController {
    let clock_reads_ps = two_clock_reads_ps();
    ToController::Pong { id, now_ns: sys::now_ns(), clock_reads_ps }
}

/// Informs a controller, if one answers, why nothing can be measured in this JVM.
pub fn excuse(options: &Options, hello: &Hello, why: String) {
    let Ok(mut stream) = Stream::connect(options) else { return };
    stream.put(&hello.message(options, None));
    say_bye(&mut stream, ByeReason::Failed(why));
}

/// Why a session ended.
enum Ended {
    /// The connection is lost, or the controller is not ours.
    Lost,
    /// The controller asked for it, and every class has its original bytes.
    Detached,
    /// The JVM ends.
    Dying,
}

/// Serves one controller after the other.
pub struct Connection {
    given: Given,
    /// Options of the JVM's start, to which the agent returns after a controller that has attached.
    home: Options,
    /// Token of the last controller served at a port.
    token: Option<Token>,
    /// Cost of a measured call, once it is known.
    cost: Option<ProbeCost>,
    station: Station,
    times: Times,
    /// Size labels that this session's controller knows.
    labels_sent: usize,
    /// Whether some method lost its compiled code and still waits for the JIT.
    awaits_compiled: bool,
    /// Whether the controller was informed that some classes are not measured.
    overtaken: bool,
    /// Time of the last look at methods whose calls the JVM may replace.
    looked: Instant,
    /// Time of the last look for probes.
    looked_for: Instant,
    /// Whether this session's controller asked for a drill.
    drills: bool,
    /// Whether the session ends: the agent thread restores every class, or has done so.
    detaches: bool,
    /// The last class whose description waits to be sent.
    described: Option<u32>,
}

impl Connection {
    /// A connection that has not been opened yet.
    pub fn new(given: Given) -> Self {
        let (shared, home) = (given.shared, given.options.clone());
        Self {
            given,
            home,
            token: None,
            cost: None,
            station: Station::new(&shared.gates),
            times: Times::new(shared),
            labels_sent: 0,
            awaits_compiled: false,
            overtaken: false,
            looked: Instant::now(),
            looked_for: Instant::now(),
            drills: false,
            detaches: false,
            described: None,
        }
    }

    /// Serves a controller until it leaves or the JVM ends.
    fn session(&mut self, mut stream: Stream, sleeper: &Sleeper) -> Ended {
        if let Err(ended) = self.begin(&mut stream) {
            return ended;
        }
        let mut next_send = Instant::now();
        loop {
            if stream.flush().is_err() {
                return Ended::Lost;
            }
            self.say_described();
            let (readable, busy) = self.wait(&stream, sleeper, next_send);
            if let Some(why) = self.given.shared.failure() {
                return self.give_up(&mut stream, why);
            }
            if self.given.life.is_dismissed() {
                self.detach();
            }
            let dying = self.given.life.is_over();
            let detached = self.forward(&mut stream);
            self.await_compiled();
            self.times.drain(&mut self.station);
            if dying {
                // Claimed samples that are not written yet are counted as lost instead of waited for.
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
            self.given.life.restored(matches!(reason, ByeReason::Detached));
            let heard = self.given.shared.hearing.last();
            heard.into_iter().for_each(|events| stream.put(&ToController::Events(events)));
            let last = self.given.shared.final_messages();
            last.into_iter().for_each(|message| stream.put(&ToController::Drilled(message)));
            say_bye(&mut stream, reason);
            return if dying { Ended::Dying } else { Ended::Detached };
        }
    }

    /// Forgets what an earlier session left behind, makes the probe ready and says hello.
    ///
    /// # Errors
    /// When nothing can be measured, after the controller was informed. The value says how the session ended.
    fn begin(&mut self, stream: &mut Stream) -> Result<(), Ended> {
        if let Some(why) = self.given.shared.failure() {
            // The loss happened before anything was measured, or in an earlier session.
            return Err(self.decline(stream, why.to_owned()));
        }
        self.times.begin();
        self.labels_sent = 0;
        self.station.forget_closings();
        self.given.shared.processor_jar.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.given.shared.overtaken.store(false, Ordering::Relaxed);
        self.overtaken = false;
        (self.drills, self.detaches) = (false, false);
        self.described = None;
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

    /// Ends a session when the JVM's end, or an error of the agent's own, came before the probe was ready, or the agent
    /// thread did not make it ready.
    fn unprepared(&mut self, stream: &mut Stream) -> Ended {
        if !self.given.life.is_over() && self.given.shared.failure().is_none() {
            let why =
                format!("the agent's thread did not start, or did not answer within {LONGEST_ANSWER:?}");
            return self.decline(stream, why);
        }
        stream.put(&self.hello(None));
        if let Some(why) = self.given.shared.failure() {
            return self.give_up(stream, why);
        }
        // The program ended at once; this is not an error.
        say_bye(stream, ByeReason::VmDeath);
        Ended::Dying
    }

    /// Waits until there is something to do. Returns whether the controller sent something, and whether the
    /// agent thread is behind: the controller has to wait then.
    fn wait(&mut self, stream: &Stream, sleeper: &Sleeper, next_send: Instant) -> (bool, bool) {
        let pause = self.pause(next_send.saturating_duration_since(Instant::now()));
        let busy = self.given.shared.is_busy();
        let [readable, woken] = if busy {
            let [woken] = sys::wait_readable([sleeper.fd()], pause.min(DRAIN_EVERY));
            [false, woken]
        } else {
            sys::wait_readable([stream.fd(), sleeper.fd()], pause)
        };
        if woken {
            sleeper.rest();
        }
        (readable, busy)
    }

    /// Informs a controller why nothing can be measured.
    fn decline(&mut self, stream: &mut Stream, why: String) -> Ended {
        stream.put(&self.hello(None));
        say_bye(stream, ByeReason::Failed(why));
        Ended::Detached
    }

    /// After an error of the agent's own: informs the controller once every class has its original bytes.
    fn give_up(&mut self, stream: &mut Stream, why: &str) -> Ended {
        self.given.shared.gates.close_all();
        let why = self.await_restored().map_or_else(|left| format!("{why}; {left}"), |()| why.to_owned());
        say_bye(stream, ByeReason::Failed(why));
        Ended::Detached
    }

    /// Waits for the result of a [detachment](Command::Detach).
    fn await_restored(&self) -> Result<(), String> {
        let until = Instant::now() + LAST_RESTORE;
        while let Ok(done) = self.given.done.recv_timeout(until.saturating_duration_since(Instant::now())) {
            if let Reply::Detached(result) = done {
                return result;
            }
        }
        Err("and it cannot be said whether every class was restored".to_owned())
    }

    /// Closes all gates and restores every class.
    fn detach(&mut self) {
        self.station.shut_all();
        self.detaches = true;
        self.given.shared.command(Command::Detach);
    }

    /// Time until the next look, when the next samples are due in `until_send`.
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

    /// Serves the received messages, after reading more if the stream is `readable`. Some are left when the
    /// agent thread is behind.
    fn listen(&mut self, stream: &mut Stream, readable: bool) -> io::Result<()> {
        if readable {
            stream.receive()?;
        }
        while !self.given.shared.is_busy()
            && let Some(message) = stream.next()?
        {
            if self.detaches
                && !matches!(message, ToAgent::Reject { .. } | ToAgent::Drain | ToAgent::Ping { .. })
            {
                // Nobody would end what begins now.
                continue;
            }
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
                ToAgent::Detach => self.detach(),
                ToAgent::Ping { id } => stream.put(&pong(id)),
                ToAgent::Pong { .. } => {}
                ToAgent::Discarded { handle, count } => self.station.discarded(handle, count),
                ToAgent::VisitLimit { objects } => {
                    self.given.shared.command(Command::VisitLimit(objects.max(1)));
                }
                ToAgent::Drill { what, scope } => {
                    if self.station.is_empty() {
                        self.drills = true;
                        self.given.shared.command(Command::OpenDrill(what, scope));
                    } else {
                        let why = "times are measured in this connection".to_owned();
                        stream.put(&ToController::Drilled(Drilled::Refused { why }));
                    }
                }
                ToAgent::Listen(listening) => {
                    if self.station.is_empty() {
                        self.drills = true;
                        self.given.shared.command(Command::Listen(listening));
                    } else {
                        let why = "times are measured in this connection".to_owned();
                        stream.put(&ToController::Events(Events::Refused { why }));
                    }
                }
                ToAgent::CountersOpened => self.given.shared.command(Command::BeginDrill),
                ToAgent::StopCounting { methods } => {
                    self.given.shared.command(Command::StopCounting(methods));
                }
                ToAgent::MetaspaceLimit { bytes } => {
                    self.given.shared.command(Command::MetaspaceLimit(bytes));
                }
                ToAgent::Survey { wanted } => self.given.shared.command(Command::Survey(wanted)),
            }
        }
        Ok(())
    }

    /// Lets the threads go on that wait for what was just sent.
    fn say_described(&mut self) {
        if let (Some(class), Some(drill)) = (self.described.take(), self.given.shared.drill()) {
            drill.described(class);
        }
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
        if self.station.arm(handle, every, quota, self.given.options.most_samples()) {
            self.times.opens(self.station.may_come());
        }
    }

    /// Passes on the agent thread's messages; returns the result of a detachment.
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
                Reply::Told(message) => {
                    if let (Drilled::Bytes { class, bytes }, Some(drill)) =
                        (&message, self.given.shared.drill())
                    {
                        drill.sent(bytes.len());
                        self.described = Some(*class);
                    }
                    stream.put(&ToController::Drilled(message));
                }
                Reply::Heard(events) => stream.put(&ToController::Events(events)),
                Reply::Surveyed(Survey { paths, loaded, classes, is_whole }) => {
                    let [class_path, module_path, java_home] = paths;
                    stream.put(&ToController::Surveyed {
                        class_path,
                        module_path,
                        java_home,
                        loaded,
                        classes,
                        is_whole,
                    });
                }
                Reply::Ready(_) | Reply::Cost(_) => {}
                Reply::Warning(text) => {
                    // The text may contain output of the program's code, of any length.
                    let text = spl_wire::clip(&text, LONGEST_WARNING).to_owned();
                    stream.put(&ToController::Warning { text });
                }
            }
        }
        detached
    }
}

/// Sends the last message of a session.
fn say_bye(stream: &mut Stream, reason: ByeReason) {
    stream.put(&ToController::Bye { reason });
    // A failure cannot be handled any more.
    let _ = stream.flush();
}

#[cfg(test)]
mod tests;
