//! The agent's life: load, VM start-up, class and thread events, VM death.

use crate::connection::{self, Connection, Given, Hello};
use crate::counting;
use crate::fault;
use crate::hook::HOOK;
use crate::java::{self, Entrance};
use crate::jvm::{ClassRef, Jvm};
use crate::kinds::times::rings::Rings;
use crate::late;
use crate::layout;
use crate::life::{Life, Stage};
use crate::memory::Memory;
use crate::options::Options;
use crate::shared::{Command, Shared};
use crate::sys;
use crate::waker::{Sleeper, Waker};
use crate::worker::{LOCAL_REFERENCES, Worker};
use jvmti_bindings::Agent;
use jvmti_bindings::agent::AgentLoadContext;
use jvmti_bindings::callbacks::{
    CallbackContext, ClassEvent, ClassFileLoadHookEvent, CompiledMethodLoadEvent, MonitorEvent,
    ObjectAllocationEvent, ObjectFreeEvent, ThreadEvent,
};
use jvmti_bindings::sys::{jni as raw, jvmti};
use spl_wire::{LoadAnswer, leave_request};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
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

/// The state that callbacks and native methods reach; set when the agent starts.
pub static SHARED: OnceLock<Shared> = OnceLock::new();
/// The JVM; set when the socket thread runs.
pub static JVM: OnceLock<Jvm> = OnceLock::new();
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

    /// Lets an agent without a controller serve the controller named by the options of this attachment, also
    /// in a JVM that was started without the agent. Anything else is an error and changes nothing: the agent
    /// serves one controller at a time.
    fn on_attach(&self, context: AgentLoadContext<'_>) -> raw::jint {
        fault::at("Agent_OnAttach");
        let text = context.options_lossy().unwrap_or_default();
        let answer = match (JVM.get(), leave_request(&text)) {
            (jvm, Some(whose)) => leave(jvm.is_some(), whose.map(Path::new)),
            (Some(jvm), None) => serve_again(*jvm, &text),
            // The agent was named on the command line and could not start, or starts at this moment.
            (None, None) if self.options.get().is_some() => LoadAnswer::Failed,
            (None, None) => self.begin_late(&context, &text),
        };
        answer.code()
    }

    fn vm_init(&self, context: CallbackContext<'_>, _event: ThreadEvent) {
        fault::at("VMInit");
        let jvm = Jvm::of(context.jvmti());
        let property = |key: &str| jvm.env().get_system_property(key).ok();
        let hello = hello(jvm);
        let (options, mut mistakes) = Options::read(self.options.get().map_or("", String::as_str), property);
        if self.named_again.load(Ordering::Acquire) {
            mistakes.push("the agent was named twice; the options that stand first are taken".to_owned());
        }
        let env = context.jni().ok_or("no JNI environment").map(|env| env.raw().cast::<c_void>());
        // SAFETY: the callback's environment belongs to this thread.
        let started = env
            .map_err(str::to_owned)
            .and_then(|env| unsafe { start(jvm, env, &options, &hello, mistakes, false) });
        if let Err(why) = started {
            // The agent stays dormant. A controller that waits for this program should learn the reason.
            let _ = spawn_quiet("spl-link", move || connection::excuse(&options, &hello, why));
        } else if let Some(shared) = SHARED.get()
            && options.wait_ms > 0
        {
            shared.wait_to_start(Duration::from_millis(options.wait_ms));
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
        if let Some((shared, drill)) = SHARED.get().and_then(|shared| Some((shared, shared.drill()?))) {
            return counting::class_comes(shared, JVM.get(), &drill, &context, event);
        }
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

    fn thread_start(&self, context: CallbackContext<'_>, event: ThreadEvent) {
        fault::at("ThreadStart");
        if let (Some(shared), Some(jvm)) = (SHARED.get(), JVM.get()) {
            shared.hearing.thread_begins(&context, &event);
            counting::thread_begins(shared, jvm, &context, &event);
        }
    }

    fn thread_end(&self, context: CallbackContext<'_>, event: ThreadEvent) {
        fault::at("ThreadEnd");
        let (Some(shared), Some(id)) = (SHARED.get(), java::thread_of(&context, &event)) else { return };
        shared.hearing.thread_ends(id);
        if let Some(blocks) = shared.blocks() {
            Rings::release(&blocks, id);
        }
        if let Some(arenas) = shared.arenas() {
            arenas.release(id);
        }
    }

    /// Between this event and [`garbage_collection_finish`](Agent::garbage_collection_finish) the agent must
    /// not call the JVM, take a lock or allocate (JVM TI, GarbageCollectionStart).
    fn garbage_collection_start(&self, _context: CallbackContext<'_>) {
        fault::at("GarbageCollectionStart");
        if let Some(shared) = SHARED.get() {
            let now_ns = sys::now_ns();
            shared.collections.begin(now_ns);
            shared.hearing.collection_begins(now_ns);
        }
    }

    fn garbage_collection_finish(&self, _context: CallbackContext<'_>) {
        fault::at("GarbageCollectionFinish");
        if let Some(shared) = SHARED.get() {
            let now_ns = sys::now_ns();
            shared.collections.end(now_ns);
            shared.hearing.collection_ends(now_ns);
        }
    }

    fn monitor_contended_enter(&self, context: CallbackContext<'_>, event: MonitorEvent) {
        if let Some(shared) = SHARED.get() {
            shared.hearing.waits(&context, &event);
        }
    }

    fn monitor_contended_entered(&self, context: CallbackContext<'_>, event: MonitorEvent) {
        if let Some(shared) = SHARED.get() {
            shared.hearing.has_waited(&context, &event);
        }
    }

    fn sampled_object_alloc(&self, context: CallbackContext<'_>, event: ObjectAllocationEvent) {
        if let Some(shared) = SHARED.get() {
            shared.hearing.allocates(&context, &event);
        }
    }

    /// JDK 11 calls this within a collection: as for [`garbage_collection_start`](Agent::garbage_collection_start).
    fn object_free(&self, _context: CallbackContext<'_>, event: ObjectFreeEvent) {
        fault::at("ObjectFree");
        if let Some(shared) = SHARED.get() {
            shared.hearing.object_is_gone(event.tag());
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

    fn vm_death(&self, context: CallbackContext<'_>) {
        fault::at("VMDeath");
        let Some(shared) = SHARED.get() else { return };
        if let Some(env) = context.jni().filter(|_| shared.flags().is_some()) {
            // SAFETY: the callback runs on the thread whose environment this is.
            let _ = unsafe { java::with_env(env.raw().cast(), |env| shared.copy_flags(env)) };
        }
        if let (Some(env), Some(jvm)) = (context.jni(), JVM.get()) {
            let keep = |env: &mut jni::Env<'_>| {
                // A reference for each loaded class.
                env.with_local_frame(LOCAL_REFERENCES, |env| {
                    shared.keep_final_messages(jvm, env);
                    let found = shared.hearing.walk(jvm, env);
                    shared.hearing.keep_last(found);
                    Ok(())
                })
            };
            // SAFETY: as above.
            let _ = unsafe { java::with_env(env.raw().cast(), keep) };
        }
        shared.gates.close_all();
        // Before the agent thread is sent home: to the socket thread its absence would look like an error.
        let before = LIFE.ends();
        shared.hang_up();
        let patience = match before {
            Stage::Serving => EXIT_GRACE,
            Stage::Calling => UNANSWERED_GRACE,
            // The socket thread has nothing to send, and waking it would delay the exit for nothing.
            Stage::Resting | Stage::Dormant | Stage::Failed | Stage::Dying | Stage::Gone => return,
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

    /// Starts the agent in a JVM that runs already. After an error the JVM may unload the library.
    fn begin_late(&self, context: &AgentLoadContext<'_>, text: &str) -> LoadAnswer {
        if LIFE.stage() == Stage::Failed {
            return LoadAnswer::Failed;
        }
        // A panic is contained where it happens; its message must not mix with the program's output.
        std::panic::set_hook(Box::new(|_| {}));
        let Ok(env) = context.vm().jvmti() else { return LoadAnswer::NoEnvironment };
        let jvm = Jvm::of(&env);
        let property = |key: &str| jvm.env().get_system_property(key).ok();
        let begun = late::wanted(text, property).and_then(|(options, mistakes)| {
            // SAFETY: the JVM calls this in one of its own threads.
            let env = unsafe { Entrance::environment(context.vm().raw().cast()) };
            let env = env.map_err(|_| LoadAnswer::NoEnvironment)?;
            // SAFETY: the environment of this thread, from above.
            unsafe { java::with_env(env, java::know_exceptions) }.map_err(|_| LoadAnswer::NoClasses)?;
            let has_probe = |env: &mut jni::Env<'_>| Ok(java::has_probe(env));
            // SAFETY: the environment of this thread, from above.
            if unsafe { java::with_env(env, has_probe) }.unwrap_or(true) {
                return Err(LoadAnswer::Copy);
            }
            // SAFETY: as above.
            if unsafe { records(jvm, env) } {
                return Err(LoadAnswer::Records);
            }
            late::prepare(jvm)?;
            // SAFETY: as above.
            let started = unsafe { start(jvm, env, &options, &hello(jvm), mistakes, true) };
            started.map_err(|_| {
                LIFE.becomes(Stage::Failed);
                LoadAnswer::Unstarted
            })
        });
        if let Err(answer) = begun {
            // SAFETY: nothing was started that has a copy of it; `JVM` has one only after the last step.
            unsafe { jvm.dispose() };
            return answer;
        }
        LoadAnswer::Done
    }
}

/// The constant part of the first message.
fn hello(jvm: Jvm) -> Hello {
    let text = |key| jvm.env().get_system_property(key).unwrap_or_default();
    Hello {
        java_version: text("java.vm.version"),
        command: text("sun.java.command"),
        compiles: !text("java.vm.info").contains("interpreted mode"),
    }
}

/// Whether the JVM records an AOT cache: our classes would be in it, and the JVM could not write it then.
///
/// # Safety
/// `env` must be the calling thread's JNI environment.
unsafe fn records(jvm: Jvm, env: *mut c_void) -> bool {
    // SAFETY: the environment belongs to this thread, by the contract above.
    let archives = || unsafe { java::with_env(env, java::archives_classes) };
    jvm.feature_release() >= AOT_CACHE_SINCE && archives().unwrap_or(false)
}

/// Starts the socket thread. With `leaves` the agent ends its threads after its controller.
///
/// # Safety
/// `env` must be the calling thread's JNI environment.
unsafe fn start(
    jvm: Jvm,
    env: *mut c_void,
    options: &Options,
    hello: &Hello,
    mistakes: Vec<String>,
    leaves: bool,
) -> Result<(), String> {
    // SAFETY: the environment belongs to this thread, by the contract above.
    if unsafe { records(jvm, env) } {
        return Err("this JVM records an AOT cache; measure one that doesn't".to_owned());
    }
    let gates = Memory::map(layout::GATES_BYTES).map_err(|e| format!("no memory for the gates: {e}"))?;
    let shared = SHARED.get_or_init(|| Shared::new(gates));
    // A class that was rewritten beforehand (`spl instrument`) calls the probe from the start.
    let entrance = |env: &mut jni::Env<'_>| match jvm.top_group(env) {
        Ok(group) => Entrance::new(env, group).map(Ok),
        Err(why) => Ok(Err(why)),
    };
    // SAFETY: as above.
    let entrance = unsafe { java::with_env(env, entrance) }??;
    ENTRANCE.get_or_init(|| entrance);
    // SAFETY: as above.
    let installed = unsafe { java::with_env(env, |env| java::install(env, gates.address())) };
    if leaves {
        // Nobody has seen the agent yet, so the answer can say it.
        installed.clone()?;
    }
    let (commands, orders) = mpsc::channel();
    let (done, news) = mpsc::channel();
    let (has_ended, ended) = mpsc::channel();
    let waker = Waker::default();
    let sleeper = waker.open().map_err(|e| e.to_string())?;
    shared.connect(commands);
    let worker = Worker::new(jvm, shared, orders, done, waker.clone(), installed.map(|()| gates));
    // The agent's Java thread would be a third of a dormant agent's cost, so it starts with the first
    // controller.
    let begin = begin(jvm, Box::new(worker));
    *SOCKET_THREAD.lock().unwrap_or_else(PoisonError::into_inner) = Some((waker, ended));
    let (options, hello) = (options.clone(), hello.clone());
    LIFE.serves(&options);
    if leaves {
        // Its controller waits for it, so no other one may be promised service before the thread runs.
        LIFE.becomes(Stage::Serving);
    }
    let connection = Connection::new(Given {
        shared,
        options,
        mistakes,
        hello,
        begin: Some(begin),
        done: news,
        life: &LIFE,
        has_ended,
        leaves,
    });
    spawn_link(jvm, connection, sleeper)?;
    // This thread may need it before the new one has run.
    JVM.get_or_init(|| jvm);
    Ok(())
}

/// Lets an agent that is in the JVM already serve another controller.
fn serve_again(jvm: Jvm, text: &str) -> LoadAnswer {
    match LIFE.stage() {
        Stage::Failed => return LoadAnswer::Failed,
        Stage::Dying => return LoadAnswer::Ending,
        Stage::Resting | Stage::Calling | Stage::Serving | Stage::Dormant | Stage::Gone => {}
    }
    let property = |key: &str| jvm.env().get_system_property(key).ok();
    let (options, mistakes) = match late::wanted(text, property) {
        Ok(wanted) => wanted,
        Err(answer) => return answer,
    };
    if LIFE.stage() == Stage::Gone {
        return return_to(jvm, options, mistakes);
    }
    if !LIFE.revive(options, mistakes) {
        return LoadAnswer::Busy;
    }
    wake();
    LoadAnswer::Done
}

/// Starts the threads of an agent again that has left.
fn return_to(jvm: Jvm, options: Options, mistakes: Vec<String>) -> LoadAnswer {
    let Some((mut connection, worker)) = late::take() else { return LoadAnswer::Leaving };
    let (has_ended, ended) = mpsc::channel();
    let waker = SOCKET_THREAD.lock().unwrap_or_else(PoisonError::into_inner).take().map(|(waker, _)| waker);
    let Some(Ok((waker, sleeper))) = waker.map(|waker| waker.open().map(|sleeper| (waker, sleeper))) else {
        LIFE.becomes(Stage::Failed);
        return LoadAnswer::Unstarted;
    };
    LIFE.serves(&options);
    connection.renew((options, mistakes), worker.map(|worker| begin(jvm, worker)), has_ended);
    *SOCKET_THREAD.lock().unwrap_or_else(PoisonError::into_inner) = Some((waker, ended));
    if !LIFE.becomes(Stage::Serving) {
        return LoadAnswer::Ending;
    }
    match spawn_link(jvm, connection, sleeper) {
        Ok(()) => LoadAnswer::Done,
        Err(_) => {
            LIFE.becomes(Stage::Failed);
            LoadAnswer::Unstarted
        }
    }
}

/// Ends the service of the present controller, if there is one; with `whose` only that of the controller at this socket.
fn leave(is_known: bool, whose: Option<&Path>) -> LoadAnswer {
    let left = if LIFE.left_changed() { LoadAnswer::Unrestored } else { LoadAnswer::Done };
    if !is_known {
        return LoadAnswer::Done;
    }
    match LIFE.stage() {
        Stage::Failed => LoadAnswer::Failed,
        Stage::Dying => LoadAnswer::Ending,
        Stage::Dormant => left,
        Stage::Gone if late::has_left() => left,
        Stage::Gone => LoadAnswer::Leaving,
        Stage::Resting | Stage::Calling | Stage::Serving
            if whose.is_some_and(|whose| !LIFE.is_for(whose)) =>
        {
            LoadAnswer::Busy
        }
        Stage::Resting | Stage::Calling | Stage::Serving => {
            LIFE.dismiss();
            wake();
            LoadAnswer::Leaving
        }
    }
}

fn wake() {
    if let Some((waker, _)) = &*SOCKET_THREAD.lock().unwrap_or_else(PoisonError::into_inner) {
        waker.wake();
    }
}

/// A function that starts the agent thread with this state.
fn begin(jvm: Jvm, worker: Box<Worker>) -> connection::Begin {
    Box::new(move || match ENTRANCE.get() {
        Some(entrance) => run_agent_thread(&jvm, entrance, worker),
        None => Err("the agent was not started".to_owned()),
    })
}

/// Starts the socket thread.
fn spawn_link(jvm: Jvm, connection: Connection, sleeper: Sleeper) -> Result<(), String> {
    spawn_quiet("spl-link", move || {
        // Before anything that this thread begins: native methods of the agent's classes need it. And not before
        // this thread: until then the agent may fail to start, and another one has its place.
        JVM.get_or_init(|| jvm);
        let left = connection.run(&sleeper);
        drop(sleeper);
        if let Some(connection) = left {
            if let Some((waker, _)) = &*SOCKET_THREAD.lock().unwrap_or_else(PoisonError::into_inner) {
                waker.close();
            }
            late::keep_connection(connection);
            LIFE.becomes(Stage::Gone);
        }
    })
}

/// Stack of the agent's own threads. Named, because the standard library takes a default from the program's
/// environment.
const STACK_BYTES: usize = 2 << 20;

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
    std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(STACK_BYTES)
        .spawn(quiet)
        .map(drop)
        .map_err(|e| e.to_string())
}

/// Makes a Java thread that no Java thread list shows, and runs the worker in it. Only a Java thread can do
/// that, so the calling thread becomes one meanwhile.
fn run_agent_thread(jvm: &Jvm, entrance: &Entrance, worker: Box<Worker>) -> Result<(), String> {
    entrance.enter(|env| {
        java::know_exceptions(env)?;
        let thread = java::thread_object(env)?;
        if let Some(shared) = SHARED.get() {
            shared.agent_thread.store(java::thread_id(env, &thread)?, Ordering::Release);
        }
        let worker = Box::into_raw(worker);
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
    let mut worker = unsafe { Box::from_raw(worker.cast::<Worker>()) };
    // The worker contains its own panics; a panic outside them cannot be handled here.
    // SAFETY: the JVM calls this with the new thread's environment, and the thread ends with this call.
    let left = catch_unwind(AssertUnwindSafe(|| unsafe { worker.run(env.cast()) }));
    if left.is_ok_and(|left| left) {
        late::keep_worker(worker);
    }
}
