//! Shapes that break layouts, and random ones.

use crate::{Drawing, Edge, Form, Graph, Size, Way, draw, faults};

/// A graph of boxes of several sizes; edges `from, to, is_second`; exits are boxes without edges out.
pub(super) fn graph(count: usize, edges: &[(usize, usize, bool)]) -> Graph {
    let goes_on = |item: usize| edges.iter().any(|edge| edge.0 == item);
    let size = |item: usize| Size {
        width: 60 + (item * 37 % 90) as i32,
        height: 20 + (item * 13 % 40) as i32,
        is_exit: !goes_on(item),
    };
    let edge = |&(from, to, is_second): &(usize, usize, bool)| Edge { from, to, is_second };
    Graph::new((0..count).map(size).collect(), edges.iter().map(edge).collect()).unwrap()
}

/// Draws in both directions, checks both drawings, and gives the upright one.
fn check(graph: &Graph) -> Drawing {
    let drawing = draw(graph, false);
    assert_eq!(faults(graph, &drawing), []);
    assert_eq!(draw(graph, false), drawing);
    let flipped = draw(graph, true);
    assert!(flipped.is_flipped && !drawing.is_flipped);
    assert_eq!(faults(graph, &flipped), []);
    drawing
}

fn plain(count: usize, edges: &[(usize, usize)]) -> Graph {
    let edges: Vec<_> = edges.iter().map(|&(from, to)| (from, to, false)).collect();
    graph(count, &edges)
}

#[test]
fn small_shapes_keep_the_rules() {
    let shapes: &[(usize, &[(usize, usize)])] = &[
        (0, &[]),
        (1, &[]),
        // An edge to itself, of the entry and of another box.
        (1, &[(0, 0)]),
        (2, &[(0, 1), (1, 1)]),
        // The entry is the head of a loop.
        (3, &[(0, 1), (1, 0), (1, 2)]),
        // No exit.
        (2, &[(0, 1), (1, 0)]),
        // A loop with two entries.
        (4, &[(0, 1), (0, 2), (1, 2), (2, 1), (2, 3)]),
        // Loops in loops with a common head, and several ways back.
        (7, &[(0, 1), (1, 2), (2, 3), (3, 1), (3, 2), (2, 4), (4, 5), (5, 1), (5, 0), (4, 6)]),
        // Boxes that no path leads to, one of them in front of the entry, one in a circle.
        (6, &[(0, 1), (2, 0), (2, 1), (3, 4), (4, 3), (4, 1), (5, 5)]),
        // Two edges with the same ends.
        (2, &[(0, 1), (0, 1), (1, 0), (1, 0)]),
    ];
    for (count, edges) in shapes {
        check(&plain(*count, edges));
    }
}

#[test]
fn edges_lie_as_the_loops_say() {
    let drawing = check(&plain(4, &[(0, 1), (1, 2), (2, 1), (2, 2), (1, 3)]));
    let ways: Vec<Way> = drawing.lines.iter().map(|line| line.way).collect();
    assert_eq!(ways, [Way::Down, Way::Down, Way::Back, Way::Own, Way::Down]);
    // The exit is as low as the body of the loop, although an edge from above leads there.
    assert_eq!(drawing.places[3].y, drawing.places[2].y);
}

#[test]
fn a_switch_of_500_ways_and_a_chain_keep_the_rules() {
    let ways: Vec<_> = (1..=500).flat_map(|way| [(0, way), (way, 501)]).collect();
    let drawing = check(&plain(502, &ways));
    assert!(drawing.places[1..=500].windows(2).all(|pair| pair[0].y == pair[1].y));
    let chain: Vec<_> = (1..1999).map(|item| (item - 1, item)).collect();
    assert_eq!(check(&plain(1999, &chain)).form, Form::Layers);
}

#[test]
fn exceptions_of_200_boxes_to_one_handler_keep_the_rules() {
    let mut edges: Vec<_> = (0..199).map(|item| (item, item + 1, false)).collect();
    edges.extend((0..200).map(|item| (item, 200, true)));
    edges.push((200, 50, false));
    // A handler that covers itself, as that of `synchronized`.
    edges.push((200, 200, true));
    let drawing = check(&graph(201, &edges));
    // Lines to one box that join need little room.
    assert!(drawing.width < 500, "{}", drawing.width);
}

#[test]
fn many_boxes_stand_in_a_column() {
    let mut edges: Vec<_> = (1..3000).map(|item| (item - 1, item, false)).collect();
    edges.extend((0..3000).step_by(7).map(|item| (item, 2990, true)));
    edges.extend((100..3000).step_by(50).map(|item| (item, item - 100, false)));
    edges.extend([(5, 5, false), (10, 3001, false)]);
    let drawing = check(&graph(3002, &edges));
    assert_eq!(drawing.form, Form::Column);
    assert_eq!(drawing.places[0].y, 0);
    // The box 3000 has no edge at all.
    assert!(drawing.places[3001].y > drawing.places[2990].y);
}

#[test]
fn graphs_with_too_many_long_edges_stand_in_a_column() {
    let count = 1500;
    let mut edges: Vec<_> = (1..count).map(|item| (item - 1, item, false)).collect();
    edges.extend((0..count - 300).map(|item| (item, item + 300, false)));
    let drawing = check(&graph(count, &edges));
    assert_eq!(drawing.form, Form::Column);
}

#[test]
fn random_graphs_keep_the_rules() {
    let mut state = 1_u64;
    let mut choice = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..120 {
        let count = 1 + choice(40);
        let edges: Vec<_> = (0..choice(90)).map(|_| (choice(count), choice(count), choice(4) == 0)).collect();
        check(&graph(count, &edges));
    }
}

#[test]
fn an_edge_without_a_box_is_refused() {
    let size = Size { width: -5, height: i32::MAX, is_exit: false };
    let edge = |from, to| Edge { from, to, is_second: false };
    let error = Graph::new(vec![size], vec![edge(0, 0), edge(0, 1)]).unwrap_err();
    assert_eq!(error.to_string(), "edge 1 has an end without a box");
    let bounded = Graph::new(vec![size], Vec::new()).unwrap();
    assert_eq!((bounded.sizes()[0].width, bounded.sizes()[0].height), (1, crate::LARGEST));
    check(&bounded);
}
