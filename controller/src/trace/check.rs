//! Compares the counts of a trace with those of counters of the same run.

use crate::numbers::counted;
use spl_export::BLOCKS;
use spl_model::one_line;
use spl_trace::{Counts, Methods};
use spl_verdict::ExitStatus;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

/// Most differences that are printed.
const SHOWN: usize = 20;

/// The counts of blocks of a drill, by method and block.
pub type Table = BTreeMap<String, BTreeMap<usize, u64>>;

/// Reads blocks.csv of a drill, of which these are the bytes.
///
/// # Errors
/// When it is damaged; one line of text.
pub fn table(folder: &Path, bytes: &[u8]) -> Result<Table, String> {
    let path = folder.join(BLOCKS);
    let cannot = |why: &dyn std::fmt::Display| format!("cannot read {}: {why}", path.display());
    let text = std::str::from_utf8(bytes).map_err(|error| cannot(&error))?;
    let mut table = Table::new();
    for (line, place) in text.lines().zip(1..).skip(1) {
        let fields = fields(line);
        let number = |at: usize| fields.get(at).and_then(|field| field.parse::<i64>().ok());
        let (Some(name), Some(block), Some(count)) = (fields.first(), number(1), number(5)) else {
            return Err(cannot(&format!("line {place} has no method, block and count")));
        };
        let (block, count) = (usize::try_from(block).unwrap_or(0), u64::try_from(count).unwrap_or(0));
        table.entry(name.clone()).or_default().insert(block, count);
    }
    Ok(table)
}

/// Prints where both differ; an error status if they do and nothing explains it.
///
/// # Errors
/// When it cannot be printed.
pub fn check(
    table: &Table,
    counts: &Counts,
    methods: &Methods,
    is_whole: bool,
    out: &mut impl Write,
) -> io::Result<ExitStatus> {
    let places: BTreeMap<&str, u32> = methods.all().iter().map(|one| one.name.as_str()).zip(0..).collect();
    let (mut same, mut explained, mut different) = (0_u64, 0_u64, Vec::new());
    for (name, blocks) in table {
        let Some(&place) = places.get(name.as_str()) else { continue };
        for (&block, &count) in blocks {
            let traced = counts.blocks(place).get(block).copied().unwrap_or(0);
            if traced == count {
                same += 1;
            } else if traced < count && (!is_whole || counts.is_open(place)) {
                explained += 1;
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
    if explained > 0 {
        writeln!(
            out,
            "{explained} {} fewer in the trace, in which events are missing or calls had not ended",
            if explained == 1 { "has" } else { "have" }
        )?;
    }
    for (name, block, traced, count) in different.iter().take(SHOWN) {
        writeln!(out, "block {block} of {}: {traced} in the trace, {count} by counters", one_line(name))?;
    }
    if same + explained == 0 && different.is_empty() {
        writeln!(out, "nothing was compared: no traced method has counts")?;
        return Ok(ExitStatus::Error);
    }
    if different.is_empty() {
        return Ok(ExitStatus::AllHold);
    }
    writeln!(out, "{}", counted(different.len() as u64, "block differs", "blocks differ"))?;
    Ok(ExitStatus::Error)
}

/// The fields of a line of CSV.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            other => field.push(other),
        }
    }
    fields.push(field);
    fields
}
