//! Work of an experiment for the controller.

use std::fmt::Write as _;

/// Methods of a class, so that there are as many classes as in real task lists.
const METHODS_OF_A_CLASS: usize = 10;

/// Numbers of all things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Methods.
    pub methods: usize,
    /// Assertions about two of them each; with none, methods are only measured.
    pub assertions: usize,
    /// Samples of each method, all of which count.
    pub samples: u64,
    /// Buckets of workload sizes over which they are spread evenly.
    pub buckets: u64,
}

/// Task file and configuration of a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The task file.
    pub tasks: String,
    /// The configuration file.
    pub config: String,
}

impl Plan {
    /// Everything is measured at once and from the beginning, and no sample is discarded: only work is asked
    /// for. Compared methods have to have all samples of a bucket.
    pub fn of(shape: Shape) -> Self {
        let mut tasks = String::new();
        for number in 0..shape.methods {
            // A `String` takes everything.
            let _ = match shape.assertions {
                0 => writeln!(tasks, "{}", method(number)),
                _ => writeln!(tasks, "let m{number} = {}", method(number)),
            };
        }
        for number in 0..shape.assertions {
            // Each pair of neighbours, of those at distance two, and so on: no assertion is like another.
            let left = number % shape.methods;
            let right = (left + 1 + number / shape.methods) % shape.methods;
            let _ = writeln!(tasks, "assert \"claim {number}\": m{left} <= {} * m{right}", 2 + number % 7);
        }
        let mode = if shape.assertions == 0 { "measurement" } else { "comparison" };
        let sizes = if shape.buckets > 1 { "sizeof" } else { "nocheck" };
        let config = format!(
            "[communication]\ninitial-sleep = 0\n\n\
             [scheduler]\ninitial-optimal-measurements = {methods}\nmin-measuring-diff = 1\nargument-size = {sizes}\n\
             instrument-ahead = {methods}\nchanges-per-minute = none\noverhead-budget = none\n\n\
             [sampling]\nsettle-time = 0\nwarm-up-calls = 0\nwarm-up-time = 0\n\n\
             [controller]\nrun-mode = {mode}\nhuman-readable-measurements = 0\nmeasurements-to-flush = 10000\n\
             max-method-measurements = {samples}\nmin-method-measurements = {full}\n\n\
             [evaluator]\nhuman-readable-results = 0\n",
            methods = shape.methods,
            samples = shape.samples,
            full = (shape.samples / shape.buckets).max(2),
        );
        Self { tasks, config }
    }
}

/// A method of the simulated program as it stands in a task file.
fn method(number: usize) -> String {
    format!("p/C{}.m{}(I)V", number / METHODS_OF_A_CLASS, number % METHODS_OF_A_CLASS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_assertion_is_like_another() {
        let plan = Plan::of(Shape { methods: 100, assertions: 5000, samples: 100, buckets: 1 });
        let formulas: BTreeSet<_> = plan
            .tasks
            .lines()
            .filter_map(|line| line.split_once("\": "))
            .map(|(_, formula)| formula)
            .collect();
        assert_eq!(formulas.len(), 5000);
    }

    #[test]
    fn methods_alone_are_measured_only() {
        let plan = Plan::of(Shape { methods: 11, assertions: 0, samples: 5, buckets: 1 });
        assert_eq!(plan.tasks.lines().last(), Some("p/C1.m0(I)V"));
        assert!(plan.config.contains("run-mode = measurement"));
    }
}
