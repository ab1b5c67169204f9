//! What a class file says about itself and its methods.

/// A class as its file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassInfo {
    /// Binary name with slashes.
    pub name: String,
    /// Binary name of the superclass; `None` for `java/lang/Object` and modules.
    pub super_name: Option<String>,
    /// Class-file version: 61 is Java 17.
    pub major_version: u16,
    /// Minor version; 65535 marks preview features.
    pub minor_version: u16,
    /// Access flags (JVMS 4.1).
    pub access: u16,
    /// The methods, in the order of the file.
    pub methods: Vec<MethodInfo>,
}

/// A method as its class file describes it.
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
    /// The JVM may replace calls of the method by an intrinsic that knows no probe.
    pub intrinsic: bool,
    /// The annotation that makes the method unfit for probes, as a field descriptor.
    pub special_annotation: Option<String>,
}
