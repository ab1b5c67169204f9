//! The number of things that carry most of the weight: hot instructions, methods, classes and locks.

use crate::amount::Bounds;
use std::collections::BTreeMap;
use std::str::FromStr;

/// Digits behind the point of a share.
const DIGITS: usize = 9;

/// The share of the weight that counts as most of it: over 0 and up to 1, as a fraction of whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cutoff {
    part: u64,
    of: u64,
}

impl Default for Cutoff {
    fn default() -> Self {
        Self { part: 9, of: 10 }
    }
}

impl Cutoff {
    /// The least weight that is at least this share of a sum.
    fn of_sum(self, sum: u128) -> u128 {
        // In whole numbers: a product of floats is wrong from 2^53 on.
        let part = u128::from(self.part);
        let of = u128::from(self.of);
        match sum.checked_mul(part) {
            Some(product) => product.div_ceil(of),
            None => sum,
        }
    }

    /// As a number.
    #[must_use]
    pub fn value(self) -> f64 {
        self.part as f64 / self.of as f64
    }
}

impl FromStr for Cutoff {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text} is not a share: expected a number over 0 and up to 1, such as 0.9");
        let (whole, digits) = text.split_once('.').unwrap_or((text, ""));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() != 1 || digits.len() > DIGITS || !is_number(whole) || !is_number(digits) {
            return Err(wrong());
        }
        let of = digits.bytes().fold(1_u64, |of, _| of * 10);
        let part = format!("{whole}{digits}").parse().map_err(|_| wrong())?;
        if part == 0 || part > of { Err(wrong()) } else { Ok(Self { part, of }) }
    }
}

/// Weights of things, each known exactly or between bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights {
    /// Number of things by their least weight; those without any are not here.
    least: BTreeMap<u64, u64>,
    most: BTreeMap<u64, u64>,
}

impl Weights {
    /// Adds a thing.
    pub fn add(&mut self, weight: Bounds) {
        for (weights, weight) in [(&mut self.least, weight.least), (&mut self.most, weight.most)] {
            if weight > 0 {
                *weights.entry(weight).or_default() += 1;
            }
        }
    }

    /// Adds the things of another set.
    pub fn merge(&mut self, other: &Self) {
        for (to, from) in [(&mut self.least, &other.least), (&mut self.most, &other.most)] {
            for (weight, things) in from {
                *to.entry(*weight).or_default() += things;
            }
        }
    }

    /// The number of things that have some weight.
    #[must_use]
    pub fn things(&self) -> Bounds {
        let number =
            |weights: &BTreeMap<u64, u64>| weights.values().fold(0, |sum: u64, one| sum.saturating_add(*one));
        Bounds::new(number(&self.least), number(&self.most))
    }

    /// The least number of things that carry this share of all the weight.
    #[must_use]
    pub fn hot(&self, cutoff: Cutoff) -> Bounds {
        let [least, most] = [&self.least, &self.most].map(sum);
        // Few of the heaviest carry little: at least as many as if they were as heavy as they may be, and all others as light.
        let few = leading(&self.most, cutoff.of_sum(least)).unwrap_or(0);
        let many = leading(&self.least, cutoff.of_sum(most));
        Bounds::new(few, many.unwrap_or_else(|| self.things().most))
    }
}

fn sum(weights: &BTreeMap<u64, u64>) -> u128 {
    weights
        .iter()
        .fold(0, |sum, (weight, things)| sum.saturating_add(u128::from(*weight) * u128::from(*things)))
}

/// The number of the heaviest things whose weights make at least `wanted`; `None` where all make less.
fn leading(weights: &BTreeMap<u64, u64>, wanted: u128) -> Option<u64> {
    let (mut sum, mut number) = (0_u128, 0_u64);
    for (weight, things) in weights.iter().rev() {
        let missing = wanted.saturating_sub(sum);
        let needed = missing.div_ceil(u128::from(*weight));
        if needed <= u128::from(*things) {
            return Some(number.saturating_add(u64::try_from(needed).unwrap_or(u64::MAX)));
        }
        sum = sum.saturating_add(u128::from(*weight) * u128::from(*things));
        number = number.saturating_add(*things);
    }
    (sum >= wanted).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn weights(all: &[u64]) -> Weights {
        let mut weights = Weights::default();
        all.iter().for_each(|weight| weights.add(Bounds::exact(*weight)));
        weights
    }

    fn cutoff(text: &str) -> Cutoff {
        text.parse().unwrap()
    }

    #[test]
    fn the_cutoff_is_a_whole_number() {
        // 90% of 85 is 76.5, so 77: fifteen instructions of five runs make 75, one more 80.
        let all: Vec<u64> = [vec![6; 3], vec![5; 13], vec![1; 2]].concat();
        assert_eq!(weights(&all).hot(Cutoff::default()), Bounds::exact(15));
        assert_eq!(weights(&[3, 3]).hot(Cutoff::default()), Bounds::exact(2));
        assert_eq!(weights(&[9, 1]).hot(Cutoff::default()), Bounds::exact(1), "exactly nine tenths");
        // A float of 32 bits takes 16,777,217 for 16,777,216.
        let big = weights(&[15_099_495, 1_677_722]);
        assert_eq!(big.hot(Cutoff::default()), Bounds::exact(2), "16,777,217 times 0.9 is 15,099,495.3");
        assert_eq!(weights(&[]).hot(Cutoff::default()), Bounds::exact(0));
        assert_eq!(weights(&[u64::MAX, u64::MAX]).hot(cutoff("1")), Bounds::exact(2));
    }

    #[test]
    fn shares_are_read_as_they_are_written() {
        assert_eq!(cutoff("0.90"), Cutoff { part: 90, of: 100 });
        assert_eq!(cutoff("1"), Cutoff { part: 1, of: 1 });
        for wrong in ["", "0", "1.1", "-1", "0.0000000001", "90%", "2", "nan", "0,9"] {
            assert!(wrong.parse::<Cutoff>().unwrap_err().contains("such as 0.9"), "{wrong}");
        }
    }

    /// The definition, literally.
    fn naive(all: &[u64], cutoff: Cutoff) -> u64 {
        let mut sorted = all.to_vec();
        sorted.sort_unstable_by(|one, other| other.cmp(one));
        let sum: u128 = sorted.iter().map(|one| u128::from(*one)).sum();
        let wanted = cutoff.of_sum(sum);
        let (mut sum, mut number) = (0_u128, 0);
        for weight in sorted {
            if sum >= wanted {
                break;
            }
            sum += u128::from(weight);
            number += 1;
        }
        number
    }

    proptest! {
        #[test]
        fn hot_is_what_its_definition_says(all in proptest::collection::vec(0_u64..50, 0..40), percent in 1_u64..=100) {
            let cutoff = Cutoff { part: percent, of: 100 };
            prop_assert_eq!(weights(&all).hot(cutoff), Bounds::exact(naive(&all, cutoff)));
        }

        #[test]
        fn bounds_hold_for_all_weights_within_them(
            all in proptest::collection::vec((0_u64..50, 0_u64..9, 0_u64..9), 0..30),
            percent in 1_u64..=100,
        ) {
            let cutoff = Cutoff { part: percent, of: 100 };
            let mut bounded = Weights::default();
            let mut real = Vec::new();
            for (least, more, real_more) in &all {
                bounded.add(Bounds::new(*least, least + more));
                real.push(least + real_more.min(more));
            }
            let (hot, real_hot) = (bounded.hot(cutoff), naive(&real, cutoff));
            prop_assert!(hot.least <= real_hot && real_hot <= hot.most, "{:?} {}", hot, real_hot);
        }
    }
}
