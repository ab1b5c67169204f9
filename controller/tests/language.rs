//! `spl check`, `spl methods` and `spl fmt` on classes that were compiled here and on those of the JDK at hand.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::Value;
use spl_model::{EndedBy, Lack, Spent, SpentOn, Taken};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use zip::write::SimpleFileOptions;

/// First bytes of a JDK's module (JEP 261).
const MODULE_MAGIC: &[u8] = b"JM\x01\0";

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check")
}

/// Runs `spl` in `folder`; gives its status, and what it printed on either stream.
fn spl(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_spl")).args(arguments).current_dir(folder).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

/// A folder with the classes of `shapes` in `classes`, and in `jdk` a JDK with one class, which is read in no time.
fn compiled() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("jdk/jmods")).unwrap();
    fs::write(folder.path().join("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n").unwrap();
    let mut javac = Command::new("javac");
    javac.args(["--release", "11", "-d"]).arg(folder.path().join("classes"));
    assert!(javac.arg(tests().join("shapes/Shape.java")).status().unwrap().success());
    let class = class(folder.path(), "Unit.class");
    archive(&folder.path().join("jdk/jmods/m.jmod"), MODULE_MAGIC, &[("classes/shapes/Unit.class", class)]);
    folder
}

/// An archive of files (name, bytes), after `start`.
fn archive(path: &Path, start: &[u8], files: &[(&str, Vec<u8>)]) {
    let mut file = File::create(path).unwrap();
    file.write_all(start).unwrap();
    let mut zip = zip::ZipWriter::new(file);
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

fn class(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join("classes/shapes").join(name)).unwrap()
}

#[test]
fn ten_mistakes_are_ten_errors_each_with_a_proposal() {
    let folder = compiled();
    fs::copy(tests().join("ten-mistakes.tasks"), folder.path().join("ten-mistakes.tasks")).unwrap();
    let (status, shown, _) = spl(
        folder.path(),
        &["check", "--quiet", "--jdk", "jdk", "--classpath", "classes", "ten-mistakes.tasks"],
    );
    assert_eq!(status, 2);
    assert_eq!((shown.matches("error: ").count(), shown.matches("= help: ").count()), (10, 10), "{shown}");
    // The last line tells how many classes this JDK has.
    insta::assert_snapshot!(shown.trim_end().rsplit_once('\n').unwrap().0);
}

#[test]
fn each_method_is_said_to_be_what_it_is() {
    let folder = compiled();
    let check = |line: &str, status: i32, expected: &str| {
        fs::write(folder.path().join("t.tasks"), line).unwrap();
        let (got, shown, _) =
            spl(folder.path(), &["check", "--jdk", "jdk", "--classpath", "classes", "t.tasks"]);
        assert!(shown.contains(expected), "{line}: {shown}");
        assert_eq!(got, status, "{line}: {shown}");
    };
    check("shapes.Shape#new", 0, "#new: constructor\n");
    check("shapes.Shape#scaled(double)", 0, "public method, overloaded: one of 2");
    check("shapes.Shape#scaled", 0, ": 2 methods\n");
    check("shapes.*#scaled", 0, ": 2 methods\n");
    check("shapes.*.*#*", 0, ": 3 methods\n");
    // The compiler's bridges are meant by nothing but their own types.
    check("shapes.Shape#compareTo", 0, "public method, overloaded: one of 2");
    check("shapes.Shape#compareTo(Object)", 0, "public bridge method");
    check("shapes.Shape$Circle#scaled", 0, "public method, overloaded: one of 2");
    check("shapes.Shape.Circle#area", 0, "public method\n");
    check("shapes.Shape#corners(Shape)", 1, "is native: it has no bytecode to measure");
    let classes =
        "2 classes implement it: name one, as `shapes.Shape$Circle#area()`, `shapes.Shape$Square#area()`";
    check("shapes.Shape#area < 5 ms", 1, classes);
    check("shapes.Shape#area", 0, ": 2 methods\n");
    check("shapes.Shape.**#scaled", 0, ": public method, overloaded: one of 2");
    check("shapes.**#scaled", 0, ": 3 methods\n");
    check("shaped.**#scaled", 1, "did you mean `shapes.**#scaled`?");
    check("shapes.Shape$Square#scaled(double)", 1, "it is inherited: write `shapes.Shape#scaled(double)`");
    check("shapes.Shape$Square#scaled(int)", 1, "the class inherits `shapes.Shape#scaled(double)`");
    check("shapes/Shape$Square.scaled(I)D", 1, "the class inherits `shapes/Shape.scaled(D)");
    let wide = "it is inherited: write `shapes.Shape#scaled(double, double)`";
    check("shapes.Shape$Circle#scaled(double, double)", 1, wide);
    check("shapes.Shape#scaled(int)", 1, "the class has `shapes.Shape#scaled(double)`");
    check("shapes/Sape.area()D", 1, "did you mean `shapes/Shape`?");
    fs::write(folder.path().join("classes/shapes/Broken.class"), "not a class").unwrap();
    check("shapes.Broken#f", 1, "error: the class cannot be read");
    // Another class of the file, so that what is counted above stays.
    let loops = "; calls of shapes.Loop.run in progress lose file and line in stack traces\n";
    check("shapes.Loop#step", 0, loops);
    check("shapes.Loop#step < 5 ms\nshapes.Loop#step > 1 ns", 0, "; 1 method named");
    check("other.Thing#run", 1, "is its JAR or folder on the class path that was given?");
}

#[test]
fn the_jdks_own_classes_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = "java.lang.Math#max(int, int) < java.util.Arraylist#get\njava/util/ArrayList.get(I)Ljava/lang/Object; < 5 ms\njava.lang.String#<clinit> < 5 ms\n";
    fs::write(folder.path().join("t.tasks"), tasks).unwrap();
    let (status, shown, _) = spl(folder.path(), &["check", "t.tasks"]);
    let expected = [
        "warning: the JVM may replace calls",
        "did you mean `java.util.ArrayList`",
        "t.tasks:2: java/util/ArrayList.get(I)Ljava/lang/Object;: public method\n",
        "<clinit>: static initializer, which runs once",
        "1 error, 1 warning; 4 methods named",
    ];
    assert!(status == 1 && expected.iter().all(|text| shown.contains(text)), "{status}: {shown}");
}

#[test]
fn classes_not_given_are_not_checked() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.tasks"), "p.C#f(int) < java.util.ArrayList#get(int)\n").unwrap();
    let (status, shown, _) = spl(folder.path(), &["check", "t.tasks"]);
    assert!(status == 0 && shown.contains("p.C#f(int): not checked"), "{status}: {shown}");
    let (status, _, said) = spl(folder.path(), &["check", "--classpath", "missing.jar", "t.tasks"]);
    assert!(status == 2 && said.contains("cannot read missing.jar"), "{status}: {said}");
    let (status, _, said) = spl(folder.path(), &["check", "--jdk", ".", "t.tasks"]);
    assert!(status == 2 && said.contains("has neither lib/modules nor jmods"), "{status}: {said}");
}

#[test]
fn classes_are_read_wherever_java_has_them() {
    let folder = compiled();
    let at = |name: &str| folder.path().join(name);
    let circle = || class(folder.path(), "Shape$Circle.class");
    let list = |class_path: &str| {
        let (status, listed, said) = spl(
            folder.path(),
            &["methods", "--jdk", "jdk", "--classpath", class_path, "shapes.Shape$Circle"],
        );
        assert_eq!(status, 0, "{class_path}: {said}");
        listed
    };
    let expected = list("classes");
    assert_eq!(expected.lines().count(), 5, "{expected}");
    archive(&at("plain.jar"), b"", &[("shapes/Shape$Circle.class", circle())]);
    assert_eq!(list("plain.jar"), expected);
    fs::create_dir(at("lib")).unwrap();
    fs::copy(at("plain.jar"), at("lib/a.jar")).unwrap();
    assert_eq!(list("lib/*"), expected);
    archive(&at("m.jmod"), MODULE_MAGIC, &[("classes/shapes/Shape$Circle.class", circle())]);
    assert_eq!(list("m.jmod"), expected);
    // Another class lies in the place of the old one; a release that is not out yet has it once more, broken.
    let manifest = b"Manifest-Version: 1.0\nMulti-Release: true\n\n".to_vec();
    let newer = ("META-INF/versions/11/shapes/Shape$Circle.class", circle());
    let future = ("META-INF/versions/999/shapes/Shape$Circle.class", b"?".to_vec());
    let old = ("shapes/Shape$Circle.class", class(folder.path(), "Shape$Square.class"));
    archive(&at("multi.jar"), b"", &[("META-INF/MANIFEST.MF", manifest), old, newer, future]);
    assert_eq!(list("multi.jar"), expected);
    fs::write(at("broken.jar"), b"PK, but no more of it").unwrap();
    let (status, _, said) = spl(folder.path(), &["methods", "--classpath", "broken.jar", "shapes.Shape"]);
    assert!(status == 2 && said.contains("cannot read broken.jar"), "{status}: {said}");
}

#[test]
fn what_is_listed_can_be_pasted_into_a_task_file() {
    let folder = compiled();
    for form in [&["--java"][..], &[]] {
        let arguments =
            [&["methods", "--jdk", "jdk", "--classpath", "classes"], form, &["shapes.*"]].concat();
        let (status, listed, _) = spl(folder.path(), &arguments);
        assert!(status == 0 && listed.contains("# is abstract"), "{listed}");
        fs::write(folder.path().join("listed.tasks"), &listed).unwrap();
        let (status, shown, _) =
            spl(folder.path(), &["check", "--jdk", "jdk", "--classpath", "classes", "listed.tasks"]);
        let lines = listed.lines().filter(|line| !line.starts_with('#')).count();
        assert!(shown.contains(&format!("0 errors, 0 warnings; {lines} methods named")), "{status}: {shown}");
    }
    let (status, listed, said) = spl(folder.path(), &["methods", "--limit", "1", "java.util.ArrayList#add"]);
    assert_eq!((status, listed.lines().count()), (0, 1));
    assert!(said.contains("1 of 3 methods are listed"), "{said}");
    let (status, _, said) = spl(folder.path(), &["methods", "java.util.Arraylist"]);
    assert!(status == 1 && said.contains("did you mean the class java.util.ArrayList"), "{said}");
}

#[test]
fn files_are_formatted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.tasks");
    fs::write(&file, "a/B.f()V<a/B.g()V   # why\n").unwrap();
    let formatted = "a/B.f()V < a/B.g()V  # why\n";
    assert_eq!(spl(folder.path(), &["fmt", "t.tasks"]), (0, formatted.into(), String::new()));
    let (status, said, _) = spl(folder.path(), &["fmt", "--check", "t.tasks"]);
    assert_eq!((status, said.as_str()), (1, "t.tasks is not formatted\n"));
    assert_eq!(spl(folder.path(), &["fmt", "--write", "t.tasks"]).0, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), formatted);
    assert_eq!(spl(folder.path(), &["fmt", "--check", "t.tasks"]).0, 0);
    fs::write(&file, "a/B.f(V < 1\n").unwrap();
    let (status, _, said) = spl(folder.path(), &["fmt", "--write", "t.tasks"]);
    assert!(status == 2 && said.contains("t.tasks is left as it is"), "{said}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "a/B.f(V < 1\n");
}

/// Whether `value` is what a schema describes, as far as the schemas here go.
fn conforms(value: &Value, schema: &Value, whole: &Value) -> Result<(), String> {
    let pointer = schema["$ref"].as_str().map(|path| path.trim_start_matches('#'));
    let schema = pointer.map_or(schema, |path| whole.pointer(path).unwrap());
    let wrong = |what: &str| Err(format!("{what}: {value} is not {schema}"));
    if let Some(choices) = schema["oneOf"].as_array() {
        let fits = choices.iter().any(|one| conforms(value, one, whole).is_ok());
        return if fits { Ok(()) } else { wrong("oneOf") };
    }
    if schema.get("const").is_some_and(|expected| expected != value) {
        return wrong("const");
    }
    if schema["enum"].as_array().is_some_and(|all| !all.contains(value)) {
        return wrong("enum");
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_u64() || number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let kinds = &schema["type"];
    let is = |kind: &str| kinds == kind || kinds.as_array().is_some_and(|all| all.contains(&kind.into()));
    if !(kinds.is_null() || is(kind) || (kind == "integer" && is("number"))) {
        return wrong("type");
    }
    if let Value::Object(fields) = value {
        let names: BTreeSet<&str> = fields.keys().map(String::as_str).collect();
        // The assertions' lines have a layout of their own.
        let Some(required) = schema["required"].as_array() else { return Ok(()) };
        let required = required.iter().map(|name| name.as_str().unwrap());
        if names != required.collect() {
            return wrong("required");
        }
        return fields
            .iter()
            .try_for_each(|(name, field)| conforms(field, &schema["properties"][name], whole));
    }
    value.as_array().into_iter().flatten().try_for_each(|one| conforms(one, &schema["items"], whole))
}

#[test]
fn every_reason_is_in_the_schema() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema/eval-1.json");
    let whole: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let schema = whole.pointer("/properties/lacking/items/properties/lack").unwrap();
    let spent = |on| Some(Spent { on, ns: 1, of_ns: 2 });
    let lacks = [
        Lack::Unmeasurable { why: "it is native".to_owned() },
        Lack::NotLoaded,
        Lack::NotBegun { ended_by: EndedBy::Operator, lasted_ns: 1, wait_ns: 2 },
        Lack::NoTurn,
        Lack::NoBudget { spent: None },
        Lack::NoBudget { spent: spent(SpentOn::Sizes("p/C.f()V".to_owned())) },
        Lack::NoBudget { spent: spent(SpentOn::Agent) },
        Lack::NeverCalled { open_ns: 1, lost: 2 },
        Lack::Discarded(Taken::default()),
        Lack::Scattered { calls: 3, sizes: 3 },
        Lack::NotRecorded,
    ];
    for lack in lacks {
        let value = serde_json::to_value(&lack).unwrap();
        conforms(&value, schema, &whole).unwrap();
        assert_eq!(serde_json::from_value::<Lack>(value).unwrap(), lack);
    }
}

/// The document, which its schema allows.
fn check_document(schema: &str, document: &str) -> Value {
    let mut text = String::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema").join(schema);
    File::open(path).unwrap().read_to_string(&mut text).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    let document: Value = serde_json::from_str(document).unwrap();
    conforms(&document, &schema, &schema).unwrap();
    document
}

/// The document that `spl` prints in this folder.
fn check_output(folder: &Path, schema: &str, arguments: &[&str]) -> Value {
    let (_, document, _) = spl(folder, arguments);
    check_document(schema, &document)
}

/// The folder of a class with control flow of all kinds.
fn switching(folder: &Path) -> String {
    let source = "class Switching { Object f(int i) { while (i > 0) try { switch (i) { case -5: return new int[i]; case 7: i--; } }
        catch (RuntimeException e) { i -= 2; } return null; } }";
    fs::write(folder.join("Switching.java"), source).unwrap();
    let mut javac = Command::new("javac");
    javac.args(["--release", "11", "-d", "switching", "Switching.java"]).current_dir(folder);
    assert!(javac.status().unwrap().success());
    "switching".to_owned()
}

#[test]
fn documents_are_what_their_schemas_say() {
    let folder = compiled();
    let check = |schema: &str, arguments: &[&str]| check_output(folder.path(), schema, arguments);
    let mistakes = tests().join("ten-mistakes.tasks");
    let mistakes = mistakes.to_str().unwrap();
    let document =
        check("check-1.json", &["check", "--json", "--jdk", "jdk", "--classpath", "classes", mistakes]);
    assert_eq!((&document["ok"], document["findings"].as_array().unwrap().len()), (&false.into(), 10));
    fs::write(folder.path().join("t.tasks"), "let f = a.B#f\n./C.f()V < f\nf < a.B#g\nf < a.B#g\n").unwrap();
    let document = check("check-1.json", &["check", "--json", "t.tasks"]);
    assert!(document["findings"][0]["help"].is_string(), "{document}");
    check("methods-1.json", &["methods", "--json", "--jdk", "jdk", "--classpath", "classes", "shapes.*"]);
    let document =
        check("cfg-1.json", &["cfg", "--as", "json", "--classpath", &switching(folder.path()), "Switching"]);
    let edges =
        document["methods"].as_array().unwrap().iter().flat_map(|one| one["edges"].as_array().unwrap());
    let kinds: BTreeSet<_> = edges.map(|edge| edge["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, BTreeSet::from(["exception", "fall", "switch", "taken"]));
    check("error-1.json", &["cfg", "--as", "json", "a.B#c"]);
    fs::write(folder.path().join("f.tasks"), "a/B.f()V < a/B.g()V\n").unwrap();
    let document = check("fmt-1.json", &["fmt", "--json", "f.tasks"]);
    assert_eq!(document["files"][0]["was_formatted"], true, "{document}");
    check("api-jar-1.json", &["api-jar", "--json", "-o", "api.jar"]);
    fs::create_dir(folder.path().join("run")).unwrap();
    let context = spl_records::Context { result_file: "result.eval".to_owned(), ..Default::default() };
    fs::write(folder.path().join("run/context.json"), context.to_json()).unwrap();
    let document = check("report-1.json", &["report", "--json", "run", "--out", "page.html"]);
    assert_eq!(document["file"], "page.html");
    check("error-1.json", &["report", "--json", "nothing"]);
    let odd = spl_records::OfInstance {
        name: "web-1:12".to_owned(),
        windows: 9,
        ratio: 0.5,
        low: Some(0.4),
        high: None,
        left_ns: 1.0,
        right_ns: 2.0,
        odd_ratio: Some(2.0),
        odd_speed: None,
    };
    let claim = spl_records::OfClaim { number: 1, instances: vec![odd], ..Default::default() };
    let instances =
        spl_records::InstancesFile { instances: vec!["web-1:12".to_owned()], claims: vec![claim] };
    check_document("instances-1.json", &instances.to_json());
    let instrument = ["instrument", "--json", "-o", "out.jar", "--methods"];
    let document =
        check("instrument-1.json", &[&instrument[..], &["*", "classes/shapes/Shape.class"]].concat());
    assert_eq!((&document["instrumented"], &document["refused"]), (&5.into(), &2.into()), "{document}");
    let document = check("error-1.json", &[&instrument[..], &["a.B#c", "none.jar"]].concat());
    assert!(document["error"].as_str().unwrap().contains("none.jar"), "{document}");
}

/// A JVM that waits for the end of its input, ended when this is dropped.
struct Waiting(Child);

impl Waiting {
    /// Starts it in this folder, and waits until it runs.
    fn start(folder: &Path) -> Self {
        let source = "class Waits { public static void main(String[] a) throws Exception {
            System.out.println(1); while (System.in.read() >= 0); } void waits() {} }";
        fs::write(folder.join("Waits.java"), source).unwrap();
        let mut javac = Command::new("javac");
        javac.args(["--release", "11", "-d", "waiting", "Waits.java"]).current_dir(folder);
        assert!(javac.status().unwrap().success());
        let mut java = Command::new("java");
        java.args(["-cp", "waiting:none.jar", "Waits"]).current_dir(folder);
        let mut started = java.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut first = [0];
        started.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
        Self(started)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}

#[test]
fn the_doctor_looks_up_methods_in_the_class_path_of_a_running_jvm() {
    let folder = tempfile::tempdir().unwrap();
    let jvm = Waiting::start(folder.path());
    let pid = jvm.0.id().to_string();
    let tasks =
        "Waits#waits < 1 s\nWaits#wait < 1 s\nfar.Away#call < 1 s\njava.lang.Thread#sleep(long) < 1 s\n";
    fs::write(folder.path().join("t.tasks"), tasks).unwrap();
    let doctor = ["doctor", &pid, "--agent", "t.tasks", "--tasks", "t.tasks"];
    let document = check_output(folder.path(), "doctor-1.json", &[&doctor[..], &["--json"]].concat());
    assert_eq!(document["pid"].to_string(), pid);
    let findings = document["findings"].as_array().unwrap();
    let of_tasks = findings.iter().filter(|one| one["check"] == "tasks");
    let found: Vec<String> = of_tasks
        .map(|one| format!("{} {}", one["grade"].as_str().unwrap(), one["fact"].as_str().unwrap()))
        .collect();
    let count = |grade: &str| found.iter().filter(|one| one.starts_with(grade)).count();
    assert_eq!((count("ok"), count("note"), count("bad")), (1, 2, 2), "{found:#?}");
    assert!(
        found.iter().any(|one| one.ends_with("none.jar is in the class path and not there")),
        "{found:#?}"
    );
    assert!(found.iter().any(|one| one.starts_with("ok t.tasks:1: Waits#waits: ")), "{found:#?}");
    assert!(found.iter().any(|one| one.starts_with("note t.tasks:3: far.Away#call: ")), "{found:#?}");
    let (status, said, _) = spl(folder.path(), &doctor);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("BAD  tasks    t.tasks:2: "), "{said}");
    fs::write(folder.path().join("t.tasks"), "Waits#waits <\n").unwrap();
    let (status, said, _) = spl(folder.path(), &doctor);
    assert!(status == 2 && said.contains("BAD  tasks    t.tasks:1: "), "{said}");
    let (status, said, _) =
        spl(folder.path(), &["doctor", &pid, "--agent", "t.tasks", "--tasks", "none.tasks"]);
    assert!(status == 2 && said.contains("BAD  tasks    ") && said.contains("none.tasks"), "{said}");
    assert!(said.contains("attach   it listens"), "{said}");
}

#[test]
fn documents_of_judged_measurements_are_what_their_schemas_say() {
    let folder = compiled();
    // A comparison that is decided, one without samples, and an assertion.
    let tasks = "a/B.f()V < a/B.g()V\na/B.f()V < a/B.h()V\nassert \"t\": a/B.f()V < 1 ms\n";
    fs::write(folder.path().join("e.tasks"), tasks).unwrap();
    for (name, first) in [("a.B.f()V.msr", 100), ("a.B.g()V.msr", 300)] {
        let line = |k: u64| {
            format!("{},{},0,1,a/{},-,{},0,1\n", 1000 * k, 1000 * k + first + k % 7, &name[2..8], k / 30 + 1)
        };
        fs::write(folder.path().join(name), (0..6000).map(line).collect::<String>()).unwrap();
    }
    for method in ["welch", "sequential"] {
        let arguments = [
            "eval",
            "--json",
            "--self-check",
            "--tasks",
            "e.tasks",
            "--measurements",
            ".",
            "--out",
            "e.eval",
            "--method",
            method,
        ];
        let document = check_output(folder.path(), "eval-1.json", &arguments);
        assert_eq!(document["comparisons"][0]["results"][0]["basis"], "proved", "{document}");
        assert_eq!(document["comparisons"][1]["results"][0]["result"], "not-evaluated", "{document}");
        assert_eq!(document["lacking"][0]["lack"]["kind"], "not-recorded", "{document}");
        assert_eq!(document["self_checks"].as_array().unwrap().len(), 2, "{document}");
        let buckets = fs::read_to_string(folder.path().join("buckets.json")).unwrap();
        let buckets = check_document("buckets-1.json", &buckets);
        for document in [&document, &buckets] {
            assert_eq!(document["comparisons"][0]["buckets"][0]["sizes"], "-", "{document}");
            assert_eq!(document["comparisons"][0]["missing"], Value::Null, "{document}");
            assert_eq!(document["comparisons"][1]["missing"], "right has no samples", "{document}");
        }
    }
    let judged = |set: &str| {
        let arguments = ["eval", "--tasks", "e.tasks", "--measurements", ".", "--set", set];
        let (_, out, err) = spl(folder.path(), &arguments);
        out + &err
    };
    assert!(judged("limit-p-value=0.01").contains("1 holds"), "{}", judged("limit-p-value=0.01"));
    assert!(!judged("limit-p-value=1e-300").contains("1 holds"), "{}", judged("limit-p-value=1e-300"));
    assert!(judged("limit-p-value").contains("KEY=VALUE"), "{}", judged("limit-p-value"));
}

#[test]
fn a_bound_is_not_judged_by_one_phase_of_a_program_and_is_by_all_of_them() {
    let folder = compiled();
    // A turn of 20 calls each 50 ms: 3 s of one level, then 17 s of another.
    let record = |first: u64, then: u64| {
        let line = |call: u64| {
            let (window, start) = (call / 20, call * 2_500_000);
            let time = if window < 60 { first } else { then } + call % 7;
            format!("{start},{},0,1,a/B.f()V,-,{},0,1\n", start + time, window + 1)
        };
        fs::write(folder.path().join("a.B.f()V.msr"), (0..8000).map(line).collect::<String>()).unwrap();
    };
    let judged = |claim: &str| {
        fs::write(folder.path().join("p.tasks"), format!("assert \"phases\": median(a/B.f()V) {claim}\n"))
            .unwrap();
        let arguments = [
            "eval",
            "--tasks",
            "p.tasks",
            "--measurements",
            ".",
            "--method",
            "sequential",
            "--out",
            "p.eval",
        ];
        let (_, out, err) = spl(folder.path(), &arguments);
        let said = out + &err;
        ["1 holds", "1 fails", "1 undecided"]
            .into_iter()
            .find(|word| said.contains(word))
            .unwrap_or_else(|| panic!("{said}"))
    };
    // Three times slower at first: the calls of 3 s alone would refute it.
    record(3000, 1000);
    assert_ne!(judged("<= 2 us"), "1 fails");
    assert_ne!(judged("> 2 us"), "1 holds");
    // Both levels are far below the bound.
    assert_eq!(judged("<= 1 ms"), "1 holds");
    assert_eq!(judged("> 1 ms"), "1 fails");
}
