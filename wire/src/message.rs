//! What controller and agent say to each other after the version exchange.
//!
//! postcard writes fields in order and enum variants by their index: any change here needs a new
//! [`PROTOCOL`](crate::PROTOCOL) number.

use crate::{Label, WireSample};
use serde::{Deserialize, Serialize};
use spl_model::{Handle, Instrument, Outcome};

/// From the agent in the JVM to the controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToController {
    /// The first message: which JVM this is and what its agent can do.
    Hello {
        /// Process id of the JVM.
        pid: u32,
        /// `java.vm.version`, such as `17.0.15+6`.
        java_version: String,
        /// Main class or JAR with its arguments, shortened by [`clip`](crate::clip) where it is long.
        command: String,
        /// The JVM's monotonic clock now, in nanoseconds: the clock of every other time in these messages.
        now_ns: u64,
        /// Names of the kinds of probes that this agent knows ([`ProbeKind::NAMES`](spl_model::ProbeKind::NAMES)).
        kinds: Vec<String>,
        /// The agent's own limit of samples a method (`spl.client.measurements`); `None` is no limit.
        max_measurements: Option<u64>,
        /// Calibrated cost of one measured call, in picoseconds; `None` when it could not be calibrated.
        probe_cost_ps: Option<u64>,
        /// What a measured call of an empty method reports as its duration, in picoseconds: the mean of one calibration.
        /// Every reported duration is longer than the body's by about so much.
        probe_empty_ps: Option<u64>,
    },
    /// What became of a method in one class; sent again when another class of that name turns up.
    Outcome {
        /// The method, as numbered by [`ToAgent::Define`].
        handle: Handle,
        /// Which class loader, for the reader.
        class_loader: String,
        /// What became of it.
        outcome: Outcome,
    },
    /// What probes have read.
    Readings {
        /// Of one kind of probes.
        readings: Readings,
        /// Calls lost to a full buffer since the last batch.
        dropped: u64,
        /// Calls whose clock readings could not be used, or whose record was torn, since the last batch.
        anomalies: u64,
    },
    /// New names of size labels; sent before the first sample that uses them.
    Labels {
        /// Pairs of id and text.
        labels: Vec<Label>,
    },
    /// One retransformation of the classes of these methods ended.
    Retransformed {
        /// The methods whose code changed.
        handles: Vec<Handle>,
        /// Whether probes went in or out.
        change: Change,
        /// How long the call took, in nanoseconds.
        took_ns: u64,
        /// When it began, nanoseconds of the JVM's monotonic clock.
        at_ns: u64,
    },
    /// These methods run their original bytecode again.
    Restored {
        /// The methods.
        handles: Vec<Handle>,
    },
    /// The agent's own limit of samples was reached; it disarmed the method.
    Limit {
        /// The method.
        handle: Handle,
    },
    /// Something that the operator should know.
    Warning {
        /// One line of text.
        text: String,
    },
    /// Asks for a [`ToAgent::Pong`]. The agent asks nothing: what stands in for agents does, the simulated ones of `evaluation/scale` and those
    /// of the end-to-end tests, to know when a controller has taken in all that they said before.
    Ping {
        /// Returned unchanged.
        id: u64,
    },
    /// Answers [`ToAgent::Ping`], after everything that was asked for before it.
    Pong {
        /// From the question.
        id: u64,
        /// The JVM's monotonic clock now, in nanoseconds.
        now_ns: u64,
    },
    /// The last message.
    Bye {
        /// Why nothing follows.
        reason: ByeReason,
    },
    /// After [`ToAgent::Disarm`]: no call is running any more that was taken between it and the one before it, and the samples of all
    /// of them have been sent (but for one that began or ended at that very moment). Calls that were taken earlier or later may run
    /// on and be sent later. Of calls in threads that share a buffer, as virtual threads do, it is not known, nor of a call beneath
    /// which the same thread has called the method again since.
    Idle {
        /// The method.
        handle: Handle,
        /// Which [`ToAgent::Disarm`] of the method it was, from 1 in each connection.
        number: u64,
    },
    /// Each change of the classes of these methods may keep so much metaspace for the rest of the JVM's life that they should be
    /// few: their lambdas are linked anew.
    Dear {
        /// The methods.
        handles: Vec<Handle>,
        /// Bytes that one change may keep.
        bytes: u64,
    },
    /// What all changes of classes in the life of this JVM keep of its metaspace; after each change.
    Metaspace {
        /// Bytes that they keep, or that the program may yet link anew because of them.
        kept: u64,
        /// Bytes that are set aside to restore the classes which have probes.
        reserved: u64,
        /// Bytes that both may be together.
        limit: u64,
    },
    /// Another agent had taken the probes of these methods out; they are in again. Calls in between were not seen.
    Removed {
        /// The methods.
        handles: Vec<Handle>,
        /// How often that was so far, with these classes.
        times: u32,
        /// Nanoseconds that they were out at most.
        gap_ns: u64,
    },
}

/// From the controller to the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToAgent {
    /// The connection is not wanted, for example because the token is wrong. The controller closes it.
    Reject {
        /// One line of text.
        reason: String,
    },
    /// Where size processors are looked for.
    ProcessorJar {
        /// A path on the machine of the JVM.
        path: String,
    },
    /// Numbers an instrument for the rest of the connection; changes no class.
    Define {
        /// The number that the other messages use.
        handle: Handle,
        /// What it stands for.
        instrument: Instrument,
    },
    /// Retransform the classes of these methods so that probes are in; the gates stay closed.
    Instrument {
        /// The methods.
        handles: Vec<Handle>,
    },
    /// Open a method's gate.
    Arm {
        /// The method.
        handle: Handle,
        /// Take one call in so many, at random; 1 takes every call, 0 counts as 1.
        every: u32,
        /// Close the gate after so many samples; 0 is no quota.
        quota: u64,
    },
    /// Close a method's gate; the probes stay in.
    Disarm {
        /// The method.
        handle: Handle,
    },
    /// Retransform the classes of these methods back to their original bytecode.
    Restore {
        /// The methods.
        handles: Vec<Handle>,
    },
    /// Send the samples that are there now. A [`ToAgent::Ping`] after it is answered when they have been sent.
    Drain,
    /// Restore every class, say [`ToController::Bye`] and go dormant.
    Detach,
    /// Asks for a [`ToController::Pong`].
    Ping {
        /// Returned unchanged.
        id: u64,
    },
    /// Answers [`ToController::Ping`], after all that came of what was said before it.
    Pong {
        /// From the question.
        id: u64,
    },
    /// Samples of a method that count for nothing, so that they use up none of the agent's own limit: warm-up, or calls
    /// without a partner in their window.
    Discarded {
        /// The method.
        handle: Handle,
        /// How many more than was said before.
        count: u64,
    },
    /// How many objects [`Sizing::Deep`](spl_model::Sizing::Deep) looks at for one argument.
    VisitLimit {
        /// At least 1.
        objects: u32,
    },
    /// How much metaspace changes of classes may keep in the life of this JVM; never more than a tenth of
    /// `MaxMetaspaceSize` and of `CompressedClassSpaceSize`.
    MetaspaceLimit {
        /// Bytes.
        bytes: u64,
    },
}

/// Readings of one kind of probes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Readings {
    /// Measured calls, ordered by their start; at most [`MAX_SAMPLES`](crate::MAX_SAMPLES).
    Times(Vec<WireSample>),
}

/// What a retransformation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Change {
    /// Probes went in.
    Added,
    /// Probes went out.
    Removed,
}

/// Why the agent says nothing more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ByeReason {
    /// The program ends.
    VmDeath,
    /// It was asked to detach, and every class is as it was found.
    Detached,
    /// An error of its own; every class was restored as far as possible.
    Failed(String),
}
