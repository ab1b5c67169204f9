//! The files of a trace, and the methods that their words name.

use super::named::{Declared, named};
use super::place::{Place, cannot};
use super::replayed::{Recorded, Replayed, Watched, recorded, unfinished};
use super::sites::{self, Names};
use super::threaded::{Threaded, Up, Window, number};
use crate::drilled::{in_folder, table};
use spl_export::{BLOCKS, BlockCounts, block_counts};
use spl_model::one_line;
use spl_trace::file::{Part, Reader};
use spl_trace::words::{clock, from_clock};
use spl_trace::{Callees, Merge, Methods, Visit};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Missing threads that are named.
const MOST_MISSING: usize = 20;

/// A recorded trace.
pub struct Source {
    /// The folder of the drill.
    pub folder: PathBuf,
    /// That of the files of threads.
    traces: PathBuf,
    /// Whether the drill came to its end.
    is_finished: bool,
    /// The methods.
    pub methods: Methods,
    /// Their calls, if they were wanted.
    pub calls: Option<(Callees, Declared)>,
    /// The files of the threads.
    files: Vec<PathBuf>,
    recorded: Recorded,
    /// Whether they are to be those of all threads.
    is_of_all: bool,
    /// The part of it, if it is not all.
    window: Option<Window>,
}

impl Source {
    /// Opens the trace of a drill, or of one of its threads; with the calls in its methods' code if they are wanted.
    ///
    /// # Errors
    /// When there is none, or its classes cannot be read; one line of text.
    pub fn open(given: &Path, thread: Option<u64>, wants_calls: bool) -> Result<Self, String> {
        let place = Place::find(given)?;
        let mut recorded = if place.is_finished { recorded(&place.drill)? } else { unfinished(&place.drill) };
        let traces = &place.traces;
        let listed = fs::read_dir(traces).map_err(|error| cannot(traces, &error))?;
        let mut files: Vec<(u64, PathBuf)> = listed
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "spt"))
            .filter_map(|path| Some((number(&path)?, path)))
            .collect();
        files.sort();
        files.retain(|(number, _)| thread.is_none_or(|thread| thread == *number));
        if files.is_empty() {
            return Err(match thread {
                Some(thread) => format!("{} has no thread {thread}", traces.display()),
                None => format!("{} has no files of threads: nothing was traced", traces.display()),
            });
        }
        let named = named(&place, wants_calls)?;
        recorded.doubts.extend(named.missing);
        Ok(Self {
            folder: place.drill,
            is_finished: place.is_finished,
            traces: place.traces,
            methods: named.methods,
            calls: named.calls,
            files: files.into_iter().map(|(_, path)| path).collect(),
            recorded,
            is_of_all: thread.is_none(),
            window: None,
        })
    }

    /// Takes a part alone, from a time after the first clock of any thread on, and up to another one.
    ///
    /// # Errors
    /// When nothing can be in it; one line of text.
    pub fn cut(&mut self, from: Option<Duration>, to: Option<Duration>) -> Result<(), String> {
        let (from, to) = match (from, to) {
            (None, None) => return Ok(()),
            (from, Some(to)) if from.unwrap_or_default() >= to => {
                return Err("--to is a later time than --from".to_owned());
            }
            (from, to) => (from.unwrap_or_default(), to),
        };
        let mut first: Option<u64> = None;
        for path in &self.files {
            let Ok(file) = File::open(path) else { continue };
            let Ok(mut reader) = Reader::new(BufReader::new(file)) else { continue };
            if let Ok(Some(Part::Words { depth, words, .. })) = reader.part()
                && let Some((at, _)) = from_clock(words, depth, 0)
                && let Some(clock) = clock(&words[at..])
            {
                first = Some(first.map_or(clock, |first| first.min(clock)));
            }
        }
        let first = first.ok_or("no file of a thread has a clock: --from and --to cannot be used")?;
        let after = |time: Duration| first.saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        self.window = Some(Window { from: after(from), to: to.map_or(u64::MAX, after) });
        Ok(())
    }

    /// The names of receivers' classes; none of a drill that was not finished.
    ///
    /// # Errors
    /// When the trace has no receivers; one line of text.
    pub fn receivers(&self) -> Result<Names, String> {
        match sites::names(&self.traces) {
            Some(names) => Ok(names),
            None if self.is_finished => {
                Err("this trace has no receivers of calls: take one with --receivers".to_owned())
            }
            None => Ok(Names::new()),
        }
    }

    /// Whether counts are missing, too, where stack overflows left no room for them.
    pub fn lacks_counts(&self) -> bool {
        self.recorded.uncounted > 0
    }

    /// Why the trace is not all that ran, as the drill says.
    pub fn doubts(&self) -> impl Iterator<Item = String> {
        self.recorded.doubts()
    }

    /// The counts of blocks by the drill's counters.
    ///
    /// # Errors
    /// When there are none, or another program has changed them; one line of text.
    pub fn counted(&self) -> Result<BlockCounts, String> {
        if !self.is_finished {
            return Err(
                "the drill was not finished and has no counts to compare the trace with: drill again"
                    .to_owned(),
            );
        }
        if !self.folder.join(BLOCKS).exists() {
            return Err(
                "this drill has no counts to compare the trace with: take one with --what trace,blocks"
                    .to_owned(),
            );
        }
        let bytes = table(&self.folder, &self.recorded.tables, BLOCKS)?;
        block_counts(&bytes).map_err(|fault| in_folder(&self.folder, &fault))
    }

    /// The names of the methods, by their places.
    pub fn names(&self) -> Vec<String> {
        self.methods.all().iter().map(|method| one_line(&method.name)).collect()
    }

    /// Replays all threads, one after the other. `begin` is called with the id of each.
    ///
    /// # Errors
    /// When no file can be read, or one of them no more in its midst; one line of text.
    pub fn replay<V: Visit>(
        &mut self,
        visit: &mut V,
        mut begin: impl FnMut(&mut V, u64),
    ) -> Result<Replayed, String> {
        let mut replayed = Replayed::default();
        for path in self.files.clone() {
            let Some(mut thread) = Threaded::open(path, self.window, &mut replayed)? else { continue };
            begin(visit, thread.reader.thread);
            while thread.step(&mut self.methods, visit, Up::End, &mut replayed)? {}
            self.ends(thread, visit, &mut replayed);
        }
        self.whole(replayed)
    }

    /// Replays all threads, several of them at the same time, and merges the answers about them. `make` makes an empty answer.
    ///
    /// # Errors
    /// As [`replay`](Self::replay).
    pub fn gather<V: Visit + Merge + Send>(
        &self,
        make: impl Fn() -> V + Sync,
        cut: fn(&mut V),
    ) -> Result<(V, Replayed), String> {
        let workers =
            std::thread::available_parallelism().map_or(1, usize::from).min(self.files.len()).max(1);
        let shares = self.shares(workers);
        let work = |share: Vec<PathBuf>| {
            let (mut visit, mut replayed, mut methods) = (make(), Replayed::default(), self.methods.clone());
            for path in share {
                let Some(mut thread) = Threaded::open(path, self.window, &mut replayed)? else { continue };
                cut(&mut visit);
                while thread.step(&mut methods, &mut visit, Up::End, &mut replayed)? {}
                self.ends(thread, &mut visit, &mut replayed);
            }
            Ok::<_, String>((visit, replayed))
        };
        let done: Vec<_> = std::thread::scope(|scope| {
            let running: Vec<_> = shares.into_iter().map(|share| scope.spawn(|| work(share))).collect();
            // In the order of the shares, so that the answer does not depend on which one ends first.
            let failed = |_| Err("a thread that read the trace failed".to_owned());
            running.into_iter().map(|one| one.join().unwrap_or_else(failed)).collect()
        });
        let (mut visit, mut replayed) = (make(), Replayed::default());
        for one in done {
            let (told, figures) = one?;
            visit.merge(told);
            replayed.add(figures);
        }
        replayed.faults.sort();
        Ok((visit, self.whole(replayed)?))
    }

    /// The files, shared out by their sizes.
    fn shares(&self, workers: usize) -> Vec<Vec<PathBuf>> {
        let size = |path: &PathBuf| fs::metadata(path).map_or(0, |file| file.len());
        let mut files: Vec<(u64, &PathBuf)> = self.files.iter().map(|path| (size(path), path)).collect();
        files.sort_by(|one, other| other.cmp(one));
        let mut shares = vec![(0, Vec::new()); workers];
        for (size, path) in files {
            if let Some((sum, share)) = shares.iter_mut().min_by_key(|(sum, _)| *sum) {
                *sum += size;
                share.push(path.clone());
            }
        }
        shares.into_iter().map(|(_, share)| share).collect()
    }

    /// Replays all threads at once, in the order of their clocks, which stand at the beginning of each chunk of 4,096 words. `begin` is
    /// called with the id of a thread each time another one goes on.
    ///
    /// # Errors
    /// As [`replay`](Self::replay).
    pub fn merge<V: Visit>(
        &mut self,
        visit: &mut V,
        mut begin: impl FnMut(&mut V, u64),
    ) -> Result<Replayed, String> {
        let mut replayed = Replayed::default();
        let mut threads = BTreeMap::new();
        for path in self.files.clone() {
            if let Some(mut thread) = Threaded::open(path, self.window, &mut replayed)? {
                thread.load(visit, &mut replayed)?;
                threads.insert((thread.next_clock(), thread.reader.thread), thread);
            }
        }
        while let Some(((_, id), mut thread)) = threads.pop_first() {
            begin(visit, id);
            if thread.step(&mut self.methods, visit, Up::Clock, &mut replayed)? {
                threads.insert((thread.next_clock(), id), thread);
            } else {
                self.ends(thread, visit, &mut replayed);
            }
        }
        self.whole(replayed)
    }

    /// Whether the trace has the order of all threads.
    ///
    /// # Errors
    /// When no file can be read; one line of text.
    pub fn is_ordered(&self) -> Result<bool, String> {
        let mut unread = Replayed::default();
        for path in &self.files {
            let Some(mut thread) = Threaded::open(path.clone(), None, &mut unread)? else { continue };
            // Each frame begins with a place, but where calls from before the drill went on.
            if thread.first_place()?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Replays all threads at once, in the order of the places that each of them took; a place is of one thread. `begin` is called with the id
    /// of a thread each time another one goes on, and with its place if that is known. A file is open while its thread may go on.
    ///
    /// # Errors
    /// As [`replay`](Self::replay).
    pub fn merge_by_place<V: Visit>(
        &mut self,
        visit: &mut V,
        mut begin: impl FnMut(&mut V, u64, Option<u64>),
    ) -> Result<Replayed, String> {
        let (mut replayed, mut first) = (Replayed::default(), BTreeMap::new());
        for path in &self.files {
            if let Some(mut thread) = Threaded::open(path.clone(), None, &mut replayed)? {
                first.insert((thread.first_place()?.unwrap_or(0), thread.reader.thread), path.clone());
            }
        }
        let mut threads: BTreeMap<(u64, u64), Threaded> = BTreeMap::new();
        // The last place with its thread, and the thread that goes on with whether it has one.
        let mut last: Option<(u64, u64)> = None;
        let mut now: Option<(u64, bool)> = None;
        loop {
            let begun = match (first.first_key_value(), threads.first_key_value()) {
                (Some((new, _)), open) if open.is_none_or(|(open, _)| new < open) => first.pop_first(),
                _ => None,
            };
            let ((key, id), mut thread) = match begun {
                Some((key, path)) => match Threaded::open(path, None, &mut Replayed::default())? {
                    Some(thread) => (key, thread),
                    None => continue,
                },
                None => match threads.pop_first() {
                    Some(found) => found,
                    None => break,
                },
            };
            let place = (key > 0).then_some(key);
            let is_read = thread.at < thread.words.len();
            if let (Some(place), Some((before, taken))) = (place, last)
                && is_read
                && (place < taken || place == taken && before != id)
            {
                return Err(thread.cannot(&format!(
                    "its place {place} in the order of all threads was taken before: the files are not of one drill, or damaged"
                )));
            }
            if is_read && now != Some((id, place.is_some())) {
                now = Some((id, place.is_some()));
                begin(visit, id, place);
            }
            if let Some(place) = place.filter(|_| is_read) {
                last = Some((id, place));
            }
            if thread.step(&mut self.methods, visit, Up::Place, &mut replayed)? {
                threads.insert((thread.next_place(), id), thread);
            } else {
                self.ends(thread, visit, &mut replayed);
            }
        }
        self.whole(replayed)
    }

    /// A thread has been replayed.
    fn ends<V: Visit>(&self, mut thread: Threaded, visit: &mut V, replayed: &mut Replayed) {
        thread.replay.end(&mut Watched::new(visit));
        if self.window.is_some() {
            // A thread may have run nothing then.
            if thread.all == 0 {
                return;
            }
        } else if let Some(text) = self.recorded.lacks(thread.reader.thread, thread.all) {
            replayed.faults.push(thread.cannot(&text));
        }
        replayed.add_thread(&thread.replay, thread.all);
    }

    /// Adds the threads without a file to the figures.
    fn whole(&self, mut replayed: Replayed) -> Result<Replayed, String> {
        if replayed.threads == 0 && replayed.faults.is_empty() && self.window.is_some() {
            return Err("nothing of the trace lies between --from and --to".to_owned());
        }
        if replayed.threads == 0
            && let Some(fault) = replayed.faults.first()
        {
            return Err(fault.clone());
        }
        if self.is_of_all {
            let known = self.files.iter().filter_map(|path| number(path)).collect::<BTreeSet<u64>>();
            let missing =
                self.recorded.traces.iter().flat_map(BTreeMap::keys).filter(|id| !known.contains(id));
            let missing: Vec<_> = missing.collect();
            let folder = &self.traces;
            for thread in missing.iter().take(MOST_MISSING) {
                replayed
                    .faults
                    .push(format!("{} has no file of the traced thread {thread}", folder.display()));
            }
            if missing.len() > MOST_MISSING {
                let more = missing.len() - MOST_MISSING;
                replayed.faults.push(format!("{} lacks files of {more} more threads", folder.display()));
            }
        }
        Ok(replayed)
    }
}
