use super::*;

fn call(call_ps: u64, reads_ps: u64) -> ProbeCost {
    ProbeCost { call_ps, empty_ps: None, reads_ps }
}

fn cost(all: &[(u64, u64)]) -> Option<u64> {
    let mut calibrations = Calibrations::default();
    for (call_ps, reads_ps) in all {
        calibrations.add(call(*call_ps, *reads_ps));
    }
    calibrations.cost().map(|found| found.call_ps)
}

#[test]
fn the_median_since_the_last_improvement_counts() {
    assert_eq!(cost(&[]), None);
    assert_eq!(
        cost(&[
            (300_000, 80_000),
            (299_000, 80_000),
            (100_000, 80_000),
            (110_000, 80_000),
            (105_000, 80_000)
        ]),
        Some(105_000)
    );
    let mut calibrations = Calibrations::default();
    let better = [100_000, 99_000, 97_000, 96_000].map(|call_ps| calibrations.add(call(call_ps, 80_000)));
    assert_eq!(better, [true, false, true, false], "a fiftieth is an improvement, less is not");
}

#[test]
fn calibrations_of_a_stalled_machine_do_not_count() {
    let mut all = vec![(100_000, 80_000), (106_000, 88_000), (104_000, 90_000)];
    all.extend([(1_100_000, 900_000); 20]);
    all.extend([(280_000, 230_000); 5]);
    assert_eq!(cost(&all), Some(104_000));
    assert_eq!(
        cost(&[(1_000_000, 900_000), (1_010_000, 900_000)]),
        Some(1_010_000),
        "of a machine that is slow all the time they do"
    );
}

#[test]
fn a_dear_call_is_calibrated_for_longer() {
    for (call_ps, may_be_compiled, expected) in [
        (104_000, true, USUAL),
        (105_000, true, DEAR),
        (480_000, true, DEAR),
        (481_000, true, VERY_DEAR),
        (481_000, false, DEAR),
    ] {
        let mut calibrations = Calibrations { may_be_compiled, ..Calibrations::default() };
        calibrations.add(call(call_ps, 80_000));
        assert_eq!(calibrations.patience(), expected, "{call_ps}");
    }
    assert_eq!(Calibrations::default().patience(), USUAL);
}
