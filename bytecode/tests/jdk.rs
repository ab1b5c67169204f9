//! Every method of the JDK at hand: rewritten, refused seldom, linked by the JVM with its verifier on.
//!
//! All classes take a minute with optimisation, which the workspace switches on for this crate; without it every tenth class
//! is taken.

mod support;

use proptest::test_runner::{Config, TestRunner};
use spl_bytecode::{Plan, Probe, Refusal, Sizes, Untouched, inspect, instrument};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use support::{class_files, folder, probe_stub, run, sources, tool};

/// A plan with a probe for every method that has code.
fn everything(class_bytes: &[u8], sizes: Sizes) -> Plan {
    let methods = inspect(class_bytes).expect("a class of the JDK").methods;
    let with_code = methods.into_iter().filter(|method| method.code_bytes.is_some());
    let probe = |(id, method): (u32, spl_bytecode::MethodInfo)| Probe {
        method_name: method.name,
        descriptor: method.descriptor,
        id: id * 300,
        sizes,
    };
    (0..).zip(with_code).map(probe).collect()
}

fn compiled(folder: &Path, program: &str) {
    let javac = &mut tool("javac");
    run(javac.args(["--release", "11", "-d"]).arg(folder).arg(sources().join(program)));
}

/// All class files of the JDK, in one folder for each module.
fn jdk_classes(folder: &Path) -> PathBuf {
    compiled(folder, "Extract.java");
    let classes = folder.join("jdk");
    run(tool("java").arg("-cp").arg(folder).arg("Extract").arg(&classes));
    classes
}

#[derive(Default)]
struct Tally {
    methods: usize,
    /// Methods that JDK authors marked as special; the rest of the refusals is ours to keep few.
    by_annotation: usize,
    refused: BTreeMap<String, usize>,
    time: Duration,
    classes: usize,
}

/// Rewrites all methods of a class in place and reads the result with an independent reader.
fn rewrite(file: &Path, sizes: Sizes, tally: &mut Tally) {
    let bytes = std::fs::read(file).expect("the class was extracted");
    let plan = everything(&bytes, sizes);
    let start = Instant::now();
    let result = instrument(&bytes, &plan);
    tally.time += start.elapsed();
    tally.classes += 1;
    tally.methods += plan.probes().len();
    let new = match result {
        Ok(new) => new,
        Err(Refusal::OwnClass(name)) => {
            assert_eq!(name, "jdk/internal/misc/Unsafe");
            tally.methods -= plan.probes().len();
            return;
        }
        Err(other) => panic!("{}: {other}", file.display()),
    };
    for (key, outcome) in new.outcomes {
        match outcome {
            Ok(_) => {}
            Err(Untouched::Refused(Refusal::Annotation(_))) => tally.by_annotation += 1,
            Err(Untouched::Refused(refusal @ Refusal::Unverified(_))) => {
                panic!("{} {key:?}: {refusal}", file.display());
            }
            Err(other) => *tally.refused.entry(other.to_string()).or_default() += 1,
        }
    }
    let read = ristretto_classfile::ClassFile::from_bytes(&new.bytes);
    assert!(read.is_ok(), "{}: {:?}", file.display(), read.err());
    std::fs::write(file, new.bytes).expect("the folder is writable");
}

/// Classes that HotSpot exempts from verification whatever the options say (`Verifier::is_eligible_for_verification`).
const EXEMPT: [&str; 4] = ["Object.class", "String.class", "Class.class", "Throwable.class"];

/// Whether the class file with this number is rewritten; the others are removed.
fn is_taken(number: usize, file: &Path) -> bool {
    let exempt = || EXEMPT.iter().any(|name| file.ends_with(Path::new("java.base/java/lang").join(name)));
    !cfg!(debug_assertions) || number.is_multiple_of(10) || exempt()
}

#[test]
fn every_method_of_the_jdk_is_rewritten_and_verified() {
    let folder = folder("jdk");
    let classes = jdk_classes(&folder);
    let stub = probe_stub(&folder);
    let mut tally = Tally::default();
    for (number, file) in class_files(&classes).iter().enumerate() {
        if !is_taken(number, file) {
            std::fs::remove_file(file).unwrap();
            continue;
        }
        let sizes = [Sizes::None, Sizes::Shallow, Sizes::Deep][number / 10 % 3];
        rewrite(file, sizes, &mut tally);
    }
    let Tally { methods, by_annotation, refused, time, classes: count } = &tally;
    println!(
        "{count} classes, {methods} methods, {time:?}; {by_annotation} refused by annotation, {refused:?}"
    );
    let refusals: usize = refused.values().sum();
    assert!(refusals * 1000 <= *methods, "more than 0.1% refused: {refused:?}");

    let probe = classes.join("java.base/java/lang/SplProbe.class");
    std::fs::copy(stub.join("java/lang/SplProbe.class"), probe).unwrap();
    let (names, patches) = modules(&classes);
    std::fs::write(folder.join("names"), names.join("\n")).unwrap();
    compiled(&folder, "Link.java");
    let java = &mut tool("java");
    java.args(["-Xverify:all", "-Xshare:off", "-XX:TieredStopAtLevel=1", "--add-modules", "ALL-SYSTEM"]);
    let printed = run(java.args(patches).arg("-cp").arg(&folder).arg("Link").arg(folder.join("names")));
    let last = printed.lines().last().unwrap_or_default();
    assert_eq!(last, format!("linked {}", names.len()), "{printed}");
    judge_what_the_jvm_does_not_verify(&folder, &classes.join("java.base/java/lang"));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What the verifiers inside the JDK's libraries say of class files.
fn judged(folder: &Path, files: &[PathBuf]) -> String {
    compiled(folder, "Judge.java");
    let judge = &mut tool("java");
    for package in ["asm", "asm.util"] {
        judge.arg(format!("--add-exports=java.base/jdk.internal.org.objectweb.{package}=ALL-UNNAMED"));
    }
    run(judge.arg("-cp").arg(folder).arg("Judge").args(files))
}

fn judge_what_the_jvm_does_not_verify(folder: &Path, java_lang: &Path) {
    let printed = judged(folder, &EXEMPT.map(|name| java_lang.join(name)));
    assert_eq!(printed.lines().collect::<Vec<_>>(), EXEMPT.map(|name| format!("{name}: right")));
}

/// Names of all classes, and the options that put each module's folder before the module.
fn modules(classes: &Path) -> (Vec<String>, Vec<String>) {
    let (mut names, mut patches) = (Vec::new(), BTreeSet::new());
    for file in class_files(classes) {
        let inside = file.strip_prefix(classes).expect("the file lies in the folder").with_extension("");
        let (module, name) = inside.to_str().and_then(|path| path.split_once('/')).expect("module/class");
        patches.insert(format!("--patch-module={module}={}", classes.join(module).display()));
        names.extend((name != "module-info").then(|| name.to_owned()));
    }
    (names, patches.into_iter().collect())
}

#[test]
fn the_verifiers_that_judge_us_do_find_faults() {
    let folder = folder("faulty");
    compiled(&folder, "Link.java");
    let mut bytes = std::fs::read(folder.join("Link.class")).unwrap();
    // The aload_0 of `arguments[0]` becomes a load of an int variable that is set later.
    let at = bytes.windows(3).position(|code| code == [0x2a, 0x03, 0x32]).expect("aload_0 iconst_0 aaload");
    bytes[at] = 0x2b;
    let faulty = folder.join("Link.class");
    std::fs::write(&faulty, bytes).unwrap();
    let output = tool("java").arg("-Xverify:all").arg("-cp").arg(&folder).arg("Link").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("VerifyError"));
    assert!(!judged(&folder, &[faulty]).contains("right"));
}

#[test]
fn damaged_classes_never_panic_and_what_is_accepted_can_be_read() {
    let folder = folder("damaged");
    compiled(&folder, "Link.java");
    compiled(&folder, "Extract.java");
    let originals: Vec<Vec<u8>> =
        class_files(&folder).iter().map(|file| std::fs::read(file).unwrap()).collect();
    let mut runner = TestRunner::new(Config { cases: 4000, failure_persistence: None, ..Config::default() });
    let damage = proptest::collection::vec((proptest::num::usize::ANY, proptest::num::u8::ANY), 1..4);
    let strategy = (0..originals.len(), damage, proptest::num::usize::ANY, proptest::bool::weighted(0.1));
    let outcome = runner.run(&strategy, |(class, damage, cut, is_cut)| {
        let plan = everything(&originals[class], Sizes::Deep);
        let mut bytes = originals[class].clone();
        for (at, value) in damage {
            let length = bytes.len();
            bytes[at % length] = value;
        }
        if is_cut {
            bytes.truncate(cut % bytes.len());
        }
        if let Ok(new) = instrument(&bytes, &plan) {
            // What our own reader accepts again is rewritten again, check included.
            let again = instrument(&new.bytes, &plan);
            proptest::prop_assert!(again.is_ok(), "{:?}", again.err());
        }
        let _ = inspect(&bytes);
        let _ = spl_bytecode::patch_longs(&mut bytes, &[(0, 1)]);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
