//! The state machine: each event is one communication cycle (thesis 3.2.3, 3.2.4).

use crate::budget::{DearGate, Meters, Thinning};
use crate::claims::Claims;
use crate::gates::Gates;
use crate::law::{Law, Shift};
use crate::method::Status;
use crate::probes::Probes;
use crate::roster::Roster;
use crate::select;
use crate::windows::Rotation;
use crate::{Action, Budget, Cause, Decision, Event, MethodIx, Paired, Settings, SettingsError, Situation};
use spl_lang::{Program, Tasks};
use spl_model::{Bucket, ClaimIx, Lack, MethodRef, Sample, SampleFlags};

/// Decides what is measured. See the crate's documentation.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheduler {
    pub(crate) settings: Settings,
    pub(crate) names: Vec<MethodRef>,
    pub(crate) roster: Roster,
    pub(crate) claims: Claims,
    pub(crate) law: Law,
    pub(crate) probes: Probes,
    pub(crate) meters: Meters,
    pub(crate) gates: Gates,
    /// The windows of each group of methods; empty in the policy of the thesis.
    pub(crate) rotations: Vec<Rotation>,
    /// Time of the JVM's clock less that of the owner's.
    pub(crate) clock_offset_ns: i128,
    /// The owner's clock when a sample arrived last, or at the start; `None` before the start.
    pub(crate) last_receipt_ns: Option<u64>,
    pub(crate) now_ns: u64,
    /// Why the measurement never began, where it did not.
    pub(crate) not_begun: Option<Lack>,
    done: bool,
    decisions: Vec<Decision>,
}

impl Scheduler {
    /// A scheduler that waits for [`Event::Start`].
    ///
    /// # Errors
    /// When the settings contradict themselves, or a comparison names a method that is not in the list.
    pub fn new(settings: Settings, tasks: &Tasks) -> Result<Self, SettingsError> {
        Self::of_program(settings, &Program { tasks: tasks.clone(), assertions: Vec::new() })
    }

    /// As [`Scheduler::new`], with the assertions of the full language.
    ///
    /// # Errors
    /// As [`Scheduler::new`].
    pub fn of_program(settings: Settings, program: &Program) -> Result<Self, SettingsError> {
        settings.check()?;
        let claims = Claims::new(program, &settings)?;
        let tasks = &program.tasks;
        let units =
            if settings.windows().is_some() { claims.groups() } else { (0..tasks.methods.len()).collect() };
        let roster = Roster::new(tasks, &units);
        Ok(Self {
            rotations: if settings.windows().is_some() { Rotation::of_units(&roster) } else { Vec::new() },
            law: match settings.windows() {
                Some(windows) if windows.owner_decides => {
                    Law::of_windows(settings.initial_optimal, roster.unfinished())
                }
                _ => Law::new(settings.initial_optimal, roster.unfinished()),
            },
            probes: Probes::new(roster.len()),
            meters: Meters::new(roster.len(), if settings.owner_decides() { Paired::CALLS } else { 1 }),
            gates: Gates::default(),
            names: tasks.methods.iter().map(|task| task.method.clone()).collect(),
            claims,
            roster,
            settings,
            clock_offset_ns: 0,
            last_receipt_ns: None,
            now_ns: 0,
            not_begun: None,
            done: false,
            decisions: Vec::new(),
        })
    }

    /// Takes one event that happened at `now_ns`, nanoseconds of the owner's monotonic clock, and gives the decisions
    /// in the order in which they are to be carried out. A time before that of an earlier event counts as that time.
    pub fn handle(&mut self, event: Event, now_ns: u64) -> Vec<Decision> {
        self.step(now_ns, |this| this.take(event))
    }

    /// As [`handle`](Self::handle) of [`Event::Samples`]; flags those of the samples that it discards, and gives each of
    /// the others the number of its window, where there are windows.
    pub fn handle_samples(&mut self, batch: &mut [(MethodIx, Sample)], now_ns: u64) -> Vec<Decision> {
        self.step(now_ns, |this| if batch.is_empty() { this.tick() } else { this.samples(batch) })
    }

    fn step(&mut self, now_ns: u64, take: impl FnOnce(&mut Self)) -> Vec<Decision> {
        self.now_ns = self.now_ns.max(now_ns);
        self.meters.pass_time(self.settings.budget.as_ref(), self.now_ns);
        self.excuse_silence();
        take(self);
        self.turn_windows();
        self.close_gates();
        self.spend();
        self.tell_dear_gates();
        self.settle();
        std::mem::take(&mut self.decisions)
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Resume { decided, samples } => self.resume(&decided, &samples),
            Event::Start => self.start(),
            Event::Samples(batch) if batch.is_empty() => self.tick(),
            Event::Samples(mut batch) => self.samples(&mut batch),
            Event::Tick => self.tick(),
            Event::Pulse => {}
            Event::Dropped { method, count } => self.dropped(method, count),
            Event::AgentLimit(limit) => self.agent_limit(limit),
            Event::LimitReached(method) => self.limit_reached(method),
            Event::Unavailable { method, why } => self.unavailable(method, why),
            Event::GivenUp { method, why } => self.given_up(method, why),
            Event::DearChange(method) => self.probes.set_dear(method),
            Event::Clock { jvm_ns } => self.clock_offset_ns = i128::from(jvm_ns) - i128::from(self.now_ns),
            Event::Drained { method, closing } => self.drained(method, closing),
            Event::Budget(budget) => self.budget(budget),
            // With windows a turn for which there is no money is lost, and with it the window: what was paid with the samples
            // has to do.
            Event::AgentUsed { cpu_ns } if self.rotations.is_empty() => {
                self.meters.settle_agent(u128::from(cpu_ns));
            }
            Event::AgentUsed { .. } => {}
            Event::Decided(claim) => self.decided(claim),
            Event::ProbesRemoved(method) => self.probes_removed(method),
            Event::NotBegun { ended_by, lasted_ns, wait_ns } => {
                self.not_begun = Some(Lack::NotBegun { ended_by, lasted_ns, wait_ns });
            }
            Event::Finish => self.finish_all(),
        }
    }

    /// The figures that a decision made now would carry.
    #[must_use]
    pub fn situation(&self) -> Situation {
        Situation {
            now_ns: self.now_ns,
            difference_ns: self.law.difference_ns(),
            optimal: self.law.optimal(),
            measured: self.roster.measured(),
            unfinished: self.roster.unfinished(),
        }
    }

    /// Whether every method is finished.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.done
    }

    fn start(&mut self) {
        if self.last_receipt_ns.is_none() {
            self.last_receipt_ns = Some(self.now_ns);
            self.balance(None);
        }
    }

    /// Takes samples of an earlier run as they were taken then, with windows into those that they belonged to, but not
    /// into the law: their times are another JVM's.
    fn resume(&mut self, decided: &[ClaimIx], samples: &[(MethodIx, Sample)]) {
        if self.last_receipt_ns.is_some() {
            return;
        }
        decided.iter().for_each(|&claim| self.decided(claim));
        for (method, sample) in samples {
            if self.roster.is_finished(*method) {
                continue;
            }
            if sample.flags.contains(SampleFlags::DISCARDED) {
                let has = |flag| sample.flags.contains(flag);
                let disturbed = has(SampleFlags::GC) || has(SampleFlags::RETRANSFORM);
                let disturbed = disturbed && !has(SampleFlags::WARM_UP) && self.settings.discard_disturbed;
                self.roster.discard_sample(*method, disturbed);
                continue;
            }
            let bucket = self.settings.scale.bucket(&sample.size);
            if self.rotations.is_empty() {
                self.record(*method, bucket, sample.duration_ns());
            } else {
                self.hold_again(*method, bucket, sample);
            }
        }
    }

    fn samples(&mut self, batch: &mut [(MethodIx, Sample)]) {
        batch.sort_by_key(|(_, sample)| sample.end_ns());
        if self.last_receipt_ns.is_some() {
            self.last_receipt_ns = Some(self.now_ns);
        }
        for (method, sample) in batch {
            self.sample(*method, sample);
        }
    }

    /// One sample, in the thesis's order (3.2.3): record it, remove what it finished, then add or suspend.
    fn sample(&mut self, index: MethodIx, sample: &mut Sample) {
        let Some(method) = self.roster.get_mut(index) else { return };
        let counts = method.arrive(sample, &self.settings);
        self.meter(index, sample);
        let shift = if self.last_receipt_ns.is_some() {
            self.law.ended(sample.end_ns(), &self.settings, self.roster.unfinished())
        } else {
            None
        };
        if counts {
            let bucket = self.settings.scale.bucket(&sample.size);
            if self.rotations.is_empty() {
                self.record(index, bucket, sample.duration_ns());
            } else {
                self.hold(index, bucket, sample);
            }
        }
        self.balance(shift);
    }

    fn record(&mut self, index: MethodIx, bucket: Bucket, duration_ns: u64) {
        let Some(method) = self.roster.get_mut(index) else { return };
        if method.take(&bucket, duration_ns) == self.settings.min_samples {
            self.bucket_filled(index, &bucket);
        }
        self.finish_at_limit(index);
    }

    /// Nothing arrived in this cycle: the time since the last receipt is compared with the limit, in each such cycle
    /// anew, as the thesis has it. So the optimal number goes on rising as long as the silence lasts.
    fn tick(&mut self) {
        let Some(last) = self.last_receipt_ns else { return };
        let silent_ns = self.now_ns.saturating_sub(last);
        let shift = self.law.silent(silent_ns, &self.settings, self.roster.unfinished());
        self.balance(shift);
    }

    /// Adds or suspends methods until as many are measured as is optimal.
    pub(crate) fn balance(&mut self, shift: Option<Shift>) {
        if self.last_receipt_ns.is_none() {
            return;
        }
        while self.roster.measured() < self.law.optimal() {
            let Some(method) = self.next_to_measure() else { break };
            let cause = match &shift {
                Some(Shift::More(cause)) => cause.clone(),
                _ => Cause::BelowOptimal,
            };
            self.measure(method, cause);
        }
        while self.roster.measured() > self.law.optimal() {
            let Some(method) = select::to_suspend(&self.roster) else { break };
            let cause = match &shift {
                Some(Shift::Fewer(cause)) => cause.clone(),
                _ => Cause::Applied,
            };
            for member in self.roster.active_with(method) {
                self.roster.set_status(member, Status::Suspended);
                self.decide(Action::Suspend(member), cause.clone());
            }
        }
    }

    /// Starts to measure a method, or its group by way of the first of its windows.
    fn measure(&mut self, method: MethodIx, cause: Cause) {
        if self.rotations.is_empty() {
            self.roster.set_status(method, Status::Measured);
            self.decide(Action::Measure(method), cause);
        } else {
            self.begin_windows(method, cause);
        }
    }

    fn budget(&mut self, budget: Budget) {
        self.settings.budget = Some(budget);
        self.meters.earn(0, &budget);
    }

    /// Keeps the probes' cost near the budget's ceiling: takes fewer calls of busy methods. With windows, turns are short and
    /// take few calls as it is.
    fn spend(&mut self) {
        let Some(budget) = self.settings.budget.filter(|_| self.rotations.is_empty()) else { return };
        self.meters.find_rates(&self.roster, &budget);
        for thinning in self.meters.plan(&self.roster, &budget) {
            let Thinning { method, every, calls_per_s } = thinning;
            let cause = Cause::Budget {
                calls_per_s,
                cost_ns_per_s: self.meters.cost_ns_per_s(),
                ceiling_ns_per_s: budget.ceiling_ns_per_s,
            };
            self.decide(Action::SampleEvery { method, every }, cause);
        }
    }

    /// What closed gates cost is not in the account, because nothing can be done about it but to take the probes out.
    fn tell_dear_gates(&mut self) {
        let Some(budget) = self.settings.budget else { return };
        for DearGate { method, calls_per_s, cost_ns_per_s } in self.meters.dear_gates(&self.roster, &budget) {
            let cause =
                Cause::Budget { calls_per_s, cost_ns_per_s, ceiling_ns_per_s: budget.ceiling_ns_per_s };
            self.decide(Action::ClosedGateCosts { method, cost_ns_per_s }, cause);
        }
    }

    fn dropped(&mut self, method: Option<MethodIx>, count: u64) {
        self.roster.drop_samples(method, count);
        // A lost sample never reached the agent's thread, or cost it nothing more.
        let each_ps = self.settings.budget.map_or(0, |budget| u128::from(budget.sample_cost_ps));
        self.meters.charge(each_ps.saturating_mul(u128::from(count)));
        match method {
            Some(method) => self.meters.count(method, count),
            None => {
                self.meters.count_unknown(count, &self.roster);
                self.gates.distrust();
            }
        }
    }

    /// Lets probes and gates follow the decisions, then says once that all is done.
    fn settle(&mut self) {
        if let Some(change) = self.probes.apply(&mut self.roster, &self.settings, self.now_ns) {
            let action = Action::Retransform { instrument: change.instrument, restore: change.restore };
            self.decide(action, Cause::Applied);
        }
        self.open_gates();
        let started = self.last_receipt_ns.is_some() || !self.names.is_empty();
        if started && !self.done && self.roster.unfinished() == 0 {
            self.done = true;
            self.decide(Action::Done, Cause::AllFinished);
        }
    }

    pub(crate) fn decide(&mut self, action: Action, cause: Cause) {
        let situation = self.situation();
        self.decisions.push(Decision { action, cause, situation });
    }
}
