//! A guess how often blocks run, from the shape of the graph alone.

use crate::edge::Edge;
use crate::graph::Graph;

/// The guess for a block that each call runs once.
const ONCE: u64 = 1 << 20;
/// The guess for the turns of a loop.
const TURNS: u64 = 10;

/// Guesses for blocks and edges, on a scale of their own.
#[derive(Debug)]
pub(crate) struct Often {
    pub(crate) blocks: Vec<u64>,
    /// In the graph's order; 0 for exceptions.
    pub(crate) edges: Vec<u64>,
}

impl Often {
    /// Each way out of a block is taken alike, but that a loop turns ten times; what only exceptions lead to does not run.
    pub(crate) fn guess(graph: &Graph<'_>) -> Self {
        let mut often = Self { blocks: vec![0; graph.blocks.len()], edges: vec![0; graph.edges.len()] };
        let order = order(graph);
        let nest = Nest::of(graph);
        let mut is_head = vec![false; graph.blocks.len()];
        graph.loops.iter().filter(|one| !one.by_exception).for_each(|one| is_head[one.head] = true);
        let mut came = vec![0_u64; graph.blocks.len()];
        came.first_mut().into_iter().for_each(|first| *first = ONCE);
        for block in order {
            let runs = if is_head[block] { came[block].saturating_mul(TURNS) } else { came[block] };
            often.blocks[block] = runs;
            let (leave, stay): (Vec<usize>, Vec<usize>) =
                flows(graph, block).partition(|&edge| nest.is_left(graph, &graph.edges[edge]));
            let out = if stay.is_empty() { runs } else { runs / TURNS };
            let share = |all: u64, ways: usize| all / ways.max(1) as u64;
            for (edges, all) in [(&leave, out), (&stay, runs - if leave.is_empty() { 0 } else { out })] {
                for &edge in edges {
                    often.edges[edge] = share(all, edges.len());
                    let to = graph.edges[edge].to;
                    came[to] = came[to].saturating_add(often.edges[edge]);
                }
            }
        }
        often
    }
}

/// The edges of a block that no exception takes.
fn flows<'g>(graph: &'g Graph<'_>, block: usize) -> impl Iterator<Item = usize> + 'g {
    let edges = graph.blocks[block].edges.clone();
    edges.filter(|&edge| !graph.edges[edge].kind.is_exception())
}

/// Which loops lie in which.
struct Nest {
    /// The loops in an order in which those in a loop follow it: the first and the one behind the last of each.
    ranges: Vec<(usize, usize)>,
}

impl Nest {
    fn of(graph: &Graph<'_>) -> Self {
        let loops = &graph.loops;
        let mut sizes = vec![1; loops.len()];
        // Outer loops come before inner ones.
        for place in (0..loops.len()).rev() {
            if let Some(parent) = loops[place].parent {
                sizes[parent] += sizes[place];
            }
        }
        let mut next = 0;
        let mut free = vec![0; loops.len()];
        let mut ranges = Vec::with_capacity(loops.len());
        for (place, one) in loops.iter().enumerate() {
            let at = one.parent.map_or(&mut next, |parent| &mut free[parent]);
            let first = *at;
            *at += sizes[place];
            free[place] = first + 1;
            ranges.push((first, first + sizes[place]));
        }
        Self { ranges }
    }

    /// Whether an edge leads out of the innermost loop that it begins in.
    fn is_left(&self, graph: &Graph<'_>, edge: &Edge) -> bool {
        let range = |block: usize| graph.blocks[block].in_loop.map(|place| self.ranges[place]);
        match (range(edge.from), range(edge.to)) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some((first, end)), Some((inner, _))) => !(first..end).contains(&inner),
        }
    }
}

/// The live blocks. A block comes after the blocks that lead to it, except over edges that lead back.
pub(crate) fn order(graph: &Graph<'_>) -> Vec<usize> {
    let mut met = vec![false; graph.blocks.len()];
    let mut order = Vec::with_capacity(graph.blocks.len());
    let mut open = Vec::new();
    if let Some(first) = graph.blocks.first() {
        met[0] = true;
        open.push((0, first.edges.clone()));
    }
    while let Some((block, edges)) = open.last_mut() {
        match edges.next() {
            Some(edge) => {
                let to = graph.edges[edge].to;
                if !std::mem::replace(&mut met[to], true) {
                    open.push((to, graph.blocks[to].edges.clone()));
                }
            }
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}
