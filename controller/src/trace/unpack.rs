//! The folder of a drill from a stream of its trace.

use super::replayed::Recorded;
use crate::drill::arriving::{LOOSE, METHODS, METHODS_HEAD};
use crate::drill::traced::{FOLDER, RECEIVERS};
use crate::drilled::digest;
use spl_export::DOCUMENT;
use spl_trace::file::head;
use spl_trace::stream::Record;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Files that are kept open.
const MOST_OPEN: usize = 256;

/// The folder while it is written, as that of a drill that goes on.
pub struct Folder {
    drill: PathBuf,
    traces: PathBuf,
    table: File,
    threads: BTreeMap<u64, File>,
    is_whole: bool,
}

impl Folder {
    /// Makes it in another folder.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn make(within: &Path) -> io::Result<Self> {
        let drill = within.join("drill");
        let traces = drill.join("trace.0");
        fs::create_dir_all(traces.join(LOOSE))?;
        let mut table = File::create(traces.join(METHODS))?;
        table.write_all(METHODS_HEAD.as_bytes())?;
        Ok(Self { drill, traces, table, threads: BTreeMap::new(), is_whole: false })
    }

    /// Writes a part of the stream.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, record: Record) -> io::Result<()> {
        match record {
            Record::Class(bytes) => {
                let name = format!("{}.class", digest(&bytes));
                fs::write(self.traces.join(LOOSE).join(name), bytes)
            }
            Record::Receivers(table) => fs::write(self.traces.join(RECEIVERS), table),
            Record::Methods(lines) => self.table.write_all(lines.as_bytes()),
            Record::Frame { thread, bytes } => {
                if !self.threads.contains_key(&thread) {
                    if self.threads.len() >= MOST_OPEN {
                        self.threads.clear();
                    }
                    let path = self.traces.join(format!("{thread}.spt"));
                    let is_new = !path.exists();
                    let mut file = File::options().append(true).create(true).open(path)?;
                    if is_new {
                        file.write_all(&head(thread))?;
                    }
                    self.threads.insert(thread, file);
                }
                self.threads.get_mut(&thread).map_or(Ok(()), |file| file.write_all(&bytes))
            }
            Record::End(document) => {
                self.is_whole = true;
                fs::write(self.drill.join(DOCUMENT), document)
            }
        }
    }

    /// Whether no thread has words.
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// The folder of the drill. `cut` is what is known of it if the stream has no end.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self, cut: &Recorded) -> io::Result<PathBuf> {
        if !self.is_whole {
            fs::write(self.drill.join(DOCUMENT), serde_json::to_vec(cut)?)?;
        }
        fs::rename(&self.traces, self.drill.join(FOLDER))?;
        Ok(self.drill)
    }
}
