//! What is asked of the rewriter, and what it answers.

use spl_model::{Facts, Outcome, Refusal};
use std::collections::HashMap;
use std::mem::discriminant;

/// How the workload size of a call is found (thesis 3.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sizes {
    /// Sizes are not computed.
    None,
    /// Each reference argument counts its own object.
    Shallow,
    /// Each reference argument counts the objects that it reaches.
    Deep,
    /// Numbers count by their value, texts, arrays and collections by their length.
    Length,
    /// A size processor gets the object that the method is called on and all arguments.
    Processor,
}

/// A method and what is put into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instrument {
    /// Unqualified name, `<init>` for a constructor.
    pub method_name: String,
    /// Method descriptor (JVMS 4.3.3).
    pub descriptor: String,
    /// Permanent number of (class, method, kind); embedded as a constant.
    pub id: u32,
    /// What is put in.
    pub kind: ProbeKind,
}

/// What can be put into a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeKind {
    /// Start and end of each call, with its workload size.
    Times(Sizes),
    /// A kind that tests weave beside the times: entries and blocks, and exits where it says so.
    #[cfg(test)]
    Visits {
        /// Whether it counts exits.
        exits: bool,
    },
}

/// One method whose calls are timed: an [`Instrument`] of the kind [`ProbeKind::Times`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Unqualified name, `<init>` for a constructor.
    pub method_name: String,
    /// Method descriptor (JVMS 4.3.3).
    pub descriptor: String,
    /// Permanent number of (class, method); embedded as a constant.
    pub id: u32,
    /// What the entry code adds up.
    pub sizes: Sizes,
}

impl From<Probe> for Instrument {
    fn from(probe: Probe) -> Self {
        let Probe { method_name, descriptor, id, sizes } = probe;
        Self { method_name, descriptor, id, kind: ProbeKind::Times(sizes) }
    }
}

impl Instrument {
    /// The method.
    pub(crate) fn key(&self) -> MethodKey {
        MethodKey { name: self.method_name.clone(), descriptor: self.descriptor.clone() }
    }
}

/// What is put into the methods of one class, of each kind at most once per method, in the order of the first mention.
///
/// A class is rewritten from its original bytes: everything that is wanted of it belongs into one plan. What a plan wants of
/// a method goes in together or not at all.
///
/// ```
/// use spl_bytecode::{Plan, Probe, Sizes};
/// let probe = |id| Probe { method_name: "run".into(), descriptor: "()V".into(), id, sizes: Sizes::None };
/// let plan: Plan = [probe(1), probe(2)].into_iter().collect();
/// assert_eq!(plan.probes(), [probe(2).into()]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    probes: Vec<Instrument>,
    /// Of each method: which of `probes` are its own, ascending. In the order of the first mention.
    of_methods: Vec<Vec<usize>>,
    /// Where in `of_methods` a method stands.
    index_of: HashMap<MethodKey, usize>,
}

impl Plan {
    /// Adds a probe; it replaces an earlier one of the same kind in the same method.
    pub fn add(&mut self, probe: impl Into<Instrument>) {
        let probe = probe.into();
        let index = *self.index_of.entry(probe.key()).or_insert(self.of_methods.len());
        if index == self.of_methods.len() {
            self.of_methods.push(Vec::new());
        }
        let is_alike = |one: &Instrument| discriminant(&one.kind) == discriminant(&probe.kind);
        let of_method = &mut self.of_methods[index];
        match of_method.iter().find(|number| is_alike(&self.probes[**number])) {
            Some(number) => self.probes[*number] = probe,
            None => {
                of_method.push(self.probes.len());
                self.probes.push(probe);
            }
        }
    }

    /// What is put in.
    #[must_use]
    pub fn probes(&self) -> &[Instrument] {
        &self.probes
    }

    /// Which of [`probes`](Self::probes) belong to one method, for each method.
    pub(crate) fn of_methods(&self) -> &[Vec<usize>] {
        &self.of_methods
    }
}

impl<P: Into<Instrument>> FromIterator<P> for Plan {
    fn from_iter<I: IntoIterator<Item = P>>(probes: I) -> Self {
        let mut plan = Self::default();
        probes.into_iter().for_each(|probe| plan.add(probe));
        plan
    }
}

/// A method of the class at hand.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodKey {
    /// Unqualified name.
    pub name: String,
    /// Method descriptor.
    pub descriptor: String,
}

/// What a successful rewrite did to one method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodReport {
    /// Size of the original code, bytes.
    pub code_bytes_before: usize,
    /// Size of the code with probes, bytes.
    pub code_bytes_after: usize,
    /// The new code is over HotSpot's limit of 8,000 bytes (`HugeMethodLimit`), beyond which it stays interpreted.
    pub large: bool,
    /// The JVM may replace calls of the method by an intrinsic that knows no probe.
    pub intrinsic: bool,
}

/// Why a method of the plan was left as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Untouched {
    /// The method has no body in this class.
    #[error("the method is abstract")]
    Abstract,
    /// The method has no bytecode.
    #[error("the method is native")]
    Native,
    /// The class has no such method.
    #[error("the class has no such method")]
    NoSuchMethod {
        /// Methods that may have been meant, as `name(descriptor)`, nearest first.
        nearest: Vec<String>,
    },
    /// The rewriter refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// A class with probes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// The class file; the original bytes when no method was instrumented.
    pub bytes: Vec<u8>,
    /// What became of each probe, in the order of the plan.
    pub outcomes: Vec<(MethodKey, Result<MethodReport, Untouched>)>,
}

impl From<Untouched> for Outcome {
    fn from(reason: Untouched) -> Self {
        match reason {
            Untouched::Abstract => Self::Abstract,
            Untouched::Native => Self::Native,
            Untouched::NoSuchMethod { nearest } => Self::NoSuchMethod { nearest },
            Untouched::Refused(refusal) => Self::Refused(refusal),
        }
    }
}

impl From<MethodReport> for Outcome {
    fn from(report: MethodReport) -> Self {
        // Code has 65,535 bytes at most (JVMS 4.7.3).
        Self::Instrumented(Facts {
            bytes_before: report.code_bytes_before as u32,
            bytes_after: report.code_bytes_after as u32,
            large: report.large,
            intrinsic: report.intrinsic,
        })
    }
}
