//! Class files: real ones, damaged.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use spl_bytecode::{ClassInfo, MethodInfo, Plan, Probe, Sizes, inspect, instrument, patch_longs};
use spl_fuzz::{Campaign, Rng, corpus, outcome};
use std::fs;
use std::mem::discriminant;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Attributes that the rewriter understands, and instructions of variable length.
const WORDS: [&[u8]; 12] = [
    b"Code",
    b"StackMapTable",
    b"LineNumberTable",
    b"LocalVariableTable",
    b"BootstrapMethods",
    b"<init>",
    b"\xc4\x84",
    b"\xaa",
    b"\xab",
    b"\xc8\x00\x00\x00\x05",
    b"\xbf",
    b"\xb1",
];

#[test]
fn no_class_harms_the_rewriter() {
    let campaign = Campaign {
        name: "bytecode",
        seeds: [corpus("bytecode"), classes()].concat(),
        words: &WORDS,
        // Class files are brittle: with more, little but the reader of the constant pool would be tried.
        mutations: 2,
        max_bytes: 1 << 16,
        iterations: 3_000,
        failures: env!("CARGO_TARGET_TMPDIR").into(),
    };
    campaign.run(check);
}

fn check(bytes: &[u8], rng: &mut Rng) -> u64 {
    let mut patched = bytes.to_vec();
    if patch_longs(&mut patched, &[(1, 2)]).is_err() {
        assert_eq!(patched, bytes);
    }
    let info = inspect(bytes);
    let plan = plan(info.as_ref().map_or(&[][..], |info| &info.methods), rng);
    let rewritten = match instrument(bytes, &plan) {
        Ok(rewritten) => rewritten,
        Err(refusal) => return outcome((info.is_ok(), discriminant(&refusal))),
    };
    assert_eq!(rewritten.outcomes.len(), plan.probes().len());
    let kinds = rewritten.outcomes.iter().map(|(_, result)| match result {
        Ok(report) => (true, u64::from(report.large) + 2 * u64::from(report.intrinsic)),
        Err(untouched) => (false, outcome(untouched.to_string().len())),
    });
    let kinds: Vec<_> = kinds.collect();
    if kinds.iter().all(|(instrumented, _)| !instrumented) {
        assert_eq!(rewritten.bytes, bytes, "nothing was instrumented");
    } else if let Ok(info) = &info {
        let new = inspect(&rewritten.bytes).expect("the original was a class file, so the result is one");
        check_rest(info, &new, &plan);
    }
    outcome(kinds)
}

/// All but the code of the planned methods is as it was.
fn check_rest(old: &ClassInfo, new: &ClassInfo, plan: &Plan) {
    let planned = |method: &MethodInfo| {
        let same = |probe: &Probe| probe.method_name == method.name && probe.descriptor == method.descriptor;
        plan.probes().iter().any(same)
    };
    let rest = |info: &ClassInfo| {
        let mut rest = info.clone();
        let changed = rest.methods.iter_mut().filter(|method| planned(method));
        changed.for_each(|method| method.code_bytes = None);
        rest
    };
    assert_eq!(rest(old), rest(new));
}

/// Some of the methods, or one that the class need not have.
fn plan(methods: &[MethodInfo], rng: &mut Rng) -> Plan {
    let probe = |name: &str, descriptor: &str, rng: &mut Rng| Probe {
        method_name: name.to_owned(),
        descriptor: descriptor.to_owned(),
        id: rng.below(4096) as u32,
        sizes: rng.pick(&[Sizes::None, Sizes::Shallow, Sizes::Deep]).copied().unwrap_or(Sizes::None),
    };
    let mut plan = Plan::default();
    for _ in 0..1 + rng.below(4) {
        match rng.pick(methods) {
            Some(method) => plan.add(probe(&method.name, &method.descriptor, rng)),
            None => plan.add(probe("<init>", "()V", rng)),
        }
    }
    plan
}

/// The programs that the end-to-end tests run, compiled.
fn classes() -> Vec<Vec<u8>> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests-java");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("classes");
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    let mut javac = match std::env::var_os("JAVA_HOME") {
        Some(home) => Command::new(Path::new(&home).join("bin/javac")),
        None => Command::new("javac"),
    };
    let output =
        javac.args(["-g", "--release", "11", "-d"]).arg(&folder).args(files(&sources, "java")).output();
    let output = output.expect("a JDK's javac is needed: install one or point JAVA_HOME at it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let classes: Vec<_> = files(&folder, "class").iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(classes.len() > 10, "there are programs to compile");
    classes
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files.sort();
    files
}
