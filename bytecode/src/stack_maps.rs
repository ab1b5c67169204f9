//! The StackMapTable of a method with probes.

use crate::budget::Budget;
use crate::check::Inference;
use crate::constants::{PoolBuilder, class_constant};
use crate::emit::Known;
use crate::frame_writer::FrameWriter;
use crate::weave::{Guarded, ProgramLocals, Subject, THROWABLE, Woven};
use spl_classfile::class::ClassFile;
use spl_classfile::frames::{FrameReader, Type, initial_locals};
use spl_classfile::instruction::Flow;
use spl_model::Refusal;
use std::collections::BTreeMap;
use std::iter::Peekable;

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
    let copies = original.copied(woven, pool, budget)?.into_iter().peekable();
    let mut missing = missing.iter().peekable();
    let parameter_class = |index: u8| match subject.signature.parameters.get(usize::from(index)) {
        Some(field) => class_constant(*field, pool),
        None => Err(Refusal::Malformed("a stack map frame names a parameter that is not there".to_owned())),
    };
    let max_locals = usize::from(subject.code.max_locals);
    let mut new = NewTable {
        writer: FrameWriter::new(initial.clone(), parameter_class),
        woven,
        ours: woven.slots.types(),
        max_locals,
        copies,
        locals: Vec::new(),
        stack: Vec::new(),
    };
    let mut reader = FrameReader::new(old, initial)?;
    loop {
        let is_there = reader.advance()?;
        while let Some(frame) = missing.next_if(|frame| !is_there || frame.at < reader.at) {
            new.write(woven.layout.moved(frame.at)?, &frame.locals, &frame.stack)?;
        }
        if !is_there {
            break;
        }
        // The class file itself has this frame.
        missing.next_if(|frame| frame.at == reader.at);
        budget.spend(max_locals)?;
        new.write(woven.layout.moved(reader.at)?, &reader.locals, &reader.stack)?;
    }
    new.copies_before(None)?;
    for frame in &our_frames {
        let program = match frame.program {
            ProgramLocals::Unknown => &[][..],
            ProgramLocals::AtRegion => &region_locals,
        };
        with_ours(&mut new.locals, program, max_locals, &frame.ours, woven)?;
        new.writer.write(frame.at, &new.locals, &frame.stack)?;
    }
    new.writer.finish()
}

/// The table under construction.
struct NewTable<'w, 'a, F, C: Iterator<Item = Copied>> {
    writer: FrameWriter<F>,
    woven: &'w Woven<'a>,
    /// Types of our locals.
    ours: Vec<Type>,
    max_locals: usize,
    /// Frames of code that has the state of an original offset, ascending.
    copies: Peekable<C>,
    locals: Vec<Type>,
    stack: Vec<Type>,
}

impl<F: FnMut(u8) -> Result<u16, Refusal>, C: Iterator<Item = Copied>> NewTable<'_, '_, F, C> {
    /// Writes the frame at `at`, with our locals, after the copies that come before it.
    fn write(&mut self, at: u16, locals: &[Type], stack: &[Type]) -> Result<(), Refusal> {
        self.copies_before(Some(at))?;
        // A copy at the same place has the same types.
        while self.copies.next_if(|copy| copy.to == at).is_some() {}
        self.add(at, locals, stack, None)
    }

    /// Writes the copies before an offset, or all that are left.
    fn copies_before(&mut self, end: Option<u16>) -> Result<(), Refusal> {
        let mut last = None;
        while let Some(copy) = self.copies.next_if(|copy| end.is_none_or(|end| copy.to < end)) {
            if last != Some(copy.to) {
                self.add(copy.to, &copy.frame.locals, &copy.frame.stack, copy.held)?;
            }
            last = Some(copy.to);
        }
        Ok(())
    }

    /// Writes a frame; `held` is the type in the slot behind our locals, if it has one.
    fn add(&mut self, at: u16, locals: &[Type], stack: &[Type], held: Option<Type>) -> Result<(), Refusal> {
        with_ours(&mut self.locals, locals, self.max_locals, &self.ours, self.woven)?;
        self.locals.extend(held);
        self.stack.clear();
        self.stack.extend(stack);
        shift(&mut self.stack, self.woven)?;
        self.writer.write(at, &self.locals, &self.stack)
    }
}

/// The frames of a method as in its class file.
struct Original<'s, 'a> {
    class: &'s ClassFile<'a>,
    subject: &'s Subject<'a, 's>,
    table: &'s [u8],
    /// The locals at the start of the method.
    initial: &'s [Type],
}

/// A frame of our own code.
struct Copied {
    /// Offset in the new code.
    to: u16,
    /// The state of an original offset, or that with another stack.
    frame: MissingFrame,
    /// Type in the slot behind our locals.
    held: Option<Type>,
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

    /// Whether the method needs frames of its own.
    fn branches(&self) -> bool {
        let Subject { insns, code, .. } = *self.subject;
        !code.handlers.is_empty() || insns.iter().any(|insn| !matches!(insn.flow, Flow::Next))
    }

    /// The frames of our code that has the state of an original offset, ascending. A class that lacks the frames of its own branches gets
    /// none.
    fn copied(
        &self,
        woven: &Woven<'_>,
        pool: &mut PoolBuilder<'_>,
        budget: &mut Budget,
    ) -> Result<Vec<Copied>, Refusal> {
        let (copies, guarded) = (woven.layout.copies(), &woven.guarded);
        let places = || copies.iter().map(|(place, _)| *place).chain(guarded.iter().map(|one| one.locals));
        let mut wanted = sorted(places().filter_map(|place| match place {
            Known::At(at) | Known::Switched(at) => Some(at),
            Known::FallenTo(_) => None,
        }));
        let fallen = sorted(places().filter_map(|place| match place {
            Known::FallenTo(at) => Some(at),
            Known::At(_) | Known::Switched(_) => None,
        }));
        if wanted.is_empty() && fallen.is_empty() {
            return Ok(Vec::new());
        }
        let (mut known, mut is_any) = (BTreeMap::new(), false);
        let mut reader = self.reader()?;
        while reader.advance()? {
            is_any = true;
            if wanted.binary_search(&reader.at).is_ok() {
                budget.spend(reader.locals.len() + reader.stack.len())?;
                known.insert(reader.at, (reader.locals.clone(), reader.stack.clone()));
            }
        }
        if !is_any && self.branches() {
            return Ok(Vec::new());
        }
        wanted.retain(|at| !known.contains_key(at));
        for frame in self.inferred(&wanted, pool, budget)? {
            known.insert(frame.at, (frame.locals, frame.stack));
        }
        let fallen = self.inferred(&fallen, pool, budget)?;
        let fallen: BTreeMap<_, _> =
            fallen.into_iter().map(|frame| (frame.at, (frame.locals, frame.stack))).collect();
        let at = |place: Known| match place {
            Known::At(at) => known.get(&at).map(|(locals, stack)| (at, locals, &stack[..])),
            Known::FallenTo(at) => fallen.get(&at).map(|(locals, stack)| (at, locals, &stack[..])),
            Known::Switched(at) => {
                let (locals, stack) = known.get(&at)?;
                Some((at, locals, stack.split_last()?.1))
            }
        };
        let throwable = Type::Object(pool.class(THROWABLE)?);
        let mut frames = Vec::with_capacity(copies.len() + 3 * guarded.len());
        for (place, piece) in copies {
            if let Some((at, locals, stack)) = at(*place) {
                budget.spend(locals.len() + stack.len())?;
                let frame = MissingFrame { at, locals: locals.clone(), stack: stack.to_vec() };
                frames.push(Copied { to: woven.layout.offset(*piece), frame, held: None });
            }
        }
        for Guarded { landing, others, locals, waits } in guarded {
            let Some((at, locals, stack)) = at(*locals) else { continue };
            budget.spend(3 * locals.len())?;
            let held = stack.first().copied().filter(|_| *waits);
            let empty = others.map(|to| (to, Vec::new()));
            for (to, stack) in empty.into_iter().chain([(*landing, vec![throwable])]) {
                let frame = MissingFrame { at, locals: locals.clone(), stack };
                frames.push(Copied { to, frame, held });
            }
        }
        frames.sort_by_key(|copy| copy.to);
        Ok(frames)
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

/// The different ones of some offsets, ascending.
fn sorted(offsets: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut all: Vec<u32> = offsets.collect();
    all.sort_unstable();
    all.dedup();
    all
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
