//! Mistakes of operators as data: in task files and in configurations. The `spl` command names place, reason and remedy of
//! each, and a file that follows the remedy is accepted.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod configuration;
mod task_files;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Files of this test.
fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes")
}

/// Runs `spl` in `folder`; gives its status, and what it printed on either stream.
fn spl(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spl"));
    command.args(arguments).current_dir(folder);
    for variable in ["SPL_SERVER_CONFIG", "PROCESSOR_JAR"] {
        command.env_remove(variable);
    }
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

/// The blocks of a data file, without its comments: each is separated by an empty line.
fn blocks(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(data().join(name)).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with("##"));
    let text = lines.collect::<Vec<_>>().join("\n");
    text.split("\n\n")
        .map(|block| block.trim_matches('\n').to_owned())
        .filter(|block| !block.is_empty())
        .collect()
}

/// The text after a key at the start of a line; `\n` in it stands for the end of a line.
fn value(block: &str, key: &str) -> Option<String> {
    let line = block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))?;
    Some(line.replace("\\n", "\n"))
}
