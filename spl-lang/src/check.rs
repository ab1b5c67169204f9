//! Statements -> [`Tasks`]: each method once, and what the statements say of each other.

use crate::ast::{Node, Relation, Statement, Target};
use crate::problem::Problem;
use crate::source::Source;
use crate::{Comparison, Diagnostic, MeasuredMethod, Severity, Sign, Tasks, file};
use crate::{RunMode, Span};
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
/// All findings of the file, in the order of their places, if there is an error among them.
pub fn parse_tasks(text: &str, mode: RunMode) -> Result<Tasks, Vec<Diagnostic>> {
    let source = Source::new(text);
    let reading = file::read(&source, text, mode);
    let mut checker = Checker::new(&source, text);
    for statement in &reading.statements {
        checker.statement(statement);
    }
    let mut errors = reading.errors;
    errors.extend(checker.errors);
    if errors.is_empty() {
        return Ok(checker.tasks);
    }
    errors.extend(checker.tasks.warnings);
    errors.sort_by_key(|error| (error.span.start, error.span.end));
    Err(errors)
}

/// What makes two comparisons the same, whichever side stands first.
type Meaning = (usize, u64, Sign, usize, u64);

struct Checker<'s, 'a> {
    source: &'s Source<'a>,
    text: &'a str,
    tasks: Tasks,
    errors: Vec<Diagnostic>,
    index: HashMap<MethodRef, usize>,
    /// Where the processor of a method is named first.
    processors: HashMap<usize, Span>,
    /// Where a comparison stands first.
    meanings: HashMap<Meaning, Span>,
}

impl<'s, 'a> Checker<'s, 'a> {
    fn new(source: &'s Source<'a>, text: &'a str) -> Self {
        Self {
            source,
            text,
            tasks: Tasks::default(),
            errors: Vec::new(),
            index: HashMap::new(),
            processors: HashMap::new(),
            meanings: HashMap::new(),
        }
    }

    fn statement(&mut self, statement: &Node<Statement>) {
        match &statement.value {
            Statement::Measure(target) => {
                let known = self.tasks.methods.len();
                let index = self.target(target);
                if index < known {
                    let line = self.tasks.methods[index].line;
                    let problem = Problem::new(self.slice(statement.span), "the method is listed twice")
                        .label("it is measured once")
                        .help(format!("line {line} lists it first: leave one of them out"));
                    self.warn(problem);
                }
            }
            Statement::Compare(relation) => self.relation(relation, statement.span),
        }
    }

    fn relation(&mut self, relation: &Relation, span: Span) {
        let left = self.target(&relation.left.value);
        let right = self.target(&relation.right.value);
        let (left_factor, right_factor) = relation.factors.as_ref().map_or((1.0, 1.0), |node| node.value);
        let sign = relation.sign.value;
        if left == right {
            let problem = Problem::new(self.slice(span), "a method is compared with itself")
                .label("both sides are the same method")
                .help("the same times stand on both sides: only the factors decide");
            self.warn(problem);
        }
        let meaning = if left <= right {
            (left, left_factor.to_bits(), sign, right, right_factor.to_bits())
        } else {
            (right, right_factor.to_bits(), sign.mirrored(), left, left_factor.to_bits())
        };
        let first = *self.meanings.entry(meaning).or_insert(span);
        if first != span {
            let problem = Problem::new(self.slice(span), "the comparison is asserted twice")
                .label("decided like the first")
                .related(self.slice(first), "the first")
                .help(format!(
                    "line {} says the same: leave one of them out",
                    self.source.place(first.start).0
                ));
            self.warn(problem);
        }
        let line = self.source.place(span.start).0;
        self.tasks.comparisons.push(Comparison { left, right, sign, left_factor, right_factor, line });
    }

    /// The index of the target's method, which is new or known.
    fn target(&mut self, target: &Target) -> usize {
        let index = match self.index.get(&target.method.value) {
            Some(index) => *index,
            None => {
                let index = self.tasks.methods.len();
                let line = self.source.place(target.method.span.start).0;
                let method = target.method.value.clone();
                self.index.insert(method.clone(), index);
                self.tasks.methods.push(MeasuredMethod { method, processor: None, line });
                index
            }
        };
        if let Some(processor) = &target.processor {
            self.processor(index, processor);
        }
        index
    }

    /// A method has one size processor, however often it is named (thesis 3.2.6).
    fn processor(&mut self, index: usize, processor: &Node<String>) {
        let first = *self.processors.entry(index).or_insert(processor.span);
        let method = &mut self.tasks.methods[index];
        let known = method.processor.get_or_insert_with(|| processor.value.clone());
        if *known == processor.value {
            return;
        }
        let (line, here) = (self.source.place(first.start).0, self.source.place(processor.span.start).0);
        let message = format!("two size processors for `{}`", method.method);
        let help = format!(
            "line {line} names `{known}`, line {here} `{processor}`: a method has one, so name it alike"
        );
        let problem = Problem::new(self.slice(processor.span), message)
            .label("another processor")
            .related(self.slice(first), "the first processor")
            .help(help);
        self.errors.push(problem.at(self.source, Severity::Error));
    }

    fn warn(&mut self, problem: Problem<'_>) {
        self.tasks.warnings.push(problem.at(self.source, Severity::Warning));
    }

    fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start..span.end).unwrap_or(&self.text[..0])
    }
}
