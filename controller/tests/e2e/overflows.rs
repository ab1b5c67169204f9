//! Programs whose stack overflows under a drill: the drill leaves their handlers whole, and the report names gaps.

use crate::drill::{case, document, drill};
use crate::traces::asked;

#[test]
fn handlers_run_whole_when_the_stack_overflows() {
    let case = case();
    for what in ["trace", "trace,blocks", "blocks", "calls", "blocks,paths", "cover", "time"] {
        for mode in ["-Xint", "-XX:TieredStopAtLevel=1", "-Xmixed"] {
            let options = ["--what", what, "--methods", "Unwinds", "--replace", "--no-classes"];
            let ended = drill(&case, &options, &[mode, "Unwinds", "10"]).ends_by_itself();
            ended.assert_status(0);
            let expected = "skipped: finally 0, loop in finally 0, catch 0, lock 0\n";
            assert_eq!(ended.out, expected, "{what} {mode}: {}", ended.err);
        }
    }
}

#[test]
fn what_a_stack_overflow_left_no_room_for_is_told() {
    let case = case();
    // As compiled by C1 the first overflows of a method meet code of ours that has never run.
    let options = ["--what", "trace,blocks", "--full", "wait", "--methods", "Unwinds"];
    let ended = drill(&case, &options, &["-XX:TieredStopAtLevel=1", "Unwinds", "30"]).ends_by_itself();
    ended.assert_status(0);
    let (out, status, err) = asked(&case, &["check", "out"]);
    assert_eq!(status, Some(0), "{out}{err}");
    let is_told = ended.err.contains("stack overflows left no room for");
    assert_eq!(
        document(&case)["is_exact"],
        !is_told && !ended.err.contains("is not all that ran"),
        "{}",
        ended.err
    );
    assert!(!err.contains("cannot follow"), "{err}");
}
