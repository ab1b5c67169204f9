//! A bench on which a scheduler is driven by short texts and its decisions come back as short texts.
//!
//! Methods are letters in the task file's order. Events: `start`, `tick`, `finish`, `limit A` (the agent's
//! limit), `native A` (can't be measured), or samples: `A@100` is a call of the first method that ends at 100
//! ns, `A@100:7` has the size 7, `A@100+10x3` are three calls that end at 100, 110 and 120, `A@100~30` is one
//! that took 30 ns and not 10. Decisions: `+A` measure, `-A` suspend, `_A` rest, `.A` listen, `w1:0-2+3!1` window 1 of
//! comparison 0 with its bucket, 2 pairs, 3 calls without a partner and 1 overlapped, `A/8` take one call in
//! 8, `!A` finished, `=0` comparison 0 evaluated with its bucket and the numbers of samples, `~0` the same as
//! leftover, `?0` not evaluated, `done`.

use spl_lang::{Comparison, MeasuredMethod, Sign, Tasks};
use spl_model::{Outcome, Refusal, Sample, Size};
use spl_scheduler::{Action, Decision, Event, MethodIx, Scheduler, Settings, Status, Window};
use spl_verdict::Evaluation;

/// A task list: methods as `Class.name`, comparisons as pairs of indices.
pub(crate) fn tasks(methods: &[&str], comparisons: &[(usize, usize)]) -> Tasks {
    let method = |(index, name): (usize, &&str)| MeasuredMethod {
        method: format!("p/{name}()V").parse().unwrap(),
        processor: None,
        line: index + 1,
    };
    let comparison = |(index, &(left, right)): (usize, &(usize, usize))| Comparison {
        left,
        right,
        sign: Sign::LessOrEqual,
        left_factor: 1.0,
        right_factor: 1.0,
        line: index + 1,
        member: None,
    };
    Tasks {
        methods: methods.iter().enumerate().map(method).collect(),
        comparisons: comparisons.iter().enumerate().map(comparison).collect(),
        warnings: Vec::new(),
    }
}

/// Methods `A.m`, `B.m`, … each in a class of its own.
pub(crate) fn apart(count: usize, comparisons: &[(usize, usize)]) -> Tasks {
    let names: Vec<String> = (0..count).map(|index| format!("{}.m", letter(index))).collect();
    tasks(&names.iter().map(String::as_str).collect::<Vec<_>>(), comparisons)
}

fn letter(index: usize) -> char {
    char::from(b'A' + u8::try_from(index).unwrap())
}

/// The method of a letter.
pub(crate) fn method(letter: &str) -> MethodIx {
    MethodIx(usize::from(letter.as_bytes()[0] - b'A'))
}

/// Reads the samples of an event text.
pub(crate) fn samples(text: &str) -> Vec<(MethodIx, Sample)> {
    let mut batch = Vec::new();
    for word in text.split_whitespace() {
        let (method, rest) = word.split_once('@').unwrap_or_else(|| panic!("no sample: {word}"));
        let (rest, duration) = match rest.split_once('~') {
            Some((rest, duration)) => (rest, duration.parse().unwrap()),
            None => (rest, 10),
        };
        let (times, size) = match rest.split_once(':') {
            Some((times, size)) => (times, Size::Value(size.parse().unwrap())),
            None => (rest, Size::Unchecked),
        };
        let (first, step, count) = match times.split_once('+') {
            Some((first, repeat)) => {
                let (step, count) = repeat.split_once('x').unwrap();
                (first, step.parse().unwrap(), count.parse().unwrap())
            }
            None => (times, 0, 1),
        };
        let first: u64 = first.parse().unwrap();
        for index in 0..count {
            let end = first + index * step;
            let mut sample = Sample::new(end.saturating_sub(duration), end).unwrap();
            sample.size = size.clone();
            batch.push((self::method(method), sample));
        }
    }
    batch
}

/// Reads an event text.
pub(crate) fn event(text: &str) -> Event {
    match text {
        "start" => Event::Start,
        "tick" => Event::Tick,
        "finish" => Event::Finish,
        "pulse" => Event::Pulse,
        _ if text.starts_with("drained ") => Event::Drained { method: method(&text[8..]), closing: None },
        _ if text.starts_with("limit ") => Event::LimitReached(method(&text[6..])),
        _ if text.starts_with("dear ") => Event::DearChange(method(&text[5..])),
        // In milliseconds.
        _ if text.starts_with("took ") => {
            Event::Changed { took_ns: text[5..].parse::<u64>().unwrap() * 1_000_000 }
        }
        _ if text.starts_with("gone ") => {
            let why = Outcome::Refused(Refusal::Removed(3));
            Event::GivenUp { method: method(&text[5..]), why }
        }
        _ if text.starts_with("native ") => {
            Event::Unavailable { method: method(&text[7..]), why: Outcome::Native }
        }
        _ => Event::Samples(samples(text)),
    }
}

/// Writes decisions without the changes of probes, which follow from them.
pub(crate) fn short(decisions: &[Decision]) -> String {
    let word = |decision: &Decision| match &decision.action {
        Action::Measure(method) => Some(format!("+{}", letter(method.0))),
        Action::Suspend(method) => Some(format!("-{}", letter(method.0))),
        Action::Rest(method) => Some(format!("_{}", letter(method.0))),
        Action::Listen(method) => Some(format!(".{}", letter(method.0))),
        Action::Window(window) => {
            let Window { number, comparison, bucket, surplus, overlapped, .. } = &**window;
            Some(format!("w{number}:{comparison}{bucket}{}+{surplus}!{overlapped}", window.left_ns.len()))
        }
        Action::Turns(turns) => {
            let turn = |turn: &spl_scheduler::MethodTurn| {
                format!("{}{}", turn.calls.len(), if turn.outstanding { "*" } else { "" })
            };
            Some(format!("t{}:{}", turns.number, turns.turns.iter().map(turn).collect::<Vec<_>>().join("+")))
        }
        Action::SampleEvery { method, every } => Some(format!("{}/{every}", letter(method.0))),
        Action::Finished(method) => Some(format!("!{}", letter(method.0))),
        Action::Evaluated(evaluation) => {
            let mark = match (&evaluation.verdict, evaluation.leftover) {
                (Err(_), _) => '?',
                (Ok(_), true) => '~',
                (Ok(_), false) => '=',
            };
            let (bucket, left, right) = (&evaluation.bucket, evaluation.n_left, evaluation.n_right);
            Some(format!("{mark}{}{bucket}{left}/{right}", evaluation.comparison))
        }
        Action::Done => Some("done".to_owned()),
        _ => None,
    };
    decisions.iter().filter_map(word).collect::<Vec<_>>().join(" ")
}

/// Writes the changes of probes only: `in A B out C` for each.
pub(crate) fn probes(decisions: &[Decision]) -> String {
    let list =
        |methods: &[MethodIx]| methods.iter().map(|one| format!(" {}", letter(one.0))).collect::<String>();
    let word = |decision: &Decision| match &decision.action {
        Action::Retransform { instrument, restore } => {
            Some(format!("in{} out{}", list(instrument), list(restore)))
        }
        _ => None,
    };
    decisions.iter().filter_map(word).collect::<Vec<_>>().join("; ")
}

/// Writes what becomes of gates only: `A:8/100` opens that of A to one call in 8 until 100 are taken, `-A`
/// closes it.
pub(crate) fn gates(decisions: &[Decision]) -> String {
    let word = |decision: &Decision| match decision.action {
        Action::Open { method, every, quota } => {
            let quota = quota.map_or("all".to_owned(), |quota| quota.to_string());
            Some(format!("{}:{every}/{quota}", letter(method.0)))
        }
        Action::Close(method) => Some(format!("-{}", letter(method.0))),
        _ => None,
    };
    decisions.iter().filter_map(word).collect::<Vec<_>>().join(" ")
}

/// One line of a trace: time of the owner's clock, event, expected decisions, then the optimal number and the
/// difference after the event.
pub(crate) type Line<'a> = (u64, &'a str, &'a str, usize, Option<u64>);

/// Drives a scheduler through a trace and compares each line.
pub(crate) fn check_trace(settings: Settings, tasks: &Tasks, trace: &[Line]) -> Scheduler {
    let mut scheduler = Scheduler::new(settings, tasks).unwrap();
    for (index, &(now, text, expected, optimal, difference)) in trace.iter().enumerate() {
        let decisions = scheduler.handle(event(text), now);
        let situation = scheduler.situation();
        let got = (short(&decisions), situation.optimal, situation.difference_ns);
        assert_eq!(got, (expected.to_owned(), optimal, difference), "line {index}: {now} {text}");
    }
    scheduler
}

/// Drives a scheduler through events at the time 0 and compares the decisions of each.
pub(crate) fn check_decisions(settings: Settings, tasks: &Tasks, trace: &[(&str, &str)]) -> Scheduler {
    let mut scheduler = Scheduler::new(settings, tasks).unwrap();
    for (index, &(text, expected)) in trace.iter().enumerate() {
        assert_eq!(short(&scheduler.handle(event(text), 0)), expected, "line {index}: {text}");
    }
    scheduler
}

/// The letters of the methods in this status.
pub(crate) fn with_status(scheduler: &Scheduler, status: Status) -> String {
    scheduler.progress().filter(|one| one.status == status).map(|one| letter(one.method.0)).collect()
}

/// Everything is measured at once and the law never interferes.
pub(crate) fn calm() -> Settings {
    Settings {
        initial_optimal: 100,
        min_diff_ns: 0,
        max_diff_ns: u64::MAX,
        min_samples: 3,
        max_samples: 5,
        ..Settings::thesis()
    }
}

/// The evaluations that an event leads to.
pub(crate) fn evaluations(scheduler: &mut Scheduler, text: &str) -> Vec<Evaluation> {
    let action = |decision: Decision| match decision.action {
        Action::Evaluated(evaluation) => Some(*evaluation),
        _ => None,
    };
    scheduler.handle(event(text), 0).into_iter().filter_map(action).collect()
}
