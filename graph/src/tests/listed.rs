//! Instructions as text.

use crate::testing::TestClass;
use crate::{Graph, Listed, listing};
use spl_classfile::class::ClassFile;

fn listed(class: &TestClass, most: (usize, usize)) -> (Vec<Listed>, usize) {
    let bytes = class.bytes();
    let class = ClassFile::read(&bytes).unwrap();
    let graph = Graph::of(&class, &class.methods[0]).unwrap();
    listing(&class, &class.methods[0], &graph, most).unwrap()
}

#[test]
fn operands_are_names_and_targets_are_blocks() {
    let mut class = TestClass::new(&[]);
    let call = class.member("p/C", "m", "(I)V");
    let field = class.member("p/C", "f\u{1b}<b>", "I");
    let dynamic = class.dynamic("run", "()Ljava/lang/Runnable;");
    let made = class.class("p/C").to_be_bytes();
    class.lines = vec![[0, 7], [2, 8]];
    class.code = [
        &[0x10, 0xff, 0x11, 0xff, 0x00, 0x84, 1, 0xfe, 0x36, 3, 0xb8][..],
        &call,
        &[0xb2],
        &field,
        &[0xba],
        &dynamic,
        &[0, 0, 0xbb],
        &made,
        &[0xbc, 10, 0x9a, 0, 3, 0xb1],
    ]
    .concat();
    let (all, count) = listed(&class, (100, 9));
    let texts: Vec<&str> = all.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "bipush -1",
            "sipush -256",
            "iinc 1 by -2",
            "istore 3",
            "invokestatic p/C.m(I)V",
            "getstatic p/C.f\u{fffd}<b> I",
            "invokedynamic run()Ljava/lang/Runnable;",
            "new p/C",
            "newarray int",
            "ifne",
            "return"
        ]
    );
    assert_eq!((count, all[9].targets.clone(), all[10].block), (11, vec![(String::new(), 1)], 1));
    assert_eq!([0, 1].map(|place| (all[place].at, all[place].line)), [(0, Some(7)), (2, Some(8))]);
    assert_eq!(listed(&class, (4, 9)).0.len(), 4);
}

#[test]
fn a_switch_has_its_cases_in_both_forms() {
    let switch = |opcode: u8, operands: &[i32]| {
        let mut code = vec![0x03, opcode, 0, 0];
        operands.iter().for_each(|operand| code.extend(operand.to_be_bytes()));
        code.extend([0x00, 0x00, 0xb1]);
        listed(&TestClass::new(&code), (9, 3)).0.remove(1)
    };
    let case = |name: &str, block: usize| (name.to_owned(), block);
    let table = switch(0xaa, &[33, -1, 2, 31, 32, 33, 31]);
    assert_eq!((table.text.as_str(), table.more_targets), ("tableswitch", 2));
    assert_eq!(table.targets, [case("default", 3), case("-1", 1), case("0", 2)]);
    let list = switch(0xab, &[27, 2, -7, 27, 100, 28]);
    assert_eq!((list.text.as_str(), list.more_targets), ("lookupswitch", 0));
    assert_eq!(list.targets, [case("default", 1), case("-7", 1), case("100", 2)]);
}
