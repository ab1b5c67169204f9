//! One method: its Code attribute with probes.

use crate::budget::Budget;
use crate::check::Inference;
use crate::constants::PoolBuilder;
use crate::flow;
use crate::frame_writer::FrameWriter;
use crate::names::{self, PROBE_CLASS};
use crate::new_code::NewCode;
use crate::plan::{MethodReport, Probe, Sizes};
use crate::region;
use crate::tables::{Moves, moved};
use crate::weave::{Subject, Woven, weave};
use spl_classfile::class::{ClassFile, Method, STACK_MAPS};
use spl_classfile::code::Code;
use spl_classfile::frames::{FrameReader, STACK_MAP_TABLE, Type, initial_locals};
use spl_classfile::instruction::{Insn, decode};
use spl_classfile::opcode::INVOKESTATIC;
use spl_classfile::signature::{Field, Signature};
use spl_model::Refusal;

/// HotSpot interprets methods whose code is larger (`HugeMethodLimit` in its `globals.hpp`), bytes.
const HUGE_METHOD_LIMIT: usize = 8000;
/// The first version whose code can load a class constant (JVMS 6.5, `ldc`): Java 5.
const CLASS_CONSTANTS: u16 = 49;
const THROWABLE: &[u8] = b"java/lang/Throwable";

/// The `info` bytes of the new Code attribute.
pub(crate) struct NewMethod {
    pub(crate) info: Vec<u8>,
    pub(crate) report: MethodReport,
}

/// Rewrites `method`, whose Code attribute is `info`.
pub(crate) fn rewrite<'a>(
    class: &ClassFile<'a>,
    method: &Method<'a>,
    info: &'a [u8],
    probe: &Probe,
    pool: &mut PoolBuilder<'a>,
    budget: &mut Budget,
) -> Result<NewMethod, Refusal> {
    let code = Code::read(info, &class.pool)?;
    let insns = decode(code.bytes)?;
    if calls_probe(class, &insns)? {
        return Err(Refusal::Probed);
    }
    let signature = Signature::read(method.descriptor)?;
    let first_slot = u16::from(!method.is_static());
    let words = signature.words() + usize::from(first_slot);
    if words > usize::from(code.max_locals) {
        return Err(Refusal::Malformed("the parameters do not fit the local variables".to_owned()));
    }
    let constructs = method.is_constructor();
    let facts = flow::analyse(&code, &insns, &class.pool, constructs, budget)?;
    let region = region::start(constructs, &facts)?;
    if probe.sizes != Sizes::None
        && region::replaces_argument(&insns, region, &signature, first_slot, probe.sizes)
    {
        return Err(Refusal::ArgumentReplaced);
    }
    let is_static = method.is_static();
    let subject = Subject {
        owner: (class.major >= CLASS_CONSTANTS).then_some(class.this_class),
        code: &code,
        insns: &insns,
        facts: &facts,
        signature: &signature,
        is_static,
        constructs,
        region,
        probe,
    };
    let woven = weave(&subject, pool)?;
    let new = NewCode {
        max_stack: woven.max_stack,
        max_locals: woven.slots.max_locals,
        bytes: woven.layout.write()?,
        handlers: woven.handlers.clone(),
        attributes: attributes(class, &subject, &woven, pool, budget)?,
    };
    let code_bytes_after = new.bytes.len();
    let large = code_bytes_after > HUGE_METHOD_LIMIT;
    let report = MethodReport {
        code_bytes_before: code.bytes.len(),
        code_bytes_after,
        large,
        intrinsic: names::is_intrinsic(method),
    };
    Ok(NewMethod { info: new.write()?, report })
}

/// Whether the method has probes already: with two of them a call would give two samples, one of them under the number
/// that the first probe brought along.
fn calls_probe(class: &ClassFile<'_>, insns: &[Insn<'_>]) -> Result<bool, Refusal> {
    for insn in insns.iter().filter(|insn| insn.opcode == INVOKESTATIC) {
        if class.pool.member(insn.index())?.class == PROBE_CLASS.as_bytes() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn attributes(
    class: &ClassFile<'_>,
    subject: &Subject<'_, '_>,
    woven: &Woven<'_>,
    pool: &mut PoolBuilder<'_>,
    budget: &mut Budget,
) -> Result<Vec<(u16, Vec<u8>)>, Refusal> {
    let moves = Moves { layout: &woven.layout, handlers_before: woven.handlers_before };
    let mut attributes = Vec::new();
    let mut frames_missing = class.major >= STACK_MAPS;
    for old in &subject.code.attributes {
        let is_frames = class.major >= STACK_MAPS && old.name == STACK_MAP_TABLE;
        let info = if is_frames {
            if !frames_missing {
                return Err(Refusal::Malformed("a method has two StackMapTables".to_owned()));
            }
            frames_missing = false;
            stack_maps(class, subject, woven, old.info, pool, budget)?
        } else {
            moved(old.name, old.info, moves)?
        };
        attributes.push((old.name_index, info));
    }
    if frames_missing {
        let name = pool.utf8(STACK_MAP_TABLE)?;
        attributes.push((name, stack_maps(class, subject, woven, &[0, 0], pool, budget)?));
    }
    Ok(attributes)
}

/// The frames of the original code with our locals behind theirs, then those of our handlers.
fn stack_maps(
    class: &ClassFile<'_>,
    subject: &Subject<'_, '_>,
    woven: &Woven<'_>,
    old: &[u8],
    pool: &mut PoolBuilder<'_>,
    budget: &mut Budget,
) -> Result<Vec<u8>, Refusal> {
    let this_class = (!subject.is_static).then_some(class.this_class);
    let initial = initial_locals(subject.signature, this_class, subject.constructs);
    let throwable = Type::Object(pool.class(THROWABLE)?);
    let handled = woven.handled;
    let result = match subject.signature.result.filter(|_| handled.drop_result.is_some()) {
        None => None,
        Some(field) => Some(verification_type(field, pool)?),
    };
    let mut missing = missing_frames(class, subject, woven, old, &initial, pool, budget)?;
    let region = match handled.unmeasured {
        Some(_) => Some(region_frame(class, subject, old, &initial, pool, budget)?),
        None => None,
    };
    let region_locals = region.as_ref().map(|frame| frame.locals.clone());
    if let Some(region) = region
        && let Err(place) = missing.binary_search_by_key(&region.at, |frame| frame.at)
    {
        missing.insert(place, region);
    }
    let mut missing = missing.iter().peekable();
    let parameter_class = |index: u8| match subject.signature.parameters.get(usize::from(index)) {
        Some(field) => class_constant(*field, pool),
        None => Err(Refusal::Malformed("a stack map frame names a parameter that is not there".to_owned())),
    };
    let mut writer = FrameWriter::new(initial.clone(), parameter_class);
    let mut ours = vec![Type::Int, Type::Long];
    ours.extend(woven.slots.has_size().then_some(Type::Long));
    let max_locals = usize::from(subject.code.max_locals);
    let mut reader = FrameReader::new(old, initial)?;
    let (mut locals, mut stack) = (Vec::new(), Vec::new());
    loop {
        let is_there = reader.advance()?;
        while let Some(frame) = missing.next_if(|frame| !is_there || frame.at < reader.at) {
            with_ours(&mut locals, &frame.locals, max_locals, &ours, woven)?;
            stack.clone_from(&frame.stack);
            shift(&mut stack, woven)?;
            writer.write(woven.layout.moved(frame.at)?, &locals, &stack)?;
        }
        if !is_there {
            break;
        }
        // The class file has this one itself.
        missing.next_if(|frame| frame.at == reader.at);
        budget.spend(max_locals)?;
        with_ours(&mut locals, &reader.locals, max_locals, &ours, woven)?;
        // The next frame brings its own stack, but begins with these locals.
        shift(&mut reader.stack, woven)?;
        writer.write(woven.layout.moved(reader.at)?, &locals, &reader.stack)?;
    }
    with_ours(&mut locals, &[], max_locals, &ours, woven)?;
    writer.write(woven.layout.offset(woven.thrown), &locals, &[throwable])?;
    locals.push(throwable);
    writer.write(woven.layout.offset(handled.drop_thrown), &locals, &[throwable])?;
    if let Some(drop_result) = handled.drop_result {
        locals.pop();
        locals.extend(result);
        writer.write(woven.layout.offset(drop_result), &locals, &[throwable])?;
    }
    // Our own locals may not have been written yet.
    if let (Some(unmeasured), Some(program)) = (handled.unmeasured, &region_locals) {
        with_ours(&mut locals, program, max_locals, &[], woven)?;
        writer.write(woven.layout.offset(unmeasured), &locals, &[throwable])?;
    }
    with_ours(&mut locals, &[], max_locals, &[], woven)?;
    writer.write(woven.layout.offset(handled.escaped), &locals, &[throwable])?;
    writer.finish()
}

/// A frame that the new code needs and the class file lacks, at an original offset.
struct MissingFrame {
    at: u32,
    locals: Vec<Type>,
    stack: Vec<Type>,
}

/// The types where the region begins, to which the handler of an entry that overflowed leads. The stack is empty there.
fn region_frame(
    class: &ClassFile<'_>,
    subject: &Subject<'_, '_>,
    old: &[u8],
    initial: &[Type],
    pool: &mut PoolBuilder<'_>,
    budget: &mut Budget,
) -> Result<MissingFrame, Refusal> {
    let at = subject.insns.get(subject.region).map_or(0, |insn| insn.at);
    if at == 0 {
        return Ok(MissingFrame { at, locals: initial.to_vec(), stack: Vec::new() });
    }
    let max_locals = usize::from(subject.code.max_locals);
    let mut inference =
        Inference::new(&class.pool, subject.insns, subject.signature, class.name()?, max_locals);
    inference.start(0, initial, &[], budget)?;
    let mut reader = FrameReader::new(old, initial.to_vec())?;
    while reader.advance()? && reader.at < at {
        inference.start(reader.at, &reader.locals, &reader.stack, budget)?;
    }
    let (locals, stack) = inference.types_at(at, pool, budget)?;
    Ok(MissingFrame { at, locals, stack })
}

/// The frames behind conditional branches that had to be widened, where there is none, ascending.
fn missing_frames(
    class: &ClassFile<'_>,
    subject: &Subject<'_, '_>,
    woven: &Woven<'_>,
    old: &[u8],
    initial: &[Type],
    pool: &mut PoolBuilder<'_>,
    budget: &mut Budget,
) -> Result<Vec<MissingFrame>, Refusal> {
    let mut missing = Vec::new();
    let wanted = woven.layout.after_widened_conditions();
    if wanted.is_empty() {
        return Ok(missing);
    }
    let mut wanted = wanted.into_iter().peekable();
    let max_locals = usize::from(subject.code.max_locals);
    let mut inference =
        Inference::new(&class.pool, subject.insns, subject.signature, class.name()?, max_locals);
    inference.start(0, initial, &[], budget)?;
    let mut reader = FrameReader::new(old, initial.to_vec())?;
    loop {
        let is_there = reader.advance()?;
        while let Some(at) = wanted.next_if(|at| !is_there || *at < reader.at) {
            let (locals, stack) = inference.types_at(at, pool, budget)?;
            missing.push(MissingFrame { at, locals, stack });
        }
        if !is_there {
            return Ok(missing);
        }
        wanted.next_if_eq(&reader.at);
        inference.start(reader.at, &reader.locals, &reader.stack, budget)?;
    }
}

/// `locals` as they are in the new code, unused slots up to `max_locals`, then `ours`: into `all`.
fn with_ours(
    all: &mut Vec<Type>,
    locals: &[Type],
    max_locals: usize,
    ours: &[Type],
    woven: &Woven<'_>,
) -> Result<(), Refusal> {
    let used: usize = locals.iter().map(|one| one.words()).sum();
    let unused = max_locals.checked_sub(used);
    let unused =
        unused.ok_or_else(|| Refusal::Malformed("a stack map frame has too many locals".to_owned()))?;
    all.clear();
    all.extend(locals);
    shift(all, woven)?;
    all.resize(all.len() + unused, Type::Top);
    all.extend(ours);
    Ok(())
}

/// Makes `types` what they are in the new code.
fn shift(types: &mut [Type], woven: &Woven<'_>) -> Result<(), Refusal> {
    for one in types {
        if let Type::Uninitialized(at) = one {
            *at = woven.layout.moved(u32::from(*at))?;
        }
    }
    Ok(())
}

fn verification_type(field: Field<'_>, pool: &mut PoolBuilder<'_>) -> Result<Type, Refusal> {
    Ok(match field.tag() {
        b'J' => Type::Long,
        b'D' => Type::Double,
        b'F' => Type::Float,
        b'L' | b'[' => Type::Object(class_constant(field, pool)?),
        _ => Type::Int,
    })
}

/// Index of the class constant of a reference type.
fn class_constant(field: Field<'_>, pool: &mut PoolBuilder<'_>) -> Result<u16, Refusal> {
    let name = field.class_name();
    pool.class(name.ok_or_else(|| Refusal::Malformed(format!("{field:?} is no reference type")))?)
}
