//! `spl drill --what time`: the durations of calls, with callees and without.

use crate::drill::{case, document, drill, table};
use crate::harness;
use crate::running::Running;

const TURNS: u64 = 300;

/// The figures of a method: calls, then nanoseconds.
fn figures(of: &[Vec<String>]) -> Vec<u64> {
    of[0][..8].iter().map(|cell| cell.parse().unwrap()).collect()
}

fn check(options: &[&str]) {
    let case = case();
    let what = [&["--what", "time", "--methods", "Durations"], options].concat();
    let turns = TURNS.to_string();
    let ended = drill(&case, &what, &["Durations", &turns]).ends_by_itself();
    ended.assert_status(0);
    assert!(ended.err.contains("times of methods are in"), "{}", ended.err);
    let times = table(&case.path("out/drill/times.csv"));
    let of = |method: &str| figures(&times[&format!("Durations.{method}")]);
    let main = of("main([Ljava/lang/String;)V");
    for (method, calls) in
        [("down(I)V", 11), ("work()V", 11), ("calls()V", 1), ("called()V", 3), ("fails()V", 1)]
    {
        let found = of(method);
        assert_eq!(found[0], calls * TURNS, "{method}: one that throws counts too");
        assert_eq!(found[1], found[2] + found[3], "{method}: callees have the rest");
        assert!(found[1] <= main[1], "{method}: recursion counts once");
        assert!(found[4] <= found[1] && found[5] <= found[2], "{method}: probes are part of it");
    }
    // Methods without callees, and what all have of their own.
    assert_eq!((of("work()V")[3], of("called()V")[3]), (0, 0));
    let own: u64 = times.values().map(|of| figures(of)[2]).sum();
    assert_eq!(main[0], 1);
    assert!(options.contains(&"four") || own == main[1], "{own} ns of all are those of main, {} ns", main[1]);
    let page = std::fs::read_to_string(case.path("out/drill.html")).unwrap();
    assert!(
        page.contains("How long calls took") && page.contains("<td class=\"wide\">Durations.down(I)V</td>")
    );
    let document = document(&case);
    let refused = case.spl_with(&["export", "out", "--as", "csv"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let refused = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.contains("times of methods, and no counts"), "{refused}");
    assert!(document["probe_ps"].is_array(), "{document}");
    // Short methods may take less time than their probes, on a loaded machine others than on an idle one.
    let doubts = document["doubts"].as_array().unwrap();
    assert!(doubts.iter().all(|one| one.as_str().unwrap().contains("time of their probes")), "{document}");
    assert_eq!(document["is_exact"], doubts.is_empty(), "{document}");
}

#[test]
fn times_are_added_up_with_callees_and_without() {
    check(&[]);
}

#[test]
fn four_clocks_leave_the_time_of_probes_out() {
    check(&["--clock", "four"]);
}

#[test]
fn a_recursion_that_overflows_the_stack_leaves_the_times_of_others_right() {
    let case = case();
    let ended = drill(&case, &["--what", "time", "--methods", "Durations"], &["Durations", "3", "deep"])
        .ends_by_itself();
    ended.assert_status(0);
    assert!(ended.out.contains("done"), "{}", ended.out);
    let times = table(&case.path("out/drill/times.csv"));
    let main = figures(&times["Durations.main([Ljava/lang/String;)V"]);
    assert_eq!(figures(&times["Durations.calls()V"])[0], 4);
    let called = figures(&times["Durations.called()V"]);
    assert_eq!(called[1], called[2], "calls that the overflow ended do not stay under way");
    let own: u64 = times.values().map(|of| figures(of)[2]).sum();
    assert!(own <= main[1], "{own} ns of all are not more than those of main, {} ns", main[1]);
}

#[test]
fn a_place_is_not_lost_where_the_end_of_a_call_overflows_the_stack() {
    for mode in ["-Xint", "-XX:TieredStopAtLevel=1", "-Xmixed"] {
        let case = case();
        // No measured call is below those of the method, to take lost places off.
        let options = ["--what", "time", "--methods", "Durations#called"];
        let ended = drill(&case, &options, &[mode, "Durations", "3", "deep", "40"]).ends_by_itself();
        ended.assert_status(0);
        let times = table(&case.path("out/drill/times.csv"));
        let called = figures(&times["Durations.called()V"]);
        assert_eq!(called[1], called[2], "{mode}: no call of the method is within another one");
    }
}

#[test]
fn calls_at_the_end_of_a_drill_have_times() {
    let case = case();
    let mut plain = std::process::Command::new(harness::java());
    plain.arg("-cp").arg(harness::classes()).args(["CompareLoop", "0", "8"]);
    let mut program = Running::start(plain, &case.path(""));
    program.awaits("ready");
    let pid = program.pid().to_string();
    let options = ["drill", "--attach", &pid, "--yes", "--for", "1s", "--what", "time", "--methods"];
    let spl = case.spl_with(&[&options[..], &["CompareLoop#fast", "--out", "out"]].concat());
    let ended = Running::start(spl, &case.path("")).ends();
    ended.assert_status(0);
    let times = table(&case.path("out/drill/times.csv"));
    let doubt = times["CompareLoop.fast([I)J"][0].last().unwrap();
    assert!(!doubt.contains("not timed") && figures(&times["CompareLoop.fast([I)J"])[0] > 0, "{doubt}");
    program.line();
    program.ends().assert_status(0);
}

#[test]
fn a_drill_that_replaces_another_leaves_none_of_its_tables() {
    let case = case();
    let mut tables = Vec::new();
    for what in ["time", "blocks,paths", "blocks", "time"] {
        let options = ["--what", what, "--replace", "--methods", "Durations"];
        drill(&case, &options, &["Durations", "3"]).ends_by_itself().assert_status(0);
        let files = std::fs::read_dir(case.path("out/drill")).unwrap().map(|file| file.unwrap().file_name());
        let mut files: Vec<String> = files.map(|name| name.into_string().unwrap()).collect();
        files.retain(|name| name.ends_with(".csv"));
        files.sort();
        tables.push(files);
    }
    assert_eq!((&*tables[0], &tables[0]), (&["times.csv".to_owned()][..], &tables[3]));
    assert_eq!(tables[2], ["blocks.csv", "calls.csv", "edges.csv", "methods.csv"]);
    assert!(tables[1].contains(&"paths.csv".to_owned()) && !tables[1].contains(&"times.csv".to_owned()));
}

#[test]
fn times_go_with_nothing_that_counts() {
    let refused = [
        (&["--what", "time,blocks"][..], "drill twice"),
        (&["--what", "time", "--budget", "5"], "--for"),
        (&["--clock", "four"], "--what time"),
    ];
    for (options, said) in refused {
        let case = case();
        let ended = drill(&case, &[options, &["--methods", "Durations"]].concat(), &["Durations", "1"])
            .ends_by_itself();
        ended.assert_status(2);
        assert!(ended.err.contains(said), "{}", ended.err);
    }
}
