//! The tables of arcs of the call graph, and of receivers.

use super::collected::Profile;
use super::counters;
use spl_profile::{ARCS_HEAD, Arcs, Called, RECEIVERS_HEAD, tables};

/// Arcs of a drill, or of a root in it, with the names that the drill has for their numbers.
pub fn named(drilled: &Profile, arcs: &counters::Arcs) -> Arcs {
    let counts: Vec<_> = arcs.counts.iter().map(|(arc, calls)| (*arc, *calls)).collect();
    Arcs::of(&drilled.classes, &counts, &drilled.receivers)
}

/// The tables of arcs and of receivers, in this order; `each` gets the calls of each method. Classes whose counters do not fit their bytes are left out.
pub fn of(drilled: &Profile, mut each: impl FnMut(&str, &[Called])) -> [String; 2] {
    let value = |counter: u32| drilled.values.get(counter as usize).copied().unwrap_or(0);
    let known = named(drilled, &drilled.arcs).with_threads(drilled.threads.clone());
    let (mut arcs, mut receivers) = (ARCS_HEAD.to_owned(), RECEIVERS_HEAD.to_owned());
    for class in &drilled.classes {
        let _ = known.each_method(class, value, |method, calls| {
            let (more_arcs, more_receivers) = tables(&method, &calls);
            arcs.push_str(&more_arcs);
            receivers.push_str(&more_receivers);
            each(&method, &calls);
        });
    }
    [arcs, receivers]
}
