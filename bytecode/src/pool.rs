//! The constant pool (JVMS 4.4): the entries of a class file, and those that we append.

use crate::names::PROBE_CLASS;
use crate::reader::{Reader, malformed};
use spl_model::Refusal;
use std::collections::HashMap;

pub(crate) const UTF8: u8 = 1;
pub(crate) const INTEGER: u8 = 3;
pub(crate) const FLOAT: u8 = 4;
pub(crate) const LONG: u8 = 5;
pub(crate) const DOUBLE: u8 = 6;
pub(crate) const CLASS: u8 = 7;
pub(crate) const STRING: u8 = 8;
pub(crate) const FIELD: u8 = 9;
pub(crate) const METHOD: u8 = 10;
pub(crate) const INTERFACE_METHOD: u8 = 11;
pub(crate) const NAME_AND_TYPE: u8 = 12;
pub(crate) const METHOD_HANDLE: u8 = 15;
pub(crate) const METHOD_TYPE: u8 = 16;
pub(crate) const DYNAMIC: u8 = 17;
pub(crate) const INVOKE_DYNAMIC: u8 = 18;

/// Where the entries of a constant pool lie.
#[derive(Debug)]
pub(crate) struct Pool<'a> {
    bytes: &'a [u8],
    /// Start of each entry's tag byte; 0 for index 0 and for the second index of a long or double.
    offsets: Vec<u32>,
    end: usize,
}

/// A field or method reference, resolved to names in the file's encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member<'a> {
    pub(crate) class: &'a [u8],
    pub(crate) name: &'a [u8],
    pub(crate) descriptor: &'a [u8],
}

impl<'a> Pool<'a> {
    /// Reads the pool whose count is at `at`.
    pub(crate) fn read(bytes: &'a [u8], at: usize) -> Result<Self, Refusal> {
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
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// Number of entries, index 0 included.
    pub(crate) fn count(&self) -> usize {
        self.offsets.len()
    }

    pub(crate) fn tag(&self, index: u16) -> Option<u8> {
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

    pub(crate) fn utf8(&self, index: u16) -> Result<&'a [u8], Refusal> {
        let mut reader = self.entry(index, UTF8)?;
        let length = usize::from(reader.u2()?);
        reader.take(length)
    }

    /// Name of a class, or descriptor of an array class.
    pub(crate) fn class(&self, index: u16) -> Result<&'a [u8], Refusal> {
        let name = self.entry(index, CLASS)?.u2()?;
        self.utf8(name)
    }

    /// Name and descriptor of a field, method or dynamic constant; `class` is empty for the latter.
    pub(crate) fn member(&self, index: u16) -> Result<Member<'a>, Refusal> {
        let tag = self.tag(index).unwrap_or_default();
        if !matches!(tag, FIELD | METHOD | INTERFACE_METHOD | DYNAMIC | INVOKE_DYNAMIC) {
            return Err(malformed(format!("constant {index} is no member reference")));
        }
        let mut reader = self.entry(index, tag)?;
        let (owner, signature) = (reader.u2()?, reader.u2()?);
        let class = if matches!(tag, DYNAMIC | INVOKE_DYNAMIC) { &[][..] } else { self.class(owner)? };
        let mut reader = self.entry(signature, NAME_AND_TYPE)?;
        let (name, descriptor) = (reader.u2()?, reader.u2()?);
        Ok(Member { class, name: self.utf8(name)?, descriptor: self.utf8(descriptor)? })
    }

    /// Bytes of each entry, tag included.
    fn entries(&self) -> impl Iterator<Item = (u16, &'a [u8])> + '_ {
        let starts = self.offsets.iter().enumerate().filter(|(_, offset)| **offset != 0);
        let ends = starts.clone().skip(1).map(|(_, end)| *end as usize).chain([self.end]);
        let cut =
            |((index, &start), end)| (index as u16, self.bytes.get(start as usize..end).unwrap_or_default());
        starts.zip(ends).map(cut)
    }
}

/// A pool that grows at its end. Constants that are there already are used again.
#[derive(Clone, Debug)]
pub(crate) struct PoolBuilder<'a> {
    original: HashMap<&'a [u8], u16>,
    added: HashMap<Vec<u8>, u16>,
    /// The keys of `added`, in the order of their coming.
    order: Vec<Vec<u8>>,
    /// Members of the probe class that were asked for; every method asks for the same few.
    members: Vec<((u8, &'static str, &'static str), u16)>,
    /// The entry that is looked up.
    entry: Vec<u8>,
    appended: Vec<u8>,
    count: usize,
}

/// A state of a [`PoolBuilder`] to return to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    bytes: usize,
    count: usize,
    added: usize,
}

impl<'a> PoolBuilder<'a> {
    pub(crate) fn new(pool: &Pool<'a>) -> Self {
        let mut original = HashMap::with_capacity(pool.count());
        let ours = |entry: &&[u8]| {
            matches!(entry.first(), Some(&(UTF8 | INTEGER | CLASS | FIELD | METHOD | NAME_AND_TYPE)))
        };
        for (index, entry) in pool.entries().filter(|(_, entry)| ours(entry)) {
            original.entry(entry).or_insert(index);
        }
        let (added, order, members) = (HashMap::new(), Vec::new(), Vec::new());
        let (entry, appended) = (Vec::new(), Vec::new());
        Self { original, added, order, members, entry, appended, count: pool.count() }
    }

    /// Number of entries, index 0 and the appended ones included.
    pub(crate) fn count(&self) -> u16 {
        u16::try_from(self.count).expect("no entry is added at index 65535")
    }

    /// The appended entries.
    pub(crate) fn appended(&self) -> &[u8] {
        &self.appended
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { bytes: self.appended.len(), count: self.count, added: self.added.len() }
    }

    /// Forgets what was added after `mark`.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.appended.truncate(mark.bytes);
        self.count = mark.count;
        while let Some(entry) = self.order.pop_if(|_| self.added.len() > mark.added) {
            self.added.remove(&entry);
        }
        self.members.retain(|(_, index)| usize::from(*index) < mark.count);
    }

    pub(crate) fn utf8(&mut self, text: &[u8]) -> Result<u16, Refusal> {
        let length = u16::try_from(text.len()).map_err(|_| malformed("a name is over 65535 bytes"))?;
        self.intern(UTF8, &[&length.to_be_bytes(), text])
    }

    pub(crate) fn class(&mut self, name: &[u8]) -> Result<u16, Refusal> {
        let name = self.utf8(name)?;
        self.intern(CLASS, &[&name.to_be_bytes()])
    }

    pub(crate) fn integer(&mut self, value: i32) -> Result<u16, Refusal> {
        self.intern(INTEGER, &[&value.to_be_bytes()])
    }

    /// A method of the probe class.
    pub(crate) fn method(&mut self, name: &'static str, descriptor: &'static str) -> Result<u16, Refusal> {
        self.member(METHOD, name, descriptor)
    }

    /// A field of the probe class.
    pub(crate) fn field(&mut self, name: &'static str, descriptor: &'static str) -> Result<u16, Refusal> {
        self.member(FIELD, name, descriptor)
    }

    fn member(&mut self, tag: u8, name: &'static str, descriptor: &'static str) -> Result<u16, Refusal> {
        let key = (tag, name, descriptor);
        if let Some((_, index)) = self.members.iter().find(|(known, _)| *known == key) {
            return Ok(*index);
        }
        let class = self.class(PROBE_CLASS.as_bytes())?;
        let (name, descriptor) = (self.utf8(name.as_bytes())?, self.utf8(descriptor.as_bytes())?);
        let signature = self.intern(NAME_AND_TYPE, &[&name.to_be_bytes(), &descriptor.to_be_bytes()])?;
        let index = self.intern(tag, &[&class.to_be_bytes(), &signature.to_be_bytes()])?;
        self.members.push((key, index));
        Ok(index)
    }

    fn intern(&mut self, tag: u8, parts: &[&[u8]]) -> Result<u16, Refusal> {
        self.entry.clear();
        self.entry.push(tag);
        parts.iter().for_each(|part| self.entry.extend_from_slice(part));
        let known = self.original.get(&self.entry[..]).or_else(|| self.added.get(&self.entry));
        if let Some(index) = known {
            return Ok(*index);
        }
        // constant_pool_count is itself a u2, so the last usable index is 65534 (JVMS 4.1).
        let full = || Refusal::TableFull("constant pool".to_owned());
        let index = u16::try_from(self.count).ok().filter(|&index| index < u16::MAX).ok_or_else(full)?;
        self.appended.extend(&self.entry);
        self.count += 1;
        self.added.insert(self.entry.clone(), index);
        self.order.push(self.entry.clone());
        Ok(index)
    }
}
