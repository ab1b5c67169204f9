//! The counters' memory in the process of a JVM. It is a file in memory, so an open file outlives the process.

use spl_model::DrillKind;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes of a counter.
const WORD: u64 = 8;
/// Largest memory of counters that is believed, in bytes: address space of the JVM.
const LARGEST: u64 = 1 << 40;
/// Arenas behind those of one thread each: that of all other threads, the agent's own, and the flags.
const MORE_ARENAS: u64 = 3;
/// Most arenas of one thread each that are believed: each takes time to read.
const MOST_ARENAS: u32 = 4096;
/// Name of the memory, as the kernel shows it.
const NAME: &str = "memfd:spl-counters";

/// The open counters of a JVM.
#[derive(Debug)]
pub struct CountersFile {
    file: File,
    arena_bytes: u64,
    /// Arenas of one thread each; the next one is everybody's.
    arenas: u32,
    /// Sums at the beginning: an earlier drill may have counted.
    before: (Vec<u64>, Vec<u64>),
}

impl CountersFile {
    /// Opens the counters of a process.
    ///
    /// # Errors
    /// When they are not where the agent says; one line of text.
    pub fn open(
        pid: u32,
        descriptor: i32,
        bytes: u64,
        arena_bytes: u64,
        arenas: u32,
    ) -> Result<Self, String> {
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
        let file = File::open(&path).map_err(|error| cannot(error.to_string()))?;
        let found = file.metadata().map_err(|error| cannot(error.to_string()))?.len();
        let needed = (u64::from(arenas) + MORE_ARENAS).checked_mul(arena_bytes);
        let fits = arenas <= MOST_ARENAS
            && needed.is_some_and(|needed| needed <= found)
            && found == bytes
            && bytes <= LARGEST;
        if !fits || !arena_bytes.is_multiple_of(WORD) || arena_bytes == 0 {
            return Err(cannot(format!("they have {found} bytes, and its agent says {bytes}")));
        }
        let mut opened = Self { file, arena_bytes, arenas, before: (Vec::new(), Vec::new()) };
        opened.before = opened.sums(arena_bytes / WORD).map_err(|error| cannot(error.to_string()))?;
        Ok(opened)
    }

    /// The number of counters, or of flags, that there is room for.
    pub fn capacity(&self, what: DrillKind) -> u64 {
        match what {
            DrillKind::Blocks => self.arena_bytes / WORD,
            DrillKind::Cover => self.arena_bytes,
        }
    }

    /// The values of the counters below this number since the beginning, and for each whether threads without
    /// an arena of their own have counted in it.
    ///
    /// # Errors
    /// When they cannot be read; one line of text.
    pub fn read(&self, below: u64) -> Result<(Vec<u64>, Vec<bool>), String> {
        let sums = self.sums(below.min(self.arena_bytes / WORD));
        let (sums, shared) = sums.map_err(|error| format!("cannot read the counters: {error}"))?;
        let since = |now: Vec<u64>, before: &[u64]| {
            let before = before.iter().copied().chain(std::iter::repeat(0));
            now.into_iter().zip(before).map(|(now, before)| now.wrapping_sub(before)).collect::<Vec<u64>>()
        };
        let shared = since(shared, &self.before.1).into_iter().map(|count| count > 0).collect();
        Ok((since(sums, &self.before.0), shared))
    }

    /// The flags below this number, each 0 or 1.
    ///
    /// # Errors
    /// When they cannot be read; one line of text.
    pub fn flags(&self, below: u64) -> Result<Vec<u64>, String> {
        let offset = (u64::from(self.arenas) + MORE_ARENAS - 1) * self.arena_bytes;
        let words = self.words(offset, below.min(self.arena_bytes).div_ceil(WORD));
        let words = words.map_err(|error| format!("cannot read the flags: {error}"))?;
        let bytes = words.into_iter().flat_map(u64::to_le_bytes);
        Ok(bytes.map(|byte| u64::from(byte != 0)).collect())
    }

    /// Sums of counters over all arenas, and those of the arena of threads without their own.
    fn sums(&self, count: u64) -> io::Result<(Vec<u64>, Vec<u64>)> {
        let (mut sums, mut shared) = (Vec::new(), Vec::new());
        for arena in 0..=self.arenas {
            shared = self.words(u64::from(arena) * self.arena_bytes, count)?;
            sums.resize(sums.len().max(shared.len()), 0);
            for (sum, word) in sums.iter_mut().zip(&shared) {
                *sum = u64::wrapping_add(*sum, *word);
            }
        }
        Ok((sums, shared))
    }

    /// The words from an offset on that lie in written parts of the file, as far as the last that is not zero.
    fn words(&self, offset: u64, count: u64) -> io::Result<Vec<u64>> {
        use rustix::fs::{SeekFrom, seek};
        let end = offset + count * WORD;
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
