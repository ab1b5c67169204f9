//! Buckets of workload sizes that the sides of each comparison fill: for the operator, `buckets.json` and
//! `spl eval --json`.

use crate::files::write_whole;
use crate::setup::Setup;
use serde::Serialize;
use spl_model::{Bucket, Scale};
use spl_scheduler::{FilledBucket, Filling, Scheduler};
use std::fmt::Write as _;
use std::path::Path;

/// Name of the file, which lies in the folder of the results.
pub const FILE: &str = "buckets.json";
const SCHEMA: &str = "spl.buckets/1";
/// Most buckets of a comparison that a document lists, fullest first: there may be as many buckets as
/// samples.
const LISTED: usize = 100;
/// Most buckets of a side that a line names.
const NAMED: usize = 6;

/// The document of `buckets.json`.
#[derive(Debug, Serialize)]
struct Document {
    schema: &'static str,
    scale: ScaleJson,
    /// Samples that each side needs in one bucket.
    needed: u64,
    comparisons: Vec<Numbered>,
}

#[derive(Debug, Serialize)]
struct ScaleJson {
    kind: &'static str,
    base: u64,
}

#[derive(Debug, Serialize)]
struct Numbered {
    /// From 1.
    number: usize,
    text: String,
    #[serde(flatten)]
    filled: Filled,
}

/// Buckets of one comparison and their samples.
#[derive(Debug, Serialize)]
pub struct Filled {
    decided: bool,
    /// In ascending order.
    buckets: Vec<BucketJson>,
    /// Emptier buckets that are not listed.
    unlisted: usize,
    /// Data that are missing to compare both sides by a full bucket, in words.
    missing: Option<String>,
}

#[derive(Debug, Serialize)]
struct BucketJson {
    sizes: String,
    left: u64,
    right: u64,
    pairs: Option<u64>,
}

impl Document {
    /// All comparisons in their current state; `None` when there are none.
    fn of(setup: &Setup, scheduler: &Scheduler) -> Option<Self> {
        let (tasks, settings) = (&setup.program.tasks, &setup.config.scheduler);
        if tasks.comparisons.is_empty() {
            return None;
        }
        let comparison = |(index, comparison)| {
            let filled = Filled::of(&scheduler.filling(index)?);
            Some(Numbered { number: index + 1, text: tasks.line_of(comparison), filled })
        };
        Some(Self {
            schema: SCHEMA,
            scale: match settings.scale {
                Scale::Linear { base } => ScaleJson { kind: "linear", base },
                Scale::Logarithmic { base } => ScaleJson { kind: "logarithmic", base },
            },
            needed: settings.min_samples,
            comparisons: tasks.comparisons.iter().enumerate().filter_map(comparison).collect(),
        })
    }
}

impl Filled {
    /// The JSON form of a filling.
    pub fn of(filling: &Filling) -> Self {
        let samples = |one: &&FilledBucket| one.left.saturating_add(one.right);
        let mut listed = filling.buckets.iter().collect::<Vec<_>>();
        listed.sort_by_key(|one| std::cmp::Reverse(samples(one)));
        let unlisted = listed.len().saturating_sub(LISTED);
        listed.truncate(LISTED);
        listed.sort_by(|one, other| one.bucket.cmp(&other.bucket));
        let json = |one: &FilledBucket| BucketJson {
            sizes: one.bucket.to_string(),
            left: one.left,
            right: one.right,
            pairs: one.pairs,
        };
        Self {
            decided: !filling.open,
            buckets: listed.into_iter().map(json).collect(),
            unlisted,
            missing: filling.shortfall().map(|shortfall| shortfall.to_string()),
        }
    }
}

/// Writes `buckets.json` into the folder of the results; writes nothing when the tasks have no comparisons.
/// # Errors
/// When writing fails; one line of text.
pub fn write(result_file: &Path, setup: &Setup, scheduler: &Scheduler) -> Result<(), String> {
    let Some(document) = Document::of(setup, scheduler) else { return Ok(()) };
    let path = result_file.with_file_name(FILE);
    let written = serde_json::to_string(&document).map_err(std::io::Error::from);
    let written =
        written.and_then(|json| write_whole(&path, (spl_model::plain_json(&json) + "\n").as_bytes()));
    written.map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Two lines with the fullest buckets of each side, and one line with the missing data. Empty without
/// workload sizes.
pub fn lines(filling: &Filling) -> String {
    if filling.buckets.iter().all(|one| one.bucket == Bucket::All) {
        return String::new();
    }
    let mut text = String::new();
    for (name, of) in [("left", (|one| one.left) as fn(&FilledBucket) -> u64), ("right", |one| one.right)] {
        let mut filled = filling.buckets.iter().filter(|one| of(one) > 0).collect::<Vec<_>>();
        filled.sort_by_key(|one| std::cmp::Reverse(of(one)));
        let more = filled.len().saturating_sub(NAMED);
        filled.truncate(NAMED);
        filled.sort_by(|one, other| one.bucket.cmp(&other.bucket));
        let names = filled.iter().map(|one| format!("{}: {}", one.bucket, of(one))).collect::<Vec<_>>();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        // Writing to a `String` cannot fail.
        let _ = write!(text, "    buckets that {name} fills: {names}");
        text.push_str(&if more > 0 { format!(", and {more} more\n") } else { "\n".to_owned() });
    }
    if let Some(shortfall) = filling.shortfall() {
        let _ = writeln!(text, "    no bucket is full on both sides: {shortfall}");
    }
    text
}
