//! The sequential mode: each claim is judged when a window closes, and decided as soon as the evidence
//! suffices.

use crate::results::Results;
use crate::setup::Setup;
use crate::status::ClaimStatus;
use spl_lang::Program;
use spl_model::{Bucket, ClaimIx, ClaimNumbers, Claimed};
use spl_scheduler::Turns;
use spl_verdict::{
    Asserted, Basis, Claim, Correction, Evaluation, Evidence, History, Instances, Judged, Look, NotEvaluated,
    Part, Ratio, Rules, Ruling, Truth, Turn,
};
use std::collections::BTreeMap;

/// A claim is judged again after 1/LOOKS more windows: the time of a look grows in proportion to the number
/// of windows.
const LOOKS: u64 = 20;

/// Claims and their state, comparisons first and assertions after them.
#[derive(Debug)]
pub struct Sequential {
    claims: Vec<InTheMaking>,
    numbers: ClaimNumbers,
    /// True for each assertion that is a comparison on a line of its own.
    alone: Vec<bool>,
    history: History,
    rules: Rules,
    correction: Correction,
}

/// A claim and its state.
#[derive(Debug)]
struct InTheMaking {
    claim: Claim,
    /// Result of the last look.
    ruling: Option<Ruling>,
    /// Number of windows at which it is judged next.
    next_look: u64,
    /// Number of windows since the claim's first one.
    windows: u64,
    /// The first evidence that sufficed, while the claim has to wait for phases of the program.
    early: Option<Early>,
    decided: Option<Decided>,
}

/// Evidence that sufficed before the claim was ripe. It counts as long as the estimates of all comparisons stay on their
/// sides.
#[derive(Debug)]
struct Early {
    truth: Truth,
    p: f64,
    parts: Vec<Part>,
    /// The instance with the strongest evidence against a claim about each of them.
    instance: Option<String>,
}

/// For each comparison, in each bucket and instance, whether its left side is the shorter one.
type Sides<'a> = BTreeMap<(usize, &'a Bucket, Option<&'a str>), bool>;

/// A decision, which is final.
#[derive(Clone, Copy, Debug)]
struct Decided {
    truth: Truth,
    /// p-value of the evidence alone, which the correction of the other claims goes on using.
    p: f64,
    /// p-value corrected for the number of claims.
    adjusted: f64,
}

impl Sequential {
    /// State before the first look at the tasks' claims.
    pub fn of(setup: &Setup) -> Self {
        let Program { tasks, assertions } = &setup.program;
        let claims = tasks.comparisons.iter().map(Claim::from).chain(assertions.iter().map(Claim::from));
        let in_the_making = |claim| InTheMaking {
            claim,
            ruling: None,
            next_look: Rules::MIN_WINDOWS,
            windows: 0,
            early: None,
            decided: None,
        };
        Self {
            claims: claims.map(in_the_making).collect(),
            numbers: setup.program.claim_numbers(),
            alone: assertions.iter().map(|one| one.alone).collect(),
            history: History::new(tasks.methods.len()),
            rules: setup.config.rules(),
            correction: setup.config.correction,
        }
    }

    /// Sets the time that a call of an empty method reports in an instance, named as in [`window`](Self::window);
    /// nanoseconds.
    pub fn probe_takes(&mut self, instance: &str, probe_ns: f64) {
        self.history.probe_takes(instance, probe_ns);
    }

    /// Takes a window; gives the results that it decides: of the claims of its methods, and with a correction
    /// also of claims whose evidence suffices now because other claims have more evidence.
    /// `instance` names the JVM where several are measured at once, and is empty otherwise.
    pub fn window(&mut self, turns: &Turns, instance: &str) -> Results {
        let mut touched: Vec<usize> = Vec::new();
        let instance = self.history.instance(instance);
        // Windows without calls leave no trace in the files, and a replay of the files must find the same
        // result.
        for turn in turns.turns.iter().filter(|turn| turn.outstanding || !turn.calls.is_empty()) {
            let mut calls: BTreeMap<Bucket, Vec<u64>> = BTreeMap::new();
            let mut sizes: BTreeMap<Bucket, Vec<u64>> = BTreeMap::new();
            for ((bucket, time), size) in turn.calls.iter().zip(&turn.sizes) {
                push(&mut calls, bucket, *time);
                if let Some(size) = size {
                    push(&mut sizes, bucket, *size);
                }
            }
            let (window, began_ns, censored) = (turns.number, turn.began_ns, turn.outstanding);
            self.history.add(turn.method.0, Turn { instance, window, began_ns, calls, sizes, censored });
            touched.push(turn.method.0);
        }
        let mut enough = false;
        for one in &mut self.claims {
            if one.decided.is_some() || !one.claim.methods().iter().any(|method| touched.contains(method)) {
                continue;
            }
            one.windows += 1;
            if one.windows >= one.next_look {
                let level = one.claim.level(self.rules.level);
                one.look(&self.history, &self.rules);
                // More evidence elsewhere decides nothing while this claim's own evidence would not suffice
                // alone.
                if one.answer().1 < level {
                    if one.claim.is_ripe(&self.history) {
                        enough = true;
                    } else {
                        one.wait();
                    }
                }
            }
        }
        if enough { self.decide() } else { Results::default() }
    }

    /// Decides the claims that the evidence of all together decides. A decided claim is not judged again, so
    /// its evidence stays; each decision lowers the requirement for the other claims.
    fn decide(&mut self) -> Results {
        let p_values: Vec<f64> = self.claims.iter().map(InTheMaking::p).collect();
        let adjusted = self.correction.adjusted(&p_values);
        let mut results = Results::default();
        for (index, (&p, &adjusted)) in p_values.iter().zip(&adjusted).enumerate() {
            let one = &mut self.claims[index];
            if one.decided.is_some() || one.ruling.is_none() {
                continue;
            }
            if adjusted < one.claim.level(self.rules.level) && one.claim.is_ripe(&self.history) {
                let (truth, _) = one.answer();
                one.decided = Some(Decided { truth, p, adjusted });
                self.add_result(ClaimIx(index), &mut results);
            }
        }
        results
    }

    /// The sequential mode's result of a comparison that ends, in place of the scheduler's result. `None` for
    /// a comparison that is already decided.
    pub fn ended(&mut self, ended: Evaluation) -> Option<Evaluation> {
        let claim = self.numbers.comparison(ended.comparison);
        if self.claims.get(claim.0)?.decided.is_some() {
            return None;
        }
        if matches!(ended.verdict, Err(NotEvaluated::NotMeasured(_) | NotEvaluated::Lacking(_))) {
            return Some(ended);
        }
        self.end(claim);
        let mut results = Results::default();
        self.add_result(claim, &mut results);
        Some(Evaluation { leftover: true, drops: ended.drops, ..results.evaluations.pop()? })
    }

    /// As [`ended`](Self::ended), for an assertion.
    pub fn ended_assertion(&mut self, ended: Asserted) -> Option<Asserted> {
        let claim = self.numbers.assertion(ended.assertion);
        if self.claims.get(claim.0)?.decided.is_some() {
            return None;
        }
        self.end(claim);
        let mut results = Results::default();
        self.add_result(claim, &mut results);
        let mut asserted = results.assertions.pop()?;
        let is_reason =
            |gap: &NotEvaluated| matches!(gap, NotEvaluated::NotMeasured(_) | NotEvaluated::Lacking(_));
        let missing: Vec<NotEvaluated> = ended.gaps.into_iter().filter(is_reason).collect();
        // The reason is the data that its methods lack, and not the small number of windows.
        if !missing.is_empty() && asserted.truth == Truth::Undecided {
            asserted.gaps.clear();
        }
        asserted.gaps.splice(0..0, missing);
        Some(Asserted { leftover: true, drops: ended.drops, ..asserted })
    }

    /// Looks at a claim for the last time.
    fn end(&mut self, ClaimIx(index): ClaimIx) {
        self.claims[index].look(&self.history, &self.rules);
        // The claim may be decided now, if the last look was some windows ago. Other claims are decided at
        // their own ends.
        let p_values: Vec<f64> = self.claims.iter().map(InTheMaking::p).collect();
        let adjusted = self.correction.adjusted(&p_values)[index];
        let one = &mut self.claims[index];
        let suffices = adjusted < one.claim.level(self.rules.level);
        let truth = if suffices { one.answer().0 } else { Truth::Undecided };
        one.decided = Some(Decided { truth, p: p_values[index], adjusted });
    }

    fn add_result(&self, claim: ClaimIx, results: &mut Results) {
        let one = &self.claims[claim.0];
        let (Some(decided), Some(ruling)) = (one.decided, &one.ruling) else { return };
        match self.numbers.claimed(claim) {
            Claimed::Comparison(index) => {
                results.evaluations.push(self.evaluation(index, &one.claim, ruling, decided))
            }
            Claimed::Assertion(index) => results.assertions.push(self.asserted(index, one, ruling, decided)),
        }
    }

    fn evaluation(&self, comparison: usize, claim: &Claim, ruling: &Ruling, decided: Decided) -> Evaluation {
        let part = ruling.parts.first();
        let judged = part.and_then(|part| part.judged.as_ref().ok());
        let (n_left, n_right) = judged.map_or((0, 0), |one| (one.n_left, one.n_right.unwrap_or(0)));
        let verdict = claim.verdict(ruling, decided.truth, decided.adjusted, &self.history, &self.rules);
        let is_open = verdict.is_none() && n_left.min(n_right) > 0;
        let figure = if is_open { claim.figure(ruling, Truth::Undecided, &self.rules) } else { None };
        let confidence = 1.0 - 2.0 * self.rules.level;
        Evaluation {
            comparison,
            bucket: part.map_or(Bucket::All, |part| part.bucket.clone()),
            verdict: verdict.ok_or_else(|| self.open(claim, ruling)),
            leftover: false,
            n_left,
            n_right,
            drops: 0,
            so_far: figure.map(|[value, low, high]| Ratio { value, low, high, confidence }),
        }
    }

    fn asserted(&self, assertion: usize, one: &InTheMaking, ruling: &Ruling, decided: Decided) -> Asserted {
        let claim = &one.claim;
        let alone = self.alone.get(assertion).copied().unwrap_or(false);
        let basis = match decided.truth {
            Truth::True => Some(Basis::Proved),
            Truth::False => Some(Basis::Refuted),
            Truth::Undecided => None,
        };
        let mut gaps = ruling.gaps.clone();
        if decided.truth == Truth::Undecided {
            gaps.push(self.open(claim, ruling));
        }
        let Evidence { p_true, p_false } = ruling.evidence;
        let evidence = match decided.truth {
            Truth::True => Evidence { p_true: decided.adjusted, p_false },
            Truth::False => Evidence { p_true, p_false: decided.adjusted },
            // With a correction: the claim alone would have been decided.
            Truth::Undecided => {
                Evidence { p_true: p_true.max(decided.adjusted), p_false: p_false.max(decided.adjusted) }
            }
        };
        Asserted {
            assertion,
            truth: decided.truth,
            basis: basis.filter(|_| alone),
            evidence,
            level: claim.level(self.rules.level),
            parts: one.parts(ruling),
            instance: one.instance(ruling).filter(|_| decided.truth == Truth::False).cloned(),
            gaps,
            leftover: false,
            drops: 0,
        }
    }

    /// The reason why a claim is undecided.
    fn open(&self, claim: &Claim, ruling: &Ruling) -> NotEvaluated {
        let calls: Vec<u64> = claim.methods().iter().map(|&method| self.history.calls(method)).collect();
        match calls[..] {
            [left, right] if left.min(right) == 0 => NotEvaluated::TooFewSamples { left, right },
            _ => ruling.open(),
        }
    }

    /// Figures of the last look at each claim, comparisons first.
    pub fn claims(&self) -> Vec<ClaimStatus> {
        let of = |one: &InTheMaking| {
            let Some(ruling) = &one.ruling else { return ClaimStatus::default() };
            let truth = one.decided.map_or(Truth::Undecided, |decided| decided.truth);
            let ratio = one.claim.figure(ruling, truth, &self.rules);
            ClaimStatus { ratio, parts: one.parts(ruling), instance: one.instance(ruling).cloned() }
        };
        self.claims.iter().map(of).collect()
    }

    /// The instances of the last look at a claim, where there are several.
    pub fn instances_of(&self, claim: usize) -> Option<&Instances> {
        self.claims.get(claim)?.ruling.as_ref()?.instances.as_ref()
    }

    /// The instances of a claim by all windows so far, also after its decision.
    pub fn instances_by_now(&self, claim: usize) -> Option<Instances> {
        self.claims.get(claim)?.claim.rule(&self.history, &self.rules).instances
    }

    /// Names of the instances with windows.
    pub fn instances(&self) -> impl Iterator<Item = &str> {
        self.history.names().filter(|name| !name.is_empty())
    }

    /// Figures of the last look at a comparison.
    pub fn look(&self, comparison: usize) -> Option<&Look> {
        self.claims.get(comparison)?.ruling.as_ref()?.look.as_ref()
    }
}

impl InTheMaking {
    fn look(&mut self, history: &History, rules: &Rules) {
        self.next_look = self.windows + (self.windows / LOOKS).max(1);
        let ruling = self.ruling.insert(self.claim.rule(history, rules));
        // An estimate that changed its side once contradicts the early evidence for good, and so does one of a part of the time.
        let claim = &self.claim;
        self.early
            .take_if(|early| sides(&early.parts) != sides(&ruling.parts) || !claim.do_phases_agree(history));
    }

    /// Keeps the first evidence that sufficed.
    fn wait(&mut self) {
        let (truth, p) = self.answer();
        if let (None, Some(ruling)) = (&self.early, &self.ruling) {
            self.early =
                Some(Early { truth, p, parts: ruling.parts.clone(), instance: ruling.instance.clone() });
        }
    }

    /// The answer that the evidence supports, and its p-value: by the last look, or by the early one that still stands.
    fn answer(&self) -> (Truth, f64) {
        let Some(ruling) = &self.ruling else { return (Truth::Undecided, 1.0) };
        self.standing_early(ruling).map_or_else(|| by_now(ruling), |early| (early.truth, early.p))
    }

    /// The early evidence, where it is stronger than that of the last look.
    fn standing_early(&self, ruling: &Ruling) -> Option<&Early> {
        self.early.as_ref().filter(|early| early.p < by_now(ruling).1)
    }

    /// Each comparison with the figures of the last look, and with the evidence that counts.
    fn parts(&self, ruling: &Ruling) -> Vec<Part> {
        let early = self.standing_early(ruling).map(|early| &early.parts[..]).unwrap_or_default();
        let of_part = |part: &Part| {
            let mut part = judged_by_calls(part);
            let before =
                early.iter().find(|one| at(one) == at(&part)).and_then(|one| one.judged.as_ref().ok());
            if let (Ok(judged), Some(before)) = (&mut part.judged, before) {
                judged.evidence = before.evidence;
            }
            part
        };
        ruling.parts.iter().map(of_part).collect()
    }

    /// The instance with the strongest evidence against a claim about each of them.
    fn instance<'a>(&'a self, ruling: &'a Ruling) -> Option<&'a String> {
        self.standing_early(ruling).map_or(&ruling.instance, |early| &early.instance).as_ref()
    }

    /// The p-value of its decision, or else of its answer.
    fn p(&self) -> f64 {
        self.decided.map_or_else(|| self.answer().1, |decided| decided.p)
    }
}

/// The answer that the evidence of the last look supports, and its p-value.
fn by_now(ruling: &Ruling) -> (Truth, f64) {
    let Evidence { p_true, p_false } = ruling.evidence;
    if p_true <= p_false { (Truth::True, p_true) } else { (Truth::False, p_false) }
}

/// Comparison, bucket and instance of a part.
fn at(part: &Part) -> (usize, &Bucket, Option<&str>) {
    (part.relation, &part.bucket, part.instance.as_deref())
}

fn sides(parts: &[Part]) -> Sides<'_> {
    let side = |part: &'_ Part| part.judged.as_ref().ok().map(|judged| judged.left_ns < judged.right_ns);
    parts.iter().filter_map(|part| Some((at(part), side(part)?))).collect()
}

fn push(all: &mut BTreeMap<Bucket, Vec<u64>>, bucket: &Bucket, value: u64) {
    match all.get_mut(bucket) {
        Some(values) => values.push(value),
        None => drop(all.insert(bucket.clone(), vec![value])),
    }
}

/// The part, counted as judged only if it has calls: without calls it has no figures.
fn judged_by_calls(part: &Part) -> Part {
    let has_figures = |one: &Judged| {
        one.n_left > 0 && one.n_right != Some(0) && one.left_ns.is_finite() && one.right_ns.is_finite()
    };
    let judged = match &part.judged {
        Ok(one) if !has_figures(one) => {
            Err(NotEvaluated::TooFewSamples { left: one.n_left, right: one.n_right.unwrap_or(0) })
        }
        judged => judged.clone(),
    };
    Part { judged, ..part.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spl_lang::{RunMode, parse_file};

    #[test]
    fn a_claim_without_calls_of_a_side_has_no_figures() {
        let check = |n_left, n_right, expected: bool| {
            let mut part = ruling(1.0).parts.remove(0);
            let Ok(judged) = &mut part.judged else { panic!("{part:?}") };
            (judged.n_left, judged.n_right) = (n_left, n_right);
            assert_eq!(judged_by_calls(&part).judged.is_ok(), expected, "{n_left} {n_right:?}");
        };
        check(1, None, true);
        check(1, Some(1), true);
        check(0, None, false);
        check(0, Some(5), false);
        check(5, Some(0), false);
    }

    /// A claim about the medians of two instances, of which one has this p-value against it.
    fn ruling(p_false: f64) -> Ruling {
        let part = |(name, left_ns, p_false): (&str, f64, f64)| Part {
            relation: 0,
            bucket: Bucket::All,
            instance: Some(name.to_owned()),
            judged: Ok(Judged {
                evidence: Evidence { p_true: 1.0, p_false },
                left_ns,
                right_ns: 20_000.0,
                n_left: 500,
                n_right: None,
            }),
        };
        Ruling {
            evidence: Evidence { p_true: 1.0, p_false },
            parts: [("small", 46.0, 1.0), ("large", 82_000.0, p_false)].map(part).into(),
            gaps: Vec::new(),
            instance: (p_false < 1.0).then(|| "large".to_owned()),
            windows: 100,
            need: None,
            wait_s: None,
            look: None,
            instances: None,
        }
    }

    #[test]
    fn early_evidence_that_stands_names_its_instance() {
        let text = "assert \"e\": for all instances: median(A.f()V) <= 20 us\n";
        let program =
            parse_file(text, RunMode::Comparison).unwrap().check(text, &mut |_| Vec::new()).unwrap();
        let mut one = InTheMaking {
            claim: Claim::from(&program.assertions[0]),
            ruling: Some(ruling(1e-9)),
            next_look: 0,
            windows: 0,
            early: None,
            decided: None,
        };
        one.wait();
        // The last look has no evidence of its own: the times depend on each other by now.
        let last = ruling(1.0);
        one.ruling = Some(last.clone());
        assert_eq!(one.answer(), (Truth::False, 1e-9));
        assert_eq!(one.instance(&last).map(String::as_str), Some("large"));
        let against: Vec<f64> =
            one.parts(&last).iter().map(|part| part.judged.as_ref().unwrap().evidence.p_false).collect();
        assert_eq!(against, [1.0, 1e-9]);
        // Stronger evidence of the last look counts instead.
        let stronger = ruling(1e-12);
        one.ruling = Some(stronger.clone());
        assert_eq!(one.parts(&stronger), stronger.parts);
    }
}
