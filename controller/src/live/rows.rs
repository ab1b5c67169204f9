//! A measurement as rows of text: a function of its state and the terminal's size.

use super::row::{Row, cut};
use super::{claims, methods};
use crate::colour::Tone;
use crate::ending::Row as Claim;
use spl_report::figure::{self, percent, plain};
use spl_session::status::{Phase, Status};
use spl_verdict::Standing;
use std::time::Duration;

/// Most rows that the view takes.
const MOST_ROWS: usize = 20;
/// The view takes at most one in this number of a terminal's lines; the others are the program's.
const SHARE: usize = 2;
/// Columns and lines below which a terminal shows no view.
const SMALLEST: (u16, u16) = (24, 6);
/// Rows above those of claims and methods.
const HEAD: usize = 2;
/// Rows of methods that are worth showing below all claims: one method, and how many others there are.
const FEWEST: usize = 2;
/// Rows for a terminal of this number of columns and lines: few rows, none longer than a line.
pub fn rows(status: &Status, claims: &[Claim], columns: u16, lines: u16) -> Vec<Row> {
    if columns < SMALLEST.0 || lines < SMALLEST.1 {
        return Vec::new();
    }
    let most = (usize::from(lines) / SHARE).min(MOST_ROWS);
    let mut rows = vec![progress(status), figures(status, claims)];
    let of_claims = claims::rows(claims, most - HEAD, columns.into());
    let left = most - HEAD - of_claims.len();
    rows.extend(of_claims);
    // Claims come first; methods take the room that is left.
    if claims.is_empty() || left >= FEWEST {
        rows.extend(methods::rows(&status.methods, left, columns.into()));
    }
    rows.into_iter().map(|row| cut(row, columns.into())).collect()
}

fn progress(status: &Status) -> Row {
    let phase = match status.phase {
        Phase::Waiting => "waiting for the program",
        Phase::Starting => "the program warms up",
        Phase::Measuring => "measuring",
        Phase::Ending => "restoring classes",
    };
    let situation = &status.situation;
    let mut row = vec![
        (Tone::Strong, format!("spl {phase}")),
        (Tone::Plain, format!(", {}", span(status.elapsed))),
        (
            Tone::Plain,
            format!(
                " · {} measured at once (best {}), {} unfinished",
                situation.measured, situation.optimal, situation.unfinished
            ),
        ),
    ];
    row.extend(status.to_go.map(|to_go| (Tone::Plain, format!(" · at most {} to go", span(to_go)))));
    row
}

fn figures(status: &Status, claims: &[Claim]) -> Row {
    let count = |standing| claims.iter().filter(|claim| claim.standing == standing).count();
    let words = [
        (Tone::Good, count(Some(Standing::Holds)), "hold"),
        (Tone::Bad, count(Some(Standing::Fails)) + count(Some(Standing::Error)), "FAIL"),
        (Tone::Open, count(Some(Standing::Undecided)), "undecided"),
        (Tone::Plain, count(None), "open"),
    ];
    let mut row: Row = Vec::new();
    for (tone, count, word) in words.into_iter().filter(|(_, count, _)| *count > 0) {
        row.push((Tone::Plain, if row.is_empty() { "verdicts: " } else { ", " }.to_owned()));
        row.push((tone, format!("{count} {word}")));
    }
    let separator = |row: &Row| (Tone::Plain, if row.is_empty() { "" } else { " · " }.to_owned());
    row.push(separator(&row));
    let samples: u64 = status.methods.iter().map(|method| method.samples).sum();
    row.push((Tone::Plain, plain(&format!("{} samples, ", figure::count(samples)))));
    let tone = if status.lost > 0 { Tone::Open } else { Tone::Plain };
    row.push((tone, plain(&format!("{} lost", figure::count(status.lost)))));
    if let Some(overhead) = status.overhead {
        let tone = if overhead.estimated > overhead.budget { Tone::Bad } else { Tone::Plain };
        row.push((Tone::Plain, " · overhead ".to_owned()));
        row.push((tone, format!("{} of {}", percent(overhead.estimated), percent(overhead.budget))));
    }
    if let Some(difference_ns) = status.situation.difference_ns {
        let (least, most) = status.difference_limits_ns;
        let [mean, least, most] = [difference_ns, least, most].map(|ns| plain(&figure::tick(ns as f64)));
        let text = format!(" · a sample every {mean} ({least} to {most} wanted)");
        row.push((Tone::Plain, text));
    }
    row
}

/// A time of seconds to days: 83 s are 1m23s.
fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0, seconds) => format!("{seconds}s"),
        (0, 0, minutes, seconds) => format!("{minutes}m{seconds:02}s"),
        (0, hours, minutes, _) => format!("{hours}h{minutes:02}m"),
        (days, hours, ..) => format!("{days}d{hours:02}h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moment::{claim_rows as claims, status};
    use spl_session::status::{MethodStatus, State};
    use unicode_width::UnicodeWidthStr;

    fn text(rows: &[Row]) -> Vec<String> {
        rows.iter().map(|row| row.iter().map(|(_, text)| text.as_str()).collect()).collect()
    }

    fn shown(status: &Status, columns: u16, lines: u16) -> String {
        text(&rows(status, &claims(), columns, lines)).join("\n")
    }

    #[test]
    fn a_measurement_in_the_middle() {
        insta::assert_snapshot!(shown(&status(), 110, 40), @r"
        spl measuring, 1m23s · 3 measured at once (best 4), 6 unfinished · at most 3m20s to go
        verdicts: 1 hold, 1 FAIL, 2 open · 1 163 samples, 7 lost · overhead 0.42% of 1% · a sample every 2.5 ms (1 ms…
          FAILS       2.10 [1.90, 2.31]   acme.app.A#a <= 1.5 * acme.app.B#b2
          open        1.02 [0.610, 1.71]  acme.app.A#a = acme.app.B#b3 within 5%
          open                            quick: p99(acme.app.A#a) <= 5 ms
          holds      0.500 [0.400, 0.600] acme.app.A#a <= acme.app.B#b1
          armed       120/1000   1/3  buckets 1 in 8    p/A.a()V
          armed         3/1000   0/3  buckets 1 in 8    p/B.b4(Ljava/lang/String;I)Ljava/util/List;
          warming       0/1000   0/3  buckets           p/B.b2()V
          suspended    40/1000   0/3  buckets           p/B.b3()V
          not loaded    0/1000   0/3  buckets           p/B.b5()V
          waiting       0/1000   0/3  buckets           p/B.b6()V
          finished   1000/1000   2/3  buckets           p/B.b1()V
        ");
    }

    #[test]
    fn a_narrow_terminal_with_few_lines() {
        insta::assert_snapshot!(shown(&status(), 40, 10), @r"
        spl measuring, 1m23s · 3 measured at on…
        verdicts: 1 hold, 1 FAIL, 2 open · 1 16…
          FAILS       2.10 A#a <= 1.5 * B#b2
          open        1.02 A#a = B#b3 within 5%
          and 2 more claims: 1 open, 1 holds
        ");
    }

    #[test]
    fn before_there_is_a_program() {
        let mut status = status();
        status.phase = Phase::Waiting;
        status.methods.truncate(1);
        status.methods[0] = MethodStatus { state: State::Waiting, samples: 0, ..status.methods[0].clone() };
        (status.overhead, status.to_go, status.lost) = (None, None, 0);
        status.situation.difference_ns = None;
        insta::assert_snapshot!(text(&rows(&status, &[], 80, 24)).join("\n"), @r"
        spl waiting for the program, 1m23s · 3 measured at once (best 4), 6 unfinished
        0 samples, 0 lost
          waiting       0/1000   1/3  buckets 1 in 8    p/A.a()V
        ");
    }

    #[test]
    fn thousands_of_methods_take_no_more_rows() {
        let mut status = status();
        let (waiting, armed) = (status.methods[6].clone(), status.methods[0].clone());
        status.methods = vec![waiting; 5000];
        status.methods[4321] = armed;
        let rows = text(&rows(&status, &claims(), 80, 100));
        assert_eq!(rows.len(), MOST_ROWS);
        assert!(rows[HEAD + claims().len()].contains("p/A.a()V"), "{rows:?}");
        assert_eq!(rows[MOST_ROWS - 1], "  and 4987 more: 4987 waiting");
    }

    #[test]
    fn claims_come_first_and_narrow_as_they_are_looked_at() {
        let mut status = status();
        let many: Vec<Claim> = (0..8).flat_map(|_| claims()).collect();
        insta::assert_snapshot!(text(&rows(&status, &many, 80, 24)).join("\n"), @r"
        spl measuring, 1m23s · 3 measured at once (best 4), 6 unfinished · at most 3m20…
        verdicts: 8 hold, 8 FAIL, 16 open · 1 163 samples, 7 lost · overhead 0.42% of 1…
          FAILS       2.10 [1.90, 2.31]  acme.app.A#a <= 1.5 * acme.app.B#b2
          FAILS       2.10 [1.90, 2.31]  acme.app.A#a <= 1.5 * acme.app.B#b2
          FAILS       2.10 [1.90, 2.31]  acme.app.A#a <= 1.5 * acme.app.B#b2
          FAILS       2.10 [1.90, 2.31]  acme.app.A#a <= 1.5 * acme.app.B#b2
          FAILS       2.10 [1.90, 2.31]  acme.app.A#a <= 1.5 * acme.app.B#b2
          FAILS       2.10 [1.90, 2.31]  acme.app.A#a <= 1.5 * acme.app.B#b2
          FAILS       2.10 [1.90, 2.31]  acme.app.A#a <= 1.5 * acme.app.B#b2
          FAILS       2.10 [1.90, 2.31]  acme.app.A#a <= 1.5 * acme.app.B#b2
          open        1.02 [0.610, 1.71] acme.app.A#a = acme.app.B#b3 within 5%
          and 23 more claims: 15 open, 8 holds
        ");
        // The row of a claim whose interval has narrowed stands where it stood, and the claim's words do not move.
        let mut later = claims();
        later[2].interval = "[0.91, 1.14]".to_owned();
        let (before, after) = (text(&rows(&status, &claims(), 80, 24)), text(&rows(&status, &later, 80, 24)));
        assert!(before[3].starts_with("  open        1.02 [0.610, 1.71] "), "{before:?}");
        assert!(after[3].starts_with("  open        1.02 [0.91, 1.14] "), "{after:?}");
        let differ = before.iter().zip(&after).filter(|(one, other)| one != other).count();
        assert_eq!(differ, 1, "{before:?} {after:?}");
        // Where only one row is left no method is shown, and without claims all rows are theirs.
        status.methods.truncate(3);
        let few = text(&rows(&status, &claims(), 80, 14));
        assert!(few.len() == 6 && few[5].contains("holds"), "{few:?}");
        let none = text(&rows(&status, &[], 80, 14));
        assert!(none.len() == 5 && none[2].contains("p/A.a()V"), "{none:?}");
    }

    #[test]
    fn no_size_is_too_small_and_no_row_too_long() {
        let mut status = status();
        status.methods[0].name = "長い名前/メソッド.\u{1b}[2J実行()V".repeat(9);
        for (columns, lines) in (0..=130).flat_map(|columns| (0..=40).map(move |lines| (columns, lines))) {
            let rows = text(&rows(&status, &claims(), columns, lines));
            assert!(rows.len() * 2 <= lines.into(), "{columns}x{lines}");
            for row in &rows {
                assert!(row.width() <= columns.into() && !row.contains('\u{1b}'), "{columns}x{lines}: {row}");
            }
        }
        assert!(rows(&status, &[], 23, 40).is_empty() && rows(&status, &[], 80, 5).is_empty());
    }

    #[test]
    fn times_have_the_unit_that_suits_them() {
        let spans = [0, 59, 60, 3599, 3600, 86_399, 90_000].map(|s| span(Duration::from_secs(s)));
        assert_eq!(spans, ["0s", "59s", "1m00s", "59m59s", "1h00m", "23h59m", "1d01h"]);
    }
}
