//! Programs in situations that are easy to get wrong, while they are measured.

use crate::case::{self, Case};
use crate::harness::{DEADLINE, poll};
use crate::running::{Ended, plainly};
use spl_model::SampleFlags;
use spl_verdict::Standing;
use std::process::Command;

/// Measures all these methods until each has some samples; the program must say what it says without the agent.
fn check_unchanged(program: &str, methods: &[&str], enough: u64) -> Case {
    let mut command = Command::new(crate::harness::java());
    command.args(&case::java(&[program, "0"])[1..]);
    let (_, alone, _) = plainly(&mut command);

    let case = Case::measuring(methods).endless();
    let mut run = case.java(&[program, "0"]);
    run.awaits_agent();
    for method in methods {
        case.awaits_measurements(method, enough);
    }
    // The program ends while it is measured.
    let ended = run.ends();
    ended.assert_status(0);
    ended.assert_said(&["spl: the program ended with status 0"]);
    assert_eq!(ended.out, alone, "{program} says something else when it is measured");
    case
}

#[test]
fn exceptions_pass_through_measured_methods_unchanged() {
    let methods = [
        "Thrower.deep(I)I",
        "Thrower.caught(I)I",
        "Thrower.cleaned(I)I",
        "Thrower.locked(I)I",
        "Thrower$Part.<init>(I)V",
    ];
    let case = check_unchanged("Thrower", &methods, 200);
    let threw = |method: &str, wanted: bool| {
        let records = case.measurements(method);
        records.iter().filter(|record| record.sample.flags.contains(SampleFlags::THREW) == wanted).count()
    };
    for method in ["Thrower.deep(I)I", "Thrower.cleaned(I)I", "Thrower.locked(I)I"] {
        assert!(threw(method, true) > 0 && threw(method, false) == 0, "{method} always throws");
    }
    assert_eq!(threw("Thrower.caught(I)I", true), 0);
    // Of the depths 0, 1, 2 and 10 only 1 is odd.
    let part = "Thrower$Part.<init>(I)V";
    assert!(threw(part, true) > threw(part, false) && threw(part, false) > 0);
}

#[test]
fn a_stack_overflow_is_the_programs_own() {
    // Thousands of calls of `plunge` end at once, more than there is room for; what ends next is lost with them.
    check_unchanged("Overflow", &["Overflow.plunge(I)I", "Overflow.sum(I)I"], 50);
    let case = check_unchanged("Overflow", &["Overflow.guarded(I)I", "Overflow.sum(I)I"], 50);
    let guarded = case.measurements("Overflow.guarded(I)I");
    assert!(guarded.iter().all(|record| record.sample.flags.contains(SampleFlags::THREW)));
}

#[test]
fn short_lived_threads_are_measured_unchanged() {
    let meet = "Virtual.meet(Ljava/util/concurrent/Exchanger;I)I";
    let case = check_unchanged("Virtual", &["Virtual.work(I)I", meet], 400);
    let records = case.measurements("Virtual.work(I)I");
    let threads =
        records.iter().map(|record| record.sample.thread).collect::<std::collections::BTreeSet<_>>();
    assert!(threads.len() >= 100, "{} threads", threads.len());
    assert!(records.iter().all(|record| matches!(record.sample.depth, Some(0) | None)));
}

#[test]
fn a_class_is_measured_when_it_loads() {
    let (early, late) = ("LateClass.early(I)I", "LateClass$Late.work(I)I");
    let case = Case::comparing(&format!("{early} <= (1, 1000) {late}\n"));
    let mut run = case.java(&["LateClass"]);
    run.awaits_agent();
    run.awaits(&format!("spl: {late}: its class is not loaded yet"));
    case.awaits_measurements(early, 100);
    assert!(case.measurements(late).is_empty());
    run.line();
    run.awaits("spl: every class is as it was");
    let ended = run.ends();
    ended.assert_status(0);
    assert!(ended.out.starts_with("ready\nloading\nloaded\n"), "{}", ended.out);
    assert!(case.measurements(late).len() >= 200);
}

#[test]
fn classes_of_one_name_in_two_loaders_are_one_method() {
    let twin = "TwoLoaders$Twin.applyAsInt(I)I";
    let case = Case::measuring(&[twin]).endless();
    let mut run = case.java(&["TwoLoaders"]);
    run.awaits_agent();
    case.awaits_measurements(twin, 10);
    let threads = || case.measurements(twin).iter().map(|record| record.sample.thread).collect::<Vec<_>>();
    let main = threads()[0];
    assert!(threads().iter().all(|thread| *thread == main));
    // The second twin is loaded and works in a thread of its own.
    run.line();
    poll("the second twin", DEADLINE, || threads().iter().any(|thread| *thread != main).then_some(()));
    let of_main = || threads().iter().filter(|thread| **thread == main).count();
    let before = of_main();
    poll("more of the first twin", DEADLINE, || (of_main() > before).then_some(()));
    run.ends().assert_status(0);
}

/// The program leaves in the middle of measured methods.
fn leave(how: &str, status: &str) -> (Case, Ended) {
    let (work, check) = ("ExitWhileMeasured.work(I)I", "Life.check(Ljava/lang/String;)V");
    let leave = "ExitWhileMeasured.leave(Ljava/lang/String;I)V";
    let tasks = format!("{work} <= (1, 1000) {check}\n{leave} <= {work}\n");
    let case = Case::comparing(&tasks).endless().set("controller", "measurements-to-flush", "500");
    let case = case.in_detail();
    let mut run = case.java(&["ExitWhileMeasured", "0", how, status]);
    run.awaits_agent();
    for method in [work, check] {
        case.awaits_measurements(method, 1);
    }
    run.line();
    (case, run.ends_by_itself())
}

#[test]
fn a_program_that_ends_while_measured_loses_nothing() {
    for (how, status, hook) in [("exit", 7, true), ("halt", 9, false), ("throw", 1, true)] {
        let (case, ended) = leave(how, &status.to_string());
        ended.assert_said(&[
            &format!("spl: the program ended with status {status}"),
            ", judged at the end with what there was",
        ]);
        let expected = format!("ready\nleaving by {how}\n") + if hook { "hook ran\n" } else { "" };
        assert_eq!(ended.out, expected);

        let results = case.results();
        let first = &results.iter().find(|result| result.evaluation.comparison == 0).unwrap().evaluation;
        assert_eq!((first.leftover, first.standing()), (true, Standing::Holds), "{first:?}");
        let work = case.measurements("ExitWhileMeasured.work(I)I").len() as u64;
        assert!(
            first.n_left >= 2 && work >= first.n_left,
            "{how}: {work} samples on disk, {} used",
            first.n_left
        );
        // A call that never ended is not a sample.
        let second = &results.iter().find(|result| result.evaluation.comparison == 1).unwrap().evaluation;
        assert_eq!(second.standing(), Standing::Undecided, "{second:?}");
        ended.assert_status(3);
    }
}
