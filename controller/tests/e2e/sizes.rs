//! Workload sizes and the buckets that they fall into.

use crate::case::{Case, NO_LIMIT};
use spl_model::Size;
use std::collections::BTreeSet;

const FAST: &str = "CompareLoop.fast([I)J";
const SLOW: &str = "CompareLoop.slow([I)J";

/// The sizes of the calls with an array of 16 and one of 256 numbers; an array of a 64-bit JVM with compressed class
/// pointers has 16 bytes beside its elements.
fn check_sizes(mode: &str, expected: &[Size]) {
    let case = Case::measuring(&[FAST]).set("scheduler", "argument-size", mode).endless();
    let mut run = case.java(&[NO_LIMIT, "CompareLoop", "0", "16", "256"]);
    run.awaits_agent();
    case.awaits_measurements(FAST, 100);
    run.signal("INT");
    run.awaits("spl: every class is as it was");
    run.ends().assert_status(0);
    let sizes = case.measurements(FAST).into_iter().map(|record| record.sample.size).collect::<BTreeSet<_>>();
    assert_eq!(sizes.into_iter().collect::<Vec<_>>(), expected, "argument-size = {mode}");
}

#[test]
fn an_array_counts_its_header_and_elements() {
    let bytes = [Size::Value(80), Size::Value(1040)];
    check_sizes("sizeof", &bytes);
    check_sizes("deep", &bytes);
    check_sizes("nocheck", &[Size::Unchecked]);
}

#[test]
fn equal_sizes_are_compared_with_each_other() {
    let check = |length: &str, scale: &str, base: &str, bucket: &str| {
        let case = Case::comparing(&format!("{FAST} <= {SLOW}\n"))
            .set("scheduler", "argument-size", "deep")
            .set("evaluator", "arguments-size-scale", scale)
            .set("evaluator", "arguments-size-scale-base", base);
        let mut run = case.java(&["CompareLoop", "0", length]);
        run.awaits_agent();
        run.awaits("spl: every class is as it was");
        let ended = run.ends();
        ended.assert_said(&[&format!(", sizes {bucket}, ")]);
        let buckets = case.results().iter().map(|r| r.evaluation.bucket.to_string()).collect::<Vec<_>>();
        assert_eq!(buckets, [bucket], "{length} numbers, {scale} {base}");
    };
    check("16", "linear", "100", "[0, 100)");
    check("256", "linear", "100", "[1000, 1100)");
    check("256", "logarithmic", "10", "[1000, 10000)");
}

#[test]
fn different_sizes_are_not_compared() {
    // An Integer has 16 bytes, an array of 256 numbers 1040.
    let case = Case::comparing(&format!("{FAST} >= java/lang/Integer.compareTo(Ljava/lang/Integer;)I\n"))
        .set("scheduler", "argument-size", "sizeof");
    let mut run = case.java(&["CompareLoop", "0", "256"]);
    run.awaits_agent();
    run.awaits("spl: every class is as it was");
    let ended = run.ends();
    ended.assert_status(3);
    ended.assert_said(&["not evaluated: no common bucket"]);
}
