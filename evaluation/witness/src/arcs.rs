//! Counts of entries of methods by the place that called them.

use crate::steps::name;
use jvmti_bindings::env::Jvmti;
use jvmti_bindings::sys::jni;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Mutex;

/// Access flag of native methods (JVMS 4.6).
const ACC_NATIVE: jni::jint = 0x0100;

/// Numbers of entries, by place of the call and entered method.
#[derive(Default)]
pub struct Arcs(Mutex<All>);

#[derive(Default)]
struct All {
    counts: HashMap<(usize, i64, usize), u64>,
    /// The methods, asked for at their first entry, and whether they are native.
    names: HashMap<usize, (String, bool)>,
}

impl Arcs {
    /// A method begins in this thread.
    pub fn entered(&self, env: &Jvmti, thread: jni::jthread, method: usize) {
        // SAFETY: the thread of the event, in which the method runs.
        let caller = unsafe { env.get_frame_location(thread, 1) };
        // The first method of a thread has no caller.
        let Ok((caller, at)) = caller else { return };
        let mut all = self.0.lock().expect("no panic came before");
        for one in [method, caller as usize] {
            all.names.entry(one).or_insert_with(|| {
                let id = one as jni::jmethodID;
                // SAFETY: an id that the JVM gave with this event.
                let access = unsafe { env.get_method_modifiers(id) }.unwrap_or(0);
                (name(env, id).unwrap_or_default(), access & ACC_NATIVE != 0)
            });
        }
        *all.counts.entry((caller as usize, at, method)).or_default() += 1;
    }

    /// A line for each arc: caller, offset of the call, entered method, `native` or `java`, and the count.
    pub fn lines(&self) -> String {
        let all = self.0.lock().expect("no panic came before");
        let mut lines = String::new();
        for ((caller, at, method), count) in &all.counts {
            let ((caller, _), (method, is_native)) = (&all.names[caller], &all.names[method]);
            let kind = if *is_native { "native" } else { "java" };
            // A `String` takes everything.
            let _ = writeln!(lines, "{caller} {at} {method} {kind} {count}");
        }
        lines
    }
}
