//! Depth-first search, which dominators and loops stand on.

/// Result of a search from node 0. *Numbers* count the nodes in the order in which they were first met.
#[derive(Debug)]
pub(crate) struct Search {
    /// The nodes that were met, by number.
    pub(crate) nodes: Vec<usize>,
    /// The number of each node; `None` where no path leads.
    pub(crate) numbers: Vec<Option<usize>>,
    /// For each number, the number from which it was found; 0 for 0.
    pub(crate) parents: Vec<usize>,
    /// Of each number the highest that was met from it on.
    pub(crate) lasts: Vec<usize>,
    /// Of each number those with an edge to it.
    pub(crate) predecessors: Vec<Vec<usize>>,
}

impl Search {
    /// Searches a graph that is given by the successors of its nodes.
    pub(crate) fn new(successors: &[Vec<usize>]) -> Self {
        let mut search = Self {
            nodes: Vec::new(),
            numbers: vec![None; successors.len()],
            parents: Vec::new(),
            lasts: Vec::new(),
            predecessors: Vec::new(),
        };
        // Recursion would be as deep as the graph has nodes.
        let mut open = Vec::new();
        if !successors.is_empty() {
            search.meet(0, 0);
            open.push((0, 0));
        }
        while let Some((number, next)) = open.last_mut() {
            let (number, at) = (*number, *next);
            *next += 1;
            match successors[search.nodes[number]].get(at) {
                Some(&to) if search.numbers[to].is_none() => open.push((search.meet(to, number), 0)),
                Some(_) => {}
                None => {
                    search.lasts[number] = search.nodes.len() - 1;
                    open.pop();
                }
            }
        }
        search.find_predecessors(successors);
        search
    }

    fn meet(&mut self, node: usize, parent: usize) -> usize {
        let number = self.nodes.len();
        self.numbers[node] = Some(number);
        self.nodes.push(node);
        self.parents.push(parent);
        self.lasts.push(number);
        number
    }

    fn find_predecessors(&mut self, successors: &[Vec<usize>]) {
        self.predecessors = vec![Vec::new(); self.nodes.len()];
        for (number, &node) in self.nodes.iter().enumerate() {
            for to in successors[node].iter().filter_map(|&to| self.numbers[to]) {
                self.predecessors[to].push(number);
            }
        }
    }

    /// Whether `other` was met from `number` on, or is the same.
    pub(crate) fn is_above(&self, number: usize, other: usize) -> bool {
        number <= other && other <= self.lasts[number]
    }
}
