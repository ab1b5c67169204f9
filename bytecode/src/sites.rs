//! Calls in a class's code: what a change of the class makes the JVM link anew, and by what a method with probes is known.

use spl_classfile::class::{ClassFile, Method};
use spl_classfile::instruction::decode;
use spl_classfile::mutf8;
use spl_classfile::opcode::{INVOKEDYNAMIC, INVOKESTATIC};
use spl_classfile::pool::{DYNAMIC, INVOKE_DYNAMIC};
use spl_classfile::reader::Reader;
use spl_model::Refusal;

/// How many `invokedynamic` instructions and dynamic constants a class has. Each instruction is linked by itself, also where
/// several share a constant.
///
/// # Errors
/// When the bytes are no class file, or one of an unknown version.
pub fn call_sites(class_bytes: &[u8]) -> Result<u64, Refusal> {
    let class = ClassFile::read(class_bytes)?;
    let tags = || (1..class.pool.count()).filter_map(|index| class.pool.tag(u16::try_from(index).ok()?));
    let constants = tags().filter(|tag| *tag == DYNAMIC).count();
    if tags().all(|tag| tag != INVOKE_DYNAMIC) {
        return Ok(constants as u64);
    }
    let instructions: usize = class.methods.iter().map(|method| of_method(&class, method)).sum();
    Ok((constants + instructions) as u64)
}

/// Those of a method; none of one that is too old to have any, or is malformed.
fn of_method(class: &ClassFile<'_>, method: &Method<'_>) -> usize {
    code(class, method).map_or(0, |code| count(code, INVOKEDYNAMIC))
}

/// How many static methods a method of a class calls, in its text; `None` when there is no such method or it has no code.
#[must_use]
pub fn static_calls_of(class_bytes: &[u8], name: &str, descriptor: &str) -> Option<usize> {
    let class = ClassFile::read(class_bytes).ok()?;
    let (name, descriptor) = (mutf8::encode(name), mutf8::encode(descriptor));
    let method =
        class.methods.iter().find(|one| one.name == &name[..] && one.descriptor == &descriptor[..])?;
    Some(static_calls(code(&class, method)?))
}

/// How many static methods this bytecode calls. A probe calls some, and the JVM changes nothing about that when it renumbers
/// constants.
#[must_use]
pub fn static_calls(code: &[u8]) -> usize {
    count(code, INVOKESTATIC)
}

fn count(code: &[u8], opcode: u8) -> usize {
    decode(code).map_or(0, |code| code.iter().filter(|insn| insn.opcode == opcode).count())
}

fn code<'a>(class: &ClassFile<'a>, method: &Method<'_>) -> Option<&'a [u8]> {
    // max_stack and max_locals stand before the length of the code (JVMS 4.7.3).
    let mut reader = Reader::starting_at(class.bytes, method.code.clone()?.start + 4);
    let length = reader.u4().ok()? as usize;
    reader.take(length).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestMethod;

    #[test]
    fn a_class_without_dynamic_constants_has_no_sites() {
        // Bytes that look like the instruction are no instruction: `sipush 0xbaba; pop; return`.
        let method = TestMethod { code: vec![0x11, 0xba, 0xba, 0x57, 0xb1], ..TestMethod::default() };
        assert_eq!(call_sites(&method.class_file()), Ok(0));
        assert!(call_sites(b"no class").is_err());
    }

    #[test]
    fn each_instruction_is_a_site_also_where_two_share_a_constant() {
        let code = [&[0xba, 0, 15, 0, 0][..], &[0xba, 0, 15, 0, 0], &[0xb1]].concat();
        let file = TestMethod { code, ..TestMethod::default() }.class_file();
        // One constant more at the end of the pool.
        let name = b"LocalVariableTable";
        let end = file.windows(name.len()).position(|bytes| bytes == name).unwrap() + name.len();
        let mut file = [&file[..end], &[INVOKE_DYNAMIC, 0, 0, 0, 8], &file[end..]].concat();
        file[8..10].copy_from_slice(&16_u16.to_be_bytes());
        assert_eq!(call_sites(&file), Ok(2));
    }

    #[test]
    fn a_method_with_a_probe_calls_more_static_methods() {
        use crate::{Plan, Probe, Sizes};
        let file = TestMethod::default().class_file();
        let probe =
            Probe { method_name: "f".to_owned(), descriptor: "()V".to_owned(), id: 1, sizes: Sizes::None };
        let woven = crate::instrument(&file, &[probe].into_iter().collect::<Plan>()).unwrap().bytes;
        assert_eq!(static_calls_of(&file, "f", "()V"), Some(0));
        assert!(static_calls_of(&woven, "f", "()V") >= Some(2), "one at the entry and one at the exit");
        assert_eq!(static_calls_of(&woven, "g", "()V"), None);
    }
}
