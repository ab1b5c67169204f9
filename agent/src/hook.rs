//! The class-file hook's work on classes while the agent thread retransforms them.

use crate::kinds;
use crate::shared::Target;
use spl_bytecode::{Plan, Probe};
use spl_model::{InstrumentId, Outcome, Refusal};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

/// The plans of the class-file hook while the worker retransforms, and their outcome.
#[derive(Debug, Default)]
pub struct Hook {
    plans: HashMap<String, Plan>,
    worker: Option<ThreadId>,
    done: Vec<Seen>,
}

/// A class that the hook has seen.
#[derive(Debug)]
pub struct Seen {
    /// Its name.
    pub name: String,
    /// Outcome for the class.
    pub outcomes: Outcomes,
    /// Bytes of the class file that the JVM gave.
    pub file_bytes: u64,
    /// The first method that got a probe.
    pub probed: Option<Probed>,
}

/// How a method with a probe is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probed {
    /// Its id.
    pub id: InstrumentId,
    /// Fewest static methods that it calls.
    pub static_calls: usize,
}

/// Outcome of one class: for each method by id, or the reason why the whole class was left alone.
pub type Outcomes = Result<Vec<(InstrumentId, Outcome)>, Refusal>;

/// The hook's work; set only while the worker is inside `RetransformClasses`.
pub static HOOK: Mutex<Option<Hook>> = Mutex::new(None);

impl Hook {
    /// Starts putting these probes into classes of these names when the calling thread retransforms them.
    pub fn begin(plans: HashMap<String, Plan>) {
        let hook = Self { plans, worker: Some(thread::current().id()), done: Vec::new() };
        *HOOK.lock().unwrap_or_else(PoisonError::into_inner) = Some(hook);
    }

    /// Stops putting in probes; returns the outcome of each class, in order.
    pub fn end() -> Vec<Seen> {
        HOOK.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default().done
    }

    /// New bytes for a class, or `None` to leave it as it is. Another agent may retransform a class of a
    /// planned name at this moment, perhaps one that the worker left out for a reason. That class gets no
    /// probes.
    pub fn transform(&mut self, name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
        if self.worker != Some(thread::current().id()) {
            return None;
        }
        let plan = self.plans.get(name)?;
        let rewritten = spl_bytecode::instrument(bytes, plan);
        let file_bytes = bytes.len() as u64;
        let mut probed = None;
        let (bytes, outcomes) = match rewritten {
            Ok(rewritten) => {
                let first = plan.probes().iter().zip(&rewritten.outcomes).find(|(_, (_, one))| one.is_ok());
                probed = first.and_then(|(probe, _)| {
                    let (name, descriptor) = (&probe.method_name, &probe.descriptor);
                    let calls = spl_bytecode::static_calls_of(&rewritten.bytes, name, descriptor)?;
                    Some(Probed { id: probe.id, static_calls: calls })
                });
                let ids = plan.probes().iter().map(|probe| probe.id);
                let outcome =
                    |(_, result): (_, Result<_, _>)| result.map_or_else(Outcome::from, Outcome::from);
                let outcomes = ids.zip(rewritten.outcomes.into_iter().map(outcome)).collect();
                (Some(rewritten.bytes), Ok(outcomes))
            }
            Err(refusal) => (None, Err(refusal)),
        };
        self.done.push(Seen { name: name.to_owned(), outcomes, file_bytes, probed });
        bytes
    }
}

/// The probes of one class.
pub fn plan(targets: &BTreeMap<InstrumentId, Target>) -> Plan {
    let probe = |target: &Target| {
        let method = &target.instrument.method;
        Probe::new(method.name(), method.descriptor().as_str(), target.id, kinds::woven(&target.instrument))
    };
    targets.values().map(probe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use spl_model::{ProbeKind, Sizing};

    #[test]
    fn other_threads_changes_get_no_probes() {
        let probe = Probe::new("f", "()V", InstrumentId(1), ProbeKind::Times(Sizing::None));
        let plans = HashMap::from([("p/C".to_owned(), [probe].into_iter().collect::<Plan>())]);
        let mut hook = Hook { plans, worker: Some(thread::current().id()), done: Vec::new() };
        thread::scope(|scope| {
            scope.spawn(|| assert_eq!(hook.transform("p/C", b"no class"), None)).join().unwrap()
        });
        assert_eq!(hook.done.len(), 0, "another thread's class was looked at");
        hook.transform("p/D", b"no class");
        assert_eq!(hook.done.len(), 0, "a class that is not in the plan was looked at");
        hook.transform("p/C", b"no class");
        assert!(
            matches!(&hook.done[..], [Seen { name, outcomes: Err(Refusal::Malformed(_)), .. }] if name == "p/C")
        );
    }
}
