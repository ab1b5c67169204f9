//! Workload sizes against those of `java.lang.instrument` and of a walk by reflection, in every layout that a JVM has.

use crate::harness;
use spl_model::{Handle, Sizing};
use spl_overhead::{Door, Program};
use spl_wire::{ToController, WireSample, WireSize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Methods of the program, how their sizes are found, and which column of its table has them.
const METHODS: [(&str, Sizing); 3] = [
    ("SizeOracle.shallow(Ljava/lang/Object;)V", Sizing::Shallow),
    ("SizeOracle.deep(Ljava/lang/Object;)V", Sizing::Deep),
    ("SizeOracle.twice(Ljava/lang/Object;ILjava/lang/Object;)V", Sizing::Deep),
];
/// Calls of each method with each object.
const PASSES: usize = 3;

/// A JAR with the program, which is its own Java agent.
fn oracle(path: &Path) {
    let mut entries = vec![("META-INF/MANIFEST.MF".to_owned(), b"Premain-Class: SizeOracle\n".to_vec())];
    for file in fs::read_dir(harness::classes()).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        if name.starts_with("SizeOracle") {
            let bytes = fs::read(harness::classes().join(&name)).unwrap();
            entries.push((name, bytes));
        }
    }
    harness::jar(path, &entries);
}

/// The sizes that the program prints, in the order of its calls, and the sizes of the samples.
struct Sizes {
    names: Vec<String>,
    expected: [Vec<u64>; 3],
    measured: [Vec<u64>; 3],
    java: String,
}

fn sizes(options: &[&str], jar: &Path) -> Sizes {
    let door = Door::open().unwrap();
    let (ours, theirs) = (door.option(&harness::agent()), format!("-javaagent:{}", jar.display()));
    // A layout that this JVM does not know leaves it as it is.
    let mut arguments = vec![&*ours, &*theirs, "-XX:+IgnoreUnrecognizedVMOptions"];
    arguments.extend(options);
    let opens = ["java.lang", "java.util", "java.util.concurrent", "java.math"]
        .map(|package| format!("--add-opens=java.base/{package}=ALL-UNNAMED"));
    arguments.extend(opens.iter().map(String::as_str));
    let path = jar.display().to_string();
    arguments.extend(["-cp", &path, "SizeOracle"]);
    let mut program = Program::start(&harness::java(), arguments).unwrap();
    let mut agent = door.accept().unwrap();
    // The JVM may say first that an option is deprecated.
    while agent.line_of(&mut program).unwrap() != "ready" {}
    for (handle, (method, mode)) in (0..).zip(METHODS) {
        agent.define(handle, method, mode).unwrap();
    }
    agent.instrument(&[0, 1, 2]).unwrap();
    (0..3).for_each(|handle| agent.arm(handle, 1).unwrap());
    program.tell("").unwrap();
    let (mut names, mut expected) = (Vec::new(), [Vec::new(), Vec::new(), Vec::new()]);
    loop {
        let line = agent.line_of(&mut program).unwrap();
        if line == "end" {
            break;
        }
        let words = line.split(' ').collect::<Vec<_>>();
        names.push(words[0].to_owned());
        for (column, word) in expected.iter_mut().zip(&words[1..]) {
            column.push(word.parse().unwrap());
        }
    }
    agent.settle().unwrap();
    let java = agent.said.iter().find_map(|message| match message {
        ToController::Hello { java_version, .. } => Some(java_version.clone()),
        _ => None,
    });
    let value = |sample: &WireSample| match sample.size {
        WireSize::Value(value) => value,
        other => panic!("{other:?} is not a number"),
    };
    let measured = [0, 1, 2].map(|handle| {
        let mut of =
            agent.samples.iter().filter(|sample| sample.handle == Handle(handle)).collect::<Vec<_>>();
        of.sort_by_key(|sample| sample.start_ns);
        of.into_iter().map(value).collect()
    });
    Sizes { names, expected, measured, java: java.unwrap() }
}

#[test]
fn sizes_are_those_of_an_independent_oracle_in_every_layout() {
    let folder = tempfile::tempdir().unwrap();
    let jar = folder.path().join("oracle.jar");
    oracle(&jar);
    let mut totals = BTreeMap::new();
    let mut java = String::new();
    for option in [
        "-XX:+UseCompressedOops",
        "-XX:-UseCompressedOops",
        "-XX:-UseCompressedClassPointers",
        "-XX:ObjectAlignmentInBytes=32",
        "-XX:+UseCompactObjectHeaders",
    ] {
        let sizes = sizes(&[option], &jar);
        let objects = sizes.names.len();
        assert!(objects > 90, "{objects}");
        for ((method, _), (measured, expected)) in
            METHODS.iter().zip(sizes.measured.iter().zip(&sizes.expected))
        {
            assert_eq!(measured.len(), PASSES * objects, "{option}: {method}");
            for (at, size) in measured.iter().enumerate() {
                let name = &sizes.names[at % objects];
                assert_eq!(*size, expected[at % objects], "{option}: {method} of {name}");
            }
        }
        totals.insert(option, sizes.expected[1].iter().sum::<u64>());
        java = sizes.java;
    }
    println!("JDK {java}: bytes of all objects {totals:?}");
    // The layouts are what they should be.
    let usual = totals["-XX:+UseCompressedOops"];
    assert!(totals["-XX:-UseCompressedOops"] > usual && totals["-XX:ObjectAlignmentInBytes=32"] > usual);
    assert!(totals["-XX:-UseCompressedClassPointers"] > usual);
    let has_compact_headers = java.split('.').next().unwrap().parse::<u32>().unwrap() >= 25;
    assert_eq!(totals["-XX:+UseCompactObjectHeaders"] < usual, has_compact_headers);
}
