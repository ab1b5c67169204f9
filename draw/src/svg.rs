//! A drawing as SVG.
//!
//! Elements have classes, and no style: the page around them has it, or [`document`].

use crate::drawing::{Drawing, Place};
use crate::graph::NoBox;
use crate::labels;
use crate::layout::draw;
use crate::path::path;
use crate::picture::{Arrow, Block, LINE, MARGIN, Picture, width};
use std::fmt::Write;

/// Room around a drawing, pixels: arrows and thick borders need some.
const ROOM: i32 = 6;
/// Height of a title above a drawing.
const TITLE: i32 = 28;
/// Style of a document: dark where the reader's system is.
const STYLE: &str = "
svg { color: #1b1f24; background: #fff; font: 11px ui-monospace, 'DejaVu Sans Mono', Menlo, monospace; }
.b rect { fill: #f6f8fa; stroke: currentColor; }
.b.dead rect { stroke-dasharray: 4 3; }
.e { fill: none; stroke: currentColor; }
.ma { fill: currentColor; }
.mx { fill: #b3261e; }
.x { stroke: #b3261e; stroke-dasharray: 5 3; }
text { fill: currentColor; }
.l { paint-order: stroke; stroke: #fff; stroke-width: 3px; }
.h { font-weight: bold; font-size: 13px; }
@media (prefers-color-scheme: dark) {
  svg { color: #e6e9ec; background: #14171a; }
  .b rect { fill: #22272c; }
  .mx { fill: #ff8a80; }
  .x { stroke: #ff8a80; }
  .l { stroke: #14171a; }
}
";

/// The forms of one drawing that a page switches between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// From left to right instead of down.
    pub is_flipped: bool,
    /// Straight lines instead of curves.
    pub is_straight: bool,
    /// Whether elements have the places of the other direction too, in attributes: `data-p` has the points of a line
    /// from its end on, `data-q` those of the other direction, `data-f` the place of a box or label there, and `data-v`
    /// of the root the other `viewBox`.
    pub has_both: bool,
}

/// Two drawings of a picture, the second one where both are wanted.
struct Drawn<'d> {
    picture: &'d Picture,
    drawing: Drawing,
    other: Option<Drawing>,
    labels: Vec<Option<Place>>,
    other_labels: Vec<Option<Place>>,
    choices: Choices,
}

impl<'d> Drawn<'d> {
    fn new(picture: &'d Picture, choices: Choices) -> Result<Self, NoBox> {
        let graph = picture.graph()?;
        let drawing = draw(&graph, choices.is_flipped);
        let other = choices.has_both.then(|| draw(&graph, !choices.is_flipped));
        let widths: Vec<i32> = picture.arrows.iter().map(|arrow| width(&arrow.label)).collect();
        let labels = labels::places(&drawing, &widths);
        let other_labels = other.as_ref().map(|other| labels::places(other, &widths)).unwrap_or_default();
        Ok(Self { picture, drawing, other, labels, other_labels, choices })
    }

    /// Content of the root element: lines, labels, then boxes.
    fn content(&self, marker: &str) -> String {
        let mut out = arrow_heads(marker);
        for number in 0..self.picture.arrows.len() {
            self.line(&mut out, number, marker);
        }
        for (number, arrow) in self.picture.arrows.iter().enumerate() {
            self.label(&mut out, number, arrow);
        }
        for (number, block) in self.picture.blocks.iter().enumerate() {
            self.block(&mut out, number, block);
        }
        out
    }

    fn line(&self, out: &mut String, number: usize, marker: &str) {
        let arrow = &self.picture.arrows[number];
        let dashed = if arrow.is_dashed { " x" } else { "" };
        let d = path(&self.drawing.lines[number], !self.choices.is_straight, self.choices.is_flipped);
        let _ = write!(
            out,
            "<path class=\"e{dashed}\" d=\"{d}\" stroke-width=\"{}.{}\" marker-start=\"url(#{marker}{})\"",
            arrow.thickness / 10,
            arrow.thickness % 10,
            if arrow.is_dashed { "x" } else { "a" },
        );
        if let Some(other) = &self.other {
            for (name, drawing) in [("p", &self.drawing), ("q", other)] {
                let points = drawing.lines[number].points.iter().rev();
                let points: Vec<String> = points.map(|point| format!("{} {}", point.x, point.y)).collect();
                let _ = write!(out, " data-{name}=\"{}\"", points.join(" "));
            }
        }
        attributes(out, &arrow.attributes);
        out.push('>');
        title(out, &arrow.title);
        out.push_str("</path>\n");
    }

    fn label(&self, out: &mut String, number: usize, arrow: &Arrow) {
        let (first, other) = (self.labels[number], self.other_labels.get(number).copied().flatten());
        let Some(place) = first.or(other).filter(|_| !arrow.label.is_empty()) else { return };
        let hidden = if first.is_none() { " none" } else { "" };
        let at = |place: Place| format!("{} {}", place.x, place.y + labels::HEIGHT - 2);
        let _ =
            write!(out, "<text class=\"l{hidden}\" transform=\"translate({})\" font-size=\"10\"", at(place));
        if self.other.is_some() {
            let _ = write!(out, " data-e=\"{number}\" data-p=\"{}\"", first.map(at).unwrap_or_default());
            let _ = write!(out, " data-q=\"{}\"", other.map(at).unwrap_or_default());
        }
        let _ = writeln!(out, ">{}</text>", escaped(&arrow.label));
    }

    fn block(&self, out: &mut String, number: usize, block: &Block) {
        let place = self.drawing.places[number];
        if let Some(link) = &block.link {
            let _ = write!(out, "<a href=\"{}\">", escaped(link));
        }
        let _ = write!(
            out,
            "<g class=\"b {}\" transform=\"translate({} {})\"",
            escaped(&block.classes),
            place.x,
            place.y
        );
        if let Some(other) = &self.other {
            let _ = write!(out, " data-p=\"{} {}\"", place.x, place.y);
            let _ = write!(out, " data-q=\"{} {}\"", other.places[number].x, other.places[number].y);
        }
        attributes(out, &block.attributes);
        out.push('>');
        title(out, &block.title);
        let round = if block.is_exit { 9 } else { 2 };
        let _ = write!(out, "<rect width=\"{}\" height=\"{}\" rx=\"{round}\"/>", place.width, place.height);
        if block.is_double {
            let _ = write!(
                out,
                "<rect class=\"in\" x=\"3\" y=\"3\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
                place.width - 6,
                place.height - 6,
                round - 1,
            );
        }
        for (text, line) in block.text.iter().zip(0..) {
            let y = MARGIN + LINE * line + LINE - 5;
            let _ = write!(out, "<text x=\"{MARGIN}\" y=\"{y}\">{}</text>", escaped(text));
        }
        out.push_str(if block.link.is_some() { "</g></a>\n" } else { "</g>\n" });
    }

    fn view(drawing: &Drawing) -> String {
        format!("{} {} {} {}", -ROOM, -ROOM, drawing.width + 2 * ROOM, drawing.height + 2 * ROOM)
    }
}

/// The element `svg` of a picture, for a page that has the style. `id` has to be unique in the page, a word without
/// special characters; `label` says to readers without eyes what is drawn.
///
/// # Errors
/// When an edge has an end without a box.
pub fn element(picture: &Picture, choices: Choices, id: &str, label: &str) -> Result<String, NoBox> {
    let drawn = Drawn::new(picture, choices)?;
    let (width, height) = (drawn.drawing.width + 2 * ROOM, drawn.drawing.height + 2 * ROOM);
    let both = drawn.other.as_ref().map(|other| format!(" data-v=\"{}\"", Drawn::view(other)));
    Ok(format!(
        "<svg id=\"{id}\" width=\"{width}\" height=\"{height}\" viewBox=\"{}\"{} role=\"group\" aria-label=\"{}\">\n{}</svg>\n",
        Drawn::view(&drawn.drawing),
        both.unwrap_or_default(),
        escaped(label),
        drawn.content(id),
    ))
}

/// A document with pictures below each other, each under its title.
///
/// # Errors
/// When an edge has an end without a box.
pub fn document(pictures: &[(String, Picture)], choices: Choices) -> Result<String, NoBox> {
    let (mut wide, mut high) = (0, 0);
    let mut content = String::new();
    for (name, picture) in pictures {
        let drawn = Drawn::new(picture, Choices { has_both: false, ..choices })?;
        let _ = write!(
            content,
            "<g transform=\"translate({ROOM} {})\">\n<text class=\"h\" y=\"-10\">{}</text>\n{}</g>\n",
            high + TITLE,
            escaped(name),
            drawn.content("m"),
        );
        // A title is set in larger and bold characters.
        wide = wide.max(drawn.drawing.width).max(width(name).saturating_mul(5) / 4);
        high = (high + TITLE + drawn.drawing.height).saturating_add(2 * ROOM);
    }
    let wide = wide.saturating_add(2 * ROOM);
    Ok(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" \
         height=\"{high}\" viewBox=\"0 0 {wide} {high}\">\n<style>{STYLE}</style>\n{content}</svg>\n",
    ))
}

/// The heads of arrows, of the colour of their lines.
fn arrow_heads(id: &str) -> String {
    let head = |kind: &str| {
        format!(
            "<marker id=\"{id}{kind}\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
             markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\"><path class=\"m{kind}\" d=\"M0 0L8 4L0 8z\"/></marker>"
        )
    };
    format!("<defs>{}{}</defs>\n", head("a"), head("x"))
}

fn attributes(out: &mut String, all: &[(&'static str, String)]) {
    for (name, value) in all {
        let _ = write!(out, " {name}=\"{}\"", escaped(value));
    }
}

fn title(out: &mut String, text: &str) {
    if !text.is_empty() {
        let _ = write!(out, "<title>{}</title>", escaped(text));
    }
}

/// A text for XML, in an element or an attribute. Characters that XML does not have, and ends of lines, become
/// others.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
