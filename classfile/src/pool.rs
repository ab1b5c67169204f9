//! The constant pool (JVMS 4.4).

use crate::reader::{Reader, malformed};
use spl_model::Refusal;

/// Tag of a text.
pub const UTF8: u8 = 1;
/// Tag of an int.
pub const INTEGER: u8 = 3;
/// Tag of a float.
pub const FLOAT: u8 = 4;
/// Tag of a long, which takes two indices.
pub const LONG: u8 = 5;
/// Tag of a double, which takes two indices.
pub const DOUBLE: u8 = 6;
/// Tag of a class.
pub const CLASS: u8 = 7;
/// Tag of a string.
pub const STRING: u8 = 8;
/// Tag of a field reference.
pub const FIELD: u8 = 9;
/// Tag of a method reference.
pub const METHOD: u8 = 10;
/// Tag of a reference to an interface's method.
pub const INTERFACE_METHOD: u8 = 11;
/// Tag of a name with a descriptor.
pub const NAME_AND_TYPE: u8 = 12;
/// Tag of a method handle.
pub const METHOD_HANDLE: u8 = 15;
/// Tag of a method type.
pub const METHOD_TYPE: u8 = 16;
/// Tag of a dynamic constant.
pub const DYNAMIC: u8 = 17;
/// Tag of the operand of an `invokedynamic` instruction.
pub const INVOKE_DYNAMIC: u8 = 18;

/// The positions of the entries of a constant pool.
#[derive(Debug)]
pub struct Pool<'a> {
    bytes: &'a [u8],
    /// Start of each entry's tag byte; 0 for index 0 and for the second index of a long or double.
    offsets: Vec<u32>,
    end: usize,
}

/// A field or method reference, resolved to names in the file's encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member<'a> {
    /// The class of the reference; empty for a dynamic constant.
    pub class: &'a [u8],
    /// Unqualified name.
    pub name: &'a [u8],
    /// Descriptor of the field or method.
    pub descriptor: &'a [u8],
}

/// A constant that an instruction loads. Names and texts are in the file's encoding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant<'a> {
    /// An int.
    Int(i32),
    /// A float.
    Float(f32),
    /// A long.
    Long(i64),
    /// A double.
    Double(f64),
    /// A string.
    String(&'a [u8]),
    /// A class, by its name or the descriptor of an array.
    Class(&'a [u8]),
    /// A method type, by its descriptor.
    MethodType(&'a [u8]),
    /// A method handle, by its member.
    MethodHandle(Member<'a>),
    /// A constant that a bootstrap method makes.
    Dynamic(Member<'a>),
}

impl<'a> Pool<'a> {
    /// Reads the pool whose count is at `at`.
    ///
    /// # Errors
    /// When the bytes end too early or a tag is unknown.
    pub fn read(bytes: &'a [u8], at: usize) -> Result<Self, Refusal> {
        let mut reader = Reader::starting_at(bytes, at);
        let count = usize::from(reader.u2()?);
        let mut offsets = Vec::with_capacity(count);
        offsets.push(0);
        while offsets.len() < count {
            let offset = u32::try_from(reader.at()).map_err(|_| malformed("it is over 4 GiB"))?;
            let tag = reader.u1()?;
            let length = match tag {
                UTF8 => usize::from(reader.u2()?),
                INTEGER | FLOAT | FIELD | METHOD | INTERFACE_METHOD | NAME_AND_TYPE | DYNAMIC
                | INVOKE_DYNAMIC => 4,
                LONG | DOUBLE => 8,
                CLASS | STRING | METHOD_TYPE | 19 | 20 => 2,
                METHOD_HANDLE => 3,
                _ => return Err(malformed(format!("constant {} has the unknown tag {tag}", offsets.len()))),
            };
            reader.take(length)?;
            offsets.push(offset);
            if matches!(tag, LONG | DOUBLE) {
                offsets.push(0);
            }
        }
        if offsets.len() > count.max(1) {
            return Err(malformed("the last constant needs two entries, the pool has one"));
        }
        Ok(Self { bytes, offsets, end: reader.at() })
    }

    /// Offset of the first byte after the pool.
    pub fn end(&self) -> usize {
        self.end
    }

    /// Number of entries, including index 0.
    pub fn count(&self) -> usize {
        self.offsets.len()
    }

    /// Tag of entry `index`; `None` if the entry does not exist.
    #[must_use]
    pub fn tag(&self, index: u16) -> Option<u8> {
        match self.offsets.get(usize::from(index)) {
            None | Some(0) => None,
            Some(&offset) => self.bytes.get(offset as usize).copied(),
        }
    }

    /// A reader after the tag of entry `index`, which must have the tag `tag`.
    fn entry(&self, index: u16, tag: u8) -> Result<Reader<'a>, Refusal> {
        if self.tag(index) != Some(tag) {
            return Err(malformed(format!("constant {index} should have the tag {tag}")));
        }
        Ok(Reader::starting_at(self.bytes, self.offsets[usize::from(index)] as usize + 1))
    }

    /// The text of entry `index`, in the file's encoding.
    ///
    /// # Errors
    /// When the entry is not a text.
    pub fn utf8(&self, index: u16) -> Result<&'a [u8], Refusal> {
        let mut reader = self.entry(index, UTF8)?;
        let length = usize::from(reader.u2()?);
        reader.take(length)
    }

    /// Name of a class, or descriptor of an array class.
    ///
    /// # Errors
    /// When the entry is not a class.
    pub fn class(&self, index: u16) -> Result<&'a [u8], Refusal> {
        let name = self.entry(index, CLASS)?.u2()?;
        self.utf8(name)
    }

    /// Name and descriptor of a field, method or dynamic constant; `class` is empty for the latter.
    ///
    /// # Errors
    /// When the entry is of another kind.
    pub fn member(&self, index: u16) -> Result<Member<'a>, Refusal> {
        let tag = self.tag(index).unwrap_or_default();
        if !matches!(tag, FIELD | METHOD | INTERFACE_METHOD | DYNAMIC | INVOKE_DYNAMIC) {
            return Err(malformed(format!("constant {index} is not a member reference")));
        }
        let mut reader = self.entry(index, tag)?;
        let (owner, signature) = (reader.u2()?, reader.u2()?);
        let class = if matches!(tag, DYNAMIC | INVOKE_DYNAMIC) { &[][..] } else { self.class(owner)? };
        let mut reader = self.entry(signature, NAME_AND_TYPE)?;
        let (name, descriptor) = (reader.u2()?, reader.u2()?);
        Ok(Member { class, name: self.utf8(name)?, descriptor: self.utf8(descriptor)? })
    }

    /// Place of the bootstrap method of an `invokedynamic` instruction's constant; `None` of another entry.
    pub(crate) fn bootstrap(&self, index: u16) -> Option<u16> {
        self.entry(index, INVOKE_DYNAMIC).ok()?.u2().ok()
    }

    /// The member of a method handle; `None` of another entry.
    pub(crate) fn handle(&self, index: u16) -> Option<Member<'a>> {
        let mut reader = self.entry(index, METHOD_HANDLE).ok()?;
        reader.u1().ok()?;
        self.member(reader.u2().ok()?).ok()
    }

    /// The value of a constant that an instruction loads; `None` of any other entry.
    #[must_use]
    pub fn constant(&self, index: u16) -> Option<Constant<'a>> {
        let tag = self.tag(index)?;
        let mut reader = self.entry(index, tag).ok()?;
        let mut four = || reader.u4().ok();
        Some(match tag {
            INTEGER => Constant::Int(four()? as i32),
            FLOAT => Constant::Float(f32::from_bits(four()?)),
            LONG => Constant::Long((u64::from(four()?) << 32 | u64::from(four()?)) as i64),
            DOUBLE => Constant::Double(f64::from_bits(u64::from(four()?) << 32 | u64::from(four()?))),
            STRING => Constant::String(self.utf8(reader.u2().ok()?).ok()?),
            CLASS => Constant::Class(self.class(index).ok()?),
            METHOD_TYPE => Constant::MethodType(self.utf8(reader.u2().ok()?).ok()?),
            METHOD_HANDLE => Constant::MethodHandle(self.handle(index)?),
            DYNAMIC => Constant::Dynamic(self.member(index).ok()?),
            _ => return None,
        })
    }

    /// Index and bytes of each entry, including the tag.
    pub fn entries(&self) -> impl Iterator<Item = (u16, &'a [u8])> + '_ {
        let starts = self.offsets.iter().enumerate().filter(|(_, offset)| **offset != 0);
        let ends = starts.clone().skip(1).map(|(_, end)| *end as usize).chain([self.end]);
        let cut =
            |((index, &start), end)| (index as u16, self.bytes.get(start as usize..end).unwrap_or_default());
        starts.zip(ends).map(cut)
    }
}
