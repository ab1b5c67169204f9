//! Graphs of methods whose graph was derived by hand, and what holds for each graph.

mod by_hand;
mod counting;
mod exceptions;
mod hostile;
mod invariants;
mod jdk;
mod listed;
mod paths;
mod random;
mod refused;
mod segmenting;
mod shapes;
