//! Which instructions of a method ran, and which ways out of them were taken.
//!
//! A block is counted at its beginning. It counts as run to its end if an edge out of it was taken, if it returns and
//! fewer activations have left it by an exception than have begun it, or if it ends in a `throw`. Otherwise an exception
//! has left it in its middle each time, and only the instructions up to the first one that can throw have run for sure.

use super::counter::{Counter, Sums};
use crate::drill::MethodCounts;
use spl_classfile::class::ClassFile;
use spl_graph::{Block, Exit, NoGraph};

/// The counters of a method.
pub(super) fn sums(class: &ClassFile<'_>, method: &MethodCounts<'_>) -> Result<Sums, NoGraph> {
    let (insns, lines) = method.code(class)?;
    let mut sums = Sums::default();
    for (number, block) in method.graph.blocks.iter().enumerate() {
        let ran_before = ran_before(method, number, block);
        let begin = insns.partition_point(|insn| insn.at < block.first);
        let end = insns.partition_point(|insn| insn.at < block.end);
        for insn in insns.get(begin..end).unwrap_or_default() {
            let branches = if insn.at == block.last { branches(method, number) } else { Counter::default() };
            sums.instruction(lines.at(insn.at), insn.at < ran_before, branches);
        }
    }
    sums.method();
    Ok(sums)
}

/// The offset up to which the instructions of a block ran.
fn ran_before(method: &MethodCounts<'_>, number: usize, block: &Block<'_>) -> u32 {
    let count = method.counts.blocks.get(number).copied().unwrap_or(0);
    let gone = method.counts.gone.get(number).copied().flatten();
    if count == 0 {
        return block.first;
    }
    let to_its_end = match block.exit {
        Some(Exit::Throw) => true,
        Some(Exit::Return) => gone.is_none_or(|gone| count > gone),
        None => ways(method, number).any(|taken| taken > 0),
    };
    match block.throws {
        Some(throws) if !to_its_end => throws.saturating_add(1),
        _ => block.end,
    }
}

/// The ways out of a block's last instruction, if there are several.
fn branches(method: &MethodCounts<'_>, number: usize) -> Counter {
    let mut counter = Counter::default();
    for taken in ways(method, number) {
        counter.add(Counter::one(taken > 0));
    }
    if counter.total() > 1 { counter } else { Counter::default() }
}

/// The counts of the edges out of a block, without those of exceptions.
fn ways<'m>(method: &'m MethodCounts<'_>, number: usize) -> impl Iterator<Item = u64> + 'm {
    let places = method.graph.blocks.get(number).map_or(0..0, |block| block.edges.clone());
    places.filter_map(|place| {
        let edge = method.graph.edges.get(place)?;
        let taken = method.counts.edges.get(place).copied().unwrap_or(0);
        (!edge.kind.is_exception()).then_some(taken)
    })
}
