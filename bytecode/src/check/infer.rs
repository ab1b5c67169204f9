//! Types at places where the class file has no frame, but the rewritten code needs one.
//!
//! A conditional branch that no longer reaches its target is inverted and jumps over a `goto_w`; the next
//! instruction is then a branch target. Only the code before it leads there, so its types follow from the
//! last frame, instruction by instruction (JVMS 4.10.1.6).

use super::state::{Classes, Fault, State, Word};
use super::step;
use crate::budget::Budget;
use crate::constants::PoolBuilder;
use spl_classfile::frames::Type;
use spl_classfile::instruction::Insn;
use spl_classfile::pool::Pool;
use spl_classfile::reader::malformed;
use spl_classfile::signature::Signature;
use spl_model::Refusal;
use std::collections::HashMap;

/// Computes the types of one method between its frames.
#[derive(Debug)]
pub(crate) struct Inference<'a, 'b> {
    pool: &'b Pool<'a>,
    insns: &'b [Insn<'a>],
    names: Names<'a, 'b>,
    max_locals: usize,
    state: Option<State>,
    /// Index of the instruction that follows `state`.
    next: usize,
}

impl<'a, 'b> Inference<'a, 'b> {
    /// `this` is the name of the class, `max_locals` the method's own.
    pub(crate) fn new(
        pool: &'b Pool<'a>,
        insns: &'b [Insn<'a>],
        signature: &'b Signature<'a>,
        this: &'a [u8],
        max_locals: usize,
    ) -> Self {
        let names = Names { pool, signature, this, known: HashMap::new(), list: Vec::new(), read: 0 };
        Self { pool, insns, names, max_locals, state: None, next: 0 }
    }

    /// Starts from the class file's frame of the instruction at `at`.
    ///
    /// # Errors
    /// When the frame is invalid, or no instruction is at `at`.
    pub(crate) fn start(
        &mut self,
        at: u32,
        locals: &[Type],
        stack: &[Type],
        budget: &mut Budget,
    ) -> Result<(), Refusal> {
        budget.spend(self.max_locals)?;
        let state = State::of_frame(locals, stack, self.max_locals, &mut self.names).map_err(malformed)?;
        self.state = Some(state);
        let found = self.insns.binary_search_by_key(&at, |insn| insn.at);
        self.next =
            found.map_err(|_| malformed(format!("a stack map frame lies inside an instruction, at {at}")))?;
        Ok(())
    }

    /// Locals and stack before the instruction at `at`. The code falls through to it from the start or from
    /// the last such place.
    ///
    /// # Errors
    /// When the code in between breaks the rules, or the pool is full.
    pub(crate) fn types_at(
        &mut self,
        at: u32,
        pool: &mut PoolBuilder<'_>,
        budget: &mut Budget,
    ) -> Result<(Vec<Type>, Vec<Type>), Refusal> {
        let state = self.state.as_mut().ok_or_else(|| malformed("no frame leads there"))?;
        for insn in self.insns.iter().skip(self.next).take_while(|insn| insn.at < at) {
            let fault = |fault| malformed(format!("at {}: {fault}", insn.at));
            // The code falls through to `at`, so it contains no return.
            step::execute(insn, state, self.pool, None, &mut self.names, budget).map_err(fault)?;
            budget.spend_text(std::mem::take(&mut self.names.read))?;
            self.next += 1;
        }
        let names = &mut self.names.list;
        // Empty locals after the last used one are left out.
        let used = state.locals.iter().rposition(|word| *word != Word::Top).map_or(0, |last| last + 1);
        budget.keep_frame(used + state.stack.len())?;
        let locals = types(&state.locals[..used], names, pool)?;
        Ok((locals, types(&state.stack, names, pool)?))
    }
}

fn types(words: &[Word], names: &mut [Named], pool: &mut PoolBuilder<'_>) -> Result<Vec<Type>, Refusal> {
    let mut types = Vec::with_capacity(words.len());
    for word in words {
        types.push(match word {
            Word::Second => continue,
            Word::Top => Type::Top,
            Word::Int => Type::Int,
            Word::Float => Type::Float,
            Word::Long => Type::Long,
            Word::Double => Type::Double,
            Word::Null => Type::Null,
            Word::UninitializedThis => Type::UninitializedThis,
            Word::Uninitialized(at) => {
                Type::Uninitialized(u16::try_from(*at).map_err(|_| malformed("the code is too long"))?)
            }
            Word::Reference(class) => match names.get_mut(usize::from(*class)) {
                Some(Named { index: Some(index), .. }) => Type::Object(*index),
                Some(named) => Type::Object(*named.index.insert(pool.class(&named.name)?)),
                None => Type::Top,
            },
        });
    }
    Ok(types)
}

/// The names of the classes seen so far, by number.
#[derive(Debug)]
struct Names<'a, 'b> {
    pool: &'b Pool<'a>,
    signature: &'b Signature<'a>,
    this: &'a [u8],
    known: HashMap<Vec<u8>, u16>,
    list: Vec<Named>,
    /// Bytes of the names read.
    read: usize,
}

/// A class seen so far.
#[derive(Debug)]
struct Named {
    name: Vec<u8>,
    /// Index of its constant, once a frame needs it.
    index: Option<u16>,
}

impl Classes for Names<'_, '_> {
    fn named(&mut self, name: &[u8]) -> Result<u16, Fault> {
        self.read += name.len();
        if let Some(number) = self.known.get(name) {
            return Ok(*number);
        }
        let number = u16::try_from(self.list.len()).map_err(|_| "it uses too many classes".to_owned())?;
        self.list.push(Named { name: name.to_owned(), index: None });
        self.known.insert(name.to_owned(), number);
        Ok(number)
    }

    fn element(&mut self, array: u16) -> Result<u16, Fault> {
        let name = self.list.get(usize::from(array)).map(|named| named.name.clone()).unwrap_or_default();
        match &name[..] {
            [b'[', b'L', element @ .., b';'] => self.named(element),
            [b'[', element @ ..] if element.first() == Some(&b'[') => self.named(element),
            _ => Err(format!("{} is not an array of references", String::from_utf8_lossy(&name))),
        }
    }

    fn this(&mut self) -> Result<u16, Fault> {
        self.named(self.this)
    }

    fn framed(&mut self, one: Type) -> Result<u16, Fault> {
        let name = match one {
            Type::Object(index) => self.pool.class(index).map_err(|error| error.to_string())?,
            Type::Parameter(index) => {
                let field = self.signature.parameters.get(usize::from(index));
                field.and_then(|field| field.class_name()).ok_or("a parameter is not an object")?
            }
            Type::Top
            | Type::Int
            | Type::Float
            | Type::Double
            | Type::Long
            | Type::Null
            | Type::UninitializedThis
            | Type::Uninitialized(_) => return Err("a frame's type is not an object".to_owned()),
        };
        self.named(name)
    }
}
