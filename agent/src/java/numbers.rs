//! The numbers that objects have for their classes.

use super::{core_class, define};
use crate::jvm::{ClassRef, Jvm, ObjectRef};
use jni::errors::Error;
use jni::ids::JStaticMethodID;
use jni::objects::{JClass, JObject};
use jni::refs::Global;
use jni::signature::{Primitive, ReturnType};
use jni::strings::JNIStr;
use jni::{Env, JValue, jni_sig, jni_str};

const NAME: &JNIStr = jni_str!("java/lang/SplNumbers");

/// The class that finds them, defined when the first drill begins.
const NUMBERS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplNumbers.class"));

/// Defines the class. Whether objects have numbers that the agent understands: they need the JVM's usual headers.
pub fn install(env: &mut Env<'_>, jvm: &Jvm, has_usual_headers: bool) -> Result<bool, Error> {
    let class = define(env, NUMBERS)?;
    if !has_usual_headers {
        return Ok(false);
    }
    let object = core_class(env, jni_str!("java/lang/Object"))?;
    // SAFETY: a live local reference of this thread, which lives longer than this call.
    let bytes = jvm.object_bytes(unsafe { ObjectRef::new(object.as_raw().cast()) });
    env.call_static_method(&class, jni_str!("find"), jni_sig!("(J)Z"), &[JValue::Long(bytes)])?.z()
}

/// The numbers of this JVM's classes.
#[derive(Debug)]
pub struct Numbers {
    class: Global<JClass<'static>>,
    of: JStaticMethodID,
}

impl Numbers {
    /// `None` if objects have none that the agent understands. A drill has to have begun.
    pub fn find(env: &mut Env<'_>) -> Result<Option<Self>, Error> {
        let class = core_class(env, NAME)?;
        if env.get_static_field(&class, jni_str!("place"), jni_sig!("J"))?.j()? == 0 {
            return Ok(None);
        }
        let of = env.get_static_method_id(&class, jni_str!("of"), jni_sig!("(Ljava/lang/Class;)J"))?;
        Ok(Some(Self { class: env.new_global_ref(class)?, of }))
    }

    /// The number that objects of a class, or arrays, have. A primitive type has none, and gets any.
    pub fn of(&self, env: &mut Env<'_>, class: ClassRef<'_>) -> Result<u32, Error> {
        // SAFETY: a `ClassRef` is live; this one is dropped before it ends, and dropping deletes nothing.
        let one = unsafe { JObject::from_raw(env, class.object().raw().cast()) };
        let returned = ReturnType::Primitive(Primitive::Long);
        // SAFETY: the method is one of this class, takes a class, and returns a long.
        let number = unsafe {
            env.call_static_method_unchecked(&self.class, self.of, returned, &[JValue::Object(&one).as_jni()])
        };
        Ok(number?.j()? as u32)
    }
}
