//! `spl drill --spec`: a file in the language of \*J says what is recorded and counted.

use crate::case::Case;
use crate::drill::{case, document, drill, table};
use std::fs;
use std::process::Output;

/// A case with this file.
fn with_spec(text: &str) -> Case {
    let case = case();
    fs::write(case.path("some.sj"), text).unwrap();
    case
}

/// Status, standard output and standard error of a command.
fn asked(case: &Case, words: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = case.spl_with(words).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

#[test]
fn recorded_events_make_a_trace() {
    let case = with_spec(
        "default { recorded: yes; env_id: yes; }\n\
         event Method* { method_id: yes; }\n\
         event Block { method_id: yes; block: yes; }\n\
         event GC* {}\n",
    );
    let ended = drill(&case, &["--all", "--spec", "some.sj"], &["Traced", "30", "0"]).ends_by_itself();
    ended.assert_status(0);
    let warning = "some.sj:4:7: warning: GCStart and GCFinish are not recorded: a drill does not watch garbage collections";
    assert!(ended.err.contains(warning), "{}", ended.err);
    assert!(ended.err.contains("some.sj: this is `spl drill --what trace`\n"), "{}", ended.err);
    assert_eq!(document(&case)["what"], serde_json::json!(["trace"]));
    let (status, out, _) = asked(&case, &["trace", "replay", "out"]);
    assert!(status == 0 && out.contains("1 > Traced.main([Ljava/lang/String;)V"), "{out}");
}

#[test]
fn recorded_and_counted_events_make_a_trace_with_counters() {
    let case = with_spec(
        "event MethodExit { recorded: yes; } event Block { counted: yes; } event MethodEntry { counted: yes; }",
    );
    let ended = drill(&case, &["--all", "--spec", "some.sj"], &["Traced", "30", "0"]).ends_by_itself();
    ended.assert_status(0);
    assert!(ended.err.contains("--what trace,blocks`, which has MethodEntry and Block too"), "{}", ended.err);
    let (status, out, _) = asked(&case, &["trace", "check", "out"]);
    assert!(status == 0 && out.contains("blocks have the same count"), "{out}");
    let calls = table(&case.path("out/drill/methods.csv"));
    let calls: u64 = calls.values().flatten().map(|line| line[0].parse::<u64>().unwrap()).sum();
    let grouped = ended.err.lines().find_map(|line| line.strip_prefix("spl: counted MethodEntry: ")).unwrap();
    assert_eq!(grouped.replace(|c: char| !c.is_ascii_digit(), ""), calls.to_string());
}

#[test]
fn counted_events_make_counts() {
    let case = with_spec("event Block { counted: yes; method_id: yes; block: yes; }");
    let ended =
        drill(&case, &["--spec", "some.sj", "--methods", "Metrics$G1"], &["Metrics"]).ends_by_itself();
    ended.assert_status(0);
    let document = document(&case);
    assert_eq!((&document["what"][0], &document["all"]), (&"blocks".into(), &false.into()));
    let blocks = table(&case.path("out/drill/blocks.csv"));
    // `for (int i = 0; i < ps.length; i++) s += ps[i].f()` with five of them: entry, condition, body, end.
    let counts: Vec<&str> = blocks["Metrics$G1.go([LMetrics$P;)I"].iter().map(|line| &*line[4]).collect();
    assert_eq!(counts, ["1", "6", "5", "1"], "{blocks:?}");
    // All blocks of the class are those of `go` and of the constructor, which nobody calls.
    assert!(ended.err.contains("spl: counted Block: 13\n"), "{}", ended.err);
    assert!(!case.path("out/drill/trace").exists() && !case.path("out/drill/arcs.csv").exists());
}

#[test]
fn a_file_that_cannot_be_used_starts_nothing() {
    let check = |text: &str, options: &[&str], parts: &[&str]| {
        let case = with_spec(text);
        let options = [&["--all", "--spec", "some.sj"], options].concat();
        let ended = drill(&case, &options, &["Traced", "1", "0"]).ends_by_itself();
        ended.assert_status(2);
        assert!(ended.out.is_empty(), "{}", ended.out);
        parts.iter().for_each(|part| assert!(ended.err.contains(part), "{part}: {}", ended.err));
        assert!(!case.path("out").exists());
    };
    check(
        "event Block { recorded: yes; }\nevent MethodEntri { recorded: yes; blok: yes; }\n",
        &[],
        &[
            "error: there is no event `MethodEntri`",
            "some.sj:2:7",
            "did you mean `MethodEntry` or `MethodEntry2`?",
        ],
    );
    check("event Block { recorded yes; }", &[], &["some.sj:1:24", "expected `:`"]);
    check(
        "event GC* { counted: yes; }",
        &[],
        &["GCStart and GCFinish are not counted", "no drill tells anything"],
    );
    check("event HeapDump {}", &[], &["only JVMPI had such dumps", "no event is wanted"]);
    check(
        "event ClassLoadHook { counted: yes; class_data: yes; }",
        &["--no-classes"],
        &["--no-classes keeps no class files", "ClassLoadHook"],
    );
    check("event Block { counted: yes; }", &["--what", "blocks"], &["cannot be used with"]);
    check(
        "event Block { counted: yes; }",
        &["--full", "wait"],
        &["--timed, --stream and --within are for --what trace"],
    );
    let case = case();
    let (status, _, said) = asked(&case, &["drill", "--spec", "none.sj", "--show"]);
    assert!(status == 2 && said.contains("cannot read the specification none.sj"), "{said}");
    fs::write(case.path("large.sj"), vec![b' '; (1 << 16) + 1]).unwrap();
    let (status, _, said) = asked(&case, &["drill", "--spec", "large.sj", "--show"]);
    assert!(status == 2 && said.contains("more than 65536 bytes"), "{said}");
    fs::write(case.path("bytes.sj"), b"event \xff").unwrap();
    let (status, _, said) = asked(&case, &["drill", "--spec", "bytes.sj", "--show"]);
    assert!(status == 2 && said.contains("UTF-8"), "{said}");
}

#[test]
fn what_a_file_means_is_shown_without_a_program() {
    let case = with_spec("event Method* { method_id: yes; }\ndefault { counted: on; }\nevent ThreadEnd {}\n");
    let (status, out, said) = asked(&case, &["drill", "--spec", "some.sj", "--show"]);
    assert_eq!(status, 0, "{said}");
    let event = |name: &str| format!("event {name} {{\n    counted: yes;\n    method_id: yes;\n}}\n");
    let events = ["MethodEntry", "MethodEntry2", "MethodExit"].map(event).concat();
    let end = "event ThreadEnd {\n    counted: yes;\n}\n";
    assert_eq!(out, format!("# this is `spl drill --what blocks`\n{events}{end}"));
    assert!(said.contains("some.sj:3:7: warning: ThreadEnd is not counted"), "{said}");
    // The shown file means the same.
    fs::write(case.path("again.sj"), &out).unwrap();
    assert_eq!(asked(&case, &["drill", "--spec", "again.sj", "--show"]).1, out);
}

#[test]
fn the_least_specification_has_what_the_metrics_need() {
    for (metrics, what, unknown) in [("metrics", "receivers", 11), ("size", "blocks", 0)] {
        let case = case();
        let (status, spec, said) = asked(&case, &["analyse", "--needs", metrics]);
        assert_eq!(status, 0, "{said}");
        fs::write(case.path("least.sj"), spec).unwrap();
        let options = ["--all", "--quiet", "--spec", "least.sj"];
        let ended = drill(&case, &options, &["Metrics"]).ends_by_itself();
        ended.assert_status(0);
        assert_eq!(document(&case)["what"][0], what);
        let only = ["--disable", "*", "--enable", metrics];
        let (status, out, said) = asked(&case, &[&["analyse", "out"], &only[..]].concat());
        assert!(status == 0 && !said.contains("`spl drill --what receivers` has it"), "{said}");
        // Nothing is bracketed but what no drill has.
        let (_, tree, _) = asked(&case, &[&["analyse", "out", "--hierarchy"], &only[..]].concat());
        assert_eq!(tree.matches("] needs ").count(), unknown, "{tree}");
        let known = if metrics == "metrics" { "polymorphism.receiverArity.bin[1]" } else { "size.hot.value" };
        assert!(out.contains(known), "{out}");
    }
}
