//! The structure of a class file (JVMS 4.1): the positions of its methods. Nothing is copied.

use crate::annotations;
use crate::pool::{Member, Pool};
use crate::reader::{Reader, malformed};
use spl_model::Refusal;
use std::ops::Range;

/// The newest class-file version tested with this release: Java 25.
pub const NEWEST_VERSION: u16 = 69;
/// Up to version 45.2 the Code attribute has narrower fields. JDK 11 still reads them; later JDKs read them
/// as the usual ones.
const OLDEST_MINOR: u16 = 2;
/// The first version with StackMapTable (JVMS 4.10.1): Java 6.
pub const STACK_MAPS: u16 = 50;

/// Most bytes of the names and descriptors of all methods together. A file of half a megabyte can give each
/// of 65,535 methods the same name of 65,535 bytes.
const NAMES_LIMIT: usize = 16 << 20;

/// Attributes with annotations of retention `RUNTIME` and `CLASS` (JVMS 4.7.16, 4.7.17).
const VISIBLE: &[u8] = b"RuntimeVisibleAnnotations";
const HIDDEN: &[u8] = b"RuntimeInvisibleAnnotations";
/// Attribute with the name of the source file (JVMS 4.7.10).
const BOOTSTRAPS: &[u8] = b"BootstrapMethods";
const SOURCE_FILE: &[u8] = b"SourceFile";

const MAGIC: u32 = 0xcafe_babe;
/// Access flag of static methods (JVMS 4.6).
pub const ACC_STATIC: u16 = 0x0008;
/// Access flag of methods without bytecode (JVMS 4.6).
pub const ACC_NATIVE: u16 = 0x0100;

/// A class file, split into its parts.
#[derive(Debug)]
pub struct ClassFile<'a> {
    /// The whole file.
    pub bytes: &'a [u8],
    /// Minor version; 65535 marks preview features.
    pub minor: u16,
    /// Class-file version: 61 is Java 17.
    pub major: u16,
    /// The constants.
    pub pool: Pool<'a>,
    /// Access flags (JVMS 4.1).
    pub access: u16,
    /// Constant index of the class itself.
    pub this_class: u16,
    /// Constant index of the superclass; 0 for `java/lang/Object` and modules.
    pub super_class: u16,
    /// Indices of class entries, two bytes each.
    pub interfaces: &'a [u8],
    /// The methods, in the order of the file.
    pub methods: Vec<Method<'a>>,
    /// Annotations of the class, as field descriptors; of retention `RUNTIME` and `CLASS`. Annotations after an
    /// unreadable one are left out.
    pub annotations: Vec<&'a [u8]>,
    /// Name of the source file without its folders (JVMS 4.7.10), in the file's encoding.
    pub source_file: Option<&'a [u8]>,
    /// Constant indices of its bootstrap methods (JVMS 4.7.23), each with that of its second argument.
    bootstraps: Vec<(u16, Option<u16>)>,
}

/// One method_info (JVMS 4.6).
#[derive(Debug)]
pub struct Method<'a> {
    /// Access flags (JVMS 4.6).
    pub access: u16,
    /// Unqualified name, in the file's encoding.
    pub name: &'a [u8],
    /// Method descriptor.
    pub descriptor: &'a [u8],
    /// The `info` bytes of its Code attribute, in the class file.
    pub code: Option<Range<usize>>,
    /// The annotations visible at run time, as field descriptors. Annotations after an unreadable one are
    /// left out.
    pub annotations: Vec<&'a [u8]>,
    /// The annotations of retention `CLASS`, likewise.
    pub hidden_annotations: Vec<&'a [u8]>,
}

impl<'a> ClassFile<'a> {
    /// Splits a class file into its parts.
    ///
    /// # Errors
    /// When the bytes are not a class file, or its version is unknown.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Refusal> {
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
        let OfClass { annotations, source_file, bootstraps } = class_attributes(&mut reader, &pool)?;
        if !reader.is_at_end() {
            return Err(malformed("bytes follow the end of the class"));
        }
        Ok(Self {
            bytes,
            minor,
            major,
            pool,
            access,
            this_class,
            super_class,
            interfaces,
            methods,
            annotations,
            source_file,
            bootstraps,
        })
    }

    /// Binary name with slashes, in the file's encoding.
    ///
    /// # Errors
    /// When its constant is not a class.
    pub fn name(&self) -> Result<&'a [u8], Refusal> {
        self.pool.class(self.this_class)
    }

    /// The method that the object calls which an `invokedynamic` instruction makes: the body of a lambda, or the method of a method
    /// reference. `index` is the instruction's constant. `None` where it makes no such object.
    #[must_use]
    pub fn lambda(&self, index: u16) -> Option<Member<'a>> {
        // The second argument of both is the method (JDK, java.lang.invoke.LambdaMetafactory).
        const FACTORY: &[u8] = b"java/lang/invoke/LambdaMetafactory";
        let &(factory, method) = self.bootstraps.get(usize::from(self.pool.bootstrap(index)?))?;
        let is_known = self.pool.handle(factory)?.class == FACTORY;
        method.filter(|_| is_known).and_then(|method| self.pool.handle(method))
    }
}

impl<'a> Method<'a> {
    fn read(reader: &mut Reader<'a>, pool: &Pool<'a>) -> Result<Self, Refusal> {
        let (access, name, descriptor) = (reader.u2()?, pool.utf8(reader.u2()?)?, pool.utf8(reader.u2()?)?);
        let (annotations, hidden_annotations) = (Vec::new(), Vec::new());
        let mut method = Self { access, name, descriptor, code: None, annotations, hidden_annotations };
        for _ in 0..reader.u2()? {
            let attribute = Attribute::read(reader, pool)?;
            match attribute.name {
                b"Code" if method.code.is_some() => {
                    return Err(malformed("a method has two Code attributes"));
                }
                b"Code" => method.code = Some(attribute.start..attribute.start + attribute.info.len()),
                // The JVM ignores annotations that it cannot read.
                VISIBLE => drop(annotations::read(attribute.info, pool, &mut method.annotations)),
                HIDDEN => drop(annotations::read(attribute.info, pool, &mut method.hidden_annotations)),
                _ => {}
            }
        }
        Ok(method)
    }

    /// Whether the method is called without an object.
    #[must_use]
    pub fn is_static(&self) -> bool {
        // Before Java 7 an initialiser need not have the flag (JVMS 2.9.2); later ones all have it.
        self.access & ACC_STATIC != 0 || self.name == b"<clinit>"
    }

    /// Whether the method is a constructor.
    #[must_use]
    pub fn is_constructor(&self) -> bool {
        self.name == b"<init>"
    }
}

/// One attribute_info (JVMS 4.7).
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a> {
    /// Constant index of its name.
    pub name_index: u16,
    /// Its name.
    pub name: &'a [u8],
    /// Offset of `info` in the slice being read.
    pub start: usize,
    /// The attribute's bytes, without name and length.
    pub info: &'a [u8],
}

impl<'a> Attribute<'a> {
    /// Reads the next attribute.
    ///
    /// # Errors
    /// When the bytes end too early, or the name is not a text.
    pub fn read(reader: &mut Reader<'a>, pool: &Pool<'a>) -> Result<Self, Refusal> {
        let name_index = reader.u2()?;
        let length = reader.u4()? as usize;
        let start = reader.at();
        Ok(Self { name_index, name: pool.utf8(name_index)?, start, info: reader.take(length)? })
    }
}

/// Facts from the attributes of a class.
#[derive(Default)]
struct OfClass<'a> {
    annotations: Vec<&'a [u8]>,
    source_file: Option<&'a [u8]>,
    bootstraps: Vec<(u16, Option<u16>)>,
}

/// Reads the attributes of a class.
fn class_attributes<'a>(reader: &mut Reader<'a>, pool: &Pool<'a>) -> Result<OfClass<'a>, Refusal> {
    let mut found = OfClass::default();
    for _ in 0..reader.u2()? {
        let name = reader.u2()?;
        let length = reader.u4()? as usize;
        let info = reader.take(length)?;
        // A wrong name is for the JVM to refuse.
        match pool.utf8(name) {
            Ok(VISIBLE | HIDDEN) => drop(annotations::read(info, pool, &mut found.annotations)),
            Ok(SOURCE_FILE) => {
                let index = <[u8; 2]>::try_from(info).map(u16::from_be_bytes);
                found.source_file = index.ok().and_then(|index| pool.utf8(index).ok());
            }
            // The JVM refuses a wrong one when it is used.
            Ok(BOOTSTRAPS) => drop(bootstraps(info, &mut found.bootstraps)),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(found)
}

fn bootstraps(info: &[u8], found: &mut Vec<(u16, Option<u16>)>) -> Result<(), Refusal> {
    let mut reader = Reader::starting_at(info, 0);
    for _ in 0..reader.u2()? {
        let (factory, arguments) = (reader.u2()?, reader.u2()?);
        let second = match *reader.take(2 * usize::from(arguments))? {
            [_, _, high, low, ..] => Some(u16::from_be_bytes([high, low])),
            _ => None,
        };
        found.push((factory, second));
    }
    Ok(())
}

fn skip_attributes(reader: &mut Reader<'_>) -> Result<(), Refusal> {
    for _ in 0..reader.u2()? {
        reader.take(2)?;
        let length = reader.u4()? as usize;
        reader.take(length)?;
    }
    Ok(())
}
