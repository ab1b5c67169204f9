//! `spl run`: the controller and the program together.

use crate::cli::Run;
use crate::drill::why;
use crate::each::{self, Described};
use crate::foreground;
use crate::looking::Looking;
use crate::program;
use crate::progress::Progress;
use crate::reading;
use crate::stopping;
use crate::tasks::Open;
use crate::tryout;
use crate::unmeasured::{self, Trouble};
use spl_lang::RunMode;
use spl_session::agents::Input;
use spl_session::door::PrivateSocket;
use spl_session::files::check_folders;
use spl_session::measure::{self, Inputs, Interrupt};
use spl_session::numbered;
use spl_session::output::Output;
use spl_session::session::KILLED_EARLY;
use spl_session::setup::Setup;
use spl_verdict::ExitStatus;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus as ProgramStatus;
use std::time::Duration;
use tokio::process::Child;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::Sender;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Time that the end of the program waits to become an input.
const LAST_INPUT: Duration = Duration::from_secs(5);
/// Mistake of a command line.
const EACH_AND_DRILL: &str = "--each measures one JVM after the other, and while the reasons of failed claims (--drill failed, or \
                              claims = failed in [drill]) are looked for in one, the next one would wait: leave out --each, or \
                              say --drill none";

/// Runs the program and its measurement.
///
/// # Errors
/// When the measurement could not begin because of an operator's mistake, or with `--require` for any reason,
/// as text for the operator. The program was not started then.
pub fn run(arguments: &Run) -> Result<u8, String> {
    check_folders(arguments.reports.files())?;
    let progress = Progress::new(arguments.common.quiet);
    let (mut setup, _, open) =
        reading::read(&arguments.common, &arguments.command, &mut |text| progress.note(text))?;
    if arguments.looking.is_some() {
        Looking::prepare(&mut setup);
    }
    if arguments.which.each && setup.config.drills() {
        return Err(EACH_AND_DRILL.to_owned());
    }
    let until = arguments.until.until(&setup.config);
    if open.is_none() || setup.config.scheduler.mode == RunMode::Measurement {
        setup.can_be_decided(&until)?;
    }
    if let Some(note) = numbered::choose(&mut setup, arguments.common.replace)? {
        progress.note(&note);
    }
    let code = |status: ExitStatus, program: Option<ProgramStatus>| {
        program.filter(|_| arguments.program_status).map_or(status.code(), stopping::code)
    };
    match measured(arguments, &setup, open.as_ref()) {
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

fn measured(arguments: &Run, setup: &Setup, open: Option<&Open>) -> Result<Came, Trouble> {
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
    let files = if open.is_none() { Some(Output::open(setup, false)?) } else { None };
    let tasks = Described { setup, open, files };
    Ok(runtime.block_on(together(arguments, library, tasks, (socket, inputs)))?)
}

async fn together(
    arguments: &Run,
    library: &Path,
    tasks: Described<'_>,
    (socket, mut inputs): (PrivateSocket, Inputs),
) -> Result<Came, String> {
    let in_foreground = foreground::is_ours();
    if in_foreground {
        // Ctrl-\ asks a JVM for its threads. Watching the signal keeps it from ending this process.
        let _watched = signal(SignalKind::quit()).map_err(|e| format!("cannot watch for signals: {e}"))?;
    }
    let options = arguments.instance.added_to(format!("spl.client.socket={}", socket.path().display()));
    let launch = program::with_agent(&arguments.command, library, &options, arguments.which.wants_children());
    let child = foreground::start(&launch, in_foreground)?;
    let launched = child.id();
    let config = tasks.setup.config.clone();
    let door = tokio::spawn(socket.accept(inputs.sender()));
    let ended = tokio::spawn(wait(child, inputs.sender()));
    let came = each::measure(arguments, tasks, &mut inputs, &ended).await?;
    if let Some(mut last) = came.last {
        // Its number may be that of another process by now.
        last.programs.retain(|(pid, _)| !ended.is_finished() || Some(*pid) != launched);
        why::explain(&last, &config, &mut inputs, &Progress::new(arguments.common.quiet)).await;
    }
    let was_interrupted = came.interrupted || inputs.is_interrupted();
    // The agents are dormant or gone, so the socket is not needed any more.
    door.abort();
    let progress = Progress::new(arguments.common.quiet);
    let over = || progress.note("the measurement is over: tasks and settings are not read again");
    let status = if arguments.stop_program {
        stopping::stop(ended, launched, &came.programs, |text| progress.note(text)).await
    } else if in_foreground {
        let processes = [launched, came.programs.last().copied()].into_iter().flatten().collect::<Vec<_>>();
        if !ended.is_finished() {
            progress.note("the measurement is over, the program goes on; Ctrl-C ends it too");
        }
        until_asked_again(ended, (&mut inputs, &over), was_interrupted, &processes).await
    } else {
        tokio::select! {
            status = ended => status.ok().flatten(),
            // An interrupt, new or pending, leaves the program running.
            _ = inputs.interrupted_after(over) => None,
        }
    };
    report_program(&progress, status);
    if !came.was_anybody && came.standing != ExitStatus::Error {
        let was_killed = status.is_some_and(|status| status.signal().is_some());
        progress.problem(if was_interrupted {
            "nothing was measured: it was interrupted before an agent connected. If that took long, the command may start no JVM, or \
             ignore JAVA_TOOL_OPTIONS"
        } else if was_killed {
            KILLED_EARLY
        } else {
            "no agent connected: the command started no JVM, or one that ended at once or ignores JAVA_TOOL_OPTIONS; \
             try the command by itself, and let it start java directly"
        });
    }
    let standing = if came.was_anybody { came.standing } else { ExitStatus::Error };
    Ok((standing, status))
}

/// Waits for the program's end in the foreground of a terminal. The measurement has ended by the first Ctrl-C
/// or by itself. The next Ctrl-C asks the program to end, and the one after that leaves it running, as does a
/// signal that asks only this process to end. `None` when the program goes on.
async fn until_asked_again(
    mut ended: JoinHandle<Option<ProgramStatus>>,
    (inputs, over): (&mut Inputs, &impl Fn()),
    was_interrupted: bool,
    processes: &[u32],
) -> Option<ProgramStatus> {
    // An interrupt that ended the measurement is reported here first.
    let mut so_far = if was_interrupted { 0 } else { 1 };
    loop {
        tokio::select! {
            status = &mut ended => return status.ok().flatten(),
            interrupt = inputs.interrupted_after(over) => match (interrupt?, so_far) {
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
    let by_signal = status.is_some_and(|status| status.signal().is_some());
    // The session may have ended before the program; then nobody takes inputs.
    let _ = timeout(LAST_INPUT, inputs.send(Input::Ended { by_signal })).await;
    status
}

fn report_program(progress: &Progress, status: Option<ProgramStatus>) {
    let Some(status) = status else { return progress.note("the program goes on") };
    progress.program_ended(status);
}
