//! The checker finds each broken rule.

use super::shapes::graph;
use crate::{Drawing, Fault, Graph, Point, Way, draw, faults};

/// A loop with a long edge next to it, drawn.
fn drawn() -> (Graph, Drawing) {
    let edges = [(0, 1), (1, 2), (2, 1), (1, 3), (0, 3)].map(|(from, to)| (from, to, false));
    let graph = graph(4, &edges);
    let drawing = draw(&graph, false);
    (graph, drawing)
}

/// The faults after a change.
fn after(change: impl FnOnce(&mut Drawing)) -> Vec<Fault> {
    let (graph, mut drawing) = drawn();
    assert_eq!(faults(&graph, &drawing), []);
    change(&mut drawing);
    faults(&graph, &drawing)
}

#[test]
fn each_broken_rule_is_found() {
    assert_eq!(after(|drawing| drawing.lines.truncate(2)), [Fault::Missing]);
    let overlap = after(|drawing| drawing.places[2] = drawing.places[3]);
    assert!(
        overlap.contains(&Fault::Overlap(2, 3)) || overlap.contains(&Fault::Overlap(3, 2)),
        "{overlap:?}"
    );
    let through = after(|drawing| {
        let place = drawing.places[1];
        let middle = Point { x: place.x + place.width / 2, y: place.y + place.height / 2 };
        drawing.lines[4].points.insert(1, middle);
    });
    assert!(through.iter().any(|fault| matches!(fault, Fault::Through(4, _))), "{through:?}");
    let loose = after(|drawing| drawing.lines[0].points.truncate(1));
    assert!(loose.contains(&Fault::Loose(0)), "{loose:?}");
    assert!(after(|drawing| drawing.lines[2].way = Way::Down).contains(&Fault::NotDown(2)));
    assert!(after(|drawing| drawing.lines[0].way = Way::Own).contains(&Fault::NotDown(0)));
    assert!(after(|drawing| drawing.lines[3].way = Way::Back).contains(&Fault::NotBack(3)));
    assert!(after(|drawing| drawing.places[1].y = 0).contains(&Fault::AboveEntry(1)));
    assert!(after(|drawing| drawing.places[3].y -= 1).contains(&Fault::ExitAbove(3)));
    assert!(after(|drawing| drawing.width -= 1).contains(&Fault::Outside));
    assert_eq!(Fault::Through(4, 2).to_string(), "Through(4, 2)");
}
