//! The examples of the page that describes the files are such files.

use super::{file, read_whole};
use crate::{Form, Measurement, ResultRecord, RunState, measurement_files};

const PAGE: &str = include_str!("../../../docs/files.md");

/// The indented example that begins with `first`, without the indentation.
fn example(first: &str) -> String {
    let begins = |line: &&str| line.strip_prefix("    ").is_some_and(|line| line.starts_with(first));
    let lines = PAGE.lines().skip_while(|line| !begins(line));
    let lines = lines.take_while(|line| line.is_empty() || line.starts_with("    "));
    let lines: Vec<&str> = lines.map(|line| line.get(4..).unwrap_or_default()).collect();
    assert!(!lines.is_empty(), "no example begins with {first:?}");
    lines.join("\n").trim_end().to_owned() + "\n"
}

#[test]
fn measurements_are_written_as_described() {
    for (form, first) in [(Form::Comma, "123456789012345,"), (Form::Human, "# spl measurements 1")] {
        let example = example(first);
        assert_eq!(file(form, &read_whole::<Measurement>(example.as_bytes())), example);
    }
}

#[test]
fn results_are_written_as_described() {
    let example = example("# spl results 1");
    assert_eq!(file(Form::Human, &read_whole::<ResultRecord>(example.as_bytes())), example);
    let comma = file(Form::Comma, &read_whole::<ResultRecord>(example.as_bytes()));
    let fields = comma.lines().next().map(|line| line.replace("[0, 100)", "").split(',').count());
    let described =
        PAGE.lines().rfind(|line| line.starts_with("| 3")).and_then(|line| line.split(' ').nth(1));
    assert_eq!(fields, described.and_then(|last| last.parse().ok()), "the table of fields ends elsewhere");
}

#[test]
fn the_state_of_a_run_is_as_described() {
    let state = RunState::from_json(&example("{")).unwrap();
    assert_eq!(
        (state.methods.len(), state.decided, state.finished),
        (1, vec![spl_model::ClaimIx(0), spl_model::ClaimIx(2)], false)
    );
}

#[test]
fn files_are_named_as_described() {
    let methods =
        ["java/lang/Integer.compareTo(Ljava/lang/Integer;)I", "org/jdom/Element.<init>(Ljava/lang/String;)V"];
    let methods = methods.map(|method| method.parse().unwrap());
    assert_eq!(measurement_files(&methods).join("\n") + "\n", example("java.lang.Integer"));
}
