//! A method with probes, as built by the engine.

use super::slots::AllSlots;
use super::subject::Subject;
use crate::constants::{PoolBuilder, class_constant};
use crate::emit::Known;
use crate::layout::{Layout, PieceId};
use spl_classfile::code::Handler;
use spl_classfile::frames::Type;
use spl_classfile::signature::Field;
use spl_model::Refusal;

/// The class of the handlers' exceptions.
pub(crate) const THROWABLE: &[u8] = b"java/lang/Throwable";

/// The code with probes, placed.
pub(crate) struct Woven<'a> {
    pub(crate) layout: Layout<'a>,
    pub(crate) handlers: Vec<Handler>,
    /// Index of each of the program's own handlers in `handlers`.
    pub(crate) handler_index: Vec<usize>,
    pub(crate) slots: AllSlots,
    pub(crate) max_stack: u16,
    pub(super) landings: Landings,
    /// The handlers next to guarded code.
    pub(crate) guarded: Vec<Guarded>,
}

/// The handler next to guarded code: offsets in the new code, and the program's state there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guarded {
    pub(crate) landing: u16,
    /// The code in its place, and where both ways meet again, with an empty stack.
    pub(crate) others: [u16; 2],
    /// Where the program's locals have these types.
    pub(crate) locals: Known,
    /// Whether the value on the program's stack there is in the slot behind our locals.
    pub(crate) waits: bool,
}

/// The starts of the handlers of our own code, in code order.
pub(super) struct Landings {
    /// The handlers of exits, if a kind wants exits.
    pub(super) exits: Option<ExitLandings>,
    /// Handler of an overflow in the entry code: the body runs unmeasured. `None` if the body begins with a
    /// non-empty stack, which a handler cannot keep.
    pub(super) unmeasured: Option<PieceId>,
    /// Handler of all other exceptions in our own code, if it has handlers.
    pub(super) escaped: Option<PieceId>,
}

pub(super) struct ExitLandings {
    /// Handler of the body's exceptions.
    pub(super) thrown: PieceId,
    /// The exit code after an exception, up to `rethrown`.
    pub(super) record: PieceId,
    pub(super) rethrown: PieceId,
    /// Handler of an overflow in that code: the exception propagates.
    pub(super) drop_thrown: PieceId,
    /// Handler of an overflow in the exit by return, if the method has one: the method returns.
    pub(super) drop_result: Option<PieceId>,
}

/// The state at the start of a handler of our own code.
pub(crate) struct OurFrame {
    /// Offset in the new code.
    pub(crate) at: u16,
    pub(crate) program: ProgramLocals,
    /// Types of our locals, which follow the program's.
    pub(crate) ours: Vec<Type>,
    pub(crate) stack: Vec<Type>,
}

/// Knowledge of our own code about the program's local variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgramLocals {
    Unknown,
    /// The locals have the types of the region's start.
    AtRegion,
}

impl Woven<'_> {
    /// The frames of our own code, ascending. Their constants are added now: the order of constants is part
    /// of the output.
    pub(crate) fn frames(
        &self,
        subject: &Subject<'_, '_>,
        pool: &mut PoolBuilder<'_>,
    ) -> Result<Vec<OurFrame>, Refusal> {
        let throwable = Type::Object(pool.class(THROWABLE)?);
        let frame = |at, program, ours| OurFrame {
            at: self.layout.offset(at),
            program,
            ours,
            stack: vec![throwable],
        };
        let ours = self.slots.types();
        let with = |held: Option<Type>| ours.iter().copied().chain(held).collect();
        let mut frames = Vec::new();
        if let Some(exits) = &self.landings.exits {
            frames.push(frame(exits.thrown, ProgramLocals::Unknown, with(None)));
            frames.push(frame(exits.drop_thrown, ProgramLocals::Unknown, with(Some(throwable))));
            if let Some(drop_result) = exits.drop_result {
                let result =
                    subject.signature.result.map(|field| verification_type(field, pool)).transpose()?;
                frames.push(frame(drop_result, ProgramLocals::Unknown, with(result)));
            }
        }
        // Our locals that the entry sets may be unwritten here.
        if let Some(unmeasured) = self.landings.unmeasured {
            frames.push(frame(unmeasured, ProgramLocals::AtRegion, self.slots.started_types()));
        }
        if let Some(escaped) = self.landings.escaped {
            frames.push(frame(escaped, ProgramLocals::Unknown, Vec::new()));
        }
        Ok(frames)
    }
}

fn verification_type(field: Field<'_>, pool: &mut PoolBuilder<'_>) -> Result<Type, Refusal> {
    Ok(match field.tag() {
        b'J' => Type::Long,
        b'D' => Type::Double,
        b'F' => Type::Float,
        b'L' | b'[' => Type::Object(class_constant(field, pool)?),
        _ => Type::Int,
    })
}
