//! Contents of the pages, as values.

use std::collections::BTreeMap;

/// Methods of a run that the pages show, those with most bytecodes.
pub const MOST_METHODS: usize = 60;

/// Runs with what is needed to explain them.
#[derive(Clone, Debug, Default)]
pub struct Site {
    /// Version of the program that makes the pages.
    pub spl: String,
    /// The runs, the newest first.
    pub runs: Vec<StoredRun>,
    /// The number of older runs that were asked for, too, but are beyond the limit.
    pub left: u64,
    /// Pairs of runs whose difference is asked for, by their numbers.
    pub compare: Vec<(i64, i64)>,
    /// Definitions of metrics, by their names.
    pub definitions: BTreeMap<String, String>,
    /// Whether the pages are served, with a page for queries; otherwise they are files.
    pub is_served: bool,
}

/// The numbers of things that a run has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Values of metrics.
    pub values: u64,
    /// Results of claims.
    pub results: u64,
    /// Results that say that a claim fails.
    pub failed: u64,
}

/// A run of the store.
#[derive(Clone, Debug, Default)]
pub struct StoredRun {
    /// Its number.
    pub id: i64,
    /// `metrics` or `measurement`.
    pub kind: String,
    /// Main class or JAR with arguments.
    pub command: String,
    /// Version of Java, if it is known.
    pub jdk: Option<String>,
    /// Begin (UTC), if it is known.
    pub began: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// The folder that it was read from.
    pub folder: String,
    /// Numbers of what was left out here, for a page that has only the run's line; `None`: the run is whole.
    pub line: Option<Contents>,
    /// Values of metrics.
    pub values: Vec<MetricValue>,
    /// Results of claims.
    pub claims: Vec<Claimed>,
    /// Its first methods, those with most bytecodes first.
    pub methods: Vec<RanMethod>,
    /// Metrics over time.
    pub over_time: Vec<OverTime>,
}

/// A value of a metric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetricValue {
    /// Name of the space.
    pub space: String,
    /// Name of the metric with its group and kind.
    pub metric: String,
    /// The chosen definition and threshold; empty without.
    pub options: String,
    /// Key, if there are several: the least number, and the greatest unless there is no end.
    pub key: Option<(i64, Option<i64>)>,
    /// Its bounds; none for 0/0.
    pub bounds: Option<Bounds>,
    /// Whether it is about a part.
    pub is_partial: bool,
}

/// The bounds of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower bound.
    pub least: f64,
    /// Upper bound.
    pub most: f64,
    /// Whether it is a count.
    pub is_count: bool,
}

/// A result of a claim.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claimed {
    /// The claim.
    pub text: String,
    /// Workload sizes, or the instance.
    pub about: Option<String>,
    /// `holds`, `fails`, `undecided` or `not-evaluated`.
    pub result: String,
    /// Basis of the verdict, or why there is none.
    pub basis: Option<String>,
    /// Left over right mean with its interval.
    pub ratio: Option<[f64; 3]>,
}

/// A method that ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RanMethod {
    /// Its class, with slashes.
    pub class: String,
    /// Its name and descriptor.
    pub name: String,
    /// Calls.
    pub calls: u64,
    /// Bytecodes in itself: at least, and at most.
    pub bytecodes: [u64; 2],
    /// Blocks that ran, and all that can.
    pub blocks: [u64; 2],
}

/// A metric of a space over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OverTime {
    /// Name of the space.
    pub space: String,
    /// Name of the metric with its group and kind.
    pub metric: String,
    /// The chosen definition and threshold; empty without.
    pub options: String,
    /// Whether its values are counts.
    pub is_count: bool,
    /// Its intervals, in their order.
    pub moments: Vec<Moment>,
    /// Its change: 0 if it is always the same, 1 if it is 0 at times.
    pub change: f64,
}

/// An interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moment {
    /// Beginning and end, seconds of the drill.
    pub time_s: [f64; 2],
    /// The bounds of the value; none for 0/0.
    pub bounds: Option<[f64; 2]>,
}

impl OverTime {
    /// Its name with its options.
    pub(super) fn title(&self) -> String {
        let options = if self.options.is_empty() { String::new() } else { format!("[{}]", self.options) };
        format!("{}{options}", self.metric)
    }

    /// Beginning and end of all intervals, seconds.
    pub(super) fn time_s(&self) -> [f64; 2] {
        match (self.moments.first(), self.moments.last()) {
            (Some(first), Some(last)) => [first.time_s[0], last.time_s[1]],
            _ => [0.0; 2],
        }
    }
}

/// Identity of a value, by which values of two runs are compared: space, metric, options, and the beginning of the key.
pub(super) type Key<'a> = (&'a str, &'a str, &'a str, Option<i64>);

impl MetricValue {
    /// Its identity among the values of a run.
    pub(super) fn identity(&self) -> Key<'_> {
        (&self.space, &self.metric, &self.options, self.key.map(|(low, _)| low))
    }

    /// Its name with its options and key.
    pub(super) fn title(&self) -> String {
        let options = if self.options.is_empty() { String::new() } else { format!("[{}]", self.options) };
        let key = match self.key {
            None => String::new(),
            Some((low, Some(high))) if low == high => format!(" {low}"),
            Some((low, Some(high))) => format!(" {low}–{high}"),
            Some((low, None)) => format!(" {low}+"),
        };
        format!("{}{options}{key}", self.metric)
    }
}

impl StoredRun {
    /// The numbers of things that it has.
    pub(super) fn contents(&self) -> Contents {
        self.line.unwrap_or_else(|| {
            let failed = self.claims.iter().filter(|claim| claim.result == "fails").count();
            Contents {
                values: self.values.len() as u64,
                results: self.claims.len() as u64,
                failed: failed as u64,
            }
        })
    }

    /// Whether another run has the same command, kind and tags, and so repeats it.
    pub(super) fn is_repeat(&self, other: &Self) -> bool {
        self.command == other.command
            && self.kind == other.kind
            && self.tags == other.tags
            && self.jdk == other.jdk
    }

    /// Its spaces, in the order of its values.
    pub(super) fn spaces(&self) -> Vec<&str> {
        let mut spaces: Vec<&str> = Vec::new();
        for value in &self.values {
            if !spaces.contains(&value.space.as_str()) {
                spaces.push(&value.space);
            }
        }
        spaces
    }
}
