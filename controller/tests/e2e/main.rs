//! End-to-end tests: `spl`, its agent and real JVMs, seen as an operator sees them.
//!
//! The tests need a JDK and the two agent libraries next to `spl`:
//!
//! ```text
//! cargo build -p spl-agent -p spl-witness && cargo test -p spl-controller --test e2e
//! ```
//!
//! `SPL_TEST_JAVA` names the `java` to measure, else it is that of `JAVA_HOME`, else the one on the `PATH`.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test is about some of the values")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod agent_options;
mod allocated;
mod arcs;
mod asked;
mod attach;
mod attaching;
mod bad_input;
mod browser;
mod budget;
mod case;
mod dormant;
mod drill;
mod durations;
mod ending;
mod evaluating;
mod examples;
mod explained;
mod explained_elsewhere;
mod exporting;
mod harness;
mod heaps;
mod heard;
mod hostile;
mod instrumenting;
mod keys;
mod keys_beyond;
mod keys_drill;
mod language;
mod lengths;
mod lost_drill;
mod metaspace;
mod metric_claims;
mod metric_rules;
mod metrics;
mod names;
mod never_called;
mod numbered;
mod overflows;
mod paths;
mod patterns;
mod probe_carriers;
mod probe_faults;
mod probe_neighbours;
mod probe_panics;
mod probe_rough;
mod probe_stops;
mod probe_targets;
mod probe_threads;
mod probe_truth;
mod programs;
mod pty;
mod reasons;
mod receivers;
mod recursion;
mod reloading;
mod reporting;
mod reports;
mod restore;
mod resuming;
mod run_options;
mod running;
mod series;
mod serving;
mod serving_pages;
mod signals;
mod size_oracle;
mod sizes;
mod skipping;
mod specs;
mod stack;
mod stack_traces;
mod stand_in;
mod startup;
mod storing;
mod strangers;
mod streams;
mod terminal;
mod together;
mod token;
mod top;
mod traces;
mod traces_in_order;
mod traces_of_calls;
mod traces_receivers;
mod traces_timed;
mod transparency;
mod unmeasured;
mod verdicts;
mod versions;
mod which_jvm;
mod witness;
mod written;
