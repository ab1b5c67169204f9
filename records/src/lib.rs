//! Measurement and result files: bytes to values and back.
//!
//! | file | values | forms |
//! |---|---|---|
//! | `*.msr` | [`Measurement`] | comma, human |
//! | `result.eval` | [`ResultRecord`] | comma, human |
//! | `assertions.jsonl` | [`AssertionRecord`] | JSON, one object a line |
//! | `run.json` | [`RunState`] | JSON |
//! | `context.json` | [`Context`] | JSON |
//!
//! The *comma* form is the thesis's (3.3.2) with fields of ours after its own; RFC 4180 governs quoting. It
//! has no header, so that its version shows in the number of fields. The *human* form starts with a line that
//! names the version. Both forms hold the same values and are read back exactly.
//!
//! A crash may leave the last record half-written. A [`Reader`] doesn't take it for a record and says where
//! it begins, so that it can be cut off before more is appended.
//!
//! ```
//! use spl_records::{Form, Measurement, Reader};
//! let file = b"100,140,0,1,p/C.f(I)V,32,,0,\n150,1";
//! let mut reader = Reader::<Measurement>::new(file)?;
//! let first = reader.next().expect("there is a record")?;
//! assert_eq!((first.method.name(), first.sample.duration_ns()), ("f", 40));
//! assert!(reader.next().is_none());
//! assert_eq!(reader.cut_off().map(|cut| (cut.line, cut.offset)), Some((2, 29)));
//!
//! let mut text = String::from(Measurement::header(Form::Human));
//! first.write(Form::Human, &mut text)?;
//! assert!(text.ends_with(
//!     "took         40 ns | start 100 | end 140 | depth 0 | thread 1 | size 32 | method p/C.f(I)V\n"
//! ));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod assertion;
pub mod context;
mod cursor;
mod error;
mod file_name;
mod instances;
mod measurement;
mod reader;
mod result;
mod run;
mod text;
mod why;
mod why_graphs;

pub use assertion::{AssertionError, AssertionRecord};
pub use context::{Context, ContextError};
pub use error::{CutOff, Problem, ReadError};
pub use file_name::measurement_files;
pub use instances::{InstancesFile, OfClaim, OfInstance};
pub use measurement::Measurement;
pub use reader::{Form, Reader, Record};
pub use result::ResultRecord;
pub use run::{MethodProgress, RunState, RunStateError, TasksHash};
pub use why::{
    Conclusion, UnseenCalls, Why, WhyCause, WhyCertainty, WhyCounted, WhyEvent, WhyExtra, WhyFile, WhyGrowth,
    WhyMeasure,
};

#[cfg(test)]
mod tests;
pub use why_graphs::{ClaimGraphs, GraphBlock, GraphEdge, GraphPair, MethodGraph, WhyGraphs};
