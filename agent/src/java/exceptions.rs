//! The exceptions that the crate `jni` tells apart.

use super::functions;
use jni::errors::{Error, JniError};
use jni::objects::JObject;
use jni::refs::{LoaderContext, Reference};
use jni::{Env, exceptions};
use std::sync::OnceLock;

/// Bytes of the heap that have to be free before the agent does anything with objects.
const ROOM: i32 = 1 << 18;

/// Makes known to the crate `jni` the classes of the exceptions that it tells apart. When a function of JNI throws, the crate looks them up by
/// strings: in a full heap that throws again, and the crate would look up again, until the stack is full.
///
/// # Errors
/// When the heap has no room for it.
pub fn know_exceptions(env: &mut Env<'_>) -> Result<(), Error> {
    static KNOWN: OnceLock<()> = OnceLock::new();
    if KNOWN.get().is_some() {
        return Ok(());
    }
    if !has_free_bytes(env) {
        return Err(Error::JniCall(JniError::NoMemory));
    }
    macro_rules! know {
        ($($exception:ident),*) => {
            $(let _ = exceptions::$exception::lookup_class(env, &LoaderContext::default())?;)*
        };
    }
    know!(
        JOutOfMemoryError,
        JArrayIndexOutOfBoundsException,
        JArrayStoreException,
        JClassCircularityError,
        JClassFormatError,
        JClassNotFoundException,
        JExceptionInInitializerError,
        JIllegalArgumentException,
        JIllegalMonitorStateException,
        JInstantiationException,
        JLinkageError,
        JNoClassDefFoundError,
        JNoSuchFieldError,
        JNoSuchMethodError,
        JNumberFormatException,
        JSecurityException,
        JStringIndexOutOfBoundsException
    );
    let _ = KNOWN.set(());
    Ok(())
}

/// Whether the heap has [`ROOM`]: an array of this size can be made, and is garbage at once.
fn has_free_bytes(env: &mut Env<'_>) -> bool {
    // SAFETY: each JVM has the functions of JNI 1.1.
    let new_byte_array = unsafe { functions(env).v1_1.NewByteArray };
    // SAFETY: no exception is pending in a thread of the agent, or in one that loads it.
    let array = unsafe { new_byte_array(env.get_raw(), ROOM) };
    if array.is_null() {
        env.exception_clear();
        return false;
    }
    // SAFETY: a local reference that the JVM has just made in this thread, and that nothing else has.
    let array = unsafe { JObject::from_raw(env, array) };
    env.delete_local_ref(array);
    true
}
