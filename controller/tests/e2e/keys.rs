//! Every key of the configuration does what it says: each test fails when its key is passed over.
//!
//! The agent is a stand-in, so that what is measured is the same in every run.

use crate::case::{Case, read_measurements, read_results};
use crate::harness;
use crate::stand_in::{Agent, Served, serve, serve_as};
use spl_model::{Handle, ProbeKind, Sizing};
use spl_records::{Form, Measurement, Reader, ResultRecord};
use spl_verdict::Basis;
use spl_wire::{ToAgent, WireSize};
use std::collections::BTreeSet;
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::time::{Duration, Instant};

pub const A: &str = "p/A.a()V";
pub const B: &str = "p/B.b()V";
const C: &str = "p/C.c()V";
/// So long that it never passes.
const NEVER_NS: &str = "9000000000000000000";

/// Makes a test of each row, and the list of the keys that have one.
macro_rules! rows {
    ($($test:ident: $section:literal, $key:literal => $body:expr;)*) => {
        pub const ROWS: &[(&str, &str)] = &[$(($section, $key)),*];
        $(#[test]
        fn $test() {
            let check: fn(&Row) = $body;
            check(&Row { section: $section, key: $key });
        })*
    };
}

pub(crate) use rows;

/// The key of a test.
pub struct Row {
    pub section: &'static str,
    pub key: &'static str,
}

impl Row {
    fn compares(&self, value: &str) -> Case {
        Case::comparing(&format!("{A} = {B}\n")).set(self.section, self.key, value)
    }

    /// Three methods, none of which is ever finished or suspended or added, but for this key.
    pub fn measures(&self, value: &str) -> Case {
        Case::measuring(&[A, B, C])
            .endless()
            .set("scheduler", "min-measuring-diff", "0")
            .set("scheduler", "max-measuring-diff", NEVER_NS)
            .set(self.section, self.key, value)
    }
}

pub fn start(case: &Case) -> (Served, Agent) {
    let mut served = serve(case, &["--once"]);
    let agent = served.measures();
    (served, agent)
}

/// Compares calls of these durations to the end and gives the exit status.
fn compare(case: &Case, left: &[u64], right: &[u64]) -> Option<i32> {
    let (served, mut agent) = start(case);
    agent.calls(0, left);
    agent.calls(1, right);
    agent.bye();
    served.run.ends().status
}

rows! {
    initial_sleep: "communication", "initial-sleep" => |row| {
        // Longer than the default.
        let case = row.measures("3500");
        let began = Instant::now();
        let (_served, _agent) = start(&case);
        assert!(began.elapsed() >= Duration::from_millis(3500));
    };
    cycle_sleep: "communication", "cycle-sleep" => |row| {
        let restored = |value: &str| {
            let case = row.measures(value).set("controller", "max-method-measurements", "5");
            let (_served, mut agent) = start(&case);
            let heard = agent.calls(0, &[10; 5]);
            assert!(heard.contains(&ToAgent::Disarm { handle: Handle(0) }), "{heard:?}");
            heard.contains(&ToAgent::Restore { handles: vec![Handle(0)] })
        };
        assert!(restored("0"), "classes are changed at once");
        assert!(!restored("3600000"), "classes are changed in the next cycle");
    };
    port: "communication", "port" => |row| {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let case = row.measures(&port.to_string());
        let arguments = ["serve", "--config", "spl.ini", "--tasks", "spl.tasks", "--token-file", "token"];
        let ended = crate::running::Running::start(case.spl_with(&arguments), &case.path("")).ends();
        ended.assert_status(2);
        ended.assert_said(&[&format!("port {port} is taken"), "--port"]);
        // The command line beats it.
        serve_as(&case, &[&arguments[..], &["--port", "0"]].concat());
    };
    programs: "communication", "programs" => |row| {
        let is_measured = |programs: &str| {
            let (served, _first) = start(&row.measures(programs));
            let mut second = Agent::connect(served.port, &served.token);
            !second.settles_or_leaves().iter().any(|message| matches!(message, ToAgent::Reject { .. }))
        };
        assert_eq!(["1", "2"].map(is_measured), [false, true]);
    };
    initial_optimal_measurements: "scheduler", "initial-optimal-measurements" => |row| {
        for number in [1, 2] {
            let case = row.measures(&number.to_string());
            let (_served, agent) = start(&case);
            assert_eq!(agent.armed.len(), number);
        }
    };
    min_measuring_diff: "scheduler", "min-measuring-diff" => |row| {
        for (value, left) in [("1000", 3), ("1001", 2)] {
            let case = row.measures(value);
            let (_served, mut agent) = start(&case);
            agent.calls(0, &[1000; 2]);
            assert_eq!(agent.armed.len(), left, "calls end every 1000 ns, the least is {value}");
        }
    };
    max_measuring_diff: "scheduler", "max-measuring-diff" => |row| {
        let day_ns = 86_400_000_000_000;
        for (value, armed) in [(day_ns, 1), (day_ns - 1, 2)] {
            let case = row.measures(&value.to_string()).set("scheduler", "initial-optimal-measurements", "1");
            let (_served, mut agent) = start(&case);
            agent.calls(0, &[day_ns; 2]);
            assert_eq!(agent.armed.len(), armed, "calls end every day, the most is {value}");
        }
    };
    time_diff_weight: "scheduler", "time-diff-weight" => |row| {
        let day_ns: u64 = 86_400_000_000_000;
        // Differences of one, one and three days: with weight w the average is (w + 3) / (w + 1).
        for (weight, armed) in [("0", 2), ("1", 2), ("2", 1), ("3", 1)] {
            let case = row
                .measures(weight)
                .set("scheduler", "initial-optimal-measurements", "1")
                .set("scheduler", "max-measuring-diff", &(2 * day_ns - 1).to_string());
            let (_served, mut agent) = start(&case);
            agent.calls(0, &[day_ns, day_ns, day_ns, 3 * day_ns]);
            assert_eq!(agent.armed.len(), armed, "weight {weight}");
        }
    };
    argument_size: "scheduler", "argument-size" => |row| {
        let modes = [("nocheck", Sizing::None), ("sizeof", Sizing::Shallow), ("deep", Sizing::Deep), ("length", Sizing::Length)];
        for (value, mode) in modes {
            let case = row.measures(value);
            let mut served = serve(&case, &["--once"]);
            let mut agent = Agent::connect(served.port, &served.token);
            let heard = agent.settles();
            let kind = ProbeKind::Times(mode);
            let all = |message: &ToAgent| matches!(message, ToAgent::Define { instrument, .. } if instrument.kind == kind);
            assert_eq!(heard.iter().filter(|message| all(message)).count(), 3, "{heard:?}");
            served.run.awaits("measuring Java");
        }
    };
    size_visit_limit: "scheduler", "size-visit-limit" => |row| {
        let case = row.measures("77");
        let served = serve(&case, &["--once"]);
        let heard = Agent::connect(served.port, &served.token).settles();
        assert!(heard.contains(&ToAgent::VisitLimit { objects: 77 }), "{heard:?}");
    };
    metaspace_limit: "scheduler", "metaspace-limit" => |row| {
        let case = row.measures("7");
        let served = serve(&case, &["--once"]);
        let heard = Agent::connect(served.port, &served.token).settles();
        assert!(heard.contains(&ToAgent::MetaspaceLimit { bytes: 7 << 20 }), "{heard:?}");
    };
    processor_jar: "scheduler", "processor-jar" => |row| {
        let case = row.measures(":sub/p.jar");
        fs::create_dir(case.path("sub")).unwrap();
        fs::write(case.path("sub/p.jar"), "").unwrap();
        let served = serve(&case, &["--once"]);
        let heard = Agent::connect(served.port, &served.token).settles();
        let path = fs::canonicalize(case.path("sub/p.jar")).unwrap().to_string_lossy().into_owned();
        assert!(heard.contains(&ToAgent::ProcessorJar { path }), "{heard:?}");
        let case = row.measures("no.jar");
        let ended = case.spl_with(&["run", "--config", "spl.ini", "--tasks", "spl.tasks", "--", "true"]).output();
        let said = String::from_utf8_lossy(&ended.unwrap().stderr).into_owned();
        assert!(said.contains("cannot find the size processors' JAR no.jar"), "{said}");
    };
    tasks_file: "controller", "tasks-file" => |row| {
        let case = row.measures("other.tasks");
        fs::write(case.path("other.tasks"), format!("{C}\n")).unwrap();
        let usual = ["serve", "--config", "spl.ini", "--port", "0", "--token-file", "token"];
        let defined = |more: &[&str]| {
            let served = serve_as(&case, &[&usual[..], more].concat());
            let heard = Agent::connect(served.port, &served.token).settles();
            heard.iter().filter(|message| matches!(message, ToAgent::Define { .. })).count()
        };
        assert_eq!(defined(&[]), 1);
        // The command line beats it.
        assert_eq!(defined(&["--tasks", "spl.tasks"]), 3);
    };
    output_dir: "controller", "output-dir" => |row| {
        let case = row.measures("samples/here").set("controller", "measurements-to-flush", "1");
        without_out(&case, |agent| {
            agent.calls(0, &[10]);
        });
        assert_eq!(read_measurements(&case.path("samples/here"), A).len(), 1);
    };
    overwrite_measurements: "controller", "overwrite-measurements" => |row| {
        for (value, samples) in [("1", 3), ("0", 6)] {
            let case = row.compares(value);
            compare(&case, &[10; 3], &[10; 3]);
            compare(&case, &[10; 3], &[10; 3]);
            assert_eq!(case.measurements(A).len(), samples, "{value}");
        }
    };
    human_readable_measurements: "controller", "human-readable-measurements" => |row| {
        for (value, form) in [("0", Form::Comma), ("1", Form::Human)] {
            let case = row.compares(value);
            compare(&case, &[10; 3], &[10; 3]);
            let bytes = fs::read(case.path("out/measurements/p.A.a()V.msr")).unwrap();
            assert_eq!(Reader::<Measurement>::new(&bytes).unwrap().form(), form);
        }
    };
    max_method_measurements: "controller", "max-method-measurements" => |row| {
        let case = row.measures("7");
        let (_served, mut agent) = start(&case);
        agent.calls(0, &[10; 6]);
        assert_eq!(agent.armed, BTreeSet::from([0, 1, 2]));
        agent.calls(0, &[10]);
        assert_eq!(agent.armed, BTreeSet::from([1, 2]));
    };
    min_method_measurements: "controller", "min-method-measurements" => |row| {
        let case = row.compares("7");
        let (mut served, mut agent) = start(&case);
        agent.calls(0, &[10; 7]);
        agent.calls(1, &[10; 6]);
        assert_eq!(case.results().len(), 0);
        agent.calls(1, &[10]);
        served.run.awaits("spl: verdict: ");
        assert_eq!(case.results().len(), 1);
    };
    measurements_to_flush: "controller", "measurements-to-flush" => |row| {
        let case = row.measures("7");
        let (_served, mut agent) = start(&case);
        for (calls, on_disk) in [(6, 0), (1, 7), (6, 7), (1, 14)] {
            agent.calls(0, &vec![10; calls]);
            assert_eq!(case.measurements(A).len(), on_disk);
        }
    };
    run_mode: "controller", "run-mode" => |row| {
        // A task file of one mode is refused in the other.
        let case = row.compares("comparison");
        assert_eq!(compare(&case, &[10; 3], &[10; 3]), Some(0));
        assert_eq!(case.results().len(), 1);
        let case = Case::comparing(&format!("{A}\n{B}\n")).set(row.section, row.key, "measurement");
        assert_eq!(compare(&case, &[10; 300], &[10; 300]), Some(0));
        assert_eq!((case.results().len(), case.measurements(A).len()), (0, 300));
    };
    result_file_path: "evaluator", "result-file-path" => |row| {
        let case = row.compares("results/named.txt");
        without_out(&case, |agent| {
            agent.calls(0, &[10; 3]);
            agent.calls(1, &[10; 3]);
        });
        assert_eq!(read_results(&case.path("results/named.txt")).len(), 1);
    };
    limit_p_value: "evaluator", "limit-p-value" => |row| {
        // Means 20 and 21, variances 1, three samples a side: t = 1.22, 4 degrees of freedom, p = 0.29.
        for (value, holds) in [("0.28", true), ("0.30", false)] {
            let case = row.compares(value);
            let status = compare(&case, &[19, 20, 21], &[20, 21, 22]);
            let verdict = case.results().remove(0).evaluation.verdict.unwrap();
            assert!((0.285..0.295).contains(&verdict.p_value), "{verdict:?}");
            let expected = if holds { (Basis::NotRefuted, Some(0)) } else { (Basis::Refuted, Some(1)) };
            assert_eq!((verdict.holds, (verdict.basis, status)), (holds, expected));
        }
    };
    overwrite_results: "evaluator", "overwrite-results" => |row| {
        for (value, results) in [("1", 1), ("0", 2)] {
            let case = row.compares(value);
            compare(&case, &[10; 3], &[10; 3]);
            compare(&case, &[10; 3], &[10; 3]);
            assert_eq!(case.results().len(), results, "{value}");
        }
    };
    human_readable_results: "evaluator", "human-readable-results" => |row| {
        for (value, form) in [("0", Form::Comma), ("1", Form::Human)] {
            let case = row.compares(value);
            compare(&case, &[10; 3], &[10; 3]);
            let bytes = fs::read(case.path("out/result.eval")).unwrap();
            assert_eq!(Reader::<ResultRecord>::new(&bytes).unwrap().form(), form);
        }
    };
    arguments_size_scale_base: "evaluator", "arguments-size-scale-base" => |row| {
        assert_eq!(buckets(&row.compares("10")), ["[40, 50)"]);
        assert_eq!(buckets(&row.compares("7")), ["[42, 49)"]);
    };
    arguments_size_scale: "evaluator", "arguments-size-scale" => |row| {
        let scale = |value: &str| row.compares(value).set("evaluator", "arguments-size-scale-base", "4");
        for value in ["linear", "lin"] {
            assert_eq!(buckets(&scale(value)), ["[40, 44)"]);
        }
        for value in ["logarithmic", "log"] {
            assert_eq!(buckets(&scale(value)), ["[16, 64)"]);
        }
    };
}

/// Runs a controller whose files are where the configuration says.
fn without_out(case: &Case, work: impl FnOnce(&mut Agent)) {
    let arguments = [
        "serve",
        "--config",
        "spl.ini",
        "--tasks",
        "spl.tasks",
        "--port",
        "0",
        "--token-file",
        "token",
        "--once",
    ];
    let mut served = serve_as(case, &arguments);
    let mut agent = served.measures();
    work(&mut agent);
    agent.bye();
    served.run.ends();
}

/// The buckets of a comparison of calls with the size 43.
fn buckets(case: &Case) -> Vec<String> {
    let (served, mut agent) = start(case);
    agent.sized_calls(0, &[10; 3], WireSize::Value(43));
    agent.sized_calls(1, &[10; 3], WireSize::Value(43));
    agent.bye();
    served.run.ends();
    case.results().iter().map(|result| result.evaluation.bucket.to_string()).collect()
}

/// The keys of the commented configuration, which has all that `spl` knows: a unit test compares them.
#[test]
fn every_key_has_a_test() {
    let text = fs::read_to_string(harness::root().join("splserver.ini")).unwrap();
    let mut section = String::new();
    let mut keys = BTreeSet::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').to_owned();
        } else if let Some((key, _)) = line.split_once('=') {
            keys.insert((section.clone(), key.trim().to_owned()));
        }
    }
    let tested = ROWS
        .iter()
        .chain(crate::keys_beyond::ROWS)
        .chain(crate::keys_drill::ROWS)
        .map(|(section, key)| ((*section).to_owned(), (*key).to_owned()));
    assert_eq!(tested.collect::<BTreeSet<_>>(), keys);
}

/// Where a configuration comes from: the command line, else the environment, else the current folder, else nowhere.
#[test]
fn the_command_line_beats_the_environment_and_that_the_default_file() {
    let case = Case::measuring(&[A]);
    let wrong = |name: &str| fs::write(case.path(name), "[scheduler]\nx = 1\n").unwrap();
    let named = |arguments: &[&str], variable: Option<&str>| {
        let mut spl = case.spl_with(&[&["serve", "--tasks", "none.tasks"], arguments].concat());
        spl.envs(variable.map(|file| ("SPL_SERVER_CONFIG", file)));
        let ended = crate::running::Running::start(spl, Path::new("/")).ends();
        ended.assert_status(2);
        ended.err
    };
    let check = |arguments: &[&str], variable, expected: &str| {
        let said = named(arguments, variable);
        assert!(said.contains(expected), "{arguments:?} {variable:?}: {said}");
    };
    // Without a file there are the defaults, and the next complaint is about the tasks.
    check(&[], None, "the task file none.tasks");
    check(&[], Some(""), "the task file none.tasks");
    wrong("splserver.ini");
    wrong("variable.ini");
    wrong("option.ini");
    check(&[], None, "splserver.ini:2: unknown key");
    check(&[], Some("variable.ini"), "variable.ini:2: unknown key");
    check(&["--config", "option.ini"], Some("variable.ini"), "option.ini:2: unknown key");
    check(&[], Some("none.ini"), "cannot read the configuration none.ini");
}
