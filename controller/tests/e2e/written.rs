//! The files of a recorded agent's messages are the same bytes as before, in both forms.

use crate::case::Case;
use crate::stand_in::{Served, serve};
use spl_model::SampleFlags;
use spl_wire::WireSize;
use std::fs;
use std::path::{Path, PathBuf};

const TASKS: &str = "\
p/A.a()V <= (1, 2) p/B.b()V
p/B.b()V = p/A.a()V
p/A.a()V < p/C.c([I)V
assert \"both quick\": p/A.a()V < 5 ms & p/B.b()V < 5 ms
";

/// As many calls, without order.
fn calls(mean_ns: u64, count: u64) -> Vec<u64> {
    (0..count).map(|number| mean_ns * (90 + number * number * 7919 % 21) / 100).collect()
}

/// Files of the run, by their names: the ones that depend on the messages alone.
fn written(human: &str) -> Vec<(String, String)> {
    let case = Case::comparing(TASKS)
        .set("controller", "min-method-measurements", "20")
        .set("controller", "max-method-measurements", "60")
        .set("scheduler", "argument-size", "sizeof")
        .set("controller", "human-readable-measurements", human)
        .set("evaluator", "human-readable-results", human);
    let mut served = serve(&case, &["--once"]);
    let mut agent = served.measures();
    agent.sized_calls(0, &calls(1000, 30), WireSize::Value(24));
    agent.sized_calls(1, &calls(800, 40), WireSize::Value(24));
    agent.sized_calls(0, &calls(1500, 25), WireSize::Value(124));
    agent.sized_calls(1, &calls(1300, 20), WireSize::Value(124));
    agent.flagged_calls(0, &calls(2000, 5), SampleFlags(1 | 4));
    agent.calls(2, &calls(3000, 7));
    agent.bye();
    let Served { run, .. } = served;
    let ended = run.ends();
    assert!(matches!(ended.status, Some(1 | 3)), "{}", ended.err);
    let measurements = fs::read_dir(case.path("out/measurements")).unwrap();
    let mut paths: Vec<PathBuf> = measurements.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "msr"));
    paths.extend(["out/result.eval", "out/assertions.jsonl", "out/run.json"].map(|name| case.path(name)));
    paths.sort();
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    paths.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn what_is_said_is_written_as_it_was() {
    for (form, human) in [("human", "1"), ("comma", "0")] {
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../evaluation/accept/data/cuts/written").join(form);
        let written = written(human);
        assert_eq!(written.len(), 6, "three methods, results, assertions, the state of the run");
        for (name, text) in written {
            let path = folder.join(name);
            let expected = fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(text, expected, "{} is written in another way", path.display());
        }
    }
}
