//! The events of a JVM, gathered from the messages of its agent.

use crate::numbers::counted;
use spl_analysis::{Heard, InHeap, Lifetimes, MOST_HEAP_CLASSES, RUNNABLE, Waits};
use spl_model::one_line;
use spl_stats::thinned;
use spl_wire::{EventCounts, EventPlace, Events, HeapClass, OfClass, OfPlace};
use std::collections::BTreeMap;

/// The file of the JVM's events in the folder of a drill.
pub const EVENTS: &str = "events.json";
/// Most places and classes that are believed; the agent has fewer.
const MOST_NAMES: usize = 4096;
/// Most seconds that are kept: a week.
const MOST_REPORTS: usize = 7 * 24 * 3600;

/// The 95% interval of bytes that samples stand for; `None` where threads that began are more than a twentieth of the samples. A thread's first
/// sample comes after one whole interval, so objects of short threads are seen less often, or never.
pub fn interval(counts: &EventCounts, bytes: u64, variance: u128, interval_bytes: f64) -> Option<[f64; 2]> {
    let is_known = counts.started.saturating_mul(20) <= counts.samples;
    is_known.then(|| thinned(bytes as f64, variance as f64, interval_bytes))
}

/// The events of a JVM so far.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// Begin, in nanoseconds of the JVM's clock; `None` before it.
    pub begun_ns: Option<u64>,
    /// Events that cannot be heard, with the reasons.
    pub without: Vec<String>,
    /// Why nothing is heard.
    pub refused: Option<String>,
    /// Places by their numbers.
    pub places: BTreeMap<u32, (EventPlace, OfPlace)>,
    /// Classes by their numbers.
    pub classes: BTreeMap<u32, (String, OfClass)>,
    /// The counts at each report.
    pub reports: Vec<EventCounts>,
    /// Whether there were more reports than are kept.
    pub has_forgotten: bool,
    /// Lifetimes of sampled objects at the last report.
    pub lifetimes: Option<Lifetimes>,
    /// Classes of the heap so far.
    heap: Vec<InHeap>,
    /// Objects in the heap, and nanoseconds for which the program stood still, once the heap was looked at; or why it could not be.
    pub walked: Option<Result<(u64, u64), String>>,
}

impl Gathered {
    /// Takes a message in.
    ///
    /// # Errors
    /// When the agent contradicts itself; one line of text.
    pub fn take(&mut self, events: Events) -> Result<(), String> {
        match events {
            Events::Begun { at_ns, without, .. } => {
                self.begun_ns = Some(at_ns);
                self.without = without.iter().map(|one| one_line(one)).collect();
            }
            Events::Refused { why } => self.refused = Some(one_line(&why)),
            Events::Places { places } => {
                for place in places {
                    self.places.insert(place.number, (place, OfPlace::default()));
                }
            }
            Events::Classes { classes } => {
                for (number, name) in classes {
                    self.classes.insert(number, (name, OfClass::default()));
                }
            }
            Events::Of { places, classes } => {
                for of in places {
                    let known = self.places.get_mut(&of.number);
                    known.ok_or("the agent counted waits at a place that it did not name")?.1 = of;
                }
                for of in classes {
                    let known = self.classes.get_mut(&of.number);
                    known.ok_or("the agent counted objects of a class that it did not name")?.1 = of;
                }
            }
            Events::Lifetimes(of) => {
                let spl_wire::Lifetimes { gone, gone_at_least, there, unfollowed } = *of;
                self.lifetimes = Some(Lifetimes { gone, gone_at_least, there, unfollowed });
                if !self.lifetimes.as_ref().is_some_and(Lifetimes::is_possible) {
                    return Err("the agent told lifetimes of objects that cannot be".to_owned());
                }
            }
            Events::Heap { classes } => {
                let one = |of: HeapClass| InHeap {
                    class: one_line(&of.name),
                    objects: of.objects,
                    places: of.places,
                };
                self.heap.extend(classes.into_iter().map(one));
                if self.heap.len() > MOST_HEAP_CLASSES {
                    return Err(format!("the agent named more than {MOST_HEAP_CLASSES} classes of the heap"));
                }
            }
            Events::Walked { objects, stopped_ns, why } => {
                self.walked = Some(why.map_or(Ok((objects, stopped_ns)), |why| Err(one_line(&why))));
            }
            Events::Counts(counts) if self.reports.len() < MOST_REPORTS => self.reports.push(*counts),
            Events::Counts(counts) => {
                self.has_forgotten = true;
                self.reports.pop();
                self.reports.push(*counts);
            }
        }
        if self.places.len().max(self.classes.len()) > MOST_NAMES {
            return Err(format!("the agent named more than {MOST_NAMES} places or classes"));
        }
        Ok(())
    }

    /// The last counts.
    pub fn last(&self) -> EventCounts {
        self.reports.last().copied().unwrap_or_default()
    }

    /// As metrics need it; `None` where nothing was heard. `is_late` says that the JVM ran already.
    pub fn heard(&self, is_late: bool) -> Option<Heard> {
        self.begun_ns?;
        let counts = self.last();
        let missing = |what: &str| {
            let found = self.without.iter().filter(|one| one.starts_with(what));
            found.map(|one| format!("not heard: {one}")).collect::<Vec<_>>()
        };
        let late = is_late.then(|| "what came before the begin was not heard".to_owned());
        let silent = self.reports.is_empty().then(|| "the JVM ended before it told anything".to_owned());
        let doubts: Vec<String> = late.into_iter().chain(silent).collect();
        let has_monitors = missing("waits for monitors").is_empty() && missing("Contended").is_empty();
        let place = |(place, of): &(EventPlace, OfPlace)| Waits {
            class: one_line(&place.class),
            method: one_line(&place.method),
            descriptor: one_line(&place.descriptor),
            lock: place.lock,
            waits: of.waits,
            waited_ns: of.waited_ns,
        };
        let mut runnable = [0; RUNNABLE];
        runnable.iter_mut().zip(counts.runnable).for_each(|(to, looks)| *to = looks);
        let mean = counts.used_bytes.checked_div(counts.memory_looks.into()).unwrap_or(0);
        Some(Heard {
            monitors: has_monitors.then(|| doubts.clone()),
            threads: [missing("Thread"), missing("threads"), doubts].concat(),
            places: self.places.values().map(place).collect(),
            waits: counts.waits,
            waited_ns: counts.waited_ns,
            most_waiting: counts.most_waiting.into(),
            unfollowed: counts.unfollowed,
            started: counts.started,
            most_live: counts.most_live.into(),
            collections: counts.collections,
            memory_looks: counts.memory_looks,
            used_bytes: [u64::try_from(mean).unwrap_or(u64::MAX), counts.most_used_bytes],
            runnable,
            runs: counts.runs,
            most_runnable: counts.most_runnable.into(),
            lifetimes: self.lifetimes.clone(),
            without_lifetimes: [missing("sampled allocations"), missing("lifetimes of objects")].concat(),
            heap: matches!(self.walked, Some(Ok(_))).then(|| self.heap.clone()),
            without_heap: self.unwalked(),
            ..Heard::new()
        })
    }

    /// Why the heap could not be looked at.
    fn unwalked(&self) -> Option<String> {
        let why = self.walked.as_ref()?.as_ref().err()?;
        Some(format!("the heap could not be looked at: {why}"))
    }

    /// The cost of the look at the heap, as a line.
    pub fn walk(&self) -> Option<String> {
        let (objects, stopped_ns) = *self.walked.as_ref()?.as_ref().ok()?;
        Some(format!(
            "the program stood still for {:.0} ms, while {} of the heap were looked at",
            stopped_ns as f64 / 1e6,
            counted(objects, "object", "objects")
        ))
    }

    /// Lines about what is missing.
    pub fn lacks(&self) -> Vec<String> {
        let counts = self.last();
        let mut lines: Vec<String> =
            self.without.iter().map(|without| format!("not heard: {without}")).collect();
        if let Some(why) = &self.refused {
            lines.push(format!("the JVM's events are not heard: {why}"));
        }
        lines.extend(self.unwalked());
        if counts.placeless > 0 {
            lines.push(format!(
                "the JVM did not tell the place of {}, or there was no room for more places: they count without one",
                counted(counts.placeless, "wait", "waits")
            ));
        }
        if counts.unfollowed > 0 {
            lines.push(format!(
                "{} came while too many threads waited: their time does not count, and more threads may have waited for one monitor",
                counted(counts.unfollowed, "wait", "waits")
            ));
        }
        if counts.classless > 0 {
            lines.push(format!(
                "{} had no class in the table of the agent: they count without one",
                counted(counts.classless, "sampled object", "sampled objects")
            ));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(number: u32) -> EventPlace {
        let text = str::to_owned;
        EventPlace { number, class: text("p/A"), method: text("f"), descriptor: text("()V"), lock: 1 }
    }

    #[test]
    fn counts_have_names_that_came_before() {
        let mut gathered = Gathered::default();
        assert_eq!(gathered.heard(false), None, "nothing was heard");
        gathered.take(Events::Begun { at_ns: 1, live: 1, without: Vec::new() }).unwrap();
        gathered.take(Events::Places { places: vec![place(3)] }).unwrap();
        let of = OfPlace { number: 3, waits: 2, waited_ns: 9 };
        gathered.take(Events::Of { places: vec![of], classes: Vec::new() }).unwrap();
        let counts = EventCounts { waits: 2, used_bytes: 7, memory_looks: 2, ..EventCounts::default() };
        gathered.take(Events::Counts(Box::new(counts))).unwrap();
        let heard = gathered.heard(false).unwrap();
        assert_eq!((heard.waits, heard.places.len(), heard.used_bytes[0]), (2, 1, 3));
        assert_eq!(heard.monitors, Some(Vec::new()));
        let unnamed = Events::Of { places: vec![OfPlace::default()], classes: Vec::new() };
        assert!(gathered.take(unnamed).unwrap_err().contains("did not name"));
        let many = (0..=MOST_NAMES as u32).map(place).collect();
        assert!(gathered.take(Events::Places { places: many }).unwrap_err().contains("more than"));
    }

    #[test]
    fn what_is_not_heard_is_said() {
        let mut gathered = Gathered::default();
        let without = vec!["waits for monitors: NOT_AVAILABLE".to_owned()];
        gathered.take(Events::Begun { at_ns: 1, live: 1, without }).unwrap();
        let heard = gathered.heard(true).unwrap();
        assert_eq!((heard.monitors, heard.threads.len()), (None, 2), "late, and without a report");
        assert_eq!(gathered.lacks(), ["not heard: waits for monitors: NOT_AVAILABLE"]);
    }
}
