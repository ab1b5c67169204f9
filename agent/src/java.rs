//! The agent's Java side through JNI: defines the probe class, warms it, makes the agent's thread object.

pub mod counters;
mod exceptions;
mod heap;
pub mod numbers;
pub mod sizes;
mod threads;

pub use exceptions::know_exceptions;
pub use heap::{has_room, used_memory};
pub use threads::{id_of_thread, id_within_monitor, thread_id, thread_of};

use crate::jvm::{ClassRef, Jvm, ObjectRef};
use crate::layout::OWN_GATE;
use crate::sys;
use jni::errors::Error;
use jni::objects::{JClass, JClassLoader, JObject, JString, JThrowable, JValue};
use jni::refs::{Global, Weak};
use jni::strings::JNIStr;
use jni::{
    AttachConfig, DEFAULT_LOCAL_FRAME_CAPACITY, Env, EnvOutcome, EnvUnowned, JavaVM, Outcome, jni_sig,
    jni_str,
};
use spl_model::InstrumentId;
use std::ffi::{CStr, c_void};

/// `Unsafe.getReference` and its name before JDK 12. Every other JDK member in use is the same from 11 to 25.
const GET_REFERENCE: &str = "getReference";
const GET_OBJECT: &str = "getObject";
const GET_REFERENCE_SINCE: u32 = 12;

const GATES_MAGIC: i64 = 0x5350_4c00_0000_0001;
const BLOCKS_MAGIC: i64 = 0x5350_4c00_0000_0002;
/// Enough rounds for HotSpot's last compiler (`Tier4InvocationThreshold` is 5,000) on both sides of the gate.
const WARM_ROUNDS: i32 = 30_000;
/// Calls of one calibration: fewer than a ring has slots, so that none is dropped.
const COST_CALLS: i32 = 1000;
/// The agent's own gate.
const OWN_ID: i32 = OWN_GATE.0 as i32;

/// The class that the code of measured methods calls. It must exist when the program starts, because the code
/// may have been rewritten beforehand (`spl instrument`).
const PROBE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplProbe.class"));

/// The interface of the program's arguments. It is defined before a class of this name is loaded from the
/// class path.
const COMPUTABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/java/spl/size/Computable.class"));

/// The interfaces of size processors, defined when the first controller connects.
const INTERFACES: [&[u8]; 4] = [
    include_bytes!(concat!(env!("OUT_DIR"), "/java/spl/size/ScaleBase.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/spl/size/SizeAggregator.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/spl/size/MethodSize.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/spl/size/SizeProcessor.class")),
];

/// The class that the probe calls behind open gates only. Its helpers, [`REST`], know the JDK and compute
/// workload sizes.
const RECORDER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplRecorder.class"));

/// Helpers of [`RECORDER`]. Each class comes after the classes that it names.
const REST: [&[u8]; 14] = [
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplJdk.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplProcessors$Installed.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplProcessors$Kept.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplProcessors$Known.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplProcessors$Loader.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplProcessors$Loading.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplProcessors$Patience.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplProcessors.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplLengths$Field.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplLengths.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplSizes$Layout.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplSizes$Layouts.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplSizes$Visit.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplSizes.class")),
];

/// Runs `f` with the thread's JNI environment. A pending exception is cleared afterwards, because it must not
/// reach the program.
///
/// # Safety
/// `raw` must be the JNI environment of the calling thread.
pub unsafe fn with_env<T>(
    raw: *mut c_void,
    f: impl FnOnce(&mut Env<'_>) -> Result<T, Error>,
) -> Result<T, String> {
    // SAFETY: the environment is the calling thread's, by the contract above, and is used by this thread
    // alone until it returns.
    let mut unowned = unsafe { EnvUnowned::from_raw(raw.cast()) };
    let outcome: EnvOutcome<'_, T, Error> = unowned.with_env(|env| {
        let result = f(env);
        if env.exception_check() {
            env.exception_clear();
        }
        result
    });
    value(outcome)
}

/// Runs `f`, which throws nothing by itself, in a callback on a thread of the program. An exception from outside stays pending, such as
/// that of `Thread.stop`: it belongs to the program. HotSpot may make it pending at the end of any JNI function.
///
/// # Safety
/// As for [`with_env`].
pub unsafe fn with_env_of_program<T>(
    raw: *mut c_void,
    f: impl Fn(&mut Env<'_>) -> Result<T, Error>,
) -> Result<T, String> {
    // SAFETY: as in `with_env`.
    let mut unowned = unsafe { EnvUnowned::from_raw(raw.cast()) };
    value(unowned.with_env(|env| in_program(env, f)))
}

/// Runs `f` as [`with_env_of_program`] does.
fn in_program<T>(env: &mut Env<'_>, f: impl Fn(&mut Env<'_>) -> Result<T, Error>) -> Result<T, Error> {
    let mut outside = taken(env);
    let mut result = f(env);
    if let Some(thrown) = taken(env) {
        outside = Some(thrown);
        result = f(env);
    }
    if let Some(thrown) = taken(env).or(outside) {
        // This call answers with an error, as an exception is pending afterwards.
        let _ = env.throw(thrown);
    }
    result
}

/// Takes the pending exception away.
fn taken<'local>(env: &mut Env<'local>) -> Option<JThrowable<'local>> {
    let thrown = env.exception_occurred();
    if thrown.is_some() {
        env.exception_clear();
    }
    thrown
}

fn value<T>(outcome: EnvOutcome<'_, T, Error>) -> Result<T, String> {
    match outcome.into_outcome() {
        Outcome::Ok(value) => Ok(value),
        Outcome::Err(error) => Err(error.to_string()),
        Outcome::Panic(_) => Err("a panic in the agent's JNI code".to_owned()),
    }
}

/// Turns a thread unknown to Java into a Java thread for a moment.
pub struct Entrance {
    vm: JavaVM,
    group: Global<JObject<'static>>,
}

impl Entrance {
    /// An entrance for threads that join this thread group meanwhile.
    pub fn new(env: &mut Env<'_>, group: ObjectRef<'_>) -> Result<Self, Error> {
        // SAFETY: an `ObjectRef` is live; this one is dropped before it ends, and dropping deletes nothing.
        let group = unsafe { JObject::from_raw(env, group.raw().cast()) };
        Ok(Self { vm: env.get_java_vm()?, group: env.new_global_ref(&group)? })
    }

    /// The environment of the calling thread.
    ///
    /// # Safety
    /// `vm` must be the JVM, and the calling thread one of its threads already.
    ///
    /// # Errors
    /// When the JVM has no environment of this version.
    pub unsafe fn environment(vm: *mut c_void) -> Result<*mut c_void, String> {
        // SAFETY: it is the JVM, by the contract above.
        let vm = unsafe { JavaVM::from_raw(vm.cast()) };
        let raw = vm.attach_current_thread(|env| Ok(env.get_raw().cast::<c_void>()));
        raw.map_err(|error: Error| error.to_string())
    }

    /// Runs `f` as a Java thread. The program can see it meanwhile in lists of all threads, and the program's
    /// end waits for `f`.
    pub fn enter<T>(&self, f: impl FnOnce(&mut Env<'_>) -> Result<T, Error>) -> Result<T, String> {
        let config = || AttachConfig::new().scoped(true).thread_name(jni_str!("spl-link")).group(&self.group);
        let entered =
            self.vm.attach_current_thread_with_config(config, Some(DEFAULT_LOCAL_FRAME_CAPACITY), f);
        entered.map_err(|error: Error| error.to_string())
    }
}

/// Whether a copy of the agent has defined the probe class: this copy before, or a library of another path.
pub fn has_probe(env: &mut Env<'_>) -> bool {
    boot_class(env, c"java/lang/SplProbe").is_some()
}

/// Whether the JVM writes an archive of its classes (`-XX:AOTCacheOutput`, `-XX:AOTMode=record`).
pub fn archives_classes(env: &mut Env<'_>) -> Result<bool, Error> {
    let Some(class) = boot_class(env, c"jdk/internal/misc/CDS") else { return Ok(false) };
    env.call_static_method(class, jni_str!("isDumpingArchive"), jni_sig!("()Z"), &[])?.z()
}

/// A class of the JDK's core, if one has this name. JNI's `FindClass` goes through the program's class
/// loader, which takes much longer.
pub fn boot_class<'local>(env: &mut Env<'local>, name: &CStr) -> Option<JClass<'local>> {
    env.assert_top();
    // SAFETY: `env` is the calling thread's environment; there is no other way to have one.
    let class = unsafe { sys::boot_class(env.get_raw().cast(), name) };
    // SAFETY: null, or a local reference to a class, which the JVM has just made in the frame of `env`, as
    // asserted.
    let class = unsafe { JClass::from_raw(env, class.cast()) };
    (!class.is_null()).then_some(class)
}

/// The functions of JNI themselves, for calls behind which the crate `jni` would look for exceptions.
fn functions<'env>(env: &'env Env<'_>) -> &'env jni::sys::JNINativeInterface_ {
    // SAFETY: the environment of the calling thread, which is live.
    let functions = unsafe { *env.get_raw() };
    // SAFETY: a live environment has its table of functions.
    unsafe { &*functions }
}

/// A class of the JDK's core, or of the agent, also where the heap is full.
///
/// # Errors
/// When no class has this name.
fn core_class<'local>(env: &mut Env<'local>, name: &JNIStr) -> Result<JClass<'local>, Error> {
    boot_class(env, name.as_cstr()).ok_or(Error::NullPtr("a class of the JDK's core"))
}

/// Defines the probe class and the interface of arguments in the boot loader, and initialises the probe
/// class.
///
/// `gates` here and in [`install_rest`], and `blocks` there, are addresses that replace placeholder constants
/// in the classes.
pub fn install(env: &mut Env<'_>, gates: i64) -> Result<(), Error> {
    define(env, COMPUTABLE)?;
    let probe = define(env, &with_address(PROBE, GATES_MAGIC, gates)?)?;
    // Initialised here, where the stack has room: a class-file hook would recurse if it had to do it. JNI
    // initialises a class when a method id is looked up (Java Native Interface Specification,
    // GetStaticMethodID).
    env.get_static_method_id(&probe, jni_str!("enter"), jni_sig!("(I)I")).map(drop)
}

/// Defines and initialises the classes used behind open gates; no gate may be opened before. `jdk` is the
/// JVM's feature release, such as 17.
pub fn install_rest(env: &mut Env<'_>, gates: i64, blocks: i64, jdk: u32) -> Result<(), Error> {
    for interface in INTERFACES {
        define(env, interface)?;
    }
    for class in REST {
        let renamed = (jdk < GET_REFERENCE_SINCE).then(|| rename(class, GET_REFERENCE, GET_OBJECT));
        define(env, renamed.as_deref().unwrap_or(class))?;
    }
    let recorder = with_address(RECORDER, GATES_MAGIC, gates)?;
    let recorder = define(env, &with_address(&recorder, BLOCKS_MAGIC, blocks)?)?;
    env.get_static_method_id(&recorder, jni_str!("opened"), jni_sig!("(I)I"))?;
    // `SplLengths` looks up classes of the JDK when it is initialised. That must not happen in a thread of
    // the program, which may hold any lock or be near the end of its stack.
    let lengths = core_class(env, jni_str!("java/lang/SplLengths"))?;
    env.get_static_method_id(&lengths, jni_str!("of"), jni_sig!("(Ljava/lang/Object;)J"))?;
    forget_layouts(env)
}

/// The class name of an object, with slashes.
fn class_of(env: &mut Env<'_>, jvm: &Jvm, object: ObjectRef<'_>) -> Option<String> {
    // SAFETY: an `ObjectRef` is live; this one is dropped before it ends, and dropping deletes nothing.
    let object = unsafe { JObject::from_raw(env, object.raw().cast()) };
    let class = env.get_object_class(&object).ok()?;
    // SAFETY: a live local reference to a class, which is deleted after the call.
    let name = jvm.class_name(unsafe { ClassRef::new(class.as_raw().cast()) });
    env.delete_local_ref(class);
    name
}

/// Defines a class in the boot loader. The class file contains its name, so none is passed.
fn define<'local>(env: &mut Env<'local>, class: &[u8]) -> Result<JClass<'local>, Error> {
    env.define_class(None::<&JNIStr>, JClassLoader::null(), class)
}

/// Runs the probe until it is compiled, on both sides of the gate.
pub fn warm(env: &mut Env<'_>) -> Result<(), Error> {
    call_recorder(env, jni_str!("warm"), jni_sig!("(II)V"), WARM_ROUNDS).map(drop)
}

/// A class file of our own with another value for a long constant. The constant's bytes occur nowhere else in
/// it, which a test checks. The class file is not parsed: that would take a dormant agent as long as all its
/// other work on the bytes.
fn with_address(class: &[u8], constant: i64, value: i64) -> Result<Vec<u8>, Error> {
    let entry = long_entry(constant);
    let at = class.windows(entry.len()).position(|bytes| bytes == entry);
    let at = at.ok_or_else(|| Error::ParseFailed(format!("our own class has no constant {constant:#x}")))?;
    Ok([&class[..at], &long_entry(value), &class[at + entry.len()..]].concat())
}

/// `CONSTANT_Long_info` (JVMS 4.4.5).
fn long_entry(value: i64) -> [u8; 9] {
    const TAG: u8 = 5;
    let mut entry = [TAG; 9];
    entry[1..].copy_from_slice(&value.to_be_bytes());
    entry
}

/// A class file with one name replaced in its constant pool. Entries are found by number, so a longer or
/// shorter entry invalidates no reference (JVMS 4.4). Only for our own classes, in which the bytes of the
/// entry occur nowhere else; a test checks that.
fn rename(class: &[u8], from: &str, to: &str) -> Vec<u8> {
    let from = utf8_entry(from);
    match class.windows(from.len()).position(|bytes| bytes == from) {
        Some(at) => [&class[..at], &utf8_entry(to), &class[at + from.len()..]].concat(),
        None => class.to_vec(),
    }
}

/// `CONSTANT_Utf8_info` (JVMS 4.4.7) of an ASCII text.
fn utf8_entry(text: &str) -> Vec<u8> {
    const TAG: u8 = 1;
    [&[TAG][..], &(text.len() as u16).to_be_bytes(), text.as_bytes()].concat()
}

/// Nanoseconds that [`COST_CALLS`] measured calls of an empty method take, and the number of these calls.
pub fn cost(env: &mut Env<'_>) -> Result<(u64, u64), Error> {
    let took = call_recorder(env, jni_str!("cost"), jni_sig!("(II)J"), COST_CALLS)?.j()?;
    Ok((took.max(0) as u64, COST_CALLS as u64))
}

fn call_recorder<'local>(
    env: &mut Env<'local>,
    name: &JNIStr,
    signature: jni::signature::MethodSignature<'static, 'static>,
    times: i32,
) -> Result<jni::objects::JValueOwned<'local>, Error> {
    let arguments = [JValue::Int(OWN_ID), JValue::Int(times)];
    let class = core_class(env, jni_str!("java/lang/SplRecorder"))?;
    env.call_static_method(&class, name, signature, &arguments)
}

/// Drops the class layouts that workload sizes were computed from, so that no class is kept alive.
pub fn forget_layouts(env: &mut Env<'_>) -> Result<(), Error> {
    let class = core_class(env, jni_str!("java/lang/SplSizes"))?;
    env.call_static_method(&class, jni_str!("forget"), jni_sig!("()V"), &[])?;
    Ok(())
}

/// Sets the number of objects that the size `deep` visits for one argument.
pub fn set_visit_limit(env: &mut Env<'_>, objects: u32) -> Result<(), Error> {
    let limit = JValue::Int(i32::try_from(objects).unwrap_or(i32::MAX));
    let class = core_class(env, jni_str!("java/lang/SplSizes"))?;
    env.set_static_field(&class, jni_str!("visits"), jni_sig!("I"), limit)
}

/// Description of a method's size processor.
pub struct Processor<'a> {
    /// Permanent id of the method.
    pub id: InstrumentId,
    /// Its class name, with dots.
    pub name: &'a str,
    /// An additional JAR for the class, or nothing.
    pub jar: &'a str,
    /// Bytes of each primitive parameter of the method, 0 for a reference, as digits.
    pub widths: &'a str,
}

/// Prepares a size processor for the calls of a method in the class `owner`. If the default size is used
/// instead, returns the reason.
pub fn install_processor(
    env: &mut Env<'_>,
    owner: ClassRef<'_>,
    processor: &Processor<'_>,
) -> Result<Option<String>, Error> {
    // SAFETY: a `ClassRef` is live; this one is dropped before it ends, and dropping deletes nothing.
    let owner = unsafe { JObject::from_raw(env, owner.object().raw().cast()) };
    let [widths, name, jar] =
        [processor.widths, processor.name, processor.jar].map(|text| env.new_string(text));
    let (widths, name, jar) = (widths?, name?, jar?);
    let arguments = [
        JValue::Int(processor.id.0 as i32),
        JValue::Object(&owner),
        JValue::Object(&widths),
        JValue::Object(&name),
        JValue::Object(&jar),
    ];
    let signature = jni_sig!(
        "(ILjava/lang/Class;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;"
    );
    let problem = env.call_static_method(
        jni_str!("java/lang/SplProcessors"),
        jni_str!("install"),
        signature,
        &arguments,
    );
    let problem = problem?.l()?;
    if problem.is_null() {
        return Ok(None);
    }
    // SAFETY: a live local reference, as any result, taken over from its only owner; by its signature the
    // method returns a string.
    let problem = unsafe { JString::from_raw(env, problem.into_raw()) };
    problem.try_to_string(env).map(Some)
}

/// The text of a Java string.
///
/// # Safety
/// `string` must be a live local reference to a string.
pub unsafe fn text(env: &mut Env<'_>, string: jni::sys::jstring) -> Result<String, Error> {
    // SAFETY: a live reference to a string, by the contract above; it is not used after this returns, and
    // dropping deletes nothing.
    let string = unsafe { JString::from_raw(env, string) };
    string.try_to_string(env)
}

/// A `java.lang.Thread` for the agent's own thread.
pub fn thread_object<'local>(env: &mut Env<'local>) -> Result<JObject<'local>, Error> {
    let name = env.new_string("spl-agent")?;
    let arguments = [JValue::Object(&name)];
    let thread =
        env.new_object(jni_str!("java/lang/Thread"), jni_sig!("(Ljava/lang/String;)V"), &arguments)?;
    // The calling thread is a Java thread only temporarily and has no context class loader to inherit. Size
    // processors may need one.
    let system = jni_sig!("()Ljava/lang/ClassLoader;");
    let loader = env.call_static_method(
        jni_str!("java/lang/ClassLoader"),
        jni_str!("getSystemClassLoader"),
        system,
        &[],
    )?;
    let loader = loader.l()?;
    let set = jni_sig!("(Ljava/lang/ClassLoader;)V");
    env.call_method(&thread, jni_str!("setContextClassLoader"), set, &[JValue::Object(&loader)])?;
    Ok(thread)
}

/// A reference to a class that outlives the callback and lets the class be unloaded.
pub fn keep(env: &mut Env<'_>, class: ClassRef<'_>) -> Result<Weak<JClass<'static>>, Error> {
    // SAFETY: a `ClassRef` refers to a class and is live; this one is dropped before it ends, and dropping
    // deletes nothing.
    let class = unsafe { JClass::from_raw(env, class.object().raw().cast()) };
    env.new_weak_ref(&class)
}

/// Whether classes of a loader find the classes that the woven code names: the probe, and the errors that its
/// handlers catch. A loader that resolves names beginning with `java.` itself does not find them, and its
/// classes would throw `NoClassDefFoundError` into the program. From here on the JVM has cached the loader's
/// answer, so that a handler calls no Java code after a stack overflow. `loader` is the loader of a class;
/// null is the boot loader.
pub fn finds_probe(env: &mut Env<'_>, loader: ObjectRef<'_>) -> Result<bool, Error> {
    if loader.raw().is_null() {
        return Ok(true);
    }
    // SAFETY: an `ObjectRef` is live; this one is dropped before it ends, and dropping deletes nothing.
    let loader = unsafe { JObject::from_raw(env, loader.raw().cast()) };
    let names = [("java.lang.SplProbe", jni_str!("java/lang/SplProbe")), OVERFLOW];
    for (name, internal) in names {
        if !finds(env, &loader, name, internal)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The class of stack overflows, for [`finds`].
const OVERFLOW: (&str, &JNIStr) = ("java.lang.StackOverflowError", jni_str!("java/lang/StackOverflowError"));

/// Whether a loader finds the boot loader's class of this name.
fn finds(
    env: &mut Env<'_>,
    loader: &JObject<'_>,
    name: &str,
    internal: &'static JNIStr,
) -> Result<bool, Error> {
    let name = env.new_string(name)?;
    let arguments = [JValue::Object(&name), JValue::Bool(false), JValue::Object(loader)];
    let signature = jni_sig!("(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
    let found =
        env.call_static_method(jni_str!("java/lang/Class"), jni_str!("forName"), signature, &arguments);
    let found = match found {
        Ok(found) => found.l()?,
        Err(_) => {
            env.exception_clear();
            return Ok(false);
        }
    };
    let ours = env.find_class(internal)?;
    env.is_same_object(&found, &ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes() -> Vec<Vec<u8>> {
        REST.iter().chain([&PROBE, &RECORDER]).map(|class| class.to_vec()).collect()
    }

    /// The number of entries with this name in the classes' constant pools.
    fn entries(classes: &[Vec<u8>], name: &str) -> usize {
        let entry = utf8_entry(name);
        classes.iter().flat_map(|class| class.windows(entry.len())).filter(|bytes| *bytes == entry).count()
    }

    #[test]
    fn the_one_name_that_jdk_11_does_not_know_is_replaced() {
        let new = classes();
        let old: Vec<_> = new.iter().map(|class| rename(class, GET_REFERENCE, GET_OBJECT)).collect();
        assert_eq!((entries(&new, GET_REFERENCE), entries(&new, GET_OBJECT)), (2, 0));
        assert_eq!((entries(&old, GET_REFERENCE), entries(&old, GET_OBJECT)), (0, 2));
        assert_eq!(
            entries(&[PROBE.to_vec(), RECORDER.to_vec()], GET_REFERENCE),
            0,
            "these two are not renamed"
        );
        for (new, old) in new.iter().zip(&old) {
            let info = spl_bytecode::inspect(old);
            assert!(info.is_ok());
            assert_eq!(spl_bytecode::inspect(new), info);
        }
    }

    #[test]
    fn the_probe_classes_get_the_addresses_and_nothing_else_changes() {
        let count = |class: &[u8], entry: &[u8]| class.windows(entry.len()).filter(|b| *b == entry).count();
        for (class, constants) in [(PROBE, &[GATES_MAGIC][..]), (RECORDER, &[GATES_MAGIC, BLOCKS_MAGIC])] {
            let mut addressed = class.to_vec();
            for (&old, new) in constants.iter().zip([0x4100_0000, 0x4200_0000]) {
                let [old_entry, new_entry] = [old, new].map(long_entry);
                assert_eq!((count(&addressed, &old_entry), count(&addressed, &new_entry)), (1, 0));
                addressed = with_address(&addressed, old, new).unwrap();
                assert_eq!((count(&addressed, &old_entry), count(&addressed, &new_entry)), (0, 1));
            }
            // The compiler has not folded an expression of them either.
            assert_eq!(count(&addressed, &long_entry(GATES_MAGIC)[..3]), 0);
            assert_eq!(addressed.len(), class.len());
            assert_eq!(spl_bytecode::inspect(&addressed), spl_bytecode::inspect(class));
        }
    }

    /// See the comment on `SplRecorder`: HotSpot's limits, in bytes of code.
    #[test]
    fn c2_inlines_what_stands_behind_an_open_gate_and_c1_does_not() {
        let recorder = spl_bytecode::inspect(RECORDER).unwrap();
        let sizes = |name: &str| {
            let named = recorder.methods.iter().filter(move |method| method.name == name);
            named.map(|method| method.code_bytes.unwrap()).collect::<Vec<_>>()
        };
        assert_eq!([sizes("opened").len(), sizes("returned").len()], [1, 2]);
        for size in [sizes("opened"), sizes("returned")].concat() {
            assert!((32..=35).contains(&size), "{size} bytes");
        }
        for size in [sizes("open"), sizes("record")].concat() {
            assert!((36..=325).contains(&size), "{size} bytes");
        }
    }

    /// JDK 25 changed the return type of this method, and so its descriptor.
    #[test]
    fn no_member_is_used_that_differs_between_jdks() {
        assert_eq!(entries(&classes(), "arrayBaseOffset"), 0);
    }
}
