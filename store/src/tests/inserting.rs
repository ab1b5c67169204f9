//! Runs are inserted once, changed, named and removed.

use super::{filled, measured, place, run};
use crate::{Asked, Cell, Inserted, Store};
use std::path::Path;
use std::thread;

fn answer(path: &Path, sql: &str) -> Vec<Vec<Cell>> {
    Asked { store: path.to_owned(), sql: sql.to_owned(), values: Vec::new() }.answer().unwrap().rows
}

fn count(path: &Path, table: &str) -> i64 {
    let rows = answer(path, &format!("SELECT count(*) FROM {table}"));
    let [Cell::Whole(count)] = rows[0][..] else { panic!("{rows:?}") };
    count
}

#[test]
fn twice_is_once() {
    let place = place();
    let mut store = Store::create(&place.path).unwrap();
    let tags = ["nightly".to_owned()];
    assert_eq!(
        store.insert(&[run("a", 85), measured()], &tags).unwrap(),
        [Inserted::New(1), Inserted::New(2)]
    );
    let before = std::fs::read(&place.path).unwrap();
    assert_eq!(
        store.insert(&[run("a", 85), measured()], &tags).unwrap(),
        [Inserted::Same(1), Inserted::Same(2)]
    );
    let after = std::fs::read(&place.path).unwrap();
    // The header counts changes of the file.
    assert!(before.len() == after.len() && before[100..] == after[100..]);
    assert_eq!(
        ["run", "value", "verdict", "method", "tag"].map(|table| count(&place.path, table)),
        [2, 8, 1, 2, 2]
    );
}

#[test]
fn new_values_of_a_run_replace_the_old_ones() {
    let place = place();
    let mut store = Store::create(&place.path).unwrap();
    store.insert(&[run("a", 85), run("b", 1)], &["old".to_owned()]).unwrap();
    assert_eq!(store.insert(&[run("a", 86)], &[]).unwrap(), [Inserted::Changed(1)]);
    let values = answer(
        &place.path,
        "SELECT run, value FROM value WHERE metric = 'base.instructions.value' AND space = 'app' ORDER BY run",
    );
    assert_eq!(values, [[Cell::Whole(1), Cell::Whole(86)], [Cell::Whole(2), Cell::Whole(1)]]);
    assert_eq!(
        (count(&place.path, "tag"), count(&place.path, "value"), count(&place.path, "method")),
        (2, 16, 4)
    );
}

#[test]
fn removing_leaves_nothing_and_no_number_comes_again() {
    let place = place();
    let mut store = Store::create(&place.path).unwrap();
    store.insert(&[run("a", 1), measured()], &["t".to_owned()]).unwrap();
    let wrong = store.remove(&[1, 7]).unwrap_err().to_string();
    assert!(wrong.contains("has no run 7"), "{wrong}");
    assert_eq!(store.count(None).unwrap(), 2);
    store.remove(&[1, 2]).unwrap();
    for table in ["run", "measured", "verdict", "method", "tag"] {
        assert_eq!(count(&place.path, table), 0, "{table}");
    }
    assert_eq!(store.insert(&[run("a", 1)], &[]).unwrap(), [Inserted::New(3)]);
}

#[test]
fn tags_are_given_and_taken() {
    let place = place();
    let mut store = Store::create(&place.path).unwrap();
    store.insert(&[run("a", 1), run("b", 2)], &["old".to_owned()]).unwrap();
    store.tag(&[1], &["new".to_owned(), "new".to_owned()], &["old".to_owned(), "never".to_owned()]).unwrap();
    let tags: Vec<(i64, Vec<String>)> =
        store.list(None, 10).unwrap().into_iter().map(|one| (one.id, one.tags)).collect();
    assert_eq!(tags, [(2, vec!["old".to_owned()]), (1, vec!["new".to_owned()])]);
    assert_eq!(store.list(Some("new"), 10).unwrap().len(), 1);
    assert_eq!([None, Some("new"), Some("never")].map(|tag| store.count(tag).unwrap()), [2, 1, 0]);
    assert!(store.tag(&[9], &[], &[]).unwrap_err().to_string().contains("has no run 9"));
}

#[test]
fn a_run_is_read_back_whole() {
    let place = place();
    filled(&place, &[run("a", 85), measured()]);
    let store = Store::read(&place.path).unwrap();
    let all = store.list(None, 10).unwrap();
    let [metrics, measured] = &all[..] else { panic!("{all:?}") };
    let metrics = store.whole(metrics.clone(), 1).unwrap();
    assert_eq!((metrics.values.len(), metrics.methods.len(), metrics.verdicts.len()), (8, 1, 0));
    assert_eq!(metrics.listed.began.as_deref(), Some("2023-11-14 22:13:20"));
    assert_eq!(metrics.values.iter().filter(|value| value.bounds.is_none()).count(), 2);
    let measured = store.whole(measured.clone(), 1).unwrap();
    assert_eq!((measured.verdicts.len(), measured.verdicts[0].result.as_str()), (1, "holds"));
}

#[test]
fn two_writers_at_once_lose_nothing() {
    let place = place();
    let write = |name: char| {
        let path = place.path.clone();
        thread::spawn(move || {
            for number in 0..20 {
                Store::create(&path)
                    .unwrap()
                    .insert(&[run(&format!("{name}{number}"), number)], &[])
                    .unwrap();
            }
        })
    };
    let both = [write('a'), write('b')];
    both.into_iter().for_each(|one| one.join().unwrap());
    assert_eq!((count(&place.path, "run"), count(&place.path, "value")), (40, 320));
}

#[test]
fn contents_of_runs_are_counted_without_reading_them() {
    let place = place();
    filled(&place, &[run("a", 85), measured()]);
    let store = Store::read(&place.path).unwrap();
    for listed in store.list(None, 10).unwrap() {
        let contents = store.contents(listed.id).unwrap();
        let whole = store.whole(listed, 10).unwrap();
        let failed = whole.verdicts.iter().filter(|verdict| verdict.result == "fails").count();
        assert_eq!(
            [contents.values, contents.results, contents.failed],
            [whole.values.len(), whole.verdicts.len(), failed].map(|count| count as u64)
        );
        assert!(contents.values + contents.results > 0);
    }
    assert_eq!(store.contents(9).unwrap(), crate::Contents::default());
}

#[test]
fn tables_have_the_columns_that_queries_see() {
    let place = place();
    filled(&place, &[run("a", 85), measured()]);
    let tables = Store::read(&place.path).unwrap().tables().unwrap();
    for table in &tables {
        let sql = format!("SELECT {} FROM {} LIMIT 1", table.columns.join(", "), table.name);
        assert!(table.columns.len() > 1 && answer(&place.path, &sql).len() <= 1, "{table:?}");
    }
    assert_eq!(tables.len(), 7);
}
