//! Cost of a measured call, from one calibration, and that of reading the clock.

use crate::sys;

/// Cost and reported duration of a measured call of an empty method, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProbeCost {
    pub(super) call_ps: u64,
    pub(super) empty_ps: Option<u64>,
    /// Picoseconds that two clock reads took by native code meanwhile.
    pub(super) reads_ps: u64,
}

impl ProbeCost {
    /// Computed from the nanoseconds of all calls together, the duration recorded for each, and the picoseconds of two
    /// clock reads next to them.
    pub(super) fn of(ns: u64, calls: u64, reported_ns: &[u64], reads_ps: u64) -> Self {
        let mean = |ns: u64, n: u64| (n > 0).then(|| ns.saturating_mul(1000) / n);
        let sum = reported_ns.iter().fold(0_u64, |sum, ns| sum.saturating_add(*ns));
        Self {
            call_ps: mean(ns, calls).unwrap_or(0),
            empty_ps: mean(sum, reported_ns.len() as u64),
            reads_ps,
        }
    }
}

/// Picoseconds that two readings of the clock take in native code: the cheapest of some batches.
pub(super) fn two_clock_reads_ps() -> u64 {
    const BATCHES: u64 = 4;
    const READS: u64 = 200;
    const SLOW_PS: u64 = 1_000_000;
    let batch = |_| {
        let began = sys::now_ns();
        (0..READS).for_each(|_| {
            std::hint::black_box(sys::now_ns());
        });
        sys::now_ns().saturating_sub(began) * 1000 * 2 / (READS + 1)
    };
    // Four batches tell what the clock takes where it is quick, and one does where it is slow.
    let first = batch(0);
    if first > SLOW_PS { first } else { (1..BATCHES).map(batch).fold(first, u64::min) }
}
