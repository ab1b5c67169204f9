//! Permanent ids. A method with a kind of probe keeps its id for the life of the JVM, because its bytecode
//! holds it and old activations may still record.

use crate::layout;
use spl_model::{Instrument, InstrumentId, MethodRef};
use std::collections::HashMap;

/// The first id of a method. Smaller ids are reserved: [`layout::NOBODYS_GATE`] and [`layout::OWN_GATE`].
const FIRST: u32 = 2;

/// The ids given so far.
#[derive(Debug, Default)]
pub struct Ids {
    known: HashMap<(MethodRef, &'static str), InstrumentId>,
}

impl Ids {
    /// Most methods that can have an id.
    pub const LIMIT: u32 = layout::GATES as u32 - FIRST;

    /// The id of an instrument; `None` when all are in use.
    pub fn of(&mut self, instrument: &Instrument) -> Option<InstrumentId> {
        let identity = instrument.identity();
        if let Some(id) = self.known.get(&identity) {
            return Some(*id);
        }
        let id = InstrumentId(self.known.len() as u32 + FIRST);
        if id.index() >= layout::GATES {
            return None;
        }
        self.known.insert(identity, id);
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spl_model::{ProbeKind, Sizing};

    #[test]
    fn ids_are_permanent_and_bounded() {
        let mut ids = Ids::default();
        let method = |n: u32| Instrument {
            method: MethodRef::new("C", &format!("m{n}"), "()V").unwrap(),
            kind: ProbeKind::Times(Sizing::None),
        };
        const { assert!(FIRST > layout::OWN_GATE.0 && FIRST > layout::NOBODYS_GATE.0) };
        for n in 0..Ids::LIMIT {
            assert_eq!(ids.of(&method(n)), Some(InstrumentId(n + FIRST)));
        }
        assert_eq!(ids.of(&method(Ids::LIMIT)), None);
        assert_eq!(ids.of(&method(7)), Some(InstrumentId(7 + FIRST)));
        let sized = Instrument { kind: ProbeKind::Times(Sizing::Deep), ..method(7) };
        assert_eq!(ids.of(&sized), Some(InstrumentId(7 + FIRST)), "the same, with sizes");
    }
}
