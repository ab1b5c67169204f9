//! Code of 65,535 bytes that no compiler writes: it takes bounded time and memory, also where it has no
//! graph.

use crate::testing::TestClass;
use crate::{Graph, NoGraph};
use spl_classfile::class::ClassFile;

/// Blocks, edges and loops of a method.
fn sizes(class: &TestClass) -> Result<[usize; 3], NoGraph> {
    let bytes = class.bytes();
    let class = ClassFile::read(&bytes).unwrap();
    let graph = Graph::of(&class, &class.methods[0])?;
    Ok([graph.blocks.len(), graph.edges.len(), graph.loops.len()])
}

const MOST: usize = 65_535;

#[test]
fn the_longest_code_of_one_block() {
    let mut code = vec![0; MOST];
    code[MOST - 1] = 0xb1;
    assert_eq!(sizes(&TestClass::new(&code)), Ok([1, 0, 0]));
}

/// Conditions of four bytes, `iconst_0; ifeq`, each to what `target` says of its number; then a return.
fn conditions(count: usize, target: impl Fn(usize) -> usize) -> TestClass {
    let mut code = Vec::new();
    for number in 0..count {
        let delta = (4 * target(number)) as i32 - (4 * number as i32 + 1);
        code.push(0x03);
        match i16::try_from(delta) {
            Ok(delta) => code.extend([&[0x99], &delta.to_be_bytes()[..]].concat()),
            Err(_) => code.extend([0x57, 0x00, 0x00]),
        }
    }
    code.push(0xb1);
    TestClass::new(&code)
}

#[test]
fn loops_as_deep_as_code_can_have_them() {
    // All lead back to the first, which is one loop; then each to the one half as far; then pairs that cross.
    let count = 8000;
    assert_eq!(sizes(&conditions(count, |_| 0)), Ok([count + 1, 2 * count, 1]));
    let nested = sizes(&conditions(count, |number| count.saturating_sub(number)));
    assert!(nested.as_ref().is_ok_and(|[_, _, loops]| *loops >= count / 2 - 1), "{nested:?}");
    // Each condition goes to the last block: a row of conditions with one common target.
    assert_eq!(sizes(&conditions(count, |_| count)), Ok([count + 1, 2 * count, 0]));
}

#[test]
fn tangled_jumps_end() {
    for factor in [3, 17, 4099, 7919] {
        let found = sizes(&conditions(8000, |number| number * factor % 8000));
        assert!(found.is_ok(), "{factor}: {found:?}");
    }
}

#[test]
fn nested_loops_that_are_entered_in_their_midst_from_everywhere_end() {
    // 2,000 loops, each around the next, and 4,000 conditions that lead into the innermost: each entry belongs to each loop.
    let target = |number| match number {
        0 => 4000,
        1..4000 => 6000,
        4000..=6000 => number + 1,
        _ => 12_000 - number,
    };
    assert_eq!(sizes(&conditions(8000, target)), Ok([8001, 16_000, 1999]));
}

#[test]
fn handlers_that_cover_everything_again_and_again_are_refused() {
    // 30,000 entries over 30,000 instructions, each of a block of its own: some 10^9 edges.
    let mut class = conditions(8000, |number| number + 1);
    let caught = class.class("E");
    class.handlers = (0..30_000).map(|number| [0, 32_000, (number % 8000) * 4, caught]).collect();
    assert_eq!(sizes(&class), Err(NoGraph::TooInvolved));
    // The first catches everything, so that the others do not count.
    class.handlers[0][3] = 0;
    assert_eq!(sizes(&class), Ok([8001, 2 * 8000 + 8000, 8000 / 8000]));
}
