//! How far a result can be relied on, and what the doubts mean.

use crate::figure::{counted, percent, quotient, time};
use crate::judged::Judged;
use crate::words::{Claim, unscaled};
use spl_records::context::Asked;
use spl_stats::sequential::autocorrelation_time;
use spl_stats::{Suspicion, suspicions};
use spl_verdict::{Basis, Evaluation, Verdict};

/// Linux's monotonic clock counts nanoseconds.
const CLOCK_STEP_NS: u64 = 1;
/// Samples that autocorrelation is looked for in: looking takes a pass for each lag.
const MOST: usize = 100_000;
/// Fewer independent samples than this part of all are worth a word.
const DEPENDENT: f64 = 0.5;
/// What an empty method reports, as a part of the median, that is worth a word.
const OF_PROBE: f64 = 0.25;
/// Lost samples, as a part of all, that are worth a word.
const LOST: f64 = 0.01;

/// A doubt: what was seen, what it means.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    pub seen: String,
    pub meaning: &'static str,
    /// Whether the verdict itself may be wrong because of it, and not only less sharp.
    pub serious: bool,
}

/// How far a result can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reliability {
    Good,
    Fair,
    Poor,
}

impl Reliability {
    /// By the number of doubts: one serious one or more than two make it poor, any makes it fair. A verdict that is none, because
    /// nothing was proved or refuted, is fair at best.
    pub fn of(doubts: &[Doubt], basis: Basis) -> Self {
        if doubts.iter().any(|doubt| doubt.serious) || doubts.len() > 2 {
            Self::Poor
        } else if doubts.is_empty() && basis.is_strong() {
            Self::Good
        } else {
            Self::Fair
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Fair => "fair",
            Self::Poor => "poor",
        }
    }

    /// What it says of a result about which there are these doubts.
    pub fn meaning(self, doubts: &[Doubt]) -> &'static str {
        match self {
            Self::Good => "the checks of these measurements found no reason for doubt",
            Self::Fair if doubts.is_empty() => {
                "the checks found no reason for doubt, but nothing was proved or refuted"
            }
            Self::Fair => "usable; the doubts make the ratio less certain",
            Self::Poor if doubts.iter().any(|doubt| doubt.serious) => {
                "do not act on this verdict alone: it may be wrong because of a serious doubt"
            }
            Self::Poor => "do not act on this verdict alone: more than two doubts make the ratio uncertain",
        }
    }
}

/// The doubts about one side's times, nanoseconds, in the order in which they were taken.
pub fn of_times(times: &[u64], name: &str) -> Vec<Doubt> {
    let mut doubts: Vec<Doubt> =
        suspicions(times, CLOCK_STEP_NS).iter().map(|one| of_suspicion(one, name)).collect();
    let worth = independent(times);
    if times.len() > 2 && worth < DEPENDENT * times.len() as f64 {
        doubts.push(Doubt {
            seen: format!("{name}: {} are worth {:.0}", counted(times.len() as u64, "call", "calls"), worth),
            meaning: "Neighbouring calls resemble each other, so that many of them tell less than as many independent ones would: \
                      the true p-value is larger than the one shown.",
            serious: false,
        });
    }
    doubts
}

/// Independent samples that would tell as much as these.
pub fn independent(times: &[u64]) -> f64 {
    times.len() as f64 / autocorrelation_time(times.get(..MOST).unwrap_or(times))
}

/// The doubts about an evaluation beside its times.
pub fn of_evaluation(evaluation: &Evaluation, min_samples: u64) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    if evaluation.leftover && evaluation.n_smaller() < min_samples {
        doubts.push(Doubt {
            seen: format!(
                "judged with {} on one side where {min_samples} were asked for",
                evaluation.n_smaller()
            ),
            meaning: "The measurement ended before the bucket was full. Let the program run longer.",
            serious: false,
        });
    }
    let all = evaluation.n_left.saturating_add(evaluation.n_right).saturating_add(evaluation.drops);
    if evaluation.drops as f64 > LOST * all as f64 {
        doubts.push(Doubt {
            seen: format!("{} lost", counted(evaluation.drops, "measurement was", "measurements were")),
            meaning: "Calls came faster than they could be taken out of the program, and the lost ones may have been others than those \
                      that were kept. Lower overhead-budget.",
            serious: true,
        });
    }
    doubts
}

/// The doubt about calls so short that measuring itself is much of their times; `empty_ns` is what an empty method reports.
pub fn of_probe(claim: &Claim<'_>, verdict: &Verdict, empty_ns: f64) -> Option<Doubt> {
    let [subject, object] = claim.sides(verdict);
    let [of_subject, of_object] = [(claim.subject, subject), (claim.object, object)]
        .map(|(name, side)| (name, unscaled(side, side.median_ns)));
    let (name, median_ns) = if of_subject.1 <= of_object.1 { of_subject } else { of_object };
    if empty_ns < OF_PROBE * median_ns {
        return None;
    }
    let [subject_ns, object_ns] = [subject, object].map(|side| unscaled(side, side.mean_ns));
    let without = (object_ns > empty_ns).then(|| (subject_ns - empty_ns) / (object_ns - empty_ns));
    let text = without.map_or_else(String::new, |ratio| {
        format!("; without it the ratio would be about {}", quotient(ratio))
    });
    let within = |ratio: f64| ratio <= claim.limit;
    Some(Doubt {
        seen: format!(
            "{name} takes {} as a rule, and an empty method would show {}{text}",
            time(median_ns),
            time(empty_ns)
        ),
        meaning: "What measuring takes is in all times and is not subtracted. It draws the ratio towards 1, because both sides have it.",
        serious: without.is_none_or(|ratio| within(ratio) != within(subject_ns / object_ns)),
    })
}

/// The doubt about calls that were not compared, if the ratio with them lies outside the interval.
pub fn of_left_out(asked: &Asked, evaluation: &Evaluation, judged: &Judged) -> Option<Doubt> {
    let ratio = evaluation.verdict.as_ref().ok()?.ratio.as_ref().filter(|_| judged.exact)?;
    let [left, right] = judged.kept;
    let with = asked.left_factor * left.mean_ns / (asked.right_factor * right.mean_ns);
    let outside = with < ratio.low || ratio.high < with;
    outside.then(|| Doubt {
        seen: "the calls that were left out are others than those that were compared".to_owned(),
        meaning: "With them the ratio would lie outside the interval: the interval is that of the compared calls only.",
        serious: (with < 1.0) != (ratio.value < 1.0),
    })
}

fn of_suspicion(suspicion: &Suspicion, name: &str) -> Doubt {
    let doubt = |seen: String, meaning, serious| Doubt { seen: format!("{name}: {seen}"), meaning, serious };
    match *suspicion {
        Suspicion::FewSamples { .. } => doubt(
            suspicion.to_string(),
            "An average of so few calls can be far off by chance. Raise min-method-measurements.",
            true,
        ),
        Suspicion::WideSpread { spread } => doubt(
            format!("calls differ widely (their standard deviation is {} of the average)", percent(spread)),
            "The average is known only roughly. It helps to measure more, or to compare calls of similar sizes only \
             (argument-size).",
            spread > 3.0,
        ),
        Suspicion::Skewed { mean_ns, median_ns } => doubt(
            format!("the average call takes {}, the usual one (median) {}", time(mean_ns), time(median_ns)),
            "A few very long calls make the average: a garbage collection, a first call, another thread. The verdict is about \
             averages; an assertion about medians, “median(…)”, is not moved by such calls.",
            mean_ns > 3.0 * median_ns,
        ),
        Suspicion::Drift { rising } => doubt(
            if rising > 0.5 {
                format!(
                    "calls became slower ({} of the later ones took longer than earlier ones)",
                    percent(rising)
                )
            } else {
                format!(
                    "calls became faster ({} of the later ones took less time than earlier ones)",
                    percent(1.0 - rising)
                )
            },
            "The program was still warming up, or its load changed. Let it warm up longer before (initial-sleep, warm-up-calls, \
             warm-up-time), or measure both sides in shared windows (policy = paired).",
            false,
        ),
        Suspicion::Bimodal { fast_share, fast_ns, slow_ns } => doubt(
            format!(
                "two kinds of calls, {} around {} and the rest around {}",
                percent(fast_share),
                time(fast_ns),
                time(slow_ns)
            ),
            "Two ways through the code, two kinds of arguments, or compiled and not yet compiled code: the average describes \
             neither.",
            false,
        ),
        Suspicion::ClockBound { steps } => doubt(
            format!("half of the calls take at most {steps:.0} steps of the clock"),
            "The calls are so short that the clock and the probe make up much of what is measured.",
            true,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reliability_follows_from_the_doubts() {
        let doubt = |serious| Doubt { seen: String::new(), meaning: "", serious };
        let check = |doubts: &[Doubt], basis, expected| assert_eq!(Reliability::of(doubts, basis), expected);
        check(&[], Basis::Proved, Reliability::Good);
        check(&[], Basis::NotRefuted, Reliability::Fair);
        check(&[doubt(false), doubt(false)], Basis::Refuted, Reliability::Fair);
        check(&[doubt(true)], Basis::Proved, Reliability::Poor);
        check(&[doubt(false), doubt(false), doubt(false)], Basis::Proved, Reliability::Poor);
    }

    #[test]
    fn every_doubt_names_the_side() {
        let rising: Vec<u64> = (0..200).map(|i| 1000 + 10 * i).collect();
        let doubts = of_times(&rising, "C.f");
        assert!(doubts.iter().any(|doubt| doubt.seen.contains("became slower")), "{doubts:?}");
        assert!(
            doubts.iter().all(|doubt| doubt.seen.starts_with("C.f: ") && !doubt.meaning.is_empty()),
            "{doubts:?}"
        );
        let even: Vec<u64> = (0..200).map(|i| 1000 + i * 7919 % 101).collect();
        assert_eq!(of_times(&even, "C.f"), []);
    }
}
