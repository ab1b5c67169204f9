//! Rewrites one method: its Code attribute with probes.

use crate::budget::Budget;
use crate::constants::PoolBuilder;
use crate::flow;
use crate::names::{
    self, ARCS_CLASS, COUNTERS_CLASS, FLAGS_CLASS, PROBE_CLASS, ROOTS_CLASS, TIMES_CLASS, TRACE_CLASS,
};
use crate::new_code::NewCode;
use crate::plan::{MethodReport, Probe};
use crate::region;
use crate::stack_maps::stack_maps;
use crate::tables::{Moves, moved};
use crate::weave::{Counted, Subject, Weave, Woven, weave};
use spl_classfile::class::{ClassFile, Method, STACK_MAPS};
use spl_classfile::code::Code;
use spl_classfile::frames::STACK_MAP_TABLE;
use spl_classfile::instruction::{Insn, decode};
use spl_classfile::opcode::{GETSTATIC, INVOKESTATIC};
use spl_classfile::signature::Signature;
use spl_graph::{Graph, NoGraph, Segments};
use spl_model::Refusal;

/// HotSpot interprets methods with more bytes of code than this (`HugeMethodLimit` in its `globals.hpp`).
const HUGE_METHOD_LIMIT: usize = 8000;
/// The first class-file version whose code can load a class constant (JVMS 6.5, `ldc`): Java 5.
const CLASS_CONSTANTS: u16 = 49;

/// The `info` bytes of the new Code attribute.
pub(crate) struct NewMethod {
    pub(crate) info: Vec<u8>,
    pub(crate) report: MethodReport,
}

/// Puts `probes` into `method`, whose Code attribute is `info`, in one pass. With `guards` calls of ours behind its handlers are guarded, unless
/// only that makes it too large for the JVM's compilers, or its frames too many.
pub(crate) fn rewrite<'a>(
    class: &ClassFile<'a>,
    method: &Method<'a>,
    info: &'a [u8],
    (probes, guards): (&[&Probe], bool),
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
    let is_static = method.is_static();
    let mut weaves: Vec<_> = probes.iter().map(|probe| Weave::of(probe)).collect();
    // Locals that are set at the start come first.
    weaves.sort_by_key(|weave| (!weave.starts(), weave.is_innermost()));
    let counted = if weaves.iter().any(Weave::starts) {
        let graph = Graph::of(class, method).map_err(no_graph)?;
        let paths = weaves.iter().find_map(|weave| weave.paths(&graph));
        let (paths, in_front) = paths.map_or((None, None), |(paths, places)| (Some(paths), Some(places)));
        let places = in_front.or_else(|| weaves.iter().find_map(|weave| weave.places(&graph)));
        let places = places.unwrap_or_default();
        let calls = weaves.iter().find_map(|weave| weave.calls(&graph, places.len())).unwrap_or_default();
        let arrays = weaves.iter().find_map(|weave| weave.arrays(&graph, places.len())).unwrap_or_default();
        let segments = weaves.iter().any(Weave::has_segments).then(|| {
            let mut catches = vec![false; graph.blocks.len()];
            graph.handlers.iter().for_each(|handler| catches[handler.target] = true);
            (Segments::of(&graph), catches)
        });
        let numbers = places.into_iter().zip(0..).collect();
        let has_arcs = weaves.iter().any(Weave::has_arcs) || !calls.is_empty() || !arrays.is_empty();
        Some(Counted { numbers, has_arcs, calls, arrays, paths, segments, graph })
    } else {
        None
    };
    let mut subject = Subject {
        owner: (class.major >= CLASS_CONSTANTS).then_some(class.this_class),
        code: &code,
        insns: &insns,
        facts: &facts,
        signature: &signature,
        is_static,
        constructs,
        region,
        counted,
    };
    weaves.iter().try_for_each(|weave| weave.check(&subject))?;
    let mark = pool.mark();
    let mut new = new_code(class, &subject, &weaves, guards, pool, budget);
    if new.is_err()
        && let Some(counted) = subject.counted.as_mut().filter(|counted| !counted.arrays.is_empty())
    {
        // Initialisers of large tables have no room for it. Their arrays are missing in the counts, and the blocks say so.
        counted.arrays.clear();
        pool.rewind(mark);
        new = new_code(class, &subject, &weaves, guards, pool, budget);
    }
    let new = new?;
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

/// The new Code attribute.
fn new_code<'a>(
    class: &ClassFile<'a>,
    subject: &Subject<'a, '_>,
    weaves: &[Weave<'_>],
    guards: bool,
    pool: &mut PoolBuilder<'a>,
    budget: &mut Budget,
) -> Result<NewCode, Refusal> {
    let woven = woven(subject, weaves, guards, pool, budget)?;
    Ok(NewCode {
        max_stack: woven.max_stack,
        max_locals: woven.slots.max_locals,
        bytes: woven.layout.write()?,
        handlers: woven.handlers.clone(),
        attributes: attributes(class, subject, &woven, pool, budget)?,
    })
}

/// The method with the code of all kinds; with guards if they are wanted and it has room for them.
fn woven<'a>(
    subject: &Subject<'a, '_>,
    weaves: &[Weave<'_>],
    guards: bool,
    pool: &mut PoolBuilder<'a>,
    budget: &mut Budget,
) -> Result<Woven<'a>, Refusal> {
    let mark = pool.mark();
    let woven = weave(subject, weaves, pool, guards);
    let mut has_room = |woven: &Woven<'_>| {
        let frames = 3 * woven.guarded.len() * usize::from(woven.slots.max_locals);
        let was_compiled = subject.code.bytes.len() <= HUGE_METHOD_LIMIT;
        let is_compiled = woven.layout.length() <= HUGE_METHOD_LIMIT;
        frames == 0 || (is_compiled || !was_compiled) && budget.has_room_for_guards(frames)
    };
    if !guards || woven.as_ref().is_ok_and(&mut has_room) {
        return woven;
    }
    pool.rewind(mark);
    weave(subject, weaves, pool, false)
}

pub(crate) fn no_graph(why: NoGraph) -> Refusal {
    match why {
        NoGraph::Refused(refusal) => refusal,
        NoGraph::NoCode | NoGraph::TooInvolved => Refusal::TableFull("exception handlers".to_owned()),
    }
}

/// Whether the method has probes already. With two probes, a call would give two samples, one of them under
/// the id embedded in the first probe.
fn calls_probe(class: &ClassFile<'_>, insns: &[Insn<'_>]) -> Result<bool, Refusal> {
    for insn in insns.iter().filter(|insn| matches!(insn.opcode, INVOKESTATIC | GETSTATIC)) {
        let owner = class.pool.member(insn.index())?.class;
        let ours =
            [PROBE_CLASS, ARCS_CLASS, COUNTERS_CLASS, ROOTS_CLASS, TIMES_CLASS, TRACE_CLASS, FLAGS_CLASS];
        if ours.iter().any(|ours| owner == ours.as_bytes()) {
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
    let moves = Moves { layout: &woven.layout, handler_index: &woven.handler_index };
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
