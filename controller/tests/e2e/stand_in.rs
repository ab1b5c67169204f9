//! Stand-ins for the agent and for the controller, whose every word the test chooses.

use crate::case::Case;
use crate::harness::DEADLINE;
use crate::running::Running;
use spl_wire::{ByeReason, Decoder, Encoder, Greeting, Reply, ToAgent, ToController, Token};
use spl_wire::{WireSample, WireSize};
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
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
    /// Connects to a controller and says hello.
    pub fn connect(port: u16, token: Option<&str>) -> Self {
        let mut agent = Self::greet(port);
        agent.hello(token, None);
        agent
    }

    /// Connects, and exchanges versions.
    pub fn greet(port: u16) -> Self {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream.set_nodelay(true).unwrap();
        let mut bytes = Vec::new();
        Greeting::ours().encode(&mut bytes);
        stream.write_all(&bytes).unwrap();
        let mut decoder = Decoder::default();
        let mut bytes = Vec::new();
        let rest = loop {
            if let Some((reply, used)) = Reply::decode(&bytes).unwrap() {
                reply.check(&Greeting::ours()).unwrap();
                break bytes.split_off(used);
            }
            bytes.extend(read(&mut stream).expect("the controller replies"));
        };
        decoder.push(&rest);
        let (encoder, armed) = (Encoder::default(), BTreeSet::new());
        Self { stream, encoder, decoder, pings: 0, clock_ns: 0, armed }
    }

    /// The first message.
    pub fn hello(&mut self, token: Option<&str>, max_measurements: Option<u64>) {
        self.say(&ToController::Hello {
            pid: PID,
            java_version: "17".to_owned(),
            vm_name: "stand-in".to_owned(),
            command: "none".to_owned(),
            cores: 2,
            now_ns: 0,
            token: token.map(|token| Token::new(token.to_owned())),
            max_methods: 100,
            max_measurements,
            probe_cost_ps: None,
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

    /// The next message, `None` when the controller has closed the connection.
    pub fn hears(&mut self) -> Option<ToAgent> {
        loop {
            match self.decoder.next().unwrap() {
                Some(ToAgent::Arm { handle, every, quota }) => {
                    self.armed.insert(handle);
                    return Some(ToAgent::Arm { handle, every, quota });
                }
                Some(ToAgent::Disarm { handle }) => {
                    self.armed.remove(&handle);
                    return Some(ToAgent::Disarm { handle });
                }
                Some(message) => return Some(message),
                None => self.decoder.push(&read(&mut self.stream)?),
            }
        }
    }

    /// What the controller has said when it has handled all that was sent.
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

    /// Sends samples of a method, with these durations and nothing between them, and waits until they are handled.
    pub fn calls(&mut self, handle: u32, durations_ns: &[u64]) -> Vec<ToAgent> {
        self.sized_calls(handle, durations_ns, WireSize::Unchecked)
    }

    /// As [`calls`](Self::calls), with a workload size.
    pub fn sized_calls(&mut self, handle: u32, durations_ns: &[u64], size: WireSize) -> Vec<ToAgent> {
        let mut call = |duration: &u64| {
            let start_ns = self.clock_ns;
            self.clock_ns += duration;
            let end_ns = self.clock_ns;
            WireSample { handle, start_ns, end_ns, thread: 1, depth: Some(0), size, flags: 0 }
        };
        let samples = durations_ns.iter().map(&mut call).collect();
        self.say(&ToController::Samples { samples, dropped: 0, anomalies: 0 });
        self.settles()
    }

    /// Says that the program ends.
    pub fn bye(mut self) {
        self.say(&ToController::Bye { reason: ByeReason::VmDeath });
        // Until the controller has closed the connection.
        while self.hears().is_some() {}
    }
}

/// Some bytes, `None` at the end.
fn read(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut chunk = vec![0; 4096];
    match stream.read(&mut chunk) {
        Ok(0) => None,
        Ok(length) => {
            chunk.truncate(length);
            Some(chunk)
        }
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
        Err(error) => panic!("the controller is silent: {error}"),
    }
}

/// `spl serve` on a port of its own.
pub struct Served {
    /// The process.
    pub run: Running,
    /// Its port.
    pub port: u16,
    /// What it wrote to its token file.
    pub token: String,
}

/// The token file of [`serve`].
pub const TOKEN_FILE: &str = "token";

/// Starts `spl serve` with these arguments beside those that name the configuration, the tasks and the folder.
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
        let mut agent = Agent::connect(self.port, Some(&self.token));
        self.run.awaits("spl: the measurement starts");
        agent.settles();
        agent
    }
}
