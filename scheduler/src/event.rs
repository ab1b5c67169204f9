//! What the scheduler is told.

use crate::Budget;
use spl_model::{ClaimIx, EndedBy, Outcome, Sample};
use std::fmt;

/// A method, by its index in the task file's list of distinct methods, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodIx(pub usize);

/// `method 3`: its index, as long as no name is at hand.
impl fmt::Display for MethodIx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "method {}", self.0)
    }
}

/// A JVM, by a number that its owner gave it. The first one has 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JvmIx(pub usize);

/// Something that happened. A [`MethodIx`] out of range is ignored.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// An interrupted run is taken up; before [`Event::Start`] only.
    Resume {
        /// Claims that were decided; they are not evaluated again.
        decided: Vec<ClaimIx>,
        /// Samples that counted, in the order in which they were recorded. With windows those without a number of their
        /// window are left out: what is compared there are pairs of one window. The event may come in parts.
        samples: Vec<(MethodIx, Sample)>,
    },
    /// Measurement starts: the agent is connected and `initial-sleep` is over.
    Start,
    /// A batch of samples, in any order: they are taken by their ends, equal ends in the batch's order. An empty
    /// batch is a [`Event::Tick`].
    Samples(Vec<(MethodIx, Sample)>),
    /// A communication cycle without a sample.
    Tick,
    /// Time passed, between two cycles: what is due happens ([`Scheduler::wake_ns`](crate::Scheduler::wake_ns)). It
    /// says nothing about samples.
    Pulse,
    /// Samples were lost on their way (full ring, clock anomaly, damaged frame).
    Dropped {
        /// Whose they were; `None` when that is not known.
        method: Option<MethodIx>,
        /// How many.
        count: u64,
    },
    /// The agent's own limit of samples a method, when it is known only once the agent is connected: it takes the place
    /// of [`Settings::agent_limit`](crate::Settings).
    AgentLimit(u64),
    /// The agent takes no more samples of the method: its own limit is reached (`spl.client.measurements`).
    LimitReached(MethodIx),
    /// The method can never deliver a sample: it is native, refused, or not in its class.
    Unavailable {
        /// The method.
        method: MethodIx,
        /// What the agent answered.
        why: Outcome,
    },
    /// The method delivers no more samples; what came of it counts. With less than two it is [`Event::Unavailable`].
    GivenUp {
        /// The method.
        method: MethodIx,
        /// What the agent answered.
        why: Outcome,
    },
    /// Each change of the method's class costs the program memory for good: its probes go in with those of the class's other
    /// methods and stay in to the end.
    DearChange(MethodIx),
    /// The JVM's monotonic clock shows this now. Until it is told, both clocks are taken to be one, as they are when
    /// both processes run on the same Linux machine. Only windows depend on it.
    Clock {
        /// Nanoseconds of the JVM's monotonic clock.
        jvm_ns: u64,
    },
    /// No call of the method is outstanding any more that started while its gate was open, up to a closing and since the one before
    /// it. Without this word the next gate of its group opens when [`Paired::overlap_bound_ns`](crate::Paired) has passed.
    Drained {
        /// The method.
        method: MethodIx,
        /// Which [`Action::Close`](crate::Action) of the method it was, from 1; `None`: all so far.
        closing: Option<u64>,
    },
    /// What probes may cost from now on: the program uses more or less CPU time than before. Takes the place of
    /// [`Settings::budget`](crate::Settings).
    Budget(Budget),
    /// The agent's own thread, which takes samples out of the program and sends them, used so much CPU time since this was told
    /// last; it counts against the budget.
    AgentUsed {
        /// Nanoseconds of CPU time.
        cpu_ns: u64,
    },
    /// The owner decided and evaluated a claim: see [`Paired::owner_decides`](crate::Paired).
    Decided(ClaimIx),
    /// The run ends before [`Event::Start`]; before [`Event::Finish`] only. It is the reason that is given for methods
    /// without samples.
    NotBegun {
        /// What ended it.
        ended_by: EndedBy,
        /// From the agent's first message to the end, nanoseconds.
        lasted_ns: u64,
        /// How long the measurement was to wait, nanoseconds.
        wait_ns: u64,
    },
    /// The JVM is gone, and others go on. What is measured in it ends with what it has.
    Left,
    /// The program ended, the operator interrupted, or the JVM is lost: every method finishes with what it has.
    Finish,
}
