//! `spl drill`: counts the blocks of methods exactly, or finds out which ones run, from the program's first class on.

mod arcs;
pub mod arriving;
mod beside;
mod budget;
mod called;
mod collected;
mod counters;
mod doubts;
mod durations;
mod failed;
mod files;
mod graphs;
mod growth;
mod kept;
mod marks;
mod measures;
mod page;
mod paths;
mod reasons;
mod rings;
mod search;
mod serving;
mod shown;
mod spec;
mod steps;
mod streaming;
mod taken;
pub mod traced;
pub mod why;

use crate::cli::{Drill, Process, TraceOrder, WhenFull};
use crate::every::Every;
use crate::progress::Progress;
use crate::sources::Sources;
use crate::{attached, foreground, program, tryout};
pub use collected::Profile;
pub use files::{METRICS, SERIES};
pub use marks::Interval;
use rings::Tracing;
pub use serving::LAST_MESSAGES;
use serving::{Counted, Orders, collect};
use spl_model::{DrillKind, OfCalls, Pattern, Scope, one_line};
use spl_session::agents::Input;
use spl_session::door::PrivateSocket;
use spl_session::measure::{self, Inputs};
use spl_verdict::ExitStatus;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus as ProgramStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};
use streaming::Stream;
use tokio::process::Child;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Milliseconds that a JVM waits before its first class for the drill to begin.
pub const WAIT_MS: u32 = 30_000;
/// Time that the agent of a JVM that runs already has to connect.
pub const FOR_AN_AGENT: Duration = Duration::from_secs(30);

/// Work in addition to a drill.
#[derive(Debug, Default)]
pub struct Along {
    /// Counts of intervals are kept.
    pub every: Option<Every>,
    /// The JVM's events are heard.
    pub listens: bool,
    /// The heap is looked at in the end.
    pub heap: bool,
}

/// Counts the blocks of a program's methods and writes what was counted.
///
/// # Errors
/// When the patterns are wrong, the program cannot be started with the agent, or nothing could be written; text
/// for the operator.
pub fn drill(arguments: &Drill) -> Result<ExitStatus, String> {
    match arguments.spec.as_deref().filter(|_| arguments.show) {
        Some(file) => spec::show(file),
        None if arguments.show => Err("--show needs --spec with the file of events to show".to_owned()),
        None => drilled(arguments, Along::default(), &mut |_, _| Ok(())).map(|(status, _)| status),
    }
}

/// Does the same, and gives the folder of the results, too. `along` is the work in addition to it. `each` gets the counts of each JVM,
/// with the folder that its files were written to.
///
/// # Errors
/// As [`drill`], and those of `each`.
pub fn drilled(
    arguments: &Drill,
    along: Along,
    each: &mut dyn FnMut(&Profile, &Path) -> Result<(), String>,
) -> Result<(ExitStatus, PathBuf), String> {
    let progress = Progress::new(arguments.quiet);
    let chosen = arguments.spec.as_deref().map(|file| spec::choose(file, arguments.no_classes, &progress));
    let chosen = chosen.transpose()?;
    let wanted = chosen.as_ref().map_or(&arguments.what[..], |chosen| &chosen.kinds);
    let what = kind(arguments, wanted)?;
    if arguments.budget.is_some() && !what.counts() {
        return Err(
            "--budget bounds what counting takes, and --what cover counts nothing; leave --budget out"
                .to_owned(),
        );
    }
    let mut sources = Sources::open(&arguments.sources)?;
    let mut orders = Orders {
        what,
        scope: scope(arguments)?,
        enough: None,
        longest: arguments.longest,
        budget: arguments.budget.map(|percent| percent / 100.0),
        tracing: None,
        every: along.every,
        listens: along.listens,
        heap: along.heap,
        first_by: None,
    };
    let library = program::library(arguments.agent.as_deref())?;
    let began = Instant::now();
    let (status, folder) = match arguments.attach {
        Some(pid) => {
            let (mut out, counted) = running(arguments, pid, &library, &mut orders, &progress)?;
            let status = results(arguments, &counted, (&mut out, &mut sources), began, &progress, each)?;
            (status, out.path().to_owned())
        }
        None => {
            if let Some(why) = tryout::try_out(&arguments.command, &library)? {
                return Err(why);
            }
            let mut out = files::Folder::make(&arguments.out, arguments.replace)?;
            orders.tracing = tracing(arguments, orders.what, out.path())?;
            let runtime = measure::event_loop()?;
            let _inside = runtime.enter();
            let doors = (PrivateSocket::open(&arguments.out)?, Inputs::new()?);
            let results = |counted: &Counted| {
                results(arguments, counted, (&mut out, &mut sources), began, &progress, each)
            };
            let status =
                runtime.block_on(launched(arguments, &library, &orders, doors, &progress, results))?;
            (status, out.path().to_owned())
        }
    };
    if let Some(chosen) = chosen.filter(|_| status == ExitStatus::AllHold) {
        chosen.say_totals(&folder, &progress);
    }
    Ok((status, folder))
}

/// The kind of drill for the wanted kinds, with the other arguments.
fn kind(arguments: &Drill, wanted: &[DrillKind]) -> Result<DrillKind, String> {
    let is_time = wanted.iter().any(|kind| matches!(kind, DrillKind::Time(_)));
    if is_time && wanted.len() > 1 {
        return Err("--what time goes with no other kind: counting would be part of the times; drill twice"
            .to_owned());
    }
    if is_time && arguments.budget.is_some() {
        return Err(
            "--budget bounds what counting takes, and --what time does not count; bound it with --for"
                .to_owned(),
        );
    }
    if is_time {
        return Ok(DrillKind::Time(arguments.clock.unwrap_or_default()));
    }
    if arguments.clock.is_some() {
        return Err("--clock is for --what time".to_owned());
    }
    let is_trace = wanted.iter().any(|kind| matches!(kind, DrillKind::Trace { .. }));
    if is_trace {
        let others = wanted.iter().filter(|kind| !matches!(kind, DrillKind::Trace { .. }));
        if others.clone().any(|kind| *kind != DrillKind::Blocks) {
            return Err("--what trace goes with blocks only, as a check; drill twice".to_owned());
        }
        if !arguments.within.is_empty() && others.clone().count() > 0 {
            return Err(
                "--within goes with --what trace alone: counters would count other calls, too".to_owned()
            );
        }
        if arguments.budget.is_some() {
            return Err(
                "--budget bounds what counting takes; bound --what trace with --for and --methods".to_owned()
            );
        }
        if arguments.stream.is_some() && arguments.no_classes {
            return Err("a trace cannot be read without the class files, which are in the stream: leave --no-classes out".to_owned());
        }
        return Ok(DrillKind::Trace { blocks: others.count() > 0 });
    }
    let is_of_traces = [
        arguments.full.is_some(),
        arguments.ring.is_some(),
        arguments.order.is_some(),
        arguments.receivers,
        arguments.timed,
        arguments.stream.is_some(),
        !arguments.within.is_empty(),
    ];
    if is_of_traces.contains(&true) {
        return Err(
            "--full, --ring, --order, --receivers, --timed, --stream and --within are for --what trace"
                .to_owned(),
        );
    }
    let paths = wanted.iter().any(|kind| matches!(kind, DrillKind::Paths { .. }));
    let beside = |kind: &DrillKind| !matches!(kind, DrillKind::Paths { .. } | DrillKind::Blocks);
    if paths && wanted.iter().any(beside) {
        return Err("--what paths goes with blocks and with no other kind; drill twice".to_owned());
    }
    if paths {
        return Ok(DrillKind::Paths { blocks: wanted.contains(&DrillKind::Blocks) });
    }
    // Calls tell blocks too.
    let order = [
        DrillKind::Calls(OfCalls::Entered),
        DrillKind::Calls(OfCalls::Receivers),
        DrillKind::Blocks,
        DrillKind::Cover,
    ];
    Ok(order.into_iter().find(|kind| wanted.contains(kind)).unwrap_or(DrillKind::Blocks))
}

/// How to trace, if that is asked for.
fn tracing(arguments: &Drill, what: DrillKind, folder: &Path) -> Result<Option<Tracing>, String> {
    if !matches!(what, DrillKind::Trace { .. }) {
        return Ok(None);
    }
    let open = |to: &String| Stream::open(to, arguments.replace).map(Arc::new);
    Ok(Some(Tracing {
        folder: folder.to_owned(),
        waits: arguments.full == Some(WhenFull::Wait),
        chunks: arguments.ring.unwrap_or(u8::MAX),
        is_within: !arguments.within.is_empty(),
        has_receivers: arguments.receivers,
        is_ordered: arguments.order == Some(TraceOrder::Total),
        keeps_classes: !arguments.no_classes,
        stream: arguments.stream.as_ref().map(open).transpose()?,
    }))
}

/// Writes and shows what was counted.
fn results(
    arguments: &Drill,
    counted: &Counted,
    (out, sources): (&mut files::Folder, &mut Sources),
    began: Instant,
    progress: &Progress,
    each: &mut dyn FnMut(&Profile, &Path) -> Result<(), String>,
) -> Result<ExitStatus, String> {
    if counted.profiles.is_empty() {
        return Err(nothing(arguments, counted.connected));
    }
    say_unknown(&arguments.methods, &counted.profiles, progress);
    say_unknown(&arguments.within, &counted.profiles, progress);
    let mut counts = false;
    for (number, profile) in (1..).zip(&counted.profiles) {
        let taken = taken::Taken { arguments, profile, seconds: began.elapsed().as_secs_f64() };
        let mut of_another = (number > 1).then(|| out.of_jvm(number)).transpose()?;
        let out = of_another.as_mut().unwrap_or(&mut *out);
        let is_time = matches!(profile.what, DrillKind::Time(_));
        if counted.profiles.len() > 1 {
            progress.note(&format!("JVM {number}, pid {}: {}", profile.pid, one_line(&profile.command)));
        }
        let mut of_traces = Vec::new();
        if let Some(traced) = &profile.traced {
            of_traces = doubts::of_traces(&profile.classes);
            // First: the other files may find no room, and these can be read without them.
            if traced.stream.is_none() {
                traced::write(traced, profile)?;
            }
            if arguments.receivers {
                traced::write_receivers(traced, profile)?;
            }
            out.archive(&taken)?;
        }
        if is_time {
            let all = durations::measured(profile);
            out.write_durations(&taken, &all)?;
            durations::say(&all, profile, arguments, (out.path(), &out.page()), progress);
        } else if profile.what == (DrillKind::Trace { blocks: false }) {
            out.write_trace(&taken, &of_traces)?;
        } else {
            let (figures, of_paths) = out.write(&taken, sources)?;
            shown::say(&figures, profile, arguments, (out.path(), &out.page()), progress);
            if !of_paths.is_empty() {
                paths::say(&of_paths, arguments, out.path(), progress);
            }
        }
        if let Some(traced) = &profile.traced {
            match &traced.stream {
                Some(stream) => traced::finish(stream, out.path())?,
                None => traced::settle(traced, out.path())?,
            }
            traced::say(traced, (profile, &of_traces), out.path(), progress);
        }
        each(profile, out.path())?;
        let methods = profile.classes.iter().flat_map(|class| &class.methods);
        counts |= methods.into_iter().any(|method| method.counters.is_ok());
    }
    let streams = counted.profiles.iter().filter_map(|profile| profile.traced.as_ref()?.stream.as_ref());
    let is_whole = streams.filter_map(|stream| stream.fault()).next().is_none();
    Ok(if counts && is_whole { ExitStatus::AllHold } else { ExitStatus::Error })
}

/// Names the patterns that no method of a loaded class has.
fn say_unknown(patterns: &[String], profiles: &[Profile], progress: &Progress) {
    let is_unknown = |text: &&String| {
        let Ok(pattern) = Pattern::parse(text) else { return false };
        let classes = || profiles.iter().flat_map(|profile| &profile.classes);
        let is_there = classes().any(|class| {
            class.methods.iter().any(|method| pattern.names(&class.name, &method.name, &method.descriptor))
        });
        // A class that was left names no methods.
        !is_there && profiles.iter().all(|profile| profile.left.is_empty())
    };
    for text in patterns.iter().filter(is_unknown) {
        progress
            .note(&format!("{}: no loaded class has such a method; look for a typing error", one_line(text)));
    }
}

/// Why there is no result, of this number of JVMs that connected.
fn nothing(arguments: &Drill, connected: usize) -> String {
    let option = if arguments.methods.is_empty() { "--all" } else { "--methods" };
    match (arguments.attach, connected) {
        (Some(pid), _) => format!("nothing was counted: pid {pid} loaded no class that {option} names"),
        (None, 0) => "nothing was counted: no JVM of the command connected before the drill ended. A JVM connects if it \
                      is of this user, and started by java itself or with JAVA_TOOL_OPTIONS"
            .to_owned(),
        (None, _) => format!(
            "nothing was counted: no JVM of the command loaded a class that {option} names{} before the drill ended; {}",
            if arguments.not.is_empty() { "" } else { " and --not leaves" },
            match (arguments.methods.is_empty(), arguments.jdk) {
                (true, false) => "--jdk counts the JDK's classes too, and a longer --for leaves time to load more",
                _ => "look for a typing error, or give it a longer time with --for",
            }
        ),
    }
}

/// Drills a JVM that runs already.
fn running(
    arguments: &Drill,
    pid: u32,
    library: &Path,
    orders: &mut Orders,
    progress: &Progress,
) -> Result<(files::Folder, Counted), String> {
    let target = attached::target(&Process { pid: Some(pid), text: None })?;
    let of_it = |why: &dyn std::fmt::Display| format!("pid {pid}: {why}");
    target.approach().map_err(|why| of_it(&why))?;
    let known = target.mapped().agents.into_iter().next();
    if known.is_none() {
        attached::agree(arguments.yes, &target, library, progress)?;
    }
    let out = files::Folder::make(&arguments.out, arguments.replace)?;
    orders.tracing = tracing(arguments, orders.what, out.path())?;
    let runtime = measure::event_loop()?;
    let _inside = runtime.enter();
    let (socket, path) = attached::socket(&target, &arguments.out)?;
    let mut inputs = Inputs::new()?;
    let library = attached::enter(&target, known, library, &path).map_err(|why| of_it(&why))?;
    let target = Arc::new(target);
    let collected = runtime.block_on(async {
        let door = tokio::spawn(socket.accept(inputs.sender()));
        let watch = tokio::spawn(attached::watch(Arc::clone(&target), inputs.sender()));
        orders.first_by = Some(Instant::now() + FOR_AN_AGENT);
        let collected = collect(orders, &mut inputs, progress).await;
        door.abort();
        watch.abort();
        collected
    });
    if attached::left(&target, &library, &path, progress).is_some() {
        return Err("not every class may be as it was; restart the program when you can".to_owned());
    }
    Ok((out, collected?))
}

/// The methods that the arguments name.
fn scope(arguments: &Drill) -> Result<Scope, String> {
    let patterns = |option: &str, texts: &[String]| {
        let parsed = texts.iter().map(|text| Pattern::parse(text));
        parsed.collect::<Result<Vec<_>, _>>().map_err(|why| format!("{option} {why}"))
    };
    let mut include = patterns("--methods", &arguments.methods)?;
    if arguments.all {
        include.push(Pattern::all());
    }
    let within = patterns("--within", &arguments.within)?;
    if let Some(text) = arguments.within.iter().find(|text| text.ends_with("#new") || text.contains("<init>"))
    {
        return Err(format!(
            "--within {text}: name the method that makes the object; a constructor may end without a word"
        ));
    }
    include.extend(within.iter().cloned());
    Ok(Scope {
        include,
        exclude: patterns("--not", &arguments.not)?,
        jdk: arguments.jdk,
        within,
        one_in: arguments.one_in.unwrap_or(1),
        total: arguments.order == Some(TraceOrder::Total),
        receivers: arguments.receivers,
        timed: arguments.timed,
        ..Scope::default()
    })
}

/// Drills the command. `results` gets the counts, while the program may go on.
async fn launched(
    arguments: &Drill,
    library: &Path,
    orders: &Orders,
    (socket, mut inputs): (PrivateSocket, Inputs),
    progress: &Progress,
    results: impl FnOnce(&Counted) -> Result<ExitStatus, String>,
) -> Result<ExitStatus, String> {
    let in_foreground = foreground::is_ours();
    let options = format!("spl.client.socket={},spl.client.wait={WAIT_MS}", socket.path().display());
    let launch = program::with_agent(&arguments.command, library, &options, arguments.children);
    let child = foreground::start(&launch, in_foreground)?;
    let launched = child.id();
    let door = tokio::spawn(socket.accept(inputs.sender()));
    let sender = inputs.sender();
    let ended = tokio::spawn(async move { wait(child, sender).await });
    let counted = collect(orders, &mut inputs, progress).await;
    door.abort();
    let (standing, goes_on) = match counted {
        Ok(counted) => (results(&counted), counted.goes_on),
        Err(why) => {
            progress.note(&why);
            (Err(why), true)
        }
    };
    let status = if ended.is_finished() {
        ended.await.ok().flatten()
    } else {
        until_over(ended, (&mut inputs, launched.filter(|_| in_foreground)), progress, goes_on).await
    };
    if let Some(status) = status {
        progress.program_ended(status);
    }
    standing
}

/// Waits for the program's end. An interrupt leaves it running; in the foreground of a terminal, where Ctrl-C does not reach
/// it, the first one after the drill tells it to end.
pub async fn until_over(
    mut ended: JoinHandle<Option<ProgramStatus>>,
    (inputs, shielded): (&mut Inputs, Option<u32>),
    progress: &Progress,
    goes_on: bool,
) -> Option<ProgramStatus> {
    if goes_on {
        let more = if shielded.is_some() { "; Ctrl-C ends it too" } else { "" };
        progress.note(&format!("the drill is over, the program goes on{more}"));
        // The interrupt that ended the drill.
        inputs.was_interrupted();
    }
    if let Some(process) = shielded {
        tokio::select! {
            status = &mut ended => return status.ok().flatten(),
            _ = inputs.interrupted() => foreground::end(process),
        }
    }
    tokio::select! {
        status = ended => status.ok().flatten(),
        _ = inputs.interrupted() => None,
    }
}

/// Waits for the end of a program, and tells it.
pub async fn wait(mut child: Child, inputs: tokio::sync::mpsc::Sender<Input>) -> Option<ProgramStatus> {
    let status = child.wait().await.ok();
    // The last messages of its JVM may still be on their way.
    let by_signal = status.is_some_and(|status| status.signal().is_some());
    let _ = timeout(LAST_MESSAGES, inputs.send(Input::Ended { by_signal })).await;
    status
}
