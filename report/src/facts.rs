//! Content of a report: the records of a run.

use spl_model::{Bucket, Sample, SampleFlags, Scale, Size};
use spl_records::context::{Asked, MethodFacts};
use spl_records::{AssertionRecord, Context, InstancesFile, WhyFile, WhyGraphs};
use spl_verdict::{Evaluation, Standing};
use std::collections::{BTreeMap, BTreeSet};

/// Most comparisons with charts; the rest is in a table. Charts of one comparison take some 60 KB.
pub const SHOWN: usize = 40;
/// Most assertions with charts, and most methods of a run that only measures.
pub const SHOWN_ASSERTIONS: usize = 20;
/// See [`SHOWN_ASSERTIONS`].
pub const SHOWN_METHODS: usize = 20;
/// Most samples of the comparisons with charts together, unless the first alone has more.
const SHOWN_SAMPLES: u64 = 4_000_000;

/// The records of a run.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Configuration, tasks and programs of the run.
    pub context: Context,
    /// The results of comparisons.
    pub results: Vec<Evaluation>,
    /// The results of assertions.
    pub assertions: Vec<AssertionRecord>,
    /// The calls of each method, by its index.
    pub methods: Vec<Calls>,
    /// Data that are missing to compare both sides of a comparison by a full bucket, by the comparison's
    /// index.
    pub missing: BTreeMap<usize, String>,
    /// The instances and how they differ, where several JVMs were measured at once.
    pub instances: Option<InstancesFile>,
    /// Why claims fail, where that was looked for.
    pub why: Reasons,
    /// The scheduler's decisions.
    pub decisions: Decisions,
}

/// Why claims fail.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reasons {
    /// Reasons in figures; `None` where nobody looked for them.
    pub found: Option<WhyFile>,
    /// The graphs of the methods that causes stand in; `None` where the run left none.
    pub graphs: Option<WhyGraphs>,
    /// Faults of the files of both, a sentence each.
    pub faults: Vec<String>,
}

/// The measured calls of a method.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calls {
    /// Durations of the calls that were not discarded, nanoseconds, in the order in which they ended.
    pub kept_ns: Vec<u64>,
    /// Number of calls discarded as warm-up: by the agent's flag, or without a known disturbance.
    pub warm_up: u64,
    /// Number of other discarded calls, which a garbage collection or one of our own changes of classes
    /// overlapped.
    pub overlapped: u64,
    /// Number of the kept calls that overlapped a garbage collection.
    pub gc: u64,
    /// Number of calls that ended by an exception.
    pub threw: u64,
    /// Number of kept calls in each bucket of workload sizes.
    pub buckets: BTreeMap<Bucket, u64>,
    /// The calls themselves, for methods with charts.
    pub calls: Vec<Call>,
}

/// A measured call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Start of the call, nanoseconds of the JVM's clock.
    pub start_ns: u64,
    /// Duration of the call, nanoseconds.
    pub took_ns: u64,
    /// Bucket of the call's workload size.
    pub bucket: Bucket,
    /// The sampling window in which it began.
    pub window: Option<u64>,
    /// Flags of the call.
    pub flags: SampleFlags,
}

impl Call {
    /// Whether the call counts for nothing.
    #[must_use]
    pub fn is_discarded(&self) -> bool {
        self.flags.contains(SampleFlags::DISCARDED)
    }
}

impl Calls {
    /// Adds a sample, and the call itself if it has a chart (`shown`).
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
    /// Number of measured calls.
    #[must_use]
    pub fn measured(&self) -> u64 {
        self.kept_ns.len() as u64 + self.warm_up + self.overlapped
    }
}

impl Facts {
    /// Numbers of a method's calls that were discarded as warm-up, and as disturbed; the latter only with
    /// `discard-disturbed`.
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

    /// The calls of a method; empty for an unknown method.
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

/// The bucket of a size. Without a scale all numbers are in one bucket, as sizes were then not checked.
fn bucket(size: &Size, scale: Option<Scale>) -> Bucket {
    match (size, scale) {
        (size, Some(scale)) => scale.bucket(size),
        (Size::Label(label), None) => Bucket::Label(label.clone()),
        (_, None) => Bucket::All,
    }
}

/// The scheduler's decisions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// Number of decisions by action.
    pub actions: BTreeMap<String, u64>,
    /// Number of measured methods over time.
    pub steps: Vec<Step>,
    /// Times of the changes of classes, nanoseconds since the controller began.
    pub changes_ns: Vec<u64>,
}

/// The scheduler's figures after a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Time of the decision, nanoseconds since the controller began.
    pub at_ns: u64,
    /// Number of measured methods, with windows of measured groups.
    pub measured: u32,
    /// The optimal number.
    pub optimal: u32,
    /// Number of unfinished methods or groups.
    pub unfinished: u32,
}

/// Most steps that are kept: a chart has no room for more.
const STEPS: usize = 4096;

impl Decisions {
    /// Adds a decision. When there are too many, the step with more measured methods of each two neighbours
    /// stays.
    pub fn add(&mut self, action: &str, step: Step) {
        *self.actions.entry(action.to_owned()).or_default() += 1;
        if matches!(action, "instrument" | "restore" | "instrument-and-restore")
            && self.changes_ns.len() < STEPS
        {
            self.changes_ns.push(step.at_ns);
        }
        let figures = |step: &Step| (step.measured, step.optimal, step.unfinished);
        // A step without a change is not drawn, but the last one shows its time.
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

/// Urgency of a standing: failing first, then undecided. Without a result it is undecided.
fn rank(standing: Option<Standing>) -> u8 {
    match standing {
        Some(Standing::Fails | Standing::Error) => 0,
        Some(Standing::Undecided) | None => 1,
        Some(Standing::Holds) => 2,
    }
}

/// The comparisons with charts, by their index, the most urgent ones first.
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

/// The assertions with charts, the most urgent ones first.
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

/// The first by rank, at most `most`, while there is room for their samples.
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

/// The methods whose calls are shown: those of these comparisons and assertions; in a run without claims the first ones,
/// while there is room for their samples.
#[must_use]
pub fn shown_methods(context: &Context, comparisons: &[usize], assertions: &[usize]) -> BTreeSet<usize> {
    if context.comparisons.is_empty() && context.assertions.is_empty() {
        let kept = |method: &MethodFacts| method.counts.as_ref().map_or(0, |counts| counts.kept);
        let samples: Vec<u64> = context.methods.iter().map(kept).collect();
        return first(&vec![0; samples.len()], &samples, SHOWN_METHODS).into_iter().collect();
    }
    let sides = |asked: &Asked| [asked.left, asked.right];
    let of_comparisons = comparisons.iter().filter_map(|index| context.comparisons.get(*index));
    let of_assertions = assertions.iter().filter_map(|index| context.assertions.get(*index));
    let of_assertions = of_assertions.flat_map(|asserting| asserting.methods.iter().copied());
    of_comparisons.flat_map(sides).chain(of_assertions).collect()
}
