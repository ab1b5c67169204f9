//! JVM TI for what is heard: capabilities that are taken and given back, frames, identities, threads.

use super::{ClassRef, Event, Jvm, ObjectRef};
use jvmti_bindings::sys::{jni, jvmti};
use std::ptr::null_mut;

/// Events that are heard.
pub const HEARD: [Event; 8] = [
    Event::ContendedEnter,
    Event::ContendedEntered,
    Event::CollectionStart,
    Event::CollectionEnd,
    Event::ThreadStart,
    Event::ThreadEnd,
    // Before the samples: an object that is sampled may be gone soon.
    Event::ObjectFree,
    Event::SampledAllocation,
];
/// HotSpot's own interval of sampled allocations (JVM TI, SetHeapSamplingInterval).
const USUAL_INTERVAL: jni::jint = 512 * 1024;
/// The group within which the program's threads are (`java.lang.Thread`, the launcher's thread).
const PROGRAM: &str = "main";
/// The place of a thread in which no method is under way: the JVM itself waits, as at the end of a thread that another one joins.
pub const NO_METHOD: (usize, i64) = (0, -1);
/// Groups above a group that are looked at.
const MOST_GROUPS: usize = 64;
/// Most bytes of a class name.
const LONGEST_NAME: usize = 1000;

/// A place where threads wait, by names: versions of a method that was changed are one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Named {
    /// Class with slashes.
    pub class: String,
    /// Name of the method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Number of the `monitorenter` in its code, from 1; 0 where there is none.
    pub lock: u32,
}

/// Capabilities that were taken for listening.
#[derive(Debug)]
pub struct Taken(jvmti::jvmtiCapabilities);

impl Taken {
    /// Whether there are samples of the allocated objects.
    pub fn has_samples(&self) -> bool {
        self.0.can_generate_sampled_object_alloc_events()
    }

    /// Whether sampled objects may have tags, and the JVM tells which are gone.
    pub fn has_lifetimes(&self) -> bool {
        self.has_samples() && self.0.can_generate_object_free_events()
    }

    /// Whether an event may be switched.
    pub fn allows(&self, event: Event) -> bool {
        match event {
            Event::ContendedEnter | Event::ContendedEntered => self.0.can_generate_monitor_events(),
            Event::SampledAllocation => self.has_samples(),
            Event::ObjectFree => self.has_lifetimes(),
            // The agent has the others anyway.
            Event::ClassFileLoadHook
            | Event::ClassPrepare
            | Event::ThreadStart
            | Event::ThreadEnd
            | Event::CollectionStart
            | Event::CollectionEnd
            | Event::Compiled => true,
        }
    }
}

impl Jvm {
    /// Takes what listening needs. Gives what was taken, and the reasons of what is missing. HotSpot grants these at any time
    /// (`JvmtiManageCapabilities`): sampled allocations to one agent at a time, the others to all.
    pub fn take_events(&self, interval_bytes: u32) -> (Taken, Vec<String>) {
        let (mut taken, mut without) = (jvmti::jvmtiCapabilities::default(), Vec::new());
        if let Err(error) = self.want_looks() {
            without.push(format!("places in code: {error}"));
        }
        let monitors = |wanted: &mut jvmti::jvmtiCapabilities| wanted.set_can_generate_monitor_events(true);
        match self.env().add_capabilities_with(monitors) {
            Ok(_) => taken.set_can_generate_monitor_events(true),
            Err(error) => without.push(format!("waits for monitors: {}", self.name(error))),
        }
        if interval_bytes > 0 {
            let samples = |wanted: &mut jvmti::jvmtiCapabilities| {
                wanted.set_can_generate_sampled_object_alloc_events(true);
            };
            let interval = jni::jint::try_from(interval_bytes).unwrap_or(jni::jint::MAX);
            let added = self.env().add_capabilities_with(samples);
            if added.is_ok() {
                taken.set_can_generate_sampled_object_alloc_events(true);
            }
            if let Err(error) = added.and_then(|_| self.env().set_heap_sampling_interval(interval)) {
                without.push(match error {
                    jvmti::jvmtiError::NOT_AVAILABLE => {
                        "sampled allocations: another agent in this JVM has them, and the JVM gives them to one at a time"
                            .to_owned()
                    }
                    error => format!("sampled allocations: {}", self.name(error)),
                });
            }
            let lifetimes = |wanted: &mut jvmti::jvmtiCapabilities| {
                wanted.set_can_tag_objects(true);
                wanted.set_can_generate_object_free_events(true);
            };
            match self.env().add_capabilities_with(lifetimes) {
                Ok(_) => lifetimes(&mut taken),
                Err(error) => without.push(format!("lifetimes of objects: {}", self.name(error))),
            }
        }
        (Taken(taken), without)
    }

    /// Gives back what [`take_events`](Self::take_events) took.
    pub fn give_events_back(&self, taken: &Taken) -> Result<(), String> {
        if taken.has_samples() {
            self.env().set_heap_sampling_interval(USUAL_INTERVAL).map_err(|e| self.name(e))?;
        }
        self.env().relinquish_capabilities(&taken.0).map_err(|e| self.name(e))
    }

    /// Method and offset of the innermost call of the calling thread; [`NO_METHOD`] where none is under way, and `None` where the JVM does not tell.
    pub fn own_place(&self) -> Option<(usize, i64)> {
        // SAFETY: a null thread stands for the calling one.
        let frames = unsafe { self.env().get_stack_trace(null_mut(), 0, 1) }.ok()?;
        Some(frames.first().map_or(NO_METHOD, |frame| (frame.method as usize, frame.location)))
    }

    /// The identity of an object (`System.identityHashCode`): two objects seldom have the same one.
    pub fn identity(&self, object: ObjectRef<'_>) -> Option<i32> {
        // SAFETY: an `ObjectRef` is live, or null, which the JVM answers with an error.
        unsafe { self.env().get_object_hash_code(object.0) }.ok()
    }

    /// Gives an object a tag; whether it has it.
    pub fn tag(&self, object: ObjectRef<'_>, tag: i64) -> bool {
        // SAFETY: an `ObjectRef` is live, or null, which the JVM answers with an error.
        unsafe { self.env().set_tag(object.0, tag) }.is_ok()
    }

    /// Name of a class as in Java: `java.lang.String`, `byte[]`.
    pub fn readable_name(&self, class: ClassRef<'_>) -> String {
        // SAFETY: a `ClassRef` refers to a class and is live.
        let signature = unsafe { self.env().get_class_signature(class.jvmti()) };
        let name = signature.map(|(signature, _)| readable(&signature)).unwrap_or_default();
        spl_wire::clip(&name, LONGEST_NAME).to_owned()
    }

    /// The names of a place, and the number of its `monitorenter`.
    ///
    /// # Safety
    /// The method must be that of a frame of the calling thread, which keeps it: JDK 11 follows the id of a version of a method that was
    /// replaced and is gone (`Method::checked_resolve_jmethod_id`).
    pub unsafe fn named(&self, (method, location): (usize, i64)) -> Option<Named> {
        if (method, location) == NO_METHOD {
            return Some(Named { class: spl_model::JVM_ITSELF.to_owned(), ..Named::default() });
        }
        // SAFETY: an id that the JVM has given, of a method that is there, by the contract above.
        let (class, name) = unsafe { self.method_of(method as jni::jmethodID) }?;
        // SAFETY: as above.
        let (_, descriptor, _) = unsafe { self.env().get_method_name(method as jni::jmethodID) }.ok()?;
        // SAFETY: as above. A native method has none.
        let code = unsafe { self.bytecodes(method) }.unwrap_or_default();
        let lock = u32::try_from(location).map_or(0, |location| spl_bytecode::lock_at(&code, location));
        Some(Named { class, method: name, descriptor, lock })
    }

    /// Whether a thread is the program's: in the group `main` or one within it, without the thread of this name.
    pub fn is_of_program(&self, thread: ObjectRef<'_>, but: &str) -> bool {
        let env = self.env();
        // SAFETY: a reference to a thread, which is live.
        let Ok(info) = (unsafe { env.get_thread_info(thread.0) }) else { return false };
        if info.name.as_deref() == Some(but) {
            return false;
        }
        let mut group = info.thread_group;
        for _ in 0..MOST_GROUPS {
            if group.is_null() {
                return false;
            }
            // SAFETY: a local reference to a group, which the JVM has just made in the calling thread's frame.
            let Ok(of_group) = (unsafe { env.get_thread_group_info(group) }) else { return false };
            if of_group.name.as_deref() == Some(PROGRAM) {
                return true;
            }
            group = of_group.parent;
        }
        false
    }

    /// Whether a thread could run Java code now: it is runnable, and not in native code, where it may wait for anything.
    pub fn could_run(&self, thread: ObjectRef<'_>) -> bool {
        const RUNNABLE: jni::jint = 0x4;
        const IN_NATIVE: jni::jint = 0x40_0000;
        // SAFETY: a reference to a thread, which is live.
        let state = unsafe { self.env().get_thread_state(thread.0) }.unwrap_or(0);
        state & (RUNNABLE | IN_NATIVE) == RUNNABLE
    }
}

/// The name in Java of a class with this signature (JVMS 4.3.2).
fn readable(signature: &str) -> String {
    let element = signature.trim_start_matches('[');
    let name = match element {
        "B" => "byte",
        "C" => "char",
        "D" => "double",
        "F" => "float",
        "I" => "int",
        "J" => "long",
        "S" => "short",
        "Z" => "boolean",
        _ => element.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(element),
    };
    name.replace('/', ".") + &"[]".repeat(signature.len() - element.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_named_as_in_java() {
        for (signature, expected) in
            [("Ljava/lang/String;", "java.lang.String"), ("[[B", "byte[][]"), ("[Lp/A;", "p.A[]")]
        {
            assert_eq!(readable(signature), expected);
        }
    }
}
