//! Graphviz as the measure: the same graph with the same sizes, drawn by `dot`.

use crate::measure::Measured;
use spl_draw::Graph;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};

/// Points of a curve's piece when it is made of straight ones.
const PARTS: u32 = 12;
/// Points of an inch.
const INCH: f64 = 72.0;

/// Properties that the drawing of `dot` has in common with ours, apart from the sizes of the boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// Nothing more.
    None,
    /// Distances of boxes and layers: 16 and 32 pixels.
    Distances,
    /// The distances, and exits without an edge in the last layer.
    Exits,
}

/// The graph in the language of `dot`; a pixel is a point.
fn language(graph: &Graph, likeness: Likeness) -> String {
    let mut out = "digraph g {\nnode [shape=box, fixedsize=true, label=\"\"];\n".to_owned();
    if likeness != Likeness::None {
        let _ = writeln!(out, "graph [nodesep={:.4}, ranksep={:.4}];", 16.0 / INCH, 32.0 / INCH);
    }
    for (number, size) in graph.sizes().iter().enumerate() {
        let (width, height) = (f64::from(size.width) / INCH, f64::from(size.height) / INCH);
        let _ = writeln!(out, "{number} [width={width:.5}, height={height:.5}];");
    }
    for edge in graph.edges() {
        let _ = writeln!(out, "{} -> {};", edge.from, edge.to);
    }
    let goes_on = |item: usize| graph.edges().iter().any(|edge| edge.from == item);
    let exits = (1..graph.sizes().len()).filter(|&item| graph.sizes()[item].is_exit && !goes_on(item));
    let exits: String = exits.map(|item| format!("{item}; ")).collect();
    if likeness == Likeness::Exits && !exits.is_empty() {
        let _ = writeln!(out, "{{rank=max; {exits}}}");
    }
    out + "}\n"
}

/// The drawing that `dot` makes.
///
/// # Errors
/// When it cannot be run.
pub fn drawn(graph: &Graph, likeness: Likeness) -> io::Result<Measured> {
    let mut child =
        Command::new("dot").arg("-Tplain").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = child.stdin.take().ok_or_else(|| io::Error::other("no input of dot"))?;
    let text = language(graph, likeness);
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output()?;
    writer.join().map_err(|_| io::Error::other("the input of dot was not written"))??;
    // A long line ends with a backslash where it goes on.
    let text = String::from_utf8_lossy(&output.stdout).replace("\\\n", "");
    read(&text).ok_or_else(|| io::Error::other("dot has no drawing"))
}

/// Reads the form `plain` (Graphviz's manual, Output Formats).
fn read(text: &str) -> Option<Measured> {
    // Edges come in another order than they were written.
    let mut measured = Measured { lines: Vec::new(), ends: Vec::new(), area: 0.0 };
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<f64>().ok());
        match words.first() {
            Some(&"graph") => measured.area = number(2)? * number(3)? * INCH * INCH,
            Some(&"edge") => {
                let count = number(3)? as usize;
                let point = |at: usize| Some((number(4 + 2 * at)? * INCH, number(5 + 2 * at)? * INCH));
                let points = (0..count).map(point).collect::<Option<Vec<_>>>()?;
                measured.lines.push(flat(&points));
                measured.ends.push((number(1)? as usize, number(2)? as usize));
            }
            _ => {}
        }
    }
    Some(measured)
}

/// Pieces of Bézier curves as straight pieces.
fn flat(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut out: Vec<(f64, f64)> = points.first().copied().into_iter().collect();
    for at in (0..points.len().saturating_sub(1)).step_by(3) {
        let Some(&[a, b, c, d]) = points.get(at..at + 4).and_then(|four| four.first_chunk()) else { break };
        for part in 1..=PARTS {
            let t = f64::from(part) / f64::from(PARTS);
            let mix = |a: f64, b: f64, c: f64, d: f64| {
                let s = 1.0 - t;
                s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
            };
            out.push((mix(a.0, b.0, c.0, d.0), mix(a.1, b.1, c.1, d.1)));
        }
    }
    out
}
