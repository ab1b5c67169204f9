//! Values as XML in the structure of \*J (`docs/schema/metrics-1.xsd`), with what is known of each value.

use super::figure::exact;
use crate::choice::cutoff;
use crate::evaluate::{InSpace, Measured, Value, Values};
use crate::metric::Kind;
use crate::series::Series;
use spl_model::one_line;
use std::fmt::Write;

/// The document, with the values over time if there are some.
#[must_use]
pub fn xml(values: &Values, series: Option<&Series>) -> String {
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    // A `String` takes everything.
    let _ = writeln!(out, "<benchmark name=\"{}\">", escaped(&values.command));
    for space in &values.spaces {
        add_space(&mut out, space);
    }
    if let Some(series) = series {
        super::series::add_xml(&mut out, series, escaped);
    }
    out.push_str("</benchmark>\n");
    out
}

fn add_space(out: &mut String, space: &InSpace) {
    let _ = writeln!(out, " <sample-space name=\"{}\">", escaped(&space.name));
    out.push_str("  <metric-space name=\"metrics\">\n   <metrics>\n");
    for of_category in space.metrics.chunk_by(|one, other| one.metric.category == other.metric.category) {
        let Some(first) = of_category.first() else { continue };
        let _ = writeln!(out, "    <category name=\"{}\">", first.metric.category);
        // The kinds of a metric stand in one element.
        for of_name in of_category.chunk_by(|one, other| one.metric.name == other.metric.name) {
            let Some(first) = of_name.first() else { continue };
            let variant = first.settings.variant.map(|variant| format!(" variant=\"{variant}\""));
            let _ =
                writeln!(out, "     <metric name=\"{}\"{}>", first.metric.name, variant.unwrap_or_default());
            of_name.iter().for_each(|measured| add_metric(out, measured));
            out.push_str("     </metric>\n");
        }
        out.push_str("    </category>\n");
    }
    out.push_str("   </metrics>\n  </metric-space>\n </sample-space>\n");
}

fn add_metric(out: &mut String, measured: &Measured) {
    let kind = measured.metric.unit.xml_type();
    let threshold = cutoff(measured.metric, measured.settings).map(|cutoff| cutoff.value());
    let threshold = threshold.map_or_else(String::new, |value| format!(" threshold=\"{value}\""));
    match measured.metric.kind {
        one @ (Kind::Value | Kind::Continuous | Kind::Percentile) => {
            let attributes = format!("{threshold} type=\"{kind}\"");
            measured.values.iter().for_each(|value| add_value(out, one.name(), &attributes, value));
        }
        Kind::Bin => {
            out.push_str("      <bins>\n");
            for one in &measured.values {
                let key = match one.bin.map(|bin| (bin.low, bin.high)) {
                    Some((low, Some(high))) if low == high => format!(" key=\"{low}\""),
                    Some((low, Some(high))) => format!(" low_key=\"{low}\" high_key=\"{high}\""),
                    Some((low, None)) => format!(" low_key=\"{low}\""),
                    None => String::new(),
                };
                add_value(out, "bin", &format!(" key_type=\"int\"{key} type=\"{kind}\""), one);
            }
            out.push_str("      </bins>\n");
        }
    }
}

fn add_value(out: &mut String, element: &str, attributes: &str, value: &Value) {
    let exactness = value.exactness.name();
    let mut more = String::new();
    if !value.reasons.is_empty() {
        let _ = write!(more, " reasons=\"{}\"", escaped(&value.reasons.join("; ")));
    }
    let _ = write!(out, "      <{element}{attributes} exactness=\"{exactness}\"{more}");
    let _ = match value.found {
        // 0/0 has no text.
        None => writeln!(out, "/>"),
        Some([least, most]) if least == most => writeln!(out, ">{}</{element}>", exact(least)),
        Some([least, most]) => writeln!(out, " least=\"{}\" most=\"{}\"/>", exact(least), exact(most)),
    };
}

/// A text for an attribute, without characters that XML does not allow.
fn escaped(text: &str) -> String {
    let allowed = |c: &char| !matches!(c, '\u{fffe}' | '\u{ffff}') && !c.is_control();
    let mut out = String::new();
    for c in one_line(text).chars().filter(allowed) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
    out
}
