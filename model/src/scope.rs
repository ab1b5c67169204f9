//! Methods by patterns of class and method names, of classes that may not be loaded yet.

use crate::glob;
use serde::{Deserialize, Serialize};

/// The kind of a drill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DrillKind {
    /// Counts: how often each block was run and each edge taken.
    Blocks,
    /// Flags: which blocks were run and which edges were taken.
    Cover,
    /// Counts, and something of each call.
    Calls(OfCalls),
    /// Durations of calls, with callees and without.
    Time(Clock),
    /// Counts of paths: which blocks ran one after the other.
    Paths {
        /// Whether edges are counted, too, so that all counts of blocks are exact.
        blocks: bool,
    },
    /// Everything that runs, in its order.
    Trace {
        /// Whether edges are counted, too, as a check.
        blocks: bool,
    },
}

/// Facts of calls that a drill counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OfCalls {
    /// The methods that each call entered, with the classes of its receivers: arcs of the call graph.
    Entered,
    /// The classes of the receivers of each call whose receiver chooses the method. The methods follow from these.
    Receivers,
}

/// The number of times that the probes of a call read the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Clock {
    /// Two reads. The probes' cost is measured before, and told apart.
    #[default]
    Two,
    /// Four reads, at the start and the end of each probe. The time between them is left out.
    Four,
}

impl DrillKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Blocks,
        Self::Cover,
        Self::Calls(OfCalls::Entered),
        Self::Calls(OfCalls::Receivers),
        Self::Time(Clock::Two),
        Self::Paths { blocks: false },
        Self::Trace { blocks: false },
    ];

    /// Its name on the command line, in files and in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Blocks => "blocks",
            Self::Calls(OfCalls::Entered) => "calls",
            Self::Calls(OfCalls::Receivers) => "receivers",
            Self::Cover => "cover",
            Self::Paths { .. } => "paths",
            Self::Time(_) => "time",
            Self::Trace { .. } => "trace",
        }
    }

    /// The facts of calls that it counts, if it does.
    #[must_use]
    pub fn of_calls(self) -> Option<OfCalls> {
        if let Self::Calls(of) = self { Some(of) } else { None }
    }

    /// Whether it adds up, so that each thread needs memory of its own.
    #[must_use]
    pub fn counts(self) -> bool {
        match self {
            Self::Blocks | Self::Calls(_) | Self::Time(_) | Self::Paths { .. } | Self::Trace { .. } => true,
            Self::Cover => false,
        }
    }
}

/// The methods of a drill: a pattern names them, and no pattern leaves them out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Scope {
    /// Patterns of the methods.
    pub include: Vec<Pattern>,
    /// Patterns of methods that are left out.
    pub exclude: Vec<Pattern>,
    /// Whether patterns that begin with `*` also mean the JDK's classes.
    pub jdk: bool,
    /// Methods whose calls count apart, with all that they call in their thread: each with its class, as in a task file. At most
    /// [`MOST_ROOTS`] groups of calls.
    pub roots: Vec<String>,
    /// For each of the roots the workload size, as a sum of lengths, from which on its calls count in a group of their own; 0 where all
    /// its calls are one group. Missing ones are 0.
    pub larges: Vec<u64>,
    /// Of a trace: methods within whose calls is traced; none if everything is.
    pub within: Vec<Pattern>,
    /// Of the outermost of these calls in a thread, one of this number; 0 as 1.
    pub one_in: u32,
    /// Of a trace: whether the events of all threads are in one order.
    pub total: bool,
    /// Of a trace: whether words have the classes of receivers.
    pub receivers: bool,
    /// Of a trace: whether the clock stands at the beginning and the end of each call.
    pub timed: bool,
}

/// Most groups of calls that count apart: those of a method of a drill, or the large ones of them.
pub const MOST_ROOTS: usize = 28;

/// A pattern of methods: `*` stands for any characters of a name, `**` also for those of packages.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pattern {
    /// Pattern of the class name, with dots.
    class: String,
    /// Pattern of the method name.
    method: String,
    /// The method's descriptor, if only one overload is meant.
    descriptor: Option<String>,
}

impl Scope {
    /// For each root the size from which on its calls are large, and the number of the group of these. The groups of all other calls
    /// come first, with the numbers of the roots.
    #[must_use]
    pub fn larges(&self) -> Vec<Option<(u64, usize)>> {
        let sizes = self.larges.iter().copied().chain(std::iter::repeat(0));
        let mut next = self.roots.len();
        let large = |size: u64| {
            (size > 0).then(|| {
                next += 1;
                (size, next - 1)
            })
        };
        sizes.take(self.roots.len()).map(large).collect()
    }

    /// Number of groups of calls that count apart.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.roots.len() + self.larges().iter().flatten().count()
    }

    /// Whether some methods of a class may be meant. `of_jdk` says whether it is one of the JDK's.
    #[must_use]
    pub fn has_class(&self, class: &str, of_jdk: bool) -> bool {
        self.include.iter().any(|one| self.may_mean(one, class, of_jdk))
    }

    /// Whether a pattern means all methods of a class.
    #[must_use]
    pub fn has_whole_class(&self, class: &str, of_jdk: bool) -> bool {
        let is_whole = |one: &&Pattern| one.method == "*" && one.descriptor.is_none();
        self.include.iter().filter(is_whole).any(|one| self.may_mean(one, class, of_jdk))
    }

    /// Whether a method of a class is meant.
    #[must_use]
    pub fn has(&self, class: &str, of_jdk: bool, name: &str, descriptor: &str) -> bool {
        let of_method = |one: &&Pattern| one.has_method(name, descriptor);
        self.include.iter().filter(of_method).any(|one| self.may_mean(one, class, of_jdk))
            && !self.exclude.iter().filter(of_method).any(|one| one.means(class))
    }

    /// If only what runs within calls is traced and a method's are such: of how many one is.
    #[must_use]
    pub fn within(&self, class: &str, name: &str, descriptor: &str) -> Option<u32> {
        // A constructor that an exception leaves before the call of another one ends without a word.
        let is_meant = name != "<init>" && self.within.iter().any(|one| one.names(class, name, descriptor));
        is_meant.then_some(self.one_in.max(1))
    }

    fn may_mean(&self, pattern: &Pattern, class: &str, of_jdk: bool) -> bool {
        (self.jdk || !of_jdk || !pattern.class.starts_with('*')) && pattern.means(class)
    }
}

impl Pattern {
    /// All methods of all classes.
    #[must_use]
    pub fn all() -> Self {
        Self { class: "**".to_owned(), method: "*".to_owned(), descriptor: None }
    }

    /// Reads `com.shop.Parser#next*`, `com.shop.**`, or a method as in a task file with its descriptor, such
    /// as `com/shop/Parser.next(I)V`. Without `#` all methods are meant.
    ///
    /// # Errors
    /// The mistake in the pattern, with a correct example.
    pub fn parse(text: &str) -> Result<Self, String> {
        const EXAMPLES: &str =
            "write it as in 'com.shop.Parser#next*', 'com.shop.**' or 'com/shop/Parser.next(I)V'";
        if let Some((name, parameters)) = text.split_once('(') {
            let found = (!name.contains('#')).then(|| name.rsplit_once('.')).flatten();
            let Some((class, method)) = found.filter(|_| parameters.contains(')')) else {
                return Err(format!("{text}: an overload is named with its descriptor; {EXAMPLES}"));
            };
            return Ok(Self {
                class: class.replace('/', "."),
                method: method.to_owned(),
                descriptor: Some(format!("({parameters}")),
            });
        }
        let (class, method) = text.split_once('#').unwrap_or((text, "*"));
        let is_name = |name: &str, more: &str| {
            !name.is_empty()
                && !name.contains(|c: char| c.is_whitespace() || "#;[():@".contains(c) || more.contains(c))
        };
        if !is_name(class, "<>") || !is_name(method, "./") {
            return Err(format!("{text} is not a pattern of methods; {EXAMPLES}"));
        }
        let method = if method == "new" { "<init>" } else { method };
        Ok(Self { class: class.replace('/', "."), method: method.to_owned(), descriptor: None })
    }

    /// Whether a method of a class, with slashes, is meant.
    #[must_use]
    pub fn names(&self, class: &str, name: &str, descriptor: &str) -> bool {
        self.means(class) && self.has_method(name, descriptor)
    }

    /// Whether a class, with slashes, is meant. In Java a nested class has a dot before its name.
    fn means(&self, class: &str) -> bool {
        let class = class.replace('/', ".");
        glob::matches_path(&self.class, &class)
            || class.contains('$') && glob::matches_path(&self.class, &class.replace('$', "."))
    }

    fn has_method(&self, name: &str, descriptor: &str) -> bool {
        self.descriptor.as_ref().is_none_or(|wanted| wanted == descriptor)
            && glob::matches(&self.method, name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_methods_of_classes() {
        let pattern = Pattern::parse("a.B#next*").unwrap();
        assert!(pattern.names("a/B", "nextInt", "()I"));
        assert!(!pattern.names("a/B", "last", "()I") && !pattern.names("a/C", "nextInt", "()I"));
    }

    fn scope(include: &[&str], exclude: &[&str], jdk: bool) -> Scope {
        let all = |texts: &[&str]| texts.iter().map(|text| Pattern::parse(text).unwrap()).collect();
        Scope { include: all(include), exclude: all(exclude), jdk, ..Scope::default() }
    }

    #[test]
    fn stars_stand_for_characters_of_a_name_or_of_packages() {
        for (pattern, class, expected) in [
            ("a.B", "a/B", true),
            ("a.B", "a/BC", false),
            ("a.*", "a/B$C", true),
            ("a.B.C", "a/B$C", true),
            ("a.B.*", "a/B$C", true),
            ("a.*", "a/b/C", false),
            ("a.**", "a/b/C", true),
            ("**", "a/b/C", true),
            ("*", "C", true),
            ("*", "a/C", false),
            ("**.C*r", "a/b/Car", true),
            ("**.C*r", "a/b/C/r", false),
        ] {
            assert_eq!(scope(&[pattern], &[], true).has_class(class, false), expected, "{pattern} {class}");
        }
    }

    #[test]
    fn methods_are_meant_by_class_name_and_descriptor() {
        let some = scope(&["com.shop.Parser#next*", "a/B.f(I)V"], &["com.shop.**#nextLine"], false);
        assert!(some.has("com/shop/Parser", false, "next", "()V"));
        assert!(!some.has("com/shop/Parser", false, "nextLine", "()V"), "it is left out");
        assert!(!some.has("com/shop/Parser", false, "peek", "()V"));
        assert!(some.has("a/B", false, "f", "(I)V") && !some.has("a/B", false, "f", "(J)V"));
        assert!(some.has_class("a/B", false) && !some.has_class("a/C", false));
    }

    #[test]
    fn the_jdk_is_meant_by_name_or_by_order() {
        let all = Scope { include: vec![Pattern::all()], ..Scope::default() };
        assert!(all.has_class("a/B", false) && !all.has_class("java/util/List", true));
        assert!(Scope { jdk: true, ..all }.has_class("java/util/List", true));
        assert!(scope(&["java.util.*"], &[], false).has_class("java/util/List", true));
    }

    #[test]
    fn mistakes_are_answered_with_examples() {
        for text in ["@a.B", "a.B::f", "", "#f", "a.B#", "a.B#f(int)", "a B", "a/B.f(I", "f(I)V", "a.B#c.d"] {
            let error = Pattern::parse(text).unwrap_err();
            assert!(error.contains("com.shop.**"), "{text}: {error}");
        }
    }
}
