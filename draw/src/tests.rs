//! Graphs of many shapes keep the rules.

mod rules;
mod shapes;
mod text;
