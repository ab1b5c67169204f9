//! The call graph in its forms.

use crate::testing::{Written, call_graph};
use crate::{CallGraph, Calls, Document, callgrind, calls_dot, calls_text, graphml};
use spl_model::DrillKind;

/// Names as no compiler makes them, and as class files may have them.
const HOSTILE: &str = "a/<B>&\"'.f\\\u{fffd}\"]]>(Lx;)V";

fn graph() -> CallGraph {
    let mut graph =
        call_graph(&[("main", 1, 10), (HOSTILE, 4, 80), ("c", 3, 30)], &[(0, 1, 2), (1, 1, 2), (1, 2, 3)]);
    graph.nodes[0].edges[0].is_unsure = true;
    graph.nodes[0].source = Some("a/Main.java".to_owned());
    graph
}

#[test]
fn callgrind_has_costs_by_line_and_calls_with_theirs() {
    let text = callgrind(&graph(), "Main\n<args>");
    let (head, body) = text.split_once("summary: 120\n").unwrap();
    assert!(
        head.starts_with("# callgrind format\nversion: 1\n") && head.ends_with("events: Bytecodes\n"),
        "{head}"
    );
    assert!(
        head.contains("\ncmd: Main\u{fffd}<args>\n")
            && head.contains("\ndesc: Note: the inclusive cost of a call is the average")
    );
    let expected = format!(
        "\nfl=(1) a/Main.java\nfn=(1) main\n7 10\ncfl=(2) ???\ncfn=(2) {HOSTILE}\ncalls=2 7\n8 110\n\
         \nfl=(2)\nfn=(2)\n7 80\ncfl=(2)\ncfn=(2)\ncalls=2 7\n8 0\ncfl=(2)\ncfn=(3) c\ncalls=3 7\n8 30\n\
         \nfl=(2)\nfn=(3)\n7 30\n\ntotals: 120\n"
    );
    assert_eq!(body, expected);
}

#[test]
fn callgrind_has_all_bytecodes_of_a_drill() {
    let graph =
        Written::of(&["java/util/Formatter", "java/util/BitSet"], |at| u64::from(at % 5)).call_graph();
    let text = callgrind(&graph, "M");
    let (mut sum, mut is_call) = (0, false);
    for line in text.lines().skip_while(|line| !line.starts_with("fl=")) {
        let own = line.split_once(' ').filter(|_| line.starts_with(|c: char| c.is_ascii_digit()) && !is_call);
        sum += own.map_or(0, |(_, cost)| cost.parse::<u64>().unwrap());
        is_call = line.starts_with("calls=");
    }
    assert_eq!((sum, sum > 0), (graph.all, true));
}

#[test]
fn names_of_all_kinds_leave_the_documents_well_formed() {
    let text = graphml(&graph());
    let name = "a/&lt;B&gt;&amp;&quot;'.f\\\u{fffd}&quot;]]&gt;(Lx;)V";
    assert!(text.contains(&format!("<node id=\"n1\">\n      <data key=\"name\">{name}</data>")), "{text}");
    let edge = "<edge source=\"n0\" target=\"n1\">\n      <data key=\"line\">8</data>\n      <data key=\"instruction\">invokestatic</data>\n      \
                <data key=\"made\">2</data>\n      <data key=\"is_unsure\">true</data>\n      <data key=\"is_recursion\">false</data>";
    assert!(text.contains(edge), "{text}");
    let keys = text.matches("<data key=\"").count();
    assert!(keys > 20 && text.matches("</data>").count() == keys);
    let dot = calls_dot(&graph());
    let label = r#"1 [label="a/<B>&\"'.f\\"#.to_owned()
        + "\u{fffd}"
        + r#"\"]]>(Lx;)V\ncalls 4\nbytecodes 80\nwith callees 110"];"#;
    assert!(dot.contains(&label), "{dot}");
    assert!(dot.contains("0 -> 1 [label=\"line 8\\ninvokestatic\\n2\", style=dashed];"), "{dot}");
    assert!(dot.contains("1 -> 1 [label=\"line 8\\ninvokestatic\\n2\", color=gray];"), "{dot}");
}

#[test]
fn the_text_begins_with_most_work() {
    let text = calls_text(&graph());
    let blocks: Vec<&str> = text.lines().filter(|line| line.starts_with('[')).collect();
    let second = format!("[2] 91.7% {HOSTILE}: 4 calls, 80 bytecodes of its own, 110 with callees");
    assert_eq!(blocks[0], "[1] 100.0% main: 1 calls, 10 bytecodes of its own, 120 with callees");
    assert_eq!((blocks[1], blocks.len()), (&*second, 3));
    for line in [
        "    from            1 calls by what was not counted".to_owned(),
        "    from           ~2 calls in line 8, 110 bytecodes: main [1]".to_owned(),
        format!("    to              2 calls in line 8, recursion: {HOSTILE} [2]"),
        "    to              3 calls in line 8, 30 bytecodes: c [3]".to_owned(),
    ] {
        assert!(text.lines().any(|one| one == line), "{line}\n{text}");
    }
}

#[test]
fn coverage_has_no_call_graph() {
    let drill = Written::with(DrillKind::Cover, &["java/util/BitSet"], |_| 1);
    let fault = Calls::of(&Document::read(&drill.files[0]).unwrap()).unwrap_err();
    assert!(fault.place == "drill.json" && fault.reason.contains("coverage"), "{fault}");
    assert!(fault.remedy.contains("without `--what cover`"), "{fault}");
}
