//! The agent's life: load, VM start-up, class and thread events, VM death.

use crate::connection::{self, Connection, Given, Hello};
use crate::fault;
use crate::hook::HOOK;
use crate::java::{self, Entrance};
use crate::jvm::{ClassRef, Jvm, ObjectRef};
use crate::kinds::times::rings::Rings;
use crate::layout;
use crate::life::{Life, Stage};
use crate::memory::Memory;
use crate::options::Options;
use crate::shared::{Command, Shared};
use crate::sys;
use crate::waker::{self, Waker};
use crate::worker::Worker;
use jvmti_bindings::Agent;
use jvmti_bindings::agent::AgentLoadContext;
use jvmti_bindings::callbacks::{
    CallbackContext, ClassEvent, ClassFileLoadHookEvent, CompiledMethodLoadEvent, ThreadEvent,
};
use jvmti_bindings::sys::{jni as raw, jvmti};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Grace period at the JVM's end for sending the last samples.
const EXIT_GRACE: Duration = Duration::from_secs(1);
/// Grace period at the JVM's end while no controller has answered at the port yet; one may be about to.
const UNANSWERED_GRACE: Duration = Duration::from_millis(200);

/// The first feature release whose JVM can record an AOT cache (JEP 483).
const AOT_CACHE_SINCE: u32 = 24;

static SHARED: OnceLock<Shared> = OnceLock::new();
static JVM: OnceLock<Jvm> = OnceLock::new();
/// Never dropped: dropping the reference would need a Java thread, and the JVM may be gone by then.
static ENTRANCE: OnceLock<Entrance> = OnceLock::new();
static LIFE: Life = Life::new();
/// The socket thread's waker, and the channel on which the thread reports its end.
static SOCKET_THREAD: Mutex<Option<(Waker, Receiver<()>)>> = Mutex::new(None);

/// The state that the JVM's callbacks reach.
#[derive(Default)]
pub struct SplAgent {
    options: OnceLock<String>,
    named_again: AtomicBool,
}

impl Agent for SplAgent {
    /// Always 0: a JVM whose agent fails to load would not start.
    fn on_load(&self, context: AgentLoadContext<'_>) -> raw::jint {
        let loaded = catch_unwind(AssertUnwindSafe(|| self.load(&context)));
        // Nobody can be informed of a failure yet: the controller reports an agent that never connects.
        drop(loaded);
        raw::JNI_OK
    }

    /// Lets an agent without a controller serve the controller named by the options of this attachment.
    /// Anything else is an error and changes nothing: the agent serves only a JVM that it was started with,
    /// and one controller at a time.
    fn on_attach(&self, context: AgentLoadContext<'_>) -> raw::jint {
        fault::at("Agent_OnAttach");
        let Some(jvm) = JVM.get() else { return raw::JNI_ERR };
        let property = |key: &str| jvm.env().get_system_property(key).ok();
        let (options, mistakes) = Options::read(&context.options_lossy().unwrap_or_default(), property);
        if !LIFE.revive(options, mistakes) {
            return raw::JNI_ERR;
        }
        if let Some((waker, _)) = &*SOCKET_THREAD.lock().unwrap_or_else(PoisonError::into_inner) {
            waker.wake();
        }
        raw::JNI_OK
    }

    fn vm_init(&self, context: CallbackContext<'_>, _event: ThreadEvent) {
        fault::at("VMInit");
        let jvm = Jvm::of(context.jvmti());
        let property = |key: &str| jvm.env().get_system_property(key).ok();
        let text = |key| property(key).unwrap_or_default();
        let hello = Hello { java_version: text("java.vm.version"), command: text("sun.java.command") };
        let (options, mut mistakes) = Options::read(self.options.get().map_or("", String::as_str), property);
        if self.named_again.load(Ordering::Acquire) {
            mistakes.push("the agent was named twice; the options that stand first are taken".to_owned());
        }
        if let Err(why) = self.start(&context, &options, &hello, mistakes) {
            // The agent stays dormant. A controller that waits for this program should learn the reason.
            let _ = spawn_quiet("spl-link", move || connection::excuse(&options, &hello, why));
        }
    }

    fn class_prepare(&self, context: CallbackContext<'_>, event: ClassEvent) {
        fault::at("ClassPrepare");
        let Some(shared) = SHARED.get() else { return };
        // SAFETY: the callback's argument refers to a class and is live until the callback returns, as is
        // `class`.
        let class = unsafe { ClassRef::new(event.class().cast()) };
        let Some(name) = Jvm::of(context.jvmti()).class_name(class) else { return };
        if !shared.planned.read().unwrap_or_else(PoisonError::into_inner).contains(&name) {
            return;
        }
        let Some(env) = context.jni() else { return };
        if !shared.arrives() {
            // The program makes classes faster than they can be changed: this class is not measured.
            return;
        }
        let keep = |env: &mut jni::Env<'_>| java::keep(env, class);
        // SAFETY: the callback runs on the thread whose environment this is.
        match unsafe { java::with_env(env.raw().cast(), keep) } {
            Ok(class) => shared.command(Command::Prepared(vec![class])),
            Err(_) => shared.arrived(1),
        }
    }

    fn class_file_load_hook<'callback>(
        &self,
        context: CallbackContext<'callback>,
        mut event: ClassFileLoadHookEvent<'callback>,
    ) {
        if event.class_being_redefined().is_null() {
            return;
        }
        let Ok(Some(name)) = event.name_str() else { return };
        let mut hook = HOOK.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(hook) = &mut *hook else { return };
        fault::at("ClassFileLoadHook");
        if let Some(bytes) = hook.transform(&name, event.class_data()) {
            // If there is no room for the new bytes, the class stays as it is.
            let _ = event.set_transformed_class(&context, &bytes);
        }
    }

    fn thread_end(&self, context: CallbackContext<'_>, event: ThreadEvent) {
        fault::at("ThreadEnd");
        let (Some(shared), Some(env)) = (SHARED.get(), context.jni()) else { return };
        let with_thread = |env: &mut jni::Env<'_>| {
            // SAFETY: the callback's argument is live until the callback returns.
            let thread = unsafe { ObjectRef::new(event.thread().cast()) };
            // SAFETY: what this callback is called with is a thread.
            unsafe { java::id_of_thread(env, thread) }
        };
        // SAFETY: the callback runs on the thread whose environment this is.
        let id = unsafe { java::with_env(env.raw().cast(), with_thread) };
        if let (Ok(id), Some(blocks)) = (id, shared.blocks()) {
            Rings::release(&blocks, id);
        }
    }

    /// Between this event and [`garbage_collection_finish`](Agent::garbage_collection_finish) the agent must
    /// not call the JVM, take a lock or allocate (JVM TI, GarbageCollectionStart).
    fn garbage_collection_start(&self, _context: CallbackContext<'_>) {
        fault::at("GarbageCollectionStart");
        if let Some(shared) = SHARED.get() {
            shared.collections.begin(sys::now_ns());
        }
    }

    fn garbage_collection_finish(&self, _context: CallbackContext<'_>) {
        fault::at("GarbageCollectionFinish");
        if let Some(shared) = SHARED.get() {
            shared.collections.end(sys::now_ns());
        }
    }

    fn compiled_method_load<'callback>(
        &self,
        _context: CallbackContext<'callback>,
        event: CompiledMethodLoadEvent<'callback>,
    ) {
        fault::at("CompiledMethodLoad");
        if let Some(shared) = SHARED.get() {
            shared.warmth.compiled(event.method() as usize, sys::now_ns());
        }
    }

    fn vm_death(&self, _context: CallbackContext<'_>) {
        fault::at("VMDeath");
        let Some(shared) = SHARED.get() else { return };
        shared.gates.close_all();
        // Before the agent thread is sent home: to the socket thread its absence would look like an error.
        let before = LIFE.ends();
        shared.hang_up();
        let patience = match before {
            Stage::Serving => EXIT_GRACE,
            Stage::Calling => UNANSWERED_GRACE,
            // The socket thread has nothing to send, and waking it would delay the exit for nothing.
            Stage::Resting | Stage::Dormant | Stage::Failed | Stage::Dying => return,
        };
        let thread = SOCKET_THREAD.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((waker, ended)) = thread {
            waker.wake();
            // After the deadline the JVM exits anyway: the agent must not delay the program's end.
            let _ = ended.recv_timeout(patience);
        }
    }

    fn callback_panicked(&self, event: &'static str) {
        if let Some(shared) = SHARED.get() {
            shared.fail(event);
        }
    }
}

impl SplAgent {
    fn load(&self, context: &AgentLoadContext<'_>) -> Result<(), String> {
        // A panic is contained where it happens; its message must not mix with the program's output.
        std::panic::set_hook(Box::new(|_| {}));
        fault::at("Agent_OnLoad");
        // SAFETY: Agent_OnLoad runs before the JVM has any other thread that could use the environment.
        unsafe { sys::restore_tool_options() };
        if self.options.set(context.options_lossy().unwrap_or_default().into_owned()).is_err() {
            // The agent is named twice on the command line. The first one counts: `spl run` put it there.
            self.named_again.store(true, Ordering::Release);
            return Ok(());
        }
        let jvm = context.vm().jvmti().map_err(|code| format!("no JVM TI environment ({code})"))?;
        let named = |error| Jvm::of(&jvm).name(error);
        jvm.add_capabilities_with(|wanted| wanted.set_can_retransform_classes(true)).map_err(named)?;
        jvm.set_default_agent_callbacks().map_err(named)?;
        jvm.enable_events_global(&[jvmti::JVMTI_EVENT_VM_INIT, jvmti::JVMTI_EVENT_VM_DEATH]).map_err(named)
    }

    fn start(
        &self,
        context: &CallbackContext<'_>,
        options: &Options,
        hello: &Hello,
        mistakes: Vec<String>,
    ) -> Result<(), String> {
        let jvm = Jvm::of(context.jvmti());
        let env = context.jni().ok_or("no JNI environment")?.raw().cast::<c_void>();
        // SAFETY: the callback's environment belongs to this thread.
        let archives = || unsafe { java::with_env(env, java::archives_classes) };
        if jvm.feature_release() >= AOT_CACHE_SINCE && archives().unwrap_or(false) {
            // Our classes would be in the cache, and the JVM could not write it then.
            return Err("this JVM records an AOT cache; measure one that doesn't".to_owned());
        }
        let gates = Memory::map(layout::GATES_BYTES).map_err(|e| format!("no memory for the gates: {e}"))?;
        let shared = SHARED.get_or_init(|| Shared::new(gates));
        JVM.get_or_init(|| jvm);
        // A class that was rewritten beforehand (`spl instrument`) calls the probe from the start.
        let entrance = |env: &mut jni::Env<'_>| match jvm.top_group(env) {
            Ok(group) => Entrance::new(env, group).map(Ok),
            Err(why) => Ok(Err(why)),
        };
        // SAFETY: the callback's environment belongs to this thread.
        let entrance = unsafe { java::with_env(env, entrance) }??;
        let entrance = ENTRANCE.get_or_init(|| entrance);
        // SAFETY: the callback's environment belongs to this thread.
        let installed = unsafe { java::with_env(env, |env| java::install(env, gates.address())) };
        let (commands, orders) = mpsc::channel();
        let (done, news) = mpsc::channel();
        let (has_ended, ended) = mpsc::channel();
        let (waker, sleeper) = waker::pair().map_err(|e| e.to_string())?;
        shared.connect(commands);
        let worker = Worker::new(jvm, shared, orders, done, waker.clone(), installed.map(|()| gates));
        // The agent's Java thread would be a third of a dormant agent's cost, so it starts with the first
        // controller.
        let begin = Box::new(move || run_agent_thread(&jvm, entrance, worker));
        *SOCKET_THREAD.lock().unwrap_or_else(PoisonError::into_inner) = Some((waker, ended));
        let (options, hello) = (options.clone(), hello.clone());
        let connection = Connection::new(Given {
            shared,
            options,
            mistakes,
            hello,
            begin: Some(begin),
            done: news,
            sleeper,
            life: &LIFE,
            has_ended,
        });
        spawn_quiet("spl-link", move || connection.run())
    }
}

/// Starts a thread and blocks the program's signals in it, because it inherits the mask of the thread that
/// starts it.
fn spawn_quiet(name: &str, body: impl FnOnce() + Send + 'static) -> Result<(), String> {
    let quiet = move || {
        sys::block_signals();
        if catch_unwind(AssertUnwindSafe(body)).is_err()
            && let Some(shared) = SHARED.get()
        {
            shared.fail("socket thread");
        }
    };
    std::thread::Builder::new().name(name.to_owned()).spawn(quiet).map(drop).map_err(|e| e.to_string())
}

/// Makes a Java thread that no Java thread list shows, and runs the worker in it. Only a Java thread can do
/// that, so the calling thread becomes one meanwhile.
fn run_agent_thread(jvm: &Jvm, entrance: &Entrance, worker: Worker) -> Result<(), String> {
    entrance.enter(|env| {
        let thread = java::thread_object(env)?;
        if let Some(shared) = SHARED.get() {
            shared.agent_thread.store(java::thread_id(env, &thread)?, Ordering::Release);
        }
        let worker = Box::into_raw(Box::new(worker));
        let priority = jvmti::JVMTI_THREAD_NORM_PRIORITY;
        // SAFETY: a new thread object, and a box that the thread takes over.
        let started = unsafe {
            jvm.env().run_agent_thread(thread.as_raw().cast(), agent_thread, worker.cast(), priority)
        };
        Ok(started.map_err(|error| {
            // SAFETY: the thread that would have taken the box over was not started.
            drop(unsafe { Box::from_raw(worker) });
            jvm.name(error)
        }))
    })?
}

unsafe extern "system" fn agent_thread(_: *mut jvmti::jvmtiEnv, env: *mut raw::JNIEnv, worker: *mut c_void) {
    sys::block_signals();
    // SAFETY: the pointer is the box that `run_agent_thread` gave away, handed over once.
    let worker = unsafe { Box::from_raw(worker.cast::<Worker>()) };
    // The worker contains its own panics; a panic outside them cannot be handled here.
    // SAFETY: the JVM calls this with the new thread's environment, and the thread ends with this call.
    let _ = catch_unwind(AssertUnwindSafe(|| unsafe { worker.run(env.cast()) }));
}

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
