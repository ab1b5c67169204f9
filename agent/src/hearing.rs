//! Counts of the JVM's events: waits for monitors, threads, collections, sampled allocations.
//!
//! The callbacks run in threads of the program. Each asks the JVM for a frame or a number at most, and adds to tables of a fixed
//! size under a lock that is held for some ten nanoseconds, and never around a call of the JVM. Those of collections touch atomics
//! only, as JVM TI demands. Names of methods are looked up later, by the agent thread.

mod tables;

use crate::fault;
use crate::jvm::{ClassRef, Jvm, ObjectRef};
use crate::sys;
use jvmti_bindings::callbacks::{CallbackContext, MonitorEvent, ObjectAllocationEvent, ThreadEvent};
use spl_wire::{EVENT_NAMES, EventPlace, Events};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tables::Tables;

/// The name of the thread in which the JVM waits for the others at its end.
const LAST_THREAD: &str = "DestroyJavaVM";

/// The state of listening. It takes memory from the first listening on.
#[derive(Debug, Default)]
pub struct Hearing {
    is_on: AtomicBool,
    /// Number of the listening, which threads have that were counted in it.
    number: AtomicUsize,
    tables: Mutex<Tables>,
    /// Held by the one who makes messages, so that names come before counts.
    reports: Mutex<()>,
    /// Mean number of allocated bytes between two samples.
    interval_bytes: AtomicU64,
    collections: AtomicU64,
    /// Start of a collection that is under way, or 0.
    collection_ns: AtomicU64,
    stopped_ns: AtomicU64,
    /// The last messages, once the JVM ends.
    last: Mutex<Vec<Events>>,
}

impl Hearing {
    /// Begins to listen, with empty tables.
    pub fn begin(&self, interval_bytes: u32) {
        *self.tables() = Tables::new();
        for counter in [&self.collections, &self.collection_ns, &self.stopped_ns] {
            counter.store(0, Relaxed);
        }
        self.interval_bytes.store(interval_bytes.into(), Relaxed);
        // Threads that were never counted have 0.
        self.number.fetch_add(1, AcqRel);
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

    /// Takes a thread in that lives already.
    pub fn has_thread(&self, jvm: &Jvm, thread: ObjectRef<'_>) {
        // An event may have counted it meanwhile.
        if !self.is_counted(jvm, thread) && jvm.is_of_program(thread, LAST_THREAD) && self.count(jvm, thread)
        {
            self.tables().has_thread();
        }
    }

    /// Whether a thread was counted in this listening.
    pub fn is_counted(&self, jvm: &Jvm, thread: ObjectRef<'_>) -> bool {
        jvm.mark(thread) == Some(self.number.load(Acquire))
    }

    fn count(&self, jvm: &Jvm, thread: ObjectRef<'_>) -> bool {
        jvm.set_mark(thread, self.number.load(Acquire))
    }

    /// A thread begins.
    pub fn thread_begins(&self, context: &CallbackContext<'_>, event: &ThreadEvent) {
        if !self.is_on() {
            return;
        }
        let jvm = Jvm::of(context.jvmti());
        // SAFETY: the callback's argument is live until the callback returns.
        let thread = unsafe { ObjectRef::new(event.thread().cast()) };
        if jvm.is_of_program(thread, LAST_THREAD) {
            let is_known = self.is_counted(&jvm, thread);
            if self.count(&jvm, thread) {
                self.tables().thread_begins(is_known);
            }
        }
    }

    /// A thread ends.
    pub fn thread_ends(&self, context: &CallbackContext<'_>, event: &ThreadEvent) {
        if !self.is_on() {
            return;
        }
        let jvm = Jvm::of(context.jvmti());
        // SAFETY: the callback's argument is live until the callback returns.
        let thread = unsafe { ObjectRef::new(event.thread().cast()) };
        if self.is_counted(&jvm, thread) {
            self.tables().thread_ends();
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
        // SAFETY: the callback's argument is live until the callback returns.
        let monitor = jvm.identity(unsafe { ObjectRef::new(event.object().cast()) });
        let now_ns = sys::now_ns();
        self.tables().waits(place, monitor, now_ns);
    }

    /// A thread has the monitor that it waited for.
    pub fn has_waited(&self, context: &CallbackContext<'_>, event: &MonitorEvent) {
        if !self.is_on() {
            return;
        }
        let now_ns = sys::now_ns();
        let jvm = Jvm::of(context.jvmti());
        let place = jvm.own_place();
        // SAFETY: the callback's argument is live until the callback returns.
        let monitor = jvm.identity(unsafe { ObjectRef::new(event.object().cast()) });
        self.tables().has_waited(place, monitor, now_ns);
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
    }

    /// A collection stops the program. Nothing but atomics may be touched.
    pub fn collection_begins(&self, now_ns: u64) {
        self.collection_ns.store(now_ns, Relaxed);
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
    pub fn report(&self, jvm: &Jvm) -> Vec<Events> {
        let _alone = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_on() {
            return Vec::new();
        }
        let (new_places, new_classes) = self.tables().unnamed();
        let mut said = Vec::new();
        let named = |(number, method, location): &(u32, usize, i64)| {
            let (class, method, descriptor) = jvm.named(*method).unwrap_or_default();
            EventPlace { number: *number, class, method, descriptor, location: *location }
        };
        for some in new_places.chunks(EVENT_NAMES) {
            said.push(Events::Places { places: some.iter().map(named).collect() });
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
        said.push(Events::Counts(Box::new(counts)));
        said
    }

    /// Keeps the last report: the JVM ends.
    pub fn keep_last(&self, jvm: &Jvm) {
        let last = self.report(jvm);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = last;
    }

    /// The last report, once.
    pub fn last(&self) -> Vec<Events> {
        std::mem::take(&mut self.last.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
