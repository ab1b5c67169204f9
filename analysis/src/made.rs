//! Objects and arrays that a place made, and their sizes.

use crate::amount::Bounds;
use crate::tally::Tally;
use spl_classfile::opcode::{MULTIANEWARRAY, NEW};
use spl_export::MadeSizes;
use spl_model::arena::size_bin;

/// Adds objects or arrays that the instruction of an allocation `made`. `sizes` has the sizes of the place, if it has some; `None` where no sizes were
/// counted.
/// With `is_shared` they are those of all classes of the name together.
pub fn add(tally: &mut Tally, opcode: u8, made: Bounds, sizes: Option<Option<&MadeSizes>>, is_shared: bool) {
    let is_nested = opcode == MULTIANEWARRAY;
    match sizes {
        None => {
            tally.objects.add(made);
            if is_nested {
                tally.nested_arrays.add(made);
            }
        }
        Some(Some(sizes @ &MadeSizes::Arrays { numbers, bytes })) if opcode != NEW && is_shared => {
            // A part of them is of this class.
            let most = made.most.max(if is_nested { sizes.arrays() } else { 0 });
            tally.objects.add(Bounds::new(made.least, most));
            tally.sized.iter_mut().zip(numbers).for_each(|(bin, number)| bin.add(Bounds::new(0, number)));
            tally.bytes.add(Bounds::new(0, bytes));
            tally.allocated.add(Bounds::new(0, bytes));
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

#[cfg(test)]
mod tests {
    use super::*;

    const NEWARRAY: u8 = 0xbc;

    fn tally(opcode: u8, made: Bounds, sizes: Option<Option<MadeSizes>>) -> Tally {
        let mut tally = Tally::default();
        add(&mut tally, opcode, made, sizes.as_ref().map(Option::as_ref), false);
        tally
    }

    fn arrays(numbers: [u64; 3], bytes: u64) -> Option<Option<MadeSizes>> {
        let [one, two, three] = numbers;
        Some(Some(MadeSizes::Arrays { numbers: [one, two, three, 0, 0, 0, 0, 0, 0], bytes }))
    }

    #[test]
    fn arrays_of_classes_of_one_name_are_not_counted_for_each() {
        let mut tally = Tally::default();
        let sizes = arrays([70, 30, 0], 1840);
        for made in [40, 60] {
            add(&mut tally, NEWARRAY, Bounds::exact(made), sizes.as_ref().map(Option::as_ref), true);
        }
        assert_eq!(tally.objects, Bounds::exact(100));
        assert_eq!((tally.bytes.least, tally.sized[0]), (0, Bounds::new(0, 140)));
        assert!(tally.bytes.most >= 1840);
    }

    #[test]
    fn objects_of_a_class_have_its_size() {
        let of = |least, most| Some(Some(MadeSizes::Objects(Some((least, most)))));
        let one = tally(NEW, Bounds::exact(3), of(24, 24));
        assert_eq!(
            (one.objects, one.bytes, one.sized[1]),
            (Bounds::exact(3), Bounds::exact(72), Bounds::exact(3))
        );
        // Two classes of one name; the third bin lies between.
        let two = tally(NEW, Bounds::new(2, 3), of(16, 32));
        assert_eq!((two.objects, two.bytes), (Bounds::new(2, 3), Bounds::new(32, 96)));
        assert!(two.sized[..3].iter().all(|bin| *bin == Bounds::new(0, 3)) && two.sized[3].most == 0);
    }

    #[test]
    fn arrays_are_those_that_were_counted() {
        // Of perhaps three executions two succeeded.
        let two = tally(NEWARRAY, Bounds::new(0, 3), arrays([1, 1, 0], 40));
        assert_eq!(
            (two.objects, two.bytes, two.unsized_objects.most),
            (Bounds::exact(2), Bounds::exact(40), 0)
        );
        let nested = tally(MULTIANEWARRAY, Bounds::exact(1), arrays([0, 1, 2], 88));
        assert_eq!(
            (nested.objects, nested.inner_arrays, nested.nested_arrays.most),
            (Bounds::exact(3), 2, 0)
        );
        let none = tally(NEWARRAY, Bounds::exact(0), arrays([0; 3], 0));
        assert_eq!((none.objects, none.allocated.things()), (Bounds::exact(0), Bounds::exact(0)));
    }

    #[test]
    fn what_was_not_counted_is_without_size() {
        let missing = tally(NEWARRAY, Bounds::new(4, 5), arrays([1, 0, 0], 16));
        assert_eq!((missing.objects, missing.unsized_objects), (Bounds::new(4, 5), Bounds::new(3, 4)));
        for (opcode, sizes) in [(NEW, None), (NEW, Some(MadeSizes::Objects(None))), (NEWARRAY, None)] {
            let unknown = tally(opcode, Bounds::exact(2), Some(sizes));
            assert_eq!((unknown.objects, unknown.unsized_objects), (Bounds::exact(2), Bounds::exact(2)));
        }
        // The kind of the row is not that of the instruction: a damaged table.
        let wrong = tally(NEW, Bounds::exact(2), arrays([1, 0, 0], 16));
        assert_eq!((wrong.bytes, wrong.unsized_objects), (Bounds::exact(0), Bounds::exact(2)));
        let deep = tally(MULTIANEWARRAY, Bounds::exact(2), Some(None));
        assert_eq!((deep.unsized_objects.most, deep.nested_arrays.most), (2, 2));
        let without = tally(MULTIANEWARRAY, Bounds::exact(2), None);
        assert_eq!(
            (without.objects, without.unsized_objects.most, without.nested_arrays.most),
            (Bounds::exact(2), 0, 2)
        );
    }

    #[test]
    fn no_number_overflows() {
        let huge = arrays([u64::MAX, u64::MAX, 1], u64::MAX);
        let mut tally = tally(MULTIANEWARRAY, Bounds::exact(1), huge);
        add(
            &mut tally,
            NEW,
            Bounds::exact(u64::MAX),
            Some(Some(&MadeSizes::Objects(Some((9, u32::MAX))))),
            false,
        );
        assert_eq!((tally.objects, tally.bytes), (Bounds::exact(u64::MAX), Bounds::exact(u64::MAX)));
    }
}
