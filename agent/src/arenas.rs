//! The memory of the counters: an arena for each thread, and the table that leads threads to them; and a copy of the
//! flags. Mapped once, never unmapped, because old activations of a method may still count after its class was restored.
//!
//! The arenas lie in a file in memory (memfd_create(2)), so that the controller reads them without a copy and
//! they outlive a JVM that is killed.

use crate::memory::Memory;
use spl_wire::Drilled;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

/// Bytes of an arena. This is address space; only touched pages take memory.
pub const ARENA_BYTES: usize = 1 << 24;
/// Counters that there can be in the life of a JVM.
pub const MOST_COUNTERS: u32 = (ARENA_BYTES / 8) as u32;
/// Arenas that belong to one thread each.
pub const ARENAS: usize = 256;
/// The arena of all other threads.
const SHARED: usize = ARENAS;
/// The arena of the agent's own thread, which nobody reads.
const OWN: usize = ARENAS + 1;
/// The place of the flags behind the arenas: one byte each.
const FLAGS: usize = ARENAS + 2;
/// Flags that there can be in the life of a JVM. `SplFlags.java` has the same number; a test compares them.
pub const MOST_FLAGS: u32 = 1 << 21;
/// Bytes of the file.
const FILE_BYTES: usize = (ARENAS + 3) * ARENA_BYTES;
/// Entries of the table. `SplCounters.java` has the same number; a test compares them.
const SLOTS: usize = 1 << 14;

/// The arenas and their owners.
#[derive(Debug)]
pub struct Arenas {
    table: Memory,
    arenas: Memory,
    file: OwnedFd,
    owners: Mutex<Owners>,
}

/// The threads that have an arena of their own.
#[derive(Debug)]
struct Owners {
    /// The living threads of a table entry, each with its arena if it has one. Only a thread that is alone there
    /// gets one: two threads must not count in one arena without knowing.
    of_slot: HashMap<usize, Vec<(u64, Option<usize>)>>,
    /// Arenas without an owner. Their counts stay: the controller adds the counts of all arenas.
    free: Vec<usize>,
}

impl Arenas {
    /// Maps arenas that nobody owns.
    ///
    /// # Errors
    /// When the kernel has no room, or no files in memory.
    pub fn map() -> io::Result<Self> {
        let file = memory_file(FILE_BYTES)?;
        let arenas = Memory::map_file(&file, FILE_BYTES)?;
        let table = Memory::map(SLOTS * 8)?;
        let all = Self {
            table,
            arenas,
            file,
            owners: Mutex::new(Owners { of_slot: HashMap::new(), free: (0..ARENAS).rev().collect() }),
        };
        for slot in 0..SLOTS {
            all.lead(slot, SHARED);
        }
        Ok(all)
    }

    /// The address that replaces the placeholder in `SplCounters`.
    pub fn table_address(&self) -> i64 {
        self.table.address()
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
        }
    }

    /// Gives a thread an arena, if one is free and no other living thread has its entry of the table. Threads
    /// whose ids lead to one entry go without from then on: then none counts in an arena that another owns.
    pub fn assign(&self, thread: u64) {
        let slot = slot_of(thread);
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        let Owners { of_slot, free } = &mut *owners;
        let living = of_slot.entry(slot).or_default();
        if living.iter().any(|(known, _)| *known == thread) {
            return;
        }
        let arena = if living.is_empty() { free.pop() } else { None };
        living.push((thread, arena));
        self.lead(slot, arena.unwrap_or(SHARED));
    }

    /// Lets the agent's thread count where nobody looks.
    pub fn assign_own(&self, thread: u64) {
        let slot = slot_of(thread);
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Vacant(entry) = owners.of_slot.entry(slot) {
            entry.insert(vec![(thread, Some(OWN))]);
            self.lead(slot, OWN);
        }
    }

    /// Takes back the arena of a thread that has ended.
    pub fn release(&self, thread: u64) {
        let slot = slot_of(thread);
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        let Owners { of_slot, free } = &mut *owners;
        let Some(living) = of_slot.get_mut(&slot) else { return };
        let Some(place) = living.iter().position(|(known, _)| *known == thread) else { return };
        let (_, arena) = living.swap_remove(place);
        if arena.is_some() {
            // The others of this entry go on without.
            self.lead(slot, SHARED);
        }
        free.extend(arena.filter(|arena| *arena < ARENAS));
        if living.is_empty() {
            of_slot.remove(&slot);
        }
    }

    fn lead(&self, slot: usize, arena: usize) {
        let address = self.arenas.address() as u64 + (arena * ARENA_BYTES) as u64;
        self.table.u64_at(slot * 8).store(address, Ordering::Release);
    }
}

fn slot_of(thread: u64) -> usize {
    (thread as usize) & (SLOTS - 1)
}

/// A file in memory whose size never changes, so that no access beyond its end is possible.
fn memory_file(bytes: usize) -> io::Result<OwnedFd> {
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    // SAFETY: the name is a string that ends with zero.
    let fd = unsafe { libc::memfd_create(c"spl-counters".as_ptr(), flags) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just opened, and nobody else owns it.
    let fd = unsafe { OwnedFd::from_raw_fd(fd) };
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
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    /// The arena to which the table leads a thread.
    fn arena(arenas: &Arenas, thread: u64) -> usize {
        let address = arenas.table.u64_at(slot_of(thread) * 8).load(Ordering::Acquire);
        (address - arenas.arenas.address() as u64) as usize / ARENA_BYTES
    }

    #[test]
    fn java_and_rust_agree() {
        let source = include_str!("../java/java/lang/SplCounters.java");
        assert!(source.contains("MASK = (1 << 14) - 1;"));
        assert_eq!(SLOTS, 1 << 14);
        assert!(include_str!("../java/java/lang/SplFlags.java").contains("new byte[1 << 21];"));
        assert_eq!(MOST_FLAGS, 1 << 21);
    }

    #[test]
    fn no_two_threads_share_an_arena_of_their_own() {
        let arenas = Arenas::map().unwrap();
        assert_eq!(arena(&arenas, 7), SHARED);
        (1..=300).for_each(|thread| arenas.assign(thread));
        let mut owned: Vec<usize> = (1..=300).map(|thread| arena(&arenas, thread)).collect();
        assert_eq!(owned.iter().filter(|arena| **arena == SHARED).count(), 300 - ARENAS);
        owned.retain(|arena| *arena != SHARED);
        owned.sort_unstable();
        owned.dedup();
        assert_eq!(owned.len(), ARENAS);
        arenas.release(5);
        assert_eq!(arena(&arenas, 5), SHARED);
        arenas.assign(400);
        assert!(arena(&arenas, 400) < ARENAS, "an arena is used again");
    }

    #[test]
    fn threads_of_one_entry_share() {
        let arenas = Arenas::map().unwrap();
        let (one, other) = (3, 3 + SLOTS as u64);
        arenas.assign(one);
        assert!(arena(&arenas, one) < ARENAS);
        arenas.assign(other);
        assert_eq!(arena(&arenas, one), SHARED, "neither writes where the other does");
        arenas.release(one);
        let third = 3 + 2 * SLOTS as u64;
        arenas.assign(third);
        assert_eq!(arena(&arenas, third), SHARED, "the second one still lives");
        arenas.release(other);
        arenas.release(third);
        arenas.assign(other);
        assert!(arena(&arenas, other) < ARENAS);
        arenas.assign_own(9);
        assert_eq!(arena(&arenas, 9), OWN);
        arenas.release(9);
        assert_eq!(arenas.owners.lock().unwrap().free.len(), ARENAS - 1);
    }

    #[test]
    fn the_file_has_what_is_counted_and_keeps_its_size() {
        let arenas = Arenas::map().unwrap();
        arenas.arenas.u64_at(ARENA_BYTES + 40).store(42, Ordering::Relaxed);
        let Drilled::Counters { descriptor: fd, bytes, .. } = arenas.place() else { panic!() };
        let file = File::open(format!("/proc/self/fd/{fd}")).unwrap();
        let mut word = [0; 8];
        file.read_exact_at(&mut word, ARENA_BYTES as u64 + 40).unwrap();
        assert_eq!((u64::from_le_bytes(word), file.metadata().unwrap().len()), (42, bytes));
        let writable = File::options().write(true).open(format!("/proc/self/fd/{fd}")).unwrap();
        assert!(writable.set_len(0).is_err(), "nobody can cut it under the JVM");
    }
}
