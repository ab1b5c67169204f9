//! A run as it is inserted.

use crate::metric::Metric;
use crate::number::Number;
use crate::series::Series;

/// Most methods of a run that are kept, those with most bytecodes.
pub const MOST_METHODS: usize = 1_000;
/// Most values and verdicts of a run.
pub(crate) const MOST_LINES: usize = 100_000;
/// A run with all that is kept of it.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Its facts.
    pub facts: Facts,
    /// Values of metrics.
    pub values: Vec<Value>,
    /// Results of claims.
    pub verdicts: Vec<Verdict>,
    /// Methods, those with most bytecodes first.
    pub methods: Vec<Method>,
    /// Metrics over time.
    pub series: Series,
}

/// Facts about a run as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Name of the run that stays when it is inserted again with other values.
    pub identity: String,
    /// A digest of all that was read of it.
    pub digest: String,
    /// `metrics` or `measurement`.
    pub kind: &'static str,
    /// Main class or JAR of the program with its arguments.
    pub command: String,
    /// Version of Java, if the files say it.
    pub jdk: Option<String>,
    /// Begin, milliseconds since 1970, if it is known.
    pub began_unix_ms: Option<u64>,
    /// Version of the program that made it, if the files say it.
    pub spl: Option<String>,
    /// The folder that it was read from.
    pub folder: String,
}

impl Facts {
    /// The main class or JAR alone.
    #[must_use]
    pub fn program(&self) -> &str {
        self.command.split(' ').next().unwrap_or_default()
    }
}

/// A value of a metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Name of the space.
    pub space: String,
    /// The metric.
    pub metric: Metric,
    /// Key, if there are several: the least number, and the greatest unless there is no end.
    pub key: Option<(u64, Option<u64>)>,
    /// The value, if it is known exactly.
    pub value: Option<Number>,
    /// Lower bound.
    pub least: Option<Number>,
    /// Upper bound.
    pub most: Option<Number>,
    /// The word for its certainty.
    pub exactness: String,
    /// Why it is not exact, or why there is none.
    pub reasons: Vec<String>,
}

/// The kind of a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClaimKind {
    /// A comparison of times.
    #[default]
    Comparison,
    /// An assertion about times.
    Assertion,
    /// A claim about metrics.
    Metric,
}

impl ClaimKind {
    /// Its name in the table of results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Comparison => "comparison",
            Self::Assertion => "assertion",
            Self::Metric => "metric",
        }
    }
}

/// A result of a claim.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Kind of the claim.
    pub kind: ClaimKind,
    /// Number in the task file among those of its kind, from 1.
    pub claim: u64,
    /// The claim.
    pub text: String,
    /// Workload sizes, of a comparison.
    pub bucket: Option<String>,
    /// The instance that an assertion speaks of.
    pub instance: Option<String>,
    /// `holds`, `fails`, `undecided` or `not-evaluated`.
    pub result: &'static str,
    /// Basis of the verdict.
    pub basis: Option<String>,
    /// The p-value of the test that decided.
    pub p_value: Option<f64>,
    /// Left over right mean, with its interval.
    pub ratio: Option<[f64; 3]>,
    /// Calls on both sides.
    pub calls: Option<[u64; 2]>,
    /// Scaled means of both sides, nanoseconds.
    pub means_ns: Option<[f64; 2]>,
    /// Why it was not evaluated, or is not proved.
    pub reason: Option<String>,
}

/// A method that ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Method {
    /// Its class, with slashes.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Calls.
    pub calls: u64,
    /// Bytecodes in itself: at least, and at most.
    pub bytecodes: (u64, u64),
    /// Blocks that ran, and all that can.
    pub blocks: (u64, u64),
    /// Why its counts may not be exact; empty for exact ones.
    pub doubt: String,
}
