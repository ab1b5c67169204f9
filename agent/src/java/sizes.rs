//! Sizes of objects and of arrays in this JVM, as it says itself.

use super::{core_class, has_room, numbers};
use crate::jvm::{Jvm, Loaded, ObjectRef};
use jni::errors::Error;
use jni::objects::{JClass, JObject};
use jni::{Env, jni_str};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Kinds of elements: by the power of two that an element's bytes are, and references.
const KINDS: usize = 5;
const REFERENCES: usize = 4;
/// Length of the arrays from which the size of an element follows.
const MANY: usize = 1024;
/// Elements up to which an array grows at least once: sizes are rounded to 256 bytes at most (`ObjectAlignmentInBytes`).
const LONGEST: usize = 257;
/// Bytes in front of the elements of an array of bytes, where classes have numbers of 4 bytes; and the place of an object's.
const USUAL_HEADER: u8 = 16;
const CLASS_NUMBER: u8 = 8;
/// Longest time for the sizes of objects: the program's end waits for it.
const LONGEST_TIME: Duration = Duration::from_secs(1);

/// How large arrays are, and where objects have the number of their class, as `SplArcs.java` has it.
///
/// # Errors
/// When the JVM does not tell sizes of arrays, or the heap is nearly full.
pub fn layout(jvm: &Jvm, env: &mut Env<'_>) -> Result<i64, Error> {
    if !has_room(env) {
        return Err(Error::ParseFailed("the program's heap is nearly full".to_owned()));
    }
    let mut layout = [0; 8];
    for kind in 0..KINDS {
        let empty = array_bytes(jvm, env, kind, 0)?;
        let many = array_bytes(jvm, env, kind, MANY)?;
        let each = many.saturating_sub(empty) / MANY;
        let mut grown = None;
        for length in 1..=LONGEST {
            let bytes = array_bytes(jvm, env, kind, length)?;
            if bytes > empty {
                grown = Some((length, bytes));
                break;
            }
        }
        let (length, bytes) = grown.filter(|_| each > 0).ok_or_else(strange)?;
        // All elements but the last one still fitted behind the header of the empty array.
        let header = empty.saturating_sub(each * (length - 1));
        layout[kind] = u8::try_from(header).map_err(|_| strange())?;
        match kind {
            0 => layout[6] = binary_logarithm(bytes - empty)?,
            REFERENCES => layout[5] = binary_logarithm(each)?,
            _ => {}
        }
    }
    // Behind a header's first 8 bytes 4 are the class's, and 4 an array's length, if the JVM has its usual headers.
    let has_numbers = numbers::install(env, jvm, layout[0] == USUAL_HEADER)?;
    layout[7] = if has_numbers { CLASS_NUMBER } else { 0 };
    Ok(i64::from_le_bytes(layout))
}

fn binary_logarithm(bytes: usize) -> Result<u8, Error> {
    if bytes.is_power_of_two() { Ok(bytes.trailing_zeros() as u8) } else { Err(strange()) }
}

fn strange() -> Error {
    Error::ParseFailed("the JVM does not tell sizes of arrays".to_owned())
}

/// Size of an array of this length.
fn array_bytes(jvm: &Jvm, env: &mut Env<'_>, kind: usize, length: usize) -> Result<usize, Error> {
    env.with_local_frame(4, |env| {
        let array: JObject<'_> = match kind {
            0 => env.new_byte_array(length)?.into(),
            1 => env.new_short_array(length)?.into(),
            2 => env.new_int_array(length)?.into(),
            3 => env.new_long_array(length)?.into(),
            _ => {
                let none = JObject::null();
                let class = core_class(env, jni_str!("java/lang/Object"))?;
                env.new_object_array(length as i32, &class, none)?.into()
            }
        };
        Ok(usize::try_from(bytes(jvm, &array)).unwrap_or(0))
    })
}

/// Size of an object.
fn bytes(jvm: &Jvm, object: &JObject<'_>) -> u32 {
    // SAFETY: a live local reference of this thread, which lives longer than this call.
    let bytes = jvm.object_bytes(unsafe { ObjectRef::new(object.as_raw().cast()) });
    u32::try_from(bytes).unwrap_or(0)
}

/// Size of an object without fields; 0 if the JVM does not tell it.
pub fn of_nothing(jvm: &Jvm, env: &mut Env<'_>) -> u32 {
    if !has_room(env) {
        return 0;
    }
    let size = env.with_local_frame(2, |env| -> Result<u32, Error> {
        let class = core_class(env, jni_str!("java/lang/Object"))?;
        let object = env.alloc_object(&class)?;
        Ok(bytes(jvm, &object))
    });
    known(env, size).unwrap_or(0)
}

/// Names and sizes of those of the `wanted` classes of which there may be objects already: an object of each is made, and no constructor runs.
/// Classes of one name and with different sizes are there several times.
pub fn of_classes(jvm: &Jvm, env: &mut Env<'_>, wanted: &HashSet<String>) -> Vec<(String, u32)> {
    let began = Instant::now();
    let found = jvm.initialised(env, |name| wanted.contains(name)).unwrap_or_default();
    let mut all = Vec::new();
    for Loaded { class, name, .. } in found {
        if began.elapsed() > LONGEST_TIME || !has_room(env) {
            break;
        }
        let size = env.with_local_frame(4, |env| -> Result<u32, Error> {
            // SAFETY: a `ClassRef` is live; this one is dropped before it ends, and dropping deletes nothing.
            let class = unsafe { JClass::from_raw(env, class.object().raw().cast()) };
            let object = env.alloc_object(&class)?;
            Ok(bytes(jvm, &object))
        });
        // An abstract class of another loader, for example, has no objects.
        all.extend(known(env, size).filter(|size| *size > 0).map(|size| (name, size)));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The size, and no exception.
fn known(env: &mut Env<'_>, size: Result<u32, Error>) -> Option<u32> {
    if env.exception_check() {
        env.exception_clear();
    }
    size.ok()
}
