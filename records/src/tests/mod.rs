//! Tests of the file forms through their public items.

mod assertions;
mod damaged;
mod measurements;
mod page;
mod results;
mod run;
mod values;

use crate::reader::Record;
use crate::{CutOff, Form, Measurement, ReadError, Reader, ResultRecord};

const FORMS: [Form; 2] = [Form::Comma, Form::Human];

/// Both kinds of record, so that one test holds for both.
trait Writable: Record {
    fn text(&self, form: Form) -> String;
    fn file_header(form: Form) -> &'static str;
}

impl Writable for Measurement {
    fn text(&self, form: Form) -> String {
        let mut text = String::new();
        self.write(form, &mut text).unwrap();
        text
    }
    fn file_header(form: Form) -> &'static str {
        Self::header(form)
    }
}

impl Writable for ResultRecord {
    fn text(&self, form: Form) -> String {
        let mut text = String::new();
        self.write(form, &mut text).unwrap();
        text
    }
    fn file_header(form: Form) -> &'static str {
        Self::header(form)
    }
}

fn file<R: Writable>(form: Form, records: &[R]) -> String {
    records.iter().fold(R::file_header(form).to_owned(), |file, record| file + &record.text(form))
}

type Read<R> = (Vec<Result<R, ReadError>>, Option<CutOff>);

fn read<R: Record>(bytes: &[u8]) -> Read<R> {
    let mut reader = match Reader::new(bytes) {
        Ok(reader) => reader,
        Err(error) => return (vec![Err(error)], None),
    };
    let records = reader.by_ref().collect();
    (records, reader.cut_off())
}

/// The records of a file that is as it should be.
fn read_whole<R: Record>(bytes: &[u8]) -> Vec<R> {
    let (records, cut_off) = read(bytes);
    assert_eq!(cut_off, None);
    records.into_iter().map(|record| record.unwrap()).collect()
}
