//! Place and release of a JDK.

use super::regular;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder with a JDK or a Java runtime in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    /// The JDK's home, the folder with `bin`, `lib` and `release`.
    pub home: PathBuf,
    /// The release, for instance 17; `None` if it is unknown.
    pub release: Option<u32>,
}

impl Jdk {
    /// The JDK in `home`.
    #[must_use]
    pub fn at(home: &Path) -> Self {
        const MOST_BYTES: u64 = 1 << 20;
        let text = regular::read(&home.join("release"), MOST_BYTES).unwrap_or_default();
        Self { home: home.to_owned(), release: release(&String::from_utf8_lossy(&text)) }
    }

    /// The JDK of `$JAVA_HOME`, else that of the `java` on the path; `None` without either.
    #[must_use]
    pub fn installed() -> Option<Self> {
        let named = env::var_os("JAVA_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        if let Some(home) = named {
            return Some(Self::at(&home));
        }
        let path = env::var_os("PATH")?;
        let java = env::split_paths(&path).map(|folder| folder.join("java")).find(|java| java.is_file())?;
        Self::of_launcher(&java)
    }

    /// The JDK of this launcher `bin/java`, with links followed.
    #[must_use]
    pub fn of_launcher(java: &Path) -> Option<Self> {
        // Names below the root folder of another process are as they are; the C library would read the folder itself as
        // a link to our own.
        let is_resolved =
            java.strip_prefix("/proc").is_ok_and(|rest| rest.iter().nth(1) == Some("root".as_ref()));
        let java = if is_resolved { java.to_owned() } else { fs::canonicalize(java).ok()? };
        let bin = java.parent().filter(|bin| bin.ends_with("bin"))?;
        bin.parent().map(Self::at)
    }
}

/// The release in a file of lines like `JAVA_VERSION="17.0.15"`.
fn release(text: &str) -> Option<u32> {
    let version = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    version.trim_matches('"').split(['.', '-', '+']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read() {
        let check = |text: &str, expected| assert_eq!(release(text), expected, "{text}");
        check("IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"17.0.15\"\n", Some(17));
        check("JAVA_VERSION=\"25\"", Some(25));
        check("JAVA_VERSION=\"26-ea\"", Some(26));
        check("", None);
    }
}
