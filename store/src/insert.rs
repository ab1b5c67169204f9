//! Inserting runs, naming them by tags, and removing them.

use crate::error::StoreError;
use crate::metric::Metric;
use crate::number::{Number, short};
use crate::open::Store;
use crate::run::{Method, Run, Value, Verdict};
use crate::series::Series;
use rusqlite::types::{ToSqlOutput, Value as Sql};
use rusqlite::{OptionalExtension, ToSql, Transaction, TransactionBehavior, params};
use std::collections::HashMap;

/// Effect of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inserted {
    /// The run is new and has this number.
    New(i64),
    /// The run was there, with other values; it has the new ones now, and its number and tags as before.
    Changed(i64),
    /// The same was there.
    Same(i64),
}

impl Inserted {
    /// The number of the run.
    #[must_use]
    pub fn run(self) -> i64 {
        let (Self::New(run) | Self::Changed(run) | Self::Same(run)) = self;
        run
    }
}

impl Store {
    /// Inserts runs and gives all of them tags: all of that, or nothing.
    ///
    /// # Errors
    /// When the file cannot be written to.
    pub fn insert(&mut self, runs: &[Run], tags: &[String]) -> Result<Vec<Inserted>, StoreError> {
        self.write(|transaction| {
            let mut all = Vec::with_capacity(runs.len());
            for run in runs {
                let inserted = one(transaction, run)?;
                for tag in tags {
                    put_tag(transaction, inserted.run(), tag)?;
                }
                all.push(inserted);
            }
            Ok(all)
        })
    }

    /// Gives tags to runs and takes some away. A run that is not there changes nothing.
    ///
    /// # Errors
    /// When there is no such run, or the file cannot be written to.
    pub fn tag(&mut self, runs: &[i64], add: &[String], remove: &[String]) -> Result<(), StoreError> {
        self.all_there(runs)?;
        self.write(|transaction| {
            for run in runs {
                for tag in remove {
                    transaction.execute("DELETE FROM tag WHERE run = ? AND tag = ?", params![run, tag])?;
                }
                for tag in add {
                    put_tag(transaction, *run, tag)?;
                }
            }
            Ok(())
        })
    }

    /// Removes runs with all that belongs to them. A run that is not there removes nothing.
    ///
    /// # Errors
    /// When there is no such run, or the file cannot be written to.
    pub fn remove(&mut self, runs: &[i64]) -> Result<(), StoreError> {
        self.all_there(runs)?;
        self.write(|transaction| {
            for run in runs {
                transaction.execute("DELETE FROM run WHERE id = ?", [run])?;
            }
            Ok(())
        })
    }

    /// Checks that runs are there.
    ///
    /// # Errors
    /// When there is no such run, or the file cannot be read.
    pub fn all_there(&self, runs: &[i64]) -> Result<(), StoreError> {
        for run in runs {
            let found =
                self.connection.query_row("SELECT 1 FROM run WHERE id = ?", [run], |_| Ok(())).optional();
            if found.map_err(|error| self.wrong(&error))?.is_none() {
                let text = format!("{} has no run {run}; `spl store list` shows its runs", self.name());
                return Err(StoreError::Run(text));
            }
        }
        Ok(())
    }

    /// Checks that a run has metrics of a space.
    ///
    /// # Errors
    /// When it has none, or the file cannot be read.
    pub fn space_there(&self, run: i64, space: &str) -> Result<(), StoreError> {
        let spaces = || {
            let mut found =
                self.connection.prepare("SELECT DISTINCT space FROM value WHERE run = ? ORDER BY space")?;
            let spaces = found.query_map([run], |row| row.get(0))?;
            spaces.collect::<rusqlite::Result<Vec<String>>>()
        };
        let spaces = spaces().map_err(|error| self.wrong(&error))?;
        if spaces.iter().any(|one| one == space) {
            return Ok(());
        }
        let has = if spaces.is_empty() { "no metrics".to_owned() } else { spaces.join(", ") };
        Err(StoreError::Run(format!("run {run} of {} has no space {space:?}; it has {has}", self.name())))
    }

    /// Writes as a whole or not at all; another writer is waited for.
    fn write<T>(
        &mut self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let path = self.path.clone();
        let wrong = |error: rusqlite::Error| StoreError::of(&path, &error);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(wrong)?;
        let changed = change(&transaction).map_err(wrong)?;
        transaction.commit().map_err(wrong)?;
        Ok(changed)
    }
}

fn put_tag(transaction: &Transaction<'_>, run: i64, tag: &str) -> rusqlite::Result<()> {
    transaction
        .execute("INSERT OR IGNORE INTO tag (tag, run) VALUES (?, ?)", params![short(tag), run])
        .map(drop)
}

fn one(transaction: &Transaction<'_>, run: &Run) -> rusqlite::Result<Inserted> {
    let facts = &run.facts;
    let known = transaction
        .query_row("SELECT id, digest FROM run WHERE identity = ?", [&facts.identity], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        })
        .optional()?;
    let inserted = match known {
        Some((id, digest)) if digest == facts.digest && !lacks_series(transaction, id, run)? => {
            return Ok(Inserted::Same(id));
        }
        Some((id, _)) => {
            // `spl analyse` writes the files again without a series, which it cannot compute.
            let over_time = if run.series.spans.is_empty() { &[][..] } else { &["interval", "point"] };
            for table in ["measured", "verdict", "method"].iter().chain(over_time) {
                transaction.execute(&format!("DELETE FROM {table} WHERE run = ?"), [id])?;
            }
            Inserted::Changed(id)
        }
        None => {
            transaction.execute(
                "INSERT INTO run (identity, digest, kind, program, command, added, folder) VALUES (?, '', '', '', '', '', '')",
                [&facts.identity],
            )?;
            Inserted::New(transaction.last_insert_rowid())
        }
    };
    let began = facts.began_unix_ms.and_then(|ms| i64::try_from(ms / 1000).ok());
    transaction.execute(
        "UPDATE run SET digest = ?2, kind = ?3, program = ?4, command = ?5, jdk = ?6, began = strftime('%Y-%m-%d %H:%M:%S', ?7, \
         'unixepoch'), added = strftime('%Y-%m-%d %H:%M:%S', 'now'), spl = ?8, folder = ?9 WHERE id = ?1",
        params![
            inserted.run(),
            facts.digest,
            facts.kind,
            short(facts.program()),
            short(&facts.command),
            facts.jdk,
            began,
            facts.spl,
            short(&facts.folder)
        ],
    )?;
    values(transaction, inserted.run(), &run.values)?;
    verdicts(transaction, inserted.run(), &run.verdicts)?;
    methods(transaction, inserted.run(), &run.methods)?;
    series(transaction, inserted.run(), &run.series)?;
    Ok(inserted)
}

/// Whether a run has metrics over time that an earlier version of the store did not keep.
fn lacks_series(transaction: &Transaction<'_>, id: i64, run: &Run) -> rusqlite::Result<bool> {
    let has = "SELECT EXISTS (SELECT 1 FROM interval WHERE run = ?)";
    Ok(!run.series.spans.is_empty() && !transaction.query_row(has, [id], |row| row.get::<_, bool>(0))?)
}

/// Numbers of texts that many lines have in common.
struct Common<'t, 'c> {
    transaction: &'t Transaction<'c>,
    known: HashMap<Vec<String>, i64>,
    insert: &'static str,
    find: &'static str,
}

impl<'t, 'c> Common<'t, 'c> {
    fn new(transaction: &'t Transaction<'c>, insert: &'static str, find: &'static str) -> Self {
        Self { transaction, known: HashMap::new(), insert, find }
    }

    fn metrics(transaction: &'t Transaction<'c>) -> Self {
        Self::new(
            transaction,
            "INSERT INTO metric (metric, unit, variant, threshold, number, category, name, kind) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            "SELECT id FROM metric WHERE metric = ? AND unit = ? AND variant = ? AND threshold = ?",
        )
    }

    fn spaces(transaction: &'t Transaction<'c>) -> Self {
        Self::new(transaction, "INSERT INTO space (space) VALUES (?)", "SELECT id FROM space WHERE space = ?")
    }

    fn metric(&mut self, metric: &Metric) -> rusqlite::Result<i64> {
        self.number(
            &[&metric.full_name(), &metric.unit, &metric.variant, &metric.threshold],
            &[&metric.number, &metric.category, &metric.name, &metric.kind],
        )
    }

    /// The number of a line, which is inserted if it is new. `key` are the first fields, `rest` the others.
    fn number(&mut self, key: &[&str], rest: &[&str]) -> rusqlite::Result<i64> {
        let owned: Vec<String> = key.iter().map(|one| (*one).to_owned()).collect();
        if let Some(number) = self.known.get(&owned) {
            return Ok(*number);
        }
        let mut find = self.transaction.prepare(self.find)?;
        let found = find.query_row(rusqlite::params_from_iter(key), |row| row.get(0)).optional()?;
        let number = match found {
            Some(number) => number,
            None => {
                let all = key.iter().chain(rest);
                self.transaction.prepare(self.insert)?.execute(rusqlite::params_from_iter(all))?;
                self.transaction.last_insert_rowid()
            }
        };
        self.known.insert(owned, number);
        Ok(number)
    }
}

fn values(transaction: &Transaction<'_>, run: i64, values: &[Value]) -> rusqlite::Result<()> {
    let (mut metrics, mut spaces) = (Common::metrics(transaction), Common::spaces(transaction));
    let mut reasons = Common::new(
        transaction,
        "INSERT INTO reason (reasons) VALUES (?)",
        "SELECT id FROM reason WHERE reasons = ?",
    );
    let mut insert = transaction.prepare(
        "INSERT INTO measured (metric, space, run, key_low, key_high, value, least, most, exactness, reason) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for one in values {
        let metric = metrics.metric(&one.metric)?;
        let space = spaces.number(&[&one.space], &[])?;
        let reason = match one.reasons.is_empty() {
            true => None,
            false => Some(reasons.number(&[&short(&one.reasons.join("; "))], &[])?),
        };
        let (low, high) = match one.key {
            None => (-1, None),
            Some((low, high)) => (whole(low), high.map(whole)),
        };
        insert.execute(params![
            metric,
            space,
            run,
            low,
            high,
            one.value,
            one.least,
            one.most,
            one.exactness,
            reason
        ])?;
    }
    Ok(())
}

fn verdicts(transaction: &Transaction<'_>, run: i64, verdicts: &[Verdict]) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare(
        "INSERT INTO verdict (run, place, kind, claim, text, bucket, instance, result, basis, p_value, ratio, ratio_low, ratio_high, \
         left_calls, right_calls, left_mean_ns, right_mean_ns, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (place, one) in (1_i64..).zip(verdicts) {
        insert.execute(params![
            run,
            place,
            one.kind.name(),
            whole(one.claim),
            one.text,
            one.bucket,
            one.instance,
            one.result,
            one.basis,
            one.p_value,
            one.ratio.map(|ratio| ratio[0]),
            one.ratio.map(|ratio| ratio[1]),
            one.ratio.map(|ratio| ratio[2]),
            one.calls.map(|calls| whole(calls[0])),
            one.calls.map(|calls| whole(calls[1])),
            one.means_ns.map(|means| means[0]),
            one.means_ns.map(|means| means[1]),
            one.reason
        ])?;
    }
    Ok(())
}

fn methods(transaction: &Transaction<'_>, run: i64, methods: &[Method]) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare(
        "INSERT INTO method (run, place, class, name, descriptor, calls, least, most, blocks_run, blocks, doubt) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (place, one) in (1_i64..).zip(methods) {
        let [least, most] = [one.bytecodes.0, one.bytecodes.1].map(whole);
        let [ran, blocks] = [one.blocks.0, one.blocks.1].map(whole);
        insert.execute(params![
            run,
            place,
            one.class,
            one.name,
            one.descriptor,
            whole(one.calls),
            least,
            most,
            ran,
            blocks,
            one.doubt
        ])?;
    }
    Ok(())
}

fn series(transaction: &Transaction<'_>, run: i64, series: &Series) -> rusqlite::Result<()> {
    let mut insert = transaction
        .prepare("INSERT INTO interval (run, step, from_ms, to_ms, joined) VALUES (?, ?, ?, ?, ?)")?;
    for (step, one) in (1_i64..).zip(&series.spans) {
        insert.execute(params![run, step, whole(one.from_ms), whole(one.to_ms), whole(one.joined)])?;
    }
    let (mut metrics, mut spaces) = (Common::metrics(transaction), Common::spaces(transaction));
    let mut insert = transaction.prepare(
        "INSERT INTO point (run, metric, space, step, least, most, exactness) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?;
    for line in &series.lines {
        let metric = metrics.metric(&line.metric)?;
        let space = spaces.number(&[&line.space], &[])?;
        for (step, point) in (1_i64..).zip(&line.points) {
            let [least, most] = [0, 1].map(|place| point.bounds.map(|bounds| bounds[place]));
            insert.execute(params![run, metric, space, step, least, most, point.exactness])?;
        }
    }
    Ok(())
}

/// A count; SQLite's integers end at 2^63 − 1.
fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl ToSql for Number {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Owned(match self {
            Self::Whole(count) => Sql::Integer(*count),
            Self::Ratio(value) => Sql::Real(*value),
        }))
    }
}
