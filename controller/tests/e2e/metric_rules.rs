//! One method for each rule of counting, computed by hand in `tests-java/Rules.java`.

use crate::drill::case;
use crate::harness;
use crate::metrics::Expected::{Is, Not};
use crate::metrics::{Patterns, Values, check, document, metrics, spaces, values};

const SPACES: [Patterns; 12] = [
    ("frames", &["Rules.Frames#a", "Rules.Frames#b", "Rules.Frames#c", "Rules.Frames#go"]),
    ("fibonacci", &["Rules.Fibonacci#of"]),
    ("choice", &["Rules.Choice#of"]),
    ("locked", &["Rules.Locked#go"]),
    ("bridge", &["Rules.Bridge#go", "Rules.Bridge#make"]),
    ("nest", &["Rules.Nest#own", "Rules.Nest.Mate#go"]),
    ("sites", &["Rules.Sites#go", "Rules.Four#getAsInt"]),
    ("parks", &["Rules.Parks#go"]),
    ("wide", &["RulesMade#wide"]),
    ("large", &["RulesMade#large"]),
    ("old", &["RulesMade#twice"]),
    ("never", &["Rules.Choice#new"]),
];

/// Metrics of each space but `old` with their values.
const EXPECTED: [Values; 11] = [
    (
        "frames",
        &[
            ("base.instructions.value", Is(16, 1)),
            ("base.methods.value", Is(4, 1)),
            ("size.load.value", Is(23, 1)),
            ("size.run.value", Is(16, 1)),
            ("size.deadCode.value", Is(7, 1)),
            ("size.codeCoverage.value", Is(1600, 23)),
            // 90% of 16 are 15.
            ("size.hot.value", Is(15, 1)),
        ],
    ),
    (
        "fibonacci",
        &[
            ("base.instructions.value", Is(234, 1)),
            ("base.methods.value", Is(25, 1)),
            ("size.run.value", Is(15, 1)),
            ("structure.controlDensity.value", Is(1, 15)),
            ("structure.changingControlDensity.value", Is(1, 15)),
            ("polymorphism.calls.value", Is(0, 1)),
        ],
    ),
    (
        "choice",
        &[
            ("base.instructions.value", Is(12, 1)),
            ("size.load.value", Is(10, 1)),
            ("size.run.value", Is(8, 1)),
            ("structure.controlDensity.value", Is(1, 8)),
            ("structure.changingControlDensity.value", Is(1, 8)),
        ],
    ),
    (
        // Locks of native methods do not count, as the definition says.
        "locked",
        &[
            ("base.instructions.value", Is(36, 1)),
            ("base.methods.value", Is(1, 1)),
            ("base.nativeMethods.value", Is(3, 1)),
            ("concurrency.lockDensity.value", Is(0, 1)),
        ],
    ),
    (
        "bridge",
        &[
            ("base.instructions.value", Is(11, 1)),
            ("base.methods.value", Is(3, 1)),
            ("polymorphism.calls.value", Is(2, 1)),
            ("polymorphism.callSites.value", Is(2, 1)),
            ("polymorphism.receiverArity.bin[1]", Is(1, 1)),
            ("polymorphism.receiverCacheMissRate.value", Is(1, 1)),
        ],
    ),
    (
        "nest",
        &[
            ("base.instructions.value", Is(12, 1)),
            ("base.methods.value", Is(3, 1)),
            ("polymorphism.calls.value", Is(2, 1)),
            ("polymorphism.targetArity.bin[1]", Is(1, 1)),
            ("polymorphism.targetCacheMissRate.value", Is(1, 1)),
        ],
    ),
    (
        // Three classes of receivers, two of which do not count: those of lambdas.
        "sites",
        &[
            ("base.instructions.value", Is(11, 1)),
            ("polymorphism.calls.value", Is(3, 1)),
            ("polymorphism.callSites.value", Is(1, 1)),
            ("polymorphism.receiverArity.bin[3]", Is(1, 1)),
            ("polymorphism.receiverCacheMissRate.value", Is(1, 1)),
        ],
    ),
    (
        "parks",
        &[
            ("base.instructions.value", Is(12_180, 1)),
            ("base.methods.value", Is(20, 1)),
            ("polymorphism.calls.value", Is(1000, 1)),
        ],
    ),
    (
        "wide",
        &[
            ("base.instructions.value", Is(51, 1)),
            ("size.load.value", Is(13, 1)),
            ("size.run.value", Is(13, 1)),
            ("structure.controlDensity.value", Is(1, 13)),
        ],
    ),
    (
        // 90% of 6,004 are 5,404, each instruction has 2.
        "large",
        &[
            ("base.instructions.value", Is(6004, 1)),
            ("base.methods.value", Is(2, 1)),
            ("size.run.value", Is(3002, 1)),
            ("size.hot.value", Is(2702, 1)),
        ],
    ),
    (
        "never",
        &[
            ("base.instructions.value", Is(0, 1)),
            ("size.codeCoverage.value", Is(0, 1)),
            ("data.arrayDensity.value", Not("0/0")),
        ],
    ),
];

#[test]
fn each_rule_of_counting_has_the_values_computed_by_hand() {
    let case = case();
    let spaces = spaces(&SPACES);
    let spaces: Vec<&str> = spaces.iter().map(String::as_str).collect();
    let library = harness::witness();
    let program = ["-Xcheck:jni", "Rules", library.to_str().unwrap()];
    let ended = metrics(&case, &[&["--quiet"], &spaces[..]].concat(), &program).ends_by_itself();
    ended.assert_status(0);
    assert_eq!(ended.out, "ready\nended\n");
    let values = values(&document(&case, "out"));
    check(&values, &EXPECTED);
    let old = &values["old"]["base.instructions.value"];
    assert!(old["exactness"] == "partial" && old["reasons"].to_string().contains("jsr and ret"), "{old}");
}

#[test]
fn a_class_of_two_loaders_counts_late_in_one_of_them_and_says_so() {
    let case = case();
    let options = ["--quiet", "--space", "twin=Rules.Twin#applyAsInt"];
    metrics(&case, &options, &["Rules$Twin"]).ends_by_itself().assert_status(0);
    let values = values(&document(&case, "out"));
    for (name, least, most) in
        [("base.instructions.value", 36, 63), ("base.methods.value", 1, 2), ("size.run.value", 15, 15)]
    {
        let value = &values["twin"][name];
        let range = value["least"].as_u64().unwrap()..=value["most"].as_u64().unwrap();
        assert!(least <= *range.start() && *range.end() <= most, "{name}: {value}");
        assert_eq!(value["exactness"], "partial", "{name}: {value}");
    }
}

#[test]
fn a_stack_overflow_keeps_to_its_bounds() {
    let case = case();
    let ended =
        metrics(&case, &["--quiet", "--what", "calls", "--space", "down=Rules.Down#go"], &["Rules$Down"])
            .ends_by_itself();
    ended.assert_status(0);
    let depth: u64 = ended.out.strip_prefix("depth ").unwrap().trim_end().parse().unwrap();
    let instructions = &values(&document(&case, "out"))["down"]["base.instructions.value"];
    let [least, most] = ["least", "most"].map(|key| instructions[key].as_u64().unwrap());
    assert!(least <= 5 * depth && 5 * depth <= most && most - least <= 20, "{depth}: {instructions}");
    // Partial if a count found no room on the stack.
    assert_ne!(instructions["exactness"], "exact");
}

#[test]
fn a_program_without_anything_has_no_densities() {
    let case = case();
    let options = ["--quiet", "--space", "never=Rules.Empty#never"];
    metrics(&case, &options, &["Rules$Empty"]).ends_by_itself().assert_status(0);
    let values = values(&document(&case, "out"));
    let app = &values["app"];
    assert_eq!(app["base.instructions.value"]["value"], 1, "main returns");
    assert_eq!(app["size.run.value"]["value"], 1);
    let mut none = 0;
    for (name, value) in &values["never"] {
        if name.starts_with("size.load") || name == "size.deadCode.value" || name == "base.classes.value" {
            continue;
        }
        // The JVM's, in each space.
        if ["M49", "M50", "M56", "M57", "M58", "M59", "M60"].contains(&value["id"].as_str().unwrap()) {
            continue;
        }
        assert!(value["least"].is_null() || value["least"].as_f64() == Some(0.0), "{name}: {value}");
        none += usize::from(value["least"].is_null());
        let is_share =
            name.ends_with("Density.value") || name.contains(".bin") || name.ends_with("percentile");
        assert!(!is_share || value["least"].is_null(), "{name} is a share of nothing: {value}");
    }
    assert!(none > 20, "{none} metrics have no value");
}

#[test]
fn an_endless_loop_is_seen_while_it_runs() {
    let case = case();
    let options = ["--for", "1s", "--space", "loop=Rules.Endless#go"];
    let mut run = metrics(&case, &options, &["Rules$Endless"]);
    run.awaits("the drill is over, the program goes on");
    run.line();
    let ended = run.ends_by_itself();
    ended.assert_status(0);
    let rounds: u64 =
        ended.out.lines().find_map(|line| line.strip_prefix("rounds ")).unwrap().parse().unwrap();
    let values = values(&document(&case, "out"));
    let instructions = &values["loop"]["base.instructions.value"];
    let [least, most] = ["least", "most"].map(|key| instructions[key].as_u64().unwrap());
    assert!(0 < least && least <= most && least <= 7 * rounds + 6, "{rounds}: {instructions}");
    assert_ne!(instructions["exactness"], "exact", "{instructions}");
    assert_eq!(values["loop"]["base.methods.value"]["least"], 1);
}
