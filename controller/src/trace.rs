//! `spl trace`: what a drill with `--what trace` has recorded.

mod calls;
mod check;
mod chrome;
mod flow;
mod jbinstrace;
mod lines;
mod named;
mod paths;
mod place;
mod replayed;
mod shown;
mod sites;
mod source;
mod streamed;
mod switches;
mod threaded;
mod timeline;
mod unanswered;
mod unpack;
mod unseen;

use crate::cli::{Loops, Trace, TraceForm, TraceQuestion};
use crate::drilled::say_second;
use crate::numbers::counted;
use crate::said::say;
use replayed::{say_doubts, warn};
use source::Source;
use spl_trace::{Counts, Detail, Dispatch, Hot, Paths, Sites, Tree, Worst};
use spl_verdict::ExitStatus;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;
use std::time::Instant;
use switches::Switches;
use unanswered::Unanswered;

/// Answers a question to a trace.
///
/// # Errors
/// When the trace cannot be read, or the answer not be printed; one line of text.
pub fn trace(arguments: &Trace) -> Result<ExitStatus, String> {
    if arguments.question == TraceQuestion::Check && arguments.thread.is_some() {
        return Err(
            "counters are those of all threads: leave --thread out, or ask another question".to_owned()
        );
    }
    if arguments.question == TraceQuestion::Check && (arguments.from.is_some() || arguments.to.is_some()) {
        return Err("counters are those of the whole drill: leave --from and --to out".to_owned());
    }
    check_form(arguments)?;
    let is_of_all = arguments.merged || arguments.question == TraceQuestion::Switches;
    if arguments.merged && (arguments.question != TraceQuestion::Replay || arguments.form.is_some()) {
        return Err("--merged is for `spl trace replay` without --as".to_owned());
    }
    if is_of_all && (arguments.from.is_some() || arguments.to.is_some()) {
        return Err(
            "the order of all threads is read from the beginning: leave --from and --to out".to_owned()
        );
    }
    if is_of_all && arguments.thread.is_some() {
        return Err("the order of all threads is not that of one: leave --thread out".to_owned());
    }
    if arguments.question == TraceQuestion::Events {
        let mut out = BufWriter::new(io::stdout().lock());
        let read = jbinstrace::events(&arguments.folder, &mut out);
        return printed(read.and_then(|read| out.flush().map(|()| read.map(|()| ExitStatus::AllHold))));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    let answered = match flow::is_one(&arguments.folder) {
        true => streamed::answer(arguments, flow::open(&arguments.folder)?, &mut out, of_folder),
        false => of_folder(arguments, &arguments.folder, &mut out),
    };
    let flushed = answered.and_then(|status| Ok(out.flush().map(|()| status)?));
    match flushed {
        Ok(status) => Ok(status),
        Err(Unanswered::Io(error)) => printed(Err(error)),
        Err(Unanswered::Why(why)) => Err(why),
    }
}

fn of_folder(arguments: &Trace, folder: &Path, out: &mut impl Write) -> Result<ExitStatus, Unanswered> {
    let wants_calls = matches!(arguments.question, TraceQuestion::Unseen | TraceQuestion::Sites);
    let mut source = Source::open(folder, arguments.thread, wants_calls)?;
    source.cut(arguments.from, arguments.to)?;
    say_second(&source.folder);
    say_doubts(source.doubts());
    answer(arguments, &mut source, out)
}

fn printed(result: io::Result<Result<ExitStatus, String>>) -> Result<ExitStatus, String> {
    match result {
        Ok(answered) => answered,
        // A reader may stop early.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ExitStatus::AllHold),
        Err(error) => Err(format!("cannot print: {error}")),
    }
}

/// Refuses forms that a question does not have, and options without their form.
fn check_form(arguments: &Trace) -> Result<(), String> {
    use TraceQuestion::{Calls, Paths, Replay, Timeline, Unseen};
    let question = arguments.question;
    let has = match arguments.form {
        None | Some(TraceForm::Text) => true,
        Some(TraceForm::Json) => {
            matches!(question, Paths | Unseen | Calls | TraceQuestion::Switches | TraceQuestion::Sites)
        }
        Some(TraceForm::Csv) => question == Calls,
        Some(TraceForm::Chrome) => question == Timeline,
        Some(TraceForm::Jbinstrace) => question == Replay,
    };
    if !has {
        return Err("--as json is for paths, unseen, switches, sites and calls, --as csv for calls, --as chrome for timeline, and --as jbinstrace for replay"
            .to_owned());
    }
    if arguments.call.is_some() && !matches!(question, Calls | Timeline) {
        return Err("--call is for calls and timeline".to_owned());
    }
    if !arguments.methods.is_empty() && !matches!(question, Paths | TraceQuestion::Worst) {
        return Err("--methods is for paths and worst".to_owned());
    }
    let is_file = question == Timeline && arguments.form != Some(TraceForm::Text);
    match (arguments.form == Some(TraceForm::Jbinstrace), arguments.mode, &arguments.output) {
        (true, _, None) => {
            Err("--as jbinstrace writes several tables: name a folder for them with --output".to_owned())
        }
        (false, None, Some(_)) if is_file => Ok(()),
        (false, Some(_), _) | (false, _, Some(_)) => {
            Err("--mode and --output are for `spl trace replay --as jbinstrace`, --output also for `spl trace timeline`"
                .to_owned())
        }
        _ => Ok(()),
    }
}

/// Writes the trace in JBInsTrace's numbers.
fn tables(folder: &Path, is_shared: bool, source: &mut Source) -> Result<(), Unanswered> {
    let methods = jbinstrace::named(&source.methods);
    let mut tables = jbinstrace::Tables::new(folder, &methods, is_shared)?;
    let begin = |tables: &mut jbinstrace::Tables<'_>, thread| tables.begin(thread);
    let replayed = match is_shared {
        true if source.is_ordered()? => {
            source.merge_by_place(&mut tables, |tables, id, _| tables.begin(id))?
        }
        true => source.merge(&mut tables, begin)?,
        false => source.replay(&mut tables, begin)?,
    };
    let (events, (thrown, missing)) = tables.end()?;
    warn(&replayed);
    say(&format!("{} written to {}", counted(events, "event is", "events are"), folder.display()));
    if thrown > 0 {
        let calls = counted(thrown, "call", "calls");
        say(&format!("{calls} ended by an exception, for which JBInsTrace has no event"));
    }
    if missing > 0 {
        let places = counted(missing, "place", "places");
        say(&format!("at {places} events are missing, for which JBInsTrace has no event"));
    }
    Ok(())
}

/// Refuses a trace without the order of all threads.
fn ordered(source: &Source) -> Result<(), String> {
    match source.is_ordered()? {
        true => Ok(()),
        false => {
            Err("this trace has the order of events of each thread alone: take one with --order total"
                .to_owned())
        }
    }
}

/// Answers which calls entered no traced method.
fn unseen(arguments: &Trace, source: &mut Source, out: &mut impl Write) -> Result<(), Unanswered> {
    let Some((callees, declared)) = source.calls.take() else { return Ok(()) };
    let (sites, replayed) = source.gather(|| Sites::new(&callees), |_| ())?;
    let of = (&callees, &source.methods, &declared);
    match arguments.form {
        Some(TraceForm::Json) => unseen::json(&sites, of, out)?,
        _ => unseen::text(&sites, of, arguments.limit(), out)?,
    }
    warn(&replayed);
    Ok(())
}

/// Answers which classes receivers had.
fn sites(arguments: &Trace, source: &mut Source, out: &mut impl Write) -> Result<(), Unanswered> {
    let names = source.receivers()?;
    let Some((callees, _)) = source.calls.take() else { return Ok(()) };
    let (dispatch, replayed) = source.gather(|| Dispatch::new(&callees), Dispatch::cut)?;
    let of = (&callees, &source.methods, &names);
    match arguments.form {
        Some(TraceForm::Json) => sites::json(&dispatch, of, out)?,
        _ => sites::text(&dispatch, of, arguments.limit(), out)?,
    }
    warn(&replayed);
    Ok(())
}

/// Answers which paths were taken.
fn paths(arguments: &Trace, source: &mut Source, out: &mut impl Write) -> Result<(), Unanswered> {
    let wanted = paths::wanted(arguments, &source.methods)?;
    let detail = match arguments.loops {
        Loops::Exact => Detail::Exact,
        Loops::Counts => Detail::Counts,
        Loops::Once => Detail::Once,
    };
    let is_wanted = |place: u32| wanted.get(place as usize).copied().unwrap_or(false);
    let (paths, replayed) = source.gather(|| Paths::new(&source.methods, detail, &is_wanted), |_| ())?;
    match arguments.form {
        Some(TraceForm::Json) => paths::json(&paths, &source.methods, out)?,
        _ => paths::text(&paths, &source.methods, arguments.limit(), out)?,
    }
    warn(&replayed);
    Ok(())
}

/// Prints the events of all threads in one order.
fn merged(source: &mut Source, out: &mut impl Write) -> Result<(), Unanswered> {
    ordered(source)?;
    let names = source.names();
    let mut lines = lines::Lines::new(&mut *out, &names);
    let begin = |lines: &mut lines::Lines<'_, _>, thread, place: Option<u64>| {
        lines.goes_on(thread, place.is_some());
    };
    let replayed = source.merge_by_place(&mut lines, begin)?;
    lines.end()?;
    warn(&replayed);
    Ok(())
}

/// Answers how often another thread went on.
fn switches(arguments: &Trace, source: &mut Source, out: &mut impl Write) -> Result<(), Unanswered> {
    ordered(source)?;
    let mut switches = Switches::default();
    let goes_on = |switches: &mut Switches, thread, place| switches.goes_on(thread, place);
    let replayed = source.merge_by_place(&mut switches, goes_on)?;
    match arguments.form {
        Some(TraceForm::Json) => switches::json(&switches, out)?,
        _ => switches::text(&switches, arguments.limit(), out)?,
    }
    warn(&replayed);
    Ok(())
}

fn answer(arguments: &Trace, source: &mut Source, out: &mut impl Write) -> Result<ExitStatus, Unanswered> {
    match arguments.question {
        TraceQuestion::Calls => warn(&calls::answer(arguments, source, out)?),
        TraceQuestion::Timeline if arguments.form == Some(TraceForm::Chrome) => {
            warn(&chrome::answer(arguments, source, out)?);
        }
        TraceQuestion::Timeline => warn(&timeline::answer(arguments, source, out)?),
        TraceQuestion::Replay if let Some(folder) = &arguments.output => {
            tables(folder, arguments.mode == Some(1), source)?;
        }
        TraceQuestion::Replay if arguments.merged => merged(source, out)?,
        TraceQuestion::Switches => switches(arguments, source, out)?,
        TraceQuestion::Paths => paths(arguments, source, out)?,
        TraceQuestion::Unseen => unseen(arguments, source, out)?,
        TraceQuestion::Sites => sites(arguments, source, out)?,
        // Answered without a drill.
        TraceQuestion::Events => {}
        TraceQuestion::Replay => {
            let names = source.names();
            let mut lines = lines::Lines::new(&mut *out, &names);
            let replayed = source.replay(&mut lines, |lines, thread| lines.begin(thread))?;
            lines.end()?;
            warn(&replayed);
        }
        TraceQuestion::Tree => {
            let (tree, replayed) = source.gather(Tree::default, |_| ())?;
            shown::tree(&tree, &source.methods, arguments.limit(), out)?;
            warn(&replayed);
        }
        TraceQuestion::Hot => {
            let (hot, replayed) = source.gather(|| Hot::new(usize::from(arguments.length)), Hot::cut)?;
            shown::hot(&hot, &source.methods, arguments.limit(), out)?;
            warn(&replayed);
        }
        TraceQuestion::Worst => {
            let wanted = paths::wanted(arguments, &source.methods)?;
            let (worst, replayed) = source.gather(Worst::default, |_| ())?;
            shown::worst(&worst, &source.methods, (&wanted, arguments.limit()), out)?;
            warn(&replayed);
        }
        TraceQuestion::Check => {
            let (counts, replayed) = source.gather(Counts::default, |_| ())?;
            warn(&replayed);
            let table = source.counted()?;
            let is_whole = replayed.is_whole() && source.doubts().next().is_none();
            let lacking = check::Lacking { words: !is_whole, counts: source.lacks_counts() };
            let status = check::check(&table, &counts, &source.methods, lacking, out)?;
            // Events lost in the run explain differences; damaged and missing files do not.
            return Ok(if replayed.faults.is_empty() { status } else { ExitStatus::Error });
        }
        TraceQuestion::Size => {
            let began = Instant::now();
            let (counts, replayed) = source.gather(Counts::default, |_| ())?;
            shown::size(&counts, &source.methods, &replayed, began.elapsed(), out)?;
            warn(&replayed);
        }
    }
    Ok(ExitStatus::AllHold)
}
