//! A tree to the masks that it means.

use super::events::{COMMON, EVENTS, Event, Told};
use super::findings::{Findings, listed, nearest};
use super::interest::Interest;
use super::parse::short;
use super::tree::{Declaration, Setting, Tree};
use spl_lang::ast::Node;
use spl_lang::{Diagnostic, Span};
use spl_model::glob::matches;

/// The fields, at the beginning of all, that say what happens to an event: `recorded` and `counted`.
const SAYS_WHAT: usize = 2;

/// The meaning of a specification.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The wanted events and fields.
    pub interest: Interest,
    /// By the number of an event: where it was named last.
    pub named: Vec<Option<Span>>,
    /// Warnings of settings that may be meant otherwise, and of events that no JVM has any more.
    pub warnings: Vec<Diagnostic>,
}

/// Expands the patterns of a tree, which was read from this text. Declarations of one event merge, and the later one wins. `default` says
/// what no declaration of a named event has said, wherever it stands. An event that is not named is not wanted.
///
/// # Errors
/// Patterns that match nothing, all of them, behind the warnings.
pub fn expand(text: &str, tree: &Tree) -> Result<Expansion, Vec<Diagnostic>> {
    let mut said = Said::new(text);
    for Declaration { events, settings } in &tree.declarations {
        match events {
            Some(pattern) => said.event(pattern, settings),
            None => said.default(settings),
        }
    }
    said.dropped();
    if !said.errors.is_empty() {
        return Err(said.warnings.into_sorted().into_iter().chain(said.errors.into_sorted()).collect());
    }
    let mut interest = Interest::default();
    for (number, (event, named)) in EVENTS.iter().zip(&said.events).enumerate() {
        let Some(span) = named.span else { continue };
        for (field, one) in event.all_fields().enumerate() {
            let by_default = || said.defaults.iter().rev().find(|(pattern, _)| matches(pattern, one.name));
            let is_wanted = match named.fields.iter().rev().find(|(number, _)| *number == field) {
                Some((_, is_wanted)) => *is_wanted,
                None => by_default().is_some_and(|(_, is_wanted)| *is_wanted),
            };
            interest.set(number, field, is_wanted);
        }
        let is_nothing = !interest.is_recorded(number) && !interest.is_counted(number);
        if !event.is_dropped && is_nothing && !named.is_refused() {
            let message = format!("{} is neither recorded nor counted", event.name);
            said.warnings.warning(span, message, "add `recorded: yes;` or `counted: yes;`".to_owned());
        }
        if event.is_dropped || is_nothing {
            // Fields of what is neither recorded nor counted say nothing.
            (0..event.all_fields().count()).for_each(|field| interest.set(number, field, false));
        }
    }
    let named = said.events.iter().map(|named| named.span).collect();
    Ok(Expansion { interest, named, warnings: said.warnings.into_sorted() })
}

/// The settings of an event, by all declarations.
#[derive(Clone, Default)]
struct Named {
    /// Where it was named last.
    span: Option<Span>,
    /// Fields, in the order of the file.
    fields: Vec<(usize, bool)>,
}

impl Named {
    /// Whether a declaration says that it is not recorded, or not counted.
    fn is_refused(&self) -> bool {
        self.fields.iter().any(|(field, is_wanted)| *field < SAYS_WHAT && !is_wanted)
    }
}

struct Said<'t> {
    events: Vec<Named>,
    defaults: Vec<(&'t str, bool)>,
    errors: Findings<'t>,
    warnings: Findings<'t>,
}

impl<'t> Said<'t> {
    fn new(text: &'t str) -> Self {
        let (errors, warnings) = (Findings::new(text), Findings::new(text));
        Self { events: vec![Named::default(); EVENTS.len()], defaults: Vec::new(), errors, warnings }
    }

    fn event(&mut self, pattern: &Node<String>, settings: &[Setting]) {
        let meant: Vec<(usize, &Event)> =
            EVENTS.iter().enumerate().filter(|(_, event)| matches(&pattern.value, event.name)).collect();
        if meant.is_empty() {
            let help = match nearest(&pattern.value, EVENTS.iter().map(|event| event.name)) {
                near if near.is_empty() => "the page docs/events.md has all of them".to_owned(),
                near => near,
            };
            let message = match pattern.value.contains('*') {
                true => format!("no event has a name like `{}`", short(&pattern.value)),
                false => format!("there is no event `{}`", short(&pattern.value)),
            };
            self.errors.error(pattern.span, message, "", help);
            return;
        }
        for (number, _) in &meant {
            self.events[*number].span = Some(pattern.span);
        }
        for Setting { fields, is_wanted } in settings {
            let mut is_there = false;
            for (number, event) in &meant {
                let found =
                    event.all_fields().enumerate().filter(|(_, one)| matches(&fields.value, one.name));
                for (field, _) in found {
                    is_there = true;
                    let said = &mut self.events[*number].fields;
                    // The later one wins.
                    said.retain(|(known, _)| *known != field);
                    said.push((field, *is_wanted));
                }
            }
            if !is_there {
                self.no_field(fields, &meant);
            }
        }
    }

    fn no_field(&mut self, fields: &Node<String>, meant: &[(usize, &Event)]) {
        let names: Vec<&str> =
            meant.iter().flat_map(|(_, event)| event.all_fields()).map(|one| one.name).collect();
        let of = match meant {
            [(_, event)] => event.name.to_owned(),
            _ => "these events".to_owned(),
        };
        let help = match nearest(&fields.value, names.iter().copied()) {
            near if near.is_empty() => {
                let mut known: Vec<&str> = Vec::new();
                names.iter().for_each(|name| {
                    if !known.contains(name) {
                        known.push(name)
                    }
                });
                format!("the fields are {}", listed(&known, "and"))
            }
            near => near,
        };
        let message = format!("no field of {of} has the name `{}`", short(&fields.value));
        self.errors.error(fields.span, message, "", help);
    }

    /// Warns of events that went with JVMPI, unless the file says that it does not want them.
    fn dropped(&mut self) {
        let mut reasons: Vec<(&str, Span, Vec<&str>)> = Vec::new();
        for (event, named) in EVENTS.iter().zip(&self.events).filter(|(event, _)| event.is_dropped) {
            let (Some(span), Told::No(why)) = (named.span.filter(|_| !named.is_refused()), event.recorded)
            else {
                continue;
            };
            match reasons.iter_mut().find(|(known, ..)| *known == why) {
                Some((_, _, names)) => names.push(event.name),
                None => reasons.push((why, span, vec![event.name])),
            }
        }
        for (why, span, names) in reasons {
            let are = if names.len() == 1 { "is" } else { "are" };
            let message = format!("{} {are} left out: {why}", listed(&names, "and"));
            self.warnings.warning(span, message, String::new());
        }
    }

    fn default(&mut self, settings: &'t [Setting]) {
        let names = || EVENTS.iter().flat_map(|event| event.fields).chain(&COMMON).map(|field| field.name);
        for Setting { fields, is_wanted } in settings {
            if !names().any(|name| matches(&fields.value, name)) {
                let message = format!("no event has a field `{}`", short(&fields.value));
                let help = nearest(&fields.value, names());
                self.warnings.warning(fields.span, message, help);
            }
            self.defaults.push((&fields.value, *is_wanted));
        }
    }
}
