//! HotSpot's attach protocol: asking a JVM that runs already to load a library or to answer a question.
//!
//! A JVM listens only after a signal, SIGQUIT. The same signal ends a process that does not handle it, and lets
//! a JVM print its threads where the attach request is missing. So the rules come first: [`approach`] decides
//! from what is seen of a process, without any I/O, and says why a process is left alone. [`process`],
//! [`options`] and [`perf`] read what the kernel and the JVM show, [`protocol`] has requests and answers.
//! [`findings`] tells an operator beforehand.
//! [`system`] is the only file with effects.
//!
//! The protocol was written down from the behaviour of JDK 11 to 25.

#![forbid(unsafe_code)]

pub mod approach;
pub mod findings;
pub mod options;
pub mod perf;
pub mod process;
pub mod protocol;
pub mod system;
