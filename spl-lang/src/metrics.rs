//! Claims about metrics, once every metric in them is known.

use crate::ast::{
    File, Formula, MethodTerm, MetricName, MetricRelation, MetricSide, MetricTerm, Node, Number, Percent,
    SpaceTerm, Statement, Target,
};
use crate::names::in_order;
use crate::problem::Problem;
use crate::source::Source;
use crate::{Diagnostic, Severity, Sign, Span};
use spl_model::Pattern;
use std::collections::HashMap;

/// Most names that an unknown one gets as proposals.
const MAX_PROPOSED: usize = 3;

/// A metric that claims may be about: a line of the table of metrics, which its owner gives.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownMetric {
    /// Its number in the literature; `-` without one.
    pub id: String,
    /// Group, name and kind: `size.run.value`.
    pub name: String,
    /// The unit of its value.
    pub unit: MetricUnit,
    /// The keys of its values; empty where it has one value.
    pub keys: Vec<String>,
}

impl KnownMetric {
    /// Its name without its kind.
    fn short(&self) -> &str {
        self.name.rsplit_once('.').map_or(&self.name, |(short, _)| short)
    }
}

/// The unit of a metric, as far as it decides how a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricUnit {
    /// 0 to 100.
    Percent,
    /// A ratio, mostly from 0 to 1.
    Ratio,
    /// A number of things, or of things for each 1,000 instructions.
    Count,
    /// Things for each 1,000 instructions.
    Density,
    /// Bytes.
    Bytes,
}

/// The claims of a file about metrics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetricClaims {
    /// In file order.
    pub claims: Vec<MetricClaim>,
    /// Claims that look like a mistake but have a meaning.
    pub warnings: Vec<Diagnostic>,
}

/// A claim about metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricClaim {
    /// Title in reports; `None` for a comparison that stands alone.
    pub title: Option<String>,
    /// The asserted formula, without quantifiers.
    pub formula: Node<Formula<MetricAtom>>,
    /// Line in the file, counted from 1.
    pub line: usize,
    /// The bytes of its line.
    pub span: Span,
}

/// One comparison within a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricAtom {
    /// Before the sign.
    pub left: MetricOperand,
    /// The sign between the sides.
    pub sign: Sign,
    /// After the sign.
    pub right: MetricOperand,
    /// Largest difference of equal sides; only with `=`.
    pub within: Option<Percent>,
}

/// One side of a comparison of metrics.
#[derive(Clone, Debug, PartialEq)]
pub enum MetricOperand {
    /// The value of a metric.
    Metric(MetricOf),
    /// A number in the unit of the metric on the other side.
    Number(f64),
}

/// A metric of a space.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricOf {
    /// Index into the table.
    pub metric: usize,
    /// Index into its keys.
    pub key: Option<usize>,
    /// The classes and methods.
    pub space: MetricSpace,
    /// Multiplies the value; finite, positive, 1 by default.
    pub factor: f64,
}

/// The classes and methods that a metric is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetricSpace {
    /// All that ran.
    Whole,
    /// All classes but the library's.
    App,
    /// The library's classes.
    Lib,
    /// The methods of a pattern, with its text.
    Methods(String, Pattern),
}

impl MetricSpace {
    /// Its name, as a task file has it.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Whole => "whole",
            Self::App => "app",
            Self::Lib => "lib",
            Self::Methods(text, _) => text,
        }
    }
}

impl MetricAtom {
    /// The metrics on its sides.
    pub fn metrics(&self) -> impl Iterator<Item = &MetricOf> {
        [&self.left, &self.right].into_iter().filter_map(|side| match side {
            MetricOperand::Metric(metric) => Some(metric),
            MetricOperand::Number(_) => None,
        })
    }
}

impl File {
    /// Finds the metrics of a file in the table of known ones. `text` is the source of the file.
    ///
    /// ```
    /// use spl_lang::{KnownMetric, MetricUnit, RunMode, parse_file};
    /// let known = [KnownMetric {
    ///     id: "M9".to_owned(),
    ///     name: "size.run.value".to_owned(),
    ///     unit: MetricUnit::Count,
    ///     keys: Vec::new(),
    /// }];
    /// let text = "metric(size.run, com.shop.Parser) <= 5000";
    /// let file = parse_file(text, RunMode::Comparison).unwrap();
    /// assert_eq!(file.metric_claims(text, &known).unwrap().claims[0].line, 1);
    /// ```
    ///
    /// # Errors
    /// All findings, in the order of their places: an unknown metric or key, or a number in
    /// another unit than that of the metric.
    pub fn metric_claims(&self, text: &str, known: &[KnownMetric]) -> Result<MetricClaims, Vec<Diagnostic>> {
        let source = Source::new(text);
        let mut finder = Finder {
            source: &source,
            text,
            known,
            names: HashMap::new(),
            seen: HashMap::new(),
            findings: Vec::new(),
        };
        let claims: Vec<MetricClaim> =
            self.statements.iter().filter_map(|one| finder.statement(one)).collect();
        let findings = in_order(finder.findings);
        if findings.iter().any(|one| one.severity == Severity::Error) {
            return Err(findings);
        }
        Ok(MetricClaims { claims, warnings: findings })
    }

    /// Numbers of claims: those about times, and those about metrics.
    #[must_use]
    pub fn count_claims(&self) -> (usize, usize) {
        let (mut times, mut metrics) = (0, 0);
        for statement in &self.statements {
            match statement.value {
                Statement::Compare(_) | Statement::Assert { .. } => times += 1,
                Statement::Metrics { .. } => metrics += 1,
                Statement::Measure(_) | Statement::Let { .. } => {}
            }
        }
        (times, metrics)
    }
}

struct Finder<'s, 'a> {
    source: &'s Source<'a>,
    text: &'a str,
    known: &'s [KnownMetric],
    /// The methods that `let` gave a name, as they are written.
    names: HashMap<String, MethodTerm>,
    /// First place of each formula, by its text.
    seen: HashMap<String, Span>,
    findings: Vec<Diagnostic>,
}

/// Something was not found; the finding has been noted.
struct NotFound;

impl<'a> Finder<'_, 'a> {
    fn statement(&mut self, statement: &Node<Statement>) -> Option<MetricClaim> {
        let (title, formula) = match &statement.value {
            Statement::Let { name, target } => {
                self.define(&name.value, &target.value);
                return None;
            }
            Statement::Metrics { title, formula } => (title, formula),
            Statement::Measure(_) | Statement::Compare(_) | Statement::Assert { .. } => return None,
        };
        // Every metric is looked for, also after one that is not known.
        let mut atoms = Vec::new();
        formula.value.for_each(&mut |relation| atoms.push(self.atom(relation)));
        let mut atoms = atoms.into_iter();
        let value = formula.value.try_map(&mut |_| atoms.next().unwrap_or(Err(NotFound))).ok()?;
        let first = *self.seen.entry(formula.to_string()).or_insert(statement.span);
        if first != statement.span {
            let line = self.source.place(first.start).0;
            let problem = Problem::new(self.slice(statement.span), "the formula is asserted twice");
            let problem = problem.label("decided like the first").related(self.slice(first), "the first");
            self.warn(problem.help(format!("line {line} says the same: leave one of them out")));
        }
        Some(MetricClaim {
            title: title.as_ref().map(|title| title.value.clone()),
            formula: Node { value, span: formula.span },
            line: self.source.place(statement.span.start).0,
            span: statement.span,
        })
    }

    fn define(&mut self, name: &str, target: &Target) {
        let meant = match &target.method.value {
            MethodTerm::Name(other) => self.names.get(other).cloned(),
            method @ (MethodTerm::Exact(_) | MethodTerm::Pattern(_)) => Some(method.clone()),
        };
        if let Some(meant) = meant {
            self.names.insert(name.to_owned(), meant);
        }
    }

    fn atom(&mut self, relation: &MetricRelation) -> Result<MetricAtom, NotFound> {
        let left = self.side(&relation.left.value);
        let right = self.side(&relation.right.value);
        let (left, right) = (left?, right?);
        for (number, other) in [(&relation.left, &right), (&relation.right, &left)] {
            if let (MetricSide::Number(one), MetricOperand::Metric(metric)) = (&number.value, other) {
                self.unit(*one, number.span, metric)?;
            }
        }
        if let (MetricOperand::Metric(one), MetricOperand::Metric(other)) = (&left, &right) {
            let [unit, other_unit] = [one, other].map(|of| self.known.get(of.metric).map(|known| known.unit));
            let span = Span { start: relation.left.span.start, end: relation.right.span.end };
            if unit != other_unit {
                let problem = Problem::new(self.slice(span), "the two metrics have different units");
                self.warn(
                    problem.label("compared as numbers").help("compare a metric with one of the same unit"),
                );
            } else if (one.metric, one.key, &one.space) == (other.metric, other.key, &other.space) {
                let problem = Problem::new(self.slice(span), "a metric is compared with itself");
                self.warn(problem.label("both sides are the same").help("only the factors decide"));
            }
        }
        let within = relation.within.as_ref().map(|node| node.value);
        Ok(MetricAtom { left, sign: relation.sign.value, right, within })
    }

    fn side(&mut self, side: &MetricSide) -> Result<MetricOperand, NotFound> {
        let term = match side {
            MetricSide::Number(number) => return Ok(MetricOperand::Number(number.amount)),
            MetricSide::Metric(term) => term,
        };
        // The space is looked up, even if the metric is not found.
        let metric = self.metric(&term.name);
        let space = self.space(term);
        let (metric, key) = metric?;
        let factor = term.factor.as_ref().map_or(1.0, |node| node.value);
        Ok(MetricOperand::Metric(MetricOf { metric, key, space: space?, factor }))
    }

    fn metric(&mut self, name: &Node<MetricName>) -> Result<(usize, Option<usize>), NotFound> {
        let MetricName { path, key } = &name.value;
        let Some(metric) = self.index(path) else {
            let help = match &*self.nearest(path) {
                [] => "`spl analyse --hierarchy` lists the metrics".to_owned(),
                [one] => format!("did you mean `{one}`?"),
                [others @ .., last] => format!("did you mean `{}` or `{last}`?", others.join("`, `")),
            };
            return Err(self.refuse(name.span, format!("there is no metric `{path}`"), "not a metric", help));
        };
        let known = &self.known[metric];
        let keys = known.keys.join("`, `");
        match (key, known.keys.is_empty()) {
            (None, true) => Ok((metric, None)),
            (None, false) => {
                let message = format!("the metric `{}` has several values", known.name);
                let help = format!("write `{path}[{}]`; the keys are `{keys}`", known.keys[0]);
                Err(self.refuse(name.span, message, "one of them has to be named", help))
            }
            (Some(_), true) => {
                let message = format!("the metric `{}` has one value", known.name);
                let is_share = known.short().contains(".hot") || known.name.ends_with(".percentile");
                let more = if is_share { ": claims are about the things that carry 90%" } else { "" };
                Err(self.refuse(name.span, message, "no keys", format!("write `{path}`{more}")))
            }
            (Some(key), false) => match known.keys.iter().position(|one| one == key) {
                Some(at) => Ok((metric, Some(at))),
                None => {
                    let message = format!("the metric `{}` has no key `{key}`", known.name);
                    let near = nearest_key(key, &known.keys);
                    let near =
                        near.map_or_else(String::new, |near| format!("did you mean `{path}[{near}]`? "));
                    Err(self.refuse(name.span, message, "not a key", format!("{near}the keys are `{keys}`")))
                }
            },
        }
    }

    /// The metric of this number, of this name, or of this name without its kind: then the one value comes before shares.
    fn index(&self, path: &str) -> Option<usize> {
        let exact = self.known.iter().position(|one| one.name == path || one.id == path && path != "-");
        let value = || self.known.iter().position(|one| one.short() == path && one.name.ends_with(".value"));
        exact.or_else(value).or_else(|| self.known.iter().position(|one| one.short() == path))
    }

    /// The names that are nearest to one that is not known.
    fn nearest(&self, path: &str) -> Vec<String> {
        let wanted = path.to_lowercase();
        let last = |text: &str| text.rsplit('.').next().unwrap_or_default().to_lowercase();
        let distance = |one: &KnownMetric| {
            let whole = [one.name.to_lowercase(), one.short().to_lowercase()];
            let whole = whole.iter().map(|name| strsim::damerau_levenshtein(name, &wanted)).min();
            // The right name in the wrong group.
            let of_name = strsim::damerau_levenshtein(&last(one.short()), &last(path)) + 1;
            whole.unwrap_or(usize::MAX).min(of_name)
        };
        let mut near: Vec<(usize, &str)> =
            self.known.iter().map(|one| (distance(one), one.short())).collect();
        near.sort_unstable();
        near.dedup();
        let least = near.first().map_or(usize::MAX, |(distance, _)| *distance);
        let is_near = |distance: usize| distance <= least + 1 && distance <= path.len() / 3 + 1;
        let near = near.into_iter().filter(|(distance, _)| is_near(*distance));
        near.take(MAX_PROPOSED).map(|(_, name)| name.to_owned()).collect()
    }

    fn space(&mut self, term: &MetricTerm) -> Result<MetricSpace, NotFound> {
        let text = match &term.space.value {
            SpaceTerm::Whole => return Ok(MetricSpace::Whole),
            SpaceTerm::App => return Ok(MetricSpace::App),
            SpaceTerm::Lib => return Ok(MetricSpace::Lib),
            SpaceTerm::Methods(text) => text,
        };
        let meant = match self.names.get(text) {
            Some(MethodTerm::Pattern(method))
                if method.annotation.is_some() || method.parameters.is_some() || method.result.is_some() =>
            {
                let help = format!(
                    "name it without annotation and types, as in `{}#{}`, or with its descriptor",
                    method.class, method.name
                );
                let message = "a metric is of methods by class and name";
                let label = format!("`{text}` is `{method}`");
                return Err(self.refuse(term.space.span, message.to_owned(), &label, help));
            }
            Some(method) => method.to_string(),
            None => text.clone(),
        };
        match Pattern::parse(&meant) {
            Ok(pattern) => Ok(MetricSpace::Methods(meant, pattern)),
            Err(why) => Err(self.refuse(term.space.span, why, "not a pattern", "name a class".to_owned())),
        }
    }

    /// Checks the unit of a number next to a metric.
    fn unit(&mut self, number: Number, span: Span, metric: &MetricOf) -> Result<(), NotFound> {
        let Some(known) = self.known.get(metric.metric) else { return Err(NotFound) };
        if !number.in_percent && known.unit == MetricUnit::Percent {
            // A share of a whole may be meant. With a factor it is a number like any other.
            if number.amount > 0.0 && number.amount < 1.0 && (metric.factor - 1.0).abs() < f64::EPSILON {
                let problem = Problem::new(self.slice(span), format!("less than 1% of `{}`", known.name));
                let (amount, share) = (number.amount, plain(number.amount * 100.0));
                let help =
                    format!("write `{share}%` for a share of {amount}, or `{amount}%` if that is meant");
                self.warn(problem.label("a number of percent").help(help));
            }
            return Ok(());
        }
        if !number.in_percent || known.unit == MetricUnit::Percent {
            return Ok(());
        }
        let message = format!("the metric `{}` is not in percent", known.name);
        let (label, help) = match known.unit {
            MetricUnit::Ratio => ("it is a ratio", format!("write `{}`", number.amount / 100.0)),
            MetricUnit::Density => {
                ("it is things for each 1,000 instructions", format!("write `{}`", number.amount))
            }
            MetricUnit::Bytes => ("it is a number of bytes", format!("write `{}`", number.amount)),
            MetricUnit::Count | MetricUnit::Percent => {
                ("it is a number of things", format!("write `{}`", number.amount))
            }
        };
        Err(self.refuse(span, message, label, help))
    }

    fn refuse(&mut self, span: Span, message: String, label: &str, help: String) -> NotFound {
        let problem = Problem::new(self.slice(span), message).label(label).help(help);
        self.findings.push(problem.at(self.source, Severity::Error));
        NotFound
    }

    fn warn(&mut self, problem: Problem<'_>) {
        self.findings.push(problem.at(self.source, Severity::Warning));
    }

    fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start..span.end).unwrap_or(&self.text[..0])
    }
}

/// The key that a number falls into, or else the one that is spelt most alike.
fn nearest_key<'k>(wanted: &str, keys: &'k [String]) -> Option<&'k str> {
    let number = |text: &str| text.trim_end_matches('+').split('-').next()?.parse::<f64>().ok();
    let falls_into = |key: &&String| {
        let (low, found) = (number(key), number(wanted));
        let high = key.split_once('-').and_then(|(_, high)| high.parse().ok());
        let high = high.or(if key.ends_with('+') { Some(f64::INFINITY) } else { low });
        low.zip(found).is_some_and(|(low, found)| low <= found && high.is_some_and(|high| found <= high))
    };
    let alike = || keys.iter().min_by_key(|key| strsim::damerau_levenshtein(key, wanted));
    keys.iter().find(falls_into).or_else(alike).map(String::as_str)
}

/// A number without the last digits of binary fractions.
fn plain(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}
