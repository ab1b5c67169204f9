//! Outcome of the order to measure a method.

use serde::{Deserialize, Serialize};

/// The answer to "instrument this method", for each class of that name in each loader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// The probes are in.
    Instrumented(Facts),
    /// No class of that name is loaded yet; a class loaded later will be instrumented.
    NotLoaded,
    /// The method has no body in this class: it is abstract, or declared by an interface.
    Abstract,
    /// The method has no bytecode: it is native.
    Native,
    /// The class exists, but not the method; holds the nearest methods of that class.
    NoSuchMethod {
        /// Methods of the class that the operator may have meant, nearest first.
        nearest: Vec<String>,
    },
    /// The rewriter or the JVM refused.
    Refused(Refusal),
}

impl Outcome {
    /// Whether the method has its probes.
    #[must_use]
    pub fn is_instrumented(&self) -> bool {
        matches!(self, Self::Instrumented(_))
    }
}

/// The effect of probes on one method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Size of the original code, bytes.
    pub bytes_before: u32,
    /// Size of the code with probes, bytes.
    pub bytes_after: u32,
    /// The new code is over HotSpot's limit of 8,000 bytes (`HugeMethodLimit`), above which code stays
    /// interpreted.
    pub large: bool,
    /// The JVM may replace calls of the method by an intrinsic, which contains no probe.
    pub intrinsic: bool,
}

/// The reason why a method cannot be instrumented.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Refusal {
    /// The class bytes break the class-file format.
    #[error("malformed class file: {0}")]
    Malformed(String),
    /// A class-file version that this release doesn't know.
    #[error("class file version {0} is newer than this release knows")]
    UnknownVersion(u16),
    /// The class file is older than Java 1.1, where code is laid out differently.
    #[error("the class file's version is below 45.3, in which code is laid out differently")]
    OldCode,
    /// With the probes the code would be over 65,535 bytes (JVMS 4.7.3).
    #[error("the method is too large: with probes its code would be {0} bytes, over the limit of 65535")]
    TooLarge(usize),
    /// The constant pool or another table is full.
    #[error("no room for probes in the class's {0}")]
    TableFull(String),
    /// The method uses `jsr` and `ret` (JVMS 6.5), which compilers before Java 6 wrote.
    #[error("the method uses the subroutine instructions jsr and ret")]
    Subroutines,
    /// The call of `this(…)` or `super(…)` in the constructor could not be found.
    #[error("the constructor's call of this(...) or super(...) could not be located: {0}")]
    Constructor(String),
    /// An argument slot of the constructor holds another value when the measured region starts.
    #[error("an argument of the constructor is replaced before the measured region, its size is unknown")]
    ArgumentReplaced,
    /// The probe itself needs the class, or the class belongs to it.
    #[error("the probe itself depends on {0}")]
    OwnClass(String),
    /// The method has an annotation with a meaning that probes would break.
    #[error("the JVM treats methods annotated with {0} specially")]
    Annotation(String),
    /// The rewritten method failed our own check; the original stays.
    #[error("the rewritten method did not pass the check: {0}")]
    Unverified(String),
    /// The JVM refused the class; holds the name of the JVM TI error.
    #[error("the JVM refused the rewritten class: {0}")]
    Jvm(String),
    /// The class cannot be modified in this JVM (JVM TI `IsModifiableClass`).
    #[error("the JVM does not allow this class to be modified")]
    Unmodifiable,
    /// The agent has no gate left for another method.
    #[error("the agent has no gate left: {0} methods are the limit")]
    NoGate(u32),
    /// The JVM treats the method specially without an annotation; holds the method and the reason.
    #[error("the JVM treats {0} specially")]
    Special(String),
    /// The class's loader does not find the probe class, which every loader should find like
    /// `java.lang.Object`.
    #[error("its class loader does not find the agent's class java.lang.SplProbe: {0}")]
    Loader(String),
    /// Another change of the class could exceed the metaspace that changes of classes may keep in this JVM.
    #[error(
        "changes of classes keep {kept_kb} KB of metaspace in this JVM, with what is set aside to restore them, and another of \
         its class would pass the limit of {limit_kb} KB (metaspace-limit)"
    )]
    Metaspace {
        /// Metaspace kept by changes so far and set aside for restoring, in units of 1,024 bytes.
        kept_kb: u64,
        /// The limit in this JVM.
        limit_kb: u64,
    },
    /// Another agent repeatedly changes the class, which removes the probes; holds the number of times they
    /// were put in again.
    #[error(
        "probes removed by another agent, which changed its class again after they were put in again {0} \
         times"
    )]
    Removed(u32),
    /// The method's own bytecode calls the probe, as `spl instrument` writes it.
    #[error("it has probes already: measure the class as it was before `spl instrument`")]
    Probed,
    /// The program has little left of `MaxMetaspaceSize`, and a change of this class would take some of it.
    #[error(
        "the program's metaspace is nearly full: about {left_kb} KB are left of {most_kb} KB (MaxMetaspaceSize), and no class is \
         changed unless a fifth stays free"
    )]
    MetaspaceFull {
        /// Metaspace left, at least, in units of 1,024 bytes.
        left_kb: u64,
        /// `MaxMetaspaceSize`, in units of 1,024 bytes.
        most_kb: u64,
    },
    /// The JVM had no memory for a change of a class; holds the name of the JVM TI error.
    #[error(
        "the JVM's metaspace or memory is full: it had none left for a change of a class ({0}), so no more are changed"
    )]
    NoMemory(String),
}
