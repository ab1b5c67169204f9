//! The table of metrics as text: the tree of packs, definitions, and what has to be counted.

use crate::choice::Choice;
use crate::metric::{Metric, Need};
use crate::metrics::{self, CATEGORIES};
use std::fmt::Write;

/// The tree of packs. A metric that is disabled, or needs a count that the drill lacks, stands in brackets.
#[must_use]
pub fn hierarchy(choice: &Choice, has_arcs: bool) -> String {
    let mut out = "metrics\n".to_owned();
    for (category, about) in CATEGORIES {
        // A `String` takes everything.
        let _ = writeln!(out, "  {category}: {about}");
        for metric in metrics::all().filter(|metric| metric.category == category) {
            let name = format!("{}.{}", metric.name, metric.kind.name());
            let lacks = |need: &&Need| need.drill().is_none() || **need == Need::Arcs && !has_arcs;
            let why = metric.needs.iter().find(lacks).map(|need| format!(" needs {}", need.text()));
            let line = match (choice.has(metric), why) {
                (true, None) => name,
                (true, Some(why)) => format!("[{name}]{why}"),
                (false, _) => format!("[{name}] disabled"),
            };
            let _ = writeln!(out, "    {line}");
        }
    }
    out
}

/// The definitions of metrics.
#[must_use]
pub fn explained(metrics: &[&Metric]) -> String {
    let mut out = String::new();
    for metric in metrics {
        let number = if metric.id == "-" { String::new() } else { format!(" ({})", metric.id) };
        let _ = writeln!(out, "{}{number}, {}", metric.full_name(), metric.unit.name());
        let _ = writeln!(out, "  {}", metric.text);
        let needs: Vec<&str> = metric.needs.iter().map(|need| need.text()).collect();
        let drill = metric.needs.iter().map(|need| need.drill()).collect::<Option<Vec<_>>>();
        let drill = match drill {
            Some(kinds) if kinds.contains(&"calls") => "spl drill --what calls",
            Some(_) => "spl drill",
            None => "no drill has it",
        };
        let _ = writeln!(out, "  needs {}: {drill}", needs.join(", "));
        if metric.has_cutoff() {
            let _ = writeln!(out, "  option p=0.9: the share that counts as most, over 0 and up to 1");
        }
        for (variant, text) in metric.variants {
            let _ = writeln!(out, "  option variant={variant}: {text}");
        }
    }
    out
}

/// The least drill that counts all that the enabled metrics need.
#[must_use]
pub fn needed(choice: &Choice) -> String {
    let needs = choice.needs();
    let known: Vec<&str> = needs.iter().filter_map(|need| need.drill()).collect();
    let what = if known.contains(&"calls") { "calls" } else { "blocks" };
    let mut out = match known.is_empty() {
        true => String::new(),
        false => format!("spl drill --what {what} --all -- COMMAND\n"),
    };
    for need in needs.iter().filter(|need| need.drill().is_none()) {
        let of = choice.enabled().filter(|(metric, _)| metric.needs.contains(need));
        let names: Vec<String> = of.map(|(metric, _)| metric.full_name()).collect();
        let _ = writeln!(out, "no drill has {}, for {}", need.text(), names.join(", "));
    }
    out
}
