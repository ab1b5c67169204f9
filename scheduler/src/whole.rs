//! The overhead ceiling, seen over a whole measurement.
//!
//! Calls at closed gates cost the program CPU time until the probes are taken out, and no budget can lower that. Samples that need
//! `R` in all, at `B` a second, keep the probes inside for `R/B` seconds, in which closed gates cost `C` each second: `R + C R/B` in
//! all. Where `C` is greater than the ceiling, samples may therefore cost more in a second than the ceiling says, at most as much
//! as closed gates cost anyway: at most `2 R` in all.

use crate::{Budget, Scheduler};

/// The ceiling is raised to at most this multiple, for any second.
const RAISED: u64 = 10;
/// Seconds in which the samples must be complete. A measurement that goes on for longer, or has no end, keeps to its ceiling.
const SOON_S: u128 = 10;
const PS_PER_NS: u128 = 1000;

impl Scheduler {
    /// The budget of the JVM at hand, with the ceiling that costs least until the measured methods are finished.
    pub(crate) fn whole_budget(&self) -> Option<Budget> {
        let budget = self.jvm.budget?;
        // The length of turns does not depend on their cost.
        if !self.jvm.rotations.is_empty() {
            return Some(budget);
        }
        let needed = |method| self.settings.effective_max().saturating_sub(self.tallies.counted(method));
        let (closed, ahead) = self.jvm.meters.outlook(&self.jvm.roster, &budget, needed);
        let most = budget.ceiling_ns_per_s.saturating_mul(RAISED);
        let raised = u64::try_from(closed / PS_PER_NS).unwrap_or(u64::MAX).min(most);
        let is_soon = ahead <= u128::from(raised) * PS_PER_NS * SOON_S;
        let ceiling_ns_per_s =
            if is_soon { raised.max(budget.ceiling_ns_per_s) } else { budget.ceiling_ns_per_s };
        Some(Budget { ceiling_ns_per_s, ..budget })
    }
}
