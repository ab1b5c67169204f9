//! All pages with their names.

use super::facts::{Site, StoredRun};
use super::{difference, frame, index, program, run};
use std::collections::{BTreeMap, BTreeSet};

/// Differences to the run before that have a page without being asked for, those of the newest runs.
pub(super) const MOST_DIFFERENCES: usize = 25;

/// The pages by their names; `index.html` is the last, so that it leads to pages that are there.
///
/// # Errors
/// When a difference is asked for of a run that is not among them; its number.
pub fn pages(site: &Site) -> Result<Vec<(String, String)>, i64> {
    let of = |id: i64| site.runs.iter().find(|run| run.id == id);
    let mut programs: Vec<Vec<&StoredRun>> = Vec::new();
    for run in &site.runs {
        let same = |runs: &&mut Vec<&StoredRun>| {
            runs.first().is_some_and(|one| one.command == run.command && one.kind == run.kind)
        };
        match programs.iter_mut().find(same) {
            Some(runs) => runs.push(run),
            None => programs.push(vec![run]),
        }
    }
    // The run before each, of the newest runs.
    let before: BTreeMap<i64, i64> =
        programs.iter().flat_map(|runs| runs.windows(2).map(|pair| (pair[0].id, pair[1].id))).collect();
    let newest = site.runs.iter().filter_map(|run| Some((run.id, *before.get(&run.id)?)));
    let before: BTreeMap<i64, i64> = newest.take(MOST_DIFFERENCES).collect();
    let mut pairs: BTreeSet<(i64, i64)> = before.iter().map(|(later, earlier)| (*earlier, *later)).collect();
    pairs.extend(&site.compare);
    let mut all = Vec::new();
    for one in &site.runs {
        let earlier = before.get(&one.id).and_then(|id| of(*id));
        all.push((format!("run-{}.html", one.id), run::run(site, one, earlier)));
    }
    for (earlier, later) in pairs {
        let (earlier, later) = (of(earlier).ok_or(earlier)?, of(later).ok_or(later)?);
        all.push((frame::difference(earlier, later), difference::page_of(site, earlier, later)));
    }
    for (place, runs) in programs.iter().enumerate() {
        all.push((format!("program-{}.html", place + 1), program::program(site, runs, &before)));
    }
    all.push(("metrics.html".to_owned(), index::definitions(site)));
    all.push(("index.html".to_owned(), index::index(site, &programs)));
    Ok(all)
}

/// Whether a file of an export is one of its pages, by its name and by the marks of its maker. Other files may have such a name, and
/// other pages of this program the same generator.
#[must_use]
pub fn is_page(name: &str, text: &str) -> bool {
    is_name(name) && frame::MARKS.iter().all(|mark| text.contains(mark))
}

fn is_name(name: &str) -> bool {
    let Some(stem) = name.strip_suffix(".html") else { return false };
    let numbered = ["run-", "program-", "difference-"].iter().find_map(|prefix| stem.strip_prefix(prefix));
    matches!(stem, "index" | "metrics")
        || numbered.is_some_and(|rest| {
            !rest.is_empty() && rest.bytes().all(|one| one.is_ascii_digit() || one == b'-')
        })
}
