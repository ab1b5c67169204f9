//! The simulation in its short form: the same seed gives the same figures in every run.

use spl_validity::latencies::{CASES, Kind};
use spl_validity::simulation::{ALPHA, Plan, simulate};

const PLAN: Plan = Plan { repetitions: 60, pairs: 400, window: 10, seed: 20_150_731 };

#[test]
fn the_sequential_mode_errs_no_more_often_than_allowed_however_often_it_looks() {
    for case in CASES {
        let outcome = simulate(&case, &PLAN);
        assert!(outcome.equal.sequential <= ALPHA, "{outcome:?}");
        assert_eq!(outcome.slower.sequential_wrong, 0.0, "{outcome:?}");
        if case.kind == Kind::Independent {
            // Otherwise the simulation would not show the effect of looking.
            assert!(outcome.equal.peeking > 2.0 * ALPHA, "{outcome:?}");
        }
    }
}

#[test]
fn a_slowdown_of_a_fifth_is_found() {
    let outcome = simulate(&CASES[0], &Plan { pairs: 1000, ..PLAN });
    assert!(outcome.slower.sequential >= 0.99, "{outcome:?}");
    assert!(outcome.pairs_until_found.is_some_and(|pairs| pairs < 600), "{outcome:?}");
}

#[test]
fn calls_that_do_not_share_their_time_differ_by_drift_alone() {
    let drifting = CASES.iter().find(|case| case.kind == Kind::Drifting).expect("there is one");
    let outcome = simulate(drifting, &PLAN);
    assert!(outcome.equal.unpaired > 0.9 && outcome.equal.once < 0.2, "{outcome:?}");
}
