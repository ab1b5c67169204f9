//! A running measurement at one moment, for the live view and the metrics.

use spl_scheduler::Situation;
use spl_verdict::Part;
use std::time::Duration;

/// Figures to show.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// State of the measurement as a whole.
    pub phase: Phase,
    /// Time since the start of the controller.
    pub elapsed: Duration,
    /// Every method, in the task file's order.
    pub methods: Vec<MethodStatus>,
    /// How each claim stands, comparisons first and assertions after them; empty where claims are judged once.
    pub claims: Vec<ClaimStatus>,
    /// The scheduler's figures.
    pub situation: Situation,
    /// The configured limits of the smoothed time between two measurement ends, nanoseconds.
    pub difference_limits_ns: (u64, u64),
    /// Cost of probes and agent to the program and its limit, as shares of the program's CPU time; `None`
    /// without a budget. The cost is that of the last second, estimated from the calls that were taken.
    pub overhead: Option<Overhead>,
    /// Metaspace that changes of classes keep; `None` before the first one.
    pub metaspace: Option<Metaspace>,
    /// Samples that never arrived.
    pub lost: u64,
    /// Longest time until all claims are decided, if the program goes on as before.
    pub to_go: Option<Duration>,
}

/// Figures of a claim at its last look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimStatus {
    /// Scaled left mean over scaled right mean with the lower and the upper end of its interval, for two means.
    pub ratio: Option<[f64; 3]>,
    /// Each comparison of the claim in each bucket in which it was looked at.
    pub parts: Vec<Part>,
    /// The instance with the strongest evidence against a claim about each of them.
    pub instance: Option<String>,
}

/// Metaspace of one JVM that all its changes of classes keep, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metaspace {
    /// Bytes that the changes keep, with the bytes that the program may still link again because of them.
    pub kept: u64,
    /// Bytes set aside to restore the classes that have probes.
    pub reserved: u64,
    /// Limit of both together.
    pub limit: u64,
}

/// State of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// No program is connected.
    Waiting,
    /// A program is there and has its own warm-up (`initial-sleep`).
    Starting,
    /// Methods are measured.
    Measuring,
    /// Classes are being restored.
    Ending,
}

/// State of a method, as the operator sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// The method was not measured yet.
    Waiting,
    /// No class of its name is loaded.
    NotLoaded,
    /// The method is measured, but no call has counted since its probes went in.
    Warming,
    /// The method is measured and its calls count.
    Armed,
    /// The method takes turns with others and waits for its turn.
    Resting,
    /// The method was not called yet, or not for a time: its gate is open, and others have the places.
    Listening,
    /// The method was measured and waits again.
    Suspended,
    /// The measurement of the method is complete.
    Finished,
}

impl State {
    /// All of them, in the order of a method's life.
    pub const ALL: [Self; 8] = [
        Self::Waiting,
        Self::NotLoaded,
        Self::Warming,
        Self::Armed,
        Self::Resting,
        Self::Listening,
        Self::Suspended,
        Self::Finished,
    ];

    /// The state's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::NotLoaded => "not loaded",
            Self::Warming => "warming",
            Self::Armed => "armed",
            Self::Resting => "resting",
            Self::Listening => "listening",
            Self::Suspended => "suspended",
            Self::Finished => "finished",
        }
    }
}

/// State and figures of one method.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodStatus {
    /// Name, as in the task file.
    pub name: String,
    /// State of the method.
    pub state: State,
    /// Samples that count.
    pub samples: u64,
    /// Samples after which it is finished.
    pub most: u64,
    /// Samples that were discarded.
    pub discarded: u64,
    /// Buckets with samples enough for a comparison.
    pub full_buckets: usize,
    /// Buckets with samples.
    pub buckets: usize,
    /// Sampling: one call in this number is taken.
    pub every: u32,
}

/// Cost of probes and agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overhead {
    /// Share of the program's CPU time that probes and the agent's thread took, from 0; estimated.
    pub estimated: f64,
    /// Share that the agent's thread took, as the kernel counts it.
    pub agent: f64,
    /// Share that they may take.
    pub budget: f64,
}
