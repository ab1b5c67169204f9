//! The graph of a method.

use crate::block::{Block, Exit};
use crate::cover::{self, Handler, Stretch};
use crate::dominators::dominators;
use crate::edge::{Edge, EdgeKind, ways};
use crate::lines::Lines;
use crate::loops::{Loop, loops};
use crate::metrics::Metrics;
use crate::no_graph::NoGraph;
use crate::search::Search;
use crate::sites::{self, Call, CallKind};
use crate::throwing::Throwing;
use spl_classfile::class::{ClassFile, Method};
use spl_classfile::code::Code;
use spl_classfile::heads::block_heads;
use spl_classfile::instruction::{Insn, decode};
use spl_classfile::opcode;
use spl_classfile::reader::malformed;
use std::collections::{BTreeMap, BTreeSet};

/// The control flow of a method, with what stands in its blocks. Names are in the class file's encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph<'a> {
    /// Binary name of its class, with slashes.
    pub class: &'a [u8],
    /// Its name.
    pub name: &'a [u8],
    /// Its descriptor.
    pub descriptor: &'a [u8],
    /// Its code, bytes.
    pub code_bytes: u32,
    /// Its blocks, in the order of the code; the first is where it is entered.
    pub blocks: Vec<Block<'a>>,
    /// Its edges, in the order that [`Edge`] says.
    pub edges: Vec<Edge>,
    /// Its exception table, in its order.
    pub handlers: Vec<Handler<'a>>,
    /// Its loops, outer ones before inner ones.
    pub loops: Vec<Loop>,
}

impl<'a> Graph<'a> {
    /// The graph of one of the methods of `class`.
    ///
    /// # Errors
    /// When the method has no code, its code breaks the format, has subroutines, or can run past its end; and when the ranges of its
    /// handlers overlap more often than any compiler has them.
    pub fn of(class: &ClassFile<'a>, method: &Method<'a>) -> Result<Self, NoGraph> {
        let range = method.code.clone().ok_or(NoGraph::NoCode)?;
        let info = class.bytes.get(range).ok_or_else(|| malformed("a method's code is not in its class"))?;
        let code = Code::read(info, &class.pool)?;
        let insns = decode(code.bytes)?;
        let heads = block_heads(&insns, &code.handlers)?;
        let mut graph = Self {
            class: class.name()?,
            name: method.name,
            descriptor: method.descriptor,
            code_bytes: insns.last().map_or(0, Insn::end),
            blocks: Vec::with_capacity(heads.len()),
            edges: Vec::new(),
            handlers: Vec::new(),
            loops: Vec::new(),
        };
        let throwing = Throwing::new(method, graph.class, &insns, &class.pool);
        let lines = Lines::read(&code)?;
        let ends = heads.iter().copied().skip(1).chain([insns.len()]);
        for (first, end) in heads.iter().copied().zip(ends) {
            graph.add_block(insns.get(first..end).unwrap_or_default(), class, &throwing, &lines)?;
        }
        graph.handlers = cover::handlers(&code.handlers, &insns, &class.pool, |at| graph.block_from(at))?;
        graph.cover()?;
        let ends = heads.into_iter().skip(1).chain([insns.len()]);
        graph.connect(ends.filter_map(|end| insns.get(end - 1)))?;
        Ok(graph)
    }

    /// The block that begins at an offset.
    #[must_use]
    pub fn block_from(&self, at: u32) -> Option<usize> {
        self.blocks.binary_search_by_key(&at, |block| block.first).ok()
    }

    /// The block of the instruction at an offset; `None` behind the end of the code.
    #[must_use]
    pub fn block_of(&self, at: u32) -> Option<usize> {
        let next = self.blocks.partition_point(|block| block.first <= at);
        next.checked_sub(1).filter(|_| at < self.code_bytes)
    }

    /// Offsets of the instructions that can throw, as [`Block::throws`] says, ascending. `class` and `method` are those of the graph, and
    /// `insns` the method's instructions.
    #[must_use]
    pub fn throwing(&self, class: &ClassFile<'a>, method: &Method<'a>, insns: &[Insn<'a>]) -> Vec<u32> {
        let throwing = Throwing::new(method, self.class, insns, &class.pool);
        let place = |at: u32| insns.partition_point(|insn| insn.at < at);
        let of_block =
            |block: &Block<'a>| insns.get(place(block.first)..place(block.end)).unwrap_or_default();
        self.blocks.iter().flat_map(|block| throwing.all(of_block(block)).collect::<Vec<_>>()).collect()
    }

    /// The edges that begin in a block.
    #[must_use]
    pub fn edges_of(&self, block: usize) -> &[Edge] {
        self.blocks.get(block).and_then(|block| self.edges.get(block.edges.clone())).unwrap_or_default()
    }

    fn add_block(
        &mut self,
        insns: &[Insn<'a>],
        class: &ClassFile<'a>,
        throwing: &Throwing<'_, '_>,
        lines: &Lines,
    ) -> Result<(), NoGraph> {
        let (Some(first), Some(last)) = (insns.first(), insns.last()) else { return Ok(()) };
        let mut block = Block {
            first: first.at,
            last: last.at,
            end: last.end(),
            exit: exit(last.opcode),
            is_dead: true,
            throws: throwing.first(insns),
            may_load: insns.iter().any(|insn| throwing.may_load(insn)),
            edges: 0..0,
            stretches: Vec::new(),
            calls: Vec::new(),
            allocations: Vec::new(),
            metrics: Metrics::default(),
            lines: lines.between(first.at, last.end()),
            dominator: None,
            in_loop: None,
        };
        for insn in insns {
            block.metrics.count(insn, self.class, &class.pool)?;
            let call = sites::call(insn, &class.pool)?;
            block.calls.extend(call.map(|call| Call {
                line: lines.at(insn.at),
                lambda: class.lambda(insn.index()),
                is_exact: call.kind == CallKind::Virtual
                    && sites::is_final(call.target.class, self.class, class.access),
                ..call
            }));
            block.allocations.extend(sites::allocation(insn, &class.pool)?);
        }
        self.blocks.push(block);
        Ok(())
    }

    fn cover(&mut self) -> Result<(), NoGraph> {
        let heads = self.blocks.iter().map(|block| block.first);
        for stretch in cover::stretches(&self.handlers, heads, self.code_bytes)? {
            if let Some(block) = self.block_of(stretch.start).and_then(|block| self.blocks.get_mut(block)) {
                add_stretch(&mut block.stretches, stretch);
            }
        }
        Ok(())
    }

    /// Adds the edges, given the last instruction of each block, and what follows from them.
    fn connect<'b>(&mut self, lasts: impl Iterator<Item = &'b Insn<'a>>) -> Result<(), NoGraph>
    where
        'a: 'b,
    {
        let mut falls_off = None;
        for (from, last) in lasts.enumerate() {
            let begin = self.edges.len();
            for (at, kind) in ways(last) {
                match self.block_from(at) {
                    Some(to) => self.edges.push(Edge { from, to, kind }),
                    // Every target of a branch begins a block; only the end of the code does not.
                    None => falls_off = Some(from),
                }
            }
            let exceptions = self.exceptions(from);
            self.edges.extend(exceptions);
            self.blocks[from].edges = begin..self.edges.len();
        }
        let successors: Vec<Vec<usize>> = (0..self.blocks.len())
            .map(|block| self.edges_of(block).iter().map(|edge| edge.to).collect())
            .collect();
        let search = Search::new(&successors);
        let (loops, innermost) = loops(&search);
        let dominators = dominators(&search);
        for (node, block) in self.blocks.iter_mut().enumerate() {
            block.is_dead = search.numbers[node].is_none();
            block.dominator = dominators[node];
            block.in_loop = innermost[node];
        }
        self.loops = loops;
        self.mark_exceptional_loops(&search);
        // Code that no path leads to may end with any instruction: verifiers of old class files do not look
        // at it.
        match falls_off.filter(|&block| !self.blocks[block].is_dead) {
            Some(_) => Err(malformed("the code can run past its end").into()),
            None => Ok(()),
        }
    }

    /// The exceptional edges of a block, in the order of the handlers.
    fn exceptions(&self, from: usize) -> Vec<Edge> {
        let mut by_target: BTreeMap<usize, BTreeSet<u16>> = BTreeMap::new();
        for &place in self.blocks[from].stretches.iter().flat_map(|stretch| &stretch.handlers) {
            by_target.entry(self.handlers[usize::from(place)].target).or_default().insert(place);
        }
        let mut targets: Vec<_> = by_target.into_iter().collect();
        targets.sort_by_key(|(_, places)| places.first().copied());
        let edge = |(to, places): (usize, BTreeSet<u16>)| {
            let kind = EdgeKind::Exception { handlers: places.into_iter().collect() };
            Edge { from, to, kind }
        };
        targets.into_iter().map(edge).collect()
    }

    fn mark_exceptional_loops(&mut self, search: &Search) {
        let mut plain = vec![false; self.blocks.len()];
        for edge in &self.edges {
            let (from, to) = (search.numbers[edge.from], search.numbers[edge.to]);
            let leads_back = from.zip(to).is_some_and(|(from, to)| search.is_above(to, from));
            plain[edge.to] |= leads_back && !edge.kind.is_exception();
        }
        for one in &mut self.loops {
            one.by_exception = !plain[one.head];
        }
    }
}

fn exit(last: u8) -> Option<Exit> {
    match last {
        opcode::ATHROW => Some(Exit::Throw),
        _ if opcode::is_return(last) => Some(Exit::Return),
        _ => None,
    }
}

/// Adds a part behind the others; two neighbours with the same handlers become one.
fn add_stretch(stretches: &mut Vec<Stretch>, stretch: Stretch) {
    match stretches.last_mut() {
        Some(last) if last.end == stretch.start && last.handlers == stretch.handlers => {
            last.end = stretch.end
        }
        _ => stretches.push(stretch),
    }
}
