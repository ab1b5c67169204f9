//! Calls that run while their class is changed. Until they return, their lines in stack traces say `Unknown
//! Source`, because HotSpot reads file and line only from the class's current constants
//! (`Backtrace::get_source_file_name`). The agent cannot prevent it. It warns the operator of long calls,
//! such as a thread's main loop.

use super::Worker;
use crate::java;
use crate::jvm::{Loaded, Running};
use crate::shared::Reply;
use crate::sys;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Time after the change from which a call counts as long.
const LONG_CALL: Duration = Duration::from_secs(1);
/// Most calls reported in the life of a JVM.
const MOST_TOLD: usize = 20;

/// A sentence about all these calls; `None` without any.
fn warning(calls: &[String]) -> Option<String> {
    let (last, others) = calls.split_last()?;
    Some(if others.is_empty() {
        format!(
            "{last} was running when its class was changed: until it returns, stack traces say Unknown Source there"
        )
    } else {
        format!(
            "{} and {last} were running when their classes were changed: until they return, stack traces say Unknown Source there",
            others.join(", ")
        )
    })
}

impl Worker {
    /// Notes running calls. Call it before classes are changed. Stopping the threads to read their stacks
    /// takes as long as a short garbage collection. So each class is looked up once, and a program with very
    /// many threads is skipped.
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

    /// Reports the calls that still run.
    pub(super) fn say_running(&mut self, env: &mut jni::Env<'_>) {
        self.calls.look_at = None;
        let before = std::mem::take(&mut self.calls.running);
        let classes = before.iter().map(|call| call.class.clone()).collect();
        let at_ns = sys::now_ns();
        self.shared.changes.begin(at_ns);
        let now = self.running(env, &classes);
        self.shared.changes.end(sys::now_ns());
        let still = before.intersection(&now).map(Running::to_string).collect::<BTreeSet<_>>();
        let told: Vec<String> = still.into_iter().take(MOST_TOLD.saturating_sub(self.calls.told)).collect();
        self.calls.told += told.len();
        if let Some(warning) = warning(&told) {
            self.tell(Reply::Warning(warning));
        }
    }

    pub(super) fn running(
        &mut self,
        env: &mut jni::Env<'_>,
        classes: &BTreeSet<String>,
    ) -> BTreeSet<Running> {
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

    #[test]
    fn all_calls_are_told_in_one_sentence() {
        let said = |calls: &[&str]| warning(&calls.iter().map(|call| (*call).to_owned()).collect::<Vec<_>>());
        assert_eq!(said(&[]), None);
        assert!(
            said(&["A.f in thread \"x\""]).unwrap().starts_with("A.f in thread \"x\" was running when its")
        );
        assert!(
            said(&["A.f", "A.g", "B.h"]).unwrap().starts_with("A.f, A.g and B.h were running when their")
        );
    }
}
