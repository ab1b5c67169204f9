//! The structure of a class file (JVMS 4.1): where its methods lie. Nothing is copied.

use crate::names;
use crate::pool::Pool;
use crate::reader::{Reader, malformed};
use spl_model::Refusal;
use std::ops::Range;

/// The newest class-file version whose rules this release was tested with: Java 25.
pub(crate) const NEWEST_VERSION: u16 = 69;
/// Up to version 45.2 the Code attribute has narrower fields, which JDK 11 still reads and later ones take for the usual.
const OLDEST_MINOR: u16 = 2;
/// The first version with StackMapTable (JVMS 4.10.1): Java 6.
pub(crate) const STACK_MAPS: u16 = 50;

/// Bytes that the names and descriptors of all methods may have together: a file of half a megabyte can give each of 65,535
/// methods the same name of 65,535 bytes.
const NAMES_LIMIT: usize = 16 << 20;

const MAGIC: u32 = 0xcafe_babe;
pub(crate) const ACC_STATIC: u16 = 0x0008;
pub(crate) const ACC_NATIVE: u16 = 0x0100;

#[derive(Debug)]
pub(crate) struct ClassFile<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) minor: u16,
    pub(crate) major: u16,
    pub(crate) pool: Pool<'a>,
    pub(crate) access: u16,
    pub(crate) this_class: u16,
    pub(crate) super_class: u16,
    /// Indices of class entries, two bytes each.
    pub(crate) interfaces: &'a [u8],
    pub(crate) methods: Vec<Method<'a>>,
}

/// One method_info (JVMS 4.6).
#[derive(Debug)]
pub(crate) struct Method<'a> {
    pub(crate) access: u16,
    pub(crate) name: &'a [u8],
    pub(crate) descriptor: &'a [u8],
    /// The `info` bytes of its Code attribute, in the class file.
    pub(crate) code: Option<Range<usize>>,
    pub(crate) intrinsic: bool,
    pub(crate) special_annotation: Option<&'static str>,
}

impl<'a> ClassFile<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, Refusal> {
        let mut reader = Reader::new(bytes);
        if reader.u4()? != MAGIC {
            return Err(malformed("it does not start with 0xCAFEBABE"));
        }
        let (minor, major) = (reader.u2()?, reader.u2()?);
        match major {
            45 if minor <= OLDEST_MINOR => return Err(Refusal::OldCode),
            0..45 => return Err(malformed(format!("it has the version {major}, the first was 45"))),
            45..=NEWEST_VERSION => {}
            _ => return Err(Refusal::UnknownVersion(major)),
        }
        let pool = Pool::read(bytes, reader.at())?;
        let mut reader = Reader::starting_at(bytes, pool.end());
        let (access, this_class, super_class) = (reader.u2()?, reader.u2()?, reader.u2()?);
        let interfaces = usize::from(reader.u2()?);
        let interfaces = reader.take(2 * interfaces)?;
        for _ in 0..reader.u2()? {
            reader.take(6)?;
            skip_attributes(&mut reader)?;
        }
        let count = reader.u2()?;
        let methods: Vec<_> =
            (0..count).map(|_| Method::read(&mut reader, &pool)).collect::<Result<_, _>>()?;
        if methods.iter().map(|method| method.name.len() + method.descriptor.len()).sum::<usize>()
            > NAMES_LIMIT
        {
            return Err(malformed("its methods have more than 16 MiB of names"));
        }
        skip_attributes(&mut reader)?;
        if !reader.is_at_end() {
            return Err(malformed("bytes follow the end of the class"));
        }
        Ok(Self { bytes, minor, major, pool, access, this_class, super_class, interfaces, methods })
    }

    /// Binary name with slashes, in the file's encoding.
    pub(crate) fn name(&self) -> Result<&'a [u8], Refusal> {
        self.pool.class(self.this_class)
    }
}

impl<'a> Method<'a> {
    fn read(reader: &mut Reader<'a>, pool: &Pool<'a>) -> Result<Self, Refusal> {
        let (access, name, descriptor) = (reader.u2()?, pool.utf8(reader.u2()?)?, pool.utf8(reader.u2()?)?);
        let mut method =
            Self { access, name, descriptor, code: None, intrinsic: false, special_annotation: None };
        for _ in 0..reader.u2()? {
            let attribute = Attribute::read(reader, pool)?;
            match attribute.name {
                b"Code" if method.code.is_some() => {
                    return Err(malformed("a method has two Code attributes"));
                }
                b"Code" => method.code = Some(attribute.start..attribute.start + attribute.info.len()),
                // The JVM passes over annotations that it cannot read.
                b"RuntimeVisibleAnnotations" => drop(method.read_annotations(attribute.info, pool)),
                _ => {}
            }
        }
        Ok(method)
    }

    fn read_annotations(&mut self, info: &[u8], pool: &Pool<'_>) -> Result<(), Refusal> {
        let mut reader = Reader::new(info);
        for _ in 0..reader.u2()? {
            let descriptor = pool.utf8(reader.u2()?)?;
            let is = |name: &&&str| name.as_bytes() == descriptor;
            self.intrinsic |= names::INTRINSIC_ANNOTATIONS.iter().any(|name| is(&name));
            self.special_annotation =
                self.special_annotation.or(names::SPECIAL_ANNOTATIONS.iter().find(is).copied());
            skip_elements(&mut reader, 0)?;
        }
        Ok(())
    }

    pub(crate) fn is_static(&self) -> bool {
        // Before Java 7 an initialiser need not say so (JVMS 2.9.2); later ones all do.
        self.access & ACC_STATIC != 0 || self.name == b"<clinit>"
    }

    pub(crate) fn is_constructor(&self) -> bool {
        self.name == b"<init>"
    }
}

/// One attribute_info (JVMS 4.7).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attribute<'a> {
    pub(crate) name_index: u16,
    pub(crate) name: &'a [u8],
    /// Offset of `info` in the slice that is read.
    pub(crate) start: usize,
    pub(crate) info: &'a [u8],
}

impl<'a> Attribute<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>, pool: &Pool<'a>) -> Result<Self, Refusal> {
        let name_index = reader.u2()?;
        let length = reader.u4()? as usize;
        let start = reader.at();
        Ok(Self { name_index, name: pool.utf8(name_index)?, start, info: reader.take(length)? })
    }
}

fn skip_attributes(reader: &mut Reader<'_>) -> Result<(), Refusal> {
    for _ in 0..reader.u2()? {
        reader.take(2)?;
        let length = reader.u4()? as usize;
        reader.take(length)?;
    }
    Ok(())
}

/// Annotations nest; deeper than any compiler writes is taken for an attack on the stack.
const DEEPEST_ANNOTATION: usize = 64;

/// Skips the element-value pairs of an annotation (JVMS 4.7.16).
pub(crate) fn skip_elements(reader: &mut Reader<'_>, depth: usize) -> Result<(), Refusal> {
    for _ in 0..reader.u2()? {
        reader.take(2)?;
        skip_value(reader, depth)?;
    }
    Ok(())
}

fn skip_value(reader: &mut Reader<'_>, depth: usize) -> Result<(), Refusal> {
    if depth > DEEPEST_ANNOTATION {
        return Err(malformed("annotations are nested too deep"));
    }
    match reader.u1()? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => reader.take(2).map(drop),
        b'e' => reader.take(4).map(drop),
        b'@' => {
            reader.take(2)?;
            skip_elements(reader, depth + 1)
        }
        b'[' => {
            let count = reader.u2()?;
            (0..count).try_for_each(|_| skip_value(reader, depth + 1))
        }
        tag => Err(malformed(format!("an annotation element has the unknown tag {tag}"))),
    }
}
