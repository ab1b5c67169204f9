//! The graphs next to the reasons of failed claims.

use spl_records::{
    ClaimGraphs, Conclusion, Context, GraphBlock, GraphEdge, GraphPair, MethodGraph, Why, WhyCause, WhyFile,
    WhyGraphs,
};
use spl_report::{Decisions, Facts, Reasons, html};
use std::collections::BTreeMap;

/// A method of three blocks with a loop, counted in ten calls of the root.
fn graph(method: &str, root: &str, runs: u64) -> MethodGraph {
    let block = |runs: u64, text: &str| GraphBlock {
        text: vec![text.to_owned(), method.to_owned()],
        title: method.to_owned(),
        lines: "7-8".to_owned(),
        bytecodes: 3,
        runs,
        gone: Some(0),
        calls: vec![method.to_owned()],
        ..GraphBlock::default()
    };
    let edge =
        |from, to, taken| GraphEdge { from, to, taken, title: method.to_owned(), ..GraphEdge::default() };
    MethodGraph {
        method: method.to_owned(),
        root: root.to_owned(),
        is_apart: true,
        calls: 40,
        roots: 10.0,
        causes: vec![1],
        size: 3,
        blocks: vec![block(40, "block 0"), block(runs, "block 1"), block(0, "block 2")],
        edges: vec![edge(0, 1, Some(runs)), edge(1, 1, Some(0)), edge(1, 2, None)],
    }
}

fn why(claim: &str) -> Why {
    let cause = WhyCause { share: 0.9, path: vec!["p/C.below()V".to_owned()], ..WhyCause::default() };
    Why {
        claim: claim.to_owned(),
        slow: "p/C.slow()V".to_owned(),
        quick: Some("p/C.quick()V".to_owned()),
        bytecodes: Some(100.0),
        bytecodes_of_other: Some(10.0),
        conclusion: Conclusion::Found,
        causes: vec![cause],
        ..Why::default()
    }
}

fn drawn(claim: &str, pairs: Vec<GraphPair>) -> ClaimGraphs {
    let Why { claim, slow, quick, .. } = why(claim);
    ClaimGraphs { claim, slow, quick, pairs }
}

fn pair(name: &str) -> GraphPair {
    let quick = MethodGraph { causes: Vec::new(), ..graph("p/C.quick()V", "p/C.quick()V", 20) };
    GraphPair { slow: graph(name, "p/C.slow()V", 36_000), quick: Some(quick) }
}

fn page(claims: &[&str], graphs: Option<Vec<ClaimGraphs>>, faults: &[&str]) -> String {
    html(&Facts {
        context: Context::default(),
        results: Vec::new(),
        assertions: Vec::new(),
        methods: Vec::new(),
        missing: BTreeMap::new(),
        instances: None,
        why: Reasons {
            found: Some(WhyFile {
                seconds: 1.0,
                rounds: 1,
                claims: claims.iter().map(|claim| why(claim)).collect(),
            }),
            graphs: graphs.map(|claims| WhyGraphs { claims }),
            faults: faults.iter().map(|&fault| fault.to_owned()).collect(),
        },
        decisions: Decisions::default(),
    })
}

fn has(page: &str, texts: &[&str]) {
    for text in texts {
        assert!(page.contains(text), "{text}: {page}");
    }
}

#[test]
fn both_sides_stand_side_by_side_with_figures_of_a_call_of_each_root() {
    let page = page(&["f < g"], Some(vec![drawn("f < g", vec![pair("p/C.below()V")])]), &[]);
    has(
        &page,
        &[
            "<div class=\"sides\"><section class=\"method s\" id=\"w0p0s\" data-calls=\"10\">",
            "Called 4 times in a call of p/C.slow()V. Figures are of a call of p/C.slow()V.",
            ">the cause:</text>",
            ">3\u{202f}600 times a call</text>",
            ">4 times a call</text>",
            ">2 times a call</text>",
            ">never run</text>",
            "(cause)",
            "2 (exception)",
            "id=\"never\"",
        ],
    );
    assert_eq!(page.matches(">the cause:</text>").count(), 1, "on the slow side");
    assert_eq!(page.matches("<svg id=\"w0p0").count(), 2);
}

#[test]
fn averages_and_methods_that_are_not_drawn_are_named() {
    let slow = MethodGraph { is_apart: false, ..graph("p/C.slow()V", "p/C.slow()V", 40) };
    let (blocks, edges) = (Vec::new(), Vec::new());
    let large = MethodGraph { size: 1234, blocks, edges, ..graph("p/C.huge()V", "p/C.slow()V", 40) };
    let pairs = [slow, large].map(|slow| GraphPair { slow, quick: None });
    let page = page(&["f < g"], Some(vec![drawn("f < g", pairs.into())]), &[]);
    has(
        &page,
        &[
            "Figures are of one call; averages over all callers.",
            "p/C.huge()V",
            "Not drawn: it has 1234 blocks, and at most 300 are drawn.",
        ],
    );
    assert_eq!(page.matches("<svg id=\"w0p").count(), 1);
}

#[test]
fn what_is_missing_is_said_and_the_rest_is_shown() {
    let fault = "The graphs are missing: out/why-graphs.json is not there.";
    let without = page(&["f < g"], None, &[fault]);
    has(&without, &[fault, "p/C.below()V is called", "Why claims fail"]);
    assert!(!without.contains("id=\"never\"") && !without.contains("No graphs:"));
    let of_first = page(&["f < g", "h < i"], Some(vec![drawn("f < g", vec![pair("p/C.below()V")])]), &[]);
    has(&of_first, &["No graphs: a run keeps those of the first claims, at most 40 graphs in all."]);
    assert_eq!(of_first.matches("No graphs:").count(), 1);
}

#[test]
fn hostile_names_stay_text() {
    let hostile = "</title></style><script>alert(1)</script><img src=x onerror='y'>\" & \u{202e}\u{0}\u{1b}";
    let page = page(&[hostile], Some(vec![drawn(hostile, vec![pair(hostile)])]), &[hostile]);
    assert_eq!(page.matches("<script").count(), 2, "our own");
    assert!(!page.contains("<img"), "{page}");
    assert!(page.chars().all(|c| c == '\n' || (!c.is_control() && c != '\u{202e}')), "{page}");
}

#[test]
fn forty_graphs_of_three_hundred_blocks_have_a_bound() {
    let mut large = graph("p/C.large()V", "p/C.slow()V", 40);
    large.blocks = (0..WhyGraphs::MOST_BLOCKS).map(|_| large.blocks[0].clone()).collect();
    let edge = |from, to| GraphEdge { from, to, taken: Some(3), ..GraphEdge::default() };
    large.edges = (1..large.blocks.len()).map(|to| edge(to / 2, to)).collect();
    let pairs = || vec![GraphPair { slow: large.clone(), quick: Some(large.clone()) }; WhyGraphs::MOST_PAIRS];
    let claims: Vec<String> = (0..10).map(|number| format!("claim {number}")).collect();
    let names: Vec<&str> = claims.iter().map(|name| &**name).collect();
    let page = page(&names, Some(names.iter().map(|name| drawn(name, pairs())).collect()), &[]);
    assert_eq!(page.matches("<svg id=\"w").count(), WhyGraphs::MOST_GRAPHS);
    assert!(page.len() < 20_000_000, "{} bytes", page.len());
}
