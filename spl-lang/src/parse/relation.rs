//! One comparison: two sides, a sign, factors and a tolerance.

use super::literal::{split_number, time_unit};
use super::{Parsed, Parser, found, gap, is_word_char, keyword, metric};
use crate::ast::{Node, Relation, Side, Times};
use crate::problem::{Problem, first_word};
use crate::{Sign, method, sign};
use nom::Parser as _;
use nom::character::complete::char;
use nom::combinator::cut;
use nom::sequence::{delimited, preceded};
use spl_model::Shorter;

impl<'a> Parser<'_, 'a> {
    /// `side sign [(a, b)] side [within 5%]`
    pub(super) fn relation(&self, input: &'a str) -> Parsed<'a, Relation> {
        let (rest, left) = self.side(input)?;
        let (rest, sign) = preceded(gap, |i| self.sign(i)).parse(rest)?;
        let at_factors = rest.trim_start();
        let (rest, factors) = match at_factors.strip_prefix('(') {
            Some(inside) => self.factors(at_factors, inside).map(|(rest, factors)| (rest, Some(factors)))?,
            None => (at_factors, None),
        };
        let (rest, right) = preceded(gap, |i| self.side(i)).parse(rest)?;
        let at_within = rest.trim_start();
        let (after, within) = match keyword("within", at_within) {
            Some(percent) => self.tolerance(percent).map(|(rest, percent)| (rest, Some(percent)))?,
            None => (at_within, None),
        };
        let rest = if within.is_some() { after } else { rest };
        let relation = Relation { left, sign, factors, right, within };
        if relation.factors.is_some() {
            self.check_factors(&relation, at_factors);
        }
        if matches!((&relation.left.value, &relation.right.value), (Side::Bound(_), Side::Bound(_))) {
            let problem = Problem::new(&input[..input.len() - rest.len()], "two bounds are compared");
            self.note(problem.label("no method's times stand on either side"));
        }
        if relation.within.is_some() && relation.sign.value.demand().shorter != Shorter::Neither {
            self.needs_equal(&at_within[..at_within.len() - after.len()], relation.sign.value);
        }
        Ok((rest, relation))
    }

    /// Notes a tolerance next to another sign than `=`.
    pub(super) fn needs_equal(&self, tolerance: &'a str, sign: Sign) {
        let help = "`within` says how far apart two sides are that are called equal: write `=`";
        let problem = Problem::new(tolerance, "a tolerance needs the sign `=`");
        self.note(problem.label(format!("the sign is `{sign}`")).help(help));
    }

    fn check_factors(&self, relation: &Relation, at: &'a str) {
        let has_own = |side: &Node<Side>| match &side.value {
            Side::Times(times) => times.factor.is_some(),
            Side::Bound(_) => true,
        };
        if has_own(&relation.left) || has_own(&relation.right) {
            let pair = &at[..at.find(')').map_or(at.len(), |end| end + 1)];
            let problem =
                Problem::new(pair, "factors in parentheses stand between two methods without factors");
            let help = "write the factors before the methods: `2 * f <= 1.5 * g`";
            self.note(problem.label("one side already has a factor, or is a bound").help(help));
        }
    }

    /// `[2 *] method`, `[2 *] median(method)` or `5 ms`
    fn side(&self, input: &'a str) -> Parsed<'a, Node<Side>> {
        let (number, after) = split_number(input);
        let next = after.trim_start();
        if !number.is_empty() {
            if let Some(rest) = next.strip_prefix('*') {
                let factor = self.node(input, after, self.positive(number, "a factor"));
                let (rest, times) = preceded(gap, |i| self.times(i, Some(factor.clone()))).parse(rest)?;
                return Ok((rest, self.node(input, rest, Side::Times(Box::new(times)))));
            }
            let (word, rest) = next.split_at(next.find(|c| !is_word_char(c)).unwrap_or(next.len()));
            if let Some(unit) = time_unit(word).filter(|_| !rest.starts_with(['.', '/', '$', '#'])) {
                let duration = self.duration(number, unit);
                return Ok((rest, self.node(input, rest, Side::Bound(duration))));
            }
            if after.is_empty()
                || next.len() < after.len()
                || !method::scan(after).contains(['/', '.', '#', ':'])
            {
                return Err(nom::Err::Failure(no_unit(next, number)));
            }
        }
        let (rest, times) = self.times(input, None)?;
        Ok((rest, self.node(input, rest, Side::Times(Box::new(times)))))
    }

    fn times(&self, input: &'a str, factor: Option<Node<f64>>) -> Parsed<'a, Times> {
        if metric::call(input).is_some() {
            let problem = Problem::new(first_word(input), "a method's times are compared with a metric");
            let help =
                "compare the metric with a number, or with another metric: `metric(size.run, app) <= 5000`";
            return Err(nom::Err::Failure(problem.label("not a length of time").help(help)));
        }
        let Some((inside, statistic)) = self.statistic(input)? else {
            let (rest, target) = self.target(input)?;
            return Ok((rest, Times { factor, statistic: None, target: target.value }));
        };
        let (rest, target) = preceded(gap, |i| self.target(i)).parse(inside)?;
        let rest = rest.trim_start();
        let Some(rest) = rest.strip_prefix(')') else {
            let problem = Problem::new(first_word(rest), "expected `)` after the method");
            let help = format!("write `{statistic}(method)`");
            return Err(nom::Err::Failure(problem.label(found(rest, "not as expected")).help(help)));
        };
        Ok((rest, Times { factor, statistic: Some(statistic), target: target.value }))
    }

    pub(super) fn sign(&self, input: &'a str) -> Parsed<'a, Node<Sign>> {
        let (sign, rest, misspelt) = sign::take(input).map_err(nom::Err::Error)?;
        misspelt.into_iter().for_each(|problem| self.note(problem));
        Ok((rest, self.node(input, rest, sign)))
    }

    /// `(a, b)`, which multiply the left and the right side's times.
    fn factors(&self, input: &'a str, inside: &'a str) -> Parsed<'a, Node<(f64, f64)>> {
        let pair =
            (gap, |i| self.factor(i), delimited(gap, char(','), gap), |i| self.factor(i), gap, char(')'));
        let (rest, (_, left, _, right, ..)) = cut(pair).parse(inside).map_err(|error| error.map(unpaired))?;
        Ok((rest, self.node(input, rest, (left, right))))
    }

    /// A finite, positive decimal number. A factor of 0 or less would make the times meaningless.
    fn factor(&self, input: &'a str) -> Parsed<'a, f64> {
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')');
        let (text, rest) = input.split_at(input.find(ends).unwrap_or(input.len()));
        if text.is_empty() {
            return Err(nom::Err::Error(Problem::new(first_word(rest), "")));
        }
        Ok((rest, self.positive(text, "a factor")))
    }
}

fn no_unit<'a>(at: &'a str, number: &str) -> Problem<'a> {
    let method = method::scan(at);
    let help = if method.contains(['/', '.', '#']) {
        format!("a factor is written with `*`: `{number} * {method}`")
    } else {
        format!("write a bound as `{number} ms` (ns, us, ms or s), or a factor as `{number} * method`")
    };
    Problem::new(first_word(at), "expected a unit or `*` after the number")
        .label(found(at, "not a unit"))
        .help(help)
}

fn unpaired(problem: Problem<'_>) -> Problem<'_> {
    Problem::new(problem.at, "expected two factors in parentheses")
        .label(found(problem.at, "not as expected"))
        .help("write `(a, b)`: a multiplies the times of the left method, b those of the right one")
}
