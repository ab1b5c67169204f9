//! Shapes of control flow, each with the graph that it must have.

use super::invariants::{check, is_in};
use crate::testing::TestClass;
use crate::{EdgeKind, Graph};
use spl_classfile::class::ClassFile;
use spl_classfile::code::Code;

/// Of a graph, what a test compares.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// First and last offsets.
    pub(super) blocks: Vec<(u32, u32)>,
    pub(super) edges: Vec<String>,
    /// The head of each loop and its blocks, with `irreducible` and `by exception` behind them.
    pub(super) loops: Vec<String>,
    pub(super) dead: Vec<usize>,
    pub(super) dominators: Vec<Option<usize>>,
    pub(super) throws: Vec<Option<u32>>,
}

/// Runs `look` with the graph of a class's only method, once what holds for every graph was checked.
pub(super) fn with_graph<T>(bytes: &[u8], look: impl FnOnce(&Graph<'_>) -> T) -> T {
    let class = ClassFile::read(bytes).unwrap();
    let method = &class.methods[0];
    let graph = Graph::of(&class, method).unwrap();
    let code = Code::read(&bytes[method.code.clone().unwrap()], &class.pool).unwrap();
    check(&graph, code.bytes, &code.handlers);
    look(&graph)
}

pub(super) fn seen(class: &TestClass) -> Seen {
    with_graph(&class.bytes(), |graph| {
        let edge = |edge: &crate::Edge| {
            let kind = match &edge.kind {
                EdgeKind::Switch { cases, is_default } => {
                    format!(
                        "switch{}{}",
                        cases.iter().map(|case| format!(" {case}")).collect::<String>(),
                        if *is_default { " default" } else { "" }
                    )
                }
                EdgeKind::Exception { handlers } => format!("exception {handlers:?}"),
                EdgeKind::FallThrough | EdgeKind::Taken => edge.kind.name().to_owned(),
            };
            format!("{} {kind} {}", edge.from, edge.to)
        };
        let one_loop = |(place, one): (usize, &crate::Loop)| {
            let blocks = (0..graph.blocks.len()).filter(|block| is_in(graph, *block, place));
            let kind = if one.is_reducible { "" } else { " irreducible" };
            let back = if one.by_exception { " by exception" } else { "" };
            format!(
                "{}:{}{kind}{back}",
                one.head,
                blocks.map(|block| format!(" {block}")).collect::<String>()
            )
        };
        Seen {
            blocks: graph.blocks.iter().map(|block| (block.first, block.last)).collect(),
            edges: graph.edges.iter().map(edge).collect(),
            loops: graph.loops.iter().enumerate().map(one_loop).collect(),
            dead: (0..graph.blocks.len()).filter(|block| graph.blocks[*block].is_dead).collect(),
            dominators: graph.blocks.iter().map(|block| block.dominator).collect(),
            throws: graph.blocks.iter().map(|block| block.throws).collect(),
        }
    })
}

#[test]
fn a_condition_to_what_follows_it_has_two_edges_there() {
    // 0: iconst_0, 1: ifeq 4, 4: return.
    let seen = seen(&TestClass::new(&[0x03, 0x99, 0, 3, 0xb1]));
    assert_eq!(seen.edges, ["0 taken 1", "0 fall 1"]);
}

#[test]
fn all_of_a_switch_that_leads_to_one_block_is_one_edge() {
    // 0: iconst_0, 1: tableswitch -1 to 2: 28, 29, default, 28; default 30. 32: 28 nop 29 nop 30 return, shifted below.
    let mut code = vec![0x03, 0xaa, 0, 0];
    for operand in [33, -1, 2, 31, 32, 33, 31] {
        code.extend(i32::to_be_bytes(operand));
    }
    assert_eq!(code.len(), 32);
    code.extend([0x00, 0x00, 0xb1]);
    let table = seen(&TestClass::new(&code));
    assert_eq!(
        table.edges,
        ["0 switch -1 2 1", "0 switch 0 2", "0 switch 1 default 3", "1 fall 2", "2 fall 3"]
    );
    // 0: iconst_0, 1: lookupswitch default 28, -7: 28, 100: 29.
    let mut code = vec![0x03, 0xab, 0, 0];
    for operand in [27, 2, -7, 27, 100, 28] {
        code.extend(i32::to_be_bytes(operand));
    }
    code.extend([0x00, 0xb1]);
    let lookup = seen(&TestClass::new(&code));
    assert_eq!(lookup.edges, ["0 switch -7 default 1", "0 switch 100 2", "1 fall 2"]);
    assert_eq!(lookup.dominators, [None, Some(0), Some(0)]);
}

#[test]
fn loops_lie_in_loops() {
    // 0: iconst_0, 1: istore_0; 2: iload_0; 3: iload_0, 4: ifne 3; 7: iload_0, 8: ifne 2; 11: return.
    let seen =
        seen(&TestClass::new(&[0x03, 0x3b, 0x1a, 0x1a, 0x9a, 0xff, 0xff, 0x1a, 0x9a, 0xff, 0xfa, 0xb1]));
    assert_eq!(seen.blocks, [(0, 1), (2, 2), (3, 4), (7, 8), (11, 11)]);
    assert_eq!(seen.loops, ["1: 1 2 3", "2: 2"]);
}

#[test]
fn a_method_that_begins_with_a_loop_and_never_ends_has_a_graph() {
    // 0: goto 0.
    let seen = seen(&TestClass::new(&[0xa7, 0, 0]));
    assert_eq!((seen.edges, seen.loops), (vec!["0 taken 0".to_owned()], vec!["0: 0".to_owned()]));
}

#[test]
fn a_loop_that_is_entered_in_two_places_is_told() {
    // 0: iconst_0, 1: ifeq 7; 4: goto 7 + 3; 7: iconst_0, 8: pop, 9: nop; 10: goto 7.
    let seen = seen(&TestClass::new(&[0x03, 0x99, 0, 6, 0xa7, 0, 6, 0x03, 0x57, 0x00, 0xa7, 0xff, 0xfd]));
    assert_eq!(seen.blocks, [(0, 1), (4, 4), (7, 9), (10, 10)]);
    assert_eq!(seen.loops.len(), 1);
    assert!(seen.loops[0].ends_with(": 2 3 irreducible"), "{:?}", seen.loops);
    assert_eq!(seen.dominators, [None, Some(0), Some(0), Some(0)]);
}

#[test]
fn code_that_no_path_leads_to_is_dead_and_in_no_loop() {
    // 0: return; 1: goto 1; 4: nop, which runs past the end.
    let seen = seen(&TestClass::new(&[0xb1, 0xa7, 0, 0, 0x00]));
    assert_eq!((seen.dead, seen.loops), (vec![1, 2], vec![]));
    assert_eq!(seen.dominators, [None; 3]);
}

#[test]
fn what_can_throw_is_what_the_specification_lists() {
    let check = |code: &[u8], expected: Option<u32>| {
        let seen = seen(&TestClass::new(code));
        assert_eq!(seen.throws, [expected], "{code:x?}");
    };
    check(&[0x03, 0x03, 0x6c, 0xb1], Some(2));
    check(&[0x03, 0x03, 0x60, 0xb1], None);
    check(&[0x0c, 0x0c, 0x6e, 0xb1], None);
    check(&[0x00, 0x2e, 0xb1], Some(1));
    check(&[0x01, 0xbf], Some(1));
    // ldc of the class T, and of the text "T".
    check(&[0x12, 2, 0xb1], Some(0));
    check(&[0x12, 1, 0xb1], None);
}

#[test]
fn reading_a_field_of_this_cannot_throw_unless_this_may_be_another() {
    let check = |access: u16, class: &str, before: &[u8], expected: Option<u32>| {
        let mut test = TestClass::new(&[]);
        test.access = access;
        let [high, low] = test.member(class, "x", "I");
        test.code = [before, &[0xb4, high, low, 0x57, 0xb1]].concat();
        assert_eq!(seen(&test).throws, [expected], "{class} {before:x?}");
    };
    check(1, "T", &[0x2a], None);
    check(9, "T", &[0x2a], Some(1));
    check(1, "U", &[0x2a], Some(1));
    check(1, "T", &[0x2b], Some(1));
    // aload_1, astore_0, aload_0: local 0 is no longer this.
    check(1, "T", &[0x2b, 0x4b, 0x2a], Some(3));
}
