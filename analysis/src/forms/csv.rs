//! Values as one table (RFC 4180).

use super::figure::exact;
use crate::choice::cutoff;
use crate::evaluate::Values;
use spl_graph::forms::field;
use std::fmt::Write;

/// Column heads.
const HEAD: &str = "space,id,category,name,kind,variant,threshold,key_low,key_high,unit,value,least,most,exactness,reasons\n";

/// A line for each value. A value that is not known exactly has bounds only, and one that does not exist has none.
#[must_use]
pub fn csv(values: &Values) -> String {
    let mut out = HEAD.to_owned();
    for space in &values.spaces {
        for measured in &space.metrics {
            let metric = measured.metric;
            let threshold = cutoff(metric, measured.settings).map(|cutoff| cutoff.value().to_string());
            for value in &measured.values {
                let number =
                    |number: Option<u64>| number.map_or_else(String::new, |number| number.to_string());
                let (low, high) =
                    (number(value.bin.map(|bin| bin.low)), number(value.bin.and_then(|bin| bin.high)));
                let bound = |place: usize| value.found.map_or_else(String::new, |found| exact(found[place]));
                let is_one = value.found.is_some_and(|[least, most]| least == most);
                // A `String` takes everything.
                let _ = writeln!(
                    out,
                    "{},{},{},{},{},{},{},{low},{high},{},{},{},{},{},{}",
                    field(&space.name),
                    metric.id,
                    metric.category,
                    metric.name,
                    metric.kind.name(),
                    measured.settings.variant.unwrap_or_default(),
                    threshold.clone().unwrap_or_default(),
                    field(metric.unit.name()),
                    if is_one { bound(0) } else { String::new() },
                    bound(0),
                    bound(1),
                    value.exactness.name(),
                    field(&value.reasons.join("; ")),
                );
            }
        }
    }
    out
}
