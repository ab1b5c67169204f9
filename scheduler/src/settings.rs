//! Settings of the operator (thesis 3.3.2, sections `scheduler`, `controller` and `evaluator`).

use spl_lang::RunMode;
use spl_model::Scale;

/// Samples that each side needs for a variance, and so for a test (thesis 3.2.7).
pub(crate) const MIN_SIDE: usize = 2;

/// The scheduler's settings. [`Settings::thesis`] has the thesis's defaults and no additions to the thesis.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// `initial-optimal-measurements`: methods measured at once when measurement starts.
    pub initial_optimal: usize,
    /// `min-measuring-diff`: under this smoothed time between two measurement ends, fewer methods are
    /// measured.
    pub min_diff_ns: u64,
    /// `max-measuring-diff`: over this smoothed time between two measurement ends, or over this time without
    /// any sample, more methods are measured.
    pub max_diff_ns: u64,
    /// `time-diff-weight`: weight of the old difference against the newest one, which has 1.
    pub weight: u32,
    /// `max-method-measurements`: samples of a method, over all sizes, after which it is finished.
    pub max_samples: u64,
    /// `min-method-measurements`: samples that fill a bucket.
    pub min_samples: u64,
    /// `spl.client.measurements`, when the agent has such a limit: if it is below `max_samples`, it replaces
    /// it.
    pub agent_limit: Option<u64>,
    /// `arguments-size-scale` and its base: the scale that assigns sizes to buckets.
    pub scale: Scale,
    /// `limit-p-value` of the evaluation.
    pub limit_p: f64,
    /// `run-mode`: whether comparisons are evaluated and end measurements.
    pub mode: RunMode,
    /// Warm-up: samples that are discarded after the probes of a method went in; the thesis discards none.
    pub warm_up: Option<WarmUp>,
    /// `discard-disturbed`: whether calls are discarded that a garbage collection, or one of our own changes
    /// of classes, overlapped; the thesis discards none.
    pub discard_disturbed: bool,
    /// `suspend-restore-after`: nanoseconds that the probes of a suspended or finished method stay in behind
    /// a closed gate while others are measured. 0, as in the thesis: they come out at once. Those of a
    /// suspended method stay in to its end where methods take turns ([`Settings::listening`]), unless this is
    /// 0, and where the owner decides.
    pub restore_after_ns: u64,
    /// `instrument-ahead`: most methods whose probes wait for their measurement behind closed gates. Their
    /// probes go in when classes change anyway, because code is then compiled again only once. The thesis has
    /// none.
    pub instrument_ahead: usize,
    /// `settle-time`: nanoseconds of the owner's clock that the gates of a changed class's methods stay
    /// closed. Calls say nothing until the class is compiled again, and taking them costs most. The thesis
    /// has no such time.
    pub settle_ns: u64,
    /// Most changes of classes in any minute; decisions in between are merged. Without a limit changes follow
    /// each event, which is the thesis's merging per `cycle-sleep` where the owner handles one event a cycle.
    pub changes_per_minute: Option<u32>,
    /// Ceiling of the probes' cost; the thesis has none.
    pub budget: Option<Budget>,
    /// Methods that begin to listen with one change of classes. Methods that are not called then give their
    /// places to waiting ones, and measured methods do so after a share of the time. Without windows only;
    /// 0, as in the thesis: none of this.
    pub listening: usize,
    /// Paired sampling in windows, in comparison mode: the policy `paired`. The thesis's policy is `delay`.
    pub paired: Option<Paired>,
}

/// Windows that the methods of a comparison share, so that changing load affects both sides alike.
///
/// Methods that are compared with each other, directly or through other methods, are measured as a group.
/// Their probes go in together. In each window every gate is open for one turn, in the reverse order in every
/// second window. The law counts groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paired {
    /// Shortest turn of a gate, nanoseconds of the owner's clock. A turn also lasts at least
    /// [`Paired::MEDIANS`], or [`Paired::FEW_MEDIANS`], times the median call of the slowest method of the
    /// group, once that is known.
    pub min_turn_ns: u64,
    /// Longest wait for outstanding calls before the next gate opens, nanoseconds of the owner's clock. Calls
    /// that outlast it are kept and counted as overlapped.
    pub overlap_bound_ns: u64,
    /// Longest wait for outstanding calls before a window is closed without them, nanoseconds of the owner's
    /// clock. The wait is shorter where no call has taken long: three times the longest call, but at least
    /// ten seconds.
    pub longest_wait_ns: u64,
    /// True if the owner examines each window and says which comparisons are decided
    /// ([`Event::Decided`](crate::Event)), as a sequential test does; full buckets then decide nothing.
    pub owner_decides: bool,
}

impl Paired {
    /// Length of a turn in median calls of the slowest method: few calls then reach beyond the turn.
    pub const MEDIANS: u64 = 20;
    /// Least number of windows over which the samples of a busy method are spread: four times the number that
    /// a sequential test needs.
    pub const WINDOWS: u64 = 200;
    /// Samples of a turn that are always allowed.
    pub const LEAST: u64 = 10;
    /// Least number of groups that are measured at once where the owner decides.
    pub const GROUPS: usize = 8;
    /// Divisor of [`Paired::min_turn_ns`] for the shortest turn. It applies to a method that is called often
    /// enough where the owner decides, else where all methods of the group are.
    pub const SHORTEST: u64 = 5;
    /// The same divisor in the first windows with calls of all methods of a group, where the owner decides: no
    /// claim is decided before there are 50 of them.
    pub const FIRST_SHORTEST: u64 = 10;
    /// Number of these windows.
    pub const FIRST_WINDOWS: u64 = 80;
    /// Most of the last 16 windows that may lack calls of a method for turns of this length: where calls come in
    /// bursts, shorter turns meet them together less often.
    pub const FEW_MISSED: u32 = 4;
    /// Length of a turn in median calls where the owner decides, in place of [`Paired::MEDIANS`]: a window
    /// waits for its calls, and many windows say more than many calls in one.
    pub const FEW_MEDIANS: u64 = 5;
    /// Most samples of a turn where the owner decides. Windows vary more than calls do, so more calls would
    /// add little.
    pub const CALLS: u64 = 100;
    /// The same number in the first windows ([`Paired::FIRST_WINDOWS`]): a mean near its limit needs thousands of calls.
    /// All methods of the group go over to the smaller number together, so that no side's first windows weigh more than
    /// twice as much as the other's.
    pub const FIRST_CALLS: u64 = 200;
    /// The same number while the program warms up: enough to know how long turns should be.
    pub const COLD_CALLS: u64 = 40;
    /// Largest sampling interval where the owner decides and there is no budget: at least one call in this
    /// number is taken.
    pub const MOST_EVERY: u32 = 64;
    /// Calls of a turn that are enough where the owner decides; with twice this number the turns become
    /// shorter.
    pub const ENOUGH: u64 = 4;
    /// Time that a group is measured before a waiting group takes its place, where the owner decides,
    /// nanoseconds.
    pub const SHARE_NS: u64 = 4_000_000_000;

    /// Least length of a turn, in median calls.
    pub(crate) fn medians(&self) -> u64 {
        if self.owner_decides { Self::FEW_MEDIANS } else { Self::MEDIANS }
    }

    /// Number of windows whose medians are the measure of the calls' length.
    pub(crate) fn remembered(&self) -> usize {
        if self.owner_decides { 9 } else { 1 }
    }

    /// Number of calls that a method needs in a turn to get shorter turns.
    pub(crate) fn enough(&self) -> u64 {
        if self.owner_decides { Self::ENOUGH } else { Self::LEAST }
    }

    /// Nanoseconds to whose multiples the ends of all groups' turns are rounded where the owner decides, so
    /// that the agent wakes once for all of them.
    pub(crate) fn beat_ns(&self) -> u64 {
        if self.owner_decides { self.min_turn_ns / (2 * Self::SHORTEST) } else { 0 }
    }
}

/// An overhead ceiling. The CPU time that measuring may cost is saved up for at most a tenth of a second. A
/// gate opens for the number of samples that the savings pay for, and closes by itself after them. Rates of
/// calls come from arriving and lost samples. The sampling of a method is therefore known after its gate has
/// closed by itself or was open for a window; until then it takes every call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Nanoseconds of CPU time that probes and the agent's thread may take in a second: 1% of a program that
    /// keeps two cores busy is 20,000,000.
    pub ceiling_ns_per_s: u64,
    /// Cost of a call that is taken, picoseconds of CPU time; the agent calibrates it.
    pub sample_cost_ps: u64,
    /// Recent average CPU time of the agent's own thread for such a call, to take it out of the program and
    /// to send it, picoseconds.
    pub agent_cost_ps: u64,
    /// CPU time that the agent's thread may take in addition to the ceiling, nanoseconds in a second. The
    /// thread polls even when samples are few, and would otherwise use up the budget of a program that mostly
    /// waits. 0 where no processor is idle.
    pub agent_spare_ns_per_s: u64,
    /// Cost of a call that an open gate passes over, picoseconds of CPU time.
    pub skip_cost_ps: u64,
    /// Cost of a call that finds the gate closed, picoseconds of CPU time. Nothing bounds the number of such
    /// calls.
    pub closed_cost_ps: u64,
    /// Additional cost of a taken call for each unit of its workload size, picoseconds of CPU time. Finding
    /// sizes that count all reachable objects takes longer than everything else. 0 where sizes cost nothing.
    pub size_cost_ps: u64,
    /// Open time of a gate over which its calls are counted, nanoseconds.
    pub window_ns: u64,
    /// Largest sampling interval: one call in this number. A method that is still too expensive is measured
    /// from time to time.
    pub max_every: u32,
}

/// Bounds of the samples that are discarded after a method's probes went in, which discards its compiled
/// code. A sample is discarded while either bound is not reached, and whenever the agent flagged it as
/// warm-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarmUp {
    /// Discard this many samples.
    pub samples: u64,
    /// Discard calls that start within this time after the start of the first one.
    pub time_ns: u64,
}

impl Settings {
    /// [`Settings::listening`] of the controller: probes in 64 methods of a few classes disturb a program little.
    pub const LISTENING: usize = 64;

    /// The thesis's defaults (3.3.2).
    #[must_use]
    pub fn thesis() -> Self {
        Self {
            initial_optimal: 3,
            min_diff_ns: 1_000_000,
            max_diff_ns: 100_000_000,
            weight: 3,
            max_samples: 1000,
            min_samples: 50,
            agent_limit: None,
            scale: Scale::Linear { base: 100 },
            limit_p: 0.05,
            mode: RunMode::Comparison,
            warm_up: None,
            discard_disturbed: false,
            restore_after_ns: 0,
            instrument_ahead: 0,
            settle_ns: 0,
            changes_per_minute: None,
            budget: None,
            listening: 0,
            paired: None,
        }
    }

    /// Samples after which a method is finished: the smaller of the controller's and the agent's limit.
    /// Without the agent's limit here the method would never end (thesis 3.3.1).
    #[must_use]
    pub fn effective_max(&self) -> u64 {
        self.agent_limit.map_or(self.max_samples, |limit| limit.min(self.max_samples))
    }

    /// Whether the agent's limit replaces the controller's, which deserves a warning.
    #[must_use]
    pub fn agent_limit_rules(&self) -> bool {
        self.effective_max() < self.max_samples
    }

    /// Number of samples that a gate takes in one turn of a window; `None` (no limit) without windows. A busy
    /// method would fill its maximum in a few windows, and time would not be shared. It therefore gets enough
    /// for [`Paired::WINDOWS`] windows. Where the owner decides it gets at most [`Paired::CALLS`], or
    /// [`Paired::FIRST_CALLS`] in its group's first windows.
    #[must_use]
    pub fn turn_quota(&self, is_first: bool) -> Option<u64> {
        let fair = (self.effective_max() / Paired::WINDOWS).max(Paired::LEAST);
        let most = if is_first { Paired::FIRST_CALLS } else { Paired::CALLS };
        self.windows().map(|windows| if windows.owner_decides { fair.min(most) } else { fair })
    }

    /// Whether the owner decides by windows.
    pub(crate) fn owner_decides(&self) -> bool {
        self.windows().is_some_and(|windows| windows.owner_decides)
    }

    /// Settings of the windows, where there is something to compare.
    pub(crate) fn windows(&self) -> Option<Paired> {
        self.paired.filter(|_| self.mode == RunMode::Comparison)
    }

    /// # Errors
    /// When the settings contradict themselves or could never give a result.
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        if self.min_diff_ns > self.max_diff_ns {
            return Err(SettingsError::Bounds { min_ns: self.min_diff_ns, max_ns: self.max_diff_ns });
        }
        if self.initial_optimal == 0 {
            return Err(SettingsError::NoMethod);
        }
        if self.effective_max() == 0 {
            return Err(SettingsError::NoSample);
        }
        if self.mode == RunMode::Comparison && self.min_samples < MIN_SIDE as u64 {
            return Err(SettingsError::TooFewForTest(self.min_samples));
        }
        if self.changes_per_minute == Some(0) {
            return Err(SettingsError::NoChange);
        }
        if !(self.limit_p > 0.0 && self.limit_p < 1.0) {
            return Err(SettingsError::LimitP(self.limit_p));
        }
        Ok(())
    }
}

/// Settings that contradict each other or can't work.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// Every difference would be too short or too long.
    #[error("min-measuring-diff ({min_ns} ns) is over max-measuring-diff ({max_ns} ns)")]
    Bounds {
        /// `min-measuring-diff`
        min_ns: u64,
        /// `max-measuring-diff`
        max_ns: u64,
    },
    /// Nothing would be measured.
    #[error("initial-optimal-measurements must be at least 1")]
    NoMethod,
    /// No sample would be allowed.
    #[error("max-method-measurements and spl.client.measurements must be at least 1")]
    NoSample,
    /// No probe could ever go in.
    #[error("at least 1 change of classes a minute must be allowed")]
    NoChange,
    /// A bucket would be full before it has a variance (thesis 3.2.7).
    #[error("min-method-measurements must be at least 2 to compare methods, not {0}")]
    TooFewForTest(u64),
    /// A comparison or an assertion of a method that is not in the task list.
    #[error("claim {claim} names a method that is not in the list")]
    UnknownMethod {
        /// Index of the comparison, or of the assertion after the comparisons.
        claim: usize,
    },
    /// The value is not a probability.
    #[error("limit-p-value must lie between 0 and 1, not {0}")]
    LimitP(f64),
}
