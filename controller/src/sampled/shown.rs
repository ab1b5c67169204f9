//! The events of a JVM, for the terminal.

use crate::heard::{Gathered, interval};
use crate::numbers::counted;
use spl_analysis::Lifetimes;
use spl_model::{JVM_ITSELF, one_line};
use spl_wire::EventPlace;

/// Places and classes that are shown.
const SHOWN: usize = 10;
/// Least share of a lifetime that is shown, by the upper end of its interval.
const LEAST_SHOWN: f64 = 0.01;

/// Totals, the places with most waiting, and the classes with most bytes.
pub fn lines(gathered: &Gathered, interval_bytes: f64) -> Vec<String> {
    let counts = gathered.last();
    let seconds = counts.at_ns.saturating_sub(gathered.begun_ns.unwrap_or(counts.at_ns)) as f64 / 1e9;
    let rate = |count: f64| if seconds > 0.0 { count / seconds } else { 0.0 };
    let mut lines = vec![
        format!("{seconds:.1} s were heard"),
        format!(
            "waits for monitors: {} ({:.1} a second), {:.3} s in all, at most {} for one monitor at once",
            counts.waits,
            rate(counts.waits as f64),
            counts.waited_ns as f64 / 1e9,
            counted(counts.most_waiting.into(), "thread", "threads")
        ),
        format!("threads: {} started, at most {} at once", counts.started, counts.most_live),
        format!("collections: {}, {:.3} s in all", counts.collections, counts.stopped_ns as f64 / 1e9),
    ];
    if counts.memory_looks > 0 {
        let mean = counts.used_bytes / u128::from(counts.memory_looks);
        lines.push(format!(
            "used after collections: {} on average, at most {} (sampled)",
            size(mean as f64),
            size(counts.most_used_bytes as f64)
        ));
    }
    let has_samples = !gathered.without.iter().any(|one| one.starts_with("sampled allocations"));
    if has_samples {
        let bounds = match interval(&counts, counts.bytes, counts.variance, interval_bytes) {
            Some([least, most]) => format!("{} to {} (sampled, 95%)", size(rate(least)), size(rate(most))),
            None => "by samples, of an unknown error: the first sample of a thread comes late, and many threads began".to_owned(),
        };
        lines.push(format!(
            "allocated: {} a second, {bounds}, of {}",
            size(rate(counts.bytes as f64)),
            counted(counts.samples, "sample", "samples")
        ));
    }
    if let Some(lifetimes) = &gathered.lifetimes {
        lines.extend(lives(lifetimes));
    }
    let mut places: Vec<_> = gathered.places.values().filter(|(_, of)| of.waits > 0).collect();
    places.sort_by_key(|(place, of)| (std::cmp::Reverse((of.waited_ns, of.waits)), place.number));
    lines.extend((!places.is_empty()).then(|| "places with most waiting:".to_owned()));
    for (place, of) in places.iter().take(SHOWN) {
        lines.push(format!(
            "  {:>10.3} ms {:>9}  {}",
            of.waited_ns as f64 / 1e6,
            counted(of.waits, "wait", "waits"),
            name(place)
        ));
    }
    let mut classes: Vec<_> = gathered.classes.iter().collect();
    classes.sort_by_key(|(number, (_, of))| (std::cmp::Reverse(of.bytes), **number));
    lines.extend((!classes.is_empty()).then(|| "classes with most allocated bytes (sampled):".to_owned()));
    for (_, (class, of)) in classes.iter().take(SHOWN) {
        let bounds = interval(&counts, of.bytes, of.variance, interval_bytes);
        let bounds = bounds.map(|[least, most]| format!(" ({} to {})", size(least), size(most)));
        let bytes = size(of.bytes as f64);
        lines.push(format!("  {bytes:>10}{}  {}", bounds.unwrap_or_default(), one_line(class)));
    }
    lines
}

/// Lifetimes of objects, in a line.
fn lives(lifetimes: &Lifetimes) -> Option<String> {
    let (shares, outlived) = lifetimes.shares();
    let mut parts: Vec<String> = shares
        .iter()
        .filter(|one| one.interval[1] >= LEAST_SHOWN)
        .map(|one| {
            let [least, most] = one.interval.map(|bound| 100.0 * bound);
            let after = if one.bin.low == 1 { "collection" } else { "collections" };
            format!("{:.1}% after {} {after} ({least:.1} to {most:.1})", 100.0 * one.share, one.bin.text())
        })
        .collect();
    if !shares.is_empty() && outlived > 0.0 {
        parts.push(format!("{:.1}% outlived all", 100.0 * outlived));
    }
    let [followed, _] = lifetimes.followed();
    let intervals = counted(followed, "interval between samples", "intervals between samples");
    (!parts.is_empty())
        .then(|| format!("allocated bytes are gone: {} (sampled, 95%, of {intervals})", parts.join(", ")))
}

/// A place in words.
fn name(place: &EventPlace) -> String {
    if place.class.is_empty() {
        return "a method that the JVM does not tell".to_owned();
    }
    if place.class == JVM_ITSELF {
        return "no method: the JVM itself, as at the end of a thread that another one joins".to_owned();
    }
    let method = format!("{}.{}{}", place.class.replace('/', "."), place.method, place.descriptor);
    let at = if place.lock > 0 { format!(", synchronized block {}", place.lock) } else { String::new() };
    one_line(&format!("{method}{at}"))
}

/// Bytes with a unit.
fn size(bytes: f64) -> String {
    let units = [(1e9, "GB"), (1e6, "MB"), (1e3, "KB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes / unit),
        None => format!("{bytes:.0} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spl_wire::{EventCounts, Events, OfPlace};

    #[test]
    fn the_place_with_most_waiting_comes_first() {
        let mut gathered = Gathered::default();
        gathered.take(Events::Begun { at_ns: 0, live: 1, without: Vec::new() }).unwrap();
        let place = |number: u32, method: &str| EventPlace {
            number,
            class: "p/A".to_owned(),
            method: method.to_owned(),
            descriptor: "()V".to_owned(),
            lock: number,
        };
        gathered.take(Events::Places { places: vec![place(0, "f"), place(1, "g")] }).unwrap();
        let of = |number, waited_ns| OfPlace { number, waits: 1, waited_ns };
        gathered
            .take(Events::Of { places: vec![of(0, 5_000_000), of(1, 6_000_000)], classes: Vec::new() })
            .unwrap();
        let counts = EventCounts { at_ns: 2_000_000_000, waits: 2, ..EventCounts::default() };
        gathered.take(Events::Counts(Box::new(counts))).unwrap();
        let lines = lines(&gathered, 1000.0);
        assert_eq!(lines[0], "2.0 s were heard");
        assert!(lines[1].contains("2 (1.0 a second)"), "{lines:?}");
        let at = lines.iter().position(|line| line.starts_with("places")).unwrap();
        assert_eq!(lines[at + 1], "       6.000 ms    1 wait  p.A.g()V, synchronized block 1");
        assert_eq!(lines[at + 2], "       5.000 ms    1 wait  p.A.f()V");
    }
}
