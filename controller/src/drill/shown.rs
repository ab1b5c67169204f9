//! The lines for the operator when a drill is over.

use super::collected::Profile;
use super::taken::Figures;
use crate::cli::Drill;
use crate::numbers::{number, plural};
use crate::progress::Progress;
use spl_model::{DrillKind, one_line};
use spl_profile::Bytecodes;
use std::collections::BTreeMap;
use std::path::Path;

/// Most classes and methods that did not count that are named.
const NAMED: usize = 3;

/// Prints the summary and the table of methods, or of classes where flags tell what was run.
pub fn say(
    figures: &[Figures],
    profile: &Profile,
    arguments: &Drill,
    (folder, page): (&Path, &Path),
    progress: &Progress,
) {
    match profile.what {
        DrillKind::Blocks
        | DrillKind::Calls(_)
        | DrillKind::Time(_)
        | DrillKind::Paths { .. }
        | DrillKind::Trace { .. } => say_counts(figures, profile, arguments, progress),
        DrillKind::Cover => say_cover(figures, profile, arguments, progress),
    }
    let what = if profile.what.counts() { "counts" } else { "flags" };
    progress.note(&format!(
        "{what} of methods, blocks and edges are in {}, for people in {}",
        folder.display(),
        page.display()
    ));
}

/// The share of the classes that was run. The table has the classes with most blocks that were not.
fn say_cover(figures: &[Figures], profile: &Profile, arguments: &Drill, progress: &Progress) {
    let mut of_class: BTreeMap<&str, Run> = BTreeMap::new();
    let mut all = Run::default();
    for one in figures {
        let class = one.method.split_once('(').map_or(&one.method[..], |(name, _)| name);
        let class = class.rsplit_once('.').map_or(class, |(class, _)| class);
        for run in [of_class.entry(class).or_default(), &mut all] {
            run.add(one);
        }
    }
    progress.note(&format!(
        "of {}: {} run, {}, {}",
        plural(of_class.len() as u64, "class"),
        share(all.methods, "methods"),
        share(all.blocks, "blocks"),
        share(all.branches, "branches"),
    ));
    say_doubts(figures, profile, progress);
    let mut classes: Vec<(&str, Run)> = of_class.into_iter().collect();
    classes.sort_by_key(|(_, run)| std::cmp::Reverse(run.blocks.1 - run.blocks.0));
    if !classes.is_empty() {
        progress.note(&format!("{:>11} {:>13} {:>13}  class", "methods", "blocks", "branches"));
    }
    for (class, run) in classes.iter().take(arguments.limit) {
        let cell = |(run, all): (usize, usize)| format!("{run}/{all}");
        let (methods, blocks, branches) = (cell(run.methods), cell(run.blocks), cell(run.branches));
        progress.note(&format!("{methods:>11} {blocks:>13} {branches:>13}  {}", one_line(class)));
    }
    if classes.len() > arguments.limit {
        let more = classes.len() - arguments.limit;
        progress.note(&format!("{more} more have fewer blocks that were not run: methods.csv has all"));
    }
}

/// Parts of a class that were run, and all.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    methods: (usize, usize),
    blocks: (usize, usize),
    branches: (usize, usize),
}

impl Run {
    fn add(&mut self, one: &Figures) {
        let method = (usize::from(one.calls > 0), 1);
        for (sum, more) in
            [(&mut self.methods, method), (&mut self.blocks, one.blocks), (&mut self.branches, one.branches)]
        {
            *sum = (sum.0 + more.0, sum.1 + more.1);
        }
    }
}

/// A share in words, as `1,200 of 4,000 blocks (30%)`.
fn share((run, all): (usize, usize), what: &str) -> String {
    // Not 100% while one is missing, and not 0% while one is there.
    let percent = match (run, all) {
        (_, 0) => String::new(),
        (run, all) if run == all => " (100%)".to_owned(),
        (0, _) => " (0%)".to_owned(),
        (run, all) => format!(" ({}%)", (run * 100 / all).clamp(1, 99)),
    };
    format!("{} of {} {what}{percent}", number(run as u64), number(all as u64))
}

fn say_counts(figures: &[Figures], profile: &Profile, arguments: &Drill, progress: &Progress) {
    let all = figures.iter().fold(Bytecodes::default(), |sum, one| Bytecodes {
        least: sum.least.saturating_add(one.bytecodes.least),
        most: sum.most.saturating_add(one.bytecodes.most),
    });
    let calls: u64 = figures.iter().map(|one| one.calls).fold(0, u64::saturating_add);
    let counted: usize = profile.classes.iter().map(counting).sum();
    progress.note(&format!(
        "{} of {} of {} called: {}, {}",
        number(figures.len() as u64),
        plural(counted as u64, "method"),
        plural(profile.classes.len() as u64, "class"),
        plural(calls, "call"),
        bytecodes(all, " bytecodes"),
    ));
    say_doubts(figures, profile, progress);
    if !figures.is_empty() {
        progress
            .note(&format!("{:>13} {:>17} {:>11} {:>9}  method", "calls", "bytecodes", "a call", "blocks"));
    }
    for one in figures.iter().take(arguments.limit) {
        let (run, blocks) = one.blocks;
        let mark = if one.doubt.is_empty() { ' ' } else { '~' };
        let figures = bytecodes(one.bytecodes, "");
        progress.note(&format!(
            "{:>13} {figures:>17} {:>11} {:>9} {mark}{}",
            number(one.calls),
            a_call(one),
            format!("{run}/{blocks}"),
            one_line(&one.method)
        ));
    }
    if figures.len() > arguments.limit {
        let more = figures.len() - arguments.limit;
        let (more, were) = (plural(more as u64, "method"), if more == 1 { "was" } else { "were" });
        progress.note(&format!("{more} beyond these {were} called: methods.csv has all"));
    }
}

fn say_doubts(figures: &[Figures], profile: &Profile, progress: &Progress) {
    for doubt in &profile.doubts {
        progress.note(&format!("counts may not be exact: {doubt}"));
    }
    let mut doubts: BTreeMap<&str, u64> = BTreeMap::new();
    for one in figures.iter().filter(|one| !one.doubt.is_empty()) {
        *doubts.entry(one.doubt).or_default() += 1;
    }
    for (doubt, methods) in doubts {
        progress.note(&format!("~ marks {}: {doubt}", plural(methods, "method")));
    }
    say_left(profile, progress);
}

/// Names classes and methods that were left.
pub fn say_left(profile: &Profile, progress: &Progress) {
    let refused = profile.classes.iter().flat_map(|class| {
        let names = class.methods.iter().filter_map(|one| Some((one, one.counters.as_ref().err()?)));
        names.map(move |(one, why)| format!("{}.{}{}: {why}", class.name, one.name, one.descriptor))
    });
    let left = profile.left.iter().map(|(name, why)| format!("{name}: {why}"));
    let all: Vec<String> = left.chain(refused).collect();
    for line in all.iter().take(NAMED) {
        progress.note(&format!("not counted: {}", one_line(line)));
    }
    if all.len() > NAMED {
        progress.note(&format!("{} more are not counted: drill.json has them", all.len() - NAMED));
    }
}

fn counting(class: &spl_profile::CountedClass) -> usize {
    class.methods.iter().filter(|one| one.counters.is_ok()).count()
}

/// A number of instructions, or the two ends of an interval.
fn bytecodes(one: Bytecodes, unit: &str) -> String {
    if one.least == one.most {
        format!("{}{unit}", number(one.most))
    } else {
        format!("{} to {}{unit}", number(one.least), number(one.most))
    }
}

/// Instructions of a call on average, at most; below a hundred with a decimal place.
fn a_call(one: &Figures) -> String {
    let (most, calls) = (u128::from(one.bytecodes.most), u128::from(one.calls.max(1)));
    let tenths = (most * 10 + calls / 2) / calls;
    let whole = |tenths: u128| number(u64::try_from(tenths / 10).unwrap_or(u64::MAX));
    if tenths < 1000 { format!("{}.{}", tenths / 10, tenths % 10) } else { whole(tenths + 5) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_averages_can_be_read() {
        let shares = [(0, 0), (0, 5), (1, 1000), (999, 1000), (3, 3)].map(|both| share(both, "blocks"));
        let expected = ["0 of 0", "0 of 5", "1 of 1,000", "999 of 1,000", "3 of 3"];
        let percents = ["", " (0%)", " (1%)", " (99%)", " (100%)"];
        for ((found, figures), percent) in shares.iter().zip(expected).zip(percents) {
            assert_eq!(found, &format!("{figures} blocks{percent}"));
        }
        let figures = |calls, most| {
            let bytecodes = Bytecodes { least: 0, most };
            let method = String::new();
            Figures { method, calls, bytecodes, blocks: (0, 0), branches: (0, 0), doubt: "" }
        };
        let averages = [(1000, 5426), (3, 2), (1, 8293), (2, 199), (10, 9995), (0, 7), (1, u64::MAX)];
        let averages = averages.map(|(calls, most)| a_call(&figures(calls, most)));
        assert_eq!(averages, ["5.4", "0.7", "8,293", "99.5", "1,000", "7.0", "18,446,744,073,709,551,615"]);
        assert_eq!(bytecodes(Bytecodes { least: 5, most: 5 }, ""), "5");
        assert_eq!(bytecodes(Bytecodes { least: 5, most: 1500 }, " bytecodes"), "5 to 1,500 bytecodes");
    }
}
