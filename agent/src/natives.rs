//! The native methods of the agent's Java classes.

use crate::agent::{JVM, SHARED};
use crate::fault;
use crate::java;
use crate::jvm::{ClassRef, ObjectRef};
use crate::shared::{Command, Shared};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// `SplSizes.bytes(Object)`. The JVM finds it by name: for classes of the boot loader it also searches the
/// libraries of its agents. A registration would make JDK 17 print a warning.
///
/// # Safety
/// To be called by the JVM only.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_java_lang_SplSizes_bytes(
    _: *mut jni::sys::JNIEnv,
    _: jni::sys::jclass,
    object: jni::sys::jobject,
) -> jni::sys::jlong {
    let bytes = || {
        fault::at("SplSizes.bytes");
        // SAFETY: the argument of a native method is live until the method returns.
        let object = unsafe { ObjectRef::new(object.cast()) };
        JVM.get().map_or(0, |jvm| jvm.object_bytes(object))
    };
    catch_unwind(bytes).unwrap_or_else(|_| {
        SHARED.get().inspect(|shared| shared.fail("SplSizes.bytes"));
        0
    })
}

/// `SplSizes.references(Class)`: null when the JVM does not say.
///
/// # Safety
/// To be called by the JVM only.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_java_lang_SplSizes_references(
    env: *mut jni::sys::JNIEnv,
    _: jni::sys::jclass,
    class: jni::sys::jclass,
) -> jni::sys::jstring {
    let names = || {
        fault::at("SplSizes.references");
        // SAFETY: the argument of a native method is live until the method returns; by its signature it is a
        // class.
        let class = unsafe { ClassRef::new(class.cast()) };
        let names = JVM.get()?.reference_fields(class)?.join("/");
        // SAFETY: the environment belongs to the calling thread.
        unsafe { java::with_env(env.cast(), |env| Ok(env.new_string(names)?.into_raw())) }.ok()
    };
    let names = catch_unwind(AssertUnwindSafe(names)).unwrap_or_else(|_| {
        SHARED.get().inspect(|shared| shared.fail("SplSizes.references"));
        None
    });
    names.unwrap_or(std::ptr::null_mut())
}

/// `SplProcessors.label(String)`: a size processor gave a label for the first time.
///
/// # Safety
/// To be called by the JVM only.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_java_lang_SplProcessors_label(
    env: *mut jni::sys::JNIEnv,
    _: jni::sys::jclass,
    text: jni::sys::jstring,
) -> jni::sys::jint {
    // SAFETY: both are what the JVM called with.
    unsafe { with_text(env, text, Shared::label) }.flatten().unwrap_or(-1)
}

/// `SplProcessors.warn(String)`.
///
/// # Safety
/// To be called by the JVM only.
#[unsafe(no_mangle)]
unsafe extern "system" fn Java_java_lang_SplProcessors_warn(
    env: *mut jni::sys::JNIEnv,
    _: jni::sys::jclass,
    text: jni::sys::jstring,
) {
    // SAFETY: both are what the JVM called with.
    let _ = unsafe { with_text(env, text, |shared, text| shared.command(Command::Warn(text))) };
}

/// Passes a string of the program to the agent. `None` if the string cannot be read.
///
/// # Safety
/// `env` must be the calling thread's environment and `text` a live local reference to a string.
unsafe fn with_text<T>(
    env: *mut jni::sys::JNIEnv,
    text: jni::sys::jstring,
    take: impl FnOnce(&Shared, String) -> T,
) -> Option<T> {
    let result = catch_unwind(AssertUnwindSafe(|| {
        let read = |env: &mut jni::Env<'_>| {
            // SAFETY: `text` is live and a string, by the contract above.
            unsafe { java::text(env, text) }
        };
        // SAFETY: `env` is the calling thread's, by the contract above.
        let text = unsafe { java::with_env(env.cast(), read) };
        Some(take(SHARED.get()?, text.ok()?))
    }));
    result.unwrap_or_else(|_| {
        SHARED.get().inspect(|shared| shared.fail("a native method of the size processors"));
        None
    })
}
