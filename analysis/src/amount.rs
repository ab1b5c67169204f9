//! Numbers with what is known of them: exactly, or between two bounds.

/// A count that lies between two bounds; both are the same for an exact one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bounds {
    /// Its least possible value.
    pub least: u64,
    /// Its greatest possible value.
    pub most: u64,
}

/// A number as it is printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Figure {
    /// A count.
    Whole(u64),
    /// A ratio, a percentage or a density.
    Ratio(f64),
}

/// A value that was computed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Amount {
    /// Its bounds; both are the same for an exact value, and there are none for 0/0.
    pub found: Option<[Figure; 2]>,
    /// Why its bounds differ, or why there is no value.
    pub reasons: Vec<String>,
    /// Whether it is an estimate from samples.
    pub is_sampled: bool,
    /// Whether there is more than was counted, so that its upper bound does not hold.
    pub is_least: bool,
}

/// Half of the 95% interval of the normal distribution, in standard deviations.
const Z: f64 = 1.959_964;
/// The reason of values that do not exist.
const NOTHING: &str = "nothing to divide by: it is 0/0";
/// The reason of values that cannot be bounded.
const PERHAPS_NOTHING: &str = "it may be 0/0";

impl Bounds {
    /// An exact count.
    #[must_use]
    pub const fn exact(count: u64) -> Self {
        Self { least: count, most: count }
    }

    /// A count between two bounds.
    #[must_use]
    pub fn new(least: u64, most: u64) -> Self {
        Self { least: least.min(most), most }
    }

    /// One thing that is surely there, possibly, or not at all.
    #[must_use]
    pub fn one(surely: bool, possibly: bool) -> Self {
        Self { least: u64::from(surely), most: u64::from(surely || possibly) }
    }

    /// Whether it is known exactly.
    #[must_use]
    pub fn is_exact(self) -> bool {
        self.least == self.most
    }

    /// Adds another count.
    pub fn add(&mut self, other: Self) {
        *self = self.plus(other);
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { least: self.least.saturating_add(other.least), most: self.most.saturating_add(other.most) }
    }

    /// The rest of `self` without `part`, of which each thing is one of `self`.
    #[must_use]
    pub fn without(self, part: Self) -> Self {
        Self { least: self.least.saturating_sub(part.least), most: self.most.saturating_sub(part.most) }
    }

    /// Its difference from an exact count that is not less.
    #[must_use]
    pub fn missing_to(self, all: u64) -> Self {
        Self { least: all.saturating_sub(self.most), most: all.saturating_sub(self.least) }
    }
}

impl Figure {
    /// As a number.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Self::Whole(count) => count as f64,
            Self::Ratio(value) => value,
        }
    }
}

impl Amount {
    /// A count.
    #[must_use]
    pub fn count(count: Bounds) -> Self {
        Self { found: Some([Figure::Whole(count.least), Figure::Whole(count.most)]), ..Self::default() }
    }

    /// No value, with the reason.
    #[must_use]
    pub fn none(why: &str) -> Self {
        Self { reasons: vec![why.to_owned()], ..Self::default() }
    }

    /// `scale` times the share of things that are counted in `all` too. Each thing is surely there, or perhaps.
    #[must_use]
    pub fn share(part: Bounds, all: Bounds, scale: f64) -> Self {
        let others = all.without(part);
        let least = Self::quotient(part.least, part.least.saturating_add(others.most), scale);
        let most = Self::quotient(part.most, part.most.saturating_add(others.least), scale);
        Self::between(all, least, most)
    }

    /// `scale` times the ratio of things that are not counted in `of`.
    #[must_use]
    pub fn ratio(count: Bounds, of: Bounds, scale: f64) -> Self {
        Self::between(
            of,
            Self::quotient(count.least, of.most, scale),
            Self::quotient(count.most, of.least, scale),
        )
    }

    /// A ratio that is known not to be over `scale`.
    #[must_use]
    pub fn part(count: Bounds, of: Bounds, scale: f64) -> Self {
        let bounded = |value: Option<f64>| value.map(|value| value.min(scale));
        let most = bounded(Self::quotient(count.most, of.least, scale));
        Self::between(of, bounded(Self::quotient(count.least, of.most, scale)), most)
    }

    fn quotient(count: u64, of: u64, scale: f64) -> Option<f64> {
        (of > 0).then(|| count as f64 * scale / of as f64)
    }

    fn between(of: Bounds, least: Option<f64>, most: Option<f64>) -> Self {
        match (least, most) {
            (Some(least), Some(most)) => {
                Self { found: Some([Figure::Ratio(least), Figure::Ratio(most)]), ..Self::default() }
            }
            _ if of.most == 0 => Self::none(NOTHING),
            _ => Self::none(PERHAPS_NOTHING),
        }
    }

    /// Whether both bounds are the same, or there is no value.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.found.is_none_or(|[least, most]| least == most)
    }

    /// An estimate from samples, with its interval.
    #[must_use]
    pub fn sampled([least, most]: [f64; 2]) -> Self {
        Self { found: Some([Figure::Ratio(least), Figure::Ratio(most)]), is_sampled: true, ..Self::default() }
    }

    /// An estimate of a number of things from samples, with its bounds.
    #[must_use]
    pub fn sampled_count(count: Bounds) -> Self {
        Self { is_sampled: true, ..Self::count(count) }
    }

    /// Adds a reason.
    #[must_use]
    pub fn with_reason(mut self, why: &str) -> Self {
        self.reasons.push(why.to_owned());
        self
    }

    /// Names what is not among it.
    #[must_use]
    pub fn at_least(mut self, why: &str) -> Self {
        self.is_least = true;
        self.reasons.push(why.to_owned());
        self
    }

    /// Adds `why` as the reason if its bounds differ.
    #[must_use]
    pub fn because(mut self, why: &str) -> Self {
        if !self.is_exact() {
            self.reasons.push(why.to_owned());
        }
        self
    }
}

/// The 95% interval of a `share` that was found among `number` independent ones.
pub(crate) fn wilson(share: f64, number: f64) -> [f64; 2] {
    let middle = (share + Z * Z / (2.0 * number)) / (1.0 + Z * Z / number);
    let half = Z / (1.0 + Z * Z / number)
        * (share * (1.0 - share) / number + Z * Z / (4.0 * number * number)).sqrt();
    [(middle - half).clamp(0.0, share), (middle + half).clamp(share, 1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_exact_counts_are_exact() {
        let share = Amount::share(Bounds::exact(11), Bounds::exact(85), 1000.0);
        assert!(share.is_exact());
        assert!((share.found.unwrap()[0].value() - 129.411_764).abs() < 1e-5);
    }

    #[test]
    fn nothing_of_nothing_is_no_value() {
        let none = Amount::share(Bounds::exact(0), Bounds::exact(0), 1.0);
        assert_eq!((none.found, &*none.reasons), (None, &[NOTHING.to_owned()][..]));
        let perhaps = Amount::ratio(Bounds::exact(3), Bounds::new(0, 2), 1.0);
        assert_eq!(perhaps.reasons, [PERHAPS_NOTHING]);
    }

    #[test]
    fn a_share_has_the_bounds_of_what_is_in_it_and_of_the_rest() {
        // Of 10 to 12 things 2 to 3 are meant, so 8 to 9 are not.
        let share = Amount::share(Bounds::new(2, 3), Bounds::new(10, 12), 1.0);
        assert_eq!(share.found, Some([Figure::Ratio(2.0 / 11.0), Figure::Ratio(3.0 / 11.0)]));
        let part = Amount::part(Bounds::new(1, 9), Bounds::new(3, 5), 100.0);
        assert_eq!(part.found, Some([Figure::Ratio(20.0), Figure::Ratio(100.0)]));
        assert_eq!(part.because("so").reasons, ["so"]);
    }
}
