//! A JVM that runs already: which one is meant, where its classes are, and the agent in it.

use crate::cli::Process;
use spl_attach::protocol::Reply;
use spl_attach::system::Target;
use spl_wire::{LEAVE, LoadAnswer};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time that an agent may take to restore every class.
const LONGEST_LEAVE: Duration = Duration::from_secs(15);
/// Pause between two questions whether the agent has left.
const ASK_EVERY: Duration = Duration::from_millis(20);
/// Most processes that are listed where a text fits several.
const MOST_LISTED: usize = 10;

/// The process that is meant.
///
/// # Errors
/// When there is none, or a text fits several; text for the operator.
pub fn target(process: &Process) -> Result<Target, String> {
    let pid = match (process.pid, process.text.as_deref()) {
        (Some(pid), _) => pid,
        (None, Some(text)) => matching(text)?,
        (None, None) => return Err("name a process, or a text of its command line with --match".to_owned()),
    };
    Target::open(pid).map_err(|why| format!("pid {pid}: {why}"))
}

/// The only JVM whose command line contains a text.
fn matching(text: &str) -> Result<u32, String> {
    let own = std::process::id();
    let pids = fs::read_dir("/proc").map_err(|e| format!("cannot list the processes: {e}"))?;
    let pids = pids.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let line = |pid: u32| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        Some(String::from_utf8_lossy(&words).replace('\0', " ").trim().to_owned())
    };
    let lines = pids.filter(|pid| *pid != own).filter_map(|pid| Some((pid, line(pid)?)));
    let fitting = lines.filter(|(_, line)| line.contains(text));
    let is_jvm = |pid: u32| Target::open(pid).is_ok_and(|target| target.mapped().hotspot);
    let found: Vec<(u32, String)> = fitting.filter(|(pid, _)| is_jvm(*pid)).collect();
    match &found[..] {
        [(pid, _)] => Ok(*pid),
        [] => Err(format!(
            "--match {text}: no HotSpot JVM that this user may look into has this text in its command line"
        )),
        several => {
            let shown: Vec<String> = several
                .iter()
                .take(MOST_LISTED)
                .map(|(pid, line)| format!("\n  {pid}  {}", spl_wire::clip(line, 100)))
                .collect();
            Err(format!("--match {text}: {} JVMs have it; name one:{}", several.len(), shown.concat()))
        }
    }
}

/// A command of the Java launcher with the class path of a JVM, by the JVM's own words.
pub fn command(target: &Target, properties: &Reply) -> Vec<OsString> {
    let property = |name| properties.property(name).unwrap_or_default();
    let folder = PathBuf::from(property("user.dir"));
    let here = |entry: &str| target.seen_from_here(&folder.join(entry)).into_os_string();
    let paths = |name| {
        let entries: Vec<OsString> =
            property(name).split(':').filter(|entry| !entry.is_empty()).map(here).collect();
        entries.join(&OsString::from(":"))
    };
    let java = target.seen_from_here(&Path::new(&property("java.home")).join("bin/java"));
    let mut command = vec![java.into_os_string(), "-cp".into(), paths("java.class.path")];
    let modules = paths("jdk.module.path");
    if !modules.is_empty() {
        command.extend(["-p".into(), modules]);
    }
    command.push("Main".into());
    command
}

/// The agent's answer when the JVM loads its library with these options.
///
/// # Errors
/// When the library did not come to answer; text for the operator.
pub fn load(target: &Target, library: &Path, options: &str) -> Result<LoadAnswer, String> {
    let path = library.to_str().ok_or_else(|| {
        format!("{}: the path of the agent's library has to be UTF-8 for the JVM", library.display())
    })?;
    let reply = target.ask("load", &[path, "true", options]).map_err(|why| why.to_string())?;
    let code = reply.loaded().map_err(|why| format!("the JVM did not load the agent: {why}"))?;
    LoadAnswer::of(code).ok_or_else(|| format!("the agent answered {code}; is it of another version?"))
}

/// Asks the agent to restore every class and to leave, and waits until it has.
///
/// # Errors
/// When it does not, or not completely; text for the operator.
pub fn leave(target: &Target, library: &Path) -> Result<(), String> {
    let until = Instant::now() + LONGEST_LEAVE;
    loop {
        let answer = load(target, library, LEAVE)?;
        if answer == LoadAnswer::Done {
            return Ok(());
        }
        if answer != LoadAnswer::Leaving || Instant::now() >= until {
            return Err(in_words(answer).to_owned());
        }
        std::thread::sleep(ASK_EVERY);
    }
}

/// An answer as a sentence for the operator.
pub fn in_words(answer: LoadAnswer) -> &'static str {
    match answer {
        LoadAnswer::Done => "the agent has done it",
        LoadAnswer::Nowhere => "the agent was not told where its controller is",
        LoadAnswer::Busy => "its agent serves another controller; `spl detach` ends that measurement",
        LoadAnswer::Failed => {
            "its agent had an error of its own before, has restored every class, and serves no more in this JVM"
        }
        LoadAnswer::Incapable => "the JVM does not let classes be changed now",
        LoadAnswer::Copy => {
            "another copy of the agent's library is in the JVM already; name that file with --agent, or restart the program"
        }
        LoadAnswer::Records => "the JVM records an AOT cache, which would contain the agent's classes",
        LoadAnswer::Unstarted => "the JVM had no memory, no thread or no descriptor left for the agent",
        LoadAnswer::Leaving => "the agent is still restoring classes; try again a little later",
        LoadAnswer::Unrestored => {
            "the agent has left, but the JVM refused to restore some class; its probes do nothing any more"
        }
        LoadAnswer::Ending => "the JVM is ending",
    }
}
