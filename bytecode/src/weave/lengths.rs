//! The workload size of a call by lengths, as all kinds find it that want one.

use super::subject::Subject;
use crate::emit::{Emitter, Kind};
use crate::region;
use spl_model::Refusal;

/// Kinds of parameters whose length is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Object,
    Number,
}

/// Leaves the sum of the parameters' lengths on the stack. `call` writes the call of a method that takes a token, the sum so far and a
/// parameter, and gives the new sum. `token` is the local with the token; `size` is free for the sum. Needs the words of the token and
/// four more.
pub(super) fn add_up<'c, 'p>(
    subject: &Subject<'_, '_>,
    (kind, token): (Kind, u16),
    size: u16,
    code: &mut Emitter<'c, 'p>,
    call: impl Fn(Of, &mut Emitter<'c, 'p>) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    code.small_long(0)?;
    for (slot, field) in region::parameter_slots(subject.signature, subject.first_slot()) {
        code.store(Kind::Long, size);
        code.load(kind, token).load(Kind::Long, size).load(Kind::of(field), slot).widen(Kind::of(field));
        call(if field.is_reference() { Of::Object } else { Of::Number }, code)?;
    }
    Ok(())
}
