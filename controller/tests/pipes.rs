//! Output that nobody reads any more (`spl … | head -1`): every command ends quietly.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use zip::ZipWriter;

const CASE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../evaluation/validity/cases/constants");
/// SIGPIPE (signal(7)).
const PIPE_SIGNAL: i32 = 13;
/// Ours, where nobody reads.
const PANICKED: i32 = 101;

/// The end of a connection of which the other end is closed: each write fails with a broken pipe.
fn unread() -> Stdio {
    let (ours, theirs) = UnixStream::pair().unwrap();
    drop(theirs);
    OwnedFd::from(ours).into()
}

fn spl(arguments: &[&str], folder: &Path) -> Command {
    let mut spl = Command::new(env!("CARGO_BIN_EXE_spl"));
    spl.args(arguments).current_dir(folder).stdin(Stdio::null()).env("RUST_LOG", "info");
    spl
}

/// Command lines of every command that writes a text, each with the status that it has.
fn lines() -> Vec<(Vec<&'static str>, i32)> {
    let case = ["--config", "c.ini", "--tasks", "t.tasks", "--measurements", "ms"];
    let run = ["run", "--tasks", "t.tasks", "--", "sh", "-c", "echo; echo; exit 0"];
    let drill = ["drill", "--methods", "java.lang.Math", "--", "sh", "-c", "echo; echo; exit 0"];
    let top = ["top", "--methods", "java.lang.Math#max(int, int)", "--", "sh", "-c", "echo; echo; exit 0"];
    let mut lines: Vec<(Vec<&str>, i32)> = [
        (&["--help"][..], 0),
        (&["--version"], 0),
        (&["run", "--help"], 0),
        (&["methods", "java.lang.Math"], 0),
        (&["methods", "--json", "java.lang.Math"], 0),
        (&["cfg", "java.lang.Math"], 0),
        (&["cfg", "--as", "json", "java.lang.Math"], 0),
        (&["check", "ok.tasks"], 0),
        (&["check", "--json", "bad.tasks"], 2),
        (&["check", "bad.tasks"], 2),
        (&["fmt", "ok.tasks"], 0),
        (&["fmt", "--json", "bad.tasks"], 2),
        (&["completions", "bash"], 0),
        (&["man", "pages"], 0),
        (&["api-jar", "-o", "api.jar"], 0),
        (&["api-jar", "-o", "api.jar", "--json"], 0),
        (&["instrument", "--methods", "*", "api.jar", "-o", "probed.jar"], 2),
        (&["instrument", "--json", "--methods", "*", "nothing.jar", "-o", "probed.jar"], 2),
        (&["export", "drill", "--as", "csv"], 0),
        (&["export", "counted", "--as", "callgrind"], 0),
        (&["export", "counted", "--as", "speedscope"], 0),
        (&["export", "counted", "--as", "graphml"], 0),
        (&["export", "counted", "--as", "dot"], 0),
        (&["export", "counted", "--as", "calls"], 0),
        (&["export", "nowhere", "--as", "jacoco"], 2),
        (&["trace", "tree", "nowhere"], 2),
        (&["analyse", "counted"], 0),
        (&["analyse", "counted", "--as", "json"], 0),
        (&["analyse", "counted", "--as", "xml"], 0),
        (&["analyse", "--explain", "*"], 0),
        (&["analyse", "--as", "json", "nowhere"], 2),
        (&["metrics", "--", "sh", "-c", "echo; echo; exit 0"], 2),
        (&["store", "list", "--store", "runs.db"], 2),
        (&["store", "add", "nowhere", "--store", "runs.db"], 2),
        (&["query", "--saved"], 0),
        (&["query", "SELECT 1", "--store", "runs.db"], 2),
        (&["pages", "--export", "site", "--store", "runs.db"], 2),
        (&["report", "nowhere"], 2),
        (&["report", "--json", "nowhere"], 2),
        (&["client", "--require", "--token-file", "t", "--", "./nothing"], 2),
        (&["serve", "--tasks", "nothing"], 2),
        (&["attach", "--tasks", "t.tasks", "4194305"], 2),
        (&["detach", "4194305"], 2),
        (&["doctor", "4194305"], 2),
        (&["enable", "./nothing"], 2),
        (&["disable", "--root", ".", "nothing"], 0),
        (&["copy-agent", "nowhere"], 2),
        (&run, 2),
        (&top, 2),
        (&drill, 2),
        (&["top", "--methods", "nothing.*#*", "--", "java"], 2),
        (&[], 2),
    ]
    .map(|(line, status)| (line.to_vec(), status))
    .into();
    lines.push(([&["eval"], &case[..]].concat(), -1));
    lines.push(([&["eval", "--json"], &case[..]].concat(), -1));
    lines
}

/// The files of a drill of one method.
fn drill(folder: &Path) {
    let class = format!(r#"{{"name": "A", "sha256": "{}", "bytes": 1, "methods": 1}}"#, "0".repeat(64));
    drill_of(folder, &class, ["A.f()V,1,0,\n", "A.f()V,0,0,0,7,1,0,1\n"]);
}

/// The files of a drill in which nothing ran, with an archive of no class files.
fn empty_drill(folder: &Path) {
    drill_of(folder, "", ["", ""]);
    ZipWriter::new(File::create(folder.join("classes.zip")).unwrap()).finish().unwrap();
}

/// The files of a drill with these entries of `drill.json`, `methods.csv` and `blocks.csv`.
fn drill_of(folder: &Path, class: &str, [methods, blocks]: [&str; 2]) {
    fs::create_dir(folder).unwrap();
    let document = format!(
        r#"{{"schema": "spl.drill/1", "what": ["blocks"], "command": "A", "classes": [{class}], "doubts": [], "left": []}}"#
    );
    for (name, text) in [
        ("drill.json", document.as_str()),
        ("methods.csv", &format!("method,calls,thrown_out,doubt\n{methods}")),
        ("blocks.csv", &format!("method,block,first,last,lines,count,gone,m1\n{blocks}")),
        ("edges.csv", "method,from,to,kind,count\n"),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
}

fn prepare(folder: &Path) {
    fs::write(folder.join("ok.tasks"), "java.lang.Math#max(int, int) < java.lang.Math#min(int, int)\n")
        .unwrap();
    fs::write(folder.join("bad.tasks"), "a.B#c =< d.E#f\n".repeat(50)).unwrap();
    fs::create_dir(folder.join("ms")).unwrap();
    drill(&folder.join("drill"));
    empty_drill(&folder.join("counted"));
    for file in ["c.ini", "t.tasks"] {
        fs::copy(Path::new(CASE).join(file), folder.join(file)).unwrap();
    }
    for file in fs::read_dir(Path::new(CASE).join("ms")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), folder.join("ms").join(file.file_name())).unwrap();
    }
}

#[test]
fn nobody_reads_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    for (line, status) in lines() {
        let mut child = spl(&line, folder.path()).stdout(unread()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let ended = child.wait().unwrap().code();
        let noise = ["panicked", "roken pipe", "cannot print", "os error 32"];
        assert!(!noise.iter().any(|part| said.contains(part)), "{line:?}: {said}");
        assert!(
            ended.is_some_and(|code| code != PANICKED && (status < 0 || code == status)),
            "{line:?}: {ended:?}\n{said}"
        );
    }
}

#[test]
fn nobody_reads_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    for (line, status) in lines() {
        let tried = spl(&line, folder.path()).stdout(Stdio::null()).stderr(unread()).status().unwrap();
        // A process that was to become a program has the signals of one.
        if line.first() == Some(&"client") && tried.signal() == Some(PIPE_SIGNAL) {
            continue;
        }
        let ended = tried.code();
        assert!(
            ended.is_some_and(|code| code != PANICKED && (status < 0 || code == status)),
            "{line:?}: {ended:?}"
        );
    }
}

#[test]
fn every_command_is_tried() {
    let tried: BTreeSet<&str> = lines().iter().filter_map(|(line, _)| line.first().copied()).collect();
    let help = Command::new(env!("CARGO_BIN_EXE_spl")).arg("--help").output().unwrap().stdout;
    let help = String::from_utf8(help).unwrap();
    let listed =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    for line in listed.filter(|line| !line.starts_with("   ")) {
        let command = line.split_whitespace().next().unwrap();
        assert!(tried.contains(command), "{command}");
    }
}
