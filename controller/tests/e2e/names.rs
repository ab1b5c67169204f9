//! Names that a class file may have and a programmer would not think of: measured, written and read back.

use crate::case::Case;
use crate::harness;
use crate::running::Running;
use spl_records::{Form, Reader, ResultRecord};
use std::fs;

/// A name of Java's, with letters beyond the first plane of Unicode.
const JAVA: (&str, &str) = ("Ünï$çødé", "日本$𝒳_");
/// Stand in the source for names that Java does not allow.
const SOURCE: (&str, &str) = ("Odd_00000000", "odd_name__");
/// As long, so that one can take the place of the other in a class file.
const ODD: (&str, &str) = ("-'`{}^\\?%~+@", "a-b'c@d$%^");

#[test]
fn unusual_names_are_measured_and_read_back() {
    let long = ("L".repeat(190), "m".repeat(500));
    let case = Case::comparing("").set("evaluator", "human-readable-results", "0");
    let classes = [JAVA, SOURCE, (&long.0, &long.1)];
    let class = |(class, method): &(&str, &str)| {
        format!(
            "final class {class} {{ static int {method}(int n) {{ int s = 0; for (int i = 0; i < n; i++) s += i * s + 1; return s; }} }}\n"
        )
    };
    let call = |(class, method): &(&str, &str)| format!("{class}.{method}(1000)");
    let calls = classes.iter().map(call).collect::<Vec<_>>().join(" + ");
    let main = format!(
        "public final class Names {{ public static void main(String[] args) {{ Life life = Life.start(args); \
         while (life.wantsRound()) {{ life.check(\"\" + ({calls})); }} life.end(); }} }}\n"
    );
    fs::write(case.path("Names.java"), classes.iter().map(class).collect::<String>() + &main).unwrap();
    let target = case.path("classes");
    fs::create_dir(&target).unwrap();
    let sources = harness::root().join("tests-java");
    harness::javac([case.path("Names.java")], ["-sourcepath".as_ref(), &sources], &target);
    let mut entries = Vec::new();
    for file in fs::read_dir(&target).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().replace(SOURCE.0, ODD.0);
        entries.push((name, odd(fs::read(&path).unwrap())));
    }
    // A JAR's names are UTF-8; those of files depend on the locale.
    harness::jar(&case.path("names.jar"), &entries);

    let methods = [JAVA, ODD, (&long.0, &long.1)].map(|(class, method)| format!("{class}.{method}(I)I"));
    let [a, b, c] = &methods;
    let sign = "<= (1, 1000)";
    let case = case.tasks(&format!("{a} {sign} {b}\n{b} {sign} {c}\n{c} {sign} {a}\n"));
    let jar = case.path("names.jar").into_os_string();
    let mut run = case.start([harness::java().into(), "-cp".into(), jar, "Names".into(), "0".into()]);
    run.awaits("spl: every class is as it was");
    run.ends().assert_status(0);
    for method in &methods {
        let records = case.measurements(method);
        assert!(records.len() >= 200 && records.iter().all(|record| record.method.to_string() == *method));
    }
    let bytes = fs::read(case.path("out/result.eval")).unwrap();
    assert_eq!(Reader::<ResultRecord>::new(&bytes).unwrap().form(), Form::Comma);
    let mut compared =
        case.results().iter().map(|r| [r.left.to_string(), r.right.to_string()]).collect::<Vec<_>>();
    compared.sort();
    let mut expected = [[a, b], [b, c], [c, a]].map(|pair| pair.map(String::clone)).to_vec();
    expected.sort();
    assert_eq!(compared, expected);
    let files = fs::read_dir(case.path("out/measurements")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert!(names.filter(|name| name.ends_with(".msr")).all(|name| name.len() <= 200));
}

/// Names whose characters a terminal or a browser would show in another order.
const MISLEADING: (&str, &str) = ("C\u{202e}\u{2066}00000", "m\u{202d}abcdef");

#[test]
fn names_that_mislead_are_shown_as_they_are() {
    let (class, method) = SOURCE;
    let case = Case::comparing("").set("controller", "human-readable-measurements", "1");
    let source = format!(
        "final class {class} {{ static int {method}(int n) {{ return n * 31 + 7; }} }}\n\
         public final class Names {{ public static void main(String[] args) {{ Life life = Life.start(args); \
         while (life.wantsRound()) {{ life.check(\"\" + {class}.{method}(1000)); }} life.end(); }} }}\n"
    );
    fs::write(case.path("Names.java"), source).unwrap();
    let sources = harness::root().join("tests-java");
    fs::create_dir(case.path("classes")).unwrap();
    harness::javac([case.path("Names.java")], ["-sourcepath".as_ref(), &sources], &case.path("classes"));
    let entry = |file: std::io::Result<fs::DirEntry>| {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().replace(class, MISLEADING.0);
        (name, renamed(fs::read(&path).unwrap(), MISLEADING))
    };
    let entries = fs::read_dir(case.path("classes")).unwrap().map(entry).collect::<Vec<_>>();
    harness::jar(&case.path("names.jar"), &entries);
    let method = format!("{}.{}(I)I", MISLEADING.0, MISLEADING.1);
    let case = case
        .tasks(&format!("{method} <= (1, 1000) Life.wantsRound()Z\nassert \"\u{202e}\": {method} < 1 s\n"));

    let files = ["--json", "run.json", "--junit", "run.xml", "--metrics", "run.prom"];
    let usual = ["run", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out"];
    let mut spl = case.spl_with(&[&usual[..], &files].concat());
    spl.arg("--").arg(harness::java()).args(["-cp", "names.jar", "Names", "0"]);
    let mut run = Running::start(spl, &case.path(""));
    run.awaits("spl: every class is as it was");
    let ended = run.ends();
    ended.assert_status(0);
    assert_shown("the lines of a run", &ended.err);
    let said = |arguments: &[&str]| {
        let ended = Running::start(case.spl_with(arguments), &case.path("")).ends();
        let said = ended.out + &ended.err;
        assert!(said.contains("abcdef"), "{arguments:?}: {said}");
        assert_shown(arguments[0], &said);
        said
    };
    said(&["methods", "--classpath", "names.jar", "*#*"]);
    said(&["check", "--classpath", "names.jar", "spl.tasks"]);
    said(&["instrument", "--methods", "*", "names.jar", "--output", "out.jar", "--json"]);
    said(&["fmt", "--json", "spl.tasks"]);
    fs::write(case.path("bad.tasks"), format!("{method} =< {method}\n")).unwrap();
    said(&["check", "--classpath", "names.jar", "bad.tasks"]);
    let list = said(&["methods", "--json", "--classpath", "names.jar", "*#*"]);
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    let listed = list["methods"].as_array().unwrap().iter().any(|one| one["method"]["method"] == *method);
    assert!(listed || list.to_string().contains(&serde_json::to_string(&method).unwrap()), "{list}");
    for file in ["report.html", "assertions.jsonl", "decisions.jsonl", "context.json", "run.json"] {
        assert_shown(file, &fs::read_to_string(case.path("out").join(file)).unwrap());
    }
    for file in ["run.json", "run.xml", "run.prom"] {
        let text = fs::read_to_string(case.path(file)).unwrap();
        assert!(text.contains("abcdef"), "{file}: {text}");
        assert_shown(file, &text);
    }
}

/// No character changes the order in which others are shown.
fn assert_shown(what: &str, text: &str) {
    let misleads =
        |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert!(!text.contains(misleads), "{what}: {text:?}");
}

/// A class file with the odd names in place of those of the source.
fn odd(bytes: Vec<u8>) -> Vec<u8> {
    renamed(bytes, ODD)
}

fn renamed(bytes: Vec<u8>, names: (&str, &str)) -> Vec<u8> {
    [(SOURCE.0, names.0), (SOURCE.1, names.1)].iter().fold(bytes, |mut bytes, (from, to)| {
        assert_eq!(from.len(), to.len());
        for at in 0..bytes.len().saturating_sub(from.len()) {
            if bytes[at..].starts_with(from.as_bytes()) {
                bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
            }
        }
        bytes
    })
}
