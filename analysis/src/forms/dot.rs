//! Which metric needs what, as a graph for Graphviz.

use crate::choice::Choice;
use crate::metric::{Has, Need};
use crate::metrics::{self, CATEGORIES};
use crate::sj::wanted;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Edges from metrics to the facts that they need, and from facts to the events that have them. Disabled metrics are dashed. A metric is grey
/// when the drill lacks a fact that it needs.
#[must_use]
pub fn dot(choice: &Choice, has: Has) -> String {
    let mut out = "digraph metrics {\n  rankdir=LR;\n  node [shape=box];\n".to_owned();
    for (category, _) in CATEGORIES {
        // A `String` takes everything.
        let _ = writeln!(out, "  subgraph \"cluster_{category}\" {{\n    label=\"{category}\";");
        for metric in metrics::all().filter(|metric| metric.category == category) {
            let lacks = metric.needs.iter().any(|need| need.is_lacking(has));
            let style = match (choice.has(metric), lacks) {
                (false, _) => " [style=dashed]",
                (true, true) => " [color=gray, fontcolor=gray]",
                (true, false) => "",
            };
            let _ = writeln!(out, "    \"{}\"{style};", metric.full_name());
        }
        out.push_str("  }\n");
    }
    for metric in metrics::all() {
        for need in metric.needs {
            let _ = writeln!(out, "  \"{}\" -> \"{}\";", metric.full_name(), need.text());
        }
    }
    let mut events = BTreeSet::new();
    for need in Need::ALL {
        let style = if need.is_lacking(has) { ", color=gray, fontcolor=gray" } else { "" };
        let _ = writeln!(out, "  \"{}\" [shape=ellipse{style}];", need.text());
        for one in wanted(need) {
            let how = if one.is_recorded { "recorded" } else { "counted" };
            let _ = writeln!(out, "  \"{}\" -> \"event {}\" [label=\"{how}\"];", need.text(), one.event);
            events.insert(one.event);
        }
    }
    for event in events {
        let _ = writeln!(out, "  \"event {event}\" [shape=plaintext];");
    }
    out.push_str("}\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_metric_leads_to_events() {
        let choice = Choice::new(&[], &["data".to_owned()], &[]).unwrap();
        let graph = dot(&choice, Has { arcs: false, ..Has::ALL });
        for line in [
            "    \"size.hot.value\";",
            "    \"data.arrayDensity.value\" [style=dashed];",
            "    \"polymorphism.calls.value\" [color=gray, fontcolor=gray];",
            "  \"polymorphism.calls.value\" -> \"the receivers of calls\";",
            "  \"the receivers of calls\" -> \"event Call\" [label=\"counted\"];",
        ] {
            assert!(graph.lines().any(|one| one == line), "{line}\n{graph}");
        }
        assert_eq!(graph.matches('{').count(), graph.matches('}').count());
        assert!(dot(&choice, Has::ALL).contains("    \"polymorphism.calls.value\";"));
    }
}
