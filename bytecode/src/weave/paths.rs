//! Counts of the paths of a method: which blocks ran one after the other.
//!
//! A local variable, the register, adds up the number of the path on few edges. Where a path ends, its counter is found by that number.
//! An exception passes no end: the handler sets the register again.

use super::blocks::Blocks;
use super::counted_paths::CountedPaths;
use super::slots::Slots;
use super::subject::{Site, Subject, Wanted};
use crate::emit::{Emitter, Kind};
use crate::names;
use spl_classfile::opcode::IADD;
use spl_graph::{Ended, Register};
use spl_model::{InstrumentId, Refusal};

/// The kind that counts paths.
pub(crate) struct Paths {
    /// Permanent number of (class, method).
    pub(crate) id: InstrumentId,
    /// Whether edges are counted, too.
    pub(crate) blocks: bool,
}

impl Paths {
    pub(super) const WANTED: Wanted = Wanted { blocks: true, counters: true, exits: false, throws: false };

    /// The address, and the register.
    pub(super) fn locals(subject: &Subject<'_, '_>) -> Vec<Kind> {
        let Some(counted) = &subject.counted else { return Vec::new() };
        let Some(paths) = counted.paths.as_ref().filter(|paths| !paths.steps.is_empty()) else {
            return Blocks::locals(subject);
        };
        if paths.has_register { vec![Kind::Long, Kind::Int] } else { vec![Kind::Long] }
    }

    pub(super) fn at(
        &self,
        site: Site,
        subject: &Subject<'_, '_>,
        slots: Slots<'_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        let words = Blocks { id: self.id, in_root: false }.at(site, subject, slots, code)?;
        let Some(paths) = subject.counted.as_ref().and_then(|counted| counted.paths.as_ref()) else {
            return Ok(words);
        };
        let register = slots.own.get(1).copied();
        let step = subject.place(site).and_then(|place| paths.steps.get(&place));
        if let (Site::Start, Some(register)) = (site, register) {
            // Frames name the register everywhere, also where only handlers set it.
            let set = step.and_then(|step| step.register).unwrap_or(Register::Set(0));
            return Ok(words.max(change(set, paths, register, code)?));
        }
        let (Some(step), &[address, ..]) = (step, slots.own) else { return Ok(words) };
        let ending = match step.end {
            Some(end) => ended(end, paths, (address, register), slots.spare, code)?,
            None => 0,
        };
        let changing = match (step.register, register) {
            (Some(step), Some(register)) => change(step, paths, register, code)?,
            _ => 0,
        };
        Ok(words.max(ending).max(changing))
    }

    /// Whether it has code there.
    pub(super) fn is_on(site: Site, subject: &Subject<'_, '_>) -> bool {
        let paths = subject.counted.as_ref().and_then(|counted| counted.paths.as_ref());
        let has_step = |place| paths.is_some_and(|paths| paths.steps.contains_key(&place));
        Blocks::is_on(site, subject) || subject.place(site).is_some_and(has_step)
    }
}

/// Counts a path that ends.
fn ended(
    end: Ended,
    paths: &CountedPaths,
    (address, register): (u16, Option<u16>),
    spare: u16,
    code: &mut Emitter<'_, '_>,
) -> Result<usize, Refusal> {
    match (end, register) {
        (Ended::Known(number), _) => Blocks::hit(paths.first.wrapping_add(number), address, spare, code),
        (Ended::Sum(add), Some(register)) => {
            let calling = |code: &mut Emitter<'_, '_>| {
                code.load(Kind::Long, address).load(Kind::Int, register);
                if add != 0 {
                    code.int(add)?.op(IADD);
                }
                code.call_counters(names::HIT.0, names::HIT.1).map(|_| ())
            };
            code.guarded(spare, calling, |code| code.uncounted(names::COUNTERS_CLASS).map(|_| ()))?;
            Ok(4)
        }
        (Ended::Sum(_), None) => Err(Refusal::Malformed("a path has no register".to_owned())),
    }
}

/// Changes the register. It counts from the number of the first path's counter on.
fn change(
    by: Register,
    paths: &CountedPaths,
    register: u16,
    code: &mut Emitter<'_, '_>,
) -> Result<usize, Refusal> {
    match by {
        Register::Set(value) => {
            code.int(value.wrapping_add(paths.first as i32))?.store(Kind::Int, register);
            Ok(1)
        }
        Register::Add(value) => code.add_to(register, value),
    }
}
