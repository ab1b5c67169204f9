//! Words and the events that they tell. The upper three bits of an event's first word are its kind; docs/files.md has them all.

/// Something that a thread did, or that its recorder says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A segment of the innermost activation ended.
    Segment {
        /// The lowest bits of the activation's depth; the outermost has 1.
        depth: u8,
        /// Number of the segment.
        number: u32,
        /// Whether words are missing in front of it: the call that writes them had no room on the stack.
        untold: bool,
    },
    /// An activation began.
    Enter {
        /// The lowest bits of its depth.
        depth: u8,
        /// Number of the method.
        method: u32,
    },
    /// A handler began.
    Caught {
        /// Its block.
        block: u32,
        /// Depth of the activation.
        depth: u32,
        /// Number of the segment that the exception stopped; `None` where the code led there without one.
        number: Option<u32>,
        /// As of a segment.
        untold: bool,
    },
    /// An exception left an activation.
    Thrown {
        /// Its depth.
        depth: u32,
        /// Number of the segment that it stopped.
        number: u32,
        /// As of a segment.
        untold: bool,
    },
    /// The clock.
    Time {
        /// Nanoseconds of the JVM's monotonic clock.
        ns: u64,
    },
    /// Nothing.
    Pad,
    /// Events are missing here.
    Gap {
        /// Their number; the largest stands for all larger ones.
        lost: u32,
        /// Depth of the activation that goes on.
        depth: u32,
        /// The lowest depth since.
        lowest: u32,
    },
    /// The words that follow are of another thread.
    Thread {
        /// Its id.
        id: u64,
        /// Depth of the activation that goes on.
        depth: u32,
    },
    /// A call begins within which is traced; what was before is not told.
    Call {
        /// Its number among those of the thread, or of another that had the ring before.
        number: u64,
        /// Depth of the activation that begins.
        depth: u32,
    },
    /// The next events have this place in the order of all threads, up to the next place of the thread.
    Place {
        /// A number that no other place of the JVM has. Lower ones come first.
        number: u64,
    },
    /// The next activations of a method have receivers of this class, up to the next such word about the method.
    Receiver {
        /// Number of the method.
        method: u32,
        /// Number of the class.
        class: u32,
    },
}

impl Event {
    /// Whether the program did something, which has a place in the order of all threads.
    #[must_use]
    pub fn is_of_program(self) -> bool {
        match self {
            Self::Segment { .. }
            | Self::Enter { .. }
            | Self::Caught { .. }
            | Self::Thrown { .. }
            | Self::Call { .. } => true,
            Self::Time { .. }
            | Self::Pad
            | Self::Gap { .. }
            | Self::Thread { .. }
            | Self::Place { .. }
            | Self::Receiver { .. } => false,
        }
    }
}

/// Why words tell no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoEvent {
    /// The words end in the middle of one.
    #[error("the words end in the middle of an event")]
    Cut,
    /// No event begins with this word.
    #[error("no event begins with the word {0:#010x}")]
    Unknown(u32),
}

const KIND: u32 = 29;
const DEPTH: u32 = 21;
const NUMBER: u32 = (1 << DEPTH) - 1;
const SEGMENT: u32 = 0;
const ENTER: u32 = 1;
/// A segment in front of which words are missing.
const UNTOLD: u32 = 2;
const CAUGHT: u32 = 3;
const THROWN: u32 = 4;
const TIME: u32 = 6;
const PAD: u32 = 7 << KIND;
const GAP: u32 = PAD | 1;
const THREAD: u32 = PAD | 2;
const CALL: u32 = PAD | 3;
const PLACE: u32 = PAD | 4;
const RECEIVER: u32 = PAD | 5;
/// Words of a place in the order of all threads.
pub const PLACE_WORDS: usize = 3;
/// The number of the segment in front of a handler that no exception led to.
const FLOWED: u32 = u32::MAX;

/// The event that the first of these words begins, and its number of words.
///
/// # Errors
/// When they begin no event, or end in the middle of one.
#[inline]
pub fn event(words: &[u32]) -> Result<(Event, usize), NoEvent> {
    let first = *words.first().ok_or(NoEvent::Cut)?;
    let (depth, number) = ((first >> DEPTH) as u8, first & NUMBER);
    match first >> KIND {
        SEGMENT => Ok((Event::Segment { depth, number, untold: false }, 1)),
        ENTER => Ok((Event::Enter { depth, method: number }, 1)),
        _ => rare(words, first),
    }
}

/// The clock at the beginning of these words, if they tell one in front of what the thread did.
#[must_use]
pub fn clock(mut words: &[u32]) -> Option<u64> {
    loop {
        match event(words).ok()? {
            (Event::Time { ns }, _) => return Some(ns),
            (Event::Thread { .. } | Event::Pad | Event::Place { .. } | Event::Receiver { .. }, length) => {
                words = &words[length..]
            }
            _ => return None,
        }
    }
}

/// The place in the order of all threads at the beginning of these words, if they tell one in front of what the thread did.
#[must_use]
pub fn place(mut words: &[u32]) -> Option<u64> {
    loop {
        match event(words).ok()? {
            (Event::Place { number }, _) => return Some(number),
            (Event::Time { .. } | Event::Thread { .. } | Event::Pad | Event::Receiver { .. }, length) => {
                words = &words[length..]
            }
            _ => return None,
        }
    }
}

/// The first place in the order of all threads that any of these words tell.
#[must_use]
pub fn first_place(mut words: &[u32]) -> Option<u64> {
    loop {
        match event(words).ok()? {
            (Event::Place { number }, _) => return Some(number),
            (_, length) => words = &words[length..],
        }
    }
}

/// The place of the first clock that is not before `from`, and the depth there. `depth` is that in front of the words.
#[must_use]
pub fn from_clock(words: &[u32], mut depth: u32, from: u64) -> Option<(usize, u32)> {
    let mut at = 0;
    loop {
        let (one, length) = event(&words[at..]).ok()?;
        if matches!(one, Event::Time { ns } if ns >= from) {
            return Some((at, depth));
        }
        depth = one.depth_behind(depth);
        at += length;
    }
}

impl Event {
    /// The depth behind an event, with that in front of it.
    #[must_use]
    pub fn depth_behind(self, before: u32) -> u32 {
        match self {
            Self::Segment { depth, .. } => nearest(depth, before),
            Self::Enter { depth, .. } => nearest(depth, before.saturating_add(1)),
            Self::Caught { depth, .. } | Self::Thread { depth, .. } | Self::Gap { depth, .. } => depth,
            Self::Call { depth, .. } | Self::Thrown { depth, .. } => depth.saturating_sub(1),
            Self::Time { .. } | Self::Pad | Self::Place { .. } | Self::Receiver { .. } => before,
        }
    }
}

fn rare(words: &[u32], first: u32) -> Result<(Event, usize), NoEvent> {
    let word = |place: usize| words.get(place).copied().ok_or(NoEvent::Cut);
    let wide = |place| Ok(u64::from(word(place)?) | u64::from(word(place + 1)?) << 32);
    // The word of a number has the kind of a segment's word, too.
    let number = |word: u32| (word & !(UNTOLD << KIND), word & UNTOLD << KIND != 0);
    Ok(match (first >> KIND, first) {
        (UNTOLD, _) => {
            (Event::Segment { depth: (first >> DEPTH) as u8, number: first & NUMBER, untold: true }, 1)
        }
        (CAUGHT, _) => {
            let (block, depth, stopped) = (first & NUMBER, word(1)?, word(2)?);
            let (number, untold) =
                if stopped == FLOWED { (None, false) } else { (Some(number(stopped).0), number(stopped).1) };
            (Event::Caught { block, depth, number, untold }, 3)
        }
        (THROWN, _) => {
            let (depth, (number, untold)) = (word(1)?, number(word(2)?));
            (Event::Thrown { depth, number, untold }, 3)
        }
        (TIME, _) => (Event::Time { ns: wide(1)? }, 3),
        (_, PAD) => (Event::Pad, 1),
        (_, GAP) => (Event::Gap { lost: word(1)?, depth: word(2)?, lowest: word(3)? }, 4),
        (_, THREAD) => (Event::Thread { id: wide(1)?, depth: word(3)? }, 4),
        (_, CALL) => (Event::Call { number: wide(1)?, depth: word(3)? }, 4),
        (_, PLACE) => (Event::Place { number: wide(1)? }, PLACE_WORDS),
        (_, RECEIVER) => (Event::Receiver { method: word(1)?, class: word(2)? }, 3),
        _ => return Err(NoEvent::Unknown(first)),
    })
}

/// Appends the words of an event.
pub fn write(event: Event, to: &mut Vec<u32>) {
    let short = |depth: u32| (depth & 0xff) << DEPTH;
    let wide = |number: u64| [number as u32, (number >> 32) as u32];
    let marked = |number: u32, untold: bool| number | if untold { UNTOLD << KIND } else { SEGMENT << KIND };
    match event {
        Event::Segment { depth, number, untold } => {
            to.push(marked(u32::from(depth) << DEPTH | number & NUMBER, untold));
        }
        Event::Enter { depth, method } => {
            to.push(ENTER << KIND | u32::from(depth) << DEPTH | method & NUMBER);
        }
        Event::Caught { block, depth, number, untold } => {
            let number = number.map_or(FLOWED, |number| marked(number, untold));
            to.extend([CAUGHT << KIND | short(depth) | block & NUMBER, depth, number]);
        }
        Event::Thrown { depth, number, untold } => {
            to.extend([THROWN << KIND | short(depth), depth, marked(number, untold)]);
        }
        Event::Time { ns } => {
            to.push(TIME << KIND);
            to.extend(wide(ns));
        }
        Event::Pad => to.push(PAD),
        Event::Gap { lost, depth, lowest } => to.extend([GAP, lost, depth, lowest]),
        Event::Thread { id, depth } => {
            to.push(THREAD);
            to.extend(wide(id));
            to.push(depth);
        }
        Event::Call { number, depth } => {
            to.push(CALL);
            to.extend(wide(number));
            to.push(depth);
        }
        Event::Place { number } => {
            to.push(PLACE);
            to.extend(wide(number));
        }
        Event::Receiver { method, class } => to.extend([RECEIVER, method, class]),
    }
}

/// A depth from the lowest bits of it, near another depth.
#[must_use]
pub fn nearest(depth: u8, near: u32) -> u32 {
    let difference = depth.wrapping_sub(near as u8) as i8;
    near.saturating_add_signed(i32::from(difference))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn events() -> impl Strategy<Value = Event> {
        let number = || 0..=NUMBER;
        prop_oneof![
            (any::<u8>(), number(), any::<bool>()).prop_map(|(depth, number, untold)| Event::Segment {
                depth,
                number,
                untold
            }),
            (any::<u8>(), number()).prop_map(|(depth, method)| Event::Enter { depth, method }),
            (number(), any::<u32>(), proptest::option::of(number()), any::<bool>()).prop_map(
                |(block, depth, number, untold)| {
                    let untold = untold && number.is_some();
                    Event::Caught { block, depth, number, untold }
                }
            ),
            (any::<u32>(), number(), any::<bool>()).prop_map(|(depth, number, untold)| Event::Thrown {
                depth,
                number,
                untold
            }),
            any::<u64>().prop_map(|ns| Event::Time { ns }),
            Just(Event::Pad),
            (any::<u32>(), any::<u32>(), any::<u32>()).prop_map(|(lost, depth, lowest)| Event::Gap {
                lost,
                depth,
                lowest
            }),
            (any::<u64>(), any::<u32>()).prop_map(|(id, depth)| Event::Thread { id, depth }),
            (any::<u64>(), any::<u32>()).prop_map(|(number, depth)| Event::Call { number, depth }),
            any::<u64>().prop_map(|number| Event::Place { number }),
            any::<(u32, u32)>().prop_map(|(method, class)| Event::Receiver { method, class }),
        ]
    }

    proptest! {
        #[test]
        fn events_are_read_as_they_were_written(all in proptest::collection::vec(events(), 0..20)) {
            let mut words = Vec::new();
            all.iter().for_each(|event| write(*event, &mut words));
            let (mut rest, mut read) = (&words[..], Vec::new());
            while !rest.is_empty() {
                let (one, length) = event(rest).unwrap();
                prop_assert!(length < 2 || event(&rest[..length - 1]) == Err(NoEvent::Cut));
                read.push(one);
                rest = &rest[length..];
            }
            prop_assert_eq!(read, all);
        }

        #[test]
        fn all_words_are_an_event_or_an_error(words in proptest::collection::vec(any::<u32>(), 0..6)) {
            let read = event(&words);
            prop_assert!(read.is_err() || read.is_ok_and(|(_, length)| length > 0 && length <= words.len()));
        }

        #[test]
        fn a_depth_is_found_near_another(near in 1000..u32::MAX / 2, more in -128_i32..128) {
            let depth = near.saturating_add_signed(more);
            prop_assert_eq!(nearest(depth as u8, near), depth);
        }
    }
}
