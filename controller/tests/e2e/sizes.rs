//! Workload sizes and the buckets that they fall into.

use crate::case::Case;
use crate::harness::{self, DEADLINE, poll};
use crate::running::Running;
use spl_model::{SampleFlags, Size};
use spl_records::Measurement;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

const FAST: &str = "CompareLoop.fast([I)J";
const SLOW: &str = "CompareLoop.slow([I)J";

/// The sizes of the calls with an array of 16 and one of 256 numbers; an array of a 64-bit JVM with compressed class
/// pointers has 16 bytes in addition to its elements.
fn check_sizes(mode: &str, expected: &[Size]) {
    let case = Case::measuring(&[FAST]).set("scheduler", "argument-size", mode).endless();
    let mut run = case.java(&["CompareLoop", "0", "16", "256"]);
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
        .set("scheduler", "argument-size", "sizeof")
        .in_detail();
    let mut run = case.java(&["CompareLoop", "0", "256"]);
    run.awaits_agent();
    run.awaits("spl: every class is as it was");
    let ended = run.ends();
    ended.assert_status(3);
    ended.assert_said(&[
        "undecided: no common bucket",
        "buckets that left fills: [1000, 1100): 400",
        "buckets that right fills: [0, 100): 400",
        "left fills [1000, 1100), right only [0, 100): try a logarithmic scale, of base 10000",
    ]);
    // That helps, also afterwards.
    let case = case.set("evaluator", "arguments-size-scale", "logarithmic");
    let case = case.set("evaluator", "arguments-size-scale-base", "10000");
    let arguments =
        ["eval", "--config", "spl.ini", "--tasks", "spl.tasks", "--measurements", "out/measurements"];
    let ended = Running::start(case.spl_with(&arguments), &case.path("")).ends();
    ended.assert_status(0);
    ended.assert_said(&[", sizes [1, 10000), "]);
}

#[test]
fn while_sizes_do_not_meet_the_operator_is_told_why() {
    let case = Case::comparing(&format!("{FAST} >= java/lang/Integer.compareTo(Ljava/lang/Integer;)I\n"))
        .set("scheduler", "argument-size", "sizeof")
        .endless()
        .set("controller", "min-method-measurements", "200");
    let mut run = case.java(&["CompareLoop", "0", "256"]);
    run.awaits_agent();
    run.awaits("spl: waiting: CompareLoop.fast([I)J >= java/lang/Integer.compareTo(Ljava/lang/Integer;)I: left fills ");
    let buckets = poll("the buckets", DEADLINE, || fs::read_to_string(case.path("out/buckets.json")).ok());
    let buckets: serde_json::Value = serde_json::from_str(&buckets).unwrap();
    let comparison = &buckets["comparisons"][0];
    assert_eq!(
        (&comparison["decided"], &comparison["buckets"][1]["sizes"]),
        (&false.into(), &"[1000, 1100)".into())
    );
    run.signal("INT");
    run.awaits("spl: every class is as it was");
    run.ends().assert_status(3);
}

/// The example of a size processor on the page of the package `spl.size`.
fn example() -> String {
    let page = fs::read_to_string(harness::root().join("agent/java/spl/size/package-info.java")).unwrap();
    let (_, from) = page.split_once(" * <pre>{@code\n").unwrap();
    let (example, _) = from.split_once(" * }</pre>").unwrap();
    example.lines().map(|line| format!("{}\n", line.trim_start_matches(" *"))).collect()
}

/// The class path with the program `Sized` and its processors, compiled against what `spl api-jar` writes,
/// together with the example of its documentation.
pub fn sized() -> PathBuf {
    static CLASSES: OnceLock<PathBuf> = OnceLock::new();
    let compiled = || {
        let case = Case::measuring(&[]);
        let out = case.spl_with(&["api-jar", "-o", "spl-api.jar"]).output().unwrap();
        assert!(out.status.success(), "{out:?}");
        let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tests-java-sizes");
        fs::write(case.path("OfText.java"), example()).unwrap();
        let of_tests = ["Sized", "OwnLoader", "Rough"]
            .map(|name| harness::root().join(format!("tests-java/sizes/{name}.java")));
        let sources = of_tests.into_iter().chain([case.path("OfText.java")]);
        harness::javac(sources, ["-cp".as_ref(), &case.path("spl-api.jar")], &target);
        target
    };
    CLASSES.get_or_init(compiled).clone()
}

/// Measures `Sized` until all methods are finished; gives what `spl` said.
fn measure_sized(case: &Case) -> String {
    measure_program(case, sized().into_os_string(), "Sized")
}

fn measure_program(case: &Case, class_path: OsString, main: &str) -> String {
    let java = harness::java().into_os_string();
    // Little memory: what is kept of each call would fill it.
    let command = [java, "-Xmx64m".into(), "-cp".into(), class_path, main.into()];
    let mut run = case.start(command);
    run.awaits_agent();
    run.awaits("spl: every class is as it was");
    run.line();
    let ended = run.ends();
    ended.assert_status(0);
    assert_eq!(ended.out, "ready\nended\n");
    ended.spl()
}

/// Measures these methods of `Sized`, and compares the sizes of their calls; gives what `spl` said.
fn check_sized(mode: &str, expected: &[(&str, &[&str])]) -> String {
    let methods = expected.iter().map(|(method, _)| *method).collect::<Vec<_>>();
    let case = Case::measuring(&methods).set("scheduler", "argument-size", mode);
    let said = measure_sized(&case);
    for (method, sizes) in expected {
        let (name, _) = method.split_once(", ").unwrap_or((method, ""));
        let got = case.measurements(name).into_iter().map(|record| record.sample.size.to_string());
        let got = got.collect::<BTreeSet<_>>();
        assert_eq!(got.iter().map(String::as_str).collect::<Vec<_>>(), *sizes, "{method}");
    }
    said
}

#[test]
fn a_size_that_takes_too_long_is_cut_short() {
    let list = "Sized.large(Ljava/util/List;)J";
    let array = "Sized.sparse([Ljava/lang/Object;)J";
    let sizes = |method: &str, limit: &str| {
        let case = Case::measuring(&[method]).set("scheduler", "argument-size", "deep");
        let case = case.set("scheduler", "size-visit-limit", limit);
        // Shown if the test fails.
        println!("{}", measure_sized(&case));
        let cut = |flags: SampleFlags| flags.0 & SampleFlags::SIZE_TRUNCATED.0 != 0;
        let sizes = case.measurements(method).into_iter().map(|one| (one.sample.size, cut(one.sample.flags)));
        sizes.collect::<BTreeSet<_>>()
    };
    // The list, its array of seven, and the one string in it with its bytes: five objects with what a string has.
    let whole = sizes(list, "10000");
    assert!(whole.len() == 1 && whole.iter().all(|(_, cut)| !cut), "{whole:?}");
    let found = sizes(list, "2");
    assert!(found.iter().all(|(size, cut)| *cut && *size < whole.first().unwrap().0), "{found:?}");
    // One object and a thousand places for others.
    let whole = sizes(array, "10000");
    assert!(whole.len() == 1 && whole.iter().all(|(_, cut)| !cut), "{whole:?}");
    let found = sizes(array, "2");
    assert!(found.iter().all(|(size, cut)| *cut && *size == whole.first().unwrap().0), "{found:?}");
}

#[test]
fn buckets_of_a_processor_have_short_names() {
    let method = "Sized.many(Ljava/lang/String;)J";
    let case = Case::measuring(&[&format!("{method}, Sized$Many")]).set("scheduler", "argument-size", "deep");
    let said = measure_sized(&case);
    // On a busy machine ten calls of the processor may be interrupted for 2 ms each.
    let is_given_up = said.contains("Sized$Many takes more than 1 ms a call and is not called any more");
    let label = |one: Measurement| match one.sample.size {
        Size::Label(label) => Some(label),
        _ if is_given_up => None,
        other => panic!("{other} is not a label"),
    };
    let labels = case.measurements(method).into_iter().filter_map(label).collect::<BTreeSet<_>>();
    let expected = (0..20).map(|i| format!("{:x<200}", format!("d{i}"))).collect::<BTreeSet<_>>();
    assert!(labels == expected || is_given_up && labels.is_subset(&expected), "{labels:?}");
}

#[test]
fn lengths_count_elements_characters_and_numbers() {
    check_sized(
        "length",
        &[
            // 5, nothing for -9, 2, 4, 1 for true, 1, 1 and 2.
            ("Sized.counted(IJFDZBCS)J", &["16"]),
            // 8 characters, 3 numbers, 7 and 2 elements, nothing for an object, 10.
            (
                "Sized.lengths(Ljava/lang/CharSequence;[ILjava/util/List;Ljava/util/Map;Ljava/lang/Object;Ljava/lang/Integer;)J",
                &["30"],
            ),
        ],
    );
}

#[test]
fn programs_find_sizes_themselves_and_may_do_it_wrong() {
    // A string of one character: the string 24 bytes, its array 24.
    let said = check_sized(
        "deep",
        &[
            ("Sized.job(LSized$Job;)J", &["10", "20"]),
            ("Sized.badJob(LSized$BadJob;)J", &["16"]),
            (
                "Sized.good(ILjava/lang/String;)J, Sized$Good",
                &["label:remainder 0 of \"text seven\"", "label:remainder 1 of \"text seven\""],
            ),
            ("Sized.wide(JCD)J, Sized$Types", &["label:static Long 1 Character c Double 2.5"]),
            ("Sized.thrower(Ljava/lang/String;)J, Sized$Thrower", &["48"]),
            ("Sized.none(Ljava/lang/String;)J, Sized$None", &["48"]),
            ("Sized.bucketless(Ljava/lang/String;)J, Sized$Bucketless", &["48"]),
            ("Sized.slow(Ljava/lang/String;)J, Sized$Slow", &["48", "label:slow"]),
            ("Sized.recursive(Ljava/lang/String;)J, Sized$Recursive", &["label:recursive 1"]),
            ("Sized.missing(Ljava/lang/String;)J, no.Such", &["48"]),
            ("Sized.hidden(Ljava/lang/String;)J, Sized$Hidden", &["48"]),
            ("Sized.abstracted(Ljava/lang/String;)J, Sized$Plain", &["48"]),
            ("Sized.demanding(Ljava/lang/String;)J, Sized$Demanding", &["48"]),
            // An object without fields; and two sizes whose sum is one too large.
            ("Sized.vast(LSized$Vast;)J", &["16"]),
            ("Sized.two(LSized$Job;LSized$Job;)J", &["2305843009213693951"]),
            ("Sized.wrong(Ljava/lang/String;)J, Sized$Wrong", &["48"]),
            ("Sized.failing(Ljava/lang/String;)J, Sized$Failing", &["48"]),
            ("Sized.speechless(Ljava/lang/String;)J, Sized$Speechless", &["48"]),
        ],
    );
    let bytes = "such calls have the size of their arguments in bytes";
    for expected in [
        "spl: the agent warns: computeSize of Sized$BadJob ",
        &format!(
            "computeSize of Sized$Vast gave the size 9223372036854775807, over 2305843009213693951: {bytes}"
        ),
        "size processor Sized$Demanding of Sized.demanding(Ljava/lang/String;)J is not used: it has no constructor without parameters",
        &format!("size processor Sized$Thrower threw java.lang.IllegalArgumentException: {bytes}"),
        &format!("size processor Sized$None gave no size: {bytes}"),
        &format!("size processor Sized$Bucketless its size gave no bucket: {bytes}"),
        "size processor Sized$Slow takes more than 1 ms a call and is not called any more",
        "size processor no.Such of Sized.missing(Ljava/lang/String;)J is not used: there is no class no.Such on the class path of the measured class",
        "size processor Sized$Hidden of Sized.hidden(Ljava/lang/String;)J is not used: its constructor, or the class, is not public",
        "is not used: it is abstract",
        "is not used: it does not implement spl.size.SizeProcessor",
        "is not used: its constructor threw java.lang.IllegalStateException: not made",
        "size processor Sized$Speechless of Sized.speechless(Ljava/lang/String;)J is not used: it could not be made: java.lang.UnsupportedOperationException",
    ] {
        assert_eq!(said.matches(expected).count(), 1, "{expected} in {said}");
    }
    let jealous = [("Sized.jealous(Ljava/lang/String;)J, Sized$Jealous", &["48"][..])];
    let expected = "is not used: its class is not loaded after 5000 ms";
    assert_eq!(check_sized("deep", &jealous).matches(expected).count(), 1);
}

#[test]
fn interfaces_of_another_class_loader_are_not_the_agents() {
    let (good, job) = ("Sized.good(ILjava/lang/String;)J", "Sized.job(LSized$Job;)J");
    let case =
        Case::measuring(&[&format!("{good}, Sized$Good"), job]).set("scheduler", "argument-size", "deep");
    let api = case.path("spl-api.jar");
    assert!(case.spl_with(&["api-jar", "-o", "spl-api.jar"]).output().unwrap().status.success());
    let class_path = std::env::join_paths([sized(), api]).unwrap();
    let said = measure_program(&case, class_path, "OwnLoader");
    let expected = format!(
        "size processor Sized$Good of {good} is not used: it does not implement spl.size.SizeProcessor of the agent, but \
         one of its own class loader"
    );
    assert_eq!(said.matches(&expected).count(), 1, "{said}");
    let sizes =
        |method| case.measurements(method).into_iter().map(|one| one.sample.size).collect::<BTreeSet<_>>();
    // A number and a string of 4 characters; an object with one number.
    assert_eq!(sizes(good), [Size::Value(4 + 24 + 24)].into());
    assert_eq!(sizes(job), [Size::Value(24)].into());
}
