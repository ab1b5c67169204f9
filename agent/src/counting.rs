//! The JVM's events in a drill: a class comes, a thread begins. They run in threads of the program, which may hold
//! any lock, or be near the end of their stack: nothing here calls Java code.

use crate::drill::{Arriving, Drill};
use crate::fault;
use crate::java;
use crate::java::counters::{Loader, is_carrier};
use crate::jvm::{Jvm, ObjectRef};
use crate::shared::Shared;
use jvmti_bindings::callbacks::{CallbackContext, ClassFileLoadHookEvent, ThreadEvent};
use spl_bytecode::names::{ARCS_CLASS, COUNTERS_CLASS};
use spl_wire::Drilled;

/// Lets a class count whose bytes the JVM is about to use, if the drill wants it.
pub fn class_comes<'callback>(
    shared: &Shared,
    jvm: Option<&Jvm>,
    drill: &Drill,
    context: &CallbackContext<'callback>,
    mut event: ClassFileLoadHookEvent<'callback>,
) {
    fault::at("ClassFileLoadHook");
    let Ok(Some(name)) = event.name_str() else { return };
    if name == COUNTERS_CLASS || name == ARCS_CLASS {
        let classes = shared.for_virtual_threads.get().into_iter().flatten();
        for (_, bytes) in classes.filter(|(of, _)| *of == name) {
            // Without room for it the class stays as it is; the agent thread learns of it.
            let _ = event.set_transformed_class(context, bytes);
        }
        return;
    }
    let (Some(jvm), Some(env)) = (jvm, context.jni()) else { return };
    if !drill.wants(&name, false) {
        return;
    }
    let from_start = event.class_being_redefined().is_null();
    // SAFETY: the callback's argument is live until the callback returns.
    let loader = || unsafe { ObjectRef::new(event.loader().cast()) };
    // In the agent thread the frames around this one hold a reference for each loaded class, and a call of JNI
    // would make -Xcheck:jni warn of them: there the agent knows the class, or its loader is the boot loader.
    let of_jdk = if from_start {
        let look = |env: &mut jni::Env<'_>| Ok(Loader::of(env, jvm, loader()));
        let loader = if event.loader().is_null() {
            Loader::Jdk
        } else {
            // SAFETY: the callback runs on the thread whose environment this is.
            unsafe { java::with_env_of_program(env.raw().cast(), look) }.unwrap_or(Loader::Other)
        };
        let of_jdk = loader.has_of_jdk(&name);
        if loader == Loader::Other && drill.wants(&name, of_jdk) {
            // Whether the loader finds the counters is known only if Java code of the program is called. That
            // is for the agent thread: this one may hold locks, or be near the end of its stack.
            drill.comes_later(&name);
            return shared.drill_later();
        }
        of_jdk
    } else {
        let Some(of_jdk) = drill.is_of_jdk(&name, jvm.loader_name(loader())) else { return };
        of_jdk
    };
    if !drill.wants(&name, of_jdk) {
        return;
    }
    drill.learn(&name, jvm.loader_name(loader()), of_jdk);
    let class = Arriving { name: name.into_owned(), bytes: event.class_data().to_vec(), of_jdk, from_start };
    let kept = class.name.clone();
    match drill.transform(class) {
        // The class stays as it is if there is no room for the new bytes.
        Ok(Some(bytes)) => {
            if event.set_transformed_class(context, &bytes).is_err() {
                drill.say(Drilled::Left {
                    name: kept,
                    why: "the JVM had no memory for its new bytes".to_owned(),
                });
            }
        }
        Ok(None) => {}
        Err(()) => shared.fail("spl-weaver"),
    }
}

/// Gives a thread that begins its arena. A carrier of virtual threads waits until the counters are atomic.
pub fn thread_begins(shared: &Shared, jvm: &Jvm, context: &CallbackContext<'_>, event: &ThreadEvent) {
    let Some(drill) = shared.drill().filter(|drill| drill.what.counts()) else { return };
    if let (Some(arenas), Some(id)) = (shared.arenas(), java::thread_of(context, event)) {
        arenas.assign(id);
    }
    let Some(env) = context.jni() else { return };
    let carries = |env: &mut jni::Env<'_>| {
        // SAFETY: the callback's argument is live until the callback returns.
        Ok(is_carrier(env, jvm, unsafe { ObjectRef::new(event.thread().cast()) }))
    };
    // SAFETY: the callback runs on the thread whose environment this is.
    let carries = unsafe { java::with_env_of_program(env.raw().cast(), carries) }.unwrap_or(false);
    if carries && !shared.await_atomic_counters() {
        drill.say(Drilled::VirtualThreads);
    }
}
