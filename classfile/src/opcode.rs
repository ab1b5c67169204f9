//! The instruction set (JVMS 6.5): lengths, and the words that each instruction pops and pushes.

/// `iconst_1`.
pub const ICONST_1: u8 = 0x04;
/// `ldc`.
pub const LDC: u8 = 0x12;
/// `ldc_w`.
pub const LDC_W: u8 = 0x13;
/// `ldc2_w`.
pub const LDC2_W: u8 = 0x14;
/// `iadd`.
pub const IADD: u8 = 0x60;
/// `ior`.
pub const IOR: u8 = 0x80;
/// `iinc`.
pub const IINC: u8 = 0x84;
/// `ifne`.
pub const IFNE: u8 = 0x9a;
/// `goto`.
pub const GOTO: u8 = 0xa7;
/// `jsr`.
pub const JSR: u8 = 0xa8;
/// `ret`.
pub const RET: u8 = 0xa9;
/// `tableswitch`.
pub const TABLESWITCH: u8 = 0xaa;
/// `lookupswitch`.
pub const LOOKUPSWITCH: u8 = 0xab;
/// `ireturn`.
pub const IRETURN: u8 = 0xac;
/// `return`.
pub const RETURN: u8 = 0xb1;
/// `getstatic`.
pub const GETSTATIC: u8 = 0xb2;
/// `putstatic`.
pub const PUTSTATIC: u8 = 0xb3;
/// `invokespecial`.
pub const INVOKESPECIAL: u8 = 0xb7;
/// `invokestatic`.
pub const INVOKESTATIC: u8 = 0xb8;
/// `invokedynamic`.
pub const INVOKEDYNAMIC: u8 = 0xba;
/// `new`.
pub const NEW: u8 = 0xbb;
/// `pop`.
pub const POP: u8 = 0x57;
/// `athrow`.
pub const ATHROW: u8 = 0xbf;
/// `bastore`.
pub const BASTORE: u8 = 0x54;
/// `monitorenter`.
pub const MONITORENTER: u8 = 0xc2;
/// `monitorexit`.
pub const MONITOREXIT: u8 = 0xc3;
/// `wide`.
pub const WIDE: u8 = 0xc4;
/// `multianewarray`.
pub const MULTIANEWARRAY: u8 = 0xc5;
/// `goto_w`.
pub const GOTO_W: u8 = 0xc8;
/// `jsr_w`.
pub const JSR_W: u8 = 0xc9;

/// Bytes of an instruction with its operands; `None` for switches, `wide` and opcodes illegal in a class
/// file.
pub fn length(opcode: u8) -> Option<usize> {
    Some(match opcode {
        0x10 | LDC | 0x15..=0x19 | 0x36..=0x3a | RET | 0xbc => 2,
        0x11
        | LDC_W
        | LDC2_W
        | IINC
        | 0x99..=JSR
        | 0xb2..=INVOKESTATIC
        | NEW
        | 0xbd
        | 0xc0
        | 0xc1
        | 0xc6
        | 0xc7 => 3,
        MULTIANEWARRAY => 4,
        0xb9 | INVOKEDYNAMIC | GOTO_W | JSR_W => 5,
        TABLESWITCH | LOOKUPSWITCH | WIDE | 0xca.. => return None,
        _ => 1,
    })
}

/// A conditional branch with the inverse condition.
pub fn inverted(opcode: u8) -> u8 {
    if opcode >= 0xc6 { opcode ^ 1 } else { ((opcode + 1) ^ 1) - 1 }
}

/// Whether the instruction after this one can be reached only by a branch.
pub fn ends_flow(opcode: u8) -> bool {
    matches!(opcode, GOTO | GOTO_W | TABLESWITCH..=RETURN | ATHROW)
}

/// Whether the instruction returns from the method.
#[must_use]
pub fn is_return(opcode: u8) -> bool {
    matches!(opcode, IRETURN..=RETURN)
}

/// The types that an instruction pops and pushes, deepest first, if its opcode fixes them: `I`, `J`, `F`, `D`
/// (a long or double takes two stack words), `A` any reference. `None` if they depend on operands or the
/// stack.
pub fn signature(opcode: u8) -> Option<(&'static str, &'static str)> {
    Some(match opcode {
        0x00 | IINC | GOTO | GOTO_W | RETURN => ("", ""),
        0x02..=0x08 | 0x10 | 0x11 => ("", "I"),
        0x09 | 0x0a => ("", "J"),
        0x0b..=0x0d => ("", "F"),
        0x0e | 0x0f => ("", "D"),
        0x2e | 0x33..=0x35 => ("AI", "I"),
        0x2f => ("AI", "J"),
        0x30 => ("AI", "F"),
        0x31 => ("AI", "D"),
        0x4f | 0x54..=0x56 => ("AII", ""),
        0x50 => ("AIJ", ""),
        0x51 => ("AIF", ""),
        0x52 => ("AID", ""),
        0x53 => ("AIA", ""),
        0x60..=0x83 => return arithmetic(opcode),
        0x85..=0x93 => return conversion(opcode),
        0x94 => ("JJ", "I"),
        0x95 | 0x96 => ("FF", "I"),
        0x97 | 0x98 => ("DD", "I"),
        0x99..=0x9e | TABLESWITCH | LOOKUPSWITCH | IRETURN => ("I", ""),
        0x9f..=0xa4 => ("II", ""),
        0xa5 | 0xa6 => ("AA", ""),
        0xad => ("J", ""),
        0xae => ("F", ""),
        0xaf => ("D", ""),
        0xb0 | ATHROW | 0xc2 | 0xc3 | 0xc6 | 0xc7 => ("A", ""),
        0xbe | 0xc1 => ("A", "I"),
        _ => return None,
    })
}

fn arithmetic(opcode: u8) -> Option<(&'static str, &'static str)> {
    let unary = matches!(opcode, 0x74..=0x77);
    Some(match (opcode, opcode & 3) {
        (0x79 | 0x7b | 0x7d, _) => ("JI", "J"),
        (0x78 | 0x7a | 0x7c | 0x7e | 0x80 | 0x82, _) => ("II", "I"),
        (0x7f | 0x81 | 0x83, _) => ("JJ", "J"),
        (_, 0) => (if unary { "I" } else { "II" }, "I"),
        (_, 1) => (if unary { "J" } else { "JJ" }, "J"),
        (_, 2) => (if unary { "F" } else { "FF" }, "F"),
        _ => (if unary { "D" } else { "DD" }, "D"),
    })
}

fn conversion(opcode: u8) -> Option<(&'static str, &'static str)> {
    // i2l i2f i2d, l2i l2f l2d, f2i f2l f2d, d2i d2l d2f, then i2b i2c i2s.
    const FROM: [&str; 15] = ["I", "I", "I", "J", "J", "J", "F", "F", "F", "D", "D", "D", "I", "I", "I"];
    const TO: [&str; 15] = ["J", "F", "D", "I", "F", "D", "I", "J", "D", "I", "J", "F", "I", "I", "I"];
    let at = usize::from(opcode.checked_sub(0x85)?);
    Some((FROM.get(at)?, TO.get(at)?))
}

/// Stack words of one half of a signature.
pub fn words(types: &str) -> usize {
    types.bytes().map(|kind| if matches!(kind, b'J' | b'D') { 2 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverting_twice_is_the_same_branch() {
        for opcode in (0x99..=0xa6).chain([0xc6, 0xc7]) {
            assert_ne!(inverted(opcode), opcode);
            assert_eq!(inverted(inverted(opcode)), opcode);
            assert_eq!(signature(inverted(opcode)), signature(opcode));
        }
        assert_eq!((inverted(0x99), inverted(0xa5), inverted(0xc6)), (0x9a, 0xa6, 0xc7));
    }

    #[test]
    fn signatures_of_the_families() {
        let check = |opcode, expected| assert_eq!(signature(opcode), Some(expected), "{opcode:#x}");
        check(0x60, ("II", "I"));
        check(0x73, ("DD", "D"));
        check(0x75, ("J", "J"));
        check(0x7d, ("JI", "J"));
        check(0x83, ("JJ", "J"));
        check(0x88, ("J", "I"));
        check(0x90, ("D", "F"));
        check(0x93, ("I", "I"));
        assert_eq!(words("AIJ"), 4);
    }
}
