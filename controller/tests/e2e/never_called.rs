//! Many methods of one pattern, of which few are called: those are measured.

use crate::case::Case;
use crate::harness;
use crate::running::Running;
use std::fmt::Write;
use std::fs;

const CLASSES: usize = 10;
const METHODS: usize = 12;

/// The called methods, each in another place of its class.
fn called() -> impl Iterator<Item = (usize, usize)> {
    (1..CLASSES).map(|class| (class, class * 7 % METHODS))
}

/// A program whose classes have many methods and which calls few of them, again and again.
fn source() -> String {
    let mut text =
        "public final class Many {\n    private static volatile long seen;\n\n    private Many() {}\n\n"
            .to_owned();
    for class in 0..CLASSES {
        writeln!(text, "    static final class Part{class} {{").unwrap();
        for method in 0..METHODS {
            writeln!(
                text,
                "        static long m{method}(long value) {{ return value * {method} + {class}; }}"
            )
            .unwrap();
        }
        text.push_str("    }\n\n");
    }
    text.push_str("    public static void main(String[] args) {\n        Life life = Life.start(args);\n");
    text.push_str("        while (life.wantsRound()) {\n            long sum = 0;\n");
    for (class, method) in called() {
        writeln!(text, "            sum = Part{class}.m{method}(sum);").unwrap();
    }
    text.push_str("            seen = sum;\n            life.check(Long.toString(sum));\n        }\n        life.end();\n    }\n}\n");
    text
}

#[test]
fn methods_that_are_never_called_hold_no_place() {
    let case = Case::measuring(&["Many$Part*#*"])
        .endless()
        .set("scheduler", "profile", "production")
        .set("scheduler", "initial-optimal-measurements", "2")
        .set("scheduler", "changes-per-minute", "none")
        .set("sampling", "settle-time", "0")
        .set("controller", "measurements-to-flush", "1");
    fs::write(case.path("Many.java"), source()).unwrap();
    let life = harness::root().join("tests-java/Life.java");
    harness::javac([case.path("Many.java"), life], ["-cp".as_ref(), &case.path("")], &case.path(""));
    let mut spl = case.spl();
    spl.arg(harness::java()).args(["-cp", ".", "Many"]);
    let mut run = Running::start(spl, &case.path(""));
    run.awaits_agent();
    // Two places, and nine methods that are called all the time and never finished.
    let methods: Vec<String> =
        called().map(|(class, method)| format!("Many$Part{class}.m{method}(J)J")).collect();
    for method in &methods {
        case.awaits_measurements(method, 1);
    }
    run.ends();
    let with_samples = (0..CLASSES)
        .flat_map(|class| (0..METHODS).map(move |method| format!("Many$Part{class}.m{method}(J)J")))
        .filter(|method| !case.measurements(method).is_empty());
    assert_eq!(with_samples.collect::<Vec<_>>(), methods);
}
