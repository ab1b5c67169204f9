//! `spl drill --what paths`: which blocks ran one after the other, and what follows for blocks and edges.

use crate::case::Case;
use crate::drill::{case, document, drill, table};
use std::collections::BTreeMap;
use std::fs;

const ROUNDS: u64 = 200;

/// The counts of paths of a method, each with its place of beginning and of ending and its blocks.
fn paths(case: &Case, method: &str) -> Vec<(String, u64)> {
    let text = fs::read_to_string(case.path("out/drill/paths.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("method,path,count,begin,end,bytecodes,blocks"));
    let of_method = lines.filter_map(|line| {
        let rest = line.trim_start_matches('"').strip_prefix(method)?.trim_start_matches('"');
        let cells: Vec<&str> = rest.strip_prefix(',')?.split(',').collect();
        let kind = if cells[0].parse::<u32>().is_ok() { "" } else { cells[0] };
        Some((format!("{kind}{}: {} -> {}", cells[2], cells[5], cells[3]), cells[1].parse().unwrap()))
    });
    of_method.collect()
}

fn all(of: &[(&str, u64)]) -> Vec<(String, u64)> {
    of.iter().map(|(path, count)| ((*path).to_owned(), *count)).collect()
}

fn run(options: &[&str], program: &[&str]) -> (Case, String) {
    let case = case();
    let ended = drill(&case, options, program).ends_by_itself();
    ended.assert_status(0);
    (case, ended.err)
}

#[test]
fn paths_of_known_methods_are_counted() {
    for java in [&["-Xint"][..], &["-XX:TieredStopAtLevel=1"], &[]] {
        let rounds = ROUNDS.to_string();
        let program = [java, &["Routes", &rounds]].concat();
        let (case, err) = run(&["--what", "paths", "--methods", "Routes"], &program);
        assert!(err.contains("all paths are in"), "{err}");
        let of = |method: &str| paths(&case, &format!("Routes.{method}"));
        let expected = [
            ("loop: 1 2 4 -> loop 1", 50 * ROUNDS),
            ("loop: 1 2 3 4 -> loop 1", 49 * ROUNDS),
            ("entry: 0 1 2 3 4 -> loop 1", ROUNDS),
            ("loop: 1 5 -> return", ROUNDS),
        ];
        assert_eq!(of("turns()V"), all(&expected));
        // 27 is odd. Four threads call it once each.
        let calls = ROUNDS + 4;
        let expected = [
            ("loop: 1 2 3 5 -> loop 1", 70 * calls),
            ("loop: 1 2 4 5 -> loop 1", 40 * calls),
            ("entry: 0 1 2 4 5 -> loop 1", calls),
            ("loop: 1 6 -> return", calls),
        ];
        assert_eq!(of("collatz(J)I"), all(&expected));
        let caught = of("caught(I)I");
        let sum = |word: &str| {
            let such = caught.iter().filter(|(path, _)| path.contains(word));
            such.map(|(_, count)| count).sum::<u64>()
        };
        assert_eq!(sum("handler"), 32 * ROUNDS, "{caught:?}");
        assert_eq!(sum("left"), 32 * ROUNDS, "{caught:?}");
        let thrower = of("thrower(I)V");
        let ended: u64 = thrower.iter().map(|(_, count)| count).sum();
        let thrown: u64 =
            thrower.iter().filter(|(path, _)| path.ends_with("throw")).map(|(_, count)| count).sum();
        assert_eq!((ended, thrown), (100 * ROUNDS, 32 * ROUNDS), "{thrower:?}");
        // 2^20 paths are cut where ways meet; each call ends its parts once.
        let many = of("many(I)I");
        let returned: u64 =
            many.iter().filter(|(path, _)| path.ends_with("return")).map(|(_, count)| count).sum();
        let entered: u64 =
            many.iter().filter(|(path, _)| path.starts_with("entry")).map(|(_, count)| count).sum();
        assert_eq!((returned, entered), (ROUNDS, ROUNDS));
        assert!(many.iter().any(|(path, _)| path.contains("-> cut")), "{many:?}");
    }
}

/// Blocks and edges of a drill by method.
fn counts(case: &Case) -> [BTreeMap<String, Vec<Vec<String>>>; 2] {
    ["blocks", "edges"].map(|name| table(&case.path(&format!("out/drill/{name}.csv"))))
}

#[test]
fn counts_of_blocks_follow_from_paths() {
    let program = ["Blocks", "1"];
    let drilled = |what: &str| run(&["--what", what, "--methods", "Blocks*"], &program).0;
    let [blocks, paths, both] = ["blocks", "paths", "blocks,paths"].map(drilled);
    let exact = counts(&blocks);
    assert_eq!(counts(&both), exact, "the counters of edges are there, too");
    assert_eq!(document(&both)["what"].to_string(), r#"["blocks","paths"]"#);
    let methods = table(&paths.path("out/drill/methods.csv"));
    let found = counts(&paths);
    let mut compared = 0;
    for (method, lines) in &exact[0] {
        let doubt = methods[method][0].last().unwrap();
        if doubt.is_empty() {
            assert_eq!(&found[0][method], lines, "{method}");
            assert_eq!(&found[1].get(method), &exact[1].get(method), "{method}");
            compared += 1;
        } else {
            assert!(doubt.contains("exceptions left paths"), "{method}: {doubt}");
        }
    }
    assert!(compared >= 6, "most methods are exact: {methods:?}");
    let exported = paths.spl_with(&["export", "out", "--as", "csv"]).output().unwrap();
    assert_eq!(exported.status.code(), Some(0), "{}", String::from_utf8_lossy(&exported.stderr));
}

#[test]
fn paths_go_with_blocks_only() {
    for what in ["paths,cover", "calls,paths", "time,paths"] {
        let case = case();
        let ended = drill(&case, &["--what", what, "--methods", "Routes"], &["Routes", "1"]).ends_by_itself();
        ended.assert_status(2);
        assert!(ended.err.contains("drill twice"), "{what}: {}", ended.err);
    }
}
