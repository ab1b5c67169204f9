//! Why figures of methods may be too low.

use crate::numbers::plural;
use spl_profile::{CountedClass, CountedMethod};
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

/// Why the traces of methods are not all that they ran.
pub fn of_traces(classes: &[CountedClass]) -> Vec<String> {
    let traced = |class: &CountedClass| class.methods.iter().filter(|one| one.counters.is_ok()).count();
    let late: usize = classes.iter().filter(|class| !class.from_start).map(traced).sum();
    let is_replaced = |class: &CountedClass| {
        let intrinsics = intrinsics(class);
        let name = |one: &CountedMethod| format!("{}.{}{}", class.name, one.name, one.descriptor);
        let traced = class.methods.iter().filter(|one| one.counters.is_ok());
        traced.filter(|one| intrinsics.contains(&name(one))).count()
    };
    let replaced: usize = classes.iter().map(is_replaced).sum();
    let doubts = [
        (late, "the trace has it only from the change of its class on"),
        (replaced, "the JVM may replace its calls by an intrinsic, which no trace has"),
    ];
    let some = doubts.into_iter().filter(|(methods, _)| *methods > 0);
    some.map(|(methods, doubt)| format!("{}: {doubt}", plural(methods as u64, "method"))).collect()
}
