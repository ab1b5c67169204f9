//! The page of a drill: what its tables say, for people, with the graphs of the methods that ran most.

use super::beside::Beside;
use super::called::{self, Gathering};
use super::taken::{Figures, Taken};
use crate::picture::picture;
use crate::sources::Sources;
use spl_classfile::class::ClassFile;
use spl_export::{Calls, Icicle, Icicles, icicles};
use spl_graph::forms;
use spl_model::{DrillKind, one_line};
use spl_profile::{Called, CountedClass, MethodProfile, PathsRan, begin_text, end_text};
use spl_report::drill::{
    BlockCounts, Counted, CountedPath, CountedPaths, DEEPEST, DrillFacts, Link, MOST_BLOCKS, MOST_CALLS,
    MOST_DRAWN, MOST_PATHS, Method, Tree, TreeCall, Unit,
};
use std::collections::{BTreeMap, BTreeSet};

/// Callers and callees of a method that are kept for the page.
const MOST_LINKS: usize = 200;

/// Facts of the methods for the page, gathered as the methods are written.
#[derive(Debug, Default)]
pub struct Gathered {
    /// The methods with most bytecodes so far, each with their number, and the place of its class among those of the drill.
    drawn: Vec<(u64, Counted, usize)>,
    /// Call sites that were reached, by callee.
    sites: BTreeMap<String, Vec<Link>>,
    /// The methods with their calls.
    calls: Calls,
    /// The methods that calls entered, where arcs counted.
    entered: Option<Gathering>,
}

impl Gathered {
    /// Takes a method in, of the class at this place.
    pub fn add(&mut self, class: usize, one: &MethodProfile<'_>) {
        let (name, bytecodes) = (one.name(), one.bytecodes().most);
        // Arcs say more than calls in the code.
        let is_plain = !matches!(one.what, DrillKind::Calls(_));
        for (block, call, count) in one.sites().filter(|(_, _, count)| is_plain && count.most > 0) {
            let link =
                Link { method: name.clone(), block, count: (count.least, count.most), ..Link::default() };
            self.sites.entry(forms::called(call)).or_default().push(link);
        }
        if one.calls == 0 || one.graph.blocks.len() > MOST_BLOCKS {
            return;
        }
        let is_before =
            |(other, known, _): &(u64, Counted, usize)| (bytecodes, &known.name) <= (*other, &name);
        let at = self.drawn.partition_point(is_before);
        if at < MOST_DRAWN {
            self.drawn.insert(at, (bytecodes, counted(one, name), class));
            self.drawn.truncate(MOST_DRAWN);
        }
    }

    /// Takes the calls of a method in, with what they entered.
    pub fn add_calls(&mut self, method: &str, calls: &[Called]) {
        self.entered.get_or_insert_default().add(method, calls);
        for (callee, link) in called::links(method, calls) {
            self.sites.entry(callee).or_default().push(link);
        }
    }

    /// Takes the calls of a class in, of which these are the methods.
    pub fn add_class(&mut self, class: &CountedClass, methods: Vec<MethodProfile<'_>>) {
        let Ok(file) = ClassFile::read(&class.bytes) else { return };
        // Code that cannot be read had no counters.
        let _ = self.calls.add_counted(&file, methods);
    }

    /// The facts of the page.
    pub fn facts(
        self,
        taken: &Taken<'_>,
        sources: &mut Sources,
        figures: &[Figures],
        doubts: Vec<String>,
        left: Vec<(String, String)>,
    ) -> DrillFacts {
        let Taken { profile, .. } = taken;
        let tree = tree(icicles(&self.calls.graph(), MOST_CALLS, DEEPEST));
        let mut beside = Beside::new(sources, !taken.arguments.no_classes);
        let with_text = |(_, mut counted, class): (u64, Counted, usize)| {
            profile.classes.get(class).into_iter().for_each(|class| beside.add(class, &mut counted));
            counted
        };
        let mut drawn: Vec<Counted> = self.drawn.into_iter().map(with_text).collect();
        let places: BTreeMap<String, usize> =
            drawn.iter().enumerate().rev().map(|(place, one)| (one.name.clone(), place)).collect();
        // Only methods of the page are looked up again: all sites of a large drill are many.
        for one in &mut drawn {
            one.callers = self.sites.get(&one.name).cloned().unwrap_or_default();
            one.callers.retain(called::has_entered);
        }
        let wanted: BTreeSet<&String> = places.keys().collect();
        let mut callees: BTreeMap<&String, Vec<Link>> = BTreeMap::new();
        for (callee, sites) in &self.sites {
            for site in sites.iter().filter(|site| wanted.contains(&site.method)) {
                let link = Link { method: callee.clone(), ..site.clone() };
                callees.entry(&site.method).or_default().push(link);
            }
        }
        for one in &mut drawn {
            one.callees = callees.remove(&one.name).unwrap_or_default();
            for links in [&mut one.callers, &mut one.callees] {
                links.sort_by_key(|link| std::cmp::Reverse(link.count.1));
                links.truncate(MOST_LINKS);
            }
        }
        let mut seen = BTreeSet::new();
        let method = |one: &Figures| Method {
            name: one_line(&one.method),
            calls: one.calls,
            bytecodes: (one.bytecodes.least, one.bytecodes.most),
            blocks: one.blocks,
            doubt: one.doubt.to_owned(),
            // Classes of one name have methods of one name; the first one is drawn first.
            drawn: places.get(&one.method).copied().filter(|place| seen.insert(*place)),
        };
        DrillFacts {
            methods: figures.iter().map(method).collect(),
            sites: self.entered.map(|entered| entered.sites(&places)),
            drawn,
            tree,
            ..base(taken, doubts, left)
        }
    }
}

/// The facts of the page that each kind of drill has.
pub fn base(taken: &Taken<'_>, doubts: Vec<String>, left: Vec<(String, String)>) -> DrillFacts {
    let Taken { arguments, profile, seconds } = taken;
    let methods = profile.classes.iter().flat_map(|one| &one.methods);
    DrillFacts {
        spl: env!("CARGO_PKG_VERSION").to_owned(),
        command: one_line(&profile.command),
        pid: profile.pid,
        is_cover: profile.what == DrillKind::Cover,
        scope: if arguments.all { "all".to_owned() } else { one_line(&arguments.methods.join(" ")) },
        seconds: *seconds,
        changed: (profile.changed.0, profile.changed.1 as f64 / 1e6),
        classes: profile.classes.len(),
        counted: methods.filter(|one| one.counters.is_ok()).count(),
        doubts: doubts.into_iter().map(|doubt| one_line(&doubt)).collect(),
        left,
        has_classes: !arguments.no_classes,
        ..DrillFacts::default()
    }
}

/// The call tree, for the page.
fn tree(of: Icicles) -> Tree {
    let call = |one: Icicle| TreeCall {
        method: one.method,
        depth: one.depth,
        begin: one.begin,
        calls: one.calls,
        own: one.own,
        total: one.total,
    };
    Tree { all: of.all, left_out: of.left_out, calls: of.calls.into_iter().map(call).collect() }
}

/// The most frequent paths of a method.
fn drawn_paths(one: &MethodProfile<'_>, paths: &PathsRan) -> CountedPaths {
    let first = paths.all.iter().take(MOST_PATHS).map(|path| CountedPath {
        count: path.count,
        begin: begin_text(path.begin),
        blocks: path.blocks.clone(),
        edges: path.edges.iter().copied().chain(path.end.edge()).collect(),
        end: end_text(path.end, &one.graph),
        bytecodes: path.bytecodes,
    });
    CountedPaths { first: first.collect(), ran: paths.all.len(), ended: paths.ended(), left: paths.left() }
}

/// A method's graph and counts; negative counts, of calls under way, are 0.
pub fn counted(one: &MethodProfile<'_>, name: String) -> Counted {
    let positive = |count: i64| u64::try_from(count).unwrap_or(0);
    let counts = &one.counts;
    let block = |(number, block): (usize, &spl_graph::Block<'_>)| BlockCounts {
        lines: forms::ranges(&block.lines),
        bytecodes: block.metrics.bytecodes,
        count: counts.blocks.get(number).copied().map_or(0, positive),
        gone: match one.what {
            DrillKind::Blocks
            | DrillKind::Calls(_)
            | DrillKind::Time(_)
            | DrillKind::Paths { .. }
            | DrillKind::Trace { .. } => counts.gone.get(number).copied().map(positive),
            DrillKind::Cover => None,
        },
        calls: block.calls.iter().map(forms::called).collect(),
    };
    Counted {
        name,
        calls: one.calls,
        unit: match one.what {
            DrillKind::Blocks
            | DrillKind::Calls(_)
            | DrillKind::Time(_)
            | DrillKind::Paths { .. }
            | DrillKind::Trace { .. } => Unit::Counts,
            DrillKind::Cover => Unit::Flags,
        },
        marked: Vec::new(),
        paths: one.paths.as_ref().map(|paths| drawn_paths(one, paths)),
        picture: picture(&one.graph),
        blocks: one.graph.blocks.iter().enumerate().map(block).collect(),
        edges: counts.edges.iter().map(|count| count.map(positive)).collect(),
        ..Counted::default()
    }
}
