//! Spanning trees.

/// Trees as sets of nodes that hang together.
pub(crate) struct Tree {
    above: Vec<usize>,
}

impl Tree {
    pub(crate) fn new(nodes: usize) -> Self {
        Self { above: (0..nodes).collect() }
    }

    fn root(&mut self, mut node: usize) -> usize {
        while self.above[node] != node {
            self.above[node] = self.above[self.above[node]];
            node = self.above[node];
        }
        node
    }

    /// Joins two nodes; whether they did not hang together before.
    pub(crate) fn connects(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.root(one), self.root(other));
        self.above[one] = other;
        one != other
    }
}
