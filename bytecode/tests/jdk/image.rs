//! The classes of a JDK's image: reading them, and replacing them.

use crate::support::{probe_stub, run, sources, tool};
use spl_bytecode::{MethodInfo, Plan, Probe, inspect};
use spl_classfile::class::ClassFile;
use spl_graph::Graph;
use spl_model::{InstrumentId, OfCalls, ProbeKind, Sizing};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

/// One class of an image.
pub struct Class {
    pub module: String,
    /// Path in the module, without `.class`.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// A JDK, or a run-time image of one without a compiler.
pub struct Jdk {
    /// Its feature number, such as 17.
    pub number: String,
    pub home: PathBuf,
}

impl Jdk {
    /// The installed JDK, and the ones that `scripts/jdks.sh` fetched.
    pub fn all() -> Vec<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/jdks.sh");
        let listed = run(Command::new(script).arg("--list"));
        let jdk = |line: &str| {
            let (number, home) = line.split_once(' ').expect("a number and a folder");
            Self { number: number.to_owned(), home: home.into() }
        };
        listed.lines().map(jdk).collect()
    }

    /// A command that runs this JDK's JVM.
    pub fn java(&self) -> Command {
        Command::new(self.home.join("bin/java"))
    }

    /// Its full version, such as `17.0.15`.
    pub fn version(&self) -> String {
        let release = fs::read_to_string(self.home.join("release")).expect("a JDK has a release file");
        let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="));
        version.expect("a release file says the version").trim_matches('"').to_owned()
    }

    /// All classes of its image except descriptions of modules, which have no code; `folder` holds temporary
    /// files.
    pub fn classes(&self, folder: &Path) -> Vec<Class> {
        compile(folder, "Dump.java");
        let dump = folder.join("dump");
        // The JVM's start takes most of the time; the second compiler would only add to it.
        run(self.java().args(["-XX:TieredStopAtLevel=1", "-cp"]).arg(folder).arg("Dump").arg(&dump));
        let bytes = fs::read(&dump).expect("it was written");
        fs::remove_file(dump).expect("it was written");
        let mut rest = &bytes[..];
        let mut take = |length: usize| {
            let (taken, left) = rest.split_at_checked(length)?;
            rest = left;
            Some(taken)
        };
        let mut classes = Vec::new();
        while let Some(length) = take(2) {
            let length = length.try_into().map(u16::from_be_bytes).expect("two bytes");
            let path = take(usize::from(length)).and_then(|path| str::from_utf8(path).ok()).expect("a path");
            let (module, name) = path.split_once('/').expect("module/class");
            let name = name.strip_suffix(".class").expect("the name of a class file");
            let length = take(4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
            let bytes = take(length.expect("a length") as usize).expect("a class file");
            if name != "module-info" {
                classes.push(Class {
                    module: module.to_owned(),
                    name: name.to_owned(),
                    bytes: bytes.to_vec(),
                });
            }
        }
        classes
    }

    /// Makes the JVM verify and link `classes` instead of its own, together with a stub of the probe. Returns
    /// a line for each class that it could not link, and last `linked N`.
    pub fn link(&self, folder: &Path, classes: &[Class]) -> String {
        let stubs = probe_stub(folder);
        let stub = |name: &str| Class {
            module: "java.base".to_owned(),
            name: name.to_owned(),
            bytes: fs::read(stubs.join(format!("{name}.class"))).expect("it was compiled"),
        };
        let stubs = ["SplProbe", "SplArcs", "SplCounters", "SplRoots", "SplTimes", "SplTrace", "SplFlags"]
            .map(|name| stub(&format!("java/lang/{name}")));
        let mut modules: BTreeMap<&str, Vec<&Class>> = BTreeMap::new();
        for class in classes.iter().chain(&stubs) {
            modules.entry(&class.module).or_default().push(class);
        }
        let names = folder.join("names");
        let lines: Vec<_> = classes.iter().map(|class| &class.name[..]).collect();
        fs::write(&names, lines.join("\n")).expect("the folder is writable");
        compile(folder, "Link.java");
        let mut java = self.java();
        java.args(["-Xverify:all", "-Xshare:off", "-XX:TieredStopAtLevel=1", "--add-modules", "ALL-SYSTEM"]);
        for (module, classes) in modules {
            let jar = folder.join(format!("{module}.jar"));
            write_jar(&jar, &classes);
            java.arg(format!("--patch-module={module}={}", jar.display()));
        }
        run(java.arg("-cp").arg(folder).arg("Link").arg(names))
    }
}

/// Compiles a program for all JDKs.
pub fn compile(folder: &Path, program: &str) {
    let javac = &mut tool("javac");
    run(javac.args(["-nowarn", "--release", "11", "-d"]).arg(folder).arg(sources().join(program)));
}

fn write_jar(path: &Path, classes: &[&Class]) {
    let file = File::create(path).expect("the folder is writable");
    let mut jar = ZipWriter::new(BufWriter::new(file));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for class in classes {
        jar.start_file(format!("{}.class", class.name), stored).expect("names differ");
        jar.write_all(&class.bytes).expect("there is room on the disk");
    }
    jar.finish().and_then(|mut out| Ok(out.flush()?)).expect("there is room on the disk");
}

/// A plan with a probe for every method of the class that has code.
pub fn everything(class_bytes: &[u8], sizing: &Sizing) -> Plan {
    let time =
        |name: &str, descriptor: &str, id| Probe::new(name, descriptor, id, ProbeKind::Times(sizing.clone()));
    probes(class_bytes, &[&time])
}

/// A plan with flags in every method with code, as far as they are not set.
pub fn flags(class_bytes: &[u8], is_open: fn(&u32) -> bool) -> Plan {
    // More flags than nearly any method has.
    let open: BTreeSet<u32> = (0..400).filter(is_open).collect();
    probes(class_bytes, &[&|name, descriptor, id| Probe::cover(name, descriptor, id, open.clone())])
}

/// A plan with counters in every method with code, whose calls count apart and with what they enter; and with probes of the time if a size is given.
/// Of three methods one counts the receivers of its calls.
pub fn counters(class_bytes: &[u8], sizing: Option<&Sizing>) -> Plan {
    let time = |name: &str, descriptor: &str, id| {
        Probe::new(name, descriptor, id, ProbeKind::Times(sizing.cloned().unwrap_or(Sizing::None)))
    };
    let root = |name: &str, descriptor: &str, id: InstrumentId| Probe::root(name, descriptor, id, id.0 % 16);
    let calls = |name: &str, descriptor: &str, id: InstrumentId| {
        let of = if id.0.is_multiple_of(900) { OfCalls::Receivers } else { OfCalls::Entered };
        Probe::calls(of, name, descriptor, id)
    };
    let all: [&Make<'_>; 4] = [&root, &Probe::blocks_of_root, &calls, &time];
    probes(class_bytes, if sizing.is_some() { &all } else { &all[..3] })
}

/// A plan that tells all that every method runs, and also counts edges if asked.
pub fn traces(class_bytes: &[u8], blocks: bool, timed: bool) -> Plan {
    let class = ClassFile::read(class_bytes).expect("a class file");
    let mut plan = Plan::default();
    for (method, number) in class.methods.iter().filter(|method| method.code.is_some()).zip(0..) {
        let id = InstrumentId(number * 300);
        // Methods without a graph are refused by each kind that needs it.
        let Ok(graph) = Graph::of(&class, method) else { continue };
        let probe = Probe::trace(&graph, id, id.0.is_multiple_of(5).then_some(id.0));
        // Of three methods one has a place in the order of all threads.
        let probe = if number % 3 == 0 { probe.in_total_order() } else { probe };
        let probe = if number % 2 == 0 { probe.with_receivers() } else { probe };
        let probe = if timed { probe.with_times() } else { probe };
        if blocks {
            plan.add(Probe::blocks(&probe.method_name, &probe.descriptor, id));
        }
        plan.add(probe);
    }
    plan
}

/// A plan with counters of paths in every method with code, with those of edges if `blocks` is set.
pub fn paths(class_bytes: &[u8], blocks: bool) -> Plan {
    probes(class_bytes, &[&|name, descriptor, id| Probe::paths(name, descriptor, id, blocks)])
}

/// Makes a probe of a method's name and descriptor and its number.
type Make<'m> = dyn Fn(&str, &str, InstrumentId) -> Probe + 'm;

fn probes(class_bytes: &[u8], makes: &[&Make<'_>]) -> Plan {
    let methods = inspect(class_bytes).expect("a class file").methods;
    let with_code = methods.into_iter().filter(|method| method.code_bytes.is_some());
    let of_method = |(number, method): (u32, MethodInfo)| {
        // Ids of one, two and four bytes.
        let id = InstrumentId(number * 300);
        let probes = makes.iter().map(|make| make(&method.name, &method.descriptor, id));
        probes.collect::<Vec<_>>()
    };
    (0..).zip(with_code).flat_map(of_method).collect()
}
