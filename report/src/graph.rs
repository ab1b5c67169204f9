//! The graph of a method with its counts: boxes, lines, colours, and a table of the same figures. The pages of drills and of runs
//! share it.

mod code;
mod facts;
mod figure;
mod heat;
#[cfg(test)]
mod tests;

pub(crate) use code::{bytecode, source};
pub use facts::{
    BlockCounts, Code, Counted, CountedPath, CountedPaths, Instruction, Link, Source, SourceLine, Unit,
};
pub(crate) use figure::{blocks, figure, hatch, key};
pub(crate) use heat::{largest, step};

/// Style of graphs; the page around them has the colours `--card`, `--ink`, `--quiet`, `--edge`, `--accent` and `--bad`.
pub(crate) const STYLE: &str = include_str!("graph/graph.css");
/// Script that makes graphs move.
pub(crate) const SCRIPT: &str = include_str!("graph/graph.js");
/// Sources of [`STYLE`] and [`SCRIPT`] in a page's policy. A test has the right hashes.
pub(crate) const STYLE_HASH: &str = "'sha256-s3hl2K8NtJnTztUAJg7Sc+ww3NLvOm5UY/2eYhbUI/U='";
pub(crate) const SCRIPT_HASH: &str = "'sha256-+2gxC7ZPfKT76hu5N0XvVoTUYK19NGXrVZDV85SbUxA='";
