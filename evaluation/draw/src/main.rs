//! Draws the graph of every method of a JDK or of JARs, checks the drawings, and compares some with those of Graphviz.
#![forbid(unsafe_code)]

mod graphviz;
mod measure;

use clap::Parser;
use graphviz::Likeness;
use measure::Measured;
use spl_classes::{Catalogue, Jdk};
use spl_classfile::class::ClassFile;
use spl_draw::{Arrow, Block, Drawing, Graph, Picture, draw, faults};
use spl_graph::forms;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Draws graphs, checks and compares them.
#[derive(Debug, Parser)]
struct Options {
    /// Home of a JDK whose classes are drawn.
    #[arg(long)]
    jdk: Option<PathBuf>,
    /// Archives and folders whose classes are drawn.
    #[arg(long = "classpath", value_delimiter = ':')]
    class_path: Vec<PathBuf>,
    /// Most blocks of a method that is checked.
    #[arg(long, default_value_t = 300)]
    most: usize,
    /// Least blocks of a method that is compared.
    #[arg(long, default_value_t = 5)]
    least: usize,
    /// One in this number of the methods with enough blocks is compared with Graphviz; 0 compares none.
    #[arg(long, default_value_t = 0)]
    sample: usize,
    /// Number of times that each method is drawn, to see whether the drawing is the same; the least time counts.
    #[arg(long, default_value_t = 1)]
    times: usize,
}

/// Results so far.
#[derive(Default)]
struct Found {
    methods: usize,
    faulty: usize,
    different: usize,
    larger: usize,
    blocks: usize,
    took: Duration,
    slowest: (Duration, String, usize),
    met: usize,
    rows: Vec<Row>,
}

/// A method that was compared.
struct Row {
    blocks: usize,
    ours: Figures,
    dot: Figures,
    near: Figures,
    bound: Figures,
}

/// Crossings and area of a drawing.
#[derive(Clone, Copy)]
struct Figures {
    crossings: usize,
    /// Crossings of edges that have no box in common.
    apart: usize,
    area: f64,
}

impl From<Measured> for Figures {
    fn from(measured: Measured) -> Self {
        let pairs = measured.crossings();
        let is_apart = |(one, other): &&(usize, usize)| {
            let (one, other) = (measured.ends[*one], measured.ends[*other]);
            [other.0, other.1].iter().all(|item| ![one.0, one.1].contains(item))
        };
        Self { crossings: pairs.len(), apart: pairs.iter().filter(is_apart).count(), area: measured.area }
    }
}

fn main() -> ExitCode {
    let options = Options::parse();
    let jdk = options
        .jdk
        .as_deref()
        .map(Jdk::at)
        .or_else(|| options.class_path.is_empty().then(Jdk::installed).flatten());
    let mut catalogue = Catalogue::open(&options.class_path, jdk.as_ref());
    let mut found = Found::default();
    for name in catalogue.names() {
        if catalogue.is_of_jdk(&name) != options.class_path.is_empty() {
            continue;
        }
        let Some(bytes) = catalogue.bytes(&name) else { continue };
        let Ok(class) = ClassFile::read(&bytes) else { continue };
        for method in &class.methods {
            let Ok(graph) = spl_graph::Graph::of(&class, method) else { continue };
            if let Err(error) = found.method(&graph, &options) {
                eprintln!("spl-drawn: {error}");
                return ExitCode::from(2);
            }
        }
    }
    found.print(&options);
    if found.faulty + found.different > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The boxes and edges that `spl cfg --as svg` draws.
fn picture(graph: &spl_graph::Graph<'_>) -> Picture {
    let block = |number: usize| Block {
        text: forms::box_lines(graph, number),
        is_exit: graph.blocks[number].exit == Some(spl_graph::Exit::Return),
        ..Block::default()
    };
    let arrow = |edge: &spl_graph::Edge| Arrow {
        from: edge.from,
        to: edge.to,
        is_dashed: edge.kind.is_exception(),
        ..Arrow::default()
    };
    Picture {
        blocks: (0..graph.blocks.len()).map(block).collect(),
        arrows: graph.edges.iter().map(arrow).collect(),
    }
}

fn measured(graph: &Graph, drawing: &Drawing) -> Measured {
    let line = |line: &spl_draw::Line| {
        line.points.iter().map(|point| (f64::from(point.x), f64::from(point.y))).collect()
    };
    Measured {
        lines: drawing.lines.iter().map(line).collect(),
        ends: graph.edges().iter().map(|edge| (edge.from, edge.to)).collect(),
        area: f64::from(drawing.width) * f64::from(drawing.height),
    }
}

impl Found {
    fn method(&mut self, graph: &spl_graph::Graph<'_>, options: &Options) -> std::io::Result<()> {
        if graph.blocks.len() > options.most {
            self.larger += 1;
            return Ok(());
        }
        let drawn = picture(graph).graph().map_err(std::io::Error::other)?;
        let timed = || {
            let begin = Instant::now();
            let drawing = draw(&drawn, false);
            (begin.elapsed(), drawing)
        };
        let (mut took, drawing) = timed();
        // The least time is the one with the fewest interruptions.
        for (again, other) in (1..options.times).map(|_| timed()) {
            took = took.min(again);
            self.different += usize::from(other != drawing);
        }
        self.methods += 1;
        self.blocks += graph.blocks.len();
        self.took += took;
        if took > self.slowest.0 {
            self.slowest = (took, forms::method_name(graph), graph.blocks.len());
        }
        let flipped = draw(&drawn, true);
        for (way, drawing) in [("down", &drawing), ("flipped", &flipped)] {
            let faults = faults(&drawn, drawing);
            if !faults.is_empty() {
                self.faulty += 1;
                println!("{} {way}: {faults:?}", forms::method_name(graph));
            }
        }
        if graph.blocks.len() >= options.least && options.sample > 0 {
            self.met += 1;
            if self.met.is_multiple_of(options.sample) {
                self.compare(&drawn, &drawing)?;
            }
        }
        Ok(())
    }

    fn compare(&mut self, graph: &Graph, drawing: &Drawing) -> std::io::Result<()> {
        self.rows.push(Row {
            blocks: graph.sizes().len(),
            ours: measured(graph, drawing).into(),
            dot: graphviz::drawn(graph, Likeness::None)?.into(),
            near: graphviz::drawn(graph, Likeness::Distances)?.into(),
            bound: graphviz::drawn(graph, Likeness::Exits)?.into(),
        });
        Ok(())
    }

    fn print(&self, options: &Options) {
        println!(
            "{} methods up to {} blocks, {} blocks; {} methods have more",
            self.methods, options.most, self.blocks, self.larger
        );
        println!(
            "{} drawings with faults, {} drawings that differ from an earlier one",
            self.faulty, self.different
        );
        let (slowest, name, blocks) = &self.slowest;
        println!(
            "drawing took {:.1} s, at most {:.1} ms: {name}, {blocks} blocks",
            self.took.as_secs_f64(),
            slowest.as_secs_f64() * 1e3
        );
        if self.rows.is_empty() {
            return;
        }
        for (name, of) in [
            ("dot", (|row| row.dot) as fn(&Row) -> Figures),
            ("dot with our distances", |row| row.near),
            ("dot with our distances and exits at the bottom", |row| row.bound),
        ] {
            let larger = [10, 30, 100].into_iter().filter(|least| *least > options.least);
            for least in std::iter::once(options.least).chain(larger) {
                self.ratios(name, least, of);
            }
        }
    }

    fn ratios(&self, name: &str, least: usize, of: fn(&Row) -> Figures) {
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.blocks >= least).collect();
        if rows.is_empty() {
            return;
        }
        let area = median(rows.iter().map(|row| row.ours.area / of(row).area).collect());
        println!("{name}, {} methods from {least} blocks: median of areas {area:.2}", rows.len());
        let kinds = [
            ("crossings", (|one| one.crossings) as fn(Figures) -> usize),
            ("crossings of edges without a common box", |one| one.apart),
        ];
        for (what, count) in kinds {
            let both = rows.iter().map(|row| (count(row.ours), count(of(row))));
            let ratio = |(ours, theirs): (usize, usize)| match (ours, theirs) {
                // Where neither has crossings, both have the same number.
                (0, 0) => 1.0,
                _ => ours as f64 / theirs as f64,
            };
            let any: Vec<f64> = both.clone().filter(|both| *both != (0, 0)).map(ratio).collect();
            let sums = both.clone().fold((0, 0), |sum, both| (sum.0 + both.0, sum.1 + both.1));
            println!(
                "  {what}: median {:.2}; {:.2} of the {} methods with any; {} to {} in all",
                median(both.map(ratio).collect()),
                median(any.clone()),
                any.len(),
                sums.0,
                sums.1,
            );
        }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
