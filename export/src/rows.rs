//! The rows of a drill's three tables, method by method. They have one order: that of the classes in `drill.json`, of the
//! methods in each class, of the blocks in each method.

use crate::document::{CountedClass, Document};
use crate::fault::{AGAIN, Fault};
use crate::table::{Row, Table};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Name of the table of methods.
pub const METHODS: &str = "methods.csv";
/// Name of the table of blocks.
pub const BLOCKS: &str = "blocks.csv";
/// Name of the table of edges.
pub const EDGES: &str = "edges.csv";

/// A drill's files.
#[derive(Clone, Copy, Debug)]
pub struct Files<'f> {
    /// The bytes of `drill.json`.
    pub document: &'f [u8],
    /// The bytes of `methods.csv`.
    pub methods: &'f [u8],
    /// The bytes of `blocks.csv`.
    pub blocks: &'f [u8],
    /// The bytes of `edges.csv`.
    pub edges: &'f [u8],
}

/// Counts of blocks: for each method, named as in a task file, that of each block by its number.
pub type BlockCounts = BTreeMap<String, BTreeMap<usize, u64>>;

/// Reads the counts of `blocks.csv` alone.
///
/// # Errors
/// When the table is damaged.
pub fn block_counts(blocks: &[u8]) -> Result<BlockCounts, Fault> {
    let mut table = Table::read(BLOCKS, blocks, &["method", "block", "count"])?;
    let mut counts = BlockCounts::new();
    while let Some(row) = table.next()? {
        counts.entry(row.text(0).into_owned()).or_default().insert(row.number(1)?, row.count(2)?);
    }
    Ok(counts)
}

/// A method in the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MethodRow<'t> {
    /// As in a task file: `pkg/Class.name(descriptor)`.
    pub(crate) name: Cow<'t, str>,
    pub(crate) calls: u64,
    /// Why its counts may not be exact; empty for exact ones.
    pub(crate) doubt: Cow<'t, str>,
    pub(crate) blocks: Vec<BlockRow<'t>>,
}

/// A block in its table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlockRow<'t> {
    /// Offsets of its first and its last instruction.
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// Its source lines, as the table has them: `3 5-7`.
    pub(crate) lines: Cow<'t, str>,
    pub(crate) count: u64,
    /// Activations that left it neither by an edge nor by a return; `None` where flags tell what was run.
    pub(crate) gone: Option<u64>,
    /// Activations that reached the `athrow` at its end; `None` where that does not count.
    pub(crate) thrown: Option<u64>,
    /// Its number of instructions.
    pub(crate) bytecodes: u64,
}

/// An edge in its table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EdgeRow {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) kind: String,
    pub(crate) count: u64,
}

/// The tables, each read up to some row.
#[derive(Debug)]
pub(crate) struct Rows<'t> {
    methods: Ahead<'t>,
    blocks: Ahead<'t>,
    /// Whether the table of blocks says how often an `athrow` was reached.
    has_thrown: bool,
    edges: Ahead<'t>,
}

/// A table of which the next row can be looked at.
#[derive(Debug)]
struct Ahead<'t> {
    table: Table<'t>,
    next: Option<Row<'t>>,
}

impl<'t> Ahead<'t> {
    fn new(mut table: Table<'t>) -> Result<Self, Fault> {
        let next = table.next()?;
        Ok(Self { table, next })
    }

    fn take(&mut self) -> Result<Option<Row<'t>>, Fault> {
        Ok(std::mem::replace(&mut self.next, self.table.next()?))
    }

    /// Takes the next row if it is of this method.
    fn of(&mut self, method: &str) -> Result<Option<Row<'t>>, Fault> {
        if self.next.as_ref().is_some_and(|row| row.text(0) == method) { self.take() } else { Ok(None) }
    }

    /// The table has to end here.
    fn end(&self) -> Result<(), Fault> {
        match &self.next {
            None => Ok(()),
            Some(row) => {
                let method = spl_model::one_line(&row.text(0));
                Err(row.fault(format!("{method} does not belong here by the other files")))
            }
        }
    }
}

impl<'t> Rows<'t> {
    /// The tables, at their beginning.
    pub(crate) fn open(files: &Files<'t>) -> Result<Self, Fault> {
        let blocks = ["method", "block", "first", "last", "lines", "count", "gone", "m1"];
        let edges = ["method", "from", "to", "kind", "count"];
        let mut table = Table::read(BLOCKS, files.blocks, &blocks)?;
        let has_thrown = table.also("thrown");
        Ok(Self {
            methods: Ahead::new(Table::read(METHODS, files.methods, &["method", "calls", "doubt"])?)?,
            blocks: Ahead::new(table)?,
            has_thrown,
            edges: Ahead::new(Table::read(EDGES, files.edges, &edges)?)?,
        })
    }

    /// The rows of a class's methods and of their blocks.
    pub(crate) fn of_class(
        &mut self,
        class: &CountedClass,
        document: &Document,
    ) -> Result<Vec<MethodRow<'t>>, Fault> {
        let name = spl_model::one_line(&class.name);
        let of_it = |row: &Row<'_>| row.text(0).strip_prefix(&name).is_some_and(|rest| rest.starts_with('.'));
        let mut found = Vec::new();
        while found.len() < class.methods && self.methods.next.as_ref().is_some_and(of_it) {
            let Some(row) = self.methods.take()? else { break };
            let name = row.text(0);
            let blocks = self.blocks_of(&name)?;
            if blocks.is_empty() {
                return Err(row.fault(format!("{BLOCKS} has no block of this method")));
            }
            found.push(MethodRow { calls: row.count(1)?, doubt: row.text(2), name, blocks });
        }
        // A class that could not be read to its end is named among what did not count.
        if found.len() < class.methods && !document.left.contains_key(&class.name) {
            let reason = format!(
                "{name} has {} methods here, and {} by {}",
                found.len(),
                class.methods,
                crate::document::DOCUMENT
            );
            return Err(self.methods.table.fault(reason));
        }
        Ok(found)
    }

    fn blocks_of(&mut self, method: &str) -> Result<Vec<BlockRow<'t>>, Fault> {
        let mut blocks = Vec::new();
        // The next method may have the same name, in a class of another loader.
        while let Some(row) = &self.blocks.next {
            if row.text(0) != method || !blocks.is_empty() && row.number::<usize>(1)? == 0 {
                break;
            }
            if row.number::<usize>(1)? != blocks.len() {
                return Err(row.fault(format!("block {} of this method is missing before it", blocks.len())));
            }
            blocks.push(BlockRow {
                first: row.number(2)?,
                last: row.number(3)?,
                lines: row.text(4),
                count: row.count(5)?,
                gone: row.known(6)?,
                bytecodes: row.count(7)?,
                thrown: if self.has_thrown { row.known(8)? } else { None },
            });
            self.blocks.take()?;
        }
        Ok(blocks)
    }

    /// The next edge, which has to be one of this method.
    pub(crate) fn edge_of(&mut self, method: &str) -> Result<EdgeRow, Fault> {
        let Some(row) = self.edges.of(method)? else {
            return Err(Fault::new(EDGES, format!("an edge of {method} is missing"), AGAIN));
        };
        Ok(EdgeRow {
            from: row.number(1)?,
            to: row.number(2)?,
            kind: row.text(3).into_owned(),
            count: row.count(4)?,
        })
    }

    /// All methods and blocks have to be taken.
    pub(crate) fn end_of_blocks(&self) -> Result<(), Fault> {
        self.methods.end()?;
        self.blocks.end()
    }

    /// All rows have to be taken.
    pub(crate) fn end(&self) -> Result<(), Fault> {
        self.end_of_blocks()?;
        self.edges.end()
    }
}
