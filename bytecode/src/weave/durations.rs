//! Durations of calls, added up in the thread: of a method with its callees, and its own.
//!
//! The entry puts the call on a stack of the thread and reads the clock last; each exit reads the clock first and takes the call off.
//! A call whose exit could not run goes with the one below it.

use super::slots::Slots;
use super::subject::{Site, Wanted};
use crate::emit::{Emitter, Kind};
use crate::names;
use spl_model::{Clock, InstrumentId, Refusal};

/// The kind that adds up durations.
pub(crate) struct Durations {
    /// Permanent number of the method's first word.
    pub(crate) id: InstrumentId,
    pub(crate) clock: Clock,
}

impl Durations {
    pub(super) const WANTED: Wanted = Wanted { blocks: false, counters: false, exits: true, throws: true };

    pub(super) fn at(
        &self,
        site: Site,
        slots: Slots<'_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        let &[frame] = slots.own else { return Ok(0) };
        let (enter, leave) = match self.clock {
            Clock::Two => (names::ENTER_TIMED, names::LEAVE_TIMED),
            Clock::Four => (names::ENTER_TIMED_FOUR, names::LEAVE_TIMED_FOUR),
        };
        match site {
            Site::Entry => {
                code.int(self.id.0 as i32)?.call_times(enter)?.store(Kind::Long, frame);
                Ok(2)
            }
            Site::Return | Site::Throw => {
                code.load(Kind::Long, frame).int(self.id.0 as i32)?.call_times(leave)?;
                Ok(3)
            }
            Site::Start
            | Site::Edge(_)
            | Site::Call(_)
            | Site::Returning(_)
            | Site::Throwing(_)
            | Site::Made(_)
            | Site::BlockHead(_) => Ok(0),
        }
    }
}
