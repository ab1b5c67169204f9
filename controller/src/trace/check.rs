//! Compares the counts of a trace with those of counters of the same run.

use crate::numbers::counted;
use spl_export::BlockCounts;
use spl_model::one_line;
use spl_trace::{Counts, Methods};
use spl_verdict::ExitStatus;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Most differences that are printed.
const SHOWN: usize = 20;

/// Missing things that explain differences.
#[derive(Clone, Copy, Debug)]
pub struct Lacking {
    /// Words of the trace.
    pub words: bool,
    /// Counts.
    pub counts: bool,
}

/// Prints where both differ; an error status if they do and nothing explains it.
///
/// # Errors
/// When it cannot be printed.
pub fn check(
    table: &BlockCounts,
    counts: &Counts,
    methods: &Methods,
    lacking: Lacking,
    out: &mut impl Write,
) -> io::Result<ExitStatus> {
    let places: BTreeMap<&str, u32> = methods.all().iter().map(|one| one.name.as_str()).zip(0..).collect();
    let (mut same, mut fewer, mut more, mut different) = (0_u64, 0_u64, 0_u64, Vec::new());
    for (name, blocks) in table {
        let Some(&place) = places.get(name.as_str()) else { continue };
        for (&block, &count) in blocks {
            let traced = counts.blocks(place).get(block).copied().unwrap_or(0);
            if traced == count {
                same += 1;
            } else if traced < count && (lacking.words || counts.is_open(place)) {
                fewer += 1;
            } else if lacking.counts {
                more += 1;
            } else {
                different.push((name, block, traced, count));
            }
        }
    }
    writeln!(
        out,
        "{} the same count in the trace and by counters",
        counted(same, "block has", "blocks have")
    )?;
    if fewer > 0 {
        writeln!(
            out,
            "{} fewer in the trace, in which events are missing or calls had not ended",
            counted(fewer, "block has", "blocks have")
        )?;
    }
    if more > 0 {
        writeln!(
            out,
            "{} other counts than the trace has: stack overflows left no room for some",
            counted(more, "block has", "blocks have")
        )?;
    }
    for (name, block, traced, count) in different.iter().take(SHOWN) {
        writeln!(out, "block {block} of {}: {traced} in the trace, {count} by counters", one_line(name))?;
    }
    if same + fewer + more == 0 && different.is_empty() {
        writeln!(out, "nothing was compared: no traced method has counts")?;
        return Ok(ExitStatus::Error);
    }
    if different.is_empty() {
        return Ok(ExitStatus::AllHold);
    }
    writeln!(out, "{}", counted(different.len() as u64, "block differs", "blocks differ"))?;
    Ok(ExitStatus::Error)
}
