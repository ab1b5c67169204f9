//! The layer of each box.

use crate::drawing::Way;
use crate::graph::Graph;

/// The layer of each box, from 0 on. The entry is alone in the first. Each edge that goes down leads to a later layer.
/// An exit that nothing goes down from lies in the last one.
pub(crate) fn layers(graph: &Graph, ways: &[Way], order: &[usize]) -> Vec<usize> {
    let count = graph.sizes().len();
    let (mut above, mut below) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for (edge, _) in graph.edges().iter().zip(ways).filter(|(_, way)| **way == Way::Down) {
        above[edge.to].push(edge.from);
        below[edge.from].push(edge.to);
    }
    let mut layers = vec![0; count];
    for &node in order.iter().filter(|node| **node != 0) {
        // Boxes that no path leads to must not lie above the entry.
        layers[node] = above[node].iter().map(|&from| layers[from] + 1).max().unwrap_or(1);
    }
    let last = layers.iter().copied().max().unwrap_or(0);
    for &node in order.iter().rev().filter(|node| **node != 0) {
        let lowest = below[node].iter().map(|&to| layers[to] - 1).min();
        let is_exit = graph.sizes()[node].is_exit;
        match lowest {
            // Fewer lines become longer than shorter.
            Some(lowest) if is_exit || above[node].len() < below[node].len() => layers[node] = lowest,
            None if is_exit => layers[node] = last,
            _ => {}
        }
    }
    layers
}
