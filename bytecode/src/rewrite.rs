//! Rewrites a class: puts in the probes of a plan and copies everything else.

use crate::budget::Budget;
use crate::check::{check, check_reduced};
use crate::constants::PoolBuilder;
use crate::method;
use crate::names;
use crate::nearest::nearest;
use crate::new_code::length;
use crate::plan::{MethodKey, MethodReport, Plan, Probe, Rewritten, Untouched};
use spl_classfile::class::{ACC_NATIVE, ClassFile, Method, STACK_MAPS};
use spl_classfile::code::Code;
use spl_classfile::frames::STACK_MAP_TABLE;
use spl_classfile::mutf8;
use spl_classfile::opcode;
use spl_model::Refusal;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Puts the probes of `plan` into a class.
///
/// A refused method keeps its original code, and the other methods are still instrumented. An empty plan
/// gives the original bytes.
///
/// # Errors
/// When the whole class is refused, because the bytes break the class-file format or the probe itself depends
/// on the class.
pub fn instrument(class_bytes: &[u8], plan: &Plan) -> Result<Rewritten, Refusal> {
    if plan.probes().is_empty() {
        return Ok(Rewritten { bytes: class_bytes.to_vec(), outcomes: Vec::new() });
    }
    let class = ClassFile::read(class_bytes)?;
    let name = mutf8::decode(class.name()?);
    let own_package = names::OWN_PACKAGES.iter().any(|package| name.starts_with(package));
    if own_package || names::OWN_CLASSES.contains(&&name[..]) {
        return Err(Refusal::OwnClass(name));
    }
    let mut index_of = Index::new();
    for (index, method) in class.methods.iter().enumerate() {
        index_of.entry((method.name, method.descriptor)).or_insert(index);
    }
    let mut failed = Failed::default();
    let mut budget = Budget::default();
    loop {
        let (rewritten, changed) = attempt(&class, &index_of, plan, &failed, &mut budget)?;
        let now = failures(&class, &rewritten.bytes, &changed, &mut budget);
        if now.is_empty() {
            return Ok(rewritten);
        }
        if !failed.is_unguarded {
            (failed.is_unguarded, budget) = (true, Budget::default());
            continue;
        }
        failed.unverified.extend(now);
    }
}

/// Checks every method of a class by the rules for the rewriter's own output, which ignore the classes of
/// references. Returns the methods that fail, with the reason.
///
/// # Errors
/// When the bytes are not a class file, or its version is unknown.
pub fn verify(class_bytes: &[u8]) -> Result<Vec<(MethodKey, Refusal)>, Refusal> {
    let class = ClassFile::read(class_bytes)?;
    let mut budget = Budget::default();
    let verdict = |method: &Method<'_>| {
        let (name, descriptor) = (mutf8::decode(method.name), mutf8::decode(method.descriptor));
        check(&class, method, &mut budget)
            .err()
            .map(|refusal| (MethodKey { name, descriptor }, as_unverified(refusal)))
    };
    Ok(class.methods.iter().filter_map(verdict).collect())
}

/// Index of the method in its class, by name and descriptor.
type Index<'a> = HashMap<(&'a [u8], &'a [u8]), usize>;

/// Failures of the check.
#[derive(Default)]
struct Failed {
    /// Whether some method did not with guards: the whole class goes without, because its budget was spent.
    is_unguarded: bool,
    /// Methods that did not without guards, by their index in the class.
    unverified: BTreeMap<usize, Refusal>,
}

/// Instruments the methods of the plan that have not failed. The second value has the indexes of the changed methods in the class.
fn attempt(
    class: &ClassFile<'_>,
    index_of: &Index<'_>,
    plan: &Plan,
    failed: &Failed,
    budget: &mut Budget,
) -> Result<(Rewritten, Vec<usize>), Refusal> {
    let mut pool = PoolBuilder::new(&class.pool);
    let mut splices = Vec::new();
    let mut outcomes = Vec::with_capacity(plan.probes().len());
    for numbers in plan.of_methods() {
        let probes: Vec<_> = numbers.iter().filter_map(|number| plan.probes().get(*number)).collect();
        let Some(first) = probes.first() else { continue };
        let key = first.key();
        let mark = pool.mark();
        let result = one(class, index_of, &key, &probes, failed, &mut pool, budget);
        let result = result.map(|(splice, report)| {
            splices.push(splice);
            report
        });
        if result.is_err() {
            pool.rewind(mark);
        }
        outcomes.extend(numbers.iter().map(|number| (*number, (key.clone(), result.clone()))));
    }
    // The order of the plan, where another method's probe may stand between two probes of one method.
    outcomes.sort_by_key(|(number, _)| *number);
    let outcomes = outcomes.into_iter().map(|(_, outcome)| outcome).collect();
    let changed = splices.iter().map(|splice| splice.method).collect();
    Ok((Rewritten { bytes: assemble(class, &pool, splices)?, outcomes }, changed))
}

/// The methods of `changed` that fail our own check.
fn failures(
    class: &ClassFile<'_>,
    bytes: &[u8],
    changed: &[usize],
    budget: &mut Budget,
) -> BTreeMap<usize, Refusal> {
    let new = match ClassFile::read(bytes) {
        Ok(new) => new,
        Err(refusal) => return changed.iter().map(|&index| (index, refusal.clone())).collect(),
    };
    let verdict = |&index: &usize| {
        let method = new.methods.get(index)?;
        let has_passed = check(&new, method, budget).or_else(|refusal| match class.methods.get(index) {
            Some(old) if is_without_frames(class, old, budget) => check_reduced(&new, method, budget),
            _ => Err(refusal),
        });
        has_passed.err().map(|refusal| (index, as_unverified(refusal)))
    };
    changed.iter().filter_map(verdict).collect()
}

/// Whether the JVM runs a method in spite of wrong or missing frames, because it does not read them.
///
/// HotSpot verifies the first version with stack maps by the older rules if the frames are wrong, so some
/// classes of that version have wrong ones. HotSpot does not verify classes of the boot loader. On JDK 11 and
/// 17 it drops their frames if they do not come from the class-data archive, and a retransformation then sees
/// none.
fn is_without_frames(class: &ClassFile<'_>, method: &Method<'_>, budget: &mut Budget) -> bool {
    let has_table = || {
        let info = method.code.clone().and_then(|range| class.bytes.get(range));
        info.and_then(|info| Code::read(info, &class.pool).ok())
            .is_some_and(|code| code.attributes.iter().any(|attribute| attribute.name == STACK_MAP_TABLE))
    };
    (class.major == STACK_MAPS || !has_table()) && check(class, method, budget).is_err()
}

fn as_unverified(refusal: Refusal) -> Refusal {
    if matches!(refusal, Refusal::Unverified(_)) { refusal } else { Refusal::Unverified(refusal.to_string()) }
}

/// New `info` bytes for the Code attribute at `range`.
struct Splice {
    /// Index of the method in the class.
    method: usize,
    range: Range<usize>,
    info: Vec<u8>,
}

/// Puts `probes` into the method `key`.
fn one<'a>(
    class: &ClassFile<'a>,
    index_of: &Index<'_>,
    key: &MethodKey,
    probes: &[&Probe],
    failed: &Failed,
    pool: &mut PoolBuilder<'a>,
    budget: &mut Budget,
) -> Result<(Splice, MethodReport), Untouched> {
    let (name, descriptor) = (mutf8::encode(&key.name), mutf8::encode(&key.descriptor));
    let found = index_of.get(&(&name[..], &descriptor[..])).copied();
    let Some((index, method)) = found.and_then(|index| Some((index, class.methods.get(index)?))) else {
        let known = class.methods.iter().map(|m| (mutf8::decode(m.name), mutf8::decode(m.descriptor)));
        return Err(Untouched::NoSuchMethod { nearest: nearest(key, known) });
    };
    let Some(range) = method.code.clone() else {
        return Err(if method.access & ACC_NATIVE != 0 { Untouched::Native } else { Untouched::Abstract });
    };
    if let Some(annotation) = names::special_annotation(method) {
        return Err(Refusal::Annotation(annotation.to_owned()).into());
    }
    if let Some(what) = special(class, method, range.start)? {
        return Err(Refusal::Special(what.to_owned()).into());
    }
    if let Some(refusal) = failed.unverified.get(&index) {
        return Err(refusal.clone().into());
    }
    let probes = (probes, !failed.is_unguarded);
    let new = method::rewrite(class, method, &class.bytes[range.clone()], probes, pool, budget)?;
    Ok((Splice { method: index, range, info: new.info }, new.report))
}

/// The reason why HotSpot treats a method specially, if it does; the method's Code attribute starts at
/// `code_at`.
fn special(
    class: &ClassFile<'_>,
    method: &Method<'_>,
    code_at: usize,
) -> Result<Option<&'static str>, Refusal> {
    // HotSpot's C2 compiler crashes over exception handlers in this constructor (JDK 17.0.15 and 25). At its
    // return HotSpot registers objects that have finalizers.
    if method.is_constructor() && class.name()? == names::OBJECT.as_bytes() {
        return Ok(Some("the constructor of java/lang/Object"));
    }
    if class.name()? == names::CONTINUATION.as_bytes() {
        return Ok(Some("jdk/internal/vm/Continuation, in which threads change places,"));
    }
    // With any other code, every class that is loaded meanwhile gets a finalizer (`Method::is_empty_method`).
    // max_stack and max_locals precede the length of the code (JVMS 4.7.3).
    let code = class.bytes.get(code_at + 4..code_at + 9);
    let is_empty = code == Some(&[0, 0, 0, 1, opcode::RETURN]);
    let is_finalizer = method.name == b"finalize" && method.descriptor == b"()V";
    Ok((is_finalizer && is_empty).then_some("an empty finalizer, which it recognises by its code,"))
}

/// The class with `splices` and the pool's new constants.
fn assemble(
    class: &ClassFile<'_>,
    pool: &PoolBuilder<'_>,
    mut splices: Vec<Splice>,
) -> Result<Vec<u8>, Refusal> {
    if splices.is_empty() {
        return Ok(class.bytes.to_vec());
    }
    splices.sort_by_key(|splice| splice.range.start);
    let pool_end = class.pool.end();
    let added: usize = splices.iter().map(|splice| splice.info.len()).sum();
    let mut out = Vec::with_capacity(class.bytes.len() + pool.appended().len() + added);
    // Magic and version, then the count, then the entries (JVMS 4.1).
    out.extend(&class.bytes[..8]);
    out.extend(pool.count().to_be_bytes());
    out.extend(&class.bytes[10..pool_end]);
    out.extend(pool.appended());
    let mut copied = pool_end;
    for Splice { range, info, .. } in splices {
        // The four bytes before the attribute's info are its length.
        out.extend(&class.bytes[copied..range.start - 4]);
        out.extend(length(info.len())?);
        out.extend(info);
        copied = range.end;
    }
    out.extend(&class.bytes[copied..]);
    Ok(out)
}
