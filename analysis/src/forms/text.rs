//! Values as text: a line for each.

use super::figure::rounded;
use crate::evaluate::{Exactness, InSpace, Measured, Value, Values};
use std::fmt::Write;

/// The values of each space. The reasons why some are not exact stand below them: numbered, or for all of them.
#[must_use]
pub fn text(values: &Values) -> String {
    let mut out = String::new();
    for space in &values.spaces {
        // A `String` takes everything.
        let _ = writeln!(out, "{}:", space.name);
        let notes = Notes::of(space);
        for measured in &space.metrics {
            for value in &measured.values {
                let _ = writeln!(out, "  {}: {}", name(measured, value), shown(measured, value, &notes));
            }
        }
        for note in &notes.of_all {
            let _ = writeln!(out, "  [all] {note}");
        }
        for (number, note) in (1..).zip(&notes.numbered) {
            let _ = writeln!(out, "  [{number}] {note}");
        }
    }
    out
}

/// The reasons of a space, each once.
struct Notes<'v> {
    /// Reasons of every value.
    of_all: Vec<&'v str>,
    /// Reasons of some values.
    numbered: Vec<&'v str>,
}

impl<'v> Notes<'v> {
    fn of(space: &'v InSpace) -> Self {
        let values = || space.metrics.iter().flat_map(|measured| &measured.values);
        let mut all: Vec<&str> = Vec::new();
        for reason in values().flat_map(|value| &value.reasons) {
            if !all.contains(&&**reason) {
                all.push(reason);
            }
        }
        let has_every = |reason: &&str| values().all(|value| value.reasons.iter().any(|one| one == reason));
        let (of_all, numbered) = all.into_iter().partition(has_every);
        Self { of_all, numbered }
    }

    /// The numbers of a value's reasons.
    fn of_value(&self, value: &Value) -> String {
        let numbers =
            value.reasons.iter().filter_map(|reason| self.numbered.iter().position(|one| one == reason));
        numbers.map(|number| format!(" [{}]", number + 1)).collect()
    }
}

/// `category.name.kind[key]`, with the variant that was chosen.
fn name(measured: &Measured, value: &Value) -> String {
    let mut name = measured.metric.full_name();
    if let Some(variant) = measured.settings.variant {
        let _ = write!(name, "({variant})");
    }
    if let Some(cutoff) = crate::choice::cutoff(measured.metric, measured.settings) {
        let _ = write!(name, "[{}]", cutoff.value());
    }
    if let Some(bin) = value.bin {
        let _ = write!(name, "[{}]", bin.text());
    }
    name
}

fn shown(measured: &Measured, value: &Value, notes: &Notes<'_>) -> String {
    let unit = measured.metric.unit;
    let is_rough = matches!(value.exactness, Exactness::Partial | Exactness::Sampled);
    let mark = if is_rough && value.found.is_some() { "~" } else { "" };
    let figure = match value.found {
        None => "N/A".to_owned(),
        Some([least, most]) if least == most => rounded(least, unit),
        Some([least, most]) => match (rounded(least, unit), rounded(most, unit)) {
            // The digits that are shown are certain.
            (least, most) if least == most => least,
            (least, most) => format!("{least} to {most}"),
        },
    };
    format!("{mark}{figure}{}", notes.of_value(value))
}
