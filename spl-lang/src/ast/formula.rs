//! Formulas: comparisons and their connectives.

use super::{Duration, Interval, Node, Percent, Statistic, Target};
use crate::{Sign, Span};
use std::fmt;

/// A formula over comparisons of the kind `R`: [`Relation`] as written, [`Atom`](crate::Atom) once checked.
#[derive(Clone, Debug, PartialEq)]
pub enum Formula<R> {
    /// One comparison.
    Relation(R),
    /// `! a`
    Not(Box<Node<Self>>),
    /// `a & b & c`: two or more.
    And(Vec<Node<Self>>),
    /// `a | b | c`: two or more.
    Or(Vec<Node<Self>>),
    /// `a => b`
    Implies(Box<Node<Self>>, Box<Node<Self>>),
    /// `for all sizes: a`; quantifiers don't nest.
    For(Node<Sizes>, Box<Node<Self>>),
    /// `for all instances: a`; they don't nest either, but sizes may be chosen inside and outside.
    ForInstances(Node<Instances>, Box<Node<Self>>),
}

impl<R> Formula<R> {
    /// Strength of its binding: a part with a weaker binding than its place requires is put in parentheses.
    fn binding(&self) -> u8 {
        match self {
            Self::For(..) | Self::ForInstances(..) => 0,
            Self::Implies(..) => 1,
            Self::Or(_) => 2,
            Self::And(_) => 3,
            Self::Not(_) => 4,
            Self::Relation(_) => 5,
        }
    }

    /// A formula of the same shape over other comparisons; the first error ends the conversion.
    ///
    /// # Errors
    /// The first error of `change`.
    pub fn try_map<S, E>(&self, change: &mut impl FnMut(&R) -> Result<S, E>) -> Result<Formula<S>, E> {
        Ok(match self {
            Self::Relation(relation) => Formula::Relation(change(relation)?),
            Self::Not(inner) => Formula::Not(Box::new(try_map_node(inner, change)?)),
            Self::And(parts) => Formula::And(try_map_all(parts, change)?),
            Self::Or(parts) => Formula::Or(try_map_all(parts, change)?),
            Self::Implies(premise, conclusion) => Formula::Implies(
                Box::new(try_map_node(premise, change)?),
                Box::new(try_map_node(conclusion, change)?),
            ),
            Self::For(sizes, body) => Formula::For(sizes.clone(), Box::new(try_map_node(body, change)?)),
            Self::ForInstances(instances, body) => {
                Formula::ForInstances(instances.clone(), Box::new(try_map_node(body, change)?))
            }
        })
    }

    /// Calls `look` with every comparison, from left to right.
    pub fn for_each(&self, look: &mut impl FnMut(&R)) {
        match self {
            Self::Relation(relation) => look(relation),
            Self::Not(inner) | Self::For(_, inner) | Self::ForInstances(_, inner) => {
                inner.value.for_each(look);
            }
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.value.for_each(look)),
            Self::Implies(premise, conclusion) => {
                premise.value.for_each(look);
                conclusion.value.for_each(look);
            }
        }
    }
}

impl<R> Node<Formula<R>> {
    /// Calls `look` with the place of every comparison, from left to right.
    pub fn for_each_relation(&self, look: &mut impl FnMut(Span)) {
        match &self.value {
            Formula::Relation(_) => look(self.span),
            Formula::Not(inner) | Formula::For(_, inner) | Formula::ForInstances(_, inner) => {
                inner.for_each_relation(look);
            }
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| part.for_each_relation(look))
            }
            Formula::Implies(premise, conclusion) => {
                premise.for_each_relation(look);
                conclusion.for_each_relation(look);
            }
        }
    }
}

fn try_map_node<R, S, E>(
    node: &Node<Formula<R>>,
    change: &mut impl FnMut(&R) -> Result<S, E>,
) -> Result<Node<Formula<S>>, E> {
    Ok(Node { value: node.value.try_map(change)?, span: node.span })
}

fn try_map_all<R, S, E>(
    nodes: &[Node<Formula<R>>],
    change: &mut impl FnMut(&R) -> Result<S, E>,
) -> Result<Vec<Node<Formula<S>>>, E> {
    nodes.iter().map(|node| try_map_node(node, change)).collect()
}

impl<R: fmt::Display> fmt::Display for Formula<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |f: &mut fmt::Formatter<'_>, part: &Node<Self>, least: u8| {
            if part.value.binding() < least { write!(f, "({part})") } else { write!(f, "{part}") }
        };
        let list = |f: &mut fmt::Formatter<'_>, parts: &[Node<Self>], between: &str, least: u8| {
            parts.iter().enumerate().try_for_each(|(index, one)| {
                f.write_str(if index == 0 { "" } else { between })?;
                part(f, one, least)
            })
        };
        match self {
            Self::Relation(relation) => relation.fmt(f),
            Self::Not(inner) => {
                f.write_str("! ")?;
                part(f, inner, 4)
            }
            Self::And(parts) => list(f, parts, " & ", 4),
            Self::Or(parts) => list(f, parts, " | ", 3),
            Self::Implies(premise, conclusion) => {
                part(f, premise, 2)?;
                f.write_str(" => ")?;
                part(f, conclusion, 1)
            }
            Self::For(sizes, body) => write!(f, "{sizes}: {body}"),
            Self::ForInstances(instances, body) => write!(f, "{instances}: {body}"),
        }
    }
}

/// The workload sizes for which a formula is asserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// `for all sizes`
    All,
    /// `for some size`
    Some,
    /// `for size in [low, high)`
    In(Interval),
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("for all sizes"),
            Self::Some => f.write_str("for some size"),
            Self::In(interval) => write!(f, "for size in {interval}"),
        }
    }
}

/// The measured JVMs for which a formula is asserted, each by itself. Without such a quantifier a formula is
/// about their mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instances {
    /// `for all instances`
    All,
    /// `for some instance`
    Some,
}

impl fmt::Display for Instances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::All => "for all instances",
            Self::Some => "for some instance",
        })
    }
}

/// Two sides and the sign between them. At most one of them is a bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// Before the sign.
    pub left: Node<Side>,
    /// The sign between the sides.
    pub sign: Node<Sign>,
    /// Factors of the left and the right side's times; finite and positive. Only between two methods that
    /// have no factor of their own.
    pub factors: Option<Node<(f64, f64)>>,
    /// After the sign.
    pub right: Node<Side>,
    /// Largest difference of equal sides; only with `=`.
    pub within: Option<Node<Percent>>,
}

impl Relation {
    /// The methods on its sides.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        [&self.left.value, &self.right.value].into_iter().filter_map(|side| match side {
            Side::Times(times) => Some(&times.target),
            Side::Bound(_) => None,
        })
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.left, self.sign)?;
        if let Some(Node { value: (left, right), .. }) = &self.factors {
            write!(f, " ({left}, {right})")?;
        }
        write!(f, " {}", self.right)?;
        self.within.iter().try_for_each(|tolerance| write!(f, " within {tolerance}"))
    }
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Side {
    /// Measured times.
    Times(Box<Times>),
    /// A fixed length of time.
    Bound(Duration),
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Times(times) => times.fmt(f),
            Self::Bound(duration) => duration.fmt(f),
        }
    }
}

/// A method's times: `2 * median(f)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    /// Factor of the times; finite and positive.
    pub factor: Option<Node<f64>>,
    /// Statistic of the times; the mean if `None`.
    pub statistic: Option<Node<Statistic>>,
    /// The method of the times.
    pub target: Target,
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.factor.iter().try_for_each(|factor| write!(f, "{factor} * "))?;
        match &self.statistic {
            Some(statistic) => write!(f, "{statistic}({})", self.target),
            None => self.target.fmt(f),
        }
    }
}
