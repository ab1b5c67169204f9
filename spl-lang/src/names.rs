//! Checks of a file's statements that need no classes of the program: names and globs.

use crate::ast::{File, MethodPattern, MethodTerm, Node, Relation, Side, SpaceTerm, Statement, Target};
use crate::problem::Problem;
use crate::source::Source;
use crate::{Diagnostic, RunMode, Severity, Span, file};
use std::collections::HashMap;

/// Reads a task file of the full language. [`File::check`] then finds the methods.
///
/// ```
/// use spl_lang::{RunMode, parse_file};
/// let text = "let get = java.util.ArrayList#get(int)\nassert \"fast\": p99(get) <= 5 us & get < 1 us\n";
/// let file = parse_file(text, RunMode::Comparison).unwrap();
/// assert_eq!(file.statements[1].to_string(), "assert \"fast\": p99(get) <= 5 us & get < 1 us");
/// ```
///
/// # Errors
/// All findings of the file, in the order of their places, if there is an error among them.
pub fn parse_file(text: &str, mode: RunMode) -> Result<File, Vec<Diagnostic>> {
    let (file, errors) = read_file(text, mode);
    if errors.is_empty() { Ok(file) } else { Err(in_order([errors, file.warnings].concat())) }
}

/// The readable part of a task file of the full language, and its errors, in the order of their places.
/// Checking the methods of the other lines too helps the author to correct the file at once.
#[must_use]
pub fn read_file(text: &str, mode: RunMode) -> (File, Vec<Diagnostic>) {
    let (statements, findings) = read(&Source::new(text), text, mode);
    let (errors, warnings) =
        in_order(findings).into_iter().partition(|finding| finding.severity == Severity::Error);
    (File { statements, warnings }, errors)
}

/// The readable statements, and the findings.
pub(crate) fn read(
    source: &Source<'_>,
    text: &str,
    mode: RunMode,
) -> (Vec<Node<Statement>>, Vec<Diagnostic>) {
    let reading = file::read(source, text, mode);
    let mut names = Names {
        source,
        text,
        known: HashMap::new(),
        sets: HashMap::new(),
        findings: reading.errors,
        unknown: 0,
    };
    // A name with an error in its definition is not a second error where it is used.
    names.known.extend(reading.broken_names.into_iter().map(|name| (name.to_owned(), (UNREADABLE, true))));
    for statement in &reading.statements {
        names.statement(&statement.value);
    }
    names.unused();
    (reading.statements, names.findings)
}

/// The findings in the order of their places.
pub(crate) fn in_order(mut findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    findings.sort_by_key(|finding| (finding.span.start, finding.span.end));
    findings
}

/// Place of a name whose definition is unreadable; no real name has an empty place.
const UNREADABLE: Span = Span { start: 0, end: 0 };

/// Most unknown names that get a proposal: each is compared with every name of the file.
const MAX_GUESSES: usize = 20;

struct Names<'s, 'a> {
    source: &'s Source<'a>,
    text: &'a str,
    /// Place of each name's definition, and whether it is used.
    known: HashMap<String, (Span, bool)>,
    /// Patterns of the names that mean several methods.
    sets: HashMap<String, MethodPattern>,
    findings: Vec<Diagnostic>,
    /// Number of unknown names so far.
    unknown: usize,
}

impl<'a> Names<'_, 'a> {
    fn statement(&mut self, statement: &Statement) {
        match statement {
            // Globs are usual in measurement mode.
            Statement::Measure(target) => {
                if let MethodTerm::Name(name) = &target.method.value {
                    self.unknown(name, target.method.span);
                }
            }
            Statement::Compare(relation) => {
                statement.for_each_target(&mut |target| self.target(target));
                self.one_set(&[&**relation]);
            }
            Statement::Assert { formula, .. } => {
                statement.for_each_target(&mut |target| self.target(target));
                let mut relations = Vec::new();
                formula.value.for_each(&mut |relation| relations.push(relation.clone()));
                self.one_set(&relations.iter().collect::<Vec<_>>());
            }
            Statement::Metrics { formula, .. } => {
                formula.value.for_each(&mut |relation| {
                    relation.metrics().for_each(|one| self.space(&one.space.value))
                });
            }
            Statement::Let { name, target } => {
                self.target(&target.value);
                if let Some(set) = self.set(&target.value) {
                    self.sets.insert(name.value.clone(), set);
                }
                self.define(name);
            }
        }
    }

    /// Notes that a name is used as what a metric is of; any other word there is a class.
    fn space(&mut self, space: &SpaceTerm) {
        if let SpaceTerm::Methods(text) = space
            && let Some((_, used)) = self.known.get_mut(text)
        {
            *used = true;
        }
    }

    fn target(&mut self, target: &Target) {
        let span = target.method.span;
        match &target.method.value {
            MethodTerm::Exact(_) | MethodTerm::Pattern(_) => {}
            MethodTerm::Name(name) => match self.known.get_mut(name) {
                Some((_, used)) => *used = true,
                None => self.unknown(name, span),
            },
        }
    }

    /// The pattern of a target that means several methods on purpose.
    fn set(&self, target: &Target) -> Option<MethodPattern> {
        match &target.method.value {
            MethodTerm::Pattern(pattern) => Some(pattern.clone()).filter(MethodPattern::is_glob),
            MethodTerm::Name(name) => self.sets.get(name).cloned(),
            MethodTerm::Exact(_) => None,
        }
    }

    /// Finds a second set in the comparisons of a claim. The same set may stand in several comparisons: the same
    /// method is meant in each.
    fn one_set(&mut self, relations: &[&Relation]) {
        let mut first: Option<(MethodPattern, Span)> = None;
        for relation in relations {
            let mut in_this = false;
            for side in [&relation.left.value, &relation.right.value] {
                let Side::Times(times) = side else { continue };
                let Some(set) = self.set(&times.target) else { continue };
                let span = times.target.method.span;
                let (known, known_span) = first.get_or_insert_with(|| (set.clone(), span));
                if *known != set || std::mem::replace(&mut in_this, true) {
                    let problem = Problem::new(self.slice(span), "two sets of methods stand in one claim")
                        .label("another set")
                        .related(self.slice(*known_span), "the first set")
                        .help(
                            "a claim is judged for each method of one set: name one method on the other side, or \
                             write a claim for each of its methods",
                        );
                    self.findings.push(problem.at(self.source, Severity::Error));
                    return;
                }
            }
        }
    }

    fn unknown(&mut self, name: &str, span: Span) {
        let nearest = if self.unknown < MAX_GUESSES { self.nearest(name) } else { None };
        let help = match nearest {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!(
                "a name is given on an earlier line by `let {name} = method`; a method is written as \
                 `pkg/Class.{name}(I)V` or `pkg.Class#{name}(int)`"
            ),
        };
        self.unknown += 1;
        let problem = Problem::new(self.slice(span), format!("no method is called `{name}`"));
        let problem = problem.label("no `let` above this line gives this name").help(help);
        self.findings.push(problem.at(self.source, Severity::Error));
    }

    /// A known name at most two edits away.
    fn nearest(&self, name: &str) -> Option<&str> {
        let distances =
            self.known.keys().map(|known| (strsim::damerau_levenshtein(known, name), known.as_str()));
        distances.filter(|(distance, _)| *distance <= 2).min().map(|(_, known)| known)
    }

    fn define(&mut self, name: &Node<String>) {
        let first = self.known.get(&name.value).map(|(span, _)| *span).filter(|span| *span != UNREADABLE);
        let Some(first) = first else {
            self.known.insert(name.value.clone(), (name.span, false));
            return;
        };
        let line = self.source.place(first.start).0;
        let problem = Problem::new(self.slice(name.span), format!("the name `{name}` is given twice"))
            .label("given again")
            .related(self.slice(first), "given first")
            .help(format!("line {line} gives it first: choose another name"));
        self.findings.push(problem.at(self.source, Severity::Error));
    }

    fn unused(&mut self) {
        let mut unused: Vec<Span> =
            self.known.values().filter(|(_, used)| !used).map(|(span, _)| *span).collect();
        unused.sort_by_key(|span| span.start);
        for span in unused {
            let problem = Problem::new(self.slice(span), "the name is never used")
                .label("its method is not measured")
                .help("leave the line out, or compare the method");
            self.findings.push(problem.at(self.source, Severity::Warning));
        }
    }

    fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start..span.end).unwrap_or(&self.text[..0])
    }
}
