//! A JDK's tools, and the classes that they compile.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A tool of the JDK in `JAVA_HOME`, else of the one on the path.
pub fn tool(name: &str) -> Command {
    match std::env::var_os("JAVA_HOME") {
        Some(home) => Command::new(Path::new(&home).join("bin").join(name)),
        None => Command::new(name),
    }
}

/// Runs a command that must succeed; returns its output.
pub fn run(command: &mut Command) -> String {
    let output = command.output();
    let output = output.expect("a JDK's javac is needed: install one or point JAVA_HOME at it");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}\n{err}", output.status);
    out.into_owned()
}

/// The programs of the end-to-end tests, compiled into a folder of that name.
pub fn classes(folder: &str) -> Vec<Vec<u8>> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests-java");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    run(tool("javac").args(["-g", "--release", "11", "-d"]).arg(&folder).args(files(&sources, "java")));
    let classes: Vec<_> = files(&folder, "class").iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(classes.len() > 10, "there are programs to compile");
    classes
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files.sort();
    files
}
