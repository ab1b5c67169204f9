//! One table with a line for each block, which has what the three of a drill leave to a reader: the method's name in its
//! parts, its calls, lines as numbers, and the block's share of all instructions that were run.

use crate::document::Document;
use crate::fault::Fault;
use crate::rows::{BlockRow, Files, MethodRow, Rows};
use spl_graph::forms::field;
use std::fmt::Write;

/// Column heads of the table.
const HEAD: &str = "class,name,descriptor,calls,block,first,last,first_line,last_line,lines,bytecodes,count,gone,run,share\n";

/// The table. It needs no class files.
///
/// # Errors
/// When files are damaged or do not belong together.
pub fn csv(document: &Document, files: &Files<'_>) -> Result<String, Fault> {
    let mut rows = Rows::open(files)?;
    let mut methods = Vec::new();
    for class in &document.classes {
        methods.extend(rows.of_class(class, document)?);
    }
    rows.end_of_blocks()?;
    let all = methods.iter().flat_map(|method| &method.blocks).map(run).fold(0, u64::saturating_add);
    let mut out = HEAD.to_owned();
    for method in &methods {
        write_method(&mut out, method, all);
    }
    Ok(out)
}

/// Instructions of a block that were run, at most: an exception may have left it in its middle.
fn run(block: &BlockRow<'_>) -> u64 {
    block.count.saturating_mul(block.bytecodes)
}

fn write_method(out: &mut String, method: &MethodRow<'_>, all: u64) {
    let (class, rest) = method.name.split_once('.').unwrap_or((&method.name, ""));
    let (name, descriptor) = rest.split_at(rest.rfind('(').unwrap_or(rest.len()));
    let (class, name, descriptor) = (field(class), field(name), field(descriptor));
    for (number, block) in method.blocks.iter().enumerate() {
        let ends = block.lines.split([' ', '-']);
        let (first_line, last_line) =
            (ends.clone().next().unwrap_or_default(), ends.clone().next_back().unwrap_or_default());
        let (run, lines) = (run(block), field(&block.lines));
        let share = if all == 0 { 0.0 } else { run as f64 / all as f64 };
        let BlockRow { first, last, count, bytecodes, .. } = block;
        let gone = block.gone.map_or_else(String::new, |gone| gone.to_string());
        // A `String` takes everything.
        let _ = writeln!(
            out,
            "{class},{name},{descriptor},{},{number},{first},{last},{first_line},{last_line},{lines},{bytecodes},{count},{gone},{run},{share:.9}",
            method.calls
        );
    }
}
