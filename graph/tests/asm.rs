//! Graphs compared with those of ASM, the library that the JDK itself reads classes with: the same
//! instructions may follow each other.
//!
//! `SPL_EVERY_CLASS=1` compares all classes of all JDKs at hand, otherwise one of some hundred of the installed one.

use spl_classes::{Catalogue, Jdk};
use spl_classfile::class::{ClassFile, Method};
use spl_classfile::code::Code;
use spl_classfile::instruction::decode;
use spl_graph::{EdgeKind, Graph, NoGraph, forms};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const STEP: usize = 307;
/// The newest JDK that is known to have ASM inside; 25 has none.
const LAST_WITH_ASM: u32 = 21;

#[test]
fn asm_has_the_same_edges() {
    let installed = Jdk::installed().expect("the tests have a JDK");
    let listed =
        run(Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/jdks.sh")).arg("--list"));
    let text = String::from_utf8_lossy(&listed.stdout);
    let homes = text.lines().map(|line| line.split_once(' ').expect("a number and a folder").1);
    let jdks: Vec<Jdk> = homes.map(|home| Jdk::at(Path::new(home))).collect();
    let has_asm = |jdk: &&Jdk| jdk.release.is_some_and(|release| release <= LAST_WITH_ASM);
    let judge = [&installed].into_iter().chain(&jdks).find(has_asm).expect("one of the JDKs has ASM");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("asm");
    let asm = Asm { judge, folder: &folder };
    let mut javac = Command::new(installed.home.join("bin/javac"));
    javac.args(["-nowarn", "-source", "11", "-target", "11"]).args(exports()).arg("-d").arg(&folder);
    run(javac.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/Edges.java")));
    if std::env::var_os("SPL_EVERY_CLASS").is_none() {
        return compare(&installed, STEP, &asm);
    }
    for jdk in &jdks {
        compare(jdk, 1, &asm);
    }
}

/// ASM, as a JDK has it.
struct Asm<'t> {
    judge: &'t Jdk,
    /// Where the program lies that asks it.
    folder: &'t Path,
}

/// Compares one of `step` classes of a JDK.
fn compare(jdk: &Jdk, step: usize, asm: &Asm<'_>) {
    let mut catalogue = Catalogue::open(&[], Some(jdk));
    let names: Vec<_> = catalogue.names().into_iter().step_by(step).collect();
    let read = |name: &String| catalogue.bytes(name).expect("the JDK's classes can be read");
    let classes: Vec<Vec<u8>> = names.iter().map(read).collect();
    let ours = classes.iter().flat_map(|bytes| lines(bytes)).collect::<Vec<_>>();
    let theirs = asm.lines(&classes);
    assert_eq!(theirs.lines().count(), ours.len(), "methods");
    let different: Vec<_> =
        theirs.lines().zip(&ours).filter(|(theirs, ours)| theirs != ours).take(9).collect();
    assert!(different.is_empty(), "ASM and we differ: {different:#?}");
    println!(
        "{} methods of {} classes of {} have the same edges",
        ours.len(),
        names.len(),
        jdk.home.display()
    );
}

fn exports() -> Vec<String> {
    let export =
        |package| format!("--add-exports=java.base/jdk.internal.org.objectweb.{package}=ALL-UNNAMED");
    ["asm", "asm.tree", "asm.tree.analysis"].map(export).into()
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

impl Asm<'_> {
    /// ASM's edges of these classes, a line for each method.
    fn lines(&self, classes: &[Vec<u8>]) -> String {
        let (input, output) = (self.folder.join("classes"), self.folder.join("edges"));
        let mut bytes = (classes.len() as u32).to_be_bytes().to_vec();
        for class in classes {
            bytes.extend((class.len() as u32).to_be_bytes());
            let (head, rest) = class.split_at(6);
            bytes.extend(head);
            // ASM reads no version that is newer than its JDK, 44 more than its release. Code is the same in all of them.
            let major = u16::from_be_bytes([rest[0], rest[1]])
                .min(44 + self.judge.release.unwrap_or_default() as u16);
            bytes.extend(major.to_be_bytes());
            bytes.extend(&rest[2..]);
        }
        fs::write(&input, bytes).expect("the folder is writable");
        let mut java = Command::new(self.judge.home.join("bin/java"));
        run(java.args(exports()).arg("-cp").arg(self.folder).arg("Edges").args([&input, &output]));
        let text = fs::read_to_string(&output).expect("it was written");
        fs::remove_file(input).and_then(|()| fs::remove_file(output)).expect("the files are this test's own");
        text
    }
}

/// The same lines of our graphs.
fn lines(bytes: &[u8]) -> Vec<String> {
    let class = ClassFile::read(bytes).expect("a class file");
    let line = |method: &Method<'_>| match Graph::of(&class, method) {
        Ok(graph) => {
            let edges = edges(&graph, bytes, &class, method);
            Some(format!("{} {} {:x}", forms::method_name(&graph), edges.len(), hash(&edges)))
        }
        Err(NoGraph::NoCode) => None,
        Err(other) => panic!("{:?}: {other}", class.name()),
    };
    class.methods.iter().filter_map(line).collect()
}

/// Pairs of instructions of which the second may follow the first, by their places; of what no path leads to, ASM knows none.
fn edges(
    graph: &Graph<'_>,
    bytes: &[u8],
    class: &ClassFile<'_>,
    method: &Method<'_>,
) -> BTreeSet<(u32, u32)> {
    let info = method.code.clone().expect("it has a graph");
    let code = Code::read(&bytes[info], &class.pool).expect("it has a graph");
    let offsets: Vec<u32> = decode(code.bytes).expect("it has a graph").iter().map(|insn| insn.at).collect();
    let place = |at: u32| offsets.binary_search(&at).expect("an instruction") as u32;
    let head = |block: usize| place(graph.blocks[block].first);
    let mut edges = BTreeSet::new();
    for (number, block) in graph.blocks.iter().enumerate().filter(|(_, block)| !block.is_dead) {
        let (first, last) = (place(block.first), place(block.last));
        edges.extend((first..last).map(|from| (from, from + 1)));
        for edge in graph.edges_of(number) {
            if !matches!(edge.kind, EdgeKind::Exception { .. }) {
                edges.insert((last, head(edge.to)));
            }
        }
        for stretch in &block.stretches {
            for from in offsets.iter().copied().filter(|at| (stretch.start..stretch.end).contains(at)) {
                let targets = stretch.handlers.iter().map(|place| graph.handlers[usize::from(*place)].target);
                edges.extend(targets.map(|target| (place(from), head(target))));
            }
        }
    }
    edges
}

/// FNV-1a of all bytes, in 64 bits.
fn hash(edges: &BTreeSet<(u32, u32)>) -> u64 {
    let bytes = edges.iter().flat_map(|(from, to)| [from.to_be_bytes(), to.to_be_bytes()].concat());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
