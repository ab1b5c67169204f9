//! The objects of the heap at the end of a drill: numbers that can be counted by hand.

use crate::drill::case;
use crate::metrics::{agrees_with_schema, analyse, metrics, values};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// Least numbers of the keys.
const KEYS: [u64; 5] = [0, 1, 2, 3, 8];
/// Classes of the program, each in a space of its own.
const CLASSES: [&str; 6] = ["Node", "Child", "Constants", "Lonely", "Never", "Waiter"];

/// The shares of a metric in a space, which have to be exact. A space without objects or places has zeros.
fn shares(values: &BTreeMap<String, BTreeMap<String, Value>>, space: &str, metric: &str) -> [f64; 5] {
    KEYS.map(|key| {
        let value = &values[space][&format!("pointer.{metric}.bin[{key}]")];
        if value["least"].is_null() {
            return 0.0;
        }
        assert_eq!(
            (&value["least"], value["exactness"].as_str()),
            (&value["most"], Some("exact")),
            "{space}"
        );
        value["least"].as_f64().unwrap()
    })
}

fn assert_near(found: [f64; 5], expected: [f64; 5], of: &str) {
    let is_near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-5);
    assert!(is_near, "{of}: {found:?}, expected {expected:?}");
}

#[test]
fn objects_and_places_of_a_heap_are_those_of_the_program() {
    let case = case();
    let spaces = CLASSES.map(|class| format!("{}=Heaps${class}#*", class.to_lowercase()));
    let mut options = vec!["--heap", "--disable", "*", "--enable", "M29", "--enable", "M30"];
    spaces.iter().for_each(|space| options.extend(["--space", space]));
    let modes: [&[&str]; 6] = [
        &[],
        &["-Xint"],
        &["-XX:+UseSerialGC"],
        &["-XX:+UseParallelGC"],
        &["-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC"],
        &["-XX:-UseCompressedOops"],
    ];
    for mode in modes {
        let command = [&["-XX:+IgnoreUnrecognizedVMOptions"], mode, &["Heaps"]].concat();
        let ended = metrics(&case, &[&options[..], &["--replace"]].concat(), &command).ends_by_itself();
        ended.assert_status(0);
        assert_eq!(ended.out, "true\n", "{mode:?}");
        ended.assert_said(&["the program stood still for ", " of the heap were looked at"]);
        let document: Value =
            serde_json::from_slice(&fs::read(case.path("out/drill/metrics.json")).unwrap()).unwrap();
        agrees_with_schema(&document);
        let values = values(&document);
        let check = |space: &str, metric: &str, parts: [f64; 5]| {
            let sum: f64 = parts.iter().sum::<f64>().max(1.0);
            let of = format!("{mode:?} {space} {metric}");
            assert_near(shares(&values, space, metric), parts.map(|part| part / sum), &of);
        };
        // One of an interface, three in an array, what all three refer to, and the array; the first and the common one have three references.
        check("node", "pointedBy", [0.0, 3.0, 1.0, 2.0, 0.0]);
        check("child", "pointedBy", [0.0, 0.0, 0.0, 1.0, 0.0]);
        check("lonely", "pointedBy", [1.0, 0.0, 0.0, 0.0, 0.0]);
        check("never", "pointedBy", [0.0; 5]);
        // `left` refers to two, `right` to one, the elements of the array to four.
        check("node", "pointsTo", [0.0, 1.0, 1.0, 1.0, 0.0]);
        check("child", "pointsTo", [1.0, 2.0, 0.0, 0.0, 0.0]);
        check("constants", "pointsTo", [1.0, 1.0, 0.0, 0.0, 0.0]);
        check("lonely", "pointsTo", [0.0; 5]);
        check("never", "pointsTo", [1.0, 0.0, 0.0, 0.0, 0.0]);
        check("waiter", "pointsTo", [0.0, 1.0, 0.0, 0.0, 0.0]);
        let lib = shares(&values, "whole", "pointedBy");
        assert!((lib.iter().sum::<f64>() - 1.0).abs() < 1e-4 && lib[1] > 0.2, "{mode:?} {lib:?}");
    }
    let (status, out, _) = analyse(&case, &["out", "--disable", "*", "--enable", "M30"]);
    assert!(status == 0 && out.contains("pointer.pointedBy.bin[3-7]"), "{out}");
    let path = case.path("out/drill/events.json");
    let mut events: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    events["heap"][0]["objects"] = vec![u64::MAX; 5].into();
    fs::write(&path, events.to_string()).unwrap();
    let (status, _, err) = analyse(&case, &["out"]);
    assert!(status == 2 && err.contains("its heap has too many"), "{err}");
}

/// The agent's last questions do without the heap: where an exception finds no room, a search for its class finds none either.
#[test]
fn a_full_heap_at_the_end_harms_nothing() {
    let case = case();
    for what in ["receivers", "blocks"] {
        let options = ["--heap", "--quiet", "--replace", "--what", what];
        let ended =
            metrics(&case, &options, &["-Xmx10m", "-Xss400k", "-XX:+UseG1GC", "FullHeap"]).ends_by_itself();
        assert!(!ended.err.contains("ended by signal"), "{}", ended.err);
        assert!(case.path("out/drill/methods.csv").exists());
    }
}

#[test]
fn a_claim_about_the_heap_is_proved_and_looks_at_it_also_while_the_program_goes_on() {
    let case = case();
    let claims =
        "metric(pointer.pointedBy[1], Heaps$Node) = 0.5\nmetric(pointer.pointsTo[1], Heaps$Node) >= 0.5\n";
    fs::write(case.path("m.tasks"), claims).unwrap();
    let only = ["--disable", "*", "--enable", "pointer", "--tasks", "m.tasks"];
    let ended = metrics(&case, &only, &["Heaps"]).ends_by_itself();
    ended.assert_status(1);
    ended.assert_said(&[
        "holds, proved        0.5  metric(pointer.pointedBy[1], Heaps$Node) = 0.5",
        "metric(pointer.pointsTo[1], Heaps$Node) >= 0.5: FAILS (refuted): exact counts; it is 0.333333",
    ]);

    let mut run = metrics(&case, &[&only[..], &["--replace", "--for", "1s"]].concat(), &["Heaps", "wait"]);
    run.awaits(" of the heap were looked at");
    run.line();
    let ended = run.ends();
    ended.assert_status(1);
    ended.assert_said(&["exact counts; it is 0.333333"]);

    // Nobody asks for it.
    let ended = metrics(&case, &["--replace"], &["Heaps"]).ends_by_itself();
    ended.assert_status(0);
    ended.assert_said(&[
        "2 metrics need the objects in the heap; `spl metrics --heap` has it: pointer.pointsTo.bin",
    ]);
}
