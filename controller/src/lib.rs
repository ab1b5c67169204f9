//! The controller: command line, daemon, configuration and reports.
//!
//! The entry point is [`main`]; [`run`] and [`serve`] are its commands. The measurement itself, with the loop
//! and its state, is `spl-session`, which reports its progress to [`showing`]; `spl-classes` finds the
//! classes.

#![forbid(unsafe_code)]

mod analyse;
mod api_jar;
mod asking;
mod attach;
mod attached;
mod cfg;
mod check;
mod claims;
mod cli;
mod colour;
mod config;
mod counted;
mod details;
mod doctor;
mod document;
mod drill;
mod drilled;
mod duration;
mod each;
mod ending;
mod eval;
mod every;
mod export;
mod fmt;
mod foreground;
mod heard;
mod instrument;
mod judgement;
mod junit;
mod launcher;
mod live;
mod looking;
mod manual;
mod methods;
mod metrics;
#[cfg(test)]
mod moment;
mod names;
mod numbers;
mod pages;
mod picture;
mod program;
mod progress;
mod query;
mod reading;
mod reload;
mod report;
mod reports;
mod run;
mod said;
mod sampled;
mod serve;
mod shell;
mod showing;
mod sources;
mod stdout;
mod stopping;
mod store;
mod table;
mod tallies;
mod tasks;
mod top;
mod trace;
mod tryout;
mod units;
mod unmeasured;

use clap::Parser;
use spl_verdict::ExitStatus;
use std::process::ExitCode;

/// Runs the command line.
#[must_use]
pub fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .with_writer(std::io::stderr)
        .init();
    let result = match &cli.command {
        cli::Command::Run(arguments) => match run::run(arguments) {
            // The status may be the program's.
            Ok(code) => return ExitCode::from(code),
            Err(problem) => Err(problem),
        },
        cli::Command::Top(arguments) => top::top(arguments),
        cli::Command::Drill(arguments) => drill::drill(arguments),
        cli::Command::Serve(arguments) => serve::serve(arguments),
        cli::Command::Client(arguments) => serve::client(arguments),
        cli::Command::Attach(arguments) => attach::attach(arguments),
        cli::Command::Detach(arguments) => attach::detach(arguments),
        cli::Command::Doctor(arguments) => doctor::doctor(arguments),
        cli::Command::Enable(arguments) => units::enable(arguments),
        cli::Command::Disable(arguments) => units::disable(arguments),
        cli::Command::CopyAgent(arguments) => units::copy_agent(arguments),
        cli::Command::Instrument(arguments) => instrument::instrument(arguments),
        cli::Command::Eval(arguments) => eval::eval(arguments),
        cli::Command::Report(arguments) => report::report(arguments),
        cli::Command::Check(arguments) => check::check(arguments),
        cli::Command::Methods(arguments) => methods::methods(arguments),
        cli::Command::Cfg(arguments) => cfg::cfg(arguments),
        cli::Command::Export(arguments) => export::export(arguments),
        cli::Command::Trace(arguments) => trace::trace(arguments),
        cli::Command::Analyse(arguments) => analyse::analyse(arguments),
        cli::Command::Metrics(arguments) if arguments.sampled => sampled::sampled(arguments),
        cli::Command::Metrics(arguments) => analyse::measured(arguments),
        cli::Command::Store(arguments) => store::store(arguments),
        cli::Command::Query(arguments) => query::query(arguments),
        cli::Command::Pages(arguments) => pages::pages(arguments),
        cli::Command::Fmt(arguments) => fmt::fmt(arguments),
        cli::Command::ApiJar(arguments) => api_jar::api_jar(arguments),
        cli::Command::Completions(arguments) => shell::completions(arguments),
        cli::Command::Man(arguments) => shell::man(arguments),
    };
    let status = result.unwrap_or_else(|problem| {
        said::say(&format!("error: {problem}"));
        if cli.command.prints_json() {
            // The exit status reports the failure too.
            let _ = stdout::print_json(&serde_json::json!({ "schema": "spl.error/1", "error": problem }));
        }
        ExitStatus::Error
    });
    ExitCode::from(status.code())
}
