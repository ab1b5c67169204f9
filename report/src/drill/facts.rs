//! The facts that the page of a drill shows.

use crate::graph::Counted;

/// Most methods whose graphs the page has; the others have a line of the table each.
pub const MOST_DRAWN: usize = 40;
/// Most calls of the tree.
pub const MOST_CALLS: usize = 400;
/// Most calls whose receiver chooses the method.
pub const MOST_SITES: usize = 100;
/// Most calls from the top of the tree to its end.
pub const DEEPEST: usize = 30;
/// Most blocks of a method whose graph the page has.
pub const MOST_BLOCKS: usize = spl_draw::MOST_LAYERED;

/// A finished drill.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrillFacts {
    /// Version of the product.
    pub spl: String,
    /// The program's main class or JAR with its arguments.
    pub command: String,
    /// The process of the JVM.
    pub pid: u32,
    /// Whether only flags were set: each count is 0 or 1.
    pub is_cover: bool,
    /// The methods that were asked for, as patterns.
    pub scope: String,
    /// Seconds from the beginning to the end.
    pub seconds: f64,
    /// Loaded classes that were changed at the beginning, and milliseconds for it.
    pub changed: (u32, f64),
    /// Number of classes that counted, and of methods in them.
    pub classes: usize,
    /// Number of methods that counted.
    pub counted: usize,
    /// Why counts may not be exact; none if all are.
    pub doubts: Vec<String>,
    /// Classes and methods that did not count, each with the reason.
    pub left: Vec<(String, String)>,
    /// Whether the class files were kept with the tables.
    pub has_classes: bool,
    /// Methods that were called, those with most bytecodes first; with flags, all that counted.
    pub methods: Vec<Method>,
    /// The graphs of some of them.
    pub drawn: Vec<Counted>,
    /// The calls, from the methods that are called from outside; empty with flags.
    pub tree: Tree,
    /// Calls whose receiver chooses the method; `None` where arcs did not count.
    pub sites: Option<Sites>,
    /// Times of calls, in place of counts.
    pub times: Option<Times>,
}

/// The times of calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Cost of a probe, picoseconds a call: within the time that it takes, and outside.
    pub probe_ps: [u64; 2],
    /// Methods, those with most own time first.
    pub methods: Vec<TimedMethod>,
}

/// The times of a method, nanoseconds, without the estimated cost of probes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimedMethod {
    /// Its name.
    pub method: String,
    /// Number of calls that ended.
    pub calls: u64,
    /// With all that was called.
    pub total_ns: u64,
    /// Without the measured methods that it called.
    pub own_ns: u64,
    /// Cost of probes in the total time as it was measured.
    pub probes_in_total_ns: u64,
    /// Cost of probes in the own time as it was measured.
    pub probes_in_own_ns: u64,
    /// Number of calls without times.
    pub untimed: u64,
    /// Why its figures may be wrong; empty if nothing is known against them.
    pub doubt: String,
}

/// Calls whose receiver chooses the method, and that entered a counted one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sites {
    /// Their number, with receivers of one class, of two, and of more.
    pub kinds: [usize; 3],
    /// Those with most methods and calls, at most [`MOST_SITES`].
    pub listed: Vec<Site>,
}

/// A call whose receiver chooses the method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// The calling method.
    pub method: String,
    /// Place of it among the methods that are drawn.
    pub drawn: Option<usize>,
    /// Its source line, if that is known.
    pub line: Option<u16>,
    /// Its block.
    pub block: usize,
    /// The method that the code names.
    pub callee: String,
    /// Number of calls.
    pub calls: u64,
    /// Number of classes of receivers.
    pub classes: usize,
    /// Number of methods that it entered.
    pub methods: usize,
    /// Number of times that the receiver's class changed.
    pub changes: u64,
    /// The answers to the calls, those of most calls first.
    pub answers: Vec<Answered>,
}

/// An answer to some calls of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// A word as in `arcs.csv`, and perhaps a reason.
    pub what: String,
    /// The method that was entered, if one was.
    pub method: String,
    /// Classes of the receivers, where they are known.
    pub receivers: String,
    /// Number of calls.
    pub calls: u64,
    /// Whether they are among the calls of the site.
    pub is_among: bool,
}

/// A tree of calls by averages: the cost of a call is that of all calls of its method.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// Instructions of all methods.
    pub all: u64,
    /// Calls by place: a caller before its callees, those with most instructions first.
    pub calls: Vec<TreeCall>,
    /// Instructions of calls that have no place in it.
    pub left_out: u64,
}

/// The calls of a method on one way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeCall {
    /// The method.
    pub method: String,
    /// Number of calls above it.
    pub depth: usize,
    /// Instructions to the left of it.
    pub begin: f64,
    /// Number of calls, by averages.
    pub calls: f64,
    /// Instructions of its own.
    pub own: f64,
    /// Instructions with all that it calls.
    pub total: f64,
}

/// A line of the table of methods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Method {
    /// Its name.
    pub name: String,
    /// Number of calls.
    pub calls: u64,
    /// Instructions that were run, at least and at most.
    pub bytecodes: (u64, u64),
    /// Blocks that were run, and all.
    pub blocks: (usize, usize),
    /// Why its counts may not be exact; empty for exact ones.
    pub doubt: String,
    /// Place among the methods that are drawn.
    pub drawn: Option<usize>,
}
