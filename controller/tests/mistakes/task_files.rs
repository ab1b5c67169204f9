//! Mistakes in task files: `spl check`, and commands that read a task file on their way.

use super::{blocks, data, spl, value};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A folder with the classes of `Known.java` in `classes`.
fn compiled() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut javac = Command::new("javac");
    javac.args(["--release", "11", "-d"]).arg(folder.path().join("classes")).arg(data().join("Known.java"));
    assert!(javac.status().unwrap().success());
    folder
}

/// The output of `spl check` for a task file: its status, and a line for each finding and its parts.
fn check(folder: &Path, tasks: &str) -> (i32, String) {
    fs::write(folder.join("t.tasks"), format!("{tasks}\n")).unwrap();
    let (status, document, said) = spl(folder, &["check", "--json", "--classpath", "classes", "t.tasks"]);
    let document: Value = serde_json::from_str(&document).unwrap_or_else(|error| panic!("{error}: {said}"));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut found = String::new();
    for one in document["findings"].as_array().unwrap() {
        let (severity, message) = (text(&one["severity"]), text(&one["message"]));
        writeln!(found, "at {}:{}: {severity}: {message}", one["line"], one["column"]).unwrap();
        writeln!(found, "  why: {}", text(&one["label"])).unwrap();
        if one["help"].is_string() {
            writeln!(found, "  help: {}", text(&one["help"])).unwrap();
        }
    }
    (status, found)
}

#[test]
fn each_mistake_has_its_place_its_reason_and_a_remedy_that_works() {
    let folder = compiled();
    let mut mistakes = 0;
    for block in blocks("tasks.txt") {
        let tasks = value(&block, "mistake").unwrap();
        let (status, found) = check(folder.path(), &tasks);
        let is_finding = |line: &&str| line.starts_with("at ") || line.starts_with("  ");
        let expected: String = block.lines().filter(is_finding).map(|line| format!("{line}\n")).collect();
        assert_eq!(found, expected, "{tasks}");
        assert_eq!(status.to_string(), value(&block, "status").unwrap(), "{tasks}");
        let places = found.lines().filter(|line| line.starts_with("at ")).count();
        let helps = found.lines().filter(|line| line.starts_with("  help: ")).count();
        assert_eq!(places, helps, "a finding without a remedy: {tasks}");
        let Some(corrected) = value(&block, "corrected") else {
            assert_eq!(places, 0, "no corrected form: {tasks}");
            continue;
        };
        mistakes += 1;
        assert_eq!(check(folder.path(), &corrected), (0, String::new()), "{corrected}");
    }
    assert_eq!(mistakes, 42, "mistakes in the file");
}

#[test]
fn the_text_shows_the_line_and_marks_the_place() {
    let folder = compiled();
    fs::write(folder.path().join("t.tasks"), "# one\nacme.Known#one < acme.Known#tow\n").unwrap();
    let (status, shown, _) = spl(folder.path(), &["check", "--quiet", "--classpath", "classes", "t.tasks"]);
    let expected = "error: no such method\n --> t.tasks:2:18\n  |\n2 | acme.Known#one < acme.Known#tow\n  \
        |                  ^^^^^^^^^^^^^^ its class has none of this name\n  |\n  = help: did you mean";
    assert!(status == 1 && shown.starts_with(expected), "{shown}");
}

/// Without a named class path spl would look in a running JVM.
#[test]
fn no_task_file_is_refused_without_a_reason() {
    let folder = compiled();
    let at = folder.path();
    fs::create_dir(at.join("samples")).unwrap();
    fs::write(at.join("t.tasks"), "a/B.f()V <= d.E#f\n").unwrap();
    let run = ["run", "--tasks", "t.tasks", "--classpath", "classes", "--"];
    let java = [&run[..], &["java", "-cp", "classes", "acme.Known"]].concat();
    let script = [&run[..], &["sh", "-c", "exit 7"]].concat();
    let eval = ["eval", "--tasks", "t.tasks", "--measurements", "samples"];
    for arguments in [&java[..], &script, &eval] {
        let (status, _, said) = spl(at, arguments);
        let expected =
            ["no such class", "t.tasks:1:13", "in no entry of the class path", "--classpath names another"];
        assert!(status == 2 && expected.iter().all(|text| said.contains(text)), "{arguments:?}: {said}");
        // The agent looks for methods with a descriptor in the program itself.
        assert!(!said.contains("t.tasks:1:1\n"), "{said}");
    }
    fs::write(at.join("t.tasks"), "acme.Known#one <= 1 s\n").unwrap();
    let with_classes = ["--classpath", "classes"];
    let (_, _, said) = spl(at, &[&eval[..], &with_classes].concat());
    assert!(!said.contains("no such class"), "{said}");
}

#[test]
fn a_method_that_no_class_has_is_answered_with_the_nearest() {
    let folder = compiled();
    let said = |pattern: &str| spl(folder.path(), &["methods", "--classpath", "classes", pattern]);
    let check = |pattern: &str, expected: &str| {
        let (status, _, said) = said(pattern);
        assert!(status == 1 && said.contains(expected), "{pattern}: {said}");
    };
    check("acme.Known#oen", "did you mean `acme.Known#one(long)`?");
    check("acme.Knwon#one", "did you mean the class acme.Known?");
    check("acme.Known$Max#pickAll", "it is inherited: write `acme.Known$Base#pickAll(java.util.List)`");
    check("acme.Known#zzzzzzz", "no method matches this\n");
    assert_eq!(said("acme.Known#one").0, 0);
}
