//! The StackMapTable of a method with probes.

use crate::budget::Budget;
use crate::check::Inference;
use crate::constants::{PoolBuilder, class_constant};
use crate::frame_writer::FrameWriter;
use crate::weave::{ProgramLocals, Subject, Woven};
use spl_classfile::class::ClassFile;
use spl_classfile::frames::{FrameReader, Type, initial_locals};
use spl_model::Refusal;

/// The frames of the original code, whose table is `old`, with our locals appended; then the frames of our
/// own code.
pub(crate) fn stack_maps(
    class: &ClassFile<'_>,
    subject: &Subject<'_, '_>,
    woven: &Woven<'_>,
    old: &[u8],
    pool: &mut PoolBuilder<'_>,
    budget: &mut Budget,
) -> Result<Vec<u8>, Refusal> {
    let this_class = (!subject.is_static).then_some(class.this_class);
    let initial = initial_locals(subject.signature, this_class, subject.constructs);
    let our_frames = woven.frames(subject, pool)?;
    let original = Original { class, subject, table: old, initial: &initial };
    let widened = original.without_frame(woven.layout.after_widened_conditions())?;
    let mut missing = original.inferred(&widened, pool, budget)?;
    let mut region_locals = Vec::new();
    if our_frames.iter().any(|frame| frame.program == ProgramLocals::AtRegion) {
        let region = original.at_region(pool, budget)?;
        region_locals.clone_from(&region.locals);
        if let Err(place) = missing.binary_search_by_key(&region.at, |frame| frame.at) {
            missing.insert(place, region);
        }
    }
    let mut missing = missing.iter().peekable();
    let parameter_class = |index: u8| match subject.signature.parameters.get(usize::from(index)) {
        Some(field) => class_constant(*field, pool),
        None => Err(Refusal::Malformed("a stack map frame names a parameter that is not there".to_owned())),
    };
    let mut writer = FrameWriter::new(initial.clone(), parameter_class);
    let ours = woven.slots.types();
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
        // The class file itself has this frame.
        missing.next_if(|frame| frame.at == reader.at);
        budget.spend(max_locals)?;
        with_ours(&mut locals, &reader.locals, max_locals, &ours, woven)?;
        // The next frame has its own stack, but starts from these locals.
        shift(&mut reader.stack, woven)?;
        writer.write(woven.layout.moved(reader.at)?, &locals, &reader.stack)?;
    }
    for frame in &our_frames {
        let program = match frame.program {
            ProgramLocals::Unknown => &[][..],
            ProgramLocals::AtRegion => &region_locals,
        };
        with_ours(&mut locals, program, max_locals, &frame.ours, woven)?;
        writer.write(frame.at, &locals, &frame.stack)?;
    }
    writer.finish()
}

/// The frames of a method as in its class file.
struct Original<'s, 'a> {
    class: &'s ClassFile<'a>,
    subject: &'s Subject<'a, 's>,
    table: &'s [u8],
    /// The locals at the start of the method.
    initial: &'s [Type],
}

/// A frame that the new code needs and the class file lacks, at an original offset.
struct MissingFrame {
    at: u32,
    locals: Vec<Type>,
    stack: Vec<Type>,
}

impl Original<'_, '_> {
    fn reader(&self) -> Result<FrameReader<'_>, Refusal> {
        FrameReader::new(self.table, self.initial.to_vec())
    }

    /// The offsets of `wanted` without a frame in the class file.
    fn without_frame(&self, mut wanted: Vec<u32>) -> Result<Vec<u32>, Refusal> {
        if !wanted.is_empty() {
            let (mut reader, mut offsets) = (self.reader()?, Vec::new());
            while reader.advance()? {
                offsets.push(reader.at);
            }
            wanted.retain(|at| offsets.binary_search(at).is_err());
        }
        Ok(wanted)
    }

    /// The types at the start of the region, where the handler of an overflowed entry continues. The stack is
    /// empty there.
    fn at_region(&self, pool: &mut PoolBuilder<'_>, budget: &mut Budget) -> Result<MissingFrame, Refusal> {
        let at = self.subject.insns.get(self.subject.region).map_or(0, |insn| insn.at);
        let at_start = MissingFrame { at, locals: self.initial.to_vec(), stack: Vec::new() };
        if at == 0 {
            return Ok(at_start);
        }
        Ok(self.inferred(&[at], pool, budget)?.pop().unwrap_or(at_start))
    }

    /// The types at the offsets `wanted`, ascending. The code falls through to each of them from the frame
    /// before it.
    fn inferred(
        &self,
        wanted: &[u32],
        pool: &mut PoolBuilder<'_>,
        budget: &mut Budget,
    ) -> Result<Vec<MissingFrame>, Refusal> {
        let mut frames = Vec::with_capacity(wanted.len());
        let mut wanted = wanted.iter().copied().peekable();
        if wanted.peek().is_none() {
            return Ok(frames);
        }
        let Subject { insns, signature, code, .. } = *self.subject;
        let max_locals = usize::from(code.max_locals);
        let mut inference =
            Inference::new(&self.class.pool, insns, signature, self.class.name()?, max_locals);
        inference.start(0, self.initial, &[], budget)?;
        let mut reader = self.reader()?;
        loop {
            let is_there = reader.advance()?;
            while let Some(at) = wanted.next_if(|at| !is_there || *at <= reader.at) {
                let (locals, stack) = inference.types_at(at, pool, budget)?;
                frames.push(MissingFrame { at, locals, stack });
            }
            if wanted.peek().is_none() {
                return Ok(frames);
            }
            inference.start(reader.at, &reader.locals, &reader.stack, budget)?;
        }
    }
}

/// Writes into `all` the `locals` as in the new code, unused slots up to `max_locals`, then `ours`.
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

/// Changes `types` to their form in the new code.
fn shift(types: &mut [Type], woven: &Woven<'_>) -> Result<(), Refusal> {
    for one in types {
        if let Type::Uninitialized(at) = one {
            *at = woven.layout.moved_new(u32::from(*at))?;
        }
    }
    Ok(())
}
