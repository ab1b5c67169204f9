//! Every method of every installed JDK is rewritten, rarely refused, and linked by that JDK's JVM with its
//! verifier on.
//!
//! Without optimisation, which the workspace enables for this crate, this would take many minutes.

mod applications;
mod image;
#[path = "../support/mod.rs"]
mod support;

use image::{Class, Jdk, compile, counters, everything, flags, paths, traces};
use proptest::test_runner::{Config, TestRunner};
use spl_bytecode::{Plan, Refusal, Untouched, inspect, instrument};
use spl_model::Sizing;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, thread};
use support::{class_files, folder, run, tool};

/// The classes use these sizes in turn.
const SIZES: [Sizing; 5] =
    [Sizing::None, Sizing::Shallow, Sizing::Deep, Sizing::Length, Sizing::Processor(String::new())];

#[derive(Default)]
struct Tally {
    methods: usize,
    refused: BTreeMap<String, usize>,
    /// Refused because the rewriter is unable, not because the probe or the JVM depends on the method.
    unable: usize,
}

impl Tally {
    fn refuse(&mut self, methods: usize, why: &Refusal) {
        let by_rule = matches!(why, Refusal::OwnClass(_) | Refusal::Annotation(_) | Refusal::Special(_));
        self.unable += if by_rule { 0 } else { methods };
        *self.refused.entry(why.to_string()).or_default() += methods;
    }

    fn text(&self, classes: usize) -> String {
        let lines = self.refused.iter().map(|(why, methods)| format!("{methods} refused: {why}"));
        let all = format!("{classes} classes, {} methods with code", self.methods);
        [all].into_iter().chain(lines).collect::<Vec<_>>().join("\n")
    }
}

/// Rewrites all methods of a class in place and reads the result with an independent reader.
fn rewrite(class: &mut Class, plan: &Plan, tally: &mut Tally) {
    let name = &class.name;
    tally.methods += plan.probes().len();
    let new = match instrument(&class.bytes, plan) {
        Ok(new) => new,
        Err(refusal @ Refusal::OwnClass(_)) => return tally.refuse(plan.probes().len(), &refusal),
        Err(other) => panic!("{name}: {other}"),
    };
    for (key, outcome) in new.outcomes {
        match outcome {
            Ok(_) => {}
            Err(Untouched::Refused(refusal @ Refusal::Unverified(_))) => panic!("{name} {key:?}: {refusal}"),
            Err(Untouched::Refused(refusal)) => tally.refuse(1, &refusal),
            Err(other) => panic!("{name} {key:?}: {other}"),
        }
    }
    let read = ristretto_classfile::ClassFile::from_bytes(&new.bytes);
    assert!(read.is_ok(), "{name}: {:?}", read.err());
    class.bytes = new.bytes;
}

/// Classes that HotSpot exempts from verification regardless of options
/// (`Verifier::is_eligible_for_verification`).
const EXEMPT: [&str; 4] = ["java/lang/Object", "java/lang/String", "java/lang/Class", "java/lang/Throwable"];

#[test]
fn every_method_of_each_jdk_is_rewritten_and_verified() {
    of_each_jdk(rewrite_and_verify);
}

#[test]
fn counters_of_every_method_of_each_jdk_are_verified() {
    of_each_jdk(count_and_verify);
}

/// Two at a time: much of each run is one thread of a JVM.
fn of_each_jdk(check: fn(&Jdk)) {
    let jdks = Jdk::all();
    thread::scope(|scope| {
        for half in 0..2 {
            let mine = jdks.iter().skip(half).step_by(2);
            scope.spawn(move || mine.for_each(check));
        }
    });
}

#[test]
fn traces_of_every_method_of_each_jdk_are_verified() {
    of_each_jdk(trace_and_verify);
}

/// Every other class counts edges too; two of three have the clock.
fn trace_and_verify(jdk: &Jdk) {
    let folder = folder(&format!("jdk-traces-{}", jdk.number));
    let mut classes = jdk.classes(&folder);
    let (mut tally, mut grown) = (Tally::default(), [0; 2]);
    for (number, class) in classes.iter_mut().enumerate() {
        let plan = traces(&class.bytes, number % 2 == 1, number % 3 > 0);
        grown[0] += class.bytes.len();
        rewrite(class, &plan, &mut tally);
        grown[1] += class.bytes.len();
    }
    let text = tally.text(classes.len());
    println!("JDK {}: {text}; {grown:?} bytes", jdk.version());
    assert!(tally.unable * 10_000 <= tally.methods, "{text}");
    let printed = jdk.link(&folder, &classes);
    let last = printed.lines().last().unwrap_or_default();
    assert_eq!(last, format!("linked {}", classes.len()), "{printed}");
    judge_what_the_jvm_does_not_verify(jdk, &folder, &classes);
    fs::remove_dir_all(&folder).expect("the folder is this test's own");
}

/// Of six classes two have counters alone, or with the times; two have all flags, or every third; two have paths, alone or with counters of edges. The next JDK begins
/// with another one.
fn count_and_verify(jdk: &Jdk) {
    let folder = folder(&format!("jdk-counters-{}", jdk.number));
    let first = jdk.number.parse::<usize>().map_or(0, |number| number / 4);
    let mut classes = jdk.classes(&folder);
    let mut tally = Tally::default();
    for (number, class) in classes.iter_mut().enumerate() {
        let plan = match (number + first) % 6 {
            0 => counters(&class.bytes, None),
            1 => counters(&class.bytes, Some(&Sizing::None)),
            2 => flags(&class.bytes, |_| true),
            3 => paths(&class.bytes, false),
            4 => paths(&class.bytes, true),
            _ => flags(&class.bytes, |number| number % 3 == 0),
        };
        rewrite(class, &plan, &mut tally);
    }
    let text = tally.text(classes.len());
    println!("JDK {}: {text}", jdk.version());
    // With what they enter, some initialisers of large tables have too much code.
    assert!(tally.unable * 10_000 <= tally.methods, "{text}");
    let printed = jdk.link(&folder, &classes);
    let last = printed.lines().last().unwrap_or_default();
    assert_eq!(last, format!("linked {}", classes.len()), "{printed}");
    judge_what_the_jvm_does_not_verify(jdk, &folder, &classes);
    fs::remove_dir_all(&folder).expect("the folder is this test's own");
}

fn rewrite_and_verify(jdk: &Jdk) {
    let folder = folder(&format!("jdk-{}", jdk.number));
    let mut classes = jdk.classes(&folder);
    let mut tally = Tally::default();
    for (number, class) in classes.iter_mut().enumerate() {
        let plan = everything(&class.bytes, &SIZES[number % SIZES.len()]);
        rewrite(class, &plan, &mut tally);
    }
    let text = tally.text(classes.len());
    println!("JDK {}: {text}", jdk.version());
    assert!(tally.unable * 1000 <= tally.methods, "more than 0.1% refused: {text}");
    // The counts of later updates published by Debian are unknown.
    let snapshot = format!("refusals-{}", jdk.version());
    let snapshots = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jdk/snapshots");
    if snapshots.join(format!("jdk__{snapshot}.snap")).exists() || jdk.number != "17" {
        insta::assert_snapshot!(snapshot, text);
    }
    let printed = jdk.link(&folder, &classes);
    let last = printed.lines().last().unwrap_or_default();
    assert_eq!(last, format!("linked {}", classes.len()), "{printed}");
    judge_what_the_jvm_does_not_verify(jdk, &folder, &classes);
    fs::remove_dir_all(&folder).expect("the folder is this test's own");
}

/// The report of the verifier in a JDK's libraries on class files.
fn judged(mut judge: Command, folder: &Path, files: &[PathBuf]) -> String {
    compile(folder, "Judge.java");
    for package in ["asm", "asm.util"] {
        judge.arg(format!("--add-exports=java.base/jdk.internal.org.objectweb.{package}=ALL-UNNAMED"));
    }
    run(judge.arg("-cp").arg(folder).arg("Judge").args(files))
}

fn judge_what_the_jvm_does_not_verify(jdk: &Jdk, folder: &Path, classes: &[Class]) {
    let files = EXEMPT.map(|name| {
        let class = classes.iter().find(|class| class.name == name).expect("every JDK has it");
        let file = folder.join(name.replace('/', "."));
        fs::write(&file, &class.bytes).expect("the folder is writable");
        file
    });
    let printed = judged(jdk.java(), folder, &files);
    let expected = EXEMPT.map(|name| format!("{}: right", name.replace('/', ".")));
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn the_verifiers_that_judge_us_do_find_faults() {
    let folder = folder("faulty");
    compile(&folder, "Link.java");
    let mut bytes = fs::read(folder.join("Link.class")).unwrap();
    // The aload_0 of `arguments[0]` becomes a load of an int variable that is set later.
    let at = bytes.windows(3).position(|code| code == [0x2a, 0x03, 0x32]).expect("aload_0 iconst_0 aaload");
    bytes[at] = 0x2b;
    let faulty = folder.join("Link.class");
    fs::write(&faulty, bytes).unwrap();
    let output = tool("java").arg("-Xverify:all").arg("-cp").arg(&folder).arg("Link").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("VerifyError"));
    assert!(!judged(tool("java"), &folder, &[faulty]).contains("right"));
}

#[test]
fn damaged_classes_never_panic_and_what_is_accepted_can_be_read() {
    let folder = folder("damaged");
    compile(&folder, "Link.java");
    compile(&folder, "Dump.java");
    let originals: Vec<Vec<u8>> = class_files(&folder).iter().map(|file| fs::read(file).unwrap()).collect();
    let mut runner = TestRunner::new(Config { cases: 4000, failure_persistence: None, ..Config::default() });
    let damage = proptest::collection::vec((proptest::num::usize::ANY, proptest::num::u8::ANY), 1..4);
    let strategy = (0..originals.len(), damage, proptest::num::usize::ANY, proptest::bool::weighted(0.1));
    let outcome = runner.run(&strategy, |(class, damage, cut, is_cut)| {
        let plan = everything(&originals[class], &Sizing::Deep);
        let mut bytes = originals[class].clone();
        for (at, value) in damage {
            let length = bytes.len();
            bytes[at % length] = value;
        }
        if is_cut {
            bytes.truncate(cut % bytes.len());
        }
        if let Ok(new) = instrument(&bytes, &plan) {
            // Classes accepted by our own reader are rewritten again, check included.
            let again = instrument(&new.bytes, &plan);
            proptest::prop_assert!(again.is_ok(), "{:?}", again.err());
        }
        let _ = inspect(&bytes);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
