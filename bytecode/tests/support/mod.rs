//! A JDK to compile with and to run: the one in `JAVA_HOME`, else the one on `PATH`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Folder of the tests' Java sources.
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java")
}

/// An empty folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let folder = match option_env!("CARGO_TARGET_TMPDIR") {
        Some(temporary) => Path::new(temporary).join(name),
        // Cargo sets a folder only for tests and benchmarks.
        None => std::env::temp_dir().join(format!("spl-{name}-{}", std::process::id())),
    };
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("the folder of an earlier run can be removed");
    }
    std::fs::create_dir_all(&folder).expect("the target folder is writable");
    folder
}

/// A tool of the JDK, such as `javac`.
pub fn tool(name: &str) -> Command {
    match std::env::var_os("JAVA_HOME") {
        Some(home) => Command::new(Path::new(&home).join("bin").join(name)),
        None => Command::new(name),
    }
}

/// Runs a command that must succeed; returns its output on stdout.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}\n{err}", output.status);
    out.into_owned()
}

/// Compiles the probe stub; returns the folder to patch into `java.base`.
pub fn probe_stub(folder: &Path) -> PathBuf {
    let classes = folder.join("probe");
    let patch = format!("java.base={}", sources().display());
    let javac = &mut tool("javac");
    javac.args(["-nowarn", "-source", "11", "-target", "11", "--patch-module", &patch, "-d"]);
    javac.arg(&classes);
    run(javac.args(
        ["SplProbe", "SplArcs", "SplCounters", "SplFlags", "SplRoots", "SplTimes", "SplTrace"]
            .map(|name| sources().join(format!("java/lang/{name}.java"))),
    ));
    classes
}

/// All class files below `folder`.
pub fn class_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("the folder is readable") {
            let path = entry.expect("the folder is readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "class") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
