//! `spl drill --what trace` and `spl trace`: everything that runs, in its order.

use crate::case::Case;
use crate::drill::{case, document, drill};
use crate::harness;
use crate::running::{Running, kill};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The output of `spl trace`, its status, and its messages.
pub(crate) fn asked(case: &Case, words: &[&str]) -> (String, Option<i32>, String) {
    let output = case.spl_with(&[&["trace"], words].concat()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), output.status.code(), text(output.stderr))
}

/// The program `Leaves`, which calls all the time.
pub(crate) fn leaves(case: &Case) -> Running {
    let mut plain = std::process::Command::new(harness::java());
    plain.arg("-cp").arg(harness::classes()).arg("Leaves");
    let mut program = Running::start(plain, &case.path(""));
    program.awaits("ready");
    program
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
    let is_trace = |path: &PathBuf| path.extension().is_some_and(|one| one == "spt");
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
fn parts_of_a_trace_have_together_the_calls_of_the_whole() {
    let case = traced(&["--what", "trace", "--full", "wait"], &["3000", "1"]);
    let calls = |part: &[&str]| {
        let (out, status, err) = asked(&case, &[&["size", "out"], part].concat());
        assert_eq!(status, Some(0), "{err}");
        let calls = out.lines().next().unwrap().split(", ").nth(1).unwrap().replace(',', "");
        calls.split(' ').next().unwrap().parse::<u64>().unwrap()
    };
    let (first, second) = (calls(&["--to", "20ms"]), calls(&["--from", "20ms"]));
    assert!(first > 0 && second > 0, "{first}, {second}");
    assert_eq!(first + second, calls(&[]));
    for (part, said) in [(["--from", "1h"], "nothing of the trace"), (["--to", "0s"], "length of time")] {
        let (_, status, err) = asked(&case, &[&["size", "out"], &part[..]].concat());
        assert!(status == Some(2) && err.contains(said), "{err}");
    }
}

#[test]
fn a_trace_goes_with_blocks_only() {
    let refused = [
        (&["--what", "trace,calls"][..], "blocks only"),
        (&["--what", "trace", "--budget", "5"], "--for"),
        (&["--full", "wait"], "--what trace"),
        (&["--what", "trace", "--ring", "17"], "multiple of 16"),
        (&["--within", "Traced#f"], "--what trace"),
        (&["--what", "trace,blocks", "--within", "Traced#f"], "--within goes with --what trace alone"),
        (&["--what", "trace", "--one-in", "3"], "--within"),
        (&["--what", "trace", "--within", "a b"], "--within a b is not a pattern"),
        (&["--what", "trace", "--within", "Traced$E#new"], "name the method that makes the object"),
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
    let program = leaves(&case);
    let pid = program.pid().to_string();
    for _ in 0..3 {
        let options = ["drill", "--attach", &pid, "--yes", "--replace", "--for", "150ms", "--what", "trace"];
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
    // A busy machine may keep the reader from its turn for longer than a thread waits.
    let missing = err.lines().find_map(|line| {
        line.strip_prefix("spl: ")?.split_once(" missing in the trace")?.0.split(' ').next()?.parse().ok()
    });
    let missing: usize = missing.unwrap_or(0);
    assert!(several > 0 && of("Leaves$Told.several(I)I returned") + 1 + missing >= several, "{err}");
    let (least, most) = (2 * several.saturating_sub(1 + missing), 2 * (several + missing));
    assert!((least..=most).contains(&leaves), "{several} calls make {leaves}, {err}");
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
        status == Some(2) && out.contains("fewer") && err.contains("no file of the traced thread"),
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

/// The folder of the traces that a drill writes, once there is one.
fn written(case: &Case) -> Option<PathBuf> {
    let entries = fs::read_dir(case.path("out/drill")).ok()?;
    let mut paths = entries.map(|entry| entry.unwrap().path());
    paths.find(|path| path.file_name().unwrap().to_str().unwrap().starts_with("trace."))
}

fn bytes_of_traces(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let traces = files.filter(|file| file.path().extension().is_some_and(|one| one == "spt"));
    traces.map(|file| file.metadata().map_or(0, |of| of.len())).sum()
}

/// A drill of a program that does not end, killed as soon as its traces have this number of bytes, and the program behind it.
fn killed(bytes: u64) -> (Case, PathBuf) {
    let case = case();
    let options = ["--what", "trace", "--full", "wait", "--methods", "Traced*"];
    let mut run = drill(&case, &options, &["Traced", "50", "2", "forever"]);
    let folder = harness::poll("the traces", harness::DEADLINE, || {
        written(&case).filter(|folder| bytes_of_traces(folder) >= bytes)
    });
    run.signal("KILL");
    assert_eq!(run.spl_ends(), None);
    let pid = folder.extension().unwrap().to_str().unwrap().parse().unwrap();
    kill(pid, "KILL");
    (case, folder)
}

#[test]
fn the_traces_of_a_drill_that_is_killed_are_read() {
    for bytes in [0, 1, 20_000, 200_000] {
        let (case, folder) = killed(bytes);
        let has_files = bytes_of_traces(&folder) > 0;
        for given in ["out", "out/drill", folder.to_str().unwrap()] {
            let (out, status, err) = asked(&case, &["tree", given]);
            if has_files {
                assert_eq!(status, Some(0), "{bytes}: {err}");
                assert!(err.contains("was not finished"), "{err}");
                assert!(bytes < 20_000 || out.contains("Traced.all(I)I"), "{out}{err}");
                assert!(!err.contains("without a class file"), "{err}");
            } else {
                assert!(status == Some(2) && err.contains("nothing was traced"), "{bytes}: {status:?} {err}");
            }
        }
        let (_, status, err) = asked(&case, &["check", "out"]);
        assert!(status == Some(2) && (!has_files || err.contains("has no counts")), "{err}");
        // The next drill takes its place.
        drill_again(&case);
        assert!(!folder.exists());
    }
}

fn drill_again(case: &Case) {
    let mut spl = case.spl_with(&["drill", "--replace", "--what", "trace", "--methods", "Traced*", "--"]);
    spl.args(crate::case::java(&["Traced", "1", "0"]));
    Running::start(spl, &case.path("")).ends_by_itself().assert_status(0);
    let (_, status, err) = asked(case, &["tree", "out"]);
    assert!(status == Some(0) && !err.contains("not finished"), "{err}");
}

#[test]
fn a_kill_while_the_end_is_written_leaves_the_traces() {
    // As soon as a file is there, one after the other in the order in which they are written.
    for file in ["classes.zip", "drill.json", "blocks.csv"] {
        let case = case();
        let options = ["--what", "trace,blocks", "--full", "wait", "--methods", "Traced*"];
        let run = drill(&case, &options, &["Traced", "50", "2"]);
        let path = case.path("out/drill").join(file);
        harness::poll(file, harness::DEADLINE, || fs::metadata(&path).ok().filter(|found| found.len() > 0));
        run.signal("KILL");
        let _ = run.ends_by_itself();
        let (out, status, err) = asked(&case, &["worst", "out"]);
        assert_eq!(status, Some(0), "{file}: {err}");
        // 177 calls of fib(10) in each of three threads, and 15 of the initialiser.
        let fib = out.lines().find(|line| line.contains("Traced.fib(I)I")).unwrap();
        assert!(fib.contains(&(3 * 177 + 15).to_string()), "{file}: {fib}");
    }
}

#[test]
fn what_a_killed_drill_lacks_is_told() {
    let (case, folder) = killed(20_000);
    let has = |path: &Path, end: &str| path.to_str().unwrap().ends_with(end);
    let first = |folder: &Path, end: &str| {
        let mut paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        paths.find(|path| has(path, end)).unwrap()
    };
    // A table whose last line was not written whole.
    let (table, lost) = (folder.join("methods.csv"), ",\"Traced.fib(I)I\"");
    let lines = fs::read_to_string(&table).unwrap();
    let (mut others, mut fib): (Vec<_>, Vec<_>) = lines.lines().partition(|line| !line.ends_with(lost));
    others.append(&mut fib);
    let text = others.join("\n");
    fs::write(&table, &text[..text.len() - 5]).unwrap();
    let (out, status, err) = asked(&case, &["tree", "out"]);
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains("Traced.all(I)I") && !out.contains("Traced.fib(I)I"), "{out}");
    assert!(err.contains("of methods without a class file"), "{err}");
    let (out, _, _) = asked(&case, &["replay", "out"]);
    assert!(out.contains("> ? (method "), "{err}");
    // A class file that was not written whole.
    fs::write(&table, &lines).unwrap();
    let class = lines.lines().find(|line| line.ends_with(lost)).unwrap().split(',').nth(1).unwrap();
    let class = folder.join("classes").join(format!("{class}.class"));
    let whole = fs::read(&class).unwrap();
    fs::write(&class, &whole[..whole.len() / 2]).unwrap();
    let (_, status, err) = asked(&case, &["tree", "out"]);
    assert!(status == Some(0) && err.contains("the class of Traced.") && err.contains("digest"), "{err}");
    fs::write(&class, whole).unwrap();
    // No table, no file of a thread, and a folder without anything.
    fs::remove_file(&table).unwrap();
    let (_, status, err) = asked(&case, &["tree", "out"]);
    assert!(status == Some(0) && err.contains("methods.csv"), "{err}");
    while bytes_of_traces(&folder) > 0 {
        fs::remove_file(first(&folder, ".spt")).unwrap();
    }
    let (_, status, err) = asked(&case, &["tree", "out"]);
    assert!(status == Some(2) && err.contains("nothing was traced"), "{err}");
    fs::remove_dir_all(&folder).unwrap();
    let (_, status, err) = asked(&case, &["tree", "out"]);
    assert!(status == Some(2) && err.contains("cut short before a thread was traced"), "{err}");
}

/// A trace of the program whose paths are known.
fn routes(methods: &str, rounds: &str) -> Case {
    let case = case();
    let options = ["--what", "trace", "--full", "wait", "--methods", methods];
    drill(&case, &options, &["Routes", rounds]).ends_by_itself().assert_status(0);
    case
}

/// The lines of `spl trace paths --as json`: those of paths, and those of methods.
fn paths_of(case: &Case, options: &[&str]) -> (Vec<Value>, Vec<Value>) {
    let (out, status, err) = asked(case, &[&["paths", "out", "--as", "json"], options].concat());
    assert_eq!(status, Some(0), "{err}");
    let lines = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.partition(|line| line.get("path").is_some())
}

#[test]
fn whole_calls_have_paths_with_loops_as_parts() {
    let case = routes("Routes", "3");
    let (paths, methods) = paths_of(&case, &[]);
    let of = |name: &str| {
        let all = paths.iter().filter(|line| line["method"].as_str().unwrap().contains(name));
        all.map(|line| (line["path"].as_str().unwrap(), line["count"].as_u64().unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(of(".turns("), [("0 (1 2 3 4)^50 (1 2 4)^50 1 5", 3)]);
    // 41 odd numbers and 70 even ones follow 27.
    assert_eq!(of(".collatz("), [("0 (1 2 4 5)^41 (1 2 3 5)^70 1 6", 7)]);
    assert_eq!(of(".nested("), [("0 (1 2 (3 4)^5 3 5)^3 1 6", 3)]);
    assert_eq!(of(".thrower("), [("0 2 4", 204), ("0 2 3 !", 54), ("0 1 !", 42)]);
    for line in &methods {
        let sum: u64 = of(line["method"].as_str().unwrap()).iter().map(|(_, count)| count).sum();
        let rest = line["other"].as_u64().unwrap() + line["partly"].as_u64().unwrap();
        assert_eq!(line["calls"].as_u64().unwrap(), sum + rest, "{line}");
    }
    let (exact, _) = paths_of(&case, &["--loops", "exact", "--methods", "Routes#collatz"]);
    assert_eq!(exact.len(), 1);
    let exact = exact[0]["path"].as_str().unwrap();
    assert!(exact.starts_with("0 (1 2 4 5) (1 2 3 5) (1 2 4 5) (1 2 3 5)^2 "), "{exact}");
    let (once, _) = paths_of(&case, &["--loops", "once", "--methods", "Routes#turns"]);
    assert_eq!(once[0]["path"], "0 (1 2 3 4)+ (1 2 4)+ 1 5");
    let (out, _, _) = asked(&case, &["paths", "out", "--limit", "1"]);
    assert!(out.contains("of paths that --limit leaves out"), "{out}");
    let (_, status, err) = asked(&case, &["paths", "out", "--methods", "Router"]);
    assert!(status == Some(2) && err.contains("typing error"), "{err}");
}

#[test]
fn paths_of_a_method_are_bounded() {
    let case = routes("Routes#many", "10100");
    let (paths, methods) = paths_of(&case, &[]);
    assert_eq!(paths.len(), 10_000);
    assert_eq!((&methods[0]["calls"], &methods[0]["other"]), (&10_100.into(), &100.into()));
}

#[test]
fn a_trace_is_written_in_jbinstraces_numbers_and_read_again() {
    let case = routes("Routes", "3");
    let (replay, _, _) = asked(&case, &["replay", "out"]);
    for (mode, options) in [("1", &["--mode", "1"][..]), ("2", &[])] {
        let folder = case.path(&format!("events-{mode}"));
        let given = ["replay", "out", "--as", "jbinstrace", "--output", folder.to_str().unwrap()];
        let (_, status, err) = asked(&case, &[&given[..], options].concat());
        assert_eq!(status, Some(0), "{err}");
        assert!(err.contains("ended by an exception"), "{err}");
        let mut threads = 0;
        for thread in replay.split("thread ").skip(1) {
            let (id, lines) = thread.split_once('\n').unwrap();
            let name = if mode == "1" { "trace.csv".to_owned() } else { format!("{id}.csv") };
            let table = folder.join(name);
            let (read, status, err) = asked(&case, &["events", table.to_str().unwrap()]);
            assert_eq!(status, Some(0), "{err}");
            let of_thread = format!("{id} ");
            let read: Vec<&str> = match mode {
                "1" => read.lines().filter_map(|line| line.strip_prefix(&of_thread)).collect(),
                _ => read.lines().collect(),
            };
            assert_eq!(read, as_events(lines), "thread {id}");
            threads += 1;
        }
        assert_eq!(threads, 5);
        let (_, status, err) = asked(&case, &given);
        assert!(status == Some(2) && err.contains("choose another folder"), "{err}");
    }
    // The main thread begins; its number differs between JDKs.
    let main = replay.split("thread ").find(|thread| thread.contains("> Routes.main(")).unwrap();
    let main = main.split_once('\n').unwrap().0;
    let first = fs::read_to_string(case.path("events-1/trace.csv")).unwrap();
    assert!(first.lines().nth(1).unwrap().ends_with(&format!(",{main}")), "{first:.40}");
    let refused = [
        (&["replay", "out", "--as", "json"][..], "--as json is for paths"),
        (&["replay", "out", "--as", "jbinstrace"], "--output"),
        (&["tree", "out", "--output", "x"], "--as jbinstrace"),
        (&["events", "spl.ini"], "cannot read"),
    ];
    for (words, said) in refused {
        let (_, status, err) = asked(&case, words);
        assert!(status == Some(2) && err.contains(said), "{words:?}: {err}");
    }
}

/// The lines of a replay as `spl trace events` has them.
fn as_events(lines: &str) -> Vec<String> {
    let (mut stack, mut events): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for line in lines.lines() {
        let words: Vec<&str> = line.splitn(3, ' ').collect();
        let depth: usize = words[0].parse().unwrap();
        match words[1] {
            ">" => {
                stack.truncate(depth - 1);
                stack.push(words[2].to_owned());
                events.push(format!("> {}", words[2]));
            }
            "=" => {
                let blocks = words[2].split(' ').filter(|word| word.parse::<u32>().is_ok());
                events.extend(blocks.map(|block| format!("= {block} {}", stack[depth - 1])));
            }
            _ => events.extend(words[2].strip_suffix(" returned").map(|name| format!("< {name}"))),
        }
    }
    events
}

#[test]
fn calls_that_enter_no_traced_method_are_told() {
    let case = case();
    let options = ["--what", "trace", "--full", "wait", "--methods", "Arcs**", "java.lang.System#*"];
    drill(&case, &options, &["Arcs", "3"]).ends_by_itself().assert_status(0);
    let (out, status, err) = asked(&case, &["unseen", "out", "--as", "json"]);
    assert_eq!(status, Some(0), "{err}");
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |method: &str, callee: &str| {
        let has = |line: &&Value, key: &str, part: &str| line[key].as_str().unwrap().contains(part);
        let mut all = lines.iter().filter(|line| has(line, "method", method) && has(line, "callee", callee));
        all.next().map(|line| {
            let count = |key: &str| line[key].as_u64().unwrap();
            (line["answer"].as_str().unwrap(), count("entered"), count("unseen"), count("exceptions"))
        })
    };
    assert_eq!(of("Arcs.natives(", "System.arraycopy"), Some(("native", 0, 60, 0)));
    // Of ten receivers in each round one is null. The interface has no code, and so no class file in the drill.
    assert_eq!(of("Arcs.withoutReceiver(", "area()I"), Some(("no class file", 27, 0, 3)));
    // A method that native or untraced code calls back is not taken for the callee.
    assert_eq!(of("Arcs.privileged(", "doPrivileged"), Some(("no class file", 0, 3, 0)));
    assert_eq!(of("Arcs.main(", "Method.invoke"), Some(("no class file", 0, 15, 0)));
    // The initialiser runs in front of the first of these calls.
    assert_eq!(of("Arcs.main(", "Late.get()I"), None);
    let (out, _, _) = asked(&case, &["unseen", "out", "--limit", "2"]);
    assert!(out.lines().count() == 4 && out.contains("more callees: see --limit"), "{out}");
    let (out, _, _) = asked(&case, &["worst", "out", "--methods", "Arcs#natives"]);
    let shown: Vec<&str> = out.lines().skip(1).collect();
    assert!(shown.len() == 1 && shown[0].contains("Arcs.natives("), "{out}");
}

#[test]
fn the_worst_call_of_a_method_has_the_calls_within_it() {
    let case = traced(&["--what", "trace", "--full", "wait"], &["1", "0"]);
    let (out, _, _) = asked(&case, &["worst", "out", "--methods", "Traced#fib", "Traced#ackermann"]);
    let of = |name: &str| {
        let line = out.lines().find(|line| line.contains(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().to_owned()
    };
    // Of fib(10) and Ackermann(2, 3).
    assert_eq!((of("Traced.fib("), of("Traced.ackermann(")), ("176".to_owned(), "43".to_owned()), "{out}");
}

#[test]
fn a_trace_says_that_calls_of_intrinsics_may_be_missing() {
    let case = case();
    let options = ["--what", "trace", "--methods", "java.lang.Math#max", "--methods", "Traced#fib"];
    let ended = drill(&case, &options, &["Traced", "1", "0"]).ends_by_itself();
    ended.assert_status(0);
    // Of the four methods of this name the JVM has intrinsics for all: `@IntrinsicCandidate` stands at them.
    let doubt = "the JVM may replace its calls by an intrinsic, which no trace has";
    assert!(ended.err.contains(doubt), "{}", ended.err);
    assert_eq!(document(&case)["is_exact"], false);
    let (_, _, err) = asked(&case, &["tree", "out"]);
    assert!(err.contains(doubt), "{err}");
}
