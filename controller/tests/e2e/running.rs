//! `spl` at work: what it and its program say, and the certainty that neither outlives its test.

use crate::harness::{DEADLINE, poll};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Where a line came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The program's standard output.
    Out,
    /// Standard error of `spl` and the program.
    Err,
}

/// A started `spl run`.
pub struct Running {
    spl: Child,
    /// The program's too.
    stdin: Option<ChildStdin>,
    lines: Receiver<(From, String)>,
    seen: Vec<(From, String)>,
    /// The line after the one that was found last.
    next: usize,
    closed: bool,
    program: Option<u32>,
    /// Stands in the command line of a program with the agent.
    folder: PathBuf,
}

/// The process after its end.
pub struct Ended {
    /// Of `spl`.
    pub status: Option<i32>,
    /// The program's standard output.
    pub out: String,
    /// Standard error of both.
    pub err: String,
}

impl Running {
    /// Starts a command line of `spl`; its sockets are to be made in `folder`.
    pub fn start(mut spl: Command, folder: &Path) -> Self {
        let mut spl = spl
            // Not in the foreground of the terminal that the tests are run from, if they are.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("spl can be started");
        let (sender, lines) = mpsc::channel();
        let (out, err) = (spl.stdout.take().unwrap(), spl.stderr.take().unwrap());
        let copy = sender.clone();
        std::thread::spawn(move || forward(out, |line| copy.send((From::Out, line)).is_ok()));
        std::thread::spawn(move || forward(err, |line| sender.send((From::Err, line)).is_ok()));
        let stdin = spl.stdin.take();
        let (seen, folder) = (Vec::new(), folder.to_owned());
        Self { spl, stdin, lines, seen, next: 0, closed: false, program: None, folder }
    }

    /// The first line with `part` in it, among past and future lines.
    pub fn awaits(&mut self, part: &str) -> String {
        self.next = 0;
        self.awaits_next(part)
    }

    /// As [`awaits`](Self::awaits), of the lines after the one that was found last.
    pub fn awaits_next(&mut self, part: &str) -> String {
        let until = Instant::now() + DEADLINE;
        loop {
            while let Some((_, line)) = self.seen.get(self.next) {
                self.next += 1;
                if line.contains(part) {
                    return line.clone();
                }
            }
            self.take_line(until, part);
            assert!(
                !self.closed || self.next < self.seen.len(),
                "{part:?} was never said:\n{}",
                self.transcript()
            );
        }
    }

    /// Waits until the agent is connected; gives the program's process id.
    pub fn awaits_agent(&mut self) -> u32 {
        let line = self.awaits("spl: measuring Java ");
        let pid = line.split("pid ").nth(1).and_then(|rest| rest.split(':').next()?.parse().ok());
        self.program = pid;
        pid.unwrap_or_else(|| panic!("there is no pid in {line:?}"))
    }

    /// Whether a line with `part` in it has come.
    pub fn has_said(&mut self, part: &str) -> bool {
        self.seen.extend(self.lines.try_iter());
        self.seen.iter().any(|(_, line)| line.contains(part))
    }

    /// Sends the program an empty line.
    pub fn line(&mut self) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(b"\n").unwrap_or_else(|error| panic!("the program takes no line: {error}"));
    }

    /// The process that was started.
    pub fn pid(&self) -> u32 {
        self.spl.id()
    }

    /// Sends `spl` a signal.
    pub fn signal(&self, name: &str) {
        kill(self.spl.id(), name);
    }

    /// Waits until `spl` alone has ended; gives its exit status, `None` when a signal ended it.
    pub fn spl_ends(&mut self) -> Option<i32> {
        poll("the end of spl", DEADLINE, || self.spl.try_wait().unwrap()).code()
    }

    /// As [`spl_ends`](Self::spl_ends), and asserts the status.
    pub fn spl_ends_with(&mut self, expected: Option<i32>) {
        let status = self.spl_ends();
        self.seen.extend(self.lines.try_iter());
        assert_eq!(status, expected, "{}", self.transcript());
    }

    /// Ends the program's input and waits until it and `spl` have ended.
    pub fn ends(mut self) -> Ended {
        self.stdin = None;
        self.ends_by_itself()
    }

    /// Waits until the program and `spl` have ended.
    pub fn ends_by_itself(mut self) -> Ended {
        let until = Instant::now() + DEADLINE;
        while !self.closed {
            self.take_line(until, "the end of spl and its program");
        }
        let status = self.spl_ends();
        self.program = None;
        let text = |from| {
            let lines = self.seen.iter().filter(|(of, _)| *of == from);
            lines.map(|(_, line)| format!("{line}\n")).collect::<String>()
        };
        Ended { status, out: text(From::Out), err: text(From::Err) }
    }

    /// Everything said so far.
    pub fn transcript(&self) -> String {
        self.seen.iter().map(|(from, line)| format!("{from:?}| {line}\n")).collect()
    }

    /// Takes one line in, if there is one yet to come.
    fn take_line(&mut self, until: Instant, what: &str) {
        match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) => self.seen.push(line),
            Err(RecvTimeoutError::Disconnected) => self.closed = true,
            Err(RecvTimeoutError::Timeout) => {
                panic!("waited {DEADLINE:?} in vain for {what:?}:\n{}", self.transcript())
            }
        }
    }
}

impl Ended {
    /// The lines that `spl` said.
    pub fn spl(&self) -> String {
        self.err.lines().filter(|line| line.starts_with("spl:")).map(|line| format!("{line}\n")).collect()
    }

    /// Asserts the exit status of `spl`, showing what it said.
    pub fn assert_status(&self, expected: i32) {
        assert_eq!(self.status, Some(expected), "{}{}", self.out, self.err);
    }

    /// Asserts that everything of this stands on standard error.
    pub fn assert_said(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.err.contains(part), "{part:?} is missing in:\n{}", self.err);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both calls fail when the process has ended already.
        let _ = self.spl.kill();
        let _ = self.spl.wait();
        if std::thread::panicking() {
            self.seen.extend(self.lines.try_iter());
            eprintln!("Of {}:\n{}", self.spl.id(), self.transcript());
        }
        // The number may belong to another process by now.
        let folder = self.folder.to_string_lossy().into_owned();
        if let Some(program) = self.program.filter(|program| command_line(*program).contains(&folder)) {
            kill(program, "KILL");
        }
    }
}

/// Passes lines on until there are no more, or nobody wants them.
fn forward(from: impl Read, mut pass: impl FnMut(String) -> bool) {
    let mut reader = BufReader::new(from);
    let mut line = Vec::new();
    while matches!(reader.read_until(b'\n', &mut line), Ok(1..)) {
        let text = String::from_utf8_lossy(&line);
        if !pass(text.strip_suffix('\n').unwrap_or(&text).to_owned()) {
            return;
        }
        line.clear();
    }
}

/// The command line of a process, empty when there is none.
fn command_line(process: u32) -> String {
    let bytes = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}

/// Sends a signal to a process.
pub fn kill(process: u32, signal: &str) {
    // A process may have ended meanwhile; that does not count as a failure.
    let _ = Command::new("kill").args(["-s", signal, &process.to_string()]).stderr(Stdio::null()).status();
}

/// Runs a command without `spl` to its end; gives status, standard output and standard error.
pub fn plainly(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.stdin(Stdio::null()).output().expect("the command can be started");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// For waits that are promised to be shorter than the deadline.
pub const TEN_SECONDS: Duration = Duration::from_secs(10);
