//! Setup and events of a run (`context.json`): data that a report needs and no other file has.

use crate::run::TasksHash;
use serde::{Deserialize, Serialize};
use spl_model::{Lack, Scale, Sign};

const SCHEMA: &str = "spl.context/1";

/// The surroundings of a run. Data of its end are missing while it goes on, and when its controller was
/// killed.
///
/// ```
/// use spl_records::Context;
/// let context = Context { tasks_file: "my.tasks".to_owned(), ..Context::default() };
/// assert_eq!(Context::from_json(&context.to_json())?, context);
/// # Ok::<(), spl_records::ContextError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Context {
    /// The hash of the tasks' text, as in `run.json`.
    pub tasks: String,
    /// Version of the controller.
    pub spl: String,
    /// The task file as it was named.
    pub tasks_file: String,
    /// The result file's name; it lies in the same folder.
    pub result_file: String,
    /// Folder of the measurements: relative to this file's folder, or absolute.
    pub measurements: String,
    /// Bytes of the result file, the assertions and the decisions that belong to older runs.
    pub older_bytes: [u64; 3],
    /// Time at which the controller met the program, milliseconds since 1970.
    pub began_unix_ms: u64,
    /// The measured JVMs; several when the run was interrupted and resumed.
    pub programs: Vec<Measured>,
    /// Changes of tasks and settings while the program ran; none in files of earlier versions.
    #[serde(default)]
    pub changes: Vec<LiveChange>,
    /// Whether methods took turns in windows that they shared.
    pub paired: bool,
    /// `welch` or `sequential`.
    pub judge: String,
    /// Correction of results for their number; `none` without one.
    pub correction: String,
    /// The limit p-value.
    pub limit_p: f64,
    /// Samples on each side that an evaluation needs.
    pub min_samples: u64,
    /// Samples after which a method is finished.
    pub max_samples: u64,
    /// Scale that assigns workload sizes to buckets; `None` when they are not checked.
    pub scale: Option<Scale>,
    /// Share of the program's CPU time that probes might take, from 0 to 1; `None` without a limit.
    pub budget: Option<f64>,
    /// Every key of the configuration.
    pub settings: Vec<Setting>,
    /// The comparisons, in the order of the task file.
    pub comparisons: Vec<Asked>,
    /// The assertions, in the order of the task file.
    pub assertions: Vec<Asserting>,
    /// The methods, in the order of the task file.
    pub methods: Vec<MethodFacts>,
    /// Data of the run's end.
    pub end: Option<End>,
}

/// A change of tasks or settings while the program ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveChange {
    /// Time of the change, milliseconds since 1970.
    pub at_unix_ms: u64,
    /// The change, in words.
    pub text: String,
}

/// A JVM that was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Its process.
    pub pid: u32,
    /// Name of its instance: of its host or pod, or as the operator named it; empty in files of earlier versions.
    #[serde(default)]
    pub instance: String,
    /// Its `java.version`.
    pub java: String,
    /// Command line of the JVM.
    pub command: String,
    /// Cost of a measured call there, picoseconds, as the agent measured it before the first one.
    pub probe_cost_ps: Option<u64>,
    /// Duration that a measured call of an empty method reports there, picoseconds, by the speed of the clock while it
    /// was measured: approximately this part of every duration is the probe's.
    pub probe_empty_ps: Option<u64>,
}

/// A key of the configuration with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The section, without brackets.
    pub section: String,
    /// The key.
    pub key: String,
    /// Its value.
    pub value: String,
    /// The default value.
    pub default: String,
}

/// A plain comparison of the tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Line in the file, from 1.
    pub line: usize,
    /// Index of the left method.
    pub left: usize,
    /// The sign.
    pub sign: Sign,
    /// Multiplies the left method's times.
    pub left_factor: f64,
    /// Multiplies the right method's times.
    pub right_factor: f64,
    /// Index of the right method.
    pub right: usize,
}

/// An assertion of the tasks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Asserting {
    /// Line in the file, from 1.
    pub line: usize,
    /// Title of the assertion in reports.
    pub title: String,
    /// Its text.
    pub text: String,
    /// Indices of its methods.
    pub methods: Vec<usize>,
    /// Its comparisons, from left to right; none in files of earlier versions.
    #[serde(default)]
    pub relations: Vec<Relating>,
}

/// A comparison of an assertion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Relating {
    /// The operand before the sign.
    pub left: Operand,
    /// The sign.
    pub sign: Sign,
    /// The method's operand after the sign.
    pub right: Option<Operand>,
    /// The fixed time after the sign, nanoseconds.
    pub bound_ns: Option<f64>,
    /// Largest difference of equal sides, as a share; only with `=`.
    pub within: Option<f64>,
}

/// Statistic of a method's times in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operand {
    /// Index of the method.
    pub method: usize,
    /// Share of the calls that take at most the time of the statistic, from 0 to 1: 0.5 is the median; `None`
    /// for the mean.
    pub share: Option<f64>,
    /// Multiplies it.
    pub factor: f64,
}

/// A method of the tasks, with remarks and counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodFacts {
    /// Class, name and descriptor, as in the task file.
    pub method: String,
    /// Reason why it could not be measured, or remark on its calls; in words.
    pub remark: Option<String>,
    /// Reason why it has no two samples that could be judged together; known at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lack: Option<Lack>,
    /// Counts of its calls; known at the end.
    pub counts: Option<Counts>,
}

/// Counts of a method's measured calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Calls that count.
    pub kept: u64,
    /// Calls discarded as warm-up or as disturbed.
    pub discarded: u64,
    /// Calls without a partner in their window.
    pub surplus: u64,
    /// Calls that came after the method was finished.
    pub late: u64,
    /// Calls known to be lost.
    pub dropped: u64,
    /// Whether the method was finished.
    pub finished: bool,
    /// Sampling at the end: one call in this number was taken.
    pub every: u32,
}

/// Data of a run's end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Nanoseconds from the meeting with the program to the end of the measurement.
    pub lasted_ns: u64,
    /// Samples that never arrived, or arrived damaged.
    pub lost: u64,
    /// CPU time that the program used meanwhile, nanoseconds; known under a budget.
    pub cpu_ns: Option<u64>,
    /// CPU time that the agent's own thread used to take samples out of the program and send them,
    /// nanoseconds; under a budget.
    #[serde(default)]
    pub agent_ns: Option<u64>,
    /// CPU time of measured and passed-over calls, including their workload sizes, and the part of it that
    /// went into the sizes, nanoseconds; estimated from the cost of one call, under a budget.
    #[serde(default)]
    pub probes_ns: Option<u64>,
    /// See `probes_ns`.
    #[serde(default)]
    pub sizes_ns: Option<u64>,
    /// Changes of classes, and the time that they took together, nanoseconds.
    pub changes: u64,
    /// See `changes`.
    pub changes_ns: u64,
    /// Bytes of metaspace that changes of classes keep in this JVM since its start, with the bytes that the
    /// program may still link again because of them; as last known.
    #[serde(default)]
    pub metaspace_kept: Option<u64>,
    /// Bytes that they may keep, with those set aside to restore classes.
    #[serde(default)]
    pub metaspace_limit: Option<u64>,
    /// Problems of the run.
    pub problems: Vec<String>,
}

impl Context {
    /// Whether the run had these tasks.
    #[must_use]
    pub fn is_of(&self, tasks: &TasksHash) -> bool {
        self.tasks == tasks.to_string()
    }

    /// The content of `context.json`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(&Json { schema: SCHEMA, context: self });
        spl_model::plain_json(&text.expect("strings, finite numbers and lists of them are always JSON"))
            + "\n"
    }

    /// Reads `context.json`.
    ///
    /// # Errors
    /// When it is not JSON, not of this schema, or refers to a method that it does not list.
    pub fn from_json(text: &str) -> Result<Self, ContextError> {
        let Schema { schema } = serde_json::from_str(text)?;
        if schema != SCHEMA {
            return Err(ContextError::UnknownSchema { found: schema });
        }
        let context: Self = serde_json::from_str(text)?;
        let of_comparisons = context.comparisons.iter().flat_map(|asked| [asked.left, asked.right]);
        let of_assertions = context.assertions.iter().flat_map(|asserting| asserting.methods.iter().copied());
        let relations = context.assertions.iter().flat_map(|asserting| &asserting.relations);
        let of_relations = relations.flat_map(|one| std::iter::once(one.left).chain(one.right));
        let of_relations = of_relations.map(|operand| operand.method);
        match of_comparisons
            .chain(of_assertions)
            .chain(of_relations)
            .find(|method| *method >= context.methods.len())
        {
            Some(method) => Err(ContextError::Method(method)),
            None => Ok(context),
        }
    }
}

/// The file's layout.
#[derive(Serialize)]
struct Json<'a> {
    schema: &'static str,
    #[serde(flatten)]
    context: &'a Context,
}

/// The part of the layout that every version of the file has.
#[derive(Deserialize)]
struct Schema {
    schema: String,
}

/// Reason why the surroundings of a run cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ContextError {
    /// Not JSON of this layout; the text contains line and column.
    #[error("not the context of a run: {0}")]
    Json(#[from] serde_json::Error),
    /// Written by another release.
    #[error("the context has the schema {found:?}, this spl knows {SCHEMA:?}: use the spl that made the run")]
    UnknownSchema {
        /// The schema in the file.
        found: String,
    },
    /// A method that is not in the list.
    #[error("the context speaks of method {0}, which it does not list")]
    Method(usize),
}
