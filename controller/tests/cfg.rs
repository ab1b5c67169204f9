//! `spl cfg` on a class that was compiled here: what the manual shows is what is printed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The method whose graph the paper of JBInsTrace draws (figure 3), a native method, and an interface.
const FOO: &str = "\
class Foo {
    void foo() {
        int i = 0;
        while (i < 100) {
            if (i >= 50) {
                a();
                b(i);
            }
            i++;
        }
    }
    void a() {}
    void b(int i) {}
    native void c();
}
interface Bar {
    void d();
}
";

/// A folder with the class, and in `jdk` a JDK without classes.
fn compiled() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Foo.java"), FOO).unwrap();
    let mut javac = Command::new("javac");
    javac.args(["--release", "11", "-d", "."]).arg("Foo.java").current_dir(folder.path());
    assert!(javac.status().unwrap().success());
    fs::create_dir_all(folder.path().join("jdk/jmods")).unwrap();
    let jar = fs::File::create(folder.path().join("jdk/jmods/empty.jmod")).unwrap();
    zip::ZipWriter::new(jar).finish().unwrap();
    folder
}

/// Runs `spl cfg` on the class; gives its status, and what it printed on either stream.
fn cfg(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut spl = Command::new(env!("CARGO_BIN_EXE_spl"));
    spl.args(["cfg", "--classpath", ".", "--jdk", "jdk"]).args(arguments).current_dir(folder);
    let Output { status, stdout, stderr } = spl.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

/// The block of a page that begins behind a line.
fn shown<'p>(page: &'p str, line: &str) -> &'p str {
    let (_, after) = page.split_once(&format!("{line}\n")).unwrap_or_else(|| panic!("no {line:?}"));
    after.split_once("```").unwrap().0
}

#[test]
fn the_manual_shows_what_is_printed() {
    let folder = compiled();
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/manual.md");
    let manual = fs::read_to_string(manual).unwrap();
    let (status, text, said) = cfg(folder.path(), &["Foo#foo"]);
    assert_eq!((status, &said[..]), (0, ""));
    assert_eq!(text, shown(&manual, "$ spl cfg --classpath . 'Foo#foo'"));
}

#[test]
fn a_table_has_the_papers_metrics_and_xml_its_elements() {
    let folder = compiled();
    let (_, table, _) = cfg(folder.path(), &["--as", "csv", "Foo#foo"]);
    let rows: Vec<_> = table.lines().skip(1).collect();
    assert_eq!(rows.len(), 6);
    assert!(
        rows[2].starts_with("Foo.foo()V,2,8,11,5,0,,,1,3,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,"),
        "{table}"
    );
    let (_, xml, _) = cfg(folder.path(), &["--as", "xml", "Foo#foo"]);
    let block = r#"<basic_block id="3" metrics="5 0 0 0 2 0 0 0 0 0 0 0 0 0 0 0 0 2 0"><call_site_list><call_site call="Foo:a()V" type="INVOKEVIRTUAL"/>"#;
    assert!(xml.contains(block) && xml.ends_with("</jbinstrace>\n"), "{xml}");
    let (_, dot, _) = cfg(folder.path(), &["--as", "dot", "Foo#foo"]);
    assert!(dot.starts_with("digraph \"Foo.foo()V\" {") && dot.matches(" -> ").count() == 7, "{dot}");
}

#[test]
fn methods_without_code_are_told_and_change_the_status() {
    let folder = compiled();
    let (status, text, said) = cfg(folder.path(), &["Foo#c"]);
    assert_eq!((status, &text[..]), (1, ""));
    assert!(said.contains("Foo.c()V: the method has no code"), "{said}");
    let (status, document, _) = cfg(folder.path(), &["--as", "json", "Foo"]);
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    let (methods, refused) = (document["methods"].as_array().unwrap(), &document["refused"]);
    // The constructor, foo, a and b.
    assert_eq!((status, methods.len(), &refused[0]["method"]), (0, 4, &"Foo.c()V".into()));
    let (status, _, said) = cfg(folder.path(), &["Foo#nothing"]);
    assert!(status == 2 && said.contains("no method matches this"), "{said}");
}

#[test]
fn all_is_every_method_of_the_class_path() {
    let folder = compiled();
    let (status, text, said) = cfg(folder.path(), &["--all"]);
    assert_eq!((status, &said[..]), (0, ""), "what has no code is passed over");
    assert_eq!(text.matches(" bytes, ").count(), 4, "{text}");
    let (status, _, said) = cfg(folder.path(), &[]);
    assert!(status == 2 && said.contains("PATTERN"), "{said}");
    assert_eq!(cfg(folder.path(), &["--all", "Foo"]).0, 2);
}

#[test]
fn a_damaged_class_is_told() {
    let folder = compiled();
    let mut bytes = fs::read(folder.path().join("Foo.class")).unwrap();
    // The jump back to the condition, `goto -24`, leads into the middle of an instruction.
    let at = bytes.windows(3).position(|code| code == [0xa7, 0xff, 0xe8]).unwrap();
    bytes[at + 2] = 0xea;
    fs::write(folder.path().join("Foo.class"), bytes).unwrap();
    let (status, text, said) = cfg(folder.path(), &["Foo#foo"]);
    assert_eq!((status, &text[..]), (1, ""));
    assert!(said.contains("Foo.foo()V: malformed class file: no instruction starts at offset 4"), "{said}");
}

#[test]
fn a_drawing_has_a_box_for_each_block_and_says_when_there_are_too_many() {
    let folder = compiled();
    let (status, drawing, _) = cfg(folder.path(), &["--as", "svg", "Foo"]);
    assert_eq!(status, 0);
    let (_, table, _) = cfg(folder.path(), &["--as", "csv", "Foo"]);
    let blocks = table.lines().count() - 1;
    assert_eq!(drawing.matches("<g class=\"b ").count(), blocks, "{drawing}");
    assert_eq!(drawing.matches(">Foo.foo()V</text>").count(), 1);
    assert!(drawing.contains(">Foo.b()</text>") && drawing.contains("calls Foo.b(I)V</title>"), "{drawing}");
    assert_eq!(drawing, cfg(folder.path(), &["--as", "svg", "Foo"]).1);
    let mut xml = quick_xml::Reader::from_str(&drawing);
    while xml.read_event().unwrap() != quick_xml::events::Event::Eof {}
    let methods: String = (0..501).map(|number| format!("void m{number}() {{}} ")).collect();
    fs::write(folder.path().join("Many.java"), format!("class Many {{ {methods} }}")).unwrap();
    let mut javac = Command::new("javac");
    assert!(javac.args(["-d", "."]).arg("Many.java").current_dir(folder.path()).status().unwrap().success());
    let (status, _, said) = cfg(folder.path(), &["--as", "svg", "Many"]);
    assert!(status == 2 && said.contains("more than 500 methods"), "{said}");
}
