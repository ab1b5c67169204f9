//! A chart to SVG.

use crate::{Axis, Chart, Kind, Line};
use plotters::chart::{ChartContext, LabelAreaPosition, SeriesLabelPosition};
use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::{
    Cartesian2d, ChartBuilder, Circle, Color, DrawingArea, DrawingAreaErrorKind, IntoDrawingArea,
    IntoLogRange, LineSeries, PathElement, RGBColor, Ranged, SVGBackend, ShapeStyle, WHITE,
};

/// Width and height, in pixels.
const SIZE: (u32, u32) = (800, 400);
/// Distinct also with impaired colour vision: Okabe and Ito's palette (2008), without its yellow.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(136, 136, 136),
];
const MARK: RGBColor = RGBColor(120, 120, 120);

type Failure = DrawingAreaErrorKind<std::io::Error>;

/// Why there is no chart.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// There is nothing to show.
    #[error("{file}: there is no point that its axes can show")]
    Empty {
        /// Of the chart.
        file: String,
    },
    /// The plotting library's own.
    #[error("{file}: {why}")]
    Library {
        /// Of the chart.
        file: String,
        /// One line.
        why: String,
    },
}

/// The chart as the text of an SVG file.
///
/// # Errors
/// When there is no point to show, or the library refuses.
pub fn svg(chart: &Chart) -> Result<String, PlotError> {
    let empty = || PlotError::Empty { file: chart.file.clone() };
    let x = extent(&chart.x, chart.lines.iter().flat_map(|line| &line.points).map(|point| point.0));
    let y = extent(&chart.y, chart.lines.iter().flat_map(|line| &line.points).map(|point| point.1));
    let ((x0, x1), (y0, y1)) = (x.ok_or_else(empty)?, y.ok_or_else(empty)?);
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
    let drawn = match (chart.x.log, chart.y.log) {
        (false, false) => draw(chart, &area, x0..x1, y0..y1),
        (true, false) => draw(chart, &area, (x0..x1).log_scale(), y0..y1),
        (false, true) => draw(chart, &area, x0..x1, (y0..y1).log_scale()),
        (true, true) => draw(chart, &area, (x0..x1).log_scale(), (y0..y1).log_scale()),
    };
    drawn
        .and_then(|()| area.present())
        .map_err(|error| PlotError::Library { file: chart.file.clone(), why: error.to_string() })?;
    drop(area);
    Ok(text)
}

/// From where to where an axis reaches; from 0, or from the power of ten below all values, when nothing else is said.
fn extent(axis: &Axis, values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let shown = values.filter(|value| value.is_finite() && (!axis.log || *value > 0.0));
    let (least, most) = shown.map(|value| (value, value)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
    let most = axis.end.unwrap_or(most);
    if axis.log {
        let below = axis.start.unwrap_or_else(|| 10_f64.powf(least.log10().floor()));
        Some((below, 10_f64.powf(most.log10().ceil()).max(below * 10.0)))
    } else {
        let start = axis.start.unwrap_or(least.min(0.0));
        Some((start, start + (most - start).max(f64::MIN_POSITIVE) * 1.05))
    }
}

fn draw<'a, X, Y>(chart: &Chart, area: &DrawingArea<SVGBackend<'a>, Shift>, x: X, y: Y) -> Result<(), Failure>
where
    X: plotters::coord::ranged1d::AsRangedCoord<Value = f64>,
    Y: plotters::coord::ranged1d::AsRangedCoord<Value = f64>,
    X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    area.fill(&WHITE)?;
    let mut context = ChartBuilder::on(area)
        .caption(&chart.title, ("sans-serif", 18))
        .margin(12)
        .set_label_area_size(LabelAreaPosition::Left, 70)
        .set_label_area_size(LabelAreaPosition::Bottom, 42)
        .build_cartesian_2d(x, y)?;
    let x_tick = |value: &f64| tick(&chart.x, *value);
    let y_tick = |value: &f64| tick(&chart.y, *value);
    context
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc(&chart.x.label)
        .y_desc(&chart.y.label)
        .x_label_formatter(&x_tick)
        .y_label_formatter(&y_tick)
        .draw()?;
    let (low, high) = {
        let range = context.y_range();
        (range.start, range.end)
    };
    for &at in &chart.marks {
        context.draw_series([PathElement::new([(at, low), (at, high)], MARK.stroke_width(1))])?;
    }
    for (number, line) in chart.lines.iter().enumerate() {
        series(&mut context, line, COLOURS[number % COLOURS.len()])?;
    }
    context
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.8))
        .border_style(MARK)
        .draw()
}

fn series<X, Y>(
    context: &mut ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, Y>>,
    line: &Line,
    colour: RGBColor,
) -> Result<(), Failure>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let thin = colour.stroke_width(2);
    let dots = |size| {
        let style = ShapeStyle { filled: true, ..thin };
        line.points.iter().map(move |&point| Circle::new(point, size, style))
    };
    let annotation = match line.kind {
        Kind::Dots => context.draw_series(dots(2))?,
        Kind::Dotted => {
            context.draw_series(dots(3))?;
            context.draw_series(LineSeries::new(line.points.iter().copied(), thin))?
        }
        Kind::Steps => context.draw_series(LineSeries::new(steps(&line.points), thin))?,
        Kind::Line => context.draw_series(LineSeries::new(line.points.iter().copied(), thin))?,
    };
    annotation.label(&line.name).legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], thin));
    Ok(())
}

/// Corners of a line that keeps each value until the next.
fn steps(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::with_capacity(2 * points.len());
    for &(x, y) in points {
        if let Some(&(_, last)) = corners.last() {
            corners.push((x, last));
        }
        corners.push((x, y));
    }
    corners
}

/// The label of a tick.
fn tick(axis: &Axis, value: f64) -> String {
    if axis.names.is_empty() {
        return plain(value);
    }
    let named = axis.names.iter().zip(1_u32..).find(|(_, number)| (value - f64::from(*number)).abs() < 1e-6);
    named.map(|(name, _)| name.clone()).unwrap_or_default()
}

/// A tick's number without zeros that say nothing.
fn plain(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e5).contains(&value.abs()) {
        return format!("{value:e}");
    }
    // Steps between ticks are sums of binary fractions.
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(log: bool, points: &[(f64, f64)]) -> Chart {
        let axis =
            |label: &str| Axis { label: label.to_owned(), log, start: None, end: None, names: Vec::new() };
        Chart {
            file: "cost.svg".to_owned(),
            title: "Cost".to_owned(),
            x: axis("methods"),
            y: axis("seconds"),
            lines: vec![Line { name: "ours".to_owned(), kind: Kind::Dotted, points: points.to_vec() }],
            marks: vec![points.first().map_or(1.0, |point| point.0)],
        }
    }

    #[test]
    fn a_chart_shows_its_title_axes_lines_and_points() {
        for log in [false, true] {
            let text = svg(&chart(log, &[(1.0, 2.0), (10.0, 20.0), (100.0, 200.0)])).unwrap();
            for part in ["<svg", "Cost", "methods", "seconds", "ours", "<polyline"] {
                assert!(text.contains(part), "{part} is missing in {text}");
            }
            assert_eq!(text.matches("<circle").count(), 3);
        }
    }

    #[test]
    fn the_same_figures_give_the_same_bytes() {
        let chart = chart(false, &[(0.0, 1.0), (1.0, 3.0)]);
        assert_eq!(svg(&chart).unwrap(), svg(&chart).unwrap());
    }

    #[test]
    fn a_chart_of_nothing_is_an_error() {
        assert!(matches!(svg(&chart(false, &[])), Err(PlotError::Empty { .. })));
        assert!(matches!(svg(&chart(true, &[(0.0, -1.0)])), Err(PlotError::Empty { .. })));
        assert!(matches!(svg(&chart(false, &[(f64::NAN, f64::NAN)])), Err(PlotError::Empty { .. })));
    }

    #[test]
    fn steps_keep_a_value_until_the_next() {
        assert_eq!(steps(&[(0.0, 1.0), (2.0, 3.0)]), [(0.0, 1.0), (2.0, 1.0), (2.0, 3.0)]);
        assert_eq!(steps(&[]), []);
    }

    #[test]
    fn things_have_names() {
        let mut chart = chart(false, &[(1.0, 2.0), (2.0, 3.0)]);
        chart.x.names = vec!["first".to_owned(), "second".to_owned()];
        let text = svg(&chart).unwrap();
        assert!(text.contains("first") && text.contains("second"), "{text}");
        let texts = [0.0, 1.0, 1.5, 2.0, 3.0].map(|value| tick(&chart.x, value));
        assert_eq!(texts, ["", "first", "", "second", ""]);
    }

    #[test]
    fn ticks_have_no_needless_zeros() {
        let texts = [0.0, 0.5, 0.30000000000000004, 1500.0, 1e6, 2e-5].map(plain);
        assert_eq!(texts, ["0", "0.5", "0.3", "1500", "1e6", "2e-5"]);
    }
}
