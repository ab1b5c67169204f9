//! Packages and their classes, with the sums of each.

use super::counter::{Sums, Totals};
use std::collections::BTreeMap;

/// A package.
#[derive(Debug, Default)]
pub(super) struct Package {
    /// By name; of one name there may be several with other bytes.
    pub(super) classes: BTreeMap<String, Vec<ClassSums>>,
}

/// A class; `digest` is that of its class file.
#[derive(Debug)]
pub(super) struct ClassSums {
    pub(super) digest: String,
    pub(super) source: Option<String>,
    pub(super) methods: Vec<MethodSums>,
    pub(super) sums: Sums,
}

/// A method that counted.
#[derive(Debug)]
pub(super) struct MethodSums {
    pub(super) name: String,
    pub(super) descriptor: String,
    pub(super) sums: Sums,
}

impl Package {
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &ClassSums)> {
        self.classes
            .iter()
            .flat_map(|(name, same_name)| same_name.iter().map(move |one| (name.as_str(), one)))
    }

    /// The source files by name, each with the sums of its classes.
    pub(super) fn files(&self) -> BTreeMap<&str, Sums> {
        let mut files: BTreeMap<&str, Sums> = BTreeMap::new();
        for (_, class) in self.all() {
            if let Some(source) = &class.source {
                files.entry(source).or_default().add(&class.sums);
            }
        }
        files
    }

    pub(super) fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        self.files().values().for_each(|file| totals.add(file.totals()));
        let without_file = self.all().filter(|(_, class)| class.source.is_none());
        without_file.for_each(|(_, class)| totals.add(class.sums.totals()));
        totals
    }
}
