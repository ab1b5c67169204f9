//! The effect of one instruction on the stack and the locals (JVMS 4.10.1.9).

use super::state::{Classes, Fault, State, Word};
use crate::budget::Budget;
use spl_classfile::instruction::Insn;
use spl_classfile::opcode::{self, IINC, INVOKEDYNAMIC, INVOKESPECIAL, INVOKESTATIC, MULTIANEWARRAY, NEW};
use spl_classfile::pool::{self, Pool};

/// Executes `insn` on `state`. `result` is the method's return type.
pub(super) fn execute(
    insn: &Insn<'_>,
    state: &mut State,
    pool: &Pool<'_>,
    result: Option<Word>,
    classes: &mut impl Classes,
    budget: &mut Budget,
) -> Result<(), Fault> {
    if opcode::is_return(insn.opcode) {
        return leave(insn, state, result);
    }
    if let Some(access) = insn.local_access() {
        return state.access(access);
    }
    match insn.opcode {
        // Comparisons and monitors accept objects under construction, too.
        0xa5 | 0xa6 => {
            state.pop_any_reference()?;
            state.pop_any_reference()?;
        }
        0xc2 | 0xc3 | 0xc6 | 0xc7 => drop(state.pop_any_reference()?),
        IINC if state.local(usize::from(insn.slot()))? != Word::Int => {
            return Err(format!("local {} is not an int", insn.slot()));
        }
        0x01 => state.push(Word::Null),
        opcode::LDC..=opcode::LDC2_W => constant(insn, state, pool, classes)?,
        0x32 => {
            state.pop(Word::Int)?;
            let element = match state.pop_any_reference()? {
                Word::Reference(array) => Word::Reference(classes.element(array)?),
                Word::Null => Word::Null,
                other @ (Word::Top
                | Word::Int
                | Word::Float
                | Word::Long
                | Word::Double
                | Word::Second
                | Word::UninitializedThis
                | Word::Uninitialized(_)) => return Err(format!("the stack holds {other:?}, not an array")),
            };
            state.push(element);
        }
        0x57..=0x5f => stack_operation(insn.opcode, state)?,
        0xb2..=0xb5 => field(insn, state, pool, classes)?,
        0xb6..=INVOKEDYNAMIC => invoke(insn, state, pool, classes, budget)?,
        NEW => allocate(insn, state, pool)?,
        0xbc => {
            state.pop(Word::Int)?;
            let kind = insn.bytes.get(1).and_then(|code| PRIMITIVES.get(usize::from(code.wrapping_sub(4))));
            let kind = kind.ok_or("an array of an unknown type is made")?;
            state.push(Word::Reference(classes.named(&[b'[', *kind])?));
        }
        0xbd => {
            state.pop(Word::Int)?;
            let array = array_of(pool.class(insn.index()).map_err(|e| e.to_string())?);
            state.push(Word::Reference(classes.named(&array)?));
        }
        0xc0 => {
            state.pop(Word::OBJECT)?;
            state.push(class_operand(insn, pool, classes)?);
        }
        MULTIANEWARRAY => {
            for _ in 0..insn.bytes.get(3).copied().unwrap_or_default() {
                state.pop(Word::Int)?;
            }
            state.push(class_operand(insn, pool, classes)?);
        }
        other => {
            let (popped, pushed) =
                opcode::signature(other).ok_or_else(|| format!("no instruction {other:#x}"))?;
            popped.bytes().rev().try_for_each(|kind| state.pop(Word::of_kind(kind)))?;
            pushed.bytes().for_each(|kind| state.push(Word::of_kind(kind)));
        }
    }
    Ok(())
}

/// Element types of `newarray`, by its operand minus 4 (JVMS 6.5), as descriptors.
const PRIMITIVES: [u8; 8] = *b"ZCFDBSIJ";

/// Name of the array class whose elements have the class that a constant names `element`.
fn array_of(element: &[u8]) -> Vec<u8> {
    match element {
        [b'[', ..] => [b"[", element].concat(),
        _ => [b"[L", element, b";"].concat(),
    }
}

fn class_operand(insn: &Insn<'_>, pool: &Pool<'_>, classes: &mut impl Classes) -> Result<Word, Fault> {
    let name = pool.class(insn.index()).map_err(|e| e.to_string())?;
    Ok(Word::Reference(classes.named(name)?))
}

fn leave(insn: &Insn<'_>, state: &mut State, result: Option<Word>) -> Result<(), Fault> {
    let kind = opcode::signature(insn.opcode).and_then(|(popped, _)| popped.bytes().next());
    if kind.map(Word::of_kind) != result {
        return Err("the return instruction does not fit the descriptor".to_owned());
    }
    if state.constructing {
        return Err("the constructor returns before its object is initialised".to_owned());
    }
    result.map_or(Ok(()), |word| state.pop(word))
}

fn constant(
    insn: &Insn<'_>,
    state: &mut State,
    pool: &Pool<'_>,
    classes: &mut impl Classes,
) -> Result<(), Fault> {
    let tag = pool.tag(insn.index()).unwrap_or_default();
    let word = match tag {
        pool::INTEGER => Word::Int,
        pool::FLOAT => Word::Float,
        pool::LONG => Word::Long,
        pool::DOUBLE => Word::Double,
        pool::STRING => Word::Reference(classes.named(b"java/lang/String")?),
        pool::CLASS => Word::Reference(classes.named(b"java/lang/Class")?),
        pool::METHOD_HANDLE => Word::Reference(classes.named(b"java/lang/invoke/MethodHandle")?),
        pool::METHOD_TYPE => Word::Reference(classes.named(b"java/lang/invoke/MethodType")?),
        pool::DYNAMIC => {
            field_word(pool.member(insn.index()).map_err(|e| e.to_string())?.descriptor, classes)?
        }
        _ => return Err(format!("constant {} cannot be loaded", insn.index())),
    };
    if matches!(word, Word::Long | Word::Double) != (insn.opcode == opcode::LDC2_W) {
        return Err(format!("constant {} has the wrong width", insn.index()));
    }
    state.push(word);
    Ok(())
}

fn field_word(descriptor: &[u8], classes: &mut impl Classes) -> Result<Word, Fault> {
    Ok(match descriptor {
        [b'Z' | b'B' | b'C' | b'S' | b'I'] => Word::Int,
        [kind @ (b'J' | b'F' | b'D')] => Word::of_kind(*kind),
        [b'L', name @ .., b';'] => Word::Reference(classes.named(name)?),
        [b'[', ..] => Word::Reference(classes.named(descriptor)?),
        _ => return Err("a field has no legal descriptor".to_owned()),
    })
}

fn stack_operation(opcode: u8, state: &mut State) -> Result<(), Fault> {
    match opcode {
        0x57 => state.shuffle(&[1], &[]),
        0x58 => state.shuffle(&[2], &[]),
        0x59 => state.shuffle(&[1], &[0, 0]),
        0x5a => state.shuffle(&[1, 2], &[1, 0, 1]),
        0x5b => state.shuffle(&[1, 3], &[2, 0, 1, 2]),
        0x5c => state.shuffle(&[2], &[0, 1, 0, 1]),
        0x5d => state.shuffle(&[2, 3], &[1, 2, 0, 1, 2]),
        0x5e => state.shuffle(&[2, 4], &[2, 3, 0, 1, 2, 3]),
        _ => state.shuffle(&[1, 2], &[1, 0]),
    }
}

fn field(
    insn: &Insn<'_>,
    state: &mut State,
    pool: &Pool<'_>,
    classes: &mut impl Classes,
) -> Result<(), Fault> {
    let member = pool.member(insn.index()).map_err(|e| e.to_string())?;
    let word = field_word(member.descriptor, classes)?;
    let (is_put, has_object) = (insn.opcode & 1 == 1, insn.opcode >= 0xb4);
    if is_put {
        state.pop(word)?;
    }
    if has_object {
        let object = state.pop_any_reference()?;
        // A constructor may set fields of its object before it calls super(…).
        if !(object.is_object() || is_put && object == Word::UninitializedThis) {
            return Err("a field of an uninitialised object is used".to_owned());
        }
    }
    if !is_put {
        state.push(word);
    }
    Ok(())
}

fn invoke(
    insn: &Insn<'_>,
    state: &mut State,
    pool: &Pool<'_>,
    classes: &mut impl Classes,
    budget: &mut Budget,
) -> Result<(), Fault> {
    let member = pool.member(insn.index()).map_err(|e| e.to_string())?;
    budget.spend_text(member.descriptor.len()).map_err(|e| e.to_string())?;
    let result = state.pop_arguments(member.descriptor)?;
    let is_init = member.name == b"<init>";
    match insn.opcode {
        INVOKESTATIC | INVOKEDYNAMIC => {}
        INVOKESPECIAL if is_init => {
            let object = state.pop_word()?;
            if !object.is_uninitialized() {
                return Err(format!("a constructor is called on {object:?}"));
            }
            // `this(…)` or `super(…)`; otherwise the constructor belongs to the new object's own class.
            let is_this = object == Word::UninitializedThis;
            let class = if is_this { classes.this()? } else { classes.named(member.class)? };
            state.initialise(object, class);
        }
        _ => state.pop(Word::OBJECT)?,
    }
    if is_init && insn.opcode != INVOKESPECIAL {
        return Err("a constructor is called as a method".to_owned());
    }
    if let Some(field) = result {
        state.push(Word::of_field(field, classes)?);
    }
    Ok(())
}

fn allocate(insn: &Insn<'_>, state: &mut State, pool: &Pool<'_>) -> Result<(), Fault> {
    let object = Word::Uninitialized(insn.at);
    if pool.tag(insn.index()) != Some(pool::CLASS) || state.stack.contains(&object) {
        return Err("a new object cannot be made here".to_owned());
    }
    state.locals.iter_mut().filter(|word| **word == object).for_each(|word| *word = Word::Top);
    state.push(object);
    Ok(())
}
