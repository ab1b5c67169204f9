//! The XML of JBInsTrace, as far as its paper shows it; `docs/schema/jbinstrace-1.xsd` describes all of it.

use super::names::{method_name, shown};
use super::xml::attribute;
use crate::block::Block;
use crate::graph::Graph;
use crate::sites::Call;
use std::error::Error;
use std::fmt::{self, Write};

/// Methods that JBInsTrace has numbers for: 19 bits (section 3.2.2 of its paper).
pub const METHODS: u32 = 1 << 19;
/// Blocks of a method that it has numbers for: 11 bits.
pub const BLOCKS: u32 = 1 << 11;

/// A method under a number of its own.
#[derive(Clone, Copy, Debug)]
pub struct Numbered<'g, 'a> {
    /// The number, below [`METHODS`].
    pub number: u32,
    /// The method.
    pub graph: &'g Graph<'a>,
}

/// A number that JBInsTrace's format cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TooMany {
    /// The number of this method is 524,288 or higher.
    Methods(String),
    /// This method has more than 2,048 blocks.
    Blocks(String),
}

impl fmt::Display for TooMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Methods(name) => {
                write!(f, "JBInsTrace has numbers for {METHODS} methods, and {name} is beyond them")
            }
            Self::Blocks(name) => {
                write!(f, "JBInsTrace has numbers for {BLOCKS} blocks of a method, and {name} has more")
            }
        }
    }
}

impl Error for TooMany {}

/// The blocks of these methods. A block's id is that of its method shifted by 11 bits, plus its own number, as in the paper's traces;
/// `metrics` are the 19 in their order. The paper shows the elements of a block and of its calls; those around them, and handlers, are
/// ours.
///
/// # Errors
/// When a number does not fit: none is ever cut.
pub fn jbinstrace(methods: &[Numbered<'_, '_>]) -> Result<String, TooMany> {
    let methods = methods.iter().map(jbinstrace_method).collect::<Result<String, _>>()?;
    Ok(JBINSTRACE_START.to_owned() + &methods + JBINSTRACE_END)
}

/// The beginning of the document, for callers that write it in parts.
pub const JBINSTRACE_START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<jbinstrace version=\"1\">\n";
/// The beginning of a document with counts (`docs/schema/jbinstrace-2.xsd`).
pub const JBINSTRACE_COUNTED: &str =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<jbinstrace version=\"2\">\n";
/// The end of the document.
pub const JBINSTRACE_END: &str = "</jbinstrace>\n";

/// The counts of a method, for a document of version 2.
#[derive(Clone, Copy, Debug)]
pub struct MethodCounts<'c> {
    /// Calls.
    pub calls: u64,
    /// For each block its runs, and if they are known the activations that left it neither by an edge nor by a return.
    pub blocks: &'c [(u64, Option<u64>)],
}

/// One method of the document.
///
/// # Errors
/// As those of [`jbinstrace`].
pub fn jbinstrace_method(method: &Numbered<'_, '_>) -> Result<String, TooMany> {
    written(method, "", |_| String::new())
}

/// One method of a document with counts.
///
/// # Errors
/// As those of [`jbinstrace`].
pub fn jbinstrace_counted(method: &Numbered<'_, '_>, counts: &MethodCounts<'_>) -> Result<String, TooMany> {
    written(method, &format!(" calls=\"{}\"", counts.calls), |block| {
        let (count, gone) = counts.blocks.get(block).copied().unwrap_or_default();
        let gone = gone.map_or_else(String::new, |gone| format!(" gone=\"{gone}\""));
        format!(" count=\"{count}\"{gone}")
    })
}

/// One method, with more attributes of it and of each block.
fn written(
    method: &Numbered<'_, '_>,
    more: &str,
    of_block: impl Fn(usize) -> String,
) -> Result<String, TooMany> {
    let Numbered { number, graph } = method;
    if *number >= METHODS {
        return Err(TooMany::Methods(method_name(graph)));
    }
    if graph.blocks.len() > BLOCKS as usize {
        return Err(TooMany::Blocks(method_name(graph)));
    }
    let (class, name, descriptor) = (escaped(graph.class), escaped(graph.name), escaped(graph.descriptor));
    let mut out = format!(
        "  <method id=\"{number}\" class=\"{class}\" name=\"{name}\" descriptor=\"{descriptor}\"{more}>\n"
    );
    for (place, block) in (0..BLOCKS).zip(&graph.blocks) {
        // A `String` takes everything.
        let _ = writeln!(out, "    {}", element(graph, *number, (place, &of_block(place as usize)), block));
    }
    Ok(out + "  </method>\n")
}

fn element(graph: &Graph<'_>, method: u32, (place, more): (u32, &str), block: &Block<'_>) -> String {
    let id = |block: u32| method * BLOCKS + block;
    let metrics = block.metrics.vector().map(|count| count.to_string()).join(" ");
    let mut inner = String::new();
    if !block.calls.is_empty() {
        let calls = block.calls.iter().map(call_site).collect::<String>();
        inner.push_str(&format!("<call_site_list>{calls}</call_site_list>"));
    }
    let mut places: Vec<_> = block.stretches.iter().flat_map(|stretch| stretch.handlers.clone()).collect();
    places.sort_unstable();
    places.dedup();
    let handlers = places.iter().filter_map(|place| graph.handlers.get(usize::from(*place)));
    let handlers = handlers.map(|handler| {
        let catches =
            handler.catches.map_or_else(String::new, |class| format!(" catch=\"{}\"", escaped(class)));
        // No method has more blocks than fit.
        format!("<exception_handler id=\"{}\"{catches}/>", id(handler.target as u32))
    });
    let handlers = handlers.collect::<String>();
    if !handlers.is_empty() {
        inner.push_str(&format!("<exception_handler_list>{handlers}</exception_handler_list>"));
    }
    format!("<basic_block id=\"{}\" metrics=\"{metrics}\"{more}>{inner}</basic_block>", id(place))
}

fn call_site(call: &Call<'_>) -> String {
    let target = call.target;
    let kind = call.kind.instruction().to_uppercase();
    let (class, name, descriptor) = (escaped(target.class), escaped(target.name), escaped(target.descriptor));
    format!("<call_site call=\"{class}:{name}{descriptor}\" type=\"{kind}\"/>")
}

fn escaped(name: &[u8]) -> String {
    attribute(&shown(name))
}
