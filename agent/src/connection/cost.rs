//! Cost of a measured call, from one calibration.

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
