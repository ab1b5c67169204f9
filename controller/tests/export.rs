//! `spl export` on files that it cannot use: place, reason and remedy, and the status 2.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// SHA-256 of no bytes (FIPS 180-4).
const OF_NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// The files of a drill of one method, of which the class file is not there.
fn drill(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    let class = format!(r#"{{"name": "A", "sha256": "{OF_NOTHING}", "bytes": 0, "methods": 1}}"#);
    let document = format!(
        r#"{{"schema": "spl.drill/1", "what": ["blocks"], "command": "A", "doubts": ["a thread was late"], "classes": [{class}], "left": []}}"#
    );
    for (name, text) in [
        ("drill.json", document.as_str()),
        ("methods.csv", "method,calls,doubt\nA.f()V,1,\n"),
        ("blocks.csv", "method,block,first,last,lines,count,gone,m1\nA.f()V,0,0,0,7 9-11,2,0,3\n"),
        ("edges.csv", "method,from,to,kind,count\n"),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
}

/// Runs `spl export`; gives its status, and what it printed on either stream.
fn export(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut spl = Command::new(env!("CARGO_BIN_EXE_spl"));
    spl.arg("export").args(arguments).current_dir(folder);
    let Output { status, stdout, stderr } = spl.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

#[track_caller]
fn refused(folder: &Path, arguments: &[&str], parts: &[&str]) {
    let (status, out, said) = export(folder, arguments);
    assert_eq!((status, &out[..]), (2, ""), "{said}");
    assert!(parts.iter().all(|part| said.contains(part)), "{said}");
}

#[test]
fn the_table_needs_no_class_files_and_says_what_is_in_doubt() {
    let folder = tempfile::tempdir().unwrap();
    drill(&folder.path().join("out/drill"));
    for given in ["out", "out/drill"] {
        let (status, table, said) = export(folder.path(), &[given, "--as", "csv"]);
        assert_eq!(status, 0, "{said}");
        assert!(table.ends_with("A,f,()V,1,0,0,0,7,11,7 9-11,3,2,0,6,1.000000000\n"), "{table}");
        assert!(said.contains("counts may not be exact") && said.contains("a thread was late"), "{said}");
    }
    let (status, printed, _) = export(folder.path(), &["out", "--as", "csv", "-o", "blocks.csv"]);
    assert_eq!((status, &printed[..]), (0, ""));
    assert!(fs::read_to_string(folder.path().join("blocks.csv")).unwrap().starts_with("class,name,"));
    refused(folder.path(), &["out", "--as", "csv", "-o", "nowhere/f"], &["cannot write nowhere/f"]);
}

#[test]
fn a_folder_without_a_drill_or_with_several_is_told() {
    let folder = tempfile::tempdir().unwrap();
    refused(folder.path(), &["out", "--as", "jacoco"], &["cannot read out"]);
    fs::create_dir(folder.path().join("out")).unwrap();
    refused(folder.path(), &["out", "--as", "jacoco"], &["out has no drill", "name the folder"]);
    drill(&folder.path().join("out/drill"));
    drill(&folder.path().join("out/drill-2"));
    refused(folder.path(), &["out", "--as", "csv"], &["2 drills", "out/drill to out/drill-2"]);
    assert_eq!(export(folder.path(), &["out/drill-2", "--as", "csv"]).0, 0);
    fs::write(folder.path().join("out/drill/drill.json"), "").unwrap();
    refused(folder.path(), &["out/drill", "--as", "csv"], &["out/drill/drill.json: it is empty"]);
}

#[test]
fn class_files_that_are_missing_or_others_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let drill_folder = folder.path().join("drill");
    drill(&drill_folder);
    let archive = drill_folder.join("classes.zip");
    let check = |parts: &[&str]| {
        for form in ["jacoco", "jbinstrace", "callgrind", "speedscope", "graphml", "dot", "calls"] {
            refused(folder.path(), &["drill", "--as", form], parts);
        }
    };
    check(&["drill/classes.zip: it is missing", "without --no-classes"]);
    fs::write(&archive, "no archive").unwrap();
    check(&["drill/classes.zip: "]);
    let put = |bytes: &[u8]| {
        let mut zip = ZipWriter::new(File::create(&archive).unwrap());
        zip.start_file(format!("{OF_NOTHING}.class"), SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
        zip.finish().unwrap();
    };
    put(b"others");
    check(&["the class file of A cannot be read: its bytes are not those of its digest"]);
    put(b"");
    check(&["the class file of A cannot be used: malformed class file", "run `spl drill` again"]);
    fs::write(drill_folder.join("methods.csv"), "method,calls,doubt\nA.f()V,1,").unwrap();
    check(&["drill/methods.csv:2: the file is cut short here"]);
    fs::remove_file(drill_folder.join("edges.csv")).unwrap();
    check(&["edges.csv", "run it again"]);
}
