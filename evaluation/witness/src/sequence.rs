//! The instructions that the main thread runs in chosen classes, in their order, with their activations.

use crate::steps::name;
use jvmti_bindings::env::Jvmti;
use jvmti_bindings::sys::jni;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Mutex;

/// Name of the thread that is followed.
const THREAD: &str = "main";

/// The lines so far.
#[derive(Default)]
pub struct Sequence(Mutex<All>);

#[derive(Default)]
struct All {
    names: HashMap<usize, String>,
    /// The activations of chosen methods that are under way: the number of frames with each.
    stack: Vec<(i32, usize)>,
    lines: String,
}

impl Sequence {
    /// The instruction at this offset of a method is about to run. Classes whose names begin with `classes` are chosen.
    pub fn step(&self, env: &Jvmti, thread: jni::jthread, method: usize, offset: i64, classes: &str) {
        // SAFETY: the thread of the event.
        let is_main =
            unsafe { env.get_thread_info(thread) }.is_ok_and(|info| info.name.as_deref() == Some(THREAD));
        // SAFETY: as above.
        let (true, Ok(frames)) = (is_main, unsafe { env.get_frame_count(thread) }) else { return };
        let mut all = self.0.lock().expect("no panic came before");
        let All { names, stack, lines } = &mut *all;
        let name =
            names.entry(method).or_insert_with(|| name(env, method as jni::jmethodID).unwrap_or_default());
        while stack.last().is_some_and(|&(top, of)| top > frames || top == frames && of != method) {
            stack.pop();
        }
        if !name.starts_with(classes) {
            return;
        }
        if stack.last().is_none_or(|&(top, _)| top < frames) {
            stack.push((frames, method));
            // A `String` takes everything.
            let _ = writeln!(lines, "{} > {name}", stack.len());
        }
        let _ = writeln!(lines, "{} {offset}", stack.len());
    }

    /// A line for each activation, `depth > method`, and for each instruction, `depth offset`.
    pub fn lines(&self) -> String {
        std::mem::take(&mut self.0.lock().expect("no panic came before").lines)
    }
}
