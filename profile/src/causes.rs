//! Why a call of one method takes more than one of another method.

use crate::rates::{EventKind, Hottest};
use crate::work::{CallGraph, Node};
use std::collections::BTreeMap;

/// Most methods in the path of a cause.
const DEEPEST: usize = 24;
/// Share of a method's additional work from which on a callee stands for it.
const NEARLY_ALL: f64 = 0.8;

/// A cause of the difference between the works of two methods: code of the slower one itself, or a method that it calls more
/// often.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// The called method, and those in it that take nearly all that is more, from caller to callee; empty for the code of the
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

/// A method to compare, in the graph of the calls that it was counted in.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'g, 'a> {
    /// The graph.
    pub graph: &'g CallGraph<'a>,
    /// The method, with its class and descriptor.
    pub method: &'g str,
}

/// Events that a call of the slower method has more of, and what they cost by a rough estimate.
#[derive(Clone, Debug, PartialEq)]
pub struct Extra {
    /// Their kind.
    pub kind: ExtraKind,
    /// The method with most of what is more.
    pub method: String,
    /// The block with most of them in this method.
    pub block: Option<usize>,
    /// First and last source line of this block, or of the call.
    pub lines: Option<(u16, u16)>,
    /// In a call of the slower method, and in one of the other.
    pub counts: [f64; 2],
    /// Instructions that take about as long as the additional ones.
    pub cost: f64,
}

/// The kind of events that cost more than an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExtraKind {
    /// Exceptions that are caught.
    Caught,
    /// Objects and arrays that are made.
    Made,
    /// Monitors that are entered.
    Locked,
    /// Strings joined by `invokedynamic`.
    Joined,
    /// Calls by class or interface that reach more than two methods, which compiled code cannot put in place of the call.
    Many,
}

impl ExtraKind {
    /// Instructions that take about as long as one event, when compiled: a rough figure for the order of causes. An exception fills
    /// in its stack trace, a monitor is taken to be free, and strings to be short.
    #[must_use]
    pub fn cost(self) -> f64 {
        match self {
            Self::Caught => 5_000.0,
            Self::Made => 15.0,
            Self::Locked => 20.0,
            Self::Joined => 200.0,
            Self::Many => 10.0,
        }
    }
}

/// Calls of a place that reaches more methods than compiled code foresees (HotSpot's profile has two receivers).
const FORESEEN: usize = 2;

impl CallGraph<'_> {
    /// Why a call of a method runs more than one of the other method, the greatest cause first; without another one, where its
    /// instructions are.
    #[must_use]
    pub fn causes(&self, slow: &str, quick: Option<Compared<'_, '_>>) -> Vec<Cause> {
        let Some(node) = self.node(slow) else { return Vec::new() };
        // A method that calls the other one differs in all but one such call.
        let called =
            quick.filter(|quick| node.callees.iter().any(|one| self.name(one.number) == quick.method));
        let called = called.map(|quick| quick.method);
        // One that it calls through others is left out once.
        let through = quick.filter(|quick| called.is_none() && quick.method != slow);
        if let Some(less) = through.and_then(|quick| self.less_one_of(quick.method)) {
            return less.causes(slow, None);
        }
        let other = quick.filter(|_| called.is_none());
        let other = other.and_then(|quick| Some((quick.graph, quick.graph.node(quick.method)?)));
        // Recursion is within the calls that are compared.
        let scale = self.recursion(node);
        let other_scale = other.map_or(1.0, |(graph, other)| graph.recursion(other));
        let mut causes = vec![Cause {
            path: Vec::new(),
            line: None,
            calls: [1.0, 1.0],
            bytecodes: [
                scale * node.rates.bytecodes,
                other_scale * other.map_or(0.0, |(_, other)| other.rates.bytecodes),
            ],
            share: 0.0,
            hottest: node.rates.hottest.clone(),
        }];
        for callee in node.callees.iter().filter(|callee| self.name(callee.number) != slow) {
            let name = self.name(callee.number);
            let work = self.methods[callee.number].1.work;
            let of_other = if called == Some(name) { [1.0, work] } else { called_by(other, name) };
            let (path, last) = self.descent(callee.number, other.map(|(graph, _)| graph));
            causes.push(Cause {
                path,
                line: callee.line,
                calls: [scale * callee.count, other_scale * of_other[0]],
                bytecodes: [scale * callee.count * work, other_scale * of_other[0] * of_other[1]],
                share: 0.0,
                hottest: last.rates.hottest.clone(),
            });
        }
        // Rates come from rounds with other calls, and those of a search that was cut miss some. No part is more than the whole.
        let wholes = [
            self.whole(slow),
            other.map_or(f64::INFINITY, |(graph, _)| graph.whole(quick.map_or("", |quick| quick.method))),
        ];
        for cause in &mut causes {
            for (bytecodes, whole) in cause.bytecodes.iter_mut().zip(wholes) {
                *bytecodes = bytecodes.min(whole);
            }
        }
        let more = |cause: &Cause| cause.bytecodes[0] - cause.bytecodes[1];
        causes.retain(|cause| more(cause) > 0.0);
        let all: f64 = causes.iter().map(more).sum();
        causes.iter_mut().for_each(|cause| cause.share = (cause.bytecodes[0] - cause.bytecodes[1]) / all);
        causes
            .sort_by(|one, other| other.share.total_cmp(&one.share).then_with(|| one.path.cmp(&other.path)));
        causes
    }

    /// Instructions of a call with all that was counted below it, as they were counted.
    fn whole(&self, method: &str) -> f64 {
        let work = self.work(method).filter(|_| self.is_apart());
        work.map_or(f64::INFINITY, |work| work.bytecodes())
    }

    /// Calls of a method in one call of it, itself among them.
    fn recursion(&self, node: &Node<'_>) -> f64 {
        if self.is_apart() { node.in_root } else { 1.0 }
    }

    fn name(&self, number: usize) -> &str {
        self.methods[number].0
    }

    /// A method, and those below it as long as one of them takes nearly all that is more than in a call that the other graph has
    /// counted; the last one.
    fn descent(&self, method: usize, other: Option<&CallGraph<'_>>) -> (Vec<String>, &Node<'_>) {
        let mut path = vec![method];
        let mut last = &self.methods[method].1;
        while path.len() < DEEPEST {
            let same = other.and_then(|other| Some((other, other.node(self.name(*path.last()?))?)));
            // Where a call of the method itself is not dearer there are only more of them.
            let same = same.filter(|(_, same)| last.work - same.work >= (1.0 - NEARLY_ALL) * last.work);
            let more = last.work - same.map_or(0.0, |(_, same)| same.work);
            let below = last.callees.iter().find(|callee| {
                let [calls, work] = called_by(same, self.name(callee.number));
                callee.count * self.methods[callee.number].1.work - calls * work >= NEARLY_ALL * more
                    && !path.contains(&callee.number)
            });
            let Some(below) = below else { break };
            path.push(below.number);
            last = &self.methods[below.number].1;
        }
        (path.into_iter().map(|at| self.name(at).to_owned()).collect(), last)
    }

    /// Events that a call of the slower method has more of, the dearest first.
    #[must_use]
    pub fn extras(&self, slow: &str, quick: Option<Compared<'_, '_>>) -> Vec<Extra> {
        let of_slow = self.events(slow);
        let of_quick = quick.map(|quick| quick.graph.events(quick.method)).unwrap_or_default();
        let mut extras: Vec<Extra> = Vec::new();
        for kind in
            [ExtraKind::Caught, ExtraKind::Made, ExtraKind::Locked, ExtraKind::Joined, ExtraKind::Many]
        {
            let sum = |of: &BTreeMap<_, At>| {
                of.iter().filter(|((one, _), _)| *one == kind).map(|(_, at)| at.count).sum::<f64>()
            };
            let counts = [sum(&of_slow), sum(&of_quick)];
            let more = |(key, at): &(&(ExtraKind, String), &At)| {
                at.count - of_quick.get(key).map_or(0.0, |other| other.count)
            };
            let most = of_slow.iter().filter(|((one, _), _)| *one == kind);
            let Some(most) = most.max_by(|one, other| more(one).total_cmp(&more(other))) else { continue };
            let cost = (counts[0] - counts[1]) * kind.cost();
            if cost > 0.0 {
                let ((_, method), At { block, lines, .. }) = most;
                extras.push(Extra {
                    kind,
                    method: method.clone(),
                    block: *block,
                    lines: *lines,
                    counts,
                    cost,
                });
            }
        }
        extras.sort_by(|one, other| other.cost.total_cmp(&one.cost));
        extras
    }

    /// Instructions of a call of a method with all that it calls, and what its events cost by a rough estimate.
    #[must_use]
    pub fn cost(&self, method: &str) -> f64 {
        let events = self.events(method);
        let events: f64 = events.iter().map(|((kind, _), at)| kind.cost() * at.count).sum();
        events + self.work(method).map_or(0.0, |work| work.bytecodes())
    }

    /// Calls in a call of a method, with all that it calls, at places that reach several methods.
    #[must_use]
    pub fn polymorphic_calls(&self, method: &str) -> f64 {
        let parts = self.work(method).map(|work| work.parts).unwrap_or_default();
        let of_part = |(name, part): (&String, &crate::Part)| {
            let many = self.node(name).into_iter().flat_map(|node| &node.many);
            part.calls * many.map(|many| many.site.count).sum::<f64>()
        };
        parts.iter().map(of_part).sum()
    }

    /// Events in a call of a method, with all that it calls, by kind and method.
    fn events(&self, method: &str) -> BTreeMap<(ExtraKind, String), At> {
        let mut found = BTreeMap::new();
        let parts = self.work(method).map(|work| work.parts).unwrap_or_default();
        for (name, part) in parts {
            let Some(node) = self.node(&name) else { continue };
            let mut add = |kind, count: f64, block, lines| {
                if count > 0.0 {
                    let at = found.entry((kind, name.clone())).or_insert(At { count: 0.0, block, lines });
                    at.count += count;
                }
            };
            for busiest in &node.rates.busiest {
                let count = part.calls * node.rates.events.of(busiest.kind);
                let kind = match busiest.kind {
                    EventKind::Caught => ExtraKind::Caught,
                    EventKind::Made => ExtraKind::Made,
                    EventKind::Locked => ExtraKind::Locked,
                };
                add(kind, count, Some(busiest.block), busiest.lines);
            }
            for site in &node.rates.sites {
                if site.joins_strings() {
                    add(ExtraKind::Joined, part.calls * site.count, None, site.line.map(|line| (line, line)));
                }
            }
            for many in node.many.iter().filter(|many| many.reached > FORESEEN) {
                add(
                    ExtraKind::Many,
                    part.calls * many.site.count,
                    None,
                    many.site.line.map(|line| (line, line)),
                );
            }
        }
        found
    }
}

/// Events of a method in a call of another one.
#[derive(Clone, Copy, Debug)]
struct At {
    count: f64,
    block: Option<usize>,
    lines: Option<(u16, u16)>,
}

/// Calls of a method by this node, and the instructions of one.
fn called_by(node: Option<(&CallGraph<'_>, &Node<'_>)>, method: &str) -> [f64; 2] {
    let Some((graph, node)) = node else { return [0.0, 0.0] };
    let callee = node.callees.iter().find(|callee| graph.name(callee.number) == method);
    callee.map_or([0.0, 0.0], |callee| [callee.count, graph.methods[callee.number].1.work])
}
