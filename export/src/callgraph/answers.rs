//! The methods that calls entered, from the table of arcs.

use super::graph::{Edge, Node, Unseen};
use crate::fault::Fault;
use crate::table::{Row, Table};
use spl_graph::CallKind;
use spl_model::one_line;
use std::collections::{BTreeMap, HashMap};

/// Name of the table.
pub const ARCS: &str = "arcs.csv";

/// The answers to the calls of each method, by its name.
#[derive(Debug, Default)]
pub(super) struct Answers {
    of_caller: BTreeMap<String, Vec<Answer>>,
}

/// The end that some calls of a place came to.
#[derive(Debug)]
struct Answer {
    /// 0 where the class file has none.
    line: u16,
    kind: CallKind,
    end: End,
    calls: u64,
}

#[derive(Debug)]
enum End {
    /// A counted method, named as in a task file.
    Entered(String),
    /// A method that was not counted, as the call names it.
    Unseen(String),
}

impl Answers {
    /// Reads the table.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let columns = ["method", "line", "instruction", "callee", "answer", "entered", "calls"];
        let (mut table, mut answers) = (Table::read(ARCS, bytes, &columns)?, Self::default());
        while let Some(row) = table.next()? {
            let answer = Answer::of(&row)?;
            let of_caller = answers.of_caller.entry(row.text(0).into_owned()).or_default();
            of_caller.extend(answer);
        }
        Ok(answers)
    }

    /// Adds the calls of a method whose arcs were counted; false of another one. `numbers` has the methods by name.
    pub(super) fn add_calls(&self, node: &mut Node, numbers: &HashMap<&str, usize>) -> bool {
        let Some(answers) = self.of_caller.get(&node.name) else { return false };
        let mut edges: BTreeMap<(usize, u16, &str), (CallKind, u64)> = BTreeMap::new();
        for Answer { line, kind, end, calls } in answers {
            match end {
                End::Entered(name) if numbers.contains_key(&**name) => {
                    let edge =
                        edges.entry((numbers[&**name], *line, kind.instruction())).or_insert((*kind, 0));
                    edge.1 = edge.1.saturating_add(*calls);
                }
                End::Entered(name) | End::Unseen(name) => {
                    node.unseen.push(Unseen { name: one_line(name), line: *line, calls: *calls });
                }
            }
        }
        for ((callee, line, _), (kind, calls)) in edges {
            let edge = Edge { callee, line, kind, calls, is_unsure: false, is_back: false, cost: 0.0 };
            node.edges.push(edge);
        }
        true
    }
}

impl Answer {
    /// The answer of a row; `None` where no method was entered.
    fn of(row: &Row<'_>) -> Result<Option<Self>, Fault> {
        let line = if row.text(1).is_empty() { 0 } else { row.number(1)? };
        let calls = row.count(6)?;
        let end = match &*row.text(4) {
            // Methods that the JVM or a native method called within the call are below the caller, too.
            "entered" | "via" | "implicit" => End::Entered(row.text(5).into_owned()),
            "native" | "unseen" => End::Unseen(row.text(3).into_owned()),
            "not entered" => return Ok(None),
            other => return Err(row.fault(format!("{other:?} is not an answer to a call"))),
        };
        let instruction = row.text(2);
        let kind = CallKind::of_instruction(&instruction)
            .ok_or_else(|| row.fault(format!("{instruction:?} is not an instruction that calls")))?;
        Ok((calls > 0).then_some(Self { line, kind, end, calls }))
    }
}
