//! Numbered folders (`out-2`, `out-3`) for runs that would otherwise replace the results of others.

use crate::config::Config;
use crate::output::{ASSERTIONS_FILE, DECISIONS_FILE, LOCK_FILE};
use crate::resume::{RUN_FILE, RunFile};
use crate::setup::Setup;
use spl_records::{Form, ResultRecord};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Extension of measurement files.
const MEASUREMENTS: &str = "msr";
/// Name of the numbered folder when the results would lie in the current one.
const BARE: &str = "run";

/// Changes the setup to a folder without results of another run, if both overwrite keys say `number`. An
/// unfinished run of the same tasks is resumed, the last one first. Gives a message for the operator.
pub fn choose(setup: &mut Setup, replace: bool) -> Result<Option<String>, String> {
    let config = &setup.config;
    if replace || !config.numbers_runs() || !has_results(config) {
        return Ok(None);
    }
    let older = results_folder(config);
    // The numbers have no gaps unless somebody removed a folder.
    let mut last = config.clone();
    let mut number = 2;
    while has_results(&numbered(config, number)) {
        last = numbered(config, number);
        number += 1;
    }
    let chosen = if is_unfinished(&last, setup)? { last } else { numbered(config, number) };
    let new = results_folder(&chosen);
    if new == older {
        return Ok(None);
    }
    setup.take_folders(chosen);
    Ok(Some(format!(
        "{} has the results of another run; the results of this run go to {} (--replace overwrites the \
         older ones)",
        shown(&older),
        shown(&new)
    )))
}

/// Changes the setup to the first numbered folder without results, where its own folder has some. The present folder
/// of a running session is not free, even if it has no samples yet.
pub fn choose_new(setup: &mut Setup, present: &Config) {
    let is_present = |config: &Config| {
        results_folder(config) == results_folder(present) || config.output_dir == present.output_dir
    };
    let is_free = |config: &Config| !is_present(config) && !has_results(config);
    if is_free(&setup.config) {
        return;
    }
    let mut number = 2;
    while !is_free(&numbered(&setup.config, number)) {
        number += 1;
    }
    setup.take_folders(numbered(&setup.config, number));
}

/// Removes a numbered folder in which nothing was measured.
pub fn give_back(setup: &Setup, first: &Setup) {
    let config = &setup.config;
    let folder = results_folder(config);
    if folder == results_folder(&first.config) || has_results(config) {
        return;
    }
    let results =
        [&config.result_file, &folder.join(ASSERTIONS_FILE), &folder.join(DECISIONS_FILE)].map(Clone::clone);
    // Files that cannot be removed stay, and the next run uses the folder.
    for file in results.into_iter().chain([config.output_dir.join(LOCK_FILE)]) {
        let _ = fs::remove_file(file);
    }
    let _ = fs::remove_dir(&config.output_dir);
    let _ = fs::remove_dir(folder);
}

fn is_unfinished(config: &Config, setup: &Setup) -> Result<bool, String> {
    Ok(RunFile::beside(&config.result_file, setup.tasks_hash).unfinished()?.is_some())
}

fn results_folder(config: &Config) -> PathBuf {
    config.result_file.parent().unwrap_or(Path::new("")).to_owned()
}

/// Whether a run has left results, a run file or samples there.
fn has_results(config: &Config) -> bool {
    let folder = results_folder(config);
    let is_msr = |path: PathBuf| path.extension().is_some_and(|extension| extension == MEASUREMENTS);
    let has_samples = || {
        fs::read_dir(&config.output_dir).is_ok_and(|files| files.flatten().any(|file| is_msr(file.path())))
    };
    // A file that was only begun has a header and nothing else.
    let empty = [Form::Human, Form::Comma].map(ResultRecord::header).iter().map(|header| header.len()).max();
    let length = fs::metadata(&config.result_file).map_or(0, |found| found.len());
    folder.join(RUN_FILE).exists() || length > empty.unwrap_or(0) as u64 || has_samples()
}

/// The same configuration with folders of this number.
fn numbered(config: &Config, number: usize) -> Config {
    let (results, samples) = (results_folder(config), &config.output_dir);
    let mut numbered = config.clone();
    let file = config.result_file.file_name().unwrap_or_default();
    let new = with_number(&results, number);
    numbered.output_dir = match samples.strip_prefix(&results) {
        // Measurements inside the folder of the results move with it.
        Ok(inside) if !inside.as_os_str().is_empty() => new.join(inside),
        Ok(_) => new.clone(),
        Err(_) => with_number(samples, number),
    };
    numbered.result_file = new.join(file);
    numbered
}

fn with_number(folder: &Path, number: usize) -> PathBuf {
    let mut name = folder.file_name().map_or_else(|| OsString::from(BARE), OsString::from);
    name.push(format!("-{number}"));
    folder.with_file_name(name)
}

fn shown(folder: &Path) -> String {
    if folder.as_os_str().is_empty() { "this folder".to_owned() } else { folder.display().to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_folders_get_the_number() {
        let check = |samples: &str, results: &str, expected: [&str; 2]| {
            let mut config = Config::default();
            (config.output_dir, config.result_file) = (samples.into(), results.into());
            let numbered = numbered(&config, 2);
            assert_eq!([numbered.output_dir, numbered.result_file], expected.map(PathBuf::from), "{samples}");
        };
        check("out", "out/result.eval", ["out-2", "out-2/result.eval"]);
        check("/a/out/measurements", "/a/out/result.eval", ["/a/out-2/measurements", "/a/out-2/result.eval"]);
        check("samples", "out/result.eval", ["samples-2", "out-2/result.eval"]);
        check("out", "result.eval", ["run-2/out", "run-2/result.eval"]);
    }
}
