//! `spl serve` and `spl client`: controller and program in two terminals (the thesis's `runServer.sh`,
//! `runClient.sh`).

use crate::asking::{self, Found, Needs, NotFound, Search};
use crate::cli::{Client, Serve};
use crate::drill::why;
use crate::manual::{self, Manual};
use crate::program;
use crate::progress::Progress;
use crate::reading;
use crate::reload;
use crate::reports;
use crate::said;
use crate::showing::Showing;
use crate::tasks::Open;
use crate::tryout;
use crate::unmeasured::{self, Trouble};
use spl_classes::Catalogue;
use spl_lang::RunMode;
use spl_session::door;
use spl_session::files::check_folders;
use spl_session::measure::{self, Inputs};
use spl_session::numbered;
use spl_session::output::Output;
use spl_session::resume::Resumed;
use spl_session::session::{Next, Session};
use spl_session::setup::Setup;
use spl_session::which::Which;
use spl_verdict::ExitStatus;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// Mistake of a command line.
const MANUAL_AND_DRILL: &str = "--manual judges nothing, so there are no failed claims whose reasons could be looked for (--drill \
                                failed, or claims = failed in [drill]): leave out --manual, or say --drill none";

/// Measures the programs that connect, one after the other.
///
/// # Errors
/// When serving could not begin, as text for the operator.
pub fn serve(arguments: &Serve) -> Result<ExitStatus, String> {
    refuse_what_needs_a_parent(arguments)?;
    check_folders(arguments.reports.files())?;
    let progress = Progress::new(arguments.common.quiet);
    let (mut setup, _, open) = reading::read(&arguments.common, &[], &mut |text| progress.note(text))?;
    if open.is_none() || setup.config.scheduler.mode == RunMode::Measurement {
        setup.can_be_decided(&arguments.until.until(&setup.config))?;
    }
    if arguments.manual && setup.config.drills() {
        return Err(MANUAL_AND_DRILL.to_owned());
    }
    if arguments.manual && open.is_some() {
        return Err(
            "--manual measures methods that are known before: name the program's classes with --classpath"
                .to_owned(),
        );
    }
    if !arguments.manual
        && let Some(note) = numbered::choose(&mut setup, arguments.common.replace)?
    {
        progress.note(&note);
    }
    measure::in_event_loop(one_by_one(arguments, &setup, open.as_ref()))
}

/// Refuses options about a program that `spl run` starts: `spl serve` is not the parent of the programs that it measures.
fn refuse_what_needs_a_parent(arguments: &Serve) -> Result<(), String> {
    if arguments.stop_program {
        return Err(
            "--stop-program: spl serve has not started the programs that it measures and ends none of them; \
            start the program with `spl run --stop-program`"
                .to_owned(),
        );
    }
    if arguments.program_status {
        return Err(
            "--program-status: spl serve does not learn the status of a program that it has not started; \
            `spl client` becomes the program, so its status is the program's"
                .to_owned(),
        );
    }
    Ok(())
}

async fn one_by_one(arguments: &Serve, setup: &Setup, open: Option<&Open>) -> Result<ExitStatus, String> {
    let port = arguments.port.unwrap_or(setup.config.port);
    let listener = door::listen(port).await?;
    let port = listener.local_addr().map_err(|e| format!("cannot find out the port: {e}"))?.port();
    // The files come after the port, which may be taken, and before the token: a failure then replaces no old
    // result and leaves no token behind.
    let files = if arguments.manual || open.is_some() { None } else { Some(Output::open(setup, false)?) };
    let token_file = match &arguments.token_file {
        Some(path) => path.clone(),
        None => door::default_token_file(port)?,
    };
    let token = door::write_token(&token_file)?;
    let progress = Progress::new(arguments.common.quiet);
    let mut inputs = Inputs::new()?;
    let door = tokio::spawn(door::accept(listener, token, inputs.sender()));
    progress
        .note(&format!("listening on port {port} of this machine; the token is in {}", token_file.display()));
    let status = if arguments.manual {
        Ok(by_hand(arguments, setup, &mut inputs).await)
    } else {
        measured(arguments, (setup, open), files, &mut inputs).await
    };
    door.abort();
    // The token is useless now, even if its file cannot be removed.
    let _ = std::fs::remove_file(&token_file);
    status
}

/// Measures one program after the other; the files of the first are open already where its methods are known.
async fn measured(
    arguments: &Serve,
    (first, open): (&Setup, Option<&Open>),
    files: Option<(Output, Option<Resumed>)>,
    inputs: &mut Inputs,
) -> Result<ExitStatus, String> {
    let (mut worst, mut before, mut jvm) = (None, None, Catalogue::default());
    let (mut first, mut open) = (first.clone(), open.cloned());
    let mut files = files.map(|(output, resumed)| (first.clone(), output, resumed));
    let mut are_opened = files.is_some();
    loop {
        let (setup, output, resumed) = match files.take() {
            Some(files) => files,
            None => {
                let mut setup = first.clone();
                // Another session in the place of an earlier one has its methods.
                if let Some(open) = open.as_ref().filter(|_| before.is_none()) {
                    match asked(arguments, &first, open, inputs).await? {
                        Ok((known, classes)) => (setup, jvm) = (known, classes),
                        Err(not_found) => {
                            let progress = Progress::new(arguments.common.quiet);
                            if not_found.say(&progress) {
                                worst = Some(worse(worst, ExitStatus::Error));
                            }
                            if arguments.once || not_found.interrupted {
                                return Ok(worst.unwrap_or(ExitStatus::SomeUndecided));
                            }
                            progress.note("waiting for the next program");
                            continue;
                        }
                    }
                }
                // Earlier measurements stay: each program has a folder, or its data are appended.
                if let Some(note) = numbered::choose(&mut setup, false)? {
                    Progress::new(arguments.common.quiet).note(&note);
                }
                let (output, resumed) = Output::open(&setup, are_opened && !setup.config.numbers_runs())?;
                (setup, output, resumed)
            }
        };
        are_opened = true;
        let setup = &setup;
        let progress = Progress::of(setup, arguments.common.quiet, arguments.common.verbose);
        let showing = Showing::new(setup, &arguments.common, &arguments.reports);
        let session = Session::new(setup, setup.scheduler()?, output, resumed, showing).at_port();
        let until = arguments.until.until(&setup.config);
        let mut session = reload::begun(session.until(until.clone()), before.take());
        let sources = (&arguments.common, &[][..], &until);
        if let Some(next) = reload::drive(&mut session, inputs, setup, sources, &mut jvm).await {
            drop(session);
            numbered::give_back(setup, &first);
            (first, files, open) = (next.base, next.files, next.open);
            before = Some(next.handed);
            continue;
        }
        if session.ever_connected() {
            let page = reports::write(&mut session, setup, &arguments.reports);
            reports::say(&session, setup, page.as_deref(), &progress);
            worst = Some(worse(worst, session.standing()));
            let over = why::Measured::of(&session, setup);
            drop(session);
            // Programs that come meanwhile wait, unmeasured.
            why::explain(&over, &setup.config, inputs, &progress).await;
        } else {
            drop(session);
            numbered::give_back(setup, &first);
        }
        if arguments.once || inputs.was_interrupted() {
            // Without a measurement nothing was decided.
            return Ok(worst.unwrap_or(ExitStatus::SomeUndecided));
        }
        progress.note("waiting for the next program");
    }
}

/// The setup with the methods of a program that has connected, or the end of the search for them.
async fn asked(
    arguments: &Serve,
    first: &Setup,
    open: &Open,
    inputs: &mut Inputs,
) -> Result<Result<(Setup, Catalogue), NotFound>, String> {
    let progress = Progress::new(arguments.common.quiet);
    let (needs, until) = (Needs::Methods(open), arguments.until.until(&first.config));
    let search = Search { needs, which: Which::default(), until, at_port: true, loaded: false, alone: false };
    match asking::ask(&search, inputs, &progress).await {
        Ok(Found { program, classes, .. }) => {
            let setup = reading::known(first, program, &mut |text| progress.note(text))?;
            Ok(Ok((setup, classes)))
        }
        Err(not_found) => Ok(Err(not_found)),
    }
}

/// Measures by hand, where [`measured`] does it by a schedule.
async fn by_hand(arguments: &Serve, setup: &Setup, inputs: &mut Inputs) -> ExitStatus {
    let (mut lines, mut worst) = (manual::lines(), None);
    loop {
        let mut manual = Manual::new(setup, arguments.common.quiet);
        let next = manual.drive(inputs, &mut lines).await;
        let status = worse(worst, manual.standing());
        if arguments.once || next == Next::Over {
            return status;
        }
        worst = Some(status);
        Progress::new(arguments.common.quiet).note("waiting for the next program");
    }
}

/// The first of two exit statuses in the order error, failed, undecided, all hold.
pub fn worse(one: Option<ExitStatus>, other: ExitStatus) -> ExitStatus {
    let order = [ExitStatus::Error, ExitStatus::SomeFail, ExitStatus::SomeUndecided];
    order.into_iter().find(|status| one == Some(*status) || other == *status).unwrap_or(ExitStatus::AllHold)
}

/// Replaces this process by the program, with the agent in it.
///
/// # Errors
/// When the program could not be started; otherwise this does not return.
pub fn client(arguments: &Client) -> Result<ExitStatus, String> {
    let (library, token_file) = match ready(arguments) {
        Ok(ready) => ready,
        Err(Trouble::Obstacle(why)) if !arguments.require => {
            said::say(&format!("error: {}", unmeasured::warning(&why)));
            let (program, rest) = (&arguments.command[0], &arguments.command[1..]);
            return Err(program::cannot_start(program, &Command::new(program).args(rest).exec()));
        }
        Err(Trouble::Obstacle(why) | Trouble::Mistake(why)) => return Err(why),
    };
    let token_file =
        std::path::absolute(&token_file).map_err(|e| format!("{}: {e}", token_file.display()))?;
    if token_file.as_os_str().as_encoded_bytes().contains(&b',') {
        return Err(format!("{}: the path of the token file must not contain a comma", token_file.display()));
    }
    let options =
        format!("spl.client.port={},spl.client.token-file={}", arguments.port, token_file.display());
    let options = arguments.instance.added_to(options);
    let launch = program::with_agent(&arguments.command, &library, &options, false);
    let program = &launch.command[0];
    let error = Command::new(program).args(&launch.command[1..]).envs(launch.environment).exec();
    Err(program::cannot_start(program, &error))
}

/// The library for a program's JVM, and the path of its token.
fn ready(arguments: &Client) -> Result<(PathBuf, PathBuf), Trouble> {
    let library = unmeasured::library(arguments.agent.as_deref())?;
    if let Some(why) = tryout::try_out(&arguments.command, &library)? {
        return Err(Trouble::Obstacle(why));
    }
    let token_file = match &arguments.token_file {
        Some(path) => path.clone(),
        None => door::default_token_file(arguments.port).map_err(Trouble::Obstacle)?,
    };
    Ok((library, token_file))
}
