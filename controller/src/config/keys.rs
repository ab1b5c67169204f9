//! Every key with its section and the reader of its value.

use super::draft::{Draft, Profile};
use super::values::{
    Expected, flag, least, millis, nanos, number, older, or_none, part, path, percent, word,
};
use spl_lang::RunMode;
use spl_model::Sizing;
use spl_session::config::{DrillBudget, InitialSleep, Judge, WARM_UP};
use spl_verdict::Correction;
use std::time::Duration;

/// The keys beyond the thesis; with `profile = thesis` none of them may be set.
pub(super) const BEYOND_THESIS: [&str; 15] = [
    "policy",
    "window",
    "window-overlap",
    "suspend-restore-after",
    "instrument-ahead",
    "changes-per-minute",
    "overhead-budget",
    "settle-time",
    "warm-up-calls",
    "warm-up-time",
    "discard-disturbed",
    "method",
    "correction",
    "equal-within",
    "rare-calls",
];

/// The thesis's values of keys, where they differ from the defaults of production.
pub(super) const OF_THESIS: [(&str, &str); 5] = [
    ("initial-sleep", "3000"),
    ("argument-size", "deep"),
    ("max-method-measurements", "1000"),
    ("arguments-size-scale", "linear"),
    ("arguments-size-scale-base", "100"),
];

/// Values of keys that the file does not name, where windows do not decide. One test at the end needs no more calls. And a
/// gate that opens before the code is compiled again takes as many of its slow calls as the budget pays for, not those of a turn.
pub(super) const AT_ONCE: [(&str, &str); 2] = [("max-method-measurements", "10000"), ("settle-time", "500")];

const MEGABYTE: u64 = 1 << 20;

pub(super) type Set = fn(&mut Draft, &str) -> Result<(), Expected>;

/// Every key: section, name and reader of its value.
pub(super) const KEYS: [(&str, &str, Set); 45] = [
    ("communication", "initial-sleep", |c, v| {
        let fixed = || millis(v).map(InitialSleep::Fixed).map_err(|_| "milliseconds, or auto".to_owned());
        let sleep = if v == "auto" { Ok(InitialSleep::Auto) } else { fixed() };
        sleep.map(|sleep| c.config.initial_sleep = sleep)
    }),
    ("communication", "cycle-sleep", |c, v| millis(v).map(|t| c.config.cycle_sleep = t)),
    ("communication", "port", |c, v| number(v, "a port from 0 to 65535").map(|n| c.config.port = n)),
    ("communication", "programs", |c, v| {
        least(v, 1, "a number of programs from 1").map(|n| c.config.programs = n)
    }),
    ("scheduler", "initial-optimal-measurements", |c, v| {
        least(v, 1, "a number of methods from 1").map(|n| c.config.scheduler.initial_optimal = n)
    }),
    ("scheduler", "min-measuring-diff", |c, v| {
        number(v, "nanoseconds").map(|n| c.config.scheduler.min_diff_ns = n)
    }),
    ("scheduler", "max-measuring-diff", |c, v| {
        number(v, "nanoseconds").map(|n| c.config.scheduler.max_diff_ns = n)
    }),
    ("scheduler", "time-diff-weight", |c, v| {
        number(v, "a whole number from 0").map(|n| c.config.scheduler.weight = n)
    }),
    ("scheduler", "argument-size", |c, v| {
        let modes = [
            ("auto", None),
            ("nocheck", Some(Sizing::None)),
            ("sizeof", Some(Sizing::Shallow)),
            ("deep", Some(Sizing::Deep)),
            ("length", Some(Sizing::Length)),
        ];
        let mode = word(v, &modes)?;
        c.config.automatic_size = mode.is_none();
        c.config.argument_size = mode.unwrap_or(Sizing::None);
        Ok(())
    }),
    ("scheduler", "size-visit-limit", |c, v| {
        least(v, 1, "a number of objects from 1").map(|n| c.config.size_visit_limit = n)
    }),
    ("scheduler", "metaspace-limit", |c, v| {
        least::<u32>(v, 1, "a number of megabytes from 1")
            .map(|n| c.config.metaspace_limit = u64::from(n) * MEGABYTE)
    }),
    ("scheduler", "processor-jar", |c, v| {
        c.config.set_processor_jar(v);
        Ok(())
    }),
    ("scheduler", "profile", |c, v| {
        word(v, &[("production", Profile::Production), ("thesis", Profile::Thesis)]).map(|p| c.profile = p)
    }),
    ("scheduler", "policy", |c, v| word(v, &[("delay", false), ("paired", true)]).map(|p| c.paired = p)),
    ("scheduler", "window", |c, v| millis(v).map(|t| c.config.window = t)),
    ("scheduler", "window-overlap", |c, v| millis(v).map(|t| c.config.window_overlap = t)),
    ("scheduler", "suspend-restore-after", |c, v| {
        millis(v).map(|t| c.config.scheduler.restore_after_ns = nanos(t))
    }),
    ("scheduler", "instrument-ahead", |c, v| {
        number(v, "a number of methods from 0").map(|n| c.config.scheduler.instrument_ahead = n)
    }),
    ("scheduler", "changes-per-minute", |c, v| {
        or_none(v, |v| least(v, 1, "a number of changes from 1, or none"))
            .map(|n| c.config.scheduler.changes_per_minute = n)
    }),
    ("scheduler", "overhead-budget", |c, v| {
        or_none(v, |v| percent(v, "a percentage over 0% and up to 100%, as in 1%, or none"))
            .map(|p| c.config.overhead_budget = p)
    }),
    ("sampling", "settle-time", |c, v| millis(v).map(|t| c.config.scheduler.settle_ns = nanos(t))),
    ("sampling", "warm-up-calls", |c, v| {
        number(v, "a number of calls").map(|n| c.config.scheduler.warm_up.get_or_insert(WARM_UP).samples = n)
    }),
    ("sampling", "warm-up-time", |c, v| {
        millis(v).map(|t| c.config.scheduler.warm_up.get_or_insert(WARM_UP).time_ns = nanos(t))
    }),
    ("sampling", "discard-disturbed", |c, v| flag(v).map(|b| c.config.scheduler.discard_disturbed = b)),
    ("controller", "tasks-file", |c, v| path(v).map(|p| c.config.tasks_file = p)),
    ("controller", "output-dir", |c, v| path(v).map(|p| c.config.output_dir = p)),
    ("controller", "overwrite-measurements", |c, v| {
        older(v).map(|found| (c.config.overwrite_measurements, c.config.numbered[0]) = found)
    }),
    ("controller", "human-readable-measurements", |c, v| flag(v).map(|b| c.config.human_measurements = b)),
    ("controller", "max-method-measurements", |c, v| {
        least(v, 1, "a number of samples from 1").map(|n| c.config.scheduler.max_samples = n)
    }),
    ("controller", "min-method-measurements", |c, v| {
        number(v, "a number of samples").map(|n| c.config.scheduler.min_samples = n)
    }),
    ("controller", "measurements-to-flush", |c, v| {
        number(v, "a number of samples").map(|n| c.config.measurements_to_flush = n)
    }),
    ("controller", "run-mode", |c, v| {
        let modes = [("comparison", RunMode::Comparison), ("measurement", RunMode::Measurement)];
        word(v, &modes).map(|mode| c.config.scheduler.mode = mode)
    }),
    ("evaluator", "result-file-path", |c, v| path(v).map(|p| c.config.result_file = p)),
    ("evaluator", "limit-p-value", |c, v| {
        part(v, "a number between 0 and 1, neither of them, as in 0.05")
            .map(|p| c.config.scheduler.limit_p = p)
    }),
    ("evaluator", "method", |c, v| {
        word(v, &[("welch", Judge::Welch), ("sequential", Judge::Sequential)])
            .map(|judge| c.config.judge = judge)
    }),
    ("evaluator", "correction", |c, v| {
        let corrections =
            [("none", Correction::None), ("holm", Correction::Holm), ("bh", Correction::BenjaminiHochberg)];
        word(v, &corrections).map(|correction| c.config.correction = correction)
    }),
    ("evaluator", "equal-within", |c, v| {
        percent(v, "a percentage over 0% and up to 100%, as in 5%").map(|part| c.config.equal_within = part)
    }),
    ("evaluator", "rare-calls", |c, v| {
        or_none(v, |v| least(v, 1, "a number of calls from 1, or none")).map(|n| c.config.rare_calls = n)
    }),
    ("evaluator", "overwrite-results", |c, v| {
        older(v).map(|found| (c.config.overwrite_results, c.config.numbered[1]) = found)
    }),
    ("evaluator", "human-readable-results", |c, v| flag(v).map(|b| c.config.human_results = b)),
    ("evaluator", "arguments-size-scale-base", |c, v| number(v, "a whole number").map(|n| c.scale_base = n)),
    ("evaluator", "arguments-size-scale", |c, v| {
        let scales = [("linear", false), ("lin", false), ("logarithmic", true), ("log", true)];
        word(v, &scales).map(|log| c.logarithmic = log)
    }),
    ("drill", "claims", |c, v| {
        word(v, &[("none", false), ("failed", true)]).map(|failed| c.config.drill.failed = failed)
    }),
    ("drill", "drill-time", |c, v| {
        least::<u64>(v, 1, "milliseconds from 1").map(|ms| c.config.drill.longest = Duration::from_millis(ms))
    }),
    ("drill", "drill-budget", |c, v| {
        let expected =
            "overhead-budget for its value, a percentage over 0% and up to 100%, as in 5%, or none";
        c.config.drill.budget = match v {
            "overhead-budget" => DrillBudget::OfProbes,
            own => DrillBudget::Own(or_none(own, |own| percent(own, expected))?),
        };
        Ok(())
    }),
];

/// Placeholder for an unknown section; the names of keys are unique.
pub(super) const ANY: &str = "*";

/// The section of a key.
pub(super) fn section_of(key: &str) -> &'static str {
    KEYS.iter().find(|(_, known, _)| *known == key).map_or(ANY, |(section, ..)| section)
}
