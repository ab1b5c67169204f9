//! The table of events and fields: names are those of \*J, and of what it did not have. The page `docs/events.md` has the same table.

use Told::{Always, Blocks, Calls, No, Trace};

/// An event of a program.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Its name.
    pub name: &'static str,
    /// When it happens.
    pub text: &'static str,
    /// The drill that records it.
    pub recorded: Told,
    /// The drill that counts it.
    pub counted: Told,
    /// Its own fields; those of [`COMMON`] stand before them.
    pub fields: &'static [Field],
    /// Whether it went with JVMPI, so that no JVM of today has it.
    pub is_dropped: bool,
}

/// A field of an event.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// The drill that records it.
    pub recorded: Told,
    /// The drill that tells it of counted events.
    pub counted: Told,
}

/// The drill that tells an event or a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Every drill, or everything that tells the event.
    Always,
    /// Counters of blocks and edges.
    Blocks,
    /// Counters of blocks and edges, with the methods that calls entered.
    Calls,
    /// A trace.
    Trace,
    /// Nothing, for this reason.
    No(&'static str),
}

const NO_IDENTITY: &str = "a drill gives objects no identity";
const NO_RECEIVERS: &str = "a trace has no receivers; `Call` can be counted with them";
const NO_SIZES: &str = "a trace has no sizes; `ObjectAlloc` can be counted with them";
const NO_LENGTHS: &str = "a drill knows sizes of arrays, and not their lengths";
const NO_ALLOCATIONS: &str = "a drill sees objects only where code makes them";
const NO_HEAP: &str = "a drill does not watch objects in the heap";
const NO_GC: &str = "a drill does not watch garbage collections";
const NO_WAITS: &str = "a drill does not watch waits for monitors";
const NO_THREADS: &str =
    "a drill does not watch begins and ends of threads; a trace names the thread of each event";
const NO_COMPILER: &str = "a drill does not watch the compiler of the JVM";
const NO_LIFE: &str = "a drill spans the life of the JVM, and has no events for its begin and end";
const NO_UNLOADS: &str = "a drill does not watch classes that are unloaded";
const NO_LOADERS: &str = "a drill does not know loaders and modules of classes";
const NO_VALUES: &str = "a drill knows the way that a switch takes, not its value";
const NO_DEPTH: &str = "counts are sums over calls at any depth";
const SUMS: &str = "counts are sums over all threads";
const ARENAS: &str = "JVM TI has no arenas, and objects have no addresses there";
const RAW: &str = "raw monitors are of the JVM's own code, and JVM TI has no events for them";
const REFERENCES: &str = "JVM TI has no events for references of native code";
const DUMPS: &str = "only JVMPI had such dumps, which JDK 6 dropped";
const REQUESTS: &str = "only JVMPI had such requests, which JDK 6 dropped";
const NO_EXIT: &str = "JVM TI has no event for the exit of a contended monitor";

const fn always(name: &'static str) -> Field {
    Field { name, recorded: Always, counted: Always }
}

const fn no(name: &'static str, why: &'static str) -> Field {
    Field { name, recorded: No(why), counted: No(why) }
}

/// A field that counts have with the methods that calls entered, and no trace has.
const fn of_arcs(name: &'static str) -> Field {
    Field { name, recorded: No(NO_RECEIVERS), counted: Calls }
}

/// An event of which a trace tells the order, and counters the number.
const fn of_code(name: &'static str, text: &'static str, fields: &'static [Field]) -> Event {
    Event { name, text, recorded: Trace, counted: Blocks, fields, is_dropped: false }
}

/// An event that no drill has.
const fn unknown(
    name: &'static str,
    text: &'static str,
    fields: &'static [Field],
    why: &'static str,
) -> Event {
    Event { name, text, recorded: No(why), counted: No(why), fields, is_dropped: false }
}

/// An event that went with JVMPI.
const fn dropped(
    name: &'static str,
    text: &'static str,
    fields: &'static [Field],
    why: &'static str,
) -> Event {
    Event { name, text, recorded: No(why), counted: No(why), fields, is_dropped: true }
}

/// The fields of every event: whether it is recorded, whether it is counted, and its thread.
pub const COMMON: [Field; 3] =
    [always("recorded"), always("counted"), Field { name: "env_id", recorded: Always, counted: No(SUMS) }];

const ARENA: &[Field] = &[no("arena_id", ARENAS), no("arena_name", ARENAS)];
const REFERENCE: &[Field] = &[no("obj_id", REFERENCES), no("ref_id", REFERENCES)];
const RAW_MONITOR: &[Field] = &[no("name", RAW), no("id", RAW)];
const MONITOR: &[Field] = &[no("object", NO_IDENTITY)];
const WAIT: &[Field] = &[no("object", NO_IDENTITY), no("timeout", NO_WAITS)];
const COMPILED: &[Field] = &[
    no("method_id", NO_COMPILER),
    no("code_size", NO_COMPILER),
    no("code", NO_COMPILER),
    no("lineno_table_size", NO_COMPILER),
    no("lineno_table", NO_COMPILER),
];
const ENTRY: &[Field] = &[
    always("method_id"),
    no("obj_id", NO_IDENTITY),
    of_arcs("receiver_class"),
    Field { name: "depth", recorded: Always, counted: No(NO_DEPTH) },
];

/// All events.
pub const EVENTS: &[Event] = &[
    Event {
        name: "ClassLoad",
        text: "A class is loaded. Recorded is the list of classes, with their files, not when each was loaded.",
        recorded: Always,
        counted: Always,
        fields: &[
            always("class_id"),
            always("class_name"),
            always("source_name"),
            always("num_interfaces"),
            always("num_methods"),
            always("methods"),
            always("num_static_fields"),
            always("statics"),
            always("num_instance_fields"),
            always("instances"),
            always("super"),
            always("content_hash"),
            always("known"),
            no("loader", NO_LOADERS),
            no("module", NO_LOADERS),
        ],
        is_dropped: false,
    },
    Event {
        name: "ClassLoadHook",
        text: "The bytes of a class file, before the drill changes them.",
        recorded: Always,
        counted: Always,
        fields: &[always("class_data_len"), always("class_data")],
        is_dropped: false,
    },
    unknown("ClassUnload", "A class is unloaded.", &[no("class_id", NO_UNLOADS)], NO_UNLOADS),
    of_code("MethodEntry", "A method begins.", ENTRY),
    of_code("MethodEntry2", "A method begins, in *J with the object that it is called on.", ENTRY),
    of_code(
        "MethodExit",
        "A method ends, by a return or by an exception (`thrown`).",
        &[always("method_id"), always("thrown")],
    ),
    of_code("Block", "A basic block begins to run.", &[always("method_id"), always("block")]),
    of_code(
        "InstructionStart",
        "An instruction begins to run: all of a block, in their order.",
        &[
            always("method_id"),
            always("offset"),
            always("is_true"),
            no("key", NO_VALUES),
            always("low"),
            always("hi"),
            always("chosen_pair_index"),
            always("pairs_total"),
        ],
    ),
    of_code(
        "Call",
        "A call is made.",
        &[
            always("method_id"),
            always("site"),
            Field { name: "callee_id", recorded: Always, counted: Calls },
            of_arcs("receiver_class"),
        ],
    ),
    of_code(
        "Branch",
        "A branch or a switch takes a way.",
        &[always("method_id"), always("site"), always("way")],
    ),
    of_code(
        "ObjectAlloc",
        "An instruction makes an object or an array. `class_id` is that of the instruction.",
        &[
            always("method_id"),
            always("site"),
            always("class_id"),
            always("is_array"),
            Field { name: "size", recorded: No(NO_SIZES), counted: Calls },
            no("length", NO_LENGTHS),
            no("obj_id", NO_IDENTITY),
            no("arena_id", ARENAS),
        ],
    ),
    unknown(
        "VMObjectAlloc",
        "Native code or reflection makes an object.",
        &[no("class_id", NO_ALLOCATIONS), no("size", NO_ALLOCATIONS), no("obj_id", NO_IDENTITY)],
        NO_ALLOCATIONS,
    ),
    unknown(
        "AllocSample",
        "An object was made that a sample of allocations has.",
        &[no("class_id", NO_ALLOCATIONS), no("size", NO_ALLOCATIONS), no("obj_id", NO_IDENTITY)],
        NO_ALLOCATIONS,
    ),
    unknown("ObjectFree", "An object is freed.", &[no("obj_id", NO_IDENTITY)], NO_HEAP),
    unknown("GCStart", "A garbage collection begins.", &[], NO_GC),
    unknown(
        "GCFinish",
        "A garbage collection ends.",
        &[no("used_objects", NO_GC), no("used_object_space", NO_GC), no("total_object_space", NO_GC)],
        NO_GC,
    ),
    of_code(
        "MonitorEnter",
        "An instruction `monitorenter` runs, whether or not it waits.",
        &[always("method_id"), always("site"), no("obj_id", NO_IDENTITY)],
    ),
    unknown("MonitorContendedEnter", "A thread begins to wait for a monitor.", MONITOR, NO_WAITS),
    unknown("MonitorContendedEntered", "A thread that waited has the monitor.", MONITOR, NO_WAITS),
    unknown("MonitorWait", "A thread begins to wait in `Object.wait`.", WAIT, NO_WAITS),
    unknown("MonitorWaited", "A thread ends to wait in `Object.wait`.", WAIT, NO_WAITS),
    unknown(
        "ThreadStart",
        "A thread begins.",
        &[
            no("thread_name", NO_THREADS),
            no("group_name", NO_THREADS),
            no("parent_name", NO_THREADS),
            no("thread_id", NO_THREADS),
            no("thread_env_id", NO_THREADS),
        ],
        NO_THREADS,
    ),
    unknown("ThreadEnd", "A thread ends.", &[], NO_THREADS),
    unknown("CompiledMethodLoad", "The compiler has code for a method.", COMPILED, NO_COMPILER),
    unknown("CompiledMethodUnload", "The compiler throws code of a method away.", COMPILED, NO_COMPILER),
    unknown("JVMInitDone", "The JVM is ready.", &[], NO_LIFE),
    unknown("JVMShutDown", "The JVM ends.", &[], NO_LIFE),
    dropped("ArenaNew", "A part of the heap is made.", ARENA, ARENAS),
    dropped("ArenaDelete", "A part of the heap is given up.", ARENA, ARENAS),
    dropped(
        "ObjectMove",
        "An object is moved.",
        &[no("arena_id", ARENAS), no("obj_id", ARENAS), no("new_arena_id", ARENAS), no("new_obj_id", ARENAS)],
        ARENAS,
    ),
    dropped("ObjectDump", "An object is dumped.", &[no("data_len", DUMPS), no("data", DUMPS)], DUMPS),
    dropped("HeapDump", "The heap is dumped.", &[], DUMPS),
    dropped(
        "MonitorDump",
        "The monitors are dumped.",
        &[no("data_len", DUMPS), no("data", DUMPS), no("num_traces", DUMPS), no("traces", DUMPS)],
        DUMPS,
    ),
    dropped("MonitorContendedExit", "A thread gives back a monitor for which others wait.", MONITOR, NO_EXIT),
    dropped("RawMonitorContendedEnter", "A thread begins to wait for a raw monitor.", RAW_MONITOR, RAW),
    dropped("RawMonitorContendedEntered", "A thread that waited has the raw monitor.", RAW_MONITOR, RAW),
    dropped("RawMonitorContendedExit", "A thread gives back a raw monitor.", RAW_MONITOR, RAW),
    dropped("JNIGlobalrefAlloc", "Native code makes a reference.", REFERENCE, REFERENCES),
    dropped("JNIGlobalrefFree", "Native code gives up a reference.", REFERENCE, REFERENCES),
    dropped("JNIWeakGlobalrefAlloc", "Native code makes a weak reference.", REFERENCE, REFERENCES),
    dropped("JNIWeakGlobalrefFree", "Native code gives up a weak reference.", REFERENCE, REFERENCES),
    dropped("DataDumpRequest", "A dump is asked for.", &[], REQUESTS),
    dropped("DataResetRequest", "Data are to be thrown away.", &[], REQUESTS),
];

impl Event {
    /// All fields, those of every event first.
    pub fn all_fields(&self) -> impl Iterator<Item = &Field> + '_ {
        COMMON.iter().chain(self.fields)
    }

    /// The number of the event with a name.
    #[must_use]
    pub fn number(name: &str) -> Option<usize> {
        EVENTS.iter().position(|event| event.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The events of \*J, by the interface that it used.
    const STARJ: usize = 37;
    /// Events that \*J did not have.
    const OURS: [&str; 6] = ["Block", "Call", "Branch", "VMObjectAlloc", "AllocSample", "MonitorEnter"];

    #[test]
    fn names_are_unique_and_those_of_starj_are_complete() {
        let names: BTreeSet<_> = EVENTS.iter().map(|event| event.name).collect();
        assert_eq!(names.len(), EVENTS.len());
        assert_eq!(EVENTS.len(), STARJ + OURS.len());
        for event in EVENTS {
            let fields: BTreeSet<_> = event.all_fields().map(|field| field.name).collect();
            assert_eq!(fields.len(), event.all_fields().count(), "{}", event.name);
            assert!(fields.len() <= 32, "{}", event.name);
            // An event of JVMPI alone has a reason, and no drill has it.
            assert!(!event.is_dropped || matches!((event.recorded, event.counted), (No(_), No(_))));
        }
    }

    #[test]
    fn fields_of_an_event_that_no_drill_has_are_in_no_drill_either() {
        for event in EVENTS.iter().filter(|event| matches!(event.recorded, No(_))) {
            assert!(event.fields.iter().all(|field| matches!(field.recorded, No(_))), "{}", event.name);
        }
    }
}
