//! The calls in the code of traced methods, as their class files name them.

use spl_graph::{CallKind, Graph, forms};
use std::collections::HashMap;

/// A call in the code of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callee {
    /// Name and descriptor of the called method, as a number.
    signature: u32,
    /// Place of the called method's whole name.
    target: u32,
    /// By which instruction.
    pub kind: CallKind,
    /// Its source line.
    pub line: Option<u16>,
}

/// The calls of the methods of a drill, by their places in [`Methods`](crate::Methods).
#[derive(Clone, Debug, Default)]
pub struct Callees {
    signatures: HashMap<Vec<u8>, u32>,
    targets: Vec<String>,
    places: HashMap<String, u32>,
    /// For each method its own signature, and its calls by their offsets.
    methods: Vec<(u32, HashMap<u32, Callee>)>,
}

impl Callees {
    /// Adds the calls of the next method.
    pub fn add(&mut self, graph: &Graph<'_>) {
        let own = self.signature(graph.name, graph.descriptor);
        let mut calls = HashMap::new();
        for call in graph.blocks.iter().flat_map(|block| &block.calls) {
            let target =
                self.target(forms::name_of(call.target.class, call.target.name, call.target.descriptor));
            let signature = self.signature(call.target.name, call.target.descriptor);
            calls.insert(call.at, Callee { signature, target, kind: call.kind, line: call.line });
        }
        self.methods.push((own, calls));
    }

    /// The call at an offset of the method at a place.
    #[must_use]
    pub fn at(&self, place: u32, offset: u32) -> Option<Callee> {
        self.methods.get(place as usize)?.1.get(&offset).copied()
    }

    /// The called method as in a task file, as the class file names it.
    #[must_use]
    pub fn name(&self, callee: Callee) -> &str {
        self.targets.get(callee.target as usize).map_or("", String::as_str)
    }

    /// Whether a call can have entered a method: that has its name and descriptor.
    pub(crate) fn may_enter(&self, callee: Callee, method: u32) -> bool {
        self.methods.get(method as usize).is_some_and(|(own, _)| *own == callee.signature)
    }

    fn signature(&mut self, name: &[u8], descriptor: &[u8]) -> u32 {
        let next = self.signatures.len() as u32;
        *self.signatures.entry([name, descriptor].concat()).or_insert(next)
    }

    fn target(&mut self, name: String) -> u32 {
        if let Some(place) = self.places.get(&name) {
            return *place;
        }
        let place = self.targets.len() as u32;
        self.targets.push(name.clone());
        self.places.insert(name, place);
        place
    }
}
