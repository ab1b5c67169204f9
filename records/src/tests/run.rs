//! The state of a run: reading back, and errors with their reasons.

use super::values::method;
use crate::{MethodProgress, RunState, TasksHash};
use proptest::collection::vec;
use proptest::prelude::*;

fn state() -> impl Strategy<Value = RunState> {
    let method = (method(), any::<u64>(), any::<bool>())
        .prop_map(|(method, measurements, finished)| MethodProgress { method, measurements, finished });
    (
        any::<String>(),
        vec(method, 0..4),
        vec(any::<usize>().prop_map(spl_model::ClaimIx), 0..4),
        any::<bool>(),
    )
        .prop_map(|(tasks, methods, decided, finished)| RunState {
            tasks: TasksHash::of(&tasks),
            methods,
            decided,
            finished,
        })
}

proptest! {
    #[test]
    fn every_state_is_read_back(state in state(), cut: proptest::sample::Index) {
        let text = state.to_json();
        prop_assert_eq!(RunState::from_json(&text).unwrap(), state);
        let mut cut = cut.index(text.trim_end().len());
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        prop_assert!(RunState::from_json(&text[..cut]).is_err());
    }
}

#[test]
fn the_file_has_this_layout() {
    let method = MethodProgress { method: "p/C.f(I)V".parse().unwrap(), measurements: 120, finished: true };
    let state = RunState {
        tasks: TasksHash::of("foobar"),
        methods: vec![method],
        decided: vec![spl_model::ClaimIx(0), spl_model::ClaimIx(2)],
        finished: false,
    };
    let expected = r#"{
  "schema": "spl.run/1",
  "tasks": "343e1662793c64bf6f0d3597ba446f18",
  "methods": [
    {
      "method": "p/C.f(I)V",
      "measurements": 120,
      "finished": true
    }
  ],
  "decided": [
    0,
    2
  ],
  "finished": false
}
"#;
    assert_eq!(state.to_json(), expected);
    assert_ne!(state.tasks, TasksHash::of("foobar\n"));
}

#[test]
fn what_is_no_state_is_told() {
    let check = |text: &str, expected: &str| {
        assert_eq!(RunState::from_json(text).unwrap_err().to_string(), expected);
    };
    check("", "not the state of a run: EOF while parsing a value at line 1 column 0");
    check("{}", "not the state of a run: missing field `schema` at line 1 column 2");
    check(
        r#"{"schema": "spl.run/2", "anything": 1}"#,
        "the run's state has the schema \"spl.run/2\", this spl knows \"spl.run/1\": \
         continue the run with the spl that began it, or remove the file to start over",
    );
    let body = |tasks: &str, method: &str| {
        let method = format!(r#"{{"method": "{method}", "measurements": 0, "finished": false}}"#);
        format!(
            r#"{{"schema": "spl.run/1", "tasks": "{tasks}", "methods": [{method}], "decided": [], "finished": false}}"#
        )
    };
    let tasks = "0".repeat(32);
    assert!(RunState::from_json(&body(&tasks, "C.f()V")).is_ok());
    let no_tasks = "the run's state has \"+0\" where the hash of the tasks should be";
    check(&body("+0", "C.f()V"), no_tasks);
    check(
        &body(&tasks, "C.f"),
        "the run's state names the method \"C.f\": \
         no descriptor: write the parameter and return types, as in name(I)V",
    );
}
