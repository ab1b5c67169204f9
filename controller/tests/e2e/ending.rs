//! The end of a run with many claims: what an operator reads then, and what `-v` adds.

use crate::case::Case;
use crate::harness::{self, javac};
use crate::running::{Ended, Running};
use std::fs;

const METHODS: [&str; 5] = [
    "measuring.Main#describe(java.util.List, java.util.Map)",
    "measuring.Depot#receive",
    "measuring.Depot#weights",
    "measuring.Parcel#postage",
    "measuring.Depot$Shelf#addWeights",
];
const NEVER: &str = "measuring.Main#main";
const CLAIMS: usize = 31;

/// Claims of known results: 15 that hold, 10 that fail, 6 of a method that is not called while it is measured.
fn tasks() -> String {
    let mut lines = vec!["# A day in the depot.".to_owned()];
    for method in METHODS {
        for percent in ["median", "p90", "p75"] {
            lines.push(format!("{percent}({method}) <= 10 s # ample"));
        }
        lines.push(format!("assert \"no time at all for {method}\": median({method}) <= 1 ns"));
        lines.push(format!("median({method}) > 10 s"));
    }
    lines.extend((1..=5).map(|seconds| format!("{NEVER} <= {seconds} s")));
    lines.push(format!("{} <= 2 * {NEVER}", METHODS[3]));
    lines.join("\n") + "\n"
}

fn run(options: &[&str]) -> (Case, Ended) {
    let case = Case::comparing(&tasks());
    let sources = harness::root().join("examples/measuring/src/measuring");
    let files: Vec<_> = fs::read_dir(&sources).unwrap().map(|file| file.unwrap().path()).collect();
    fs::create_dir(case.path("classes")).unwrap();
    javac(files, ["-sourcepath".as_ref(), sources.parent().unwrap()], &case.path("classes"));
    let mut spl = case.spl_with(&["run", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out"]);
    spl.args(options).arg("--").arg(harness::java());
    spl.arg("-cp").arg(case.path("classes")).args(["measuring.Main", "0"]).env("COLUMNS", "80");
    let mut run = Running::start(spl, &case.path(""));
    run.awaits_agent();
    for method in ["measuring/Depot.weights()Ljava/util/List;", "measuring/Parcel.postage(ZCF[I)D"] {
        case.awaits_measurements(method, 200);
    }
    run.awaits("5 of 6 methods finished");
    run.line();
    (case, run.ends())
}

#[test]
fn thirty_one_claims_end_in_a_page() {
    let (case, ended) = run(&[]);
    ended.assert_status(1);
    let lines: Vec<String> = ended.spl().lines().map(str::to_owned).collect();
    let counts = format!("spl: {CLAIMS} claims: 15 hold, 10 fail, 6 undecided");
    let at = lines.iter().position(|line| *line == counts).unwrap_or_else(|| panic!("{}", ended.err));
    let end = &lines[at..];
    assert!(end.len() <= 45, "{} lines: {end:#?}", end.len());
    let too_long: Vec<&String> = end.iter().filter(|line| line.chars().count() > 80).collect();
    assert!(too_long.is_empty(), "{too_long:#?}");
    let of = |word: &str| {
        let word = format!("spl: {word} ");
        end.iter().enumerate().filter(move |(_, line)| line.starts_with(&word)).map(|(at, _)| at)
    };
    let [fails, open, holds] = ["FAILS", "undecided", "holds"].map(|word| of(word).collect::<Vec<_>>());
    assert_eq!((fails.len(), open.len(), holds.len()), (10, 6, 15), "{end:#?}");
    assert!(fails.last() < open.first() && open.last() < holds.first(), "{end:#?}");
    ended.assert_said(&["- never called: ", "Main#main", "spl: report: out/report.html"]);
    assert!(end.iter().filter(|line| line.starts_with("spl: - ")).count() <= 5, "{end:#?}");
    // As the task file has it, but for packages.
    ended.assert_said(&["> 10 s", "Parcel#postage <= 2 * Main#main", "no time at all for "]);
    assert!(!end.iter().any(|line| line.contains(";)") || line.contains("ample")), "{end:#?}");
    assert!(fs::read_to_string(case.path("out/assertions.jsonl")).unwrap().lines().count() >= 30);
    // The basis of the verdicts is shown with -v only.
    assert!(!end.iter().any(|line| line.contains("for it, ")), "{end:#?}");
    assert!(!ended.err.contains("standard deviation"), "{}", ended.err);
}

#[test]
fn details_come_with_v() {
    let (_case, ended) = run(&["-v"]);
    ended.assert_status(1);
    ended.assert_said(&[" for it, ", "31 claims: 15 hold, 10 fail, 6 undecided", "verdict: "]);
}
