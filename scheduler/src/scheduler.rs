//! The state machine: each event is one communication cycle (thesis 3.2.3, 3.2.4).

use crate::budget::{DearGate, Thinning};
use crate::claims::Claims;
use crate::law::Shift;
use crate::roster::Roster;
use crate::select;
use crate::standing::Status;
use crate::station::Station;
use crate::tally::Tallies;
use crate::{Action, Budget, Cause, Decision, Event, JvmIx, MethodIx, Settings, SettingsError, Situation};
use spl_lang::{Program, Tasks};
use spl_model::{Lack, MethodRef, Sample};

/// Decides what is measured. See the crate's documentation.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheduler {
    pub(crate) settings: Settings,
    pub(crate) names: Vec<MethodRef>,
    /// Samples of all JVMs together.
    pub(crate) tallies: Tallies,
    pub(crate) claims: Claims,
    /// The JVM that the current step concerns.
    pub(crate) jvm: Station,
    /// The other JVMs that feed the measurement.
    pub(crate) others: Vec<Station>,
    /// The newest window of each group in JVMs that are gone.
    pub(crate) gone_windows: Vec<u64>,
    /// State of the methods in a new JVM.
    pub(crate) fresh: Roster,
    pub(crate) now_ns: u64,
    /// Reason why the measurement never began; `None` if it did.
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
            tallies: Tallies::new(roster.len()),
            jvm: Station::new(JvmIx::default(), roster.clone(), &settings),
            others: Vec::new(),
            gone_windows: Vec::new(),
            fresh: roster,
            names: tasks.methods.iter().map(|task| task.method.clone()).collect(),
            claims,
            settings,
            now_ns: 0,
            not_begun: None,
            done: false,
            decisions: Vec::new(),
        })
    }

    /// Takes one event that happened at `now_ns`, nanoseconds of the owner's monotonic clock, and gives the
    /// decisions in the order in which the owner must carry them out. A time before that of an earlier event
    /// counts as the earlier event's time.
    /// The event concerns the run as a whole, or its only JVM.
    pub fn handle(&mut self, event: Event, now_ns: u64) -> Vec<Decision> {
        self.step(now_ns, |this| this.take(event))
    }

    /// As [`handle`](Self::handle), for an event in one of several JVMs. A JVM without earlier events
    /// feeds the measurement from now on.
    pub fn handle_in(&mut self, jvm: JvmIx, event: Event, now_ns: u64) -> Vec<Decision> {
        self.turn_to(jvm);
        self.handle(event, now_ns)
    }

    /// As [`handle`](Self::handle), for [`Event::Samples`]. It flags the discarded samples, and with
    /// windows gives each other sample the number of its window.
    pub fn handle_samples(&mut self, batch: &mut [(MethodIx, Sample)], now_ns: u64) -> Vec<Decision> {
        self.step(now_ns, |this| if batch.is_empty() { this.tick() } else { this.samples(batch) })
    }

    /// As [`handle_samples`](Self::handle_samples), for the calls in one of several JVMs.
    pub fn handle_samples_in(
        &mut self,
        jvm: JvmIx,
        batch: &mut [(MethodIx, Sample)],
        now_ns: u64,
    ) -> Vec<Decision> {
        self.turn_to(jvm);
        self.handle_samples(batch, now_ns)
    }

    fn step(&mut self, now_ns: u64, take: impl FnOnce(&mut Self)) -> Vec<Decision> {
        self.now_ns = self.now_ns.max(now_ns);
        self.in_each_jvm(|this| {
            let budget = this.whole_budget();
            this.jvm.meters.pass_time(budget.as_ref(), this.now_ns);
            this.excuse_silence();
        });
        take(self);
        let at_hand = self.jvm.ix;
        self.in_each_jvm(|this| {
            this.turn_windows();
            this.yield_places();
            if this.jvm.ix != at_hand {
                // Methods that finished in another JVM make room here.
                this.balance(None);
            }
            this.close_gates();
            this.spend();
            this.tell_dear_gates();
            this.settle();
        });
        self.end_once();
        std::mem::take(&mut self.decisions)
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Resume { decided, samples } => self.resume(&decided, &samples),
            Event::Prepare => self.prepare(),
            Event::Start => self.start(),
            Event::Samples(batch) if batch.is_empty() => self.tick(),
            Event::Samples(mut batch) => self.samples(&mut batch),
            Event::Tick => self.tick(),
            Event::Pulse => {}
            Event::Dropped { method, count } => self.dropped(method, count),
            Event::AgentLimit(limit) => self.agent_limit(limit),
            Event::LimitReached(method)
            | Event::Unavailable { method, .. }
            | Event::GivenUp { method, .. }
                if self.goes_on_elsewhere(method) =>
            {
                self.end_here(method);
            }
            Event::LimitReached(method) => self.limit_reached(method),
            Event::Unavailable { method, why } => self.unavailable(method, why),
            Event::GivenUp { method, why } => self.given_up(method, why),
            Event::DearChange(method) => self.jvm.probes.set_dear(method),
            Event::Changed { took_ns } => self.jvm.probes.took(took_ns),
            Event::Clock { jvm_ns } => {
                self.jvm.clock_offset_ns = i128::from(jvm_ns) - i128::from(self.now_ns)
            }
            Event::Drained { method, closing } => self.drained(method, closing),
            Event::Budget(budget) => self.budget(budget),
            // Without CPU time for it a turn is lost, and with it the window. With windows the payment with
            // the samples therefore has to suffice.
            Event::AgentUsed { cpu_ns } if self.jvm.rotations.is_empty() => {
                self.jvm.meters.settle_agent(u128::from(cpu_ns));
            }
            Event::AgentUsed { .. } => {}
            Event::Decided(claim) => self.decided(claim),
            Event::NotBegun { ended_by, lasted_ns, wait_ns } => {
                self.not_begun = Some(Lack::NotBegun { ended_by, lasted_ns, wait_ns });
            }
            Event::Left => self.left(),
            Event::Finish => self.finish_all(),
        }
    }

    /// The figures of a decision made now.
    #[must_use]
    pub fn situation(&self) -> Situation {
        Situation {
            now_ns: self.now_ns,
            difference_ns: self.jvm.law.difference_ns(),
            optimal: self.jvm.law.optimal(),
            measured: self.jvm.roster.measured(),
            unfinished: self.jvm.roster.unfinished(),
        }
    }

    /// Whether every method is finished.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.done
    }

    fn prepare(&mut self) {
        if self.jvm.last_receipt_ns.is_none() {
            self.start();
            self.jvm.warm_from_ns = u64::MAX;
        }
    }

    fn start(&mut self) {
        if self.jvm.is_cold() {
            self.jvm.warm_from_ns = self.jvm.jvm_ns(self.now_ns);
            self.jvm.last_receipt_ns = Some(self.now_ns);
            self.restart_shares();
        } else if self.jvm.last_receipt_ns.is_none() {
            self.jvm.last_receipt_ns = Some(self.now_ns);
            self.balance(None);
        }
    }

    /// Moves a method to another status in the current JVM.
    pub(crate) fn set_status(&mut self, method: MethodIx, status: Status) {
        if let Some(one) = self.jvm.roster.get_mut(method).filter(|one| one.status != status) {
            let served_ns = one.served_from_ns.take().map_or(0, |from| self.now_ns.saturating_sub(from));
            one.served_ns = one.served_ns.saturating_add(served_ns);
        }
        if self.jvm.roster.set_status(method, status) || status == Status::Listening {
            self.tallies.begin(method);
        }
        // The gate of a method that listened is open already.
        if status == Status::Measured
            && self.jvm.gates.is_open(method)
            && let Some(one) = self.jvm.roster.get_mut(method)
        {
            one.served_from_ns.get_or_insert(self.now_ns);
        }
    }

    /// Handles a cycle without data: it compares the time since the last receipt with the limit. As in the
    /// thesis each such cycle compares again, so the optimal number rises further while the silence lasts.
    fn tick(&mut self) {
        let Some(last) = self.jvm.last_receipt_ns.filter(|_| !self.jvm.is_cold()) else { return };
        let silent_ns = self.now_ns.saturating_sub(last);
        let shift = self.jvm.law.silent(silent_ns, &self.settings, self.jvm.roster.unfinished());
        self.balance(shift);
    }

    /// Adds or suspends methods until as many are measured as is optimal.
    pub(crate) fn balance(&mut self, shift: Option<Shift>) {
        if self.jvm.last_receipt_ns.is_none() {
            return;
        }
        while self.jvm.roster.measured() < self.jvm.law.optimal() {
            let Some(method) = self.next_to_measure() else { break };
            let cause = match &shift {
                Some(Shift::More(cause)) => cause.clone(),
                _ => Cause::BelowOptimal,
            };
            self.measure(method, cause);
        }
        while self.jvm.roster.measured() > self.jvm.law.optimal() {
            let Some(method) = select::to_suspend(&self.jvm.roster) else { break };
            let cause = match &shift {
                Some(Shift::Fewer(cause)) => cause.clone(),
                _ => Cause::Applied,
            };
            for member in self.jvm.roster.active_with(method) {
                self.set_status(member, Status::Suspended);
                self.decide(Action::Suspend(member), cause.clone());
            }
        }
    }

    /// Starts to measure a method, or its group with the first of its windows.
    fn measure(&mut self, method: MethodIx, cause: Cause) {
        if self.jvm.rotations.is_empty() {
            self.set_status(method, Status::Measured);
            self.decide(Action::Measure(method), cause);
        } else {
            self.begin_windows(method, cause);
        }
    }

    fn budget(&mut self, budget: Budget) {
        self.jvm.budget = Some(budget);
        self.jvm.meters.earn(0, &budget);
    }

    /// Keeps the probes' cost near the budget's ceiling by taking fewer calls of busy methods. With windows
    /// nothing is needed: turns are short and take few calls.
    fn spend(&mut self) {
        let Some(budget) = self.whole_budget().filter(|_| self.jvm.rotations.is_empty()) else { return };
        self.jvm.meters.find_rates(&self.jvm.roster, &budget);
        for thinning in self.jvm.meters.plan(&self.jvm.roster, &budget) {
            let Thinning { method, every, calls_per_s } = thinning;
            let cause = Cause::Budget {
                calls_per_s,
                cost_ns_per_s: self.jvm.meters.cost_ns_per_s(),
                ceiling_ns_per_s: budget.ceiling_ns_per_s,
            };
            self.decide(Action::SampleEvery { method, every }, cause);
        }
    }

    /// Reports closed gates that cost more than the ceiling. The account leaves their cost out, because only
    /// taking the probes out would lower it.
    fn tell_dear_gates(&mut self) {
        let Some(budget) = self.jvm.budget else { return };
        for DearGate { method, calls_per_s, cost_ns_per_s } in
            self.jvm.meters.dear_gates(&self.jvm.roster, &budget)
        {
            let cause =
                Cause::Budget { calls_per_s, cost_ns_per_s, ceiling_ns_per_s: budget.ceiling_ns_per_s };
            self.decide(Action::ClosedGateCosts { method, cost_ns_per_s }, cause);
        }
    }

    /// Brings probes and gates in line with the decisions.
    fn settle(&mut self) {
        if let Some(change) = self.jvm.probes.apply(&mut self.jvm.roster, &self.settings, self.now_ns) {
            let action = Action::Retransform { instrument: change.instrument, restore: change.restore };
            self.decide(action, Cause::Applied);
        }
        self.open_gates();
    }

    /// Reports once that all methods are finished.
    fn end_once(&mut self) {
        let started = self.jvm.last_receipt_ns.is_some() || !self.names.is_empty();
        if started && !self.done && self.tallies.are_finished() {
            self.done = true;
            self.decide(Action::Done, Cause::AllFinished);
        }
    }

    pub(crate) fn decide(&mut self, action: Action, cause: Cause) {
        let situation = self.situation();
        self.decisions.push(Decision { jvm: self.jvm.ix, action, cause, situation });
    }
}
