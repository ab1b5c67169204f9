//! README and guide: every command in them is run, every unit checked, every link followed.
//!
//! A block ```` ```console ```` has commands after `$ `, which run in order in one folder per page; `make` has targets, `systemd
//! NAME` a unit. There are no other blocks, and none without a fence.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Longer than any command takes on a machine that is busy with other tests.
const DEADLINE: Duration = Duration::from_secs(120);
const PAGES: [&str; 2] = ["README.md", "docs/guide.md"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the project's root folder")
}

fn page(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// The fenced blocks of a page: what stands behind the fence, and the text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (index, part) in page.split("\n```").enumerate() {
        let (first, rest) = part.split_once('\n').unwrap_or((part, ""));
        if index % 2 == 1 {
            found.push((first.to_owned(), rest.to_owned()));
        } else {
            let bare = rest.split("\n\n").find(|text| text.starts_with("    "));
            assert_eq!(bare, None, "a block without a fence is not tested");
        }
    }
    found
}

/// The commands of the console blocks; further lines of a command have no `$ `.
fn commands(page: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for (_, block) in blocks(page).iter().filter(|(info, _)| info == "console") {
        for line in block.lines() {
            match line.strip_prefix("$ ") {
                Some(command) => commands.push(command.to_owned()),
                None => *commands.last_mut().unwrap() += &format!("\n{line}"),
            }
        }
    }
    commands
}

fn succeeded(output: &Output) -> String {
    let said =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    said
}

/// The operator's program: a JAR that is started by itself.
fn service_jar(folder: &Path) {
    let sources = root().join("tests-java/service/com/example");
    let mut javac = Command::new("javac");
    javac.args(["--release", "11", "-Xlint:all", "-Werror", "-d"]).arg(folder.join("classes"));
    succeeded(&javac.arg(sources.join("Service.java")).arg(sources.join("Parser.java")).output().unwrap());
    let mut jar = Command::new("jar");
    jar.args([
        "--create",
        "--file",
        "service.jar",
        "--main-class",
        "com.example.Service",
        "-C",
        "classes",
        ".",
    ]);
    succeeded(&jar.current_dir(folder).output().unwrap());
}

/// Time for which a claim may stay undecided, as on a busy machine, before the program ends.
const LONGEST_RUN: Duration = Duration::from_secs(20);

/// Ends the program when its measurement is over, as the state of the run says, or has gone on for long.
fn end_measured_programs(folder: &Path, is_over: &AtomicBool) {
    let mut waiting = vec![("out", None::<Instant>), ("served", None)];
    while !is_over.load(Ordering::Relaxed) {
        for (out, began) in &mut waiting {
            if began.is_none() && folder.join(out).join("run.json").exists() {
                *began = Some(Instant::now());
            }
        }
        let finished = |(out, began): &(&str, Option<Instant>)| {
            let state = fs::read(folder.join(out).join("run.json")).unwrap_or_default();
            let state: Value = serde_json::from_slice(&state).unwrap_or_default();
            state["finished"] == true || began.is_some_and(|began| began.elapsed() > LONGEST_RUN)
        };
        if let Some(index) = waiting.iter().position(finished) {
            // That of an earlier command says no more.
            waiting.remove(index);
            fs::write(folder.join("stop"), "").unwrap();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Runs a page's commands in order, in one shell.
fn run(path: &str) {
    let folder = tempfile::tempdir().unwrap();
    service_jar(folder.path());
    let spl = PathBuf::from(env!("CARGO_BIN_EXE_spl"));
    assert!(spl.with_file_name("libspl_agent.so").is_file(), "run cargo build -p spl-agent");
    let search = format!("{}:{}", spl.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut script = String::new();
    for command in commands(&page(path)) {
        // 1 and 3 are verdicts; what is asserted here holds, but a busy machine may leave it undecided.
        script += &format!("rm -f stop\n{command}\nstatus=$?\n");
        script += "[ $status = 0 ] || [ $status = 3 ] || { echo \"status $status\" >&2; exit 9; }\n";
    }
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| end_measured_programs(folder.path(), &is_over));
        let mut bash = Command::new("bash");
        bash.args(["--norc", "-c", &script]).current_dir(folder.path()).env("PATH", search);
        bash.env("TMPDIR", folder.path()).env_remove("XDG_RUNTIME_DIR").env_remove("SPL_SERVER_CONFIG");
        let mut bash =
            bash.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let until = Instant::now() + DEADLINE;
        while bash.try_wait().unwrap().is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = bash.kill();
        let _ = fs::write(folder.path().join("stop"), "");
        let output = bash.wait_with_output().unwrap();
        is_over.store(true, Ordering::Relaxed);
        let said = succeeded(&output);
        assert!(said.contains("some digits were counted: true"), "{said}");
    });
}

#[test]
fn the_commands_of_the_readme_work() {
    run("README.md");
}

#[test]
fn the_commands_of_the_guide_work() {
    run("docs/guide.md");
}

#[test]
fn every_block_is_of_a_kind_that_is_tested() {
    for path in PAGES {
        let found = blocks(&page(path));
        assert!(found.iter().any(|(info, _)| info == "console"), "{path}");
        for (info, block) in found {
            match info.as_str() {
                "console" => assert!(block.starts_with("$ "), "{block}"),
                "make" => {
                    for line in block.lines() {
                        let make = line.strip_prefix("make ").unwrap().split(' ');
                        let mut dry = Command::new("make");
                        succeeded(&dry.arg("--dry-run").args(make).current_dir(root()).output().unwrap());
                    }
                }
                _ => assert!(info.starts_with("systemd "), "{path}: a block of kind {info:?}"),
            }
        }
    }
}

#[test]
fn systemd_accepts_the_units() {
    let folder = tempfile::tempdir().unwrap();
    let page = page("docs/guide.md");
    let units = blocks(&page).into_iter().filter_map(|(info, unit)| {
        let name = info.strip_prefix("systemd ")?.to_owned();
        // Paths of installed files become paths of this build.
        let unit =
            unit.replace("/opt/spl/spl", env!("CARGO_BIN_EXE_spl")).replace("/usr/bin/java", "/bin/sh");
        fs::write(folder.path().join(&name), unit.replace("User=service", "User=root")).unwrap();
        Some(name)
    });
    let units = units.collect::<Vec<_>>();
    assert_eq!(units, ["service.service", "spl.service"]);
    let mut verify = Command::new("systemd-analyze");
    // With the folder first, units find each other there.
    let path = format!("{}:", folder.path().display());
    verify
        .args(["verify", "--man=no"])
        .args(&units)
        .current_dir(folder.path())
        .env("SYSTEMD_UNIT_PATH", path);
    match verify.output() {
        Ok(output) => {
            let said = succeeded(&output);
            assert!(!said.contains("service.service") && !said.contains("spl.service"), "{said}");
        }
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{error}"),
    }
    // Their command lines are ours to check: the options exist.
    let page = page.replace("\\\n", " ");
    for line in page.lines().filter_map(|line| line.strip_prefix("ExecStart=/opt/spl/spl ")) {
        let (command, rest) = line.split_once(' ').unwrap();
        let help =
            succeeded(&Command::new(env!("CARGO_BIN_EXE_spl")).args([command, "--help"]).output().unwrap());
        let options = rest.split(" -- ").next().unwrap().split(' ').filter(|word| word.starts_with("--"));
        for option in options {
            assert!(
                help.contains(&format!("{option} ")) || help.contains(&format!("{option}\n")),
                "{option}"
            );
        }
    }
}

#[test]
fn links_lead_somewhere() {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|file| file.unwrap().path());
    let pages =
        docs.filter(|path| path.extension().is_some_and(|e| e == "md")).chain([root().join("README.md")]);
    let mut links = 0;
    for path in pages {
        let text = fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            if file.contains("://") || link.contains([' ', '\n', '`']) {
                continue;
            }
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: {link}", path.display());
            let headings =
                || fs::read_to_string(&target).unwrap().lines().filter_map(anchor).collect::<Vec<_>>();
            assert!(
                heading.is_empty() || headings().contains(&heading.to_owned()),
                "{}: {link}",
                path.display()
            );
            links += 1;
        }
    }
    assert!(links > 20, "only {links} were found");
}

/// How a heading is linked to.
fn anchor(line: &str) -> Option<String> {
    let title = line.starts_with('#').then(|| line.trim_start_matches('#').trim())?;
    let letter = |c: char| {
        if c == ' ' { Some('-') } else { (c.is_alphanumeric() || c == '-').then(|| c.to_ascii_lowercase()) }
    };
    Some(title.chars().filter_map(letter).collect())
}
