//! `spl drill --what trace` and `spl trace`: everything that runs, in its order.

use crate::case::Case;
use crate::drill::{case, document, drill};
use crate::harness;
use crate::running::Running;
use std::fs;

/// The output of `spl trace`, its status, and its messages.
fn asked(case: &Case, words: &[&str]) -> (String, Option<i32>, String) {
    let output = case.spl_with(&[&["trace"], words].concat()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), output.status.code(), text(output.stderr))
}

fn traced(options: &[&str], arguments: &[&str]) -> Case {
    let case = case();
    let what = [&["--all"], options].concat();
    let ended = drill(&case, &what, &[&["Traced"], arguments].concat()).ends_by_itself();
    ended.assert_status(0);
    assert!(ended.err.contains("look at them with `spl trace`"), "{}", ended.err);
    case
}

#[test]
fn a_trace_counts_what_counters_count() {
    let case = traced(&["--what", "trace,blocks", "--full", "wait"], &["300", "3"]);
    let (out, status, err) = asked(&case, &["check", "out"]);
    assert_eq!(status, Some(0), "{out}{err}");
    assert!(out.contains("blocks have the same count") && !out.contains("differ"), "{out}");
    assert!(!out.contains("fewer"), "{out}");
    let (out, _, _) = asked(&case, &["size", "out"]);
    assert!(out.starts_with("4 threads, "), "{out}");
    // Naive recursion: fib(10) makes 177 calls, and fib(5) of the initialiser 15.
    let (out, _, _) = asked(&case, &["worst", "out", "--limit", "100"]);
    let fib = out.lines().find(|line| line.contains("Traced.fib(I)I")).unwrap();
    assert!(fib.contains(&(4 * 177 + 15).to_string()), "{fib}");
}

#[test]
fn exceptions_are_told_where_they_pass_and_where_they_are_caught() {
    let case = traced(&["--what", "trace"], &["1", "0"]);
    let (out, status, _) = asked(&case, &["replay", "out"]);
    assert_eq!(status, Some(0));
    // Of f(9) ten calls begin, two are left by the exception, and the third catches it.
    let f: Vec<&str> = out.lines().filter(|line| line.contains("Traced.f(I)V")).collect();
    let ends = |how: &str| f.iter().filter(|line| line.ends_with(how)).count();
    assert_eq!((f.len(), ends("returned"), ends("exception")), (20, 8, 2), "{f:?}");
    let document = document(&case);
    assert_eq!((&document["what"][0], &document["is_exact"]), (&"trace".into(), &true.into()), "{document}");
    let (_, status, err) = asked(&case, &["check", "out"]);
    assert!(status == Some(2) && err.contains("--what trace,blocks"), "{err}");
    let refused = case.spl_with(&["export", "out", "--as", "csv"]).output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("a trace, and no counts"));
}

#[test]
fn a_small_ring_loses_events_and_says_so() {
    let case = traced(&["--what", "trace", "--ring", "16"], &["3000", "2"]);
    let (out, status, err) = asked(&case, &["replay", "out"]);
    assert_eq!(status, Some(0));
    assert!(out.contains("events are missing") && err.contains("is not all that ran"), "{err}");
    assert_eq!(document(&case)["is_exact"], false);
}

#[test]
fn damaged_files_and_missing_ones_are_named() {
    let case = traced(&["--what", "trace"], &["30", "0"]);
    let folder = case.path("out/drill/trace");
    let is_trace = |path: &std::path::PathBuf| path.extension().is_some_and(|one| one == "spt");
    let file = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).find(is_trace).unwrap();
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() - 7]).unwrap();
    let (_, status, err) = asked(&case, &["tree", "out"]);
    assert!(status == Some(0) && err.contains("cut off"), "{err}");
    fs::write(&file, [&b"SPLTRACE\x09"[..], &whole[9..]].concat()).unwrap();
    let (_, status, err) = asked(&case, &["tree", "out"]);
    assert!(status == Some(2) && err.contains("version 9"), "{err}");
    fs::write(&file, whole).unwrap();
    fs::remove_file(case.path("out/drill/classes.zip")).unwrap();
    let (_, status, err) = asked(&case, &["tree", "out"]);
    assert!(status == Some(2) && err.contains("drill without --no-classes"), "{err}");
}

#[test]
fn a_trace_goes_with_blocks_only() {
    let refused = [
        (&["--what", "trace,calls"][..], "blocks only"),
        (&["--what", "trace", "--budget", "5"], "--for"),
        (&["--full", "wait"], "--what trace"),
        (&["--what", "trace", "--ring", "17"], "multiple of 16"),
    ];
    for (options, said) in refused {
        let case = case();
        let ended = drill(&case, &[options, &["--all"]].concat(), &["Traced", "1", "0"]).ends_by_itself();
        ended.assert_status(2);
        assert!(ended.err.contains(said), "{}", ended.err);
    }
}

#[test]
fn threads_whose_calls_call_nothing_have_their_own_traces() {
    let case = case();
    let options = ["--what", "trace,blocks", "--full", "wait", "--methods", "Leaves$Told"];
    let options = [&options[..], &["--methods", "Leaves$Failing"]].concat();
    drill(&case, &options, &["Leaves", "500"]).ends_by_itself().assert_status(0);
    let (out, status, err) = asked(&case, &["replay", "out"]);
    assert_eq!(status, Some(0), "{err}");
    let calls: Vec<usize> = out
        .split("thread ")
        .skip(1)
        .map(|thread| thread.lines().filter(|line| line.contains(" > Leaves$Told.leaf(I)I")).count())
        .collect();
    let mut sorted = calls.clone();
    sorted.sort_unstable();
    // The main thread makes one of them.
    assert_eq!(sorted, [1, 500, 500, 1000, 1000], "{calls:?}");
    let (checked, status, _) = asked(&case, &["check", "out"]);
    assert!(status == Some(0) && !checked.contains("fewer"), "{checked}");
}

#[test]
fn constructors_that_fail_leave_the_stack_of_what_follows_right() {
    let case = case();
    let options = ["--what", "trace", "--methods", "Leaves$Told", "--methods", "Leaves$Failing"];
    drill(&case, &options, &["Leaves", "1"]).ends_by_itself().assert_status(0);
    let (out, status, err) = asked(&case, &["replay", "out"]);
    assert_eq!(status, Some(0), "{err}");
    let lines = |text: &str| out.lines().filter(|line| line.ends_with(text)).collect::<Vec<_>>();
    assert_eq!(lines("> Leaves$Told.outer(I)I"), ["1 > Leaves$Told.outer(I)I"]);
    assert_eq!(lines("> Leaves$Told.inner(I)I"), ["2 > Leaves$Told.inner(I)I"]);
    assert_eq!(lines("> Leaves$Failing.<init>(I)V").len(), 300);
    assert!(err.contains("300 activations ended without a word"), "{err}");
}

#[test]
fn a_program_that_calls_all_the_time_is_traced_again_and_again() {
    let case = case();
    let mut plain = std::process::Command::new(harness::java());
    plain.arg("-cp").arg(harness::classes()).arg("Leaves");
    let mut program = Running::start(plain, &case.path(""));
    program.awaits("ready");
    let pid = program.pid().to_string();
    for _ in 0..4 {
        let options = ["drill", "--attach", &pid, "--yes", "--replace", "--for", "300ms", "--what", "trace"];
        let spl = case.spl_with(&[&options[..], &["--methods", "Leaves$Told", "--out", "out"]].concat());
        Running::start(spl, &case.path("")).ends().assert_status(0);
        let (out, status, err) = asked(&case, &["worst", "out"]);
        assert!(status == Some(0) && out.contains("Leaves$Told.several(I)I"), "{out}{err}");
        assert!(err.contains("the drill ended before the program"), "{err}");
    }
    let ended = program.ends();
    ended.assert_status(0);
    assert!(ended.out.ends_with("ended with 6 threads\n"), "{}", ended.out);
}

#[test]
fn calls_below_calls_of_an_earlier_drill_have_their_stack() {
    let case = case();
    let mut run = drill(&case, &["--what", "trace", "--methods", "Leaves#deep"], &["Leaves", "0", "0"]);
    run.awaits("ready");
    run.signal("INT");
    run.awaits("the drill is over, the program goes on");
    let (out, _, err) = asked(&case, &["replay", "out"]);
    assert!(out.contains("201 > Leaves.deep(I)V"), "{err}");
    let pid = document(&case)["pid"].to_string();
    // The calls under way go on, 201 of them within each other, with the code of the first drill.
    let options = ["drill", "--attach", &pid, "--yes", "--replace", "--for", "1s", "--what", "trace"];
    let more = ["--full", "wait", "--methods", "Leaves$Told", "--out", "out"];
    let ended = Running::start(case.spl_with(&[&options[..], &more].concat()), &case.path("")).ends();
    assert!(ended.err.contains("traced 1 thread:"), "{}", ended.err);
    let (out, status, err) = asked(&case, &["replay", "out"]);
    assert_eq!(status, Some(0), "{err}");
    let of = |how: &str| out.lines().filter(|line| line.ends_with(how)).count();
    let (several, leaves) = (of("> Leaves$Told.several(I)I"), of("> Leaves$Told.leaf(I)I"));
    assert!(several > 0 && of("Leaves$Told.several(I)I returned") + 1 >= several, "{err}");
    assert!(2 * several >= leaves && leaves + 2 >= 2 * several, "{several} calls make {leaves}");
    assert!(out.contains("202 > Leaves$Told.several(I)I"), "{err}");
    assert!(!err.contains("without a word"), "{err}");
    run.ends().assert_status(0);
}

#[test]
fn what_is_missing_next_to_a_trace_is_told() {
    let case = traced(&["--what", "trace,blocks", "--full", "wait"], &["300", "3"]);
    let folder = case.path("out/drill/trace");
    let files = || fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let largest = files()
        .filter(|path| path.extension().is_some_and(|one| one == "spt"))
        .max_by_key(|path| path.metadata().unwrap().len());
    let (path, whole) = largest.map(|path| (path.clone(), fs::read(&path).unwrap())).unwrap();
    fs::remove_file(&path).unwrap();
    let (out, status, err) = asked(&case, &["check", "out"]);
    assert!(
        status == Some(0) && out.contains("fewer") && err.contains("no file of the traced thread"),
        "{out}{err}"
    );
    // The other threads can be read.
    fs::write(&path, b"").unwrap();
    let (_, status, err) = asked(&case, &["tree", "out"]);
    assert!(status == Some(0) && err.contains("it is not a trace"), "{err}");
    fs::write(&path, whole).unwrap();
    let table = case.path("out/drill/blocks.csv");
    let counts = fs::read_to_string(&table).unwrap();
    fs::write(&table, counts.replacen(",1,", ",2,", 1)).unwrap();
    let (_, status, err) = asked(&case, &["check", "out"]);
    assert!(status == Some(2) && err.contains("not as the drill wrote it"), "{err}");
    fs::write(&table, counts).unwrap();
    let (_, status, err) = asked(&case, &["check", "out", "--thread", "1"]);
    assert!(status == Some(2) && err.contains("leave --thread out"), "{err}");
    // A drill that keeps no classes keeps none of an earlier one.
    assert!(case.path("out/drill/classes.zip").exists());
    let again = ["--what", "trace", "--no-classes", "--replace", "--all"];
    drill(&case, &again, &["Traced", "1", "0"]).ends_by_itself().assert_status(0);
    assert!(!case.path("out/drill/classes.zip").exists());
}
