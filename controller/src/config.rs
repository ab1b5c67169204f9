//! The INI file (thesis 3.3.2): every key, its default, and errors with the place and the correction.

use spl_lang::RunMode;
use spl_model::{Scale, Sizing};
use spl_records::context::Setting;
use spl_scheduler::{Paired, Settings};
use spl_session::config::{Config, Judge, WARM_UP};
use spl_verdict::Correction;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file that is read when none is named; it may be missing.
pub const DEFAULT_FILE: &str = "splserver.ini";
/// The environment variable that names another file (the thesis's property `spl.server.config`).
pub const FILE_VARIABLE: &str = "SPL_SERVER_CONFIG";

/// The environment variable that names the JAR with size processors (thesis 3.4.3); it overrides
/// `processor-jar`.
pub const PROCESSOR_VARIABLE: &str = "PROCESSOR_JAR";

/// Set of features beyond the thesis (`profile`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Profile {
    /// No features: measurements are made as in 2015.
    Thesis,
    /// All features for correct verdicts and cheap probes, according to the other keys.
    Production,
}

/// The keys beyond the thesis; with `profile = thesis` none of them may be set.
const BEYOND_THESIS: [&str; 15] = [
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
const OF_THESIS: [(&str, &str); 4] = [
    ("argument-size", "deep"),
    ("max-method-measurements", "1000"),
    ("arguments-size-scale", "linear"),
    ("arguments-size-scale-base", "100"),
];

/// The value of `max-method-measurements` without judging by windows when the file names none: one test at
/// the end needs no more.
const MOST_AT_ONCE: &str = "10000";

/// Value of `overwrite-…`: older files are neither replaced nor appended to.
const NUMBERED: &str = "number";
const MEGABYTE: u64 = 1 << 20;
const MEGABYTES: &str = "a number of megabytes from 1";
const OBJECTS: &str = "a number of objects from 1";
const PROGRAMS: &str = "a number of programs from 1";

/// Description of the expected value.
type Expected = String;
type Set = fn(&mut Draft, &str) -> Result<(), Expected>;

/// Every key: section, name and reader of its value.
const KEYS: [(&str, &str, Set); 42] = [
    ("communication", "initial-sleep", |c, v| millis(v).map(|t| c.config.initial_sleep = t)),
    ("communication", "cycle-sleep", |c, v| millis(v).map(|t| c.config.cycle_sleep = t)),
    ("communication", "port", |c, v| number(v, "a port from 0 to 65535").map(|n| c.config.port = n)),
    ("communication", "programs", |c, v| {
        let programs = number(v, PROGRAMS)?;
        if programs == 0 {
            Err(PROGRAMS.to_owned())
        } else {
            c.config.programs = programs;
            Ok(())
        }
    }),
    ("scheduler", "initial-optimal-measurements", |c, v| {
        number(v, "a number of methods").map(|n| c.config.scheduler.initial_optimal = n)
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
        let limit = number(v, OBJECTS)?;
        if limit == 0 {
            Err(OBJECTS.to_owned())
        } else {
            c.config.size_visit_limit = limit;
            Ok(())
        }
    }),
    ("scheduler", "metaspace-limit", |c, v| {
        let megabytes = number::<u32>(v, MEGABYTES)?;
        if megabytes == 0 {
            Err(MEGABYTES.to_owned())
        } else {
            c.config.metaspace_limit = u64::from(megabytes) * MEGABYTE;
            Ok(())
        }
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
        or_none(v, |v| number(v, "a number of changes from 1, or none"))
            .map(|n| c.config.scheduler.changes_per_minute = n)
    }),
    ("scheduler", "overhead-budget", |c, v| or_none(v, percent).map(|p| c.config.overhead_budget = p)),
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
        number(v, "a number of samples").map(|n| c.config.scheduler.max_samples = n)
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
        number(v, "a number between 0 and 1").map(|p| c.config.scheduler.limit_p = p)
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
    ("evaluator", "equal-within", |c, v| percent(v).map(|part| c.config.equal_within = part)),
    ("evaluator", "rare-calls", |c, v| {
        or_none(v, |v| number(v, "a number of calls from 1, or none")).map(|n| c.config.rare_calls = n)
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
];

/// A configuration that is being read: its values, and keys that only have a meaning together.
#[derive(Debug)]
struct Draft {
    config: Config,
    scale_base: u64,
    logarithmic: bool,
    profile: Profile,
    paired: bool,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            config: Config::default(),
            scale_base: 2,
            logarithmic: true,
            profile: Profile::Production,
            paired: true,
        }
    }
}

/// Reads a configuration with other values of some keys (`--set`); `file` is its name in messages.
///
/// # Errors
/// All problems of the file, one a line, each with its place and its correction.
pub fn parse(text: &str, file: &Path, changes: &[(String, String)]) -> Result<Config, String> {
    let ini = ini::Ini::load_from_str_noescape(text).map_err(|e| {
        format!(
            "{}:{}:{}: not understood; expected a section as [name] or a line key = value",
            file.display(),
            e.line,
            e.col
        )
    })?;
    let mut draft = Draft::default();
    let mut problems = Vec::new();
    let mut named = Vec::new();
    for (section, properties) in &ini {
        for (key, value) in properties {
            named.push(key);
            if let Err(problem) = draft.set(section.unwrap_or(""), key, value.trim()) {
                problems.push(format!("{}:{}: {problem}", file.display(), line_of(text, section, key)));
            }
        }
    }
    for (key, value) in changes {
        named.push(key);
        if let Err(problem) = draft.set(section_of(key), key, value) {
            problems.push(format!("--set {key}={value}: {problem}"));
        }
    }
    if let Err(problem) = draft.settle(&named) {
        let and = if changes.is_empty() { "" } else { " with --set" };
        problems.push(format!("{}{and}: {problem}", file.display()));
    }
    if problems.is_empty() { Ok(draft.config) } else { Err(problems.join("\n")) }
}

impl Draft {
    fn set(&mut self, section: &str, key: &str, value: &str) -> Result<(), String> {
        if let Some((_, _, set)) = KEYS.iter().find(|(s, k, _)| (*s, *k) == (section, key)) {
            return set(self, value).map_err(|expected| format!("{key} = {value:?}: expected {expected}"));
        }
        if let Some((right, _, _)) = KEYS.iter().find(|(_, k, _)| *k == key) {
            return Err(format!("{key} belongs to section [{right}], not [{section}]"));
        }
        let known = KEYS.iter().map(|(_, k, _)| *k);
        let nearest =
            known.max_by(|a, b| strsim::jaro_winkler(a, key).total_cmp(&strsim::jaro_winkler(b, key)));
        let place = if section == ANY { String::new() } else { format!(" in section [{section}]") };
        Err(format!("unknown key {key:?}{place}: did you mean {:?}?", nearest.unwrap_or_default()))
    }

    /// Sets the values that depend on several keys.
    fn settle(&mut self, named: &[&str]) -> Result<(), String> {
        if self.profile == Profile::Thesis {
            self.take_defaults_of_thesis(named)?;
        }
        if !self.paired && !named.contains(&"method") {
            self.config.judge = Judge::Welch;
        }
        if self.profile == Profile::Production
            && !named.contains(&"max-method-measurements")
            && !self.config.looks()
        {
            self.config.scheduler.max_samples = number(MOST_AT_ONCE, "a number")?;
        }
        let scale = if self.logarithmic {
            Scale::logarithmic(self.scale_base)
        } else {
            Scale::linear(self.scale_base)
        };
        self.config.scheduler.scale = scale.map_err(|e| format!("arguments-size-scale-base: {e}"))?;
        match (self.profile, BEYOND_THESIS.iter().find(|key| named.contains(key))) {
            (Profile::Thesis, Some(key)) => {
                return Err(format!("profile = thesis has no {key}: leave the key out, or the profile"));
            }
            (Profile::Thesis, None) => {
                let Settings {
                    warm_up,
                    restore_after_ns,
                    instrument_ahead,
                    settle_ns,
                    changes_per_minute,
                    listening,
                    ..
                } = Settings::thesis();
                let ours = std::mem::replace(&mut self.config.scheduler, Settings::thesis());
                self.config.scheduler = Settings {
                    warm_up,
                    restore_after_ns,
                    instrument_ahead,
                    settle_ns,
                    changes_per_minute,
                    listening,
                    paired: None,
                    ..ours
                };
                self.config.overhead_budget = None;
            }
            (Profile::Production, _) => self.config.scheduler.paired = self.windows()?,
        }
        Ok(())
    }

    /// Sets keys that the file doesn't name to their values in the thesis.
    fn take_defaults_of_thesis(&mut self, named: &[&str]) -> Result<(), String> {
        self.paired = false;
        let left_out = OF_THESIS.iter().filter(|(key, _)| !named.contains(key));
        left_out
            .filter_map(|(key, value)| Some((KEYS.iter().find(|(_, known, _)| known == key)?, value)))
            .try_for_each(|((_, _, set), value)| set(self, value))
    }

    /// Settings of windows, where they are wanted. The sequential mode judges windows only.
    fn windows(&self) -> Result<Option<Paired>, String> {
        if self.config.judge == Judge::Sequential && !self.paired {
            return Err(
                "method = sequential compares calls of shared windows: leave out policy = delay in [scheduler]"
                    .into(),
            );
        }
        Ok(self.paired.then(|| self.config.turns()))
    }
}

/// Keys set explicitly, by section and key.
pub type Written = BTreeMap<(String, String), String>;

/// Placeholder for an unknown section; the names of keys are unique.
const ANY: &str = "*";

/// The section of a key.
fn section_of(key: &str) -> &'static str {
    KEYS.iter().find(|(_, known, _)| *known == key).map_or(ANY, |(section, ..)| section)
}

/// Keys set explicitly, with other values of some keys.
pub fn with(mut written: Written, changes: &[(String, String)]) -> Written {
    let changed =
        changes.iter().map(|(key, value)| ((section_of(key).to_owned(), key.clone()), value.clone()));
    written.extend(changed);
    written
}

/// The file that shows every key with its default.
const DEFAULTS: &str = include_str!("../../splserver.ini");

/// Keys set explicitly in the text; empty if it does not parse.
pub fn written(text: &str) -> Written {
    let Ok(ini) = ini::Ini::load_from_str_noescape(text) else { return Written::new() };
    let pairs = ini.iter().flat_map(|(section, properties)| {
        let section = section.unwrap_or("").to_owned();
        properties
            .iter()
            .map(move |(key, value)| ((section.clone(), key.to_owned()), value.trim().to_owned()))
    });
    pairs.collect()
}

/// Every key with its value, where `changed` are the keys set explicitly.
pub fn settings(changed: &Written) -> Vec<Setting> {
    let says =
        |wanted: &str, value: &str| changed.iter().any(|((_, key), own)| key == wanted && own == value);
    let of_thesis = says("profile", "thesis");
    let at_once = says("method", "welch") || says("policy", "delay") || says("run-mode", "measurement");
    let setting = |((section, key), default): ((String, String), String)| {
        let value = match changed.get(&(section.clone(), key.clone())) {
            Some(value) => value.clone(),
            None if at_once && !of_thesis && key == "max-method-measurements" => MOST_AT_ONCE.to_owned(),
            None if of_thesis && BEYOND_THESIS.contains(&key.as_str()) => "off: profile = thesis".to_owned(),
            None => OF_THESIS
                .iter()
                .find(|(own, _)| of_thesis && *own == key)
                .map_or_else(|| default.clone(), |(_, value)| (*value).to_owned()),
        };
        Setting { section, key, value, default }
    };
    written(DEFAULTS).into_iter().map(setting).collect()
}

/// The line, from 1, of a key of a section; the line of the section, or 1, when the key is not found.
fn line_of(text: &str, section: Option<&str>, key: &str) -> usize {
    let mut current = None;
    let mut at = 1;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            current = Some(name.trim());
            if current == section {
                at = number;
            }
        } else if current == section && line.split(['=', ':']).next().is_some_and(|k| k.trim() == key) {
            at = number;
        }
    }
    at
}

fn number<T: std::str::FromStr>(value: &str, expected: &str) -> Result<T, Expected> {
    value.parse().map_err(|_| expected.to_owned())
}

fn millis(value: &str) -> Result<Duration, Expected> {
    number(value, "milliseconds").map(Duration::from_millis)
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// A share from 0 to 1, written as a percentage.
fn percent(value: &str) -> Result<f64, Expected> {
    let share = value.strip_suffix('%').and_then(|number| number.trim_end().parse::<f64>().ok());
    let share = share.map(|percent| percent / 100.0).filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "a percentage over 0%, as in 1%, or none".to_owned())
}

fn or_none<T>(value: &str, read: impl Fn(&str) -> Result<T, Expected>) -> Result<Option<T>, Expected> {
    if value == "none" { Ok(None) } else { read(value).map(Some) }
}

fn path(value: &str) -> Result<PathBuf, Expected> {
    if value.is_empty() { Err("a path".to_owned()) } else { Ok(value.into()) }
}

/// Treatment of older files: whether they are replaced, and whether only in a folder of their own.
fn older(value: &str) -> Result<(bool, bool), Expected> {
    if value == NUMBERED {
        return Ok((true, true));
    }
    flag(value)
        .map(|overwrite| (overwrite, false))
        .map_err(|_| format!("one of {NUMBERED}, 1, 0, true, false"))
}

fn flag(value: &str) -> Result<bool, Expected> {
    word(value, &[("1", true), ("0", false), ("true", true), ("false", false)])
}

fn word<T: Clone>(value: &str, words: &[(&str, T)]) -> Result<T, Expected> {
    let names = words.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    words
        .iter()
        .find(|(name, _)| *name == value)
        .map(|(_, v)| v.clone())
        .ok_or_else(|| format!("one of {names}"))
}

#[cfg(test)]
mod tests;
