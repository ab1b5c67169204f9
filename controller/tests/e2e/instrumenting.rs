//! `spl instrument`: classes with probes on disk, which run as before wherever there is the agent.

use crate::case::{self, Case};
use crate::harness;
use crate::running::{Ended, Running, plainly};
use std::fs;
use std::process::Command;

const FAST: &str = "CompareLoop.fast([I)J";
const COMPARE: &str = "java/lang/Integer.compareTo(Ljava/lang/Integer;)I";

fn instrument(case: &Case, methods: &str, input: &str, output: &str) -> Ended {
    let arguments =
        ["instrument", "--methods", methods, "--argument-size", "deep", input, "--output", output];
    Running::start(case.spl_with(&arguments), &case.path("")).ends()
}

/// A JAR with two classes and something else.
fn with_jar(case: &Case) {
    let class = |name: &str| (name.to_owned(), fs::read(harness::classes().join(name)).unwrap());
    let text = ("META-INF/notes.txt".to_owned(), b"as it was".to_vec());
    harness::jar(&case.path("in.jar"), &[class("CompareLoop.class"), text, class("Life.class")]);
}

#[test]
fn a_jar_with_probes_runs_as_before_and_is_not_measured_for_another() {
    let alone = plainly(Command::new(harness::java()).args(&case::java(&["CompareLoop", "0"])[1..]));
    let case = Case::measuring(&[COMPARE, FAST]).set("controller", "max-method-measurements", "50");
    with_jar(&case);
    let ended = instrument(&case, "CompareLoop#*", "in.jar", "out.jar");
    ended.assert_status(0);
    assert!(ended.out.contains(" methods instrumented, 0 refused: out.jar\n"), "{}", ended.out);
    let [before, after] = ["in.jar", "out.jar"].map(|name| harness::unjar(&case.path(name)));
    assert_eq!(before[1..], after[1..], "nothing but the class is touched");
    assert_eq!(before[0].0, after[0].0);
    assert_ne!(before[0].1, after[0].1);

    // The agent adds probes of its own; its numbers are not those of the probes on disk.
    let jar = case.path("out.jar").into_os_string();
    let mut run = case.start([harness::java().into(), "-cp".into(), jar, "CompareLoop".into(), "0".into()]);
    run.awaits(&format!("spl: {FAST} cannot be measured: it has probes already"));
    run.awaits("spl: every class is as it was");
    let ended = run.ends();
    ended.assert_status(0);
    assert_eq!(ended.out, alone.1);
    ended
        .assert_said(&[&format!("spl: {COMPARE}: average "), &format!("spl: {FAST}: it has probes already")]);
    assert!(case.measurements(COMPARE).len() >= 50);
    assert_eq!(case.measurements(FAST).len(), 0);

    // Once more changes nothing, and says why.
    let again = instrument(&case, "CompareLoop#*", "out.jar", "again.jar");
    again.assert_status(2);
    assert!(again.out.contains(&format!("{FAST}: refused: it has probes already")), "{}", again.out);
    assert!(again.out.contains("\n0 methods instrumented, "), "{}", again.out);
    assert_eq!(harness::unjar(&case.path("again.jar")), after);
}

#[test]
fn a_class_file_keeps_what_is_refused() {
    let case = Case::measuring(&[FAST]);
    let source = "abstract class Kinds { abstract int none(); native int other(); int twice(int n) { return 2 * n; } }";
    fs::write(case.path("Kinds.java"), source).unwrap();
    harness::javac([case.path("Kinds.java")], ["-sourcepath".as_ref(), &case.path("")], &case.path(""));
    let ended = instrument(&case, "*", "Kinds.class", "out.class");
    ended.assert_status(0);
    let lines = ended.out.lines().collect::<Vec<_>>();
    let [none, other, sum] = lines[..] else { panic!("{lines:?}") };
    assert!(none.starts_with("Kinds.none()I: refused: "), "{none}");
    assert!(other.starts_with("Kinds.other()I: refused: "), "{other}");
    // The constructor is the second.
    assert_eq!(sum, "2 methods instrumented, 2 refused: out.class");
    // Where none can be instrumented there is nothing to look at, and nothing went well.
    let ended = instrument(&case, "Kinds#none", "Kinds.class", "none.class");
    ended.assert_status(2);
    assert!(ended.out.ends_with("0 methods instrumented, 1 refused: none.class\n"), "{}", ended.out);
    assert_eq!(fs::read(case.path("none.class")).unwrap(), fs::read(case.path("Kinds.class")).unwrap());
}

#[test]
fn what_cannot_be_instrumented_leaves_no_file() {
    let case = Case::measuring(&[FAST]);
    with_jar(&case);
    fs::write(case.path("text"), "neither of both").unwrap();
    fs::write(case.path("cut.class"), [0xca, 0xfe, 0xba, 0xbe, 0, 0]).unwrap();
    let check = |methods: &str, input: &str, part: &str| {
        let ended = instrument(&case, methods, input, "out");
        ended.assert_status(2);
        ended.assert_said(&["spl: error: ", part]);
        assert!(!case.path("out").exists(), "{part}");
    };
    check("Compare#none", "in.jar", "in.jar has no method that Compare#none means; nothing was written");
    check("Compare#", "in.jar", "the methods are not understood");
    check("*", "text", "neither a class file nor a JAR");
    check("*", "cut.class", "cut.class: malformed class file");
    check("*", "missing.jar", "cannot read missing.jar: No such file");
    let ended = instrument(&case, "*", "in.jar", "text/out.jar");
    ended.assert_status(2);
    ended.assert_said(&["cannot write text/out.jar"]);
}

#[test]
fn the_gate_of_classes_on_disk_is_never_opened() {
    let case = Case::measuring(&["Life.wantsRound()Z"]).endless();
    let mut run = case.java(&["NobodysGate", "0"]);
    // The agent has warmed its probe and found its price by now, through a gate of its own.
    run.awaits_agent();
    case.awaits_measurements("Life.wantsRound()Z", 100);
    let ended = run.ends();
    ended.assert_status(0);
    assert_eq!(ended.out, "ready\nopen 0 times\nended\n");
}

/// A JAR of several releases with a sealed package and a signature, and a program in it.
fn signed_jar(case: &Case) {
    let source = "package sealed; public class Main { \
                  public static void main(String[] a) { System.out.println(work(3) + (Main.class.getPackage().isSealed() ? \" sealed\" : \"\")); } \
                  static int work(int n) { return n + BASE; } static final int BASE = Integer.parseInt(\"100\"); }";
    let folders = ["classes", "versions/META-INF/versions/11"].map(|name| case.path(name));
    for (folder, base) in folders.iter().zip(["100", "200"]) {
        fs::create_dir_all(folder).unwrap();
        fs::write(case.path("Main.java"), source.replace("100", base)).unwrap();
        harness::javac([case.path("Main.java")], ["-sourcepath".as_ref(), &case.path("")], folder);
    }
    fs::write(
        case.path("manifest.txt"),
        "Main-Class: sealed.Main\nMulti-Release: true\n\nName: sealed/\nSealed: true\n",
    )
    .unwrap();
    let tool = |tool: &str, arguments: &[&str]| {
        let mut command = Command::new(harness::of_java_home(tool));
        let (status, out, err) = plainly(command.current_dir(case.path("")).args(arguments));
        assert_eq!(status, Some(0), "{tool}: {out}{err}");
    };
    let content = ["-C", "classes", ".", "-C", "versions", "."];
    tool(
        "jar",
        &[&["--create", "--file", "signed.jar", "--manifest", "manifest.txt"], &content[..]].concat(),
    );
    let store = ["-keystore", "keys", "-storepass", "secret", "-keypass", "secret"];
    let key = ["-genkeypair", "-alias", "me", "-keyalg", "RSA", "-dname", "CN=me", "-storetype", "JKS"];
    tool("keytool", &[&key[..], &store].concat());
    tool("jarsigner", &[&store[..], &["signed.jar", "me"]].concat());
}

#[test]
fn a_signed_jar_is_refused_or_loses_its_signature() {
    let case = Case::measuring(&[FAST]);
    signed_jar(&case);
    let alone = plainly(Command::new(harness::java()).arg("-jar").arg(case.path("signed.jar")));
    assert_eq!((alone.0, &*alone.1), (Some(0), "203 sealed\n"));
    let ended = instrument(&case, "sealed.Main#*", "signed.jar", "out.jar");
    ended.assert_status(2);
    ended.assert_said(&["spl: error: signed.jar: the JAR is signed", "--unsign"]);
    assert!(!case.path("out.jar").exists());

    let arguments =
        ["instrument", "--methods", "sealed.Main#*", "--unsign", "signed.jar", "--output", "out.jar"];
    let ended = Running::start(case.spl_with(&arguments), &case.path("")).ends();
    ended.assert_status(0);
    assert!(ended.out.contains("out.jar: without the signature that the JAR had\n"), "{}", ended.out);
    let names = harness::unjar(&case.path("out.jar")).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names[0], "META-INF/MANIFEST.MF");
    assert!(!names.iter().any(|name| name.ends_with(".SF") || name.ends_with(".RSA")), "{names:?}");
    // The agent is there, for the probes to be found, and no controller.
    let mut java = Command::new(harness::java());
    java.env_remove("JAVA_TOOL_OPTIONS");
    java.arg(format!("-agentpath:{}=spl.client.socket=/nonexistent/spl", harness::agent().display()));
    assert_eq!(plainly(java.args(["-Xverify:all", "-jar"]).arg(case.path("out.jar"))).1, alone.1);
    // Its classes are looked at by the JVM: without the agent they miss the probe.
    let without = plainly(Command::new(harness::java()).arg("-jar").arg(case.path("out.jar")));
    assert!(without.2.contains("java/lang/SplProbe"), "{}", without.2);
    // Unsigned archives cause no message.
    let arguments = ["instrument", "--methods", "*", "--unsign", "out.jar", "--output", "again.jar"];
    let ended = Running::start(case.spl_with(&arguments), &case.path("")).ends();
    assert!(!ended.out.contains("without the signature"), "{}", ended.out);
}
