//! The agent thread, the only place where classes are changed and restored. This file decides about changes,
//! [`change`] makes them, [`account`] knows their cost, [`watch`] notices when other agents undo them.

mod account;
mod change;
mod drill;
mod hearing;
mod known;
mod running;
mod survey;
mod watch;

use crate::arenas::Arenas;
use crate::arrivals::Arrivals;
use crate::counters::Counters;
use crate::fault;
use crate::java;
use crate::java::counters::ClassFiles;
use crate::jvm::{ClassRef, Event, Jvm, Loaded};
use crate::layout::{BLOCKS_BYTES, OWN_GATE};
use crate::memory::Memory;
use crate::metaspace::{Account, Key};
use crate::shared::{Command, Reply, Shared, Target};
use crate::sys;
use crate::waker::Waker;
use crate::waves::Waves;
use jni::objects::JClass;
use jni::refs::Weak;
use known::{Calls, Heard, Watched};
use spl_model::{DrillKind, InstrumentId, Outcome, Scope};
use spl_wire::Change;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// Most local references of a command: one for each loaded class, when it searches them. Nothing is reserved
/// for them. With more, `-Xcheck:jni` of JDK 17 prints a warning into the program's output.
pub const LOCAL_REFERENCES: usize = 65_536;

/// Number of known classes above which unloaded classes are pruned for the first time.
const MOST_TOUCHED: usize = 4096;
/// Time between looks at the threads that ask for arenas of roots.
const ROOTS_EVERY: Duration = Duration::from_millis(20);

/// The agent thread's own state.
pub struct Worker {
    jvm: Jvm,
    shared: &'static Shared,
    commands: Receiver<Command>,
    done: Sender<Reply>,
    waker: Waker,
    /// Classes that became ready and are not processed yet.
    arrivals: Arrivals<Weak<JClass<'static>>>,
    /// The targets to instrument, by class name and id.
    plan: BTreeMap<String, BTreeMap<InstrumentId, Target>>,
    /// Number of failed changes and the last reason, by class name.
    failures: HashMap<String, (u32, String)>,
    /// Classes that have probes, by name and loader; other classes need no restoring.
    touched: BTreeSet<Key>,
    /// The expected bytecode of the classes with probes.
    watched: BTreeMap<Key, Watched>,
    /// Number of times another agent took the probes out of classes of a name and they were put in again, for
    /// this controller.
    removed: HashMap<String, u32>,
    /// Metaspace cost of all changes in the life of the JVM.
    account: Account,
    /// The JVM's counters, if it has them.
    counters: Option<Counters>,
    /// Whether the controller was informed that a newly loaded class is too dear.
    arrival_refused: bool,
    /// Whether the JVM had no memory for a change. Until this controller has gone, classes are only restored.
    no_memory: bool,
    /// Number of known classes at which unloaded ones are pruned next.
    prune_at: usize,
    /// Names of the classes whose original bytecode the JVM refused to restore.
    unrestored: BTreeSet<String>,
    /// The gates if the probe class is defined, else the reason why not.
    installed: Result<Memory, String>,
    /// Whether the probe class is compiled.
    warm: bool,
    /// Whether events of compiled methods are switched on.
    watching: bool,
    /// Calls that were running when their class was changed.
    calls: Calls,
    /// Whether the class of the counters is defined.
    counts: bool,
    /// The classes that count, in the form for virtual threads, until it is used.
    for_virtual_threads: Option<ClassFiles>,
    /// Kind and methods of the drill that is about to begin.
    scope: Option<(DrillKind, Scope)>,
    /// The waves of a drill that sets flags.
    waves: Option<Waves>,
    /// Loaded classes that a drill has looked at, by name and loader.
    drilled: BTreeSet<Key>,
    /// Listening that is under way.
    heard: Option<Heard>,
    /// Whether the end of each thread has to be known, for the rest of the JVM's life: it may own a block.
    needs_thread_ends: bool,
}

impl Worker {
    /// A worker with an empty plan.
    pub fn new(
        jvm: Jvm,
        shared: &'static Shared,
        commands: Receiver<Command>,
        done: Sender<Reply>,
        waker: Waker,
        installed: Result<Memory, String>,
    ) -> Self {
        Self {
            jvm,
            shared,
            commands,
            done,
            waker,
            arrivals: Arrivals::new(Instant::now()),
            plan: BTreeMap::new(),
            failures: HashMap::new(),
            touched: BTreeSet::new(),
            watched: BTreeMap::new(),
            removed: HashMap::new(),
            account: Account::new(jvm.feature_release()),
            counters: None,
            arrival_refused: false,
            no_memory: false,
            prune_at: MOST_TOUCHED,
            unrestored: BTreeSet::new(),
            installed,
            warm: false,
            watching: false,
            calls: Calls::default(),
            counts: false,
            for_virtual_threads: None,
            scope: None,
            waves: None,
            drilled: BTreeSet::new(),
            heard: None,
            needs_thread_ends: false,
        }
    }

    /// Serves commands until the channel is closed, or the agent leaves: true then, and this may be called
    /// again.
    ///
    /// # Safety
    /// `env` must be the calling thread's JNI environment until this returns.
    pub unsafe fn run(&mut self, env: *mut c_void) -> bool {
        while let Some(command) = self.next() {
            if self.shared.has_ended() {
                break;
            }
            if matches!(command, Command::Leave) {
                return true;
            }
            let (arrived, begun) = (matches!(command, Command::Prepared(_)), Instant::now());
            let serve = |env: &mut jni::Env<'_>| {
                env.with_local_frame(LOCAL_REFERENCES, |env| {
                    catch_unwind(AssertUnwindSafe(|| self.serve(env, command))).unwrap_or_else(|_| {
                        self.shared.fail("agent thread");
                        Ok(())
                    })
                })
            };
            // SAFETY: `env` is this thread's, by the contract above.
            if let Err(error) = unsafe { java::with_env(env, serve) } {
                self.tell(Reply::Warning(format!("the agent thread failed: {error}")));
            }
            if arrived {
                self.arrivals.took(begun.elapsed());
            }
        }
        false
    }

    /// The next command. Waiting classes come as a command of their own when they are due, because nothing
    /// else waits for them.
    fn next(&mut self) -> Option<Command> {
        let next = loop {
            let now = Instant::now();
            let due = self.arrivals.due(now);
            if due == Some(Duration::ZERO) && self.arrivals.is_full() {
                break Command::Prepared(self.arrivals.take());
            }
            let look = self.calls.due(now);
            if look == Some(Duration::ZERO) {
                break Command::SayRunning;
            }
            let wave = self.waves.as_ref().map(|waves| waves.due(now));
            if wave == Some(Duration::ZERO) {
                break Command::Wave;
            }
            let hear = self.heard.as_ref().map(|heard| heard.due(now));
            if hear == Some(Duration::ZERO) {
                break Command::Hear;
            }
            let has_roots = self.shared.arenas().is_some_and(Arenas::give_wanted);
            let roots = has_roots.then_some(ROOTS_EVERY);
            let received = match due.into_iter().chain(look).chain(wave).chain(hear).chain(roots).min() {
                Some(due) => self.commands.recv_timeout(due),
                None => self.commands.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match received {
                Ok(Command::Prepared(classes)) => self.arrivals.add(classes),
                Ok(command) => break command,
                Err(RecvTimeoutError::Timeout)
                    if due.is_none_or(|due| {
                        look.into_iter().chain(wave).chain(hear).chain(roots).any(|other| other < due)
                    }) => {}
                Err(RecvTimeoutError::Timeout) => break Command::Prepared(self.arrivals.take()),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        };
        if let Command::Prepared(classes) = &next {
            self.shared.arrived(classes.len());
        } else {
            self.shared.taken(&next);
        }
        Some(next)
    }

    fn serve(&mut self, env: &mut jni::Env<'_>, command: Command) -> Result<(), jni::errors::Error> {
        match command {
            Command::Prepare => {
                let ready = self.prepare(env);
                self.tell(Reply::Ready(ready));
            }
            Command::Calibrate => self.tell(Reply::Cost(java::cost(env).map_err(|e| e.to_string()))),
            Command::Instrument(targets) => self.instrument(env, targets),
            Command::Prepared(classes) => self.prepared(env, &classes),
            Command::SayRunning => self.say_running(env),
            Command::Wave => self.wave(env),
            Command::VisitLimit(objects) => java::set_visit_limit(env, objects)?,
            Command::MetaspaceLimit(bytes) => self.account.set_limit(bytes),
            Command::Look(ids) => self.look(env, &ids.into_iter().collect()),
            Command::Survey(wanted) => {
                let survey = self.survey(env, &wanted);
                self.tell(Reply::Surveyed(survey));
            }
            Command::Warn(text) => self.tell(Reply::Warning(text)),
            // Ends the loop that calls this.
            Command::Leave => {}
            Command::Settled => {
                if !self.shared.warmth.awaits_any(sys::now_ns()) {
                    self.watch(false, Event::Compiled);
                    self.watching = false;
                }
            }
            Command::Listen(wanted) => self.listen(env, wanted),
            Command::Hear => self.hear(env),
            Command::OpenDrill(kind, scope) => self.open_drill(env, kind, scope),
            Command::BeginDrill => self.begin_drill(env),
            Command::DrillLater => self.drill_later(env),
            Command::StopCounting(methods) => self.stop_counting(env, methods),
            Command::AddAtomically => self.add_atomically(env),
            Command::Restore(ids) => self.restore(env, &ids.into_iter().collect()),
            Command::RestoreAll => self.restore_all(env),
            Command::Detach => {
                self.restore_all(env);
                let left = self.unrestored.iter().cloned().collect::<Vec<_>>().join(", ");
                let result = if left.is_empty() { Ok(()) } else { Err(format!("not restored: {left}")) };
                self.tell(Reply::Detached(result));
            }
        }
        Ok(())
    }

    /// Warms the probe class, once in the life of the JVM. Not at the JVM's start: a dormant agent should
    /// cost nothing.
    fn prepare(&mut self, env: &mut jni::Env<'_>) -> Result<(), String> {
        let gates = self.installed.clone()?;
        if !self.warm {
            let room = BLOCKS_BYTES >> 10;
            let blocks = self.shared.map_blocks();
            let blocks = blocks.map_err(|e| format!("no address space for {room} KB of samples: {e}"))?;
            let jdk = self.jvm.feature_release();
            java::install_rest(env, gates.address(), blocks.address(), jdk).map_err(|e| e.to_string())?;
            self.shared.gates.open(OWN_GATE, 1, 0);
            self.shared.gates.close(OWN_GATE);
            java::warm(env).map_err(|e| e.to_string())?;
            if let Err(error) = self.jvm.want_disturbances() {
                self.tell(Reply::Warning(format!("no warm-up and no garbage collection is seen: {error}")));
            }
            if let Err(error) = self.jvm.want_looks() {
                self.tell(Reply::Warning(format!(
                    "probes that another agent removes are not noticed: {error}"
                )));
            }
            self.open_account(env);
            self.warm = true;
        }
        Ok(())
    }

    fn instrument(&mut self, env: &mut jni::Env<'_>, targets: Vec<Target>) {
        let mut names = BTreeSet::new();
        let (mut ids, mut new) = (BTreeSet::new(), BTreeSet::new());
        for target in targets {
            let (id, class) = (target.id, target.instrument.method.class().to_owned());
            names.insert(class.clone());
            ids.insert(id);
            if self.plan.entry(class).or_default().insert(id, target).is_none() {
                new.insert(id);
            }
        }
        // First the event, then the look at loaded classes: a class that is loaded between them is seen
        // twice, never missed.
        self.publish_plan();
        let found = self.find(env, &names);
        for name in names.iter().filter(|name| found.iter().all(|class| class.name != **name)) {
            for id in self.planned_ids(name).intersection(&ids) {
                self.tell(Reply::Outcome {
                    id: *id,
                    class_loader: String::new(),
                    outcome: Outcome::NotLoaded,
                });
            }
        }
        let (found, poor) = self.afford(env, found);
        if !poor.is_empty() {
            self.turn_down(&poor, &new);
        }
        self.retransform(env, &found, Change::Added, &ids);
        fault::at("agent thread");
    }

    /// Changes only the newly loaded classes; older classes of the same name have their probes already.
    fn prepared(&mut self, env: &mut jni::Env<'_>, classes: &[Weak<JClass<'static>>]) {
        let (mut found, mut ids) = (Vec::new(), BTreeSet::new());
        for class in classes {
            // A class that was unloaded needs no probes.
            let Ok(Some(class)) = class.upgrade_local(env) else { continue };
            // SAFETY: a new local reference to a class that is still there, in the frame of `env`; nobody
            // else owns it now.
            let class = unsafe { ClassRef::new(class.into_raw().cast()) };
            let Some(name) = self.jvm.class_name(class) else { continue };
            let planned = self.planned_ids(&name);
            if !planned.is_empty()
                && let Some(ready) = self.jvm.ready(env, class, name)
            {
                found.push(ready);
                ids.extend(planned);
            }
        }
        if !found.is_empty() {
            let (found, poor) = self.afford(env, found);
            if let Some(why) = poor.values().next()
                && !std::mem::replace(&mut self.arrival_refused, true)
            {
                self.tell(Reply::Warning(format!("calls in classes that come later are not seen: {why}")));
            }
            self.retransform(env, &found, Change::Added, &ids);
        }
        if self.known_classes() > self.prune_at {
            self.forget_unloaded(env);
        }
    }

    fn restore(&mut self, env: &mut jni::Env<'_>, ids: &BTreeSet<InstrumentId>) {
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
            let found = self.find(env, &names);
            self.retransform(env, &found, Change::Removed, ids);
        }
        // A failed restoration has been reported; it must not be claimed as done here.
        let stuck = names.iter().any(|name| self.unrestored.contains(name));
        if !stuck {
            self.tell(Reply::Restored { ids: ids.iter().copied().collect() });
        }
        if self.plan.is_empty() && self.warm {
            // No layout of a class is needed any more, and none should keep its class alive.
            let _ = java::forget_layouts(env);
            self.shared.arrived(self.arrivals.clear());
            // Unloaded classes have no probes.
            self.touched.retain(|(name, _)| self.unrestored.contains(name));
            self.watched.clear();
            self.shared.warmth.forget();
        }
    }

    fn restore_all(&mut self, env: &mut jni::Env<'_>) {
        self.end_listening(env);
        self.end_drill(env);
        let all = self.plan.values().flat_map(BTreeMap::keys).copied().collect();
        self.restore(env, &all);
        let unrestored = std::mem::take(&mut self.unrestored);
        let again = self.find(env, &unrestored);
        self.retransform(env, &again, Change::Removed, &BTreeSet::new());
        self.failures.clear();
        self.removed.clear();
        // A dormant agent stops no thread.
        self.calls.forget();
        self.arrival_refused = false;
        self.no_memory = false;
    }

    fn planned_ids(&self, name: &str) -> BTreeSet<InstrumentId> {
        self.plan.get(name).map(|targets| targets.keys().copied().collect()).unwrap_or_default()
    }

    /// Sets the names that the class-prepare callback looks for, and switches the events on or off.
    fn publish_plan(&mut self) {
        let names = self.plan.keys().cloned().collect();
        *self.shared.planned.write().unwrap_or_else(PoisonError::into_inner) = names;
        let measured = !self.plan.is_empty();
        self.watch(measured, Event::ClassPrepare);
        self.watch(measured, Event::CollectionStart);
        self.watch(measured, Event::CollectionEnd);
        if measured {
            // From now on for the life of the JVM: threads that own a block may end at any time.
            self.watch(true, Event::ThreadEnd);
            self.needs_thread_ends = true;
        } else {
            // The end of an open interval would not be seen any more.
            self.shared.collections.end(sys::now_ns());
            if std::mem::take(&mut self.watching) {
                self.watch(false, Event::Compiled);
            }
        }
    }

    fn watch(&self, on: bool, event: Event) {
        if let Err(error) = self.jvm.notify(on, event) {
            self.tell(Reply::Warning(format!("cannot watch for {event:?}: {error}")));
        }
    }

    /// Finds the methods in the plan that have compiled code, which they will lose, and watches for new code.
    fn expect_cold(&mut self, classes: &[Loaded<'_>]) {
        let mut planned = BTreeMap::new();
        for class in classes {
            let Some(targets) = self.plan.get(&class.name) else { continue };
            // A class may have 65,535 methods, and a pattern may mean them all.
            let mut wanted = HashMap::new();
            for target in targets.values() {
                let method = &target.instrument.method;
                wanted.entry((method.name(), method.descriptor().as_str())).or_insert(target.id);
            }
            for (method, name, descriptor) in self.jvm.methods(class.class) {
                if let Some(id) = wanted.get(&(&*name, &*descriptor)) {
                    planned.insert(method, *id);
                }
            }
        }
        if planned.is_empty() {
            return;
        }
        planned.retain(|method, _| !self.shared.warmth.knows(*method));
        planned.iter().for_each(|(method, id)| self.shared.warmth.learn(*method, *id));
        if !std::mem::replace(&mut self.watching, true) {
            self.watch(true, Event::Compiled);
        } else if planned.is_empty() {
            // The state of known methods is complete.
            return;
        }
        self.shared.warmth.list(|| {
            if let Err(error) = self.jvm.list_compiled() {
                self.tell(Reply::Warning(format!("what is compiled cannot be listed: {error}")));
            }
        });
    }

    fn find<'local>(&self, env: &jni::Env<'local>, names: &BTreeSet<String>) -> Vec<Loaded<'local>> {
        if names.is_empty() {
            return Vec::new();
        }
        self.jvm.classes(env, |name| names.contains(name)).unwrap_or_else(|error| {
            self.tell(Reply::Warning(format!("cannot list the loaded classes: {error}")));
            Vec::new()
        })
    }

    fn tell(&self, done: Reply) {
        // The receiver is the socket thread, which ends only with the JVM.
        let _ = self.done.send(done);
        self.waker.wake();
    }
}
