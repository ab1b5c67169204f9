//! Answers about a trace that comes as a stream.

use super::flow::{Apart, Flow, Flown, kept};
use super::paths::wanted;
use super::replayed::{say_doubts, warn};
use super::shown;
use super::unanswered::Unanswered;
use crate::cli::{Trace, TraceQuestion};
use spl_trace::{Counts, Hot, Merge, Tree, Visit, Worst};
use spl_verdict::ExitStatus;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Answers while the trace comes, without keeping it, where the question lets that be; else by `of_folder` from a folder that is removed afterwards.
///
/// # Errors
/// When it cannot be read, or the answer not be printed.
pub fn answer<W: Write>(
    arguments: &Trace,
    flow: Flow,
    out: &mut W,
    of_folder: fn(&Trace, &Path, &mut W) -> Result<ExitStatus, Unanswered>,
) -> Result<ExitStatus, Unanswered> {
    let thread = arguments.thread;
    // The first clock of all threads is known at the end of the stream.
    let is_part = arguments.from.is_some() || arguments.to.is_some();
    match arguments.question {
        TraceQuestion::Tree | TraceQuestion::Hot | TraceQuestion::Worst | TraceQuestion::Size if is_part => {
            let (_holder, folder) = kept(flow)?;
            return of_folder(arguments, &folder, out);
        }
        TraceQuestion::Tree => {
            let (tree, flown) = flown(flow, thread, Tree::default)?;
            shown::tree(&tree, &flown.methods, arguments.limit(), out)?;
        }
        TraceQuestion::Hot => {
            let (hot, flown) = flown(flow, thread, || Hot::new(usize::from(arguments.length)))?;
            shown::hot(&hot, &flown.methods, arguments.limit(), out)?;
        }
        TraceQuestion::Worst => {
            let (worst, flown) = flown(flow, thread, Worst::default)?;
            let wanted = wanted(arguments, &flown.methods)?;
            shown::worst(&worst, &flown.methods, (&wanted, arguments.limit()), out)?;
        }
        TraceQuestion::Size => {
            let began = Instant::now();
            let (counts, flown) = flown(flow, thread, Counts::default)?;
            shown::size(&counts, &flown.methods, &flown.replayed, began.elapsed(), out)?;
        }
        TraceQuestion::Check => {
            let why = "a stream has no counts to compare it with: drill with --what trace,blocks and without --stream";
            return Err(why.to_owned().into());
        }
        TraceQuestion::Replay
        | TraceQuestion::Paths
        | TraceQuestion::Unseen
        | TraceQuestion::Sites
        | TraceQuestion::Switches
        | TraceQuestion::Calls
        | TraceQuestion::Timeline
        | TraceQuestion::Events => {
            let (_holder, folder) = kept(flow)?;
            return of_folder(arguments, &folder, out);
        }
    }
    Ok(ExitStatus::AllHold)
}

/// The answer about a stream, merged from those about its threads.
fn flown<V: Visit + Merge>(
    flow: Flow,
    thread: Option<u64>,
    make: impl Fn() -> V,
) -> Result<(V, Flown), String> {
    let mut visits = Apart::new(make);
    let flown = flow.replay(&mut visits, thread)?;
    say_doubts(flown.doubts.iter().cloned());
    warn(&flown.replayed);
    Ok((visits.merged(), flown))
}
