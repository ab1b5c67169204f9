//! The text in the box of a drawn block.

use super::names::{called, ranges, shown};
use crate::graph::Graph;
use crate::sites::{Call, CallKind};

/// Calls that a box names; more are counted.
const SHOWN_CALLS: usize = 4;
/// Most characters of a line; a longer one is cut.
const LONGEST: usize = 36;

/// The lines of a block's box: its number and its end, its source lines, its instructions, and its calls by short names.
#[must_use]
pub fn box_lines(graph: &Graph<'_>, number: usize) -> Vec<String> {
    let Some(block) = graph.blocks.get(number) else { return Vec::new() };
    let exit = block.exit.map_or_else(String::new, |exit| format!(" {}", exit.name()));
    let dead = if block.is_dead { " dead" } else { "" };
    let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let mut lines = vec![format!("block {number}{exit}{dead}")];
    if !block.lines.is_empty() {
        lines.push(format!("line {}", ranges(&block.lines)));
    }
    lines.push(counted(block.metrics.bytecodes as usize, "bytecode"));
    lines.extend(block.calls.iter().take(SHOWN_CALLS).map(short));
    if let Some(more) = block.calls.len().checked_sub(SHOWN_CALLS).filter(|more| *more > 0) {
        lines.push(format!("and {}", counted(more, "more call")));
    }
    lines.into_iter().map(|line| cut(&line)).collect()
}

/// The offsets and all calls of a block, for readers who want more than its box says.
#[must_use]
pub fn box_title(graph: &Graph<'_>, number: usize) -> String {
    let Some(block) = graph.blocks.get(number) else { return String::new() };
    let offsets = format!("block {number}, offsets {} to {}", block.first, block.last);
    let calls = block.calls.iter().map(|call| format!("; calls {}", called(call)));
    [offsets].into_iter().chain(calls).collect()
}

/// The called method as `Class.name()`, without package and types.
fn short(call: &Call<'_>) -> String {
    let (class, name) = (shown(call.target.class), shown(call.target.name));
    match call.kind {
        CallKind::Dynamic => format!("dynamic {name}()"),
        CallKind::Virtual | CallKind::Special | CallKind::Static | CallKind::Interface => {
            format!("{}.{name}()", class.rsplit('/').next().unwrap_or_default())
        }
    }
}

fn cut(line: &str) -> String {
    let mut characters = line.chars();
    let first: String = characters.by_ref().take(LONGEST - 1).collect();
    let mut rest = characters;
    match (rest.next(), rest.next()) {
        (None, _) => first,
        (Some(last), None) => format!("{first}{last}"),
        _ => format!("{first}…"),
    }
}
