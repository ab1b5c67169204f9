//! Rules for every text: nothing panics, and printed text is read back unchanged.

use proptest::prelude::*;
use spl_lang::{
    Comparison, KnownMetric, MeasuredMethod, MetricUnit, RunMode, Sign, Tasks, parse_file, parse_tasks,
};

const VALID: &str = "\u{feff}# comparisons\r\na/B.<init>(I[JLx/Y;)V, p.Size <= (1, 2.5) č/D$E.měř()Lx/Y; # why\r\n\r\n\
                     a/B.f()V = a/B.g(ZZ)[[D\r\na/B.f()V>a/B.h()V,p.Q\r\nlet get = java.util.ArrayList#get(int): List<E>\n\
                     p.C::new <= get\nassert \"a \\\" # b\": ! (2 * p99.9(get) < 1.5 * get & get <= 5 µs) | \
                     for size in [1 KiB, inf): get = p.C#f(int...) within 5% => median(get) > 1 s at 1% # t\n\
                     assert \"m\": metric(size.run, a.B#f*) <= 2 * metric(M9, get) & ! metric(a.b[3+], app) = 5% within 1%\n";

/// A table of metrics.
fn known() -> Vec<KnownMetric> {
    [("M9", "size.run.value", &[][..]), ("-", "a.b.bin", &["1", "3+"])]
        .map(|(id, name, keys)| KnownMetric {
            id: id.to_owned(),
            name: name.to_owned(),
            unit: MetricUnit::Count,
            keys: keys.iter().map(|&key| key.to_owned()).collect(),
        })
        .into()
}

/// Both modes, and every finding shown.
fn read(text: &str) {
    for mode in [RunMode::Comparison, RunMode::Measurement] {
        let tasks = parse_tasks(text, mode).map_or_else(|errors| errors, |tasks| tasks.warnings);
        let file = parse_file(text, mode).map_or_else(
            |errors| errors,
            |file| {
                let metrics = file.metric_claims(text, &known());
                let mut findings = metrics.map_or_else(|errors| errors, |claims| claims.warnings);
                let method = || "java/util/ArrayList.get(I)Ljava/util/List;".parse().expect("legal");
                findings.extend(
                    file.check(text, &mut |_| vec![method()])
                        .map_or_else(|errors| errors, |program| program.tasks.warnings),
                );
                findings
            },
        );
        for finding in tasks.into_iter().take(3).chain(file.into_iter().take(3)) {
            assert!(text.get(finding.span.start..finding.span.end).is_some(), "{finding:?}");
            assert!(!finding.render("instr.tasks", text).is_empty());
            assert!(!finding.render("other.tasks", "č").is_empty());
        }
    }
}

fn method() -> impl Strategy<Value = MeasuredMethod> {
    let class = "[a-c]/[A-C](\\$[A-Z])?";
    let name = "[a-eč]{1,2}|<init>";
    let descriptor = "\\((I|J|\\[D|Lx/Y;){0,3}\\)V";
    (class, name, descriptor).prop_map(|(class, name, descriptor)| MeasuredMethod {
        method: spl_model::MethodRef::new(&class, &name, &descriptor).expect("legal"),
        processor: None,
        line: 0,
    })
}

fn tasks() -> impl Strategy<Value = Tasks> {
    let methods = prop::collection::vec(method(), 1..6);
    let factor = prop_oneof![
        Just(1.0),
        1e-300..1e300_f64,
        any::<f64>().prop_filter("positive", |f| *f > 0.0 && f.is_finite())
    ];
    let pair = (any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let comparison = (pair, prop::sample::select(&Sign::ALL[..]), factor.clone(), factor);
    (methods, prop::collection::vec(comparison, 1..6)).prop_map(|(methods, comparisons)| {
        let comparisons =
            comparisons.into_iter().map(|((left, right), sign, left_factor, right_factor)| Comparison {
                left: left.index(methods.len()),
                right: right.index(methods.len()),
                sign,
                left_factor,
                right_factor,
                line: 0,
                member: None,
            });
        Tasks { comparisons: comparisons.collect(), methods, warnings: Vec::new() }
    })
}

proptest! {
    #[test]
    fn arbitrary_texts_do_no_harm(text in "\\PC*|[a-z/.()<>=,#\"$;\\[ILV \n\r0-9*&|!:%]{0,80}") {
        read(&text);
    }

    #[test]
    fn damaged_files_do_no_harm(cut in any::<prop::sample::Index>(), length in 0_usize..8, insert in "\\PC{0,4}") {
        let chars: Vec<char> = VALID.chars().collect();
        let start = cut.index(chars.len());
        let end = (start + length).min(chars.len());
        read(&chars[..start].iter().copied().chain(insert.chars()).chain(chars[end..].iter().copied()).collect::<String>());
    }

    #[test]
    fn printed_tasks_are_read_back(tasks in tasks()) {
        let text = tasks.to_string();
        let read = parse_tasks(&text, RunMode::Comparison).unwrap();
        prop_assert_eq!(read.to_string(), text);
        prop_assert_eq!(read.comparisons.len(), tasks.comparisons.len());
        for (got, expected) in read.comparisons.iter().zip(&tasks.comparisons) {
            let sides = |tasks: &Tasks, one: &Comparison| (tasks.methods[one.left].method.clone(), tasks.methods[one.right].method.clone());
            prop_assert_eq!(sides(&read, got), sides(&tasks, expected));
            prop_assert_eq!((got.sign, got.left_factor, got.right_factor), (expected.sign, expected.left_factor, expected.right_factor));
        }
    }
}
