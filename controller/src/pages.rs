//! `spl pages`: the store's runs as pages of HTML, in a folder or for a browser.

mod editor;
mod form;
mod keys;
mod reading;
mod routes;
mod rules;
mod serve;

use crate::cli::Pages;
use crate::drilled::first_bytes;
use crate::said::say;
use reading::Chosen;
use spl_report::runs::{is_page, pages as made};
use spl_session::files::write_whole;
use spl_store::{Store, StoreError};
use spl_verdict::ExitStatus;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Most bytes of a file that is looked at. A page has fewer.
const MOST_PAGE: u64 = 64 << 20;

/// Writes the pages, or serves them until the operator ends it.
///
/// # Errors
/// When the store cannot be read, or the pages cannot be written or served; one line of text.
pub fn pages(arguments: &Pages) -> Result<ExitStatus, String> {
    let chosen = Chosen { tag: arguments.tag.clone(), last: arguments.last };
    match &arguments.export {
        Some(folder) => export(arguments, &chosen, folder),
        None => serve::serve(&arguments.file.store, chosen, arguments.port.unwrap_or(0)),
    }
}

fn export(arguments: &Pages, chosen: &Chosen, folder: &Path) -> Result<ExitStatus, String> {
    let site = Store::read(&arguments.file.store).and_then(|store| chosen.whole(&store));
    let mut site = site.map_err(|why: StoreError| why.to_string())?;
    site.compare.clone_from(&arguments.compare);
    let all = made(&site).map_err(|run| {
        format!("--compare: run {run} is not among the runs of the pages; see --last and --tag")
    })?;
    let older = older(folder, arguments.replace)?;
    let cannot = |error| format!("cannot write to {}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(cannot)?;
    let (mut bytes, mut written) = (0, BTreeSet::new());
    for (name, text) in &all {
        write_whole(&folder.join(name), text.as_bytes())
            .map_err(|error| format!("{}: {}", cannot(error), left(written.len(), all.len())))?;
        bytes += text.len();
        written.insert(name.as_str());
    }
    for name in older.iter().filter(|name| !written.contains(name.as_str())) {
        fs::remove_file(folder.join(name)).map_err(|error| {
            format!("cannot remove {}, the page of an earlier export: {error}", folder.join(name).display())
        })?;
    }
    let (kilobytes, index) = (bytes.div_ceil(1000), folder.join("index.html"));
    say(&format!("{} pages, {kilobytes} kB: {}", all.len(), index.display()));
    Ok(ExitStatus::AllHold)
}

/// The pages that an export leaves behind when it is cut short. `index.html` is the last page.
fn left(written: usize, all: usize) -> String {
    match written {
        0 => "no page was written".to_owned(),
        _ => {
            format!("{written} of {all} pages were written, without index.html; --replace writes them again")
        }
    }
}

/// The pages of an earlier export. A folder with anything else is left alone.
fn older(folder: &Path, replace: bool) -> Result<Vec<String>, String> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let cannot = |error| format!("cannot read {}: {error}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // A link is nobody's page, and a pipe would let its reader wait.
        let is_file = entry.file_type().map_err(cannot)?.is_file();
        let text = if is_file { first_bytes(&entry.path(), MOST_PAGE).map_err(cannot)? } else { Vec::new() };
        if !is_page(&name, &String::from_utf8_lossy(&text)) {
            return Err(format!(
                "{} has a file that `spl pages` has not written, {}: name a folder for the pages alone",
                folder.display(),
                spl_model::one_line(&name)
            ));
        }
        names.push(name);
    }
    if !names.is_empty() && !replace {
        return Err(format!("{} has pages already: --replace writes them again", folder.display()));
    }
    Ok(names)
}
