//! The XML of JBInsTrace, as far as its paper shows it; `docs/schema/jbinstrace-1.xsd` describes all of it.

use super::names::{method_name, shown};
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
/// The end of the document.
pub const JBINSTRACE_END: &str = "</jbinstrace>\n";

/// One method of the document.
///
/// # Errors
/// As those of [`jbinstrace`].
pub fn jbinstrace_method(method: &Numbered<'_, '_>) -> Result<String, TooMany> {
    let Numbered { number, graph } = method;
    if *number >= METHODS {
        return Err(TooMany::Methods(method_name(graph)));
    }
    if graph.blocks.len() > BLOCKS as usize {
        return Err(TooMany::Blocks(method_name(graph)));
    }
    let (class, name, descriptor) = (escaped(graph.class), escaped(graph.name), escaped(graph.descriptor));
    let mut out =
        format!("  <method id=\"{number}\" class=\"{class}\" name=\"{name}\" descriptor=\"{descriptor}\">\n");
    for (place, block) in (0..BLOCKS).zip(&graph.blocks) {
        // A `String` takes everything.
        let _ = writeln!(out, "    {}", element(graph, *number, place, block));
    }
    Ok(out + "  </method>\n")
}

fn element(graph: &Graph<'_>, method: u32, place: u32, block: &Block<'_>) -> String {
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
    format!("<basic_block id=\"{}\" metrics=\"{metrics}\">{inner}</basic_block>", id(place))
}

fn call_site(call: &Call<'_>) -> String {
    let target = call.target;
    let kind = call.kind.instruction().to_uppercase();
    let (class, name, descriptor) = (escaped(target.class), escaped(target.name), escaped(target.descriptor));
    format!("<call_site call=\"{class}:{name}{descriptor}\" type=\"{kind}\"/>")
}

/// A value of an attribute (XML 1.0, section 2.3). Characters that XML cannot hold at all are shown as
/// U+FFFD.
fn escaped(name: &[u8]) -> String {
    let mut out = String::new();
    for c in shown(name).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            _ => out.push(c),
        }
    }
    out
}
