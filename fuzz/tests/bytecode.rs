//! Class files: real ones, damaged.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod java;

use java::{classes, run, tool};
use spl_bytecode::{ClassInfo, MethodInfo, Plan, Probe, inspect, instrument};
use spl_fuzz::{Campaign, Rng, corpus, outcome};
use spl_model::{InstrumentId, ProbeKind, Sizing};
use std::fs;
use std::mem::discriminant;
use std::path::Path;

/// Attributes known to the rewriter, and instructions of variable length.
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
        seeds: [corpus("bytecode"), classes("classes")].concat(),
        words: &WORDS,
        // Class files are brittle: more mutations would test little but the reader of the constant pool.
        mutations: 2,
        max_bytes: 1 << 16,
        iterations: 3_000,
        failures: env!("CARGO_TARGET_TMPDIR").into(),
    };
    campaign.run(check);
}

/// Damaged classes for the JVM; few enough for every test run.
const MUTANTS: usize = 6_000;

#[test]
fn what_the_jvm_accepts_it_accepts_rewritten() {
    let classes = classes("judged");
    let mut rng = Rng::new(1);
    let mut pairs = Vec::new();
    for _ in 0..MUTANTS {
        // Little damage to an intact class: the JVM accepts almost none of a campaign's mutants.
        let mut bytes = rng.pick(&classes).cloned().unwrap_or_default();
        for _ in 0..=rng.below(2) {
            damage(&mut bytes, &mut rng);
        }
        let Ok(info) = inspect(&bytes) else { continue };
        let with_code = info.methods.iter().filter(|method| method.code_bytes.is_some());
        let probe = |method: &MethodInfo| {
            Probe::new(&method.name, &method.descriptor, InstrumentId(1), ProbeKind::Times(Sizing::Deep))
        };
        let Ok(new) = instrument(&bytes, &with_code.map(probe).collect()) else { continue };
        if new.bytes != bytes {
            pairs.push([bytes, new.bytes]);
        }
    }
    judge(&pairs, "judged");
}

/// Changes one byte, mostly to a nearby byte or a near number.
fn damage(bytes: &mut [u8], rng: &mut Rng) {
    let at = rng.below(bytes.len());
    let nearby = bytes.get((at + rng.below(64)).saturating_sub(32)).copied();
    let random = rng.bits() as u8;
    let by = rng.pick(&[1, 0xff, 3]).copied().unwrap_or(1);
    if let Some(byte) = bytes.get_mut(at) {
        *byte = match rng.below(4) {
            0 => random,
            1 => byte.wrapping_add(by),
            _ => nearby.unwrap_or(random),
        };
    }
}

/// A class, and the rewriter's result for it.
type Pair = [Vec<u8>; 2];

/// Makes the JVM link every accepted class: the original, and if that succeeds, the rewritten one.
fn judge(pairs: &[Pair], folder: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("java/Pairs.java");
    run(tool("javac").args(["--release", "11", "-d"]).arg(&folder).arg(source));
    let file = folder.join("pairs");
    let mut bytes = Vec::new();
    for class in pairs.iter().flatten() {
        bytes.extend((class.len() as u32).to_be_bytes());
        bytes.extend(class);
    }
    fs::write(&file, bytes).unwrap();
    let mut java = tool("java");
    java.args(["-Xverify:all", "-XX:TieredStopAtLevel=1", "-cp"]).arg(&folder).arg("Pairs").arg(&file);
    let printed = run(&mut java);
    let (faults, accepted) = printed.trim_end().rsplit_once('\n').unwrap_or(("", printed.trim_end()));
    let accepted: usize = accepted.strip_prefix("accepted ").and_then(|count| count.parse().ok()).unwrap();
    eprintln!("fuzz bytecode: {} classes rewritten, of which the JVM accepts {accepted}", pairs.len());
    assert!(accepted > MUTANTS / 20, "so few say nothing");
    assert_eq!(faults, "", "the rewritten class of a pair in {} is not accepted", file.display());
}

fn check(bytes: &[u8], rng: &mut Rng) -> u64 {
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

/// Everything except the code of the planned methods is unchanged.
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

/// Some of the methods, or a method that may not exist in the class.
fn plan(methods: &[MethodInfo], rng: &mut Rng) -> Plan {
    let sizings =
        [Sizing::None, Sizing::Shallow, Sizing::Deep, Sizing::Length, Sizing::Processor(String::new())];
    let probe = |name: &str, descriptor: &str, rng: &mut Rng| {
        let id = InstrumentId(rng.below(4096) as u32);
        let sizing = rng.pick(&sizings).cloned().unwrap_or(Sizing::None);
        Probe::new(name, descriptor, id, ProbeKind::Times(sizing))
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
