//! The methods of a drill with their calls.
//!
//! The calls of each place are counted exactly. Which method a call by an interface reached is known where arcs were counted; else
//! [`Reach`] shares it out.

mod answers;
mod costs;
mod graph;
mod tree;

pub use answers::ARCS;
pub use graph::CallGraph;
pub(crate) use graph::{Edge, Node, whole};
pub(crate) use tree::Tree;

use crate::document::Document;
use crate::drill::{Class, Counts, MethodCounts, archive_fault};
use crate::fault::Fault;
use answers::Answers;
use graph::Unseen;
use spl_classfile::class::ClassFile;
use spl_classfile::mutf8;
use spl_graph::{CallKind, NoGraph};
use spl_model::{DrillKind, one_line};
use spl_profile::{MethodProfile, Reach, chosen, member};
use std::collections::{BTreeMap, HashMap};

/// The methods of a drill, class by class.
#[derive(Debug)]
pub struct Calls {
    reach: Reach,
    /// By name. Methods of one name, of different loaders, are one.
    methods: BTreeMap<String, Gathered>,
    answers: Answers,
}

/// The counts of a method.
#[derive(Debug, Default)]
struct Gathered {
    node: Node,
    class: String,
    member: String,
    is_chosen: bool,
    /// Number of the calls that each place makes.
    sites: BTreeMap<Site, u64>,
}

/// The places in a line that call a method by the same instruction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Site {
    line: u16,
    instruction: &'static str,
    class: String,
    member: String,
}

/// Names of a call's target: whether a receiver chooses, class and member.
type Target<'s> = (bool, &'s str, &'s str);

impl Default for Calls {
    /// For a drill that has counts, of which all classes are taken in.
    fn default() -> Self {
        Self { reach: Reach::of_whole_drill(), methods: BTreeMap::new(), answers: Answers::default() }
    }
}

impl Calls {
    /// For a drill that has counts.
    ///
    /// # Errors
    /// When it has coverage only.
    pub fn of(document: &Document) -> Result<Self, Fault> {
        if !document.has_counts {
            let reason = "it has coverage, which does not say how often calls were made";
            let remedy =
                "run `spl drill` without `--what cover`, or take --as csv, --as jacoco or --as jbinstrace";
            return Err(Fault::new(crate::DOCUMENT, reason, remedy));
        }
        Ok(Self::default())
    }

    /// Takes in the table of arcs.
    ///
    /// # Errors
    /// When it is damaged.
    pub fn add_arcs(&mut self, table: &[u8]) -> Result<(), Fault> {
        self.answers = Answers::read(table)?;
        Ok(())
    }

    /// Takes a class in.
    ///
    /// # Errors
    /// When a method's code cannot be read.
    pub fn add(&mut self, class: Class<'_>) -> Result<(), Fault> {
        let Class { counted, file, methods } = class;
        self.reach.add_class(file);
        for method in methods {
            let name = mutf8::decode(method.method.name);
            self.add_method(file, method)
                .map_err(|why| archive_fault(format!("{}.{name}: {why}", one_line(&counted.name))))?;
        }
        Ok(())
    }

    /// Takes a class in whose methods were just counted. Methods that the class file does not have are left out.
    ///
    /// # Errors
    /// When the code of a method cannot be read.
    pub fn add_counted(
        &mut self,
        file: &ClassFile<'_>,
        methods: Vec<MethodProfile<'_>>,
    ) -> Result<(), NoGraph> {
        self.reach.add_class(file);
        let named: HashMap<_, _> =
            file.methods.iter().rev().map(|one| ((one.name, one.descriptor), one)).collect();
        for profile in methods {
            if let Some(method) = named.get(&(profile.graph.name, profile.graph.descriptor)) {
                self.add_method(
                    file,
                    MethodCounts {
                        method,
                        counts: Counts::of(&profile),
                        graph: profile.graph,
                        doubt: String::new(),
                    },
                )?;
            }
        }
        Ok(())
    }

    fn add_method(&mut self, file: &ClassFile<'_>, method: MethodCounts<'_>) -> Result<(), NoGraph> {
        let class = mutf8::decode(method.graph.class);
        let member = member(method.graph.name, method.graph.descriptor);
        let gathered = self.methods.entry(format!("{class}.{member}")).or_default();
        let (insns, lines) = method.code(file)?;
        let node = &mut gathered.node;
        node.name = spl_graph::forms::method_name(&method.graph);
        node.calls = node.calls.saturating_add(method.counts.calls);
        node.source = file.source_file.map(|source| one_line(&path(&class, &mutf8::decode(source))));
        node.line = insns.first().and_then(|insn| lines.at(insn.at)).unwrap_or(0);
        for (block, runs) in method.graph.blocks.iter().zip(&method.counts.blocks) {
            let begin = insns.partition_point(|insn| insn.at < block.first);
            let end = insns.partition_point(|insn| insn.at < block.end);
            for insn in insns.get(begin..end).unwrap_or_default().iter().filter(|_| *runs > 0) {
                let line = node.lines.entry(lines.at(insn.at).unwrap_or(0)).or_default();
                *line = line.saturating_add(*runs);
            }
        }
        gathered.is_chosen = chosen(method.method.access);
        gathered.add_sites(method);
        (gathered.class, gathered.member) = (class, member);
        Ok(())
    }

    /// The call graph of what was taken in: the methods that ran.
    #[must_use]
    pub fn graph(mut self) -> CallGraph {
        for gathered in self.methods.values_mut() {
            gathered.node.own = gathered.node.lines.values().fold(0, |sum, one| sum.saturating_add(*one));
        }
        self.methods.retain(|_, gathered| gathered.node.calls > 0 || gathered.node.own > 0);
        for Gathered { node, class, member, is_chosen, .. } in self.methods.values() {
            if node.calls > 0 {
                self.reach.add(class, member, node.calls, *is_chosen);
            }
        }
        let numbers: HashMap<&str, usize> =
            self.methods.keys().enumerate().map(|(at, name)| (&**name, at)).collect();
        let named: HashMap<&str, usize> =
            self.methods.values().enumerate().map(|(at, one)| (&*one.node.name, at)).collect();
        let mut reached: HashMap<Target<'_>, Vec<(usize, f64, bool)>> = HashMap::new();
        let mut nodes = Vec::new();
        for Gathered { node, sites, .. } in self.methods.values() {
            let mut node = node.clone();
            let is_known = self.answers.add_calls(&mut node, &named);
            for (site, calls) in sites.iter().filter(|_| !is_known) {
                let kind = site.kind();
                let reached = reached.entry(site.target()).or_insert_with(|| {
                    let found = self.reach.of(kind, &site.class, &site.member).into_iter();
                    found
                        .filter_map(|one| Some((*numbers.get(one.name)?, one.share, one.is_unsure)))
                        .collect()
                });
                node.add_calls(site, *calls, reached);
            }
            nodes.push(node);
        }
        CallGraph::of_nodes(nodes)
    }
}

impl Gathered {
    fn add_sites(&mut self, method: MethodCounts<'_>) {
        let signed =
            |counts: &[u64]| counts.iter().map(|one| i64::try_from(*one).unwrap_or(i64::MAX)).collect();
        let counts = spl_graph::Counts {
            blocks: signed(&method.counts.blocks),
            edges: signed(&method.counts.edges).into_iter().map(Some).collect(),
            gone: method.counts.gone.iter().map(|gone| gone.map_or(0, |gone| signed(&[gone])[0])).collect(),
            caught: vec![None; method.counts.blocks.len()],
            thrown: method.counts.thrown.iter().map(|one| one.map(|one| signed(&[one])[0])).collect(),
            left: 0,
        };
        let (graph, calls) = (method.graph, method.counts.calls);
        let profile =
            MethodProfile { what: DrillKind::Blocks, from_start: true, graph, counts, calls, paths: None };
        for (_, call, counted) in profile.sites().filter(|(_, _, counted)| counted.most > 0) {
            let site = Site {
                line: call.line.unwrap_or(0),
                instruction: call.kind.instruction(),
                class: mutf8::decode(call.target.class),
                member: member(call.target.name, call.target.descriptor),
            };
            let calls = self.sites.entry(site).or_default();
            *calls = calls.saturating_add(counted.most);
        }
    }
}

impl Site {
    fn kind(&self) -> CallKind {
        CallKind::of_instruction(self.instruction).unwrap_or(CallKind::Dynamic)
    }

    fn target(&self) -> Target<'_> {
        (matches!(self.kind(), CallKind::Virtual | CallKind::Interface), &self.class, &self.member)
    }

    fn name(&self) -> String {
        match self.kind() {
            CallKind::Dynamic => one_line(&format!("dynamic {}", self.member)),
            CallKind::Virtual | CallKind::Special | CallKind::Static | CallKind::Interface => {
                one_line(&format!("{}.{}", self.class, self.member))
            }
        }
    }
}

impl Node {
    /// Shares the calls of a place out over the methods that they may reach, in whole calls.
    fn add_calls(&mut self, site: &Site, calls: u64, reached: &[(usize, f64, bool)]) {
        let Some(((first, _, first_is_unsure), others)) = reached.split_first() else {
            return self.unseen.push(Unseen { name: site.name(), line: site.line, calls });
        };
        let mut rest = calls;
        let mut add = |callee: usize, calls: u64, is_unsure: bool| {
            if calls > 0 {
                let (line, kind) = (site.line, site.kind());
                self.edges.push(Edge { callee, line, kind, calls, is_unsure, is_back: false, cost: 0.0 });
            }
        };
        for (callee, share, is_unsure) in others {
            let of_it = whole(calls as f64 * share).min(rest);
            rest -= of_it;
            add(*callee, of_it, *is_unsure);
        }
        add(*first, rest, *first_is_unsure);
    }
}

impl CallGraph {
    /// The graph of these methods, with the costs of their calls.
    pub(crate) fn of_nodes(nodes: Vec<Node>) -> Self {
        let all = nodes.iter().fold(0, |sum: u64, node| sum.saturating_add(node.own));
        let mut graph = Self { nodes, all };
        graph.bound_calls();
        costs::add_up(&mut graph);
        graph
    }

    /// No method gets more calls by interfaces than it had: the others reached methods that were not counted.
    fn bound_calls(&mut self) {
        let is_shared = |edge: &Edge| matches!(edge.kind, CallKind::Virtual | CallKind::Interface);
        let mut incoming = vec![[0_u64; 2]; self.nodes.len()];
        for edge in self.nodes.iter().flat_map(|node| &node.edges) {
            let of_kind = &mut incoming[edge.callee][usize::from(is_shared(edge))];
            *of_kind = of_kind.saturating_add(edge.calls);
        }
        let calls: Vec<u64> = self.nodes.iter().map(|node| node.calls).collect();
        let names: Vec<String> = self.nodes.iter().map(|node| node.name.clone()).collect();
        for node in &mut self.nodes {
            for edge in node.edges.iter_mut().filter(|edge| is_shared(edge)) {
                let [sure, shared] = incoming[edge.callee];
                let left = calls[edge.callee].saturating_sub(sure);
                if shared > left {
                    let kept = u128::from(edge.calls) * u128::from(left) / u128::from(shared);
                    let kept = u64::try_from(kept).unwrap_or(edge.calls);
                    let name = format!("an implementation other than {}", names[edge.callee]);
                    node.unseen.push(Unseen { name, line: edge.line, calls: edge.calls - kept });
                    (edge.calls, edge.is_unsure) = (kept, true);
                }
            }
            node.edges.retain(|edge| edge.calls > 0);
        }
    }
}

/// Path of a source file below the folder of the sources.
fn path(class: &str, source: &str) -> String {
    class.rsplit_once('/').map_or_else(|| source.to_owned(), |(package, _)| format!("{package}/{source}"))
}

#[cfg(test)]
mod tests;
