//! The store of runs: `spl store`, `spl query` and `spl pages`.

use super::help::{PAGES_HELP, QUERY_HELP, STORE_HELP};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Which store.
#[derive(Clone, Debug, Args)]
pub struct StoreFile {
    /// File of the store.
    #[arg(
        long,
        value_name = "FILE",
        env = "SPL_STORE",
        hide_env_values = true,
        default_value = "spl-store.db"
    )]
    pub store: PathBuf,
}

/// `spl store`
#[derive(Debug, Args)]
#[command(after_help = STORE_HELP)]
pub struct Store {
    #[command(subcommand)]
    pub command: StoreCommand,
}

/// Ways to change a store, and to list it.
#[derive(Debug, Subcommand)]
pub enum StoreCommand {
    /// Insert runs: drills with metrics, and measurements. A run that is there already stays one.
    Add(StoreAdd),
    /// List the runs, the newest first.
    List(StoreList),
    /// Give tags to runs, and take some away.
    Tag(StoreTag),
    /// Remove runs with all that the store has of them.
    Remove(StoreRemove),
    /// Bring a store of an older version to this one.
    Upgrade(StoreUpgrade),
}

/// `spl store add`
#[derive(Debug, Args)]
pub struct StoreAdd {
    #[command(flatten)]
    pub file: StoreFile,
    /// Give these runs a tag; may be given several times.
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Folders of drills, folders of measurements, or the folders that drills are in.
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
}

/// `spl store list`
#[derive(Debug, Args)]
pub struct StoreList {
    #[command(flatten)]
    pub file: StoreFile,
    /// List the runs with this tag only.
    #[arg(long, value_name = "TAG")]
    pub tag: Option<String>,
    /// List at most this number of runs.
    #[arg(long, value_name = "COUNT", default_value_t = 1000)]
    pub limit: usize,
    /// In which form.
    #[arg(long = "as", value_name = "FORM", value_enum, default_value = "text")]
    pub form: AnswerForm,
}

/// `spl store tag`
#[derive(Debug, Args)]
pub struct StoreTag {
    #[command(flatten)]
    pub file: StoreFile,
    /// A tag to give; may be given several times.
    #[arg(long, value_name = "TAG", required_unless_present = "remove")]
    pub add: Vec<String>,
    /// A tag to take away; may be given several times.
    #[arg(long, value_name = "TAG")]
    pub remove: Vec<String>,
    /// Numbers of the runs.
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<i64>,
}

/// `spl store remove`
#[derive(Debug, Args)]
pub struct StoreRemove {
    #[command(flatten)]
    pub file: StoreFile,
    /// Numbers of the runs.
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<i64>,
}

/// `spl store upgrade`
#[derive(Debug, Args)]
pub struct StoreUpgrade {
    #[command(flatten)]
    pub file: StoreFile,
}

/// `spl query`
#[derive(Debug, Args)]
#[command(after_help = QUERY_HELP)]
pub struct Query {
    #[command(flatten)]
    pub file: StoreFile,
    /// In which form.
    #[arg(long = "as", value_name = "FORM", value_enum, default_value = "text")]
    pub form: AnswerForm,
    /// Where to write it [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Read the query from a file; values of its parameters stay on the command line.
    #[arg(long = "from", value_name = "FILE", conflicts_with = "saved")]
    pub from: Option<PathBuf>,
    /// Print the saved queries with what they answer.
    #[arg(long, conflicts_with_all = ["output", "form"])]
    pub saved: bool,
    /// A query, SELECT …, or @NAME for a saved one; then the values of its parameters ?1, ?2 and so on.
    #[arg(value_name = "SQL", required_unless_present_any = ["saved", "from"])]
    pub words: Vec<String>,
}

/// `spl pages`
#[derive(Debug, Args)]
#[command(after_help = PAGES_HELP)]
pub struct Pages {
    #[command(flatten)]
    pub file: StoreFile,
    /// Write the pages into DIR, which is made if it is missing.
    #[arg(long, value_name = "DIR", required_unless_present = "serve")]
    pub export: Option<PathBuf>,
    /// Serve the pages and an editor of queries at 127.0.0.1, for the browser that opens the printed address.
    #[arg(long, conflicts_with_all = ["export", "replace", "compare"])]
    pub serve: bool,
    /// Serve at this port of 127.0.0.1 [default: a free one]
    #[arg(long, value_name = "PORT", requires = "serve", conflicts_with = "export")]
    pub port: Option<u16>,
    /// Write into a folder that has such pages already, and remove those of runs that are gone.
    #[arg(long)]
    pub replace: bool,
    /// Take the runs with this tag only.
    #[arg(long, value_name = "TAG")]
    pub tag: Option<String>,
    /// Take at most this number of runs, the newest.
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub last: u16,
    /// One more page: the difference of two runs, as in --compare 3,7; may be given several times.
    #[arg(long, value_name = "RUN,RUN", value_parser = pair)]
    pub compare: Vec<(i64, i64)>,
}

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnswerForm {
    /// A table for people; long texts are cut.
    Text,
    /// One table with all digits.
    Csv,
    /// One JSON document (docs/schema/query-1.json).
    Json,
}

fn pair(text: &str) -> Result<(i64, i64), String> {
    let numbers =
        text.split_once(',').and_then(|(one, other)| one.trim().parse().ok().zip(other.trim().parse().ok()));
    numbers.ok_or_else(|| "two numbers of runs with a comma between them are expected, as in 3,7".to_owned())
}
