//! The start of a method's measured region.

use crate::flow::FlowFacts;
use spl_classfile::instruction::Insn;
use spl_classfile::opcode;
use spl_classfile::signature::{Field, Signature};
use spl_model::{Refusal, Sizing};

/// Index of the first instruction of the region: 0, but in constructors the instruction after `this(…)` or
/// `super(…)`.
///
/// The body's handler covers everything from there on, so none of that code may run before the call.
pub(crate) fn start(constructs: bool, facts: &FlowFacts) -> Result<usize, Refusal> {
    if !constructs {
        return Ok(0);
    }
    let refuse = |reason: &str| Err(Refusal::Constructor(reason.to_owned()));
    let call = match facts.init_calls[..] {
        [call] => call,
        [] => return refuse("there is none"),
        _ => return refuse("there are several"),
    };
    for (index, height) in facts.heights.iter().enumerate() {
        let runs_before = facts.before_init.get(index) == Some(&true);
        if height.is_some() && runs_before != (index <= call) {
            return refuse("code after it runs before it, or the reverse");
        }
    }
    Ok(call + 1)
}

/// Whether a parameter's slot that `sizing` reads is written before instruction `start`.
pub(crate) fn replaces_argument(
    insns: &[Insn<'_>],
    start: usize,
    signature: &Signature<'_>,
    first_slot: u16,
    sizing: &Sizing,
) -> bool {
    // The width of a number does not depend on its value.
    let all = matches!(sizing, Sizing::Length | Sizing::Processor(_));
    let mut slots = Vec::new();
    for (slot, field) in
        parameter_slots(signature, first_slot).filter(|(_, field)| all || field.is_reference())
    {
        slots.push(slot);
        slots.extend((field.words() == 2).then_some(slot + 1));
    }
    insns.iter().take(start).any(|insn| match insn.local_access() {
        Some(access) if access.is_store => {
            let second = if matches!(access.kind, b'J' | b'D') { access.slot.checked_add(1) } else { None };
            slots.iter().any(|slot| *slot == access.slot || Some(*slot) == second)
        }
        _ => insn.opcode == opcode::IINC && slots.contains(&insn.slot()),
    })
}

/// The parameters with their first local slots; the first parameter is at `first_slot`.
pub(crate) fn parameter_slots<'s, 'a>(
    signature: &'s Signature<'a>,
    first_slot: u16,
) -> impl Iterator<Item = (u16, Field<'a>)> + use<'s, 'a> {
    signature.parameters.iter().scan(first_slot, |next, field| {
        let slot = *next;
        *next += field.words() as u16;
        Some((slot, *field))
    })
}
