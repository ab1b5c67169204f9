//! One measurement to be made: settings, tasks and the folder that they and the results are in.

use crate::harness::{self, DEADLINE, poll};
use crate::running::Running;
use spl_model::MethodRef;
use spl_records::{Measurement, Reader, ResultRecord, measurement_files};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Settings that decide soon and measure all methods at once, as sections, keys and values.
const SETTINGS: [(&str, &str, &str); 9] = [
    ("communication", "initial-sleep", "0"),
    ("communication", "cycle-sleep", "0"),
    ("scheduler", "profile", "thesis"),
    ("scheduler", "initial-optimal-measurements", "100"),
    ("scheduler", "min-measuring-diff", "1"),
    ("scheduler", "argument-size", "nocheck"),
    ("controller", "min-method-measurements", "200"),
    ("controller", "max-method-measurements", "400"),
    ("controller", "measurements-to-flush", "10"),
];

/// Settings and a folder of their own.
pub struct Case {
    folder: TempDir,
    settings: BTreeMap<(String, String), String>,
    tasks: String,
    /// Whether `spl run` tells all that it knows.
    detailed: bool,
}

impl Case {
    /// A case that decides comparisons.
    pub fn comparing(tasks: &str) -> Self {
        let text = |(section, key, value): (&str, &str, &str)| {
            ((section.to_owned(), key.to_owned()), value.to_owned())
        };
        Self {
            folder: tempfile::tempdir().unwrap(),
            settings: SETTINGS.map(text).into(),
            tasks: tasks.to_owned(),
            detailed: false,
        }
    }

    /// With `-v`: all that is known of each result.
    pub fn in_detail(mut self) -> Self {
        self.detailed = true;
        self
    }

    /// A case that only measures.
    pub fn measuring(methods: &[&str]) -> Self {
        Self::comparing(&(methods.join("\n") + "\n")).set("controller", "run-mode", "measurement")
    }

    /// With other tasks.
    pub fn tasks(mut self, tasks: &str) -> Self {
        tasks.clone_into(&mut self.tasks);
        self
    }

    /// With another value of a setting.
    pub fn set(mut self, section: &str, key: &str, value: &str) -> Self {
        self.settings.insert((section.to_owned(), key.to_owned()), value.to_owned());
        self
    }

    /// With this value of a setting that the test has not chosen itself.
    pub fn unless_set(self, section: &str, key: &str, value: &str) -> Self {
        let chosen = self.settings.get(&(section.to_owned(), key.to_owned()));
        let default = SETTINGS.iter().find(|(one, named, _)| (*one, *named) == (section, key));
        if chosen.map(String::as_str) == default.map(|(_, _, value)| *value) {
            self.set(section, key, value)
        } else {
            self
        }
    }

    /// So that no method is ever finished.
    pub fn endless(self) -> Self {
        let many = "1000000000";
        self.set("controller", "min-method-measurements", many).set(
            "controller",
            "max-method-measurements",
            many,
        )
    }

    /// A path in the case's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts `spl run` with this command.
    pub fn start<S: Into<OsString>>(&self, command: impl IntoIterator<Item = S>) -> Running {
        let mut spl = self.spl();
        spl.args(command.into_iter().map(Into::into));
        Running::start(spl, self.folder.path())
    }

    /// Starts `spl run` with Java and these arguments, to which the class path is added.
    pub fn java(&self, arguments: &[&str]) -> Running {
        self.start(java(arguments))
    }

    /// The command line up to the `--`.
    pub fn spl(&self) -> Command {
        let mut arguments = vec!["run", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out"];
        arguments.extend(self.detailed.then_some("-v"));
        self.spl_with(&[&arguments[..], &["--"]].concat())
    }

    /// `spl` with these arguments, in the case's folder, where `spl.ini` and `spl.tasks` are.
    pub fn spl_with(&self, arguments: &[&str]) -> Command {
        fs::write(self.path("spl.ini"), self.ini()).unwrap();
        fs::write(self.path("spl.tasks"), &self.tasks).unwrap();
        harness::agent();
        let mut spl = Command::new(harness::spl());
        spl.args(arguments).current_dir(self.folder.path());
        // The socket goes into the case's folder, by which the program is known.
        spl.env("TMPDIR", self.folder.path());
        for variable in
            ["XDG_RUNTIME_DIR", "SPL_SERVER_CONFIG", "SPL_TEST_JAVA", "JAVA_TOOL_OPTIONS", "RUST_LOG"]
        {
            spl.env_remove(variable);
        }
        spl
    }

    fn ini(&self) -> String {
        let line =
            |((section, key), value): (&(String, String), &String)| format!("[{section}]\n{key} = {value}\n");
        self.settings.iter().map(line).collect()
    }

    /// The measurements of a method on disk so far; nothing when there is no file.
    pub fn measurements(&self, method: &str) -> Vec<Measurement> {
        read_measurements(&self.path("out/measurements"), method)
    }

    /// Waits until this number of measurements of a method is on disk, without reading them all again and
    /// again.
    pub fn awaits_measurements(&self, method: &str, count: u64) {
        awaits_measurements_in(&self.path("out/measurements"), method, count);
    }

    /// The results written so far.
    pub fn results(&self) -> Vec<ResultRecord> {
        read_results(&self.path("out/result.eval"))
    }
}

/// Waits until a method's file in `folder` has `count` records at least.
pub fn awaits_measurements_in(folder: &Path, method: &str, count: u64) {
    let what = format!("{count} calls of {method}");
    poll(&what, DEADLINE, || has_measurements(folder, method, count).then_some(()));
}

/// Whether a method's file in `folder` has `count` records at least.
pub fn has_measurements(folder: &Path, method: &str, count: u64) -> bool {
    let path = file_of(folder, method);
    if fs::metadata(&path).map_or(0, |file| file.len()) < count * SHORTEST_RECORD {
        return false;
    }
    let bytes = fs::read(&path).unwrap();
    // A file that is being written may have half a record at its end.
    let records = Reader::<Measurement>::new(&bytes).map_or(0, |records| records.flatten().count());
    records as u64 >= count
}

/// Fewer bytes than any record has: a file with less than this for each record need not be read.
const SHORTEST_RECORD: u64 = 8;

/// A command line of Java with the test programs as its class path.
pub fn java(arguments: &[&str]) -> Vec<OsString> {
    let mut command = vec![harness::java().into(), "-cp".into(), harness::classes().into()];
    command.extend(arguments.iter().map(Into::into));
    command
}

/// The records of a method's measurement file in a folder.
pub fn read_measurements(folder: &Path, method: &str) -> Vec<Measurement> {
    let bytes = fs::read(file_of(folder, method)).unwrap_or_default();
    Reader::new(&bytes).unwrap().map(|record| record.unwrap()).collect()
}

fn file_of(folder: &Path, method: &str) -> PathBuf {
    let method: MethodRef = method.parse().unwrap();
    folder.join(&measurement_files(&[method])[0])
}

/// The records of a result file.
pub fn read_results(path: &Path) -> Vec<ResultRecord> {
    let bytes = fs::read(path).unwrap_or_default();
    Reader::new(&bytes).unwrap().map(|record| record.unwrap()).collect()
}
