//! What a task file of the full language asks for, once every method in it is known.

use crate::ast::{Formula, Node, Percent, Statistic};
use crate::{Sign, Span, Tasks};

/// A checked task file of the full language.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The methods of the whole file, and its plain comparisons: mean times of two methods, with factors at most.
    pub tasks: Tasks,
    /// All that says more than a plain comparison, in file order.
    pub assertions: Vec<Assertion>,
}

/// One formula that is to be decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Assertion {
    /// How reports call it; the text of a comparison that stands alone.
    pub title: String,
    /// What is asserted.
    pub formula: Node<Formula<Atom>>,
    /// Its significance level, if not the configured one.
    pub level: Option<Percent>,
    /// Where it stands in the file, counted from 1.
    pub line: usize,
    /// The bytes of its line.
    pub span: Span,
}

/// One comparison within a formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Atom {
    /// Two methods' times.
    Pair {
        /// Before the sign.
        left: Scaled,
        /// How they compare.
        sign: Sign,
        /// After the sign.
        right: Scaled,
        /// How far apart equal sides may be; only with `=`.
        within: Option<Percent>,
    },
    /// A method's times and a fixed length of time.
    Bound {
        /// Before the sign; if the bound was written there, both were swapped and the sign mirrored.
        times: Scaled,
        /// How they compare.
        sign: Sign,
        /// After the sign, in nanoseconds; finite and positive.
        bound_ns: f64,
        /// How far apart equal sides may be; only with `=`.
        within: Option<Percent>,
    },
}

/// A statistic of one method's times, multiplied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaled {
    /// Index into [`Tasks::methods`].
    pub method: usize,
    /// What of its times is compared.
    pub statistic: Statistic,
    /// Multiplies the times; finite, positive, 1 by default.
    pub factor: f64,
}
