//! The state shared by callbacks, agent thread and socket thread.

use crate::arenas::Arenas;
use crate::drill::{Drill, Numbers};
use crate::gates::Gates;
use crate::hearing::Hearing;
use crate::java::counters::{self, ClassFiles, Flags};
use crate::jvm::Jvm;
use crate::layout::BLOCKS_BYTES;
use crate::memory::Memory;
use crate::pauses::Pauses;
use crate::receivers;
use crate::warmth::Warmth;
use jni::objects::JClass;
use jni::refs::Weak;
use spl_model::{DrillKind, Instrument, InstrumentId, Outcome, Scope};
use spl_wire::{Change, Drilled, Events, Label, Listening, LoadedClass, Wanted};
use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;

/// An instrument to put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Permanent id: of the method's gate and in its bytecode.
    pub id: InstrumentId,
    /// The method, in every class of that name, and the kind of probe.
    pub instrument: Instrument,
}

/// An order for the agent thread, the only thread that changes classes.
#[derive(Debug)]
pub enum Command {
    /// Prepare the probe class; answered by [`Reply::Ready`].
    Prepare,
    /// Measure the cost of a measured call; answered by [`Reply::Cost`].
    Calibrate,
    /// Make counters ready for a drill of these methods.
    OpenDrill(DrillKind, Scope),
    /// Begin the drill.
    BeginDrill,
    /// Let these methods of the drill stop counting.
    StopCounting(Vec<String>),
    /// Listen to the JVM's events.
    Listen(Listening),
    /// Look at threads and memory, or report; the agent thread's own order.
    Hear,
    /// Let classes count that were left when they were loaded.
    DrillLater,
    /// Take flags that are set out of some classes.
    Wave,
    /// Let the counters add atomically: virtual threads are about to run.
    AddAtomically,
    /// Put probes into these methods.
    Instrument(Vec<Target>),
    /// Restore the original bytecode of these methods, by id.
    Restore(Vec<InstrumentId>),
    /// Restore the original bytecode of every class: the controller is gone.
    RestoreAll,
    /// Restore every class by order of the controller; answered by [`Reply::Detached`].
    Detach,
    /// Check whether these methods, by id, still have their probes: their gates are open and no call was
    /// recorded.
    Look(Vec<InstrumentId>),
    /// Limit of the metaspace that changes of classes may keep, in bytes.
    MetaspaceLimit(u64),
    /// No method waits for the JIT any more that was compiled before its class was changed.
    Settled,
    /// Number of objects that the size `deep` visits for one argument.
    VisitLimit(u32),
    /// Name the loaded classes that are asked for; answered by [`Reply::Surveyed`].
    Survey(Vec<Wanted>),
    /// A warning for the operator, from user code in the program.
    Warn(String),
    /// Report the calls that ran when their class was changed and still run; the agent thread's own order.
    SayRunning,
    /// End the agent thread; it may be started again.
    Leave,
    /// Classes whose names are in the plan have become ready.
    Prepared(Vec<Weak<JClass<'static>>>),
}

impl Command {
    /// Number of items that this command adds to the queue.
    fn weight(&self) -> usize {
        match self {
            Self::Instrument(targets) => 1 + targets.len(),
            Self::Restore(ids) | Self::Look(ids) => 1 + ids.len(),
            // These commands have a queue and a limit of their own.
            Self::Prepared(_) | Self::SayRunning | Self::Wave | Self::Hear => 0,
            Self::Prepare
            | Self::Calibrate
            | Self::OpenDrill(..)
            | Self::Listen(_)
            | Self::StopCounting(_)
            | Self::BeginDrill
            | Self::DrillLater
            | Self::AddAtomically
            | Self::RestoreAll
            | Self::Detach
            | Self::MetaspaceLimit(_)
            | Self::Settled
            | Self::Leave
            | Self::VisitLimit(_)
            | Self::Survey(_)
            | Self::Warn(_) => 1,
        }
    }
}

/// A message of the agent thread.
#[derive(Debug)]
pub enum Reply {
    /// The probe class is ready and warm, or the reason why not.
    Ready(Result<(), String>),
    /// Cost of measured calls of an empty method: nanoseconds of all together and their number, or the reason
    /// why it is unknown.
    Cost(Result<(u64, u64), String>),
    /// Outcome of a method in one class.
    Outcome { id: InstrumentId, class_loader: String, outcome: Outcome },
    /// Classes were changed.
    Retransformed { ids: Vec<InstrumentId>, change: Change, took_ns: u64, at_ns: u64 },
    /// These methods have their original bytecode again.
    Restored { ids: Vec<InstrumentId> },
    /// Every class has its original bytes again, by order of the controller; else the classes that have not.
    Detached(Result<(), String>),
    /// Changes of the classes of these methods should be rare: each may keep this many bytes of metaspace.
    Dear { ids: Vec<InstrumentId>, bytes: u64 },
    /// Metaspace kept by all changes of classes, set aside for restoring, and its limit, in bytes.
    Metaspace { kept: u64, reserved: u64, limit: u64 },
    /// Another agent took out the probes of these methods, at most `gap_ns` nanoseconds before they were put
    /// in again. `times` counts these events.
    Removed { ids: Vec<InstrumentId>, times: u32, gap_ns: u64 },
    /// The loaded classes that are asked for.
    Surveyed(Survey),
    /// A warning for the operator.
    Warning(String),
    /// A message about a drill, for the controller as it is.
    Told(Drilled),
    /// A message about the JVM's events, for the controller as it is.
    Heard(Events),
}

/// The JVM's paths, and loaded classes.
#[derive(Debug)]
pub struct Survey {
    /// `java.class.path`, `jdk.module.path` and `java.home`.
    pub paths: [String; 3],
    /// Number of loaded classes.
    pub loaded: u32,
    /// The classes that are asked for.
    pub classes: Vec<LoadedClass>,
    /// Whether these are all of them.
    pub is_whole: bool,
}

/// Methods and classes in the agent thread's queue above which no more orders are read: user code may delay
/// that thread.
const MOST_WAITING: usize = 16_384;
/// Most classes that became ready and wait for the agent thread.
const MOST_ARRIVING: usize = 4096;
/// Longest wait of a carrier of virtual threads for counters that add atomically.
const CARRIERS_WAIT: Duration = Duration::from_secs(5);
/// Most labels of all size processors together.
const MOST_LABELS: usize = 10_000;

/// The state that the JVM's callbacks reach.
#[derive(Debug)]
pub struct Shared {
    /// The gates.
    pub gates: Gates,
    blocks: OnceLock<Memory>,
    arenas: OnceLock<Arenas>,
    flags: OnceLock<Flags>,
    /// Numbers of counters.
    pub numbers: Mutex<Numbers>,
    drill: RwLock<Option<Arc<Drill>>>,
    is_drilling: AtomicBool,
    /// The last messages of a drill.
    final_messages: Mutex<Vec<Drilled>>,
    /// Whether the agent thread has an order to look at left classes.
    is_left: AtomicBool,
    /// The class files of counters that add atomically, and of arcs that follow virtual threads, by their names, once they have to.
    pub for_virtual_threads: OnceLock<ClassFiles>,
    /// Whether the first carrier of virtual threads has come, and whether counters add atomically.
    carriers: (Mutex<(bool, bool)>, Condvar),
    /// Whether the program may run its first class.
    may_start: (Mutex<bool>, Condvar),
    /// Counts of the JVM's events.
    pub hearing: Hearing,
    /// Garbage collections.
    pub collections: Pauses,
    /// Our own changes of classes.
    pub changes: Pauses,
    /// Methods that lost their compiled code through a change by the agent.
    pub warmth: Warmth,
    /// Names of the classes in the plan, for the class-prepare callback.
    pub planned: RwLock<HashSet<String>>,
    /// Whether a class with a name in the plan is not measured because too many came.
    pub overtaken: AtomicBool,
    /// `java.lang.Thread` id of the agent thread, whose calls are not the program's; 0 before it exists.
    pub agent_thread: AtomicU64,
    /// An additional JAR for size processors, or nothing.
    pub processor_jar: Mutex<String>,
    /// Labels that size processors gave, indexed by number.
    labels: Mutex<Vec<String>>,
    commands: Mutex<Option<Sender<Command>>>,
    /// Items that wait in `commands`.
    waiting: AtomicUsize,
    /// Classes that became ready and are not processed yet.
    arriving: AtomicUsize,
    failure: OnceLock<String>,
    ended: AtomicBool,
}

impl Shared {
    /// The state without a plan, with all gates closed.
    pub fn new(gates: Memory) -> Self {
        let planned = RwLock::new(HashSet::new());
        Self {
            gates: Gates::new(gates),
            blocks: OnceLock::new(),
            arenas: OnceLock::new(),
            flags: OnceLock::new(),
            numbers: Mutex::default(),
            drill: RwLock::new(None),
            is_drilling: AtomicBool::new(false),
            final_messages: Mutex::default(),
            is_left: AtomicBool::new(false),
            for_virtual_threads: OnceLock::new(),
            carriers: (Mutex::new((false, false)), Condvar::new()),
            may_start: (Mutex::new(false), Condvar::new()),
            hearing: Hearing::default(),
            collections: Pauses::default(),
            changes: Pauses::default(),
            warmth: Warmth::default(),
            planned,
            overtaken: AtomicBool::new(false),
            agent_thread: AtomicU64::new(0),
            processor_jar: Mutex::default(),
            labels: Mutex::default(),
            commands: Mutex::new(None),
            waiting: AtomicUsize::new(0),
            arriving: AtomicUsize::new(0),
            failure: OnceLock::new(),
            ended: AtomicBool::new(false),
        }
    }

    /// The blocks of the threads, once [`map_blocks`](Self::map_blocks) was called.
    pub fn blocks(&self) -> Option<Memory> {
        self.blocks.get().copied()
    }

    /// Maps the blocks unless that was done before. Not before a controller connects: a program that locks
    /// its memory (mlockall(2)) would have all of it in memory.
    ///
    /// # Errors
    /// When the kernel has no room.
    pub fn map_blocks(&self) -> io::Result<Memory> {
        if let Some(blocks) = self.blocks() {
            return Ok(blocks);
        }
        let blocks = Memory::map(BLOCKS_BYTES)?;
        Ok(*self.blocks.get_or_init(|| blocks))
    }

    /// The counters' memory, if there was a drill.
    pub fn arenas(&self) -> Option<&Arenas> {
        self.arenas.get()
    }

    /// Maps the counters' memory unless that was done before.
    ///
    /// # Errors
    /// When the kernel has no room, or no files in memory.
    pub fn map_arenas(&self) -> io::Result<&Arenas> {
        if let Some(arenas) = self.arenas() {
            return Ok(arenas);
        }
        let arenas = Arenas::map()?;
        Ok(self.arenas.get_or_init(|| arenas))
    }

    /// The flags of the program, once a drill has set some.
    pub fn flags(&self) -> Option<&Flags> {
        self.flags.get()
    }

    /// Keeps the flags of the program.
    pub fn keep_flags(&self, flags: Flags) -> &Flags {
        self.flags.get_or_init(|| flags)
    }

    /// Copies the flags of the program to where the controller reads them.
    pub fn copy_flags(&self, env: &mut jni::Env<'_>) -> Result<(), jni::errors::Error> {
        let (Some(flags), Some(arenas)) = (self.flags(), self.arenas()) else { return Ok(()) };
        let count = self.numbers.lock().unwrap_or_else(PoisonError::into_inner).flags();
        let mut set = vec![0; count as usize];
        flags.read(env, &mut set)?;
        (0..count).zip(set).filter(|(_, set)| *set != 0).for_each(|(flag, _)| arenas.set(flag));
        Ok(())
    }

    /// Keeps the last messages of a drill: the names of receivers' classes and the sizes of objects, if it needs them, and what could not be counted.
    pub fn keep_final_messages(&self, jvm: &Jvm, env: &mut jni::Env<'_>) {
        let Some(drill) = self.drill() else { return };
        let mut messages = if drill.has_receivers() {
            receivers::names(jvm, env, drill.what.of_calls())
        } else {
            Vec::new()
        };
        if drill.what.of_calls().is_some() {
            messages.extend(receivers::sizes(jvm, env, &drill.makes()));
        }
        let times = counters::uncounted(env).unwrap_or_default();
        messages.extend((times > 0).then_some(Drilled::Uncounted { times }));
        messages.extend(drill.unreached());
        *self.final_messages.lock().unwrap_or_else(PoisonError::into_inner) = messages;
    }

    /// The messages that were kept.
    pub fn final_messages(&self) -> Vec<Drilled> {
        std::mem::take(&mut self.final_messages.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The drill under way.
    pub fn drill(&self) -> Option<Arc<Drill>> {
        if !self.is_drilling.load(Ordering::Acquire) {
            return None;
        }
        self.drill.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Begins or ends a drill; returns the one before.
    pub fn set_drill(&self, drill: Option<Drill>) -> Option<Arc<Drill>> {
        let mut current = self.drill.write().unwrap_or_else(PoisonError::into_inner);
        self.is_drilling.store(drill.is_some(), Ordering::Release);
        std::mem::replace(&mut *current, drill.map(Arc::new))
    }

    /// A class was left as it is for now: the agent thread looks at it a little later.
    pub fn drill_later(&self) {
        if !self.is_left.swap(true, Ordering::AcqRel) {
            self.command(Command::DrillLater);
        }
    }

    /// The agent thread looks now.
    pub fn drills_now(&self) {
        self.is_left.store(false, Ordering::Release);
    }

    /// A carrier of virtual threads begins: waits until counters add atomically, because a virtual thread may
    /// leave its carrier within a call. False when that takes too long.
    pub fn await_atomic_counters(&self) -> bool {
        let mut state = self.carriers.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut state.0, true) {
            self.command(Command::AddAtomically);
        }
        let waited = self.carriers.1.wait_timeout_while(state, CARRIERS_WAIT, |(_, are_atomic)| !*are_atomic);
        waited.unwrap_or_else(PoisonError::into_inner).0.1
    }

    /// Counters add atomically from now on, or could not be changed.
    pub fn has_atomic_counters(&self, are_atomic: bool) {
        *self.carriers.0.lock().unwrap_or_else(PoisonError::into_inner) = (true, are_atomic);
        self.carriers.1.notify_all();
    }

    /// Lets the program run its first class.
    pub fn start_program(&self) {
        *self.may_start.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.may_start.1.notify_all();
    }

    /// Waits until the program may run its first class, at most for this time.
    pub fn wait_to_start(&self, at_most: Duration) {
        let may = self.may_start.0.lock().unwrap_or_else(PoisonError::into_inner);
        // After the deadline the program starts anyway.
        drop(self.may_start.1.wait_timeout_while(may, at_most, |may| !*may));
    }

    /// Sets the receiver of commands.
    pub fn connect(&self, commands: Sender<Command>) {
        *self.commands.lock().unwrap_or_else(PoisonError::into_inner) = Some(commands);
    }

    /// Drops all commands, including waiting ones, so that the agent thread ends. A thread that waited in
    /// native code would delay the JVM's exit by 300 ms (HotSpot,
    /// `VM_Exit::wait_for_threads_in_native_to_block`).
    pub fn hang_up(&self) {
        self.ended.store(true, Ordering::Release);
        *self.commands.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Whether the agent thread should serve no more commands.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// After a panic in `place` measuring stops and every class is restored: the rest of the state may be
    /// wrong, too.
    pub fn fail(&self, place: &str) {
        self.gates.close_all();
        if self.failure.set(format!("an error inside the agent ({place})")).is_ok() {
            self.command(Command::Detach);
        }
    }

    /// The reason why the agent has given up, if it has.
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    /// Numbers a new label; `None` when there are [`MOST_LABELS`].
    pub fn label(&self, text: String) -> Option<i32> {
        let mut labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        let number = i32::try_from(labels.len()).ok().filter(|_| labels.len() < MOST_LABELS)?;
        labels.push(text);
        Some(number)
    }

    /// The labels from number `first` on.
    pub fn labels_from(&self, first: usize) -> Vec<Label> {
        let labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        let new = (0..).zip(labels.iter()).skip(first);
        new.map(|(id, text)| Label { id, text: text.clone() }).collect()
    }

    /// Counts a command as no longer waiting, once the agent thread has it.
    pub fn taken(&self, command: &Command) {
        self.waiting.fetch_sub(command.weight(), Ordering::Relaxed);
    }

    /// Counts a class that became ready; false when too many wait already.
    pub fn arrives(&self) -> bool {
        let fits = self.arriving.load(Ordering::Relaxed) < MOST_ARRIVING;
        if fits {
            self.arriving.fetch_add(1, Ordering::Relaxed);
        } else {
            self.overtaken.store(true, Ordering::Relaxed);
        }
        fits
    }

    /// Counts this number of [arrived](Self::arrives) classes as no longer waiting.
    pub fn arrived(&self, classes: usize) {
        self.arriving.fetch_sub(classes, Ordering::Relaxed);
    }

    /// Whether the agent thread's queue is full.
    pub fn is_busy(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) >= MOST_WAITING
    }

    /// Sends a command to the agent thread, if it still runs.
    pub fn command(&self, command: Command) {
        if let Some(commands) = &*self.commands.lock().unwrap_or_else(PoisonError::into_inner) {
            self.waiting.fetch_add(command.weight(), Ordering::Relaxed);
            // The receiver is gone only when the agent thread has ended, after it restored everything.
            if let Err(unsent) = commands.send(command) {
                self.taken(&unsent.0);
            }
        }
    }
}
