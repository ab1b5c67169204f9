//! Methods that hold locks are compiled with counters as without: HotSpot interprets a method for good if it believes that an exception
//! could leave the method with a lock held.

mod support;

use spl_bytecode::{Plan, Probe, instrument};
use spl_classfile::class::ClassFile;
use spl_classfile::mutf8;
use spl_model::InstrumentId;
use std::fs;
use support::{class_files, folder, probe_stub, run, sources, tool};

#[test]
fn methods_with_locks_are_compiled() {
    let folder = folder("locks");
    let classes = folder.join("classes");
    run(tool("javac").args(["--release", "11", "-d"]).arg(&classes).arg(sources().join("Locks.java")));
    for file in class_files(&classes) {
        let bytes = fs::read(&file).expect("javac wrote it");
        let mut plan = Plan::default();
        for (method, id) in
            ClassFile::read(&bytes).expect("a class file").methods.iter().zip((1..).step_by(50))
        {
            let (name, descriptor) = (mutf8::decode(method.name), mutf8::decode(method.descriptor));
            plan.add(Probe::blocks(&name, &descriptor, InstrumentId(id)));
        }
        fs::write(file, instrument(&bytes, &plan).expect("no class of ours").bytes)
            .expect("the folder is writable");
    }
    let mut java = tool("java");
    java.args(["-Xverify:all", "-Xbatch", "-XX:+PrintCompilation", "-XX:CompileCommand=quiet"])
        .args(["-Xcomp", "-XX:CompileCommand=compileonly,Locks::*", "--patch-module"])
        .arg(format!("java.base={}", probe_stub(&folder).display()))
        .arg("-cp")
        .arg(&classes)
        .arg("Locks");
    let said = run(&mut java);
    for method in ["branch", "loop", "nested"] {
        assert!(said.contains(&format!("Locks::{method}")), "{method} is compiled: {said}");
    }
    assert!(!said.contains("COMPILE SKIPPED"), "{said}");
    fs::remove_dir_all(&folder).expect("the folder is this test's own");
}
