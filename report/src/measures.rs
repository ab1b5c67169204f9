//! Metrics that differ between the sides of a failed comparison, as a small table.

use crate::figure::{count, digits, quotient};
use spl_records::{Why, WhyCertainty, WhyCounted, WhyMeasure};

/// Heads of the columns.
pub const HEADS: [&str; 5] = ["in a call, on average", "slow", "other", "ratio", ""];
/// Smallest difference in a call that is shown as a ratio: of less than this there is next to nothing.
const LEAST: f64 = 0.001;

/// The cells of the table, a row for each metric; no row where nothing differs.
#[must_use]
pub fn rows(found: &Why) -> Vec<[String; 5]> {
    found.measures.iter().map(row).collect()
}

/// The table as lines of text, the heads first; no line where nothing differs.
#[must_use]
pub fn measures(found: &Why) -> Vec<String> {
    let rows = rows(found);
    if rows.is_empty() {
        return Vec::new();
    }
    let all: Vec<[String; 5]> = [HEADS.map(str::to_owned)].into_iter().chain(rows).collect();
    let width = |column: usize| all.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    let line = |[name, slow, other, ratio, certainty]: &[String; 5]| {
        let [of_name, of_slow, of_other, of_ratio] = [widths[0], widths[1], widths[2], widths[3]];
        let line =
            format!("{name:of_name$}  {slow:>of_slow$}  {other:>of_other$}  {ratio:>of_ratio$}  {certainty}");
        line.trim_end().to_owned()
    };
    all.iter().map(line).collect()
}

fn row(one: &WhyMeasure) -> [String; 5] {
    let name = match one.of {
        WhyCounted::Calls => "calls of counted methods",
        WhyCounted::Bytecodes => "bytecodes",
        WhyCounted::Made => "objects made",
        WhyCounted::Polymorphic => "calls at places that reach several methods",
        WhyCounted::Caught => "exceptions caught",
        WhyCounted::Locked => "monitors entered",
    };
    let certainty = match one.certainty {
        WhyCertainty::Counted => "",
        WhyCertainty::AtLeast => "at least",
        WhyCertainty::Average => "average of all callers",
    };
    let [slow, other] = one.counts;
    let ratio = if other < LEAST { String::new() } else { quotient(slow / other) };
    [name.to_owned(), figure(slow), figure(other), ratio, certainty.to_owned()]
}

/// A number of events, whole from 1000 on.
fn figure(value: f64) -> String {
    if value >= 1000.0 { count(value.round() as u64) } else { digits(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_line_for_each_metric() {
        let measure = |of, counts, certainty| WhyMeasure { of, counts, certainty };
        let found = Why {
            measures: vec![
                measure(WhyCounted::Bytecodes, [31_000.0, 1000.0], WhyCertainty::Counted),
                measure(WhyCounted::Made, [2.5, 0.0], WhyCertainty::AtLeast),
            ],
            ..Why::default()
        };
        let lines: Vec<String> =
            measures(&found).into_iter().map(|line| line.replace('\u{202f}', ",")).collect();
        assert_eq!(
            lines,
            [
                "in a call, on average    slow  other  ratio",
                "bytecodes              31,000  1,000   31.0",
                "objects made              2.5      0         at least",
            ]
        );
        assert!(measures(&Why::default()).is_empty());
    }
}
