//! Claims decided by windows: judged whenever a window closes, and decided as soon as the evidence suffices.
//! A comparison on a line of its own and an assertion of the same text are judged alike. A claim is true,
//! false, or undecided with its missing data. See `docs/decisions/0024-verdicts-by-windows.md`.

mod figures;
mod fleet;
mod history;
mod instances;
mod location;
mod mean;
mod phases;
mod quantile;
mod rules;
mod side;
mod strata;
mod tail;
mod weigh;

use crate::assertion::{Part, numbered};
use crate::evidence::Evidence;
use crate::formula::{Domain, Scope, decide_joined, is_about_each_instance};
use crate::relation::Judged;
use crate::truth::Truth;
use crate::types::{Basis, NotEvaluated, Verdict};
use history::Kept;
use spl_lang::ast::{Formula, Percent, Statistic};
use spl_lang::{Assertion, Atom, Comparison, Scaled, Sign};
use spl_model::{Bucket, Shorter};
use spl_stats::Ratio;
use std::collections::{BTreeMap, BTreeSet};
use weigh::{fleet_of, means, nearness, weigh};

pub use figures::Look;
pub use history::{History, Turn};
pub use instances::{Instances, OneInstance};
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
    /// The instance with the strongest evidence against a claim about each of them.
    pub instance: Option<String>,
    /// Number of windows in which all its methods were called.
    pub windows: u64,
    /// The first of the missing data for a decision.
    pub need: Option<Need>,
    /// Seconds until the number of windows that `need` names is reached, at the rate so far; `None` when it
    /// is unknown.
    pub wait_s: Option<f64>,
    /// Figures of a comparison of two means.
    pub look: Option<Look>,
    /// The instances that count, where there are several, with their figures for the first comparison of
    /// means.
    pub instances: Option<Instances>,
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
        let level = one.level.map(Percent::fraction);
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

    /// Whether its calls span the time that a decision before the end of the measurement needs. A program has phases of
    /// seconds. Two methods meet the same ones, because their turns alternate; a bound meets none.
    #[must_use]
    pub fn is_ripe(&self, history: &History) -> bool {
        let mut has_bound = false;
        self.formula.for_each(&mut |atom| has_bound |= matches!(atom, Atom::Bound { .. }));
        let spans = |id: usize| {
            let turns = self.methods.first().map_or(&[][..], |&method| history.turns(id, method));
            let ends = turns.first().zip(turns.last());
            // A JVM that was started again has another clock.
            ends.map_or(0, |(first, last)| last.began_ns.saturating_sub(first.began_ns)) >= Rules::SPAN_NS
        };
        !has_bound || history.instances().any(spans)
    }

    /// Whether each quarter of the measured time shows its methods on the same side of their bounds as the whole does.
    #[must_use]
    pub fn do_phases_agree(&self, history: &History) -> bool {
        let mut agree = true;
        self.formula.for_each(&mut |atom| {
            if let Atom::Bound { times, bound_ns, .. } = atom {
                agree &= phases::agree(history, times, *bound_ns);
            }
        });
        agree
    }

    /// Judges the claim by the windows so far.
    #[must_use]
    pub fn rule(&self, history: &History, rules: &Rules) -> Ruling {
        let rules = Rules { level: self.level(rules.level), ..*rules };
        let ids = counting(history, &self.methods);
        let shared: Vec<Vec<&Kept>> =
            history.instances().flat_map(|id| history.shared(id, &self.methods)).collect();
        let buckets = dense_buckets(&shared);
        let (mut parts, mut needs, mut look) = (Vec::new(), Vec::new(), None);
        let mut instances = None;
        let formula = numbered(&self.formula);
        let domain = Domain { buckets: &buckets, instances: &ids };
        let mut found = Vec::new();
        let composed = decide_joined(&formula, domain, &mut |(relation, atom), scope| {
            let weighed = weigh(atom, scope, history, &ids, &rules);
            let near = nearness(atom, &weighed.judged);
            needs.extend(near);
            needs.extend([weighed.for_it.need, weighed.against.need].into_iter().flatten());
            look = look.or(weighed.look);
            if *relation == 0 && scope.bucket.is_none() && instances.is_none() {
                instances = fleet_of(atom, None, history, &ids)
                    .and_then(|fleet| fleet.instances(history, rules.level));
            }
            let evidence = Evidence { p_true: weighed.for_it.p, p_false: weighed.against.p };
            let bucket = scope.bucket.cloned().unwrap_or_else(|| only(&shared));
            let judged = Judged { evidence, ..weighed.judged };
            let instance = scope.instance.map(|id| history.name(id).to_owned());
            parts.push(Part { relation: *relation, bucket, instance, judged: Ok(judged) });
            found.push(((*relation, scope.bucket.cloned(), scope.instance), evidence));
            evidence
        });
        let against = |id: &usize| {
            let domain = Domain { instances: &[*id], ..domain };
            let composed = decide_joined(&formula, domain, &mut |(relation, _), scope| {
                let at = (*relation, scope.bucket.cloned(), scope.instance);
                found.iter().find(|(known, _)| *known == at).map_or(Evidence::NONE, |(_, evidence)| *evidence)
            });
            let Evidence { p_true, p_false } = composed.evidence;
            (p_false < p_true).then_some((*id, p_false))
        };
        let each = ids.iter().filter(|_| is_about_each_instance(&self.formula)).filter_map(against);
        let instance = each.min_by(|(_, one), (_, other)| one.total_cmp(other));
        let instance = instance.map(|(id, _)| history.name(id).to_owned()).filter(|name| !name.is_empty());
        let windows = shared.len() as u64;
        if ids.is_empty() {
            needs.push(Need::windows(Rules::MIN_WINDOWS as usize, shared.len()));
        }
        let need =
            (composed.evidence.truth(rules.level) == Truth::Undecided).then(|| soonest(needs)).flatten();
        let wait_s =
            need.as_ref().and_then(|need| wait_s(history, self.methods.first(), windows, need.windows?));
        Ruling {
            evidence: composed.evidence,
            parts,
            gaps: composed.gaps,
            instance,
            windows,
            need,
            wait_s,
            look,
            instances,
        }
    }

    /// The scaled ratio of two means and the ends of its interval, after this decision; `None` for other claims.
    #[must_use]
    pub fn figure(&self, ruling: &Ruling, truth: Truth, rules: &Rules) -> Option<[f64; 3]> {
        let look = ruling.look?;
        let Formula::Relation(Atom::Pair { sign, within, .. }) = &self.formula else {
            return Some(look.so_far());
        };
        if truth == Truth::Undecided {
            return Some(look.so_far());
        }
        let is_equality = sign.demand().shorter == Shorter::Neither;
        let reach =
            if is_equality { 1.0 + within.map_or(rules.equal_within, Percent::fraction) } else { 1.0 };
        Some(look.decided((reach.recip(), reach), is_equality && truth == Truth::True))
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
        let [value, low, high] = self.figure(ruling, truth, rules)?;
        let ratio = Ratio { value, low, high, confidence: 1.0 - 2.0 * rules.level };
        let ids = counting(history, &self.methods);
        let atom = Atom::Pair { left, sign: Sign::Equal, right, within: None };
        let (left, right, welch) = match fleet_of(&atom, None, history, &ids) {
            Some(fleet) => fleet.figures()?,
            None => {
                let means = means(left, right.into(), Scope::default(), history, &ids);
                (means.figures(&means.left)?, means.figures(&means.right)?, means.welch()?)
            }
        };
        let ratio = Some(ratio);
        Some(Verdict { holds: basis.holds(), basis, p_value, ratio, left, right, welch })
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
            (None, _) => Need::EVIDENCE.to_owned(),
        };
        NotEvaluated::Open { windows: self.windows, why }
    }
}

/// The instances that count for a claim of these methods: those with enough windows, if any; else none.
fn counting(history: &History, methods: &[usize]) -> Vec<usize> {
    let counts = |id: &usize| history.shared(*id, methods).len() >= Rules::MIN_OF_INSTANCE;
    history.instances().filter(counts).collect()
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

/// The need that takes the fewest windows; needs of unknown length come last, and of these the vague ones.
fn soonest(needs: Vec<Need>) -> Option<Need> {
    needs.into_iter().min_by(|one, two| {
        let windows = |need: &Need| need.windows.unwrap_or(f64::INFINITY);
        windows(one).total_cmp(&windows(two)).then(one.is_vague().cmp(&two.is_vague()))
    })
}

/// Seconds until there are `needed` windows, at the rate so far.
fn wait_s(history: &History, method: Option<&usize>, windows: u64, needed: f64) -> Option<f64> {
    let method = *method?;
    let longest = history.instances().max_by_key(|&id| history.turns(id, method).len())?;
    let turns = history.turns(longest, method);
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
