//! The method whose graph the paper of JBInsTrace draws, and its metrics.

use super::shapes::{Seen, seen};
use crate::testing::TestClass;
use crate::{Metrics, forms};

/// `int i = 0; while (i < 100) { if (i >= 50) { a(); b(i); } i++; }` (figure 3 of the paper).
pub(super) fn foo() -> TestClass {
    let mut class = TestClass::new(&[]);
    class.access = 1;
    let ([a0, a1], [b0, b1]) = (class.member("T", "a", "()V"), class.member("T", "b", "(I)V"));
    class.code = [
        &[0x03, 0x3c][..],                               // 0: iconst_0, 1: istore_1
        &[0x1b, 0x10, 100, 0xa2, 0, 24],                 // 2: iload_1, bipush 100, 5: if_icmpge 29
        &[0x1b, 0x10, 50, 0xa1, 0, 12],                  // 8: iload_1, bipush 50, 11: if_icmplt 23
        &[0x2a, 0xb6, a0, a1, 0x2a, 0x1b, 0xb6, b0, b1], // 14: a(); b(i)
        &[0x84, 1, 1, 0xa7, 0xff, 0xe8],                 // 23: iinc 1 1, 26: goto 2
        &[0xb1],                                         // 29: return
    ]
    .concat();
    class.lines = vec![[0, 3], [2, 4], [8, 5], [14, 6], [18, 7], [23, 8], [29, 10]];
    class
}

#[test]
fn the_papers_method_has_the_six_blocks_that_it_executes() {
    let foo = foo();
    let seen = seen(&foo);
    let expected = Seen {
        blocks: vec![(0, 1), (2, 5), (8, 11), (14, 20), (23, 26), (29, 29)],
        edges: ["0 fall 1", "1 taken 5", "1 fall 2", "2 taken 4", "2 fall 3", "3 fall 4", "4 taken 1"]
            .map(String::from)
            .into(),
        loops: vec!["1: 1 2 3 4".to_owned()],
        dead: vec![],
        dominators: vec![None, Some(0), Some(1), Some(2), Some(2), Some(1)],
        throws: vec![None, None, None, Some(15), None, None],
    };
    assert_eq!(seen, expected);
}

#[test]
fn its_blocks_are_counted_as_by_hand() {
    let bytes = foo().bytes();
    super::shapes::with_graph(&bytes, |graph| {
        let counted: Vec<_> = graph.blocks.iter().map(|block| block.metrics).collect();
        let condition = Metrics { bytecodes: 3, control: 1, ..Metrics::default() };
        let calls = Metrics { bytecodes: 5, reference_loads: 2, virtual_calls: 2, ..Metrics::default() };
        let turn = Metrics { bytecodes: 2, control: 1, always_jumps: 1, ..Metrics::default() };
        let plain = |bytecodes| Metrics { bytecodes, ..Metrics::default() };
        assert_eq!(counted, [plain(2), condition, condition, calls, turn, plain(1)]);
        assert_eq!(graph.blocks[3].lines, [6, 7]);
        // Runs of the blocks in one invocation, times their instructions, is what the paper's figure executes.
        let runs = [1, 101, 100, 50, 100, 1];
        let executed = runs.iter().zip(&counted).map(|(runs, block)| runs * block.bytecodes).sum::<u32>();
        assert_eq!(executed, 1056);
    });
}

#[test]
fn it_is_shown_as_the_manual_has_it() {
    let bytes = foo().bytes();
    super::shapes::with_graph(&bytes, |graph| {
        let expected = "\
T.f()V  30 bytes, 6 blocks, 7 edges, 1 loop
block 0  0..1  2 bytecodes  line 3  -> 1
block 1  2..5  3 bytecodes  line 4  -> 5 taken, 2   head of loop 0
block 2  8..11  3 bytecodes  line 5  -> 4 taken, 3   loop 0
block 3  14..20  5 bytecodes  lines 6-7  calls T.a()V, T.b(I)V  -> 4   loop 0  can throw
block 4  23..26  2 bytecodes  line 8  -> 1 taken   loop 0
block 5  29..29  1 bytecode  line 10   returns
";
        assert_eq!(forms::text(graph), expected);
    });
}

#[test]
fn every_metric_counts_what_it_says() {
    let mut class = TestClass::new(&[]);
    let own = [("x", "I"), ("s", "Ljava/lang/String;"), ("a", "[I")]
        .map(|(name, kind)| class.member("T", name, kind));
    let other = [("x", "J"), ("s", "LU;")].map(|(name, kind)| class.member("U", name, kind));
    let (mine, theirs) = (class.member("T", "m", "()V"), class.member("U", "m", "()V"));
    let dynamic = class.dynamic("m", "()V");
    let made = class.class("U").to_be_bytes();
    let with = |opcode: u8, operand: [u8; 2]| vec![opcode, operand[0], operand[1]];
    let mut code = Vec::new();
    // Reads of own fields: one primitive, two references, one static among them; then writes.
    code.extend([with(0xb4, own[0]), with(0xb4, own[1]), with(0xb2, own[2])].concat());
    code.extend([with(0xb5, own[0]), with(0xb3, own[1]), with(0xb5, own[2])].concat());
    code.extend(
        [with(0xb4, other[0]), with(0xb2, other[1]), with(0xb5, other[0]), with(0xb3, other[1])].concat(),
    );
    // Own virtual, other virtual, special, static and interface calls, and a dynamic one.
    code.extend([with(0xb6, mine), with(0xb6, theirs), with(0xb7, theirs), with(0xb8, theirs)].concat());
    code.extend([with(0xb9, theirs), vec![1, 0], with(0xba, dynamic), vec![0, 0]].concat());
    // new, newarray int, anewarray, multianewarray; monitors; checkcast, instanceof.
    code.extend([with(0xbb, made), vec![0xbc, 10], with(0xbd, made), with(0xc5, made), vec![1]].concat());
    code.extend([vec![0xc2, 0xc3], with(0xc0, made), with(0xc1, made)].concat());
    // aaload, iastore; aload_0, aload 9, wide aload 9; dadd, ladd, fneg, dcmpg, lcmp, i2d, l2f, f2i, i2l, l2i, i2b.
    code.extend([0x32, 0x4f, 0x2a, 0x19, 9, 0xc4, 0x19, 0, 9]);
    code.extend([0x63, 0x61, 0x76, 0x98, 0x94, 0x87, 0x89, 0x8b, 0x85, 0x88, 0x91, 0xbf]);
    class.code = code;
    let expected = Metrics {
        bytecodes: 41,
        array_reads: 1,
        array_writes: 1,
        float_operations: 6,
        reference_loads: 3,
        own_primitive_reads: 1,
        own_reference_reads: 2,
        own_primitive_writes: 1,
        own_reference_writes: 2,
        other_primitive_reads: 1,
        other_reference_reads: 1,
        other_primitive_writes: 1,
        other_reference_writes: 1,
        other_calls: 4,
        objects_made: 1,
        virtual_calls: 3,
        static_calls: 1,
        special_calls: 1,
        interface_calls: 1,
        dynamic_calls: 1,
        arrays_made: 3,
        monitors: 2,
        throws: 1,
        type_checks: 2,
        ..Metrics::default()
    };
    super::shapes::with_graph(&class.bytes(), |graph| {
        assert_eq!(graph.blocks.len(), 1);
        assert_eq!(graph.blocks[0].metrics, expected);
        let made: Vec<_> =
            graph.blocks[0].allocations.iter().map(|made| (made.instruction(), made.class)).collect();
        let expected: [(&str, &[u8]); 4] =
            [("new", b"U"), ("newarray", b"I"), ("anewarray", b"U"), ("multianewarray", b"U")];
        assert_eq!(made, expected);
        assert_eq!(graph.blocks[0].calls.len(), 6);
    });
}
