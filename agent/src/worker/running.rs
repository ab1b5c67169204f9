//! Calls that go on while their class is changed. Until they return, their lines in stack traces say `Unknown Source`, because
//! HotSpot gives file and line only for the constants that a class has now (`Backtrace::get_source_file_name`). Nothing can be
//! done about it. The operator is told of the calls that run for long, such as a thread's main loop.

use super::Worker;
use crate::java;
use crate::jvm::{Loaded, Running};
use crate::shared::Reply;
use crate::sys;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// A call that lasts this long after the change runs for long.
const LONG_CALL: Duration = Duration::from_secs(1);
/// Calls that are told in the life of a JVM.
const MOST_TOLD: usize = 20;

impl Worker {
    /// To be called before classes are changed. Stopping the threads to look at their stacks takes as long as a short
    /// collection of garbage, so each class is looked at once, and a program with very many threads not at all.
    pub(super) fn note_running(&mut self, env: &mut jni::Env<'_>, classes: &[Loaded<'_>]) {
        let names = classes.iter().map(|class| &class.name);
        let new: BTreeSet<String> = names.filter(|name| !self.calls.known.contains(*name)).cloned().collect();
        if new.is_empty() || self.calls.told >= MOST_TOLD {
            return;
        }
        let running = self.running(env, &new);
        self.calls.known.extend(new);
        if !running.is_empty() {
            self.calls.running.extend(running);
            self.calls.look_at.get_or_insert_with(|| Instant::now() + LONG_CALL);
        }
    }

    /// Tells of the calls that still run.
    pub(super) fn say_running(&mut self, env: &mut jni::Env<'_>) {
        self.calls.look_at = None;
        let before = std::mem::take(&mut self.calls.running);
        let classes = before.iter().map(|call| call.class.clone()).collect();
        let at_ns = sys::now_ns();
        self.shared.changes.begin(at_ns);
        let now = self.running(env, &classes);
        self.shared.changes.end(sys::now_ns());
        let still = before.intersection(&now).map(Running::to_string).collect::<BTreeSet<_>>();
        for call in still {
            if self.calls.told >= MOST_TOLD {
                break;
            }
            self.calls.told += 1;
            self.tell(Reply::Warning(format!(
                "{call} was running when its class was changed: until it returns, stack traces say Unknown Source there"
            )));
        }
    }

    fn running(&mut self, env: &mut jni::Env<'_>, classes: &BTreeSet<String>) -> BTreeSet<Running> {
        let wanted = |name: &str| classes.contains(name);
        let found = self.jvm.running(wanted, |thread| {
            // SAFETY: what the JVM names as the owner of a stack is a thread.
            unsafe { java::id_of_thread(env, thread) }.ok()
        });
        found.unwrap_or_else(|error| {
            if !std::mem::replace(&mut self.calls.unknown, true) {
                self.tell(Reply::Warning(format!("which calls run meanwhile is not known: {error}")));
            }
            BTreeSet::new()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::known::Calls;
    use super::*;

    #[test]
    fn nothing_is_looked_at_when_nobody_is_there_to_be_told() {
        let now = Instant::now();
        let mut calls = Calls { look_at: Some(now + LONG_CALL), ..Calls::default() };
        assert_eq!(calls.due(now), Some(LONG_CALL));
        calls.forget();
        assert_eq!(calls.due(now), None);
    }
}
