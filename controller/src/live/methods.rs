//! Rows of methods: how each stands and how many calls it has.

use super::row::{Row, WIDE};
use crate::colour::Tone;
use crate::names::without_packages;
use spl_model::one_line;
use spl_session::status::{MethodStatus, State};
use unicode_width::UnicodeWidthStr;

/// Rows of methods, measured ones first; if there are too many, the last row summarises the others.
pub fn rows(methods: &[MethodStatus], room: usize, columns: usize) -> Vec<Row> {
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
    let short = without_packages(before);
    if before.len() == name.len() { short } else { format!("{short}(…)") }
}
