//! The A/A check: a method compared with itself should differ as seldom as the limit says.

use crate::summary::{SampleError, Summary};
use crate::welch::welch;

/// What came of comparing a method with itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfCheck {
    /// Random splits that were tried.
    pub rounds: u32,
    /// Splits whose halves were called different.
    pub different: u32,
}

/// Splits the times at random into halves, `rounds` times, and tests each time whether the halves' means differ at
/// `limit_p`. About the part `limit_p` of the rounds may; far more or fewer show that the test's assumptions fail
/// for such times. `seed` decides the splits. Copies the times (8 bytes each).
///
/// # Errors
/// When a half has fewer than two times.
pub fn self_check(times: &[u64], rounds: u32, limit_p: f64, seed: u64) -> Result<SelfCheck, SampleError> {
    let (mut times, mut random) = (times.to_vec(), SplitMix(seed));
    let mut different = 0;
    for _ in 0..rounds {
        random.shuffle(&mut times);
        let (one, two) = times.split_at(times.len() / 2);
        let summary = |half: &[u64]| Summary::of_integers(half.iter().copied());
        different += u32::from(welch(&summary(one)?, &summary(two)?).p_two < limit_p);
    }
    Ok(SelfCheck { rounds, different })
}

/// The generator SplitMix64 (Steele, Lea, Flood 2014): short, and good enough to shuffle.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Below `bound` > 0; the bias of the multiplication is under `bound`/2⁶⁴.
    #[expect(clippy::cast_possible_truncation, reason = "the product is below the bound, an index")]
    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// Fisher and Yates's shuffle.
    fn shuffle(&mut self, values: &mut [u64]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_halves_differ_as_often_as_the_limit_says() {
        let times: Vec<u64> = (0..200).map(|i| 1000 + i * 7919 % 500).collect();
        for limit in [0.05, 0.2] {
            let SelfCheck { rounds, different } = self_check(&times, 2000, limit, 1).unwrap();
            let share = f64::from(different) / f64::from(rounds);
            assert!((share - limit).abs() < 0.03, "{share} at {limit}");
        }
    }

    #[test]
    fn the_seed_decides() {
        let times: Vec<u64> = (0..40).map(|i| i * i).collect();
        let run = |seed| self_check(&times, 500, 0.3, seed).unwrap().different;
        assert_eq!(run(7), run(7));
        assert!((0..5).any(|seed| run(seed) != run(7)));
    }

    #[test]
    fn halves_need_two_times() {
        assert_eq!(self_check(&[1, 2, 3], 1, 0.05, 0), Err(SampleError::TooFew(1)));
        assert!(self_check(&[1, 2, 3, 4], 1, 0.05, 0).is_ok());
    }
}
