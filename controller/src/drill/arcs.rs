//! The tables of what calls entered.

use super::collected::Profile;
use spl_model::DrillKind;
use spl_profile::{ARCS_HEAD, Arcs, RECEIVERS_HEAD, profile, tables};

/// The tables of arcs and of receivers, in this order. Classes whose counters do not fit their bytes are left out.
pub fn of(drilled: &Profile) -> [String; 2] {
    let value = |counter: u32| drilled.values.get(counter as usize).copied().unwrap_or(0);
    let counts: Vec<_> = drilled.arcs.counts.iter().map(|(arc, calls)| (*arc, *calls)).collect();
    let known = Arcs::of(&drilled.classes, &counts, &drilled.receivers);
    let (mut arcs, mut receivers) = (ARCS_HEAD.to_owned(), RECEIVERS_HEAD.to_owned());
    for class in &drilled.classes {
        let _ = profile(DrillKind::Calls, class, value, |one| {
            let name = one.name();
            let is_it = |member: &str, descriptor: &str| {
                name.strip_prefix(&class.name)
                    .and_then(|rest| rest.strip_prefix('.'))
                    .and_then(|rest| rest.strip_prefix(member))
                    == Some(descriptor)
            };
            let counted = class.methods.iter().find(|method| is_it(&method.name, &method.descriptor));
            let calls = counted.and_then(|counted| known.of_method(&one, counted, value).ok());
            let (more_arcs, more_receivers) = tables(&name, &calls.unwrap_or_default());
            arcs.push_str(&more_arcs);
            receivers.push_str(&more_receivers);
        });
    }
    [arcs, receivers]
}
