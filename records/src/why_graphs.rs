//! The graphs of the methods that causes stand in (`why-graphs.json`): what a report draws next to the reasons of failed claims.

use crate::why::Why;
use serde::{Deserialize, Serialize};

const SCHEMA: &str = "spl.why-graphs/1";

/// The document.
///
/// ```
/// use spl_records::{ClaimGraphs, WhyGraphs};
/// let graphs = WhyGraphs { claims: vec![ClaimGraphs { claim: "p99(p.C#f) <= 5 ms".to_owned(), ..ClaimGraphs::default() }] };
/// assert_eq!(WhyGraphs::from_json(&graphs.to_json()), Ok(graphs));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhyGraphs {
    /// The claims that have graphs.
    pub claims: Vec<ClaimGraphs>,
}

/// The graphs of a claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClaimGraphs {
    /// The claim, as in the reasons.
    pub claim: String,
    /// The slow method, as in the reasons.
    pub slow: String,
    /// The method that it is compared with; `None` for a bound.
    pub quick: Option<String>,
    /// The methods of the first causes, the greatest cause first.
    pub pairs: Vec<GraphPair>,
}

/// Two graphs side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphPair {
    /// A method within the calls of the slow method.
    pub slow: MethodGraph,
    /// The same method within the calls of the other one, or the other one itself; `None` for a bound, and where a pair before this
    /// has it.
    pub quick: Option<MethodGraph>,
}

/// A method with counts within the calls of a root.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MethodGraph {
    /// The method.
    pub method: String,
    /// The claim's method in whose calls it was counted.
    pub root: String,
    /// Whether the calls of other callers are left out. If not, the figures are averages over all callers.
    pub is_apart: bool,
    /// Calls that were counted.
    pub calls: u64,
    /// Number of calls of the root that the counts belong to; more than 0.
    pub roots: f64,
    /// Numbers of the blocks that causes stand in.
    pub causes: Vec<usize>,
    /// Number of blocks, also of a method that is not drawn.
    pub size: usize,
    /// Its blocks; empty where it has too many to be drawn.
    pub blocks: Vec<GraphBlock>,
    /// Its edges.
    pub edges: Vec<GraphEdge>,
}

/// A block with its counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphBlock {
    /// The lines of its box.
    pub text: Vec<String>,
    /// The text for a pointer that rests on it.
    pub title: String,
    /// Its source lines.
    pub lines: String,
    /// Its instructions.
    pub bytecodes: u32,
    /// Number of times that it was run.
    pub runs: u64,
    /// Activations that left it in its middle.
    pub gone: Option<u64>,
    /// The methods that it calls.
    pub calls: Vec<String>,
    /// Whether it returns.
    pub is_exit: bool,
    /// Whether no path leads to it.
    pub is_dead: bool,
}

/// An edge with its count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphEdge {
    /// Number of the block that it begins in.
    pub from: usize,
    /// Number of the block that it leads to.
    pub to: usize,
    /// Whether exceptions take it.
    pub is_exception: bool,
    /// The text for a pointer that rests on it.
    pub title: String,
    /// Number of times that it was taken; `None` for exceptions.
    pub taken: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct Json {
    schema: String,
    claims: Vec<ClaimGraphs>,
}

impl WhyGraphs {
    /// Its name, next to the results.
    pub const NAME: &str = "why-graphs.json";
    /// Largest file that is read, bytes.
    pub const LARGEST: u64 = 32 << 20;
    /// Most graphs of all claims together.
    pub const MOST_GRAPHS: usize = 40;
    /// Most pairs of a claim.
    pub const MOST_PAIRS: usize = 2;
    /// Most blocks of a method that is drawn.
    pub const MOST_BLOCKS: usize = 300;
    /// Most edges of a method that is drawn.
    pub const MOST_EDGES: usize = 10 * Self::MOST_BLOCKS;

    /// The graphs of a claim for which reasons were looked for.
    #[must_use]
    pub fn of(&self, why: &Why) -> Option<&ClaimGraphs> {
        let is_it =
            |one: &&ClaimGraphs| (&one.claim, &one.slow, &one.quick) == (&why.claim, &why.slow, &why.quick);
        self.claims.iter().find(is_it)
    }

    /// The text of the file.
    #[must_use]
    pub fn to_json(&self) -> String {
        let json = Json { schema: SCHEMA.to_owned(), claims: self.claims.clone() };
        let text = serde_json::to_string(&json).expect("texts and numbers are always JSON");
        spl_model::plain_json(&text) + "\n"
    }

    /// Reads the text of the file.
    ///
    /// # Errors
    /// When it is not JSON of this layout, has another schema, or graphs that no run writes; one line of text.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let json: Json = serde_json::from_str(text).map_err(|e| format!("not a list of graphs: {e}"))?;
        if json.schema != SCHEMA {
            return Err(format!("it has the schema {:?}, this spl knows {SCHEMA:?}", json.schema));
        }
        let graphs = || json.claims.iter().flat_map(|claim| &claim.pairs).flat_map(GraphPair::graphs);
        if graphs().count() > Self::MOST_GRAPHS {
            return Err(format!("it has more than {} graphs", Self::MOST_GRAPHS));
        }
        for graph in graphs() {
            graph
                .check()
                .map_err(|why| format!("the graph of {}: {why}", spl_model::one_line(&graph.method)))?;
        }
        Ok(Self { claims: json.claims })
    }
}

impl GraphPair {
    /// Its graphs.
    fn graphs(&self) -> impl Iterator<Item = &MethodGraph> {
        [Some(&self.slow), self.quick.as_ref()].into_iter().flatten()
    }
}

impl MethodGraph {
    /// Whether all parts fit together; the first one that does not.
    fn check(&self) -> Result<(), String> {
        let blocks = self.blocks.len();
        let is_outside = |edge: &GraphEdge| edge.from.max(edge.to) >= blocks;
        if !self.roots.is_finite() || self.roots <= 0.0 {
            return Err(format!("it belongs to {} calls", self.roots));
        }
        if blocks > WhyGraphs::MOST_BLOCKS {
            return Err(format!("it has {blocks} blocks, {} at most are drawn", WhyGraphs::MOST_BLOCKS));
        }
        if self.edges.len() > WhyGraphs::MOST_EDGES {
            return Err(format!("it has {} edges", self.edges.len()));
        }
        if let Some(edge) = self.edges.iter().find(|edge| is_outside(edge)) {
            return Err(format!("it has an edge from {} to {}, and {blocks} blocks", edge.from, edge.to));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graphs(number: usize) -> WhyGraphs {
        let block = GraphBlock { text: vec!["block 0".to_owned()], runs: 4, ..GraphBlock::default() };
        let edge = GraphEdge { taken: Some(3), ..GraphEdge::default() };
        let slow = MethodGraph {
            method: "p/C.f()V".to_owned(),
            roots: 2.0,
            blocks: vec![block],
            edges: vec![edge],
            ..MethodGraph::default()
        };
        let pair = GraphPair { slow, quick: None };
        WhyGraphs { claims: vec![ClaimGraphs { pairs: vec![pair; number], ..ClaimGraphs::default() }] }
    }

    fn refused(change: impl Fn(&mut MethodGraph)) -> String {
        let mut changed = graphs(1);
        change(&mut changed.claims[0].pairs[0].slow);
        WhyGraphs::from_json(&changed.to_json()).unwrap_err()
    }

    #[test]
    fn what_no_run_writes_is_refused() {
        let cases = [
            (refused(|graph| graph.roots = 0.0), "the graph of p/C.f()V: it belongs to 0 calls"),
            (refused(|graph| graph.edges[0].to = 1), "it has an edge from 0 to 1, and 1 blocks"),
            (
                refused(|graph| graph.blocks = vec![GraphBlock::default(); 301]),
                "it has 301 blocks, 300 at most",
            ),
            (refused(|graph| graph.edges = vec![GraphEdge::default(); 3001]), "it has 3001 edges"),
            (WhyGraphs::from_json(&graphs(41).to_json()).unwrap_err(), "it has more than 40 graphs"),
            (
                WhyGraphs::from_json("{\"schema\":\"x\",\"claims\":[]}").unwrap_err(),
                "it has the schema \"x\"",
            ),
        ];
        for (why, expected) in cases {
            assert!(why.contains(expected), "{why}, not {expected}");
        }
        assert_eq!(WhyGraphs::from_json(&graphs(40).to_json()), Ok(graphs(40)));
    }

    #[test]
    fn a_file_that_was_cut_off_is_refused_at_each_place() {
        let text = graphs(2).to_json();
        for end in 0..text.len() - 2 {
            let why = WhyGraphs::from_json(&text[..end]).unwrap_err();
            assert!(why.starts_with("not a list of graphs: "), "{end}: {why}");
        }
    }
}
