//! The names of the classes whose numbers stand in arcs, and the sizes of the objects of classes.

use crate::java::sizes;
use crate::jvm::Jvm;
use spl_model::arena::Arc;
use spl_wire::{CLASS_PART, Drilled};
use std::collections::HashSet;

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

/// Sizes of the objects of the `made` classes, in messages.
pub fn sizes(jvm: &Jvm, env: &mut jni::Env<'_>, made: &HashSet<String>) -> Vec<Drilled> {
    let object = sizes::of_nothing(jvm, env);
    let mut messages = Vec::new();
    let (mut classes, mut bytes) = (Vec::new(), 0);
    for (name, size) in sizes::of_classes(jvm, env, made) {
        bytes += name.len() + 8;
        classes.push((name, size));
        if bytes > CLASS_PART / 2 {
            messages.push(Drilled::Sizes { object, classes: std::mem::take(&mut classes) });
            bytes = 0;
        }
    }
    messages.push(Drilled::Sizes { object, classes });
    messages
}
