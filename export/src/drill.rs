//! A finished drill, read back: each class with the graphs of its methods and their counts.

use crate::document::{CountedClass, Document};
use crate::fault::{AGAIN, Fault};
use crate::rows::{BLOCKS, EDGES, Files, MethodRow, Rows};
use spl_classfile::class::{ClassFile, Method};
use spl_classfile::code::Code;
use spl_classfile::instruction::{Insn, decode};
use spl_graph::{Graph, Lines, NoGraph, forms};
use spl_profile::MethodProfile;
use std::collections::HashMap;

/// Name of the archive with the class files.
pub const CLASSES: &str = "classes.zip";

/// A class with its counts.
#[derive(Debug)]
pub struct Class<'a> {
    /// Its entry in `drill.json`.
    pub counted: &'a CountedClass,
    /// Its class file.
    pub file: &'a ClassFile<'a>,
    /// Its methods that counted.
    pub methods: Vec<MethodCounts<'a>>,
}

/// A method with its counts.
#[derive(Clone, Debug)]
pub struct MethodCounts<'a> {
    /// The method.
    pub method: &'a Method<'a>,
    /// Its graph.
    pub graph: Graph<'a>,
    /// Its counts. In a drill of coverage each is 0 or 1.
    pub counts: Counts,
    /// Why they may not be exact; empty for exact ones.
    pub doubt: String,
}

/// The counts of a method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls.
    pub calls: u64,
    /// Runs of each block, counted at its beginning.
    pub blocks: Vec<u64>,
    /// For each block, the activations that left it neither by an edge nor by a return; `None` in a drill of coverage.
    pub gone: Vec<Option<u64>>,
    /// For each block, those of them that reached the `athrow` at its end; `None` where that does not count.
    pub thrown: Vec<Option<u64>>,
    /// For each edge of the graph how often it was taken; 0 for exceptions, which no counter tells.
    pub edges: Vec<u64>,
}

impl<'a> MethodCounts<'a> {
    /// Its instructions and their source lines.
    ///
    /// # Errors
    /// When the code cannot be read.
    pub fn code(&self, class: &ClassFile<'a>) -> Result<(Vec<Insn<'a>>, Lines), NoGraph> {
        let info =
            self.method.code.clone().and_then(|range| class.bytes.get(range)).ok_or(NoGraph::NoCode)?;
        let code = Code::read(info, &class.pool)?;
        Ok((decode(code.bytes)?, Lines::read(&code)?))
    }
}

impl Counts {
    /// Of a method that was just counted; negative counts, of calls under way, are 0.
    #[must_use]
    pub fn of(profile: &MethodProfile<'_>) -> Self {
        let positive = |count: i64| u64::try_from(count).unwrap_or(0);
        let all = |counts: &[i64]| counts.iter().map(|count| positive(*count)).collect();
        let gone = profile.counts.gone.iter().map(|gone| Some(positive(*gone)));
        let thrown = profile.counts.thrown.iter().map(|thrown| thrown.map(positive));
        let edges = profile.counts.edges.iter().map(|count| count.map_or(0, positive));
        Self {
            calls: profile.calls,
            blocks: all(&profile.counts.blocks),
            gone: gone.collect(),
            thrown: thrown.collect(),
            edges: edges.collect(),
        }
    }

    /// Adds the counts of the same method, of a class with the same bytes.
    pub fn add(&mut self, other: &Self) {
        let add = |to: &mut Vec<u64>, from: &[u64]| {
            to.resize(to.len().max(from.len()), 0);
            to.iter_mut().zip(from).for_each(|(to, from)| *to = to.saturating_add(*from));
        };
        self.calls = self.calls.saturating_add(other.calls);
        add(&mut self.blocks, &other.blocks);
        let add_known = |to: &mut Vec<Option<u64>>, from: &[Option<u64>]| {
            to.resize(to.len().max(from.len()), None);
            for (to, from) in to.iter_mut().zip(from) {
                *to = match (*to, *from) {
                    (Some(to), Some(from)) => Some(to.saturating_add(from)),
                    (one, other) => one.or(other),
                };
            }
        };
        add_known(&mut self.gone, &other.gone);
        add_known(&mut self.thrown, &other.thrown);
        add(&mut self.edges, &other.edges);
    }
}

/// Calls `each` with every class of a drill. `bytes` gives the class file of a class.
///
/// # Errors
/// When files are damaged or do not belong together, and errors of `bytes` and of `each`.
pub fn each_class(
    document: &Document,
    files: &Files<'_>,
    mut bytes: impl FnMut(&CountedClass) -> Result<Vec<u8>, Fault>,
    mut each: impl FnMut(Class<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut rows = Rows::open(files)?;
    for counted in &document.classes {
        let of_class = rows.of_class(counted, document)?;
        if of_class.is_empty() {
            continue;
        }
        let bytes = bytes(counted)?;
        let wrong = |why: &dyn std::fmt::Display| {
            let name = spl_model::one_line(&counted.name);
            Fault::new(CLASSES, format!("the class file of {name} cannot be used: {why}"), AGAIN)
        };
        let file = ClassFile::read(&bytes).map_err(|refusal| wrong(&refusal))?;
        let mut named: HashMap<String, Vec<&Method<'_>>> = HashMap::new();
        let class = file.name().map_err(|refusal| wrong(&refusal))?;
        // Backwards, because the last of each name is taken first.
        for method in file.methods.iter().rev() {
            named.entry(forms::name_of(class, method.name, method.descriptor)).or_default().push(method);
        }
        let mut methods = Vec::with_capacity(of_class.len());
        for row in of_class {
            let method = named.get_mut(&*row.name).and_then(Vec::pop);
            let method = method.ok_or_else(|| wrong(&format!("it has no {}", row.name)))?;
            let graph = Graph::of(&file, method).map_err(|why| wrong(&format!("{}: {why}", row.name)))?;
            let counts = counts(&row, &graph, &mut rows)?;
            methods.push(MethodCounts { method, graph, counts, doubt: row.doubt.into_owned() });
        }
        each(Class { counted, file: &file, methods })?;
    }
    rows.end()
}

/// The counts of a method, if its rows are those of its graph.
fn counts(row: &MethodRow<'_>, graph: &Graph<'_>, rows: &mut Rows<'_>) -> Result<Counts, Fault> {
    let differ = |file: &str| {
        let reason = format!("the rows of {} are not those of its class file in {CLASSES}", row.name);
        Fault::new(file, reason, AGAIN)
    };
    let same = row.blocks.len() == graph.blocks.len()
        && row
            .blocks
            .iter()
            .zip(&graph.blocks)
            .all(|(row, block)| (row.first, row.last) == (block.first, block.last));
    if !same {
        return Err(differ(BLOCKS));
    }
    let mut edges = Vec::with_capacity(graph.edges.len());
    for edge in &graph.edges {
        let found = rows.edge_of(&row.name)?;
        if (found.from, found.to, found.kind.as_str()) != (edge.from, edge.to, edge.kind.name()) {
            return Err(differ(EDGES));
        }
        edges.push(found.count);
    }
    Ok(Counts {
        calls: row.calls,
        blocks: row.blocks.iter().map(|block| block.count).collect(),
        gone: row.blocks.iter().map(|block| block.gone).collect(),
        thrown: row.blocks.iter().map(|block| block.thrown).collect(),
        edges,
    })
}

/// A fault of the archive of class files.
#[must_use]
pub fn archive_fault(reason: impl std::fmt::Display) -> Fault {
    Fault::new(CLASSES, reason, AGAIN)
}

/// The fault of a drill without class files.
#[must_use]
pub fn no_classes() -> Fault {
    Fault::new(CLASSES, "it is missing", "drill without --no-classes, or take --as csv, which needs none")
}
