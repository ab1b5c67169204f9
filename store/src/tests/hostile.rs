//! Queries that want more than reading, or without end: each ends in an error in time, and no byte of the file changes.

use super::{filled, measured, place, run};
use crate::guard::{MOST_ROWS, MOST_TIME};
use crate::{Answer, Asked, Cell, StoreError, csv, json, text};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

fn asked(store: &Path, sql: &str, values: &[&str]) -> Result<Answer, StoreError> {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    Asked { store: store.to_owned(), sql: sql.to_owned(), values }.answer()
}

/// Queries with a part of the error that each gives.
const HOSTILE: [(&str, &str); 36] = [
    ("DELETE FROM run", "only reads"),
    ("UPDATE run SET program = 'x'", "only reads"),
    ("INSERT INTO tag VALUES ('x', 1)", "only reads"),
    ("REPLACE INTO tag VALUES ('x', 1)", "only reads"),
    ("DROP TABLE run", "only reads"),
    ("DROP VIEW value", "only reads"),
    ("CREATE TABLE x (y)", "only reads"),
    ("CREATE TEMP TABLE x (y)", "only reads"),
    ("CREATE TEMP VIEW x AS SELECT 1", "only reads"),
    ("ALTER TABLE run RENAME TO x", "only reads"),
    ("CREATE INDEX x ON run (jdk)", "only reads"),
    ("WITH x AS (SELECT 1) DELETE FROM run", "only reads"),
    ("DELETE FROM run RETURNING id", "only reads"),
    ("INSERT INTO tag SELECT 'x', id FROM run RETURNING run", "only reads"),
    ("ATTACH 'other.db' AS other", "only reads"),
    ("ATTACH ':memory:' AS other", "only reads"),
    ("DETACH main", "only reads"),
    ("VACUUM", "only reads"),
    ("VACUUM INTO 'copy.db'", "only reads"),
    ("REINDEX", "only reads"),
    ("ANALYZE", "only reads"),
    ("BEGIN IMMEDIATE", "only reads"),
    ("SAVEPOINT x", "only reads"),
    ("PRAGMA user_version = 9", "only reads"),
    ("PRAGMA journal_mode = DELETE", "only reads"),
    ("PRAGMA writable_schema = ON", "only reads"),
    ("PRAGMA query_only = OFF", "only reads"),
    ("SELECT load_extension('/tmp/x.so')", ""),
    ("SELECT 1; DELETE FROM run", "only reads"),
    ("SELECT 1; SELECT 2", "one query at a time"),
    ("", "there is no query"),
    (" -- nothing\n/* nothing */ ;", "there is no query"),
    ("SELECT zeroblob(1000000000)", "longer than 1 MB"),
    ("SELECT hex(zeroblob(999999))", "longer than 1 MB"),
    ("SELECT printf('%.*c', 500000000, 'x')", ""),
    ("SELECT replace(hex(zeroblob(100000)), '0', hex(zeroblob(100000)))", "longer than 1 MB"),
];

/// Queries that take time, memory or rows without end.
const ENDLESS: [(&str, &str); 9] = [
    (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
        "longer than 5 s",
    ),
    ("WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n) SELECT sum(i) FROM n", ""),
    (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "more than 10000 rows",
    ),
    (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT count(*) FROM n a, n b, n c, n d",
        "longer than 5 s",
    ),
    (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT a.i FROM n a, n b, n c",
        "10000 rows",
    ),
    (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, hex(randomblob(4000)) FROM n ORDER BY 2",
        "",
    ),
    (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT group_concat(hex(zeroblob(400))) FROM n",
        "",
    ),
    (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9999) SELECT hex(zeroblob(100000)) FROM n",
        "64 MiB",
    ),
    (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(hex(zeroblob(200000)) LIKE \
         '%0%0%0%0%0%0%0%0%0%0%0%0%0%0%0%0%0%0%0%0%1%') FROM n",
        "longer than 5 s",
    ),
];

fn checked(queries: &[(&str, &str)]) {
    let place = place();
    filled(&place, &[run("a", 85), measured()]);
    let before = fs::read(&place.path).unwrap();
    for (sql, part) in queries {
        let begin = Instant::now();
        let wrong = asked(&place.path, sql, &[]).map(|answer| answer.rows.len());
        let wrong = wrong.expect_err(sql).to_string();
        assert!(wrong.contains(part), "{sql}: {wrong}");
        let took = begin.elapsed();
        assert!(took < MOST_TIME + Duration::from_secs(1), "{sql} took {took:?}");
        assert!(before == fs::read(&place.path).unwrap(), "{sql} changed the file");
        let files = fs::read_dir(place.path.parent().unwrap()).unwrap().count();
        assert_eq!(files, 1, "{sql} made a file");
    }
}

#[test]
fn what_is_no_reading_is_refused() {
    checked(&HOSTILE);
}

#[test]
fn what_has_no_end_is_ended() {
    checked(&ENDLESS);
}

#[test]
fn queries_that_double_themselves_are_ended() {
    let doubled = |level: usize| {
        let views = (1..level).map(|at| format!(", v{at} AS (SELECT a.x FROM v{} a, v{} b)", at - 1, at - 1));
        format!("WITH v0 AS (SELECT 1 AS x){} SELECT * FROM v{}", views.collect::<String>(), level - 1)
    };
    let deep = format!("SELECT {}1{}", "(".repeat(5_000), ")".repeat(5_000));
    let wide = format!("SELECT 1{}", ", 1".repeat(1_000));
    let unions = format!("SELECT 1{}", " UNION SELECT 1".repeat(1_000));
    let long = format!("SELECT '{}'", "x".repeat(200_000));
    checked(&[(&doubled(40), ""), (&deep, ""), (&wide, ""), (&unions, ""), (&long, "at most 100000")]);
}

#[test]
fn as_many_rows_as_allowed_are_given() {
    let place = place();
    filled(&place, &[]);
    let rows = |limit: usize| {
        let sql = format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {limit}) SELECT i FROM n"
        );
        asked(&place.path, &sql, &[]).map(|answer| answer.rows.len())
    };
    assert_eq!(rows(MOST_ROWS), Ok(MOST_ROWS));
    assert!(rows(MOST_ROWS + 1).is_err());
}

#[test]
fn a_mistake_has_its_place() {
    let place = place();
    filled(&place, &[]);
    let wrong = |sql: &str| asked(&place.path, sql, &[]).unwrap_err().to_string();
    assert_eq!(wrong("SELECT id\nFROM run\nWHERE jdkk = 1"), "line 3, column 7: no such column: jdkk");
    assert!(
        wrong("SELECT * FORM run").starts_with("line 1, column 10: near \"FORM\""),
        "{}",
        wrong("SELECT * FORM run")
    );
    assert!(wrong("SELECT ?1").contains("has 1 parameters, and 0 values"));
}

#[test]
fn answers_have_three_forms() {
    let place = place();
    filled(&place, &[run("a", 85)]);
    let sql = "SELECT space, metric, value, 'a,\"b' AS t, NULL AS n, x'0aff' AS b, 0.5 AS r FROM value WHERE metric = ?1 AND space = ?2";
    let answer = asked(&place.path, sql, &["base.instructions.value", "app"]).unwrap();
    assert_eq!(answer.rows.len(), 1);
    assert_eq!(
        csv(&answer),
        "space,metric,value,t,n,b,r\napp,base.instructions.value,85,\"a,\"\"b\",,0aff,0.5\n"
    );
    assert_eq!(
        text(&answer),
        "space  metric                   value  t     n     b       r\napp    base.instructions.value     85  a,\"b  null  0aff  0.5\n"
    );
    let document = json(&answer);
    assert_eq!(document["schema"], "spl.query/1");
    assert_eq!(
        document["rows"][0],
        serde_json::json!(["app", "base.instructions.value", 85, "a,\"b", null, "0aff", 0.5])
    );
    assert_eq!(answer.rows[0][2], Cell::Whole(85));
}

#[test]
fn saved_queries_are_queries_and_say_what_they_answer() {
    let place = place();
    filled(&place, &[run("a", 85), run("b", 86), measured()]);
    for saved in crate::SAVED {
        let values: &[&str] = match saved.name {
            "metric" => &["base.instructions.value", "app"],
            "difference" => &["1", "2", "app"],
            "repeats" => &["nightly", "app"],
            "methods" => &["1"],
            _ => &[],
        };
        let answer =
            asked(&place.path, saved.sql, values).unwrap_or_else(|wrong| panic!("{}: {wrong}", saved.name));
        let rows = answer.rows.len();
        let expected =
            [("runs", 3), ("metric", 2), ("difference", 1), ("repeats", 0), ("methods", 2), ("failed", 0)];
        assert!(expected.contains(&(saved.name, rows)), "{}: {rows} rows", saved.name);
        assert!(saved.title().ends_with('.'), "{}", saved.title());
    }
}
