//! The results of a drill: counters or flags and the class files that they belong to, to counts of methods,
//! blocks and edges, and to tables of them. Where flags tell what was run, each count is 0 or 1.
//!
//! The agent sends numbers only. The graph of a method is computed here by the function that told the agent
//! where counters go, from the same bytes.
#![forbid(unsafe_code)]

mod allocations;
mod arcs;
mod causes;
mod class;
mod csv;
mod durations;
mod fault;
mod growth;
mod hierarchy;
mod method;
mod paths;
mod rates;
mod reach;
mod receivers;
mod sizes;
mod work;

pub use allocations::{ALLOCATIONS_HEAD, Allocated, MadeSizes, ObjectSizes, allocations, allocations_lines};
pub use arcs::{Answer, Arcs, Called, Threads, What, tables};
pub use causes::{Cause, Compared, Extra, ExtraKind};
pub use class::{CountedClass, CountedMethod};
pub use csv::{
    ARCS_HEAD, BLOCKS_HEAD, CALLS_HEAD, EDGES_HEAD, METHODS_HEAD, MOST_IN_TABLE, PATHS_HEAD, RECEIVERS_HEAD,
    blocks_head,
};
pub use durations::{Durations, ProbeCost, TIMES_HEAD, durations};
pub use fault::Fault;
pub use growth::{Figure, Growth, Halves};
pub use method::{Bytecodes, MethodProfile};
pub use paths::{PathRan, PathsRan, begin_text, end_text};
pub use rates::{Busiest, EventKind, Events, Hottest, Rates, Site};
pub use reach::{Reach, Reached, chosen, member};
pub use sizes::{Power, Sizes};
pub use work::{CallGraph, Known, Part, Work};

use spl_classfile::class::ClassFile;
use spl_classfile::mutf8;
use spl_graph::Counters;
use spl_model::DrillKind;
use std::collections::HashMap;
use std::ops::Range;

/// Calls `each` with the profile of every method of a class that counted or set flags. `value` gives the value of a
/// counter, or of a flag, by its number.
///
/// # Errors
/// When class file and counters do not belong together.
pub fn profile<'a>(
    what: DrillKind,
    class: &'a CountedClass,
    value: impl Fn(u32) -> u64,
    mut each: impl FnMut(MethodProfile<'a>),
) -> Result<(), Fault> {
    let unreadable = |why: String| Fault::Unreadable { class: class.name.clone(), why };
    let file = ClassFile::read(&class.bytes).map_err(|refusal| unreadable(refusal.to_string()))?;
    let mut named = HashMap::new();
    for method in &file.methods {
        named.entry((mutf8::decode(method.name), mutf8::decode(method.descriptor))).or_insert(method);
    }
    for counted in &class.methods {
        let Ok(counters) = counted.counters else { continue };
        let key = (counted.name.clone(), counted.descriptor.clone());
        let method = named.get(&key).ok_or_else(|| unreadable(format!("it has no {}{}", key.0, key.1)))?;
        let graph = spl_graph::Graph::of(&file, method).map_err(|why| unreadable(why.to_string()))?;
        let values: Vec<u64> =
            (0..counters).map(|place| value(counted.first.saturating_add(place))).collect();
        each(MethodProfile::new(what, class.from_start, graph, &values)?);
    }
    Ok(())
}

/// For each method of a class that counts, its place among the class's methods and the numbers of its counters. With calls there are
/// further numbers behind them, whose words are not counts.
///
/// # Errors
/// When class file and counters do not belong together.
pub fn counting(what: DrillKind, class: &CountedClass) -> Result<Vec<(usize, Range<u64>)>, Fault> {
    let all = class.methods.iter().enumerate().filter(|(_, method)| method.counters.is_ok());
    let all = all.map(|(place, method)| (place, u64::from(method.first)..method.end()));
    if !matches!(what, DrillKind::Calls(_)) {
        return Ok(all.collect());
    }
    let mut lengths = Vec::new();
    profile(what, class, |_| 0, |method| lengths.push(Counters::of(&method.graph).places().len() as u64))?;
    Ok(all.zip(lengths).map(|((place, all), length)| (place, all.start..all.start + length)).collect())
}

#[cfg(test)]
mod tests;
