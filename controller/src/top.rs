//! `spl top`: the most called methods of a program, and the methods with the most time.
//!
//! Many methods are looked at, few at once: methods that are not called wait behind open gates, and called methods
//! have places in turn, within the overhead budget. The figures are those of the calls that were taken.

use crate::cli::{Changes, Common, Ending, Instance, Jvms, Reports, Run, Top};
use crate::looking::Looking;
use crate::progress::Progress;
use crate::{methods, run};
use spl_classes::{Catalogue, Known};
use spl_model::MethodRef;
use spl_session::files::{check_folders, write_whole};
use spl_verdict::ExitStatus;

/// Bytes of bytecode below which a method is an accessor or does as little. Its calls cost less than a look at them,
/// so it is looked at only where it is named.
const LEAST_CODE: usize = 12;
/// Methods that have a place at once. The budget bounds what they cost together.
const PLACES: &str = "32";
/// Samples after which a method is not looked at any more.
const ENOUGH: &str = "1000";
/// Methods that are looked at where they are named: an agent has gates for a few more, all in all.
const MOST: usize = 4000;
/// Methods of the program's own classes that are looked at. Probes in every small method slow a program down.
const MOST_OWN: usize = 1000;

/// Looks at the methods of a program and says which are called most.
///
/// # Errors
/// When no method is meant or the program cannot be measured, as text for the operator. The program was not started
/// then.
pub fn top(arguments: &Top) -> Result<ExitStatus, String> {
    check_folders(arguments.json.as_deref())?;
    let all = wanted(arguments)?;
    let progress = Progress::new(arguments.quiet);
    let count = all.len();
    let found = largest(all, if arguments.methods.is_empty() { MOST_OWN } else { MOST });
    let which = if count > found.len() {
        format!("the {} largest of {count} methods", found.len())
    } else {
        format!("{count} {}", if count == 1 { "method" } else { "methods" })
    };
    progress.note(&format!("looking at {which} for {}", shown(arguments.longest.as_secs_f64())));
    // Nobody needs the samples afterwards.
    let folder = tempfile::Builder::new().prefix("spl-top-").tempdir();
    let folder = folder.map_err(|error| {
        format!("cannot make a folder for the samples: {error}; is there room in $TMPDIR?")
    })?;
    let tasks = folder.path().join("top.tasks");
    let lines: String = found.iter().map(|method| format!("{method}\n")).collect();
    write_whole(&tasks, lines.as_bytes())
        .map_err(|error| format!("cannot write {}: {error}", tasks.display()))?;
    let run = Run {
        common: Common {
            config: arguments.config.clone(),
            tasks: Some(tasks),
            out: Some(folder.path().join("out")),
            replace: false,
            changes: changes(arguments),
            classes: arguments.classes.clone(),
            quiet: arguments.quiet,
            verbose: false,
            plain: arguments.plain,
        },
        reports: Reports { json: None, junit: None, metrics: None },
        until: Ending { longest: Some(arguments.longest), until_decided: false },
        which: Jvms { main: arguments.main.clone(), ..Jvms::default() },
        instance: Instance::default(),
        stop_program: arguments.stop_program,
        program_status: false,
        agent: arguments.agent.clone(),
        require: true,
        command: arguments.command.clone(),
        looking: Some(Looking { limit: arguments.limit, json: arguments.json.clone() }),
    };
    let code = run::run(&run)?;
    Ok(if code == ExitStatus::AllHold.code() { ExitStatus::AllHold } else { ExitStatus::Error })
}

/// The settings of such a run; those of the command line beat them.
fn changes(arguments: &Top) -> Changes {
    let own = [
        ("run-mode", "measurement"),
        ("initial-optimal-measurements", PLACES),
        ("min-measuring-diff", "0"),
        ("max-method-measurements", ENOUGH),
        ("human-readable-measurements", "0"),
        // A closed gate costs a little for each call, and many methods are called very often.
        ("suspend-restore-after", "1000"),
    ];
    let own = own.iter().map(|(key, value)| format!("{key}={value}"));
    let budget = arguments.overhead_budget.iter().map(|budget| format!("overhead-budget={budget}"));
    Changes { set: own.chain(budget).chain(arguments.set.iter().cloned()).collect(), ..Changes::default() }
}

/// The methods to look at: those of the patterns, else of the program's own classes.
fn wanted(arguments: &Top) -> Result<Vec<Known>, String> {
    let mut catalogue = arguments.classes.places(&arguments.command).catalogue();
    let found = if arguments.methods.is_empty() {
        own_methods(&mut catalogue)?
    } else {
        let mut all = Vec::new();
        for pattern in &arguments.methods {
            let found = methods::look_up(pattern, &mut catalogue);
            all.extend(found.map_err(|why| format!("--methods {pattern}: {why}"))?);
        }
        all
    };
    let mut found: Vec<Known> =
        found.into_iter().filter(|known| known.obstacle().is_none() && !known.is_bridge()).collect();
    found.sort_by(|one, other| one.method.cmp(&other.method));
    found.dedup();
    if found.is_empty() {
        return Err("none of these methods has a body that could be measured; spl methods PATTERN says why"
            .to_owned());
    }
    Ok(found)
}

/// The methods with most bytecode, in the order of their names.
fn largest(mut all: Vec<Known>, most: usize) -> Vec<MethodRef> {
    all.sort_by_key(|known| std::cmp::Reverse(known.code_bytes));
    let mut found: Vec<MethodRef> = all.into_iter().take(most).map(|known| known.method).collect();
    found.sort();
    found
}

/// Methods of all classes that are not the JDK's, without constructors and the smallest ones.
fn own_methods(catalogue: &mut Catalogue) -> Result<Vec<Known>, String> {
    let classes: Vec<String> =
        catalogue.names().into_iter().filter(|name| !catalogue.is_of_jdk(name)).collect();
    let is_candidate =
        |known: &Known| known.kind() == "method" && known.code_bytes.is_some_and(|bytes| bytes >= LEAST_CODE);
    let found: Vec<Known> =
        classes.iter().flat_map(|class| catalogue.methods(class)).filter(is_candidate).collect();
    if found.is_empty() {
        return Err("the program's classes are not known: its command is not `java` with a class path or a JAR that has classes; \
                    name them with --classpath, or methods with --methods"
            .to_owned());
    }
    Ok(found)
}

/// A time in seconds or minutes.
fn shown(seconds: f64) -> String {
    if seconds >= 120.0 { format!("{:.0} min", seconds / 60.0) } else { format!("{seconds:.0} s") }
}
