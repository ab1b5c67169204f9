//! JaCoCo's counters: what was missed and what was covered, of methods, classes and files.

use std::collections::BTreeMap;

/// Items of one kind that did not run, and that did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counter {
    pub(super) missed: u64,
    pub(super) covered: u64,
}

impl Counter {
    /// One item.
    pub(super) fn one(covered: bool) -> Self {
        Self { missed: u64::from(!covered), covered: u64::from(covered) }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.missed = self.missed.saturating_add(other.missed);
        self.covered = self.covered.saturating_add(other.covered);
    }

    pub(super) fn total(self) -> u64 {
        self.missed.saturating_add(self.covered)
    }
}

/// A source line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) instructions: Counter,
    pub(super) branches: Counter,
}

/// Counters of which each but that of lines is a sum over parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) instructions: Counter,
    pub(super) branches: Counter,
    pub(super) complexity: Counter,
    pub(super) methods: Counter,
    pub(super) classes: Counter,
    pub(super) lines: BTreeMap<u16, Line>,
}

impl Sums {
    /// Adds an instruction with the ways out of it; where there is a single way, `branches` are 0.
    pub(super) fn instruction(&mut self, line: Option<u16>, covered: bool, branches: Counter) {
        self.instructions.add(Counter::one(covered));
        self.branches.add(branches);
        if let Some(line) = line {
            let line = self.lines.entry(line).or_default();
            line.instructions.add(Counter::one(covered));
            line.branches.add(branches);
        }
        // Of two ways out of an instruction one is the first path through the method, which the method itself counts.
        if branches.total() > 1 {
            let covered = branches.covered.saturating_sub(1);
            self.complexity.add(Counter { missed: branches.total() - 1 - covered, covered });
        }
    }

    /// Makes a method of its instructions.
    pub(super) fn method(&mut self) {
        let one = Counter::one(self.instructions.covered > 0);
        self.methods.add(one);
        self.complexity.add(one);
    }

    /// Makes a class of its methods.
    pub(super) fn class(&mut self) {
        self.classes = Counter::one(self.methods.covered > 0);
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.instructions.add(other.instructions);
        self.branches.add(other.branches);
        self.complexity.add(other.complexity);
        self.methods.add(other.methods);
        self.classes.add(other.classes);
        for (line, more) in &other.lines {
            let line = self.lines.entry(*line).or_default();
            line.instructions.add(more.instructions);
            line.branches.add(more.branches);
        }
    }

    /// The six counters, in JaCoCo's order.
    pub(super) fn totals(&self) -> Totals {
        let mut lines = Counter::default();
        for line in self.lines.values() {
            lines.add(Counter::one(line.instructions.covered > 0));
        }
        Totals([self.instructions, self.branches, lines, self.complexity, self.methods, self.classes])
    }
}

/// The names of the counters, in JaCoCo's order.
pub(super) const KINDS: [&str; 6] = ["INSTRUCTION", "BRANCH", "LINE", "COMPLEXITY", "METHOD", "CLASS"];

/// Counters in the order of [`KINDS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals(pub(super) [Counter; 6]);

impl Totals {
    pub(super) fn add(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(to, from)| to.add(from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complexity_is_of_the_method_and_of_each_further_way() {
        let mut sums = Sums::default();
        sums.instruction(Some(3), true, Counter::default());
        // A condition of which one way was taken, a switch with four ways that never ran.
        sums.instruction(Some(3), true, Counter { missed: 1, covered: 1 });
        sums.instruction(Some(4), false, Counter { missed: 4, covered: 0 });
        sums.method();
        sums.class();
        let Totals([instructions, branches, lines, complexity, methods, classes]) = sums.totals();
        assert_eq!(instructions, Counter { missed: 1, covered: 2 });
        assert_eq!(branches, Counter { missed: 5, covered: 1 });
        assert_eq!(lines, Counter { missed: 1, covered: 1 });
        assert_eq!(complexity, Counter { missed: 4, covered: 1 });
        assert_eq!((methods, classes), (Counter::one(true), Counter::one(true)));
    }

    #[test]
    fn a_line_of_two_methods_is_one_line() {
        let method = |covered| {
            let mut sums = Sums::default();
            sums.instruction(Some(7), covered, Counter::default());
            sums.method();
            sums
        };
        let mut both = method(false);
        both.add(&method(true));
        assert_eq!(both.totals().0[2], Counter { missed: 0, covered: 1 });
        assert_eq!(both.totals().0[4], Counter { missed: 1, covered: 1 });
    }
}
