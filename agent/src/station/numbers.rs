//! The session's handle of each permanent id, and the number of samples counted for it.

use spl_model::{Handle, InstrumentId};

/// A session's view of a method.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// The controller's handle.
    pub handle: Handle,
    /// The workload size of all calls of the method, if they have the same size.
    pub size: Option<u64>,
}

/// The state of each permanent id.
#[derive(Debug, Default)]
pub struct Numbers {
    /// By id; `None` for ids that this session has not instrumented.
    named: Vec<Option<Named>>,
    /// Samples by id that were counted and are not booked. `touched` lists the ids with any.
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

    /// An id, its handle and the samples counted since the last time; `None` at the end.
    pub fn next_counted(&mut self) -> Option<(InstrumentId, Handle, u64)> {
        let id = self.touched.pop()?;
        let taken = std::mem::take(&mut self.taken[id.index()]);
        Some((id, self.get(id)?.handle, taken))
    }
}
