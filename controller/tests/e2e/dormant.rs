//! An agent for which no controller has come: the program is as it would be without.

use crate::harness;
use crate::running::plainly;
use spl_overhead::{Door, Program};
use std::process::Command;

/// Bytes of the room for samples, of which most is never touched.
const SAMPLES: u64 = 144 << 20;

/// The largest mapping of a process that is nothing but memory, and can be written.
fn largest_mapping(pid: u32) -> u64 {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let bytes = |line: &str| {
        let mut fields = line.split_ascii_whitespace();
        let (from, to) = fields.next()?.split_once('-')?;
        let [from, to] = [from, to].map(|address| u64::from_str_radix(address, 16).unwrap());
        (fields.next()?.starts_with("rw") && fields.nth(3).is_none()).then(|| to - from)
    };
    // Neighbours may be one mapping.
    maps.lines().filter_map(bytes).max().unwrap()
}

#[test]
fn a_program_that_locks_its_memory_locks_none_of_the_room_for_samples() {
    let door = Door::open().unwrap();
    let classes = harness::classes().display().to_string();
    let option = door.option(&harness::agent());
    // The JVM's own mappings are smaller.
    let heap = ["-Xms16m", "-Xmx32m", "-XX:ReservedCodeCacheSize=32m", "-XX:+UseSerialGC"];
    let arguments = heap.into_iter().chain([&*option, "-cp", &classes, "Carriers"]);
    let mut program = Program::start(&harness::java(), arguments).unwrap();
    program.expect("ready").unwrap();
    let dormant = largest_mapping(program.id());
    assert!(dormant < SAMPLES, "{dormant} bytes");
    let _agent = door.accept().unwrap();
    let measured = largest_mapping(program.id());
    assert!(measured >= SAMPLES, "{measured} bytes");
    program.end().unwrap();
}

#[test]
fn a_run_that_records_an_aot_cache_makes_it_as_without_the_agent() {
    let folder = tempfile::tempdir().unwrap();
    // A cache is made of classes in archives only.
    let program = folder.path().join("program.jar");
    let class = |name: &str| {
        (
            format!("{name}.class"),
            std::fs::read(harness::classes().join(name).with_extension("class")).unwrap(),
        )
    };
    harness::jar(&program, &["CompareLoop", "Life"].map(class));
    let cache = folder.path().join("program.aot");
    let run = |agent: &[String]| {
        let _ = std::fs::remove_file(&cache);
        let mut java = Command::new(harness::java());
        // JVMs before 25 do not know it, and have no cache to make.
        java.arg("-XX:+IgnoreUnrecognizedVMOptions").arg(format!("-XX:AOTCacheOutput={}", cache.display()));
        java.args(agent).arg("-cp").arg(&program).args(["CompareLoop", "1000"]);
        let (status, out, _) = plainly(&mut java);
        (status, out.lines().next().map(str::to_owned), cache.exists())
    };
    let alone = run(&[]);
    assert_eq!(alone.0, Some(0));
    let door = Door::open().unwrap();
    assert_eq!(run(&[door.option(&harness::agent())]), alone);
    if !alone.2 {
        return;
    }
    // A drill says why it counts nothing, and waits for the program's end.
    let mut drill = Command::new(harness::spl());
    drill.args(["drill", "--all", "--out"]).arg(folder.path().join("out")).arg("--").arg(harness::java());
    drill.arg(format!("-XX:AOTCacheOutput={}", cache.display())).arg("-cp").arg(&program);
    let (status, out, said) = plainly(drill.args(["CompareLoop", "1000"]));
    assert_eq!((status, out.lines().next().map(str::to_owned)), (Some(2), alone.1));
    assert!(
        said.contains("this JVM records an AOT cache") && said.contains("the program ended with status 0"),
        "{said}"
    );
}
