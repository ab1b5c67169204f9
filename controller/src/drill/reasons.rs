//! Counts about failed claims, round by round: within the calls of each of their methods, and of all callers together.

use super::arcs;
use super::collected::Profile;
use super::kept::{Classes, Kept};
use spl_graph::CallKind;
use spl_model::{MOST_ROOTS, Pattern, Scope};
use spl_profile::{CallGraph, CountedClass, CountedMethod, Halves, Known, Site, Sizes, Work};
use spl_records::Why;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Methods and patterns that join in one round.
const JOIN: usize = 120;
/// Most groups of calls when calls are divided into small and large ones. The agent has 256 arenas, so 16 threads have one for each.
const MOST_GROUPS: usize = 16;
/// Calls a call, below which a method does not join.
pub const RARE: f64 = 0.01;
/// Calls within those of another method of the claims, as a share of those outside, up to which both count at the same time.
const SELDOM: f64 = 0.05;
/// Begin of a pattern of the methods of all classes.
pub const ANYWHERE: &str = "**.";
/// Methods that most classes have: each of them would be changed.
const EVERYWHERE: [&str; 4] =
    ["hashCode()I", "equals(Ljava/lang/Object;)Z", "toString()Ljava/lang/String;", "run()V"];

/// The counts so far.
#[derive(Debug, Default)]
pub struct Counted {
    /// Of all callers together.
    pub whole: Known,
    /// Within the calls of each method of the claims.
    pub apart: BTreeMap<String, Known>,
    /// The counts of blocks of all callers, and within the calls of each method of the claims.
    kept: (Kept, BTreeMap<String, Kept>),
    classes: Classes,
    /// Patterns of methods that were counted, or are about to be.
    tried: BTreeSet<String>,
    /// Pairs of methods of the claims of which one calls the other: their calls cannot count apart at the same time.
    nested: BTreeSet<(String, String)>,
    /// The slow method of each claim, and the one that it is compared with.
    pairs: Vec<(String, Option<String>)>,
    /// The workload sizes of the calls in the first round, by method of the claims, and all calls.
    sizes: BTreeMap<String, (Sizes, u64)>,
    /// The small calls and the large ones of methods whose sizes vary, by method of the claims; with the size from which on calls are
    /// large.
    halves: BTreeMap<String, (u64, Halves)>,
}

/// The call graphs of the counts.
#[derive(Debug)]
pub struct Graphs<'a> {
    whole: CallGraph<'a>,
    apart: BTreeMap<&'a str, CallGraph<'a>>,
}

impl Counted {
    /// Nothing yet about the methods of these claims.
    pub fn of(failed: &[Why]) -> Self {
        let roots = failed.iter().flat_map(|one| [Some(&one.slow), one.quick.as_ref()]).flatten();
        let pairs = failed.iter().map(|one| (one.slow.clone(), one.quick.clone())).collect();
        Self { apart: roots.map(|root| (root.clone(), Known::of_root())).collect(), pairs, ..Self::default() }
    }

    /// Notes which of these roots were often called within the calls of another one, to which they then belong; whether any pair
    /// is new.
    pub fn note_nested(&mut self, drilled: &Profile, roots: &[String]) -> bool {
        let before = self.nested.len();
        let each = roots.iter().zip(&drilled.apart).enumerate();
        for ((inner, (root, apart)), class) in
            each.flat_map(|one| drilled.classes.iter().map(move |class| (one, class)))
        {
            let within = Within::of(drilled, inner, root, class);
            let Ok(entry) = u32::try_from(within.own.start) else { continue };
            for outer in (0..roots.len()).filter(|outer| *outer != inner && !within.own.is_empty()) {
                if within.apart(outer, entry) as f64 > SELDOM * apart.calls as f64 {
                    self.nested.insert((roots[outer].clone(), root.clone()));
                }
            }
        }
        self.nested.len() > before
    }

    /// Forgets all counts, but not which roots call each other.
    pub fn restart(&mut self) {
        let apart = self.apart.keys().map(|root| (root.clone(), Known::of_root())).collect();
        let (nested, pairs) = (std::mem::take(&mut self.nested), std::mem::take(&mut self.pairs));
        *self = Self { apart, nested, pairs, ..Self::default() };
    }

    /// The methods of the claims in groups whose calls can count apart at the same time.
    pub fn groups(&self) -> Vec<Vec<String>> {
        let mut groups: Vec<Vec<String>> = Vec::new();
        for root in self.apart.keys().take(MOST_ROOTS) {
            let is_nested = |other: &String| {
                self.nested
                    .iter()
                    .any(|(one, two)| (one == root && two == other) || (one == other && two == root))
            };
            match groups.iter_mut().find(|group| !group.iter().any(is_nested)) {
                Some(group) => group.push(root.clone()),
                None => groups.push(vec![root.clone()]),
            }
        }
        groups
    }

    /// After the first round: divides the calls of methods whose workload sizes vary, so that small and large ones count apart from now
    /// on. Of two methods that are compared the sizes of both have to vary. Whether there are any.
    pub fn divide(&mut self) -> bool {
        let split = |root: &String| {
            let (sizes, calls) = self.sizes.get(root)?;
            sizes.split().filter(|_| sizes.has_nearly(*calls))
        };
        let mut room = MOST_GROUPS.saturating_sub(self.apart.len());
        let mut halves = BTreeMap::new();
        for (slow, quick) in &self.pairs {
            let both: Vec<&String> = [Some(slow), quick.as_ref()].into_iter().flatten().collect();
            let new: Option<Vec<(&String, u64)>> =
                both.into_iter().map(|root| Some((root, split(root)?))).collect();
            let mut new = new.unwrap_or_default();
            new.retain(|(root, _)| !halves.contains_key(*root));
            if new.len() <= room {
                room -= new.len();
                halves.extend(new.into_iter().map(|(root, from)| (root.clone(), (from, Halves::default()))));
            }
        }
        self.halves = halves;
        !self.halves.is_empty()
    }

    /// The counts of the small calls and of the large ones of a method of the claims.
    pub fn halves(&self, root: &str) -> Option<&Halves> {
        self.halves.get(root).map(|(_, halves)| halves)
    }

    /// Scope of a round: these roots, and the methods that `joining` names.
    pub fn scope(&self, joining: &[String], roots: &[String]) -> Scope {
        Scope {
            // Names of class files that are not patterns are left out.
            include: roots.iter().chain(joining).filter_map(|text| Pattern::parse(text).ok()).collect(),
            exclude: Vec::new(),
            jdk: true,
            roots: roots.to_vec(),
            larges: roots.iter().map(|root| self.halves.get(root).map_or(0, |(from, _)| *from)).collect(),
            ..Scope::default()
        }
    }

    /// Adds a round, in which the calls of these roots counted apart; whether each that was called before was called in it, too.
    pub fn add(&mut self, drilled: &Profile, roots: &[String]) -> bool {
        let value = |counter: u32| drilled.values.get(counter as usize).copied().unwrap_or(0);
        // A class whose counters do not fit its bytes tells nothing.
        for class in &drilled.classes {
            if self.whole.add_class(class, value, |_, _| Some(0.0)).is_ok() {
                self.kept.0.add(class, &mut self.classes, value);
            }
        }
        let mut was_called = true;
        for (number, (root, apart)) in roots.iter().zip(&drilled.apart).enumerate() {
            let Some(known) = self.apart.get_mut(root) else { continue };
            if apart.calls == 0 {
                was_called &= !known.has(root);
                continue;
            }
            self.sizes.entry(root.clone()).or_insert_with(|| (apart.sizes.clone(), apart.calls));
            let until_stopped = |name: &str| drilled.stopped.get(name).and_then(|calls| calls.get(number));
            for class in &drilled.classes {
                let within = Within::of(drilled, number, root, class);
                let in_root = |name: &str, calls: u64| {
                    if name == root {
                        return Some(1.0 + within.again() as f64 / apart.calls as f64);
                    }
                    let roots = until_stopped(name).map_or(apart.calls, |[all, _]| *all);
                    (roots > 0).then(|| calls as f64 / roots as f64)
                };
                let value = |counter: u32| within.value(counter);
                if known.add_class(class, value, in_root).is_ok() {
                    self.kept.1.entry(root.clone()).or_default().add(class, &mut self.classes, value);
                }
            }
        }
        self.add_halves(drilled, roots);
        was_called
    }

    /// Adds the counts of small calls and of large ones.
    fn add_halves(&mut self, drilled: &Profile, roots: &[String]) {
        for (number, (root, apart)) in roots.iter().zip(&drilled.apart).enumerate() {
            let (Some((_, halves)), Some(large)) = (self.halves.get_mut(root), &apart.large) else {
                continue;
            };
            let parts = [&apart.small(), &**large];
            for (place, (known, part)) in halves.known.iter_mut().zip(parts).enumerate() {
                known.are_counted_at(part.sizes.clone());
                let in_root = |name: &str, calls: u64| {
                    let until = drilled.stopped.get(name).and_then(|calls| calls.get(number));
                    let until = until.map(|[all, large]| [all.wrapping_sub(*large), *large][place]);
                    let roots = until.unwrap_or(part.calls);
                    (roots > 0).then(|| calls as f64 / roots as f64)
                };
                let value = |counter: u32| part.values.get(counter as usize).copied().unwrap_or(0);
                for class in &drilled.classes {
                    // A class whose counters do not fit its bytes tells nothing.
                    let _ = known.add_class(class, value, in_root);
                }
            }
        }
    }

    /// Adds the arcs of a round in these methods, in which the calls of the roots counted apart.
    pub fn add_arcs(&mut self, drilled: &Profile, roots: &[String], methods: &[String]) {
        let counted: BTreeSet<String> = roots.iter().chain(methods).cloned().collect();
        for (number, (root, apart)) in roots.iter().zip(&drilled.apart).enumerate() {
            let Some(known) = self.apart.get_mut(root) else { continue };
            let arcs = arcs::named(drilled, &apart.arcs);
            for class in &drilled.classes {
                let within = Within::of(drilled, number, root, class);
                let value = |counter| within.value(counter);
                let _ =
                    arcs.each_method(class, value, |caller, calls| known.add_arcs(&caller, &calls, &counted));
            }
        }
    }

    /// Methods whose calls by class or interface counts cannot tell apart, in the calls of some root.
    pub fn shared_out(&self) -> Vec<String> {
        let all: BTreeSet<String> = self.apart.values().flat_map(Known::shared_out).collect();
        all.into_iter().take(JOIN).collect()
    }

    /// Notes that the methods with this name and descriptor were counted in all loaded classes.
    pub fn counted_everywhere(&mut self, member: &str) {
        let all = self.apart.values_mut().chain([&mut self.whole]);
        all.for_each(|known| known.counted_everywhere(member.to_owned()));
    }

    /// The counts of blocks that belong to a method of the claims: within its calls, or of all callers.
    pub fn kept(&self, root: &str, is_apart: bool) -> &Kept {
        self.kept.1.get(root).filter(|_| is_apart).unwrap_or(&self.kept.0)
    }

    /// The call graphs.
    pub fn graphs(&self) -> Graphs<'_> {
        let called = self.apart.iter().filter(|(root, known)| known.has(root));
        Graphs {
            whole: self.whole.call_graph(),
            apart: called.map(|(root, known)| (&**root, known.call_graph())).collect(),
        }
    }

    /// Patterns of the methods that join the next round: methods that were not counted yet, the most frequent calls first.
    pub fn next(&mut self) -> Vec<String> {
        let graphs = self.graphs();
        let works = self.apart.keys().filter_map(|root| graphs.work(root));
        let mut frequent: Vec<Site> = works.flat_map(|work| work.unseen).collect();
        frequent.sort_by(|one, other| other.count.total_cmp(&one.count));
        // A method that is called once may lead to all the others.
        let near = self.apart.keys().flat_map(|root| graphs.of(root).unseen_from(root));
        let mut near: Vec<(usize, Site)> = near.collect();
        near.sort_by(|(depth, one), (deeper, other)| {
            depth.cmp(deeper).then_with(|| other.count.total_cmp(&one.count))
        });
        let mut joining = Vec::new();
        for site in in_turn(frequent, near.into_iter().map(|(_, site)| site)) {
            let pattern = self.untried(&site).filter(|_| joining.len() < JOIN);
            joining.extend(pattern.filter(|pattern| self.tried.insert(pattern.clone())));
        }
        joining
    }

    /// The methods of the claims, for the first round.
    pub fn first(&mut self) -> Vec<String> {
        self.tried.extend(self.apart.keys().cloned());
        self.apart.keys().cloned().collect()
    }

    /// Notes that these patterns were not counted after all.
    pub fn forget(&mut self, joining: &[String]) {
        self.tried.retain(|pattern| !joining.contains(pattern));
    }

    /// Whether methods that this work calls could still have been counted.
    pub fn could_go_on(&self, work: &Work) -> bool {
        work.unseen.iter().any(|site| self.untried(site).is_some())
    }

    /// A pattern for the methods that a site calls, if it has not been tried.
    fn untried(&self, site: &Site) -> Option<String> {
        let is_new = |pattern: &String| !self.tried.contains(pattern);
        let everywhere = EVERYWHERE.contains(&&*site.member);
        let any = (!everywhere).then(|| format!("{ANYWHERE}{}", site.member)).filter(is_new);
        let exact = Some(format!("{}.{}", site.class, site.member)).filter(is_new);
        // Neither an interface has code of its own nor, at times, the class that the call names.
        let pattern = match site.kind {
            CallKind::Interface => any,
            CallKind::Virtual => exact.or(any),
            CallKind::Static | CallKind::Special => exact,
            // Its result is called at another place.
            CallKind::Dynamic => site.lambda.clone().filter(is_new),
        };
        pattern.filter(|_| site.count >= RARE && !site.class.starts_with('['))
    }
}

/// The sites of both, in turn.
fn in_turn(one: Vec<Site>, other: impl Iterator<Item = Site>) -> impl Iterator<Item = Site> {
    let (mut one, mut other) = (one.into_iter(), other);
    let mut is_other = true;
    std::iter::from_fn(move || {
        is_other = !is_other;
        if is_other { other.next().or_else(|| one.next()) } else { one.next().or_else(|| other.next()) }
    })
}

/// Begin of a constructor's name with its descriptor.
const CONSTRUCTOR: &str = ".<init>(";

/// The counts of a class within the calls of a root.
struct Within<'p> {
    drilled: &'p Profile,
    /// The root's number.
    number: usize,
    /// The counters of the root's own code, if the class has it.
    own: Range<u64>,
    /// Whether the root is a constructor, whose own code counts before its thread is led to its arena: outside of all roots, or within
    /// another one, to which that call belongs.
    constructs: bool,
}

impl<'p> Within<'p> {
    fn of(drilled: &'p Profile, number: usize, root: &str, class: &CountedClass) -> Self {
        let is_root = |one: &&CountedMethod| format!("{}.{}{}", class.name, one.name, one.descriptor) == root;
        let own = class.methods.iter().find(is_root).map_or(0..0, |one| u64::from(one.first)..one.end());
        Self { drilled, number, own, constructs: root.contains(CONSTRUCTOR) }
    }

    /// The value of a counter.
    fn value(&self, counter: u32) -> u64 {
        if !self.constructs || !self.own.contains(&u64::from(counter)) {
            return self.apart(self.number, counter);
        }
        // Calls under way may count between the two readings.
        let others = (0..self.drilled.apart.len()).filter(|other| *other != self.number);
        let others = others.fold(0, |sum: u64, other| sum.wrapping_add(self.apart(other, counter)));
        let all = self.drilled.values.get(counter as usize).copied().unwrap_or(0);
        all.saturating_sub(others)
    }

    /// Calls of the root within its calls.
    fn again(&self) -> u64 {
        let all = u32::try_from(self.own.start).map_or(0, |first| self.apart(self.number, first));
        let own = self.drilled.apart.get(self.number).map_or(0, |apart| apart.calls);
        if self.constructs { all } else { all.saturating_sub(own) }
    }

    fn apart(&self, root: usize, counter: u32) -> u64 {
        let values = self.drilled.apart.get(root).map(|apart| &apart.values);
        values.and_then(|values| values.get(counter as usize)).copied().unwrap_or(0)
    }
}

impl Graphs<'_> {
    /// The graph that tells most about a method: of its own calls if there are any.
    pub fn of(&self, method: &str) -> &CallGraph<'_> {
        self.apart.get(method).unwrap_or(&self.whole)
    }

    fn work(&self, method: &str) -> Option<Work> {
        self.of(method).work(method)
    }
}
