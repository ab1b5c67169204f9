//! The forms of small graphs, and of names that would break them.

use super::*;
use crate::testing::TestClass;
use crate::{EXTRA_NAMES, Graph};
use serde_json::Value;
use spl_classfile::class::ClassFile;

fn with_graph<T>(class: &TestClass, look: impl FnOnce(&Graph<'_>) -> T) -> T {
    let bytes = class.bytes();
    let class = ClassFile::read(&bytes).unwrap();
    look(&Graph::of(&class, &class.methods[0]).unwrap())
}

/// 0: invokestatic, 3: iconst_0, 4: ifeq 8, 7: return; 8: pop, 9: return, which also catches what the call throws.
fn caught(owner: &str, name: &str) -> TestClass {
    let mut class = TestClass::new(&[]);
    let [high, low] = class.member(owner, name, "()V");
    class.code = vec![0xb8, high, low, 0x03, 0x99, 0, 4, 0xb1, 0x57, 0xb1];
    let exception = class.class("java/io/IOException");
    class.handlers = vec![[0, 3, 8, exception]];
    class.lines = vec![[0, 5], [3, 6], [8, 9]];
    class
}

/// A name that each of the languages has to escape.
const ODD: &str = "a\"b\\c,<&>\u{202e}\u{1}\n'\t";

#[test]
fn the_text_tells_of_calls_handlers_and_dead_code() {
    let mut class = caught("p/Other", "x");
    let last = class.code.len() as u16;
    class.code.extend([0x01, 0xbf]);
    class.lines.push([last, 11]);
    let expected = "\
T.f()V  12 bytes, 4 blocks, 3 edges, 0 loops
block 0  0..4  3 bytecodes  lines 5-6  calls p/Other.x()V  -> 2 taken, 1  catch -> 2 on java/io/IOException   can throw
block 1  7..7  1 bytecode  line 6   returns
block 2  8..9  2 bytecodes  line 9   returns
block 3  10..11  2 bytecodes  line 11   throws  dead
handler 0  0..<3  -> 2  java/io/IOException
";
    assert_eq!(with_graph(&class, text), expected);
}

#[test]
fn dot_has_a_box_for_each_block_and_a_line_for_each_edge() {
    let expected = r#"digraph "T.f()V" {
  node [shape=box];
  0 [label="block 0\n0..4\nline 5-6\np/Other.x()V"];
  1 [label="block 1\n7..7\nline 6", peripheries=2];
  2 [label="block 2\n8..9\nline 9", peripheries=2];
  0 -> 2 [label="taken"];
  0 -> 1 [label=""];
  0 -> 2 [label="java/io/IOException", style=dashed];
}
"#;
    assert_eq!(with_graph(&caught("p/Other", "x"), dot), expected);
}

#[test]
fn quotes_in_names_end_no_string() {
    let class = caught(ODD, ODD);
    let drawn = with_graph(&class, dot);
    // Strings without what is escaped in them; then only pairs of quotes are left, on one line each.
    let plain = drawn.replace("\\\\", "").replace("\\\"", "");
    assert!(plain.lines().all(|line| line.matches('"').count() % 2 == 0), "{drawn}");
    assert!(drawn.contains(r#"a\"b\\c,<&>"#), "{drawn}");
    assert!(with_graph(&class, text).lines().count() == 5);
    let xml = with_graph(&class, |graph| jbinstrace(&[Numbered { number: 1, graph }]).unwrap());
    assert!(xml.contains("a&quot;b\\c,&lt;&amp;&gt;\u{fffd}\u{fffd}\u{fffd}'&#9;:a&quot;"), "{xml}");
}

#[test]
fn the_document_says_names_as_they_are() {
    let refused = [("p/C.g()V".to_owned(), "why \"so\"".to_owned())];
    let document = with_graph(&caught(ODD, ODD), |graph| json(&[graph.clone(), graph.clone()], &refused));
    assert!(!document.contains('\u{202e}'), "what misleads is escaped");
    let document: Value = serde_json::from_str(&document).unwrap();
    let method = &document["methods"][1];
    assert_eq!(method["blocks"][0]["calls"][0]["name"], ODD);
    assert_eq!(method["blocks"][0]["metrics"]["other_calls"], 1);
    assert_eq!(method["edges"][2]["kind"], "exception");
    assert_eq!(document["refused"][0]["why"], "why \"so\"");
}

#[test]
fn tables_have_a_field_for_each_head() {
    let head = csv_head();
    let heads: Vec<_> = head.trim_end().split(',').collect();
    assert_eq!(heads.len(), 9 + 19 + EXTRA_NAMES.len());
    let table = with_graph(&caught("p/Other", "x"), csv);
    let first = table.lines().next().unwrap();
    assert_eq!(first.split(',').count(), heads.len());
    assert!(first.starts_with("T.f()V,0,0,4,5-6,0,0,,0,3,0,0,0,0,1,0,"), "{first}");
    assert_eq!(heads.iter().collect::<std::collections::BTreeSet<_>>().len(), heads.len(), "no head twice");
}

#[test]
fn the_xml_has_the_ids_of_the_paper() {
    let class = caught("T", "x");
    // The method 2488 has blocks from 2488 * 2048 on, as in the paper's sample.
    let xml = with_graph(&class, |graph| jbinstrace(&[Numbered { number: 2488, graph }]).unwrap());
    let block = r#"<basic_block id="5095424" metrics="3 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 1"><call_site_list><call_site call="T:x()V" type="INVOKESTATIC"/></call_site_list><exception_handler_list><exception_handler id="5095426" catch="java/io/IOException"/></exception_handler_list></basic_block>"#;
    assert!(xml.contains(block), "{xml}");
}

#[test]
fn what_the_numbers_of_the_paper_do_not_reach_is_refused_by_name() {
    let class = caught("T", "x");
    let numbered = |number| with_graph(&class, |graph| jbinstrace(&[Numbered { number, graph }]));
    assert!(numbered(METHODS - 1).is_ok());
    assert_eq!(numbered(METHODS), Err(TooMany::Methods("T.f()V".to_owned())));
    // As many returns as blocks.
    let blocks = |count: u32| {
        let class = TestClass::new(&vec![0xb1; count as usize]);
        with_graph(&class, |graph| jbinstrace(&[Numbered { number: METHODS - 1, graph }]))
    };
    assert!(blocks(BLOCKS).is_ok());
    let refused = blocks(BLOCKS + 1).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "JBInsTrace has numbers for 2048 blocks of a method, and T.f()V has more"
    );
}
