//! Buckets of workload sizes that both sides of a comparison fill, and the data that are missing to compare
//! them (thesis 3.2.6, 3.2.7).

use crate::Scheduler;
use spl_model::{Bucket, Scale, Size};
use std::collections::BTreeMap;
use std::fmt;

/// Number of a side's buckets that a text names; there may be as many buckets as samples.
const NAMED: usize = 3;
/// Bases of a logarithmic scale that are proposed, the finest first. Workloads in coarser buckets are not
/// alike.
const BASES: [u64; 11] = [2, 3, 5, 10, 20, 50, 100, 1_000, 10_000, 100_000, 1_000_000];

/// Samples of both sides of a comparison so far, by bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filling {
    /// Number of the comparison in the task list, from 0.
    pub comparison: usize,
    /// Whether the comparison is undecided.
    pub open: bool,
    /// Samples that each side needs in one bucket (`min-method-measurements`); 1 where the owner decides by
    /// evidence.
    pub needed: u64,
    /// Scale that assigns sizes to buckets.
    pub scale: Scale,
    /// Every bucket with a sample of either side, in ascending order.
    pub buckets: Vec<FilledBucket>,
}

/// One bucket of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilledBucket {
    /// The sizes.
    pub bucket: Bucket,
    /// Samples of the left method.
    pub left: u64,
    /// Samples of the right method.
    pub right: u64,
    /// Number of pairs of samples of the same window, with windows only; they alone are compared.
    pub pairs: Option<u64>,
}

/// Reason why no bucket of a comparison is full on both sides. The text names the remedy if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shortfall {
    /// A side has no sample yet.
    NoSamples {
        /// Whether the left side has samples.
        left: bool,
        /// Whether the right side has samples.
        right: bool,
    },
    /// The sides' sizes never fall into one bucket.
    NothingInCommon {
        /// The fullest buckets of the left side.
        left: Named,
        /// The fullest buckets of the right side.
        right: Named,
        /// Setting that would give common buckets.
        remedy: Remedy,
    },
    /// There are common buckets, with too few samples.
    TooFew {
        /// The bucket that is nearest to being full.
        nearest: FilledBucket,
        /// Samples that each side needs in it.
        needed: u64,
        /// Number of buckets with samples of either side.
        buckets: usize,
        /// Setting that would fill a bucket with the present samples.
        remedy: Option<Remedy>,
    },
}

/// Remedies for sizes that share no bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Another scale (`arguments-size-scale` and its base).
    Scale(Scale),
    /// Size processors whose buckets are equal for equal workloads.
    EqualBuckets,
    /// A size processor for the side that has none.
    ProcessorForBoth,
    /// No remedy: the workloads are too different.
    None,
}

/// Some buckets of many, for a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// In ascending order.
    pub buckets: Vec<Bucket>,
    /// Number of further buckets.
    pub more: usize,
}

impl Scheduler {
    /// Samples of both sides of a comparison, by bucket; `None` when there is no such comparison. Samples of
    /// finished methods and decided comparisons remain.
    #[must_use]
    pub fn filling(&self, comparison: usize) -> Option<Filling> {
        if !self.claims.has_comparison(comparison) {
            return None;
        }
        let [left, right] = self.claims.sides(comparison);
        let mut buckets: BTreeMap<&Bucket, [u64; 2]> = BTreeMap::new();
        for (side, method) in [left, right].into_iter().enumerate() {
            for (bucket, durations) in self.tallies.get(method).into_iter().flat_map(|one| &one.buckets) {
                buckets.entry(bucket).or_default()[side] = durations.len() as u64;
            }
        }
        let filled = |(bucket, [left, right]): (&Bucket, [u64; 2])| FilledBucket {
            bucket: bucket.clone(),
            left,
            right,
            pairs: self.claims.pairs_in(comparison, bucket),
        };
        let by_evidence = self.settings.windows().is_some_and(|windows| windows.owner_decides);
        Some(Filling {
            comparison,
            open: self.claims.is_open_comparison(comparison),
            needed: if by_evidence { 1 } else { self.settings.min_samples },
            scale: self.settings.scale,
            buckets: buckets.into_iter().map(filled).collect(),
        })
    }
}

impl FilledBucket {
    /// Samples that the side with fewer of them can compare.
    fn common(&self) -> u64 {
        self.pairs.unwrap_or_else(|| self.left.min(self.right))
    }

    fn of(&self, side: usize) -> u64 {
        [self.left, self.right][side]
    }
}

impl Filling {
    /// Data that are missing to compare the two sides by a full bucket; `None` when one is full.
    #[must_use]
    pub fn shortfall(&self) -> Option<Shortfall> {
        let [left, right] = [0, 1].map(|side| self.buckets.iter().any(|one| one.of(side) > 0));
        if !(left && right) {
            return Some(Shortfall::NoSamples { left, right });
        }
        let common = self.buckets.iter().filter(|one| one.left.min(one.right) > 0);
        let Some(nearest) = common.max_by_key(|one| (one.common(), one.left.min(one.right))) else {
            return Some(Shortfall::NothingInCommon {
                left: self.named(0),
                right: self.named(1),
                remedy: self.remedy(),
            });
        };
        (nearest.common() < self.needed).then(|| Shortfall::TooFew {
            nearest: nearest.clone(),
            needed: self.needed,
            buckets: self.buckets.len(),
            remedy: self.scale_that(|left, right| left.min(right) >= self.needed).map(Remedy::Scale),
        })
    }

    /// Reason why the comparison waits although both sides have enough samples: more calls alone would not
    /// decide it.
    #[must_use]
    pub fn stuck(&self) -> Option<Shortfall> {
        let samples = |side| self.buckets.iter().map(|one| one.of(side)).sum::<u64>();
        let enough = self.open && samples(0).min(samples(1)) >= self.needed;
        self.shortfall().filter(|shortfall| enough && shortfall.remedy().is_some())
    }

    /// The fullest buckets of a side.
    fn named(&self, side: usize) -> Named {
        let mut filled = self.buckets.iter().filter(|one| one.of(side) > 0).collect::<Vec<_>>();
        filled.sort_by_key(|one| std::cmp::Reverse(one.of(side)));
        let more = filled.len().saturating_sub(NAMED);
        filled.truncate(NAMED);
        let mut buckets = filled.into_iter().map(|one| one.bucket.clone()).collect::<Vec<_>>();
        buckets.sort();
        Named { buckets, more }
    }

    fn remedy(&self) -> Remedy {
        let labelled = |side| {
            let mut of_side = self.buckets.iter().filter(|one| one.of(side) > 0);
            of_side.any(|one| matches!(one.bucket, Bucket::Label(_)))
        };
        match [0, 1].map(labelled) {
            [true, true] => Remedy::EqualBuckets,
            [true, false] | [false, true] => Remedy::ProcessorForBoth,
            [false, false] => {
                let full = self.scale_that(|left, right| left.min(right) >= self.needed);
                full.or_else(|| self.scale_that(|left, right| left.min(right) > 0))
                    .map_or(Remedy::None, Remedy::Scale)
            }
        }
    }

    /// The finest coarser scale at which the samples of both sides in some bucket would be `enough`. Exact
    /// sizes are not kept: only present buckets that lie wholly in one bucket of the new scale are sure to
    /// meet there. A size of 0, which is alone on a logarithmic scale, is assumed to be rare.
    fn scale_that(&self, enough: impl Fn(u64, u64) -> bool) -> Option<Scale> {
        let coarser = |base: &u64| match self.scale {
            Scale::Linear { .. } => true,
            Scale::Logarithmic { base: now } => *base > now,
        };
        let mut scales = BASES.into_iter().filter(coarser).map(|base| Scale::Logarithmic { base });
        scales.find(|scale| {
            let mut sides: BTreeMap<Bucket, [u64; 2]> = BTreeMap::new();
            for one in &self.buckets {
                let Bucket::Range { low, high: Some(high) } = one.bucket else { continue };
                let [first, last] = [low.max(1), high - 1].map(|size| scale.bucket(&Size::Value(size)));
                if first == last {
                    let both = sides.entry(first).or_default();
                    both[0] += one.left;
                    both[1] += one.right;
                }
            }
            sides.into_values().any(|[left, right]| enough(left, right))
        })
    }
}

impl Shortfall {
    /// The remedy where more calls alone change nothing.
    #[must_use]
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::NoSamples { .. } => None,
            Self::NothingInCommon { remedy, .. } => Some(*remedy),
            Self::TooFew { remedy, .. } => *remedy,
        }
    }
}

impl fmt::Display for Shortfall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSamples { left: true, .. } => f.write_str("right has no samples"),
            Self::NoSamples { right: true, .. } => f.write_str("left has no samples"),
            Self::NoSamples { .. } => f.write_str("neither side has samples"),
            Self::NothingInCommon { left, right, remedy } => {
                write!(f, "left fills {left}, right only {right}: {remedy}")
            }
            Self::TooFew { nearest, needed, buckets, remedy } => {
                let FilledBucket { bucket, left, right, pairs } = nearest;
                match pairs {
                    Some(pairs) => write!(f, "sizes {bucket} have {pairs} of {needed} pairs")?,
                    None => write!(f, "sizes {bucket} have {left} and {right} of {needed} samples")?,
                }
                match remedy {
                    Some(remedy) => write!(f, ", others are in {} more buckets: {remedy}", buckets - 1),
                    None => Ok(()),
                }
            }
        }
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scale(Scale::Linear { base }) => write!(f, "try a linear scale, of base {base}"),
            Self::Scale(Scale::Logarithmic { base }) => write!(f, "try a logarithmic scale, of base {base}"),
            Self::EqualBuckets => f.write_str("let the size processors give equal workloads equal buckets"),
            Self::ProcessorForBoth => f.write_str("name a size processor for both methods or for none"),
            Self::None => f.write_str("their workloads are too different to be compared"),
        }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.buckets.iter().map(ToString::to_string).collect::<Vec<_>>();
        f.write_str(&names.join(" "))?;
        if self.more > 0 { write!(f, " and {} more", self.more) } else { Ok(()) }
    }
}
