//! The work of a call with all that it calls, and how the works of two methods differ.
//!
//! Counts of a method are known for all its calls together. So a call from one method is taken for an average one, as gprof does
//! (Graham, Kessler, McKusick 1982).

use crate::class::CountedClass;
use crate::fault::Fault;
use crate::profile;
use crate::rates::{Hottest, Rates, Site};
use spl_classfile::class::ClassFile;
use spl_classfile::mutf8;
use spl_graph::CallKind;
use spl_model::DrillKind;
use std::collections::{BTreeMap, BTreeSet};

/// Most steps down from a method: the end of recursion.
const STEPS: usize = 500;
/// Calls a call, below which a method is not followed.
const RARE: f64 = 1e-6;
const OBJECT: &str = "java/lang/Object";
/// Most methods in the path of a cause.
const DEEPEST: usize = 8;
/// Share of a method's work from which on a callee stands for it.
const NEARLY_ALL: f64 = 0.8;
/// Smallest quotient of two works that says something: counts vary a little, and a call costs more than its instructions.
pub const TELLING: f64 = 1.1;

/// The rates of methods that were counted.
#[derive(Clone, Debug, Default)]
pub struct Known {
    rates: BTreeMap<String, Rates>,
    /// Names of the methods with a member.
    members: BTreeMap<String, BTreeSet<String>>,
    /// Superclass and interfaces of the classes that were counted.
    supers: BTreeMap<String, Vec<String>>,
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
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Number of times that it is called.
    pub calls: f64,
    /// Instructions of bytecode in its own code.
    pub bytecodes: f64,
    /// Exceptions that it catches.
    pub caught: f64,
    /// The block with most of them; the number of its runs is that of the whole work.
    pub hottest: Option<Hottest>,
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
        profile(DrillKind::Blocks, class, value, |method| {
            Rates::of(&method).into_iter().for_each(|rates| self.add(rates));
        })?;
        if let Ok(file) = ClassFile::read(&class.bytes) {
            let interfaces = file.interfaces.as_chunks().0.iter().map(|index| u16::from_be_bytes(*index));
            let supers = interfaces.chain([file.super_class]).filter_map(|index| file.pool.class(index).ok());
            self.supers.insert(class.name.clone(), supers.map(mutf8::decode).collect());
        }
        Ok(())
    }

    /// Adds a method. Of two with the same name, which come from two loaders, the one with more calls stays.
    pub fn add(&mut self, rates: Rates) {
        let name = rates.name();
        if self.rates.get(&name).is_none_or(|known| known.calls < rates.calls) {
            self.members.entry(rates.member.clone()).or_default().insert(name.clone());
            self.rates.insert(name, rates);
        }
    }

    /// Whether a method was counted.
    #[must_use]
    pub fn has(&self, method: &str) -> bool {
        self.rates.contains_key(method)
    }

    /// The work of a call of this method; `None` if it was not counted.
    #[must_use]
    pub fn work(&self, method: &str) -> Option<Work> {
        self.rates.get(method)?;
        let mut work = Work::default();
        let mut unseen: BTreeMap<(String, String), Site> = BTreeMap::new();
        let mut now = BTreeMap::from([(method.to_owned(), 1.0)]);
        for _ in 0..STEPS {
            let mut next: BTreeMap<String, f64> = BTreeMap::new();
            for (name, calls) in &now {
                let Some(rates) = self.rates.get(name) else { continue };
                work.add(name, rates, *calls);
                for site in &rates.sites {
                    let calls = calls * site.count;
                    let called = self.called(site);
                    if called.is_empty() {
                        let key = (site.class.clone(), site.member.clone());
                        let known = unseen.entry(key).or_insert_with(|| Site { count: 0.0, ..site.clone() });
                        known.count += calls;
                    }
                    for (name, share) in called {
                        // A recursive method's calls are all counted in its rates.
                        if calls * share >= RARE && name != method {
                            *next.entry(name.to_owned()).or_default() += calls * share;
                        }
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
        let itself = |name: &str| self.rates.get(name).map_or(0.0, |rates| rates.bytecodes);
        let calls = self.callees(slow);
        let other = match quick {
            // A method that calls the other one differs in all but one such call.
            Some(quick) if calls.contains_key(quick) => BTreeMap::from([(quick.to_owned(), (1.0, None))]),
            Some(quick) => self.callees(quick),
            None => BTreeMap::new(),
        };
        let own = quick.filter(|quick| !calls.contains_key(*quick)).map_or(0.0, itself);
        let mut causes = vec![Cause {
            path: Vec::new(),
            line: None,
            calls: [1.0, 1.0],
            bytecodes: [itself(slow), own],
            share: 0.0,
            hottest: self.rates.get(slow).and_then(|rates| rates.hottest.clone()),
        }];
        for (name, (count, line)) in calls {
            let work = self.work(&name).map_or(0.0, |work| work.bytecodes());
            let of_other = other.get(&name).map_or(0.0, |(count, _)| *count);
            let path = self.descent(name);
            let hottest = path.last().and_then(|last| self.rates.get(last)?.hottest.clone());
            let bytecodes = [count * work, of_other * work];
            causes.push(Cause { path, line, calls: [count, of_other], bytecodes, share: 0.0, hottest });
        }
        let more = |cause: &Cause| cause.bytecodes[0] - cause.bytecodes[1];
        causes.retain(|cause| more(cause) > 0.0);
        let all: f64 = causes.iter().map(more).sum();
        causes.iter_mut().for_each(|cause| cause.share = (cause.bytecodes[0] - cause.bytecodes[1]) / all);
        causes
            .sort_by(|one, other| other.share.total_cmp(&one.share).then_with(|| one.path.cmp(&other.path)));
        causes
    }

    /// Counted methods that both methods call, those with most instructions first: what they do for one of the two is not known
    /// apart from what they do for the other.
    #[must_use]
    pub fn shared(&self, slow: &str, quick: &str) -> Vec<String> {
        let (calls, other) = (self.callees(slow), self.callees(quick));
        let both = calls.into_iter().filter(|(name, _)| other.contains_key(name));
        let work = |name: &str| self.work(name).map_or(0.0, |work| work.bytecodes());
        let mut both: Vec<(f64, String)> =
            both.map(|(name, (count, _))| (count * work(&name), name)).collect();
        both.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        both.into_iter().map(|(_, name)| name).collect()
    }

    /// The counted methods that a method calls, with the number of calls and the line of the first place.
    fn callees(&self, method: &str) -> BTreeMap<String, (f64, Option<u16>)> {
        let mut callees = BTreeMap::new();
        for site in self.rates.get(method).into_iter().flat_map(|rates| &rates.sites) {
            for (name, share) in self.called(site) {
                let callee = callees.entry(name.to_owned()).or_insert((0.0, site.line));
                callee.0 += share * site.count;
            }
        }
        // Its own calls are counted in its rates.
        callees.remove(method);
        callees
    }

    /// A method, and those below it as long as one of them takes nearly all.
    fn descent(&self, method: String) -> Vec<String> {
        let mut path = vec![method];
        while let Some(last) = path.last().filter(|_| path.len() < DEEPEST) {
            let all = self.work(last).map_or(0.0, |work| work.bytecodes());
            let below = self.callees(last).into_iter().find(|(name, (count, _))| {
                let work = self.work(name).map_or(0.0, |work| work.bytecodes());
                count * work >= NEARLY_ALL * all && !path.contains(name)
            });
            let Some((name, _)) = below else { break };
            path.push(name);
        }
        path
    }

    /// The counted methods that a site may call, with the share of the calls that each gets.
    fn called(&self, site: &Site) -> Vec<(&str, f64)> {
        let is_virtual = matches!(site.kind, CallKind::Virtual | CallKind::Interface);
        if is_virtual && site.class == OBJECT {
            // Most classes have their own, of which nothing is known.
            return Vec::new();
        }
        let exact = format!("{}.{}", site.class, site.member);
        if let Some((name, _)) = self.rates.get_key_value(&exact) {
            return vec![(name, 1.0)];
        }
        if !is_virtual {
            return Vec::new();
        }
        let all = self.members.get(&site.member).into_iter().flatten();
        let of = |name| self.rates.get(name).map(|rates: &Rates| (rates, rates.calls as f64));
        let mut all: Vec<(&str, f64, bool)> = all
            .filter_map(|name| {
                let (rates, calls) = of(name)?;
                Some((&**name, calls, self.is_kind_of(&rates.class, &site.class)))
            })
            .collect();
        // Other classes may fit or not.
        if all.iter().any(|(_, _, fits)| *fits) {
            all.retain(|(_, _, fits)| *fits);
        }
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

impl Work {
    fn add(&mut self, name: &str, rates: &Rates, calls: f64) {
        let part = self.parts.entry(name.to_owned()).or_insert_with(|| Part {
            calls: 0.0,
            bytecodes: 0.0,
            caught: 0.0,
            hottest: rates.hottest.clone().map(|hottest| Hottest { runs: 0.0, ..hottest }),
        });
        part.calls += calls;
        part.bytecodes += calls * rates.bytecodes;
        part.caught += calls * rates.caught;
        if let (Some(of_part), Some(of_rates)) = (&mut part.hottest, &rates.hottest) {
            of_part.runs += calls * of_rates.runs;
        }
    }

    /// Instructions of bytecode in all methods that were counted.
    #[must_use]
    pub fn bytecodes(&self) -> f64 {
        self.parts.values().map(|part| part.bytecodes).sum()
    }

    /// Exceptions that are caught in it.
    #[must_use]
    pub fn caught(&self) -> f64 {
        self.parts.values().map(|part| part.caught).sum()
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
        Rates { class: class.into(), member: member.into(), calls, bytecodes, caught: 0.5, hottest, sites }
    }

    fn known(all: Vec<Rates>) -> Known {
        let mut known = Known::default();
        all.into_iter().for_each(|one| known.add(one));
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
        let work = known.work("A.f()V").unwrap();
        let part = |name: &str| (work.parts[name].calls, work.parts[name].bytecodes);
        assert_eq!((part("A.f()V"), part("B.g()V")), ((1.0, 5.0), (3.0, 21.0)));
        assert_eq!((part("L1.get()V"), part("L2.get()V")), ((1.5, 15.0), (4.5, 450.0)));
        assert_eq!((work.bytecodes(), work.unseen.len(), &*work.unseen[0].member), (491.0, 1, "now()J"));
        assert_eq!(work.parts["B.g()V"].hottest.as_ref().unwrap().runs, 6.0);
        assert!(known.work("A.unknown()V").is_none());
    }

    #[test]
    fn a_receiver_of_an_interface_has_it() {
        let mut known = known(vec![
            rates("A", "f()V", 10, 5.0, &[("L", "get()V", true, 1.0)]),
            rates("L1", "get()V", 100, 10.0, &[]),
            rates("S1", "get()V", 900, 100.0, &[]),
        ]);
        known.supers.insert("L1".into(), vec!["B".into()]);
        assert_eq!(known.work("A.f()V").unwrap().bytecodes(), 5.0 + 91.0, "both may be meant");
        known.supers.insert("B".into(), vec!["java/lang/Object".into(), "L".into(), "B".into()]);
        assert_eq!(known.work("A.f()V").unwrap().bytecodes(), 5.0 + 10.0);
        assert_eq!(known.work("A.f()V").unwrap().caught(), 1.0);
    }

    #[test]
    fn recursion_ends() {
        let known = known(vec![
            rates("A", "f()V", 10, 1.0, &[("A", "f()V", false, 0.9), ("A", "g()V", false, 1.0)]),
            rates("A", "g()V", 10, 1.0, &[("A", "g()V", false, 0.5)]),
            rates("A", "endless()V", 10, 1.0, &[("A", "more()V", false, 2.0)]),
            rates("A", "more()V", 10, 1.0, &[("A", "more()V", false, 1.0)]),
        ]);
        let work = known.work("A.f()V").unwrap();
        assert!((work.parts["A.f()V"].calls, work.parts["A.g()V"].calls.round()) == (1.0, 2.0), "{work:?}");
        assert!(known.work("A.endless()V").unwrap().bytecodes() < 2.0 * STEPS as f64);
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
        let found = known.causes("A.slow()V", Some("A.quick()V"));
        let found: Vec<_> = found.iter().map(|one| (one.path.join(" "), one.share, one.calls)).collect();
        // The slow method's own code runs less than the quick one's.
        let expected = [("C.shared()V C.deep()V", 0.8, [9.0, 1.0]), ("D.own()V", 0.2, [1.0, 0.0])];
        assert_eq!(found, expected.map(|(path, share, calls)| (path.to_owned(), share, calls)));
        assert_eq!(known.causes("A.slow()V", None).len(), 3);
        assert_eq!(known.shared("A.slow()V", "A.quick()V"), ["C.shared()V"]);
    }

    #[test]
    fn a_method_may_call_the_one_that_it_is_compared_with() {
        let known = known(vec![
            rates("A", "f()V", 1, 1.0, &[("A", "g()V", false, 2.0), ("A", "f()V", false, 0.5)]),
            rates("A", "g()V", 1, 10.0, &[]),
        ]);
        let found = known.causes("A.f()V", Some("A.g()V"));
        let found: Vec<_> = found.iter().map(|one| (one.path.join(" "), one.bytecodes)).collect();
        assert_eq!(found, [("A.g()V".to_owned(), [20.0, 10.0]), (String::new(), [1.0, 0.0])]);
        assert!(known.shared("A.f()V", "A.g()V").is_empty());
    }
}
