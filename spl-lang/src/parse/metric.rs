//! Comparisons of metrics: `metric(size.run, com.shop.Parser) <= 5000`.

use super::comparing::Comparing;
use super::literal::{split_number, time_unit};
use super::{Parsed, Parser, found, gap, is_word_char, keyword};
use crate::ast::{
    Formula, MetricName, MetricRelation, MetricSide, MetricTerm, Node, Number, Percent, SizeUnit, SpaceTerm,
    Statement,
};
use crate::problem::{Problem, first_word};
use crate::sign;
use nom::Parser as _;
use nom::sequence::preceded;
use spl_model::{Pattern, Shorter};

const FORM: &str =
    "a metric is written with what it is of: `metric(polymorphism.targetPolyDensity, com.shop.Parser)`";

const SPACES: &str = "it is `whole`, `app`, `lib`, a class `com.shop.Parser`, classes `com.shop.**`, methods \
     `com.shop.Parser#next*`, or one with its descriptor, `com/shop/Parser.next(I)V`";

/// The text after `metric(`, if `input` starts so.
pub(super) fn call(input: &str) -> Option<&str> {
    input.strip_prefix("metric")?.trim_start().strip_prefix('(')
}

/// Whether a comparison of metrics starts here: its left side is a metric, or a number while the right side is one.
fn is_meant(input: &str) -> bool {
    let without_factor = |text| {
        let (number, rest) = split_number(text);
        rest.trim_start().strip_prefix('*').filter(|_| !number.is_empty()).map_or(text, str::trim_start)
    };
    if call(without_factor(input)).is_some() {
        return true;
    }
    let (number, rest) = split_number(input);
    let after = rest.trim_start().trim_start_matches(|c| c == '%' || is_word_char(c)).trim_start();
    let right = after.trim_start_matches(sign::is_sign_char);
    !number.is_empty() && right.len() < after.len() && call(without_factor(right.trim_start())).is_some()
}

impl<'a> Parser<'_, 'a> {
    /// A comparison of times or of metrics.
    pub(super) fn comparing(&self, input: &'a str) -> Parsed<'a, Comparing> {
        if is_meant(input) {
            self.metric_relation(input).map(|(rest, one)| (rest, Comparing::Metrics(one)))
        } else {
            self.relation(input).map(|(rest, one)| (rest, Comparing::Times(one)))
        }
    }

    /// The claim of a formula, which is about times or about metrics.
    pub(super) fn asserted(
        &self,
        input: &'a str,
        title: Node<String>,
        formula: &Node<Formula<Comparing>>,
        level: Option<Node<Percent>>,
    ) -> Statement {
        let span = formula.span;
        let times = formula.value.try_map(&mut |one| match one {
            Comparing::Times(relation) => Ok(relation.clone()),
            Comparing::Metrics(_) => Err(()),
        });
        if let Ok(value) = times {
            return Statement::Assert { title, formula: Node { value, span }, level };
        }
        let mut places = Vec::new();
        formula.for_each_relation(&mut |place| places.push(place));
        let mut places = places.into_iter();
        let metrics = formula.value.try_map(&mut |one| match (one, places.next()) {
            (Comparing::Metrics(relation), _) => Ok(relation.clone()),
            (Comparing::Times(_), place) => Err(place.unwrap_or(span)),
        });
        let value = match metrics {
            Ok(value) => value,
            Err(place) => {
                let problem =
                    Problem::new(self.slice(input, place), "a claim is about times or about metrics");
                self.note(problem.label("about times").help(
                    "`spl run` measures times, and `spl metrics` counts: write an assertion for each of them",
                ));
                // A stand-in: the tree will be discarded.
                return Statement::Assert {
                    title,
                    formula: Node { value: Formula::And(Vec::new()), span },
                    level,
                };
            }
        };
        if let Some(place) = first_quantifier(formula) {
            let problem = Problem::new(self.slice(input, place), "a metric has no sizes and no instances");
            self.note(problem.label("a quantifier").help(
                "counts are of all calls together, and every JVM of a command is judged for itself: leave the \
                 quantifier out",
            ));
        }
        if let Some(level) = level {
            let problem = Problem::new(self.slice(input, level.span), "a claim about metrics has no level");
            self.note(problem.label("counts are not a sample").help("leave the level out"));
        }
        Statement::Metrics { title: Some(title), formula: Node { value, span } }
    }

    /// `side sign side [within 5%]`
    fn metric_relation(&self, input: &'a str) -> Parsed<'a, MetricRelation> {
        let (rest, left) = self.metric_side(input)?;
        let (rest, sign) = preceded(gap, |i| self.sign(i)).parse(rest)?;
        let (rest, right) = preceded(gap, |i| self.metric_side(i)).parse(rest)?;
        let at_within = rest.trim_start();
        let (rest, within) = match keyword("within", at_within) {
            Some(percent) => self.tolerance(percent).map(|(rest, percent)| (rest, Some(percent)))?,
            None => (rest, None),
        };
        if within.is_some() && sign.value.demand().shorter != Shorter::Neither {
            self.needs_equal(&at_within[..at_within.len() - rest.len()], sign.value);
        }
        Ok((rest, MetricRelation { left, sign, right, within }))
    }

    /// `[2 *] metric(…)`, `5` or `5%`
    fn metric_side(&self, input: &'a str) -> Parsed<'a, Node<MetricSide>> {
        let (number, after) = split_number(input);
        let next = after.trim_start();
        if number.is_empty() {
            let (rest, metric) = self.metric(input, None)?;
            return Ok((rest, self.node(input, rest, MetricSide::Metric(Box::new(metric)))));
        }
        if let Some(rest) = next.strip_prefix('*') {
            let factor = self.node(input, after, self.positive(number, "a factor"));
            let (rest, metric) = preceded(gap, |i| self.metric(i, Some(factor.clone()))).parse(rest)?;
            return Ok((rest, self.node(input, rest, MetricSide::Metric(Box::new(metric)))));
        }
        let amount = self.not_negative(number);
        let (rest, in_percent) = next.strip_prefix('%').map_or((after, false), |rest| (rest, true));
        let (word, after_word) = next.split_at(next.find(|c| !is_word_char(c)).unwrap_or(next.len()));
        let rest = match wrong_unit(word) {
            Some(label) => {
                let written = &input[..input.len() - after_word.len()];
                let problem = Problem::new(written, "the value of a metric is a number");
                self.note(
                    problem
                        .label(label)
                        .help(format!("write `{number}`, or with `%` where the metric is in percent")),
                );
                after_word
            }
            None => rest,
        };
        Ok((rest, self.node(input, rest, MetricSide::Number(Number { amount, in_percent }))))
    }

    /// `metric(name, space)`
    fn metric(&self, input: &'a str, factor: Option<Node<f64>>) -> Parsed<'a, MetricTerm> {
        let wrong = |at: &'a str, what: &str| {
            let problem = Problem::new(first_word(at), format!("expected {what}"));
            nom::Err::Failure(problem.label(found(at, "not as expected")).help(FORM))
        };
        let Some(inside) = call(input) else {
            return Err(wrong(input, "a metric or a number"));
        };
        let inside = inside.trim_start();
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')');
        let (text, rest) = inside.split_at(inside.find(ends).unwrap_or(inside.len()));
        let Some(name) = metric_name(text) else {
            return Err(wrong(inside, "the name of a metric"));
        };
        let name = self.node(inside, rest, name);
        let Some(after) = rest.trim_start().strip_prefix(',') else {
            return Err(wrong(rest.trim_start(), "`,` and what the metric is of"));
        };
        let at = after.trim_start();
        let (rest, space) = self.space(at)?;
        match rest.trim_start().strip_prefix(')') {
            Some(rest) => Ok((rest, MetricTerm { factor, name, space })),
            None => Err(wrong(rest.trim_start(), "`)` after what the metric is of")),
        }
    }

    /// The space that a metric is of.
    fn space(&self, input: &'a str) -> Parsed<'a, Node<SpaceTerm>> {
        let mut depth = 0_usize;
        let end = input.find(|c: char| {
            match c {
                '(' => depth += 1,
                ')' if depth > 0 => {
                    depth -= 1;
                    return false;
                }
                _ => {}
            }
            depth == 0 && (c.is_whitespace() || matches!(c, ',' | ')'))
        });
        let (text, rest) = input.split_at(end.unwrap_or(input.len()));
        if text.is_empty() {
            let problem = Problem::new(first_word(input), "expected what the metric is of");
            return Err(nom::Err::Failure(problem.label(found(input, "not a class")).help(SPACES)));
        }
        let space = SpaceTerm::of(text);
        if matches!(space, SpaceTerm::Methods(_)) && Pattern::parse(text).is_err() {
            let problem = Problem::new(text, "a metric is not of this").label("no classes, and no methods");
            self.note(problem.help(SPACES));
        }
        Ok((rest, self.node(input, rest, space)))
    }

    /// The text of a place on the line that begins with `input`.
    fn slice(&self, input: &'a str, place: crate::Span) -> &'a str {
        let first = self.source.span(input).start;
        let range = place.start.saturating_sub(first)..place.end.saturating_sub(first);
        input.get(range).unwrap_or(input)
    }
}

/// The mistake of a unit after the value of a metric; `None` for other words.
fn wrong_unit(word: &str) -> Option<&'static str> {
    if word.is_empty() {
        return None;
    }
    if time_unit(word).is_some() {
        return Some("a length of time");
    }
    let of_size = SizeUnit::ALL.into_iter().any(|unit| unit.as_str() == word);
    (of_size || ["B", "KB", "MB", "bytes", "kbc", "percent"].contains(&word)).then_some("it has no unit")
}

/// `size.run.value`, `polymorphism.targetArity[3+]`, `M9`
fn metric_name(text: &str) -> Option<MetricName> {
    let (path, key) = match text.split_once('[') {
        Some((path, rest)) => (path, Some(rest.strip_suffix(']')?)),
        None => (text, None),
    };
    let is_part =
        |part: &str| !part.is_empty() && part.chars().all(|c| is_word_char(c) || matches!(c, '$' | '*'));
    // Which keys a metric has, its table knows.
    let is_key = |key: &str| {
        !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.'))
    };
    (path.split('.').all(is_part) && key.is_none_or(is_key))
        .then(|| MetricName { path: path.to_owned(), key: key.map(str::to_owned) })
}

/// The place of the first quantifier.
fn first_quantifier<R>(formula: &Node<Formula<R>>) -> Option<crate::Span> {
    match &formula.value {
        Formula::Relation(_) => None,
        Formula::For(..) | Formula::ForInstances(..) => Some(formula.span),
        Formula::Not(inner) => first_quantifier(inner),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().find_map(first_quantifier),
        Formula::Implies(premise, conclusion) => {
            first_quantifier(premise).or_else(|| first_quantifier(conclusion))
        }
    }
}
