//! Specifications of events: what is read is printed as the same, and what it means does not change by that.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use spl_analysis::sj;
use spl_fuzz::{Campaign, corpus, outcome};
use spl_lang::Diagnostic;

const WORDS: [&[u8]; 28] = [
    b"default ",
    b"event ",
    b"{",
    b"}",
    b":",
    b";",
    b"*",
    b"**",
    b"# ",
    b"//",
    b"/*",
    b"*/",
    b"\n",
    b"\r\n",
    b"yes",
    b"off",
    b"Method*",
    b"MethodEntry2",
    b"ObjectAlloc",
    b"JNI*",
    b"recorded: yes;",
    b"counted: on;",
    b"env_id",
    b"receiver_class",
    b"obj_id",
    b"\xc4\x8d",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
];

const SEEDS: [&str; 7] = [
    include_str!("../../analysis/tests/sj/classic.sj"),
    include_str!("../../analysis/tests/sj/trace.sj"),
    include_str!("../../analysis/tests/sj/counts.sj"),
    include_str!("../../analysis/tests/sj/dropped.sj"),
    include_str!("../../analysis/tests/sj/two-drills.sj"),
    include_str!("../../analysis/tests/sj/wrong-names.sj"),
    include_str!("../../analysis/tests/sj/wrong-text.sj"),
];

#[test]
fn no_specification_harms_its_reader() {
    let campaign = Campaign {
        name: "specs",
        seeds: corpus("specs").into_iter().chain(SEEDS.map(|text| text.as_bytes().to_vec())).collect(),
        words: &WORDS,
        mutations: 4,
        max_bytes: 2048,
        iterations: 2_000,
        failures: env!("CARGO_TARGET_TMPDIR").into(),
    };
    campaign.run(|bytes, _| check(&String::from_utf8_lossy(bytes)));
}

fn check(text: &str) -> u64 {
    let tree = match sj::parse(text) {
        Ok(tree) => tree,
        Err(errors) => return check_findings(&errors, text),
    };
    let printed = tree.to_string();
    assert_eq!(sj::parse(&printed).as_ref(), Ok(&tree), "{printed:?} of {text:?}");
    let expansion = match sj::expand(text, &tree) {
        Ok(expansion) => expansion,
        Err(errors) => return check_findings(&errors, text),
    };
    let expanded = expansion.interest.to_string();
    let again = sj::expand(&expanded, &sj::parse(&expanded).unwrap()).unwrap();
    assert_eq!(again.interest, expansion.interest, "{expanded} of {text:?}");
    assert!(again.warnings.is_empty(), "{expanded}");
    let warned = check_findings(&expansion.warnings, text);
    let planned = sj::plan(text, &expansion);
    let told = match &planned {
        Ok(plan) => check_findings(&plan.warnings, text),
        Err(found) => check_findings(found, text),
    };
    // The printed one takes the same drill.
    let replanned = sj::plan(&expanded, &again).map(|plan| plan.kind).ok();
    assert_eq!(replanned, planned.as_ref().map(|plan| plan.kind).ok(), "{expanded} of {text:?}");
    outcome((warned, told, planned.is_ok()))
}

/// Findings lie within the text and can be displayed. Returns a hash of the first few, without the text's own words.
fn check_findings(findings: &[Diagnostic], text: &str) -> u64 {
    for finding in findings {
        assert!(text.get(finding.span.start..finding.span.end).is_some(), "{finding:?}");
        assert!(finding.line >= 1 && finding.column >= 1, "{finding:?}");
    }
    for finding in findings.iter().take(2) {
        assert!(!finding.render("some.sj", text).is_empty());
    }
    let says =
        |finding: &Diagnostic| outcome((finding.severity, finding.help.is_some(), finding.related.len()));
    outcome(findings.iter().take(3).map(says).collect::<Vec<_>>())
}
