//! Calls that count apart, with all that they call in their thread: the entry leads the thread to other counters, and each exit
//! leads it back. Calls of large workload sizes may count in another group than those of small ones, so the entry finds the size.
//!
//! The method's own counters are found before that, at the start. Those of a constructor stay where they are: it runs code before the
//! entry. Those of another method are found again behind the entry, and its entry counts with them.

use super::lengths::{self, Of};
use super::slots::Slots;
use super::subject::{Site, Subject, Wanted};
use crate::emit::{Emitter, Kind};
use crate::names;
use spl_model::{InstrumentId, Refusal};

/// The kind that lets calls count apart.
pub(crate) struct Root {
    /// Number of the root in the drill.
    pub(crate) number: u32,
    /// Permanent number of the method's entry.
    pub(crate) id: InstrumentId,
}

impl Root {
    pub(super) const WANTED: Wanted = Wanted { blocks: false, counters: false, exits: true, throws: true };

    /// The arena to go back to, and for the entry code the token and the size.
    pub(super) fn locals() -> Vec<Kind> {
        vec![Kind::Long; 3]
    }

    pub(super) fn at(
        &self,
        site: Site,
        subject: &Subject<'_, '_>,
        slots: Slots<'_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        let &[own, token, size] = slots.own else { return Ok(0) };
        match site {
            Site::Entry => {
                code.int(self.number as i32)?.call_roots(names::BEGIN_ROOT)?.store(Kind::Long, token);
                let has_size = !subject.constructs && !subject.signature.parameters.is_empty();
                if has_size {
                    lengths::add_up(subject, (Kind::Long, token), size, code, |of, code| {
                        let method = match of {
                            Of::Object => names::LENGTH_IN_ROOT,
                            Of::Number => names::NUMBER_IN_ROOT,
                        };
                        code.call_roots(method).map(drop)
                    })?;
                } else {
                    code.int(-1)?.widen(Kind::Int);
                }
                code.store(Kind::Long, size);
                code.int(self.number as i32)?.load(Kind::Long, token).load(Kind::Long, size);
                code.int(if subject.constructs { -1 } else { self.id.0 as i32 })?;
                code.call_roots(names::ENTER_ROOT)?.store(Kind::Long, own);
                Ok(6)
            }
            Site::Return | Site::Throw => {
                code.load(Kind::Long, own).call_roots(names::LEAVE_ROOT)?;
                Ok(2)
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
