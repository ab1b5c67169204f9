//! Why a claim fails, of programs that `spl` has not started: served at a port, attached to, several at once.

use crate::case::{Case, java};
use crate::running::Running;
use crate::stand_in::{Agent, PID, Served, TOKEN_FILE, serve};
use crate::witness::{Witness, changed};
use serde_json::Value;
use std::fs;
use std::process::Command;

/// The slow method calls another one 30 times; the quick one calls it once.
const FAILS: &str = "median(CompareLoop.slow([I)J) <= median(CompareLoop.fast([I)J)\n";
const CLASSES: [&str; 2] = ["CompareLoop", "java/lang/Integer"];
const LONG: [&str; 4] = ["--drill", "failed", "--drill-for", "60s"];

fn client(case: &Case, served: &Served, options: &[&str], program: &[&str]) -> Running {
    let port = served.port.to_string();
    let door = ["client", "--port", &port, "--token-file", TOKEN_FILE];
    let mut spl = case.spl_with(&[&door[..], options, &["--"]].concat());
    spl.args(java(program));
    Running::start(spl, &case.path(""))
}

fn claims(case: &Case) -> Vec<Value> {
    let found: Value = serde_json::from_slice(&fs::read(case.path("out/why.json")).unwrap()).unwrap();
    found["claims"].as_array().unwrap().clone()
}

/// Asserts that the cause was found. Times vary, so it may explain a part of them only.
fn assert_found(claim: &Value) {
    assert!(["found", "partly"].iter().any(|one| claim["conclusion"] == *one), "{claim:#}");
    assert_eq!(claim["causes"][0]["path"], serde_json::json!(["CompareLoop.pass(J[I)J"]), "{claim:#}");
}

/// The steps of the search, after a look at their order.
fn steps(case: &Case) -> Vec<Value> {
    let text = fs::read_to_string(case.path("out/drill.jsonl")).unwrap();
    let steps: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = steps.iter().map(|step| step["action"].as_str().unwrap()).collect();
    let ([first, rounds @ .., last], true) = (&names[..], names.len() > 4) else { panic!("{text}") };
    assert_eq!((*first, *last), ("begin", "end"), "{text}");
    assert!(rounds.chunks(3).all(|round| round == ["round", "end-round", "restore"]), "{text}");
    let times: Vec<u64> = steps.iter().map(|step| step["at_ns"].as_u64().unwrap()).collect();
    assert!(times.is_sorted() && times[0] > 0, "{text}");
    assert!(steps.iter().all(|step| step["schema"] == "spl.drill-step/1"), "{text}");
    steps
}

#[test]
fn a_claim_of_a_served_program_is_explained_while_others_wait() {
    let case = Case::comparing(FAILS);
    let mut served = serve(&case, &LONG);
    let socket = case.path("witness.sock");
    let mut program = client(&case, &served, &[], &[&Witness::option(&socket), "CompareLoop", "0", "2560"]);
    program.awaits("ready");
    let mut witness = Witness::connect(&socket);
    served.run.awaits("looking for the reasons of 1 failed claim for at most 60 s");
    // Another program comes meanwhile. Its first message stays for the next measurement.
    let mut other = Agent::connect(served.port, &served.token);
    served.run.awaits("what was found is in out/why.json");
    served.run.awaits_next("waiting for the next program");
    served.run.awaits_next(&format!("pid {PID}"));
    other.settles();
    other.bye();
    let after = witness.snapshot(&CLASSES);
    served.run.signal("INT");
    served.run.ends().assert_status(1);
    let claims = claims(&case);
    assert_eq!((claims.len(), &claims[0]["instance"]), (1, &Value::Null));
    assert_found(&claims[0]);
    let steps = steps(&case);
    let pid = program.pid();
    assert!(steps.iter().all(|step| step["pid"] == pid), "{steps:#?}");
    assert_eq!(steps[0]["claims"], serde_json::json!([FAILS.trim_end()]), "{steps:#?}");
    assert_eq!(steps[0]["longest_ns"], 60_000_000_000_u64, "{steps:#?}");
    let both = serde_json::json!(["CompareLoop.fast([I)J", "CompareLoop.slow([I)J"]);
    assert_eq!((&steps[0]["methods"], &steps[1]["methods"]), (&both, &both), "{steps:#?}");
    assert_eq!(steps[2]["classes"], serde_json::json!(["CompareLoop"]), "{steps:#?}");
    assert!(steps[2]["calls"].as_array().unwrap().iter().all(|calls| calls.as_u64() > Some(0)), "{steps:#?}");
    assert!(steps[2]["counts"].as_u64() > Some(0) && steps[2]["change_ns"].as_u64() > Some(0), "{steps:#?}");
    assert_eq!(steps[3]["reason"], "every class has its own bytes again");
    // The program goes on with the bytecode that a JVM without measurement has.
    let plain = case.path("plain.sock");
    let mut alone = Command::new(&java(&[])[0]);
    alone.args(&java(&[&Witness::option(&plain), "CompareLoop", "0", "2560"])[1..]);
    let mut alone = Running::start(alone, &case.path(""));
    alone.awaits("ready");
    let original = Witness::connect(&plain).snapshot(&CLASSES);
    assert_eq!(changed(&original, &after), [""; 0]);
    alone.ends();
    assert!(program.ends().out.ends_with("ended\n"));
}

#[test]
fn an_attached_program_tells_why_a_claim_fails_and_is_left_as_it_was() {
    let case = Case::comparing(FAILS);
    let mut command = Command::new(&java(&[])[0]);
    command.args(&java(&["-XX:+IgnoreUnrecognizedVMOptions", "-XX:+EnableDynamicAgentLoading"])[1..]);
    command.args(["CompareLoop", "0", "2560"]).env_remove("JAVA_TOOL_OPTIONS");
    let mut program = Running::start(command, &case.path(""));
    program.awaits("ready");
    let pid = program.pid().to_string();
    let usual = ["attach", &pid, "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out", "--yes"];
    let mut spl = case.spl_with(&[&usual[..], &LONG].concat());
    let ended = Running::start(
        {
            spl.env("RUST_LOG", "info");
            spl
        },
        &case.path(""),
    )
    .ends_by_itself();
    ended.assert_status(1);
    ended.assert_said(&[
        "what was found is in out/why.json",
        &format!("pid {pid} goes on, with every class as it was"),
        // As the scheduler's decisions are.
        &format!("drill in pid {pid}: begin: 1 failed claim"),
        &format!("drill in pid {pid}: round 1: the methods of the claims"),
        &format!("drill in pid {pid}: restore 1: every class has its own bytes again"),
    ]);
    assert_found(&claims(&case)[0]);
    steps(&case);
    assert!(program.ends().out.ends_with("ended\n"));
}

#[test]
fn of_several_programs_the_one_in_which_a_claim_fails_is_looked_at() {
    // A pass over 64 elements takes a microsecond in the interpreter, one over 1,000,000 takes at least 300 when it is compiled.
    let claim = "for all instances: median(CompareLoop.fast([I)J) <= 100 us";
    let case = Case::comparing(&format!("assert \"e\": {claim}\n")).set("communication", "programs", "2");
    let case = case.set("scheduler", "profile", "production");
    let case = case.set("scheduler", "overhead-budget", "none");
    let case = case.set("controller", "max-method-measurements", "1000000");
    let mut served = serve(&case, &[&["--once"], &LONG[..]].concat());
    // The slower one first: it has to have its windows before the other one alone decides.
    let large = client(&case, &served, &["--instance", "large"], &["CompareLoop", "0", "1000000"]);
    let small = client(&case, &served, &["--instance", "small"], &["CompareLoop", "0", "64"]);
    served.run.awaits(" is measured too");
    let ended = served.run.ends_by_itself();
    ended.assert_status(1);
    // The verdict names the one that refutes the claim.
    let name = &format!("large:{}", large.pid());
    ended.assert_said(&[&format!("FAILS in {name}, ")]);
    ended.assert_said(&[&format!("spl: in {name}: e: {claim}")]);
    let claims = claims(&case);
    assert_eq!(claims[0]["instance"], **name, "{claims:#?}");
    assert_found(&claims[0]);
    let steps = steps(&case);
    let pid: u32 = name.split(':').nth(1).unwrap().parse().unwrap();
    assert!(steps.iter().all(|step| step["pid"] == pid && step["program"] == **name), "{steps:#?}");
    for program in [small, large] {
        assert!(program.ends().out.ends_with("ended\n"));
    }
}

#[test]
fn an_interrupt_ends_the_search_of_a_served_program_and_the_service() {
    let case = Case::comparing(FAILS);
    let mut served = serve(&case, &["--drill", "failed", "--drill-for", "10h"]);
    let program = client(&case, &served, &[], &["CompareLoop", "0", "2560"]);
    served.run.awaits("looking for the reasons of 1 failed claim for at most 36000 s");
    served.run.signal("INT");
    served.run.awaits("what was found is in out/why.json");
    served.run.spl_ends_with(Some(1));
    let text = fs::read_to_string(case.path("out/drill.jsonl")).unwrap();
    assert!(text.ends_with("}\n") && text.contains("\"action\":\"end\""), "{text}");
    assert!(program.ends().out.ends_with("ended\n"));
}

#[test]
fn a_running_measurement_keeps_its_keys_of_a_search() {
    let case = Case::comparing(FAILS).endless().set("drill", "drill-time", "7000");
    let mut run = case.java(&["CompareLoop", "0", "100000"]);
    run.awaits("the measurement starts");
    let ini = fs::read_to_string(case.path("spl.ini")).unwrap();
    let ini = ini.replace("drill-time = 7000", "drill-time = 9000") + "[drill]\nclaims = failed\n";
    fs::write(case.path("spl.ini"), ini).unwrap();
    run.signal("HUP");
    run.awaits("claims stays none: a running measurement cannot change it to failed");
    run.awaits("drill-time stays 7000: a running measurement cannot change it to 9000");
    run.awaits("tasks and settings were read again: nothing that can change has changed");
    assert!(run.ends().out.ends_with("ended\n"));
}
