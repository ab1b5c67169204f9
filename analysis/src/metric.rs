//! A metric, as the table has it.

use crate::amount::Amount;
use crate::bins::Bin;
use crate::hot::Cutoff;
use crate::tally::Tally;

/// A metric: its name, what it means, what it needs, and how it is read.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its number in the literature's order, or `-` for a companion.
    pub id: &'static str,
    /// The group that it belongs to.
    pub category: &'static str,
    /// Its name in the group.
    pub name: &'static str,
    /// The form of its value.
    pub kind: Kind,
    /// The unit of its value.
    pub unit: Unit,
    /// Its definition.
    pub text: &'static str,
    /// Counts that it is computed from.
    pub needs: &'static [Need],
    /// Other definitions to choose from with `variant`: name and definition; none if there is one only.
    pub variants: &'static [(&'static str, &'static str)],
    /// How it is read; `None` where nothing that exists today counts what it needs.
    pub read: Option<Read>,
}

/// By name: a constant may have several addresses in an optimised program.
impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        (self.category, self.name, self.kind) == (other.category, other.name, other.kind)
    }
}

/// How a metric is read from a tally.
pub type Read = fn(&Tally, &Settings) -> Reading;

/// The form of a metric's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One number.
    Value,
    /// The share of things that carry most of the weight.
    Percentile,
    /// Shares of things over keys.
    Bin,
    /// A series.
    Continuous,
}

/// The unit of a metric's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A number of things.
    Count,
    /// Things for each 1,000 executed instructions.
    Density,
    /// A ratio, mostly from 0 to 1.
    Ratio,
    /// 0 to 100.
    Percent,
    /// Bytes.
    Bytes,
}

/// Facts that a metric is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Counts of blocks and edges.
    Blocks,
    /// The class files of what was loaded.
    Files,
    /// Every class that was loaded, also those without code.
    Loads,
    /// Receivers of calls, and the methods that these chose.
    Arcs,
    /// Sizes of objects and lengths of arrays.
    Sizes,
    /// Objects that live in the heap.
    Heap,
    /// Sampled objects, and collections until they are gone.
    Lifetimes,
    /// Memory that is used after collections.
    Collections,
    /// Threads that wait for monitors.
    Contention,
    /// Begins, ends and states of threads.
    Threads,
}

/// Facts in addition to counts of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Has {
    /// The receivers of calls.
    pub arcs: bool,
    /// Sizes of objects and arrays.
    pub sizes: bool,
    /// The JVM's events.
    pub events: bool,
}

impl Has {
    /// All that is counted and heard at most.
    pub const ALL: Self = Self { arcs: true, sizes: true, events: true };
}

/// Options of a metric.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Which share of the weight is most of it.
    pub cutoff: Cutoff,
    /// The chosen variant.
    pub variant: Option<&'static str>,
}

/// A value of a metric as it was read: one, or one for each key.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// One number.
    One(Amount),
    /// Keys with their numbers.
    Bins(Vec<(Bin, Amount)>),
}

impl Metric {
    /// Its path in the tree of packs.
    #[must_use]
    pub fn path(&self) -> String {
        format!("metrics.{}.{}.{}", self.category, self.name, self.kind.name())
    }

    /// Its name with its group and kind.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}.{}.{}", self.category, self.name, self.kind.name())
    }

    /// Whether a drill alone has all that it needs.
    #[must_use]
    pub fn is_of_drill(&self) -> bool {
        self.needs.iter().all(|need| need.drill().is_some())
    }

    /// Whether it needs the JVM's events, and nothing of a drill.
    #[must_use]
    pub fn is_of_events(&self) -> bool {
        self.needs.iter().all(|need| need.is_heard())
    }

    /// The keys of its values; none where it has one value.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        // Every tally has the same keys.
        match self.read.map(|read| read(&Tally::default(), &Settings::default())) {
            Some(Reading::Bins(bins)) => bins.into_iter().map(|(bin, _)| bin.text()).collect(),
            Some(Reading::One(_)) | None => Vec::new(),
        }
    }

    /// Whether it has the option of a cutoff.
    #[must_use]
    pub fn has_cutoff(&self) -> bool {
        self.kind == Kind::Percentile || self.name.starts_with("hot")
    }
}

impl Kind {
    /// Its word in names.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Percentile => "percentile",
            Self::Bin => "bin",
            Self::Continuous => "continuous",
        }
    }
}

impl Unit {
    /// Its word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Density => "per 1,000 instructions",
            Self::Ratio => "ratio",
            Self::Percent => "percent",
            Self::Bytes => "bytes",
        }
    }

    /// The name of its type in XML.
    #[must_use]
    pub fn xml_type(self) -> &'static str {
        match self {
            Self::Count | Self::Bytes => "long",
            Self::Density => "density",
            Self::Ratio => "double",
            Self::Percent => "percent",
        }
    }
}

impl Need {
    /// All, in an order for people.
    pub const ALL: [Self; 10] = [
        Self::Blocks,
        Self::Files,
        Self::Loads,
        Self::Arcs,
        Self::Sizes,
        Self::Heap,
        Self::Lifetimes,
        Self::Collections,
        Self::Contention,
        Self::Threads,
    ];

    /// A short text for it, as in "needs …".
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Blocks => "counts of blocks",
            Self::Files => "the class files",
            Self::Loads => "the list of loaded classes",
            Self::Arcs => "the receivers of calls",
            Self::Sizes => "sizes of objects",
            Self::Heap => "the objects in the heap",
            Self::Lifetimes => "the ends of sampled objects",
            Self::Collections => "the memory used after collections",
            Self::Contention => "waits for monitors",
            Self::Threads => "begins, ends and states of threads",
        }
    }

    /// Whether it is lacking where there is no more than this.
    #[must_use]
    pub fn is_lacking(self, has: Has) -> bool {
        !match self {
            Self::Blocks | Self::Files | Self::Loads => true,
            Self::Arcs => has.arcs,
            Self::Sizes => has.sizes,
            Self::Heap | Self::Lifetimes | Self::Collections | Self::Contention | Self::Threads => has.events,
        }
    }

    /// Whether the JVM's events or its heap have it, which `spl metrics` hears or looks at.
    #[must_use]
    pub fn is_heard(self) -> bool {
        matches!(self, Self::Heap | Self::Lifetimes | Self::Collections | Self::Contention | Self::Threads)
    }

    /// The command that has all of this.
    #[must_use]
    pub fn command(needs: &[Self]) -> &'static str {
        if needs.contains(&Self::Heap) {
            "spl metrics --heap"
        } else if needs.iter().any(|need| need.is_heard()) {
            "spl metrics"
        } else {
            "spl drill --what receivers"
        }
    }

    /// The kind of drill that has it; `None` where only `spl metrics` has it.
    #[must_use]
    pub fn drill(self) -> Option<&'static str> {
        match self {
            Self::Blocks | Self::Files | Self::Loads => Some("blocks"),
            Self::Arcs | Self::Sizes => Some("receivers"),
            Self::Heap | Self::Lifetimes | Self::Collections | Self::Contention | Self::Threads => None,
        }
    }
}
