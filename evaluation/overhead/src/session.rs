//! The controller's side of a connection, with everything that the agent said.

use crate::{DEADLINE, Fault, Program, system};
use spl_model::{Handle, Instrument, MethodRef, Outcome, ProbeKind, Sizing};
use spl_wire::{Change, Decoder, Encoder, Opening, Readings, Step, ToAgent, ToController, WireSample};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A socket that agents connect to.
#[derive(Debug)]
pub struct Door {
    folder: TempDir,
    listener: UnixListener,
}

impl Door {
    /// A socket in a folder of its own.
    ///
    /// # Errors
    /// When there is no room for it.
    pub fn open() -> Result<Self, Fault> {
        let folder = tempfile::tempdir().map_err(system("cannot make a folder"))?;
        let listener =
            UnixListener::bind(folder.path().join("spl.sock")).map_err(system("cannot make a socket"))?;
        listener.set_nonblocking(true).map_err(system("cannot use the socket"))?;
        Ok(Self { folder, listener })
    }

    /// Where agents connect to.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("spl.sock")
    }

    /// The option that loads the agent into a JVM and lets it come here, without a limit of samples.
    pub fn option(&self, agent: &Path) -> String {
        let socket = self.path();
        format!("-agentpath:{}=spl.client.socket={},spl.client.sleep=20", agent.display(), socket.display())
    }

    /// Waits for an agent that has said hello.
    ///
    /// # Errors
    /// When none comes, or it is of another version.
    pub fn accept(&self) -> Result<Session, Fault> {
        let until = Instant::now() + DEADLINE;
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => return Session::begin(stream),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(system("cannot accept the agent")(error)),
            }
            if Instant::now() > until {
                return Err(Fault::Late("the agent".into()));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// A connected agent.
#[derive(Debug)]
pub struct Session {
    stream: UnixStream,
    encoder: Encoder,
    decoder: Decoder,
    pings: u64,
    /// Everything but samples, in the order in which it came.
    pub said: Vec<ToController>,
    /// All samples so far.
    pub samples: Vec<WireSample>,
    /// Calls that the agent says it lost.
    pub dropped: u64,
    /// Calls with unusable clocks.
    pub anomalies: u64,
}

impl Session {
    fn begin(stream: UnixStream) -> Result<Self, Fault> {
        stream.set_nonblocking(false).map_err(system("cannot use the connection"))?;
        let mut session = Self {
            stream,
            encoder: Encoder::default(),
            decoder: Decoder::default(),
            pings: 0,
            said: Vec::new(),
            samples: Vec::new(),
            dropped: 0,
            anomalies: 0,
        };
        session.open()?;
        session.await_said("hello", |message| matches!(message, ToController::Hello { .. }))?;
        Ok(session)
    }

    /// Exchanges versions.
    fn open(&mut self) -> Result<(), Fault> {
        let (mut opening, mut chunk) = (Opening::controller_at_socket(), [0; 512]);
        loop {
            match opening.next().map_err(|e| Fault::Unexpected(e.to_string()))? {
                Step::Send(bytes) => {
                    self.stream.write_all(&bytes).map_err(system("the agent does not listen"))?;
                }
                Step::Receive => {
                    let n = self.read(&mut chunk)?;
                    opening.push(&chunk[..n]);
                }
                // Only agents at a port are asked for theirs.
                Step::Token => opening.know(None),
                Step::Open { rest } => {
                    self.decoder.push(&rest);
                    return Ok(());
                }
            }
        }
    }

    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, Fault> {
        self.stream.set_read_timeout(Some(DEADLINE)).map_err(system("cannot use the connection"))?;
        loop {
            match self.stream.read(bytes) {
                Ok(0) => return Err(Fault::Unexpected("the agent has closed the connection".into())),
                Ok(n) => return Ok(n),
                // A process that was stopped and goes on finds its call cut short.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(system("the agent says nothing")(error)),
            }
        }
    }

    /// Cost of a measured call as the agent reports it, in nanoseconds.
    pub fn probe_cost_ns(&self) -> Option<f64> {
        self.said.iter().find_map(|message| {
            let ToController::Hello { probe_cost_ps, .. } = message else { return None };
            probe_cost_ps.map(|ps| ps as f64 / 1000.0)
        })
    }

    /// Reported time of a measured call of an empty method, as the agent states it, in nanoseconds.
    pub fn probe_empty_ns(&self) -> Option<f64> {
        self.said.iter().find_map(|message| {
            let ToController::Hello { probe_empty_ps, .. } = message else { return None };
            probe_empty_ps.map(|ps| ps as f64 / 1000.0)
        })
    }

    /// Sends a message.
    ///
    /// # Errors
    /// When the connection is over.
    pub fn send(&mut self, message: &ToAgent) -> Result<(), Fault> {
        let mut bytes = Vec::new();
        self.encoder.encode(message, &mut bytes).map_err(|e| Fault::Unexpected(e.to_string()))?;
        self.stream.write_all(&bytes).map_err(system("the agent does not listen"))
    }

    /// Takes in what comes until one of the messages from number `from` on is `wanted`; gives its number.
    ///
    /// # Errors
    /// When none is.
    pub fn await_from(
        &mut self,
        mut from: usize,
        what: &str,
        wanted: impl Fn(&ToController) -> bool,
    ) -> Result<usize, Fault> {
        let until = Instant::now() + DEADLINE;
        loop {
            while let Some(message) = self.said.get(from) {
                if wanted(message) {
                    return Ok(from);
                }
                from += 1;
            }
            if Instant::now() > until {
                return Err(Fault::Late(what.to_owned()));
            }
            self.take()?;
        }
    }

    /// As [`await_from`](Self::await_from), from the first message on.
    ///
    /// # Errors
    /// When none is wanted.
    pub fn await_said(&mut self, what: &str, wanted: impl Fn(&ToController) -> bool) -> Result<usize, Fault> {
        self.await_from(0, what, wanted)
    }

    /// Takes in one piece of what comes.
    ///
    /// # Errors
    /// When nothing comes, or nonsense.
    pub fn take(&mut self) -> Result<(), Fault> {
        let mut chunk = [0; 64 * 1024];
        let n = self.read(&mut chunk)?;
        self.decoder.push(&chunk[..n]);
        while let Some(message) = self.decoder.next().map_err(|e| Fault::Unexpected(e.to_string()))? {
            if let ToController::Readings { readings, dropped, anomalies } = message {
                let Readings::Times(samples) = readings;
                self.samples.extend(samples);
                self.dropped += dropped;
                self.anomalies += anomalies;
            } else {
                self.said.push(message);
            }
        }
        Ok(())
    }

    /// Numbers a method, written as in task files.
    ///
    /// # Errors
    /// When it is not a method, or the connection is over.
    pub fn define(&mut self, handle: u32, method: &str, sizing: Sizing) -> Result<(), Fault> {
        let method: MethodRef =
            method.parse().map_err(|_| Fault::Unexpected(format!("{method} is not a method")))?;
        let instrument = Instrument { method, kind: ProbeKind::Times(sizing) };
        self.send(&ToAgent::Define { handle: Handle(handle), instrument })
    }

    /// The program's next line; takes samples in until it comes, so that the agent never waits.
    ///
    /// # Errors
    /// When the program or the agent has ended.
    pub fn line_of(&mut self, program: &mut Program) -> Result<String, Fault> {
        let until = Instant::now() + DEADLINE;
        while Instant::now() < until {
            if let Some(line) = program.line_within(Duration::from_millis(5))? {
                return Ok(line);
            }
            self.settle()?;
        }
        Err(Fault::Late("a line of the program".into()))
    }

    /// Puts probes in and waits until each method has an outcome; gives these, by handle.
    ///
    /// # Errors
    /// When an outcome does not come.
    pub fn instrument(&mut self, handles: &[u32]) -> Result<Vec<(u32, Outcome)>, Fault> {
        let from = self.said.len();
        self.send(&ToAgent::Instrument { handles: numbered(handles) })?;
        let mut outcomes = Vec::new();
        for &wanted in handles {
            let of = |message: &ToController| matches!(message, ToController::Outcome { handle, .. } if handle.0 == wanted);
            let at = self.await_from(from, "an outcome", of)?;
            if let ToController::Outcome { outcome, .. } = &self.said[at] {
                outcomes.push((wanted, outcome.clone()));
            }
        }
        if outcomes.iter().any(|(_, outcome)| matches!(outcome, Outcome::Instrumented(_))) {
            self.await_from(from, "the retransformation", is_change(Change::Added))?;
        }
        Ok(outcomes)
    }

    /// Takes every so-many-th call of a method from now on; 1 is every call, 0 none.
    ///
    /// # Errors
    /// When the connection is over.
    pub fn arm(&mut self, handle: u32, every: u32) -> Result<(), Fault> {
        self.send(&match every {
            0 => ToAgent::Disarm { handle: Handle(handle) },
            every => ToAgent::Arm { handle: Handle(handle), every, quota: 0 },
        })?;
        self.settle()
    }

    /// Waits until the agent has carried out its orders and has sent all samples that were in its rings.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn settle(&mut self) -> Result<(), Fault> {
        self.pings += 1;
        let (id, from) = (self.pings, self.said.len());
        self.send(&ToAgent::Drain)?;
        self.send(&ToAgent::Ping { id })?;
        let pong = |message: &ToController| matches!(message, ToController::Pong { id: of, .. } if *of == id);
        self.await_from(from, "an answer", pong).map(drop)
    }

    /// Takes probes out and waits until they are.
    ///
    /// # Errors
    /// When they stay.
    pub fn restore(&mut self, handles: &[u32]) -> Result<(), Fault> {
        let from = self.said.len();
        self.send(&ToAgent::Restore { handles: numbered(handles) })?;
        let restored = |message: &ToController| matches!(message, ToController::Restored { .. });
        self.await_from(from, "the restoration", restored).map(drop)
    }

    /// Lets the agent go dormant and waits until it is.
    ///
    /// # Errors
    /// When it does not say so.
    pub fn detach(&mut self) -> Result<(), Fault> {
        self.send(&ToAgent::Detach)?;
        self.await_said("the end", |message| matches!(message, ToController::Bye { .. })).map(drop)
    }
}

fn numbered(handles: &[u32]) -> Vec<Handle> {
    handles.iter().copied().map(Handle).collect()
}

fn is_change(wanted: Change) -> impl Fn(&ToController) -> bool {
    move |message| matches!(message, ToController::Retransformed { change, .. } if *change == wanted)
}
