//! The structure of class files: constants, methods, instructions, frames and tables.
//!
//! Everything borrows from the bytes of the class, and nothing is changed. A violation of the format is a
//! [`Refusal`](spl_model::Refusal), never a panic.

#![forbid(unsafe_code)]

pub mod class;
pub mod code;
pub mod frames;
pub mod heads;
pub mod instruction;
pub mod mnemonic;
pub mod mutf8;
pub mod opcode;
pub mod pool;
pub mod reader;
pub mod signature;
pub mod tables;

mod annotations;
