//! Numbers, percentages, lengths of time and workload sizes.

use super::{Parsed, Parser, found, gap, is_word_char, keyword};
use crate::ast::{ByteSize, Duration, Interval, Node, Percent, SizeUnit, Statistic, TimeUnit};
use crate::problem::{Problem, first_word};
use nom::Parser as _;
use nom::character::complete::char;
use nom::combinator::cut;
use nom::sequence::preceded;

/// The decimal number at the start of `input`, and what follows it; the number is empty if there is none.
pub(super) fn split_number(input: &str) -> (&str, &str) {
    let signed = input.strip_prefix(['-', '+']).unwrap_or(input);
    let mut end = signed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(signed.len());
    if !signed[..end].contains(|c: char| c.is_ascii_digit()) {
        return input.split_at(0);
    }
    if let Some(exponent) = signed[end..].strip_prefix(['e', 'E']) {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        let length = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        if length > 0 {
            end = signed.len() - digits.len() + length;
        }
    }
    input.split_at(input.len() - signed.len() + end)
}

/// The unit of time that a word is; both code points for the micro sign are in use.
pub(super) fn time_unit(word: &str) -> Option<TimeUnit> {
    let ascii = if matches!(word, "\u{b5}s" | "\u{3bc}s") { TimeUnit::Microseconds.as_str() } else { word };
    TimeUnit::ALL.into_iter().find(|unit| unit.as_str() == ascii)
}

impl<'a> Parser<'_, 'a> {
    /// A finite number, 0 or more; otherwise 0 and a finding.
    pub(super) fn not_negative(&self, text: &'a str) -> f64 {
        let problem = match text.parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => return number.abs(),
            Ok(number) if number.is_finite() => Problem::new(text, "a metric is never below 0"),
            Ok(_) => Problem::new(text, "a bound must be a finite number"),
            Err(_) => Problem::new(text, "not a number").help("write a decimal number such as `1.5`"),
        };
        self.note(problem.label("expected a number, 0 or more"));
        0.0
    }

    /// A finite number greater than 0, an amount of `what`; otherwise 1 and a finding.
    pub(super) fn positive(&self, text: &'a str, what: &str) -> f64 {
        let problem = match text.parse::<f64>() {
            Ok(number) if number.is_finite() && number > 0.0 => return number,
            Ok(number) if number.is_finite() => Problem::new(text, format!("{what} must be greater than 0")),
            Ok(_) => Problem::new(text, format!("{what} must be a finite number")),
            Err(_) => Problem::new(text, "not a number").help("write a decimal number such as `1.5`"),
        };
        self.note(problem.label(format!("expected {what} greater than 0")));
        1.0
    }

    /// `5 %`
    pub(super) fn percent(&self, input: &'a str, what: &'static str) -> Parsed<'a, Node<Percent>> {
        let (number, rest) = split_number(input);
        let after = rest.trim_start();
        match after.strip_prefix('%') {
            Some(rest) if !number.is_empty() => {
                let percent = Percent(self.positive(number, what));
                Ok((rest, self.node(input, rest, percent)))
            }
            _ => {
                let at = if number.is_empty() { input } else { after };
                let problem = Problem::new(first_word(at), format!("expected {what} in percent"))
                    .label(found(at, "not a percentage"))
                    .help("write a number and `%`, as in `5%`");
                Err(nom::Err::Failure(problem))
            }
        }
    }

    /// `5%`, after `within`
    pub(super) fn tolerance(&self, input: &'a str) -> Parsed<'a, Node<Percent>> {
        preceded(gap, |i| self.percent(i, "a tolerance")).parse(input)
    }

    /// `1%`, after `at`
    pub(super) fn level(&self, rest: &'a str) -> Parsed<'a, Node<Percent>> {
        let (after, level) = preceded(gap, |i| self.percent(i, "a significance level")).parse(rest)?;
        if level.value.0 >= 100.0 {
            let text = &rest[..rest.len() - after.len()];
            let problem = Problem::new(text.trim(), "a significance level must be less than 100%");
            self.note(problem.label("the accepted share of wrong rejections"));
        }
        Ok((after, level))
    }

    /// `5 ms`, given its parts.
    pub(super) fn duration(&self, number: &'a str, unit: TimeUnit) -> Duration {
        let duration = Duration { amount: self.positive(number, "a bound"), unit };
        if duration.ns().is_finite() {
            return duration;
        }
        self.note(Problem::new(number, "a bound must be a finite number").label("too long"));
        Duration { amount: 1.0, unit }
    }

    /// `[low, high)`
    pub(super) fn interval(&self, input: &'a str) -> Parsed<'a, Interval> {
        let before = self.problems.borrow().len();
        let pair = (gap, |i| self.size(i), gap, char(','), gap, |i| self.upper_size(i), gap, char(')'));
        let (rest, (_, low, _, _, _, high, ..)) =
            preceded(char('['), cut(pair)).parse(input).map_err(|error| error.map(no_interval))?;
        let is_empty = high.is_some_and(|high| high.bytes() <= low.bytes());
        if is_empty && self.problems.borrow().len() == before {
            let text = &input[..input.len() - rest.len()];
            self.note(
                Problem::new(text, "no size lies in this interval").label("the second must be the greater"),
            );
        }
        Ok((rest, Interval { low, high }))
    }

    fn upper_size(&self, input: &'a str) -> Parsed<'a, Option<ByteSize>> {
        match keyword("inf", input) {
            Some(rest) => Ok((rest, None)),
            None => self.size(input).map(|(rest, size)| (rest, Some(size))),
        }
    }

    /// `64 KiB`
    fn size(&self, input: &'a str) -> Parsed<'a, ByteSize> {
        let (number, rest) = input.split_at(input.find(|c: char| !c.is_ascii_digit()).unwrap_or(input.len()));
        let trimmed = rest.trim_start();
        let (word, after) = trimmed.split_at(trimmed.find(|c| !is_word_char(c)).unwrap_or(trimmed.len()));
        let unit = SizeUnit::ALL.into_iter().find(|unit| unit.as_str() == word);
        let (Some(unit), false) = (unit, number.is_empty()) else {
            let at = if number.is_empty() { input } else { trimmed };
            return Err(nom::Err::Error(Problem::new(first_word(at), "")));
        };
        let size = number.parse().ok().map(|amount| ByteSize { amount, unit });
        match size.filter(|size| size.checked_bytes().is_some()) {
            Some(size) => Ok((if word.is_empty() { rest } else { after }, size)),
            None => {
                self.note(Problem::new(number, "the size is too large").label(
                    "a size in bytes must fit into 64 \
                        bits",
                ));
                Ok((after, ByteSize { amount: 0, unit }))
            }
        }
    }

    /// `mean`, `median`, `p99.9` before a parenthesis, and what follows the parenthesis; `None` before a
    /// method.
    pub(super) fn statistic(
        &self,
        input: &'a str,
    ) -> Result<Option<(&'a str, Node<Statistic>)>, nom::Err<Problem<'a>>> {
        let (word, after) =
            input.split_at(input.find(|c| !is_word_char(c) && c != '.').unwrap_or(input.len()));
        let Some(inside) = after.trim_start().strip_prefix('(') else { return Ok(None) };
        let digits = word.strip_prefix('p').filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()));
        let statistic = match (word, digits) {
            ("mean", _) => Statistic::Mean,
            ("median", _) => Statistic::Median,
            (_, Some(digits)) => Statistic::Percentile(self.percentile(word, digits)),
            (word, None) if word.is_empty() || word.contains('.') => return Ok(None),
            // A method has a class before its name: a word alone was meant as a statistic, or lacks its
            // class.
            (word, None) => {
                let problem = Problem::new(word, format!("there is no statistic `{word}`"))
                    .label("has no class, and a parenthesis follows")
                    .help(
                        "the statistics are `mean`, `median` and percentiles such as `p99` and `p99.9`; a method is \
                         written with its class, as in `pkg/Class.name(I)V`",
                    );
                return Err(nom::Err::Failure(problem));
            }
        };
        Ok(Some((inside, self.node(input, after, statistic))))
    }

    fn percentile(&self, word: &'a str, digits: &str) -> f64 {
        match digits.parse::<f64>() {
            Ok(number) if number > 0.0 && number < 100.0 => number,
            _ => {
                let problem = Problem::new(word, "a percentile lies between 0 and 100");
                self.note(problem.label("not a percentile").help("write `p99` or `p99.9`"));
                50.0
            }
        }
    }
}

fn no_interval(problem: Problem<'_>) -> Problem<'_> {
    Problem::new(problem.at, "expected an interval of sizes")
        .label(found(problem.at, "not as expected"))
        .help("write `[1 KiB, 64 KiB)`: whole numbers with no unit, KiB, MiB or GiB; the second may be `inf`")
}
