//! The classes and methods of a program, read from its class path and its JDK without running Java.
//!
//! [`Places`] has the class path and the JDK, a [`Catalogue`] finds classes there, in folders, archives and
//! runtime images, and [`resolve`] finds the methods that a task file means.

#![forbid(unsafe_code)]

mod catalogue;
mod container;
mod image;
mod jdk;
mod known;
pub mod launch;
mod nested;
mod nothing;
mod part;
pub mod path;
mod places;
pub mod regular;
mod resolve;
mod running;
mod sharing;

pub use catalogue::Catalogue;
pub use jdk::Jdk;
pub use known::Known;
pub use nested::is_library;
pub use places::Places;
pub use resolve::{Mention, Resolution, State, proposal, resolve};
pub use running::{JvmPaths, Loaded, is_open};
