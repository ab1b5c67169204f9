//! Files that a crash, a disk or an editor has damaged.

use super::values::{measurement, result};
use super::{FORMS, Writable, file, read, read_whole};
use crate::{Measurement, ResultRecord};
use proptest::collection::vec;
use proptest::prelude::*;
use std::fmt::Debug;

/// Wherever a file is cut, its whole records are read, and the reader reports the rest and the offset to cut
/// before appending.
fn check_cut<R: Writable + PartialEq + Debug + Clone>(records: &[R], cut: &proptest::sample::Index) {
    for form in FORMS {
        let whole = file(form, records);
        let cut = cut.index(whole.len() + 1);
        let (got, cut_off) = read::<R>(&whole.as_bytes()[..cut]);
        let got: Vec<R> = got.into_iter().map(|record| record.unwrap()).collect();
        assert_eq!(got, records[..got.len()], "{form:?}");
        let kept = file(form, &records[..got.len()]);
        assert!(kept.len() <= cut.max(R::file_header(form).len()), "a record was made of a part");
        let next = file(form, &records[..(got.len() + 1).min(records.len())]);
        assert!(cut < next.len() || next.len() == kept.len(), "a whole record was lost");
        let Some(cut_off) = cut_off else { continue };
        assert_eq!(cut_off.offset + cut_off.bytes, cut);
        assert_eq!(cut_off.line, whole[..cut_off.offset].matches('\n').count() + 1);
        if cut_off.offset > 0 {
            let continued = whole[..cut_off.offset].to_owned() + &records[0].text(form);
            let expected: Vec<R> = got.into_iter().chain([records[0].clone()]).collect();
            assert_eq!(read_whole::<R>(continued.as_bytes()), expected);
        }
    }
}

fn check_survives<R: Writable>(mut bytes: Vec<u8>, damage: &[(proptest::sample::Index, u8)]) {
    for (at, value) in damage {
        let length = bytes.len().max(1);
        if let Some(byte) = bytes.get_mut(at.index(length)) {
            *byte = *value;
        }
    }
    let lines = bytes.split(|byte| *byte == b'\n').count();
    assert!(read::<R>(&bytes).0.len() <= lines);
}

proptest! {
    #[test]
    fn cut_measurements(records in vec(measurement(), 1..4), cut: proptest::sample::Index) {
        check_cut(&records, &cut);
    }

    #[test]
    fn cut_results(records in vec(result(), 1..4), cut: proptest::sample::Index) {
        check_cut(&records, &cut);
    }

    #[test]
    fn no_bytes_panic(
        bytes: Vec<u8>,
        text in "(# spl (measurements|results) 1\n)?([0-9,\"\\r\n#a.()V<=|-]{0,40}\n?){0,4}",
        measurement in measurement(),
        result in result(),
        damage in vec(any::<(proptest::sample::Index, u8)>(), 0..4),
    ) {
        for start in [bytes, text.into_bytes()] {
            check_survives::<Measurement>(start.clone(), &damage);
            check_survives::<ResultRecord>(start, &damage);
        }
        for form in FORMS {
            let (measurements, results) = ([measurement.clone()], [result.clone()]);
            check_survives::<Measurement>(file(form, &measurements).into_bytes(), &damage);
            check_survives::<ResultRecord>(file(form, &results).into_bytes(), &damage);
        }
    }
}

/// The message for a file's only bad record; the good one after it is still read.
fn check<R: Writable>(bad: &str, good: &str, expected: &str) {
    let (mut records, cut_off) = read::<R>(format!("{bad}\n{good}\n").as_bytes());
    assert_eq!((records.len(), cut_off), (2, None), "{bad:?}");
    assert_eq!(records.remove(0).err().unwrap().to_string(), expected);
    assert!(records.remove(0).is_ok());
}

#[test]
fn malformed_measurements_are_told_with_line_and_column() {
    let check_line = |bad: &str, expected| check::<Measurement>(bad, "1,2,0,1,p/C.f()V,3,,0,", expected);
    check_line("x", "line 1, column 1: expected a number");
    check_line("1;2", "line 1, column 2: expected a comma and another field");
    check_line(
        "1,2,0,1,p/C.f,3,,0,",
        "line 1, column 9: no descriptor: write the parameter and return types, as in name(I)V",
    );
    check_line("5,4,0,1,p/C.f()V,3,,0,", "line 1, column 1: the call ends at 4 ns, before its start at 5 ns");
    check_line(
        "1,2,0,1,p/C.f()V,3,,0,,",
        "line 1, column 23: more fields than this version of spl knows: read the file with the spl that wrote it",
    );
    check_line("1,2,0,1,p/Č.f()V,3,,", "line 1, column 21: expected a number");
    check_line("1,2,0,1,p/C.f()V,3,,0", "line 1, column 22: expected a comma and another field");
    check_line(
        "1,2,0,1,p/C.f()V,x,,0,",
        "line 1, column 18: expected a workload size: a number, - or label:text",
    );
    check_line("1,2,0,1,p/C.f()V,3,,65536,", "line 1, column 21: the number is too large for its field");
    check_line("1,2,4294967296,1,p/C.f()V,3", "line 1, column 5: the number is too large for its field");
    check_line(
        "1,18446744073709551616,0,1,p/C.f()V,3",
        "line 1, column 3: the number is too large for its field",
    );
    check_line("1,2,0,1,p/\"C.f()V,3", "line 1, column 9: expected quotes around a field with quotes");
    check_line("1,2,0,1,p/C.f()V,\"a\nb\"c,,0,", "line 2, column 3: expected a comma and another field");
}

#[test]
fn what_is_malformed_stays_so_after_a_good_line() {
    let check_line = |bad: &str, expected| {
        for good in ["1,2,0,1,p/C.f()V,3,,0,", "1,2,0,1,p/C.f()V,3,,0,\"a,b\""] {
            let (records, _) = read::<Measurement>(format!("{good}\n{bad}\n{good}\n").as_bytes());
            assert!(records[0].is_ok() && records[2].is_ok() && records.len() == 3);
            assert_eq!(records[1].as_ref().unwrap_err().to_string(), expected);
        }
    };
    check_line(
        "1,2,0,1,p/C.f()V,3,,0,a,b",
        "line 2, column 24: more fields than this version of spl knows: read the file with the spl that wrote it",
    );
    check_line("1,2,0,,p/C.f()V,3,,0,", "line 2, column 7: expected a number");
    check_line("5,4,0,1,p/C.f()V,3,,0,", "line 2, column 1: the call ends at 4 ns, before its start at 5 ns");
    check_line(
        "18446744073709551616,18446744073709551617,0,1,p/C.f()V,3,,0,",
        "line 2, column 1: the number is too large for its field",
    );
}

#[test]
fn malformed_human_measurements_are_told_with_line_and_column() {
    let good = "took 1 ns | start 1 | end 2 | depth 0 | thread 1 | size 3 | method p/C.f()V";
    let check_line = |from: &str, to: &str, expected| {
        let bad = format!("# spl measurements 1\n{}", good.replacen(from, to, 1));
        check::<Measurement>(&bad, good, expected);
    };
    check_line("took 1 ns", "took 1 ms", "line 2, column 7: expected \" ns | start \"");
    check_line("took 1", "took 9", "line 2, column 1: the duration contradicts the rest of the record");
    check_line("depth 0", "depth -", "line 2, column 37: expected a number");
    check_line("size 3", "size label:x", "line 2, column 63: expected a text in quotes");
    check_line("method", "flags slow | method", "line 2, column 67: expected the name of a flag");
    check_line(
        "p/C.f",
        "p/C",
        "line 2, column 68: no method name: write class and method as in pkg/Class.name(I)V",
    );
}

#[test]
fn malformed_results_are_told_with_line_and_column() {
    let good = "A.f()V,<,1,1,B.f()V,not-evaluated,,1,-,,,,,,0,,1,1,,,,,,,,,,,,1,\
                no common bucket: the methods were never measured with similar workload sizes";
    let check_line =
        |from: &str, to: &str, expected| check::<ResultRecord>(&good.replacen(from, to, 1), good, expected);
    check_line("<", "<>", "line 1, column 8: expected a sign: <, <=, =, >= or >");
    check_line("not-evaluated", "maybe", "line 1, column 21: expected holds, fails or not-evaluated");
    check_line(
        ",1,-",
        ",2,-",
        "line 1, column 36: the smaller number of measurements contradicts the rest of the record",
    );
    check_line(
        "-,,",
        "5,,",
        "line 1, column 38: \"5\" is not a size interval: expected -, [low, high) or label:text",
    );
    check_line(",1,no", ",0,no", "line 1, column 63: expected a comparison's number, from 1");
    check_line(
        "no common",
        "no uncommon",
        "line 1, column 65: expected a reason that this version of spl knows",
    );
    check_line("<,1,1", "<,1,one", "line 1, column 12: expected a decimal number");
}

#[test]
fn malformed_human_results_are_told_with_line_and_column() {
    let good = "comparison 1: A.f()V < B.f()V\n  holds (proved), p-value 0.01\n  sizes -, lost samples 0\n  ratio -\n  \
                left: 2 measurements, mean 1 ns, median 1 ns, deviation 0 ns\n  \
                right: 2 measurements, mean 2 ns, median 2 ns, deviation 0 ns\n  \
                t 1, df 2, P(less) 0.1, P(greater) 0.9, P(different) 0.2";
    let check_line = |from: &str, to: &str, expected| {
        let bad = format!("# spl results 1\n{}", good.replacen(from, to, 1));
        check::<ResultRecord>(&bad, good, expected);
    };
    check_line("holds", "fails", "line 3, column 3: the result contradicts the rest of the record");
    check_line("1:", "0:", "line 2, column 12: expected a comparison's number, from 1");
    check_line("A.f()V", "A.f()", "line 2, column 15: expected a method: pkg/Class.name(I)V");
    check_line("< B", "~ B", "line 2, column 22: expected a sign: <, <=, =, >= or >");
    check_line("B.f", "(2) B.f", "line 2, column 26: expected \", \"");
    check_line(
        "proved",
        "shown",
        "line 3, column 10: expected a basis: proved, not-refuted, refuted or not-proved",
    );
    check_line("lost", "found", "line 4, column 10: expected \", lost samples \"");
    check_line("median 2", "median two", "line 7, column 44: expected a decimal number");
}

#[test]
fn other_files_and_later_versions_are_refused() {
    let check = |text: &str, expected: &str| {
        let (records, _) = read::<Measurement>(text.as_bytes());
        assert_eq!(records[0].as_ref().unwrap_err().to_string(), expected);
    };
    check("# spl results 1\n", "line 1, column 1: expected \"# spl measurements \"");
    check("# a note\n1,2\n", "line 1, column 1: expected \"# spl measurements \"");
    check(
        "# spl measurements 2\n",
        "line 1, column 20: version 2 of this form is not known, only 1: read the file with the spl that wrote it",
    );
}

#[test]
fn a_file_system_s_zeros_are_a_cut() {
    let (records, cut_off) = read::<Measurement>(b"1,2,0,1,p/C.f()V,3\n1,2,0,\0\0\0\0\0\0");
    assert_eq!(records.len(), 1);
    assert_eq!(cut_off.unwrap().to_string(), "line 2: the last record has no end and is not used (12 bytes)");
}
