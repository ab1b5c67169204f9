//! Recorded calls of which the right verdict is known, judged by default: what earlier rules got wrong stays right.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

/// Exit status and output of `spl eval` in a folder of `tests/verdicts`, with a configuration, or with none.
fn judged(case: &str, tasks: &str, more: &[&str]) -> (Option<i32>, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts").join(case);
    let output = Command::new(env!("CARGO_BIN_EXE_spl"))
        .args(["eval", "--tasks", tasks, "--measurements", "ms"])
        .args(more)
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap() + &String::from_utf8(output.stdout).unwrap();
    (output.status.code(), said)
}

fn check(case: &str, tasks: &str, status: i32, expected: &str) {
    for more in [&["--config", "c.ini"][..], &["--config", "/dev/null"]] {
        let (code, said) = judged(case, tasks, more);
        assert_eq!(code, Some(status), "{case}/{tasks} {more:?}: {said}");
        assert!(said.contains(expected), "{case}/{tasks} {more:?}: {expected:?} is missing in {said}");
    }
}

#[test]
fn rare_long_calls_leave_a_mean_undecided() {
    check("tail", "t.tasks", 3, "undecided after 50 windows");
    // Without that rule the same calls still do not prove the left side shorter: two of them make its mean twice as long.
    let folder = tempfile::tempdir().unwrap();
    let ini = folder.path().join("c.ini");
    std::fs::write(&ini, "[evaluator]\nrare-calls = none\n").unwrap();
    let (code, said) = judged("tail", "t.tasks", &["--config", ini.to_str().unwrap()]);
    assert_eq!(code, Some(3), "{said}");
}

#[test]
fn an_assertion_says_beside_a_comparison_what_it_says_alone() {
    check("mixed", "alone.tasks", 3, "115 µs against 130 µs");
    check("mixed", "t.tasks", 3, "115 µs against 130 µs");
}

#[test]
fn equal_methods_whose_times_depend_on_each_other_are_undecided() {
    check("self-check", "t.tasks", 3, "the times depend on each other");
    // With Welch's test the self-check reports that the test does not suit such times.
    let (code, said) =
        judged("self-check", "t.tasks", &["--config", "c.ini", "--method", "welch", "--self-check"]);
    assert_eq!(code, Some(1), "{said}");
    let differs = |line: &&str| {
        let mut numbers = line.split("differs in ").nth(1)?.split(" of ");
        let different: f64 = numbers.next()?.parse().ok()?;
        Some(different > 0.3 * numbers.next()?.split(' ').next()?.parse::<f64>().ok()?)
    };
    let checks: Vec<bool> = said.lines().filter_map(|line| differs(&line)).collect();
    assert_eq!(checks, [true, true], "{said}");
}

#[test]
fn constants_whose_products_round_are_not_told_apart() {
    check("constants", "t.tasks", 3, "undecided");
}

#[test]
fn two_calls_a_side_prove_nothing() {
    check("two-ticks", "t.tasks", 3, "50 windows");
}

#[test]
fn a_claim_has_one_verdict_for_all_sizes() {
    check("leftover-buckets", "t.tasks", 3, "undecided");
    check("leftover-buckets", "formula.tasks", 3, "undecided");
}

#[test]
fn a_percentile_of_too_few_calls_is_undecided_with_their_number() {
    check("p99-of-50", "t.tasks", 3, "a p99 needs ");
}
