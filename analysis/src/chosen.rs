//! Calls whose receiver chooses the method: classes and methods of a place, and how often a cache of one entry would miss.

use crate::amount::Bounds;
use spl_export::Site;
use std::collections::{BTreeMap, BTreeSet};

/// Places by the number of their receivers' classes, or of the methods that these chose: 1, 2, 3 or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arity {
    /// Number of places.
    pub sites: [Bounds; 3],
    /// Calls from these places.
    pub calls: [Bounds; 3],
}

/// The calls of some places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Calls that reached a method.
    pub calls: Bounds,
    /// Places that made such a call.
    pub sites: Bounds,
    /// By classes of receivers.
    pub receivers: Arity,
    /// By methods.
    pub targets: Arity,
    /// Calls whose receiver was of another class than that before, and the first of each thread.
    pub receiver_misses: Bounds,
    /// Calls that reached another method than the call before, and the first of each thread.
    pub target_misses: Bounds,
}

impl Arity {
    fn add(&mut self, number: Bounds, calls: Bounds) {
        let bin = |number: u64| number.clamp(1, 3) - 1;
        for (at, (sites, of)) in (0_u64..).zip(self.sites.iter_mut().zip(&mut self.calls)) {
            let possibly = (bin(number.least)..=bin(number.most)).contains(&at);
            let surely = possibly && bin(number.least) == bin(number.most);
            sites.add(Bounds::one(surely && calls.least > 0, possibly && calls.most > 0));
            let least = if surely { calls.least } else { 0 };
            of.add(Bounds::new(least, if possibly { calls.most } else { 0 }));
        }
    }

    fn merge(&mut self, other: &Self) {
        self.sites.iter_mut().zip(other.sites).for_each(|(to, from)| to.add(from));
        self.calls.iter_mut().zip(other.calls).for_each(|(to, from)| to.add(from));
    }
}

impl Chosen {
    /// The calls of one place. `calls` have reached a method, and `site` says which; it is not there where the table has no line.
    #[must_use]
    pub fn of(site: Option<&Site>, calls: Bounds) -> Self {
        let none = Site::default();
        let of = Place::of(site.unwrap_or(&none), calls);
        let mut chosen =
            Self { calls, sites: Bounds::one(calls.least > 0, calls.most > 0), ..Self::default() };
        chosen.receivers.add(of.receivers(), calls);
        chosen.targets.add(of.targets(), calls);
        chosen.receiver_misses = of.receiver_misses();
        chosen.target_misses = of.target_misses();
        chosen
    }

    /// Adds the calls of other places.
    pub fn merge(&mut self, other: &Self) {
        self.calls.add(other.calls);
        self.sites.add(other.sites);
        self.receivers.merge(&other.receivers);
        self.targets.merge(&other.targets);
        self.receiver_misses.add(other.receiver_misses);
        self.target_misses.add(other.target_misses);
    }
}

/// A place with its calls.
struct Place<'s> {
    site: &'s Site,
    calls: Bounds,
    /// Calls whose receivers are known.
    received: u64,
    /// Calls of which nothing is known but that they were made.
    unknown: u64,
    /// Calls by method, as far as it is known.
    by_target: BTreeMap<&'s str, u64>,
    /// Most methods that receivers chose which are not known: one a class.
    untold: u64,
}

impl<'s> Place<'s> {
    fn of(site: &'s Site, calls: Bounds) -> Self {
        let mut by_target: BTreeMap<&str, u64> = BTreeMap::new();
        let (mut received, mut untold, mut classes) = (0_u64, 0_u64, BTreeSet::new());
        for one in site.received() {
            received = received.saturating_add(one.calls);
            if one.method.is_empty() {
                let most = if is_unsure(&one.receiver) { one.calls } else { 1 };
                untold = untold.saturating_add(if classes.insert(&*one.receiver) { most } else { 0 });
                continue;
            }
            let sum = by_target.entry(&one.method).or_default();
            *sum = sum.saturating_add(one.calls);
        }
        let unknown = calls.most.saturating_sub(received);
        Self { site, calls, received, unknown, by_target, untold }
    }

    /// Number of classes of its receivers.
    fn receivers(&self) -> Bounds {
        let names: BTreeSet<&str> = self.site.received().map(|one| &*one.receiver).collect();
        let more = self.site.received().filter(|one| is_unsure(&one.receiver));
        let more = more.fold(0, |sum: u64, one| sum.saturating_add(one.calls.saturating_sub(1)));
        self.number(names.len() as u64, more)
    }

    /// Number of methods that they chose.
    fn targets(&self) -> Bounds {
        self.number(self.by_target.len() as u64, self.untold)
    }

    /// `known` different ones, perhaps some `more`, and those of calls of which nothing is known.
    fn number(&self, known: u64, more: u64) -> Bounds {
        let most = known.saturating_add(more).saturating_add(self.unknown).min(self.calls.most);
        Bounds::new(known.max(1).min(most), most)
    }

    fn changes(&self) -> u64 {
        self.site.changes.unwrap_or(0).min(self.received)
    }

    /// Changes of the class. Those between two classes that share a number were not seen.
    fn real_changes(&self) -> Bounds {
        let is_shared = self.site.received().any(|one| one.receiver.contains(" or "));
        let most = if is_shared { self.received.saturating_sub(self.firsts().least) } else { self.changes() };
        Bounds { least: self.changes(), most: most.max(self.changes()) }
    }

    /// First calls in a thread whose receivers are known.
    fn firsts(&self) -> Bounds {
        let room = self.received - self.changes();
        match self.site.threads {
            Some(threads) => Bounds::new(threads.least.min(room), threads.most.min(room)),
            None => Bounds::new(room.min(1), room),
        }
    }

    /// Misses of calls whose receivers are not known: each may miss, and so may the next call behind it.
    fn with_unknown(&self, misses: Bounds) -> Bounds {
        let least = misses.least.max(u64::from(self.calls.least > 0));
        let most = misses.most.saturating_add(self.unknown.saturating_mul(2)).min(self.calls.most);
        Bounds::new(least, most)
    }

    fn receiver_misses(&self) -> Bounds {
        self.with_unknown(self.real_changes().plus(self.firsts()))
    }

    /// A method changes only with the class: at least as often as is needed for each to have its turn in a single thread, and at most as
    /// often as classes do. The calls of the most called one lie between others.
    fn target_misses(&self) -> Bounds {
        let (changes, firsts) = (self.real_changes(), self.firsts());
        let greatest = self.by_target.values().max().copied().unwrap_or(0);
        let others = self.received.saturating_sub(greatest);
        let most = changes.most.min(others.saturating_mul(2));
        // Each method begins somewhere: by a change, or as the first of a thread.
        let least = (self.by_target.len() as u64).saturating_sub(firsts.most.max(1)).min(most);
        let classes: BTreeSet<(&str, &str)> =
            self.site.received().map(|one| (&*one.method, &*one.receiver)).collect();
        let is_one_to_one =
            self.untold == 0 && classes.len() == self.by_target.len() && self.receivers().is_exact();
        let changes = if is_one_to_one { changes } else { Bounds::new(least, most) };
        self.with_unknown(changes.plus(firsts))
    }
}

/// Whether a receiver may be of several classes: of classes without a name, or of classes that share a number.
fn is_unsure(name: &str) -> bool {
    name.is_empty() || name.contains(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use spl_export::{Entered, Threads};

    fn site(entered: &[(&str, &str, u64)], changes: u64, threads: Option<u64>) -> Site {
        let threads = threads.map(|number| Threads { least: number, most: number });
        let one = |(method, receiver, calls): &(&str, &str, u64)| Entered {
            method: (*method).to_owned(),
            receiver: (*receiver).to_owned(),
            calls: *calls,
        };
        Site {
            entered: entered.iter().map(one).collect(),
            changes: Some(changes),
            threads,
            ..Site::default()
        }
    }

    #[test]
    fn classes_and_methods_of_a_place_are_told_apart() {
        // P, Q, R, R, P; R inherits the method of P.
        let site = site(&[("P.f()I", "P", 2), ("P.f()I", "R", 2), ("Q.f()I", "Q", 1)], 3, Some(1));
        let chosen = Chosen::of(Some(&site), Bounds::exact(5));
        let [one, two, three] = chosen.receivers.sites;
        assert_eq!((one, two, three), (Bounds::exact(0), Bounds::exact(0), Bounds::exact(1)));
        assert_eq!(chosen.targets.sites[1], Bounds::exact(1));
        assert_eq!(chosen.targets.calls[1], Bounds::exact(5));
        assert_eq!(chosen.receiver_misses, Bounds::exact(4));
        assert_eq!(
            chosen.target_misses,
            Bounds::new(2, 3),
            "the changes within the calls of P.f are not known"
        );
    }

    #[test]
    fn classes_of_one_name_have_one_method() {
        let site = site(&[("P.f()I", "P", 10), ("P.f()I", "P (2)", 10)], 19, Some(1));
        let chosen = Chosen::of(Some(&site), Bounds::exact(20));
        assert_eq!(
            (chosen.receivers.sites[1], chosen.targets.sites[0]),
            (Bounds::exact(1), Bounds::exact(1))
        );
        assert_eq!((chosen.receiver_misses, chosen.target_misses), (Bounds::exact(20), Bounds::exact(1)));
    }

    #[test]
    fn methods_change_with_their_classes() {
        let site = site(&[("P.f()I", "P", 10), ("Q.f()I", "Q", 10)], 7, Some(2));
        let chosen = Chosen::of(Some(&site), Bounds::exact(20));
        assert_eq!((chosen.receiver_misses, chosen.target_misses), (Bounds::exact(9), Bounds::exact(9)));
    }

    #[test]
    fn one_receiver_misses_once_a_thread() {
        let once = Chosen::of(Some(&site(&[("P.f()I", "P", 10)], 0, Some(3))), Bounds::exact(10));
        assert_eq!((once.receiver_misses, once.target_misses), (Bounds::exact(3), Bounds::exact(3)));
        let mut taken_over = site(&[("P.f()I", "P", 10)], 2, Some(3));
        taken_over.threads = Some(Threads { least: 3, most: 7 });
        let taken_over = Chosen::of(Some(&taken_over), Bounds::exact(10));
        assert_eq!(taken_over.receiver_misses, Bounds::new(5, 9), "four threads may have come behind others");
        let unknown = Chosen::of(Some(&site(&[("P.f()I", "P", 10)], 0, None)), Bounds::exact(10));
        assert_eq!(unknown.receiver_misses, Bounds::new(1, 10));
    }

    #[test]
    fn calls_of_which_nothing_is_known_may_be_anything() {
        let mut some = site(&[("P.f()I", "P", 3)], 0, Some(1));
        some.unseen = 2;
        let chosen = Chosen::of(Some(&some), Bounds::exact(5));
        assert_eq!(chosen.receivers.sites, [Bounds::new(0, 1); 3]);
        assert_eq!(chosen.receiver_misses, Bounds::new(1, 5));
        let alone = Chosen::of(None, Bounds::exact(1));
        assert_eq!(alone.receivers.sites[0], Bounds::exact(1), "one call has one receiver");
        assert_eq!(alone.receiver_misses, Bounds::exact(1));
        let never = Chosen::of(None, Bounds::new(0, 1));
        assert_eq!((never.sites, never.receivers.sites[0]), (Bounds::new(0, 1), Bounds::new(0, 1)));
    }

    #[test]
    fn receivers_may_be_known_where_their_methods_are_not() {
        let mut some = site(&[("P.f()I", "P", 3)], 5, Some(1));
        let beyond = [("", "Q", 2), ("", "java/lang/R", 4), ("N.f()I", "N", 1)];
        some.beyond = site(&beyond, 0, None).entered;
        let chosen = Chosen::of(Some(&some), Bounds::exact(10));
        assert_eq!(chosen.receivers.sites[2], Bounds::exact(1), "four classes");
        assert_eq!(chosen.receiver_misses, Bounds::exact(6));
        // Two methods are known. Those of two classes may be others, or one of these.
        assert_eq!(chosen.targets.sites.map(|one| (one.least, one.most)), [(0, 0), (0, 1), (0, 1)]);
        let alone = |class: &str| {
            let alone = Site { beyond: site(&[("", class, 4)], 0, None).entered, ..site(&[], 0, Some(1)) };
            Chosen::of(Some(&alone), Bounds::exact(4)).targets.sites[0]
        };
        assert_eq!(alone("Q"), Bounds::exact(1), "one class has one method");
        assert_eq!(alone("Q or R"), Bounds::new(0, 1));
    }

    #[test]
    fn a_number_may_stand_for_two_classes() {
        let chosen = Chosen::of(Some(&site(&[("P.f()I", "P or Q", 4)], 0, Some(1))), Bounds::exact(4));
        assert_eq!(chosen.receivers.sites[0], Bounds::new(0, 1));
        assert_eq!(chosen.receiver_misses, Bounds::new(1, 4), "changes between them have no number");
    }
}
