//! What a report is made of: the records of a run.

use spl_model::{Bucket, Sample, SampleFlags, Scale, Size};
use spl_records::context::Asked;
use spl_records::{AssertionRecord, Context};
use spl_verdict::{Evaluation, Standing};
use std::collections::{BTreeMap, BTreeSet};

/// Comparisons that are shown with charts; the rest is in a table. Charts of one comparison take some 60 KB.
pub const SHOWN: usize = 40;
/// Assertions that are shown with charts, and methods of a run that only measures.
pub const SHOWN_ASSERTIONS: usize = 20;
/// See [`SHOWN_ASSERTIONS`].
pub const SHOWN_METHODS: usize = 20;
/// Samples of the shown comparisons together, unless the first alone has more.
const SHOWN_SAMPLES: u64 = 4_000_000;

/// The records of a run.
#[derive(Clone, Debug)]
pub struct Facts {
    /// What it was made with.
    pub context: Context,
    /// The results of comparisons.
    pub results: Vec<Evaluation>,
    /// The results of assertions.
    pub assertions: Vec<AssertionRecord>,
    /// The calls of each method, by its index.
    pub methods: Vec<Calls>,
    /// What is missing to compare both sides of a comparison by a full bucket, by its index.
    pub missing: BTreeMap<usize, String>,
    /// What the scheduler decided.
    pub decisions: Decisions,
}

/// The measured calls of a method.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calls {
    /// Durations of those that were not discarded, nanoseconds, in the order in which they ended.
    pub kept_ns: Vec<u64>,
    /// How many were discarded that nothing of our knowledge disturbed, or that the agent knows as warm-up...
    pub warm_up: u64,
    /// ...and how many others, which a garbage collection or one of our own changes of classes overlapped.
    pub overlapped: u64,
    /// How many of the kept ones overlapped a garbage collection.
    pub gc: u64,
    /// How many ended by an exception.
    pub threw: u64,
    /// How many were kept in each bucket of workload sizes.
    pub buckets: BTreeMap<Bucket, u64>,
    /// The calls themselves, of methods that are shown with charts.
    pub calls: Vec<Call>,
}

/// A measured call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// When it began, nanoseconds of the JVM's clock.
    pub start_ns: u64,
    /// How long it took, nanoseconds.
    pub took_ns: u64,
    /// The sizes that it belongs to.
    pub bucket: Bucket,
    /// The sampling window in which it began.
    pub window: Option<u64>,
    /// What is known of it.
    pub flags: SampleFlags,
}

impl Call {
    /// Whether it counts for nothing.
    #[must_use]
    pub fn is_discarded(&self) -> bool {
        self.flags.contains(SampleFlags::DISCARDED)
    }
}

impl Calls {
    /// Adds a sample, and the call itself if it is to be `shown`.
    pub fn add(&mut self, sample: &Sample, scale: Option<Scale>, shown: bool) {
        let bucket = bucket(&sample.size, scale);
        let has = |flag| u64::from(sample.flags.contains(flag));
        if has(SampleFlags::DISCARDED) == 0 {
            self.kept_ns.push(sample.duration_ns());
            self.gc += has(SampleFlags::GC);
            *self.buckets.entry(bucket.clone()).or_default() += 1;
        } else if has(SampleFlags::WARM_UP) == 0 && has(SampleFlags::GC) + has(SampleFlags::RETRANSFORM) > 0 {
            self.overlapped += 1;
        } else {
            self.warm_up += 1;
        }
        self.threw += has(SampleFlags::THREW);
        if shown {
            let (start_ns, took_ns) = (sample.start_ns(), sample.duration_ns());
            let (window, flags) = (sample.window, sample.flags);
            self.calls.push(Call { start_ns, took_ns, bucket, window, flags });
        }
    }
}

impl Calls {
    /// How many were measured.
    #[must_use]
    pub fn measured(&self) -> u64 {
        self.kept_ns.len() as u64 + self.warm_up + self.overlapped
    }
}

impl Facts {
    /// How many calls of a method were discarded as warm-up, and how many because something disturbed them: those only if
    /// `discard-disturbed` asks for it.
    pub(crate) fn discarded(&self, calls: &Calls) -> (u64, u64) {
        if self
            .context
            .settings
            .iter()
            .any(|one| one.key == "discard-disturbed" && ["1", "true"].contains(&one.value.as_str()))
        {
            (calls.warm_up, calls.overlapped)
        } else {
            (calls.warm_up + calls.overlapped, 0)
        }
    }

    /// The calls of a method; none of one that there is not.
    pub(crate) fn calls(&self, method: usize) -> &Calls {
        const NONE: &Calls = &Calls {
            kept_ns: Vec::new(),
            warm_up: 0,
            overlapped: 0,
            gc: 0,
            threw: 0,
            buckets: BTreeMap::new(),
            calls: Vec::new(),
        };
        self.methods.get(method).unwrap_or(NONE)
    }
}

/// Without a scale all numbers are one bucket, as they were when sizes were not checked.
fn bucket(size: &Size, scale: Option<Scale>) -> Bucket {
    match (size, scale) {
        (size, Some(scale)) => scale.bucket(size),
        (Size::Label(label), None) => Bucket::Label(label.clone()),
        (_, None) => Bucket::All,
    }
}

/// What the scheduler decided.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// How often it did what.
    pub actions: BTreeMap<String, u64>,
    /// How many methods were measured over time.
    pub steps: Vec<Step>,
    /// When classes were changed, nanoseconds since the controller began.
    pub changes_ns: Vec<u64>,
}

/// The scheduler's figures after a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// When, nanoseconds since the controller began.
    pub at_ns: u64,
    /// How many methods, or with windows groups of them, were measured.
    pub measured: u32,
    /// How many would have been best.
    pub optimal: u32,
    /// How many were not finished.
    pub unfinished: u32,
}

/// Steps that are kept of any number: a chart has no room for more.
const STEPS: usize = 4096;

impl Decisions {
    /// Adds a decision. When there are too many, of each two neighbours the one with more measured methods stays.
    pub fn add(&mut self, action: &str, step: Step) {
        *self.actions.entry(action.to_owned()).or_default() += 1;
        if matches!(action, "instrument" | "restore" | "instrument-and-restore")
            && self.changes_ns.len() < STEPS
        {
            self.changes_ns.push(step.at_ns);
        }
        let figures = |step: &Step| (step.measured, step.optimal, step.unfinished);
        // What changes nothing draws nothing, but the last one says when it was.
        if let [.., before, last] = self.steps.as_mut_slice()
            && figures(before) == figures(last)
            && figures(last) == figures(&step)
        {
            *last = step;
            return;
        }
        self.steps.push(step);
        if self.steps.len() >= 2 * STEPS {
            let more = |pair: &[Step]| *pair.iter().max_by_key(|step| step.measured).unwrap_or(&pair[0]);
            self.steps = self.steps.chunks(2).map(more).collect();
        }
    }
}

/// How soon somebody has to look at what stands so: failing first, then undecided. Without a result it is undecided.
fn rank(standing: Option<Standing>) -> u8 {
    match standing {
        Some(Standing::Fails | Standing::Error) => 0,
        Some(Standing::Undecided) | None => 1,
        Some(Standing::Holds) => 2,
    }
}

/// The comparisons that are shown with charts, by their index, the ones that need looking at first.
#[must_use]
pub fn shown(context: &Context, results: &[Evaluation]) -> Vec<usize> {
    let mut ranks: Vec<Option<u8>> = vec![None; context.comparisons.len()];
    let mut samples = vec![0_u64; ranks.len()];
    for one in results.iter().filter(|one| one.comparison < context.comparisons.len()) {
        let gravest = &mut ranks[one.comparison];
        let this = rank(Some(one.standing()));
        *gravest = Some(gravest.map_or(this, |before| before.min(this)));
        let both = one.n_left.saturating_add(one.n_right);
        samples[one.comparison] = samples[one.comparison].saturating_add(both);
    }
    let ranks: Vec<u8> = ranks.into_iter().map(|one| one.unwrap_or(rank(None))).collect();
    first(&ranks, &samples, SHOWN)
}

/// The assertions that are shown with charts, likewise.
#[must_use]
pub fn shown_assertions(context: &Context, records: &[AssertionRecord]) -> Vec<usize> {
    let mut ranks = vec![rank(None); context.assertions.len()];
    let mut samples = vec![0_u64; ranks.len()];
    for record in records.iter().filter(|record| record.asserted.assertion < context.assertions.len()) {
        let index = record.asserted.assertion;
        ranks[index] = rank(Some(record.asserted.standing()));
        let judged = record.asserted.parts.iter().filter_map(|part| part.judged.as_ref().ok());
        samples[index] = judged
            .map(|judged| judged.n_left.saturating_add(judged.n_right.unwrap_or(0)))
            .fold(0, u64::saturating_add);
    }
    first(&ranks, &samples, SHOWN_ASSERTIONS)
}

/// The first by rank, at most so many and as long as there is room for their samples.
fn first(ranks: &[u8], samples: &[u64], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by_key(|index| ranks[*index]);
    let mut room = SHOWN_SAMPLES;
    let mut fits = |index: &usize| {
        let before = room;
        room = room.saturating_sub(samples[*index]);
        before > 0
    };
    order.into_iter().take(most).take_while(|index| fits(index)).collect()
}

/// The methods of which calls are shown: those of these comparisons and assertions.
#[must_use]
pub fn shown_methods(context: &Context, comparisons: &[usize], assertions: &[usize]) -> BTreeSet<usize> {
    let sides = |asked: &Asked| [asked.left, asked.right];
    let of_comparisons = comparisons.iter().filter_map(|index| context.comparisons.get(*index));
    let of_assertions = assertions.iter().filter_map(|index| context.assertions.get(*index));
    let of_assertions = of_assertions.flat_map(|asserting| asserting.methods.iter().copied());
    of_comparisons.flat_map(sides).chain(of_assertions).collect()
}
