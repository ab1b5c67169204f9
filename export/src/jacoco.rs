//! The XML of JaCoCo (`report.dtd` 1.1), for tools that read coverage.
//!
//! JaCoCo computes the same counters for the same class files, with two differences. JaCoCo leaves out code that
//! it takes for a compiler's: here all instructions of methods that counted are there. And where an exception leaves a
//! block, JaCoCo knows only that its next probe was not passed: here the block's first instructions count as run.

mod counter;
mod package;
mod ran;
mod xml;

use crate::drill::{Class, Counts};
use crate::fault::Fault;
use counter::Sums;
use package::{ClassSums, MethodSums, Package};
use spl_classfile::mutf8;
use std::collections::{BTreeMap, HashMap};

/// A document of coverage, class by class.
#[derive(Debug, Default)]
pub struct Jacoco {
    packages: BTreeMap<String, Package>,
    /// Counts of classes that other loaders have loaded from the same bytes too, by name and digest.
    earlier: HashMap<(String, String), HashMap<String, Counts>>,
}

impl Jacoco {
    /// Takes a class in. A class that several loaders have loaded from the same bytes is one class, of which ran
    /// what ran in any of them.
    ///
    /// # Errors
    /// When a method's code cannot be read.
    pub fn add(&mut self, class: Class<'_>) -> Result<(), Fault> {
        let Class { counted, file, methods } = class;
        let key = (counted.name.clone(), counted.sha256.clone());
        let earlier = self.earlier.entry(key).or_default();
        let mut known = ClassSums {
            digest: counted.sha256.clone(),
            source: file.source_file.map(mutf8::decode),
            methods: Vec::with_capacity(methods.len()),
            sums: Sums::default(),
        };
        for mut method in methods {
            let (name, descriptor) =
                (mutf8::decode(method.method.name), mutf8::decode(method.method.descriptor));
            let sum = earlier.entry(format!("{name}{descriptor}")).or_default();
            sum.add(&method.counts);
            method.counts = sum.clone();
            let sums = ran::sums(file, &method)
                .map_err(|why| crate::drill::archive_fault(format!("{}.{name}: {why}", counted.name)))?;
            known.sums.add(&sums);
            known.methods.push(MethodSums { name, descriptor, sums });
        }
        known.sums.class();
        let package = counted.name.rsplit_once('/').map_or("", |(package, _)| package);
        let package = self.packages.entry(package.to_owned()).or_default();
        let same_name = package.classes.entry(counted.name.clone()).or_default();
        match same_name.iter_mut().find(|one| one.digest == known.digest) {
            Some(one) => *one = known,
            None => same_name.push(known),
        }
        Ok(())
    }

    /// Names of classes that are there with several class files.
    pub fn ambiguous(&self) -> impl Iterator<Item = &str> {
        let classes = self.packages.values().flat_map(|package| &package.classes);
        classes.filter(|(_, same_name)| same_name.len() > 1).map(|(name, _)| name.as_str())
    }

    /// The document. `name` says what was run.
    #[must_use]
    pub fn document(&self, name: &str) -> String {
        xml::document(&self.packages, name)
    }
}
