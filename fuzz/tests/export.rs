//! The files of a drill, damaged, to the forms of other tools and to metrics.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod java;

use spl_analysis::{Choice, Collect, Library, Space, Values, csv as values_csv, json, text, xml};
use spl_bytecode::Counting;
use spl_classfile::class::ClassFile;
use spl_classfile::mutf8;
use spl_export::{
    Allocations, Calls, Document, Fault, Files, Jacoco, Jbinstrace, Sites, activations, callgrind, calls_dot,
    calls_text, csv, each_class, graphml, speedscope,
};
use spl_fuzz::{Campaign, Rng, corpus, outcome};
use spl_model::DrillKind;
use spl_profile::{
    ALLOCATIONS_HEAD, ARCS_HEAD, CountedClass, CountedMethod, EDGES_HEAD, METHODS_HEAD, ObjectSizes,
    RECEIVERS_HEAD, allocations, allocations_lines, blocks_head, profile,
};
use std::fmt::Write;

/// Border between the files of an input.
const BORDER: &[u8] = b"\n----\n";

/// Ends of lines and of fields, numbers at their limits, and parts of the document.
const WORDS: [&[u8]; 13] = [
    b",",
    b"\"",
    b"\n",
    b"\r\n",
    b"-1",
    b"18446744073709551615",
    b"4294967296",
    b"fall",
    b"exception",
    b"\"methods\": 0",
    b"\"left\": []",
    b"\xff",
    BORDER,
];

#[test]
fn no_files_of_a_drill_harm_their_reader() {
    let campaign = Campaign {
        name: "export",
        seeds: [corpus("export"), java::classes("exports").iter().map(|class| drill(class)).collect()]
            .concat(),
        words: &WORDS,
        mutations: 3,
        max_bytes: 1 << 16,
        iterations: 5_000,
        failures: env!("CARGO_TARGET_TMPDIR").into(),
    };
    campaign.run(check);
}

fn check(bytes: &[u8], _: &mut Rng) -> u64 {
    let [document, methods, blocks, edges, arcs, receivers, made, class] = parts(bytes);
    let files = Files { document, methods, blocks, edges };
    let beside = [arcs, receivers, made];
    let all = exported(&files, class).and_then(|forms| Ok((forms, analysed(&files, beside, class)?)));
    match all {
        Ok(lengths) => outcome(lengths),
        Err(fault) => {
            assert!(!fault.place.is_empty() && !fault.reason.is_empty());
            // The line, and numbers in the reason, make no other outcome.
            let kind: String = fault.reason.chars().filter(char::is_ascii_lowercase).take(30).collect();
            outcome((fault.place.split(':').next().map(str::len), kind))
        }
    }
}

fn exported(files: &Files<'_>, class: &[u8]) -> Result<[usize; 8], Fault> {
    let document = Document::read(files.document)?;
    let table = csv(&document, files);
    let (mut jacoco, mut jbinstrace) = (Jacoco::default(), Jbinstrace::default());
    each_class(
        &document,
        files,
        |_| Ok(class.to_vec()),
        |class| {
            jbinstrace.add(&class)?;
            jacoco.add(class)
        },
    )?;
    // The table needs no class files, so it is there too.
    let (table, command) = (table?, &document.command);
    let mut calls = Calls::of(&document)?;
    each_class(&document, files, |_| Ok(class.to_vec()), |class| calls.add(class))?;
    let graph = calls.graph();
    let all = [
        table,
        jacoco.document(command),
        jbinstrace.document(),
        callgrind(&graph, command),
        speedscope(&graph, command).text,
        graphml(&graph),
        calls_dot(&graph),
        calls_text(&graph),
    ];
    assert!(all.iter().all(|form| form.ends_with('\n')));
    Ok(all.map(|form| form.lines().count()))
}

/// The number of values, of which each that is known has bounds in their order.
fn analysed(files: &Files<'_>, [arcs, receivers, made]: [&[u8]; 3], class: &[u8]) -> Result<usize, Fault> {
    let document = Document::read(files.document)?;
    let mut spaces = Space::usual(&Library::default());
    spaces.push(Space::parse("some=**#*e*").unwrap());
    let sites = Sites::read(arcs, receivers)?;
    let (made, activations) = (Allocations::read(made)?, activations(files.methods)?);
    let mut collect = Collect::new(&document, spaces, Some(sites), Some(made), activations);
    each_class(&document, files, |_| Ok(class.to_vec()), |class| collect.add(class))?;
    let values = Values::of(&document.command, &collect.finish(), &Choice::new(&[], &[], &[]).unwrap());
    let all = values.spaces.iter().flat_map(|space| &space.metrics).flat_map(|metric| &metric.values);
    for value in all.clone() {
        let is_ordered = value.found.is_none_or(|[least, most]| least.value() <= most.value());
        assert!(is_ordered, "{value:?}");
    }
    assert!(
        text(&values).ends_with('\n')
            && values_csv(&values).ends_with('\n')
            && xml(&values, None).ends_with(">\n")
    );
    assert!(serde_json::to_string(&json(&values)).is_ok());
    Ok(all.count())
}

/// `drill.json`, the tables of methods, blocks and edges, of arcs, receivers and allocations, and the class file.
fn parts(bytes: &[u8]) -> [&[u8]; 8] {
    let (mut parts, mut rest) = ([&[][..]; 8], bytes);
    for part in &mut parts {
        let end = rest.windows(BORDER.len()).position(|part| part == BORDER);
        // The border begins with the end of a line.
        (*part, rest) = match end {
            Some(at) => (&rest[..=at], &rest[at + BORDER.len()..]),
            None => (rest, Default::default()),
        };
    }
    parts
}

/// The files of a drill of this class, one behind the other.
fn drill(bytes: &[u8]) -> Vec<u8> {
    let name = mutf8::decode(ClassFile::read(bytes).unwrap().name().unwrap());
    let counted = spl_bytecode::count(bytes, Counting::BLOCKS, |_, _| true, 0, 1 << 20).unwrap();
    let methods = counted.methods.into_iter().map(|one| CountedMethod {
        name: one.method.name,
        descriptor: one.method.descriptor,
        first: one.first,
        counters: one.outcome.map(|_| one.counters),
    });
    let class = CountedClass { name, bytes: bytes.to_vec(), from_start: true, methods: methods.collect() };
    let (mut methods, mut blocks, mut edges, mut count) =
        (METHODS_HEAD.to_owned(), blocks_head(), EDGES_HEAD.to_owned(), 0);
    let (mut arcs, mut receivers) = (ARCS_HEAD.to_owned(), RECEIVERS_HEAD.to_owned());
    let (mut made, mut sizes) = (ALLOCATIONS_HEAD.to_owned(), ObjectSizes::default());
    sizes.add("java/lang/StringBuilder".to_owned(), 24);
    profile(DrillKind::Blocks, &class, u64::from, |one| {
        made.push_str(&allocations_lines(&one.name(), &allocations(&class, &one, u64::from, &sizes)));
        count += 1;
        methods.push_str(&one.methods_line(""));
        blocks.push_str(&one.blocks_lines());
        edges.push_str(&one.edges_lines());
        for (block, call, count) in one.sites() {
            let place = format!("\"{}\",{},,{block},{},A.f()V", one.name(), call.at, call.kind.instruction());
            let _ = write!(arcs, "{place},entered,A.f()V,A,{}\n{place},unseen,,,1\n", count.least);
            let _ = writeln!(receivers, "{place},{0},{0},1,1,{1},1", count.most, count.least / 2);
        }
    })
    .unwrap();
    let document = format!(
        r#"{{"schema": "spl.drill/1", "what": ["blocks"], "command": "M", "doubts": [], "left": [], "classes": [
{{"name": "{}", "sha256": "{}", "bytes": {}, "methods": {count}}}]}}"#,
        class.name,
        "0".repeat(64),
        bytes.len(),
    );
    // The border begins with the end of a line.
    let tables = [&methods, &blocks, &edges, &arcs, &receivers, &made].map(|table| table.trim_end());
    let text = [&[document.as_str()][..], &tables].concat();
    let mut all: Vec<u8> = text.iter().flat_map(|text| [text.as_bytes(), BORDER].concat()).collect();
    all.extend(bytes);
    all
}
