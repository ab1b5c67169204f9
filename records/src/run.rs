//! State of a run (`run.json`): the data to resume it after an interruption.

use serde::{Deserialize, Serialize};
use spl_model::{ClaimIx, MethodError, MethodRef, fnv1a_128};
use std::fmt;

const SCHEMA: &str = "spl.run/1";

/// Progress of a run.
///
/// ```
/// use spl_records::{MethodProgress, RunState, TasksHash};
/// let method = "p/C.f(I)V".parse()?;
/// let state = RunState {
///     tasks: TasksHash::of("p/C.f(I)V < p/C.g(I)V\n"),
///     methods: vec![MethodProgress { method, measurements: 120, finished: false }],
///     decided: vec![],
///     finished: false,
/// };
/// let text = state.to_json();
/// assert!(text.contains("\"schema\": \"spl.run/1\""));
/// assert_eq!(RunState::from_json(&text)?, state);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunState {
    /// The measured tasks: only a run with the same tasks can be resumed.
    pub tasks: TasksHash,
    /// Every method of the tasks, in their order.
    pub methods: Vec<MethodProgress>,
    /// Comparisons with a result, as indices into the tasks' comparisons.
    pub decided: Vec<ClaimIx>,
    /// Whether the run is complete; then there is nothing to resume.
    pub finished: bool,
}

/// Progress of one method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodProgress {
    /// The method.
    pub method: MethodRef,
    /// Number of measurements in its file.
    pub measurements: u64,
    /// Whether the method is finished.
    pub finished: bool,
}

/// Hash that identifies a task file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TasksHash(u128);

impl TasksHash {
    /// The hash of a task file's text, the same in every release.
    #[must_use]
    pub fn of(tasks: &str) -> Self {
        Self(fnv1a_128(tasks.as_bytes()))
    }
}

/// 32 hexadecimal digits.
impl fmt::Display for TasksHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl RunState {
    /// The content of `run.json`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let method = |progress: &MethodProgress| JsonMethod {
            method: progress.method.to_string(),
            measurements: progress.measurements,
            finished: progress.finished,
        };
        let json = Json {
            schema: SCHEMA.to_owned(),
            tasks: self.tasks.to_string(),
            methods: self.methods.iter().map(method).collect(),
            decided: self.decided.clone(),
            finished: self.finished,
        };
        let text = serde_json::to_string_pretty(&json);
        spl_model::plain_json(&text.expect("strings, numbers and lists of them are always JSON")) + "\n"
    }

    /// Reads `run.json`.
    ///
    /// # Errors
    /// When it is not JSON, not of this schema, or contains a text that is not a method.
    pub fn from_json(text: &str) -> Result<Self, RunStateError> {
        let Schema { schema } = serde_json::from_str(text)?;
        if schema != SCHEMA {
            return Err(RunStateError::UnknownSchema { found: schema });
        }
        let json: Json = serde_json::from_str(text)?;
        let method = |json: JsonMethod| -> Result<MethodProgress, RunStateError> {
            let JsonMethod { method, measurements, finished } = json;
            let method = match method.parse() {
                Ok(method) => method,
                Err(error) => return Err(RunStateError::Method { text: method, error }),
            };
            Ok(MethodProgress { method, measurements, finished })
        };
        let hexadecimal = json.tasks.len() == 32 && json.tasks.bytes().all(|byte| byte.is_ascii_hexdigit());
        let tasks = u128::from_str_radix(&json.tasks, 16).ok().filter(|_| hexadecimal);
        Ok(Self {
            tasks: TasksHash(tasks.ok_or_else(|| RunStateError::Tasks(json.tasks.clone()))?),
            methods: json.methods.into_iter().map(method).collect::<Result<_, _>>()?,
            decided: json.decided,
            finished: json.finished,
        })
    }
}

/// The part of the layout that every version of the file has.
#[derive(Deserialize)]
struct Schema {
    schema: String,
}

/// The file's layout.
#[derive(Serialize, Deserialize)]
struct Json {
    schema: String,
    tasks: String,
    methods: Vec<JsonMethod>,
    decided: Vec<ClaimIx>,
    finished: bool,
}

#[derive(Serialize, Deserialize)]
struct JsonMethod {
    method: String,
    measurements: u64,
    finished: bool,
}

/// Reason why a run's state cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RunStateError {
    /// Not JSON of this layout; the text contains line and column.
    #[error("not the state of a run: {0}")]
    Json(#[from] serde_json::Error),
    /// Written by another release.
    #[error(
        "the run's state has the schema {found:?}, this spl knows {SCHEMA:?}: \
         continue the run with the spl that began it, or remove the file to start over"
    )]
    UnknownSchema {
        /// The schema in the file.
        found: String,
    },
    /// A text that is not a hash.
    #[error("the run's state has {0:?} where the hash of the tasks should be")]
    Tasks(String),
    /// A text that is not a method.
    #[error("the run's state names the method {text:?}: {error}")]
    Method {
        /// The text in the file.
        text: String,
        /// The error in it.
        error: MethodError,
    },
}
