//! Burns values that are known only at run time into the constants of our own probe class.

use crate::class::ClassFile;
use spl_model::Refusal;

/// Why constants were not replaced; the class is then unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The bytes are no class file.
    #[error(transparent)]
    Class(#[from] Refusal),
    /// No constant has this value.
    #[error("the class has no long constant {0:#x}")]
    Missing(i64),
}

/// Replaces each long constant (JVMS 4.4.5) that equals a `magic` by the value beside it.
///
/// # Errors
/// When the bytes are no class file or a magic value does not occur; the bytes are then unchanged.
pub fn patch_longs(class_bytes: &mut [u8], values: &[(i64, i64)]) -> Result<(), PatchError> {
    let constants: Vec<usize> = ClassFile::read(class_bytes)?.pool.longs().collect();
    let mut changes = Vec::new();
    for (magic, value) in values {
        let before = changes.len();
        let holds_magic = |&&at: &&usize| class_bytes.get(at..at + 8) == Some(&magic.to_be_bytes()[..]);
        changes.extend(constants.iter().filter(holds_magic).map(|at| (*at, value)));
        if changes.len() == before {
            return Err(PatchError::Missing(*magic));
        }
    }
    for (at, value) in changes {
        if let Some(constant) = class_bytes.get_mut(at..at + 8) {
            constant.copy_from_slice(&value.to_be_bytes());
        }
    }
    Ok(())
}
