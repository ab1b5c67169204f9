//! The starts of the basic blocks of a method.

use crate::code::Handler;
use crate::instruction::{Flow, Insn};
use crate::opcode;
use crate::reader::malformed;
use spl_model::Refusal;

/// The offsets where code is entered other than from the previous instruction: its start, and the targets of
/// branches and exception handlers. Unordered, and with repetitions.
pub fn entered_offsets<'b>(insns: &'b [Insn<'_>], handlers: &'b [Handler]) -> impl Iterator<Item = u32> + 'b {
    let branches = insns.iter().flat_map(Insn::targets);
    [0].into_iter().chain(branches).chain(handlers.iter().map(|handler| u32::from(handler.target)))
}

/// The instruction that starts at offset `at`, by its index.
#[must_use]
pub fn index_at(insns: &[Insn<'_>], at: u32) -> Option<usize> {
    insns.binary_search_by_key(&at, |insn| insn.at).ok()
}

/// The first instructions of the basic blocks, by their indices, ascending: the first instruction, targets of
/// branches and of exception handlers, and instructions after a branch, a `return` or an `athrow`.
///
/// A call does not end a block. The borders of a handler's range do not begin one, so an exception may leave
/// a block between any two of its instructions. Unreachable blocks are included.
///
/// ```
/// use spl_classfile::{heads::block_heads, instruction::decode};
/// // 0: iconst_0, 1: ifeq 5, 4: nop, 5: return.
/// let insns = decode(&[0x03, 0x99, 0, 4, 0x00, 0xb1]).unwrap();
/// assert_eq!(block_heads(&insns, &[]).unwrap(), [0, 2, 3]);
/// ```
///
/// # Errors
/// When the target of a branch or a handler is not the start of an instruction.
pub fn block_heads(insns: &[Insn<'_>], handlers: &[Handler]) -> Result<Vec<usize>, Refusal> {
    let mut is_head = vec![false; insns.len()];
    for at in entered_offsets(insns, handlers) {
        let index = index_at(insns, at);
        let head = index.and_then(|index| is_head.get_mut(index));
        *head.ok_or_else(|| malformed(format!("no instruction starts at offset {at}")))? = true;
    }
    for (insn, follows) in insns.iter().zip(is_head.iter_mut().skip(1)) {
        *follows |= !matches!(insn.flow, Flow::Next) || opcode::ends_flow(insn.opcode);
    }
    Ok(is_head.iter().enumerate().filter_map(|(index, is_head)| is_head.then_some(index)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::decode;

    /// The offsets of the heads of `code`; handlers are start, end and target.
    fn heads(code: &[u8], handlers: &[[u16; 3]]) -> Result<Vec<u32>, Refusal> {
        let handler = |[start, end, target]: [u16; 3]| Handler { start, end, target, catches: 0 };
        let handlers: Vec<_> = handlers.iter().copied().map(handler).collect();
        let insns = decode(code)?;
        Ok(block_heads(&insns, &handlers)?.into_iter().map(|index| insns[index].at).collect())
    }

    #[test]
    fn straight_code_with_calls_is_one_block() {
        // invokestatic, invokestatic, return; a handler's range that begins between the calls splits nothing.
        let code = [0xb8, 0, 1, 0xb8, 0, 1, 0xb1, 0xbf];
        assert_eq!(heads(&code[..7], &[]), Ok(vec![0]));
        assert_eq!(heads(&code, &[[3, 6, 7]]), Ok(vec![0, 7]));
    }

    #[test]
    fn a_loop_has_a_head_for_its_test_its_body_and_what_follows() {
        // 0: iconst_0, 1: istore_0, 2: iload_0, 3: bipush 100, 5: if_icmpge 14, 8: iinc 0 1, 11: goto 2, 14:
        // return.
        let code = [0x03, 0x3b, 0x1a, 0x10, 100, 0xa2, 0, 9, 0x84, 0, 1, 0xa7, 0xff, 0xf7, 0xb1];
        assert_eq!(heads(&code, &[]), Ok(vec![0, 2, 8, 14]));
    }

    #[test]
    fn a_switch_begins_a_block_for_its_default_each_case_and_what_follows() {
        // 0: iconst_0, 1: tableswitch 0 to 1, default 26, 24 and 25; 24: nop, 25: nop, 26: return.
        let mut code = vec![0x03, 0xaa, 0, 0];
        for operand in [25, 0, 1, 23, 24] {
            code.extend(i32::to_be_bytes(operand));
        }
        code.extend([0x00, 0x00, 0xb1]);
        assert_eq!(heads(&code, &[]), Ok(vec![0, 24, 25, 26]));
    }

    #[test]
    fn what_follows_a_return_or_a_throw_is_a_block_also_where_no_path_leads() {
        // return; aconst_null, athrow; nop, return.
        assert_eq!(heads(&[0xb1, 0x01, 0xbf, 0x00, 0xb1], &[]), Ok(vec![0, 1, 3]));
    }

    #[test]
    fn what_leads_between_two_instructions_is_refused() {
        // sipush, pop, return with a handler whose code is inside sipush; then a branch beyond the end.
        assert!(heads(&[0x11, 0, 0, 0x57, 0xb1], &[[0, 3, 1]]).is_err());
        assert!(heads(&[0xa7, 0, 9], &[]).is_err());
        assert!(heads(&[], &[]).is_err());
    }
}
