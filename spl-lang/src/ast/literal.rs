//! Numbers with units. Each keeps its written form, so that it is printed as it was read.

use std::fmt;

/// A percentage, finite and greater than 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percent(pub f64);

impl Percent {
    /// The share of one: `5%` is 0.05.
    #[must_use]
    pub fn fraction(self) -> f64 {
        self.0 / 100.0
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.0)
    }
}

/// A length of time, greater than 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Duration {
    /// In units.
    pub amount: f64,
    /// The unit.
    pub unit: TimeUnit,
}

impl Duration {
    /// In nanoseconds; finite in every duration that was parsed.
    #[must_use]
    pub fn ns(self) -> f64 {
        self.amount * self.unit.ns()
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.amount, self.unit.as_str())
    }
}

/// Units of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// `ns`
    Nanoseconds,
    /// `us`, also read as `µs`
    Microseconds,
    /// `ms`
    Milliseconds,
    /// `s`
    Seconds,
}

impl TimeUnit {
    /// Every unit, from the shortest.
    pub const ALL: [Self; 4] = [Self::Nanoseconds, Self::Microseconds, Self::Milliseconds, Self::Seconds];

    /// The unit as it is printed.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Microseconds => "us",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
        }
    }

    fn ns(self) -> f64 {
        match self {
            Self::Nanoseconds => 1.0,
            Self::Microseconds => 1e3,
            Self::Milliseconds => 1e6,
            Self::Seconds => 1e9,
        }
    }
}

/// A workload size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteSize {
    /// In units.
    pub amount: u64,
    /// The unit.
    pub unit: SizeUnit,
}

impl ByteSize {
    /// In bytes, or in the unit of the method's size processor; the largest 64-bit number if it is greater,
    /// which no size that was parsed is.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.checked_bytes().unwrap_or(u64::MAX)
    }

    pub(crate) fn checked_bytes(self) -> Option<u64> {
        self.amount.checked_mul(self.unit.bytes())
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit {
            SizeUnit::One => write!(f, "{}", self.amount),
            SizeUnit::Kibi | SizeUnit::Mebi | SizeUnit::Gibi => {
                write!(f, "{} {}", self.amount, self.unit.as_str())
            }
        }
    }
}

/// Units of workload size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeUnit {
    /// No unit: bytes, or the unit of the method's size processor.
    One,
    /// `KiB`: 1024.
    Kibi,
    /// `MiB`: 1024².
    Mebi,
    /// `GiB`: 1024³.
    Gibi,
}

impl SizeUnit {
    /// Every unit, from the smallest.
    pub const ALL: [Self; 4] = [Self::One, Self::Kibi, Self::Mebi, Self::Gibi];

    /// The unit as it is printed; empty for [`SizeUnit::One`].
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::One => "",
            Self::Kibi => "KiB",
            Self::Mebi => "MiB",
            Self::Gibi => "GiB",
        }
    }

    fn bytes(self) -> u64 {
        match self {
            Self::One => 1,
            Self::Kibi => 1 << 10,
            Self::Mebi => 1 << 20,
            Self::Gibi => 1 << 30,
        }
    }
}

/// Sizes from `low` up to, but not including, `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The smallest size.
    pub low: ByteSize,
    /// The smallest size over it; `None` is infinity.
    pub high: Option<ByteSize>,
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.high {
            Some(high) => write!(f, "[{}, {high})", self.low),
            None => write!(f, "[{}, inf)", self.low),
        }
    }
}

/// One number that stands for many measured times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// `mean(f)`: the arithmetic mean.
    Mean,
    /// `median(f)`
    Median,
    /// `p99(f)`: the percentile, between 0 and 100.
    Percentile(f64),
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mean => f.write_str("mean"),
            Self::Median => f.write_str("median"),
            Self::Percentile(percent) => write!(f, "p{percent}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_their_sizes() {
        let ns = TimeUnit::ALL.map(|unit| Duration { amount: 2.0, unit }.ns());
        assert_eq!(ns, [2.0, 2_000.0, 2_000_000.0, 2_000_000_000.0]);
        let bytes = SizeUnit::ALL.map(|unit| ByteSize { amount: 3, unit }.bytes());
        assert_eq!(bytes, [3, 3_072, 3_145_728, 3_221_225_472]);
        assert_eq!(ByteSize { amount: u64::MAX, unit: SizeUnit::Kibi }.bytes(), u64::MAX);
        assert_eq!((Percent(50.0).fraction(), Percent(0.5).fraction()), (0.5, 0.005));
    }
}
