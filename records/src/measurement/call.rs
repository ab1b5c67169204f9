//! Content of a record of a measurement file.

use spl_model::{MethodRef, Sample};
use std::sync::Arc;

/// One record of a measurement file: a measured call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measurement {
    /// The method that was called; all records of a file share it.
    pub method: Arc<MethodRef>,
    /// The call.
    pub sample: Sample,
    /// Run of the JVM that the call belongs to, empty when unknown. Different runs have different clocks; in
    /// a file with several runs this alone tells them apart.
    pub origin: Arc<str>,
}
