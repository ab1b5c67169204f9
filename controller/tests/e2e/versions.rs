//! An agent and a controller of different releases: both say so, and neither harms the program.

use crate::case::{self, Case};
use crate::harness::{self, DEADLINE, poll};
use crate::running::plainly;
use spl_wire::{Answer, Greeting, PROTOCOL, Reply};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, Command, Stdio};

/// A side of a release to come.
fn newer() -> Greeting {
    Greeting::new(PROTOCOL + 1, "99.9.9").unwrap()
}

/// Reads until there is a value.
fn read<T>(stream: &mut UnixStream, decode: impl Fn(&[u8]) -> Option<T>) -> T {
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    let mut bytes = Vec::new();
    loop {
        if let Some(value) = decode(&bytes) {
            return value;
        }
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        bytes.extend(byte);
    }
}

#[test]
fn a_controller_refuses_an_agent_of_another_version() {
    let case = Case::comparing("CompareLoop.fast([I)J <= CompareLoop.slow([I)J\n");
    // In the JVM's place: tells how the agent would be loaded, and lives until the end of its input.
    let script = "printf %s \"$JAVA_TOOL_OPTIONS\" >options.tmp; mv options.tmp options; cat";
    let mut run = case.start(["sh", "-c", script]);
    let options = poll("the options", DEADLINE, || fs::read_to_string(case.path("options")).ok());
    let socket = options.split("spl.client.socket=").nth(1).unwrap().trim_end_matches('"');

    let mut stream = UnixStream::connect(socket).unwrap();
    let mut bytes = Vec::new();
    newer().encode(&mut bytes);
    stream.write_all(&bytes).unwrap();
    let reply = read(&mut stream, |bytes| Reply::decode(bytes).unwrap().map(|(reply, _)| reply));
    assert_eq!((reply.answer, reply.greeting), (Answer::Refuse, Greeting::ours()));

    run.awaits("the agent library is spl 99.9.9 (protocol");
    let ended = run.ends();
    ended.assert_status(2);
    let ours = format!("the controller is spl {}", Greeting::ours());
    ended.assert_said(&[&newer().to_string(), &ours, "use the library that came with this spl"]);
}

/// A JVM whose controller is the test.
struct Jvm(Child);

impl Drop for Jvm {
    fn drop(&mut self) {
        // Both calls fail when the process has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_agent_leaves_a_controller_of_another_version_alone() {
    let accepting = Reply { greeting: newer(), answer: Answer::Accept };
    let refusing = Reply { greeting: newer(), answer: Answer::Refuse };
    let bytes = |reply: &Reply| {
        let mut bytes = Vec::new();
        reply.encode(&mut bytes);
        bytes
    };
    for answer in [bytes(&refusing), bytes(&accepting), b"HTTP/1.1 400 Bad Request\r\n".to_vec(), Vec::new()]
    {
        check_unharmed(&answer);
    }
}

/// The controller answers the agent's greeting with these bytes and closes, twice; the program goes on to its end.
fn check_unharmed(answer: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("spl.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let program = case::java(&["CompareLoop", "0"]);
    let alone = plainly(Command::new(&program[0]).args(&program[1..]));
    let option = format!("-agentpath:{}=spl.client.socket={}", harness::agent().display(), socket.display());
    let mut command = Command::new(&program[0]);
    command.arg(option).args(&program[1..]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut jvm = Jvm(command.spawn().unwrap());

    listener.set_nonblocking(true).unwrap();
    for _ in 0..2 {
        let (mut stream, _) = poll("the agent", DEADLINE, || listener.accept().ok());
        stream.set_nonblocking(false).unwrap();
        let greeting =
            read(&mut stream, |bytes| Greeting::decode(bytes).unwrap().map(|(greeting, _)| greeting));
        assert_eq!(greeting, Greeting::ours());
        stream.write_all(answer).unwrap();
    }
    drop(jvm.0.stdin.take());
    let mut out = String::new();
    jvm.0.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!((jvm.0.wait().unwrap().code(), out), (alone.0, alone.1), "{answer:?}");
}
