//! Which edges go down, and which go back.

use crate::drawing::Way;
use crate::graph::Graph;

/// How the edges lie, and the boxes in an order in which each edge that goes down leads to a later one.
///
/// An edge goes back if it leads to a box that a depth-first search from the entry is still busy with. Edges to the
/// entry always go back: also edges of boxes that no path leads to.
pub(crate) fn ways(graph: &Graph) -> (Vec<Way>, Vec<usize>) {
    let count = graph.sizes().len();
    let mut leaving = vec![Vec::new(); count];
    for (number, edge) in graph.edges().iter().enumerate() {
        leaving[edge.from].push(number);
    }
    let mut ways = vec![Way::Down; graph.edges().len()];
    let mut state = vec![State::New; count];
    let mut order = Vec::with_capacity(count);
    let mut open: Vec<(usize, usize)> = Vec::new();
    for root in 0..count {
        if state[root] == State::New {
            state[root] = State::Busy;
            open.push((root, 0));
        }
        while let Some((node, next)) = open.pop() {
            let Some(&number) = leaving[node].get(next) else {
                state[node] = State::Done;
                order.push(node);
                continue;
            };
            open.push((node, next + 1));
            let to = graph.edges()[number].to;
            if to == node {
                ways[number] = Way::Own;
            } else if to == 0 || state[to] == State::Busy {
                ways[number] = Way::Back;
            } else if state[to] == State::New {
                state[to] = State::Busy;
                open.push((to, 0));
            }
        }
    }
    order.reverse();
    (ways, order)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Busy,
    Done,
}
