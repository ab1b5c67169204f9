//! Samples on the wire: size labels as numbers, times unchecked.

use serde::{Deserialize, Serialize};
use spl_model::{Handle, Sample, SampleError, SampleFlags, Size};
use std::collections::HashMap;

/// Number of samples that fit in one frame with any values.
pub const MAX_SAMPLES: usize = 16_384;

/// One measured call as in the agent's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WireSample {
    /// The method, as numbered by [`ToAgent::Define`](crate::ToAgent::Define).
    pub handle: Handle,
    /// Start of the call, nanoseconds of the JVM's monotonic clock.
    pub start_ns: u64,
    /// End of the call, nanoseconds of the JVM's monotonic clock.
    pub end_ns: u64,
    /// `java.lang.Thread` id.
    pub thread: u64,
    /// Measured activations of the same method below this one in its thread; `None` if unknown.
    pub depth: Option<u32>,
    /// Workload size.
    pub size: WireSize,
    /// Bits of [`SampleFlags`].
    pub flags: u16,
}

/// A workload size with the label as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WireSize {
    /// Not computed.
    Unchecked,
    /// Bytes, or the unit of a size processor.
    Value(u64),
    /// The label with this number.
    Label(u32),
}

impl WireSample {
    /// The sample of a method, its size label numbered by `label_id`.
    pub fn from_sample(handle: Handle, sample: &Sample, label_id: impl FnOnce(&str) -> u32) -> Self {
        Self {
            handle,
            start_ns: sample.start_ns(),
            end_ns: sample.end_ns(),
            thread: sample.thread,
            depth: sample.depth,
            size: match &sample.size {
                Size::Unchecked => WireSize::Unchecked,
                Size::Value(value) => WireSize::Value(*value),
                Size::Label(label) => WireSize::Label(label_id(label)),
            },
            flags: sample.flags.0,
        }
    }

    /// The checked sample.
    ///
    /// # Errors
    /// When the clock ran backwards or the label is unknown. The caller drops and counts such samples.
    pub fn to_sample(&self, labels: &Labels) -> Result<Sample, SampleFault> {
        let mut sample = Sample::new(self.start_ns, self.end_ns)?;
        sample.depth = self.depth;
        sample.thread = self.thread;
        sample.size = match self.size {
            WireSize::Unchecked => Size::Unchecked,
            WireSize::Value(value) => Size::Value(value),
            WireSize::Label(id) => {
                Size::Label(labels.text(id).ok_or(SampleFault::UnknownLabel(id))?.to_owned())
            }
        };
        sample.flags = SampleFlags(self.flags);
        Ok(sample)
    }
}

/// A size label and its number in samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The number.
    pub id: u32,
    /// The text that a size processor gave.
    pub text: String,
}

/// The size labels that an agent has named so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(HashMap<u32, String>);

impl Labels {
    /// Adds the labels of a message; a repeated number gets the new text.
    pub fn learn(&mut self, labels: impl IntoIterator<Item = Label>) {
        self.0.extend(labels.into_iter().map(|label| (label.id, label.text)));
    }

    /// The label of a number.
    #[must_use]
    pub fn text(&self, id: u32) -> Option<&str> {
        self.0.get(&id).map(String::as_str)
    }
}

/// The reason why a received sample cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SampleFault {
    /// The clock ran backwards.
    #[error(transparent)]
    Clock(#[from] SampleError),
    /// The agent never named this label.
    #[error("the size label {0} was never named by the agent")]
    UnknownLabel(u32),
}
