//! `spl run`: the controller and the program together.

use crate::cli::Run;
use crate::foreground;
use crate::looking::Looking;
use crate::program;
use crate::progress::Progress;
use crate::reading;
use crate::reports;
use crate::serve::worse;
use crate::showing::Showing;
use crate::stopping;
use crate::tryout;
use crate::unmeasured::{self, Trouble};
use spl_session::agents::Input;
use spl_session::door::PrivateSocket;
use spl_session::files::check_folders;
use spl_session::measure::{self, Inputs, Interrupt};
use spl_session::numbered;
use spl_session::output::Output;
use spl_session::resume::Resumed;
use spl_session::session::Session;
use spl_session::setup::Setup;
use spl_verdict::ExitStatus;
use std::collections::BTreeSet;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus as ProgramStatus;
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::Sender;
use tokio::task::JoinHandle;

/// Runs the program and its measurement.
///
/// # Errors
/// When the measurement could not begin because of an operator's mistake, or with `--require` for any reason,
/// as text for the operator. The program was not started then.
pub fn run(arguments: &Run) -> Result<u8, String> {
    check_folders(arguments.reports.files())?;
    let progress = Progress::new(arguments.common.quiet);
    let (mut setup, _) =
        reading::read(&arguments.common, &arguments.command, &mut |text| progress.note(text))?;
    if arguments.looking.is_some() {
        Looking::prepare(&mut setup);
    }
    let until = arguments.until.until();
    setup.can_be_decided(&until)?;
    if let Some(note) = numbered::choose(&mut setup, arguments.common.replace)? {
        progress.note(&note);
    }
    let code = |status: ExitStatus, program: Option<ProgramStatus>| {
        program.filter(|_| arguments.program_status).map_or(status.code(), stopping::code)
    };
    match measured(arguments, &setup) {
        Ok((status, program)) => Ok(code(status, program)),
        Err(Trouble::Obstacle(why)) if !arguments.require => {
            let status = unmeasured::run(&arguments.command, &progress, &why)?;
            report_program(&progress, Some(status));
            Ok(code(ExitStatus::Error, Some(status)))
        }
        Err(Trouble::Obstacle(why) | Trouble::Mistake(why)) => Err(why),
    }
}

/// Exit status of the claims, and the program's status if it has ended.
type Came = (ExitStatus, Option<ProgramStatus>);

fn measured(arguments: &Run, setup: &Setup) -> Result<Came, Trouble> {
    let library = &unmeasured::library(arguments.agent.as_deref())?;
    if let Some(why) = tryout::try_out(&arguments.command, library)? {
        return Err(Trouble::Obstacle(why));
    }
    if let Some(why) = unmeasured::unwritable(setup) {
        return Err(Trouble::Obstacle(why));
    }
    let runtime = measure::event_loop().map_err(Trouble::Obstacle)?;
    let _inside = runtime.enter();
    // The socket comes before the files, so that a failure does not replace an old result.
    let socket = PrivateSocket::open(&setup.config.output_dir).map_err(Trouble::Obstacle)?;
    let inputs = Inputs::new().map_err(Trouble::Obstacle)?;
    let files = Output::open(setup, false)?;
    Ok(runtime.block_on(together(arguments, library, setup, files, (socket, inputs)))?)
}

async fn together(
    arguments: &Run,
    library: &Path,
    setup: &Setup,
    (output, resumed): (Output, Option<Resumed>),
    (socket, mut inputs): (PrivateSocket, Inputs),
) -> Result<Came, String> {
    let in_foreground = foreground::is_ours();
    if in_foreground {
        // Ctrl-\ asks a JVM for its threads. Watching the signal keeps it from ending this process.
        let _watched = signal(SignalKind::quit()).map_err(|e| format!("cannot watch for signals: {e}"))?;
    }
    let child = start(arguments, library, &socket.path(), in_foreground)?;
    let launched = child.id();
    let door = tokio::spawn(socket.accept(inputs.sender()));
    let ended = tokio::spawn(wait(child, inputs.sender()));
    let came = each(arguments, setup, (output, resumed), &mut inputs, &ended).await?;
    // The agents are dormant or gone, so the socket is not needed any more.
    door.abort();
    let progress = Progress::new(arguments.common.quiet);
    let status = if arguments.stop_program {
        stopping::stop(ended, launched, &came.programs, |text| progress.note(text)).await
    } else if in_foreground {
        let processes = [launched, came.programs.last().copied()].into_iter().flatten().collect::<Vec<_>>();
        if !ended.is_finished() {
            progress.note("the measurement is over, the program goes on; Ctrl-C ends it too");
        }
        until_asked_again(ended, &mut inputs, came.interrupted, &processes).await
    } else {
        tokio::select! {
            status = ended => status.ok().flatten(),
            // An interrupt, new or pending, leaves the program running.
            _ = inputs.interrupted() => None,
        }
    };
    report_program(&progress, status);
    if !came.was_anybody && came.standing != ExitStatus::Error {
        progress.problem(
            "no agent connected: the command started no JVM, or one that ended at once or ignores JAVA_TOOL_OPTIONS; \
             try the command by itself, and let it start java directly",
        );
    }
    let standing = if came.was_anybody { came.standing } else { ExitStatus::Error };
    Ok((standing, status))
}

/// Results of the measurements of a command.
struct Measured {
    /// Whether an agent connected.
    was_anybody: bool,
    /// Process ids of the measured programs that may still run, in their order.
    programs: Vec<u32>,
    /// Whether the operator ended the measurement.
    interrupted: bool,
    /// The worst of their exit statuses.
    standing: ExitStatus,
}

/// Measures the command's JVM, or with `--each` one JVM after the other, each with files of its own.
async fn each(
    arguments: &Run,
    first: &Setup,
    files: (Output, Option<Resumed>),
    inputs: &mut Inputs,
    ended: &JoinHandle<Option<ProgramStatus>>,
) -> Result<Measured, String> {
    let (mut files, mut turned_away) = (Some(files), BTreeSet::new());
    let (mut was_anybody, mut programs, mut worst) = (false, Vec::new(), None);
    let progress = Progress::of(first, arguments.common.quiet, arguments.common.verbose);
    loop {
        let mut setup = first.clone();
        let (output, resumed) = match files.take() {
            Some(files) => files,
            None => {
                let note = numbered::choose(&mut setup, false)?;
                note.into_iter().for_each(|note| progress.note(&note));
                Output::open(&setup, !setup.config.numbers_runs())?
            }
        };
        let showing = Showing::new(&setup, &arguments.common, &arguments.reports);
        let session = Session::new(&setup, setup.scheduler()?, output, resumed, showing);
        let session = session.until(arguments.until.until()).which(arguments.which.which());
        let mut session = session.after(turned_away);
        measure::drive(&mut session, inputs).await;
        let is_first = worst.is_none();
        if is_first || session.ever_connected() {
            if let Some(looking) = &arguments.looking {
                looking.say(&mut session, arguments.common.quiet);
            } else {
                let page = reports::write(&mut session, &setup, &arguments.reports);
                reports::say(&session, &setup, page.as_deref(), &progress);
            }
            worst = Some(worse(worst, session.standing()));
        }
        was_anybody |= session.ever_connected();
        programs.extend(session.programs());
        let interrupted = session.was_interrupted();
        turned_away = session.turned_away().clone();
        let is_over =
            session.has_command_ended() || ended.is_finished() || interrupted || !session.ever_connected();
        drop(session);
        if !is_first {
            numbered::give_back(&setup, first);
        }
        if is_over || !arguments.which.each {
            return Ok(Measured {
                was_anybody,
                programs,
                interrupted,
                standing: worst.unwrap_or(ExitStatus::SomeUndecided),
            });
        }
        progress.note("waiting for the command's next JVM");
    }
}

/// Starts the program; in the foreground of a terminal without effect of Ctrl-C on it, where that is
/// possible.
fn start(arguments: &Run, library: &Path, socket: &Path, in_foreground: bool) -> Result<Child, String> {
    let options = format!("spl.client.socket={}", socket.display());
    let launch = program::with_agent(&arguments.command, library, &options, arguments.which.wants_children());
    let cannot = |error: io::Error| program::cannot_start(&launch.command[0], &error);
    let shielded = if in_foreground { foreground::shielded(&launch.command).map_err(cannot)? } else { None };
    let command = shielded.as_ref().unwrap_or(&launch.command);
    Command::new(&command[0]).args(&command[1..]).envs(launch.environment.clone()).spawn().map_err(cannot)
}

/// Waits for the program's end in the foreground of a terminal. The measurement has ended by the first Ctrl-C
/// or by itself. The next Ctrl-C asks the program to end, and the one after that leaves it running, as does a
/// signal that asks only this process to end. `None` when the program goes on.
async fn until_asked_again(
    mut ended: JoinHandle<Option<ProgramStatus>>,
    inputs: &mut Inputs,
    was_interrupted: bool,
    processes: &[u32],
) -> Option<ProgramStatus> {
    // An interrupt that ended the measurement is reported here first.
    let mut so_far = if was_interrupted { 0 } else { 1 };
    loop {
        tokio::select! {
            status = &mut ended => return status.ok().flatten(),
            interrupt = inputs.interrupted() => match (interrupt?, so_far) {
                (Interrupt::Key, 0) => so_far = 1,
                (Interrupt::Key, 1) => {
                    processes.iter().for_each(|&process| foreground::end(process));
                    so_far = 2;
                }
                (Interrupt::Key | Interrupt::Termination, _) => return None,
            },
        }
    }
}

async fn wait(mut child: Child, inputs: Sender<Input>) -> Option<ProgramStatus> {
    let status = child.wait().await.ok();
    // The session may have ended before the program.
    let _ = inputs.send(Input::Ended).await;
    status
}

fn report_program(progress: &Progress, status: Option<ProgramStatus>) {
    let Some(status) = status else { return progress.note("the program goes on") };
    match (status.code(), status.signal()) {
        (Some(code), _) => progress.note(&format!("the program ended with status {code}")),
        (None, Some(number)) => progress.note(&format!("the program was ended by signal {number}")),
        (None, None) => {}
    }
}
