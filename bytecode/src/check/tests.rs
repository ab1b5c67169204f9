//! Correct methods pass, and each kind of mistake is found.

use crate::budget::Budget;
use crate::check::check;
use crate::testing::{OBJECT_CLASS, OBJECT_INIT, TestMethod};
use spl_classfile::class::ClassFile;

fn verdict(method: &TestMethod) -> Result<(), String> {
    let bytes = method.class_file();
    let class = ClassFile::read(&bytes).unwrap();
    check(&class, &class.methods[0], &mut Budget::default()).map_err(|refusal| refusal.to_string())
}

fn passes(method: &TestMethod) {
    assert_eq!(verdict(method), Ok(()), "{method:?}");
}

fn fails(method: &TestMethod, because: &str) {
    let message = verdict(method).expect_err(&format!("should fail: {method:?}"));
    assert!(message.contains(because), "{message} is not about {because}");
}

fn code(code: &[u8]) -> TestMethod {
    TestMethod { code: code.to_vec(), max_locals: 2, ..TestMethod::default() }
}

#[test]
fn types_of_operands_are_strict() {
    passes(&code(&[0x03, 0x3b, 0xb1])); // iconst_0 istore_0 return
    fails(&code(&[0x03, 0x3f, 0xb1]), "should hold Long"); // iconst_0 lstore_0
    fails(&code(&[0x0b, 0x3b, 0xb1]), "Float"); // fconst_0 istore_0
    fails(&code(&[0x1a, 0xb1]), "local 0"); // iload_0 of nothing
    fails(&code(&[0x09, 0x57, 0xb1]), "cut in two"); // lconst_0 pop
    fails(&code(&[0x09, 0x40, 0x57, 0xb1]), "no local"); // lstore_1 with two locals
    fails(&code(&[0x09, 0x3f, 0x03, 0x3c, 0x1e, 0xb1]), "local 0"); // a long whose second half is overwritten
    fails(&code(&[0x03, 0xac]), "descriptor"); // ireturn from void
    fails(&code(&[0xca, 0xb1]), "no instruction");
    fails(&code(&[0x12, 11, 0x57, 0xb1]), "cannot be loaded"); // ldc of a Utf8
}

#[test]
fn declared_limits_and_the_end_of_the_code_are_kept() {
    fails(&TestMethod { max_stack: 1, ..code(&[0x03, 0x03, 0x58, 0xb1]) }, "overflows");
    fails(&code(&[0x03, 0x57]), "falls off");
}

#[test]
fn branches_need_frames_that_fit() {
    // 0: iconst_0, 1: ifeq 5, 4: nop, 5: return
    let branch = code(&[0x03, 0x99, 0, 4, 0x00, 0xb1]);
    fails(&branch, "has no frame");
    passes(&TestMethod { frames: Some(vec![0, 1, 5]), ..branch.clone() });
    // A frame that expects an int in local 0.
    fails(&TestMethod { frames: Some(vec![0, 1, 252, 0, 5, 1]), ..branch.clone() }, "does not fit");
    // A frame that expects a word on the stack.
    fails(&TestMethod { frames: Some(vec![0, 1, 64 + 5, 1]), ..branch }, "does not fit");
    // 0: goto 4, 3: nop: no path leads there, and no frame describes it.
    fails(
        &TestMethod { frames: Some(vec![0, 1, 4]), ..code(&[0xa7, 0, 4, 0, 0xb1]) },
        "there is no frame at 3",
    );
    // 0: sipush, 3: pop, 4: return, with a frame inside sipush.
    fails(
        &TestMethod { frames: Some(vec![0, 1, 1]), ..code(&[0x11, 0, 0, 0x57, 0xb1]) },
        "between two instructions",
    );
}

#[test]
fn handlers_need_frames_that_fit_all_they_cover() {
    // 0: iconst_0, 1: istore_0, 2: return, 3: athrow
    let base = TestMethod { handlers: vec![[0, 3, 3]], ..code(&[0x03, 0x3b, 0xb1, 0xbf]) };
    let throwable = |locals: &[u8]| {
        let full =
            [&[0, 1, 255, 0, 3, 0, locals.len() as u8][..], locals, &[0, 1, 7, 0, OBJECT_CLASS]].concat();
        Some(full)
    };
    passes(&TestMethod { frames: throwable(&[]), ..base.clone() });
    fails(&TestMethod { frames: throwable(&[1]), ..base.clone() }, "handler at 3");
    passes(&TestMethod { frames: throwable(&[1]), handlers: vec![[2, 3, 3]], ..base.clone() });
    fails(&TestMethod { frames: Some(vec![0, 1, 3]), ..base.clone() }, "does not fit");
    fails(&TestMethod { frames: throwable(&[]), handlers: vec![[2, 2, 3]], ..base }, "exception handler");
}

#[test]
fn uninitialised_objects_are_strict() {
    let constructor = |code: &[u8]| TestMethod {
        access: 1,
        name: "<init>",
        code: code.to_vec(),
        max_locals: 2,
        ..TestMethod::default()
    };
    passes(&constructor(&[0x2a, 0xb7, 0, OBJECT_INIT, 0xb1])); // aload_0 invokespecial return
    fails(&constructor(&[0xb1]), "before its object is initialised");
    fails(&constructor(&[0x2a, 0xbf]), "not Reference"); // athrow of this
    fails(
        &constructor(&[0x2a, 0xb7, 0, OBJECT_INIT, 0x2a, 0xb7, 0, OBJECT_INIT, 0xb1]),
        "constructor is called on",
    );
    let new = |tail: &[u8]| code(&[&[0xbb, 0, OBJECT_CLASS][..], tail].concat());
    passes(&new(&[0x59, 0xb7, 0, OBJECT_INIT, 0x57, 0xb1])); // dup invokespecial pop return
    passes(&new(&[0x4b, 0xb1])); // astore_0 return
    fails(&new(&[0xbf]), "not Reference");
    fails(&new(&[0xc0, 0, OBJECT_CLASS, 0x57, 0xb1]), "not Reference"); // checkcast
}

#[test]
fn old_methods_get_the_reduced_check() {
    let old = |bytes: &[u8]| TestMethod { version: 49, ..code(bytes) };
    passes(&old(&[0x03, 0x99, 0, 4, 0x00, 0xb1]));
    fails(&old(&[0x03, 0x57, 0x57, 0xb1]), "underflows");
    fails(&old(&[0x03, 0x99, 0, 5, 0x00, 0xb1]), "reached");
}
