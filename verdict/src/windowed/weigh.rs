//! The weights for and against one comparison: in one instance, in each, or over all.

use super::figures::Look;
use super::fleet::Fleet;
use super::history::{History, Kept, Stratum};
use super::location::{Location, below};
use super::mean::{Means, Sides};
use super::quantile::Quantile;
use super::rules::{Need, Rules, Weight};
use super::strata::Strata;
use crate::evidence::Evidence;
use crate::formula::Scope;
use crate::relation::Judged;
use spl_lang::ast::Statistic;
use spl_lang::{Atom, Scaled, Sign};
use spl_model::{Bucket, Shorter};
use spl_stats::sequential::RatioEstimate;

/// Weights for and against one comparison.
pub(super) struct Weighed {
    pub(super) for_it: Weight,
    pub(super) against: Weight,
    pub(super) judged: Judged,
    pub(super) look: Option<Look>,
}

/// The other side of a comparison.
#[derive(Clone, Copy)]
pub(super) enum Other {
    Method(Scaled),
    Bound(f64),
}

impl From<Scaled> for Other {
    fn from(scaled: Scaled) -> Self {
        Self::Method(scaled)
    }
}

/// Weighs a comparison in one instance, or over all that count.
pub(super) fn weigh(
    atom: &Atom,
    scope: Scope<'_>,
    history: &History,
    ids: &[usize],
    rules: &Rules,
) -> Weighed {
    if scope.instance.is_some() || ids.len() < 2 {
        return weigh_in_one(atom, scope, history, ids, rules);
    }
    let (Atom::Pair { sign, within, .. } | Atom::Bound { sign, within, .. }) = *atom;
    let reach = 1.0 + within.map_or(rules.equal_within, spl_lang::ast::Percent::fraction);
    let Some(fleet) = fleet_of(atom, scope.bucket, history, ids) else {
        return weigh_in_each(atom, scope, history, ids, rules);
    };
    let (for_it, against) = signed(sign, reach, &|by| fleet.below(by, rules), &|by| fleet.above(by, rules));
    let [n_left, n_right] = fleet.n();
    let n_right = matches!(atom, Atom::Pair { .. }).then_some(n_right);
    let [left_ns, right_ns] = fleet.estimates_ns();
    let judged = Judged { evidence: Evidence::NONE, left_ns, right_ns, n_left, n_right };
    let look = n_right.and_then(|_| fleet.look(rules.level));
    Weighed { for_it, against, judged, look }
}

/// Weighs a comparison of medians or percentiles over several instances. They have no mean that slices of time
/// could show, so each instance has to decide by itself, and all alike.
fn weigh_in_each(atom: &Atom, scope: Scope<'_>, history: &History, ids: &[usize], rules: &Rules) -> Weighed {
    let in_one = |&id: &usize| weigh_in_one(atom, Scope { instance: Some(id), ..scope }, history, ids, rules);
    let all: Vec<Weighed> = ids.iter().map(in_one).collect();
    let count = all.len() as f64;
    let mean_ns =
        |of: &dyn Fn(&Judged) -> f64| (all.iter().map(|one| of(&one.judged).ln()).sum::<f64>() / count).exp();
    let judged = Judged {
        evidence: Evidence::NONE,
        left_ns: mean_ns(&|one| one.left_ns),
        right_ns: mean_ns(&|one| one.right_ns),
        n_left: all.iter().map(|one| one.judged.n_left).sum(),
        n_right: all.iter().map(|one| one.judged.n_right).sum(),
    };
    let weights = all.into_iter().map(|one| (one.for_it, one.against));
    let none = || Weight { p: 0.0, need: None };
    let (for_it, against) =
        weights.fold((none(), none()), |both, (for_it, against)| (both.0.both(for_it), both.1.both(against)));
    Weighed { for_it, against, judged, look: None }
}

fn weigh_in_one(atom: &Atom, scope: Scope<'_>, history: &History, ids: &[usize], rules: &Rules) -> Weighed {
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
        let means = means(left, right, scope, history, ids);
        let [n_left, n_right] = means.n();
        let (for_it, against) =
            signed(sign, reach, &|by| means.below(by, rules), &|by| means.above(by, rules));
        let [left_ns, right_ns] = means.estimates_ns();
        let n_right = matches!(right, Other::Method(_)).then_some(n_right);
        let judged = Judged { evidence: Evidence::NONE, left_ns, right_ns, n_left, n_right };
        let look = n_right.and_then(|_| means.look(rules.level));
        return Weighed { for_it, against, judged, look };
    }
    let (one, two) = locations(left, right, scope, history, ids);
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
pub(super) fn nearness(atom: &Atom, judged: &Judged) -> Option<Need> {
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

/// A comparison of means over several instances; `None` with fewer than two, or for other statistics.
pub(super) fn fleet_of(
    atom: &Atom,
    bucket: Option<&Bucket>,
    history: &History,
    ids: &[usize],
) -> Option<Fleet> {
    let (left, right) = match *atom {
        Atom::Pair { left, right, .. } => (left, Other::Method(right)),
        Atom::Bound { times, bound_ns, .. } => (times, Other::Bound(bound_ns)),
    };
    let is_mean = |scaled: &Scaled| scaled.statistic == Statistic::Mean;
    let are_means = is_mean(&left)
        && match &right {
            Other::Method(right) => is_mean(right),
            Other::Bound(_) => true,
        };
    let (methods, sides) = compared(left, right);
    let fleet = || Fleet::of(history, ids, &methods, sides, bucket);
    (are_means && ids.len() > 1).then(fleet)
}

/// The methods of a comparison of means, and its sides.
fn compared(left: Scaled, right: Other) -> (Vec<usize>, Sides) {
    match right {
        Other::Method(right) => {
            (vec![left.method, right.method], Sides { left: left.factor, right: right.factor, bound: false })
        }
        Other::Bound(bound) => (vec![left.method], Sides { left: left.factor, right: bound, bound: true }),
    }
}

/// The windows of the instance that is meant, or of the only one that counts, or of all while none counts; and the probe's own
/// time in them, nanoseconds.
fn windows_of<'a>(
    scope: Scope<'_>,
    history: &'a History,
    ids: &[usize],
    methods: &[usize],
) -> (Vec<Vec<&'a Kept>>, f64) {
    let meant = match (scope.instance, ids) {
        (Some(id), _) | (None, &[id]) => vec![id],
        _ => history.instances().collect(),
    };
    let windows = meant.iter().flat_map(|&id| history.shared(id, methods)).collect();
    (windows, history.probe_ns(&meant))
}

pub(super) fn means(left: Scaled, right: Other, scope: Scope<'_>, history: &History, ids: &[usize]) -> Means {
    let (methods, sides) = compared(left, right);
    let (windows, probe_ns) = windows_of(scope, history, ids, &methods);
    Means::of(&windows, sides, scope.bucket, probe_ns)
}

fn locations(
    left: Scaled,
    right: Other,
    scope: Scope<'_>,
    history: &History,
    ids: &[usize],
) -> (Location, Location) {
    let methods: Vec<usize> = match right {
        Other::Method(right) => vec![left.method, right.method],
        Other::Bound(_) => vec![left.method],
    };
    let (shared, probe_ns) = windows_of(scope, history, ids, &methods);
    let scope = scope.bucket;
    let strata = Strata::of(&shared, methods.len(), scope);
    let of = |side: usize, scaled: Scaled| {
        let quantile = |share: f64| {
            Location::Quantile(Quantile::of(&shared, side, &strata, (scaled.factor, share), probe_ns))
        };
        match scaled.statistic {
            Statistic::Median => quantile(0.5),
            Statistic::Percentile(percent) => quantile(percent / 100.0),
            Statistic::Mean => {
                let sums = window_sums(&shared, side, scope, scaled.factor, probe_ns);
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
