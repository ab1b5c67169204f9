//! The XML of graphs, as the JDK's validator sees it.

use spl_classes::{Catalogue, Jdk};
use spl_classfile::class::ClassFile;
use spl_graph::Graph;
use spl_graph::forms::{
    JBINSTRACE_COUNTED, JBINSTRACE_END, MethodCounts, Numbered, jbinstrace, jbinstrace_counted,
};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The validator's answer to texts.
fn validated(jdk: &Jdk, version: u32, texts: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("xsd-{version}"));
    fs::create_dir_all(&folder).expect("the folder is writable");
    let mut java = Command::new(jdk.home.join("bin/java"));
    let schema = root.join(format!("../docs/schema/jbinstrace-{version}.xsd"));
    java.arg(root.join("tests/java/Validate.java")).arg(schema);
    for (number, text) in texts.iter().enumerate() {
        let file = folder.join(format!("{number}.xml"));
        fs::write(&file, text).expect("the folder is writable");
        java.arg(file);
    }
    let output = java.output().expect("the JDK has a launcher");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn the_xml_is_what_its_schema_says() {
    let jdk = Jdk::installed().expect("the tests have a JDK");
    let mut catalogue = Catalogue::open(&[], Some(&jdk));
    // Switches, dynamic calls, handlers of both kinds.
    let names = ["java/lang/String", "java/util/concurrent/ThreadPoolExecutor", "sun/nio/cs/StreamEncoder"];
    let files = names.map(|name| catalogue.bytes(name).expect("every JDK has it"));
    let classes = files.each_ref().map(|bytes| ClassFile::read(bytes).expect("a class file"));
    let graphs: Vec<Graph<'_>> = classes
        .iter()
        .flat_map(|class| class.methods.iter().filter_map(|method| Graph::of(class, method).ok()))
        .collect();
    let numbered: Vec<_> = (0..).zip(&graphs).map(|(number, graph)| Numbered { number, graph }).collect();
    let right = jbinstrace(&numbered).expect("few methods");
    for part in ["INVOKEDYNAMIC", "INVOKEINTERFACE", "exception_handler id", "catch="] {
        assert!(right.contains(part), "{part}");
    }
    // The validator does find faults: a vector of 18, an id twice, an unknown instruction, a handler that is nowhere.
    let wrong = [
        right.replacen("metrics=\"", "metrics=\"0 ", 1),
        right.replacen("<basic_block id=\"2048\"", "<basic_block id=\"0\"", 1),
        right.replacen("INVOKEVIRTUAL", "INVOKE", 1),
        right.replacen("exception_handler id=\"", "exception_handler id=\"9", 1),
    ];
    assert!(wrong.iter().all(|text| *text != right));
    let texts: Vec<_> = [&right].into_iter().chain(&wrong).map(String::as_str).collect();
    let said = validated(&jdk, 1, &texts);
    assert_eq!((said.len(), &said[0][..]), (texts.len(), "valid"));
    assert!(said[1..].iter().all(|said| said != "valid"), "{said:#?}");
}

#[test]
fn the_xml_with_counts_is_what_its_schema_says() {
    let jdk = Jdk::installed().expect("the tests have a JDK");
    let bytes = Catalogue::open(&[], Some(&jdk)).bytes("java/util/Formatter").expect("every JDK has it");
    let class = ClassFile::read(&bytes).expect("a class file");
    let graphs = class.methods.iter().filter_map(|method| Graph::of(&class, method).ok());
    let methods: String = (0..)
        .zip(graphs)
        .map(|(number, graph)| {
            let blocks: Vec<_> = (0..graph.blocks.len() as u64)
                .map(|block| (block, Some(u64::MAX).filter(|_| block > 0)))
                .collect();
            let counts = MethodCounts { calls: u64::MAX, blocks: &blocks };
            jbinstrace_counted(&Numbered { number, graph: &graph }, &counts).expect("few methods")
        })
        .collect();
    let right = [JBINSTRACE_COUNTED, &methods, JBINSTRACE_END].concat();
    let wrong = [
        right.replacen("version=\"2\"", "version=\"1\"", 1),
        right.replacen(" count=\"0\"", "", 1),
        right.replacen(" gone=\"", " gone=\"-", 1),
        right.replacen(" calls=\"", " called=\"", 1),
    ];
    let texts: Vec<_> = [&right].into_iter().chain(&wrong).map(String::as_str).collect();
    let said = validated(&jdk, 2, &texts);
    assert_eq!((said.len(), &said[0][..]), (texts.len(), "valid"));
    assert!(said[1..].iter().all(|said| said != "valid"), "{said:#?}");
}
