//! The claims that are simulated are claims of the language, and what `spl eval` says of them is understood.

use serde_json::json;
use spl_lang::{RunMode, parse_file};
use spl_validity::catalogue::PROCESSES;
use spl_validity::claims::{Claim, Scenario, tasks};
use spl_validity::judged::{Decision, decisions};
use std::collections::BTreeSet;

fn claims(scenario: Scenario, name: &str) -> Vec<Claim> {
    let process = PROCESSES.iter().find(|process| process.name == name).expect("there is one");
    scenario.claims(process, 0.05)
}

#[test]
fn the_claims_of_every_process_are_a_task_file() {
    for process in PROCESSES {
        for scenario in [Scenario::Limit, Scenario::Clear] {
            let claims = scenario.claims(&process, 0.05);
            let parsed = parse_file(&tasks(&claims), RunMode::Comparison).expect("the claims can be read");
            // Results name a claim as the language writes it.
            let written: Vec<String> = parsed.statements.iter().map(ToString::to_string).collect();
            assert_eq!(written, claims.iter().map(|claim| claim.text.clone()).collect::<Vec<_>>());
            let keys: BTreeSet<&str> = claims.iter().map(|claim| claim.key.as_str()).collect();
            assert_eq!(keys.len(), claims.len(), "{}: results are told apart by their keys", process.name);
        }
    }
}

#[test]
fn a_claim_and_its_contrary_are_never_both_true() {
    for scenario in [Scenario::Limit, Scenario::Clear] {
        for process in PROCESSES {
            let claims = scenario.claims(&process, 0.05);
            let truth = |name: &str| claims.iter().find(|claim| claim.name == name).map(|claim| claim.truth);
            assert_ne!(truth("f < g"), truth("assert ! (f < g)"), "{}", process.name);
            assert_eq!(truth("f < g"), truth("assert f < g"), "{}", process.name);
        }
    }
}

#[test]
fn unequal_tails_have_equal_means_and_other_quantiles() {
    let claims = claims(Scenario::Limit, "equal means, left 1% 15 times as long");
    let truth = |name: &str| claims.iter().find(|claim| claim.name == name).map(|claim| claim.truth);
    assert_eq!(truth("f < g"), Some(false));
    assert_eq!(truth("median(f) < median(g)"), Some(true));
    assert_eq!(truth("p99(f) < p99(g)"), Some(false));
}

#[test]
fn of_several_results_of_a_claim_the_worst_counts() {
    let document = json!({
        "comparisons": [
            { "text": "a", "results": [{ "result": "holds" }, { "result": "fails" }] },
            { "text": "b", "results": [{ "result": "holds" }, { "result": "not-evaluated" }] },
            { "text": "c", "results": [] },
        ],
        "assertions": [{ "title": "d", "result": "holds" }, { "title": "e", "result": "undecided" }],
    });
    let expected = [
        ("a", Decision::Fails),
        ("b", Decision::Undecided),
        ("c", Decision::Undecided),
        ("d", Decision::Holds),
        ("e", Decision::Undecided),
    ];
    assert_eq!(decisions(&document), expected.map(|(key, decision)| (key.to_owned(), decision)).into());
}
