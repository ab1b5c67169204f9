//! The constants of a class, in a pool that grows at its end.

use crate::names::{
    ARCS_CLASS, COUNTERS_CLASS, FLAGS, FLAGS_CLASS, PROBE_CLASS, ROOTS_CLASS, TIMES_CLASS, TRACE_CLASS,
    UNCOUNTED,
};
use spl_classfile::pool::{CLASS, FIELD, INTEGER, METHOD, NAME_AND_TYPE, Pool, UTF8};
use spl_classfile::reader::malformed;
use spl_classfile::signature::Field;
use spl_model::Refusal;
use std::collections::HashMap;

/// Tag, class, name and descriptor of a method or field of ours.
type Member = (u8, &'static str, &'static str, &'static str);

/// A pool that grows at its end. Existing constants are reused.
#[derive(Clone, Debug)]
pub(crate) struct PoolBuilder<'a> {
    original: HashMap<&'a [u8], u16>,
    added: HashMap<Vec<u8>, u16>,
    /// The keys of `added`, in order of insertion.
    order: Vec<Vec<u8>>,
    /// Members of the probe class requested so far; every method requests the same few.
    members: Vec<(Member, u16)>,
    /// Buffer for the entry being looked up.
    entry: Vec<u8>,
    appended: Vec<u8>,
    count: usize,
}

/// A state of a [`PoolBuilder`] that can be restored.
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

    /// Number of entries, including index 0 and the appended ones.
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

    /// Removes the entries added after `mark`.
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
        self.member(METHOD, PROBE_CLASS, name, descriptor)
    }

    /// A method of the class that counts.
    pub(crate) fn counters_method(
        &mut self,
        name: &'static str,
        descriptor: &'static str,
    ) -> Result<u16, Refusal> {
        self.member(METHOD, COUNTERS_CLASS, name, descriptor)
    }

    /// A method of the class that lets roots count apart.
    pub(crate) fn roots_method(
        &mut self,
        name: &'static str,
        descriptor: &'static str,
    ) -> Result<u16, Refusal> {
        self.member(METHOD, ROOTS_CLASS, name, descriptor)
    }

    /// A method of the class that counts what calls enter.
    pub(crate) fn arcs_method(
        &mut self,
        name: &'static str,
        descriptor: &'static str,
    ) -> Result<u16, Refusal> {
        self.member(METHOD, ARCS_CLASS, name, descriptor)
    }

    /// A method of the class that adds up durations.
    pub(crate) fn times_method(
        &mut self,
        name: &'static str,
        descriptor: &'static str,
    ) -> Result<u16, Refusal> {
        self.member(METHOD, TIMES_CLASS, name, descriptor)
    }

    /// A method of the class that writes traces.
    pub(crate) fn trace_method(
        &mut self,
        name: &'static str,
        descriptor: &'static str,
    ) -> Result<u16, Refusal> {
        self.member(METHOD, TRACE_CLASS, name, descriptor)
    }

    /// The field with the flags.
    pub(crate) fn flags(&mut self) -> Result<u16, Refusal> {
        self.member(FIELD, FLAGS_CLASS, FLAGS.0, FLAGS.1)
    }

    /// A class's field with what could not be counted.
    pub(crate) fn uncounted(&mut self, class: &'static str) -> Result<u16, Refusal> {
        self.member(FIELD, class, UNCOUNTED.0, UNCOUNTED.1)
    }

    /// A field of the probe class.
    pub(crate) fn field(&mut self, name: &'static str, descriptor: &'static str) -> Result<u16, Refusal> {
        self.member(FIELD, PROBE_CLASS, name, descriptor)
    }

    fn member(
        &mut self,
        tag: u8,
        class: &'static str,
        name: &'static str,
        descriptor: &'static str,
    ) -> Result<u16, Refusal> {
        let key = (tag, class, name, descriptor);
        if let Some((_, index)) = self.members.iter().find(|(known, _)| *known == key) {
            return Ok(*index);
        }
        let class = self.class(class.as_bytes())?;
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

/// Index of the class constant of a reference type.
pub(crate) fn class_constant(field: Field<'_>, pool: &mut PoolBuilder<'_>) -> Result<u16, Refusal> {
    let name = field.class_name();
    pool.class(name.ok_or_else(|| Refusal::Malformed(format!("{field:?} is not a reference type")))?)
}
