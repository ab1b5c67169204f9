//! A Java program that answers questions line by line. It never outlives its value.

use crate::{DEADLINE, Fault, system};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// A running program.
#[derive(Debug)]
pub struct Program {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Program {
    /// Starts `java` with these arguments. Standard error is the caller's.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start<S: AsRef<OsStr>>(
        java: &Path,
        arguments: impl IntoIterator<Item = S>,
    ) -> Result<Self, Fault> {
        let mut command = Command::new(java);
        command.args(arguments).env_remove("JAVA_TOOL_OPTIONS");
        Self::of(&mut command)
    }

    /// Starts a command whose standard error the caller has decided on.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn of(command: &mut Command) -> Result<Self, Fault> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(system("cannot start the program"))?;
        let stdin = child.stdin.take();
        let (sender, lines) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(stdout).lines() {
                    let Ok(line) = line else { break };
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Self { child, stdin, lines })
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line.
    ///
    /// # Errors
    /// When it listens no more.
    pub fn tell(&mut self, line: &str) -> Result<(), Fault> {
        let Some(stdin) = &mut self.stdin else {
            return Err(Fault::Unexpected("its input is closed".into()));
        };
        stdin.write_all(format!("{line}\n").as_bytes()).map_err(system("the program takes no line"))?;
        stdin.flush().map_err(system("the program takes no line"))
    }

    /// The next line of its standard output.
    ///
    /// # Errors
    /// When none comes.
    pub fn line(&mut self) -> Result<String, Fault> {
        self.lines.recv_timeout(DEADLINE).map_err(|_| Fault::Late("a line of the program".into()))
    }

    /// The next line if it comes within a time.
    ///
    /// # Errors
    /// When the program has ended.
    pub fn line_within(&mut self, at_most: Duration) -> Result<Option<String>, Fault> {
        match self.lines.recv_timeout(at_most) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Fault::Unexpected("the program has ended".into())),
        }
    }

    /// Waits for this line.
    ///
    /// # Errors
    /// When another comes or none.
    pub fn expect(&mut self, wanted: &str) -> Result<(), Fault> {
        let line = self.line()?;
        if line == wanted {
            return Ok(());
        }
        Err(Fault::Unexpected(format!("the program said {line:?} and not {wanted:?}")))
    }

    /// Ends its input and waits for its end; gives what it still said and its status.
    ///
    /// # Errors
    /// When it does not end, or a signal ended it.
    pub fn end(mut self) -> Result<(Vec<String>, i32), Fault> {
        self.stdin = None;
        let mut rest = Vec::new();
        let until = Instant::now() + DEADLINE;
        loop {
            match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) => rest.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => return Err(Fault::Late("the program's end".into())),
            }
        }
        let status = self.child.wait().map_err(system("the program cannot be waited for"))?;
        let code =
            status.code().ok_or_else(|| Fault::Unexpected(format!("the program ended by {status}")))?;
        Ok((rest, code))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Both calls fail when the program has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Compiles the Java sources of a folder into another with the given `javac`; they may use what is there already.
///
/// # Errors
/// When there is no compiler, or it refuses.
pub fn java_classes(javac: &Path, sources: &Path, target: &Path) -> Result<(), Fault> {
    let files = std::fs::read_dir(sources).map_err(system("cannot read the folder of the Java sources"))?;
    let files = files.filter_map(|file| Some(file.ok()?.path()));
    let files = files.filter(|path| path.extension().is_some_and(|e| e == "java"));
    let output = Command::new(javac)
        .args(["--release", "11", "-Xlint:all", "-Werror", "-cp"])
        .arg(target)
        .arg("-d")
        .arg(target)
        .args(files)
        .output()
        .map_err(system("cannot start javac"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(Fault::Unexpected(String::from_utf8_lossy(&output.stderr).into_owned()))
}
