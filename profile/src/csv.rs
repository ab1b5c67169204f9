//! Tables (RFC 4180): a line for each method, block, edge.

use crate::method::{MethodProfile, positive};
use crate::paths::{begin_text, end_text};
use spl_graph::forms::{called, field, ranges};
use spl_graph::{Begin, Exit};
use spl_model::DrillKind;
use std::fmt::Write;

/// Column heads of the table of methods.
pub const METHODS_HEAD: &str =
    "method,calls,bytecodes,bytecodes_at_least,blocks_run,blocks,thrown_out,from_start,doubt\n";
/// First column heads of the table of blocks.
pub const BLOCKS_HEAD: &str = "method,block,first,last,lines,count,gone,caught,thrown";
/// Column heads of the table of edges.
pub const EDGES_HEAD: &str = "method,from,to,kind,count\n";
/// Column heads of the table of arcs.
pub const ARCS_HEAD: &str = "method,at,line,block,instruction,callee,answer,entered,receiver,calls\n";
/// Column heads of the table of calls whose receivers choose.
pub const RECEIVERS_HEAD: &str = "method,at,line,block,instruction,callee,count,entered,methods,receivers,changes,threads,threads_at_most\n";
/// Column heads of the table of calls.
pub const CALLS_HEAD: &str = "method,at,line,block,instruction,callee,count,count_at_least\n";

/// Column heads of the table of paths.
pub const PATHS_HEAD: &str = "method,path,count,begin,end,bytecodes,blocks\n";
/// Most paths of a method in the table. All others are one line, `other`.
pub const MOST_IN_TABLE: usize = 10_000;

/// The column heads of the table of blocks; `m1` to `m19` are the metrics of JBInsTrace in their order.
#[must_use]
pub fn blocks_head() -> String {
    let numbered: String = (1..=19).map(|number| format!(",m{number}")).collect();
    format!("{BLOCKS_HEAD}{numbered}\n")
}

impl MethodProfile<'_> {
    /// Its line in the table of methods; `doubt` says why its counts may not be exact.
    #[must_use]
    pub fn methods_line(&self, doubt: &str) -> String {
        let (bytecodes, (run, blocks)) = (self.bytecodes(), self.coverage());
        let left = match self.what {
            DrillKind::Blocks
            | DrillKind::Calls(_)
            | DrillKind::Time(_)
            | DrillKind::Paths { .. }
            | DrillKind::Trace { .. } => positive(self.counts.left).to_string(),
            DrillKind::Cover => String::new(),
        };
        format!(
            "{},{},{},{},{run},{blocks},{left},{},{}\n",
            field(&self.name()),
            self.calls,
            bytecodes.most,
            bytecodes.least,
            u8::from(self.from_start),
            field(doubt),
        )
    }

    /// Its lines in the table of blocks. A negative count, of calls under way, is 0 there.
    #[must_use]
    pub fn blocks_lines(&self) -> String {
        let (mut out, method) = (String::new(), field(&self.name()));
        for (number, block) in self.graph.blocks.iter().enumerate() {
            let count = |counts: &[i64]| counts.get(number).copied().map_or(0, positive);
            let known = |counts: &[Option<i64>]| {
                let count = counts.get(number).copied().flatten();
                count.map_or_else(String::new, |count| positive(count).to_string())
            };
            // Flags tell it of blocks that return and can throw: 1 if that has happened each time.
            let tells = self.what.counts()
                || (block.exit == Some(Exit::Return) && block.throws.is_some() && !block.is_dead);
            let gone = if tells { count(&self.counts.gone).to_string() } else { String::new() };
            // A `String` takes everything.
            let _ = write!(
                out,
                "{method},{number},{},{},{},{},{gone},{},{}",
                block.first,
                block.last,
                ranges(&block.lines),
                count(&self.counts.blocks),
                known(&self.counts.caught),
                known(&self.counts.thrown),
            );
            for metric in block.metrics.vector() {
                let _ = write!(out, ",{metric}");
            }
            out.push('\n');
        }
        out
    }

    /// Its lines in the table of calls.
    #[must_use]
    pub fn calls_lines(&self) -> String {
        let (mut out, method) = (String::new(), field(&self.name()));
        for (block, call, count) in self.sites() {
            let line = call.line.map_or_else(String::new, |line| line.to_string());
            let _ = writeln!(
                out,
                "{method},{},{line},{block},{},{},{},{}",
                call.at,
                call.kind.instruction(),
                field(&called(call)),
                count.most,
                count.least,
            );
        }
        out
    }

    /// Its lines in the table of edges. An edge to a handler has no count.
    #[must_use]
    pub fn edges_lines(&self) -> String {
        let (mut out, method) = (String::new(), field(&self.name()));
        for (edge, count) in self.graph.edges.iter().zip(&self.counts.edges) {
            let count = count.map_or_else(String::new, |count| positive(count).to_string());
            let _ = writeln!(out, "{method},{},{},{},{count}", edge.from, edge.to, edge.kind.name());
        }
        out
    }

    /// Its lines in the table of paths, those with a count, the most frequent first; none if paths were not counted. A line `left` says
    /// how many paths from a place did not end.
    #[must_use]
    pub fn paths_lines(&self) -> String {
        let (mut out, method) = (String::new(), field(&self.name()));
        let Some(paths) = &self.paths else { return out };
        for path in paths.all.iter().take(MOST_IN_TABLE) {
            // A `String` takes everything.
            let _ = writeln!(
                out,
                "{method},{},{},{},{},{},{}",
                path.number,
                path.count,
                begin_text(path.begin),
                end_text(path.end, &self.graph),
                path.bytecodes,
                path.blocks_text(),
            );
        }
        let others = paths.all.get(MOST_IN_TABLE..).unwrap_or_default();
        if !others.is_empty() {
            let count = others.iter().map(|path| path.count).fold(0, u64::saturating_add);
            let _ = writeln!(out, "{method},other,{count},,,,");
        }
        for &(begin, count) in paths.unfinished.iter().filter(|(_, count)| *count > 0) {
            let first = match begin {
                Begin::Entry | Begin::Call(_) => 0,
                Begin::Handler(block) | Begin::Loop(block) | Begin::Merge(block) => block,
            };
            let _ = writeln!(out, "{method},left,{count},{},,,{first}", begin_text(begin));
        }
        out
    }
}
