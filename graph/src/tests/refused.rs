//! Code that has no graph, and why.

use crate::testing::TestClass;
use crate::{Graph, NoGraph};
use spl_classfile::class::ClassFile;
use spl_model::Refusal;

fn graph_of(class: &TestClass) -> Result<usize, NoGraph> {
    let bytes = class.bytes();
    let class = ClassFile::read(&bytes)?;
    Graph::of(&class, &class.methods[0]).map(|graph| graph.blocks.len())
}

fn malformed(class: &TestClass, part: &str) {
    match graph_of(class) {
        Err(NoGraph::Refused(Refusal::Malformed(why))) => assert!(why.contains(part), "{why}"),
        other => panic!("{class:?}: {other:?}"),
    }
}

#[test]
fn broken_code_is_refused() {
    malformed(&TestClass::new(&[]), "0 bytes of code");
    malformed(&TestClass::new(&[0x11, 0]), "ends in the middle");
    malformed(&TestClass::new(&[0xfd]), "no instruction 0xfd");
    malformed(&TestClass::new(&[0xa7, 0, 4, 0x11, 0, 0, 0xb1]), "no instruction starts at offset 4");
    malformed(&TestClass::new(&[0xa7, 0, 99]), "no instruction starts at offset 99");
    malformed(&TestClass::new(&[0xa7, 0xff, 0xff]), "leaves the code");
    malformed(&TestClass::new(&[0x03]), "run past its end");
    malformed(&TestClass::new(&[0x03, 0x99, 0xff, 0xff]), "run past its end");
    malformed(&TestClass::new(&[0xb8, 0, 1, 0xb1]), "not a member reference");
    malformed(&TestClass::new(&[0xbb, 0, 1, 0xb1]), "should have the tag");
}

#[test]
fn ranges_that_cover_nothing_or_half_an_instruction_are_refused() {
    // 0: sipush, 3: pop, 4: return.
    let covered = |handler: [u16; 3]| TestClass::covered(&[0x11, 0, 0, 0x57, 0xb1], &[handler]);
    for range in [[3, 3], [4, 3], [1, 4], [0, 2], [0, 6], [5, 5], [5, 6]] {
        malformed(&covered([range[0], range[1], 4]), "not instructions");
    }
    malformed(&covered([0, 5, 2]), "no instruction starts at offset 2");
    malformed(&covered([0, 5, 5]), "no instruction starts at offset 5");
    assert_eq!(graph_of(&covered([0, 5, 4])), Ok(2));
    let mut class = covered([0, 5, 4]);
    class.handlers[0][3] = 1;
    malformed(&class, "should have the tag");
}

#[test]
fn subroutines_and_methods_without_code_are_named() {
    // jsr 3; ret 0.
    let subroutine = graph_of(&TestClass::new(&[0xa8, 0, 3, 0xa9, 0]));
    assert_eq!(subroutine, Err(NoGraph::Refused(Refusal::Subroutines)));
    let bytes = TestClass::new(&[0xb1]).bytes();
    let mut class = ClassFile::read(&bytes).unwrap();
    class.methods[0].code = None;
    assert_eq!(Graph::of(&class, &class.methods[0]), Err(NoGraph::NoCode));
    class.methods[0].code = Some(0..usize::MAX);
    assert!(matches!(Graph::of(&class, &class.methods[0]), Err(NoGraph::Refused(_))));
    assert!(!NoGraph::NoCode.to_string().is_empty() && !NoGraph::TooInvolved.to_string().is_empty());
}
