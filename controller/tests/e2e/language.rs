//! The full language in a running program: methods named as in Java, assertions, windows and the sequential mode.

use crate::case::Case;
use spl_model::{Sample, SampleFlags};
use spl_records::AssertionRecord;
use spl_verdict::{Basis, Standing};
use std::fs;

const TASKS: &str = "\
let fast = CompareLoop#fast(int[])
let slow = CompareLoop::slow
fast < slow
median(fast) <= 2 * median(slow)
assert \"slow is slower\": median(slow) > 1.2 * median(fast) & p90(fast) <= 5 s
assert \"both take no time\": median(fast) < 1 ns | median(slow) < 1 ns
";

fn assertions(case: &Case) -> Vec<AssertionRecord> {
    let text = fs::read_to_string(case.path("out/assertions.jsonl")).unwrap();
    let mut records: Vec<_> = text.lines().map(|line| AssertionRecord::from_json(line).unwrap()).collect();
    records.sort_by_key(|record| record.asserted.assertion);
    records
}

#[test]
fn assertions_are_decided_while_the_program_runs() {
    let case = Case::comparing(TASKS).in_detail();
    // Calls of a tenth of a millisecond and more, which neither a busy machine nor the interpreter turns round.
    let mut run = case.java(&["CompareLoop", "0", "60000"]);
    run.awaits_agent();
    run.awaits("spl: verdict: both take no time: ");
    let ended = run.ends();
    ended.assert_status(1);
    ended.assert_said(&[
        "spl: fast < slow\nspl:   holds",
        "spl: assert \"slow is slower\": median(slow) > 1.2 * median(fast) & p90(fast) <= 5 s",
        "spl:     p90(fast) <= 5 s: ",
        "spl: verdict: both take no time: FAILS",
    ]);
    let records = assertions(&case);
    let standings: Vec<Standing> = records.iter().map(|record| record.asserted.standing()).collect();
    assert_eq!(standings, [Standing::Holds, Standing::Holds, Standing::Fails]);
    assert_eq!(records[0].text, "median(fast) <= 2 * median(slow)");
    assert!(records[0].asserted.basis.is_some_and(Basis::holds));
    assert_eq!(records[1].relations, ["median(slow) > 1.2 * median(fast)", "p90(fast) <= 5 s"]);
    assert_eq!(case.results().len(), 1, "a plain comparison stands in the result file");
    let decisions = fs::read_to_string(case.path("out/decisions.jsonl")).unwrap();
    for action in ["measure", "instrument", "evaluate", "judge", "finish", "end"] {
        assert!(decisions.contains(&format!("\"action\":\"{action}\"")), "{action} is missing: {decisions}");
    }
}

#[test]
fn a_method_that_no_class_has_is_told_before_the_program_starts() {
    let case = Case::comparing("CompareLoop#fats(int[]) < CompareLoop#slow\n");
    let ended = case.java(&["CompareLoop", "0"]).ends_by_itself();
    ended.assert_status(2);
    ended.assert_said(&["the task file spl.tasks cannot be used", "CompareLoop#fats(int[])", "fast"]);
    assert!(!ended.err.contains("CompareLoop: arrays"), "the program was started: {}", ended.err);
}

#[test]
fn windows_are_shared_and_looked_at_until_the_evidence_suffices() {
    let tasks = "CompareLoop#fast < CompareLoop#slow\nCompareLoop#fast > CompareLoop#slow\n";
    let case = Case::comparing(tasks)
        .set("scheduler", "profile", "production")
        .set("scheduler", "policy", "paired")
        .set("scheduler", "window", "10")
        .set("sampling", "warm-up-time", "100")
        .set("evaluator", "method", "sequential")
        .set("controller", "max-method-measurements", "10000");
    let mut run = case.java(&["CompareLoop", "0", "20000"]);
    run.awaits_agent();
    run.awaits("spl: verdict: CompareLoop#fast < ");
    run.awaits("spl: verdict: CompareLoop#fast > ");
    let ended = run.ends();
    ended.assert_status(1);
    let mut bases: Vec<_> = case.results().into_iter().map(|one| (one.sign, one.evaluation)).collect();
    bases.sort_by_key(|(one, _)| *one);
    let [(_, less), (_, greater)] = &bases[..] else { panic!("two results: {bases:?}") };
    let (less, greater) = (less.verdict.as_ref().unwrap(), greater.verdict.as_ref().unwrap());
    assert_eq!((less.basis, greater.basis), (Basis::Proved, Basis::Refuted));
    assert!(less.left.n < 10_000, "it was decided before the methods were full");
}

#[test]
fn a_window_waits_for_the_long_calls_that_began_in_it() {
    // Turns of some 10 ms, of a method every tenth call of which takes 150 ms.
    let case = Case::comparing("LongCalls.mixed(I)V < LongCalls.even()V\n")
        .set("scheduler", "profile", "production")
        .set("scheduler", "window", "10")
        .set("scheduler", "overhead-budget", "none")
        .set("sampling", "settle-time", "0")
        .endless();
    let mut run = case.java(&["LongCalls"]);
    run.awaits("LongCalls: on");
    case.awaits_measurements("LongCalls.mixed(I)V", 100);
    run.ends();
    let is_long = |sample: &Sample| {
        sample.duration_ns() > 100_000_000 && !sample.flags.contains(SampleFlags::DISCARDED)
    };
    let calls = case.measurements("LongCalls.mixed(I)V").into_iter().map(|one| one.sample);
    let mut long: Vec<Sample> = calls.filter(is_long).collect();
    // The end may have come before the last one's.
    long.pop();
    assert!(long.len() >= 3, "{long:?}");
    assert!(long.iter().all(|sample| sample.window.is_some()), "one came too late for its window: {long:?}");
}
