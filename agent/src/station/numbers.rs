//! What a session calls the methods with a permanent id, and how many samples of each were counted.

use spl_model::{Handle, InstrumentId};

/// What this session calls a method.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// The controller's number.
    pub handle: Handle,
    /// The workload size of all its calls, if they have the same.
    pub size: Option<u64>,
}

/// What is known of each permanent id.
#[derive(Debug, Default)]
pub struct Numbers {
    /// Of each id that this session has instrumented.
    named: Vec<Option<Named>>,
    /// Samples of each that were counted and are not booked, and which of them have any.
    taken: Vec<u64>,
    touched: Vec<InstrumentId>,
}

impl Numbers {
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    pub fn get(&self, id: InstrumentId) -> Option<Named> {
        *self.named.get(id.index())?
    }

    pub fn insert(&mut self, id: InstrumentId, named: Named) {
        let needed = self.named.len().max(id.index() + 1);
        self.named.resize(needed, None);
        self.taken.resize(needed, 0);
        self.named[id.index()] = Some(named);
    }

    pub fn count(&mut self, id: InstrumentId) -> Option<Named> {
        let named = self.get(id)?;
        let taken = &mut self.taken[id.index()];
        if *taken == 0 {
            self.touched.push(id);
        }
        *taken += 1;
        Some(named)
    }

    /// An id and its handle with what was counted since the last time, until there is no more.
    pub fn next_counted(&mut self) -> Option<(InstrumentId, Handle, u64)> {
        let id = self.touched.pop()?;
        let taken = std::mem::take(&mut self.taken[id.index()]);
        Some((id, self.get(id)?.handle, taken))
    }
}
