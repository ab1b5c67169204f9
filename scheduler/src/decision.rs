//! The scheduler's decisions and their causes.

use crate::{JvmIx, MethodIx};
use spl_model::{Bucket, Outcome};
use spl_verdict::{Asserted, Evaluation};
use std::fmt;

/// Order to the owner.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The method is measured from now on.
    Measure(MethodIx),
    /// The method is no longer measured and waits again. Samples on their way still count.
    Suspend(MethodIx),
    /// The method's turn is over; with windows only.
    Rest(MethodIx),
    /// The method waits for a call and holds no place: its gate is open for a few calls.
    Listen(MethodIx),
    /// A window of a comparison is closed and has pairs in a bucket; with windows only.
    Window(Box<Window>),
    /// A window of a group is closed, and the owner decides by it; with windows only.
    Turns(Box<Turns>),
    /// From now on one call in `every` is taken, chosen at random. This stays so over suspensions until it is
    /// changed; 1 at first.
    SampleEvery {
        /// The method.
        method: MethodIx,
        /// Sampling: one call in this number.
        every: u32,
    },
    /// The method is called so often that its probes exceed the budget even while its gate is closed. Comes
    /// once a method.
    ClosedGateCosts {
        /// The method.
        method: MethodIx,
        /// Nanoseconds of CPU time per second.
        cost_ns_per_s: u64,
    },
    /// The method's gate opens; an open gate starts again with this sampling and quota.
    Open {
        /// The method.
        method: MethodIx,
        /// Sampling: one call in this number is taken, at random. After each taken call the next one follows
        /// after 1 to 2·every − 1 calls.
        every: u32,
        /// Number of samples after which the gate closes by itself; `None` for no limit.
        quota: Option<u64>,
    },
    /// The method's gate closes, if it has not closed by itself.
    Close(MethodIx),
    /// The method's measurement is complete.
    Finished(MethodIx),
    /// The probes of some methods go in, those of others out, in one request.
    Retransform {
        /// Methods whose probes go in, in ascending order.
        instrument: Vec<MethodIx>,
        /// Methods whose probes come out, in ascending order.
        restore: Vec<MethodIx>,
    },
    /// A comparison was evaluated, or can't be.
    Evaluated(Box<Evaluation>),
    /// An assertion was judged.
    Asserted(Box<Asserted>),
    /// Every method is finished.
    Done,
}

/// The pairs of one comparison in one bucket from one window: the first left call with the first right one,
/// and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Index of the comparison.
    pub comparison: usize,
    /// Workload sizes that the calls have in common.
    pub bucket: Bucket,
    /// Number of the window within its group, from 1.
    pub number: u64,
    /// Durations of the left method's calls, nanoseconds, in the order in which they started.
    pub left_ns: Vec<u64>,
    /// Durations of the right method's calls, the same number.
    pub right_ns: Vec<u64>,
    /// Calls of both sides that found no partner.
    pub surplus: u64,
    /// Calls of both sides that were still running when the next gate opened.
    pub overlapped: u64,
}

/// Calls of a window, for each method of its group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns {
    /// Number of the window within its group, from 1.
    pub number: u64,
    /// The methods' turns.
    pub turns: Vec<MethodTurn>,
}

/// The calls of one method in one window, all that began in its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodTurn {
    /// The method.
    pub method: MethodIx,
    /// Start of the first call, nanoseconds of the JVM's clock; 0 without calls.
    pub began_ns: u64,
    /// Workload size and duration in nanoseconds of each call, in the order in which they started.
    pub calls: Vec<(Bucket, u64)>,
    /// Workload size of each of these calls; `None` where it is not a number.
    pub sizes: Vec<Option<u64>>,
    /// Whether a call that began in the turn may still run.
    pub outstanding: bool,
}

/// An action with its cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The JVM that the action concerns; the figures are those of this JVM.
    pub jvm: JvmIx,
    /// Order to the owner.
    pub action: Action,
    /// Cause of the action.
    pub cause: Cause,
    /// The scheduler's figures right after the action.
    pub situation: Situation,
}

/// The scheduler's figures at one moment: one point of the thesis's figure 4.5. With windows they count
/// groups of methods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Situation {
    /// Time of the owner's clock.
    pub now_ns: u64,
    /// Smoothed time between measurement ends; `None` until there were two.
    pub difference_ns: Option<u64>,
    /// Methods that should be measured at once.
    pub optimal: usize,
    /// Methods that are measured.
    pub measured: usize,
    /// Methods that are not finished.
    pub unfinished: usize,
}

/// Why an action was decided.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// Fewer methods are measured than is optimal: at the start, or because one finished.
    BelowOptimal,
    /// The smoothed difference is under its lower limit.
    TooShort {
        /// Smoothed time between measurement ends.
        difference_ns: u64,
        /// `min-measuring-diff`
        limit_ns: u64,
    },
    /// The smoothed difference is over its upper limit.
    TooLong {
        /// Smoothed time between measurement ends.
        difference_ns: u64,
        /// `max-measuring-diff`
        limit_ns: u64,
    },
    /// The method's turn in its group's window begins or ends.
    Turn {
        /// Number of the window within its group, from 1.
        window: u64,
    },
    /// The group has had its share of the time, and other groups wait for theirs.
    ShareOver,
    /// The method has had its place for its share of the time, and others wait for one.
    PlaceOver,
    /// The method was not called for a time, and others wait for its place.
    NotCalled,
    /// The method has no place yet, and its calls can be awaited without one.
    NoPlace,
    /// A method that waited for a call was called.
    Called,
    /// The taken calls are spread over the whole turn.
    Spread,
    /// All turns of the window and the calls of the one before it are over.
    WindowClosed,
    /// No sample came for longer than the upper limit.
    Silence {
        /// Time since the last sample arrived, or since the start.
        silent_ns: u64,
        /// `max-measuring-diff`
        limit_ns: u64,
    },
    /// Cost of the probes, compared with the budget.
    Budget {
        /// Calls of the method per second.
        calls_per_s: u64,
        /// Cost of the probes or of the closed gate that the decision concerns, nanoseconds of CPU time
        /// per second.
        cost_ns_per_s: u64,
        /// The ceiling.
        ceiling_ns_per_s: u64,
    },
    /// All comparisons and assertions of the method are decided.
    ClaimsDecided {
        /// Samples that count.
        samples: u64,
    },
    /// The method has its maximum of samples.
    LimitReached {
        /// Samples that count.
        samples: u64,
        /// The limit; `None` when the agent only reported that it reached its own.
        limit: Option<u64>,
    },
    /// The method can't be measured.
    Unavailable(Outcome),
    /// The run ends.
    RunEnds,
    /// Equal buckets of both methods are full.
    BucketsFull {
        /// `min-method-measurements`
        needed: u64,
    },
    /// No more samples can be compared: both methods finished before a pair of buckets was full; with
    /// windows, one of them finished.
    NoMoreSamples {
        /// Common buckets with fewer than two samples a side, which are not evaluated.
        sparse_buckets: usize,
    },
    /// Probes or gates follow the other decisions of this step.
    Applied,
    /// No method is left.
    AllFinished,
}

/// The action and its cause in plain words, methods by their index.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &|method| method.to_string())
    }
}

impl Decision {
    /// Writes the decision with the names that `name` gives.
    pub(crate) fn write(&self, f: &mut fmt::Formatter<'_>, name: &dyn Fn(MethodIx) -> String) -> fmt::Result {
        match &self.action {
            Action::Measure(method) => write!(f, "measure {}", name(*method))?,
            Action::Suspend(method) => write!(f, "suspend {}", name(*method))?,
            Action::Rest(method) => write!(f, "let {} rest until its next turn", name(*method))?,
            Action::Listen(method) => write!(f, "wait for a call of {}", name(*method))?,
            Action::Window(window) => {
                let Window { comparison, bucket, number, left_ns, .. } = &**window;
                let pairs = left_ns.len();
                write!(
                    f,
                    "add {pairs} pairs of window {number} to comparison {comparison} in bucket {bucket}"
                )?;
            }
            Action::Turns(turns) => {
                let calls: usize = turns.turns.iter().map(|turn| turn.calls.len()).sum();
                write!(f, "judge by {calls} calls of window {}", turns.number)?;
            }
            Action::SampleEvery { method, every } => {
                write!(f, "take one call in {every} of {}", name(*method))?
            }
            Action::ClosedGateCosts { method, .. } => {
                write!(f, "warn that {} costs more than the budget behind its closed gate", name(*method))?;
            }
            Action::Open { method, every, quota } => {
                write!(f, "open the gate of {} to one call in {every}", name(*method))?;
                if let Some(quota) = quota {
                    write!(f, ", until {quota} are taken")?;
                }
            }
            Action::Close(method) => write!(f, "close the gate of {}", name(*method))?,
            Action::Finished(method) => write!(f, "finish {}", name(*method))?,
            Action::Retransform { instrument, restore } => {
                let list = |methods: &[MethodIx]| {
                    methods.iter().map(|&method| name(method)).collect::<Vec<_>>().join(", ")
                };
                match (instrument.as_slice(), restore.as_slice()) {
                    (added, []) => write!(f, "put probes into {}", list(added))?,
                    ([], removed) => write!(f, "take probes out of {}", list(removed))?,
                    (added, removed) => {
                        write!(f, "put probes into {}, take them out of {}", list(added), list(removed))?;
                    }
                }
            }
            Action::Evaluated(evaluation) => {
                let verb = if evaluation.verdict.is_ok() { "evaluate" } else { "do not evaluate" };
                write!(f, "{verb} comparison {} in bucket {}", evaluation.comparison, evaluation.bucket)?;
            }
            Action::Asserted(asserted) => write!(f, "judge assertion {}", asserted.assertion)?,
            Action::Done => f.write_str("end the measurement")?,
        }
        write!(f, ": {} ({})", self.cause, self.situation)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BelowOptimal => f.write_str("fewer methods are measured than is optimal"),
            Self::TooShort { difference_ns, limit_ns } => {
                write!(f, "measurements end {difference_ns} ns apart, less than {limit_ns} ns")
            }
            Self::TooLong { difference_ns, limit_ns } => {
                write!(f, "measurements end {difference_ns} ns apart, more than {limit_ns} ns")
            }
            Self::Turn { window } => write!(f, "turns in window {window} of its group"),
            Self::ShareOver => f.write_str("its group has had its share of the time, and others wait"),
            Self::PlaceOver => f.write_str("it has had its share of the time, and others wait"),
            Self::NotCalled => f.write_str("it was not called for a time, and others wait for its place"),
            Self::NoPlace => {
                f.write_str("other methods have the places, and waiting for a call costs nothing")
            }
            Self::Called => f.write_str("it was called"),
            Self::Spread => f.write_str("the calls that are taken are to be spread over the whole turn"),
            Self::WindowClosed => f.write_str("all its turns and late calls are over"),
            Self::Silence { silent_ns, limit_ns } => {
                write!(f, "no sample came for {silent_ns} ns, more than {limit_ns} ns")
            }
            Self::Budget { calls_per_s, cost_ns_per_s, ceiling_ns_per_s } => {
                write!(
                    f,
                    "it is called {calls_per_s} times a second, probes cost {cost_ns_per_s} ns of CPU time a \
                     second, the ceiling is {ceiling_ns_per_s}"
                )
            }
            Self::ClaimsDecided { samples } => {
                write!(f, "all that is asserted of it is decided after {samples} samples")
            }
            Self::LimitReached { samples, limit: Some(limit) } => {
                write!(f, "it has {samples} samples, the limit is {limit}")
            }
            Self::LimitReached { samples, limit: None } => {
                write!(f, "the agent reached its own limit, {samples} samples arrived")
            }
            Self::Unavailable(outcome) => f.write_str(&describe(outcome)),
            Self::RunEnds => f.write_str("the run ends"),
            Self::BucketsFull { needed } => write!(f, "both methods have {needed} samples in this bucket"),
            Self::NoMoreSamples { sparse_buckets: 0 } => f.write_str("no more samples can be compared"),
            Self::NoMoreSamples { sparse_buckets } => {
                write!(
                    f,
                    "no more samples can be compared; {sparse_buckets} more common buckets have too few"
                )
            }
            Self::Applied => f.write_str("the decisions before this one ask for it"),
            Self::AllFinished => f.write_str("every method is finished"),
        }
    }
}

impl fmt::Display for Situation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { optimal, measured, unfinished, .. } = self;
        write!(f, "{measured} of {unfinished} unfinished methods measured, {optimal} optimal")?;
        match self.difference_ns {
            Some(difference) => write!(f, ", difference {difference} ns"),
            None => Ok(()),
        }
    }
}

/// Reason why a method can't be measured, in plain words.
pub(crate) fn describe(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Instrumented(_) => "the probes are in".to_owned(),
        Outcome::NotLoaded => "its class is not loaded".to_owned(),
        Outcome::Abstract => "it has no body in this class".to_owned(),
        Outcome::Native => "it is native".to_owned(),
        Outcome::NoSuchMethod { nearest } if nearest.is_empty() => "its class has no such method".to_owned(),
        Outcome::NoSuchMethod { nearest } => {
            format!("its class has no such method; nearest: {}", nearest.join(", "))
        }
        Outcome::Refused(refusal) => refusal.to_string(),
    }
}
