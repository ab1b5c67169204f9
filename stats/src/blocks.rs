//! Contrasts between parts of a measurement: differences that chance alone explains are rarely reported.

use crate::sequential::autocorrelation;
use crate::student::student_upper;
use crate::summary::count;

/// Probability that one contrast of equal parts is called different.
const LIMIT: f64 = 0.05;

/// Compares alternate neighbouring blocks of values, in their order: blocks of 1 value, 2, 4 and so on up to
/// half of all. Returns the number of comparisons, and the number that found the blocks more different than
/// the values' variance and autocorrelation explain, at 5% divided by the number of comparisons.
#[must_use]
pub fn block_contrasts(values: &[f64]) -> (u64, u64) {
    let n = values.len();
    let mean = values.iter().sum::<f64>() / count(n as u64);
    let centred: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let (squares, tau) = autocorrelation(&centred);
    let lengths: Vec<usize> =
        (0..usize::BITS).map(|power| 1 << power).take_while(|length| 2 * length <= n).collect();
    let halves = n / 2;
    let lengths: Vec<usize> = lengths.into_iter().filter(|&length| 4 * length <= n).chain([halves]).collect();
    if n < 4 || squares <= 0.0 {
        return (0, 0);
    }
    let variance = squares / (count(n as u64) - 1.0) * tau;
    let df = (count(n as u64) / tau - 1.0).max(2.0);
    let rounds = lengths.len() as u64;
    let differs = |length: &&usize| {
        let pairs = n / (2 * **length);
        let contrast: f64 = centred
            .chunks_exact(2 * **length)
            .map(|two| two[..**length].iter().sum::<f64>() - two[**length..].iter().sum::<f64>())
            .sum();
        let error = (variance * count((2 * pairs * **length) as u64)).sqrt();
        2.0 * student_upper((contrast / error).abs(), df) < LIMIT / count(rounds)
    };
    (rounds, lengths.iter().filter(differs).count() as u64)
}
