//! Reasons why a method has no samples to judge, or too few.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The reason why a method has no samples to judge, or too few. As text it follows the method's name and a
/// colon.
///
/// ```
/// use spl_model::{Lack, Taken};
/// let lack = Lack::Discarded(Taken { warm_up: 8, ..Taken::default() });
/// assert_eq!(lack.to_string(), "8 calls were measured, all discarded as warm-up");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Lack {
    /// The method can never be measured: it is native, refused, or not in its class.
    Unmeasurable {
        /// The reason in words.
        why: String,
    },
    /// No class with the method's class name was loaded.
    NotLoaded,
    /// The run was over before the measurement began.
    NotBegun {
        /// The event that ended the run.
        ended_by: EndedBy,
        /// Nanoseconds from the program's first message to the end.
        lasted_ns: u64,
        /// Nanoseconds that the measurement should wait (`initial-sleep`).
        wait_ns: u64,
    },
    /// The measurement ended before probes were in the method and its gate was opened.
    NoTurn,
    /// The gate was never opened, because nothing was left of the overhead budget.
    NoBudget {
        /// The largest item of the budget; `None` if unknown.
        spent: Option<Spent>,
    },
    /// The gate was open, and no call both began and ended.
    NeverCalled {
        /// Nanoseconds that the gate was open.
        open_ns: u64,
        /// Calls of this or other methods that were lost meanwhile.
        lost: u64,
    },
    /// Calls of the method were measured, but too few of them count.
    Discarded(Taken),
    /// Enough calls count, but no two of them have similar workload sizes.
    Scattered {
        /// Calls that count.
        calls: u64,
        /// Number of size buckets of these calls.
        sizes: u64,
    },
    /// The recorded measurements have no call of the method.
    NotRecorded,
}

/// The event that ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndedBy {
    /// The program or the connection to its agent ended.
    Program,
    /// The operator interrupted the run.
    Operator,
}

/// Numbers of a method's measured calls, by their use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// Calls that count.
    pub counted: u64,
    /// Calls discarded as warm-up.
    pub warm_up: u64,
    /// Calls discarded because a garbage collection or a change of classes overlapped them.
    pub disturbed: u64,
    /// Calls without a partner in their window, or in a window that was incomplete at the end.
    pub surplus: u64,
    /// Calls that came after the method was finished.
    pub late: u64,
    /// Lost calls of this or other methods; their methods are unknown. They are not among the measured calls.
    pub lost: u64,
}

/// The largest item of an overhead budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// The purpose.
    pub on: SpentOn,
    /// CPU time, nanoseconds.
    pub ns: u64,
    /// CPU time of all items together, nanoseconds.
    pub of_ns: u64,
}

/// A purpose of an overhead budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "method", rename_all = "kebab-case")]
pub enum SpentOn {
    /// Measuring calls of a method.
    Calls(String),
    /// Computing the workload sizes of a method's calls.
    Sizes(String),
    /// The agent's own thread.
    Agent,
}

impl Taken {
    /// Number of all measured calls, without the lost ones.
    #[must_use]
    pub fn total(&self) -> u64 {
        let Self { counted, warm_up, disturbed, surplus, late, .. } = *self;
        [counted, warm_up, disturbed, surplus, late].into_iter().fold(0, u64::saturating_add)
    }

    /// Calls that do not count, by reason; reasons without calls are left out.
    fn uncounted(&self) -> impl Iterator<Item = (u64, &'static str)> {
        [
            (self.warm_up, "discarded as warm-up"),
            (self.disturbed, "discarded as disturbed"),
            (self.surplus, "without a partner in their window, or in one that was not over"),
            (self.late, "too late"),
        ]
        .into_iter()
        .filter(|(number, _)| *number > 0)
    }
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unmeasurable { why } => f.write_str(why),
            Self::NotLoaded => f.write_str("its class was never loaded"),
            Self::NotBegun { ended_by, lasted_ns, wait_ns } => {
                let (lasted, wait_ms) = (Seconds(*lasted_ns), wait_ns / 1_000_000);
                let what = match ended_by {
                    EndedBy::Program => "the program ended",
                    EndedBy::Operator => "the run was interrupted",
                };
                write!(
                    f,
                    "{what} after {lasted}, before the measurement began (initial-sleep: at most {wait_ms} ms)"
                )
            }
            Self::NoTurn => f.write_str("the measurement ended before it was its turn"),
            Self::NoBudget { spent } => {
                f.write_str("no call was measured, because nothing was left of the overhead budget")?;
                match spent {
                    Some(Spent { on, ns, of_ns }) => {
                        write!(f, ": {:.0}% went to {on}", *ns as f64 / (*of_ns).max(1) as f64 * 100.0)
                    }
                    None => Ok(()),
                }
            }
            Self::NeverCalled { open_ns, lost } => {
                write!(
                    f,
                    "never called: no call began and ended in the {} in which it was measured{}",
                    Seconds(*open_ns),
                    Lost(*lost)
                )
            }
            Self::Discarded(taken) => write!(f, "{taken}{}", Lost(taken.lost)),
            Self::Scattered { calls, sizes } => {
                write!(f, "{calls} calls count, in {sizes} buckets of sizes, and no two in the same one")
            }
            Self::NotRecorded => f.write_str("no call of it was recorded"),
        }
    }
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let were = |number: u64| if number == 1 { "call was" } else { "calls were" };
        let total = self.total();
        write!(f, "{total} {} measured", were(total))?;
        let parts: Vec<(u64, &str)> = self.uncounted().collect();
        match parts.as_slice() {
            [] => Ok(()),
            [(number, became)] if *number == total && total > 1 => write!(f, ", all {became}"),
            [(number, became)] if *number == total => write!(f, " and {became}"),
            parts => {
                let parts = parts.iter().map(|(number, became)| format!("{number} {became}"));
                let count = if self.counted == 1 { "counts" } else { "count" };
                write!(f, ": {}; {} {count}", parts.collect::<Vec<_>>().join(", "), self.counted)
            }
        }
    }
}

impl fmt::Display for SpentOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Calls(method) => write!(f, "measuring calls of {method}"),
            Self::Sizes(method) => write!(f, "finding workload sizes of {method}"),
            Self::Agent => f.write_str("the agent's own thread"),
        }
    }
}

/// Lost calls, whose methods are unknown.
struct Lost(u64);

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            1 => f.write_str("; one call of this or another method was lost on the way"),
            lost => write!(f, "; {lost} calls of this or other methods were lost on the way"),
        }
    }
}

/// Nanoseconds, shown as seconds or milliseconds with two digits.
struct Seconds(u64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.0;
        match ns {
            0..1_000_000 => write!(f, "{} µs", ns / 1000),
            1_000_000..100_000_000 => write!(f, "{} ms", ns / 1_000_000),
            100_000_000..10_000_000_000 => write!(f, "{:.1} s", ns as f64 / 1e9),
            _ => write!(f, "{} s", ns / 1_000_000_000),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_plain_words() {
        let check = |lack: Lack, expected: &str| assert_eq!(lack.to_string(), expected);
        let taken = |counted, warm_up, surplus, lost| {
            Lack::Discarded(Taken { counted, warm_up, surplus, lost, ..Taken::default() })
        };
        check(taken(0, 8, 0, 0), "8 calls were measured, all discarded as warm-up");
        check(taken(0, 1, 0, 0), "1 call was measured and discarded as warm-up");
        check(taken(1, 8, 0, 0), "9 calls were measured: 8 discarded as warm-up; 1 counts");
        check(
            taken(0, 5, 3, 1),
            "8 calls were measured: 5 discarded as warm-up, 3 without a partner in their window, or in one that was not over; 0 count; one call of \
             this or another method was lost on the way",
        );
        check(taken(1, 0, 0, 0), "1 call was measured");
        check(
            Lack::NotBegun { ended_by: EndedBy::Program, lasted_ns: 312_000_000, wait_ns: 3_000_000_000 },
            "the program ended after 0.3 s, before the measurement began (initial-sleep: at most 3000 ms)",
        );
        check(
            Lack::NeverCalled { open_ns: 3_210_000_000, lost: 0 },
            "never called: no call began and ended in the 3.2 s in which it was measured",
        );
        let spent = Spent { on: SpentOn::Calls("a/B.f()V".to_owned()), ns: 880, of_ns: 1000 };
        check(
            Lack::NoBudget { spent: Some(spent) },
            "no call was measured, because nothing was left of the overhead budget: 88% went to measuring calls of a/B.f()V",
        );
    }
}
