//! Sample spaces: which classes and methods a value is about.

use crate::filter::Filter;
use spl_model::{JDK, Pattern, Scope};

/// The names of StarJ (its `SampleSpace`), by which Lucene and FOP are libraries too.
pub const STARJ: &[&str] =
    &["java.", "javax.", "sun.", "com.sun.", "com.ibm.", "org.xml.", "org.w3c.", "org.apache."];

/// The classes that count as a library, by the beginnings of their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    prefixes: Vec<String>,
}

impl Default for Library {
    fn default() -> Self {
        Self::of(JDK)
    }
}

impl Library {
    fn of(prefixes: &[&str]) -> Self {
        Self { prefixes: prefixes.iter().map(|&prefix| prefix.to_owned()).collect() }
    }

    /// Reads `java.*,kotlin.` or `starj`.
    ///
    /// # Errors
    /// The mistake, with a correct example.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "starj" {
            return Ok(Self::of(STARJ));
        }
        let is_name = |name: &&str| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$'))
        };
        let prefixes: Vec<&str> = text.split(',').map(|one| one.trim().trim_end_matches('*')).collect();
        match prefixes.iter().all(is_name) {
            true => Ok(Self::of(&prefixes)),
            false => {
                Err(format!("{text}: expected beginnings of class names, as in 'java.*,kotlin.', or starj"))
            }
        }
    }

    /// Whether a class, with slashes, is one of the library's.
    #[must_use]
    pub fn has(&self, class: &str) -> bool {
        let class = class.replace('/', ".");
        self.prefixes.iter().any(|prefix| class.starts_with(&**prefix))
    }
}

/// A sample space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// Its name.
    pub name: String,
    which: Which,
    /// The methods of it that are kept.
    filter: Filter,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Which {
    Whole,
    Application(Library),
    Library(Library),
    Named(Vec<Pattern>),
}

impl Space {
    /// The spaces that each analysis has: whole, app and lib.
    #[must_use]
    pub fn usual(library: &Library) -> Vec<Self> {
        let space = |name: &str, which| Self { name: name.to_owned(), which, filter: Filter::default() };
        vec![
            space("whole", Which::Whole),
            space("app", Which::Application(library.clone())),
            space("lib", Which::Library(library.clone())),
        ]
    }

    /// Reads `NAME=PATTERN`, with a pattern of methods.
    ///
    /// # Errors
    /// The mistake, with a correct example.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some((name, pattern)) = text.split_once('=') else {
            return Err(format!("{text}: expected NAME=PATTERN, as in parser='com.shop.Parser#*'"));
        };
        let is_name =
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
        if !is_name || ["whole", "app", "lib"].contains(&name) {
            return Err(format!(
                "{name:?} cannot be the name of a space: take letters, digits, - and _, as in parser"
            ));
        }
        Ok(Self::of(name, Pattern::parse(pattern)?))
    }

    /// The methods of a pattern, under a name.
    #[must_use]
    pub fn of(name: &str, pattern: Pattern) -> Self {
        Self { name: name.to_owned(), which: Which::Named(vec![pattern]), filter: Filter::default() }
    }

    /// Adds the methods of another space that patterns name.
    pub fn add(&mut self, other: Self) {
        if let (Which::Named(patterns), Which::Named(more)) = (&mut self.which, other.which) {
            patterns.extend(more);
        }
    }

    /// The same space without the methods that a filter skips.
    #[must_use]
    pub fn filtered(self, filter: Filter) -> Self {
        Self { filter, ..self }
    }

    /// Whether a filter may skip methods of it.
    #[must_use]
    pub fn is_filtered(&self) -> bool {
        !self.filter.is_empty()
    }

    /// Whether patterns name its methods.
    #[must_use]
    pub fn is_named(&self) -> bool {
        matches!(self.which, Which::Named(_))
    }

    /// Whether the JDK's classes belong to it.
    #[must_use]
    pub fn has_jdk(&self) -> bool {
        matches!(self.which, Which::Whole | Which::Library(_))
    }

    /// Whether some methods of a class, which is named with slashes, may belong to it.
    #[must_use]
    pub fn has_class(&self, class: &str) -> bool {
        match &self.which {
            Which::Whole => true,
            Which::Application(library) => !library.has(class),
            Which::Library(library) => library.has(class),
            Which::Named(patterns) => {
                Scope { include: patterns.clone(), jdk: true, ..Scope::default() }.has_class(class, true)
            }
        }
    }

    /// Whether a method of a class that may belong to it does so, and no filter skips it.
    #[must_use]
    pub fn has_method(&self, class: &str, name: &str, descriptor: &str) -> bool {
        self.is_of_it(class, name, descriptor) && self.filter.keeps(class, name, descriptor)
    }

    /// Whether a method of a class that may belong to it does so, and a filter skips it.
    #[must_use]
    pub fn skips(&self, class: &str, name: &str, descriptor: &str) -> bool {
        self.is_of_it(class, name, descriptor) && !self.filter.keeps(class, name, descriptor)
    }

    fn is_of_it(&self, class: &str, name: &str, descriptor: &str) -> bool {
        match &self.which {
            Which::Named(patterns) => patterns.iter().any(|one| one.names(class, name, descriptor)),
            Which::Whole | Which::Application(_) | Which::Library(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_of_the_library_by_its_name() {
        let [jdk, starj] = [Library::default(), Library::parse("starj").unwrap()];
        for (class, by_jdk, by_starj) in [
            ("java/util/List", true, true),
            ("javax/inject/Inject", false, true),
            ("org/apache/lucene/Index", false, true),
            ("jdk/internal/misc/VM", true, false),
            ("javafx/Scene", false, false),
            ("com/shop/Parser", false, false),
            ("Main", false, false),
        ] {
            assert_eq!((jdk.has(class), starj.has(class)), (by_jdk, by_starj), "{class}");
        }
        let own = Library::parse("java.*, kotlin.").unwrap();
        assert!(own.has("kotlin/Unit") && own.has("java/lang/Object") && !own.has("jdk/internal/misc/VM"));
        assert!(Library::parse("java.*,").unwrap_err().contains("starj"));
    }

    #[test]
    fn spaces_are_named_and_have_methods() {
        let space = Space::parse("parser=com.shop.Parser#next*").unwrap();
        assert_eq!(space.name, "parser");
        assert!(space.has_class("com/shop/Parser") && !space.has_class("com/shop/Cart"));
        assert!(space.has_method("com/shop/Parser", "nextInt", "()I"));
        assert!(!space.has_method("com/shop/Parser", "last", "()I"));
        for wrong in ["parser", "=a.B", "app=a.B", "a b=a.B", "x=@a.B"] {
            assert!(Space::parse(wrong).is_err(), "{wrong}");
        }
        let names = |class| {
            let all = Space::usual(&Library::default());
            all.into_iter().filter(|space| space.has_class(class)).map(|space| space.name).collect::<Vec<_>>()
        };
        assert_eq!(names("java/util/List"), ["whole", "lib"]);
        assert_eq!(names("a/B"), ["whole", "app"]);
    }
}
