//! The sequential mode: each comparison is looked at after every window, and decided as soon as the evidence suffices.

use spl_lang::{Comparison, Tasks};
use spl_model::Bucket;
use spl_scheduler::Window;
use spl_verdict::{Evaluation, NotEvaluated, SequentialComparison, Truth};
use std::collections::BTreeMap;

/// Comparisons in the making, by their number and bucket.
#[derive(Debug)]
pub struct Sequential {
    comparisons: Vec<Comparison>,
    /// Accepted probability of a wrong decision, either way.
    alpha: f64,
    running: BTreeMap<(usize, Bucket), Running>,
}

/// One comparison in one bucket, with the pairs that were compared.
#[derive(Debug)]
struct Running {
    machine: SequentialComparison,
    left_ns: Vec<u64>,
    right_ns: Vec<u64>,
}

impl Sequential {
    /// Nothing has been looked at.
    pub fn new(tasks: &Tasks, alpha: f64) -> Self {
        Self { comparisons: tasks.comparisons.clone(), alpha, running: BTreeMap::new() }
    }

    /// Takes a window; gives the evaluation of a comparison that it decides.
    pub fn window(&mut self, window: &Window) -> Option<Evaluation> {
        let comparison = self.comparisons.get(window.comparison)?;
        let key = (window.comparison, window.bucket.clone());
        if !self.running.contains_key(&key) {
            let Comparison { sign, left_factor, right_factor, .. } = *comparison;
            let machine =
                SequentialComparison::new(sign, left_factor, right_factor, self.alpha, None).ok()?;
            let fresh = Running { machine, left_ns: Vec::new(), right_ns: Vec::new() };
            self.running.insert(key.clone(), fresh);
        }
        let running = self.running.get_mut(&key)?;
        running.left_ns.extend(&window.left_ns);
        running.right_ns.extend(&window.right_ns);
        let truth = running.machine.close_window(&window.left_ns, &window.right_ns);
        (truth != Truth::Undecided).then(|| running.evaluation(key))
    }

    /// What there is to say of a comparison that ends undecided: of the bucket with most pairs, in place of a test that
    /// was to be used once, at a time that was not chosen by looking.
    pub fn ended(&self, ended: Evaluation) -> Evaluation {
        if matches!(ended.verdict, Err(NotEvaluated::NotMeasured(_))) {
            return ended;
        }
        let of_this = self.running.iter().filter(|((comparison, _), _)| *comparison == ended.comparison);
        match of_this.max_by_key(|(_, running)| running.left_ns.len()) {
            Some((key, running)) => {
                Evaluation { leftover: true, drops: ended.drops, ..running.evaluation(key.clone()) }
            }
            None => Evaluation { verdict: Err(NotEvaluated::Undecided { windows: 0 }), ..ended },
        }
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
