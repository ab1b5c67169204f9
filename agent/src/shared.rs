//! What callbacks, agent thread and socket thread share.

use crate::gates::Gates;
use crate::layout::BLOCKS_BYTES;
use crate::memory::Memory;
use crate::pauses::Pauses;
use crate::warmth::Warmth;
use jni::objects::JClass;
use jni::refs::Weak;
use spl_model::{Instrument, InstrumentId, Outcome};
use spl_wire::{Change, Label};
use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};

/// An instrument that is to be put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Permanent id: of the method's gate and in its bytecode.
    pub id: InstrumentId,
    /// The method, in every class of that name, and the kind of probe.
    pub instrument: Instrument,
}

/// To the agent thread, which alone changes classes.
#[derive(Debug)]
pub enum Command {
    /// Make the probe class ready; answered by [`Reply::Ready`].
    Prepare,
    /// Measure what a measured call costs; answered by [`Reply::Cost`].
    Calibrate,
    /// Put probes into these methods.
    Instrument(Vec<Target>),
    /// Give these methods, by id, their original bytecode back.
    Restore(Vec<InstrumentId>),
    /// Give every class its original bytecode back: the controller is gone.
    RestoreAll,
    /// The same on the controller's wish; answered by [`Reply::Detached`].
    Detach,
    /// Look whether the probes of these methods, by id, are still there: their gates are open and no call was seen.
    Look(Vec<InstrumentId>),
    /// The limit of the metaspace that changes of classes may keep, bytes.
    MetaspaceLimit(u64),
    /// No method is awaited any more that was compiled before its class was changed.
    Settled,
    /// How many objects the size `deep` looks at for one argument.
    VisitLimit(u32),
    /// For the operator, from user code in the program.
    Warn(String),
    /// Tell which calls still run that did when their class was changed; the agent thread's own order.
    SayRunning,
    /// Classes whose names are in the plan have become ready.
    Prepared(Vec<Weak<JClass<'static>>>),
}

impl Command {
    /// How much waits while this does.
    fn weight(&self) -> usize {
        match self {
            Self::Instrument(targets) => 1 + targets.len(),
            Self::Restore(ids) | Self::Look(ids) => 1 + ids.len(),
            // They have a queue and a limit of their own.
            Self::Prepared(_) | Self::SayRunning => 0,
            Self::Prepare
            | Self::Calibrate
            | Self::RestoreAll
            | Self::Detach
            | Self::MetaspaceLimit(_)
            | Self::Settled
            | Self::VisitLimit(_)
            | Self::Warn(_) => 1,
        }
    }
}

/// From the agent thread.
#[derive(Debug)]
pub enum Reply {
    /// The probe class is ready and warm, or why it is not.
    Ready(Result<(), String>),
    /// What measured calls of an empty method cost together: nanoseconds and their number, or why that is not known.
    Cost(Result<(u64, u64), String>),
    /// What became of a method in one class.
    Outcome { id: InstrumentId, class_loader: String, outcome: Outcome },
    /// Classes were changed.
    Retransformed { ids: Vec<InstrumentId>, change: Change, took_ns: u64, at_ns: u64 },
    /// These methods are as they were.
    Restored { ids: Vec<InstrumentId> },
    /// Every class is as it was found, as the controller wished; or which are not.
    Detached(Result<(), String>),
    /// Changes of the classes of these methods should be few: each may keep this many bytes of metaspace.
    Dear { ids: Vec<InstrumentId>, bytes: u64 },
    /// What all changes of classes keep of metaspace and may keep, in bytes.
    Metaspace { kept: u64, reserved: u64, limit: u64 },
    /// Another agent took the probes of these methods out, at most `gap_ns` nanoseconds before they went in again. `times`
    /// counts how often that has happened.
    Removed { ids: Vec<InstrumentId>, times: u32, gap_ns: u64 },
    /// For the operator.
    Warning(String),
}

/// Methods and classes that may wait for the agent thread before no more orders are read: user code may hold it up.
const MOST_WAITING: usize = 16_384;
/// Classes that have become ready and may wait for the agent thread.
const MOST_ARRIVING: usize = 4096;
/// Labels that all size processors may give together.
const MOST_LABELS: usize = 10_000;

/// The state that the JVM's callbacks reach.
#[derive(Debug)]
pub struct Shared {
    /// The gates.
    pub gates: Gates,
    blocks: OnceLock<Memory>,
    /// Garbage collections.
    pub collections: Pauses,
    /// Our own changes of classes.
    pub changes: Pauses,
    /// Which methods have no compiled code by our doing.
    pub warmth: Warmth,
    /// Names of the classes in the plan, for the class-prepare callback.
    pub planned: RwLock<HashSet<String>>,
    /// Whether a class of such a name is not measured because too many came.
    pub overtaken: AtomicBool,
    /// `java.lang.Thread` id of the agent thread, whose calls are not the program's; 0 before there is one.
    pub agent_thread: AtomicU64,
    /// A JAR in which size processors are looked for, too; or nothing.
    pub processor_jar: Mutex<String>,
    /// Labels that size processors gave, by their numbers.
    labels: Mutex<Vec<String>>,
    commands: Mutex<Option<Sender<Command>>>,
    /// What waits in `commands`.
    waiting: AtomicUsize,
    /// Classes that have become ready and are not looked at yet.
    arriving: AtomicUsize,
    failure: OnceLock<String>,
    ended: AtomicBool,
}

impl Shared {
    /// Nothing planned, all gates closed.
    pub fn new(gates: Memory) -> Self {
        let planned = RwLock::new(HashSet::new());
        Self {
            gates: Gates::new(gates),
            blocks: OnceLock::new(),
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

    /// The blocks of the threads, once [`map_blocks`](Self::map_blocks) was there.
    pub fn blocks(&self) -> Option<Memory> {
        self.blocks.get().copied()
    }

    /// Makes room for the blocks, if there is none yet. Not before a controller comes: a program that locks its memory
    /// (mlockall(2)) would have all of it in memory.
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

    /// Where commands go from now on.
    pub fn connect(&self, commands: Sender<Command>) {
        *self.commands.lock().unwrap_or_else(PoisonError::into_inner) = Some(commands);
    }

    /// No more commands, not even those that wait: the agent thread ends. A thread that waited in native code would hold up the JVM's exit for
    /// 300 ms (HotSpot, `VM_Exit::wait_for_threads_in_native_to_block`).
    pub fn hang_up(&self) {
        self.ended.store(true, Ordering::Release);
        *self.commands.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Whether the agent thread is to serve no more commands.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// After a panic in `place` nothing is measured any more and every class is restored: what else is wrong is not known.
    pub fn fail(&self, place: &str) {
        self.gates.close_all();
        if self.failure.set(format!("an error inside the agent ({place})")).is_ok() {
            self.command(Command::Detach);
        }
    }

    /// Why the agent has given up, if it has.
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    /// Gives a new label its number; none when there are [`MOST_LABELS`].
    pub fn label(&self, text: String) -> Option<i32> {
        let mut labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        let number = i32::try_from(labels.len()).ok().filter(|_| labels.len() < MOST_LABELS)?;
        labels.push(text);
        Some(number)
    }

    /// The labels from the number `first` on.
    pub fn labels_from(&self, first: usize) -> Vec<Label> {
        let labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        let new = (0..).zip(labels.iter()).skip(first);
        new.map(|(id, text)| Label { id, text: text.clone() }).collect()
    }

    /// A command that was handed to the agent thread waits no more.
    pub fn taken(&self, command: &Command) {
        self.waiting.fetch_sub(command.weight(), Ordering::Relaxed);
    }

    /// A class has become ready; false when too many wait for it to wait with them.
    pub fn arrives(&self) -> bool {
        let fits = self.arriving.load(Ordering::Relaxed) < MOST_ARRIVING;
        if fits {
            self.arriving.fetch_add(1, Ordering::Relaxed);
        } else {
            self.overtaken.store(true, Ordering::Relaxed);
        }
        fits
    }

    /// So many that [arrived](Self::arrives) wait no more.
    pub fn arrived(&self, classes: usize) {
        self.arriving.fetch_sub(classes, Ordering::Relaxed);
    }

    /// Whether enough waits for the agent thread.
    pub fn is_busy(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) >= MOST_WAITING
    }

    /// Hands a command to the agent thread, if it lives.
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
