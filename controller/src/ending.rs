//! The end of a run for the operator: a line of counts, a table of claims, a few lines of advice. All other
//! details need `-v`.
//!
//! All functions here depend on the results only; [`crate::progress`] prints their lines.

mod advice;
mod row;
mod run;

pub use row::{Row, rows};
pub use run::Run;

use crate::claims;
use crate::names::fitted;
use run::PREFIX;
use spl_session::sequential::Sequential;
use std::io::{IsTerminal, stderr};

/// Spaces between two columns of the table.
const GAP: usize = 2;
/// Least number of characters to which a claim is cut.
const LEAST: usize = 20;
/// Width from which on the table has each verdict's basis.
const WIDE: usize = 100;
/// Variable that sets the width of lines without a terminal.
const WIDTH_VARIABLE: &str = "COLUMNS";

/// Columns of the terminal, or of the environment variable; `None` for any width.
pub fn width() -> Option<usize> {
    let asked = || std::env::var(WIDTH_VARIABLE).ok()?.parse::<usize>().ok();
    let terminal = || stderr().is_terminal().then(crossterm::terminal::size)?.ok();
    let width = terminal().map(|(columns, _)| usize::from(columns)).or_else(asked);
    width.filter(|width| *width > PREFIX)
}

/// The lines at the end of a run, at most `width` columns wide with their prefixes; advice is not cut in
/// pipes.
pub fn lines(run: Run<'_>, width: Option<usize>) -> Vec<String> {
    let Some(counts) = claims::counts(&claims::claims(run.setup, run.results)) else {
        return advice::lines(run, width);
    };
    let looks = run.sequential.map(Sequential::claims).unwrap_or_default();
    let rows = rows(run.setup, run.results, &looks);
    let mut lines = vec![counts];
    lines.extend(table(&rows, width));
    lines.extend(advice::lines(run, width));
    lines
}

/// The table: failing claims first, then undecided ones, then holding ones, each group in the file's order.
pub fn table(rows: &[Row], width: Option<usize>) -> Vec<String> {
    let is_wide = width.is_none_or(|width| width >= WIDE);
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by_key(|row| row.rank());
    let verdict = |row: &Row| if is_wide { row.verdict_with_basis() } else { row.verdict().to_owned() };
    let head = ["verdict", "figure", "interval", "calls"].map(str::to_owned);
    let cells = |row: &Row| [verdict(row), row.figure.clone(), row.interval.clone(), row.calls.clone()];
    let body: Vec<[String; 4]> = sorted.iter().map(|row| cells(row)).collect();
    let widest = |column: usize| {
        let cells = body.iter().chain([&head]).map(|cells| cells[column].chars().count());
        // An empty column takes no space.
        if body.iter().all(|cells| cells[column].is_empty()) { 0 } else { cells.max().unwrap_or(0) }
    };
    let widths = [0, 1, 2, 3].map(widest);
    let used = widths.iter().filter(|width| **width > 0).map(|width| width + GAP).sum::<usize>() + PREFIX;
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(used).max(LEAST));
    // Packages are shown with all claims or with none.
    let is_tight = rows.iter().any(|row| row.claim.chars().count() > room);
    let claim = |row: &Row| {
        let short = if is_tight { row.without_packages() } else { row.claim.clone() };
        let fits = short.chars().count() <= room;
        let text = if fits { None } else { row.title.as_deref() };
        fitted(text.unwrap_or(&short), room)
    };
    let line = |cells: &[String; 4], claim: &str| {
        let mut line = String::new();
        for (index, (cell, width)) in
            cells.iter().zip(widths).enumerate().filter(|(_, (_, width))| *width > 0)
        {
            // Figures and counts are aligned to the right, as numbers are.
            let text =
                if matches!(index, 1 | 3) { format!("{cell:>width$}") } else { format!("{cell:<width$}") };
            line.push_str(&text);
            line.push_str("  ");
        }
        (line + claim).trim_end().to_owned()
    };
    let mut lines = vec![line(&head, "claim")];
    lines.extend(body.iter().zip(&sorted).map(|(cells, row)| line(cells, &claim(row))));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use spl_verdict::{Basis, Standing};

    fn row(standing: Option<Standing>, basis: Option<Basis>, claim: &str) -> Row {
        let [figure, interval, calls] =
            if basis.is_some() { ["2.00", "[1.90, 2.10]", "1200/800"] } else { [""; 3] };
        let [figure, interval, calls] = [figure, interval, calls].map(str::to_owned);
        Row { standing, basis, figure, interval, calls, claim: claim.to_owned(), title: None }
    }

    #[test]
    fn titles_stay_as_they_are() {
        let mut one = row(None, None, "mean query/stmt x2: acme.Known#one <= acme.Known#two");
        one.title = Some("mean query/stmt x2".to_owned());
        let [_, line] = &table(&[one], Some(66))[..] else { panic!("a head and a line") };
        assert!(line.ends_with("mean query/stmt x2: Known#one <= Known#two"), "{line}");
    }

    #[test]
    fn what_fails_comes_first_and_lines_fit() {
        let rows = [
            row(Some(Standing::Holds), Some(Basis::Proved), "acme.Known#one <= acme.Known#two"),
            row(None, None, "acme.Known#never < acme.Known#one"),
            row(Some(Standing::Fails), Some(Basis::Refuted), "acme.Known#two <= acme.Known#one"),
        ];
        let narrow = table(&rows, Some(80));
        assert_eq!(
            narrow,
            [
                "verdict    figure  interval         calls  claim",
                "FAILS        2.00  [1.90, 2.10]  1200/800  Known#two <= Known#one",
                "undecided                                  Known#never < Known#one",
                "holds        2.00  [1.90, 2.10]  1200/800  Known#one <= Known#two",
            ]
        );
        assert!(narrow.iter().all(|line| line.chars().count() + PREFIX <= 80));
        let wide = table(&rows, Some(120));
        assert!(wide[1].starts_with("FAILS, refuted  "), "{wide:?}");
        assert!(wide[1].ends_with("acme.Known#two <= acme.Known#one"), "{wide:?}");
        let piped = table(&rows, None);
        assert_eq!(piped, wide, "nothing is cut where there is room");
    }
}
