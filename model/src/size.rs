//! Workload sizes and the buckets that gather similar ones (thesis 3.2.6).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The workload size of one call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Size {
    /// Not computed (`argument-size = nocheck`).
    Unchecked,
    /// Bytes, or the unit of a size processor.
    Value(u64),
    /// A label from a user's size processor. Each label is a bucket of its own.
    Label(String),
}

/// `-` for an unchecked size, the number, or `label:` with the label.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unchecked => f.write_str("-"),
            Self::Value(value) => write!(f, "{value}"),
            Self::Label(label) => write!(f, "label:{label}"),
        }
    }
}

impl FromStr for Size {
    type Err = std::num::ParseIntError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "-" {
            return Ok(Self::Unchecked);
        }
        match text.strip_prefix("label:") {
            Some(label) => Ok(Self::Label(label.to_owned())),
            None => text.parse().map(Self::Value),
        }
    }
}

/// The way to group sizes into buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scale {
    /// `[k·base, (k+1)·base)`
    Linear {
        /// Width of a bucket, at least 1.
        base: u64,
    },
    /// `[base^k, base^(k+1))`, and size 0 alone.
    Logarithmic {
        /// Ratio of a bucket's bounds, at least 2.
        base: u64,
    },
}

impl Scale {
    /// A scale with buckets of equal width.
    ///
    /// # Errors
    /// When `base` is 0.
    pub fn linear(base: u64) -> Result<Self, ScaleError> {
        if base < 1 { Err(ScaleError::Linear(base)) } else { Ok(Self::Linear { base }) }
    }

    /// A scale with buckets of equal ratio.
    ///
    /// # Errors
    /// When `base` is under 2.
    pub fn logarithmic(base: u64) -> Result<Self, ScaleError> {
        if base < 2 { Err(ScaleError::Logarithmic(base)) } else { Ok(Self::Logarithmic { base }) }
    }

    /// The bucket of a size. Logarithmic bounds are compared as integers, never by a float logarithm.
    #[must_use]
    pub fn bucket(&self, size: &Size) -> Bucket {
        let value = match size {
            Size::Unchecked => return Bucket::All,
            Size::Label(label) => return Bucket::Label(label.clone()),
            Size::Value(value) => *value,
        };
        match *self {
            Self::Linear { base } => {
                let low = value - value % base;
                Bucket::Range { low, high: low.checked_add(base) }
            }
            Self::Logarithmic { .. } if value == 0 => Bucket::Range { low: 0, high: Some(1) },
            Self::Logarithmic { base } => {
                let mut low = 1_u64;
                loop {
                    match low.checked_mul(base) {
                        Some(high) if high <= value => low = high,
                        high => return Bucket::Range { low, high },
                    }
                }
            }
        }
    }
}

/// A set of similar sizes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Bucket {
    /// Sizes are not checked: one bucket for all.
    All,
    /// `[low, high)`; no upper bound if it exceeds the largest 64-bit size.
    Range {
        /// Smallest size in the bucket.
        low: u64,
        /// Smallest size above the bucket.
        high: Option<u64>,
    },
    /// One label of a user's size processor.
    Label(String),
}

/// `-`, `[0, 100)`, `[9223372036854775808, inf)`, or `label:` with the label.
impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("-"),
            Self::Range { low, high: Some(high) } => write!(f, "[{low}, {high})"),
            Self::Range { low, high: None } => write!(f, "[{low}, inf)"),
            Self::Label(label) => write!(f, "label:{label}"),
        }
    }
}

impl FromStr for Bucket {
    type Err = BucketError;
    fn from_str(text: &str) -> Result<Self, BucketError> {
        if text == "-" {
            return Ok(Self::All);
        }
        if let Some(label) = text.strip_prefix("label:") {
            return Ok(Self::Label(label.to_owned()));
        }
        let range = || {
            let (low, high) = text.strip_prefix('[')?.strip_suffix(')')?.split_once(", ")?;
            let high = if high == "inf" { None } else { Some(high.parse().ok()?) };
            Some(Self::Range { low: low.parse().ok()?, high })
        };
        range().ok_or_else(|| BucketError(text.to_owned()))
    }
}

/// The text is not a bucket.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a size interval: expected -, [low, high) or label:text")]
pub struct BucketError(String);

/// The scale's base makes no buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScaleError {
    /// A linear scale has width 0.
    #[error("a linear scale needs a base of at least 1, not {0}")]
    Linear(u64),
    /// The bounds of a logarithmic scale don't grow.
    #[error("a logarithmic scale needs a base of at least 2, not {0}")]
    Logarithmic(u64),
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bounds_are_exact() {
        let check = |scale: Scale, value: u64, expected: &str| {
            assert_eq!(scale.bucket(&Size::Value(value)).to_string(), expected, "{scale:?} {value}");
        };
        let linear = Scale::linear(100).unwrap();
        check(linear, 0, "[0, 100)");
        check(linear, 99, "[0, 100)");
        check(linear, 100, "[100, 200)");
        check(linear, u64::MAX, "[18446744073709551600, inf)");
        let ten = Scale::logarithmic(10).unwrap();
        check(ten, 0, "[0, 1)");
        check(ten, 9, "[1, 10)");
        check(ten, 10, "[10, 100)");
        check(ten, 999_999_999_999_999, "[100000000000000, 1000000000000000)");
        check(ten, 1_000_000_000_000_000, "[1000000000000000, 10000000000000000)");
        check(Scale::logarithmic(2).unwrap(), u64::MAX, "[9223372036854775808, inf)");
        assert!(Scale::linear(0).is_err() && Scale::logarithmic(1).is_err());
    }

    proptest! {
        #[test]
        fn a_size_lies_in_its_bucket(value: u64, base in 2_u64..5000, log: bool) {
            let scale = if log { Scale::logarithmic(base) } else { Scale::linear(base) }.unwrap();
            let bucket = scale.bucket(&Size::Value(value));
            let Bucket::Range { low, high } = bucket.clone() else { panic!("no range") };
            prop_assert!(low <= value && high.is_none_or(|high| value < high));
            prop_assert_eq!(bucket.to_string().parse::<Bucket>().unwrap(), bucket);
        }
    }
}
