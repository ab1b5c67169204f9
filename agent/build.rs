//! Compiles the Java classes that the agent embeds. One set of class files serves JDK 11 to 25.

mod javac;

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

const SOURCES: [&str; 18] = [
    "java/java/lang/SplArcs.java",
    "java/java/lang/SplJdk.java",
    "java/java/lang/SplCounters.java",
    "java/java/lang/SplFlags.java",
    "java/java/lang/SplNumbers.java",
    "java/java/lang/SplProbe.java",
    "java/java/lang/SplProcessors.java",
    "java/java/lang/SplRecorder.java",
    "java/java/lang/SplRoots.java",
    "java/java/lang/SplLengths.java",
    "java/java/lang/SplSizes.java",
    "java/java/lang/SplTimes.java",
    "java/java/lang/SplTrace.java",
    "java/spl/size/Computable.java",
    "java/spl/size/MethodSize.java",
    "java/spl/size/ScaleBase.java",
    "java/spl/size/SizeAggregator.java",
    "java/spl/size/SizeProcessor.java",
];

fn main() {
    // No debug information, because the JVM reads it at the program's start. String concatenation is compiled
    // to calls, so that no method handles are made in a thread of the program.
    let options = [
        "-g:none",
        "-source",
        "11",
        "-target",
        "11",
        "-XDstringConcat=inline",
        "--patch-module",
        "java.base=java",
    ];
    if let Err(message) = javac::compile("java", &options, &SOURCES) {
        println!("cargo::error={message}");
    }
    if let Err(message) = for_virtual_threads(&options) {
        println!("cargo::error={message}");
    }
    println!("cargo::rerun-if-changed=build.rs");
    if has_static_unwinder() {
        // Linked before the shared library, which is not needed then. Few JVMs have loaded the shared one
        // already, and loading it takes longer than loading the agent.
        println!("cargo::rustc-link-lib=dylib=gcc_eh");
    }
}

/// Compiles the classes of the counters and of arcs once more, with other statements for virtual threads.
fn for_virtual_threads(options: &[&str]) -> Result<(), String> {
    const ATOMIC: (&str, &str) =
        ("U.putLong(null, at, U.getLong(null, at) + 1);", "U.getAndAddLong(null, at, 1);");
    const AGAIN: (&str, &str) = ("long own = arena;", "long own = arena();");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: build with cargo")?);
    let root = out.join("virtual-source");
    let module = format!("java.base={}", root.display());
    let options: Vec<&str> =
        options.iter().map(|one| if *one == "java.base=java" { module.as_str() } else { one }).collect();
    let folder = root.join("java/lang");
    fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let mut sources = Vec::new();
    for (name, (plain, other), times) in [("SplCounters", ATOMIC, 9), ("SplArcs", AGAIN, 6)] {
        let text = fs::read_to_string(format!("java/java/lang/{name}.java")).map_err(|e| e.to_string())?;
        if text.matches(plain).count() != times {
            return Err(format!("{name}.java has the statement `{plain}` not {times} times"));
        }
        let source = folder.join(format!("{name}.java"));
        fs::write(&source, text.replace(plain, other)).map_err(|e| e.to_string())?;
        sources.push(source.to_str().ok_or("the path of OUT_DIR is not UTF-8")?.to_owned());
    }
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    javac::compile("virtual", &options, &sources).map(drop)
}

/// Whether the linker's driver finds GCC's unwinder as an archive. If so it prints a path, else the bare
/// name.
fn has_static_unwinder() -> bool {
    let output = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output();
    output.is_ok_and(|output| output.stdout.contains(&b'/'))
}
