//! Statements -> [`Program`]: the methods, each once, and the findings about several statements together.

mod chosen;
mod sets;

use crate::ast::{File, Formula, MethodPattern, Node, Relation, Side, Statement, Statistic};
use crate::methods::{Bodies, Classes, Lookup, Methods};
use crate::problem::Problem;
use crate::source::Source;
use crate::{
    Assertion, Atom, Comparison, Diagnostic, Program, RunMode, Scaled, Severity, Sign, Span, Tasks, names,
};
use chosen::Chosen;
use spl_model::MethodRef;
use std::collections::HashMap;

/// Reads a task file in which methods are named as class files name them (thesis 3.3.3).
///
/// ```
/// use spl_lang::{RunMode, Sign, parse_tasks};
/// let text = "a/B.fast(I)V <= (1, 2) a/B.slow(I)V   # at most twice as long\n";
/// let tasks = parse_tasks(text, RunMode::Comparison).unwrap();
/// assert_eq!(tasks.methods[0].method.name(), "fast");
/// assert_eq!((tasks.comparisons[0].sign, tasks.comparisons[0].right_factor), (Sign::LessOrEqual, 2.0));
/// ```
///
/// # Errors
/// All findings of the file, in the order of their places, if there is an error among them. Constructs of the
/// full language are errors: methods named as in Java, assertions, bounds, statistics and tolerances.
pub fn parse_tasks(text: &str, mode: RunMode) -> Result<Tasks, Vec<Diagnostic>> {
    let source = Source::new(text);
    let (statements, findings) = names::read(&source, text, mode);
    let mut checker = Checker::new(&source, text, None);
    statements.iter().for_each(|statement| checker.statement(statement));
    let metrics = statements.iter().filter(|one| matches!(one.value, Statement::Metrics { .. }));
    let beyond = checker.program.assertions.iter().map(|one| one.span).chain(metrics.map(|one| one.span));
    for span in beyond.collect::<Vec<_>>() {
        let problem = Problem::new(checker.methods.slice(span), "only plain comparisons can be decided here")
            .label("more than the mean times of two methods, scaled")
            .help("write `left <= (a, b) right`, each method as `pkg/Class.name(I)V`");
        checker.errors.push(problem.at(&source, Severity::Error));
    }
    checker.finish(findings).map(|program| program.tasks)
}

impl File {
    /// Finds the methods of a file that was parsed from `text`. `lookup` gives the methods of the program
    /// that a pattern may match; methods that it does not match are ignored.
    ///
    /// ```
    /// use spl_lang::{RunMode, parse_file};
    /// let text = "java.util.ArrayList#get(int) < 5 us";
    /// let file = parse_file(text, RunMode::Comparison).unwrap();
    /// let get = "java/util/ArrayList.get(I)Ljava/lang/Object;";
    /// let program = file.check(text, &mut |_| vec![get.parse().unwrap()]).unwrap();
    /// assert_eq!(program.tasks.methods[0].method.to_string(), get);
    /// ```
    ///
    /// # Errors
    /// All findings, in the order of their places: a pattern that means no method, or several where one is
    /// compared; two size processors for one method.
    pub fn check(
        &self,
        text: &str,
        lookup: &mut dyn FnMut(&MethodPattern) -> Vec<MethodRef>,
    ) -> Result<Program, Vec<Diagnostic>> {
        self.check_in(text, &mut Bodies(lookup))
    }

    /// As [`File::check`], with classes that know which methods have a body. Where several methods may be
    /// meant, a method without a body means its implementations.
    ///
    /// # Errors
    /// As [`File::check`].
    pub fn check_in(&self, text: &str, classes: &mut dyn Classes) -> Result<Program, Vec<Diagnostic>> {
        let source = Source::new(text);
        let mut checker = Checker::new(&source, text, Some(classes));
        self.statements.iter().for_each(|statement| checker.statement(statement));
        checker.finish(self.warnings.clone())
    }
}

/// Key by which two comparisons are equal, with their sides in either order.
type Meaning = (usize, u64, Sign, usize, u64);

/// A method could not be found; the finding has been noted.
struct NotFound;

struct Checker<'s, 'a, 'l> {
    source: &'s Source<'a>,
    methods: Methods<'s, 'a, 'l>,
    program: Program,
    errors: Vec<Diagnostic>,
    /// First place of each comparison.
    meanings: HashMap<Meaning, Span>,
    /// First place of each formula, by its text: a name has the same meaning everywhere in a file.
    formulas: HashMap<String, Span>,
    /// The method that stands for the set of the claim.
    chosen: Option<Chosen>,
}

impl<'s, 'a, 'l> Checker<'s, 'a, 'l> {
    fn new(source: &'s Source<'a>, text: &'a str, lookup: Option<Lookup<'l>>) -> Self {
        Self {
            source,
            methods: Methods::new(source, text, lookup),
            program: Program::default(),
            errors: Vec::new(),
            meanings: HashMap::new(),
            formulas: HashMap::new(),
            chosen: None,
        }
    }

    fn finish(self, mut findings: Vec<Diagnostic>) -> Result<Program, Vec<Diagnostic>> {
        let Self { mut program, methods, errors, .. } = self;
        findings.append(&mut program.tasks.warnings);
        findings.extend(errors.into_iter().chain(methods.errors));
        let findings = names::in_order(findings);
        if findings.iter().any(|finding| finding.severity == Severity::Error) {
            return Err(findings);
        }
        program.tasks.methods = methods.found;
        program.tasks.warnings = findings;
        Ok(program)
    }

    fn statement(&mut self, statement: &Node<Statement>) {
        let span = statement.span;
        match &statement.value {
            Statement::Measure(target) => {
                let known = self.methods.found.len();
                for index in self.methods.all(target) {
                    if index < known {
                        let first = &self.methods.found[index];
                        let problem = Problem::new(self.methods.slice(span), "a method is listed twice")
                            .label(format!("`{}` is measured once", first.method))
                            .help(format!("line {} lists it first: leave one of them out", first.line));
                        self.warn(problem);
                    }
                }
            }
            Statement::Compare(relation) => {
                self.mixed(relation, span);
                for chosen in self.chosen(&[&**relation], span) {
                    self.chosen = chosen;
                    self.compare(relation, span);
                }
                self.chosen = None;
            }
            // Their metrics are looked up in a table of their own.
            Statement::Metrics { .. } => {}
            Statement::Let { name, target } => self.methods.define(&name.value, &target.value),
            Statement::Assert { title, formula, level } => {
                let text = level.iter().fold(formula.to_string(), |text, level| format!("{text} at {level}"));
                let mut relations = Vec::new();
                formula.value.for_each(&mut |relation| relations.push(relation.clone()));
                relations.iter().for_each(|relation| self.mixed(relation, span));
                let level = level.as_ref().map(|level| level.value);
                for chosen in self.chosen(&relations.iter().collect::<Vec<_>>(), span) {
                    self.chosen = chosen;
                    // Every method is looked for, also after one that isn't found.
                    relations.iter().for_each(|relation| _ = self.atom(relation));
                    let Ok(value) = formula.value.try_map(&mut |relation| self.atom(relation)) else {
                        continue;
                    };
                    value.for_each(&mut |atom| self.with_itself(atom, span));
                    self.same_twice(text.clone(), span);
                    let formula = Node { value, span: formula.span };
                    let title = self.titled(&title.value);
                    self.assertion(Assertion {
                        title,
                        formula,
                        alone: false,
                        level,
                        line: 0,
                        span,
                        member: None,
                    });
                }
                self.chosen = None;
            }
        }
    }

    /// One claim of a comparison on a line of its own.
    fn compare(&mut self, relation: &Relation, span: Span) {
        let Ok(atom) = self.atom(relation) else { return };
        self.with_itself(&atom, span);
        match atom {
            Atom::Pair { left, sign, right, within: None } if is_plain(left) && is_plain(right) => {
                self.comparison(left, sign, right, span);
            }
            Atom::Pair { .. } | Atom::Bound { .. } => {
                self.same_twice(relation.to_string(), span);
                let formula = Node { value: Formula::Relation(atom), span };
                let title = self.titled(&relation.to_string());
                self.assertion(Assertion {
                    title,
                    formula,
                    alone: true,
                    level: None,
                    line: 0,
                    span,
                    member: None,
                });
            }
        }
    }

    /// The title of a claim, with its place among those of its set.
    fn titled(&self, title: &str) -> String {
        match &self.chosen {
            Some(chosen) => format!("{title} {}", chosen.member),
            None => title.to_owned(),
        }
    }

    fn assertion(&mut self, assertion: Assertion) {
        let line = self.source.place(assertion.span.start).0;
        let member = self.chosen.as_ref().map(|chosen| chosen.member.clone());
        self.program.assertions.push(Assertion { line, member, ..assertion });
    }

    fn comparison(&mut self, left: Scaled, sign: Sign, right: Scaled, span: Span) {
        let (first, second) = (left.factor.to_bits(), right.factor.to_bits());
        let meaning = if left.method <= right.method {
            (left.method, first, sign, right.method, second)
        } else {
            (right.method, second, sign.mirrored(), left.method, first)
        };
        let first = *self.meanings.entry(meaning).or_insert(span);
        self.warn_twice(first, span, "the comparison is asserted twice");
        self.program.tasks.comparisons.push(Comparison {
            left: left.method,
            right: right.method,
            sign,
            left_factor: left.factor,
            right_factor: right.factor,
            line: self.source.place(span.start).0,
            member: self.chosen.as_ref().map(|chosen| chosen.member.clone()),
        });
    }

    fn with_itself(&mut self, atom: &Atom, span: Span) {
        if let Atom::Pair { left, right, .. } = atom
            && (left.method, left.statistic) == (right.method, right.statistic)
        {
            let problem = Problem::new(self.methods.slice(span), "a method is compared with itself")
                .label("both sides are the same method")
                .help("the same times stand on both sides: only the factors decide");
            self.warn(problem);
        }
    }

    /// Finds a common slip: `median(f) <= 2 * g` compares a median with a mean.
    fn mixed(&mut self, relation: &Relation, span: Span) {
        let (Side::Times(left), Side::Times(right)) = (&relation.left.value, &relation.right.value) else {
            return;
        };
        let (asked, other) = match (&left.statistic, &right.statistic) {
            (Some(asked), None) => (asked.value, "right"),
            (None, Some(asked)) => (asked.value, "left"),
            _ => return,
        };
        let asked = match asked {
            Statistic::Mean => return,
            Statistic::Median => "median".to_owned(),
            Statistic::Percentile(percent) => format!("p{percent}"),
        };
        let problem = Problem::new(self.methods.slice(span), "one side is a mean, the other is not")
            .label(format!("the {other} side has no statistic, so its mean is compared"))
            .help(format!("write `{asked}(…)` on both sides, or `mean(…)` where you mean it"));
        self.warn(problem);
    }

    fn same_twice(&mut self, formula: String, span: Span) {
        let first = *self.formulas.entry(formula).or_insert(span);
        self.warn_twice(first, span, "the formula is asserted twice");
    }

    fn warn_twice(&mut self, first: Span, span: Span, message: &str) {
        if first == span {
            return;
        }
        let line = self.source.place(first.start).0;
        let problem = Problem::new(self.methods.slice(span), message)
            .label("decided like the first")
            .related(self.methods.slice(first), "the first")
            .help(format!("line {line} says the same: leave one of them out"));
        self.warn(problem);
    }

    fn atom(&mut self, relation: &Relation) -> Result<Atom, NotFound> {
        let (first, second) = relation.factors.as_ref().map_or((1.0, 1.0), |node| node.value);
        // Both sides are looked up, even if one is not found.
        let left = self.side(&relation.left.value, first);
        let right = self.side(&relation.right.value, second);
        let (sign, within) = (relation.sign.value, relation.within.as_ref().map(|node| node.value));
        Ok(match (left?, right?) {
            (Operand::Times(left), Operand::Times(right)) => Atom::Pair { left, sign, right, within },
            (Operand::Times(times), Operand::Bound { ns }) => {
                Atom::Bound { times, sign, bound_ns: ns, within }
            }
            (Operand::Bound { ns }, Operand::Times(times)) => {
                Atom::Bound { times, sign: sign.mirrored(), bound_ns: ns, within }
            }
            // The parser refuses two bounds.
            (Operand::Bound { .. }, Operand::Bound { .. }) => return Err(NotFound),
        })
    }

    fn side(&mut self, side: &Side, pair_factor: f64) -> Result<Operand, NotFound> {
        let times = match side {
            Side::Times(times) => times,
            Side::Bound(duration) => return Ok(Operand::Bound { ns: duration.ns() }),
        };
        let method = match &self.chosen {
            Some(chosen) if self.methods.set(&times.target).is_some() => chosen.method,
            _ => self.methods.one(&times.target).ok_or(NotFound)?,
        };
        let statistic = times.statistic.as_ref().map_or(Statistic::Mean, |node| node.value);
        let factor = times.factor.as_ref().map_or(pair_factor, |node| node.value);
        Ok(Operand::Times(Scaled { method, statistic, factor }))
    }

    fn warn(&mut self, problem: Problem<'_>) {
        self.program.tasks.warnings.push(problem.at(self.source, Severity::Warning));
    }
}

/// One side of a sign.
enum Operand {
    Times(Scaled),
    Bound { ns: f64 },
}

/// Whether only a factor distinguishes it from measured times.
fn is_plain(side: Scaled) -> bool {
    side.statistic == Statistic::Mean
}
