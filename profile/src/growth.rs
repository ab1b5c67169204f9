//! How what a root's calls run grows with their workload size, from the counts of small calls and of large ones.

use crate::sizes::{Power, Sizes};
use crate::work::Known;

/// Share of the instructions of a large call from which on a block counts.
const NOTABLE: f64 = 0.1;

/// The counts within the small calls of a root, and within its large ones.
#[derive(Clone, Debug)]
pub struct Halves {
    /// Small and large.
    pub known: [Known; 2],
}

/// Something that is counted in a call of the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Runs of a block of a method.
    Runs {
        /// Its number.
        block: usize,
    },
    /// Calls of a method.
    Calls,
}

/// How a figure grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Mean size of small calls, and of large ones.
    pub sizes: [f64; 2],
    /// Mean of the figure in these calls.
    pub figures: [f64; 2],
    /// The power of the size with which it grows.
    pub power: Power,
}

impl Default for Halves {
    fn default() -> Self {
        Self { known: [Known::of_root(), Known::of_root()] }
    }
}

impl Halves {
    /// How a figure of a method grows; `None` where the counts do not tell.
    #[must_use]
    pub fn of(&self, method: &str, figure: Figure) -> Option<Growth> {
        let [small, large] = self.known.each_ref().map(|known| known.method_in_root(method));
        let of = |(rates, calls, sizes)| {
            let rates: &crate::Rates = rates;
            let times = match figure {
                Figure::Calls => 1.0,
                Figure::Runs { block } => rates.blocks.get(block).map_or(0.0, |(runs, _)| *runs),
            };
            (calls * times, sizes)
        };
        // A block that small calls never run has no power.
        growth(small.map(of)?, large.map(of)?)
    }

    /// How the instructions of a call of this root grow, with all that was counted below it.
    #[must_use]
    pub fn work(&self, root: &str) -> Option<Growth> {
        let work = |known: &Known| {
            let (_, _, sizes) = known.method_in_root(root)?;
            let work: f64 = known.in_root().map(|(rates, calls, _)| calls * rates.bytecodes).sum();
            Some((work, sizes.clone()))
        };
        let [small, large] = self.known.each_ref().map(work);
        let ((small, few), (large, many)) = (small?, large?);
        growth((small, &few), (large, &many))
    }

    /// The greatest power with which a notable part of a call of this root grows, or all of it; `None` where the counts do not tell.
    #[must_use]
    pub fn steepest(&self, root: &str) -> Option<Power> {
        let all = self.work(root)?;
        let [_, large] = &self.known;
        let mut steepest = all.power;
        for (rates, calls, _) in large.in_root() {
            for (block, (_, work)) in rates.blocks.iter().enumerate() {
                if calls * work >= NOTABLE * all.figures[1] {
                    // One that small calls never run may grow with any power.
                    let power = self.of(&rates.name(), Figure::Runs { block })?.power;
                    steepest = if power.value > steepest.value { power } else { steepest };
                }
            }
        }
        Some(steepest)
    }
}

fn growth((few, small): (f64, &Sizes), (many, large): (f64, &Sizes)) -> Option<Growth> {
    let power = Power::of([small, large], [few, many])?;
    Some(Growth { sizes: [small.mean()?, large.mean()?], figures: [few, many], power })
}
