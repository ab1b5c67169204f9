//! Graphs as text for people and for other programs. Each form is a function of the graph, so the same class file always gives the
//! same text.

mod boxes;
mod csv;
mod dot;
mod jbinstrace;
mod json;
mod names;
mod text;
mod xml;

pub use boxes::{box_lines, box_title};
pub use csv::{csv, csv_head, field};
pub use dot::{dot, edge_label, quoted};
pub use jbinstrace::{
    BLOCKS, JBINSTRACE_COUNTED, JBINSTRACE_END, JBINSTRACE_START, METHODS, MethodCounts, Numbered, TooMany,
    jbinstrace, jbinstrace_counted, jbinstrace_method,
};
pub use json::{json, json_end, json_method, json_start};
pub use names::{called, method_name, name_of, ranges};
pub use text::text;
pub use xml::attribute;

#[cfg(test)]
mod tests;
