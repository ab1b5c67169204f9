//! From the counts of a method's blocks to its tally.

use crate::amount::Bounds;
use crate::chosen::Chosen;
use crate::flow::{Step, started};
use crate::group::{ALL, Group};
use crate::made;
use crate::of_drill::OfDrill;
use crate::tally::Tally;
use spl_classfile::class::{ClassFile, Method};
use spl_classfile::code::Code;
use spl_classfile::instruction::{Insn, decode};
use spl_classfile::mutf8;
use spl_classfile::opcode::INVOKEDYNAMIC;
use spl_export::{Activations, MadeSizes, MethodCounts, Site};
use spl_graph::{Block, CallKind, NoGraph};
use std::collections::{BTreeMap, BTreeSet};

/// Access flag of synchronized methods (JVMS 4.6).
const ACC_SYNCHRONIZED: u16 = 0x0020;

/// Facts in addition to the counts of blocks.
#[derive(Clone, Copy, Debug)]
pub struct Beside<'s> {
    /// The places of the method that call, by their offsets; `None` where arcs were not counted.
    pub sites: Option<&'s BTreeMap<u32, Site>>,
    /// The sizes of what places of the method made, by their offsets; `None` where they were not counted.
    pub made: Option<&'s BTreeMap<u32, MadeSizes>>,
    /// The drill.
    pub of_drill: &'s OfDrill,
    /// Whether other classes of the drill have the same name: then the sizes are of all of them together.
    pub is_shared: bool,
    /// The activations of methods.
    pub activations: &'s BTreeMap<String, Activations>,
    /// Activations of the method that may not have ended with the JVM, at most. An activation that waits for a call is not among them.
    pub under_way: u64,
}

/// The tally of a method that did not count: what its class file tells.
#[must_use]
pub fn uncounted(class: &ClassFile<'_>, method: &Method<'_>) -> Tally {
    let code = method.code.clone().and_then(|range| class.bytes.get(range));
    let length = code.and_then(|info| Some(decode(Code::read(info, &class.pool).ok()?.bytes).ok()?.len()));
    let mut tally = Tally { methods: 1, load: length.unwrap_or(0) as u64, ..Tally::default() };
    tally.doubts.missing = u64::from(method.code.is_some());
    tally
}

/// The tally of a method that counted.
///
/// # Errors
/// When its code cannot be read.
pub fn counted<'a>(
    class: &ClassFile<'a>,
    counts: &MethodCounts<'a>,
    beside: Beside<'_>,
) -> Result<Tally, NoGraph> {
    let (insns, _) = counts.code(class)?;
    let throwing: BTreeSet<u32> = counts.graph.throwing(class, counts.method, &insns).into_iter().collect();
    let mut tally =
        Tally { methods: 1, load: insns.len() as u64, entries: counts.counts.calls, ..Tally::default() };
    if counts.method.access & ACC_SYNCHRONIZED != 0 {
        tally.synchronized = tally.entries;
        tally.locks.add(Bounds::exact(tally.entries));
    }
    let mut method = OfMethod { class, counts, beside, throwing, tally };
    for (number, block) in counts.graph.blocks.iter().enumerate() {
        let first = insns.partition_point(|insn| insn.at < block.first);
        let end = insns.partition_point(|insn| insn.at < block.end);
        method.add(number, block, insns.get(first..end).unwrap_or_default());
    }
    let mut tally = method.tally;
    tally.of_methods.add(tally.executed);
    if !counts.doubt.is_empty() {
        tally.doubts.of_methods.insert(counts.doubt.clone(), 1);
    }
    Ok(tally)
}

struct OfMethod<'m, 'a> {
    class: &'m ClassFile<'a>,
    counts: &'m MethodCounts<'a>,
    beside: Beside<'m>,
    /// Offsets of instructions that can throw.
    throwing: BTreeSet<u32>,
    tally: Tally,
}

impl<'a> OfMethod<'_, 'a> {
    /// Adds a block with its instructions.
    fn add(&mut self, number: usize, block: &Block<'a>, insns: &[Insn<'a>]) {
        let counts = &self.counts.counts;
        let runs = counts.blocks.get(number).copied().unwrap_or(0);
        if runs == 0 {
            return;
        }
        let gone = counts.gone.get(number).copied().flatten().unwrap_or(0);
        let mut steps: Vec<Step> = insns.iter().map(|insn| self.step(block, insn.at)).collect();
        let thrown = counts.thrown.get(number).copied().flatten();
        if let (Some(thrown), Some(last)) = (thrown, steps.last_mut()) {
            *last = Step { throws: true, entered: thrown, is_counted: true, ..Step::default() };
        }
        let started = started(runs, gone, &steps, self.beside.under_way);
        self.tally.blocks = self.tally.blocks.saturating_add(runs);
        let ways = self.ways(number);
        for (place, insn) in insns.iter().enumerate() {
            let (now, next) = (started[place], started[place + 1]);
            self.executed(insn, now);
            let mut targets = Bounds::exact(0);
            if let Some(call) = block.calls.iter().find(|call| call.at == insn.at) {
                targets = self.call(call, now, next);
                self.tally.doubts.lambdas += u64::from(call.lambda.is_some() && now.most > 0);
            }
            let is_last = place + 1 == insns.len();
            let changes = if is_last && !Group::Chosen.has(insn, &self.class.pool) { ways } else { targets };
            if Group::Control.has(insn, &self.class.pool) {
                self.tally.changing.add(Bounds::one(changes.least > 1, changes.most > 1));
            }
            if Group::Allocation.has(insn, &self.class.pool) {
                // An instruction that throws makes nothing.
                let made = Bounds::new(next.least, now.most);
                let sizes = self.beside.made.map(|all| all.get(&insn.at));
                made::add(&mut self.tally, insn.opcode, made, sizes, self.beside.is_shared);
            }
        }
    }

    fn executed(&mut self, insn: &Insn<'a>, count: Bounds) {
        let run = Bounds::one(count.least > 0, count.most > 0);
        self.tally.executed.add(count);
        self.tally.run.add(run);
        self.tally.instructions.add(count);
        for group in ALL.into_iter().filter(|group| group.has(insn, &self.class.pool)) {
            self.tally.executed_of[group.number()].add(count);
            self.tally.run_of[group.number()].add(run);
        }
        if Group::Monitor.has(insn, &self.class.pool) {
            self.tally.locks.add(count);
        }
        if matches!(insn.opcode, 0xb6..=INVOKEDYNAMIC) {
            self.tally.calls.add(count);
        }
    }

    /// Ways out of a block that were taken.
    fn ways(&self, number: usize) -> Bounds {
        let graph = &self.counts.graph;
        let Some(block) = graph.blocks.get(number) else { return Bounds::default() };
        let taken = |edge: &usize| {
            let is_exception = graph.edges.get(*edge).is_none_or(|edge| edge.kind.is_exception());
            !is_exception && self.counts.counts.edges.get(*edge).is_some_and(|count| *count > 0)
        };
        Bounds::exact(block.edges.clone().filter(taken).count() as u64)
    }

    /// An instruction with its calls.
    fn step(&self, block: &Block<'a>, at: u32) -> Step {
        let throws = self.throwing.contains(&at);
        let called = block.calls.iter().find(|call| call.at == at);
        let site = self.site(at).filter(|_| called.is_some_and(|call| !self.is_open(call)));
        let Some(site) = site else { return Step { throws, ..Step::default() } };
        let thrown = site.entered.iter().map(|one| {
            // Of a method that did not say it, all.
            let activations = self.beside.activations.get(&one.method);
            activations.map_or(one.calls, |all| one.calls.min(all.unreturned))
        });
        let thrown = thrown.fold(0, u64::saturating_add);
        Step { throws, entered: site.entries(), thrown, is_known: true, is_counted: false }
    }

    fn site(&self, at: u32) -> Option<&Site> {
        self.beside.sites?.get(&at)
    }

    /// Whether objects of classes that do not count may be a call's receivers. Their method may call one of the same name, which counts: then
    /// the entered method is not the one that the receiver chose.
    fn is_open(&self, call: &spl_graph::Call<'a>) -> bool {
        matches!(call.kind, CallKind::Virtual | CallKind::Interface)
            && self.beside.of_drill.leaves_out(&mutf8::decode(call.target.class))
    }

    /// Adds a call with the number of times that it was started, and that the block went on behind it. Gives the number of methods that
    /// receivers chose.
    fn call(&mut self, call: &spl_graph::Call<'a>, now: Bounds, next: Bounds) -> Bounds {
        let known = self.beside.sites.is_some();
        let site = self.site(call.at).cloned();
        let entries = site.as_ref().map_or(0, Site::entries);
        if let Some(site) = &site {
            let native = site.native.min(now.most);
            let others = entries.saturating_add(site.unseen);
            let least = if native == 0 { 0 } else { next.least.saturating_sub(others).min(native) };
            self.tally.natives.add(Bounds::new(least, native));
            self.tally.unseen = self.tally.unseen.saturating_add(site.unseen);
        }
        if !known || !matches!(call.kind, CallKind::Virtual | CallKind::Interface) {
            return Bounds::exact(0);
        }
        let is_open = entries > 0 && self.is_open(call);
        self.tally.doubts.open += u64::from(is_open);
        let received =
            || site.iter().flat_map(Site::received).fold(0, |sum: u64, one| sum.saturating_add(one.calls));
        let surely = if is_open { 0 } else { received() };
        let reached = Bounds::new(next.least.max(surely).min(now.most), now.most);
        let chosen = Chosen::of(site.as_ref(), reached);
        self.tally.chosen.merge(&chosen);
        let [one, two, three] = chosen.targets.sites;
        let surely = two.least + three.least > 0;
        let possibly = two.most + three.most > 0;
        Bounds { least: if surely { 2 } else { one.least }, most: if possibly { 2 } else { one.most } }
    }
}
