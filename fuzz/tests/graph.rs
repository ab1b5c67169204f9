//! Class files, damaged, to the graphs of their methods.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod java;

use spl_classfile::class::ClassFile;
use spl_fuzz::{Campaign, Rng, corpus, outcome};
use spl_graph::{Graph, forms};

/// Attributes that are read, a handler for all of a short method, and instructions that lead elsewhere.
const WORDS: [&[u8]; 8] = [
    b"Code",
    b"LineNumberTable",
    &[0, 1, 0, 0, 0, 4, 0, 4, 0, 0],
    b"\xa7\xff\xff",
    b"\x99\x00\x03",
    b"\xaa",
    b"\xab",
    b"\xbf",
];

#[test]
fn no_class_harms_the_graphs() {
    let campaign = Campaign {
        name: "graph",
        seeds: [corpus("graph"), corpus("classfile"), corpus("bytecode"), java::classes("graphs")].concat(),
        words: &WORDS,
        // With more, little but the reader of the constant pool would be tried.
        mutations: 2,
        max_bytes: 1 << 16,
        iterations: 10_000,
        failures: env!("CARGO_TARGET_TMPDIR").into(),
    };
    campaign.run(check);
}

fn check(bytes: &[u8], _: &mut Rng) -> u64 {
    let class = match ClassFile::read(bytes) {
        Ok(class) => class,
        Err(refusal) => return outcome(refusal.to_string().len()),
    };
    let mut seen = Vec::new();
    for method in &class.methods {
        let graph = match Graph::of(&class, method) {
            Ok(graph) => graph,
            Err(why) => {
                seen.push([why.to_string().len(), 0, 0]);
                continue;
            }
        };
        let counted: u32 = graph.blocks.iter().map(|block| block.metrics.bytecodes).sum();
        assert!(graph.blocks.iter().zip(&graph.blocks[1..]).all(|(one, next)| one.end == next.first));
        assert!(graph.blocks.first().unwrap().first == 0 && counted <= graph.code_bytes);
        assert!(graph.edges.iter().all(|edge| edge.to < graph.blocks.len()));
        assert_eq!(forms::text(&graph).lines().count(), 1 + graph.blocks.len() + graph.handlers.len());
        let all = [forms::dot(&graph), forms::csv(&graph), forms::json(std::slice::from_ref(&graph), &[])];
        assert!(all.iter().all(|form| form.ends_with('\n')));
        seen.push([graph.blocks.len(), graph.edges.len(), graph.loops.len()]);
    }
    outcome(seen)
}
