//! The contents of a task file: the methods to measure and the comparisons between them (thesis 3.3.3).

use crate::{Diagnostic, Sign};
use spl_model::MethodRef;
use std::fmt;

/// Use of a run's methods (thesis 3.3.2, key `run-mode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunMode {
    /// Methods are measured to decide comparisons; each line of the task file is one comparison.
    Comparison,
    /// Methods are measured for their own sake; each line of the task file is one method.
    Measurement,
}

/// The key's value in the configuration: `comparison` or `measurement`.
impl fmt::Display for RunMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Comparison => "comparison",
            Self::Measurement => "measurement",
        })
    }
}

/// A checked task file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tasks {
    /// Each method once, in the order in which the file names them first.
    pub methods: Vec<MeasuredMethod>,
    /// The comparisons in file order; empty in a file for the measurement mode.
    pub comparisons: Vec<Comparison>,
    /// Warnings: statements that look like a mistake but have a meaning.
    pub warnings: Vec<Diagnostic>,
}

/// One method that is to be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredMethod {
    /// Class, name and descriptor.
    pub method: MethodRef,
    /// Class that computes the workload sizes of this method's calls, named with dots.
    pub processor: Option<String>,
    /// The line that names the method first, counted from 1.
    pub line: usize,
}

/// The thesis's form: `pkg/Class.name(descriptor)`, then `, pkg.Processor` if there is one.
impl fmt::Display for MeasuredMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.processor {
            Some(processor) => write!(f, "{}, {processor}", self.method),
            None => write!(f, "{}", self.method),
        }
    }
}

/// One assertion: the left method's times, scaled, compare with the right method's, scaled.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Index into [`Tasks::methods`].
    pub left: usize,
    /// Index into [`Tasks::methods`].
    pub right: usize,
    /// The sign between the two sides.
    pub sign: Sign,
    /// Multiplies the left method's times: finite, positive, 1 by default.
    pub left_factor: f64,
    /// Multiplies the right method's times: finite, positive, 1 by default.
    pub right_factor: f64,
    /// Where the comparison stands in the file, counted from 1.
    pub line: usize,
    /// Its place among the comparisons of a set; `None` without a set.
    pub member: Option<Member>,
}

/// One of several claims that a line with a set of methods makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its number, counted from 1.
    pub number: usize,
    /// Number of claims.
    pub of: usize,
    /// The method of the set that it is about, as Java names it where that is possible.
    pub method: String,
}

/// Words to follow the operator's own.
impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, of, method } = self;
        write!(f, "[{number} of {of}: {method}]")
    }
}

impl Tasks {
    /// The line that asks for `comparison`, in the thesis's form; an index that names no method prints as
    /// `?`.
    #[must_use]
    pub fn line_of(&self, comparison: &Comparison) -> String {
        let method =
            |index: usize| self.methods.get(index).map_or_else(|| "?".to_owned(), ToString::to_string);
        let Comparison { left, right, sign, left_factor, right_factor, .. } = *comparison;
        let (left, right) = (method(left), method(right));
        if left_factor == 1.0 && right_factor == 1.0 {
            format!("{left} {sign} {right}")
        } else {
            format!("{left} {sign} ({left_factor}, {right_factor}) {right}")
        }
    }
}

/// The file as it would be written without comments: a line for each comparison, or for each method if there
/// is no comparison. Reading it back gives equal methods and comparisons, on other lines.
impl fmt::Display for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for comparison in &self.comparisons {
            writeln!(f, "{}", self.line_of(comparison))?;
        }
        if self.comparisons.is_empty() {
            for method in &self.methods {
                writeln!(f, "{method}")?;
            }
        }
        Ok(())
    }
}
