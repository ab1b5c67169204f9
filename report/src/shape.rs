//! The shape of a set of times, for charts.

/// Bars of a histogram.
pub const BARS: usize = 36;

/// Times on an axis, linear or, where they span more than a factor of [`Axis::WIDE`], logarithmic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// Least and largest position on the axis.
    pub range: (f64, f64),
    /// Whether positions are decimal logarithms of nanoseconds instead of nanoseconds.
    pub logarithmic: bool,
}

impl Axis {
    /// Ratio of the largest to the smallest time above which only a logarithmic axis shows both.
    const WIDE: f64 = 8.0;

    /// An axis that shows all of these times, nanoseconds; times of 0 are at 1 on a logarithmic one.
    pub fn of(times: impl Iterator<Item = f64> + Clone) -> Self {
        let least = times.clone().fold(f64::INFINITY, f64::min);
        let most = times.fold(0.0, f64::max);
        if !least.is_finite() {
            return Self { range: (0.0, 1.0), logarithmic: false };
        }
        let logarithmic = most > Self::WIDE * least.max(1.0);
        let (low, high) = if logarithmic { (least.max(1.0).log10(), most.log10()) } else { (least, most) };
        let margin = ((high - low) * 0.04).max(if logarithmic { 0.05 } else { 0.5 });
        let low = if logarithmic { low - margin } else { (low - margin).max(0.0) };
        Self { range: (low, high + margin), logarithmic }
    }

    /// The position of a time.
    pub fn at(&self, ns: f64) -> f64 {
        if self.logarithmic { ns.max(1.0).log10() } else { ns }
    }

    /// The time at a position.
    pub fn ns(&self, at: f64) -> f64 {
        if self.logarithmic { 10_f64.powf(at) } else { at }
    }

    /// At most `most` positions for labels: 1, 2 or 5 times a power of ten, or powers of ten alone.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        let (low, high) = self.range;
        if !self.logarithmic {
            return steps(low, high, most);
        }
        let inside = |digits: &[f64], every: i32| -> Vec<f64> {
            let decades =
                (low.floor() as i32..=high.ceil() as i32).filter(|decade| decade.rem_euclid(every) == 0);
            let ticks =
                decades.flat_map(|decade| digits.iter().map(move |digit| f64::from(decade) + digit.log10()));
            ticks.filter(|tick| (low..=high).contains(tick)).collect()
        };
        let choices =
            [inside(&[1.0, 2.0, 5.0], 1), inside(&[1.0, 3.0], 1), inside(&[1.0], 1), inside(&[1.0], 2)];
        choices.into_iter().find(|ticks| ticks.len() <= most).unwrap_or_else(|| inside(&[1.0], 3))
    }
}

/// At most `most` round numbers between two.
pub fn steps(low: f64, high: f64, most: usize) -> Vec<f64> {
    let span = high - low;
    if !(span > 0.0 && span.is_finite()) || most == 0 {
        return vec![low];
    }
    let rough = span / most as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let first = (low / step).ceil();
    (0..=most).map(|index| (first + index as f64) * step).filter(|tick| *tick <= high).collect()
}

/// The density of positions by a Gaussian kernel with Silverman's bandwidth (1986, equation 3.31), as points
/// of a curve over the range, under which the area is 1.
pub fn density(ascending: &[f64], range: (f64, f64), points: usize) -> Vec<(f64, f64)> {
    let n = ascending.len();
    if n < 2 {
        return Vec::new();
    }
    let mean = ascending.iter().sum::<f64>() / n as f64;
    let variance = ascending.iter().map(|at| (at - mean) * (at - mean)).sum::<f64>() / (n - 1) as f64;
    let quartiles = (quantile(ascending, 0.75) - quantile(ascending, 0.25)) / 1.34;
    let spread = if quartiles > 0.0 { variance.sqrt().min(quartiles) } else { variance.sqrt() };
    let (low, high) = range;
    let width = (0.9 * spread * (n as f64).powf(-0.2)).max((high - low) / points as f64);
    let curve = |index: usize| {
        let x = low + (high - low) * index as f64 / (points - 1) as f64;
        // Beyond four bandwidths a kernel adds nothing.
        let from = ascending.partition_point(|at| *at < x - 4.0 * width);
        let to = ascending.partition_point(|at| *at <= x + 4.0 * width);
        let kernel = |at: &f64| (-0.5 * ((x - at) / width).powi(2)).exp();
        let scale = n as f64 * width * (2.0 * std::f64::consts::PI).sqrt();
        (x, ascending[from..to].iter().map(kernel).sum::<f64>() / scale)
    };
    (0..points).map(curve).collect()
}

/// Number of positions in each of [`BARS`] equal parts of the range; positions beyond its end are left out.
pub fn histogram(ascending: &[f64], (low, high): (f64, f64)) -> Vec<u64> {
    let mut bars = vec![0; BARS];
    for at in ascending.iter().take_while(|at| **at <= high) {
        let bar = ((at - low) / (high - low) * BARS as f64).max(0.0) as usize;
        bars[bar.min(BARS - 1)] += 1;
    }
    bars
}

/// Points of the empirical distribution function up to `end`: at most `most`, evenly by their number of
/// values, and those of the `kept` shares in addition.
pub fn distribution(ascending: &[f64], most: usize, kept: &[f64], end: f64) -> Vec<(f64, f64)> {
    let n = ascending.len();
    let within = ascending.partition_point(|at| *at <= end);
    let shown = within.min(most);
    let even = (0..shown).map(|point| if shown > 1 { point * (within - 1) / (shown - 1) } else { 0 });
    let kept = kept.iter().map(|share| ((share * n as f64).ceil() as usize).saturating_sub(1));
    let mut drawn: Vec<usize> = even.chain(kept.filter(|index| *index < within)).collect();
    drawn.sort_unstable();
    drawn.dedup();
    drawn.into_iter().map(|index| (ascending[index], (index + 1) as f64 / n as f64)).collect()
}

/// The value below which a share of the ascending values lies, at least one value; 0 without values.
pub fn quantile(ascending: &[f64], share: f64) -> f64 {
    let index = (share * ascending.len() as f64).ceil() as usize;
    ascending.get(index.saturating_sub(1).min(ascending.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

/// At most `most` of the points in their order: the lowest and the highest of each run of neighbours, so that
/// no outlier is lost.
pub fn thinned<T: Clone>(points: &[T], most: usize, height: impl Fn(&T) -> f64) -> Vec<T> {
    if points.len() <= most {
        return points.to_vec();
    }
    let run = (2 * points.len()).div_ceil(most.max(2));
    let both = |run: &[T]| {
        let order = |a: &usize, b: &usize| height(&run[*a]).total_cmp(&height(&run[*b]));
        let least = (0..run.len()).min_by(order).unwrap_or(0);
        let largest = (0..run.len()).max_by(order).unwrap_or(0);
        let (first, second) = (least.min(largest), least.max(largest));
        if first == second { vec![run[first].clone()] } else { vec![run[first].clone(), run[second].clone()] }
    };
    points.chunks(run).flat_map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_show_all_times() {
        let narrow = Axis::of([100.0, 250.0].into_iter());
        assert!(!narrow.logarithmic && narrow.range.0 < 100.0 && narrow.range.1 > 250.0, "{narrow:?}");
        assert_eq!(narrow.ticks(4), [100.0, 150.0, 200.0, 250.0]);
        let wide = Axis::of([0.0, 42.0, 1e6].into_iter());
        assert!(wide.logarithmic && wide.at(0.0) >= wide.range.0, "{wide:?}");
        assert_eq!(wide.ticks(7), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let decade = Axis::of([50.0, 600.0].into_iter());
        let labels = decade.ticks(6).iter().map(|at| decade.ns(*at).round()).collect::<Vec<_>>();
        assert_eq!(labels, [50.0, 100.0, 200.0, 500.0]);
        assert_eq!(Axis::of([].into_iter()).range, (0.0, 1.0));
    }

    #[test]
    fn a_density_is_one_in_all_and_highest_where_most_is() {
        let mut times: Vec<f64> = (0..400).map(|i| 100.0 + f64::from(i * 37 % 41)).collect();
        times.sort_by(f64::total_cmp);
        let curve = density(&times, (50.0, 200.0), 160);
        let area: f64 = curve.windows(2).map(|two| (two[1].0 - two[0].0) * two[0].1).sum();
        assert!((area - 1.0).abs() < 0.01, "{area}");
        assert!(curve.iter().all(|(x, y)| *y < 1e-3 || (90.0..=150.0).contains(x)));
        assert!(density(&[5.0], (0.0, 10.0), 160).is_empty());
        assert_eq!(histogram(&times, (100.0, 141.0)).iter().sum::<u64>(), 400);
    }

    #[test]
    fn thinning_keeps_the_extremes() {
        let points: Vec<f64> =
            (0..10_000).map(|i| if i == 5_003 { 1e9 } else { f64::from(i % 100) }).collect();
        let few = thinned(&points, 300, |point| *point);
        assert!(few.len() <= 300 && few.contains(&1e9) && few.contains(&0.0), "{}", few.len());
        assert_eq!(thinned(&points[..5], 300, |point| *point), points[..5]);
    }

    #[test]
    fn a_distribution_ends_at_one() {
        let ascending: Vec<f64> = (1..=1000).map(f64::from).collect();
        let points = distribution(&ascending, 100, &[], f64::INFINITY);
        assert_eq!((points.len(), points[99]), (100, (1000.0, 1.0)));
        // A coarse curve still goes through the percentiles and to the longest call.
        let coarse = distribution(&ascending, 4, &[0.5, 0.99, 0.999], f64::INFINITY);
        let at = |share: f64| coarse.iter().find(|point| point.1 == share).map(|point| point.0);
        assert_eq!([0.5, 0.99, 0.999, 1.0].map(at), [500.0, 990.0, 999.0, 1000.0].map(Some), "{coarse:?}");
        assert_eq!(
            (quantile(&ascending, 0.99), quantile(&ascending, 0.5), quantile(&[], 0.5)),
            (990.0, 500.0, 0.0)
        );
        assert_eq!(distribution(&[7.0], 100, &[], 7.0), [(7.0, 1.0)]);
    }
}
