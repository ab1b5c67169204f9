//! The tables of arcs of the call graph, of receivers, and of allocations.

use super::collected::Profile;
use super::counters;
use spl_model::OfCalls;
use spl_profile::{
    ALLOCATIONS_HEAD, ARCS_HEAD, Arcs, Called, RECEIVERS_HEAD, allocations, allocations_lines, tables,
};

/// Arcs of a drill, or of a root in it, with the names that the drill has for their numbers.
pub fn named(drilled: &Profile, arcs: &counters::Arcs) -> Arcs {
    let counts: Vec<_> = arcs.counts.iter().map(|(arc, calls)| (*arc, *calls)).collect();
    Arcs::of(
        drilled.what.of_calls().unwrap_or(OfCalls::Entered),
        &drilled.classes,
        &counts,
        &drilled.receivers,
    )
}

/// The tables of arcs, of receivers and of allocations, in this order; `each` gets the calls of each method. Classes whose counters do not fit their bytes are left out.
pub fn of(drilled: &Profile, mut each: impl FnMut(&str, &[Called])) -> [String; 3] {
    let value = |counter: u32| drilled.values.get(counter as usize).copied().unwrap_or(0);
    let known = named(drilled, &drilled.arcs).with_threads(drilled.threads.clone());
    let (mut arcs, mut receivers) = (ARCS_HEAD.to_owned(), RECEIVERS_HEAD.to_owned());
    let mut made = ALLOCATIONS_HEAD.to_owned();
    for class in &drilled.classes {
        let _ = known.each_profile(class, value, |one, calls| {
            let method = one.name();
            made.push_str(&allocations_lines(&method, &allocations(class, &one, value, &drilled.sizes)));
            let (more_arcs, more_receivers) = tables(&method, &calls);
            arcs.push_str(&more_arcs);
            receivers.push_str(&more_receivers);
            each(&method, &calls);
        });
    }
    [arcs, receivers, made]
}
