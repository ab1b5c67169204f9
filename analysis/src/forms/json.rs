//! Values as one JSON document (`docs/schema/metrics-1.json`).

use super::figure::{Number, number};
use crate::bins::Bin;
use crate::choice::cutoff;
use crate::evaluate::{Measured, Value, Values};
use crate::metric::{Metric, Need};
use serde::Serialize;

/// Name and version of the form.
pub const SCHEMA: &str = "spl.metrics/1";

#[derive(Serialize)]
struct Document<'v> {
    schema: &'static str,
    command: &'v str,
    spaces: Vec<Space<'v>>,
    lacking: Vec<Lacking>,
}

#[derive(Serialize)]
struct Space<'v> {
    name: &'v str,
    values: Vec<Row<'v>>,
}

#[derive(Serialize)]
struct Row<'v> {
    id: &'static str,
    category: &'static str,
    name: &'static str,
    kind: &'static str,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<Key>,
    value: Option<Number>,
    least: Option<Number>,
    most: Option<Number>,
    exactness: &'static str,
    reasons: &'v [String],
}

#[derive(Serialize)]
struct Key {
    low: u64,
    high: Option<u64>,
}

#[derive(Serialize)]
struct Lacking {
    metric: String,
    needs: Vec<&'static str>,
}

/// The document. A value that is not known exactly has bounds only.
#[must_use]
pub fn json(values: &Values) -> impl Serialize + '_ {
    let lacking = |(metric, needs): &(&Metric, Vec<Need>)| Lacking {
        metric: metric.full_name(),
        needs: needs.iter().map(|need| need.text()).collect(),
    };
    Document {
        schema: SCHEMA,
        command: &values.command,
        spaces: values
            .spaces
            .iter()
            .map(|space| Space {
                name: &space.name,
                values: space
                    .metrics
                    .iter()
                    .flat_map(|one| one.values.iter().map(move |value| row(one, value)))
                    .collect(),
            })
            .collect(),
        lacking: values.lacking.iter().map(lacking).collect(),
    }
}

fn row<'v>(measured: &Measured, value: &'v Value) -> Row<'v> {
    let Measured { metric, settings, .. } = measured;
    let bound = |place: usize| value.found.map(|found| number(found[place]));
    let is_one = value.found.is_some_and(|[least, most]| least == most);
    Row {
        id: metric.id,
        category: metric.category,
        name: metric.name,
        kind: metric.kind.name(),
        unit: metric.unit.name(),
        variant: settings.variant,
        threshold: cutoff(metric, *settings).map(|cutoff| cutoff.value()),
        key: value.bin.map(|Bin { low, high }| Key { low, high }),
        value: bound(0).filter(|_| is_one),
        least: bound(0),
        most: bound(1),
        exactness: value.exactness.name(),
        reasons: &value.reasons,
    }
}
