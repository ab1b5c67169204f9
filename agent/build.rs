//! Compiles the Java classes that the agent embeds. One set of class files serves JDK 11 to 25.

mod javac;

use std::process::Command;

const SOURCES: [&str; 11] = [
    "java/java/lang/SplJdk.java",
    "java/java/lang/SplProbe.java",
    "java/java/lang/SplProcessors.java",
    "java/java/lang/SplRecorder.java",
    "java/java/lang/SplLengths.java",
    "java/java/lang/SplSizes.java",
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
    if let Err(message) = javac::compile(&options, &SOURCES) {
        println!("cargo::error={message}");
    }
    println!("cargo::rerun-if-changed=build.rs");
    if has_static_unwinder() {
        // Linked before the shared library, which is not needed then. Few JVMs have loaded the shared one
        // already, and loading it takes longer than loading the agent.
        println!("cargo::rustc-link-lib=dylib=gcc_eh");
    }
}

/// Whether the linker's driver finds GCC's unwinder as an archive. If so it prints a path, else the bare
/// name.
fn has_static_unwinder() -> bool {
    let output = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output();
    output.is_ok_and(|output| output.stdout.contains(&b'/'))
}
