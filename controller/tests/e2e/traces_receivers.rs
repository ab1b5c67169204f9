//! `spl drill --what trace --receivers`: the classes of receivers, and what counters say of the same calls.

use crate::drill::{case, drill, table};
use crate::traces::asked;
use serde_json::Value;
use std::collections::BTreeMap;

/// Of each call whose receiver chooses: executions, entries, methods, classes, and changes.
type Sites = BTreeMap<(String, u64, String), [u64; 5]>;

/// The sites of a trace, and the number of receivers that are not known.
fn traced(program: &[&str], options: &[&str]) -> (Sites, u64, Vec<Value>, String) {
    let case = case();
    let what = [&["--what", "trace", "--receivers", "--methods", "Arcs**"], options].concat();
    drill(&case, &what, program).ends_by_itself().assert_status(0);
    let (out, status, err) = asked(&case, &["sites", "out", "--as", "json"]);
    assert_eq!(status, Some(0), "{err}");
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (mut sites, mut unknown) = (Sites::new(), 0);
    for line in &lines {
        let text = |key: &str| line[key].as_str().unwrap().to_owned();
        let number = |key: &str| line[key].as_u64().unwrap();
        let length = |key: &str| line[key].as_array().unwrap().len() as u64;
        let figures = [
            number("executions"),
            number("entered"),
            length("targets"),
            length("receivers"),
            number("changes"),
        ];
        sites.insert((text("method"), number("offset"), text("callee")), figures);
        unknown += number("unknown");
    }
    (sites, unknown, lines, err)
}

/// The sites by counters.
fn counted(program: &[&str]) -> Sites {
    let case = case();
    drill(&case, &["--what", "calls", "--methods", "Arcs**"], program).ends_by_itself().assert_status(0);
    let mut sites = Sites::new();
    for (method, lines) in table(&case.path("out/drill/receivers.csv")) {
        for line in lines {
            let number = |place: usize| line[place].parse::<u64>().unwrap();
            sites.insert((method.clone(), number(0), line[4].clone()), [5, 6, 7, 8, 9].map(number));
        }
    }
    sites
}

#[test]
fn receivers_of_a_trace_are_those_that_counters_count() {
    let counters = counted(&["Arcs", "5"]);
    for options in [&["--full", "wait"][..], &["--full", "wait", "--order", "total"]] {
        for mode in ["-Xint", "-Xmixed"] {
            let (sites, unknown, lines, err) = traced(&[mode, "Arcs", "5"], options);
            assert_eq!((unknown, err.as_str()), (0, ""), "{options:?} {mode}");
            assert_eq!(sites, counters, "{options:?} {mode}");
            let in_turn = lines.iter().find(|line| line["method"] == "Arcs.inTurn([LArcs$Shape;)I").unwrap();
            // ABCABC...: each call but the first has another receiver.
            assert_eq!((&in_turn["executions"], &in_turn["changes"]), (&1500.into(), &1499.into()));
            let of = |receiver: &Value| {
                (receiver["classes"][0].as_str().unwrap().to_owned(), receiver["calls"].as_u64())
            };
            let receivers: Vec<_> = in_turn["receivers"].as_array().unwrap().iter().map(of).collect();
            let expected =
                ["Arcs$Circle", "Arcs$Disc", "Arcs$Square"].map(|name| (name.to_owned(), Some(500)));
            assert_eq!(receivers, expected);
        }
    }
}

#[test]
fn small_rings_leave_receivers_unknown_and_never_wrong() {
    let program = ["Arcs", "400"];
    let counters = counted(&program);
    let (sites, _, lines, err) = traced(&program, &["--ring", "16"]);
    assert!(err.contains("missing"), "{err}");
    for (at, found) in &sites {
        let counted = &counters[at];
        assert!((0..5).all(|figure| found[figure] <= counted[figure]), "{at:?}: {found:?} of {counted:?}");
    }
    // The method that a receiver led to is that of its class.
    let in_turn = lines.iter().find(|line| line["method"] == "Arcs.inTurn([LArcs$Shape;)I").unwrap();
    let sum = |key: &str, is_it: &dyn Fn(&Value) -> bool| {
        let all = in_turn[key].as_array().unwrap().iter().filter(|one| is_it(one));
        all.map(|one| one["calls"].as_u64().unwrap()).sum::<u64>()
    };
    let squares = sum("receivers", &|one| one["classes"][0] == "Arcs$Square");
    let of_square = sum("targets", &|one| one["method"] == "Arcs$Square.area()I");
    let unknown = in_turn["unknown"].as_u64().unwrap();
    assert!(squares <= of_square && of_square <= squares + unknown, "{in_turn}");
}

#[test]
fn a_trace_without_receivers_has_none() {
    let case = case();
    drill(&case, &["--what", "trace", "--methods", "Arcs**"], &["Arcs", "1"])
        .ends_by_itself()
        .assert_status(0);
    let (_, status, err) = asked(&case, &["sites", "out"]);
    assert!(status == Some(2) && err.contains("take one with --receivers"), "{err}");
    let ended = drill(&case, &["--receivers", "--all", "--replace"], &["Arcs", "1"]).ends_by_itself();
    ended.assert_status(2);
    assert!(ended.err.contains("--receivers") && ended.err.contains("--what trace"), "{}", ended.err);
    drill(&case, &["--what", "trace", "--receivers", "--methods", "Arcs**", "--replace"], &["Arcs", "1"])
        .ends_by_itself()
        .assert_status(0);
    let (out, status, _) = asked(&case, &["sites", "out", "--limit", "1"]);
    assert!(
        status == Some(0) && out.lines().count() == 3 && out.contains("more places: see --limit"),
        "{out}"
    );
}
