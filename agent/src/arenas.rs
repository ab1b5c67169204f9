//! The memory of the counters: an arena for each thread, to which a table in the JVM leads threads; and a copy of the
//! flags. Mapped once, never unmapped, because old activations of a method may still count after its class was restored.
//!
//! The arenas lie in a file in memory (memfd_create(2)), so that the controller reads them without a copy and
//! they outlive a JVM that is killed.

use crate::memory::Memory;
use crate::sys;
use spl_model::{MOST_ROOTS, Scope, arena};
use spl_wire::Drilled;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Debug;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Bytes of an arena. This is address space; only touched pages take memory.
pub const ARENA_BYTES: usize = arena::BYTES as usize;
/// Counters that there can be in the life of a JVM. Behind them an arena has its arcs and few other words, see [`arena`].
/// `SplRoots.java` and `SplArcs.java` have the same places; a test compares them.
pub const MOST_COUNTERS: u32 = (arena::STACK / 8) as u32;
/// Arenas that belong to one thread each.
pub const ARENAS: usize = 256;
/// Arenas that are given to new threads before one is used again: in a program with few threads none counts where another one has. With traces none is: a
/// ring takes more memory, and names its threads.
const ALONE: usize = 32;
/// The arena of all other threads.
const SHARED: usize = ARENAS;
/// The arena of the agent's own thread, which nobody reads.
const OWN: usize = ARENAS + 1;
/// The place of the flags behind the arenas: one byte each.
const FLAGS: usize = ARENAS + 2;
/// Flags that there can be in the life of a JVM. `SplFlags.java` has the same number; a test compares them.
pub const MOST_FLAGS: u32 = 1 << 21;
/// The first arena of roots: each belongs to one thread and one root.
const OF_ROOTS: usize = ARENAS + 3;
/// Number of the arenas of roots.
pub const ROOT_ARENAS: usize = 256;
/// The place of the rings behind all arenas.
const RINGS: usize = (OF_ROOTS + ROOT_ARENAS) * ARENA_BYTES;
/// Bytes of the file.
const FILE_BYTES: usize = RINGS + (ARENAS + 2) * arena::RING_BYTES as usize;
/// Entries of the table, and of that of the roots. `SplCounters.java` and `SplRoots.java` have the same number; a test compares them.
const SLOTS: usize = 1 << 14;
/// Bytes of an entry of the roots' table: the thread's id, its own arena, one for each root, and whether it asks for these.
/// `SplRoots.java` has the same number; a test compares them.
const ENTRY_BYTES: usize = 256;
/// In place of a thread's id. A thread that is just being attached still has the id 0.
const NOBODY: u64 = u64::MAX;
/// Word of an entry where its thread asks for arenas of roots.
const WANTS: usize = 2 + MOST_ROOTS;
/// Word of an entry with the address of its thread's ring. `SplTrace.java` has the same number; a test compares them.
const RING: usize = WANTS + 1;
/// Place of the facts about each root in the roots' table, behind the entries.
const FACTS: usize = SLOTS * ENTRY_BYTES;
/// Bytes of these: the size from which on a call is large, and the word of an entry with the arena of such calls.
const FACT_BYTES: usize = 16;

/// The table that leads threads to their arenas, by their ids. At first it leads all to the arena of threads without their own.
pub trait Table: Debug + Send + Sync {
    /// Leads the threads of an entry to the arena at this address. The calling thread may be suspended within.
    fn lead(&self, slot: usize, address: u64);
}

/// The arenas and their owners.
#[derive(Debug)]
pub struct Arenas {
    /// Not there before the JVM has it.
    table: OnceLock<Box<dyn Table>>,
    roots: Memory,
    arenas: Memory,
    file: OwnedFd,
    owners: Mutex<Owners>,
}

/// Use of the roots' table where no calls count apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uses {
    /// Nothing.
    Counters,
    /// Their arena, for its stack of calls.
    Stack,
    /// Their ring.
    Ring,
}

/// The threads that have an arena of their own.
#[derive(Debug)]
struct Owners {
    /// The living threads of a table entry, each with its arena if it has one. Only a thread that is alone there
    /// gets one: two threads must not count in one arena without knowing.
    of_slot: HashMap<usize, Vec<Living>>,
    /// Arenas whose owner has ended. Their counts stay: the controller adds the counts of all arenas.
    free: Vec<usize>,
    /// The first arena that never had an owner.
    unused: usize,
    /// Number of the groups of calls of the last drill that had roots: each has an arena for each thread.
    roots: usize,
    /// Arenas of roots that threads have ever had. They come first.
    used: usize,
    /// Whether the drill has roots.
    has_roots: bool,
    /// Whether the drill has durations, so that threads look for their entry of the roots' table.
    has_durations: bool,
    /// Whether the drill has traces, for which threads look there too.
    has_rings: bool,
    /// First arenas of the groups without an owner. A group has one for each root.
    free_groups: Vec<usize>,
}

/// A living thread.
#[derive(Debug)]
struct Living {
    thread: u64,
    arena: Option<usize>,
    /// First of its arenas of roots.
    group: Option<usize>,
}

impl Arenas {
    /// Maps arenas that nobody owns.
    ///
    /// # Errors
    /// When the kernel has no room, or no files in memory.
    pub fn map() -> io::Result<Self> {
        let file = memory_file(FILE_BYTES)?;
        let arenas = Memory::map_file(&file, FILE_BYTES)?;
        let roots = Memory::map(FACTS + MOST_ROOTS * FACT_BYTES)?;
        let owners = Owners {
            of_slot: HashMap::new(),
            free: Vec::new(),
            unused: 0,
            roots: 0,
            used: 0,
            has_roots: false,
            has_durations: false,
            has_rings: false,
            free_groups: Vec::new(),
        };
        let all = Self { table: OnceLock::new(), roots, arenas, file, owners: Mutex::new(owners) };
        all.roots.u64_at(slot_of(0) * ENTRY_BYTES).store(NOBODY, Ordering::Release);
        Ok(all)
    }

    /// Leads threads by this table from now on. No thread has an arena yet.
    pub fn lead_by(&self, table: impl Table + 'static) {
        // There is one for the life of the JVM.
        let _ = self.table.set(Box::new(table));
    }

    /// The address of the roots' table, which replaces a placeholder in `SplRoots`.
    pub fn roots_address(&self) -> i64 {
        self.roots.address()
    }

    /// The address of the first arena of roots; no other arena has a higher one.
    pub fn first_of_roots(&self) -> i64 {
        self.address(OF_ROOTS) as i64
    }

    /// The address of the arena that nobody reads, which replaces a placeholder in `SplRoots`.
    pub fn nobodys_address(&self) -> i64 {
        self.address(OWN) as i64
    }

    /// The address of the arena of all threads without their own, which replaces a placeholder in `SplArcs`.
    pub fn shared_address(&self) -> i64 {
        self.address(SHARED) as i64
    }

    /// The address of the ring of all threads without their own, which replaces a placeholder in `SplTrace`.
    pub fn shared_ring(&self) -> i64 {
        self.arenas.address() + ring_at(SHARED) as i64
    }

    /// Whether a flag is set.
    pub fn is_set(&self, flag: u32) -> bool {
        flag < MOST_FLAGS
            && self.arenas.u8_at(FLAGS * ARENA_BYTES + flag as usize).load(Ordering::Relaxed) != 0
    }

    /// Sets a flag.
    pub fn set(&self, flag: u32) {
        self.arenas.u8_at(FLAGS * ARENA_BYTES + flag as usize).store(1, Ordering::Relaxed);
    }

    /// Takes flags back.
    pub fn clear(&self, flags: std::ops::Range<u32>) {
        for flag in flags.start..flags.end.min(MOST_FLAGS) {
            self.arenas.u8_at(FLAGS * ARENA_BYTES + flag as usize).store(0, Ordering::Relaxed);
        }
    }

    /// Where the controller finds the counters.
    pub fn place(&self) -> Drilled {
        Drilled::Counters {
            descriptor: self.file.as_raw_fd(),
            bytes: FILE_BYTES as u64,
            arena_bytes: ARENA_BYTES as u64,
            arenas: ARENAS as u32,
            root_arenas: ROOT_ARENAS as u32,
        }
    }

    /// Begins a drill with the roots of this scope, whose calls make at most [`MOST_ROOTS`] groups: group G of them gets every arena of
    /// roots whose place among them divided by that number leaves G. Threads get theirs by [`give_wanted`](Self::give_wanted). A thread
    /// keeps those of the drill before if that had as many groups: an old activation may still count there. With `uses` each
    /// thread with an arena finds it in the roots' table too.
    pub fn begin_roots(&self, scope: &Scope, uses: Uses) {
        self.end_roots();
        let roots = scope.groups().min(MOST_ROOTS);
        for (root, large) in scope.larges().into_iter().enumerate().take(MOST_ROOTS) {
            let (from, word) = large.map_or((i64::MAX as u64, 2), |(from, group)| (from, 2 + group as u64));
            self.roots.u64_at(FACTS + root * FACT_BYTES + 8).store(word, Ordering::Release);
            self.roots.u64_at(FACTS + root * FACT_BYTES).store(from, Ordering::Release);
        }
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.has_durations = uses == Uses::Stack;
        owners.has_rings = uses == Uses::Ring;
        if owners.has_rings {
            self.begin_rings();
        }
        let Owners { of_slot, free_groups, roots: number, used, has_roots, .. } = &mut *owners;
        *has_roots = roots > 0;
        if *has_roots && roots != *number {
            *number = roots;
            of_slot.values_mut().flatten().for_each(|one| one.group = None);
            let all = (0..ROOT_ARENAS / roots).rev().map(|at| at * roots);
            // Old activations may still count in the others, so these come last.
            let (unused, others): (Vec<_>, Vec<_>) = all.partition(|first| *first >= *used);
            *free_groups = others.into_iter().chain(unused).collect();
        }
    }

    /// Ends a drill with roots. All threads count in their own arenas again.
    pub fn end_roots(&self) {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.has_roots = false;
        owners.has_durations = false;
        if std::mem::take(&mut owners.has_rings) {
            self.end_rings();
        }
        let mut alone = Vec::new();
        for (&slot, living) in &owners.of_slot {
            self.take_roots(slot);
            if let [Living { arena: Some(_), .. }] = living[..] {
                alone.push(slot);
            }
        }
        drop(owners);
        alone.into_iter().for_each(|slot| self.lead(slot));
    }

    /// Gives a thread an arena, if one is free and no other living thread has its entry of the table. Threads
    /// whose ids lead to one entry go without from then on: then none counts in an arena that another owns.
    pub fn assign(&self, thread: u64) {
        let slot = slot_of(thread);
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        let Owners { of_slot, free, unused, has_roots, has_durations, has_rings, .. } = &mut *owners;
        let living = of_slot.entry(slot).or_default();
        let is_new = living.iter().all(|one| one.thread != thread);
        if is_new {
            let alone = if *has_rings { 0 } else { ALONE };
            let arena = if living.is_empty() { self.take(free, unused, alone) } else { None };
            if let Some(arena) = arena {
                self.count_owner(arena);
                // A thread that ended may have left calls there that never did.
                let top = arena * ARENA_BYTES + arena::STACK_TOP as usize;
                self.arenas.u64_at(top).store(0, Ordering::Release);
                self.own_ring(arena, thread);
            }
            living.push(Living { thread, arena, group: None });
            self.take_roots(slot);
        }
        if (*has_roots || *has_durations || *has_rings)
            && let [Living { arena: Some(arena), .. }] = living[..]
            && arena < ARENAS
        {
            self.tell(slot, thread, arena);
        }
        drop(owners);
        if is_new {
            self.lead(slot);
        }
    }

    /// Gives arenas of roots to the threads that have asked for them, as long as there are some. False if the drill has no roots.
    pub fn give_wanted(&self) -> bool {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        let Owners { of_slot, roots, used, has_roots, free_groups, .. } = &mut *owners;
        if !*has_roots {
            return false;
        }
        for (&slot, living) in of_slot.iter_mut() {
            let at = slot * ENTRY_BYTES;
            let wants = self.roots.u64_at(at + 8 * WANTS);
            if let [Living { group, .. }] = &mut living[..]
                && wants.load(Ordering::Acquire) != 0
            {
                *group = group.or_else(|| free_groups.pop());
                let Some(group) = *group else { break };
                *used = (*used).max(group + *roots);
                for (word, place) in (2..).zip(group..group + *roots) {
                    let address = self.address(OF_ROOTS + place);
                    self.roots.u64_at(at + 8 * word).store(address, Ordering::Release);
                }
                wants.store(0, Ordering::Release);
            }
        }
        true
    }

    /// Lets the agent's thread count where nobody looks.
    pub fn assign_own(&self, thread: u64) {
        let slot = slot_of(thread);
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Vacant(entry) = owners.of_slot.entry(slot) {
            entry.insert(vec![Living { thread, arena: Some(OWN), group: None }]);
        }
        if (owners.has_durations || owners.has_rings)
            && let Some([Living { arena: Some(OWN), .. }]) = owners.of_slot.get(&slot).map(Vec::as_slice)
        {
            self.tell(slot, thread, OWN);
        }
        drop(owners);
        self.lead(slot);
    }

    /// Tells a thread in the roots' table which arena is its own.
    fn tell(&self, slot: usize, thread: u64, arena: usize) {
        self.roots.u64_at(slot * ENTRY_BYTES + 8).store(self.address(arena), Ordering::Release);
        let ring = self.arenas.address() as u64 + ring_at(arena) as u64;
        self.roots.u64_at(slot * ENTRY_BYTES + 8 * RING).store(ring, Ordering::Release);
        // Last: from now on the thread takes the rest for its own.
        self.roots.u64_at(slot * ENTRY_BYTES).store(thread, Ordering::Release);
    }

    /// Takes back the arena of a thread that has ended.
    pub fn release(&self, thread: u64) {
        let slot = slot_of(thread);
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        let Owners { of_slot, free, free_groups, .. } = &mut *owners;
        let Some(living) = of_slot.get_mut(&slot) else { return };
        let Some(place) = living.iter().position(|one| one.thread == thread) else { return };
        let Living { arena, group, .. } = living.swap_remove(place);
        if arena.is_some() {
            self.take_roots(slot);
        }
        free_groups.extend(group);
        if let Some(arena) = arena.filter(|arena| *arena < ARENAS) {
            self.count_owner(arena);
            free.push(arena);
        }
        if living.is_empty() {
            of_slot.remove(&slot);
        }
        drop(owners);
        if arena.is_some() {
            // The others of this entry go on without.
            self.lead(slot);
        }
    }

    /// Lets the next outermost call of each ring name its thread again. Old activations may write meanwhile.
    fn begin_rings(&self) {
        // No place is 0, which stands for none: a ring that has told none would take the count for its own.
        let last_taken = ring_at(SHARED) + arena::RING_LAST_TAKEN as usize;
        self.arenas.u64_at(last_taken).fetch_max(1, Ordering::AcqRel);
        for arena in 0..ARENAS + 2 {
            let at = ring_at(arena);
            self.arenas.u64_at(at + arena::RING_TOLD as usize).store(0, Ordering::Release);
            self.forget_receivers(at);
            // Places that an earlier drill took are not in the trace of this one.
            self.arenas.u64_at(at + arena::RING_TAKEN as usize).store(0, Ordering::Release);
            self.arenas.u64_at(at + arena::RING_LOST as usize).store(0, Ordering::Release);
            let most = (arena::RING_CHUNKS - 1) as u8;
            self.arenas.u8_at(at + arena::RING_LIMIT as usize).store(most, Ordering::Release);
        }
    }

    /// Lets no thread wait any more for a controller, which may be gone.
    fn end_rings(&self) {
        for arena in 0..ARENAS + 2 {
            self.arenas.u8_at(ring_at(arena) + arena::RING_WAITS as usize).store(0, Ordering::Release);
        }
    }

    /// Gives the ring of an arena to a thread that has not run yet.
    fn own_ring(&self, arena: usize, thread: u64) {
        let at = ring_at(arena);
        let lost = self.arenas.u64_at(at + arena::RING_LOST as usize);
        self.arenas
            .u64_at(at + arena::RING_ENDED as usize)
            .fetch_add(lost.swap(0, Ordering::AcqRel), Ordering::AcqRel);
        self.arenas.u64_at(at + arena::RING_OWNER as usize).store(thread, Ordering::Release);
        self.arenas.u64_at(at + arena::RING_DEPTH as usize).store(0, Ordering::Release);
        self.arenas.u64_at(at + arena::RING_TAKEN as usize).store(0, Ordering::Release);
        self.forget_receivers(at);
        // The thread before may have ended within a call.
        let within = self.arenas.u8_at(at + arena::RING_WITHIN as usize).load(Ordering::Acquire);
        self.arenas.u64_at(at + arena::RING_INSIDE as usize).store(0, Ordering::Release);
        self.arenas.u64_at(at + arena::RING_TURN as usize).store(0, Ordering::Release);
        self.arenas.u8_at(at + arena::RING_MUTED as usize).store(within, Ordering::Release);
    }

    /// Lets a ring tell the classes of receivers again. Its words so far are in the trace of another drill or thread.
    fn forget_receivers(&self, at: usize) {
        for place in 0..arena::MOST_RECEIVERS as usize {
            let at = at + arena::RING_RECEIVERS as usize + 8 * place;
            // A page that nothing was written to stays unused.
            if self.arenas.u64_at(at).load(Ordering::Acquire) != 0 {
                self.arenas.u64_at(at).store(0, Ordering::Release);
            }
        }
    }

    /// An arena for a thread: the first ones that nobody had, `alone` in number, then one that many threads have had before others, whose counts are
    /// then still of few.
    fn take(&self, free: &mut Vec<usize>, unused: &mut usize, alone: usize) -> Option<usize> {
        if *unused < alone || free.is_empty() && *unused < ARENAS {
            *unused += 1;
            return Some(*unused - 1);
        }
        let owners = |arena: usize| self.arenas.u64_at(owners_at(arena)).load(Ordering::Acquire);
        let most = (0..free.len()).max_by_key(|place| owners(free[*place]))?;
        Some(free.swap_remove(most))
    }

    /// Tells the controller that an owner begins or ends.
    fn count_owner(&self, arena: usize) {
        self.arenas.u64_at(owners_at(arena)).fetch_add(1, Ordering::AcqRel);
    }

    /// Leads the threads of an entry to the arena of the one that is alone there, else to that of all others. Nothing is locked meanwhile: the
    /// program may suspend the calling thread, while other threads begin and end. So what another thread has changed is looked at again.
    fn lead(&self, slot: usize) {
        let Some(table) = self.table.get() else { return };
        loop {
            let arena = self.arena_of(slot);
            table.lead(slot, self.address(arena));
            if self.arena_of(slot) == arena {
                return;
            }
        }
    }

    fn arena_of(&self, slot: usize) -> usize {
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        match owners.of_slot.get(&slot).map(Vec::as_slice) {
            Some(&[Living { arena: Some(arena), .. }]) => arena,
            _ => SHARED,
        }
    }

    fn address(&self, arena: usize) -> u64 {
        self.arenas.address() as u64 + (arena * ARENA_BYTES) as u64
    }

    /// Lets no thread of an entry count apart.
    fn take_roots(&self, slot: usize) {
        let at = slot * ENTRY_BYTES;
        // First: from now on the thread takes the rest for nobody's.
        self.roots.u64_at(at).store(NOBODY, Ordering::Release);
        // The ring's address stays: a thread that has just looked at the id reads it without another look, and rings are never unmapped.
        for word in 1..=WANTS {
            self.roots.u64_at(at + 8 * word).store(0, Ordering::Release);
        }
    }
}

/// The place of an arena's number of owners.
fn owners_at(arena: usize) -> usize {
    arena * ARENA_BYTES + arena::OWNERS as usize
}

/// The place of the ring of an arena.
fn ring_at(arena: usize) -> usize {
    RINGS + arena * arena::RING_BYTES as usize
}

fn slot_of(thread: u64) -> usize {
    (thread as usize) & (SLOTS - 1)
}

/// A file in memory whose size never changes, so that no access beyond its end is possible.
fn memory_file(bytes: usize) -> io::Result<OwnedFd> {
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    let fd = sys::memory_file(c"spl-counters", flags)?;
    let file = File::from(fd);
    file.set_len(bytes as u64)?;
    let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: the descriptor is open; this call takes a number.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(file.into())
}

#[cfg(test)]
mod places_model;
#[cfg(test)]
mod ring_model;
#[cfg(test)]
mod roots_model;
#[cfg(test)]
mod tests;
