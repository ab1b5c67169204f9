//! The method of an operand, in each of the ways to name one.

use super::{MethodPattern, Node};
use spl_model::MethodRef;
use std::fmt;

/// A method and the class that computes its workload sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The method.
    pub method: Node<MethodTerm>,
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

/// The ways to name a method.
#[derive(Clone, Debug, PartialEq)]
pub enum MethodTerm {
    /// As the class file names it: `pkg/Class.name(I)V`.
    Exact(MethodRef),
    /// As Java names it: `pkg.Class#name(int)`; to be looked up among the classes of the program.
    Pattern(MethodPattern),
    /// By the name that a `let` gave it.
    Name(String),
}

impl fmt::Display for MethodTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(method) => method.fmt(f),
            Self::Pattern(pattern) => pattern.fmt(f),
            Self::Name(name) => name.fmt(f),
        }
    }
}
