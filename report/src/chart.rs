//! Charts as SVG, drawn by plotters, in colours that the page's style sheet decides.

pub mod compact;
pub mod decisions;
pub mod detail;
pub mod distribution;
pub mod series;

use crate::figure::digits;
use maud::{Markup, PreEscaped, html};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::prelude::{
    ChartBuilder, Circle, Color, DrawingArea, DrawingAreaErrorKind, IntoDrawingArea, IntoFont, PathElement,
    Polygon, RGBColor, Ranged, Rectangle, SVGBackend,
};
use plotters::style::ShapeStyle;
use std::fmt::Write as _;

/// Size of a chart's coordinates: plotters rounds to whole ones, so a chart has twice the number of its
/// pixels on a page.
const WIDTH: u32 = 820;
const HEIGHT: u32 = 450;
/// Twice the height of a label.
const LETTERS: i32 = 23;

/// Meaning of a colour; the style sheet has a variable for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    Left,
    Right,
    Text,
    Grid,
    Discarded,
    Gc,
    Limit,
    Change,
}

impl Ink {
    const ALL: [Self; 8] = [
        Self::Left,
        Self::Right,
        Self::Text,
        Self::Grid,
        Self::Discarded,
        Self::Gc,
        Self::Limit,
        Self::Change,
    ];

    /// The ink's variable in the style sheet, and its class in legends.
    pub fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Text => "axis",
            Self::Grid => "grid",
            Self::Discarded => "discarded",
            Self::Gc => "gc",
            Self::Limit => "limit",
            Self::Change => "change",
        }
    }

    /// Colour that stands for the ink in plotters' output.
    fn colour(self) -> RGBColor {
        RGBColor(0, 0, 0xA0 + self as u8)
    }
}

/// One axis.
pub struct Axis<'a> {
    pub name: &'a str,
    pub range: (f64, f64),
    pub ticks: Vec<f64>,
    pub label: &'a dyn Fn(f64) -> String,
    pub scale: Scale,
}

/// Meaning of the positions on an axis, for the script that shows values at the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Nanoseconds.
    Ns,
    /// Decimal logarithms of nanoseconds.
    LogNs,
    /// Seconds.
    Seconds,
    /// Parts of 1, shown as percentages.
    Share,
    /// Whole numbers.
    Count,
    /// Binary logarithms of quotients.
    LogQuotient,
}

impl Scale {
    fn name(self) -> &'static str {
        match self {
            Self::Ns => "ns",
            Self::LogNs => "log-ns",
            Self::Seconds => "s",
            Self::Share => "share",
            Self::Count => "count",
            Self::LogQuotient => "log-quotient",
        }
    }
}

/// A mark of a chart.
pub enum Mark {
    Line(Ink, Vec<(f64, f64)>),
    /// A line that stays visible under another one.
    Wide(Ink, Vec<(f64, f64)>),
    /// A line with the space under it, down to 0.
    Area(Ink, Vec<(f64, f64)>),
    Dots(Ink, Vec<(f64, f64)>),
    Rings(Ink, Vec<(f64, f64)>),
    /// Start, end and height of each bar.
    Bars(Ink, Vec<(f64, f64, f64)>),
    /// A line across the chart at an x.
    Upright(Ink, f64),
    /// A line across the chart at a y.
    Level(Ink, f64),
}

/// Name of an axis of times, with the constants that multiply the sides' times.
pub fn times_name(what: &str, factors: impl Iterator<Item = f64>, logarithmic: bool) -> String {
    let scaled = |(side, factor): (&str, f64)| {
        (factor != 1.0).then(|| format!(", {} × of the {side}", digits(factor)))
    };
    let scaled: String = ["first", "second"].into_iter().zip(factors).filter_map(scaled).collect();
    format!("{what}{scaled}{}", if logarithmic { " (logarithmic)" } else { "" })
}

/// A chart with its caption. `legend` names the inks.
pub fn figure(
    title: &str,
    about: &str,
    legend: &[(Ink, String)],
    axes: [Axis<'_>; 2],
    marks: &[Mark],
) -> Markup {
    html! {
        figure {
            figcaption {
                strong { (title) }
                span.legend { @for (ink, text) in legend { span { i.(ink.name()) {} (text) } } }
            }
            (PreEscaped(svg(title, about, axes, marks)))
            p.about { (about) }
        }
    }
}

fn svg(title: &str, about: &str, axes: [Axis<'_>; 2], marks: &[Mark]) -> String {
    let mut drawn = String::new();
    let area = SVGBackend::with_string(&mut drawn, (WIDTH, HEIGHT)).into_drawing_area();
    let result = draw(&area, &axes, marks).and_then(|plot| area.present().map(|()| plot));
    drop(area);
    let plot = match result {
        Ok(plot) => plot,
        Err(error) => return html! { p { "This chart could not be drawn: " (error) } }.into_string(),
    };
    // The first line is the element's own tag, which needs a name for readers who cannot see the chart.
    let body = drawn.split_once('\n').map_or("", |(_, body)| body);
    let head = html! { title { (title) ". " (about) } };
    let pointed = pointed(&axes, plot);
    let mut text =
        format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\"{pointed} role=\"img\">{}", head.into_string());
    text.push_str(&coloured(body));
    text
}

/// Data from which the script finds the values at a place of the chart. Each axis has its scale, its start
/// and end in the chart's coordinates, and the values there.
fn pointed(axes: &[Axis<'_>; 2], (across, upwards): Plot) -> String {
    let [x, y] = axes;
    let of = |axis: &Axis<'_>, from: i32, to: i32| {
        format!("{} {from} {to} {} {}", axis.scale.name(), axis.range.0, axis.range.1)
    };
    format!(
        " data-x=\"{}\" data-y=\"{}\"",
        of(x, across.start, across.end),
        of(y, upwards.end, upwards.start)
    )
}

/// Area of the chart without labels: from left to right, and from top to bottom.
type Plot = (std::ops::Range<i32>, std::ops::Range<i32>);

/// Replaces the chart's colours by variables of the style sheet, and removes default attributes.
fn coloured(body: &str) -> String {
    let mut body = body
        .replace(" opacity=\"1\"", "")
        .replace(" stroke=\"none\" stroke-width=\"1\"", "")
        .replace('\n', "");
    for ink in Ink::ALL {
        let RGBColor(red, green, blue) = ink.colour();
        let mut colour = String::new();
        // Writing to a `String` cannot fail.
        let _ = write!(colour, "\"#{red:02X}{green:02X}{blue:02X}\"");
        body = body.replace(&colour, &format!("\"var(--{})\"", ink.name()));
    }
    let font = format!(" font-family=\"sans-serif\" font-size=\"{}\"", f64::from(LETTERS) / 1.24);
    joined(&body.replace(&font, ""))
}

/// Joins neighbouring dots of one look into one element: hundreds of elements would repeat the same
/// attributes.
fn joined(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find("<circle ") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some((mut path, look, after)) = dot(rest) else {
            out.push_str("<circle ");
            rest = &rest["<circle ".len()..];
            continue;
        };
        rest = after;
        while let Some((next, _, after)) = dot(rest).filter(|(_, of_next, _)| *of_next == look) {
            path.push_str(&next);
            rest = after;
        }
        // A point that is as wide as its round line is a dot; a circle without filling is drawn as a circle.
        let _ = match look.filling() {
            Some(fill) => write!(
                out,
                "<path d=\"{path}\" stroke={fill} stroke-width=\"{}\" stroke-linecap=\"round\"{}/>",
                2 * look.radius,
                look.opacity
            ),
            None => write!(out, "<path d=\"{path}\" {}/>", look.rest),
        };
    }
    out.push_str(rest);
    out
}

/// Common attributes of dots.
#[derive(Clone, Copy, Debug, PartialEq)]
struct DotLook<'a> {
    radius: u32,
    /// With its leading space, or nothing.
    opacity: &'a str,
    /// Filling and line.
    rest: &'a str,
}

impl<'a> DotLook<'a> {
    /// The colour of a filled dot, in quotation marks.
    fn filling(&self) -> Option<&'a str> {
        let fill = self.rest.strip_prefix("fill=")?.split(' ').next()?;
        (fill != "\"none\"").then_some(fill)
    }
}

/// The circle at the start of a text: its part of a path, its look, and the rest of the text.
fn dot(text: &str) -> Option<(String, DotLook<'_>, &str)> {
    let (attributes, after) = text.strip_prefix("<circle cx=\"")?.split_once("/>")?;
    let (x, attributes) = attributes.split_once("\" cy=\"")?;
    let (y, attributes) = attributes.split_once("\" r=\"")?;
    let (radius, rest) = attributes.split_once('"')?;
    let (opacity, rest) = match rest.find(" fill=") {
        Some(at) => (&rest[..at], rest[at..].trim_start()),
        None => return None,
    };
    let (x, y, radius): (i32, i32, u32) = (x.parse().ok()?, y.parse().ok()?, radius.parse().ok()?);
    let look = DotLook { radius, opacity, rest };
    let path = match look.filling() {
        Some(_) => format!("M{x} {y}h0"),
        None => format!(
            "M{} {y}a{radius} {radius} 0 1 0 {} 0a{radius} {radius} 0 1 0-{} 0",
            x - radius as i32,
            2 * radius,
            2 * radius
        ),
    };
    Some((path, look, after))
}

type Drawn<'a> =
    Result<Plot, DrawingAreaErrorKind<<SVGBackend<'a> as plotters::prelude::DrawingBackend>::ErrorType>>;

fn draw<'a>(area: &DrawingArea<SVGBackend<'a>, Shift>, [x, y]: &[Axis<'_>; 2], marks: &[Mark]) -> Drawn<'a> {
    let (width, low, high) = (2 * LETTERS, y.range.0, y.range.1);
    let longest = y.ticks.iter().map(|tick| (y.label)(*tick).chars().count()).max().unwrap_or(0) as i32;
    let mut chart = ChartBuilder::on(area)
        .margin_top(14)
        .margin_right(30)
        .x_label_area_size(3 * LETTERS)
        .y_label_area_size(width + longest * LETTERS * 3 / 5)
        .build_cartesian_2d(Ticked::of(x), Ticked::of(y))?;
    let letters = ("sans-serif", LETTERS).into_font().color(&Ink::Text.colour());
    chart
        .configure_mesh()
        .x_desc(x.name)
        .y_desc(y.name)
        .x_labels(x.ticks.len())
        .y_labels(y.ticks.len())
        .x_label_formatter(&|at| (x.label)(*at))
        .y_label_formatter(&|at| (y.label)(*at))
        .label_style(letters.clone())
        .axis_desc_style(letters)
        .axis_style(Ink::Grid.colour().stroke_width(2))
        .bold_line_style(Ink::Grid.colour().stroke_width(1))
        .light_line_style(Ink::Grid.colour().mix(0.0))
        .draw()?;
    for mark in marks {
        match mark {
            Mark::Line(ink, points) => {
                chart.draw_series([PathElement::new(points.clone(), line(*ink, 4))])?;
            }
            Mark::Wide(ink, points) => {
                chart.draw_series([PathElement::new(points.clone(), line(*ink, 12))])?;
            }
            Mark::Area(ink, points) => {
                let (Some(first), Some(last)) = (points.first(), points.last()) else { continue };
                let outline =
                    [(first.0, low)].into_iter().chain(points.iter().copied()).chain([(last.0, low)]);
                chart.draw_series([Polygon::new(
                    outline.collect::<Vec<_>>(),
                    ink.colour().mix(0.18).filled(),
                )])?;
                chart.draw_series([PathElement::new(points.clone(), line(*ink, 4))])?;
            }
            Mark::Dots(ink, points) => {
                let style = ink.colour().mix(0.65).filled();
                chart.draw_series(points.iter().map(|point| Circle::new(*point, 4, style)))?;
            }
            Mark::Rings(ink, points) => {
                chart.draw_series(points.iter().map(|point| Circle::new(*point, 5, line(*ink, 2))))?;
            }
            Mark::Bars(ink, bars) => {
                let bar = |(from, to, height): &(f64, f64, f64)| {
                    Rectangle::new([(*from, 0.0), (*to, *height)], ink.colour().mix(0.55).filled())
                };
                chart.draw_series(bars.iter().filter(|bar| bar.2 > 0.0).map(bar))?;
            }
            Mark::Upright(ink, at) => {
                chart.draw_series([PathElement::new(vec![(*at, low), (*at, high)], line(*ink, 3))])?;
            }
            Mark::Level(ink, at) => {
                chart.draw_series([PathElement::new(
                    vec![(x.range.0, *at), (x.range.1, *at)],
                    line(*ink, 3),
                )])?;
            }
        }
    }
    Ok(chart.plotting_area().get_pixel_range())
}

/// An axis with the ticks that we want, and no others.
struct Ticked {
    range: (f64, f64),
    ticks: Vec<f64>,
}

impl Ticked {
    fn of(axis: &Axis<'_>) -> Self {
        Self { range: axis.range, ticks: axis.ticks.clone() }
    }
}

impl Ranged for Ticked {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (begin, end): (i32, i32)) -> i32 {
        let (low, high) = self.range;
        begin + (f64::from(end - begin) * (value - low) / (high - low)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.range.0..self.range.1
    }
}

fn line(ink: Ink, width: u32) -> ShapeStyle {
    ink.colour().stroke_width(width)
}
