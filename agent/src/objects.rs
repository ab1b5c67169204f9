//! The objects of the heap, as a walk along all references meets them: how many references lead to each, and how many objects each place refers
//! to. A place is a field of a class, with all its instances, or the elements of all arrays of a class.
//!
//! The tag of an object has all that the walk knows of it, so that memory grows with classes and fields only.

use spl_wire::{HEAP_BINS, HeapClass};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers from this one on are not told apart.
const MANY: u8 = 8;
/// Bits of a tag: the number of references to the object, whether it was met, its number, and whether the number is that of a class.
const REFERENCES: i64 = 0xf;
const MET: i64 = 1 << 4;
const NUMBER: u32 = 5;
const CLASS: i64 = 1 << 62;
/// Most fields of a class, also inherited ones, that are believed.
const MOST_FIELDS: usize = 1 << 17;

/// A reference that the walk meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// A field of an object, by its index among the fields of the object's class.
    Field(i32),
    /// A static field of a class, by its index.
    Static(i32),
    /// An array's element.
    Element,
    /// A root, or a reference of the JVM's own, such as that to a class's loader.
    Elsewhere,
}

/// The walk.
#[derive(Debug, Default)]
pub struct Walk {
    classes: Vec<Met>,
    /// Number of the next object.
    next: i64,
    /// Objects whose class is not known.
    nobodys: u64,
}

/// The objects and places of a class so far.
#[derive(Clone, Debug, Default)]
struct Met {
    objects: [u64; HEAP_BINS],
    /// By the index of a field; arrays have one place.
    places: Vec<Few>,
}

/// Some different objects, by their numbers: no more than are told apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Few(Vec<i64>);

/// A class as it was declared.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// Its name with slashes; that of an array as in class files.
    pub name: String,
    /// The class that it extends, by its number.
    pub parent: Option<usize>,
    /// Interfaces that it names itself, by their numbers.
    pub interfaces: Vec<usize>,
    /// Its own fields, in the JVM's order.
    pub fields: Vec<Field>,
    /// Whether it is an array of references.
    pub refers: bool,
}

/// A field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Whether the class has it, and not each object.
    pub is_static: bool,
    /// Whether it refers to an object.
    pub refers: bool,
}

/// The first tag of a class's own object, by which the walk knows the classes of objects.
#[must_use]
pub fn class_tag(number: usize) -> i64 {
    CLASS | (number as i64) << NUMBER
}

/// The number of the class whose own object has this tag.
#[must_use]
pub fn class_number(tag: i64) -> Option<usize> {
    (tag & CLASS != 0).then_some(((tag & !CLASS) >> NUMBER) as usize)
}

impl Few {
    fn add(&mut self, object: i64) {
        if self.0.len() < usize::from(MANY) && !self.0.contains(&object) {
            self.0.push(object);
        }
    }
}

impl Walk {
    /// A walk in a JVM with this number of classes.
    pub fn new(classes: usize) -> Self {
        Self { classes: vec![Met::default(); classes], ..Self::default() }
    }

    /// Number of objects that were met, without those of classes themselves.
    pub fn objects(&self) -> i64 {
        self.next
    }

    /// Number of objects whose class was not there when the walk began.
    pub fn nobodys(&self) -> u64 {
        self.nobodys
    }

    /// Meets a reference to an object of a class: `tag` is the object's. The tags of the referring object's class and of this object itself tell
    /// whose field or array it is.
    pub fn meets(&mut self, from: From, class: i64, tag: &mut i64, (of_class, own): (i64, i64)) {
        let is_new = *tag & MET == 0;
        if *tag == 0 {
            *tag = self.next << NUMBER;
            self.next += 1;
        }
        *tag |= MET;
        let before = (*tag & REFERENCES) as u8;
        let is_counted = from != From::Elsewhere && before < MANY;
        *tag += i64::from(is_counted);
        match class_number(class).and_then(|number| self.classes.get_mut(number)) {
            Some(Met { objects, .. }) => {
                objects[0] += u64::from(is_new);
                if is_counted {
                    objects[bin(before)] = objects[bin(before)].saturating_sub(1);
                    objects[bin(before + 1)] += 1;
                }
            }
            None => self.nobodys += u64::from(is_new),
        }
        let (holder, place) = match from {
            From::Field(index) => (of_class, index),
            From::Static(index) => (own, index),
            From::Element => (of_class, 0),
            From::Elsewhere => return,
        };
        let Some(met) = class_number(holder).and_then(|number| self.classes.get_mut(number)) else { return };
        let Some(place) = usize::try_from(place).ok().filter(|place| *place < MOST_FIELDS) else { return };
        if met.places.len() <= place {
            met.places.resize(place + 1, Few::default());
        }
        met.places[place].add(*tag >> NUMBER);
    }

    /// The classes with their objects and places. `declared` has them in the order of their numbers.
    pub fn finish(self, declared: &[Declared]) -> Vec<HeapClass> {
        // A place of a class is also one of all objects of its subclasses.
        let mut places: BTreeMap<(usize, usize), Few> = BTreeMap::new();
        for (number, (class, met)) in declared.iter().zip(&self.classes).enumerate() {
            let is_there = met.objects.iter().any(|objects| *objects > 0);
            if class.name.starts_with('[') {
                if class.refers && is_there {
                    places.insert((number, 0), met.places.first().cloned().unwrap_or_default());
                }
                continue;
            }
            for (index, (owner, at)) in order(declared, number) {
                let Some(field) = declared[owner].fields.get(at).filter(|field| field.refers) else {
                    continue;
                };
                let is_place = if field.is_static { owner == number } else { is_there };
                if is_place {
                    let all = places.entry((owner, at)).or_default();
                    met.places
                        .get(index)
                        .into_iter()
                        .flat_map(|few| &few.0)
                        .for_each(|object| all.add(*object));
                }
            }
        }
        let mut found: Vec<HeapClass> = declared
            .iter()
            .zip(&self.classes)
            .map(|(class, met)| HeapClass {
                name: class.name.clone(),
                objects: met.objects,
                places: [0; HEAP_BINS],
            })
            .collect();
        for ((owner, _), few) in places {
            if let Some(class) = found.get_mut(owner) {
                class.places[bin(few.0.len() as u8)] += 1;
            }
        }
        found.retain(|class| class.objects.iter().chain(&class.places).any(|number| *number > 0));
        found
    }
}

/// Where a number of objects or references counts.
fn bin(number: u8) -> usize {
    match number {
        0..=2 => usize::from(number),
        3..MANY => 3,
        MANY.. => 4,
    }
}

/// The index of each field of an object of a class, with the class that declares it and the place there: first the fields of all interfaces, then
/// those of superclasses, the uppermost first (JVM TI, `jvmtiHeapReferenceInfoField`).
fn order(declared: &[Declared], class: usize) -> Vec<(usize, (usize, usize))> {
    let (mut line, mut interfaces) = (Vec::new(), BTreeSet::new());
    let mut next = Some(class);
    while let Some(number) = next.filter(|number| !line.contains(number)) {
        line.push(number);
        let Some(of) = declared.get(number) else { break };
        let mut waiting = of.interfaces.clone();
        while let Some(one) = waiting.pop() {
            if interfaces.insert(one) {
                waiting.extend(declared.get(one).into_iter().flat_map(|of| &of.interfaces));
            }
        }
        next = of.parent;
    }
    let length = |number: usize| declared.get(number).map_or(0, |of| of.fields.len());
    let mut index: usize = interfaces.iter().map(|number| length(*number)).sum();
    let mut all = Vec::new();
    for owner in line.into_iter().rev() {
        for at in 0..length(owner) {
            all.push((index, (owner, at)));
            index += 1;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Field = Field { is_static: false, refers: true };
    const STATIC: Field = Field { is_static: true, refers: true };
    const NUMBER_FIELD: Field = Field { is_static: false, refers: false };

    fn class(name: &str, parent: Option<usize>, interfaces: &[usize], fields: &[Field]) -> Declared {
        let refers = name.starts_with("[L");
        let interfaces = interfaces.to_vec();
        Declared { name: name.to_owned(), parent, interfaces, fields: fields.to_vec(), refers }
    }

    #[test]
    fn fields_are_numbered_as_the_jvm_does() {
        let declared = [
            class("Object", None, &[], &[]),
            class("I", None, &[], &[STATIC, STATIC]),
            class("J", None, &[1], &[STATIC]),
            class("Parent", Some(0), &[2], &[OWN, NUMBER_FIELD]),
            class("Child", Some(3), &[1], &[OWN]),
        ];
        // Three of the interfaces, each once.
        assert_eq!(order(&declared, 4), [(3, (3, 0)), (4, (3, 1)), (5, (4, 0))]);
        assert_eq!(order(&declared, 2), [(2, (2, 0))]);
        // A class file that contradicts itself does not come here, and would end.
        assert_eq!(order(&[class("A", Some(0), &[0], &[OWN])], 0), [(1, (0, 0))]);
    }

    #[test]
    fn objects_and_places_are_counted() {
        let declared = [
            class("Object", None, &[], &[]),
            class("Parent", Some(0), &[], &[OWN]),
            class("Child", Some(1), &[], &[OWN, STATIC]),
            class("[LChild;", Some(0), &[], &[]),
            class("Never", Some(0), &[], &[OWN, STATIC]),
        ];
        let tag = class_tag;
        let mut walk = Walk::new(declared.len());
        let (mut parent, mut child, mut array) = (0, 0, 0);
        walk.meets(From::Elsewhere, tag(1), &mut parent, (0, 0));
        // Twice the same object in one field: by an object of each class.
        walk.meets(From::Field(0), tag(2), &mut child, (tag(1), parent));
        let before = child;
        walk.meets(From::Field(0), tag(2), &mut child, (tag(2), before));
        walk.meets(From::Static(2), tag(3), &mut array, (tag(0), tag(2)));
        let mut elements = [0_i64; 9];
        for element in &mut elements {
            walk.meets(From::Element, tag(0), element, (tag(3), array));
        }
        // A class that nobody knows.
        walk.meets(From::Field(7), 0, &mut 0, (0, 0));
        assert_eq!((walk.objects(), walk.nobodys()), (13, 1));
        let found = walk.finish(&declared);
        let of = |name: &str| found.iter().find(|class| class.name == name).unwrap();
        assert_eq!((of("Object").objects, of("Object").places), ([0, 9, 0, 0, 0], [0; 5]));
        assert_eq!((of("Parent").objects, of("Parent").places), ([1, 0, 0, 0, 0], [0, 1, 0, 0, 0]));
        assert_eq!((of("Child").objects, of("Child").places), ([0, 0, 1, 0, 0], [1, 1, 0, 0, 0]));
        assert_eq!((of("[LChild;").objects, of("[LChild;").places), ([0, 1, 0, 0, 0], [0, 0, 0, 0, 1]));
        // Of a class without objects only the static field is a place.
        assert_eq!((of("Never").objects, of("Never").places), ([0; 5], [1, 0, 0, 0, 0]));
    }

    #[test]
    fn many_references_are_many_and_a_class_is_an_object_too() {
        let declared = [class("java/lang/Class", None, &[], &[]), class("A", None, &[], &[STATIC])];
        let mut walk = Walk::new(2);
        let mut tag = class_tag(1);
        for times in 1..=20 {
            walk.meets(From::Static(0), class_tag(0), &mut tag, (class_tag(0), class_tag(1)));
            let expected = [[0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]];
            let at = match times {
                1 | 2 => times - 1,
                3..8 => 2,
                _ => 3,
            };
            assert_eq!(walk.classes[0].objects, expected[at], "{times}");
        }
        assert_eq!(class_number(tag), Some(1));
        assert_eq!(walk.finish(&declared)[1].places, [0, 1, 0, 0, 0]);
    }
}
