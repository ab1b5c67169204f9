//! `spl drill --what trace --timed`, `spl trace calls` and `spl trace timeline`: how long calls took.

use crate::case::Case;
use crate::drill::{case, document, drill};
use crate::running::Running;
use crate::traces::{asked, leaves};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// Milliseconds that the requests of `Sleeps` sleep. The second one sleeps twice.
const SLEEPS: [u64; 4] = [5, 200, 150, 280];
/// The requests, slowest first.
const SLOWEST: [(u64, u64, &str); 4] =
    [(2, 400, "returned"), (4, 280, "returned"), (3, 150, "exception"), (1, 5, "returned")];

fn sleeping(options: &[&str], java: &[&str]) -> Case {
    let case = case();
    let sleeps = SLEEPS.map(|sleep| sleep.to_string());
    let arguments: Vec<&str> =
        java.iter().copied().chain(["Sleeps"]).chain(sleeps.iter().map(|sleep| &**sleep)).collect();
    let ended = drill(&case, &[&["--what", "trace", "--all"], options].concat(), &arguments).ends_by_itself();
    ended.assert_status(0);
    assert_eq!(ended.out, "caught 2\n");
    case
}

fn lines_of(case: &Case, options: &[&str]) -> Vec<Value> {
    let (out, status, err) = asked(case, &[&["calls", "out", "--as", "json"], options].concat());
    assert_eq!(status, Some(0), "{err}");
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_else(|| panic!("{key} of {value}"))
}

/// The events of a trace for other tools: their names, nanoseconds and own ones.
fn events(case: &Case, options: &[&str]) -> Vec<(String, Option<u64>, u64, Option<u64>)> {
    let (out, status, err) = asked(case, &[&["timeline", "out", "--as", "chrome"], options].concat());
    assert_eq!(status, Some(0), "{err}");
    let all: Value = serde_json::from_str(&out).unwrap();
    let ns = |value: &Value| value.as_f64().map(|us| (us * 1e3).round() as u64);
    let event = |event: &Value| {
        let name = event["name"].as_str().unwrap().to_owned();
        (name, event["args"]["call"].as_u64(), ns(&event["dur"]).unwrap(), ns(&event["args"]["own_us"]))
    };
    let all = all["traceEvents"].as_array().unwrap();
    all.iter().filter(|event| event["ph"] == "X").map(event).collect()
}

#[test]
fn the_slowest_requests_come_first_with_what_they_waited_for() {
    for mode in ["-Xint", "-Xmixed"] {
        let case = sleeping(&["--timed", "--within", "Sleeps#handle"], &[mode]);
        assert_eq!(document(&case)["timed"], true);
        let calls = lines_of(&case, &[]);
        let told: Vec<_> =
            calls.iter().map(|call| (number(call, "call"), call["ended"].as_str().unwrap())).collect();
        assert_eq!(told, SLOWEST.map(|(call, _, ended)| (call, ended)), "{calls:?}");
        let all = events(&case, &[]);
        for (line, (call, slept, _)) in calls.iter().zip(SLOWEST) {
            let took = number(line, "duration_ns");
            assert!(took >= slept * 1_000_000, "{line}");
            assert_eq!((number(line, "at_least_ns"), number(line, "at_most_ns")), (took, took));
            // An exception is made in the second and the third request.
            let within = 102 + [0, 3, 1, 0][call as usize - 1];
            assert_eq!((number(line, "calls"), &line["is_whole"]), (within, &true.into()));
            let of_this: Vec<_> = all.iter().filter(|event| event.1 == Some(call)).collect();
            let pauses: Vec<u64> =
                of_this.iter().filter(|event| event.0 == "Sleeps.pause").map(|event| event.2).collect();
            let each = slept * 1_000_000 / pauses.len() as u64;
            assert!(pauses.iter().all(|pause| *pause >= each), "{pauses:?}");
            // Methods without calls and branches have no time of their own, and all others have one.
            let own: u64 = of_this.iter().filter_map(|event| event.3).sum();
            assert_eq!(own, took, "call {call}");
            assert_eq!(of_this.iter().filter(|event| event.3.is_none()).count(), 100);
        }
        let (text, _, _) = asked(&case, &["calls", "out", "--limit", "2"]);
        assert!(text.contains("2 more calls: see --limit"), "{text}");
        let (csv, _, _) = asked(&case, &["calls", "out", "--as", "csv"]);
        assert_eq!(csv.lines().count(), 5, "{csv}");
        let of_one = lines_of(&case, &["--call", "3"]);
        assert!(of_one.len() == 1 && of_one[0]["ended"] == "exception", "{of_one:?}");
    }
}

#[test]
fn a_call_is_shown_over_time() {
    let case = sleeping(&["--timed", "--within", "Sleeps#handle"], &[]);
    let (text, status, err) = asked(&case, &["timeline", "out", "--call", "2"]);
    assert_eq!(status, Some(0), "{err}");
    let shown = text.lines().skip(2).map(|line| line.get(52..).unwrap().trim_end());
    // A thread that waits for a processor may show short calls, or tell them apart.
    let (short, methods): (Vec<&str>, Vec<&str>) =
        shown.filter(|line| !line.contains("Failed")).partition(|line| line.trim_start().starts_with('('));
    assert_eq!(
        methods,
        [
            "Sleeps.handle(II)V",
            " Sleeps.prepared(I)V",
            "  Sleeps.pause(I)V",
            " Sleeps.failing(I)V (exception)",
            "  Sleeps.pause(I)V",
        ],
        "{text}"
    );
    let short: u64 = short
        .iter()
        .filter_map(|line| line.trim_start_matches([' ', '(']).split(' ').next()?.parse::<u64>().ok())
        .sum();
    assert!((100..=101).contains(&short), "{text}");
    let page = case.path("slow.html");
    let (_, status, err) = asked(&case, &["timeline", "out", "--output", page.to_str().unwrap()]);
    assert_eq!((status, err.contains("4 calls are drawn in")), (Some(0), true), "{err}");
    let page = fs::read_to_string(page).unwrap();
    assert_eq!(page.matches("<svg ").count(), 4);
    assert!(page.contains("href=\"#t") && page.contains("narrower than a pixel"));
    for outside in ["src=", "http:", "https:", "<script"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let file = case.path("slow.json");
    let given = ["timeline", "out", "--as", "chrome", "--output", file.to_str().unwrap(), "--call", "1"];
    let (out, status, err) = asked(&case, &given);
    assert_eq!((out.as_str(), status, err.contains("103 calls are written")), ("", Some(0), true), "{err}");
    let written: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    assert_eq!(written["traceEvents"].as_array().unwrap().len(), 104);
}

#[test]
fn the_outermost_calls_of_threads_are_calls_too() {
    let case = sleeping(&["--timed"], &[]);
    let calls = lines_of(&case, &[]);
    let of = |name: &str| {
        let call = calls.iter().find(|call| call["method"].as_str().unwrap().contains(name)).unwrap();
        number(call, "duration_ns")
    };
    let slept = SLOWEST.iter().map(|(_, slept, _)| slept).sum::<u64>() * 1_000_000;
    // The main thread waits for the other one to end.
    assert!(of("Sleeps.main(") > of("lambda$main$0") && of("lambda$main$0") >= slept, "{calls:?}");
    let mut sums: BTreeMap<bool, u64> = BTreeMap::new();
    for (name, _, took, own) in events(&case, &[]) {
        *sums.entry(true).or_default() += own.unwrap_or(0);
        *sums.entry(false).or_default() +=
            if name == "Sleeps.main" || name.contains("lambda$main$0") { took } else { 0 };
    }
    // No other thread runs methods of the program but for initialisers.
    assert!(sums[&true] >= sums[&false], "{sums:?}");
}

#[test]
fn without_clocks_durations_are_bounds() {
    let case = sleeping(&["--within", "Sleeps#handle"], &[]);
    let (out, status, err) = asked(&case, &["calls", "out", "--as", "json"]);
    assert!(status == Some(0) && err.contains("take it with --timed"), "{err}");
    let calls: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // The clock at the end of a call's last chunk bounds it.
    let told: Vec<_> = calls.iter().map(|call| number(call, "call")).collect();
    assert_eq!(told, SLOWEST.map(|(call, _, _)| call), "{out}");
    for (call, (_, slept, _)) in calls.iter().zip(SLOWEST) {
        assert!(
            call.get("duration_ns").is_none() && number(call, "at_most_ns") >= slept * 1_000_000,
            "{call}"
        );
    }
    for form in [&[][..], &["--as", "chrome"]] {
        let (_, status, err) = asked(&case, &[&["timeline", "out"], form].concat());
        assert!(status == Some(2) && err.contains("drill --what trace --timed"), "{err}");
    }
    assert!(document(&case).get("timed").is_none());
}

#[test]
fn clocks_change_nothing_else_of_a_trace() {
    for mode in ["-Xint", "-XX:TieredStopAtLevel=1", "-Xmixed"] {
        let case = case();
        let options = ["--what", "trace,blocks", "--full", "wait", "--timed", "--all"];
        drill(&case, &options, &[mode, "Traced", "300", "3"]).ends_by_itself().assert_status(0);
        let (out, status, err) = asked(&case, &["check", "out"]);
        assert_eq!(status, Some(0), "{out}{err}");
        assert!(!out.contains("differ") && !out.contains("fewer"), "{out}");
        for question in ["tree", "hot", "worst", "paths", "size"] {
            let (_, status, err) = asked(&case, &[question, "out"]);
            // Constructors that fail before they call another one are part of the program.
            assert!(
                status == Some(0) && err.lines().all(|line| line.contains("ended without a word")),
                "{err}"
            );
        }
        let calls = lines_of(&case, &["--limit", "100000"]);
        let returned: Vec<_> = calls.iter().filter(|call| call["ended"] == "returned").collect();
        let known = returned.iter().filter(|call| call.get("duration_ns").is_some()).count();
        assert!(
            known >= 4 && known == returned.iter().filter(|call| number(call, "calls") > 0).count(),
            "{calls:?}"
        );
    }
}

#[test]
fn handlers_run_to_their_end_with_clocks_too() {
    for mode in ["-Xint", "-XX:TieredStopAtLevel=1", "-Xmixed"] {
        let case = case();
        let options = ["--what", "trace", "--timed", "--methods", "Unwinds"];
        let ended = drill(&case, &options, &[mode, "Unwinds", "10"]).ends_by_itself();
        ended.assert_status(0);
        assert_eq!(ended.out, "skipped: finally 0, loop in finally 0, catch 0, lock 0\n", "{mode}");
        let (_, status, err) = asked(&case, &["calls", "out"]);
        assert_eq!(status, Some(0), "{err}");
    }
}

#[test]
fn a_running_program_is_timed_again_and_again() {
    let case = case();
    let program = leaves(&case);
    let pid = program.pid().to_string();
    for options in [&["--timed"][..], &[], &["--timed", "--within", "Leaves$Told#several", "--one-in", "100"]]
    {
        let all = ["drill", "--attach", &pid, "--yes", "--replace", "--for", "300ms", "--what", "trace"];
        let of = ["--methods", "Leaves$Told", "--out", "out"];
        Running::start(case.spl_with(&[&all[..], &of, options].concat()), &case.path(""))
            .ends()
            .assert_status(0);
        let (out, status, err) = asked(&case, &["calls", "out", "--as", "json"]);
        assert_eq!(status, Some(0), "{err}");
        let known = out.lines().filter(|line| line.contains("duration_ns")).count();
        assert_eq!(known > 0, options.contains(&"--timed"), "{options:?}: {err}{out}");
    }
    program.ends().assert_status(0);
}

#[test]
fn forms_that_a_question_about_times_does_not_have_are_refused() {
    let case = sleeping(&["--timed", "--within", "Sleeps#handle"], &[]);
    let refused = [
        (&["calls", "out", "--as", "chrome"][..], "--as chrome for timeline"),
        (&["tree", "out", "--as", "csv"], "--as csv for calls"),
        (&["tree", "out", "--call", "1"], "--call is for calls and timeline"),
        (&["calls", "out", "--output", "x"], "--output also for"),
        (&["timeline", "out", "--call", "77"], "no call of the trace has the number 77"),
    ];
    for (words, said) in refused {
        let (_, status, err) = asked(&case, words);
        assert!(status == Some(2) && err.contains(said), "{words:?}: {err}");
    }
    let other = crate::drill::case();
    let ended = drill(&other, &["--timed", "--all"], &["Sleeps", "1"]).ends_by_itself();
    ended.assert_status(2);
    assert!(ended.err.contains("--within are for --what trace"), "{}", ended.err);
}
