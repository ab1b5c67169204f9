//! The agent's Java side through JNI: defines the probe class, warms it, makes the agent's thread object.

use jni::errors::Error;
use jni::objects::{JClassLoader, JObject, JValue};
use jni::{Env, EnvOutcome, EnvUnowned, Outcome, jni_sig, jni_str};
use std::ffi::c_void;

/// Placeholder constants in `SplProbe` and the addresses that replace them.
pub struct Addresses {
    /// Of the gates.
    pub gates: i64,
    /// Of the blocks.
    pub blocks: i64,
}

const GATES_MAGIC: i64 = 0x5350_4c00_0000_0001;
const BLOCKS_MAGIC: i64 = 0x5350_4c00_0000_0002;
/// Enough for HotSpot's last compiler (`Tier4InvocationThreshold` is 5,000) on both sides of the gate.
const WARM_ROUNDS: i32 = 30_000;
/// Calls of one calibration: fewer than a ring has slots, so that none is dropped.
const COST_CALLS: i32 = 1000;
/// The agent's own gate.
const OWN_ID: i32 = 0;

/// The class files, named classes before those that use them.
const CLASSES: [&[u8]; 5] = [
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplSizes$Layout.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplSizes$Layouts.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplSizes$Visit.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplSizes.class")),
    include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplProbe.class")),
];

/// Runs `f` with the thread's JNI environment; an exception it leaves is cleared, because it must not reach the program.
///
/// # Safety
/// `raw` must be the JNI environment of the calling thread.
pub unsafe fn with_env<T>(
    raw: *mut c_void,
    f: impl FnOnce(&mut Env<'_>) -> Result<T, Error>,
) -> Result<T, String> {
    // SAFETY: forwarded to the caller.
    let mut unowned = unsafe { EnvUnowned::from_raw(raw.cast()) };
    let outcome: EnvOutcome<'_, T, Error> = unowned.with_env(|env| {
        let result = f(env);
        if env.exception_check() {
            env.exception_clear();
        }
        result
    });
    match outcome.into_outcome() {
        Outcome::Ok(value) => Ok(value),
        Outcome::Err(error) => Err(error.to_string()),
        Outcome::Panic(_) => Err("a panic in the agent's JNI code".to_owned()),
    }
}

/// Defines the probe's classes in the boot loader and initialises them.
pub fn install(env: &mut Env<'_>, addresses: &Addresses) -> Result<(), Error> {
    for class in CLASSES {
        let mut class = class.to_vec();
        let magic = [(GATES_MAGIC, addresses.gates), (BLOCKS_MAGIC, addresses.blocks)];
        if class.windows(8).any(|bytes| bytes == GATES_MAGIC.to_be_bytes()) {
            spl_bytecode::patch_longs(&mut class, &magic).map_err(|e| Error::ParseFailed(e.to_string()))?;
        }
        env.define_class(None::<&jni::strings::JNIStr>, JClassLoader::null(), &class)?;
    }
    call_probe(env, jni_str!("warm"), jni_sig!("(II)V"), WARM_ROUNDS).map(drop)
}

/// Nanoseconds that [`COST_CALLS`] measured calls of an empty method take, and the number of these calls.
pub fn cost(env: &mut Env<'_>) -> Result<(u64, u64), Error> {
    let took = call_probe(env, jni_str!("cost"), jni_sig!("(II)J"), COST_CALLS)?.j()?;
    Ok((took.max(0) as u64, COST_CALLS as u64))
}

fn call_probe<'local>(
    env: &mut Env<'local>,
    name: &jni::strings::JNIStr,
    signature: jni::signature::MethodSignature<'static, 'static>,
    times: i32,
) -> Result<jni::objects::JValueOwned<'local>, Error> {
    let arguments = [JValue::Int(OWN_ID), JValue::Int(times)];
    env.call_static_method(jni_str!("java/lang/SplProbe"), name, signature, &arguments)
}

/// Drops the class layouts that workload sizes were computed from, so that no class is kept alive.
pub fn forget_layouts(env: &mut Env<'_>) -> Result<(), Error> {
    env.call_static_method(jni_str!("java/lang/SplSizes"), jni_str!("forget"), jni_sig!("()V"), &[])?;
    Ok(())
}

/// A `java.lang.Thread` for the agent's own thread.
pub fn thread_object<'local>(env: &mut Env<'local>) -> Result<JObject<'local>, Error> {
    let name = env.new_string("spl-agent")?;
    let arguments = [JValue::Object(&name)];
    env.new_object(jni_str!("java/lang/Thread"), jni_sig!("(Ljava/lang/String;)V"), &arguments)
}

/// The id of a thread: its field, because `getId` can be overridden.
pub fn thread_id(env: &mut Env<'_>, thread: &JObject<'_>) -> Result<u64, Error> {
    let id = env.get_field(thread, jni_str!("tid"), jni_sig!("J"))?;
    Ok(id.j()? as u64)
}
