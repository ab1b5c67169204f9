//! Which method is measured next, and which is suspended (thesis 1.5.2, 1.5.3, 3.2.5).

use crate::MethodIx;
use crate::claims::Claims;
use crate::roster::Roster;
use std::cmp::Reverse;

/// The method whose measurement should start: of the class with the highest priority, the method with most undecided
/// comparisons, then with fewest remaining samples, then the first in the task file.
///
/// The priority of a class is the number of its methods that wait, less the number of those that are measured or
/// finished. Equal classes go by the task file too.
pub(crate) fn to_measure(roster: &Roster, claims: &Claims) -> Option<MethodIx> {
    let mut priorities = vec![0_i64; roster.classes()];
    let mut candidates = vec![false; roster.classes()];
    for (_, method) in roster.iter() {
        let waits = method.status.waits();
        priorities[method.class] += if waits { 1 } else { -1 };
        candidates[method.class] |= waits;
    }
    let class = (0..priorities.len())
        .filter(|&class| candidates[class])
        .max_by_key(|&class| (priorities[class], Reverse(class)))?;
    // Every method has the same limit: the most samples counted are the fewest remaining.
    roster
        .iter()
        .filter(|(_, method)| method.class == class && method.status.waits())
        .max_by_key(|&(index, method)| (claims.open_count(index), method.counted, Reverse(index)))
        .map(|(index, _)| index)
}

/// The measured method that should be suspended: with the shortest time between its last two measurement ends, the
/// longest-measured among equals. One without two ends is chosen only if all are so.
pub(crate) fn to_suspend(roster: &Roster) -> Option<MethodIx> {
    roster
        .iter()
        .filter(|(_, method)| method.status.is_active())
        .min_by_key(|(_, method)| {
            let gap = method.last_gap_ns();
            (gap.is_none(), gap, method.turn)
        })
        .map(|(index, _)| index)
}
