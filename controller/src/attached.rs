//! A JVM that runs already: which one is meant, where its classes are, and the agent in it.

use crate::cli::Process;
use crate::progress::Progress;
use spl_attach::protocol::Reply;
use spl_attach::system::Target;
use spl_session::agents::Input;
use spl_session::door::PrivateSocket;
use spl_verdict::ExitStatus;
use spl_wire::{LEAVE, LoadAnswer, leave_of};
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::Sender;

/// Interval between two looks whether the JVM still runs.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Folders of a JVM in which its agent may find the socket.
const FOLDERS: [&str; 4] = ["/tmp", "/dev/shm", "/var/tmp", "/run"];
/// Time that an agent may take to restore every class.
const LONGEST_LEAVE: Duration = Duration::from_secs(15);
/// Time in which an agent that is not free may become so.
const LONGEST_FAREWELL: Duration = Duration::from_secs(1);
/// Pause between two questions whether the agent has left, or is free.
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

/// Asks the agent to restore every class and to leave, also if it serves another controller, and waits until it has.
///
/// # Errors
/// When it does not, or not completely; text for the operator.
pub fn leave(target: &Target, library: &Path) -> Result<(), String> {
    done(asked_to_leave(target, library, None)?)
}

/// Like [`leave`], for the agent of the controller at this socket.
///
/// # Errors
/// As for [`leave`], and when it serves another controller by now.
pub fn leave_ours(target: &Target, library: &Path, socket: &Path) -> Result<(), String> {
    done(asked_to_leave(target, library, Some(socket))?)
}

fn done(answer: LoadAnswer) -> Result<(), String> {
    if answer == LoadAnswer::Done { Ok(()) } else { Err(in_words(answer).to_owned()) }
}

/// The last answer of the agent, which may take some time to leave. With a socket only that of its controller leaves.
fn asked_to_leave(target: &Target, library: &Path, socket: Option<&Path>) -> Result<LoadAnswer, String> {
    let options = socket.map_or_else(|| LEAVE.to_owned(), |path| leave_of(&path.to_string_lossy()));
    let until = Instant::now() + LONGEST_LEAVE;
    loop {
        let answer = load(target, library, &options)?;
        if answer != LoadAnswer::Leaving || Instant::now() >= until {
            return Ok(answer);
        }
        std::thread::sleep(ASK_EVERY);
    }
}

/// Says what the first change of a class costs in a JVM that was started without the agent, and asks whether that is
/// wanted.
///
/// # Errors
/// When it is not wanted; text for the operator.
pub fn agree(yes: bool, target: &Target, library: &Path, progress: &Progress) -> Result<(), String> {
    let (_, around) = target.surroundings(library).map_err(|why| format!("pid {}: {why}", target.pid()))?;
    if !around.discards_all() {
        return Ok(());
    }
    let compiled =
        target.ask("jcmd", &["Compiler.codecache"]).ok().and_then(|reply| reply.compiled_methods());
    let methods = compiled.map_or_else(String::new, |count| format!(", of {count} methods"));
    let time = around
        .compiled_for
        .map(|time| format!("; its compilers have worked {:.1} s for it so far", time.as_secs_f64()));
    progress.note(&format!(
        "pid {} was started without the agent: when its first class is changed, the JVM discards all its compiled code{methods}, \
         and is slower until it has compiled it again{}",
        target.pid(),
        time.unwrap_or_default()
    ));
    if yes {
        return Ok(());
    }
    let input = io::stdin();
    if !input.is_terminal() {
        return Err(
            "nothing was done: add --yes to go on, or start the program with `spl client` to avoid this cost"
                .to_owned(),
        );
    }
    // Nothing can be done if the question is not shown; then nobody answers it with y.
    let _ = write!(io::stderr(), "spl: go on? [y/N] ");
    let mut answer = String::new();
    let read = input.lock().read_line(&mut answer);
    if read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes") {
        return Ok(());
    }
    Err("nothing was done".to_owned())
}

/// A socket that the JVM's agent can reach, and its path there. `results` is the folder of the results.
///
/// # Errors
/// When no folder can be used; text for the operator.
pub fn socket(target: &Target, results: &Path) -> Result<(PrivateSocket, PathBuf), String> {
    let status = target.status().ok_or("the process has ended")?;
    if target.shares_root() && status.uid == rustix::process::geteuid().as_raw() {
        let socket = PrivateSocket::open(results)?;
        let path = socket.path();
        return Ok((socket, path));
    }
    let bases = FOLDERS.map(|folder| target.seen_from_here(Path::new(folder)));
    let socket = PrivateSocket::open_for(bases, (status.uid, status.gid))?;
    let path = socket.path();
    let root = target.seen_from_here(Path::new("/"));
    let inner = path.strip_prefix(&root).map_or_else(|_| path.clone(), |inner| Path::new("/").join(inner));
    Ok((socket, inner))
}

/// Lets the agent in the JVM connect to this socket; gives the path of its library there. A library that is there
/// already is used: two copies of it would not know of each other.
///
/// # Errors
/// When the agent does not come; text for the operator.
pub fn enter(
    target: &Target,
    known: Option<PathBuf>,
    library: &Path,
    socket: &Path,
) -> Result<PathBuf, String> {
    let options = format!("spl.client.socket={}", socket.display());
    let (path, _placed) = match known {
        Some(path) => (path, None),
        None => {
            let placed = target.place(library).map_err(|why| why.to_string())?;
            (placed.path.clone(), Some(placed))
        }
    };
    let until = Instant::now() + LONGEST_FAREWELL;
    loop {
        let answer = load(target, &path, &options)?;
        // The controller before may have been ours, and its agent may not be done with it.
        let is_passing = matches!(answer, LoadAnswer::Busy | LoadAnswer::Leaving);
        if answer == LoadAnswer::Done {
            return Ok(path);
        }
        if !is_passing || Instant::now() >= until {
            return Err(in_words(answer).to_owned());
        }
        std::thread::sleep(ASK_EVERY);
    }
}

/// Waits until the agent of the controller at this socket has left the JVM. An error's status if it has not.
pub fn left(target: &Target, library: &Path, socket: &Path, progress: &Progress) -> Option<ExitStatus> {
    let answer = asked_to_leave(target, library, Some(socket));
    if !target.is_alive() || answer == Ok(LoadAnswer::Ending) {
        progress.note("the program ended");
        return None;
    }
    let why = match answer {
        Ok(LoadAnswer::Done) => {
            progress.note(&format!("pid {} goes on, with every class as it was", target.pid()));
            return None;
        }
        Ok(LoadAnswer::Busy) => {
            progress.note(&format!(
                "pid {} goes on, and its agent serves another controller by now",
                target.pid()
            ));
            return None;
        }
        Ok(answer) => in_words(answer).to_owned(),
        Err(why) => why,
    };
    progress.problem(&format!("pid {}: {why}", target.pid()));
    Some(ExitStatus::Error)
}

/// Says when the JVM has ended: its agent may not have come to it.
pub async fn watch(target: Arc<Target>, inputs: Sender<Input>) {
    while target.is_alive() {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    // The session may be over.
    let _ = inputs.send(Input::Ended { by_signal: false }).await;
}

/// Whether the process has another number in a container of its own. The counts of a drill are read by that number.
pub fn is_elsewhere(target: &Target) -> bool {
    target.status().is_some_and(|status| status.inner_pid != target.pid())
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
        LoadAnswer::NoEnvironment => {
            "the JVM gave the agent no environment of JVM TI or JNI; is it out of memory?"
        }
        LoadAnswer::NoClasses => "the JVM could not look up the classes of exceptions; is it out of memory?",
        LoadAnswer::NoEvents => "the JVM does not let the agent hear its events",
        LoadAnswer::Unstarted => "the JVM had no memory, no thread or no descriptor left for the agent",
        LoadAnswer::Leaving => "the agent is still restoring classes; try again a little later",
        LoadAnswer::Unrestored => {
            "the agent has left, but the JVM refused to restore some class; its probes do nothing any more"
        }
        LoadAnswer::Ending => "the JVM is ending",
    }
}
