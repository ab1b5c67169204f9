//! `spl pages`: the store's runs as pages of HTML in a folder.

use crate::cli::Pages;
use crate::drilled::first_bytes;
use crate::said::say;
use spl_report::runs::{
    Bounds, Claimed, MOST_METHODS, MetricValue, RanMethod, Site, StoredRun, is_page, pages as made,
};
use spl_session::files::write_whole;
use spl_store::{Number, OfMethod, OfRun, OfValue, OfVerdict, Store};
use spl_verdict::ExitStatus;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Most bytes of a file that is looked at. A page has fewer.
const MOST_PAGE: u64 = 64 << 20;

/// Writes the pages.
///
/// # Errors
/// When the store cannot be read, or the pages cannot be written; one line of text.
pub fn pages(arguments: &Pages) -> Result<ExitStatus, String> {
    let site = site(arguments)?;
    let all = made(&site).map_err(|run| {
        format!("--compare: run {run} is not among the runs of the pages; see --last and --tag")
    })?;
    let folder = &arguments.export;
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

fn site(arguments: &Pages) -> Result<Site, String> {
    let wrong = |why: spl_store::StoreError| why.to_string();
    let store = Store::read(&arguments.file.store).map_err(wrong)?;
    let listed = store.list(arguments.tag.as_deref(), usize::from(arguments.last)).map_err(wrong)?;
    let all = u64::try_from(store.count(arguments.tag.as_deref()).map_err(wrong)?).unwrap_or(0);
    let mut runs = Vec::with_capacity(listed.len());
    for one in listed {
        runs.push(stored(store.whole(one, MOST_METHODS).map_err(wrong)?));
    }
    let definitions = spl_analysis::metrics::all().map(|metric| (metric.full_name(), metric.text.to_owned()));
    Ok(Site {
        spl: env!("CARGO_PKG_VERSION").to_owned(),
        left: all.saturating_sub(runs.len() as u64),
        runs,
        compare: arguments.compare.clone(),
        definitions: definitions.collect(),
    })
}

fn stored(run: OfRun) -> StoredRun {
    let OfRun { listed, values, verdicts, methods } = run;
    StoredRun {
        id: listed.id,
        kind: listed.kind,
        command: listed.command,
        jdk: listed.jdk,
        began: listed.began,
        tags: listed.tags,
        folder: listed.folder,
        values: values.into_iter().map(value).collect(),
        claims: verdicts.into_iter().map(claim).collect(),
        methods: methods.into_iter().map(method).collect(),
    }
}

fn value(value: OfValue) -> MetricValue {
    let OfValue { space, metric, unit: _, options, key, bounds, exactness } = value;
    let bounds = bounds.map(|[least, most]| Bounds {
        least: number(least),
        most: number(most),
        is_count: matches!((least, most), (Number::Whole(_), Number::Whole(_))),
    });
    MetricValue { space, metric, options, key, bounds, is_partial: exactness == "partial" }
}

#[expect(clippy::cast_precision_loss, reason = "pages show counts, and none is as large")]
fn number(number: Number) -> f64 {
    match number {
        Number::Whole(count) => count as f64,
        Number::Ratio(value) => value,
    }
}

fn claim(verdict: OfVerdict) -> Claimed {
    let OfVerdict { text, about, result, basis, ratio } = verdict;
    Claimed { text, about, result, basis, ratio }
}

fn method(method: OfMethod) -> RanMethod {
    let count = |count: i64| u64::try_from(count).unwrap_or(0);
    let OfMethod { class, name, calls, bytecodes, blocks } = method;
    RanMethod { class, name, calls: count(calls), bytecodes: bytecodes.map(count), blocks: blocks.map(count) }
}
