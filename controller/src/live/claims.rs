//! Rows of claims: each with its figure and its interval, which narrows while calls come.

use super::row::{Row, WIDE};
use crate::colour::Tone;
use crate::ending::Row as Claim;
use crate::names::fitted;
use spl_model::one_line;
use spl_report::figure::{self, plain};
use spl_verdict::Standing;
use unicode_width::UnicodeWidthStr;

/// Columns of a claim's word, `undecided`, and of its figure.
const WORD: usize = 9;
const FIGURE: usize = 6;
/// Fewest columns for the name of a claim next to its interval.
const NAME: usize = 16;

/// Rows of claims: failing ones, then open ones with their intervals, then the others. If there are too many, the last
/// row counts the rest.
pub fn rows(claims: &[Claim], room: usize, columns: usize) -> Vec<Row> {
    let mut ordered = claims.iter().collect::<Vec<_>>();
    ordered.sort_by_key(|claim| urgency(claim));
    let shown = if ordered.len() <= room { ordered.len() } else { room.saturating_sub(1) };
    let rest = ordered.split_off(shown);
    // All intervals stand below each other.
    let wide = ordered.iter().map(|claim| claim.interval.width()).max().unwrap_or(0);
    let mut rows = ordered.into_iter().map(|one| claim(one, wide, columns)).collect::<Vec<_>>();
    if !rest.is_empty() && room > 0 {
        let words = ["FAILS", "open", "undecided", "holds"].map(|word| {
            let count = rest.iter().filter(|claim| state(claim).1 == word).count();
            (count > 0).then(|| format!("{count} {word}"))
        });
        let words = words.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let counted = figure::counted(rest.len() as u64, "more claim", "more claims");
        rows.push(vec![(Tone::Faint, plain(&format!("  and {counted}: {words}")))]);
    }
    rows
}

fn urgency(claim: &Claim) -> usize {
    match claim.standing {
        Some(Standing::Fails | Standing::Error) => 0,
        None if !claim.figure.is_empty() => 1,
        None => 2,
        Some(Standing::Undecided) => 3,
        Some(Standing::Holds) => 4,
    }
}

fn state(claim: &Claim) -> (Tone, &'static str) {
    match claim.standing {
        Some(Standing::Fails | Standing::Error) => (Tone::Bad, "FAILS"),
        Some(Standing::Holds) => (Tone::Good, "holds"),
        Some(Standing::Undecided) => (Tone::Open, "undecided"),
        None => (Tone::Open, "open"),
    }
}

/// A claim with its figure and interval, as in the table at the end of a run.
fn claim(claim: &Claim, interval: usize, columns: usize) -> Row {
    let (tone, word) = state(claim);
    let figures = format!(" {:>FIGURE$} {:<interval$} ", claim.figure, claim.interval);
    let taken = 2 + WORD + figures.width();
    // Where there is little room the interval goes before the claim's name.
    let figures = if columns >= taken + NAME || columns >= WIDE {
        figures
    } else {
        format!(" {:>FIGURE$} ", claim.figure)
    };
    let row = vec![(tone, format!("  {word:<WORD$}")), (Tone::Plain, figures)];
    let taken: usize = row.iter().map(|(_, text)| text.width()).sum();
    let name = named(claim, columns.saturating_sub(taken));
    row.into_iter().chain([(Tone::Plain, name)]).collect()
}

/// The claim in the operator's words; without packages, or by its title, where they would not fit.
fn named(claim: &Claim, columns: usize) -> String {
    let text = one_line(&claim.claim);
    if text.width() <= columns {
        return text;
    }
    let short = one_line(&claim.without_packages());
    match &claim.title {
        Some(title) if short.width() > columns => fitted(&one_line(title), columns),
        _ => fitted(&short, columns),
    }
}
