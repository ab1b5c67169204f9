//! `spl drill --what time`: the durations of calls, with callees and without.

use crate::drill::{case, document, drill, table};

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
    assert!(document["probe_ps"].is_array() && document["is_exact"] == true, "{document}");
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
