//! Messages about the JVM's events: waits for monitors, threads, collections, sampled allocations.

use serde::{Deserialize, Serialize};

/// Numbers of threads that could run at a look, as looks are told apart: 0, 1, 2, and 3 or more.
pub const RUNNABLE: usize = 4;

/// The events that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listening {
    /// Whether nothing else is asked for, so that the program may start.
    pub alone: bool,
    /// Mean number of allocated bytes between two samples; 0 for no samples.
    pub interval_bytes: u32,
    /// Least milliseconds between two looks at the states of threads.
    pub look_ms: u32,
    /// Whether a walk along all references looks at the objects of the heap at the end, while the program stands still.
    pub heap: bool,
}

/// A message of the agent about the JVM's events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Events {
    /// Answers [`ToAgent::Listen`](crate::ToAgent::Listen): events are heard from now on.
    Begun {
        /// Now, in nanoseconds of the JVM's monotonic clock.
        at_ns: u64,
        /// Threads of the program that live already.
        live: u32,
        /// Events that cannot be heard, with the reason; each one line of text.
        without: Vec<String>,
    },
    /// Nothing is heard.
    Refused {
        /// The reason, one line of text.
        why: String,
    },
    /// Places that later counts name.
    Places {
        /// Not more than [`EVENT_NAMES`](crate::EVENT_NAMES).
        places: Vec<EventPlace>,
    },
    /// Classes that later counts name.
    Classes {
        /// Numbers, and names with dots; arrays as in Java. Not more than [`EVENT_NAMES`](crate::EVENT_NAMES).
        classes: Vec<(u32, String)>,
    },
    /// All counts since the begin.
    Counts(Box<EventCounts>),
    /// Counts of the places and classes that have changed, since the begin.
    Of {
        /// Waits for monitors.
        places: Vec<OfPlace>,
        /// Sampled allocations.
        classes: Vec<OfClass>,
    },
    /// Lifetimes of sampled objects since the begin.
    Lifetimes(Box<Lifetimes>),
    /// Objects and places of the heap.
    Heap {
        /// Not more than [`EVENT_NAMES`](crate::EVENT_NAMES); each class once.
        classes: Vec<HeapClass>,
    },
    /// The walk through the heap is over.
    Walked {
        /// Objects that were met.
        objects: u64,
        /// Time for which the program stood still, in nanoseconds.
        stopped_ns: u64,
        /// Why it is not complete, one line of text.
        why: Option<String>,
    },
}

/// Numbers of references or objects that are told apart: 0, 1, 2, 3 to 7, and more.
pub const HEAP_BINS: usize = 5;

/// A class in the heap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapClass {
    /// Its name with slashes; that of an array as in class files, `[I`.
    pub name: String,
    /// Its objects, by the number of references to them.
    pub objects: [u64; HEAP_BINS],
    /// Its fields for references, or one for the elements of all arrays, by the number of objects that they refer to in all its objects together.
    pub places: [u64; HEAP_BINS],
}

/// Most names in one message.
pub const EVENT_NAMES: usize = 64;

/// Lifetimes that are told apart, in collections: 1, 2, and so on, and more.
pub const LIFETIMES: usize = 33;

/// Lifetimes of sampled objects. A lifetime is the number of collections up to the one that found the object gone. Objects count by the intervals between samples that
/// they stand for: as allocated bytes, then.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lifetimes {
    /// Objects that are gone, by their lifetime from 1 on; the last number is of all longer ones.
    pub gone: Vec<u64>,
    /// The same objects, by the least lifetime that they may have had: the JVM tells late that an object is gone.
    pub gone_at_least: Vec<u64>,
    /// Objects that are there, by the collections so far from 0 on; the last number is of all others.
    pub there: Vec<u64>,
    /// Objects that were not followed, as too many were there at once.
    pub unfollowed: u64,
}

/// A place in the code where a thread waited for a monitor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventPlace {
    /// Its number.
    pub number: u32,
    /// Class with slashes; empty when the JVM does not tell it.
    pub class: String,
    /// Name of the method.
    pub method: String,
    /// Descriptor of the method.
    pub descriptor: String,
    /// Number of the `monitorenter` in the method's code, from 1; 0 at the entry of a synchronized method, and in `Object.wait`.
    pub lock: u32,
}

/// Counts of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfPlace {
    /// Its number.
    pub number: u32,
    /// Times that a thread had to wait.
    pub waits: u64,
    /// Nanoseconds of these waits, with those under way.
    pub waited_ns: u64,
}

/// Counts of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfClass {
    /// Its number.
    pub number: u32,
    /// Sampled objects.
    pub samples: u64,
    /// Estimate of the bytes of all its objects.
    pub bytes: u64,
    /// Variance of the estimate, in bytes squared.
    pub variance: u128,
}

/// Counts of a JVM since the begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventCounts {
    /// Now, in nanoseconds of the JVM's monotonic clock.
    pub at_ns: u64,
    /// Times that a thread had to wait for a monitor.
    pub waits: u64,
    /// Nanoseconds of these waits, with those under way.
    pub waited_ns: u64,
    /// Most threads that waited for one monitor at once.
    pub most_waiting: u32,
    /// Waits without a place: no Java method was under way, or there was no room for more places.
    pub placeless: u64,
    /// Waits that were not followed, as too many threads waited at once: `waited_ns` and `most_waiting` lack them.
    pub unfollowed: u64,
    /// Threads of the program that were started.
    pub started: u64,
    /// Threads of the program that live.
    pub live: u32,
    /// Most threads of the program that lived at once.
    pub most_live: u32,
    /// Collections that stopped the program.
    pub collections: u64,
    /// Nanoseconds of these stops.
    pub stopped_ns: u64,
    /// Looks at the used memory, each the first after one collection or some.
    pub memory_looks: u64,
    /// Sum of the used bytes of these looks.
    pub used_bytes: u128,
    /// Most used bytes of these looks.
    pub most_used_bytes: u64,
    /// Looks at the states of threads, by the number of threads that could run.
    pub runnable: [u64; RUNNABLE],
    /// Times that the number was another one than at the look before, and one.
    pub runs: u64,
    /// Most threads that could run at a look.
    pub most_runnable: u32,
    /// Sampled objects.
    pub samples: u64,
    /// Estimate of the bytes of all objects.
    pub bytes: u64,
    /// Variance of the estimate, in bytes squared.
    pub variance: u128,
    /// Sampled objects without a class, as there was no room for more.
    pub classless: u64,
}
