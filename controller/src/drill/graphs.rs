//! The graphs next to the reasons of a claim: of the methods that its first causes stand in, on both sides.

use super::kept::Kept;
use super::page;
use super::reasons::{Counted, Graphs};
use spl_records::{ClaimGraphs, GraphBlock, GraphEdge, GraphPair, MethodGraph, Why, WhyGraphs};
use std::collections::BTreeSet;

/// Share of what is more from which on a second cause has graphs.
const SECOND: f64 = 0.1;

/// A method that causes stand in.
#[derive(Debug, PartialEq)]
struct Place {
    method: String,
    /// The blocks of the causes.
    blocks: Vec<usize>,
}

/// The counts of a side of a claim.
struct Side<'a> {
    root: &'a str,
    kept: &'a Kept,
    /// Calls of each method in a call of the root.
    work: spl_profile::Work,
    is_apart: bool,
}

/// The graphs of these claims, as many as a report has room for; the first claims come first.
pub fn add(found: &mut WhyGraphs, claims: &[Why], known: &Counted, graphs: &Graphs<'_>) {
    let count =
        |pairs: &[GraphPair]| pairs.iter().map(|pair| 1 + usize::from(pair.quick.is_some())).sum::<usize>();
    let drawn: usize = found.claims.iter().map(|one| count(&one.pairs)).sum();
    let mut room = WhyGraphs::MOST_GRAPHS.saturating_sub(drawn);
    for why in claims {
        let pairs = pairs(why, known, graphs);
        let count = count(&pairs);
        let is_known = found.of(why).is_some();
        if pairs.is_empty() || is_known || count > room {
            continue;
        }
        room -= count;
        let Why { claim, slow, quick, .. } = why.clone();
        found.claims.push(ClaimGraphs { claim, slow, quick, pairs });
    }
}

/// The methods of the greatest causes and events, each once.
fn places(why: &Why) -> Vec<Place> {
    let causes = why.causes.iter().map(|cause| {
        let method = cause.path.last().unwrap_or(&why.slow);
        (cause.share, method, cause.block)
    });
    let extras = why.extras.iter().map(|extra| (extra.share, &extra.method, extra.block));
    let mut all: Vec<_> = causes.chain(extras).collect();
    all.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut places: Vec<Place> = Vec::new();
    for (number, (share, method, block)) in all.into_iter().enumerate() {
        if number > 0 && share < SECOND {
            break;
        }
        match places.iter().position(|place| place.method == *method) {
            Some(at) => {
                let blocks = &mut places[at].blocks;
                blocks.extend(block);
                blocks.dedup();
            }
            None if places.len() < WhyGraphs::MOST_PAIRS => {
                places.push(Place { method: method.clone(), blocks: block.into_iter().collect() });
            }
            None => {}
        }
    }
    places
}

fn pairs(why: &Why, known: &Counted, graphs: &Graphs<'_>) -> Vec<GraphPair> {
    let Some(slow) = Side::of(&why.slow, known, graphs) else { return Vec::new() };
    let quick = why.quick.as_deref().and_then(|quick| Side::of(quick, known, graphs));
    let mut drawn = BTreeSet::new();
    let pair = |place: Place| {
        let of_slow = slow.graph(&place.method, place.blocks)?;
        let of_quick = quick.as_ref().and_then(|quick| {
            let method = if quick.has(&place.method) { &*place.method } else { quick.root };
            // Both causes may have nothing on the other side but its method.
            drawn.insert(method.to_owned()).then(|| quick.graph(method, Vec::new()))?
        });
        Some(GraphPair { slow: of_slow, quick: of_quick })
    };
    places(why).into_iter().filter_map(pair).collect()
}

impl<'a> Side<'a> {
    /// `None` of a method that was not called.
    fn of(root: &'a str, known: &'a Counted, graphs: &Graphs<'_>) -> Option<Self> {
        let graph = graphs.of(root);
        let work = graph.work(root)?;
        Some(Self { root, kept: known.kept(root, graph.is_apart()), work, is_apart: graph.is_apart() })
    }

    /// Whether the root's calls ran this method.
    fn has(&self, method: &str) -> bool {
        self.kept.has(method) && self.work.parts.get(method).is_some_and(|part| part.calls > 0.0)
    }

    /// The method with its counts; `None` where no call of the root ran it.
    fn graph(&self, method: &str, causes: Vec<usize>) -> Option<MethodGraph> {
        let in_root = self.work.parts.get(method).map(|part| part.calls).filter(|calls| *calls > 0.0)?;
        self.kept.look(method, |one| {
            let (calls, size) = (one.calls, one.graph.blocks.len());
            let mut graph = MethodGraph {
                method: method.to_owned(),
                root: self.root.to_owned(),
                is_apart: self.is_apart,
                calls,
                roots: calls as f64 / in_root,
                causes: causes.clone(),
                size,
                blocks: Vec::new(),
                edges: Vec::new(),
            };
            if size <= WhyGraphs::MOST_BLOCKS && one.graph.edges.len() <= WhyGraphs::MOST_EDGES {
                let counted = page::counted(one, method.to_owned());
                (graph.blocks, graph.edges) = (blocks(&counted), edges(&counted));
            }
            graph
        })
    }
}

fn blocks(counted: &spl_report::drill::Counted) -> Vec<GraphBlock> {
    let block = |(drawn, counts): (&spl_draw::Block, &spl_report::drill::BlockCounts)| GraphBlock {
        text: drawn.text.clone(),
        title: drawn.title.clone(),
        lines: counts.lines.clone(),
        bytecodes: counts.bytecodes,
        runs: counts.count,
        gone: counts.gone,
        calls: counts.calls.clone(),
        is_exit: drawn.is_exit,
        is_dead: drawn.classes == "dead",
    };
    counted.picture.blocks.iter().zip(&counted.blocks).map(block).collect()
}

fn edges(counted: &spl_report::drill::Counted) -> Vec<GraphEdge> {
    let edge = |(drawn, taken): (&spl_draw::Arrow, &Option<u64>)| GraphEdge {
        from: drawn.from,
        to: drawn.to,
        is_exception: drawn.is_dashed,
        title: drawn.title.clone(),
        taken: *taken,
    };
    counted.picture.arrows.iter().zip(&counted.edges).map(edge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use spl_records::{WhyCause, WhyEvent, WhyExtra};

    fn cause(share: f64, path: &[&str], block: usize) -> WhyCause {
        let path = path.iter().map(|&name| name.to_owned()).collect();
        WhyCause { share, path, block: Some(block), ..WhyCause::default() }
    }

    fn extra(share: f64, method: &str, block: Option<usize>) -> WhyExtra {
        let (kind, method) = (WhyEvent::Caught, method.to_owned());
        WhyExtra { share, kind, method, block, lines: None, counts: [1.0, 0.0] }
    }

    fn found(why: &Why) -> Vec<(String, Vec<usize>)> {
        places(why).into_iter().map(|place| (place.method, place.blocks)).collect()
    }

    #[test]
    fn a_cause_stands_in_the_last_method_of_its_path_or_in_the_slow_one() {
        let mut why = Why { slow: "C.slow()V".to_owned(), ..Why::default() };
        assert_eq!(found(&why), []);
        why.causes = vec![cause(0.3, &["C.f()V", "C.g()V"], 2), cause(0.15, &[], 1)];
        why.extras = vec![extra(0.5, "C.h()V", None)];
        assert_eq!(found(&why), [("C.h()V".to_owned(), vec![]), ("C.g()V".to_owned(), vec![2])]);
        // The third method has no room, but a block of the first ones is marked too.
        why.extras.push(extra(0.12, "C.g()V", Some(7)));
        assert_eq!(found(&why)[1], ("C.g()V".to_owned(), vec![2, 7]));
    }

    #[test]
    fn a_small_second_cause_has_no_graph() {
        let causes = vec![cause(0.08, &["C.f()V"], 2), cause(0.05, &["C.g()V"], 1)];
        let why = Why { slow: "C.slow()V".to_owned(), causes, ..Why::default() };
        assert_eq!(found(&why), [("C.f()V".to_owned(), vec![2])]);
    }
}
