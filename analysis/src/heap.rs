//! The objects of the heap at the end of a drill, by class.

use crate::amount::{Amount, Bounds};
use crate::bins::Bin;
use crate::space::Space;
use serde::{Deserialize, Serialize};

/// Numbers that are told apart, from the least to the greatest of each.
const NUMBERS: [(u64, Option<u64>); 5] = [(0, Some(0)), (1, Some(1)), (2, Some(2)), (3, Some(7)), (8, None)];
/// Most classes that are believed.
pub const MOST_CLASSES: usize = 1 << 18;
/// Most objects that are believed: the agent meets fewer.
const MOST_OBJECTS: u64 = 1 << 40;

/// Numbers of things, by a number of each.
pub type Numbers = [u64; NUMBERS.len()];

/// A class in the heap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InHeap {
    /// Its name with slashes; that of an array as in class files.
    pub class: String,
    /// Its objects, by the number of references to them.
    pub objects: Numbers,
    /// Its fields that hold references, or one for the elements of its arrays, by the number of objects that they refer to.
    pub places: Numbers,
}

/// The part of a space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heap {
    /// Objects, by the number of references to them.
    pub objects: Numbers,
    /// Places, by the number of objects that they refer to.
    pub places: Numbers,
}

/// Whether the numbers can be.
pub(crate) fn is_possible(classes: &[InHeap]) -> bool {
    let numbers = || classes.iter().flat_map(|class| class.objects.iter().chain(&class.places));
    classes.len() <= MOST_CLASSES
        && numbers()
            .try_fold(0_u64, |sum, number| sum.checked_add(*number))
            .is_some_and(|sum| sum <= MOST_OBJECTS)
}

/// The part of a space.
pub(crate) fn of(classes: &[InHeap], space: &Space) -> Heap {
    let mut heap = Heap::default();
    for class in classes.iter().filter(|class| space.has_class(owner(&class.class))) {
        let add =
            |to: &mut Numbers, from: &Numbers| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        add(&mut heap.objects, &class.objects);
        add(&mut heap.places, &class.places);
    }
    heap
}

/// The class by whose name it is decided where a class belongs: for an array that of the elements, which are the JDK's if they are numbers.
fn owner(class: &str) -> &str {
    let elements = class.trim_start_matches('[');
    match elements.strip_prefix('L').and_then(|name| name.strip_suffix(';')) {
        _ if elements.len() == class.len() => class,
        Some(name) => name,
        None => "java/lang/Object",
    }
}

/// The share of each number.
pub(crate) fn shares(numbers: &Numbers) -> Vec<(Bin, Amount)> {
    let all = Bounds::exact(numbers.iter().sum());
    let share = |number: &u64| Amount::share(Bounds::exact(*number), all, 1.0);
    bins().zip(numbers).map(|(bin, number)| (bin, share(number))).collect()
}

/// No share, with the reason.
pub(crate) fn without(amount: &Amount) -> Vec<(Bin, Amount)> {
    bins().map(|bin| (bin, amount.clone())).collect()
}

fn bins() -> impl Iterator<Item = Bin> {
    NUMBERS.into_iter().map(|(low, high)| Bin { low, high })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Library;

    #[test]
    fn classes_belong_to_spaces_and_arrays_go_with_their_elements() {
        let one = |class: &str| InHeap {
            class: class.to_owned(),
            objects: [1, 0, 0, 0, 2],
            places: [0, 1, 0, 0, 0],
        };
        let classes =
            ["a/B", "[La/B;", "[[La/B;", "[I", "[[J", "java/lang/String", "[Ljava/lang/String;"].map(one);
        let objects = |name: &str| {
            let spaces = Space::usual(&Library::default());
            of(&classes, spaces.iter().find(|space| space.name == name).unwrap()).objects
        };
        assert_eq!(objects("whole"), [7, 0, 0, 0, 14]);
        assert_eq!(objects("app"), [3, 0, 0, 0, 6]);
        assert_eq!(objects("lib"), [4, 0, 0, 0, 8]);
        let named = Space::parse("b=a.B#*").unwrap();
        assert_eq!(of(&classes, &named).places, [0, 3, 0, 0, 0]);
    }

    #[test]
    fn shares_are_exact_and_of_nothing_there_are_none() {
        let found = shares(&[1, 0, 3, 0, 0]);
        let texts: Vec<String> = found.iter().map(|(bin, _)| bin.text()).collect();
        assert_eq!(texts, ["0", "1", "2", "3-7", "8+"]);
        assert!(found.iter().all(|(_, amount)| amount.is_exact()));
        assert_eq!(found[2].1.found.map(|of| of.map(|one| one.value())), Some([0.75; 2]));
        assert!(shares(&[0; 5]).iter().all(|(_, amount)| amount.found.is_none()));
    }

    #[test]
    fn numbers_that_cannot_be_are_not_believed() {
        let class = |objects| InHeap { objects, ..InHeap::default() };
        assert!(is_possible(&[class([1; 5])]));
        assert!(!is_possible(&[class([u64::MAX; 5])]) && !is_possible(&[class([MOST_OBJECTS; 5])]));
    }
}
