//! Invariants of every graph, compared with what the instructions themselves say.

use crate::{EdgeKind, Graph};
use spl_classfile::code;
use spl_classfile::instruction::{Insn, decode};
use spl_classfile::opcode;
use std::collections::BTreeSet;

/// Checks a graph against its code, instruction by instruction and without a notion of blocks.
pub(crate) fn check(graph: &Graph<'_>, bytes: &[u8], table: &[code::Handler]) {
    let insns = decode(bytes).unwrap();
    let place = |at: u32| insns.binary_search_by_key(&at, |insn| insn.at).unwrap();
    blocks_are_the_code(graph, &insns, bytes.len());
    let edges = edges_of_code(&insns, table, place);
    assert_eq!(edges_of_graph(graph, &insns, place), edges, "edges");
    let reached = reached(&edges, insns.len());
    for block in &graph.blocks {
        let here: BTreeSet<_> = (place(block.first)..=place(block.last)).map(|insn| reached[insn]).collect();
        assert!(here == BTreeSet::from([!block.is_dead]), "all of {block:?} is reached, or nothing");
    }
    edges_are_in_order(graph);
    loops_hold_together(graph);
}

fn blocks_are_the_code(graph: &Graph<'_>, insns: &[Insn<'_>], length: usize) {
    assert_eq!(graph.blocks.first().map(|block| block.first), Some(0));
    assert_eq!(graph.blocks.last().map(|block| block.end), Some(length as u32));
    assert!(graph.blocks.iter().zip(&graph.blocks[1..]).all(|(one, next)| one.end == next.first));
    for insn in insns {
        let holders =
            graph.blocks.iter().enumerate().filter(|(_, block)| (block.first..block.end).contains(&insn.at));
        // Most methods have few blocks; for huge ones the search alone is checked.
        if graph.blocks.len() < 200 {
            assert_eq!(
                holders.map(|(number, _)| number).collect::<Vec<_>>(),
                [graph.block_of(insn.at).unwrap()]
            );
        }
    }
    assert_eq!(graph.block_of(length as u32), None);
    let counted: u32 = graph.blocks.iter().map(|block| block.metrics.bytecodes).sum();
    assert_eq!(counted as usize, insns.len());
    for block in &graph.blocks {
        assert!(block.throws.is_none_or(|at| (block.first..=block.last).contains(&at)));
        for stretch in &block.stretches {
            assert!(block.first <= stretch.start && stretch.start < stretch.end && stretch.end <= block.end);
        }
    }
}

/// Pairs of instructions of which the second may follow the first, by their places.
fn edges_of_code(
    insns: &[Insn<'_>],
    table: &[code::Handler],
    place: impl Fn(u32) -> usize,
) -> BTreeSet<(usize, usize)> {
    let mut edges = BTreeSet::new();
    for (from, insn) in insns.iter().enumerate() {
        edges.extend(insn.targets().map(|to| (from, place(to))));
        if !opcode::ends_flow(insn.opcode) && from + 1 < insns.len() {
            edges.insert((from, from + 1));
        }
        for handler in
            table.iter().filter(|one| (u32::from(one.start)..u32::from(one.end)).contains(&insn.at))
        {
            edges.insert((from, place(u32::from(handler.target))));
            if handler.catches == 0 {
                break;
            }
        }
    }
    edges
}

/// The same edges, as the graph has them.
pub(crate) fn edges_of_graph(
    graph: &Graph<'_>,
    insns: &[Insn<'_>],
    place: impl Fn(u32) -> usize,
) -> BTreeSet<(usize, usize)> {
    let mut edges = BTreeSet::new();
    for (number, block) in graph.blocks.iter().enumerate() {
        let (first, last) = (place(block.first), place(block.last));
        edges.extend((first..last).map(|from| (from, from + 1)));
        let plain = graph.edges_of(number).iter().filter(|edge| !edge.kind.is_exception());
        edges.extend(plain.map(|edge| (last, place(graph.blocks[edge.to].first))));
        for stretch in &block.stretches {
            for from in (first..=last).filter(|from| (stretch.start..stretch.end).contains(&insns[*from].at))
            {
                let targets = stretch.handlers.iter().map(|place| graph.handlers[usize::from(*place)].target);
                edges.extend(targets.map(|target| (from, place(graph.blocks[target].first))));
            }
        }
        let asked: BTreeSet<u16> =
            block.stretches.iter().flat_map(|stretch| stretch.handlers.clone()).collect();
        let told = graph.edges_of(number).iter().filter_map(|edge| match &edge.kind {
            EdgeKind::Exception { handlers } => {
                assert!(handlers.iter().all(|place| graph.handlers[usize::from(*place)].target == edge.to));
                Some(handlers.clone())
            }
            EdgeKind::FallThrough | EdgeKind::Taken | EdgeKind::Switch { .. } => None,
        });
        assert_eq!(asked, told.flatten().collect::<BTreeSet<_>>(), "edges and parts say the same");
    }
    edges
}

fn reached(edges: &BTreeSet<(usize, usize)>, count: usize) -> Vec<bool> {
    let mut reached = vec![false; count];
    let mut open = vec![0];
    while let Some(insn) = open.pop() {
        if !std::mem::replace(&mut reached[insn], true) {
            open.extend(edges.range((insn, 0)..(insn + 1, 0)).map(|(_, to)| *to));
        }
    }
    reached
}

fn edges_are_in_order(graph: &Graph<'_>) {
    assert!(graph.edges.is_sorted_by_key(|edge| edge.from));
    for (number, block) in graph.blocks.iter().enumerate() {
        let edges = graph.edges_of(number);
        assert!(edges.iter().all(|edge| edge.from == number));
        let kinds = edges.iter().map(|edge| edge.kind.is_exception());
        assert!(kinds.is_sorted(), "exceptions come last");
        let leaves = block.exit.is_some();
        let stays = edges.iter().any(|edge| !edge.kind.is_exception());
        assert!(leaves != stays || block.is_dead, "block {number} leaves the method or leads somewhere");
    }
}

/// Whether `block` lies in the loop at `place`, or in one inside it.
pub(crate) fn is_in(graph: &Graph<'_>, block: usize, place: usize) -> bool {
    let mut at = graph.blocks[block].in_loop;
    while let Some(one) = at {
        if one == place {
            return true;
        }
        at = graph.loops[one].parent;
    }
    false
}

/// Whether each path to `block` passes `above`.
fn dominates(graph: &Graph<'_>, above: usize, block: usize) -> bool {
    let mut at = Some(block);
    while let Some(one) = at {
        if one == above {
            return true;
        }
        at = graph.blocks[one].dominator;
    }
    false
}

fn loops_hold_together(graph: &Graph<'_>) {
    for (place, one) in graph.loops.iter().enumerate() {
        assert!(one.parent.is_none_or(|parent| parent < place), "outer loops come first");
        assert_eq!(one.depth, one.parent.map_or(1, |parent| graph.loops[parent].depth + 1));
        if graph.blocks.len() > 200 {
            continue;
        }
        let blocks: Vec<_> = (0..graph.blocks.len()).filter(|block| is_in(graph, *block, place)).collect();
        assert_eq!(blocks.len(), one.blocks as usize);
        assert!(blocks.contains(&one.head));
        let back = graph.edges.iter().any(|edge| edge.to == one.head && blocks.contains(&edge.from));
        assert!(back, "something leads back to the head of {one:?}");
        let entries: BTreeSet<_> = graph
            .edges
            .iter()
            .filter(|edge| !graph.blocks[edge.from].is_dead)
            .filter(|edge| blocks.contains(&edge.to) && !blocks.contains(&edge.from))
            .map(|edge| edge.to)
            .chain(blocks.contains(&0).then_some(0))
            .collect();
        assert_eq!(
            one.is_reducible,
            entries == BTreeSet::from([one.head]),
            "{one:?} is entered at {entries:?}"
        );
        let above_all = blocks.iter().all(|block| dominates(graph, one.head, *block));
        assert_eq!(one.is_reducible, above_all, "a natural loop lies under its head: {one:?}");
    }
}
