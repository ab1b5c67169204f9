//! Classes written by hand, and random graphs.

use proptest::collection::vec;
use proptest::prelude::*;
use spl_classfile::pool::{CLASS, FIELD, INVOKE_DYNAMIC, METHOD, NAME_AND_TYPE, UTF8};

/// A class `T` with one method `f`, to which constants are added before its code is written.
#[derive(Clone, Debug)]
pub(crate) struct TestClass {
    pool: Vec<Vec<u8>>,
    pub(crate) access: u16,
    pub(crate) code: Vec<u8>,
    /// Start, end, target, and the constant of the class that is caught.
    pub(crate) handlers: Vec<[u16; 4]>,
    /// Offset and line.
    pub(crate) lines: Vec<[u16; 2]>,
}

/// Access flag of static methods.
pub(crate) const STATIC: u16 = 8;

impl TestClass {
    /// The class with this code, static and without handlers.
    pub(crate) fn new(code: &[u8]) -> Self {
        let mut class = Self {
            pool: Vec::new(),
            access: STATIC,
            code: code.to_vec(),
            handlers: Vec::new(),
            lines: Vec::new(),
        };
        class.class("T");
        class.class("java/lang/Object");
        for text in ["f", "()V", "Code", "LineNumberTable"] {
            class.text(text);
        }
        class
    }

    /// A method with handlers that catch everything: start, end and target of each.
    pub(crate) fn covered(code: &[u8], handlers: &[[u16; 3]]) -> Self {
        let handlers = handlers.iter().map(|&[start, end, target]| [start, end, target, 0]).collect();
        Self { handlers, ..Self::new(code) }
    }

    fn add(&mut self, entry: Vec<u8>) -> u16 {
        let found = self.pool.iter().position(|one| *one == entry);
        let place = found.unwrap_or_else(|| {
            self.pool.push(entry);
            self.pool.len() - 1
        });
        place as u16 + 1
    }

    pub(crate) fn text(&mut self, text: &str) -> u16 {
        self.add([&[UTF8], &(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat())
    }

    pub(crate) fn class(&mut self, name: &str) -> u16 {
        let name = self.text(name);
        self.add([&[CLASS], &name.to_be_bytes()[..]].concat())
    }

    fn pair(&mut self, tag: u8, one: u16, other: u16) -> u16 {
        self.add([&[tag], &one.to_be_bytes()[..], &other.to_be_bytes()[..]].concat())
    }

    fn name_and_type(&mut self, name: &str, descriptor: &str) -> u16 {
        let (name, descriptor) = (self.text(name), self.text(descriptor));
        self.pair(NAME_AND_TYPE, name, descriptor)
    }

    /// The two bytes of a reference to a field or, where the descriptor is one of a method, to a method.
    pub(crate) fn member(&mut self, class: &str, name: &str, descriptor: &str) -> [u8; 2] {
        let (class, signature) = (self.class(class), self.name_and_type(name, descriptor));
        let tag = if descriptor.starts_with('(') { METHOD } else { FIELD };
        self.pair(tag, class, signature).to_be_bytes()
    }

    pub(crate) fn dynamic(&mut self, name: &str, descriptor: &str) -> [u8; 2] {
        let signature = self.name_and_type(name, descriptor);
        self.pair(INVOKE_DYNAMIC, 0, signature).to_be_bytes()
    }

    /// The class file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut info = vec![0, 9, 0, 9];
        info.extend((self.code.len() as u32).to_be_bytes());
        info.extend(&self.code);
        info.extend((self.handlers.len() as u16).to_be_bytes());
        info.extend(self.handlers.iter().flatten().flat_map(|field| field.to_be_bytes()));
        // LineNumberTable is the last of the first eight constants.
        info.extend([0, 1, 0, 8]);
        info.extend((2 + 4 * self.lines.len() as u32).to_be_bytes());
        info.extend((self.lines.len() as u16).to_be_bytes());
        info.extend(self.lines.iter().flatten().flat_map(|field| field.to_be_bytes()));
        let mut out = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52];
        out.extend((self.pool.len() as u16 + 1).to_be_bytes());
        out.extend(self.pool.concat());
        // Access, this, super, no interfaces, no fields, one method.
        out.extend([0, 0x21, 0, 2, 0, 4, 0, 0, 0, 0, 0, 1]);
        out.extend(self.access.to_be_bytes());
        out.extend([0, 5, 0, 6, 0, 1, 0, 7]);
        out.extend((info.len() as u32).to_be_bytes());
        out.extend(info);
        out.extend([0, 0]);
        out
    }
}

/// Graphs of up to twelve nodes, by their successors.
pub(crate) fn graphs() -> impl Strategy<Value = Vec<Vec<usize>>> {
    (1_usize..12).prop_flat_map(|count| vec(vec(0..count, 0..4), count))
}

/// Which nodes can be reached from node 0 without `removed`.
pub(crate) fn reached(graph: &[Vec<usize>], removed: Option<usize>) -> Vec<bool> {
    let mut reached = vec![false; graph.len()];
    let mut open = vec![0];
    while let Some(node) = open.pop() {
        if Some(node) != removed && !std::mem::replace(&mut reached[node], true) {
            open.extend(&graph[node]);
        }
    }
    reached
}
