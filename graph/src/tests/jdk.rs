//! JDK
