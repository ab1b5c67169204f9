//! The specification language of \*J: which events of a program are recorded or counted, with which fields.
//!
//! ```
//! use spl_analysis::sj;
//! let text = "default { recorded: yes; } event Method* { method_id: yes; }";
//! let expansion = sj::expand(text, &sj::parse(text).unwrap()).unwrap();
//! assert!(expansion.interest.to_string().starts_with("event MethodEntry {\n    recorded: yes;\n    method_id: yes;\n}\n"));
//! ```
//!
//! [`parse`] reads a file into its [`Tree`], [`expand`] makes one mask for each event of it, and [`plan`] finds the kind of drill that has
//! these. [`least`] is the other way: the least specification for chosen metrics.

mod events;
mod expand;
mod findings;
mod interest;
mod least;
mod parse;
mod plan;
mod totals;
mod tree;

pub use events::{COMMON, EVENTS, Event, Field, Told};
pub use expand::{Expansion, expand};
pub use interest::Interest;
pub use least::{Wanted, least, wanted};
pub use parse::parse;
pub use plan::{Plan, plan};
pub use totals::totals;
pub use tree::{Declaration, Setting, Tree};
