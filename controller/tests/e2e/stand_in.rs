//! Stand-ins for the agent and for the controller, whose every word the test chooses.

use crate::case::Case;
use crate::harness::{DEADLINE, poll};
use crate::running::Running;
use spl_model::{Handle, Instrument, ProbeKind, SampleFlags, Sizing};
use spl_wire::{
    AgentProof, ByeReason, CONTROLLER_PROOF_BYTES, ControllerProof, Decoder, Encoder, NONCE_BYTES, Nonces,
    Opening, Proof, Readings, Side, Step, ToAgent, ToController, Token, WireSample, WireSize,
};
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

/// An agent without a JVM.
pub struct Agent {
    stream: TcpStream,
    encoder: Encoder,
    decoder: Decoder,
    pings: u64,
    clock_ns: u64,
    /// Methods whose gate is open.
    pub armed: BTreeSet<u32>,
}

/// The process id that an [`Agent`] gives.
pub const PID: u32 = 4_000_000_000;

impl Agent {
    /// Connects to a controller with a token, and says hello.
    pub fn connect(port: u16, token: &str) -> Self {
        let mut agent = Self::known(port, token);
        agent.hello(None);
        agent
    }

    /// As [`connect`](Self::connect), of another process with another clock.
    pub fn connect_as(port: u16, token: &str, pid: u32, clock_ns: u64) -> Self {
        let mut agent = Self::known(port, token);
        agent.clock_ns = clock_ns;
        agent.hello_of(pid, None);
        agent
    }

    /// Connects, exchanges versions and shows that it knows this token; whether it is the right one is another matter.
    pub fn known(port: u16, token: &str) -> Self {
        let mut agent = Self::greet(port);
        let nonces = agent.challenges([7; NONCE_BYTES]).0;
        let proof = Token::new(token).map(|token| nonces.proof(&token, Side::Agent));
        agent.answers(proof);
        agent
    }

    /// Sends a nonce; gives both, and the controller's proof.
    pub fn challenges(&mut self, agent: [u8; NONCE_BYTES]) -> (Nonces, Proof) {
        self.bytes(&agent).unwrap();
        let mut answer = [0; CONTROLLER_PROOF_BYTES];
        self.stream.read_exact(&mut answer).unwrap();
        let ControllerProof { nonce, proof } = ControllerProof::from_bytes(&answer);
        (Nonces { agent, controller: nonce }, proof)
    }

    /// Sends a proof, or that there is none.
    pub fn answers(&mut self, proof: Option<Proof>) {
        self.bytes(&AgentProof { pid: PID, proof }.to_bytes()).unwrap();
    }

    /// Connects, and exchanges versions.
    pub fn greet(port: u16) -> Self {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream.set_nodelay(true).unwrap();
        let mut decoder = Decoder::default();
        decoder.push(&opens(&mut stream, Opening::agent_at_socket()));
        let (encoder, armed) = (Encoder::default(), BTreeSet::new());
        Self { stream, encoder, decoder, pings: 0, clock_ns: 0, armed }
    }

    /// The first message.
    pub fn hello(&mut self, max_measurements: Option<u64>) {
        self.hello_of(PID, max_measurements);
    }

    /// As [`hello`](Self::hello), of a process that may be there.
    pub fn hello_of(&mut self, pid: u32, max_measurements: Option<u64>) {
        self.introduces(pid, max_measurements, &ProbeKind::NAMES);
    }

    /// As [`hello_of`](Self::hello_of), of an agent that knows these kinds of probes.
    pub fn introduces(&mut self, pid: u32, max_measurements: Option<u64>, kinds: &[&str]) {
        self.say(&ToController::Hello {
            pid,
            java_version: "17".to_owned(),
            instance: "stand-in".to_owned(),
            command: "none".to_owned(),
            now_ns: self.clock_ns,
            kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
            max_measurements,
            probe_cost_ps: None,
            probe_empty_ps: None,
            clock_reads_ps: None,
        });
    }

    /// Sends a message.
    pub fn say(&mut self, message: &ToController) {
        let frame = self.frame(message);
        self.bytes(&frame).unwrap();
    }

    /// Sends bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// The frame of a message, as if it had been sent.
    pub fn frame(&mut self, message: &ToController) -> Vec<u8> {
        let mut frame = Vec::new();
        self.encoder.encode(message, &mut frame).unwrap();
        frame
    }

    /// The next message, `None` when the connection is closed.
    pub fn hears(&mut self) -> Option<ToAgent> {
        loop {
            match self.decoder.next().unwrap() {
                Some(ToAgent::Arm { handle, every, quota }) => {
                    self.armed.insert(handle.0);
                    return Some(ToAgent::Arm { handle, every, quota });
                }
                Some(ToAgent::Disarm { handle }) => {
                    self.armed.remove(&handle.0);
                    return Some(ToAgent::Disarm { handle });
                }
                // Pings come now and then; an agent that does not answer keeps the clock of its first
                // message.
                Some(ToAgent::Ping { .. }) => {}
                Some(message) => return Some(message),
                None => self.decoder.push(&read(&mut self.stream)?),
            }
        }
    }

    /// The controller's messages once it has handled all that was sent.
    pub fn settles(&mut self) -> Vec<ToAgent> {
        self.pings += 1;
        self.say(&ToController::Ping { id: self.pings });
        let mut heard = Vec::new();
        loop {
            match self.hears().expect("the controller answers") {
                ToAgent::Pong { id } if id == self.pings => return heard,
                message => heard.push(message),
            }
        }
    }

    /// As [`settles`](Self::settles), for an agent that may be refused instead.
    pub fn settles_or_leaves(&mut self) -> Vec<ToAgent> {
        self.pings += 1;
        let ping = self.frame(&ToController::Ping { id: self.pings });
        // A controller that has turned us away may have closed the connection.
        let _ = self.bytes(&ping);
        let last = ToAgent::Pong { id: self.pings };
        std::iter::from_fn(|| self.hears().filter(|message| *message != last)).collect()
    }

    /// Sends samples of a method, with these durations and nothing between them, and waits until they are handled.
    pub fn calls(&mut self, handle: u32, durations_ns: &[u64]) -> Vec<ToAgent> {
        self.sized_calls(handle, durations_ns, WireSize::Unchecked)
    }

    /// As [`calls`](Self::calls), with a workload size.
    pub fn sized_calls(&mut self, handle: u32, durations_ns: &[u64], size: WireSize) -> Vec<ToAgent> {
        let samples = self.samples(handle, durations_ns, size, 0);
        self.say(&ToController::Readings { readings: Readings::Times(samples), dropped: 0, anomalies: 0 });
        self.settles()
    }

    /// As [`calls`](Self::calls), with these flags.
    pub fn flagged_calls(&mut self, handle: u32, durations_ns: &[u64], flags: SampleFlags) -> Vec<ToAgent> {
        let samples = self.samples(handle, durations_ns, WireSize::Unchecked, flags.0);
        self.say(&ToController::Readings { readings: Readings::Times(samples), dropped: 0, anomalies: 0 });
        self.settles()
    }

    fn samples(&mut self, handle: u32, durations_ns: &[u64], size: WireSize, flags: u16) -> Vec<WireSample> {
        let mut call = |duration: &u64| {
            let start_ns = self.clock_ns;
            self.clock_ns += duration;
            let end_ns = self.clock_ns;
            WireSample { handle: Handle(handle), start_ns, end_ns, thread: 1, depth: Some(0), size, flags }
        };
        durations_ns.iter().map(&mut call).collect()
    }

    /// Says that the program ends.
    pub fn bye(mut self) {
        self.say(&ToController::Bye { reason: ByeReason::VmDeath });
        // Until the controller has closed the connection.
        while self.hears().is_some() {}
    }
}

/// Some bytes, `None` at the end.
fn read(stream: &mut impl Read) -> Option<Vec<u8>> {
    let mut chunk = vec![0; 4096];
    let mut read = || loop {
        match stream.read(&mut chunk) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            result => break result,
        }
    };
    match read() {
        Ok(0) => None,
        Ok(length) => {
            chunk.truncate(length);
            Some(chunk)
        }
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
        Err(error) => panic!("the other side is silent: {error}"),
    }
}

/// `spl serve` on a port of its own.
pub struct Served {
    /// The process.
    pub run: Running,
    /// Its port.
    pub port: u16,
    /// The contents of its token file.
    pub token: String,
}

/// The token file of [`serve`].
pub const TOKEN_FILE: &str = "token";

/// Starts `spl serve` with the configuration, the tasks, the folder, and these arguments.
pub fn serve(case: &Case, more: &[&str]) -> Served {
    let usual = ["serve", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out"];
    serve_as(case, &[&usual[..], &["--port", "0", "--token-file", TOKEN_FILE], more].concat())
}

/// Starts `spl serve` with exactly these arguments.
pub fn serve_as(case: &Case, arguments: &[&str]) -> Served {
    let mut run = Running::start(case.spl_with(arguments), &case.path(""));
    let line = run.awaits("spl: listening on port ");
    let port = line.split(' ').nth(4).and_then(|port| port.parse().ok());
    let port = port.unwrap_or_else(|| panic!("there is no port in {line:?}"));
    let file = line.split("the token is in ").nth(1).unwrap();
    let token = token(&case.path("").join(file));
    Served { run, port, token }
}

fn token(file: &Path) -> String {
    fs::read_to_string(file).unwrap().trim().to_owned()
}

impl Served {
    /// An agent that knows the token, after the measurement has started.
    pub fn measures(&mut self) -> Agent {
        let mut agent = Agent::connect(self.port, &self.token);
        self.run.awaits("spl: the measurement starts");
        agent.settles();
        agent
    }
}

/// A connection of either kind.
trait Connection: Read + Write {}
impl<T: Read + Write> Connection for T {}

/// Waits for an agent at a port and exchanges versions; gives the bytes that came after its greeting.
pub fn knocks(listener: &TcpListener) -> (TcpStream, Vec<u8>) {
    let mut stream = accepted(listener);
    let rest = opens(&mut stream, Opening::controller_at_socket());
    (stream, rest)
}

fn accepted(listener: &TcpListener) -> TcpStream {
    listener.set_nonblocking(true).unwrap();
    let stream = poll("the agent", DEADLINE, || listener.accept().ok()).0;
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream
}

/// Does what an opening says; gives the bytes that came after it.
fn opens(stream: &mut (impl Read + Write), mut opening: Opening) -> Vec<u8> {
    loop {
        match opening.next().expect("the other side is of our version and knows the token") {
            Step::Send(bytes) => stream.write_all(&bytes).unwrap(),
            Step::Receive => opening.push(&read(stream).expect("the other side goes on")),
            Step::Token => unreachable!("an agent at a port is made by hand"),
            Step::Open { rest } => return rest,
        }
    }
}

/// The next bytes, of which some may have come already.
pub fn take<const N: usize>(stream: &mut impl Read, bytes: &mut Vec<u8>) -> [u8; N] {
    while bytes.len() < N {
        bytes.extend(read(stream).expect("the agent goes on"));
    }
    bytes.drain(..N).collect::<Vec<_>>().try_into().unwrap()
}

/// A controller whose every word the test chooses, with the agent of a real program.
pub struct Controller {
    stream: Box<dyn Connection>,
    encoder: Encoder,
    decoder: Decoder,
    /// The agent's first message.
    pub hello: ToController,
}

impl Controller {
    /// Waits for an agent at a port.
    pub fn tcp(listener: &TcpListener, token: &str) -> Self {
        let mut stream = accepted(listener);
        let opening = Opening::controller_at_port(Token::new(token).unwrap(), [9; NONCE_BYTES]);
        let bytes = opens(&mut stream, opening);
        Self::hello(Box::new(stream), &bytes)
    }

    /// Waits for an agent at a socket.
    pub fn unix(listener: &UnixListener) -> Self {
        listener.set_nonblocking(true).unwrap();
        let stream: UnixStream = poll("the agent", DEADLINE, || listener.accept().ok()).0;
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let mut stream = stream;
        let rest = opens(&mut stream, Opening::controller_at_socket());
        Self::hello(Box::new(stream), &rest)
    }

    fn hello(mut stream: Box<dyn Connection>, rest: &[u8]) -> Self {
        let mut decoder = Decoder::default();
        decoder.push(rest);
        let hello = loop {
            match decoder.next().unwrap() {
                Some(hello) => break hello,
                None => decoder.push(&read(&mut stream).expect("the agent says hello")),
            }
        };
        Self { stream, encoder: Encoder::default(), decoder, hello }
    }

    /// Sends a message; whether the agent listens is another matter.
    pub fn say(&mut self, message: &ToAgent) {
        let frame = self.frame(message);
        self.bytes(&frame);
    }

    /// The frame of a message, as if it had been sent.
    pub fn frame(&mut self, message: &ToAgent) -> Vec<u8> {
        let mut frame = Vec::new();
        self.encoder.encode(message, &mut frame).unwrap();
        frame
    }

    /// Sends bytes as they are; an agent that has had enough does not take them.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    /// The next message, `None` when the connection is closed.
    pub fn hears(&mut self) -> Option<ToController> {
        loop {
            match self.decoder.next().unwrap() {
                Some(message) => return Some(message),
                None => self.decoder.push(&read(&mut self.stream)?),
            }
        }
    }

    /// Measures a method as number 1, as far as the message that opens its gate.
    pub fn measures(&mut self, method: &str) {
        let handle = Handle(1);
        let (method, kind) = (method.parse().unwrap(), ProbeKind::Times(Sizing::None));
        self.say(&ToAgent::Define { handle, instrument: Instrument { method, kind } });
        self.say(&ToAgent::Instrument { handles: vec![handle] });
        self.say(&ToAgent::Arm { handle, every: 1, quota: 0 });
    }

    /// The next samples.
    pub fn samples(&mut self) -> Vec<WireSample> {
        loop {
            if let ToController::Readings { readings: Readings::Times(samples), .. } =
                self.hears().expect("the agent measures")
            {
                return samples;
            }
        }
    }
}
