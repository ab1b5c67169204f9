//! How large a page is, what it keeps where it is drawn more coarsely, and what it shows of a run without claims.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use spl_lang::Sign;
use spl_model::{Bucket, Sample, SampleFlags};
use spl_records::Context;
use spl_records::context::{Asked, Counts, MethodFacts};
use spl_report::{Calls, Decisions, Facts, Reasons, SHOWN_METHODS, html, shown, shown_methods};
use spl_verdict::{Evaluation, evaluate};
use std::collections::BTreeMap;

/// Calls of each method: as many as decide a claim of a busy service.
const CALLS: u64 = 4000;
/// Calls of each method that are discarded as warm-up.
const WARM_UP: u64 = 400;
/// Calls of a method in a window.
const TURN: u64 = 20;

/// Calls of a method with a long tail, some at odd ends: no two methods alike. The longest takes a second.
fn calls(method: u64, in_full: bool) -> Calls {
    let mut calls = Calls::default();
    let mut state = method.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut share = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    for index in 0..CALLS + WARM_UP {
        let took = match index {
            2000 => 1e9,
            _ => (1000.0 + 40.0 * method as f64) * (0.8 + 0.4 * share()) / (1.0001 - share()).sqrt(),
        };
        let start = index * 10_000 + method;
        let mut sample = Sample::new(start, start + took as u64).unwrap();
        sample.window = Some(index / TURN + 1);
        if index < WARM_UP {
            sample.flags = SampleFlags::DISCARDED.with(SampleFlags::WARM_UP);
        } else if index % 500 == 7 {
            sample.flags = SampleFlags::GC;
        }
        calls.add(&sample, None, in_full);
    }
    calls
}

/// A run of as many methods, and a comparison of each with the next one.
fn run(methods: usize, claims: usize) -> Facts {
    let mut context =
        Context { tasks_file: "my.tasks".to_owned(), paired: true, limit_p: 0.05, ..Context::default() };
    context.methods = (0..methods)
        .map(|index| MethodFacts {
            method: format!("com/example/service/Handler{index}.handle(Lcom/example/service/Request;)V"),
            remark: None,
            lack: None,
            counts: Some(Counts { kept: CALLS, ..Counts::default() }),
        })
        .collect();
    context.comparisons = (0..claims)
        .map(|left| {
            let right = (left + 1) % methods;
            Asked {
                line: left + 1,
                left,
                sign: Sign::LessOrEqual,
                left_factor: 1.0,
                right_factor: 2.0,
                right,
            }
        })
        .collect();
    let times: Vec<Vec<u64>> = (0..methods as u64).map(|index| calls(index, false).kept_ns).collect();
    let result = |(comparison, asked): (usize, &Asked)| Evaluation {
        comparison,
        bucket: Bucket::All,
        verdict: evaluate(asked.sign, 1.0, 2.0, &times[asked.left], &times[asked.right], 0.05),
        leftover: false,
        n_left: CALLS,
        n_right: CALLS,
        drops: 0,
        so_far: None,
    };
    let results: Vec<Evaluation> = context.comparisons.iter().enumerate().map(result).collect();
    let in_full = shown_methods(&context, &shown(&context, &results), &[]);
    let methods = (0..methods).map(|index| calls(index as u64, in_full.contains(&index))).collect();
    let (assertions, missing) = (Vec::new(), BTreeMap::new());
    Facts {
        context,
        results,
        assertions,
        methods,
        missing,
        instances: None,
        why: Reasons::default(),
        decisions: Decisions::default(),
    }
}

fn figures<'p>(page: &'p str, title: &str) -> Vec<&'p str> {
    let parts = page.split("<figure>").skip(1).filter_map(|part| part.split("</figure>").next());
    parts.filter(|figure| figure.contains(&format!("<strong>{title}</strong>"))).collect()
}

/// Height of the highest point of the marks that begin with `head`, in the chart's coordinates, in which 0 is the top.
fn highest(figure: &str, head: &str) -> i32 {
    let marks = figure.split("<path d=\"").skip(1).filter(|mark| mark.contains(head));
    let points = marks.flat_map(|mark| mark.split('"').next().unwrap().split('M').skip(1));
    points.map(|point| point.split([' ', 'h', 'a']).nth(1).unwrap().parse().unwrap()).min().unwrap()
}

#[test]
fn thirty_one_claims_make_less_than_a_megabyte() {
    let page = html(&run(31, 31));
    assert_eq!(figures(&page, "Time series").len(), 31, "every claim has its charts");
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    let few = html(&run(9, 6));
    assert!(few.len() < 600_000, "{} bytes of 6 claims", few.len());
}

#[test]
fn charts_of_many_claims_keep_the_longest_call_and_the_percentiles() {
    let (many, few) = (html(&run(31, 31)), html(&run(9, 6)));
    let [coarse, fine] = [&many, &few].map(|page| figures(page, "Time series")[0]);
    let dots = "stroke-linecap=\"round\"";
    // The call of a second is the highest dot of either; a chart of fewer dots does not lose it.
    assert_eq!(highest(coarse, dots), highest(fine, dots));
    assert!(coarse.len() * 2 < fine.len(), "{} and {} bytes", coarse.len(), fine.len());
    let points = |figure: &str| {
        let curve = figure.split("stroke=\"var(--left)\" stroke-width=\"4\" points=\"").nth(1).unwrap();
        let points = curve.split('"').next().unwrap().split_whitespace();
        points.map(|point| point.split(',').next_back().unwrap().parse::<i32>().unwrap()).collect::<Vec<_>>()
    };
    let (coarse, fine) = (
        points(figures(&many, "Cumulative distribution (ECDF)")[0]),
        points(figures(&few, "Cumulative distribution (ECDF)")[0]),
    );
    assert!(coarse.len() < fine.len() / 2, "{} and {} points", coarse.len(), fine.len());
    // The plot goes from 14 to 380 for shares from 1.03 to 0.
    for share in [0.25, 0.5, 0.75, 0.9, 0.99, 0.999] {
        let height = (380.0 - 366.0 * share / 1.03_f64).round() as i32;
        assert!(coarse.iter().any(|y| (y - height).abs() <= 1), "{share} at {height}: {coarse:?}");
    }
}

#[test]
fn a_run_without_claims_shows_figures_and_charts_of_its_methods() {
    let page = html(&run(3, 0));
    for text in ["Methods were measured; nothing was claimed", ">Average</th>", ">Median</th>", ">p99</th>"] {
        assert!(page.contains(text), "{text}");
    }
    for title in ["Density", "Cumulative distribution (ECDF)", "Histogram", "Time series"] {
        assert_eq!(figures(&page, title).len(), 3, "{title}");
    }
    // Nothing is said of claims, and the way past the summary leads to the methods.
    assert!(page.contains("class=\"skip\" href=\"#methods\""));
    for text in ["id=\"comparisons\"", "id=\"assertions\"", "id=\"tools\""] {
        assert!(!page.contains(text), "{text}");
    }
    let many = html(&run(60, 0));
    assert_eq!(figures(&many, "Time series").len(), SHOWN_METHODS);
    assert!(many.len() < 1_000_000, "{} bytes", many.len());
}
