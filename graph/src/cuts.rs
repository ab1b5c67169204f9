//! The parts of a method's code between cuts, and the values of the ways between them.

use crate::block::Exit;
use crate::edge::EdgeKind;
use crate::graph::Graph;

/// A part of a block, up to a call or to the block's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) block: usize,
    /// Whether an exception may stop a segment there.
    pub(crate) stops: bool,
    pub(crate) ways: Vec<Way>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) kind: WayKind,
    /// Its part of the number.
    pub(crate) value: u32,
    /// The next node; `None` behind a return.
    pub(crate) to: Option<usize>,
    /// Whether the segment ends there.
    pub(crate) is_cut: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WayKind {
    Call(u32),
    Edge(usize),
    Return,
}

/// For each block, whether a handler begins there.
pub(crate) fn handlers(graph: &Graph<'_>) -> Vec<bool> {
    let mut handlers = vec![false; graph.blocks.len()];
    graph.handlers.iter().for_each(|handler| handlers[handler.target] = true);
    handlers
}

/// The nodes of the blocks that a path leads to, and the first of each block.
pub(crate) fn nodes(graph: &Graph<'_>) -> (Vec<Node>, Vec<usize>) {
    let mut first_of = Vec::with_capacity(graph.blocks.len());
    let mut nodes: Vec<Node> = Vec::new();
    let mut of_edges = Vec::new();
    for (number, block) in graph.blocks.iter().enumerate() {
        first_of.push(nodes.len());
        if block.is_dead {
            continue;
        }
        let mut goes_on = false;
        for call in &block.calls {
            let stops = goes_on || block.throws.is_some_and(|first| first < call.at);
            let to = Some(nodes.len() + 1);
            let way = Way { kind: WayKind::Call(call.at), value: 0, to, is_cut: true };
            nodes.push(Node { block: number, stops, ways: vec![way] });
            goes_on = true;
        }
        let returns = Way { kind: WayKind::Return, value: 0, to: None, is_cut: true };
        let ways = if block.exit == Some(Exit::Return) { vec![returns] } else { Vec::new() };
        for edge in block.edges.clone() {
            if !matches!(graph.edges[edge].kind, EdgeKind::Exception { .. }) {
                of_edges.push((nodes.len(), edge));
            }
        }
        nodes.push(Node { block: number, stops: goes_on || block.throws.is_some(), ways });
    }
    let handlers = handlers(graph);
    for (node, edge) in of_edges {
        let to = graph.edges[edge].to;
        let way = Way { kind: WayKind::Edge(edge), value: 0, to: Some(first_of[to]), is_cut: handlers[to] };
        nodes[node].ways.push(way);
    }
    // A segment has to end somehow.
    nodes.iter_mut().filter(|node| node.ways.is_empty()).for_each(|node| node.stops = true);
    (nodes, first_of)
}

/// Cuts each way that leads back to a node of its own path. Also gives the nodes in an order in which all ways that are not cut
/// lead to earlier ones.
pub(crate) fn cut_loops(mut nodes: Vec<Node>) -> (Vec<Node>, Vec<usize>) {
    let mut order = Vec::with_capacity(nodes.len());
    // 1: on the path, 2: done.
    let mut state = vec![0_u8; nodes.len()];
    for root in 0..nodes.len() {
        if state[root] != 0 {
            continue;
        }
        state[root] = 1;
        let mut open = vec![(root, 0)];
        while let Some((node, next)) = open.last_mut() {
            let (node, place) = (*node, *next);
            *next += 1;
            match nodes[node].ways.get(place).copied() {
                Some(Way { is_cut: false, to: Some(to), .. }) => match state[to] {
                    0 => {
                        state[to] = 1;
                        open.push((to, 0));
                    }
                    1 => nodes[node].ways[place].is_cut = true,
                    _ => {}
                },
                Some(_) => {}
                None => {
                    state[node] = 2;
                    order.push(node);
                    open.pop();
                }
            }
        }
    }
    (nodes, order)
}

/// Gives each way its value, and each node its number of segments.
pub(crate) fn number(nodes: &mut [Node], order: &[usize], limit: u64) -> Vec<u64> {
    let mut counts = vec![0_u64; nodes.len()];
    for &node in order {
        let stop = u64::from(nodes[node].stops);
        let of = |way: &Way| if way.is_cut { 1 } else { way.to.map_or(1, |to| counts[to]) };
        let all = stop + nodes[node].ways.iter().map(of).sum::<u64>();
        let cuts = all > limit.max(stop + nodes[node].ways.len() as u64);
        let mut next = stop;
        let values = nodes[node].ways.iter().map(|way| {
            let value = next;
            next += if cuts { 1 } else { of(way) };
            value
        });
        let values: Vec<u64> = values.collect();
        counts[node] = next;
        for (way, value) in nodes[node].ways.iter_mut().zip(values) {
            way.value = u32::try_from(value).unwrap_or(u32::MAX);
            way.is_cut |= cuts;
        }
    }
    counts
}

/// The nodes where segments begin, in the order of the code.
pub(crate) fn starts(graph: &Graph<'_>, nodes: &[Node], first_of: &[usize]) -> Vec<usize> {
    let mut begins = vec![false; nodes.len()];
    let targets =
        graph.handlers.iter().map(|handler| handler.target).filter(|&block| !graph.blocks[block].is_dead);
    for node in targets.map(|block| first_of[block]).chain([0]) {
        if let Some(begins) = begins.get_mut(node) {
            *begins = true;
        }
    }
    for way in nodes.iter().flat_map(|node| &node.ways).filter(|way| way.is_cut) {
        way.to.into_iter().for_each(|to| begins[to] = true);
    }
    (0..nodes.len()).filter(|&node| begins[node]).collect()
}
