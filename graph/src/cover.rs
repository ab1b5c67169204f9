//! Which exception handlers cover which part of a block.

use crate::no_graph::NoGraph;
use spl_classfile::code;
use spl_classfile::heads::index_at;
use spl_classfile::instruction::Insn;
use spl_classfile::pool::Pool;
use spl_classfile::reader::malformed;
use std::collections::BTreeSet;

/// Largest number of handlers of all parts of a method's code together. A file of half a megabyte can have
/// 65,535 handlers for each of as many instructions. The most of any method of JDK 11, 17, 21 and 25 is below
/// a hundredth of it.
pub(crate) const MAX_COVERED: usize = 1 << 20;

/// An entry of the exception table, by its place there. Offsets are those of instructions; `end` is the first that is not covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler<'a> {
    /// Offset of the first instruction that is covered.
    pub start: u32,
    /// Offset behind the last instruction that is covered.
    pub end: u32,
    /// The block that catches.
    pub target: usize,
    /// The class that is caught; `None` where everything is.
    pub catches: Option<&'a [u8]>,
}

/// A part of a block that is covered by the same handlers, as long as it can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Offset of its first instruction.
    pub start: u32,
    /// Offset behind its last instruction.
    pub end: u32,
    /// Places in the exception table, in the order in which the JVM asks them (JVMS 2.10). Those behind one that catches everything
    /// are left out, as nothing comes to them.
    pub handlers: Vec<u16>,
}

/// Checks an exception table; `block_at` knows the block that begins at an offset.
///
/// # Errors
/// When a range is empty, or begins, ends or leads to where no instruction starts (JVMS 4.7.3).
pub(crate) fn handlers<'a>(
    table: &[code::Handler],
    insns: &[Insn<'_>],
    pool: &Pool<'a>,
    block_at: impl Fn(u32) -> Option<usize>,
) -> Result<Vec<Handler<'a>>, NoGraph> {
    let code_end = insns.last().map_or(0, Insn::end);
    let is_border = |at: u32| at == code_end || index_at(insns, at).is_some();
    let handler = |entry: &code::Handler| {
        let (start, end) = (u32::from(entry.start), u32::from(entry.end));
        if start >= end || start == code_end || !is_border(start) || !is_border(end) {
            return Err(malformed(format!("a handler covers {start} to {end}, which are not instructions")));
        }
        let target = block_at(u32::from(entry.target));
        let target = target.ok_or_else(|| malformed("the code of a handler begins in no instruction"))?;
        let catches = if entry.catches == 0 { None } else { Some(pool.class(entry.catches)?) };
        Ok(Handler { start, end, target, catches })
    };
    Ok(table.iter().map(handler).collect::<Result<_, _>>()?)
}

/// The covered parts of the blocks that begin at `heads`, in the order of the code.
///
/// # Errors
/// When they have more than [`MAX_COVERED`] handlers.
pub(crate) fn stretches(
    handlers: &[Handler<'_>],
    heads: impl Iterator<Item = u32>,
    code_end: u32,
) -> Result<Vec<Stretch>, NoGraph> {
    if handlers.is_empty() {
        return Ok(Vec::new());
    }
    let borders: BTreeSet<u32> = handlers
        .iter()
        .flat_map(|handler| [handler.start, handler.end])
        .chain(heads)
        .chain([code_end])
        .collect();
    let by_start = places_by(handlers, |handler| handler.start);
    let by_end = places_by(handlers, |handler| handler.end);
    let (mut starting, mut ending) = (by_start.iter().peekable(), by_end.iter().peekable());
    let mut active = BTreeSet::new();
    let mut covered = 0;
    let mut found = Vec::new();
    for (&start, &end) in borders.iter().zip(borders.iter().skip(1)) {
        while let Some((_, place)) = ending.next_if(|(at, _)| *at == start) {
            active.remove(place);
        }
        while let Some((_, place)) = starting.next_if(|(at, _)| *at == start) {
            active.insert(*place);
        }
        let mut asked = Vec::new();
        for &place in &active {
            covered += 1;
            asked.push(place);
            if handlers[usize::from(place)].catches.is_none() {
                break;
            }
        }
        if covered > MAX_COVERED {
            return Err(NoGraph::TooInvolved);
        }
        if !asked.is_empty() {
            found.push(Stretch { start, end, handlers: asked });
        }
    }
    Ok(found)
}

/// The places of all handlers, sorted by one of their offsets.
fn places_by(handlers: &[Handler<'_>], offset: impl Fn(&Handler<'_>) -> u32) -> Vec<(u32, u16)> {
    let mut places: Vec<_> = handlers.iter().map(offset).zip(0..=u16::MAX).collect();
    places.sort_unstable();
    places
}
