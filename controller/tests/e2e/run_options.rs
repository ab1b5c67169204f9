//! Options of a run: when it ends, what becomes of the program then, whose status it has, and settings on the command line.

use crate::case::{Case, java};
use crate::running::{Ended, Running};
use crate::stand_in::{Served, serve};
use spl_wire::ToAgent;
use std::ffi::OsString;
use std::fs;

const FAST: &str = "CompareLoop.fast([I)J";
/// A claim that any call proves.
const AMPLE: &str = "median(CompareLoop.fast([I)J) <= 10 s\n";
/// Runs until it is ended.
const LOOP: [&str; 3] = ["CompareLoop", "0", "256"];

fn start(case: &Case, options: &[&str], command: Vec<OsString>) -> Running {
    let mut spl = case.spl_with(&["run", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out"]);
    spl.args(options).arg("--").args(command);
    Running::start(spl, &case.path(""))
}

/// A shell that starts Java and does what this says before and behind it.
fn shell(before: &str, java_arguments: &[&str], behind: &str) -> Vec<OsString> {
    let script = format!("{before} \"$@\"{behind}");
    [OsString::from("sh"), "-c".into(), script.into(), "sh".into()]
        .into_iter()
        .chain(java(java_arguments))
        .collect()
}

fn wrong(options: &[&str]) -> Ended {
    let case = Case::comparing(AMPLE);
    let ended = start(&case, options, java(&LOOP)).ends();
    ended.assert_status(2);
    assert!(!case.path("out").exists(), "nothing was to begin");
    ended
}

#[test]
fn a_measurement_ends_in_time_and_the_program_goes_on() {
    let case = Case::comparing(AMPLE).endless();
    let mut run = start(&case, &["--for", "300ms"], java(&LOOP));
    run.awaits_agent();
    run.awaits("spl: 1 claim: ");
    run.awaits("spl: report: out/report.html");
    assert!(!run.has_said("ended"), "{}", run.transcript());
    // The time that it takes to end is its own.
    let ended = run.ends();
    assert!(ended.out.ends_with("ended\n"), "{}", ended.out);
    ended.assert_said(&["spl: the program ended with status 0"]);
    assert_eq!(fs::read_to_string(case.path("out/assertions.jsonl")).unwrap().lines().count(), 1);
}

#[test]
fn a_program_is_stopped_when_its_measurement_is_over() {
    let case = Case::comparing(AMPLE).endless();
    let mut run = start(&case, &["--for", "200ms", "--stop-program"], java(&LOOP));
    run.awaits_agent();
    let ended = run.ends_by_itself();
    ended.assert_said(&["a signal tells the program to end", "spl: the program ended with status 143"]);
    assert!(!ended.err.contains("killed"), "{}", ended.err);
}

#[test]
fn a_program_that_does_not_stop_is_killed() {
    let case = Case::comparing(AMPLE).endless();
    let mut arguments = vec!["-Xrs"];
    arguments.extend(LOOP);
    // A JVM leaves the signal as it finds it with that option.
    let run = start(
        &case,
        &["--for", "200ms", "--stop-program", "--program-status"],
        shell("trap '' TERM; exec", &arguments, ""),
    );
    let ended = run.ends_by_itself();
    ended.assert_said(&[
        "the program has not ended within 10 s and is killed",
        "spl: the program was ended \
        by signal 9",
    ]);
    ended.assert_status(137);
}

#[test]
fn the_jvm_of_a_script_is_stopped_with_it() {
    let case = Case::comparing(AMPLE).endless();
    let mut run =
        start(&case, &["--for", "200ms", "--stop-program"], shell("", &LOOP, "; echo after; exit 3"));
    let jvm = run.awaits_agent();
    let ended = run.ends_by_itself();
    ended.assert_said(&["spl: the program was ended by signal 15"]);
    let status = fs::read_to_string(format!("/proc/{jvm}/cmdline")).unwrap_or_default();
    assert!(!status.contains("CompareLoop"), "the JVM was left behind");
}

#[test]
fn a_measurement_ends_when_all_is_decided() {
    // Without a decision the measurement of one method would never end.
    let case = Case::comparing(AMPLE).set("controller", "max-method-measurements", "1000000000");
    let mut run = start(&case, &["--until-decided", "--for", "10h", "--stop-program"], java(&LOOP));
    run.awaits_agent();
    let ended = run.ends_by_itself();
    ended.assert_status(0);
    ended.assert_said(&["1 claim: 1 holds", "a signal tells the program to end"]);
}

#[test]
fn an_undecided_claim_does_not_end_it() {
    let never = "CompareLoop.main([Ljava/lang/String;)V";
    let case = Case::comparing(&format!("{AMPLE}{never} <= 1 s\n")).set(
        "controller",
        "max-method-measurements",
        "1000000000",
    );
    let mut run = start(&case, &["--until-decided"], java(&LOOP));
    run.awaits_agent();
    run.awaits("verdict: median");
    run.awaits("1 of 2 methods finished, 1 of 2 claims decided, ");
    run.ends().assert_status(3);
}

#[test]
fn nothing_that_could_be_decided() {
    let case = Case::measuring(&[FAST]);
    let ended = start(&case, &["--until-decided"], java(&LOOP)).ends();
    ended.assert_status(2);
    ended.assert_said(&["--until-decided: spl.tasks claims nothing that could be decided"]);
}

#[test]
fn the_status_of_the_program_where_it_is_wanted() {
    let of = |options: &[&str]| {
        let case = Case::comparing(AMPLE).endless();
        let mut run = start(&case, options, shell("", &LOOP, "; exit 7"));
        run.awaits_agent();
        case.awaits_measurements(FAST, 100);
        run.ends()
    };
    let ended = of(&["--program-status"]);
    ended.assert_status(7);
    ended.assert_said(&["spl: the program ended with status 7", "1 claim: 1 holds"]);
    of(&[]).assert_status(0);
}

#[test]
fn settings_on_the_command_line_beat_the_file() {
    let case = Case::comparing(AMPLE);
    let options = [
        "--set",
        "max-method-measurements=300",
        "--set",
        "min-method-measurements = 300",
        "--json",
        "o.json",
    ];
    let mut run = start(&case, &options, java(&LOOP));
    run.awaits("spl: every class is as it was");
    let ended = run.ends();
    ended.assert_status(0);
    ended.assert_said(&["  300  median(CompareLoop.fast([I)J) <= 10 s"]);
    // The report names what was set.
    let context = fs::read_to_string(case.path("out/context.json")).unwrap();
    let value = context.split("\"max-method-measurements\"").nth(1).unwrap();
    assert!(value.split('}').next().unwrap().contains("\"300\""), "{value}");
}

#[test]
fn method_and_argument_size_have_options_of_their_own() {
    // The file says otherwise: sizes are not looked at there, and windows decide.
    let case = Case::comparing(AMPLE).set("scheduler", "profile", "production");
    let options = ["--method", "welch", "--argument-size", "length", "--until-decided"];
    let mut run = start(&case, &options, java(&LOOP));
    run.awaits("spl: every class is as it was");
    run.ends().assert_status(0);
    let context = fs::read_to_string(case.path("out/context.json")).unwrap();
    let context: serde_json::Value = serde_json::from_str(&context).unwrap();
    let value = |key: &str| {
        let settings = context["settings"].as_array().unwrap();
        settings.iter().find(|one| one["key"] == key).unwrap()["value"].as_str().unwrap().to_owned()
    };
    assert_eq!([value("method"), value("argument-size")], ["welch", "length"]);
    assert_eq!(context["judge"], "welch");
    // One array of one length: all calls have the same size.
    let samples = case.measurements(FAST);
    assert!(!samples.is_empty() && samples.iter().all(|one| one.sample.size == samples[0].sample.size));
    assert!(matches!(samples[0].sample.size, spl_model::Size::Value(_)), "{:?}", samples[0].sample.size);
}

#[test]
fn options_about_a_program_belong_to_the_command_that_starts_it() {
    for (option, reason) in [
        ("--stop-program", "spl serve has not started the programs"),
        ("--program-status", "spl serve does not learn the status"),
    ] {
        let case = Case::comparing(AMPLE);
        let mut spl = case.spl_with(&["serve", "--config", "spl.ini", "--tasks", "spl.tasks", "--port", "0"]);
        spl.arg(option);
        let ended = Running::start(spl, &case.path("")).ends();
        ended.assert_status(2);
        ended.assert_said(&[option, reason, "spl "]);
    }
}

#[test]
fn what_is_wrong_with_options_is_said() {
    for (options, parts) in [
        (["--set", "window"], ["--set window: expected KEY=VALUE", "--set window=50"]),
        (["--set", "windw=5"], ["--set windw=5: unknown key \"windw\": did you mean \"window\"?", ""]),
        (["--set", "programs=0"], ["--set programs=0: programs = \"0\": expected a number of programs", ""]),
        (["--policy", "paried"], ["invalid value 'paried' for '--policy <POLICY>'", "paired, delay"]),
        (["--for", "5"], ["--for <TIME>", "as in 90s, 5m, 1h30m or 500ms"]),
    ] {
        wrong(&options).assert_said(&parts);
    }
    // The file and the options together may contradict themselves: this is the thesis's profile.
    wrong(&["--policy", "paired"])
        .assert_said(&["--set policy=paired: profile = thesis has no policy", "(line "]);
}

#[test]
fn a_served_program_is_measured_for_a_time() {
    let case = Case::comparing("p/A.a()V < 5 ms\n").endless();
    let mut served = serve(&case, &["--once", "--for", "300ms"]);
    let mut agent = served.measures();
    agent.calls(0, &[1000; 20]);
    while agent.hears().expect("it is told to detach") != ToAgent::Detach {}
    let Served { run, .. } = served;
    agent.bye();
    run.ends_by_itself().assert_status(0);
}
