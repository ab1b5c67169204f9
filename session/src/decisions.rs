//! The scheduler's decisions as they are made (`decisions.jsonl`): one JSON object a line, from which a run
//! can be explained and drawn (thesis figures 4.5 and 4.7).

use serde::Serialize;
use spl_scheduler::{Action, Decision, MethodIx, Scheduler};

const SCHEMA: &str = "spl.decision/1";

/// The line of a decision, with its end.
pub fn line(scheduler: &Scheduler, decision: &Decision) -> String {
    let (action, methods, every, quota) = describe(&decision.action);
    let situation = &decision.situation;
    let json = Json {
        schema: SCHEMA,
        at_ns: situation.now_ns,
        action,
        methods: methods.into_iter().map(|method| scheduler.name(method)).collect(),
        every,
        quota,
        reason: decision.cause.to_string(),
        difference_ns: situation.difference_ns,
        optimal: situation.optimal,
        measured: situation.measured,
        unfinished: situation.unfinished,
    };
    // Numbers, strings and lists of them are always JSON.
    spl_model::plain_json(&serde_json::to_string(&json).unwrap_or_default()) + "\n"
}

/// The action's name, its methods, the sampling that it sets, and its number of samples.
fn describe(action: &Action) -> (&'static str, Vec<MethodIx>, Option<u32>, Option<u64>) {
    let plain = |name, methods| (name, methods, None, None);
    match action {
        Action::Measure(method) => plain("measure", vec![*method]),
        Action::Suspend(method) => plain("suspend", vec![*method]),
        Action::Rest(method) => plain("rest", vec![*method]),
        Action::Listen(method) => plain("listen", vec![*method]),
        Action::SampleEvery { method, every } => ("sample-every", vec![*method], Some(*every), None),
        Action::ClosedGateCosts { method, .. } => plain("closed-gate-costs", vec![*method]),
        Action::Open { method, every, quota } => ("open-gate", vec![*method], Some(*every), *quota),
        Action::Close(method) => plain("close-gate", vec![*method]),
        Action::Finished(method) => plain("finish", vec![*method]),
        Action::Retransform { instrument, restore } if restore.is_empty() => {
            plain("instrument", instrument.clone())
        }
        Action::Retransform { instrument, restore } if instrument.is_empty() => {
            plain("restore", restore.clone())
        }
        Action::Retransform { instrument, restore } => {
            plain("instrument-and-restore", [instrument.as_slice(), restore].concat())
        }
        Action::Evaluated(_) => plain("evaluate", Vec::new()),
        Action::Asserted(_) => plain("judge", Vec::new()),
        Action::Window(_) | Action::Turns(_) => plain("close-window", Vec::new()),
        Action::Done => plain("end", Vec::new()),
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
    #[serde(skip_serializing_if = "Option::is_none")]
    quota: Option<u64>,
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
