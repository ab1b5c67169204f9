//! Counts of the JVM's events: waits for monitors, threads, collections, sampled allocations.
//!
//! The callbacks run in threads of the program. Each asks the JVM for a frame or a number at most, and adds to tables of a limited
//! size under a lock that is held for some ten nanoseconds, and never around a call of the JVM. Those of collections touch atomics
//! only, as JVM TI demands. The first wait of a version of a method at an offset asks for its names, while the frame keeps the method: a later
//! question could be about a method that is gone.

mod lifetimes;
mod tables;

use crate::fault;
use crate::java;
use crate::jvm::{ClassRef, Jvm, ObjectRef, Walked};
use crate::sys;
use jvmti_bindings::callbacks::{CallbackContext, MonitorEvent, ObjectAllocationEvent, ThreadEvent};
use lifetimes::Lifetimes;
use spl_wire::{EVENT_NAMES, Events};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tables::Tables;

/// The JDK from which on the JVM tells behind a collection which objects are gone.
const TOLD_BEHIND_SINCE: u32 = 16;

/// The name of the thread in which the JVM waits for the others at its end.
pub const LAST_THREAD: &str = "DestroyJavaVM";

/// The state of listening. It takes memory from the first listening on.
#[derive(Debug, Default)]
pub struct Hearing {
    is_on: AtomicBool,
    tables: Mutex<Tables>,
    /// Held by the one who makes messages, so that names come before counts.
    reports: Mutex<()>,
    /// Mean number of allocated bytes between two samples.
    interval_bytes: AtomicU64,
    collections: AtomicU64,
    /// Start of a collection that is under way, or 0.
    collection_ns: AtomicU64,
    stopped_ns: AtomicU64,
    /// Whether sampled objects have tags, and whether the JVM tells within a collection which are gone.
    follows: AtomicBool,
    tells_within: AtomicBool,
    lifetimes: Lifetimes,
    /// Whether a walk looks at the heap at the end.
    walks: AtomicBool,
    /// The last messages, once the JVM ends.
    last: Mutex<Vec<Events>>,
}

impl Hearing {
    /// Begins to listen, with empty tables. `follows` says that sampled objects may have tags, `walks` that a walk looks at the heap at the end.
    pub fn begin(&self, interval_bytes: u32, (follows, walks): (bool, bool), jdk: u32) {
        *self.tables() = Tables::new();
        self.lifetimes.begin();
        self.follows.store(follows, Relaxed);
        self.walks.store(walks, Relaxed);
        self.tells_within.store(jdk < TOLD_BEHIND_SINCE, Relaxed);
        for counter in [&self.collections, &self.collection_ns, &self.stopped_ns] {
            counter.store(0, Relaxed);
        }
        self.interval_bytes.store(interval_bytes.into(), Relaxed);
        self.is_on.store(true, Release);
    }

    /// Ends it, and frees the tables.
    pub fn end(&self) {
        self.is_on.store(false, Release);
        *self.tables() = Tables::default();
    }

    /// Whether something is heard.
    pub fn is_on(&self) -> bool {
        self.is_on.load(Acquire)
    }

    /// Number of collections so far.
    pub fn collections(&self) -> u64 {
        self.collections.load(Acquire)
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in the threads that live already, by their ids.
    pub fn has_threads(&self, threads: impl Iterator<Item = u64>) {
        threads.for_each(|thread| self.tables().has_thread(thread));
        self.tables().has_all_threads();
    }

    /// A thread begins.
    pub fn thread_begins(&self, context: &CallbackContext<'_>, event: &ThreadEvent) {
        if !self.is_on() {
            return;
        }
        let jvm = Jvm::of(context.jvmti());
        // SAFETY: the callback's argument is live until the callback returns.
        let thread = unsafe { ObjectRef::new(event.thread().cast()) };
        if jvm.is_of_program(thread, LAST_THREAD)
            && let Some(id) = java::thread_of(context, event)
        {
            self.tables().thread_begins(id);
        }
    }

    /// A thread ends.
    pub fn thread_ends(&self, id: u64) {
        if self.is_on() {
            self.tables().thread_ends(id);
        }
    }

    /// A thread has to wait for a monitor.
    pub fn waits(&self, context: &CallbackContext<'_>, event: &MonitorEvent) {
        if !self.is_on() {
            return;
        }
        fault::at("MonitorContendedEnter");
        let jvm = Jvm::of(context.jvmti());
        let place = jvm.own_place();
        if let Some(place) = place.filter(|place| !self.tables().knows_place(*place)) {
            // SAFETY: the method of the innermost frame of this thread.
            let name = unsafe { jvm.named(place) }.unwrap_or_default();
            self.tables().learn_place(place, name);
        }
        // SAFETY: the callback's argument is live until the callback returns.
        let monitor = jvm.identity(unsafe { ObjectRef::new(event.object().cast()) });
        // SAFETY: as above.
        let thread = id_within_monitor(context, unsafe { ObjectRef::new(event.thread().cast()) });
        let now_ns = sys::now_ns();
        self.tables().waits(thread, place, monitor, now_ns);
    }

    /// A thread has the monitor that it waited for.
    pub fn has_waited(&self, context: &CallbackContext<'_>, event: &MonitorEvent) {
        if !self.is_on() {
            return;
        }
        let now_ns = sys::now_ns();
        // SAFETY: the callback's argument is live until the callback returns.
        if let Some(thread) = id_within_monitor(context, unsafe { ObjectRef::new(event.thread().cast()) }) {
            self.tables().has_waited(thread, now_ns);
        }
    }

    /// A sample of the allocated objects.
    pub fn allocates(&self, context: &CallbackContext<'_>, event: &ObjectAllocationEvent) {
        let interval_bytes = self.interval_bytes.load(Relaxed);
        if !self.is_on() || interval_bytes == 0 || event.class().is_null() {
            return;
        }
        fault::at("SampledObjectAlloc");
        let jvm = Jvm::of(context.jvmti());
        // SAFETY: the callback's argument refers to a class and is live until the callback returns.
        let class = unsafe { ClassRef::new(event.class().cast()) };
        let Some(identity) = jvm.identity(class.object()) else { return };
        let bytes = u64::try_from(event.size()).unwrap_or(0);
        // Its name is asked for once, and outside of the lock.
        let is_known = self.tables().knows_class(identity);
        let name = if is_known { String::new() } else { jvm.readable_name(class) };
        self.tables().allocates(identity, name, bytes, interval_bytes);
        if self.follows.load(Relaxed)
            && let Some(tag) = self.lifetimes.tag(intervals(bytes, interval_bytes))
        {
            // SAFETY: the callback's argument is live until the callback returns.
            let object = unsafe { ObjectRef::new(event.object().cast()) };
            if jvm.tag(object, tag) {
                self.lifetimes.follow(tag);
            }
        }
    }

    /// A sampled object is gone. Nothing but atomics may be touched.
    pub fn object_is_gone(&self, tag: i64) {
        if self.is_on() {
            self.lifetimes.is_gone(tag, !self.tells_within.load(Relaxed));
        }
    }

    /// A collection stops the program. Nothing but atomics may be touched.
    pub fn collection_begins(&self, now_ns: u64) {
        self.collection_ns.store(now_ns, Relaxed);
        if self.tells_within.load(Relaxed) {
            self.lifetimes.collection();
        }
    }

    /// The program goes on. Nothing but atomics may be touched.
    pub fn collection_ends(&self, now_ns: u64) {
        if !self.is_on() {
            return;
        }
        let begun_ns = self.collection_ns.swap(0, Relaxed);
        if begun_ns != 0 {
            self.stopped_ns.fetch_add(now_ns.saturating_sub(begun_ns), Relaxed);
        }
        self.collections.fetch_add(1, AcqRel);
        if !self.tells_within.load(Relaxed) {
            self.lifetimes.collection();
        }
    }

    /// Notes a look at the used memory, after a collection.
    pub fn memory_is(&self, used_bytes: u64) {
        self.tables().memory_is(used_bytes);
    }

    /// Notes a look at the states of threads.
    pub fn runnable_are(&self, threads: usize) {
        self.tables().runnable_are(threads);
    }

    /// Threads of the program that live.
    pub fn live(&self) -> u32 {
        self.tables().counts().live
    }

    /// The counts so far, after the names of new places and classes.
    pub fn report(&self) -> Vec<Events> {
        let _alone = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_on() {
            return Vec::new();
        }
        let (new_places, new_classes) = self.tables().unnamed();
        let mut said = Vec::new();
        for some in new_places.chunks(EVENT_NAMES) {
            said.push(Events::Places { places: some.to_vec() });
        }
        for some in new_classes.chunks(EVENT_NAMES) {
            said.push(Events::Classes { classes: some.to_vec() });
        }
        let now_ns = sys::now_ns();
        let (places, classes, mut counts) = self.tables().changed(now_ns);
        counts.collections = self.collections();
        counts.stopped_ns = self.stopped_ns.load(Relaxed);
        if !places.is_empty() || !classes.is_empty() {
            said.push(Events::Of { places, classes });
        }
        if self.follows.load(Relaxed) {
            said.push(Events::Lifetimes(Box::new(self.lifetimes.so_far())));
        }
        said.push(Events::Counts(Box::new(counts)));
        said
    }

    /// Looks at the heap if that is wanted, once.
    pub fn walk(&self, jvm: &Jvm, env: &mut jni::Env<'_>) -> Vec<Events> {
        if !self.is_on() || !self.walks.swap(false, AcqRel) {
            return Vec::new();
        }
        let walked = jvm.walk(env).unwrap_or_else(Walked::failed);
        let mut said: Vec<Events> = walked
            .classes
            .chunks(EVENT_NAMES)
            .map(|classes| Events::Heap { classes: classes.to_vec() })
            .collect();
        let stopped_ns = u64::try_from(walked.stopped.as_nanos()).unwrap_or(u64::MAX);
        said.push(Events::Walked { objects: walked.objects, stopped_ns, why: walked.why });
        said
    }

    /// Keeps the last report, behind what a walk has `found`: the JVM ends.
    pub fn keep_last(&self, found: Vec<Events>) {
        let mut last = found;
        last.extend(self.report());
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = last;
    }

    /// The last report, once.
    pub fn last(&self) -> Vec<Events> {
        std::mem::take(&mut self.last.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Number of intervals between samples that an object of `bytes` stands for: it was sampled with a probability that grows with its size.
fn intervals(bytes: u64, interval_bytes: u64) -> u64 {
    let own = bytes.max(1) as f64 / interval_bytes as f64;
    (own / -(-own).exp_m1()).round() as u64
}

/// The id of the thread that waits, also of a virtual one.
fn id_within_monitor(context: &CallbackContext<'_>, thread: ObjectRef<'_>) -> Option<u64> {
    // SAFETY: the callback runs on the thread whose environment this is, and is called with a thread.
    unsafe { java::id_within_monitor(context.jni()?.raw(), thread) }
}
