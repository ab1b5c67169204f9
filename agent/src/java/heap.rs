//! The program's heap, as the JVM says it.

use super::core_class;
use jni::errors::Error;
use jni::{Env, jni_sig, jni_str};

/// Least bytes of the heap that are free before the agent makes an object there. An object of a class has half of that at most.
const LEAST_ROOM: u64 = 1 << 20;

/// Bytes of the heap that are used now, as `Runtime` says: live objects, and garbage that no collection has found so far.
pub fn used_memory(env: &mut Env<'_>) -> Result<u64, Error> {
    memory(env).map(|(used, _)| used)
}

/// Whether the heap has room for an object of the agent: a program may have asked the JVM to end when there is none.
pub fn has_room(env: &mut Env<'_>) -> bool {
    memory(env).is_ok_and(|(used, most)| most.saturating_sub(used) >= LEAST_ROOM)
}

/// Used bytes of the heap, and as many as it may have.
fn memory(env: &mut Env<'_>) -> Result<(u64, u64), Error> {
    let class = core_class(env, jni_str!("java/lang/Runtime"))?;
    let runtime = env
        .call_static_method(&class, jni_str!("getRuntime"), jni_sig!("()Ljava/lang/Runtime;"), &[])?
        .l()?;
    let total = env.call_method(&runtime, jni_str!("totalMemory"), jni_sig!("()J"), &[])?.j()?;
    let free = env.call_method(&runtime, jni_str!("freeMemory"), jni_sig!("()J"), &[])?.j()?;
    let most = env.call_method(&runtime, jni_str!("maxMemory"), jni_sig!("()J"), &[])?.j()?;
    let bytes = |bytes: i64| u64::try_from(bytes).unwrap_or(0);
    Ok((bytes(total.saturating_sub(free)), bytes(most)))
}
