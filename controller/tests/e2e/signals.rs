//! Ends that nobody planned: Ctrl-C, a program that is killed. What restored bytecode is like, `restore` shows.

use crate::case::{Case, NO_LIMIT};
use crate::running::kill;
use crate::stand_in::{Served, serve};
use spl_verdict::Standing;

const FAST: &str = "CompareLoop.fast([I)J";
const SLOW: &str = "CompareLoop.slow([I)J";

fn case() -> Case {
    Case::comparing(&format!("{FAST} <= (1, 1000) {SLOW}\n{FAST} >= (1, 1000) {SLOW}\n")).endless()
}

fn assert_leftovers(case: &Case) {
    let results = case.results();
    let found = results.iter().map(|r| (r.evaluation.comparison, r.evaluation.standing()));
    assert_eq!(found.collect::<Vec<_>>(), [(0, Standing::Holds), (1, Standing::Fails)]);
    assert!(results.iter().all(|result| result.evaluation.leftover && result.evaluation.n_smaller() >= 2));
}

#[test]
fn an_interrupt_judges_what_there_is_and_leaves_the_program_alone() {
    let case = case();
    let mut run = case.java(&[NO_LIMIT, "CompareLoop", "0", "100000"]);
    run.awaits_agent();
    for method in [FAST, SLOW] {
        case.awaits_measurements(method, 20);
    }
    run.signal("INT");
    run.spl_ends_with(Some(1));
    run.awaits("spl: the program goes on");
    assert_leftovers(&case);
    assert!(run.ends().out.ends_with("ended\n"));
}

#[test]
fn a_program_that_is_killed_leaves_verdicts() {
    let case = case();
    let mut run = case.java(&[NO_LIMIT, "CompareLoop", "0", "100000"]);
    let program = run.awaits_agent();
    for method in [FAST, SLOW] {
        case.awaits_measurements(method, 20);
    }
    kill(program, "KILL");
    let ended = run.ends_by_itself();
    ended.assert_status(1);
    ended.assert_said(&["spl: the program was ended by signal 9", ", judged at the end with what there was"]);
    assert_leftovers(&case);
}

#[test]
fn a_second_interrupt_does_not_wait_for_an_agent_that_is_silent() {
    let case = case();
    let mut served = serve(&case, &["--once"]);
    let mut agent = served.measures();
    agent.calls(0, &[10; 5]);
    agent.calls(1, &[10; 5]);
    let Served { mut run, .. } = served;
    run.signal("INT");
    run.awaits("spl: verdict: ");
    run.signal("INT");
    run.awaits("spl: error: interrupted again");
    run.spl_ends_with(Some(2));
    assert_eq!(case.results().len(), 2);
}
