//! Reliability of a result, and the meaning of its doubts.

use crate::figure::{counted, percent, quotient, time};
use crate::judged::Judged;
use crate::words::{Claim, unscaled};
use spl_records::context::Asked;
use spl_stats::sequential::autocorrelation_time;
use spl_stats::{Suspicion, suspicions};
use spl_verdict::{Basis, Evaluation, Verdict};

/// Step of Linux's monotonic clock, nanoseconds.
const CLOCK_STEP_NS: u64 = 1;
/// Most samples that are examined for autocorrelation: the examination takes a pass for each lag.
const MOST: usize = 100_000;
/// Share of independent samples below which a doubt is raised.
const DEPENDENT: f64 = 0.5;
/// Share of the median that an empty method reports, above which a doubt is raised.
const OF_PROBE: f64 = 0.25;
/// Factor above which a standard deviation, or an average compared with its median, raises a doubt.
const GREAT: f64 = 3.0;
/// Share of lost samples above which a doubt is raised.
const LOST: f64 = 0.01;

/// Factor between interval and limit below which a doubt also concerns the verdict: doubts make a ratio less
/// certain than its interval says.
const NEAR: f64 = 1.1;

/// A doubt: the observation and its meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    pub seen: String,
    pub meaning: &'static str,
    pub weight: Weight,
}

/// Effect of a doubt on the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// The measurements themselves show that the verdict stands.
    Answered,
    /// The ratio is less certain than its interval says.
    Open,
    /// The verdict may be wrong.
    Serious,
}

/// Figures of a verdict by which doubts are weighed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footing {
    /// Whether the ratio of medians lies on the same side of the limit as the ratio of averages.
    pub medians_agree: bool,
    /// Distance from the end of the interval to the limit, as a factor; 1 when the limit lies within.
    pub room: f64,
    /// Factor by which the interval may widen before it contains the limit.
    pub widths: f64,
    /// Whether both sides took turns, so that changes over time affect both.
    pub in_turns: bool,
    /// Whether windows were counted, not calls: those of a window may resemble each other.
    pub by_windows: bool,
}

impl Footing {
    /// The footing of a verdict on this claim.
    pub fn of(claim: &Claim<'_>, verdict: &Verdict, (in_turns, by_windows): (bool, bool)) -> Self {
        let medians = claim.sides(verdict).map(|side| unscaled(side, side.median_ns));
        let Some((value, low, high)) = verdict.ratio.as_ref().map(|ratio| claim.ratio(ratio)) else {
            return Self { medians_agree: false, room: 1.0, widths: 1.0, in_turns, by_windows };
        };
        let over = value > claim.limit;
        let end = if over { low } else { high };
        let inside = low <= claim.limit && claim.limit <= high;
        Self {
            medians_agree: (medians[0] > claim.limit * medians[1]) == over,
            room: if inside { 1.0 } else { (claim.limit / end).max(end / claim.limit) },
            widths: (claim.limit / value).ln() / (end / value).ln(),
            in_turns,
            by_windows,
        }
    }
}

/// Reliability of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reliability {
    Good,
    Fair,
    Poor,
}

impl Reliability {
    /// Reliability by the effect of the doubts on the verdict, not by their number. A result that neither
    /// proves nor refutes is fair at best.
    pub fn of(doubts: &[Doubt], basis: Basis, room: f64) -> Self {
        let is = |weight| doubts.iter().any(|doubt| doubt.weight == weight);
        if is(Weight::Serious) || (is(Weight::Open) && basis.is_strong() && room < NEAR) {
            Self::Poor
        } else if is(Weight::Open) || !basis.is_strong() {
            Self::Fair
        } else {
            Self::Good
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

    /// Meaning of the reliability for a result with these doubts.
    pub fn meaning(self, doubts: &[Doubt]) -> &'static str {
        let is = |weight| doubts.iter().any(|doubt| doubt.weight == weight);
        match self {
            Self::Good if doubts.is_empty() => "the checks of these measurements found no reason for doubt",
            Self::Good => "what the checks found does not touch the verdict",
            Self::Fair if !is(Weight::Open) => {
                "the checks found nothing that touches the verdict, but nothing was proved or refuted"
            }
            Self::Fair => "usable; the doubts make the ratio less certain",
            Self::Poor if is(Weight::Serious) => {
                "do not act on this verdict alone: it may be wrong because of a serious doubt"
            }
            Self::Poor => {
                "do not act on this verdict alone: there are doubts about the ratio, and the limit is near"
            }
        }
    }
}

/// The doubts about one side's times, nanoseconds, in the order in which they were taken.
pub fn of_times(times: &[u64], name: &str, footing: Footing) -> Vec<Doubt> {
    let suspicions = suspicions(times, CLOCK_STEP_NS);
    let mut doubts: Vec<Doubt> = of_spread(&suspicions, name, footing).into_iter().collect();
    doubts.extend(suspicions.iter().filter_map(|one| of_suspicion(one, name, footing)));
    let worth = independent(times);
    let part = worth / times.len() as f64;
    if times.len() > 2 && part < DEPENDENT {
        let stands = footing.widths * part.sqrt() > 1.0;
        doubts.push(Doubt {
            seen: format!("{name}: {} are worth {:.0}", counted(times.len() as u64, "call", "calls"), worth),
            meaning: if footing.by_windows {
                "Neighbouring calls resemble each other, so that many of them tell less than as many independent ones would. The \
                 verdict counts windows, not calls."
            } else if stands {
                "Neighbouring calls resemble each other, so that many of them tell less than as many \
                 independent ones would. The limit would lie outside the interval of these independent calls too."
            } else {
                "Neighbouring calls resemble each other, so that many of them tell less than as many independent ones would: \
                 the true p-value is larger than the one shown."
            },
            weight: if stands || footing.by_windows { Weight::Answered } else { Weight::Open },
        });
    }
    doubts
}

/// The doubt about times that differ widely, or whose average is far from their median: both come from a few
/// long calls.
fn of_spread(suspicions: &[Suspicion], name: &str, footing: Footing) -> Option<Doubt> {
    let (mut seen, mut great) = (Vec::new(), false);
    for suspicion in suspicions {
        match *suspicion {
            Suspicion::WideSpread { spread } => {
                great |= spread > GREAT;
                seen.push(format!(
                    "calls differ widely (their standard deviation is {} of the average)",
                    percent(spread)
                ));
            }
            Suspicion::Skewed { mean_ns, median_ns } => {
                great |= mean_ns > GREAT * median_ns;
                seen.push(format!(
                    "the average call takes {}, the usual one (median) {}",
                    time(mean_ns),
                    time(median_ns)
                ));
            }
            Suspicion::FewSamples { .. }
            | Suspicion::Drift { .. }
            | Suspicion::Bimodal { .. }
            | Suspicion::ClockBound { .. } => {}
        }
    }
    let weight = match (footing.medians_agree, great) {
        (true, false) => Weight::Answered,
        (true, true) | (false, false) => Weight::Open,
        (false, true) => Weight::Serious,
    };
    (!seen.is_empty()).then(|| Doubt {
        seen: format!("{name}: {}", seen.join("; ")),
        meaning: if footing.medians_agree {
            "A few very long calls move the average: a garbage collection, a first call, another thread. The medians, which such calls \
             do not move, are on the same side of the limit."
        } else {
            "A few very long calls move the average: a garbage collection, a first call, another thread; and the medians are on the \
             other side of the limit. The verdict is about averages: decide whether such calls matter, or assert “median(…)”, or \
             compare calls of similar sizes only (argument-size)."
        },
        weight,
    })
}

/// Number of independent samples with the same information as these.
pub fn independent(times: &[u64]) -> f64 {
    times.len() as f64 / autocorrelation_time(times.get(..MOST).unwrap_or(times))
}

/// The doubts about an evaluation, apart from its times.
pub fn of_evaluation(evaluation: &Evaluation, min_samples: u64) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    if evaluation.leftover && evaluation.n_smaller() < min_samples {
        doubts.push(Doubt {
            seen: format!(
                "Judged with {} on one side where {min_samples} were asked for",
                evaluation.n_smaller()
            ),
            meaning: "The measurement ended before the bucket was full. Let the program run longer.",
            weight: Weight::Open,
        });
    }
    let all = evaluation.n_left.saturating_add(evaluation.n_right).saturating_add(evaluation.drops);
    if evaluation.drops as f64 > LOST * all as f64 {
        doubts.push(Doubt {
            seen: format!("{} lost", counted(evaluation.drops, "measurement was", "measurements were")),
            meaning: "Calls came faster than they could be taken out of the program, and the lost ones may \
                differ from the kept ones. Lower overhead-budget.",
            weight: Weight::Serious,
        });
    }
    doubts
}

/// The doubt about calls so short that measuring takes a large part of their times; an empty method reports
/// `empty_ns`.
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
        meaning: "The time of measuring itself is in all times and is not subtracted. It draws the ratio \
            towards 1, because both sides have it.",
        weight: serious_if(without.is_none_or(|ratio| within(ratio) != within(subject_ns / object_ns))),
    })
}

/// The doubt about calls that were not compared, if the ratio with them lies outside the interval.
pub fn of_left_out(asked: &Asked, evaluation: &Evaluation, judged: &Judged) -> Option<Doubt> {
    let ratio = evaluation.verdict.as_ref().ok()?.ratio.as_ref().filter(|_| judged.exact)?;
    let [left, right] = judged.kept;
    let mean = |times: &[u64]| times.iter().map(|&ns| ns as f64).sum::<f64>() / times.len() as f64;
    let quotient = |left: f64, right: f64| asked.left_factor * left / (asked.right_factor * right);
    // The reported ratio is without the probe's time, so the left-out calls count by the factor that they change
    // it.
    let moved =
        quotient(left.mean_ns, right.mean_ns) / quotient(mean(&judged.left_ns), mean(&judged.right_ns));
    let with = ratio.value * moved;
    let outside = with < ratio.low || ratio.high < with;
    outside.then(|| Doubt {
        seen: "The calls that were left out took other times than the compared ones".to_owned(),
        meaning: "With them the ratio would lie outside the interval: the interval is that of the compared calls only.",
        weight: serious_if((with < 1.0) != (ratio.value < 1.0)),
    })
}

fn serious_if(serious: bool) -> Weight {
    if serious { Weight::Serious } else { Weight::Open }
}

/// The doubt about a suspicion other than spread.
fn of_suspicion(suspicion: &Suspicion, name: &str, footing: Footing) -> Option<Doubt> {
    let doubt =
        |seen: String, meaning, weight| Some(Doubt { seen: format!("{name}: {seen}"), meaning, weight });
    match *suspicion {
        Suspicion::WideSpread { .. } | Suspicion::Skewed { .. } => None,
        Suspicion::FewSamples { .. } => doubt(
            suspicion.to_string(),
            "An average of few calls can be far off by chance. Raise min-method-measurements.",
            Weight::Serious,
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
            if footing.in_turns {
                "The program was still warming up, or its load changed. Both sides took turns in shared windows, so that it met both \
                 alike."
            } else {
                "The program was still warming up, or its load changed. Let it warm up longer before (initial-sleep, warm-up-calls, \
                 warm-up-time), or measure both sides in shared windows (policy = paired)."
            },
            if footing.in_turns { Weight::Answered } else { Weight::Open },
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
            Weight::Open,
        ),
        Suspicion::ClockBound { steps } => doubt(
            format!("half of the calls take at most {steps:.0} steps of the clock"),
            "The calls are so short that the clock and the probe make up much of what is measured.",
            Weight::Serious,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRM: Footing =
        Footing { medians_agree: true, room: 2.0, widths: 10.0, in_turns: false, by_windows: false };
    const LOOSE: Footing = Footing { medians_agree: false, room: 1.01, widths: 1.1, ..FIRM };

    #[test]
    fn reliability_follows_from_what_doubts_do_to_the_verdict() {
        let doubt = |weight| Doubt { seen: String::new(), meaning: "", weight };
        let check = |weights: &[Weight], basis, room, expected| {
            let doubts: Vec<Doubt> = weights.iter().copied().map(doubt).collect();
            assert_eq!(Reliability::of(&doubts, basis, room), expected, "{weights:?} {basis} {room}");
        };
        use Weight::{Answered, Open, Serious};
        check(&[], Basis::Proved, 1.01, Reliability::Good);
        check(&[], Basis::NotRefuted, 1.0, Reliability::Fair);
        check(&[Answered; 5], Basis::Proved, 1.01, Reliability::Good);
        check(&[Answered], Basis::NotProved, 1.0, Reliability::Fair);
        check(&[Open; 5], Basis::Refuted, 1.2, Reliability::Fair);
        check(&[Open], Basis::Refuted, 1.05, Reliability::Poor);
        check(&[Open], Basis::NotRefuted, 1.0, Reliability::Fair);
        check(&[Serious], Basis::Proved, 100.0, Reliability::Poor);
    }

    #[test]
    fn every_doubt_names_the_side() {
        let rising: Vec<u64> = (0..200).map(|i| 1000 + 10 * i).collect();
        let doubts = of_times(&rising, "C.f", FIRM);
        assert!(doubts.iter().any(|doubt| doubt.seen.contains("became slower")), "{doubts:?}");
        assert!(
            doubts.iter().all(|doubt| doubt.seen.starts_with("C.f: ") && !doubt.meaning.is_empty()),
            "{doubts:?}"
        );
        let even: Vec<u64> = (0..200).map(|i| 1000 + i * 7919 % 101).collect();
        assert_eq!(of_times(&even, "C.f", FIRM), []);
    }

    #[test]
    fn what_changes_in_time_meets_both_sides_that_take_turns() {
        let rising: Vec<u64> = (0..200).map(|i| 1000 + 10 * i).collect();
        let check = |in_turns, expected| {
            let doubts = of_times(&rising, "C.f", Footing { in_turns, widths: 100.0, ..FIRM });
            let drift = doubts.iter().find(|doubt| doubt.seen.contains("became slower")).unwrap();
            assert_eq!(drift.weight, expected);
            assert_eq!(drift.meaning.contains("policy = paired"), !in_turns);
        };
        check(false, Weight::Open);
        check(true, Weight::Answered);
    }

    #[test]
    fn long_calls_are_one_doubt_that_medians_answer() {
        // One call in fifty takes as long as all the others together, or ten times that.
        let times = |long: u64| -> Vec<u64> {
            (0..2000).map(|i| if i % 50 == 7 { long } else { 1000 + i * 7919 % 101 }).collect()
        };
        let check = |long, footing, expected| {
            let doubts = of_times(&times(long), "C.f", footing);
            let found: Vec<Weight> = doubts
                .iter()
                .filter(|doubt| doubt.seen.contains("differ widely"))
                .map(|doubt| doubt.weight)
                .collect();
            assert_eq!(found, [expected], "{long} {doubts:?}");
        };
        check(15_000, FIRM, Weight::Answered);
        check(15_000, LOOSE, Weight::Open);
        check(500_000, FIRM, Weight::Open);
        check(500_000, LOOSE, Weight::Serious);
    }

    #[test]
    fn calls_that_resemble_their_neighbours_are_doubted_unless_there_are_enough() {
        // Runs of a hundred equal times.
        let times: Vec<u64> = (0..5000_u64).map(|i| 1000 + i / 100 * 7919 % 997).collect();
        let check = |footing, expected| {
            let doubts = of_times(&times, "C.f", footing);
            let found: Vec<Weight> = doubts
                .iter()
                .filter(|doubt| doubt.seen.contains("are worth"))
                .map(|doubt| doubt.weight)
                .collect();
            assert_eq!(found, [expected], "{doubts:?}");
        };
        check(LOOSE, Weight::Open);
        check(Footing { widths: 100.0, ..FIRM }, Weight::Answered);
        check(Footing { by_windows: true, ..LOOSE }, Weight::Answered);
    }
}
