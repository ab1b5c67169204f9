//! Compiles Java sources in a build script: the agent's classes, and the interfaces of size processors.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles `sources` into a folder of this name in the build script's output and returns that folder. `options`
/// set the target JVM.
pub fn compile(folder: &str, options: &[&str], sources: &[&str]) -> Result<PathBuf, String> {
    println!("cargo::rerun-if-env-changed=JAVA_HOME");
    let out =
        PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: build with cargo")?).join(folder);
    // A source that the build script wrote is newer than the script's run: cargo would run it each time.
    for source in
        sources.iter().filter(|one| !out.parent().is_some_and(|own| Path::new(one).starts_with(own)))
    {
        println!("cargo::rerun-if-changed={source}");
    }
    std::fs::create_dir_all(&out).map_err(|e| format!("cannot create {}: {e}", out.display()))?;
    let javac = javac();
    let output = Command::new(&javac)
        .args(["-nowarn", "-Xlint:-options"])
        .args(options)
        .arg("-d")
        .arg(&out)
        .args(sources)
        .output()
        .map_err(|e| {
            format!(
                "cannot run {} ({e}): the Java sources need a JDK 17 compiler. Install one \
                 (Debian: openjdk-17-jdk-headless) or point JAVA_HOME at it.",
                javac.display()
            )
        })?;
    if output.status.success() {
        return Ok(out);
    }
    let said = String::from_utf8_lossy(&output.stderr).replace('\n', " | ");
    Err(format!("{} refused the Java sources; they need a JDK 17 compiler: {said}", javac.display()))
}

/// `javac` of `JAVA_HOME` if it exists there, else the one on the path.
fn javac() -> PathBuf {
    env::var_os("JAVA_HOME")
        .map(|home| Path::new(&home).join("bin").join("javac"))
        .filter(|javac| javac.is_file())
        .unwrap_or_else(|| PathBuf::from("javac"))
}
