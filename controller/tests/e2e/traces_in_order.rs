//! `spl drill --what trace --order total`: the events of all threads in one order.

use crate::drill::{case, document, drill};
use crate::traces::asked;
use serde_json::Value;
use std::collections::BTreeMap;

/// Bits of the number that an entry of `Turns.enter` tells by calls.
const BITS: usize = 16;

/// The thread of each line of a merged replay, with the line.
fn lines(out: &str) -> impl Iterator<Item = (u64, &str)> {
    let mut thread = 0;
    out.lines().filter_map(move |line| match line.strip_prefix("thread ") {
        Some(id) => {
            thread = id.split(',').next().unwrap().parse().unwrap();
            None
        }
        None => Some((thread, line)),
    })
}

/// The numbers of the entries of the lock that are in the trace whole, in the order of the trace.
fn entries(out: &str) -> Vec<usize> {
    let (mut bits, mut entries) = (BTreeMap::<u64, Option<Vec<bool>>>::new(), Vec::new());
    for (thread, line) in lines(out) {
        let bits = bits.entry(thread).or_default();
        if line.ends_with(" > Turns.enter()V") {
            *bits = Some(Vec::new());
        } else if line.starts_with('?') {
            *bits = None;
        } else if line.contains(" > Turns.one()V") || line.contains(" > Turns.zero()V") {
            bits.iter_mut().for_each(|bits| bits.push(line.contains("one")));
        } else if line.ends_with(" < Turns.enter()V returned")
            && let Some(bits) = bits.take().filter(|bits| bits.len() == BITS)
        {
            entries.push(bits.iter().rev().fold(0, |number, bit| 2 * number + usize::from(*bit)));
        }
    }
    entries
}

#[test]
fn threads_that_hand_a_token_to_and_fro_alternate() {
    let case = case();
    let options = ["--what", "trace", "--all", "--order", "total", "--full", "wait"];
    let ended = drill(&case, &options, &["Turns", "token", "2", "1000"]).ends_by_itself();
    ended.assert_status(0);
    assert_eq!(ended.out, "2000 entries\n");
    let document = document(&case);
    assert_eq!((&document["is_exact"], &document["order"]), (&true.into(), &"total".into()), "{document}");
    let (out, status, err) = asked(&case, &["replay", "out", "--merged"]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let hands: Vec<u64> =
        lines(&out).filter(|(_, line)| line.ends_with("> Turns.hand()V")).map(|(thread, _)| thread).collect();
    assert_eq!(hands.len(), 2000);
    assert!(hands.windows(2).all(|two| two[0] != two[1]), "{hands:?}");
    // The same events as of each thread by itself.
    let (apart, _, _) = asked(&case, &["replay", "out"]);
    let mut of_threads: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    lines(&out).for_each(|(thread, line)| of_threads.entry(thread).or_default().push(line));
    for thread in apart.split("thread ").skip(1) {
        let (id, lines) = thread.split_once('\n').unwrap();
        assert_eq!(of_threads[&id.parse().unwrap()], lines.lines().collect::<Vec<_>>(), "thread {id}");
    }
    let (out, status, err) = asked(&case, &["switches", "out", "--as", "json"]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let switches = |line: &str| serde_json::from_str::<Value>(line).unwrap()["switches"].as_u64().unwrap();
    let of_pairs: Vec<u64> = out.lines().map(switches).collect();
    assert!(of_pairs.len() >= 2 && of_pairs[..2].iter().all(|switches| *switches >= 999), "{out}");
    assert!(of_pairs.is_sorted_by(|one, other| one >= other), "{out}");
    let (text, _, _) = asked(&case, &["switches", "out", "--limit", "1"]);
    let all: u64 = of_pairs.iter().sum();
    let head = text.lines().next().unwrap().replace(',', "");
    assert_eq!(head, format!("{all} switches of 3 threads"));
    assert!(text.contains("more pairs: see --limit"), "{text}");
    // Mode 1 of JBInsTrace has the same order.
    let folder = case.path("events");
    let given = ["--as", "jbinstrace", "--mode", "1", "--output", folder.to_str().unwrap()];
    let (_, status, err) = asked(&case, &[&["replay", "out"], &given[..]].concat());
    assert_eq!(status, Some(0), "{err}");
    let (events, _, _) = asked(&case, &["events", folder.join("trace.csv").to_str().unwrap()]);
    let of_hands =
        |line: &str| line.ends_with(" > Turns.hand()V").then(|| line.split(' ').next().unwrap().to_owned());
    let in_table: Vec<String> = events.lines().filter_map(of_hands).collect();
    assert_eq!(in_table, hands.iter().map(u64::to_string).collect::<Vec<_>>());
}

#[test]
fn entries_of_a_lock_come_in_the_programs_own_order() {
    for (threads, mode) in [("2", "-Xmixed"), ("8", "-Xmixed"), ("8", "-Xint")] {
        let case = case();
        let options = ["--what", "trace", "--all", "--order", "total", "--full", "wait"];
        let ended = drill(&case, &options, &[mode, "Turns", "lock", threads, "300"]).ends_by_itself();
        ended.assert_status(0);
        let (out, status, err) = asked(&case, &["replay", "out", "--merged"]);
        assert_eq!((status, err.as_str()), (Some(0), ""));
        let all = 300 * threads.parse::<usize>().unwrap();
        assert_eq!(entries(&out), (0..all).collect::<Vec<_>>(), "{threads} {mode}");
    }
}

#[test]
fn what_small_rings_lose_leaves_the_rest_in_order() {
    for threads in ["2", "8"] {
        let case = case();
        let options = ["--what", "trace", "--all", "--order", "total", "--ring", "16"];
        let ended = drill(&case, &options, &["Turns", "lock", threads, "4000"]).ends_by_itself();
        ended.assert_status(0);
        assert_eq!(document(&case)["is_exact"], false);
        let (out, status, err) = asked(&case, &["replay", "out", "--merged"]);
        assert!(status == Some(0) && err.contains("missing in the trace"), "{err}");
        assert!(!err.contains("no known place"), "{err}");
        assert!(out.contains("missing"), "{threads}");
        let entries = entries(&out);
        assert!(entries.len() > 50, "{threads}: {}", entries.len());
        assert!(entries.is_sorted_by(|one, other| one < other), "{threads}: {entries:?}");
    }
}

#[test]
fn threads_that_come_and_go_have_places_of_their_own() {
    let case = case();
    let options = ["--what", "trace", "--order", "total", "--full", "wait", "--methods", "Leaves$Told"];
    drill(&case, &options, &["Leaves", "500"]).ends_by_itself().assert_status(0);
    let (out, status, err) = asked(&case, &["replay", "out", "--merged"]);
    assert_eq!(status, Some(0), "{err}");
    assert!(!err.contains("no known place"), "{err}");
    let mut calls: BTreeMap<u64, usize> = BTreeMap::new();
    for (thread, _) in lines(&out).filter(|(_, line)| line.contains(" > Leaves$Told.leaf(I)I")) {
        *calls.entry(thread).or_default() += 1;
    }
    let mut calls: Vec<usize> = calls.into_values().collect();
    calls.sort_unstable();
    assert_eq!(calls, [1, 500, 500, 1000, 1000]);
}

#[test]
fn within_calls_there_is_an_order_too() {
    let case = case();
    let options = [
        "--what",
        "trace",
        "--all",
        "--order",
        "total",
        "--within",
        "Turns#enter",
        "--one-in",
        "3",
        "--full",
        "wait",
    ];
    drill(&case, &options, &["Turns", "lock", "4", "300"]).ends_by_itself().assert_status(0);
    let (out, status, err) = asked(&case, &["replay", "out", "--merged"]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let entries = entries(&out);
    assert_eq!(entries.len(), 400);
    assert!(entries.is_sorted_by(|one, other| one < other), "{entries:?}");
}

#[test]
fn a_trace_without_the_order_has_none() {
    let case = case();
    drill(&case, &["--what", "trace", "--all"], &["Turns", "token", "2", "3"])
        .ends_by_itself()
        .assert_status(0);
    let refused = [
        (&["switches", "out"][..], "take one with --order total"),
        (&["replay", "out", "--merged"], "take one with --order total"),
        (&["replay", "out", "--merged", "--thread", "1"], "leave --thread out"),
        (&["tree", "out", "--merged"], "--merged is for"),
    ];
    for (words, said) in refused {
        let (_, status, err) = asked(&case, words);
        assert!(status == Some(2) && err.contains(said), "{words:?}: {err}");
    }
    let ended = drill(&case, &["--order", "total", "--all", "--replace"], &["Turns", "token", "2", "3"])
        .ends_by_itself();
    ended.assert_status(2);
    assert!(ended.err.contains("--what trace"), "{}", ended.err);
}
