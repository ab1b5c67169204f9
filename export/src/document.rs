//! `drill.json`: what was counted, and in which classes. Fields that nothing here needs are not looked at.

use crate::allocations::ALLOCATIONS;
use crate::fault::{AGAIN, Fault, OTHER_VERSION};
use serde::Deserialize;
use spl_model::{DrillKind, OfCalls};
use std::collections::BTreeMap;

/// Name of the file.
pub const DOCUMENT: &str = "drill.json";
/// Name and version of its form.
const SCHEMA: &str = "spl.drill/1";
/// Kinds of counts that the tables of a drill may have.
const KNOWN: [&str; 5] = [COUNTED[0], COUNTED[1], COUNTED[2], COUNTED[3], "cover"];
/// The kinds that say how often.
const COUNTED: [&str; 4] = ["blocks", "calls", "paths", "receivers"];

/// The part of `drill.json` that says what its tables mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The program's main class or JAR with its arguments.
    pub command: String,
    /// The classes that counted, in the order of the tables.
    pub classes: Vec<CountedClass>,
    /// Why counts may not be exact, one sentence each; none for exact ones.
    pub doubts: Vec<String>,
    /// Classes and methods that were to count and did not, with the reason.
    pub left: BTreeMap<String, String>,
    /// Whether its tables say how often blocks ran, not only whether.
    pub has_counts: bool,
    /// Whether it has the table of arcs.
    pub of_calls: Option<OfCalls>,
    /// Whether it has the sizes of what was made.
    pub has_sizes: bool,
    /// Which methods were to count.
    pub scope: Scope,
    /// Digests of its tables (SHA-256 in hexadecimal digits), by their names; none in files of earlier programs.
    pub tables: BTreeMap<String, String>,
}

/// The methods that were to count, as the command line named them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Whether all methods of all classes were meant, but for those of `not` and of the JDK.
    pub all: bool,
    /// Whether the JDK's classes were meant too.
    pub jdk: bool,
    /// Patterns of methods that were left out.
    pub not: Vec<String>,
}

/// A class that counted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CountedClass {
    /// Its name, with slashes.
    pub name: String,
    /// SHA-256 of its class file, in lower-case hexadecimal digits.
    pub sha256: String,
    /// Size of its class file, bytes.
    pub bytes: u64,
    /// Number of its methods that counted.
    pub methods: usize,
}

#[derive(Deserialize)]
struct Version {
    schema: String,
}

#[derive(Deserialize)]
struct Raw {
    what: Vec<String>,
    command: String,
    doubts: Vec<String>,
    classes: Vec<CountedClass>,
    left: Vec<Left>,
    #[serde(default)]
    all: bool,
    #[serde(default)]
    jdk: bool,
    #[serde(default)]
    not: Vec<String>,
    #[serde(default)]
    tables: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Left {
    name: String,
    #[serde(default)]
    why: String,
}

impl Document {
    /// Reads `drill.json`; its version first.
    ///
    /// # Errors
    /// When it is damaged or of another version, or has no counts of blocks.
    pub fn read(bytes: &[u8]) -> Result<Self, Fault> {
        if bytes.is_empty() {
            let remedy = "wait for its end; if it was killed, run it again";
            return Err(Fault::new(DOCUMENT, "it is empty: the drill has not ended", remedy));
        }
        let broken = |error: serde_json::Error| Fault::new(DOCUMENT, error, AGAIN);
        let Version { schema } = serde_json::from_slice(bytes).map_err(broken)?;
        if schema != SCHEMA {
            let schema = spl_model::one_line(&schema);
            let reason = format!("its form is {schema:?}, and this is for {SCHEMA:?}");
            return Err(Fault::new(DOCUMENT, reason, OTHER_VERSION));
        }
        let Raw { what, command, doubts, classes, left, all, jdk, not, tables } =
            serde_json::from_slice(bytes).map_err(broken)?;
        if what.iter().any(|what| what == "time") {
            let remedy = "drill with --what blocks or calls too; times.csv has the times";
            return Err(Fault::new(DOCUMENT, "it has times of methods, and no counts", remedy));
        }
        if what == ["trace"] {
            let remedy = "drill with --what trace,blocks, or look at it with `spl trace`";
            return Err(Fault::new(DOCUMENT, "it has a trace, and no counts", remedy));
        }
        if !what.iter().any(|what| KNOWN.contains(&what.as_str())) {
            let reason = format!("it has counts of {what:?}, and this is for {KNOWN:?}");
            return Err(Fault::new(DOCUMENT, reason, OTHER_VERSION));
        }
        let wrong = |class: &&CountedClass| class.sha256.len() != 64 || !class.sha256.bytes().all(is_digit);
        if let Some(class) = classes.iter().find(wrong) {
            let name = spl_model::one_line(&class.name);
            return Err(Fault::new(DOCUMENT, format!("the digest of {name} has not 64 digits"), AGAIN));
        }
        let left = left.into_iter().map(|left| (left.name, left.why)).collect();
        let has_counts = what.iter().any(|what| COUNTED.contains(&what.as_str()));
        let is_of = |of| what.iter().any(|what| what == DrillKind::Calls(of).name());
        let of_calls = [OfCalls::Entered, OfCalls::Receivers].into_iter().find(|of| is_of(*of));
        let has_sizes = of_calls.is_some() && tables.contains_key(ALLOCATIONS);
        let scope = Scope { all, jdk, not };
        Ok(Self { command, classes, doubts, left, has_counts, of_calls, has_sizes, scope, tables })
    }
}

/// Whether a byte is a lower-case hexadecimal digit. Names of files are made of them.
fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        Document::read(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn the_version_comes_first() {
        let said = fault(r#"{"schema": "spl.drill/2", "what": 7}"#);
        assert!(said.starts_with("drill.json: its form is \"spl.drill/2\""), "{said}");
        assert!(said.contains("use the version"), "{said}");
        assert!(fault("").contains("has not ended"));
        assert!(fault("{").contains("line 1"));
        assert!(fault(r#"{"schema": "spl.drill/1"}"#).contains("what"));
    }

    #[test]
    fn other_counts_and_names_that_are_no_digests_are_refused() {
        let with = |what: &str, digest: &str| {
            format!(
                r#"{{"schema": "spl.drill/1", "what": ["{what}"], "command": "M", "doubts": [], "left": [], "more": 1, "classes":
                [{{"name": "a/B", "sha256": "{digest}", "bytes": 1, "methods": 0, "from_start": true}}]}}"#
            )
        };
        let digest = "0123456789abcdef".repeat(4);
        for what in KNOWN {
            let read = Document::read(with(what, &digest).as_bytes()).unwrap();
            assert_eq!((read.classes[0].name.as_str(), read.command.as_str()), ("a/B", "M"));
        }
        assert!(fault(&with("loops", &digest)).contains("counts of [\"loops\"]"));
        assert!(fault(&with("time", &digest)).contains("times.csv"));
        assert!(fault(&with("blocks", "../../etc/passwd")).contains("64 digits"));
        assert!(fault(&with("blocks", &digest.to_uppercase())).contains("64 digits"));
    }
}
