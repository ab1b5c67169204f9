//! The stack of a thread, as far as it is known.

/// A visitor's name for an activation.
pub type Tag = u32;

/// An activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Place of its method in [`Methods`](crate::Methods).
    pub method: u32,
    /// Whether it may have ended: an exception left it without a word, or the JVM called something in the midst of it.
    pub perhaps: bool,
    /// The visitor's name for it.
    pub tag: Tag,
    /// The first number of the segments that come next, if that is known.
    pub(crate) next: Option<u32>,
    /// Whether it runs one segment only, of which no word tells.
    pub(crate) is_single: bool,
    /// Whether its last word was that of a call that has not returned by an exception.
    pub(crate) calls: bool,
    /// Number of the gaps in front of these two.
    gaps: u32,
}

impl Frame {
    /// An activation that begins in a method.
    pub(crate) fn new(method: u32, tag: Tag, next: Option<u32>, is_single: bool) -> Self {
        Self { method, perhaps: false, tag, next, is_single, calls: false, gaps: 0 }
    }
}

/// A part of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// One activation.
    Known(Frame),
    /// A number of unknown activations.
    Unknown(u32),
}

/// The activations of a thread that are under way. The innermost one is the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    slots: Vec<Slot>,
    depth: u32,
    /// Number of gaps, behind which activations may be anywhere in their code.
    gaps: u32,
    /// The last clock, nanoseconds.
    pub(crate) time: u64,
    /// Whether it stands directly in front of the word at hand.
    pub(crate) is_marked: bool,
}

impl Stack {
    /// The last clock, nanoseconds of the JVM's monotonic clock; 0 if there was none.
    #[must_use]
    pub fn time(&self) -> u64 {
        self.time
    }

    /// The clock directly in front of the word at hand, if one stands there: then the word tells a beginning or an end at that time.
    #[must_use]
    pub fn mark(&self) -> Option<u64> {
        self.is_marked.then_some(self.time)
    }

    /// Whether no activation is known.
    #[must_use]
    pub fn knows_none(&self) -> bool {
        !self.slots.iter().any(|slot| matches!(slot, Slot::Known(_)))
    }

    /// Its parts, from the outermost on.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Its number of activations.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The innermost activation, if it is known.
    #[inline]
    pub(crate) fn top(&mut self) -> Option<&mut Frame> {
        match self.slots.last_mut() {
            Some(Slot::Known(frame)) => {
                if frame.gaps != self.gaps {
                    (frame.next, frame.calls, frame.gaps) = (None, false, self.gaps);
                }
                Some(frame)
            }
            Some(Slot::Unknown(_)) | None => None,
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, frame: Frame) {
        self.slots.push(Slot::Known(Frame { gaps: self.gaps, ..frame }));
        self.depth = self.depth.saturating_add(1);
    }

    pub(crate) fn push_unknown(&mut self, count: u32) {
        let count = count.min(u32::MAX - self.depth);
        if count == 0 {
            return;
        }
        self.depth += count;
        match self.slots.last_mut() {
            Some(Slot::Unknown(more)) => *more += count,
            Some(Slot::Known(_)) | None => self.slots.push(Slot::Unknown(count)),
        }
    }

    /// Forgets where its activations are in their code.
    pub(crate) fn forget(&mut self) {
        self.gaps = self.gaps.wrapping_add(1);
    }

    /// Takes off the innermost activation, or of unknown ones as many as are above a depth. `None` if the stack is not higher.
    pub(crate) fn pop_above(&mut self, depth: u32) -> Option<Slot> {
        let above = self.depth.checked_sub(depth).filter(|above| *above > 0)?;
        let popped = match self.slots.last_mut()? {
            Slot::Unknown(count) if *count > above => {
                *count -= above;
                self.depth -= above;
                return Some(Slot::Unknown(above));
            }
            slot @ (Slot::Known(_) | Slot::Unknown(_)) => *slot,
        };
        self.slots.pop();
        self.depth -= match popped {
            Slot::Known(_) => 1,
            Slot::Unknown(count) => count,
        };
        Some(popped)
    }
}
