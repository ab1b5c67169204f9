//! The classes of a traced program, on the disk as soon as they arrive: the traces of a drill that is killed can be read with them.

use super::rings::Tracing;
use super::streaming::Stream;
use crate::drilled::{digest, quoted};
use spl_profile::{CountedClass, CountedMethod};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The table of methods in the folder of traces.
pub const METHODS: &str = "methods.csv";
/// The folder of class files in it, until the drill is finished.
pub const LOOSE: &str = "classes";
/// The first line of the table.
pub const METHODS_HEAD: &str = "number,sha256,method\n";

/// The files of the classes so far.
#[derive(Debug)]
pub struct Arriving {
    folder: PathBuf,
    table: Option<File>,
    known: BTreeSet<String>,
    keeps_classes: bool,
    has_failed: bool,
    /// Where they go instead.
    stream: Option<Arc<Stream>>,
}

impl Arriving {
    /// Files in the folder of the traces of a JVM, or parts of a stream. Without class files only the table of methods is written.
    pub fn new(folder: &Path, tracing: &Tracing) -> Self {
        let (folder, keeps_classes, stream) =
            (folder.to_owned(), tracing.keeps_classes, tracing.stream.clone());
        Self { folder, table: None, known: BTreeSet::new(), keeps_classes, has_failed: false, stream }
    }

    /// Writes a class that has arrived whole: first its file, then the lines of its methods. After an error nothing more is written.
    ///
    /// # Errors
    /// When it cannot be written; one line of text.
    pub fn add(&mut self, class: &CountedClass) -> Result<(), String> {
        if self.has_failed {
            return Ok(());
        }
        if let Some(stream) = &self.stream {
            let written = stream.class(&class.bytes, lines(class));
            self.has_failed = written.is_err();
            return written;
        }
        self.write(class).map_err(|error| {
            self.has_failed = true;
            let folder = self.folder.display();
            format!("cannot write to {folder}: {error}; if spl is killed, the traces cannot be read whole")
        })
    }

    fn write(&mut self, class: &CountedClass) -> io::Result<()> {
        let name = digest(&class.bytes);
        if self.keeps_classes && !self.known.contains(&name) {
            let loose = self.folder.join(LOOSE);
            if self.known.is_empty() {
                fs::DirBuilder::new().recursive(true).mode(0o700).create(&loose)?;
            }
            let mut file = File::options()
                .write(true)
                .create(true)
                .truncate(true)
                .mode(0o600)
                .open(loose.join(format!("{name}.class")))?;
            file.write_all(&class.bytes)?;
            self.known.insert(name);
        }
        let table = match &mut self.table {
            Some(table) => table,
            none => {
                let mut table = File::options().append(true).create(true).open(self.folder.join(METHODS))?;
                table.write_all(METHODS_HEAD.as_bytes())?;
                none.insert(table)
            }
        };
        // At once: a kill leaves whole lines.
        table.write_all(lines(class).as_bytes())
    }
}

/// The lines of a class in the table of methods.
pub fn lines(class: &CountedClass) -> String {
    let digest = digest(&class.bytes);
    let traced = class.methods.iter().filter(|method| method.counters.is_ok());
    let line = |method: &CountedMethod| {
        let name = format!("{}.{}{}", class.name, method.name, method.descriptor);
        format!("{},{digest},{}\n", method.first, quoted(&name))
    };
    traced.map(line).collect()
}
