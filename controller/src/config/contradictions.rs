//! Keys that contradict each other: each is legal alone, and together they could never mean what they say.

use super::draft::{Draft, Profile};
use super::keys::BEYOND_THESIS;
use super::places::Named;
use super::settling;
use super::shown;
use spl_lang::RunMode;
use spl_model::Sizing;
use spl_session::config::Judge;

/// Samples that each side needs for a variance (thesis 3.2.7).
const MIN_SIDE: u64 = 2;

/// A contradiction: the key that is to blame, and what is wrong, which follows its place.
pub(super) type Found<'n> = (&'n Named<'n>, String);

/// Contradictions among the keys that were set, in the order of the rules. `draft` has their values.
pub(super) fn found<'n>(draft: &Draft, named: &'n [Named<'n>]) -> Vec<Found<'n>> {
    let last = |key: &str| named.iter().rev().find(|one| one.key == key);
    let mut all: Vec<Found<'_>> = Vec::new();
    all.extend(twice(named));
    all.extend(reversed(draft, &last));
    all.extend(profile_and_key(draft, named, &last));
    all.extend(without_effect(draft, named, &last));
    if let Some(one) = last("method").filter(|_| draft.config.judge == Judge::Sequential && !draft.paired)
        && draft.profile == Profile::Production
        && let Some(policy) = last("policy")
    {
        let problem =
            "method = sequential compares calls of shared windows: leave out policy = delay in [scheduler]";
        all.push((one, format!("{problem} ({})", policy.place.beside())));
    }
    let scheduler = &draft.config.scheduler;
    if let Some(one) = last("min-method-measurements")
        && scheduler.mode == RunMode::Comparison
        && scheduler.min_samples < MIN_SIDE
    {
        let problem =
            "a comparison needs at least 2 samples on each side: raise it, or write run-mode = measurement";
        all.push((one, format!("min-method-measurements = {}: {problem}", one.value)));
    }
    if let Err(error) = settling::scale(draft)
        && let Some(one) = last("arguments-size-scale-base").or_else(|| last("arguments-size-scale"))
    {
        all.push((one, format!("{} = {:?}: {error}", one.key, one.value)));
    }
    all
}

/// Keys that stand twice in the file. On the command line the last one counts.
fn twice<'n>(named: &'n [Named<'n>]) -> Vec<Found<'n>> {
    let earlier = |at: usize, one: &Named<'_>| {
        named[..at].iter().find(|other| (other.section, other.key) == (one.section, one.key))
    };
    let of = |(at, one): (usize, &'n Named<'n>)| {
        let first = earlier(at, one).filter(|first| first.place.is_line() && one.place.is_line())?;
        Some((
            one,
            format!("{} stands in {} already: leave one of the two out", one.key, first.place.beside()),
        ))
    };
    named.iter().enumerate().filter_map(of).collect()
}

/// Least and greatest values in the wrong order.
fn reversed<'n>(draft: &Draft, last: &impl Fn(&str) -> Option<&'n Named<'n>>) -> Vec<Found<'n>> {
    let scheduler = &draft.config.scheduler;
    let (differences, samples) = (
        ["min-measuring-diff", "max-measuring-diff"],
        ["min-method-measurements", "max-method-measurements"],
    );
    let mut all = Vec::new();
    // One of the two may have its default.
    if scheduler.min_diff_ns > scheduler.max_diff_ns
        && let Some(one) = last(differences[0]).or_else(|| last(differences[1]))
    {
        let limits =
            format!("{} ns is over {} = {} ns", scheduler.min_diff_ns, differences[1], scheduler.max_diff_ns);
        all.push((
            one,
            format!("{} = {limits}: a method would be added and suspended at once", differences[0]),
        ));
    }
    // With samples fewer than a default bucket has, a method is judged at its end.
    if let (Some(least), Some(most)) = (last(samples[0]), last(samples[1]))
        && scheduler.mode == RunMode::Comparison
        && scheduler.min_samples > scheduler.max_samples
    {
        let limits =
            format!("{} is over {} = {} ({})", least.value, samples[1], most.value, most.place.beside());
        all.push((least, format!("{} = {limits}: no bucket would ever be full", samples[0])));
    }
    all
}

/// Keys that a profile does not have.
fn profile_and_key<'n>(
    draft: &Draft,
    named: &'n [Named<'n>],
    last: &impl Fn(&str) -> Option<&'n Named<'n>>,
) -> Vec<Found<'n>> {
    let Some(profile) = last("profile").filter(|_| draft.profile == Profile::Thesis) else {
        return Vec::new();
    };
    let beyond = named.iter().filter(|one| BEYOND_THESIS.contains(&one.key));
    let problem = |one: &Named<'_>| {
        format!(
            "profile = thesis has no {}: leave the key out, or the profile ({})",
            one.key,
            profile.place.beside()
        )
    };
    beyond.map(|one| (one, problem(one))).collect()
}

/// Keys of the file without effect, because another key of the file excludes them. A default may stay, so that a file with
/// all keys can be changed in one place; and what the command line sets does not make a file wrong.
fn without_effect<'n>(
    draft: &Draft,
    named: &'n [Named<'n>],
    last: &impl Fn(&str) -> Option<&'n Named<'n>>,
) -> Vec<Found<'n>> {
    let config = &draft.config;
    let is_deep = config.automatic_size || config.argument_size == Sizing::Deep;
    let compares = config.scheduler.mode == RunMode::Comparison;
    // Another word is a mistake of its own.
    let explains = last("claims").is_none_or(|one| one.value != "none");
    let rules: [(&[&str], &str, bool, &str); 5] = [
        (&["window", "window-overlap"], "policy", draft.paired, "paired"),
        (&["equal-within", "rare-calls"], "method", config.judge == Judge::Sequential, "sequential"),
        (&["size-visit-limit", "processor-jar"], "argument-size", is_deep, "deep or auto"),
        (&["drill-time", "drill-budget"], "claims", explains, "failed"),
        (&["claims"], "run-mode", compares, "comparison"),
    ];
    // The thesis's profile has none of the keys of the others.
    let first = if draft.profile == Profile::Thesis { 3 } else { 0 };
    let defaults = shown::written(shown::DEFAULTS);
    let is_default = |one: &Named<'_>| {
        defaults.get(&(one.section.to_owned(), one.key.to_owned())).is_some_and(|value| value == one.value)
    };
    let mut all = Vec::new();
    for &(keys, decides, has_effect, needed) in &rules[first..] {
        let Some(excluding) = last(decides).filter(|one| one.place.is_line() && !has_effect) else {
            continue;
        };
        let without =
            named.iter().filter(|one| keys.contains(&one.key) && one.place.is_line() && !is_default(one));
        all.extend(without.map(|one| {
            let (key, value, place) = (one.key, excluding.value, excluding.place.beside());
            let problem = format!("{key} has no effect with {decides} = {value} ({place})");
            (one, format!("{problem}: leave one of the two out; it needs {decides} = {needed}"))
        }));
    }
    all
}
