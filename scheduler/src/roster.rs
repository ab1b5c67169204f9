//! All methods, their counts by status, and the classes they belong to.

use crate::MethodIx;
use crate::method::{Method, Status};
use spl_lang::Tasks;
use std::collections::HashMap;

/// All methods of the task file. Statuses change here only, so that the counts are always right.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Roster {
    methods: Vec<Method>,
    classes: usize,
    measured: usize,
    unfinished: usize,
    turns: u64,
    /// Lost samples of which nobody knows whose they were.
    dropped_of_unknown: u64,
}

impl Roster {
    pub(crate) fn new(tasks: &Tasks) -> Self {
        let mut classes: HashMap<&str, usize> = HashMap::new();
        let mut methods = Vec::with_capacity(tasks.methods.len());
        for task in &tasks.methods {
            let next = classes.len();
            methods.push(Method::new(*classes.entry(task.method.class()).or_insert(next)));
        }
        let unfinished = methods.len();
        Self { methods, classes: classes.len(), measured: 0, unfinished, turns: 0, dropped_of_unknown: 0 }
    }

    pub(crate) fn get(&self, method: MethodIx) -> Option<&Method> {
        self.methods.get(method.0)
    }

    pub(crate) fn get_mut(&mut self, method: MethodIx) -> Option<&mut Method> {
        self.methods.get_mut(method.0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (MethodIx, &Method)> {
        self.methods.iter().enumerate().map(|(index, method)| (MethodIx(index), method))
    }

    pub(crate) fn len(&self) -> usize {
        self.methods.len()
    }

    /// Number of distinct classes.
    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    pub(crate) fn measured(&self) -> usize {
        self.measured
    }

    pub(crate) fn unfinished(&self) -> usize {
        self.unfinished
    }

    /// Whether the method is finished; one that does not exist never delivers, as a finished one.
    pub(crate) fn is_finished(&self, method: MethodIx) -> bool {
        self.get(method).is_none_or(|method| method.status == Status::Finished)
    }

    /// Moves a method to another status. A finished method stays finished.
    pub(crate) fn set_status(&mut self, method: MethodIx, status: Status) {
        let lost = self.dropped_of_unknown;
        let Some(method) = self.methods.get_mut(method.0) else { return };
        if method.status == Status::Finished || method.status == status {
            return;
        }
        self.measured -= usize::from(method.status == Status::Measured);
        self.unfinished -= usize::from(status == Status::Finished);
        if status == Status::Measured {
            self.measured += 1;
            self.turns += 1;
            method.turn = self.turns;
            method.dropped_before.get_or_insert(lost);
        }
        method.status = status;
    }

    /// Every method of these methods' classes starts its warm-up anew: a changed class loses its compiled code.
    pub(crate) fn cool_down_classes_of<'a>(&mut self, changed: impl Iterator<Item = &'a MethodIx>) {
        let mut touched = vec![false; self.classes];
        for method in changed.filter_map(|&method| self.get(method)) {
            touched[method.class] = true;
        }
        self.methods.iter_mut().filter(|method| touched[method.class]).for_each(Method::cool_down);
    }

    /// Counts lost samples.
    pub(crate) fn drop_samples(&mut self, method: Option<MethodIx>, count: u64) {
        match method {
            None => self.dropped_of_unknown = self.dropped_of_unknown.saturating_add(count),
            Some(method) => {
                if let Some(method) = self.methods.get_mut(method.0) {
                    method.dropped = method.dropped.saturating_add(count);
                }
            }
        }
    }

    /// Samples of either method that were lost, those of unknown methods since the first of the two was measured
    /// included.
    pub(crate) fn dropped_of(&self, left: MethodIx, right: MethodIx) -> u64 {
        let of = |method| self.get(method).map_or(0, |method: &Method| method.dropped);
        let own = if left == right { of(left) } else { of(left).saturating_add(of(right)) };
        let since = |method| self.get(method).and_then(|method: &Method| method.dropped_before);
        let before = [since(left), since(right)].into_iter().flatten().min();
        own.saturating_add(before.map_or(0, |before| self.dropped_of_unknown - before))
    }
}
