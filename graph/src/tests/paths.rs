//! Numbers of paths tell which blocks a walk has run.

use super::by_hand::foo;
use super::counting;
use super::random::{class_of, steps};
use super::shapes::with_graph;
use crate::block::Exit;
use crate::testing::TestClass;
use crate::{Begin, Cuts, EdgeKind, End, Ended, Graph, Path, PathCounters, Paths, Place, Register};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;

pub(super) const PLAIN: Cuts = Cuts { calls: false, loop_heads: false, most: 4096, keeps: false };

/// The register and what it should have counted.
struct Walker<'p> {
    paths: &'p Paths,
    register: i32,
    ended: Vec<u32>,
}

impl Walker<'_> {
    fn pass(&mut self, place: Place) {
        let Some(step) = self.paths.steps().get(&place) else { return };
        self.ended.extend(step.end.map(|end| match end {
            Ended::Known(number) => number,
            Ended::Sum(add) => self.register.wrapping_add(add) as u32,
        }));
        match step.register {
            Some(Register::Set(value)) => self.register = value,
            Some(Register::Add(value)) => self.register = self.register.wrapping_add(value),
            None => {}
        }
    }
}

/// Walks through the graph with exceptions, and compares what was counted with what was done. Each choice is a number: of the way out of
/// a block.
pub(super) fn compare(graph: &Graph<'_>, cuts: Cuts, choices: impl Iterator<Item = usize>) {
    let paths = Paths::of(graph, cuts);
    let handles = |block| graph.handlers.iter().any(|handler| handler.target == block);
    let mut walker = Walker { paths: &paths, register: 0x1234_5678, ended: Vec::new() };
    let mut walked: Option<(Begin, Vec<usize>, Vec<usize>)> = None;
    let mut ended = Vec::new();
    for choice in choices {
        let (begin, blocks, edges) = walked.take().unwrap_or_else(|| {
            walker.pass(Place::Entry);
            let begin = if handles(0) { Begin::Handler(0) } else { Begin::Entry };
            walker.pass(Place::Head(0));
            (begin, vec![0], Vec::new())
        });
        let number = *blocks.last().unwrap();
        if cuts.keeps {
            let prefix = paths.prefix(number, None, walker.register);
            assert_eq!(prefix, Some((begin, blocks.clone())), "{paths:?}");
        }
        let block = &graph.blocks[number];
        let flows: Vec<usize> =
            block.edges.clone().filter(|&edge| !graph.edges[edge].kind.is_exception()).collect();
        let caught: Vec<usize> =
            block.edges.clone().filter(|&edge| graph.edges[edge].kind.is_exception()).collect();
        let leaves = usize::from(block.exit.is_some());
        let ways = flows.len() + leaves + if block.throws.is_some() { caught.len() + 1 } else { 0 };
        let way = choice % ways;
        if let Some(&edge) = flows.get(way) {
            walker.pass(Place::Edge(edge));
            let to = graph.edges[edge].to;
            walker.pass(Place::Head(to));
            let is_end = paths.steps().get(&Place::Edge(edge)).is_some_and(|step| step.end.is_some());
            walked = Some(if is_end {
                ended.push(Path {
                    begin,
                    blocks,
                    edges,
                    end: end_on(edge, &paths, *walker.ended.last().unwrap()),
                });
                let begins: Vec<Begin> = paths.begins().map(|(begin, _)| begin).collect();
                let possible = [Begin::Handler(to), Begin::Loop(to), Begin::Merge(to)];
                let begin = possible.into_iter().find(|begin| begins.contains(begin)).expect("it is cut");
                (begin, vec![to], Vec::new())
            } else {
                (begin, [blocks, vec![to]].concat(), [edges, vec![edge]].concat())
            });
        } else if way < flows.len() + leaves {
            let (place, end) = match block.exit {
                Some(Exit::Throw) => (Place::Throw(number), End::Throw(number)),
                _ => (Place::Return(number), End::Return(number)),
            };
            walker.pass(place);
            ended.push(Path { begin, blocks, edges, end });
        } else if let Some(&edge) = caught.get(way - flows.len() - leaves) {
            let to = graph.edges[edge].to;
            walker.pass(Place::Head(to));
            walked = Some((Begin::Handler(to), vec![to], Vec::new()));
        }
    }
    let found: Vec<Path> = walker.ended.iter().map(|number| paths.path(*number).unwrap()).collect();
    assert_eq!(found, ended, "{paths:?}");
}

fn end_on(edge: usize, paths: &Paths, number: u32) -> End {
    let end = paths.path(number).unwrap().end;
    assert!([End::Loop(edge), End::Handler(edge), End::Merge(edge)].contains(&end), "{end:?}");
    end
}

/// All numbers are those of different paths, which follow the graph; what holds for the number of paths of any method.
pub(super) fn check(graph: &Graph<'_>, cuts: Cuts) -> u32 {
    let paths = Paths::of(graph, cuts);
    let mut seen = BTreeSet::new();
    for number in 0..paths.count() {
        let path = paths.path(number).unwrap();
        for (place, &edge) in path.edges.iter().enumerate() {
            let edge = &graph.edges[edge];
            assert_eq!((edge.from, edge.to), (path.blocks[place], path.blocks[place + 1]));
            assert!(!edge.kind.is_exception());
        }
        assert_eq!(path.blocks.len(), path.edges.len() + 1);
        assert!(
            path.blocks.iter().collect::<BTreeSet<_>>().len() == path.blocks.len(),
            "no block is there twice"
        );
        assert!(seen.insert((path.begin, path.edges, path.end)), "two paths are the same");
    }
    assert_eq!(paths.path(paths.count()), None);
    let calls: usize = graph.blocks.iter().map(|block| if cuts.calls { block.calls.len() } else { 0 }).sum();
    let bound = 2 * (graph.edges.len() + graph.blocks.len() + calls) + graph.handlers.len() + 1;
    assert!(paths.count() <= cuts.most || paths.count() as usize <= bound, "{} paths", paths.count());
    paths.count()
}

const KINDS: [Cuts; 6] = [
    PLAIN,
    Cuts { keeps: true, ..PLAIN },
    Cuts { most: 8, ..PLAIN },
    Cuts { most: 1, loop_heads: true, ..PLAIN },
    Cuts { most: 16, keeps: true, ..PLAIN },
    Cuts { calls: false, loop_heads: true, most: 4096, keeps: true },
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn numbers_tell_the_paths_of_a_walk(
        steps in steps(),
        handlers in vec((any::<usize>(), any::<usize>(), any::<usize>(), prop::bool::weighted(0.3)), 0..5),
        choices in vec(any::<usize>(), 0..300),
    ) {
        let bytes = class_of(steps, &handlers).bytes();
        with_graph(&bytes, |graph| {
            for cuts in KINDS {
                check(graph, cuts);
                compare(graph, cuts, choices.iter().copied());
            }
            check(graph, Cuts { calls: true, ..PLAIN });
        });
    }
}

#[test]
fn the_papers_method_has_six_paths() {
    with_graph(&foo().bytes(), |graph| {
        let paths = Paths::of(graph, PLAIN);
        let edge = |from, to| graph.edges.iter().position(|one| (one.from, one.to) == (from, to)).unwrap();
        let back = End::Loop(edge(4, 1));
        let all: Vec<_> = (0..paths.count())
            .map(|number| paths.path(number).unwrap())
            .map(|path| (path.begin, path.blocks, path.end))
            .collect();
        let (entry, turn) = (Begin::Entry, Begin::Loop(1));
        assert_eq!(
            all,
            [
                (entry, vec![0, 1, 5], End::Return(5)),
                (entry, vec![0, 1, 2, 4], back),
                (entry, vec![0, 1, 2, 3, 4], back),
                (turn, vec![1, 5], End::Return(5)),
                (turn, vec![1, 2, 4], back),
                (turn, vec![1, 2, 3, 4], back),
            ]
        );
        // A turn has two ways: one of them adds, and the end counts what the register has.
        let changes = |place: &Place| matches!(paths.steps()[place].register, Some(Register::Add(_)));
        assert_eq!(paths.steps().keys().filter(|place| changes(place)).count(), 1, "{:?}", paths.steps());
    });
}

#[test]
fn paths_end_at_calls_where_traces_want_it() {
    with_graph(&foo().bytes(), |graph| {
        let paths = Paths::of(graph, Cuts { calls: true, loop_heads: true, ..PLAIN });
        let calls: Vec<u32> = graph.blocks[3].calls.iter().map(|call| call.at).collect();
        let between = (0..paths.count())
            .map(|number| paths.path(number).unwrap())
            .find(|path| (path.begin, path.end) == (Begin::Call(calls[0]), End::Call(calls[1])));
        assert_eq!(between.map(|path| path.blocks), Some(vec![3]));
        assert!(paths.steps()[&Place::Call(calls[0])].end.is_some());
    });
}

/// `count` conditions one after the other, each with two ways: `iconst_0; ifeq +4; nop`.
fn diamonds(count: usize) -> TestClass {
    let mut code = [0x03, 0x99, 0, 4, 0x00].repeat(count);
    code.push(0xb1);
    TestClass::new(&code)
}

#[test]
fn a_method_with_two_to_the_twenty_paths_is_cut_until_there_are_few() {
    let counts =
        [20, 64, 2000].map(|count| with_graph(&diamonds(count).bytes(), |graph| check(graph, PLAIN)));
    assert!(counts[0] > 1000 && counts[0] <= 4096, "{counts:?}");
    assert!(counts[1] > 1000 && counts[1] <= 4096, "{counts:?}");
    // 2,000 conditions have 4,000 ways, all of which are counted apart at least.
    assert!(counts[2] >= 4000, "{counts:?}");
    with_graph(&diamonds(20).bytes(), |graph| {
        let all = Paths::of(graph, Cuts { most: 1 << 20, ..PLAIN });
        assert_eq!(all.count(), 1 << 20);
        compare(
            graph,
            Cuts { most: 1 << 20, keeps: true, ..PLAIN },
            (0..5000).map(|number: usize| number * number / 7),
        );
        let is_cut = |path: &Path| matches!(path.end, End::Merge(_));
        assert!(
            (0..4096).filter_map(|number| Paths::of(graph, PLAIN).path(number)).any(|path| is_cut(&path))
        );
    });
}

#[test]
fn a_method_whose_paths_are_known_by_their_ends_has_no_register() {
    // iconst_0; ifeq 6; nop; return; return
    with_graph(&TestClass::new(&[0x03, 0x99, 0, 5, 0x00, 0xb1, 0xb1]).bytes(), |graph| {
        assert_eq!(graph.edges.iter().filter(|edge| edge.kind == EdgeKind::Taken).count(), 1);
        let paths = Paths::of(graph, PLAIN);
        assert_eq!((paths.count(), paths.has_register()), (2, false));
        assert!(Paths::of(graph, Cuts { keeps: true, ..PLAIN }).has_register());
    });
}

#[test]
fn the_largest_code_is_numbered_soon() {
    with_graph(&diamonds(13_000).bytes(), |graph| {
        for cuts in [PLAIN, Cuts { most: 1 << 20, keeps: true, ..PLAIN }] {
            assert!(Paths::of(graph, cuts).count() >= 26_000);
        }
    });
}

/// Compares the counts of blocks that paths tell with the true ones of a walk.
fn compare_counts(graph: &Graph<'_>, choices: &[usize]) {
    let (passed, truth) = counting::passed(graph, choices.iter().copied());
    for with_edges in [false, true] {
        let counters = PathCounters::of(graph, with_edges);
        let mut values = vec![0_u64; counters.count()];
        let mut walker = Walker { paths: counters.paths(), register: 0, ended: Vec::new() };
        for place in &passed {
            counters.places().iter().position(|one| one == place).into_iter().for_each(|at| values[at] += 1);
            walker.pass(*place);
        }
        let first = counters.places().len();
        if counters.steps().is_empty() {
            assert_eq!(counters.count(), 1);
        } else {
            walker.ended.iter().for_each(|number| values[first + *number as usize] += 1);
        }
        let found = counters.solve(graph, &values).unwrap();
        assert_eq!(counters.solve(graph, &values[1..]), None);
        if truth.left == i64::MIN {
            continue;
        }
        if found.is_exact {
            assert_eq!(found.counts, truth, "{counters:?} of {values:?}");
        }
        for (least, most) in found.counts.blocks.iter().zip(&truth.blocks) {
            assert!(least <= most, "{counters:?} of {values:?}");
        }
        assert_eq!((found.counts.caught, found.counts.left), (truth.caught.clone(), truth.left));
        let ended: usize = found.ran.iter().map(|(_, count)| *count as usize).sum();
        assert!(found.unfinished.iter().all(|(_, count)| *count > 0) && ended <= passed.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn counts_of_blocks_follow_from_paths(
        steps in steps(),
        handlers in vec((any::<usize>(), any::<usize>(), any::<usize>(), prop::bool::weighted(0.3)), 0..5),
        choices in vec(any::<usize>(), 0..300),
    ) {
        with_graph(&class_of(steps, &handlers).bytes(), |graph| compare_counts(graph, &choices));
    }
}
