//! The runs of a folder: drills with metrics, and a measurement.

use crate::drill::METRICS;
use crate::drilled::{bytes, digest, in_folder, table};
use crate::report::{assertions, records};
use crate::said::say;
use crate::tallies::jvms;
use spl_export::{DOCUMENT, Document, METHODS, ran};
use spl_model::one_line;
use spl_records::Context;
use spl_session::context::CONTEXT_FILE;
use spl_session::output::ASSERTIONS_FILE;
use spl_store::{Facts, Measurement, Run, of_measurement, of_metrics};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// All runs of a folder.
///
/// # Errors
/// When it has none, or one cannot be read; one line of text.
pub fn runs(folder: &Path) -> Result<Vec<Run>, String> {
    let mut all = Vec::new();
    if folder.join(CONTEXT_FILE).exists() {
        all.push(measurement(folder)?);
    }
    let (with, without): (Vec<_>, Vec<_>) =
        drills(folder)?.into_iter().partition(|drill| drill.join(METRICS[0]).exists());
    for drill in &with {
        all.push(metrics(drill)?);
    }
    let remedy = |drill: &Path| {
        let path = drill.display();
        let name = METRICS[0];
        match bytes(&drill.join(DOCUMENT)).map(|text| Document::read(&text)) {
            Ok(Ok(_)) => {
                format!("{path} has no {name}: `spl analyse {path} --as json -o {path}/{name}` writes it")
            }
            // Metrics of it cannot be had.
            Ok(Err(fault)) => in_folder(drill, &fault),
            Err(why) => why,
        }
    };
    match (&without[..], all.is_empty()) {
        ([], false) => {}
        (without, false) => without.iter().for_each(|drill| say(&format!("left out: {}", remedy(drill)))),
        ([first, ..], true) => return Err(remedy(first)),
        ([], true) => {
            return Err(format!(
                "{} has no run: name the folder of a drill ({DOCUMENT}), of a measurement ({CONTEXT_FILE}), or the one that drills are in",
                folder.display()
            ));
        }
    }
    Ok(all)
}

/// The folders of drills: the folder itself or those in it, with those of further JVMs.
fn drills(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut firsts = Vec::new();
    if folder.join(DOCUMENT).exists() {
        firsts.push(folder.to_owned());
    } else {
        let cannot = |error| format!("cannot read {}: {error}", folder.display());
        for entry in fs::read_dir(folder).map_err(cannot)? {
            let path = entry.map_err(cannot)?.path();
            let is_drill = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"drill"));
            if is_drill && path.join(DOCUMENT).exists() {
                firsts.push(path);
            }
        }
        firsts.sort();
    }
    Ok(firsts.iter().flat_map(|first| jvms(first)).collect())
}

fn metrics(folder: &Path) -> Result<Run, String> {
    let fault = |fault| in_folder(folder, &fault);
    let text = bytes(&folder.join(DOCUMENT))?;
    let document = Document::read(&text).map_err(fault)?;
    let ran = ran(&table(folder, &document.tables, METHODS)?).map_err(fault)?;
    let path = folder.join(METRICS[0]);
    let values = bytes(&path)?;
    let written = fs::metadata(folder.join(DOCUMENT)).and_then(|file| file.modified()).ok();
    let began = written.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let facts = Facts {
        identity: format!("drill {}", digest(&text)),
        digest: digest(&[&text[..], &values].concat()),
        kind: "metrics",
        began_unix_ms: began.and_then(|time| u64::try_from(time.as_millis()).ok()),
        folder: shown(folder),
        ..Facts::default()
    };
    of_metrics(&shown(&path), &values, &ran, facts).map_err(|why| why.to_string())
}

fn measurement(folder: &Path) -> Result<Run, String> {
    let path = folder.join(CONTEXT_FILE);
    let text = bytes(&path)?;
    let context = Context::from_json(&String::from_utf8_lossy(&text))
        .map_err(|why| format!("{}: {}", shown(&path), one_line(&why.to_string())))?;
    let [results_from, assertions_from, _] = context.older_bytes;
    let results = records(&folder.join(&context.result_file), results_from)?;
    let asserted = assertions(&folder.join(ASSERTIONS_FILE), assertions_from)?;
    // These facts stay the same while a run goes on, and when it is resumed.
    let pid = context.programs.first().map_or(0, |program| program.pid);
    let same = format!("{} {} {pid}", context.tasks, context.began_unix_ms);
    let all = format!("{results:?}{asserted:?}");
    let facts = Facts {
        identity: format!("measurement {}", digest(same.as_bytes())),
        digest: digest(&[&text[..], all.as_bytes()].concat()),
        kind: "measurement",
        folder: shown(folder),
        ..Facts::default()
    };
    let of = Measurement { context: &context, results: &results, assertions: &asserted };
    of_measurement(&shown(folder), of, facts).map_err(|why| why.to_string())
}

fn shown(path: &Path) -> String {
    one_line(&path.display().to_string())
}
