//! Counters tell what walks through graphs have done.

use super::by_hand::foo;
use super::random::{class_of, steps};
use super::shapes::with_graph;
use crate::block::{Block, Exit};
use crate::{Counters, Counts, Covered, Flags, Graph, Place};
use proptest::collection::vec;
use proptest::prelude::*;

/// Longest walk, in blocks.
const STEPS: usize = 300;

/// The true counts of a walk, and the values of the counters.
pub(super) struct Walked {
    pub(super) values: Vec<u64>,
    pub(super) truth: Counts,
    /// All places that were passed, in their order.
    passed: Vec<Place>,
}

/// The places that a walk passes, and its true counts.
pub(super) fn passed(graph: &Graph<'_>, choices: impl Iterator<Item = usize>) -> (Vec<Place>, Counts) {
    let walked = walk(graph, &[], choices);
    (walked.passed, walked.truth)
}

impl Walked {
    fn pass(&mut self, place: Place, places: &[Place]) {
        let counter = places.iter().position(|one| *one == place);
        counter.into_iter().for_each(|counter| self.values[counter] += 1);
        self.passed.push(place);
    }

    fn throw(&mut self, block: usize, places: &[Place]) {
        self.truth.thrown[block] = self.truth.thrown[block].map(|count| count + 1);
        self.pass(Place::Throw(block), places);
    }
}

/// Activations of a method one after the other. Each choice is a number: of the way out of a block.
pub(super) fn walk(graph: &Graph<'_>, places: &[Place], choices: impl Iterator<Item = usize>) -> Walked {
    let handles = |block| graph.handlers.iter().any(|handler| handler.target == block);
    let mut walked = Walked {
        values: vec![0; places.len()],
        truth: Counts {
            blocks: vec![0; graph.blocks.len()],
            edges: graph.edges.iter().map(|edge| (!edge.kind.is_exception()).then_some(0)).collect(),
            gone: vec![0; graph.blocks.len()],
            thrown: graph.blocks.iter().map(|block| block.counts_athrow().then_some(0)).collect(),
            caught: (0..graph.blocks.len()).map(|block| handles(block).then_some(0)).collect(),
            left: 0,
        },
        passed: Vec::new(),
    };
    for (edge, of) in graph.edges.iter().zip(&mut walked.truth.edges) {
        *of = of.filter(|_| !graph.blocks[edge.from].is_dead);
    }
    for (block, caught) in graph.blocks.iter().zip(&mut walked.truth.caught) {
        *caught = caught.filter(|_| !block.is_dead);
    }
    let mut at = None;
    for choice in choices {
        let number = at.unwrap_or_else(|| {
            walked.pass(Place::Entry, places);
            enter(0, &mut walked, places);
            0
        });
        let block = &graph.blocks[number];
        let edges = || block.edges.clone().filter(|&edge| !graph.edges[edge].kind.is_exception());
        let flows = edges().count() + usize::from(block.exit == Some(Exit::Return));
        let catchers = block.edges.clone().filter(|&edge| graph.edges[edge].kind.is_exception()).count();
        let ways = flows + if block.throws.is_some() { catchers + 1 } else { 0 };
        assert!(ways > 0, "{block:?} has a way out");
        let way = choice % ways;
        at = None;
        if way < edges().count() {
            let place = edges().nth(way).unwrap();
            walked.truth.edges[place] = walked.truth.edges[place].map(|count| count + 1);
            walked.pass(Place::Edge(place), places);
            at = Some(graph.edges[place].to);
            enter(graph.edges[place].to, &mut walked, places);
        } else if way < flows {
            walked.pass(Place::Return(number), places);
        } else {
            walked.truth.gone[number] += 1;
            // Each second time it comes from the `athrow`, if the block has one: that place was passed then.
            let is_last = block.throws == Some(block.last) || choice / ways % 2 == 0;
            if block.exit == Some(Exit::Throw) && is_last {
                walked.throw(number, places);
            }
            let caught =
                block.edges.clone().filter(|&edge| graph.edges[edge].kind.is_exception()).nth(way - flows);
            match caught.map(|edge| graph.edges[edge].to) {
                Some(handler) => {
                    walked.truth.caught[handler] = walked.truth.caught[handler].map(|count| count + 1);
                    at = Some(handler);
                    enter(handler, &mut walked, places);
                }
                None => walked.truth.left += 1,
            }
        }
    }
    // An activation that ends in a block that cannot throw would be missing there, so the walk goes on to a place where it can end.
    if let Some(number) = at {
        finish(graph, number, &mut walked, places);
    }
    walked
}

/// Ends a walk where it can: in a block that can throw, or by a return.
fn finish(graph: &Graph<'_>, from: usize, walked: &mut Walked, places: &[Place]) {
    // The shortest way to such a block.
    let mut ways = vec![None; graph.blocks.len()];
    let mut open = std::collections::VecDeque::from([from]);
    let mut end = None;
    while let Some(block) = open.pop_front() {
        if graph.blocks[block].throws.is_some() || graph.blocks[block].exit == Some(Exit::Return) {
            end = Some(block);
            break;
        }
        for place in graph.blocks[block].edges.clone().filter(|&edge| !graph.edges[edge].kind.is_exception())
        {
            let to = graph.edges[place].to;
            if ways[to].is_none() && to != from {
                ways[to] = Some(place);
                open.push_back(to);
            }
        }
    }
    let Some(end) = end else {
        // An endless loop that cannot throw: of this activation only its entry is known.
        walked.truth.left = i64::MIN;
        return;
    };
    let mut path = Vec::new();
    let mut at = end;
    while at != from {
        let place: usize = ways[at].unwrap();
        path.push(place);
        at = graph.edges[place].from;
    }
    for place in path.into_iter().rev() {
        walked.truth.edges[place] = walked.truth.edges[place].map(|count| count + 1);
        walked.pass(Place::Edge(place), places);
        enter(graph.edges[place].to, walked, places);
    }
    if graph.blocks[end].throws.is_some() {
        if graph.blocks[end].exit == Some(Exit::Throw) {
            walked.throw(end, places);
        }
        walked.truth.gone[end] += 1;
        walked.truth.left += 1;
    } else {
        walked.pass(Place::Return(end), places);
    }
}

fn enter(block: usize, walked: &mut Walked, places: &[Place]) {
    walked.truth.blocks[block] += 1;
    walked.pass(Place::Head(block), places);
}

/// Compares what flags say with what was done.
pub(super) fn compare_flags(graph: &Graph<'_>, choices: impl Iterator<Item = usize>) {
    let flags = Flags::of(graph);
    assert_eq!(flags.places().next(), Some(Place::Head(0)), "the first block has the first flag");
    let walked = walk(graph, &flags.places().collect::<Vec<_>>(), choices);
    let set: Vec<bool> = walked.values.iter().map(|value| *value > 0).collect();
    let returned = |(block, (runs, gone)): (&Block<'_>, (&i64, &i64))| {
        let tells = !block.is_dead && block.exit == Some(Exit::Return) && block.throws.is_some();
        tells.then_some(runs > gone)
    };
    let truth = Covered {
        returned: graph
            .blocks
            .iter()
            .zip(walked.truth.blocks.iter().zip(&walked.truth.gone))
            .map(returned)
            .collect(),
        blocks: walked.truth.blocks.iter().map(|count| *count > 0).collect(),
        edges: walked.truth.edges.iter().map(|count| count.map(|count| count > 0)).collect(),
    };
    if walked.truth.left != i64::MIN {
        assert_eq!(flags.solve(&set), Some(truth), "{flags:?} of {set:?}");
    }
}

/// Compares what counters say with what was done; the number of counters.
pub(super) fn compare(graph: &Graph<'_>, choices: impl Iterator<Item = usize>) -> usize {
    let counters = Counters::of(graph);
    assert_eq!(counters.places().next(), Some(Place::Entry), "the entry is the first counter");
    let walked = walk(graph, &counters.places().collect::<Vec<_>>(), choices);
    if walked.truth.left != i64::MIN {
        assert_eq!(counters.solve(&walked.values), Some(walked.truth), "{counters:?} of {:?}", walked.values);
    }
    counters.places().len()
}

#[test]
fn eight_flags_tell_what_of_the_papers_method_was_run() {
    let bytes = foo().bytes();
    with_graph(&bytes, |graph| {
        let flags = Flags::of(graph);
        let edge = |from, to| graph.edges.iter().position(|one| (one.from, one.to) == (from, to)).unwrap();
        let heads = (0..6).map(Place::Head);
        // Two ways lead to block 4, and both of their blocks have another way out: a branch, and an exception.
        let places = heads.chain([Place::Edge(edge(2, 4)), Place::Edge(edge(3, 4))]);
        assert_eq!(flags.places().collect::<Vec<_>>(), places.collect::<Vec<_>>());
        let covered = flags.solve(&[true, true, true, true, true, true, false, true]).unwrap();
        assert_eq!((covered.edges[edge(2, 4)], covered.edges[edge(2, 3)]), (Some(false), Some(true)));
        assert_eq!(flags.solve(&[true]), None, "as many values as flags");
    });
}

#[test]
fn four_counters_tell_all_of_the_papers_method() {
    let bytes = foo().bytes();
    with_graph(&bytes, |graph| {
        let counters = Counters::of(graph);
        let edge = |from, to| graph.edges.iter().position(|one| (one.from, one.to) == (from, to)).unwrap();
        let places: Vec<_> = counters.places().collect();
        assert_eq!(
            places,
            [Place::Entry, Place::Edge(edge(2, 4)), Place::Edge(edge(3, 4)), Place::Return(5)]
        );
        // 50 turns take the condition, 50 make the calls.
        let counts = counters.solve(&[1, 50, 50, 1]).unwrap();
        assert_eq!(counts.blocks, [1, 101, 100, 50, 100, 1]);
        assert_eq!(counts.gone, [0; 6]);
        // The tenth call of b throws, in the 60th turn.
        let counts = counters.solve(&[1, 50, 9, 0]).unwrap();
        assert_eq!(counts.blocks, [1, 60, 60, 10, 59, 0]);
        assert_eq!((counts.gone, counts.left), (vec![0, 0, 0, 1, 0, 0], 1));
        assert_eq!(counters.solve(&[1, 2, 3]), None, "as many values as counters");
    });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn counters_and_flags_tell_what_the_walk_did(
        steps in steps(),
        handlers in vec((any::<usize>(), any::<usize>(), any::<usize>(), prop::bool::weighted(0.3)), 0..5),
        choices in vec(any::<usize>(), 0..STEPS),
    ) {
        let bytes = class_of(steps, &handlers).bytes();
        with_graph(&bytes, |graph| {
            compare(graph, choices.iter().copied());
            compare_flags(graph, choices.into_iter());
        });
    }
}
