//! Durations of calls: the table, and what the operator is shown of it.

use super::collected::Profile;
use super::doubts::{STOPPED, in_shared, intrinsics};
use super::shown::say_left;
use crate::cli::Drill;
use crate::numbers::{number, plural};
use crate::progress::Progress;
use spl_model::one_line;
use spl_profile::{Durations, ProbeCost, TIMES_HEAD, durations};
use spl_report::drill::{TimedMethod, Times};
use std::collections::BTreeMap;
use std::path::Path;

/// Of a method with short calls: how long the compiled probes take in it is known on the average alone.
const PROBED: &str = "the time of their probes, an estimate, is more than half of their own time";

/// A method with its durations, and why they may be wrong.
pub struct Measured {
    /// Its durations.
    pub durations: Durations,
    /// Empty if nothing is known against them.
    pub doubt: &'static str,
}

/// The durations of all methods that were called, those with most own time first.
pub fn measured(profile: &Profile) -> Vec<Measured> {
    let value = |word: u32| profile.values.get(word as usize).copied().unwrap_or(0);
    let mut all = Vec::new();
    for class in &profile.classes {
        let (in_shared, intrinsics) = (in_shared(class, &profile.shared), intrinsics(class));
        for durations in durations(class, value, profile.probe) {
            let doubt = match &durations {
                one if profile.stopped.contains_key(&one.method) => STOPPED,
                one if one.untimed > 0 || in_shared.contains(&one.method) => {
                    "some calls were not timed: of virtual threads, of more threads than there are arenas, or too deep"
                }
                one if one.under_way => "a call that had not ended is left out",
                one if intrinsics.contains(&one.method) => "the JVM may replace its calls by code of its own",
                one if !one.from_start => "it is timed only from the change of its class on",
                one if one.probes_in_own_ns > one.without_probes().1 / 2 => PROBED,
                _ => "",
            };
            if durations.calls > 0 || !doubt.is_empty() && durations.untimed > 0 {
                all.push(Measured { durations, doubt });
            }
        }
    }
    let own = |one: &Measured| one.durations.without_probes().1;
    all.sort_by(|one, other| {
        own(other).cmp(&own(one)).then_with(|| one.durations.method.cmp(&other.durations.method))
    });
    all
}

/// The table.
pub fn table(all: &[Measured]) -> String {
    let lines = all.iter().map(|one| one.durations.line(one.doubt));
    std::iter::once(TIMES_HEAD.to_owned()).chain(lines).collect()
}

/// The times, for the page.
pub fn times(all: &[Measured], profile: &Profile) -> Times {
    let method = |one: &Measured| {
        let durations = &one.durations;
        let (total_ns, own_ns) = durations.without_probes();
        TimedMethod {
            method: one_line(&durations.method),
            calls: durations.calls,
            total_ns,
            own_ns,
            probes_in_total_ns: durations.probes_in_total_ns,
            probes_in_own_ns: durations.probes_in_own_ns,
            untimed: durations.untimed,
            doubt: one.doubt.to_owned(),
        }
    };
    let ProbeCost { inside_ps, outside_ps } = profile.probe;
    Times { probe_ps: [inside_ps, outside_ps], methods: all.iter().map(method).collect() }
}

/// Why times may be wrong, one line each.
pub fn doubts(all: &[Measured]) -> Vec<String> {
    let mut doubts: BTreeMap<&str, u64> = BTreeMap::new();
    for one in all.iter().filter(|one| !one.doubt.is_empty()) {
        *doubts.entry(one.doubt).or_default() += 1;
    }
    doubts.into_iter().map(|(doubt, methods)| format!("{}: {doubt}", plural(methods, "method"))).collect()
}

/// Prints the summary and the methods with most own time.
pub fn say(
    all: &[Measured],
    profile: &Profile,
    arguments: &Drill,
    (folder, page): (&Path, &Path),
    progress: &Progress,
) {
    let calls = all.iter().map(|one| one.durations.calls).fold(0, u64::saturating_add);
    let own: u64 = all.iter().map(|one| one.durations.without_probes().1).fold(0, u64::saturating_add);
    let probes: u64 = all.iter().map(|one| one.durations.probes_in_own_ns).fold(0, u64::saturating_add);
    progress.note(&format!(
        "{} in {} took {} ms of their own, and {} ms more for probes",
        plural(calls, "call"),
        plural(all.len() as u64, "method"),
        ms(own),
        ms(probes),
    ));
    for doubt in &profile.doubts {
        progress.note(&format!("times may not be exact: {doubt}"));
    }
    for doubt in doubts(all) {
        progress.note(&format!("~ marks {doubt}"));
    }
    say_left(profile, progress);
    if !all.is_empty() {
        progress.note(&format!(
            "{:>13} {:>12} {:>12} {:>12} {:>13}  method",
            "calls", "total ms", "own ms", "probes ms", "own ns a call"
        ));
    }
    for one in all.iter().take(arguments.limit) {
        let durations = &one.durations;
        let (total, own) = durations.without_probes();
        let a_call = own.checked_div(durations.calls).map_or_else(|| "-".to_owned(), number);
        progress.note(&format!(
            "{:>13} {:>12} {:>12} {:>12} {a_call:>13} {}{}",
            number(durations.calls),
            ms(total),
            ms(own),
            ms(durations.probes_in_own_ns),
            if one.doubt.is_empty() { ' ' } else { '~' },
            one_line(&durations.method),
        ));
    }
    if all.len() > arguments.limit {
        progress.note(&format!(
            "{} more: times.csv has all",
            plural((all.len() - arguments.limit) as u64, "method")
        ));
    }
    progress.note(&format!(
        "times of methods are in {}, for people in {}",
        folder.join("times.csv").display(),
        page.display()
    ));
}

/// Milliseconds with two decimal places.
fn ms(ns: u64) -> String {
    let hundredths = (u128::from(ns) + 5000) / 10_000;
    let whole = u64::try_from(hundredths / 100).unwrap_or(u64::MAX);
    format!("{}.{:02}", number(whole), hundredths % 100)
}
