//! The agent thread's part of listening: it takes the JVM's events and gives them back, looks at threads and memory, and reports.

use super::Worker;
use super::known::Heard;
use crate::hearing::LAST_THREAD;
use crate::java;
use crate::jvm::{Event, HEARD};
use crate::shared::Reply;
use crate::sys;
use spl_wire::{Events, Listening};
use std::time::{Duration, Instant};

/// Time between two reports.
const REPORT_EVERY: Duration = Duration::from_secs(1);
/// Least time between two looks.
const LEAST_LOOK: Duration = Duration::from_millis(1);
/// A look waits for this number of times as long as the last one took, so that looks take a hundredth of the time at most.
const RESTS: u32 = 100;
/// Most threads whose states are looked at.
const MOST_THREADS: usize = 1000;

impl Worker {
    /// Begins to listen. Alone, the program may start now.
    pub(super) fn listen(&mut self, env: &mut jni::Env<'_>, wanted: Listening) {
        let events = match self.begin_listening(env, wanted) {
            Ok(without) => Events::Begun { at_ns: sys::now_ns(), live: self.shared.hearing.live(), without },
            Err(why) => Events::Refused { why },
        };
        self.tell(Reply::Heard(events));
        if wanted.alone {
            self.shared.start_program();
        }
    }

    fn begin_listening(&mut self, env: &mut jni::Env<'_>, wanted: Listening) -> Result<Vec<String>, String> {
        if self.heard.is_some() {
            return Err("this JVM is listened to already".to_owned());
        }
        let (taken, mut without) = self.jvm.take_events(wanted.interval_bytes);
        let hearing = &self.shared.hearing;
        let interval_bytes = if taken.has_samples() { wanted.interval_bytes } else { 0 };
        hearing.begin(interval_bytes, (taken.has_lifetimes(), wanted.heap), self.jvm.feature_release());
        // Callbacks of waits need the place of ids, and may not ask for it.
        let own = self.jvm.threads(env).unwrap_or_default().into_iter().next();
        // SAFETY: what the JVM lists are threads.
        let _known = own.map(|thread| unsafe { java::id_of_thread(env, thread) });
        let now = Instant::now();
        for event in HEARD.into_iter().filter(|event| taken.allows(*event)) {
            if let Err(error) = self.jvm.notify(true, event) {
                without.push(format!("{event:?}: {error}"));
            }
        }
        // After the event is on: a thread that starts meanwhile is seen twice, and counted once.
        match self.jvm.threads(env) {
            Ok(threads) => {
                let of_program =
                    threads.into_iter().filter(|thread| self.jvm.is_of_program(*thread, LAST_THREAD));
                // SAFETY: what the JVM lists are threads.
                hearing.has_threads(
                    of_program.filter_map(|thread| unsafe { java::id_of_thread(env, thread) }.ok()),
                );
            }
            Err(error) => without.push(format!("threads that live already: {error}")),
        }
        self.heard = Some(Heard {
            taken,
            look_every: Duration::from_millis(wanted.look_ms.into()).max(LEAST_LOOK),
            next_look: now,
            next_report: now + REPORT_EVERY,
            collections: 0,
            is_overrun: false,
        });
        Ok(without)
    }

    /// Looks, and reports if that is due.
    pub(super) fn hear(&mut self, env: &mut jni::Env<'_>) {
        let Some(heard) = &mut self.heard else { return };
        let (begun, hearing) = (Instant::now(), &self.shared.hearing);
        if begun >= heard.next_look {
            // As soon as the agent's thread may run Java code after a collection.
            let collections = hearing.collections();
            if std::mem::replace(&mut heard.collections, collections) != collections
                && let Ok(used_bytes) = java::used_memory(env)
            {
                hearing.memory_is(used_bytes);
            }
            let mut problem = None;
            match self.jvm.threads(env) {
                Ok(threads) if threads.len() <= MOST_THREADS => {
                    let could_run = threads
                        .into_iter()
                        .filter(|thread| self.jvm.could_run(*thread))
                        .filter(|thread| self.jvm.is_of_program(*thread, LAST_THREAD));
                    hearing.runnable_are(could_run.count());
                }
                Ok(threads) if !std::mem::replace(&mut heard.is_overrun, true) => {
                    problem = Some(format!(
                        "states of threads are not looked at while there are more than {MOST_THREADS}: {}",
                        threads.len()
                    ));
                }
                Ok(_) | Err(_) => {}
            }
            heard.next_look = begun + heard.look_every.max(begun.elapsed() * RESTS);
            if let Some(problem) = problem {
                self.tell(Reply::Warning(problem));
            }
        }
        if let Some(heard) = self.heard.as_mut().filter(|heard| begun >= heard.next_report) {
            heard.next_report = begun + REPORT_EVERY;
            self.tell_heard();
        }
    }

    fn tell_heard(&self) {
        self.shared.hearing.report().into_iter().for_each(|events| self.tell(Reply::Heard(events)));
    }

    /// Ends the listening: reports, and gives the JVM's events back.
    pub(super) fn end_listening(&mut self, env: &mut jni::Env<'_>) {
        let Some(heard) = self.heard.take() else { return };
        for event in HEARD.into_iter().filter(|event| heard.taken.allows(*event)) {
            // A measurement or a drill may need the end of each thread from then on.
            if !matches!(event, Event::ThreadEnd) || !self.needs_thread_ends {
                self.watch(false, event);
            }
        }
        let found = self.shared.hearing.walk(&self.jvm, env);
        found.into_iter().for_each(|events| self.tell(Reply::Heard(events)));
        self.tell_heard();
        self.shared.hearing.end();
        if let Err(error) = self.jvm.give_events_back(&heard.taken) {
            self.tell(Reply::Warning(format!("the JVM does not take back its events: {error}")));
        }
    }
}
