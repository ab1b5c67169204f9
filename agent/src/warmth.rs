//! Tracks the measured methods that lost their compiled code through a change of their class and are being
//! compiled again. HotSpot compiles a hot method several times, with counters in it and for its loops alone.
//! JVM TI does not say which code is which, so the final compilation is recognised by a quiet period after
//! it.
//!
//! A method that was not compiled before the change runs as it always did, until it is compiled for the first time: then it is
//! cold like others until its last compilation. Being cold is limited in time: a method that is called too rarely to be compiled
//! soon counts as warm.

use crate::layout::GATES;
use crate::sys;
use spl_model::InstrumentId;
use std::collections::HashMap;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};
use std::sync::{OnceLock, PoisonError, RwLock};

/// Most cold samples of a method. HotSpot's last compilation starts after some 5,000 calls
/// (`Tier4InvocationThreshold`).
const MOST_SAMPLES: u32 = 5000;
/// Longest time in nanoseconds that a method counts as cold.
const LONGEST_NS: u64 = 5_000_000_000;
/// Quiet nanoseconds after a compilation that make it the last one.
const QUIET_NS: u64 = 1_000_000_000;

/// The state of each method, by permanent id.
#[derive(Debug, Default)]
pub struct Warmth {
    /// Ids of the methods that are or were in the plan, by the JVM's number of the method.
    ids: RwLock<HashMap<usize, InstrumentId>>,
    /// Allocated when the first method is added: a dormant agent touches no memory that it does not need.
    cells: OnceLock<Vec<Cell>>,
    /// Number of cells in use, from the first on.
    used: AtomicUsize,
    /// The thread that is listing compiled methods, as numbered by `sys::thread`; 0 for none.
    lister: AtomicU64,
}

#[derive(Debug, Default)]
struct Cell {
    /// Whether the method has compiled code, as far as known.
    compiled: AtomicBool,
    /// Whether the last change by the agent discarded compiled code of it.
    had_code: AtomicBool,
    /// Time of that change; 0 before any.
    changed_ns: AtomicU64,
    /// Time of the last compilation after that; 0 if there was none yet.
    compiled_ns: AtomicU64,
    /// Number of cold samples since then.
    cold: AtomicU32,
}

impl Warmth {
    /// Whether a method of the JVM is known already.
    pub fn knows(&self, method: usize) -> bool {
        self.ids.read().unwrap_or_else(PoisonError::into_inner).contains_key(&method)
    }

    /// Records that the JVM's method `method` has this id, in one of the classes of its name.
    pub fn learn(&self, method: usize, id: InstrumentId) {
        self.cells.get_or_init(|| std::iter::repeat_with(Cell::default).take(GATES).collect());
        self.used.fetch_max(id.index() + 1, AcqRel);
        self.ids.write().unwrap_or_else(PoisonError::into_inner).insert(method, id);
    }

    /// Forgets the JVM's method numbers: their classes may be unloaded.
    pub fn forget(&self) {
        self.ids.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Runs `list`, which makes the JVM send an event in this thread for each compiled method.
    pub fn list(&self, list: impl FnOnce()) {
        self.lister.store(sys::thread(), Release);
        list();
        self.lister.store(0, Release);
    }

    /// Records the JVM's event of a method's compiled code, which is new or an item of a list.
    pub fn compiled(&self, method: usize, now_ns: u64) {
        let id = self.ids.read().unwrap_or_else(PoisonError::into_inner).get(&method).copied();
        let Some(cell) = id.and_then(|id| self.cell(id)) else { return };
        cell.compiled.store(true, Release);
        if self.lister.load(Acquire) == sys::thread() || cell.changed_ns.load(Acquire) == 0 {
            return;
        }
        cell.compiled_ns.store(now_ns, Release);
    }

    /// Records that the code of this method changes now, which discards its compiled code.
    pub fn changed(&self, id: InstrumentId, now_ns: u64) {
        let Some(cell) = self.cell(id) else { return };
        let had_code = cell.compiled.swap(false, AcqRel) || cell.is_cold(now_ns);
        cell.changed_ns.store(0, Release);
        cell.compiled_ns.store(0, Release);
        cell.cold.store(0, Release);
        cell.had_code.store(had_code, Release);
        cell.changed_ns.store(now_ns, Release);
    }

    /// Whether a sample of this method that began at this time is cold. Counts it if so.
    pub fn is_cold(&self, id: InstrumentId, start_ns: u64) -> bool {
        let Some(cell) = self.cell(id) else { return false };
        let cold = cell.is_cold(start_ns);
        if cold {
            cell.cold.fetch_add(1, AcqRel);
        }
        cold
    }

    /// Whether some method may still be compiled before it counts as warm.
    pub fn awaits_any(&self, now_ns: u64) -> bool {
        self.cells().iter().any(|cell| cell.is_awaited(now_ns))
    }

    fn cells(&self) -> &[Cell] {
        let cells = self.cells.get().map_or(&[][..], Vec::as_slice);
        &cells[..cells.len().min(self.used.load(Acquire))]
    }

    fn cell(&self, id: InstrumentId) -> Option<&Cell> {
        self.cells().get(id.index())
    }
}

impl Cell {
    fn is_recent(&self, now_ns: u64) -> bool {
        let changed_ns = self.changed_ns.load(Acquire);
        changed_ns != 0 && now_ns.saturating_sub(changed_ns) < LONGEST_NS
    }

    fn is_awaited(&self, now_ns: u64) -> bool {
        self.is_recent(now_ns) && self.cold.load(Acquire) < MOST_SAMPLES
    }

    fn is_cold(&self, start_ns: u64) -> bool {
        let is_cold = match self.compiled_ns.load(Acquire) {
            0 => self.had_code.load(Acquire),
            compiled_ns => start_ns < compiled_ns + QUIET_NS,
        };
        is_cold && self.is_awaited(start_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: InstrumentId = InstrumentId(7);
    const METHOD: usize = 0x1000;

    /// A method that had compiled code when its class was changed, at time 100.
    fn changed() -> Warmth {
        let warmth = Warmth::default();
        warmth.learn(METHOD, ID);
        warmth.list(|| warmth.compiled(METHOD, 50));
        warmth.changed(ID, 100);
        warmth
    }

    #[test]
    fn a_method_is_cold_until_the_last_compiler_had_it() {
        let warmth = changed();
        assert!(warmth.is_cold(ID, 110) && warmth.awaits_any(110));
        warmth.compiled(METHOD, 200);
        assert!(warmth.is_cold(ID, 300) && warmth.awaits_any(300));
        warmth.compiled(METHOD, 400);
        assert!(warmth.is_cold(ID, 399 + QUIET_NS) && !warmth.is_cold(ID, 400 + QUIET_NS));
        assert!(warmth.awaits_any(400 + QUIET_NS), "it may be compiled yet again");
        // The next change cools it again.
        warmth.changed(ID, 500 + QUIET_NS);
        assert!(warmth.is_cold(ID, 510 + QUIET_NS));
    }

    #[test]
    fn what_was_never_compiled_is_as_it_always_was_until_it_is() {
        let warmth = Warmth::default();
        warmth.learn(METHOD, ID);
        warmth.changed(ID, 100);
        assert!(!warmth.is_cold(ID, 110), "interpreted, as before");
        warmth.compiled(METHOD, 200);
        assert!(warmth.is_cold(ID, 199 + QUIET_NS) && !warmth.is_cold(ID, 200 + QUIET_NS));
        assert!(!warmth.is_cold(ID, 100 + LONGEST_NS));
    }

    #[test]
    fn cold_ends_by_count_and_by_time() {
        let warmth = changed();
        assert!((0..MOST_SAMPLES).all(|_| warmth.is_cold(ID, 110)));
        assert!(!warmth.is_cold(ID, 110));
        let warmth = changed();
        assert!(warmth.is_cold(ID, 99 + LONGEST_NS) && !warmth.is_cold(ID, 100 + LONGEST_NS));
        assert!(!warmth.awaits_any(100 + LONGEST_NS));
    }
}
