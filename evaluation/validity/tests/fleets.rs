//! A few simulated fleets: the same seed gives the same figures in every run.

use spl_validity::fleets::{FLEETS, Fleet, LEVEL, Outcome, Plan, simulate};

/// One instance alone decides nothing before 50 windows.
const PLAN: Plan = Plan { fleets: 8, instances: 6, windows: 60, seed: 20_150_731 };

fn of(name: &str) -> Outcome {
    let fleet: &Fleet = FLEETS.iter().find(|one| one.name == name).expect("there is such a fleet");
    simulate(*fleet, &PLAN)
}

#[test]
fn instances_that_vary_are_not_thrown_into_one_pot() {
    let independent = of("independent");
    assert_eq!(independent.wrong, 0.0, "{independent:?}");
    assert!(independent.product > 2.0 * LEVEL, "the simulation would not show why: {independent:?}");
}

#[test]
fn six_instances_find_a_difference_in_a_quarter_of_the_time_of_one() {
    let alike = simulate(FLEETS[0], &Plan { fleets: 5, ..PLAN });
    let times = alike.windows.zip(alike.windows_alone);
    assert!(times.is_some_and(|(all, alone)| 4 * all <= alone), "{alike:?}");
}

#[test]
fn the_slow_host_is_named() {
    let slow = of("one slow host");
    assert_eq!((slow.named, slow.wrong), (1.0, 0.0), "{slow:?}");
}
