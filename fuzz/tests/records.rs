//! Record files in both forms, and the state of a run.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use spl_fuzz::{Campaign, corpus, outcome};
use spl_model::{Bucket, Sample, Size};
use spl_records::{
    CutOff, Form, Measurement, MethodProgress, Reader, Record, ResultRecord, RunState, TasksHash,
};
use spl_verdict::{Basis, Evaluation, NotEvaluated, Ratio, Side, Verdict, Welch};
use std::fmt::Write;
use std::mem::discriminant;

const WORDS: [&[u8]; 16] = [
    b",",
    b"\"",
    b"\"\"",
    b"\n",
    b"\r\n",
    b"#",
    b" | ",
    b"  ",
    b"NaN",
    b"-inf",
    b"1e999",
    b"\\",
    b"\\u{",
    b"\xef\xbb\xbf",
    b"\xff",
    b"p/C.f(I)V",
];

#[test]
fn no_file_harms_its_reader() {
    let campaign = Campaign {
        name: "records",
        seeds: [corpus("records"), seeds()].concat(),
        words: &WORDS,
        mutations: 4,
        max_bytes: 4096,
        iterations: 15_000,
        failures: env!("CARGO_TARGET_TMPDIR").into(),
    };
    campaign.run(|bytes, _| {
        let state = std::str::from_utf8(bytes).ok().map(check_state);
        outcome((check::<Measurement>(bytes), check::<ResultRecord>(bytes), state))
    });
}

/// Records that are written and read through the same calls.
trait Written: Record {
    fn text(&self, form: Form) -> String;
}

impl Written for Measurement {
    fn text(&self, form: Form) -> String {
        let mut text = Self::header(form).to_owned();
        self.write(form, &mut text).unwrap();
        text
    }
}

impl Written for ResultRecord {
    fn text(&self, form: Form) -> String {
        let mut text = Self::header(form).to_owned();
        self.write(form, &mut text).unwrap();
        text
    }
}

/// The content of a file: records, the kinds of its errors, and the remains of a crash.
type Content<R> = (Vec<R>, Vec<u64>, Option<CutOff>);

fn read<R: Record>(bytes: &[u8]) -> Option<Content<R>> {
    let mut reader = Reader::<R>::new(bytes).ok()?;
    let (mut records, mut errors) = (Vec::new(), Vec::new());
    for record in reader.by_ref() {
        match record {
            Ok(record) => records.push(record),
            Err(error) => {
                assert!(error.line >= 1 && error.column >= 1, "{error}");
                errors.push(outcome(discriminant(&error.problem)));
            }
        }
        assert!(records.len() + errors.len() <= bytes.len(), "each record has at least one byte");
    }
    assert!(reader.next().is_none());
    Some((records, errors, reader.cut_off()))
}

fn check<R: Written>(bytes: &[u8]) -> u64 {
    let Some((records, errors, cut_off)) = read::<R>(bytes) else { return 0 };
    let texts = |records: &[R]| records.iter().map(|record| record.text(Form::Comma)).collect::<Vec<_>>();
    for (record, form) in records.iter().flat_map(|record| [(record, Form::Comma), (record, Form::Human)]) {
        let text = record.text(form);
        let (again, errors, cut_off) = read::<R>(text.as_bytes()).unwrap();
        assert!(errors.is_empty() && cut_off.is_none(), "{text:?}");
        assert_eq!(again.iter().map(|record| record.text(form)).collect::<Vec<_>>(), [text]);
    }
    if let Some(cut) = cut_off {
        assert_eq!(cut.offset + cut.bytes, bytes.len());
        let (rest, _, none) = read::<R>(&bytes[..cut.offset]).unwrap();
        // If the file is damaged elsewhere too, an unclosed quote may merge several records.
        if errors.is_empty() {
            assert!(none.is_none(), "cutting off what a crash left leaves whole records: {cut:?} {none:?}");
            assert_eq!(texts(&rest), texts(&records));
        }
    }
    let first_errors = &errors[..errors.len().min(4)];
    outcome((records.len().min(4), first_errors, cut_off.is_some()))
}

fn check_state(text: &str) -> u64 {
    match RunState::from_json(text) {
        Ok(state) => {
            assert_eq!(RunState::from_json(&state.to_json()).unwrap(), state);
            outcome((state.methods.len(), state.decided.len(), state.finished))
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            outcome(discriminant(&error))
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let mut files = vec![state().to_json()];
    for form in [Form::Comma, Form::Human] {
        let mut text = Measurement::header(form).to_owned();
        measurements().iter().for_each(|record| record.write(form, &mut text).unwrap());
        files.push(text);
        let mut text = ResultRecord::header(form).to_owned();
        results().iter().for_each(|record| record.write(form, &mut text).unwrap());
        writeln!(text).unwrap();
        files.push(text);
    }
    files.into_iter().map(String::into_bytes).collect()
}

fn measurements() -> Vec<Measurement> {
    let sizes = [Size::Unchecked, Size::Value(1024), Size::Label("a, \"b\"\n|".to_owned())];
    let measurement = |(size, window)| {
        let mut sample = Sample::new(5_000_000_000, 5_000_000_400).unwrap();
        sample.thread = 7;
        sample.size = size;
        sample.window = window;
        let method = "p/C$D.f(I[JLjava/util/List;)V".parse().unwrap();
        Measurement { method: std::sync::Arc::new(method), sample, origin: "4711".into() }
    };
    sizes.into_iter().zip([None, Some(3), Some(u64::MAX)]).map(measurement).collect()
}

fn results() -> Vec<ResultRecord> {
    let side = |n| Side { factor: 1.0, n, mean_ns: 1500.25, median_ns: 1400.0, sd_ns: 0.1 };
    let verdict = Verdict {
        holds: true,
        basis: Basis::Proved,
        p_value: 0.012_345,
        ratio: Some(Ratio { value: 0.5, low: 0.4, high: f64::INFINITY, confidence: 0.95 }),
        left: side(50),
        right: side(60),
        welch: Welch { t: -2.5, df: 97.3, p_less: 0.01, p_greater: 0.99, p_two: 0.02 },
    };
    let verdicts = [
        (Bucket::All, Ok(verdict)),
        (Bucket::Range { low: 100, high: Some(200) }, Err(NotEvaluated::TooFewSamples { left: 1, right: 9 })),
        (
            Bucket::Label("x|y".to_owned()),
            Err(NotEvaluated::NotMeasured("the class, \"C\", is own".to_owned())),
        ),
    ];
    let record = |(comparison, (bucket, verdict))| ResultRecord {
        left: "p/C.f(I)V".parse().unwrap(),
        sign: spl_model::Sign::LessOrEqual,
        left_factor: 1.0,
        right_factor: 1.0,
        right: "p/C.<init>()V".parse().unwrap(),
        evaluation: Evaluation {
            comparison,
            bucket,
            verdict,
            leftover: false,
            n_left: 50,
            n_right: 60,
            drops: 2,
            so_far: None,
        },
    };
    verdicts.into_iter().enumerate().map(record).collect()
}

fn state() -> RunState {
    let progress =
        |method: &str| MethodProgress { method: method.parse().unwrap(), measurements: 120, finished: false };
    RunState {
        tasks: TasksHash::of("tasks"),
        methods: vec![progress("p/C.f(I)V"), progress("p/C.<init>()V")],
        decided: vec![spl_model::ClaimIx(0), spl_model::ClaimIx(2)],
        finished: false,
    }
}
