//! A running measurement at one moment, for those who show it: the live view and the metrics.

use spl_scheduler::Situation;
use std::time::Duration;

/// What is to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// Where the measurement as a whole stands.
    pub phase: Phase,
    /// Since the controller began.
    pub elapsed: Duration,
    /// Every method, in the task file's order.
    pub methods: Vec<MethodStatus>,
    /// The scheduler's figures.
    pub situation: Situation,
    /// The configured limits of the smoothed time between two measurement ends, nanoseconds.
    pub difference_limits_ns: (u64, u64),
    /// What probes and agent cost the program and may cost it, both as a part of its CPU time; `None` without a budget. The
    /// first is what is known of the last second, estimated from the calls that were taken.
    pub overhead: Option<Overhead>,
    /// What changes of classes keep of the program's metaspace; `None` before the first one.
    pub metaspace: Option<Metaspace>,
    /// Samples that never arrived.
    pub lost: u64,
    /// Until all that is claimed is decided, at the latest, if the program goes on as it did.
    pub to_go: Option<Duration>,
}

/// What all changes of classes in the life of a JVM keep of its metaspace, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metaspace {
    /// What they keep, with what the program may yet link anew because of them.
    pub kept: u64,
    /// What is set aside to restore the classes that have probes.
    pub reserved: u64,
    /// What both may be together.
    pub limit: u64,
}

/// Where a measurement stands.
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

/// Where a method stands, as the operator is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// It was not measured yet.
    Waiting,
    /// No class of its name is loaded.
    NotLoaded,
    /// It is measured, and no call counts yet since its probes went in.
    Warming,
    /// It is measured: its calls count.
    Armed,
    /// It is measured in turn with others, and it is not its turn.
    Resting,
    /// It was measured and waits again.
    Suspended,
    /// Its measurement is complete.
    Finished,
}

impl State {
    /// All of them, in the order of a method's life.
    pub const ALL: [Self; 7] = [
        Self::Waiting,
        Self::NotLoaded,
        Self::Warming,
        Self::Armed,
        Self::Resting,
        Self::Suspended,
        Self::Finished,
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::NotLoaded => "not loaded",
            Self::Warming => "warming",
            Self::Armed => "armed",
            Self::Resting => "resting",
            Self::Suspended => "suspended",
            Self::Finished => "finished",
        }
    }
}

/// One method.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodStatus {
    /// As in the task file.
    pub name: String,
    /// Where it stands.
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
    /// One call in so many is taken.
    pub every: u32,
}

/// What probes and agent cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overhead {
    /// Part of the program's CPU time that they took, with the agent's thread, from 0; estimated.
    pub estimated: f64,
    /// Part that the agent's thread took, as the kernel counts it.
    pub agent: f64,
    /// Part that they may take.
    pub budget: f64,
}
