//! The syntax tree of a task file. Printing a node gives text that parses to an equal node.

use crate::{Sign, Span};
use spl_model::MethodRef;
use std::fmt;

/// A piece of the tree and where it stands. Two nodes are equal when their values are, wherever they stand.
#[derive(Clone, Debug)]
pub struct Node<T> {
    /// What was read.
    pub value: T,
    /// The bytes it was read from.
    pub span: Span,
}

impl<T: PartialEq> PartialEq for Node<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: fmt::Display> fmt::Display for Node<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// One line of a task file.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// A method to be measured (measurement mode).
    Measure(Target),
    /// A comparison to be decided (comparison mode).
    Compare(Box<Relation>),
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Measure(target) => target.fmt(f),
            Self::Compare(relation) => relation.fmt(f),
        }
    }
}

/// A method and the class that computes its workload sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The method.
    pub method: Node<MethodRef>,
    /// The size processor, named with dots.
    pub processor: Option<Node<String>>,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.processor {
            Some(processor) => write!(f, "{}, {processor}", self.method),
            None => self.method.fmt(f),
        }
    }
}

/// Two sides and how they compare.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// Before the sign.
    pub left: Node<Target>,
    /// How they compare.
    pub sign: Node<Sign>,
    /// What the left and the right side's times are multiplied by; finite and positive.
    pub factors: Option<Node<(f64, f64)>>,
    /// After the sign.
    pub right: Node<Target>,
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.left, self.sign)?;
        if let Some(Node { value: (left, right), .. }) = &self.factors {
            write!(f, " ({left}, {right})")?;
        }
        write!(f, " {}", self.right)
    }
}
