//! Calls in a class's code: the sites that the JVM links again after a change, and the calls that reveal
//! probes.

use spl_classfile::class::{ClassFile, Method};
use spl_classfile::instruction::{Insn, decode};
use spl_classfile::mutf8;
use spl_classfile::opcode::{INVOKEDYNAMIC, INVOKESTATIC, MONITORENTER};
use spl_classfile::reader::Reader;

/// The constants of the `invokedynamic` instructions in this bytecode, one for each instruction, because each
/// is linked separately even if several share a constant. Empty for malformed bytecode.
#[must_use]
pub fn call_sites_of(code: &[u8]) -> Vec<u16> {
    let constant = |insn: &Insn<'_>| match *insn.bytes {
        [INVOKEDYNAMIC, high, low, ..] => Some(u16::from_be_bytes([high, low])),
        _ => None,
    };
    decode(code).map_or_else(|_| Vec::new(), |code| code.iter().filter_map(constant).collect())
}

/// The number of the `monitorenter` in this bytecode at which a thread waits, from 1; 0 where there is none, as at the entry of a synchronized
/// method. The offset is that of the instruction, or the one behind it: the interpreter says either. Other code that is added to a method
/// changes offsets, and no number.
#[must_use]
pub fn lock_at(code: &[u8], offset: u32) -> u32 {
    let Ok(code) = decode(code) else { return 0 };
    let locks = code.iter().filter(|insn| insn.opcode == MONITORENTER);
    let before = locks.take_while(|insn| insn.at <= offset).enumerate().last();
    before.filter(|(_, insn)| offset <= insn.end()).map_or(0, |(place, _)| place as u32 + 1)
}

/// Number of calls of static methods in the code of a class's method; `None` if the method does not exist or
/// has no code.
#[must_use]
pub fn static_calls_of(class_bytes: &[u8], name: &str, descriptor: &str) -> Option<usize> {
    let class = ClassFile::read(class_bytes).ok()?;
    let (name, descriptor) = (mutf8::encode(name), mutf8::encode(descriptor));
    let method =
        class.methods.iter().find(|one| one.name == &name[..] && one.descriptor == &descriptor[..])?;
    Some(static_calls(code(&class, method)?))
}

/// Number of calls of static methods in this bytecode. A probe adds some, and the number stays the same when
/// the JVM renumbers constants.
#[must_use]
pub fn static_calls(code: &[u8]) -> usize {
    count(code, INVOKESTATIC)
}

fn count(code: &[u8], opcode: u8) -> usize {
    decode(code).map_or(0, |code| code.iter().filter(|insn| insn.opcode == opcode).count())
}

fn code<'a>(class: &ClassFile<'a>, method: &Method<'_>) -> Option<&'a [u8]> {
    // max_stack and max_locals precede the length of the code (JVMS 4.7.3).
    let mut reader = Reader::starting_at(class.bytes, method.code.clone()?.start + 4);
    let length = reader.u4().ok()? as usize;
    reader.take(length).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestMethod;

    #[test]
    fn each_instruction_is_a_site_also_where_two_share_a_constant() {
        let code = [0xba, 0, 15, 0, 0, 0xba, 1, 2, 0, 0, 0xba, 0, 15, 0, 0, 0xb1];
        assert_eq!(call_sites_of(&code), [15, 258, 15]);
        // Operand bytes may look like the instruction: `sipush 0xbaba; pop; return`.
        assert_eq!(call_sites_of(&[0x11, 0xba, 0xba, 0x57, 0xb1]), [0; 0]);
        assert_eq!(call_sites_of(&code[..3]), [0; 0], "cut off");
    }

    #[test]
    fn a_method_with_a_probe_calls_more_static_methods() {
        use crate::{Plan, Probe};
        use spl_model::{InstrumentId, ProbeKind, Sizing};
        let file = TestMethod::default().class_file();
        let probe = Probe::new("f", "()V", InstrumentId(1), ProbeKind::Times(Sizing::None));
        let woven = crate::instrument(&file, &[probe].into_iter().collect::<Plan>()).unwrap().bytes;
        assert_eq!(static_calls_of(&file, "f", "()V"), Some(0));
        assert!(static_calls_of(&woven, "f", "()V") >= Some(2), "one at the entry and one at the exit");
        assert_eq!(static_calls_of(&woven, "g", "()V"), None);
    }

    #[test]
    fn a_lock_has_a_number_at_its_instruction_and_behind_it() {
        // aload_0, monitorenter, aload_1, monitorenter, bipush 0xc2, return
        let code = [0x2a, 0xc2, 0x2b, 0xc2, 0x10, 0xc2, 0xb1];
        assert_eq!([0, 1, 2, 3, 4, 5].map(|offset| lock_at(&code, offset)), [0, 1, 1, 2, 2, 0]);
        assert_eq!([lock_at(&[], 0), lock_at(&[0xff], 0)], [0, 0], "no code, and no instruction");
    }
}
