//! Arcs of the call graph: the methods that each call entered, from the numbers that the agent counts by.

use crate::class::{CountedClass, CountedMethod};
use crate::fault::Fault;
use crate::hierarchy::{Hierarchy, Method};
use crate::method::{Bytecodes, MethodProfile};
use crate::reach::member;
use spl_classfile::mutf8;
use spl_graph::forms::field;
use spl_graph::{CallKind, Counters, NumberedCall};
use spl_model::arena::Arc;
use spl_model::{DrillKind, OfCalls};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The arcs of a drill, by the numbers of the calls.
#[derive(Clone, Debug)]
pub struct Arcs {
    /// The facts of calls that were counted.
    of: OfCalls,
    pub(crate) of_call: BTreeMap<u32, Vec<(Arc, u64)>>,
    /// Names of the counted methods by their first counters, with the name and descriptor.
    methods: BTreeMap<u32, Named>,
    /// Names of classes by their numbers.
    receivers: BTreeMap<u64, BTreeSet<String>>,
    /// Names that classes of several loaders have, with the numbers of these classes in their order.
    namesakes: BTreeMap<String, Vec<u64>>,
    pub(crate) hierarchy: Hierarchy,
    /// For each counter the threads in which it is not 0; none where that is not known.
    threads: Vec<Threads>,
}

/// Bounds of the number of threads in which a counter is not 0. A thread is not told from the one that had its arena before, and what a thread counted before
/// the drill not from what it counted in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    /// The least.
    pub least: u64,
    /// The greatest.
    pub most: u64,
}

#[derive(Clone, Debug)]
struct Named {
    /// As in a task file.
    name: String,
    class: String,
    member: String,
}

/// A place that calls, with what became of its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// Offset of the instruction.
    pub at: u32,
    /// Its source line; `None` where the class file has none for it.
    pub line: Option<u16>,
    /// Its block.
    pub block: usize,
    /// By which instruction.
    pub kind: CallKind,
    /// Class that the instruction names, with slashes.
    pub class: String,
    /// Name and descriptor of the called method.
    pub member: String,
    /// Number of the calls.
    pub count: u64,
    /// Their answers.
    pub answers: Vec<Answer>,
    /// Of a call whose receiver chooses: number of times that the receiver's class was another than that of the last call from the
    /// same place in the same thread. Calls that entered no counted method are passed over.
    pub changes: Option<u64>,
    /// Of such a call: number of threads in which a receiver chose, if that is known.
    pub threads: Option<Threads>,
}

/// The answer to some calls of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The end of these calls.
    pub what: What,
    /// The number of calls.
    pub calls: u64,
}

impl Answer {
    /// Adds it to others.
    pub(crate) fn add_to(self, answers: &mut Vec<Self>) {
        match answers.iter_mut().find(|answer| answer.what == self.what) {
            Some(answer) => answer.calls = answer.calls.saturating_add(self.calls),
            None => answers.push(self),
        }
    }
}

/// The end that a call came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A counted method that the call is for.
    Entered {
        /// The method, as in a task file.
        method: String,
        /// Class of the receiver, with slashes, where it chooses; several if their numbers are the same, none if it was unloaded.
        receivers: Option<Vec<String>>,
    },
    /// A counted method that something called which the call is for: a native method, or one that does not count. The call itself is
    /// among those of another answer.
    Via(String),
    /// A method that the JVM called by itself, such as the initialiser of a class. It is not among the calls.
    Implicit(String),
    /// A native method; where it is known with its name, as in a task file, and the classes of its receivers.
    Native(Option<(String, Vec<String>)>),
    /// A method that does not count.
    Unseen {
        /// The reason.
        why: &'static str,
        /// As of [`Entered`](Self::Entered), where they are known.
        receivers: Option<Vec<String>>,
    },
    /// No method: an exception left the block at the call or before it.
    NotEntered,
}

impl What {
    /// Its name in tables.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Entered { .. } => "entered",
            Self::Via(_) => "via",
            Self::Implicit(_) => "implicit",
            Self::Native(_) => "native",
            Self::Unseen { .. } => "unseen",
            Self::NotEntered => "not entered",
        }
    }

    /// A method that does not count, of a receiver that is not known.
    pub(crate) fn unseen(why: &'static str) -> Self {
        Self::Unseen { why, receivers: None }
    }

    /// The method that calls reached, if it is known: as in a task file.
    #[must_use]
    pub fn method(&self) -> Option<&str> {
        match self {
            Self::Entered { method, .. } | Self::Via(method) | Self::Implicit(method) => Some(method),
            Self::Native(known) => known.as_ref().map(|(method, _)| &**method),
            Self::Unseen { .. } | Self::NotEntered => None,
        }
    }

    /// Classes of the receivers, with slashes, if they are known; several if their numbers are the same, none if the class was unloaded.
    #[must_use]
    pub fn receivers(&self) -> Option<&[String]> {
        match self {
            Self::Entered { receivers, .. } | Self::Unseen { receivers, .. } => receivers.as_deref(),
            Self::Native(known) => known.as_ref().map(|(_, receivers)| &**receivers),
            Self::Via(_) | Self::Implicit(_) | Self::NotEntered => None,
        }
    }
}

/// The calls that entered a counted method.
fn entered(answers: &[Answer]) -> u64 {
    let entered = answers.iter().filter(|answer| matches!(answer.what, What::Entered { .. }));
    entered.fold(0, |sum, answer| sum.saturating_add(answer.calls))
}

impl Called {
    /// Its calls that entered a counted method.
    #[must_use]
    pub fn entered(&self) -> u64 {
        entered(&self.answers)
    }

    /// Number of methods that its receivers chose, and of their classes.
    #[must_use]
    pub fn polymorphism(&self) -> (usize, usize) {
        let (mut methods, mut classes) = (BTreeSet::new(), BTreeSet::new());
        for answer in &self.answers {
            if let What::Entered { .. } | What::Native(Some(_)) | What::Unseen { receivers: Some(_), .. } =
                &answer.what
            {
                methods.extend(answer.what.method());
                classes.insert(answer.what.receivers());
            }
        }
        (methods.len(), classes.len())
    }
}

impl Arcs {
    /// The arcs of the calls and entries that these classes counted. `receivers` has numbers and names of classes.
    #[must_use]
    pub fn of(
        of: OfCalls,
        classes: &[CountedClass],
        arcs: &[(Arc, u64)],
        receivers: &[(u64, String)],
    ) -> Self {
        let mut all = Self {
            of,
            of_call: BTreeMap::new(),
            methods: BTreeMap::new(),
            receivers: BTreeMap::new(),
            namesakes: BTreeMap::new(),
            hierarchy: Hierarchy::new(),
            threads: Vec::new(),
        };
        for (arc, calls) in arcs {
            all.of_call.entry(arc.call).or_default().push((*arc, *calls));
        }
        for (number, name) in receivers {
            all.receivers.entry(*number).or_default().insert(name.clone());
        }
        for (number, names) in &all.receivers {
            names.iter().for_each(|name| all.namesakes.entry(name.clone()).or_default().push(*number));
        }
        all.namesakes.retain(|_, numbers| numbers.len() > 1);
        for class in classes {
            all.add_class(class);
        }
        all
    }

    /// Takes in other counts, and for each counter the number of threads, in place of the former ones.
    pub fn count(&mut self, arcs: impl IntoIterator<Item = (Arc, u64)>, threads: Vec<Threads>) {
        self.of_call.clear();
        for (arc, calls) in arcs {
            self.of_call.entry(arc.call).or_default().push((arc, calls));
        }
        self.threads = threads;
    }

    /// Takes in, for each counter, the number of threads in which it is not 0.
    #[must_use]
    pub fn with_threads(self, threads: Vec<Threads>) -> Self {
        Self { threads, ..self }
    }

    fn add_class(&mut self, class: &CountedClass) {
        for method in class.methods.iter().filter(|method| method.counters.is_ok()) {
            let member = format!("{}{}", method.name, method.descriptor);
            let name = format!("{}.{member}", class.name);
            self.methods.insert(method.first, Named { name, class: class.name.clone(), member });
        }
        self.hierarchy.add(class);
    }

    /// Calls `each` with every method of a class and its calls. `value` gives the value of a counter by its number.
    ///
    /// # Errors
    /// When class file and counters do not belong together.
    pub fn each_method(
        &self,
        class: &CountedClass,
        value: impl Fn(u32) -> u64,
        mut each: impl FnMut(String, Vec<Called>),
    ) -> Result<(), Fault> {
        self.each_profile(class, value, |one, calls| each(one.name(), calls))
    }

    /// Calls `each` with the profile of every method of a class, too.
    ///
    /// # Errors
    /// When class file and counters do not belong together.
    pub fn each_profile<'a>(
        &self,
        class: &'a CountedClass,
        value: impl Fn(u32) -> u64,
        mut each: impl FnMut(MethodProfile<'a>, Vec<Called>),
    ) -> Result<(), Fault> {
        let mut fault = Ok(());
        crate::profile(DrillKind::Calls(self.of), class, &value, |one| {
            let name = one.name();
            let is_it = |method: &&CountedMethod| {
                let member = name.strip_prefix(&class.name).and_then(|rest| rest.strip_prefix('.'));
                member.and_then(|member| member.strip_prefix(&*method.name)) == Some(&*method.descriptor)
            };
            let Some(method) = class.methods.iter().find(is_it) else { return };
            match self.of_method(&one, method, &value) {
                Ok(calls) => each(one, calls),
                Err(why) => fault = Err(why),
            }
        })?;
        fault
    }

    /// The calls of a method with their answers. `method` is what the agent says of it, and `value` gives the value of a counter by its
    /// number.
    ///
    /// # Errors
    /// When class file and counters do not belong together.
    fn of_method(
        &self,
        profile: &MethodProfile<'_>,
        method: &CountedMethod,
        value: impl Fn(u32) -> u64,
    ) -> Result<Vec<Called>, Fault> {
        let places = Counters::of(&profile.graph).places().len();
        let first = method.first.saturating_add(u32::try_from(places).unwrap_or(u32::MAX));
        let (numbered, _) = profile.graph.numbered_calls(self.of, first);
        let (_, end) = profile.graph.numbered_arrays(self.of, first);
        if u64::from(end) != method.end() {
            let (expected, found) = (end.saturating_sub(method.first), method.counters.clone());
            let expected = expected as usize;
            return Err(Fault::Different { method: profile.name(), expected, found: found.unwrap_or(0) });
        }
        let counts: BTreeMap<u32, _> = profile.sites().map(|(_, call, count)| (call.at, count)).collect();
        let mut all = Vec::new();
        for one in numbered {
            let Some(count) = counts.get(&one.call.at) else { continue };
            let (class, member) = (mutf8::decode(one.call.target.class), member_of(one.call));
            let answers = match self.of {
                OfCalls::Entered => self.answers(&one, (&class, &member), *count),
                OfCalls::Receivers => self.by_receivers(&one, (&class, &member), *count, value(one.number)),
            };
            if count.most == 0 && answers.is_empty() {
                continue;
            }
            let is_known = one.call.is_exact && self.of == OfCalls::Receivers;
            let changes = one.call.is_dispatched().then(|| if is_known { 0 } else { value(one.number) });
            // The second number's word has the class of the last receiver. Where that is known there is one, the number of calls.
            let told_by = one.number as usize + usize::from(!is_known);
            let last = || self.threads.get(told_by).copied().unwrap_or_default();
            let threads = changes.filter(|_| !self.threads.is_empty()).map(|_| last());
            let (at, line, kind) = (one.call.at, one.call.line, one.call.kind);
            all.push(Called {
                at,
                line,
                block: one.block,
                kind,
                class,
                member,
                count: count.most,
                answers,
                changes,
                threads,
            });
        }
        Ok(all)
    }

    /// The answers to the calls of a place, where methods counted what entered them.
    fn answers(
        &self,
        one: &NumberedCall<'_, '_>,
        (class, member): (&str, &str),
        count: Bytecodes,
    ) -> Vec<Answer> {
        let mut answers = self.arrived(one.number, member);
        let entered = entered(&answers);
        // Of calls that entered nothing some may have met an exception; `gone` has those of the code behind the call, too.
        let (rest, left) = (count.most.saturating_sub(entered), count.most - count.least);
        let left = if entered > 0 { Some(left) } else { None };
        answers.extend(self.others(one.call.kind, (class, member), rest, left));
        answers
    }

    /// The methods that calls with this number arrived at.
    fn arrived(&self, number: u32, member: &str) -> Vec<Answer> {
        let mut answers: Vec<Answer> = Vec::new();
        for (arc, calls) in self.of_call.get(&number).into_iter().flatten() {
            let Some(named) = self.methods.get(&arc.entered) else { continue };
            let what = if named.member == member {
                let names = || self.told_apart(arc.class, self.named(arc.class, &named.class));
                What::Entered { method: named.name.clone(), receivers: (arc.class != 0).then(names) }
            } else if is_implicit(named) {
                What::Implicit(named.name.clone())
            } else {
                What::Via(named.name.clone())
            };
            Answer { what, calls: *calls }.add_to(&mut answers);
        }
        answers.sort_by_key(|answer| std::cmp::Reverse(answer.calls));
        answers
    }

    /// Names of the classes that may have a number and be below a class.
    pub(crate) fn named(&self, number: u64, below: &str) -> Vec<String> {
        self.hierarchy.possible(self.receivers.get(&number).into_iter().flatten(), below)
    }

    /// The names of classes with a number, each told apart from classes that other loaders have by this name: `P`, `P (2)`.
    pub(crate) fn told_apart(&self, number: u64, mut names: Vec<String>) -> Vec<String> {
        for name in &mut names {
            let numbers = self.namesakes.get(name);
            if let Some(at @ 1..) = numbers.and_then(|numbers| numbers.binary_search(&number).ok()) {
                *name += &format!(" ({})", at + 1);
            }
        }
        names
    }

    /// The answers to the `rest` of the calls, which entered no counted method. An exception left at most `left` of them, if others
    /// entered one.
    fn others(
        &self,
        kind: CallKind,
        (class, member): (&str, &str),
        rest: u64,
        left: Option<u64>,
    ) -> Vec<Answer> {
        let some = |what, calls: u64| (calls > 0).then_some(Answer { what, calls });
        let found = if kind == CallKind::Dynamic { None } else { self.hierarchy.resolved(class, member) };
        let found = found.map(|(_, method)| method);
        if found == Some(Method::Native) {
            return some(What::Native(None), rest).into_iter().collect();
        }
        let left = left.unwrap_or(if found == Some(Method::Counted) { rest } else { 0 });
        let not_entered = rest.min(left);
        let chooses = matches!(kind, CallKind::Virtual | CallKind::Interface);
        let why = match found {
            _ if kind == CallKind::Dynamic => "the JVM makes the called method itself",
            Some(Method::Counted) if !chooses => "the JVM took an intrinsic, or counts began later",
            Some(Method::Counted) => "another implementation, an intrinsic, or counts that began later",
            Some(Method::Other | Method::Native) if !chooses => "the method does not count",
            Some(Method::Other | Method::Native) => "an implementation that does not count",
            None if chooses => "an implementation whose class does not count",
            None => "its class does not count",
        };
        some(What::NotEntered, not_entered)
            .into_iter()
            .chain(some(What::unseen(why), rest - not_entered))
            .collect()
    }
}

/// Whether the JVM calls a method by itself: initialisers of classes, class loaders, the linkage of method handles, and the
/// constructors of exceptions that it throws.
fn is_implicit(method: &Named) -> bool {
    let Named { class, member, .. } = method;
    let is_thrown =
        class.starts_with("java/lang/") && (class.ends_with("Exception") || class.ends_with("Error"));
    member == "<clinit>()V"
        || member.starts_with("loadClass(")
        || member.starts_with("checkPackageAccess(")
        || class == "java/lang/invoke/MethodHandleNatives"
        || is_thrown && member.starts_with("<init>(")
}

fn member_of(call: &spl_graph::Call<'_>) -> String {
    member(call.target.name, call.target.descriptor)
}

/// The lines of a method's calls in the tables of arcs and of receivers. `method` is the caller.
#[must_use]
pub fn tables(method: &str, calls: &[Called]) -> (String, String) {
    let (mut arcs, mut receivers) = (String::new(), String::new());
    for one in calls {
        let line = one.line.map_or_else(String::new, |line| line.to_string());
        let callee =
            if one.class.is_empty() { one.member.clone() } else { format!("{}.{}", one.class, one.member) };
        let place = format!(
            "{},{},{line},{},{},{}",
            field(method),
            one.at,
            one.block,
            one.kind.instruction(),
            field(&callee)
        );
        for answer in &one.answers {
            let why = if let What::Unseen { why, .. } = answer.what { why } else { "" };
            let entered = answer.what.method().unwrap_or(why);
            let receiver = answer.what.receivers().map(|names| names.join(" or ")).unwrap_or_default();
            let what = answer.what.name();
            let _ = writeln!(arcs, "{place},{what},{},{},{}", field(entered), field(&receiver), answer.calls);
        }
        if let Some(changes) = one.changes {
            let (methods, classes) = one.polymorphism();
            let entered = one.entered();
            let threads =
                one.threads.map_or_else(|| ",".to_owned(), |one| format!("{},{}", one.least, one.most));
            let _ = writeln!(
                receivers,
                "{place},{},{entered},{methods},{classes},{changes},{threads}",
                one.count
            );
        }
    }
    (arcs, receivers)
}
