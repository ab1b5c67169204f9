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
    },
    /// An exception left an activation.
    Thrown {
        /// Its depth.
        depth: u32,
        /// Number of the segment that it stopped.
        number: u32,
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
const CAUGHT: u32 = 3;
const THROWN: u32 = 4;
const TIME: u32 = 6;
const PAD: u32 = 7 << KIND;
const GAP: u32 = PAD | 1;
const THREAD: u32 = PAD | 2;
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
        SEGMENT => Ok((Event::Segment { depth, number }, 1)),
        ENTER => Ok((Event::Enter { depth, method: number }, 1)),
        _ => rare(words, first),
    }
}

fn rare(words: &[u32], first: u32) -> Result<(Event, usize), NoEvent> {
    let word = |place: usize| words.get(place).copied().ok_or(NoEvent::Cut);
    let wide = |place| Ok(u64::from(word(place)?) | u64::from(word(place + 1)?) << 32);
    Ok(match (first >> KIND, first) {
        (CAUGHT, _) => {
            let number = Some(word(2)?).filter(|number| *number != FLOWED);
            (Event::Caught { block: first & NUMBER, depth: word(1)?, number }, 3)
        }
        (THROWN, _) => (Event::Thrown { depth: word(1)?, number: word(2)? }, 3),
        (TIME, _) => (Event::Time { ns: wide(1)? }, 3),
        (_, PAD) => (Event::Pad, 1),
        (_, GAP) => (Event::Gap { lost: word(1)?, depth: word(2)?, lowest: word(3)? }, 4),
        (_, THREAD) => (Event::Thread { id: wide(1)?, depth: word(3)? }, 4),
        _ => return Err(NoEvent::Unknown(first)),
    })
}

/// Appends the words of an event.
pub fn write(event: Event, to: &mut Vec<u32>) {
    let short = |depth: u32| (depth & 0xff) << DEPTH;
    let wide = |number: u64| [number as u32, (number >> 32) as u32];
    match event {
        Event::Segment { depth, number } => {
            to.push(SEGMENT << KIND | u32::from(depth) << DEPTH | number & NUMBER);
        }
        Event::Enter { depth, method } => {
            to.push(ENTER << KIND | u32::from(depth) << DEPTH | method & NUMBER);
        }
        Event::Caught { block, depth, number } => {
            to.extend([CAUGHT << KIND | short(depth) | block & NUMBER, depth, number.unwrap_or(FLOWED)]);
        }
        Event::Thrown { depth, number } => to.extend([THROWN << KIND | short(depth), depth, number]),
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
            (any::<u8>(), number()).prop_map(|(depth, number)| Event::Segment { depth, number }),
            (any::<u8>(), number()).prop_map(|(depth, method)| Event::Enter { depth, method }),
            (number(), any::<u32>(), proptest::option::of(0..u32::MAX))
                .prop_map(|(block, depth, number)| Event::Caught { block, depth, number }),
            (any::<u32>(), any::<u32>()).prop_map(|(depth, number)| Event::Thrown { depth, number }),
            any::<u64>().prop_map(|ns| Event::Time { ns }),
            Just(Event::Pad),
            (any::<u32>(), any::<u32>(), any::<u32>()).prop_map(|(lost, depth, lowest)| Event::Gap {
                lost,
                depth,
                lowest
            }),
            (any::<u64>(), any::<u32>()).prop_map(|(id, depth)| Event::Thread { id, depth }),
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
