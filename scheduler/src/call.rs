//! One call in a window.

use spl_model::{Bucket, Sample, Size};

/// One call that counts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) bucket: Bucket,
    /// The workload size, where it is a number.
    pub(crate) size: Option<u64>,
    /// Whether the gate of another method opened before the call ended.
    pub(crate) overlapped: bool,
}

impl Call {
    pub(crate) fn new(sample: &Sample, bucket: Bucket) -> Self {
        let size = match sample.size {
            Size::Value(size) => Some(size),
            Size::Unchecked | Size::Label(_) => None,
        };
        Self { start_ns: sample.start_ns(), end_ns: sample.end_ns(), bucket, size, overlapped: false }
    }

    pub(crate) fn duration_ns(&self) -> u64 {
        self.end_ns - self.start_ns
    }
}
