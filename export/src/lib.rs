//! The files of a finished drill, read back and given to other tools: XML of JaCoCo and of JBInsTrace, one table, and the call graph
//! in the forms of callgrind, speedscope, GraphML and Graphviz, and as text.
//!
//! The graph of a method is computed again from its class file, and its rows have to be those of that graph: counts never
//! reach code that they were not counted over. Damaged files give a [`Fault`], never a panic.
#![forbid(unsafe_code)]

mod allocations;
mod callgraph;
mod callgrind;
mod calls_dot;
mod calls_text;
mod csv;
mod document;
mod drill;
mod fault;
mod graphml;
mod icicles;
mod jacoco;
mod jbinstrace;
mod ran;
mod rows;
mod sites;
mod speedscope;
mod table;

pub use allocations::{ALLOCATIONS, Allocations};
pub use callgraph::{ARCS, CallGraph, Calls};
pub use callgrind::callgrind;
pub use calls_dot::calls_dot;
pub use calls_text::calls_text;
pub use csv::csv;
pub use document::{CountedClass, DOCUMENT, Document, Scope};
pub use drill::{CLASSES, Class, Counts, MethodCounts, archive_fault, each_class, no_classes};
pub use fault::Fault;
pub use graphml::graphml;
pub use icicles::{Icicle, Icicles, icicles};
pub use jacoco::Jacoco;
pub use jbinstrace::Jbinstrace;
pub use ran::{Ran, ran};
pub use rows::{BLOCKS, BlockCounts, EDGES, Files, METHODS, block_counts};
pub use sites::{Activations, Entered, RECEIVERS, Site, Sites, activations};
pub use speedscope::{Speedscope, speedscope};
pub use spl_profile::{MadeSizes, Threads};

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
