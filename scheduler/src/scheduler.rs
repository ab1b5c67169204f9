//! The state machine: each event is one communication cycle (thesis 3.2.3, 3.2.4).

use crate::budget::{Meters, Thinning};
use crate::compare::Comparisons;
use crate::decision::describe;
use crate::law::{Law, Shift};
use crate::method::{Recorded, Status};
use crate::probes::Probes;
use crate::roster::Roster;
use crate::select;
use crate::{Action, Cause, Decision, Event, MethodIx, Settings, SettingsError, Situation};
use spl_lang::Tasks;
use spl_model::{Bucket, MethodRef, Outcome, Sample};
use spl_verdict::NotEvaluated;

/// Decides what is measured. See the crate's documentation.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheduler {
    pub(crate) settings: Settings,
    pub(crate) names: Vec<MethodRef>,
    pub(crate) roster: Roster,
    pub(crate) comparisons: Comparisons,
    law: Law,
    pub(crate) probes: Probes,
    pub(crate) meters: Meters,
    /// The owner's clock when a sample arrived last, or at the start; `None` before the start.
    last_receipt_ns: Option<u64>,
    now_ns: u64,
    done: bool,
    decisions: Vec<Decision>,
}

impl Scheduler {
    /// A scheduler that waits for [`Event::Start`].
    ///
    /// # Errors
    /// When the settings contradict themselves, or a comparison names a method that is not in the list.
    pub fn new(settings: Settings, tasks: &Tasks) -> Result<Self, SettingsError> {
        settings.check()?;
        let roster = Roster::new(tasks);
        Ok(Self {
            comparisons: Comparisons::new(tasks, settings.mode)?,
            law: Law::new(settings.initial_optimal, roster.unfinished()),
            probes: Probes::new(roster.len()),
            meters: Meters::new(roster.len()),
            names: tasks.methods.iter().map(|task| task.method.clone()).collect(),
            roster,
            settings,
            last_receipt_ns: None,
            now_ns: 0,
            done: false,
            decisions: Vec::new(),
        })
    }

    /// Takes one event that happened at `now_ns`, nanoseconds of the owner's monotonic clock, and gives the decisions
    /// in the order in which they are to be carried out. A time before that of an earlier event counts as that time.
    pub fn handle(&mut self, event: Event, now_ns: u64) -> Vec<Decision> {
        self.now_ns = self.now_ns.max(now_ns);
        self.meters.pass_time(&self.roster, self.now_ns);
        match event {
            Event::Start => self.start(),
            Event::Samples(batch) if batch.is_empty() => self.tick(),
            Event::Samples(batch) => self.samples(batch),
            Event::Tick => self.tick(),
            Event::Dropped { method, count } => self.dropped(method, count),
            Event::LimitReached(method) => self.limit_reached(method),
            Event::Unavailable { method, why } => self.unavailable(method, why),
            Event::Finish => self.finish_all(),
        }
        self.spend();
        self.settle();
        std::mem::take(&mut self.decisions)
    }

    /// The figures that a decision made now would carry.
    #[must_use]
    pub fn situation(&self) -> Situation {
        Situation {
            now_ns: self.now_ns,
            difference_ns: self.law.difference_ns(),
            optimal: self.optimal(),
            measured: self.roster.measured(),
            unfinished: self.roster.unfinished(),
        }
    }

    /// Whether every method is finished.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// The law's number, within what the budget allows.
    fn optimal(&self) -> usize {
        self.law.optimal().min(self.meters.bound())
    }

    fn start(&mut self) {
        if self.last_receipt_ns.is_none() {
            self.last_receipt_ns = Some(self.now_ns);
            self.balance(None);
        }
    }

    fn samples(&mut self, mut batch: Vec<(MethodIx, Sample)>) {
        batch.sort_by_key(|(_, sample)| sample.end_ns());
        if self.last_receipt_ns.is_some() {
            self.last_receipt_ns = Some(self.now_ns);
        }
        for (method, sample) in &batch {
            self.sample(*method, sample);
        }
    }

    /// One sample, in the thesis's order (3.2.3): record it, remove what it finished, then add or suspend.
    fn sample(&mut self, index: MethodIx, sample: &Sample) {
        let Some(method) = self.roster.get_mut(index) else { return };
        let recorded = method.record(sample, &self.settings);
        let counted = method.counted;
        self.meters.count(index, 1);
        let shift = if self.last_receipt_ns.is_some() {
            self.law.ended(sample.end_ns(), &self.settings, self.roster.unfinished())
        } else {
            None
        };
        if let Recorded::Filled(bucket) = &recorded {
            self.bucket_filled(index, bucket);
        }
        let limit = self.settings.effective_max();
        if counted >= limit && !self.roster.is_finished(index) {
            self.finish(index, Cause::LimitReached { samples: counted, limit: Some(limit) });
        }
        self.balance(shift);
    }

    /// Decides the comparisons of `method` whose other side has an equal full bucket; each leaves both its methods,
    /// which may finish either of them.
    fn bucket_filled(&mut self, method: MethodIx, bucket: &Bucket) {
        let needed = self.settings.min_samples;
        let ready: Vec<usize> = self
            .comparisons
            .open_of(method)
            .filter(|&index| self.comparisons.is_full(index, bucket, &self.roster, needed))
            .collect();
        for index in ready {
            let evaluation = self.comparisons.evaluate(index, bucket, &self.roster, &self.settings);
            self.decide(Action::Evaluated(Box::new(evaluation)), Cause::BucketsFull { needed });
            self.comparisons.close(index);
            self.finish_decided(index);
        }
    }

    /// Finishes the methods of a closed comparison that have no open one left.
    fn finish_decided(&mut self, comparison: usize) {
        for side in self.comparisons.sides(comparison) {
            if self.comparisons.all_decided(side) {
                let samples = self.roster.get(side).map_or(0, |method| method.counted);
                self.finish(side, Cause::ComparisonsDecided { samples });
            }
        }
    }

    /// Nothing arrived in this cycle: the time since the last receipt is compared with the limit, in each such cycle
    /// anew, as the thesis has it. So the optimal number goes on rising as long as the silence lasts.
    fn tick(&mut self) {
        let Some(last) = self.last_receipt_ns else { return };
        let silent_ns = self.now_ns.saturating_sub(last);
        let shift = self.law.silent(silent_ns, &self.settings, self.roster.unfinished());
        self.balance(shift);
    }

    fn limit_reached(&mut self, method: MethodIx) {
        let samples = self.roster.get(method).map_or(0, |method| method.counted);
        self.finish(method, Cause::LimitReached { samples, limit: None });
        self.balance(None);
    }

    /// The method ends, and so do its comparisons: what the other side alone would give compares with nothing.
    fn unavailable(&mut self, method: MethodIx, why: Outcome) {
        if self.roster.is_finished(method) {
            return;
        }
        let reason = format!("{}: {}", self.name(method), describe(&why));
        let cause = Cause::Unavailable(why);
        self.mark_finished(method, cause.clone());
        let open: Vec<usize> = self.comparisons.open_of(method).collect();
        for index in open {
            let evaluation =
                self.comparisons.without(index, NotEvaluated::NotMeasured(reason.clone()), &self.roster);
            self.decide(Action::Evaluated(Box::new(evaluation)), cause.clone());
            self.comparisons.close(index);
            self.finish_decided(index);
        }
        self.balance(None);
    }

    fn finish_all(&mut self) {
        for index in 0..self.roster.len() {
            self.finish(MethodIx(index), Cause::RunEnds);
        }
    }

    /// Ends a method's measurement and judges its open comparisons whose other side has ended too.
    fn finish(&mut self, method: MethodIx, cause: Cause) {
        if self.roster.is_finished(method) {
            return;
        }
        self.mark_finished(method, cause);
        let open: Vec<usize> = self.comparisons.open_of(method).collect();
        for index in open {
            if !self.comparisons.sides(index).into_iter().all(|side| self.roster.is_finished(side)) {
                continue;
            }
            self.comparisons.close(index);
            let left = self.comparisons.leftover(index, &self.roster, &self.settings);
            for evaluation in left.evaluations {
                let cause = Cause::BothFinished { sparse_buckets: left.sparse_buckets };
                self.decide(Action::Evaluated(Box::new(evaluation)), cause);
            }
        }
    }

    fn mark_finished(&mut self, method: MethodIx, cause: Cause) {
        self.roster.set_status(method, Status::Finished);
        self.law.clamp(self.roster.unfinished());
        self.decide(Action::Finished(method), cause);
    }

    /// Adds or suspends methods until as many are measured as is optimal.
    fn balance(&mut self, shift: Option<Shift>) {
        if self.last_receipt_ns.is_none() {
            return;
        }
        while self.roster.measured() < self.optimal() {
            let Some(method) = select::to_measure(&self.roster, &self.comparisons) else { break };
            self.roster.set_status(method, Status::Measured);
            let cause = match &shift {
                Some(Shift::More(cause)) => cause.clone(),
                _ => Cause::BelowOptimal,
            };
            self.decide(Action::Measure(method), cause);
        }
        while self.roster.measured() > self.optimal() {
            let Some(method) = select::to_suspend(&self.roster) else { break };
            self.roster.set_status(method, Status::Suspended);
            let cause = match &shift {
                Some(Shift::Fewer(cause)) => cause.clone(),
                _ => self.budget_cause(None),
            };
            self.decide(Action::Suspend(method), cause);
        }
    }

    /// Keeps the probes' cost under the budget's ceiling: takes fewer calls, then measures fewer methods.
    fn spend(&mut self) {
        let Some(budget) = self.settings.budget else { return };
        let found = self.meters.find_rates(&budget);
        for thinning in self.meters.plan(&self.roster, &budget, found) {
            let Thinning { method, every, calls_per_s } = thinning;
            let cause = self.budget_cause(Some(calls_per_s));
            self.decide(Action::SampleEvery { method, every }, cause);
        }
        self.balance(None);
    }

    fn budget_cause(&self, calls_per_s: Option<u64>) -> Cause {
        Cause::Budget {
            calls_per_s,
            cost_ns_per_s: self.meters.cost_ns_per_s(),
            ceiling_ns_per_s: self.settings.budget.map_or(u64::MAX, |budget| budget.ceiling_ns_per_s),
        }
    }

    fn dropped(&mut self, method: Option<MethodIx>, count: u64) {
        self.roster.drop_samples(method, count);
        match method {
            Some(method) => self.meters.count(method, count),
            None => self.meters.count_unknown(count, &self.roster),
        }
    }

    /// Lets the probes follow the decisions, then says once that all is done.
    fn settle(&mut self) {
        if let Some(change) = self.probes.apply(&mut self.roster, &self.settings, self.now_ns) {
            let action = Action::Retransform { instrument: change.instrument, restore: change.restore };
            self.decide(action, Cause::Applied);
        }
        let started = self.last_receipt_ns.is_some() || !self.names.is_empty();
        if started && !self.done && self.roster.unfinished() == 0 {
            self.done = true;
            self.decide(Action::Done, Cause::AllFinished);
        }
    }

    fn decide(&mut self, action: Action, cause: Cause) {
        let situation = self.situation();
        self.decisions.push(Decision { action, cause, situation });
    }
}
