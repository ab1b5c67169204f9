//! Exception handlers: their order, their borders, their edges.

use super::shapes::{seen, with_graph};
use crate::testing::TestClass;

#[test]
fn the_border_of_a_range_cuts_the_handlers_and_no_block() {
    // `x(); try { y(); } catch ...`: 0: invokestatic, 3: invokestatic, 6: return; 7: pop, 8: return.
    let mut class = TestClass::new(&[]);
    let [high, low] = class.member("T", "x", "()V");
    class.code = vec![0xb8, high, low, 0xb8, high, low, 0xb1, 0x57, 0xb1];
    class.handlers = vec![[3, 6, 7, 0]];
    with_graph(&class.bytes(), |graph| {
        assert_eq!(graph.blocks.len(), 2);
        let stretches: Vec<_> =
            graph.blocks[0].stretches.iter().map(|one| (one.start, one.end, &one.handlers[..])).collect();
        assert_eq!(stretches, [(3, 6, &[0_u16][..])]);
    });
    let seen = seen(&class);
    assert_eq!(seen.edges, ["0 exception [0] 1"]);
}

#[test]
fn handlers_are_asked_in_the_order_of_the_table() {
    // 0: nop, 1: nop, 2: nop, 3: return; 4: pop, 5: return; 6: pop, 7: return.
    let code = [0, 0, 0, 0xb1, 0x57, 0xb1, 0x57, 0xb1];
    let mut class = TestClass::covered(&code, &[[1, 3, 6], [0, 3, 4], [0, 2, 6], [0, 2, 4]]);
    let [one, other] = ["E", "F"].map(|name| class.class(name));
    class.handlers.iter_mut().for_each(|handler| handler[3] = one);
    class.handlers[3][3] = other;
    with_graph(&class.bytes(), |graph| {
        let parts: Vec<_> =
            graph.blocks[0].stretches.iter().map(|one| (one.start, one.end, one.handlers.clone())).collect();
        assert_eq!(parts, [(0, 1, vec![1, 2, 3]), (1, 2, vec![0, 1, 2, 3]), (2, 3, vec![0, 1])]);
        assert_eq!(graph.handlers[3].catches, Some(&b"F"[..]));
    });
    assert_eq!(seen(&class).edges, ["0 exception [0, 2] 2", "0 exception [1, 3] 1"]);
}

#[test]
fn nothing_comes_to_a_handler_behind_one_that_catches_everything() {
    // The second is never asked where the first is, but between 2 and 3 it is.
    let code = [0, 0, 0, 0xb1, 0x57, 0xb1, 0x57, 0xb1];
    let seen = seen(&TestClass::covered(&code, &[[0, 2, 4], [0, 2, 6]]));
    assert_eq!(seen.edges, ["0 exception [0] 1"]);
    assert_eq!(seen.dead, [2]);
    let seen = super::shapes::seen(&TestClass::covered(&code, &[[0, 2, 4], [0, 3, 6]]));
    assert_eq!(seen.edges, ["0 exception [0] 1", "0 exception [1] 2"]);
}

#[test]
fn a_handler_that_covers_itself_is_a_loop_by_exception() {
    // As for `synchronized`: 0: nop, 1: return; 2: pop, 3: aconst_null, 4: athrow, with a handler for 2 to 4 at 2.
    let seen = seen(&TestClass::covered(&[0, 0xb1, 0x57, 0x01, 0xbf], &[[0, 1, 2], [2, 4, 2]]));
    assert_eq!(seen.edges, ["0 exception [0] 1", "1 exception [1] 1"]);
    assert_eq!(seen.loops, ["1: 1 by exception"]);
}

#[test]
fn a_loop_by_exception_may_be_entered_otherwise() {
    // 0: aconst_null; 1: pop, 2: return, with a handler for 1 to 2 at 1.
    let seen = seen(&TestClass::covered(&[0x01, 0x57, 0xb1], &[[1, 2, 1]]));
    assert_eq!(seen.edges, ["0 fall 1", "1 exception [0] 1"]);
    assert_eq!(seen.loops, ["1: 1 by exception"]);
}

#[test]
fn trying_again_after_an_exception_is_a_loop() {
    // 0: nop, 1: return; 2: pop, 3: goto 0, with a handler for all of the first block.
    let seen = seen(&TestClass::covered(&[0, 0xb1, 0x57, 0xa7, 0xff, 0xfd], &[[0, 1, 2]]));
    assert_eq!(seen.loops, ["0: 0 1"]);
}

#[test]
fn neighbouring_ranges_with_the_same_handlers_are_one_part() {
    let mut class = TestClass::covered(&[0, 0, 0xb1, 0x57, 0xb1], &[[0, 2, 3], [1, 2, 3]]);
    class.handlers[1][3] = class.class("E");
    with_graph(&class.bytes(), |graph| {
        // The second entry stands behind one that catches everything, so its start does not end a part.
        let parts: Vec<_> = graph.blocks[0].stretches.iter().map(|one| (one.start, one.end)).collect();
        assert_eq!(parts, [(0, 2)]);
    });
}
