//! Totals of counted events.

use super::interest::Interest;
use crate::amount::Bounds;
use crate::collect::Collected;
use crate::group::Group;
use crate::tally::Tally;

/// The number of each counted event in all counted methods. An event that the drill does not count has none.
#[must_use]
pub fn totals(interest: &Interest, collected: &Collected) -> Vec<(&'static str, Bounds)> {
    let whole = collected.spaces.iter().find(|(space, _)| space.name == "whole").map(|(_, tally)| tally);
    let counted = interest.events().filter(|(number, _)| interest.is_counted(*number));
    let total = |name| Some((name, total(name, whole?)?));
    counted.filter_map(|(_, event)| total(event.name)).collect()
}

fn total(event: &str, tally: &Tally) -> Option<Bounds> {
    Some(match event {
        "ClassLoad" | "ClassLoadHook" => Bounds::exact(tally.classes),
        "MethodEntry" | "MethodEntry2" => Bounds::exact(tally.entries),
        "MethodExit" => Bounds::new(tally.entries.saturating_sub(tally.unreturned), tally.entries),
        "Block" => Bounds::exact(tally.blocks),
        "InstructionStart" => tally.executed,
        "Call" => tally.calls,
        "Branch" => tally.of(Group::Control).without(tally.of(Group::Chosen)),
        "ObjectAlloc" => Bounds::new(
            tally.objects.least,
            if tally.nested_arrays.most == 0 { tally.objects.most } else { u64::MAX },
        ),
        "MonitorEnter" => tally.of(Group::Monitor),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{EVENTS, Told};
    use super::*;

    #[test]
    fn each_event_that_a_drill_counts_has_a_total() {
        for event in EVENTS {
            let is_counted = !matches!(event.counted, Told::No(_));
            assert_eq!(total(event.name, &Tally::default()).is_some(), is_counted, "{}", event.name);
        }
    }
}
