//! The rewriter's orders and results.

use spl_classfile::mutf8;
use spl_graph::{Graph, Segments};
use spl_model::{Clock, Facts, InstrumentId, OfCalls, Outcome, ProbeKind, Refusal};
use std::collections::{BTreeSet, HashMap};
use std::mem::discriminant;

/// A probe for a method of the class at hand, and its number there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Unqualified name, `<init>` for a constructor.
    pub method_name: String,
    /// Method descriptor (JVMS 4.3.3).
    pub descriptor: String,
    /// Permanent number of (class, method, kind); embedded as a constant.
    pub id: InstrumentId,
    pub(crate) kind: Planned,
}

/// The kind of a probe to weave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Planned {
    Known(ProbeKind),
    /// Counts of edges.
    Blocks {
        /// Whether the method has a probe of a root, too.
        in_root: bool,
    },
    /// Flags of blocks and edges.
    Cover {
        /// The flags that are not set, as numbers within the method.
        open: BTreeSet<u32>,
    },
    /// Counts of paths.
    Paths {
        /// Whether edges are counted, too.
        blocks: bool,
    },
    /// Arcs from the method's calls, and to the method; or receivers of its calls.
    Calls {
        /// Which of these.
        of: OfCalls,
        /// Whether the method has a probe of a root, too.
        in_root: bool,
    },
    /// Calls that count apart.
    Root {
        /// Its number in the drill.
        number: u32,
    },
    /// Durations of calls, added up.
    Durations(Clock),
    /// Everything that runs.
    Trace {
        shape: Shape,
        /// For a trace of calls of this method, among others: one of this number is traced.
        within: Option<u32>,
        /// Whether the events of all threads are in one order.
        total: bool,
        /// Whether words have the classes of receivers.
        receivers: bool,
        /// Whether the clock stands at the beginning and the end of each activation.
        timed: bool,
    },
    /// A kind that tests weave in addition to the times. It counts entries and blocks, and exits if set.
    #[cfg(test)]
    Visits {
        /// Whether it counts exits.
        exits: bool,
    },
}

/// Course of the activations of a traced method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Run one segment, which nothing can stop.
    Single,
    /// Run one segment.
    Guarded,
    /// Run several.
    Several,
}

impl Planned {
    /// Whether both are of one kind, ignoring details such as the workload size.
    fn is_alike(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Known(one), Self::Known(other)) => discriminant(one) == discriminant(other),
            // A method has either: both would number their places alike.
            (
                Self::Blocks { .. } | Self::Cover { .. } | Self::Paths { .. },
                Self::Blocks { .. } | Self::Cover { .. } | Self::Paths { .. },
            )
            | (Self::Calls { .. }, Self::Calls { .. })
            | (Self::Trace { .. }, Self::Trace { .. })
            | (Self::Root { .. }, Self::Root { .. })
            | (Self::Durations(_), Self::Durations(_)) => true,
            #[cfg(test)]
            (Self::Visits { .. }, Self::Visits { .. }) => true,
            _ => false,
        }
    }
}

impl Probe {
    /// A probe of this kind. The class name of a size processor is not used: calls find the processor by the
    /// id.
    pub fn new(method_name: &str, descriptor: &str, id: InstrumentId, kind: ProbeKind) -> Self {
        let (method_name, descriptor) = (method_name.to_owned(), descriptor.to_owned());
        Self { method_name, descriptor, id, kind: Planned::Known(kind) }
    }

    /// A probe that counts the edges of the method's graph.
    pub fn blocks(method_name: &str, descriptor: &str, id: InstrumentId) -> Self {
        let (method_name, descriptor) = (method_name.to_owned(), descriptor.to_owned());
        Self { method_name, descriptor, id, kind: Planned::Blocks { in_root: false } }
    }

    /// A probe of [`blocks`](Self::blocks) for a method that gets one of [`root`](Self::root), too.
    pub fn blocks_of_root(method_name: &str, descriptor: &str, id: InstrumentId) -> Self {
        Self { kind: Planned::Blocks { in_root: true }, ..Self::blocks(method_name, descriptor, id) }
    }

    /// A probe that counts the paths of the method; with those of its edges, if `blocks` is set.
    pub fn paths(method_name: &str, descriptor: &str, id: InstrumentId, blocks: bool) -> Self {
        let (method_name, descriptor) = (method_name.to_owned(), descriptor.to_owned());
        Self { method_name, descriptor, id, kind: Planned::Paths { blocks } }
    }

    /// A probe that tells what the method's calls enter and which call entered it, or the receivers of its calls. It goes with one of [`blocks`](Self::blocks) with the
    /// same `id`, whose counters it numbers its calls behind.
    pub fn calls(of: OfCalls, method_name: &str, descriptor: &str, id: InstrumentId) -> Self {
        let (method_name, descriptor) = (method_name.to_owned(), descriptor.to_owned());
        Self { method_name, descriptor, id, kind: Planned::Calls { of, in_root: false } }
    }

    /// A probe of [`calls`](Self::calls) for a method that gets one of [`root`](Self::root), too.
    pub fn calls_of_root(of: OfCalls, method_name: &str, descriptor: &str, id: InstrumentId) -> Self {
        Self { kind: Planned::Calls { of, in_root: true }, ..Self::calls(of, method_name, descriptor, id) }
    }

    /// A probe that tells all that the method's activations run, by the numbers of [`Segments`]. `graph` is the method's. With `within` the trace
    /// is of calls of such methods, one of this number.
    pub fn trace(graph: &Graph<'_>, id: InstrumentId, within: Option<u32>) -> Self {
        let (method_name, descriptor) = (mutf8::decode(graph.name), mutf8::decode(graph.descriptor));
        let throws = || graph.blocks.iter().any(|block| block.throws.is_some());
        let shape = match Segments::of(graph).is_single(graph) && within.is_none() {
            false => Shape::Several,
            true if throws() => Shape::Guarded,
            true => Shape::Single,
        };
        Self {
            method_name,
            descriptor,
            id,
            kind: Planned::Trace { shape, within, total: false, receivers: false, timed: false },
        }
    }

    /// Lets a probe of [`trace`](Self::trace) tell the clock in front of the beginning and the end of each activation.
    #[must_use]
    pub fn with_times(mut self) -> Self {
        if let Planned::Trace { timed, .. } = &mut self.kind {
            *timed = true;
        }
        self
    }

    /// Lets a probe of [`trace`](Self::trace) tell the class of each receiver.
    #[must_use]
    pub fn with_receivers(mut self) -> Self {
        if let Planned::Trace { receivers, .. } = &mut self.kind {
            *receivers = true;
        }
        self
    }

    /// Lets each word of a probe of [`trace`](Self::trace) have a place in one order of all threads.
    #[must_use]
    pub fn in_total_order(mut self) -> Self {
        if let Planned::Trace { total, .. } = &mut self.kind {
            *total = true;
        }
        self
    }

    /// A probe that sets flags of the method's blocks and edges. `id` is the number of its first flag; `open`
    /// are the flags that are not set, as numbers within the method.
    pub fn cover(method_name: &str, descriptor: &str, id: InstrumentId, open: BTreeSet<u32>) -> Self {
        let (method_name, descriptor) = (method_name.to_owned(), descriptor.to_owned());
        Self { method_name, descriptor, id, kind: Planned::Cover { open } }
    }

    /// A probe that lets the method's calls count apart, with all that they call. `number` is the method's number in the drill, `id` that
    /// of its [`blocks_of_root`](Self::blocks_of_root).
    pub fn root(method_name: &str, descriptor: &str, id: InstrumentId, number: u32) -> Self {
        let (method_name, descriptor) = (method_name.to_owned(), descriptor.to_owned());
        Self { method_name, descriptor, id, kind: Planned::Root { number } }
    }

    /// A probe that adds up the durations of the method's calls. `id` is the number of the first of its words, see
    /// [`spl_model::arena::Timed`].
    pub fn durations(method_name: &str, descriptor: &str, id: InstrumentId, clock: Clock) -> Self {
        let (method_name, descriptor) = (method_name.to_owned(), descriptor.to_owned());
        Self { method_name, descriptor, id, kind: Planned::Durations(clock) }
    }

    /// The method.
    pub(crate) fn key(&self) -> MethodKey {
        MethodKey { name: self.method_name.clone(), descriptor: self.descriptor.clone() }
    }
}

/// The probes for the methods of one class: at most one of each kind per method, in the order of the first
/// mention.
///
/// A class is rewritten from its original bytes, so one plan must hold all probes of a class. The probes of a
/// method are put in together or not at all.
///
/// ```
/// use spl_bytecode::{Plan, Probe};
/// use spl_model::{InstrumentId, ProbeKind, Sizing};
/// let probe = |id| Probe::new("run", "()V", InstrumentId(id), ProbeKind::Times(Sizing::None));
/// let plan: Plan = [probe(1), probe(2)].into_iter().collect();
/// assert_eq!(plan.probes(), [probe(2)]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    probes: Vec<Probe>,
    /// For each method, the indices of its probes in `probes`, ascending. Methods stand in the order of the
    /// first mention.
    of_methods: Vec<Vec<usize>>,
    /// Index of a method in `of_methods`.
    index_of: HashMap<MethodKey, usize>,
}

impl Plan {
    /// Adds a probe; it replaces an earlier one of the same kind in the same method.
    pub fn add(&mut self, probe: Probe) {
        let index = *self.index_of.entry(probe.key()).or_insert(self.of_methods.len());
        if index == self.of_methods.len() {
            self.of_methods.push(Vec::new());
        }
        let is_alike = |one: &Probe| one.kind.is_alike(&probe.kind);
        let of_method = &mut self.of_methods[index];
        match of_method.iter().find(|number| is_alike(&self.probes[**number])) {
            Some(number) => self.probes[*number] = probe,
            None => {
                of_method.push(self.probes.len());
                self.probes.push(probe);
            }
        }
    }

    /// The probes of the plan.
    #[must_use]
    pub fn probes(&self) -> &[Probe] {
        &self.probes
    }

    /// For each method, the indices of its probes in [`probes`](Self::probes).
    pub(crate) fn of_methods(&self) -> &[Vec<usize>] {
        &self.of_methods
    }
}

impl FromIterator<Probe> for Plan {
    fn from_iter<I: IntoIterator<Item = Probe>>(probes: I) -> Self {
        let mut plan = Self::default();
        probes.into_iter().for_each(|probe| plan.add(probe));
        plan
    }
}

/// A method of the class at hand.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodKey {
    /// Unqualified name.
    pub name: String,
    /// Method descriptor.
    pub descriptor: String,
}

/// The effect of a successful rewrite on one method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodReport {
    /// Size of the original code, bytes.
    pub code_bytes_before: usize,
    /// Size of the code with probes, bytes.
    pub code_bytes_after: usize,
    /// The new code is over HotSpot's limit of 8,000 bytes (`HugeMethodLimit`), above which code stays
    /// interpreted.
    pub large: bool,
    /// The JVM may replace calls of the method by an intrinsic, which contains no probe.
    pub intrinsic: bool,
}

/// The reason why a method of the plan was left as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Untouched {
    /// The method has no body in this class.
    #[error("the method is abstract")]
    Abstract,
    /// The method has no bytecode.
    #[error("the method is native")]
    Native,
    /// The class has no such method.
    #[error("the class has no such method")]
    NoSuchMethod {
        /// Methods that the operator may have meant, as `name(descriptor)`, nearest first.
        nearest: Vec<String>,
    },
    /// The rewriter refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// A class with probes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// The class file; the original bytes if no method was instrumented.
    pub bytes: Vec<u8>,
    /// Outcome of each probe, in the order of the plan.
    pub outcomes: Vec<(MethodKey, Result<MethodReport, Untouched>)>,
}

impl From<Untouched> for Outcome {
    fn from(reason: Untouched) -> Self {
        match reason {
            Untouched::Abstract => Self::Abstract,
            Untouched::Native => Self::Native,
            Untouched::NoSuchMethod { nearest } => Self::NoSuchMethod { nearest },
            Untouched::Refused(refusal) => Self::Refused(refusal),
        }
    }
}

impl From<MethodReport> for Outcome {
    fn from(report: MethodReport) -> Self {
        // Code has at most 65,535 bytes (JVMS 4.7.3).
        Self::Instrumented(Facts {
            bytes_before: report.code_bytes_before as u32,
            bytes_after: report.code_bytes_after as u32,
            large: report.large,
            intrinsic: report.intrinsic,
        })
    }
}
