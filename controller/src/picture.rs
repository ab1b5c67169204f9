//! The graph of a method as boxes and arrows, to be drawn.

use spl_draw::{Arrow, Block, Picture};
use spl_graph::{Exit, Graph, forms};

/// Thickness of a line without a count, tenths of a pixel.
const THICKNESS: u32 = 12;

/// Picture of `spl cfg --as svg`: blocks with their text, a double border where one calls methods, and edges with their
/// reasons.
pub fn picture(graph: &Graph<'_>) -> Picture {
    let arrow = |edge: &spl_graph::Edge| Arrow {
        from: edge.from,
        to: edge.to,
        is_dashed: edge.kind.is_exception(),
        label: cut(&forms::edge_label(graph, edge)),
        title: format!(
            "{} to {}: {} {}",
            edge.from,
            edge.to,
            edge.kind.name(),
            forms::edge_label(graph, edge)
        ),
        thickness: THICKNESS,
        ..Arrow::default()
    };
    Picture {
        blocks: (0..graph.blocks.len()).map(|number| block(graph, number)).collect(),
        arrows: graph.edges.iter().map(arrow).collect(),
    }
}

/// The box of a block.
pub fn block(graph: &Graph<'_>, number: usize) -> Block {
    let found = graph.blocks.get(number);
    Block {
        text: forms::box_lines(graph, number),
        title: forms::box_title(graph, number),
        classes: if found.is_some_and(|block| block.is_dead) { "dead" } else { "" }.to_owned(),
        is_double: found.is_some_and(|block| !block.calls.is_empty()),
        is_exit: found.is_some_and(|block| block.exit == Some(Exit::Return)),
        ..Block::default()
    }
}

/// A label of few characters: a class without its package, the first cases of a switch.
fn cut(label: &str) -> String {
    const MOST: usize = 16;
    let short = label.rsplit('/').next().unwrap_or_default();
    match short.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &short[..end]),
        None => short.to_owned(),
    }
}
