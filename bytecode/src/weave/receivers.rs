//! The classes of receivers, in front of each call whose receiver chooses the method.
//!
//! A receiver lies below the arguments of its call. Up to two words of arguments are turned around it; more are put into local variables and
//! loaded again, which costs nothing once the JVM has compiled the method.

use super::subject::CountedCall;
use crate::emit::{Emitter, Kind};
use crate::names;
use spl_classfile::signature::Signature;
use spl_model::Refusal;

const POP: u8 = 0x57;
const POP2: u8 = 0x58;
const DUP: u8 = 0x59;
const DUP_X2: u8 = 0x5b;
const DUP2: u8 = 0x5c;
const DUP2_X1: u8 = 0x5d;

/// The arguments of a call by its descriptor. The JVM links no call with an invalid one.
pub(super) fn arguments(descriptor: &[u8]) -> Vec<Kind> {
    let signature = Signature::read(descriptor);
    signature.map_or_else(
        |_| Vec::new(),
        |signature| signature.parameters.iter().map(|field| Kind::of(*field)).collect(),
    )
}

/// Writes the code in front of a call; returns the stack words it needs. The local variables from `spare` on are free.
pub(super) fn in_front(
    call: &CountedCall,
    arena: u16,
    spare: u16,
    code: &mut Emitter<'_, '_>,
) -> Result<usize, Refusal> {
    let words = call.words();
    let mut slot = spare;
    match words {
        0 => code.op(DUP),
        1 => code.op(DUP2).op(POP),
        2 => code.op(DUP2_X1).op(POP2).op(DUP_X2),
        _ => {
            for kind in call.arguments.iter().rev() {
                code.store(*kind, slot);
                slot += kind.words();
            }
            code.op(DUP)
        }
    };
    let counts = if call.is_exact { names::KNOWN_RECEIVER } else { names::RECEIVER };
    code.load(Kind::Long, arena).int(call.number as i32)?.call_arcs(counts)?;
    if words > 2 {
        for kind in &call.arguments {
            slot -= kind.words();
            code.load(*kind, slot);
        }
    }
    Ok(4)
}
