//! Replay of a run with its recorded samples. The rules are those of the run, because scheduler and judges
//! are the same.

use crate::config::{Config, Judge};
use crate::instances::origin;
use crate::probe_time;
use crate::recorded::Recorded;
use crate::results::Results;
use crate::resume::{WindowsOf, instance_of};
use crate::sequential::Sequential;
use crate::setup::Setup;
use spl_lang::{Program, RunMode};
use spl_model::Sample;
use spl_records::context::Measured;
use spl_scheduler::{Action, Decision, Event, MethodIx, Scheduler, Settings};
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

/// Number of samples that the scheduler gets at once.
const PART: usize = 4096;

/// Number of equal slices of time; each takes the calls that were recorded without windows in it.
const SLICES: u64 = 100;

/// Results of a replay.
#[derive(Debug)]
pub struct Replay<'a> {
    program: &'a Program,
    config: &'a Config,
    scheduler: Scheduler,
    sequential: Option<Sequential>,
    results: Results,
    waiting: Vec<(MethodIx, Sample)>,
    /// The instance of each window.
    instances: WindowsOf,
    order: Order,
    samples: u64,
}

/// Puts samples in the order of their windows. They come in the order of their ends, so a long call comes
/// long after its window.
#[derive(Debug, Default)]
struct Order {
    /// The newest window of each group, and the most windows that a call of it may lag behind.
    newest: BTreeMap<usize, (u64, u64)>,
    held: BTreeMap<(usize, u64), Vec<(MethodIx, Sample)>>,
}

/// Findings of a first reading of the samples.
#[derive(Debug, Default)]
struct Survey {
    order: Order,
    /// The earliest start and the latest one, nanoseconds.
    span_ns: Option<(u64, u64)>,
    windows: bool,
}

impl<'a> Replay<'a> {
    /// Goes through the samples in a folder, which are of these programs. `tell` gets a message if they are judged by
    /// another method than the configured one.
    ///
    /// # Errors
    /// When the samples cannot be read; one line of text.
    pub fn of(
        setup: &'a Setup,
        folder: &Path,
        programs: &[Measured],
        tell: &mut dyn FnMut(&str),
    ) -> Result<Self, String> {
        let config = &setup.config;
        let of_settings =
            |settings| Scheduler::of_program(settings, &setup.program).map_err(|e| e.to_string());
        let settings = Settings { warm_up: None, budget: None, ..config.scheduler.clone() };
        let mut scheduler = of_settings(settings.clone())?;
        let mut windowed = settings.paired.is_some() && settings.mode == RunMode::Comparison;
        let Survey { order, span_ns, windows } =
            if windowed { Survey::of(setup, folder, &scheduler)? } else { Survey::default() };
        if windowed && !windows && span_ns.is_some() {
            if config.judge == Judge::Welch {
                tell("these calls were recorded without windows: all are compared, as by policy = delay");
                scheduler = of_settings(Settings { paired: None, ..settings })?;
                windowed = false;
            } else {
                tell(&format!(
                    "these calls were recorded without windows: their time is divided into {SLICES} parts"
                ));
            }
        }
        let mut sequential = (config.judge == Judge::Sequential).then(|| Sequential::of(setup));
        if let Some(sequential) = &mut sequential {
            let several = config.programs > 1;
            let probe = |one: &Measured| Some((origin(one.pid, &one.instance, several), one.probe_empty_ps?));
            let probes = programs.iter().filter_map(probe);
            for (instance, ns) in probe_time::of_instances(probes, config.tells_instances()) {
                sequential.probe_takes(&instance, ns);
            }
        }
        let mut replay = Self {
            program: &setup.program,
            config,
            scheduler,
            sequential,
            results: Results::default(),
            waiting: Vec::with_capacity(PART),
            instances: WindowsOf::new(),
            order,
            samples: 0,
        };
        let at_once = config.tells_instances();
        let mut recorded = Recorded::of_runs(folder, &setup.methods(), at_once)?;
        while let Some((method, mut sample, run)) = recorded.next_of_run()? {
            if let (true, Some(window), Some(name)) = (at_once, sample.window, recorded.run(run)) {
                replay.instances.entry((method, window)).or_insert_with(|| Arc::clone(name));
            }
            replay.samples += 1;
            if let (false, true, Some((first, last))) = (windows, windowed, span_ns) {
                sample.window = Some(1 + slice(sample.start_ns() - first, last - first));
            }
            match sample.window.filter(|_| windowed) {
                Some(window) => {
                    let group = replay.scheduler.group_of(method);
                    let due = replay.order.hold(group, window, (method, sample));
                    due.into_iter().for_each(|window| replay.take_window(window));
                }
                None => replay.take(method, sample),
            }
        }
        while let Some((_, window)) = replay.order.held.pop_first() {
            replay.take_window(window);
        }
        replay.tell_waiting();
        replay.tell(Event::Finish);
        replay.results.correct(replay.program, replay.config);
        Ok(replay)
    }

    /// Takes the samples of one window. A part ends where a window does: decisions in one window must be
    /// known before the next window is judged.
    fn take_window(&mut self, samples: Vec<(MethodIx, Sample)>) {
        samples.into_iter().for_each(|(method, sample)| self.take(method, sample));
        self.tell_waiting();
    }

    fn take(&mut self, method: MethodIx, sample: Sample) {
        if self.waiting.len() == PART {
            self.tell_waiting();
        }
        // Once all claims are decided, the other samples are only read and checked.
        if !self.scheduler.is_done() {
            self.waiting.push((method, sample));
        }
    }

    fn tell_waiting(&mut self) {
        let samples = std::mem::replace(&mut self.waiting, Vec::with_capacity(PART));
        self.tell(Event::Resume { decided: Vec::new(), samples });
    }

    fn tell(&mut self, event: Event) {
        let mut events = VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            for Decision { action, .. } in self.scheduler.handle(event, 0) {
                events.extend(self.carry_out(action));
            }
        }
    }

    /// Carries out a decision and keeps its results; gives the events for the scheduler.
    fn carry_out(&mut self, action: Action) -> Vec<Event> {
        match (action, &mut self.sequential) {
            (Action::Turns(turns), Some(sequential)) => {
                let results =
                    sequential.window(&turns, instance_of(&turns, &self.instances).unwrap_or_default());
                let decided = results.claims(self.program.claim_numbers());
                self.results.evaluations.extend(results.evaluations);
                self.results.assertions.extend(results.assertions);
                return decided.into_iter().map(Event::Decided).collect();
            }
            (Action::Evaluated(evaluation), Some(sequential)) => {
                self.results.evaluations.extend(sequential.ended(*evaluation));
            }
            (Action::Asserted(asserted), Some(sequential)) => {
                self.results.assertions.extend(sequential.ended_assertion(*asserted));
            }
            (Action::Evaluated(evaluation), None) => self.results.evaluations.push(*evaluation),
            (Action::Asserted(asserted), _) => self.results.assertions.push(*asserted),
            _ => {}
        }
        Vec::new()
    }

    /// Whether any samples were read.
    pub fn has_samples(&self) -> bool {
        self.samples > 0
    }

    /// The results, in the order in which they came.
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// The scheduler as the samples left it.
    pub fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }

    /// State of the sequential mode, where it judged.
    pub fn sequential(&self) -> Option<&Sequential> {
        self.sequential.as_ref()
    }
}

impl Survey {
    /// Reads the samples once, to find how far they lag behind their windows, or the time that they span.
    fn of(setup: &Setup, folder: &Path, scheduler: &Scheduler) -> Result<Self, String> {
        let mut survey = Self::default();
        let mut recorded = Recorded::of_runs(folder, &setup.methods(), setup.config.tells_instances())?;
        while let Some((method, sample)) = recorded.next_sample()? {
            let start_ns = sample.start_ns();
            let (first, last) = survey.span_ns.unwrap_or((start_ns, start_ns));
            survey.span_ns = Some((first.min(start_ns), last.max(start_ns)));
            let Some(window) = sample.window else { continue };
            survey.windows = true;
            let (newest, behind) = survey.order.newest.entry(scheduler.group_of(method)).or_default();
            *newest = window.max(*newest);
            *behind = (*newest - window).max(*behind);
        }
        survey.order.newest.values_mut().for_each(|(newest, _)| *newest = 0);
        Ok(survey)
    }
}

impl Order {
    /// Holds a call back, and gives the windows of its group that are complete.
    fn hold(
        &mut self,
        group: usize,
        window: u64,
        sample: (MethodIx, Sample),
    ) -> Vec<Vec<(MethodIx, Sample)>> {
        self.held.entry((group, window)).or_default().push(sample);
        let (newest, behind) = self.newest.entry(group).or_insert((0, u64::MAX));
        if window <= *newest {
            return Vec::new();
        }
        *newest = window;
        let complete = window.saturating_sub(*behind);
        let numbers: Vec<_> = self.held.range((group, 0)..(group, complete)).map(|(key, _)| *key).collect();
        numbers.iter().filter_map(|key| self.held.remove(key)).collect()
    }
}

/// The slice of the whole time that contains a moment.
fn slice(after_ns: u64, whole_ns: u64) -> u64 {
    let slice = u128::from(after_ns) * u128::from(SLICES) / (u128::from(whole_ns) + 1);
    u64::try_from(slice).unwrap_or(SLICES)
}
