//! StackMapTable (JVMS 4.7.4): absolute frames to compressed ones.

use crate::new_code::count;
use spl_classfile::frames::Type;
use spl_classfile::reader::malformed;
use spl_model::Refusal;

/// Most bytes of a written table; in JDK 17 and 25 the largest has 7,689.
const TABLE_LIMIT: usize = 4_000_000;

/// Most types of all written frames together, including repeated frames; our own check accepts no more. A
/// table of short frames over 65,000 locals would take ten seconds.
const WRITTEN_LIMIT: usize = 10_000_000;

/// Writes a table frame by frame, at ascending offsets.
#[derive(Debug)]
pub(crate) struct FrameWriter<F> {
    out: Vec<u8>,
    frames: usize,
    last: Option<u16>,
    locals: Vec<Type>,
    produced: usize,
    parameter_class: F,
}

impl<F: FnMut(u8) -> Result<u16, Refusal>> FrameWriter<F> {
    /// `locals` is the state at the start of the method; `parameter_class` finds the class constant of a
    /// parameter.
    pub(crate) fn new(locals: Vec<Type>, parameter_class: F) -> Self {
        Self { out: vec![0, 0], frames: 0, last: None, locals, produced: 0, parameter_class }
    }

    pub(crate) fn write(&mut self, at: u16, locals: &[Type], stack: &[Type]) -> Result<(), Refusal> {
        self.produced += locals.len() + stack.len();
        if self.produced > WRITTEN_LIMIT {
            return Err(Refusal::TableFull("stack maps".to_owned()));
        }
        let delta = match self.last {
            None => Some(at),
            Some(last) => at.checked_sub(last).and_then(|distance| distance.checked_sub(1)),
        };
        let delta = delta.ok_or_else(|| malformed("stack map frames are not in order"))?;
        let appended = locals.strip_prefix(&self.locals[..]);
        match (appended, stack, u8::try_from(delta)) {
            (Some([]), [], Ok(short @ 0..64)) => self.out.push(short),
            (Some([]), [], _) => self.tag(251, delta),
            (Some([]), [one], Ok(short @ 0..64)) => {
                self.out.push(64 + short);
                self.entry(*one)?;
            }
            (Some([]), [one], _) => {
                self.tag(247, delta);
                self.entry(*one)?;
            }
            (Some(new @ ([_] | [_, _] | [_, _, _])), [], _) => {
                self.tag(251 + new.len() as u8, delta);
                new.iter().try_for_each(|one| self.entry(*one))?;
            }
            _ => {
                self.tag(255, delta);
                self.entries(locals)?;
                self.entries(stack)?;
            }
        }
        if self.out.len() > TABLE_LIMIT {
            return Err(Refusal::TableFull("stack maps".to_owned()));
        }
        self.frames += 1;
        self.last = Some(at);
        self.locals.clear();
        self.locals.extend(locals);
        Ok(())
    }

    /// The `info` bytes of the attribute.
    pub(crate) fn finish(mut self) -> Result<Vec<u8>, Refusal> {
        let frames = count(self.frames, "stack maps")?;
        self.out[..2].copy_from_slice(&frames);
        Ok(self.out)
    }

    fn tag(&mut self, tag: u8, delta: u16) {
        self.out.push(tag);
        self.out.extend(delta.to_be_bytes());
    }

    fn entries(&mut self, types: &[Type]) -> Result<(), Refusal> {
        self.out.extend(count(types.len(), "stack maps")?);
        types.iter().try_for_each(|one| self.entry(*one))
    }

    fn entry(&mut self, one: Type) -> Result<(), Refusal> {
        let (tag, operand) = match one {
            Type::Top => (0, None),
            Type::Int => (1, None),
            Type::Float => (2, None),
            Type::Double => (3, None),
            Type::Long => (4, None),
            Type::Null => (5, None),
            Type::UninitializedThis => (6, None),
            Type::Object(class) => (7, Some(class)),
            Type::Uninitialized(at) => (8, Some(at)),
            Type::Parameter(index) => (7, Some((self.parameter_class)(index)?)),
        };
        self.out.push(tag);
        self.out.extend(operand.into_iter().flat_map(u16::to_be_bytes));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use spl_classfile::frames::FrameReader;

    fn any_type() -> impl Strategy<Value = Type> {
        prop_oneof![
            Just(Type::Top),
            Just(Type::Int),
            Just(Type::Long),
            Just(Type::UninitializedThis),
            (1_u16..9).prop_map(Type::Object),
            (0_u16..9).prop_map(Type::Uninitialized),
        ]
    }

    proptest! {
        #[test]
        fn frames_come_back(
            frames in prop::collection::vec(
                (0_u16..300, prop::collection::vec(any_type(), 0..5), prop::collection::vec(any_type(), 0..3)),
                0..20,
            ),
        ) {
            let initial = vec![Type::Object(1), Type::Int];
            let mut writer = FrameWriter::new(initial.clone(), |_| Ok(9));
            let mut at = 0;
            let mut expected = Vec::new();
            for (delta, locals, stack) in frames {
                at += delta + 1;
                writer.write(at, &locals, &stack).unwrap();
                expected.push((u32::from(at), locals, stack));
            }
            let table = writer.finish().unwrap();
            let mut reader = FrameReader::new(&table, initial).unwrap();
            let mut got = Vec::new();
            while reader.advance().unwrap() {
                got.push((reader.at, reader.locals.clone(), reader.stack.clone()));
            }
            prop_assert_eq!(got, expected);
        }
    }
}
