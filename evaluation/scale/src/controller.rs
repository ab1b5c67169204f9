//! The controller under test, a process of its own.

use crate::{DEADLINE, Fault, Plan, system};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;
use tempfile::TempDir;

/// The processor that the controller has for itself, and that of everything else.
const CONTROLLER_CPU: &str = "0";

/// A running `spl serve`; it is killed when it is dropped before it ended.
#[derive(Debug)]
pub struct Controller {
    folder: Arc<TempDir>,
    process: Child,
    port: u16,
    lines: Receiver<String>,
    children_s: f64,
}

/// Resources that a controller has used.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// CPU time in seconds, of the whole process.
    pub cpu_s: f64,
    /// Most memory in KiB that it had at a time, when last looked at.
    pub peak_kib: u64,
}

impl Controller {
    /// Starts it on one processor and waits until it listens.
    ///
    /// # Errors
    /// When it does not.
    pub fn start(spl: &Path, plan: &Plan, once: bool) -> Result<Self, Fault> {
        let folder = Arc::new(tempfile::tempdir().map_err(system("cannot make a folder"))?);
        let file = |name: &str| folder.path().join(name);
        fs::write(file("scale.tasks"), &plan.tasks).map_err(system("cannot write the tasks"))?;
        fs::write(file("scale.ini"), &plan.config).map_err(system("cannot write the configuration"))?;
        let children_s = children_s()?;
        let mut command = Command::new("taskset");
        command.args(["-c", CONTROLLER_CPU]).arg(spl).arg("serve").args(once.then_some("--once"));
        command.args(["--port", "0", "--token-file"]).arg(file("token"));
        command.arg("--config").arg(file("scale.ini")).arg("--tasks").arg(file("scale.tasks"));
        command.arg("--out").arg(file("out"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.spawn().map_err(system("cannot start the controller"))?;
        let (sender, lines) = channel();
        if let Some(stderr) = process.stderr.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        let mut controller = Self { folder, process, port: 0, lines, children_s };
        let line = controller.await_line("listening on port ", 1)?;
        let port =
            line.split("listening on port ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
        controller.port = port.ok_or(Fault::Unexpected(line))?;
        Ok(controller)
    }

    /// Where agents connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The secret that they need.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn token(&self) -> Result<String, Fault> {
        let text = fs::read_to_string(self.path("token")).map_err(system("cannot read the token"))?;
        Ok(text.trim_end().to_owned())
    }

    /// Where its files are, for as long as anybody has it.
    pub fn folder(&self) -> Arc<TempDir> {
        Arc::clone(&self.folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Waits until it has printed `count` lines with this text; returns the last.
    ///
    /// # Errors
    /// When it ends before, or says nothing more.
    pub fn await_line(&self, part: &str, count: usize) -> Result<String, Fault> {
        let (mut found, mut last) = (0, String::new());
        while found < count {
            let line = self.lines.recv_timeout(DEADLINE).map_err(|_| {
                Fault::Unexpected(format!(
                    "the controller said {part:?} {found} times of {count}; its last line: {last}"
                ))
            })?;
            found += usize::from(line.contains(part));
            last = line;
        }
        Ok(last)
    }

    /// CPU time and memory until now.
    ///
    /// # Errors
    /// When it has ended.
    pub fn used(&self) -> Result<Used, Fault> {
        let of = |name: &str| fs::read_to_string(format!("/proc/{}/{name}", self.process.id()));
        let (schedstat, status) = (of("schedstat"), of("status"));
        let unreadable = "cannot look at the controller";
        // Its first field is nanoseconds (Linux, sched-stats); everything happens on the controller's first thread.
        let schedstat = schedstat.map_err(system(unreadable))?;
        let status = status.map_err(system(unreadable))?;
        let cpu_ns = schedstat.split(' ').next().and_then(|text| text.parse::<u64>().ok());
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        match (cpu_ns, peak.and_then(|text| text.parse().ok())) {
            (Some(cpu_ns), Some(peak_kib)) => Ok(Used { cpu_s: cpu_ns as f64 / 1e9, peak_kib }),
            _ => Err(Fault::Unexpected(unreadable.to_owned())),
        }
    }

    /// Waits for its end; gives its status and all CPU time that it took, in seconds to the hundredth.
    ///
    /// # Errors
    /// When it does not end.
    pub fn end(mut self) -> Result<(ExitStatus, f64), Fault> {
        let until = Instant::now() + DEADLINE;
        // Its lines end with it; nobody waits for them any more.
        while self.lines.recv_timeout(until.saturating_duration_since(Instant::now())).is_ok() {}
        let status = self.process.wait().map_err(system("cannot wait for the controller"))?;
        Ok((status, children_s()? - self.children_s))
    }

    /// Number of results of assertions that it has written.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn results(&self) -> Result<usize, Fault> {
        let text = fs::read_to_string(self.path("out/assertions.jsonl"))
            .map_err(system("cannot read the results"))?;
        Ok(text.lines().count())
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// CPU seconds of all children that have ended: fields 16 and 17 of `stat` (proc(5)), in the kernel's ticks of a hundredth.
fn children_s() -> Result<f64, Fault> {
    let stat = fs::read_to_string("/proc/self/stat").map_err(system("cannot look at this process"))?;
    let ticks = stat.rsplit_once(')').map(|(_, rest)| {
        rest.split_ascii_whitespace()
            .skip(13)
            .take(2)
            .filter_map(|field| field.parse::<u64>().ok())
            .sum::<u64>()
    });
    Ok(ticks.unwrap_or(0) as f64 / 100.0)
}
