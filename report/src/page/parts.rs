//! The facts of a run for the sections of the page, and pieces of markup that several sections have.

use super::asserted;
use crate::chart::detail::Detail;
use crate::chart::{distribution, series};
use crate::doubt::{self, Doubt, Footing, Reliability};
use crate::facts::{Call, Facts, SHOWN_METHODS, shown};
use crate::judged::{Chosen, Judged};
use crate::names::Names;
use crate::reasons;
use crate::words::{Badge, Claim};
use maud::{Markup, html};
use spl_model::{Bucket, SampleFlags};
use spl_records::context::Asked;
use spl_verdict::{Evaluation, NotEvaluated};
use std::collections::{BTreeMap, BTreeSet};

/// The facts, with values that several parts of the page need.
pub(super) struct Page<'a> {
    pub(super) facts: &'a Facts,
    pub(super) names: Names,
    pub(super) claims: Vec<Shown<'a>>,
    pub(super) assertions: Vec<asserted::Shown<'a>>,
    /// How finely charts are drawn.
    pub(super) detail: Detail,
}

/// A comparison with its results.
pub(super) struct Shown<'a> {
    pub(super) number: usize,
    pub(super) asked: &'a Asked,
    pub(super) results: Vec<Looked<'a>>,
    /// Whether it has charts.
    pub(super) in_full: bool,
}

/// A result, with details where it is shown in full.
pub(super) struct Looked<'a> {
    pub(super) evaluation: &'a Evaluation,
    pub(super) judged: Judged,
    pub(super) doubts: Vec<Doubt>,
    /// Distance from its interval to the limit, as a factor.
    pub(super) room: f64,
}

impl Shown<'_> {
    /// The most serious badge of its results.
    pub(super) fn badge(&self) -> Badge {
        let badges = self.results.iter().map(|looked| Badge::of(looked.evaluation));
        badges.min().unwrap_or(Badge::NotEvaluated)
    }

    /// The lowest reliability of its results.
    pub(super) fn reliability(&self) -> Option<Reliability> {
        self.results.iter().filter_map(Looked::reliability).max()
    }
}

impl Looked<'_> {
    pub(super) fn reliability(&self) -> Option<Reliability> {
        let verdict = self.evaluation.verdict.as_ref().ok()?;
        Some(Reliability::of(&self.doubts, verdict.basis, self.room))
    }
}

impl<'a> Page<'a> {
    pub(super) fn of(facts: &'a Facts) -> Self {
        let context = &facts.context;
        let names = Names::of(context.methods.iter().map(|method| method.method.as_str()));
        let in_full: BTreeSet<usize> = shown(context, &facts.results).into_iter().collect();
        let empty_ps = context.programs.last().and_then(|program| program.probe_empty_ps);
        let empty_ns = empty_ps.map(|ps| ps as f64 / 1000.0);
        let mut results: BTreeMap<usize, Vec<&'a Evaluation>> = BTreeMap::new();
        facts.results.iter().for_each(|one| results.entry(one.comparison).or_default().push(one));
        let claim = |(index, asked): (usize, &'a Asked)| {
            let in_full = in_full.contains(&index);
            let look = |evaluation: &'a Evaluation| {
                let mut doubts = doubt::of_evaluation(evaluation, context.min_samples);
                let mut judged = Judged::default();
                let claim = Claim::of(asked, &names);
                let by_windows = Chosen::of(context) == Chosen::Windows;
                // Windows are judged without the probe's time.
                let included_ns = empty_ns.filter(|_| !by_windows);
                if let (Ok(verdict), Some(empty_ns)) = (&evaluation.verdict, included_ns) {
                    doubts.extend(doubt::of_probe(&claim, verdict, empty_ns));
                }
                let footing = evaluation
                    .verdict
                    .as_ref()
                    .ok()
                    .map(|verdict| Footing::of(&claim, verdict, (context.paired, by_windows)));
                if in_full {
                    judged = Judged::of(
                        asked,
                        evaluation,
                        [facts.calls(asked.left), facts.calls(asked.right)],
                        Chosen::of(context),
                    );
                    if let Some(footing) = footing {
                        doubts.extend(doubt::of_times(&judged.left_ns, names.get(asked.left), footing));
                        doubts.extend(doubt::of_times(&judged.right_ns, names.get(asked.right), footing));
                        doubts.extend(doubt::of_left_out(asked, evaluation, &judged));
                    }
                }
                Looked { evaluation, judged, doubts, room: footing.map_or(1.0, |footing| footing.room) }
            };
            let of_this = results.get(&index).map_or(&[][..], Vec::as_slice);
            let results = of_this.iter().copied().map(look).collect();
            Shown { number: index + 1, asked, results, in_full }
        };
        let claims: Vec<Shown<'_>> = context.comparisons.iter().enumerate().map(claim).collect();
        let assertions = asserted::Shown::all(facts);
        let compared: usize =
            claims.iter().filter(|shown| shown.in_full).map(|shown| shown.results.len()).sum();
        let asserted: usize = assertions.iter().map(|shown| shown.charted().len()).sum();
        // Without claims the methods have charts.
        let alone = if claims.is_empty() && assertions.is_empty() {
            context.methods.len().min(SHOWN_METHODS)
        } else {
            0
        };
        Self { facts, claims, assertions, names, detail: Detail::of(compared + asserted + alone) }
    }

    /// Reason without a verdict about these methods, and the remedy.
    pub(super) fn why_not(&self, why: &NotEvaluated, methods: &[usize]) -> String {
        let mut text = reasons::why_not(why);
        let facts = |method: &usize| self.facts.context.methods.get(*method);
        for (method, facts) in methods.iter().filter_map(|method| Some((method, facts(method)?))) {
            text = text.replace(&facts.method, self.names.get(*method));
        }
        if matches!(why, NotEvaluated::Lacking(_) | NotEvaluated::NotMeasured(_)) {
            let lacks = methods.iter().filter_map(|method| facts(method)?.lack.as_ref());
            let mut remedies: Vec<&str> = lacks.map(reasons::remedy).collect();
            remedies.dedup();
            for remedy in remedies {
                text.push(' ');
                text.push_str(remedy);
            }
        }
        text
    }

    pub(super) fn claim(&'a self, shown: &'a Shown<'_>) -> Claim<'a> {
        Claim::of(shown.asked, &self.names)
    }
}

/// A verdict: icon, word, and basis.
pub(super) fn badge(badge: Badge) -> Markup {
    let (class, icon, word, basis) = badge.parts();
    html! {
        span class={ "badge " (class) } { b aria-hidden="true" { (icon) } " " (word) small { " " (basis) } }
    }
}

/// Workload sizes in words.
pub(super) fn sizes(page: &Page<'_>, bucket: &Bucket) -> String {
    match bucket {
        Bucket::All if page.facts.context.scale.is_some() => "all sizes".to_owned(),
        Bucket::All => "all sizes (not checked)".to_owned(),
        Bucket::Range { low, high: Some(high) } if high - low == 1 => format!("size {low}"),
        Bucket::Range { low, high: Some(high) } => format!("sizes {low} to {}", high - 1),
        Bucket::Range { low, high: None } => format!("sizes from {low}"),
        Bucket::Label(label) => format!("sizes “{label}”"),
    }
}

/// A part of the page that scrolls by itself where it is too wide, by keyboard too.
pub(super) fn scrolling(label: &str, content: Markup) -> Markup {
    html! { div.scroll tabindex="0" role="region" aria-label=(label) { (content) } }
}

/// The calls of a side as dots; time begins at `first_ns`.
pub(super) fn dots(side: &distribution::Side, calls: &[&Call], first_ns: u64) -> series::Side {
    let dot = |call: &&Call| {
        (call.start_ns.saturating_sub(first_ns) as f64 / 1e9, call.took_ns as f64 * side.factor)
    };
    let those = |wanted: &dyn Fn(&Call) -> bool| calls.iter().filter(|call| wanted(call)).map(dot).collect();
    series::Side {
        ink: side.ink,
        name: side.name.clone(),
        factor: side.factor,
        kept: those(&|call| !call.is_discarded()),
        discarded: those(&Call::is_discarded),
        gc: those(&|call| call.flags.contains(SampleFlags::GC)),
    }
}
