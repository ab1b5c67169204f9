//! Opening a store: to write, or to read only.

use crate::error::{PATIENCE, StoreError};
use crate::schema::{self, State, VERSION};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::fs;
use std::path::{Path, PathBuf};

/// A store that is open.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
}

impl Store {
    /// Opens a store to write. A missing file is made, and one of an older version becomes one of this version.
    ///
    /// # Errors
    /// When it cannot be opened, or is not a store of a known version; the file is as it was.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        regular(path)?;
        in_a_folder(path)?;
        let mut store = Self::at(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        if store.state()? != State::Version(VERSION) {
            store.migrate(VERSION)?;
        }
        Ok(store)
    }

    /// Opens a store that exists, to write.
    ///
    /// # Errors
    /// As [`Store::create`], and when there is none.
    pub fn existing(path: &Path) -> Result<Self, StoreError> {
        present(path)?;
        Self::create(path)
    }

    /// Opens a store to read. A write that was cut short is taken back first, if this user may do that.
    ///
    /// # Errors
    /// When it cannot be opened, or is not a store of this version.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        present(path)?;
        if journal(path).exists() {
            // Only a connection that may write takes back what a killed process has left; without one the read below says why.
            let writer = Self::at(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            let _ = writer.connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
        }
        let store = Self::at(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        match store.state()? {
            State::Version(VERSION) => Ok(store),
            State::Version(older) => Err(StoreError::File(format!(
                "{} is a store of version {older}, and this spl reads version {VERSION}: `spl store upgrade` brings it to that",
                store.name()
            ))),
            State::Empty => {
                Err(StoreError::File(format!("{} is empty; `spl store add` fills it", store.name())))
            }
        }
    }

    /// Brings the file to a version, as a whole or not at all.
    pub(crate) fn migrate(&mut self, to: usize) -> Result<(), StoreError> {
        let path = self.path.clone();
        let wrong = |error: rusqlite::Error| StoreError::of(&path, &error);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(wrong)?;
        // Another process may have done it meanwhile.
        let state = schema::state(&transaction, &shown(&path)).map_err(|why| why.unwrap_or_else(&wrong))?;
        schema::migrate(&transaction, state, to).map_err(wrong)?;
        transaction.commit().map_err(wrong)
    }

    /// The file's name, for messages.
    pub(crate) fn name(&self) -> String {
        shown(&self.path)
    }

    /// An error of SQLite as one of this store.
    pub(crate) fn wrong(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::of(&self.path, error)
    }

    /// As of one moment: another process may make the tables meanwhile.
    fn state(&self) -> Result<State, StoreError> {
        let wrong = |error: rusqlite::Error| self.wrong(&error);
        let moment = self.connection.unchecked_transaction().map_err(wrong)?;
        schema::state(&moment, &self.name()).map_err(|why| why.unwrap_or_else(wrong))
    }

    fn at(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let wrong = |error: rusqlite::Error| StoreError::of(path, &error);
        let connection = Connection::open_with_flags(path, flags).map_err(wrong)?;
        connection.busy_timeout(PATIENCE).map_err(wrong)?;
        // The file may be somebody else's: its views and defaults call nothing that has effects, and its pages are checked.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map_err(wrong)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false).map_err(wrong)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false).map_err(wrong)?;
        connection.pragma_update(None, "cell_size_check", true).map_err(wrong)?;
        Ok(Self { connection, path: path.to_owned() })
    }
}

/// The file in which SQLite keeps what it may have to take back.
fn journal(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-journal");
    name.into()
}

fn shown(path: &Path) -> String {
    spl_model::one_line(&path.display().to_string())
}

fn present(path: &Path) -> Result<(), StoreError> {
    in_a_folder(path)?;
    if !path.exists() {
        let name = shown(path);
        return Err(StoreError::File(format!(
            "there is no store {name}; `spl store add` makes one, or name another with --store"
        )));
    }
    regular(path)
}

/// Refuses a file whose folder is missing.
fn in_a_folder(path: &Path) -> Result<(), StoreError> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) if !folder.is_dir() => {
            let (name, folder) = (shown(path), shown(folder));
            Err(StoreError::File(format!(
                "cannot open {name}: there is no folder {folder}; make it, or name another file with --store"
            )))
        }
        _ => Ok(()),
    }
}

/// Refuses pipes and folders: a pipe would let its reader wait.
fn regular(path: &Path) -> Result<(), StoreError> {
    match fs::metadata(path) {
        Ok(of) if !of.is_file() => Err(StoreError::File(format!(
            "{} is a folder, a device or a pipe, and a store is a file; name another with --store",
            shown(path)
        ))),
        _ => Ok(()),
    }
}
