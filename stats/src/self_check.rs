//! The A/A check: a method compared with itself at other times should differ as rarely as the limit says.

use crate::summary::{SampleError, Summary};
use crate::welch::welch;

/// Result of comparing a method with itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelfCheck {
    /// Pairs of neighbouring parts that were compared.
    pub rounds: u32,
    /// Pairs called different.
    pub different: u32,
}

/// Fewest values of a part.
const SHORTEST: usize = 10;

/// Divides the times, in their order, into halves, quarters and so on down to parts of 10. Tests for each two
/// neighbours whether their means differ at `limit_p`. About the part `limit_p` of the tests may differ. More
/// do if times depend on each other or change in the course of the run: then the test calls equal methods
/// different.
///
/// # Errors
/// When there are fewer than 20 times.
pub fn self_check(times: &[u64], limit_p: f64) -> Result<SelfCheck, SampleError> {
    let (mut rounds, mut different) = (0, 0);
    let mut length = times.len() / 2;
    if length < SHORTEST {
        return Err(SampleError::TooFew(times.len() as u64));
    }
    let summary = |part: &[u64]| Summary::of_integers(part.iter().copied());
    while length >= SHORTEST {
        for both in times.chunks_exact(2 * length) {
            let (early, late) = both.split_at(length);
            different += u32::from(welch(&summary(early)?, &summary(late)?).p_two < limit_p);
            rounds += 1;
        }
        length /= 2;
    }
    Ok(SelfCheck { rounds, different })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deterministic times without visible autocorrelation, 1,000 to 1,255 ns.
    fn fresh(n: usize) -> Vec<u64> {
        let mut state = 7_u64;
        let next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            1000 + (state >> 56)
        };
        std::iter::repeat_with(next).take(n).collect()
    }

    #[test]
    fn independent_times_differ_as_seldom_as_the_limit_says() {
        let check = self_check(&fresh(20_000), 0.05).unwrap();
        assert_eq!(check.rounds, 1 + 2 + 4 + 8 + 16 + 32 + 64 + 128 + 256 + 526);
        let part = f64::from(check.different) / f64::from(check.rounds);
        assert!((0.03..0.07).contains(&part), "{check:?}");
    }

    #[test]
    fn times_that_depend_on_each_other_differ_from_themselves() {
        // Each level stays for 40 calls.
        let levels: Vec<u64> = fresh(50).into_iter().flat_map(|level| vec![level * 2; 40]).collect();
        let times: Vec<u64> = levels.iter().zip(fresh(2000)).map(|(level, time)| level + time / 10).collect();
        let check = self_check(&times, 0.05).unwrap();
        assert!(check.different * 3 > check.rounds, "{check:?}");
        // Growing times are detected as well.
        let growing: Vec<u64> = fresh(2000).iter().zip(0_u64..).map(|(time, at)| time + at / 2).collect();
        let check = self_check(&growing, 0.05).unwrap();
        assert!(check.different * 8 > check.rounds, "{check:?}");
    }

    #[test]
    fn too_few_times_have_no_parts() {
        assert_eq!(self_check(&fresh(19), 0.05), Err(SampleError::TooFew(19)));
        assert_eq!(self_check(&[5; 20], 0.05), Ok(SelfCheck { rounds: 1, different: 0 }));
    }
}
