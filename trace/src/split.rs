//! The words of a ring to frames of files, one file for each thread.

use crate::file::{MOST_WORDS, frame};
use crate::words::{Event, NoEvent, PLACE_WORDS, event};

/// Words of a gap.
const GAP_WORDS: usize = 4;
/// Words of a clock.
const CLOCK_WORDS: usize = 3;

/// A frame of a thread.
#[derive(Debug, PartialEq, Eq)]
pub struct Framed {
    /// The thread's id.
    pub thread: u64,
    /// The frame.
    pub bytes: Vec<u8>,
    /// Its words.
    pub words: usize,
}

/// Cuts the words of one ring, which has one thread after the other.
#[derive(Debug, Default)]
pub struct Split {
    /// The thread, once a word has named it.
    thread: Option<u64>,
    words: Vec<u32>,
    /// In front of the words that are kept.
    before: (u32, u64),
    depth: u32,
    time: u64,
    /// Whether only what runs within certain calls is kept.
    is_within: bool,
    /// Whether such a call has not begun in this thread yet. A thread tells its events up to the end of a chunk.
    waits: bool,
    /// Whether it waits behind a gap, in which the beginning of a call may be missing.
    is_behind_gap: bool,
    /// Whether places in the order of all threads are kept.
    is_ordered: bool,
    /// The place of what follows, and that of the words that are kept last.
    place: Option<u64>,
    told: Option<u64>,
    /// Events without a place.
    pub unplaced: u64,
    /// Such calls that are kept.
    pub calls: u64,
    /// Words of a thread without a name.
    pub dropped: u64,
    /// Events that found no room in the ring.
    pub lost: u64,
}

impl Split {
    /// Cuts words of which the first ones are of this thread, at this depth.
    #[must_use]
    pub fn of_thread(thread: u64, depth: u32) -> Self {
        Self { thread: Some(thread), before: (depth, 0), depth, ..Self::default() }
    }

    /// Cuts words of which only those within certain calls are kept.
    #[must_use]
    pub fn within_calls(self) -> Self {
        Self { is_within: true, waits: true, ..self }
    }

    /// Keeps the places of words in the order of all threads. Without this they are those of calls that an earlier drill has left behind.
    #[must_use]
    pub fn in_total_order(self) -> Self {
        Self { is_ordered: true, ..self }
    }

    /// Takes words: whole events. Full frames go to `framed`. `ended` events were lost by the thread before the next one, at its end; 0 once a
    /// gap stands there.
    ///
    /// # Errors
    /// When they are not events; those before them are kept.
    pub fn words(
        &mut self,
        mut words: &[u32],
        ended: &mut u64,
        mut framed: impl FnMut(Framed),
    ) -> Result<(), NoEvent> {
        while !words.is_empty() {
            let (one, length) = event(words)?;
            let (these, rest) = words.split_at(length);
            words = rest;
            if let Event::Thread { id, .. } = one {
                if self.thread != Some(id) {
                    if self.thread.is_some() {
                        self.lost_at_end(std::mem::take(ended)).into_iter().for_each(&mut framed);
                    }
                    self.flush().into_iter().for_each(&mut framed);
                }
                self.waits |= self.is_within && self.thread != Some(id);
                self.thread = Some(id);
            }
            let is_call = matches!(one, Event::Call { .. });
            let more = PLACE_WORDS * usize::from(self.is_ordered) + CLOCK_WORDS * usize::from(is_call);
            if self.words.len() + length + more > MOST_WORDS {
                self.flush().into_iter().for_each(&mut framed);
            }
            if is_call {
                if self.waits && self.thread.is_some() {
                    // The clock in front of it was left out with what was before.
                    crate::words::write(Event::Time { ns: self.time }, &mut self.words);
                }
                (self.waits, self.is_behind_gap) = (false, false);
                self.calls += 1;
            }
            match self.thread {
                Some(_) if matches!(one, Event::Pad | Event::Place { .. }) || self.waits => {}
                Some(_) => {
                    self.put_place(one);
                    self.words.extend(these);
                }
                None => self.dropped += length as u64,
            }
            self.follow(one);
            self.miss(one);
            if self.words.is_empty() {
                self.before = (self.depth, self.time);
            }
        }
        Ok(())
    }

    /// Tells of events that were lost at the end; gives the frame in front of them, if that is full.
    pub fn lost_at_end(&mut self, lost: u64) -> Option<Framed> {
        let is_full = lost > 0 && self.words.len() + GAP_WORDS > MOST_WORDS;
        let full = if is_full { self.flush() } else { None };
        if lost > 0 {
            self.lost += lost;
            let lost = u32::try_from(lost).unwrap_or(u32::MAX);
            crate::words::write(Event::Gap { lost, depth: 0, lowest: 0 }, &mut self.words);
        }
        full
    }

    /// The words that are kept, as a frame.
    pub fn flush(&mut self) -> Option<Framed> {
        let (depth, time) = std::mem::replace(&mut self.before, (self.depth, self.time));
        let words = std::mem::take(&mut self.words);
        // A frame can be read without the ones before it.
        self.told = None;
        let thread = self.thread.filter(|_| !words.is_empty())?;
        Some(Framed { thread, bytes: frame(&words, depth, time), words: words.len() })
    }

    /// Writes the place of an event in front of it, unless that of the words before is the same.
    fn put_place(&mut self, event: Event) {
        if !self.is_ordered || !event.is_of_program() {
            return;
        }
        match self.place {
            Some(number) if self.told == Some(number) => {}
            Some(number) => crate::words::write(Event::Place { number }, &mut self.words),
            None => self.unplaced += 1,
        }
        self.told = self.place;
    }

    /// Leaves out what follows a gap within a call: nobody knows which call it belongs to.
    fn miss(&mut self, event: Event) {
        match event {
            Event::Gap { lost: 1.., .. } if self.is_within && !self.waits => {
                (self.waits, self.is_behind_gap) = (true, true);
            }
            Event::Segment { .. } | Event::Enter { .. } | Event::Caught { .. } | Event::Thrown { .. } => {
                self.lost += u64::from(self.is_behind_gap);
            }
            Event::Gap { .. }
            | Event::Time { .. }
            | Event::Pad
            | Event::Thread { .. }
            | Event::Place { .. }
            | Event::Receiver { .. }
            | Event::Call { .. } => {}
        }
    }

    fn follow(&mut self, event: Event) {
        self.depth = event.depth_behind(self.depth);
        match event {
            Event::Gap { lost: 0, .. } => {}
            Event::Gap { lost, .. } => {
                self.lost += u64::from(lost);
                self.place = None;
            }
            Event::Thread { .. } => self.place = None,
            Event::Place { number } => self.place = Some(number),
            Event::Time { ns } => self.time = ns,
            Event::Segment { .. }
            | Event::Enter { .. }
            | Event::Caught { .. }
            | Event::Thrown { .. }
            | Event::Pad
            | Event::Receiver { .. }
            | Event::Call { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{Part, Reader, head};
    use std::collections::BTreeMap;

    /// A trace that ends with a loss.
    fn file(mut split: Split, segments: usize) -> Vec<u8> {
        let mut file = head(7).to_vec();
        let words = vec![0; segments];
        split.words(&words, &mut 0, |framed| file.extend(framed.bytes)).unwrap();
        split.lost_at_end(3).into_iter().for_each(|framed| file.extend(framed.bytes));
        split.flush().into_iter().for_each(|framed| file.extend(framed.bytes));
        file
    }

    #[test]
    fn a_loss_behind_a_full_frame_has_a_frame_of_its_own() {
        for segments in [1, MOST_WORDS - GAP_WORDS, MOST_WORDS - 1, MOST_WORDS, MOST_WORDS + 1] {
            let file = file(Split::of_thread(7, 300), segments);
            let mut reader = Reader::new(&file[..]).unwrap();
            let (mut words, mut depths) = (0, Vec::new());
            while let Some(part) = reader.part().unwrap() {
                let Part::Words { depth, words: these, .. } = part else { panic!("{part:?}") };
                words += these.len();
                depths.push(depth);
            }
            assert_eq!(words, segments + GAP_WORDS);
            assert_eq!(depths.first(), Some(&300));
        }
    }

    /// The events of the program in frames, each with its place.
    fn placed(frames: &[Framed]) -> Vec<(u64, u32, Option<u64>)> {
        let mut placed = Vec::new();
        let mut place = BTreeMap::new();
        for framed in frames {
            let file = [&head(framed.thread)[..], &framed.bytes].concat();
            let mut reader = Reader::new(&file[..]).unwrap();
            let Some(Part::Words { words, .. }) = reader.part().unwrap() else { panic!("a frame") };
            let mut words = words;
            while !words.is_empty() {
                let (one, length) = event(words).unwrap();
                words = &words[length..];
                match one {
                    Event::Place { number } => drop(place.insert(framed.thread, number)),
                    Event::Gap { lost: 1.., .. } | Event::Thread { .. } => drop(place.remove(&framed.thread)),
                    Event::Enter { method, .. } => {
                        let place = place.get(&framed.thread).copied();
                        placed.push((framed.thread, method, place));
                    }
                    Event::Time { .. } => {}
                    Event::Segment { .. }
                    | Event::Caught { .. }
                    | Event::Thrown { .. }
                    | Event::Pad
                    | Event::Gap { .. }
                    | Event::Call { .. }
                    | Event::Receiver { .. } => panic!("{one:?}"),
                }
            }
        }
        placed
    }

    proptest::proptest! {
        #[test]
        fn events_keep_their_places(choices in proptest::collection::vec((0_u8..8, 1_u64..4), 1..60)) {
            let (mut number, mut place, mut thread, mut lost) = (0_u64, None, 0, 0);
            let (mut split, mut frames, mut expected) = (Split::default().in_total_order(), Vec::new(), Vec::new());
            for (method, (choice, more)) in (0..).zip(choices) {
                let mut words = Vec::new();
                match choice {
                    0 => {
                        thread = more;
                        place = None;
                        crate::words::write(Event::Thread { id: thread, depth: 0 }, &mut words);
                    }
                    1 => {
                        place = None;
                        lost += more;
                        crate::words::write(Event::Gap { lost: more as u32, depth: 0, lowest: 0 }, &mut words);
                    }
                    2..=4 => {
                        number += more;
                        place = Some(number);
                        crate::words::write(Event::Place { number }, &mut words);
                    }
                    5 => frames.extend(split.flush()),
                    _ => {
                        crate::words::write(Event::Enter { depth: 1, method }, &mut words);
                        expected.extend((thread > 0).then_some((thread, method, place)));
                    }
                }
                split.words(&words, &mut 0, |framed| frames.push(framed)).unwrap();
            }
            frames.extend(split.flush());
            proptest::prop_assert_eq!(split.lost, lost);
            let unplaced = expected.iter().filter(|(.., place)| place.is_none()).count();
            proptest::prop_assert_eq!(split.unplaced, unplaced as u64);
            // Each thread keeps its own order.
            let of = |all: &[(u64, u32, Option<u64>)], id: u64| {
                all.iter().filter(|(thread, ..)| *thread == id).copied().collect::<Vec<_>>()
            };
            let placed = placed(&frames);
            for id in 1..4 {
                proptest::prop_assert_eq!(of(&placed, id), of(&expected, id));
            }
        }
    }

    #[test]
    fn the_clock_in_front_of_a_call_is_kept() {
        let mut words = Vec::new();
        for event in [
            Event::Thread { id: 7, depth: 0 },
            Event::Time { ns: 5 },
            Event::Call { number: 0, depth: 1 },
            Event::Enter { depth: 1, method: 3 },
            Event::Gap { lost: 1, depth: 1, lowest: 0 },
            Event::Time { ns: 8 },
            Event::Segment { depth: 1, number: 0, untold: false },
            Event::Time { ns: 9 },
            Event::Call { number: 1, depth: 1 },
        ] {
            crate::words::write(event, &mut words);
        }
        let mut split = Split::default().within_calls();
        split.words(&words, &mut 0, |_| ()).unwrap();
        let mut rest = &split.words[..];
        let mut kept = Vec::new();
        while !rest.is_empty() {
            let (one, length) = event(rest).unwrap();
            kept.push(one);
            rest = &rest[length..];
        }
        let clocks: Vec<_> =
            kept.windows(2).filter(|two| matches!(two[1], Event::Call { .. })).map(|two| two[0]).collect();
        assert_eq!(clocks, [Event::Time { ns: 5 }, Event::Time { ns: 9 }], "{kept:?}");
        assert_eq!(kept.len(), 6);
    }

    #[test]
    fn what_a_thread_lost_at_its_end_is_told_in_its_own_file() {
        let mut words = Vec::new();
        for (id, depth) in [(7, 0), (8, 0)] {
            crate::words::write(Event::Thread { id, depth }, &mut words);
            crate::words::write(Event::Enter { depth: 1, method: 3 }, &mut words);
        }
        let (mut split, mut lost, mut frames) = (Split::default(), 5, Vec::new());
        split.words(&words, &mut lost, |framed| frames.push(framed)).unwrap();
        frames.extend(split.flush());
        let threads: Vec<_> = frames.iter().map(|framed| (framed.thread, framed.words)).collect();
        assert_eq!((threads, lost, split.lost), (vec![(7, 5 + GAP_WORDS), (8, 5)], 0, 5));
    }
}
