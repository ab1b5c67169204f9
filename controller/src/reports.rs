//! Files at the end of a measurement: the page, and the requested reports.

use crate::cli::Reports;
use crate::document::document;
use crate::ending;
use crate::junit;
use crate::progress::Progress;
use crate::report;
use spl_session::files::write_whole;
use spl_session::session::Session;
use spl_session::setup::Setup;
use std::path::{Path, PathBuf};

/// Writes the page of a measurement and the requested reports, once no more results can come; gives the path
/// of the page.
pub fn write(session: &mut Session<'_>, setup: &Setup, reports: &Reports) -> Option<PathBuf> {
    // The page comes first: its problems belong in the other reports.
    let page = if session.ever_connected() { write_page(session, setup) } else { None };
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
    page
}

/// Writes the page for people, and before it the data that no other file has.
pub fn write_page(session: &mut Session<'_>, setup: &Setup) -> Option<PathBuf> {
    session.write_context();
    let folder = setup.config.result_file.parent().unwrap_or(Path::new(""));
    report::make(folder, None).map_err(|why| session.problem(format!("there is no report: {why}"))).ok()
}

/// Prints the results and the path of the report.
pub fn say(session: &Session<'_>, setup: &Setup, page: Option<&Path>, progress: &Progress) {
    progress.ending(ending::Run {
        setup,
        results: session.results(),
        scheduler: session.scheduler(),
        sequential: session.sequential(),
        lost: session.lost(),
    });
    if let Some(page) = page {
        progress.note(&format!("report: {}", page.display()));
    }
}
