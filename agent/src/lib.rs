//! The native agent: JVM TI callbacks, sample ring and threads.
