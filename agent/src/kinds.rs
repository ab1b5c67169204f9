//! The kinds of probes as the agent sees them: the kind in the bytecode, a size common to all calls, a size
//! processor.

pub mod times;

use spl_model::{Instrument, ProbeKind, Sizing};

/// The kind as it goes into the bytecode: no size is computed if all calls have the same size.
pub fn woven(instrument: &Instrument) -> ProbeKind {
    match &instrument.kind {
        ProbeKind::Times(sizing) if sizing.constant(&instrument.method).is_some() => {
            ProbeKind::Times(Sizing::None)
        }
        ProbeKind::Times(sizing) => ProbeKind::Times(sizing.clone()),
    }
}

/// The workload size of all calls, if they have the same size.
pub fn constant_size(instrument: &Instrument) -> Option<u64> {
    match &instrument.kind {
        ProbeKind::Times(sizing) => sizing.constant(&instrument.method),
    }
}

/// The program's class that computes the sizes of calls, if any.
pub fn processor(instrument: &Instrument) -> Option<&str> {
    match &instrument.kind {
        ProbeKind::Times(Sizing::Processor(class)) => Some(class),
        ProbeKind::Times(Sizing::None | Sizing::Shallow | Sizing::Deep | Sizing::Length) => None,
    }
}
