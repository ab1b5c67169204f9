//! The rewriter on small classes written by hand.

mod golden;
mod hostile;
pub(crate) mod visits;

use crate::budget::Budget;
use crate::check::check;
use crate::plan::{MethodReport, Plan, Probe, Untouched};
use crate::testing::{OBJECT_CLASS, OBJECT_INIT, TestMethod};
use crate::{inspect, instrument};
use spl_classfile::class::ClassFile;
use spl_classfile::code::Code;
use spl_classfile::instruction::decode;
use spl_classfile::opcode::GOTO_W;
use spl_model::{InstrumentId, ProbeKind, Refusal, Sizing};

fn plan(method: &TestMethod, sizing: Sizing) -> Plan {
    [Probe::new(method.name, method.descriptor, InstrumentId(1), ProbeKind::Times(sizing))]
        .into_iter()
        .collect()
}

/// Rewrites the method. The result was checked and decoded.
fn rewrite(method: &TestMethod, sizing: Sizing) -> Result<(Vec<u8>, MethodReport), Untouched> {
    let original = method.class_file();
    let new = instrument(&original, &plan(method, sizing)).unwrap();
    let outcome = new.outcomes.into_iter().next().unwrap().1;
    if outcome.is_err() {
        assert_eq!(new.bytes, original, "a refused method leaves the class as it was");
    } else {
        let class = ClassFile::read(&new.bytes).unwrap();
        check(&class, &class.methods[0], &mut Budget::default()).unwrap();
    }
    outcome.map(|report| (new.bytes, report))
}

fn refuses(method: &TestMethod, sizing: Sizing, expected: impl Into<Untouched>) {
    assert_eq!(rewrite(method, sizing).map(drop), Err(expected.into()), "{method:?}");
}

fn constructor(code: &[u8]) -> TestMethod {
    TestMethod { access: 1, name: "<init>", max_locals: 3, code: code.to_vec(), ..TestMethod::default() }
}

fn constructor_refusal(reason: &str) -> Refusal {
    Refusal::Constructor(reason.to_owned())
}

#[test]
fn an_empty_plan_gives_back_the_bytes() {
    assert_eq!(instrument(b"no class", &Plan::default()).unwrap().bytes, b"no class");
}

#[test]
fn reports_say_sizes_and_flags() {
    let (_, report) = rewrite(&TestMethod::default(), Sizing::None).unwrap();
    assert_eq!((report.code_bytes_before, report.large, report.intrinsic), (1, false, false));
    let long = TestMethod { code: [vec![0; 8000], vec![0xb1]].concat(), ..TestMethod::default() };
    let (_, report) = rewrite(&long, Sizing::None).unwrap();
    assert!(report.large && report.code_bytes_after > 8000);
}

#[test]
fn what_cannot_be_rewritten_is_refused_by_type() {
    let simple = TestMethod::default;
    refuses(&TestMethod { code: vec![], access: 0x0400, ..simple() }, Sizing::None, Untouched::Abstract);
    refuses(&TestMethod { code: vec![], access: 0x0100, ..simple() }, Sizing::None, Untouched::Native);
    refuses(
        &TestMethod { version: 48, code: vec![0xa8, 0, 3, 0xb1], ..simple() },
        Sizing::None,
        Refusal::Subroutines,
    );
    refuses(
        &TestMethod { max_locals: 65533, ..simple() },
        Sizing::None,
        Refusal::TableFull("local variables".into()),
    );
    let full = TestMethod { code: [vec![0; 65530], vec![0xb1]].concat(), ..simple() };
    assert!(
        matches!(rewrite(&full, Sizing::None), Err(Untouched::Refused(Refusal::TooLarge(size))) if size > 65535)
    );
    let class_refusal =
        |class| instrument(&TestMethod { class, ..simple() }.class_file(), &plan(&simple(), Sizing::None));
    for own in ["java/lang/SplProbe", "spl/Computable", "jdk/internal/misc/Unsafe"] {
        assert_eq!(class_refusal(own), Err(Refusal::OwnClass(own.to_owned())));
    }
    let newer = TestMethod { version: 99, ..simple() }.class_file();
    assert_eq!(instrument(&newer, &plan(&simple(), Sizing::None)), Err(Refusal::UnknownVersion(99)));
}

#[test]
fn probes_do_not_go_in_twice() {
    let method = TestMethod::default();
    let once = instrument(&method.class_file(), &plan(&method, Sizing::None)).unwrap();
    let twice = instrument(&once.bytes, &plan(&method, Sizing::Deep)).unwrap();
    assert_eq!(twice.outcomes[0].1, Err(Refusal::Probed.into()));
    assert_eq!(twice.bytes, once.bytes);
}

#[test]
fn unknown_methods_are_answered_with_near_ones() {
    let mut plan = plan(&TestMethod::default(), Sizing::None);
    plan.add(Probe::new("f", "(I)V", InstrumentId(2), ProbeKind::Times(Sizing::None)));
    let new = instrument(&TestMethod::default().class_file(), &plan).unwrap();
    assert!(new.outcomes[0].1.is_ok());
    assert_eq!(new.outcomes[1].1, Err(Untouched::NoSuchMethod { nearest: vec!["f()V".to_owned()] }));
}

#[test]
fn what_hotspot_treats_specially_is_refused() {
    let finalizer = TestMethod { access: 4, name: "finalize", max_locals: 1, ..TestMethod::default() };
    assert!(matches!(rewrite(&finalizer, Sizing::None), Err(Untouched::Refused(Refusal::Special(_)))));
    let object = TestMethod { class: "java/lang/Object", ..constructor(&[0xb1]) };
    assert!(matches!(rewrite(&object, Sizing::None), Err(Untouched::Refused(Refusal::Special(_)))));
    assert!(rewrite(&TestMethod { code: vec![0, 0xb1], ..finalizer }, Sizing::None).is_ok());
    let continuation = TestMethod { class: "jdk/internal/vm/Continuation", ..TestMethod::default() };
    assert!(matches!(rewrite(&continuation, Sizing::None), Err(Untouched::Refused(Refusal::Special(_)))));
}

#[test]
fn the_region_of_a_constructor_starts_behind_its_super_call() {
    let call = [0xb7, 0, OBJECT_INIT];
    // aload_0 astore_2 aload_2 invokespecial return: found although the object goes through another local.
    assert!(rewrite(&constructor(&[&[0x2a, 0x4d, 0x2c][..], &call, &[0xb1]].concat()), Sizing::None).is_ok());
    refuses(&constructor(&[0x01, 0xbf]), Sizing::None, constructor_refusal("there is none"));
    // new dup invokespecial: the constructor of another object.
    let other = [&[0xbb, 0, OBJECT_CLASS, 0x59][..], &call, &[0xbf]].concat();
    refuses(&constructor(&other), Sizing::None, constructor_refusal("there is none"));
    // iconst_0 ifeq 11; aload_0 init return; 9: nop nop; 11: aload_0 init return
    let twice = [&[0x03, 0x99, 0, 10, 0x2a][..], &call, &[0xb1, 0, 0, 0x2a], &call, &[0xb1]].concat();
    refuses(&constructor(&twice), Sizing::None, constructor_refusal("there are several"));
    // goto 8; 3: aload_0 init return; 8: goto 3
    let back = [&[0xa7, 0, 8, 0x2a][..], &call, &[0xb1, 0xa7, 0xff, 0xfb]].concat();
    let reason = "code after it runs before it, or the reverse";
    refuses(&constructor(&back), Sizing::None, constructor_refusal(reason));
}

#[test]
fn a_replaced_argument_matters_only_to_sizes() {
    // aconst_null astore_1 aload_0 init return
    let code = [&[0x01, 0x4c, 0x2a, 0xb7, 0, OBJECT_INIT][..], &[0xb1]].concat();
    let method = TestMethod { descriptor: "(Ljava/lang/String;)V", ..constructor(&code) };
    assert!(rewrite(&method, Sizing::None).is_ok());
    refuses(&method, Sizing::Shallow, Refusal::ArgumentReplaced);
    let of_int = TestMethod { descriptor: "(I)V", ..constructor(&code) };
    assert!(rewrite(&of_int, Sizing::Deep).is_ok());
}

#[test]
fn branches_widen_when_they_no_longer_reach() {
    // 0: goto 32767 over nops with returns between them, so that the exit code pushes the target out of
    // reach.
    let mut code = vec![0xa7, 0x7f, 0xff];
    code.resize(32766, 0);
    code[32765] = 0xb1;
    code.extend([0, 0xb1]);
    // Frames at 3, 32766 and 32767.
    let frames = Some(vec![0, 3, 3, 251, 0x7f, 0xfa, 0]);
    let method = TestMethod { code: code.clone(), frames, ..TestMethod::default() };
    let opcodes = |method: &TestMethod| -> Vec<u8> {
        let (bytes, _) = rewrite(method, Sizing::None).unwrap();
        let class = ClassFile::read(&bytes).unwrap();
        let code = Code::read(&bytes[class.methods[0].code.clone().unwrap()], &class.pool).unwrap();
        decode(code.bytes).unwrap().iter().map(|insn| insn.opcode).collect()
    };
    assert!(opcodes(&method).contains(&GOTO_W));

    // Now with a condition: its inverse jumps over a goto_w, and the next instruction needs a frame.
    code.splice(0..3, [0x03, 0x99, 0x7f, 0xfe]);
    code.remove(1000);
    let old = TestMethod { version: 49, code, ..TestMethod::default() };
    let widened = opcodes(&old);
    let inverted = widened.iter().position(|opcode| *opcode == 0x9a).unwrap();
    assert_eq!(widened[inverted + 1], GOTO_W);
    let with_frame = TestMethod { version: 52, frames: Some(vec![0, 3, 4, 251, 0x7f, 0xf9, 0]), ..old };
    assert!(opcodes(&with_frame).contains(&GOTO_W));
    let without = TestMethod { frames: Some(vec![0, 2, 251, 0x7f, 0xfe, 0]), ..with_frame };
    assert!(opcodes(&without).contains(&GOTO_W));

    // 0: new Object, 3: dup, 4: iconst_0, 5: ifeq 32772. The object's constructor is called there, and also
    // after falling through.
    let mut code =
        vec![0xbb, 0, OBJECT_CLASS, 0x59, 0x03, 0x99, 0x7f, 0xff, 0xb7, 0, OBJECT_INIT, 0x57, 0xb1];
    // 13: a frame, then nops up to a jump back.
    code.resize(32769, 0);
    code.extend([0xa7, 0x80, 12, 0xb7, 0, OBJECT_INIT, 0x57, 0xb1]);
    let frames = Some([&[0, 2, 13][..], &[255, 0x7f, 0xf6, 0, 0, 0, 2, 8, 0, 0, 8, 0, 0]].concat());
    let uninitialized = TestMethod { version: 52, code, frames, handlers: vec![], ..with_frame };
    assert!(opcodes(&uninitialized).contains(&GOTO_W));
}

#[test]
fn attributes_that_we_do_not_know_stay_as_they_are() {
    let method = TestMethod { code: vec![0, 0xb1], ..TestMethod::default() };
    let known = method.class_file();
    let at = known.windows(15).position(|bytes| bytes == b"LineNumberTable").unwrap();
    let mut unknown = known.clone();
    unknown[at] = b'X';
    let infos = |class: &[u8]| -> Vec<(Vec<u8>, Vec<u8>)> {
        let class = ClassFile::read(class).unwrap();
        let code = Code::read(&class.bytes[class.methods[0].code.clone().unwrap()], &class.pool).unwrap();
        code.attributes.iter().map(|one| (one.name.to_vec(), one.info.to_vec())).collect()
    };
    let new = instrument(&unknown, &plan(&method, Sizing::Deep)).unwrap();
    assert_eq!(infos(&new.bytes)[0], (b"XineNumberTable".to_vec(), infos(&known)[0].1.clone()));
    // The lines of a known attribute move with the code.
    let moved = instrument(&known, &plan(&method, Sizing::Deep)).unwrap();
    assert_ne!(infos(&moved.bytes)[0], infos(&known)[0]);
}

#[test]
fn a_method_whose_frames_the_jvm_forgot_is_rewritten() {
    // 0: iconst_0, 1: ifeq 5, 4: nop, 5: return.
    let code = vec![0x03, 0x99, 0, 4, 0, 0xb1];
    let method = TestMethod { code, ..TestMethod::default() };
    let outcome = |method: &TestMethod| {
        instrument(&method.class_file(), &plan(method, Sizing::None)).unwrap().outcomes.remove(0).1
    };
    assert!(outcome(&method).is_ok());
    // Wrong frames are refused, unlike missing ones.
    let wrong = outcome(&TestMethod { frames: Some(vec![0, 1, 4]), ..method });
    assert!(matches!(wrong, Err(Untouched::Refused(Refusal::Unverified(_)))), "{wrong:?}");
}

#[test]
fn a_second_rewrite_of_the_same_plan_gives_the_same_bytes() {
    let method = TestMethod { descriptor: "(Ljava/lang/String;)V", max_locals: 1, ..TestMethod::default() };
    let once = rewrite(&method, Sizing::Deep).unwrap().0;
    assert_eq!(once, rewrite(&method, Sizing::Deep).unwrap().0);
    // A rewritten class contains all constants already.
    let twice = instrument(&once, &plan(&method, Sizing::Deep)).unwrap().bytes;
    assert_eq!(twice[8..10], once[8..10]);
}

#[test]
fn inspection_tells_what_the_file_says() {
    let info = inspect(&TestMethod::default().class_file()).unwrap();
    assert_eq!((info.name.as_str(), info.super_name.as_deref()), ("T", Some("java/lang/Object")));
    assert_eq!((info.major_version, info.methods.len()), (52, 1));
    assert_eq!((info.methods[0].name.as_str(), info.methods[0].code_bytes), ("f", Some(1)));
}
