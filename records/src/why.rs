//! Why claims fail (`why.json`): what their methods run, counted after the measurement, and how the slow ones differ from the
//! others. All figures are averages of a call.

use serde::{Deserialize, Serialize};

const SCHEMA: &str = "spl.why/3";

/// The document.
///
/// ```
/// use spl_records::{Why, WhyFile};
/// let why = Why { claim: "p/C.f()V < p/C.g()V".to_owned(), ..Why::default() };
/// let file = WhyFile { seconds: 4.5, rounds: 2, claims: vec![why] };
/// assert_eq!(WhyFile::from_json(&file.to_json()), Ok(file));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhyFile {
    /// Time that it took.
    pub seconds: f64,
    /// Number of rounds: in each, methods join that those before call.
    pub rounds: u64,
    /// The claims that fail, and undecided ones whose times speak against them.
    pub claims: Vec<Why>,
}

/// Why one claim fails, or would fail.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Why {
    /// The claim in the words of the task file.
    pub claim: String,
    /// Whether it is undecided: its times speak against it, and the evidence does not suffice.
    #[serde(default)]
    pub is_undecided: bool,
    /// The program in which it was looked at, by name and process id, if several were measured.
    pub instance: Option<String>,
    /// The method that takes too long, as in a task file with its descriptor.
    pub slow: String,
    /// The method that it is compared with; `None` for a bound.
    pub quick: Option<String>,
    /// The ratio of the times, or the time, in the words of the table of claims.
    pub figure: String,
    /// The ratio of the slow method's times to the other one's; `None` for a bound, and for a comparison in a formula of several.
    pub times: Option<f64>,
    /// Instructions of bytecode of a call of the slow method with all that was counted below it; `None` where it was not
    /// called.
    pub bytecodes: Option<f64>,
    /// Instructions of a call of the other method.
    pub bytecodes_of_other: Option<f64>,
    /// How the instructions of a call of the slow method grow with its workload size; `None` where the sizes of its calls, or of those
    /// of the other method, hardly vary or are not known.
    pub growth: Option<WhyGrowth>,
    /// How those of the other method grow.
    pub growth_of_other: Option<WhyGrowth>,
    /// Why the slow method runs more, the greatest cause first; for a bound, where its instructions are.
    pub causes: Vec<WhyCause>,
    /// Events that cost more than an instruction and that the slow method has more of, the dearest first.
    pub extras: Vec<WhyExtra>,
    /// Metrics that differ between a call of the slow method and one of the other; none for a bound.
    #[serde(default)]
    pub measures: Vec<WhyMeasure>,
    /// Conclusion from the figures.
    pub conclusion: Conclusion,
    /// Why that may be wrong, or something be missing; a sentence each.
    pub doubts: Vec<String>,
    /// Methods that were not counted and that the slow method calls more often, the most frequent first.
    pub unseen: Vec<UnseenCalls>,
}

/// Conclusion from the figures of a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conclusion {
    /// A method was not called while it was counted.
    #[default]
    NotCalled,
    /// The slow method runs more: there are causes.
    Found,
    /// The slow method runs more, but its times are longer by far more than that.
    Partly,
    /// Both run about the same.
    Nothing,
    /// Both seem to run about the same, but the figures are too uncertain.
    Unknown,
}

/// A cause: code of the slow method itself, or a method that it calls more often.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WhyCause {
    /// Share of all that is more, 0 to 1; of instructions and of what the extras cost by an estimate.
    pub share: f64,
    /// The called method and those in it that take nearly all, from caller to callee; empty for the slow method itself.
    pub path: Vec<String>,
    /// Source line of the call.
    pub line: Option<u16>,
    /// Calls in a call of the slow method, and of the other one.
    pub calls: [f64; 2],
    /// Instructions in these calls with all that they call.
    pub bytecodes: [f64; 2],
    /// The block with most instructions in the last method of the path.
    pub block: Option<usize>,
    /// First and last source line of this block.
    pub lines: Option<(u16, u16)>,
    /// Runs of this block in a call of that method.
    pub runs: Option<f64>,
    /// How the runs of this block in a call of the slow method grow with its workload size.
    pub growth: Option<WhyGrowth>,
    /// Where that is clearly more than anything notable in a call of the other method grows: the greatest power there.
    pub outgrows: Option<f64>,
}

/// How something grows with the workload size of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WhyGrowth {
    /// The power of the size: 0 for what does not depend on it, 1 for what is proportional to it.
    pub power: f64,
    /// About how far off the power may be.
    pub error: f64,
    /// Mean size of small calls and of large ones, as a sum of lengths of their arguments.
    pub sizes: [f64; 2],
    /// The mean in a small call and in a large one.
    pub figures: [f64; 2],
}

/// Events in a call of the slow method that cost more than an instruction, and of which the other one has fewer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WhyExtra {
    /// Share of all that is more, by a rough estimate of what an event costs; 0 to 1.
    pub share: f64,
    /// Their kind.
    pub kind: WhyEvent,
    /// The method with most of what is more.
    pub method: String,
    /// The block of this method with most of them.
    pub block: Option<usize>,
    /// First and last source line of the block, or of the call.
    pub lines: Option<(u16, u16)>,
    /// Events in a call of the slow method, and in one of the other.
    pub counts: [f64; 2],
}

/// A kind of events that cost more than an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyEvent {
    /// Exceptions that are caught, by `finally` too.
    Caught,
    /// Objects and arrays that are made; compiled code may do without some.
    Made,
    /// Monitors that are entered.
    Locked,
    /// Strings that are joined by `invokedynamic`.
    Joined,
    /// Calls by class or interface, at places that reach more than two methods.
    Many,
}

/// A metric of a call of either side, with all that was counted below it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WhyMeasure {
    /// The things that are counted.
    pub of: WhyCounted,
    /// In a call of the slow method, and of the other one.
    pub counts: [f64; 2],
    /// The certainty of both.
    pub certainty: WhyCertainty,
}

/// The things that a metric of a call counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyCounted {
    /// Calls of counted methods, the call itself among them.
    Calls,
    /// Instructions of bytecode.
    Bytecodes,
    /// Objects and arrays that are made.
    Made,
    /// Calls by class or interface, at places that reach several methods.
    Polymorphic,
    /// Exceptions that are caught, by `finally` too.
    Caught,
    /// Monitors that are entered.
    Locked,
}

/// The certainty of the counts of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyCertainty {
    /// All was counted within calls of the method itself.
    Counted,
    /// All that counted lay within calls of the method itself, but some of the called methods did not count.
    AtLeast,
    /// Averages over all callers.
    Average,
}

/// Calls of a method that was not counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UnseenCalls {
    /// The method, as the class file names it.
    pub method: String,
    /// In a call of the slow method.
    pub calls: f64,
    /// In a call of the other method.
    pub calls_of_other: f64,
}

#[derive(Serialize, Deserialize)]
struct Json {
    schema: String,
    seconds: f64,
    rounds: u64,
    claims: Vec<Why>,
}

impl WhyFile {
    /// Its name, next to the results.
    pub const NAME: &str = "why.json";
    /// Smallest quotient of two figures that says something: counts vary a little, and a call costs more than its instructions.
    pub const TELLING: f64 = 1.1;

    /// The text of the file.
    #[must_use]
    pub fn to_json(&self) -> String {
        let Self { seconds, rounds, claims } = self.clone();
        let json = Json { schema: SCHEMA.to_owned(), seconds, rounds, claims };
        let text = serde_json::to_string_pretty(&json).expect("texts and numbers are always JSON");
        spl_model::plain_json(&text) + "\n"
    }

    /// Reads the text of the file.
    ///
    /// # Errors
    /// When it is not JSON of this layout, or has another schema; one line of text.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let json: Json = serde_json::from_str(text).map_err(|e| format!("not a list of reasons: {e}"))?;
        if json.schema != SCHEMA {
            return Err(format!("it has the schema {:?}, this spl knows {SCHEMA:?}", json.schema));
        }
        Ok(Self { seconds: json.seconds, rounds: json.rounds, claims: json.claims })
    }
}
