//! The whole page: its content, the escaping of a program's texts, and its bounded size.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use spl_lang::Sign;
use spl_model::{Bucket, EndedBy, Lack, Sample, SampleFlags, Scale, Size};
use spl_records::context::{
    Asked, Asserting, Counts, End, Measured, MethodFacts, Operand, Relating, Setting,
};
use spl_records::{AssertionRecord, Context, InstancesFile, OfClaim, OfInstance, Why, WhyFile};
use spl_report::{
    Calls, Decisions, Facts, Reasons, SHOWN, Step, html, shown, shown_assertions, shown_methods,
};
use spl_verdict::{Asserted, Evaluation, Evidence, Judged, NotEvaluated, Part, Ratio, Truth, evaluate};
use std::collections::BTreeMap;

/// Samples of each side.
const SAMPLES: u64 = 60;

fn method(name: &str) -> MethodFacts {
    MethodFacts {
        method: name.to_owned(),
        remark: None,
        lack: None,
        counts: Some(Counts { kept: SAMPLES, ..Counts::default() }),
    }
}

/// Sixty calls around a middle, the first three of them warm-up, one in a garbage collection.
fn calls(middle: u64, scale: Option<Scale>, in_full: bool) -> Calls {
    let mut calls = Calls::default();
    for index in 0..SAMPLES + 3 {
        let took = middle * (90 + index * index * 7919 % 21) / 100;
        let mut sample = Sample::new(1_000_000 * index, 1_000_000 * index + took).unwrap();
        sample.size = Size::Value(10);
        sample.window = Some(index / 10 + 1);
        sample.flags = match index {
            0..3 => SampleFlags::DISCARDED.with(SampleFlags::WARM_UP),
            20 => SampleFlags::GC,
            _ => SampleFlags::default(),
        };
        calls.add(&sample, scale, in_full);
    }
    calls
}

fn asked(left: usize, right: usize, right_factor: f64) -> Asked {
    Asked { line: 1 + left, left, sign: Sign::LessOrEqual, left_factor: 1.0, right_factor, right }
}

/// A run of one comparison for each factor, of two methods each, in which the left one takes 1000 ns, the
/// right one 800.
fn run(factors: &[f64]) -> Facts {
    let scale = Scale::linear(100).unwrap();
    let mut context = Context {
        spl: "0.0.0".to_owned(),
        tasks_file: "tasks/my.tasks".to_owned(),
        began_unix_ms: 1_767_225_599_000,
        programs: vec![Measured {
            instance: "host".to_owned(),
            pid: 7,
            java: "17.0.1".to_owned(),
            command: "p.Main".to_owned(),
            probe_cost_ps: Some(40_000),
            probe_empty_ps: Some(25_000),
        }],
        min_samples: 50,
        max_samples: 100,
        limit_p: 0.05,
        scale: Some(scale),
        settings: vec![
            Setting {
                section: "scheduler".into(),
                key: "window".into(),
                value: "20".into(),
                default: "100".into(),
            },
            Setting {
                section: "scheduler".into(),
                key: "policy".into(),
                value: "delay".into(),
                default: "delay".into(),
            },
        ],
        end: Some(End { lasted_ns: 5_000_000_000, changes: 2, changes_ns: 3_000_000, ..End::default() }),
        ..Context::default()
    };
    let mut results = Vec::new();
    for (index, factor) in factors.iter().enumerate() {
        context
            .methods
            .extend([method(&format!("p/C{index}.left()V")), method(&format!("p/C{index}.right()V"))]);
        context.comparisons.push(asked(2 * index, 2 * index + 1, *factor));
    }
    let [left, right] = [1000, 800].map(|middle| calls(middle, Some(scale), false).kept_ns);
    for (comparison, factor) in factors.iter().enumerate() {
        results.push(Evaluation {
            comparison,
            bucket: Bucket::Range { low: 0, high: Some(100) },
            verdict: evaluate(Sign::LessOrEqual, 1.0, *factor, &left, &right, 0.05),
            leftover: false,
            n_left: SAMPLES,
            n_right: SAMPLES,
            drops: 0,
            so_far: None,
        });
    }
    let in_full = shown_methods(&context, &shown(&context, &results), &[]);
    let middle = |index| if index % 2 == 0 { 1000 } else { 800 };
    let methods =
        (0..context.methods.len()).map(|index| calls(middle(index), Some(scale), in_full.contains(&index)));
    let methods = methods.collect();
    let mut decisions = Decisions::default();
    decisions.add("measure", Step { at_ns: 1_000_000, measured: 1, optimal: 1, unfinished: 2 });
    decisions.add("finish", Step { at_ns: 9_000_000, measured: 0, optimal: 1, unfinished: 0 });
    let (assertions, missing, instances, why) = (Vec::new(), BTreeMap::new(), None, Reasons::default());
    Facts { context, results, assertions, methods, missing, instances, why, decisions }
}

fn has(page: &str, text: &str) {
    let found = page.contains(text) || page.replace('\u{202f}', " ").contains(text);
    assert!(found, "the page does not say {text:?}");
}

#[test]
fn instances_that_differ_are_named_and_one_alone_is_said_to_be_one() {
    let one = |name: &str, ratio: f64, odd_speed| OfInstance {
        name: name.to_owned(),
        windows: 12,
        ratio,
        low: Some(ratio * 0.9),
        high: None,
        left_ns: 1000.0,
        right_ns: 800.0,
        odd_ratio: None,
        odd_speed,
    };
    let sentence = "web-2:8 is slower than the other instances: its calls take 2.1 times as long";
    let claim = OfClaim {
        number: 1,
        text: "f <= g".to_owned(),
        between: Some(0.0004),
        spread: Some(0.02),
        instances: vec![one("web-1:7", 1.25, None), one("web-2:8", 1.31, Some(2.1))],
        odd: vec![sentence.to_owned()],
    };
    let names = ["web-1:7", "web-2:8"].map(str::to_owned);
    let file = |instances: &[String], claims| InstancesFile { instances: instances.to_vec(), claims };
    let mut facts = run(&[2.0]);
    let without = html(&facts);
    assert!(!without.contains("id=\"instances\""), "one program after the other has no instances");
    facts.instances = Some(file(&names, vec![claim]));
    let page = html(&facts);
    for text in [sentence, "2 instances of the program", "variance 4.00e-4", "1.31", "differs"] {
        has(&page, text);
    }
    facts.instances = Some(file(&names[..1], Vec::new()));
    has(&html(&facts), "All of this is about one instance, web-1:7. Another one may differ");
}

#[test]
fn reasons_of_failed_claims_are_there_if_someone_looked_for_them() {
    let mut facts = run(&[1.0]);
    assert!(!html(&facts).contains("Why claims fail"));
    let claim =
        Why { claim: "<b>&\u{202e}claim</b>".to_owned(), slow: "<i>.f()V".to_owned(), ..Why::default() };
    facts.why.found = Some(WhyFile { seconds: 1.0, rounds: 1, claims: vec![claim] });
    let page = html(&facts);
    has(&page, "Why claims fail");
    has(&page, "&lt;b&gt;&amp;");
    has(&page, "nothing found: &lt;i&gt;.f()V was not called");
    assert!(!page.contains('\u{202e}'));
}

#[test]
fn a_verdict_is_told_with_its_reasons() {
    let page = html(&run(&[2.0, 1.0]));
    has(&page, "1 of 2 claims fails");
    has(&page, "C0.left takes at most 2 times as long as C0.right");
    has(&page, "On average C0.left took 1.2");
    has(&page, "So the measurements show that it holds.");
    has(&page, "So the measurements show that it does not hold.");
    has(&page, "as long as C1.right, not at most 1: find out why, or change the claim");
    has(&page, "Compared were calls of <b>sizes 0 to 99</b>");
    has(&page, "the checks of these measurements found no reason for doubt");
    has(&page, "2025-12-31 23:59 UTC");
    has(&page, "All of this is of 1 run of a JVM");
    assert!(!page.contains("Which of both is faster"), "one is clearly faster");
    has(&page, "252 calls were measured, which took the program about 10.1 µs of CPU time");
    assert!(!page.contains("not exactly those"), "the charts show other calls than those that were judged");
}

#[test]
fn calls_are_accounted_for() {
    let mut facts = run(&[2.0]);
    facts.context.methods[0].counts = Some(Counts { kept: 50, surplus: 6, dropped: 3, ..Counts::default() });
    let gc = Sample::new(1, 2).map(|mut sample| {
        sample.flags = SampleFlags::DISCARDED.with(SampleFlags::GC);
        sample
    });
    facts.methods[0].add(&gc.unwrap(), None, false);
    let row = |warm_up, disturbed| {
        let cells = [
            ("Measured", "64"),
            ("− Warm-up", warm_up),
            ("− Disturbed", disturbed),
            ("− No partner", "6"),
            ("− Not needed", "4"),
            ("= Count", "<b>50</b>"),
        ];
        cells.map(|(name, number)| format!("<td class=\"n\" data-name=\"{name}\">{number}</td>")).concat()
    };
    has(&html(&facts), &row("4", "0"));
    has(&html(&facts), "3 more were lost on the way");
    let (key, one) = ("discard-disturbed".to_owned(), "1".to_owned());
    facts.context.settings =
        vec![Setting { section: "sampling".into(), key, value: one, default: "0".into() }];
    has(&html(&facts), &row("3", "1"));
}

#[test]
fn what_a_comparison_leaves_out_is_said() {
    let mut facts = run(&[2.0]);
    has(&html(&facts), "Every call of these sizes that was not discarded was compared.");
    let mut late = Sample::new(2_000_000_000, 2_000_060_000).unwrap();
    late.size = Size::Value(10);
    facts.methods[0].add(&late, facts.context.scale, true);
    let page = html(&facts);
    has(&page, "that were not discarded: 1 of 61 of C0.left, 0 of 60 of C0.right; they came when enough");
    // 60 times 996 and once 60 000, against 796.
    has(&page, "With them the ratio would be 2.4");
    has(&page, "With them the ratio would lie outside the interval");
    has(&page, "it may be wrong because of a serious doubt");
    has(&page, "2 compared calls overlapped a garbage collection");
}

#[test]
fn times_near_those_of_an_empty_method_are_doubted() {
    let mut facts = run(&[1.26]);
    assert!(!html(&facts).contains("an empty method would show"));
    facts.context.programs[0].probe_empty_ps = Some(300_000);
    let page = html(&facts);
    // 996 : 796 is 1.25, and 696 : 496 is 1.40, which the assertion does not allow.
    has(&page, "an empty method would show 300 ns; without it the ratio would be about 1.40");
    has(&page, "it may be wrong because of a serious doubt");
}

#[test]
fn a_proof_by_doubtful_measurements_asks_for_a_look() {
    let mut facts = run(&[2.0]);
    has(&html(&facts), "Nothing: every claim holds");
    facts.results[0].drops = 50;
    let page = html(&facts);
    has(&page, "This claim is proved, but its reliability is poor. 50 measurements were lost.");
    has(&page, ", reliability poor");
    has(&page, ", and the limit 2: between them is a factor of 1.5");
    has(&page, "Reliability of the comparisons with charts: 1 poor.");
}

#[test]
fn every_chart_has_marks_axes_and_a_name() {
    let page = html(&run(&[2.0]));
    let figures: Vec<&str> = page.split("<figure>").skip(1).collect();
    assert_eq!(figures.len(), 5, "density, distribution, histogram, series, scheduling");
    for figure in figures {
        let figure = figure.split("</figure>").next().unwrap();
        assert!(figure.contains("role=\"img\"><title>"), "{figure}");
        assert!(figure.contains("class=\"legend\"") && figure.contains("<text"), "{figure}");
        for ink in ["left", "right"] {
            assert!(
                figure.contains(&format!("var(--{ink})")),
                "nothing is drawn of the {ink} side: {figure}"
            );
        }
        assert!(!figure.contains("\"#0000"), "a colour of ours is not the style sheet's: {figure}");
    }
    has(&page, "discarded (warm-up or disturbed)");
    has(&page, "var(--gc)");
}

#[test]
fn charts_have_the_order_of_the_sentence_and_say_what_multiplies() {
    let page = html(&run(&[2.0]));
    has(&page, "time of a call, 2 × of the second");
    has(&page, "it need not be faster");
    let mut facts = run(&[1.0]);
    has(&html(&facts), "The curve more to the left is the faster one.");
    facts.context.comparisons[0].sign = Sign::GreaterOrEqual;
    facts.context.paired = true;
    let [left, right] = [0, 1].map(|side: usize| facts.methods[side].kept_ns.clone());
    facts.results[0].verdict = evaluate(Sign::GreaterOrEqual, 1.0, 1.0, &left, &right, 0.05);
    let page = html(&facts);
    has(&page, "C0.right takes at most as long as C0.left");
    has(&page, "<i class=\"left\"></i>C0.right</span><span><i class=\"right\"></i>C0.left");
    has(&page, "C0.right : C0.left");
    has(&page, "60 of C0.right and 60 of C0.left");
}

#[test]
fn pairs_are_drawn_where_there_are_windows() {
    let mut facts = run(&[2.0]);
    facts.context.paired = true;
    has(&html(&facts), "Pairs by window");
    facts.context.paired = false;
    assert!(!html(&facts).contains("Pairs by window"));
}

#[test]
fn what_was_not_evaluated_says_why_and_what_helps() {
    let mut facts = run(&[1.0, 1.0, 1.0]);
    facts.results[0].verdict = Err(NotEvaluated::NoCommonBucket);
    facts.results[1].verdict = Err(NotEvaluated::NotMeasured("it is native".to_owned()));
    facts.results.truncate(2);
    facts.missing =
        BTreeMap::from([(0, "set arguments-size-scale-base = 1000".to_owned()), (1, String::new())]);
    facts.context.methods[2].remark = Some("cannot be measured: it is native".to_owned());
    facts.context.end = None;
    let page = html(&facts);
    has(&page, "3 of 3 claims are undecided, none fails");
    has(&page, "never with arguments of a similar size");
    has(&page, "What is missing: set arguments-size-scale-base = 1000.");
    has(&page, "cannot be measured: it is native");
    assert!(!page.contains("Compared were calls"), "nothing was compared");
    has(&page, "There is no result");
    has(&page, "the run did not come to its end");
}

/// A run with a comparison that holds and two assertions about its methods: the p90 of the first is at most
/// `bound_ns`, and the data on the second are missing.
fn asserting(bound_ns: f64) -> Facts {
    let mut facts = run(&[2.0]);
    let bucket = Bucket::Range { low: 0, high: Some(100) };
    let operand = |method, share| Operand { method, share, factor: 1.0 };
    let relating = |left| Relating {
        left,
        sign: Sign::LessOrEqual,
        right: None,
        bound_ns: Some(bound_ns),
        within: None,
    };
    let asserting = |title: &str, method, share| Asserting {
        line: 7,
        title: title.to_owned(),
        text: format!("assert \"{title}\": …"),
        methods: vec![method],
        relations: vec![relating(operand(method, share))],
    };
    facts.context.assertions =
        vec![asserting("quiet", 1, None), asserting("quick", 0, Some(0.9)), asserting("calm", 0, Some(0.99))];
    let never = Lack::NeverCalled { open_ns: 3_000_000_000, lost: 0 };
    let gap = NotEvaluated::Lacking(format!("p/C0.right()V: {never}"));
    facts.context.methods[1].lack = Some(never);
    let judged = |left_ns, p_true, p_false| Judged {
        evidence: Evidence { p_true, p_false },
        left_ns,
        right_ns: bound_ns,
        n_left: SAMPLES,
        n_right: None,
    };
    let record =
        |assertion: usize, truth, evidence, judged: Option<Judged>, gaps: &[NotEvaluated]| AssertionRecord {
            title: facts.context.assertions[assertion].title.clone(),
            text: facts.context.assertions[assertion].text.clone(),
            relations: vec![format!("p90(f) <= {bound_ns} ns")],
            asserted: Asserted {
                instance: None,
                assertion,
                truth,
                basis: None,
                evidence,
                level: 0.05,
                parts: judged
                    .map(|judged| Part {
                        relation: 0,
                        bucket: bucket.clone(),
                        instance: None,
                        judged: Ok(judged),
                    })
                    .into_iter()
                    .collect(),
                gaps: gaps.to_vec(),
                leftover: false,
                drops: 0,
            },
        };
    let (slow, open) = (judged(1080.0, 1.0, 0.0), judged(1090.0, 0.6, 0.9));
    facts.assertions = vec![
        record(0, Truth::Undecided, Evidence::NONE, None, &[gap]),
        record(1, Truth::False, slow.evidence, Some(slow), &[]),
        record(2, Truth::Undecided, open.evidence, Some(open), &[]),
    ];
    let (context, scale) = (&facts.context, facts.context.scale);
    let with_calls = shown_methods(
        context,
        &shown(context, &facts.results),
        &shown_assertions(context, &facts.assertions),
    );
    assert!(with_calls.contains(&0));
    facts.methods[0] = calls(1000, scale, true);
    facts
}

#[test]
fn assertions_have_figures_charts_and_advice() {
    let page = html(&asserting(800.0));
    has(&page, "The p90 of C0.left is 1.08 µs; asserted is at most 800 ns: find out why");
    has(&page, "p &gt; 0.9999 for it, p &lt; 0.0001 against it");
    let of_quick = page.split("id=\"a2\"").nth(1).unwrap().split("<details class=\"claim\"").next().unwrap();
    assert_eq!(of_quick.matches("<figure>").count(), 4, "density, distribution, histogram, series");
    assert!(of_quick.contains("<i class=\"limit\"></i>limit 800"), "the limit is not in the legend");
    assert_eq!(of_quick.matches("stroke=\"var(--limit)\"").count(), 4, "the limit is not drawn everywhere");
    // The level line of the percentile is the only line of this colour that is as wide.
    assert!(of_quick.contains("stroke=\"var(--axis)\" stroke-width=\"3\""), "the percentile is not drawn");
    assert!(!of_quick.contains("not exactly those"), "other calls than those that were judged");
    let far = html(&asserting(1e9));
    has(&far, "The limit of 1.00 s is too far from the calls to be drawn");
}

#[test]
fn two_sides_of_an_assertion_are_told_with_their_constants() {
    let mut facts = asserting(800.0);
    let operand = |method, factor| Operand { method, share: Some(0.5), factor };
    facts.context.assertions[1].relations[0] = Relating {
        left: operand(0, 1.0),
        sign: Sign::Equal,
        right: Some(operand(1, 1.2)),
        bound_ns: None,
        within: Some(0.05),
    };
    facts.methods[1] = calls(800, facts.context.scale, true);
    let part = facts.assertions[1].asserted.parts.first_mut().unwrap();
    let judged = part.judged.as_mut().unwrap();
    (judged.right_ns, judged.n_right) = (960.0, Some(SAMPLES));
    let page = html(&facts);
    has(
        &page,
        "The median of C0.left is 1.08 µs; asserted is the same as 1.2 × the median of C0.right: 1.2 × 800 ns = 960 ns, \
         give or take 5%: find out why",
    );
    has(&page, "<i class=\"right\"></i>1.2 × C0.right");
    assert_eq!(page.matches("var(--limit)\" stroke").count(), 4, "only the third one has a fixed limit");
}

#[test]
fn what_fails_comes_first_and_then_what_is_undecided() {
    let facts = asserting(800.0);
    let page = html(&facts);
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is not in the page"));
    let todo = at("class=\"todo\"");
    let advised = |place: &str| todo + page[todo..].find(&format!("<a href=\"{place}\">")).unwrap();
    assert!(
        advised("#a2") < advised("#a3") && advised("#a3") < advised("#a1"),
        "failing, undecided, not judged"
    );
    assert!(at("id=\"a2\"") < at("id=\"a3\"") && at("id=\"a3\"") < at("id=\"a1\""));
    has(
        &page,
        "C0.right: never called: no call began and ended in the 3.0 s in which it was measured. Let the program do",
    );
    // Of 60 calls all are below a p99 in 55 of 100 cases.
    has(&page, "60 calls say nothing of a p99: at least 299 are needed");
}

#[test]
fn a_proof_that_the_data_contradict_is_not_called_close() {
    let mut facts = run(&[1.0]);
    facts.context.comparisons[0].sign = Sign::Less;
    let [left, right] = [0, 1].map(|side: usize| facts.methods[side].kept_ns.clone());
    facts.results[0].verdict = evaluate(Sign::Less, 1.0, 1.0, &left, &right, 0.05);
    let page = html(&facts);
    has(&page, "they show the contrary");
    has(&page, "not less than 1: find out why");
    assert!(!page.contains("hardly decide") && !page.contains("do not show the contrary either"));
}

#[test]
fn the_same_advice_is_given_once() {
    let mut facts = run(&[1.0; 5]);
    let lack = Lack::NotBegun { ended_by: EndedBy::Program, lasted_ns: 300_000_000, wait_ns: 3_000_000_000 };
    for result in &mut facts.results {
        result.verdict = Err(NotEvaluated::Lacking(lack.to_string()));
    }
    facts.context.methods.iter_mut().for_each(|method| method.lack = Some(lack.clone()));
    let page = html(&facts);
    has(
        &page,
        " and 2 others: The program ended after 0.3 s, before the measurement began (initial-sleep: at most 3000 ms). Let the",
    );
    assert!(!page.contains("calls of all sizes") && !page.contains(">compared<"), "nothing was compared");
}

#[test]
fn windows_compare_all_calls_of_both_sides() {
    let mut facts = run(&[1.26]);
    (facts.context.paired, facts.context.judge) = (true, "sequential".to_owned());
    // One call more of the left side in a window of both, and one in a window of its own.
    for (window, took) in [(1, 1000), (99, 9000)] {
        let mut call = Sample::new(5_000_000, 5_000_000 + took).unwrap();
        (call.size, call.window) = (Size::Value(10), Some(window));
        facts.methods[0].add(&call, facts.context.scale, true);
    }
    let [mut left, right] = [0, 1].map(|side: usize| facts.methods[side].kept_ns.clone());
    left.pop();
    facts.results[0].verdict = evaluate(Sign::LessOrEqual, 1.0, 1.26, &left, &right, 0.05);
    (facts.results[0].n_left, facts.results[0].bucket) = (SAMPLES + 1, Bucket::All);
    let page = html(&facts);
    assert!(!page.contains("not exactly those"), "the charts show other calls than those that were judged");
    has(&page, "1 of 62 of C0.left, 0 of 60 of C0.right; the other side was not called in their window");
    has(&page, "Compared were calls of <b>all sizes</b>: 61 of C0.left and 60 of C0.right");
    facts.context.programs[0].probe_empty_ps = Some(300_000);
    let page = html(&facts);
    has(
        &page,
        "An empty method would show 300 ns: this cost of the probe is in each time, and is taken out of the ratio.",
    );
    assert!(!page.contains("is not subtracted"), "it is");
    // An undecided comparison has charts too.
    let why = "the evidence does not suffice either way: at least 34 s more".to_owned();
    facts.results[0].verdict = Err(NotEvaluated::Open { windows: 7, why });
    facts.results[0].so_far = Some(Ratio { value: 0.98, low: 0.93, high: 1.04, confidence: 0.9 });
    let page = html(&facts);
    has(
        &page,
        "The calls of 7 windows do not decide it: the evidence does not suffice either way: at least 34 s more. Let the program",
    );
    has(&page, "<dt>Ratio so far</dt><dd><p><b>1.23</b> (90% interval 1.17 to 1.31), limit 1.26.</p>");
    has(&page, "<b>1.23×</b> [1.17, 1.31], limit 1.26×</span>");
    assert_eq!(page.matches("<figure>").count(), 6, "five of the comparison, and scheduling");
    assert!(!page.contains("not exactly those"));
}

#[test]
fn a_run_without_claims_shows_what_was_measured() {
    let page = html(&run(&[]));
    has(&page, "Methods were measured; nothing was claimed");
    assert!(!page.contains(">Results</h2>"), "an empty part");
    let mut facts = run(&[2.0]);
    facts.context.comparisons.clear();
    facts.results.clear();
    let page = html(&facts);
    assert_eq!(page.matches("<figure>").count(), 2 * 4 + 1, "four of each method, and scheduling");
    let [average, measured] =
        ["data-name=\"Average\"", "data-name=\"Measured\""].map(|cell| page.find(cell).unwrap());
    assert!(average < measured, "results come before bookkeeping");
}

#[test]
fn the_cost_has_workload_sizes_in_it() {
    let mut facts = run(&[2.0]);
    has(&html(&facts), "The cost of finding workload sizes is not included");
    let end = facts.context.end.as_mut().unwrap();
    (end.probes_ns, end.sizes_ns, end.cpu_ns) = (Some(40_000_000), Some(39_000_000), Some(1_000_000_000));
    let page = html(&facts);
    has(&page, "about 40.0 ms of CPU time, 4% of the 1.00 s that it used meanwhile");
    has(&page, "Finding workload sizes was 39.0 ms of it");
}

/// Text that closes any open element or string, and then runs.
const HOSTILE: &str =
    "\"'><img src=x onerror=alert(1)></title></style></script><script>alert(2)</script>&amp;{{7*7}}";

#[test]
fn nothing_that_comes_from_elsewhere_becomes_markup() {
    let mut facts = run(&[1.0]);
    let hostile = || HOSTILE.to_owned();
    let context = &mut facts.context;
    (context.spl, context.tasks_file, context.judge, context.correction) =
        (hostile(), hostile(), hostile(), hostile());
    context.programs[0] = Measured { java: hostile(), command: hostile(), ..context.programs[0].clone() };
    context.settings =
        vec![Setting { section: hostile(), key: hostile(), value: hostile(), default: String::new() }];
    context.methods[0] = MethodFacts { remark: Some(hostile()), ..method(HOSTILE) };
    context.methods[1] = method(&format!("p/C.<{HOSTILE}()V"));
    context.end = Some(End { problems: vec![hostile()], ..End::default() });
    context.assertions =
        vec![
            Asserting { line: 1, title: hostile(), text: hostile(), methods: vec![0], relations: Vec::new() };
            2
        ];
    facts.results[0].bucket = Bucket::Label(hostile());
    facts.methods[0].buckets.insert(Bucket::Label(hostile()), 3);
    facts.missing.insert(0, hostile());
    facts.decisions.actions.insert(hostile(), 1);
    let part =
        |judged| Part { relation: 0, bucket: Bucket::Label(hostile()), instance: Some(hostile()), judged };
    facts.assertions.push(AssertionRecord {
        title: hostile(),
        text: hostile(),
        relations: vec![hostile()],
        asserted: Asserted {
            instance: None,
            assertion: 0,
            truth: Truth::Undecided,
            basis: None,
            evidence: Evidence::NONE,
            level: 0.05,
            parts: vec![part(Err(NotEvaluated::NotMeasured(hostile())))],
            gaps: Vec::new(),
            leftover: false,
            drops: 0,
        },
    });
    let page = html(&facts);
    for raw in ["<img", "alert(2)</script>", "onerror=alert(1)></title>"] {
        assert!(!page.contains(raw), "{raw} got through");
    }
    let count = |tag: &str| page.matches(tag).count();
    assert_eq!((count("<script>"), count("<style>"), count("</style>")), (1, 1, 1));
    assert!(count("&lt;img src=x") > 10, "the texts are shown");
}

#[test]
fn ten_thousand_comparisons_make_a_bounded_page() {
    let factors: Vec<f64> = (0..10_000).map(|index| if index % 1000 == 999 { 1.0 } else { 2.0 }).collect();
    let facts = run(&factors);
    let shown = shown(&facts.context, &facts.results);
    assert_eq!(shown.len(), SHOWN);
    assert_eq!(shown[0], 999, "what fails comes first");
    let page = html(&facts);
    has(&page, "The other 9 960 comparisons, without charts");
    assert_eq!(page.matches("<figure>").count(), SHOWN * 4 + 1);
    assert!(page.len() < 16 << 20, "{} bytes", page.len());
    assert!(
        !page.contains("An average of few calls"),
        "calls that were not looked at are no reason for doubt"
    );
}

#[test]
fn decisions_of_any_number_are_few_steps() {
    let mut decisions = Decisions::default();
    for index in 0..1_000_000_u64 {
        let measured = if index == 400_001 { 9 } else { (index % 3) as u32 };
        decisions.add("measure", Step { at_ns: index, measured, optimal: 2, unfinished: 5 });
    }
    assert_eq!(decisions.actions["measure"], 1_000_000);
    assert!(decisions.steps.len() < 10_000, "{}", decisions.steps.len());
    assert!(decisions.steps.iter().any(|step| step.measured == 9), "the peak is lost");
}
