//! The order of the items of each layer, with few crossings: sweeps by barycentre and median (Sugiyama and others 1981;
//! Gansner and others 1993), with exchanges of neighbours in between.

use crate::proper::Proper;

/// Steps of the work for one graph, each some nanoseconds: its end comes at the same place on every machine.
pub(crate) const MOST_WORK: u64 = 8_000_000;
/// Sweeps from one order at the start.
const SWEEPS: usize = 24;
/// Sweeps without a better order, after which the next ones start from another.
const PATIENCE: usize = 6;
/// Times that all neighbours are compared after a sweep.
const EXCHANGES: usize = 8;

/// Neighbours of an item in a layer next to its own, each with the weight of the line.
type Neighbours = Vec<(usize, u32)>;

/// The search for the best order.
struct Search {
    above: Vec<Neighbours>,
    below: Vec<Neighbours>,
    /// The order of each layer, and of each item the place in it.
    layers: Vec<Vec<usize>>,
    places: Vec<usize>,
    left: u64,
}

/// An order and its figures.
pub(crate) struct Ordered {
    /// The items of each layer from left to right.
    pub(crate) layers: Vec<Vec<usize>>,
    /// Crossings of lines; one of several edges counts for each of them.
    pub(crate) crossings: u64,
    /// Steps of the work that are left.
    pub(crate) left: u64,
}

/// The best order found with this number of steps left.
pub(crate) fn order(proper: &Proper, left: u64) -> Ordered {
    let mut search = Search::new(proper, left);
    let mut best: Option<(u64, Vec<Vec<usize>>)> = None;
    for start in 0..4 {
        search.start(start % 2 == 1);
        let found = search.improve(start < 2);
        if best.as_ref().is_none_or(|(least, _)| found.0 < *least) {
            best = Some(found);
        }
        if best.as_ref().is_some_and(|(least, _)| *least == 0) || search.left == 0 {
            break;
        }
    }
    let (crossings, layers) = best.unwrap_or_default();
    Ordered { layers, crossings, left: search.left }
}

impl Search {
    fn new(proper: &Proper, left: u64) -> Self {
        let count = proper.items.len();
        let mut search = Self {
            above: vec![Vec::new(); count],
            below: vec![Vec::new(); count],
            layers: vec![Vec::new(); proper.layers],
            places: vec![0; count],
            left,
        };
        for segment in &proper.segments {
            let weight = segment.edges;
            search.above[segment.lower].push((segment.upper, weight));
            search.below[segment.upper].push((segment.lower, weight));
        }
        for (number, item) in proper.items.iter().enumerate() {
            search.layers[item.layer].push(number);
        }
        search
    }

    /// Puts the items in the order of a depth-first search, which for trees has no crossings.
    fn start(&mut self, from_right: bool) {
        let mut known = vec![false; self.places.len()];
        let mut layer_of = vec![0; self.places.len()];
        for (number, layer) in self.layers.iter().enumerate() {
            layer.iter().for_each(|&item| layer_of[item] = number);
        }
        let mut roots: Vec<usize> = std::mem::take(&mut self.layers).into_iter().flatten().collect();
        roots.sort_by_key(|&item| (layer_of[item], item));
        self.layers = vec![Vec::new(); layer_of.iter().max().map_or(0, |last| last + 1)];
        for root in roots {
            let mut open = vec![root];
            while let Some(item) = open.pop() {
                if std::mem::replace(&mut known[item], true) {
                    continue;
                }
                self.layers[layer_of[item]].push(item);
                let next = self.below[item].iter().map(|(to, _)| *to).filter(|to| !known[*to]);
                if from_right { open.extend(next) } else { open.extend(next.rev()) }
            }
        }
        self.number_all();
    }

    fn number_all(&mut self) {
        for layer in 0..self.layers.len() {
            self.number(layer);
        }
    }

    fn number(&mut self, layer: usize) {
        for (place, &item) in self.layers[layer].iter().enumerate() {
            self.places[item] = place;
        }
    }

    /// Sweeps until nothing gets better; gives the least crossings and their order.
    fn improve(&mut self, by_median: bool) -> (u64, Vec<Vec<usize>>) {
        self.exchange(false);
        let mut best = (self.crossings(), self.layers.clone());
        let mut fruitless = 0;
        for sweep in 0..SWEEPS {
            if best.0 == 0 || fruitless >= PATIENCE || self.left == 0 {
                break;
            }
            let last = self.layers.len() - 1;
            let to_right = sweep % 4 < 2;
            if sweep % 2 == 0 {
                (1..=last).for_each(|layer| self.sort(layer, true, by_median, to_right));
            } else {
                (0..last).rev().for_each(|layer| self.sort(layer, false, by_median, to_right));
            }
            self.exchange(sweep % 3 == 1);
            self.exchange(false);
            let found = self.crossings();
            fruitless += 1;
            if found < best.0 {
                best = (found, self.layers.clone());
                fruitless = 0;
            }
        }
        best
    }

    /// Sorts a layer by the places of the neighbours above or below. Items without any keep their places.
    fn sort(&mut self, layer: usize, by_above: bool, by_median: bool, to_right: bool) {
        let neighbours = if by_above { &self.above } else { &self.below };
        let items = &self.layers[layer];
        let key = |item: usize| middle(&neighbours[item], &self.places, by_median);
        let mut sorted: Vec<(f64, usize)> =
            items.iter().filter_map(|&item| Some((key(item)?, item))).collect();
        self.left = self.left.saturating_sub(20 * items.len() as u64);
        if !to_right {
            sorted.reverse();
        }
        sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut sorted = sorted.into_iter();
        let placed = items.iter().map(|&item| match neighbours[item].is_empty() {
            true => item,
            // As many are sorted as have neighbours.
            false => sorted.next().map_or(item, |(_, item)| item),
        });
        self.layers[layer] = placed.collect();
        self.number(layer);
    }

    /// Exchanges neighbours as long as that saves crossings; with `also_equal` once also where it saves none.
    fn exchange(&mut self, also_equal: bool) {
        for round in 0..EXCHANGES {
            let mut saved = false;
            for layer in 0..self.layers.len() {
                saved |= self.exchange_in(layer, also_equal && round == 0);
            }
            if !saved || self.left == 0 {
                break;
            }
        }
    }

    fn exchange_in(&mut self, layer: usize, also_equal: bool) -> bool {
        let count = self.layers[layer].len();
        if count < 2 {
            return false;
        }
        let sorted = |neighbours: &Neighbours| {
            let mut found: Neighbours = neighbours.iter().map(|&(to, w)| (self.places[to], w)).collect();
            found.sort_unstable();
            found
        };
        let mut row: Vec<(usize, Neighbours, Neighbours)> = self.layers[layer]
            .iter()
            .map(|&item| (item, sorted(&self.above[item]), sorted(&self.below[item])))
            .collect();
        let mut saved = false;
        let mut again = true;
        while again && self.left > 0 {
            again = false;
            for place in 1..count {
                let (one, other) = (&row[place - 1], &row[place]);
                self.left = self.left.saturating_sub(
                    4 * (2 + one.1.len() + one.2.len() + other.1.len() + other.2.len()) as u64,
                );
                let (now, then) = (both(&one.1, &other.1), both(&one.2, &other.2));
                let (now, then) = (now.0 + then.0, now.1 + then.1);
                if then < now || (also_equal && !saved && then == now && now > 0) {
                    row.swap(place - 1, place);
                    again |= then < now;
                    saved |= then < now;
                }
            }
        }
        self.layers[layer] = row.into_iter().map(|(item, _, _)| item).collect();
        self.number(layer);
        saved
    }

    /// Crossings of all segments, by weight.
    fn crossings(&mut self) -> u64 {
        let mut sum = 0;
        for layer in 1..self.layers.len() {
            let mut tree = vec![0_u64; self.layers[layer].len() + 1];
            let mut passed = 0;
            for &upper in &self.layers[layer - 1] {
                self.left = self.left.saturating_sub(10 * self.below[upper].len() as u64);
                for &(lower, weight) in &self.below[upper] {
                    let not_right = read(&tree, self.places[lower] + 1);
                    sum += (passed - not_right) * u64::from(weight);
                }
                for &(lower, weight) in &self.below[upper] {
                    add(&mut tree, self.places[lower] + 1, u64::from(weight));
                    passed += u64::from(weight);
                }
            }
        }
        sum
    }
}

/// The mean or the median of the neighbours' places; `None` without neighbours.
fn middle(neighbours: &Neighbours, places: &[usize], by_median: bool) -> Option<f64> {
    if neighbours.is_empty() {
        return None;
    }
    if !by_median {
        let weights: u32 = neighbours.iter().map(|(_, weight)| weight).sum();
        let sum: f64 = neighbours.iter().map(|&(item, weight)| places[item] as f64 * f64::from(weight)).sum();
        return Some(sum / f64::from(weights));
    }
    let mut found: Vec<usize> = neighbours.iter().map(|(item, _)| places[*item]).collect();
    found.sort_unstable();
    let (low, high) = (found[(found.len() - 1) / 2], found[found.len() / 2]);
    Some((low + high) as f64 / 2.0)
}

/// Crossings of the lines of two neighbours, now and after an exchange of both.
fn both(left: &Neighbours, right: &Neighbours) -> (u64, u64) {
    (inverted(left, right), inverted(right, left))
}

/// Pairs with the left one's end to the right of the right one's, by weight.
fn inverted(left: &Neighbours, right: &Neighbours) -> u64 {
    let (mut sum, mut passed, mut next) = (0, 0, 0);
    for &(place, weight) in left {
        while let Some((_, more)) = right.get(next).filter(|(other, _)| *other < place) {
            passed += u64::from(*more);
            next += 1;
        }
        sum += passed * u64::from(weight);
    }
    sum
}

/// The sum of the first values of a Fenwick tree.
fn read(tree: &[u64], mut end: usize) -> u64 {
    let mut sum = 0;
    while end > 0 {
        sum += tree[end];
        end &= end - 1;
    }
    sum
}

fn add(tree: &mut [u64], mut at: usize, value: u64) {
    while at < tree.len() {
        tree[at] += value;
        at += at & at.wrapping_neg();
    }
}
