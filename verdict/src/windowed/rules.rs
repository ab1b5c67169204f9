//! Requirements of decisions by windows.

/// Settings of decisions by windows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Accepted probability of either wrong decision on a claim, over all looks.
    pub level: f64,
    /// Largest difference between the sides of a bare `=`: 0.05 is 5%.
    pub equal_within: f64,
    /// A mean is judged once a call as rare as one in this number would have been seen; `None` to judge
    /// without that condition.
    pub rare_calls: Option<f64>,
}

impl Rules {
    /// Fewest windows of a decision: a level that lasts for a whole short measurement looks like a
    /// difference.
    pub const MIN_WINDOWS: u64 = 50;
    /// Shortest time from the first window to the last for a claim about a bound that is decided before the end.
    pub const SPAN_NS: u64 = 10_000_000_000;
    /// Fewest windows of an instance that counts among several.
    pub const MIN_OF_INSTANCE: usize = 8;
    /// Factor by which an instance differs from the others before it is named.
    pub const ODD: f64 = 1.1;
    /// Fewest windows in autocorrelation times: below this number those times are unknown.
    pub const MIN_EFFECTIVE: f64 = 30.0;
    /// Scale of the mixture of effects: differences of 20% are found earliest.
    pub const SCALE: f64 = 0.2;
    /// Values are clipped at this multiple of the side's median, or where more than [`Rules::RARE`] of a side's
    /// calls take over [`Rules::TYPICAL`] times its median, at that much more of it.
    pub const CLIP: f64 = 10.0;
    /// Typical times of a side are clipped at this multiple of its median.
    pub const TYPICAL: f64 = 3.0;
    /// Largest share of a side's calls that are rare: a greater share, in enough bursts, is a part of what the method does.
    pub const RARE: f64 = 0.05;
    /// Fewest independent bursts of long calls for a known total time of theirs.
    pub const MIN_BURSTS: f64 = 20.0;
    /// The same number where hardly any call lies on the other side of a bound.
    pub const MIN_FAR: f64 = 20.0;
    /// The same number where two sides are compared: near the quantiles their differences within windows
    /// decide.
    pub const MIN_FAR_OF_TWO: f64 = 10.0;
    /// Fewest calls of a window beyond a quantile, on average, for the window to show where the quantile
    /// lies.
    pub const MIN_BEYOND: f64 = 5.0;
    /// A bound is far from a quantile if the calls on its other side are fewer by this factor than the
    /// quantile's share.
    pub const FAR: f64 = 5.0;
    /// Share by which a ratio in a measured JVM differs from that of the same code alone or in another JVM,
    /// because of the compiler and of neighbouring code: 1.3% was seen for medians, 2% for means of 200 ns.
    pub const RESOLUTION: f64 = 0.02;
    /// Least time of a mean without the probe's, nanoseconds: a call takes some.
    pub const LEAST_NS: f64 = 1.0;
    /// Share by which the probe's own time may differ from the calibrated one.
    pub const PROBE_DOUBT: f64 = 0.25;
    /// Tails of the two sides count as unlike when the probability of such a difference by chance is at most
    /// this.
    pub const UNLIKE_TAILS: f64 = 0.1;
    /// Long calls of both sides together below which that probability is [`Rules::UNLIKE_FEW`]: even one more
    /// call may dominate a mean.
    pub const MANY_LONG: u64 = 10;
    /// See [`Rules::MANY_LONG`].
    pub const UNLIKE_FEW: f64 = 0.5;

    /// Calls of the shorter side that a decision on means needs, if the other side is longer by the share
    /// `gap` of it. Unseen calls are rarer than ln(4/level)/n. If each takes up to `rare_calls` times the
    /// mean, they must not make up for the gap, and must be rarer than one in `rare_calls`. If the shorter side is a bound,
    /// calls of the other one are needed: unseen ones that take no time must not make up for the gap, and long ones cannot.
    pub(super) fn calls_for_mean(&self, gap: f64, is_above_bound: bool) -> f64 {
        let needed = |rare: f64| if is_above_bound { 1.0 + gap.recip() } else { rare / gap.max(1.0) };
        self.rare_calls.map_or(0.0, |rare| (4.0 / self.level).ln() * needed(rare))
    }
}

/// Missing data of a decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// The missing data, in words.
    pub what: String,
    /// Number of windows that are needed in all, if known.
    pub windows: Option<f64>,
}

impl Need {
    pub(super) const EVIDENCE: &str = "the evidence does not suffice either way";

    pub(super) fn new(what: impl Into<String>, windows: Option<f64>) -> Self {
        Self { what: what.into(), windows }
    }

    /// Need of evidence, where nothing else is known to be missing.
    pub(super) fn evidence(windows: Option<f64>) -> Self {
        Self::new(Self::EVIDENCE, windows)
    }

    /// Whether it says no more than that the evidence does not suffice.
    pub(super) fn is_vague(&self) -> bool {
        self.what == Self::EVIDENCE
    }

    /// Need of more windows.
    pub(super) fn windows(needed: usize, windows: usize) -> Self {
        let what =
            format!("{needed} windows with calls of all its methods are needed, and there are {windows}");
        Self::new(what, Some(needed as f64))
    }

    /// Note that nothing is left of the times without what measuring takes.
    pub(super) fn too_short() -> Self {
        Self::new("the times are not longer than what the clock and the probe take", None)
    }

    /// Need of calls of the shorter side of a mean, or of the other one if that side is a bound.
    pub(super) fn calls(needed: f64, calls: u64, windows: f64, is_above_bound: bool) -> Self {
        let rare = if is_above_bound { "short" } else { "long" };
        let what = format!(
            "means need {needed:.0} calls, so that rare {rare} ones are among them (rare-calls), and medians fewer; \
             there are {calls}"
        );
        Self::new(what, Some(windows * needed / calls as f64))
    }

    /// Note that the long calls, which are clipped, turn the result round.
    pub(super) fn without_long_calls() -> Self {
        Self::new("rare long calls decide: with them the means are the other way round", None)
    }

    /// Need of more windows because they depend on each other.
    pub(super) fn dependent(windows: f64, effective: f64, needed: f64) -> Self {
        let what = format!(
            "the times depend on each other: {windows:.0} windows tell as much as {:.0}, and {needed:.0} are needed",
            short_of(effective, needed)
        );
        Self::new(what, Some(windows * needed / effective))
    }

    /// Note that calls of this number of windows had not ended.
    pub(super) fn censored(windows: u64) -> Self {
        Self::new(format!("calls of {windows} windows had not ended when they were judged"), None)
    }

    /// Note that the sides are too near to the limit.
    pub(super) fn farther() -> Self {
        let percent = Rules::RESOLUTION * 100.0;
        let what = format!(
            "so far the sides seem within {percent:.0}% of the limit, which differs as much from one JVM to the next; `=` asks for that"
        );
        Self::new(what, None)
    }

    /// Note that instances differ too much for their number.
    pub(super) fn instances(instances: u64, between: f64) -> Self {
        let percent = between.sqrt().exp_m1() * 100.0;
        let what = format!(
            "the {instances} instances differ from each other by about {percent:.0}%, too much for a mean of \
             all; `for all instances:` asks for each of them"
        );
        Self::new(what, None)
    }

    /// Note that the self-check failed.
    pub(super) fn contradiction() -> Self {
        let what = "parts of the measurement contradict each other: the times changed in the course of it";
        Self::new(what, None)
    }
}

/// A whole number that is less than the needed one, even where rounding would reach it.
pub(super) fn short_of(seen: f64, needed: f64) -> f64 {
    seen.round().min(needed - 1.0)
}

/// Evidence for one direction of a claim.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weight {
    /// p-value against the contrary; 1 while data are missing.
    pub(super) p: f64,
    /// Missing data, even if the evidence suffices.
    pub(super) need: Option<Need>,
}

impl Weight {
    pub(super) fn none(need: Need) -> Self {
        Self { p: 1.0, need: Some(need) }
    }

    /// Weight of an e-value's logarithm.
    pub(super) fn of(ln_e: f64) -> Self {
        Self { p: if ln_e.is_nan() { 1.0 } else { (-ln_e).exp().min(1.0) }, need: None }
    }

    /// Weight of both together.
    pub(super) fn both(self, other: Self) -> Self {
        if self.p >= other.p { self } else { other }
    }

    /// Weight of either of two.
    pub(super) fn either(self, other: Self) -> Self {
        let better = if self.p <= other.p { self } else { other };
        Self { p: (2.0 * better.p).min(1.0), need: better.need }
    }
}
