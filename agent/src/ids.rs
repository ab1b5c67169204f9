//! Permanent method ids: a method keeps its id for the life of the JVM, because its bytecode holds it and old
//! activations may still record.

use crate::layout;
use spl_model::MethodRef;
use std::collections::HashMap;

/// The first id of a method. Those before it are nobody's ([`layout::NOBODYS_GATE`]) and the agent's own ([`layout::OWN_GATE`]).
const FIRST: u32 = 2;

/// The ids given so far.
#[derive(Debug, Default)]
pub struct Ids {
    known: HashMap<MethodRef, u32>,
}

impl Ids {
    /// Methods that can have an id.
    pub const LIMIT: u32 = layout::GATES as u32 - FIRST;

    /// The id of a method; `None` when all are given.
    pub fn of(&mut self, method: &MethodRef) -> Option<u32> {
        if let Some(id) = self.known.get(method) {
            return Some(*id);
        }
        let id = self.known.len() as u32 + FIRST;
        if id as usize >= layout::GATES {
            return None;
        }
        self.known.insert(method.clone(), id);
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_permanent_and_bounded() {
        let mut ids = Ids::default();
        let method = |n: u32| MethodRef::new("C", &format!("m{n}"), "()V").unwrap();
        const { assert!(FIRST > layout::OWN_GATE && FIRST > layout::NOBODYS_GATE) };
        for n in 0..Ids::LIMIT {
            assert_eq!(ids.of(&method(n)), Some(n + FIRST));
        }
        assert_eq!(ids.of(&method(Ids::LIMIT)), None);
        assert_eq!(ids.of(&method(7)), Some(7 + FIRST));
    }
}
