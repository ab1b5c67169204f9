//! Formulas: from the loosest binding to the tightest `=>`, `|`, `&`, `!`.

use super::comparing::Comparing;
use super::{Parsed, Parser, found, gap, keyword};
use crate::ast::{Formula, Instances, Node, Sizes};
use crate::problem::{Problem, first_word};
use nom::Parser as _;
use nom::sequence::preceded;

/// Most formulas within formulas; far more than real files have, and far fewer than the stack holds.
const MAX_NESTING: usize = 100;

type Tree = Node<Formula<Comparing>>;

/// Place of the parser in a formula.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Number of formulas around this one.
    depth: usize,
    /// Whether one of them is a quantifier of sizes.
    sized: bool,
    /// Whether one of them is a quantifier of instances.
    of_instances: bool,
}

/// The words between `for` and the colon.
enum Quantifier {
    Sizes(Sizes),
    Instances(Instances),
}

impl<'a> Parser<'_, 'a> {
    pub(super) fn formula(&self, input: &'a str) -> Parsed<'a, Tree> {
        self.implication(input, Place::default())
    }

    /// `a => b => c` is `a => (b => c)`.
    fn implication(&self, input: &'a str, place: Place) -> Parsed<'a, Tree> {
        let place = deeper(input, place)?;
        let (rest, premise) = self.list(input, place, '|')?;
        let arrow = rest.trim_start();
        let Some(after) = arrow.strip_prefix("==>").or_else(|| arrow.strip_prefix("=>")) else {
            return Ok((rest, premise));
        };
        let (rest, conclusion) = preceded(gap, |i| self.implication(i, place)).parse(after)?;
        Ok((rest, self.node(input, rest, Formula::Implies(Box::new(premise), Box::new(conclusion)))))
    }

    /// One or more parts with `|` between them, whose parts have `&` between theirs.
    fn list(&self, input: &'a str, place: Place, connective: char) -> Parsed<'a, Tree> {
        let part = |i| if connective == '|' { self.list(i, place, '&') } else { self.negation(i, place) };
        let (mut rest, first) = part(input)?;
        if !rest.trim_start().starts_with(connective) {
            return Ok((rest, first));
        }
        // Two parts are usual; a growing vector would take room for four.
        let mut parts = Vec::with_capacity(2);
        parts.push(first);
        while let Some(after) = rest.trim_start().strip_prefix(connective) {
            let after = match after.strip_prefix(connective) {
                Some(single) => {
                    let doubled = &rest.trim_start()[..2];
                    let problem = Problem::new(doubled, format!("`{doubled}` is not a connective"));
                    self.note(problem.label("written twice").help(format!("write `{connective}`")));
                    single
                }
                None => after,
            };
            let (next, one) = preceded(gap, part).parse(after)?;
            parts.push(one);
            rest = next;
        }
        let formula = if connective == '|' { Formula::Or(parts) } else { Formula::And(parts) };
        Ok((rest, self.node(input, rest, formula)))
    }

    fn negation(&self, input: &'a str, place: Place) -> Parsed<'a, Tree> {
        let place = deeper(input, place)?;
        if let Some(after) = input.strip_prefix('!') {
            let (rest, inner) = preceded(gap, |i| self.negation(i, place)).parse(after)?;
            return Ok((rest, self.node(input, rest, Formula::Not(Box::new(inner)))));
        }
        if let Some(inside) = input.strip_prefix('(') {
            let (rest, inner) = preceded(gap, |i| self.implication(i, place)).parse(inside)?;
            let rest = rest.trim_start();
            return match rest.strip_prefix(')') {
                Some(rest) => Ok((rest, inner)),
                None => Err(nom::Err::Failure(
                    Problem::new(first_word(rest), "expected `)` or a connective")
                        .label(found(rest, "not as expected"))
                        .help("the connectives are `!`, `&`, `|` and `=>`; a parenthesis is open"),
                )),
            };
        }
        if let Some(after) = keyword("for", input) {
            return self.quantified(input, after.trim_start(), place);
        }
        let (rest, one) = self.comparing(input)?;
        Ok((rest, self.node(input, rest, Formula::Relation(one))))
    }

    /// `for all sizes: formula`; the formula reaches as far as it can.
    fn quantified(&self, input: &'a str, after_for: &'a str, place: Place) -> Parsed<'a, Tree> {
        let (rest, quantifier) = self.quantifier(after_for)?;
        let head = &input[..input.len() - rest.len()];
        let (again, what, chosen) = match quantifier {
            Quantifier::Sizes(_) => (place.sized, "sizes", "sizes are"),
            Quantifier::Instances(_) => (place.of_instances, "instances", "instances are"),
        };
        if again {
            let help = format!("{chosen} chosen once: put the other part outside, joined by a connective");
            self.note(Problem::new(head, "quantifiers don't nest").label("inside another one").help(help));
        }
        let colon = rest.trim_start();
        let Some(after) = colon.strip_prefix(':') else {
            let problem = Problem::new(first_word(colon), format!("expected `:` after the {what}"));
            return Err(nom::Err::Failure(problem.label(found(colon, "not a colon")).help(QUANTIFIERS)));
        };
        let place = match quantifier {
            Quantifier::Sizes(_) => Place { sized: true, ..place },
            Quantifier::Instances(_) => Place { of_instances: true, ..place },
        };
        let (end, body) = preceded(gap, |i| self.implication(i, place)).parse(after)?;
        let formula = match quantifier {
            Quantifier::Sizes(sizes) => Formula::For(self.node(input, rest, sizes), Box::new(body)),
            Quantifier::Instances(instances) => {
                Formula::ForInstances(self.node(input, rest, instances), Box::new(body))
            }
        };
        Ok((end, self.node(input, end, formula)))
    }

    /// The sizes or instances after `for`.
    fn quantifier(&self, input: &'a str) -> Parsed<'a, Quantifier> {
        let two = |first, second| {
            let rest = keyword(first, input)?.trim_start();
            keyword(second, rest)
        };
        for (first, second, quantifier) in [
            ("all", "sizes", Quantifier::Sizes(Sizes::All)),
            ("some", "size", Quantifier::Sizes(Sizes::Some)),
            ("all", "instances", Quantifier::Instances(Instances::All)),
            ("some", "instance", Quantifier::Instances(Instances::Some)),
        ] {
            if let Some(rest) = two(first, second) {
                return Ok((rest, quantifier));
            }
        }
        let Some(rest) = two("size", "in") else {
            let problem = Problem::new(first_word(input), "expected a quantifier after `for`");
            return Err(nom::Err::Failure(problem.label(found(input, "not a quantifier")).help(QUANTIFIERS)));
        };
        let (rest, interval) =
            preceded(gap, |i| self.interval(i)).parse(rest).map_err(|error| match error {
                nom::Err::Error(problem) | nom::Err::Failure(problem) => nom::Err::Failure(problem),
                nom::Err::Incomplete(needed) => nom::Err::Incomplete(needed),
            })?;
        Ok((rest, Quantifier::Sizes(Sizes::In(interval))))
    }
}

const QUANTIFIERS: &str = "the quantifiers are `for all sizes:`, `for some size:`, \
     `for size in [1 KiB, 64 KiB):`, `for all instances:` and `for some instance:`";

fn deeper(input: &str, place: Place) -> Result<Place, nom::Err<Problem<'_>>> {
    if place.depth < MAX_NESTING {
        return Ok(Place { depth: place.depth + 1, ..place });
    }
    let problem = Problem::new(first_word(input), "the formula is nested too deeply");
    Err(nom::Err::Failure(problem.label(format!("more than {MAX_NESTING} formulas around this"))))
}
