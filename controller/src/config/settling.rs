//! Sets keys one by one, and then the values that several keys decide together.

use super::draft::{Draft, Profile};
use super::keys::{ANY, AT_ONCE, KEYS, OF_THESIS, section_of};
use super::places::Named;
use spl_model::Scale;
use spl_scheduler::Settings;
use spl_session::config::Judge;

/// Likeness of two names, from 0 to 1, from which on one may be a misspelling of the other.
const ALIKE: f64 = 0.8;

impl Draft {
    /// Sets a key. The error says what would be right.
    pub(super) fn set(&mut self, section: &str, key: &str, value: &str) -> Result<(), String> {
        if let Some((_, _, set)) = KEYS.iter().find(|(s, k, _)| (*s, *k) == (section, key)) {
            return set(self, value).map_err(|expected| format!("{key} = {value:?}: expected {expected}"));
        }
        if let Some((right, _, _)) = KEYS.iter().find(|(_, k, _)| *k == key) {
            return Err(match section {
                "" => format!("{key} belongs to section [{right}]: write [{right}] in a line before it"),
                _ => format!("{key} belongs to section [{right}], not [{section}]"),
            });
        }
        let place =
            if matches!(section, ANY | "") { String::new() } else { format!(" in section [{section}]") };
        let remedy = match nearest(KEYS.iter().map(|(_, known, _)| *known), key) {
            Some(near) => format!("did you mean {near:?}?"),
            None => match keys_of(section) {
                keys if keys.is_empty() => "docs/configuration.md has all keys".to_owned(),
                keys => format!("its keys are {keys}"),
            },
        };
        Err(format!("unknown key {key:?}{place}: {remedy}"))
    }

    /// Sets the values that depend on several keys.
    pub(super) fn settle(&mut self, named: &[Named<'_>]) -> Result<(), String> {
        let is_named = |key: &str| named.iter().any(|one| one.key == key);
        if self.profile == Profile::Thesis {
            self.paired = false;
            for (key, value) in OF_THESIS.iter().filter(|(key, _)| !is_named(key)) {
                self.set(section_of(key), key, value)?;
            }
        }
        if !self.paired && !is_named("method") {
            self.config.judge = Judge::Welch;
        }
        let is_production = self.profile == Profile::Production;
        if is_production && !self.config.looks() {
            for (key, value) in AT_ONCE.iter().filter(|(key, _)| !is_named(key)) {
                self.set(section_of(key), key, value)?;
            }
        }
        self.config.scheduler.scale = scale(self).unwrap_or(self.config.scheduler.scale);
        if is_production {
            self.config.scheduler.paired = self.paired.then(|| self.config.turns());
        } else {
            self.leave_out_what_the_thesis_has_not();
        }
        Ok(())
    }

    fn leave_out_what_the_thesis_has_not(&mut self) {
        let Settings {
            warm_up,
            restore_after_ns,
            instrument_ahead,
            settle_ns,
            changes_per_minute,
            listening,
            ..
        } = Settings::thesis();
        let ours = std::mem::replace(&mut self.config.scheduler, Settings::thesis());
        self.config.scheduler = Settings {
            warm_up,
            restore_after_ns,
            instrument_ahead,
            settle_ns,
            changes_per_minute,
            listening,
            paired: None,
            ..ours
        };
        self.config.overhead_budget = None;
    }
}

/// The scale of sizes, of both its keys.
pub(super) fn scale(draft: &Draft) -> Result<Scale, String> {
    let base = draft.scale_base;
    let scale = if draft.logarithmic { Scale::logarithmic(base) } else { Scale::linear(base) };
    scale.map_err(|error| error.to_string())
}

/// The mistake in the name of a section; `None` if there is such a section.
pub(super) fn unknown_section(name: &str) -> Option<String> {
    let mut sections = KEYS.iter().map(|(section, ..)| *section).collect::<Vec<_>>();
    sections.dedup();
    if sections.contains(&name) {
        return None;
    }
    let remedy = match nearest(sections.iter().copied(), name) {
        Some(near) => format!("did you mean [{near}]?"),
        None => {
            format!(
                "the sections are {}",
                sections.iter().map(|one| format!("[{one}]")).collect::<Vec<_>>().join(", ")
            )
        }
    };
    Some(format!("unknown section [{name}]: {remedy}"))
}

/// The name that another one may be a misspelling of.
fn nearest<'k>(known: impl Iterator<Item = &'k str>, name: &str) -> Option<&'k str> {
    let likeness = |one: &str| strsim::jaro_winkler(one, name);
    let likest = known.max_by(|one, other| likeness(one).total_cmp(&likeness(other)))?;
    (likeness(likest) >= ALIKE).then_some(likest)
}

/// The keys of a section.
fn keys_of(section: &str) -> String {
    let keys = KEYS.iter().filter(|(of, ..)| *of == section).map(|(_, key, _)| *key);
    keys.collect::<Vec<_>>().join(", ")
}
