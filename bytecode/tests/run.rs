//! Rewritten classes in a real JVM, with its verifier on: equal results, correct counts.

mod support;

use spl_bytecode::{Plan, Probe, Refusal, Untouched, inspect, instrument};
use spl_model::{InstrumentId, ProbeKind, Sizing};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use support::{class_files, folder, probe_stub, run, sources, tool};

/// The way to compile and rewrite the sample.
struct Shape<'a> {
    arguments: &'a [&'a str],
    /// Class-file version for the class `Sample`, which uses nothing newer than 49.
    version: Option<u8>,
    sizing: Sizing,
    /// Name and source of an additional class.
    optional: Option<(&'a str, &'a str)>,
}

fn compile(shape: &Shape<'_>, classes: &Path) {
    let javac = &mut tool("javac");
    javac.args(["-nowarn", "-g"]).args(shape.arguments).arg("-d").arg(classes);
    javac.args(["Sample", "Modern", "Main"].map(|name| sources().join(format!("sample/{name}.java"))));
    if let Some((name, source)) = shape.optional {
        let file = classes.with_extension("java").join(format!("sample/{name}.java"));
        fs::create_dir_all(file.with_file_name("")).expect("the folder is writable");
        fs::write(&file, source).expect("the folder is writable");
        javac.arg(file);
    }
    run(javac);
}

/// Compiles the sample for `release` and rewrites every method of `Sample`. Returns the folder with the
/// result, and the probe ids of its methods.
fn rewritten(folder: &Path, shape: &Shape<'_>) -> (PathBuf, BTreeMap<u32, String>) {
    let classes = folder.join("classes");
    compile(shape, &classes);
    let mut ids = BTreeMap::new();
    for file in class_files(&classes).iter().filter(|file| !file.ends_with("Main.class")) {
        let mut bytes = fs::read(file).expect("javac wrote it");
        if let (Some(version), true) = (shape.version, file.ends_with("Sample.class")) {
            bytes[7] = version;
        }
        let info = inspect(&bytes).expect("a class file");
        let mut plan = Plan::default();
        for method in info.methods.into_iter().filter(|method| method.code_bytes.is_some()) {
            // Ids of one, two and four bytes.
            let id = ids.len() as u32 * 17 + if ids.len() % 2 == 0 { 0 } else { 0x0003_0000 };
            ids.insert(id & 0xffff, format!("{}{}", method.name, method.descriptor));
            let kind = ProbeKind::Times(shape.sizing.clone());
            plan.add(Probe::new(&method.name, &method.descriptor, InstrumentId(id), kind));
        }
        let new = instrument(&bytes, &plan).expect("no class of ours");
        for (key, outcome) in new.outcomes {
            let replaced = shape.sizing != Sizing::None && key.descriptor == "(Ljava/lang/Object;I)V";
            let expected = if replaced { Err(Untouched::Refused(Refusal::ArgumentReplaced)) } else { Ok(()) };
            assert_eq!(outcome.map(drop), expected, "{key:?}");
        }
        fs::write(file, new.bytes).expect("the folder is writable");
    }
    (classes, ids)
}

fn check(name: &str, shape: &Shape<'_>, expected: &[(&str, &str)]) {
    let folder = folder(name);
    let original = folder.join("original");
    compile(shape, &original);
    let plain = run(tool("java").arg("-cp").arg(&original).arg("sample.Main"));

    let (classes, ids) = rewritten(&folder, shape);
    let patch = format!("java.base={}", probe_stub(&folder).display());
    let java = &mut tool("java");
    java.args(["-Xverify:all", "--patch-module", &patch, "-cp"]).arg(&classes).arg("sample.Main");
    let probed = run(java);

    let (results, counts) = probed.split_once("counts\n").expect("the counts are printed");
    let twice = format!("{plain}failing recorder\n{plain}");
    for (got, expected) in results.lines().zip(twice.lines()) {
        assert_eq!(got, expected, "{name}");
    }
    assert_eq!(results, twice);
    let mut got = BTreeMap::new();
    for line in counts.lines() {
        let (id, counts) = line.split_once(' ').expect("an id and counts");
        got.insert(ids[&id.parse().expect("a number")].as_str(), counts);
    }
    for (method, counts) in expected {
        // The counts: entered, returned, threw, last size.
        assert_eq!(got.get(method), Some(counts), "{name}: {method}");
    }
}

const COUNTS: [(&str, &str); 7] = [
    ("nothing()V", "2 2 0 -1"),
    ("<init>(I)V", "3 2 1 -1"),
    ("<init>(ZLjava/lang/String;Ljava/lang/String;)V", "1 1 0 -1"),
    ("<init>(Ljava/lang/Object;I)V", "1 1 0 -1"),
    ("thrower(Ljava/lang/String;)I", "2 1 1 -1"),
    ("caught(I)I", "3 3 0 -1"),
    ("recursive(I)I", "51 51 0 -1"),
];

const JAVA_11: Shape<'_> =
    Shape { arguments: &["--release", "11"], version: None, sizing: Sizing::None, optional: None };

#[test]
fn every_shape_of_method_keeps_its_results_and_is_counted() {
    check("frames", &JAVA_11, &COUNTS);
}

#[test]
fn the_newest_class_files_of_the_compiler_work_too() {
    let newest = fs::read_to_string(sources().join("sample/Newest.java")).expect("it is there");
    let optional = Some(("Newest", &newest[..]));
    for sizing in [Sizing::None, Sizing::Deep] {
        let expected = if sizing == Sizing::None { &COUNTS[..] } else { &[] };
        check("newest", &Shape { arguments: &[], sizing, optional, ..JAVA_11 }, expected);
    }
}

/// Methods of `Large`: with many locals, with large switches, near the largest possible code, and with
/// conditions over code as long as a branch can reach. The stack and the locals there hold values of every
/// type.
fn large() -> String {
    let mut source = String::from("package sample;\nclass Large {\n");
    let mut names = Vec::new();
    let mut method = |name: String, body: String| {
        source.push_str(&format!("static long {name}(long n, String text) {{ {body} }}\n"));
        names.push(name);
    };
    let lines = |count: usize| "x = x * 31 + 7;\n".repeat(count);
    // The last local variables and their increments need `wide`.
    let locals = (0..300).map(|i| format!("int a{i} = (int) n + {i};")).collect::<String>();
    let sum = (0..300).map(|i| format!("+ a{i}")).collect::<String>();
    method("wide".into(), format!("{locals} for (; a299 < 100000; a299 += 1000) a298++; return 0 {sum};"));
    let cases =
        |step: usize| (0..1000).map(|i| format!("case {}: n += {i}; break;", i * step)).collect::<String>();
    method("table".into(), format!("for (int i = 0; i < 1000; i++) switch (i) {{ {} }} return n;", cases(1)));
    method(
        "lookup".into(),
        format!("for (int i = 0; i < 9000; i += 7) switch (i) {{ {} }} return n;", cases(7)),
    );
    // `x = x * 31 + 7` takes eight bytes. The largest method leaves the probe about 200.
    method(
        "whole".into(),
        format!("int x = 1; while (n-- > 0) {{ {} if (x == 5) return x; }} return x;", lines(8150)),
    );
    // Near the length at which the compiler itself inverts the condition.
    for count in 4080..=4096 {
        let body =
            format!("{} if (x == 5) return sum.length(); if (words[0] == null) x++;", lines(count - 8));
        let uses = "x += words[0].length() + (int) d + (int) n + (a == null ? sum.length() : 1) + both[0][1].length();";
        method(
            format!("long{count}"),
            format!(
                "int x = 3; double d = n; Object a = null; StringBuilder sum = new StringBuilder(text);
                 String[][] both = {{{{text, \"ab\"}}}}; String[] words = both[0]; float f = 1;
                 if (words[0].length() > n) {{ {body} {uses} }} return x + (long) f + sum.length();"
            ),
        );
    }
    let calls = names.iter().map(|name| {
        format!("for (long n : new long[] {{0, 1, 9}}) all.add(\"{name} \" + {name}(n, \"text\"));")
    });
    let calls = calls.collect::<String>();
    source
        + &format!(
            "static Iterable<Object> all() {{ var all = new java.util.ArrayList<Object>(); {calls} return all; }} }}"
        )
}

#[test]
fn large_methods_and_long_branches_work_too() {
    let source = large();
    for sizing in [Sizing::None, Sizing::Shallow] {
        check("large", &Shape { sizing, optional: Some(("Large", &source)), ..JAVA_11 }, &[]);
    }
}

#[test]
fn class_files_from_before_stack_maps_work_too() {
    check("old", &Shape { arguments: &["--release", "8"], version: Some(49), ..JAVA_11 }, &COUNTS);
}

#[test]
fn sizing_add_up_over_the_arguments() {
    let shallow = [
        ("nothing()V", "2 2 0 0"),
        ("number(IJDFZBCS)I", "1 1 0 30"),
        ("wide(JLjava/lang/Object;[J)J", "1 1 0 208"),
        ("thrower(Ljava/lang/String;)I", "2 1 1 100"),
        ("<init>(ZLjava/lang/String;Ljava/lang/String;)V", "1 1 0 201"),
    ];
    check("shallow", &Shape { sizing: Sizing::Shallow, ..JAVA_11 }, &shallow);
    check(
        "deep",
        &Shape { sizing: Sizing::Deep, ..JAVA_11 },
        &[("wide(JLjava/lang/Object;[J)J", "1 1 0 2008")],
    );
    // 1 + 2 + 3 (3.5) + 4 (4.5) + 1 (true) + 5 + 97 ('a') + 6.
    let length = [
        ("nothing()V", "2 2 0 0"),
        ("number(IJDFZBCS)I", "1 1 0 119"),
        ("wide(JLjava/lang/Object;[J)J", "1 1 0 23"),
        ("thrower(Ljava/lang/String;)I", "2 1 1 10"),
        ("<init>(I)V", "3 2 1 -1"),
    ];
    check("length", &Shape { sizing: Sizing::Length, ..JAVA_11 }, &length);
    let processor = [
        ("nothing()V", "2 2 0 1000"),
        ("number(IJDFZBCS)I", "1 1 0 1119"),
        ("wide(JLjava/lang/Object;[J)J", "1 1 0 1023"),
        ("text(Ljava/lang/String;)Ljava/lang/String;", "2 2 0 1110"),
        ("<init>(ZLjava/lang/String;Ljava/lang/String;)V", "1 1 0 1121"),
    ];
    check("processor", &Shape { sizing: Sizing::Processor(String::new()), ..JAVA_11 }, &processor);
}
