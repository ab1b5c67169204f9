//! The calls behind a verdict.

use crate::facts::{Call, Calls};
use spl_model::{Bucket, SampleFlags};
use spl_records::Context;
use spl_records::context::Asked;
use spl_verdict::Evaluation;
use std::collections::{BTreeMap, BTreeSet};

/// Share by which means of the same calls may differ through rounding.
const SAME: f64 = 1e-6;

/// Choice of the compared calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// The first ones of the bucket.
    First,
    /// The same number of calls of either side in each window.
    Pairs,
    /// All calls of the windows in which both sides were called.
    Windows,
}

impl Chosen {
    /// Choice of a run's judge.
    pub fn of(context: &Context) -> Self {
        match (context.paired, context.judge.as_str()) {
            (false, _) => Self::First,
            (true, "sequential") => Self::Windows,
            (true, _) => Self::Pairs,
        }
    }

    /// Whether the call has the sizes of a result: a result about all sizes takes each call.
    pub fn is_of(self, call: &Call, bucket: &Bucket) -> bool {
        call.bucket == *bucket || (self == Self::Windows && *bucket == Bucket::All)
    }
}

/// Both sides' times, nanoseconds, in the order in which they were taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    pub left_ns: Vec<u64>,
    pub right_ns: Vec<u64>,
    /// The quotient of both sides' scaled means in each window, with windows.
    pub quotients: Vec<(u64, f64)>,
    /// Whether these are exactly the compared calls, as far as their averages show.
    pub exact: bool,
    /// Number of these calls that overlapped a garbage collection.
    pub gc: u64,
    /// All calls of both sides in these sizes that were not discarded, compared or not.
    pub kept: [Kept; 2],
}

/// Calls of a side that were not discarded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kept {
    pub calls: u64,
    pub mean_ns: f64,
}

impl Judged {
    /// Finds the compared calls: with windows those up to the deciding window, otherwise the first ones of
    /// the bucket.
    pub fn of(asked: &Asked, evaluation: &Evaluation, sides: [&Calls; 2], chosen: Chosen) -> Self {
        let counts = |call: &&Call| !call.is_discarded() && chosen.is_of(call, &evaluation.bucket);
        let kept = sides.map(|side| side.calls.iter().filter(counts).collect::<Vec<&Call>>());
        let (chosen, quotients) = if chosen != Chosen::First {
            partners(asked, evaluation, &kept, chosen)
        } else {
            let mut first = kept.clone();
            for (side, n) in first.iter_mut().zip([evaluation.n_left, evaluation.n_right]) {
                side.truncate(usize::try_from(n).unwrap_or(usize::MAX));
            }
            (first, Vec::new())
        };
        let overlapped = chosen.iter().flatten().filter(|call| call.flags.contains(SampleFlags::GC)).count();
        let [left_ns, right_ns] = chosen.each_ref().map(|side| times(side));
        let taken = [left_ns.len() as u64, right_ns.len() as u64];
        let as_many = taken == [evaluation.n_left, evaluation.n_right];
        // Without a verdict there are no averages to compare with.
        let exact = evaluation.verdict.as_ref().map_or(as_many, |verdict| {
            let same = |times: &[u64], scaled_ns: f64, factor: f64| {
                (mean(times) * factor / scaled_ns - 1.0).abs() < SAME
            };
            same(&left_ns, verdict.left.mean_ns, asked.left_factor)
                && same(&right_ns, verdict.right.mean_ns, asked.right_factor)
        });
        let kept = kept.map(|side| Kept { calls: side.len() as u64, mean_ns: mean(&times(&side)) });
        Self { left_ns, right_ns, quotients, exact, gc: overlapped as u64, kept }
    }
}

/// The calls of both sides that found a partner, and the quotient of their means in each window.
fn partners<'c>(
    asked: &Asked,
    evaluation: &Evaluation,
    kept: &[Vec<&'c Call>; 2],
    by: Chosen,
) -> ([Vec<&'c Call>; 2], Vec<(u64, f64)>) {
    let mut windows: BTreeMap<u64, [Vec<&Call>; 2]> = BTreeMap::new();
    for (side, calls) in kept.iter().enumerate() {
        for call in calls {
            if let Some(window) = call.window {
                windows.entry(window).or_default()[side].push(call);
            }
        }
    }
    let (mut chosen, mut quotients) = ([Vec::new(), Vec::new()], Vec::new());
    for (window, mut sides) in windows {
        let of = |side: &[&Call]| side.iter().map(|call| call.bucket.clone()).collect::<BTreeSet<_>>();
        let shared: BTreeSet<Bucket> = of(&sides[0]).intersection(&of(&sides[1])).cloned().collect();
        sides.iter_mut().for_each(|side| side.retain(|call| shared.contains(&call.bucket)));
        let pairs = sides[0].len().min(sides[1].len());
        if pairs == 0 {
            continue;
        }
        for side in &mut sides {
            side.sort_by_key(|call| (call.start_ns, call.took_ns));
            if by == Chosen::Pairs {
                side.truncate(pairs);
            }
        }
        let [left, right] = sides.each_ref().map(|side| mean(&times(side)));
        let quotient = asked.left_factor * left / (asked.right_factor * right);
        quotients.extend(Some((window, quotient)).filter(|_| quotient.is_finite() && quotient > 0.0));
        for (all, side) in chosen.iter_mut().zip(sides) {
            all.extend(side);
        }
        if chosen[0].len() as u64 >= evaluation.n_left {
            break;
        }
    }
    (chosen, quotients)
}

fn times(calls: &[&Call]) -> Vec<u64> {
    calls.iter().map(|call| call.took_ns).collect()
}

fn mean(times: &[u64]) -> f64 {
    times.iter().map(|&time| time as f64).sum::<f64>() / times.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
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
        right.calls[1].flags = SampleFlags::GC;
        right.calls[2].flags = SampleFlags::DISCARDED;
        let (lefts, rights) = ([100, 120], [210, 220]);
        let asked = Asked {
            line: 1,
            left: 0,
            sign: spl_model::Sign::LessOrEqual,
            left_factor: 1.0,
            right_factor: 2.0,
            right: 1,
        };
        let verdict = evaluate(spl_lang::Sign::LessOrEqual, 1.0, 2.0, &lefts, &rights, 0.05);
        let evaluation = Evaluation {
            comparison: 0,
            bucket: Bucket::All,
            verdict,
            leftover: false,
            n_left: 2,
            n_right: 2,
            drops: 0,
            so_far: None,
        };
        let judged = Judged::of(&asked, &evaluation, [&left, &right], Chosen::Pairs);
        assert_eq!((judged.left_ns.as_slice(), judged.right_ns.as_slice()), (&lefts[..], &rights[..]));
        assert!(judged.exact);
        assert_eq!(judged.kept.map(|kept| kept.calls), [4, 3]);
        assert_eq!(judged.kept[1].mean_ns, (210.0 + 220.0 + 500.0) / 3.0);
        assert_eq!(judged.gc, 1);
        assert_eq!(judged.quotients, [(1, 100.0 / 420.0), (2, 120.0 / 440.0)]);
        let alone = Judged::of(&asked, &evaluation, [&left, &right], Chosen::First);
        assert!(!alone.exact && alone.quotients.is_empty());
        assert_eq!(alone.left_ns, [110, 100]);
    }
}
