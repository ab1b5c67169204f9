//! Measurement files: exact content, exact reading.

use super::values::measurement;
use super::{FORMS, file, read_whole};
use crate::{Form, Measurement};
use proptest::collection::vec;
use proptest::prelude::*;
use spl_model::{Sample, SampleFlags, Size};
use std::sync::Arc;

fn plain() -> Measurement {
    let mut sample = Sample::new(1_000, 1_054).unwrap();
    sample.depth = Some(0);
    sample.thread = 21;
    sample.size = Size::Value(32);
    let method = Arc::new("java/lang/Integer.compareTo(Ljava/lang/Integer;)I".parse().unwrap());
    Measurement { method, sample, origin: "".into() }
}

fn full() -> Measurement {
    let mut full = plain();
    full.method = Arc::new("p/\"C\",D.f()V".parse().unwrap());
    full.sample.depth = None;
    full.sample.size = Size::Label("a \"b\",\nc".into());
    full.sample.flags = SampleFlags::THREW.with(SampleFlags::GC).with(SampleFlags(1 << 10));
    full.sample.window = Some(3);
    full.origin = "pid 4711".into();
    full
}

fn check(form: Form, record: &Measurement, expected: &str) {
    let text = file(form, std::slice::from_ref(record));
    assert_eq!(text.strip_prefix(Measurement::header(form)), Some(expected));
    assert_eq!(read_whole::<Measurement>(text.as_bytes()), std::slice::from_ref(record));
}

#[test]
fn the_comma_form_begins_as_the_thesis_has_it() {
    check(Form::Comma, &plain(), "1000,1054,0,21,java/lang/Integer.compareTo(Ljava/lang/Integer;)I,32,,0,\n");
    let expected = "1000,1054,,21,\"p/\"\"C\"\",D.f()V\",\"label:a \"\"b\"\",\nc\",3,1029,pid 4711\n";
    check(Form::Comma, &full(), expected);
}

#[test]
fn the_human_form_names_its_values() {
    assert!(Measurement::header(Form::Human).starts_with("# spl measurements 1\n"));
    let method = "java/lang/Integer.compareTo(Ljava/lang/Integer;)I";
    let plain_line = "took         54 ns | start 1000 | end 1054 | depth 0 | thread 21 | size 32 | method ";
    check(Form::Human, &plain(), &format!("{plain_line}{method}\n"));
    check(
        Form::Human,
        &full(),
        "took         54 ns | start 1000 | end 1054 | depth ? | thread 21 | size label:\"a \\\"b\\\",\\nc\" | \
         window 3 | flags threw+gc+1024 | origin \"pid 4711\" | method p/\"C\",D.f()V\n",
    );
}

#[test]
fn lines_of_six_fields_are_measurements_too() {
    let check = |line: &str, expected: Size| {
        let [record] = read_whole::<Measurement>(line.as_bytes()).try_into().unwrap();
        assert_eq!(record.sample.size, expected);
        assert_eq!(
            (record.sample.window, record.sample.flags, &*record.origin),
            (None, SampleFlags::default(), "")
        );
    };
    check("1,2,0,1,p/C.f()V,100\n", Size::Value(100));
    check("1,2,0,1,p/C.f()V,-\n", Size::Unchecked);
    check("1,2,0,1,p/C.f()V,label:a\n", Size::Label("a".into()));
    check("1,2,0,1,p/C.f()V,10 to 20\n", Size::Label("10 to 20".into()));
}

#[test]
fn files_that_passed_through_other_hands_are_read() {
    let check = |text: &str| {
        let records = read_whole::<Measurement>(text.as_bytes());
        assert_eq!(records, [plain(), plain()], "{text:?}");
    };
    for form in FORMS {
        let text = file(form, &[plain(), plain()]);
        check(&text.replace('\n', "\r\n"));
        check(&format!("\u{feff}{text}"));
        check(&format!("{text}\n\r\n\n"));
    }
    check(&file(Form::Human, &[plain(), plain()]).replace("took", "# a note\ntook"));
    let line =
        "\"1000\",\"1054\",\"0\",\"21\",\"java/lang/Integer.compareTo(Ljava/lang/Integer;)I\",\"32\"\r\n";
    check(&line.repeat(2));
}

/// The reader takes a shorter way where a line repeats the method and origin of the line before.
#[test]
fn repeated_lines_mean_what_they_say() {
    let line = |origin: &str| format!("1,2,,7,p/C.f()V,3,4,5,{origin}\n");
    let origins = |text: &str| -> Vec<String> {
        read_whole::<Measurement>(text.as_bytes()).iter().map(|record| record.origin.to_string()).collect()
    };
    assert_eq!(origins(&(line("a") + &line("a") + &line("ab") + &line(""))), ["a", "a", "ab", ""]);
    assert_eq!(origins(&(line("\"\n\"") + &line("") + "\n" + &line("\"\n\""))), ["\n", "", "\n"]);
    assert_eq!(origins(&(line("\"\r\"") + &line("\r"))), ["\r", ""]);
    let [first, second] = read_whole::<Measurement>(line("a").repeat(2).as_bytes()).try_into().unwrap();
    assert_eq!(first, second);
    let late = "18446744073709551614,18446744073709551615,1,7,p/C.f()V,3,4,5,a\n";
    let records = read_whole::<Measurement>((line("a") + late).as_bytes());
    assert_eq!((records[1].sample.start_ns(), records[1].sample.duration_ns()), (u64::MAX - 1, 1));
}

proptest! {
    #[test]
    fn every_measurement_is_read_back(records in vec(measurement(), 0..5)) {
        for form in FORMS {
            prop_assert_eq!(&read_whole::<Measurement>(file(form, &records).as_bytes()), &records);
        }
    }

    /// Another implementation of RFC 4180 finds the same fields.
    #[test]
    fn other_csv_readers_agree(record in measurement()) {
        let text = file(Form::Comma, std::slice::from_ref(&record));
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let row = reader.records().next().unwrap().unwrap();
        let (method, size) = (record.method.to_string(), record.sample.size.to_string());
        prop_assert_eq!(row.len(), 9);
        prop_assert_eq!((&row[4], &row[5], &row[8]), (&*method, &*size, &*record.origin));
    }
}
