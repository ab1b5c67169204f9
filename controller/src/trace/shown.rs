//! Answers as text.

use super::replayed::Replayed;
use crate::numbers::counted;
use spl_model::one_line;
use spl_trace::{Counts, Hot, Methods, Tag, Tree, Worst};
use std::io::{self, Write};
use std::time::Duration;

/// Deepest level of the tree that is indented further.
const DEEPEST: usize = 40;

/// Prints the nodes of the tree with most instructions, each below its caller.
///
/// # Errors
/// When they cannot be printed.
pub fn tree(tree: &Tree, methods: &Methods, limit: usize, out: &mut impl Write) -> io::Result<()> {
    let totals = tree.totals();
    let mut order: Vec<usize> = (2..totals.len()).collect();
    order.sort_by_key(|&node| std::cmp::Reverse(totals[node]));
    // A node has at least the instructions of each below it, so callers of shown nodes are among the first too.
    let mut shown = vec![false; totals.len()];
    order.iter().take(limit).for_each(|&node| shown[node] = true);
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); totals.len()];
    for &node in order.iter().filter(|&&node| shown[node]) {
        children[tree.nodes()[node].parent as usize].push(node);
    }
    writeln!(out, "{:>16} {:>16} {:>12}  method", "with callees", "bytecodes", "calls")?;
    for (root, name) in [(Tree::ROOT, ""), (Tree::UNKNOWN, "(caller not known)")] {
        if !name.is_empty() && !children[root as usize].is_empty() {
            writeln!(out, "{:>16} {:>16} {:>12}  {name}", totals[root as usize], "", "")?;
        }
        let mut open: Vec<(usize, usize)> =
            children[root as usize].iter().rev().map(|&node| (node, 0)).collect();
        while let Some((node, level)) = open.pop() {
            let one = &tree.nodes()[node];
            let name = one.method.and_then(|place| methods.get(place)).map_or("?", |method| &method.name);
            let indent = " ".repeat(level.min(DEEPEST));
            writeln!(
                out,
                "{:>16} {:>16} {:>12}  {indent}{}",
                totals[node],
                one.own,
                one.calls,
                one_line(name)
            )?;
            open.extend(children[node].iter().rev().map(|&child| (child, level + 1)));
        }
    }
    if order.len() > limit {
        let more = counted((order.len() - limit) as u64, "more node", "more nodes");
        writeln!(out, "{more}: see --limit")?;
    }
    if tree.folded > 0 {
        writeln!(out, "{} calls found no room in the tree and count with their callers", tree.folded)?;
    }
    Ok(())
}

/// Prints the sequences of segments with most instructions.
///
/// # Errors
/// When they cannot be printed.
pub fn hot(hot: &Hot, methods: &Methods, limit: usize, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{:>16} {:>12} {:>10}  blocks of methods", "bytecodes", "times", "each")?;
    for (sequence, count, bytecodes) in hot.most(limit) {
        let parts = sequence.iter().map(|(place, blocks)| {
            let name = methods.get(*place).map_or("?", |method| &method.name);
            let blocks: String = blocks.iter().map(|block| format!(" {block}")).collect();
            format!("{}:{blocks}", one_line(name))
        });
        let text = parts.collect::<Vec<_>>().join(" | ");
        writeln!(out, "{:>16} {count:>12} {bytecodes:>10}  {text}", count.saturating_mul(bytecodes))?;
    }
    if hot.other > 0 {
        writeln!(out, "{} more, of sequences for which there was no room", hot.other)?;
    }
    Ok(())
}

/// Prints the worst activation of each method, those with most instructions first.
///
/// # Errors
/// When they cannot be printed.
pub fn worst(
    worst: &Worst,
    methods: &Methods,
    (wanted, limit): (&[bool], usize),
    out: &mut impl Write,
) -> io::Result<()> {
    let is_wanted = |place: u32| wanted.get(place as usize).copied().unwrap_or(false);
    let mut all: Vec<_> =
        (0..).zip(worst.methods()).filter(|(place, most)| most.calls > 0 && is_wanted(*place)).collect();
    all.sort_by_key(|(_, most)| std::cmp::Reverse(most.total));
    writeln!(
        out,
        "{:>16} {:>12} {:>16} {:>12}  method: blocks of the call with most bytecodes of its own",
        "with callees", "calls within", "bytecodes", "calls"
    )?;
    for (place, most) in all.iter().take(limit) {
        let name = methods.get(*place).map_or("?", |method| &method.name);
        let mut path: String = most.path.0.iter().take(40).map(|block| format!(" {block}")).collect();
        if !most.path.1 || most.path.0.len() > 40 {
            path.push_str(" …");
        }
        let name = one_line(name);
        writeln!(
            out,
            "{:>16} {:>12} {:>16} {:>12}  {name}:{path}",
            most.total, most.within, most.own, most.calls
        )?;
    }
    let partly: u64 =
        (0..).zip(worst.methods()).filter(|(place, _)| is_wanted(*place)).map(|(_, most)| most.partly).sum();
    if partly > 0 {
        let partly = counted(partly, "call", "calls");
        writeln!(out, "{partly} of which the trace has not all are left out")?;
    }
    Ok(())
}

/// Prints what the trace has and takes.
///
/// # Errors
/// When it cannot be printed.
pub fn size(
    counts: &Counts,
    methods: &Methods,
    replayed: &Replayed,
    took: Duration,
    out: &mut impl Write,
) -> io::Result<()> {
    let calls: u64 = (0..methods.all().len()).map(|place| counts.calls(place as Tag)).sum();
    let each = |bytes: u64| bytes as f64 / counts.blocks.max(1) as f64;
    writeln!(
        out,
        "{}, {}, {}, {}",
        counted(replayed.threads as u64, "thread", "threads"),
        counted(calls, "call", "calls"),
        counted(counts.blocks, "block", "blocks"),
        counted(counts.bytecodes(methods), "bytecode", "bytecodes")
    )?;
    writeln!(
        out,
        "{} words, {} bytes: {:.2} a block; {} bytes on the disk: {:.2} a block",
        replayed.words,
        replayed.words * 4,
        each(replayed.words * 4),
        replayed.bytes,
        each(replayed.bytes),
    )?;
    // One word a block, two a call.
    writeln!(
        out,
        "a word for each block, start and end would take {} bytes",
        4 * (counts.blocks + 2 * calls)
    )?;
    writeln!(
        out,
        "replayed in {:.2} s: {:.1} million words a second",
        took.as_secs_f64(),
        replayed.words as f64 / took.as_secs_f64() / 1e6
    )
}
