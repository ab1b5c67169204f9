//! Flags of blocks and edges: each says that the program was there.
//!
//! Setting a flag is a store into an array and no call: a call could overflow the stack in the middle of the program's code, in a handler of
//! that very error for example. A flag that is set has no code any more when its class is changed the next time.

use super::subject::{Site, Subject, Wanted};
use crate::emit::Emitter;
use spl_model::{InstrumentId, Refusal};
use std::collections::BTreeSet;

/// The kind that sets flags.
pub(crate) struct Cover<'a> {
    /// Number of the method's first flag.
    pub(crate) id: InstrumentId,
    /// The flags that are not set, as numbers within the method.
    pub(crate) open: &'a BTreeSet<u32>,
}

impl Cover<'_> {
    pub(super) const WANTED: Wanted = Wanted { blocks: true, counters: true, exits: false, throws: false };

    pub(super) fn at(
        &self,
        site: Site,
        subject: &Subject<'_, '_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        let Some(number) = self.number(site, subject) else { return Ok(0) };
        code.flag((self.id.0 + number) as i32)?;
        Ok(3)
    }

    /// Whether a flag is set there.
    pub(super) fn is_on(&self, site: Site, subject: &Subject<'_, '_>) -> bool {
        self.number(site, subject).is_some()
    }

    fn number(&self, site: Site, subject: &Subject<'_, '_>) -> Option<u32> {
        subject.number(site).filter(|number| self.open.contains(number))
    }
}
