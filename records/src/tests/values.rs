//! Arbitrary records: every legal method, every double, every text.

use crate::{Measurement, ResultRecord};
use proptest::option;
use proptest::prelude::*;
use spl_model::{Bucket, MethodRef, Sample, SampleFlags, Size};
use spl_verdict::{Basis, Evaluation, NotEvaluated, Ratio, Side, Verdict, Welch};
use std::sync::Arc;

/// Names of any characters that a method may have, often those with a meaning in a file.
pub(super) fn method() -> impl Strategy<Value = MethodRef> {
    let class = "([,\"# <=>|:'\u{feff}\u{2028}]|[^.;\\[/()\\p{Cc}]){1,6}";
    let name = prop_oneof![
        "([,\"# =|:\u{feff}]|[^.;\\[/<>()\\p{Cc}]){1,6}",
        Just("<init>".to_owned()),
        Just("<clinit>".to_owned())
    ];
    let result = prop_oneof![
        Just("V".to_owned()),
        Just("[[J".to_owned()),
        class.prop_map(|class| format!("L{class};")),
        class.prop_map(|class| format!("[L{class};"))
    ];
    (class, class, name, class, result).prop_map(|(package, class, name, parameter, result)| {
        let descriptor = format!("(IL{parameter};){result}");
        MethodRef::new(&format!("{package}/{class}"), &name, &descriptor).unwrap()
    })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[,\"\\\\\r\n |#:a]{0,8}"]
}

pub(super) fn measurement() -> impl Strategy<Value = Measurement> {
    let size =
        prop_oneof![Just(Size::Unchecked), any::<u64>().prop_map(Size::Value), text().prop_map(Size::Label)];
    let flags = prop_oneof![0_u16..32, any::<u16>()];
    let sample = (any::<(u64, u64)>(), option::of(any::<u32>()), any::<u64>(), size, flags);
    (method(), sample, option::of(any::<u64>()), prop_oneof![Just(String::new()), text()]).prop_map(
        |(method, ((a, b), depth, thread, size, flags), window, origin)| {
            let mut sample = Sample::new(a.min(b), a.max(b)).unwrap();
            sample.depth = depth;
            sample.thread = thread;
            sample.size = size;
            sample.flags = SampleFlags(flags);
            sample.window = window;
            Measurement { method: Arc::new(method), sample, origin: origin.into() }
        },
    )
}

/// Every bit pattern that is a number or infinite. NaN is left out because it doesn't equal itself.
pub(super) fn double() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("NaN", |value| !value.is_nan())
}

fn ratio() -> impl Strategy<Value = Ratio> {
    [double(), double(), double(), double()].prop_map(|[value, low, high, confidence]| Ratio {
        value,
        low,
        high,
        confidence,
    })
}

fn verdict(factors: (f64, f64), counts: (u64, u64)) -> impl Strategy<Value = Verdict> {
    let side = |factor, n| {
        [double(), double(), double()].prop_map(move |[mean_ns, median_ns, sd_ns]| Side {
            factor,
            n,
            mean_ns,
            median_ns,
            sd_ns,
        })
    };
    let welch = [double(), double(), double(), double(), double()]
        .prop_map(|[t, df, p_less, p_greater, p_two]| Welch { t, df, p_less, p_greater, p_two });
    let basis = proptest::sample::select(Basis::ALL.to_vec());
    let sides = (side(factors.0, counts.0), side(factors.1, counts.1));
    (basis, double(), option::of(ratio()), sides, welch).prop_map(
        |(basis, p_value, ratio, (left, right), welch)| Verdict {
            holds: basis.holds(),
            basis,
            p_value,
            ratio,
            left,
            right,
            welch,
        },
    )
}

fn reason() -> impl Strategy<Value = NotEvaluated> {
    prop_oneof![
        any::<(u64, u64)>().prop_map(|(left, right)| NotEvaluated::TooFewSamples { left, right }),
        Just(NotEvaluated::NoCommonBucket),
        Just(NotEvaluated::OutOfRange),
        Just(NotEvaluated::BadLimit),
        text().prop_map(NotEvaluated::NotMeasured),
        text().prop_map(NotEvaluated::Lacking),
    ]
}

pub(super) fn result() -> impl Strategy<Value = ResultRecord> {
    let bucket = prop_oneof![
        Just(Bucket::All),
        any::<(u64, Option<u64>)>().prop_map(|(low, high)| Bucket::Range { low, high }),
        text().prop_map(Bucket::Label)
    ];
    let sign = proptest::sample::select(&spl_model::Sign::ALL[..]);
    let factors = prop_oneof![Just((1.0, 1.0)), (double(), double())];
    let about = (any::<u32>(), any::<bool>(), any::<u64>(), any::<(u64, u64)>(), factors, bucket);
    (method(), sign, method(), about).prop_flat_map(|(left, sign, right, about)| {
        let (comparison, leftover, drops, counts, factors, bucket) = about;
        let verdict = prop_oneof![
            3 => verdict(factors, counts).prop_map(|verdict| (Ok(verdict), None)),
            1 => (reason().prop_map(Err), option::of(ratio())),
        ];
        verdict.prop_map(move |(verdict, so_far)| ResultRecord {
            left: left.clone(),
            sign,
            left_factor: factors.0,
            right_factor: factors.1,
            right: right.clone(),
            evaluation: Evaluation {
                comparison: comparison as usize,
                bucket: bucket.clone(),
                verdict,
                leftover,
                n_left: counts.0,
                n_right: counts.1,
                drops,
                so_far,
            },
        })
    })
}
