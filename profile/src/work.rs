//! The work of a call with all that it calls, and how the works of two methods differ.
//!
//! Counts of a method are known for all its calls together. So a call from one method is taken for an average one, as gprof does
//! (Graham, Kessler, McKusick 1982). A call by an interface is shared out over the methods that it may reach. Both are said: a
//! part of the work is *unsure* if such a call leads to it.

use crate::class::CountedClass;
use crate::fault::Fault;
use crate::profile;
use crate::rates::{Events, Hottest, Rates, Site};
use spl_classfile::class::{ACC_STATIC, ClassFile};
use spl_classfile::mutf8;
use spl_graph::CallKind;
use spl_model::DrillKind;
use std::collections::{BTreeMap, BTreeSet};

/// Access flag of private methods (JVMS 4.6).
const ACC_PRIVATE: u16 = 0x0002;
/// Most steps down from a method: the end of recursion.
const STEPS: usize = 100;
/// Calls a call, below which a method is not followed.
const RARE: f64 = 1e-6;
/// Most methods that a call by an interface is shared out over.
const REACHED: usize = 50;
const OBJECT: &str = "java/lang/Object";
/// Most methods in the path of a cause.
const DEEPEST: usize = 24;
/// Share of a method's work from which on a callee stands for it.
const NEARLY_ALL: f64 = 0.8;

/// The rates of methods that were counted.
#[derive(Clone, Debug, Default)]
pub struct Known {
    rates: BTreeMap<String, Rates>,
    /// Names of the methods with a member that a receiver can choose.
    members: BTreeMap<String, BTreeSet<String>>,
    /// Superclass and interfaces of the classes that were counted.
    supers: BTreeMap<String, Vec<String>>,
    /// Members of which all loaded classes' methods were counted.
    everywhere: BTreeSet<String>,
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
        let fixed = methods.filter(|method| method.access & (ACC_STATIC | ACC_PRIVATE) != 0);
        let fixed: BTreeSet<String> = fixed
            .map(|method| format!("{}{}", mutf8::decode(method.name), mutf8::decode(method.descriptor)))
            .collect();
        profile(DrillKind::Blocks, class, value, |method| {
            let rates = Rates::of(&method);
            rates.into_iter().for_each(|rates| {
                let is_chosen = !fixed.contains(&rates.member);
                self.add(rates, is_chosen);
            });
        })?;
        if let Some(file) = file {
            let interfaces = file.interfaces.as_chunks().0.iter().map(|index| u16::from_be_bytes(*index));
            let supers = interfaces.chain([file.super_class]).filter_map(|index| file.pool.class(index).ok());
            self.supers.insert(class.name.clone(), supers.map(mutf8::decode).collect());
        }
        Ok(())
    }

    /// Adds a method; `is_chosen` if a receiver may choose it. Of two with the same name, which come from two loaders, the one
    /// with more calls stays.
    fn add(&mut self, rates: Rates, is_chosen: bool) {
        let name = rates.name();
        if self.rates.get(&name).is_none_or(|known| known.calls < rates.calls) {
            if is_chosen {
                self.members.entry(rates.member.clone()).or_default().insert(name.clone());
            }
            self.rates.insert(name, rates);
        }
    }

    /// Notes that the methods with this name and descriptor were counted in all loaded classes.
    pub fn counted_everywhere(&mut self, member: String) {
        self.everywhere.insert(member);
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
            let reached = self.reached(site);
            if reached.is_empty() {
                unseen.push(site);
            }
            let is_unsure = reached.len() > 1;
            for (name, share) in reached {
                let Some(&number) = numbers.get(name) else { continue };
                let first = Callee { number, count: 0.0, line: site.line, is_unsure };
                let callee = callees.entry(number).or_insert(first);
                callee.count += site.count * share;
                callee.is_unsure |= is_unsure;
            }
        }
        Node { rates, callees: callees.into_values().collect(), unseen, work: rates.bytecodes }
    }

    /// The counted methods that a site may reach, with the share of the calls that each gets.
    fn reached(&self, site: &Site) -> Vec<(&str, f64)> {
        let is_virtual = matches!(site.kind, CallKind::Virtual | CallKind::Interface);
        if is_virtual && site.class == OBJECT {
            // Most classes have their own, of which nothing is known.
            return Vec::new();
        }
        let exact = format!("{}.{}", site.class, site.member);
        if let Some((name, _)) = self.rates.get_key_value(&exact) {
            return vec![(name, 1.0)];
        }
        if !is_virtual || !self.everywhere.contains(&site.member) {
            return Vec::new();
        }
        let all = self.members.get(&site.member).into_iter().flatten();
        let mut all: Vec<(&str, f64, bool)> = all
            .filter_map(|name| {
                let rates = self.rates.get(name)?;
                Some((&**name, rates.calls as f64, self.is_kind_of(&rates.class, &site.class)))
            })
            .collect();
        // Other classes may fit or not.
        if all.iter().any(|(_, _, fits)| *fits) {
            all.retain(|(_, _, fits)| *fits);
        }
        all.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(other.0)));
        all.truncate(REACHED);
        let calls: f64 = all.iter().map(|(_, calls, _)| calls).sum();
        all.into_iter().map(|(name, of, _)| (name, of / calls)).collect()
    }

    /// Whether a class is known to have another one among its superclasses and interfaces.
    fn is_kind_of(&self, class: &str, other: &str) -> bool {
        let (mut seen, mut rest) = (BTreeSet::new(), vec![class]);
        while let Some(one) = rest.pop() {
            if one == other {
                return true;
            }
            if seen.insert(one) {
                rest.extend(self.supers.get(one).into_iter().flatten().map(String::as_str));
            }
        }
        false
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
                let work = node.rates.bytecodes + below;
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
                        into[0] += count;
                        into[1] += if callee.is_unsure { count } else { unsure * callee.count };
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
mod tests {
    use super::*;

    fn rates(
        class: &str,
        member: &str,
        calls: u64,
        bytecodes: f64,
        sites: &[(&str, &str, bool, f64)],
    ) -> Rates {
        let site = |&(class, member, is_virtual, count): &(&str, &str, bool, f64)| Site {
            class: class.into(),
            member: member.into(),
            kind: if is_virtual { CallKind::Interface } else { CallKind::Static },
            line: Some(7),
            count,
        };
        let hottest = Some(Hottest { block: 1, lines: Some((3, 4)), runs: 2.0, share: 1.0 });
        let sites = sites.iter().map(site).collect();
        let events = Events { caught: 0.5, ..Events::default() };
        Rates { class: class.into(), member: member.into(), calls, bytecodes, events, hottest, sites }
    }

    fn known(all: Vec<Rates>) -> Known {
        let mut known = Known::default();
        all.into_iter().for_each(|one| {
            known.everywhere.insert(one.member.clone());
            known.add(one, true);
        });
        known
    }

    #[test]
    fn a_method_takes_part_as_often_as_it_is_called() {
        let known = known(vec![
            rates("A", "f()V", 10, 5.0, &[("B", "g()V", false, 3.0), ("N", "now()J", false, 1.0)]),
            rates("B", "g()V", 900, 7.0, &[("L", "get()V", true, 2.0)]),
            // Of four calls each, one goes to the first of them.
            rates("L1", "get()V", 100, 10.0, &[]),
            rates("L2", "get()V", 300, 100.0, &[]),
        ]);
        let work = known.call_graph().work("A.f()V").unwrap();
        let part = |name: &str| (work.parts[name].calls, work.parts[name].bytecodes);
        assert_eq!((part("A.f()V"), part("B.g()V")), ((1.0, 5.0), (3.0, 21.0)));
        assert_eq!((part("L1.get()V"), part("L2.get()V")), ((1.5, 15.0), (4.5, 450.0)));
        assert_eq!((work.bytecodes(), work.unseen.len(), &*work.unseen[0].member), (491.0, 1, "now()J"));
        assert_eq!((work.parts["L2.get()V"].unsure, work.average_share(None)), (450.0, 465.0 / 491.0));
        assert!(known.call_graph().work("A.unknown()V").is_none());
    }

    #[test]
    fn a_receiver_of_an_interface_has_it() {
        let mut known = known(vec![
            rates("A", "f()V", 10, 5.0, &[("L", "get()V", true, 1.0)]),
            rates("L1", "get()V", 100, 10.0, &[]),
            rates("S1", "get()V", 900, 100.0, &[]),
        ]);
        known.supers.insert("L1".into(), vec!["B".into()]);
        assert_eq!(known.call_graph().work("A.f()V").unwrap().bytecodes(), 5.0 + 91.0, "both may be meant");
        known.supers.insert("B".into(), vec!["java/lang/Object".into(), "L".into(), "B".into()]);
        assert_eq!(known.call_graph().work("A.f()V").unwrap().bytecodes(), 5.0 + 10.0);
        assert_eq!(known.call_graph().work("A.f()V").unwrap().events().caught, 1.0);
    }

    #[test]
    fn a_call_by_an_interface_waits_until_all_implementations_are_counted() {
        let mut known = known(vec![
            rates("A", "f()V", 10, 5.0, &[("L", "get()V", true, 1.0)]),
            rates("L1", "get()V", 100, 10.0, &[]),
        ]);
        known.everywhere.clear();
        assert_eq!(known.call_graph().work("A.f()V").unwrap().unseen[0].class, "L");
        known.counted_everywhere("get()V".to_owned());
        assert_eq!(known.call_graph().work("A.f()V").unwrap().bytecodes(), 15.0);
    }

    #[test]
    fn methods_that_all_call_each_other_take_little_time() {
        let name = |number: usize| format!("N{number}");
        let all = (0..400)
            .map(|number| rates(&name(number), "eval()V", 10, 5.0, &[("Node", "eval()V", true, 0.9)]));
        let known = known(all.collect());
        let graph = known.call_graph();
        assert!(graph.causes("N1.eval()V", Some("N2.eval()V")).len() <= REACHED + 1);
        assert!(graph.work("N1.eval()V").unwrap().bytecodes() > 5.0);
    }

    #[test]
    fn recursion_ends() {
        let known = known(vec![
            rates("A", "f()V", 10, 1.0, &[("A", "f()V", false, 0.9), ("A", "g()V", false, 1.0)]),
            rates("A", "g()V", 10, 1.0, &[("A", "g()V", false, 0.5)]),
            rates("A", "endless()V", 10, 1.0, &[("A", "more()V", false, 2.0)]),
            rates("A", "more()V", 10, 1.0, &[("A", "more()V", false, 1.0)]),
        ]);
        let work = known.call_graph().work("A.f()V").unwrap();
        assert!((work.parts["A.f()V"].calls, work.parts["A.g()V"].calls.round()) == (1.0, 2.0), "{work:?}");
        assert!(known.call_graph().work("A.endless()V").unwrap().bytecodes() < 2.0 * STEPS as f64);
    }

    #[test]
    fn the_greatest_cause_comes_first() {
        let known = known(vec![
            rates("A", "slow()V", 10, 50.0, &[("C", "shared()V", false, 9.0), ("D", "own()V", false, 1.0)]),
            rates("A", "quick()V", 10, 60.0, &[("C", "shared()V", false, 1.0)]),
            rates("C", "shared()V", 100, 1.0, &[("C", "deep()V", false, 1.0)]),
            rates("C", "deep()V", 100, 9.0, &[]),
            rates("D", "own()V", 10, 20.0, &[]),
        ]);
        let found = known.call_graph().causes("A.slow()V", Some("A.quick()V"));
        let found: Vec<_> = found.iter().map(|one| (one.path.join(" "), one.share, one.calls)).collect();
        // The slow method's own code runs less than the quick one's.
        let expected = [("C.shared()V C.deep()V", 0.8, [9.0, 1.0]), ("D.own()V", 0.2, [1.0, 0.0])];
        assert_eq!(found, expected.map(|(path, share, calls)| (path.to_owned(), share, calls)));
        assert_eq!(known.call_graph().causes("A.slow()V", None).len(), 3);
        let graph = known.call_graph();
        let [slow, quick] = ["A.slow()V", "A.quick()V"].map(|name| graph.work(name).unwrap());
        assert_eq!(slow.shared(&quick), ["C.deep()V", "C.shared()V"]);
        assert_eq!((slow.average_share(Some(&quick)), slow.average_share(None)), (90.0 / 160.0, 0.0));
    }

    #[test]
    fn a_method_may_call_the_one_that_it_is_compared_with() {
        let known = known(vec![
            rates("A", "f()V", 1, 1.0, &[("A", "g()V", false, 2.0), ("A", "f()V", false, 0.5)]),
            rates("A", "g()V", 1, 10.0, &[]),
        ]);
        let found = known.call_graph().causes("A.f()V", Some("A.g()V"));
        let found: Vec<_> = found.iter().map(|one| (one.path.join(" "), one.bytecodes)).collect();
        assert_eq!(found, [("A.g()V".to_owned(), [20.0, 10.0]), (String::new(), [1.0, 0.0])]);
    }
}
