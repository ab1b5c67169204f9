//! Places where our code must not stand while the method holds a lock.
//!
//! HotSpot compiles no method that an exception could leave with a lock held; it is interpreted for good. Each call of ours could throw,
//! for the compilers, so between `monitorenter` and `monitorexit` a handler has to cover it.

use spl_classfile::code::Handler;
use spl_classfile::instruction::Insn;
use spl_classfile::opcode::MONITOREXIT;

/// Where the code in front of a handler's block can stand instead, if the block releases a lock: behind the release, and behind the range in
/// which the handler covers itself, as that of `synchronized` does in code of javac. Nothing before that may throw but the release.
///
/// In front of the block our code would have to be covered by the handler, which catches a stack overflow there again and again.
pub(super) fn behind_release(block: &[Insn<'_>], handlers: &[Handler]) -> Option<u32> {
    let at = block.first()?.at;
    let own = || handlers.iter().filter(|handler| u32::from(handler.target) == at);
    let covers =
        |handler: &&Handler, at: u32| (u32::from(handler.start)..u32::from(handler.end)).contains(&at);
    // A range that lets some errors of the release through would let them pass our code.
    if own().any(|handler| covers(&handler, at) && handler.catches != 0) {
        return None;
    }
    let covered = own().filter(|handler| covers(handler, at)).map(|handler| u32::from(handler.end)).max();
    let release = block.iter().find(|insn| !is_move(insn.opcode))?;
    let from = covered.unwrap_or(0).max(release.end());
    let before = block.iter().take_while(|insn| insn.at < from);
    let quiet = before.clone().all(|insn| insn.opcode == MONITOREXIT || is_move(insn.opcode));
    let is_place = block.get(before.count())?.at == from;
    (release.opcode == MONITOREXIT && quiet && is_place && !own().any(|handler| covers(&handler, from)))
        .then_some(from)
}

/// Loads and stores of local variables (JVMS 6.5).
fn is_move(opcode: u8) -> bool {
    matches!(opcode, 0x15..=0x2d | 0x36..=0x4e)
}
