//! `spl attach` and `spl detach`: the measurement of a program that runs already.

use crate::asking::{self, Found, Needs, NotFound, Search};
use crate::attached::{self, in_words, load};
use crate::cli::{Attach, Detach};
use crate::program;
use crate::progress::Progress;
use crate::reading;
use crate::reports;
use crate::showing::Showing;
use crate::tasks::Open;
use crate::unmeasured;
use spl_attach::system::Target;
use spl_lang::RunMode;
use spl_session::agents::Input;
use spl_session::door::PrivateSocket;
use spl_session::files::check_folders;
use spl_session::measure::{self, Inputs, Returned};
use spl_session::numbered;
use spl_session::output::Output;
use spl_session::session::Session;
use spl_session::setup::Setup;
use spl_session::which::Which;
use spl_verdict::ExitStatus;
use spl_wire::LoadAnswer;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::Sender;

/// Interval between two looks whether the JVM still runs.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Folders of a JVM in which its agent may find the socket.
const FOLDERS: [&str; 4] = ["/tmp", "/dev/shm", "/var/tmp", "/run"];

/// Measures a program that runs already, and leaves it as it was.
///
/// # Errors
/// When nothing could be measured, as text for the operator. The program goes on.
pub fn attach(arguments: &Attach) -> Result<ExitStatus, String> {
    check_folders(arguments.reports.files())?;
    let progress = Progress::new(arguments.common.quiet);
    let library = program::library(arguments.agent.as_deref())?;
    let target = attached::target(&arguments.process)?;
    let of_it = |why: &dyn std::fmt::Display| format!("pid {}: {why}", target.pid());
    target.approach().map_err(|why| of_it(&why))?;
    let properties = target.ask("properties", &[]).map_err(|why| of_it(&why))?;
    let command = attached::command(&target, &properties);
    let (mut setup, _, open) = reading::read(&arguments.common, &command, &mut |text| progress.note(text))?;
    if open.is_none() || setup.config.scheduler.mode == RunMode::Measurement {
        setup.can_be_decided(&arguments.until.until())?;
    }
    let known = target.mapped().agents.into_iter().next();
    if known.is_none() {
        agree(arguments.yes, &target, &library, &progress)?;
    }
    if let Some(note) = numbered::choose(&mut setup, arguments.common.replace)? {
        progress.note(&note);
    }
    if let Some(why) = unmeasured::unwritable(&setup) {
        return Err(why);
    }
    let runtime = measure::event_loop()?;
    let _inside = runtime.enter();
    let (socket, path) = socket(&target, &setup.config.output_dir)?;
    let inputs = Inputs::new()?;
    let library = enter(&target, known, &library, &path).map_err(|why| of_it(&why))?;
    let target = Arc::new(target);
    runtime.block_on(measured(arguments, (&setup, open.as_ref()), (&target, &library), (socket, inputs)))
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
    let answer = load(target, &path, &options)?;
    if answer == LoadAnswer::Done { Ok(path) } else { Err(in_words(answer).to_owned()) }
}

async fn measured(
    arguments: &Attach,
    (first, open): (&Setup, Option<&Open>),
    (target, library): (&Arc<Target>, &Path),
    (socket, mut inputs): (PrivateSocket, Inputs),
) -> Result<ExitStatus, String> {
    let door = tokio::spawn(socket.accept(inputs.sender()));
    let watch = tokio::spawn(watch(Arc::clone(target), inputs.sender()));
    let progress = Progress::new(arguments.common.quiet);
    let setup = &match open {
        None => first.clone(),
        Some(open) => match asked(arguments, first, open, &mut inputs).await? {
            Ok(setup) => setup,
            Err(not_found) => {
                not_found.say(&progress);
                door.abort();
                watch.abort();
                return Ok(left(target, library, &progress).unwrap_or(ExitStatus::Error));
            }
        },
    };
    let (output, resumed) = Output::open(setup, false)?;
    let showing = Showing::new(setup, &arguments.common, &arguments.reports);
    let session = Session::new(setup, setup.scheduler()?, output, resumed, showing).of_running(target.pid());
    let mut session = session.until(arguments.until.until());
    while measure::drive(&mut session, &mut inputs).await == Returned::Reload {
        session.note("tasks and settings stay as they were: spl attach reads them once");
    }
    door.abort();
    watch.abort();
    let progress = Progress::of(setup, arguments.common.quiet, arguments.common.verbose);
    let page = reports::write(&mut session, setup, &arguments.reports);
    reports::say(&session, setup, page.as_deref(), &progress);
    let status = if session.ever_connected() {
        session.standing()
    } else {
        progress.problem("the agent is in the JVM, and did not connect");
        ExitStatus::Error
    };
    Ok(left(target, library, &progress).unwrap_or(status))
}

/// Waits until the agent has left the JVM. An error's status if it has not.
pub fn left(target: &Target, library: &Path, progress: &Progress) -> Option<ExitStatus> {
    match attached::leave(target, library) {
        Err(why) if target.is_alive() => {
            progress.problem(&format!("pid {}: {why}", target.pid()));
            return Some(ExitStatus::Error);
        }
        Ok(()) if target.is_alive() => {
            progress.note(&format!("pid {} goes on, with every class as it was", target.pid()));
        }
        _ => progress.note("the program ended"),
    }
    None
}

/// The setup with the methods of the JVM, or the end of the search for them.
async fn asked(
    arguments: &Attach,
    first: &Setup,
    open: &Open,
    inputs: &mut Inputs,
) -> Result<Result<Setup, NotFound>, String> {
    let progress = Progress::new(arguments.common.quiet);
    let (needs, until) = (Needs::Methods(open), arguments.until.until());
    let search = Search { needs, which: Which::default(), until, at_port: true, loaded: false, alone: true };
    match asking::ask(&search, inputs, &progress).await {
        Ok(Found { program, .. }) => reading::known(first, program, &mut |text| progress.note(text)).map(Ok),
        Err(not_found) => Ok(Err(not_found)),
    }
}

/// Says when the JVM has ended: its agent may not have come to it.
pub async fn watch(target: Arc<Target>, inputs: Sender<Input>) {
    while target.is_alive() {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    // The session may be over.
    let _ = inputs.send(Input::Ended { by_signal: false }).await;
}

/// Ends the measurement of a program, also that of another controller.
///
/// # Errors
/// When not every class is certain to be as it was, as text for the operator.
pub fn detach(arguments: &Detach) -> Result<ExitStatus, String> {
    let progress = Progress::new(arguments.quiet);
    let target = attached::target(&arguments.process)?;
    let of_it = |why: &dyn std::fmt::Display| format!("pid {}: {why}", target.pid());
    let mapped = target.mapped();
    let Some(library) = mapped.agents.first() else {
        // A process without an agent gets no request.
        if !mapped.hotspot {
            return Err(of_it(&spl_attach::approach::Refusal::NotHotSpot));
        }
        progress.note(&format!("pid {} has no agent", target.pid()));
        return Ok(ExitStatus::AllHold);
    };
    target.approach().map_err(|why| of_it(&why))?;
    attached::leave(&target, library).map_err(|why| of_it(&why))?;
    progress.note(&format!("pid {} goes on, with every class as it was", target.pid()));
    Ok(ExitStatus::AllHold)
}
