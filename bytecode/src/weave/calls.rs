//! Calls with the method that each of them enters, and its receiver.
//!
//! The start finds out where the thread counts, from the address of its counters; in a thread of the JVM that stays so until the method
//! returns. In front of a call its number is stored where the thread's next method finds it at its start. So a method knows which place
//! called it, and for what method that place asked: an arc of the call graph. The number found at the start is stored again before the
//! method returns. So a native method, or one that does not count, has its calls of methods that count taken for calls by way of it.
//!
//! Behind an instruction that makes arrays, which has succeeded then, they count with their sizes.

use super::receivers;
use super::slots::Slots;
use super::subject::{CountedArray, Site, Subject, Wanted};
use crate::emit::{Emitter, Kind};
use crate::names;
use spl_graph::{Elements, Graph};
use spl_model::{InstrumentId, OfCalls, Refusal};
use std::collections::BTreeMap;

const POP2: u8 = 0x58;
const DUP: u8 = 0x59;
const ARRAYLENGTH: u8 = 0xbe;

/// The kind that tells which place called a method.
pub(crate) struct Calls {
    /// Permanent number of (class, method).
    pub(crate) id: InstrumentId,
    /// The facts of calls that count.
    pub(crate) of: OfCalls,
    /// Whether the entry of another kind may lead the thread to other counters.
    pub(crate) in_root: bool,
}

impl Calls {
    pub(super) const WANTED: Wanted = Wanted { blocks: true, counters: true, exits: false, throws: false };

    /// Where the thread counts, which a method needs not keep that makes neither calls nor arrays; and the number that the start found
    /// there, if the method makes calls.
    pub(super) fn locals(&self, subject: &Subject<'_, '_>) -> Vec<Kind> {
        match &subject.counted {
            Some(counted) if !counted.calls.is_empty() && self.of == OfCalls::Entered => vec![Kind::Long; 2],
            Some(counted) if !counted.calls.is_empty() || !counted.arrays.is_empty() => vec![Kind::Long],
            _ => Vec::new(),
        }
    }

    pub(super) fn at(
        &self,
        site: Site,
        subject: &Subject<'_, '_>,
        slots: Slots<'_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        match (site, slots.own) {
            (Site::Start, _) => self.start(slots, subject, code),
            (Site::Call(at), &[arena, ..]) => self.call(at, (arena, slots.spare), subject, code),
            (Site::Made(at), &[arena, ..]) => Self::made(at, arena, subject, code),
            (Site::Returning(_), &[arena, caller]) => {
                code.load(Kind::Long, arena).load(Kind::Long, caller).call_arcs(names::RETURNED)?;
                Ok(4)
            }
            _ => Ok(0),
        }
    }

    fn start(
        &self,
        slots: Slots<'_>,
        subject: &Subject<'_, '_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        if self.of == OfCalls::Receivers && slots.own.is_empty() {
            return Ok(0);
        }
        let id = self.id.0 as i32;
        match slots.counters {
            Some(counters) => code.load(Kind::Long, counters).int(id)?.call_arcs(names::ARENA_OF)?,
            None => code.call_arcs(names::ARENA)?,
        };
        if let &[arena, ..] = slots.own {
            code.store(Kind::Long, arena);
            if self.of == OfCalls::Receivers {
                return Ok(3);
            }
            code.load(Kind::Long, arena);
        }
        let graph = subject.counted.as_ref().map(|counted| &counted.graph);
        let member = graph.map_or(0, |graph| names::member_digest(graph.name, graph.descriptor));
        code.int(id)?.int(member)?;
        // A constructor's object must not be passed on before another constructor has run.
        if subject.is_static || subject.constructs {
            code.call_arcs(names::ENTERED)?;
        } else {
            code.load(Kind::Reference, 0).call_arcs(names::ENTERED_ON)?;
        }
        match *slots.own {
            [_, caller] => code.store(Kind::Long, caller),
            _ => code.op(POP2),
        };
        Ok(5)
    }

    /// Finds the thread's memory again where the entry may have led it to another.
    pub(super) fn entered(&self, slots: Slots<'_>, code: &mut Emitter<'_, '_>) -> Result<usize, Refusal> {
        let (true, &[arena, ..]) = (self.in_root, slots.own) else { return Ok(0) };
        code.call_arcs(names::ARENA)?.store(Kind::Long, arena);
        Ok(2)
    }

    /// The places that make arrays, by their offsets; the method has this number of other `places` and its calls in front of them.
    pub(super) fn arrays(&self, graph: &Graph<'_>, places: usize) -> BTreeMap<u32, CountedArray> {
        let first = self.id.0.saturating_add(u32::try_from(places).unwrap_or(u32::MAX));
        let (arrays, _) = graph.numbered_arrays(self.of, first);
        let counted = arrays.iter().map(|array| {
            let elements = match array.allocation.elements() {
                Some(Elements::Primitive(power)) => i32::from(power),
                Some(Elements::References) | None => names::ELEMENTS_OF_REFERENCES,
            };
            let levels = array.allocation.dimensions;
            (array.allocation.at, CountedArray { number: array.number, elements, levels })
        });
        counted.collect()
    }

    fn made(
        at: u32,
        arena: u16,
        subject: &Subject<'_, '_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        let array = subject.counted.as_ref().and_then(|counted| counted.arrays.get(&at));
        let Some(&CountedArray { number, elements, levels }) = array else { return Ok(0) };
        code.op(DUP);
        if levels > 1 {
            code.load(Kind::Long, arena).int(number as i32)?.int(elements)?.int(i32::from(levels))?;
            code.call_arcs(names::ARRAYS)?;
            return Ok(6);
        }
        code.op(ARRAYLENGTH).load(Kind::Long, arena).int(number as i32)?.int(elements)?;
        code.call_arcs(names::ARRAY)?;
        Ok(5)
    }

    fn call(
        &self,
        at: u32,
        (arena, spare): (u16, u16),
        subject: &Subject<'_, '_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        let Some(call) = subject.counted.as_ref().and_then(|counted| counted.calls.get(&at)) else {
            return Ok(0);
        };
        if self.of == OfCalls::Receivers {
            return receivers::in_front(call, arena, spare, code);
        }
        let chooses = if call.is_dispatched { names::DISPATCHED } else { 0 };
        code.load(Kind::Long, arena).int(call.number as i32 | chooses)?.int(call.member)?;
        code.call_arcs(names::CALLING)?;
        Ok(4)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{OBJECT_CLASS, OBJECT_INIT, TestMethod};
    use crate::{Counting, count, static_calls_of, verify};
    use spl_model::OfCalls;
    use spl_model::arena::{ARRAY_WORDS, Received};

    /// Makes an object, which has no code of its own: its block counts.
    const OBJECT: [u8; 4] = [0xbb, 0, OBJECT_CLASS, 0x57];

    /// Calls of ours and words of a method with these instructions, before a return.
    fn counted(instructions: &[u8]) -> (usize, u32) {
        counted_of(OfCalls::Entered, &class(instructions))
    }

    fn class(instructions: &[u8]) -> Vec<u8> {
        let code = [instructions, &[0xb1]].concat();
        TestMethod { code, ..TestMethod::default() }.class_file()
    }

    fn counted_of(of: OfCalls, class: &[u8]) -> (usize, u32) {
        let what = Counting::Blocks { root: &|_, _| None, calls: Some(of) };
        let new = count(class, what, |_, _| true, 1, 1 << 20).unwrap();
        assert!(new.methods.iter().all(|one| one.outcome.is_ok()), "{:?}", new.methods);
        assert_eq!(verify(&new.bytes), Ok(Vec::new()));
        (static_calls_of(&new.bytes, "f", "()V").unwrap(), new.counters)
    }

    #[test]
    fn each_instruction_that_makes_arrays_has_a_call_and_words() {
        let (alone, words) = counted(&OBJECT);
        let ints = [0x05, 0xbc, 10, 0x57];
        let objects = [0x05, 0xbd, 0, OBJECT_CLASS, 0x57];
        assert_eq!(counted(&ints), (alone + 1, words + ARRAY_WORDS));
        assert_eq!(counted(&[&ints[..], &objects].concat()), (alone + 2, words + 2 * ARRAY_WORDS));
    }

    #[test]
    fn a_receiver_counts_in_front_of_its_call_and_arrays_behind_it() {
        let receivers = |instructions: &[u8]| counted_of(OfCalls::Receivers, &class(instructions));
        let (alone, words) = receivers(&OBJECT);
        assert_eq!(
            (alone + 2, words),
            counted(&OBJECT),
            "nothing looks where the thread counts, nor what enters"
        );
        // new, dup, invokespecial, pop.
        assert_eq!(receivers(&[0xbb, 0, OBJECT_CLASS, 0x59, 0xb7, 0, OBJECT_INIT, 0x57]), (alone, words));
        let ints = [0x05, 0xbc, 10, 0x57];
        assert_eq!(receivers(&ints), (alone + 2, words + ARRAY_WORDS));
        // aconst_null, invokevirtual: the constructor under another name.
        let mut twice = class(&[0x01, 0xb6, 0, OBJECT_INIT].repeat(2));
        let name = twice.windows(6).position(|name| name == b"<init>").unwrap();
        twice[name..name + 6].copy_from_slice(b"method");
        let expected = (alone + 3, words + 2 * Received::WORDS);
        assert_eq!(counted_of(OfCalls::Receivers, &twice), expected, "where it counts, and each receiver");
        // A class that is final: a word for each call.
        let object = twice.windows(16).position(|name| name == b"java/lang/Object").unwrap();
        twice[object..object + 16].copy_from_slice(b"java/lang/String");
        assert_eq!(counted_of(OfCalls::Receivers, &twice), (alone + 3, words + 2));
    }

    #[test]
    fn a_method_without_room_for_arrays_counts_the_rest() {
        let (alone, words) = counted(&OBJECT);
        let many = [0x04, 0xbc, 10, 0x57].repeat(12_000);
        assert_eq!(counted(&many), (alone, words + 12_000 * ARRAY_WORDS));
    }
}
