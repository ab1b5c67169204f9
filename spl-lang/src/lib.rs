//! Task files and SPL formulas: text to spanned syntax trees, with diagnostics.
//!
//! [`parse_tasks`] reads a file of the thesis's form (3.3.3) and reports every error in it:
//!
//! ```
//! use spl_lang::{RunMode, parse_tasks};
//! let text = "a/B.f()V =< a/B.g()V\na/B.f(int)V < a/B.g()V\n";
//! let errors = parse_tasks(text, RunMode::Comparison).unwrap_err();
//! assert_eq!(errors[0].to_string(), "1:10: error: `=<` is not a comparison sign");
//! assert_eq!(errors[1].help.as_deref(), Some("did you mean `a/B.f(I)V`?"));
//! ```
//!
//! [`parse_file`] reads the full language: methods named as in Java, names, bounds, statistics and formulas.
//! Only the program's classes tell which methods are meant, so [`File::check`](ast::File::check) asks for
//! them and makes a [`Program`]. The manual, `docs/language.md`, has the grammar and what each construct
//! means.
//!
//! Claims about metrics stand in the same files. [`File::metric_claims`](ast::File::metric_claims) finds their
//! metrics in a table that its caller has.
//!
//! [`format`] writes a file in its standard form. This crate reads neither files nor clocks, and no text
//! makes it panic.
#![forbid(unsafe_code)]

pub mod ast;
mod check;
mod descriptor;
mod diagnostic;
mod file;
mod format;
mod method;
mod methods;
mod metrics;
mod names;
mod parse;
mod problem;
mod program;
mod render;
mod sign;
mod source;
mod tasks;

pub use check::parse_tasks;
pub use diagnostic::{Diagnostic, Related, Severity, Span};
pub use format::format;
pub use methods::Classes;
pub use metrics::{
    KnownMetric, MetricAtom, MetricClaim, MetricClaims, MetricOf, MetricOperand, MetricSpace, MetricUnit,
};
pub use names::{parse_file, read_file};
pub use program::{Assertion, Atom, Program, Scaled};
pub use source::without_comment;
pub use spl_model::{Sign, UnknownSign};
pub use tasks::{Comparison, MeasuredMethod, Member, RunMode, Tasks};
