//! A piece of the tree with its place in the file.

use crate::Span;
use std::fmt;

/// A piece of the tree with its place. Two nodes are equal when their values are, at any places.
#[derive(Clone, Debug)]
pub struct Node<T> {
    /// The parsed value.
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
