//! Task files: the thesis's form, and the full language.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use spl_fuzz::{Campaign, corpus, outcome};
use spl_lang::ast::{MethodPattern, MethodTerm};
use spl_lang::{Diagnostic, KnownMetric, MetricUnit, RunMode, format, parse_file, parse_tasks, read_file};

const WORDS: [&[u8]; 44] = [
    b" <= ",
    b" >= ",
    b"<",
    b">",
    b"=",
    b"(1, 2)",
    b"(0, -1)",
    b"1e309",
    b"# ",
    b"\n",
    b"\r\n",
    b"\t",
    b", p.Size",
    b"()V",
    b"(I[[J)Lx/Y;",
    b"<init>",
    b"let ",
    b"assert \"",
    b"\"",
    b"for size in [1 KiB, inf): ",
    b"within 5%",
    b" at 1%",
    b" => ",
    b" & ",
    b" | ",
    b"!",
    b"(",
    b")",
    b"p99.9(",
    b"median(",
    b"mean(",
    b"metric(",
    b"metric(size.run, app)",
    b"[3+]",
    b"5%",
    b"::new",
    b"#get(int...)",
    b".**.*",
    b"{a, b}",
    b" * ",
    b" us",
    b"\xc4\x8d",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
];

const SEEDS: [&str; 6] = [
    include_str!("../../tasks/rome.tasks"),
    include_str!("../../tasks/rome-readable.tasks"),
    include_str!("../../tasks/sorting.tasks"),
    "java/util/ArrayList.get(I)Ljava/lang/Object;, p.Size\nx/A$B.<init>(I[JLx/Y;)V # why\n",
    "let get = java.util.ArrayList#get(int)\np.C::new <= (1, 2.5) get\np.C.f() = get within 5%\n\
     assert \"a \\\" # b\": !(2 * p99.9(get) < 1.5 * get & get <= 5 us) | \
     for size in [1 KiB, inf): get = p.C#f(int...) => median(get) > 1 s at 1%\n",
    "let f = p.C#f\nmetric(size.run, p.C) <= 1.5 * metric(M9, f)\n\
     assert \"m\": !(metric(size.hot.percentile, p.**) >= 5% | metric(a.b[3+], p/C.f(I[J)V) = 0 within 2%)\n",
];

#[test]
fn no_text_harms_the_parser() {
    let campaign = Campaign {
        name: "language",
        seeds: corpus("language").into_iter().chain(SEEDS.map(|text| text.as_bytes().to_vec())).collect(),
        words: &WORDS,
        mutations: 4,
        max_bytes: 1024,
        iterations: 500,
        failures: env!("CARGO_TARGET_TMPDIR").into(),
    };
    campaign.run(|bytes, _| {
        let text = String::from_utf8_lossy(bytes);
        let guessed = RunMode::of(&text);
        outcome((guessed, [RunMode::Comparison, RunMode::Measurement].map(|mode| check(&text, mode))))
    });
}

fn check(text: &str, mode: RunMode) -> u64 {
    let tasks = parse_tasks(text, mode);
    let found = match &tasks {
        Ok(tasks) => {
            let printed = tasks.to_string();
            let again =
                parse_tasks(&printed, mode).unwrap_or_else(|errors| panic!("{printed:?}: {errors:?}"));
            assert_eq!(again.to_string(), printed);
            check_findings(&tasks.warnings, text)
        }
        Err(errors) => check_findings(errors, text),
    };
    let file = match parse_file(text, mode) {
        Ok(file) => {
            let method = || "java/util/ArrayList.get(I)Ljava/lang/Object;".parse().unwrap();
            let program = file.check(text, &mut |_| vec![method()]);
            let findings = program.as_ref().map_or_else(|errors| errors, |program| &program.tasks.warnings);
            let metrics = file.metric_claims(text, &known());
            let of_metrics = metrics.as_ref().map_or_else(|errors| errors, |claims| &claims.warnings);
            let checked = (check_findings(findings, text), check_findings(of_metrics, text));
            outcome((program.is_ok(), metrics.is_ok(), checked))
        }
        Err(errors) => check_findings(&errors, text),
    };
    check_tree(text, mode);
    if let Ok(formatted) = format(text, mode) {
        assert_eq!(format(&formatted, mode).as_deref(), Ok(&formatted[..]), "of {text:?}");
        let again = parse_tasks(&formatted, mode).map(|tasks| tasks.to_string());
        assert_eq!(again.ok(), tasks.as_ref().ok().map(ToString::to_string), "{formatted:?} of {text:?}");
    }
    outcome((tasks.is_ok(), found, file))
}

/// A table of metrics.
fn known() -> Vec<KnownMetric> {
    [("M9", "size.run.value", &[][..]), ("M11", "size.hot.percentile", &[]), ("-", "a.b.bin", &["1", "3+"])]
        .map(|(id, name, keys)| KnownMetric {
            id: id.to_owned(),
            name: name.to_owned(),
            unit: if name.ends_with("percentile") { MetricUnit::Percent } else { MetricUnit::Count },
            keys: keys.iter().map(|&key| key.to_owned()).collect(),
        })
        .into()
}

/// A parsed file is printed as text that parses to the same tree, and the pattern of an exact method matches
/// that method.
fn check_tree(text: &str, mode: RunMode) {
    let (file, _) = read_file(text, mode);
    let printed: String = file.statements.iter().map(|statement| std::format!("{statement}\n")).collect();
    let (again, _) = read_file(&printed, mode);
    assert_eq!(again.statements, file.statements, "{printed:?} of {text:?}");
    for mention in file.mentions(text) {
        assert!(text.get(mention.span.start..mention.span.end).is_some(), "{mention:?}");
        if let MethodTerm::Exact(method) = &mention.method {
            let pattern = MethodPattern::of(method);
            assert!(pattern.is_none_or(|pattern| pattern.matches(method)), "{method}");
        }
    }
}

/// Findings lie within the text and can be displayed. Returns a hash of the first few, without the text's own
/// words.
fn check_findings(findings: &[Diagnostic], text: &str) -> u64 {
    for finding in findings {
        assert!(text.get(finding.span.start..finding.span.end).is_some(), "{finding:?}");
        assert!(finding.line >= 1 && finding.column >= 1, "{finding:?}");
    }
    for finding in findings.iter().take(2) {
        assert!(!finding.render("instr.tasks", text).is_empty());
    }
    let says =
        |finding: &Diagnostic| outcome((finding.severity, finding.label.len(), finding.help.is_some()));
    outcome(findings.iter().take(2).map(says).collect::<Vec<_>>())
}
