//! The measurements of a command: of one JVM, or with `--each` of one JVM after the other.

use crate::asking::{self, Found, Needs, NotFound, Search};
use crate::cli::Run;
use crate::drill::why;
use crate::progress::Progress;
use crate::reading;
use crate::reload;
use crate::reports;
use crate::serve::worse;
use crate::showing::Showing;
use crate::tasks::Open;
use spl_classes::Catalogue;
use spl_session::measure::{self, Inputs, Returned};
use spl_session::numbered;
use spl_session::output::Output;
use spl_session::resume::Resumed;
use spl_session::session::Session;
use spl_session::setup::Setup;
use spl_verdict::ExitStatus;
use std::collections::BTreeSet;
use std::process::ExitStatus as ProgramStatus;
use tokio::task::JoinHandle;

/// The tasks of a command's measurements.
pub struct Described<'a> {
    /// Without claims while methods are open.
    pub setup: &'a Setup,
    /// The tasks whose methods have to be looked up in a JVM.
    pub open: Option<&'a Open>,
    /// The files of the first measurement, opened where its methods are known.
    pub files: Option<(Output, Option<Resumed>)>,
}

/// Results of the measurements of a command.
#[derive(Debug)]
pub struct Measured {
    /// Whether an agent connected.
    pub was_anybody: bool,
    /// Process ids of the measured programs that may still run, in their order.
    pub programs: Vec<u32>,
    /// Whether the operator ended the measurement.
    pub interrupted: bool,
    /// The worst of their exit statuses.
    pub standing: ExitStatus,
    /// The last measurement, for the reasons of its failed claims.
    pub last: Option<why::Measured>,
}

/// Results and JVMs of the measurements so far.
#[derive(Default)]
struct Rounds {
    was_anybody: bool,
    programs: Vec<u32>,
    worst: Option<ExitStatus>,
    last: Option<why::Measured>,
    /// Refused connections that are not yet closed.
    turned_away: BTreeSet<u64>,
    /// Process ids of the JVMs that waited for their turn.
    waited: BTreeSet<u32>,
    /// Process ids of the JVMs that had their turn, or have none of the classes.
    settled: BTreeSet<u32>,
}

/// Measures the command's JVM, or with `--each` one JVM after the other, each with files of its own.
///
/// # Errors
/// When files cannot be opened; one line of text.
pub async fn measure(
    arguments: &Run,
    Described { setup: first, open, files }: Described<'_>,
    inputs: &mut Inputs,
    ended: &JoinHandle<Option<ProgramStatus>>,
) -> Result<Measured, String> {
    let mut rounds = Rounds::default();
    let (mut base, mut open, mut before) = (first.clone(), open.cloned(), None);
    let mut files = files.map(|(output, resumed)| (first.clone(), output, resumed));
    let (common, until) = (&arguments.common, arguments.until.until(&first.config));
    let mut jvm = Catalogue::default();
    loop {
        let is_first = rounds.worst.is_none();
        let (setup, output, resumed) = match files.take() {
            Some(files) => files,
            None => {
                let mut setup = base.clone();
                // Another session in the place of an earlier one has its methods.
                if before.is_none() && (open.is_some() || !is_first) {
                    let needs = open.as_ref().map_or(Needs::Class(&base.program), Needs::Methods);
                    match search(arguments, &base, needs, is_first, inputs).await? {
                        Ok((known, found)) => {
                            rounds.turned_away.extend(found.refused);
                            (setup, jvm) = (known, found.classes);
                        }
                        Err(not_found) => return Ok(rounds.without_methods(not_found, arguments)),
                    }
                }
                let note = numbered::choose(&mut setup, false)?;
                note.into_iter().for_each(|note| Progress::new(common.quiet).note(&note));
                let (output, resumed) = Output::open(&setup, !setup.config.numbers_runs() && !is_first)?;
                (setup, output, resumed)
            }
        };
        let showing = Showing::new(&setup, common, &arguments.reports);
        let session = Session::new(&setup, setup.scheduler()?, output, resumed, showing);
        let session = session.until(until.clone()).which(arguments.which.which());
        let session = session.after(std::mem::take(&mut rounds.turned_away));
        let mut session = reload::begun(session, before.take());
        // Tasks that `spl top` makes are in no file.
        let next = if arguments.looking.is_some() {
            while measure::drive(&mut session, inputs).await == Returned::Reload {}
            None
        } else {
            let sources = (common, &arguments.command[..], &until);
            reload::drive(&mut session, inputs, &setup, sources, &mut jvm).await
        };
        if let Some(next) = next {
            rounds.was_anybody |= session.ever_connected();
            drop(session);
            numbered::give_back(&setup, &base);
            (base, files, open) = (next.base, next.files, next.open);
            before = Some(next.handed);
            continue;
        }
        rounds.take(arguments, &setup, &mut session);
        let interrupted = session.was_interrupted();
        let is_over =
            session.has_command_ended() || ended.is_finished() || interrupted || !session.ever_connected();
        drop(session);
        if !is_first {
            numbered::give_back(&setup, &base);
        }
        if is_over || !arguments.which.each {
            return Ok(rounds.over(interrupted, arguments));
        }
        Progress::new(arguments.common.quiet).note("waiting for the command's next JVM");
    }
}

/// The setup for a JVM that has what is needed, or the end of the search. A
/// later measurement is of a JVM that has loaded a class of the tasks: a build tool may have them in its class path.
async fn search(
    arguments: &Run,
    first: &Setup,
    needs: Needs<'_>,
    is_first: bool,
    inputs: &mut Inputs,
) -> Result<Result<(Setup, Found), NotFound>, String> {
    let progress = Progress::new(arguments.common.quiet);
    let (which, until) = (arguments.which.which(), arguments.until.until(&first.config));
    let alone = arguments.which.each && first.config.programs == 1;
    let search = Search { needs, which, until, at_port: false, loaded: !is_first, alone };
    match asking::ask(&search, inputs, &progress).await {
        Ok(mut found) => {
            let program = std::mem::take(&mut found.program);
            let setup = reading::known(first, program, &mut |text| progress.note(text))?;
            Ok(Ok((setup, found)))
        }
        Err(not_found) => Ok(Err(not_found)),
    }
}

impl Rounds {
    /// Takes the results of a measurement, and writes them for the operator.
    fn take(&mut self, arguments: &Run, setup: &Setup, session: &mut Session<'_>) {
        if self.worst.is_none() || session.ever_connected() {
            if let Some(looking) = &arguments.looking {
                looking.say(session, arguments.common.quiet);
            } else {
                let progress = Progress::of(setup, arguments.common.quiet, arguments.common.verbose);
                let page = reports::write(session, setup, &arguments.reports);
                reports::say(session, setup, page.as_deref(), &progress);
            }
            self.worst = Some(worse(self.worst, session.standing()));
            self.last = Some(why::Measured::of(session, setup));
        }
        self.was_anybody |= session.ever_connected();
        self.programs.extend(session.programs());
        self.turned_away = session.turned_away().clone();
        self.waited.extend(session.waiting());
        self.settled.extend(session.measured());
    }

    /// The end when no further JVM has the methods: an error if none had them.
    fn without_methods(mut self, not_found: NotFound, arguments: &Run) -> Measured {
        let progress = Progress::new(arguments.common.quiet);
        let interrupted = not_found.interrupted;
        self.programs.extend(&not_found.programs);
        self.settled.extend(&not_found.without);
        if self.worst.is_none() && not_found.say(&progress) {
            self.worst = Some(ExitStatus::Error);
            self.was_anybody = true;
        }
        self.over(interrupted, arguments)
    }

    /// The end of all measurements. Says which JVMs waited for nothing.
    fn over(self, interrupted: bool, arguments: &Run) -> Measured {
        let missed: Vec<String> = self.waited.difference(&self.settled).map(u32::to_string).collect();
        if arguments.which.each && !missed.is_empty() {
            Progress::new(arguments.common.quiet).note(&format!(
                "- pid {} waited and was not measured: it ended while another JVM was, or has none of the classes; let each JVM \
                 run longer, end each measurement earlier (--until-decided, --for), or measure several together (programs = N)",
                missed.join(", ")
            ));
        }
        let standing = self.worst.unwrap_or(ExitStatus::SomeUndecided);
        Measured {
            was_anybody: self.was_anybody,
            programs: self.programs,
            interrupted,
            standing,
            last: self.last,
        }
    }
}
