//! The words of a ring to frames of files, one file for each thread.

use crate::file::{MOST_WORDS, frame};
use crate::words::{Event, NoEvent, event, nearest};

/// Words of a gap.
const GAP_WORDS: usize = 4;

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

    /// Takes words: whole events. Full frames go to `framed`.
    ///
    /// # Errors
    /// When they are not events; those before them are kept.
    pub fn words(&mut self, mut words: &[u32], mut framed: impl FnMut(Framed)) -> Result<(), NoEvent> {
        while !words.is_empty() {
            let (one, length) = event(words)?;
            let (these, rest) = words.split_at(length);
            words = rest;
            if let Event::Thread { id, .. } = one {
                if self.thread != Some(id) {
                    self.flush().into_iter().for_each(&mut framed);
                }
                self.thread = Some(id);
            }
            if self.words.len() + length > MOST_WORDS {
                self.flush().into_iter().for_each(&mut framed);
            }
            match self.thread {
                Some(_) if one != Event::Pad => self.words.extend(these),
                Some(_) => {}
                None => self.dropped += length as u64,
            }
            self.follow(one);
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
        let thread = self.thread.filter(|_| !words.is_empty())?;
        Some(Framed { thread, bytes: frame(&words, depth, time), words: words.len() })
    }

    fn follow(&mut self, event: Event) {
        match event {
            Event::Segment { depth, .. } => self.depth = nearest(depth, self.depth),
            Event::Enter { depth, .. } => self.depth = nearest(depth, self.depth.saturating_add(1)),
            Event::Caught { depth, .. } | Event::Thread { depth, .. } => self.depth = depth,
            Event::Thrown { depth, .. } => self.depth = depth.saturating_sub(1),
            Event::Gap { lost, depth, .. } => {
                self.depth = depth;
                self.lost += u64::from(lost);
            }
            Event::Time { ns } => self.time = ns,
            Event::Pad => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{Part, Reader, head};

    /// A trace that ends with a loss.
    fn file(mut split: Split, segments: usize) -> Vec<u8> {
        let mut file = head(7).to_vec();
        let words = vec![0; segments];
        split.words(&words, |framed| file.extend(framed.bytes)).unwrap();
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
}
