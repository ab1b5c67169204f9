//! Verdicts, samples and the files that hold them.

use crate::case::{Case, read_measurements};
use spl_model::{SampleFlags, Size};
use spl_records::{Form, Measurement, Reader, ResultRecord};
use spl_verdict::Basis;
use std::collections::BTreeSet;
use std::fs;

const FAST: &str = "CompareLoop.fast([I)J";
const SLOW: &str = "CompareLoop.slow([I)J";
const COMPARE: &str = "java/lang/Integer.compareTo(Ljava/lang/Integer;)I";
/// Calls of a tenth of a millisecond and more, and many of them: neither a busy machine nor the first calls, which are
/// interpreted, hide that one takes thirty times as long as the other.
const PROGRAM: [&str; 3] = ["CompareLoop", "0", "60000"];
const MIN: u64 = 300;

fn case(tasks: &str) -> Case {
    Case::comparing(tasks).set("controller", "min-method-measurements", &MIN.to_string()).set(
        "controller",
        "max-method-measurements",
        "600",
    )
}

/// Runs until every comparison is decided and the program is as it was.
fn decide(case: &Case) -> crate::running::Ended {
    let mut run = case.java(&PROGRAM);
    run.awaits_agent();
    run.awaits("every class is as it was");
    run.ends()
}

#[test]
fn assumptions_that_hold_give_status_0_and_samples_that_say_why() {
    let tasks = format!("{FAST} < {SLOW}\n{COMPARE} <= {FAST}\n{SLOW} >= (2, 1) {FAST}\n");
    let case = case(&tasks);
    let ended = decide(&case);
    ended.assert_status(0);
    ended.assert_said(&[
        "spl: the measurement starts",
        &format!("spl: verdict: {FAST} < "),
        "holds (proved), p ",
        "spl: the program ended with status 0",
    ]);
    assert!(ended.out.starts_with("ready\n") && ended.out.ends_with("ended\n"), "{}", ended.out);

    let results = case.results();
    assert_eq!(results.len(), 3);
    let mut numbers = results.iter().map(|result| result.evaluation.comparison).collect::<Vec<_>>();
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 1, 2]);
    for result in &results {
        let verdict = result.evaluation.verdict.as_ref().unwrap();
        assert_eq!((verdict.holds, verdict.basis), (true, Basis::Proved), "{result:?}");
        assert!(verdict.p_value < 0.05 || verdict.p_value > 0.95, "{result:?}");
        assert!(result.evaluation.n_smaller() >= MIN && !result.evaluation.leftover, "{result:?}");
        assert_eq!(result.evaluation.drops, 0);
    }
    let first = results.iter().find(|result| result.evaluation.comparison == 0).unwrap();
    assert_eq!((first.left.to_string().as_str(), first.sign.as_str()), (FAST, "<"));
    assert_eq!((first.left_factor, first.right_factor, first.right.to_string().as_str()), (1.0, 1.0, SLOW));
    let third = results.iter().find(|result| result.evaluation.comparison == 2).unwrap();
    assert_eq!((third.left_factor, third.right_factor), (2.0, 1.0));

    for method in [FAST, SLOW, COMPARE] {
        check_samples(&case.measurements(method), method);
    }
}

/// The form of every sample of the program: one thread, no recursion, no exception.
fn check_samples(samples: &[Measurement], method: &str) {
    assert!(samples.len() as u64 >= MIN, "{method}: {}", samples.len());
    // The main thread's number is 1 or, on newer JVMs, 3.
    let main = samples[0].sample.thread;
    assert!((1..=3).contains(&main), "{method}: thread {main}");
    for measurement in samples {
        let sample = &measurement.sample;
        assert_eq!(measurement.method.to_string(), method);
        assert_eq!(
            (sample.depth, sample.thread, &sample.size),
            (Some(0), main, &Size::Unchecked),
            "{method}"
        );
        assert!(!sample.flags.contains(SampleFlags::THREW), "{method}");
        assert!(!sample.flags.contains(SampleFlags::SIZE_TRUNCATED), "{method}");
    }
    // One thread calls one method after the other.
    let ordered = samples.windows(2).all(|two| two[0].sample.end_ns() <= two[1].sample.start_ns());
    assert!(ordered, "{method}: calls overlap or are out of order");
}

#[test]
fn a_refuted_assumption_gives_status_1() {
    let case = case(&format!("{FAST} < {SLOW}\n{SLOW} <= {FAST}\n"));
    let ended = decide(&case);
    ended.assert_status(1);
    ended.assert_said(&["holds (proved)", "FAILS (refuted)"]);
    let refuted = case.results().into_iter().find(|result| result.evaluation.comparison == 1).unwrap();
    let verdict = refuted.evaluation.verdict.unwrap();
    assert_eq!((verdict.holds, verdict.basis), (false, Basis::Refuted));
    let ratio = verdict.ratio.unwrap();
    assert!(ratio.low > 1.0 && ratio.low <= ratio.value && ratio.value <= ratio.high, "{ratio:?}");
}

#[test]
fn measurement_mode_takes_samples_and_judges_nothing() {
    let case = Case::measuring(&[FAST, COMPARE]).set("controller", "max-method-measurements", "50");
    let ended = decide(&case);
    ended.assert_status(0);
    assert!(!ended.err.contains("verdict"), "{}", ended.err);
    assert!(case.results().is_empty());
    for method in [FAST, COMPARE] {
        assert!(case.measurements(method).len() >= 50, "{method}");
    }
    assert!(case.measurements(SLOW).is_empty());
}

#[test]
fn both_forms_of_both_files_hold_the_same_values() {
    for (value, form) in [("0", Form::Comma), ("1", Form::Human)] {
        let case = case(&format!("{COMPARE} < {SLOW}\n"))
            .set("controller", "human-readable-measurements", value)
            .set("evaluator", "human-readable-results", value);
        decide(&case).assert_status(0);
        let results = fs::read(case.path("out/result.eval")).unwrap();
        assert_eq!(Reader::<ResultRecord>::new(&results).unwrap().form(), form);
        let samples = fs::read(case.path("out/measurements/CompareLoop.slow([I)J.msr")).unwrap();
        assert_eq!(Reader::<Measurement>::new(&samples).unwrap().form(), form);

        // The samples give the verdict: its means are theirs.
        let evaluation = case.results().remove(0).evaluation;
        let verdict = evaluation.verdict.unwrap();
        for (method, side) in [(COMPARE, &verdict.left), (SLOW, &verdict.right)] {
            let used = case.measurements(method).into_iter().take(side.n as usize);
            let mean = used.map(|m| m.sample.duration_ns() as f64).sum::<f64>() / side.n as f64;
            assert!((mean - side.mean_ns).abs() <= 1e-6 * mean, "{method}: {mean} and {}", side.mean_ns);
        }
    }
}

#[test]
fn older_files_are_replaced_or_kept_as_the_keys_say() {
    for (value, runs) in [("1", 1), ("0", 2)] {
        let case = case(&format!("{COMPARE} < {SLOW}\n"))
            .set("controller", "overwrite-measurements", value)
            .set("evaluator", "overwrite-results", value);
        decide(&case).assert_status(0);
        decide(&case).assert_status(0);
        assert_eq!(case.results().len(), runs, "overwrite-results = {value}");
        let origins = case.measurements(SLOW).into_iter().map(|m| m.origin).collect::<BTreeSet<_>>();
        assert_eq!(origins.len(), runs, "overwrite-measurements = {value}");
    }
}

#[test]
fn without_out_the_configuration_says_where_the_files_go() {
    let case = case(&format!("{COMPARE} < {SLOW}\n"))
        .set("controller", "tasks-file", "spl.tasks")
        .set("controller", "output-dir", "samples/here")
        .set("evaluator", "result-file-path", "results/named.txt");
    let mut spl = case.spl_with(&["run", "--config", "spl.ini", "--"]);
    spl.args(crate::case::java(&PROGRAM));
    let mut run = crate::running::Running::start(spl, &case.path(""));
    run.awaits_agent();
    run.awaits("every class is as it was");
    run.ends().assert_status(0);
    assert!(read_measurements(&case.path("samples/here"), SLOW).len() as u64 >= MIN);
    assert_eq!(crate::case::read_results(&case.path("results/named.txt")).len(), 1);
    assert!(!case.path("out").exists());
}
