//! Strata of comparable calls: calls of nearly the same workload size, or else of the same bucket.

use super::history::{Kept, Stratum};
use spl_model::Bucket;
use std::collections::BTreeMap;

/// The strata that all sides of a comparison have calls in, in ascending order.
#[derive(Clone, Debug)]
pub(super) struct Strata {
    list: Vec<Stratum>,
    /// Calls of each side, for each stratum.
    counts: Vec<Vec<u64>>,
    /// True if a stratum is a whole bucket.
    whole: bool,
    /// Difference between the mean sizes of the two sides within the strata, as the logarithm of their ratio.
    pub(super) doubt: f64,
}

/// At least one in this number of calls with a partner of about their size must have a partner of nearly
/// their size.
const FEW: u64 = 10;

/// Calls and the sum of their sizes.
type Counts = BTreeMap<Stratum, Vec<(u64, f64)>>;

impl Strata {
    /// Takes windows with the turns of this number of sides, in one bucket or in all. Sizes are divided
    /// finely, unless that leaves out nearly all calls that have a partner in their bucket.
    pub(super) fn of(shared: &[Vec<&Kept>], sides: usize, scope: Option<&Bucket>) -> Self {
        let fine = Self::parted(shared, sides, scope, false);
        let has_sizes =
            shared.iter().flatten().flat_map(|turn| turn.strata.keys()).any(|one| one.from.is_some());
        if !has_sizes {
            return fine;
        }
        let whole = Self::parted(shared, sides, scope, true);
        if FEW * fine.partners() < whole.partners() { whole } else { fine }
    }

    fn parted(shared: &[Vec<&Kept>], sides: usize, scope: Option<&Bucket>, whole: bool) -> Self {
        let mut all: Counts = BTreeMap::new();
        for turns in shared {
            for (side, turn) in turns.iter().enumerate().take(sides) {
                for (stratum, calls) in &turn.strata {
                    if scope.is_some_and(|scope| *scope != stratum.bucket) {
                        continue;
                    }
                    let key = key(stratum, whole);
                    let counts = match all.get_mut(&key) {
                        Some(counts) => counts,
                        None => all.entry(key).or_insert_with(|| vec![(0, 0.0); sides]),
                    };
                    counts[side].0 += calls.times.len() as u64;
                    counts[side].1 += calls.sizes;
                }
            }
        }
        all.retain(|_, counts| counts.iter().all(|(calls, _)| *calls > 0));
        let doubt = size_doubt(&all);
        let counts = all.values().map(|counts| counts.iter().map(|(calls, _)| *calls).collect()).collect();
        Self { list: all.into_keys().collect(), counts, whole, doubt }
    }

    /// The number of a stratum, if its calls are compared.
    pub(super) fn index(&self, stratum: &Stratum) -> Option<usize> {
        self.list.binary_search(&key(stratum, self.whole)).ok()
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Calls of the side that has fewest, for each stratum.
    pub(super) fn fewest(&self) -> impl Iterator<Item = u64> {
        self.counts.iter().map(|counts| counts.iter().copied().min().unwrap_or(0))
    }

    /// Calls of a side in a stratum.
    pub(super) fn calls(&self, index: usize, side: usize) -> u64 {
        self.counts[index][side]
    }

    fn partners(&self) -> u64 {
        self.fewest().sum()
    }
}

fn key(stratum: &Stratum, whole: bool) -> Stratum {
    Stratum { bucket: stratum.bucket.clone(), from: stratum.from.filter(|_| !whole) }
}

/// Error of the ratio through unlike sizes within the strata, if times grow with the size: errors of opposite
/// signs cancel out.
fn size_doubt(all: &Counts) -> f64 {
    let (mut doubt, mut weights) = (0.0, 0.0);
    for counts in all.values() {
        let &[(left, left_sizes), (right, right_sizes)] = counts.as_slice() else { return 0.0 };
        let weight = left.min(right) as f64;
        weights += weight;
        if left_sizes > 0.0 && right_sizes > 0.0 {
            doubt += weight * (left_sizes / left as f64 / (right_sizes / right as f64)).ln();
        }
    }
    if weights > 0.0 { doubt.abs() / weights } else { 0.0 }
}
