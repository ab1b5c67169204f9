//! Controller and agent show each other that they know the token: neither is fooled, and who knows nothing learns nothing.

use crate::case::{self, Case};
use crate::harness::{self, DEADLINE};
use crate::running::{Running, plainly};
use crate::stand_in::{Agent, Controller, Served, knocks, serve, take};
use spl_wire::{
    AGENT_PROOF_BYTES, AgentProof, ControllerProof, NONCE_BYTES, Nonces, PROTOCOL, Side, ToAgent, Token,
};
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

const SECRET: &str = "a secret of the operator";
const REASON: &str = "the token is wrong or missing";
/// A peer that has not proved itself by then is disconnected; twice that leaves room for a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);

fn two_methods() -> Case {
    Case::comparing("p/A.a()V = p/B.b()V\n").set("controller", "min-method-measurements", "5")
}

fn assert_turned_away(mut agent: Agent) {
    let heard = std::iter::from_fn(|| agent.hears()).collect::<Vec<_>>();
    assert_eq!(heard, [ToAgent::Reject { reason: REASON.to_owned() }]);
}

#[test]
fn the_controller_shows_its_token_and_believes_no_proof_of_another_connection() {
    let case = two_methods();
    let Served { mut run, port, token } = serve(&case, &["--once"]);
    let token = Token::new(&token).unwrap();
    let mut honest = Agent::greet(port);
    let (nonces, proof) = honest.challenges([5; NONCE_BYTES]);
    assert_eq!(proof, nonces.proof(&token, Side::Controller));
    let recorded = nonces.proof(&token, Side::Agent);
    honest.answers(Some(recorded.clone()));
    honest.hello(None);
    run.awaits("spl: the measurement starts");

    // The same words in the same order, to the same nonce of the agent.
    let mut replayed = Agent::greet(port);
    let (again, _) = replayed.challenges([5; NONCE_BYTES]);
    assert_ne!(again.controller, nonces.controller, "a nonce was used twice");
    replayed.answers(Some(recorded));
    assert_turned_away(replayed);
    // The controller's own words.
    let mut echo = Agent::greet(port);
    let (_, proof) = echo.challenges([5; NONCE_BYTES]);
    echo.answers(Some(proof));
    assert_turned_away(echo);
    // Its own nonce.
    let mut mirror = Agent::greet(port);
    let (nonces, _) = mirror.challenges(again.controller);
    mirror.answers(Some(Nonces { agent: nonces.agent, ..again }.proof(&token, Side::Agent)));
    assert_turned_away(mirror);
    honest.settles();
    honest.bye();
    let ended = run.ends();
    assert_eq!(ended.err.matches("it does not know the token").count(), 1, "{}", ended.err);
}

/// Time for which the controller keeps a connection on which these bytes come, the last of them over and
/// over.
fn kept(mut stream: TcpStream, bytes: Vec<u8>, goes_on: bool) -> Duration {
    stream.set_nodelay(true).unwrap();
    let begun = Instant::now();
    stream.write_all(&bytes).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let mut chunk = [0; 1024];
    loop {
        match stream.read(&mut chunk) {
            Ok(0) => return begun.elapsed(),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return begun.elapsed(),
            _ => {}
        }
        assert!(begun.elapsed() < DEADLINE, "the connection is kept");
        if goes_on {
            // The connection may be closed by now: the next reading tells.
            let _ = stream.write_all(&bytes[bytes.len() - 1..]);
        }
    }
}

#[test]
fn half_and_endless_beginnings_are_left_alone_in_time() {
    let case = two_methods();
    let mut served = serve(&case, &["--once"]);
    let port = served.port;
    let protocol = PROTOCOL.to_le_bytes();
    let greeting = |length: u16| [b"SPLW", &protocol[..], &length.to_le_bytes(), b"1"].concat();
    let with = |more: usize| [greeting(1), vec![3; more]].concat();
    let slow = [
        (b"SPLW".to_vec(), false),
        (greeting(1), false),
        (with(NONCE_BYTES - 1), false),
        (with(NONCE_BYTES + AGENT_PROOF_BYTES - 1), false),
        // A version of 256 bytes, one every tenth of a second.
        (greeting(256), true),
        (greeting(1), true),
    ];
    let connect = || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    let slow = slow.map(|(bytes, goes_on)| {
        let stream = connect();
        std::thread::spawn(move || kept(stream, bytes, goes_on))
    });
    // At once: a version, and a frame after a proof, that are too long to be any.
    assert!(kept(connect(), greeting(u16::MAX), false) < PATIENCE / 2);
    let mut known = Agent::known(port, &served.token);
    known.bytes(&u32::MAX.to_le_bytes()).unwrap();
    while known.hears().is_some() {}
    // An honest peer does not wait for them.
    let mut agent = served.measures();
    agent.calls(0, &[10; 5]);
    agent.calls(1, &[10; 5]);
    // The controller leaves them, not its end.
    for slow in slow {
        let kept = slow.join().unwrap();
        assert!(kept < PATIENCE, "{kept:?}");
    }
    agent.bye();
    served.run.ends().assert_status(0);
}

#[test]
fn strangers_do_not_use_up_what_the_controller_needs() {
    const STRANGERS: usize = 300;
    const OWN: usize = 120;
    let case = two_methods();
    let mut served = serve(&case, &["--once"]);
    let port = served.port;
    let strangers = (0..STRANGERS).map(|_| TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap());
    let strangers = strangers.collect::<Vec<_>>();
    let descriptors = fs::read_dir(format!("/proc/{}/fd", served.run.pid())).unwrap().count();
    assert!(descriptors < OWN, "{descriptors} descriptors");
    drop(strangers);
    let mut agent = served.measures();
    served.run.awaits("further refused connections are not reported");
    agent.calls(0, &[10; 5]);
    agent.calls(1, &[10; 5]);
    agent.bye();
    let ended = served.run.ends();
    ended.assert_status(0);
    // Nor the operator's patience.
    let lines = ended.err.matches("an agent could not be used").count();
    assert!(lines <= 50, "{lines} lines");
}

#[test]
fn a_listener_that_is_no_controller_gets_nothing_of_use() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    fs::write(&file, SECRET).unwrap();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let program = case::java(&["CompareLoop", "0", "100000"]);
    let alone = plainly(Command::new(&program[0]).args(&program[1..]));
    let mut command = Command::new(&program[0]);
    command.arg(format!(
        "-agentpath:{}=spl.client.port={port},spl.client.token-file={}",
        harness::agent().display(),
        file.display()
    ));
    command.args(&program[1..]).env_remove("JAVA_TOOL_OPTIONS");
    let run = Running::start(command, folder.path());

    let token = Token::new(SECRET).unwrap();
    let mut earlier = None;
    let mut nonces = Vec::new();
    for round in 0..3 {
        let (mut stream, mut bytes) = knocks(&listener);
        let agent = take::<NONCE_BYTES>(&mut stream, &mut bytes);
        let ours = Nonces { agent, controller: [8; NONCE_BYTES] };
        let answer = match round {
            // Proofs that anybody can make of the received bytes: zeros, and the agent's own nonce.
            0 => [ours.controller, [0; 32]].concat(),
            1 => [ours.controller, agent].concat(),
            // A controller's proof of an earlier connection.
            _ => earlier.take().unwrap(),
        };
        stream.write_all(&answer).unwrap();
        let last = AgentProof::from_bytes(&take(&mut stream, &mut bytes));
        assert_eq!((last.pid, last.proof), (run.pid(), None));
        assert_eq!((stream.read(&mut [0; 9]).unwrap(), bytes.len()), (0, 0), "the agent goes on");
        earlier = Some(
            ControllerProof { nonce: ours.controller, proof: ours.proof(&token, Side::Controller) }
                .to_bytes()
                .to_vec(),
        );
        assert!(!nonces.contains(&agent), "a nonce was used twice");
        nonces.push(agent);
    }
    // The true one is still believed.
    let mut controller = Controller::tcp(&listener, SECRET);
    controller.measures("CompareLoop.fast([I)J");
    assert!(!controller.samples().is_empty());
    controller.say(&ToAgent::Detach);
    while controller.hears().is_some() {}
    let ended = run.ends();
    assert_eq!((ended.status, ended.out), (alone.0, alone.1));
    assert_eq!(ended.err.lines().count(), 2, "more than the program's own lines: {}", ended.err);
}

#[test]
fn a_silent_listener_does_not_delay_the_end() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let program = case::java(&["CompareLoop", "1"]);
    let agent = format!("-agentpath:{}=spl.client.port={port}", harness::agent().display());
    // The fastest of three: a disturbance makes one slower, never faster.
    let fastest = |options: &[&str]| {
        let run = || {
            let begun = Instant::now();
            let mut command = Command::new(&program[0]);
            plainly(command.args(options).args(&program[1..]).env_remove("JAVA_TOOL_OPTIONS"));
            begun.elapsed()
        };
        [run(), run(), run()].into_iter().min().unwrap()
    };
    let (alone, listened) = (fastest(&[]), fastest(&[&agent]));
    println!("{alone:?} alone, {listened:?} with a silent listener");
    assert!(listened < alone + Duration::from_millis(600));
}
