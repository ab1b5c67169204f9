//! `spl run`: the controller and the program together.

use crate::cli::Run;
use crate::door::PrivateSocket;
use crate::files::check_folders;
use crate::measure::{self, Inputs};
use crate::output::Output;
use crate::program;
use crate::progress::Progress;
use crate::session::{Input, Session};
use crate::setup::Setup;
use spl_verdict::ExitStatus;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus as ProgramStatus;
use tokio::process::{Child, Command};
use tokio::sync::mpsc::Sender;

/// Runs the program and its measurement.
///
/// # Errors
/// When the measurement could not begin, as text for the operator. The program was not started then.
pub fn run(arguments: &Run) -> Result<ExitStatus, String> {
    check_folders(arguments.reports.files())?;
    let setup = Setup::read(&arguments.common, &arguments.command)?;
    let library = program::library(arguments.agent.as_deref())?;
    program::try_out(&arguments.command, &library)?;
    let (output, resumed) = Output::open(&setup, false)?;
    let session = Session::new(&setup, setup.scheduler()?, output, resumed, None, &arguments.reports);
    measure::in_event_loop(together(arguments, &library, &setup, session))
}

async fn together(
    arguments: &Run,
    library: &Path,
    setup: &Setup,
    mut session: Session<'_>,
) -> Result<ExitStatus, String> {
    let mut inputs = Inputs::new()?;
    let socket = PrivateSocket::open()?;
    let child = start(arguments, library, &socket.path())?;
    let door = tokio::spawn(socket.accept(inputs.sender()));
    let ended = tokio::spawn(wait(child, inputs.sender()));
    measure::drive(&mut session, &mut inputs).await;
    // The agent is dormant or gone: nobody needs the socket any more.
    door.abort();
    session.report();
    let status = tokio::select! {
        status = ended => status.ok().flatten(),
        // An interrupt, now or before, leaves the program alone.
        () = inputs.interrupted() => None,
    };
    let progress = setup.progress();
    report_program(&progress, status);
    progress.lost(session.lost());
    session.table();
    if !session.ever_connected() {
        if session.standing() == ExitStatus::Error {
            // An agent came and could not be used; that was said.
            return Ok(ExitStatus::Error);
        }
        progress.problem(
            "no agent connected: the command started no JVM, or one that ended at once or ignores JAVA_TOOL_OPTIONS; \
             try the command by itself, and let it start java directly",
        );
        return Ok(ExitStatus::Error);
    }
    Ok(session.standing())
}

fn start(arguments: &Run, library: &Path, socket: &Path) -> Result<Child, String> {
    let options = format!("spl.client.socket={}", socket.display());
    let launch = program::with_agent(&arguments.command, library, &options);
    let program = &launch.command[0];
    Command::new(program)
        .args(&launch.command[1..])
        .envs(launch.environment)
        .spawn()
        .map_err(|error| program::cannot_start(program, &error))
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
