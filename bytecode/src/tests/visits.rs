//! A second kind of probe, which shows that the engine depends on no particular kind. It counts entries and
//! visits of blocks, alone and in one pass with the times.

#[path = "../../tests/support/mod.rs"]
mod support;

use super::golden;
use crate::budget::Budget;
use crate::check::check;
use crate::emit::{Emitter, Kind};
use crate::plan::{Plan, Planned, Probe, Untouched};
use crate::testing::{OBJECT_CLASS, OBJECT_INIT, TestMethod};
use crate::weave::slots::Slots;
use crate::weave::subject::{Site, Wanted};
use crate::{inspect, instrument, static_calls_of};
use spl_classfile::class::ClassFile;
use spl_classfile::code::Code;
use spl_classfile::heads::block_heads;
use spl_classfile::instruction::decode;
use spl_model::{InstrumentId, ProbeKind, Refusal, Sizing};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use support::{class_files, folder, probe_stub, run, sources, tool};

/// Calls `void visit(int id, int place)` of the probe class. Places are block numbers and the constants here.
const ENTRY: i32 = -1;
const RETURN: i32 = -2;
const THROW: i32 = -3;

/// Keeps its id in a local, like a kind that keeps a result of its entry code.
pub(crate) struct Visits {
    pub(crate) id: InstrumentId,
    pub(crate) exits: bool,
}

impl Visits {
    pub(crate) fn locals(&self) -> Vec<Kind> {
        vec![Kind::Int]
    }

    pub(crate) fn wanted(&self) -> Wanted {
        Wanted { blocks: true, counters: false, exits: self.exits, throws: self.exits }
    }

    pub(crate) fn at(
        &self,
        site: Site,
        slots: Slots<'_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        let place = match site {
            Site::Entry => {
                code.int(self.id.0 as i32)?.store(Kind::Int, slots.own[0]);
                ENTRY
            }
            Site::BlockHead(number) => number as i32,
            Site::Return if self.exits => RETURN,
            Site::Throw if self.exits => THROW,
            Site::Start
            | Site::Edge(_)
            | Site::Call(_)
            | Site::Made(_)
            | Site::Returning(_)
            | Site::Throwing(_)
            | Site::Return
            | Site::Throw => {
                return Ok(0);
            }
        };
        code.load(Kind::Int, slots.own[0]).int(place)?.call("visit", "(II)V")?;
        Ok(2)
    }
}

fn of(method: &TestMethod, kind: Planned) -> Probe {
    probe(method.name, method.descriptor, 1, kind)
}

fn probe(name: &str, descriptor: &str, id: u32, kind: Planned) -> Probe {
    Probe { method_name: name.to_owned(), descriptor: descriptor.to_owned(), id: InstrumentId(id), kind }
}

fn times(sizing: Sizing) -> Planned {
    Planned::Known(ProbeKind::Times(sizing))
}

/// Puts `kinds` into the method and expects equal outcomes; the result was checked. Returns the number of
/// static methods it calls.
fn calls(method: &TestMethod, kinds: &[Planned]) -> Result<usize, Untouched> {
    let original = method.class_file();
    let plan: Plan = kinds.iter().map(|kind| of(method, kind.clone())).collect();
    let mut new = instrument(&original, &plan).unwrap();
    assert_eq!(new.outcomes.len(), kinds.len());
    let outcome = new.outcomes.pop().unwrap().1;
    assert!(new.outcomes.iter().all(|(_, other)| *other == outcome), "{kinds:?}");
    outcome?;
    let class = ClassFile::read(&new.bytes).unwrap();
    let passes = |class: &ClassFile<'_>| check(class, &class.methods[0], &mut Budget::default());
    // A method with missing frames is rewritten, too.
    passes(&class)
        .or_else(|refusal| passes(&ClassFile::read(&original)?).map_or(Ok(()), |()| Err(refusal)))
        .unwrap();
    Ok(static_calls_of(&new.bytes, method.name, method.descriptor).unwrap())
}

#[test]
fn kinds_are_woven_alone_and_together() {
    for method in golden::methods() {
        for sizing in [Sizing::None, Sizing::Deep, Sizing::Processor(String::new())] {
            let times = times(sizing);
            let timed = calls(&method, std::slice::from_ref(&times)).unwrap();
            for exits in [false, true] {
                let visits = Planned::Visits { exits };
                let visited = calls(&method, std::slice::from_ref(&visits)).unwrap();
                let blocks = block_count(&method);
                assert!(visited > blocks, "one call at each block, and at the entry: {method:?}");
                assert_eq!(exits, visited > blocks + 1, "{method:?}");
                // The order of the plan makes no difference.
                for both in [[times.clone(), visits.clone()], [visits.clone(), times.clone()]] {
                    assert_eq!(calls(&method, &both), Ok(timed + visited), "{both:?}: {method:?}");
                }
            }
        }
    }
}

fn block_count(method: &TestMethod) -> usize {
    let insns = decode(&method.code).unwrap();
    let file = method.class_file();
    let class = ClassFile::read(&file).unwrap();
    let code = Code::read(&file[class.methods[0].code.clone().unwrap()], &class.pool).unwrap();
    block_heads(&insns, &code.handlers).unwrap().len()
}

#[test]
fn frames_name_a_new_object_by_its_instruction_and_not_by_what_stands_before_it() {
    // 0: iconst_0, 1: ifeq 4, 4: new Object, 7: dup, 8: iconst_0, 9: ifeq 12, 12: invokespecial, 15: pop, 16:
    // return.
    let code = [
        &[0x03, 0x99, 0, 3, 0xbb, 0, OBJECT_CLASS, 0x59, 0x03, 0x99, 0, 3][..],
        &[0xb7, 0, OBJECT_INIT, 0x57, 0xb1],
    ];
    // A frame at 4 with an empty stack, and one at 12 with two copies of the object that the instruction at 4
    // makes.
    let frames = Some(vec![0, 2, 4, 255, 0, 7, 0, 0, 0, 2, 8, 0, 4, 8, 0, 4]);
    let method = TestMethod { code: code.concat(), frames, ..TestMethod::default() };
    let visits = Planned::Visits { exits: true };
    assert!(calls(&method, std::slice::from_ref(&visits)).is_ok());
    assert!(calls(&method, &[visits, times(Sizing::None)]).is_ok());
}

#[test]
fn a_plan_holds_each_kind_of_a_method_once() {
    let method = TestMethod::default();
    let other = TestMethod { name: "g", ..TestMethod::default() };
    let [timed, sized] = [Sizing::None, Sizing::Deep].map(|sizing| of(&method, times(sizing)));
    let visits = of(&method, Planned::Visits { exits: false });
    let of_other = of(&other, times(Sizing::None));
    let plan: Plan = [timed, of_other.clone(), visits.clone(), sized.clone()].into_iter().collect();
    assert_eq!(plan.probes(), [sized, of_other, visits]);
    let outcomes = instrument(&method.class_file(), &plan).unwrap().outcomes;
    let names: Vec<_> = outcomes.iter().map(|(key, outcome)| (&key.name[..], outcome.is_ok())).collect();
    assert_eq!(names, [("f", true), ("g", false), ("f", true)]);
}

#[test]
fn what_one_kind_cannot_do_is_refused_for_all() {
    // aconst_null astore_1 aload_0 init return
    let code = vec![0x01, 0x4c, 0x2a, 0xb7, 0, OBJECT_INIT, 0xb1];
    let descriptor = "(Ljava/lang/String;)V";
    let method =
        TestMethod { access: 1, name: "<init>", descriptor, max_locals: 2, code, ..TestMethod::default() };
    let visits = Planned::Visits { exits: true };
    let refused = Err(Refusal::ArgumentReplaced.into());
    assert_eq!(calls(&method, &[visits.clone(), times(Sizing::Deep)]), refused);
    assert!(calls(&method, std::slice::from_ref(&visits)).is_ok());
}

/// Rewrites every method of the sample's own class in `classes`; returns the ids by method.
fn rewrite(classes: &Path, kinds: impl Fn(u32) -> Vec<Planned>) -> BTreeMap<String, u32> {
    let mut ids = BTreeMap::new();
    for file in class_files(classes).iter().filter(|file| file.ends_with("Sample.class")) {
        let bytes = fs::read(file).unwrap();
        let mut plan = Plan::default();
        for method in inspect(&bytes).unwrap().methods {
            let id = 1 + ids.len() as u32;
            ids.insert(format!("{}{}", method.name, method.descriptor), id);
            for kind in kinds(id) {
                plan.add(probe(&method.name, &method.descriptor, id, kind));
            }
        }
        let new = instrument(&bytes, &plan).unwrap();
        assert!(new.outcomes.iter().all(|(_, outcome)| outcome.is_ok()), "{:?}", new.outcomes);
        fs::write(file, new.bytes).unwrap();
    }
    ids
}

#[test]
fn a_jvm_verifies_and_runs_both_kinds_in_one_method() {
    let folder = folder("visits");
    let stub = format!("java.base={}", probe_stub(&folder).display());
    let ran = |name: &str, kinds: &dyn Fn(u32) -> Vec<Planned>| {
        let classes = folder.join(name);
        let javac = &mut tool("javac");
        javac.args(["-nowarn", "--release", "11", "-d"]).arg(&classes);
        javac.args(["Sample", "Modern", "Main"].map(|name| sources().join(format!("sample/{name}.java"))));
        run(javac.arg(sources().join("VisitsOfSample.java")));
        let ids = rewrite(&classes, kinds);
        let java = &mut tool("java");
        java.args(["-Xverify:all", "--patch-module", &stub, "-cp"]).arg(&classes).arg("VisitsOfSample");
        (run(java), ids)
    };
    let (timed, _) = ran("timed", &|_| vec![times(Sizing::None)]);
    let (both, ids) = ran("both", &|id| vec![times(Sizing::None), Planned::Visits { exits: id % 2 == 0 }]);
    let (timed, none) = timed.split_once("visits\n").unwrap();
    let (results, visits) = both.split_once("visits\n").unwrap();
    assert_eq!(none, "");
    assert!(timed.contains("counts\n"));
    // The depth of an endless recursion depends on the size of its frames.
    let endless = format!("{} ", ids["endless(I)I"]);
    let comparable = |printed: &str| -> Vec<String> {
        printed.lines().filter(|line| !line.starts_with(&endless)).map(str::to_owned).collect()
    };
    assert_eq!(comparable(results), comparable(timed), "results and times' counts are those without visits");
    let visits: BTreeMap<(u32, i32), u32> = visits
        .lines()
        .map(|line| {
            let numbers: Vec<i64> = line.split(' ').map(|number| number.parse().unwrap()).collect();
            ((numbers[0] as u32, numbers[1] as i32), numbers[2] as u32)
        })
        .collect();
    let at = |method: &str, place: i32| visits.get(&(ids[method], place)).copied().unwrap_or_default();
    // Twice 51 calls: the test of the depth, the end of the recursion, the next call, and the return of both.
    let recursive = [ENTRY, 0, 1, 2, 3, 4].map(|place| at("recursive(I)I", place));
    assert_eq!(recursive, [102, 102, 2, 100, 102, 0]);
    // Twice three values, the first two of which are larger than all before.
    let largest = [ENTRY, 0].map(|place| at("largest(Ljava/util/List;)Ljava/lang/Comparable;", place));
    assert_eq!(largest, [2, 2]);
    for (method, id) in &ids {
        // Blocks of a constructor before its `this(…)` run before the entry code, under id 0.
        let first = visits.get(&(if method.starts_with("<init>") { 0 } else { *id }, 0));
        assert!(first.is_some() || at(method, ENTRY) == 0, "{method}");
    }
    fs::remove_dir_all(&folder).unwrap();
}
