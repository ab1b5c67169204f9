//! Sizes of objects and arrays: those of the JVM, with each of its headers.

use crate::drill::case;
use crate::metrics::{analyse, metrics, values};
use serde_json::Value;
use std::fs;

/// The methods that make something, and one whose array has a negative length.
const SPACES: [&str; 5] = [
    "made=Allocates#work",
    "made=Allocates#nested",
    "made=Allocates.Early#new",
    "made=Allocates.Full#new",
    "negative=Allocates#negative",
];

/// A file of JSON.
fn json(path: &std::path::Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Objects and arrays that `Allocates.work` makes in a round.
fn made_in_round(round: u64) -> u64 {
    let n = round & 63;
    // A table of references to as many tables, and in the second of three dimensions.
    let table = |outer: u64| 1 + outer;
    let nested = |a: u64, b: u64| 1 + a + a * b;
    // Two objects, nine arrays by length, one of bytes without bytes; three tables; an object with two arrays, one of which is a table.
    2 + 9 + 1 + table(n & 3) * 2 + nested(n & 1, n & 3) + 1 + 1 + table(n)
}

#[test]
fn sizes_are_those_that_the_jvm_counts() {
    let spaces: Vec<&str> = SPACES.iter().flat_map(|space| ["--space", *space]).collect();
    for options in [
        &["-Xint"][..],
        &["-Xint", "-XX:-UseCompressedOops"],
        &["-Xint", "-XX:ObjectAlignmentInBytes=16"],
        &["-XX:TieredStopAtLevel=1"],
    ] {
        let case = case();
        let program = [options, &["Allocates"]].concat();
        let ended = metrics(&case, &[&["--quiet"], &spaces[..]].concat(), &program).ends_by_itself();
        ended.assert_status(0);
        let (_, rest) = ended.out.split_once("bytes ").unwrap();
        let mut words = rest.split_whitespace();
        let bytes: f64 = words.next().unwrap().parse().unwrap();
        assert_eq!(words.next(), Some("-1"), "an array of negative length was made");
        let document = json(&case.path("out/drill/metrics.json"));
        let values = values(&document);
        let of = |space: &str, name: &str| {
            let value = &values[space][name];
            assert_eq!(value["exactness"], "exact", "{options:?} {value}");
            value["value"].as_f64().unwrap()
        };
        let objects: u64 = (0..1000).map(made_in_round).sum::<u64>() + made_in_round(0);
        assert_eq!(of("made", "base.objects.value"), objects as f64, "{options:?}");
        let counted = of("made", "base.bytes.value");
        assert!((counted - bytes).abs() < 0.005 * bytes, "{options:?}: {counted}, and the JVM has {bytes}");
        assert_eq!(of("negative", "base.objects.value"), 0.0);
        assert_eq!(of("negative", "base.bytes.value"), 0.0);
        let object = json(&case.path("out/drill/drill.json"))["object_bytes"].as_u64();
        assert!(object.is_some_and(|bytes| bytes.is_multiple_of(8)), "{object:?}");
    }
}

#[test]
fn a_drill_without_sizes_says_so() {
    let case = case();
    metrics(&case, &["--quiet"], &["Metrics"]).ends_by_itself().assert_status(0);
    // A drill of a version before: its document has no such table.
    let path = case.path("out/drill/drill.json");
    let mut document = json(&path);
    document["tables"].as_object_mut().unwrap().remove("allocations.csv").unwrap();
    fs::write(&path, serde_json::to_vec(&document).unwrap()).unwrap();
    let (status, out, said) = analyse(&case, &["out", "--space", "g7=Metrics.G7#go"]);
    assert_eq!(status, 0, "{said}");
    assert!(out.contains("base.objects.value") && !out.contains("base.bytes.value"), "{out}");
    assert!(out.contains("at least: the arrays within arrays"), "{out}");
    assert!(
        said.contains("sizes of objects; `spl drill --what receivers` has it")
            && said.contains("base.bytes.value"),
        "{said}"
    );
}
