//! Result files: exact content, exact reading.

use super::values::{double, result};
use super::{FORMS, file, read_whole};
use crate::{Form, ResultRecord};
use proptest::collection::vec;
use proptest::prelude::*;
use spl_model::Bucket;
use spl_verdict::{Basis, Evaluation, NotEvaluated, Ratio, Side, Verdict, Welch};

fn judged() -> ResultRecord {
    let side = |factor, n, mean_ns| Side { factor, n, mean_ns, median_ns: 1e-7, sd_ns: 2.5e300 };
    let verdict = Verdict {
        holds: true,
        basis: Basis::NotRefuted,
        p_value: 0.31,
        ratio: Some(Ratio { value: 0.98, low: 0.95, high: 1.01, confidence: 0.95 }),
        left: side(2.0, 50, 240.5),
        right: side(1.0, 60, 245.0),
        welch: Welch { t: -0.5, df: 97.25, p_less: 0.31, p_greater: 0.69, p_two: 0.62 },
    };
    ResultRecord {
        left: "p/A.f(I)V".parse().unwrap(),
        sign: spl_model::Sign::LessOrEqual,
        left_factor: 2.0,
        right_factor: 1.0,
        right: "p/B,C.g()V".parse().unwrap(),
        evaluation: Evaluation {
            comparison: 0,
            bucket: Bucket::Range { low: 0, high: Some(100) },
            verdict: Ok(verdict),
            leftover: true,
            n_left: 50,
            n_right: 60,
            drops: 7,
            so_far: None,
        },
    }
}

fn unjudged() -> ResultRecord {
    let evaluation = Evaluation {
        comparison: 1,
        bucket: Bucket::Label("a \"b\"".into()),
        verdict: Err(NotEvaluated::TooFewSamples { left: 50, right: 1 }),
        leftover: false,
        n_left: 50,
        n_right: 1,
        drops: 0,
        so_far: None,
    };
    ResultRecord { left_factor: 1.0, evaluation, ..judged() }
}

/// Compared, and undecided.
fn open() -> ResultRecord {
    let mut record = unjudged();
    record.evaluation.verdict = Err(NotEvaluated::Undecided { windows: 70 });
    record.evaluation.so_far = Some(Ratio { value: 0.98, low: 0.95, high: 1.01, confidence: 0.9 });
    record
}

fn check(form: Form, record: &ResultRecord, expected: &str) {
    let text = file(form, std::slice::from_ref(record));
    assert_eq!(text.strip_prefix(ResultRecord::header(form)), Some(expected));
    assert_eq!(read_whole::<ResultRecord>(text.as_bytes()), std::slice::from_ref(record));
}

#[test]
fn the_comma_form_begins_as_the_thesis_has_it() {
    check(
        Form::Comma,
        &judged(),
        "p/A.f(I)V,<=,2,1,\"p/B,C.g()V\",holds,0.31,50,\"[0, 100)\",not-refuted,0.98,0.95,1.01,0.95,7,leftover,\
         50,60,240.5,245,1e-7,1e-7,2.5e300,2.5e300,-0.5,97.25,0.31,0.69,0.62,1,\n",
    );
    check(
        Form::Comma,
        &unjudged(),
        "p/A.f(I)V,<=,1,1,\"p/B,C.g()V\",not-evaluated,,1,\"label:a \"\"b\"\"\",,,,,,0,,50,1,,,,,,,,,,,,2,\
         \"too few samples: 50 left and 1 right, at least 2 a side are needed\"\n",
    );
    check(
        Form::Comma,
        &open(),
        "p/A.f(I)V,<=,1,1,\"p/B,C.g()V\",not-evaluated,,1,\"label:a \"\"b\"\"\",,0.98,0.95,1.01,0.9,0,,50,1,,,,,,,,,,,,2,\
         undecided: the evidence of 70 windows does not suffice either way\n",
    );
}

#[test]
fn the_human_form_is_read_at_a_glance() {
    assert!(ResultRecord::header(Form::Human).starts_with("# spl results 1\n"));
    check(
        Form::Human,
        &judged(),
        "\ncomparison 1: p/A.f(I)V <= (2, 1) p/B,C.g()V\n  holds (not-refuted), p-value 0.31\n  \
         sizes [0, 100), leftover, lost samples 7\n  ratio 0.98, from 0.95 to 1.01 with confidence 0.95\n  \
         left: 50 measurements, mean 240.5 ns, median 1e-7 ns, deviation 2.5e300 ns\n  \
         right: 60 measurements, mean 245 ns, median 1e-7 ns, deviation 2.5e300 ns\n  \
         t -0.5, df 97.25, P(less) 0.31, P(greater) 0.69, P(different) 0.62\n",
    );
    check(
        Form::Human,
        &unjudged(),
        "\ncomparison 2: p/A.f(I)V <= p/B,C.g()V\n  \
         not evaluated: \"too few samples: 50 left and 1 right, at least 2 a side are needed\"\n  \
         sizes label:\"a \\\"b\\\"\", lost samples 0\n  left: 50 measurements\n  right: 1 measurements\n",
    );
    check(
        Form::Human,
        &open(),
        "\ncomparison 2: p/A.f(I)V <= p/B,C.g()V\n  \
         not evaluated: \"undecided: the evidence of 70 windows does not suffice either way\"\n  \
         sizes label:\"a \\\"b\\\"\", lost samples 0\n  ratio 0.98, from 0.95 to 1.01 with confidence 0.9\n  \
         left: 50 measurements\n  right: 1 measurements\n",
    );
}

/// Both variances 0: the test's figures are then not numbers, or infinite.
#[test]
fn figures_that_are_no_numbers_are_read_back() {
    let mut record = judged();
    let welch = Welch { t: f64::NEG_INFINITY, df: f64::NAN, p_less: 0.0, p_greater: 1.0, p_two: -0.0 };
    if let Ok(verdict) = &mut record.evaluation.verdict {
        verdict.welch = welch;
        verdict.ratio = None;
    }
    for form in FORMS {
        let text = file(form, std::slice::from_ref(&record)).replace('\n', "\r\n");
        let [back] = read_whole::<ResultRecord>(text.as_bytes()).try_into().unwrap();
        assert_eq!(format!("{back:?}"), format!("{record:?}"));
    }
}

/// In the comma form a class name is the first thing in a file, and may look like a header or a byte order
/// mark.
#[test]
fn class_names_are_not_taken_for_something_else() {
    for class in ["#", "# spl results 1", "\u{feff}", "\"", " "] {
        let left = spl_model::MethodRef::new(class, "f", "()V").unwrap();
        let record = ResultRecord { left, ..judged() };
        for form in FORMS {
            let text = file(form, std::slice::from_ref(&record));
            assert_eq!(read_whole::<ResultRecord>(text.as_bytes()), std::slice::from_ref(&record));
        }
    }
}

proptest! {
    #[test]
    fn every_result_is_read_back(records in vec(result(), 0..4)) {
        for form in FORMS {
            prop_assert_eq!(&read_whole::<ResultRecord>(file(form, &records).as_bytes()), &records);
        }
    }

    #[test]
    fn every_double_is_read_back_bit_by_bit(value in double()) {
        let record = ResultRecord { left_factor: value, ..unjudged() };
        for form in FORMS {
            let [back] = read_whole::<ResultRecord>(file(form, std::slice::from_ref(&record)).as_bytes())
                .try_into()
                .unwrap();
            prop_assert_eq!(back.left_factor.to_bits(), value.to_bits());
        }
    }

    /// Another implementation of RFC 4180 finds the same fields.
    #[test]
    fn other_csv_readers_agree(record in result()) {
        let text = file(Form::Comma, std::slice::from_ref(&record));
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let row = reader.records().next().unwrap().unwrap();
        prop_assert_eq!(row.len(), 31);
        prop_assert_eq!(&row[0], record.left.to_string());
        prop_assert_eq!(&row[8], record.evaluation.bucket.to_string());
    }
}
