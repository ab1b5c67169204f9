//! The words about why a claim fails.

use spl_records::{Conclusion, UnseenCalls, Why, WhyCause, WhyEvent, WhyExtra, WhyGrowth};
use spl_report::why;

fn failing() -> Why {
    let cause = |share: f64, path: &[&str], line: Option<u16>| WhyCause {
        share,
        path: path.iter().map(|&name| name.to_owned()).collect(),
        line,
        calls: [20.0, 0.0],
        bytecodes: [12_345.4, 0.0],
        block: Some(3),
        lines: line.map(|line| (line, line + 1)),
        runs: Some(1.0),
        growth: None,
        outgrows: None,
    };
    Why {
        measures: Vec::new(),
        is_undecided: false,
        claim: "p/C.slow()V <= p/C.quick()V".to_owned(),
        slow: "p/C.slow()V".to_owned(),
        instance: None,
        quick: Some("p/C.quick()V".to_owned()),
        figure: "4.75".to_owned(),
        bytecodes: Some(20_000.0),
        bytecodes_of_other: Some(1000.0),
        extras: vec![WhyExtra {
            share: 0.2,
            kind: WhyEvent::Caught,
            method: "q/L.parse()V".to_owned(),
            block: Some(4),
            lines: Some((30, 31)),
            counts: [5.0, 0.0],
        }],
        causes: vec![
            cause(0.9, &["q/L.find()V", "q/L.search()V"], Some(19)),
            cause(0.095, &[], None),
            cause(0.005, &["q/L.rare()V"], None),
        ],
        growth: None,
        growth_of_other: None,
        times: Some(4.75),
        conclusion: Conclusion::Found,
        doubts: Vec::new(),
        unseen: vec![UnseenCalls { method: "q/N.now()J".to_owned(), calls: 2870.0, calls_of_other: 10.0 }],
    }
}

#[test]
fn causes_come_with_their_places() {
    let expected = [
        "a call of p/C.slow()V runs 20\u{202f}000 bytecodes with all that was counted below it, one of p/C.quick()V \
         1\u{202f}000: 20.0 times as many; it takes 4.75 times as long",
        "1. 90% of the difference: q/L.find()V is called 20 times against 0 in line 19: 12\u{202f}345 bytecodes against 0; most in \
         lines 19 to 20 of q/L.search()V, which run once a call",
        "2. 20% of the difference, by an estimate: exceptions caught: 5 against 0; most in lines 30 to 31 of q/L.parse()V",
        "3. 9.5% of the difference: the code of p/C.slow()V itself: 12\u{202f}345 bytecodes against 0; most in block 3, which \
         runs once a call",
        "not counted: q/N.now()J, called 2\u{202f}870 times a call against 10",
    ];
    assert_eq!(why(&failing()), expected);
}

#[test]
fn nothing_found_is_an_answer_and_so_is_doubt() {
    let same = Why { causes: Vec::new(), unseen: Vec::new(), extras: Vec::new(), ..failing() };
    let lines = why(&Why { conclusion: Conclusion::Nothing, ..same.clone() });
    let nothing = "nothing found in the code that ran: look at waiting, locks, memory or native methods";
    assert_eq!(lines[1..], [nothing]);
    let doubts = vec!["the search ended early".to_owned()];
    let lines = why(&Why { conclusion: Conclusion::Unknown, doubts, ..same });
    assert_eq!(lines[1..], ["cannot tell why", "but the search ended early"]);
    for (slow, other, missing) in [(None, Some(1.0), "p/C.slow()V"), (Some(1.0), None, "p/C.quick()V")] {
        let conclusion = Conclusion::NotCalled;
        let why = why(&Why { bytecodes: slow, bytecodes_of_other: other, conclusion, ..failing() });
        assert_eq!(why, [format!("nothing found: {missing} was not called while it was counted")]);
    }
}

#[test]
fn what_explains_little_does_not_look_like_the_cause() {
    let little =
        Why { times: Some(57.1), bytecodes: Some(1500.0), conclusion: Conclusion::Partly, ..failing() };
    let lines = why(&little);
    assert_eq!(
        lines[1],
        "what was found explains only a part of 57.1 times: the rest is in waiting, locks, memory or native methods, or not seen"
    );
    assert!(lines[2].starts_with("1. 90% of the difference"), "{lines:?}");
}

#[test]
fn of_a_bound_it_says_where_the_instructions_are() {
    let lines = why(&Why { quick: None, bytecodes_of_other: None, figure: "553 ns".to_owned(), ..failing() });
    assert_eq!(
        lines[0],
        "a call of p/C.slow()V runs 20\u{202f}000 bytecodes with all that was counted below it"
    );
    assert!(lines[1].starts_with("1. 90% of it: q/L.find()V is called 20 times in line 19: "), "{lines:?}");
}

#[test]
fn a_cause_that_grows_where_the_other_side_does_not_comes_first_among_its_equals() {
    let mut found = failing();
    found.extras.clear();
    found.causes.truncate(2);
    found.causes[0].share = 0.5;
    found.causes[1].share = 0.45;
    let growth = WhyGrowth { power: 1.98, error: 0.01, sizes: [50.0, 400.0], figures: [2500.0, 160_000.0] };
    found.causes.iter_mut().for_each(|cause| cause.growth = Some(growth));
    let firsts = |found: &Why| why(found)[1].clone();
    assert!(firsts(&found).starts_with("1. 50%") && !firsts(&found).contains("grows"), "{}", firsts(&found));
    found.causes[1].outgrows = Some(-0.04);
    let first = firsts(&found);
    assert!(first.starts_with("1. 45%"), "{first}");
    assert!(
        first.ends_with(
            "; it grows with the size of the arguments, power 2.0: 2\u{202f}500 runs a call at size 50, 160\u{202f}000 at size 400; \
             nothing in a call of p/C.quick()V grows with more than power 0.0"
        ),
        "{first}"
    );
    found.causes[1].share = 0.4;
    assert!(firsts(&found).starts_with("1. 50%"), "it is less than the other one");
    found.causes[1].growth = Some(WhyGrowth { error: 0.16, ..growth });
    assert!(why(&found)[2].contains("power 2.0 ± 0.2: "), "{:?}", why(&found));
    // Nothing to compare with: only what grows faster than the size itself is said.
    let mut bound = Why { quick: None, bytecodes_of_other: None, ..found };
    bound.causes[0].growth = Some(WhyGrowth { power: 1.0, ..growth });
    let lines = why(&bound);
    assert!(!lines[1].contains("grows") && lines[2].contains("power 2.0"), "{lines:?}");
}
