//! A method of a class file.

use spl_bytecode::ClassInfo;
use spl_bytecode::names::{OWN_CLASSES, OWN_PACKAGES};
use spl_model::MethodRef;

/// Access flags (JVMS 4.1, 4.6).
const ACCESS: [(u16, &str); 8] = [
    (0x0001, "public"),
    (0x0002, "private"),
    (0x0004, "protected"),
    (0x0008, "static"),
    (0x0010, "final"),
    (0x0020, "synchronized"),
    (NATIVE, "native"),
    (ABSTRACT, "abstract"),
];
const NATIVE: u16 = 0x0100;
const ABSTRACT: u16 = 0x0400;
const BRIDGE: u16 = 0x0040;

/// Bytes of bytecode above which HotSpot does not compile a method (`HugeMethodLimit`), unless an option
/// changes that.
const HUGE_METHOD_BYTES: usize = 8000;

/// A method, with the facts of its class file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Class, name and descriptor.
    pub method: MethodRef,
    /// Access flags (JVMS 4.6).
    pub access: u16,
    /// Size of its bytecode; `None` for an abstract or native method.
    pub code_bytes: Option<usize>,
    /// True if the JVM may replace calls of it by machine code, which a probe does not see.
    pub intrinsic: bool,
    /// Annotation that makes the method unfit for probes, as a field descriptor.
    pub special_annotation: Option<String>,
    /// All its annotations and those of its class, as field descriptors.
    pub annotations: Vec<String>,
}

impl Known {
    /// The methods of a class; methods whose names a task file cannot express are left out.
    pub fn all(class: &ClassInfo) -> impl Iterator<Item = Self> {
        class.methods.iter().filter_map(|info| {
            Some(Self {
                method: MethodRef::new(&class.name, &info.name, &info.descriptor).ok()?,
                access: info.access,
                code_bytes: info.code_bytes,
                intrinsic: info.intrinsic,
                special_annotation: info.special_annotation.clone(),
                annotations: info.annotations.clone(),
            })
        })
    }

    /// Whether the method is abstract.
    #[must_use]
    pub fn is_abstract(&self) -> bool {
        self.access & ABSTRACT != 0
    }

    /// Whether the method is native.
    #[must_use]
    pub fn is_native(&self) -> bool {
        self.access & NATIVE != 0
    }

    /// Whether the compiler added it as a bridge, which calls the overriding method with other types (JLS
    /// 15.12.4.5).
    #[must_use]
    pub fn is_bridge(&self) -> bool {
        self.access & BRIDGE != 0
    }

    /// Whether its bytecode is never compiled.
    #[must_use]
    pub fn is_huge(&self) -> bool {
        self.code_bytes.is_some_and(|bytes| bytes > HUGE_METHOD_BYTES)
    }

    /// Its kind in Java's words: `constructor`, `static initializer` or `method`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.method.name() {
            "<init>" => "constructor",
            "<clinit>" => "static initializer",
            _ => "method",
        }
    }

    /// Its access flags as keywords, or `bridge`.
    #[must_use]
    pub fn modifiers(&self) -> Vec<&'static str> {
        let keywords = ACCESS.iter().filter(|(flag, _)| self.access & flag != 0).map(|(_, word)| *word);
        keywords.chain(self.is_bridge().then_some("bridge")).collect()
    }

    /// Reason why it cannot be measured, in words that follow its name; `None` if it can.
    #[must_use]
    pub fn obstacle(&self) -> Option<String> {
        if self.is_abstract() {
            return Some("is abstract: it has no body to measure".into());
        }
        if self.is_native() {
            return Some("is native: it has no bytecode to measure".into());
        }
        let class = self.method.class();
        if OWN_CLASSES.contains(&class) || OWN_PACKAGES.iter().any(|package| class.starts_with(package)) {
            return Some("belongs to a class that the probes themselves use".into());
        }
        let annotation = self.special_annotation.as_deref()?;
        let name = annotation.trim_matches(['L', ';']).replace(['/', '$'], ".");
        Some(format!("is marked @{name}: the JVM depends on its exact bytecode"))
    }
}
