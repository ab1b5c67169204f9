//! The drill that has what a specification wants, and what no drill has of it.

use super::events::{Event, Told};
use super::expand::Expansion;
use super::findings::{Findings, listed};
use spl_lang::{Diagnostic, Span};
use spl_model::{DrillKind, OfCalls};

/// Events that a trace always has, each with one that says the same or more.
const OF_TRACES: [(&str, &str); 3] =
    [("MethodEntry", "MethodEntry2"), ("MethodExit", "MethodExit"), ("Block", "InstructionStart")];

/// Why classes have no threads.
const LISTED: &str =
    "the drill lists loaded classes, without threads and without their place among other events";

/// A drill for a specification.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its kind.
    pub kind: DrillKind,
    /// Whether it wants the class files.
    pub has_files: bool,
    /// Warnings of events and fields that are wanted and not told, with the reasons.
    pub warnings: Vec<Diagnostic>,
    /// Events that are recorded though they are not wanted, because a trace has them all.
    pub besides: Vec<&'static str>,
}

/// Finds the least drill that tells what is wanted. The text is that of the expansion.
///
/// # Errors
/// When no drill tells anything of it, or it takes two drills.
pub fn plan(text: &str, expansion: &Expansion) -> Result<Plan, Vec<Diagnostic>> {
    let mut wanted = Wanted { expansion, lacks: Vec::new(), first: Vec::new() };
    expansion.interest.events().for_each(|(number, event)| wanted.event(number, event));
    let mut warnings = Findings::new(text);
    for Lack { span, names, way, why } in &wanted.lacks {
        let are = if names.len() == 1 { "is" } else { "are" };
        let message = format!("{} {are} not {}: {why}", listed(names, "and"), way.name());
        warnings.warning(*span, message, String::new());
    }
    let warnings = warnings.into_sorted();
    let refuse = |span, message: &str, help: &str, other: Option<(Span, &str)>| {
        let mut errors = Findings::new(text);
        errors.error(span, message.to_owned(), "", help.to_owned());
        if let Some((span, label)) = other {
            errors.related(span, label);
        }
        Err(warnings.iter().cloned().chain(errors.into_sorted()).collect())
    };
    let kind = match [Told::Trace, Told::Calls, Told::Blocks, Told::Always].map(|told| wanted.first(told)) {
        [Some((trace, event)), Some((calls, _)), _, _] => {
            let message = "a drill that records a trace does not count what calls entered";
            let help = format!("write `{event}` and `Call` into two files, and drill twice");
            return refuse(trace, message, &help, Some((calls, "counted with what calls entered")));
        }
        [Some(_), None, blocks, _] => DrillKind::Trace { blocks: blocks.is_some() },
        [None, Some(_), _, _] => DrillKind::Calls(OfCalls::Receivers),
        [None, None, Some(_), _] | [None, None, None, Some(_)] => DrillKind::Blocks,
        [None, None, None, None] => {
            let span = expansion.named.iter().flatten().next().copied().unwrap_or_default();
            return match expansion.interest.is_empty() {
                true => refuse(
                    span,
                    "no event is wanted that a JVM of today has",
                    "as in `event Method* { recorded: yes; method_id: yes; }`",
                    None,
                ),
                false => refuse(
                    span,
                    "no drill tells anything of what is wanted",
                    "add an event of code, such as `Block` or `MethodEntry`",
                    None,
                ),
            };
        }
    };
    let is_trace = matches!(kind, DrillKind::Trace { .. });
    let is_recorded = |name| Event::number(name).is_some_and(|number| expansion.interest.is_recorded(number));
    let besides =
        OF_TRACES.iter().filter(|(name, same)| is_trace && !is_recorded(name) && !is_recorded(same));
    let besides = besides.map(|(name, _)| *name).collect();
    let mut events = expansion.interest.events();
    let has_files = events.any(|(_, event)| event.name == "ClassLoadHook");
    Ok(Plan { kind, has_files, warnings, besides })
}

/// A wish for an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Recorded,
    Counted,
}

impl Way {
    fn of(self, recorded: Told, counted: Told) -> Told {
        match self {
            Self::Recorded => recorded,
            Self::Counted => counted,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Counted => "counted",
        }
    }
}

/// Something that is wanted and not told.
struct Lack {
    span: Span,
    /// Events, or fields with their events.
    names: Vec<String>,
    way: Way,
    why: &'static str,
}

struct Wanted<'e> {
    expansion: &'e Expansion,
    lacks: Vec<Lack>,
    /// Readings that tell something wanted, with the events that need them.
    first: Vec<(Told, Span, &'static str)>,
}

impl Wanted<'_> {
    fn event(&mut self, number: usize, event: &'static Event) {
        let interest = &self.expansion.interest;
        let span = self.expansion.named.get(number).copied().flatten().unwrap_or_default();
        let ways =
            [(interest.is_recorded(number), Way::Recorded), (interest.is_counted(number), Way::Counted)];
        let mut told: Vec<&str> = Vec::new();
        for way in ways.into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, way)| way) {
            let by = way.of(event.recorded, event.counted);
            if !self.tell(by, span, event.name, event.name.to_owned(), way) {
                // Its fields need no reasons of their own.
                continue;
            }
            // A field that is recorded need not be counted too.
            for field in self.expansion.interest.fields(number) {
                let is_listed = by == Told::Always && field.name == "env_id";
                let by = if is_listed { Told::No(LISTED) } else { way.of(field.recorded, field.counted) };
                let name = || format!("{} of {}", field.name, event.name);
                if !told.contains(&field.name) && self.tell(by, span, event.name, name(), way) {
                    told.push(field.name);
                }
            }
        }
    }

    /// Notes what tells something; gives whether anything does.
    fn tell(&mut self, by: Told, span: Span, event: &'static str, name: String, way: Way) -> bool {
        let Told::No(why) = by else {
            self.first.push((by, span, event));
            return true;
        };
        match self.lacks.iter_mut().find(|lack| (lack.way, lack.why) == (way, why)) {
            Some(lack) => lack.names.push(name),
            None => self.lacks.push(Lack { span, names: vec![name], way, why }),
        }
        false
    }

    fn first(&self, told: Told) -> Option<(Span, &'static str)> {
        self.first.iter().find(|(by, ..)| *by == told).map(|(_, span, event)| (*span, *event))
    }
}
