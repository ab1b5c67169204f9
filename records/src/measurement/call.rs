//! What a record of a measurement file holds.

use spl_model::{MethodRef, Sample};
use std::sync::Arc;

/// One record of a measurement file: a measured call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measurement {
    /// The method that was called; all records of a file share it.
    pub method: Arc<MethodRef>,
    /// The call.
    pub sample: Sample,
    /// Which run of the JVM the call belongs to, empty when not known. Times of different runs are those of
    /// different clocks: they can be told apart by this alone when a file is appended to.
    pub origin: Arc<str>,
}
