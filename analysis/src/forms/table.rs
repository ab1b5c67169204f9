//! The table of metrics as text: the tree of packs, definitions, and what has to be counted.

use crate::choice::Choice;
use crate::metric::{Has, Metric, Need};
use crate::metrics::{self, CATEGORIES};
use crate::sj::least;
use std::fmt::Write;

/// The tree of packs. A metric that is disabled, or needs a count that the drill lacks, stands in brackets.
#[must_use]
pub fn hierarchy(choice: &Choice, has: Has) -> String {
    let mut out = "metrics\n".to_owned();
    for (category, about) in CATEGORIES {
        // A `String` takes everything.
        let _ = writeln!(out, "  {category}: {about}");
        for metric in metrics::all().filter(|metric| metric.category == category) {
            let name = format!("{}.{}", metric.name, metric.kind.name());
            let lacks = |need: &&Need| need.is_lacking(has);
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
            Some(kinds) if kinds.contains(&"receivers") => "spl drill --what receivers",
            Some(_) => "spl drill",
            None => Need::command(metric.needs),
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

/// The least specification of events for those of the enabled metrics that a drill has all of, as a file for `spl drill --spec`.
///
/// # Errors
/// When there is no such metric; a line for each fact that no drill has.
pub fn needed(choice: &Choice) -> Result<String, String> {
    let least = least(choice);
    let lacking = |need: &&Need| need.drill().is_none();
    let needs = choice.needs();
    let lacks: Vec<String> = needs.iter().filter(lacking).map(|need| lack(choice, *need)).collect();
    if least.is_empty() {
        return Err(if lacks.is_empty() { "no metric is enabled".to_owned() } else { lacks.join("\n") });
    }
    let metrics = choice.enabled().filter(|(metric, _)| metric.is_of_drill()).count();
    let metrics = if metrics == 1 { "1 metric needs".to_owned() } else { format!("{metrics} metrics need") };
    let lacks: String = lacks.iter().map(|line| format!("# {line}\n")).collect();
    Ok(format!("# What {metrics}: spl drill --spec FILE --all -- COMMAND\n{lacks}{least}"))
}

/// The enabled metrics that need something that no drill has.
fn lack(choice: &Choice, need: Need) -> String {
    let of = choice.enabled().filter(|(metric, _)| metric.needs.contains(&need));
    let names: Vec<String> = of.map(|(metric, _)| metric.full_name()).collect();
    format!("only `{}` has {}, for {}", Need::command(&[need]), need.text(), names.join(", "))
}
