//! The controller: command line, daemon, configuration and reports.
