//! Counts of edges, from which those of blocks follow.
//!
//! The start asks for the address of the thread's counters of this method, which counts the entry; each place with a counter adds 1
//! behind that address. No handler is needed: what leaves by an exception is solved for.

use super::slots::Slots;
use super::subject::{Counted, Site, Subject, Wanted};
use crate::emit::{Emitter, Kind};
use crate::names;
use spl_model::{InstrumentId, Refusal};

/// The kind that counts edges.
pub(crate) struct Blocks {
    /// Permanent number of (class, method).
    pub(crate) id: InstrumentId,
    /// Whether the entry of another kind may lead the thread to other counters.
    pub(crate) in_root: bool,
}

impl Blocks {
    pub(super) const WANTED: Wanted = Wanted { blocks: true, counters: true, exits: false, throws: false };

    /// The address; a method whose only counter is its entry needs none, unless its arcs count in the same memory.
    pub(super) fn locals(subject: &Subject<'_, '_>) -> Vec<Kind> {
        let needs = |counted: &Counted<'_>| counted.has_arcs || counted.numbers.len() > 1;
        if subject.counted.as_ref().is_some_and(needs) { vec![Kind::Long] } else { Vec::new() }
    }

    pub(super) fn at(
        &self,
        site: Site,
        subject: &Subject<'_, '_>,
        slots: Slots<'_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        if site == Site::Start {
            return self.start(slots, code);
        }
        let (Some(number), &[address, ..]) = (subject.number(site), slots.own) else { return Ok(0) };
        Self::hit(number, address, slots.spare, code)
    }

    /// Adds 1 to a counter of the method, given where its address is, and a free slot.
    pub(super) fn hit(
        number: u32,
        address: u16,
        spare: u16,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        let calling = |code: &mut Emitter<'_, '_>| {
            code.load(Kind::Long, address);
            match names::HITS.get(number as usize) {
                Some(name) => code.call_counters(name, names::HIT_NEAR)?,
                None => code.int(number as i32)?.call_counters(names::HIT.0, names::HIT.1)?,
            };
            Ok(())
        };
        code.guarded(spare, calling, |code| code.uncounted(names::COUNTERS_CLASS).map(|_| ()))?;
        Ok(3)
    }

    /// Finds the counters again where the entry may have led the thread. That cannot overflow the stack: the code that has led it there
    /// took more of it.
    pub(super) fn entered(
        &self,
        subject: &Subject<'_, '_>,
        slots: Slots<'_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        let (true, false, &[address, ..]) = (self.in_root, subject.constructs, slots.own) else {
            return Ok(0);
        };
        code.int(self.id.0 as i32)?.call_counters(names::HERE.0, names::HERE.1)?;
        code.store(Kind::Long, address);
        Ok(2)
    }

    /// Whether a counter is there.
    pub(super) fn is_on(site: Site, subject: &Subject<'_, '_>) -> bool {
        site == Site::Start || subject.number(site).is_some()
    }

    fn start(&self, slots: Slots<'_>, code: &mut Emitter<'_, '_>) -> Result<usize, Refusal> {
        code.int(self.id.0 as i32)?;
        match *slots.own {
            [address, ..] => {
                code.call_counters(names::COUNTED.0, names::COUNTED.1)?.store(Kind::Long, address);
            }
            [] => {
                code.call_counters(names::COUNT_ENTRY.0, names::COUNT_ENTRY.1)?;
            }
        }
        Ok(2)
    }
}
