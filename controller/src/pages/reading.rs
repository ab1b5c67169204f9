//! The store's runs as the values that pages are made of.

use spl_report::runs::{
    Bounds, Claimed, Contents, MOST_METHODS, MetricValue, Moment, OverTime, RanMethod, Site, StoredRun,
};
use spl_store::{Listed, Number, OfMethod, OfPoint, OfRun, OfSeries, OfValue, OfVerdict, Store, StoreError};
use std::collections::BTreeSet;

/// Runs that pages are about.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// Those with this tag only.
    pub tag: Option<String>,
    /// At most this number, the newest.
    pub last: u16,
}

impl Chosen {
    /// All that is known of the runs.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn whole(&self, store: &Store) -> Result<Site, StoreError> {
        self.site(store, |run| whole(store, run))
    }

    /// The lines of the runs, with numbers in the place of what they have.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn lines(&self, store: &Store) -> Result<Site, StoreError> {
        self.site(store, |run| {
            let of = store.contents(run.id)?;
            let line = Contents { values: of.values, results: of.results, failed: of.failed };
            Ok(StoredRun { line: Some(line), ..stored(OfRun { listed: run, ..OfRun::default() }) })
        })
    }

    /// Reads these runs as a whole, of a site that has their lines.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn complete(&self, store: &Store, site: &mut Site, runs: &BTreeSet<i64>) -> Result<(), StoreError> {
        for listed in store.list(self.tag.as_deref(), usize::from(self.last))? {
            if runs.contains(&listed.id)
                && let Some(run) = site.runs.iter_mut().find(|run| run.id == listed.id)
            {
                *run = whole(store, listed)?;
            }
        }
        Ok(())
    }

    fn site(
        &self,
        store: &Store,
        read: impl Fn(Listed) -> Result<StoredRun, StoreError>,
    ) -> Result<Site, StoreError> {
        let listed = store.list(self.tag.as_deref(), usize::from(self.last))?;
        let all = u64::try_from(store.count(self.tag.as_deref())?).unwrap_or(0);
        let runs = listed.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        Ok(Site { left: all.saturating_sub(runs.len() as u64), runs, ..site() })
    }
}

/// A site without runs: the version and the definitions of metrics.
pub fn site() -> Site {
    let definitions = spl_analysis::metrics::all().map(|metric| (metric.full_name(), metric.text.to_owned()));
    Site { spl: env!("CARGO_PKG_VERSION").to_owned(), definitions: definitions.collect(), ..Site::default() }
}

fn whole(store: &Store, run: Listed) -> Result<StoredRun, StoreError> {
    store.whole(run, MOST_METHODS).map(stored)
}

fn stored(run: OfRun) -> StoredRun {
    let OfRun { listed, values, verdicts, methods, series } = run;
    StoredRun {
        id: listed.id,
        kind: listed.kind,
        command: listed.command,
        jdk: listed.jdk,
        began: listed.began,
        tags: listed.tags,
        folder: listed.folder,
        line: None,
        values: values.into_iter().map(value).collect(),
        claims: verdicts.into_iter().map(claim).collect(),
        methods: methods.into_iter().map(method).collect(),
        over_time: series.into_iter().map(over_time).collect(),
    }
}

fn value(value: OfValue) -> MetricValue {
    let OfValue { space, metric, unit: _, options, key, bounds, exactness } = value;
    let bounds = bounds.map(|[least, most]| Bounds {
        least: least.value(),
        most: most.value(),
        is_count: matches!((least, most), (Number::Whole(_), Number::Whole(_))),
    });
    MetricValue {
        space,
        metric,
        options,
        key,
        bounds,
        is_partial: matches!(&*exactness, "partial" | "sampled"),
    }
}

/// A metric over time, as far as pages show it.
fn over_time(series: OfSeries) -> OverTime {
    let OfSeries { space, metric, unit: _, options, points } = series;
    let is_whole = |number: &Number| matches!(number, Number::Whole(_));
    let is_count = points.iter().filter_map(|point| point.bounds).flatten().all(|one| is_whole(&one));
    let moment = |OfPoint { time_ms, bounds }: OfPoint| Moment {
        time_s: time_ms.map(|ms| Number::Whole(ms).value() / 1e3),
        bounds: bounds.map(|bounds| bounds.map(Number::value)),
    };
    let moments = points.into_iter().map(moment).collect();
    OverTime { space, metric, options, is_count, moments, change: 0.0 }.thinned()
}

fn claim(verdict: OfVerdict) -> Claimed {
    let OfVerdict { text, about, result, basis, ratio } = verdict;
    Claimed { text, about, result, basis, ratio }
}

fn method(method: OfMethod) -> RanMethod {
    let count = |count: i64| u64::try_from(count).unwrap_or(0);
    let OfMethod { class, name, calls, bytecodes, blocks } = method;
    RanMethod { class, name, calls: count(calls), bytecodes: bytecodes.map(count), blocks: blocks.map(count) }
}
