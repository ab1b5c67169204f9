//! A run gone through again with the samples that it recorded: the rules are those of a run, because the scheduler and the
//! judges are the same.

use crate::config::{Config, Judge};
use crate::recorded::Recorded;
use crate::results::Results;
use crate::sequential::Sequential;
use crate::setup::Setup;
use spl_lang::{Program, RunMode};
use spl_model::Sample;
use spl_scheduler::{Action, Decision, Event, MethodIx, Scheduler, Settings};
use std::collections::VecDeque;
use std::path::Path;

/// Samples that the scheduler is told of at once.
const PART: usize = 4096;

/// What came of the samples.
#[derive(Debug)]
pub struct Replay<'a> {
    program: &'a Program,
    config: &'a Config,
    scheduler: Scheduler,
    sequential: Option<Sequential>,
    results: Results,
    waiting: Vec<(MethodIx, Sample)>,
    /// The newest window of each method.
    windows: Vec<u64>,
    samples: u64,
}

impl<'a> Replay<'a> {
    /// Goes through the samples in a folder.
    ///
    /// # Errors
    /// When the samples cannot be read; one line of text.
    pub fn of(setup: &'a Setup, folder: &Path) -> Result<Self, String> {
        let config = &setup.config;
        let settings = Settings { warm_up: None, budget: None, ..config.scheduler.clone() };
        let scheduler = Scheduler::of_program(settings, &setup.program).map_err(|e| e.to_string());
        let mut replay = Self {
            program: &setup.program,
            config,
            scheduler: scheduler?,
            sequential: (config.judge == Judge::Sequential).then(|| Sequential::of(setup)),
            results: Results::default(),
            waiting: Vec::with_capacity(PART),
            windows: vec![0; setup.program.tasks.methods.len()],
            samples: 0,
        };
        let mut recorded = Recorded::open(folder, &setup.methods())?;
        while let Some((method, sample)) = recorded.next()? {
            replay.take(method, sample);
        }
        replay.tell_waiting();
        replay.tell(Event::Finish);
        replay.results.correct(replay.program, replay.config);
        Ok(replay)
    }

    /// In the sequential mode what is decided in one window has to be known before the next is looked at, so that a part
    /// ends where a method's window does.
    fn take(&mut self, method: MethodIx, sample: Sample) {
        self.samples += 1;
        let newest = &mut self.windows[method.0];
        let begins = sample.window.is_some_and(|window| window > *newest);
        *newest = sample.window.unwrap_or(0).max(*newest);
        if begins || self.waiting.len() == PART {
            self.tell_waiting();
        }
        // When all is decided, the rest is only read and checked.
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

    /// Keeps results; gives what the scheduler is to be told of them.
    fn carry_out(&mut self, action: Action) -> Vec<Event> {
        match (action, &mut self.sequential) {
            (Action::Window(window), Some(sequential)) => {
                let evaluations = sequential.window(&window);
                let decided =
                    evaluations.iter().map(|one| Event::Decided { comparison: one.comparison }).collect();
                self.results.evaluations.extend(evaluations);
                return decided;
            }
            (Action::Evaluated(evaluation), Some(sequential)) => {
                self.results.evaluations.extend(sequential.ended(*evaluation));
            }
            (Action::Evaluated(evaluation), None) => self.results.evaluations.push(*evaluation),
            (Action::Asserted(asserted), _) => self.results.assertions.push(*asserted),
            _ => {}
        }
        Vec::new()
    }

    /// Whether there were samples.
    pub fn has_samples(&self) -> bool {
        self.samples > 0
    }

    /// Whether windows were asked for and no sample was of one.
    pub fn lacks_windows(&self) -> bool {
        let asked = self.config.scheduler.paired.is_some();
        asked
            && self.config.scheduler.mode == RunMode::Comparison
            && self.windows.iter().all(|&newest| newest == 0)
    }

    /// The results, in the order in which they came.
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// The scheduler as the samples left it.
    pub fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }

    /// What the sequential mode saw, where it judged.
    pub fn sequential(&self) -> Option<&Sequential> {
        self.sequential.as_ref()
    }
}
