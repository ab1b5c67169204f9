//! The names of the classes whose numbers stand in arcs, and the sizes of the objects of classes.

use crate::java::numbers::Numbers;
use crate::java::sizes;
use crate::jvm::Jvm;
use spl_model::OfCalls;
use spl_model::arena::{Arc, Received};
use spl_wire::{CLASS_PART, Drilled};
use std::collections::HashSet;

/// Names of all loaded classes with the numbers that counts of calls, or traces, have for them, in messages. A class that was unloaded is missing.
pub fn names(jvm: &Jvm, env: &mut jni::Env<'_>, of: Option<OfCalls>) -> Vec<Drilled> {
    let numbers = match of {
        Some(OfCalls::Receivers) => Numbers::find(env).ok().flatten(),
        Some(OfCalls::Entered) | None => None,
    };
    let mut messages = Vec::new();
    let (mut classes, mut bytes) = (Vec::new(), 0);
    for (class, name, hash) in jvm.hashes(env) {
        bytes += name.len() + 8;
        let number = match of {
            Some(OfCalls::Receivers) => {
                let number = numbers.as_ref().and_then(|numbers| numbers.of(env, class).ok());
                Received::class(number, hash)
            }
            Some(OfCalls::Entered) | None => Arc::class_of(hash),
        };
        classes.push((number, name));
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
