//! The agent thread: the one place where classes are changed and restored.

use crate::arrivals::Arrivals;
use crate::fault;
use crate::hook::{self, Hook, Outcomes};
use crate::java;
use crate::jvm::{Event, Jvm, Loaded};
use crate::layout::BLOCKS_BYTES;
use crate::memory::Memory;
use crate::state::{Command, Done, State, Target};
use crate::sys;
use crate::waker::Waker;
use jni::objects::JClass;
use jni::refs::Weak;
use spl_model::{Outcome, Refusal};
use spl_wire::{Change, SizeMode};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// A class of this name failed so often that it is left alone.
const FAILURES_TO_QUARANTINE: u32 = 3;
/// Local references that a command may make: one for each loaded class, when it looks for some. Nothing is reserved for
/// them; with more, `-Xcheck:jni` of JDK 17 prints a warning into the program's output.
const LOCAL_REFERENCES: usize = 65_536;

/// Classes with probes before those that were unloaded are looked for the first time.
const MOST_TOUCHED: usize = 4096;

/// The agent thread's own state.
pub struct Worker {
    jvm: Jvm,
    state: &'static State,
    commands: Receiver<Command>,
    done: Sender<Done>,
    waker: Waker,
    /// Classes that have become ready and are not looked at yet.
    arrivals: Arrivals<Weak<JClass<'static>>>,
    /// What should be instrumented now, by class name and id.
    plan: BTreeMap<String, BTreeMap<u32, Target>>,
    /// Of each class that could not be changed: how often, and why the last time.
    failures: HashMap<String, (u32, String)>,
    /// Classes that have probes, by name and loader; in others there is nothing to restore.
    touched: BTreeSet<(String, String)>,
    /// When there are more of them than this, those that are no more are looked for.
    prune_at: usize,
    /// Classes that the JVM would not give their original bytecode back.
    unrestored: BTreeSet<String>,
    /// The gates, if the probe class is defined; or why it is not.
    installed: Result<Memory, String>,
    /// Whether it is compiled.
    warm: bool,
    /// Whether compiled methods are watched for.
    watching: bool,
}

impl Worker {
    /// A worker with an empty plan.
    pub fn new(
        jvm: Jvm,
        state: &'static State,
        commands: Receiver<Command>,
        done: Sender<Done>,
        waker: Waker,
        installed: Result<Memory, String>,
    ) -> Self {
        Self {
            jvm,
            state,
            commands,
            done,
            waker,
            arrivals: Arrivals::new(Instant::now()),
            plan: BTreeMap::new(),
            failures: HashMap::new(),
            touched: BTreeSet::new(),
            prune_at: MOST_TOUCHED,
            unrestored: BTreeSet::new(),
            installed,
            warm: false,
            watching: false,
        }
    }

    /// Serves commands until there can be no more. `env` is the thread's JNI environment.
    pub fn run(mut self, env: *mut c_void) {
        while let Some(command) = self.next() {
            if self.state.has_ended() {
                break;
            }
            let (arrived, begun) = (matches!(command, Command::Prepared(_)), Instant::now());
            let serve = |env: &mut jni::Env<'_>| {
                env.with_local_frame(LOCAL_REFERENCES, |env| {
                    catch_unwind(AssertUnwindSafe(|| self.serve(env, command))).unwrap_or_else(|_| {
                        self.state.fail("agent thread");
                        Ok(())
                    })
                })
            };
            // SAFETY: `env` belongs to this thread.
            if let Err(error) = unsafe { java::with_env(env, serve) } {
                self.tell(Done::Warning(format!("the agent thread failed: {error}")));
            }
            if arrived {
                self.arrivals.took(begun.elapsed());
            }
        }
    }

    /// The next command; classes that have become ready when it is their turn, which nobody else waits for.
    fn next(&mut self) -> Option<Command> {
        let next = loop {
            let due = self.arrivals.due(Instant::now());
            if due == Some(Duration::ZERO) && self.arrivals.is_full() {
                break Command::Prepared(self.arrivals.take());
            }
            let received = match due {
                Some(due) => self.commands.recv_timeout(due),
                None => self.commands.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match received {
                Ok(Command::Prepared(classes)) => self.arrivals.add(classes),
                Ok(command) => break command,
                Err(RecvTimeoutError::Timeout) => break Command::Prepared(self.arrivals.take()),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        };
        match &next {
            Command::Prepared(classes) => self.state.arrived(classes.len()),
            command => self.state.taken(command),
        }
        Some(next)
    }

    fn serve(&mut self, env: &mut jni::Env<'_>, command: Command) -> Result<(), jni::errors::Error> {
        match command {
            Command::Prepare => {
                let ready = self.prepare(env);
                self.tell(Done::Ready(ready));
            }
            Command::Calibrate => self.tell(Done::Cost(java::cost(env).map_err(|e| e.to_string()))),
            Command::Instrument(targets) => self.instrument(env, targets),
            Command::Prepared(classes) => self.prepared(env, &classes),
            Command::VisitLimit(objects) => java::set_visit_limit(env, objects)?,
            Command::Warn(text) => self.tell(Done::Warning(text)),
            Command::Settled => {
                if !self.state.warmth.awaits_any(sys::now_ns()) {
                    self.watch(false, Event::Compiled);
                    self.watching = false;
                }
            }
            Command::Restore(ids) => self.restore(env, &ids.into_iter().collect()),
            Command::RestoreAll => self.restore_all(env),
            Command::Detach => {
                self.restore_all(env);
                let left = self.unrestored.iter().cloned().collect::<Vec<_>>().join(", ");
                let result = if left.is_empty() { Ok(()) } else { Err(format!("not restored: {left}")) };
                self.tell(Done::Detached(result));
            }
        }
        Ok(())
    }

    /// Warms the probe class, once in the life of the JVM. Not at its start: a dormant agent should cost nothing.
    fn prepare(&mut self, env: &mut jni::Env<'_>) -> Result<(), String> {
        let gates = self.installed.clone()?;
        if !self.warm {
            let room = BLOCKS_BYTES >> 10;
            let blocks = self.state.map_blocks();
            let blocks = blocks.map_err(|e| format!("no address space for {room} KB of samples: {e}"))?;
            let jdk = self.jvm.feature_release();
            java::install_rest(env, gates.address(), blocks.address(), jdk).map_err(|e| e.to_string())?;
            self.state.gates.open(0, 1, 0);
            self.state.gates.close(0);
            java::warm(env).map_err(|e| e.to_string())?;
            if let Err(error) = self.jvm.want_disturbances() {
                self.tell(Done::Warning(format!("no warm-up and no garbage collection is seen: {error}")));
            }
            self.warm = true;
        }
        Ok(())
    }

    fn instrument(&mut self, env: &mut jni::Env<'_>, targets: Vec<Target>) {
        let mut names = BTreeSet::new();
        let mut ids = BTreeSet::new();
        for target in targets {
            names.insert(target.method.class().to_owned());
            ids.insert(target.id);
            self.plan.entry(target.method.class().to_owned()).or_default().insert(target.id, target);
        }
        // First the event, then the look at what is loaded: a class that comes between is seen twice, never missed.
        self.publish_plan();
        let found = self.find(&names);
        for name in names.iter().filter(|name| found.iter().all(|class| class.name != **name)) {
            for id in self.planned_ids(name).intersection(&ids) {
                self.tell(Done::Outcome {
                    id: *id,
                    class_loader: String::new(),
                    outcome: Outcome::NotLoaded,
                });
            }
        }
        self.retransform(env, &found, Change::Added, &ids);
        fault::at("agent thread");
    }

    /// Only the class that has come: those of its name that were there have their probes.
    fn prepared(&mut self, env: &mut jni::Env<'_>, classes: &[Weak<JClass<'static>>]) {
        let (mut found, mut ids) = (Vec::new(), BTreeSet::new());
        for class in classes {
            // One that is gone needs no probes.
            let Ok(Some(class)) = class.upgrade_local(env) else { continue };
            // It lives as long as the command's frame.
            let class = class.into_raw().cast();
            let Some(name) = self.jvm.class_name(class) else { continue };
            let planned = self.planned_ids(&name);
            if !planned.is_empty()
                && let Some(ready) = self.jvm.ready(class, name)
            {
                found.push(ready);
                ids.extend(planned);
            }
        }
        if !found.is_empty() {
            self.retransform(env, &found, Change::Added, &ids);
        }
        if self.touched.len() > self.prune_at {
            self.forget_unloaded();
        }
    }

    /// Forgets classes that are no more, of which a program that goes on making them has ever more.
    fn forget_unloaded(&mut self) {
        let names = self.touched.iter().map(|(name, _)| name.clone()).collect();
        let loaded = self.find(&names);
        let living: BTreeSet<_> = loaded.iter().map(|class| self.named(class)).collect();
        self.touched.retain(|class| living.contains(class));
        self.state.warmth.forget();
        self.expect_cold(&loaded);
        self.prune_at = MOST_TOUCHED.max(2 * self.touched.len());
    }

    fn restore(&mut self, env: &mut jni::Env<'_>, ids: &BTreeSet<u32>) {
        let mut names = BTreeSet::new();
        for (name, targets) in &mut self.plan {
            let before = targets.len();
            targets.retain(|id, _| !ids.contains(id));
            if targets.len() < before {
                names.insert(name.clone());
            }
        }
        self.plan.retain(|_, targets| !targets.is_empty());
        self.publish_plan();
        if !names.is_empty() {
            let found = self.find(&names);
            self.retransform(env, &found, Change::Removed, ids);
        }
        // What could not be restored was told, and is not claimed here.
        let stuck = names.iter().any(|name| self.unrestored.contains(name));
        if !stuck {
            self.tell(Done::Restored { ids: ids.iter().copied().collect() });
        }
        if self.plan.is_empty() && self.warm {
            // No layout of a class is needed, and none should keep its class alive.
            let _ = java::forget_layouts(env);
            self.state.arrived(self.arrivals.clear());
            // What was unloaded has no probes.
            self.touched.retain(|(name, _)| self.unrestored.contains(name));
            self.state.warmth.forget();
        }
    }

    fn restore_all(&mut self, env: &mut jni::Env<'_>) {
        let all = self.plan.values().flat_map(BTreeMap::keys).copied().collect();
        self.restore(env, &all);
        let unrestored = std::mem::take(&mut self.unrestored);
        let again = self.find(&unrestored);
        self.retransform(env, &again, Change::Removed, &BTreeSet::new());
        self.failures.clear();
    }

    fn planned_ids(&self, name: &str) -> BTreeSet<u32> {
        self.plan.get(name).map(|targets| targets.keys().copied().collect()).unwrap_or_default()
    }

    /// Tells the class-prepare callback what to look for, and the JVM whether to call it.
    fn publish_plan(&mut self) {
        let names = self.plan.keys().cloned().collect();
        *self.state.planned.write().unwrap_or_else(PoisonError::into_inner) = names;
        let measured = !self.plan.is_empty();
        self.watch(measured, Event::ClassPrepare);
        self.watch(measured, Event::CollectionStart);
        self.watch(measured, Event::CollectionEnd);
        if measured {
            // From now on and for good: threads that own a block may end at any time.
            self.watch(true, Event::ThreadEnd);
        } else {
            // One that goes on would never be seen to end.
            self.state.collections.end(sys::now_ns());
            if std::mem::take(&mut self.watching) {
                self.watch(false, Event::Compiled);
            }
        }
    }

    fn watch(&self, on: bool, event: Event) {
        if let Err(error) = self.jvm.notify(on, event) {
            self.tell(Done::Warning(format!("cannot watch for {event:?}: {error}")));
        }
    }

    /// Finds out which of the methods in the plan have compiled code, which they will lose, and watches for new code.
    fn expect_cold(&mut self, classes: &[Loaded]) {
        let mut planned = BTreeMap::new();
        for class in classes {
            let Some(targets) = self.plan.get(&class.name) else { continue };
            for (method, name, descriptor) in self.jvm.methods(class.class) {
                let is_it = |target: &&Target| {
                    target.method.name() == name && target.method.descriptor().as_str() == descriptor
                };
                if let Some(target) = targets.values().find(is_it) {
                    planned.insert(method, target.id);
                }
            }
        }
        if planned.is_empty() {
            return;
        }
        planned.retain(|method, _| !self.state.warmth.knows(*method));
        planned.iter().for_each(|(method, id)| self.state.warmth.learn(*method, *id));
        if !std::mem::replace(&mut self.watching, true) {
            self.watch(true, Event::Compiled);
        } else if planned.is_empty() {
            // Nothing was missed of those that are known.
            return;
        }
        self.state.warmth.list(|| {
            if let Err(error) = self.jvm.list_compiled() {
                self.tell(Done::Warning(format!("what is compiled cannot be listed: {error}")));
            }
        });
    }

    fn find(&self, names: &BTreeSet<String>) -> Vec<Loaded> {
        if names.is_empty() {
            return Vec::new();
        }
        self.jvm.classes(|name| names.contains(name)).unwrap_or_else(|error| {
            self.tell(Done::Warning(format!("cannot list the loaded classes: {error}")));
            Vec::new()
        })
    }

    /// Brings the bytes of these classes to what the plan says: all in one call if possible.
    fn retransform(
        &mut self,
        env: &mut jni::Env<'_>,
        classes: &[Loaded],
        change: Change,
        ids: &BTreeSet<u32>,
    ) {
        let mut usable = Vec::new();
        for class in classes {
            if !self.jvm.is_modifiable(class.class) {
                self.refuse(class, Refusal::Unmodifiable);
            } else if change == Change::Removed {
                // After an error of our own nothing is sure.
                if self.state.failure().is_some() || self.touched.contains(&self.named(class)) {
                    usable.push(class.clone());
                }
            } else if let Err(why) = finds_probe(env, class) {
                self.refuse(class, Refusal::Loader(why));
            } else if let Some(why) = self.quarantined(&class.name) {
                self.refuse(class, Refusal::Jvm(why));
            } else {
                usable.push(class.clone());
            }
        }
        if usable.is_empty() {
            return;
        }
        if change == Change::Added {
            self.install_processors(env, &usable, ids);
        }
        self.expect_cold(&usable);
        let at_ns = sys::now_ns();
        self.state.changes.begin(at_ns);
        self.bisect(&usable, change);
        let took_ns = sys::now_ns().saturating_sub(at_ns);
        self.state.changes.end(at_ns + took_ns);
        let touched = usable.iter().flat_map(|class| self.planned_ids(&class.name)).collect::<BTreeSet<_>>();
        touched.iter().for_each(|id| self.state.warmth.changed(*id, at_ns));
        let ids = if change == Change::Added {
            touched.intersection(ids).copied().collect()
        } else {
            ids.iter().copied().collect()
        };
        self.tell(Done::Retransformed { ids, change, took_ns, at_ns });
    }

    /// Makes the size processors of these methods ready for calls in these classes.
    fn install_processors(&self, env: &mut jni::Env<'_>, classes: &[Loaded], ids: &BTreeSet<u32>) {
        for class in classes {
            let targets = self.plan.get(&class.name).into_iter().flat_map(BTreeMap::values);
            for target in targets.filter(|target| ids.contains(&target.id)) {
                let (Some(name), SizeMode::Deep) = (&target.processor, target.sizes) else { continue };
                let jar = self.state.processor_jar.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let parameters = target.method.descriptor().parameters();
                let widths =
                    parameters.iter().map(|one| one.primitive_bytes().to_string()).collect::<String>();
                let processor = java::Processor { id: target.id, name, jar: &jar, widths: &widths };
                // SAFETY: the class is a local reference of the command's frame.
                let installed = unsafe { java::install_processor(env, class.class.cast(), &processor) };
                let problem = installed.unwrap_or_else(|error| {
                    env.exception_clear();
                    Some(error.to_string())
                });
                if let Some(why) = problem {
                    let method = &target.method;
                    self.tell(Done::Warning(format!(
                        "size processor {name} of {method} is not used: {why}; its calls have the size of their arguments in \
                         bytes"
                    )));
                }
            }
        }
    }

    /// Changes these classes in one call; should that fail, each half in one, until those are found that make it fail.
    fn bisect(&mut self, classes: &[Loaded], change: Change) {
        match (self.batch(classes), classes) {
            (Ok(()), _) => classes.iter().for_each(|class| self.changed(class)),
            (Err(error), [class]) => self.failed(class, change, error),
            (Err(_), _) => {
                let (some, others) = classes.split_at(classes.len() / 2);
                self.bisect(some, change);
                self.bisect(others, change);
            }
        }
    }

    fn changed(&mut self, class: &Loaded) {
        let named = self.named(class);
        if self.plan.contains_key(&class.name) {
            self.touched.insert(named);
        } else {
            self.touched.remove(&named);
        }
    }

    fn failed(&mut self, class: &Loaded, change: Change, error: String) {
        let (count, last) = self.failures.entry(class.name.clone()).or_default();
        *count += 1;
        last.clone_from(&error);
        if change == Change::Removed {
            self.tell(Done::Warning(format!("{} could not be restored: {error}", class.name)));
            self.unrestored.insert(class.name.clone());
        }
        self.refuse(class, Refusal::Jvm(error));
    }

    /// Why a class of this name is left alone, if it is.
    fn quarantined(&self, name: &str) -> Option<String> {
        let (count, last) = self.failures.get(name)?;
        (*count >= FAILURES_TO_QUARANTINE)
            .then(|| format!("left alone after {count} failures, the last: {last}"))
    }

    fn named(&self, class: &Loaded) -> (String, String) {
        (class.name.clone(), self.jvm.loader_name(class.loader))
    }

    fn batch(&self, classes: &[Loaded]) -> Result<(), String> {
        let planned = |class: &Loaded| Some((class.name.clone(), hook::plan(self.plan.get(&class.name)?)));
        Hook::begin(classes.iter().filter_map(planned).collect());
        let result = self.hooked(classes);
        let done = Hook::end();
        if result.is_ok() {
            // The JVM calls the hook class by class in the order of the request.
            let mut loaders = classes.iter().filter(|class| self.plan.contains_key(&class.name));
            for (name, outcome) in done {
                let loader = loaders
                    .next()
                    .filter(|class| class.name == name)
                    .map_or_else(String::new, |class| self.jvm.loader_name(class.loader));
                self.report(&name, &loader, outcome);
            }
        }
        result
    }

    /// The class-file hook costs each class load of the program, so it is on only now. HotSpot cannot switch it for one
    /// thread: the hook itself passes over classes that are loaded meanwhile.
    fn hooked(&self, classes: &[Loaded]) -> Result<(), String> {
        self.jvm.notify(true, Event::ClassFileLoadHook)?;
        let references = classes.iter().map(|class| class.class).collect::<Vec<_>>();
        let result = self.jvm.retransform(&references);
        self.jvm.notify(false, Event::ClassFileLoadHook)?;
        result
    }

    fn report(&self, name: &str, loader: &str, outcome: Outcomes) {
        let outcomes = outcome.unwrap_or_else(|refusal| {
            self.planned_ids(name).into_iter().map(|id| (id, Outcome::Refused(refusal.clone()))).collect()
        });
        for (id, outcome) in outcomes {
            self.tell(Done::Outcome { id, class_loader: loader.to_owned(), outcome });
        }
    }

    fn refuse(&self, class: &Loaded, refusal: Refusal) {
        self.report(&class.name, &self.jvm.loader_name(class.loader), Err(refusal));
    }

    fn tell(&self, done: Done) {
        // The receiver is the socket thread, which ends only with the JVM.
        let _ = self.done.send(done);
        self.waker.wake();
    }
}

fn finds_probe(env: &mut jni::Env<'_>, class: &Loaded) -> Result<(), String> {
    // SAFETY: the loader is null or a local reference of the command's frame.
    match unsafe { java::finds_probe(env, class.loader.cast()) } {
        Ok(true) => Ok(()),
        Ok(false) => Err("it does not ask its parent for it".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
