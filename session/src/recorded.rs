//! Reads measurement files again, all together and each in parts. Samples come in the order in which the
//! calls ended, as far as each file's own order, which is that of the run, allows it.

use spl_model::{MethodRef, Sample};
use spl_records::{Form, Measurement, Reader, measurement_files};
use spl_scheduler::MethodIx;
use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, HashMap};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of the parts of all files together, as long as each part has [`SMALLEST_PART`] bytes.
const ALL_PARTS: usize = 16 << 20;
/// Bytes of the largest part: the allocator would return memory of more than 128 KiB to the system, and fetch
/// it again for the next part.
const LARGEST_PART: usize = 64 << 10;
/// Bytes of the smallest part, unless a record is longer.
const SMALLEST_PART: usize = 8 << 10;

/// The samples of the measurement files in a folder. At most one file is open at any time.
#[derive(Debug)]
pub struct Recorded {
    files: Vec<Parts>,
    /// The next sample of each file: run of the JVM, or 0 where all run at once; end of the call; index of the
    /// file. The smallest comes first.
    next: BinaryHeap<Reverse<(usize, u64, usize)>>,
    runs: Runs,
}

/// The JVM runs of the samples, in order. Times of two runs may come from different clocks. Successive runs
/// may both have counted their windows from 1; runs that were measured at the same time have windows with
/// different numbers.
#[derive(Debug, Default)]
struct Runs {
    /// Name of each run, with the newest window before it.
    known: Vec<(Arc<str>, u64)>,
    newest_window: u64,
    /// Whether all runs were measured at the same time: no window of one has the number of another one's.
    at_once: bool,
    /// Run and window of each number, of the windows since the second run began.
    given: HashMap<u64, (usize, u64)>,
    /// New numbers of windows whose own number is in use by another run.
    moved: HashMap<(usize, u64), u64>,
}

/// A file, of which a part is in memory.
#[derive(Debug)]
struct Parts {
    method: MethodIx,
    path: PathBuf,
    part: usize,
    form: Option<Form>,
    /// Start of the next part, bytes from the start of the file.
    offset: u64,
    /// Samples of this part that are not yet taken, the next one last.
    samples: Vec<(usize, Sample)>,
}

impl Recorded {
    /// Opens the files of these methods, as far as they exist.
    ///
    /// # Errors
    /// When a file cannot be read or holds something else; one line of text.
    pub fn open(folder: &Path, methods: &[MethodRef]) -> Result<Self, String> {
        Self::of_runs(folder, methods, false)
    }

    /// As [`open`](Self::open); `at_once` if its JVMs were measured at the same time. Then their samples come in
    /// the order of their common clock, and their windows keep their numbers.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn of_runs(folder: &Path, methods: &[MethodRef], at_once: bool) -> Result<Self, String> {
        let part = (ALL_PARTS / methods.len().max(1)).clamp(SMALLEST_PART, LARGEST_PART);
        let file = |(index, name): (usize, String)| Parts {
            method: MethodIx(index),
            path: folder.join(name),
            part,
            form: None,
            offset: 0,
            samples: Vec::new(),
        };
        let files = measurement_files(methods).into_iter().enumerate().map(file).collect();
        let runs = Runs { at_once, ..Runs::default() };
        let mut recorded = Self { files, next: BinaryHeap::new(), runs };
        for index in 0..recorded.files.len() {
            if let Some((run, end_ns)) = recorded.files[index].peek(&mut recorded.runs)? {
                recorded.next.push(Reverse((recorded.runs.place(run), end_ns, index)));
            }
        }
        Ok(recorded)
    }

    /// The next sample. A half-written last record of a file is left out.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn next_sample(&mut self) -> Result<Option<(MethodIx, Sample)>, String> {
        Ok(self.next_of_run()?.map(|(method, sample, _)| (method, sample)))
    }

    /// The next sample, with the number of its run.
    ///
    /// # Errors
    /// As [`next_sample`](Self::next_sample).
    pub fn next_of_run(&mut self) -> Result<Option<(MethodIx, Sample, usize)>, String> {
        let Some(mut top) = self.next.peek_mut() else { return Ok(None) };
        let Reverse((_, _, index)) = *top;
        let file = &mut self.files[index];
        let (method, sample) = (file.method, file.samples.pop());
        match file.peek(&mut self.runs)? {
            Some((run, end_ns)) => *top = Reverse((self.runs.place(run), end_ns, index)),
            None => drop(PeekMut::pop(top)),
        }
        Ok(sample.map(|(run, sample)| (method, self.runs.renumbered(run, sample), run)))
    }

    /// Name of a run: the origin of its samples.
    pub fn run(&self, run: usize) -> Option<&Arc<str>> {
        self.runs.known.get(run).map(|(name, _)| name)
    }
}

impl Runs {
    /// The number of a run.
    fn number(&mut self, name: &Arc<str>) -> usize {
        let found = self.known.iter().rposition(|(known, _)| known == name);
        found.unwrap_or_else(|| {
            self.known.push((Arc::clone(name), if self.at_once { 0 } else { u64::MAX }));
            self.known.len() - 1
        })
    }

    /// Place of a run in the order of the samples.
    fn place(&self, run: usize) -> usize {
        if self.at_once { 0 } else { run }
    }

    /// The sample with a window number that no other run uses.
    fn renumbered(&mut self, run: usize, mut sample: Sample) -> Sample {
        if let (Some(window), Some((_, before))) = (&mut sample.window, self.known.get_mut(run)) {
            if *before == u64::MAX {
                *before = self.newest_window;
            }
            let wanted = window.saturating_add(*before);
            *window = if self.at_once || self.known.len() > 1 {
                self.free_number((run, *window), wanted)
            } else {
                wanted
            };
            self.newest_window = self.newest_window.max(*window);
        }
        sample
    }

    /// A number for a window of a run: the wanted one, unless another window has it.
    fn free_number(&mut self, window: (usize, u64), wanted: u64) -> u64 {
        if let Some(&moved) = self.moved.get(&window) {
            return moved;
        }
        if *self.given.entry(wanted).or_insert(window) == window {
            return wanted;
        }
        let free = self.newest_window.saturating_add(1);
        self.given.insert(free, window);
        self.moved.insert(window, free);
        free
    }
}

impl Parts {
    /// Run and end of the next sample.
    fn peek(&mut self, runs: &mut Runs) -> Result<Option<(usize, u64)>, String> {
        while self.samples.is_empty() {
            if !self.read(runs)? {
                return Ok(None);
            }
        }
        Ok(self.samples.last().map(|(run, sample)| (*run, sample.end_ns())))
    }

    /// Reads the next part; gives whether the file had more.
    fn read(&mut self, runs: &mut Runs) -> Result<bool, String> {
        let mut size = self.part;
        loop {
            let bytes = self.bytes(size).map_err(|e| format!("{}: {e}", self.path.display()))?;
            let is_last = bytes.len() < size;
            let used = self.records(&bytes, runs)?;
            self.offset += used as u64;
            if is_last || used > 0 {
                self.samples.reverse();
                return Ok(!is_last || !self.samples.is_empty());
            }
            // The part holds no whole record yet, so a larger part is read.
            size *= 2;
        }
    }

    /// At most `size` bytes; fewer only at the end of the file. A missing file has none.
    fn bytes(&self, size: usize) -> std::io::Result<Vec<u8>> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        file.seek(SeekFrom::Start(self.offset))?;
        let mut bytes = Vec::with_capacity(size);
        file.take(size as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Takes the whole records of a part, and gives their length in bytes.
    fn records(&mut self, bytes: &[u8], runs: &mut Runs) -> Result<usize, String> {
        let mut reader = match self.form {
            Some(form) => Reader::<Measurement>::of_part(bytes, form),
            None => Reader::new(bytes).map_err(|e| self.wrong(&e))?,
        };
        if reader.form() == Form::Comma {
            // One record a line: reserving space avoids copies of a growing list.
            self.samples.reserve(bytes.iter().filter(|byte| **byte == b'\n').count());
        }
        let mut last: Option<(Arc<str>, usize)> = None;
        for record in reader.by_ref() {
            let Measurement { sample, origin, .. } = record.map_err(|e| self.wrong(&e))?;
            let run = match &last {
                Some((name, run)) if Arc::ptr_eq(name, &origin) => *run,
                _ => last.insert((Arc::clone(&origin), runs.number(&origin))).1,
            };
            self.samples.push((run, sample));
        }
        let used = reader.cut_off().map_or(bytes.len(), |cut| cut.offset);
        if used > 0 {
            self.form = Some(reader.form());
        }
        Ok(used)
    }

    /// Error text for a record, with its line in the file.
    fn wrong(&self, error: &spl_records::ReadError) -> String {
        let mut before = Vec::new();
        let read = File::open(&self.path).and_then(|file| file.take(self.offset).read_to_end(&mut before));
        // Without the file's start the lines before the part cannot be counted.
        let lines = read.map_or(0, |_| before.iter().filter(|byte| **byte == b'\n').count());
        let error = spl_records::ReadError { line: error.line + lines, ..error.clone() };
        format!("{}: {error}", self.path.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Numbers that the windows of these runs get, in this order.
    fn renumbered(windows: &[(&str, u64)]) -> Vec<u64> {
        let mut runs = Runs::default();
        let number = |&(name, window): &(&str, u64)| {
            let mut sample = Sample::new(1, 2).unwrap();
            sample.window = Some(window);
            let run = runs.number(&Arc::from(name));
            runs.renumbered(run, sample).window.unwrap()
        };
        windows.iter().map(number).collect()
    }

    #[test]
    fn runs_that_follow_each_other_count_on() {
        assert_eq!(renumbered(&[("a", 1), ("a", 2), ("b", 1), ("b", 3), ("c", 1)]), [1, 2, 3, 5, 6]);
    }

    #[test]
    fn windows_of_programs_that_are_known_to_be_at_once_keep_their_numbers() {
        let mut runs = Runs { at_once: true, ..Runs::default() };
        let mut number = |name: &str, window: u64| {
            let mut sample = Sample::new(1, 2).unwrap();
            sample.window = Some(window);
            let run = runs.number(&Arc::from(name));
            runs.renumbered(run, sample).window.unwrap()
        };
        assert_eq!(
            [number("a", 1), number("a", 7), number("b", 2), number("b", 9), number("a", 3)],
            [1, 7, 2, 9, 3]
        );
        // A number that two of them have stays that of the first one.
        assert_eq!([number("b", 7), number("b", 7), number("a", 7)], [10, 10, 7]);
    }

    #[test]
    fn windows_of_programs_that_were_measured_at_once_stay_apart() {
        let mut windows = vec![("a", 1), ("a", 3), ("b", 2), ("a", 1), ("b", 2)];
        for number in 2..40 {
            windows.extend([
                ("a", 2 * number + 1),
                ("b", 2 * number),
                ("a", 2 * number - 1),
                ("b", 2 * number),
            ]);
        }
        let numbers = renumbered(&windows);
        let pairs: BTreeSet<_> = windows.iter().zip(&numbers).collect();
        let distinct = |count: usize, what: &str| assert_eq!(pairs.len(), count, "{what}: {pairs:?}");
        distinct(windows.iter().collect::<BTreeSet<_>>().len(), "a window has several numbers");
        distinct(numbers.iter().collect::<BTreeSet<_>>().len(), "a number stands for several windows");
    }
}
