//! Choice of the method that is measured next, and of the method that is suspended (thesis 1.5.2, 1.5.3,
//! 3.2.5).

use crate::MethodIx;
use crate::claims::Claims;
use crate::roster::Roster;
use crate::standing::Standing;
use crate::tally::Tallies;
use std::cmp::Reverse;

/// The method whose measurement should start: of the class with the highest priority, the method with most
/// undecided comparisons, then with fewest remaining samples, then the first in the task file.
pub(crate) fn to_measure(roster: &Roster, tallies: &Tallies, claims: &Claims) -> Option<MethodIx> {
    // Every method has the same limit: the most samples counted are the fewest remaining.
    of(roster, roster.next_class())
        .filter(|(_, method)| method.status.waits())
        .max_by_key(|&(index, _)| (claims.open_count(index), tallies.counted(index), Reverse(index)))
        .map(|(index, _)| index)
}

/// The measured method that should be suspended: the one with the shortest time between its last two
/// measurement ends, the longest-measured among equals. A method without two ends is chosen only if no method
/// has two.
pub(crate) fn to_suspend(roster: &Roster) -> Option<MethodIx> {
    of(roster, roster.active_methods())
        .min_by_key(|(_, method)| {
            let gap = method.last_gap_ns();
            (gap.is_none(), gap, method.turn)
        })
        .map(|(index, _)| index)
}

fn of<'a>(
    roster: &'a Roster,
    methods: impl IntoIterator<Item = &'a MethodIx>,
) -> impl Iterator<Item = (MethodIx, &'a Standing)> {
    methods.into_iter().filter_map(|&index| Some((index, roster.get(index)?)))
}
