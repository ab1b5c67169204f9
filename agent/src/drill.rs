//! A drill: the methods of a scope count their edges or set flags, in loaded classes and in classes that are loaded later.
//!
//! A class that is being loaded is changed before it is defined, so that it counts from its first instruction
//! on. The thread that loads it may have little of its stack left, and so [`weaver`](Drill::new) does the work:
//! a thread that no Java code knows. The loading thread waits for it.

mod later;
mod open;

use crate::arenas::{Arenas, MOST_COUNTERS, MOST_FLAGS};
use crate::fault;
use later::Later;
use open::OpenFlags;
use spl_bytecode::{Counting, names};
use spl_model::{Clock, DrillKind, OfCalls, Refusal, Scope};
use spl_wire::{CLASS_PART, CountedMethod, Drilled, digest};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Longest wait of a thread for the new bytes of its class; after it the class stays as it is.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// Longest wait of a thread for the description of its class to be on the way.
const LONGEST_DELAY: Duration = Duration::from_secs(1);
/// Most bytes of class files that wait to be sent. More come when the controller is slow.
const MOST_WAITING: usize = 256 << 20;

/// Bytes of a method in a message in addition to its texts, at most.
const BESIDE_NAMES: usize = 32;
/// Most classes whose objects have sizes in the end.
const MOST_MADE: usize = 1 << 16;

/// A class whose bytes the JVM is about to use.
#[derive(Debug)]
pub struct Arriving {
    /// Its name, with slashes.
    pub name: String,
    /// Its class file.
    pub bytes: Vec<u8>,
    /// Whether it is one of the JDK's.
    pub of_jdk: bool,
    /// Whether it is being loaded; else it is changed while the program may run it.
    pub from_start: bool,
}

/// The numbers of counters and of flags, for the life of the JVM: old activations may still count.
#[derive(Debug, Default)]
pub struct Numbers {
    counters: Given,
    flags: Given,
}

/// Numbers that were given to classes.
#[derive(Debug, Default)]
struct Given {
    next: u32,
    /// First number of a class, by name and bytes. Classes that are the same in both, of different loaders,
    /// count together.
    known: HashMap<Key, u32>,
}

impl Numbers {
    /// The number behind the last flag.
    pub fn flags(&self) -> u32 {
        self.flags.next
    }

    fn of(&mut self, what: What) -> &mut Given {
        match what {
            What::Blocks | What::Calls(_) | What::Durations(_) | What::Paths { .. } | What::Trace { .. } => {
                &mut self.counters
            }
            What::Cover(_) => &mut self.flags,
        }
    }
}

/// The kind of a drill, and the place of its flags.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// Counts of edges.
    Blocks,
    /// Counts of edges, and something of each call.
    Calls(OfCalls),
    /// Flags of blocks and edges, which are here.
    Cover(&'static Arenas),
    /// Durations of calls.
    Durations(Clock),
    /// Counts of paths.
    Paths {
        /// Whether edges are counted, too.
        blocks: bool,
    },
    /// Everything that runs.
    Trace {
        /// Whether edges are counted, too.
        blocks: bool,
    },
}

impl What {
    /// A drill of this kind.
    pub fn of(kind: DrillKind, arenas: &'static Arenas) -> Self {
        match kind {
            DrillKind::Blocks => Self::Blocks,
            DrillKind::Calls(of) => Self::Calls(of),
            DrillKind::Cover => Self::Cover(arenas),
            DrillKind::Time(clock) => Self::Durations(clock),
            DrillKind::Paths { blocks } => Self::Paths { blocks },
            DrillKind::Trace { blocks } => Self::Trace { blocks },
        }
    }

    /// Whether counters add up, so that each thread needs its own.
    pub fn counts(self) -> bool {
        !matches!(self, Self::Cover(_))
    }

    /// Classes have other numbers with another one of these.
    fn numbering(self) -> u8 {
        match self {
            Self::Blocks | Self::Cover(_) | Self::Trace { .. } => 0,
            Self::Calls(OfCalls::Entered) => 1,
            Self::Calls(OfCalls::Receivers) => 5,
            Self::Durations(_) => 2,
            Self::Paths { blocks } => 3 + u8::from(blocks),
        }
    }

    /// The facts of calls that are counted, if some are.
    pub fn of_calls(self) -> Option<OfCalls> {
        if let Self::Calls(of) = self { Some(of) } else { None }
    }
}

/// Name of a class, digest of its class file, and what has numbers in it.
type Key = (String, [u8; 32], u8);

/// A drill, as the class-file hook sees it.
#[derive(Debug)]
pub struct Drill {
    /// Counts or flags.
    pub what: What,
    scope: Scope,
    jobs: Mutex<Sender<Job>>,
    waiting: Arc<AtomicUsize>,
    counted: Arc<Mutex<HashSet<String>>>,
    open: Arc<Mutex<OpenFlags>>,
    stopped: Arc<Mutex<HashSet<String>>>,
    makes: Arc<Mutex<HashSet<String>>>,
    /// Whether classes are the JDK's, by name and name of the loader, of loaders that find the counters.
    of_jdk: Mutex<HashMap<(String, String), bool>>,
    later: Mutex<Later>,
    late: Arc<Mutex<HashSet<String>>>,
    arrived: Arrived,
}

/// The descriptions of classes that the controller has, or the kernel for it.
#[derive(Debug)]
struct Arrived {
    /// Number of classes, and whether nobody waits for more.
    state: Mutex<(u32, bool)>,
    changed: Condvar,
    /// Longest wait.
    longest: Duration,
}

/// A changed class.
#[derive(Debug, PartialEq, Eq)]
struct Woven {
    bytes: Vec<u8>,
    /// Number of the class in messages.
    class: u32,
}

/// An order for the weaver.
#[derive(Debug)]
enum Job {
    /// Change a class, and answer.
    Weave(Arriving, SyncSender<Result<Option<Woven>, ()>>),
    /// Say something, in the order of what the weaver says itself.
    Say(Drilled),
}

/// New bytes, if the class counts; `Err` after an error of our own.
type Answer = Result<Option<Vec<u8>>, ()>;

impl Drill {
    /// A drill whose thread, yet to be started, runs the second value. Its messages go to `said`.
    pub fn new(
        what: What,
        scope: Scope,
        numbers: &'static Mutex<Numbers>,
        said: impl Fn(Drilled) + Send + 'static,
    ) -> (Self, impl FnOnce() + Send + 'static) {
        let (jobs, orders) = channel();
        let (waiting, counted, open) = (Arc::default(), Arc::default(), Arc::default());
        let (stopped, makes, late) = (Arc::default(), Arc::default(), Arc::default());
        let drill = Self {
            what,
            scope: scope.clone(),
            jobs: Mutex::new(jobs),
            waiting: Arc::clone(&waiting),
            counted: Arc::clone(&counted),
            open: Arc::clone(&open),
            stopped: Arc::clone(&stopped),
            makes: Arc::clone(&makes),
            of_jdk: Mutex::default(),
            later: Mutex::default(),
            late: Arc::clone(&late),
            arrived: Arrived { state: Mutex::default(), changed: Condvar::new(), longest: LONGEST_DELAY },
        };
        let (told, whole, left) = (HashMap::new(), HashSet::new(), HashSet::new());
        let weaver = Weaver {
            what,
            scope,
            numbers,
            said,
            waiting,
            counted,
            open,
            stopped,
            makes,
            late,
            told,
            whole,
            left,
        };
        (drill, move || weaver.run(&orders))
    }

    /// Whether the classes of receivers have to be named at the end.
    pub fn has_receivers(&self) -> bool {
        self.what.of_calls().is_some() || self.scope.receivers
    }

    /// Names of classes whose objects counted methods make, with arcs.
    pub fn makes(&self) -> HashSet<String> {
        self.makes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether some methods of a class may count.
    pub fn wants(&self, class: &str, of_jdk: bool) -> bool {
        let is_own = names::OWN_CLASSES.contains(&class)
            || names::OWN_PACKAGES.iter().any(|package| class.starts_with(package));
        !is_own && self.scope.has_class(class, of_jdk)
    }

    /// Whether a method that a class declares may count. `declared` gives their names, descriptors and access flags; none of a
    /// class that is not prepared yet.
    pub fn wants_one(
        &self,
        class: &str,
        of_jdk: bool,
        declared: impl FnOnce() -> Vec<(String, String, u16)>,
    ) -> bool {
        if self.scope.has_whole_class(class, of_jdk) {
            return true;
        }
        let declared = declared();
        // Abstract and native methods (JVMS 4.6) have none.
        let has_code = |access: u16| access & 0x0500 == 0;
        declared.is_empty()
            || declared.iter().any(|(name, descriptor, access)| {
                has_code(*access) && self.scope.has(class, of_jdk, name, descriptor)
            })
    }

    /// Tells which class of the JDK does not count although it is meant: the counters need it.
    pub fn say_own_class(&self) {
        const UNSAFE: &str = "jdk/internal/misc/Unsafe";
        if self.scope.has_class(UNSAFE, true) {
            let why = Refusal::OwnClass(UNSAFE.to_owned()).to_string();
            self.say(Drilled::Left { name: UNSAFE.to_owned(), why });
        }
    }

    /// Notes whether the class of a name and of a loader, which finds the counters, is one of the JDK's.
    pub fn learn(&self, class: &str, loader: String, of_jdk: bool) {
        let key = (class.to_owned(), loader);
        self.of_jdk.lock().unwrap_or_else(PoisonError::into_inner).insert(key, of_jdk);
    }

    /// Whether such a class is one of the JDK's, if that is noted. Another class of its name may be of a loader that
    /// does not find the counters.
    pub fn is_of_jdk(&self, class: &str, loader: String) -> Option<bool> {
        let key = (class.to_owned(), loader);
        self.of_jdk.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied()
    }

    /// A class is being loaded that the agent thread has to look at.
    pub fn comes_later(&self, class: &str) {
        self.later.lock().unwrap_or_else(PoisonError::into_inner).comes(class);
    }

    /// The agent thread has found a class of this name.
    pub fn is_reached(&self, class: &str) {
        self.later.lock().unwrap_or_else(PoisonError::into_inner).is_reached(class);
    }

    /// A message for each class that the agent thread has not found.
    pub fn unreached(&self) -> Vec<Drilled> {
        self.later.lock().unwrap_or_else(PoisonError::into_inner).unreached()
    }

    /// Names of classes that are changed for the first time, some time after they were loaded.
    pub fn are_late(&self, classes: HashSet<String>) {
        *self.late.lock().unwrap_or_else(PoisonError::into_inner) = classes;
    }

    /// Whether classes of this name have counted.
    pub fn has_counted(&self, class: &str) -> bool {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner).contains(class)
    }

    /// Lets methods stop counting when their classes are changed the next time. Returns the names of these classes.
    pub fn stop(&self, methods: Vec<String>) -> HashSet<String> {
        let class = |method: &String| {
            let name = method.split_once('(').map_or(&method[..], |(name, _)| name);
            name.rsplit_once('.').map(|(class, _)| class.to_owned())
        };
        let classes = methods.iter().filter_map(class).collect();
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner).extend(methods);
        classes
    }

    /// Names of classes with code of flags that are set, which could be without it.
    pub fn stale(&self) -> Vec<String> {
        let What::Cover(arenas) = self.what else { return Vec::new() };
        self.open.lock().unwrap_or_else(PoisonError::into_inner).stale(|flag| arenas.is_set(flag))
    }

    /// The new bytes of a class, or `None` to leave it as it is. `Err` after an error of our own. A class that
    /// is being loaded waits until its description is on the way, so that its counts have a meaning even if the
    /// JVM is killed.
    pub fn transform(&self, class: Arriving) -> Answer {
        let (answer, answered) = sync_channel(1);
        let (name, from_start) = (class.name.clone(), class.from_start);
        let sent = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).send(Job::Weave(class, answer));
        // Without a weaver the drill is over.
        if sent.is_err() {
            return Ok(None);
        }
        let mut answer = answered.recv_timeout(LONGEST_WAIT);
        if answer == Err(RecvTimeoutError::Timeout) {
            // This process may have been stopped meanwhile.
            answer = answered.try_recv().map_err(|_| RecvTimeoutError::Timeout);
        }
        match answer {
            Ok(Ok(Some(woven))) => {
                if from_start {
                    self.arrived.wait(woven.class);
                }
                Ok(Some(woven.bytes))
            }
            Ok(Ok(None)) | Err(RecvTimeoutError::Disconnected) => Ok(None),
            Ok(Err(())) => Err(()),
            Err(RecvTimeoutError::Timeout) => {
                // The weaver may have described it already.
                self.say(Drilled::Left { name, why: "its change took too long".to_owned() });
                Ok(None)
            }
        }
    }

    /// The descriptions of all classes up to this number are on the way.
    pub fn described(&self, class: u32) {
        self.arrived.reach(class);
    }

    /// Passes a message to the controller.
    pub fn say(&self, message: Drilled) {
        let _ = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).send(Job::Say(message));
    }

    /// Bytes of a class file were sent.
    pub fn sent(&self, bytes: usize) {
        self.waiting.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Arrived {
    /// Waits for the description of a class. If it takes too long once, nobody waits again: a slow controller
    /// must not slow the program down for each class.
    fn wait(&self, class: u32) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_missing = |state: &mut (u32, bool)| state.0 <= class && !state.1;
        let waited = self.changed.wait_timeout_while(state, self.longest, is_missing);
        let (mut state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        state.1 |= timeout.timed_out();
    }

    fn reach(&self, class: u32) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 = state.0.max(class.saturating_add(1));
        self.changed.notify_all();
    }
}

/// Bytes of a method in a message, at most.
fn name_bytes(one: &spl_bytecode::CountedMethod) -> usize {
    let why = one.outcome.as_ref().err().map_or(0, |why| why.to_string().len());
    one.method.name.len() + one.method.descriptor.len() + why + BESIDE_NAMES
}

/// The thread that changes class files.
struct Weaver<S> {
    what: What,
    scope: Scope,
    numbers: &'static Mutex<Numbers>,
    said: S,
    waiting: Arc<AtomicUsize>,
    counted: Arc<Mutex<HashSet<String>>>,
    open: Arc<Mutex<OpenFlags>>,
    /// Methods that count no more, as in a task file.
    stopped: Arc<Mutex<HashSet<String>>>,
    /// Classes whose objects counted methods make.
    makes: Arc<Mutex<HashSet<String>>>,
    /// Classes that begin to count late.
    late: Arc<Mutex<HashSet<String>>>,
    /// Classes that the controller knows, by their numbers in messages.
    told: HashMap<Key, u32>,
    /// Classes that count from their start on, with all others of the same bytes.
    whole: HashSet<u32>,
    /// Classes that the controller knows as left alone.
    left: HashSet<Key>,
}

impl<S: Fn(Drilled)> Weaver<S> {
    fn run(mut self, orders: &Receiver<Job>) {
        while let Ok(job) = orders.recv() {
            let (class, answer) = match job {
                Job::Weave(class, answer) => (class, answer),
                Job::Say(message) => {
                    (self.said)(message);
                    continue;
                }
            };
            let woven = catch_unwind(AssertUnwindSafe(|| {
                fault::at("spl-weaver");
                self.weave(class)
            }));
            let failed = woven.is_err();
            // A thread that waited too long has gone on.
            let _ = answer.send(woven.map_err(drop));
            if failed {
                return;
            }
        }
    }

    fn weave(&mut self, class: Arriving) -> Option<Woven> {
        let key = (class.name, digest(&class.bytes), self.what.numbering());
        let first = {
            let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
            let given = numbers.of(self.what);
            given.known.get(&key).copied().unwrap_or(given.next)
        };
        let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let wanted = |name: &str, descriptor: &str| {
            self.scope.has(&key.0, class.of_jdk, name, descriptor)
                && (stopped.is_empty() || !stopped.contains(&format!("{}.{name}{descriptor}", key.0)))
        };
        let open = RefCell::new(Vec::new());
        let is_set = |flag| {
            let What::Cover(arenas) = self.what else { return false };
            let is_set = arenas.is_set(flag);
            open.borrow_mut().extend((!is_set).then_some(flag));
            is_set
        };
        let root = |name: &str, descriptor: &str| {
            let method = format!("{}.{name}{descriptor}", key.0);
            (0..).zip(&self.scope.roots).find_map(|(number, root)| (*root == method).then_some(number))
        };
        let within = |name: &str, descriptor: &str| self.scope.within(&key.0, name, descriptor);
        let (counting, most) = match self.what {
            What::Blocks => (Counting::Blocks { root: &root, calls: None }, MOST_COUNTERS),
            What::Calls(of) => (Counting::Blocks { root: &root, calls: Some(of) }, MOST_COUNTERS),
            What::Cover(_) => (Counting::Cover { is_set: &is_set }, MOST_FLAGS),
            What::Durations(clock) => (Counting::Durations(clock), MOST_COUNTERS),
            What::Paths { blocks } => (Counting::Paths { blocks }, MOST_COUNTERS),
            What::Trace { blocks } => (self.tracing(blocks, &within), MOST_COUNTERS),
        };
        let counted = match spl_bytecode::count(&class.bytes, counting, wanted, first, most - first) {
            Ok(counted) => counted,
            Err(refusal) => return self.leave(key, refusal.to_string()),
        };
        if counted.methods.is_empty() {
            return None;
        }
        if !self.told.contains_key(&key) {
            let length = class.bytes.len();
            if self.waiting.load(Ordering::Relaxed) + length > MOST_WAITING {
                return self.leave(key, "too many classes wait to be sent to the controller".to_owned());
            }
            if counted.methods.iter().map(name_bytes).sum::<usize>() > CLASS_PART {
                return self.leave(key, "the names of its methods fill more than a message".to_owned());
            }
            self.waiting.fetch_add(length, Ordering::Relaxed);
            let number = self.told.len() as u32;
            self.tell(number, &key.0, class.from_start, length, &counted.methods);
            for part in class.bytes.chunks(CLASS_PART) {
                (self.said)(Drilled::Bytes { class: number, bytes: part.to_vec() });
            }
            let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
            let given = numbers.of(self.what);
            if given.known.insert(key.clone(), first).is_none() {
                given.next = first + counted.counters;
            }
            self.told.insert(key.clone(), number);
            self.whole.extend(class.from_start.then_some(number));
        } else if !class.from_start {
            self.tell_late(&key, class.bytes.len(), &counted.methods);
        }
        if counted.methods.iter().all(|method| method.outcome.is_err()) {
            return None;
        }
        self.note_made(counted.makes);
        let class = self.told.get(&key).copied()?;
        let is_original = !self.what.counts() && self.note(&key, open.into_inner(), &counted.methods);
        self.counted.lock().unwrap_or_else(PoisonError::into_inner).insert(key.0);
        (!is_original).then_some(Woven { bytes: counted.bytes, class })
    }

    /// Notes classes whose objects a counted class makes.
    fn note_made(&self, classes: impl IntoIterator<Item = String>) {
        let mut makes = self.makes.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MOST_MADE.saturating_sub(makes.len());
        makes.extend(classes.into_iter().take(room));
    }

    /// Tells a class once more that is changed for the first time, where one of the same bytes, in another loader, counts from its start on.
    fn tell_late(&mut self, key: &Key, length: usize, methods: &[spl_bytecode::CountedMethod]) {
        if !self.late.lock().unwrap_or_else(PoisonError::into_inner).contains(&key.0) {
            return;
        }
        if let Some(number) = self.told.get(key).filter(|number| self.whole.remove(number)) {
            self.tell(*number, &key.0, false, length, methods);
        }
    }

    /// Traces, within the calls of some methods if there are some.
    fn tracing<'w>(&self, blocks: bool, within: &'w dyn Fn(&str, &str) -> Option<u32>) -> Counting<'w> {
        let Scope { total, receivers, timed, .. } = self.scope;
        Counting::Trace { blocks, within, total, receivers, timed }
    }

    /// Notes the flags that a class has code for; gives whether the class has no such flag.
    fn note(&self, key: &Key, mut flags: Vec<u32>, methods: &[spl_bytecode::CountedMethod]) -> bool {
        for refused in methods.iter().filter(|method| method.outcome.is_err()) {
            flags.retain(|flag| !(refused.first..refused.first + refused.counters).contains(flag));
        }
        let is_empty = flags.is_empty();
        self.open.lock().unwrap_or_else(PoisonError::into_inner).note(&key.0, key.1, flags);
        is_empty
    }

    fn tell(
        &self,
        class: u32,
        name: &str,
        from_start: bool,
        length: usize,
        methods: &[spl_bytecode::CountedMethod],
    ) {
        let method = |one: &spl_bytecode::CountedMethod| CountedMethod {
            name: one.method.name.clone(),
            descriptor: one.method.descriptor.clone(),
            first: one.first,
            counters: one.outcome.as_ref().map(|_| one.counters).map_err(Clone::clone),
        };
        (self.said)(Drilled::Counted {
            class,
            name: name.to_owned(),
            length: length as u32,
            from_start,
            methods: methods.iter().map(method).collect(),
        });
    }

    fn leave(&mut self, key: Key, why: String) -> Option<Woven> {
        if self.left.insert(key.clone()) {
            (self.said)(Drilled::Left { name: key.0, why });
        }
        None
    }
}

#[cfg(test)]
mod tests;
