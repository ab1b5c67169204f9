//! Description of a class file and its methods.

use crate::names;
use spl_classfile::class::{ClassFile, Method};
use spl_classfile::mutf8;
use spl_classfile::reader::Reader;
use spl_model::Refusal;

/// Reads a class file without changing it.
///
/// # Errors
/// When the bytes are not a class file, or its version is unknown.
pub fn inspect(class_bytes: &[u8]) -> Result<ClassInfo, Refusal> {
    let class = ClassFile::read(class_bytes)?;
    let super_name = match class.super_class {
        0 => None,
        index => Some(mutf8::decode(class.pool.class(index)?)),
    };
    let interface = |index: &[u8; 2]| Ok(mutf8::decode(class.pool.class(u16::from_be_bytes(*index))?));
    let info = |method: &Method<'_>| MethodInfo::read(&class, method);
    Ok(ClassInfo {
        name: mutf8::decode(class.name()?),
        super_name,
        interfaces: class.interfaces.as_chunks().0.iter().map(interface).collect::<Result<_, Refusal>>()?,
        major_version: class.major,
        minor_version: class.minor,
        access: class.access,
        methods: class.methods.iter().map(info).collect::<Result<_, _>>()?,
    })
}

/// A class as described by its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassInfo {
    /// Binary name with slashes.
    pub name: String,
    /// Binary name of the superclass; `None` for `java/lang/Object` and modules.
    pub super_name: Option<String>,
    /// Binary names of the interfaces listed by the class itself.
    pub interfaces: Vec<String>,
    /// Class-file version: 61 is Java 17.
    pub major_version: u16,
    /// Minor version; 65535 marks preview features.
    pub minor_version: u16,
    /// Access flags (JVMS 4.1).
    pub access: u16,
    /// The methods, in the order of the file.
    pub methods: Vec<MethodInfo>,
}

/// A method as described by its class file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodInfo {
    /// Unqualified name.
    pub name: String,
    /// Method descriptor.
    pub descriptor: String,
    /// Access flags (JVMS 4.6).
    pub access: u16,
    /// Size of its bytecode; `None` for an abstract or native method.
    pub code_bytes: Option<usize>,
    /// The JVM may replace calls of the method by an intrinsic, which contains no probe.
    pub intrinsic: bool,
    /// The annotation, as a field descriptor, that makes the method unfit for probes.
    pub special_annotation: Option<String>,
    /// Annotations of the method and of its class, as field descriptors; of retention `RUNTIME` and `CLASS`.
    pub annotations: Vec<String>,
}

impl MethodInfo {
    fn read(class: &ClassFile<'_>, method: &Method<'_>) -> Result<Self, Refusal> {
        let code_bytes = match &method.code {
            None => None,
            // max_stack and max_locals precede the length of the code (JVMS 4.7.3).
            Some(range) => Some(Reader::starting_at(class.bytes, range.start + 4).u4()? as usize),
        };
        Ok(Self {
            name: mutf8::decode(method.name),
            descriptor: mutf8::decode(method.descriptor),
            access: method.access,
            code_bytes,
            intrinsic: names::is_intrinsic(method),
            special_annotation: names::special_annotation(method).map(str::to_owned),
            annotations: {
                let all = [&method.annotations, &method.hidden_annotations, &class.annotations];
                all.into_iter().flatten().map(|descriptor| mutf8::decode(descriptor)).collect()
            },
        })
    }
}
