//! The XML of JBInsTrace, with counts (`docs/schema/jbinstrace-2.xsd`).

use crate::drill::Class;
use crate::fault::Fault;
use crate::rows::METHODS;
use spl_graph::forms::{self, MethodCounts, Numbered};

/// A document of blocks and their counts, class by class.
#[derive(Debug, Default)]
pub struct Jbinstrace {
    methods: String,
    /// Number of the next method.
    next: u32,
}

impl Jbinstrace {
    /// Takes a class in.
    ///
    /// # Errors
    /// When a number does not fit into the format: none is ever cut.
    pub fn add(&mut self, class: &Class<'_>) -> Result<(), Fault> {
        for method in &class.methods {
            let numbered = Numbered { number: self.next, graph: &method.graph };
            let counts = &method.counts;
            let blocks: Vec<_> = counts.blocks.iter().copied().zip(counts.gone.iter().copied()).collect();
            let counts = MethodCounts { calls: counts.calls, blocks: &blocks };
            let text = forms::jbinstrace_counted(&numbered, &counts).map_err(|too_many| {
                let remedy = "drill fewer methods, or take another form, such as --as csv";
                Fault::new(METHODS, too_many, remedy)
            })?;
            self.methods.push_str(&text);
            self.next += 1;
        }
        Ok(())
    }

    /// The document.
    #[must_use]
    pub fn document(&self) -> String {
        [forms::JBINSTRACE_COUNTED, &self.methods, forms::JBINSTRACE_END].concat()
    }
}
