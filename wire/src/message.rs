//! The messages of controller and agent after the version exchange.
//!
//! postcard writes fields in order and enum variants by their index: any change here needs a new
//! [`PROTOCOL`](crate::PROTOCOL) number.

use crate::{Events, Label, Listening, LoadedClass, Wanted, WireSample};
use serde::{Deserialize, Serialize};
use spl_model::{DrillKind, Handle, Instrument, Outcome, Refusal, Scope};

/// The longest name of an instance, bytes.
pub const MAX_INSTANCE_BYTES: usize = 100;

/// A message from the agent in the JVM to the controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToController {
    /// The first message: identity of the JVM and abilities of its agent.
    Hello {
        /// Process id of the JVM.
        pid: u32,
        /// `java.vm.version`, such as `17.0.15+6`.
        java_version: String,
        /// Name of the host, the pod or the instance ([`MAX_INSTANCE_BYTES`](crate::MAX_INSTANCE_BYTES)): with the process id it
        /// tells this JVM from others of the same program.
        instance: String,
        /// Main class or JAR with its arguments, shortened by [`clip`](crate::clip) if it is long.
        command: String,
        /// Now, in nanoseconds of the JVM's monotonic clock. All other times in these messages use this
        /// clock.
        now_ns: u64,
        /// Names of the kinds of probes that this agent knows
        /// ([`ProbeKind::NAMES`](spl_model::ProbeKind::NAMES)).
        kinds: Vec<String>,
        /// The agent's own limit of samples of one method (`spl.client.measurements`); `None` for no limit.
        max_measurements: Option<u64>,
        /// Calibrated cost of one measured call, in picoseconds; `None` when it could not be calibrated.
        probe_cost_ps: Option<u64>,
        /// Mean reported duration of a measured call of an empty method, in picoseconds, from one
        /// calibration. Every reported duration exceeds the body's by about this time.
        probe_empty_ps: Option<u64>,
        /// Picoseconds that two readings of the clock took by native code during that calibration.
        clock_reads_ps: Option<u64>,
    },
    /// Outcome for a method in one class; sent again when another class of that name is loaded.
    Outcome {
        /// The method, as numbered by [`ToAgent::Define`].
        handle: Handle,
        /// Name of the class loader, for the reader.
        class_loader: String,
        /// Outcome for this class.
        outcome: Outcome,
    },
    /// Readings of the probes.
    Readings {
        /// Readings of one kind of probes.
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
        /// Duration of the call, in nanoseconds.
        took_ns: u64,
        /// Start of the call, in nanoseconds of the JVM's monotonic clock.
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
    /// A warning for the operator.
    Warning {
        /// One line of text.
        text: String,
    },
    /// Asks for a [`ToAgent::Pong`]. The agent never sends it. The simulated agents of `evaluation/scale` and
    /// of the end-to-end tests use it to learn when a controller has processed their earlier messages.
    Ping {
        /// Returned unchanged.
        id: u64,
    },
    /// Answers [`ToAgent::Ping`], after the answers to all earlier messages.
    Pong {
        /// Id of the ping.
        id: u64,
        /// The JVM's monotonic clock now, in nanoseconds.
        now_ns: u64,
        /// Picoseconds that two readings of it take now, by native code: the time of a probe changes as this one does.
        clock_reads_ps: u64,
    },
    /// The last message.
    Bye {
        /// The reason.
        reason: ByeReason,
    },
    /// After [`ToAgent::Disarm`]: the calls admitted between it and the `Disarm` before it have ended, and
    /// all their samples have been sent (except for a call that began or ended at that very moment). Calls
    /// admitted earlier or later may still run and be sent later. Not tracked for threads on a shared ring,
    /// such as virtual threads, nor for a call beneath which the same thread has called the method again
    /// since.
    Idle {
        /// The method.
        handle: Handle,
        /// Number of the method's [`ToAgent::Disarm`], counted from 1 in each connection.
        number: u64,
    },
    /// Changes of the classes of these methods should be rare. Each change may keep this number of bytes of
    /// metaspace for the rest of the JVM's life, because their lambdas are linked again.
    Dear {
        /// The methods.
        handles: Vec<Handle>,
        /// Bytes that one change may keep.
        bytes: u64,
    },
    /// Metaspace kept by all changes of classes in the life of this JVM; sent after each change.
    Metaspace {
        /// Bytes that the changes keep, or that the program may still take by linking classes again because
        /// of them.
        kept: u64,
        /// Bytes that are set aside to restore the classes which have probes.
        reserved: u64,
        /// Most bytes of both together.
        limit: u64,
    },
    /// Another agent had taken out the probes of these methods; they are in again. Calls in between were not
    /// recorded.
    Removed {
        /// The methods.
        handles: Vec<Handle>,
        /// Number of such removals so far, with these classes.
        times: u32,
        /// Most nanoseconds without probes.
        gap_ns: u64,
    },
    /// Answers [`ToAgent::Survey`].
    Surveyed {
        /// `java.class.path`; at most [`MAX_PATH_BYTES`](crate::MAX_PATH_BYTES).
        class_path: String,
        /// `jdk.module.path`; at most as long.
        module_path: String,
        /// `java.home`; at most as long.
        java_home: String,
        /// Number of classes that the JVM has loaded.
        loaded: u32,
        /// The classes that are asked for; at most [`MAX_CLASSES_BYTES`](crate::MAX_CLASSES_BYTES).
        classes: Vec<LoadedClass>,
        /// Whether these are all of them.
        is_whole: bool,
    },
    /// About a drill.
    Drilled(Drilled),
    /// About the JVM's events.
    Events(Events),
}

/// A message of the agent about a drill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Drilled {
    /// Answers [`ToAgent::Drill`]: where the counters are. No method counts before
    /// [`ToAgent::CountersOpened`].
    Counters {
        /// Descriptor of the counters' memory in the process of the JVM.
        descriptor: i32,
        /// Its size in bytes.
        bytes: u64,
        /// Bytes of one arena. Counter N is the 64-bit word N of its thread's arena. Flag N is byte N of
        /// arena `arenas + 2`.
        arena_bytes: u64,
        /// Number of arenas that belong to one thread each. The next one belongs to all other threads, which
        /// may lose counts there.
        arenas: u32,
        /// An arena ends as [`spl_model::arena`] says.
        ///
        /// Number of arenas from arena `arenas + 3` on. Each belongs to one thread and to the calls of one method of
        /// [`Scope::roots`], or to its large ones: place P among them to the group P modulo [`Scope::groups`]. The last word of each
        /// is the number of these calls.
        root_arenas: u32,
    },
    /// No drill begins, and the program goes on.
    Refused {
        /// The reason, one line of text.
        why: String,
    },
    /// The methods of a class count or set flags from now on. Its bytes follow in [`Drilled::Bytes`].
    Counted {
        /// Number of the class, from 0 on, for messages.
        class: u32,
        /// Its name, with slashes.
        name: String,
        /// Bytes of its class file, as they were before.
        length: u32,
        /// Whether the class counts from its first instruction on. A second message of its number, without bytes, says that a class with
        /// the same bytes, of another loader, does not.
        from_start: bool,
        /// Its methods that were to count, in the order of the class file.
        methods: Vec<CountedMethod>,
    },
    /// A part of a class file, in order.
    Bytes {
        /// The class.
        class: u32,
        /// The bytes, at most [`CLASS_PART`](crate::CLASS_PART).
        bytes: Vec<u8>,
    },
    /// A class of the scope that does not count.
    Left {
        /// Its name, with slashes.
        name: String,
        /// The reason, one line of text.
        why: String,
    },
    /// The drill has begun: every class of the scope that was loaded counts. Others follow when they are
    /// loaded.
    Begun {
        /// Number of loaded classes that were changed.
        classes: u32,
        /// Duration of their change, in nanoseconds.
        took_ns: u64,
    },
    /// Virtual threads run, so that counts may be lost: two threads may add to the same counter.
    VirtualThreads,
    /// At the end of a drill: classes of receivers, as far as the JVM has them.
    Receivers {
        /// Numbers as in arcs, see [`spl_model::arena`], and names with slashes. Several classes may have one number.
        classes: Vec<(u64, String)>,
    },
    /// At the end of a drill: how often the code that counts, or writes a trace, was left out because a stack overflow left no room for it.
    Uncounted {
        /// Their number.
        times: u32,
    },
    /// At the end of a drill with arcs: sizes of the objects of classes, as far as the JVM has these, in bytes as it rounds them.
    Sizes {
        /// Size of an object without fields; 0 if the JVM did not tell it.
        object: u32,
        /// Names with slashes, and sizes. Classes of one name may have several.
        classes: Vec<(String, u32)>,
    },
}

/// A method that was to count its edges, or set flags.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedMethod {
    /// Name.
    pub name: String,
    /// Descriptor.
    pub descriptor: String,
    /// Number of its first counter.
    pub first: u32,
    /// Its number of counters, or why it does not count.
    pub counters: Result<u32, Refusal>,
}

/// A message from the controller to the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToAgent {
    /// Rejects the connection, for example because the token is wrong. The controller closes it.
    Reject {
        /// One line of text.
        reason: String,
    },
    /// Sets the JAR of size processors.
    ProcessorJar {
        /// A path on the machine of the JVM.
        path: String,
    },
    /// Numbers an instrument for the rest of the connection; changes no class.
    Define {
        /// The number that other messages use.
        handle: Handle,
        /// The instrument with this number.
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
        /// Interval of sampled calls: one call in `every` at random; 1 takes every call, 0 counts as 1.
        every: u32,
        /// Samples after which the gate closes; 0 for no quota.
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
    /// Send the samples taken so far. A later [`ToAgent::Ping`] is answered after they have been sent.
    Drain,
    /// Restore every class, say [`ToController::Bye`] and go dormant.
    Detach,
    /// Asks for a [`ToController::Pong`].
    Ping {
        /// Returned unchanged.
        id: u64,
    },
    /// Answers [`ToController::Ping`], after the effects of all earlier messages.
    Pong {
        /// Id of the ping.
        id: u64,
    },
    /// Samples of a method that are not counted, so that they do not use up the agent's own limit: warm-up,
    /// or calls without a partner in their window.
    Discarded {
        /// The method.
        handle: Handle,
        /// Number of such samples since the last message.
        count: u64,
    },
    /// Limits the objects that [`Sizing::Deep`](spl_model::Sizing::Deep) visits for one argument.
    VisitLimit {
        /// At least 1.
        objects: u32,
    },
    /// Limits the metaspace that changes of classes may keep in the life of this JVM. The limit is never more
    /// than a tenth of `MaxMetaspaceSize` and of `CompressedClassSpaceSize`.
    MetaspaceLimit {
        /// Bytes.
        bytes: u64,
    },
    /// Asks for the JVM's paths, and for loaded classes; changes nothing.
    Survey {
        /// The classes and methods.
        wanted: Vec<Wanted>,
    },
    /// Lets the methods of a scope count their edges, or set flags, until [`ToAgent::Detach`]. A connection
    /// serves a drill or measures times, not both.
    Drill {
        /// Counts or flags.
        what: DrillKind,
        /// The methods.
        scope: Scope,
    },
    /// The controller has the counters' memory open: the drill may begin.
    CountersOpened,
    /// These methods of the drill stop counting.
    StopCounting {
        /// Each with its class, as in a task file.
        methods: Vec<String>,
    },
    /// Listens to the JVM's events until [`ToAgent::Detach`], alone or along with a drill that is asked for after it.
    Listen(Listening),
}

/// Readings of one kind of probes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Readings {
    /// Measured calls, ordered by their start; at most [`MAX_SAMPLES`](crate::MAX_SAMPLES).
    Times(Vec<WireSample>),
}

/// The effect of a retransformation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Change {
    /// Probes were put in.
    Added,
    /// Probes were taken out.
    Removed,
}

/// The reason why the agent sends nothing more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ByeReason {
    /// The program ends.
    VmDeath,
    /// The controller asked for it, and every class has its original bytes.
    Detached,
    /// The agent had an error of its own; every class was restored as far as possible.
    Failed(String),
}
