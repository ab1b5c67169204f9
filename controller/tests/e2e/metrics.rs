//! `spl metrics` and `spl analyse`: the dynamic metrics of methods for which they were computed by hand.

use crate::case::{Case, java};
use crate::drill::{case, drill};
use crate::harness;
use crate::running::Running;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

/// The methods of each space: `go` and what it calls.
const SPACES: [Patterns; 11] = [
    ("g1", &["Metrics.G1#go", "Metrics.P#f", "Metrics.Q#f"]),
    ("g2", &["Metrics.G2#go", "Metrics.G2#m"]),
    ("g3", &["Metrics.G3#go"]),
    ("g4", &["Metrics.G4#go"]),
    ("g5", &["Metrics.G5#go", "Metrics.G5#a", "Metrics.G5#b", "Metrics.G5#c", "Metrics.Told#new"]),
    ("g6", &["Metrics.G6#go"]),
    ("g7", &["Metrics.G7#go"]),
    ("g8", &["Metrics.G8#go", "Metrics.Ten#f", "Metrics.Six#f"]),
    ("g9", &["Metrics.G9#go", "Metrics.G9#own", "Metrics.Shape#twice"]),
    ("g10", &["Metrics.G10#go"]),
    ("never", &["Metrics.G10#never"]),
];

/// Metrics of each space with their values, as fractions.
const EXPECTED: [Values; 11] = [
    (
        "g1",
        &[
            ("base.instructions.value", Is(85, 1)),
            ("base.methods.value", Is(6, 1)),
            ("size.load.value", Is(23, 1)),
            ("size.run.value", Is(23, 1)),
            ("size.hot.value", Is(15, 1)),
            ("size.hot.percentile", Is(1500, 23)),
            ("size.hotMethods.value", Is(2, 1)),
            ("size.hotMethods.percentile", Is(200, 3)),
            ("size.deadCode.value", Is(0, 1)),
            ("data.arrayDensity.value", Is(11_000, 85)),
            ("data.refArrayDensity.value", Is(5000, 85)),
            ("structure.controlDensity.value", Is(2, 23)),
            ("structure.changingControlDensity.value", Is(2, 23)),
            ("structure.changingControlRate.value", Not("order of branches")),
            ("polymorphism.calls.value", Is(5, 1)),
            ("polymorphism.callSites.value", Is(1, 1)),
            ("polymorphism.invokeDensity.value", Is(5000, 85)),
            ("polymorphism.receiverArity.bin[1]", Is(0, 1)),
            ("polymorphism.receiverArity.bin[3]", Is(1, 1)),
            ("polymorphism.targetArity.bin[2]", Is(1, 1)),
            ("polymorphism.targetArityCalls.bin[2]", Is(1, 1)),
            ("polymorphism.receiverPolyDensity.value", Is(1, 1)),
            ("polymorphism.receiverCacheMissRate.value", Is(4, 5)),
            ("polymorphism.targetCacheMissRate.value", Between(2, 3, 5)),
        ],
    ),
    (
        "g2",
        &[
            ("base.instructions.value", Is(48, 1)),
            ("concurrency.lockDensity.value", Is(125, 1)),
            ("concurrency.lock.percentile", Is(100, 1)),
            ("polymorphism.receiverCacheMissRate.value", Not("0/0")),
        ],
    ),
    (
        // One of the eight instructions of the block that the exception left can throw.
        "g3",
        &[
            ("base.instructions.value", Is(35, 1)),
            ("data.numArrayDensity.value", Is(4000, 35)),
            ("data.charArrayDensity.value", Is(0, 1)),
            ("structure.controlDensity.value", Is(0, 1)),
        ],
    ),
    (
        "g4",
        &[
            ("base.instructions.value", Is(70, 1)),
            ("data.floatDensity.value", Is(9000, 70)),
            ("data.arrayDensity.value", Is(100, 1)),
            ("pointer.fieldAccessDensity.value", Is(9000, 70)),
            ("pointer.refFieldAccessDensity.value", Is(3000, 70)),
            ("pointer.nonrefFieldAccessDensity.value", Is(6000, 70)),
            ("base.objects.value", Is(4, 1)),
            ("memory.objectAllocationDensity.value", Is(4000, 70)),
            // With the usual headers an array of four references has 32 bytes, and the others have 16, 24 and 24.
            ("base.bytes.value", Is(96, 1)),
            ("memory.byteAllocationDensity.value", Is(96_000, 70)),
            ("memory.byteAllocationDensity.continuous", Is(96_000, 70)),
            ("memory.averageObjectSize.value", Is(24, 1)),
            ("memory.objectSize.bin[0]", Is(1, 4)),
            ("memory.objectSize.bin[17]", Is(2, 4)),
            ("memory.objectSize.bin[25]", Is(1, 4)),
            ("memory.objectSize.bin[401]", Is(0, 1)),
            ("memory.allocationSites.percentile", Is(100, 1)),
        ],
    ),
    (
        // Which instruction threw, receivers do not tell.
        "g5",
        &[
            ("base.instructions.value", Is(13, 1)),
            ("base.methods.value", Is(5, 1)),
            ("base.objects.value", Is(1, 1)),
            ("size.run.value", Is(13, 1)),
            ("size.load.value", Is(17, 1)),
            ("size.deadCode.value", Is(4, 1)),
        ],
    ),
    (
        "g6",
        &[
            ("base.instructions.value", Is(52, 1)),
            ("size.run.value", Is(18, 1)),
            ("structure.controlDensity.value", Is(2, 18)),
            ("structure.changingControlDensity.value", Is(2, 18)),
        ],
    ),
    (
        "g7",
        &[
            ("base.instructions.value", Is(5, 1)),
            // One array of two references, and two of three numbers.
            ("base.objects.value", Is(3, 1)),
            ("base.bytes.value", Is(88, 1)),
            ("data.arrayDensity.value", Is(400, 1)),
        ],
    ),
    (
        // Ten calls with one class in each of two threads: neither sees the other's class.
        "g8",
        &[
            ("polymorphism.calls.value", Is(20, 1)),
            ("polymorphism.receiverArity.bin[2]", Is(1, 1)),
            ("polymorphism.receiverCacheMissRate.value", Is(2, 20)),
            ("polymorphism.targetCacheMissRate.value", Is(2, 20)),
        ],
    ),
    (
        "g9",
        &[
            ("base.methods.value", Is(6, 1)),
            ("polymorphism.calls.value", Is(5, 1)),
            ("polymorphism.callSites.value", Is(3, 1)),
            ("polymorphism.receiverArity.bin[1]", Is(1, 1)),
            ("polymorphism.receiverCacheMissRate.value", Is(3, 5)),
        ],
    ),
    (
        // The receivers are of a hidden class, whose methods do not count.
        "g10",
        &[
            ("polymorphism.calls.value", Is(4, 1)),
            ("polymorphism.indyCalls.value", Is(1, 1)),
            ("polymorphism.receiverArity.bin[1]", Is(1, 1)),
            ("polymorphism.receiverCacheMissRate.value", Is(1, 4)),
        ],
    ),
    (
        "never",
        &[
            ("base.instructions.value", Is(0, 1)),
            ("size.load.value", Is(3, 1)),
            ("size.codeCoverage.value", Is(0, 1)),
            ("size.hot.percentile", Not("0/0")),
            ("data.arrayDensity.value", Not("0/0")),
            ("structure.blockSize.value", Not("0/0")),
            ("base.bytes.value", Is(0, 1)),
            ("memory.byteAllocationDensity.value", Not("0/0")),
            ("memory.averageObjectSize.value", Not("0/0")),
            ("memory.objectSize.bin[0]", Not("0/0")),
            ("memory.allocationSites.percentile", Not("0/0")),
        ],
    ),
];

use Expected::{Between, Is, Not};

/// The patterns of a space.
pub type Patterns = (&'static str, &'static [&'static str]);

/// Metrics of a space with their values.
pub type Values = (&'static str, &'static [(&'static str, Expected)]);

/// The expected value.
#[derive(Clone, Copy)]
pub enum Expected {
    /// Exact: numerator and denominator.
    Is(u32, u32),
    /// Two numerators and a denominator.
    Between(u32, u32, u32),
    /// No value, for this reason.
    Not(&'static str),
}

/// Options that name the spaces.
pub fn spaces(spaces: &[Patterns]) -> Vec<String> {
    let named =
        spaces.iter().flat_map(|(name, patterns)| patterns.iter().map(move |one| format!("{name}={one}")));
    named.flat_map(|space| ["--space".to_owned(), space]).collect()
}

/// Runs `spl metrics`.
pub fn metrics(case: &Case, options: &[&str], program: &[&str]) -> Running {
    let mut spl = case.spl_with(&[&["metrics"], options, &["--"]].concat());
    spl.args(java(program));
    Running::start(spl, &case.path(""))
}

/// Status, standard output and standard error of `spl analyse`.
pub fn analyse(case: &Case, arguments: &[&str]) -> (i32, String, String) {
    let output = case.spl_with(&[&["analyse"], arguments].concat()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The document of a finished drill in this folder.
pub fn document(case: &Case, folder: &str) -> Value {
    let document = fs::read(case.path(folder).join("drill/metrics.json")).unwrap();
    serde_json::from_slice(&document).unwrap()
}

/// The values of each space by `category.name.kind[key]`.
pub fn values(document: &Value) -> BTreeMap<String, BTreeMap<String, Value>> {
    let mut all: BTreeMap<String, BTreeMap<String, Value>> = BTreeMap::new();
    for space in document["spaces"].as_array().unwrap() {
        let of_space = all.entry(space["name"].as_str().unwrap().to_owned()).or_default();
        for value in space["values"].as_array().unwrap() {
            let text = |key: &str| value[key].as_str().unwrap().to_owned();
            let key = value.get("key").map_or_else(String::new, |key| format!("[{}]", key["low"]));
            let name = format!("{}.{}.{}{key}", text("category"), text("name"), text("kind"));
            assert!(of_space.insert(name, value.clone()).is_none());
        }
    }
    all
}

/// Asserts the values of spaces.
pub fn check(values: &BTreeMap<String, BTreeMap<String, Value>>, expected: &[Values]) {
    for (space, expected) in expected {
        for (name, expected) in *expected {
            let value = &values[*space][*name];
            let near = |key: &str, wanted: f64| {
                let found = value[key].as_f64();
                assert!(
                    found.is_some_and(|found| (found - wanted).abs() < 1e-9),
                    "{space} {name}: {value}, {wanted}"
                );
            };
            let wanted = match expected {
                Is(part, of) => {
                    near("value", f64::from(*part) / f64::from(*of));
                    "exact"
                }
                Between(least, most, of) => {
                    near("least", f64::from(*least) / f64::from(*of));
                    near("most", f64::from(*most) / f64::from(*of));
                    assert!(value["value"].is_null(), "{value}");
                    "bounded"
                }
                Not(why) => {
                    assert!(value["least"].is_null() && value["value"].is_null(), "{value}");
                    assert!(value["reasons"][0].as_str().unwrap().contains(why), "{value}");
                    "exact"
                }
            };
            assert_eq!(value["exactness"], wanted, "{space} {name}: {value}");
            assert!(wanted == "exact" || !value["reasons"].as_array().unwrap().is_empty(), "{value}");
        }
    }
}

#[test]
fn metrics_are_those_that_were_computed_by_hand() {
    let case = case();
    let spaces = spaces(&SPACES);
    let spaces: Vec<&str> = spaces.iter().map(String::as_str).collect();
    let ended = metrics(&case, &spaces, &["Metrics"]).ends_by_itself();
    ended.assert_status(0);
    assert_eq!(ended.out, "ready\nended\n");
    ended.assert_said(&[
        "polymorphism.receiverCacheMissRate.value: 0.8000",
        "2 metrics need the objects in the heap; `spl metrics --heap` has it",
    ]);
    let document = document(&case, "out");
    assert_eq!(document["command"], "Metrics");
    check(&values(&document), &EXPECTED);
    let app = &values(&document)["app"]["base.instructions.value"];
    assert!(app["exactness"] == "partial" && app["reasons"].to_string().contains("lambdas"), "{app}");

    // While the JDK counts, too, the program's values stay.
    let with_jdk = [&["--jdk", "--quiet", "--out", "jdk"], &spaces[..]].concat();
    metrics(&case, &with_jdk, &["Metrics"]).ends_by_itself().assert_status(0);
    let of_jdk = self::document(&case, "jdk");
    check(&values(&of_jdk), &EXPECTED);
    let lib = &values(&of_jdk)["lib"]["base.instructions.value"];
    assert!(lib["exactness"] == "partial" && lib["least"].as_u64() > Some(100_000), "{lib}");

    // The finished drill, analysed again with other options.
    let more =
        ["out", "--as", "json", "--set", "M25:variant=all", "--set", "data.arrayDensity:variant=access"];
    let more =
        [&more[..], &["--set", "concurrency.lockDensty:variant=bytecode", "--set", "M10:p=0.5"], &spaces[..]]
            .concat();
    let (status, _, said) = analyse(&case, &more);
    assert!(status == 2 && said.contains("did you mean concurrency.lockDensity?"), "{said}");
    let more: Vec<&str> = more
        .into_iter()
        .map(
            |one| if one == "concurrency.lockDensty:variant=bytecode" { "M52:variant=bytecode" } else { one },
        )
        .collect();
    let (status, out, said) = analyse(&case, &more);
    assert_eq!(status, 0, "{said}");
    let again = values(&serde_json::from_str(&out).unwrap());
    let of = |space: &str, name: &str| again[space][name]["value"].as_f64().unwrap();
    assert!((of("g4", "data.floatDensity.value") - 12_000.0 / 70.0).abs() < 1e-9);
    assert!((of("g4", "data.arrayDensity.value") - 3000.0 / 70.0).abs() < 1e-9);
    assert!((of("g2", "concurrency.lockDensity.value") - 62.5).abs() < 1e-9);
    // Half of 85 is 42.5: four instructions of six runs and four of five make 44.
    assert!((of("g1", "size.hot.value") - 8.0).abs() < 1e-9);
    assert_eq!(again["g4"]["data.floatDensity.value"]["variant"], "all");
}

#[test]
fn entered_methods_tell_the_same() {
    let case = case();
    let spaces = spaces(&SPACES);
    let spaces: Vec<&str> = spaces.iter().map(String::as_str).collect();
    let options = [&["--quiet", "--what", "calls"], &spaces[..]].concat();
    metrics(&case, &options, &["Metrics"]).ends_by_itself().assert_status(0);
    let found = values(&document(&case, "out"));
    // No counted method tells the receivers of a hidden class.
    const OTHER: Values = (
        "g10",
        &[
            ("polymorphism.receiverArity.bin[1]", Between(0, 1, 1)),
            ("polymorphism.receiverCacheMissRate.value", Between(1, 4, 4)),
        ],
    );
    check(&found, &[OTHER]);
    check(&found, &EXPECTED.into_iter().filter(|(space, _)| *space != OTHER.0).collect::<Vec<_>>());
}

#[test]
fn all_forms_have_the_same_values_and_keep_to_their_schemas() {
    let case = case();
    let spaces = spaces(&SPACES);
    let spaces: Vec<&str> = spaces.iter().map(String::as_str).collect();
    metrics(&case, &[&["--quiet"], &spaces[..]].concat(), &["Metrics"]).ends_by_itself().assert_status(0);
    let document = document(&case, "out");
    let values = values(&document);
    agrees_with_schema(&document);

    let mut table = csv::Reader::from_path(case.path("out/drill/metrics.csv")).unwrap();
    let rows: Vec<BTreeMap<String, String>> = table.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), values.values().map(BTreeMap::len).sum::<usize>());
    for row in &rows {
        let key = if row["key_low"].is_empty() { String::new() } else { format!("[{}]", row["key_low"]) };
        let value =
            &values[&row["space"]][&format!("{}.{}.{}{key}", row["category"], row["name"], row["kind"])];
        for column in ["value", "least", "most"] {
            assert_eq!(row[column].parse::<f64>().ok(), value[column].as_f64(), "{row:?}");
        }
        assert_eq!(value["exactness"], row["exactness"].as_str());
    }

    let schema = harness::root().join("docs/schema/metrics-1.xsd");
    let mut validator = Command::new(harness::of_java_home("java"));
    validator.arg(harness::root().join("graph/tests/java/Validate.java")).arg(schema);
    let xml = fs::read_to_string(case.path("out/drill/metrics.xml")).unwrap();
    fs::write(case.path("wrong.xml"), xml.replacen("type=\"long\"", "type=\"many\"", 1)).unwrap();
    let output =
        validator.arg(case.path("out/drill/metrics.xml")).arg(case.path("wrong.xml")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.starts_with("valid\n") && !said.ends_with("valid\n"), "{said}");
    // One element for each value; each exact one has it for its text.
    let elements = ["<value ", "<continuous ", "<percentile ", "<bin "]
        .map(|element| xml.matches(element).count())
        .iter()
        .sum::<usize>();
    assert_eq!(elements, rows.len());
    let exact = rows.iter().filter(|row| !row["value"].is_empty());
    exact.for_each(|row| assert!(xml.contains(&format!(">{}</", row["value"])), "{row:?}"));
}

/// The keys of a document are those of its schema.
pub fn agrees_with_schema(document: &Value) {
    fn agrees(value: &Value, schema: &Value, whole: &Value) {
        let schema = match schema["$ref"].as_str() {
            Some(place) => whole.pointer(place.trim_start_matches('#')).unwrap(),
            None => schema,
        };
        if let Some(object) = value.as_object() {
            let known = schema["properties"].as_object().unwrap();
            object.iter().for_each(|(key, one)| {
                agrees(one, known.get(key).unwrap_or_else(|| panic!("{key} is unknown")), whole)
            });
            let required = schema["required"].as_array().unwrap();
            required.iter().for_each(|key| {
                assert!(object.contains_key(key.as_str().unwrap()), "{key} is missing: {value}")
            });
        }
        value.as_array().into_iter().flatten().for_each(|one| agrees(one, &schema["items"], whole));
        if let (Some(choices), Some(text)) = (schema["enum"].as_array(), value.as_str()) {
            assert!(choices.iter().any(|one| one == text), "{text}");
        }
    }
    let schema = fs::read(harness::root().join("docs/schema/metrics-1.json")).unwrap();
    let schema = serde_json::from_slice(&schema).unwrap();
    agrees(document, &schema, &schema);
}

/// Metrics of the JVM's events that depend on which thread runs when, and not on counts of what ran.
const OF_TIMING: [&str; 8] = ["M49", "M50", "M53", "M55", "M57", "M58", "M59", "M60"];

#[test]
fn the_values_of_a_program_do_not_depend_on_its_jdk_or_compiler() {
    // Class files of the tests are the same on each JDK; here the compilers differ, and whether the JDK counts too.
    let all = [&["-Xint"][..], &["-XX:TieredStopAtLevel=1"], &["-Xmixed"]].map(|options| {
        let case = case();
        let program = [options, &["Metrics"]].concat();
        metrics(&case, &["--quiet", "--space", "some=Metrics**"], &program).ends_by_itself().assert_status(0);
        let mut some = values(&document(&case, "out")).remove("some").unwrap();
        some.retain(|_, value| !OF_TIMING.contains(&value["id"].as_str().unwrap()));
        some
    });
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0], all[2]);
}

#[test]
fn a_drill_of_blocks_has_no_calls_and_says_so() {
    let case = case();
    drill(&case, &["--all"], &["Metrics"]).ends_by_itself().assert_status(0);
    let (status, out, said) = analyse(&case, &["out"]);
    assert_eq!(status, 0, "{said}");
    assert!(out.contains("base.instructions.value") && !out.contains("polymorphism.calls"), "{out}");
    assert!(
        said.contains("spl drill --what receivers") && said.contains("polymorphism.calls.value"),
        "{said}"
    );
    let (_, tree, _) = analyse(&case, &["out", "--hierarchy"]);
    assert!(tree.contains("[calls.value] needs the receivers of calls"), "{tree}");
    let (status, out, said) = analyse(&case, &["out", "--disable", "*", "--enable", "M31"]);
    assert!(
        status == 2 && out.is_empty() && said.contains("no metric can be computed: 1 metric needs"),
        "{said}"
    );
}

#[test]
fn metrics_of_blocks_alone_are_those_of_calls() {
    let case = case();
    let spaces = spaces(&SPACES);
    let spaces: Vec<&str> = spaces.iter().map(String::as_str).collect();
    fs::write(
        case.path("m.tasks"),
        "metric(base.instructions, Metrics.G1#go) = 75\nmetric(polymorphism.calls, Metrics.G1#go) = 5\n",
    )
    .unwrap();
    let options = [&["--what", "blocks", "--every", "100ms", "--tasks", "m.tasks"], &spaces[..]].concat();
    let ended = metrics(&case, &options, &["Metrics"]).ends_by_itself();
    ended.assert_status(3);
    ended.assert_said(&["drill --what receivers", "2 claims: 1 holds, 1 undecided"]);
    let found = values(&document(&case, "out"));
    let mut left = BTreeSet::new();
    for (space, expected) in &EXPECTED[..4] {
        let (there, not): (Vec<_>, Vec<_>) =
            expected.iter().copied().partition(|(metric, _)| found[*space].contains_key(*metric));
        check(&found, &[(space, there.leak())]);
        left.extend(not.into_iter().map(|(metric, _)| metric));
    }
    let needs_calls = |metric: &&str| {
        ["polymorphism.", "structure.changing", "memory.", "base.bytes"]
            .iter()
            .any(|of| metric.starts_with(of))
    };
    assert!(left.len() > 5 && left.iter().all(needs_calls), "{left:?}");
}

#[test]
fn receivers_that_may_be_the_jdks_are_not_proved() {
    let case = case();
    let claim = "metric(polymorphism.receiverArity[3+], Wrapped#compare) = 0\n";
    fs::write(case.path("m.tasks"), claim).unwrap();
    let options = ["--what", "calls", "--space", "site=Wrapped#compare", "--tasks", "m.tasks"];
    let ended = metrics(&case, &options, &["Wrapped"]).ends_by_itself();
    assert_eq!(ended.out, "sum 0\n");
    assert!(ended.err.contains("1 place calls methods of classes that do not count"), "{}", ended.err);
    assert!(!ended.err.contains("(proved)") && ended.err.contains("partial counts"), "{}", ended.err);
    assert_eq!(values(&document(&case, "out"))["site"]["polymorphism.calls.value"]["exactness"], "exact");
    // The JDK's own classes are among the receivers if they count, or if the call counts its receivers itself.
    let with_jdk = ["--what", "calls", "--jdk", "--quiet", "--out", "jdk", "--space", "site=Wrapped#compare"];
    metrics(&case, &with_jdk, &["Wrapped"]).ends_by_itself().assert_status(0);
    let found = &values(&document(&case, "jdk"))["site"];
    assert_eq!(found["polymorphism.receiverArity.bin[3]"]["least"], 1.0, "{found:?}");
    let options = ["--out", "receivers", "--space", "site=Wrapped#compare", "--tasks", "m.tasks"];
    let ended = metrics(&case, &options, &["Wrapped"]).ends_by_itself();
    assert!(ended.err.contains("FAILS (refuted)") || ended.err.contains("FAILS, refuted"), "{}", ended.err);
    let found = &values(&document(&case, "receivers"))["site"];
    assert_eq!(found["polymorphism.receiverArity.bin[3]"]["value"], 1.0, "{found:?}");
    assert_eq!(found["polymorphism.receiverArity.bin[3]"]["exactness"], "exact", "{found:?}");
}

#[test]
fn what_cannot_be_analysed_is_told() {
    let case = case();
    let check = |arguments: &[&str], parts: &[&str]| {
        let (status, out, said) = analyse(&case, arguments);
        assert!(
            status == 2 && out.is_empty() && parts.iter().all(|part| said.contains(part)),
            "{arguments:?}: {said}"
        );
    };
    drill(&case, &["--what", "cover", "--all"], &["Metrics"]).ends_by_itself().assert_status(0);
    check(&["out"], &["drill.json", "coverage", "--what receivers"]);
    drill_again(&case, &["--what", "time", "--all", "--replace"]);
    check(&["out"], &["drill.json", "times of methods"]);
    drill_again(&case, &["--what", "receivers", "--all", "--replace", "--no-classes"]);
    fs::remove_file(case.path("out/drill/classes.zip")).ok();
    check(&["out"], &["classes.zip", "--no-classes"]);
    drill_again(&case, &["--what", "receivers", "--all", "--replace"]);
    check(&["out", "--space", "x=Metrics.Gee#go"], &["--space x", "typing error"]);
    check(&["out", "--space", "x"], &["NAME=PATTERN"]);
    check(&["out", "--library", "java.*,,"], &["--library", "starj"]);
    check(&["out", "--enable", "polymorfism"], &["did you mean polymorphism?"]);
    check(&["out", "--set", "size.hot:p=7"], &["such as 0.9"]);
    check(&["out", "--disable", "*"], &["--disable leaves none"]);
    check(&["nowhere"], &["nowhere"]);
    for (name, damage) in [
        ("receivers.csv", "method,at,changes,threads\nA.f()V,x,1,1\n"),
        ("arcs.csv", "method\n"),
        ("allocations.csv", "method\n"),
        ("methods.csv", ""),
    ] {
        let path = case.path("out/drill").join(name);
        let kept = fs::read(&path).unwrap();
        fs::write(&path, damage).unwrap();
        check(&["out"], &[name, "not as the drill wrote it", "drill again"]);
        fs::write(&path, kept).unwrap();
    }
    let (status, _, said) = analyse(&case, &["out", "--library", "starj"]);
    assert_eq!(status, 0, "{said}");
}

/// Drills the program once more.
fn drill_again(case: &Case, options: &[&str]) {
    let mut spl = case.spl_with(&[&["drill"], options, &["--"]].concat());
    spl.args(java(&["Metrics"]));
    Running::start(spl, &case.path("")).ends_by_itself().assert_status(0);
}

#[test]
fn questions_about_metrics_need_no_drill() {
    let case = case();
    let (status, out, _) = analyse(&case, &["--explain", "size.hot", "--explain", "M25"]);
    assert_eq!(status, 0);
    for part in [
        "size.hot.value (M10), count",
        "option p=0.9",
        "option variant=all",
        "needs counts of blocks, the class files: spl drill",
    ] {
        assert!(out.contains(part), "{out}");
    }
    let (_, out, _) = analyse(
        &case,
        &["--needs", "--disable", "*", "--enable", "size", "--enable", "M49", "--enable", "M29"],
    );
    assert!(
        out.starts_with("# What 12 metrics need: spl drill --spec FILE --all -- COMMAND\n")
            && out.contains(
                "\n# only `spl metrics --heap` has the objects in the heap, for pointer.pointsTo.bin\n"
            )
            && out.contains(
                "\n# only `spl metrics` has the memory used after collections, for memory.liveness.value\n"
            )
            && out.contains("\nevent Block {\n")
            && !out.contains("event Call {"),
        "{out}"
    );
    let (_, out, _) = analyse(&case, &["--needs", "polymorphism"]);
    assert!(out.contains("\nevent Call {\n    counted: yes;\n"), "{out}");
    let (status, out, said) = analyse(&case, &["--needs", "M29", "M49"]);
    assert!(
        status == 2
            && out.is_empty()
            && said.contains("only `spl metrics --heap` has the objects in the heap, for "),
        "{said}"
    );
    let (status, _, said) = analyse(&case, &["--needs", "polymorfism"]);
    assert!(status == 2 && said.contains("--needs polymorfism") && said.contains("polymorphism?"), "{said}");
    let (status, _, said) = analyse(&case, &["--needs", "M1", "--disable", "size"]);
    assert!(status == 2 && said.contains("behind --needs"), "{said}");
    let (status, out, _) = analyse(&case, &["--dep-graph", "needs.dot"]);
    let graph = fs::read_to_string(case.path("needs.dot")).unwrap();
    assert!(status == 0 && out.is_empty() && graph.contains("-> \"event Call\""), "{graph}");
    let (_, out, _) = analyse(&case, &["--hierarchy", "--disable", "data"]);
    assert!(
        out.contains("    [arrayDensity.value] disabled\n") && out.contains("    calls.value\n"),
        "{out}"
    );
    let (status, _, said) = analyse(&case, &[]);
    assert!(status == 2 && said.contains("DRILL_FOLDER"), "{said}");
}
