//! JVM TI as the agent needs it. Errors are the JVM's own names.

mod events;
mod objects;

pub use events::{HEARD, Named, Taken};
use jvmti_bindings::env::Jvmti;
use jvmti_bindings::sys::{jni, jvmti};
pub use objects::Walked;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;

/// A JVM TI environment that may be used from any thread the JVM knows.
#[derive(Clone, Copy, Debug)]
pub struct Jvm(*mut jvmti::jvmtiEnv);

// SAFETY: a JVM TI environment is not bound to a thread (JVM TI, "Environment"), and ours is never disposed.
unsafe impl Send for Jvm {}
// SAFETY: as above; JVM TI functions may be called concurrently.
unsafe impl Sync for Jvm {}

/// A reference to an object that is live for `'local`, or null.
///
/// A pointer that can be copied, unlike `JObject`: the JVM TI takes many of them at once. Like every local
/// reference it belongs to one thread; the raw pointer makes it `!Send`.
#[derive(Clone, Copy, Debug)]
pub struct ObjectRef<'local>(jni::jobject, PhantomData<&'local ()>);

/// A reference to a class that is live for `'local`; never null.
#[derive(Clone, Copy, Debug)]
pub struct ClassRef<'local>(ObjectRef<'local>);

/// A class that was found, with references of the local frame of the search.
#[derive(Clone, Debug)]
pub struct Loaded<'local> {
    /// The class.
    pub class: ClassRef<'local>,
    /// Binary name with slashes.
    pub name: String,
    /// Its loader, or null.
    pub loader: ObjectRef<'local>,
}

impl ObjectRef<'_> {
    /// Wraps a reference that came from the JVM.
    ///
    /// # Safety
    /// `object` must be null, or a reference of the calling thread that stays live for as long as the
    /// lifetime says: that of a callback's argument ends with the callback, that of a new local reference
    /// with the local frame.
    pub unsafe fn new(object: *mut c_void) -> Self {
        Self(object.cast(), PhantomData)
    }

    /// The pointer, live as long as this is.
    pub fn raw(self) -> *mut c_void {
        self.0.cast()
    }
}

impl<'local> ClassRef<'local> {
    /// Wraps a reference that came from the JVM.
    ///
    /// # Safety
    /// As for [`ObjectRef::new`]; and it must refer to a class.
    pub unsafe fn new(class: *mut c_void) -> Self {
        // SAFETY: the caller meets the same conditions.
        Self(unsafe { ObjectRef::new(class) })
    }

    /// The class as an object.
    pub fn object(self) -> ObjectRef<'local> {
        self.0
    }

    fn jvmti(self) -> jni::jclass {
        self.0.0.cast()
    }
}

/// A call in progress.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Running {
    /// Binary name of its class, with slashes.
    pub class: String,
    method: String,
    /// `java.lang.Thread.tid`
    thread: u64,
    thread_name: String,
    /// Number of calls below it in its thread.
    below: usize,
}

impl fmt::Display for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{} in thread \"{}\"", self.class.replace('/', "."), self.method, self.thread_name)
    }
}

/// The events that the agent switches at run time.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// Class bytes on their way into the JVM.
    ClassFileLoadHook,
    /// A class is ready.
    ClassPrepare,
    /// A thread begins, before its first instruction.
    ThreadStart,
    /// A thread ends.
    ThreadEnd,
    /// A garbage collection's pause begins.
    CollectionStart,
    /// A garbage collection's pause ends.
    CollectionEnd,
    /// Compiled code of a method was installed.
    Compiled,
    /// A thread has to wait for a monitor.
    ContendedEnter,
    /// A thread has the monitor that it waited for.
    ContendedEntered,
    /// A sample of the allocated objects.
    SampledAllocation,
    /// An object with a tag is gone.
    ObjectFree,
}

impl Jvm {
    /// Copies the environment pointer of a live wrapper.
    pub fn of(env: &Jvmti) -> Self {
        Self(env.raw())
    }

    /// The wrapper with all functions.
    pub fn env(&self) -> Jvmti {
        // SAFETY: the pointer came from the JVM and its environment is never disposed.
        unsafe { Jvmti::from_raw(self.0) }
    }

    /// Whether classes can be changed, in the JVM's present phase.
    pub fn can_retransform(&self) -> bool {
        self.env().get_potential_capabilities().is_ok_and(|found| found.can_retransform_classes())
    }

    /// Requests changes of classes, sets the callbacks and switches the event of the JVM's end on.
    pub fn prepare_late(&self) -> Result<(), String> {
        let env = self.env();
        let wanted = |capabilities: &mut jvmti::jvmtiCapabilities| {
            capabilities.set_can_retransform_classes(true);
        };
        env.add_capabilities_with(wanted).map_err(|e| self.name(e))?;
        env.set_default_agent_callbacks().map_err(|e| self.name(e))?;
        env.enable_events_global(&[jvmti::JVMTI_EVENT_VM_DEATH]).map_err(|e| self.name(e))
    }

    /// Gives the environment back to the JVM, which sends it no more events.
    ///
    /// # Safety
    /// No copy of this may be used afterwards.
    pub unsafe fn dispose(self) {
        // SAFETY: nothing uses the environment any more, by the contract above. A failure leaves it as it was.
        let _ = unsafe { self.env().dispose_environment() };
    }

    /// Switches an event for all threads.
    pub fn notify(&self, on: bool, event: Event) -> Result<(), String> {
        let event = match event {
            Event::ClassFileLoadHook => jvmti::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
            Event::ClassPrepare => jvmti::JVMTI_EVENT_CLASS_PREPARE,
            Event::ThreadStart => jvmti::JVMTI_EVENT_THREAD_START,
            Event::ThreadEnd => jvmti::JVMTI_EVENT_THREAD_END,
            Event::CollectionStart => jvmti::JVMTI_EVENT_GARBAGE_COLLECTION_START,
            Event::CollectionEnd => jvmti::JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
            Event::Compiled => jvmti::JVMTI_EVENT_COMPILED_METHOD_LOAD,
            Event::ContendedEnter => jvmti::JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
            Event::ContendedEntered => jvmti::JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
            Event::SampledAllocation => jvmti::JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
            Event::ObjectFree => jvmti::JVMTI_EVENT_OBJECT_FREE,
        };
        // SAFETY: a null thread stands for all threads.
        unsafe { self.env().set_event_notification_mode(on, event, std::ptr::null_mut()) }
            .map_err(|e| self.name(e))
    }

    /// All loaded classes that are prepared, are not arrays and have a name accepted by `wanted`. Their
    /// references live in the local frame of `frame`, the calling thread's environment.
    pub fn classes<'local>(
        &self,
        frame: &::jni::Env<'local>,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<Loaded<'local>>, String> {
        self.classes_that(frame, PREPARED, wanted)
    }

    /// Like [`classes`](Self::classes), also classes that are not prepared yet.
    pub fn loaded<'local>(
        &self,
        frame: &::jni::Env<'local>,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<Loaded<'local>>, String> {
        self.classes_that(frame, 0, wanted)
    }

    /// Like [`classes`](Self::classes), only classes that are initialised.
    pub fn initialised<'local>(
        &self,
        frame: &::jni::Env<'local>,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<Loaded<'local>>, String> {
        self.classes_that(frame, PREPARED | INITIALISED, wanted)
    }

    fn classes_that<'local>(
        &self,
        frame: &::jni::Env<'local>,
        needed: jni::jint,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<Loaded<'local>>, String> {
        frame.assert_top();
        let mut found = Vec::new();
        for class in self.env().get_loaded_classes().map_err(|e| self.name(e))? {
            // SAFETY: the JVM has just made this local reference to a class in the thread's current frame:
            // that of `frame`, as asserted.
            let class = unsafe { ClassRef::new(class.cast()) };
            let Some(name) = self.class_name(class) else { continue };
            if !wanted(&name) {
                continue;
            }
            found.extend(self.with_status(frame, class, name, needed));
        }
        Ok(found)
    }

    /// All loaded classes with names and identity hashes; arrays too, named as in class files, and hidden classes, named as Java does.
    pub fn hashes<'local>(&self, frame: &::jni::Env<'local>) -> Vec<(ClassRef<'local>, String, u32)> {
        frame.assert_top();
        let mut all = Vec::new();
        for class in self.env().get_loaded_classes().unwrap_or_default() {
            // SAFETY: the JVM has just made this local reference to a class in the thread's current frame: that of `frame`, as asserted.
            let one = unsafe { ClassRef::new(class.cast()) };
            // SAFETY: as above.
            let Ok((signature, _)) = (unsafe { self.env().get_class_signature(class.cast()) }) else {
                continue;
            };
            // SAFETY: as above.
            let Ok(hash) = (unsafe { self.env().get_object_hash_code(class) }) else { continue };
            let name = signature.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
            let name = name.map_or(signature.clone(), |name| name.replace('.', "/"));
            all.push((one, name, hash as u32));
        }
        all
    }

    /// A class with its name and loader, if it is prepared.
    pub fn ready<'local>(
        &self,
        frame: &::jni::Env<'local>,
        class: ClassRef<'local>,
        name: String,
    ) -> Option<Loaded<'local>> {
        self.with_status(frame, class, name, PREPARED)
    }

    fn with_status<'local>(
        &self,
        frame: &::jni::Env<'local>,
        class: ClassRef<'local>,
        name: String,
        needed: jni::jint,
    ) -> Option<Loaded<'local>> {
        frame.assert_top();
        // SAFETY: a `ClassRef` refers to a class and is live.
        let status = unsafe { self.env().get_class_status(class.jvmti()) }.unwrap_or(0);
        if status & needed != needed || status & ERROR != 0 {
            return None;
        }
        // SAFETY: as above.
        let loader = unsafe { self.env().get_class_loader(class.jvmti()) }.ok()?;
        // SAFETY: null, or a local reference that the JVM has just made in the thread's current frame: that
        // of `frame`, as asserted.
        let loader = unsafe { ObjectRef::new(loader.cast()) };
        Some(Loaded { class, name, loader })
    }

    /// The name of a class. `None` for arrays, primitives and hidden classes, which have no class file name.
    pub fn class_name(&self, class: ClassRef<'_>) -> Option<String> {
        // SAFETY: a `ClassRef` refers to a class and is live.
        let (signature, _) = unsafe { self.env().get_class_signature(class.jvmti()) }.ok()?;
        let name = signature.strip_prefix('L')?.strip_suffix(';')?;
        (!name.contains('.')).then(|| name.to_owned())
    }

    /// A readable name of a loader.
    pub fn loader_name(&self, loader: ObjectRef<'_>) -> String {
        if loader.0.is_null() {
            return "boot".to_owned();
        }
        // SAFETY: an `ObjectRef` is live, and this one is not null.
        let hash = unsafe { self.env().get_object_hash_code(loader.0) }.unwrap_or(0);
        format!("loader@{hash:x}")
    }

    /// Name of a class and readable name of its loader, which tell loaded classes apart.
    pub fn key_of(&self, class: &Loaded<'_>) -> (String, String) {
        (class.name.clone(), self.loader_name(class.loader))
    }

    /// The top-level thread group, as a reference of the local frame of `frame`, the calling thread's
    /// environment.
    pub fn top_group<'local>(&self, frame: &::jni::Env<'local>) -> Result<ObjectRef<'local>, String> {
        frame.assert_top();
        let groups = self.env().get_top_thread_groups().map_err(|e| self.name(e))?;
        let group = groups.first().ok_or_else(|| "the JVM has no thread group".to_owned())?;
        // SAFETY: a local reference that the JVM has just made in the thread's current frame: that of
        // `frame`, as asserted.
        Ok(unsafe { ObjectRef::new(group.cast()) })
    }

    /// The live threads that are not virtual, as references of the local frame of `frame`, the calling
    /// thread's environment.
    pub fn threads<'local>(&self, frame: &::jni::Env<'local>) -> Result<Vec<ObjectRef<'local>>, String> {
        frame.assert_top();
        let threads = self.env().get_all_threads().map_err(|e| self.name(e))?;
        // SAFETY: local references that the JVM has just made in the thread's current frame: that of `frame`,
        // as asserted.
        Ok(threads.into_iter().map(|thread| unsafe { ObjectRef::new(thread.cast()) }).collect())
    }

    /// Whether the JVM lets the class be changed.
    pub fn is_modifiable(&self, class: ClassRef<'_>) -> bool {
        // SAFETY: a `ClassRef` refers to a class and is live.
        unsafe { self.env().is_modifiable_class(class.jvmti()) }.unwrap_or(false)
    }

    /// Requests the events that reveal disturbances of times. HotSpot grants these at any time, and they cost
    /// nothing while they are switched off (`JvmtiManageCapabilities`, the capabilities that are always
    /// available).
    pub fn want_disturbances(&self) -> Result<(), String> {
        let wanted = |capabilities: &mut jvmti::jvmtiCapabilities| {
            capabilities.set_can_generate_garbage_collection_events(true);
            capabilities.set_can_generate_compiled_method_load_events(true);
        };
        self.env().add_capabilities_with(wanted).map(drop).map_err(|e| self.name(e))
    }

    /// Requests reading of bytecode and constant pools. HotSpot grants it at any time and at no cost
    /// (`JvmtiManageCapabilities`).
    pub fn want_looks(&self) -> Result<(), String> {
        let wanted = |capabilities: &mut jvmti::jvmtiCapabilities| {
            capabilities.set_can_get_bytecodes(true);
            capabilities.set_can_get_constant_pool(true);
        };
        self.env().add_capabilities_with(wanted).map(drop).map_err(|e| self.name(e))
    }

    /// The entries of a prepared class's constant pool, as in a class file.
    pub fn constant_pool(&self, class: ClassRef<'_>) -> Option<Vec<u8>> {
        // SAFETY: a `ClassRef` refers to a class and is live.
        unsafe { self.env().get_constant_pool(class.jvmti()) }.ok()
    }

    /// The current bytecode of a method; `None` for a method without code.
    ///
    /// # Safety
    /// `method` must be a number that [`methods`](Self::methods) gave, and its class must not have been
    /// unloaded since.
    pub unsafe fn bytecodes(&self, method: usize) -> Option<Vec<u8>> {
        // SAFETY: the number is a method id, by the contract above; ids are valid until their class is
        // unloaded (JVM TI, jmethodID).
        unsafe { self.env().get_bytecodes(method as jni::jmethodID) }.ok()
    }

    /// Sends [`Event::Compiled`], in this thread, for each method that has compiled code.
    pub fn list_compiled(&self) -> Result<(), String> {
        self.env().generate_events(jvmti::JVMTI_EVENT_COMPILED_METHOD_LOAD).map_err(|e| self.name(e))
    }

    /// The methods of a prepared class with name and descriptor. Their numbers stay valid through all changes
    /// of the class.
    pub fn methods(&self, class: ClassRef<'_>) -> Vec<(usize, String, String)> {
        let env = self.env();
        // SAFETY: a `ClassRef` refers to a class and is live.
        let methods = unsafe { env.get_class_methods(class.jvmti()) }.unwrap_or_default();
        let named = |method: jni::jmethodID| {
            // SAFETY: the id is one that the JVM has just given; `class` keeps the class loaded, and so the
            // id valid.
            let (name, descriptor, _) = unsafe { env.get_method_name(method) }.ok()?;
            Some((method as usize, name, descriptor))
        };
        methods.into_iter().filter_map(named).collect()
    }

    /// Name, descriptor and access flags of the methods that a prepared class itself declares.
    pub fn declared(&self, class: ClassRef<'_>) -> Vec<(String, String, u16)> {
        let env = self.env();
        let with_access = |(method, name, descriptor): (usize, String, String)| {
            // SAFETY: the id is one that the JVM has just given (`methods`); `class` keeps the class loaded,
            // and so the id valid.
            let access = unsafe { env.get_method_modifiers(method as jni::jmethodID) }.ok()?;
            Some((name, descriptor, (access & 0xffff) as u16))
        };
        self.methods(class).into_iter().filter_map(with_access).collect()
    }

    /// A property that the JVM itself knows; empty if it has none of this name.
    pub fn property(&self, name: &str) -> String {
        self.env().get_system_property(name).unwrap_or_default()
    }

    /// Loads these classes' bytes again, through the class-file hooks.
    pub fn retransform(&self, classes: &[ClassRef<'_>]) -> Result<(), String> {
        let classes = classes.iter().map(|class| class.jvmti()).collect::<Vec<_>>();
        // SAFETY: each of them refers to a class and is live, as every `ClassRef`.
        unsafe { self.env().retransform_classes(&classes) }.map_err(|e| self.name(e))
    }

    /// The calls in progress of methods whose class `wanted` names, in threads that are not virtual. For each
    /// method and thread only the outermost call counts, which runs longest. Threads with more than
    /// [`MOST_FRAMES`] frames are left out. `id` returns the id of a thread. `Err` also with more than
    /// [`MOST_THREADS`] threads: the program stands still while their stacks are read.
    pub fn running(
        &self,
        wanted: impl Fn(&str) -> bool,
        mut id: impl FnMut(ObjectRef<'_>) -> Option<u64>,
    ) -> Result<BTreeSet<Running>, String> {
        let env = self.env();
        let threads = env.get_all_threads().map_err(|e| self.name(e))?.len();
        if threads > MOST_THREADS {
            return Err(format!("the program has {threads} threads, more than {MOST_THREADS}"));
        }
        let mut known: HashMap<usize, Option<(String, String)>> = HashMap::new();
        let mut running = BTreeSet::new();
        for stack in env.get_all_stack_traces(MOST_FRAMES).map_err(|e| self.name(e))? {
            if stack.frames.len() >= MOST_FRAMES as usize {
                continue;
            }
            let methods: Vec<usize> = stack.frames.iter().map(|frame| frame.method as usize).collect();
            // Looked up once for each thread, because each answer creates local references.
            let mut thread = None;
            for (method, below) in outermost(&methods) {
                let named = known.entry(method);
                let named = named.or_insert_with(|| {
                    // SAFETY: the JVM has given this id as that of a frame, a moment ago.
                    unsafe { self.method_of(method as _) }.filter(|(class, _)| wanted(class))
                });
                let Some((class, method)) = named else { continue };
                let (id, name) = thread.get_or_insert_with(|| {
                    // SAFETY: a local reference to a thread, which the JVM made above in the calling thread's
                    // frame: no frame ends here.
                    let info = unsafe { env.get_thread_info(stack.thread) };
                    // SAFETY: as above; `id` cannot keep it, because its lifetime is that of the call.
                    let thread = unsafe { ObjectRef::new(stack.thread.cast()) };
                    (id(thread), info.ok().and_then(|info| info.name).unwrap_or_default())
                });
                let Some(thread) = *id else { break };
                running.insert(Running {
                    class: class.clone(),
                    method: method.clone(),
                    thread,
                    thread_name: name.clone(),
                    below,
                });
            }
        }
        Ok(running)
    }

    /// Class and name of a method.
    ///
    /// # Safety
    /// `method` must be an id that the JVM has given. Its class may have been unloaded since: HotSpot keeps
    /// the ids of unloaded methods and answers with an error then (`Method::checked_resolve_jmethod_id`).
    unsafe fn method_of(&self, method: jni::jmethodID) -> Option<(String, String)> {
        let env = self.env();
        // SAFETY: an id that the JVM has given, by the contract above.
        let class = unsafe { env.get_method_declaring_class(method) }.ok()?;
        // SAFETY: a local reference to a class, which the JVM has just made in the calling thread's frame: no
        // frame ends here.
        let class = unsafe { ClassRef::new(class.cast()) };
        let class_name = self.class_name(class)?;
        // SAFETY: as for the first call; `class` keeps the class loaded by now.
        let (name, _, _) = unsafe { env.get_method_name(method) }.ok()?;
        Some((class_name, name))
    }

    /// The JVM's feature release: 11, 17 and so on; `u32::MAX` if the JVM does not say.
    pub fn feature_release(&self) -> u32 {
        let version = self.env().get_system_property("java.vm.specification.version");
        version.ok().and_then(|text| text.parse().ok()).unwrap_or(u32::MAX)
    }

    /// Size of an object in bytes.
    pub fn object_bytes(&self, object: ObjectRef<'_>) -> i64 {
        // SAFETY: an `ObjectRef` is live, or null, which the JVM answers with an error.
        unsafe { self.env().get_object_size(object.0) }.unwrap_or(0)
    }

    /// Names of the fields that a prepared class itself declares and that refer to objects in its instances.
    /// A name shared by several fields of the class is left out. Loads no class, unlike reflection.
    pub fn reference_fields(&self, class: ClassRef<'_>) -> Option<Vec<String>> {
        const ACC_STATIC: jni::jint = 8;
        let (env, class) = (self.env(), class.jvmti());
        // SAFETY: a `ClassRef` refers to a class and is live.
        let fields = unsafe { env.get_class_fields(class) }.ok()?;
        let mut names: BTreeMap<String, Option<bool>> = BTreeMap::new();
        for field in fields {
            // SAFETY: the class is live, as above, and the JVM has just given the field as one of its own.
            let Ok((name, descriptor, _)) = (unsafe { env.get_field_name(class, field) }) else { continue };
            // SAFETY: as above.
            let modifiers = unsafe { env.get_field_modifiers(class, field) }.ok()?;
            let refers = modifiers & ACC_STATIC == 0 && descriptor.starts_with(['L', '[']);
            names.entry(name).and_modify(|known| *known = None).or_insert(Some(refers));
        }
        Some(names.into_iter().filter(|(_, refers)| *refers == Some(true)).map(|(name, _)| name).collect())
    }

    /// The JVM's name for an error.
    pub fn name(&self, error: jvmti::jvmtiError) -> String {
        self.env().get_error_name(error).unwrap_or_else(|_| format!("{error:?}"))
    }
}

/// The outermost call of each method among these frames (innermost first), and the number of calls below it.
fn outermost(frames: &[usize]) -> Vec<(usize, usize)> {
    let mut seen = HashSet::new();
    let from_below = frames.iter().rev().enumerate();
    from_below.filter(|(_, method)| seen.insert(**method)).map(|(below, method)| (*method, below)).collect()
}

/// Most frames read of a thread: the JVM reserves this number for each thread.
const MOST_FRAMES: jni::jint = 512;
/// Most threads that are read. A frame takes the JVM 0.1 to 0.3 microseconds, so with 50 frames each this
/// number of threads takes 15 milliseconds at most.
const MOST_THREADS: usize = 1000;

/// `JVMTI_CLASS_STATUS_PREPARED`, `JVMTI_CLASS_STATUS_INITIALIZED` and `JVMTI_CLASS_STATUS_ERROR` (JVM TI, GetClassStatus).
const PREPARED: jni::jint = 2;
const INITIALISED: jni::jint = 4;
const ERROR: jni::jint = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_recursion_the_outermost_call_is_taken() {
        assert_eq!(outermost(&[3, 2, 3, 2, 2, 1]), [(1, 0), (2, 1), (3, 3)]);
        let recursion = [vec![7; 500], vec![1]].concat();
        assert_eq!(outermost(&recursion), [(1, 0), (7, 1)]);
        assert_eq!(outermost(&[]), []);
    }
}
