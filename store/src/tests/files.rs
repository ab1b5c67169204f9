//! Files that are not stores, of other versions, damaged, full, or left by a killed process.

use super::{Place, filled, measured, place, run};
use crate::schema::{APPLICATION, VERSION};
use crate::{Asked, Cell, Store};
use rusqlite::Connection;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

/// Tells the test below that it is the process that is killed.
const VICTIM: &str = "SPL_STORE_VICTIM";

fn refused(path: &Path) -> [String; 2] {
    let before = fs::read(path).unwrap();
    let both = [Store::read(path).unwrap_err().to_string(), Store::existing(path).unwrap_err().to_string()];
    assert!(before == fs::read(path).unwrap(), "the file was changed");
    both
}

fn runs(path: &Path) -> Vec<Vec<Cell>> {
    let sql = "SELECT count(*), (SELECT count(*) FROM value) FROM run".to_owned();
    Asked { store: path.to_owned(), sql, values: Vec::new() }.answer().unwrap().rows
}

#[test]
fn a_store_of_each_earlier_version_becomes_one_of_this() {
    for version in 1..VERSION {
        let Place { path, _folder } = place();
        {
            let connection = Connection::open(&path).unwrap();
            crate::schema::migrate(&connection, crate::schema::State::Empty, version).unwrap();
            connection
                .execute_batch(
                    "INSERT INTO run (identity, digest, kind, program, command, added, folder)
                    VALUES ('a', 'b', 'metrics', 'M', 'M 1', '', 'o');
                    INSERT INTO metric VALUES (1, 'base.objects.value', 'M4', 'base', 'objects', 'value', 'count', '', '');
                    INSERT INTO space VALUES (1, 'app');
                    INSERT INTO measured VALUES (1, 1, 1, -1, NULL, 4, 4, 4, 'exact', NULL);",
                )
                .unwrap();
        }
        let wrong = Store::read(&path).unwrap_err().to_string();
        assert!(wrong.contains(&format!("version {version}")), "{wrong}");
        Store::existing(&path).unwrap().insert(&[measured()], &[]).unwrap();
        assert_eq!(runs(&path), [[Cell::Whole(2), Cell::Whole(1)]], "version {version}");
    }
}

#[test]
fn a_store_of_a_newer_version_is_refused() {
    let place = place();
    filled(&place, &[run("a", 1)]);
    Connection::open(&place.path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    for wrong in refused(&place.path) {
        assert!(wrong.contains("is a store of version 99") && wrong.contains("newer"), "{wrong}");
    }
}

#[test]
fn a_version_that_its_tables_do_not_have_is_refused() {
    for version in [0, 1] {
        let place = place();
        filled(&place, &[run("a", 1)]);
        let set = |version: usize| {
            Connection::open(&place.path)
                .unwrap()
                .pragma_update(None, "user_version", version as i64)
                .unwrap();
        };
        set(version);
        for wrong in refused(&place.path) {
            let said = format!("version {version}, and has the tables of version {VERSION}");
            assert!(wrong.contains(&said) && wrong.contains("set user_version to"), "{wrong}");
        }
        // The remedy helps, and nothing is lost.
        set(VERSION);
        assert_eq!(runs(&place.path)[0][0], Cell::Whole(1));
    }
}

#[test]
fn what_is_no_store_is_refused() {
    let Place { path, _folder } = place();
    assert!(Store::read(&path).unwrap_err().to_string().contains("there is no store"));
    assert!(Store::existing(&path).unwrap_err().to_string().contains("there is no store"));
    assert!(!path.exists());
    fs::write(&path, "a text, and not a short one: ".repeat(100)).unwrap();
    for wrong in refused(&path) {
        assert!(wrong.contains("nor any file of SQLite"), "{wrong}");
    }
    fs::remove_file(&path).unwrap();
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE run (id); INSERT INTO run VALUES (1)")
        .unwrap();
    for wrong in refused(&path) {
        assert!(wrong.contains("is a file of SQLite, but not a store"), "{wrong}");
    }
    fs::write(&path, "").unwrap();
    assert!(Store::read(&path).unwrap_err().to_string().contains("is empty"));
    fs::remove_file(&path).unwrap();
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert!(Store::read(&path).unwrap_err().to_string().contains("is a folder, a device or a pipe"));
    let missing = path.join("missing").join("x.db");
    for wrong in [Store::create(&missing), Store::existing(&missing), Store::read(&missing)] {
        assert!(wrong.unwrap_err().to_string().contains("missing; make it, or name another"));
    }
}

#[test]
fn damaged_files_give_errors_and_no_panic() {
    let place = place();
    filled(&place, &[run("a", 1), measured()]);
    let good = fs::read(&place.path).unwrap();
    let used = |bytes: &[u8]| {
        fs::write(&place.path, bytes).unwrap();
        let sql = "SELECT * FROM value UNION ALL SELECT * FROM value".to_owned();
        let _ = Asked { store: place.path.clone(), sql, values: Vec::new() }.answer();
        if let Ok(store) = Store::read(&place.path) {
            for listed in store.list(None, 10).unwrap_or_default() {
                let _ = store.whole(listed, 10);
            }
        }
        if let Ok(mut store) = Store::existing(&place.path) {
            let _ = store.insert(&[run("b", 2)], &[]);
        }
        fs::remove_file(place.path.with_file_name("spl-store.db-journal")).ok();
    };
    for part in 0..12 {
        used(&good[..good.len() * part / 12]);
    }
    // A prime, so that headers and contents of pages are met.
    for at in (0..good.len()).step_by(509) {
        let mut bad = good.clone();
        bad[at] ^= 0xff;
        used(&bad);
    }
}

#[test]
fn a_full_disk_takes_nothing_and_says_so() {
    let place = place();
    filled(&place, &[run("a", 1)]);
    let before = fs::read(&place.path).unwrap();
    let mut store = Store::existing(&place.path).unwrap();
    let pages: i64 = store.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    store.connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).unwrap();
    let many: Vec<_> = (0..50).map(|number| run(&format!("b{number}"), number)).collect();
    let wrong = store.insert(&many, &[]).unwrap_err().to_string();
    assert!(wrong.contains("the disk is full, so nothing was written"), "{wrong}");
    drop(store);
    assert!(before == fs::read(&place.path).unwrap());
    assert_eq!(runs(&place.path), [[Cell::Whole(1), Cell::Whole(8)]]);
}

#[test]
fn what_a_killed_process_has_written_is_taken_back() {
    if let Some(path) = env::var_os(VICTIM) {
        half_written(Path::new(&path));
    }
    let place = place();
    filled(&place, &[run("a", 1)]);
    let mut victim = Command::new(env::current_exe().unwrap())
        .args(["--exact", "tests::files::what_a_killed_process_has_written_is_taken_back", "--nocapture"])
        .env(VICTIM, &place.path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(victim.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("half written")), "the process did not write");
    let busy = fs::read(&place.path).unwrap();
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert!(place.path.with_file_name("spl-store.db-journal").exists());
    assert_eq!(runs(&place.path), [[Cell::Whole(1), Cell::Whole(8)]]);
    assert!(busy != fs::read(&place.path).unwrap(), "nothing had come into the file");
    assert_eq!(Store::existing(&place.path).unwrap().count(None).unwrap(), 1);
}

/// Writes more than SQLite keeps in memory, without an end.
fn half_written(path: &Path) {
    let mut store = Store::existing(path).unwrap();
    store.connection.pragma_update(None, "cache_size", 2).unwrap();
    let transaction = store.connection.transaction().unwrap();
    let insert = "INSERT INTO run (identity, digest, kind, program, command, added, folder) VALUES (?, '', '', '', '', '', ?)";
    for number in 0..500 {
        transaction.execute(insert, rusqlite::params![format!("v{number}"), "x".repeat(2_000)]).unwrap();
    }
    println!("half written");
    // Until it is killed.
    std::io::stdin().lines().next();
    loop {
        std::thread::park();
    }
}

#[test]
fn the_header_says_what_the_file_is() {
    let place = place();
    filled(&place, &[]);
    let bytes = fs::read(&place.path).unwrap();
    assert_eq!(bytes[68..72], APPLICATION.to_be_bytes());
}
