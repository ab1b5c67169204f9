//! Claims decided by windows: judged whenever a window closes, and decided as soon as the evidence suffices.
//! A comparison on a line of its own and an assertion of the same text are judged alike. A claim is true,
//! false, or undecided with its missing data. See `docs/decisions/0024-verdicts-by-windows.md`.

mod figures;
mod history;
mod location;
mod mean;
mod quantile;
mod rules;
mod side;
mod strata;
mod tail;

use crate::assertion::{Part, numbered};
use crate::evidence::Evidence;
use crate::formula::decide_joined;
use crate::relation::Judged;
use crate::truth::Truth;
use crate::types::{Basis, NotEvaluated, Verdict};
use history::{Kept, Stratum};
use location::{Location, below};
use mean::{Means, Sides};
use quantile::Quantile;
use rules::Weight;
use spl_lang::ast::{Formula, Statistic};
use spl_lang::{Assertion, Atom, Comparison, Scaled, Sign};
use spl_model::{Bucket, Shorter};
use spl_stats::Ratio;
use spl_stats::sequential::RatioEstimate;
use std::collections::{BTreeMap, BTreeSet};
use strata::Strata;

pub use figures::Look;
pub use history::{History, Turn};
pub use rules::{Need, Rules};

/// A claim: a comparison, or an assertion.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    formula: Formula<Atom>,
    methods: Vec<usize>,
    level: Option<f64>,
}

/// Judgement of a claim by the windows so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling {
    /// Evidence for and against the claim.
    pub evidence: Evidence,
    /// Each comparison, in each bucket that it was judged in.
    pub parts: Vec<Part>,
    /// Reasons of the comparisons that could not be judged.
    pub gaps: Vec<NotEvaluated>,
    /// Number of windows in which all its methods were called.
    pub windows: u64,
    /// The first of the missing data for a decision.
    pub need: Option<Need>,
    /// Seconds until the number of windows that `need` names is reached, at the rate so far; `None` when it
    /// is unknown.
    pub wait_s: Option<f64>,
    /// Figures of a comparison of two means.
    pub look: Option<Look>,
}

impl From<&Comparison> for Claim {
    fn from(one: &Comparison) -> Self {
        let scaled = |method, factor| Scaled { method, statistic: Statistic::Mean, factor };
        let (left, right) = (scaled(one.left, one.left_factor), scaled(one.right, one.right_factor));
        let atom = Atom::Pair { left, sign: one.sign, right, within: None };
        Self { formula: Formula::Relation(atom), methods: distinct([one.left, one.right]), level: None }
    }
}

impl From<&Assertion> for Claim {
    fn from(one: &Assertion) -> Self {
        let level = one.level.map(spl_lang::ast::Percent::fraction);
        Self { formula: one.formula.value.clone(), methods: one.methods(), level }
    }
}

impl Claim {
    /// The claim's methods, each once.
    #[must_use]
    pub fn methods(&self) -> &[usize] {
        &self.methods
    }

    /// The claim's own level, or else the configured one.
    #[must_use]
    pub fn level(&self, configured: f64) -> f64 {
        self.level.unwrap_or(configured)
    }

    /// Judges the claim by the windows so far.
    #[must_use]
    pub fn rule(&self, history: &History, rules: &Rules) -> Ruling {
        let rules = Rules { level: self.level(rules.level), ..*rules };
        let shared = history.shared(&self.methods);
        let buckets = dense_buckets(&shared);
        let (mut parts, mut needs, mut look) = (Vec::new(), Vec::new(), None);
        let formula = numbered(&self.formula);
        let composed = decide_joined(&formula, &buckets, &mut |(relation, atom), scope| {
            let weighed = weigh(atom, scope, history, &rules);
            let near = nearness(atom, &weighed.judged);
            needs.extend(near);
            needs.extend([weighed.for_it.need, weighed.against.need].into_iter().flatten());
            look = look.or(weighed.look);
            let evidence = Evidence { p_true: weighed.for_it.p, p_false: weighed.against.p };
            let bucket = scope.cloned().unwrap_or_else(|| only(&shared));
            let judged = Judged { evidence, ..weighed.judged };
            parts.push(Part { relation: *relation, bucket, judged: Ok(judged) });
            evidence
        });
        let windows = shared.len() as u64;
        let need =
            (composed.evidence.truth(rules.level) == Truth::Undecided).then(|| soonest(needs)).flatten();
        let wait_s =
            need.as_ref().and_then(|need| wait_s(history, self.methods.first(), windows, need.windows?));
        Ruling { evidence: composed.evidence, parts, gaps: composed.gaps, windows, need, wait_s, look }
    }

    /// The verdict on a decided comparison, with its figures.
    #[must_use]
    pub fn verdict(
        &self,
        ruling: &Ruling,
        truth: Truth,
        p_value: f64,
        history: &History,
        rules: &Rules,
    ) -> Option<Verdict> {
        let Formula::Relation(Atom::Pair { left, right, .. }) = self.formula else { return None };
        let basis = match truth {
            Truth::True => Basis::Proved,
            Truth::False => Basis::Refuted,
            Truth::Undecided => return None,
        };
        let means = means(left, right.into(), None, history);
        let look = ruling.look?;
        let ratio =
            Ratio { value: look.ratio, low: look.low, high: look.high, confidence: 1.0 - 2.0 * rules.level };
        Some(Verdict {
            holds: basis.holds(),
            basis,
            p_value,
            ratio: Some(ratio),
            left: means.figures(&means.left)?,
            right: means.figures(&means.right)?,
            welch: means.welch()?,
        })
    }
}

impl Ruling {
    /// Missing data, as the reason of a claim that ends undecided.
    #[must_use]
    pub fn open(&self) -> NotEvaluated {
        let why = match (&self.need, self.wait_s) {
            (Some(need), Some(wait)) if wait >= 1.0 => {
                format!("{}: at least {} more", need.what, duration(wait))
            }
            (Some(need), _) => need.what.clone(),
            (None, _) => "the evidence does not suffice either way".to_owned(),
        };
        NotEvaluated::Open { windows: self.windows, why }
    }
}

/// Weights for and against one comparison.
struct Weighed {
    for_it: Weight,
    against: Weight,
    judged: Judged,
    look: Option<Look>,
}

/// The other side of a comparison.
#[derive(Clone, Copy)]
enum Other {
    Method(Scaled),
    Bound(f64),
}

impl From<Scaled> for Other {
    fn from(scaled: Scaled) -> Self {
        Self::Method(scaled)
    }
}

fn weigh(atom: &Atom, scope: Option<&Bucket>, history: &History, rules: &Rules) -> Weighed {
    let (left, sign, right, within) = match *atom {
        Atom::Pair { left, sign, right, within } => (left, sign, Other::Method(right), within),
        Atom::Bound { times, sign, bound_ns, within } => (times, sign, Other::Bound(bound_ns), within),
    };
    let reach = 1.0 + within.map_or(rules.equal_within, spl_lang::ast::Percent::fraction);
    let of_means = left.statistic == Statistic::Mean
        && match right {
            Other::Method(right) => right.statistic == Statistic::Mean,
            Other::Bound(_) => true,
        };
    if of_means {
        let means = means(left, right, scope, history);
        let [n_left, n_right] = means.n();
        let (for_it, against) =
            signed(sign, reach, &|by| means.below(by, rules), &|by| means.above(by, rules));
        let [left_ns, right_ns] = means.estimates_ns();
        let n_right = matches!(right, Other::Method(_)).then_some(n_right);
        let judged = Judged { evidence: Evidence::NONE, left_ns, right_ns, n_left, n_right };
        let look = n_right.and_then(|_| means.look(rules.level));
        return Weighed { for_it, against, judged, look };
    }
    let (one, two) = locations(left, right, scope, history);
    let (for_it, against) =
        signed(sign, reach, &|by| below(&one, &two, by, rules), &|by| below(&two, &one, by.recip(), rules));
    let n = |location: &Location| match location {
        Location::Quantile(quantile) => quantile.n(),
        Location::Mean { n, .. } => *n,
        Location::Bound(_) => 0,
    };
    let n_right = matches!(right, Other::Method(_)).then(|| n(&two));
    let judged = Judged {
        evidence: Evidence::NONE,
        left_ns: one.estimate(),
        right_ns: two.estimate(),
        n_left: n(&one),
        n_right,
    };
    Weighed { for_it, against, judged, look: None }
}

/// Need of a claim whose sides seem nearer to each other than a measurement can resolve.
fn nearness(atom: &Atom, judged: &Judged) -> Option<Need> {
    let (Atom::Pair { sign, .. } | Atom::Bound { sign, .. }) = atom;
    let apart = (judged.left_ns / judged.right_ns).ln().abs();
    (sign.demand().shorter != Shorter::Neither && apart < Rules::RESOLUTION).then(Need::farther)
}

/// The weights for and against a sign. `below` and `above` give the weight of "left is below (above) this
/// number times right". Ratios nearer to the limit than [`Rules::RESOLUTION`] are neither.
fn signed(
    sign: Sign,
    reach: f64,
    below: &dyn Fn(f64) -> Weight,
    above: &dyn Fn(f64) -> Weight,
) -> (Weight, Weight) {
    let (less, more) = (1.0 - Rules::RESOLUTION, 1.0 + Rules::RESOLUTION);
    match sign.demand().shorter {
        Shorter::Left => (below(less), above(more)),
        Shorter::Right => (above(more), below(less)),
        Shorter::Neither => {
            (below(reach * less).both(above(more / reach)), above(reach * more).either(below(less / reach)))
        }
    }
}

fn means(left: Scaled, right: Other, scope: Option<&Bucket>, history: &History) -> Means {
    let (methods, sides) = match right {
        Other::Method(right) => {
            (vec![left.method, right.method], Sides { left: left.factor, right: right.factor, bound: false })
        }
        Other::Bound(bound) => (vec![left.method], Sides { left: left.factor, right: bound, bound: true }),
    };
    Means::of(&history.shared(&methods), sides, scope, history.probe_ns)
}

fn locations(left: Scaled, right: Other, scope: Option<&Bucket>, history: &History) -> (Location, Location) {
    let methods: Vec<usize> = match right {
        Other::Method(right) => vec![left.method, right.method],
        Other::Bound(_) => vec![left.method],
    };
    let shared = history.shared(&methods);
    let strata = Strata::of(&shared, methods.len(), scope);
    let of = |side: usize, scaled: Scaled| {
        let quantile = |share: f64| {
            Location::Quantile(Quantile::of(&shared, side, &strata, (scaled.factor, share), history.probe_ns))
        };
        match scaled.statistic {
            Statistic::Median => quantile(0.5),
            Statistic::Percentile(percent) => quantile(percent / 100.0),
            Statistic::Mean => {
                let sums = window_sums(&shared, side, scope, scaled.factor, history.probe_ns);
                let n = sums.iter().map(|(_, n)| *n).sum::<f64>() as u64;
                RatioEstimate::of_windows(&sums)
                    .map_or(Location::Bound(f64::NAN), |estimate| Location::Mean { estimate, n })
            }
        }
    };
    let right = match right {
        Other::Method(right) => of(1, right),
        Other::Bound(bound) => Location::Bound(bound),
    };
    (of(0, left), right)
}

/// Sum and number of a side's scaled times in each window.
fn window_sums(
    shared: &[Vec<&Kept>],
    side: usize,
    scope: Option<&Bucket>,
    factor: f64,
    probe_ns: f64,
) -> Vec<(f64, f64)> {
    let window = |turns: &Vec<&Kept>| {
        let of_scope = |stratum: &Stratum| scope.is_none_or(|scope| *scope == stratum.bucket);
        let chosen = turns[side].strata.iter().filter(|(stratum, _)| of_scope(stratum));
        let (mut sum, mut n) = (0.0, 0.0);
        for time in chosen.flat_map(|(_, calls)| &calls.times) {
            sum += factor * (*time as f64 - probe_ns);
            n += 1.0;
        }
        (n > 0.0).then_some((sum, n))
    };
    shared.iter().filter_map(window).collect()
}

/// The buckets with calls of all methods in at least the number of windows that a decision needs.
fn dense_buckets<'a>(shared: &[Vec<&'a Kept>]) -> Vec<Bucket> {
    let mut windows: BTreeMap<&Bucket, u64> = BTreeMap::new();
    for turns in shared {
        let Some((first, others)) = turns.split_first() else { continue };
        let of = |turn: &'a Kept| -> BTreeSet<&'a Bucket> {
            turn.strata.keys().map(|stratum| &stratum.bucket).collect()
        };
        for bucket in others.iter().fold(of(first), |common, turn| &common & &of(turn)) {
            *windows.entry(bucket).or_default() += 1;
        }
    }
    windows
        .into_iter()
        .filter(|(_, count)| *count >= Rules::MIN_WINDOWS)
        .map(|(bucket, _)| bucket.clone())
        .collect()
}

/// The bucket that contains all calls, or else the one for all sizes.
fn only(shared: &[Vec<&Kept>]) -> Bucket {
    let mut seen = shared.iter().flatten().flat_map(|turn| turn.strata.keys().map(|stratum| &stratum.bucket));
    match seen.next() {
        Some(first) if seen.all(|other| other == first) => first.clone(),
        _ => Bucket::All,
    }
}

/// The need that takes the fewest windows; needs of unknown length come last.
fn soonest(needs: Vec<Need>) -> Option<Need> {
    needs.into_iter().min_by(|one, two| {
        let windows = |need: &Need| need.windows.unwrap_or(f64::INFINITY);
        windows(one).total_cmp(&windows(two))
    })
}

/// Seconds until there are `needed` windows, at the rate so far.
fn wait_s(history: &History, method: Option<&usize>, windows: u64, needed: f64) -> Option<f64> {
    let turns = history.turns(*method?);
    let (first, last) = (turns.first()?, turns.last()?);
    let took_ns = last.began_ns.checked_sub(first.began_ns)? as f64;
    let each_ns = took_ns / (windows.checked_sub(1).filter(|&count| count > 0)? as f64);
    Some((needed - windows as f64).max(0.0) * each_ns / 1e9)
}

/// A duration as text, in a convenient unit.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} h", s / 3600.0),
    }
}

fn distinct(methods: [usize; 2]) -> Vec<usize> {
    methods.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}
