//! The page: what stands where.

mod assertion;
mod comparison;
mod method;
mod run;
mod summary;

use crate::doubt::{self, Doubt, Footing, Reliability};
use crate::facts::{Facts, shown};
use crate::judged::{Chosen, Judged};
use crate::names::Names;
use crate::reasons;
use crate::words::{Badge, Claim};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use spl_model::Bucket;
use spl_records::context::Asked;
use spl_verdict::{Evaluation, NotEvaluated};
use std::collections::{BTreeMap, BTreeSet};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// What the page may do: have this style and run this script, by their hashes, and nothing else. Whoever changes one of them
/// changes its hash too (`openssl dgst -sha256 -binary report/src/style.css | base64`); `make browser` notices if not.
const POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; \
    style-src 'sha256-+gaDr1fhodj08maChx1WmLAMLVYzvdrGWGcztDgAAn8='; \
    script-src 'sha256-xkYgl77NWfA0iWJ7nTCxq+WmWIcdBTQpAWwWDM4i9+w='";

/// The facts with what several parts of the page need of them.
struct Page<'a> {
    facts: &'a Facts,
    names: Names,
    claims: Vec<Shown<'a>>,
    assertions: Vec<assertion::Shown<'a>>,
}

/// A comparison with its results.
struct Shown<'a> {
    number: usize,
    asked: &'a Asked,
    results: Vec<Looked<'a>>,
    /// Whether it is shown with charts.
    in_full: bool,
}

/// A result, looked at closely where it is shown in full.
struct Looked<'a> {
    evaluation: &'a Evaluation,
    judged: Judged,
    doubts: Vec<Doubt>,
    /// From its interval to the limit, as a factor.
    room: f64,
}

impl Shown<'_> {
    /// The gravest of its results.
    fn badge(&self) -> Badge {
        let badges = self.results.iter().map(|looked| Badge::of(looked.evaluation));
        badges.min().unwrap_or(Badge::NotEvaluated)
    }

    /// The least of those of its results.
    fn reliability(&self) -> Option<Reliability> {
        self.results.iter().filter_map(Looked::reliability).max()
    }
}

impl Looked<'_> {
    fn reliability(&self) -> Option<Reliability> {
        let verdict = self.evaluation.verdict.as_ref().ok()?;
        Some(Reliability::of(&self.doubts, verdict.basis, self.room))
    }
}

impl<'a> Page<'a> {
    fn of(facts: &'a Facts) -> Self {
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
                let is_in = Chosen::of(context) != Chosen::Windows;
                if let (Ok(verdict), Some(empty_ns)) = (&evaluation.verdict, empty_ns.filter(|_| is_in)) {
                    doubts.extend(doubt::of_probe(&claim, verdict, empty_ns));
                }
                let footing = evaluation
                    .verdict
                    .as_ref()
                    .ok()
                    .map(|verdict| Footing::of(&claim, verdict, context.paired));
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
        let claims = context.comparisons.iter().enumerate().map(claim).collect();
        Self { facts, claims, assertions: assertion::Shown::all(facts), names }
    }

    /// Why there is no verdict about these methods, and what helps.
    fn why_not(&self, why: &NotEvaluated, methods: &[usize]) -> String {
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

    fn claim(&'a self, shown: &'a Shown<'_>) -> Claim<'a> {
        Claim::of(shown.asked, &self.names)
    }
}

/// The page.
#[must_use]
pub fn html(facts: &Facts) -> String {
    let page = Page::of(facts);
    let title = format!("{} – performance report", summary::subject(&facts.context));
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "spl " (facts.context.spl) };
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href=(if page.claims.is_empty() && page.assertions.is_empty() { "#methods" } else if page.claims.is_empty() { "#assertions" } else { "#results" }) { "Skip to the results" }
                (summary::header(&page))
                main {
                    (summary::summary(&page))
                    (summary::tools(&page))
                    (comparison::results(&page))
                    (assertion::section(&page))
                    (method::section(&page))
                    (run::decisions(&page))
                    (run::settings(&page))
                    (run::glossary(&page))
                }
                footer { p { "Made by spl " (facts.context.spl) " from the files of the run; "
                    code { "spl report" } " makes it again." } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    // Our own text has none of what misleads; names of a program may.
    spl_model::lines(&markup.into_string())
}

/// A verdict: icon, word, and what stands behind it.
fn badge(badge: Badge) -> Markup {
    let (class, icon, word, basis) = badge.parts();
    html! {
        span class={ "badge " (class) } { b aria-hidden="true" { (icon) } " " (word) small { " " (basis) } }
    }
}

/// Workload sizes in words.
fn sizes(page: &Page<'_>, bucket: &Bucket) -> String {
    match bucket {
        Bucket::All if page.facts.context.scale.is_some() => "all sizes".to_owned(),
        Bucket::All => "all sizes (not checked)".to_owned(),
        Bucket::Range { low, high: Some(high) } if high - low == 1 => format!("size {low}"),
        Bucket::Range { low, high: Some(high) } => format!("sizes {low} to {}", high - 1),
        Bucket::Range { low, high: None } => format!("sizes from {low}"),
        Bucket::Label(label) => format!("sizes “{label}”"),
    }
}

/// A part of the page that scrolls by itself where it is too wide, also by keyboard.
fn scrolling(label: &str, content: Markup) -> Markup {
    html! { div.scroll tabindex="0" role="region" aria-label=(label) { (content) } }
}
