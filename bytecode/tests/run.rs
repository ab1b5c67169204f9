//! Rewritten classes in a real JVM, with its verifier on: same results, right counts.

mod support;

use spl_bytecode::{Plan, Probe, Refusal, Sizes, Untouched, inspect, instrument};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use support::{class_files, folder, probe_stub, run, sources, tool};

/// Compiles the sample for `release` and rewrites every method of `Sample`; gives the folder with the result, and the
/// probe ids of its methods.
fn rewritten(folder: &Path, arguments: &[&str], sizes: Sizes) -> (PathBuf, BTreeMap<u32, String>) {
    let classes = folder.join("classes");
    let javac = &mut tool("javac");
    javac.args(["-nowarn", "-g"]).args(arguments).arg("-d").arg(&classes);
    run(javac.args([sources().join("sample/Sample.java"), sources().join("sample/Main.java")]));
    let mut ids = BTreeMap::new();
    for file in class_files(&classes).iter().filter(|file| !file.ends_with("Main.class")) {
        let bytes = std::fs::read(file).unwrap();
        let info = inspect(&bytes).unwrap();
        let mut plan = Plan::default();
        for method in info.methods.into_iter().filter(|method| method.code_bytes.is_some()) {
            // Ids of one, two and four bytes.
            let id = ids.len() as u32 * 17 + if ids.len() % 2 == 0 { 0 } else { 0x0003_0000 };
            ids.insert(id & 0xffff, format!("{}{}", method.name, method.descriptor));
            plan.add(Probe { method_name: method.name, descriptor: method.descriptor, id, sizes });
        }
        let new = instrument(&bytes, &plan).unwrap();
        for (key, outcome) in new.outcomes {
            let replaced = sizes != Sizes::None && key.descriptor == "(Ljava/lang/Object;I)V";
            let expected = if replaced { Err(Untouched::Refused(Refusal::ArgumentReplaced)) } else { Ok(()) };
            assert_eq!(outcome.map(drop), expected, "{key:?}");
        }
        std::fs::write(file, new.bytes).unwrap();
    }
    (classes, ids)
}

fn check(name: &str, arguments: &[&str], sizes: Sizes, expected: &[(&str, &str)]) {
    let folder = folder(name);
    let original = folder.join("original");
    let javac = &mut tool("javac");
    javac.arg("-nowarn").args(arguments).arg("-d").arg(&original);
    run(javac.args([sources().join("sample/Sample.java"), sources().join("sample/Main.java")]));
    let plain = run(tool("java").arg("-cp").arg(&original).arg("sample.Main"));

    let (classes, ids) = rewritten(&folder, arguments, sizes);
    let patch = format!("java.base={}", probe_stub(&folder).display());
    let java = &mut tool("java");
    java.args(["-Xverify:all", "--patch-module", &patch, "-cp"]).arg(&classes).arg("sample.Main");
    let probed = run(java);

    let (results, counts) = probed.split_once("counts\n").expect("the counts are printed");
    assert_eq!(results, format!("{plain}failing recorder\n{plain}"));
    let mut got = BTreeMap::new();
    for line in counts.lines() {
        let (id, counts) = line.split_once(' ').unwrap();
        got.insert(ids[&id.parse().unwrap()].as_str(), counts);
    }
    for (method, counts) in expected {
        // Entered, returned, threw, last size.
        assert_eq!(got.get(method), Some(counts), "{name}: {method}");
    }
}

const COUNTS: [(&str, &str); 7] = [
    ("nothing()V", "1 1 0 -1"),
    ("<init>(I)V", "3 2 1 -1"),
    ("<init>(ZLjava/lang/String;Ljava/lang/String;)V", "1 1 0 -1"),
    ("<init>(Ljava/lang/Object;I)V", "1 1 0 -1"),
    ("thrower(Ljava/lang/String;)I", "2 1 1 -1"),
    ("caught(I)I", "3 3 0 -1"),
    ("recursive(I)I", "51 51 0 -1"),
];

#[test]
fn every_shape_of_method_keeps_its_results_and_is_counted() {
    check("frames", &["--release", "11"], Sizes::None, &COUNTS);
}

#[test]
fn the_newest_class_files_of_the_compiler_work_too() {
    check("newest", &[], Sizes::None, &COUNTS);
}

#[test]
fn sizes_add_up_over_the_arguments() {
    check(
        "shallow",
        &["--release", "11"],
        Sizes::Shallow,
        &[
            ("nothing()V", "1 1 0 0"),
            ("number(IJDFZBCS)I", "1 1 0 30"),
            ("wide(JLjava/lang/Object;[J)J", "1 1 0 208"),
            ("thrower(Ljava/lang/String;)I", "2 1 1 100"),
            ("<init>(ZLjava/lang/String;Ljava/lang/String;)V", "1 1 0 201"),
        ],
    );
    check("deep", &["--release", "11"], Sizes::Deep, &[("wide(JLjava/lang/Object;[J)J", "1 1 0 2008")]);
}
