//! `spl attach` and `spl detach`: the measurement of a program that runs already.

use crate::asking::{self, Found, Needs, NotFound, Search};
use crate::attached::{self, agree, enter, left, socket, watch};
use crate::cli::{Attach, Detach};
use crate::drill::{FOR_AN_AGENT, why};
use crate::program;
use crate::progress::Progress;
use crate::reading;
use crate::reports;
use crate::showing::Showing;
use crate::tasks::Open;
use crate::unmeasured;
use spl_attach::system::Target;
use spl_lang::RunMode;
use spl_session::door::PrivateSocket;
use spl_session::files::check_folders;
use spl_session::measure::{self, Inputs, Returned};
use spl_session::numbered;
use spl_session::output::Output;
use spl_session::session::Session;
use spl_session::setup::Setup;
use spl_session::which::Which;
use spl_verdict::ExitStatus;
use std::path::Path;
use std::sync::Arc;

/// Mistake of a command line.
const ELSEWHERE: &str = "it is in a container of its own, and the counts by which the reasons of failed claims are found (--drill \
                         failed, or claims = failed in [drill]) can be read only from inside: run spl in the container, or say \
                         --drill none";

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
        setup.can_be_decided(&arguments.until.until(&setup.config))?;
    }
    if setup.config.drills() && attached::is_elsewhere(&target) {
        return Err(of_it(&ELSEWHERE));
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
    if !socket.is_called(FOR_AN_AGENT) {
        return Err(of_it(&"the agent is in the JVM, and did not connect"));
    }
    let target = Arc::new(target);
    runtime.block_on(measured(
        arguments,
        (&setup, open.as_ref()),
        (&target, &library, &path),
        (socket, inputs),
    ))
}

async fn measured(
    arguments: &Attach,
    (first, open): (&Setup, Option<&Open>),
    (target, library, path): (&Arc<Target>, &Path, &Path),
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
                return Ok(left(target, library, path, &progress).unwrap_or(ExitStatus::Error));
            }
        },
    };
    let (output, resumed) = Output::open(setup, false)?;
    let showing = Showing::new(setup, &arguments.common, &arguments.reports);
    let session = Session::new(setup, setup.scheduler()?, output, resumed, showing).of_running(target.pid());
    let mut session = session.until(arguments.until.until(&setup.config));
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
    let mut over = why::Measured::of(&session, setup);
    drop(session);
    // In a container it may know another number of itself.
    over.programs.iter_mut().for_each(|(pid, _)| *pid = target.pid());
    why::explain(&over, &setup.config, &mut inputs, &progress).await;
    Ok(left(target, library, path, &progress).unwrap_or(status))
}

/// The setup with the methods of the JVM, or the end of the search for them.
async fn asked(
    arguments: &Attach,
    first: &Setup,
    open: &Open,
    inputs: &mut Inputs,
) -> Result<Result<Setup, NotFound>, String> {
    let progress = Progress::new(arguments.common.quiet);
    let (needs, until) = (Needs::Methods(open), arguments.until.until(&first.config));
    let search = Search { needs, which: Which::default(), until, at_port: true, loaded: false, alone: true };
    match asking::ask(&search, inputs, &progress).await {
        Ok(Found { program, .. }) => reading::known(first, program, &mut |text| progress.note(text)).map(Ok),
        Err(not_found) => Ok(Err(not_found)),
    }
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
