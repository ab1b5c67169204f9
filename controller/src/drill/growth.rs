//! Which causes of a failed claim grow with the workload size of the calls, and whether anything in the other method grows alike.

use super::reasons::Counted;
use spl_profile::{Figure, Growth, Halves, Power};
use spl_records::{Why, WhyGrowth};

/// Difference of two powers from which on one is clearly the greater.
const CLEAR: f64 = 0.5;
/// Greatest error of a power that says something.
const ROUGH: f64 = 0.35;

/// Adds to the findings how they grow, as far as the counts tell.
pub fn add(found: &mut Why, known: &Counted) {
    let Some(slow) = known.halves(&found.slow) else { return };
    let quick = found.quick.as_deref().map(|quick| (quick, known.halves(quick)));
    found.growth = slow.work(&found.slow).filter(tells).map(written);
    found.growth_of_other = quick.and_then(|(name, halves)| halves?.work(name)).filter(tells).map(written);
    let steepest = quick.and_then(|(name, halves)| halves?.steepest(name));
    for cause in &mut found.causes {
        let method = cause.path.last().unwrap_or(&found.slow);
        let grown = cause.block.and_then(|block| of(slow, method, block));
        cause.growth = grown.map(written);
        cause.outgrows =
            grown.zip(steepest).filter(|(one, other)| outgrows(one.power, *other)).map(|both| both.1.value);
    }
}

fn of(halves: &Halves, method: &str, block: usize) -> Option<Growth> {
    halves.of(method, Figure::Runs { block }).filter(tells)
}

fn tells(growth: &Growth) -> bool {
    growth.power.error <= ROUGH
}

/// Whether one power is greater than another for certain.
fn outgrows(one: Power, other: Power) -> bool {
    other.error <= ROUGH && one.value - other.value >= CLEAR.max(one.error + other.error)
}

fn written(growth: Growth) -> WhyGrowth {
    let Growth { sizes, figures, power: Power { value, error } } = growth;
    WhyGrowth { power: value, error, sizes, figures }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clearly_greater_power_outgrows_another() {
        let power = |value, error| Power { value, error };
        assert!(outgrows(power(2.0, 0.1), power(1.0, 0.1)));
        assert!(outgrows(power(1.0, 0.1), power(0.0, 0.1)));
        assert!(!outgrows(power(1.2, 0.1), power(1.0, 0.1)), "too near");
        assert!(!outgrows(power(1.0, 0.1), power(2.0, 0.1)), "the other one does");
        assert!(!outgrows(power(2.0, 0.35), power(1.4, 0.35)), "too rough");
        assert!(!outgrows(power(5.0, 0.1), power(1.0, 0.9)), "of the other one nothing is known");
    }
}
