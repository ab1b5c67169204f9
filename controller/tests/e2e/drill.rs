//! `spl drill`: blocks are counted exactly, with each compiler, many threads and each kind of end.

use crate::case::{Case, java};
use crate::harness;
use crate::running::Running;
use crate::witness::{Snapshot, Witness, changed};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A drill that reads no task file. `options` are those of the drill, `program` the arguments of Java.
pub(crate) fn drill(case: &Case, options: &[&str], program: &[&str]) -> Running {
    let mut spl = case.spl_with(&[&["drill"], options, &["--"]].concat());
    fs::remove_file(case.path("spl.tasks")).unwrap();
    spl.args(java(program));
    Running::start(spl, &case.path(""))
}

pub(crate) fn case() -> Case {
    Case::measuring(&["unused.Class#method"])
}

/// Lines of a table by the first field, which is the method; the other fields of each.
pub(crate) fn table(path: &Path) -> BTreeMap<String, Vec<Vec<String>>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let mut lines: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for line in reader.records().map(Result::unwrap) {
        let rest = line.iter().skip(1).map(str::to_owned).collect();
        lines.entry(line[0].to_owned()).or_default().push(rest);
    }
    lines
}

/// The document of a drill, which has the keys that its schema asks for and no others.
pub(crate) fn document(case: &Case) -> Value {
    fn agrees(value: &Value, schema: &Value) {
        let known = schema["properties"].as_object().unwrap();
        value
            .as_object()
            .unwrap()
            .keys()
            .for_each(|key| assert!(known.contains_key(key), "{key} is unknown"));
        for key in schema["required"].as_array().unwrap().iter().map(|key| key.as_str().unwrap()) {
            assert!(value.get(key).is_some(), "{key} is missing: {value}");
        }
    }
    let found: Value = serde_json::from_slice(&fs::read(case.path("out/drill/drill.json")).unwrap()).unwrap();
    let schema = fs::read(harness::root().join("docs/schema/drill-1.json")).unwrap();
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    agrees(&found, &schema);
    let row = &schema["properties"]["classes"]["items"];
    found["classes"].as_array().unwrap().iter().for_each(|class| agrees(class, row));
    found
}

/// For each method of `Blocks` and its nested class: how often each block ran, and how often one was left in its middle.
struct Counts {
    blocks: BTreeMap<String, Vec<Vec<String>>>,
    calls: BTreeMap<String, Vec<Vec<String>>>,
}

impl Counts {
    fn of(case: &Case, folder: &str) -> Self {
        let [blocks, calls] = ["blocks.csv", "calls.csv"].map(|name| table(&case.path(folder).join(name)));
        Self { blocks, calls }
    }

    /// The calls that a method makes: the callee, how often at most, and at least.
    fn calls(&self, method: &str) -> Vec<(&str, u64, u64)> {
        let number = |text: &String| text.parse().unwrap();
        self.calls[method].iter().map(|one| (&*one[4], number(&one[5]), number(&one[6]))).collect()
    }

    fn column(&self, method: &str, column: usize) -> Vec<u64> {
        let lines = self.blocks.get(method).unwrap_or_else(|| panic!("{method} is not there"));
        lines.iter().map(|line| line[column].parse().unwrap_or(0)).collect()
    }

    fn runs(&self, method: &str) -> Vec<u64> {
        self.column(method, 4)
    }

    fn gone(&self, method: &str) -> u64 {
        self.column(method, 5).iter().sum()
    }

    fn caught(&self, method: &str) -> u64 {
        self.column(method, 6).iter().sum()
    }

    /// The counts of one round.
    fn assert_one_round(&self) {
        assert_eq!(self.runs("Blocks.turns()V"), [1, 101, 100, 50, 100, 1]);
        assert_eq!(self.runs("Blocks.fib(I)I")[0], 21_891);
        let fib = ("Blocks.fib(I)I", 10_945, 10_945);
        assert_eq!(self.calls(fib.0), [fib, fib]);
        assert_eq!(
            self.calls("Blocks.sevenths(I)I"),
            [("Blocks.thrower(I)V", 1000, 1000)],
            "though 142 threw"
        );
        let sevenths = "Blocks.sevenths(I)I";
        assert_eq!((self.gone(sevenths), self.caught(sevenths)), (142, 142));
        assert_eq!(self.gone("Blocks.thrower(I)V"), 142);
        let straddle = "Blocks.straddle(I)V";
        assert_eq!((self.runs(straddle)[0], self.gone(straddle), self.caught(straddle)), (10, 3, 1));
        assert_eq!(self.runs("Blocks.crowd(I)J"), [4, 20_004, 20_000, 6668, 13_332, 20_000, 4]);
        // Of `for (int i = 0; i < 5; i++)` the start, the test, the body, the end.
        assert_eq!(self.runs("Blocks$Late.<clinit>()V"), [1, 6, 5, 1], "from the first instruction on");
        let meet = self.runs("Blocks.meet(Ljava/util/concurrent/Exchanger;I)I");
        assert_eq!(meet.iter().max(), Some(&(40 * 50 * 21)), "{meet:?}");
        assert_eq!((meet[0], meet.iter().filter(|runs| **runs == 40 * 50 * 20).count()), (40, 1), "{meet:?}");
    }
}

#[test]
fn blocks_are_counted_exactly_under_each_compiler() {
    let case = case();
    for (number, options) in ["-Xint", "-XX:TieredStopAtLevel=1", "-Xmixed"].into_iter().enumerate() {
        let run = drill(&case, &["--methods", "Blocks", "Blocks$*"], &[options, "Blocks", "1"]);
        let ended = run.ends();
        ended.assert_status(0);
        assert_eq!(ended.out, "ready\nended\n");
        assert!(!ended.err.contains("may not be exact"), "{}", ended.err);
        let folder = if number == 0 { "out/drill".to_owned() } else { format!("out/drill-{}", number + 1) };
        Counts::of(&case, &folder).assert_one_round();
    }
    // Agrees with its schema, and has each class file.
    let found = document(&case);
    assert!(found.get("probe_ps").is_none(), "that of times: {found}");
    assert_eq!(found["is_exact"], true, "{found}");
    let classes = found["classes"].as_array().unwrap();
    let names: Vec<_> = classes.iter().map(|class| class["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Blocks", "Blocks$Late"]);
    let files = harness::unjar(&case.path("out/drill/classes.zip"));
    for class in classes {
        let name = format!("{}.class", class["sha256"].as_str().unwrap());
        let (_, bytes) = files.iter().find(|(file, _)| *file == name).expect("its class file is kept");
        let class = harness::classes().join(format!("{}.class", class["name"].as_str().unwrap()));
        assert_eq!(*bytes, fs::read(class).unwrap());
    }
}

#[test]
fn the_page_has_the_counts_of_the_tables_in_graphs() {
    let case = case();
    let ended = drill(&case, &["--methods", "Blocks", "--no-classes"], &["Blocks", "1"]).ends();
    ended.assert_status(0);
    ended.assert_said(&["for people in ", "out/drill.html"]);
    let page = fs::read_to_string(case.path("out/drill.html")).unwrap();
    assert!(!case.path("out/drill/classes.zip").exists() && page.contains("<code>--no-classes</code>"));
    assert!(!page.contains("<summary>Bytecode ("), "it would be a copy of the class file");
    assert!(page.contains("All counts are exact."));
    let methods = table(&case.path("out/drill/methods.csv"));
    let called: Vec<_> = methods.iter().filter(|(_, lines)| lines[0][0] != "0").collect();
    assert_eq!(page.matches("<section class=\"method\"").count(), called.len().min(40));
    let (_, tree) = page.split_once("aria-label=\"Tree of calls\"").expect("it is there");
    let (_, main) = tree.split_once("<title>Blocks.main([Ljava/lang/String;)V: ").unwrap();
    let (main, _) = main.split_once("</title>").unwrap();
    assert!(main.contains("%; 1 call, "), "{main}");
    // Of each box the count, in the order of the blocks.
    let counts = Counts::of(&case, "out/drill");
    let (_, turns) = page.split_once("<h3>Blocks.turns()V</h3>").expect("its graph is there");
    let boxes = turns.split("<g class=\"b").skip(1).map(|text| text.split_once("data-n=\"").unwrap().1);
    let boxes = boxes.map(|text| text.split_once('"').unwrap().0.parse::<u64>().unwrap());
    assert_eq!(boxes.take(6).collect::<Vec<_>>(), counts.runs("Blocks.turns()V"));
    let quoted = |name: &str| name.replace('<', "&lt;").replace('>', "&gt;");
    for (method, _) in methods {
        assert!(page.contains(&quoted(&method)) || counts.runs(&method)[0] == 0, "{method}");
    }
}

#[test]
fn bytecode_and_source_stand_next_to_graphs() {
    let case = case();
    let folder = case.path("sources");
    fs::create_dir(&folder).unwrap();
    let java = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests-java/Calls.java");
    let text = fs::read_to_string(&java).unwrap();
    fs::write(folder.join("Calls.java"), &text).unwrap();
    let options = ["--replace", "--methods", "Calls**", "--sources", folder.to_str().unwrap()];
    drill(&case, &options, &["Calls", "10"]).ends_by_itself().assert_status(0);
    let page = fs::read_to_string(case.path("out/drill.html")).unwrap();
    let (_, areas) = page.split_once("<h3>Calls.areas([LCalls$Shape;)I</h3>").expect("its graph is there");
    let (areas, _) = areas.split_once("</section>").unwrap();
    assert!(areas.contains("invokeinterface Calls$Shape.area()I"), "{areas}");
    let number = 1 + text.lines().position(|line| line.contains("sum += shape.area()")).unwrap();
    let line = format!(">{number}</a></td><td class=\"n\">40</td><td><code>");
    assert!(areas.contains(&line) && areas.contains("sum += shape.area();"), "{line}: {areas}");
    // A shorter file cannot be that of the class.
    fs::write(folder.join("Calls.java"), "class Calls {}\n").unwrap();
    drill(&case, &options, &["Calls", "10"]).ends_by_itself().assert_status(0);
    let page = fs::read_to_string(case.path("out/drill.html")).unwrap();
    assert!(page.contains("it is not the source of this class."), "{page}");
    // A wrong place is noticed before the program starts.
    let missing = [&options[..4], &["missing"]].concat();
    let ended = drill(&case, &missing, &["Calls", "10"]).ends_by_itself();
    ended.assert_status(2);
    assert!(ended.err.contains("name a folder, JAR or ZIP with source files"), "{}", ended.err);
}

#[test]
fn counts_survive_the_end_of_the_program() {
    let case = case();
    for (end, status) in [("exit", "with status 4"), ("halt", "with status 3"), ("kill", "by signal 9")] {
        let run = drill(&case, &["--replace", "--all"], &["Blocks", "1", end]);
        let ended = run.ends();
        ended.assert_status(0);
        ended.assert_said(&[status]);
        Counts::of(&case, "out/drill").assert_one_round();
    }
}

#[test]
fn classes_have_their_own_bytes_again_when_the_drill_is_over() {
    const CLASSES: [&str; 3] = ["CompareLoop", "java/lang/Integer", "java/lang/String"];
    let case = case();
    let seen =
        |run: &mut Running, socket: &Path, before: &mut dyn FnMut(&mut Running, &mut Witness)| -> Snapshot {
            run.awaits("ready");
            let mut witness = Witness::connect(socket);
            before(run, &mut witness);
            witness.snapshot(&CLASSES)
        };
    let program = |socket: &Path| {
        [Witness::option(socket), "CompareLoop".to_owned(), "0".to_owned(), "65536".to_owned()]
    };
    let (one, other) = (case.path("one.sock"), case.path("other.sock"));
    let methods = ["--methods", "CompareLoop", "java.lang.Integer#compareTo", "java.lang.String"];
    let of_drill = program(&one);
    let mut run = drill(&case, &methods, &of_drill.each_ref().map(String::as_str));
    let mut meanwhile = Snapshot::new();
    let after = seen(&mut run, &one, &mut |run, witness| {
        meanwhile = witness.snapshot(&CLASSES);
        run.signal("INT");
        run.awaits("the drill is over, the program goes on");
    });
    run.ends().assert_status(0);

    let mut plain = std::process::Command::new(harness::java());
    plain.arg("-cp").arg(harness::classes()).args(program(&other));
    let mut run = Running::start(plain, &case.path(""));
    let original = seen(&mut run, &other, &mut |_, _| {});
    run.ends().assert_status(0);
    assert_eq!(changed(&original, &after), Vec::<String>::new());
    let counted = changed(&original, &meanwhile);
    for method in [
        "CompareLoop.fast([I)J",
        "java/lang/Integer.compareTo(Ljava/lang/Integer;)I",
        "java/lang/String.hashCode()I",
    ] {
        assert!(counted.iter().any(|one| one == method), "{method} counted: {counted:?}");
    }
    assert!(!counted.iter().any(|one| one == "java/lang/Integer.hashCode()I"));
    let calls = table(&case.path("out/drill/methods.csv"));
    assert_ne!(calls["CompareLoop.fast([I)J"][0][0], "0");
}

#[test]
fn what_was_run_is_known_and_leaves_the_code_in_the_end() {
    const CLASSES: [&str; 2] = ["CompareLoop", "java/lang/Integer"];
    const COMPARE: &str = "java/lang/Integer.compareTo(Ljava/lang/Integer;)I";
    let program = |socket: &Path| [Witness::option(socket), "CompareLoop".to_owned(), "0".to_owned()];
    let case = case();
    let (one, other) = (case.path("one.sock"), case.path("other.sock"));
    let mut plain = std::process::Command::new(harness::java());
    plain.arg("-cp").arg(harness::classes()).args(program(&other));
    let mut run = Running::start(plain, &case.path(""));
    run.awaits("ready");
    let original = Witness::connect(&other).snapshot(&CLASSES);
    run.ends().assert_status(0);

    let of_drill = program(&one);
    let options = ["--what", "cover", "--methods", "CompareLoop", "java.lang.Integer#compare*"];
    let mut run = drill(&case, &options, &of_drill.each_ref().map(String::as_str));
    run.awaits("ready");
    let mut witness = Witness::connect(&one);
    let open = |witness: &mut Witness| changed(&original, &witness.snapshot(&CLASSES));
    assert!(open(&mut witness).contains(&COMPARE.to_owned()));
    // In the first wave. A class whose `main` runs keeps its flags: an old version would be interpreted until it returns.
    let left = harness::poll("the original code", harness::DEADLINE, || {
        let left = open(&mut witness);
        (!left.contains(&COMPARE.to_owned())).then_some(left)
    });
    assert!(left.contains(&"CompareLoop.pass(J[I)J".to_owned()), "{left:?}");
    let ended = run.ends();
    ended.assert_status(0);
    ended.assert_said(&["of 2 classes: ", " branches"]);
    let blocks = table(&case.path("out/drill/blocks.csv"));
    let runs = |method: &str| blocks[method].iter().map(|block| &block[4][..]).collect::<Vec<_>>();
    assert!(runs("CompareLoop.main([Ljava/lang/String;)V").iter().all(|count| *count == "1"));
    assert!(runs("CompareLoop.<init>()V").iter().all(|count| *count == "0"));
    // Its array has the default length.
    assert!(runs("CompareLoop.arrays([Ljava/lang/String;)[[I").contains(&"0"));
    // Halted.
    let ended = drill(&case, &["--replace", "--what", "cover", "--all"], &["Blocks", "1", "halt"]).ends();
    ended.assert_status(0);
    let blocks = table(&case.path("out/drill/blocks.csv"));
    assert!(blocks["Blocks.turns()V"].iter().all(|block| block[4] == "1"));
}

#[test]
fn each_jvm_of_a_command_counts() {
    let case = case();
    // The second one begins while the first one waits for it.
    let ended = drill(&case, &["--all", "--children"], &["Forks", "Blocks", "1"]).ends();
    ended.assert_status(0);
    ended.assert_said(&["JVM 1, pid ", ": Forks Blocks 1", "JVM 2, pid ", ": Blocks 1"]);
    Counts::of(&case, "out/drill/jvm-2").assert_one_round();
    let mut export = std::process::Command::new(harness::spl());
    export.args(["export", "out", "--as", "csv", "-o", "first.csv"]).current_dir(case.path(""));
    Running::start(export, &case.path("")).ends().assert_said(&["name out/drill/jvm-2 for the second"]);
    let launcher = table(&case.path("out/drill/methods.csv"));
    assert_eq!(launcher["Forks.main([Ljava/lang/String;)V"][0][0], "1");
    // The drill that replaces it has one JVM.
    drill(&case, &["--all", "--replace"], &["Blocks", "1"]).ends().assert_status(0);
    assert!(!case.path("out/drill/jvm-2").exists());
    Counts::of(&case, "out/drill").assert_one_round();
}

#[test]
fn methods_that_count_too_much_stop() {
    let case = case();
    let mut run = drill(
        &case,
        &["--methods", "CompareLoop", "CompareLoop#fats", "--budget", "0.1%"],
        &["CompareLoop", "0"],
    );
    run.awaits("CompareLoop.pass(J[I)J");
    let ended = run.ends();
    ended.assert_status(0);
    ended.assert_said(&[
        "counts no more: too dear for the budget",
        "CompareLoop#fats: no loaded class has such a method; look for a typing error",
    ]);
    let methods = table(&case.path("out/drill/methods.csv"));
    let stopped = |method: &str| methods[method][0].last().unwrap().starts_with("it stopped counting");
    assert!(stopped("CompareLoop.pass(J[I)J") && !stopped("CompareLoop.main([Ljava/lang/String;)V"));
}

#[test]
fn classes_that_the_jdk_generates_are_its_own() {
    let case = case();
    let ended = drill(&case, &["--all", "--out", "out"], &["Accessors"]).ends();
    ended.assert_status(0);
    assert_eq!(ended.out, "80\n");
    let methods = table(&case.path("out/drill/methods.csv"));
    let others: Vec<_> = methods.keys().filter(|method| !method.starts_with("Accessors.")).collect();
    assert!(others.is_empty(), "{others:?}");
    assert_eq!(methods["Accessors.next(I)I"][0][0], "80");
}

#[test]
fn a_drill_that_cannot_be_made_says_why() {
    let case = case();
    let check = |options: &[&str], part: &str| {
        let mut run = drill(&case, options, &["Blocks", "1"]);
        run.awaits(part);
        run.ends().assert_status(2);
    };
    check(&["--methods", "Block#turns"], "loaded a class that --methods names");
    check(&["--methods", "Blocks#turns()"], "write it as in 'com.shop.Parser#next*'");
    check(&["--all", "--not", "a b"], "--not a b is not a pattern of methods");
    fs::write(case.path("file"), "").unwrap();
    check(&["--all", "--out", "file"], "choose another folder with --out");
    assert!(!case.path("out/drill/methods.csv").exists());
}

#[test]
fn what_stops_a_thread_that_begins_reaches_it() {
    let case = case();
    let ended =
        drill(&case, &["--methods", "StoppedAtBirth#main"], &["StoppedAtBirth", "2000"]).ends_by_itself();
    ended.assert_status(0);
    assert!(["all ended\n", "cannot stop threads\n"].contains(&&*ended.out), "{}", ended.out);
}

#[test]
fn a_program_that_runs_already_is_drilled_and_goes_on() {
    let case = case();
    let mut plain = std::process::Command::new(harness::java());
    plain.arg("-cp").arg(harness::classes()).args(["CompareLoop", "0", "65536"]);
    let mut program = Running::start(plain, &case.path(""));
    program.awaits("ready");
    let pid = program.pid().to_string();
    // Twice: what an earlier drill has counted is not counted again.
    for folder in ["out/drill", "out/drill-2"] {
        let options =
            ["drill", "--attach", &pid, "--yes", "--for", "2s", "--methods", "CompareLoop#*", "--out", "out"];
        let spl = case.spl_with(&options);
        let ended = Running::start(spl, &case.path("")).ends();
        ended.assert_status(0);
        ended.assert_said(&["goes on, with every class as it was"]);
        let calls = table(&case.path(folder).join("methods.csv"));
        let of = |method: &str| calls[method][0][0].parse::<i64>().unwrap();
        let (fast, passes) = (of("CompareLoop.fast([I)J"), of("CompareLoop.pass(J[I)J"));
        // Each round calls `fast`, which makes one pass, and `slow`, which makes thirty; one round was under way.
        assert!(fast > 0 && (passes - 31 * fast).abs() <= 31, "{fast} {passes}");
    }
    program.line();
    let ended = program.ends();
    ended.assert_status(0);
    assert!(ended.out.ends_with("ended\n"), "{}", ended.out);
}

/// The document of an export, which has to succeed.
pub(crate) fn exported(case: &Case, form: &str) -> String {
    let mut spl = case.spl_with(&["export", "out", "--as", form]);
    let output = spl.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn coverage_shows_what_that_of_lines_hides() {
    let case = case();
    drill(&case, &["--methods", "Hidden", "--out", "out"], &["Hidden"]).ends().assert_status(0);
    let jacoco = exported(&case, "jacoco");
    let lines: Vec<_> = jacoco.lines().filter(|line| line.trim_start().starts_with("<line ")).collect();
    // The loop: its line ran, but two of six branches did not, nor two of its blocks, with three instructions.
    assert!(lines.iter().any(|line| line.ends_with(r#" mi="3" ci="21" mb="2" cb="4"/>"#)), "{lines:#?}");
    // Of the method that an exception leaves, the instructions before it ran.
    let left = [r#" mi="0" ci="2" mb="0" cb="0"/>"#, r#" mi="2" ci="4" mb="0" cb="0"/>"#];
    let left = left.map(|of_line| lines.iter().position(|line| line.ends_with(of_line)));
    assert!(left.iter().all(Option::is_some), "{lines:#?}");
    assert!(jacoco.contains(r#"<counter type="CLASS" missed="0" covered="1"/>"#));
    let table = exported(&case, "csv");
    let mut blocks = csv::Reader::from_reader(table.as_bytes());
    let blocks: Vec<_> = blocks.records().map(Result::unwrap).filter(|block| &block[1] == "loop").collect();
    let never: Vec<_> = blocks.iter().filter(|block| &block[11] == "0").collect();
    assert_eq!((never.len(), &never[0][7]), (2, &blocks[0][7]), "on the same line as what ran");
    let xml = exported(&case, "jbinstrace");
    assert!(xml.contains(r#"name="bar" descriptor="()V" calls="1""#), "{xml}");
}
