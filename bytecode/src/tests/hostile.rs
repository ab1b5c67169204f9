//! Legal oddities that the JVM accepts, and class files built to keep the agent busy.

use super::plan;
use crate::instrument;
use crate::plan::Untouched;
use crate::testing::TestMethod;
use spl_classfile::class::ClassFile;
use spl_classfile::code::Code;
use spl_classfile::reader::Reader;
use spl_model::{Refusal, Sizing};

/// The class with `new` instead of `old`, which its Code attribute contains once.
fn with_table(class: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let at = class.windows(old.len()).position(|window| window == old).unwrap();
    let mut class = [&class[..at], new, &class[at + old.len()..]].concat();
    // The four bytes before the Code attribute's info are its length.
    let range =
        ClassFile::read(&TestMethod::default().class_file()).unwrap().methods[0].code.clone().unwrap();
    let length = Reader::starting_at(&class, range.start - 4).u4().unwrap() as usize + new.len() - old.len();
    class[range.start - 4..range.start].copy_from_slice(&(length as u32).to_be_bytes());
    class
}

/// `info` bytes of the attribute `name` of the first method.
fn table(class: &[u8], name: &str) -> Vec<u8> {
    let class = ClassFile::read(class).unwrap();
    let code = Code::read(&class.bytes[class.methods[0].code.clone().unwrap()], &class.pool).unwrap();
    code.attributes.iter().find(|attribute| attribute.name == name.as_bytes()).unwrap().info.to_vec()
}

#[test]
fn variables_that_start_in_one_instruction_stay_apart() {
    // 0: sipush 1000, 3: pop, 4: return. HotSpot verifies the offsets only since version 50, but rejects
    // duplicates in all.
    let method = TestMethod {
        version: 49,
        code: vec![0x11, 3, 0xe8, 0x57, 0xb1],
        max_locals: 1,
        ..TestMethod::default()
    };
    let variable = |start| [0, start, 0, 0, 0, 5, 0, 7, 0, 0];
    let old = [&[0, 0, 0, 12, 0, 1][..], &[0, 0, 0, 5, 0, 5, 0, 7, 0, 0]].concat();
    let new = [&[0, 0, 0, 22, 0, 2][..], &variable(1), &variable(2)].concat();
    let class = with_table(&method.class_file(), &old, &new);
    let rewritten = instrument(&class, &plan(&method, Sizing::None)).unwrap();
    assert!(rewritten.outcomes[0].1.is_ok(), "{:?}", rewritten.outcomes);
    let got = table(&rewritten.bytes, "LocalVariableTable");
    assert_ne!(got[2..12], got[12..22], "HotSpot: Duplicated LocalVariableTable attribute entry");
}

#[test]
fn a_table_of_short_frames_over_all_locals_is_refused() {
    let (code, frames) =
        ([vec![0; 60_000], vec![0xb1]].concat(), [vec![0xea, 0x60], vec![0; 60_000]].concat());
    let method = TestMethod { code, max_locals: 65_000, frames: Some(frames), ..TestMethod::default() };
    let outcome =
        instrument(&method.class_file(), &plan(&method, Sizing::None)).unwrap().outcomes.remove(0).1;
    assert_eq!(outcome.map(drop), Err(Untouched::Refused(Refusal::TableFull("stack maps".to_owned()))));
}

#[test]
fn methods_that_share_a_long_name_are_refused() {
    let one = TestMethod { code: vec![], access: 0x0400, descriptor: "()V", ..TestMethod::default() };
    let class = one.class_file();
    let name = [&[1, 0, 1][..], b"f"].concat();
    let at = class.windows(4).position(|window| window == name).unwrap();
    let long = [&[1, 0xff, 0xff][..], &[b'f'; 65_535]].concat();
    let methods_at = class.len() - 12;
    let method = &class[methods_at + 2..methods_at + 10];
    let head = [&class[..at], &long, &class[at + 4..methods_at]].concat();
    let class = [&head[..], &[0xff, 0xff], &method.repeat(65_535), &[0, 0]].concat();
    let refused = instrument(&class, &plan(&one, Sizing::None));
    assert!(matches!(refused, Err(Refusal::Malformed(why)) if why.contains("names")));
}

#[test]
fn class_files_of_before_java_1_1_are_refused() {
    let mut class = TestMethod { version: 45, ..TestMethod::default() }.class_file();
    for (minor, expected) in [(0, Some(Refusal::OldCode)), (2, Some(Refusal::OldCode)), (3, None)] {
        class[5] = minor;
        assert_eq!(ClassFile::read(&class).err(), expected, "45.{minor}");
    }
}
