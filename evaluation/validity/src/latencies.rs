//! Times of calls as programs have them: skewed, with rare long ones, depending on those before, drifting.

use crate::random::Random;
use serde::Serialize;

/// Kind of a case, which decides what is promised for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Each call is independent of all others.
    Independent,
    /// Calls depend on those before them.
    Autocorrelated,
    /// Calls become longer with time, those of both sides alike.
    Drifting,
}

/// A way in which times come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Case {
    /// In a table.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// The logarithm is normal with this deviation.
    Lognormal(f64),
    /// Gamma of this shape.
    Gamma(f64),
    /// Lognormal with deviation 0.3; this part of the calls takes so many times as long.
    Spiky { part: f64, times: f64 },
    /// The logarithm is a first-order autoregression with deviation 0.5 and this coefficient.
    Autoregressive(f64),
    /// Moving sums of this number of exponential times.
    MovingSum(usize),
    /// Lognormal with deviation 0.5, times a load that both sides share: from 1 at the start to this at the end.
    Rising(f64),
    /// Such sums; the load goes up and down as a sine, this number of times, between 1 and 2.
    Waves(f64),
}

/// The cases of the tables.
pub const CASES: [Case; 11] = [
    Case { name: "lognormal(0.5)", kind: Kind::Independent, shape: Shape::Lognormal(0.5) },
    Case { name: "lognormal(1)", kind: Kind::Independent, shape: Shape::Lognormal(1.0) },
    Case { name: "gamma(1), exponential", kind: Kind::Independent, shape: Shape::Gamma(1.0) },
    Case { name: "gamma(4)", kind: Kind::Independent, shape: Shape::Gamma(4.0) },
    Case {
        name: "1% of calls 15 times as long",
        kind: Kind::Independent,
        shape: Shape::Spiky { part: 0.01, times: 15.0 },
    },
    Case {
        name: "0.1% of calls 1,000 times as long",
        kind: Kind::Independent,
        shape: Shape::Spiky { part: 0.001, times: 1000.0 },
    },
    Case { name: "autoregressive, 0.5", kind: Kind::Autocorrelated, shape: Shape::Autoregressive(0.5) },
    Case { name: "autoregressive, 0.9", kind: Kind::Autocorrelated, shape: Shape::Autoregressive(0.9) },
    Case { name: "moving sum of 8", kind: Kind::Autocorrelated, shape: Shape::MovingSum(8) },
    Case { name: "rising to three times", kind: Kind::Drifting, shape: Shape::Rising(3.0) },
    Case { name: "five waves of load", kind: Kind::Drifting, shape: Shape::Waves(5.0) },
];

/// The typical time, nanoseconds: so long that whole nanoseconds are fine steps.
const SCALE_NS: f64 = 100_000.0;

/// The calls of one method.
#[derive(Clone, Debug)]
pub struct Calls {
    shape: Shape,
    random: Random,
    /// Memory of the calls before.
    past: Vec<f64>,
}

impl Case {
    /// The calls of a method with a seed of its own.
    #[must_use]
    pub fn calls(&self, seed: u64) -> Calls {
        let mut random = Random::new(seed);
        let past = match self.shape {
            Shape::Autoregressive(_) => vec![random.normal()],
            Shape::MovingSum(of) => (1..of).map(|_| random.gamma(1.0)).collect(),
            Shape::Lognormal(_)
            | Shape::Gamma(_)
            | Shape::Spiky { .. }
            | Shape::Rising(_)
            | Shape::Waves(_) => Vec::new(),
        };
        Calls { shape: self.shape, random, past }
    }
}

impl Calls {
    /// A call at a moment between 0, the start, and 1, the end; nanoseconds.
    pub fn next(&mut self, moment: f64) -> u64 {
        (self.time(moment) * SCALE_NS).round() as u64
    }

    fn time(&mut self, moment: f64) -> f64 {
        let random = &mut self.random;
        match self.shape {
            Shape::Lognormal(deviation) => (deviation * random.normal()).exp(),
            Shape::Gamma(shape) => random.gamma(shape) / shape,
            Shape::Spiky { part, times } => {
                let usual = (0.3 * random.normal()).exp();
                if random.uniform() < part { usual * times } else { usual }
            }
            Shape::Autoregressive(coefficient) => {
                let fresh = (1.0 - coefficient * coefficient).sqrt() * random.normal();
                self.past[0] = coefficient * self.past[0] + fresh;
                (0.5 * self.past[0]).exp()
            }
            Shape::MovingSum(of) => {
                self.past.push(random.gamma(1.0));
                let sum: f64 = self.past.iter().sum();
                self.past.remove(0);
                sum / of as f64
            }
            Shape::Rising(to) => (0.5 * random.normal()).exp() * (1.0 + (to - 1.0) * moment),
            Shape::Waves(count) => {
                let load = 1.5 - 0.5 * (std::f64::consts::TAU * count * moment).cos();
                (0.5 * random.normal()).exp() * load
            }
        }
    }
}
