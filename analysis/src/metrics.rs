//! The table of all metrics: code, help, manual and outputs have their names and definitions from here.
//!
//! Definitions are those of Dufour, Driesen, Hendren and Verbrugge, *Dynamic Metrics for Java* (OOPSLA 2003), and of their tool \*J,
//! where both agree; otherwise the text says what is meant.

mod base;
mod concurrency;
mod data;
mod memory;
mod pointer;
mod polymorphism;
mod size;
mod structure;

use crate::metric::Metric;

/// The metrics, by group.
const GROUPS: [&[Metric]; 8] = [
    base::METRICS,
    size::METRICS,
    structure::METRICS,
    data::METRICS,
    pointer::METRICS,
    polymorphism::METRICS,
    memory::METRICS,
    concurrency::METRICS,
];

/// All metrics, in the order of the groups.
pub fn all() -> impl Iterator<Item = &'static Metric> {
    GROUPS.into_iter().flatten()
}

/// Names of the groups with what they are about.
pub const CATEGORIES: [(&str, &str); 8] = [
    ("base", "totals: instructions, methods, classes, objects"),
    ("size", "size of the code that was loaded, run, and run most"),
    ("structure", "branches of the control flow"),
    ("data", "work with arrays and with floating point"),
    ("pointer", "accesses to fields"),
    ("polymorphism", "calls whose receiver chooses the method"),
    ("memory", "objects that are made"),
    ("concurrency", "locks and threads"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_groups_are_listed() {
        let names: Vec<_> = all().map(Metric::full_name).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        let groups: BTreeSet<_> = all().map(|one| one.category).collect();
        assert_eq!(groups, CATEGORIES.iter().map(|(name, _)| *name).collect());
        for ((name, _), of_group) in CATEGORIES.iter().zip(GROUPS) {
            assert!(of_group.iter().all(|one| one.category == *name), "{name}");
        }
    }

    #[test]
    fn each_metric_is_computed() {
        for one in all() {
            assert!(one.read.is_some(), "{}", one.full_name());
            assert!(!one.text.is_empty() && !one.needs.is_empty(), "{}", one.full_name());
        }
    }

    #[test]
    fn all_numbers_of_the_literature_are_there() {
        let numbers: BTreeSet<_> = all().map(|one| one.id).collect();
        for number in 1..=61 {
            assert!(numbers.contains(&*format!("M{number}")), "M{number}");
        }
    }
}
