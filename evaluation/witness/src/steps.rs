//! Counts of single steps.

use jvmti_bindings::env::Jvmti;
use jvmti_bindings::sys::jni;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Mutex;

/// Numbers of runs of each instruction, by method.
#[derive(Default)]
pub struct Steps(Mutex<HashMap<usize, Counts>>);

/// Counts of one method, by offset.
struct Counts {
    /// The method. Asked for at its first step: the JVM forgets an initialiser of a class that has run.
    name: String,
    of: Vec<u64>,
}

impl Steps {
    /// The instruction at this offset of a method is about to run.
    pub fn step(&self, env: &Jvmti, method: usize, offset: i64) {
        let Ok(offset) = usize::try_from(offset) else { return };
        let mut all = self.0.lock().expect("no panic came before");
        let counts = all.entry(method).or_insert_with(|| Counts {
            name: name(env, method as jni::jmethodID).unwrap_or_default(),
            of: Vec::new(),
        });
        if counts.of.len() <= offset {
            counts.of.resize(offset + 1, 0);
        }
        counts.of[offset] += 1;
    }

    /// A line for each instruction that was run.
    pub fn lines(&self) -> String {
        let mut lines = String::new();
        for counts in self.0.lock().expect("no panic came before").values() {
            for (offset, count) in counts.of.iter().enumerate().filter(|(_, count)| **count > 0) {
                // A `String` takes everything.
                let _ = writeln!(lines, "{} {offset} {count}", counts.name);
            }
        }
        lines
    }
}

/// The method as `class.name(descriptor)`.
pub fn name(env: &Jvmti, method: jni::jmethodID) -> Option<String> {
    // SAFETY: an id that the JVM gave with an event about this method.
    let (name, descriptor, _) = unsafe { env.get_method_name(method) }.ok()?;
    // SAFETY: as above.
    let class = unsafe { env.get_method_declaring_class(method) }.ok()?;
    // SAFETY: a local reference that was just made.
    let (signature, _) = unsafe { env.get_class_signature(class) }.ok()?;
    let class = signature.strip_prefix('L')?.strip_suffix(';')?;
    Some(format!("{class}.{name}{descriptor}"))
}
