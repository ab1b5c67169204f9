//! The calls that a verdict rests on.

use crate::facts::{Call, Calls};
use spl_model::Bucket;
use spl_records::context::Asked;
use spl_verdict::Evaluation;
use std::collections::BTreeMap;

/// Means further apart than this part are not of the same calls.
const SAME: f64 = 1e-6;

/// Both sides' times, nanoseconds, in the order in which they were taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    pub left_ns: Vec<u64>,
    pub right_ns: Vec<u64>,
    /// The quotient of both sides' scaled means in each window, with windows.
    pub quotients: Vec<(u64, f64)>,
    /// Whether these are exactly the calls that were compared, as far as their averages tell.
    pub exact: bool,
}

impl Judged {
    /// With windows the calls that found a partner, up to the window that was enough; else the first ones of the bucket.
    pub fn of(asked: &Asked, evaluation: &Evaluation, [left, right]: [&Calls; 2], paired: bool) -> Self {
        let mut judged = if paired {
            Self::paired(asked, evaluation, [left, right])
        } else {
            let first = |calls: &Calls, n: u64| {
                let kept = calls.calls.iter().filter(|call| counts(call, &evaluation.bucket));
                kept.take(usize::try_from(n).unwrap_or(usize::MAX)).map(|call| call.took_ns).collect()
            };
            Self {
                left_ns: first(left, evaluation.n_left),
                right_ns: first(right, evaluation.n_right),
                ..Self::default()
            }
        };
        judged.exact = evaluation.verdict.as_ref().is_ok_and(|verdict| {
            let same = |times: &[u64], scaled_ns: f64, factor: f64| {
                (mean(times) * factor / scaled_ns - 1.0).abs() < SAME
            };
            same(&judged.left_ns, verdict.left.mean_ns, asked.left_factor)
                && same(&judged.right_ns, verdict.right.mean_ns, asked.right_factor)
        });
        judged
    }

    fn paired(asked: &Asked, evaluation: &Evaluation, sides: [&Calls; 2]) -> Self {
        let mut windows: BTreeMap<u64, [Vec<&Call>; 2]> = BTreeMap::new();
        for (side, calls) in sides.into_iter().enumerate() {
            for call in calls.calls.iter().filter(|call| counts(call, &evaluation.bucket)) {
                if let Some(window) = call.window {
                    windows.entry(window).or_default()[side].push(call);
                }
            }
        }
        let mut judged = Self::default();
        for (window, mut sides) in windows {
            let pairs = sides[0].len().min(sides[1].len());
            if pairs == 0 {
                continue;
            }
            for side in &mut sides {
                side.sort_by_key(|call| (call.start_ns, call.took_ns));
                side.truncate(pairs);
            }
            let [left, right] = sides.map(|side| side.iter().map(|call| call.took_ns).collect::<Vec<_>>());
            let quotient = asked.left_factor * mean(&left) / (asked.right_factor * mean(&right));
            judged
                .quotients
                .extend(Some((window, quotient)).filter(|_| quotient.is_finite() && quotient > 0.0));
            judged.left_ns.extend(left);
            judged.right_ns.extend(right);
            if judged.left_ns.len() as u64 >= evaluation.n_left {
                break;
            }
        }
        judged
    }
}

fn counts(call: &Call, bucket: &Bucket) -> bool {
    !call.is_discarded() && call.bucket == *bucket
}

fn mean(times: &[u64]) -> f64 {
    times.iter().map(|&time| time as f64).sum::<f64>() / times.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use spl_model::SampleFlags;
    use spl_verdict::evaluate;

    fn calls(times: &[(u64, u64, u64)]) -> Calls {
        let call = |&(start_ns, took_ns, window): &(u64, u64, u64)| Call {
            start_ns,
            took_ns,
            bucket: Bucket::All,
            window: Some(window),
            flags: SampleFlags::default(),
        };
        Calls { calls: times.iter().map(call).collect(), ..Calls::default() }
    }

    #[test]
    fn partners_are_found_again() {
        let left = calls(&[(20, 110, 1), (10, 100, 1), (30, 120, 2), (50, 999, 4)]);
        let mut right = calls(&[(5, 210, 1), (35, 220, 2), (36, 230, 2), (37, 500, 3)]);
        right.calls[2].flags = SampleFlags::DISCARDED;
        let (lefts, rights) = ([100, 120], [210, 220]);
        let asked =
            Asked { line: 1, left: 0, sign: "<=".to_owned(), left_factor: 1.0, right_factor: 2.0, right: 1 };
        let verdict = evaluate(spl_lang::Sign::LessOrEqual, 1.0, 2.0, &lefts, &rights, 0.05);
        let evaluation = Evaluation {
            comparison: 0,
            bucket: Bucket::All,
            verdict,
            leftover: false,
            n_left: 2,
            n_right: 2,
            drops: 0,
        };
        let judged = Judged::of(&asked, &evaluation, [&left, &right], true);
        assert_eq!((judged.left_ns.as_slice(), judged.right_ns.as_slice()), (&lefts[..], &rights[..]));
        assert!(judged.exact);
        assert_eq!(judged.quotients, [(1, 100.0 / 420.0), (2, 120.0 / 440.0)]);
        let alone = Judged::of(&asked, &evaluation, [&left, &right], false);
        assert!(!alone.exact && alone.quotients.is_empty());
        assert_eq!(alone.left_ns, [110, 100]);
    }
}
