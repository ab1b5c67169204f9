//! Which metrics are computed, and with which options.

use crate::hot::Cutoff;
use crate::metric::{Metric, Need, Settings};
use crate::metrics;
use spl_model::glob::matches;

/// The chosen metrics.
#[derive(Clone, Debug)]
pub struct Choice {
    all: Vec<Chosen>,
}

#[derive(Clone, Copy, Debug)]
struct Chosen {
    metric: &'static Metric,
    is_enabled: bool,
    settings: Settings,
}

impl Choice {
    /// All metrics by their usual definitions.
    #[must_use]
    pub fn all() -> Self {
        let chosen = |metric| Chosen { metric, is_enabled: true, settings: Settings::default() };
        Self { all: metrics::all().map(chosen).collect() }
    }

    /// Reads patterns of names and options, `PATTERN:option=value`. An enabled metric stays enabled though another pattern disables it.
    ///
    /// # Errors
    /// When a pattern means no metric, or there is no such option; one line with what there is.
    pub fn new(enable: &[String], disable: &[String], set: &[String]) -> Result<Self, String> {
        let mut choice = Self::all();
        for (option, patterns, is_enabled) in [("--disable", disable, false), ("--enable", enable, true)] {
            for pattern in patterns {
                let mut is_there = false;
                for one in choice.all.iter_mut().filter(|one| means(pattern, one.metric)) {
                    (one.is_enabled, is_there) = (is_enabled, true);
                }
                if !is_there {
                    return Err(format!("{option} {}", unknown(pattern)));
                }
            }
        }
        for text in set {
            choice.set(text).map_err(|why| format!("--set {text}: {why}"))?;
        }
        Ok(choice)
    }

    fn set(&mut self, text: &str) -> Result<(), String> {
        let Some((pattern, (option, value))) =
            text.split_once(':').and_then(|(pattern, rest)| Some((pattern, rest.split_once('=')?)))
        else {
            return Err("expected PATTERN:OPTION=VALUE, as in 'size.hot*:p=0.8'".to_owned());
        };
        let mut found = Vec::new();
        for one in self.all.iter_mut().filter(|one| means(pattern, one.metric)) {
            found.push(one.metric);
            match option {
                "p" if one.metric.has_cutoff() => one.settings.cutoff = value.parse()?,
                "variant" if !one.metric.variants.is_empty() => {
                    one.settings.variant = variant(one.metric, value)?;
                }
                _ => _ = found.pop(),
            }
        }
        if !found.is_empty() {
            return Ok(());
        }
        if !metrics::all().any(|metric| means(pattern, metric)) {
            return Err(unknown(pattern));
        }
        Err(format!(
            "there is no option {option:?} of it: p is of percentiles and of hot*, variant of metrics with several definitions"
        ))
    }

    /// The metrics that are enabled, with their options.
    pub fn enabled(&self) -> impl Iterator<Item = (&'static Metric, Settings)> + '_ {
        self.all.iter().filter(|one| one.is_enabled).map(|one| (one.metric, one.settings))
    }

    /// Whether a metric is enabled.
    #[must_use]
    pub fn has(&self, metric: &Metric) -> bool {
        self.enabled().any(|(one, _)| one == metric)
    }

    /// The needs of the enabled metrics, each once.
    #[must_use]
    pub fn needs(&self) -> Vec<Need> {
        let needed = |need: &Need| self.enabled().any(|(metric, _)| metric.needs.contains(need));
        Need::ALL.into_iter().filter(needed).collect()
    }
}

/// The metrics that a pattern means.
///
/// # Errors
/// When there are none; one line with the nearest names.
pub fn meant(pattern: &str) -> Result<Vec<&'static Metric>, String> {
    let found: Vec<_> = metrics::all().filter(|metric| means(pattern, metric)).collect();
    if found.is_empty() { Err(unknown(pattern)) } else { Ok(found) }
}

/// A variant of a metric by its name; `None` for the usual definition.
fn variant(metric: &Metric, value: &str) -> Result<Option<&'static str>, String> {
    if value == "usual" {
        return Ok(None);
    }
    let found = metric.variants.iter().find(|(name, _)| *name == value);
    let names = || metric.variants.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    found
        .map(|(name, _)| Some(*name))
        .ok_or_else(|| format!("{} has no variant {value:?}: it has usual, {}", metric.full_name(), names()))
}

/// Whether a pattern means a metric: its path, the path of a pack above it, the same without `metrics.`, or its number.
fn means(pattern: &str, metric: &Metric) -> bool {
    let path = metric.path();
    let ends = path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
    let mut paths = ends.filter_map(|end| path.get(..end));
    let short = |path: &str| path.strip_prefix("metrics.").is_some_and(|short| matches(pattern, short));
    metric.id == pattern || paths.any(|path| matches(pattern, path) || short(path))
}

/// A line about a pattern that means nothing, with the nearest names.
fn unknown(pattern: &str) -> String {
    let names: Vec<String> = metrics::all()
        .flat_map(|one| [one.category.to_owned(), format!("{}.{}", one.category, one.name)])
        .collect();
    let nearest = names.iter().min_by_key(|name| strsim::levenshtein(pattern, name));
    let nearest = nearest.map_or_else(String::new, |name| format!("; did you mean {name}?"));
    format!(
        "{}: there is no such metric{nearest} `spl analyse --hierarchy` lists them",
        spl_model::one_line(pattern)
    )
}

/// The share that counts as most of the weight, if a metric has one.
#[must_use]
pub fn cutoff(metric: &Metric, settings: Settings) -> Option<Cutoff> {
    metric.has_cutoff().then_some(settings.cutoff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(enable: &[&str], disable: &[&str], set: &[&str]) -> Result<Choice, String> {
        let owned = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect::<Vec<_>>();
        Choice::new(&owned(enable), &owned(disable), &owned(set))
    }

    fn names(choice: &Choice) -> Vec<String> {
        choice.enabled().map(|(metric, _)| metric.full_name()).collect()
    }

    #[test]
    fn packs_and_metrics_are_chosen_by_patterns() {
        let some = choice(&["size.hot*", "M1"], &["*"], &[]).unwrap();
        let found = names(&some);
        assert_eq!(found.len(), 7, "{found:?}");
        assert_eq!(found[0], "base.instructions.value");
        let without = choice(&[], &["metrics.polymorphism", "memory"], &[]).unwrap();
        let found = names(&without);
        assert!(
            found.iter().all(|name| !name.starts_with("poly") && !name.starts_with("memory")),
            "{found:?}"
        );
        assert_eq!(some.needs(), [Need::Blocks, Need::Files]);
    }

    #[test]
    fn options_are_those_that_a_metric_has() {
        let some = choice(&[], &[], &["size.hot*:p=0.8", "M25:variant=all", "M52:variant=usual"]).unwrap();
        let of = |name: &str| some.enabled().find(|(metric, _)| metric.full_name() == name).unwrap().1;
        assert_eq!(of("size.hot.value").cutoff, "0.8".parse().unwrap());
        assert_eq!(of("concurrency.lock.percentile").cutoff, Cutoff::default());
        assert_eq!(of("data.floatDensity.value").variant, Some("all"));
        for (wrong, part) in [
            ("size.hot", "PATTERN:OPTION=VALUE"),
            ("size.hot*:p=2", "such as 0.9"),
            ("M25:variant=some", "usual, all"),
            ("M1:p=0.9", "no option"),
            ("sise.hot*:p=0.9", "no such metric"),
        ] {
            let said = choice(&[], &[], &[wrong]).unwrap_err();
            assert!(said.contains(part), "{said}");
        }
    }

    #[test]
    fn a_name_that_is_not_there_has_a_near_one() {
        let said = choice(&["size.hotMethod"], &[], &[]).unwrap_err();
        assert!(said.starts_with("--enable size.hotMethod") && said.contains("size.hotMethods?"), "{said}");
        assert!(choice(&[], &["sizes"], &[]).unwrap_err().contains("did you mean size?"));
    }
}
