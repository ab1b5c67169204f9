//! The JVM's events: known numbers of them are heard, along with a drill and alone, where no class is changed.

use crate::case::{Case, java};
use crate::drill::case;
use crate::harness::{DEADLINE, poll};
use crate::metrics::{agrees_with_schema, metrics, values};
use crate::running::Running;
use crate::witness::Witness;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// JDK 21 and later warn of an agent that comes late, unless they have these options.
const QUIET: [&str; 2] = ["-XX:+IgnoreUnrecognizedVMOptions", "-XX:+EnableDynamicAgentLoading"];

/// The lines of a table.
fn table(path: &Path) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

/// Times that threads waited in a method of the program.
fn waits(events: &[BTreeMap<String, String>], method: &str) -> u64 {
    let of = events.iter().filter(|row| row["class"] == "Heard" && row["method"] == method);
    of.map(|row| row["count"].parse::<u64>().unwrap()).sum()
}

/// Sum of a column.
fn sum(rates: &[BTreeMap<String, String>], column: &str) -> f64 {
    rates.iter().map(|row| row[column].parse::<f64>().unwrap()).sum()
}

/// The program without the agent, which waits for a line.
fn program(case: &Case) -> Running {
    let line = java(&[QUIET[0], QUIET[1], "Heard", "4", "1", "10", "wait"]);
    let mut command = Command::new(&line[0]);
    command.args(&line[1..]).env_remove("JAVA_TOOL_OPTIONS");
    let mut run = Running::start(command, &case.path(""));
    run.awaits("ready");
    run
}

/// `spl metrics --sampled` of a JVM that runs already.
fn attached(case: &Case, pid: u32) -> Running {
    let pid = pid.to_string();
    Running::start(case.spl_with(&["metrics", "--sampled", "--replace", "--attach", &pid]), &case.path(""))
}

#[test]
fn known_events_are_heard_and_no_class_is_changed() {
    let case = case();
    let log = case.path("redefined.log");
    let logs = format!("-Xlog:redefine+class*=info:file={}", log.display());
    let run = metrics(&case, &["--sampled"], &[&logs, "Heard", "5", "3", "400"]);
    let ended = run.ends_by_itself();
    ended.assert_status(0);
    ended.assert_said(&[
        "no class is changed",
        "threads: 10 started, at most 6 at once",
        "at most 5 threads for one monitor at once",
        "(sampled, 95%)",
        "Heard.enterMethod()V",
    ]);
    assert!(ended.out.contains("done 10"), "{}", ended.out);
    let changed = fs::read_to_string(&log).unwrap_or_default();
    assert!(!changed.contains("redefined"), "{changed}");

    let events = table(&case.path("out/sampled/events.csv"));
    assert_eq!([waits(&events, "enter"), waits(&events, "enterMethod")], [5, 5], "{events:?}");
    let rates = table(&case.path("out/sampled/rates.csv"));
    assert_eq!(sum(&rates, "threads_started"), 10.0, "{rates:?}");
    assert!(sum(&rates, "collections") >= 3.0, "{rates:?}");
    assert!(sum(&rates, "waited_ms") > 0.0, "{rates:?}");
    // One interval of twenty misses: twice as wide, one of ten thousand does.
    let bytes = events.iter().find(|row| row["class"] == "byte[]").unwrap();
    let number = |column: &str| bytes[column].parse::<f64>().unwrap();
    let [estimate, least, most] = ["bytes", "bytes_least", "bytes_most"].map(number);
    let made: f64 = ended.out.split("allocated ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
    assert!(least < estimate && estimate < most, "{bytes:?}");
    assert!(2.0 * least - estimate < made && made < 2.0 * most - estimate, "{made} {bytes:?}");
}

#[test]
fn a_drill_has_the_metrics_of_events_and_claims_about_samples_are_never_proved() {
    let case = case();
    let tasks = "assert \"threads\": metric(concurrency.startedThreads, app) = 10\n\
                 assert \"waits\": metric(concurrency.maxContention, app) <= 5\n\
                 assert \"runnable\": metric(M60[3+], app) <= 1\n";
    fs::write(case.path("m.tasks"), tasks).unwrap();
    let options = ["--space", "enter=Heard#enter*", "--tasks", "m.tasks"];
    let ended = metrics(&case, &options, &["Heard", "5", "3", "1"]).ends_by_itself();
    ended.assert_status(0);
    ended.assert_said(&["3 claims: 3 hold", "holds, proved", "runnable: holds (not-refuted): samples"]);
    let document: Value =
        serde_json::from_slice(&fs::read(case.path("out/drill/metrics.json")).unwrap()).unwrap();
    agrees_with_schema(&document);
    let values = values(&document);
    let enter = &values["enter"];
    let exact = |name: &str| {
        let value = &enter[name];
        assert_eq!(value["exactness"], "exact", "{value}");
        value["value"].as_f64().unwrap()
    };
    assert_eq!(exact("concurrency.startedThreads.value"), 10.0);
    assert_eq!(exact("concurrency.maxOverlappingThreads.value"), 6.0);
    assert_eq!(exact("concurrency.maxContention.value"), 5.0);
    assert_eq!(exact("concurrency.contendedLock.percentile"), 100.0);
    // Ten waits, all in this space.
    let instructions = exact("base.instructions.value");
    let density = exact("concurrency.contendedLockDensity.value");
    assert!((density * instructions / 1000.0 - 10.0).abs() < 1e-6, "{density} {instructions}");
    for sampled in ["concurrency.threadDensity.value", "concurrency.threadDensity.bin[1]"] {
        assert_eq!(enter[sampled]["exactness"], "sampled", "{}", enter[sampled]);
    }
    // On a busy machine the program may end before the agent's thread has looked at the memory.
    let liveness = &enter["memory.liveness.value"];
    let is_told =
        liveness["exactness"] == "sampled" || liveness["reasons"].to_string().contains("no look after it");
    assert!(is_told, "{liveness}");
    assert!(enter["concurrency.parks.value"]["reasons"].to_string().contains("--jdk"));

    // The files say it again, and a damaged one is refused with its place.
    let (status, out, err) = crate::metrics::analyse(&case, &["out", "--enable", "M56", "--disable", "*"]);
    assert!(status == 0 && out.contains("concurrency.startedThreads.value: 10"), "{out}{err}");
    fs::write(case.path("out/drill/events.json"), "{\"schema\": \"spl.events/1\"}").unwrap();
    let (status, _, err) = crate::metrics::analyse(&case, &["out"]);
    assert!(status == 2 && err.contains("events.json") && err.contains("remove it"), "{err}");
}

#[test]
fn a_running_jvm_is_heard_again_and_again_also_after_a_kill() {
    let case = case();
    let mut run = program(&case);
    let mut killed = attached(&case, run.pid());
    killed.awaits("hearing the events");
    killed.signal("KILL");
    killed.spl_ends_with(None);
    // The agent may not know of it yet.
    let spl = poll("the agent", DEADLINE, || {
        let mut spl = attached(&case, run.pid());
        poll("an answer", DEADLINE, || {
            (spl.has_said("hearing the events") || spl.has_said("error")).then_some(())
        });
        spl.has_said("hearing the events").then_some(spl)
    });
    run.line();
    run.awaits("done 8");
    spl.signal("INT");
    let heard = spl.ends_by_itself();
    heard.assert_status(0);
    assert!(!heard.spl().contains("not heard"), "{}", heard.spl());
    let events = table(&case.path("out/sampled/events.csv"));
    assert_eq!([waits(&events, "enter"), waits(&events, "enterMethod")], [4, 4], "{events:?}");
    assert!(events.iter().any(|row| row["event"] == "allocation"), "{events:?}");
    run.line();
    assert_eq!(run.ends().status, Some(0));
}

#[test]
fn of_two_controllers_that_attach_at_once_each_ends() {
    for _ in 0..3 {
        let case = case();
        let mut run = program(&case);
        let pid = run.pid().to_string();
        let start = |out: &&str| {
            let options = ["metrics", "--sampled", "--for", "1s", "--out", out, "--attach", &pid];
            Running::start(case.spl_with(&options), &case.path(""))
        };
        let both = ["first", "second"].iter().map(start).collect::<Vec<_>>();
        let ended = both.into_iter().map(Running::ends_by_itself).collect::<Vec<_>>();
        assert!(ended.iter().any(|one| one.status == Some(0)), "{} {}", ended[0].err, ended[1].err);
        for one in ended.iter().filter(|one| one.status != Some(0)) {
            assert_eq!(one.status, Some(2));
            one.assert_said(&["its agent serves another controller"]);
        }
        run.line();
        run.line();
        assert_eq!(run.ends().status, Some(0));
    }
}

#[test]
fn what_another_agent_holds_is_said_and_gone_without() {
    let case = case();
    let socket = case.path("witness.sock");
    let option = Witness::option(&socket).replace(".so=", ".so=samples=");
    let ended = metrics(&case, &["--sampled"], &[&option, "Heard", "3", "1", "10"]).ends_by_itself();
    ended.assert_status(0);
    ended.assert_said(&["not heard: sampled allocations: another agent in this JVM has them"]);
    assert!(!case.path("out/sampled/lifetimes.csv").exists(), "no object is followed");
    let events = table(&case.path("out/sampled/events.csv"));
    assert_eq!(waits(&events, "enter"), 3, "{events:?}");
    assert!(events.iter().all(|row| row["event"] == "wait"), "{events:?}");
}

#[test]
fn virtual_threads_wait_without_harm() {
    let case = case();
    // Without them the program says so, and nothing else is asked for.
    let ended = metrics(&case, &["--sampled"], &["Heard", "50", "1", "10", "virtual"]).ends_by_itself();
    if ended.err.contains("NoSuchMethodException") || ended.err.contains("preview") {
        return;
    }
    ended.assert_status(0);
    assert!(ended.out.contains("done 100"), "{}{}", ended.out, ended.err);
}

/// A heap in which no collection comes by itself.
const ROOMY: [&str; 4] = ["-XX:+UseSerialGC", "-Xmn300m", "-Xmx1g", "Lifetimes"];

#[test]
fn known_lifetimes_of_objects_are_found_by_samples() {
    let case = case();
    let ended =
        metrics(&case, &["--sampled", "--interval", "64"], &[&ROOMY[..], &["40"]].concat()).ends_by_itself();
    ended.assert_status(0);
    ended.assert_said(&["allocated bytes are gone: ", "% after 1 collection (", "% after 33+ collections ("]);
    assert!(ended.out.contains("kept 240000"), "{}", ended.out);
    let lifetimes = table(&case.path("out/sampled/lifetimes.csv"));
    let bins: Vec<&str> = lifetimes.iter().map(|row| &*row["collections"]).collect();
    assert_eq!(bins, ["1", "2", "3", "4", "5-8", "9-16", "17-32", "33+"]);
    // One interval of twenty misses: three times as wide, none does. Other objects are a hundredth of all bytes. On a busy machine the JVM tells late
    // which objects are gone, and the intervals are wider.
    for (row, truth) in lifetimes.iter().zip([0.5, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.2]) {
        let [share, least, most] =
            ["share", "share_least", "share_most"].map(|column| row[column].parse::<f64>().unwrap());
        assert!(least <= share && share <= most, "{row:?}");
        let is_near = 3.0 * least - 2.0 * share - 0.01 <= truth && truth <= 3.0 * most - 2.0 * share + 0.01;
        assert!(is_near, "{truth} {row:?}");
    }
}

#[test]
fn a_drill_has_the_lifetimes_of_objects() {
    let case = case();
    let only = ["--disable", "*", "--enable", "M50"];
    fs::write(case.path("m.tasks"), "metric(M50[1], app) >= 0.1\n").unwrap();
    let claims = [&only[..], &["--tasks", "m.tasks"]].concat();
    let ended = metrics(&case, &claims, &[&ROOMY[..], &["6"]].concat()).ends_by_itself();
    ended.assert_status(0);
    ended.assert_said(&["metric(M50[1], app) >= 0.1: holds (not-refuted): samples"]);
    let document: Value =
        serde_json::from_slice(&fs::read(case.path("out/drill/metrics.json")).unwrap()).unwrap();
    agrees_with_schema(&document);
    let values = values(&document);
    let bin = |key: &str| &values["whole"][&format!("memory.lifetime.bin[{key}]")];
    let [least, most] = ["least", "most"].map(|bound| bin("1")[bound].as_f64().unwrap());
    assert!(least < 0.55 && 0.45 < most, "{}", bin("1"));
    assert_eq!(bin("4")["exactness"], "sampled");
    let reasons = bin("4")["reasons"].to_string();
    assert!(reasons.contains("outlived all collections that followed them"), "{reasons}");
    // `spl analyse` reads them again, and refuses a list that is too long.
    let (status, out, err) = crate::metrics::analyse(&case, &[&["out"][..], &only].concat());
    assert!(status == 0 && out.contains("memory.lifetime.bin[1]"), "{out}{err}");
    let path = case.path("out/drill/events.json");
    let mut events: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    events["lifetimes"]["gone"].as_array_mut().unwrap().push(1.into());
    fs::write(&path, events.to_string()).unwrap();
    let (status, _, err) = crate::metrics::analyse(&case, &["out"]);
    assert!(status == 2 && err.contains("lifetimes"), "{err}");

    // Without a collection nothing is known.
    let ended = metrics(&case, &[&only[..], &["--replace"]].concat(), &[&ROOMY[..], &["0"]].concat());
    let ended = ended.ends_by_itself();
    ended.assert_status(0);
    ended.assert_said(&["no collection began after a sampled allocation"]);
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let case = case();
    for (options, part) in [
        (&["--sampled", "--jdk"][..], "--jdk"),
        (&["--sampled", "--tasks", "m.tasks"], "--tasks"),
        (&["--attach", "1"], "--sampled"),
        (&["--sampled", "--interval", "0"], "--interval"),
    ] {
        let ended = metrics(&case, options, &["Heard", "1", "0", "0"]).ends_by_itself();
        assert!(ended.status == Some(2) && ended.err.contains(part), "{options:?}: {}", ended.err);
        assert!(ended.out.is_empty(), "the program did not run: {}", ended.out);
    }
}

#[test]
fn threads_that_are_stopped_while_they_wait_harm_nothing() {
    // Each compiler of HotSpot expects no exception within `monitorenter`.
    for compiler in ["-XX:TieredStopAtLevel=1", "-XX:TieredStopAtLevel=4"] {
        let case = case();
        let ended = metrics(&case, &["--sampled"], &[compiler, "StoppedWaiting"]).ends_by_itself();
        ended.assert_status(0);
        assert_eq!(ended.out, "ended true\n");
        let events = table(&case.path("out/sampled/events.csv"));
        assert!(
            events.iter().any(|row| row["class"] == "StoppedWaiting" && row["lock"] == "1"),
            "{events:?}"
        );
    }
}
