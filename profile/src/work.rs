//! The work of a call with all that it calls, and how the works of two methods differ.
//!
//! Counts of a method are known for all its calls together. So a call from one method is taken for an average one, as gprof does
//! (Graham, Kessler, McKusick 1982). A call by an interface is shared out over the methods that it may reach. Both are said: a
//! part of the work is *unsure* if such a call leads to it.

use crate::class::CountedClass;
use crate::fault::Fault;
use crate::profile;
use crate::rates::{Events, Hottest, Rates, Site};
use crate::reach::{Reach, chosen, member};
use spl_classfile::class::ClassFile;
use spl_model::DrillKind;
use std::collections::{BTreeMap, BTreeSet};

/// Most steps down from a method: the end of recursion.
const STEPS: usize = 100;
/// Calls a call, below which a method is not followed.
const RARE: f64 = 1e-6;
/// Most calls, and most instructions, of a call: recursion of averages may grow without end.
const MOST: f64 = 1e15;
/// Most methods in the path of a cause.
const DEEPEST: usize = 24;
/// Share of a method's work from which on a callee stands for it.
const NEARLY_ALL: f64 = 0.8;

/// The rates of methods that were counted.
#[derive(Clone, Debug, Default)]
pub struct Known {
    rates: BTreeMap<String, Rates>,
    /// The methods that calls reach.
    reach: Reach,
}

/// Call graph of the counted methods.
#[derive(Clone, Debug)]
pub struct CallGraph<'a> {
    methods: Vec<(&'a str, Node<'a>)>,
    numbers: BTreeMap<&'a str, usize>,
}

#[derive(Clone, Debug)]
struct Node<'a> {
    rates: &'a Rates,
    callees: Vec<Callee>,
    unseen: Vec<&'a Site>,
    /// Instructions of a call with all that it calls.
    work: f64,
}

/// Calls of one counted method by another one.
#[derive(Clone, Copy, Debug)]
struct Callee {
    number: usize,
    /// Number of calls in a call of the caller.
    count: f64,
    line: Option<u16>,
    /// Whether it is only one of several methods that the call may reach.
    is_unsure: bool,
}

/// The work of one call with all that it calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// By method.
    pub parts: BTreeMap<String, Part>,
    /// Calls of methods that were not counted: native ones, or ones that nobody looked at.
    pub unseen: Vec<Site>,
}

/// A method's part in the work of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Number of times that it is called.
    pub calls: f64,
    /// Instructions of bytecode in its own code.
    pub bytecodes: f64,
    /// The unsure ones among them.
    pub unsure: f64,
    /// Events in its own code.
    pub events: Events,
}

/// A cause of the difference between the works of two methods: code of the slower one itself, or a method that it calls more
/// often.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// The called method, and those in it that take nearly all of its work, from caller to callee; empty for the code of the
    /// slower method itself.
    pub path: Vec<String>,
    /// Source line of the call.
    pub line: Option<u16>,
    /// Number of calls in a call of the slower method, and of the other one.
    pub calls: [f64; 2],
    /// Instructions in them with all that they call.
    pub bytecodes: [f64; 2],
    /// Share of all that the slower method runs more; 0 to 1.
    pub share: f64,
    /// The block with most instructions in the last method of the path, with its runs in one call of that method.
    pub hottest: Option<Hottest>,
}

impl Known {
    /// Adds the methods of a class. `value` gives the value of a counter by its number.
    ///
    /// # Errors
    /// When class file and counters do not belong together.
    pub fn add_class(&mut self, class: &CountedClass, value: impl Fn(u32) -> u64) -> Result<(), Fault> {
        let file = ClassFile::read(&class.bytes).ok();
        let methods = file.iter().flat_map(|file| &file.methods);
        // The names of methods that no receiver chooses: static and private ones.
        let fixed = methods.filter(|method| !chosen(method.access));
        let fixed: BTreeSet<String> = fixed.map(|method| member(method.name, method.descriptor)).collect();
        profile(DrillKind::Blocks, class, value, |method| {
            let rates = Rates::of(&method);
            rates.into_iter().for_each(|rates| {
                let is_chosen = !fixed.contains(&rates.member);
                self.add(rates, is_chosen);
            });
        })?;
        if let Some(file) = file {
            self.reach.add_class(&file);
        }
        Ok(())
    }

    /// Adds a method; `is_chosen` if a receiver may choose it. Of two with the same name, which come from two loaders, the one
    /// with more calls stays.
    fn add(&mut self, rates: Rates, is_chosen: bool) {
        let name = rates.name();
        if self.rates.get(&name).is_none_or(|known| known.calls < rates.calls) {
            self.reach.add(&rates.class, &rates.member, rates.calls, is_chosen);
            self.rates.insert(name, rates);
        }
    }

    /// Notes that the methods with this name and descriptor were counted in all loaded classes.
    pub fn counted_everywhere(&mut self, member: String) {
        self.reach.counted_everywhere(member);
    }

    /// Whether a method was counted.
    #[must_use]
    pub fn has(&self, method: &str) -> bool {
        self.rates.contains_key(method)
    }

    /// The counted methods with their calls.
    #[must_use]
    pub fn call_graph(&self) -> CallGraph<'_> {
        let numbers: BTreeMap<&str, usize> =
            (0..).zip(self.rates.keys()).map(|(at, name)| (&**name, at)).collect();
        let methods = self.rates.iter().map(|(name, rates)| (&**name, self.node(rates, &numbers)));
        let mut graph = CallGraph { methods: methods.collect(), numbers };
        graph.add_up();
        graph
    }

    fn node<'a>(&'a self, rates: &'a Rates, numbers: &BTreeMap<&str, usize>) -> Node<'a> {
        let (mut callees, mut unseen) = (BTreeMap::<usize, Callee>::new(), Vec::new());
        for site in &rates.sites {
            let reached = self.reach.of(site.kind, &site.class, &site.member);
            if reached.is_empty() {
                unseen.push(site);
            }
            for one in reached {
                let Some(&number) = numbers.get(one.name) else { continue };
                let first = Callee { number, count: 0.0, line: site.line, is_unsure: one.is_unsure };
                let callee = callees.entry(number).or_insert(first);
                callee.count += site.count * one.share;
                callee.is_unsure |= one.is_unsure;
            }
        }
        Node { rates, callees: callees.into_values().collect(), unseen, work: rates.bytecodes }
    }
}

impl CallGraph<'_> {
    /// Finds the work of each method from those of its callees, step by step.
    fn add_up(&mut self) {
        for _ in 0..STEPS {
            let mut has_changed = false;
            for at in 0..self.methods.len() {
                let node = &self.methods[at].1;
                let below: f64 =
                    node.callees.iter().map(|callee| callee.count * self.methods[callee.number].1.work).sum();
                let work = (node.rates.bytecodes + below).min(MOST);
                has_changed |= (work - node.work).abs() > node.work * RARE;
                self.methods[at].1.work = work;
            }
            if !has_changed {
                break;
            }
        }
    }

    fn node(&self, method: &str) -> Option<&Node<'_>> {
        self.numbers.get(method).map(|&at| &self.methods[at].1)
    }

    /// The work of a call of this method; `None` if it was not counted.
    #[must_use]
    pub fn work(&self, method: &str) -> Option<Work> {
        let root = *self.numbers.get(method)?;
        let mut work = Work::default();
        let mut unseen: BTreeMap<(&str, &str), Site> = BTreeMap::new();
        // Calls, and the unsure ones among them.
        let mut now = BTreeMap::from([(root, [1.0, 0.0])]);
        for _ in 0..STEPS {
            let mut next: BTreeMap<usize, [f64; 2]> = BTreeMap::new();
            for (&at, &[calls, unsure]) in &now {
                let (name, node) = &self.methods[at];
                work.add(name, node.rates, [calls, unsure]);
                for site in &node.unseen {
                    let key = (&*site.class, &*site.member);
                    let known = unseen.entry(key).or_insert_with(|| Site { count: 0.0, ..(*site).clone() });
                    known.count += calls * site.count;
                }
                // The calls of a recursive method itself are all counted in its rates.
                for callee in node.callees.iter().filter(|callee| callee.number != root) {
                    let count = calls * callee.count;
                    if count >= RARE {
                        let into = next.entry(callee.number).or_default();
                        let doubted = if callee.is_unsure { count } else { unsure * callee.count };
                        *into = [(into[0] + count).min(MOST), (into[1] + doubted).min(MOST)];
                    }
                }
            }
            now = next;
            if now.is_empty() {
                break;
            }
        }
        work.unseen = unseen.into_values().collect();
        work.unseen.sort_by(|one, other| other.count.total_cmp(&one.count));
        Some(work)
    }

    /// Why a call of a method runs more than one of the other method, the greatest cause first; without another one, where its
    /// instructions are.
    #[must_use]
    pub fn causes(&self, slow: &str, quick: Option<&str>) -> Vec<Cause> {
        let Some(node) = self.node(slow) else { return Vec::new() };
        let of_quick = quick.and_then(|quick| Some((*self.numbers.get(quick)?, self.node(quick)?)));
        let calls_it =
            |(number, _): &(usize, &Node<'_>)| node.callees.iter().any(|one| one.number == *number);
        // A method that calls the other one differs in all but one such call.
        let called = of_quick.filter(calls_it).map(|(number, _)| number);
        let other = of_quick.filter(|_| called.is_none()).map(|(_, node)| node);
        let mut causes = vec![Cause {
            path: Vec::new(),
            line: None,
            calls: [1.0, 1.0],
            bytecodes: [node.rates.bytecodes, other.map_or(0.0, |other| other.rates.bytecodes)],
            share: 0.0,
            hottest: node.rates.hottest.clone(),
        }];
        let itself = self.numbers.get(slow).copied();
        for callee in node.callees.iter().filter(|callee| Some(callee.number) != itself) {
            let of_other =
                other.and_then(|other| other.callees.iter().find(|one| one.number == callee.number));
            let of_other = of_other.map_or(0.0, |one| one.count);
            let of_other = if called == Some(callee.number) { 1.0 } else { of_other };
            let (path, last) = self.descent(callee.number);
            let work = self.methods[callee.number].1.work;
            causes.push(Cause {
                path,
                line: callee.line,
                calls: [callee.count, of_other],
                bytecodes: [callee.count * work, of_other * work],
                share: 0.0,
                hottest: last.rates.hottest.clone(),
            });
        }
        let more = |cause: &Cause| cause.bytecodes[0] - cause.bytecodes[1];
        causes.retain(|cause| more(cause) > 0.0);
        let all: f64 = causes.iter().map(more).sum();
        causes.iter_mut().for_each(|cause| cause.share = (cause.bytecodes[0] - cause.bytecodes[1]) / all);
        causes
            .sort_by(|one, other| other.share.total_cmp(&one.share).then_with(|| one.path.cmp(&other.path)));
        causes
    }

    /// A method, and those below it as long as one of them takes nearly all; the last one.
    fn descent(&self, method: usize) -> (Vec<String>, &Node<'_>) {
        let mut path = vec![method];
        let mut last = &self.methods[method].1;
        while path.len() < DEEPEST {
            let below = last.callees.iter().find(|callee| {
                callee.count * self.methods[callee.number].1.work >= NEARLY_ALL * last.work
                    && !path.contains(&callee.number)
            });
            let Some(below) = below else { break };
            path.push(below.number);
            last = &self.methods[below.number].1;
        }
        (path.into_iter().map(|at| self.methods[at].0.to_owned()).collect(), last)
    }
}

impl Work {
    fn add(&mut self, name: &str, rates: &Rates, [calls, unsure]: [f64; 2]) {
        let part = self.parts.entry(name.to_owned()).or_default();
        part.calls += calls;
        part.bytecodes += calls * rates.bytecodes;
        part.unsure += unsure * rates.bytecodes;
        part.events.add(calls, rates.events);
    }

    /// Instructions of bytecode in all methods that were counted.
    #[must_use]
    pub fn bytecodes(&self) -> f64 {
        self.parts.values().map(|part| part.bytecodes).sum()
    }

    /// Events in all methods that were counted.
    #[must_use]
    pub fn events(&self) -> Events {
        let mut sum = Events::default();
        self.parts.values().for_each(|part| sum.add(1.0, part.events));
        sum
    }

    /// Methods that are also in another work, those with most instructions first: what they do for one of the two is not known
    /// apart from what they do for the other.
    #[must_use]
    pub fn shared(&self, other: &Self) -> Vec<String> {
        let both = self.parts.iter().filter(|(name, _)| other.parts.contains_key(*name));
        let mut both: Vec<(&String, &Part)> = both.collect();
        both.sort_by(|one, other| {
            other.1.bytecodes.total_cmp(&one.1.bytecodes).then_with(|| one.0.cmp(other.0))
        });
        both.into_iter().map(|(name, _)| name.clone()).collect()
    }

    /// Share of the instructions that are known as averages only: in methods that the other work has too, or behind calls that may
    /// reach several methods.
    #[must_use]
    pub fn average_share(&self, other: Option<&Self>) -> f64 {
        let is_shared = |name: &str| other.is_some_and(|other| other.parts.contains_key(name));
        let of = |(name, part): (&String, &Part)| if is_shared(name) { part.bytecodes } else { part.unsure };
        self.parts.iter().map(of).sum::<f64>() / self.bytecodes().max(1.0)
    }
}

#[cfg(test)]
mod tests;
