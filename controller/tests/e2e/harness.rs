//! The machine's part of the tests: the executables under test, Java, and compiled test programs.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Longest wait of a test; it fails when the awaited event has not come by then. Long, because machines are loaded.
pub const DEADLINE: Duration = Duration::from_secs(180);

/// The controller under test.
pub fn spl() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_spl"))
}

/// The agent's library.
pub fn agent() -> PathBuf {
    beside_spl("libspl_agent.so", "spl-agent")
}

/// The library of the agent that shows bytecode.
pub fn witness() -> PathBuf {
    beside_spl("libspl_witness.so", "spl-witness")
}

fn beside_spl(file: &str, package: &str) -> PathBuf {
    let path = spl().with_file_name(file);
    assert!(path.is_file(), "{} is missing: run cargo build -p {package}", path.display());
    path
}

/// The project's root folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the project's root folder")
}

/// The launcher of the JVM to measure.
pub fn java() -> PathBuf {
    env::var_os("SPL_TEST_JAVA").map_or_else(|| of_java_home("java"), PathBuf::from)
}

/// The launcher's file, also where only the search path leads to it.
pub fn found_java() -> PathBuf {
    let java = java();
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&folders).map(|folder| folder.join(&java)).find(|path| path.is_file());
    found.unwrap_or(java)
}

/// A tool of the JDK to measure, as `jcmd`.
pub fn jdk_tool(tool: &str) -> PathBuf {
    java().with_file_name(tool)
}

/// A tool of the JDK to build with.
pub fn of_java_home(tool: &str) -> PathBuf {
    match env::var_os("JAVA_HOME").filter(|home| !home.is_empty()) {
        Some(home) => Path::new(&home).join("bin").join(tool),
        None => tool.into(),
    }
}

/// The folder with the compiled test programs.
pub fn classes() -> &'static Path {
    static CLASSES: OnceLock<PathBuf> = OnceLock::new();
    CLASSES.get_or_init(compile)
}

/// Test processes run side by side: each text of the programs has a folder, which is there as a whole or not at all.
fn compile() -> PathBuf {
    let sources = root().join("tests-java");
    let files = fs::read_dir(&sources).expect("the test programs are there").map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "java")).collect();
    files.sort();
    let mut texts = DefaultHasher::new();
    for file in &files {
        (file, fs::read(file).unwrap()).hash(&mut texts);
    }
    of_java_home("javac").hash(&mut texts);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let target = folder.join(format!("tests-java-{:016x}", texts.finish()));
    if !target.is_dir() {
        let unfinished = tempfile::tempdir_in(folder).unwrap();
        javac(files, ["-sourcepath".as_ref(), &sources], unfinished.path());
        // Another process may have been first, with the same.
        if fs::rename(unfinished.path(), &target).is_ok() {
            let _ = unfinished.keep();
        }
    }
    target
}

/// Compiles Java files into a folder; `from` says to javac where what they need else is, such as `-cp` and a JAR.
pub fn javac(files: impl IntoIterator<Item = PathBuf>, from: [&Path; 2], target: &Path) {
    let javac = of_java_home("javac");
    let output = Command::new(&javac)
        .args(["--release", "11", "-encoding", "UTF-8", "-Xlint:all", "-Werror", "-d"])
        .arg(target)
        .args(from)
        .args(files)
        .output()
        .unwrap_or_else(|error| panic!("cannot start {}: {error}; install a JDK", javac.display()));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A JAR of these entries.
pub fn jar(path: &Path, entries: &[(String, Vec<u8>)]) {
    let mut jar = zip::ZipWriter::new(fs::File::create(path).unwrap());
    for (name, bytes) in entries {
        jar.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        jar.write_all(bytes).unwrap();
    }
    jar.finish().unwrap();
}

/// The entries of a JAR, in order.
pub fn unjar(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut jar = zip::ZipArchive::new(fs::File::open(path).unwrap()).unwrap();
    let count = jar.len();
    let entry = |index| {
        let mut entry = jar.by_index(index).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        (entry.name().unwrap().into_owned(), bytes)
    };
    (0..count).map(entry).collect()
}

/// Tries again and again until there is something, for what announces itself by no event.
pub fn poll<T>(what: &str, at_most: Duration, mut attempt: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + at_most;
    loop {
        if let Some(result) = attempt() {
            return result;
        }
        assert!(Instant::now() < until, "waited {at_most:?} in vain for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Number of repetitions: `usual` times, or `soak` times under `make soak`.
pub fn many(usual: u64, soak: u64) -> u64 {
    if env::var_os("SPL_SOAK").is_some() { soak } else { usual }
}
