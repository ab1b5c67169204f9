//! The page of made-up drills.

use super::*;
use crate::graph::step;
use spl_draw::{Arrow, Block, Picture};

/// A method of three blocks with a loop, an exception, and this name everywhere.
fn counted(name: &str) -> Counted {
    let block = |number: usize, is_exit| Block {
        text: vec![format!("block {number}"), name.to_owned()],
        title: name.to_owned(),
        is_double: number == 1,
        is_exit,
        ..Block::default()
    };
    let arrow =
        |from, to, is_dashed| Arrow { from, to, is_dashed, title: name.to_owned(), ..Arrow::default() };
    let counts = |count, gone| BlockCounts {
        lines: "7-8".to_owned(),
        bytecodes: 3,
        count,
        gone,
        calls: vec![name.to_owned()],
    };
    let link = Link { method: name.to_owned(), block: 2, count: (3, 1_000), ..Link::default() };
    Counted {
        name: name.to_owned(),
        calls: 5,
        unit: Unit::Counts,
        paths: None,
        marked: Vec::new(),
        picture: Picture {
            blocks: vec![block(0, false), block(1, false), block(2, true)],
            arrows: vec![arrow(0, 1, false), arrow(1, 0, false), arrow(0, 2, true), arrow(1, 2, false)],
        },
        blocks: vec![counts(1_000, Some(0)), counts(0, Some(0)), counts(5, None)],
        edges: vec![Some(1_000), Some(0), None, Some(12)],
        code: code(name),
        source: Some(source(name)),
        callers: vec![link.clone(); 25],
        callees: vec![link],
    }
}

/// Three instructions of two blocks, and a fourth that is left out.
fn code(name: &str) -> Code {
    let insn = |at: u32, line, block, text: &str, targets: Vec<(String, usize)>| Instruction {
        at,
        line: Some(line),
        block,
        text: text.to_owned(),
        targets,
        more_targets: 0,
    };
    let listed = vec![
        insn(0, 7, 0, name, Vec::new()),
        insn(1, 7, 0, "ifeq", vec![(String::new(), 2)]),
        Instruction { more_targets: 3, ..insn(4, 8, 1, "tableswitch", vec![("default".to_owned(), 0)]) },
    ];
    Code { listed, all: 4 }
}

/// Two lines of code and one around.
fn source(name: &str) -> Source {
    let line = |number, count, blocks| SourceLine { number, text: format!("  {name}"), count, blocks };
    let parts =
        vec![vec![line(6, None, vec![]), line(7, Some(1_000), vec![0, 2])], vec![line(12, Some(0), vec![1])]];
    Source { file: name.to_owned(), parts: Ok(parts), left_out: 2 }
}

fn facts(name: &str) -> DrillFacts {
    let method = |drawn| Method {
        name: name.to_owned(),
        calls: 5,
        bytecodes: (10, 3_000),
        blocks: (2, 3),
        doubt: name.to_owned(),
        drawn,
    };
    DrillFacts {
        spl: "0".to_owned(),
        command: name.to_owned(),
        scope: name.to_owned(),
        counted: 2,
        classes: 1,
        changed: (1, 2.0),
        doubts: vec![name.to_owned()],
        left: vec![(name.to_owned(), name.to_owned())],
        methods: vec![method(Some(0)), method(None)],
        drawn: vec![counted(name)],
        ..DrillFacts::default()
    }
}

#[test]
fn hostile_names_stay_text() {
    let hostile = "</title></style><script>alert(1)</script><img src=x onerror='y'>\" & \u{202e}\u{0}\u{1b}";
    let page = page(&facts(hostile));
    assert_eq!(page.matches("<script").count(), 1, "our own");
    assert!(!page.contains("<img"), "{page}");
    assert!(page.chars().all(|c| c == '\n' || (!c.is_control() && c != '\u{202e}')), "{page}");
}

#[test]
fn bytecode_and_source_stand_beside_the_graph_with_counts_and_links() {
    let page = page(&facts("A.b()V"));
    for words in [
        "<a href=\"#m0c1\"><g class=\"b h0\"",
        "<a href=\"#m0r2\"><g class=\"b h2\"",
        "<summary>Bytecode (4 instructions)</summary>",
        "<div class=\"part\" id=\"m0c0\" data-b=\"0\"><p><a href=\"#m0b0\">Block 0</a>: 1\u{202f}000 runs</p>",
        "<i>line 7        0  </i>A.b()V\n<i>              1  </i>ifeq <a href=\"#m0c2\">block 2</a>\n",
        "tableswitch default: <a href=\"#m0c0\">block 0</a>, and 3 more\n",
        "The last 1 instruction is left out",
        "<summary>Source: A.b()V</summary>",
        "<tr class=\"ran\" data-b=\"0 2\"><td class=\"n\"><a href=\"#m0r0\">7</a></td><td class=\"n\">1\u{202f}000</td><td><code>  A.b()V</code>",
        "<tr class=\"around\"><td class=\"n\">6</td>",
        "<td class=\"n\">never run</td>",
        "2 lines of the method are left out.",
        "<a href=\"#m0c1\">3</a>",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let mut without = facts("A.b()V");
    without.drawn[0].code = Code::default();
    without.drawn[0].source =
        Some(Source { file: String::new(), parts: Err("it is <b>odd</b>".to_owned()), left_out: 0 });
    let page = super::page(&without);
    assert!(
        page.contains("No source: it is &lt;b&gt;odd&lt;/b&gt;.") && !page.contains("Bytecode ("),
        "{page}"
    );
}

#[test]
fn the_page_says_what_is_missing_and_why_counts_are_not_exact() {
    let page = page(&facts("A.b()V"));
    for words in [
        "Counts may not be exact:",
        "--no-classes",
        "complete, but without bytecode, and",
        "Graphs follow for 1 method: at most 40",
        "1 loaded class was changed in 2 ms",
        "no: A.b()V",
        "10 to 3\u{202f}000",
        "2 of 3 (66%)",
        "3 to 1\u{202f}000",
        "5 more: <code>calls.csv</code>",
        "never run",
        "2 (exception)",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let exact = super::page(&DrillFacts { has_classes: true, ..DrillFacts::default() });
    assert!(exact.contains("All counts are exact.") && exact.contains("No method was called."));
    assert!(!exact.contains("--no-classes"));
}

#[test]
fn places_that_call_several_methods_say_which_and_with_what_share() {
    let answer = |what: &str, method: &str, calls, is_among| Answered {
        what: what.to_owned(),
        method: method.to_owned(),
        receivers: if what == "entered" { "B".to_owned() } else { String::new() },
        calls,
        is_among,
    };
    let site = Site {
        method: "A.b()V".to_owned(),
        drawn: Some(0),
        line: Some(7),
        block: 1,
        callee: "I.m()V".to_owned(),
        calls: 100,
        classes: 3,
        methods: 2,
        changes: 99,
        answers: vec![answer("entered", "B.m()V", 75, true), answer("via", "C.x()V", 3, false)],
    };
    let mut one = facts("A.b()V");
    one.sites = Some(Sites { kinds: [4, 0, 1], listed: vec![site] });
    one.drawn[0].callees[0].answer = "entered".to_owned();
    one.drawn[0].callees[0].receivers = "B or C".to_owned();
    let page = page(&one);
    for words in [
        "4 had receivers of one class (monomorphic), 0 of two (bimorphic), 1 of more (megamorphic)",
        "<a href=\"#m0r1\">A.b()V</a>, line 7 calls I.m()V",
        "<b>megamorphic</b>, 3 classes, 2 methods",
        "75%",
        "via: C.x()V",
        "not among",
        "4 more, with fewer methods",
        "<td>entered</td><td class=\"wide\">B or C</td>",
        "receivers.csv",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!super::page(&facts("A.b()V")).contains("id=\"polymorphic\""));
}

#[test]
fn times_have_probes_in_columns_of_their_own_and_say_what_was_not_timed() {
    let method = TimedMethod {
        method: "A.<b>()V".to_owned(),
        calls: 1_000,
        total_ns: 4_000_000,
        own_ns: 1_000_000,
        probes_in_total_ns: 70_000,
        probes_in_own_ns: 30_000,
        untimed: 2,
        doubt: "some calls were not timed".to_owned(),
    };
    let times = Times { probe_ps: [12_340, 5_600], methods: vec![method] };
    let page =
        page(&DrillFacts { times: Some(times), doubts: vec!["why".to_owned()], ..DrillFacts::default() });
    for words in [
        "How long calls took",
        "Times may be wrong:",
        "12.3 ns within",
        "5.6 ns in that of the caller",
        "2 calls were not timed:",
        "<td class=\"wide\">A.&lt;b&gt;()V</td><td class=\"n\">1\u{202f}000</td><td class=\"n\">4.00</td><td class=\"n\">1.00</td><td class=\"n\">3.00</td>",
        "<rect class=\"own\" width=\"30.0\" height=\"10\"></rect><rect class=\"callees\" x=\"30.0\" width=\"90.0\"",
        "<td class=\"n\">0.07</td><td class=\"n\">0.03</td><td>no: some calls were not timed (2 calls not timed)</td>",
        "times.csv",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains("methods.csv"));
}

/// A call of `a` that makes a call of `b`, of 200 instructions.
fn tree(name: &str) -> Tree {
    let call = |depth: usize, begin: f64, own: f64, total: f64| TreeCall {
        method: if depth == 0 { name.to_owned() } else { format!("p/C$D.b{depth}()V") },
        depth,
        begin,
        calls: 1.5,
        own,
        total,
    };
    let calls = vec![call(0, 0.0, 100.0, 198.0), call(1, 0.0, 90.0, 90.0), call(2, 90.0, 0.1, 0.1)];
    Tree { all: 200, left_out: 2, calls }
}

#[test]
fn the_tree_of_calls_has_boxes_as_wide_as_their_work_and_a_table() {
    let all = page(&DrillFacts { tree: tree("A.b()V"), ..facts("A.b()V") });
    for words in [
        "1% of all instructions have no box: the tree has at most 400 calls",
        "<a href=\"#m0\"><g class=\"b h7\" transform=\"translate(0.0 0.0)\"><title>A.b()V: 99%; 1.5 calls, 198 bytecodes, 100 of its own</title>",
        "<rect width=\"1187.0\" height=\"21\" rx=\"2\"></rect><text x=\"5\" y=\"15\">A.b</text>",
        "transform=\"translate(0.0 22.0)\"><title>p/C$D.b1()V: 45%; 1.5 calls, 90 bytecodes, 90 of its own</title>",
        ">C$D.b1</text>",
        "Table of the calls (3)",
        "<td class=\"wide\">p/C$D.b2()V</td>",
    ] {
        assert!(all.contains(words), "{words}: {all}");
    }
    assert!(!all.contains("translate(540.0 44.0)"), "a box that nobody can see");
    assert!(!page(&facts("A.b()V")).contains("id=\"calls\""), "flags make no tree");
    let hostile = "</title><script>alert(1)</script>\u{202e}";
    let page = page(&DrillFacts { tree: tree(hostile), ..facts(hostile) });
    assert!(page.matches("<script").count() == 1 && !page.contains('\u{202e}'), "{page}");
}

#[test]
fn boxes_have_colour_number_and_hatch_by_their_counts() {
    let steps: Vec<u32> = [0.0, 1.0, 2.0, 9.0, 99.0, 1_000.0].map(|count| step(count, 1_000.0)).into();
    assert_eq!(steps, [0, 1, 1, 3, 5, 7]);
    assert_eq!([step(1.0, 1.0), step(0.0, 0.0)], [7, 0]);
    let page = page(&facts("A.b()V"));
    for class in ["b h7", "b h0", "b h2"] {
        assert!(page.contains(&format!("<g class=\"{class}\"")), "{class}");
    }
    assert!(page.contains(">1\u{202f}000 runs</text>") && page.contains(">never run</text>"));
    assert!(page.contains("stroke-width=\"5.0\"") && page.contains("stroke-width=\"0.8\""));
    let mut flags = facts("A.b()V");
    flags.is_cover = true;
    flags.drawn[0].unit = Unit::Flags;
    let flags = super::page(&flags);
    assert!(flags.contains(">run</text>") && !flags.contains("runs</text>") && flags.contains("1 (taken)"));
}
