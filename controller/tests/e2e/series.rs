//! `spl metrics --every`: the values of intervals are those of the phases of a program, and together those of the whole.

use crate::drill::case;
use crate::harness;
use crate::metrics::{agrees_with_schema, metrics};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Milliseconds of each phase.
const PHASE: &str = "900";
const SPACES: [&str; 4] = ["--space", "plain=Phases#plain", "--space", "mixed=Phases#mixed"];

/// The points of a metric in a space, in the order of the intervals; `None` for 0/0.
type Points = BTreeMap<(String, String), Vec<Option<[f64; 2]>>>;

/// The table of a series, as points, and for each interval whether it is the last.
fn table(path: &Path) -> (Points, Vec<bool>) {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let (mut points, mut lasts, mut end) = (Points::new(), BTreeMap::new(), BTreeMap::new());
    for row in reader.deserialize::<BTreeMap<String, String>>().map(Result::unwrap) {
        let interval: usize = row["interval"].parse().unwrap();
        lasts.insert(interval, row["ended_by"] == "end");
        let [from, to] = ["from_ms", "to_ms"].map(|column| row[column].parse::<u64>().unwrap());
        assert!(from <= to, "{row:?}");
        end.insert(interval, to);
        assert_eq!(from, end.get(&(interval - 1)).copied().unwrap_or(0), "no time is missing: {row:?}");
        let bounds = ["least", "most"].map(|column| row[column].parse::<f64>().ok());
        let point = bounds[0].zip(bounds[1]).map(|(least, most)| [least, most]);
        assert_eq!(row["value"].is_empty(), point.is_none_or(|[least, most]| least != most), "{row:?}");
        let name = format!("{}.{}.{}", row["category"], row["name"], row["kind"]);
        let of_metric = points.entry((row["space"].clone(), name)).or_default();
        of_metric.push(point);
        assert_eq!(of_metric.len(), interval, "each interval has each metric: {row:?}");
    }
    (points, lasts.into_values().collect())
}

fn least(points: &[Option<[f64; 2]>]) -> Vec<f64> {
    points.iter().map(|point| point.map_or(0.0, |[least, _]| least)).collect()
}

/// The number behind a word of the program's output.
fn printed(out: &str, word: &str) -> f64 {
    let mut words = out.split_whitespace().skip_while(|one| *one != word);
    words.nth(1).unwrap().parse().unwrap()
}

#[test]
fn each_phase_has_its_own_metrics_and_all_intervals_make_the_whole() {
    let case = case();
    let options = [&["--every", "100ms"], &SPACES[..]].concat();
    let ended = metrics(&case, &options, &["Phases", PHASE]).ends_by_itself();
    ended.assert_status(0);
    ended.assert_said(&[
        "over time, ",
        "intervals of 100ms:",
        "mixed, over time:",
        "polymorphism.calls.value",
    ]);
    let (points, lasts) = table(&case.path("out/drill/series.csv"));
    let of = |space: &str, name: &str| &points[&(space.to_owned(), name.to_owned())];
    assert!(lasts.len() >= 6, "{}", lasts.len());
    assert_eq!(lasts.iter().filter(|last| **last).count(), 1);
    assert_eq!(lasts.last(), Some(&true), "the end of the program ended the last one");

    // The program has printed its calls.
    for space in ["plain", "mixed"] {
        let calls = least(of(space, "base.methods.value"));
        assert_eq!(calls.iter().sum::<f64>(), printed(&ended.out, space), "{space}: {calls:?}");
    }
    // A phase comes after the other.
    let [plain, mixed] = ["plain", "mixed"].map(|space| least(of(space, "base.methods.value")));
    let (last, first) = (
        plain.iter().rposition(|calls| *calls > 0.0).unwrap(),
        mixed.iter().position(|calls| *calls > 0.0).unwrap(),
    );
    assert!(last <= first, "{plain:?} {mixed:?}");
    // The JVM may take some time to end.
    let end = mixed.iter().rposition(|calls| *calls > 0.0).unwrap();
    assert!(first >= 3 && end - first >= 3, "{plain:?} {mixed:?}");
    for (name, of_mixed) in [
        ("polymorphism.calls.value", 1.0),
        ("base.objects.value", 1.0),
        ("memory.objectAllocationDensity.value", 50.0),
        ("polymorphism.receiverPolyDensity.value", 1.0),
    ] {
        let app = least(of("app", name));
        // Before the second phase nothing chooses, and nothing is made; 0/0 is read as 0 here.
        assert!(app[1..first].iter().all(|value| *value == 0.0), "{name}: {app:?}");
        let mixed = least(of("mixed", name));
        // The first and the last may have little of the phase.
        assert!(mixed[first + 1..end].iter().all(|value| *value >= of_mixed), "{name}: {mixed:?}");
    }
    // Three classes at one place in each interval, though the whole is not known yet.
    let document: Value =
        serde_json::from_slice(&fs::read(case.path("out/drill/metrics.json")).unwrap()).unwrap();
    agrees_with_schema(&document);
    let series = &document["series"];
    assert_eq!((series["every"].as_str(), series["joined"].as_u64()), (Some("100ms"), Some(1)));
    assert_eq!(series["intervals"].as_array().unwrap().len(), lasts.len());

    together_are_the_whole(&document, &points, lasts.len());
    // Cut calls are marked, with the reason.
    assert!(
        series["reasons"].to_string().contains("under way when the interval began"),
        "{}",
        series["reasons"]
    );
    let app = series["spaces"].as_array().unwrap().iter().find(|space| space["name"] == "app").unwrap();
    let instructions =
        app["metrics"].as_array().unwrap().iter().find(|one| one["name"] == "instructions").unwrap();
    let exactness = instructions["exactness"].as_array().unwrap();
    // Later intervals have the JVM's end, without `main`.
    let of_main = &exactness[..=end];
    assert!(of_main.iter().all(|one| one == "partial"), "`main` is under way all the time: {exactness:?}");
    valid_xml(&case.path("out/drill/metrics.xml"), lasts.len());
}

/// All intervals of `mixed` together are the whole, but for the calls that an instant cut.
fn together_are_the_whole(document: &Value, points: &Points, intervals: usize) {
    for name in ["base.instructions.value", "base.objects.value", "polymorphism.calls.value"] {
        let space =
            document["spaces"].as_array().unwrap().iter().find(|space| space["name"] == "mixed").unwrap();
        let whole = space["values"].as_array().unwrap().iter().find(|value| {
            format!("{}.{}.value", value["category"].as_str().unwrap(), value["name"].as_str().unwrap())
                == name
        });
        let whole = whole.unwrap()["value"].as_f64().unwrap();
        let all = points[&("mixed".to_owned(), name.to_owned())].iter().flatten();
        let [least, most] = all.fold([0.0, 0.0], |[low, high], [least, most]| [low + least, high + most]);
        let cut = 60.0 * intervals as f64;
        assert!(
            least <= whole + cut && whole - cut <= most && most - least <= cut,
            "{name}: {least} {whole} {most}"
        );
    }
}

fn valid_xml(path: &Path, intervals: usize) {
    let mut validator = Command::new(harness::of_java_home("java"));
    validator.arg(harness::root().join("graph/tests/java/Validate.java"));
    let output = validator.arg(harness::root().join("docs/schema/metrics-1.xsd")).arg(path).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "valid\n");
    let xml = fs::read_to_string(path).unwrap();
    assert_eq!(xml.matches("<interval ").count(), intervals);
    assert_eq!(xml.matches("<point ").count(), xml.matches("<continuous sample-space").count() * intervals);
}

#[test]
fn calls_of_a_method_end_an_interval() {
    let case = case();
    // The file has a warning and a claim that is left to another command.
    let tasks = "Phases.mixed()I <= 1 s\nmetric(size.codeCoverage, Phases#mixed) >= 0.6\n";
    fs::write(case.path("m.tasks"), tasks).unwrap();
    let quiet = ["--every", "1000:Phases#mixed", "--quiet", "--tasks", "m.tasks"];
    let options = [&quiet, &SPACES[..]].concat();
    let ended = metrics(&case, &options, &["Phases", PHASE]).ends_by_itself();
    ended.assert_status(0);
    assert_eq!(ended.spl(), "", "--quiet shows nothing, no warning either");
    let (points, lasts) = table(&case.path("out/drill/series.csv"));
    let of = |space: &str| least(&points[&(space.to_owned(), "base.methods.value".to_owned())]);
    let (plain, mixed) = (of("plain"), of("mixed"));
    let (_, but_the_last) = mixed.split_last().unwrap();
    assert!(!but_the_last.is_empty() && but_the_last.iter().all(|calls| *calls >= 1000.0), "{mixed:?}");
    assert_eq!(mixed.iter().sum::<f64>(), printed(&ended.out, "mixed"));
    // The first interval has all of the first phase: nothing ended it.
    assert_eq!(plain[0], printed(&ended.out, "plain"), "{plain:?}");
    assert_eq!(lasts.iter().filter(|last| **last).count(), 1);
}

#[test]
fn a_trigger_that_cannot_be_is_told_before_the_program_runs() {
    for (wrong, part) in [("5ms", "at least 100ms"), ("0:Phases#plain", "over 0"), ("soon", "as in 90s")] {
        let case = case();
        let ended = metrics(&case, &["--every", wrong], &["Phases", PHASE]).ends_by_itself();
        ended.assert_status(2);
        ended.assert_said(&[part]);
        assert!(ended.out.is_empty() && !case.path("out").exists(), "{}", ended.out);
    }
}
