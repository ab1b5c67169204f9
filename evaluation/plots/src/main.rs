//! Draws the charts of JSON files that have them under `plots`.
#![forbid(unsafe_code)]

use clap::Parser;
use serde::Deserialize;
use spl_plots::{Chart, svg};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Draws charts as SVG.
#[derive(Debug, Parser)]
struct Options {
    /// JSON files with a list `plots`.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Folder for the charts.
    #[arg(long)]
    into: PathBuf,
}

/// Wanted contents of such a file.
#[derive(Debug, Deserialize)]
struct Figures {
    plots: Vec<Chart>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    for file in &options.files {
        if let Err(why) = draw(file, &options.into) {
            eprintln!("spl-plots: {}: {why}", file.display());
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn draw(file: &Path, into: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let figures: Figures = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    for chart in &figures.plots {
        std::fs::write(into.join(&chart.file), svg(chart)?)?;
    }
    Ok(())
}
