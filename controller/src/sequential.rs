//! The sequential mode: each comparison is looked at after every window, and decided as soon as the evidence suffices.

use crate::setup::Setup;
use spl_lang::Comparison;
use spl_model::Bucket;
use spl_scheduler::Window;
use spl_verdict::{Correction, Evaluation, Look, NotEvaluated, SequentialComparison, Truth};
use std::collections::{BTreeMap, BTreeSet};

/// Comparisons in the making, by their number and bucket.
#[derive(Debug)]
pub struct Sequential {
    comparisons: Vec<Comparison>,
    /// Accepted probability of a wrong decision, either way.
    alpha: f64,
    correction: Correction,
    running: BTreeMap<(usize, Bucket), Running>,
    decided: BTreeSet<usize>,
}

/// One comparison in one bucket, with the pairs that were compared.
#[derive(Debug)]
struct Running {
    machine: SequentialComparison,
    left_ns: Vec<u64>,
    right_ns: Vec<u64>,
}

impl Sequential {
    /// Nothing has been looked at of the tasks' comparisons.
    pub fn of(setup: &Setup) -> Self {
        Self {
            comparisons: setup.program.tasks.comparisons.clone(),
            alpha: setup.config.scheduler.limit_p,
            correction: setup.config.correction,
            running: BTreeMap::new(),
            decided: BTreeSet::new(),
        }
    }

    /// Takes a window; gives the evaluations of the comparisons that it decides: its own, and with a correction those whose
    /// evidence suffices now that there is more evidence elsewhere.
    pub fn window(&mut self, window: &Window) -> Vec<Evaluation> {
        if self.decided.contains(&window.comparison) {
            return Vec::new();
        }
        let key = (window.comparison, window.bucket.clone());
        let Some(running) = self.running(&key) else { return Vec::new() };
        running.left_ns.extend(&window.left_ns);
        running.right_ns.extend(&window.right_ns);
        running.machine.close_window(&window.left_ns, &window.right_ns);
        // More evidence elsewhere decides nothing as long as this one's would not suffice alone.
        if running.machine.p_value() > self.alpha { Vec::new() } else { self.decide() }
    }

    /// The comparison that a window belongs to; begun when there is none.
    fn running(&mut self, key: &(usize, Bucket)) -> Option<&mut Running> {
        if !self.running.contains_key(key) {
            let Comparison { sign, left_factor, right_factor, .. } = *self.comparisons.get(key.0)?;
            // What suffices for one of so many at the first look suffices whatever the others show.
            let alpha = match self.correction {
                Correction::None => self.alpha,
                Correction::Holm | Correction::BenjaminiHochberg => {
                    self.alpha / self.comparisons.len() as f64
                }
            };
            let machine = SequentialComparison::new(sign, left_factor, right_factor, alpha, None).ok()?;
            let fresh = Running { machine, left_ns: Vec::new(), right_ns: Vec::new() };
            self.running.insert(key.clone(), fresh);
        }
        self.running.get_mut(key)
    }

    /// Decides what the evidence of all together decides. What is decided is looked at no more, so that its evidence stays as
    /// it is: the more is decided, the less is asked of the rest.
    fn decide(&mut self) -> Vec<Evaluation> {
        let measured: BTreeSet<usize> = self.running.keys().map(|(comparison, _)| *comparison).collect();
        let mut p_values: Vec<f64> = self.running.values().map(|one| one.machine.p_value()).collect();
        p_values.resize(p_values.len() + self.comparisons.len() - measured.len(), 1.0);
        let adjusted = self.correction.adjusted(&p_values);
        let mut evaluations = Vec::new();
        for ((key, running), (&p, &adjusted)) in self.running.iter_mut().zip(p_values.iter().zip(&adjusted)) {
            if adjusted > self.alpha || self.decided.contains(&key.0) {
                continue;
            }
            if running.machine.decide_at(self.alpha * (p / adjusted)) != Truth::Undecided {
                self.decided.insert(key.0);
                let evaluation = running.evaluation(key.clone());
                let verdict =
                    evaluation.verdict.map(|verdict| spl_verdict::Verdict { p_value: adjusted, ..verdict });
                evaluations.push(Evaluation { verdict, ..evaluation });
            }
        }
        evaluations
    }

    /// What there is to say of a comparison that ends undecided: of the bucket with most pairs, in place of a test that
    /// was to be used once, at a time that was not chosen by looking. Nothing of one that was decided.
    pub fn ended(&mut self, ended: Evaluation) -> Option<Evaluation> {
        if self.decided.contains(&ended.comparison) {
            return None;
        }
        if matches!(ended.verdict, Err(NotEvaluated::NotMeasured(_) | NotEvaluated::Lacking(_))) {
            return Some(ended);
        }
        // With several common buckets the scheduler says so of each.
        self.decided.insert(ended.comparison);
        let of_this = self.running.iter().filter(|((comparison, _), _)| *comparison == ended.comparison);
        Some(match of_this.max_by_key(|(_, running)| running.left_ns.len()) {
            Some((key, running)) => {
                Evaluation { leftover: true, drops: ended.drops, ..running.evaluation(key.clone()) }
            }
            None => Evaluation { verdict: Err(NotEvaluated::Undecided { windows: 0 }), ..ended },
        })
    }

    /// The look that decided a comparison in a bucket, or else the last one.
    pub fn look(&self, comparison: usize, bucket: &Bucket) -> Option<&Look> {
        self.running.get(&(comparison, bucket.clone()))?.machine.look()
    }
}

impl Running {
    fn evaluation(&self, (comparison, bucket): (usize, Bucket)) -> Evaluation {
        Evaluation {
            comparison,
            bucket,
            verdict: self.machine.verdict(&self.left_ns, &self.right_ns),
            leftover: false,
            n_left: self.left_ns.len() as u64,
            n_right: self.right_ns.len() as u64,
            drops: 0,
        }
    }
}
