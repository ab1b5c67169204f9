//! Digests of the rewriter's output for every class of the installed JDKs, or of the folders named as
//! arguments, for each kind of workload size. A change of the rewriter that should change no byte keeps the
//! digests: `cargo run -p spl-bytecode --example digest`, before and after.

#[path = "../tests/jdk/image.rs"]
#[expect(dead_code, reason = "tests link the classes, too")]
mod image;
#[path = "../tests/support/mod.rs"]
mod support;

use hmac_sha256::Hash;
use image::{Class, Jdk, everything};
use spl_bytecode::instrument;
use spl_model::Sizing;
use std::fs;
use std::path::PathBuf;

const SIZES: [Sizing; 5] =
    [Sizing::None, Sizing::Shallow, Sizing::Deep, Sizing::Length, Sizing::Processor(String::new())];

fn main() {
    let folders: Vec<_> = std::env::args_os().skip(1).collect();
    for folder in &folders {
        let files = support::class_files(folder.as_ref());
        let class = |file: &PathBuf| Class {
            module: String::new(),
            name: file.display().to_string(),
            bytes: fs::read(file).expect("the file is readable"),
        };
        show(&folder.display().to_string(), &files.iter().map(class).collect::<Vec<_>>());
    }
    let jdks = if folders.is_empty() { Jdk::all() } else { Vec::new() };
    for jdk in jdks {
        let folder = support::folder("digest");
        let classes = jdk.classes(&folder);
        fs::remove_dir_all(&folder).expect("the folder is this program's own");
        show(&jdk.version(), &classes);
    }
}

fn show(what: &str, classes: &[Class]) {
    for sizing in &SIZES {
        println!("{what} {sizing:?} {}", digest(classes, sizing));
    }
}

/// Classes, methods with probes, bytes, and the SHA-256 of names, outcomes and bytes.
fn digest(classes: &[Class], sizing: &Sizing) -> String {
    let (mut hash, mut methods, mut bytes) = (Hash::new(), 0, 0);
    for class in classes {
        hash.update(&class.name);
        match instrument(&class.bytes, &everything(&class.bytes, sizing)) {
            Ok(new) => {
                hash.update(&new.bytes);
                bytes += new.bytes.len();
                for (_, outcome) in &new.outcomes {
                    hash.update(format!("{outcome:?}"));
                    methods += usize::from(outcome.is_ok());
                }
            }
            Err(refusal) => hash.update(refusal.to_string()),
        }
    }
    let digest: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{} classes, {methods} methods, {bytes} bytes: {digest}", classes.len())
}
