//! A simulated agent: it says what an agent in a JVM would say, as fast as it is read.

use crate::{DEADLINE, Fault, Shape, system};
use spl_model::{Facts, Handle, Outcome, ProbeKind, Sizing};
use spl_wire::{
    ByeReason, Change, Decoder, Encoder, NONCE_BYTES, Opening, Readings, Step, ToAgent, ToController, Token,
    WireSample, WireSize,
};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::time::{Duration, Instant};

/// Samples in a message: what a busy program gives in some milliseconds.
const BATCH: usize = 4096;
/// Between the ends of two samples.
const STEP_NS: u64 = 1_000;
/// Longest time until a measurement is over.
const LONGEST: Duration = Duration::from_secs(600);
/// Width of a bucket with the default scale, bytes.
const BUCKET_BYTES: u64 = 100;
/// First and longest wait of an agent that was refused; twice as long each time, as that in a JVM.
const AGAIN: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// A connection to the controller.
#[derive(Debug)]
pub struct Agent {
    stream: TcpStream,
    encoder: Encoder,
    messages: Receiver<ToAgent>,
    /// Samples that are yet to be sent of each method.
    left: Vec<u64>,
    /// Methods with open gates.
    open: BTreeSet<Handle>,
    sizing: Sizing,
    /// Number of closings of each gate.
    disarmed: BTreeMap<Handle, u64>,
    clock_ns: u64,
    buckets: u64,
    sent: u64,
    pings: u64,
}

/// Outcome of an attempt to be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// All samples were sent, with their number, and the controller has detached the agent.
    Measured(u64),
    /// Another program is being measured.
    Rejected,
}

impl Agent {
    /// Connects and says hello; `number` tells simulated programs apart.
    ///
    /// # Errors
    /// When the controller is not there or speaks another protocol.
    pub fn connect(port: u16, token: &str, number: u32, shape: Shape) -> Result<Self, Fault> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).map_err(system("cannot connect"))?;
        stream.set_nodelay(true).map_err(system("cannot use the connection"))?;
        let (sender, messages) = channel();
        let mut agent = Self {
            encoder: Encoder::default(),
            messages,
            left: vec![shape.samples; shape.methods],
            open: BTreeSet::new(),
            sizing: Sizing::None,
            disarmed: BTreeMap::new(),
            clock_ns: 1_000_000_000,
            buckets: shape.buckets,
            sent: 0,
            pings: 0,
            stream,
        };
        let rest = agent.open(token, number)?;
        let mut reader = agent.stream.try_clone().map_err(system("cannot use the connection"))?;
        std::thread::spawn(move || {
            let (mut decoder, mut chunk) = (Decoder::default(), vec![0; 64 * 1024]);
            decoder.push(&rest);
            loop {
                while let Ok(Some(message)) = decoder.next() {
                    if sender.send(message).is_err() {
                        return;
                    }
                }
                let Ok(n @ 1..) = reader.read(&mut chunk) else { return };
                decoder.push(&chunk[..n]);
            }
        });
        agent.say(&ToController::Hello {
            pid: number,
            java_version: "17".to_owned(),
            instance: "simulated".to_owned(),
            command: format!("simulated program {number}"),
            now_ns: agent.clock_ns,
            kinds: ProbeKind::NAMES.map(str::to_owned).to_vec(),
            max_measurements: None,
            probe_cost_ps: Some(40_000),
            probe_empty_ps: Some(20_000),
            clock_reads_ps: Some(40_000),
        })?;
        Ok(agent)
    }

    /// Exchanges versions and shows that it knows the token; gives the bytes that came after. Its nonce need not surprise anybody.
    fn open(&mut self, token: &str, number: u32) -> Result<Vec<u8>, Fault> {
        let token = Token::new(token).ok_or_else(|| Fault::Unexpected("the token is empty".to_owned()))?;
        let mut opening = Opening::agent_at_port(number, [number as u8; NONCE_BYTES]);
        let mut chunk = [0; 512];
        loop {
            match opening.next().map_err(|e| Fault::Unexpected(e.to_string()))? {
                Step::Send(bytes) => {
                    self.stream.write_all(&bytes).map_err(system("the controller does not listen"))?;
                }
                Step::Receive => {
                    match self.stream.read(&mut chunk).map_err(system("the controller does not answer"))? {
                        0 => return Err(Fault::Unexpected("the controller does not answer".to_owned())),
                        n => opening.push(&chunk[..n]),
                    }
                }
                Step::Token => opening.know(Some(&token)),
                Step::Open { rest } => return Ok(rest),
            }
        }
    }

    fn say(&mut self, message: &ToController) -> Result<(), Fault> {
        let mut bytes = Vec::new();
        self.encoder.encode(message, &mut bytes).map_err(|e| Fault::Unexpected(e.to_string()))?;
        self.stream.write_all(&bytes).map_err(system("the controller has closed the connection"))
    }

    /// Carries out the orders and sends samples of all methods whose gates are open, until it is detached.
    ///
    /// # Errors
    /// When the connection breaks, nothing comes, or the measurement has no end.
    pub fn run(&mut self) -> Result<Turn, Fault> {
        let until = Instant::now() + LONGEST;
        loop {
            if Instant::now() >= until {
                return Err(Fault::Late("the end of the measurement"));
            }
            match self.next_message()? {
                Some(ToAgent::Reject { .. }) => return Ok(Turn::Rejected),
                Some(ToAgent::Detach) => {
                    return Ok(Turn::Measured(self.sent));
                }
                Some(message) => self.obey(message)?,
                None => self.batch()?,
            }
        }
    }

    /// Carries out the orders until every sample has been sent and taken in.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn send_all(&mut self) -> Result<(), Fault> {
        while self.left.iter().any(|left| *left > 0) {
            match self.next_message()? {
                Some(message) => self.obey(message)?,
                None => self.batch()?,
            }
        }
        self.settle()
    }

    /// Waits until the controller has taken in all that was sent.
    ///
    /// # Errors
    /// When it does not say so.
    pub fn settle(&mut self) -> Result<(), Fault> {
        self.pings += 1;
        self.say(&ToController::Ping { id: self.pings })?;
        let until = Instant::now() + DEADLINE;
        while Instant::now() < until {
            let message = self.wait()?;
            if message == (ToAgent::Pong { id: self.pings }) {
                return Ok(());
            }
            self.obey(message)?;
        }
        Err(Fault::Late("the answer that all was taken in"))
    }

    /// Waits until the gates of all methods are open.
    ///
    /// # Errors
    /// When they stay closed.
    pub fn await_open(&mut self) -> Result<(), Fault> {
        while self.open.len() < self.left.len() {
            let message = self.wait()?;
            self.obey(message)?;
        }
        Ok(())
    }

    /// Says that every class is as it was, as the last word.
    ///
    /// # Errors
    /// When the connection is over.
    pub fn detached(&mut self) -> Result<(), Fault> {
        self.say(&ToController::Bye { reason: ByeReason::Detached })
    }

    /// Says that the program has ended.
    ///
    /// # Errors
    /// When the connection is over.
    pub fn ended(&mut self) -> Result<(), Fault> {
        self.say(&ToController::Bye { reason: ByeReason::VmDeath })
    }

    /// Wait before the next attempt, after this number of attempts.
    pub fn pause(rejected: u32) -> Duration {
        AGAIN.0.saturating_mul(2_u32.saturating_pow(rejected)).min(AGAIN.1)
    }

    fn wait(&self) -> Result<ToAgent, Fault> {
        self.messages.recv_timeout(DEADLINE).map_err(|error| match error {
            RecvTimeoutError::Timeout => Fault::Late("a message of the controller"),
            RecvTimeoutError::Disconnected => {
                Fault::Unexpected("the controller has closed the connection".to_owned())
            }
        })
    }

    /// The waiting message, if there is something else to do; otherwise the next one.
    fn next_message(&self) -> Result<Option<ToAgent>, Fault> {
        if self.open.iter().all(|&handle| self.left[handle.index()] == 0) {
            return self.wait().map(Some);
        }
        match self.messages.try_recv() {
            Ok(message) => Ok(Some(message)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => self.wait().map(Some),
        }
    }

    fn obey(&mut self, message: ToAgent) -> Result<(), Fault> {
        match message {
            ToAgent::Define { instrument, .. } => match instrument.kind {
                ProbeKind::Times(sizing) => self.sizing = sizing,
            },
            ToAgent::Instrument { handles } => {
                for &handle in &handles {
                    let class_loader = "app".to_owned();
                    self.say(&ToController::Outcome {
                        handle,
                        class_loader,
                        outcome: Outcome::Instrumented(Facts::default()),
                    })?;
                }
                self.retransformed(handles, Change::Added)?;
            }
            ToAgent::Restore { handles } => {
                self.retransformed(handles.clone(), Change::Removed)?;
                self.say(&ToController::Restored { handles })?;
            }
            ToAgent::Arm { handle, .. } => {
                self.open.insert(handle);
            }
            ToAgent::Disarm { handle } => {
                self.open.remove(&handle);
                let number = self.disarmed.entry(handle).or_insert(0);
                *number += 1;
                let number = *number;
                self.say(&ToController::Idle { handle, number })?;
            }
            ToAgent::Ping { id } => {
                self.say(&ToController::Pong { id, now_ns: self.clock_ns, clock_reads_ps: 40_000 })?
            }
            ToAgent::Reject { .. }
            | ToAgent::ProcessorJar { .. }
            | ToAgent::Drain
            | ToAgent::Detach
            | ToAgent::Pong { .. }
            | ToAgent::Discarded { .. }
            | ToAgent::VisitLimit { .. }
            | ToAgent::MetaspaceLimit { .. }
            | ToAgent::Survey { .. }
            | ToAgent::Drill { .. }
            | ToAgent::CountersOpened
            | ToAgent::StopCounting { .. }
            | ToAgent::Listen(_) => {}
        }
        Ok(())
    }

    fn retransformed(&mut self, handles: Vec<Handle>, change: Change) -> Result<(), Fault> {
        self.say(&ToController::Retransformed { handles, change, took_ns: 1, at_ns: self.clock_ns })
    }

    /// Sends the next samples of the open methods, one of each in turn.
    fn batch(&mut self) -> Result<(), Fault> {
        let mut samples = Vec::with_capacity(BATCH);
        while samples.len() < BATCH {
            let before = samples.len();
            for &handle in &self.open {
                let left = &mut self.left[handle.index()];
                if *left == 0 || samples.len() == BATCH {
                    continue;
                }
                *left -= 1;
                self.clock_ns += STEP_NS;
                // Times of a spread, so that there is something to judge.
                let took = STEP_NS / 4 + self.clock_ns / STEP_NS * 7919 % 509;
                let size = match self.sizing {
                    Sizing::None => WireSize::Unchecked,
                    Sizing::Shallow | Sizing::Deep | Sizing::Length | Sizing::Processor(_) => {
                        WireSize::Value(*left % self.buckets * BUCKET_BYTES)
                    }
                };
                samples.push(WireSample {
                    handle,
                    start_ns: self.clock_ns - took,
                    end_ns: self.clock_ns,
                    thread: 1,
                    depth: Some(0),
                    size,
                    flags: 0,
                });
            }
            if samples.len() == before {
                break;
            }
        }
        samples.sort_by_key(|sample| sample.start_ns);
        self.sent += samples.len() as u64;
        self.say(&ToController::Readings { readings: Readings::Times(samples), dropped: 0, anomalies: 0 })
    }
}
