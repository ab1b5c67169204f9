//! What a decision by windows asks for.

/// How claims are decided by windows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Accepted probability of either wrong decision on a claim, over all looks.
    pub level: f64,
    /// How far apart the sides of a bare `=` may be: 0.05 is 5%.
    pub equal_within: f64,
    /// A mean is judged when a call as rare as one in so many would have been seen; `None` as soon as the rest suffices.
    pub rare_calls: Option<f64>,
}

impl Rules {
    /// Fewest windows of a decision: a level that stays for the whole measurement looks like a difference.
    pub const MIN_WINDOWS: u64 = 50;
    /// Fewest windows in autocorrelation times: below, these are not known.
    pub const MIN_EFFECTIVE: f64 = 30.0;
    /// Scale of the mixture of effects: differences of 20% are found earliest.
    pub const SCALE: f64 = 0.2;
    /// Values are clipped at this multiple of the side's median.
    pub const CLIP: f64 = 10.0;
    /// What is typical of a side is clipped at this multiple of its median.
    pub const TYPICAL: f64 = 3.0;
    /// Fewest independent bursts of long calls by which how much they take is known.
    pub const MIN_BURSTS: f64 = 20.0;
    /// The same where hardly any call lies on the other side of a bound.
    pub const MIN_FAR: f64 = 20.0;
    /// The same where two sides are compared: near the quantiles their differences within windows decide.
    pub const MIN_FAR_OF_TWO: f64 = 10.0;
    /// Fewest calls of a window that lie beyond a quantile on average, by which the window shows where it lies.
    pub const MIN_BEYOND: f64 = 5.0;
    /// So many times fewer calls than a quantile lets expect lie on the other side of a bound that is far from it.
    pub const FAR: f64 = 5.0;
    /// Part by which a ratio in a measured JVM differs from that of the same code by itself or in another JVM, through what the compiler
    /// makes of it and what lies beside it: 1.3% was seen of medians, 2% of means of 200 ns.
    pub const RESOLUTION: f64 = 0.02;
    /// Part by which the probe's own time may differ from what was calibrated.
    pub const PROBE_DOUBT: f64 = 0.25;
    /// Tails of both sides count as unlike when chance would make the one this much longer with at most this probability.
    pub const UNLIKE_TAILS: f64 = 0.1;
    /// Long calls of both sides together below which that probability is [`Rules::UNLIKE_FEW`]: even one call more may make a mean.
    pub const MANY_LONG: u64 = 10;
    /// See [`Rules::MANY_LONG`].
    pub const UNLIKE_FEW: f64 = 0.5;

    /// Calls of the shorter side that a decision on means needs, if the sides are apart by the part `gap` of it. Calls that
    /// nobody has seen are rarer than ln(4/level)/n; with up to `rare_calls` times the mean each they must not make up for the
    /// gap, nor be as rare as one in `rare_calls` only.
    pub(super) fn calls_for_mean(&self, gap: f64) -> f64 {
        self.rare_calls.map_or(0.0, |rare| (4.0 / self.level).ln() * rare / gap.max(1.0))
    }
}

/// What is missing for a decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// In words.
    pub what: String,
    /// Windows that there have to be in all, as far as that can be told.
    pub windows: Option<f64>,
}

impl Need {
    pub(super) fn new(what: impl Into<String>, windows: Option<f64>) -> Self {
        Self { what: what.into(), windows }
    }

    /// There are fewer windows than are needed.
    pub(super) fn windows(needed: usize, windows: usize) -> Self {
        let what =
            format!("{needed} windows with calls of all its methods are needed, and there are {windows}");
        Self::new(what, Some(needed as f64))
    }

    /// Windows tell less than their number.
    pub(super) fn dependent(windows: f64, effective: f64, needed: f64) -> Self {
        let what = format!(
            "the times depend on each other: {windows:.0} windows tell as much as {:.0}, and {needed:.0} are needed",
            short_of(effective, needed)
        );
        Self::new(what, Some(windows * needed / effective))
    }

    /// Calls of so many windows had not ended.
    pub(super) fn censored(windows: u64) -> Self {
        Self::new(format!("calls of {windows} windows had not ended when they were judged"), None)
    }

    /// The sides would have to lie farther from the limit.
    pub(super) fn farther() -> Self {
        let percent = Rules::RESOLUTION * 100.0;
        let what = format!(
            "the sides are within {percent:.0}% of the limit, which differs as much from one JVM to the next; `=` asks for that"
        );
        Self::new(what, None)
    }

    /// The self-check fails.
    pub(super) fn contradiction() -> Self {
        let what = "parts of the measurement contradict each other: the times changed in the course of it";
        Self::new(what, None)
    }
}

/// A number in whole ones that is less than what is needed, also where it would be rounded to that.
pub(super) fn short_of(seen: f64, needed: f64) -> f64 {
    seen.round().min(needed - 1.0)
}

/// What speaks for one direction of a claim.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weight {
    /// p-value against the contrary; 1 while something is missing.
    pub(super) p: f64,
    /// What is missing although the evidence may suffice.
    pub(super) need: Option<Need>,
}

impl Weight {
    pub(super) fn none(need: Need) -> Self {
        Self { p: 1.0, need: Some(need) }
    }

    /// Of an e-value's logarithm.
    pub(super) fn of(ln_e: f64) -> Self {
        Self { p: if ln_e.is_nan() { 1.0 } else { (-ln_e).exp().min(1.0) }, need: None }
    }

    /// Of both together.
    pub(super) fn both(self, other: Self) -> Self {
        if self.p >= other.p { self } else { other }
    }

    /// Of either of two.
    pub(super) fn either(self, other: Self) -> Self {
        let better = if self.p <= other.p { self } else { other };
        Self { p: (2.0 * better.p).min(1.0), need: better.need }
    }
}
