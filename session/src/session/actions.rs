//! Carries out the scheduler's decisions.

use super::Session;
use crate::context::About;
use crate::instances;
use crate::peer::{DETACH_TIMEOUT, Opening, Peer};
use crate::results::Results;
use crate::resume::instance_of;
use crate::sequential::Sequential;
use spl_model::{ClaimIx, Handle};
use spl_scheduler::{Action, Decision, Event, JvmIx, MethodIx, Turns};
use spl_verdict::{Asserted, Evaluation, NotEvaluated, OneInstance};
use spl_wire::ToAgent;
use std::time::Instant;

impl Session<'_> {
    /// Passes an event to the scheduler and carries out its decisions; events that follow from them are
    /// passed on afterwards.
    pub(super) fn event(&mut self, event: Event) {
        self.events.push_back((None, event));
        self.carry_out_all(Vec::new());
    }

    /// As [`event`](Self::event), for an event in one JVM.
    pub(super) fn event_in(&mut self, jvm: JvmIx, event: Event) {
        self.events.push_back((Some(jvm), event));
        self.carry_out_all(Vec::new());
    }

    /// Carries out the scheduler's decisions, then passes the events that follow from them to it.
    pub(super) fn carry_out_all(&mut self, mut decisions: Vec<Decision>) {
        // An outer call is carrying out decisions already; its loop takes the new events too.
        if std::mem::replace(&mut self.carrying_out, true) {
            return;
        }
        loop {
            for decision in decisions {
                tracing::info!("{}", self.scheduler.explain(&decision));
                let written = self.output.decision(&self.scheduler, &decision);
                self.check(written);
                self.carry_out(decision);
            }
            let Some((jvm, event)) = self.events.pop_front() else { break };
            decisions = match jvm {
                Some(jvm) => self.scheduler.handle_in(jvm, event, self.now_ns()),
                None => self.scheduler.handle(event, self.now_ns()),
            };
        }
        // Windows end long before the agent would send its samples by itself.
        self.peers.values_mut().for_each(Peer::drain);
        self.carrying_out = false;
    }

    fn carry_out(&mut self, decision: Decision) {
        let jvm = decision.jvm;
        match decision.action {
            // Gates follow these decisions by orders of their own.
            Action::Measure(_)
            | Action::Suspend(_)
            | Action::Rest(_)
            | Action::Listen(_)
            | Action::SampleEvery { .. } => {}
            Action::Open { method, every, quota } => self.open_gate(jvm, method, every, quota.unwrap_or(0)),
            Action::ClosedGateCosts { method, cost_ns_per_s } => {
                self.closed_gate_costs(jvm, method, cost_ns_per_s)
            }
            Action::Close(MethodIx(method)) => self.close_gate(jvm, method),
            Action::Turns(turns) => self.window(jvm, &turns),
            Action::Finished(MethodIx(method)) => {
                let flushed = self.output.flush(method);
                self.check(flushed);
            }
            Action::Retransform { instrument, restore } => self.plan_change(jvm, &instrument, &restore),
            Action::Evaluated(evaluation) => {
                let evaluation = match &mut self.sequential {
                    Some(sequential) => sequential.ended(*evaluation),
                    None => Some(*evaluation),
                };
                let evaluation = evaluation.map(|mut evaluation| {
                    let methods = self.tasks.comparisons.get(evaluation.comparison);
                    let methods = methods.map_or(Vec::new(), |one| vec![one.left, one.right]);
                    if let Err(why) = &mut evaluation.verdict {
                        self.say_maximum(&methods, why);
                    }
                    evaluation
                });
                evaluation.into_iter().for_each(|evaluation| self.evaluated(evaluation));
            }
            Action::Asserted(asserted) => {
                let asserted = match &mut self.sequential {
                    Some(sequential) => sequential.ended_assertion(*asserted),
                    None => Some(*asserted),
                };
                let asserted = asserted.map(|mut asserted| {
                    let claim = self.setup.program.assertions.get(asserted.assertion);
                    let methods = claim.map_or(Vec::new(), |claim| claim.methods());
                    asserted.gaps.iter_mut().for_each(|why| self.say_maximum(&methods, why));
                    asserted
                });
                asserted.into_iter().for_each(|asserted| self.asserted(asserted));
            }
            Action::Done => self.detach(),
            // The scheduler has counted the window's pairs; the judge of windows gets the turns by another
            // action.
            Action::Window(_) => {}
        }
    }

    fn open_gate(&mut self, jvm: JvmIx, MethodIx(method): MethodIx, every: u32, quota: u64) {
        let handle = Handle(method as u32);
        self.peer_of(jvm).into_iter().for_each(|peer| peer.open_gate(handle, Opening { every, quota }));
    }

    fn closed_gate_costs(&mut self, jvm: JvmIx, method: MethodIx, cost_ns_per_s: u64) {
        let Some(cost) = self.peer_of(jvm).and_then(|peer| peer.cost.as_ref()) else { return };
        let percent = cost.part(cost_ns_per_s) * 100.0;
        let text = format!(
            "called at times at such a rate that its probes take about {percent:.0}% of the CPU time even \
             while no call is \
             measured, which the budget cannot bound: end its measurement soon (max-method-measurements), or measure a \
             caller instead"
        );
        self.observer.note(&format!("{}: {text}", self.scheduler.name(method)));
        self.context.remark(method.0, About::Cost, text);
    }

    fn close_gate(&mut self, jvm: JvmIx, method: usize) {
        let drain = self.config.scheduler.paired.is_some();
        let handle = Handle(method as u32);
        self.peer_of(jvm).into_iter().for_each(|peer| peer.close_gate(handle, drain));
    }

    fn plan_change(&mut self, jvm: JvmIx, instrument: &[MethodIx], restore: &[MethodIx]) {
        let handles =
            |methods: &[MethodIx]| methods.iter().map(|method| Handle(method.0 as u32)).collect::<Vec<_>>();
        let (instrument, restore) = (handles(instrument), handles(restore));
        self.peer_of(jvm).into_iter().for_each(|peer| peer.plan_change(&instrument, &restore));
        if self.config.cycle_sleep.is_zero() {
            self.change_classes();
        }
    }

    fn window(&mut self, jvm: JvmIx, turns: &Turns) {
        let Some(sequential) = &mut self.sequential else { return };
        // The last windows of a JVM that is gone are closed after its end.
        let of_peer = || self.peers.values().find(|peer| peer.jvm == jvm).map(|peer| &*peer.origin);
        let instance = match self.config.tells_instances() {
            true => instance_of(turns, &self.resumed_windows).or_else(of_peer).unwrap_or_default(),
            false => "",
        };
        let results = sequential.window(turns, instance);
        let decided = results.claims(self.setup.program.claim_numbers());
        self.say_odd_of(&decided);
        results.evaluations.into_iter().for_each(|evaluation| self.evaluated(evaluation));
        results.assertions.into_iter().for_each(|asserted| self.asserted(asserted));
        decided.into_iter().for_each(|claim| self.event(Event::Decided(claim)));
    }

    /// Says that instances differ from the others, once for each claim, instance and kind of difference.
    fn say_odd(&mut self, claim: usize, odd: &[OneInstance]) {
        for one in odd {
            if self.said_odd.insert((claim, one.name.clone(), one.odd_ratio.is_some())) {
                one.oddities().iter().for_each(|text| self.observer.note(text));
            }
        }
    }

    /// Names the instances that differ from the others, when claims are decided.
    fn say_odd_of(&mut self, decided: &[ClaimIx]) {
        for ClaimIx(claim) in decided {
            let of_claim = |sequential: &Sequential| Some(sequential.instances_of(*claim)?.odd());
            let odd = self.sequential.as_ref().and_then(of_claim).unwrap_or_default();
            self.say_odd(*claim, &odd);
        }
    }

    /// Writes the instances and how they differ, and says it where a verdict is about one only.
    pub(super) fn write_instances(&mut self) {
        let Some(sequential) = self.sequential.as_ref().filter(|_| self.config.tells_instances()) else {
            return;
        };
        let document = instances::document(self.setup, sequential);
        let claims = document.claims.len();
        let odd = |claim| sequential.instances_by_now(claim).map(|all| (claim, all.odd()));
        let odd: Vec<_> =
            (0..if claims == 0 { 0 } else { sequential.claims().len() }).filter_map(odd).collect();
        let names = &document.instances;
        let text = match &names[..] {
            [] => None,
            [one] => Some(format!(
                "these verdicts are about one instance, {one}: another one may differ from it, and by how much is not \
                 in them"
            )),
            _ => Some(format!("{} instances were measured: {}", names.len(), names.join(", "))),
        };
        let written = instances::write(&self.config.result_file, &document);
        if !self.is_replaced {
            odd.iter().for_each(|(claim, odd)| self.say_odd(*claim, odd));
            text.iter().for_each(|text| self.observer.note(text));
        }
        self.check(written);
    }

    /// Adds to the reasons of an undecided claim that its methods reached their maximum of samples.
    fn say_maximum(&self, methods: &[usize], why: &mut NotEvaluated) {
        let mut reached =
            methods.iter().filter_map(|&method| self.scheduler.reached_maximum(MethodIx(method)));
        if let (NotEvaluated::Open { why, .. }, Some((key, limit))) = (why, reached.next()) {
            why.push_str(&format!(", but the maximum {key} = {limit} came first"));
        }
    }

    fn evaluated(&mut self, evaluation: Evaluation) {
        self.output.decided(self.setup.program.claim_numbers().comparison(evaluation.comparison));
        self.unsaid.evaluations.push(evaluation);
    }

    fn asserted(&mut self, asserted: Asserted) {
        self.output.decided(self.setup.program.claim_numbers().assertion(asserted.assertion));
        self.unsaid.assertions.push(asserted);
    }

    /// Writes and shows the new results that are final, and writes the run's progress once for all of them.
    pub(super) fn say_results(&mut self) {
        let Results { evaluations, assertions } = if self.scheduler.is_done() {
            let mut last = std::mem::take(&mut self.unsaid);
            last.correct(&self.setup.program, self.config);
            last
        } else {
            self.unsaid.take_final(self.config)
        };
        if evaluations.is_empty() && assertions.is_empty() {
            return;
        }
        self.save(false);
        for evaluation in evaluations {
            let written = self.output.results.result(self.tasks, &evaluation);
            self.check(written);
            // The claims go on, or the operator has removed them.
            if !self.is_replaced {
                self.observer.evaluated(self.tasks, &evaluation);
            }
            self.results.evaluations.push(evaluation);
        }
        for asserted in assertions {
            let written = self.output.results.assertion(self.setup, &asserted);
            self.check(written);
            if !self.is_replaced {
                self.observer.asserted(self.setup, &asserted);
            }
            self.results.assertions.push(asserted);
        }
    }

    pub(super) fn change_classes(&mut self) {
        self.peers.values_mut().for_each(Peer::change_classes);
    }

    pub(super) fn detach(&mut self) {
        self.say_results();
        let flushed = self.output.flush_all();
        self.check(flushed);
        self.write_buckets();
        self.write_instances();
        self.save(true);
        if self.is_replaced {
            self.hand_over();
        } else if self.detach_by.is_none() {
            self.detach_by = Some(Instant::now() + DETACH_TIMEOUT);
            self.send(&ToAgent::Detach);
        }
    }
}
