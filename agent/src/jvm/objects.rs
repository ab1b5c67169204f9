//! A walk through the heap, in an environment of its own: nothing else sees its tags, and they go with it.

use super::{ClassRef, Jvm};
use crate::objects::{Declared, Field, From, Walk, class_number, class_tag};
use ::jni::objects::JClass;
use jvmti_bindings::sys::{jni, jvmti};
use spl_wire::HeapClass;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::time::{Duration, Instant};

/// Most objects of a walk: the JVM has some 50 bytes for each tag.
const MOST_OBJECTS: i64 = 4 << 20;
/// Longest time for which the program stands still.
const LONGEST: Duration = Duration::from_secs(10);
/// References between two looks at the clock.
const LOOK_EVERY: u32 = 4096;
/// Beginning of the names of the agent's own classes.
const OURS: &str = "java/lang/Spl";
/// The class whose objects' fields HotSpot does not tell: for its objects it tells what their classes refer to.
const UNTOLD: &str = "java/lang/Class";
const ACC_STATIC: jni::jint = 8;
/// Local references for the interfaces of a class.
const LOCAL_REFERENCES: usize = 64;

/// The heap as it was found.
#[derive(Debug)]
pub struct Walked {
    /// The classes with objects or places.
    pub classes: Vec<HeapClass>,
    /// Objects that were met.
    pub objects: u64,
    /// Time for which the program stood still.
    pub stopped: Duration,
    /// Why it is not complete.
    pub why: Option<String>,
}

impl Walked {
    /// Nothing, with the reason.
    pub fn failed(why: String) -> Self {
        Self { classes: Vec::new(), objects: 0, stopped: Duration::ZERO, why: Some(why) }
    }
}

/// The state that the callback reaches.
struct State {
    walk: Walk,
    until: Instant,
    references: u32,
    why: Option<String>,
}

/// An environment that ends with this.
struct Own(Jvm);

impl Drop for Own {
    fn drop(&mut self) {
        // SAFETY: nothing else has a copy of it, and no thread is in a function of it.
        unsafe { self.0.dispose() };
    }
}

impl Jvm {
    /// Walks along all references, while the program stands still.
    ///
    /// # Errors
    /// When the JVM has no environment for it, or refuses something; one line of text.
    pub fn walk(&self, frame: &mut ::jni::Env<'_>) -> Result<Walked, String> {
        let own = Own(environment(frame)?);
        let env = own.0.env();
        let tags = |wanted: &mut jvmti::jvmtiCapabilities| wanted.set_can_tag_objects(true);
        env.add_capabilities_with(tags).map_err(|error| self.name(error))?;
        let classes = self.hashes(frame);
        for (number, (class, ..)) in classes.iter().enumerate() {
            if !own.0.tag(class.object(), class_tag(number)) {
                return Err("the JVM gives its classes no tags".to_owned());
            }
        }
        let begun = Instant::now();
        let mut state =
            State { walk: Walk::new(classes.len()), until: begun + LONGEST, references: 0, why: None };
        let callbacks =
            jvmti::jvmtiHeapCallbacks { heap_reference_callback: Some(meets), ..Default::default() };
        let data = (&raw mut state).cast::<c_void>();
        // SAFETY: no class and no object narrow the walk down; the callback gets the state, which lives longer than the call.
        let followed = unsafe { env.follow_references(0, null_mut(), null_mut(), &callbacks, data) };
        let stopped = begun.elapsed();
        followed.map_err(|error| self.name(error))?;
        let State { walk, why, .. } = state;
        let (objects, unknown) = (walk.objects().cast_unsigned(), walk.nobodys());
        let why = why.or_else(|| {
            (unknown > 0).then(|| format!("{unknown} objects are of classes that were loaded meanwhile"))
        });
        let found = match why {
            Some(_) => Vec::new(),
            None => walk.finish(&own.0.declarations(frame, &classes)?),
        };
        let classes = found.into_iter().filter(|class| !class.name.starts_with(OURS)).collect();
        Ok(Walked { classes, objects, stopped, why })
    }

    /// How these classes were declared. This environment has given each of them the tag of its number.
    fn declarations(
        &self,
        frame: &mut ::jni::Env<'_>,
        classes: &[(ClassRef<'_>, String, u32)],
    ) -> Result<Vec<Declared>, String> {
        let one = |(class, name, _): &(ClassRef<'_>, String, u32)| {
            // References to superclasses and interfaces go with a frame of their own.
            let declared = frame.with_local_frame(LOCAL_REFERENCES, |frame| {
                Ok::<_, ::jni::errors::Error>(self.declaration(frame, *class, name))
            });
            declared.map_err(|error| error.to_string())
        };
        classes.iter().map(one).collect()
    }

    fn declaration(&self, frame: &mut ::jni::Env<'_>, class: ClassRef<'_>, name: &str) -> Declared {
        // SAFETY: a `ClassRef` refers to a class and is live; dropping deletes nothing.
        let object = unsafe { JClass::from_raw(frame, class.object().raw().cast()) };
        // `Object` and interfaces have none.
        let parent = frame.get_superclass(&object).ok().flatten();
        let (env, class) = (self.env(), class.jvmti());
        let number_of = |class: jni::jclass| {
            // SAFETY: a local reference that the JVM has just made, or null, which it answers with an error.
            unsafe { env.get_tag(class) }.ok().and_then(class_number)
        };
        // SAFETY: a `ClassRef` refers to a class and is live. A class that is not prepared is an error.
        let interfaces = unsafe { env.get_implemented_interfaces(class) }.unwrap_or_default();
        // SAFETY: as above.
        let fields = unsafe { env.get_class_fields(class) }.unwrap_or_default();
        let field = |field| {
            // SAFETY: the class is live, as above, and the JVM has just given the field as one of its own.
            let modifiers = unsafe { env.get_field_modifiers(class, field) }.unwrap_or(0);
            // SAFETY: as above.
            let named = unsafe { env.get_field_name(class, field) };
            let refers = named.is_ok_and(|(_, descriptor, _)| descriptor.starts_with(['L', '[']));
            let is_static = modifiers & ACC_STATIC != 0;
            Field { is_static, refers: refers && (is_static || name != UNTOLD) }
        };
        Declared {
            name: name.to_owned(),
            parent: parent.and_then(|parent| number_of(parent.as_raw().cast())),
            interfaces: interfaces.into_iter().filter_map(number_of).collect(),
            fields: fields.into_iter().map(field).collect(),
            refers: name.starts_with("[L") || name.starts_with("[["),
        }
    }
}

/// A new environment of JVM TI.
fn environment(frame: &::jni::Env<'_>) -> Result<Jvm, String> {
    let vm = frame.get_java_vm().map_err(|error| error.to_string())?.get_raw();
    let mut env = null_mut();
    // SAFETY: the JVM is live.
    let functions = unsafe { *vm };
    // SAFETY: a live JVM has its table of functions.
    let functions = unsafe { &*functions };
    // SAFETY: each JVM has the functions of JNI 1.2.
    let get_env = unsafe { functions.v1_2.GetEnv };
    // SAFETY: the place for the result is valid.
    let code = unsafe { get_env(vm, &raw mut env, jvmti::JVMTI_VERSION_1_2) };
    match code {
        jni::JNI_OK if !env.is_null() => Ok(Jvm(env.cast())),
        _ => Err(format!("the JVM has no further environment of JVM TI (error {code})")),
    }
}

/// Meets a reference, in a thread of the JVM, while the program stands still.
unsafe extern "system" fn meets(
    kind: jvmti::jvmtiHeapReferenceKind,
    info: *const jvmti::jvmtiHeapReferenceInfo,
    class: jni::jlong,
    of_class: jni::jlong,
    _bytes: jni::jlong,
    tag: *mut jni::jlong,
    own: *mut jni::jlong,
    _length: jni::jint,
    state: *mut c_void,
) -> jni::jint {
    // SAFETY: the state that `walk` has given, which nobody else uses meanwhile.
    let state = unsafe { &mut *state.cast::<State>() };
    let index = || {
        // SAFETY: a reference of a field has its description.
        let info = unsafe { &*info };
        // SAFETY: as above; it is that of a field.
        unsafe { info.field.index }
    };
    let from = match kind {
        jvmti::JVMTI_HEAP_REFERENCE_FIELD => From::Field(index()),
        jvmti::JVMTI_HEAP_REFERENCE_STATIC_FIELD => From::Static(index()),
        jvmti::JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT => From::Element,
        _ => From::Elsewhere,
    };
    // Before the tag changes: an object may refer to itself.
    // SAFETY: null for a root, else the tag of the object that refers.
    let own = unsafe { own.as_ref() }.copied().unwrap_or(0);
    // SAFETY: the tag of the object that the reference leads to.
    let Some(tag) = (unsafe { tag.as_mut() }) else { return jvmti::JVMTI_VISIT_OBJECTS };
    let met = catch_unwind(AssertUnwindSafe(|| state.meets(from, class, tag, (of_class, own))));
    if met.unwrap_or(false) { jvmti::JVMTI_VISIT_OBJECTS } else { jvmti::JVMTI_VISIT_ABORT }
}

impl State {
    /// Meets a reference; whether the walk goes on.
    fn meets(&mut self, from: From, class: i64, tag: &mut i64, holder: (i64, i64)) -> bool {
        self.references = self.references.wrapping_add(1);
        if self.walk.objects() > MOST_OBJECTS {
            self.why = Some(format!("there are more than {MOST_OBJECTS} objects"));
        } else if self.references.is_multiple_of(LOOK_EVERY) && Instant::now() > self.until {
            self.why = Some(format!("it took more than {} s", LONGEST.as_secs()));
        } else {
            self.walk.meets(from, class, tag, holder);
        }
        self.why.is_none()
    }
}
