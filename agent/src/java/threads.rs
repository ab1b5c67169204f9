//! Ids of threads.

use super::with_env_of_program;
use crate::jvm::ObjectRef;
use jni::errors::Error;
use jni::ids::JFieldID;
use jni::objects::JObject;
use jni::signature::{JavaType, Primitive};
use jni::{Env, jni_sig, jni_str};
use jvmti_bindings::callbacks::{CallbackContext, ThreadEvent};
use std::sync::OnceLock;

/// The field of a thread's id, once it was asked for.
static THREAD_ID: OnceLock<JFieldID> = OnceLock::new();

/// The id of a thread from its field, for a callback within `monitorenter`. Functions of JNI that look for exceptions would take a
/// `Thread.stop` from another thread as one of the instruction, which compiled code does not expect. `None` until
/// [`thread_id`] was called once.
///
/// # Safety
/// `env` must be the calling thread's, and the reference one to a thread.
pub unsafe fn id_within_monitor(
    env: *mut jvmti_bindings::sys::jni::JNIEnv,
    thread: ObjectRef<'_>,
) -> Option<u64> {
    let field = THREAD_ID.get()?.into_raw();
    // SAFETY: a live environment, by the contract above.
    let functions = unsafe { *env };
    // SAFETY: a live environment has its table of functions.
    let get_long_field = unsafe { (*functions).GetLongField };
    // SAFETY: the object is a thread, by the contract above, and its class has this field of this type.
    let id = unsafe { get_long_field(env, thread.raw().cast(), field.cast()) };
    Some(id as u64)
}

/// The id of a thread, from the field of `Thread` itself: `getId` can be overridden, and a subclass can have
/// a field of the same name.
pub fn thread_id(env: &mut Env<'_>, thread: &JObject<'_>) -> Result<u64, Error> {
    let field = match THREAD_ID.get() {
        Some(field) => *field,
        None => *THREAD_ID.get_or_init({
            let found = env.get_field_id(jni_str!("java/lang/Thread"), jni_str!("tid"), jni_sig!("J"))?;
            move || found
        }),
    };
    // SAFETY: the object is a thread, and its class has this field of this type.
    let id = unsafe { env.get_field_unchecked(thread, field, JavaType::Primitive(Primitive::Long)) }?;
    Ok(id.j()? as u64)
}

/// Like [`thread_id`], for a reference from the JVM TI.
///
/// # Safety
/// The reference must be one to a thread.
pub unsafe fn id_of_thread(env: &mut Env<'_>, thread: ObjectRef<'_>) -> Result<u64, Error> {
    // SAFETY: an `ObjectRef` is live; this one is dropped before it ends, and dropping deletes nothing.
    let thread = unsafe { JObject::from_raw(env, thread.raw().cast()) };
    thread_id(env, &thread)
}

/// The id of the thread that an event is about.
pub fn thread_of(context: &CallbackContext<'_>, event: &ThreadEvent) -> Option<u64> {
    let with_thread = |env: &mut Env<'_>| {
        // SAFETY: the callback's argument is live until the callback returns.
        let thread = unsafe { ObjectRef::new(event.thread().cast()) };
        // SAFETY: what this callback is called with is a thread.
        unsafe { id_of_thread(env, thread) }
    };
    // SAFETY: the callback runs on the thread whose environment this is.
    unsafe { with_env_of_program(context.jni()?.raw().cast(), with_thread) }.ok()
}
