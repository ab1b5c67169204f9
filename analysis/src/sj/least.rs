//! The least specification for chosen metrics.

use super::interest::Interest;
use crate::choice::Choice;
use crate::metric::{Metric, Need};

/// An event with the fields that something is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its name.
    pub event: &'static str,
    /// Whether its order matters, so that its number alone is not enough.
    pub is_recorded: bool,
    /// Its fields.
    pub fields: &'static [&'static str],
}

const fn counted(event: &'static str, fields: &'static [&'static str]) -> Wanted {
    Wanted { event, is_recorded: false, fields }
}

const fn recorded(event: &'static str, fields: &'static [&'static str]) -> Wanted {
    Wanted { event, is_recorded: true, fields }
}

/// The events that have a fact.
#[must_use]
pub fn wanted(need: Need) -> &'static [Wanted] {
    const BLOCKS: &[Wanted] =
        &[counted("Block", &["method_id", "block"]), counted("Branch", &["method_id", "site", "way"])];
    const FILES: &[Wanted] = &[counted("ClassLoadHook", &["class_data"])];
    const LOADS: &[Wanted] = &[counted("ClassLoad", &["class_id", "class_name", "methods"])];
    const ARCS: &[Wanted] = &[counted("Call", &["method_id", "site", "callee_id", "receiver_class"])];
    const SIZES: &[Wanted] = &[counted("ObjectAlloc", &["class_id", "is_array", "size"])];
    const HEAP: &[Wanted] =
        &[recorded("ObjectAlloc", &["obj_id", "size"]), recorded("ObjectFree", &["obj_id"])];
    const COLLECTIONS: &[Wanted] = &[recorded("GCFinish", &["used_object_space"])];
    const CONTENTION: &[Wanted] = &[
        recorded("MonitorContendedEnter", &["env_id", "object"]),
        recorded("MonitorContendedEntered", &["env_id", "object"]),
    ];
    const THREADS: &[Wanted] = &[recorded("ThreadStart", &["thread_id"]), recorded("ThreadEnd", &["env_id"])];
    match need {
        Need::Blocks => BLOCKS,
        Need::Files => FILES,
        Need::Loads => LOADS,
        Need::Arcs => ARCS,
        Need::Sizes => SIZES,
        Need::Heap | Need::Lifetimes => HEAP,
        Need::Collections => COLLECTIONS,
        Need::Contention => CONTENTION,
        Need::Threads => THREADS,
    }
}

/// The least specification for those of the enabled metrics that can be computed of a drill.
#[must_use]
pub fn least(choice: &Choice) -> Interest {
    let metrics = choice.enabled().map(|(metric, _)| metric);
    let mut least = Interest::default();
    for metric in metrics.filter(|metric| metric.is_of_drill()) {
        add(&mut least, metric);
    }
    least
}

/// Adds what a metric needs.
fn add(interest: &mut Interest, metric: &Metric) {
    for Wanted { event, is_recorded, fields } in metric.needs.iter().flat_map(|need| wanted(*need)) {
        interest.want(event, *is_recorded, fields);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{EVENTS, Event, expand, parse, plan};
    use super::*;
    use crate::metrics;

    fn of(metric: &Metric) -> Interest {
        let mut interest = Interest::default();
        add(&mut interest, metric);
        interest
    }

    #[test]
    fn each_need_names_events_and_fields_that_there_are() {
        for need in Need::ALL {
            assert!(!wanted(need).is_empty());
            for Wanted { event, fields, .. } in wanted(need) {
                let known = EVENTS[Event::number(event).unwrap()];
                fields.iter().for_each(|name| {
                    assert!(known.all_fields().any(|field| field.name == *name), "{event} {name}")
                });
            }
        }
    }

    /// The drill of the specification is the one that the table of metrics names, and it has all of the specification.
    #[test]
    fn the_least_specification_of_each_metric_makes_the_drill_that_it_needs() {
        for metric in metrics::all().filter(|metric| metric.is_of_drill()) {
            let text = of(metric).to_string();
            let expansion = expand(&text, &parse(&text).unwrap()).unwrap();
            let plan = plan(&text, &expansion).unwrap();
            let needed = metric.needs.iter().filter_map(|need| need.drill());
            let needed = needed.max_by_key(|kind| *kind == "receivers");
            assert_eq!((Some(plan.kind.name()), &plan.warnings[..]), (needed, &[][..]), "{text}");
        }
    }

    #[test]
    fn nothing_can_be_taken_from_the_least_specification() {
        for patterns in [&["*"][..], &["size"], &["polymorphism"], &["M3"], &["M8", "M1"], &["M5"]] {
            let enable: Vec<String> = patterns.iter().map(|&one| one.to_owned()).collect();
            let choice = Choice::new(&enable, &["*".to_owned()], &[]).unwrap();
            let least = least(&choice);
            let metrics: Vec<&Metric> =
                choice.enabled().map(|(metric, _)| metric).filter(|metric| metric.is_of_drill()).collect();
            let satisfied = |spec: &Interest| metrics.iter().all(|metric| spec.covers(&of(metric)));
            assert!(satisfied(&least));
            for (number, event) in least.events() {
                for field in 0..event.all_fields().count() {
                    let mut fewer = least.clone();
                    fewer.set(number, field, false);
                    assert!(fewer == least || !satisfied(&fewer), "{} {field}", event.name);
                }
            }
        }
    }
}
