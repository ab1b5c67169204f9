//! Objects and arrays that the code of a method made, with their sizes.

use crate::class::CountedClass;
use crate::method::MethodProfile;
use spl_classfile::mutf8;
use spl_graph::Counters;
use spl_graph::forms::field;
use spl_model::DrillKind;
use spl_model::arena::SIZE_BINS;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Heads of the table of places that make objects and arrays.
pub const ALLOCATIONS_HEAD: &str = "method,at,block,instruction,class,executions,object_least,object_most,array_bytes,\
arrays_16,arrays_24,arrays_32,arrays_40,arrays_48,arrays_80,arrays_144,arrays_400,arrays_more\n";

/// Sizes of the objects of classes in a JVM, in bytes as it rounds them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectSizes {
    /// Size of an object without fields; 0 if it is not known.
    pub object: u32,
    /// By the classes' names, with slashes: the least and the greatest size of the classes of this name.
    classes: BTreeMap<String, (u32, u32)>,
}

impl ObjectSizes {
    /// Takes in the size of the objects of a class.
    pub fn add(&mut self, class: String, bytes: u32) {
        let (least, most) = self.classes.entry(class).or_insert((bytes, bytes));
        (*least, *most) = ((*least).min(bytes), (*most).max(bytes));
    }
}

/// A place that made objects or arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocated {
    /// Offset of the instruction.
    pub at: u32,
    /// Its block.
    pub block: usize,
    /// The instruction's name.
    pub instruction: &'static str,
    /// The class that the instruction names, as the class file has it.
    pub class: String,
    /// Number of its executions, at most.
    pub executions: u64,
    /// Sizes of what it made.
    pub sizes: MadeSizes,
}

/// Sizes of what a place made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeSizes {
    /// Least and greatest size of an object, in bytes; `None` if it is not known.
    Objects(Option<(u32, u32)>),
    /// Arrays, with those in them.
    Arrays {
        /// Their number in each bin of [`spl_model::arena::SIZE_LIMITS`].
        numbers: [u64; SIZE_BINS],
        /// Their bytes.
        bytes: u64,
    },
}

impl MadeSizes {
    /// The number of arrays.
    #[must_use]
    pub fn arrays(&self) -> u64 {
        match self {
            Self::Objects(_) => 0,
            Self::Arrays { numbers, .. } => numbers.iter().fold(0, |sum: u64, one| sum.saturating_add(*one)),
        }
    }
}

/// The places of a method that made something, as a drill of calls counts them. `value` gives the value of a counter by its number.
#[must_use]
pub fn allocations(
    class: &CountedClass,
    one: &MethodProfile<'_>,
    value: impl Fn(u32) -> u64,
    sizes: &ObjectSizes,
) -> Vec<Allocated> {
    let DrillKind::Calls(of) = one.what else { return Vec::new() };
    let [name, descriptor] = [one.graph.name, one.graph.descriptor].map(mutf8::decode);
    let is_it = |method: &&crate::CountedMethod| method.name == name && method.descriptor == descriptor;
    let Some(method) = class.methods.iter().find(is_it) else { return Vec::new() };
    let places = u32::try_from(Counters::of(&one.graph).places().len()).unwrap_or(u32::MAX);
    let (arrays, _) = one.graph.numbered_arrays(of, method.first.saturating_add(places));
    let numbers: BTreeMap<u32, u32> =
        arrays.iter().map(|array| (array.allocation.at, array.number)).collect();
    let mut all = Vec::new();
    for (block, of_block) in one.graph.blocks.iter().enumerate() {
        let runs = one.counts.blocks.get(block).copied().unwrap_or(0);
        let executions = u64::try_from(runs).unwrap_or(0);
        for allocation in &of_block.allocations {
            let class = mutf8::decode(allocation.class);
            let made = match numbers.get(&allocation.at) {
                None => MadeSizes::Objects(sizes.classes.get(&class).copied()),
                Some(first) => {
                    let word = |place: usize| value(first.saturating_add(place as u32));
                    MadeSizes::Arrays { numbers: std::array::from_fn(word), bytes: word(SIZE_BINS) }
                }
            };
            if executions > 0 || made.arrays() > 0 {
                let (at, instruction) = (allocation.at, allocation.instruction());
                all.push(Allocated { at, block, instruction, class, executions, sizes: made });
            }
        }
    }
    all
}

/// The lines of a method's places in the table.
#[must_use]
pub fn allocations_lines(method: &str, all: &[Allocated]) -> String {
    let mut lines = String::new();
    for one in all {
        let Allocated { at, block, instruction, class, executions, sizes } = one;
        let place = format!("{},{at},{block},{instruction},{},{executions}", field(method), field(class));
        let sizes = match sizes {
            MadeSizes::Objects(None) => ",".repeat(2 + SIZE_BINS),
            MadeSizes::Objects(Some((least, most))) => format!("{least},{most}{}", ",".repeat(1 + SIZE_BINS)),
            MadeSizes::Arrays { numbers, bytes } => {
                numbers.iter().fold(format!(",,{bytes}"), |line, number| format!("{line},{number}"))
            }
        };
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{place},{sizes}");
    }
    lines
}
