//! Names in a graph, as people see them.

use crate::graph::Graph;
use crate::sites::{Allocation, Call, CallKind};
use spl_classfile::mutf8;
use spl_model::one_line;

/// A name of the class file, always on one line.
pub(super) fn shown(name: &[u8]) -> String {
    one_line(&mutf8::decode(name))
}

/// The method as `pkg/Class.name(descriptor)`.
#[must_use]
pub fn method_name(graph: &Graph<'_>) -> String {
    name_of(graph.class, graph.name, graph.descriptor)
}

/// A method without a graph, named likewise. All three names are in the class file's encoding.
#[must_use]
pub fn name_of(class: &[u8], name: &[u8], descriptor: &[u8]) -> String {
    format!("{}.{}{}", shown(class), shown(name), shown(descriptor))
}

/// The target of a call: as a method, and without a class where it is dynamic.
#[must_use]
pub fn called(call: &Call<'_>) -> String {
    let target = format!("{}{}", shown(call.target.name), shown(call.target.descriptor));
    match call.kind {
        CallKind::Dynamic => format!("dynamic {target}"),
        CallKind::Virtual | CallKind::Special | CallKind::Static | CallKind::Interface => {
            format!("{}.{target}", shown(call.target.class))
        }
    }
}

/// The allocated type, and the instruction.
pub(super) fn made(allocation: &Allocation<'_>) -> String {
    format!("{} {}", allocation.instruction(), shown(allocation.class))
}

/// The class that a handler catches; `any` is everything.
pub(super) fn caught(graph: &Graph<'_>, place: u16) -> String {
    let catches = graph.handlers.get(usize::from(place)).and_then(|handler| handler.catches);
    catches.map_or_else(|| "any".to_owned(), shown)
}

/// Ascending numbers, neighbours as a range: `3 5-7`.
#[must_use]
pub fn ranges(numbers: &[u16]) -> String {
    let mut found: Vec<(u16, u16)> = Vec::new();
    for &number in numbers {
        match found.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => found.push((number, number)),
        }
    }
    let shown = |(first, last): &(u16, u16)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    found.iter().map(shown).collect::<Vec<_>>().join(" ")
}
