//! Why figures of methods may be too low.

use spl_profile::CountedClass;
use std::collections::BTreeSet;

/// Why a figure may be too low.
pub const STOPPED: &str = "it stopped counting before the end: it was too dear for the budget";

/// Methods of a class that threads without counters of their own called.
pub fn in_shared(class: &CountedClass, shared: &[bool]) -> BTreeSet<String> {
    let is_shared = |counter: u32| shared.get(counter as usize).copied().unwrap_or(false);
    let in_shared = class.methods.iter().filter(|one| {
        let end = one.first.saturating_add(*one.counters.as_ref().unwrap_or(&0));
        (one.first..end).any(is_shared)
    });
    in_shared.map(|one| format!("{}.{}{}", class.name, one.name, one.descriptor)).collect()
}

/// Methods of a class whose calls the JVM may replace.
pub fn intrinsics(class: &CountedClass) -> BTreeSet<String> {
    let all = spl_bytecode::inspect(&class.bytes).map(|info| info.methods).unwrap_or_default();
    let intrinsics = all.iter().filter(|one| one.intrinsic);
    intrinsics.map(|one| format!("{}.{}{}", class.name, one.name, one.descriptor)).collect()
}
