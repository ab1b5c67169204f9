//! The instructions of a method as text, for readers.

use crate::forms::name_of;
use crate::graph::Graph;
use crate::lines::Lines;
use crate::no_graph::NoGraph;
use spl_classfile::class::{ClassFile, Method};
use spl_classfile::code::Code;
use spl_classfile::instruction::{Insn, decode, padding};
use spl_classfile::mnemonic::mnemonic;
use spl_classfile::mutf8;
use spl_classfile::opcode::{
    IINC, INVOKEDYNAMIC, LDC, LDC_W, LDC2_W, LOOKUPSWITCH, MULTIANEWARRAY, NEW, TABLESWITCH,
};
use spl_classfile::pool::{Constant, Member, Pool};
use spl_classfile::reader::malformed;
use spl_model::one_line;

/// Most characters of an operand; a longer one, such as a long string, is cut.
const LONGEST: usize = 200;

/// An instruction as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Its offset.
    pub at: u32,
    /// Its source line; `None` where the class file has none for it.
    pub line: Option<u16>,
    /// Its block.
    pub block: usize,
    /// Its name and its operand, on one line: names for indices of constants, no targets.
    pub text: String,
    /// The blocks that it may jump to, with the case of a switch; most of a large switch may be missing.
    pub targets: Vec<(String, usize)>,
    /// Number of targets that are missing.
    pub more_targets: usize,
}

/// The first instructions of a method, at most `most`, and the number of all. Of a switch at most `most_targets` cases are listed.
///
/// # Errors
/// When the code breaks the format, or is not that of the graph.
pub fn listing(
    class: &ClassFile<'_>,
    method: &Method<'_>,
    graph: &Graph<'_>,
    (most, most_targets): (usize, usize),
) -> Result<(Vec<Listed>, usize), NoGraph> {
    let range = method.code.clone().ok_or(NoGraph::NoCode)?;
    let info = class.bytes.get(range).ok_or_else(|| malformed("a method's code is not in its class"))?;
    let code = Code::read(info, &class.pool)?;
    let (insns, lines) = (decode(code.bytes)?, Lines::read(&code)?);
    let one = |insn: &Insn<'_>| {
        let block = graph.block_of(insn.at).ok_or_else(|| malformed("the code is not that of the graph"))?;
        let all = targets(insn);
        let known = |(case, at): (String, u32)| Some((case, graph.block_from(at)?));
        Ok(Listed {
            at: insn.at,
            line: lines.at(insn.at),
            block,
            more_targets: all.len().saturating_sub(most_targets),
            targets: all.into_iter().take(most_targets).filter_map(known).collect(),
            text: text(insn, &class.pool),
        })
    };
    Ok((insns.iter().take(most).map(one).collect::<Result<_, NoGraph>>()?, insns.len()))
}

/// The name of an instruction with its operand.
fn text(insn: &Insn<'_>, pool: &Pool<'_>) -> String {
    let operand = operand(insn, pool);
    let all = format!("{} {operand}", mnemonic(insn.opcode));
    let all = one_line(all.trim_end());
    match all.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &all[..end]),
        None => all,
    }
}

fn operand(insn: &Insn<'_>, pool: &Pool<'_>) -> String {
    let (index, bytes) = (insn.index(), insn.bytes);
    let name = |bytes: &[u8]| mutf8::decode(bytes);
    match insn.opcode {
        0x10 => bytes.get(1).map_or_else(String::new, |byte| (*byte as i8).to_string()),
        0x11 => (index as i16).to_string(),
        LDC | LDC_W | LDC2_W => pool.constant(index).map_or_else(|| unknown(index), constant),
        0x15..=0x19 | 0x36..=0x3a => insn.slot().to_string(),
        IINC => format!("{} by {}", insn.slot(), increment(bytes)),
        // Fields and methods.
        0xb2..=0xb5 => pool.member(index).map_or_else(|_| unknown(index), |of| field(&of)),
        0xb6..=INVOKEDYNAMIC => pool.member(index).map_or_else(|_| unknown(index), |of| called(&of)),
        0xbc => elements(bytes.get(1).copied()).to_owned(),
        NEW | 0xbd | 0xc0 | 0xc1 => pool.class(index).map_or_else(|_| unknown(index), name),
        MULTIANEWARRAY => {
            let class = pool.class(index).map_or_else(|_| unknown(index), name);
            format!("{class}, {} dimensions", bytes.get(3).copied().unwrap_or(0))
        }
        _ => String::new(),
    }
}

/// An index whose constant is of another kind. Code that never ran may have some.
fn unknown(index: u16) -> String {
    format!("#{index}")
}

fn increment(bytes: &[u8]) -> i16 {
    match *bytes {
        [_, _, _, _, high, low] => i16::from_be_bytes([high, low]),
        [_, _, by] => i16::from(by as i8),
        _ => 0,
    }
}

fn field(of: &Member<'_>) -> String {
    let [class, name, descriptor] = [of.class, of.name, of.descriptor].map(mutf8::decode);
    format!("{class}.{name} {descriptor}")
}

fn called(of: &Member<'_>) -> String {
    match of.class {
        [] => format!("{}{}", mutf8::decode(of.name), mutf8::decode(of.descriptor)),
        class => name_of(class, of.name, of.descriptor),
    }
}

fn constant(of: Constant<'_>) -> String {
    match of {
        Constant::Int(value) => value.to_string(),
        Constant::Float(value) => format!("{value:?}f"),
        Constant::Long(value) => format!("{value}L"),
        Constant::Double(value) => format!("{value:?}d"),
        Constant::String(text) => quoted(&mutf8::decode(text)),
        Constant::Class(name) => format!("class {}", mutf8::decode(name)),
        Constant::MethodType(descriptor) => mutf8::decode(descriptor),
        Constant::MethodHandle(of) => called(&of),
        Constant::Dynamic(of) => format!("dynamic {}", mutf8::decode(of.name)),
    }
}

/// A string as in source code, as far as it is shown.
fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for one in text.chars().take(LONGEST) {
        match one {
            '"' | '\\' => quoted.extend(['\\', one]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            _ => quoted.push(one),
        }
    }
    quoted.push('"');
    quoted
}

/// The type of an array's elements (JVMS 6.5, `newarray`).
fn elements(number: Option<u8>) -> &'static str {
    const TYPES: [&str; 8] = ["boolean", "char", "float", "double", "byte", "short", "int", "long"];
    let place = number.and_then(|number| number.checked_sub(4));
    place.and_then(|place| TYPES.get(usize::from(place))).copied().unwrap_or("?")
}

/// Targets of an instruction as offsets, each with its case: empty but in a switch.
fn targets(insn: &Insn<'_>) -> Vec<(String, u32)> {
    let all = insn.targets();
    match insn.opcode {
        TABLESWITCH | LOOKUPSWITCH => {
            let cases = cases(insn).map(|case| case.to_string());
            std::iter::once("default".to_owned()).chain(cases).zip(all).collect()
        }
        _ => all.map(|target| (String::new(), target)).collect(),
    }
}

/// The cases of a switch, in the order of its targets.
fn cases<'a>(insn: &Insn<'a>) -> impl Iterator<Item = i32> + 'a {
    let operands = insn.bytes.get(1 + padding(insn.at as usize)..).unwrap_or_default();
    let (words, _) = operands.as_chunks::<4>();
    let word = |place: usize| words.get(place).map_or(0, |word| i32::from_be_bytes(*word));
    let (is_table, low) = (insn.opcode == TABLESWITCH, word(1));
    // A table has its default, bounds and targets; a list its default, length, and pairs.
    let (skipped, step) = if is_table { (3, 1) } else { (2, 2) };
    let rest = words.iter().skip(skipped).step_by(step);
    (0..).zip(rest).map(
        move |(place, word)| {
            if is_table { low.wrapping_add(place) } else { i32::from_be_bytes(*word) }
        },
    )
}
