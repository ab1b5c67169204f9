//! The scheduler's decisions as they are made (`decisions.jsonl`): one JSON object a line, from which a run can be explained
//! and drawn (thesis figures 4.5 and 4.7).

use serde::Serialize;
use spl_scheduler::{Action, Decision, MethodIx, Scheduler};

const SCHEMA: &str = "spl.decision/1";

/// The line of a decision, with its end.
pub fn line(scheduler: &Scheduler, decision: &Decision) -> String {
    let (action, methods, every) = describe(&decision.action);
    let situation = &decision.situation;
    let json = Json {
        schema: SCHEMA,
        at_ns: situation.now_ns,
        action,
        methods: methods.into_iter().map(|method| scheduler.name(method)).collect(),
        every,
        reason: decision.cause.to_string(),
        difference_ns: situation.difference_ns,
        optimal: situation.optimal,
        measured: situation.measured,
        unfinished: situation.unfinished,
    };
    // Numbers, strings and lists of them are always JSON.
    serde_json::to_string(&json).unwrap_or_default() + "\n"
}

/// The action's name, the methods that it is about, and the sampling that it asks for.
fn describe(action: &Action) -> (&'static str, Vec<MethodIx>, Option<u32>) {
    match action {
        Action::Measure(method) => ("measure", vec![*method], None),
        Action::Suspend(method) => ("suspend", vec![*method], None),
        Action::Rest(method) => ("rest", vec![*method], None),
        Action::SampleEvery { method, every } => ("sample-every", vec![*method], Some(*every)),
        Action::Finished(method) => ("finish", vec![*method], None),
        Action::Retransform { instrument, restore } if restore.is_empty() => {
            ("instrument", instrument.clone(), None)
        }
        Action::Retransform { instrument, restore } if instrument.is_empty() => {
            ("restore", restore.clone(), None)
        }
        Action::Retransform { instrument, restore } => {
            ("instrument-and-restore", [instrument.as_slice(), restore].concat(), None)
        }
        Action::Evaluated(_) => ("evaluate", Vec::new(), None),
        Action::Asserted(_) => ("judge", Vec::new(), None),
        Action::Window(_) => ("close-window", Vec::new(), None),
        Action::Done => ("end", Vec::new(), None),
        // The enum is open for later kinds.
        _ => ("other", Vec::new(), None),
    }
}

/// The line's layout.
#[derive(Serialize)]
struct Json {
    schema: &'static str,
    /// Nanoseconds since the controller began.
    at_ns: u64,
    action: &'static str,
    methods: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    every: Option<u32>,
    reason: String,
    difference_ns: Option<u64>,
    optimal: usize,
    measured: usize,
    unfinished: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use spl_lang::{RunMode, Tasks, parse_tasks};
    use spl_scheduler::{Event, Settings};

    #[test]
    fn a_decision_says_what_and_why() {
        let tasks: Tasks = parse_tasks("a/B.f()V\n", RunMode::Measurement).unwrap();
        let settings = Settings { mode: RunMode::Measurement, ..Settings::thesis() };
        let mut scheduler = Scheduler::new(settings, &tasks).unwrap();
        let decisions = scheduler.handle(Event::Start, 7);
        let lines = decisions.iter().map(|one| line(&scheduler, one)).collect::<Vec<_>>();
        assert_eq!(
            lines[0],
            "{\"schema\":\"spl.decision/1\",\"at_ns\":7,\"action\":\"measure\",\"methods\":[\"a/B.f()V\"],\
             \"reason\":\"fewer methods are measured than is optimal\",\"difference_ns\":null,\"optimal\":1,\
             \"measured\":1,\"unfinished\":1}\n"
        );
        assert!(lines[1].contains("\"action\":\"instrument\""), "{}", lines[1]);
    }
}
