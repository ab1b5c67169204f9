//! The methods that words name, and what their segments are.

use crate::forest::Forest;
use spl_graph::{Graph, Next, SegmentEnd, Segments, forms};
use std::sync::Arc;

/// Largest number of a method, plus 1.
const MOST_METHODS: u32 = 1 << 21;

/// The methods of a drill, by their numbers in words.
#[derive(Clone, Debug, Default)]
pub struct Methods {
    all: Vec<Traced>,
    /// For each number the place of the method, plus 1; 0 without one.
    places: Vec<u32>,
}

/// A method.
#[derive(Clone, Debug)]
pub struct Traced {
    /// The method, as in a task file.
    pub name: String,
    /// For each of its blocks, its number of instructions.
    pub lengths: Vec<u32>,
    /// Whether it is a constructor: an exception in front of the call of another constructor leaves it without a word.
    pub constructs: bool,
    /// The only segment of its activations, if it has no other.
    pub single: Option<Ran>,
    /// Its loops.
    pub forest: Arc<Forest>,
    segments: Segments,
    /// For each handler's block, where segments begin. Edges lead to blocks.
    begins: Vec<Option<u32>>,
    targets: Vec<usize>,
    ran: Vec<Option<Box<Ran>>>,
}

/// A segment that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The blocks that it begins.
    pub blocks: Vec<u32>,
    /// Instructions of these.
    pub bytecodes: u64,
    /// Why it ended.
    pub end: SegmentEnd,
    /// The first number of the segments that begin where it does.
    pub begin: u32,
    /// The first number of the segments that follow; `None` behind the end of the method, and in front of a handler.
    pub next: Option<u32>,
}

impl Methods {
    /// Adds a method with its number. False if the number cannot be one.
    pub fn add(&mut self, number: u32, graph: &Graph<'_>) -> bool {
        if number >= MOST_METHODS {
            return false;
        }
        let segments = Segments::of(graph);
        let is_single = segments.is_single(graph);
        let lengths = graph.blocks.iter().map(|block| block.metrics.bytecodes);
        let mut traced = Traced {
            name: forms::method_name(graph),
            lengths: lengths.collect(),
            constructs: graph.name == b"<init>",
            single: None,
            forest: Arc::new(Forest::of(graph)),
            begins: (0..graph.blocks.len()).map(|block| segments.begin(block)).collect(),
            targets: graph.edges.iter().map(|edge| edge.to).collect(),
            segments,
            ran: Vec::new(),
        };
        if is_single {
            let numbers = 0..traced.segments.count();
            let mut all = numbers.filter_map(|number| traced.find(number));
            traced.single = all.find(|ran| ran.end == SegmentEnd::Returned);
        }
        let place = number as usize;
        self.places.resize(self.places.len().max(place + 1), 0);
        self.all.push(traced);
        self.places[place] = self.all.len() as u32;
        true
    }

    /// The place of the method with this number.
    #[inline]
    pub(crate) fn place(&self, number: u32) -> Option<u32> {
        self.places.get(number as usize).copied().unwrap_or(0).checked_sub(1)
    }

    /// The method at a place, as a [`Frame`](crate::Frame) has it.
    #[must_use]
    pub fn get(&self, place: u32) -> Option<&Traced> {
        self.all.get(place as usize)
    }

    pub(crate) fn get_mut(&mut self, place: u32) -> Option<&mut Traced> {
        self.all.get_mut(place as usize)
    }

    /// All methods, by their places.
    #[must_use]
    pub fn all(&self) -> &[Traced] {
        &self.all
    }
}

impl Traced {
    /// The segment of a number.
    #[inline]
    pub(crate) fn ran(&mut self, number: u32) -> Option<&Ran> {
        if !matches!(self.ran.get(number as usize), Some(Some(_))) {
            self.keep(number)?;
        }
        self.ran.get(number as usize)?.as_deref()
    }

    #[cold]
    fn keep(&mut self, number: u32) -> Option<()> {
        let (ran, place) = (self.find(number)?, number as usize);
        if self.ran.len() <= place {
            self.ran.resize(place + 1, None);
        }
        self.ran[place] = Some(Box::new(ran));
        Some(())
    }

    fn find(&self, number: u32) -> Option<Ran> {
        let found = self.segments.segment(number)?;
        let next = match found.end {
            SegmentEnd::Call(at) => self.segments.at_call(at).and_then(|step| step.next),
            SegmentEnd::Edge(edge) => self.segments.on_edge(edge).and_then(|step| step.next),
            SegmentEnd::Stopped | SegmentEnd::Returned => None,
        };
        let next = match next {
            Some(Next::Number(number)) => Some(number),
            Some(Next::Handler | Next::Returns) | None => None,
        };
        Some(Ran {
            bytecodes: found.blocks.iter().map(|&block| u64::from(self.lengths[block])).sum(),
            blocks: found.blocks.iter().map(|&block| block as u32).collect(),
            end: found.end,
            begin: found.begin,
            next,
        })
    }

    /// The first number of the segments that begin with a block.
    pub(crate) fn begin(&self, block: u32) -> Option<u32> {
        self.begins.get(block as usize).copied().flatten()
    }

    /// The block that an edge leads to.
    #[must_use]
    pub fn target(&self, edge: usize) -> Option<usize> {
        self.targets.get(edge).copied()
    }
}
