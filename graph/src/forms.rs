//! Graphs as text for people and for other programs. Each form is a function of the graph, so the same class file always gives the
//! same text.

mod csv;
mod dot;
mod jbinstrace;
mod json;
mod names;
mod text;

pub use csv::{csv, csv_head};
pub use dot::dot;
pub use jbinstrace::{
    BLOCKS, JBINSTRACE_END, JBINSTRACE_START, METHODS, Numbered, TooMany, jbinstrace, jbinstrace_method,
};
pub use json::{json, json_end, json_method, json_start};
pub use names::method_name;
pub use text::text;

#[cfg(test)]
mod tests;
