//! Objects and arrays that a place made, and their sizes.

use crate::amount::Bounds;
use crate::tally::Tally;
use spl_classfile::opcode::{MULTIANEWARRAY, NEW};
use spl_export::MadeSizes;
use spl_model::arena::size_bin;

/// Adds what the instruction of an allocation `made`, which ended so often without an exception. `sizes` has the sizes of the place, if it has
/// some; `None` where no sizes were counted.
pub fn add(tally: &mut Tally, opcode: u8, made: Bounds, sizes: Option<Option<&MadeSizes>>) {
    let is_nested = opcode == MULTIANEWARRAY;
    match sizes {
        None => {
            tally.objects.add(made);
            if is_nested {
                tally.nested_arrays.add(made);
            }
        }
        Some(Some(sizes @ &MadeSizes::Arrays { numbers, bytes })) if opcode != NEW => {
            let counted = sizes.arrays();
            if is_nested {
                tally.inner_arrays = tally.inner_arrays.saturating_add(counted.saturating_sub(made.most));
            }
            tally.objects.add(Bounds::exact(counted));
            tally.sized.iter_mut().zip(numbers).for_each(|(bin, number)| bin.add(Bounds::exact(number)));
            tally.bytes.add(Bounds::exact(bytes));
            tally.allocated.add(Bounds::exact(bytes));
            // The method had no room for the code, or a class counted from some time on.
            if counted < made.least {
                unsized_objects(tally, made.without(Bounds::exact(counted)), is_nested);
            }
        }
        Some(Some(&MadeSizes::Objects(Some((least, most))))) if opcode == NEW => {
            tally.objects.add(made);
            let bytes =
                Bounds::new(made.least.saturating_mul(least.into()), made.most.saturating_mul(most.into()));
            tally.bytes.add(bytes);
            tally.allocated.add(bytes);
            match (size_bin(least.into()), size_bin(most.into())) {
                (one, other) if one == other => tally.sized[one].add(made),
                (one, other) => {
                    tally.sized[one..=other].iter_mut().for_each(|bin| bin.add(Bounds::new(0, made.most)));
                }
            }
        }
        Some(_) => unsized_objects(tally, made, is_nested),
    }
}

/// Adds objects whose sizes are not known.
fn unsized_objects(tally: &mut Tally, made: Bounds, is_nested: bool) {
    tally.objects.add(made);
    tally.unsized_objects.add(made);
    if is_nested {
        tally.nested_arrays.add(made);
    }
}
