//! Metrics over time: the counts of each interval of a drill, through the same sums as those of the whole.

use crate::drill::{Interval, Profile};
use spl_analysis::{Choice, Collect, Collected, Series, Span, Values};
use spl_classfile::class::ClassFile;
use spl_classfile::mutf8;
use spl_export::{Activations, Allocations, Class, Counts, MethodCounts, Sites};
use spl_model::OfCalls;
use spl_profile::{Arcs, CountedClass, MethodProfile, Threads, allocations};
use std::collections::{BTreeMap, BTreeSet};

/// Why a count of an interval is not exact.
const UNDER_WAY: &str = "calls were under way when the interval began or ended (or exceptions ended calls): each may be off by a part of a call";

/// Metrics of the intervals of a drill, of which the `whole` is known.
///
/// # Errors
/// When class files and counters do not belong together; one line of text.
pub fn of(profile: &Profile, whole: &Collected, choice: &Choice) -> Result<Series, String> {
    let Some(taken) = &profile.series else { return Ok(Series::default()) };
    let mut intervals = Intervals::of(profile);
    let mut series = Series { every: taken.every.clone(), joined: taken.joined, ..Series::default() };
    for interval in &taken.intervals {
        let collected = intervals.collect(interval, whole)?;
        let Interval { from_ms, to_ms, is_last, .. } = *interval;
        series.add(Span { from_ms, to_ms, is_last }, &Values::of(&profile.command, &collected, choice));
    }
    Ok(series)
}

struct Intervals<'p> {
    profile: &'p Profile,
    arcs: Arcs,
    /// Places of methods, as class and method, by their first counters.
    methods: BTreeMap<u32, (usize, usize)>,
    /// Activations of each method that had begun, and had not returned, when the last interval ended.
    open: BTreeMap<String, i64>,
}

/// The methods of a class that counted in an interval.
struct Active<'c> {
    class: &'c CountedClass,
    methods: Vec<MethodProfile<'c>>,
}

impl<'p> Intervals<'p> {
    fn of(profile: &'p Profile) -> Self {
        let methods = profile.classes.iter().enumerate().flat_map(|(at, class)| {
            let counting = class.methods.iter().enumerate().filter(|(_, one)| one.counters.is_ok());
            counting.map(move |(place, one)| (one.first, (at, place)))
        });
        let of_calls = profile.what.of_calls().unwrap_or(OfCalls::Receivers);
        Self {
            profile,
            arcs: Arcs::of(of_calls, &profile.classes, &[], &profile.receivers),
            methods: methods.collect(),
            open: BTreeMap::new(),
        }
    }

    /// The sums of an interval. It has to follow the last one.
    fn collect(&mut self, interval: &Interval, whole: &Collected) -> Result<Collected, String> {
        let classes = self.active(interval);
        // Without a length nothing would be known of threads.
        let mut threads = self.profile.threads.clone();
        threads.resize(threads.len().max(1), Threads::default());
        for (place, one) in threads.iter_mut().enumerate() {
            // Threads that are not told apart may have begun in any interval.
            let least = interval.threads.get(&(place as u32)).copied().unwrap_or(0).into();
            *one = Threads { least, most: one.most.saturating_sub(one.least).saturating_add(least) };
        }
        self.arcs.count(interval.arcs.iter().map(|(arc, calls)| (*arc, *calls)), threads);
        let value = |counter: u32| interval.values.get(&counter).copied().unwrap_or(0);
        let (mut sites, mut activations) = (Sites::default(), BTreeMap::new());
        let mut made = Allocations::default();
        let (mut all, mut unsure) = (Vec::new(), BTreeSet::new());
        for class in &classes {
            let mut methods = Vec::new();
            let taken = self.arcs.each_profile(class, value, |one, calls| {
                let name = one.name();
                sites.add(&name, &calls);
                made.add(&name, &allocations(class, &one, value, &self.profile.sizes));
                let left = one.counts.left;
                let open = self.open.entry(name.clone()).or_default();
                let was_open = std::mem::replace(open, open.wrapping_add(left)) != 0;
                if was_open || *open != 0 || one.is_uneven() {
                    unsure.insert(name.clone());
                }
                let of_name: &mut Activations = activations.entry(name).or_default();
                of_name.calls = of_name.calls.saturating_add(one.calls);
                of_name.unreturned = of_name.unreturned.saturating_add(u64::try_from(left).unwrap_or(0));
                methods.push(one);
            });
            // A class whose counters do not fit its bytes is not among the tables either.
            if taken.is_ok() {
                all.push(Active { class, methods });
            }
        }
        let mut collect = Collect::of_part(whole, Some(sites), Some(made), activations);
        for active in all {
            active.add(&mut collect, &unsure)?;
        }
        Ok(collect.finish())
    }

    /// The classes that counted in an interval, each with the methods that did.
    fn active(&self, interval: &Interval) -> Vec<CountedClass> {
        let mut found: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for number in interval.values.keys() {
            let Some((_, (class, method))) = self.methods.range(..=number).next_back() else { continue };
            found.entry(*class).or_default().insert(*method);
        }
        let part = |(class, methods): (usize, BTreeSet<usize>)| {
            let class = self.profile.classes.get(class)?;
            let methods = methods.into_iter().filter_map(|place| class.methods.get(place).cloned());
            Some(CountedClass {
                name: class.name.clone(),
                bytes: class.bytes.clone(),
                from_start: class.from_start,
                methods: methods.collect(),
            })
        };
        found.into_iter().filter_map(part).collect()
    }
}

impl Active<'_> {
    /// Adds its counts; those of methods that are not sure have a doubt.
    fn add(self, collect: &mut Collect, unsure: &BTreeSet<String>) -> Result<(), String> {
        let unreadable = |why: &dyn std::fmt::Display| format!("{}: {why}", self.class.name);
        let file = ClassFile::read(&self.class.bytes).map_err(|why| unreadable(&why))?;
        let named: BTreeMap<_, _> = file
            .methods
            .iter()
            .map(|one| ((mutf8::decode(one.name), mutf8::decode(one.descriptor)), one))
            .collect();
        let mut methods = Vec::new();
        for one in self.methods {
            let key = (mutf8::decode(one.graph.name), mutf8::decode(one.graph.descriptor));
            let Some(method) = named.get(&key) else { continue };
            let doubt = if unsure.contains(&one.name()) { UNDER_WAY.to_owned() } else { String::new() };
            let counts = Counts::of(&one);
            methods.push(MethodCounts { method, graph: one.graph, counts, doubt });
        }
        let listed = spl_export::CountedClass {
            name: self.class.name.clone(),
            sha256: String::new(),
            bytes: self.class.bytes.len() as u64,
            methods: methods.len(),
        };
        collect.add(Class { counted: &listed, file: &file, methods }).map_err(|fault| fault.to_string())
    }
}
