//! A second way to know what is true of a process: very many of its calls.

use crate::processes::{Machine, Process};
use crate::random::Random;
use serde::Serialize;

/// Parts of the calls whose means tell how far the mean of all may be off.
const BATCHES: usize = 40;

/// Statistics of one side of a process, by the closed form and by its calls.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Sampled {
    /// Mean time over the closed form's.
    pub mean: Estimate,
    /// Which part of the calls takes no longer than the closed form's median.
    pub median: Estimate,
    /// Which part takes no longer than its 99th percentile.
    pub p99: Estimate,
}

/// A mean and its standard error, by the means of batches.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
}

impl Estimate {
    fn of(values: &[f64]) -> Self {
        let size = values.len() / BATCHES;
        let mean_of = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let means: Vec<f64> = values.chunks_exact(size).map(mean_of).collect();
        let mean = mean_of(&means);
        let variance =
            means.iter().map(|batch| (batch - mean).powi(2)).sum::<f64>() / (means.len() - 1) as f64;
        Self { mean, error: (variance / means.len() as f64).sqrt() }
    }

    /// Distance from a value in standard errors; a thousandth of the value counts as 0.
    #[must_use]
    pub fn distance(&self, from: f64) -> f64 {
        ((self.mean - from).abs() - 1e-3 * from).max(0.0) / self.error.max(1e-12)
    }
}

/// Windows of calls of one side.
#[must_use]
pub fn sampled(process: &Process, side: usize, windows: usize, seed: u64) -> Sampled {
    let mut random = Random::new(seed);
    let mut machine = Machine::new(process.load, &mut random);
    let [left, right] = process.sources(&mut random);
    let mut source = if side == 0 { left } else { right };
    let calls = process.calls[side];
    let mut times = Vec::with_capacity(windows * calls);
    for window in 0..windows {
        source.turn();
        let (mut call, mut since_ns) = (0, 0.0);
        while process.is_open(call, calls, since_ns) {
            let moment = (window as f64 + (call as f64 / calls as f64).min(1.0)) / windows as f64;
            let (time, _) = source.call(machine.at(moment, 1.0 / calls as f64), moment);
            times.push(time);
            since_ns += time;
            call += 1;
        }
    }
    // Batches of calls that are spread over the whole time: a drift is not an error. They are long enough to
    // be independent.
    let marginal = process.marginal(side);
    let stretch = times.len() / BATCHES / BATCHES;
    let spread: Vec<f64> = (0..BATCHES)
        .flat_map(|batch| (0..BATCHES).map(move |part| (part * BATCHES + batch) * stretch))
        .flat_map(|from| times[from..from + stretch].iter().copied())
        .collect();
    let mean = marginal.mean();
    let part = |limit: f64| {
        let is_below: Vec<f64> = spread.iter().map(|&time| f64::from(u8::from(time <= limit))).collect();
        Estimate::of(&is_below)
    };
    Sampled {
        mean: Estimate::of(&spread.iter().map(|time| time / mean).collect::<Vec<_>>()),
        median: part(marginal.quantile(0.5) * (1.0 + 1e-9)),
        p99: part(marginal.quantile(0.99) * (1.0 + 1e-9)),
    }
}
