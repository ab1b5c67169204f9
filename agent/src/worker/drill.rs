//! The agent thread's part of a drill: it makes the counters ready, changes the loaded classes, restores them.

use super::Worker;
use crate::arenas::{Arenas, Uses};
use crate::counters::Counters;
use crate::drill::{Drill, What};
use crate::java::counters::{self, Loader, NO_COUNTERS, is_carrier};
use crate::java::id_of_thread;
use crate::jvm::{Event, Loaded};
use crate::shared::Reply;
use crate::sys;
use crate::waves::Waves;
use spl_bytecode::names;
use spl_model::{DrillKind, MOST_ROOTS, Scope};
use spl_wire::Drilled;
use std::collections::{BTreeSet, HashSet};
use std::io;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

/// Stack of the weaver. Named, because the standard library takes a default from the program's environment.
const STACK_BYTES: usize = 8 << 20;
/// Classes that are changed in one call: the program stands still meanwhile.
const AT_ONCE: usize = 500;
/// Time in which classes of other loaders are gathered.
const GATHERED: Duration = Duration::from_millis(50);
/// Looks at the loaded classes. A class that was half loaded at the first look is there at the second.
const LOOKS: usize = 2;

/// The first JDK whose compiler C2 crashes on counters in loops under Shenandoah (`LoopNode::outer_loop_end`, JDK 21 and 25; not 17).
const CRASHES_SINCE: u32 = 18;
const COUNTERS_CRASH: &str = "the compiler of this JDK crashes on counters in loops with Shenandoah; run the program with -XX:LoopStripMiningIter=0, or with another collector";

/// Whether counters in loops would crash a JVM with these options.
fn counters_crash(options: &str, jdk: u32) -> bool {
    let has = |option: &str| options.split_whitespace().any(|one| one == option);
    jdk >= CRASHES_SINCE
        && has("-XX:+UseShenandoahGC")
        && !has("-XX:LoopStripMiningIter=0")
        && !has("-XX:-UseCountedLoopSafepoints")
}

impl Worker {
    /// Prepares the counters and says where they are; no method counts yet.
    pub(super) fn open_drill(&mut self, env: &mut jni::Env<'_>, kind: DrillKind, scope: Scope) {
        match self.counters_at(env, kind, &scope) {
            Ok(message) => {
                let arenas = self.shared.arenas();
                arenas.into_iter().for_each(|arenas| {
                    let uses = match kind {
                        DrillKind::Time(_) => Uses::Stack,
                        DrillKind::Trace { .. } => Uses::Ring,
                        DrillKind::Blocks
                        | DrillKind::Calls(_)
                        | DrillKind::Cover
                        | DrillKind::Paths { .. } => Uses::Counters,
                    };
                    arenas.begin_roots(&scope, uses);
                });
                self.scope = Some((kind, scope));
                self.tell(Reply::Told(message));
            }
            Err(why) => {
                self.tell(Reply::Told(Drilled::Refused { why }));
                self.shared.start_program();
            }
        }
    }

    fn counters_at(
        &mut self,
        env: &mut jni::Env<'_>,
        kind: DrillKind,
        scope: &Scope,
    ) -> Result<Drilled, String> {
        if scope.groups() > MOST_ROOTS {
            return Err(format!(
                "more than {MOST_ROOTS} methods, or groups of their calls, are to count apart"
            ));
        }
        if self.shared.drill().is_some() {
            return Err("a drill is under way already".to_owned());
        }
        if !matches!(kind, DrillKind::Cover | DrillKind::Time(_)) {
            let found = self.counters.is_none().then(|| Counters::find(env)).flatten();
            let options = self.counters.as_ref().or(found.as_ref()).map_or("", Counters::options);
            let options = format!("{options} {}", sys::java_options());
            if counters_crash(&options, self.jvm.feature_release()) {
                return Err(COUNTERS_CRASH.to_owned());
            }
        }
        let arenas = self.shared.map_arenas();
        let arenas = arenas.map_err(|e| no_memory(&e))?;
        if !self.counts {
            let installed = counters::install(env, &self.jvm, arenas);
            let for_virtual_threads =
                installed.map_err(|error| format!("the class of the counters is not accepted: {error}"))?;
            self.for_virtual_threads = Some(for_virtual_threads);
            self.counts = true;
        }
        let cleared = counters::clear_uncounted(env);
        cleared.map_err(|error| format!("the class of the counters is not accepted: {error}"))?;
        if kind == DrillKind::Cover {
            let refused =
                |error: jni::errors::Error| format!("the class of the flags is not accepted: {error}");
            let flags = match self.shared.flags() {
                Some(flags) => flags,
                None => self.shared.keep_flags(counters::Flags::install(env).map_err(refused)?),
            };
            // An earlier drill has set some.
            let count = self.shared.numbers.lock().unwrap_or_else(PoisonError::into_inner).flags();
            flags.clear(env, count as usize).map_err(refused)?;
            arenas.clear(0..count);
        }
        Ok(arenas.place())
    }

    /// Lets the methods of the scope count, in loaded classes and in classes that are loaded later.
    pub(super) fn begin_drill(&mut self, env: &mut jni::Env<'_>) {
        let begun = match self.drill(env) {
            Ok(begun) => begun,
            Err(why) => {
                self.end_drill(env);
                Drilled::Refused { why }
            }
        };
        self.tell(Reply::Told(begun));
        self.shared.start_program();
    }

    fn drill(&mut self, env: &mut jni::Env<'_>) -> Result<Drilled, String> {
        let (kind, scope) = self.scope.take().ok_or("no methods were named")?;
        let arenas = self.shared.map_arenas().map_err(|e| no_memory(&e))?;
        let what = What::of(kind, arenas);
        let (done, waker) = (self.done.clone(), self.waker.clone());
        let said = move |message| {
            // The receiver is the socket thread, which ends only with the JVM.
            let _ = done.send(Reply::Told(message));
            waker.wake();
        };
        let (drill, weaver) = Drill::new(what, scope, &self.shared.numbers, said);
        let quiet = move || {
            sys::block_signals();
            weaver();
        };
        thread::Builder::new()
            .name("spl-weaver".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(quiet)
            .map_err(|e| e.to_string())?;
        drill.say_own_class();
        // The events do nothing without a drill.
        self.shared.set_drill(Some(drill));
        if what.counts() {
            self.give_arenas(env, arenas)?;
            if let What::Durations(clock) = what
                && let Err(error) = counters::calibrate(env, clock)
            {
                return Err(format!("the cost of a probe could not be measured: {error}"));
            }
            let is_trace = matches!(what, What::Trace { .. });
            let counts = !matches!(what, What::Durations(_) | What::Trace { blocks: false });
            let warmed = if is_trace { counters::warm_trace(env) } else { Ok(()) };
            let warmed = warmed.and_then(|()| if counts { counters::warm_counters(env) } else { Ok(()) });
            warmed.map_err(|error| format!("the code that counts does not run: {error}"))?;
        } else {
            self.waves = Some(Waves::new(Instant::now()));
        }
        self.jvm.notify(true, Event::ClassFileLoadHook)?;
        let at_ns = sys::now_ns();
        let mut classes = 0;
        for _ in 0..LOOKS {
            let found = self.uncounted(env);
            classes += found.len();
            self.count(&found);
        }
        let took_ns = sys::now_ns().saturating_sub(at_ns);
        Ok(Drilled::Begun { classes: u32::try_from(classes).unwrap_or(u32::MAX), took_ns })
    }

    /// Gives each thread counters of its own, now and when it begins.
    fn give_arenas(&mut self, env: &mut jni::Env<'_>, arenas: &Arenas) -> Result<(), String> {
        self.jvm.notify(true, Event::ThreadEnd)?;
        self.needs_thread_ends = true;
        // Before the list of threads: a thread that starts between them is seen twice, never missed.
        self.jvm.notify(true, Event::ThreadStart)?;
        arenas.assign_own(self.shared.agent_thread.load(Ordering::Acquire));
        let mut carriers = false;
        for thread in self.jvm.threads(env)? {
            carriers |= is_carrier(env, &self.jvm, thread);
            // SAFETY: a reference to a thread that the JVM has just given.
            if let Ok(id) = unsafe { id_of_thread(env, thread) } {
                arenas.assign(id);
            }
        }
        if carriers {
            self.add_atomically(env);
        }
        Ok(())
    }

    /// Lets the counters add atomically, for the rest of the JVM's life. A carrier of virtual threads waits for
    /// it before it runs the first of them.
    pub(super) fn add_atomically(&mut self, env: &mut jni::Env<'_>) {
        let done = self.atomic_counters(env);
        self.shared.has_atomic_counters(done.is_ok());
        if let (Err(_), Some(drill)) = (done, self.shared.drill()) {
            drill.say(Drilled::VirtualThreads);
        }
    }

    fn atomic_counters(&mut self, env: &mut jni::Env<'_>) -> Result<(), String> {
        if self.shared.for_virtual_threads.get().is_some() {
            return Ok(());
        }
        let classes = self.for_virtual_threads.take().ok_or("nothing counts")?;
        self.shared.for_virtual_threads.get_or_init(|| classes);
        let ours = [names::COUNTERS_CLASS, names::ARCS_CLASS];
        let loaded = self.jvm.loaded(env, |name| ours.contains(&name))?;
        let loaded: Vec<_> = loaded.iter().map(|class| class.class).collect();
        self.jvm.retransform(&loaded)
    }

    /// Lets classes count whose loader is not the JDK's, some time after they were loaded: several at once, because the
    /// program stands still meanwhile.
    pub(super) fn drill_later(&mut self, env: &mut jni::Env<'_>) {
        thread::sleep(GATHERED);
        self.shared.drills_now();
        let found = self.uncounted(env);
        self.count(&found);
    }

    /// Lets loaded classes count.
    fn count(&self, classes: &[Loaded<'_>]) {
        let Some(drill) = self.shared.drill() else { return };
        drill.are_late(classes.iter().map(|class| class.name.clone()).collect());
        self.reload(classes, |why, class| {
            self.tell(Reply::Warning(format!("{} does not count: {why}", class.name)));
        });
        drill.are_late(HashSet::new());
    }

    /// The loaded classes of the scope that do not count yet.
    fn uncounted<'local>(&mut self, env: &mut jni::Env<'local>) -> Vec<Loaded<'local>> {
        let Some(drill) = self.shared.drill() else { return Vec::new() };
        let wanted = |name: &str| drill.wants(name, false);
        let mut found = self.jvm.loaded(env, wanted).unwrap_or_else(|error| {
            self.tell(Reply::Warning(format!("cannot list the loaded classes: {error}")));
            Vec::new()
        });
        // Classes of the JDK's loaders were changed while they were loaded, unless that was before the drill.
        found.retain(|class| {
            let is_other = Loader::of(env, &self.jvm, class.loader) == Loader::Other;
            (is_other || !drill.has_counted(&class.name)) && self.drilled.insert(self.jvm.key_of(class))
        });
        found.retain(|class| {
            let loader = Loader::of(env, &self.jvm, class.loader);
            if loader == Loader::Other {
                drill.is_reached(&class.name);
            }
            let of_jdk = loader.has_of_jdk(&class.name);
            // Of a pattern such as `**#get` few classes have a method, and each change of a class costs.
            let declared = || self.jvm.declared(class.class);
            if !drill.wants(&class.name, of_jdk) || !drill.wants_one(&class.name, of_jdk, declared) {
                return false;
            }
            let why = match loader.finds_counters(env, class.loader, !drill.what.counts()) {
                true if self.jvm.is_modifiable(class.class) => {
                    drill.learn(&class.name, self.jvm.loader_name(class.loader), of_jdk);
                    return true;
                }
                true => "the JVM does not allow this class to be changed",
                false => NO_COUNTERS,
            };
            let message = Drilled::Left { name: class.name.clone(), why: why.to_owned() };
            self.tell(Reply::Told(message));
            false
        });
        found
    }

    /// Lets methods stop counting.
    pub(super) fn stop_counting(&mut self, env: &mut jni::Env<'_>, methods: Vec<String>) {
        let Some(drill) = self.shared.drill() else { return };
        let classes = drill.stop(methods);
        let found = self.jvm.loaded(env, |name| classes.contains(name)).unwrap_or_else(|error| {
            self.tell(Reply::Warning(format!("cannot list the loaded classes: {error}")));
            Vec::new()
        });
        self.reload(&found, |why, class| {
            self.tell(Reply::Warning(format!("{} goes on counting: {why}", class.name)));
        });
    }

    /// Copies the flags to where the controller reads them.
    fn copy_flags(&self, env: &mut jni::Env<'_>) {
        if let Err(error) = self.shared.copy_flags(env) {
            self.tell(Reply::Warning(format!("the flags could not be copied: {error}")));
        }
    }

    /// Copies the flags; when it is time, takes the code of flags that are set out of some classes.
    pub(super) fn wave(&mut self, env: &mut jni::Env<'_>) {
        self.copy_flags(env);
        let (Some(waves), Some(drill)) = (&mut self.waves, self.shared.drill()) else {
            self.waves = None;
            return;
        };
        if !waves.copied(Instant::now()) {
            return;
        }
        let mut names: BTreeSet<String> = waves.step(|| drill.stale()).into_iter().collect();
        let mut took = Duration::ZERO;
        if !names.is_empty() {
            // A call of an old version is interpreted until it returns.
            let running = self.running(env, &names);
            names.retain(|name| running.iter().all(|call| call.class != *name));
            let found = self.jvm.loaded(env, |name| names.contains(name));
            let begun = Instant::now();
            // A class that the JVM does not change now keeps its flags.
            self.reload(&found.unwrap_or_default(), |_, _| {});
            took = begun.elapsed();
        }
        if let Some(waves) = &mut self.waves {
            waves.stepped(Instant::now(), took);
        }
    }

    /// Ends a drill: every class has its original bytes again, or is named as one that has not.
    pub(super) fn end_drill(&mut self, env: &mut jni::Env<'_>) {
        self.scope = None;
        self.waves = None;
        self.drilled.clear();
        // Times and traces of a thread have their place until its code is restored.
        let has_places = self
            .shared
            .drill()
            .is_some_and(|drill| matches!(drill.what, What::Durations(_) | What::Trace { .. }));
        if !has_places {
            self.shared.arenas().into_iter().for_each(Arenas::end_roots);
        }
        self.shared.keep_final_messages(&self.jvm, env);
        let Some(drill) = self.shared.set_drill(None) else { return };
        for event in [Event::ClassFileLoadHook, Event::ThreadStart] {
            self.watch(false, event);
        }
        let (mut left, mut restored) = (Vec::new(), BTreeSet::new());
        for look in 0..LOOKS {
            if look > 0 {
                // A class may have passed the hook, and not be defined yet.
                thread::sleep(GATHERED);
            }
            let found = self.jvm.loaded(env, |name| drill.has_counted(name));
            let mut found = found.unwrap_or_else(|error| {
                self.tell(Reply::Warning(format!("cannot list the loaded classes: {error}")));
                Vec::new()
            });
            found.retain(|class| restored.insert(self.jvm.key_of(class)));
            self.reload(&found, |why, class| left.push((class.name.clone(), why.to_owned())));
        }
        // After the last class was restored: flags were set until then, and calls had times.
        self.copy_flags(env);
        self.shared.arenas().into_iter().for_each(Arenas::end_roots);
        for (name, why) in left {
            self.tell(Reply::Warning(format!("{name} could not be restored: {why}")));
            self.unrestored.insert(name);
        }
    }

    /// Loads the bytes of these classes again, through the class-file hook if it is on. Classes that the JVM
    /// refuses go to `failed`.
    fn reload(&self, classes: &[Loaded<'_>], mut failed: impl FnMut(&str, &Loaded<'_>)) {
        let mut rest: Vec<&[Loaded<'_>]> = classes.chunks(AT_ONCE).collect();
        while let Some(some) = rest.pop() {
            let references: Vec<_> = some.iter().map(|class| class.class).collect();
            match (self.jvm.retransform(&references), some) {
                (Ok(()), _) => {}
                (Err(why), [class]) => failed(&why, class),
                (Err(_), _) => {
                    let (one, other) = some.split_at(some.len() / 2);
                    rest.extend([one, other]);
                }
            }
        }
    }
}

/// Why there is no memory for counters, with the remedy.
fn no_memory(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::Unsupported {
        let why = "the kernel has no files in memory, which Linux has since version 3.17";
        return format!("{why}: measure on this machine (spl run, spl attach) and drill on another");
    }
    format!("no address space for the counters: {error}")
}

#[cfg(test)]
mod tests {
    use super::counters_crash;

    #[test]
    fn a_drill_that_would_crash_the_compiler_is_refused() {
        assert!(counters_crash("-Xmx1g -XX:+UseShenandoahGC -cp x", 21));
        assert!(!counters_crash("-Xmx1g -XX:+UseShenandoahGC", 17));
        assert!(!counters_crash("-XX:+UseShenandoahGC -XX:LoopStripMiningIter=0", 25));
        assert!(!counters_crash("-XX:+UseZGC", 25));
    }
}
