//! What is asked of the rewriter, and what it answers.

use spl_model::{Facts, Outcome, Refusal};
use std::collections::HashMap;

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

/// One method to instrument.
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

/// The probes of one class, at most one per method, in the order of their first mention.
///
/// ```
/// use spl_bytecode::{Plan, Probe, Sizes};
/// let probe = |id| Probe { method_name: "run".into(), descriptor: "()V".into(), id, sizes: Sizes::None };
/// let plan: Plan = [probe(1), probe(2)].into_iter().collect();
/// assert_eq!(plan.probes(), [probe(2)]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    probes: Vec<Probe>,
    index_of: HashMap<MethodKey, usize>,
}

impl Plan {
    /// Adds a probe; it replaces an earlier one of the same method.
    pub fn add(&mut self, probe: Probe) {
        let key = MethodKey { name: probe.method_name.clone(), descriptor: probe.descriptor.clone() };
        let index = *self.index_of.entry(key).or_insert(self.probes.len());
        match self.probes.get_mut(index) {
            Some(earlier) => *earlier = probe,
            None => self.probes.push(probe),
        }
    }

    /// The probes.
    #[must_use]
    pub fn probes(&self) -> &[Probe] {
        &self.probes
    }
}

impl FromIterator<Probe> for Plan {
    fn from_iter<I: IntoIterator<Item = Probe>>(probes: I) -> Self {
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
