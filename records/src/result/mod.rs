//! Evaluation results (`result.eval`, thesis 3.3.2).

mod comma;
mod human;
mod parts;

pub use parts::ResultRecord;

use crate::cursor::Cursor;
use crate::error::Fault;
use crate::reader::{Form, Record};
use std::fmt;

impl ResultRecord {
    /// Start of a new file.
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

impl Record for ResultRecord {
    const TITLE: &'static str = human::TITLE;
    const VERSION: u64 = human::VERSION;

    fn read(form: Form, cursor: &mut Cursor<'_>) -> Result<Self, Fault> {
        match form {
            Form::Comma => comma::read(cursor),
            Form::Human => human::read(cursor),
        }
    }
}
