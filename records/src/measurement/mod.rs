//! Measurements (`*.msr`, thesis 3.3.2).

mod comma;
mod human;

use crate::cursor::Cursor;
use crate::error::Fault;
use crate::reader::{Form, Record};
use spl_model::{MethodRef, Sample};
use std::fmt;
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

impl Measurement {
    /// What a new file begins with.
    #[must_use]
    pub fn header(form: Form) -> &'static str {
        match form {
            Form::Comma => "",
            Form::Human => human::HEADER,
        }
    }

    /// Appends the record.
    ///
    /// # Errors
    /// When `out` fails; a `String` never does.
    pub fn write(&self, form: Form, out: &mut impl fmt::Write) -> fmt::Result {
        match form {
            Form::Comma => comma::write(self, out),
            Form::Human => human::write(self, out),
        }
    }
}

impl Record for Measurement {
    const TITLE: &'static str = human::TITLE;
    const VERSION: u64 = human::VERSION;

    fn read(form: Form, cursor: &mut Cursor<'_>) -> Result<Self, Fault> {
        match form {
            Form::Comma => comma::read(cursor),
            Form::Human => human::read(cursor),
        }
    }
}
