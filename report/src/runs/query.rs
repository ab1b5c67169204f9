//! The page for queries: an editor, the saved queries, the tables, and the answer.

use super::facts::Site;
use super::frame::{QUERY, page, scrolling};
use super::served::EDITOR;
use crate::figure::{count, counted};
use maud::{Markup, PreEscaped, html};

/// A table or view that queries are about.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its columns.
    pub columns: Vec<String>,
}

/// A page for queries.
#[derive(Clone, Debug, Default)]
pub struct Asking {
    /// The text of the editor.
    pub sql: String,
    /// Values of the query's parameters, one a line.
    pub values: String,
    /// Saved queries: names and titles.
    pub saved: Vec<(String, String)>,
    /// The tables.
    pub tables: Vec<Table>,
    /// The result of the query.
    pub outcome: Outcome,
}

/// The result of a query.
#[derive(Clone, Debug, Default)]
pub enum Outcome {
    /// No query yet.
    #[default]
    Nothing,
    /// An answer.
    Answer {
        /// Names of the columns, and whether each has numbers.
        columns: Vec<(String, bool)>,
        /// The first rows.
        rows: Vec<Vec<String>>,
        /// The number of all rows.
        all: usize,
    },
    /// A mistake or a limit.
    Fault {
        /// The reason, with the remedy.
        why: String,
        /// Line and column of the query, counted from 1, if they are known.
        place: Option<[usize; 2]>,
    },
}

/// The page, with the result of its query.
#[must_use]
pub fn asked(site: &Site, asking: &Asking) -> String {
    let is_wrong = matches!(asking.outcome, Outcome::Fault { .. });
    let content = html! {
        (outcome(asking))
        div.asking {
            form.ask method="post" action=(QUERY) {
                label for="sql" { "Query" }
                // The parser takes the first line break of the element away.
                textarea #sql name="sql" rows="10" spellcheck="false" autocapitalize="off" autocomplete="off" maxlength="60000" required
                    autofocus[matches!(asking.outcome, Outcome::Nothing)] aria-invalid=[is_wrong.then_some("true")]
                    aria-describedby=[is_wrong.then_some("fault")] { "\n" (asking.sql) }
                label for="values" { "Values of ?1, ?2 and so on, one a line" }
                textarea #values name="values" rows="3" spellcheck="false" autocapitalize="off" autocomplete="off" { "\n" (asking.values) }
                p.buttons {
                    button type="submit" name="as" value="table" { "Run" } " "
                    button type="submit" name="as" value="csv" { "Download CSV" } " "
                    button type="submit" name="as" value="json" { "Download JSON" }
                }
                p.quiet { "Ctrl-Enter runs the query, which only reads. It ends after 5 s, and an answer has at most 10,000 rows." }
            }
            (schema(&asking.tables))
        }
        section {
            h2 { "Saved queries" }
            ul { @for (name, title) in &asking.saved {
                li { a href={ (QUERY) "?saved=" (name) } { (name) } @if !title.is_empty() { " · " (title) } }
            } }
        }
        script { (PreEscaped(EDITOR)) }
    };
    page(site, "Query", &content)
}

fn outcome(asking: &Asking) -> Markup {
    html! { @match &asking.outcome {
        Outcome::Nothing => {}
        Outcome::Answer { columns, rows, all } => section #answer {
            h2 { "Answer" }
            p.quiet role="status" { (counted(*all as u64, "row", "rows"))
                @if rows.len() < *all { ", of which the first " (count(rows.len() as u64)) " are here; CSV and JSON have all" } }
            (scrolling("Answer", &html! { table {
                thead { tr { @for (head, is_number) in columns { th class=[is_number.then_some("n")] scope="col" { (head) } } } }
                tbody { @for row in rows { tr {
                    @for (cell, (_, is_number)) in row.iter().zip(columns) { td class=[is_number.then_some("n")] { (cell) } }
                } } }
            } }))
        },
        Outcome::Fault { why, place } => section {
            h2 { "No answer" }
            p #fault.bad role="alert" { (why) }
            @if let Some(lines) = place.and_then(|place| pointed(&asking.sql, place)) { pre { code { (lines) } } }
        },
    } }
}

/// The line of a mistake, and a caret below its place.
fn pointed(sql: &str, [line, column]: [usize; 2]) -> Option<String> {
    /// Characters to each side of the place that are shown.
    const AROUND: usize = 60;
    let text = sql.split('\n').nth(line.checked_sub(1)?)?;
    let at = column.checked_sub(1)?;
    let from = at.saturating_sub(AROUND);
    let shown: String =
        text.chars().skip(from).take(2 * AROUND).map(|one| if one == '\t' { ' ' } else { one }).collect();
    Some(format!("{shown}\n{}^", " ".repeat(at - from)))
}

fn schema(tables: &[Table]) -> Markup {
    html! { section.schema {
        h2 { "Tables" }
        dl { @for table in tables { dt { code { (table.name) } } dd { (table.columns.join(", ")) } } }
    } }
}
