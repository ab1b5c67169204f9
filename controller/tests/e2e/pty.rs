//! `spl` on a terminal of its own, as an operator has it: what it shows there, and what the keys do.

use crate::case::Case;
use crate::harness::{DEADLINE, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::num::NonZero;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

/// A terminal with a process that leads its session.
pub struct Terminal {
    /// Our side: what is written here are keys.
    keys: File,
    process: Child,
    seen: Arc<Mutex<Seen>>,
}

/// The terminal's output.
struct Seen {
    parser: vt100::Parser,
    bytes: Vec<u8>,
}

impl Terminal {
    /// Starts `spl run` with these options before the command.
    pub fn start(case: &Case, options: &[&str], command: Vec<OsString>) -> Self {
        Self::start_under(case, &[], options, command)
    }

    /// As [`start`](Self::start), with these words before `spl`: a shell that leads the session.
    pub fn start_under(case: &Case, leader_words: &[&str], options: &[&str], command: Vec<OsString>) -> Self {
        let arguments = ["run", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out"];
        let spl = case.spl_with(&arguments);
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
        let keys = File::from(ours);
        let theirs = OpenOptions::new().read(true).write(true).open(name).unwrap();
        let stream = || Stdio::from(theirs.try_clone().unwrap());
        // Of util-linux: makes its input the terminal of a new session, with the process in the foreground.
        let mut leader = Command::new("setsid");
        leader
            .arg("--ctty")
            .args(leader_words)
            .arg(spl.get_program())
            .args(spl.get_args())
            .args(options)
            .arg("--")
            .args(command);
        leader.current_dir(spl.get_current_dir().unwrap()).env("TERM", "xterm");
        for (name, value) in spl.get_envs() {
            match value {
                Some(value) => leader.env(name, value),
                None => leader.env_remove(name),
            };
        }
        for variable in ["NO_COLOR", "CLICOLOR_FORCE"] {
            leader.env_remove(variable);
        }
        let [lines, columns] = [24, 80].map(|size| NonZero::new(size).unwrap());
        let parser = vt100::Parser::new(lines, columns, 1000);
        let seen = Arc::new(Mutex::new(Seen { parser, bytes: Vec::new() }));
        resize(&keys, 80, 24);
        let process = leader.stdin(stream()).stdout(stream()).stderr(stream()).spawn().unwrap();
        let (mut reader, shared) = (keys.try_clone().unwrap(), Arc::clone(&seen));
        std::thread::spawn(move || {
            let mut part = [0; 4096];
            // Reading fails when no process has the other side open any more.
            while let Ok(count @ 1..) = reader.read(&mut part) {
                let mut seen = shared.lock().unwrap();
                seen.parser.process(&part[..count]);
                seen.bytes.extend_from_slice(&part[..count]);
            }
        });
        Self { keys, process, seen }
    }

    /// Presses keys.
    pub fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Changes its size.
    pub fn resize(&self, columns: u16, lines: u16) {
        let [of_lines, of_columns] = [lines, columns].map(|size| NonZero::new(size).unwrap());
        self.seen.lock().unwrap().parser.screen_mut().set_size(of_lines, of_columns);
        resize(&self.keys, columns, lines);
    }

    /// The lines on the screen.
    pub fn lines(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        let (_, columns) = seen.parser.screen().size();
        seen.parser.screen().rows(0, columns.get()).map(|row| row.trim_end().to_owned()).collect()
    }

    /// All that came, commands to the terminal included.
    pub fn bytes(&self) -> String {
        String::from_utf8_lossy(&self.seen.lock().unwrap().bytes).into_owned()
    }

    /// Waits until this came.
    pub fn awaits(&self, part: &str) {
        self.waits_for(part, || self.bytes().contains(part));
    }

    /// Waits until the screen is so.
    pub fn awaits_screen(&self, what: &str, is: impl Fn(&[String]) -> bool) {
        self.waits_for(what, || is(&self.lines()));
    }

    fn waits_for(&self, what: &str, is: impl Fn() -> bool) {
        let shown = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            poll(what, DEADLINE, || is().then_some(()));
        }));
        assert!(shown.is_ok(), "{what:?} in vain; the screen:\n{}\n", self.lines().join("\n"));
    }

    /// Kills the process that leads the session. The kernel then takes the terminal from the others.
    pub fn loses_its_leader(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Waits for the end of `spl`; gives its exit status.
    pub fn ends(&mut self) -> Option<i32> {
        poll("the end of spl", DEADLINE, || self.process.try_wait().unwrap()).code()
    }
}

fn resize(terminal: &File, columns: u16, lines: u16) {
    let size = Winsize { ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).unwrap();
}

/// The program goes with its session, which loses its terminal.
impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
