//! Every key of what the thesis hasn't does what it says, as in [`keys`](crate::keys).

use crate::case::{Case, read_results};
use crate::keys::{A, B, Row, rows, start};
use crate::running::Running;
use crate::stand_in::{Agent, Served, serve};
use spl_model::{Handle, SampleFlags};
use spl_verdict::{Basis, NotEvaluated, Verdict};
use spl_wire::ToAgent;
use std::collections::BTreeSet;

/// Most calls that one of the first turns of an endless measurement takes.
const MANY: u64 = spl_scheduler::Paired::FIRST_CALLS;

impl Row {
    /// As [`measures`](Self::measures), with nothing of what the thesis hasn't but this key.
    fn measures_beyond(&self, value: &str) -> Case {
        beyond(self.measures(value))
    }

    /// Two methods that are compared, likewise.
    fn compares_beyond(&self, value: &str) -> Case {
        let case = Case::comparing(&format!("{A} = {B}\n")).endless().set("scheduler", "policy", "paired");
        beyond(case.set(self.section, self.key, value))
    }
}

fn beyond(case: Case) -> Case {
    let off = [
        ("scheduler", "profile", "production"),
        ("scheduler", "suspend-restore-after", "0"),
        ("scheduler", "instrument-ahead", "0"),
        ("scheduler", "changes-per-minute", "none"),
        ("scheduler", "overhead-budget", "none"),
        ("sampling", "settle-time", "0"),
        ("sampling", "warm-up-calls", "0"),
        ("sampling", "warm-up-time", "0"),
    ];
    off.into_iter().fold(case, |case, (section, key, value)| case.unless_set(section, key, value))
}

/// Whether a method is finished by this number of calls, five of which have to count.
fn is_finished_by(case: Case, calls: usize, duration_ns: u64) -> bool {
    let case = case.set("controller", "max-method-measurements", "5");
    let (_served, mut agent) = start(&case);
    agent.calls(0, &vec![duration_ns; calls]);
    !agent.armed.contains(&0)
}

/// The results of 60 windows of 10 calls of two methods with these mean times, in microseconds.
fn eval_of(
    means: &[f64; 2],
    section: &str,
    key: &str,
    value: &str,
    sign: &str,
) -> Result<Verdict, NotEvaluated> {
    eval_with(means, section, key, value, sign, |case| case)
}

fn eval_with(
    means: &[f64; 2],
    section: &str,
    key: &str,
    value: &str,
    sign: &str,
    more: impl Fn(Case) -> Case,
) -> Result<Verdict, NotEvaluated> {
    let case = Case::comparing(&format!("{A} {sign} {B}\n"))
        .set("controller", "min-method-measurements", "50")
        .set("controller", "max-method-measurements", "10000");
    let case = more(beyond(case.set(section, key, value)));
    let (folder, mut state) = (case.path("recorded"), 1_u64);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::create_dir_all(case.path("again")).unwrap();
    for (name, mean) in [A, B].iter().zip(means) {
        let line = |k: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let took = (mean * (900.0 + (state >> 33) as f64 % 200.0)) as u64;
            format!("{},{},0,1,{name},-,{},0,1\n", k * 100_000, k * 100_000 + took, k / 10 + 1)
        };
        let file = spl_records::measurement_files(&[name.parse().unwrap()]).remove(0);
        std::fs::write(folder.join(file), (0..600).map(line).collect::<String>()).unwrap();
    }
    let arguments = [
        "eval",
        "--config",
        "spl.ini",
        "--tasks",
        "spl.tasks",
        "--measurements",
        "recorded",
        "--out",
        "again/result.eval",
    ];
    Running::start(case.spl_with(&arguments), &case.path("")).ends();
    read_results(&case.path("again/result.eval")).remove(0).evaluation.verdict
}

/// The next message that opens or closes a gate.
fn next_gate(agent: &mut Agent) -> ToAgent {
    loop {
        let message = agent.hears().expect("the controller goes on");
        if matches!(message, ToAgent::Arm { .. } | ToAgent::Disarm { .. }) {
            return message;
        }
    }
}

/// The first gate of a comparison in windows that never end by themselves.
fn first_gate(case: &Case) -> (Served, Agent) {
    let served = serve(case, &["--once"]);
    let mut agent = Agent::connect(served.port, &served.token);
    assert_eq!(next_gate(&mut agent), ToAgent::Arm { handle: Handle(0), every: 1, quota: MANY });
    (served, agent)
}

rows! {
    profile: "scheduler", "profile" => |row| {
        assert!(is_finished_by(row.measures("thesis"), 5, 10), "every call counts");
        let production = row.measures("production").set("sampling", "settle-time", "0");
        assert!(!is_finished_by(production, 5, 10), "the first calls are warm-up");
    };
    policy: "scheduler", "policy" => |row| {
        for (value, armed) in [("delay", vec![0, 1]), ("paired", vec![0])] {
            let case = row.compares_beyond(value);
            let case = if value == "paired" { case.set("scheduler", "window", "3600000") } else { case };
            let (_served, agent) = start(&case);
            assert_eq!(agent.armed, BTreeSet::from_iter(armed));
        }
    };
    window: "scheduler", "window" => |row| {
        let case = row.compares_beyond("1").set("scheduler", "window-overlap", "0");
        let (_served, mut agent) = first_gate(&case);
        assert_eq!(next_gate(&mut agent), ToAgent::Disarm { handle: Handle(0) });
        assert_eq!(next_gate(&mut agent), ToAgent::Arm { handle: Handle(1), every: 1, quota: MANY });
        let (_served, mut agent) = first_gate(&row.compares_beyond("3600000"));
        agent.settles();
        assert_eq!(agent.armed, BTreeSet::from([0]));
    };
    window_overlap: "scheduler", "window-overlap" => |row| {
        let case = row.compares_beyond("3600000").set("scheduler", "window", "1");
        let (_served, mut agent) = first_gate(&case);
        assert_eq!(next_gate(&mut agent), ToAgent::Disarm { handle: Handle(0) });
        agent.settles();
        assert_eq!(agent.armed, BTreeSet::new(), "calls may still be on their way");
    };
    suspend_restore_after: "scheduler", "suspend-restore-after" => |row| {
        for (value, restored) in [("0", true), ("3600000", false)] {
            let case = row.measures_beyond(value).set("scheduler", "min-measuring-diff", "1001");
            let (_served, mut agent) = start(&case);
            let heard = agent.calls(0, &[1000; 2]);
            assert!(heard.contains(&ToAgent::Disarm { handle: Handle(0) }), "{heard:?}");
            assert_eq!(heard.contains(&ToAgent::Restore { handles: vec![Handle(0)] }), restored, "{value}");
        }
    };
    instrument_ahead: "scheduler", "instrument-ahead" => |row| {
        for (value, handles) in [("0", vec![0, 1]), ("1", vec![0, 1, 2])] {
            let case = row.compares_beyond(value).tasks(&format!("{A} = {B}\np/C.c()V = p/D.d()V\n"));
            let case = case.set("scheduler", "initial-optimal-measurements", "1").set("evaluator", "method", "welch");
            let served = serve(&case, &["--once"]);
            let mut agent = Agent::connect(served.port, &served.token);
            let heard = std::iter::from_fn(|| agent.hears())
                .find(|message| matches!(message, ToAgent::Instrument { .. }));
            assert_eq!(heard, Some(ToAgent::Instrument { handles: handles.into_iter().map(Handle).collect() }), "{value}");
        }
    };
    changes_per_minute: "scheduler", "changes-per-minute" => |row| {
        for (value, restored) in [("none", true), ("1", false)] {
            let case = row.measures_beyond(value).set("controller", "max-method-measurements", "5");
            let (_served, mut agent) = start(&case);
            let heard = agent.calls(0, &[10; 5]);
            assert!(heard.contains(&ToAgent::Disarm { handle: Handle(0) }), "{heard:?}");
            assert_eq!(heard.contains(&ToAgent::Restore { handles: vec![Handle(0)] }), restored, "{value}");
        }
    };
    overhead_budget: "scheduler", "overhead-budget" => |row| {
        // A millionth of a percent pays for a call now and then; 100% for some thousands at once.
        let quota = |value: &str| {
            let case = row.measures_beyond(value).set("communication", "cycle-sleep", "10");
            let mut served = serve(&case, &["--once"]);
            let mut agent = Agent::known(served.port, &served.token);
            // The program's CPU time is looked up, so there has to be one.
            agent.hello_of(std::process::id(), None);
            served.run.awaits("spl: the measurement starts");
            match next_gate(&mut agent) {
                ToAgent::Arm { quota, .. } => quota,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!((quota("none"), quota("0.000001%")), (0, 1));
        assert!(quota("100%") > 1000);
    };
    settle_time: "sampling", "settle-time" => |row| {
        for (value, armed) in [("0", true), ("3600000", false)] {
            let (_served, agent) = start(&row.measures_beyond(value));
            assert_eq!(agent.armed.contains(&0), armed, "{value}");
        }
    };
    warm_up_calls: "sampling", "warm-up-calls" => |row| {
        for (value, calls) in [("0", 5), ("3", 8)] {
            assert!(!is_finished_by(row.measures_beyond(value), calls - 1, 10), "{value}");
            assert!(is_finished_by(row.measures_beyond(value), calls, 10), "{value}");
        }
    };
    warm_up_time: "sampling", "warm-up-time" => |row| {
        // Calls of half a millisecond each: two start in the first.
        for (value, calls) in [("0", 5), ("1", 7)] {
            assert!(!is_finished_by(row.measures_beyond(value), calls - 1, 500_000), "{value}");
            assert!(is_finished_by(row.measures_beyond(value), calls, 500_000), "{value}");
        }
    };
    discard_disturbed: "sampling", "discard-disturbed" => |row| {
        for (value, finished) in [("0", true), ("1", false)] {
            let case = row.measures_beyond(value).set("controller", "max-method-measurements", "5");
            let (_served, mut agent) = start(&case);
            agent.flagged_calls(0, &[10; 5], SampleFlags::GC);
            assert_eq!(agent.armed.contains(&0), !finished, "{value}");
        }
    };
    method: "evaluator", "method" => |row| {
        let judged = |value| eval_of(&[8.0, 10.0], row.section, row.key, value, "=");
        assert_eq!(judged("welch").unwrap().basis, Basis::Refuted);
        let why = judged("sequential").unwrap_err();
        assert!(matches!(why, NotEvaluated::Open { windows: 60, .. }), "{why}");
    };
    equal_within: "evaluator", "equal-within" => |row| {
        for (value, expected) in [("5%", Basis::Refuted), ("50%", Basis::Proved)] {
            let case = |case: Case| case.set("evaluator", "rare-calls", "none");
            let judged = eval_with(&[8.0, 10.0], row.section, row.key, value, "=", case);
            assert_eq!(judged.unwrap().basis, expected, "{value}");
        }
    };
    rare_calls: "evaluator", "rare-calls" => |row| {
        let judged = |value| eval_of(&[8.0, 10.0], row.section, row.key, value, "<");
        assert_eq!(judged("none").unwrap().basis, Basis::Proved);
        let why = judged("1000").unwrap_err().to_string();
        assert!(why.contains("need 4382 calls"), "{why}");
    };
    correction: "evaluator", "correction" => |row| {
        // Each has a p-value of 0.04: enough for one comparison, not for any of two, but for two of two.
        for (value, expected) in [("none", Basis::Proved), ("holm", Basis::NotProved), ("bh", Basis::Proved)] {
            let case = Case::comparing(&format!("{A} < {B}\n{A} < p/C.c()V\n"))
                .set("controller", "min-method-measurements", "5")
                .set("controller", "max-method-measurements", "5")
                .set("scheduler", "policy", "delay")
                .set(row.section, row.key, value);
            let case = beyond(case);
            let (served, mut agent) = start(&case);
            agent.calls(0, &[10, 11, 12, 13, 14]);
            agent.calls(1, &[12, 13, 14, 15, 16]);
            assert_eq!(case.results().is_empty(), value != "none", "results that depend on each other come together");
            agent.calls(2, &[16, 15, 14, 13, 12]);
            agent.bye();
            served.run.ends();
            let bases: Vec<_> = case.results().into_iter().map(|one| one.evaluation.verdict.unwrap().basis).collect();
            assert_eq!(bases, [expected; 2], "{value}");
        }
    };
}
