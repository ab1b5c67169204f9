//! A measurement as rows of text: a function of its state and the terminal's size.

use crate::claims::Claim;
use crate::colour::Tone;
use spl_model::one_line;
use spl_session::status::{MethodStatus, Phase, State, Status};
use spl_verdict::Standing;
use std::time::Duration;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Most rows that the view takes.
const MOST_ROWS: usize = 14;
/// The view takes at most one in this number of a terminal's lines; the others are the program's.
const SHARE: usize = 2;
/// Columns and lines below which a terminal shows no view.
const SMALLEST: (u16, u16) = (24, 6);
/// Number of columns from which on rows have all figures of a method.
const WIDE: usize = 70;
/// Rows above those of the methods.
const HEAD: usize = 2;

/// A row: texts in their tones.
pub type Row = Vec<(Tone, String)>;

/// Rows for a terminal of this number of columns and lines: few rows, none longer than a line.
pub fn rows(status: &Status, claims: &[Claim], columns: u16, lines: u16) -> Vec<Row> {
    if columns < SMALLEST.0 || lines < SMALLEST.1 {
        return Vec::new();
    }
    let most = (usize::from(lines) / SHARE).min(MOST_ROWS);
    let mut rows = vec![progress(status), figures(status, claims)];
    rows.extend(methods(&status.methods, most - HEAD, columns.into()));
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
    row.push((Tone::Plain, format!("{samples} samples, ")));
    row.push((if status.lost > 0 { Tone::Open } else { Tone::Plain }, format!("{} lost", status.lost)));
    if let Some(overhead) = status.overhead {
        let tone = if overhead.estimated > overhead.budget { Tone::Bad } else { Tone::Plain };
        let (estimated, budget) = (overhead.estimated * 100.0, overhead.budget * 100.0);
        row.push((Tone::Plain, " · overhead ".to_owned()));
        row.push((tone, format!("{estimated:.2}% of {budget}%")));
    }
    if let Some(difference_ns) = status.situation.difference_ns {
        let (least, most) = status.difference_limits_ns;
        let text = format!(
            " · a sample every {} ({} to {} wanted)",
            short(difference_ns),
            short(least),
            short(most)
        );
        row.push((Tone::Plain, text));
    }
    row
}

/// Rows of methods, measured ones first; if there are too many, the last row summarises the others.
fn methods(methods: &[MethodStatus], room: usize, columns: usize) -> Vec<Row> {
    let mut ordered = methods.iter().collect::<Vec<_>>();
    ordered.sort_by_key(|method| importance(method.state));
    let shown = if ordered.len() <= room { ordered.len() } else { room.saturating_sub(1) };
    let rest = ordered.split_off(shown);
    let mut rows = ordered.into_iter().map(|one| method(one, columns)).collect::<Vec<_>>();
    if !rest.is_empty() && room > 0 {
        let count = |state: State| (state, rest.iter().filter(|method| method.state == state).count());
        let counts = State::ALL.map(count).into_iter().filter(|(_, count)| *count > 0);
        let words = counts.map(|(state, count)| format!("{count} {}", state.word())).collect::<Vec<_>>();
        rows.push(vec![(Tone::Faint, format!("  and {} more: {}", rest.len(), words.join(", ")))]);
    }
    rows
}

fn importance(state: State) -> usize {
    match state {
        State::Armed | State::Resting => 0,
        State::Warming => 1,
        State::Suspended => 2,
        State::Listening => 3,
        State::NotLoaded => 4,
        State::Waiting => 5,
        State::Finished => 6,
    }
}

fn method(method: &MethodStatus, columns: usize) -> Row {
    let tone = match method.state {
        State::Armed | State::Resting => Tone::Good,
        State::Warming | State::Suspended | State::NotLoaded => Tone::Open,
        State::Listening | State::Waiting | State::Finished => Tone::Faint,
    };
    let mut figures = format!("{:>5}/{:<5}", method.samples, method.most);
    if columns >= WIDE {
        let every = if method.every > 1 { format!("1 in {}", method.every) } else { String::new() };
        figures.push_str(&format!(" {:>2}/{:<2} buckets {every:<9}", method.full_buckets, method.buckets));
    }
    let row = vec![(tone, format!("  {:<10}", method.state.word())), (Tone::Plain, format!("{figures} "))];
    let taken: usize = row.iter().map(|(_, text)| text.width()).sum();
    let name = fitting(&one_line(&method.name), columns.saturating_sub(taken));
    row.into_iter().chain([(Tone::Plain, name)]).collect()
}

/// A method's name without package and parameters where they would not fit.
fn fitting(name: &str, columns: usize) -> String {
    if name.width() <= columns {
        return name.to_owned();
    }
    let (before, _) = name.split_once('(').unwrap_or((name, ""));
    let short = before.rsplit('/').next().unwrap_or(before);
    format!("{short}(…)")
}

/// The row cut to at most this number of columns.
fn cut(row: Row, columns: usize) -> Row {
    let wide: usize = row.iter().map(|(_, text)| text.width()).sum();
    if wide <= columns {
        return row;
    }
    let mut left = columns - 1;
    let mut short: Row = Vec::new();
    for (tone, text) in row {
        let fits = |c: &char| {
            let width = c.width().unwrap_or(0);
            let fits = width <= left;
            left = if fits { left - width } else { 0 };
            fits
        };
        short.push((tone, text.chars().take_while(fits).collect()));
    }
    short.push((Tone::Plain, "…".to_owned()));
    short
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

/// Nanoseconds in a suitable unit.
fn short(ns: u64) -> String {
    let ns = ns as f64;
    let (value, unit) = match ns {
        1e9.. => (ns / 1e9, "s"),
        1e6.. => (ns / 1e6, "ms"),
        1e3.. => (ns / 1e3, "µs"),
        _ => (ns, "ns"),
    };
    format!("{} {unit}", (value * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moment::{claims, status};

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
        verdicts: 1 hold, 1 FAIL, 1 open · 1163 samples, 7 lost · overhead 0.42% of 1% · a sample every 2.5 ms (1 ms …
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
        verdicts: 1 hold, 1 FAIL, 1 open · 1163…
          armed       120/1000  p/A.a()V
          armed         3/1000  B.b4(…)
          and 5 more: 1 waiting, 1 not loaded, …
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
        assert!(rows[2].contains("p/A.a()V"), "{rows:?}");
        assert_eq!(rows[13], "  and 4989 more: 4989 waiting");
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
        let shorts = [0, 999, 1000, 2_549_000, 100_000_000, 1_500_000_000].map(short);
        assert_eq!(shorts, ["0 ns", "999 ns", "1 µs", "2.5 ms", "100 ms", "1.5 s"]);
    }
}
