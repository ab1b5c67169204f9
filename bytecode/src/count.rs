//! Counters or flags for the methods of a class, and their numbers.

use crate::method::no_graph;
use crate::plan::{MethodKey, MethodReport, Plan, Probe, Untouched};
use crate::rewrite::instrument;
use spl_classfile::class::ClassFile;
use spl_classfile::mutf8;
use spl_graph::{Counters, Flags, Graph, PathCounters};
use spl_model::arena::Timed;
use spl_model::{Clock, InstrumentId, OfCalls, Refusal};
use std::collections::BTreeSet;

/// The code at the places of a method.
#[derive(Clone, Copy)]
pub enum Counting<'a> {
    /// Counters of edges, see [`Counters`].
    Blocks {
        /// The number of the root that a method is, by its name and descriptor.
        root: &'a dyn Fn(&str, &str) -> Option<u32>,
        /// The facts of calls that are counted, if some are; then arrays count with their sizes, too. Their numbers follow those of the
        /// method's counters.
        calls: Option<OfCalls>,
    },
    /// Flags of blocks and edges, see [`Flags`].
    Cover {
        /// Whether the flag with this number is set, and needs no code any more.
        is_set: &'a dyn Fn(u32) -> bool,
    },
    /// Counters of paths, see [`PathCounters`].
    Paths {
        /// Whether edges have counters, too.
        blocks: bool,
    },
    /// Everything that runs. A method has as many numbers as it has counters, which may count too; its first one is its number in words.
    Trace {
        /// Whether edges have counters, too.
        blocks: bool,
        /// For a trace of calls of some methods: whether a method is one of them, by its name and descriptor, and of how many calls one is traced.
        within: &'a dyn Fn(&str, &str) -> Option<u32>,
        /// Whether the events of all threads are in one order.
        total: bool,
        /// Whether words have the classes of receivers.
        receivers: bool,
        /// Whether the clock stands at the beginning and the end of each call.
        timed: bool,
    },
    /// Durations of calls: a method has [`Timed::WORDS`] numbers.
    Durations(Clock),
}

impl Counting<'_> {
    /// Counters of edges, and no calls count apart.
    pub const BLOCKS: Counting<'static> = Counting::Blocks { root: &|_, _| None, calls: None };

    /// Numbers of a method.
    fn needed(self, graph: &Graph<'_>) -> u32 {
        let number = |places: usize| u32::try_from(places).unwrap_or(u32::MAX);
        match self {
            Self::Blocks { calls: None, .. } | Self::Trace { .. } => {
                number(Counters::of(graph).places().len())
            }
            Self::Blocks { calls: Some(of), .. } => {
                graph.numbered_arrays(of, number(Counters::of(graph).places().len())).1
            }
            Self::Cover { .. } => number(Flags::of(graph).places().len()),
            Self::Paths { blocks } => number(PathCounters::of(graph, blocks).count()),
            Self::Durations(_) => Timed::WORDS,
        }
    }

    /// The probes of a method, whose numbers are `needed` ones from `first` on.
    fn probes(
        self,
        graph: &Graph<'_>,
        (name, descriptor): (&str, &str),
        first: u32,
        needed: u32,
    ) -> Vec<Probe> {
        let id = InstrumentId(first);
        match self {
            Self::Blocks { root, calls } => {
                let number = root(name, descriptor);
                let blocks = match number {
                    Some(_) => Probe::blocks_of_root(name, descriptor, id),
                    None => Probe::blocks(name, descriptor, id),
                };
                let calls = calls.map(|of| match number {
                    Some(_) => Probe::calls_of_root(of, name, descriptor, id),
                    None => Probe::calls(of, name, descriptor, id),
                });
                let root = number.map(|number| Probe::root(name, descriptor, id, number));
                root.into_iter().chain([blocks]).chain(calls).collect()
            }
            Self::Trace { blocks, within, total, receivers, timed } => {
                let blocks = blocks.then(|| Probe::blocks(name, descriptor, id));
                let trace = Probe::trace(graph, id, within(name, descriptor));
                let trace = if total { trace.in_total_order() } else { trace };
                let trace = if receivers { trace.with_receivers() } else { trace };
                let trace = if timed { trace.with_times() } else { trace };
                blocks.into_iter().chain([trace]).collect()
            }
            Self::Paths { blocks } => vec![Probe::paths(name, descriptor, id, blocks)],
            Self::Durations(clock) => vec![Probe::durations(name, descriptor, id, clock)],
            Self::Cover { is_set } => {
                let open: BTreeSet<u32> = (0..needed).filter(|number| !is_set(first + number)).collect();
                if open.is_empty() { Vec::new() } else { vec![Probe::cover(name, descriptor, id, open)] }
            }
        }
    }
}

/// A class whose methods count their edges, or set flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedClass {
    /// The class file; the original bytes if no method counts.
    pub bytes: Vec<u8>,
    /// The wanted methods that have code, in the order of the class file.
    pub methods: Vec<CountedMethod>,
    /// Number of the class's counters. Methods that are not wanted have numbers, too, so that those of the
    /// others do not depend on what is wanted.
    pub counters: u32,
    /// Classes whose objects the code of these methods makes, if calls are counted.
    pub makes: BTreeSet<String>,
}

/// A method that was to count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedMethod {
    /// The method.
    pub method: MethodKey,
    /// Number of its first counter or flag.
    pub first: u32,
    /// Its number of counters or flags.
    pub counters: u32,
    /// The effect of the counters on its code, or the reason why it was left as it is.
    pub outcome: Result<MethodReport, Refusal>,
}

/// Lets the wanted methods of a class count their edges, or set flags. `wanted` gets a name and a descriptor. The
/// counters have the numbers from `first` on, and at most `room` of them are used.
///
/// # Errors
/// When the whole class is refused, as by [`instrument`].
pub fn count(
    class_bytes: &[u8],
    counting: Counting<'_>,
    wanted: impl Fn(&str, &str) -> bool,
    first: u32,
    room: u32,
) -> Result<CountedClass, Refusal> {
    let class = ClassFile::read(class_bytes)?;
    let mut counted =
        CountedClass { bytes: Vec::new(), methods: Vec::new(), counters: 0, makes: BTreeSet::new() };
    let (mut plan, mut planned) = (Plan::default(), Vec::new());
    for method in class.methods.iter().filter(|method| method.code.is_some()) {
        let (name, descriptor) = (mutf8::decode(method.name), mutf8::decode(method.descriptor));
        let first = first + counted.counters;
        let graph = Graph::of(&class, method).map_err(no_graph);
        let needed = graph.as_ref().map_err(Clone::clone).and_then(|graph| {
            let needed = counting.needed(graph);
            let fits = needed <= room - counted.counters;
            fits.then_some(needed).ok_or_else(|| Refusal::TableFull("counters".to_owned()))
        });
        counted.counters += *needed.as_ref().unwrap_or(&0);
        if !wanted(&name, &descriptor) {
            continue;
        }
        if let (Ok(needed), Ok(graph)) = (&needed, &graph) {
            if let Counting::Blocks { calls: Some(_), .. } = counting {
                let made = graph.blocks.iter().flat_map(|block| &block.allocations);
                let objects = made.filter(|made| made.elements().is_none());
                counted.makes.extend(objects.map(|made| mutf8::decode(made.class)));
            }
            for probe in counting.probes(graph, (&name, &descriptor), first, *needed) {
                planned.push(counted.methods.len());
                plan.add(probe);
            }
        }
        // The rewriter's report replaces the empty one below.
        let none = MethodReport { code_bytes_before: 0, code_bytes_after: 0, large: false, intrinsic: false };
        counted.methods.push(CountedMethod {
            method: MethodKey { name, descriptor },
            first,
            counters: *needed.as_ref().unwrap_or(&0),
            outcome: needed.map(|_| none),
        });
    }
    let rewritten = instrument(class_bytes, &plan)?;
    for (place, (_, outcome)) in planned.into_iter().zip(rewritten.outcomes) {
        counted.methods[place].outcome = outcome.map_err(|untouched| match untouched {
            Untouched::Refused(refusal) => refusal,
            other @ (Untouched::Abstract | Untouched::Native | Untouched::NoSuchMethod { .. }) => {
                Refusal::Malformed(other.to_string())
            }
        });
    }
    counted.bytes = rewritten.bytes;
    Ok(counted)
}
