//! Which classes and methods there are, read from class files without running Java.

mod catalogue;
mod container;
mod image;
mod jdk;
mod known;
pub mod launch;
pub mod path;
mod resolve;

pub use catalogue::Catalogue;
pub use jdk::Jdk;
pub use known::Known;
pub use resolve::{Mention, Resolution, State, resolve};
