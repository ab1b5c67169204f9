//! Workload sizes of calls, the size that divides them into small and large ones, and how work grows from these to those.

use spl_model::arena::MOST_BITS;

/// Calls that each part has at least when calls are divided.
const FEW: u64 = 20;
/// Share of the calls that each part has at least.
const SMALL_PART: f64 = 0.04;
/// Share of calls without a known size up to which the others stand for all.
const UNSIZED: f64 = 0.02;
/// Ratio of the mean sizes of both parts from which on it tells how work grows.
const TELLING: f64 = 2.0;
/// Largest power that is looked for.
const STEEPEST: f64 = 16.0;
/// Steps of the search: each halves the interval.
const HALVINGS: usize = 50;
/// Standard errors that a power has to be known to.
const ERRORS: f64 = 2.0;
/// Variation of the work of calls with the same size that is taken for granted, as a share: nobody has measured it.
const SCATTER: f64 = 0.3;

/// Calls by the number of bits of their sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Calls, and the sum of their sizes.
    buckets: Vec<(u64, u64)>,
}

/// A power of the size that work grows with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    /// The power: 0 for work that does not depend on the size, 1 for work that is proportional to it.
    pub value: f64,
    /// About how far off it may be.
    pub error: f64,
}

impl Sizes {
    /// From the words of [`spl_model::arena::SIZES`]; missing ones are 0.
    #[must_use]
    pub fn of(words: &[u64]) -> Self {
        let most = usize::try_from(MOST_BITS).unwrap_or(usize::MAX);
        let buckets = words.as_chunks().0.iter().take(most);
        Self { buckets: buckets.map(|&[calls, sum]| (calls, sum)).collect() }
    }

    /// Adds other calls.
    pub fn add(&mut self, other: &Self) {
        self.each(other, u64::wrapping_add);
    }

    /// These calls without those `before`.
    #[must_use]
    pub fn since(mut self, before: &Self) -> Self {
        self.each(before, u64::wrapping_sub);
        self
    }

    fn each(&mut self, other: &Self, of: fn(u64, u64) -> u64) {
        self.buckets.resize(self.buckets.len().max(other.buckets.len()), (0, 0));
        for (one, other) in self.buckets.iter_mut().zip(&other.buckets) {
            *one = (of(one.0, other.0), of(one.1, other.1));
        }
    }

    /// Calls with a known size.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.buckets.iter().fold(0, |sum, (calls, _)| sum.saturating_add(*calls))
    }

    /// Whether nearly all of this number of calls have a known size.
    #[must_use]
    pub fn has_nearly(&self, all: u64) -> bool {
        self.calls() as f64 >= (1.0 - UNSIZED) * all as f64
    }

    /// The mean size; `None` without calls.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = self.buckets.iter().map(|(_, sum)| *sum as f64).sum();
        let calls = self.calls();
        (calls > 0).then(|| sum / calls as f64)
    }

    /// The size from which on calls are large, so that small and large ones tell most about how work grows; `None` where sizes hardly
    /// vary, or too few calls are small or large.
    #[must_use]
    pub fn split(&self) -> Option<u64> {
        let all = self.calls();
        let each = (1..self.buckets.len()).filter_map(|bits| {
            let (small, large) = self.buckets.split_at(bits);
            let [small, large] = [small, large].map(|part| Self { buckets: part.to_vec() });
            let fewest = small.calls().min(large.calls());
            let enough = fewest >= FEW && fewest as f64 >= SMALL_PART * all as f64;
            let ratio = large.mean()? / small.mean().filter(|mean| *mean >= 1.0)?;
            // The error of a power falls with the root of the calls, and with the logarithm of the ratio.
            (enough && ratio >= TELLING).then(|| (1 << (bits - 1), (fewest as f64).sqrt() * ratio.ln()))
        });
        each.max_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(from, _)| from)
    }

    /// The mean of this power of the sizes; a size of 0 counts as 1.
    fn moment(&self, power: f64) -> f64 {
        let of = |(calls, sum): &(u64, u64)| {
            (*calls > 0).then(|| *calls as f64 * (*sum as f64 / *calls as f64).max(1.0).powf(power))
        };
        self.buckets.iter().filter_map(of).sum::<f64>() / self.calls().max(1) as f64
    }

    /// Variance of the mean work of a call, as a share of its square, if work grows with this power.
    fn variance(&self, power: f64) -> f64 {
        let (one, two) = (self.moment(power), self.moment(2.0 * power));
        ((two / (one * one) - 1.0).max(0.0) + SCATTER * SCATTER) / self.calls().max(1) as f64
    }
}

impl Power {
    /// How the work of a call grows, from its means of small and of large calls; `None` where too few calls or too similar sizes tell
    /// nothing.
    #[must_use]
    pub fn of(sizes: [&Sizes; 2], work: [f64; 2]) -> Option<Self> {
        let [small, large] = sizes;
        let ratio = large.mean()? / small.mean().filter(|mean| *mean >= 1.0)?;
        let fewest = small.calls().min(large.calls());
        let is_positive = work.iter().all(|work| work.is_finite() && *work > 0.0);
        if ratio < TELLING || fewest < FEW || !is_positive {
            return None;
        }
        let wanted = (work[1] / work[0]).ln();
        // Monotone: every large size is above every small one.
        let (mut low, mut high) = (-STEEPEST, STEEPEST);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            let found = (large.moment(middle) / small.moment(middle)).ln();
            *(if found < wanted { &mut low } else { &mut high }) = middle;
        }
        let value = f64::midpoint(low, high);
        let variance = small.variance(value) + large.variance(value);
        Some(Self { value, error: ERRORS * variance.sqrt() / ratio.ln() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls of these sizes.
    fn sizes(all: impl IntoIterator<Item = u64>) -> Sizes {
        let mut words = vec![0; 2 * MOST_BITS as usize];
        for size in all {
            let bits = (64 - size.leading_zeros()) as usize;
            words[2 * bits] += 1;
            words[2 * bits + 1] += size;
        }
        Sizes::of(&words)
    }

    fn mean(all: &[u64], work: impl Fn(f64) -> f64) -> f64 {
        all.iter().map(|size| work(*size as f64)).sum::<f64>() / all.len() as f64
    }

    /// The power of this work, of calls of these sizes.
    fn power(all: &[u64], work: impl Fn(f64) -> f64 + Copy) -> Option<Power> {
        let from = sizes(all.iter().copied()).split()?;
        let (small, large): (Vec<u64>, Vec<u64>) = all.iter().partition(|size| **size < from);
        let parts = [&small, &large].map(|part| sizes(part.iter().copied()));
        Power::of([&parts[0], &parts[1]], [mean(&small, work), mean(&large, work)])
    }

    fn is_near(power: Option<Power>, expected: f64, tolerance: f64) {
        let power = power.expect("sizes vary");
        assert!((power.value - expected).abs() < tolerance && power.error < 0.25, "{power:?}");
    }

    #[test]
    fn two_sizes_are_told_apart() {
        let all: Vec<u64> = [50, 400].into_iter().cycle().take(300).collect();
        assert_eq!(sizes(all.iter().copied()).mean(), Some(225.0));
        is_near(power(&all, |_| 7.0), 0.0, 1e-9);
        is_near(power(&all, |size| 3.0 * size), 1.0, 1e-9);
        is_near(power(&all, |size| size * size), 2.0, 1e-9);
        is_near(power(&all, |size| size.powi(3)), 3.0, 1e-9);
        is_near(power(&all, |size| 1.0 / size), -1.0, 1e-9);
        // A constant part makes it less.
        is_near(power(&all, |size| 20.0 + 12.0 * size), 0.99, 0.01);
    }

    #[test]
    fn sizes_that_vary_within_both_parts_do_not_bend_the_power() {
        let all: Vec<u64> = (0..2000).map(|number| 1 + number * 7919 % 1000).collect();
        is_near(power(&all, |size| size), 1.0, 0.03);
        is_near(power(&all, |size| size * size), 2.0, 0.03);
        is_near(power(&all, |size| size * size.ln().max(1.0)), 1.2, 0.1);
    }

    #[test]
    fn sizes_that_hardly_vary_tell_nothing() {
        let none = |all: Vec<u64>| assert_eq!(sizes(all.iter().copied()).split(), None, "{all:?}");
        none(Vec::new());
        none(vec![100; 1000]);
        none((100..190).collect());
        // Too few large ones, and small ones that have no size at all.
        none([50, 50, 50, 400].repeat(6).into_iter().take(24).collect());
        none([0, 1000].repeat(100));
        assert!(sizes([1, 1000].repeat(100)).split().is_some());
    }

    #[test]
    fn few_calls_make_a_wide_interval_or_none() {
        let far = [10, 10_000].repeat(20);
        let near = (0..40).map(|number| 60 + number * 3).collect::<Vec<u64>>();
        assert!(power(&far, |size| size).is_some_and(|power| power.error < 0.1));
        assert!(power(&near, |size| size).is_none_or(|power| power.error > 0.1));
        let [one, other] = [sizes([10; 30]), sizes([100; 30])];
        for work in [[0.0, 1.0], [1.0, 0.0], [f64::NAN, 1.0], [1.0, f64::INFINITY]] {
            assert_eq!(Power::of([&one, &other], work), None);
        }
        assert_eq!(Power::of([&other, &one], [1.0, 1.0]), None, "the large calls are the small ones");
        assert_eq!(Power::of([&one, &sizes([100; 3])], [1.0, 1.0]), None);
    }

    #[test]
    fn counts_are_differences_and_hostile_ones_do_no_harm() {
        let (before, now) = (sizes([3, 3, 900]), sizes([3, 3, 900, 5, 70]));
        assert_eq!(now.clone().since(&before).calls(), 2);
        let mut sum = before.clone();
        sum.add(&sizes([5, 70]));
        assert_eq!(sum, now);
        assert!(now.has_nearly(5) && !now.has_nearly(6));
        let strange = Sizes::of(&[u64::MAX; 200]);
        let _ = (strange.split(), strange.mean(), Power::of([&strange, &strange], [1.0, 2.0]));
        assert_eq!(Sizes::of(&[1]), Sizes::default());
    }
}
