//! The methods of a file: each once, even with several names.

use crate::ast::{MethodPattern, MethodTerm, Node, Target};
use crate::problem::Problem;
use crate::source::Source;
use crate::{Diagnostic, MeasuredMethod, Severity, Span};
use spl_model::MethodRef;
use std::collections::HashMap;

/// The classes of a program, in which a task file's methods are looked up.
pub trait Classes {
    /// The methods that a pattern may match; additional ones do no harm.
    fn meant(&mut self, pattern: &MethodPattern) -> Vec<MethodRef>;

    /// The methods that implement a method without a body; `None` where it has one.
    fn implementations(&mut self, method: &MethodRef) -> Option<Vec<MethodRef>>;
}

/// Classes that say of no method that it has no body.
pub(crate) struct Bodies<'l>(pub(crate) &'l mut dyn FnMut(&MethodPattern) -> Vec<MethodRef>);

impl Classes for Bodies<'_> {
    fn meant(&mut self, pattern: &MethodPattern) -> Vec<MethodRef> {
        (self.0)(pattern)
    }

    fn implementations(&mut self, _: &MethodRef) -> Option<Vec<MethodRef>> {
        None
    }
}

pub(crate) type Lookup<'l> = &'l mut dyn Classes;

/// Candidates that an error lists; a class rarely has more methods of one name.
const MAX_LISTED: usize = 8;

/// Most methods that one pattern may match: more cannot be measured with care, and probably a package was
/// meant.
const MAX_MEANT: usize = 1000;

pub(crate) struct Methods<'s, 'a, 'l> {
    source: &'s Source<'a>,
    text: &'a str,
    lookup: Option<Lookup<'l>>,
    /// In file order.
    pub(crate) found: Vec<MeasuredMethod>,
    pub(crate) errors: Vec<Diagnostic>,
    index: HashMap<MethodRef, usize>,
    /// Place of the first processor of each method.
    processors: HashMap<usize, Span>,
    names: HashMap<String, Named>,
    /// Methods of the pattern at each place, so that each pattern is looked up once.
    patterns: HashMap<usize, Vec<usize>>,
}

/// Meaning of a name: a method that is not a name itself, and the size processors on the way to it.
#[derive(Clone)]
struct Named {
    method: Node<MethodTerm>,
    processors: Vec<Node<String>>,
}

impl<'s, 'a, 'l> Methods<'s, 'a, 'l> {
    pub(crate) fn new(source: &'s Source<'a>, text: &'a str, lookup: Option<Lookup<'l>>) -> Self {
        Self {
            source,
            text,
            lookup,
            found: Vec::new(),
            errors: Vec::new(),
            index: HashMap::new(),
            processors: HashMap::new(),
            names: HashMap::new(),
            patterns: HashMap::new(),
        }
    }

    /// Defines a name for the target from here on; the target's method is measured when the name is used.
    pub(crate) fn define(&mut self, name: &str, target: &Target) {
        let named = self.behind_names(target);
        self.names.insert(name.to_owned(), named);
    }

    /// The single method of a target; `None` and an error if there is not exactly one.
    pub(crate) fn one(&mut self, target: &Target) -> Option<usize> {
        let Named { method, processors } = self.behind_names(target);
        let indices = self.resolve(&method, true);
        self.set_processors(&indices, &processors);
        indices.first().copied()
    }

    /// The pattern of a target that means several methods on purpose; `None` for other targets.
    pub(crate) fn set(&self, target: &Target) -> Option<MethodPattern> {
        match self.behind_names(target).method.value {
            MethodTerm::Pattern(pattern) if pattern.is_glob() => Some(pattern),
            MethodTerm::Pattern(_) | MethodTerm::Exact(_) | MethodTerm::Name(_) => None,
        }
    }

    /// All methods of a target.
    pub(crate) fn all(&mut self, target: &Target) -> Vec<usize> {
        let Named { method, processors } = self.behind_names(target);
        let indices = self.resolve(&method, false);
        self.set_processors(&indices, &processors);
        indices
    }

    /// The target with its name, if it has one, replaced by the name's meaning.
    fn behind_names(&self, target: &Target) -> Named {
        let mut named = match &target.method.value {
            MethodTerm::Name(name) => self.names.get(name).cloned(),
            MethodTerm::Exact(_) | MethodTerm::Pattern(_) => None,
        }
        .unwrap_or_else(|| Named { method: target.method.clone(), processors: Vec::new() });
        named.processors.extend(target.processor.clone());
        named
    }

    pub(crate) fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start..span.end).unwrap_or(&self.text[..0])
    }

    fn resolve(&mut self, method: &Node<MethodTerm>, single: bool) -> Vec<usize> {
        match &method.value {
            MethodTerm::Exact(exact) => vec![self.add(exact, method.span)],
            MethodTerm::Pattern(pattern) => self.pattern(pattern, method.span, single),
            // An undefined name was refused with the file's names.
            MethodTerm::Name(_) => Vec::new(),
        }
    }

    fn add(&mut self, method: &MethodRef, span: Span) -> usize {
        if let Some(index) = self.index.get(method) {
            return *index;
        }
        let index = self.found.len();
        let line = self.source.place(span.start).0;
        self.index.insert(method.clone(), index);
        self.found.push(MeasuredMethod { method: method.clone(), processor: None, line });
        index
    }

    fn pattern(&mut self, pattern: &MethodPattern, span: Span, single: bool) -> Vec<usize> {
        if single && pattern.is_glob() {
            // A set stands for each of its methods.
            return Vec::new();
        }
        if let Some(indices) = self.patterns.get(&span.start) {
            return indices.clone();
        }
        let mut meant = self.lookup.as_mut().map_or_else(Vec::new, |lookup| lookup.meant(pattern));
        meant.retain(|method| pattern.matches(method));
        if let Some(lookup) = self.lookup.as_mut().filter(|_| !single) {
            let bodies = |method: MethodRef| match lookup.implementations(&method) {
                Some(found) if !found.is_empty() => found,
                _ => vec![method],
            };
            meant = meant.into_iter().flat_map(bodies).collect();
        }
        meant.sort();
        meant.dedup();
        let indices = match meant.len() {
            0 => self.refuse(self.nothing(pattern, span)),
            1 => vec![self.add(&meant[0], span)],
            _ if single => self.refuse(self.several(&meant, span)),
            count if count > MAX_MEANT => self.refuse(self.too_many(count, span)),
            _ => meant.iter().map(|method| self.add(method, span)).collect(),
        };
        self.patterns.insert(span.start, indices.clone());
        indices
    }

    fn refuse(&mut self, problem: Problem<'a>) -> Vec<usize> {
        self.errors.push(problem.at(self.source, Severity::Error));
        Vec::new()
    }

    fn nothing(&self, pattern: &MethodPattern, span: Span) -> Problem<'a> {
        let class = pattern.class.replace('.', "/");
        if self.lookup.is_none() {
            let help = format!("name it as the class file does, as in `{class}.{}(I)V`", pattern.name);
            return Problem::new(
                self.slice(span),
                "a method named as in Java has to be looked up in its class",
            )
            .label("no classes are known here")
            .help(help);
        }
        Problem::new(self.slice(span), "no such method")
            .label("no class of the program has it")
            .help(format!("leave the types out to mean any: `{}#{}`", pattern.class, pattern.name))
    }

    fn several(&self, meant: &[MethodRef], span: Span) -> Problem<'a> {
        let listed: Vec<String> = meant.iter().take(MAX_LISTED).map(|method| format!("`{method}`")).collect();
        let more = if meant.len() > MAX_LISTED { " and others" } else { "" };
        let title = format!("{} methods match, but a comparison needs exactly one", meant.len());
        Problem::new(self.slice(span), title).label("overloaded").help(format!(
            "add the parameter types, or write `(**)` to judge each, or one of {}{more}",
            listed.join(", ")
        ))
    }

    fn too_many(&self, count: usize, span: Span) -> Problem<'a> {
        Problem::new(self.slice(span), format!("{count} methods match"))
            .label(format!("more than {MAX_MEANT}"))
            .help("name fewer: a class instead of a package, or how the method's name begins")
    }

    /// Sets size processors: a method has at most one, with any number of mentions (thesis 3.2.6).
    fn set_processors(&mut self, indices: &[usize], processors: &[Node<String>]) {
        for index in indices {
            processors.iter().for_each(|processor| self.set_one(*index, processor));
        }
    }

    fn set_one(&mut self, index: usize, processor: &Node<String>) {
        let first = *self.processors.entry(index).or_insert(processor.span);
        let Some(method) = self.found.get_mut(index) else { return };
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
        let error = problem.at(self.source, Severity::Error);
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }
}
