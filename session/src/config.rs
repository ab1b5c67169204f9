//! Configuration of a measurement: the checked values, independent of the file or command line that they came
//! from.

use spl_lang::RunMode;
use spl_model::{Scale, Sizing};
use spl_scheduler::{Paired, Settings, WarmUp};
use spl_verdict::{Correction, Rules};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The port of the thesis (3.3.2).
pub const DEFAULT_PORT: u16 = 38_692;

/// The controller's configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `initial-sleep`: pause between the agent's first message and the measurement.
    pub initial_sleep: InitialSleep,
    /// `cycle-sleep`: time between two communication cycles.
    pub cycle_sleep: Duration,
    /// `port`: where `spl serve` listens.
    pub port: u16,
    /// `programs`: number of programs that are measured at once; their samples count together.
    pub programs: usize,
    /// `argument-size`: how workload sizes are found.
    pub argument_size: Sizing,
    /// `argument-size = auto`: the tasks decide.
    pub automatic_size: bool,
    /// `size-visit-limit`: number of objects that the size `deep` visits for one argument.
    pub size_visit_limit: u32,
    /// `metaspace-limit`: bytes of metaspace that changes of classes may keep in the life of a JVM.
    pub metaspace_limit: u64,
    /// `processor-jar`: JAR with size processors, used besides the class loaders of the measured classes.
    pub processor_jar: Option<PathBuf>,
    /// `tasks-file`: the file that says what is measured and claimed.
    pub tasks_file: PathBuf,
    /// `output-dir`: where measurements are written.
    pub output_dir: PathBuf,
    /// `overwrite-measurements`: whether older measurement files are replaced.
    pub overwrite_measurements: bool,
    /// `human-readable-measurements`: the form of measurement files.
    pub human_measurements: bool,
    /// `measurements-to-flush`: samples of a method between two writes.
    pub measurements_to_flush: u64,
    /// `result-file-path`: where results are written.
    pub result_file: PathBuf,
    /// `overwrite-results`: whether an older result file is replaced.
    pub overwrite_results: bool,
    /// True for each of the two overwrite keys with the value `number`. If both have it, a run that finds
    /// older files gets a folder of its own.
    pub numbered: [bool; 2],
    /// `human-readable-results`: the form of the result file.
    pub human_results: bool,
    /// `overhead-budget`: part of the program's CPU time that probes may take, from 0 to 1.
    pub overhead_budget: Option<f64>,
    /// `method` of the evaluation.
    pub judge: Judge,
    /// `correction`: correction of the results for the number of claims.
    pub correction: Correction,
    /// `equal-within`: largest difference between the sides of a bare `=`, from 0 to 1, in the sequential
    /// mode.
    pub equal_within: f64,
    /// `rare-calls`: a mean is judged once a call as rare as one in this number would have been seen, in the
    /// sequential mode.
    pub rare_calls: Option<u64>,
    /// Settings of the scheduler.
    pub scheduler: Settings,
    /// `window`: the shortest turn of a compared method.
    pub window: Duration,
    /// `window-overlap`: longest wait for calls that reach beyond their turn.
    pub window_overlap: Duration,
    /// Search for the reasons of failed claims.
    pub drill: Drill,
}

/// The section `[drill]`: a search for the reasons of failed claims, after a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Drill {
    /// `claims = failed`: whether there is a search.
    pub failed: bool,
    /// `drill-time`: longest time of a search.
    pub longest: Duration,
    /// `drill-budget`: part of the program's CPU time that counting may take.
    pub budget: DrillBudget,
}

/// A value of `drill-budget`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DrillBudget {
    /// That of `overhead-budget`.
    OfProbes,
    /// Its own, from 0 to 1; `None` without a limit.
    Own(Option<f64>),
}

impl Default for Drill {
    fn default() -> Self {
        Self { failed: false, longest: Duration::from_secs(60), budget: DrillBudget::OfProbes }
    }
}

/// The time that a program has for its own warm-up before it is measured (`initial-sleep`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialSleep {
    /// Until the JVM's compilers have little to do, but not longer than the thesis waits, or than
    /// [`Self::LONGEST_PREPARED`]; as long as the thesis waits where they cannot be seen.
    Auto,
    /// A fixed time.
    Fixed(Duration),
}

impl InitialSleep {
    /// The thesis's pause (3.3.2).
    pub const OF_THESIS: Duration = Duration::from_millis(3000);

    /// The longest warm-up of a program that runs with its probes already: without them it lasts [`Self::OF_THESIS`] at most,
    /// and calls count a second after the compilation that the probes then cause.
    pub const LONGEST_PREPARED: Duration = Duration::from_millis(5000);

    /// The longest time that it may last where the program has no probes yet.
    #[must_use]
    pub fn longest(self) -> Duration {
        match self {
            Self::Auto => Self::OF_THESIS,
            Self::Fixed(time) => time,
        }
    }
}

/// Method of judging comparisons (`method`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    /// By Welch's test, once (thesis 3.2.7).
    Welch,
    /// After every window, as soon as the evidence suffices.
    Sequential,
}

/// The method's name in the configuration.
impl fmt::Display for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Welch => "welch",
            Self::Sequential => "sequential",
        })
    }
}

impl Default for Config {
    fn default() -> Self {
        let mut this = Self {
            initial_sleep: InitialSleep::Auto,
            cycle_sleep: Duration::from_millis(100),
            port: DEFAULT_PORT,
            programs: 1,
            argument_size: Sizing::None,
            automatic_size: true,
            size_visit_limit: 10_000,
            metaspace_limit: 16 * MEGABYTE,
            processor_jar: None,
            tasks_file: "instr.tasks".into(),
            output_dir: "out".into(),
            overwrite_measurements: true,
            human_measurements: true,
            measurements_to_flush: 50,
            result_file: "out/result.eval".into(),
            overwrite_results: true,
            numbered: [true; 2],
            human_results: true,
            overhead_budget: Some(0.01),
            judge: Judge::Sequential,
            correction: Correction::None,
            equal_within: 0.05,
            rare_calls: Some(2000),
            scheduler: Settings {
                max_samples: 100_000,
                scale: Scale::Logarithmic { base: 2 },
                paired: None,
                warm_up: Some(WARM_UP),
                restore_after_ns: 10_000_000_000,
                instrument_ahead: 8,
                settle_ns: 0,
                changes_per_minute: Some(60),
                listening: Settings::LISTENING,
                ..Settings::thesis()
            },
            window: Duration::from_millis(100),
            window_overlap: Duration::from_millis(100),
            drill: Drill::default(),
        };
        this.scheduler.paired = Some(this.turns());
        this
    }
}

/// Calls and time that are discarded after probes went in, in addition to calls that the agent knows to be
/// slower than compiled code.
pub const WARM_UP: WarmUp = WarmUp { samples: 5, time_ns: 100_000_000 };

/// Longest wait of a window for calls that began in it, nanoseconds.
pub const LONGEST_WAIT_NS: u64 = 60_000_000_000;

const MEGABYTE: u64 = 1 << 20;

impl Config {
    /// Whether the JVMs of the run are told apart: several are measured at once, by windows.
    #[must_use]
    pub fn tells_instances(&self) -> bool {
        self.programs > 1 && self.judge == Judge::Sequential
    }

    /// Sets the JAR with size processors; `none` sets no JAR. A leading colon is dropped, because the
    /// thesis's variable was appended to a class path.
    pub fn set_processor_jar(&mut self, value: &str) {
        let path = value.strip_prefix(':').unwrap_or(value);
        self.processor_jar = (!matches!(path, "" | "none")).then(|| path.into());
    }

    /// Whether a run that finds the results of another run gets a folder of its own.
    #[must_use]
    pub fn numbers_runs(&self) -> bool {
        self.numbered == [true; 2]
    }

    /// Puts measurements and results under one folder (`--out`).
    pub fn write_to(&mut self, out: &Path) {
        self.output_dir = out.join("measurements");
        self.result_file = out.join("result.eval");
    }

    /// Rules of the decisions by windows.
    #[must_use]
    pub fn rules(&self) -> Rules {
        Rules {
            level: self.scheduler.limit_p,
            equal_within: self.equal_within,
            rare_calls: self.rare_calls.map(|calls| calls as f64),
        }
    }

    /// Whether claims are judged whenever a window closes.
    #[must_use]
    pub fn looks(&self) -> bool {
        self.judge == Judge::Sequential && self.scheduler.mode == RunMode::Comparison
    }

    /// Whether the reasons of failed claims are looked for. Without claims none can fail.
    #[must_use]
    pub fn drills(&self) -> bool {
        self.drill.failed && self.scheduler.mode == RunMode::Comparison
    }

    /// Part of the program's CPU time that counting may take, from 0 to 1; `None` without a limit.
    #[must_use]
    pub fn drill_budget(&self) -> Option<f64> {
        match self.drill.budget {
            DrillBudget::OfProbes => self.overhead_budget,
            DrillBudget::Own(share) => share,
        }
    }

    /// Settings of the shared windows.
    #[must_use]
    pub fn turns(&self) -> Paired {
        Paired {
            min_turn_ns: nanos(self.window),
            overlap_bound_ns: nanos(self.window_overlap),
            longest_wait_ns: LONGEST_WAIT_NS,
            owner_decides: self.judge == Judge::Sequential,
        }
    }

    /// Judges recorded samples by another method than the configuration says (`--method`). The sequential
    /// method needs windows under every policy; samples recorded without windows are divided by time.
    pub fn judge_by(&mut self, judge: Judge) {
        self.judge = judge;
        let windows = self.scheduler.paired.is_some() || judge == Judge::Sequential;
        self.scheduler.paired = windows.then(|| self.turns());
    }

    /// Judges recorded samples once by Welch's test, with or without windows.
    pub fn judge_once(&mut self, paired: bool) {
        self.judge = Judge::Welch;
        self.scheduler.paired = paired.then(|| self.turns());
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
