//! The methods of a JDK: each has a graph, for which holds what holds for every graph.
//!
//! `SPL_EVERY_CLASS=1` reads all classes of all JDKs at hand; otherwise one of some hundred of the installed one is taken.

use super::counting;
use super::invariants::check;
use super::paths;
use super::segmenting;
use crate::{Call, Cuts, Graph, NoGraph, Paths, forms};
use spl_classes::{Catalogue, Jdk};
use spl_classfile::class::ClassFile;
use spl_classfile::code::Code;
use std::path::Path;
use std::process::Command;

/// Where not all classes are read, one class in this number is; a prime, so that classes of all packages are
/// among them.
const STEP: usize = 211;

/// Blocks that a walker runs in each method.
const WALK: usize = 40;

/// Numbers without order, the same each time (Knuth's linear congruential generator).
fn choices(mut state: u64) -> impl Iterator<Item = usize> {
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    })
}

/// Counts of a walk over classes.
#[derive(Debug, Default)]
struct Met {
    methods: usize,
    blocks: usize,
    edges: usize,
    loops: usize,
    irreducible: usize,
    most_blocks: usize,
    most_covered: usize,
    counters: usize,
    most_segments: u32,
    /// Paths, and with at most 1,024 of a method.
    paths: usize,
    fewer_paths: usize,
    /// Methods that are cut where ways meet.
    cut: usize,
}

fn walk(class: &ClassFile<'_>, met: &mut Met) {
    for method in &class.methods {
        let graph = match Graph::of(class, method) {
            Ok(graph) => graph,
            Err(NoGraph::NoCode) => continue,
            Err(other) => panic!("{:?}.{:?}: {other}", class.name(), String::from_utf8_lossy(method.name)),
        };
        let code = Code::read(&class.bytes[method.code.clone().unwrap()], &class.pool).unwrap();
        check(&graph, code.bytes, &code.handlers);
        assert!(forms::text(&graph).lines().count() == 1 + graph.blocks.len() + graph.handlers.len());
        met.methods += 1;
        met.counters += counting::compare(&graph, choices(met.methods as u64).take(WALK));
        let plain = paths::PLAIN;
        paths::compare(&graph, plain, choices(met.methods as u64).take(WALK));
        met.paths += Paths::of(&graph, plain).count() as usize;
        met.fewer_paths += Paths::of(&graph, Cuts { most: 1024, ..plain }).count() as usize;
        let is_cut = Paths::of(&graph, Cuts { most: u32::MAX, ..plain }).count() > plain.most;
        met.cut += usize::from(is_cut);
        counting::compare_flags(&graph, choices(met.methods as u64).take(WALK));
        met.most_segments =
            met.most_segments.max(segmenting::compare(&graph, choices(met.methods as u64).take(WALK)));
        met.blocks += graph.blocks.len();
        met.edges += graph.edges.len();
        met.loops += graph.loops.len();
        met.irreducible += graph.loops.iter().filter(|one| !one.is_reducible).count();
        met.most_blocks = met.most_blocks.max(graph.blocks.len());
        let covered = graph.blocks.iter().flat_map(|block| &block.stretches).map(|one| one.handlers.len());
        met.most_covered = met.most_covered.max(covered.sum());
    }
}

/// The JDKs to walk over, and of how many of their classes one is taken.
fn jdks() -> (Vec<Jdk>, usize) {
    if std::env::var_os("SPL_EVERY_CLASS").is_none() {
        return (vec![Jdk::installed().expect("the tests have a JDK")], STEP);
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/jdks.sh");
    let listed = Command::new(script).arg("--list").output().expect("the script can be run");
    let listed = String::from_utf8(listed.stdout).unwrap();
    let jdks: Vec<_> =
        listed.lines().map(|line| Jdk::at(Path::new(line.split_once(' ').unwrap().1))).collect();
    assert!(!jdks.is_empty());
    (jdks, 1)
}

#[test]
fn every_method_of_the_jdk_has_a_graph() {
    let (jdks, step) = jdks();
    for jdk in jdks {
        let mut catalogue = Catalogue::open(&[], Some(&jdk));
        let names: Vec<_> = catalogue.names().into_iter().step_by(step).collect();
        let mut met = Met::default();
        for name in &names {
            let bytes = catalogue.bytes(name).unwrap_or_else(|| panic!("{:?}", catalogue.problems()));
            walk(&ClassFile::read(&bytes).unwrap(), &mut met);
        }
        println!("{} classes of {}: {met:?}", names.len(), jdk.home.display());
        assert!(met.methods > 2 * names.len() && met.loops > 0, "{met:?}");
        assert!(met.most_covered * 100 < crate::cover::MAX_COVERED, "{met:?}");
    }
}

#[test]
fn the_papers_sample_is_what_it_prints() {
    // `StreamEncoder.flushLeftoverChar` of JDK 17 has blocks `aload_0; getfield lcb; invokevirtual hasRemaining; if`.
    let jdk = Jdk::installed().expect("the tests have a JDK");
    let mut catalogue = Catalogue::open(&[], Some(&jdk));
    let bytes = catalogue.bytes("sun/nio/cs/StreamEncoder").expect("every JDK has it");
    let class = ClassFile::read(&bytes).unwrap();
    let method = class.methods.iter().find(|one| one.name == b"flushLeftoverChar").expect("every JDK has it");
    let graph = Graph::of(&class, method).unwrap();
    let printed = [4, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0];
    let asks =
        |call: &Call<'_>| call.target.class == b"java/nio/CharBuffer" && call.target.name == b"hasRemaining";
    let like = graph.blocks.iter().filter(|block| block.metrics.vector() == printed);
    let offsets: Vec<_> =
        like.filter(|block| block.calls.iter().any(asks)).map(|block| block.first).collect();
    assert!(!offsets.is_empty());
    if jdk.release == Some(17) {
        assert_eq!(offsets, [88, 126]);
    }
}
