//! The files of a drill of JDK classes, as `spl drill` writes them, and call graphs.

use crate::callgraph::{Edge, Node};
use crate::{CallGraph, Calls, Document, Files, each_class};
use spl_bytecode::Counting;
use spl_classes::{Catalogue, Jdk};
use spl_classfile::class::ClassFile;
use spl_graph::CallKind;
use spl_model::DrillKind;
use spl_profile::{EDGES_HEAD, METHODS_HEAD, blocks_head, profile};

/// A drill's files, and the class files of its classes.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// `drill.json` and the tables of methods, blocks and edges.
    pub(crate) files: [Vec<u8>; 4],
    pub(crate) classes: Vec<Vec<u8>>,
}

impl Written {
    /// A drill of these classes of the JDK, with the values of their counters.
    pub(crate) fn of(names: &[&str], value: impl Fn(u32) -> u64) -> Self {
        Self::with(DrillKind::Blocks, names, value)
    }

    /// A drill of this kind, with the values of counters or of flags.
    pub(crate) fn with(what: DrillKind, names: &[&str], value: impl Fn(u32) -> u64) -> Self {
        let counting = match what {
            DrillKind::Blocks => Counting::BLOCKS,
            DrillKind::Calls(of) => Counting::Blocks { root: &|_, _| None, calls: Some(of) },
            DrillKind::Time(clock) => Counting::Durations(clock),
            DrillKind::Paths { blocks } => Counting::Paths { blocks },
            DrillKind::Trace { blocks } => {
                Counting::Trace { blocks, within: &|_, _| None, total: false, receivers: false, timed: false }
            }
            DrillKind::Cover => Counting::Cover { is_set: &|_| false },
        };
        let jdk = Jdk::installed().expect("the tests have a JDK");
        let mut catalogue = Catalogue::open(&[], Some(&jdk));
        let (mut methods, mut blocks, mut edges) =
            (METHODS_HEAD.to_owned(), blocks_head(), EDGES_HEAD.to_owned());
        let (mut classes, mut listed) = (Vec::new(), Vec::new());
        for name in names {
            let bytes = catalogue.bytes(name).expect("every JDK has it");
            let counted =
                spl_bytecode::count(&bytes, counting, |_, _| true, 0, 1 << 20).expect("a class file");
            let class = spl_profile::CountedClass {
                name: (*name).to_owned(),
                bytes: bytes.clone(),
                from_start: true,
                methods: counted
                    .methods
                    .into_iter()
                    .map(|one| spl_profile::CountedMethod {
                        name: one.method.name,
                        descriptor: one.method.descriptor,
                        first: one.first,
                        counters: one.outcome.map(|_| one.counters),
                    })
                    .collect(),
            };
            let mut count = 0;
            profile(what, &class, &value, |one| {
                count += 1;
                methods.push_str(&one.methods_line(""));
                blocks.push_str(&one.blocks_lines());
                edges.push_str(&one.edges_lines());
            })
            .expect("the class file is the counted one");
            // Only the reader of the archive looks at digests; here they are numbers.
            let digest = format!("{:064x}", digest(&bytes));
            listed.push(format!(
                r#"{{"name": "{name}", "sha256": "{digest}", "bytes": {}, "methods": {count}}}"#,
                bytes.len()
            ));
            classes.push(bytes);
        }
        let document = format!(
            r#"{{"schema": "spl.drill/1", "what": ["{}"], "command": "Main <args>", "doubts": [], "left": [], "classes": [{}]}}"#,
            what.name(),
            listed.join(", ")
        );
        Self { files: [document, methods, blocks, edges].map(String::into_bytes), classes }
    }

    pub(crate) fn document(&self) -> Document {
        Document::read(&self.files[0]).expect("as it was written")
    }

    pub(crate) fn call_graph(&self) -> CallGraph {
        let document = self.document();
        let mut calls = Calls::of(&document).expect("it has counts");
        let bytes = |class: &_| Ok(self.bytes(class));
        each_class(&document, &self.tables(), bytes, |class| calls.add(class)).expect("as it was written");
        calls.graph()
    }

    pub(crate) fn tables(&self) -> Files<'_> {
        let [document, methods, blocks, edges] = &self.files;
        Files { document, methods, blocks, edges }
    }

    /// The class file of a class, by its digest.
    pub(crate) fn bytes(&self, class: &crate::CountedClass) -> Vec<u8> {
        let found = self.classes.iter().find(|bytes| class.sha256 == format!("{:064x}", digest(bytes)));
        found.cloned().unwrap_or_default()
    }
}

/// A number of these bytes: the same for the same class.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// The number of instructions of all methods with code.
pub(crate) fn instructions(bytes: &[u8]) -> u64 {
    let class = ClassFile::read(bytes).expect("a class file");
    let graphs = class.methods.iter().filter_map(|method| spl_graph::Graph::of(&class, method).ok());
    graphs.flat_map(|graph| graph.blocks).map(|block| u64::from(block.metrics.bytecodes)).sum()
}

/// A call graph of methods with their calls and instructions, and of the calls from one to another.
pub(crate) fn call_graph(methods: &[(&str, u64, u64)], calls: &[(usize, usize, u64)]) -> CallGraph {
    let node = |(name, calls, own): &(&str, u64, u64)| Node {
        name: (*name).to_owned(),
        line: 7,
        calls: *calls,
        own: *own,
        lines: [(7, *own)].into(),
        ..Node::default()
    };
    let mut nodes: Vec<Node> = methods.iter().map(node).collect();
    for (caller, callee, calls) in calls {
        let kind = CallKind::Static;
        let (is_unsure, is_back) = (false, false);
        let edge = Edge { callee: *callee, line: 8, kind, calls: *calls, is_unsure, is_back, cost: 0.0 };
        nodes[*caller].edges.push(edge);
    }
    CallGraph::of_nodes(nodes)
}
