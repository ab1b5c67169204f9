//! The counts of one method.

use crate::fault::Fault;
use crate::paths::PathsRan;
use spl_graph::{Block, Call, CallKind, Counters, Counts, Exit, Flags, Graph, PathCounters};
use spl_model::DrillKind;

/// A method with its counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodProfile<'a> {
    /// Counts or flags: with [`Cover`](DrillKind::Cover) each count is 0 or 1, and of exceptions only the
    /// returning blocks are known that they left each time.
    pub what: DrillKind,
    /// Whether it counted from its class's first instruction on.
    pub from_start: bool,
    /// Its graph.
    pub graph: Graph<'a>,
    /// Its counts.
    pub counts: Counts,
    /// Calls: how often it was entered.
    pub calls: u64,
    /// Its paths, if they were counted.
    pub paths: Option<PathsRan>,
}

/// Number of times that instructions were run. Both numbers are the same if no activation left a block in its
/// middle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytecodes {
    /// At least: of a block that an exception left, the first instruction.
    pub least: u64,
    /// At most: of such a block, all instructions.
    pub most: u64,
}

impl<'a> MethodProfile<'a> {
    /// Tells the counts from the values of the method's counters or flags.
    ///
    /// # Errors
    /// When the graph needs another number of them.
    pub fn new(what: DrillKind, from_start: bool, graph: Graph<'a>, values: &[u64]) -> Result<Self, Fault> {
        let mut paths = None;
        let (counts, expected) = match what {
            DrillKind::Paths { blocks } => {
                let counters = PathCounters::of(&graph, blocks);
                let solved = counters.solve(&graph, values);
                paths = solved.as_ref().map(|counts| PathsRan::new(&graph, &counters, counts));
                (solved.map(|solved| solved.counts), counters.count())
            }
            DrillKind::Blocks | DrillKind::Trace { .. } => {
                let counters = Counters::of(&graph);
                (counters.solve(values), counters.places().len())
            }
            DrillKind::Calls(of) => {
                let counters = Counters::of(&graph);
                // The words behind them belong to calls and to places that make arrays.
                let (_, expected) = graph.numbered_arrays(of, counters.places().len() as u32);
                let values =
                    values.get(..counters.places().len()).filter(|_| values.len() == expected as usize);
                (values.and_then(|values| counters.solve(values)), expected as usize)
            }
            // Durations have no counts.
            DrillKind::Time(_) => (None, 0),
            DrillKind::Cover => {
                let flags = Flags::of(&graph);
                (covered(&flags, values), flags.places().len())
            }
        };
        match counts {
            // Both the first counter and the first flag are the entry's.
            Some(counts) => {
                let calls = values.first().copied().unwrap_or(0);
                Ok(Self { what, from_start, graph, counts, calls, paths })
            }
            None => Err(Fault::Different {
                method: spl_graph::forms::method_name(&graph),
                expected,
                found: u32::try_from(values.len()).unwrap_or(u32::MAX),
            }),
        }
    }

    /// The method, as in a task file.
    #[must_use]
    pub fn name(&self) -> String {
        spl_graph::forms::method_name(&self.graph)
    }

    /// Instructions of the method's own code that were run; with [`Cover`](DrillKind::Cover) each counts once.
    #[must_use]
    pub fn bytecodes(&self) -> Bytecodes {
        let mut sum = Bytecodes::default();
        for (number, (block, runs)) in self.graph.blocks.iter().zip(&self.counts.blocks).enumerate() {
            let (runs, length) = (positive(*runs), u64::from(block.metrics.bytecodes));
            let gone = self.left_before_end(number).min(runs);
            sum.most = sum.most.saturating_add(runs.saturating_mul(length));
            let not_run = gone.saturating_mul(length.saturating_sub(1));
            sum.least = sum.least.saturating_add(runs.saturating_mul(length).saturating_sub(not_run));
        }
        if self.paths.as_ref().is_some_and(|paths| !paths.is_exact) {
            // Blocks count as often as is certain, so an upper end would not be one.
            sum.most = sum.least;
        }
        sum
    }

    /// Activations that left a block by an exception and perhaps did not start its last instruction.
    fn left_before_end(&self, block: usize) -> u64 {
        let gone = self.counts.gone.get(block).copied().map_or(0, positive);
        let thrown = self.counts.thrown.get(block).copied().flatten().map_or(0, positive);
        gone.saturating_sub(thrown)
    }

    /// Its calls of other methods: the number of the block, the call, and how often the callee was reached. Where an
    /// exception left the block, perhaps at the call or before, both numbers differ.
    pub fn sites(&self) -> impl Iterator<Item = (usize, &Call<'a>, Bytecodes)> {
        self.graph.blocks.iter().enumerate().flat_map(move |(number, block)| {
            let count = |counts: &[i64]| counts.get(number).copied().map_or(0, positive);
            let most = count(&self.counts.blocks);
            let whole = match self.what {
                DrillKind::Blocks
                | DrillKind::Calls(_)
                | DrillKind::Time(_)
                | DrillKind::Paths { .. }
                | DrillKind::Trace { .. } => most.saturating_sub(self.left_before_end(number)),
                DrillKind::Cover => u64::from(self.ran_whole(number)),
            };
            block.calls.iter().map(move |call| {
                let least = if self.cannot_miss(block, call) { most } else { whole };
                (number, call, Bytecodes { least, most })
            })
        })
    }

    /// Whether nothing can throw before the callee of this call is reached: neither an instruction before the call, nor
    /// the call itself for want of a receiver or by the initialiser of the callee's class.
    fn cannot_miss(&self, block: &Block<'_>, call: &Call<'_>) -> bool {
        let is_first = block.throws.is_none_or(|first| call.at <= first);
        is_first
            && match call.kind {
                CallKind::Static => call.target.class == self.graph.class,
                CallKind::Special => call.target.name == b"<init>",
                CallKind::Virtual | CallKind::Interface | CallKind::Dynamic => false,
            }
    }

    /// Whether a block ran to its end at least once, as far as flags tell.
    fn ran_whole(&self, number: usize) -> bool {
        let Some(block) = self.graph.blocks.get(number) else { return false };
        let has_run = self.counts.blocks.get(number).is_some_and(|runs| *runs > 0);
        let returned = block.exit == Some(Exit::Return) && self.counts.gone.get(number) == Some(&0);
        let is_taken = |edge: usize| {
            !self.graph.edges[edge].kind.is_exception()
                && self.counts.edges.get(edge).copied().flatten().is_some_and(|taken| taken > 0)
        };
        has_run && (block.throws.is_none() || returned || block.edges.clone().any(is_taken))
    }

    /// Blocks that were run, and blocks that some path leads to.
    #[must_use]
    pub fn coverage(&self) -> (usize, usize) {
        let live = self.graph.blocks.iter().zip(&self.counts.blocks).filter(|(block, _)| !block.is_dead);
        let all = live.clone().count();
        (live.filter(|(_, runs)| **runs > 0).count(), all)
    }

    /// Ways out of its branches that were taken, and all.
    #[must_use]
    pub fn branches(&self) -> (usize, usize) {
        let (mut taken, mut all) = (0, 0);
        for block in self.graph.blocks.iter().filter(|block| !block.is_dead) {
            let ways = block.edges.clone().filter(|&edge| !self.graph.edges[edge].kind.is_exception());
            let counts: Vec<i64> =
                ways.filter_map(|edge| self.counts.edges.get(edge).copied().flatten()).collect();
            if counts.len() > 1 {
                all += counts.len();
                taken += counts.iter().filter(|count| **count > 0).count();
            }
        }
        (taken, all)
    }

    /// Whether some count is negative: calls that ran at the beginning or at the end of counting, or counts
    /// that were lost.
    #[must_use]
    pub fn is_uneven(&self) -> bool {
        let counts = &self.counts;
        let all = counts.blocks.iter().chain(&counts.gone).chain(counts.edges.iter().flatten());
        all.chain(counts.caught.iter().flatten()).any(|count| *count < 0)
    }
}

/// Counts of 0 or 1, from flags.
fn covered(flags: &Flags, values: &[u64]) -> Option<Counts> {
    let set: Vec<bool> = values.iter().map(|value| *value > 0).collect();
    let covered = flags.solve(&set)?;
    let gone = |(run, returned): (&bool, &Option<bool>)| i64::from(*run && *returned == Some(false));
    Some(Counts {
        gone: covered.blocks.iter().zip(&covered.returned).map(gone).collect(),
        caught: vec![None; covered.blocks.len()],
        thrown: vec![None; covered.blocks.len()],
        blocks: covered.blocks.into_iter().map(i64::from).collect(),
        edges: covered.edges.into_iter().map(|taken| taken.map(i64::from)).collect(),
        left: 0,
    })
}

/// A count; 0 for a negative one, which calls under way make.
pub(crate) fn positive(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}
