//! What the kinds of probes are to the agent: what goes into the bytecode, what all calls have in common, what a name takes.

pub mod times;

use spl_model::{Instrument, ProbeKind, Sizing};

/// The kind as it goes into the bytecode: no size is found where all calls have the same.
pub fn woven(instrument: &Instrument) -> ProbeKind {
    match &instrument.kind {
        ProbeKind::Times(sizing) if sizing.constant(&instrument.method).is_some() => {
            ProbeKind::Times(Sizing::None)
        }
        ProbeKind::Times(sizing) => ProbeKind::Times(sizing.clone()),
    }
}

/// The workload size of all calls, if they have the same.
pub fn constant_size(instrument: &Instrument) -> Option<u64> {
    match &instrument.kind {
        ProbeKind::Times(sizing) => sizing.constant(&instrument.method),
    }
}

/// The class that finds the sizes of calls, if one of the program's does.
pub fn processor(instrument: &Instrument) -> Option<&str> {
    match &instrument.kind {
        ProbeKind::Times(Sizing::Processor(class)) => Some(class),
        ProbeKind::Times(Sizing::None | Sizing::Shallow | Sizing::Deep | Sizing::Length) => None,
    }
}
