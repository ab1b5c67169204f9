//! A test agent that shows the bytecode a JVM really runs.
//!
//! `-agentpath:libspl_witness.so=SOCKET` answers on that Unix socket: each line that names a class (`java/lang/Integer`)
//! is answered by one line `name descriptor bytes-in-hex` for every method with code of every loaded class of that name,
//! sorted, and an empty line. It asks JVM TI `GetBytecodes`; a retransformation could not be trusted to tell, because its
//! hook is always given the original bytes. A line `#java/lang/Integer` is answered by the bytes that the class's constant pool
//! has (`GetConstantPool`), and an empty line. A line `!main` throws a `java.lang.ThreadDeath` in the thread of that name
//! (`StopThread`) and is answered by an empty line, or by one before it that says why not.
//!
//! `samples=SOCKET` does the same and holds the capability for sampled allocations, which a JVM gives to one agent at a time.
//!
//! `-agentpath:libspl_witness.so=steps=FILE` counts how often each bytecode instruction is run from the start of the
//! program on (`SingleStep`; give the JVM `-Xint`), and writes a line `class.name descriptor offset count` for each when
//! the JVM ends. `arcs=FILE` counts entries of methods by the instruction that called them (`MethodEntry`), and writes a line
//! `caller offset method java|native count` for each. `sequence=FILE,CLASSES` writes the steps of the thread `main` in classes whose names
//! begin with CLASSES, in their order: `depth > method` where an activation begins, and `depth offset` for each instruction.
//!
//! The library also has a native method, which a test program calls.

mod arcs;
mod sequence;
mod steps;

use arcs::Arcs;
use jvmti_bindings::Agent;
use jvmti_bindings::agent::AgentLoadContext;
use jvmti_bindings::callbacks::{CallbackContext, LocationEvent, MethodEvent, ThreadEvent};
use jvmti_bindings::env::{JniEnv, Jvmti};
use jvmti_bindings::sys::{jni, jvmti};
use sequence::Sequence;
use std::ffi::c_void;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Mutex;
use steps::Steps;

/// Local references that one answer may hold: more than a test program has classes, and under the 65,536 that HotSpot
/// grants (`-XX:MaxJNILocalCapacity`).
const REFERENCES: jni::jint = 60_000;

/// The agent.
#[derive(Default)]
struct Witness {
    socket: Mutex<String>,
    steps: Steps,
    arcs: Arcs,
    sequence: Sequence,
}

impl Agent for Witness {
    fn on_load(&self, context: AgentLoadContext<'_>) -> jni::jint {
        *self.socket.lock().expect("no panic came before") =
            context.options_lossy().unwrap_or_default().into_owned();
        let Ok(env) = context.vm().jvmti() else { return jni::JNI_ERR };
        let counts = self.file("steps=").is_some() || self.file("sequence=").is_some();
        let enters = self.file("arcs=").is_some();
        let ready = env
            .add_capabilities_with(|wanted| {
                wanted.set_can_generate_single_step_events(counts);
                // Without it HotSpot runs some pairs of instructions as one, which step once.
                wanted.set_can_generate_breakpoint_events(counts);
                wanted.set_can_generate_method_entry_events(enters);
                wanted.set_can_get_bytecodes(true);
                wanted.set_can_get_constant_pool(true);
                wanted.set_can_signal_thread(true);
                wanted.set_can_generate_sampled_object_alloc_events(self.file("samples=").is_some());
            })
            .and_then(|_| env.set_default_agent_callbacks())
            .and_then(|()| {
                env.enable_events_global(&[jvmti::JVMTI_EVENT_VM_INIT, jvmti::JVMTI_EVENT_VM_DEATH])
            });
        if ready.is_ok() { jni::JNI_OK } else { jni::JNI_ERR }
    }

    fn vm_init(&self, context: CallbackContext<'_>, _event: ThreadEvent) {
        let events = [
            ("steps=", jvmti::JVMTI_EVENT_SINGLE_STEP),
            ("sequence=", jvmti::JVMTI_EVENT_SINGLE_STEP),
            ("arcs=", jvmti::JVMTI_EVENT_METHOD_ENTRY),
        ];
        if let Some((_, event)) = events.into_iter().find(|(name, _)| self.file(name).is_some()) {
            context.jvmti().enable_events_global(&[event]).expect("the capability was granted");
            return;
        }
        let socket = self
            .file("samples=")
            .unwrap_or_else(|| self.socket.lock().expect("no panic came before").clone());
        let listener = UnixListener::bind(socket).expect("the test chose a free socket");
        let env = context.jni().expect("the VM is up");
        let class = env.find_class("java/lang/Thread").expect("every VM has threads");
        // SAFETY: the class just found.
        let constructor = unsafe { env.get_method_id(class, "<init>", "()V") }.expect("threads can be made");
        // SAFETY: the class and its constructor without arguments.
        let thread = unsafe { env.new_object(class, constructor, &[]) }.expect("threads can be made");
        let arg = Box::into_raw(Box::new(listener)).cast::<c_void>();
        // SAFETY: a new thread object, and a box that the thread takes over.
        unsafe { context.jvmti().run_agent_thread(thread, answer, arg, jvmti::JVMTI_THREAD_NORM_PRIORITY) }
            .expect("an agent thread can be started");
    }

    fn single_step(&self, context: CallbackContext<'_>, event: LocationEvent) {
        match self.file("sequence=").as_deref().and_then(|file| file.split_once(',')) {
            Some((_, classes)) => {
                let (method, offset) = (event.method() as usize, event.location());
                self.sequence.step(context.jvmti(), event.thread(), method, offset, classes);
            }
            None => self.steps.step(context.jvmti(), event.method() as usize, event.location()),
        }
    }

    fn method_entry(&self, context: CallbackContext<'_>, event: MethodEvent) {
        self.arcs.entered(context.jvmti(), event.thread(), event.method() as usize);
    }

    fn vm_death(&self, context: CallbackContext<'_>) {
        let events = [
            ("steps=", jvmti::JVMTI_EVENT_SINGLE_STEP),
            ("sequence=", jvmti::JVMTI_EVENT_SINGLE_STEP),
            ("arcs=", jvmti::JVMTI_EVENT_METHOD_ENTRY),
        ];
        for (name, event) in events {
            let Some(file) = self.file(name) else { continue };
            let _ = context.jvmti().disable_events_global(&[event]);
            let lines = match name {
                "steps=" => self.steps.lines(),
                "sequence=" => self.sequence.lines(),
                _ => self.arcs.lines(),
            };
            let file = file.split(',').next().unwrap_or_default();
            std::fs::write(file, lines).expect("the test chose a file");
        }
    }
}

impl Witness {
    /// The file of the counts of this name, if they are counted.
    fn file(&self, name: &str) -> Option<String> {
        self.socket.lock().expect("no panic came before").strip_prefix(name).map(str::to_owned)
    }
}

unsafe extern "system" fn answer(env: *mut jvmti::jvmtiEnv, jni: *mut jni::JNIEnv, listener: *mut c_void) {
    // SAFETY: the box that `vm_init` gave away.
    let listener = unsafe { Box::from_raw(listener.cast::<UnixListener>()) };
    // SAFETY: the environment that the JVM gives this thread.
    let env = unsafe { Jvmti::from_raw(env) };
    // SAFETY: as above.
    let jni = unsafe { JniEnv::from_raw(jni) };
    for stream in listener.incoming().flatten() {
        serve(&env, &jni, stream);
    }
}

fn serve(env: &Jvmti, jni: &JniEnv, mut stream: UnixStream) {
    let Ok(reader) = stream.try_clone() else { return };
    for class in BufReader::new(reader).lines().map_while(Result::ok) {
        if jni.push_local_frame(REFERENCES).is_err() {
            return;
        }
        let mut lines = match class.split_at_checked(1) {
            Some(("#", class)) => constant_pools(env, class),
            Some(("!", thread)) => stop(env, jni, thread),
            _ => methods(env, &class),
        };
        // SAFETY: the frame pushed above; nothing of it is used any more.
        unsafe { jni.pop_local_frame_raw(std::ptr::null_mut()) };
        lines.sort();
        lines.push("\n".to_owned());
        if stream.write_all(lines.concat().as_bytes()).is_err() {
            return;
        }
    }
}

/// The loaded classes of this name.
fn classes(env: &Jvmti, class: &str) -> Vec<jni::jclass> {
    let signature = format!("L{class};");
    let is_it = |loaded: &jni::jclass| {
        // SAFETY: a local reference of this thread's frame.
        unsafe { env.get_class_signature(*loaded) }.is_ok_and(|(found, _)| found == signature)
    };
    env.get_loaded_classes().unwrap_or_default().into_iter().filter(is_it).collect()
}

/// Throws an error in the threads of this name; gives a line for each that it cannot reach.
fn stop(env: &Jvmti, jni: &JniEnv, name: &str) -> Vec<String> {
    let error = || {
        let class = jni.find_class("java/lang/ThreadDeath").expect("every VM has errors");
        // SAFETY: the class just found.
        let constructor = unsafe { jni.get_method_id(class, "<init>", "()V") }.expect("errors can be made");
        // SAFETY: the class and its constructor without arguments.
        unsafe { jni.new_object(class, constructor, &[]) }.expect("errors can be made")
    };
    let is_it = |thread: &jni::jthread| {
        // SAFETY: a local reference of this thread's frame.
        unsafe { env.get_thread_info(*thread) }.is_ok_and(|info| info.name.as_deref() == Some(name))
    };
    let stopped = |thread: jni::jthread| {
        // SAFETY: local references of this thread's frame.
        unsafe { env.stop_thread(thread, error()) }.err().map(|error| format!("{error:?}\n"))
    };
    env.get_all_threads().unwrap_or_default().into_iter().filter(is_it).filter_map(stopped).collect()
}

/// A line with the bytes of the constant pool of each loaded class of this name.
fn constant_pools(env: &Jvmti, class: &str) -> Vec<String> {
    let bytes = |class: jni::jclass| {
        // SAFETY: a local reference of this thread's frame.
        let pool = unsafe { env.get_constant_pool(class) }.ok()?;
        Some(format!("{}\n", pool.len()))
    };
    classes(env, class).into_iter().filter_map(bytes).collect()
}

/// A line for each method with code of each loaded class of this name.
fn methods(env: &Jvmti, class: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for loaded in classes(env, class) {
        // SAFETY: a local reference of this thread's frame.
        for method in unsafe { env.get_class_methods(loaded) }.unwrap_or_default() {
            // SAFETY: the method belongs to a class that a local reference keeps alive.
            let Ok((name, descriptor, _)) = (unsafe { env.get_method_name(method) }) else { continue };
            // SAFETY: as above. Native and abstract methods have no code and give an error.
            let Ok(code) = (unsafe { env.get_bytecodes(method) }) else { continue };
            let hex = code.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            lines.push(format!("{name} {descriptor} {hex}\n"));
        }
    }
    lines
}

/// A native method of `tests-java/Rules.java`, which loads this library for it: `Rules.Locked.answer()`.
mod native {
    use jvmti_bindings::sys::jni;
    use std::ffi::c_void;

    /// Gives 42.
    // SAFETY: no other function of the library, or of what it is linked with, has such a name.
    #[unsafe(no_mangle)]
    pub extern "system" fn Java_Rules_00024Locked_answer(
        _env: *mut c_void,
        _class: *mut c_void,
    ) -> jni::jint {
        42
    }
}

/// The way in.
mod entry {
    jvmti_bindings::export_agent!(crate::Witness);
}
