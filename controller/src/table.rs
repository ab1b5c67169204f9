//! The table at the end with `-v`: every claim with its result and figures, and suspicions.

use crate::claims;
use crate::details::{Details, LookDetails, judged_samples};
use crate::judgement::{judgement, sentence, sizes, why_not};
use crate::names::{methods_as_written, written_assertion, written_claim};
use crate::said::say;
use spl_lang::Assertion;
use spl_report::figure::{self, p_equation};
use spl_scheduler::Scheduler;
use spl_session::buckets;
use spl_session::results::Results;
use spl_session::sequential::Sequential;
use spl_session::setup::Setup;
use spl_stats::Suspicion;
use spl_verdict::{Asserted, Evaluation, Evidence, Side};
use std::fmt::Write as _;

/// Most methods that are listed for a measurement without claims.
const METHODS: usize = 50;
/// Most lines about suspicious samples; a run with many small buckets has hundreds.
const SUSPICIOUS: usize = 10;

/// Prints the result of each claim, and suspicions.
pub fn say_table(setup: &Setup, results: &Results, scheduler: &Scheduler, sequential: Option<&Sequential>) {
    let details =
        |evaluation: &Evaluation| Details::of(evaluation, &setup.program.tasks, scheduler, sequential);
    let (tasks, evaluations) = (&setup.program.tasks, &results.evaluations);
    for (index, comparison) in tasks.comparisons.iter().enumerate() {
        say(&written_claim(setup, comparison));
        let mut of_this = evaluations.iter().filter(|e| e.comparison == index).peekable();
        if of_this.peek().is_none() {
            say(&format!("  {}", claims::NO_RESULT));
        }
        for evaluation in of_this {
            say(&format!("  {}", judgement(evaluation)));
            if let Some(details) = details(evaluation) {
                say(&detail_lines(evaluation, &details));
            }
        }
        if let Some(filling) = scheduler.filling(index) {
            say(&buckets::lines(&filling));
        }
    }
    for (index, assertion) in setup.program.assertions.iter().enumerate() {
        say(&written_assertion(setup, assertion));
        match results.assertions.iter().find(|one| one.assertion == index) {
            Some(asserted) => say(&assertion_lines(setup, assertion, asserted)),
            None => say(&format!("  {}", claims::NO_RESULT)),
        }
    }
    say_suspicions(setup, results, scheduler);
}

/// The sentence, then a line for each of its comparisons in each bucket.
fn assertion_lines(setup: &Setup, assertion: &Assertion, asserted: &Asserted) -> String {
    let mut relations = Vec::new();
    assertion.formula.for_each_relation(&mut |span| relations.push(setup.quote(span)));
    let mut text = format!("  {}\n", sentence(asserted));
    // Without any judgement the sentence has named the reason.
    for part in asserted.parts.iter().filter(|_| why_not(asserted).is_none()) {
        let relation = relations.get(part.relation).copied().unwrap_or_default();
        let _ = match &part.judged {
            Ok(judged) => {
                let Evidence { p_true, p_false } = judged.evidence;
                // While data are missing, the evidence is not weighed.
                let weighed = if p_true.min(p_false) < 1.0 {
                    format!(", {} for it, {} against it", p_equation(p_true), p_equation(p_false))
                } else {
                    String::new()
                };
                let samples = match judged.n_right {
                    Some(right) => format!("{} and {right} samples", judged.n_left),
                    None => format!("{} samples", judged.n_left),
                };
                writeln!(
                    text,
                    "    {relation}: {} against {}{weighed}{}, {samples}",
                    figure::time(judged.left_ns),
                    figure::time(judged.right_ns),
                    sizes(&part.bucket)
                )
            }
            Err(why) => writeln!(text, "    {relation}: {why}"),
        };
    }
    figure::plain(&text)
}

/// Both sides' figures, and those of the sequential mode.
fn detail_lines(evaluation: &Evaluation, details: &Details) -> String {
    let mut text = String::new();
    let sides = evaluation.verdict.as_ref().ok().map(|verdict| [&verdict.left, &verdict.right]);
    for (index, (name, side)) in [("left", &details.left), ("right", &details.right)].into_iter().enumerate()
    {
        if let Some(Side { factor, n, mean_ns, median_ns, sd_ns }) = sides.map(|sides| sides[index]) {
            let [mean, median, deviation] = [mean_ns, median_ns, sd_ns].map(|ns| figure::time(ns / factor));
            // Writing to a `String` cannot fail.
            let _ =
                write!(text, "    {name}: average {mean}, median {median}, standard deviation {deviation}; ");
            let _ = write!(text, "{n} samples tell as much as {:.0} independent ones", side.n_effective);
            let _ = writeln!(text, ", {} discarded", side.discarded);
        }
    }
    if let Some(look) = &details.sequential {
        let LookDetails { windows, pairs, n_effective, ratio, low, high, raw_ratio, clipped, .. } = look;
        let [ratio, low, high, raw] = [*ratio, *low, *high, *raw_ratio].map(figure::quotient);
        let _ = write!(
            text,
            "    {windows} windows tell as much as {n_effective:.0} independent ones, {pairs} pairs: "
        );
        let _ =
            write!(text, "with the constants the ratio is {ratio} [{low}, {high}], {clipped} values clipped");
        let (parts, differ) = look.self_check;
        let _ = writeln!(
            text,
            "; unclipped {raw}; {differ} of {parts} parts of the measurement differ from others"
        );
        if let Some((smallest, largest)) = look.sizes_differ {
            let [smallest, largest] = [smallest, largest].map(figure::quotient);
            let _ = writeln!(
                text,
                "    the sizes differ: the ratio of one is {smallest}, that of another {largest}; the verdict is of all together"
            );
        }
        if look.tail_dependent {
            text.push_str("    suspicious: tail-dependent: rare long calls change the ratio\n");
        }
    }
    figure::plain(&text)
}

/// Prints the figures of each method, for a measurement without claims.
pub fn say_methods(setup: &Setup, scheduler: &Scheduler) {
    for (one, name) in scheduler.progress().zip(methods_as_written(setup)).take(METHODS) {
        if one.samples == 0 {
            let lack = scheduler.lack(one.method).map_or_else(String::new, |lack| lack.to_string());
            say(&format!("{name}: {lack}"));
            continue;
        }
        let mut times = scheduler.all_times(one.method);
        times.sort_unstable();
        let sum: f64 = times.iter().map(|&ns| ns as f64).sum();
        let at = |share: f64| times[((share * times.len() as f64).ceil() as usize).clamp(1, times.len()) - 1];
        let [median, p99] = [0.5, 0.99].map(|share| figure::time(at(share) as f64));
        let average = figure::time(sum / times.len() as f64);
        let calls = times.len();
        say(&figure::plain(&format!(
            "{name}: average {average}, median {median}, p99 {p99}; {calls} samples, {} discarded",
            one.discarded
        )));
    }
    let more = scheduler.progress().count().saturating_sub(METHODS);
    if more > 0 {
        say(&format!("and {more} more methods: see the report"));
    }
}

fn say_suspicions(setup: &Setup, results: &Results, scheduler: &Scheduler) {
    let judged = judged_samples(&setup.program, results, scheduler);
    let names = methods_as_written(setup);
    let lines = judged.iter().flat_map(|(method, bucket, suspicions)| {
        let of = format!("{}{}", names.get(method.0).map_or("?", String::as_str), sizes(bucket));
        suspicions.iter().map(move |one| format!("{of}: suspicious: {}", figure::plain(&suspicion(one))))
    });
    let lines: Vec<String> = lines.collect();
    lines.iter().take(SUSPICIOUS).for_each(|line| say(line));
    if lines.len() > SUSPICIOUS {
        say(&format!("and {} more that look suspicious: see the report", lines.len() - SUSPICIOUS));
    }
}

/// Text of a suspicion, with times in the usual form.
fn suspicion(suspicion: &Suspicion) -> String {
    match *suspicion {
        Suspicion::Skewed { mean_ns, median_ns } => {
            let [mean, median] = [mean_ns, median_ns].map(figure::time);
            format!("average {mean} and median {median} are far apart")
        }
        Suspicion::WideSpread { spread } => {
            format!("the standard deviation is {} times the average", figure::quotient(spread))
        }
        Suspicion::Bimodal { fast_share, fast_ns, slow_ns } => {
            let [fast, slow] = [fast_ns, slow_ns].map(figure::time);
            format!(
                "two kinds of calls: {} around {fast}, the rest around {slow}",
                figure::percent(fast_share)
            )
        }
        Suspicion::FewSamples { .. } | Suspicion::Drift { .. } | Suspicion::ClockBound { .. } => {
            suspicion.to_string()
        }
    }
}
