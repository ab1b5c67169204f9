//! The contents of the stack and the local variables, word by word.

use spl_classfile::frames::Type;
use spl_classfile::instruction::LocalAccess;
use spl_classfile::signature::{self, Field};

/// One word of the stack or the locals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Top,
    Int,
    Float,
    Long,
    Double,
    /// The second word of a long or double.
    Second,
    Null,
    /// An object of the class that [`Classes`] gave this number.
    Reference(u16),
    UninitializedThis,
    /// Made by the `new` at this offset.
    Uninitialized(u32),
}

/// The reason why a step is not legal; becomes part of the refusal's text.
pub(super) type Fault = String;

/// Numbers for the classes of references.
pub(super) trait Classes {
    /// Number of the class or array class with this name in a constant.
    fn named(&mut self, name: &[u8]) -> Result<u16, Fault>;

    /// Number of the element class of the array class `array`; elements are not primitive.
    fn element(&mut self, array: u16) -> Result<u16, Fault>;

    /// Number of the class that declares the method.
    fn this(&mut self) -> Result<u16, Fault>;

    /// Number of the class of an object in a frame.
    fn framed(&mut self, one: Type) -> Result<u16, Fault>;
}

/// Treats all classes as one: the checker looks for mistakes that crash a JVM, not for wrong classes.
#[derive(Debug)]
pub(super) struct AllAlike;

impl Classes for AllAlike {
    fn named(&mut self, _: &[u8]) -> Result<u16, Fault> {
        Ok(0)
    }

    fn element(&mut self, _: u16) -> Result<u16, Fault> {
        Ok(0)
    }

    fn this(&mut self) -> Result<u16, Fault> {
        Ok(0)
    }

    fn framed(&mut self, _: Type) -> Result<u16, Fault> {
        Ok(0)
    }
}

impl Word {
    /// A reference of any class, for comparisons.
    pub(super) const OBJECT: Self = Self::Reference(0);

    pub(super) fn of_kind(kind: u8) -> Self {
        match kind {
            b'I' => Self::Int,
            b'J' => Self::Long,
            b'F' => Self::Float,
            b'D' => Self::Double,
            _ => Self::OBJECT,
        }
    }

    pub(super) fn of_field(field: Field<'_>, classes: &mut impl Classes) -> Result<Self, Fault> {
        Ok(match field.class_name() {
            Some(name) => Self::Reference(classes.named(name)?),
            None => Self::of_field_kind(field),
        })
    }

    fn of_field_kind(field: Field<'_>) -> Self {
        match field.tag() {
            b'J' => Self::Long,
            b'D' => Self::Double,
            b'F' => Self::Float,
            b'L' | b'[' => Self::OBJECT,
            _ => Self::Int,
        }
    }

    fn of_frame(one: Type, classes: &mut impl Classes) -> Result<Self, Fault> {
        Ok(match one {
            Type::Top => Self::Top,
            Type::Int => Self::Int,
            Type::Float => Self::Float,
            Type::Double => Self::Double,
            Type::Long => Self::Long,
            Type::Null => Self::Null,
            Type::UninitializedThis => Self::UninitializedThis,
            Type::Object(_) | Type::Parameter(_) => Self::Reference(classes.framed(one)?),
            Type::Uninitialized(at) => Self::Uninitialized(u32::from(at)),
        })
    }

    fn is_wide(self) -> bool {
        matches!(self, Self::Long | Self::Double)
    }

    /// A reference to an initialised object, or null.
    pub(super) fn is_object(self) -> bool {
        matches!(self, Self::Reference(_) | Self::Null)
    }

    pub(super) fn is_uninitialized(self) -> bool {
        matches!(self, Self::UninitializedThis | Self::Uninitialized(_))
    }

    pub(super) fn fits(self, wanted: Self) -> bool {
        self == wanted || wanted == Self::Top || (self.is_object() && matches!(wanted, Self::Reference(_)))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) locals: Vec<Word>,
    pub(super) stack: Vec<Word>,
    /// The constructor has not yet called `this(…)` or `super(…)` (JVMS 4.10.1.4, `flagThisUninit`).
    pub(super) constructing: bool,
}

impl State {
    pub(super) fn of_frame(
        locals: &[Type],
        stack: &[Type],
        max_locals: usize,
        classes: &mut impl Classes,
    ) -> Result<Self, Fault> {
        let mut words = spread(locals, classes)?;
        if words.len() > max_locals {
            return Err("a frame has more locals than the method".to_owned());
        }
        words.resize(max_locals, Word::Top);
        let constructing = words.contains(&Word::UninitializedThis);
        Ok(Self { locals: words, stack: spread(stack, classes)?, constructing })
    }

    /// Becomes a copy of `other`, reusing its own memory.
    pub(super) fn copy(&mut self, other: &Self) {
        self.locals.clone_from(&other.locals);
        self.stack.clone_from(&other.stack);
        self.constructing = other.constructing;
    }

    /// Whether the code at `wanted` may be entered from this state.
    pub(super) fn fits(&self, wanted: &Self) -> bool {
        self.stack.len() == wanted.stack.len()
            && self.stack.iter().zip(&wanted.stack).all(|(word, wanted)| word.fits(*wanted))
            && self.locals_fit(wanted)
    }

    /// Like [`fits`](Self::fits), for the locals alone.
    pub(super) fn locals_fit(&self, wanted: &Self) -> bool {
        (!self.constructing || wanted.constructing)
            && self.locals.iter().zip(&wanted.locals).all(|(word, wanted)| word.fits(*wanted))
    }

    pub(super) fn push(&mut self, word: Word) {
        self.stack.push(word);
        if word.is_wide() {
            self.stack.push(Word::Second);
        }
    }

    pub(super) fn pop_word(&mut self) -> Result<Word, Fault> {
        self.stack.pop().ok_or_else(|| "the stack underflows".to_owned())
    }

    /// Pops a value of the type `wanted`. A wanted reference accepts any initialised object and null.
    pub(super) fn pop(&mut self, wanted: Word) -> Result<(), Fault> {
        if wanted.is_wide() && self.pop_word()? != Word::Second {
            return Err(format!("the stack should hold {wanted:?}"));
        }
        let got = self.pop_word()?;
        if got.fits(wanted) { Ok(()) } else { Err(format!("the stack holds {got:?}, not {wanted:?}")) }
    }

    /// Pops the arguments of a call and returns its result type.
    pub(super) fn pop_arguments<'d>(&mut self, descriptor: &'d [u8]) -> Result<Option<Field<'d>>, Fault> {
        let mut words = 0;
        signature::walk(descriptor, |field| words += field.words()).map_err(|error| error.to_string())?;
        let base = self.stack.len().checked_sub(words).ok_or("the stack underflows")?;
        let (mut at, mut wrong) = (base, None);
        let result = signature::walk(descriptor, |field| {
            let (got, wanted) = (self.stack[at], Word::of_field_kind(field));
            let is_whole = !wanted.is_wide() || self.stack[at + 1] == Word::Second;
            if !(got.fits(wanted) && is_whole) {
                wrong = wrong.or(Some((got, wanted)));
            }
            at += field.words();
        });
        self.stack.truncate(base);
        match wrong {
            Some((got, wanted)) => Err(format!("the stack holds {got:?}, not {wanted:?}")),
            None => result.map_err(|error| error.to_string()),
        }
    }

    /// Pops a reference, initialised or not.
    pub(super) fn pop_any_reference(&mut self) -> Result<Word, Fault> {
        let got = self.pop_word()?;
        let is_reference = got.is_object() || got.is_uninitialized();
        if is_reference { Ok(got) } else { Err(format!("the stack holds {got:?}, not a reference")) }
    }

    /// Replaces the top `depth` words by the words at the positions of `order`, deepest first. `boundaries`
    /// separate the moved values, in words from the top, and must not cut a long or double.
    pub(super) fn shuffle(&mut self, boundaries: &[usize], order: &[usize]) -> Result<(), Fault> {
        let depth = boundaries.last().copied().unwrap_or_default();
        let base = self.stack.len().checked_sub(depth).ok_or("the stack underflows")?;
        if boundaries.iter().any(|boundary| self.stack[self.stack.len() - boundary] == Word::Second) {
            return Err("a long or double is cut in two".to_owned());
        }
        let old = self.stack.split_off(base);
        self.stack.extend(order.iter().map(|&from| old[from]));
        Ok(())
    }

    /// Executes a load or store.
    pub(super) fn access(&mut self, access: LocalAccess) -> Result<(), Fault> {
        let (slot, wanted) = (usize::from(access.slot), Word::of_kind(access.kind));
        if !access.is_store {
            let held = self.local(slot)?;
            let is_right = if access.kind == b'A' {
                held.is_object() || held.is_uninitialized()
            } else {
                held == wanted
            };
            if !is_right || (wanted.is_wide() && self.local(slot + 1)? != Word::Second) {
                return Err(format!("local {slot} holds {held:?}, not {wanted:?}"));
            }
            self.push(held);
            return Ok(());
        }
        let stored = if access.kind == b'A' {
            self.pop_any_reference()?
        } else {
            self.pop(wanted)?;
            wanted
        };
        self.set(slot, stored)?;
        if stored.is_wide() {
            self.set(slot + 1, Word::Second)?;
            self.locals[slot] = stored;
        }
        Ok(())
    }

    pub(super) fn local(&self, slot: usize) -> Result<Word, Fault> {
        self.locals.get(slot).copied().ok_or_else(|| format!("there is no local {slot}"))
    }

    /// Overwrites a local. If it was half of a long or double, the other half becomes unusable.
    fn set(&mut self, slot: usize, word: Word) -> Result<(), Fault> {
        let old = self.local(slot)?;
        if old == Word::Second && slot > 0 {
            self.locals[slot - 1] = Word::Top;
        }
        if old.is_wide() && slot + 1 < self.locals.len() {
            self.locals[slot + 1] = Word::Top;
        }
        self.locals[slot] = word;
        Ok(())
    }

    /// Marks all copies of `object` as initialised after its constructor has run; `class` is their class.
    pub(super) fn initialise(&mut self, object: Word, class: u16) {
        let all = self.locals.iter_mut().chain(&mut self.stack);
        all.filter(|word| **word == object).for_each(|word| *word = Word::Reference(class));
        self.constructing &= object != Word::UninitializedThis;
    }
}

fn spread(types: &[Type], classes: &mut impl Classes) -> Result<Vec<Word>, Fault> {
    let mut words = Vec::with_capacity(types.len());
    for one in types {
        words.push(Word::of_frame(*one, classes)?);
        words.extend((one.words() == 2).then_some(Word::Second));
    }
    Ok(words)
}
