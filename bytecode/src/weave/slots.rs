//! Our local variables, whose slots follow the method's own.

use crate::emit::{Emitter, Kind};
use spl_classfile::frames::Type;
use spl_model::Refusal;

/// The slots of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots<'s> {
    /// The slots of the kind's local variables, in their order.
    pub(crate) own: &'s [u16],
    /// A slot that is free during the entry code and in front of calls.
    pub(crate) spare: u16,
    /// The slot of the address of the method's counters, if the start keeps it.
    pub(crate) counters: Option<u16>,
}

/// The slots of all kinds of a method.
#[derive(Debug)]
pub(crate) struct AllSlots {
    /// Slot of each local variable, in the order of the kinds.
    slots: Vec<u16>,
    kinds: Vec<Kind>,
    /// The local variable that is not 0 once guarded code has overflowed the stack, if there is such code.
    pub(crate) is_full: Option<u16>,
    /// Number of `slots` that the start sets; they come first.
    started: usize,
    /// For each kind, the end of its range in `slots`.
    ends: Vec<usize>,
    /// The slot of the address of the method's counters, if the start keeps it.
    pub(crate) counters: Option<u16>,
    /// The method's result or exception during an exit, never both; or arguments of a call.
    pub(crate) held: u16,
    pub(crate) max_locals: u16,
}

impl AllSlots {
    /// The slots after `max_locals` others: with `is_guarded` the one for guarded code, then the locals of each kind, and whether the start
    /// sets them, then room for the words of values that are put away.
    pub(crate) fn behind(
        max_locals: u16,
        is_guarded: bool,
        locals: impl Iterator<Item = (Vec<Kind>, bool)>,
        put_away: u16,
    ) -> Result<Self, Refusal> {
        let full = || Refusal::TableFull("local variables".to_owned());
        let (mut slots, mut kinds, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        let (mut held, mut started) = (max_locals, 0);
        let mut is_full = None;
        if is_guarded {
            (is_full, started) = (Some(held), 1);
            slots.push(held);
            kinds.push(Kind::Int);
            held = held.checked_add(1).ok_or_else(full)?;
        }
        for (of_one, starts) in locals {
            started += if starts { of_one.len() } else { 0 };
            for kind in of_one {
                slots.push(held);
                kinds.push(kind);
                held = held.checked_add(kind.words()).ok_or_else(full)?;
            }
            ends.push(slots.len());
        }
        let after = held.checked_add(put_away).ok_or_else(full)?;
        Ok(Self { slots, kinds, is_full, started, ends, counters: None, held, max_locals: after })
    }

    /// The slots of the kind `index`.
    pub(crate) fn of(&self, index: usize) -> Slots<'_> {
        let end_of = |index: usize| self.ends.get(index).copied().unwrap_or_default();
        let start = index.checked_sub(1).map_or(usize::from(self.is_full.is_some()), end_of);
        let own = self.slots.get(start..end_of(index)).unwrap_or_default();
        Slots { own, spare: self.held, counters: self.counters }
    }

    /// The verification types of all locals.
    pub(crate) fn types(&self) -> Vec<Type> {
        let of = |kind: &Kind| match kind {
            Kind::Int => Type::Int,
            Kind::Long => Type::Long,
            Kind::Float => Type::Float,
            Kind::Double => Type::Double,
            // Unusable at another site: the frames do not know its class.
            Kind::Reference => Type::Top,
        };
        self.kinds.iter().map(of).collect()
    }

    /// The verification types of the locals that the start sets.
    pub(crate) fn started_types(&self) -> Vec<Type> {
        self.types().into_iter().take(self.started).collect()
    }

    /// Writes code that zeroes all locals except the ones that the start sets; returns its stack words.
    pub(crate) fn blank(&self, code: &mut Emitter<'_, '_>) -> usize {
        let blanked = || self.slots.iter().zip(&self.kinds).skip(self.started);
        for (slot, kind) in blanked() {
            code.zero(*kind).store(*kind, *slot);
        }
        blanked().map(|(_, kind)| usize::from(kind.words())).max().unwrap_or_default()
    }
}
