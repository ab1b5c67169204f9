//! Where the register of the path changes, on as few edges as a spanning tree leaves out.

use super::network::{Network, Numbered, Out, Start, Way};
use super::types::{Ended, Register, Step};
use crate::counters::Place;
use crate::edge::EdgeKind;
use crate::graph::Graph;
use crate::often::Often;
use crate::tree::Tree;
use std::collections::BTreeMap;

/// A way with the value that it adds to the number of a path. All arithmetic wraps: a number is below 2^32.
struct Valued<'n> {
    from: usize,
    way: &'n Way,
    /// The part that the path goes on to.
    to: Option<usize>,
    value: i32,
}

/// The steps at all places, and the number to add to the register at the beginning of each part to have the number of the path whose
/// ways are the first ones from there on.
pub(super) fn steps(
    graph: &Graph<'_>,
    network: &Network,
    numbered: &Numbered,
    keeps: bool,
) -> (BTreeMap<Place, Step>, Vec<i32>) {
    let ways = valued(network, numbered);
    let potentials = potentials(graph, network, numbered, &ways);
    let known = Known::of(network, numbered, &ways, keeps);
    let set = |start: &Start| {
        let value = (start.first as i32).wrapping_sub(potentials[start.part]);
        known.needs[start.part].then_some(Register::Set(value))
    };
    let mut steps = BTreeMap::new();
    let mut add = |place, step: Step| {
        if step != Step::default() {
            steps.insert(place, step);
        }
    };
    let entry = numbered.starts.iter().find(|one| one.is_entry).and_then(set);
    add(Place::Entry, Step { end: None, register: entry });
    let behind_cuts = numbered.starts.iter().filter(|one| !one.is_entry);
    let starts: BTreeMap<usize, Register> =
        behind_cuts.filter_map(|one| Some((one.part, set(one)?))).collect();
    for (number, part) in network.parts.iter().enumerate().filter(|(_, part)| part.handles) {
        add(Place::Head(part.block), Step { end: None, register: starts.get(&number).copied() });
    }
    for Valued { from, way, to, value } in &ways {
        let step = match *to {
            Some(to) => {
                let sum = potentials[*from].wrapping_add(*value).wrapping_sub(potentials[to]);
                let register = (known.needs[to] && sum != 0).then_some(Register::Add(sum));
                Step { end: None, register }
            }
            None => {
                let end = known.ended(*from, *value, potentials[*from]);
                // The code in front of a handler's block sets the register by itself.
                let next = way.to.filter(|&to| !network.parts[to].handles);
                Step { end: Some(end), register: next.and_then(|to| starts.get(&to).copied()) }
            }
        };
        add(way.out.place(), step);
    }
    (steps, potentials)
}

/// All ways: a way of a part adds the number of paths that take the ways before it.
fn valued<'n>(network: &'n Network, numbered: &Numbered) -> Vec<Valued<'n>> {
    let mut valued = Vec::new();
    for (from, part) in network.parts.iter().enumerate() {
        let mut before = 0_u64;
        for way in &part.ways {
            let to = network.goes_on(way);
            valued.push(Valued { from, way, to, value: before as i32 });
            before = before.saturating_add(to.map_or(1, |to| numbered.from[to]));
        }
    }
    valued
}

/// A number for each part, so that a way of the spanning tree adds nothing: a way adds its value and the difference of the numbers of its
/// parts. Outside the method it is 0, where paths begin and end. Ways between parts are in the tree first, the frequent ones before
/// others: additions at ends and beginnings cost no instruction of their own.
fn potentials(graph: &Graph<'_>, network: &Network, numbered: &Numbered, ways: &[Valued<'_>]) -> Vec<i32> {
    let outside = network.parts.len();
    let often = Often::guess(graph);
    let weight = |one: &Valued<'_>| match one.way.out {
        Out::Edge(edge) => (often.edges[edge], graph.edges[edge].kind != EdgeKind::FallThrough),
        Out::Return(block) | Out::Throw(block) => (often.blocks[block], false),
        Out::Call(_) => (0, false),
    };
    let mut order: Vec<&Valued<'_>> = ways.iter().collect();
    // A stable sort: of two alike the first in the code is in the tree.
    order.sort_by_key(|one| std::cmp::Reverse((one.to.is_some(), weight(one))));
    let mut tree = Tree::new(outside + 1);
    let mut of_part: Vec<Vec<(usize, i32)>> = vec![Vec::new(); outside + 1];
    let ends = order.iter().map(|one| (one.from, one.to.unwrap_or(outside), one.value));
    let starts = numbered.starts.iter().map(|start| (outside, start.part, start.first as i32));
    for (from, to, value) in ends.chain(starts) {
        if tree.connects(from, to) {
            of_part[from].push((to, value));
            of_part[to].push((from, value.wrapping_neg()));
        }
    }
    let mut potentials = vec![None; outside + 1];
    potentials[outside] = Some(0);
    let mut open = vec![(outside, 0_i32)];
    while let Some((node, potential)) = open.pop() {
        for &(next, value) in &of_part[node] {
            if potentials[next].is_none() {
                let there = potential.wrapping_add(value);
                potentials[next] = Some(there);
                open.push((next, there));
            }
        }
    }
    potentials.into_iter().take(outside).map(|one| one.unwrap_or(0)).collect()
}

/// Where the path is known without the register.
struct Known {
    /// The sum of the only path that leads to a part.
    sums: Vec<Option<i32>>,
    /// Whether the register has to be right in a part.
    needs: Vec<bool>,
}

impl Known {
    fn of(network: &Network, numbered: &Numbered, ways: &[Valued<'_>], keeps: bool) -> Self {
        let parts = network.parts.len();
        // Number of ways that lead to each part, each of a single path; more than one where they are unknown.
        let mut prefixes = vec![0_u8; parts];
        let mut sums = vec![0_i32; parts];
        for start in &numbered.starts {
            prefixes[start.part] = prefixes[start.part].saturating_add(1);
            sums[start.part] = start.first as i32;
        }
        // The ways stand in the order of their parts, which is that of paths.
        for one in ways {
            if let Some(to) = one.to {
                prefixes[to] = prefixes[to].saturating_add(prefixes[one.from]);
                sums[to] = sums[one.from].wrapping_add(one.value);
            }
        }
        let mut needs = vec![keeps; parts];
        for one in ways.iter().rev() {
            needs[one.from] |= match one.to {
                Some(to) => needs[to],
                None => prefixes[one.from] > 1,
            };
        }
        let sums = sums.into_iter().zip(prefixes).map(|(sum, ways)| (ways == 1).then_some(sum)).collect();
        Self { sums, needs }
    }

    fn ended(&self, from: usize, value: i32, potential: i32) -> Ended {
        match self.sums[from] {
            Some(sum) => Ended::Known(sum.wrapping_add(value) as u32),
            None => Ended::Sum(potential.wrapping_add(value)),
        }
    }
}
