//! The client of the agent that shows bytecode.

use crate::harness::{self, DEADLINE, poll};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// A connection to the witness in one JVM.
pub struct Witness {
    stream: UnixStream,
    answers: BufReader<UnixStream>,
}

/// The bytecode of methods, by `class.name descriptor`: one text of hexadecimal digits for each class of that name.
pub type Snapshot = BTreeMap<String, Vec<String>>;

impl Witness {
    /// The option that loads the witness into a JVM and lets it listen on a socket.
    pub fn option(socket: &Path) -> String {
        format!("-agentpath:{}={}", harness::witness().display(), socket.display())
    }

    /// Connects as soon as the JVM has got so far.
    pub fn connect(socket: &Path) -> Self {
        let stream = poll("the witness", DEADLINE, || UnixStream::connect(socket).ok());
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let answers = BufReader::new(stream.try_clone().unwrap());
        Self { stream, answers }
    }

    /// The bytecode that the JVM now runs for each method of these classes.
    pub fn snapshot(&mut self, classes: &[&str]) -> Snapshot {
        let mut snapshot = Snapshot::new();
        for class in classes {
            writeln!(self.stream, "{class}").unwrap();
            loop {
                let mut line = String::new();
                assert!(self.answers.read_line(&mut line).unwrap() > 0, "the JVM is gone");
                let Some((method, code)) = line.trim_end().rsplit_once(' ') else { break };
                snapshot.entry(format!("{class}.{method}")).or_default().push(code.to_owned());
            }
        }
        snapshot
    }

    /// Throws an error in the thread of this name, wherever it is.
    pub fn stop(&mut self, thread: &str) {
        writeln!(self.stream, "!{thread}").unwrap();
        let mut end = String::new();
        self.answers.read_line(&mut end).unwrap();
        assert_eq!(end, "\n", "{thread} cannot be stopped");
    }

    /// Bytes of the constant pool that the JVM now has for a class of this name.
    pub fn constant_pool(&mut self, class: &str) -> u64 {
        writeln!(self.stream, "#{class}").unwrap();
        let [mut size, mut end] = [String::new(), String::new()];
        self.answers.read_line(&mut size).unwrap();
        self.answers.read_line(&mut end).unwrap();
        size.trim_end().parse().unwrap_or_else(|_| panic!("{size:?} is no size"))
    }
}

/// The methods whose code differs, as they stand in task files.
pub fn changed(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    assert!(before.keys().eq(after.keys()), "a class gained or lost methods");
    let differ = before.iter().filter(|(method, code)| after[*method] != **code);
    differ.map(|(method, _)| method.replacen(' ', "", 1)).collect()
}
