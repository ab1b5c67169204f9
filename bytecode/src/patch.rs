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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestMethod;

    /// A class with the long constants 7, 8 and 7 behind those of the test class.
    fn class() -> Vec<u8> {
        let mut bytes = TestMethod::default().class_file();
        let end = ClassFile::read(&bytes).unwrap().pool.end();
        let longs = [7_i64, 8, 7].into_iter().flat_map(|value| [&[5][..], &value.to_be_bytes()].concat());
        bytes.splice(end..end, longs.collect::<Vec<_>>());
        bytes[9] += 6;
        bytes
    }

    fn check(values: &[(i64, i64)], expected: Result<[i64; 3], PatchError>) {
        let mut bytes = class();
        let result = patch_longs(&mut bytes, values);
        let class = ClassFile::read(&bytes).unwrap();
        let long = |at: usize| i64::from_be_bytes(bytes[at..at + 8].try_into().unwrap());
        let longs: Vec<i64> = class.pool.longs().map(long).collect();
        assert_eq!(longs, result.as_ref().map_or([7, 8, 7], |()| expected.clone().unwrap()));
        assert_eq!(result.err(), expected.err());
    }

    #[test]
    fn every_occurrence_is_replaced_and_a_missing_one_changes_nothing() {
        check(&[(7, -1)], Ok([-1, 8, -1]));
        check(&[(7, 8), (8, 7)], Ok([8, 7, 8]));
        check(&[(7, 1), (9, 2)], Err(PatchError::Missing(9)));
        assert!(matches!(patch_longs(&mut [1, 2, 3], &[]), Err(PatchError::Class(_))));
    }
}
