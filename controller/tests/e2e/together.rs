//! Several programs that are measured at once: their samples count together, and are never mistaken for each other's.

use crate::case::{self, Case, read_results};
use crate::harness::{DEADLINE, poll};
use crate::running::Running;
use crate::stand_in::{Agent, PID, Served, TOKEN_FILE, serve};
use spl_model::{Handle, Size};
use spl_records::Measurement;
use spl_wire::{ByeReason, Label, ToAgent, ToController, WireSize};
use std::collections::{BTreeMap, BTreeSet};

const A: &str = "p/A.a()V";
const B: &str = "p/B.b()V";
const FAST: &str = "CompareLoop.fast([I)J";
const SLOW: &str = "CompareLoop.slow([I)J";

/// The processes of the stand-ins.
const PIDS: [u32; 2] = [PID + 1, PID + 2];
/// Their clocks at their first messages, nanoseconds: those of two machines that were booted years apart.
const CLOCKS_NS: [u64; 2] = [1_000, 90_000_000_000_000_000];

/// The name of a stand-in's instance in the files.
fn named(pid: u32) -> String {
    format!("stand-in:{pid}")
}

fn two_at_once(tasks: &str) -> Case {
    Case::comparing(tasks).set("communication", "programs", "2")
}

/// Two stand-ins, both measured.
fn both(served: &mut Served) -> [Agent; 2] {
    let connect = |index: usize| Agent::connect_as(served.port, &served.token, PIDS[index], CLOCKS_NS[index]);
    let mut agents = [connect(0), connect(1)];
    served.run.awaits("the measurement starts");
    served.run.awaits(" is measured too");
    for agent in &mut agents {
        while agent.armed.len() < 2 {
            agent.settles();
        }
    }
    agents
}

fn name(agent: &mut Agent, labels: &[(u32, &str)]) {
    let labels = labels.iter().map(|&(id, text)| Label { id, text: text.to_owned() }).collect();
    agent.say(&ToController::Labels { labels });
}

/// The sizes of each process's calls, and whether all of them lie after its clock's beginning and before the other's.
fn told_apart(records: &[Measurement]) -> BTreeMap<String, BTreeSet<String>> {
    let mut sizes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for Measurement { sample, origin, .. } in records {
        let index = PIDS.iter().position(|&pid| named(pid) == **origin).expect("a process of the two");
        let is_late = sample.start_ns() >= CLOCKS_NS[1];
        assert_eq!(is_late, index == 1, "a time of the other clock: {} of {origin}", sample.start_ns());
        let Size::Label(label) = &sample.size else { panic!("no label: {sample:?}") };
        sizes.entry(origin.to_string()).or_default().insert(label.clone());
    }
    sizes
}

#[test]
fn samples_of_two_programs_count_together_and_are_never_mixed_up() {
    let case = two_at_once(&format!("{A} = {B}\n")).set("controller", "min-method-measurements", "5");
    let mut served = serve(&case, &["--once"]);
    let [mut first, mut second] = both(&mut served);
    let mut third = Agent::connect(served.port, &served.token);
    let refused = ToAgent::Reject { reason: "another JVM is being measured".to_owned() };
    assert_eq!(third.hears(), Some(refused));

    // The same numbers mean other labels.
    name(&mut first, &[(1, "shared"), (2, "of the first")]);
    name(&mut second, &[(2, "shared"), (1, "of the second")]);
    for (agent, own) in [(&mut first, 2), (&mut second, 1)] {
        agent.sized_calls(0, &[70], WireSize::Label(own));
    }
    for method in [0, 1] {
        first.sized_calls(method, &[10; 3], WireSize::Label(1));
    }
    second.sized_calls(0, &[10; 2], WireSize::Label(2));
    assert_eq!(case.results().len(), 0, "neither of the two has enough by itself");
    let told = second.sized_calls(1, &[10; 2], WireSize::Label(2));
    assert!(told.contains(&ToAgent::Detach), "{told:?}");
    let result = poll("the result", DEADLINE, || case.results().pop());
    let evaluation = &result.evaluation;
    assert_eq!(
        (evaluation.bucket.to_string().as_str(), evaluation.n_left, evaluation.n_right),
        ("label:shared", 5, 5)
    );

    // The controller sends both agents the orders to close and to restore, and waits for both.
    let told = first.settles();
    let handles = [Handle(0), Handle(1)];
    for order in [
        ToAgent::Disarm { handle: handles[0] },
        ToAgent::Disarm { handle: handles[1] },
        ToAgent::Restore { handles: handles.to_vec() },
        ToAgent::Detach,
    ] {
        assert!(told.contains(&order), "{order:?} is not in {told:?}");
    }
    first.say(&ToController::Bye { reason: ByeReason::Detached });
    second.settles();
    second.say(&ToController::Bye { reason: ByeReason::Detached });
    served.run.ends_by_itself().assert_status(0);

    let sets = |texts: [&[&str]; 2]| {
        let set = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
        BTreeMap::from([0, 1].map(|index| (named(PIDS[index]), set(texts[index]))))
    };
    let left = case.measurements(A);
    assert_eq!(told_apart(&left), sets([&["shared", "of the first"], &["shared", "of the second"]]));
    assert_eq!(left.len(), 7);
    assert_eq!(told_apart(&case.measurements(B)), sets([&["shared"], &["shared"]]));
    // Judged again from the files it comes to the same.
    let eval = [
        "eval",
        "--config",
        "spl.ini",
        "--tasks",
        "spl.tasks",
        "--out",
        "again.eval",
        "--measurements",
        "out/measurements",
    ];
    Running::start(case.spl_with(&eval), &case.path("")).ends().assert_status(0);
    let again = read_results(&case.path("again.eval"));
    // As text: equal times have no t, and nothing equals that.
    assert_eq!(format!("{again:?}"), format!("{:?}", [result]));
    let context = std::fs::read_to_string(case.path("out/context.json")).unwrap();
    for pid in PIDS {
        assert!(context.contains(&format!("\"pid\": {pid}")), "{pid} is not in {context}");
    }
}

#[test]
fn one_program_ends_and_the_other_goes_on() {
    let case = two_at_once(&format!("{A} = {B}\n")).set("controller", "min-method-measurements", "5");
    let mut served = serve(&case, &["--once"]);
    let [mut first, mut second] = both(&mut served);
    first.calls(0, &[10; 5]);
    first.calls(1, &[10; 2]);
    first.bye();
    let mut third = Agent::connect_as(served.port, &served.token, PID + 3, 5);
    served.run.awaits(" is measured too");
    assert_eq!(case.results().len(), 0);
    while !third.armed.contains(&1) {
        third.settles();
    }
    third.calls(1, &[10; 2]);
    let told = second.calls(1, &[10]);
    assert!(told.contains(&ToAgent::Detach), "{told:?}");
    let evaluation = poll("the result", DEADLINE, || case.results().pop()).evaluation;
    assert_eq!((evaluation.n_left, evaluation.n_right), (5, 5));
    third.settles();
    second.bye();
    third.bye();
    served.run.ends_by_itself().assert_status(0);
}

/// Two real programs with the agent, both measured, until there are enough calls of them.
fn measures_two(case: &Case, what: &str, is_enough: impl Fn(&[Measurement]) -> bool) {
    let mut served = serve(case, &["--once"]);
    let client = || {
        let port = served.port.to_string();
        let mut spl = case.spl_with(&["client", "--port", &port, "--token-file", TOKEN_FILE, "--"]);
        spl.args(case::java(&["CompareLoop", "0", "100000"]));
        Running::start(spl, &case.path(""))
    };
    let clients = [client(), client()];
    served.run.awaits("the measurement starts");
    served.run.awaits(" is measured too");
    poll(what, DEADLINE, || {
        let records: Vec<_> = [FAST, SLOW].into_iter().flat_map(|method| case.measurements(method)).collect();
        is_enough(&records).then_some(())
    });
    served.run.signal("INT");
    let ended = served.run.ends();
    assert_eq!(case.results().len(), 1, "{}", ended.err);
    drop(clients);
}

#[test]
fn two_real_programs_are_measured_together() {
    let case = two_at_once(&format!("{FAST} <= {SLOW}\n")).endless();
    measures_two(&case, "calls of both programs", |records| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        records.iter().for_each(|record| *counts.entry(&record.origin).or_default() += 1);
        counts.len() == 2 && counts.values().all(|&count| count > 50)
    });
}

#[test]
fn a_window_is_of_one_program() {
    let case =
        two_at_once(&format!("{FAST} <= {SLOW}\n")).set("scheduler", "profile", "production").endless();
    measures_two(&case, "windows of both programs", |records| {
        let mut windows: BTreeMap<u64, &str> = BTreeMap::new();
        for record in records {
            let Some(window) = record.sample.window else { continue };
            let of = windows.entry(window).or_insert(&record.origin);
            assert_eq!(**of, *record.origin, "window {window} is of two programs");
        }
        let origins = windows.values().collect::<BTreeSet<_>>();
        let of = |origin: &&&str| windows.values().filter(|one| one == origin).count();
        origins.len() == 2 && origins.iter().all(|origin| of(origin) >= 5)
    });
}
