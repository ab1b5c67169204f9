//! Every class of whole applications is rewritten, then linked by the JVM with its normal verifier.
//!
//! `SPL_APPLICATIONS` names other applications than those installed with the examples: `NAME=JAR:JAR` for
//! each, separated by white space. The rewritten JARs stay in the target folder and can be run.

use crate::SIZES;
use crate::image::{Jdk, compile, everything};
use crate::support::{folder, probe_stub, run};
use spl_bytecode::{Refusal, Untouched, instrument};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, ZipArchive};

const DEFAULT: &str = "rome=/usr/share/java/rome.jar:/usr/share/java/jdom2.jar";

#[derive(Default)]
struct Tally {
    classes: usize,
    methods: usize,
    refused: BTreeMap<String, usize>,
}

#[test]
fn whole_applications_are_rewritten_and_link_as_before() {
    let applications = std::env::var("SPL_APPLICATIONS").unwrap_or_else(|_| DEFAULT.to_owned());
    let jdks = Jdk::all();
    let jdk = jdks.first().expect("a JDK is installed");
    let folder = folder("applications");
    compile(&folder, "LinkAll.java");
    let stub = format!("java.base={}", probe_stub(&folder).display());
    for application in applications.split_whitespace() {
        let (name, jars) = application.split_once('=').expect("NAME=JARS");
        let jars: Vec<PathBuf> = jars.split(':').map(PathBuf::from).collect();
        let mut tally = Tally::default();
        let rewritten: Vec<PathBuf> =
            jars.iter().map(|jar| rewrite(jar, &folder.join(name), &mut tally)).collect();
        let link = |linked: &[PathBuf]| {
            let mut java = jdk.java();
            java.args(["-Xverify:all", "-XX:TieredStopAtLevel=1", "--patch-module", &stub, "-cp"]);
            run(java.arg(&folder).arg("LinkAll").args(linked).arg("--").args(&jars))
        };
        let (before, after) = (link(&jars), link(&rewritten));
        let different: Vec<_> = before.lines().zip(after.lines()).filter(|(old, new)| old != new).collect();
        assert!(different.is_empty() && before.len() == after.len(), "{name}: {different:?}");
        let count = after.lines().filter(|line| line.ends_with(" linked")).count();
        let Tally { classes, methods, refused } = &tally;
        println!(
            "{name}: {classes} classes, {methods} methods with code, refused {refused:?}; {count} classes linked as before"
        );
        assert!(count > 0, "{name}: {before}");
        assert!(refused.values().sum::<usize>() * 1000 <= *methods, "{name}: more than 0.1% refused");
    }
}

/// Writes the JAR with every method rewritten into `folder`.
fn rewrite(jar: &Path, folder: &Path, tally: &mut Tally) -> PathBuf {
    fs::create_dir_all(folder).expect("the folder is writable");
    let target = folder.join(jar.file_name().expect("a JAR is a file"));
    let mut old = ZipArchive::new(File::open(jar).expect("the JAR is installed")).expect("a JAR");
    let mut new = ZipWriter::new(BufWriter::new(File::create(&target).expect("the folder is writable")));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for index in 0..old.len() {
        let mut entry = old.by_index(index).expect("the JAR is whole");
        let name = entry.name().expect("a readable name").into_owned();
        if name.ends_with(".class") && !name.ends_with("module-info.class") {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("the JAR is whole");
            let bytes = rewrite_class(&name, &bytes, tally);
            new.start_file(name, stored).expect("names differ");
            new.write_all(&bytes).expect("there is room on the disk");
        } else {
            drop(entry);
            let entry = old.by_index_raw(index).expect("the JAR is whole");
            new.raw_copy_file(entry).expect("there is room on the disk");
        }
    }
    new.finish().and_then(|mut out| Ok(out.flush()?)).expect("there is room on the disk");
    target
}

fn rewrite_class(name: &str, bytes: &[u8], tally: &mut Tally) -> Vec<u8> {
    let sizing = &SIZES[tally.classes % SIZES.len()];
    let plan = everything(bytes, sizing);
    tally.classes += 1;
    tally.methods += plan.probes().len();
    let new = instrument(bytes, &plan).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
    for (key, outcome) in new.outcomes {
        match outcome {
            Ok(_) => {}
            Err(Untouched::Refused(refusal @ Refusal::Unverified(_))) => panic!("{name} {key:?}: {refusal}"),
            Err(other) => *tally.refused.entry(other.to_string()).or_default() += 1,
        }
    }
    new.bytes
}
