//! `spl trace`: what a drill with `--what trace` has recorded.

mod check;
mod lines;
mod shown;
mod source;

use crate::cli::{Trace, TraceQuestion};
use crate::drilled::say_second;
use crate::numbers::counted;
use crate::said::say;
use source::{Replayed, Source};
use spl_trace::{Counts, Hot, Tree, Worst};
use spl_verdict::ExitStatus;
use std::io::{self, BufWriter, ErrorKind, Write};

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
    let mut source = Source::open(&arguments.folder, arguments.thread)?;
    say_second(&source.folder);
    source.doubts().for_each(|doubt| say(&format!("the trace is not all that ran: {doubt}")));
    let mut out = BufWriter::new(io::stdout().lock());
    let answered = answer(arguments, &mut source, &mut out);
    let flushed = answered.and_then(|status| Ok(out.flush().map(|()| status)?));
    match flushed {
        Ok(status) => Ok(status),
        // A reader may stop early.
        Err(Unanswered::Io(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(ExitStatus::AllHold),
        Err(Unanswered::Io(error)) => Err(format!("cannot print: {error}")),
        Err(Unanswered::Why(why)) => Err(why),
    }
}

/// Why there is no answer.
enum Unanswered {
    Io(io::Error),
    Why(String),
}

impl From<io::Error> for Unanswered {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<String> for Unanswered {
    fn from(why: String) -> Self {
        Self::Why(why)
    }
}

fn answer(arguments: &Trace, source: &mut Source, out: &mut impl Write) -> Result<ExitStatus, Unanswered> {
    match arguments.question {
        TraceQuestion::Replay => {
            let names = source.names();
            let mut lines = lines::Lines::new(&mut *out, &names);
            let replayed = source.replay(&mut lines, |lines, thread| lines.begin(thread))?;
            lines.end()?;
            warn(&replayed);
        }
        TraceQuestion::Tree => {
            let mut tree = Tree::default();
            let replayed = source.replay(&mut tree, |_, _| ())?;
            shown::tree(&tree, &source.methods, arguments.limit, out)?;
            warn(&replayed);
        }
        TraceQuestion::Hot => {
            let mut hot = Hot::new(usize::from(arguments.length));
            let replayed = source.replay(&mut hot, |hot, _| hot.cut())?;
            shown::hot(&hot, &source.methods, arguments.limit, out)?;
            warn(&replayed);
        }
        TraceQuestion::Worst => {
            let mut worst = Worst::default();
            let replayed = source.replay(&mut worst, |_, _| ())?;
            shown::worst(&worst, &source.methods, arguments.limit, out)?;
            warn(&replayed);
        }
        TraceQuestion::Check => {
            let mut counts = Counts::default();
            let replayed = source.replay(&mut counts, |_, _| ())?;
            warn(&replayed);
            let table = source.counted()?;
            let is_whole = replayed.is_whole() && source.doubts().next().is_none();
            return Ok(check::check(&table, &counts, &source.methods, is_whole, out)?);
        }
        TraceQuestion::Size => {
            let mut counts = Counts::default();
            let began = std::time::Instant::now();
            let replayed = source.replay(&mut counts, |_, _| ())?;
            shown::size(&counts, &source.methods, &replayed, began.elapsed(), out)?;
            warn(&replayed);
        }
    }
    Ok(ExitStatus::AllHold)
}

/// Says why the answer may not be whole.
fn warn(replayed: &Replayed) {
    replayed.faults.iter().for_each(|fault| say(fault));
    if replayed.lost > 0 {
        let lost = counted(replayed.lost, "event is", "events are");
        say(&format!("{lost} missing in the trace: what is shown is not all that ran"));
    }
    if replayed.holes > 0 {
        let holes = counted(replayed.holes, "place", "places");
        say(&format!("at {holes} an unknown number of events is missing: what is shown is not all that ran"));
    }
    if replayed.unseen > 0 {
        let unseen = counted(replayed.unseen, "activation", "activations");
        say(&format!(
            "{unseen} ended without a word: by a stack overflow, or by an exception in a constructor before or in its call of another"
        ));
    }
}
