//! Reasons without a verdict, in words, and remedies.

use crate::figure::{count, counted};
use spl_model::Lack;
use spl_verdict::NotEvaluated;

/// Reason without a verdict, with the remedy unless that depends on the method's lack.
pub fn why_not(why: &NotEvaluated) -> String {
    match why {
        NotEvaluated::TooFewSamples { left, right } => format!(
            "The most frequent sizes have {} and {} calls, and each side needs two calls of one size. Let \
             the program run longer, or gather sizes more coarsely (arguments-size-scale-base).",
            counted(*left, "measurement", "measurements"),
            count(*right)
        ),
        NotEvaluated::NoCommonBucket => {
            "There is no common size: all was measured, but never with arguments of a similar size, and only calls of a similar size are \
             compared. Gather sizes more coarsely (arguments-size-scale-base), or do not check them (argument-size = nocheck)."
                .to_owned()
        }
        NotEvaluated::Open { windows, why } => format!(
            "The calls of {} do not decide it: {why}.{}",
            counted(*windows, "window", "windows"),
            if why.ends_with(" more") { " Let the program run as much longer." } else { "" }
        ),
        NotEvaluated::Undecided { .. } => {
            "All that was measured does not suffice for a decision in either direction: the truth is close to the limit, or the \
             times vary widely. Measure longer (max-method-measurements)."
                .to_owned()
        }
        NotEvaluated::NotMeasured(text) | NotEvaluated::Lacking(text) => {
            // Other texts begin with a method's name.
            text.strip_prefix("the ").map_or_else(|| format!("{text}."), |rest| format!("The {rest}."))
        }
        NotEvaluated::OutOfRange | NotEvaluated::BadLimit | NotEvaluated::NoSuchQuantile(_) => {
            format!("The figures of the task file or the configuration make a comparison impossible: {why}.")
        }
    }
}

/// Remedy for a lack of samples.
pub fn remedy(lack: &Lack) -> &'static str {
    match lack {
        Lack::Unmeasurable { .. } => {
            "Name a method that can be measured: one that implements it, or one that calls it."
        }
        Lack::NotLoaded => {
            "Check the name (spl methods lists those of a class path), or let the program run until it loads the class."
        }
        Lack::NotBegun { .. } => {
            "Let the program run longer, or let the measurement begin sooner (initial-sleep)."
        }
        Lack::NoTurn | Lack::NotRecorded => "Let the program run longer.",
        Lack::NoBudget { .. } => {
            "Leave out what most of it went to, look at no sizes (argument-size = nocheck), or raise overhead-budget."
        }
        Lack::NeverCalled { .. } => {
            "Let the program do what calls it, or let it run longer; if it is called in another JVM, measure that one."
        }
        Lack::Discarded(taken) if taken.warm_up >= taken.surplus => {
            "Let the program run longer: calls of its own warm-up and soon after the probes went in do not count (initial-sleep, warm-up-calls, warm-up-time)."
        }
        Lack::Discarded(_) => "Let the program run longer, so that both sides are called in the same window.",
        Lack::Scattered { .. } => {
            "Let the program run longer, gather sizes more coarsely (arguments-size-scale-base), or do not check them (argument-size = nocheck)."
        }
    }
}
