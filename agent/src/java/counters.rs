//! The class of the counters in a JVM, and what a drill asks of the JVM's threads and class loaders.

use super::{
    OVERFLOW, class_of, core_class, define, finds, functions, in_program, rename, sizes, with_address,
};
use crate::arenas::{Arenas, Table};
use crate::jvm::{Jvm, ObjectRef};
use jni::errors::Error;
use jni::objects::{JByteArray, JLongArray, JObject};
use jni::refs::Global;
use jni::strings::JNIStr;
use jni::{Env, JValue, JavaVM, jni_sig, jni_str};
use spl_bytecode::names::{ARCS_CLASS, COUNTERS_CLASS};
use spl_model::Clock;
use spl_model::arena::{STACK, Timed};
use std::time::Duration;

const COUNTERS_NAME: &JNIStr = jni_str!("java/lang/SplCounters");
const TRACE_NAME: &JNIStr = jni_str!("java/lang/SplTrace");

const ROOTS_MAGIC: i64 = 0x5350_4c00_0000_0004;
const FIRST_MAGIC: i64 = 0x5350_4c00_0000_0005;
const SHARED_MAGIC: i64 = 0x5350_4c00_0000_0006;
const NOBODYS_MAGIC: i64 = 0x5350_4c00_0000_0007;
const SHARED_RING_MAGIC: i64 = 0x5350_4c00_0000_0008;
const LAYOUT_MAGIC: i64 = 0x5350_4c00_0000_0009;

/// A virtual thread counts in its carrier's arena.
const CURRENT_THREAD: &str = "currentThread";
const CURRENT_CARRIER: &str = "currentCarrierThread";
const CARRIERS_SINCE: u32 = 21;

const PLATFORM_LOADER: &str = "jdk/internal/loader/ClassLoaders$PlatformClassLoader";
const APP_LOADER: &str = "jdk/internal/loader/ClassLoaders$AppClassLoader";

/// The threads that carry virtual ones (JDK 21 and later). The first of them begins before the first virtual
/// thread runs.
const CARRIER_THREAD: &str = "jdk/internal/misc/CarrierThread";

/// Why a class of a strange loader does not count.
pub const NO_COUNTERS: &str =
    "its class loader does not find the agent's classes java.lang.SplCounters and java.lang.SplFlags";

/// Beginnings of names that only classes of the JDK have. Classes that the JDK makes while it runs have class
/// loaders of their own.
const JDK_PACKAGES: [&str; 5] = ["java/", "jdk/internal/", "sun/", "com/sun/proxy/", "jdk/proxy"];

/// The class that counts edges, defined when the first drill begins.
const COUNTERS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplCounters.class"));

/// The same class, whose methods add atomically.
const ATOMIC_COUNTERS: &[u8] =
    include_bytes!(concat!(env!("OUT_DIR"), "/virtual/java/lang/SplCounters.class"));

/// The class that lets the calls of roots count apart, defined with that of the counters.
const ROOTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplRoots.class"));

/// The class that counts arcs of the call graph, defined with that of the counters.
const ARCS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplArcs.class"));

/// The same class, whose methods look again where a thread counts.
const ARCS_AGAIN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/virtual/java/lang/SplArcs.class"));

/// The class that adds up durations of calls, defined with that of the counters.
const TIMES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplTimes.class"));

/// The class that writes traces, defined with that of the counters.
const TRACE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplTrace.class"));

/// Longest time in which a probe's cost is measured, when a drill of durations begins.
const CALIBRATION: Duration = Duration::from_millis(100);
/// Calls after which the JVM has compiled a method, and the longest time for them, where it compiles nothing.
const WARM_ROUNDS: i32 = 12_000;
const MOST_WARM_NS: i64 = 30_000_000;
/// The first of some counters that no method has, because numbers grow from 0 on: the words right before the stack.
const UNUSED: i32 = (STACK / 8) as i32 - 16;
const _: () = assert!(Timed::WORDS <= 16);

/// The class of the flags, defined when the first drill begins that sets them.
const FLAGS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplFlags.class"));

/// The class loader of a class, as far as it is known without a call of Java code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loader {
    /// One of the JDK's two for its own classes.
    Jdk,
    /// The JDK's loader of the class path.
    ClassPath,
    /// Any other.
    Other,
}

impl Loader {
    /// The kind of a loader; null is the boot loader.
    pub fn of(env: &mut Env<'_>, jvm: &Jvm, loader: ObjectRef<'_>) -> Self {
        if loader.raw().is_null() {
            return Self::Jdk;
        }
        match class_of(env, jvm, loader).as_deref() {
            Some(PLATFORM_LOADER) => Self::Jdk,
            Some(APP_LOADER) => Self::ClassPath,
            _ => Self::Other,
        }
    }

    /// Whether a class of this loader is one of the JDK's. `name` is its name, with slashes.
    pub fn has_of_jdk(self, name: &str) -> bool {
        self == Self::Jdk || JDK_PACKAGES.iter().any(|package| name.starts_with(package))
    }

    /// Whether its classes find the class of the counters, or with `cover` that of the flags, and that of stack overflows: where the stack has
    /// overflowed, no code of a loader may have to run. A loader that is not the JDK's is called, so this is for the agent thread. `loader`
    /// is the loader whose kind this is.
    pub fn finds_counters(self, env: &mut Env<'_>, loader: ObjectRef<'_>, cover: bool) -> bool {
        if self != Self::Other {
            return true;
        }
        // SAFETY: an `ObjectRef` is live; this one is dropped before it ends, and dropping deletes nothing.
        let loader = unsafe { JObject::from_raw(env, loader.raw().cast()) };
        let counting = if cover {
            ("java.lang.SplFlags", jni_str!("java/lang/SplFlags"))
        } else {
            ("java.lang.SplCounters", COUNTERS_NAME)
        };
        [counting, OVERFLOW]
            .into_iter()
            .all(|(name, internal)| finds(env, &loader, name, internal).unwrap_or(false))
    }
}

/// Class files by their names.
pub type ClassFiles = [(&'static str, Vec<u8>); 2];

/// Defines and initialises the classes of the counters, of the roots, of the arcs, of the durations and of traces. Gives the class files of the
/// counters and of arcs for virtual threads: when the first of these comes, the heap may be full.
pub fn install(env: &mut Env<'_>, jvm: &Jvm, arenas: &Arenas) -> Result<ClassFiles, Error> {
    let jdk = jvm.feature_release();
    let counting = |class: &[u8]| {
        Ok::<_, Error>(for_carriers(&with_address(class, SHARED_MAGIC, arenas.shared_address())?, jdk))
    };
    // The others look at its table.
    let class = define(env, &counting(COUNTERS)?)?;
    env.get_static_method_id(&class, jni_str!("counted"), jni_sig!("(I)J"))?;
    let table = env.get_static_field(&class, jni_str!("ARENAS"), jni_sig!("[J"))?.l()?;
    let table = env.cast_local::<JLongArray<'_>>(table)?;
    arenas.lead_by(InJvm { vm: env.get_java_vm()?, table: env.new_global_ref(table)? });
    let roots = with_address(ROOTS, ROOTS_MAGIC, arenas.roots_address())?;
    let roots = with_address(&roots, NOBODYS_MAGIC, arenas.nobodys_address())?;
    let roots = define(env, &with_address(&roots, FIRST_MAGIC, arenas.first_of_roots())?)?;
    env.get_static_method_id(&roots, jni_str!("begin"), jni_sig!("(I)J"))?;
    let layout = sizes::layout(jvm, env)?;
    let arcs_of = |class: &[u8]| counting(&with_address(class, LAYOUT_MAGIC, layout)?);
    let arcs = define(env, &arcs_of(ARCS)?)?;
    env.get_static_method_id(&arcs, jni_str!("arena"), jni_sig!("()J"))?;
    let times = with_address(TIMES, ROOTS_MAGIC, arenas.roots_address())?;
    let times = define(env, &with_address(&times, SHARED_MAGIC, arenas.shared_address())?)?;
    env.get_static_method_id(&times, jni_str!("enter"), jni_sig!("(I)J"))?;
    let trace = with_address(TRACE, ROOTS_MAGIC, arenas.roots_address())?;
    let trace = define(env, &with_address(&trace, SHARED_RING_MAGIC, arenas.shared_ring())?)?;
    env.get_static_method_id(&trace, jni_str!("enter"), jni_sig!("(I)J"))?;
    Ok([(COUNTERS_CLASS, counting(ATOMIC_COUNTERS)?), (ARCS_CLASS, arcs_of(ARCS_AGAIN)?)])
}

/// Number of counts and words of traces for which a stack overflow left no room, since it was cleared.
pub fn uncounted(env: &mut Env<'_>) -> Result<u32, Error> {
    let mut times = 0_u32;
    for class in [COUNTERS_NAME, TRACE_NAME] {
        let class = core_class(env, class)?;
        let of_class = env.get_static_field(&class, jni_str!("uncounted"), jni_sig!("I"))?.i()?;
        times = times.saturating_add(of_class.cast_unsigned());
    }
    Ok(times)
}

/// Begins to count that from 0.
pub fn clear_uncounted(env: &mut Env<'_>) -> Result<(), Error> {
    [COUNTERS_NAME, TRACE_NAME].into_iter().try_for_each(|class| {
        let class = core_class(env, class)?;
        env.set_static_field(&class, jni_str!("uncounted"), jni_sig!("I"), JValue::Int(0))
    })
}

/// Lets the JVM compile what counts, in the agent's thread, which calls this.
pub fn warm_counters(env: &mut Env<'_>) -> Result<(), Error> {
    let (name, signature) = (jni_str!("warm"), jni_sig!("(IIJ)V"));
    let arguments = [JValue::Int(UNUSED), JValue::Int(WARM_ROUNDS), JValue::Long(MOST_WARM_NS)];
    let class = core_class(env, COUNTERS_NAME)?;
    env.call_static_method(&class, name, signature, &arguments)?.v()
}

/// Lets the JVM compile what writes traces, in the agent's thread, which calls this.
pub fn warm_trace(env: &mut Env<'_>) -> Result<(), Error> {
    let (name, signature) = (jni_str!("warm"), jni_sig!("(IJ)V"));
    let arguments = [JValue::Int(WARM_ROUNDS), JValue::Long(MOST_WARM_NS)];
    let class = core_class(env, TRACE_NAME)?;
    env.call_static_method(&class, name, signature, &arguments)?.v()
}

/// Measures what a probe of durations costs, in the arena of the agent's thread, which calls this.
pub fn calibrate(env: &mut Env<'_>, clock: Clock) -> Result<(), Error> {
    let nanoseconds = CALIBRATION.as_nanos() as i64;
    let arguments = [JValue::Int(UNUSED), JValue::Bool(clock == Clock::Four), JValue::Long(nanoseconds)];
    let (name, signature) = (jni_str!("calibrate"), jni_sig!("(IZJ)V"));
    let class = core_class(env, jni_str!("java/lang/SplTimes"))?;
    env.call_static_method(&class, name, signature, &arguments)?.v()
}

/// The table of the class of the counters.
#[derive(Debug)]
struct InJvm {
    vm: JavaVM,
    table: Global<JLongArray<'static>>,
}

impl Table for InJvm {
    fn lead(&self, slot: usize, address: u64) {
        let store = |env: &mut Env<'_>| {
            let (table, value) = (self.table.as_raw(), address.cast_signed());
            // `set_region` would clear an exception that comes from outside, such as that of `Thread.stop`.
            // SAFETY: each JVM has the functions of JNI 1.1.
            let set_long_array_region = unsafe { functions(env).v1_1.SetLongArrayRegion };
            // SAFETY: no exception is pending; the table is an array of longs, whose index the JVM checks; there is one value.
            unsafe { set_long_array_region(env.get_raw(), table, slot as i32, 1, &raw const value) };
            Ok(())
        };
        // A thread that could not be led to its arena counts where all others do, and its methods are marked.
        let _ = self.vm.with_top_local_frame(|env| in_program(env, store));
    }
}

/// A class whose methods count for a thread, as this JDK needs it.
fn for_carriers(class: &[u8], jdk: u32) -> Vec<u8> {
    if jdk >= CARRIERS_SINCE { rename(class, CURRENT_THREAD, CURRENT_CARRIER) } else { class.to_vec() }
}

/// The flags of the program.
#[derive(Debug)]
pub struct Flags(Global<JByteArray<'static>>);

impl Flags {
    /// Defines and initialises the class of the flags.
    pub fn install(env: &mut Env<'_>) -> Result<Self, Error> {
        let class = define(env, FLAGS)?;
        let set = env.get_static_field(&class, jni_str!("SET"), jni_sig!("[B"))?.l()?;
        let set = env.cast_local::<JByteArray<'_>>(set)?;
        Ok(Self(env.new_global_ref(set)?))
    }

    /// Takes the first `count` flags back. A call that is under way may set them again.
    pub fn clear(&self, env: &mut Env<'_>, count: usize) -> Result<(), Error> {
        self.0.set_region(env, 0, &vec![0; count])
    }

    /// The first flags, as many as `out` has room for; 0 for one that is not set.
    pub fn read(&self, env: &mut Env<'_>, out: &mut [i8]) -> Result<(), Error> {
        self.0.get_region(env, 0, out)
    }
}

/// Whether a thread carries virtual threads.
pub fn is_carrier(env: &mut Env<'_>, jvm: &Jvm, thread: ObjectRef<'_>) -> bool {
    class_of(env, jvm, thread).as_deref() == Some(CARRIER_THREAD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::java::long_entry;

    #[test]
    fn the_class_of_arcs_gets_its_addresses_and_the_layout_of_arrays() {
        let count = |class: &[u8], entry: &[u8]| class.windows(entry.len()).filter(|b| *b == entry).count();
        for class in [ARCS, ARCS_AGAIN] {
            let mut class = class.to_vec();
            for (constant, value) in [(SHARED_MAGIC, 1), (LAYOUT_MAGIC, 2)] {
                assert_eq!(count(&class, &long_entry(constant)), 1, "{constant:#x}");
                class = with_address(&class, constant, value).unwrap();
            }
            // The compiler has not folded an expression of them.
            assert_eq!(count(&class, &long_entry(LAYOUT_MAGIC)[..3]), 0);
        }
    }
}
