//! The names of the classes whose numbers stand in arcs.

use crate::jvm::Jvm;
use spl_model::arena::Arc;
use spl_wire::{CLASS_PART, Drilled};

/// Names of all loaded classes with the numbers that arcs have for them, in messages. A class that was unloaded is missing.
pub fn names(jvm: &Jvm, env: &jni::Env<'_>) -> Vec<Drilled> {
    let found = jvm.loaded(env, |_| true).unwrap_or_default();
    let mut messages = Vec::new();
    let (mut classes, mut bytes) = (Vec::new(), 0);
    for class in found {
        let Some(hash) = jvm.hash_of(class.class.object()) else { continue };
        bytes += class.name.len() + 8;
        classes.push((Arc::class_of(hash), class.name));
        if bytes > CLASS_PART / 2 {
            messages.push(Drilled::Receivers { classes: std::mem::take(&mut classes) });
            bytes = 0;
        }
    }
    messages.push(Drilled::Receivers { classes });
    messages
}
