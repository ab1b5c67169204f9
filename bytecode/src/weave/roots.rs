//! Calls that count apart, with all that they call in their thread: the entry leads the thread to other counters, and each exit
//! leads it back.
//!
//! The method's own counters are found before that, at the start: they count with those of all threads.

use super::slots::Slots;
use super::subject::{Site, Wanted};
use crate::emit::{Emitter, Kind};
use crate::names;
use spl_model::Refusal;

/// The kind that lets calls count apart.
pub(crate) struct Root {
    /// Number of the root in the drill.
    pub(crate) number: u32,
}

impl Root {
    pub(super) const WANTED: Wanted = Wanted { blocks: false, counters: false, exits: true };

    pub(super) fn at(
        &self,
        site: Site,
        slots: Slots<'_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        let &[token] = slots.own else { return Ok(0) };
        match site {
            Site::Entry => {
                code.int(self.number as i32)?.call_roots(names::ENTER_ROOT)?.store(Kind::Long, token);
                Ok(2)
            }
            Site::Return | Site::Throw => {
                code.load(Kind::Long, token).call_roots(names::LEAVE_ROOT)?;
                Ok(2)
            }
            Site::Start
            | Site::Edge(_)
            | Site::Call(_)
            | Site::Returning(_)
            | Site::Throwing(_)
            | Site::BlockHead(_) => Ok(0),
        }
    }
}
