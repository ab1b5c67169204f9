//! Paths of methods: the figures that the operator is shown.

use crate::cli::Drill;
use crate::numbers::{number, plural};
use crate::progress::Progress;
use spl_model::one_line;
use spl_profile::{MethodProfile, begin_text, end_text};
use std::path::Path;

/// Most blocks of a path that are shown.
const MOST_BLOCKS: usize = 12;

/// The paths of a method in figures.
#[derive(Clone, Debug)]
pub struct PathFigures {
    /// The method, as in a task file.
    method: String,
    /// Different paths that ran, and all.
    ran: (usize, u32),
    /// Number of times that paths ended, and that one began and did not end.
    ended: u64,
    left: u64,
    /// Count of the most frequent path.
    most: u64,
    /// That path.
    path: String,
    /// Instructions run, for the order.
    bytecodes: u64,
}

/// The figures of a method; `None` if no path of it began.
pub fn figures(one: &MethodProfile<'_>) -> Option<PathFigures> {
    let paths = one.paths.as_ref()?;
    let first = paths.all.first();
    if first.is_none() && paths.left() == 0 {
        return None;
    }
    let path = first.map_or_else(String::new, |path| {
        let shown: Vec<String> = path.blocks.iter().take(MOST_BLOCKS).map(usize::to_string).collect();
        let more = if path.blocks.len() > MOST_BLOCKS { " …" } else { "" };
        let (begin, end) = (begin_text(path.begin), end_text(path.end, &one.graph));
        format!("{begin}: {}{more} -> {end}", shown.join(" "))
    });
    Some(PathFigures {
        method: one.name(),
        ran: (paths.all.len(), paths.possible),
        ended: paths.ended(),
        left: paths.left(),
        most: first.map_or(0, |path| path.count),
        path,
        bytecodes: one.bytecodes().most,
    })
}

/// Sorts the figures: methods with most bytecodes first.
pub fn sort(all: &mut [PathFigures]) {
    all.sort_by(|one, other| other.bytecodes.cmp(&one.bytecodes).then_with(|| one.method.cmp(&other.method)));
}

/// Prints the methods with their most frequent paths.
pub fn say(all: &[PathFigures], arguments: &Drill, folder: &Path, progress: &Progress) {
    let sum = |of: fn(&PathFigures) -> u64| all.iter().map(of).fold(0, u64::saturating_add);
    let left = sum(|one| one.left);
    progress.note(&format!(
        "paths ended {}; {} an exception left before its end, or it had not ended with the JVM",
        plural(sum(|one| one.ended), "time"),
        number(left),
    ));
    progress.note(&format!(
        "{:>9} {:>9} {:>13} {:>9} {:>6}  method, its most frequent path",
        "paths", "possible", "ended", "left", "share"
    ));
    for one in all.iter().take(arguments.limit) {
        let percent = u128::from(one.most) * 100 / u128::from(one.ended.max(1));
        progress.note(&format!(
            "{:>9} {:>9} {:>13} {:>9} {percent:>5}%  {}{}{}",
            number(one.ran.0 as u64),
            number(u64::from(one.ran.1)),
            number(one.ended),
            number(one.left),
            one_line(&one.method),
            if one.path.is_empty() { "" } else { ", " },
            one.path,
        ));
    }
    progress.note(&format!("all paths are in {}", folder.join("paths.csv").display()));
}
