//! The counters' memory in the process of a JVM. It is a file in memory, so an open file outlives the process.

use spl_model::arena::{self, Arc, Received};
use spl_model::{DrillKind, OfCalls, Scope};
use spl_profile::{ProbeCost, Sizes, Threads};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes of a counter.
const WORD: u64 = 8;
/// Largest memory of counters that is believed, in bytes: address space of the JVM.
const LARGEST: u64 = 1 << 40;
/// Largest arena that is believed, in bytes: as many may have to be read.
const LARGEST_ARENA: u64 = 1 << 26;
/// Arenas behind those of one thread each: that of all other threads, the agent's own, and the flags.
const MORE_ARENAS: u64 = 3;
/// Rings behind those of one thread each: that of all other threads, and the agent's own.
const MORE_RINGS: u64 = 2;
/// Most arenas of one thread each that are believed: each takes time to read.
const MOST_ARENAS: u32 = 4096;
/// Most counters that are read one by one.
const FEW: usize = 8;
/// Name of the memory, as the kernel shows it.
const NAME: &str = "memfd:spl-counters";

/// Where an agent says that its counters are.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The process of the JVM.
    pub pid: u32,
    /// Descriptor of the memory there.
    pub descriptor: i32,
    /// Its size.
    pub bytes: u64,
    /// Bytes of an arena.
    pub arena_bytes: u64,
    /// Arenas of one thread each; the next one is everybody's.
    pub arenas: u32,
    /// Arenas of one thread and one root each, behind all others.
    pub root_arenas: u32,
}

/// The open counters of a JVM.
#[derive(Debug)]
pub struct CountersFile {
    file: File,
    place: Place,
    /// For each method whose calls count apart the number of the group of the large ones, if there is one.
    larges: Vec<Option<usize>>,
    /// Number of groups of calls that count apart.
    groups: usize,
    /// The facts of calls that count.
    of_calls: Option<OfCalls>,
    /// Sums at the beginning: an earlier drill may have counted.
    before: (Vec<u64>, Vec<u64>),
    apart_before: Vec<Apart>,
    arcs_before: Arcs,
    uses_before: Vec<Uses>,
}

/// The use of an arena that threads have one after the other.
#[derive(Clone, Debug, Default)]
struct Uses {
    /// For each counter whether it is not 0.
    non_zero: Vec<bool>,
    /// See [`arena::OWNERS`].
    owners: u64,
}

/// Arcs of the call graph with their counts, and calls without an arc.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arcs {
    /// Calls of each arc.
    pub counts: BTreeMap<Arc, u64>,
    /// Calls without an arc.
    pub lost: u64,
}

/// All counts since the beginning at one instant, or nearly so: one thread's are read after the other's.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The values of the counters.
    pub values: Vec<u64>,
    /// For each counter the number of threads in which it is not 0.
    pub threads: Vec<u32>,
    /// The arcs.
    pub arcs: Arcs,
}

impl Snapshot {
    /// The sum of some counters, by their numbers.
    pub fn sum(&self, numbers: &[u32]) -> u64 {
        sum_of(&self.values, numbers)
    }
}

/// The sum of the values with these numbers.
fn sum_of(values: &[u64], numbers: &[u32]) -> u64 {
    let counts = numbers.iter().filter_map(|number| values.get(*number as usize));
    counts.fold(0, |sum, count| sum.wrapping_add(*count))
}

/// Counts within the calls of a root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Apart {
    /// Its calls.
    pub calls: u64,
    /// The values of the counters. Those of the root itself are of calls within its calls.
    pub values: Vec<u64>,
    /// The arcs, if they count.
    pub arcs: Arcs,
    /// The workload sizes of its calls.
    pub sizes: Sizes,
    /// The counts of the large ones among these calls, if they count in a group of their own.
    pub large: Option<Box<Apart>>,
}

impl CountersFile {
    /// Opens the counters of a process.
    ///
    /// # Errors
    /// When they are not where the agent says; one line of text.
    pub fn open(place: Place, scope: &Scope, what: DrillKind) -> Result<Self, String> {
        let has_rings = matches!(what, DrillKind::Trace { .. });
        let of_calls = what.of_calls();
        let Place { pid, descriptor, bytes, arena_bytes, arenas, root_arenas } = place;
        let path = format!("/proc/{pid}/fd/{descriptor}");
        let cannot = |why: String| {
            format!(
                "cannot read the counters of process {pid}: {why}; run spl as the user and in the container of the program"
            )
        };
        let named = fs::read_link(&path).map_err(|error| cannot(error.to_string()))?;
        if !named.to_string_lossy().contains(NAME) {
            return Err(cannot("they are not where its agent says".to_owned()));
        }
        // Only where it is a trace something is written: what was read of its rings.
        let file = File::options().read(true).write(has_rings).open(&path);
        let file = file.map_err(|error| cannot(error.to_string()))?;
        let found = file.metadata().map_err(|error| cannot(error.to_string()))?.len();
        let rings = (u64::from(arenas) + MORE_RINGS) * arena::RING_BYTES;
        let needed = (u64::from(arenas) + MORE_ARENAS + u64::from(root_arenas)).checked_mul(arena_bytes);
        let needed = needed.and_then(|needed| needed.checked_add(rings));
        let fits = arenas <= MOST_ARENAS
            && root_arenas <= MOST_ARENAS
            && arena_bytes <= LARGEST_ARENA
            && needed.is_some_and(|needed| needed <= found)
            && found == bytes
            && bytes <= LARGEST;
        if !fits || arena_bytes != arena::BYTES {
            return Err(cannot(format!("they have {found} bytes, and its agent says {bytes}")));
        }
        let (before, apart_before) = ((Vec::new(), Vec::new()), Vec::new());
        let arcs_before = Arcs::default();
        let larges = scope.larges().into_iter().map(|large| large.map(|(_, group)| group)).collect();
        let groups = scope.groups();
        let uses_before = Vec::new();
        let mut opened =
            Self { file, place, larges, groups, of_calls, before, apart_before, arcs_before, uses_before };
        let words = arena::STACK / WORD;
        opened.before = opened.sums(words).map_err(|error| cannot(error.to_string()))?;
        opened.apart_before = opened.of_groups(words).map_err(|error| cannot(error.to_string()))?;
        opened.uses_before = opened.uses(words).map_err(|error| cannot(error.to_string()))?;
        opened.arcs_before = opened.all_arcs().map_err(|error| cannot(error.to_string()))?;
        Ok(opened)
    }

    /// The memory once more, the offset of its first ring, and the number of those of one thread each.
    ///
    /// # Errors
    /// When it cannot be opened once more; one line of text.
    pub fn rings(&self) -> Result<(File, u64, u32), String> {
        let Place { arena_bytes, arenas, root_arenas, .. } = self.place;
        let first = (u64::from(arenas) + MORE_ARENAS + u64::from(root_arenas)) * arena_bytes;
        Ok((self.file.try_clone().map_err(unread)?, first, arenas))
    }

    /// The number of counters, or of flags, that there is room for.
    pub fn capacity(&self, what: DrillKind) -> u64 {
        match what {
            DrillKind::Blocks
            | DrillKind::Calls(_)
            | DrillKind::Time(_)
            | DrillKind::Paths { .. }
            | DrillKind::Trace { .. } => arena::STACK / WORD,
            DrillKind::Cover => self.place.arena_bytes,
        }
    }

    /// The values of the counters below this number since the beginning, and for each whether threads without
    /// an arena of their own have counted in it.
    ///
    /// # Errors
    /// When they cannot be read; one line of text.
    pub fn read(&self, below: u64) -> Result<(Vec<u64>, Vec<bool>), String> {
        let (sums, shared) = self.sums(below).map_err(unread)?;
        let shared = since(shared, &self.before.1).into_iter().map(|count| count > 0).collect();
        Ok((since(sums, &self.before.0), shared))
    }

    /// For each counter below this number in how many threads it is not 0, but was at the beginning; nothing unless arcs count.
    ///
    /// # Errors
    /// When they cannot be read; one line of text.
    pub fn threads(&self, below: u64) -> Result<Vec<Threads>, String> {
        let mut all: Vec<Threads> = Vec::new();
        for (now, before) in self.uses(below).map_err(unread)?.iter().zip(&self.uses_before) {
            let owners = now.since(before);
            all.resize(all.len().max(now.non_zero.len()), Threads::default());
            let was = before.non_zero.iter().copied().chain(std::iter::repeat(false));
            for ((threads, is), was) in all.iter_mut().zip(&now.non_zero).zip(was) {
                if *is {
                    let least = u64::from(!was);
                    threads.least += least;
                    threads.most = threads.most.saturating_add(owners.max(least));
                }
            }
        }
        Ok(all)
    }

    /// The counts below this number at this instant. The arcs come first: a call that they tell is then among those of the counters.
    ///
    /// # Errors
    /// When they cannot be read; one line of text.
    pub fn snapshot(&self, below: u64) -> Result<Snapshot, String> {
        let arcs = self.arcs()?;
        Ok(Snapshot { values: self.read(below)?.0, threads: least(&self.threads(below)?), arcs })
    }

    /// The sum of some counters, by their numbers, since the beginning.
    ///
    /// # Errors
    /// When they cannot be read; one line of text.
    pub fn sum(&self, numbers: &[u32]) -> Result<u64, String> {
        let mut sum = 0_u64;
        if numbers.len() > FEW {
            // All of them at once: each word would be a call of the system for each thread.
            let end = numbers.iter().max().map_or(0, |last| u64::from(*last) + 1);
            return Ok(sum_of(&self.read(end)?.0, numbers));
        }
        for number in numbers.iter().copied() {
            for arena in 0..=u64::from(self.place.arenas) {
                sum = sum.wrapping_add(self.word(arena, u64::from(number) * WORD).map_err(unread)?);
            }
            sum = sum.wrapping_sub(self.before.0.get(number as usize).copied().unwrap_or(0));
        }
        Ok(sum)
    }

    /// The uses of the arenas of one thread each; nothing unless arcs count.
    fn uses(&self, count: u64) -> io::Result<Vec<Uses>> {
        let arenas = if self.of_calls.is_some() { u64::from(self.place.arenas) } else { 0 };
        let uses = |arena| {
            let non_zero = self.words(arena, 0, count)?.into_iter().map(|word| word != 0).collect();
            Ok(Uses { non_zero, owners: self.word(arena, arena::OWNERS)? })
        };
        (0..arenas).map(uses).collect()
    }

    /// The counts of each root since the beginning, of the counters below this number.
    ///
    /// # Errors
    /// When they cannot be read; one line of text.
    pub fn apart(&self, below: u64) -> Result<Vec<Apart>, String> {
        let now = self.of_groups(below).map_err(unread)?;
        let groups: Vec<Apart> =
            now.into_iter().zip(&self.apart_before).map(|(now, before)| now.since(before)).collect();
        let root = |(number, large): (usize, &Option<usize>)| {
            let large = large.and_then(|large| groups.get(large));
            let mut all = groups.get(number).cloned().unwrap_or_default();
            large.iter().for_each(|large| all.add(large));
            Apart { large: large.map(|large| Box::new(large.clone())), ..all }
        };
        Ok(self.larges.iter().enumerate().map(root).collect())
    }

    /// Cost of a probe of durations, as the agent has measured it.
    ///
    /// # Errors
    /// When it cannot be read; one line of text.
    pub fn probe_cost(&self) -> Result<ProbeCost, String> {
        let word = |place| self.word(u64::from(self.place.arenas), place).map_err(unread);
        Ok(ProbeCost { inside_ps: word(arena::COST_INSIDE)?, outside_ps: word(arena::COST_OUTSIDE)? })
    }

    /// The arcs of all threads since the beginning.
    ///
    /// # Errors
    /// When they cannot be read; one line of text.
    pub fn arcs(&self) -> Result<Arcs, String> {
        Ok(self.all_arcs().map_err(unread)?.since(&self.arcs_before))
    }

    /// The flags below this number, each 0 or 1.
    ///
    /// # Errors
    /// When they cannot be read; one line of text.
    pub fn flags(&self, below: u64) -> Result<Vec<u64>, String> {
        let Place { arena_bytes, arenas, .. } = self.place;
        let arena = u64::from(arenas) + MORE_ARENAS - 1;
        let words = self.words(arena, 0, below.min(arena_bytes).div_ceil(WORD));
        let words = words.map_err(|error| format!("cannot read the flags: {error}"))?;
        let bytes = words.into_iter().flat_map(u64::to_le_bytes);
        Ok(bytes.map(|byte| u64::from(byte != 0)).collect())
    }

    /// Sums of counters over all arenas, and those of the arena of threads without their own.
    fn sums(&self, count: u64) -> io::Result<(Vec<u64>, Vec<u64>)> {
        let (mut sums, mut shared) = (Vec::new(), Vec::new());
        for arena in 0..=self.place.arenas {
            shared = self.words(u64::from(arena), 0, count)?;
            add(&mut sums, &shared);
        }
        self.of_groups(count)?.iter().for_each(|apart| add(&mut sums, &apart.values));
        Ok((sums, shared))
    }

    /// Sums of counters over the arenas of each group of calls that count apart.
    fn of_groups(&self, count: u64) -> io::Result<Vec<Apart>> {
        let mut all = vec![Apart::default(); self.groups];
        let first = u64::from(self.place.arenas) + MORE_ARENAS;
        for at in 0..if self.groups == 0 { 0 } else { u64::from(self.place.root_arenas) } {
            let apart = &mut all[(at % self.groups as u64) as usize];
            add(&mut apart.values, &self.words(first + at, 0, count.min(arena::STACK / WORD))?);
            apart.calls = apart.calls.wrapping_add(self.word(first + at, arena::ROOT_CALLS)?);
            apart.sizes.add(&Sizes::of(&self.words(first + at, arena::SIZES, 2 * arena::MOST_BITS)?));
            self.add_arcs(first + at, &mut apart.arcs)?;
        }
        Ok(all)
    }

    /// Sums of arcs over all arenas of one thread each.
    fn all_arcs(&self) -> io::Result<Arcs> {
        let mut all = Arcs::default();
        for arena in 0..u64::from(self.place.arenas) {
            self.add_arcs(arena, &mut all)?;
        }
        for apart in self.of_groups(0)? {
            all.add(&apart.arcs);
        }
        Ok(all)
    }

    /// Adds the arcs of an arena.
    fn add_arcs(&self, arena: u64, to: &mut Arcs) -> io::Result<()> {
        let Some(of) = self.of_calls else { return Ok(()) };
        let words = self.words(arena, arena::ARCS, arena::MOST_ARCS * arena::ARC_BYTES / WORD)?;
        let own = match of {
            OfCalls::Entered => Vec::new(),
            OfCalls::Receivers => self.words(arena, 0, arena::STACK / WORD)?,
        };
        for &[arc, count] in words.as_chunks().0 {
            if arc != 0 {
                let arc = match of {
                    OfCalls::Entered => Arc::of(arc),
                    OfCalls::Receivers => Arc::of_receiver(arc),
                };
                let count = match (of, count) {
                    (OfCalls::Receivers, Received::OWN) => {
                        let word = arc.call as usize + Received::First as usize;
                        own.get(word).copied().unwrap_or(0)
                    }
                    _ => count,
                };
                let sum = to.counts.entry(arc).or_default();
                *sum = sum.wrapping_add(count);
            }
        }
        to.lost = to.lost.wrapping_add(self.word(arena, arena::LOST_ARCS)?);
        Ok(())
    }

    /// A word of an arena, by its place in bytes.
    fn word(&self, arena: u64, place: u64) -> io::Result<u64> {
        let mut word = [0; WORD as usize];
        self.file.read_exact_at(&mut word, arena * self.place.arena_bytes + place)?;
        Ok(u64::from_le_bytes(word))
    }

    /// Words of an arena, from a place in bytes on, that lie in written parts of the file.
    fn words(&self, arena: u64, from: u64, count: u64) -> io::Result<Vec<u64>> {
        use rustix::fs::{SeekFrom, seek};
        let offset = arena * self.place.arena_bytes + from.min(self.place.arena_bytes);
        let end = (offset + count * WORD).min((arena + 1) * self.place.arena_bytes);
        let mut words = Vec::new();
        let mut at = offset;
        while at < end {
            // An arena is address space: most of it was never written.
            let Ok(data) = seek(&self.file, SeekFrom::Data(at)) else { break };
            if data >= end {
                break;
            }
            let hole = seek(&self.file, SeekFrom::Hole(data)).map_or(end, |hole| hole.min(end));
            let mut bytes = vec![0; usize::try_from(hole - data).unwrap_or(0)];
            self.file.read_exact_at(&mut bytes, data)?;
            words.resize(((data - offset) / WORD) as usize, 0);
            words.extend(bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)));
            at = hole.max(data + WORD);
        }
        Ok(words)
    }
}

impl Uses {
    /// Number of threads that have had the arena since an earlier instant.
    fn since(&self, before: &Self) -> u64 {
        // Each has begun, and all but the last have ended.
        let begun = self.owners.div_ceil(2).saturating_sub(before.owners.div_ceil(2));
        begun.saturating_add(before.owners % 2)
    }
}

impl Apart {
    /// Whether there are this number of calls, and a tenth of it in each part if large ones count in a group of their own.
    pub fn has_calls(&self, enough: u64) -> bool {
        let few = |large: &Self| large.calls.min(self.calls.wrapping_sub(large.calls)) < enough / 10;
        self.calls >= enough && !self.large.as_deref().is_some_and(few)
    }

    /// The counts of the calls that are not large.
    pub fn small(&self) -> Self {
        let all = Self { large: None, ..self.clone() };
        match &self.large {
            Some(large) => all.since(large),
            None => all,
        }
    }

    fn add(&mut self, other: &Self) {
        self.calls = self.calls.wrapping_add(other.calls);
        add(&mut self.values, &other.values);
        self.arcs.add(&other.arcs);
        self.sizes.add(&other.sizes);
    }

    /// These counts without those `before`.
    fn since(self, before: &Self) -> Self {
        Self {
            calls: self.calls.wrapping_sub(before.calls),
            values: since(self.values, &before.values),
            arcs: self.arcs.since(&before.arcs),
            sizes: self.sizes.since(&before.sizes),
            large: None,
        }
    }
}

impl Arcs {
    fn add(&mut self, other: &Self) {
        for (arc, count) in &other.counts {
            let sum = self.counts.entry(*arc).or_default();
            *sum = sum.wrapping_add(*count);
        }
        self.lost = self.lost.wrapping_add(other.lost);
    }

    fn since(mut self, before: &Self) -> Self {
        for (arc, count) in &mut self.counts {
            *count = count.wrapping_sub(before.counts.get(arc).copied().unwrap_or(0));
        }
        self.counts.retain(|_, count| *count > 0);
        self.lost = self.lost.wrapping_sub(before.lost);
        self
    }
}

fn add(sums: &mut Vec<u64>, words: &[u64]) {
    sums.resize(sums.len().max(words.len()), 0);
    for (sum, word) in sums.iter_mut().zip(words) {
        *sum = u64::wrapping_add(*sum, *word);
    }
}

/// The least numbers of threads.
pub fn least(threads: &[Threads]) -> Vec<u32> {
    threads.iter().map(|one| u32::try_from(one.least).unwrap_or(u32::MAX)).collect()
}

fn since(now: Vec<u64>, before: &[u64]) -> Vec<u64> {
    let before = before.iter().copied().chain(std::iter::repeat(0));
    now.into_iter().zip(before).map(|(now, before)| now.wrapping_sub(before)).collect()
}

fn unread(error: io::Error) -> String {
    format!("cannot read the counters: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_have_had_an_arena_since_then_are_numbered() {
        let since = |before, now| {
            let at = |owners| Uses { owners, ..Uses::default() };
            at(now).since(&at(before))
        };
        assert_eq!((since(0, 0), since(0, 1), since(0, 2)), (0, 1, 1));
        assert_eq!((since(1, 1), since(1, 2), since(1, 3)), (1, 1, 2), "one lived at the beginning");
        assert_eq!((since(2, 2), since(2, 3), since(2, 6)), (0, 1, 2), "none did");
    }
}
