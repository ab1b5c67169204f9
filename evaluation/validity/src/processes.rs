//! Times of two methods as programs have them, together with what is true of them: means, medians and percentiles in closed form.
//!
//! Each call's time is a product: of the method's own shape, whose mean is 1; of the load of the machine at that moment, which both
//! methods share; of what its workload size asks for; and of a scale. The logarithm of each part is normal, or a mixture of normal
//! ones, and so is that of the product: hence the closed form.

use crate::marginal::{Marginal, Part};
use crate::random::Random;

/// How the calls of one method come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Independent calls, from a mixture of (weight, median, deviation of the logarithm).
    Mixture(&'static [Part]),
    /// The logarithm is a first-order autoregression with deviation 0.5 and this coefficient.
    Autoregressive(f64),
    /// Regimes of calls that take longer.
    Regimes {
        /// Factor of the time.
        times: f64,
        /// The part of the calls that do.
        part: f64,
        /// Calls in a row, on average.
        stay: f64,
    },
    /// Each turn of the method's gate has a level of its own, with this deviation of the logarithm.
    OwnLevel(f64),
}

/// The load that both methods share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// Always the same.
    Constant,
    /// From 1 at the start to this at the end.
    Rising(f64),
    /// Up and down between 1 and 2 as a sine, this number of times.
    Waves(f64),
    /// Twice as long half of the time, for this number of windows on average.
    Regimes(f64),
}

/// Workload sizes: ten of them, the largest takes some five times as long as the smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// None was taken.
    None,
    /// All alike on both sides.
    Even,
    /// Large ones come more often on the left side than on the right one.
    Apart,
    /// Small ones come first, large ones last, on both sides.
    Growing,
}

/// When calls come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// This number in each turn, for any time that they take.
    Steady,
    /// The left method is called in one window of this number only.
    Seldom(usize),
    /// One after the other as long as the turn lasts: the longer they take, the fewer there are.
    Closed,
}

/// Two methods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Process {
    /// In a table.
    pub name: &'static str,
    /// How calls of the left and the right method come.
    pub shapes: [Shape; 2],
    /// The shared part of both.
    pub load: Load,
    /// Calls in a turn.
    pub calls: [usize; 2],
    /// Mean time, nanoseconds.
    pub mean_ns: f64,
    /// The clock's step, nanoseconds.
    pub step_ns: u64,
    /// Workload sizes.
    pub sizes: Sizes,
    /// When calls come.
    pub arrival: Arrival,
}

/// Workload sizes that there are.
pub const SIZES: usize = 10;
/// Points at which a load that changes all the time is taken for the closed form.
const POINTS: usize = 400;
/// Rounds after which a mean that follows from itself changes no more.
const ROUNDS: usize = 20;
/// Length of a turn, nanoseconds.
pub const TURN_NS: f64 = 50e6;
/// Deviation of the logarithm of a call in its regime or on its level.
const WITHIN: f64 = 0.3;
/// Deviation of the logarithm of an autoregression.
const DEVIATION: f64 = 0.5;

impl Sizes {
    /// Factor of the time of a call of a size.
    fn times(self, size: usize) -> f64 {
        if self == Self::None { 1.0 } else { 0.4 + 0.17 * size as f64 }
    }

    fn weight(self, side: usize, size: usize) -> f64 {
        match self {
            Self::None => f64::from(u8::from(size == 0)),
            Self::Even | Self::Growing => 1.0,
            Self::Apart if side == 0 => (size + 1) as f64,
            Self::Apart => (SIZES - size) as f64,
        }
    }

    fn parts(self, side: usize) -> Vec<Part> {
        (0..SIZES)
            .map(|size| Part { weight: self.weight(side, size), median: self.times(size), deviation: 0.0 })
            .collect()
    }
}

impl Shape {
    /// With its mean as it comes.
    fn marginal(self) -> Marginal {
        Marginal::of(match self {
            Self::Mixture(parts) => parts.to_vec(),
            Self::Autoregressive(_) => vec![Part { weight: 1.0, median: 1.0, deviation: DEVIATION }],
            Self::Regimes { times, part, .. } => vec![
                Part { weight: 1.0 - part, median: 1.0, deviation: WITHIN },
                Part { weight: part, median: times, deviation: WITHIN },
            ],
            Self::OwnLevel(deviation) => {
                vec![Part { weight: 1.0, median: 1.0, deviation: deviation.hypot(WITHIN) }]
            }
        })
    }

    /// The same where calls come one after the other for a turn, in which `calls` of the mean length have room. A level L then
    /// has calls / L + c of them, of which c, half of 1 plus the squared coefficient of variation, come from the last one, that
    /// reaches beyond the turn. Times that are weighed by 1 / L have a median that is smaller by the factor
    /// exp(-deviation²).
    fn marginal_closed(self, calls: usize) -> Marginal {
        let Self::OwnLevel(sd) = self else { return self.marginal() };
        let (square, deviation) = (sd * sd, sd.hypot(WITHIN));
        let of = |mean: f64| {
            let room = calls as f64 * mean / (WITHIN * WITHIN / 2.0).exp();
            Marginal::of(vec![
                Part { weight: room * (square / 2.0).exp(), median: (-square).exp(), deviation },
                Part { weight: (WITHIN * WITHIN).exp() / 2.0, median: 1.0, deviation },
            ])
        };
        // The number of calls that have room follows from the mean, which follows from that number.
        (0..ROUNDS).fold(self.marginal(), |before, _| of(before.mean()))
    }
}

impl Load {
    fn parts(self) -> Vec<Part> {
        let part = |median: f64| Part { weight: 1.0, median, deviation: 0.0 };
        match self {
            Self::Constant => vec![part(1.0)],
            Self::Regimes(_) => vec![part(1.0), part(2.0)],
            Self::Rising(_) | Self::Waves(_) => {
                (0..POINTS).map(|point| part(self.at((point as f64 + 0.5) / POINTS as f64))).collect()
            }
        }
    }

    /// At a moment between 0 and 1; of regimes the lower one.
    fn at(self, moment: f64) -> f64 {
        match self {
            Self::Constant | Self::Regimes(_) => 1.0,
            Self::Rising(to) => 1.0 + (to - 1.0) * moment,
            Self::Waves(count) => 1.5 - 0.5 * (std::f64::consts::TAU * count * moment).cos(),
        }
    }
}

impl Process {
    /// The true statistics of a method's times over the whole time; `side` is 0 or 1.
    #[must_use]
    pub fn marginal(&self, side: usize) -> Marginal {
        let shape = self.shapes[side].marginal();
        let product =
            shape.scaled(1.0 / shape.mean()).times(&self.load.parts()).times(&self.sizes.parts(side));
        product.scaled(self.mean_ns)
    }

    fn shape(&self, side: usize) -> Marginal {
        match self.arrival {
            Arrival::Closed => self.shapes[side].marginal_closed(self.calls[side]),
            Arrival::Steady | Arrival::Seldom(_) => self.shapes[side].marginal(),
        }
    }

    /// With so many times as many calls in a turn; where they fill it they are as much shorter.
    #[must_use]
    pub fn with_calls(self, times: usize) -> Self {
        let mean_ns =
            if self.arrival == Arrival::Closed { self.mean_ns / times as f64 } else { self.mean_ns };
        Self { calls: self.calls.map(|calls| calls * times), mean_ns, ..self }
    }

    /// Whether a method is called in a window, counted from 1.
    #[must_use]
    pub fn is_called(&self, side: usize, window: usize) -> bool {
        match self.arrival {
            Arrival::Seldom(every) => side == 1 || window.is_multiple_of(every),
            Arrival::Steady | Arrival::Closed => true,
        }
    }

    /// Whether there is one more call in a turn that was opened `since_ns` ago and has had `call` of `calls`.
    #[must_use]
    pub fn is_open(&self, call: usize, calls: usize, since_ns: f64) -> bool {
        if self.arrival == Arrival::Closed { since_ns < TURN_NS } else { call < calls }
    }

    /// Whether bounds have a truth: not where the load ends elsewhere than it began, or sizes do.
    #[must_use]
    pub fn is_stationary(&self) -> bool {
        let few_waves = matches!(self.load, Load::Waves(count) if count < 20.0);
        !few_waves && !matches!(self.load, Load::Rising(_)) && self.sizes != Sizes::Growing
    }

    /// Both sides' calls, with seeds of their own.
    #[must_use]
    pub fn sources(&self, random: &mut Random) -> [Source; 2] {
        [0, 1].map(|side| {
            let mean = self.shape(side).mean();
            let mut random = Random::new(random.bits());
            let shape = self.shapes[side];
            let past = random.normal();
            let raised = matches!(shape, Shape::Regimes { part, .. } if random.uniform() < part);
            Source {
                shape,
                scale_ns: self.mean_ns / mean,
                sizes: self.sizes,
                side,
                random,
                past,
                raised,
                level: 1.0,
            }
        })
    }
}

/// The calls of one method.
#[derive(Clone, Debug)]
pub struct Source {
    shape: Shape,
    scale_ns: f64,
    sizes: Sizes,
    side: usize,
    random: Random,
    /// The logarithm of the call before.
    past: f64,
    /// Whether the method is in its longer regime.
    raised: bool,
    /// The level of this turn.
    level: f64,
}

impl Source {
    /// A turn begins.
    pub fn turn(&mut self) {
        if let Shape::OwnLevel(deviation) = self.shape {
            self.level = (deviation * self.random.normal()).exp();
        }
    }

    /// A call under this load, at a moment between 0 and 1: its time in nanoseconds, and its size.
    pub fn call(&mut self, load: f64, moment: f64) -> (f64, usize) {
        let size = self.size(moment);
        (self.shape() * self.scale_ns * load * self.sizes.times(size), size)
    }

    fn size(&mut self, moment: f64) -> usize {
        let all: f64 = (0..SIZES).map(|size| self.sizes.weight(self.side, size)).sum();
        let mut left = match self.sizes {
            Sizes::None => return 0,
            Sizes::Growing => moment * all,
            Sizes::Even | Sizes::Apart => self.random.uniform() * all,
        };
        for size in 0..SIZES {
            left -= self.sizes.weight(self.side, size);
            if left <= 0.0 {
                return size;
            }
        }
        SIZES - 1
    }

    fn shape(&mut self) -> f64 {
        let random = &mut self.random;
        match self.shape {
            Shape::Mixture(parts) => {
                let all: f64 = parts.iter().map(|part| part.weight).sum();
                let mut left = random.uniform() * all;
                let chosen = parts.iter().find(|part| {
                    left -= part.weight;
                    left <= 0.0
                });
                let Part { median, deviation, .. } = chosen.or(parts.last()).copied().unwrap_or_default();
                median * (deviation * random.normal()).exp()
            }
            Shape::Autoregressive(coefficient) => {
                let fresh = (1.0 - coefficient * coefficient).sqrt() * random.normal();
                self.past = coefficient * self.past + fresh;
                (DEVIATION * self.past).exp()
            }
            Shape::Regimes { times, part, stay } => {
                // In the long run as many calls enter a regime as leave it.
                let leave = if self.raised { 1.0 / stay } else { part / (1.0 - part) / stay };
                self.raised ^= random.uniform() < leave;
                let usual = (WITHIN * random.normal()).exp();
                if self.raised { usual * times } else { usual }
            }
            Shape::OwnLevel(_) => self.level * (WITHIN * random.normal()).exp(),
        }
    }
}

/// The load from moment to moment.
#[derive(Clone, Debug)]
pub struct Machine {
    load: Load,
    random: Random,
    raised: bool,
}

impl Machine {
    /// One with a seed of its own.
    #[must_use]
    pub fn new(load: Load, random: &mut Random) -> Self {
        let mut random = Random::new(random.bits());
        let raised = random.uniform() < 0.5;
        Self { load, random, raised }
    }

    /// The load at a moment between 0 and 1, this `part` of a window after the last one.
    pub fn at(&mut self, moment: f64, part: f64) -> f64 {
        if let Load::Regimes(windows) = self.load {
            // Half of the changes of a chain that forgets come back to where it was.
            let stays = (-part / windows).exp();
            self.raised ^= self.random.uniform() >= stays;
            return if self.raised { 2.0 } else { 1.0 };
        }
        self.load.at(moment)
    }
}
