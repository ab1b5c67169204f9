//! The doubts about the counts of a whole drill, and the classes that it leaves out.

use spl_export::Document;
use spl_model::{OfCalls, is_of_jdk, one_line};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Why no count of a drill may be exact, or none of some kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfDrill {
    /// Doubts about all counts.
    pub all: Vec<String>,
    /// Doubts about what calls entered.
    pub arcs: Vec<String>,
    /// Whether the methods of all classes were to count, but for those of the JDK.
    pub has_all: bool,
    /// Whether those of the JDK were, too.
    pub has_jdk: bool,
    /// Whether calls counted their receivers themselves, of any class.
    pub has_receivers: bool,
    /// Names of the packages of all classes.
    pub packages: Arc<BTreeSet<String>>,
    /// Names that several classes have.
    pub twins: BTreeSet<String>,
}

impl OfDrill {
    /// Whether objects of classes below this one that do not count may have received calls unseen. An interface without code is not in a drill either, so its package decides.
    #[must_use]
    pub fn leaves_out(&self, class: &str) -> bool {
        let has_all = self.has_all && (self.has_jdk || !is_of_jdk(class));
        !self.has_receivers && !has_all && !self.packages.contains(package(class))
    }

    /// Doubts that the document of a drill has.
    pub(crate) fn of(document: &Document) -> Self {
        let mut doubts = Self {
            has_all: document.scope.all && document.scope.not.is_empty(),
            has_jdk: document.scope.jdk,
            has_receivers: document.of_calls == Some(OfCalls::Receivers),
            ..Self::default()
        };
        for doubt in &document.doubts {
            // Doubts about methods stand in the table of methods, too.
            let mut words = doubt.split(' ');
            let is_number = words.next().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
            let of_methods =
                is_number && words.next().is_some_and(|word| matches!(word, "method:" | "methods:" | "of"));
            if doubt.contains("no room among the arcs") {
                doubts.arcs.push(one_line(doubt));
            } else if !of_methods {
                doubts.all.push(one_line(doubt));
            }
        }
        let mut names = BTreeSet::new();
        let twins: Vec<_> = document.classes.iter().filter(|class| !names.insert(&class.name)).collect();
        let twice = twins.len();
        doubts.twins = twins.iter().map(|class| class.name.clone()).collect();
        doubts.packages =
            Arc::new(document.classes.iter().map(|class| package(&class.name).to_owned()).collect());
        if document.of_calls.is_some() && twice > 0 {
            let classes = if twice == 1 { "1 class has" } else { &format!("{twice} classes have") };
            doubts.all.push(format!(
                "{classes} the name of another one: the calls of both are in one table, by that name"
            ));
        }
        doubts
    }
}

/// The package of a class.
fn package(class: &str) -> &str {
    class.rsplit_once('/').map_or("", |(package, _)| package)
}
