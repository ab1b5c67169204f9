//! Ids, method descriptors, samples and size buckets: the values that all crates share.
//!
//! The values are checked at their construction. A [`MethodRef`] has a legal class name, method name and
//! descriptor, a [`Sample`] never ends before it starts, and a [`Scale`] has a usable base.
#![forbid(unsafe_code)]

pub mod arena;
mod claim;
pub mod glob;
mod hash;
mod instrument;
mod jdk;
mod lack;
mod method;
mod outcome;
mod sample;
mod scope;
mod sign;
mod size;
mod text;

/// The class of a place that has no method: the JVM itself does something there.
pub const JVM_ITSELF: &str = "<jvm>";

pub use claim::{ClaimIx, ClaimNumbers, Claimed};
pub use hash::fnv1a_128;
pub use instrument::{Handle, Instrument, InstrumentId, ProbeKind, Sizing};
pub use jdk::{JDK, is_of_jdk};
pub use lack::{EndedBy, Lack, Spent, SpentOn, Taken};
pub use method::{Descriptor, FieldType, MethodError, MethodRef};
pub use outcome::{Facts, Outcome, Refusal};
pub use sample::{Sample, SampleError, SampleFlags};
pub use scope::{Clock, DrillKind, MOST_ROOTS, OfCalls, Pattern, Scope};
pub use sign::{Demand, Shorter, Sign, UnknownSign};
pub use size::{Bucket, BucketError, Scale, ScaleError, Size};
pub use text::{lines, one_line, plain_json};
