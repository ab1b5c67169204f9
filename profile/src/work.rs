//! The work of a call with all that it calls, and how the works of two methods differ.
//!
//! Within the calls of a root, counts are exact: all that such a call leads to in its thread was counted apart. Else counts of a
//! method are known for all its calls together. Then a call from one method is taken for an average one, as gprof does (Graham,
//! Kessler, McKusick 1982), and a call by an interface is shared out over the methods that it may reach.

use crate::arcs::{Called, What};
use crate::class::CountedClass;
use crate::fault::Fault;
use crate::profile;
use crate::rates::{Events, Rates, Site};
use crate::reach::{Reach, Reached, chosen, member};
use crate::sizes::Sizes;
use spl_classfile::class::ClassFile;
use spl_graph::CallKind;
use spl_model::DrillKind;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Access flag of synchronized methods (JVMS 4.6).
const ACC_SYNCHRONIZED: u16 = 0x0020;
/// Most steps down from a method: the end of recursion.
const STEPS: usize = 100;
/// Most rounds over all methods, in which recursion through several methods adds up.
const MOST_STEPS: usize = 20_000;
/// Most calls that are added up in these rounds.
const MOST_ADDED: usize = 200_000_000;
/// Calls a call, below which a method is not followed.
const RARE: f64 = 1e-6;
/// Most calls, and most instructions, of a call: recursion of averages may grow without end.
const MOST: f64 = 1e15;
/// Share of the expected calls that a method gets at least if no other one gets any.
const MOST_OF_THEM: f64 = 0.9;
/// Share of the calls of a place from which on a method is among the reached ones.
const NOTABLE: f64 = 0.05;

/// A method that makes calls by class or interface, their number in a call of the root, and the methods that they may enter.
type Place<'a> = (&'a str, f64, Vec<Reached<'a>>);
/// Calls by class and member.
type Demand<'a> = BTreeMap<(&'a str, &'a str), f64>;

/// The rates of methods that were counted.
#[derive(Clone, Debug, Default)]
pub struct Known {
    rates: BTreeMap<String, Rates>,
    /// The methods that calls reach.
    reach: Reach,
    /// The methods that calls by class or interface entered, by caller, class and member.
    entered: BTreeMap<(String, String, String), Entered>,
    /// Calls of each method in a call of the root; `None` where the calls of all callers are counted together.
    in_root: Option<BTreeMap<String, f64>>,
    /// Workload sizes of the root's calls in which methods are added now.
    now: Arc<Sizes>,
    /// Workload sizes of the root's calls in which each method was counted.
    sizes: BTreeMap<String, Arc<Sizes>>,
}

/// The methods that the calls of a place entered.
#[derive(Clone, Debug, Default)]
struct Entered {
    /// Number of the calls.
    count: u64,
    /// Calls that entered each method.
    methods: BTreeMap<String, u64>,
}

/// Call graph of the counted methods.
#[derive(Clone, Debug)]
pub struct CallGraph<'a> {
    pub(crate) methods: Vec<(&'a str, Node<'a>)>,
    pub(crate) numbers: BTreeMap<&'a str, usize>,
    /// Whether all was counted within the calls of a root.
    is_apart: bool,
}

/// A counted method.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    pub(crate) rates: &'a Rates,
    pub(crate) callees: Vec<Callee>,
    unseen: Vec<&'a Site>,
    /// Instructions of a call with all that it calls.
    pub(crate) work: f64,
    /// Calls in a call of the root.
    pub(crate) in_root: f64,
    /// Share of its work that counts: 1, unless calls of it are left out.
    pub(crate) part: f64,
    /// Its calls by class or interface that reach several methods.
    pub(crate) many: Vec<Many<'a>>,
}

/// Calls that reach several methods.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Many<'a> {
    pub(crate) site: &'a Site,
    /// Number of methods that get a notable share of the calls.
    pub(crate) reached: usize,
}

/// Calls of one counted method by another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Callee {
    pub(crate) number: usize,
    /// Number of calls in a call of the caller.
    pub(crate) count: f64,
    pub(crate) line: Option<u16>,
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
    /// Events in its own code.
    pub events: Events,
}

impl Known {
    /// Nothing yet, of the calls of a root.
    #[must_use]
    pub fn of_root() -> Self {
        Self { in_root: Some(BTreeMap::new()), ..Self::default() }
    }

    /// Notes the workload sizes of the root's calls in which the methods that follow were counted.
    pub fn are_counted_at(&mut self, sizes: Sizes) {
        self.now = Arc::new(sizes);
    }

    /// Adds the methods of a class. `value` gives the value of a counter by its number; `in_root` the calls in a call of the root of
    /// a method, by its name and calls: `None` leaves it out.
    ///
    /// # Errors
    /// When class file and counters do not belong together.
    pub fn add_class(
        &mut self,
        class: &CountedClass,
        value: impl Fn(u32) -> u64,
        in_root: impl Fn(&str, u64) -> Option<f64>,
    ) -> Result<(), Fault> {
        let file = ClassFile::read(&class.bytes).ok();
        let methods = file.iter().flat_map(|file| &file.methods);
        let access: BTreeMap<String, u16> =
            methods.map(|one| (member(one.name, one.descriptor), one.access)).collect();
        profile(DrillKind::Blocks, class, value, |method| {
            let name = method.name();
            let member = name.strip_prefix(&class.name).and_then(|rest| rest.strip_prefix('.'));
            let access = member.and_then(|member| access.get(member)).copied().unwrap_or(0);
            let Some(rates) = Rates::of(&method, access & ACC_SYNCHRONIZED != 0) else { return };
            if let Some(in_root) = in_root(&name, rates.calls) {
                self.add(rates, chosen(access), in_root);
            }
        })?;
        if let Some(file) = file {
            self.reach.add_class(&file);
        }
        Ok(())
    }

    /// Adds a method; `is_chosen` if a receiver may choose it. Of two with the same name, which come from two loaders, the one
    /// with more calls stays.
    fn add(&mut self, rates: Rates, is_chosen: bool, in_root: f64) {
        let name = rates.name();
        if self.rates.get(&name).is_none_or(|known| known.calls < rates.calls) {
            self.reach.add(&rates.class, &rates.member, rates.calls, is_chosen);
            if let Some(known) = &mut self.in_root {
                known.insert(name.clone(), in_root);
                self.sizes.insert(name.clone(), Arc::clone(&self.now));
            }
            self.rates.insert(name, rates);
        }
    }

    /// Adds the methods that the calls of a method entered, while arcs were counted in these methods. Where calls may have entered
    /// others, nothing is known of them.
    pub fn add_arcs(&mut self, caller: &str, calls: &[Called], counted: &BTreeSet<String>) {
        for call in calls.iter().filter(|call| is_dispatched(call.kind)) {
            let may_enter = self.reach.everywhere(&call.class, &call.member);
            let may_enter = may_enter.unwrap_or_else(|| self.reach.of(call.kind, &call.class, &call.member));
            if may_enter.iter().any(|one| self.calls_in_root(one.name) > 0.0 && !counted.contains(one.name)) {
                continue;
            }
            let key = (caller.to_owned(), call.class.clone(), call.member.clone());
            let entered = self.entered.entry(key).or_default();
            entered.count = entered.count.saturating_add(call.count);
            for answer in &call.answers {
                if let What::Entered { method, .. } = &answer.what {
                    let calls = entered.methods.entry(method.clone()).or_default();
                    *calls = calls.saturating_add(answer.calls);
                }
            }
        }
    }

    /// Methods whose calls by class or interface cannot be told apart by counts: several places name the same method, and calls of
    /// them entered several methods, or fewer calls entered one than there were. Both the methods that make such calls are given, and
    /// the methods that they may enter.
    #[must_use]
    pub fn shared_out(&self) -> BTreeSet<String> {
        let demand = self.demand();
        let mut places: BTreeMap<&str, Vec<Place<'_>>> = BTreeMap::new();
        for (caller, calls) in self.in_root.iter().flatten().filter(|(_, calls)| **calls > 0.0) {
            let sites = self.rates.get(caller).into_iter().flat_map(|rates| &rates.sites);
            for site in sites.filter(|site| is_dispatched(site.kind)) {
                let mut reached = self.reached(caller, site, &demand);
                reached.retain(|one| one.share > 0.0);
                let place = (&**caller, calls * site.count, reached);
                places.entry(&site.member).or_default().push(place);
            }
        }
        let mut found = BTreeSet::new();
        for places in places.into_values().filter(|places| places.len() > 1) {
            let methods: BTreeSet<&str> =
                places.iter().flat_map(|(_, _, reached)| reached).map(|one| one.name).collect();
            let asked: f64 = places.iter().map(|(_, calls, _)| calls).sum();
            let entered: f64 = methods.iter().map(|name| self.calls_in_root(name)).sum();
            if methods.len() > 1 || (!methods.is_empty() && asked * (1.0 - NOTABLE) > entered) {
                found.extend(methods.iter().map(|name| (*name).to_owned()));
                found.extend(places.iter().map(|(caller, ..)| (*caller).to_owned()));
            }
        }
        found
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
        let demand = self.demand();
        let methods = self.rates.iter().map(|(name, rates)| (&**name, self.node(rates, &numbers, &demand)));
        let is_apart = self.in_root.is_some();
        let mut graph = CallGraph { methods: methods.collect(), numbers, is_apart };
        graph.add_up();
        graph
    }

    /// Calls of each method by class or interface in a call of the root, by the class that the callers name.
    fn demand(&self) -> Demand<'_> {
        let mut demand = Demand::new();
        for (name, calls) in self.in_root.iter().flatten() {
            for site in self.rates.get(name).iter().flat_map(|rates| &rates.sites) {
                *demand.entry((&site.class, &site.member)).or_default() += calls * site.count;
            }
        }
        demand
    }

    /// The methods counted in a root's calls, with these calls in one of the root, and the sizes of the root's calls.
    pub(crate) fn in_root(&self) -> impl Iterator<Item = (&Rates, f64, &Sizes)> {
        let all = self.in_root.iter().flatten();
        all.filter_map(|(name, calls)| Some((self.rates.get(name)?, *calls, &**self.sizes.get(name)?)))
    }

    /// One method counted in a root's calls, with the same figures.
    pub(crate) fn method_in_root(&self, name: &str) -> Option<(&Rates, f64, &Sizes)> {
        Some((self.rates.get(name)?, self.calls_in_root(name), &**self.sizes.get(name)?))
    }

    fn calls_in_root(&self, method: &str) -> f64 {
        self.in_root.as_ref().and_then(|known| known.get(method)).copied().unwrap_or(0.0)
    }

    fn node<'a>(
        &'a self,
        rates: &'a Rates,
        numbers: &BTreeMap<&str, usize>,
        demand: &Demand<'_>,
    ) -> Node<'a> {
        let (mut callees, mut unseen) = (BTreeMap::<usize, Callee>::new(), Vec::new());
        let in_root = self.calls_in_root(&rates.name());
        let mut many = Vec::new();
        for site in &rates.sites {
            let lambda = site.lambda.as_ref().filter(|lambda| in_root > 0.0 && self.has(lambda));
            let reached = match lambda {
                // Of the calls of the lambda, each belongs to the place that makes it.
                Some(lambda) => vec![Reached {
                    name: lambda,
                    share: self.calls_in_root(lambda) / in_root / site.count,
                    is_unsure: false,
                }],
                None => self.reached(&rates.name(), site, demand),
            };
            if reached.is_empty() {
                unseen.push(site);
            }
            let notable = reached.iter().filter(|one| one.share >= NOTABLE).count();
            if notable > 1 {
                many.push(Many { site, reached: notable });
            }
            for one in reached {
                let Some(&number) = numbers.get(one.name) else { continue };
                let first = Callee { number, count: 0.0, line: site.line };
                let callee = callees.entry(number).or_insert(first);
                callee.count += site.count * one.share;
            }
        }
        let callees = callees.into_values().collect();
        Node { rates, callees, unseen, work: rates.bytecodes, in_root, part: 1.0, many }
    }

    /// The counted methods that a site may reach, with the share of the calls that each gets.
    fn reached(&self, caller: &str, site: &Site, demand: &Demand<'_>) -> Vec<Reached<'_>> {
        let key = (caller.to_owned(), site.class.clone(), site.member.clone());
        if let Some(Entered { count, methods }) = self.entered.get(&key).filter(|entered| entered.count > 0) {
            let methods = methods.iter().filter(|(name, _)| self.has(name));
            let reached = methods.map(|(name, calls)| Reached {
                name,
                share: *calls as f64 / *count as f64,
                is_unsure: false,
            });
            return reached.collect();
        }
        if self.in_root.is_none() || !is_dispatched(site.kind) {
            return self.reach.of(site.kind, &site.class, &site.member);
        }
        // Within a root's calls it shows which methods got them. Some may have reached methods that do not count, such as those of
        // hidden classes.
        let asked = demand.get(&(&*site.class, &*site.member)).copied().unwrap_or(0.0);
        let Some(mut all) = self.reach.everywhere(&site.class, &site.member) else {
            let mut found = self.reach.of(site.kind, &site.class, &site.member);
            found.retain(|one| self.calls_in_root(one.name) >= MOST_OF_THEM * asked);
            return found;
        };
        let calls: f64 = all.iter().map(|one| self.calls_in_root(one.name)).sum();
        all.iter_mut().for_each(|one| one.share = self.calls_in_root(one.name) / calls.max(asked));
        all
    }
}

/// Whether the receiver chooses the method of such a call.
fn is_dispatched(kind: CallKind) -> bool {
    matches!(kind, CallKind::Virtual | CallKind::Interface)
}

impl CallGraph<'_> {
    /// Finds the work of each method from those of its callees, step by step.
    fn add_up(&mut self) {
        let calls: usize = self.methods.iter().map(|(_, node)| 1 + node.callees.len()).sum();
        for _ in 0..(MOST_ADDED / calls.max(1)).min(MOST_STEPS) {
            let mut has_changed = false;
            for at in 0..self.methods.len() {
                let node = &self.methods[at].1;
                let (mut below, mut again) = (0.0, 0.0);
                for callee in &node.callees {
                    if callee.number == at {
                        again += callee.count;
                    } else {
                        below += callee.count * self.methods[callee.number].1.work;
                    }
                }
                // A method that calls itself: the sum of a geometric series.
                let own = node.part * (node.rates.bytecodes + below);
                let work = if again < 1.0 { own / (1.0 - again) } else { MOST }.min(MOST);
                has_changed |= (work - node.work).abs() > node.work * RARE;
                self.methods[at].1.work = work;
            }
            if !has_changed {
                break;
            }
        }
    }

    /// The work of a call of the root, as it was counted.
    fn work_apart(&self) -> Work {
        let mut work = Work::default();
        let mut unseen = Vec::new();
        for (name, node) in &self.methods {
            work.add(name, node.rates, node.in_root);
            unseen.extend(
                node.unseen.iter().map(|site| Site { count: node.in_root * site.count, ..(*site).clone() }),
            );
        }
        work.unseen = merged(unseen);
        work
    }

    /// Calls of methods that were not counted, below this method, with the number of calls that lead to each place.
    #[must_use]
    pub fn unseen_from(&self, method: &str) -> Vec<(usize, Site)> {
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        let mut now: Vec<usize> = self.numbers.get(method).copied().into_iter().collect();
        for depth in 0.. {
            let mut next = Vec::new();
            for at in now {
                if seen.insert(at) {
                    let node = &self.methods[at].1;
                    found.extend(node.unseen.iter().map(|site| (depth, (*site).clone())));
                    next.extend(node.callees.iter().map(|callee| callee.number));
                }
            }
            now = next;
            if now.is_empty() {
                break;
            }
        }
        found
    }

    /// The same graph, in which one call of a method that the root calls is left out.
    pub(crate) fn less_one_of(&self, method: &str) -> Option<Self> {
        let at = *self.numbers.get(method)?;
        let calls = self.methods[at].1.in_root;
        if calls <= 0.0 {
            return None;
        }
        let mut graph = self.clone();
        graph.methods[at].1.part = (1.0 - 1.0 / calls).max(0.0);
        graph.add_up();
        Some(graph)
    }

    pub(crate) fn node(&self, method: &str) -> Option<&Node<'_>> {
        self.numbers.get(method).map(|&at| &self.methods[at].1)
    }

    /// Whether all was counted within the calls of one method, so that nothing is an average over other callers.
    #[must_use]
    pub fn is_apart(&self) -> bool {
        self.is_apart
    }

    /// The work of a call of this method; `None` if it was not counted.
    #[must_use]
    pub fn work(&self, method: &str) -> Option<Work> {
        let root = *self.numbers.get(method)?;
        if self.is_apart {
            return Some(self.work_apart());
        }
        let mut work = Work::default();
        let mut unseen = Vec::new();
        let mut now = BTreeMap::from([(root, 1.0)]);
        for _ in 0..STEPS {
            let mut next: BTreeMap<usize, f64> = BTreeMap::new();
            for (&at, &calls) in &now {
                let (name, node) = &self.methods[at];
                work.add(name, node.rates, calls);
                unseen.extend(
                    node.unseen.iter().map(|site| Site { count: calls * site.count, ..(*site).clone() }),
                );
                // The calls of a recursive method itself are all counted in its rates.
                for callee in node.callees.iter().filter(|callee| callee.number != root) {
                    let count = calls * callee.count;
                    if count >= RARE {
                        let into = next.entry(callee.number).or_default();
                        *into = (*into + count).min(MOST);
                    }
                }
            }
            now = next;
            if now.is_empty() {
                break;
            }
        }
        work.unseen = merged(unseen);
        Some(work)
    }
}

/// Calls of methods from all places, the most frequent first.
fn merged(sites: Vec<Site>) -> Vec<Site> {
    let mut all: BTreeMap<(String, String, Option<String>), Site> = BTreeMap::new();
    for site in sites {
        let key = (site.class.clone(), site.member.clone(), site.lambda.clone());
        match all.entry(key) {
            Entry::Occupied(mut known) => known.get_mut().count += site.count,
            Entry::Vacant(new) => drop(new.insert(site)),
        }
    }
    let mut all: Vec<Site> = all.into_values().collect();
    all.sort_by(|one, other| other.count.total_cmp(&one.count));
    all
}

impl Work {
    fn add(&mut self, name: &str, rates: &Rates, calls: f64) {
        let part = self.parts.entry(name.to_owned()).or_default();
        part.calls += calls;
        part.bytecodes += calls * rates.bytecodes;
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
}

#[cfg(test)]
mod tests;
