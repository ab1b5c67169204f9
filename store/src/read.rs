//! Runs read back, for lists and pages.

use crate::error::StoreError;
use crate::number::Number;
use crate::open::Store;
use crate::schema::TABLES;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Row, params};

/// A run in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Its number.
    pub id: i64,
    /// `metrics` or `measurement`.
    pub kind: String,
    /// Main class or JAR.
    pub program: String,
    /// The program with its arguments.
    pub command: String,
    /// Version of Java, if it is known.
    pub jdk: Option<String>,
    /// Begin (UTC), if it is known.
    pub began: Option<String>,
    /// Its tags, in the order of the alphabet.
    pub tags: Vec<String>,
    /// The folder that it was read from.
    pub folder: String,
}

/// The numbers of things that a run has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Values of metrics.
    pub values: u64,
    /// Results of claims.
    pub results: u64,
    /// Results that say that a claim fails.
    pub failed: u64,
}

/// A table or view with its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Names of its columns, in their order.
    pub columns: Vec<String>,
}

/// All that is known of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfRun {
    /// Its line in the list.
    pub listed: Listed,
    /// Values of its metrics.
    pub values: Vec<OfValue>,
    /// Results of its claims.
    pub verdicts: Vec<OfVerdict>,
    /// The methods that ran most.
    pub methods: Vec<OfMethod>,
    /// Metrics over time.
    pub series: Vec<OfSeries>,
}

/// A value of a metric.
#[derive(Clone, Debug, PartialEq)]
pub struct OfValue {
    /// Name of the space.
    pub space: String,
    /// Name of the metric with its group and kind.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// The chosen definition, and the share of hot things; empty without.
    pub options: String,
    /// Key, if there are several.
    pub key: Option<(i64, Option<i64>)>,
    /// Bounds; none for 0/0.
    pub bounds: Option<[Number; 2]>,
    /// The word for its certainty.
    pub exactness: String,
}

/// A result of a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct OfVerdict {
    /// The claim.
    pub text: String,
    /// Workload sizes, or the instance.
    pub about: Option<String>,
    /// `holds`, `fails`, `undecided` or `not-evaluated`.
    pub result: String,
    /// Basis of the verdict, or why there is none.
    pub basis: Option<String>,
    /// Left over right mean with its interval.
    pub ratio: Option<[f64; 3]>,
}

/// A method that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfMethod {
    /// Its class, with slashes.
    pub class: String,
    /// Its name and descriptor.
    pub name: String,
    /// Calls.
    pub calls: i64,
    /// Bytecodes in itself: at least, and at most.
    pub bytecodes: [i64; 2],
    /// Blocks that ran, and all that can.
    pub blocks: [i64; 2],
}

/// A metric of a space over time.
#[derive(Clone, Debug, PartialEq)]
pub struct OfSeries {
    /// Name of the space.
    pub space: String,
    /// Name of the metric with its group and kind.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// The chosen definition, and the share of hot things; empty without.
    pub options: String,
    /// Its points, in the order of their time.
    pub points: Vec<OfPoint>,
}

/// The value of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfPoint {
    /// Beginning and end, milliseconds of the drill.
    pub time_ms: [i64; 2],
    /// Bounds; none for 0/0.
    pub bounds: Option<[Number; 2]>,
}

impl Store {
    /// The runs, the newest first: all, or those with a tag.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn list(&self, tag: Option<&str>, most: usize) -> Result<Vec<Listed>, StoreError> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let mut all = self.lines(
            "SELECT id, kind, program, command, jdk, began, folder FROM run \
             WHERE ?1 IS NULL OR id IN (SELECT run FROM tag WHERE tag = ?1) \
             ORDER BY coalesce(began, added) DESC, id DESC LIMIT ?2",
            params![tag, most],
            |row| {
                Ok(Listed {
                    id: row.get(0)?,
                    kind: row.get(1)?,
                    program: row.get(2)?,
                    command: row.get(3)?,
                    jdk: row.get(4)?,
                    began: row.get(5)?,
                    tags: Vec::new(),
                    folder: row.get(6)?,
                })
            },
        )?;
        for one in &mut all {
            one.tags =
                self.lines("SELECT tag FROM tag WHERE run = ? ORDER BY tag", params![one.id], |row| {
                    row.get(0)
                })?;
        }
        Ok(all)
    }

    /// The number of runs: of all, or of those with a tag.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn count(&self, tag: Option<&str>) -> Result<i64, StoreError> {
        let sql = "SELECT count(*) FROM run WHERE ?1 IS NULL OR id IN (SELECT run FROM tag WHERE tag = ?1)";
        Ok(self.lines(sql, params![tag], |row| row.get(0))?.first().copied().unwrap_or(0))
    }

    /// The numbers of things that a run has, without reading them; zeros for a run that is not there.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn contents(&self, run: i64) -> Result<Contents, StoreError> {
        let count =
            |row: &Row<'_>, column| row.get(column).map(|count: i64| u64::try_from(count).unwrap_or(0));
        let all = self.lines(
            "SELECT (SELECT count(*) FROM measured WHERE run = ?1), count(*), coalesce(sum(result = 'fails'), 0) FROM verdict \
             WHERE run = ?1",
            params![run],
            |row| Ok(Contents { values: count(row, 0)?, results: count(row, 1)?, failed: count(row, 2)? }),
        )?;
        Ok(all.first().copied().unwrap_or_default())
    }

    /// The tables and views that queries of users are about.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn tables(&self) -> Result<Vec<Table>, StoreError> {
        let table = |name: &str| {
            let sql = format!("SELECT * FROM {name} LIMIT 0");
            let statement = self.connection.prepare(&sql).map_err(|error| self.wrong(&error))?;
            let columns = statement.column_names().map(str::to_owned).collect();
            Ok(Table { name: name.to_owned(), columns })
        };
        TABLES.into_iter().map(table).collect()
    }

    /// A run of the list with all that is known of it, and its first methods.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn whole(&self, listed: Listed, most_methods: usize) -> Result<OfRun, StoreError> {
        let id = listed.id;
        let values = self.lines(
            "SELECT space.space, metric.metric, metric.unit, trim(metric.variant || ' ' || metric.threshold), key_low, key_high, \
             least, most, exactness FROM measured JOIN metric ON metric.id = measured.metric JOIN space ON space.id = measured.space \
             WHERE run = ? ORDER BY measured.metric, measured.space, key_low",
            params![id],
            |row| {
                let low: i64 = row.get(4)?;
                let bounds: [Option<Number>; 2] = [row.get(6)?, row.get(7)?];
                Ok(OfValue {
                    space: row.get(0)?,
                    metric: row.get(1)?,
                    unit: row.get(2)?,
                    options: row.get(3)?,
                    key: if low < 0 { None } else { Some((low, row.get(5)?)) },
                    bounds: bounds[0].zip(bounds[1]).map(|(least, most)| [least, most]),
                    exactness: row.get(8)?,
                })
            },
        )?;
        let verdicts = self.lines(
            "SELECT text, coalesce(bucket, instance), result, coalesce(basis, reason), ratio, ratio_low, ratio_high FROM verdict \
             WHERE run = ? ORDER BY place",
            params![id],
            |row| {
                let ratio: [Option<f64>; 3] = [row.get(4)?, row.get(5)?, row.get(6)?];
                Ok(OfVerdict {
                    text: row.get(0)?,
                    about: row.get(1)?,
                    result: row.get(2)?,
                    basis: row.get(3)?,
                    ratio: match ratio {
                        [Some(ratio), Some(low), Some(high)] => Some([ratio, low, high]),
                        _ => None,
                    },
                })
            },
        )?;
        let methods = self.lines(
            "SELECT class, name || descriptor, calls, least, most, blocks_run, blocks FROM method WHERE run = ? ORDER BY place LIMIT ?",
            params![id, i64::try_from(most_methods).unwrap_or(i64::MAX)],
            |row| {
                Ok(OfMethod {
                    class: row.get(0)?,
                    name: row.get(1)?,
                    calls: row.get(2)?,
                    bytecodes: [row.get(3)?, row.get(4)?],
                    blocks: [row.get(5)?, row.get(6)?],
                })
            },
        )?;
        Ok(OfRun { listed, values, verdicts, methods, series: self.series(id)? })
    }

    /// The metrics of a run over time.
    fn series(&self, run: i64) -> Result<Vec<OfSeries>, StoreError> {
        let mut all: Vec<OfSeries> = Vec::new();
        let mut of = (0, 0);
        self.lines(
            "SELECT point.metric, point.space, space.space, metric.metric, metric.unit, trim(metric.variant || ' ' || metric.threshold), \
             from_ms, to_ms, least, most FROM point JOIN interval ON interval.run = point.run AND interval.step = point.step \
             JOIN metric ON metric.id = point.metric JOIN space ON space.id = point.space \
             WHERE point.run = ? ORDER BY point.metric, point.space, point.step",
            params![run],
            |row| {
                let now = (row.get(0)?, row.get(1)?);
                if all.is_empty() || of != now {
                    let [space, metric, unit, options] = [row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?];
                    all.push(OfSeries { space, metric, unit, options, points: Vec::new() });
                    of = now;
                }
                let bounds: [Option<Number>; 2] = [row.get(8)?, row.get(9)?];
                let bounds = bounds[0].zip(bounds[1]).map(|(least, most)| [least, most]);
                if let Some(last) = all.last_mut() {
                    last.points.push(OfPoint { time_ms: [row.get(6)?, row.get(7)?], bounds });
                }
                Ok(())
            },
        )?;
        Ok(all)
    }

    fn lines<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let wrong = |error: rusqlite::Error| self.wrong(&error);
        let mut statement = self.connection.prepare(sql).map_err(wrong)?;
        let lines = statement.query_map(values, read).map_err(wrong)?;
        lines.collect::<Result<_, _>>().map_err(wrong)
    }
}

impl FromSql for Number {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Integer(count) => Ok(Self::Whole(count)),
            ValueRef::Real(value) => Ok(Self::Ratio(value)),
            ValueRef::Null | ValueRef::Text(_) | ValueRef::Blob(_) => Err(FromSqlError::InvalidType),
        }
    }
}
