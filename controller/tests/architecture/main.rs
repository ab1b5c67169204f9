//! Promises of `docs/ARCHITECTURE.md` about the workspace: which crate knows which, where there may be unsafe
//! code, and that its files use each other in one direction, what a panic does, what is loaded into the
//! measured process, and that the page's files exist.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test is about some of the values")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod circles;
mod source;

use circles::Crate;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates that each crate may use. A new arrow is a decision, to be made here.
const ARROWS: &[(&str, &[&str])] = &[
    ("spl-model", &[]),
    ("spl-lang", &["spl-model"]),
    ("spl-stats", &[]),
    ("spl-verdict", &["spl-lang", "spl-stats", "spl-model"]),
    ("spl-scheduler", &["spl-verdict", "spl-model", "spl-lang"]),
    ("spl-records", &["spl-model", "spl-verdict"]),
    ("spl-wire", &["spl-model"]),
    ("spl-report", &["spl-verdict", "spl-stats", "spl-records", "spl-draw", "spl-model"]),
    ("spl-classfile", &["spl-model"]),
    ("spl-graph", &["spl-classfile", "spl-model"]),
    ("spl-bytecode", &["spl-classfile", "spl-graph", "spl-model"]),
    ("spl-profile", &["spl-classfile", "spl-graph", "spl-model"]),
    ("spl-export", &["spl-profile", "spl-classfile", "spl-graph", "spl-model"]),
    ("spl-analysis", &["spl-export", "spl-graph", "spl-lang", "spl-classfile", "spl-model"]),
    ("spl-store", &["spl-analysis", "spl-export", "spl-graph", "spl-records", "spl-verdict", "spl-model"]),
    ("spl-trace", &["spl-graph", "spl-model"]),
    ("spl-draw", &[]),
    ("spl-agent", &["spl-wire", "spl-bytecode", "spl-model"]),
    ("spl-classes", &["spl-bytecode", "spl-lang", "spl-model"]),
    ("spl-attach", &[]),
    ("spl-session", &["spl-scheduler", "spl-verdict", "spl-records", "spl-wire", "spl-lang", "spl-model"]),
    (
        "spl-controller",
        &[
            "spl-model",
            "spl-lang",
            "spl-stats",
            "spl-verdict",
            "spl-scheduler",
            "spl-records",
            "spl-wire",
            "spl-classfile",
            "spl-graph",
            "spl-profile",
            "spl-export",
            "spl-analysis",
            "spl-store",
            "spl-trace",
            "spl-draw",
            "spl-bytecode",
            "spl-report",
            "spl-classes",
            "spl-attach",
            "spl-session",
        ],
    ),
    ("spl-witness", &[]),
    ("spl-overhead", &["spl-model", "spl-wire"]),
    ("spl-validity", &["spl-lang", "spl-model", "spl-records", "spl-stats", "spl-verdict"]),
    ("spl-plots", &[]),
    ("spl-scale", &["spl-model", "spl-wire"]),
    ("spl-peers", &["spl-model", "spl-overhead"]),
    ("spl-drawn", &["spl-classes", "spl-classfile", "spl-draw", "spl-graph"]),
    ("spl-fuzz", &[]),
];

/// The crates that live in a JVM, where nothing works without its C interfaces.
const UNSAFE: [&str; 2] = ["spl-agent", "spl-witness"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the project's root folder")
}

fn cargo(arguments: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO")).args(arguments).arg("--offline").current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn packages() -> Vec<Value> {
    let text = cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&text).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn crates_know_only_those_that_they_may() {
    let allowed = ARROWS.iter().copied().collect::<BTreeMap<_, _>>();
    let packages = packages();
    let names = packages.iter().map(|package| text(&package["name"])).collect::<BTreeSet<_>>();
    assert_eq!(names, allowed.keys().copied().collect(), "the list of crates");
    for package in &packages {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        // Tests may use more; only they have a kind "dev".
        let used = dependencies.filter(|dependency| dependency["kind"] != "dev").map(|d| text(&d["name"]));
        let used = used.filter(|name| names.contains(name)).collect::<BTreeSet<_>>();
        let name = text(&package["name"]);
        let new = used.difference(&allowed[name].iter().copied().collect()).copied().collect::<Vec<_>>();
        assert!(new.is_empty(), "{name} must not use {new:?}");
    }
}

#[test]
fn files_of_a_crate_use_each_other_in_one_direction() {
    let read = |path: &Path| fs::read_to_string(path).ok();
    let root = format!("{}/", root().display());
    for package in &packages() {
        let mut circles = Vec::new();
        for target in package["targets"].as_array().unwrap() {
            let kinds = target["kind"].as_array().unwrap();
            if kinds.iter().any(|kind| ["lib", "cdylib", "rlib", "bin"].contains(&text(kind))) {
                circles.extend(Crate::read(Path::new(text(&target["src_path"])), &read).circles());
            }
        }
        let name = text(&package["name"]);
        let told = circles.join("\n").replace(&root, "");
        assert!(circles.is_empty(), "circles of files in {name}:\n{told}");
    }
}

/// The circles of a made-up crate.
fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
    let files: BTreeMap<PathBuf, &str> = files.iter().map(|&(path, text)| (path.into(), text)).collect();
    let read = |path: &Path| files.get(path).map(|&text| text.to_owned());
    Crate::read(Path::new("src/lib.rs"), &read).circles()
}

#[test]
fn circles_are_found_and_told() {
    let check =
        |files: &[(&str, &str)], expected: &[&str]| assert_eq!(circles_of(files), expected, "{files:?}");
    let root = ("src/lib.rs", "mod a; mod b; mod c; pub use b::B;");
    let over_three = [
        root,
        ("src/a.rs", "use crate::B;\npub struct A(B);"),
        ("src/b.rs", "use super::c::{self as other, C};\npub struct B;"),
        ("src/c.rs", "pub struct C;\nfn f() { crate::a::f() }"),
    ];
    let told = "src/a.rs\n  -> src/b.rs by crate::B\n  -> src/c.rs by super::c\n  -> src/a.rs by crate::a::f";
    check(&over_three, &[told]);
    // The same without the last arrow.
    check(&[over_three[0], over_three[1], over_three[2], ("src/c.rs", "pub struct C;")], &[]);
    let child = "use super::A;\nimpl A { fn f() {} }";
    let parent = "mod part;\npub struct A;";
    let tree =
        |parent: &'static str, child: &'static str| [root, ("src/a.rs", parent), ("src/a/part.rs", child)];
    check(&tree(parent, child), &[]);
    check(&tree("mod part;\npub use part::P;\npub struct A;", child), &[]);
    let told = "src/a/part.rs\n  -> src/a.rs by super::A\n  -> src/a/part.rs by part::P";
    check(&tree("mod part;\npub use part::P;\npub struct A(P);", child), &[told]);
    check(&tree("mod part;\npub struct A;\nfn f() -> part::P { P }", child), &[told]);
}

#[test]
fn comments_strings_and_tests_make_no_circle() {
    let back = |line: &str| {
        let a = format!("use crate::b::B;\n{line}\nstruct A<'a>(&'a B);");
        circles_of(&[("src/lib.rs", "mod a; mod b;"), ("src/a.rs", &a), ("src/b.rs", "use crate::a::A;")])
            .len()
            + circles_of(&[
                ("src/lib.rs", "mod a; mod b;"),
                ("src/a.rs", "use crate::b::B; struct A;"),
                ("src/b.rs", &format!("fn f<'a>(_: &'a u8) {{}}\n{line}\nstruct B;")),
            ])
            .len()
    };
    assert_eq!(back("use crate::a::A;"), 2);
    for harmless in [
        "// use crate::a::A;",
        "/* use /* crate:: */ crate::a::A; */",
        "const S: &str = \"\\\" use crate::a::A;\";",
        "const S: &str = r#\"\" use crate::a::A;\"#;",
        "const C: char = '\"'; const D: char = '\\''; // crate::a::A \"",
        "#[cfg(test)]\nmod tests { use super::*; use crate::a::A; fn f() { if true {} } }",
        "#[cfg(all(test, loom))]\nuse crate::a::{A, f};",
        "use other::a::A;",
    ] {
        assert_eq!(back(harmless), 1, "{harmless}");
    }
    assert_eq!(back("#[cfg(not(test))]\nuse crate::a::A;"), 2);
}

#[test]
fn only_agents_have_unsafe_code() {
    for package in packages().iter().filter(|package| !UNSAFE.contains(&text(&package["name"]))) {
        for target in package["targets"].as_array().unwrap() {
            let product =
                target["kind"].as_array().unwrap().iter().any(|kind| kind == "lib" || kind == "bin");
            let path = text(&target["src_path"]);
            if product {
                let source = fs::read_to_string(path).unwrap();
                assert!(
                    source.lines().any(|line| line == "#![forbid(unsafe_code)]"),
                    "{path} does not forbid it"
                );
            }
        }
    }
}

#[test]
fn every_profile_unwinds() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    // Overrides for one package have no say in it (Cargo book, Profiles: Overrides).
    let whole = |section: &&str| section.starts_with("profile.") && !section.contains(".package");
    let sections = manifest.split("\n[").filter(whole);
    let profiles = sections.collect::<Vec<_>>();
    for name in ["profile.dev]", "profile.release]", "profile.dist]"] {
        assert!(profiles.iter().any(|section| section.starts_with(name)), "{name}");
    }
    for section in profiles {
        assert!(section.lines().any(|line| line == "panic = \"unwind\""), "[{section}");
    }
}

#[test]
fn the_agent_brings_no_other_crates_into_a_process() {
    let tree = cargo(&["tree", "-p", "spl-agent", "-e", "normal", "--prefix", "none"]);
    let found = tree.lines().filter_map(|line| line.split(' ').next()).collect::<BTreeSet<_>>();
    let listed = include_str!("agent-crates.txt");
    let listed = listed.lines().filter(|line| !line.starts_with('#')).collect::<BTreeSet<_>>();
    assert_eq!(
        found, listed,
        "controller/tests/architecture/agent-crates.txt does not list what cargo tree -p spl-agent shows"
    );
}

#[test]
fn a_session_knows_no_terminal_and_no_command_line() {
    let tree = cargo(&["tree", "-p", "spl-session", "-e", "normal", "--prefix", "none"]);
    let found = tree.lines().filter_map(|line| line.split(' ').next()).collect::<BTreeSet<_>>();
    assert!(found.contains("spl-scheduler"), "the tree was not read: {found:?}");
    for name in ["clap", "crossterm", "spl-controller", "spl-report"] {
        assert!(!found.contains(name), "spl-session uses {name}");
    }
}

#[test]
fn the_pages_files_exist() {
    let page = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap();
    let quoted = page.split("```").step_by(2).flat_map(|prose| prose.split('`').skip(1).step_by(2));
    let paths = quoted.filter(|text| is_path(text)).collect::<BTreeSet<_>>();
    assert!(paths.len() >= 10, "the page names only {paths:?}");
    let missing = paths.iter().filter(|path| !root().join(path).exists()).collect::<Vec<_>>();
    assert!(missing.is_empty(), "docs/ARCHITECTURE.md names what does not exist: {missing:?}");
}

/// Whether a quoted text is meant as a path of the project: it begins with one of its folders or is one of its files.
fn is_path(text: &str) -> bool {
    let first = text.split('/').next().unwrap_or_default();
    let plain = !text.contains([' ', '(', '*', '<', '…']);
    plain
        && ((text.contains('/') && root().join(first).is_dir())
            || text.ends_with(".rs")
            || text.ends_with(".md"))
}
