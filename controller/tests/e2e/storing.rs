//! `spl store`, `spl query` and `spl pages`: what runs have written is in the store once, and comes out again.

use crate::case::Case;
use crate::drill;
use crate::harness;
use crate::running::Running;
use crate::stand_in::{Served, serve};
use serde_json::{Value, json};
use std::fs;

const TASKS: &str = "p/A.a()V <= (1, 2) p/B.b()V\nassert \"both quick\": p/A.a()V < 5 ms & p/B.b()V < 5 ms\n";

/// Status, standard output and standard error of a command.
fn spl(case: &Case, arguments: &[&str]) -> (i32, String, String) {
    let output = case.spl_with(arguments).env_remove("SPL_STORE").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The output of a command that succeeds.
#[track_caller]
pub fn done(case: &Case, arguments: &[&str]) -> String {
    let (status, out, said) = spl(case, arguments);
    assert_eq!(status, 0, "{said}");
    if out.is_empty() { said } else { out }
}

/// The rows of a query, as JSON.
#[track_caller]
fn rows(case: &Case, words: &[&str]) -> Value {
    let text = done(case, &[&["query", "--as", "json"], words].concat());
    let document: Value = serde_json::from_str(&text).unwrap();
    let schema = fs::read(harness::root().join("docs/schema/query-1.json")).unwrap();
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&document), keys(&schema["properties"]));
    assert_eq!(document["schema"], schema["properties"]["schema"]["const"]);
    document["rows"].clone()
}

#[track_caller]
fn refused(case: &Case, arguments: &[&str], parts: &[&str]) {
    let (status, out, said) = spl(case, arguments);
    assert_eq!((status, out.as_str()), (2, ""), "{said}");
    assert!(parts.iter().all(|part| said.contains(part)), "{said}");
}

fn measure(case: &Case, [a, b]: [u64; 2]) {
    let mut served = serve(case, &["--once"]);
    let mut agent = served.measures();
    let calls = |mean_ns: u64| {
        (0..40).map(|number| mean_ns * (90 + number * number * 7919 % 21) / 100).collect::<Vec<_>>()
    };
    agent.calls(0, &calls(a));
    agent.calls(1, &calls(b));
    agent.bye();
    let Served { run, .. } = served;
    let _ = run.ends();
}

#[test]
fn metrics_over_time_are_kept_and_shown() {
    let case = drill::case();
    let mut command = case.spl_with(&["metrics", "--quiet", "--every", "100ms", "--"]);
    command.args(crate::case::java(&["Phases", "900"]));
    Running::start(command, &case.path("")).ends_by_itself().assert_status(0);
    done(&case, &["store", "add", "out"]);
    let table = fs::read_to_string(case.path("out/drill/series.csv")).unwrap();
    assert_eq!(rows(&case, &["SELECT count(*) FROM series"]), json!([[table.lines().count() - 1]]));
    let mut table = csv::Reader::from_reader(table.as_bytes());
    let in_file = table.deserialize::<std::collections::BTreeMap<String, String>>().map(Result::unwrap);
    let in_file = in_file.filter(|row| row["space"] == "app" && row["name"] == "objects");
    let in_file: Vec<Value> = in_file
        .map(|row| {
            let number = |column: &str| row[column].parse::<i64>().unwrap();
            json!([number("interval"), number("from_ms"), number("to_ms"), number("least"), number("most")])
        })
        .collect();
    let sql = "SELECT step, from_ms, to_ms, least, most FROM series WHERE metric = 'base.objects.value' AND space = 'app' ORDER BY step";
    assert_eq!(rows(&case, &[sql]), json!(in_file));
    assert!(in_file.len() >= 6, "{in_file:?}");
    done(&case, &["pages", "--export", "site"]);
    let page = fs::read_to_string(case.path("site/run-1.html")).unwrap();
    assert!(page.contains("<h2>Over time</h2>") && page.contains("<path class=\"line\" d=\"M"), "{page}");
    // The second phase makes objects, the first none.
    assert!(page.contains("base.objects.value</a> · app"), "{page}");
}

/// A folder `out` with a measurement.
pub fn measured() -> Case {
    let case = Case::comparing(TASKS).set("controller", "min-method-measurements", "20").set(
        "controller",
        "max-method-measurements",
        "40",
    );
    measure(&case, [1000, 800]);
    case
}

#[test]
fn the_verdicts_of_a_measurement_are_kept() {
    let case = measured();
    let said = done(&case, &["store", "add", "out", "--tag", "nightly"]);
    assert!(said.contains("run 1: out, 2 results"), "{said}");
    let said = done(&case, &["store", "add", "out", "--tag", "nightly"]);
    assert!(said.contains("run 1: out was there already"), "{said}");
    let verdicts =
        rows(&case, &["SELECT kind, text, result, left_calls, ratio FROM verdict ORDER BY kind DESC"]);
    let comparison = &verdicts[0];
    assert_eq!(comparison[1], "p/A.a()V <= 2 * p/B.b()V");
    assert_eq!((&comparison[2], &comparison[3]), (&json!("holds"), &json!(40)));
    let ratio = comparison[4].as_f64().unwrap();
    assert!((0.5..0.8).contains(&ratio), "{ratio}");
    assert_eq!((&verdicts[1][0], &verdicts[1][2]), (&json!("assertion"), &json!("holds")));

    let listed = done(&case, &["store", "list", "--as", "csv"]);
    assert!(listed.starts_with("run,kind,began,command,jdk,tags,folder\n1,measurement,20"), "{listed}");
    assert!(listed.ends_with(",nightly,out\n"), "{listed}");
    done(&case, &["store", "tag", "1", "--add", "release", "--remove", "nightly"]);
    assert_eq!(rows(&case, &["SELECT tag, run FROM tag"]), json!([["release", 1]]));

    let said = done(&case, &["pages", "--export", "site"]);
    assert!(said.contains(" pages, ") && said.contains("site/index.html"), "{said}");
    let page = fs::read_to_string(case.path("site/run-1.html")).unwrap();
    assert!(page.contains("p/A.a()V &lt;= 2 * p/B.b()V") && page.contains("both quick"), "{page}");
    refused(&case, &["pages", "--export", "site"], &["site has pages already", "--replace"]);
    // The run has the tag release alone.
    for (tag, text) in [("release", "run-1.html"), ("other", "There is no run. ")] {
        done(&case, &["pages", "--export", tag, "--tag", tag]);
        let index = fs::read_to_string(case.path(tag).join("index.html")).unwrap();
        assert!(index.contains(text) && !index.contains("more in the store"), "{index}");
    }
    done(&case, &["store", "remove", "1"]);
    done(&case, &["pages", "--export", "site", "--replace"]);
    assert!(!case.path("site/run-1.html").exists() && case.path("site/index.html").exists());
    fs::write(case.path("site/notes.txt"), "mine").unwrap();
    refused(&case, &["pages", "--export", "site", "--replace"], &["not written, notes.txt"]);
    fs::remove_file(case.path("site/notes.txt")).unwrap();
    // A page of somebody else has a page's name.
    for mine in ["<h1>mine</h1>", "<meta name=\"generator\" content=\"spl 1\"><p>mine"] {
        fs::write(case.path("site/index.html"), mine).unwrap();
        refused(&case, &["pages", "--export", "site", "--replace"], &["not written, index.html"]);
        assert_eq!(fs::read_to_string(case.path("site/index.html")).unwrap(), mine);
    }
}

#[test]
fn an_export_that_is_cut_short_says_what_is_left() {
    let case = measured();
    done(&case, &["store", "add", "out"]);
    done(&case, &["pages", "--export", "whole"]);
    let size = |name: &str| fs::metadata(case.path("whole").join(name)).unwrap().len();
    // The system refuses longer files, in blocks of 512 bytes. The definitions of metrics are the longest page.
    let blocks = size("metrics.html") / 512 - 1;
    assert!(size("run-1.html").max(size("program-1.html")) < blocks * 512);
    let pages = case.spl_with(&["pages", "--export", "site"]);
    let mut limited = std::process::Command::new("sh");
    let limits = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    limited.args(["-c", &limits]).arg(pages.get_program()).args(pages.get_args()).env_remove("SPL_STORE");
    limited.current_dir(case.path(""));
    let output = limited.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("2 of 4 pages were written, without index.html; --replace"), "{said}");
    assert!(!case.path("site/index.html").exists());
    done(&case, &["pages", "--export", "site", "--replace"]);
    assert_eq!(fs::read_dir(case.path("site")).unwrap().count(), 4);
}

#[test]
fn bad_input_is_told_and_changes_nothing() {
    let case = measured();
    refused(&case, &["query", "SELECT 1"], &["there is no store spl-store.db", "spl store add"]);
    refused(&case, &["store", "add", "nowhere"], &["cannot read nowhere"]);
    fs::create_dir(case.path("empty")).unwrap();
    refused(&case, &["store", "add", "out", "empty"], &["empty has no run", "drill.json"]);
    refused(&case, &["store", "add", "out", "--tag", "a,b"], &["\"a,b\"", "comma"]);
    assert!(!case.path("spl-store.db").exists());
    done(&case, &["store", "add", "out"]);
    let before = fs::read(case.path("spl-store.db")).unwrap();
    refused(&case, &["query", "DELETE FROM run"], &["a query only reads"]);
    refused(&case, &["query", "SELECT * FROM runs"], &["no such table: runs", "latest, tag, value"]);
    refused(&case, &["query", "@nothing"], &["no saved query \"nothing\"", "difference"]);
    refused(&case, &["query", "@../x"], &["no saved query"]);
    refused(&case, &["query", "--from", "nope.sql"], &["cannot read the query nope.sql: No such file"]);
    let (_, _, said) = spl(&case, &["query", "--from", "nope.sql"]);
    assert!(!said.contains("drill"), "{said}");
    fs::write(case.path("long.sql"), "-- ".to_owned() + &"x".repeat(100_000)).unwrap();
    refused(&case, &["query", "--from", "long.sql"], &["query long.sql", "more than 100000 bytes"]);
    refused(&case, &["query", "@difference", "1", "99", "app"], &["no run 99", "spl store list"]);
    refused(&case, &["query", "@difference", "1", "1", "ap"], &["has no space \"ap\"; it has "]);
    refused(&case, &["query", "@methods", "99"], &["no run 99"]);
    refused(&case, &["query", "@methods", "app"], &["@methods: \"app\" is not the number of a run"]);
    assert_eq!(rows(&case, &["@methods", "1"]), json!([]));
    refused(&case, &["store", "add", "out", "--store", "nowhere/x.db"], &["there is no folder nowhere"]);
    refused(&case, &["store", "add", "out", "--store", "/dev/full"], &["a device or a pipe", "--store"]);
    // A drill whose `spl` was killed: metrics of it cannot be had.
    fs::create_dir(case.path("killed")).unwrap();
    fs::write(case.path("killed/drill.json"), "").unwrap();
    refused(&case, &["store", "add", "killed"], &["killed/drill.json: it is empty: the drill has not ended"]);
    let (_, _, said) = spl(&case, &["store", "add", "killed"]);
    assert!(!said.contains("spl analyse"), "{said}");
    refused(&case, &["query", "@metric"], &["has 2 parameters, and 0 values"]);
    refused(&case, &["store", "tag", "7", "--add", "x"], &["no run 7"]);
    refused(&case, &["store", "remove", "1", "7"], &["no run 7"]);
    refused(&case, &["pages", "--export", "site", "--compare", "1,7"], &["run 7 is not among the runs"]);
    refused(&case, &["store", "list", "--store", "spl.tasks"], &["spl.tasks is not a store"]);
    assert!(before == fs::read(case.path("spl-store.db")).unwrap());
    // A crash has cut a file.
    let context = fs::read_to_string(case.path("out/context.json")).unwrap();
    fs::write(case.path("out/context.json"), &context[..context.len() / 2]).unwrap();
    refused(&case, &["store", "add", "out"], &["out/context.json"]);
    assert!(before == fs::read(case.path("spl-store.db")).unwrap());
}

#[test]
fn the_metrics_of_a_drill_are_kept_and_replaced() {
    let case = drill::case();
    let mut command = case.spl_with(&["metrics", "--quiet", "--space", "g1=Metrics.G1#go", "--"]);
    command.args(crate::case::java(&["Metrics"]));
    Running::start(command, &case.path("")).ends_by_itself().assert_status(0);
    let said = done(&case, &["store", "add", "out"]);
    assert!(said.contains("run 1: out/drill, "), "{said}");
    let document: Value =
        serde_json::from_slice(&fs::read(case.path("out/drill/metrics.json")).unwrap()).unwrap();
    let of_space = |space: &Value| space["values"].as_array().unwrap().len();
    let values: usize = document["spaces"].as_array().unwrap().iter().map(of_space).sum();
    assert_eq!(rows(&case, &["SELECT count(*) FROM value"]), json!([[values]]));
    let instructions = &["@metric", "base.instructions.value", "g1"];
    assert_eq!(rows(&case, instructions)[0][5], json!(75));
    // The drill's own table has the method with most bytecodes first.
    let methods = rows(&case, &["@methods", "1"]);
    let most: Vec<u64> = methods.as_array().unwrap().iter().map(|row| row[4].as_u64().unwrap()).collect();
    assert!(most.len() > 10 && most.is_sorted_by(|one, other| one >= other), "{most:?}");

    let folder = case.path("out/drill/metrics.json");
    let folder = folder.to_str().unwrap();
    done(&case, &["analyse", "out", "--space", "g2=Metrics.G2#go", "--as", "json", "-o", folder]);
    let said = done(&case, &["store", "add", "out/drill"]);
    assert!(said.contains("run 1: out/drill again, with new values"), "{said}");
    assert_eq!(rows(&case, &["SELECT count(*) FROM value WHERE space = 'g1'"]), json!([[0]]));
    assert_eq!(rows(&case, &["SELECT count(*) > 0 FROM value WHERE space = 'g2'"]), json!([[1]]));

    done(&case, &["pages", "--export", "site"]);
    let page = fs::read_to_string(case.path("site/run-1.html")).unwrap();
    assert!(page.contains("base.instructions.value") && page.contains("Metrics$G1"), "{page}");
    // Claims alone, of which one fails.
    let claims = "assert \"few\": metric(base.instructions, Metrics.G1#go) = 75\nmetric(base.instructions, Metrics.G1#go) <= 7\n";
    fs::write(case.path("m.tasks"), claims).unwrap();
    let claims = ["analyse", "out", "--disable", "*", "--tasks", "m.tasks", "--as", "json", "-o", folder];
    let (status, _, said) = spl(&case, &claims);
    assert_eq!(status, 1, "{said}");
    let said = done(&case, &["store", "add", "out"]);
    assert!(said.contains("2 results") && !said.contains("value,"), "{said}");
    let verdicts = rows(&case, &["SELECT kind, claim, result, basis FROM verdict ORDER BY place"]);
    assert_eq!(verdicts, json!([["metric", 1, "holds", "proved"], ["metric", 2, "fails", "refuted"]]));
    let failed = rows(&case, &["@failed"]);
    assert_eq!(
        (failed.as_array().unwrap().len(), &failed[0][3]),
        (1, &json!("metric(base.instructions, Metrics.G1#go) <= 7"))
    );
    done(&case, &["pages", "--export", "site", "--replace"]);
    let page = fs::read_to_string(case.path("site/run-1.html")).unwrap();
    assert!(
        page.contains("metric(base.instructions, Metrics.G1#go) &lt;= 7") && page.contains("refuted"),
        "{page}"
    );
    let index = fs::read_to_string(case.path("site/index.html")).unwrap();
    assert!(index.contains(">2 results, "), "{index}");

    fs::remove_file(case.path("out/drill/metrics.json")).unwrap();
    refused(&case, &["store", "add", "out"], &["has no metrics.json", "spl analyse out/drill --as json"]);
}
