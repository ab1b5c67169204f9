//! Input of the scheduler.

use crate::Budget;
use spl_model::{ClaimIx, EndedBy, Outcome, Sample};
use std::fmt;

/// A method, by its index in the task file's list of distinct methods, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodIx(pub usize);

/// Text `method 3`: the index, where no name is known.
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
    /// An interrupted run is resumed; before [`Event::Start`] only.
    Resume {
        /// Claims that were decided; they are not evaluated again.
        decided: Vec<ClaimIx>,
        /// Samples that counted, in the order in which they were recorded. With windows, samples without a
        /// window number are left out: only pairs of the same window are compared. The event may come in
        /// parts.
        samples: Vec<(MethodIx, Sample)>,
    },
    /// Before [`Event::Start`]: the agent is connected, and its program warms up. Probes go in and gates open as
    /// for a measurement, so that code is compiled with its probes at once; all calls are discarded.
    Prepare,
    /// Measurement starts: the agent is connected and `initial-sleep` is over.
    Start,
    /// A batch of samples, in any order: they are taken by their ends, equal ends in the batch's order. An
    /// empty batch is a [`Event::Tick`].
    Samples(Vec<(MethodIx, Sample)>),
    /// A communication cycle without a sample.
    Tick,
    /// Time passed between two cycles, and due work is done
    /// ([`Scheduler::wake_ns`](crate::Scheduler::wake_ns)). It says nothing about samples.
    Pulse,
    /// Samples were lost on their way (full ring, clock anomaly, damaged frame).
    Dropped {
        /// Method of the samples; `None` when it is not known.
        method: Option<MethodIx>,
        /// Number of lost samples.
        count: u64,
    },
    /// The agent's own limit of samples a method, if it is known only once the agent is connected: it
    /// replaces [`Settings::agent_limit`](crate::Settings).
    AgentLimit(u64),
    /// The agent takes no more samples of the method: its own limit is reached (`spl.client.measurements`).
    LimitReached(MethodIx),
    /// The method can never deliver a sample: it is native, refused, or not in its class.
    Unavailable {
        /// The method.
        method: MethodIx,
        /// Answer of the agent.
        why: Outcome,
    },
    /// The method delivers no more samples; its present samples count. With fewer than two it is
    /// [`Event::Unavailable`].
    GivenUp {
        /// The method.
        method: MethodIx,
        /// Answer of the agent.
        why: Outcome,
    },
    /// Each change of the method's class costs the program memory that is never freed. Its probes therefore
    /// go in with those of the class's other methods and stay in to the end.
    DearChange(MethodIx),
    /// Classes were changed. The next change waits until all pauses together are a small share of the time.
    Changed {
        /// Time for which the change stopped the program, nanoseconds.
        took_ns: u64,
    },
    /// Present time of the JVM's monotonic clock. Before this event both clocks count as one, as they are
    /// when both processes run on the same Linux machine. Only windows depend on it.
    Clock {
        /// Nanoseconds of the JVM's monotonic clock.
        jvm_ns: u64,
    },
    /// All calls that started while the method's gate was open, between the closing before this one and this
    /// one, have ended. Without this event the next gate of the group opens after
    /// [`Paired::overlap_bound_ns`](crate::Paired).
    Drained {
        /// The method.
        method: MethodIx,
        /// Number of the [`Action::Close`](crate::Action) of the method, from 1; `None`: all so far.
        closing: Option<u64>,
    },
    /// New limit of the probes' cost: the program uses more or less CPU time than before. It replaces
    /// [`Settings::budget`](crate::Settings).
    Budget(Budget),
    /// CPU time that the agent's own thread, which takes samples out of the program and sends them, used
    /// since the last such event; it counts against the budget.
    AgentUsed {
        /// Nanoseconds of CPU time.
        cpu_ns: u64,
    },
    /// The owner decided and evaluated a claim: see [`Paired::owner_decides`](crate::Paired).
    Decided(ClaimIx),
    /// The run ends before [`Event::Start`]; before [`Event::Finish`] only. It becomes the reason of methods
    /// without samples.
    NotBegun {
        /// Cause of the end.
        ended_by: EndedBy,
        /// Time from the agent's first message to the end, nanoseconds.
        lasted_ns: u64,
        /// Configured wait before the measurement, nanoseconds.
        wait_ns: u64,
    },
    /// The JVM is gone, and others go on. Its methods end there with their present samples.
    Left,
    /// The program ended, the operator interrupted, or the JVM is lost: every method finishes with its
    /// present samples.
    Finish,
}
