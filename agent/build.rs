//! Compiles the Java classes that the agent embeds. One set of class files serves JDK 11 to 25.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCES: [&str; 2] = ["java/java/lang/SplProbe.java", "java/java/lang/SplSizes.java"];

fn main() {
    println!("cargo::rerun-if-env-changed=JAVA_HOME");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
    }
    if let Err(message) = compile() {
        println!("cargo::error={message}");
    }
}

fn compile() -> Result<(), String> {
    let out =
        PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: build with cargo")?).join("java");
    std::fs::create_dir_all(&out).map_err(|e| format!("cannot create {}: {e}", out.display()))?;
    let javac = javac();
    let output = Command::new(&javac)
        .args(["-nowarn", "-Xlint:-options", "-g:source,lines", "-source", "11", "-target", "11"])
        .args(["--patch-module", "java.base=java", "-d"])
        .arg(&out)
        .args(SOURCES)
        .output()
        .map_err(|e| {
            format!(
                "cannot run {} ({e}): the agent's Java sources need a JDK 17 compiler. Install one \
                 (Debian: openjdk-17-jdk-headless) or point JAVA_HOME at it.",
                javac.display()
            )
        })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).replace('\n', " | ");
    Err(format!("{} refused the agent's Java sources; they need a JDK 17 compiler: {said}", javac.display()))
}

/// `javac` of `JAVA_HOME` where it has one, else of the path.
fn javac() -> PathBuf {
    env::var_os("JAVA_HOME")
        .map(|home| Path::new(&home).join("bin").join("javac"))
        .filter(|javac| javac.is_file())
        .unwrap_or_else(|| PathBuf::from("javac"))
}
