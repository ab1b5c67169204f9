//! The terminal that `spl run` shares with its program, and the effect of Ctrl-C on both.
//!
//! A terminal sends Ctrl-C to all processes of its foreground group, including the program. In a group of its
//! own the program could not read from the terminal. It therefore stays in our group and is started with the
//! signal ignored, as `nohup` does it with SIGHUP: a JVM keeps ignoring a signal that was ignored at its
//! start.

use crate::program::{self, Launch};
use rustix::process::{Pid, Signal, getpgid, getpgrp, kill_process};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tokio::process::Child;

/// Command that starts a program with Ctrl-C ignored, and changes nothing else (GNU coreutils 8.31 and
/// later).
const SHIELD: [&str; 2] = ["env", "--ignore-signal=INT"];

/// Whether Ctrl-C of a terminal reaches this process, because it is in the terminal's foreground.
pub fn is_ours() -> bool {
    File::open("/dev/tty").is_ok_and(|terminal| rustix::termios::tcgetpgrp(terminal) == Ok(getpgrp()))
}

/// The command that starts a program without effect of Ctrl-C; `None` where that is impossible.
///
/// # Errors
/// When there is no such program.
fn shielded(command: &[OsString]) -> io::Result<Option<Vec<OsString>>> {
    let Some(program) = command.first() else { return Ok(None) };
    // The shield would take a word with = as a variable.
    if program.as_bytes().contains(&b'=') || !can_shield() {
        return Ok(None);
    }
    find(program)?;
    Ok(Some(SHIELD.iter().map(OsString::from).chain(command.iter().cloned()).collect()))
}

/// Starts a program; in the foreground of a terminal without effect of Ctrl-C on it, where that is possible.
///
/// # Errors
/// When it cannot be started; text for the operator.
pub fn start(launch: &Launch, in_foreground: bool) -> Result<Child, String> {
    let cannot = |error: io::Error| program::cannot_start(&launch.command[0], &error);
    let shielded = if in_foreground { shielded(&launch.command).map_err(cannot)? } else { None };
    let command = shielded.as_ref().unwrap_or(&launch.command);
    let environment = launch.environment.clone();
    tokio::process::Command::new(&command[0]).args(&command[1..]).envs(environment).spawn().map_err(cannot)
}

fn can_shield() -> bool {
    let [env, option] = SHIELD;
    let mut trial = Command::new(env);
    trial.args([option, "true"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    trial.status().is_ok_and(|status| status.success())
}

/// Checks that a program can be started, by its path or on the search path.
fn find(program: &OsStr) -> io::Result<()> {
    if program.as_bytes().contains(&b'/') {
        return is_executable(Path::new(program));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).map(|folder| folder.join(program)).collect::<Vec<PathBuf>>();
    let found = places.iter().any(|place| is_executable(place).is_ok());
    if found { Ok(()) } else { Err(ErrorKind::NotFound.into()) }
}

fn is_executable(path: &Path) -> io::Result<()> {
    let metadata = fs::metadata(path)?;
    let may_run = metadata.is_file() && metadata.permissions().mode() & 0o111 != 0;
    if may_run { Ok(()) } else { Err(ErrorKind::PermissionDenied.into()) }
}

/// Asks a process to end as the operator's Ctrl-C would have, but only if it belongs to our process group,
/// which Ctrl-C reaches. A process id alone, reported by a program in a container, may mean another process
/// here.
pub fn end(process: u32) {
    if let Some(process) = ours(process) {
        // The process may have ended meanwhile.
        let _ = kill_process(process, Signal::TERM);
    }
}

/// Kills a process, such as one that goes on after [`end`].
pub fn kill(process: u32) {
    if let Some(process) = ours(process) {
        // The process may have ended meanwhile.
        let _ = kill_process(process, Signal::KILL);
    }
}

/// Whether such a process exists and runs.
pub fn is_there(process: u32) -> bool {
    let status = || fs::read_to_string(format!("/proc/{process}/stat")).ok();
    // The state follows the name in parentheses; Z is a process that has ended and was not waited for
    // (proc(5)).
    let has_ended = |text: String| text.rsplit(") ").next().is_some_and(|state| state.starts_with('Z'));
    ours(process).is_some() && !status().is_some_and(has_ended)
}

/// A process of our process group.
fn ours(process: u32) -> Option<Pid> {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    process.filter(|&process| getpgid(Some(process)) == Ok(getpgrp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shield_goes_before_programs_that_exist() {
        let command = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let given = command(&["sh", "-c", "true"]);
        let shielded_by = shielded(&given).unwrap().unwrap();
        assert_eq!(shielded_by[2..], given);
        // Its child processes ignore the interrupt: signal 2 of the mask in proc(5).
        let status = ["-c", "grep SigIgn /proc/$$/status"];
        let shown = Command::new(&shielded_by[0]).args(&shielded_by[1..3]).args(status).output().unwrap();
        let mask = String::from_utf8(shown.stdout).unwrap();
        let mask = u64::from_str_radix(mask.trim().rsplit('\t').next().unwrap(), 16).unwrap();
        assert_eq!(mask & 0b10, 0b10);
        assert_eq!(shielded(&command(&["a=b"])).unwrap(), None);
        for (missing, kind) in [
            ("no-such-program", ErrorKind::NotFound),
            ("/no/such/program", ErrorKind::NotFound),
            ("/etc/passwd", ErrorKind::PermissionDenied),
        ] {
            assert_eq!(shielded(&command(&[missing])).unwrap_err().kind(), kind, "{missing}");
        }
    }

    #[test]
    fn a_process_of_another_group_is_left_alone() {
        use std::os::unix::process::{CommandExt, ExitStatusExt};
        let start = |own_group: bool| {
            let mut cat = Command::new("cat");
            if own_group {
                cat.process_group(0);
            }
            cat.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap()
        };
        let (mut ours, mut other) = (start(false), start(true));
        end(ours.id());
        end(other.id());
        assert_eq!(ours.wait().unwrap().signal(), Some(15));
        drop(other.stdin.take());
        assert_eq!(other.wait().unwrap().code(), Some(0));
    }
}
