//! The messages of a JVM about its drill, and its counters.

use super::arriving::Arriving;
use super::budget::{Budget, cpu_ns};
use super::counters::{Apart, Arcs, CountersFile, Place, Snapshot, least};
use super::marks::{Marks, Series};
use super::rings::{Rings, Traced, Tracing};
use crate::every::Every;
use crate::heard::Gathered;
use crate::numbers::counted;
use spl_model::{DrillKind, Scope, one_line};
use spl_profile::{CountedClass, CountedMethod, ObjectSizes, ProbeCost, Threads, counting};
use spl_wire::{ByeReason, Drilled, ToAgent, ToController};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

/// Largest class file that is believed: the JVM's own limits lie far below.
const LARGEST_CLASS: u32 = 256 << 20;

/// Most bytes of class files of one JVM, which the controller keeps.
const MOST_CLASS_BYTES: u64 = 1 << 30;

/// A drill so far.
#[derive(Debug)]
pub struct Collected {
    what: DrillKind,
    pid: u32,
    command: String,
    counters: Option<CountersFile>,
    /// How to trace, and the rings that are read.
    tracing: Option<Tracing>,
    rings: Option<Rings>,
    /// The files of the classes of a trace.
    arriving: Option<Arriving>,
    /// The methods of the drill.
    scope: Scope,
    /// By their numbers; the second value is the length of the whole class file.
    classes: BTreeMap<u32, (CountedClass, u32)>,
    /// Bytes of all class files, as announced.
    class_bytes: u64,
    left: BTreeMap<String, String>,
    doubts: Vec<String>,
    uncounted: u32,
    changed: (u32, u64),
    budget: Budget,
    /// The numbers of the counters of each class's methods, by the methods' places.
    counting: BTreeMap<u32, Vec<(usize, Range<u64>)>>,
    /// Methods that stopped counting before the end, as in a task file, with the calls of each root until then, and the large ones.
    stopped: BTreeMap<String, Vec<[u64; 2]>>,
    /// Classes of receivers, with their numbers in arcs.
    receivers: Vec<(u64, String)>,
    sizes: ObjectSizes,
    /// When intervals end, and those so far.
    every: Option<Every>,
    marks: Option<Marks>,
    /// The JVM's events.
    heard: Gathered,
    /// Whether the JVM goes on after the drill.
    pub goes_on: bool,
}

/// The orders for a JVM.
#[derive(Clone, Debug)]
pub struct Ordered {
    /// Counts or flags.
    pub what: DrillKind,
    /// Which methods count.
    pub scope: Scope,
    /// How to trace.
    pub tracing: Option<Tracing>,
    /// When intervals of a series end.
    pub every: Option<Every>,
}

/// The reaction to a message.
#[derive(Debug)]
pub enum Step {
    /// Nothing.
    Go,
    /// An answer to the agent.
    Answer(ToAgent),
    /// A line for the operator.
    Note(String),
    /// The drill has begun.
    Begun,
    /// The JVM says nothing more.
    Over,
}

/// A drill that is over.
#[derive(Debug)]
pub struct Profile {
    /// Counts or flags.
    pub what: DrillKind,
    /// The process of the JVM.
    pub pid: u32,
    /// The program's main class or JAR with its arguments.
    pub command: String,
    /// The classes that counted.
    pub classes: Vec<CountedClass>,
    /// Classes that did not count, with the reason.
    pub left: BTreeMap<String, String>,
    /// Why counts may not be exact; one line each.
    pub doubts: Vec<String>,
    /// Counts, and words of traces, for which stack overflows left no room.
    pub uncounted: u32,
    /// Loaded classes that were changed when the drill began, and nanoseconds for it.
    pub changed: (u32, u64),
    /// Methods that stopped counting before the end, as in a task file, with the calls of each root until then, and the large ones.
    pub stopped: BTreeMap<String, Vec<[u64; 2]>>,
    /// The values of the counters, or of the flags.
    pub values: Vec<u64>,
    /// Whether a counter belongs to the arena of threads without their own, by its number.
    pub shared: Vec<bool>,
    /// For each counter the threads in which it is not 0, where arcs count.
    pub threads: Vec<Threads>,
    /// Counts within the calls of each root.
    pub apart: Vec<Apart>,
    /// Arcs of the call graph.
    pub arcs: Arcs,
    /// Classes of receivers, with their numbers in arcs.
    pub receivers: Vec<(u64, String)>,
    /// Sizes of the objects of classes.
    pub sizes: ObjectSizes,
    /// Cost of a probe of durations.
    pub probe: ProbeCost,
    /// Traces of threads.
    pub traced: Option<Traced>,
    /// The counts of intervals.
    pub series: Option<Series>,
    /// The JVM's events.
    pub heard: Gathered,
}

impl Collected {
    /// A drill of this JVM, of which nothing is known yet.
    pub fn new(orders: Ordered, pid: u32, command: String) -> Self {
        let Ordered { what, scope, tracing, every } = orders;
        Self {
            what,
            pid,
            command,
            counters: None,
            tracing,
            rings: None,
            arriving: None,
            scope,
            classes: BTreeMap::new(),
            class_bytes: 0,
            left: BTreeMap::new(),
            doubts: Vec::new(),
            uncounted: 0,
            changed: (0, 0),
            budget: Budget::default(),
            counting: BTreeMap::new(),
            stopped: BTreeMap::new(),
            receivers: Vec::new(),
            sizes: ObjectSizes::default(),
            every,
            marks: None,
            heard: Gathered::default(),
            goes_on: false,
        }
    }

    /// Whether no class counts.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// Takes a message in.
    ///
    /// # Errors
    /// When the drill cannot begin, or the agent contradicts itself; one line of text.
    pub fn take(&mut self, message: ToController) -> Result<Step, String> {
        match message {
            ToController::Drilled(message) => return self.drilled(message),
            ToController::Events(events) => self.heard.take(events)?,
            ToController::Warning { text } => {
                return Ok(Step::Note(format!("the agent warns: {}", one_line(&text))));
            }
            ToController::Bye { reason } => {
                match reason {
                    ByeReason::VmDeath => {}
                    ByeReason::Detached => self.goes_on = true,
                    ByeReason::Failed(why) if self.is_empty() => {
                        return Err(one_line(&format!("nothing was counted: the agent failed: {why}")));
                    }
                    ByeReason::Failed(why) => {
                        self.goes_on = true;
                        self.doubts.push(format!("the agent failed: {}", one_line(&why)));
                    }
                }
                return Ok(Step::Over);
            }
            // About times, which nobody asked for here.
            ToController::Hello { .. }
            | ToController::Outcome { .. }
            | ToController::Surveyed { .. }
            | ToController::Readings { .. }
            | ToController::Labels { .. }
            | ToController::Retransformed { .. }
            | ToController::Restored { .. }
            | ToController::Limit { .. }
            | ToController::Ping { .. }
            | ToController::Pong { .. }
            | ToController::Idle { .. }
            | ToController::Dear { .. }
            | ToController::Metaspace { .. }
            | ToController::Removed { .. } => {}
        }
        Ok(Step::Go)
    }

    fn drilled(&mut self, message: Drilled) -> Result<Step, String> {
        match message {
            Drilled::Counters { descriptor, bytes, arena_bytes, arenas, root_arenas } => {
                let place = Place { pid: self.pid, descriptor, bytes, arena_bytes, arenas, root_arenas };
                let counters = CountersFile::open(place, &self.scope, self.what)?;
                if let Some(tracing) = &self.tracing {
                    let (memory, first, count) = counters.rings()?;
                    let rings = Rings::begin(memory, first, count, tracing, self.pid)?;
                    self.arriving = Some(Arriving::new(rings.folder(), tracing));
                    self.rings = Some(rings);
                }
                self.counters = Some(counters);
                return Ok(Step::Answer(ToAgent::CountersOpened));
            }
            Drilled::Refused { why } => {
                return Err(format!("the drill could not begin: {}", one_line(&why)));
            }
            Drilled::Counted { class, name, length, from_start, methods } => {
                self.class_counts(class, name, length, from_start, methods)?;
            }
            Drilled::Bytes { class, bytes } => return self.bytes(class, &bytes),
            Drilled::Left { name, why } => {
                self.left.insert(name, why);
            }
            Drilled::Begun { classes, took_ns } => {
                self.begin(classes, took_ns);
                return Ok(Step::Begun);
            }
            Drilled::Receivers { classes } => {
                self.named(classes.iter().map(|(_, name)| name))?;
                self.receivers.extend(classes);
            }
            Drilled::Sizes { object, classes } => self.sized(object, classes)?,
            Drilled::Uncounted { times } => {
                self.uncounted = times;
                let times = counted(times.into(), "count", "counts");
                self.doubts.push(format!(
                    "stack overflows left no room for {times} (or words of a trace), or Thread.stop ended them: counts of the methods that were ended so may be too low"
                ));
            }
            Drilled::VirtualThreads => self.doubts.push(
                "virtual threads ran: where two carriers add to one counter at once, a count is lost"
                    .to_owned(),
            ),
        }
        Ok(Step::Go)
    }

    /// Notes that the agent named these classes.
    fn named<'n>(&mut self, names: impl Iterator<Item = &'n String>) -> Result<(), String> {
        self.class_bytes += names.map(|name| name.len() as u64 + 64).sum::<u64>();
        let fits = self.class_bytes <= MOST_CLASS_BYTES;
        fits.then_some(()).ok_or_else(|| "the agent named more classes than a JVM has room for".to_owned())
    }

    /// Notes the size of an object without fields, and those of the objects of classes.
    fn sized(&mut self, object: u32, classes: Vec<(String, u32)>) -> Result<(), String> {
        self.named(classes.iter().map(|(name, _)| name))?;
        self.sizes.object = object;
        classes.into_iter().for_each(|(name, bytes)| self.sizes.add(name, bytes));
        Ok(())
    }

    /// Notes a class that counts, or that not all with its bytes count from their start on.
    fn class_counts(
        &mut self,
        class: u32,
        name: String,
        length: u32,
        from_start: bool,
        methods: Vec<spl_wire::CountedMethod>,
    ) -> Result<(), String> {
        if length > LARGEST_CLASS {
            return Err(format!("the agent says that the class file of {name} has {length} bytes"));
        }
        if let Some((known, _)) = self.classes.get_mut(&class) {
            // Another class with the same bytes.
            known.from_start &= from_start;
            return Ok(());
        }
        let method = |one: spl_wire::CountedMethod| CountedMethod {
            name: one.name,
            descriptor: one.descriptor,
            first: one.first,
            counters: one.counters,
        };
        let methods: Vec<_> = methods.into_iter().map(method).collect();
        let room = self.counters.as_ref().map_or(0, |file| file.capacity(self.what));
        let fits = |method: &CountedMethod| method.end() <= room;
        if !methods.iter().all(fits) {
            return Err(format!("the agent names counters of {name} that it has no room for"));
        }
        self.class_bytes += u64::from(length);
        if self.class_bytes > MOST_CLASS_BYTES {
            return Err(format!("the agent sent class files of more than {} GiB", MOST_CLASS_BYTES >> 30));
        }
        let counted = CountedClass { name, bytes: Vec::new(), from_start, methods };
        self.classes.insert(class, (counted, length));
        Ok(())
    }

    /// Notes the begin of the drill, and begins a series.
    fn begin(&mut self, classes: u32, took_ns: u64) {
        self.changed = (classes, took_ns);
        self.marks = self.every.clone().map(|every| Marks::new(every, Instant::now()));
    }

    /// Adds bytes of a class file.
    fn bytes(&mut self, class: u32, bytes: &[u8]) -> Result<Step, String> {
        let known = self.classes.get_mut(&class);
        let Some((counted, length)) = known else {
            return Err("the agent sent bytes of a class that it did not name".to_owned());
        };
        counted.bytes.extend_from_slice(bytes);
        if counted.bytes.len() > *length as usize {
            return Err(format!("the agent sent more bytes of {} than it said", counted.name));
        }
        let is_whole = counted.bytes.len() == *length as usize;
        if let Some(arriving) = self.arriving.as_mut().filter(|_| is_whole)
            && let Err(why) = arriving.add(counted)
        {
            return Ok(Step::Note(why));
        }
        Ok(Step::Go)
    }

    /// Whether each root had this number of calls.
    pub fn has_calls(&self, enough: u64) -> bool {
        let apart = self.counters.as_ref().and_then(|counters| counters.apart(0).ok());
        apart.is_some_and(|apart| apart.iter().all(|one| one.has_calls(enough)))
    }

    /// Methods that have to stop counting to keep to this share of the JVM's processor time.
    pub fn over(&mut self, share: f64) -> Vec<String> {
        let Some(counters) = &self.counters else { return Vec::new() };
        for (number, (class, length)) in &self.classes {
            if class.bytes.len() == *length as usize && !self.counting.contains_key(number) {
                // The end says which classes have counters that do not fit their bytes.
                self.counting.insert(*number, counting(self.what, class).unwrap_or_default());
            }
        }
        let mut all = Vec::new();
        for (number, (class, _)) in &self.classes {
            for (place, numbers) in self.counting.get(number).into_iter().flatten() {
                all.extend(class.methods.get(*place).map(|method| ((class, method), numbers.clone())));
            }
        }
        let end = all.iter().map(|(_, numbers)| numbers.end).max().unwrap_or(0);
        // A JVM that has just ended has no budget.
        let (Ok((values, _)), Some(cpu_ns)) = (counters.read(end), cpu_ns(self.pid)) else {
            return Vec::new();
        };
        let over = self.budget.over(share, cpu_ns, all.into_iter(), &values);
        let name = |(class, method): (&CountedClass, &CountedMethod)| {
            format!("{}.{}{}", class.name, method.name, method.descriptor)
        };
        let names: Vec<String> =
            over.into_iter().map(name).filter(|name| !self.stopped.contains_key(name)).collect();
        if !names.is_empty() {
            let calls: Vec<[u64; 2]> = counters
                .apart(0)
                .unwrap_or_default()
                .iter()
                .map(|apart| [apart.calls, apart.large.as_ref().map_or(0, |large| large.calls)])
                .collect();
            self.stopped.extend(names.iter().map(|name| (name.clone(), calls.clone())));
        }
        names
    }

    /// When the next instant of the series, or the next look for it, is due.
    pub fn next_mark(&self) -> Option<Instant> {
        self.marks.as_ref().map(Marks::next)
    }

    /// Ends an interval of the series, if that is due.
    ///
    /// # Errors
    /// When the counters cannot be read; one line of text. The interval then goes on.
    pub fn mark(&mut self) -> Result<(), String> {
        let (end, now) = (self.end(), Instant::now());
        let (Some(marks), Some(counters)) = (&mut self.marks, &self.counters) else { return Ok(()) };
        let (mut calls, mut numbers) = (Ok(0), Vec::new());
        if let Some(pattern) = marks.pattern().filter(|_| now >= marks.next()) {
            let classes = self.classes.values().map(|(class, _)| class);
            let methods = classes.flat_map(|class| class.methods.iter().map(move |one| (class, one)));
            let counting = methods.filter(|(class, one)| {
                one.counters.is_ok() && pattern.names(&class.name, &one.name, &one.descriptor)
            });
            // The first counter of a method counts its calls.
            numbers = counting.map(|(_, one)| one.first).collect();
            calls = counters.sum(&numbers);
        }
        // A failed look makes no interval, but is not made again at once.
        let is_due = marks.is_due(calls.as_ref().copied().unwrap_or(0), now);
        calls?;
        if is_due {
            marks.add(counters.snapshot(end)?, &numbers, now);
        }
        Ok(())
    }

    /// The number behind the last counter.
    fn end(&self) -> u64 {
        let methods = self.classes.values().flat_map(|(class, _)| &class.methods);
        methods.map(CountedMethod::end).max().unwrap_or(0)
    }

    /// The JVM ended without a last message.
    pub fn was_cut_short(&mut self) {
        let missing = match self.what {
            DrillKind::Blocks | DrillKind::Time(_) | DrillKind::Paths { .. } | DrillKind::Trace { .. } => {
                "classes loaded in its last moments may be missing"
            }
            DrillKind::Calls(_) => {
                "classes loaded in its last moments may be missing, and the names of receivers' classes and sizes of objects"
            }
            DrillKind::Cover => {
                "code that ran in its last quarter of a second for the first time may be missing"
            }
        };
        self.doubts.push(format!("the JVM ended at once, by a signal, a crash or halt: {missing}"));
    }

    /// The end of the drill was not waited for.
    pub fn was_left_alone(&mut self) {
        self.goes_on = true;
        self.doubts.push(
            "the JVM went on when its counts were read: it did not end with the command, or did not answer"
                .to_owned(),
        );
    }

    /// The drill with its counts, at its end: calls that are under way then go on counting.
    ///
    /// # Errors
    /// When the counters cannot be read; one line of text.
    pub fn finish(mut self) -> Result<Profile, String> {
        let counters = self.counters.as_ref().ok_or("the agent did not say where its counters are")?;
        let end = self.end();
        let (values, shared) = match self.what {
            DrillKind::Blocks
            | DrillKind::Calls(_)
            | DrillKind::Time(_)
            | DrillKind::Paths { .. }
            | DrillKind::Trace { .. } => counters.read(end)?,
            DrillKind::Cover => (counters.flags(end)?, Vec::new()),
        };
        let apart = counters.apart(end)?;
        let (arcs, threads) = (counters.arcs()?, counters.threads(end)?);
        let probe = counters.probe_cost()?;
        let at_end = || Snapshot { values: values.clone(), threads: least(&threads), arcs: arcs.clone() };
        let series = self.marks.take().map(|marks| marks.finish(at_end(), Instant::now()));
        let traced = self.rings.take().map(Rings::finish);
        if arcs.lost > 0 {
            self.doubts.push(format!(
                "{} calls found no room among the arcs of their thread: their callers are not known",
                arcs.lost
            ));
        }
        if self.goes_on {
            self.doubts.extend(in_part(self.what).map(str::to_owned));
        }
        self.doubts.extend(traced.iter().flat_map(Traced::doubts));
        // The last class may lack bytes.
        let (whole, cut): (Vec<_>, Vec<_>) = std::mem::take(&mut self.classes)
            .into_values()
            .partition(|(class, length)| class.bytes.len() == *length as usize);
        for (class, _) in cut {
            self.left.insert(class.name, "its class file did not arrive whole".to_owned());
        }
        Ok(Profile {
            what: self.what,
            pid: self.pid,
            command: self.command,
            classes: whole.into_iter().map(|(class, _)| class).collect(),
            left: self.left,
            doubts: self.doubts,
            uncounted: self.uncounted,
            changed: self.changed,
            values,
            shared,
            threads,
            apart,
            arcs,
            receivers: self.receivers,
            sizes: self.sizes,
            probe,
            traced,
            series,
            heard: self.heard,
            stopped: self.stopped,
        })
    }
}

/// The doubt about calls of a program that goes on after the drill.
fn in_part(what: DrillKind) -> Option<&'static str> {
    match what {
        DrillKind::Blocks | DrillKind::Calls(_) | DrillKind::Paths { .. } => {
            Some("the drill ended before the program: calls that were under way then are counted in part")
        }
        DrillKind::Trace { .. } => Some(
            "the drill ended before the program: of calls that were under way then the trace has a part, \
             and another part than counters have",
        ),
        DrillKind::Cover | DrillKind::Time(_) => None,
    }
}
