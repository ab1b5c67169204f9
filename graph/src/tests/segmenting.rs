//! Numbers of segments tell what walks through graphs have done, block by block.

use super::by_hand::foo;
use super::random::{class_of, steps};
use super::shapes::with_graph;
use crate::{Graph, MOST_SEGMENTS, Next, SegmentEnd, SegmentStep, Segments};
use proptest::collection::vec;
use proptest::prelude::*;

/// Code that keeps the number of its segment, and the blocks that it has begun since the last end of one.
struct Walker<'g> {
    segments: &'g Segments,
    number: u32,
    since: Vec<usize>,
}

impl Walker<'_> {
    /// Ends a segment, and compares what its number says with what was done.
    fn end(&mut self, end: SegmentEnd) {
        let told = self.segments.segment(self.number).expect("a segment has this number");
        assert_eq!((told.blocks, told.end), (std::mem::take(&mut self.since), end), "number {}", self.number);
    }

    /// Passes a way out of a part of a block; whether the activation goes on.
    fn pass(&mut self, step: SegmentStep, end: SegmentEnd) -> bool {
        self.number += step.add;
        match step.next {
            None => true,
            Some(next) => {
                self.end(end);
                match next {
                    Next::Number(number) => self.number = number,
                    Next::Handler => self.number = u32::MAX,
                    Next::Returns => {}
                }
                next != Next::Returns
            }
        }
    }

    fn enter(&mut self, graph: &Graph<'_>, block: usize) {
        if self.number == u32::MAX {
            assert!(graph.handlers.iter().any(|handler| handler.target == block));
            self.number = self.segments.begin(block).expect("a handler begins segments");
        }
        self.since.push(block);
    }
}

/// Walks through a graph, with the numbers that the woven code would tell. Gives the number of segments.
pub(super) fn compare(graph: &Graph<'_>, mut choices: impl Iterator<Item = usize>) -> u32 {
    let segments = Segments::of(graph);
    assert!(segments.count() < MOST_SEGMENTS);
    'activations: loop {
        let number = segments.begin(0).expect("the first block begins segments");
        let mut walker = Walker { segments: &segments, number, since: Vec::new() };
        let mut at = 0;
        loop {
            walker.enter(graph, at);
            let block = &graph.blocks[at];
            let mut throws = false;
            for call in &block.calls {
                let Some(choice) = choices.next() else { return segments.count() };
                throws = block.throws.is_some_and(|first| first < call.at) && choice % 5 == 0;
                if throws {
                    break;
                }
                walker.pass(
                    segments.at_call(call.at).expect("each call ends segments"),
                    SegmentEnd::Call(call.at),
                );
                throws = choice % 7 == 0;
                if throws {
                    break;
                }
            }
            let Some(choice) = choices.next() else { return segments.count() };
            let flows: Vec<usize> =
                block.edges.clone().filter(|&edge| !graph.edges[edge].kind.is_exception()).collect();
            let returned = segments.at_return(at);
            let ways = flows.len() + usize::from(returned.is_some());
            let extra = usize::from(block.throws.is_some());
            assert!(ways + extra > 0, "{block:?} has a way out");
            let way = choice % (ways + extra);
            if throws || way == ways {
                // The number at the exception has to name the path so far.
                walker.end(SegmentEnd::Stopped);
                let caught: Vec<usize> =
                    block.edges.clone().filter(|&edge| graph.edges[edge].kind.is_exception()).collect();
                let Some(&edge) = caught.get(choice % (caught.len() + 1)) else { continue 'activations };
                at = graph.edges[edge].to;
                walker.number = u32::MAX;
            } else if let Some(&edge) = flows.get(way) {
                let step = segments.on_edge(edge).expect("edges of live blocks have steps");
                walker.pass(step, SegmentEnd::Edge(edge));
                at = graph.edges[edge].to;
            } else {
                assert!(!walker.pass(returned.expect("the only way left"), SegmentEnd::Returned));
                continue 'activations;
            }
        }
    }
}

#[test]
fn a_turn_of_the_papers_loop_is_one_segment_without_its_calls() {
    let bytes = foo().bytes();
    with_graph(&bytes, |graph| {
        let segments = Segments::of(graph);
        let all: Vec<_> = (0..segments.count()).map(|number| segments.segment(number).unwrap()).collect();
        let edge = |from, to| graph.edges.iter().position(|one| (one.from, one.to) == (from, to)).unwrap();
        let turn = |one: &&crate::Segment| one.blocks == [1, 2, 4] && one.end == SegmentEnd::Edge(edge(4, 1));
        assert_eq!(all.iter().filter(turn).count(), 1);
        assert!(all.iter().any(|one| one.blocks == [0, 1, 5] && one.end == SegmentEnd::Returned));
        assert_eq!(segments.segment(segments.count()), None);
        assert!(!segments.is_single(graph));
    });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn segments_tell_what_the_walk_did(
        steps in steps(),
        handlers in vec((any::<usize>(), any::<usize>(), any::<usize>(), prop::bool::weighted(0.3)), 0..5),
        choices in vec(any::<usize>(), 0..300),
    ) {
        let bytes = class_of(steps, &handlers).bytes();
        with_graph(&bytes, |graph| {
            compare(graph, choices.into_iter());
            let segments = Segments::of(graph);
            for number in 0..segments.count().min(1000) {
                assert!(segments.segment(number).is_some(), "{number} of {}", segments.count());
            }
        });
    }
}
