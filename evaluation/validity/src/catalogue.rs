//! The processes of the tables.

use crate::marginal::Part;
use crate::processes::{Arrival, Load, Process, Shape, Sizes};

const fn part(weight: f64, median: f64, deviation: f64) -> Part {
    Part { weight, median, deviation }
}

const LOGNORMAL_HALF: Shape = Shape::Mixture(&[part(1.0, 1.0, 0.5)]);
const LOGNORMAL_ONE: Shape = Shape::Mixture(&[part(1.0, 1.0, 1.0)]);
const NARROW: Shape = Shape::Mixture(&[part(1.0, 1.0, 0.3)]);
const STEADY: Shape = Shape::Mixture(&[part(1.0, 1.0, 0.05)]);
const CONSTANT: Shape = Shape::Mixture(&[part(1.0, 1.0, 0.0)]);
const BIMODAL: Shape = Shape::Mixture(&[part(1.0, 1.0, 0.2), part(1.0, 3.0, 0.2)]);
const SPIKES_15: Shape = Shape::Mixture(&[part(0.99, 1.0, 0.3), part(0.01, 15.0, 0.3)]);
const SPIKES_1000: Shape = Shape::Mixture(&[part(0.999, 1.0, 0.3), part(0.001, 1000.0, 0.3)]);
const RARE_100: Shape = Shape::Mixture(&[part(0.998, 1.0, 0.3), part(0.002, 100.0, 0.3)]);
const THREE_SIZES: Shape =
    Shape::Mixture(&[part(1.0, 1.0, 0.1), part(1.0, 20.0, 0.1), part(1.0, 350.0, 0.1)]);
const TENTH_100: Shape = Shape::Mixture(&[part(0.9, 1.0, 0.3), part(0.1, 100.0, 0.3)]);
const FOUR_OF_100: Shape = Shape::Mixture(&[part(0.96, 1.0, 0.3), part(0.04, 100.0, 0.3)]);
const SIX_OF_100: Shape = Shape::Mixture(&[part(0.94, 1.0, 0.3), part(0.06, 100.0, 0.3)]);
const LONG_BURSTS: Shape = Shape::Regimes { times: 30.0, part: 0.1, stay: 40.0 };
const SELDOM_BURSTS: Shape = Shape::Regimes { times: 100.0, part: 0.06, stay: 100.0 };
const BURSTS_100: Shape = Shape::Regimes { times: 100.0, part: 0.004, stay: 5.0 };

/// Calls of 100 µs, 20 in a turn on each side, with a clock of 1 ns and no sizes.
const fn usual(name: &'static str, shape: Shape) -> Process {
    Process {
        name,
        shapes: [shape, shape],
        load: Load::Constant,
        calls: [20, 20],
        mean_ns: 100_000.0,
        step_ns: 1,
        sizes: Sizes::None,
        arrival: Arrival::Steady,
    }
}

const fn apart(name: &'static str, left: Shape, right: Shape) -> Process {
    Process { shapes: [left, right], ..usual(name, left) }
}

const fn under(name: &'static str, load: Load) -> Process {
    Process { load, ..usual(name, LOGNORMAL_HALF) }
}

const fn sticky(name: &'static str, stay: f64) -> Process {
    usual(name, Shape::Regimes { times: 2.0, part: 0.5, stay })
}

const fn unequal(name: &'static str, shape: Shape, calls: [usize; 2]) -> Process {
    Process { calls, ..usual(name, shape) }
}

const fn clock(name: &'static str, shape: Shape, mean_ns: f64, step_ns: u64) -> Process {
    Process { mean_ns, step_ns, ..usual(name, shape) }
}

const fn sized(name: &'static str, sizes: Sizes) -> Process {
    Process { sizes, ..usual(name, NARROW) }
}

/// Twenty calls of 2.5 ms fill a turn.
const fn closed(name: &'static str, left: Shape, right: Shape) -> Process {
    Process { mean_ns: 2_500_000.0, arrival: Arrival::Closed, ..apart(name, left, right) }
}

const fn seldom(name: &'static str, shape: Shape, every: usize) -> Process {
    Process { arrival: Arrival::Seldom(every), ..usual(name, shape) }
}

/// A tail of which one call in 2^1.5 = 2.83 takes twice as long, and so on: its variance grows with the number of calls, as that of
/// Pareto's distribution with exponent 1.5 does.
const PARETO: Shape = Shape::Mixture(&[
    part(1.0, 1.0, 0.3),
    part(0.353_553_390_6, 2.0, 0.3),
    part(0.125, 4.0, 0.3),
    part(0.044_194_173_8, 8.0, 0.3),
    part(0.015_625, 16.0, 0.3),
    part(0.005_524_271_7, 32.0, 0.3),
    part(0.001_953_125, 64.0, 0.3),
    part(0.000_690_533_97, 128.0, 0.3),
    part(0.000_244_140_625, 256.0, 0.3),
    part(0.000_086_316_746, 512.0, 0.3),
    part(0.000_030_517_578, 1024.0, 0.3),
    part(0.000_010_789_593, 2048.0, 0.3),
]);

/// All of them.
pub const PROCESSES: [Process; 53] = [
    usual("lognormal(0.5)", LOGNORMAL_HALF),
    usual("lognormal(1)", LOGNORMAL_ONE),
    usual("two modes, 1 : 3", BIMODAL),
    usual("1% of calls 15 times as long", SPIKES_15),
    usual("0.1% of calls 1,000 times as long", SPIKES_1000),
    usual("0.2% of calls 100 times as long", RARE_100),
    usual("bursts of 5 calls 100 times as long", BURSTS_100),
    apart("equal means, lognormal 1 : 0.3", LOGNORMAL_ONE, NARROW),
    apart("equal means, lognormal 0.3 : 1", NARROW, LOGNORMAL_ONE),
    apart("equal means, left 1% 15 times as long", SPIKES_15, NARROW),
    apart("equal means, right 1% 15 times as long", NARROW, SPIKES_15),
    apart("equal means, left 0.1% 1,000 times as long", SPIKES_1000, NARROW),
    apart("equal means, left 0.2% 100 times as long", RARE_100, NARROW),
    apart("equal means, left bursts of 5 calls 100 times as long", BURSTS_100, NARROW),
    usual("autoregressive, 0.8", Shape::Autoregressive(0.8)),
    usual("autoregressive, 0.95", Shape::Autoregressive(0.95)),
    usual("autoregressive, 0.99", Shape::Autoregressive(0.99)),
    sticky("regimes twice as long, 20 calls", 20.0),
    sticky("regimes twice as long, 100 calls", 100.0),
    sticky("regimes twice as long, 300 calls", 300.0),
    usual("a level of its own each turn, 20%", Shape::OwnLevel(0.2)),
    under("shared load, rising to three times", Load::Rising(3.0)),
    under("shared load, five waves", Load::Waves(5.0)),
    under("shared load, 40 waves", Load::Waves(40.0)),
    under("shared load, regimes of 4 windows", Load::Regimes(4.0)),
    under("shared load, regimes of 15 windows", Load::Regimes(15.0)),
    unequal("1 call : 20, lognormal(1)", LOGNORMAL_ONE, [1, 20]),
    unequal("20 calls : 1, lognormal(1)", LOGNORMAL_ONE, [20, 1]),
    unequal("1 call : 20, 1% 15 times as long", SPIKES_15, [1, 20]),
    unequal("1 call : 20, autoregressive, 0.8", Shape::Autoregressive(0.8), [1, 20]),
    unequal("1 call : 20, levels of each turn", Shape::OwnLevel(0.2), [1, 20]),
    clock("250 ns, clock of 1 ns", STEADY, 250.0, 1),
    clock("250 ns, clock of 10 ns", STEADY, 250.0, 10),
    clock("250 ns, clock of 100 ns", STEADY, 250.0, 100),
    clock("always 55.5 ns, clock of 1 ns", CONSTANT, 55.5, 1),
    clock("always 200 ns, clock of 100 ns", CONSTANT, 200.0, 100),
    sized("sizes alike", Sizes::Even),
    sized("sizes larger on the left", Sizes::Apart),
    sized("sizes that grow", Sizes::Growing),
    unequal("5 calls : 5, regimes of 20 calls", Shape::Regimes { times: 2.0, part: 0.5, stay: 20.0 }, [5, 5]),
    usual("Pareto's tail, 1.5", PARETO),
    apart("equal means, left Pareto's tail, 1.5", PARETO, NARROW),
    closed("calls without pause, levels of 40% each turn", Shape::OwnLevel(0.4), Shape::OwnLevel(0.4)),
    closed("calls without pause, left levels of 40% each turn", Shape::OwnLevel(0.4), NARROW),
    seldom("left called in a window of 10", LOGNORMAL_HALF, 10),
    clock("30 ns, clock of 100 ns", STEADY, 30.0, 100),
    clock("20 ns, clock of 1 µs", STEADY, 20.0, 1000),
    usual("a third each 1, 20 and 350 times as long", THREE_SIZES),
    apart("equal means, left a tenth 100 times as long", TENTH_100, NARROW),
    apart("equal means, 4% and 6% 100 times as long", FOUR_OF_100, SIX_OF_100),
    usual("bursts of 40 calls 30 times as long, a tenth of all", LONG_BURSTS),
    apart("equal means, left such bursts", LONG_BURSTS, NARROW),
    apart("equal means, left 6% in bursts of 100 calls 100 times as long", SELDOM_BURSTS, NARROW),
];
