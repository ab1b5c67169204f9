//! The graph in layers: long edges as chains of segments, each from one layer to the next.
//!
//! Edges of one kind to the same box share their places in the layers between: where one meets the other, they become
//! one line. Since all of them lead to the same box, such a line is not ambiguous.

use crate::drawing::Way;
use crate::graph::{Edge, Graph};
use std::collections::BTreeMap;

/// A box, or the place where lines pass through a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) layer: usize,
    /// Place of the lines that pass, by the number of the group; `None` for a box, whose number is the item's.
    pub(crate) group: Option<usize>,
}

/// A piece of one or several edges, from a layer to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) upper: usize,
    pub(crate) lower: usize,
    /// Edges with this piece.
    pub(crate) edges: u32,
    pub(crate) is_back: bool,
    pub(crate) is_second: bool,
}

/// The graph in layers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proper {
    /// Boxes first.
    pub(crate) items: Vec<Item>,
    pub(crate) segments: Vec<Segment>,
    /// Of each edge the segments, from above; none for an edge from a box to itself.
    pub(crate) chains: Vec<Vec<usize>>,
    /// The number of layers.
    pub(crate) layers: usize,
}

/// Edges that share their places: the box that they lead to, whether they go back, whether they are of the second kind,
/// and the number of an edge that stays alone.
type Group = (usize, bool, bool, Option<usize>);

/// Which edges to the same box become one line where they meet. Fewer crossings decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joins {
    /// All.
    All,
    /// Edges that go down.
    Down,
    /// Edges of the second kind that go down.
    Second,
    /// None.
    None,
}

impl Joins {
    pub(crate) const ALL: [Self; 4] = [Self::All, Self::Down, Self::Second, Self::None];

    fn group(self, number: usize, edge: &Edge, way: Way) -> Group {
        let is_back = way == Way::Back;
        let is_joined = match self {
            Self::All => true,
            Self::Down => !is_back,
            Self::Second => !is_back && edge.is_second,
            Self::None => false,
        };
        (edge.to, is_back, edge.is_second, (!is_joined).then_some(number))
    }
}

impl Proper {
    /// The graph, unless it needs more than `most` items.
    pub(crate) fn new(
        graph: &Graph,
        ways: &[Way],
        layers: &[usize],
        joins: Joins,
        most: usize,
    ) -> Option<Self> {
        let mut proper = Self {
            items: layers.iter().map(|&layer| Item { layer, group: None }).collect(),
            layers: layers.iter().max().map_or(0, |last| last + 1),
            ..Self::default()
        };
        let mut reach: BTreeMap<Group, (usize, usize)> = BTreeMap::new();
        let edges = || graph.edges().iter().zip(ways).enumerate();
        for (number, (edge, way)) in edges().filter(|(_, (_, way))| **way != Way::Own) {
            let (low, high) =
                (layers[edge.from].min(layers[edge.to]), layers[edge.from].max(layers[edge.to]));
            let found = reach.entry(joins.group(number, edge, *way)).or_insert((low, high));
            *found = (found.0.min(low), found.1.max(high));
        }
        let between = |(low, high): &(usize, usize)| high - low - 1;
        if layers.len() + reach.values().map(between).sum::<usize>() > most {
            return None;
        }
        let mut first = BTreeMap::new();
        for (number, (group, (low, high))) in reach.into_iter().enumerate() {
            first.insert(group, (proper.items.len(), low + 1));
            let passing = (low + 1..high).map(|layer| Item { layer, group: Some(number) });
            proper.items.extend(passing);
        }
        let mut known = BTreeMap::new();
        for (number, (edge, way)) in edges() {
            let mut chain = Vec::new();
            if *way != Way::Own {
                let is_back = *way == Way::Back;
                let (top, bottom) = if is_back { (edge.to, edge.from) } else { (edge.from, edge.to) };
                let (start, low) = first[&joins.group(number, edge, *way)];
                let passing = (layers[top] + 1..layers[bottom]).map(|layer| start + layer - low);
                let stops: Vec<usize> = std::iter::once(top).chain(passing).chain([bottom]).collect();
                for pair in stops.windows(2) {
                    let key = (pair[0], pair[1], is_back, edge.is_second);
                    let segments = &mut proper.segments;
                    let at = *known.entry(key).or_insert_with(|| {
                        let (upper, lower, is_back, is_second) = key;
                        segments.push(Segment { upper, lower, edges: 0, is_back, is_second });
                        segments.len() - 1
                    });
                    segments[at].edges += 1;
                    chain.push(at);
                }
            }
            proper.chains.push(chain);
        }
        Some(proper)
    }
}
