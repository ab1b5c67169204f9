//! What a measurement leaves when it is over: the page, the reports that were asked for, and the table.

use crate::cli::Reports;
use crate::document::document;
use crate::junit;
use crate::progress::Progress;
use crate::report;
use spl_session::files::write_whole;
use spl_session::session::Session;
use spl_session::setup::Setup;
use std::path::Path;

/// Writes the page of a measurement and the reports that were asked for, when there is nothing more to come.
pub fn write(session: &mut Session<'_>, setup: &Setup, reports: &Reports, progress: &Progress) {
    // First: what goes wrong with it belongs into the others.
    if session.ever_connected() {
        write_page(session, setup, progress);
    }
    if let Some(path) = &reports.json {
        let document = document(setup, session.results(), session.scheduler(), session.sequential(), &[]);
        let written = document.and_then(|text| {
            write_whole(path, text.as_bytes())
                .map_err(|error| format!("cannot write {}: {error}", path.display()))
        });
        session.check(written);
    }
    if let Some(path) = &reports.junit {
        let mut problems = session.problems().to_vec();
        problems.extend((!session.ever_connected()).then(|| "no agent connected".to_owned()));
        let written = junit::write(path, setup, session.results(), &problems);
        session.check(written);
    }
}

/// Writes the page for people, and before it what the page needs beside the other files.
fn write_page(session: &mut Session<'_>, setup: &Setup, progress: &Progress) {
    session.write_context();
    let folder = setup.config.result_file.parent().unwrap_or(Path::new(""));
    match report::make(folder, None) {
        Ok(path) => progress.note(&format!("report: {}", path.display())),
        Err(why) => session.problem(format!("there is no report: {why}")),
    }
}

/// Says what was lost and what was found, as a table.
pub fn say(session: &Session<'_>, setup: &Setup, progress: &Progress) {
    progress.lost(session.lost());
    progress.table(setup, session.results(), session.scheduler(), session.sequential());
}
