//! Averages of a method's calls, from its counts.

use crate::method::{MethodProfile, positive};
use crate::reach::member;
use spl_classfile::mutf8;
use spl_graph::CallKind;

/// Averages of the calls of a method, of the method's own code.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// Its class, with slashes.
    pub class: String,
    /// Its name and descriptor.
    pub member: String,
    /// Calls that were counted.
    pub calls: u64,
    /// Instructions of bytecode a call.
    pub bytecodes: f64,
    /// Events a call.
    pub events: Events,
    /// Where it has most of each kind of event.
    pub busiest: Vec<Busiest>,
    /// The block that takes most of the instructions; `None` without any.
    pub hottest: Option<Hottest>,
    /// Its calls of other methods that were reached.
    pub sites: Vec<Site>,
    /// Number of times that a call runs each block, and the instructions in these runs.
    pub blocks: Vec<(f64, f64)>,
}

/// Events that cost more than an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Events {
    /// Exceptions that handlers catch, those of `finally` too.
    pub caught: f64,
    /// Objects and arrays that are made. Compiled code may do without them.
    pub made: f64,
    /// Monitors that are entered.
    pub locked: f64,
}

impl Events {
    /// Number of the events of a kind.
    #[must_use]
    pub fn of(self, kind: EventKind) -> f64 {
        match kind {
            EventKind::Caught => self.caught,
            EventKind::Made => self.made,
            EventKind::Locked => self.locked,
        }
    }

    /// Adds the events of this number of calls.
    pub(crate) fn add(&mut self, calls: f64, other: Self) {
        self.caught += calls * other.caught;
        self.made += calls * other.made;
        self.locked += calls * other.locked;
    }
}

/// A kind of event that costs more than an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// A handler catches an exception.
    Caught,
    /// An object or an array is made.
    Made,
    /// A monitor is entered.
    Locked,
}

/// The block of a method that has most events of a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Busiest {
    /// The kind.
    pub kind: EventKind,
    /// Its number.
    pub block: usize,
    /// Its first source line and its last one; `None` where the class file has none.
    pub lines: Option<(u16, u16)>,
    /// Events in a call of the method.
    pub count: f64,
}

/// The block of a method that runs most instructions.
#[derive(Clone, Debug, PartialEq)]
pub struct Hottest {
    /// Its number.
    pub block: usize,
    /// Its first source line and its last one; `None` where the class file has none.
    pub lines: Option<(u16, u16)>,
    /// Number of times that a call of the method runs it.
    pub runs: f64,
}

/// The calls of another method from one or several places.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// Class that the class file names, with slashes.
    pub class: String,
    /// Name and descriptor of the called method.
    pub member: String,
    /// By which instruction.
    pub kind: CallKind,
    /// Source line of the place that makes most of the calls; `None` where the class file has none.
    pub line: Option<u16>,
    /// Number of times that a call of the method makes the call.
    pub count: f64,
    /// Where it makes a lambda or a method reference: the method that this calls, with its class.
    pub lambda: Option<String>,
}

impl Site {
    /// Whether it joins strings by `invokedynamic`.
    #[must_use]
    pub fn joins_strings(&self) -> bool {
        // The methods of java.lang.invoke.StringConcatFactory.
        self.kind == CallKind::Dynamic && self.member.starts_with("makeConcat")
    }
}

impl Rates {
    /// The rates of a method; `None` of one that was not called, or whose calls were not counted. `is_locked` says whether each call
    /// enters a monitor.
    #[must_use]
    pub fn of(profile: &MethodProfile<'_>, is_locked: bool) -> Option<Self> {
        if profile.calls == 0 || !profile.what.counts() {
            return None;
        }
        let graph = &profile.graph;
        let calls = profile.calls as f64;
        let runs =
            |block: usize| profile.counts.blocks.get(block).copied().map_or(0, positive) as f64 / calls;
        let work = |block: usize| runs(block) * f64::from(graph.blocks[block].metrics.bytecodes);
        let bytecodes = (0..graph.blocks.len()).map(work).sum::<f64>();
        let hottest = (0..graph.blocks.len()).max_by(|&one, &other| work(one).total_cmp(&work(other)));
        let hottest = hottest.filter(|&block| work(block) > 0.0).map(|block| {
            let lines = &graph.blocks[block].lines;
            let lines = lines.first().copied().zip(lines.last().copied());
            Hottest { block, lines, runs: runs(block) }
        });
        let mut sites: Vec<Site> = Vec::new();
        // Calls of the place whose line the site has.
        let mut most: Vec<f64> = Vec::new();
        for (_, call, counted) in profile.sites() {
            if counted.most == 0 {
                continue;
            }
            let (class, member) =
                (mutf8::decode(call.target.class), member(call.target.name, call.target.descriptor));
            // Most exceptions come out of a callee, so it was reached.
            let count = counted.most as f64 / calls;
            let lambda = call
                .lambda
                .map(|of| format!("{}.{}", mutf8::decode(of.class), self::member(of.name, of.descriptor)));
            let is_same =
                |site: &Site| (&site.class, &site.member, &site.lambda) == (&class, &member, &lambda);
            match sites.iter().position(is_same) {
                Some(at) => {
                    sites[at].count += count;
                    if most[at] < count {
                        (most[at], sites[at].line) = (count, call.line);
                    }
                }
                None => {
                    sites.push(Site { class, member, kind: call.kind, line: call.line, count, lambda });
                    most.push(count);
                }
            }
        }
        let (events, busiest) = costly(profile, is_locked);
        let class = mutf8::decode(graph.class);
        Some(Self {
            class,
            member: member(graph.name, graph.descriptor),
            calls: profile.calls,
            bytecodes,
            events,
            busiest,
            hottest,
            sites,
            blocks: (0..graph.blocks.len()).map(|block| (runs(block), work(block))).collect(),
        })
    }

    /// The method, as in a task file.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}.{}", self.class, self.member)
    }
}

/// Events in a call of a method, and the block with most of each kind.
fn costly(profile: &MethodProfile<'_>, is_locked: bool) -> (Events, Vec<Busiest>) {
    let calls = profile.calls as f64;
    let runs = |block: usize| profile.counts.blocks.get(block).copied().map_or(0, positive) as f64 / calls;
    let (mut events, mut busiest) = (Events::default(), Vec::<Busiest>::new());
    for (number, block) in profile.graph.blocks.iter().enumerate() {
        let caught = profile.counts.caught.get(number).copied().flatten();
        let mut of_block = Events { caught: caught.map_or(0, positive) as f64 / calls, ..Events::default() };
        let locked = f64::from(block.metrics.monitors) / 2.0;
        let made = block.allocations.len() as f64;
        of_block.add(runs(number), Events { caught: 0.0, made, locked });
        of_block.locked += if is_locked && number == 0 { 1.0 } else { 0.0 };
        events.add(1.0, of_block);
        let lines = block.lines.first().copied().zip(block.lines.last().copied());
        for kind in [EventKind::Caught, EventKind::Made, EventKind::Locked] {
            let count = of_block.of(kind);
            match busiest.iter_mut().find(|one| one.kind == kind) {
                Some(known) if known.count >= count => {}
                Some(known) => *known = Busiest { kind, block: number, lines, count },
                None if count > 0.0 => busiest.push(Busiest { kind, block: number, lines, count }),
                None => {}
            }
        }
    }
    (events, busiest)
}
