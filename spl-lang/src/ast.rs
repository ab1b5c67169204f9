//! The syntax tree of a task file. Printing a node gives text that parses to an equal node.

mod formula;
mod literal;
mod metric;
mod node;
mod pattern;
mod target;

pub use formula::{Formula, Instances, Relation, Side, Sizes, Times};
pub use literal::{ByteSize, Duration, Interval, Percent, SizeUnit, Statistic, TimeUnit};
pub use metric::{MetricName, MetricRelation, MetricSide, MetricTerm, Number, SpaceTerm};
pub use node::Node;
pub use pattern::{MethodPattern, TypePattern};
pub use target::{MethodTerm, Target};

use crate::source::Source;
use crate::{Diagnostic, Severity, Span};
use std::fmt;

/// A task file whose lines are all readable.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// The lines that are neither blank nor comments, in order.
    pub statements: Vec<Node<Statement>>,
    /// Warnings: statements that look like a mistake but have a meaning.
    pub warnings: Vec<Diagnostic>,
}

impl File {
    /// The methods that are named as in Java, in file order; [`File::check`] looks up the methods that they
    /// mean.
    #[must_use]
    pub fn patterns(&self) -> Vec<MethodPattern> {
        let mut patterns = Vec::new();
        self.for_each_target(&mut |target: &Target| {
            if let MethodTerm::Pattern(pattern) = &target.method.value {
                patterns.push(pattern.clone());
            }
        });
        patterns
    }

    /// Mentions of methods, except by a name that a definition gave, in file order. `text` is the source of
    /// the file.
    #[must_use]
    pub fn mentions(&self, text: &str) -> Vec<Mention> {
        let source = Source::new(text);
        let mut mentions = Vec::new();
        for statement in &self.statements {
            let several = matches!(statement.value, Statement::Measure(_));
            statement.value.for_each_target(&mut |target: &Target| {
                let Node { value: method, span } = &target.method;
                if !matches!(method, MethodTerm::Name(_)) {
                    let (line, column) = source.place(span.start);
                    mentions.push(Mention { method: method.clone(), span: *span, line, column, several });
                }
            });
        }
        mentions
    }

    fn for_each_target(&self, look: &mut impl FnMut(&Target)) {
        self.statements.iter().for_each(|statement| statement.value.for_each_target(look));
    }
}

/// A mention of a method in a task file.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    /// The method; not a [`MethodTerm::Name`].
    pub method: MethodTerm,
    /// The bytes it was read from.
    pub span: Span,
    /// Line of the first of them, counted from 1.
    pub line: usize,
    /// Column of the first of them, in characters, counted from 1.
    pub column: usize,
    /// Whether several methods may be meant here: the statement is a measurement.
    pub several: bool,
}

impl Mention {
    /// A finding about the method, without a help.
    #[must_use]
    pub fn finding(&self, severity: Severity, message: String, label: String) -> Diagnostic {
        let Self { span, line, column, .. } = *self;
        Diagnostic { severity, message, span, line, column, label, help: None, related: Vec::new() }
    }
}

/// One line of a task file.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// A method to be measured, or several by a glob (measurement mode).
    Measure(Target),
    /// A comparison to be decided (comparison mode).
    Compare(Box<Relation>),
    /// A short name for a method (comparison mode).
    Let {
        /// The name.
        name: Node<String>,
        /// The target of the name.
        target: Node<Target>,
    },
    /// A titled formula to be decided (comparison mode).
    Assert {
        /// Title of the assertion in reports.
        title: Node<String>,
        /// The asserted formula.
        formula: Node<Formula<Relation>>,
        /// The significance level, if not the configured one.
        level: Option<Node<Percent>>,
    },
    /// A claim about metrics (comparison mode): a comparison on a line of its own, or a titled formula.
    Metrics {
        /// Title in reports; `None` for a comparison that stands alone.
        title: Option<Node<String>>,
        /// The asserted formula, without quantifiers.
        formula: Node<Formula<MetricRelation>>,
    },
}

impl Statement {
    /// Calls `look` with every method whose times are meant, from left to right.
    pub fn for_each_target(&self, look: &mut impl FnMut(&Target)) {
        match self {
            Self::Measure(target) => look(target),
            Self::Let { target, .. } => look(&target.value),
            Self::Compare(relation) => relation.targets().for_each(look),
            Self::Metrics { .. } => {}
            Self::Assert { formula, .. } => {
                formula.value.for_each(&mut |relation: &Relation| relation.targets().for_each(&mut *look));
            }
        }
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Measure(target) => target.fmt(f),
            Self::Compare(relation) => relation.fmt(f),
            Self::Let { name, target } => write!(f, "let {name} = {target}"),
            Self::Assert { title, formula, level } => {
                write!(f, "assert {}: {formula}", quoted(&title.value))?;
                level.iter().try_for_each(|level| write!(f, " at {level}"))
            }
            Self::Metrics { title: Some(title), formula } => {
                write!(f, "assert {}: {formula}", quoted(&title.value))
            }
            Self::Metrics { title: None, formula } => formula.fmt(f),
        }
    }
}

/// A title with the characters that a title needs around it and within.
fn quoted(title: &str) -> String {
    format!("\"{}\"", title.replace('\\', "\\\\").replace('"', "\\\""))
}
