//! The work budget of one class. Hostile class files are small and legal, and would occupy the agent for
//! minutes.

use spl_model::Refusal;

/// Most units of work for one class: instructions, words of types, and sixteenths of the bytes of names. That
/// is some tenths of a second. The most that a class of JDK 17 or of Groovy, JRuby, H2, FOP and Xerces needs
/// is 389,149.
const WORK: usize = 50_000_000;
/// Most words of all frames of one class; the most among the same classes is 132,588.
const FRAME_WORDS: usize = 2_000_000;

/// Most words of the frames of guarded calls of one class: without them programs run as well, but for a rare case.
const GUARD_WORDS: usize = 500_000;

/// The budget left for a class.
#[derive(Debug)]
pub(crate) struct Budget {
    work: usize,
    frame_words: usize,
    guard_words: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { work: WORK, frame_words: FRAME_WORDS, guard_words: GUARD_WORDS }
    }
}

impl Budget {
    /// Spends this number of units of work.
    pub(crate) fn spend(&mut self, work: usize) -> Result<(), Refusal> {
        take(&mut self.work, work, "its class is too involved")
    }

    /// Spends the work for a name or a descriptor of this number of bytes.
    pub(crate) fn spend_text(&mut self, bytes: usize) -> Result<(), Refusal> {
        self.spend(bytes / 16)
    }

    /// Spends frames of guarded calls of this number of words, if there is room for them.
    pub(crate) fn has_room_for_guards(&mut self, words: usize) -> bool {
        let left = self.guard_words.checked_sub(words);
        self.guard_words = left.unwrap_or(self.guard_words);
        left.is_some()
    }

    /// Spends a frame of this number of words.
    pub(crate) fn keep_frame(&mut self, words: usize) -> Result<(), Refusal> {
        take(&mut self.frame_words, words, "the frames of its class are too large")
    }
}

fn take(left: &mut usize, wanted: usize, what: &str) -> Result<(), Refusal> {
    *left = left.checked_sub(wanted).ok_or_else(|| Refusal::Unverified(what.to_owned()))?;
    Ok(())
}
