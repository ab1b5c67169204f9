//! Where the measured region of a method starts.

use crate::flow::FlowFacts;
use crate::insn::Insn;
use crate::signature::{Field, Signature};
use spl_model::Refusal;

/// Index of the first instruction of the region: 0, but in constructors the one after `this(…)` or `super(…)`.
///
/// The body's handler covers everything from there on, so nothing there may run before that call.
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

/// Whether the slot of a reference parameter is written before instruction `start`.
pub(crate) fn replaces_argument(
    insns: &[Insn<'_>],
    start: usize,
    signature: &Signature<'_>,
    first_slot: u16,
) -> bool {
    let references: Vec<u16> = reference_slots(signature, first_slot).collect();
    insns.iter().take(start).filter_map(Insn::local_access).filter(|access| access.is_store).any(|access| {
        let second = if matches!(access.kind, b'J' | b'D') { access.slot.checked_add(1) } else { None };
        references.iter().any(|slot| *slot == access.slot || Some(*slot) == second)
    })
}

/// Local slots of the reference parameters; the parameters start at `first_slot`.
pub(crate) fn reference_slots<'s>(
    signature: &'s Signature<'_>,
    first_slot: u16,
) -> impl Iterator<Item = u16> + 's {
    let slot_of = move |next: &mut u16, field: &'_ Field<'_>| {
        let slot = *next;
        *next += field.words() as u16;
        Some(field.is_reference().then_some(slot))
    };
    signature.parameters.iter().scan(first_slot, slot_of).flatten()
}
