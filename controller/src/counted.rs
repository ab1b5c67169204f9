//! Claims about metrics in a task file: the table of metrics in the language's form, and words about who judges which claims.

use spl_analysis::{Unit, metrics};
use spl_classes::Catalogue;
use spl_lang::ast::File;
use spl_lang::{
    Diagnostic, KnownMetric, MetricAtom, MetricClaim, MetricClaims, MetricSpace, MetricUnit, Severity, Span,
};
use spl_model::{Pattern, Scope, one_line};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The claims of a file about metrics.
///
/// # Errors
/// All findings about them.
pub fn claims_of(file: &File, text: &str) -> Result<MetricClaims, Vec<Diagnostic>> {
    file.metric_claims(text, &table())
}

/// The spaces of claims that mean no method of these classes, which are all of the program's. Each is found once, at its first claim.
pub fn unknown_spaces(claims: &[MetricClaim], text: &str, classes: &mut Catalogue) -> Vec<Diagnostic> {
    let mut findings: Vec<Diagnostic> = Vec::new();
    // For each looked up space the place of its finding, if there is one, and the claims that have it.
    let mut seen: BTreeMap<String, (Option<usize>, BTreeSet<usize>)> = BTreeMap::new();
    for claim in claims {
        let mut spaces = Vec::new();
        claim.formula.value.for_each(&mut |atom: &MetricAtom| {
            spaces.extend(atom.metrics().map(|of| of.space.clone()));
        });
        for space in spaces {
            let MetricSpace::Methods(name, pattern) = &space else { continue };
            if let Some((_, claims)) = seen.get_mut(name) {
                claims.insert(claim.span.start);
                continue;
            }
            let is_known = is_known(pattern, classes);
            let at = (!is_known).then_some(findings.len());
            seen.insert(name.clone(), (at, BTreeSet::from([claim.span.start])));
            if is_known {
                continue;
            }
            let line = text.get(claim.span.start..claim.span.end).unwrap_or_default();
            let before = line.find(name.as_str()).unwrap_or_default();
            let class = name.split('#').next().unwrap_or_default().replace('.', "/");
            let near = classes.nearest_classes(&class).first().map(|class| class.replace('/', "."));
            findings.push(Diagnostic {
                severity: Severity::Error,
                message: "no method of the class path or the JDK is meant".to_owned(),
                span: Span { start: claim.span.start + before, end: claim.span.start + before + name.len() },
                line: claim.line,
                column: line.get(..before).unwrap_or_default().chars().count() + 1,
                label: "nothing would count".to_owned(),
                help: Some(match near {
                    Some(near) => format!("a similar class is `{near}`"),
                    None => "`spl methods --java` lists methods".to_owned(),
                }),
                related: Vec::new(),
            });
        }
    }
    for (at, claims) in seen.into_values() {
        let more = claims.len() - 1;
        if let Some(finding) = at.and_then(|at| findings.get_mut(at)).filter(|_| more > 0) {
            let claims = if more == 1 { "claim" } else { "claims" };
            finding.label = format!("nothing would count, here and in {more} more {claims}");
        }
    }
    findings
}

/// Whether some method with code is meant.
fn is_known(pattern: &Pattern, classes: &mut Catalogue) -> bool {
    let scope = Scope { include: vec![pattern.clone()], jdk: true, ..Scope::default() };
    let meant: Vec<String> =
        classes.names().into_iter().filter(|class| scope.has_class(class, false)).collect();
    meant.iter().any(|class| {
        let methods = classes.methods(class);
        methods.iter().any(|known| {
            known.code_bytes.is_some()
                && scope.has(class, false, known.method.name(), known.method.descriptor().as_str())
        })
    })
}

/// A line about the claims about metrics that a measurement of times leaves out; `None` without such claims.
///
/// # Errors
/// When the file has nothing else, as text for the operator.
pub fn left_to_counts(file: &File, path: &Path) -> Result<Option<String>, String> {
    let (times, metrics) = file.count_claims();
    let path = one_line(&path.display().to_string());
    match (times, metrics) {
        (_, 0) => Ok(None),
        (0, _) => Err(format!(
            "{path} has only claims about metrics, which `spl metrics --tasks {path} -- COMMAND` judges; add a claim about \
             times to measure them"
        )),
        (_, metrics) => Ok(Some(format!(
            "{} left to `spl metrics --tasks {path} -- COMMAND`",
            number(metrics, "metrics")
        ))),
    }
}

/// A line about the claims about times that counting leaves out; `None` without such claims.
///
/// # Errors
/// When the file has nothing else, as text for the operator.
pub fn left_to_times(file: &File, path: &Path) -> Result<Option<String>, String> {
    let (times, metrics) = file.count_claims();
    let path = one_line(&path.display().to_string());
    match (times, metrics) {
        (_, 0) => Err(format!(
            "{path} has no claim about metrics; write one as `metric(size.run, com.shop.Parser) <= 5000`, or judge claims \
             about times by `spl run --tasks {path} -- COMMAND`"
        )),
        (0, _) => Ok(None),
        (times, _) => {
            Ok(Some(format!("{} left to `spl run --tasks {path} -- COMMAND`", number(times, "times"))))
        }
    }
}

fn number(count: usize, about: &str) -> String {
    if count == 1 { format!("1 claim about {about} is") } else { format!("{count} claims about {about} are") }
}

/// The table of metrics, in the order of `metrics::all`.
fn table() -> Vec<KnownMetric> {
    let known = |metric: &spl_analysis::Metric| KnownMetric {
        id: metric.id.to_owned(),
        name: metric.full_name(),
        unit: match metric.unit {
            Unit::Count => MetricUnit::Count,
            Unit::Density => MetricUnit::Density,
            Unit::Ratio => MetricUnit::Ratio,
            Unit::Percent => MetricUnit::Percent,
            Unit::Bytes => MetricUnit::Bytes,
        },
        keys: metric.keys(),
    };
    metrics::all().map(known).collect()
}
