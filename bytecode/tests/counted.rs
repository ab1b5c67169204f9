//! Blocks of real methods are counted exactly, and the blocks that were run are known, by a real JVM, alone and in one method
//! with the times.

mod support;

use spl_bytecode::{Plan, Probe, inspect, instrument};
use spl_classfile::class::ClassFile;
use spl_classfile::mutf8;
use spl_graph::{Counters, Counts, Covered, Flags, Graph};
use spl_model::{InstrumentId, OfCalls, ProbeKind, Sizing};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use support::{class_files, folder, probe_stub, run, sources, tool};

/// The probes of a method, from the number of its first counter or flag on.
type Probes<'p> = dyn Fn(&str, &str, &Graph<'_>, u32) -> Vec<Probe> + 'p;

/// The values of counters or flags after a run of `Counted`; and for each method of it and its nested class, by name
/// and descriptor, the number of the first.
fn values(
    case: &str,
    options: &[&str],
    probes: &Probes<'_>,
    needed: fn(&Graph<'_>) -> usize,
) -> (Vec<u64>, BTreeMap<String, usize>) {
    let folder = folder(&format!("counted-{case}"));
    let classes = folder.join("classes");
    let javac = &mut tool("javac");
    run(javac.args(["-nowarn", "--release", "11", "-d"]).arg(&classes).arg(sources().join("Counted.java")));
    let files = class_files(&classes);
    let originals: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).expect("javac wrote it")).collect();
    let (mut firsts, mut next) = (BTreeMap::new(), 1);
    for (file, bytes) in files.iter().zip(&originals) {
        let class = ClassFile::read(bytes).expect("a class file");
        let mut plan = Plan::default();
        for method in &class.methods {
            let Ok(graph) = Graph::of(&class, method) else { continue };
            let (name, descriptor) = (mutf8::decode(method.name), mutf8::decode(method.descriptor));
            probes(&name, &descriptor, &graph, next).into_iter().for_each(|probe| plan.add(probe));
            firsts.insert(format!("{}.{name}{descriptor}", short(file)), next as usize);
            next += needed(&graph) as u32;
        }
        let new = instrument(bytes, &plan).expect("no class of ours");
        assert!(new.outcomes.iter().all(|(_, outcome)| outcome.is_ok()), "{:?}", new.outcomes);
        assert!(inspect(&new.bytes).is_ok());
        fs::write(file, new.bytes).expect("the folder is writable");
    }
    let stub = format!("java.base={}", probe_stub(&folder).display());
    let java = &mut tool("java");
    java.args(["-Xverify:all", "--patch-module", &stub])
        .args(options)
        .arg("-cp")
        .arg(&classes)
        .arg("Counted");
    let mut values = vec![0; next as usize];
    for line in run(java).lines() {
        let (place, value) = line.split_once(' ').expect("a place and a value");
        values[place.parse::<usize>().expect("a number")] = value.parse().expect("a number");
    }
    fs::remove_dir_all(&folder).expect("the folder is this test's own");
    (values, firsts)
}

/// The result of `solve` for the values of each method of `Counted`.
fn solved<T>(
    case: &str,
    values: &[u64],
    firsts: &BTreeMap<String, usize>,
    solve: impl Fn(&Graph<'_>, &[u64]) -> T,
) -> BTreeMap<String, T> {
    let folder = folder(&format!("counted-graphs-{case}"));
    let javac = &mut tool("javac");
    run(javac.args(["-nowarn", "--release", "11", "-d"]).arg(&folder).arg(sources().join("Counted.java")));
    let mut all = BTreeMap::new();
    for file in class_files(&folder) {
        let bytes = fs::read(&file).expect("javac wrote it");
        let class = ClassFile::read(&bytes).expect("a class file");
        for method in &class.methods {
            let Ok(graph) = Graph::of(&class, method) else { continue };
            let (name, descriptor) = (mutf8::decode(method.name), mutf8::decode(method.descriptor));
            let name = format!("{}.{name}{descriptor}", short(&file));
            let solved = solve(&graph, &values[firsts[&name]..]);
            all.insert(name, solved);
        }
    }
    fs::remove_dir_all(&folder).expect("the folder is this test's own");
    all
}

/// The counts of each method.
fn counted(case: &str, options: &[&str], [with_times, apart]: [bool; 2]) -> BTreeMap<String, Counts> {
    let probes = |name: &str, descriptor: &str, _: &Graph<'_>, first| {
        let times = Probe::new(name, descriptor, InstrumentId(9), ProbeKind::Times(Sizing::Deep));
        let id = InstrumentId(first);
        let blocks = if apart { Probe::blocks_of_root } else { Probe::blocks }(name, descriptor, id);
        let root = apart.then(|| Probe::root(name, descriptor, id, 3));
        let calls = apart.then(|| Probe::calls_of_root(OfCalls::Entered, name, descriptor, id));
        root.into_iter().chain([blocks]).chain(calls).chain(with_times.then_some(times)).collect()
    };
    let (values, firsts) = values(case, options, &probes, |graph| Counters::of(graph).places().len());
    assert_eq!(values[0], u64::from(apart), "each call that began ended, but that of `main`");
    solved(case, &values, &firsts, |graph, values| {
        let counters = Counters::of(graph);
        counters.solve(&values[..counters.places().len()]).expect("one value of each counter")
    })
}

fn short(file: &Path) -> &str {
    file.file_stem().and_then(|name| name.to_str()).expect("a name of ASCII letters")
}

fn check(counts: &BTreeMap<String, Counts>) {
    let of = |name: &str| &counts[&format!("Counted.{name}")];
    assert_eq!(of("foo()V").blocks, [1, 101, 100, 50, 100, 1]);
    assert_eq!(of("fib(I)I").blocks[0], 21_891);
    assert_eq!(of("ackermann(II)I").blocks[0], 44);
    // 111 steps: 41 of odd numbers, 70 of even ones.
    let collatz = of("collatz(J)I");
    for runs in [112, 111, 70, 41] {
        assert!(collatz.blocks.contains(&runs), "{collatz:?}");
    }
    let sort = of("sort([I)V");
    assert_eq!(
        sort.blocks.iter().filter(|runs| **runs == 4950).count(),
        3,
        "each pair is exchanged: {sort:?}"
    );
    assert!(of("multiply(I)[[D").blocks.contains(&27_000));
    let sevenths = of("sevenths(I)I");
    assert_eq!(sevenths.caught.iter().flatten().copied().collect::<Vec<_>>(), [142]);
    assert_eq!(sevenths.gone.iter().sum::<i64>(), 142);
    assert_eq!((of("thrower(I)V").left, of("thrower(I)V").gone.iter().sum::<i64>()), (142, 142));
    // Ten activations; those of 0 and 1 are left by the exception, that of 2 catches it.
    let straddle = of("straddle(I)V");
    assert_eq!((straddle.blocks[0], straddle.left), (10, 2));
    assert_eq!(straddle.caught.iter().flatten().copied().collect::<Vec<_>>(), [1]);
    assert_eq!(of("table(I)I").blocks[0], 10);
    // 1000 and 5000 are one way of the switch.
    assert_eq!(of("lookup(I)I").blocks, [10, 1, 2, 7]);
    let finally = of("finallyReturns(I)I");
    assert_eq!((finally.blocks[0], finally.left), (5, 0));
    assert!(finally.caught.iter().flatten().any(|caught| *caught == 1), "{finally:?}");
    let inner = &counts["Counted$Inner.<init>(I)V"];
    assert_eq!(inner.blocks, [2, 1, 1, 2]);
    for (name, one) in counts {
        let all = one.blocks.iter().chain(&one.gone).chain(one.edges.iter().flatten());
        assert!(all.chain(one.caught.iter().flatten()).all(|count| *count >= 0), "{name}: {one:?}");
        let caught: i64 = one.caught.iter().flatten().sum();
        assert_eq!(one.gone.iter().sum::<i64>(), caught + one.left, "{name}");
    }
}

#[test]
fn blocks_are_counted_exactly() {
    for (case, options) in
        [("interpreted", ["-Xint"]), ("compiled", ["-Xmixed"]), ("c1", ["-XX:TieredStopAtLevel=1"])]
    {
        check(&counted(case, &options, [false, false]));
    }
}

#[test]
fn other_probes_in_the_same_methods_change_no_count() {
    let [alone, both, apart] = [[false, false], [true, true], [false, true]].map(|with| {
        counted(&format!("with-{}-{}", with[0], with[1]), &["-Xint"][..usize::from(with[0])], with)
    });
    check(&both);
    // `main` itself has not returned when it prints.
    assert_eq!(alone, both);
    assert_eq!(alone, apart);
}

#[test]
fn flags_tell_what_was_run_and_set_ones_leave_no_code() {
    let counts = counted("to-compare", &[], [false, false]);
    for (case, options) in [("cover-interpreted", ["-Xint"]), ("cover-compiled", ["-Xmixed"])] {
        let covered = |is_open: &dyn Fn(u32) -> bool| {
            let probes = |name: &str, descriptor: &str, graph: &Graph<'_>, first: u32| {
                let all = 0..Flags::of(graph).places().len() as u32;
                let open = all.filter(|number| is_open(first + number)).collect();
                vec![Probe::cover(name, descriptor, InstrumentId(first), open)]
            };
            values(case, &options, &probes, |graph| Flags::of(graph).places().len())
        };
        let (values, firsts) = covered(&|_| true);
        let flags = solved(case, &values, &firsts, |graph, values| {
            let flags = Flags::of(graph);
            let set: Vec<bool> = values[..flags.places().len()].iter().map(|value| *value > 0).collect();
            flags.solve(&set).expect("one value of each flag")
        });
        for (name, flags) in &flags {
            let counts = &counts[name];
            // Counts tell it too; the graphs are not here.
            let expected = Covered {
                returned: flags.returned.clone(),
                blocks: counts.blocks.iter().map(|runs| *runs > 0).collect(),
                edges: counts.edges.iter().map(|taken| taken.map(|taken| taken > 0)).collect(),
            };
            assert_eq!(flags, &expected, "{case}: {name}");
            for (block, returned) in flags.returned.iter().enumerate() {
                let has_returned = counts.blocks[block] > counts.gone[block];
                assert!(returned.is_none_or(|returned| returned == has_returned), "{case}: {name} {block}");
            }
        }
        // The program does the same again, so no other flag is set.
        let (again, _) = covered(&|number| values[number as usize] == 0);
        assert_eq!(again.iter().sum::<u64>(), 0, "{case}");
    }
}
