//! A controller that was killed goes on where it was when it is started again. The samples are a stand-in's.

use crate::case::Case;
use crate::running::Running;
use crate::stand_in::{Agent, Served, serve};
use spl_records::{RunState, TasksHash};
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::path::Path;

const A: &str = "p/A.a()V";
const B: &str = "p/B.b()V";
const C: &str = "p/C.c()V";
const TASKS: &str = "p/A.a()V = p/B.b()V\np/A.a()V < p/C.c()V\n";
/// `measurements-to-flush`
const FLUSH: usize = 10;

fn case(human: bool) -> Case {
    let form = if human { "1" } else { "0" };
    Case::comparing(TASKS)
        .set("controller", "min-method-measurements", "20")
        .set("controller", "human-readable-measurements", form)
        .set("evaluator", "human-readable-results", form)
        // A resumed run's results are still kept.
        .set("controller", "overwrite-measurements", "1")
        .set("evaluator", "overwrite-results", "1")
}

/// Two durations in turn, so that there is a variance.
fn calls(mean_ns: u64, count: usize) -> Vec<u64> {
    (0..count).map(|number| if number % 2 == 0 { mean_ns - 1 } else { mean_ns + 1 }).collect()
}

fn kill(mut run: Running) {
    run.signal("KILL");
    run.spl_ends_with(None);
}

/// A run that decides the first comparison and is killed 15 samples before the second.
fn interrupted(case: &Case) {
    let (run, mut agent) = start(case);
    agent.calls(0, &calls(10, 22));
    agent.calls(1, &calls(10, 20));
    agent.calls(2, &calls(20, 15));
    assert_eq!(agent.armed, BTreeSet::from([0, 2]), "p/B is finished");
    kill(run);
    assert_eq!(decided(case), [0]);
}

fn start(case: &Case) -> (Running, Agent) {
    let mut served = serve(case, &["--once"]);
    let agent = served.measures();
    let Served { run, .. } = served;
    (run, agent)
}

fn decided(case: &Case) -> Vec<usize> {
    case.results().iter().map(|result| result.evaluation.comparison).collect()
}

fn state(case: &Case) -> RunState {
    RunState::from_json(&fs::read_to_string(case.path("out/run.json")).unwrap()).unwrap()
}

fn cut(path: &Path, bytes: u64) {
    let length = fs::metadata(path).unwrap().len();
    OpenOptions::new().write(true).open(path).unwrap().set_len(length - bytes).unwrap();
}

#[test]
fn a_killed_controller_goes_on_and_decides_nothing_twice() {
    for human in [false, true] {
        let case = case(human);
        interrupted(&case);
        let kept = [A, B, C].map(|method| case.measurements(method).len());
        // Of B, which is finished, all was written.
        assert_eq!(kept, [20, 20, 10]);

        let (mut run, mut agent) = start(&case);
        run.awaits("going on with an interrupted run: 50 samples, 1 comparisons decided");
        assert_eq!(agent.armed, BTreeSet::from([0, 2]), "p/B is finished still");
        agent.calls(2, &calls(20, 20 - kept[2] - 1));
        assert_eq!(decided(&case), [0]);
        agent.calls(2, &calls(20, 1));
        assert_eq!(decided(&case), [0, 1]);
        agent.bye();
        let ended = run.ends();
        ended.assert_status(0);
        // The table at the end has the verdict of before, too.
        assert_eq!(ended.err.matches("spl: holds, ").count(), 2, "{}", ended.err);
        assert!(state(&case).finished);
        let second = &case.results()[1].evaluation;
        assert_eq!((second.n_left, second.n_right, second.leftover), (20, 20, false));
        assert_eq!([A, B, C].map(|method| case.measurements(method).len()), [20, 20, 20]);
        let lost = [22, 20, 15].iter().zip(kept).map(|(taken, kept)| taken - kept).max();
        assert!(lost < Some(FLUSH));
    }
}

#[test]
fn a_finished_run_is_not_gone_on_with() {
    let case = case(false);
    let measure = || {
        let (run, mut agent) = start(&case);
        assert_eq!(agent.armed.len(), 3);
        for handle in 0..3 {
            agent.calls(handle, &calls(10 + u64::from(handle / 2) * 10, 20));
        }
        agent.bye();
        let ended = run.ends();
        ended.assert_status(0);
        assert!(!ended.err.contains("going on"), "{}", ended.err);
        assert_eq!((case.measurements(A).len(), decided(&case)), (20, vec![0, 1]));
    };
    measure();
    measure();
}

#[test]
fn changed_tasks_start_over() {
    let case = case(false);
    interrupted(&case);
    let case = case.tasks("p/A.a()V = p/B.b()V\np/A.a()V <= p/C.c()V\n");
    let (mut run, mut agent) = start(&case);
    assert_eq!(agent.armed, BTreeSet::from([0, 1, 2]));
    assert!(!run.has_said("going on"), "{}", run.transcript());
    agent.calls(0, &calls(10, FLUSH));
    assert_eq!((case.measurements(A).len(), decided(&case)), (FLUSH, vec![]));
}

#[test]
fn half_written_samples_are_passed_over() {
    for human in [false, true] {
        let case = case(human);
        interrupted(&case);
        cut(&case.path("out/measurements/p.C.c()V.msr"), 4);
        cut(&case.path("out/measurements/p.A.a()V.msr"), 1);
        let (_run, mut agent) = start(&case);
        agent.calls(2, &calls(20, FLUSH));
        agent.calls(0, &calls(10, FLUSH));
        // One more of A is missing than its last record: without its line's end it may not be whole.
        assert_eq!(case.measurements(C).len(), 2 * FLUSH - 1, "human: {human}");
        assert_eq!(case.measurements(A).len(), 3 * FLUSH - 1, "human: {human}");
    }
}

#[test]
fn a_half_written_result_is_decided_again() {
    for human in [false, true] {
        let case = case(human);
        interrupted(&case);
        cut(&case.path("out/result.eval"), 3);
        assert_eq!(decided(&case), [0; 0]);
        let (run, mut agent) = start(&case);
        assert_eq!(decided(&case), [0], "the samples on disk decide it");
        agent.calls(2, &calls(20, FLUSH));
        agent.bye();
        run.ends().assert_status(0);
        assert_eq!(decided(&case), [0, 1]);
    }
}

#[test]
fn a_damaged_state_names_the_remedy() {
    let case = case(false);
    interrupted(&case);
    let path = case.path("out/run.json");
    let whole = fs::read(&path).unwrap();
    let arguments = ["serve", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out", "--port", "0"];
    for damaged in [&whole[..whole.len() / 2], b"", b"{}"] {
        fs::write(&path, damaged).unwrap();
        let spl = case.spl_with(&[&arguments[..], &["--token-file", "token"]].concat());
        let ended = Running::start(spl, &case.path("")).ends();
        ended.assert_status(2);
        ended.assert_said(&["out/run.json", "remove it to start over", "--out"]);
        assert_eq!((case.measurements(B).len(), decided(&case)), (20, vec![0]), "nothing was changed");
    }
    fs::remove_file(&path).unwrap();
    let (_run, agent) = start(&case);
    assert_eq!(agent.armed, BTreeSet::from([0, 1, 2]));
}

#[test]
fn a_state_that_a_crash_left_beside_the_old_one_is_not_read() {
    let case = case(false);
    interrupted(&case);
    let before = state(&case);
    fs::write(case.path("out/run.json.new"), "{\"schema\": \"spl.ru").unwrap();
    let (mut run, _agent) = start(&case);
    run.awaits("going on with an interrupted run");
    assert_eq!((before.tasks, before.decided), (TasksHash::of(TASKS), vec![spl_model::ClaimIx(0)]));
}
