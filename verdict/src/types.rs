//! Result of an evaluation: verdict, basis and figures of both sides, or the reason for none.

use spl_model::Bucket;
use spl_stats::{Ratio, Welch};
use std::fmt;
use std::str::FromStr;

/// Basis of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Basis {
    /// The data show that the comparison holds, with the error limit of the test.
    Proved,
    /// The comparison holds because the data do not show the contrary.
    NotRefuted,
    /// The data show that the comparison does not hold.
    Refuted,
    /// The comparison fails because the data do not show that it holds.
    NotProved,
}

impl Basis {
    /// Every basis, in the order of declaration.
    pub const ALL: [Self; 4] = [Self::Proved, Self::NotRefuted, Self::Refuted, Self::NotProved];

    /// Whether a comparison with this basis holds.
    #[must_use]
    pub fn holds(self) -> bool {
        matches!(self, Self::Proved | Self::NotRefuted)
    }

    /// Whether the data decided: proved or refuted. The other bases are undecided inside formulas.
    #[must_use]
    pub fn is_strong(self) -> bool {
        matches!(self, Self::Proved | Self::Refuted)
    }
}

/// `proved`, `not-refuted`, `refuted`, `not-proved`; these names are part of the result formats.
impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Proved => "proved",
            Self::NotRefuted => "not-refuted",
            Self::Refuted => "refuted",
            Self::NotProved => "not-proved",
        })
    }
}

impl FromStr for Basis {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let found = Self::ALL.into_iter().find(|basis| basis.to_string() == text);
        found.ok_or_else(|| UnknownName(text.to_owned()))
    }
}

/// A text that is not a name of its type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown name {0:?}")]
pub struct UnknownName(pub(crate) String);

/// The judgement of one comparison in one bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether the comparison holds; follows from `basis`.
    pub holds: bool,
    /// Basis of the verdict.
    pub basis: Basis,
    /// The reported p-value, of the test that decided.
    pub p_value: f64,
    /// Left over right scaled mean; `None` when a mean is not positive.
    pub ratio: Option<Ratio>,
    /// The left method's scaled times.
    pub left: Side,
    /// The right method's scaled times.
    pub right: Side,
    /// The whole test on the scaled times.
    pub welch: Welch,
}

/// Durations of one side of a comparison, multiplied by the comparison's constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// The comparison's constant.
    pub factor: f64,
    /// Number of samples.
    pub n: u64,
    /// Scaled mean, nanoseconds.
    pub mean_ns: f64,
    /// Scaled median, nanoseconds.
    pub median_ns: f64,
    /// Scaled standard deviation (divisor n − 1), nanoseconds.
    pub sd_ns: f64,
}

/// Reason for no verdict.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NotEvaluated {
    /// A variance needs two samples a side (thesis 3.2.7).
    #[error("too few samples: {left} left and {right} right, at least 2 a side are needed")]
    TooFewSamples {
        /// Samples of the left method in the bucket.
        left: u64,
        /// Samples of the right method in the bucket.
        right: u64,
    },
    /// Both methods finished and have samples in no common bucket.
    #[error("no common bucket: the methods were never measured with similar workload sizes")]
    NoCommonBucket,
    /// A constant is not a number, or the times multiplied by it exceed the range of a double.
    #[error("scaled times outside the range of a double")]
    OutOfRange,
    /// The limit p-value is not a probability.
    #[error("the limit p-value lies outside 0 to 1")]
    BadLimit,
    /// A formula asks for a percentile that doesn't lie between 0 and 100.
    #[error("there is no percentile {0}: it must lie between 0 and 100")]
    NoSuchQuantile(f64),
    /// The sequential mode took all windows and could not decide.
    #[error("undecided: the evidence of {windows} windows does not suffice either way")]
    Undecided {
        /// Number of windows with a pair of samples.
        windows: u64,
    },
    /// The windows so far do not decide the claim; data are missing.
    #[error("undecided after {windows} windows: {why}")]
    Open {
        /// Number of windows in which all its methods were called.
        windows: u64,
        /// Missing data, and the approximate time to get them.
        why: String,
    },
    /// A method could not be measured; contains the reason.
    #[error("not measured: {0}")]
    NotMeasured(String),
    /// A method has no samples to judge, or too few; contains its name and the reason
    /// ([`Lack`](spl_model::Lack)), in words.
    #[error("nothing to judge: {0}")]
    Lacking(String),
}

/// Reads the output of `Display`: result files contain the reason as text.
impl FromStr for NotEvaluated {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let plain = [Self::NoCommonBucket, Self::OutOfRange, Self::BadLimit];
        if let Some(reason) = plain.into_iter().find(|reason| reason.to_string() == text) {
            return Ok(reason);
        }
        if let Some(why) = text.strip_prefix("not measured: ") {
            return Ok(Self::NotMeasured(why.to_owned()));
        }
        if let Some(why) = text.strip_prefix("nothing to judge: ") {
            return Ok(Self::Lacking(why.to_owned()));
        }
        // The other texts begin with their numbers' names; writing the value again checks the rest of the
        // text.
        let after = |prefix: &str| text.strip_prefix(prefix).map(|rest| rest.split([' ', ':']));
        let counts = after("too few samples: ").and_then(|mut words| {
            let left = words.next()?.parse().ok()?;
            let right = words.nth(2)?.parse().ok()?;
            Some(Self::TooFewSamples { left, right })
        });
        let windows = after("undecided: the evidence of ")
            .and_then(|mut words| Some(Self::Undecided { windows: words.next()?.parse().ok()? }));
        let open = text.strip_prefix("undecided after ").and_then(|rest| {
            let (windows, why) = rest.split_once(" windows: ")?;
            Some(Self::Open { windows: windows.parse().ok()?, why: why.to_owned() })
        });
        let percent = after("there is no percentile ")
            .and_then(|mut words| Some(Self::NoSuchQuantile(words.next()?.parse().ok()?)));
        let found = counts.or(windows).or(open).or(percent).filter(|reason| reason.to_string() == text);
        found.ok_or_else(|| UnknownName(text.to_owned()))
    }
}

/// One line of the results: the judgement of a comparison in one bucket, or the reason for none.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Index of the comparison in the tasks file's order, from 0.
    pub comparison: usize,
    /// Workload sizes that the compared samples have in common.
    pub bucket: Bucket,
    /// The judgement, or the reason for none.
    pub verdict: Result<Verdict, NotEvaluated>,
    /// True if evaluated when both methods had finished, and not when a pair of buckets was full: fewer
    /// samples than required.
    pub leftover: bool,
    /// Samples of the left method in the bucket.
    pub n_left: u64,
    /// Samples of the right method in the bucket.
    pub n_right: u64,
    /// Lost samples of either method in the time in which these were gathered.
    pub drops: u64,
    /// The ratio as far as the calls tell, where they do not decide; `None` where there is a verdict, which has its own.
    pub so_far: Option<Ratio>,
}

impl Evaluation {
    /// The ratio of the verdict, or else that of the calls so far.
    #[must_use]
    pub fn ratio(&self) -> Option<&Ratio> {
        self.verdict.as_ref().map_or(self.so_far.as_ref(), |verdict| verdict.ratio.as_ref())
    }

    /// The smaller number of samples of the two sides, as the result file gives it (thesis 3.3.1).
    #[must_use]
    pub fn n_smaller(&self) -> u64 {
        self.n_left.min(self.n_right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for basis in Basis::ALL {
            assert_eq!(basis.to_string().parse(), Ok(basis));
        }
        assert!("Proved".parse::<Basis>().is_err());
    }

    #[test]
    fn reasons_are_read_back() {
        for reason in [
            NotEvaluated::TooFewSamples { left: 1, right: 0 },
            NotEvaluated::NoCommonBucket,
            NotEvaluated::OutOfRange,
            NotEvaluated::BadLimit,
            NotEvaluated::Undecided { windows: 40 },
            NotEvaluated::NoSuchQuantile(100.5),
            NotEvaluated::Open { windows: 12, why: "50 windows: are needed".into() },
            NotEvaluated::NotMeasured("the method uses the subroutine instructions jsr and ret".into()),
            NotEvaluated::Lacking("p/C.f()V: never called".into()),
        ] {
            assert_eq!(reason.to_string().parse(), Ok(reason));
        }
        assert!("too few samples: x left and 0 right, at least 2".parse::<NotEvaluated>().is_err());
    }
}
